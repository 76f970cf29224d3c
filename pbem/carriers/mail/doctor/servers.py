"""A mail server, step by step: its name, the connection with TLS, the password, and the login."""

import re
import socket
import ssl
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Final

from pbem.carriers.mail.incoming import imap
from pbem.carriers.mail.outgoing import outbox, smtp
from pbem.carriers.mail.passwords import LoginRefused, of_a_shell, password
from pbem.carriers.mail.providers import Provider, providers
from pbem.carriers.mail.settings import MailClub, WayIn, WayOut
from pbem.carriers.mail.trouble import ENDED, NO_STARTTLS, NO_TLS, in_words, is_late, table_of, usual, where_of
from pbem.club.upkeep.doctor import Check, closed
from pbem.errors import NotUnderstood, PbemError, TryAgain
from pbem.formats import shown

Box = WayIn | WayOut
TIMEOUT: Final = 20.0  # seconds for each answer of a server
_WRONG: Final = "check user and password; a provider that asks for a second factor at login wants an app password"
_AUTHORISE: Final = (
    "run the password_command by hand as the club's user; if its token is old, log in to its helper again; user must "
    "be the account to which the token belongs"
)
_TIME: Final = "set the clock of this machine; if it is right, the server's certificate must be renewed"
_HOST: Final = "host in club.toml must be the name in the certificate"
_CERTIFICATES: Final = {9: _TIME, 10: _TIME, 62: _HOST, 64: _HOST}  # by what OpenSSL finds
_UNKNOWN: Final = (
    "install the certificates of the authorities, usually the package ca-certificates; for a server that has signed "
    "its own, name the file with its certificate in the variable SSL_CERT_FILE"
)


def steps(folder: Path, name: str, box: Box, log_in: Callable[[], str], needs: tuple[str, ...] = ()) -> Iterator[Check]:
    """Yield the steps that lead from a club to a server; *log_in* is the last one, and the password *needs* others."""
    server, tls, secret = f"{name}, server", f"{name}, TLS", f"{name}, password"
    yield Check(server, partial(_resolved, box), ("settings",))
    yield Check(tls, partial(_connected, box), (server,))
    if box.user:
        yield Check(secret, partial(_secret, folder, box), ("settings", *needs))
    yield Check(f"{name}, login", log_in, (tls, secret) if box.user else (tls,))


def _resolved(box: Box) -> str:
    where = table_of(box)
    if not box.host:
        raise NotUnderstood(
            f"host is missing under {where} in club.toml", hint="write the name of your provider's server"
        )
    try:
        socket.getaddrinfo(box.host, box.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        hint = f"check host under {where} in club.toml, and whether this machine has a network"
        raise TryAgain(f"the name {box.host} cannot be resolved", hint=hint) from None
    return f"the name {box.host} can be resolved"


def _connected(box: Box) -> str:
    if isinstance(box, WayIn):
        imap.check_port(box)
    with _trouble(box):
        if isinstance(box, WayIn):
            _reach_imap(box)
        else:
            smtp.reached(box, TIMEOUT).close()
    if box.security == "none":
        return f"{where_of(box)} answers, without TLS, as club.toml wants"
    return f"{where_of(box)} answers, and its certificate is valid"


def _reach_imap(incoming: WayIn) -> None:
    """Connect without the library for IMAP, which may be missing, and leaves a socket open if STARTTLS fails."""
    import imaplib

    context = ssl.create_default_context()
    if incoming.security == "tls":
        client: imaplib.IMAP4 = imaplib.IMAP4_SSL(incoming.host, incoming.port, ssl_context=context, timeout=TIMEOUT)
    else:
        client = imaplib.IMAP4(incoming.host, incoming.port, TIMEOUT)
    try:
        if incoming.security == "starttls":
            client.starttls(context)
    finally:
        with suppress(OSError, imaplib.IMAP4.error):
            client.logout()


@contextmanager
def _trouble(box: Box) -> Generator[None]:
    """Turn what goes wrong on the way to a server into what to do about it."""
    import imaplib

    where, advice = where_of(box), usual(box)
    try:
        yield
    except ssl.SSLCertVerificationError as error:
        why = error.verify_message.rstrip(".")
        hint = _CERTIFICATES.get(error.verify_code, _UNKNOWN)
        raise TryAgain(f"the certificate of {where} is not valid: {why}", hint=hint) from None
    except ConnectionRefusedError:
        hint = f"check host and port under {table_of(box)} in club.toml, and the network of this machine; {advice}"
        raise TryAgain(f"nothing answers at {where}", hint=hint) from None
    except (OSError, imaplib.IMAP4.error) as error:
        if is_late(error):
            hint = f"{advice}; otherwise a firewall may stop it"
            raise TryAgain(f"{where} gives no answer in {TIMEOUT:g} seconds", hint=hint) from None
        why = in_words(error)
        if why in (NO_STARTTLS, NO_TLS):
            raise TryAgain(f"{where} {why.removeprefix('it ')}", hint=advice) from None
        hint = f"check the network of this machine; {advice}"
        if why == ENDED:
            hint = f"the server may be busy, or may be blocking this machine: wait a few minutes; {advice}"
            raise TryAgain(f"{where} ends the connection at once", hint=hint) from None
        raise TryAgain(f"{where} cannot be reached: {why}", hint=hint) from None


def _secret(folder: Path, box: Box) -> str:
    """Return that there is a password, which only its owner may read, and not in a folder where the club once was."""
    named, own = Path(box.password_file), folder.absolute() / Path(box.password_file).name
    if box.password_file and own.is_file() and named.resolve() != own.resolve():
        message = f"password_file under {table_of(box)} points to {shown(named)}, but {shown(own)} exists too"
        hint = f'the folder of the club may have moved: set password_file = "{own}", or delete that file'
        raise NotUnderstood(message, hint=hint)
    password(box)
    if box.password_file:
        closed(Path(box.password_file))
    return "the password is there"


def read(club: MailClub) -> str:
    """Return that the server accepts the login and has the folder; raises TryAgain."""
    into = club.incoming
    with _refusal(into), imap.opened(into, 1):
        return f"{into.host} accepts the login of {into.user}, and has the folder {into.folder}"


def write(club: MailClub) -> str:
    """Return that the server accepts the login; raises TryAgain."""
    out = club.outgoing
    with _refusal(out), outbox.way(club):
        return f"{out.host} accepts the login of {out.user}" if out.user else f"{out.host} wants no login"


@contextmanager
def _refusal(box: Box) -> Generator[None]:
    """Say of a login that fails what the provider wants instead."""
    try:
        yield
    except LoginRefused:
        what = "password" if box.auth == "password" else "token"
        message = f"{box.host} refused the {what} of user {box.user}"
        raise TryAgain(message, hint=f"{_blanks(box)}{_wanted(box)}") from None


def _blanks(box: Box) -> str:
    """Return what to say of a password with blanks, as an app password is often shown, "" if it has none."""
    with suppress(PbemError):
        if box.auth == "password" and not box.password_command and re.search(r"\s", password(box)):
            return "the password has a blank in it or at its end, which may not belong to it; "
    return ""


def _wanted(box: Box) -> str:
    """Return what a server that has refused a login may want."""
    for_shell = of_a_shell(box.password_command)
    if for_shell:
        return f"check what password_command prints: {for_shell}"
    provider = _provider(box)
    wants_token = provider.auth != "password" if provider else box.auth != "password"
    if box.auth != "password" and wants_token:
        return _AUTHORISE
    if provider is None:
        return _WRONG
    told = f"check user; {provider.told()[0]}"
    return told if box.auth == provider.auth else f'{told}; set auth = "{provider.auth}" under {table_of(box)}'


def _provider(box: Box) -> Provider | None:
    """Return the provider that has that server, None if nobody knows."""
    for each in providers().values():
        hosts = {door.partition(":")[0] for door in (each.imap, each.smtp)}
        is_here = box.host[:1].isdigit()  # as a bridge is, among other servers on this machine
        if box.host in hosts and (not is_here or where_of(box) in (each.imap, each.smtp)):
            return each
    return None

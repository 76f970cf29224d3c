"""The mailbox of a new club: servers and way of login of a provider, or of servers that the host names."""

import re
import shlex
import sys
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from pbem import formats
from pbem.carriers.mail.outgoing.outbox import waiting
from pbem.carriers.mail.settings import Auth, MailClub, WayIn, WayOut
from pbem.carriers.mail.trouble import where_of
from pbem.errors import UsageError
from pbem.grammar import listed

DATA: Final = Path(__file__).with_name("providers.toml")
Security = Literal["none", "starttls", "tls"]
_BY_PORT: Final[dict[int, Security]] = {993: "tls", 465: "tls"}
_MEANS_COM: Final = ("con", "co", "cm", "om", "cmo", "ocm", "comm")
_NO_ERRORS: Final = ("mail", "email", "ymail")  # names of other providers, close to those of known ones
_NEAR: Final = 0.8
_LOCAL: Final = r"localhost|127\.[0-9.]+|::1"
_WANTS: Final = {
    "password": "{name} wants the password of {where}",
    "app-password": "{name} wants an app password, not that of the account; you get it here: {where}",
    "token": "{name} takes no password, but a token that a command prints; it comes from {where}",
}


class Provider(NamedTuple):
    """A provider as ``providers.toml`` has it, which says what each field means."""

    name: str
    domains: list[str]
    imap: str
    smtp: str
    login: Literal["password", "app-password", "token"]
    where: str
    note: str
    plus: bool
    source: str
    known: str
    memory: list[str]
    user: Literal["address", "name"] = "address"

    @property
    def auth(self) -> Auth:
        """The way of login at its servers, unless the host chooses another."""
        return "xoauth2" if self.login == "token" else "password"

    def told(self) -> list[str]:
        """Return what a host must know, a sentence each, without a full stop."""
        wants = _WANTS[self.login].format(name=self.name, where=self.where)
        return [wants, *([self.note.removesuffix(".")] if self.note else [])]


class Door(NamedTuple):
    """A way to the mailbox as the host has named it: HOST or HOST:PORT, "" for none; whom to be, and the password.

    Without a *user* that is the club's address. The password is in the file *secret*, or is what *command* prints.
    """

    imap: str = ""
    smtp: str = ""
    user: str = ""
    auth: Auth = "password"
    secret: str = ""
    command: str = ""


def providers() -> dict[str, Provider]:
    """Return the providers that we know, by the name for ``--provider``."""
    data: dict[str, Any] = formats.parse(DATA.read_text(encoding="utf-8"), "toml", name=DATA.name)
    return {name: Provider(**row) for name, row in data.items()}


def named(name: str) -> Provider:
    """Return the provider of that name; raises UsageError."""
    known = providers()
    if name not in known:
        hint = f"known are {', '.join(known)}; for any other give --imap HOST[:PORT] and --smtp HOST[:PORT]"
        raise UsageError(f"{name[:40]!a} is not a provider that pbem knows", hint=hint)
    return known[name]


def of_address(address: str) -> str:
    """Return the name of the provider that gives out such addresses, "" if none is known to."""
    domain = address.rpartition("@")[2].lower()
    return next((name for name, provider in providers().items() if domain in provider.domains), "")


def doubt_of(address: str) -> str:
    """Return what looks like a typing error in an address, "" if nothing does."""
    from difflib import get_close_matches

    local, _, domain = address.lower().rpartition("@")
    name, dot, end = domain.partition(".")
    if not dot and name != "localhost":
        return f"{address} has no dot after the @"
    known = [each for provider in providers().values() for each in provider.domains]
    if domain in known or name in _NO_ERRORS:
        return ""
    end = "com" if end in _MEANS_COM else end
    names = [each.removesuffix(f".{end}") for each in known if each.partition(".")[2] == end]
    near = get_close_matches(name, names, 1, _NEAR)
    return f"{address} may have a typing error; did you mean {local}@{near[0]}.{end}?" if near else ""


def door_to(address: str, named: Door, auth: Auth | None = None, provider: Provider | None = None) -> Door | None:
    """Return the way to the mailbox of that address as the host has *named* it; None if no server is named.

    A *provider* names its servers, and the way of login if that is not chosen by *auth*. Raises UsageError for a way
    that cannot be meant.
    """
    door = named._replace(auth=auth or (provider.auth if provider else "password"))
    if provider and (door.imap or door.smtp):
        raise UsageError("--provider names the servers itself", hint="choose either --provider, or --imap and --smtp")
    if door.secret and door.command:
        raise UsageError("choose either --password-file or --password-command")
    if not provider and not door.imap and not door.smtp and door != Door():
        raise UsageError("no server is named for that login", hint="give --provider, or --imap and --smtp")
    if door.auth != "password" and not door.command:
        whose = provider.name if provider else "such a login"
        hint = "for example --password-command 'oama access pbem@example.org'"
        raise UsageError(f"{whose} wants a token, which only --password-command can renew", hint=hint)
    if provider:
        user = door.user or (address.partition("@")[0] if provider.user == "name" else address)
        return door._replace(imap=provider.imap, smtp=provider.smtp, user=user)
    return door if door.imap or door.smtp else None


def next_steps(club: MailClub, provider: Provider | None, has_imap: bool) -> list[str]:
    """Return what the host of a new club has to know and to do, a sentence each without a full stop.

    *has_imap* says whether the library for IMAP is installed.
    """
    boxes = [box for box in (club.incoming, club.outgoing) if box.kind in ("imap", "smtp")]
    if not boxes:
        name = of_address(club.address)
        found = f"this looks like an address of {providers()[name].name}" if name else ""
        return [f"{found}: --provider {name} would write its servers into club.toml"] if name else []
    steps = provider.told() if provider else _named(boxes)
    if boxes[0].password_command:
        steps.append("the first line that your command prints is the password or token; run it once as the club's user")
    else:
        steps.append(f"put the password into {boxes[0].password_file}, which nobody else may read")
    if club.plus:
        what = "should arrive; if not," if provider else "must arrive; if doctor says that it does not,"
        subaddress = club.address.replace("@", "+anything@", 1)
        steps.append(f"mail to subaddresses, {subaddress}, {what} set plus = false")
    else:
        steps.append(
            "plus = false, since nobody knows whether mail to subaddresses arrives there; games work without it"
        )
    if club.outgoing.kind == "files":
        steps.append(
            "no --smtp was given, so that letters stay in the outbox until [outgoing] in club.toml names a server"
        )
    steps += [
        f'{name} has security = "none", as usual for a server on this machine; set "starttls" if it wants that'
        for name, box in (("[incoming]", club.incoming), ("[outgoing]", club.outgoing))
        if box in boxes and box.security == "none"
    ]
    if club.incoming.kind == "imap" and not has_imap:
        steps.append(f"IMAP needs a library: {to_install()}")
    if waiting(club) and club.outgoing.kind != "files":
        steps.append("the letters that are in the outbox will be sent")
    steps.append(f"then try it: pbem mail doctor {shlex.quote(str(club.folder))}")
    return steps


def _named(boxes: list[WayIn | WayOut]) -> list[str]:
    """Return who logs in to the servers that the host has named, and at which ports."""
    servers = listed(map(where_of, boxes))
    return [f"{boxes[0].user} logs in to {servers}; if user or port is another one, change it in club.toml"]


def to_install() -> str:
    """Return the command that installs the library for IMAP where this program is."""
    return f"{shlex.quote(sys.executable)} -m pip install imap-tools"


def with_mailbox(club: MailClub, door: Door) -> MailClub:
    """Return the club with its mail in and out by that way; raises UsageError for an impossible host or port."""
    user = door.user or club.address
    secret, command, auth = door.secret, door.command, door.auth
    if door.imap:
        host, port, security = _server(door.imap, 993)
        incoming = WayIn("imap", "INBOX", host, port, security, user, "", secret, command, auth)
        club = club.changed(incoming=incoming)
    if door.smtp:
        host, port, security = _server(door.smtp, 465)
        outgoing = WayOut("smtp", host, port, security, user, "", secret, password_command=command, auth=auth)
        club = club.changed(outgoing=outgoing)
    return club


def _server(text: str, port: int) -> tuple[str, int, Security]:
    """Return host, port, and what protects the connection: TLS at its own ports, STARTTLS at others.

    Nothing does on this machine, whose servers rarely have a certificate that anybody vouches for.
    """
    found = re.fullmatch(r"(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]{1,253}))(?::([0-9]{1,5}))?", text)
    if found is None or not 0 < int(found[3] or port) < 65536:
        hint = "write HOST or HOST:PORT, such as mail.example.org:993; a port is a number from 1 to 65535"
        raise UsageError(f"{text[:80]!a} is not a server", hint=hint)
    host, chosen = found[1] or found[2], int(found[3] or port)
    local = re.fullmatch(_LOCAL, host) is not None and chosen not in _BY_PORT
    return host, chosen, "none" if local else _BY_PORT.get(chosen, "starttls")

"""Letters go to an SMTP server: one connection for many, on which it may stop listening at any time."""

import re
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Final

from pbem.carriers.mail.passwords import LoginRefused, after_refusal, bearer, logged_in
from pbem.carriers.mail.settings import WayOut
from pbem.carriers.mail.trouble import check_ways, in_words, where_of
from pbem.errors import TryAgain

if TYPE_CHECKING:
    from smtplib import SMTP

TIMEOUT: Final = 60.0  # seconds for each answer of a server
_ENDS: Final = 421  # the server ends the connection
_NO_LOGIN: Final = (_ENDS, 530, 535)  # or wants a login: none of them is about the letter


class Refused(Exception):
    """The letter is rejected permanently; *address* if that address accepts no letter at all."""

    def __init__(self, why: str, *, address: bool = False) -> None:
        super().__init__("".join(c for c in why if " " <= c <= "~")[:300])
        self.address = address


class Later(Exception):
    """The letter may go out another time; *all_of_them* if the others would fare no better on this connection.

    *again* if they could on another one: this one is *lost*, since the server has ended it, or the login has expired.
    """

    def __init__(self, why: str, *, all_of_them: bool = False, again: bool = False, lost: bool = False) -> None:
        super().__init__(why)
        self.all_of_them = all_of_them or again or lost
        self.again = again or lost
        self.lost = lost


Hand = Callable[[bytes, str, str], None]  # a letter, the envelope's sender ("" for the null sender), the recipient


@contextmanager
def opened(outgoing: WayOut, name: str) -> Generator[Hand]:
    """Yield a connection, on which we call ourselves *name*; raises TryAgain if it fails."""

    def connect() -> "SMTP":
        with _trouble(outgoing, "cannot connect to the mail server {where}: {why}"):
            return reached(outgoing, TIMEOUT, name)

    server = logged_in(outgoing, connect, partial(log_in, outgoing), _leave) if outgoing.user else connect()
    try:
        yield lambda letter, sender, recipient: _hand_over(server, letter, sender, recipient)
    finally:
        _leave(server)


def reached(outgoing: WayOut, timeout: float, name: str = "") -> "SMTP":
    """Return a connection without a login, on which we call ourselves *name*; raises OSError, SMTPException.

    The server has *timeout* seconds for each answer.
    """
    import smtplib
    import ssl

    host, port = outgoing.host, outgoing.port
    if outgoing.security == "tls":
        return smtplib.SMTP_SSL(host, port, name or None, timeout=timeout, context=ssl.create_default_context())
    server = smtplib.SMTP(host, port, name or None, timeout=timeout)
    try:
        if outgoing.security == "starttls":  # only then, for it reads all certificates of the system
            server.starttls(context=ssl.create_default_context())
    except BaseException:
        _leave(server)
        raise
    return server


def log_in(outgoing: WayOut, server: "SMTP", secret: str) -> None:
    """Show the server the password or token; raises TryAgain, LoginRefused if it is refused."""
    import smtplib

    where = where_of(outgoing)
    with _trouble(outgoing, "login to {where} failed: {why}"):
        try:
            _show(outgoing, server, secret)
        except smtplib.SMTPNotSupportedError:
            what = "password" if outgoing.auth == "password" else "token"
            hint = "security" if outgoing.security == "none" else "auth, host and port"
            message = f"{where} takes no {what} on this connection"
            raise TryAgain(message, path=where, hint=f"check {hint} under [outgoing] in club.toml") from None
        except smtplib.SMTPServerDisconnected:
            hint = "check user and password; some servers end the connection if one is wrong"
            raise TryAgain(f"{where} ended the connection at the login", path=where, hint=hint) from None
        except smtplib.SMTPAuthenticationError as refused:
            raise LoginRefused(f"login to {where} failed: {in_words(refused)}", path=where) from None


def _show(outgoing: WayOut, server: "SMTP", secret: str) -> None:
    server.ehlo_or_helo_if_needed()
    if offered := server.esmtp_features.get("auth", ""):
        check_ways(outgoing, frozenset(offered.upper().split()))
    if outgoing.auth == "password":
        server.login(outgoing.user, secret)
        return
    words = iter((bearer(outgoing, secret), after_refusal(outgoing)))

    def answer(_challenge: bytes | None = None) -> str:
        return next(words, "")

    server.auth(outgoing.auth, answer)


def _leave(server: "SMTP") -> None:
    import smtplib

    try:
        server.quit()
    except (OSError, smtplib.SMTPException):
        server.close()


@contextmanager
def _trouble(outgoing: WayOut, message: str) -> Generator[None]:
    """Turn what goes wrong with the server into TryAgain with that *message*, a template."""
    import smtplib

    where = where_of(outgoing)
    try:
        yield
    except (OSError, ValueError, smtplib.SMTPException) as error:
        raise TryAgain(message.format(where=where, why=in_words(error)), path=where) from None


def _hand_over(server: "SMTP", letter: bytes, sender: str, recipient: str) -> None:
    import smtplib

    try:
        server.sendmail(sender, [recipient], re.sub(rb"\r?\n", b"\r\n", letter))
    except smtplib.SMTPRecipientsRefused as refused:
        code, said = next(iter(refused.recipients.values()))
        _judge(code, said, address=True)
    except smtplib.SMTPSenderRefused as refused:
        # A wrong address, a wrong server, no permission: all other letters would be rejected as well.
        code, said = refused.smtp_code, refused.smtp_error
        if sender and code not in _NO_LOGIN:
            raise Later(_words(code, said), all_of_them=True) from None
        _judge(code, said)
    except smtplib.SMTPResponseException as refused:
        _judge(refused.smtp_code, refused.smtp_error)
    except (OSError, smtplib.SMTPException) as error:
        raise Later(f"the connection was lost: {in_words(error)}", lost=True) from None


def _judge(code: int, said: bytes | str, *, address: bool = False) -> None:
    """Raise what an answer of the server means; *address* if it is about the recipient's address."""
    if code == _ENDS:
        raise Later(_words(code, said), lost=True)
    if code in _NO_LOGIN:
        raise Later(f"{code}: the server asks for a login", again=True)
    if 500 <= code < 600:
        raise Refused(_words(code, said), address=address)
    raise Later(_words(code, said))


def _words(code: int, said: bytes | str) -> str:
    text = said.decode("ascii", "replace") if isinstance(said, bytes) else said
    return f"{code} {' '.join(text.split())}"

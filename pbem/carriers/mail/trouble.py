"""What goes wrong between us and a mail server, in words, and what the settings should be instead.

Nothing that a server has said is repeated, since it may have been said after a password, and no name of an exception.
"""

import ssl
from typing import Final

from pbem.carriers.mail.settings import WayIn, WayOut
from pbem.errors import TryAgain

_IMAP: Final = {993: "tls", 143: "starttls"}  # ports
_SMTP: Final = {465: "tls", 587: "starttls"}
_PASSWORDS: Final = frozenset(("PLAIN", "LOGIN", "CRAM-MD5"))  # what the libraries know
ENDED: Final = "it has ended the connection"
NO_TLS: Final = "it does not speak TLS in that way"
NO_STARTTLS: Final = "it does not offer STARTTLS"
_TOKENS: Final = ("xoauth2", "oauthbearer")


def in_words(error: BaseException) -> str:
    """Return what went wrong, for the end of a message: a server's code, or why nothing is connected."""
    code = getattr(error, "smtp_code", 0)
    if code > 0:
        return str(code)
    if is_late(error):
        return "it gave no answer in time"
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not valid, {error.verify_message.rstrip('.')}"
    if isinstance(error, ssl.SSLEOFError | ssl.SSLZeroReturnError | ConnectionResetError | BrokenPipeError):
        return ENDED
    if isinstance(error, ssl.SSLError):
        return NO_TLS
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return _said(error)


def _said(error: BaseException) -> str:
    """Return what the libraries have found."""
    import imaplib
    import smtplib

    if str(error).startswith(("STARTTLS ", "TLS not supported")):  # as the libraries say it
        return NO_STARTTLS
    if isinstance(error, smtplib.SMTPNotSupportedError):
        return "it does not offer what the letter needs"
    if isinstance(error, smtplib.SMTPServerDisconnected | imaplib.IMAP4.abort | EOFError):
        return ENDED
    if isinstance(error, imaplib.IMAP4.error) or type(error).__module__.startswith("imap_tools"):
        return "it refused the command"
    return "its answer was not understood"


def is_late(error: BaseException) -> bool:
    """Return whether a server gave no answer in time; smtplib has its own name for it."""
    return TimeoutError in (type(error), type(error.__context__))


def where_of(box: WayIn | WayOut) -> str:
    """Return the server of a mailbox, and its port."""
    return f"{box.host}:{box.port}"


def table_of(box: WayIn | WayOut) -> str:
    """Return the table of club.toml with the settings of a mailbox."""
    return "[incoming]" if isinstance(box, WayIn) else "[outgoing]"


def usual(box: WayIn | WayOut) -> str:
    """Return which port and security go together: what is wrong with those of a mailbox, or what is usual."""
    table, known = table_of(box), _IMAP if isinstance(box, WayIn) else _SMTP
    if box.security != known.get(box.port, box.security):
        return f'port {box.port} is usually that for security = "{known[box.port]}" under {table} in club.toml'
    tls, starttls = known
    return f'the usual port under {table} is {tls} with security = "tls", or {starttls} with "starttls"'


def check_ways(box: WayIn | WayOut, offered: frozenset[str]) -> None:
    """Raise TryAgain if a server with those ways of login (as SASL names them) takes none that the settings name."""
    where, table = where_of(box), table_of(box)
    tokens = [name for name in _TOKENS if name.upper() in offered]
    if box.auth in tokens or (box.auth == "password" and _PASSWORDS & offered):
        return
    if box.auth == "password" and not tokens:
        raise TryAgain(f"{where} takes no password in a way that pbem knows", path=where, hint=usual(box))
    message, hint = f"{where} takes no token by {box.auth}", f'set auth = "{(*tokens, "password")[0]}" under {table}'
    if box.auth == "password":
        message = f"{where} takes no password, but only a token"
        hint += ", and password_command to the program that prints it"
    raise TryAgain(message, path=where, hint=f"{hint}, in club.toml")

r"""An IMAP mailbox: mails wait in it until they are answered, and the server says when more arrive.

A processed mail gets the flag ``\Answered``, which every server keeps and no mail
program sets just for showing a mail. A mail that is older than the club is never
fetched or flagged. No number of a mail outlives the connection, so that a
recreated mailbox (UIDVALIDITY) does no harm: a mail that was processed but could
not be flagged is fetched again, and recognised by its digest.
"""

import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, NamedTuple

from pbem.carriers.mail.incoming.message import LARGEST, Arrival
from pbem.carriers.mail.passwords import LoginRefused, after_refusal, bearer, logged_in
from pbem.carriers.mail.settings import WayIn
from pbem.carriers.mail.trouble import check_ways, in_words, usual, where_of
from pbem.errors import NotUnderstood, TryAgain, UsageError

if TYPE_CHECKING:
    from imap_tools.mailbox import BaseMailBox

TIMEOUT: Final = 60.0  # seconds for each answer of the server
_WAITING: Final = "UNANSWERED UNDELETED"
_DEALT_WITH: Final = r"(\Answered \Seen)"
_ONLY_TLS: Final = 993  # the port
_AT_ONCE: Final = 500  # mails in one command that asks for their times
_UID: Final = rb"\bUID ([0-9]+)"
_FLAGS: Final = rb"\bFLAGS \(([^()]*)\)"
_SIZE: Final = rb"\bRFC822\.SIZE ([0-9]{1,12})"
_EXISTS: Final = rb"(?i)\* ([0-9]{1,10}) EXISTS"
_EXPUNGE: Final = rb"(?i)\* [0-9]{1,10} EXPUNGE"
_LOST: Final = "the connection to the mail server {where} was lost: {why}"
_CLOSED: Final = "cannot open the folder {folder} on {where}: {why}"


class Waiting(NamedTuple):
    """What the server knows about a mail: when it came, if it says so, whether it is flagged as junk, and its bytes."""

    came: datetime | None
    junk: bool
    size: int = 0


@contextmanager
def opened(incoming: WayIn, largest: int, since: datetime | None = None) -> Generator["Imap"]:
    """Yield the open mailbox; of a mail with more than *largest* bytes only the beginning is fetched.

    No mail that came before *since* is touched.

    Raises UsageError without the extra, NotUnderstood and NoSuchFile if settings
    are missing, TryAgain if the server is away or refuses.
    """
    if find_spec("imap_tools") is None:
        from pbem.carriers.mail.providers import to_install

        raise UsageError("IMAP needs the library imap-tools", hint=f"install it, or use a Maildir: {to_install()}")
    if not incoming.host or not incoming.user:
        raise NotUnderstood("host or user of the IMAP mailbox is missing in club.toml", path="incoming")
    box = logged_in(incoming, partial(_connect, incoming), partial(log_in, incoming), _leave)
    try:
        opened_box = Imap(box, incoming, largest, since)
        opened_box.select()
        yield opened_box
    finally:
        _leave(box)


def _connect(incoming: WayIn) -> "BaseMailBox":
    check_port(incoming)
    with _trouble(incoming, "cannot connect to the mail server {where}: {why}"):
        return connected(incoming)


def check_port(incoming: WayIn) -> None:
    """Raise TryAgain for STARTTLS at the port where TLS begins at once, which the library refuses."""
    where = where_of(incoming)
    if incoming.security == "starttls" and incoming.port == _ONLY_TLS:
        raise TryAgain(f"{where} does not offer STARTTLS", path=where, hint=usual(incoming))


def log_in(incoming: WayIn, box: "BaseMailBox", secret: str) -> None:
    """Show the server the password or token; raises TryAgain, LoginRefused if it is refused."""
    known, where = box.client.capabilities, where_of(incoming)
    offered = frozenset(each.removeprefix("AUTH=") for each in known if each.startswith("AUTH="))
    if offered and incoming.security != "none":
        check_ways(incoming, offered if "LOGINDISABLED" in known else offered | {"LOGIN"})
    if incoming.auth == "password" and "LOGINDISABLED" in known:
        hint = 'set security = "starttls" or "tls" under [incoming] in club.toml'
        raise TryAgain(f"{where} takes no password on this connection", path=where, hint=hint)
    message = "login to {where} as {user} failed: {why}"
    with _trouble(incoming, message, message, LoginRefused):
        _show(incoming, box, secret)


def _show(incoming: WayIn, box: "BaseMailBox", secret: str) -> None:
    """Show it; the library's own function says a token again when it is refused."""
    if incoming.auth == "password":
        login = box.login if secret.isascii() else box.login_utf8
        login(incoming.user, secret, None)
        return
    words = iter((bearer(incoming, secret).encode(), after_refusal(incoming).encode()))
    box.client.authenticate(incoming.auth.upper(), lambda _: next(words, None))


def _leave(box: "BaseMailBox") -> None:
    with suppress(Exception):  # whatever goes wrong at the end changes nothing
        box.logout()  # pyright: ignore[reportUnknownMemberType] -- its answer has no type
    with suppress(OSError):  # if the connection is lost
        box.client.shutdown()


def connected(incoming: WayIn) -> "BaseMailBox":
    """Return a connection without a login; raises OSError or an error of the libraries."""
    import ssl

    from imap_tools import MailBox, MailBoxStartTls, MailBoxUnencrypted

    if incoming.security == "none":
        return MailBoxUnencrypted(incoming.host, incoming.port, TIMEOUT)
    context = ssl.create_default_context()  # the library's own would trust any certificate
    kind = MailBox if incoming.security == "tls" else MailBoxStartTls
    return kind(incoming.host, incoming.port, TIMEOUT, ssl_context=context)


@contextmanager
def _trouble(
    incoming: WayIn, message: str, refused: str = "", refusal: type[TryAgain] = TryAgain, hint: str = ""
) -> Generator[None]:
    """Turn what goes wrong with the server into TryAgain with that *message*, a template.

    If it says no, the message is *refused*, if there is one, and the error a *refusal* with that *hint*. Nothing that
    the server said is repeated: it could contain a password.
    """
    import imaplib

    from imap_tools.errors import ImapToolsError

    try:
        yield
    except (OSError, ValueError, imaplib.IMAP4.error, ImapToolsError) as error:
        where = where_of(incoming)
        lost = isinstance(error, (OSError, imaplib.IMAP4.abort))
        says_no = bool(refused) and not lost
        why = "the server has refused it" if says_no else in_words(error)
        told = (refused if says_no else message).format(
            where=where, user=incoming.user, folder=incoming.folder, why=why
        )
        raise (refusal(told, path=where, hint=hint) if says_no else TryAgain(told, path=where)) from None


class Imap:
    """A folder on a server, while the connection lasts; everything raises TryAgain when it is lost."""

    def __init__(self, box: "BaseMailBox", incoming: WayIn, largest: int, since: datetime | None = None) -> None:
        self.box = box
        self.incoming = incoming
        self.name = f"{incoming.user}@{incoming.host}/{incoming.folder}"
        self.largest = largest
        self.since = since
        self._old: set[str] = set()  # numbers of mails that are older than the club
        self._count = 0  # mails in the folder, as far as we know
        self._sound = True  # whether the folder was readable when it was last read

    def select(self) -> None:
        """Open the folder, or open it again: afterwards nothing is known about it."""
        hint = "set folder under [incoming] in club.toml to one that is there, such as INBOX"
        with _trouble(self.incoming, _LOST, _CLOSED, hint=hint):
            self.box.folder.set(self.incoming.folder)  # pyright: ignore[reportUnknownMemberType] -- has no type
        self._old, self._sound = set(), True

    def mails(self) -> Iterator[Arrival]:
        """Yield the mails that are not answered, in the order in which they came."""
        with self._trouble():
            self.box.client.noop()  # some servers report new mail only then, and not in a search
            self._has_more()  # forgotten: reports from here on are news
            found = self._waiting()
        for uid, mail in sorted(found.items(), key=lambda each: int(each[0])):
            with self._trouble():
                large = mail.size > self.largest
                raw = self._fetched(uid, LARGEST if large else self.largest)
            if raw is not None:  # None: somebody else has taken it away
                yield Arrival(raw, partial(self._done, uid), mail.junk, mail.size if large else 0)

    def older(self) -> int:
        """Return how many unanswered mails are older than the club."""
        with self._trouble():
            return len(self.box.uids(_WAITING, None)) - len(self._waiting()) if self.since else 0

    def wait(self, seconds: float) -> None:
        """Return as soon as the server reports mail, or after that many seconds.

        A folder that could not be read is opened again first, since some servers keep the connection to one that was
        deleted.
        """
        import time

        if not self._sound:
            self.select()
        if "IDLE" not in self.box.client.capabilities:
            time.sleep(seconds)
            return
        until = time.monotonic() + seconds
        with self._trouble():
            self.box.client.noop()  # a report that comes only when the wait begins could be lost in its first answer
        with self._trouble(), self.box.idle as idle:
            more = self._has_more()  # mail that came while we were at work
            while not more and (rest := until - time.monotonic()) > 0:
                lines = idle.poll(rest) or []
                if not lines:  # the time is over, or the connection, as the end of the wait finds out
                    return
                more = self._is_more(lines)

    def _has_more(self) -> bool:
        """Return whether the server has reported mail since it was last asked; some repeat at each answer how many."""
        gone, count = (self.box.client.response(name)[1] or [] for name in ("EXPUNGE", "EXISTS"))
        return self._counted(sum(each is not None for each in gone), [int(each) for each in count if each])

    def _is_more(self, lines: list[bytes]) -> bool:
        """Return whether these lines of the server report mail, and not only that it is still there."""
        found = [int(match[1]) for line in lines if (match := re.match(_EXISTS, line))]
        return self._counted(sum(re.match(_EXPUNGE, line) is not None for line in lines), found)

    def _counted(self, gone: int, reports: list[int]) -> bool:
        """Note how many mails have *gone*, and how many there are by the *reports*; return whether some have come."""
        before = self._count - gone
        self._count = reports[-1] if reports else before
        return self._count > before

    def _waiting(self) -> dict[str, Waiting]:
        """Return the unanswered mails that are not older than the club, by their numbers."""
        from imap_tools.query import AND

        wanted = _WAITING
        if self.since:  # a server compares days, in whatever zone the mail came
            wanted += f" {AND(date_gte=(self.since - timedelta(days=1)).date())}"
        found = [uid for uid in self.box.uids(wanted, None) if uid not in self._old]
        known: dict[str, Waiting] = {}
        for start in range(0, len(found), _AT_ONCE):
            uids = ",".join(found[start : start + _AT_ONCE])
            answer, data = self.box.client.uid("FETCH", uids, "(FLAGS INTERNALDATE RFC822.SIZE)")
            if answer != "OK":
                raise TryAgain(f"the mail server {self.incoming.host} does not report when its mail arrived")
            told = (line for line in data if isinstance(line, bytes) and re.search(_UID, line))
            known |= dict(_known(line) for line in told if b"INTERNALDATE" in line)  # other lines report changed flags
        mails = {uid: known.get(uid, Waiting(None, junk=False)) for uid in found}
        self._old |= {uid for uid, mail in mails.items() if self.since and mail.came and mail.came < self.since}
        return {uid: mail for uid, mail in mails.items() if uid not in self._old}

    def _fetched(self, uid: str, most: int) -> bytes | None:
        """Return the first bytes of a mail, at *most* that many, without marking it as seen."""
        data: list[tuple[bytes, bytes] | bytes]
        _, data = self.box.client.uid("FETCH", uid, f"(BODY.PEEK[]<0.{most}>)")
        found = (part[1] for part in data if isinstance(part, tuple) and b"BODY[]" in part[0])
        return next(found, None)

    def _done(self, uid: str) -> None:
        """Flag a mail; not with the library's own function, which expunges what others have marked as deleted."""
        with self._trouble():
            answer, _ = self.box.client.uid("STORE", uid, "+FLAGS.SILENT", _DEALT_WITH)
        if answer != "OK":
            raise TryAgain(f"the mail server {self.incoming.host} cannot flag mail in {self.incoming.folder}")

    @contextmanager
    def _trouble(self) -> Generator[None]:
        try:
            with _trouble(self.incoming, _LOST, "cannot read the folder {folder} on {where}: {why}"):
                yield
        except TryAgain:
            self._sound = False
            raise


def _known(line: bytes) -> tuple[str, Waiting]:
    """Return what a line of a server's answer says about a mail, with the number of the mail."""
    uid, flags = re.search(_UID, line), re.search(_FLAGS, line)
    assert uid is not None
    said = flags[1].lower().split() if flags else []
    junk, size = b"$junk" in said or (b"junk" in said and b"$notjunk" not in said), re.search(_SIZE, line)
    return uid[1].decode(), Waiting(arrival(line), junk, int(size[1]) if size else 0)


def arrival(line: bytes) -> datetime | None:
    """Return when a mail came, as a line of a server's answer says; None if it has no time, or not a valid one."""
    import imaplib
    import time

    with suppress(KeyError, ValueError, OverflowError):
        if local := imaplib.Internaldate2tuple(line):
            return datetime.fromtimestamp(time.mktime(local), UTC)
    return None

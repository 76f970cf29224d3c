r"""An IMAP mailbox: mails wait in it until they are answered, and it tells when there are more.

A mail that was dealt with gets the flag ``\Answered``, which every server keeps and
no other mail program sets for having shown it. One that is older than the club is
never fetched, and gets no flag. No number of a mail outlives the
connection, so that a mailbox that was made anew (UIDVALIDITY) confuses nothing:
what was dealt with but could not be flagged comes again, and is known by its digest.
"""

import re
from collections.abc import Generator, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, NamedTuple

from pbem.errors import NotUnderstood, TryAgain, UsageError
from pbem.mail.incoming.message import Arrival
from pbem.mail.passwords import password
from pbem.mail.settings import WayIn

if TYPE_CHECKING:
    from imap_tools.mailbox import BaseMailBox

TIMEOUT: Final = 60.0  # seconds for each answer of the server
_WAITING: Final = "UNANSWERED UNDELETED"
_DEALT_WITH: Final = r"(\Answered \Seen)"
_AT_ONCE: Final = 500  # mails whose times are asked for in one command
_UID: Final = re.compile(rb"\bUID ([0-9]+)")
_FLAGS: Final = re.compile(rb"\bFLAGS \(([^()]*)\)")


class Waiting(NamedTuple):
    """What the server knows of a mail: when it came, None if it does not say so, and whether it is flagged as junk."""

    came: datetime | None
    junk: bool


@contextmanager
def opened(incoming: WayIn, largest: int, since: datetime | None = None) -> Generator["Imap"]:
    """Lend the mailbox; of a mail no more than *largest* bytes are fetched, and none of one that came before *since*.

    Raises UsageError without the extra, NotUnderstood and NoSuchFile where the
    settings lack something, TryAgain where the server is away or refuses.
    """
    if find_spec("imap_tools") is None:
        hint = "pip install 'pbem[mail]' brings it, and a Maildir does without"
        raise UsageError("to fetch mail from IMAP the library imap-tools is needed", hint=hint)
    if not incoming.host or not incoming.user:
        raise NotUnderstood("club.toml does not say host and user of the IMAP mailbox", path="incoming")
    secret = password(incoming)
    with _trouble(incoming, "cannot be reached"):
        box = _connected(incoming)
    try:
        with _trouble(incoming, f"does not let {incoming.user} in"):
            login = box.login if secret.isascii() else box.login_utf8
            login(incoming.user, secret, None)
        with _trouble(incoming, f"does not open the folder {incoming.folder}"):
            box.folder.set(incoming.folder)  # pyright: ignore[reportUnknownMemberType] -- its answer has no type
        yield Imap(box, incoming, largest, since)
    finally:
        with suppress(Exception):  # whatever is said at the end changes nothing
            box.logout()  # pyright: ignore[reportUnknownMemberType] -- its answer has no type
        with suppress(OSError):  # where nothing could be said any more
            box.client.shutdown()


def _connected(incoming: WayIn) -> "BaseMailBox":
    import ssl

    from imap_tools import MailBox, MailBoxStartTls, MailBoxUnencrypted

    if incoming.security == "none":
        return MailBoxUnencrypted(incoming.host, incoming.port, TIMEOUT)
    context = ssl.create_default_context()  # the library's own would trust any certificate
    kind = MailBox if incoming.security == "tls" else MailBoxStartTls
    return kind(incoming.host, incoming.port, TIMEOUT, ssl_context=context)


@contextmanager
def _trouble(incoming: WayIn, what: str) -> Generator[None]:
    """Turn what goes wrong with the server into TryAgain; nothing that it said is repeated, it could be a password."""
    import imaplib

    from imap_tools.errors import ImapToolsError

    try:
        yield
    except (OSError, ValueError, imaplib.IMAP4.error, ImapToolsError) as error:
        where = f"{incoming.host}:{incoming.port}"
        why = getattr(error, "strerror", None) or type(error).__name__
        raise TryAgain(f"the mail server {where} {what}: {why}", path=where) from None


class Imap:
    """A folder on a server, while the connection lasts; all raises TryAgain when it is lost."""

    def __init__(self, box: "BaseMailBox", incoming: WayIn, largest: int, since: datetime | None = None) -> None:
        self.box = box
        self.incoming = incoming
        self.name = f"{incoming.user}@{incoming.host}/{incoming.folder}"
        self.largest = largest
        self.since = since

    def mails(self) -> Iterator[Arrival]:
        """Yield the mails that are not answered, those first that came first."""
        with self._trouble():
            self.box.client.noop()  # some servers tell only then, and not in a search, what has come
            self.box.client.response("EXISTS")  # forgotten: what is told from here on is news
            found = self._waiting()
        for uid, mail in sorted(found.items(), key=lambda each: int(each[0])):
            with self._trouble():
                raw = self._fetched(uid)
            if raw is not None:  # None: somebody else has taken it away
                yield Arrival(raw, partial(self._done, uid), mail.junk)

    def older(self) -> int:
        """Return how many mails are not answered and older than the club."""
        with self._trouble():
            return len(self.box.uids(_WAITING, None)) - len(self._waiting()) if self.since else 0

    def wait(self, seconds: float) -> None:
        """Return as soon as the server tells of mail, or after so many seconds."""
        if "IDLE" not in self.box.client.capabilities:
            import time

            time.sleep(seconds)
            return
        with self._trouble():
            self.box.client.noop()  # told only when the wait begins, mail could be read together with what begins it
        with self._trouble(), self.box.idle as idle:
            if "EXISTS" not in self.box.client.untagged_responses:  # mail that came while we were at work
                idle.poll(seconds)

    def _waiting(self) -> dict[str, Waiting]:
        """Return the mails that are not answered and not older than the club, by their numbers."""
        from imap_tools.query import AND

        wanted = _WAITING
        if self.since:  # a server compares days, in whatever zone the mail came
            wanted += f" {AND(date_gte=(self.since - timedelta(days=1)).date())}"
        found = self.box.uids(wanted, None)
        known: dict[str, Waiting] = {}
        for start in range(0, len(found), _AT_ONCE):
            uids = ",".join(found[start : start + _AT_ONCE])
            answer, data = self.box.client.uid("FETCH", uids, "(FLAGS INTERNALDATE)")
            if answer != "OK":
                raise TryAgain(f"the mail server {self.incoming.host} does not say when its mail came")
            told = (line for line in data if isinstance(line, bytes) and _UID.search(line))
            known |= dict(_known(line) for line in told if b"INTERNALDATE" in line)  # else it tells of other flags
        mails = {uid: known.get(uid, Waiting(None, junk=False)) for uid in found}
        return {uid: mail for uid, mail in mails.items() if not (self.since and mail.came and mail.came < self.since)}

    def _fetched(self, uid: str) -> bytes | None:
        """Return a mail, or as much of it as is read, without marking it as seen."""
        data: list[tuple[bytes, bytes] | bytes]
        _, data = self.box.client.uid("FETCH", uid, f"(BODY.PEEK[]<0.{self.largest}>)")
        found = (part[1] for part in data if isinstance(part, tuple) and b"BODY[]" in part[0])
        return next(found, None)

    def _done(self, uid: str) -> None:
        """Flag a mail; not by the library's own function, which expunges what others have marked as deleted."""
        with self._trouble():
            answer, _ = self.box.client.uid("STORE", uid, "+FLAGS.SILENT", _DEALT_WITH)
        if answer != "OK":
            raise TryAgain(f"the mail server {self.incoming.host} flags no mail in {self.incoming.folder}")

    def _trouble(self) -> AbstractContextManager[None]:
        return _trouble(self.incoming, "has broken off")


def _known(line: bytes) -> tuple[str, Waiting]:
    """Return what a line of a server's answer says of a mail, which it names by its number."""
    import imaplib
    import time

    uid, flags = _UID.search(line), _FLAGS.search(line)
    assert uid is not None
    came = None
    with suppress(KeyError, ValueError, OverflowError):  # no time, or none that there is
        if local := imaplib.Internaldate2tuple(line):
            came = datetime.fromtimestamp(time.mktime(local), UTC)
    said = flags[1].lower().split() if flags else []
    return uid[1].decode(), Waiting(came, junk=b"$junk" in said or (b"junk" in said and b"$notjunk" not in said))

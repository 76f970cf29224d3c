"""A letter that a club sends to itself: whether it arrives, and as it was sent. It is deleted where it is found.

A club that is running may take it first. It knows its own mail, and plays nothing; while the doctor waits, it hands the
letter over in a file that the doctor has made, so that nothing is noted of it.
"""

import os
import re
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import formatdate, parsedate_to_datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from pbem import files
from pbem.carriers.mail.doctor.mark import SUBJECT, place_of
from pbem.carriers.mail.incoming.mailbox import DEALT
from pbem.carriers.mail.outgoing import outbox
from pbem.carriers.mail.outgoing.mime import Mail, compose
from pbem.carriers.mail.outgoing.smtp import Later, Refused
from pbem.carriers.mail.settings import MailClub
from pbem.errors import PbemError, TryAgain
from pbem.grammar import listed, plural
from pbem.table.clock import timestamp

if TYPE_CHECKING:
    from pbem.carriers.mail.incoming.imap import Imap

_POLL: Final = 1.0  # seconds
_DIFFERENCE: Final = timedelta(minutes=3)  # between two clocks
_LARGEST: Final = 256 * 1024
_COMPARED: Final = ("From", "Subject", "Message-ID", "References", "Reply-To", "Auto-Submitted", "X-Pbem")
_SPAM: Final = r"(?i)spam|junk|unsolicited|bulk|abus|block|black|\blisted|policy|reputation|suspicious"
_TOO_MANY: Final = r"(?i)limit|quota|too many|\brate\b"
_CHANGED: Final = (
    "From must be an address from which the account may send; with another Reply-To or Message-ID, only the two lines "
    "at the top of a letter tell what a reply answers"
)


class OwnMail(NamedTuple):
    """An own letter as it was found, and when the server says that it came, if it does."""

    mail: EmailMessage
    dated: datetime | None


class OwnLetters:
    """The letters of one examination: to the club's address, and if it has any, to a plus-address."""

    def __init__(self, club: MailClub, wait: float) -> None:
        self.club = club
        self.wait = wait
        local, _, host = club.address.partition("@")
        self.plain, self.plus = club.address, f"{local}+doctor@{host}"
        recipients = (self.plain, self.plus) if club.plus else (self.plain,)
        self.tokens = {recipient: os.urandom(16).hex() for recipient in recipients}
        self.came: dict[str, OwnMail] = {}
        self.sent = datetime.now(UTC)

    def send(self) -> str:
        """Send the letters, and say so; raises TryAgain."""
        self.sent = datetime.now(UTC)
        try:
            for token in self.tokens.values():
                place_of(self.club.folder, token).touch(mode=0o600)
            with outbox.way(self.club) as hand:
                for recipient, token in self.tokens.items():
                    date = f"Date: {formatdate()}\r\n".encode()
                    hand(date + compose(self._letter(recipient, token)), self.plain, recipient)
        except (Refused, Later) as error:
            self._forget()
            message = f"the server does not take a letter from {self.plain} to itself: {error}"
            raise TryAgain(message, hint=_advice(self.club, str(error))) from None
        except BaseException:
            self._forget()
            raise
        return plural(len(self.tokens), "{n} letter to the club itself", "{n} letters to the club itself")

    def _letter(self, recipient: str, token: str) -> Mail:
        host = self.plain.partition("@")[2]
        return Mail(
            to=recipient,
            name="",
            subject=f"{SUBJECT} {token}",
            text=f"A letter of the club to itself, which you can delete.\n\n({token})\n",
            html="",
            png=b"",
            message_id=f"<doctor.{token}@{host}>",
            references=(f"<doctor.thread@{host}>",),
            reply_to=recipient,
            sender=self.plain,
            list_id="",
            unsubscribe="",
            refuses=False,
        )

    def find(self) -> str:
        """Wait for the letters, and delete what is found; raises TryAgain."""
        until = time.monotonic() + self.wait
        try:
            with _mailbox(self.club, self.sent) as found:
                while self._missing() and time.monotonic() < until:
                    for recipient in self._missing():
                        token = self.tokens[recipient]
                        for came in (*found(token), *_handed(place_of(self.club.folder, token))):
                            self.came[recipient] = came
                    if self._missing():
                        time.sleep(_POLL)
                for token in self.tokens.values():  # one that was handed over still lies there
                    _ = list(found(token))
        finally:
            self._forget()
        if self.plain not in self.came:
            hint = "check that mail to this address reaches the mailbox of [incoming], and not its folder for spam"
            raise TryAgain(f"the letter to {self.plain} was not found in {self.wait:g} seconds", hint=hint)
        return f"it arrived at {self.plain}, and was deleted"

    def _missing(self) -> list[str]:
        return [recipient for recipient in self.tokens if recipient not in self.came]

    def _forget(self) -> None:
        for token in self.tokens.values():
            place_of(self.club.folder, token).unlink(missing_ok=True)

    def unchanged(self) -> str:
        """Return that the letter has arrived as it was sent; raises TryAgain."""
        sent = _parsed(compose(self._letter(self.plain, self.tokens[self.plain])))
        came = self.came[self.plain].mail
        changed = [name for name in _COMPARED if _header(sent, name) != _header(came, name)]
        if changed:
            raise TryAgain(f"the server has changed {listed(changed)} of the letter", hint=_CHANGED)
        if f"({self.tokens[self.plain]})" not in _text(came):
            raise TryAgain("the server has changed the text of the letter", hint=_CHANGED)
        return "the letter has arrived as it was sent"

    def beyond_plus(self) -> str:
        """Return that mail to a plus-address arrives; raises TryAgain."""
        if self.plus not in self.came:
            hint = (
                "let the server deliver such addresses, or set plus = false in club.toml; letters that are already out "
                "still ask for replies there, so that then each game needs: pbem mail resend CLUB GAME --all"
            )
            raise TryAgain(f"the letter to {self.plus} has not arrived, as replies of players would", hint=hint)
        return f"mail to {self.plus} arrives"

    def clock(self) -> str:
        """Return that the server has nearly the same time; raises TryAgain."""
        dated = self.came[self.plain].dated
        if dated is None:
            return "no server has dated the letter, so that there is nothing to compare"
        hint = "set the clock of this machine, best by timedatectl set-ntp true"
        if dated > datetime.now(UTC) + _DIFFERENCE:
            raise TryAgain(f"the clock of this machine is slow: the server has {timestamp(dated)}", hint=hint)
        if dated < self.sent - _DIFFERENCE:
            raise TryAgain(f"the clock of this machine is fast: the server has {timestamp(dated)}", hint=hint)
        return "the clock of this machine is that of the server"


def _advice(club: MailClub, said: str) -> str:
    """Return what to do about a letter that a server or program has rejected with those words."""
    if club.outgoing.kind == "sendmail":
        return f"send a mail with {club.outgoing.program} by hand as the club's user: it says what is wrong with it"
    if re.search(_SPAM, said):
        return "the server takes this for spam: wait, or ask the provider; then pbem mail retry CLUB"
    if re.search(_TOO_MANY, said):
        return "the provider takes only so many letters of an account: wait; then pbem mail retry CLUB"
    if re.match(r"4\d\d ", said):
        return "the server may take it later: wait a few minutes, and run doctor again"
    return "address in club.toml must be one from which the account may send"


# Where they may be


@contextmanager
def _mailbox(club: MailClub, sent: datetime) -> Generator[Callable[[str], Iterator[OwnMail]]]:
    """Yield what finds and deletes the letters with a token in the mailbox of the club."""
    if club.incoming.kind == "maildir":
        yield partial(_in_maildir, club.folder / club.incoming.folder, sent)
        return
    import imaplib

    from pbem.carriers.mail.incoming import imap

    try:
        with imap.opened(club.incoming, _LARGEST) as box:
            yield partial(_in_imap, box)
    except imaplib.IMAP4.error:
        raise TryAgain("the mail server does not look for letters as it should", hint="run doctor again") from None


def _in_maildir(folder: Path, sent: datetime, token: str) -> Iterator[OwnMail]:
    since = sent.timestamp() - _DIFFERENCE.total_seconds()
    for part in ("new", "cur", f"{DEALT}/cur"):
        for path in (folder / part).glob("*"):
            with suppress(PbemError, OSError):  # somebody else has taken it away
                if path.stat().st_mtime >= since and token.encode() in (raw := files.read_bytes(path, _LARGEST)):
                    path.unlink()
                    yield _found(raw)


def _in_imap(box: "Imap", token: str) -> Iterator[OwnMail]:
    """Yield the letter; it is expunged by itself, or only marked where a server cannot do that."""
    import imaplib

    from pbem.carriers.mail.incoming import imap

    client = box.box.client
    client.noop()
    for uid in box.box.uids(f'SUBJECT "{token}"', None):
        fetched: tuple[str, list[tuple[bytes, bytes] | bytes | None]] = client.uid(
            "FETCH", uid, "(INTERNALDATE BODY.PEEK[])"
        )
        for part in fetched[1]:
            if isinstance(part, tuple):
                yield OwnMail(_parsed(part[1]), imap.arrival(part[0]))
        client.uid("STORE", uid, "+FLAGS.SILENT", r"(\Answered \Seen \Deleted)")
        with suppress(imaplib.IMAP4.error):
            client.uid("EXPUNGE", uid)


def _handed(place: Path) -> Iterator[OwnMail]:
    """Yield the letter that a running club has handed over."""
    with suppress(PbemError):
        if raw := files.read_bytes(place, _LARGEST):
            yield _found(raw)


def _parsed(raw: bytes) -> EmailMessage:
    return message_from_bytes(raw, policy=policy.default)


def _found(raw: bytes) -> OwnMail:
    """Return a letter that is dated by its topmost Received, if that can be understood."""
    mail = _parsed(raw)
    with suppress(ValueError, TypeError):
        dated = parsedate_to_datetime(str(mail["Received"]).rpartition(";")[2].strip())
        return OwnMail(mail, dated.astimezone(UTC))
    return OwnMail(mail, None)


def _header(mail: EmailMessage, name: str) -> str:
    return "".join(str(mail.get(name, "")).split())


def _text(mail: EmailMessage) -> str:
    part = mail.get_body(("plain",))
    return str(part.get_content()) if part is not None else ""

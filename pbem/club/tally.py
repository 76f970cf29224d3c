"""What came from strangers, in numbers: letters to them in a day, mails left unanswered, mails older than the club.

A day is told (UTC): nothing here looks at a clock. Each day has its own letters, so that
whoever has used them up today shuts nobody out tomorrow. A number is the size of a file, ``tally/2026-11-21.spam``:
to add one is a single write that nothing interrupts, so that ten thousand mails cost little.
"""

import os
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal, NamedTuple

from pbem import files, formats
from pbem.club.settings import Club
from pbem.club.toml_rows import build, read
from pbem.club.transaction import LONGEST_WAIT
from pbem.club.writing.letter import Letter
from pbem.club.writing.letters import notice, paragraphs

LetterKind = Literal["letters", "invitations"]

MOST_DAYS: Final = 7  # that are remembered
UNDATED: Final = "undated"
_FORMAT: Final = "pbem-older/1"
_LEFT: Final[dict[LetterKind, str]] = {"letters": "unanswered", "invitations": "uninvited"}


class Day(NamedTuple):
    """What strangers have sent in a day (``2026-11-21``, "undated" if nobody said when), and were sent.

    *letters* tell what this is or why a wish cannot be met, *invitations* ask who wants to join to confirm; so many
    mails were *unanswered* and *uninvited* because the day had no more of them, and *spam* was never answered.
    """

    day: str
    letters: int = 0
    invitations: int = 0
    unanswered: int = 0
    uninvited: int = 0
    spam: int = 0


class Older(NamedTuple):
    """How many mails in a mailbox are older than the club, as the host was told."""

    mailbox: str = ""
    mails: int = 0


def days_of(club: Club) -> tuple[Day, ...]:
    """Return the last days that brought anything, the newest one last."""
    folder = _folder(club)
    found: dict[str, dict[str, int]] = {}
    for path in folder.iterdir() if folder.is_dir() else ():
        name, _, what = path.name.partition(".")
        if re.fullmatch(rf"\d{{4}}-\d\d-\d\d|{UNDATED}", name) and what in Day._fields[1:]:
            with suppress(FileNotFoundError):  # forgotten just now
                found.setdefault(name, {})[what] = path.stat().st_size
    return tuple(Day(name, **numbers) for name, numbers in sorted(found.items()))


def spent(club: Club, at: datetime | None, kind: LetterKind) -> bool:
    """Take one of the day's letters to strangers; False if none is left, and the host is told so once a day."""
    with _locked(club):
        day = _day(club, at)
        if getattr(day, kind) < club.strangers_a_day:
            _count(club, day, kind)
            return True
        left = _LEFT[kind]
        if not getattr(day, left) and club.strangers_a_day:
            # Before it is noted: what is told twice lies in the outbox once.
            club.put(_notice(club, day, kind))
        _count(club, day, left)
        return False


def count_spam(club: Club, at: datetime | None) -> None:
    """Count a mail that is never answered."""
    with _locked(club):
        _count(club, _day(club, at), "spam")


def older_mails(club: Club) -> Older:
    """Return how many mails are older than the club, as the last run has seen it; raises NotUnderstood."""
    path = _place(club)
    return build(Older, read(path, _FORMAT), path) if path.exists() else Older()


def is_news(club: Club, mailbox: str, mails: int) -> bool:
    """Note how many mails in a mailbox are older than the club, and return whether the host must be told of some."""
    found = Older(mailbox, mails) if mails else Older()
    with files.locked(_place(club), wait=LONGEST_WAIT):
        before = older_mails(club)
        if before == found:
            return False
        files.replace(_place(club), formats.dump({"format": _FORMAT} | found._asdict(), "toml"), mode=0o600)
    return mails > (before.mails if before.mailbox == mailbox else 0)


def lines_of(days: tuple[Day, ...], older: Older) -> Iterator[str]:
    """Yield what ``status`` says of strangers, in 72 columns."""
    if days:
        yield "\nmail from strangers   answered  invited  over the limit  spam"
    for day in days:
        over = day.unanswered + day.uninvited
        yield f"  {day.day:18} {day.letters:9} {day.invitations:8} {over:15} {day.spam:5}"
    if older.mails:
        yield f"\n{older_text(older.mails)}"


def older_text(mails: int) -> str:
    """Return what the host is told of mails that are older than the club."""
    one = mails == 1
    some = "1 message is older than the club and stays" if one else f"{mails} messages are older than the club and stay"
    return f"{some} untouched; pbem mail run CLUB --once --take-old takes {'it' if one else 'them'}"


def _notice(club: Club, day: Day, kind: LetterKind) -> Letter:
    when = "Today" if day.day == UNDATED else f"On {day.day} (UTC)"
    told = [_SPENT[kind].format(when=when, number=club.strangers_a_day)]
    if day.spam:
        told.append(f"Besides, {day.spam} mails were marked as spam or as forged, and got no answer either.")
    told.append("pbem mail status CLUB shows how many mails were left unanswered.")
    return notice(club.host, "Many mails from strangers", paragraphs(told))


_SPENT: Final[dict[LetterKind, str]] = {
    "letters": "{when} strangers got {number} letters, the limit that strangers_a_day sets in club.toml. Until the "
    "next day no stranger gets an answer. Players do, and wishes to join a game have a limit of their own.",
    "invitations": "{when} {number} letters went to people who want to join a game, the limit that strangers_a_day "
    "sets in club.toml. Until the next day nobody else is asked to confirm. If you expect a player, raise the limit, "
    "and ask the player to write again.",
}


def _day(club: Club, at: datetime | None) -> Day:
    name = UNDATED if at is None else at.astimezone(UTC).date().isoformat()
    return next((day for day in days_of(club) if day.day == name), Day(name))


def _count(club: Club, day: Day, what: str) -> None:
    """Add one to a number of the day, and of a new day forget the oldest."""
    if day == Day(day.day):
        for old in days_of(club)[: 1 - MOST_DAYS]:
            for path in _folder(club).glob(f"{old.day}.*"):
                path.unlink()
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW
    descriptor = os.open(_folder(club) / f"{day.day}.{what}", flags, 0o600)
    try:
        os.write(descriptor, b".")
    finally:
        os.close(descriptor)


def _locked(club: Club) -> AbstractContextManager[None]:
    _folder(club).mkdir(mode=0o700, exist_ok=True)
    return files.locked(_folder(club) / UNDATED, wait=LONGEST_WAIT)


def _folder(club: Club) -> Path:
    return club.folder / "tally"


def _place(club: Club) -> Path:
    return club.folder / "older.toml"

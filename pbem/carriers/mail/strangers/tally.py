"""Numbers about strangers: letters to them in a day, mail left unanswered, and mail older than the club.

The day (UTC) is an argument: nothing here looks at a clock. Each day has its own limit, so
that nobody who exhausts it today shuts others out tomorrow. A number is the size of a file, ``tally/2026-11-21.spam``:
adding one is a single write that nothing interrupts, so ten thousand mails cost little.
"""

import os
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal, NamedTuple

from pbem import files
from pbem.club.carrier import Club
from pbem.club.toml_rows import build, read, write
from pbem.club.transaction import LONGEST_WAIT
from pbem.grammar import plural
from pbem.page.page import Column, Grid
from pbem.page.text import lines_of as text_lines
from pbem.table.letters.letter import Letter, paragraphs
from pbem.table.letters.notices import notice

LetterKind = Literal["letters", "invitations"]

MOST_DAYS: Final = 7  # that are remembered
UNDATED: Final = "undated"
_FORMAT: Final = "pbem-older/1"
_LEFT: Final[dict[LetterKind, str]] = {"letters": "unanswered", "invitations": "uninvited"}


class Day(NamedTuple):
    """Mail from and letters to strangers in a day (``2026-11-21``, "undated" if the day is not known).

    *letters* explain what this is or why a request cannot be granted, *invitations* ask for confirmation of a request
    to join. *unanswered* and *uninvited* count the mail beyond the limits of the day, and *spam* is never answered.
    """

    day: str
    letters: int = 0
    invitations: int = 0
    unanswered: int = 0
    uninvited: int = 0
    spam: int = 0


class Older(NamedTuple):
    """The number of messages in a mailbox that are older than the club, as the host was told."""

    mailbox: str = ""
    mails: int = 0


def days_of(club: Club) -> tuple[Day, ...]:
    """Return the last days with any numbers, the newest last."""
    folder = _folder(club)
    found: dict[str, dict[str, int]] = {}
    for path in folder.iterdir() if folder.is_dir() else ():
        name, _, what = path.name.partition(".")
        if re.fullmatch(rf"\d{{4}}-\d\d-\d\d|{UNDATED}", name) and what in Day._fields[1:]:
            with suppress(FileNotFoundError):  # just deleted by another process
                found.setdefault(name, {})[what] = path.stat().st_size
    return tuple(Day(name, **numbers) for name, numbers in sorted(found.items()))


def spent(club: Club, at: datetime | None, kind: LetterKind) -> bool:
    """Take one of the day's letters to strangers; if none is left, return False and tell the host once a day."""
    with _locked(club):
        day = _day(club, at)
        if getattr(day, kind) < club.strangers_a_day:
            _count(club, day, kind)
            return True
        left = _LEFT[kind]
        if not getattr(day, left) and club.strangers_a_day:
            # Before it is noted: the same letter twice is queued only once.
            club.put(_notice(club, day, kind))
        _count(club, day, left)
        return False


def count_spam(club: Club, at: datetime | None) -> None:
    """Count a message that is never answered."""
    with _locked(club):
        _count(club, _day(club, at), "spam")


def older_mails(club: Club) -> Older:
    """Return how many messages are older than the club, as the last run saw it; raises NotUnderstood."""
    path = _place(club)
    return build(Older, read(path, _FORMAT), path) if path.exists() else Older()


def is_news(club: Club, mailbox: str, mails: int) -> bool:
    """Note how many messages in a mailbox are older than the club; return whether the host must be told of more."""
    found = Older(mailbox, mails) if mails else Older()
    with files.locked(_place(club), wait=LONGEST_WAIT):
        before = older_mails(club)
        if before == found:
            return False
        write(_place(club), _FORMAT, found._asdict())
    return mails > (before.mails if before.mailbox == mailbox else 0)


def lines_of(days: tuple[Day, ...], older: Older) -> Iterator[str]:
    """Yield what ``status`` shows about strangers, in 72 columns."""
    if days:
        counts = ((day.letters, day.invitations, day.unanswered + day.uninvited, day.spam) for day in days)
        rows = tuple((day.day, *map(str, numbers)) for day, numbers in zip(days, counts, strict=True))
        day_column, *number_columns = _TITLES
        columns = (Column(day_column), *(Column(title, right=True) for title in number_columns))
        yield from ("", *text_lines((Grid(columns, rows),)))
    if older.mails:
        yield f"\n{older_text(older.mails)}"


def older_text(mails: int) -> str:
    """Return what the host is told about messages that are older than the club."""
    return plural(
        mails,
        "{n} message is older than the club and was left alone; pbem mail run CLUB --once --take-old processes it",
        "{n} messages are older than the club and were left alone; pbem mail run CLUB --once --take-old processes them",
    )


def _notice(club: Club, day: Day, kind: LetterKind) -> Letter:
    told = [_SPENT[kind].format(number=club.strangers_a_day)]
    if day.day != UNDATED:
        told = [_SPENT_ON[kind].format(day=day.day, number=club.strangers_a_day)]
    told.append(_UNTIL_TOMORROW[kind])
    if day.spam:
        told.append(
            plural(
                day.spam,
                "{n} more message was marked as spam or as forged, and got no answer either.",
                "{n} more messages were marked as spam or as forged, and got no answer either.",
            )
        )
    told.append("pbem mail status CLUB shows how many messages were left unanswered.")
    return notice(club.host, "Many messages from strangers", paragraphs(told))


_TITLES: Final = ("mail from strangers", "answered", "invited", "over the limit", "spam")
_SPENT: Final[dict[LetterKind, str]] = {
    "letters": "Letters to strangers have reached the limit for today: strangers_a_day = {number} in club.toml.",
    "invitations": "Letters to people who want to join a game have reached the limit for today: "
    "strangers_a_day = {number} in club.toml.",
}
_SPENT_ON: Final[dict[LetterKind, str]] = {
    "letters": "Letters to strangers have reached the limit for {day} (UTC): strangers_a_day = {number} in club.toml.",
    "invitations": "Letters to people who want to join a game have reached the limit for {day} (UTC): "
    "strangers_a_day = {number} in club.toml.",
}
_UNTIL_TOMORROW: Final[dict[LetterKind, str]] = {
    "letters": "No stranger gets an answer until the next day. Players still do, and requests to join a game have a "
    "limit of their own.",
    "invitations": "Nobody else is asked to confirm a request until the next day. If you are expecting a player, raise "
    "the limit and ask the player to write again.",
}


def _day(club: Club, at: datetime | None) -> Day:
    name = UNDATED if at is None else at.astimezone(UTC).date().isoformat()
    return next((day for day in days_of(club) if day.day == name), Day(name))


def _count(club: Club, day: Day, what: str) -> None:
    """Add one to a number of the day; on a new day, forget the oldest one."""
    if day == Day(day.day):
        for old in days_of(club)[: 1 - MOST_DAYS]:
            for path in _folder(club).glob(f"{old.day}.*"):
                path.unlink()
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW
    with os.fdopen(os.open(_folder(club) / f"{day.day}.{what}", flags, 0o600), "ab") as file:
        file.write(b".")


def _locked(club: Club) -> AbstractContextManager[None]:
    _folder(club).mkdir(mode=0o700, exist_ok=True)
    return files.locked(_folder(club) / UNDATED, wait=LONGEST_WAIT)


def _folder(club: Club) -> Path:
    return club.folder / "tally"


def _place(club: Club) -> Path:
    return club.folder / "older.toml"

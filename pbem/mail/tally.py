"""What came from strangers, in numbers: letters to them in a day, mails left unanswered, mails older than the club.

A day is that of the mail or of the run (UTC): nothing here looks at a clock. Each day has its own letters, so that
whoever has used them up today shuts nobody out tomorrow.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from pbem import files, formats
from pbem.errors import NotUnderstood
from pbem.mail import outbox
from pbem.mail.club import Club
from pbem.mail.ledger import LONGEST_WAIT
from pbem.mail.letters import notice, paragraphs
from pbem.mail.shapes import made, read

Kind = Literal["letters", "invitations"]

MOST_DAYS: Final = 7  # that are remembered
_FORMAT: Final = "pbem-tally/1"
_LEFT: Final[dict[Kind, str]] = {"letters": "unanswered", "invitations": "uninvited"}


class Day(NamedTuple):
    """What strangers have sent in a day (``2026-11-21``, "" if nobody said when), and were sent.

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


class Tally(NamedTuple):
    """The last days that brought anything, the newest one last."""

    days: tuple[Day, ...] = ()
    older: Older = Older()


def read_tally(club: Club) -> Tally:
    """Return the numbers of a club; raises NotUnderstood."""
    path = _place(club)
    if not path.exists():
        return Tally()
    data = read(path, _FORMAT)
    rows, older = data.get("days", []), data.get("older", {})
    if not isinstance(rows, list):
        raise NotUnderstood(f"{path} has no list of days", path=str(path), hint="it may be deleted")
    return Tally(tuple(made(Day, row, path) for row in rows), made(Older, older, path))


def spent(club: Club, at: datetime | None, kind: Kind) -> bool:
    """Take one of the day's letters to strangers; False if none is left, and the host is told so once a day."""
    with files.locked(_place(club), wait=LONGEST_WAIT):
        tally = read_tally(club)
        day = _day(tally, at)
        if getattr(day, kind) < club.strangers_a_day:
            _count(club, tally, day, kind)
            return True
        left = _LEFT[kind]
        if not getattr(day, left) and club.strangers_a_day:
            # Before it is noted: what is told twice lies in the outbox once.
            outbox.put(club, *_notice(club, day, kind))
        _count(club, tally, day, left)
        return False


def count_spam(club: Club, at: datetime | None) -> None:
    """Count a mail that is never answered."""
    with files.locked(_place(club), wait=LONGEST_WAIT):
        tally = read_tally(club)
        _count(club, tally, _day(tally, at), "spam")


def is_news(club: Club, mailbox: str, mails: int) -> bool:
    """Note how many mails in a mailbox are older than the club, and return whether the host must be told of some."""
    found = Older(mailbox, mails) if mails else Older()
    with files.locked(_place(club), wait=LONGEST_WAIT):
        tally = read_tally(club)
        if tally.older == found:
            return False
        _write(club, tally._replace(older=found))
        return mails > (tally.older.mails if tally.older.mailbox == mailbox else 0)


def lines_of(tally: Tally) -> Iterator[str]:
    """Yield what ``status`` says of strangers, in 72 columns."""
    if tally.days:
        yield "\nmail from strangers   answered  invited  over the limit  spam"
    for day in tally.days:
        over = day.unanswered + day.uninvited
        yield f"  {day.day or '-':18} {day.letters:9} {day.invitations:8} {over:15} {day.spam:5}"
    if tally.older.mails:
        yield f"\n{older_text(tally.older.mails)}"


def older_text(mails: int) -> str:
    """Return what the host is told of mails that are older than the club."""
    one = mails == 1
    some = "1 message is older than the club and stays" if one else f"{mails} messages are older than the club and stay"
    return f"{some} untouched; pbem mail run CLUB --once --take-old takes {'it' if one else 'them'}"


def data_of(tally: Tally) -> dict[str, Any]:
    """Return what ``status --json`` says of strangers."""
    return {"strangers": [day._asdict() for day in tally.days], "older": tally.older.mails}


def _notice(club: Club, day: Day, kind: Kind) -> tuple[str, bytes]:
    when = f"On {day.day} (UTC)" if day.day else "Today"
    told = [_SPENT[kind].format(when=when, number=club.strangers_a_day)]
    if day.spam:
        told.append(f"Besides, {day.spam} mails were marked as spam or as forged, and got no answer either.")
    told.append("pbem mail status CLUB shows how many mails were left unanswered.")
    return notice(club, club.host, "Many mails from strangers", paragraphs(told))


_SPENT: Final[dict[Kind, str]] = {
    "letters": "{when} strangers got {number} letters, the limit that strangers_a_day sets in club.toml. Until the "
    "next day no stranger gets an answer. Players do, and wishes to join a game have a limit of their own.",
    "invitations": "{when} {number} letters went to people who want to join a game, the limit that strangers_a_day "
    "sets in club.toml. Until the next day nobody else is asked to confirm. If you expect a player, raise the limit, "
    "and ask the player to write again.",
}


def _day(tally: Tally, at: datetime | None) -> Day:
    name = "" if at is None else at.astimezone(UTC).date().isoformat()
    return next((day for day in tally.days if day.day == name), Day(name))


def _count(club: Club, tally: Tally, day: Day, what: str) -> None:
    counted = day._replace(**{what: getattr(day, what) + 1})
    others = [each for each in tally.days if each.day != day.day]
    days = sorted((*others[-MOST_DAYS + 1 :], counted))
    _write(club, tally._replace(days=tuple(days)))


def _write(club: Club, tally: Tally) -> None:
    data: dict[str, Any] = {"format": _FORMAT, "days": [day._asdict() for day in tally.days]}
    if tally.older != Older():
        data["older"] = tally.older._asdict()
    files.replace(_place(club), formats.dump(data, "toml"), mode=0o600)


def _place(club: Club) -> Path:
    return club.folder / "tally.toml"

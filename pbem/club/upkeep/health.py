"""How a club is, as its last run has left it: since when all is well, and what was the last thing that went well.

A monitor reads it in ``status --json``. It is written after each run, whether or not anything has happened.
"""

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final, NamedTuple

from pbem import files
from pbem.club.carrier import Club
from pbem.club.clock_data import club_ticks
from pbem.club.folder import names_of
from pbem.club.toml_rows import build, read, row_of, write
from pbem.club.transaction import LONGEST_WAIT
from pbem.errors import PbemError
from pbem.table.clock import instant, timestamp
from pbem.table.times import shown

_FORMAT: Final = "pbem-health/1"
LATEST_TICK: Final = timedelta(hours=2)  # after which reminders come too late
_MOST: Final = 5  # troubles that are kept


class Health(NamedTuple):
    """The times of the last successful look for messages and of the last time that letters went out, "" for never.

    *since* is when it began to be as it is: well, or with *troubles*, a line each.
    """

    looked: str = ""
    sent: str = ""
    since: str = ""
    troubles: str = ""


def health_of(club: Club) -> Health:
    """Return how the club is; nothing is known of a file that is lost or damaged."""
    path = _place(club.folder)
    with suppress(PbemError):
        return build(Health, read(path, _FORMAT), path)
    return Health()


def note_health(club: Club, at: datetime, troubles: list[str], *, looked: bool, sent: bool) -> None:
    """Record a run at that time, if that can be written: a full disk is among the troubles already.

    It has *looked* for all messages, has *sent* letters, or has met with *troubles*.
    """
    path, now = _place(club.folder), timestamp(at)
    with suppress(PbemError), files.locked(path, wait=LONGEST_WAIT):
        before = health_of(club)
        goes_on = before.since and bool(before.troubles) == bool(troubles)
        after = Health(
            now if looked else before.looked,
            now if sent else before.sent,
            before.since if goes_on else now,
            "\n".join(troubles[:_MOST]),
        )
        write(path, _FORMAT, row_of(after))


def health_row(club: Club, now: datetime | None = None) -> dict[str, Any]:
    """Return the health as ``status --json`` has it; ``well`` is None if nothing is known before the first run.

    At a time *now*, if there is one, a club that nothing has run lately is not well.
    """
    health, ticked = health_of(club), club_ticks(club.folder).last
    troubles = [*health.troubles.splitlines(), *(_standstill(club, health, now) if now else ())]
    return {
        "well": not troubles if health.since or troubles else None,
        "since": health.since or None,
        "looked": health.looked or None,
        "ticked": timestamp(ticked) if ticked else None,
        "sent": health.sent or None,
        "troubles": troubles,
    }


def _standstill(club: Club, health: Health, now: datetime) -> Iterator[str]:
    """Yield what stands still in a club that nothing has run lately, or never though it is to send letters."""
    ticked, late = club_ticks(club.folder).last, now - LATEST_TICK
    if ticked is not None and ticked >= late:  # where a server pipes mail in, only the clock is run, as by cron
        return
    if names_of(club) and (ticked or club.travels):
        since = f"has not ticked since {shown(ticked, club.zone, now)}" if ticked else "has never ticked"
        yield f"the clock {since}: nobody is reminded"
    if health.looked and instant(health.looked) < late:
        yield f"nothing has looked for messages since {shown(instant(health.looked), club.zone, now)}"


def health_line(club: Club, now: datetime | None = None) -> str:
    """Return what ``status`` says of a club that is not well, by the same rule as ``health_row``, or else ""."""
    health, lines = health_of(club), list[str]()
    if health.troubles:
        since = shown(instant(health.since), club.zone, now)
        lines.append(f"something has been wrong since {since}: {health.troubles.splitlines()[0]}")
    lines += _standstill(club, health, now) if now else ()
    return "\n".join(("", *lines, f"{club.command} doctor CLUB says what to do")) if lines else ""


def _place(folder: Path) -> Path:
    return folder / "health.toml"

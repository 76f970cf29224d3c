"""Who is waited for in every game of a club, since when, and until when, as the last tick has seen it."""

from collections.abc import Iterator, Sequence
from datetime import datetime, tzinfo
from typing import Any, Final

from pbem.club import table as clubs
from pbem.club.clock import due_at, instant, timestamp
from pbem.club.deadlines import timed
from pbem.club.journal import journal_rows
from pbem.club.settings import Club
from pbem.club.table import UNTIL_BACK, Roster, Table
from pbem.club.times import in_table, last_day, shown, zone_of
from pbem.club.unreachable import unreachable
from pbem.errors import PbemError
from pbem.page.text import wrapped

_STAGES: Final = {"warned": "warned", "held": "time is up, held back", "told": "time is up, the host was told"}


def rows_of(club: Club, at: datetime | None = None) -> Iterator[dict[str, Any]]:
    """Yield for every game who is asked, since when, until when, as the last tick has seen it.

    ``game``, ``turn``, ``colour`` and ``name`` ("" for nobody), ``since`` and ``due`` (None where no tick has
    seen it or no time runs), ``unreachable`` for those whose letters came back, ``notes``, and ``error`` where the
    game is not sound. At a time *at* it is said how long the last tick is ago if that is longer than it should be.
    """
    for table in clubs.tables(club):
        row: dict[str, Any] = {"game": table.name, "turn": None, "colour": "", "name": "", "since": None, "due": None}
        row |= {"unreachable": [], "notes": [], "error": ""}
        try:
            roster = clubs.read_roster(table)
            found = unreachable(roster, journal_rows(table.journal))
            row["unreachable"] = [{"colour": p.colour, "name": p.name, "address": p.reader} for p in found]
            row |= _row(table, roster, at, club.zone)
            row["notes"] += [f"letters to {p.name} ({p.colour}) come back: {p.reader}" for p in found]
        except PbemError as error:
            row["error"] = error.message
        yield row


def _row(table: Table, roster: Roster, at: datetime | None, zone: tzinfo) -> dict[str, Any]:
    game = timed(table, zone)
    if game is None:
        assert roster.opening is not None
        return {"notes": [f"waits for players, {len(roster.players)} of {roster.opening.seats} are there"]}
    now, asked = game.now, game.clock.question
    row: dict[str, Any] = {"turn": now.turn, "colour": now.colour, "name": dict(game.names).get(now.colour, "")}
    if not now.colour:
        return row | {"notes": ["over"]}
    player = roster.player(now.colour)
    assert player is not None
    notes = [f"paused: {roster.paused}"] if roster.paused else []
    if player.absent:
        until = "away" if player.absent == UNTIL_BACK else f"away until {last_day(player.absent, zone)}"
        stands_in = " ".join(filter(None, (player.substitute_name, player.substitute)))
        notes.append(f"{until}; {stands_in} stands in" if stands_in else until)
    if asked is None or not now.is_asked(asked):
        return row | {"notes": [*notes, "not seen by a tick yet"]}
    last = game.clock.last
    if at is not None and last is not None and at - last > game.terms.outage:
        notes.append(f"no tick since {shown(last, zone)}")
    still = bool(roster.paused or (player.absent and not player.substitute))
    due = due_at(game.terms, game.clock)
    if asked.stage in _STAGES:
        notes.append(_STAGES[asked.stage])
    return row | {
        "since": timestamp(asked.since),
        "due": None if still or due is None else timestamp(due),
        "notes": notes,
    }


def table_lines(rows: Sequence[dict[str, Any]], timezone: str = "UTC") -> Iterator[str]:
    """Yield the table of ``status`` in 72 columns, its times in that zone."""
    yield f"{'game':16} {'turn':>4} {'waits for':16} {'since':16} due{' (UTC)' if timezone == 'UTC' else ''}"
    for row in rows:
        turn = "" if row["turn"] is None else row["turn"]
        since, due = (in_table(instant(row[key]), zone_of(timezone)) if row[key] else "-" for key in ("since", "due"))
        yield f"{row['game']:16} {turn:>4} {row['name'][:16] or '-':16} {since:16} {due}".rstrip()
        for note in (*row["notes"], *([row["error"]] if row["error"] else [])):
            yield from wrapped(note, " " * 17, " " * 17)
    if timezone != "UTC":  # some names are too long to stand above a column
        yield f"\nTimes are in the time zone {timezone}."


def letter_lines(rows: Sequence[dict[str, Any]], timezone: str = "UTC") -> Iterator[str]:
    """Yield what ``status`` says of letters that do not go out."""
    for title, refused in (("waits in the outbox", False), ("was refused, and lies in outbox/.failed", True)):
        found = [row for row in rows if row["refused"] is refused]
        if found:
            yield f"\n{title}:"
        for row in found:
            since = f", since {shown(instant(row['since']), zone_of(timezone))}" if row["since"] else ""
            yield f"  {row['to'] or 'nobody'}{since}: {row['name']}"

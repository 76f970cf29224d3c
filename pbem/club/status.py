"""The status of every game of a club: who must decide, since when and until when, as of the last tick."""

from collections.abc import Iterator, Sequence
from datetime import datetime, tzinfo
from typing import Any, Final

from pbem.club import table as clubs
from pbem.club.clock import due_at, instant, timestamp
from pbem.club.deadlines import timed
from pbem.club.journal import journal_rows
from pbem.club.settings import Club
from pbem.club.table import BOT, UNTIL_BACK, Player, Roster, Table
from pbem.club.times import in_table, last_day, shown, zone_of
from pbem.club.unreachable import unreachable
from pbem.errors import PbemError
from pbem.page.text import WIDTH, columns, padded, wrapped

_STAGES: Final = {"warned": "warned", "held": "time is up; held back", "told": "time is up; the host has been told"}
_GAP: Final = "  "


def rows_of(club: Club, at: datetime | None = None) -> Iterator[dict[str, Any]]:
    """Yield for every game who must decide, since when and until when, as of the last tick.

    ``game``, ``turn``, ``colour`` and ``name`` ("" for nobody), ``since`` and ``due`` (None if no tick has seen
    the question or no time is running), ``unreachable`` for players whose letters bounce, ``notes``, and ``error`` if
    the game is damaged. With a time *at*, a note says so if the last tick was longer ago than it should be.
    """
    for table in clubs.tables(club):
        row: dict[str, Any] = {"game": table.name, "turn": None, "colour": "", "name": "", "since": None, "due": None}
        row |= {"unreachable": [], "notes": [], "error": ""}
        try:
            roster = clubs.read_roster(table)
            found = unreachable(roster, journal_rows(table.journal))
            row["unreachable"] = [{"colour": p.colour, "name": p.name, "address": p.reader} for p in found]
            row |= _row(table, roster, at, club.zone)
            row["notes"] += [f"letters to {p.name} ({p.colour}) bounce: {p.reader}" for p in found]
        except PbemError as error:
            row["error"] = error.message
        yield row


def _row(table: Table, roster: Roster, at: datetime | None, zone: tzinfo) -> dict[str, Any]:
    game = timed(table, zone)
    if game is None:
        assert roster.opening is not None
        return {"notes": [f"waiting for players: {len(roster.players)} of {roster.opening.seats} seats are taken"]}
    now, asked = game.now, game.clock.question
    row: dict[str, Any] = {"turn": now.turn, "colour": now.colour, "name": dict(game.names).get(now.colour, "")}
    if not now.colour:
        return row | {"notes": ["the game is over"]}
    player = roster.player(now.colour)
    assert player is not None
    notes = [f"paused: {roster.paused}"] if roster.paused else []
    if player.absent:
        notes.append(_absence(player, zone))
    if asked is None or not now.is_asked(asked):
        return row | {"notes": [*notes, "no tick has seen this question yet"]}
    last = game.clock.last
    if at is not None and last is not None and at - last > game.terms.outage:
        notes.append(f"no tick since {shown(last, zone)}")
    still = bool(roster.paused or (player.absent and not roster.stands_in(player)))
    due = due_at(game.terms, game.clock)
    if asked.stage in _STAGES:
        notes.append(_STAGES[asked.stage])
    return row | {
        "since": timestamp(asked.since),
        "due": None if still or due is None else timestamp(due),
        "notes": notes,
    }


def _absence(player: Player, zone: tzinfo) -> str:
    """Return the note about a player who is away."""
    substitute = " ".join(filter(None, (player.substitute_name, player.substitute)))
    substitute = player.deputy_name if player.deputy == BOT else substitute
    if player.absent == UNTIL_BACK:
        return f"away; {substitute} stands in" if substitute else "away"
    day = last_day(player.absent, zone)
    return f"away until {day}; {substitute} stands in" if substitute else f"away until {day}"


def table_lines(rows: Sequence[dict[str, Any]], timezone: str = "UTC") -> Iterator[str]:
    """Yield the table of ``status`` in 72 columns, its times in that zone."""
    titles = ("game", "turn", "waiting for", "since", "due (UTC)" if timezone == "UTC" else "due")
    cells = [_cells(row, zone_of(timezone)) for row in rows]
    widths = [max(map(columns, column)) for column in zip(titles, *cells, strict=True)]
    game, turn, name, since, due = widths
    name = min(name, WIDTH - game - turn - since - due - 4 * len(_GAP))  # a row with a longer one is wrapped
    indent = " " * game + _GAP
    for row, (first, number, *others) in zip(({}, *rows), (titles, *cells), strict=True):
        shown = (padded(first, game), f"{number:>{turn}}", *map(padded, others, (name, since, 0)))
        line = _GAP.join(shown).rstrip()
        yield from (line,) if columns(line) <= WIDTH else wrapped(" ".join(line.split()), "", indent)
        for note in filter(None, (*row.get("notes", ()), row.get("error"))):
            yield from wrapped(note, indent, indent)
    if timezone != "UTC":  # some names are too long for the title of a column
        yield f"\nTimes are in the time zone {timezone}."


def _cells(row: dict[str, Any], zone: tzinfo) -> tuple[str, ...]:
    turn = "" if row["turn"] is None else str(row["turn"])
    since, due = (in_table(instant(row[key]), zone) if row[key] else "-" for key in ("since", "due"))
    return row["game"], turn, row["name"] or "-", since, due


def letter_lines(rows: Sequence[dict[str, Any]], timezone: str = "UTC") -> Iterator[str]:
    """Yield what ``status`` shows about letters that were not delivered."""
    for title, refused in (("queued in the outbox", False), ("rejected and moved to outbox/.failed", True)):
        found = [row for row in rows if row["refused"] is refused]
        if found:
            yield f"\n{title}:"
        for row in found:
            to, name = row["to"] or "nobody", row["name"]
            if row["since"]:
                yield f"  {to}, since {shown(instant(row['since']), zone_of(timezone))}: {name}"
            else:
                yield f"  {to}: {name}"

"""The status of every game of a club: the players who are asked, since when and until when, as of the last tick."""

from collections.abc import Iterator, Sequence
from datetime import datetime, tzinfo
from typing import Any, Final

from pbem.club import table as clubs
from pbem.club.clock import Awaited, due_at, instant, time_to_look, timestamp
from pbem.club.deadlines import Timed, timed
from pbem.club.journal import journal_rows
from pbem.club.settings import Club
from pbem.club.table import BOT, UNTIL_BACK, Player, Roster, Table
from pbem.club.times import in_table, last_day, shown, zone_of
from pbem.club.unreachable import unreachable
from pbem.errors import PbemError
from pbem.grammar import in_words
from pbem.page.text import WIDTH, columns, padded, wrapped

_STAGES: Final = {"warned": "warned", "held": "time is up; held back", "told": "time is up; the host has been told"}
_GAP: Final = "  "
_NOBODY: Final[dict[str, Any]] = {"colour": "", "name": "", "since": None, "due": None}


def rows_of(club: Club, at: datetime | None = None) -> Iterator[dict[str, Any]]:
    """Yield for every game who is asked and has not answered, since when and until when, as of the last tick.

    ``game``, ``turn``, and ``asked``: for each of them, the one whose turn it is first, ``colour``, ``name``, ``since``
    and ``due`` (None if no tick has seen the question or no time is running), and ``notes``. The first of them is also
    ``colour``, ``name`` ("" for nobody), ``since`` and ``due`` of the row. ``unreachable`` for players whose letters
    bounce, ``notes`` about the game, or about the only player who is asked, and ``error`` if the game is damaged. With
    a time *at*, a note says so if the last tick was longer ago than it should be.
    """
    for table in clubs.tables(club):
        row: dict[str, Any] = {"game": table.name, "turn": None, **_NOBODY, "asked": []}
        row |= {"unreachable": [], "notes": [], "error": ""}
        try:
            roster = clubs.read_roster(table)
            found = unreachable(roster, journal_rows(table.journal))
            row["unreachable"] = [{"colour": p.colour, "name": p.name, "address": p.reader} for p in found]
            row |= _row(club, table, roster, at)
            row["notes"] += [f"letters to {p.name} ({p.colour}) bounce: {p.reader}" for p in found]
        except PbemError as error:
            row["error"] = error.message
        yield row


def _row(club: Club, table: Table, roster: Roster, at: datetime | None) -> dict[str, Any]:
    game = timed(club, table)
    if game is None:
        assert roster.opening is not None
        return {"notes": [f"waiting for players: {len(roster.players)} of {roster.opening.seats} seats are taken"]}
    if game.is_over:
        return {"turn": game.turn, "notes": ["the game is over"]}
    asked = [_asked(game, roster, each, club.zone) for each in game.now.awaited]
    first = {key: asked[0][key] for key in _NOBODY} if asked else {}
    notes = [f"paused: {roster.paused}"] if roster.paused else []
    notes += asked[0]["notes"] if len(asked) == 1 else []
    last = game.clock.last
    if at is not None and last is not None and at - last > game.terms.outage and any(each["since"] for each in asked):
        notes.append(f"no tick since {shown(last, club.zone)}")
    look = time_to_look(game.terms, game.clock, game.now.market)
    if isinstance(look, datetime):
        notes.append(f"plans wait until {shown(look, club.zone)}")
    elif look is not None:
        notes.append(f"plans wait for {in_words(look)} from the next tick on")
    return {"turn": game.turn, **first, "asked": asked, "notes": notes}


def _asked(game: Timed, roster: Roster, asked: Awaited, zone: tzinfo) -> dict[str, Any]:
    """Return since when and until when a player is asked."""
    player, question = roster.player(asked.colour), game.clock.question_of(asked)
    assert player is not None
    row: dict[str, Any] = {"colour": player.colour, "name": player.name, "since": None, "due": None}
    notes = [_absence(player, zone)] if player.absent else []
    if question is None:
        return row | {"notes": [*notes, "no tick has seen this question yet"]}
    still = bool(roster.paused or (player.absent and not roster.stands_in(player)))
    due = due_at(game.terms, game.clock, question)
    if question.stage in _STAGES:
        notes.append(_STAGES[question.stage])
    return row | {
        "since": timestamp(question.since),
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
    lines = [line for row in rows for line in _lines(row, zone_of(timezone))]
    widths = [max(map(columns, column)) for column in zip(titles, *(cells for cells, _ in lines), strict=True)]
    game, turn, name, since, due = widths
    name = min(name, WIDTH - game - turn - since - due - 4 * len(_GAP))  # a row with a longer one is wrapped
    indent = " " * game + _GAP
    for (first, number, *others), notes in ((titles, ()), *lines):
        shown = (padded(first, game), f"{number:>{turn}}", *map(padded, others, (name, since, 0)))
        line = _GAP.join(shown).rstrip()
        yield from (
            (line,) if columns(line) <= WIDTH else wrapped(" ".join(line.split()), "" if first else indent, indent)
        )
        for note in notes:
            yield from wrapped(note, indent, indent)
    if timezone != "UTC":  # some names are too long for the title of a column
        yield f"\nTimes are in the time zone {timezone}."


def _lines(row: dict[str, Any], zone: tzinfo) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Yield the cells and the notes of a game's lines: one for each player who is asked, at least one."""
    about = tuple(filter(None, (*row.get("notes", ()), row.get("error"))))
    turn = "" if row["turn"] is None else str(row["turn"])
    first, *others = row["asked"] if len(row["asked"]) > 1 else (row | {"notes": ()},)
    yield (row["game"], turn, *_cells(first, zone)), (*first["notes"], *(() if others else about))
    for each in others:
        yield ("", "", *_cells(each, zone)), (*each["notes"], *(about if each is others[-1] else ()))


def _cells(asked: dict[str, Any], zone: tzinfo) -> tuple[str, ...]:
    since, due = (in_table(instant(asked[key]), zone) if asked[key] else "-" for key in ("since", "due"))
    return asked["name"] or "-", since, due


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

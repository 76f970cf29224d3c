"""The status of every game of a club: the players who are asked, since when and until when, as of the last tick."""

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, tzinfo
from typing import Any, Final

from pbem import loading
from pbem.club.carrier import Club
from pbem.club.clock_data import club_ticks
from pbem.club.folder import GameFolder, read_roster
from pbem.club.index import GameIndex, index_of
from pbem.club.journal import journal_rows
from pbem.club.rows import broken_row, row_of_game, with_outage
from pbem.errors import PbemError
from pbem.page.text import WIDTH, columns, padded, wrapped
from pbem.table.clock import instant
from pbem.table.costs import counted, of_a_game
from pbem.table.times import in_table, shown, zone_of

_GAP: Final = "  "


def rows_of(club: Club, at: datetime | None = None) -> Iterator[dict[str, Any]]:
    """Yield for every game who is asked and has not answered, since when and until when, as of the last tick.

    ``game``, ``turn``, and ``asked``: for each of them, the one whose turn it is first, ``colour``, ``name``, ``since``
    and ``due`` (None if no tick has seen the question or no time is running), and ``notes``. The first of them is also
    ``colour``, ``name`` ("" for nobody), ``since`` and ``due`` of the row. ``unreachable`` for players whose letters
    bounce, ``notes`` about the game, or about the only player who is asked, and ``error`` if the game is damaged. With
    a time *at*, a note says so if the last tick was longer ago than it should be.
    """
    ticks = club_ticks(club.folder)
    with index_of(club) as index:
        for name, entry in index.entries():
            last = ticks.reached(name)
            if entry is not None and entry.row and last is not None:
                row: dict[str, Any] = json.loads(entry.row)
            else:
                row, last = _read(index, GameFolder(club.games / name))
            yield with_outage(club, row, last, at)


def unreadable(club: Club) -> Iterator[PbemError]:
    """Yield what is wrong with each game that cannot be read, such as a file that is lost."""
    with index_of(club) as index:
        for name, entry in index.entries():
            try:
                if entry is None:
                    index.read(GameFolder(club.games / name))
            except PbemError as error:
                yield error


def _read(index: GameIndex, folder: GameFolder) -> tuple[dict[str, Any], datetime | None]:
    """Return the row of a game and its last tick, from its files."""
    try:
        _, table = index.read(folder)
        row = row_of_game(index.club, folder, read_roster(folder), table)
    except PbemError as error:
        return broken_row(folder, error), None
    return row, table.clock.last if table is not None else None


def table_lines(rows: Iterable[dict[str, Any]], timezone: str = "UTC", now: datetime | None = None) -> Iterator[str]:
    """Yield the table of ``status`` in 72 columns, its times in that zone; years count from *now* or the question."""
    titles = ("game", "turn", "waiting for", "since", "due (UTC)" if timezone == "UTC" else "due")
    lines = [line for row in rows for line in _lines(row, zone_of(timezone), now)]
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


def _lines(
    row: dict[str, Any], zone: tzinfo, now: datetime | None
) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Yield the cells and the notes of a game's lines: one for each player who is asked, at least one."""
    about = tuple(filter(None, (*row.get("notes", ()), row.get("error"))))
    turn = "" if row["turn"] is None else str(row["turn"])
    first, *others = row["asked"] if len(row["asked"]) > 1 else (row | {"notes": ()},)
    yield (row["game"], turn, *_cells(first, zone, now)), (*first["notes"], *(() if others else about))
    for each in others:
        yield ("", "", *_cells(each, zone, now)), (*each["notes"], *(about if each is others[-1] else ()))


def _cells(asked: dict[str, Any], zone: tzinfo, now: datetime | None) -> tuple[str, ...]:
    since, due = (instant(asked[key]) if asked[key] else None for key in ("since", "due"))
    times = (in_table(time, zone, now or since) if time else "-" for time in (since, due))
    return asked["name"] or "-", *times


def letter_lines(rows: Sequence[dict[str, Any]], timezone: str = "UTC", now: datetime | None = None) -> Iterator[str]:
    """Yield what ``status`` shows about letters that were not delivered."""
    for title, refused in (("queued in the outbox", False), ("rejected and moved to outbox/.failed", True)):
        found = [row for row in rows if row["refused"] is refused]
        if found:
            yield f"\n{title}:"
        for row in found:
            to, name = row["to"] or "nobody", row["name"]
            if row["since"]:
                yield f"  {to}, since {shown(instant(row['since']), zone_of(timezone), now)}: {name}"
            else:
                yield f"  {to}: {name}"


def with_counts(club: Club, rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Add the ``stats`` of each game to its row of the status; return what the status says about them, in 72 columns.

    A game that has not begun, or cannot be read, has none.
    """
    texts: list[str] = []
    for row in rows:
        folder = GameFolder(club.games / row["game"])
        if row["turn"] is None or row["error"]:
            continue
        record, roster = loading.load(folder.game).record, read_roster(folder)
        counts = counted(roster, record, journal_rows(folder.journal))
        row["stats"] = counts._asdict() | {"each": round(counts.each, 2)}
        texts += wrapped(of_a_game(folder.name, counts), "", "  ")
    return iter(("", *texts) if texts else ())

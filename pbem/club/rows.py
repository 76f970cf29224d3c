"""The row of a game in the status: the players who are asked, since when, and until when."""

from contextlib import suppress
from datetime import datetime, tzinfo
from typing import Any, Final

from pbem.club.carrier import Club
from pbem.club.folder import GameFolder, read_roster
from pbem.club.journal import journal_rows, unreachable
from pbem.errors import PbemError
from pbem.grammar import in_words, listed
from pbem.table.clock import Awaited, Terms, due_at, time_to_look, timestamp
from pbem.table.people import BOT, UNTIL_BACK, Player, Roster
from pbem.table.table import Table
from pbem.table.times import last_day, shown

_STAGES: Final = {"warned": "warned", "held": "time is up; held back", "told": "time is up; the host has been told"}
_NOBODY: Final[dict[str, Any]] = {"colour": "", "name": "", "since": None, "due": None}


def broken_row(folder: GameFolder, error: PbemError) -> dict[str, Any]:
    """Return the row of a game that cannot be read."""
    row = _empty_row(folder.name) | {"error": error.message}
    with suppress(PbemError, OSError):
        row["unreachable"] = _unreachable(folder, read_roster(folder))
    return row


def _empty_row(game: str) -> dict[str, Any]:
    return {"game": game, "turn": None, **_NOBODY, "asked": [], "unreachable": [], "notes": [], "error": ""}


def _unreachable(folder: GameFolder, roster: Roster) -> list[dict[str, Any]]:
    found = unreachable(roster, journal_rows(folder.journal))
    return [{"colour": p.colour, "name": p.name, "address": p.reader} for p in found]


def row_of_game(club: Club, folder: GameFolder, roster: Roster, table: Table | None) -> dict[str, Any]:
    """Return the row of a game that has begun, or of one that waits for players, whatever the last tick was.

    What ``with_outage`` needs is in its ``place`` and ``outage``. Raises PbemError.
    """
    row = _empty_row(folder.name) | {"unreachable": _unreachable(folder, roster)} | _about(club, roster, table)
    row["notes"] += [
        f"letters to {each['name']} ({each['colour']}) bounce: {each['address']}" for each in row["unreachable"]
    ]
    return row


def with_outage(club: Club, row: dict[str, Any], last: datetime | None, at: datetime | None) -> dict[str, Any]:
    """Return the row as it is shown at a time *at*, if that is known: a note says if the *last* tick was long before.

    *last* is the last tick that has reached the game.
    """
    place, outage = row.pop("place", None), row.pop("outage", 0)
    if at is None or last is None or place is None or (at - last).total_seconds() <= outage:
        return row
    if any(each["since"] for each in row["asked"]):
        row["notes"].insert(place, f"no tick since {shown(last, club.zone, at)}")
    return row


def _about(club: Club, roster: Roster, table: Table | None) -> dict[str, Any]:
    if table is None:
        assert roster.opening is not None
        return {"notes": [f"waiting for players: {len(roster.players)} of {roster.opening.seats} seats are taken"]}
    turn = table.kept.turn
    if not table.decides:
        return {"turn": turn, "notes": ["the game is over"]}
    now, terms = table.situation, table.terms or Terms()
    asked = [_asked(table, terms, each, club.zone) for each in now.awaited]
    first = {key: asked[0][key] for key in _NOBODY} if asked else {}
    notes = [f"paused: {roster.paused}"] if roster.paused else []
    notes += asked[0]["notes"] if len(asked) == 1 else []
    place = len(notes)
    look = time_to_look(terms, table.clock, now.market)
    if isinstance(look, datetime):
        notes.append(f"plans wait until {shown(look, club.zone, table.clock.last)}")
    elif look is not None:
        notes.append(f"plans wait for {in_words(look)} from the next tick on")
    if (motion := table.open_motion) is not None:
        asks, others = f"{table.names[motion.by]} asks to {motion.matter}", table.missing(motion)
        notes.append(f"{asks}; {listed(each.name for each in others)} must still agree" if others else asks)
    outage = int(terms.outage.total_seconds())
    return {"turn": turn, **first, "asked": asked, "notes": notes, "place": place, "outage": outage}


def _asked(table: Table, terms: Terms, asked: Awaited, zone: tzinfo) -> dict[str, Any]:
    """Return since when and until when a player is asked."""
    roster, clock = table.roster, table.clock
    player, question = roster.player(asked.colour), clock.question_of(asked)
    assert player is not None
    row: dict[str, Any] = {"colour": player.colour, "name": player.name, "since": None, "due": None}
    notes = [_absence(player, zone, clock.last)] if player.absent else []
    if question is None:
        return row | {"notes": [*notes, "no tick has seen this question yet"]}
    due = due_at(terms, clock, question, table.situation)
    if question.stage in _STAGES:
        notes.append(_STAGES[question.stage])
    return row | {
        "since": timestamp(question.since),
        "due": None if due is None else timestamp(due),
        "notes": notes,
    }


def _absence(player: Player, zone: tzinfo, now: datetime | None) -> str:
    """Return the note about a player who is away."""
    substitute = " ".join(filter(None, (player.substitute_name, player.substitute)))
    substitute = player.deputy_name if player.deputy == BOT else substitute
    if player.absent == UNTIL_BACK:
        return f"away; {substitute} stands in" if substitute else "away"
    day = last_day(player.absent, zone, now)
    return f"away until {day}; {substitute} stands in" if substitute else f"away until {day}"

"""A game as a tick finds it: its clock, its players, and who is asked."""

from typing import NamedTuple

from pbem import loading
from pbem.club.clock_data import as_ticked, kept_clock
from pbem.club.folder import GameFolder, check_seats, read_roster
from pbem.club.settings import Club
from pbem.club.store import beside, read_intents
from pbem.table.clock import Clock, Situation, Terms
from pbem.table.table import Table
from pbem.table.ticks import situation


class Timed(NamedTuple):
    """A game, its clock and its players, as a tick finds them.

    *kept* is the clock as it is in its file, and *stamp* how all files looked before they were read, if that is known.
    """

    table: GameFolder
    terms: Terms
    clock: Clock
    now: Situation
    names: tuple[tuple[str, str], ...]
    turn: int = 0
    is_over: bool = False
    kept: Clock = Clock()
    stamp: bytes = b""


def timed(club: Club, folder: GameFolder) -> Timed | None:
    """Return a game as a tick finds it, None if it is waiting for players; raises PbemError if it is damaged."""
    roster = read_roster(folder)
    if not folder.game.exists():
        return None
    terms, kept = kept_clock(folder)
    clock = as_ticked(folder, kept)
    record = loading.load(folder.game).record
    check_seats(folder, roster, record)
    said = read_intents(folder, record)
    table = Table(club, beside(club, folder, record), roster, record, said, terms=terms, clock=clock)
    names = tuple((player.colour, player.name) for player in roster.players)
    return Timed(folder, terms, clock, situation(table), names, record.turn, not table.decides, kept)

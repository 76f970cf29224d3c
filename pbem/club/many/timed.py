"""A game as a tick finds it: its clock, its players, and who is asked."""

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

from pbem import loading
from pbem.ahead.intents import Intent, is_ready
from pbem.club import table as clubs
from pbem.club.ahead.asking import asking
from pbem.club.ahead.due import awaited
from pbem.club.ahead.kept import bot_seats, bots_of, in_force, read_intents
from pbem.club.clock import Clock, Situation, Terms, away_until, time_to_look
from pbem.club.clock_files import UntilLooked, as_ticked, kept_clock
from pbem.club.settings import Club
from pbem.club.table import Roster, Table
from pbem.club.writing.letters import decides
from pbem.first_sparks.plans.plan import renewed_market
from pbem.first_sparks.record import Record


class Timed(NamedTuple):
    """A game, its clock and its players, as a tick finds them.

    *kept* is the clock as it is in its file, and *stamp* how all files looked before they were read, if that is known.
    """

    table: Table
    terms: Terms
    clock: Clock
    now: Situation
    names: tuple[tuple[str, str], ...]
    turn: int = 0
    is_over: bool = False
    kept: Clock = Clock()
    stamp: bytes = b""


def timed(club: Club, table: Table) -> Timed | None:
    """Return a game as a tick finds it, None if it is waiting for players; raises PbemError if it is damaged."""
    roster = clubs.read_roster(table)
    if not table.game.exists():
        return None
    terms, kept = kept_clock(table)
    clock = as_ticked(table, kept)
    record = loading.load(table.game).record
    clubs.check_seats(table, roster, record)
    now = situation(club, roster, record, read_intents(table, record), partial(time_to_look, terms, clock))
    names = tuple((player.colour, player.name) for player in roster.players)
    return Timed(table, terms, clock, now, names, record.turn, not decides(record), kept)


def now_in(club: Club, table: Table, until: UntilLooked) -> Situation:
    """Return what a tick needs to know of a game as its files have it now."""
    roster, record = clubs.read_roster(table), loading.load(table.game).record
    clubs.check_seats(table, roster, record)
    return situation(club, roster, record, read_intents(table, record), until)


def situation(club: Club, roster: Roster, record: Record, kept: Mapping[str, Intent], until: UntilLooked) -> Situation:
    """Return what a tick needs to know of a game in which plans wait *until* then."""
    said, bots, paused = in_force(kept, roster), bot_seats(roster), bool(roster.paused)
    asked = asking(record, said, bots, waves=club.waves, waits=until, paused=paused).asked
    return Situation(
        tuple(awaited(record, colour, waves=club.waves) for colour in asked),
        tuple((player.colour, away_until(player.absent, zone=club.zone)) for player in roster.players if player.absent),
        frozenset(player.colour for player in roster.players if roster.stands_in(player)),
        frozenset(player.colour for player in roster.players if roster.can_have_bot(player)),
        paused,
        renewed_market(record.state),
        is_ready(record, said, bots_of(roster)),
    )

"""How a game goes on after a change that is not an order: a player is back, a pause is over, plans may answer again."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from pbem import secrets
from pbem.ahead.intents import Intent, as_read_by, outcome
from pbem.club import cache as memory
from pbem.club.ahead.course import Changed, carried_on, reported
from pbem.club.ahead.kept import kept_intents, read_intents
from pbem.club.clock_files import UntilLooked, until_looked
from pbem.club.journal import journal_rows
from pbem.club.settings import Club
from pbem.club.table import Player, Roster, Table, read_roster
from pbem.club.transaction import Change, write
from pbem.club.writing.ending import published
from pbem.club.writing.headlines import Headline, headline
from pbem.club.writing.letter import Letter
from pbem.club.writing.letters import Desk, desk_of, letter, paragraphs
from pbem.club.writing.receipts import hears, of_a_stop, sees_new_market
from pbem.errors import PbemError
from pbem.first_sparks.record import Record
from pbem.loading import GameFile
from pbem.page.glue import glued
from pbem.page.page import Sections

CARRIED_ON: Final = "carried on"  # the code of a row of the journal
_RESTS: Final = f"{glued('Your plan')} rests while {{substitute}} stands in, who cannot see it."
_COUNTS: Final = f"{glued('Your plan')} counts again."


class Going(NamedTuple):
    """A game that has gone on, from its file *before* to *game*: its *course*, and the *desk* for letters about it.

    *said* is what had been said ahead before.
    """

    before: GameFile
    game: GameFile
    desk: Desk
    course: Changed
    said: Mapping[str, Intent]

    @property
    def is_moved(self) -> bool:
        """Whether anything was played."""
        return self.game.record.head != self.before.record.head


def gone_on(
    club: Club,
    table: Table,
    roster: Roster,
    game: GameFile,
    said: Mapping[str, Intent],
    rows: Sequence[dict[str, Any]],
    *,
    reads: Collection[str] = (),
    until: UntilLooked | None = None,
) -> Going:
    """Return how a game goes on with that roster; somebody else *reads* the letters to those colours from now on.

    Plans wait *until* then, by default as the clock of the game says. Nothing is written.
    """
    waits = until or until_looked(table)
    draw = secrets.draws_of(game.record, table.game)
    course = carried_on(club, roster, game.record, said, draw, rows, waits, reads)
    record = published(course.record, table)
    desk = desk_of(club, table, roster, record, course.ahead, waits)
    if record.head != game.record.head and not desk.decides:
        from pbem.club.ahead.counts import counted, of_the_end

        desk = desk._replace(cost=of_the_end(counted(roster, record, (*rows, course.row))))
    return Going(game, game._replace(record=record), desk, course, said)


def carry_on(club: Club, table: Table) -> bool:
    """Play all answers for which nobody has to be asked, and return whether there were any; the game is locked.

    They follow from a change that was no player's message, such as a takeback. Doing it again does nothing, so that it
    also finishes what an interrupted process has left.
    """
    if not table.game.exists():
        return False
    rows = journal_rows(table.journal)
    game = memory.load(table, rows)
    going = gone_on(club, table, read_roster(table), game, read_intents(table, game.record), rows)
    if not going.is_moved:
        return False
    letters, kept = letters_after(going)
    record = going.game.record
    row = {"code": CARRIED_ON, "game": record.game, "turn": record.turn, "head": record.head} | going.course.row
    write(club, table, Change(row, game.record.head, record.head, parts_after(going, kept), letters))
    return True


def letters_after(
    going: Going,
    why: Mapping[str, Sections] = MappingProxyType({}),
    says: Mapping[str, Headline] = MappingProxyType({}),
    without: Collection[str] = (),
) -> tuple[tuple[Letter, ...], dict[str, Intent]]:
    """Return the letters about how a game has gone on, and what is kept of what has been said ahead.

    The colours in *why* get one in any case, which *says* that; those *without* one are written to elsewhere.
    """
    desk, course, kept = going.desk, going.course, going.course.ahead
    letters: list[Letter] = []
    for player in desk.roster.players:
        colour = player.colour
        looks = sees_new_market(desk, player, going.before.record)
        told = colour in why or colour in course.asks or looks or (going.is_moved and hears(desk, player, course.asks))
        if not told or colour in without:
            continue
        kept, did = report_to(going, colour, kept)
        line = says.get(colour) or (headline("renewed", player) if looks else of_a_stop(desk, player))
        letters.append(letter(desk, player, (*why.get(colour, ()), *did), says=line, with_game=True))
    return tuple(letters), kept


def report_to(going: Going, colour: str, kept: dict[str, Intent]) -> tuple[dict[str, Intent], Sections]:
    """Return what is kept once a player has read what the own plan did, and why the player is asked; and these."""
    did: tuple[str, ...] = ()
    if colour in going.desk.ahead:
        kept, did = reported(going.game.record, colour, kept)
    why = (going.course.why[colour],) if colour in going.course.why else ()
    return kept, paragraphs((*((" ".join(did),) if did else ()), *why))


def parts_after(going: Going, kept: Mapping[str, Intent]) -> tuple[tuple[str, bytes], ...]:
    """Return the parts of a change after which a game has gone on, with what is *kept* of what has been said ahead."""
    table, record = going.desk.table, going.game.record
    parts = kept_intents(table, record, going.said, kept)
    if not going.is_moved:
        return parts
    text = memory.game_text(going.before, record)
    memory.remember(going.game, text)
    return ((table.game.name, text.encode()), *parts)


def about_plan(record: Record, said: Mapping[str, Intent], before: Player, player: Player) -> Sections:
    """Return what a player reads about the own plan when a substitute begins or stops to read the letters."""
    if before.reader == player.reader:
        return ()
    own = as_read_by(said.get(player.colour, Intent()), player.address, player.address)
    with suppress(PbemError):
        if outcome(record, player.colour, own).plan is not None:
            rests = _RESTS.format(substitute=player.deputy_name)
            return paragraphs((_COUNTS if player.reader == player.address else rests,))
    return ()

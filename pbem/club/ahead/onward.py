"""How a game goes on after a change that is not an order: a player is back, a pause is over, plans may answer again."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from pbem import secrets
from pbem.ahead.intents import Intent, as_read_by, outcome
from pbem.club import cache as memory
from pbem.club.agreed.wish import JointWish, lapse, lapsed, told_of
from pbem.club.ahead.course import Changed, carried_on, reported
from pbem.club.ahead.kept import kept_intents, read_intents
from pbem.club.clock_files import UntilLooked, until_looked
from pbem.club.journal import journal_rows
from pbem.club.settings import Club
from pbem.club.table import Player, Roster, Table, read_roster
from pbem.club.transaction import Change, write
from pbem.club.writing import talk
from pbem.club.writing.ending import published
from pbem.club.writing.headlines import Headline, headline
from pbem.club.writing.letter import Letter
from pbem.club.writing.letters import Desk, desk_of, letter, paragraphs
from pbem.club.writing.receipts import hears, of_a_stop, sees_new_market
from pbem.club.writing.talk import Saying, read_talk
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

    *said* is what had been said ahead before. *sayings* are the table talk that somebody has not got yet, and *wish* is
    the one that is over by this, of which its owner has not been told.
    """

    before: GameFile
    game: GameFile
    desk: Desk
    course: Changed
    said: Mapping[str, Intent]
    sayings: tuple[Saying, ...] = ()
    wish: JointWish | None = None

    @property
    def is_moved(self) -> bool:
        """Whether anything was played."""
        return self.game.record.head != self.before.record.head


class Remaining(NamedTuple):
    """What remains once letters have told things: what has been said *ahead*, and talk that somebody has not got yet.

    *readers* are the colours that got a letter.
    """

    ahead: dict[str, Intent]
    sayings: tuple[Saying, ...]
    readers: frozenset[str] = frozenset()


def gone_on(
    club: Club,
    table: Table,
    roster: Roster,
    game: GameFile,
    said: Mapping[str, Intent],
    rows: Sequence[dict[str, Any]],
    *,
    after: Record | None = None,
    ahead: Mapping[str, Intent] | None = None,
    sayings: tuple[Saying, ...] | None = None,
    row: Mapping[str, Any] = MappingProxyType({}),
    reads: Collection[str] = (),
    until: UntilLooked | None = None,
) -> Going:
    """Return how a game goes on with that roster; somebody else *reads* the letters to those colours from now on.

    With a message, *after* is the game after its orders, *ahead* what all have *said* ahead with it, *sayings* the talk
    with its words, and *row* that of the journal. Plans wait *until* then, by default as the clock of the game says.
    Nothing is written.
    """
    waits, draw = until or until_looked(table), secrets.draws_of(game.record, table.game)
    course = carried_on(club, roster, after or game.record, said if ahead is None else ahead, draw, rows, waits, reads)
    record = published(course.record, table)
    desk = desk_of(club, table, roster, record, course.ahead, waits)
    if record.head != game.record.head and not desk.decides:
        from pbem.club.ahead.counts import counted, of_the_end

        last = {"turn": record.turn, **row, **course.row}
        desk = desk._replace(cost=of_the_end(counted(roster, record, (*rows, last))))
    talked = read_talk(table) if sayings is None else sayings
    return Going(game, game._replace(record=record), desk, course, said, talked, lapsed(table, record))


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
    letters, told = letters_after(going)
    record = going.game.record
    row = {"code": CARRIED_ON, "game": record.game, "turn": record.turn, "head": record.head} | going.course.row
    write(club, table, Change(row, game.record.head, record.head, parts_after(going, told), letters))
    return True


def untold(going: Going) -> Remaining:
    """Return what is kept before any letter is written."""
    return Remaining(going.course.ahead, going.sayings)


def letters_after(
    going: Going,
    why: Mapping[str, Sections] = MappingProxyType({}),
    says: Mapping[str, Headline | None] = MappingProxyType({}),
    without: Collection[str] = (),
    *,
    to: Player | None = None,
    in_reply_to: str = "",
) -> tuple[tuple[Letter, ...], Remaining]:
    """Return the letters about how a game has gone on, and what is kept then.

    The colours in *why* get one in any case, which *says* that; those *without* one are written to elsewhere. The one
    *to* a player, who may have a substitute, answers a message.
    """
    desk, course, told = going.desk, going.course, untold(going)
    letters: list[Letter] = []
    for player in desk.roster.players:
        colour = player.colour
        looks = sees_new_market(desk, player, going.before.record)
        hears_it = colour in course.asks or looks or (going.is_moved and hears(desk, player, course.asks))
        if colour in without or not (colour in why or hears_it):
            continue
        is_reply = to is not None and to.colour == colour
        line = headline("renewed", player) if looks else of_a_stop(desk, player)
        own, told = letter_after(
            going,
            told,
            to if to is not None and is_reply else player,
            why.get(colour, ()),
            says.get(colour, line),
            in_reply_to=in_reply_to if is_reply else "",
        )
        letters.append(own)
    return tuple(letters), told


def letter_after(
    going: Going, told: Remaining, player: Player, why: Sections, says: Headline | None, *, in_reply_to: str = ""
) -> tuple[Letter, Remaining]:
    """Return a letter about how a game has gone on, and what is kept then.

    It tells the player *why* it is sent, what the own plan did, that the own wish is over, and what was said.
    """
    told, did = report_to(going, player.colour, told)
    sayings, rest = talk.deliver(told.sayings, player)
    own = letter(going.desk, player, (*why, *did), sayings, says=says, in_reply_to=in_reply_to, with_game=True)
    return own, told._replace(sayings=rest, readers=told.readers | {player.colour})


def report_to(going: Going, colour: str, told: Remaining) -> tuple[Remaining, Sections]:
    """Return what is kept once a player has read what the own plan did, and why the player is asked; and these."""
    did: tuple[str, ...] = ()
    if colour in going.desk.ahead:
        ahead, did = reported(going.game.record, colour, told.ahead)
        told = told._replace(ahead=ahead)
    over = lapse(going.wish, colour, going.desk.record)
    why = (going.course.why[colour],) if colour in going.course.why else ()
    return told, paragraphs((*((" ".join(did),) if did else ()), *over, *why))


def parts_after(going: Going, told: Remaining) -> tuple[tuple[str, bytes], ...]:
    """Return the parts of a change after which a game has gone on, with what is kept of what letters have *told*."""
    table, record = going.desk.table, going.game.record
    parts = (*kept_intents(table, record, going.said, told.ahead), *talk.kept(table, told.sayings))
    parts += told_of(going.wish, told.readers)
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

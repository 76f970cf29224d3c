"""Deadlines in a club: do what is due in its games at a time T, and notify the players."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, tzinfo
from functools import partial
from typing import Final, NamedTuple, assert_never

from pbem import files, loading
from pbem.ahead.intents import Intent, is_ready
from pbem.club import table as clubs
from pbem.club.ahead.asking import asking
from pbem.club.ahead.due import awaited
from pbem.club.ahead.kept import bot_seats, bots_of, in_force, read_intents
from pbem.club.ahead.onward import gone_on, parts_after
from pbem.club.clock import (
    Back,
    Clock,
    Decide,
    Defaults,
    Effect,
    GoOn,
    HandOver,
    Remind,
    Situation,
    TellHost,
    Terms,
    Warn,
    away_until,
    tick,
    time_to_look,
    timestamp,
)
from pbem.club.clock_files import TICKS, UntilLooked, clock_text, read_clock
from pbem.club.journal import journal_rows
from pbem.club.reading.received import Post
from pbem.club.requests import changed_readers
from pbem.club.settings import Club
from pbem.club.table import UNTIL_BACK, Player, Roster, Table
from pbem.club.ticket import ticket
from pbem.club.times import shown
from pbem.club.transaction import Change, locked, write
from pbem.club.turn import respond
from pbem.club.writing.headlines import CLOCK, notice_of
from pbem.club.writing.letters import decides, notice, paragraphs
from pbem.club.writing.reminders import letters_about
from pbem.errors import Illegal, PbemError
from pbem.first_sparks.plans.plan import renewed_market
from pbem.first_sparks.record import Record
from pbem.grammar import in_words
from pbem.loading import Submission
from pbem.sha import sha256


class Timed(NamedTuple):
    """A game, its clock and its players, as a tick finds them."""

    table: Table
    terms: Terms
    clock: Clock
    now: Situation
    names: tuple[tuple[str, str], ...]
    turn: int = 0
    is_over: bool = False


class Ticked(NamedTuple):
    """What a tick did in one game, in words, or what went wrong there."""

    game: str
    what: tuple[str, ...] = ()
    error: PbemError | None = None


def timed(club: Club, table: Table) -> Timed | None:
    """Return a game as a tick finds it, None if it is waiting for players; raises PbemError if it is damaged."""
    roster = clubs.read_roster(table)
    if not table.game.exists():
        return None
    terms, clock = read_clock(table)
    record = loading.load(table.game).record
    now = _situation(club, roster, record, read_intents(table, record), partial(time_to_look, terms, clock))
    names = tuple((player.colour, player.name) for player in roster.players)
    return Timed(table, terms, clock, now, names, record.turn, not decides(record))


def _now(club: Club, table: Table, until: UntilLooked) -> Situation:
    record = loading.load(table.game).record
    return _situation(club, clubs.read_roster(table), record, read_intents(table, record), until)


def _situation(club: Club, roster: Roster, record: Record, kept: Mapping[str, Intent], until: UntilLooked) -> Situation:
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


# A tick


def tick_all(club: Club, at: datetime, *, release: bool = False, but: Collection[str] = ()) -> Iterator[Ticked]:
    """Do what is due in every game at a time, and yield what was done; a second tick at that time does nothing.

    If the clock would decide for too many players at once, it decides for none and
    tells the host; *release* decides for them after all. An error in one game does
    not delay the others. The games *but* are left out.
    """
    found: list[Timed] = []
    for table in clubs.tables(club):
        if table.name in but:
            continue
        try:
            game = timed(club, table)
            if game is not None:
                tick(game.terms, game.clock, game.now, at)
                found.append(game)
        except PbemError as error:
            yield _failed(table, error)
    defaults: Defaults = "release" if release else "hold" if too_many(club, found, at) else "play"
    due = [(game, tick(game.terms, game.clock, game.now, at, defaults)) for game in found]
    news = [line for game, (_, effects) in due for line in _host_reads(game, effects, club.zone)]
    if any(isinstance(effect, TellHost) and effect.why == "late" for _, (_, effects) in due for effect in effects):
        news += (way.format(command=club.command) for way in WAYS_OUT)
    if news:
        # Before anything is done: the same letter twice is queued only once, and nothing is done without one.
        held = (HELD, club.to_release) if defaults == "hold" else ()
        club.put(notice(club.host, _host_subject(due), paragraphs((*held, *news))))
    for game, (after, effects) in due:
        try:
            yield Ticked(game.table.name, _do(club, game, at, defaults) if effects else _see(club, game, after))
        except PbemError as error:
            yield _failed(game.table, error)


def _host_subject(due: Sequence[tuple[Timed, tuple[Clock, tuple[Effect, ...]]]]) -> str:
    """Return the subject of a letter to the host: the game and the player, if it is about one late player only."""
    told = [(game, effect) for game, (_, effects) in due for effect in effects if isinstance(effect, TellHost)]
    game, effect = told[0]
    if told[1:] or effect.why != "late":
        return CLOCK
    return notice_of(game.table.name, "late", absent=dict(game.names)[effect.colour])


WAYS_OUT: Final = (
    "If you do not want to wait:",
    "{command} answer CLUB GAME [ORDER] declines, passes or stays for the player, or plays that order; with --player "
    "PLAYER, for one of several who are asked.",
    "{command} absent CLUB GAME PLAYER --until DAY stops the clock; with --substitute ADDRESS, somebody else plays "
    "in the meantime, and with --substitute bot, a bot does.",
    "{command} replace CLUB GAME PLAYER NAME=ADDRESS gives the seat to somebody else.",
    'You can also change "then" in clock.toml in the folder of the game: the next tick does what it says.',
)
HELD: Final = (
    "Time is up for many players at once, so I have decided for none of them and handed nothing to substitutes."
)


def _failed(table: Table, error: PbemError) -> Ticked:
    error.message = f"{table.name}: {error.message}"
    return Ticked(table.name, error=error)


def too_many(club: Club, found: Sequence[Timed], at: datetime) -> bool:
    """Return whether the clock would decide for more players than the club allows at once, or for most who are asked.

    Most of them means more than half, and at least 3.
    """
    due = [effect for game in found for effect in tick(game.terms, game.clock, game.now, at, "release")[1]]
    number = sum(isinstance(effect, Decide | HandOver) for effect in due)
    asked = sum(len(game.now.awaited) for game in found)
    return number > club.answers_at_once or (number > 2 and 2 * number > asked)


def _see(club: Club, game: Timed, after: Clock) -> tuple[str, ...]:
    """Record that the clock has ticked while nothing is due."""
    with locked(game.table):
        if read_clock(game.table)[1] == game.clock:
            files.replace(game.table.folder / TICKS, clock_text(after), mode=0o600)
    return ()


def _do(club: Club, game: Timed, at: datetime, defaults: Defaults) -> tuple[str, ...]:
    """Do what is due in one game: letters, absences and the clock are one change, each order of the clock another."""
    with locked(game.table):
        table, (terms, seen) = game.table, read_clock(game.table)
        roster, now = clubs.read_roster(table), _now(club, table, partial(time_to_look, terms, seen))
        after, effects = tick(terms, seen, now, at, defaults)
        for effect in effects:
            if isinstance(effect, Decide) and _is_still_asked(after, now, effect.colour):
                _decide(club, table, roster, effect, at)
                now = _now(club, table, partial(time_to_look, terms, seen))
        changed = roster
        for effect in effects:
            changed = _with_absence(changed, effect)
        until, file = partial(time_to_look, terms, after), loading.load(table.game)
        said, rows = read_intents(table, file.record), journal_rows(table.journal)
        reads = changed_readers(roster, changed)
        going = gone_on(club, table, changed, file, said, rows, reads=reads, until=until)
        letters, told = letters_about(effects, going, roster, terms, after, at)
        after, _ = tick(terms, after, _situation(club, changed, going.game.record, told.ahead, until), at, defaults)
        did = [type(each).__name__ for each in effects if going.is_moved or not isinstance(each, GoOn)]
        record = going.game.record
        parts = [*parts_after(going, told), (TICKS, clock_text(after))]
        if changed != roster:
            parts.append((table.players.name, clubs.roster_text(changed).encode()))
        row = {"code": "tick", "at": timestamp(at), "turn": record.turn, "head": record.head, "did": did}
        if did or letters:
            change = Change(row | going.course.row, file.record.head, record.head, tuple(parts), letters)
            write(club, table, change)
        else:
            files.replace(table.folder / TICKS, clock_text(after), mode=0o600)
    shown = (effect for effect in effects if going.is_moved or not isinstance(effect, GoOn))
    return tuple(line for effect in shown for line in _words(game, effect, club.zone))


def _is_still_asked(clock: Clock, now: Situation, colour: str) -> bool:
    """Return whether a player has still to answer the question of that clock, after what others have answered."""
    return any(each.colour == colour and clock.question_of(each) is not None for each in now.awaited)


def _decide(club: Club, table: Table, roster: Roster, due: Decide, at: datetime) -> None:
    """Play an order of the clock, before the player's turn as an early answer."""
    record = loading.load(table.game).record
    why = (_PLAYED if decides(record) == due.colour else _ANSWERED).format(order=due.order)
    stand_in(club, table, roster, record, due.colour, due.order, f"the clock, {timestamp(at)}, for {due.colour}", why)


_PLAYED: Final = "Your time was up, so I have played for you: {order}."
_ANSWERED: Final = (
    "Your time was up, so I have answered for you: {order}. It is played when it is your turn, and you can still send "
    "another answer until then."
)


def stand_in(
    club: Club,
    table: Table,
    roster: Roster,
    record: Record,
    colour: str,
    order: str,
    by: str,
    why: str,
    *,
    everybody: str = "",
) -> Player:
    """Play an order for a player who is asked, or answer early, and tell the player *why*; return that player.

    With *everybody*, all others are told that. It is kept like a message from *by*, so that a rebuild finds it. Raises
    Illegal.
    """
    player = roster.player(colour)
    assert player is not None
    raw = f"From: {club.address}\nSubject: [{record.game}] {by}\n\n{order}\n".encode()
    orders = Submission((order,), game=record.game, turn=record.turn, head=record.head)
    own = ticket(player.key, record.game, player.colour, record.turn)
    post = Post(raw, sha256(raw).hexdigest(), "", orders, person=False, instead=why, everybody=everybody)
    verdict = respond(club, table, roster, player, own, post)
    if verdict.code not in ("played", "planned"):
        raise Illegal(f"the order was not accepted: {verdict.message}", order=order)
    return player


def _with_absence(roster: Roster, effect: Effect) -> Roster:
    """Return the roster after an absence has ended, or has begun because a substitute takes over."""
    match effect:
        case Back(colour=colour):
            player = roster.player(colour)
            assert player is not None
            player = player.at_home
        case HandOver(colour=colour, to_bot=to_bot):
            player = roster.player(colour)
            assert player is not None
            player = player._replace(absent=UNTIL_BACK, stand_in="bot" if to_bot else "")
        case Remind() | Warn() | Decide() | TellHost() | GoOn():
            return roster
        case _ as unreachable:
            assert_never(unreachable)
    return roster.changed(player)


def _words(game: Timed, effect: Effect, zone: tzinfo) -> Iterator[str]:
    """Yield what the host sees of an effect when running the tick."""
    if isinstance(effect, GoOn):
        yield "the game went on"
        return
    name = dict(game.names)[effect.colour]
    match effect:
        case Remind():
            yield f"{name} was reminded"
        case Warn(due=due):
            yield f"{name} was warned and has until {shown(due, zone)}"
        case Decide(order=order):
            yield f"played for {name}: {order}"
        case HandOver(to_bot=True):
            yield f"a bot plays for {name} from now on"
        case HandOver():
            yield f"{name}'s substitute plays from now on"
        case Back():
            yield f"{name} is back"
        case TellHost():
            yield from _host_lines(name, game.terms, effect, zone)
        case _ as unreachable:
            assert_never(unreachable)


def _host_reads(game: Timed, effects: Sequence[Effect], zone: tzinfo) -> Iterator[str]:
    """Yield what the host gets in a letter: what needs attention."""
    for effect in effects:
        if isinstance(effect, TellHost):
            for line in _host_lines(dict(game.names)[effect.colour], game.terms, effect, zone):
                yield f"{game.table.name}: {line}."


def _host_lines(name: str, terms: Terms, effect: TellHost, zone: tzinfo) -> Iterator[str]:
    since = shown(effect.since, zone)
    match effect.why:
        case "late":
            yield f"{name} has not answered since {since}, and the grace period is over"
        case "held":
            yield f"{name} has not answered since {since}, but I have decided nothing"
        case "outage":
            gap = in_words(terms.outage)
            yield f"the clock did not tick for more than {gap} after {since}; that time does not count against {name}"

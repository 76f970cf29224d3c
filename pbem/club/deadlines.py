"""Deadlines in a club: do what is due in its games at a time T, and notify the players."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from datetime import datetime, tzinfo
from typing import Final, NamedTuple, assert_never

from pbem import files
from pbem.club.carrier import Club
from pbem.club.clock_data import ClubTicks, club_ticks, keep_clock, note_tick, read_clock
from pbem.club.folder import GameFolder
from pbem.club.index import DUE, GameEntry, GameIndex, index_of
from pbem.club.players import stand_in
from pbem.club.store import commit, load
from pbem.club.transaction import locked
from pbem.errors import PbemError
from pbem.first_sparks.notation import order_phrase
from pbem.grammar import in_words
from pbem.locale import phrase
from pbem.page.page import Prose, Section, Verbatim
from pbem.table.clock import (
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
    tick,
    timestamp,
)
from pbem.table.due import run_on, settled
from pbem.table.letters.headlines import CLOCK, notice_of
from pbem.table.letters.letter import paragraphs
from pbem.table.letters.notices import notice
from pbem.table.letters.receipts import CLOCK_ANSWERED, CLOCK_PLAYED
from pbem.table.table import Table
from pbem.table.tell import tell
from pbem.table.ticks import ticked
from pbem.table.times import shown


class Ticked(NamedTuple):
    """What a tick did in one game, in words, or what went wrong there."""

    game: str
    what: tuple[str, ...] = ()
    error: PbemError | None = None


class Timed(NamedTuple):
    """A game as a tick finds it: its clock, its players, and who is asked."""

    folder: GameFolder
    terms: Terms
    clock: Clock
    now: Situation
    names: tuple[tuple[str, str], ...]


def timed(folder: GameFolder, table: Table) -> Timed:
    """Return a game, whose terms can be read, as a tick finds it."""
    assert table.terms is not None
    names = tuple((player.colour, player.name) for player in table.roster.players)
    return Timed(folder, table.terms, table.clock, table.situation, names)


# A tick


def tick_all(club: Club, at: datetime, *, release: bool = False, but: Collection[str] = ()) -> Iterator[Ticked]:
    """Do what is due in every game at a time, and yield what was done; a second tick at that time does nothing.

    If the clock would decide for too many players at once, it decides for none and
    tells the host; *release* decides for them after all. An error in one game does
    not delay the others. The games *but* are left out. Only games in which something may be due are read.
    """
    failed, went_back = set(but), False
    ticks, found, asked, held = club_ticks(club.folder), list[Timed](), 0, 0
    with index_of(club) as index:
        for name, entry in index.entries(DUE):
            if name in but:
                continue
            if entry is not None and _rests(entry, ticks, at, release=release):
                asked, held = asked + entry.asked, held + entry.held
                continue
            folder = GameFolder(club.games / name)
            try:
                with locked(folder):
                    _, table = index.read(folder)
                    if table is None:
                        continue
                    game = timed(folder, table)
                    after, effects = tick(game.terms, game.clock, game.now, at)
                    went_back = True
                    if effects or tick(game.terms, game.clock, game.now, at, "release")[1]:
                        found.append(game)
                    else:
                        asked += len(game.now.awaited)
                        _let_run(index, game, after)
            except Exception as error:  # the other games go on
                failed.add(name)
                yield _failed(folder, error)
        for done in _due_in(club, index, found, at, asked=asked, held=held, release=release):
            failed |= {done.game} if done.error else set()
            yield done
    note_tick(club.folder, at, failed, went_back=went_back)


def _rests(entry: GameEntry, ticks: ClubTicks, at: datetime, *, release: bool) -> bool:
    """Return whether a tick would only let time run in a game."""
    last, now = ticks.last, int(at.timestamp())
    if last is None or at < last or entry.game in ticks.missed or (release and entry.held):
        return False
    return now < entry.due and (not entry.outage or now - int(last.timestamp()) <= entry.outage)


def _let_run(index: GameIndex, game: Timed, after: Clock) -> None:
    """Write a clock after a tick at which nothing was due, if the time of the tick does not say the same."""
    after = settled(game.terms, after, game.now)
    if after != run_on(game.clock, after.last):
        keep_clock(game.folder, after)
        index.read(game.folder)


def _due_in(
    club: Club, index: GameIndex, found: Sequence[Timed], at: datetime, *, asked: int, held: int, release: bool
) -> Iterator[Ticked]:
    """Do what is due in these games; in others, so many more are *asked*, and of so many the time is up but *held*."""
    defaults: Defaults = "release" if release else "hold" if too_many(club, found, at, asked, held) else "play"
    due = [(game, tick(game.terms, game.clock, game.now, at, defaults)) for game in found]
    news = [line for game, (_, effects) in due for line in _host_reads(game, effects, club.zone, at)]
    if any(isinstance(effect, TellHost) and effect.why == "late" for _, (_, effects) in due for effect in effects):
        news += (way.format(command=club.command) for way in WAYS_OUT)
    if news:
        # Before anything is done: the same letter twice is queued only once, and nothing is done without one.
        copied = Verbatim((f"  {club.to_release}",))
        first = (*paragraphs((HELD,)), Section("why", (Prose(TO_RELEASE), copied))) if defaults == "hold" else ()
        club.put(notice(club.host, _host_subject(due), (*first, *paragraphs(news))))
    for game, (after, effects) in due:
        try:
            if not effects:
                with locked(game.folder):
                    _, table = index.read(game.folder)
                    if table is not None and timed(game.folder, table) == game:  # nobody came first
                        _let_run(index, game, after)
            elif what := _do(club, index, game, at, defaults):
                yield Ticked(game.folder.name, what)
        except Exception as error:
            yield _failed(game.folder, error)


def _host_subject(due: Sequence[tuple[Timed, tuple[Clock, tuple[Effect, ...]]]]) -> str:
    """Return the subject of a letter to the host: the game and the player, if it is about one late player only."""
    told = [(game, effect) for game, (_, effects) in due for effect in effects if isinstance(effect, TellHost)]
    game, effect = told[0]
    if told[1:] or effect.why != "late":
        return CLOCK
    return notice_of(game.folder.name, "late", absent=dict(game.names)[effect.colour])


WAYS_OUT: Final = (
    "To go on without waiting:",
    "{command} answer CLUB GAME [ORDER] declines, passes or stays for the player, or plays that order; with --player "
    "PLAYER, for one of several who are asked.",
    "{command} absent CLUB GAME PLAYER --until DAY stops the clock; with --substitute ADDRESS, somebody else plays "
    "in the meantime, and with --substitute bot, a bot does.",
    "{command} replace CLUB GAME PLAYER NAME=ADDRESS gives the seat to somebody else.",
    "{command} clock CLUB GAME --then answer lets the next tick do the same for everybody whose time is up.",
)
HELD: Final = (
    "Time is up for many players at once, so I have decided for none of them and handed nothing to substitutes."
)

TO_RELEASE: Final = "To let the clock decide for them all the same:"


def _failed(folder: GameFolder, error: Exception) -> Ticked:
    trouble = files.unexpected(error)
    trouble.message = f"{folder.name}: {trouble.message}"
    return Ticked(folder.name, error=trouble)


def too_many(club: Club, found: Sequence[Timed], at: datetime, others: int = 0, held: int = 0) -> bool:
    """Return whether the clock would decide for more players than the club allows at once, or for most who are asked.

    Most of them means more than half, and at least 3; *others* are asked in other games, and of so many the time is
    up but *held*.
    """
    due = [effect for game in found for effect in tick(game.terms, game.clock, game.now, at, "release")[1]]
    number = held + sum(isinstance(effect, Decide | HandOver) for effect in due)
    asked = sum(len(game.now.awaited) for game in found) + others
    return number > club.answers_at_once or (number > 2 and 2 * number > asked)


def _do(club: Club, index: GameIndex, game: Timed, at: datetime, defaults: Defaults) -> tuple[str, ...]:
    """Do what is due in one game: letters, absences and the clock are one change, each order of the clock another."""
    with locked(game.folder):
        folder = game.folder
        terms, seen = read_clock(folder)
        table = load(club, folder)
        after, effects = tick(terms, seen, table.situation, at, defaults)
        for effect in effects:
            if isinstance(effect, Decide) and _is_still_asked(after, table.situation, effect.colour):
                _decide(club, folder, table, effect, at)
                table = load(club, folder)
        step = ticked(table, terms, after, effects, at)
        told = tell(step)
        now = told.after.situation
        clock = settled(terms, tick(terms, after, now, at, defaults)[0], now)
        did = [type(each).__name__ for each in effects if step.is_moved or not isinstance(each, GoOn)]
        record = told.after.kept
        row = {"code": "tick", "at": timestamp(at), "turn": record.turn, "head": record.head, "did": did, **step.row}
        if did or told.letters:
            commit(club, folder, table, told.after.but(clock=clock), row, told.letters)
        else:
            keep_clock(folder, clock)
        with suppress(PbemError):  # the next tick reports it
            index.read(folder)
    shown = (effect for effect in effects if step.is_moved or not isinstance(effect, GoOn))
    return tuple(line for effect in shown for line in _words(game, effect, club.zone, at))


def _is_still_asked(clock: Clock, now: Situation, colour: str) -> bool:
    """Return whether a player has still to answer the question of that clock, after what others have answered."""
    return any(each.colour == colour and clock.question_of(each) is not None for each in now.awaited)


def _decide(club: Club, folder: GameFolder, table: Table, due: Decide, at: datetime) -> None:
    """Play an order of the clock, before the player's turn as an early answer."""
    why = phrase(CLOCK_PLAYED if table.decides == due.colour else CLOCK_ANSWERED, order=order_phrase(due.order))
    stand_in(club, folder, table, due.colour, due.order, f"the clock, {timestamp(at)}, for {due.colour}", why)


def _words(game: Timed, effect: Effect, zone: tzinfo, at: datetime) -> Iterator[str]:
    """Yield what the host sees of an effect when running the tick."""
    if isinstance(effect, GoOn):
        yield "the game went on"
        return
    name = dict(game.names)[effect.colour]
    match effect:
        case Remind():
            yield f"{name} was reminded"
        case Warn(due=due):
            yield f"{name} was warned and has until {shown(due, zone, at)}"
        case Decide(order=order):
            yield f"played for {name}: {order}"
        case HandOver(to_bot=True):
            yield f"a bot plays for {name} from now on"
        case HandOver():
            yield f"{name}'s substitute plays from now on"
        case Back():
            yield f"{name} is back"
        case TellHost():
            yield from _host_lines(name, game.terms, effect, zone, at)
        case _ as unreachable:
            assert_never(unreachable)


def _host_reads(game: Timed, effects: Sequence[Effect], zone: tzinfo, at: datetime) -> Iterator[str]:
    """Yield what the host gets in a letter: what needs attention."""
    for effect in effects:
        if isinstance(effect, TellHost):
            for line in _host_lines(dict(game.names)[effect.colour], game.terms, effect, zone, at):
                yield f"{game.folder.name}: {line}."


def _host_lines(name: str, terms: Terms, effect: TellHost, zone: tzinfo, at: datetime) -> Iterator[str]:
    since = shown(effect.since, zone, at)
    match effect.why:
        case "late":
            yield f"{name} has not answered since {since}, and the grace period is over"
        case "held":
            yield f"{name} has not answered since {since}, but I have decided nothing"
        case "outage":
            gap = in_words(terms.outage)
            yield f"the clock did not tick for more than {gap} after {since}; that time does not count against {name}"

"""Deadlines in a club: do what is due in its games at a time T, and notify the players."""

from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Final, NamedTuple, assert_never

from pbem import files, loading
from pbem.club import table as clubs
from pbem.club.ahead.kept import bot_seats
from pbem.club.ahead.onward import carry_on
from pbem.club.clock import (
    Back,
    Clock,
    Decide,
    Defaults,
    Effect,
    HandOver,
    Remind,
    Situation,
    TellHost,
    Terms,
    Then,
    Warn,
    away_until,
    in_words,
    tick,
    timestamp,
)
from pbem.club.clock_files import TICKS, clock_text, read_clock
from pbem.club.reading.received import Post
from pbem.club.settings import Club
from pbem.club.table import BOT, UNTIL_BACK, Player, Roster, Table
from pbem.club.ticket import ticket
from pbem.club.times import left, shown
from pbem.club.transaction import Change, locked, write
from pbem.club.turn import respond
from pbem.club.writing.headlines import CLOCK, Headline, headline, notice_of
from pbem.club.writing.letter import Letter
from pbem.club.writing.letters import Desk, decides, desk_of, letter, notice, paragraphs, plain, relieved
from pbem.errors import Illegal, PbemError
from pbem.first_sparks.notation import MILD, expected
from pbem.first_sparks.record import HEAD_DIGITS, Record, same_situations
from pbem.loading import Submission
from pbem.sha import sha256

_WARNING: Final[dict[Then, str]] = {
    "tell": "Your time is up, but an answer still counts until {due}. After that I will tell the host.",
    "answer": "Your time is up, but an answer still counts until {due}. After that your clan declines, passes or "
    "stays, where that is possible.",
    "substitute": "Your time is up, but an answer still counts until {due}. After that your substitute plays for you.",
    "bot": "Your time is up, but an answer still counts until {due}. After that a bot stands in for you.",
}


class Timed(NamedTuple):
    """A game, its clock and its players, as a tick finds them; *by_bot* is whether a bot has to decide."""

    table: Table
    terms: Terms
    clock: Clock
    now: Situation
    names: tuple[tuple[str, str], ...]
    by_bot: bool = False


class Ticked(NamedTuple):
    """What a tick did in one game, in words, or what went wrong there."""

    game: str
    what: tuple[str, ...] = ()
    error: PbemError | None = None


def timed(table: Table, zone: tzinfo = UTC) -> Timed | None:
    """Return a game as a tick finds it, None if it is waiting for players; raises PbemError if it is damaged."""
    roster = clubs.read_roster(table)
    if not table.game.exists():
        return None
    now, names = _now(roster, loading.load(table.game).record, zone)
    return Timed(table, *read_clock(table), now, names, now.colour in bot_seats(roster))


def _now(roster: Roster, record: Record, zone: tzinfo) -> tuple[Situation, tuple[tuple[str, str], ...]]:
    now = Situation(
        record.turn,
        record.head[:HEAD_DIGITS],
        decides(record),
        mildest(record),
        tuple((player.colour, away_until(player.absent, zone=zone)) for player in roster.players if player.absent),
        frozenset(player.colour for player in roster.players if roster.stands_in(player)),
        frozenset(player.colour for player in roster.players if is_for_a_bot(roster, player)),
        bool(roster.paused),
        tuple((turn, head[:HEAD_DIGITS]) for turn, head in same_situations(record)[1:]),
    )
    return now, tuple((player.colour, player.name) for player in roster.players)


def is_for_a_bot(roster: Roster, player: Player) -> bool:
    """Return whether a bot can stand in for the player; not if it already does, or if nobody else waits."""
    return player.reader != BOT and roster.stands_in(player._replace(stand_in="bot"))


def mildest(record: Record) -> str:
    """Return the order that changes least - decline, pass or stay - and "" if none of these is possible now."""
    return next((word for word in expected(record.state.phase) if word in MILD), "")


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
            game = timed(table, club.zone)
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
    "{command} answer CLUB GAME [ORDER] declines, passes or stays for the player, or plays that order.",
    "{command} absent CLUB GAME PLAYER --until DAY stops the clock; with --substitute ADDRESS, somebody else plays "
    "in the meantime.",
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
    """Return whether the clock would decide for more players than the club allows at once, or for most of the games.

    Most of the games means more than half of them, and at least 3.
    """
    due = [effect for game in found for effect in tick(game.terms, game.clock, game.now, at, "release")[1]]
    number = sum(isinstance(effect, Decide | HandOver) for effect in due)
    asked = sum(bool(game.now.colour) for game in found)
    return number > club.answers_at_once or (number > 2 and 2 * number > asked)


def _see(club: Club, game: Timed, after: Clock) -> tuple[str, ...]:
    """Record that the clock has ticked while nothing is due; where a bot decides, the game goes on."""
    with locked(game.table):
        if read_clock(game.table)[1] == game.clock:
            files.replace(game.table.folder / TICKS, clock_text(after), mode=0o600)
        if game.by_bot:
            carry_on(club, game.table)
    return ()


def _do(club: Club, game: Timed, at: datetime, defaults: Defaults) -> tuple[str, ...]:
    """Do what is due in one game: letters, absences and the clock are one change, an order of the clock another."""
    with locked(game.table):
        table = game.table
        roster = clubs.read_roster(table)
        record = loading.load(table.game).record
        terms, seen = read_clock(table)
        after, effects = tick(terms, seen, _now(roster, record, club.zone)[0], at, defaults)
        order = next((effect for effect in effects if isinstance(effect, Decide)), None)
        if order is not None:
            why = f"Your time was up, so I have played for you: {order.order}."
            stand_in(club, table, roster, record, order.order, f"the clock, {timestamp(at)}", why)
            roster, record = clubs.read_roster(table), loading.load(table.game).record
            after, _ = tick(terms, after, _now(roster, record, club.zone)[0], at, defaults)
        changed = roster
        letters: list[Letter] = []
        for effect in effects:
            changed = _with_absence(changed, effect)
        desk = desk_of(club, table, changed, record)
        if after.question is not None and after.question.waited:  # the letters say how much time is left
            desk = desk._replace(allowed="")
        for effect in effects:
            letters += _letters(desk, roster, terms, effect, at)
        parts = [(TICKS, clock_text(after))]
        if changed != roster:
            parts.append((table.players.name, clubs.roster_text(changed).encode()))
        row = {
            "code": "tick",
            "at": timestamp(at),
            "turn": record.turn,
            "did": [type(each).__name__ for each in effects],
        }
        write(club, table, Change(row, record.head, record.head, tuple(parts), tuple(letters)))
        if decides(record) in bot_seats(changed):
            carry_on(club, table)
    return tuple(line for effect in effects for line in _words(game, effect, club.zone))


def stand_in(
    club: Club,
    table: Table,
    roster: Roster,
    record: Record,
    order: str,
    by: str,
    why: str,
    *,
    player: Player | None = None,
    everybody: str = "",
) -> Player:
    """Play an order for a player, by default the one whose turn it is, who is told *why*; return that player.

    With *everybody*, all others are told that. It is kept like a message from *by*, so that a rebuild finds it. Raises
    Illegal.
    """
    player = player or roster.player(decides(record))
    assert player is not None
    raw = f"From: {club.address}\nSubject: [{record.game}] {by}\n\n{order}\n".encode()
    orders = Submission((order,), game=record.game, turn=record.turn, head=record.head)
    own = ticket(player.key, record.game, player.colour, record.turn)
    post = Post(raw, sha256(raw).hexdigest(), "", orders, person=False, instead=why, everybody=everybody)
    verdict = respond(club, table, roster, player, own, post)
    if verdict.code != "played":
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
        case Remind() | Warn() | Decide() | TellHost():
            return roster
        case _ as unreachable:
            assert_never(unreachable)
    return roster.changed(player)


def _letters(desk: Desk, before: Roster, terms: Terms, effect: Effect, at: datetime) -> Iterator[Letter]:
    """Yield the letters about an effect; *before* is the roster before it."""
    player = before.player(effect.colour)
    assert player is not None
    if not isinstance(effect, Back):
        told = desk._replace(allowed="")
        now = desk.roster.player(effect.colour)
        if isinstance(effect, HandOver) and now is not None and now.reader == BOT:
            yield from _to_bot(told, player)
            return
        for reader, says, why in _readers(desk, terms, effect, at):
            yield letter(told, reader, paragraphs((why,)), says=says)
        return
    if desk.decides == player.colour:
        why = "The time for which you were away is over, and it is your turn again."
        yield letter(desk, player.at_home, paragraphs((why,)))
    yield from relieved(desk, player)


def _to_bot(desk: Desk, before: Player) -> Iterator[Letter]:
    """Yield the letters when a bot stands in: to the player, without a question, and to a substitute."""
    home, record = before.at_home, desk.record
    own = ticket(home.key, record.game, home.colour, record.turn)
    yield plain(own, home, headline("handed to a bot", home), paragraphs((_TO_BOT,)), head=record.head)
    yield from relieved(desk, before)


_TO_BOT: Final = 'Your time is up, and a bot stands in for you from now on. When you return, write "back".'


def _readers(desk: Desk, terms: Terms, effect: Effect, at: datetime) -> Iterator[tuple[Player, Headline, str]]:
    """Yield the readers of letters about an effect, with the headline and text for each."""
    player, state, zone = desk.roster.player(effect.colour), desk.record.state, desk.club.zone
    assert player is not None
    match effect:
        case Remind(due=due):
            says = headline("reminder", player, state, left=left(due - at))
            yield player, says, f"The other players are waiting for you. You have until {shown(due, zone)}."
        case Warn(due=due):
            tells = terms.then == "substitute" and (player.absent or not desk.roster.stands_in(player))
            tells = tells or (terms.then == "bot" and not is_for_a_bot(desk.roster, player))
            warning = _WARNING["tell" if tells else terms.then]
            says = headline("warning", player, state, due=shown(due, zone))
            yield player, says, warning.format(due=shown(due, zone))
        case HandOver():
            why = f"{player.name} has not answered in time. You stand in from now on, by answering these letters."
            yield player, headline("asked", player, state), why
            home, by = player.at_home, player.deputy_name
            away = f'Your time is up, and {by} stands in for you from now on. When you return, write "back".'
            yield home, headline("handed over", home), away
        case Decide() | Back() | TellHost():
            pass
        case _ as unreachable:
            assert_never(unreachable)


def _words(game: Timed, effect: Effect, zone: tzinfo) -> Iterator[str]:
    """Yield what the host sees of an effect when running the tick."""
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

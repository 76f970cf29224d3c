"""The record of a game: who plays, every move and draw as one line, and a hash chain over the lines.

The log is the game: the state is what it leads to. ``proof`` says whether a file is right.
"""

import json
import re
from functools import partial
from typing import Any, ClassVar, Final, Literal, NamedTuple, Protocol, cast

from pbem.errors import Illegal, NotYourTurn
from pbem.first_sparks.adjudicator import Draws, Entry, adjudicate, carry_on, follow, new_game, who_decides
from pbem.first_sparks.chance.contributions import (
    Contribution,
    Given,
    Opens,
    Renews,
    Salts,
    Skips,
    awaited,
    check,
    check_new,
)
from pbem.first_sparks.chance.draws import Chain, commitment, source
from pbem.first_sparks.codec import encode_options
from pbem.first_sparks.components import ComponentSet
from pbem.first_sparks.moves import AgreeEnd, Move
from pbem.first_sparks.options import Options
from pbem.first_sparks.state import CHANCE, GameState
from pbem.quick import Fields, Same, new
from pbem.sha import sha256

FORMAT: Final = "first-sparks-game/1"
BOUND_FORMAT: Final = "first-sparks-game/2"  # of shared games, whose chains are bound to game and colour
HEAD_DIGITS: Final = 8
SHARED: Final = "shared"
ChanceKind = Literal["open", "sealed", "shared"]
_CHAIN: Final = "first-sparks-log/1"
_NOTHING_GIVEN: Final = Given()
_OF_RECORD: Final = ("game", "players", "options", "components", "chance", "turn", "state", "lines", "given")
_digested: list[tuple[ComponentSet, str]] = []  # the last set and its digest: nearly all games use the same set

History = tuple[tuple[Entry, GameState], ...]


class Chance(NamedTuple):
    """The source of randomness.

    ``open`` shows its secret, ``sealed`` only the commitment until the game is over. ``salted`` says that players add
    to the secret. A ``shared`` game has no secret: *joined* has the colour and the first value of each chain. An
    *older* one began before the links of its chains were bound to game and colour, and stays as it is.
    """

    kind: str
    commitment: str = ""
    secret: str = ""
    salted: bool = False
    joined: tuple[tuple[str, str], ...] = ()
    older: bool = False

    @property
    def form(self) -> str:
        """The format of the game's file."""
        return BOUND_FORMAT if self.kind == SHARED and not self.older else FORMAT

    @property
    def takes_contributions(self) -> bool:
        """Whether draws depend on lines of the log."""
        return self.salted or self.kind == SHARED


class Chains(Protocol):
    """The secrets of players that are on this machine, for a shared game."""

    def opens(self, record: "Record", colour: str) -> str:
        """Return the next value of a player's chain; raises NoSuchFile if its secret is not here."""
        ...


class SaltedDraws(Protocol):
    """The draws of a game that takes salts: the index among n candidates of draw k, after these salts."""

    def __call__(self, n: int, k: int, /, salts: bytes = b"") -> int:
        """Return the index, 0 to n - 1."""
        ...


# What this machine has to make draws: the secret of the game, or those of players.
DrawSource = Draws | SaltedDraws | Chains


class Lines:
    """The lines of a log: what happened, the texts, and the heads of the chain: before the first line, and after each.

    Playing only adds what happens. The texts and the heads are made when they are asked for, from the last lines that
    already have them; a game that is only played, as in a rollout, never needs them.
    """

    __slots__ = ("_added", "_before", "_heads", "_history", "_log")

    def __init__(self, history: History, log: tuple[str, ...], heads: tuple[str, ...]) -> None:
        self._history, self._log, self._heads = history, log, heads
        self._before: Lines | None = None
        self._added: tuple[History, tuple[str, ...] | None] = ((), None)

    def then(self, steps: History, texts: tuple[str, ...] | None = None) -> "Lines":
        """Return these lines and those of more steps; *texts* are theirs, if the caller has them."""
        more = Lines((), (), ())
        more._before, more._added = self, (steps, texts)
        return more

    def first(self, number: int) -> "Lines":
        """Return so many of these lines, from the first one on."""
        made = self._made()
        return Lines(made._history[:number], made._log[:number], made._heads[: number + 1])

    @property
    def history(self) -> History:
        """Each line with the state after it."""
        return self._made()._history

    @property
    def log(self) -> tuple[str, ...]:
        """The texts of the lines."""
        return self._made()._log

    @property
    def head(self) -> str:
        """The hash of the header and all lines."""
        return self.heads[-1]

    @property
    def heads(self) -> tuple[str, ...]:
        """The hash of the header, and then of the header and the lines up to each."""
        return self._made()._heads

    def _made(self) -> "Lines":
        """Return these lines, with everything made that was not asked for before."""
        added: list[tuple[History, tuple[str, ...] | None]] = []
        last = self
        while last._before is not None:
            added.append(last._added)
            last = last._before
        if last is not self:
            history, log, heads = [*last._history], [*last._log], [*last._heads]
            for steps, texts in reversed(added):
                history += steps
                for line in [str(entry) for entry, _ in steps] if texts is None else texts:
                    log.append(line)
                    heads.append(next_head(heads[-1], line))
            self._history, self._log, self._heads = tuple(history), tuple(log), tuple(heads)
            self._before, self._added = None, ((), None)
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Lines) and (self.head, self.history, self.log) == (
            other.head,
            other.history,
            other.log,
        )

    def __hash__(self) -> int:
        return hash(self.head)

    def __reduce__(self) -> tuple[type["Lines"], tuple[History, tuple[str, ...], tuple[str, ...]]]:
        made = self._made()
        return type(self), (made._history, made._log, made._heads)


class Record(Fields):
    """A game as in its file. *players* are pairs of colour and name, in seating order."""

    __slots__ = _OF_RECORD
    _fields: ClassVar = _OF_RECORD

    def __init__(
        self,
        game: str,
        players: tuple[tuple[str, str], ...],
        options: Options,
        components: ComponentSet,
        chance: Chance,
        turn: int,
        state: GameState,
        lines: Lines,
        given: Given = _NOTHING_GIVEN,
    ) -> None:
        self.game = game
        self.players = players
        self.options = options
        self.components = components
        self.chance = chance
        self.turn = turn
        self.state = state
        self.lines = lines
        self.given = given

    def _replace(
        self,
        *,
        game: str | Same = ...,
        players: tuple[tuple[str, str], ...] | Same = ...,
        options: Options | Same = ...,
        components: ComponentSet | Same = ...,
        chance: Chance | Same = ...,
        turn: int | Same = ...,
        state: GameState | Same = ...,
        lines: Lines | Same = ...,
        given: Given | Same = ...,
    ) -> "Record":
        """Return the game with other values for these fields."""
        return Record(
            self.game if game is ... else game,
            self.players if players is ... else players,
            self.options if options is ... else options,
            self.components if components is ... else components,
            self.chance if chance is ... else chance,
            self.turn if turn is ... else turn,
            self.state if state is ... else state,
            self.lines if lines is ... else lines,
            self.given if given is ... else given,
        )

    def __hash__(self) -> int:
        return hash((self.game, self.turn, self.state))

    def __repr__(self) -> str:
        return f"<Game {self.game}: turn {self.turn}, {self.state!r}>"

    def _repr_html_(self) -> str:
        """Return the picture of the board, for a notebook."""
        return self.state._repr_html_()

    @property
    def log(self) -> tuple[str, ...]:
        """The lines of the log."""
        return self.lines.log

    @property
    def head(self) -> str:
        """The hash of the header and the log."""
        return self.lines.head

    @property
    def history(self) -> History:
        """Each line of the log with the state after it, the last of which is *state*; none if the log is empty."""
        return self.lines.history

    @property
    def missing(self) -> tuple[str, ...]:
        """The colours of those who have not joined a shared game, which begins when all have."""
        joined = dict(self.chance.joined)
        return tuple(c for c, _ in self.players if c not in joined) if self.chance.kind == SHARED else ()

    def chain(self, colour: str) -> Chain:
        """Return the chain of a clan in a shared game."""
        return Chain(self.game, colour, self.chance.older)

    @property
    def opener(self) -> str | None:
        """The colour of the player who must open a draw of a shared game before anything else, if one is due."""
        return awaited(self.given, self.state) if self.chance.kind == SHARED and not self.missing else None

    @property
    def asked(self) -> str | None:
        """The colour of the player who must draw or decide now, ``*`` if it is chance, None after the end."""
        return self.opener or who_decides(self.state)


def digest(components: ComponentSet) -> str:
    """Return the SHA-256 of a component set, of its data as JSON with sorted keys and without white space."""
    if not _digested or _digested[0][0] is not components:
        _digested[:] = [(components, _hexadecimal(_canonical(components.source)))]
    return _digested[0][1]


def begin(
    game: str,
    players: tuple[tuple[str, str], ...],
    options: Options,
    components: ComponentSet,
    chance: Chance,
) -> Record:
    """Return the record of a game in which nothing has happened yet; chance decides first."""
    start, none = new_game(components, players, options), Lines((), (), ())
    record = Record(game, players, options, components, chance, 0, start, none, _nothing_given(chance))
    return record._replace(lines=Lines((), (), (first_head(record),)))


def _nothing_given(chance: Chance) -> Given:
    """Return what is contributed before the first line: the last who has joined opens the first draws."""
    if not chance.joined:
        return _NOTHING_GIVEN
    return Given(chance.joined, tuple(dict(chance.joined).values()), chance.joined[-1][0])


def joined(record: Record, colour: str, value: str) -> Record:
    """Return a shared game that a player has joined, with the first value of the own chain; raises Illegal."""
    if colour not in record.missing:
        raise Illegal(f"nobody has to join this game as {colour}")
    if not re.fullmatch("[0-9a-f]{64}", value):
        raise Illegal(f"the first value of {colour} is not 64 hexadecimal digits")
    check_new(record.chain(colour), value, dict(record.chance.joined).values())
    chance = record.chance._replace(joined=(*record.chance.joined, (colour, value)))
    return at_beginning(record._replace(chance=chance))


def imagined_game(record: Record, key: bytes) -> Record:
    """Return the same situation as an open game whose draws come from that key, at the next decision."""
    other = record._replace(chance=Chance("open", commitment(key), key.hex()), given=_NOTHING_GIVEN)
    return carried_on(other, source(record.game, key))[0]


def at_beginning(record: Record) -> Record:
    """Return the game before the first line of its log."""
    return begin(record.game, record.players, record.options, record.components, record.chance)


def first_head(record: Record) -> str:
    """Return the head before the first line: it binds the log to the game's header."""
    return _hexadecimal(_CHAIN.encode() + b"\n" + _canonical(header(record)))


def header(record: Record) -> dict[str, Any]:
    """Return the header of a game, which never changes."""
    return {
        "format": record.chance.form,
        "game": record.game,
        "players": record.players,
        "options": encode_options(record.options),
        "components": digest(record.components),
        "chance": _bound(record.chance),
    }


def _bound(chance: Chance) -> list[Any]:
    """Return what the header binds of chance: everything but the secret."""
    if chance.kind == SHARED:
        return [chance.kind, chance.joined]
    return [chance.kind, chance.commitment, *(["salted"] if chance.salted else [])]


def next_head(head: str, line: str) -> str:
    """Return the head after one more line: the SHA-256 of the head before, a line feed, and the line."""
    return _hexadecimal(f"{head}\n{line}".encode())


def carried_on(record: Record, chance: DrawSource | None) -> tuple[Record, History]:
    """Return the record at the next choice of a player, or where chance has to wait, and what happened before."""
    draw = _draws(record.chance, record.game, record.given, chance)
    turn = record.turn
    steps = [(new(Entry, (turn, by, clan, move)), state) for by, clan, move, state in carry_on(record.state, draw)]
    return extended(record, tuple(steps))


def _draws(kind: Chance, game: str, given: Given, chance: DrawSource | None) -> Draws | None:
    """Return the draws that can be made now, None if chance has to wait."""
    if kind.kind == SHARED:
        return source(game, given.key) if given.key else None
    if kind.salted and callable(chance):
        return partial(cast("SaltedDraws", chance), salts=given.salts)
    return chance if callable(chance) else None


def played(record: Record, by: str, move: Move, chance: DrawSource | None, salt: str = "") -> tuple[Record, History]:
    """Return the record after one order of the clan *by*, at the next choice, and what happened from the order on.

    If a draw follows in a shared game, the clan opens it, unless chance has to wait. Raises NotYourTurn and Illegal
    like ``adjudicate``.
    """
    return _after(record, by, move, adjudicate(record.state, by, move), chance, salt)


def chosen(record: Record, move: Move, chance: DrawSource | None) -> Record:
    """Return the record after a move that ``choices`` has listed for its state, at the next choice: see ``played``.

    The move is not judged again. The game is not a shared one, in which a draw may be due first.
    """
    by = who_decides(record.state)
    assert by not in (CHANCE, None)
    return _after(record, by, move, follow(record.state, by, move), chance, "")[0]


def _after(
    record: Record, by: str, move: Move, state: GameState, chance: DrawSource | None, salt: str
) -> tuple[Record, History]:
    """Return what ``played`` does, given the *state* after the order alone."""
    turn = record.turn + 1
    entry = new(Entry, (turn, by, by, _without_guard(move)))
    moved, first = extended(record._replace(turn=turn), ((entry, state),))
    if salt and moved.chance.salted:
        moved, added = _contributed(moved, by, Salts(salt))
        first += added
    after, rest = carried_on(moved, chance)
    if after.opener == by == after.given.mover and not after.given.value and chance is not None:
        assert not callable(chance)
        after, opened = _contributed(after, by, Opens(chance.opens(after, by)))
        rest += opened
    return after, first + rest


def opened(record: Record, by: str, chains: Chains) -> tuple[Record, History]:
    """Return the shared game after the clan *by* has opened, at the next choice, and what happened from then on.

    Raises NotYourTurn if nothing has to be opened, or by somebody else.
    """
    if record.opener != by:
        raise NotYourTurn("no draw is due" if record.opener is None else waits_for(record))
    record, first = _contributed(record, by, Opens(chains.opens(record, by)))
    record, rest = carried_on(record, chains)
    return record, first + rest


def renewed_chain(record: Record, by: str, value: str, chains: Chains) -> tuple[Record, History]:
    """Return the shared game after the clan *by* has renewed its chain, and what happened from then on.

    If a value of the clan is due, the next clan has to open instead; a mover opens itself. Raises Illegal the second
    time.
    """
    record, first = _contributed(record, by, Renews(value))
    if record.opener != by:
        return record, first
    record, rest = opened(record, by, chains)
    return record, first + rest


def waits_for(record: Record) -> str:
    """Return what a shared game waits for, as an error says it; empty if for nobody's value."""
    if record.missing:
        return f"the game begins when everybody has joined; still missing: {', '.join(record.missing)}"
    if record.opener is None:
        return ""
    return f"{dict(record.players)[record.opener]} ({record.opener}) has to draw first"


def _contributed(record: Record, by: str, said: Contribution) -> tuple[Record, History]:
    check(record.given, record.state, record.chain(by), said, salted=record.chance.salted)
    return extended(record, ((Entry(record.turn, by, by, said), record.state._replace(events=())),))


def at_line(record: Record, number: int) -> Record:
    """Return the game as it was after that number of lines of its log."""
    if number == len(record.log):
        return record
    lines = record.lines.first(number)
    if not lines.history:
        return at_beginning(record)._replace(lines=lines)
    entry, state = lines.history[-1]
    given = _given(at_beginning(record), lines.history) if record.chance.takes_contributions else record.given
    return record._replace(turn=entry.turn, state=state, lines=lines, given=given)


def line_at(record: Record, turn: int) -> int:
    """Return the number of lines of the log at the end of a turn."""
    return sum(entry.turn <= turn for entry, _ in record.history)


def at_turn(record: Record, turn: int) -> Record:
    """Return the game as it was at the end of an earlier turn."""
    return at_line(record, line_at(record, turn))


def taken_back(record: Record, turn: int) -> Record:
    """Return the game as it was at the end of an earlier turn, to go on from there.

    In a shared game, each clan passes over the values that it has opened since, so that nobody knows the next draw.
    Raises Illegal if the turn is not an earlier one, or if somebody has begun a new chain since.
    """
    if not 0 <= turn < record.turn:
        raise Illegal(f"turn {turn} is not an earlier turn of this game, which is at turn {record.turn}")
    before = at_turn(record, turn)
    if before.given.renewed != record.given.renewed:
        raise Illegal("somebody has begun a new chain since, which cannot be taken back")
    opened_before = dict(before.given.shown)
    for colour, value in record.given.shown:
        if value != opened_before[colour]:
            before, _ = _contributed(before, colour, Skips(value))
    return before


def shared_lines(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """Return the number of equal lines at the beginning of two logs."""
    most = min(len(one), len(other))
    if one[:most] == other[:most]:  # as nearly always, and much faster
        return most
    return next(number for number in range(most) if one[number] != other[number])


def given_after(given: Given, entry: Entry, before: GameState) -> Given:
    """Return what is contributed after a line; a resignation while a draw is due leaves the values as they are."""
    if isinstance(entry.move, Contribution):
        return given.after(entry.by, entry.move)
    if entry.is_order and who_decides(before) != CHANCE:
        return given.decided(entry.by)
    return given._replace(may_salt="") if given.may_salt else given


def same_situations(record: Record) -> tuple[tuple[int, str], ...]:
    """Return turn and head of the game now, and before each of the latest agreements to end it.

    An agreement does not change the question or its answers, so an order that was written before it is still valid,
    and neither does the salt of its mail. After anything else it is not: a player who has resigned buys no more cards.
    """
    agreed: list[int] = []  # the number of lines back to before each agreement
    for lines, (entry, _) in enumerate(reversed(record.history), 1):
        if not isinstance(entry.move, AgreeEnd | Salts):
            break
        if isinstance(entry.move, AgreeEnd):
            agreed.append(lines)
    if not agreed:
        return ((record.turn, record.head),)
    back = [record.lines.heads[-1 - lines] for lines in agreed]
    return ((record.turn, record.head), *((record.turn - ago, head) for ago, head in enumerate(back, 1)))


def _without_guard(move: Move) -> Move:
    """Return the move for the log, without the card number after buy or decline, which was only a guard."""
    return move._replace(card=None) if move.word in ("buy", "decline") else move


def extended(record: Record, steps: History) -> tuple[Record, History]:
    """Return the record after some steps, and these."""
    if not steps:
        return record, steps
    return record._replace(state=steps[-1][1], lines=record.lines.then(steps), given=_given(record, steps)), steps


def _given(record: Record, steps: History) -> Given:
    """Return what is contributed after some steps."""
    given, before = record.given, record.state
    if record.chance.takes_contributions:
        for entry, after in steps:
            given, before = given_after(given, entry, before), after
    return given


def _hexadecimal(data: bytes) -> str:
    digest: str = sha256(data).hexdigest()
    return digest


def _canonical(data: dict[str, Any]) -> bytes:
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()

"""The record of a game: who plays, every move and draw as one line, and a hash chain over the lines.

The log is the game: the state is what it leads to. ``play`` goes on from there, ``proof`` says whether a file is right.
"""

import json
from collections.abc import Mapping
from typing import Any, ClassVar, Final, Literal, NamedTuple

from pbem.first_sparks.adjudicator import Entry, new_game, who_decides
from pbem.first_sparks.chance.contributions import Contribution, Given, Salts, awaited
from pbem.first_sparks.chance.draws import Chain
from pbem.first_sparks.codec import encode_options
from pbem.first_sparks.components import ComponentSet
from pbem.first_sparks.moves import AgreeEnd
from pbem.first_sparks.options import Options
from pbem.first_sparks.state import CHANCE, GameState
from pbem.quick import Fields, Same
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


def called(record: Record, names: Mapping[str, str]) -> Record:
    """Return the game with these names for the colours."""
    players = tuple((colour, names.get(colour, name)) for colour, name in record.players)
    if players == record.players:
        return record
    history = tuple((entry, _with_names(state, names)) for entry, state in record.history)
    lines = Lines(history, record.log, record.lines.heads)
    return record._replace(players=players, state=_with_names(record.state, names), lines=lines)


def _with_names(state: GameState, names: Mapping[str, str]) -> GameState:
    clans = tuple(clan._replace(player=names.get(clan.colour, clan.player)) for clan in state.clans)
    return state if clans == state.clans else state._replace(clans=clans)


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

"""The record of a game: who plays, every move and draw as one line, and a hash chain over the lines.

The log is the game. Whoever reads a game replays its log, and the result is the
state. The snapshot in the file is for other programs; a file in which it differs
is refused.
"""

import json
from collections import deque
from collections.abc import Callable, Iterator
from itertools import accumulate, takewhile
from typing import Any, Final, NamedTuple

from pbem.errors import Broken, Illegal, NotUnderstood, NotYourTurn
from pbem.first_sparks.adjudicator import Draws, Entry, adjudicate, carry_on, choices, is_chosen, new_game, who_decides
from pbem.first_sparks.chance import commitment, source
from pbem.first_sparks.codec import decode_options, encode_options, encode_state
from pbem.first_sparks.components import ComponentSet
from pbem.first_sparks.moves import AgreeEnd, Move, Resign
from pbem.first_sparks.notation import parse_logged
from pbem.first_sparks.options import Options
from pbem.first_sparks.rules.preparation import tiles_in_play
from pbem.first_sparks.state import CHANCE, GameState
from pbem.sha import sha256

_GO_BACK: Final = (
    "go back to the last file that pbem verify accepts; "
    "if you upgraded pbem during the game, finish it with the older version"
)
FORMAT: Final = "first-sparks-game/1"
HEAD_DIGITS: Final = 8
_CHAIN: Final = "first-sparks-log/1"
_MOST_PROVED: Final = 32
_digested: list[tuple[ComponentSet, str]] = []  # the last set and its digest: nearly all games use the same set

History = tuple[tuple[Entry, GameState], ...]


class Chance(NamedTuple):
    """The source of randomness: ``open`` shows its secret, ``sealed`` only the commitment until the game is over."""

    kind: str
    commitment: str
    secret: str = ""


class Record(NamedTuple):
    """A game as in its file. *players* are pairs of colour and name, in seating order.

    *history* has each line of the log with the state after it, so *state* is the last one there, or the initial one
    while the log is empty.
    """

    game: str
    players: tuple[tuple[str, str], ...]
    options: Options
    components: ComponentSet
    chance: Chance
    log: tuple[str, ...]
    head: str
    turn: int
    state: GameState
    history: History = ()


class Claim(NamedTuple):
    """What a game file claims, before it is proved: the game at its beginning, the log, and the result."""

    begun: Record
    log: tuple[str, ...]
    head: str
    turn: int
    snapshot: dict[str, Any]


# The games that were proved last, by their first head: each of many positions is judged from the one before.
_proved: dict[str, Record] = {}


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
    record = Record(game, players, options, components, chance, (), "", 0, new_game(components, players, options))
    return record._replace(head=first_head(record))


def _beginning(record: Record) -> Record:
    return begin(record.game, record.players, record.options, record.components, record.chance)


def first_head(record: Record) -> str:
    """Return the head before the first line: it binds the log to the game's header."""
    return _hexadecimal(_CHAIN.encode() + b"\n" + _canonical(header(record)))


def header(record: Record) -> dict[str, Any]:
    """Return the header of a game, which never changes."""
    return {
        "format": FORMAT,
        "game": record.game,
        "players": record.players,
        "options": encode_options(record.options),
        "components": digest(record.components),
        "chance": [record.chance.kind, record.chance.commitment],
    }


def next_head(head: str, line: str) -> str:
    """Return the head after one more line: the SHA-256 of the head before, a line feed, and the line."""
    return _hexadecimal(f"{head}\n{line}".encode())


def carried_on(record: Record, draw: Draws | None) -> tuple[Record, History]:
    """Return the record at the next choice of a player, or of chance without *draw*, and what happened before."""
    steps = ((Entry(record.turn, by, clan, move), state) for by, clan, move, state in carry_on(record.state, draw))
    return _with(record, tuple(steps))


def played(record: Record, by: str, move: Move, draw: Draws | None) -> tuple[Record, History]:
    """Return the record after one order of the clan *by*, at the next choice, and what happened from the order on.

    Raises NotYourTurn and Illegal like ``adjudicate``.
    """
    turn = record.turn + 1
    state = adjudicate(record.state, by, move)
    moved, first = _with(record._replace(turn=turn), ((Entry(turn, by, by, _without_guard(move)), state),))
    after, rest = carried_on(moved, draw)
    return after, first + rest


def followed(record: Record, lines: tuple[str, ...]) -> tuple[Record, History]:
    """Return the record after more lines of a log, each judged again; raises Broken at the first wrong one."""
    steps = tuple(_judged(lines, len(record.log) + 1, record.state, record.turn))
    return _with(record._replace(turn=steps[-1][0].turn if steps else record.turn), steps, lines)


def at_line(record: Record, number: int) -> Record:
    """Return the game as it was after that number of lines of its log."""
    if number == len(record.log):
        return record
    history = record.history[:number]
    turn = history[-1][0].turn if history else 0
    return _with(_beginning(record)._replace(turn=turn), history, record.log[:number])[0]


def line_at(record: Record, turn: int) -> int:
    """Return the number of lines of the log at the end of a turn."""
    return sum(entry.turn <= turn for entry, _ in record.history)


def at_turn(record: Record, turn: int) -> Record:
    """Return the game as it was at the end of an earlier turn."""
    return at_line(record, line_at(record, turn))


def shared_lines(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """Return the number of equal lines at the beginning of two logs."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((number for number, (line, there) in pairs if line != there), min(len(one), len(other)))


# Proving


def claim(data: dict[str, Any], built_in: ComponentSet, embedded: Callable[[dict[str, Any]], ComponentSet]) -> Claim:
    """Return what the data of a game file claim; their shape has been checked.

    *embedded* makes a component set from the file's own data. Raises Broken if
    header and component set do not match.
    """
    named = data["components"]
    components = embedded(named["set"]) if "set" in named else built_in
    if (components.name, digest(components)) != (named["name"], named["digest"]):
        raise Broken("the component set does not match the one that the game began with", path="components.digest")
    players = tuple((row["colour"], row["name"]) for row in data["players"])
    for values in ([colour for colour, _ in players], [name.casefold() for _, name in players]):
        if len(set(values)) < len(values):
            raise Broken("two players have the same name or colour", path="players")
    options = decode_options(data["options"])
    if options.board == "recommended" and tiles_in_play(len(players)) not in components.boards:
        raise Broken(f"the component set has no recommended board for {len(players)} players", path="options.board")
    begun = begin(data["game"], players, options, components, Chance(**data["chance"]))
    return Claim(begun, tuple(data["log"]), data["head"], data["turn"], data["state"])


def decode(data: dict[str, Any], built_in: ComponentSet, embedded: Callable[[dict[str, Any]], ComponentSet]) -> Record:
    """Return the game that the data of a game file describe, proved; see ``claim`` and ``proved``."""
    return proved(claim(data, built_in, embedded))


def proved(said: Claim) -> Record:
    """Return the game that results from the log; raises Broken unless head, turn and snapshot agree with it.

    A log that begins like one that was proved recently is judged from the first line that differs.
    """
    known = _proved.get(said.begun.head, said.begun)
    shared = shared_lines(known.log, said.log)
    record = at_line(known._replace(chance=said.begun.chance), shared)
    if shared < len(said.log):
        record = known = followed(record, said.log[shared:])[0]
    if record.head != said.head:
        raise _changed()
    check_end(said, record.turn, record.state)
    _proved.pop(said.begun.head, None)
    _proved[said.begun.head] = known
    for oldest in tuple(_proved)[:-_MOST_PROVED]:
        _proved.pop(oldest, None)  # another thread may have been faster
    return record


def replayed(said: Claim) -> Iterator[tuple[Entry, GameState]]:
    """Yield every line of the log with the state after it, each judged again; raises Broken at the first wrong one."""
    return _judged(said.log, 1, said.begun.state, 0)


def check_head(said: Claim) -> None:
    """Raise Broken unless the head matches the header and the lines."""
    head = said.begun.head
    for line in said.log:
        head = next_head(head, line)
    if head != said.head:
        raise _changed()


def check_end(said: Claim, turn: int, state: GameState) -> None:
    """Raise Broken unless the turn and the snapshot in the file match these."""
    if turn != said.turn:
        raise Broken(f"the log ends at turn {turn}, but the file says {said.turn}", path="turn", hint=_GO_BACK)
    replay, snapshot = encode_state(state), said.snapshot
    for key in sorted(replay.keys() | snapshot.keys()):
        if replay.get(key) != snapshot.get(key):
            raise Broken("the snapshot does not match the log", path=f"state.{key}", hint=_GO_BACK)


def _changed() -> Broken:
    return Broken("the log or the header was changed: the head does not match them", path="head", hint=_GO_BACK)


def _judged(lines: tuple[str, ...], first: int, state: GameState, turn: int) -> Iterator[tuple[Entry, GameState]]:
    """Yield lines of a log, numbered from *first*, with the state after each; raises Broken at the first wrong one."""
    for number, line in enumerate(lines, first):
        try:
            entry = parse_entry(line)
            _check_sequence(entry, state, turn)
            state = adjudicate(state, entry.clan, entry.move)
        except (Illegal, NotYourTurn, NotUnderstood) as wrong:
            reasons = "; ".join(reason.message for reason in wrong.reasons)
            said = f"{wrong.message}: {reasons}" if reasons else wrong.message
            raise Broken(
                f"line {number} of the log is wrong: {said}", path=f"log[{number - 1}]", hint=_GO_BACK
            ) from None
        turn = entry.turn
        yield entry, state


def same_situations(record: Record) -> tuple[tuple[int, str], ...]:
    """Return turn and head of the game now, and before each of the latest agreements to end it.

    An agreement does not change the question or its answers, so an order that was written before it is still valid.
    After anything else it is not: a player who has resigned buys no more cards.
    """
    agreed = tuple(takewhile(lambda line: line.endswith(f" {AgreeEnd().word}"), reversed(record.log)))
    if not agreed:
        return ((record.turn, record.head),)
    heads = deque(accumulate(record.log, next_head, initial=first_head(record)), maxlen=len(agreed) + 1)
    return tuple((record.turn - ago, head) for ago, head in enumerate(reversed(heads)))


def verify(record: Record) -> int:
    """Return the number of lines of a game in memory; raises Broken unless its log, chain and state agree."""
    said = Claim(_beginning(record), record.log, record.head, record.turn, encode_state(record.state))
    return len(proved(said).log)


def draws_proved(record: Record) -> int | None:
    """Return the number of draws if the file shows the secret and it gives them, else None; raises Broken."""
    return audit(record, bytes.fromhex(record.chance.secret)) if record.chance.secret else None


def audit(record: Record, secret: bytes) -> int:
    """Return the number of draws if the secret yields all of them; raises Broken at the first that differs."""
    if commitment(secret) != record.chance.commitment:
        raise Broken("the secret is not the one that the game was committed to", path="chance")
    draw = source(record.game, secret)
    before = _beginning(record).state
    for number, (entry, after) in enumerate(record.history, 1):
        if entry.clan == CHANCE:
            candidates = tuple(choices(before))
            if candidates[draw(len(candidates), before.draws)] != entry.move:
                raise Broken(f"line {number} of the log is not what the secret yields", path=f"log[{number - 1}]")
        before = after
    return before.draws


def parse_entry(line: str) -> Entry:
    """Return the entry of a log line: ``57 red offer 12``, ``58 * draw 23``, ``58 * red pass``."""
    words = line.split(" ", 2)
    if len(words) < 3 or not words[0].isascii() or not words[0].isdigit() or len(words[0]) > 9:
        raise NotUnderstood("it must have a turn, a player and an order")
    turn, by, order = words
    clan = by
    if by == CHANCE and not order.startswith(("draw ", "lay ")):
        clan, _, order = order.partition(" ")
    entry = Entry(int(turn), by, clan, parse_logged(order))
    if str(entry) != line:
        raise NotUnderstood(f"it must be written as {entry}")
    return entry


def _check_sequence(entry: Entry, state: GameState, turn: int) -> None:
    """Raise Illegal if the entry cannot follow: turns count players' orders, and forced moves are the only choice."""
    own, decides = entry.by != CHANCE, who_decides(state)
    if entry.turn != turn + own:
        raise Illegal(f"turn {entry.turn} cannot follow turn {turn} here")
    if isinstance(entry.move, (Resign, AgreeEnd)):
        if not own:
            raise Illegal("only a player can decide that")
        return
    if decides not in (CHANCE, None) and is_chosen(state, entry.move) != own:
        raise Illegal("the adjudicator takes every decision with only one choice, and no other")


def _without_guard(move: Move) -> Move:
    """Return the move for the log, without the card number after buy or decline, which was only a guard."""
    return move._replace(card=None) if move.word in ("buy", "decline") else move


def _with(record: Record, steps: History, lines: tuple[str, ...] | None = None) -> tuple[Record, History]:
    """Return the record after some steps, and these; *lines* are their entries as texts, if the caller has them."""
    head = record.head
    lines = tuple(str(entry) for entry, _ in steps) if lines is None else lines
    for line in lines:
        head = next_head(head, line)
    state = steps[-1][1] if steps else record.state
    return record._replace(log=record.log + lines, head=head, state=state, history=record.history + steps), steps


def encode(record: Record, built_in: str) -> dict[str, Any]:
    """Return the data of the game file; the set with the digest *built_in* is named, others are embedded."""
    own = digest(record.components)
    chance = {key: value for key, value in record.chance._asdict().items() if value}
    components: dict[str, Any] = {"name": record.components.name, "digest": own}
    if own != built_in:
        components["set"] = record.components.source
    return {
        "format": FORMAT,
        "game": record.game,
        "turn": record.turn,
        "head": record.head,
        "log": list(record.log),
        "players": [{"colour": colour, "name": name} for colour, name in record.players],
        "options": encode_options(record.options),
        "chance": chance,
        "state": encode_state(record.state),
        "components": components,
    }


def _hexadecimal(data: bytes) -> str:
    digest: str = sha256(data).hexdigest()
    return digest


def _canonical(data: dict[str, Any]) -> bytes:
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()

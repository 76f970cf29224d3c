"""The proof of a game: whoever reads one replays its log, and the result must be what the file says.

The snapshot in a file is for other programs; a file in which it differs is refused.
"""

from collections.abc import Callable, Hashable, Iterator
from functools import lru_cache
from typing import Any, Final, NamedTuple

from pbem.errors import Broken, Illegal, NotUnderstood, NotYourTurn
from pbem.first_sparks.adjudicator import Entry, adjudicate, choices, is_chosen, who_decides
from pbem.first_sparks.chance.contributions import Contribution, Given, Salts, check, is_incomplete, parse_contribution
from pbem.first_sparks.chance.draws import commitment, salted, source
from pbem.first_sparks.codec import decode_options, encode_options, encode_state
from pbem.first_sparks.components import ComponentSet
from pbem.first_sparks.moves import AgreeEnd, Move, Resign
from pbem.first_sparks.notation import parse_logged
from pbem.first_sparks.record import (
    BOUND_FORMAT,
    SHARED,
    Chance,
    History,
    Record,
    at_beginning,
    at_line,
    begin,
    digest,
    given_after,
    next_head,
    shared_lines,
)
from pbem.first_sparks.rules.preparation import tiles_in_play
from pbem.first_sparks.state import CHANCE, GameState
from pbem.quick import new

_GO_BACK: Final = (
    "go back to the last file that pbem verify accepts; "
    "if you upgraded pbem during the game, finish it with the older version"
)
_MOST_GAMES: Final = 32


class Claim(NamedTuple):
    """What a game file claims, before it is proved: the game at its beginning, the log, and the result."""

    begun: Record
    log: tuple[str, ...]
    head: str
    turn: int
    snapshot: dict[str, Any]


# The latest games at their beginning, by their headers: often the next one is one of them, some turns later.
_begun: dict[Hashable, Record] = {}
# The games that were proved last, by their first head: each of many positions is judged from the one before.
_proved: dict[Hashable, Record] = {}


def followed(record: Record, lines: tuple[str, ...]) -> tuple[Record, History]:
    """Return the record after more lines of a log, each judged again; raises Broken at the first wrong one."""
    judged = tuple(_judged(lines, record))
    if not judged:
        return record, ()
    entry, state, given = judged[-1]
    steps = tuple([(entry, state) for entry, state, _ in judged])
    return record._replace(turn=entry.turn, state=state, lines=record.lines.then(steps, lines), given=given), steps


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
    chance = _chance(data["chance"], data["format"], dict(players))
    header = (data["game"], players, options, chance)
    begun = _begun.get(header)
    if begun is None or begun.components is not components:
        begun = begin(data["game"], players, options, components, chance)
    _remember(_begun, header, begun)
    return Claim(begun, tuple(data["log"]), data["head"], data["turn"], data["state"])


def _chance(said: dict[str, Any], form: str, players: dict[str, str]) -> Chance:
    """Return the source of chance of a game of that format; raises Broken if its parts do not belong together."""
    rows = said.get("joined", ())
    if form == BOUND_FORMAT and said["kind"] != SHARED:
        raise Broken(f"a game whose chance is {said['kind']} does not have the format {form}", path="format")
    for key in ("joined",) if said["kind"] != SHARED else ("commitment", "secret", "salted"):
        if key in said:
            raise Broken(f"{said['kind']} chance has no {key}", path=f"chance.{key}")
    joined = {row["colour"]: row["value"] for row in rows}
    if len(joined) < len(rows) or not joined.keys() <= players.keys():
        raise Broken("those who have joined are not players of the game, or one has joined twice", path="chance.joined")
    one = {key: value for key, value in said.items() if key != "joined"}
    older = said["kind"] == SHARED and form != BOUND_FORMAT
    if len(set(joined.values())) < len(joined) and not older:
        raise Broken("two players have published the same first value", path="chance.joined")
    return Chance(**one, joined=tuple(joined.items()), older=older)


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
    _check_opened_end(said, record.given, record.state)
    check_end(said, record.turn, record.state)
    _remember(_proved, said.begun.head, known)
    return record


def _remember(games: dict[Hashable, Record], key: Hashable, game: Record) -> None:
    """Make a game the latest of those that are remembered, and forget the oldest."""
    games.pop(key, None)
    games[key] = game
    for oldest in tuple(games)[:-_MOST_GAMES]:
        games.pop(oldest, None)  # another thread may have been faster


def replayed(said: Claim) -> Iterator[tuple[Entry, GameState]]:
    """Yield every line of the log with the state after it, each judged again; raises Broken at the first wrong one."""
    for entry, state, _ in _judged(said.log, said.begun):
        yield entry, state


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
    if replay == snapshot:
        return
    for key in sorted(replay.keys() | snapshot.keys()):
        if replay.get(key) != snapshot.get(key):
            raise Broken("the snapshot does not match the log", path=f"state.{key}", hint=_GO_BACK)


def _check_opened_end(said: Claim, given: Given, state: GameState) -> None:
    """Raise Broken if the log ends before a value that is needed, or before draws that have been opened."""
    where, begun = f"log[{len(said.log)}]", said.begun
    if begun.chance.kind == SHARED and not begun.missing and is_incomplete(given, state):
        raise Broken(f"the log lacks the value of {given.mover} after the last line", path=where, hint=_GO_BACK)
    if given.key and who_decides(state) == CHANCE:
        raise Broken("the log lacks the draws that have been opened", path=where, hint=_GO_BACK)


def _changed() -> Broken:
    return Broken("the log or the header was changed: the head does not match them", path="head", hint=_GO_BACK)


def _judged(lines: tuple[str, ...], record: Record) -> Iterator[tuple[Entry, GameState, Given]]:
    """Yield more lines of a game's log, each with the state and what is contributed after it.

    Raises Broken at the first wrong one.
    """
    state, turn, given = record.state, record.turn, record.given
    shared, depends = record.chance.kind == SHARED, record.chance.takes_contributions
    for number, line in enumerate(lines, len(record.log) + 1):
        before = state
        try:
            entry = parse_entry(line)
            move = entry.move
            if isinstance(move, Contribution):
                _check_contribution(entry, turn, record, given, state)
                state = state._replace(events=())
            else:
                _check_sequence(entry, move, state, turn)
                if shared:
                    _check_opened(entry, given, state, record)
                state = adjudicate(state, entry.clan, move)
        except (Illegal, NotYourTurn, NotUnderstood) as wrong:
            reasons = "; ".join(reason.message for reason in wrong.reasons)
            said = f"{wrong.message}: {reasons}" if reasons else wrong.message
            raise Broken(
                f"line {number} of the log is wrong: {said}", path=f"log[{number - 1}]", hint=_GO_BACK
            ) from None
        turn = entry.turn
        given = given_after(given, entry, before) if depends else given
        yield entry, state, given


def _check_contribution(entry: Entry, turn: int, record: Record, given: Given, state: GameState) -> None:
    """Raise Illegal if a contribution cannot stand here."""
    assert isinstance(entry.move, Contribution)
    if record.missing:
        raise Illegal("not everybody has joined the game")
    if entry.turn != turn:
        raise Illegal(f"turn {entry.turn} cannot follow turn {turn} here")
    check(given, state, record.chain(entry.by), entry.move, salted=record.chance.salted)


def _check_opened(entry: Entry, given: Given, state: GameState, record: Record) -> None:
    """Raise Illegal if a line of a shared game needs a value before it, or is a draw that the values do not yield."""
    if record.missing:
        raise Illegal("not everybody has joined the game")
    if is_incomplete(given, state):
        raise Illegal(f"a value of {given.mover} is missing before it")
    if entry.clan == CHANCE:
        if not given.key:
            raise Illegal("nobody has opened this draw")
        candidates = tuple(choices(state))
        if candidates[source(record.game, given.key)(len(candidates), state.draws)] != entry.move:
            raise Illegal("this is not what the opened values yield")


def verify(record: Record) -> int:
    """Return the number of lines of a game in memory; raises Broken unless its log, chain and state agree.

    Every line is judged, and no state is kept: an archive of games in memory needs little more of it.
    """
    begun = at_beginning(record)
    said = Claim(begun, record.log, record.head, record.turn, encode_state(record.state))
    state, turn, given = begun.state, begun.turn, begun.given
    for entry, state, given in _judged(said.log, begun):  # noqa: B007 -- the last ones count
        turn = entry.turn
    check_head(said)
    _check_opened_end(said, given, state)
    check_end(said, turn, state)
    return len(said.log)


def draws_proved(record: Record) -> int | None:
    """Return the number of draws if the file itself proves them, else None; raises Broken if its secret does not."""
    if record.chance.kind == SHARED:
        return record.state.draws  # proved as the log was read
    return audit(record, bytes.fromhex(record.chance.secret)) if record.chance.secret else None


def audit(record: Record, secret: bytes) -> int:
    """Return the number of draws if the secret yields all of them; raises Broken at the first that differs."""
    if commitment(secret) != record.chance.commitment:
        raise Broken("the secret is not the one that the game was committed to", path="chance")
    draw = source(record.game, secret)
    before, key = at_beginning(record).state, secret
    for number, (entry, after) in enumerate(record.history, 1):
        if isinstance(entry.move, Salts):
            key = salted(key, bytes.fromhex(entry.move.value))
            draw = source(record.game, key)
        if entry.clan == CHANCE:
            candidates = tuple(choices(before))
            if candidates[draw(len(candidates), before.draws)] != entry.move:
                raise Broken(f"line {number} of the log is not what the secret yields", path=f"log[{number - 1}]")
        before = after
    return before.draws


def parse_entry(line: str) -> Entry:
    """Return the entry of a log line: ``57 red offer 12``, ``58 * draw 23``, ``58 * red pass``."""
    turn, _, said = line.partition(" ")
    if " " not in said or not turn.isascii() or not turn.isdigit() or len(turn) > 9:
        raise NotUnderstood("it must have a turn, a player and an order")
    by, clan, move, written = _logged(said)
    entry = new(Entry, (int(turn), by, clan, move))
    if f"{entry.turn} {written}" != line:
        raise NotUnderstood(f"it must be written as {entry}")
    return entry


@lru_cache(maxsize=1024)
def _logged(said: str) -> tuple[str, str, Move | Contribution, str]:
    """Return who decides, for which clan, and the move of a log line without its turn, and how these are written."""
    by, _, order = said.partition(" ")
    clan = by
    if by == CHANCE and not order.startswith(("draw ", "lay ")):
        clan, _, order = order.partition(" ")
    contributed = parse_contribution(order) if by != CHANCE else None
    move = contributed or parse_logged(order)
    return by, clan, move, str(Entry(0, by, clan, move)).partition(" ")[2]


def _check_sequence(entry: Entry, move: Move, state: GameState, turn: int) -> None:
    """Raise Illegal if the entry cannot follow: turns count players' orders, and forced moves are the only choice."""
    own, decides = entry.by != CHANCE, who_decides(state)
    if entry.turn != turn + own:
        raise Illegal(f"turn {entry.turn} cannot follow turn {turn} here")
    if isinstance(move, (Resign, AgreeEnd)):
        if not own:
            raise Illegal("only a player can decide that")
        return
    if decides not in (CHANCE, None) and is_chosen(state, move) != own:
        raise Illegal("the adjudicator takes every decision with only one choice, and no other")


def encode(record: Record, built_in: str) -> dict[str, Any]:
    """Return the data of the game file; the set with the digest *built_in* is named, others are embedded."""
    own = digest(record.components)
    chance = {key: value for key, value in record.chance._replace(older=False)._asdict().items() if value}
    if record.chance.kind == SHARED:
        chance["joined"] = [{"colour": colour, "value": value} for colour, value in record.chance.joined]
    components: dict[str, Any] = {"name": record.components.name, "digest": own}
    if own != built_in:
        components["set"] = record.components.source
    return {
        "format": record.chance.form,
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

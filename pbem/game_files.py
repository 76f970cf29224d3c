"""Game files: lend the game in one, write one in its place, and say how two of them relate."""

from collections.abc import Generator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, assert_never

from pbem import files, formats, interrupts
from pbem.errors import (
    Broken,
    CannotCreate,
    PbemError,
)
from pbem.first_sparks.components import ComponentSet
from pbem.first_sparks.record import (
    HEAD_DIGITS,
    Record,
    digest,
    encode,
    header,
    shared_lines,
)
from pbem.formats import Format
from pbem.loading import GameFile, built_in, load, read_any

GAME_SCHEMA: Final = "./game.schema.json"

_BEGUN_WITH: Final = {
    "players": "other players",
    "options": "other options",
    "components": "another component set",
    "chance": "another source of chance",
}


@contextmanager
def opened(path: Path, *, to_write: bool = False, wait: float = files.LOCK_WAIT) -> Generator[GameFile]:
    """Lend the game in the file; to write it, keep everybody else away for as long. See ``load`` and ``locked``."""
    with files.locked(path, wait=wait) if to_write else nullcontext():
        yield load(path)


def text_of(record: Record, form: Format, schema: str = GAME_SCHEMA) -> str:
    """Return the text of the game's file; raises CannotWrite if it is too long to be read again."""
    return formats.dump(data_of(record), form, schema=schema)


def data_of(record: Record) -> dict[str, Any]:
    """Return the game as the data of its file."""
    return encode(record, digest(built_in()))


def write(game: GameFile, record: Record, out: Path | None = None, form: Format | None = None) -> None:
    """Write the record in the place of the game file, or to *out*, in its format, *out*'s or *form*.

    The folder of the game is locked. Raises CannotCreate if *out* holds what would be lost.
    """
    target = out or game.path
    elsewhere = not target.parent.exists() or not target.parent.samefile(game.path.parent)
    form = form or formats.format_of(target, game.form)
    text = text_of(record, form, game.schema or GAME_SCHEMA)
    with files.locked(target) if elsewhere else nullcontext():
        if files.exists(target) and not target.samefile(game.path):
            check_replaceable(target, record)
        files.replace(target, text)


class Relation(NamedTuple):
    """How a game relates to an earlier file of it, and with how many of the same lines their logs begin."""

    kind: Literal["another game", "another course", "older", "secret lost", "continued"]
    shared: int = 0


def relation(new: Record, old: Record) -> Relation:
    """Return whether the *new* game continues the *old* one, which it does too if nothing has happened since."""
    if header(new) != header(old):
        return Relation("another game")
    shared = shared_lines(old.log, new.log)
    if shared < min(len(old.log), len(new.log)):
        return Relation("another course", shared)
    if len(new.log) < len(old.log):
        return Relation("older", shared)
    return Relation("secret lost" if old.chance.secret and not new.chance.secret else "continued", shared)


def check_replaceable(target: Path, record: Record) -> None:
    """Raise CannotCreate unless the file holds this game, at this turn or an earlier one: nothing else is lost."""
    why = "exists already and does not hold this game"
    with suppress(PbemError):
        there = load(target).record
        kind, shared = relation(record, there)
        if kind == "continued":
            return
        if kind == "another course":
            why = f"holds another course of this game, from line {shared + 1} of the log on"
        elif kind == "older":
            now, then = (f"turn {there.turn}", f"turn {record.turn}")
            if there.turn == record.turn:  # draws are not counted as turns
                now, then = (f"line {len(there.log)} of its log", f"line {len(record.log)}")
            why = f"holds this game at {now}, and would go back to {then}"
        elif kind == "secret lost":
            why = "holds this game with its secret published, and that would be lost"
    raise CannotCreate(f"{target} {why}", path=str(target), hint="choose another name, or move that file away")


class Added(NamedTuple):
    """What a game has more than it had: lines of its log, and turns."""

    lines: int
    turns: int


def added_since(old: Path, new: Record) -> Added:
    """Return what the game has more than in the file *old*; raises Broken unless it is the same game, played on."""
    before = load(old).record
    kind, shared = relation(new, before)
    match kind:
        case "another game":
            raise _another_game(old, before, new)
        case "another course":
            line, was = new.log[shared], before.log[shared]
            raise Broken(f'line {shared + 1} of the log differs: "{line}", and in {old} "{was}"', path=f"log[{shared}]")
        case "older":
            ends, end = (f"line {len(record.log)} (turn {record.turn})" for record in (new, before))
            raise Broken(f"it is older: its log ends at {ends}, and that of {old} at {end}", path="log")
        case "secret lost":
            raise Broken(f"the secret is gone, which {old} publishes", path="chance.secret")
        case "continued":
            return Added(len(new.log) - shared, new.turn - before.turn)
        case _ as unreachable:
            assert_never(unreachable)


def _another_game(old: Path, before: Record, new: Record) -> Broken:
    """Return the error that says by what two games differ from the beginning."""
    then, now = header(before), header(new)
    for key, what in _BEGUN_WITH.items():
        if before.game == new.game and then[key] != now[key]:
            return Broken(f"it is another game than in {old}: it was begun with {what}", path=key)
    return Broken(f"it is another game than in {old}: {new.game}, not {before.game}", path="game")


def own_set(record: Record) -> str:
    """Return by which digits texts name the component set of a game, or nothing if it is the one that ships."""
    return digits_of_set(record.components)


def digits_of_set(components: ComponentSet) -> str:
    """Return by which digits texts name a component set, or nothing if it is the one that ships."""
    if components is built_in() or digest(components) == digest(built_in()):
        return ""
    return digest(components)[:HEAD_DIGITS]


def convert(path: Path, out: Path, form: Format | None = None) -> Format:
    """Write a game, move or component file in another format, and return which; nothing is lost or overwritten."""
    text = files.read_text(path)
    data, read = read_any(text, path)
    form = form or formats.format_of(out)
    converted = formats.dump(data, form, schema=formats.schema_line(text, read))
    with interrupts.hold(f"{formats.shown(out)} was written"):
        files.create(out, converted)
    return form

"""Game files: lend the game in one, replace one, and say how two of them relate."""

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
from pbem.first_sparks.proof import encode
from pbem.first_sparks.record import HEAD_DIGITS, Record, digest, header, shared_lines
from pbem.formats import Format
from pbem.loading import GameFile, built_in, load, read_any
from pbem.ownership import replaceable

GAME_SCHEMA: Final = "./game.schema.json"
GUIDE: Final = "PLAY.md"  # beside a game that is played through git
# How the names of files end that only whoever made them may read: the secret of a sealed game's draws, and plans. No
# commit may have a file that ends so: ``carriers/git/contents.py`` says why, and a new ``.gitignore`` lists them.
SECRET: Final = ".secret.toml"  # noqa: S105 -- a part of the name of a file
PLANS: Final = ".plans.toml"
UNCOMMITTED: Final = (SECRET, PLANS)

_DIFFERENT: Final = {
    "players": "it is not the game in {old}: the players are different",
    "options": "it is not the game in {old}: the options are different",
    "components": "it is not the game in {old}: the component set is different",
    "chance": "it is not the game in {old}: the source of chance is different",
    "format": "it is not the game in {old}: the format is different",
}


def uncommitted(name: str) -> str | None:
    """Return which of the ends in ``UNCOMMITTED`` the name of a file has, in capital or small letters; None if none."""
    return next((end for end in UNCOMMITTED if name.casefold().endswith(end)), None)


def plans_path(game: Path) -> Path:
    """Return the path of the plans that players have made for a game: ``GAME.plans.toml`` beside the game.

    In a clone it is in git's own folder: no command of git commits, shows, sends or cleans away what is there, and
    every clone and linked work tree has its own. A folder of the user's data would need names for games and clones.
    """
    return (_git_folder(game.parent) or game.parent) / f"{game.stem}{PLANS}"


def is_through_git(game: Path) -> bool:
    """Return whether the game in that file is played through git: it is in a clone, with the guide to that."""
    return _git_folder(game.parent) is not None and (game.parent / GUIDE).is_file()


def _git_folder(top: Path) -> Path | None:
    """Return git's own folder of the clone with that top folder, None if it is not a clone; git is not needed."""
    place = top / ".git"
    if place.is_file():  # of a linked work tree, or a submodule
        with suppress(PbemError):
            place = top / files.read_text(place, 1 << 12).removeprefix("gitdir:").strip()
    return place if (place / "HEAD").is_file() else None


@contextmanager
def opened(path: Path, *, to_write: bool = False, wait: float = files.LOCK_WAIT) -> Generator[GameFile]:
    """Yield the game in the file; keep everybody else away if it is to be written. See ``load``, ``locked``."""
    with files.locked(path, wait=wait) if to_write else nullcontext():
        yield load(path)


def text_of(record: Record, form: Format, schema: str = GAME_SCHEMA) -> str:
    """Return the text of the game's file; raises CannotWrite if it is too long to be read again."""
    return formats.dump(data_of(record), form, schema=schema)


def text_again(game: GameFile, record: Record, form: Format | None = None) -> str:
    """Return the text of a game file with another record, in its own format and with its own schema."""
    return text_of(record, form or formats.format_of(game.path, game.form), game.schema or GAME_SCHEMA)


def data_of(record: Record) -> dict[str, Any]:
    """Return the game as the data of its file."""
    return encode(record, digest(built_in()))


def write(game: GameFile, record: Record, out: Path | None = None, form: Format | None = None) -> None:
    """Replace the game file by the record, or write it to *out*, in its format, *out*'s or *form*.

    The folder of the game must be locked. Raises CannotCreate if something in *out* would be lost.
    """
    target = out or game.path
    elsewhere = not target.parent.exists() or not target.parent.samefile(game.path.parent)
    text = text_again(game, record, form or formats.format_of(target, game.form))
    with files.locked(target) if elsewhere else nullcontext():
        if files.exists(target) and not target.samefile(game.path):
            check_replaceable(target, record)
        files.replace(target, text)


class Relation(NamedTuple):
    """How a game relates to an earlier file of it, and how many lines at the start of their logs are the same."""

    kind: Literal["another game", "another course", "older", "secret lost", "continued"]
    shared: int = 0


def relation(new: Record, old: Record) -> Relation:
    """Return how the *new* game relates to the *old* one, which it also continues if nothing has happened since."""
    if header(new) != header(old):
        return Relation("another game")
    shared = shared_lines(old.log, new.log)
    if shared < min(len(old.log), len(new.log)):
        return Relation("another course", shared)
    if len(new.log) < len(old.log):
        return Relation("older", shared)
    return Relation("secret lost" if old.chance.secret and not new.chance.secret else "continued", shared)


def check_replaceable(target: Path, record: Record) -> None:
    """Raise CannotCreate unless the file, no link, holds this game at this turn or an earlier one: nothing is lost."""
    replaceable(target)
    message = f"{target} already exists and does not hold this game"
    with suppress(PbemError):
        there = load(target).record
        kind, shared = relation(record, there)
        if kind == "continued":
            return
        if kind == "another course":
            message = f"{target} holds a different history of this game, from line {shared + 1} of the log on"
        elif kind == "older":
            message = f"{target} holds this game at turn {there.turn}, and would go back to turn {record.turn}"
            if there.turn == record.turn:  # draws are not counted as turns
                now, then = len(there.log), len(record.log)
                message = f"{target} holds this game at line {now} of its log, and would go back to line {then}"
        elif kind == "secret lost":
            message = f"{target} holds this game with its secret, which would be lost"
    raise CannotCreate(message, path=str(target), hint="choose another name, or move that file away")


class Added(NamedTuple):
    """How much was added to a game: lines of its log, and turns."""

    lines: int
    turns: int


def added_since(old: Path, new: Record) -> Added:
    """Return what was added to the game since the file *old*; raises Broken unless it continues that game."""
    before = load(old).record
    kind, shared = relation(new, before)
    match kind:
        case "another game":
            raise _another_game(old, before, new)
        case "another course":
            line, was = new.log[shared], before.log[shared]
            message = f'line {shared + 1} of the log differs: it is "{line}", but "{was}" in {old}'
            raise Broken(message, path=f"log[{shared}]")
        case "older":
            here, there = f"line {len(new.log)}, turn {new.turn}", f"line {len(before.log)}, turn {before.turn}"
            raise Broken(f"it is older than {old}: its log ends at {here}, not at {there}", path="log")
        case "secret lost":
            raise Broken(f"it lacks the secret, which is in {old}", path="chance.secret")
        case "continued":
            return Added(len(new.log) - shared, new.turn - before.turn)
        case _ as unreachable:
            assert_never(unreachable)


def _another_game(old: Path, before: Record, new: Record) -> Broken:
    """Return the error that says how two games differ from the beginning."""
    then, now = header(before), header(new)
    for key, message in _DIFFERENT.items():
        if before.game == new.game and then[key] != now[key]:
            return Broken(message.format(old=old), path=key)
    return Broken(f"it is not the game in {old}: its name is {new.game}, not {before.game}", path="game")


def own_set(record: Record) -> str:
    """Return the digits by which texts name the component set of a game, or "" for the built-in one."""
    return digits_of_set(record.components)


def digits_of_set(components: ComponentSet) -> str:
    """Return the digits by which texts name a component set, or "" for the built-in one."""
    if components is built_in() or digest(components) == digest(built_in()):
        return ""
    return digest(components)[:HEAD_DIGITS]


def convert(path: Path, out: Path, form: Format | None = None) -> Format:
    """Write a game, move or component file in another format, and return that; nothing is lost or overwritten."""
    text = files.read_text(path)
    data, read = read_any(text, path)
    form = form or formats.format_of(out, hint=formats.NAME_OR_FORMAT)
    converted = formats.dump(data, form, schema=formats.schema_line(text, read))
    with interrupts.hold(f"{formats.shown(out)} was written"):
        files.create(out, converted)
    return form

"""The files of a club as named tuples. Hosts edit them, so unknown keys and wrong values are errors."""

import re
from collections.abc import Collection, Mapping
from contextlib import suppress
from functools import cache
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, TypeVar, cast, get_args, get_origin

from pbem import files, formats
from pbem.errors import NoSuchFile, NotUnderstood, PbemError
from pbem.grammar import listed, plural

T = TypeVar("T")
_MOST_NEAR: Final = 3

# What a club is whose settings have a format of that name, and what its host should use.
_CLUBS: Final = {
    "pbem-club": ("a club by mail", "use pbem mail instead of pbem club"),
    "pbem-folders": ("a club whose letters are files", "use pbem club instead of pbem mail"),
}
_FILE_LIMIT: Final = 256 * 1024


def read(path: Path, form: str) -> dict[str, Any]:
    """Return the tables of a club file, whose format must be *form*; raises NoSuchFile, NotUnderstood."""
    return tables_in(text_in(path), path, form)


def format_in(folder: Path) -> str:
    """Return the format of the ``club.toml`` in a folder, whatever it is; raises NoSuchFile, NotUnderstood."""
    path = folder / "club.toml"
    return str(formats.parse(text_in(path), "toml", name=str(path)).get("format"))


def write(path: Path, form: str, tables: Mapping[str, Any]) -> None:
    """Replace a club file, which only its owner may read; raises CannotCreate, TryAgain, CannotWrite."""
    files.replace(path, formats.dump({"format": form} | {**tables}, "toml"), mode=0o600)


def text_in(path: Path, limit: int = _FILE_LIMIT) -> str:
    """Return the text of a club file; raises NoSuchFile, NotUnderstood, CannotCreate if we may not read it."""
    try:
        return files.read_text(path, limit)
    except NoSuchFile as none:
        if isinstance(none.__cause__, PermissionError):
            raise files.unexpected(none.__cause__) from none.__cause__
        raise


def tables_in(text: str, path: Path, form: str) -> dict[str, Any]:
    """Return the tables in the text of a club file; like ``read``."""
    data = formats.parse(text, "toml", name=str(path))
    found, name = str(data.pop("format", None)), form.partition("/")[0]
    if found != form and re.fullmatch(rf"{name}/[0-9]{{1,9}}", found):
        message = f"{path} has the format {found}, and this version of pbem needs {form}"
        raise NotUnderstood(message, path="format", hint="use the version of pbem that has made it")
    if found != form and found.partition("/")[0] in _CLUBS:
        what, hint = _CLUBS[found.partition("/")[0]]
        raise NotUnderstood(f"{path.parent} is {what}", path="format", hint=hint)
    if found != form:
        raise NotUnderstood(f"{path} does not have the format {form}", path="format")
    return data


def build(kind: type[T], data: object, path: Path, part: str = "", **known: object) -> T:
    """Return a named tuple from a table of a file, or from a *part* of it: known keys, each of its field's type.

    *known* are fields that no file has.
    """
    every = _fields_of(cast("Any", kind))
    names = tuple(name for name in every if name not in known)
    if not formats.is_table(data):
        raise NotUnderstood(f"{part}{path} should be a table with keys", path=str(path))
    if strange := data.keys() - set(names):
        raise _unknown(sorted(strange), names, path, part)
    for key, value in data.items():
        wanted = every[key].annotation
        if not _fits(wanted, value):
            raise NotUnderstood(f"invalid value for {key} in {part}{path}", path=key, hint=_wanted(wanted))
    try:
        return kind(**data, **known)
    except TypeError:
        missing = listed(name for name in names if name not in data and every[name].default is Parameter.empty)
        raise NotUnderstood(f"missing in {part}{path}: {missing}", path=str(path)) from None


def _unknown(strange: list[str], names: Collection[str], path: Path, part: str) -> NotUnderstood:
    """Return the error about unknown keys: those that are nearly known are told, and others might be secrets."""
    from difflib import get_close_matches

    near = {key: found[0] for key in strange if (found := get_close_matches(key, names, 1))}
    meant = [f"did you mean {name} instead of {key}?" for key, name in near.items()]
    hint = " ".join((*meant[:_MOST_NEAR], f"known keys: {', '.join(names)}"))
    lines = _lines_with(strange, path, part.partition(" of ")[0])
    where = f", in {plural(len(lines), 'line', 'lines')} {listed(map(str, lines))}" if lines else ""
    return NotUnderstood(f"unknown keys in {part}{path}{where}", path=str(path), hint=hint)


def _lines_with(keys: Collection[str], path: Path, table: str) -> list[int]:
    """Return the numbers of the lines in which those keys begin a value in that *table* of a file, "" for the top."""
    found: list[int] = []
    with suppress(PbemError):
        here = ""
        for number, line in enumerate(text_in(path).splitlines(), 1):
            if head := re.match(r"\s*\[+\s*(.*?)\s*\]", line):
                here = f"[{head[1]}]"
                found += [number] if not table and head[1] in keys else []
            elif here == table and "=" in line and line.partition("=")[0].strip(" \t\"'") in keys:
                found.append(number)
    return found


@cache
def _fields_of(kind: type[Any]) -> Mapping[str, Parameter]:
    """Return the fields of a named tuple or a dataclass, with their types and what they are by default."""
    return signature(kind).parameters


def _wanted(annotation: Any) -> str:  # noqa: ANN401 -- an annotation
    """Return what the value of a field may be, for a hint."""
    if get_origin(annotation) is Literal:
        values = listed((f'"{value}"' for value in get_args(annotation)), "or")
        return f"it must be {values}"
    return {
        bool: "it must be true or false",
        int: "it must be a whole number",
        str: "it must be text in quotes",
    }.get(annotation, "")


def _fits(wanted: Any, value: object) -> bool:  # noqa: ANN401 -- an annotation
    """Return whether a value has the type of its field's annotation."""
    form: object = get_origin(wanted)
    if form is Literal:
        return isinstance(value, str) and value in get_args(wanted)
    if form is tuple:
        return isinstance(value, tuple) and all(isinstance(part, str) for part in cast("tuple[object, ...]", value))
    return isinstance(value, wanted) and (wanted is bool or not isinstance(value, bool))


def with_key(kind: type[T], row: object, path: Path) -> T:
    """Return a named tuple from a row of ``private.toml``, with its key as bytes."""
    if not formats.is_table(row) or not re.fullmatch("[0-9a-f]{64}", str(row.get("key", ""))):
        raise NotUnderstood(f"{path} has a player without a valid key", path="players.key")
    return build(kind, row | {"key": bytes.fromhex(row["key"])}, path)


def row_of(row: NamedTuple) -> dict[str, Any]:
    """Return the values of a named tuple, without empty texts."""
    return {key: value for key, value in row._asdict().items() if value != ""}

"""The files of a club as named tuples: hosts edit them, so that every key has to be known and every value to fit."""

import re
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, TypeVar, cast, get_args, get_origin

from pbem import files, formats
from pbem.errors import NotUnderstood

T = TypeVar("T")

_FILE_LIMIT: Final = 256 * 1024


def read(path: Path, form: str) -> dict[str, Any]:
    """Return the tables of a file of ours, of which the format is known; raises NoSuchFile, NotUnderstood."""
    return tables_in(text_in(path), path, form)


def text_in(path: Path) -> str:
    """Return the text of a file of ours; raises NoSuchFile, NotUnderstood."""
    return files.read_text(path, _FILE_LIMIT)


def tables_in(text: str, path: Path, form: str) -> dict[str, Any]:
    """Return the tables in the text of a file of ours; as ``read``."""
    data = formats.parse(text, "toml", name=str(path))
    if data.pop("format", None) != form:
        raise NotUnderstood(f"{path} does not have the format {form}", path="format")
    return data


def build(kind: type[T], data: object, path: Path, part: str = "", **known: object) -> T:
    """Return a named tuple from a table of a file, or a *part* of it: known keys, of the type that the field has.

    What is *known* stands in no file.
    """
    types = _fields_of(kind)
    names = tuple(name for name in types if name not in known)
    if not formats.is_table(data) or not data.keys() <= set(names):
        hint = f"known are {', '.join(names)}"
        raise NotUnderstood(f"{part}{path} has keys that do not belong there", path=str(path), hint=hint)
    for key, value in data.items():
        wanted = types[key]
        if not _fits(wanted, value):
            raise NotUnderstood(f"{key} in {part}{path} is not what it should be", path=key, hint=_wanted(wanted))
    try:
        return kind(**data, **known)
    except TypeError:
        raise NotUnderstood(f"{part}{path} lacks a key of {', '.join(names)}", path=str(path)) from None


def _fields_of(kind: type[Any]) -> dict[str, Any]:
    """Return the fields of a named tuple or a dataclass with their types."""
    if is_dataclass(kind):
        return {field.name: field.type for field in fields(kind)}
    return {name: kind.__annotations__[name] for name in kind._fields}


def _wanted(annotation: Any) -> str:  # noqa: ANN401 -- an annotation
    """Return what the value of a field may be, for a hint."""
    if get_origin(annotation) is Literal:
        first, *more = (f'"{value}"' for value in get_args(annotation))
        return " or ".join((first, *more)) if more else f"only {first} is known"
    return {bool: "true or false", int: "a whole number", str: "a text in quotes"}.get(annotation, "")


def _fits(wanted: Any, value: object) -> bool:  # noqa: ANN401 -- an annotation
    """Return whether a value is what the annotation of its field says."""
    form: object = get_origin(wanted)
    if form is Literal:
        return isinstance(value, str) and value in get_args(wanted)
    if form is tuple:
        return isinstance(value, tuple) and all(isinstance(part, str) for part in cast("tuple[object, ...]", value))
    return isinstance(value, wanted) and (wanted is bool or not isinstance(value, bool))


def with_key(kind: type[T], row: object, path: Path) -> T:
    """Return a named tuple from a row of ``players.toml``, its key being bytes."""
    if not formats.is_table(row) or not re.fullmatch("[0-9a-f]{64}", str(row.get("key", ""))):
        raise NotUnderstood(f"{path} has a player without a key", path="players.key")
    return build(kind, row | {"key": bytes.fromhex(row["key"])}, path)


def row_of(row: NamedTuple) -> dict[str, Any]:
    """Return what is said in a named tuple: empty texts are left out."""
    return {key: value for key, value in row._asdict().items() if value != ""}

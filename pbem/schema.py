"""What is wrong with the shape of a file: all of it, in lines a player understands.

A line names the place, and in words of the schema what should be there. Nothing
of the file itself is repeated, because it might hold a secret: a key that does
not belong is named only if the form has a key of that name somewhere, or of nearly that name here.
"""

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from pbem import formats
from pbem.errors import NotUnderstood, Violation

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator

FileKind = Literal["game", "move", "components"]
Shipped = Literal[FileKind, "batch", "verdict", "answer", "git", "mail", "club"]

MOST_LINES: Final = 20
_MOST_ERRORS: Final = 1000
FORMS: Final = {"game": "a game file", "move": "a move file", "components": "a component set"}
_EXAMPLE: Final = 'an order line goes into a list, for instance: orders = ["offer 12"]; '
_TYPES: Final = {
    "string": "a text",
    "integer": "a whole number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a table with keys",
}
_FOUND: Final[tuple[tuple[type, str], ...]] = (
    (bool, "a truth value"),
    (int, "a whole number"),
    (float, "a number with a point"),
    (str, "a text"),
    (list, "a list"),
    (dict, "a table"),
)


def check(data: object, kind: FileKind, name: str) -> None:
    """Raise NotUnderstood unless *data* has the shape of a file of that kind; *name* is the file's.

    Every problem is a reason, in one line; of very many the first are told, and how many more there are. *data* is
    what ``formats.parse`` returns, without floats: to JSON Schema 1.0 is a whole number.

    From the second file of a kind on a compiled validator judges first, where it is installed: one file alone is not
    worth its ten MiB, and of thousands each takes a tenth of a millisecond, not some.
    """
    data, wrong = _apart(data, kind)
    if not wrong and kind in _met and (fits := _compiled(kind)) is not None and fits(data):
        return
    _met.add(kind)
    errors = [*(_errors_of_lines(wrong) if wrong else ()), *_errors(data, kind)]
    if not errors:
        return
    lines = list(dict.fromkeys(line for error in errors for line in _lines(error, kind)))
    more = len(lines) - MOST_LINES
    if more > 0:
        lines[MOST_LINES:] = [f"and {more} more" if len(errors) < _MOST_ERRORS else "and many more"]
    shown = formats.shown(name)
    raise NotUnderstood(
        f"{shown} does not have the form of {FORMS[kind]}",
        path=shown,
        hint=f"{_EXAMPLE if kind == 'move' else ''}pbem schema {kind} prints the form",
        reasons=tuple(Violation("schema", line) for line in lines),
    )


def _apart(data: object, kind: FileKind) -> tuple[object, list[tuple[int, Any]]]:
    """Return the data of a game with an empty log, and the lines of that, with their numbers, that do not fit.

    The log is nearly all of a long game, and jsonschema takes seconds for what one pattern judges in a moment.
    """
    if kind != "game" or not formats.is_table(data) or not formats.is_list(log := data.get("log")):
        return data, []
    wanted = _schema(kind)["properties"]["log"]
    if len(log) > wanted["maxItems"]:
        return data, []
    longest, fits = wanted["items"]["maxLength"], _line_pattern().match
    wrong = [
        (number, line)
        for number, line in enumerate(log)
        if type(line) is not str or len(line) > longest or not fits(line)
    ]
    return {**data, "log": []}, wrong


@cache
def _line_pattern() -> re.Pattern[str]:
    return re.compile(_schema("game")["properties"]["log"]["items"]["pattern"])


def schema_text(kind: Shipped) -> str:
    """Return the JSON Schema of that kind of file, or of what the commands print, as it is shipped."""
    name = f"{kind}.schema.json"
    package = Path(__file__).parent
    inside = package / "schemas" / name  # in a wheel; in a checkout the schemas lie beside the package
    return (inside if inside.exists() else package.parent / "schemas" / name).read_text(encoding="utf-8")


def order_text(move: dict[str, Any]) -> str:
    """Return the order line of a move object that fits the schema: ``settle neutral A1a``, ``buy 12``."""
    words = [move["order"], *move.get("cells", ()), *move.get("spaces", ())]
    words += [str(move[key]) for key in ("space", "card") if key in move]
    return " ".join(words)


@cache
def _schema(kind: FileKind) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads(schema_text(kind))
    return schema


@cache
def _validator(kind: FileKind) -> "Validator":
    from jsonschema import Draft202012Validator
    from referencing import Registry

    # With a registry of ours nothing is ever fetched. That the schema itself is sound is for the tests to say.
    return Draft202012Validator(_schema(kind), registry=Registry())


_met: Final[set[FileKind]] = set()


@cache
def _compiled(kind: FileKind) -> Callable[[Any], bool] | None:
    """Return the judge of jsonschema-rs, which has no words for a player; None where it is not installed."""
    try:
        from jsonschema_rs import Draft202012Validator
    except ImportError:
        return None
    judge: Callable[[Any], bool] = Draft202012Validator(_schema(kind)).is_valid
    return judge


@cache
def _keys(kind: FileKind) -> frozenset[str]:
    """Return every key that a file of that kind can have anywhere."""
    keys: set[str] = set()
    waiting: list[Any] = [_schema(kind)]
    while waiting:
        part = waiting.pop()
        if formats.is_table(part):
            keys.update(part.get("properties", ()))
            waiting.extend(part.values())
        elif formats.is_list(part):
            waiting.extend(part)
    return frozenset(keys)


def _errors(data: Any, kind: FileKind) -> Iterator["ValidationError"]:  # noqa: ANN401 -- whatever a file holds
    """Yield the errors, up to a list that is too long: what is in it would keep us busy, for more than a minute even.

    (Whether many entries of different types are unique takes jsonschema the square of their number.)
    """
    for error in islice(_validator(kind).iter_errors(data), _MOST_ERRORS):
        yield error
        if error.validator == "maxItems":
            return


def _errors_of_lines(wrong: list[tuple[int, Any]]) -> Iterator["ValidationError"]:
    """Yield what is wrong with some lines of a log, one thing each."""
    whole = _validator("game")
    judge = whole.evolve(  # pyright: ignore[reportUnknownMemberType] -- its stub does not say what it takes
        schema=_schema("game")["properties"]["log"]["items"]
    )
    for number, line in islice(wrong, _MOST_ERRORS):
        for error in islice(judge.iter_errors(line), 1):
            error.path.extendleft((number, "log"))
            yield error


def _lines(error: "ValidationError", kind: FileKind) -> Iterator[str]:
    """Yield what an error says, in lines that repeat nothing of the file."""
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.absolute_path).lstrip(".")
    found: Any = error.instance
    schema: Any = error.schema
    match error.validator:
        case "not" | "oneOf" if not formats.is_table(found):
            pass  # it is no table at all, and that is told
        case "required":
            yield from (f"{place}.{key}".lstrip(".") + " is missing" for key in schema["required"] if key not in found)
        case "not":
            barred = schema["not"].get("anyOf", [schema["not"]])
            for key in (key for rule in barred for key in rule["required"] if key in found):
                yield f"{place}.{key} does not go with {schema['title']}"
        case "oneOf":
            one = ", ".join(key for rule in schema["oneOf"] for key in rule["required"])
            yield f"{place or 'the file'} should have exactly one of the keys {one}"
        case "additionalProperties":
            yield f"{place or 'the file'} should have no keys but {_stray(found, schema['properties'], kind)}"
        case keyword:
            if not _is_told_already(str(keyword), found, schema):
                yield f"{place or 'the file'} should {_expected(str(keyword), found, schema)}"


def _stray(found: dict[str, Any], allowed: dict[str, Any], kind: FileKind) -> str:
    """Return the keys that a table can have, and what is known of those that it has besides."""
    from difflib import get_close_matches

    stray = found.keys() - allowed.keys()
    named = sorted(stray & _keys(kind))
    unknown = sorted(stray - _keys(kind))
    words = [key for key in unknown if len(key) <= 40 and key.isascii() and key.isprintable()][:MOST_LINES]
    misspelt = [f"{key} (is {meant[0]} meant?)" for key in words if (meant := get_close_matches(key, allowed, 1))]
    besides = named + misspelt + [f"{len(unknown) - len(misspelt)} unknown"] * (len(unknown) > len(misspelt))
    return f"{', '.join(key for key in allowed if key != '$schema')}; it also has {', '.join(besides)}"


def _expected(keyword: str, found: Any, schema: dict[str, Any]) -> str:  # noqa: ANN401 -- whatever stands there
    """Return what a value should be, as the end of a sentence."""
    match keyword:
        case "type":
            types = schema["type"] if formats.is_list(schema["type"]) else [schema["type"]]
            words = next((word for kind, word in _FOUND if isinstance(found, kind)), "null")
            return f"be {' or '.join(_TYPES[name] for name in types)}, not {words}"
        case "const" | "enum":
            values = ", ".join(map(str, schema.get("enum", (schema.get("const"),))))
            return f"be {'one of ' if 'enum' in schema else ''}{values}"
        case "minimum" | "maximum":
            return f"be {schema['minimum']} to {schema['maximum']}"
        case "minLength" | "maxLength" | "minItems" | "maxItems":
            what = keyword[3:]
            low, high = schema.get(f"min{what}", 0), schema[f"max{what}"]
            allowed = f"{high}" if low == high else f"{low} to {high}" if low else f"at most {high}"
            return f"have {allowed} {'characters' if what == 'Length' else 'entries'}, not {len(found)}"
        case "uniqueItems":
            return "have no entry twice"
        case _:
            about = f" ({schema['description'].rstrip('.')})" if "description" in schema else ""
            return f"be written like {schema['examples'][0]}{about}"


def _is_told_already(keyword: str, found: Any, schema: dict[str, Any]) -> bool:  # noqa: ANN401 -- whatever stands there
    """Return whether another line says why the value is wrong: a text by its length, a number that is not whole."""
    match keyword:
        case "pattern":
            return not schema.get("minLength", 0) <= len(found) <= schema["maxLength"]
        case "minimum" | "maximum":
            return bool(found % 1)
        case _:
            return False

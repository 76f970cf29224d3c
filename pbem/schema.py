"""How a file fails to match its schema: every problem, in terms that a player understands.

A line names the place, and says in the words of the schema what is expected there.
Nothing of the file itself is repeated, because it might hold a secret: an unknown
key is only named if the schema has a key of that name somewhere, or of a similar name here.
"""

import json
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from pbem import formats
from pbem.errors import NotUnderstood, Violation
from pbem.generated import shapes
from pbem.grammar import listed, plural

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator

FileKind = Literal["game", "move", "components"]
Shipped = Literal[FileKind, "batch", "verdict", "answer", "git", "mail", "club"]

MOST_LINES: Final = 20
_MOST_ERRORS: Final = 1000
_MOST_KNOWN: Final = formats.LONGEST_LOG
_known_lines: set[str] = set()  # lines of logs that are valid: of many positions of games, most lines are in several
FORMS: Final = {"game": "a game file", "move": "a move file", "components": "a component set"}
_HINT: Final = "pbem schema {kind} prints the schema"
_MOVE_HINT: Final = (
    'an order line belongs in a list, for example orders = ["offer 12"]; pbem schema move prints the schema'
)
_TYPES: Final = {
    "string": "text",
    "integer": "a whole number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a table with keys",
}
_FOUND: Final[tuple[tuple[type, str], ...]] = (
    (bool, "true or false"),
    (int, "a whole number"),
    (float, "a decimal number"),
    (str, "text"),
    (list, "a list"),
    (dict, "a table"),
)


def check(data: object, kind: FileKind, name: str) -> None:
    """Raise NotUnderstood unless *data* has the shape of a file of that kind; *name* is the file's.

    Every problem is a reason of one line; if there are very many, the first are listed and the others counted. *data*
    is what ``formats.parse`` returns, without floats: to JSON Schema 1.0 is a whole number.

    Jsonschema takes longer to load than a turn takes to play. So it is only asked when the functions that are generated
    from the schemas say no: then its verdict counts, and it knows what is wrong.
    """
    data, wrong = _apart(data, kind)
    if not wrong and shapes.FITS[kind](data):
        return
    errors = [*(_errors_of_lines(wrong) if wrong else ()), *_errors(data, kind)]
    if not errors:
        return
    lines = list(dict.fromkeys(line for error in errors for line in _lines(error, kind)))
    more = len(lines) - MOST_LINES
    if more > 0:
        lines[MOST_LINES:] = [f"and {more} more" if len(errors) < _MOST_ERRORS else "and many more"]
    shown = formats.shown(name)
    raise NotUnderstood(
        f"{shown} does not match the schema of {FORMS[kind]}",
        path=shown,
        hint=_MOVE_HINT if kind == "move" else _HINT.format(kind=kind),
        reasons=tuple(Violation("schema", line) for line in lines),
    )


def _apart(data: object, kind: FileKind) -> tuple[object, list[tuple[int, Any]]]:
    """Return the data of a game with an empty log, and the invalid lines of the log with their numbers.

    The log is nearly all of a long game, and jsonschema takes seconds for what one function does in a moment.
    """
    if kind != "game" or not formats.is_table(data) or not formats.is_list(log := data.get("log")):
        return data, []
    if len(log) > formats.LONGEST_LOG:
        return data, []
    fresh = [(n, line) for n, line in enumerate(log) if not (isinstance(line, str) and line in _known_lines)]
    wrong = [(n, line) for n, line in fresh if not shapes.is_log_entry(line)]
    if fresh and not wrong:
        if len(_known_lines) + len(fresh) > _MOST_KNOWN:
            _known_lines.clear()
        _known_lines.update(line for _, line in fresh)
    return {**data, "log": []}, wrong


def schema_text(kind: Shipped) -> str:
    """Return the JSON Schema of that kind of file or of answers, as it ships."""
    return _shipped(f"{kind}.schema.json")


def _shipped(name: str) -> str:
    package = Path(__file__).parent
    inside = package / "schemas" / name  # in a wheel; in a checkout the schemas are beside the package
    return (inside if inside.exists() else package.parent / "schemas" / name).read_text(encoding="utf-8")


def bundled(kind: Shipped) -> dict[str, Any]:
    """Return that schema with all others that it refers to in its ``$defs``, so that it can be used alone."""
    others: dict[str, Any] = {}

    def led(part: Any, base: str) -> Any:  # noqa: ANN401 -- any part of a schema
        """Return a part with references that lead into this document; *base* is where its own schema begins."""
        if formats.is_list(part):
            return [led(inner, base) for inner in part]
        if formats.is_table(part):
            return {key: target(inner, base) if key == "$ref" else led(inner, base) for key, inner in part.items()}
        return part

    def target(reference: str, base: str) -> str:
        name, _, place = reference.partition("#")
        if name and name not in others:
            schema: dict[str, Any] = json.loads(_shipped(name))
            others[name] = {}  # it may refer to itself
            others[name] = led({key: schema[key] for key in schema if key != "$schema"}, f"#/$defs/{name}")
        return f"#/$defs/{name}{place}" if name else base + place

    whole: dict[str, Any] = led(json.loads(schema_text(kind)), "#")
    return whole | {"$defs": whole.get("$defs", {}) | others} if others else whole


def order_text(move: dict[str, Any]) -> str:
    """Return the order line of a move object that matches the schema: ``settle neutral A1a``, ``buy 12``."""
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

    # With our own registry nothing is ever fetched. The tests prove that the schema itself is valid.
    return Draft202012Validator(_schema(kind), registry=Registry())


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


def _errors(data: Any, kind: FileKind) -> Iterator["ValidationError"]:  # noqa: ANN401 -- any value
    """Yield the errors, up to a list that is too long: checking its entries could take more than a minute.

    (To find duplicates among many entries of different types, jsonschema needs the square of their number.)
    """
    for error in islice(_validator(kind).iter_errors(data), _MOST_ERRORS):
        yield error
        if error.validator == "maxItems":
            return


def _errors_of_lines(wrong: list[tuple[int, Any]]) -> Iterator["ValidationError"]:
    """Yield one error for each of some lines of a log."""
    whole = _validator("game")
    judge = whole.evolve(  # pyright: ignore[reportUnknownMemberType] -- its stub does not say what it takes
        schema=_schema("game")["properties"]["log"]["items"]
    )
    for number, line in islice(wrong, _MOST_ERRORS):
        for error in islice(judge.iter_errors(line), 1):
            error.path.extendleft((number, "log"))
            yield error


def _lines(error: "ValidationError", kind: FileKind) -> Iterator[str]:
    """Yield the lines about an error, which repeat nothing of the file."""
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.absolute_path).lstrip(".")
    where = place or "the file"
    found: Any = error.instance
    schema: Any = error.schema
    match error.validator:
        case "oneOf" if not formats.is_table(found):
            pass  # it is not a table at all, which has a line of its own
        case "required":
            missing = (f"{place}.{key}".lstrip(".") for key in schema["required"] if key not in found)
            yield from (f"{key} is missing" for key in missing)
        case "not" if not schema["not"]:
            yield f"{place} is not allowed ({schema['description'].rstrip('.')})"
        case "anyOf":
            yield from _lines_of_a_choice(where, error, kind)
        case "oneOf":
            one = ", ".join(key for rule in schema["oneOf"] for key in rule["required"])
            yield f"{where} should have exactly one of the keys {one}"
        case "additionalProperties":
            keys = ", ".join(key for key in schema["properties"] if key != "$schema")
            stray = ", ".join(_stray(found, schema["properties"], kind))
            yield f"{where} should only have the keys {keys}; it also has {stray}"
        case keyword:
            if not _is_told_already(str(keyword), found, schema):
                yield _expected(where, str(keyword), found, schema)


def _lines_of_a_choice(where: str, error: "ValidationError", kind: FileKind) -> Iterator[str]:
    """Yield the lines about a value that may have several types: what is wrong for its own, or which there are."""
    schema: Any = error.schema
    inside = [([*inner.relative_schema_path], inner) for inner in error.context or ()]
    others = [choice for (choice, *path), _ in inside if path == ["type"]]
    if len(others) == len(schema["anyOf"]):
        yield _expected(where, "type", error.instance, {"type": [choice["type"] for choice in schema["anyOf"]]})
    for (choice, *_), inner in inside:
        if choice not in others:
            yield from _lines(inner, kind)


def _stray(found: dict[str, Any], allowed: dict[str, Any], kind: FileKind) -> list[str]:
    """Return the keys that a table has but should not have: their names if they are known, and how many are not."""
    from difflib import get_close_matches

    stray = found.keys() - allowed.keys()
    named = sorted(stray & _keys(kind))
    unknown = sorted(stray - _keys(kind))
    words = [key for key in unknown if len(key) <= 40 and key.isascii() and key.isprintable()][:MOST_LINES]
    misspelt = [f"{key} (did you mean {meant[0]}?)" for key in words if (meant := get_close_matches(key, allowed, 1))]
    others = len(unknown) - len(misspelt)
    return [*named, *misspelt, *([plural(others, "{n} unknown key", "{n} unknown keys")] if others else [])]


def _expected(place: str, keyword: str, found: Any, schema: dict[str, Any]) -> str:  # noqa: ANN401 -- any value
    """Return the sentence that says what the value at the place should be."""
    match keyword:
        case "type":
            types = schema["type"] if formats.is_list(schema["type"]) else [schema["type"]]
            wanted = listed((_TYPES[name] for name in types), "or")
            words = next((word for kind, word in _FOUND if isinstance(found, kind)), "null")
            return f"{place} should be {wanted}, not {words}"
        case "const":
            return f"{place} should be {schema['const']}"
        case "enum":
            return f"{place} should be one of {', '.join(map(str, schema['enum']))}"
        case "minimum" | "maximum":
            return f"{place} should be {schema['minimum']} to {schema['maximum']}"
        case "minLength" | "maxLength":
            return f"{place} should have {_range(schema, 'Length')} characters, not {len(found)}"
        case "minItems" | "maxItems":
            return f"{place} should have {_range(schema, 'Items')} entries, not {len(found)}"
        case "uniqueItems":
            return f"{place} should not have the same entry twice"
        case _:
            example, about = schema["examples"][0], schema.get("description", "").rstrip(".")
            plain, described = f"{place} should look like {example}", f"{place} should look like {example} ({about})"
            return described if about else plain


def _range(schema: dict[str, Any], what: str) -> str:
    """Return how many of something a schema allows."""
    low, high = schema.get(f"min{what}", 0), schema[f"max{what}"]
    if low == high:
        return str(high)
    return f"{low} to {high}" if low else f"at most {high}"


def _is_told_already(keyword: str, found: Any, schema: dict[str, Any]) -> bool:  # noqa: ANN401 -- any value
    """Return whether another line says why the value is wrong: text by its length, a number that is not whole."""
    match keyword:
        case "pattern" | "not":
            return not schema.get("minLength", 0) <= len(found) <= schema["maxLength"]
        case "minimum" | "maximum":
            return bool(found % 1)
        case _:
            return False

"""Reading and writing TOML and JSON.

The input may be hostile: its size is checked before it is parsed. No message repeats any of it: it might hold a secret.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from itertools import takewhile
from pathlib import Path
from typing import Any, Literal, NoReturn, TypeAlias, TypeGuard

from pbem.errors import CannotWrite, NotUnderstood, UsageError

Format = Literal["toml", "json"]
_Value: TypeAlias = "dict[str, _Value] | list[_Value] | str | float | None"  # what a file can hold

LONGEST_LOG = 20_000  # lines: more than the longest game that the rules allow
LONGEST_TEXT = 1280 * 1024  # characters: more than such a game
PARSE_LIMIT = 144 * 1024  # characters besides the log: the largest component set, half a second for the worst of texts
MAX_DEPTH = 32  # of nested tables, objects and arrays
MAX_DOTS = 8  # in one TOML key; the time that tomllib takes for a key grows with their square

# Strings and comments. If the text ends inside one of them, the parser stops there too, so that nothing hides in it.
QUOTED = {
    "json": r'"(?:[^"\\]+|\\[\s\S])*"?',
    "toml": r'"""(?:[^"\\]+|\\[\s\S]|""?(?!"))*(?:"{3,5})?'
    r"|'''[\s\S]*?(?:'{3,5}|\Z)"
    r'|"(?:[^"\\\n]+|\\.)*"?'
    r"|'[^'\n]*'?"
    r"|#[^\n]*",
}
_NAME = "choose a name that ends in .toml or .json"
NAME_OR_FORMAT = "choose a name that ends in .toml or .json, or add --format toml or --format json"
# A value that begins like a float, a date or a time, or a very long number.
ODD_VALUE = r"[=:,\[]\s*([+-]?(?:\d[\d_]*[.eE:-]|\d\w{18,}|inf|nan|NaN|Infinity))"

# The log of a game as we write it, in a file or in a batch line: plain lines that need no parser.
_LINE = r'"[A-Za-z0-9* ]{1,200}+"\s*+'
_TEXT = '"([^"]+)"'
LOG = {
    form: rf"(?m)(?:{key})\[(\s*+(?>(?:{_LINE},\s*+)*)(?:{_LINE})?)\]"
    for form, key in (("json", r'"log"\s*+:\s*+'), ("toml", r"^log\s*+=\s*+"))
}


class OddValue(NotUnderstood):
    """A value of TOML or JSON that our files never have: a decimal number, a date, a very long number."""


def format_of(path: Path, default: Format | None = None, *, hint: str = _NAME) -> Format:
    """Return the format by the ending of the file name, or the default; without one, raise UsageError with the hint."""
    endings: dict[str, Format] = {".toml": "toml", ".json": "json"}
    form = endings.get(path.suffix.lower()) or default
    if form is None:
        raise UsageError(f"{shown(path)} ends neither in .toml nor in .json", path=shown(path), hint=hint)
    return form


def shown(name: Path | str) -> str:
    """Return a name, or what a stranger has written, as one line that can be printed anywhere."""
    text = str(name)
    return text if text.isprintable() else "".join(char if char.isprintable() else "?" for char in text)


def decode(data: bytes, *, name: str) -> str:
    """Return UTF-8 as text, without a byte order mark and with LF line ends."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"{shown(name)} is not valid UTF-8: the byte at offset {error.start} is invalid"
        hint = "save it again in UTF-8"
        raise NotUnderstood(message, path=shown(name), hint=hint) from None  # the error holds the whole file
    return text.removeprefix("\ufeff").replace("\r\n", "\n")


def parse(text: str, form: Format, *, name: str, limit: int = PARSE_LIMIT) -> dict[str, Any]:
    """Return the table or object in a text: strings, whole numbers, truth values, arrays, tables.

    The reference to a schema is left out; ``schema_line`` returns it. JSON may hold ``null``, which a schema has to
    refuse. *name* is for the message, *limit* is the number of characters allowed besides the log of a game.

    Raises NotUnderstood for everything else, in less than a second.
    """
    data = _load(text, form, name, limit)
    if form == "json" and isinstance(data.get("$schema"), str):
        del data["$schema"]
    return data


def schema_line(text: str, form: Format) -> str:
    """Return the reference to a schema in a file, or "": one printable line, as ``dump`` takes it."""
    reference: Any = ""
    if form == "json":
        with suppress(NotUnderstood):
            reference = _load(text, form, "", PARSE_LIMIT).get("$schema")
    else:
        match = re.match(r"\ufeff?#:schema (.*)", text)
        reference = match[1].strip() if match else ""
    return reference if isinstance(reference, str) and reference.isprintable() else ""


def dump(data: dict[str, Any], form: Format, *, schema: str = "") -> str:
    """Return the text of a file that ``parse`` reads as the same data, with a reference to a schema if one is given.

    The order of the keys is kept, but in TOML values come before tables.

    Raises CannotWrite if it is longer than ``parse`` allows.
    """
    if form == "json":
        import json

        reference = {"$schema": schema} if schema else {}
        text = json.dumps(reference | data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    else:
        text = (f"#:schema {schema}\n" if schema else "") + _toml_text(data)
    log = _log_in(text, form)
    if len(text) > LONGEST_TEXT or len(text) - (len(log[1]) if log else 0) > PARSE_LIMIT:
        raise CannotWrite(f"the new file would have more than {PARSE_LIMIT} characters and could not be read again")
    if log and len(re.findall(_TEXT, log[1])) > LONGEST_LOG:
        raise CannotWrite(f"the log would have more than {LONGEST_LOG} lines and could not be read again")
    return text


def _toml_text(data: dict[str, Any]) -> str:
    """Return data as TOML; the lines of a log, which are nearly all of a long game, are written without the library."""
    import tomli_w

    log: Any = data.get("log")
    if not is_list(log) or {*map(type, log)} != {str} or not (joined := "".join(log)).isprintable():
        return tomli_w.dumps(data)
    if {'"', "\\"} & {*joined}:
        return tomli_w.dumps(data)
    lines = "".join(f'    "{line}",\n' for line in log)
    text = "\n" + tomli_w.dumps(data | {"log": []})  # in which values come before tables, and this one first
    return text.replace("\nlog = []\n", f"\nlog = [\n{lines}]\n", 1)[1:]


def _log_in(text: str, form: Format) -> re.Match[str] | None:
    """Return the match of the log in the text of a game, its lines as group 1; None for a text that is not long."""
    found = re.search(LOG[form], text) if len(text) > PARSE_LIMIT else None
    if found is None or (form == "toml" and re.search(r"\"{3}|'{3}", text[: found.start()])):
        return None
    return found


class _Source:
    """A text that is being parsed.

    For a long text, the parser does not see the ``log``, which was taken out of the ``whole``.
    """

    def __init__(self, name: str, form: Format, whole: str, log: re.Match[str] | None = None) -> None:
        self.name = shown(name)
        self.form: Format = form
        self.whole = whole
        self.log = log
        self.text = whole[: log.start(1)] + whole[log.end(1) :] if log else whole

    @cached_property
    def bare(self) -> str:
        """The text with blanks instead of its strings and comments."""
        return re.sub(QUOTED[self.form], lambda quoted: " " * len(quoted[0]), self.text)

    def refused(
        self, why: str, position: int | None = None, *, place: str = "", kind: type[NotUnderstood] = NotUnderstood
    ) -> NotUnderstood:
        """Return the refusal, with line (if there are several) and column if the position is known."""
        if position is not None:
            if self.log and position >= self.log.start(1):
                position += len(self.log[1])
            line, column = self.whole.count("\n", 0, position) + 1, position - self.whole.rfind("\n", 0, position)
            place = f"at line {line}, column {column}"
        if "\n" not in self.whole:  # it may be a line itself
            place = place.replace("line 1, ", "")
        message = f"{self.name} cannot be parsed {place}: {why}" if place else f"{self.name} cannot be parsed: {why}"
        return kind(message, path=self.name)

    def position(self, line: int, column: int) -> int:
        """Return the position of a line and column, both counted from 1, in the text that the parser sees."""
        before = self.text.split("\n", line - 1)[:-1]
        return sum(map(len, before)) + len(before) + column - 1

    def refuse_odd_value(self, _: str = "") -> NoReturn:
        """Refuse a value that our files never have, at the place where the first one seems to be."""
        match = re.search(ODD_VALUE, self.bare)
        why = "a value should be text in quotes or a whole number of at most 18 digits"
        raise self.refused(why, match and match.start(1), kind=OddValue) from None


def _load(text: str, form: Format, name: str, limit: int) -> dict[str, Any]:
    """Return the data in a text: check its size, parse it, check the values."""
    whole = text.removeprefix("\ufeff")
    if len(whole) <= limit and (plain := _plain_toml(whole) if form == "toml" else _plain_json(whole)) is not None:
        return plain
    source = _Source(name, form, whole, _log_in(whole, form) if len(whole) <= LONGEST_TEXT else None)
    if len(source.text) > limit:
        raise source.refused(f"it has more than {limit} characters")
    depth = 0
    for bracket in re.finditer(r"[][{}]", source.bare):
        depth += 1 if bracket[0] in "[{" else -1
        if depth > MAX_DEPTH:
            raise source.refused(f"brackets are nested more than {MAX_DEPTH} deep", bracket.start())
    try:
        data = _json(source) if form == "json" else _toml(source)
    except RecursionError:
        raise source.refused("it is nested too deeply") from None
    if not is_table(data):
        raise source.refused("it should be one object in braces")
    _judge_values(data, source)
    if source.log:
        _put_back(data, re.findall(_TEXT, source.log[1]), source, limit)
    return data


def is_table(value: object) -> TypeGuard[dict[str, Any]]:
    """Return whether a value of a file is a table, as ``parse`` makes them: its keys are strings."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[Any]]:
    """Return whether a value of a file is a list."""
    return isinstance(value, list)


def _put_back(data: dict[str, Any], lines: list[str], source: _Source, limit: int) -> None:
    """Fill the log that was left empty: of a game, or of the game in a line of a batch."""
    empty = [table for table in (data, data.get("game")) if is_table(table) and table.get("log") == []]
    if len(empty) != 1:
        raise source.refused(f"it has more than {limit} characters")
    empty[0]["log"] = lines


def _plain_json(text: str) -> dict[str, Any] | None:
    """Return the object in a text, None if something is wrong with it: what, takes a closer look to say."""
    source = _Source("", "json", text)
    with suppress(NotUnderstood, RecursionError):
        if is_table(data := _json(source)):
            _judge_values(data, source)
            return data
    return None


def _json(source: _Source) -> Any:  # noqa: ANN401 -- whatever JSON holds
    """Return what a text holds as JSON."""
    import json

    closed = 0

    def as_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal closed
        closed += 1  # objects come in the order of their closing braces
        members = dict(pairs)
        if len(members) < len(pairs):
            ends = [brace.start() for brace in re.finditer("}", source.bare)]
            raise source.refused("the object that ends here has a duplicate key", ends[closed - 1])
        return members

    refuse = source.refuse_odd_value
    try:
        return json.loads(source.text, object_pairs_hook=as_object, parse_float=refuse, parse_constant=refuse)
    except json.JSONDecodeError as error:
        raise source.refused(_in_words(error.msg), error.pos) from None
    except ValueError:  # more digits than Python converts
        source.refuse_odd_value()


def _toml(source: _Source) -> dict[str, Any]:
    """Return what a text holds as TOML."""
    import tomllib

    dotted = re.search(rf"(?:\.[^.\n=,]*){{{MAX_DOTS + 1}}}", source.bare)
    if dotted:
        raise source.refused(f"a key has more than {MAX_DOTS} dots", dotted.start())

    try:
        return tomllib.loads(source.text, parse_float=source.refuse_odd_value)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"\(at line (\d+), column (\d+)\)\Z", str(error))
        position = source.position(int(place[1]), int(place[2])) if place else None
        end = "at the end" if str(error).endswith("end of document)") else ""
        raise source.refused(_in_words(str(error)), position, place=end) from None
    except ValueError:  # more digits than Python converts
        source.refuse_odd_value()


class _NotPlain(Exception):
    """A text that is not as pbem writes it."""


def _plain_toml(text: str) -> dict[str, Any] | None:
    """Return what a text holds if it is TOML as pbem writes it, None if that is for ``tomllib`` to say.

    Nearly all files are: a key, an entry or a heading on each line, and values without escapes. Loading ``tomllib``
    with its patterns takes a tenth of the time of a turn.
    """
    data: dict[str, Any] = {}
    table, known = data, set[str]()
    lines = iter(text.split("\n"))
    try:
        for line in lines if text.endswith("\n") and text.replace("\n", "").isprintable() else ("?",):
            key, is_value, value = line.partition(" = ")
            if is_value and _is_plain_key(key) and key not in table:
                table[key] = _plain_array(value, lines) if value.startswith("[") else _plain_value(value)
            elif line.startswith("["):
                table = _below(line, data, known)
            elif line and not line.startswith("#:schema "):
                return None
    except _NotPlain:
        return None
    return data


def _is_plain_key(key: str) -> bool:
    return key.isascii() and key.isidentifier()


def _below(heading: str, data: dict[str, Any], known: set[str]) -> dict[str, Any]:
    """Return the new table below a heading, ``[state.market]`` or ``[[state.clans]]``, of which some are *known*."""
    name = heading.strip("[]")
    *path, last = name.split(".")
    table: Any = data
    for key in path:
        table = table.get(key) if is_table(table) else None
    if not is_table(table) or not all(map(_is_plain_key, (*path, last))) or len(path) > 2:
        raise _NotPlain
    below: dict[str, Any] = {}
    if heading == f"[{name}]" and last not in table:
        table[last] = below
    elif heading == f"[[{name}]]" and (last not in table or name in known):
        known.add(name)
        table.setdefault(last, []).append(below)
    else:
        raise _NotPlain
    return below


def _plain_array(begun: str, lines: Iterator[str]) -> list[Any]:
    """Return an array: its entries are between brackets, or each on a line of its own up to the closing one."""
    if begun != "[":
        if not begun.endswith("]"):
            raise _NotPlain
        return [*map(_plain_value, begun[1:-1].split(", "))] if begun != "[]" else []
    entries = [*takewhile("]".__ne__, lines)]
    texts = [entry[5:-2] for entry in entries]
    if entries == [f'    "{text}",' for text in texts] and not {'"', "\\"} & {*"".join(texts)}:
        return texts  # as in a log, which is long
    values = [entry[4:-1] for entry in entries]
    if entries != [f"    {value}," for value in values]:
        raise _NotPlain
    return [_plain_row(value) if value.startswith("{") else _plain_value(value) for value in values]


def _plain_row(text: str) -> dict[str, Any]:
    """Return an inline table: ``{ colour = "green", name = "Ann" }``."""
    pairs = re.findall(r'([a-z_]+) = ("[^"]*"|[a-z0-9]+)', text)
    row = {key: _plain_value(value) for key, value in pairs}
    if text != f"{{ {', '.join(f'{key} = {value}' for key, value in pairs)} }}" or len(row) < len(pairs):
        raise _NotPlain
    return row


def _plain_value(text: str) -> str | int | bool:
    """Return a text without escapes, a whole number of at most 18 digits, or a truth value."""
    if text[:1] == text[-1:] == '"' and text.count('"') == 2 and "\\" not in text:
        return text[1:-1]
    if text.isascii() and text.isdigit() and len(text) <= 18 and (text[0] != "0" or text == "0"):
        return int(text)
    if text in ("true", "false"):
        return text == "true"
    raise _NotPlain


def _in_words(message: str) -> str:
    """Return a parser's complaint without anything that it might quote from the file."""
    if message.startswith(("Cannot ", "Duplicate ")):
        return "a key or table is defined twice, or conflicts with an earlier one"
    if message.startswith(("Invalid value", "Expecting value")):
        return "a value is missing or invalid; text needs double quotes"
    message = re.sub("(?: starting)? at$", "", message)  # the place is named elsewhere
    known = re.match(r"""(?:[A-Za-z/\\ -]|["']\W{1,5}["'])*""", message)
    return (known[0].strip().lower() if known else "") or "it is malformed"


def _judge_values(data: dict[str, Any], source: _Source) -> None:
    """Refuse values that the parsers accept but our files never have."""
    waiting: list[tuple[_Value, int]] = [(data, 1)]
    while waiting:
        value, depth = waiting.pop()
        if isinstance(value, dict | list):
            if depth > MAX_DEPTH:
                raise source.refused(f"tables are nested more than {MAX_DEPTH} deep")
            inside = [*value, *value.values()] if isinstance(value, dict) else value
            waiting.extend((inner, depth + 1) for inner in inside)
        elif isinstance(value, str):
            if not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
                raise source.refused("it contains half a character (a lone surrogate)")
        elif value is not None and not (isinstance(value, int) and abs(value) < 10**18):
            source.refuse_odd_value()

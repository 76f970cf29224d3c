"""Files: what is read and refused, how it is parsed, and that writing happens wholly or not at all."""

import errno
import fcntl
import io
import os
import stat
import subprocess
import sys
import threading
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from work import at_most

from pbem import files, formats
from pbem.errors import CannotCreate, CannotWrite, NoSuchFile, NotUnderstood, PbemError, TryAgain, UsageError
from pbem.files import create, locked, read_bytes, read_text, replace
from pbem.formats import PARSE_LIMIT, Format, dump, format_of, parse

FORMATS: tuple[Format, ...] = ("toml", "json")
ROOT = Path(__file__).parents[1]


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """Return a small file that is alone in its folder."""
    path = tmp_path / "game.toml"
    path.write_text("turn = 57\n", encoding="utf-8")
    return path


@pytest.fixture
def umask() -> Iterator[Callable[[int], int]]:
    """Return the function that sets the umask; the old one comes back after the test."""
    before = os.umask(0o022)
    yield os.umask
    os.umask(before)


def why_not(text: str, form: Format) -> str:
    """Return the message with which a text is refused."""
    with pytest.raises(NotUnderstood) as refusal:
        parse(text, form, name="move")
    return refusal.value.message


def folder_of(path: Path) -> list[str]:
    """Return the names of all that is in the folder of a file, hidden or not."""
    return sorted(entry.name for entry in path.parent.iterdir())


# ---------------------------------------------------------------- formats


@pytest.mark.parametrize(
    ("name", "form"),
    [("GAME.Toml", "toml"), ("a/b.game.json", "json"), ("game.txt", "json"), ("-", "json"), (".toml", "json")],
)
def test_the_ending_tells_the_format(name: str, form: Format) -> None:
    """Capitals do not matter; where nothing is told the default holds."""
    assert format_of(Path(name), "json") == form


@pytest.mark.parametrize("name", ["game.yaml", "game", "toml", ".json"])
def test_another_ending_is_refused_where_there_is_no_default(name: str) -> None:
    with pytest.raises(UsageError, match=r"ends neither in \.toml nor in \.json"):
        format_of(Path(name))


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
VALUES = st.recursive(
    TEXTS | st.booleans() | st.integers(-(10**18) + 1, 10**18 - 1),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=20,
)
TABLES = st.dictionaries(TEXTS.filter(lambda key: key != "$schema"), VALUES, max_size=6)


@pytest.mark.slow
@given(TABLES, st.sampled_from(FORMATS), st.sampled_from(["", "../schemas/game.schema.json"]))
@settings(deadline=None)
def test_what_is_dumped_is_parsed_as_the_same(data: dict[str, Any], form: Format, schema: str) -> None:
    """Data, reference and text survive the round trip in both formats."""
    text = dump(data, form, schema=schema)

    assert parse(text, form, name="game") == data
    assert formats.schema_line(text, form) == schema
    assert dump(parse(text, form, name="game"), form, schema=schema) == text


def test_a_dumped_file_reads_well() -> None:
    """Keys keep their order, and letters beyond ASCII stay letters."""
    data = {"turn": 57, "log": ["57 red offer 12"], "ann": {"clan": "größer"}}

    assert dump(data, "toml", schema="game.schema.json") == (
        '#:schema game.schema.json\nturn = 57\nlog = [\n    "57 red offer 12",\n]\n\n[ann]\nclan = "größer"\n'
    )
    assert dump(data, "json", schema="game.schema.json") == (
        '{\n  "$schema": "game.schema.json",\n  "turn": 57,\n  "log": [\n    "57 red offer 12"\n  ],\n'
        '  "ann": {\n    "clan": "größer"\n  }\n}\n'
    )


@pytest.mark.parametrize(
    ("text", "form", "reference"),
    [
        ("\ufeff#:schema a.json\r\nb = 1", "toml", "a.json"),
        ("b = 1\n#:schema a.json\n", "toml", ""),
        ("#:schema \x1b[2J\n", "toml", ""),
        ('{"b": 1, "$schema": "a.json"}', "json", "a.json"),
        ('{"$schema": "a\\nb"}', "json", ""),
        ('{"$schema": 1}', "json", ""),
        ('{"$schema": "a.json"', "json", ""),
    ],
)
def test_the_reference_to_a_schema_is_one_printable_line(text: str, form: Format, reference: str) -> None:
    """In TOML it is the first line, in JSON a key; anything odd counts as none."""
    assert formats.schema_line(text, form) == reference


def test_a_schema_that_is_no_text_is_left_for_the_schema_to_refuse() -> None:
    """Only a reference is taken out of the data."""
    assert parse('{"$schema": 1}', "json", name="move") == {"$schema": 1}


# ---------------------------------------------------------------- parsing what may be hostile


@pytest.mark.parametrize(
    ("form", "text", "place"),
    [
        ("toml", "a = 1\nb = Ann\n", "at line 2, column 5: a value is missing or invalid; text needs double quotes"),
        ("toml", "a = 1\na = 2\n", "at line 2, column 6: a key or table is defined twice"),
        ("toml", "[a]\n[a]\n", "at line 2, column 3: a key or table is defined twice"),
        ("toml", "a = [1, 2", "at the end: unclosed array"),
        ("toml", "a 1", "at column 3: expected '=' after a key"),
        ("toml", 'a = "b\n', "at line 1, column 7: illegal character"),
        ("toml", "a = 1\nb = 3.5", "at line 2, column 5: a value should be"),
        ("toml", "a = [{b = [1, nan]}]", "at column 15: a value should be"),
        ("toml", "# 1.5\nb = -inf", "at line 2, column 5: a value should be"),
        ("toml", "a = '1.5'\nb = 1e3", "at line 2, column 5: a value should be"),
        ("toml", "a = 1\nb = 2026-10-19", "at line 2, column 5: a value should be"),
        ("toml", "a = [[{b = 07:32:00}]]", "at column 12: a value should be"),
        ("toml", "a = 1979-05-27T07:32:00Z", "at column 5: a value should be"),
        ("toml", "a = 1000000000000000000", "at column 5: a value should be"),
        ("toml", "a = 0x" + "f" * 5000, "at column 5: a value should be"),
        ("toml", "a = " + "9" * 5000, "at column 5: a value should be"),
        ("toml", "b = 1\n" + "a." * 9 + "a = 1", "at line 2, column 2: a key has more than 8 dots"),
        ("toml", "b = 1\na = " + "[" * 40 + "]" * 40, "at line 2, column 37: brackets are nested more than 32 deep"),
        ("toml", "a = " + "{a=" * 40 + "1" + "}" * 40, "at column 101: brackets are nested more than 32 deep"),
        ("toml", "[a.a.a.a.a.a.a.a]\n" + "b.b.b.b.b.b.b.b = {" * 4 + "}" * 4, ": tables are nested more than 32 deep"),
        ("toml", 'a = "\\ud800"', "escaped character is not a unicode scalar value"),
        ("toml", 'a = "\ud800"', ": it contains half a character (a lone surrogate)"),
        ("toml", "a" * (PARSE_LIMIT + 1), ": it has more than 147456 characters"),
        (
            "json",
            '{"a": 1,\n "b": Ann}',
            "at line 2, column 7: a value is missing or invalid; text needs double quotes",
        ),
        ("json", '[{}, {"b": {}},\n{"a": 1, "a": 1}]', "at line 2, column 16: the object that ends here"),
        ("json", '{"a": "}", "b": {"c": 1, "c": 1}}', "at column 32: the object that ends here"),
        ("json", '{"a": 1,\n"b": -3.5}', "at line 2, column 6: a value should be"),
        ("json", '{"a": "1.5", "b": [1, 1E5]}', "at column 23: a value should be"),
        ("json", '{"a": NaN}', "at column 7: a value should be"),
        ("json", '{"a": [Infinity]}', "at column 8: a value should be"),
        ("json", '{"a": -Infinity}', "at column 7: a value should be"),
        ("json", '{"a": 1000000000000000000}', "at column 7: a value should be"),
        ("json", '{"a": ' + "9" * 5000 + "}", "at column 7: a value should be"),
        ("json", '{"a":\n' + "[" * 40 + "]" * 40 + "}", "at line 2, column 32: brackets are nested more than 32 deep"),
        ("json", '{"a": "\\udc00"}', ": it contains half a character (a lone surrogate)"),
        ("json", '{"\\ud800": 1}', ": it contains half a character (a lone surrogate)"),
        ("json", '{"a": 1} {}', "at column 10: extra data"),
        ("json", '{"a": "\x00"}', "at column 8: invalid control character"),
        ("json", '{"a": "b', "at column 7: unterminated string"),
        ("json", "[1]", ": it should be one object in braces"),
        ("json", '"a"', ": it should be one object in braces"),
        ("json", "null", ": it should be one object in braces"),
        ("json", "", "at column 1: a value is missing or invalid"),
        ("json", " " * (PARSE_LIMIT + 1), ": it has more than 147456 characters"),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else None,
)
def test_what_is_refused_and_where(form: Format, text: str, place: str) -> None:
    """The message names the file, the place where it is known, and the reason."""
    message = why_not(text, form)

    assert message.startswith("move cannot be parsed")
    assert place in message
    assert not message.endswith(" at")


@pytest.mark.parametrize(
    ("form", "text", "data"),
    [
        ("toml", "", {}),
        ("toml", "\ufeffa = 1\r\nb = 'x'\r\n", {"a": 1, "b": "x"}),
        ("toml", "[a.b]\nc = [1, {d = true}]", {"a": {"b": {"c": [1, {"d": True}]}}}),
        ("toml", "a = 999999999999999999", {"a": 999999999999999999}),
        ("json", '\ufeff{"a": [null, true, -1, "\\ud83d\\ude00"]}\r\n', {"a": [None, True, -1, "😀"]}),
        ("json", '{"a": [' + "1," * 5000 + "1]}", {"a": [1] * 5001}),
        ("json", '{"a": "' + "[" * 40 + '\\"{", "b": "\\\\"}', {"a": "[" * 40 + '"{', "b": "\\"}),
    ],
    ids=["nothing", "mark", "tables", "eighteen-digits", "json", "one-line", "quoted-brackets"],
)
def test_what_is_understood(form: Format, text: str, data: dict[str, Any]) -> None:
    """Limits and cleaning leave honest files alone."""
    assert parse(text, form, name="move") == data


@pytest.mark.parametrize(
    "line",
    [
        'a = "{}"',
        "a = '{}'",
        'a = """\n{}\n"""',
        "a = '''\n{}\n'''",
        "# {}",
        'a = "\\"{}"',
        '"{}" = 1',
        'a = """"{}""""" # {}',
        "a = ''''{}'''''",
        'a = """\\"""{}"""',
        'a = """""{}"""',
    ],
)
def test_brackets_and_dots_in_texts_and_comments_do_not_count(line: str) -> None:
    """What tomllib takes for a text or a comment is none of the structure."""
    text = line.replace("{}", "[{." * 40)

    assert parse(text, "toml", name="move") == tomllib.loads(text)


@pytest.mark.parametrize(
    "before",
    [
        'a = ""',
        "a = ''",
        'a = """"""',
        "a = ''''''",
        'a = """x""""',
        'a = """x"""""',
        "a = '''x''''",
        "a = '''x'''''",
        'a = """x"" """',
        'a = """\\""""',
        'a = "\\\\"',
        "a = '\\'",
        "a = '\"'",
        'a = "\'"',
        "a = 1 # \"\"\" '''",
        '"\\"" = 1',
        "'\"' = 1",
        "a = [\"'''\", '\"\"\"']",
        'a = """\n# """',
    ],
)
def test_brackets_and_dots_cannot_hide_behind_quotes(before: str) -> None:
    """Where tomllib sees the end of a text or a comment, so do the limits."""
    assert parse(f"{before}\nb = 1\n", "toml", name="move")["b"] == 1  # that is, nothing is quoted any more

    assert "brackets are nested" in why_not(f"{before}\nb = {'[' * 33}{']' * 33}\n", "toml")
    assert "dots" in why_not(f"{before}\nb{'.b' * 9} = 1\n", "toml")


@pytest.mark.parametrize(
    "quoted",
    [
        "''",
        '""',
        "'''x'''",
        "'''x''''",
        "'''x'''''",
        '"""x"""',
        '"""x""""',
        '"""x"""""',
        "'\"'",
        r"'\'",
        r'"\""',
        r'"\\"',
    ],
)
def test_brackets_and_dots_cannot_hide_in_the_same_line(quoted: str) -> None:
    """A text may end with up to five quotes."""
    assert len(parse(f"a = [{quoted}, 1]", "toml", name="move")["a"]) == 2

    assert "brackets are nested" in why_not(f"a = [{quoted}, {'[' * 33}{']' * 33}]", "toml")
    assert "dots" in why_not(f"a = [{quoted}, {{b{'.b' * 9} = 1}}]", "toml")


@pytest.mark.parametrize(("form", "text"), [("toml", "a = " + "[" * 100_000), ("json", "[" * 100_000)])
def test_the_recursion_of_a_parser_is_caught_too(form: Format, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Should the measuring ever miss something, it is refused all the same."""
    monkeypatch.setattr(formats, "MAX_DEPTH", 10**6)

    assert why_not(text, form) == "move cannot be parsed: it is nested too deeply"


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("toml", "secret"),
        ("toml", "secret = secret"),
        ("toml", "[secret]\n[secret]"),
        ("toml", "secret = 1\n[[secret]]"),
        ("toml", "secret.a = 1\n[secret]"),
        ("toml", "secret = {}\nsecret.a = 1"),
        ("toml", "a = {secret = 1, secret = 2}"),
        ("toml", "a = 'secret"),
        ("toml", 'a = "\\secret"'),
        ("toml", "secret = 1.5"),
        ("toml", "secret = '\x00secret'"),
        ("json", '{"secret": 1, "secret": 1}'),
        ("json", '{"secret": "\\secret"}'),
        ("json", '{"secret": secret}'),
        ("json", "secret"),
        ("json", '{"secret'),
        ("json", '{"secret": "\\ud800secret"}'),
    ],
)
def test_no_message_repeats_what_is_in_the_file(form: Format, text: str) -> None:
    """Not in the message, and not in an error behind it."""
    with pytest.raises(NotUnderstood) as refusal:
        parse(text, form, name="move")

    assert "secret" not in str(refusal.value.as_json()).lower()
    assert refusal.value.__cause__ is None
    assert refusal.value.__suppress_context__ or refusal.value.__context__ is None


def test_a_file_name_cannot_paint_the_terminal() -> None:
    """Control characters and broken bytes of a file name are not printed."""
    with pytest.raises(NotUnderstood) as refusal:
        parse("?", "toml", name="a\x1b[2J\udc80.toml")

    assert refusal.value.path == "a?[2J?.toml"
    assert refusal.value.message.startswith("a?[2J?.toml cannot")


PIECES = [
    *("[", "]", "[[", "]]", "{", "}", "{}", "[]", "=", "==", ".", ",", ":", "#", "a", "b", "a=", "a.b=1", "{a=1}"),
    *('"', '"""', "'", "'''", "\\", "\\u", "\\ud800", "\\n", '"a"', "'b'", '"a":', '{"a":1}', "é", "\ud800", "\ufeff"),
    *("1", "0x", "0o7", "1_0", "e5", ".5", "-", "+", "inf", "nan", "null", "true", "-Infinity", "9" * 20, "9" * 5000),
    *("2000-01-01", "2000-13-01", "T12:00:00", "07:32:00", "Z", " ", "\n", "\r\n", "\r", "\0", "\x7f", "\t"),
]
SOUP = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


@given(st.text() | SOUP | st.text(st.characters()), st.sampled_from(FORMATS))
def test_whatever_comes_is_understood_or_refused(text: str, form: Format) -> None:
    """No other error than the one for the player gets out, and what is understood can be written again."""
    with suppress(NotUnderstood):
        data = parse(text, form, name="move")
        assert parse(dump(data, "json"), "json", name="move") == data


def filled(line: str) -> str:
    """Return as many of these lines as fit, each with its own number in it."""
    if "N" not in line:
        return line * ((PARSE_LIMIT - 100) // len(line))
    lines = (line.replace("N", f"{number:x}") for number in range(PARSE_LIMIT))
    text, size = [], 0
    for each in lines:
        size += len(each)
        if size > PARSE_LIMIT - 100:
            break
        text.append(each)
    return "".join(text)


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("toml", "a." * 20_000 + "a = 1"),
        ("toml", "a." * (PARSE_LIMIT // 2)),
        ("toml", ("." * 8 + "a" * 2000 + "\n") * (PARSE_LIMIT // 2009)),
        ("toml", "[" + "a." * 8 + "b]\n" + filled("N.a.a.a.a.a.a.a.a=[]\n")),
        ("toml", "a={" + filled("N.a.a.a.a.a.a.a.a=[],") + "z=1}"),
        ("toml", "[" + "a." * 8 + "b]\n" + filled("N=1\n")),
        ("toml", filled("[N]\n")),
        ("toml", filled("[[N]]\n")),
        ("toml", filled("[[a]]\nb.c=1\n")),
        ("toml", "a=[" + filled("1,") + "]"),
        ("toml", "a=[" + filled("{},") + "]"),
        ("toml", "a=[" + filled("[],") + "]"),
        ("toml", "[" * PARSE_LIMIT),
        ("toml", "a=" + "9" * (PARSE_LIMIT - 2)),
        ("toml", "a=[" + filled("9" * 4300 + ",") + "]"),
        ("toml", "a=1." + "9" * (PARSE_LIMIT - 4)),
        ("toml", '"' * PARSE_LIMIT),
        ("toml", "'" * PARSE_LIMIT),
        ("toml", '""" ' * (PARSE_LIMIT // 4)),
        ("toml", 'a="""' + '\\"""' * (PARSE_LIMIT // 5)),
        ("toml", 'a="' + "\\n" * (PARSE_LIMIT // 2 - 3) + '"'),
        ("toml", "a=[" + ", " * (PARSE_LIMIT // 2 - 2)),
        ("toml", " " * PARSE_LIMIT),
        ("json", "[" * PARSE_LIMIT),
        ("json", '{"a":[' + filled("{},") + '{"a":1,"a":1}]}'),
        ("json", "{" + filled('"N":1,') + '"z":1}'),
        ("json", '{"a":' + "9" * (PARSE_LIMIT - 6) + "}"),
        ("json", '{"a":1e' + "9" * (PARSE_LIMIT - 8) + "}"),
        ("json", '"' * PARSE_LIMIT),
        ("json", '"' + "\\" * (PARSE_LIMIT - 1)),
        ("json", "{" + " " * (PARSE_LIMIT - 1)),
    ],
    ids=lambda value: value[:30] if len(value) > 4 else value,
)
def test_nothing_takes_much_work(form: Format, text: str) -> None:
    """The crafted inputs that are slowest, or once were: a key of 40 KB of dots took tomllib 8 s."""
    assert len(text) <= PARSE_LIMIT  # not refused for its mere size

    with at_most(4_000_000), suppress(NotUnderstood):
        parse(text, form, name="move")


# ---------------------------------------------------------------- reading


def test_a_file_is_read_up_to_its_limit(game: Path) -> None:
    """A file may be as large as the limit and no larger."""
    assert read_bytes(game) == b"turn = 57\n"
    assert read_bytes(game, 10) == b"turn = 57\n"
    with pytest.raises(NotUnderstood, match=r"game\.toml is too large: it has more than 9 bytes"):
        read_bytes(game, 9)


def test_a_text_may_have_a_mark_and_foreign_line_ends(game: Path) -> None:
    """Byte order mark and CRLF, as Windows writes them, are accepted."""
    game.write_bytes(b"\xef\xbb\xbfa = 1\r\nb = '\xc3\xa9'\r\n")

    assert read_text(game) == "a = 1\nb = 'é'\n"


@pytest.mark.parametrize(
    ("data", "offset"), [(b"a = \xff", 4), (b"\xef\xbb\xbfa\xc3", 4), (b"\xff\xfea\0", 0), (b"ab\xed\xa0\x80", 2)]
)
def test_what_is_not_utf_8_is_refused_with_its_offset(game: Path, data: bytes, offset: int) -> None:
    """Latin-1, a text cut short, UTF-16, and a surrogate in UTF-8."""
    game.write_bytes(data)

    with pytest.raises(NotUnderstood, match=rf"is not valid UTF-8: the byte at offset {offset} ") as refusal:
        read_text(game)

    assert refusal.value.hint
    assert refusal.value.__cause__ is None  # a UnicodeDecodeError holds the whole file
    assert refusal.value.__suppress_context__


def make_link(path: Path) -> None:
    """Make a symbolic link to the game."""
    path.symlink_to("game.toml")


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda path: None, "cannot be opened: no such file"),
        (Path.mkdir, "cannot be opened: is a directory"),
        (os.mkfifo, "is a pipe or a device"),
        (make_link, "symbolic links are not followed"),
    ],
    ids=["missing", "folder", "pipe", "link"],
)
def test_only_regular_files_are_read(game: Path, make: Callable[[Path], None], why: str) -> None:
    """Nothing hangs, and nothing is followed."""
    path = game.with_name("other.toml")
    make(path)

    with pytest.raises(NoSuchFile, match=why) as refusal:
        read_bytes(path)

    assert refusal.value.path == str(path)


@pytest.mark.parametrize("name", ["/dev/zero", "game.toml\0", "x" * 300, f"{__file__}/game.toml"])
def test_devices_and_impossible_names_are_not_read(name: str) -> None:
    """An endless device, a null byte, a long name, a file as a folder."""
    with pytest.raises(NoSuchFile):
        read_bytes(Path(name))


def test_a_file_without_leave_is_not_read(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reason of the operating system is told."""
    failing(monkeypatch, "open", errno.EACCES)

    with pytest.raises(NoSuchFile, match="cannot be opened: permission denied"):
        read_bytes(game)


@pytest.mark.needs("linux")
def test_reading_that_breaks_off_is_told() -> None:
    """The memory of a process is a regular file that opens and fails at its first byte."""
    with pytest.raises(CannotWrite, match="/proc/self/mem cannot be read: input/output error"):
        read_bytes(Path("/proc/self/mem"))


def test_standard_input_is_read_like_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mark, line ends, limit and encoding as in a file; it may also be closed."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xef\xbb\xbfpass\r\n")))
    assert files.read_stdin() == "pass\n"

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"offer 9")))
    with pytest.raises(NotUnderstood, match="standard input is too large"):
        files.read_stdin(6)

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff")))
    with pytest.raises(NotUnderstood, match="standard input is not valid UTF-8"):
        files.read_stdin()

    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(NoSuchFile, match="standard input is closed"):
        files.read_stdin()


# ---------------------------------------------------------------- writing


def failing(monkeypatch: pytest.MonkeyPatch, function: str, code: int) -> None:
    """Let a function of the operating system fail."""

    def fail(*_args: object, **_options: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, function, fail)


def mode_of(path: Path) -> int:
    """Return the permission bits."""
    return stat.S_IMODE(path.lstat().st_mode)


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666, 0o755])
def test_a_replaced_file_keeps_its_permissions(game: Path, mode: int, umask: Callable[[int], int]) -> None:
    """The umask has no say in it."""
    game.chmod(mode)
    umask(0o077)

    replace(game, "turn = 58 # größer\n")

    assert game.read_bytes() == "turn = 58 # größer\n".encode()
    assert mode_of(game) == mode
    assert folder_of(game) == ["game.toml"]


def test_a_replaced_file_can_get_other_permissions(game: Path, umask: Callable[[int], int]) -> None:
    """A mode that is asked for is given, whatever the umask."""
    umask(0o077)

    replace(game, "turn = 58\n", mode=0o664)

    assert mode_of(game) == 0o664


def test_a_file_that_is_gone_is_written_anew(game: Path, umask: Callable[[int], int]) -> None:
    """Then the umask has its say."""
    game.unlink()
    umask(0o027)

    replace(game, "turn = 58\n")

    assert game.read_text(encoding="utf-8") == "turn = 58\n"
    assert mode_of(game) == 0o640


def test_a_short_write_is_continued(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The operating system may take less than it is given."""
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:3]))

    replace(game, "turn = 58\n")

    assert game.read_text(encoding="utf-8") == "turn = 58\n"


def test_a_text_is_on_the_disk_before_it_has_its_name(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise a power cut could leave an empty file under the name of the game."""
    calls: list[str] = []
    sync, rename = os.fsync, os.replace

    def synced(descriptor: int) -> None:
        calls.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")
        sync(descriptor)

    def renamed(old: str, new: str) -> None:
        calls.append("rename")
        rename(old, new)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", renamed)

    replace(game, "turn = 58\n")

    assert calls == ["file", "rename", "folder"]


FAILURES = [
    ("write", errno.ENOSPC, TryAgain),
    ("write", errno.EDQUOT, TryAgain),
    ("write", errno.EFBIG, CannotWrite),
    ("fsync", errno.EIO, CannotWrite),
    ("open", errno.ENOSPC, TryAgain),
    ("open", errno.EROFS, CannotCreate),
    ("open", errno.EACCES, CannotCreate),
    ("fchmod", errno.EPERM, CannotCreate),
    ("replace", errno.EACCES, CannotCreate),
    ("replace", errno.EIO, CannotWrite),
]


@pytest.mark.parametrize(("function", "code", "kind"), FAILURES)
def test_when_writing_fails_the_old_file_stays(
    game: Path, function: str, code: int, kind: type[PbemError], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Content, permissions and folder are as before, and the kind of error tells what to do."""
    game.chmod(0o666)
    failing(monkeypatch, function, code)

    with pytest.raises(kind) as refusal:
        replace(game, "turn = 58\n")

    assert type(refusal.value) is kind
    assert refusal.value.path == str(game)
    assert game.read_text(encoding="utf-8") == "turn = 57\n"
    assert mode_of(game) == 0o666
    assert folder_of(game) == ["game.toml"]


def test_when_the_disk_is_full_half_way_nothing_is_left_of_it(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither of a file that is replaced nor of a new one."""
    write, new = os.write, game.with_name("new.toml")

    def full(descriptor: int, data: memoryview) -> int:
        if len(data) < 10:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(descriptor, data[:3])

    monkeypatch.setattr(os, "write", full)

    with pytest.raises(TryAgain, match=r"game\.toml cannot be written because the disk is full"):
        replace(game, "turn = 58\n")
    with pytest.raises(TryAgain, match=r"new\.toml cannot be written because the disk is full"):
        create(new, "turn = 58\n")

    assert game.read_text(encoding="utf-8") == "turn = 57\n"
    assert folder_of(game) == ["game.toml"]


def test_an_interrupted_write_leaves_nothing(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Control-C is no excuse for litter."""

    def interrupt(_descriptor: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)

    with pytest.raises(KeyboardInterrupt):
        replace(game, "turn = 58\n")

    assert game.read_text(encoding="utf-8") == "turn = 57\n"
    assert folder_of(game) == ["game.toml"]


def test_a_folder_that_cannot_be_flushed_does_not_unmake_the_change(
    game: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is in its place by then; an error would tell a lie."""
    sync = os.fsync

    def refuse_folders(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "Invalid argument")
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", refuse_folders)

    replace(game, "turn = 58\n")

    assert game.read_text(encoding="utf-8") == "turn = 58\n"


def test_a_link_is_neither_followed_nor_replaced(game: Path) -> None:
    """Nor does a dangling link count as a free name."""
    link, dangling = game.with_name("link.toml"), game.with_name("dangling.toml")
    link.symlink_to("game.toml")
    dangling.symlink_to("nowhere.toml")

    for path in (link, dangling):
        with pytest.raises(CannotCreate, match=r"is a symbolic link and is not replaced"):
            replace(path, "turn = 58\n")
        with pytest.raises(CannotCreate, match="already exists"):
            create(path, "turn = 58\n")

    assert game.read_text(encoding="utf-8") == "turn = 57\n"
    assert link.is_symlink()
    assert folder_of(game) == ["dangling.toml", "game.toml", "link.toml"]


def test_a_write_protected_file_is_not_replaced(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Renaming would not ask; who protects a game means it."""
    monkeypatch.setattr(os, "access", lambda path, mode: not (path == game and mode == os.W_OK))  # root may anyway

    with pytest.raises(CannotCreate, match="is write-protected"):
        replace(game, "turn = 58\n")

    assert game.read_text(encoding="utf-8") == "turn = 57\n"


@pytest.mark.parametrize("write", [replace, create])
@pytest.mark.parametrize("name", ["nowhere/game.toml", "game.toml/game.toml", "x" * 300, "game\0.toml", ".."])
def test_a_file_cannot_be_where_no_file_can_be(game: Path, write: Callable[[Path, str], None], name: str) -> None:
    """No folder, a file as a folder, impossible names, a folder."""
    with pytest.raises(CannotCreate):
        write(game.parent / name, "turn = 58\n")

    assert folder_of(game) == ["game.toml"]


def test_an_existing_file_is_not_overwritten(game: Path) -> None:
    """The refusal says what to do."""
    with pytest.raises(CannotCreate, match="already exists") as refusal:
        create(game, "turn = 0\n")

    assert refusal.value.hint
    assert game.read_text(encoding="utf-8") == "turn = 57\n"
    assert folder_of(game) == ["game.toml"]


@pytest.mark.parametrize(
    "modes",
    [(0o600, 0, 0o600), (0o600, 0o777, 0o600), (0o644, 0o022, 0o644), (0o644, 0o077, 0o600), (0o666, 0o002, 0o664)],
)
def test_a_new_file_is_never_more_open_than_it_should_be(
    game: Path, modes: tuple[int, int, int], umask: Callable[[int], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The umask takes away, but not from the owner."""
    mode, mask, result = modes
    path = game.with_name("game.secret.toml")
    write = os.write

    def watched(descriptor: int, data: bytes) -> int:
        assert stat.S_IMODE(os.fstat(descriptor).st_mode) == result  # already while it is written
        return write(descriptor, data)

    monkeypatch.setattr(os, "write", watched)
    umask(mask)

    create(path, "secret = 1\n", mode=mode)

    assert mode_of(path) == result
    assert path.stat().st_nlink == 1
    assert folder_of(path) == ["game.secret.toml", "game.toml"]


@pytest.mark.parametrize("links", [True, False], ids=["hard-links", "no-hard-links"])
def test_of_many_who_create_a_file_one_succeeds(tmp_path: Path, links: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """And its text is whole, with hard links and without."""
    if not links:
        failing(monkeypatch, "link", errno.EPERM)
    path, start = tmp_path / "game.toml", threading.Barrier(8)
    done: list[int] = []
    refused: list[PbemError] = []

    def race(number: int) -> None:
        start.wait()
        try:
            create(path, f"turn = {number}\n")
            done.append(number)
        except PbemError as refusal:
            refused.append(refusal)

    racers = [threading.Thread(target=race, args=(number,)) for number in range(8)]
    for racer in racers:
        racer.start()
    for racer in racers:
        racer.join()

    assert len(done) == 1
    assert [type(refusal) for refusal in refused] == [CannotCreate] * 7
    assert path.read_text(encoding="utf-8") == f"turn = {done[0]}\n"
    assert mode_of(path) & 0o600 == 0o600
    assert folder_of(path) == ["game.toml"]


# ---------------------------------------------------------------- the lock

HOLDER = """
import sys, time
from pathlib import Path
from pbem.files import locked, replace
path = Path(sys.argv[1])
with locked(path):
    replace(path, "turn = 58\\n")
    print("locked", flush=True)
    time.sleep(float(sys.argv[2]))
"""


def holding(path: Path, seconds: float) -> subprocess.Popen[bytes]:
    """Start a process that holds the lock, has already replaced the file, and keeps on."""
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, str(path), str(seconds)], stdout=subprocess.PIPE, cwd=ROOT)
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"locked\n"
    return holder


def ended(holder: subprocess.Popen[bytes]) -> None:
    """Kill a process that we started, as kill -9 does."""
    holder.kill()
    holder.communicate()


@pytest.mark.parametrize("name", ["game.toml", "new.toml"], ids=["the-file", "its-folder"])
def test_of_two_processes_one_is_told_to_try_again(game: Path, name: str) -> None:
    """The lock has outlived a replacing, and covers the files beside."""
    holder = holding(game, 60)
    try:
        with pytest.raises(TryAgain, match="another pbem") as refusal, locked(game.with_name(name), wait=0.1):
            pytest.fail("two processes hold the lock")
    finally:
        ended(holder)

    assert refusal.value.exit_status == 75
    assert folder_of(game) == ["game.toml"]


def test_a_short_wait_is_waited_for(game: Path) -> None:
    """Who comes second gets the lock when the first has ended."""
    holder = holding(game, 0.3)
    try:
        with locked(game, wait=120):
            assert holder.wait(120) == 0
    finally:
        ended(holder)


def test_the_lock_of_a_killed_process_is_gone(game: Path) -> None:
    """The kernel gives it back, and no litter stays."""
    holder = holding(game, 60)
    ended(holder)

    with locked(game, wait=0):
        assert game.read_text(encoding="utf-8") == "turn = 58\n"

    assert folder_of(game) == ["game.toml"]


def test_what_a_killed_process_left_is_cleaned_under_the_lock(game: Path) -> None:
    """Once it is old: a young one may be somebody's who is writing right now, and other files are left alone."""
    old, young, other = (game.with_name(name) for name in (".pbem-0a.tmp", ".pbem-0b.tmp", ".pbem-notes.txt"))
    for path in (old, young, other):
        path.write_text("half", encoding="utf-8")
        os.utime(path, (time.time() - files.LITTER_AGE - 60,) * 2 if path != young else None)
    kept = game.parent / "kept"
    for folder in (kept, game.parent / ".pbem-old.tmp", game.parent / ".pbem-young.tmp"):
        folder.mkdir()
        (folder / "file").write_text("x", encoding="utf-8")
    (game.parent / ".pbem-old.tmp" / "link").symlink_to(kept)
    os.utime(game.parent / ".pbem-old.tmp", (0, 0))
    (game.parent / ".pbem-link.tmp").symlink_to(kept)
    os.utime(game.parent / ".pbem-link.tmp", (0, 0), follow_symlinks=False)

    with locked(game, wait=0):
        assert folder_of(game) == [".pbem-0b.tmp", ".pbem-notes.txt", ".pbem-young.tmp", "game.toml", "kept"]
        assert (kept / "file").exists()


def test_another_folder_has_another_lock(game: Path) -> None:
    """And one process cannot take the same lock twice."""
    (game.parent / "b").mkdir()

    with locked(game, wait=0), locked(game.parent / "b" / "game.toml", wait=0):
        with pytest.raises(TryAgain), locked(game, wait=0):
            pytest.fail("the lock was given twice")
        with pytest.raises(TryAgain), locked(game.parent / "b" / "game.toml", wait=0):
            pytest.fail("the lock was given twice")


def test_the_lock_ends_with_its_block_and_lets_errors_through(game: Path) -> None:
    """What goes wrong within is not taken for trouble with the lock."""
    for error in (OSError(errno.ENOSPC, "from within"), ValueError("from within"), KeyboardInterrupt("from within")):
        with pytest.raises(type(error), match="from within"), locked(game, wait=0):
            raise error

    with locked(game, wait=0):
        assert folder_of(game) == ["game.toml"]


def test_a_file_that_must_not_be_written_can_be_locked(game: Path) -> None:
    """Not even the folder needs leave to write."""
    game.chmod(0o444)
    game.parent.chmod(0o555)
    try:
        with locked(game, wait=0):
            assert mode_of(game) == 0o444
    finally:
        game.parent.chmod(0o755)


def test_where_folders_cannot_be_locked_a_file_beside_is(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on NFS, which locks only what is open for writing."""
    flock = fcntl.flock

    def like_nfs(descriptor: int, operation: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EBADF, "Bad file descriptor")
        flock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", like_nfs)

    with locked(game, wait=0):
        assert folder_of(game) == [".pbem.lock", "game.toml"]
        with pytest.raises(TryAgain), locked(game, wait=0):
            pytest.fail("the lock was given twice")
    with locked(game, wait=0):
        pass


def test_where_nothing_can_be_locked_nothing_is_done(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Going on without a lock would risk the game."""

    def refuse(_descriptor: int, _operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)

    with pytest.raises(CannotWrite, match="cannot be locked"), locked(game, wait=0):
        pytest.fail("there is no lock")


def test_a_game_in_no_folder_cannot_be_locked(game: Path) -> None:
    """The message says what is missing."""
    with pytest.raises(CannotCreate, match=r"the folder of .* does not exist"), locked(game.parent / "b" / "game.toml"):
        pytest.fail("there is nothing to lock")


# ---------------------------------------------------------------- start-up


def test_starting_loads_no_parser() -> None:
    """Start-up time is a feature."""
    late = "{'json', 'tomllib', 'tomli_w', 'fcntl', 'tempfile', 'random'}"
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); import pbem.files; print({late} & set(sys.modules))"

    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "set()\n"

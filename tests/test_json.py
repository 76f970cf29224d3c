"""JSON is read at once where nothing is wrong, and looked at closely only to say what is: with the same data."""

import json
from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import Any
from unittest.mock import patch

import pytest
from bots import a_new_record, random_play
from hypothesis import given
from hypothesis import strategies as st

from pbem import formats, game_files
from pbem.errors import PbemError

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=30,
)
DEEP = "[" * 40 + "]" * 40
ODDITIES = [
    "",
    " ",
    "{}",
    "[]",
    "7",
    '"text"',
    "{",
    '{"a": 1}',
    '{"a":1}',
    '{ "a" : 1 }',
    '{"a":  1}',
    '{"a": 1, "a": 1}',
    '{"a": 1, "a": 2}',
    '{"a": {"b": 1, "b": 1}}',
    '{"a" :1,"a": 2}',
    '{"a": [1.5], "a": 2}',
    '{"a": "\\"", "a": 1}',
    '{"a": 1, "a": "\\""}',
    '{"a": 1, "a": 1, "b": "\\u0022\\u0022"}',
    '{"a": 1, "\\u0061": 1, "b": "\\u0022\\u0022"}',
    '{"\\u0022": 1, "a": 1, "a": 1}',
    '{"a": 1.0}',
    '{"a": 1e3}',
    '{"a": [1, -2.5]}',
    '{"a": -0}',
    '{"a": 01}',
    '{"a": NaN}',
    '{"a": Infinity}',
    '{"a": 999999999999999999}',
    '{"a": 1000000000000000000}',
    '{"a": -1000000000000000000}',
    '{"a": 18446744073709551616}',
    '{"a": [123456789012345678901234567890]}',
    '{"a": "1.5, 2: 3"}',
    '{"a": "x: 1.5"}',
    '{"a: ": 1, "a:": 2}',
    '{"a, b": [true, false, null]}',
    '{"a": "\\ud800"}',
    '{"a": "\\u00e4"}',
    '{"a": "ä"}',
    '{"a": "\\n\\u0001"}',
    '{"a": "\x01"}',
    '{"a": "\\/"}',
    '{"a": 1}\r',
    '{"a": 1}\ufeff',
    '\ufeff{"a": 1}',
    '{"$schema": "x", "a": 1}',
    '{"$schema": 1}',
    '{"a": 1} {"b": 2}',
    '{"a": 1,}',
    f'{{"a": {DEEP}}}',
    f'{{"a": {DEEP.replace("]", "", 20)}}}',
    f'{{"a": {"[" * 31}{"]" * 31}}}',
    f'{{"a": {"[" * 32}{"]" * 32}}}',
    f'{{"a": {"[" * 5000}{"]" * 5000}}}',
    f'{{"a": {"[" * 15}{"]" * 15}}}',
    f'{{"a": {"[" * 16}{"]" * 16}}}',
    f'{{"a": {DEEP}, "b": "{DEEP}"}}',
    json.dumps({"a": [json.loads("[" * n + '"' + "]" * n + '"' + "]" * n) for n in range(1, 31)]}),
    f'{{"a": ["{"]" * 40}", {DEEP}, "{"[" * 40}"]}}',
    f'{{"a": ["\\"{"]" * 40}", {DEEP}, "{"[" * 40}\\""]}}',
    '{"a": [' + '{"b": [' * 15 + "]}" * 15 + "]}",
    '{"a": [' + '{"b": [' * 16 + "]}" * 16 + "]}",
    '{"a": 1e16}',
    '{"a": [1e22, -5e-324]}',
    '{"a": -1e-7}',
    '{"a": "x,1e5"}',
    '{"a": "1234567890123456789"}',
    '{"a": "x:1234567890123456789"}',
    '{"a": [1234567890123456789]}',
    '{"a": "[", "b": "]"}',
    '{"a": "]", "b": "["}',
    f'{{"a": "{"x" * 150_000}"}}',
]


def read(line: bytes) -> dict[str, Any] | str:
    """Return the data, or the error as text."""
    try:
        return formats.parse(formats.decode(line.rstrip(), name="line 1"), "json", name="line 1")
    except PbemError as error:
        return json.dumps(error.as_json())


def same(line: bytes) -> None:
    """See that both ways lead to the same, in which 1 is neither true nor 1.0."""
    one = read(line)
    with patch.object(formats, "_plain_json", return_value=None):
        other = read(line)
    assert (one, repr(one)) == (other, repr(other))


@pytest.mark.parametrize("text", ODDITIES, ids=lambda text: ascii(text)[:40])
def test_an_odd_line_is_read_the_same(text: str) -> None:
    same(text.encode())
    same(b"\xff" + text.encode())
    same(text.encode() + b"\xff")


@pytest.mark.slow
@given(JSON, st.sampled_from([(", ", ": "), (",", ":"), (" , ", " : ")]), st.booleans())
def test_any_json_is_read_the_same(data: Any, separators: tuple[str, str], plain: bool) -> None:
    for value in (data, {"a": data}):
        text = json.dumps(value, separators=separators, ensure_ascii=plain)
        same(text.encode(errors="surrogatepass"))


@given(st.binary())
def test_any_bytes_are_read_the_same(line: bytes) -> None:
    same(line)


def games() -> Iterator[str]:
    for record, _, _ in islice(random_play(a_new_record(4), Random(3)), 0, 300, 30):
        yield json.dumps({"game": game_files.data_of(record), "move": "pass"})


def test_a_game_needs_no_closer_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """As Python writes it, and as others do; a name with an umlaut makes no difference."""
    lines = [*games(), *(json.dumps(json.loads(game), separators=(",", ":")) for game in games())]
    lines += [line.replace("Angelika", name) for line in lines for name in ("J\u00fcrgen", "J\\u00fcrgen")]
    expected = [json.loads(line) for line in lines]
    monkeypatch.setattr(formats, "QUOTED", {})

    assert [formats.parse(line, "json", name="") for line in lines] == expected

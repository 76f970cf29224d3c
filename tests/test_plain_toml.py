"""TOML as pbem writes it: read without tomllib, which says the same, and written as tomli_w writes it."""

import tomllib
from random import Random
from typing import Any

import pytest
import tomli_w
from bots import a_new_record, random_play
from builders import the_components
from hypothesis import given
from hypothesis import strategies as st
from work import Some

from pbem import formats
from pbem.first_sparks.proof import encode
from pbem.first_sparks.record import digest
from pbem.formats import _plain_toml as plain_toml
from pbem.formats import dump

ODD = "\"[]{}=,.\\#\n\r\t \x00\x7f\u2028é01a_-'"


def texts() -> list[str]:
    """Return game files from the middle and end of games, and move files."""
    found = ['player = "green"\nturn = 3\n\n[move]\norder = "offer"\ncard = 9\n', 'orders = ["offer 9", "pass"]\n']
    for players in (2, 3, 5):
        lines = list(random_play(a_new_record(players, f"game-{players}"), Random(players), 400))
        for record, _, _ in (lines[0], lines[len(lines) // 2], lines[-1]):
            found.append(dump(encode(record, digest(the_components())), "toml", schema="./game.schema.json"))
    return found


TEXTS = texts()


def assert_no_other(text: str) -> bool:
    """See that tomllib reads the same, down to the types, if it is asked at all; return whether it is not."""
    data = plain_toml(text)
    if data is not None:
        assert repr(data) == repr(tomllib.loads(text)), text
    return data is not None


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_what_pbem_writes_needs_no_parser(text: str) -> None:
    assert assert_no_other(text)


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_what_is_nearly_so_is_read_as_tomllib_reads_it(text: str, some: Some) -> None:
    """With characters changed, and lines left out, doubled and moved."""
    random, lines = Random(len(text)), text.split("\n")
    plain = 0
    for _ in some(range(2000), 4):
        changed = [*lines]
        for _ in range(random.randrange(3)):
            one, other = random.choices(range(len(changed)), k=2)
            line = changed[one] if random.random() < 0.5 else changed.pop(one)
            changed[other:other] = [line] * random.randrange(3)
        spoilt = "\n".join(changed)
        for _ in range(random.randrange(3)):
            at = random.randrange(len(spoilt) + 1)
            spoilt = spoilt[:at] + random.choice(ODD) * random.randrange(3) + spoilt[at + random.randrange(2) :]
        plain += assert_no_other(spoilt)
    assert plain


@given(st.text(st.sampled_from(ODD + '="truefals')))
def test_whatever_comes_is_read_as_tomllib_reads_it(value: str) -> None:
    for form in ("{}", "a = {}\n", 'a = "{}"\n', "a = [\n    {},\n]\n", "a = [{}]\n", "[{}]\n", "{} = 1\n"):
        assert_no_other(form.format(value))


@pytest.mark.parametrize(
    "text",
    [
        'a = "b"\na = "c"\n',
        "[a]\n[a]\n",
        "[a.b]\n",
        "a = [\n    { b = 1 },\n]\n[[a]]\n",
        "a = []\n[[a]]\n",
        "[[a]]\n[a]\n",
        "[[a]]\n[a.b]\n",
        "[a]\nb = 1\n[a.b]\n",
        "a = [\n    { b = 1, b = 2 },\n]\n",
        "a = [\n    1,\n",
        "a = 01\n",
        "a = 1000000000000000000\n",
        "a = -1\n",
        "a = 1.5\n",
        'a = "\\u0041"\n',
        'a = "\t"\n',
        "a = 'b'\n",
        'a = """b"""\n',
        "a = { b = 1 }\n",
        "a.b = 1\n",
        "a-b = 1\n",
        "á = 1\n",
        "a=1\n",
        "# a\n",
        "a = 1 # b\n",
        "a = 1\r\n",
        "?",
    ],
)
def test_the_rest_is_for_tomllib(text: str) -> None:
    """Also what is wrong, so that nothing has to be said about it twice."""
    assert plain_toml(text) is None


LINES = st.lists(st.text(max_size=9) | st.sampled_from(["1 red stay", "0 * draw 9", 'a"', "\\", "\n", "log = []"]))


@given(LINES | st.lists(st.integers()) | st.text(), st.booleans())
def test_a_log_is_written_as_tomli_w_writes_it(log: object, first: bool) -> None:
    """Whatever is in it, and wherever it stands."""
    data: dict[str, Any] = {"log": log} if first else {"game": "log = []", "log": log, "chance": {"log": []}, "turn": 1}

    assert formats._toml_text(data) == tomli_w.dumps(data)

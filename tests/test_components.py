"""Somebody's own component set: what makes no sense is refused with its reason, and what is known is shown."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builders import the_components

import pbem.first_sparks
from pbem import formats, loading, lookup, schema
from pbem.errors import NotUnderstood
from pbem.first_sparks.components import LaidTile
from pbem.first_sparks.land.board import lay_out
from pbem.first_sparks.land.groups import bits, is_one_group

DATA = Path(pbem.first_sparks.__file__).parent / "data" / "components.toml"
Set = dict[str, Any]


def a_set() -> Set:
    """Return the shipped set as data that a test may spoil."""
    return tomllib.loads(DATA.read_text(encoding="utf-8"))


def card(data: Set, number: int) -> Set:
    """Return the row of that card."""
    return next(row for row in data["cards"] if row["number"] == number)


def without_cards(data: Set, *numbers: int) -> None:
    data["cards"] = [row for row in data["cards"] if row["number"] not in numbers]


def lay(data: Set, board: str, place: int, *where: Any) -> None:
    data["boards"][board]["tiles"][place] = list(where)


def reasons(data: Set, tmp_path: Path) -> list[str]:
    """Return why the set is refused, as ``pbem components --check`` and ``pbem new --components`` do."""
    path = tmp_path / "my-box.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(NotUnderstood) as refusal:
        loading.load_components(path)
    return [reason.message for reason in refusal.value.reasons] or [refusal.value.message]


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda data: data["cards"].append(dict(card(data, 22))), ["cards: the number 22 is not unique"]),
        (
            lambda data: without_cards(data, 6),
            ["cards: the six Herbs must be 1 to 6, not 1 2 3 4 5"],
        ),
        (
            lambda data: card(data, 3).update(number=50),
            ["cards: the six Herbs must be 1 to 6, not 1 2 4 5 6 50"],
        ),
        (
            lambda data: without_cards(data, 1, 2, 3, 4, 5, 6),
            ["cards: the six Herbs, 1 to 6, are missing"],
        ),
        (
            lambda data: without_cards(data, 9, 15, 39),
            ["cards: 9 15 39 are missing, which the rulebook's set-up needs"],
        ),
        (
            lambda data: without_cards(data, *range(27, 33), 34, 35),
            ["cards: at least 28 are needed besides the Herbs, not 27"],
        ),
        (
            lambda data: card(data, 22).update(harvest=[[1, 1], [7, 2], [4, 3]]),
            ["card 22: the harvest table is not ascending"],
        ),
        (
            lambda data: card(data, 22).update(harvest=[[1, 2], [4, 2]]),
            ["card 22: the harvest table is not ascending"],
        ),
        (lambda data: data["tiles"].append(data["tiles"][5]), ["tiles: the letter F is not unique"]),
        (
            lambda data: data["tiles"][0].update(min_players=3),
            ["tiles: 2 players need 4, not 3"],
        ),
        (
            lambda data: data["tiles"].pop(5),
            ["tiles: 5 players need 6, not 5"],
        ),
        (
            lambda data: lay(data, "3", 2, "Z", -2, 1, 1),
            ["a recommended board names tile Z, which is not in the set"],
        ),
        (
            lambda data: lay(data, "3", 2, "E", -2, 1, 1),
            [
                "boards.3: tile E is only used with 4 or more players",
                "boards.3: it must have 3 starting spaces, each next to a different hunting area",
            ],
        ),
        (
            lambda data: lay(data, "3", 2, "B", -2, 1, 1),
            [
                "boards.3: it must have 3 different tiles",
                "boards.3: it must have 3 starting spaces, each next to a different hunting area",
            ],
        ),
        (lambda data: lay(data, "3", 2, "C", 0, 0, 0), ["boards.3: two tiles overlap"]),
        (
            lambda data: lay(data, "3", 2, "C", 4, 4, 0),
            ["boards.3: tile C does not touch enough earlier tiles"],
        ),
        (
            lambda data: data["boards"]["3"].update(start=["C1c", "C1b", "C2c"]),
            ["boards.3: it must have 3 starting spaces, each next to a different hunting area"],
        ),
        (
            lambda data: data["boards"]["3"].update(start=["C1c", "E1b", "C2c"]),
            ["boards.3: it must have 3 starting spaces, each next to a different hunting area"],
        ),
    ],
)
def test_a_set_that_makes_no_sense_is_refused_with_every_reason(
    spoil: Callable[[Set], None], why: list[str], tmp_path: Path
) -> None:
    """Each fits the schema; only what the rules need is missing."""
    data = a_set()
    spoil(data)
    schema.check(data, "components", "my-box")

    assert reasons(data, tmp_path) == why


def test_the_shipped_set_makes_sense(tmp_path: Path) -> None:
    path = tmp_path / "my-box.toml"
    path.write_text(DATA.read_text(encoding="utf-8"), encoding="utf-8")

    assert loading.load_components(path) == loading.built_in()


def test_the_spaces_of_a_tile_are_next_to_each_other_however_it_is_split() -> None:
    """So that nobody's own tile can be torn apart, and no check of it is needed."""
    tile = the_components().tiles["A"]
    for split in ((0, 0), (0, 1), (1, 0), (1, 1)):
        for rotation in range(6):
            board = lay_out((LaidTile(tile._replace(split=split), 0, 0, rotation),))
            assert is_one_group(board, bits(board, board.spaces))
            for name in board.foods:
                beside = {there for there, _ in board.neighbours[f"{name}a"]}
                assert {f"{name}b", f"{name}c"} <= beside


def test_the_list_of_components_says_tables_as_the_texts_do_and_marks_what_is_whose() -> None:
    """Of the Plow its bonus; a set read off a box has its own mark."""
    lines = lookup.components(loading.built_in(), Path("components.toml")).text().splitlines()
    data = formats.parse(DATA.read_text(encoding="utf-8"), "toml", name="box")
    box = loading.own_components({**data, "provenance": "box", "plow_bonus": 2})
    of_box = lookup.components(box, Path("box.toml")).text().splitlines()

    assert "   7  basket r        2r  berries 1-4:1 5+:2 r" in lines
    assert "  22  basket p        6r  berries 1-3:1 4-6:2 7+:3 p" in lines
    assert "  12  field r         3r  2 crops r" in lines
    assert "  18  plow p          3r  +1 crop for each field r" in lines
    assert "  24  speech p        5r  a shared space costs 1 less" in lines
    assert "  18  plow p          3b  +2 crops for each field b" in of_box
    assert not any(line.startswith("Plow") for line in lines)
    assert max(map(len, lines)) <= 72

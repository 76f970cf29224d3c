"""The schemas: sound, described, bounded, true to the code; and what is said of a file that does not fit one."""

import copy
import json
import re
import subprocess
import sys
import tomllib
import urllib.request
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, get_args

import jsonschema
import jsonschema_rs
import pytest
from bots import SECRET, a_new_record, random_play
from builders import COLOURS, the_components
from hypothesis import given
from hypothesis import strategies as st
from referencing import Registry
from work import Some, at_most

from pbem import formats, schema
from pbem.errors import NotUnderstood
from pbem.first_sparks import cards, components, moves, notation, options, phases, play, proof, record, state
from pbem.first_sparks.adjudicator import STEPS, who_decides
from pbem.first_sparks.chance.draws import source
from pbem.first_sparks.moves import (
    Add,
    AgreeEnd,
    Buy,
    Decline,
    Discard,
    Drop,
    Lay,
    Move,
    Offer,
    Pass,
    Resign,
    Settle,
    SettleNeutral,
    Spread,
    SpreadNeutral,
    Starve,
    Stay,
    Take,
)
from pbem.first_sparks.notation import parse_order
from pbem.generated import shapes
from pbem.schema import MOST_LINES, FileKind, check, order_text, schema_text

KINDS: tuple[FileKind, ...] = get_args(FileKind)
Part = tuple[str, dict[str, Any]]
Place = tuple[str | int, ...]
SCHEMAS: dict[str, dict[str, Any]] = {kind: json.loads(schema_text(kind)) for kind in KINDS}
# Where a subschema stands, by keyword: alone, in a list, or by name.
ALONE, LISTED, NAMED = (
    ("items", "if", "then", "else", "not"),
    ("allOf", "anyOf", "oneOf", "prefixItems"),
    ("properties", "$defs"),
)
KEYWORDS = {
    *(*ALONE, *LISTED, *NAMED),
    *("$schema", "$ref", "title", "description", "examples", "type", "const", "enum", "required"),
    *("minimum", "maximum", "minLength", "maxLength", "pattern", "minItems", "maxItems", "uniqueItems"),
    "additionalProperties",
}


def parts(part: dict[str, Any], place: str = "") -> Iterator[Part]:
    """Yield a schema and every subschema in it, each with its place."""
    yield place, part
    for keyword in ALONE:
        if keyword in part:
            yield from parts(part[keyword], f"{place}/{keyword}")
    for keyword in LISTED:
        for number, inner in enumerate(part.get(keyword, ())):
            yield from parts(inner, f"{place}/{keyword}/{number}")
    for keyword in NAMED:
        for name, inner in part.get(keyword, {}).items():
            if inner is not True:  # it only says that there is such a key, as ajv demands
                yield from parts(inner, f"{place}/{keyword}/{name}")


# ---------------------------------------------------------------- the schemas themselves


@pytest.mark.parametrize("kind", KINDS)
def test_a_schema_fits_its_meta_schema(kind: FileKind) -> None:
    """Both implementations say so."""
    assert SCHEMAS[kind]["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    jsonschema.Draft202012Validator.check_schema(SCHEMAS[kind])
    jsonschema_rs.meta.validate(SCHEMAS[kind])


@pytest.mark.parametrize("kind", KINDS)
def test_a_schema_is_named_by_nobodys_host(kind: FileKind) -> None:
    """It has no ``$id``: nobody looks it up on the net, and nobody can put something else there."""
    assert all("$id" not in part for _, part in parts(SCHEMAS[kind]))


@pytest.mark.parametrize("kind", KINDS)
def test_every_key_has_title_and_description(kind: FileKind) -> None:
    """Editors show them while somebody types."""
    for place, part in parts(SCHEMAS[kind]):
        for name, key in part.get("properties", {}).items():
            if key is True:  # it is described where the table is
                assert re.search(r"/(then|oneOf/[0-9]+)$", place), place
                continue
            assert re.fullmatch(r"[A-Za-z].{0,40}", key.get("title", "")), (place, name)
            assert re.fullmatch(r"[A-Z].{9,}[.]", key.get("description", "")), (place, name)
        for name, key in part.get("$defs", {}).items():
            assert key.get("title"), (place, name)
            assert key.get("description", "").endswith("."), (place, name)


@pytest.mark.parametrize("kind", KINDS)
def test_only_keywords_that_are_needed_occur(kind: FileKind) -> None:
    """No ``format``, which asserts nothing, and none that ``check`` has no words for."""
    for place, part in parts(SCHEMAS[kind]):
        assert part.keys() <= KEYWORDS, place


@pytest.mark.parametrize("kind", KINDS)
def test_every_value_has_bounds(kind: FileKind) -> None:
    """Texts have a longest length, numbers a range, lists a number of entries, tables their keys."""
    for place, part in parts(SCHEMAS[kind]):
        types = part.get("type", ())
        if "string" in types and "enum" not in part and not place.endswith(("/if", "/not")):
            assert 0 < part["maxLength"] <= 400, place
        if "integer" in types:
            assert -10 < part["minimum"] < part["maximum"] < 10**6, place
        if "array" in types:
            order = [key for key in part if key in ("maxItems", "uniqueItems", "items", "prefixItems")]
            assert order[0] == "maxItems", "what is in a list that is too long should not even be looked at"
            assert part.get("minItems", 0) <= part["maxItems"] <= 120_000, place
            assert "items" in part or len(part["prefixItems"]) == part["minItems"] == part["maxItems"], place
        if "object" in types and "additionalProperties" not in part:
            # A move and a phase: their only key here says which $def has all keys.
            (name,) = part["properties"]
            chosen = [SCHEMAS[kind]["$defs"][which["then"]["$ref"].removeprefix("#/$defs/")] for which in part["allOf"]]
            assert [form["properties"][name]["const"] for form in chosen] == part["properties"][name]["enum"], place
        elif "object" in types:
            assert part["additionalProperties"] is False, place


@pytest.mark.parametrize("kind", KINDS)
def test_patterns_hold_the_whole_text_and_fit_their_example(kind: FileKind) -> None:
    """``$`` accepts a line feed at the end in some languages: then the length forbids it, or another pattern."""
    every = [(place, part) for place, part in parts(SCHEMAS[kind]) if not place.endswith("/not")]
    patterned = [(place, part) for place, part in every if "pattern" in part or "pattern" in part.get("not", ())]

    assert patterned
    for place, part in patterned:
        (example,) = part["examples"]
        judge = jsonschema.Draft202012Validator(part)
        assert re.fullmatch(r"\^.*\$", part.get("pattern", "^$")), place
        assert judge.is_valid(example), place
        assert not judge.is_valid(example + "\n"), place
        if "not" not in part:
            assert len(example) == part["maxLength"], place


@pytest.mark.parametrize("kind", KINDS)
def test_references_stay_in_the_file(kind: FileKind) -> None:
    """Nothing is fetched, and entries that are tables are never compared with each other."""
    for place, part in parts(SCHEMAS[kind]):
        if "$ref" in part:
            assert part["$ref"].removeprefix("#/$defs/") in SCHEMAS[kind]["$defs"], place
        if part.get("uniqueItems"):
            assert part["items"].get("type", "string") in ("string", "integer"), place


def test_a_game_file_embeds_the_schema_of_a_component_set() -> None:
    """It is a copy, since a reference to another file would have to be found."""
    own, game = SCHEMAS["components"], SCHEMAS["game"]["$defs"]

    assert game["set"] == {key: value for key, value in own.items() if key not in ("$schema", "$defs")}
    assert own["$defs"].items() <= game.items()


# ---------------------------------------------------------------- true to the code


def properties(kind: FileKind, *path: str) -> dict[str, Any]:
    """Return the keys of a table inside a schema."""
    part = SCHEMAS[kind]
    for name in path:
        part = part["properties"][name] if name in part.get("properties", {}) else part[name]
    found: dict[str, Any] = part["properties"]
    return found


def test_the_words_are_those_of_the_code() -> None:
    """Formats, colours, foods, kinds of cards, steps, ways to the board."""
    game, card = properties("game"), properties("components", "$defs", "card")
    knowledge, tools = get_args(components.Knowledge), get_args(components.Tool)

    assert game["format"]["enum"] == [record.FORMAT, record.BOUND_FORMAT]
    assert properties("components")["format"]["const"] == the_components().source["format"]
    assert properties("game", "players", "items")["colour"]["enum"] == list(components.COLOURS)
    assert set(properties("game", "state", "harvest")) == set(components.FOODS)
    assert properties("components", "$defs", "tile")["hunting_areas"]["items"]["enum"] == list(components.FOODS)
    assert sorted(card["kind"]["enum"]) == sorted((*tools, *knowledge))
    assert properties("game", "state")["step"]["enum"] == list(STEPS)
    assert properties("game", "options")["board"]["enum"] == list(get_args(options.BoardWay))
    assert properties("move")["orders"]["items"]["maxLength"] == notation.LONGEST_ORDER


def test_each_phase_has_the_keys_of_its_type() -> None:
    """One ``$def`` a member of the union, chosen by its name."""
    kinds = {phase._field_defaults["name"]: phase for phase in get_args(phases.Phase)}
    chosen = {
        which["if"]["properties"]["name"]["const"]: SCHEMAS["game"]["$defs"][which["then"]["$ref"].split("/")[-1]]
        for which in SCHEMAS["game"]["properties"]["state"]["properties"]["phase"]["allOf"]
    }

    assert properties("game", "state", "phase")["name"]["enum"] == list(chosen)
    assert chosen.keys() == kinds.keys()
    for name, phase in chosen.items():
        assert phase["properties"]["name"]["const"] == name
        assert set(phase["properties"]) == set(phase["required"]) == set(kinds[name]._fields)


def test_the_state_has_the_keys_of_its_types() -> None:
    """What a snapshot leaves out is known: the set, the options, the events, and the names of the players."""
    own = properties("game", "state")

    assert set(own) == {*state.GameState.__slots__} - {"components", "options", "events"} | {
        "quiet"
    }  # of older versions
    assert set(own["market"]["properties"]) == set(cards.Market._fields)
    assert set(own["pile"]["properties"]) == set(cards.Pile._fields)
    assert set(own["clans"]["items"]["properties"]) == {*state.Clan.__slots__} - {"player"}
    assert set(properties("game", "options")) == set(options.Options._fields)
    assert set(properties("game", "chance")) == {*record.Chance._fields} - {"older"}  # which the format says


# ---------------------------------------------------------------- moves

FORMS: dict[Move, dict[str, Any]] = {
    Lay("M13", "N13"): {"order": "lay", "cells": ["M13", "N13"]},
    Settle("A1a"): {"order": "settle", "space": "A1a"},
    SettleNeutral("F2c"): {"order": "settle neutral", "space": "f2C"},
    Add("B1b"): {"order": "add", "space": "B1b"},
    Stay(): {"order": "stay"},
    Offer(12): {"order": "offer", "card": 12},
    Pass(): {"order": "pass"},
    Buy(): {"order": "buy"},
    Buy(7): {"order": "buy", "card": 7},
    Decline(): {"order": "decline"},
    Decline(999): {"order": "decline", "card": 999},
    Take(): {"order": "take"},
    Discard(): {"order": "discard"},
    Drop(1): {"order": "drop", "card": 1},
    Starve(("A1a", "B2c")): {"order": "starve", "spaces": ["A1a", "B2c"]},
    Spread(("A1b",)): {"order": "spread", "spaces": ["A1b"]},
    Spread(("A1b", "A1c", "A2a", "A2b", "A2c")): {"order": "spread", "spaces": ["A1b", "A1c", "A2a", "A2b", "A2c"]},
    SpreadNeutral(("Z1a",) * 36): {"order": "spread neutral", "spaces": ["Z1a"] * 36},
    Resign(): {"order": "resign"},
    AgreeEnd(): {"order": "agree end"},
}


def test_the_moves_here_are_all_moves() -> None:
    """Every type that a player can send is in the table, and every ``$def`` of a move too."""
    words = {form["order"] for form in FORMS.values()}
    chosen = {
        which["if"]["properties"]["order"]["const"]: SCHEMAS["move"]["$defs"][which["then"]["$ref"].split("/")[-1]]
        for which in SCHEMAS["move"]["$defs"]["move"]["allOf"]
    }

    assert {type(move) for move in FORMS} == {*get_args(Move)} - {moves.Draw}
    assert set(properties("move", "$defs", "move")["order"]["enum"]) == chosen.keys() == words
    assert all(form["properties"]["order"]["const"] == word for word, form in chosen.items())
    assert len(SCHEMAS["move"]["$defs"]) == len(words) + 1


@pytest.mark.parametrize(("move", "form"), FORMS.items(), ids=[str(move)[:30] for move in FORMS])
def test_a_move_object_is_the_move_of_its_order_line(move: Move, form: dict[str, Any]) -> None:
    """Form -> line -> move, whatever order word is expected."""
    check({"move": form}, "move", "move.toml")
    check({"moves": [form] * 20, "player": "Ann", "turn": 0}, "move", "move.toml")

    line = order_text(form)

    assert parse_order(line, (move.word,)) == move
    assert parse_order(line, ()) == move
    check({"orders": [line]}, "move", "move.toml")


# ---------------------------------------------------------------- own output


@cache
def rust(kind: FileKind) -> jsonschema_rs.Draft202012Validator:
    """Return the second implementation, ready to judge."""
    return jsonschema_rs.Draft202012Validator(SCHEMAS[kind])


@cache
def python(kind: FileKind) -> jsonschema.Draft202012Validator:
    """Return the first implementation as the program uses it."""
    return jsonschema.Draft202012Validator(SCHEMAS[kind], registry=Registry())


def encoded(game: record.Record) -> dict[str, Any]:
    """Return a record as its file holds it."""
    return proof.encode(game, record.digest(the_components()))


def shipped() -> dict[str, Any]:
    """Return a fresh copy of the component set that ships with the program."""
    return copy.deepcopy(the_components().source)


@pytest.mark.parametrize("board", get_args(options.BoardWay))
@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_own_game_files_fit(players: int, board: str) -> None:
    """Every situation of random games, for one implementation; the beginning and the end for ``check`` too."""
    players = min(players, 5) if board == "recommended" else players  # there is no recommended board for 6
    game, seen = a_new_record(players, f"own-{players}", board), 0
    check(encoded(game), "game", "game.toml")

    for after, _, _ in random_play(game, Random(players), 250):
        game, seen = after, seen + 1
        assert rust("game").is_valid(encoded(game)), game.log[-1]

    assert seen > 50
    check(encoded(game), "game", "game.toml")


@pytest.mark.parametrize("form", ["toml", "json"])
def test_own_game_files_fit_after_writing_and_reading(form: formats.Format) -> None:
    """With one player who resigned, one who agrees to the end, and an embedded set."""
    own = components.components_from(shipped() | {"name": "my box", "plow_bonus": 2})
    game = a_new_record(4)
    game = record.begin("own-set", game.players, game.options, own, game.chance._replace(kind="sealed", secret=""))
    game = play.carried_on(game, source("own-set", SECRET))[0]
    game = next(islice(random_play(game, Random(1)), 60, None))[0]
    game = play.played(game, "green", Resign(), source("own-set", SECRET))[0]
    game = play.played(game, "red", AgreeEnd(), source("own-set", SECRET))[0]
    assert game.state.agreed

    text = formats.dump(encoded(game), form, schema="./game.schema.json")
    data = formats.parse(text, form, name="game")

    assert data == encoded(game)
    assert data["components"]["set"]["name"] == "my box"
    check(data, "game", "game")


def test_the_shipped_component_set_fits() -> None:
    """And it still does with a reference for the editor."""
    check(shipped(), "components", "components.toml")
    check({"$schema": "./components.schema.json"} | shipped(), "components", "components.toml")


# ---------------------------------------------------------------- mutations


@cache
def originals() -> dict[str, tuple[FileKind, dict[str, Any]]]:
    """Return sound files of every kind, short ones: a few log lines say what all say."""
    found: dict[str, tuple[FileKind, dict[str, Any]]] = {}
    for players, most in ((3, 9), (2, 70), (5, 400)):
        lines = list(random_play(a_new_record(players, f"game-{players}"), Random(players), most))
        for name, game in (("last", lines[-1][0]), ("middle", lines[len(lines) // 2][0])):
            found[f"{players} players, {name}"] = ("game", encoded(game) | {"log": list(game.log[-3:])})
    answering = next(
        game
        for game, _, _ in random_play(a_new_record(4), Random(4))
        if isinstance(game.state.phase, phases.Answering) and game.state.phase.wanted_by
    )
    assert who_decides(answering.state) in COLOURS
    found["answering"] = ("game", encoded(answering) | {"log": ["0 * draw 3", "12 * red add A1a"]})
    few = shipped()
    few["cards"] = [card for card in few["cards"] if card["number"] in (1, 12, 22, 28)]
    few["tiles"], few["boards"] = few["tiles"][:2], {"3": few["boards"]["3"]}
    found["set"] = ("components", few)
    found["embedded"] = ("game", copy.deepcopy(found["3 players, last"][1]))
    found["embedded"][1]["components"]["set"] = copy.deepcopy(few)
    guards = {"format": "first-sparks-move/1", "player": "Zoë", "game": "g-1", "turn": 57, "head": "5F70bf18"}
    for move, form in FORMS.items():
        found[f"move {str(move)[:30]}"] = ("move", {"move": form, "turn": 57})
    found["moves"] = ("move", guards | {"moves": [FORMS[Spread(("A1b",))], FORMS[Pass()]]})
    found["orders"] = ("move", guards | {"orders": ["offer #12", "Pass"]})
    return found


def places(value: Any, place: Place = ()) -> Iterator[Place]:
    """Yield the place of every value in a file, outermost first."""
    yield place
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in inside:
        yield from places(inner, (*place, key))


def own_places(name: str) -> list[Place]:
    """Return the places in a sound file, of the game with an embedded set those in the set: the rest has a case too."""
    _, sound = originals()[name]
    inside = ("components", "set") if name == "embedded" else ()
    return [(*inside, *place) for place in places(at(sound, inside))]


def at(data: Any, place: Place) -> Any:
    """Return the value at a place."""
    for key in place:
        data = data[key]
    return data


def changed(data: Any, place: Place, value: Any) -> Any:
    """Return a file with another value at a place; the rest is that of the file."""
    if not place:
        return value
    key, *rest = place
    inner = changed(data[key], tuple(rest), value)
    return data | {key: inner} if isinstance(data, dict) else [*data[:key], inner, *data[key + 1 :]]


def deep(levels: int) -> Any:
    """Return lists in each other."""
    value: Any = []
    for _ in range(levels):
        value = [value]
    return value


STRANGERS: tuple[Any, ...] = (None, True, False, 0, 1, -1, 1000, 10**17, 10**40, -(10**40), 1.0, 1.5, 1e300)
STRANGERS += (
    "",
    "A1a",
    "red",
    "1",
    "é",
    "日本\u202e",
    "\0",
    "x" * 500,
    [],
    [[]],
    {},
    {"": 0},
    ["red", "red"],
    deep(30),
)


def variants(value: Any) -> Iterator[Any]:
    """Yield what could stand there instead: something near, and strangers."""
    yield from STRANGERS
    if isinstance(value, str):
        for near in ("{}\n", "{}\r", " {}", "{} ", "{}\u2028", "{}\u0301", "\ufeff{}", "{0}{0}"):
            yield near.format(value)
        yield from (value.upper(), value.lower(), value[:-1], value[1:], value.replace("1", "\uff11"))
    elif isinstance(value, bool):
        yield from (int(value), str(value))
    elif isinstance(value, int):
        yield from (value + 1, value - 1, float(value), value + 0.5, str(value), value * 10**6, [value])
    elif isinstance(value, list):
        yield from (
            value + value,
            value[:-1],
            value[1:],
            value[::-1],
            [*value, None],
            value * 40,
            dict.fromkeys("ab", 1),
        )
    elif isinstance(value, dict):
        yield from ({k: v for k, v in value.items() if k != gone} for gone in value)
        yield from (
            value | {key: 1} for key in ("extra", "colour", "Colour", "card", "kind", "set", "crops", "é", "$schema")
        )
        yield from (value | {"$schema": text} for text in ("./x.json", "./x.json\n", "x" * 500))
        yield list(value.items()) and [[key, inner] for key, inner in value.items()]


def refusal_of(data: object, kind: FileKind) -> NotUnderstood | None:
    """Return how ``check`` refuses a file, None if it does not."""
    try:
        check(data, kind, "file")
    except NotUnderstood as refusal:
        return refusal
    return None


def has_float(data: Any) -> bool:
    """Return whether a decimal number is somewhere: what is generated refuses some that fit, and is not asked."""
    return any(type(at(data, place)) is float for place in places(data))


def verdict(data: Any, kind: FileKind) -> bool:
    """Return whether a file fits, and see that all three implementations and ``check`` say the same."""
    fits = python(kind).is_valid(data)
    assert rust(kind).is_valid(data) is fits, data
    quickly = shapes.FITS[kind](data)
    assert quickly is fits or (fits and has_float(data)), data  # whoever asks it has seen to it that there are none
    refusal = refusal_of(data, kind)
    assert (refusal is None) is fits, data
    assert refusal is None or 0 < len(refusal.reasons) <= MOST_LINES + 1, data
    return fits


@pytest.mark.parametrize("name", list(originals()))
def test_two_implementations_agree_on_every_mutation(name: str, some: Some) -> None:
    """At every place of a sound file, one thing after the other is changed."""
    kind, sound = originals()[name]
    assert verdict(sound, kind)
    random = Random(name)
    every = [(place, variant) for place in places(sound) for variant in variants(at(sound, place))]

    mutations = some(random.sample(every, min(len(every), 400)), 4)
    verdicts = [verdict(changed(sound, *mutation), kind) for mutation in mutations]

    assert len(verdicts) >= 20
    assert verdicts.count(False) > len(verdicts) / 2
    assert any(verdicts) or kind == "move"


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(st.data())
def test_two_implementations_agree_on_anything(data: st.DataObject) -> None:
    """Anything at all stands at any place of a sound file."""
    kind, sound = originals()[data.draw(st.sampled_from(sorted(originals())))]
    place = data.draw(st.sampled_from(list(places(sound))))

    verdict(changed(sound, place, data.draw(ANYTHING)), kind)


def texts(name: str) -> list[Place]:
    """Return the own places of a sound file that hold a text."""
    _, sound = originals()[name]
    return [place for place in own_places(name) if isinstance(at(sound, place), str)]


@pytest.mark.parametrize("name", list(originals()))
def test_a_line_feed_at_the_end_of_a_text_is_refused(name: str) -> None:
    """In every text of a file; a pattern that ended with ``$`` would let it through."""
    kind, sound = originals()[name]

    assert texts(name)
    for place in texts(name):
        assert not verdict(changed(sound, place, at(sound, place) + "\n"), kind), place


@pytest.mark.parametrize("name", list(originals()))
def test_a_truth_value_is_no_number(name: str) -> None:
    """Python says that ``True == 1``; JSON Schema does not."""
    kind, sound = originals()[name]
    numbers = [place for place in own_places(name) if type(at(sound, place)) is int]

    for place in numbers:
        assert not verdict(changed(sound, place, True), kind), place
    assert numbers


@pytest.mark.parametrize("name", list(originals()))
def test_a_key_too_many_is_refused(name: str) -> None:
    """In every table of a file."""
    kind, sound = originals()[name]

    for place in own_places(name):
        if isinstance(at(sound, place), dict):
            assert not verdict(changed(sound, place, at(sound, place) | {"extra": 1}), kind), place


OPTIONAL = {
    "game": {"state.market.crop", "state.neutral", "state.clans.resigned", "components.set"}
    | {"state.idle", "state.clans.largest", "state.clans.agreements", "options.idle_rounds"},  # unknown to older games
    "components": {"provenance", "boards", "boards.3", "cards.provenance", "tiles.provenance"},
    "move": {"format", "player", "game", "turn", "head"},
}
OPTIONAL["components"] |= {f"cards.provenance.{key}" for key in ("kind", "crops", "harvest")}
OPTIONAL["components"] |= {"tiles.provenance.hunting_areas"}
OPTIONAL["game"] |= {f"components.set.{place}" for place in OPTIONAL["components"]}


@pytest.mark.parametrize("name", list(originals()))
def test_a_missing_key_is_refused(name: str) -> None:
    """In every table of a file, but for those keys that may be left out."""
    kind, sound = originals()[name]
    optional = OPTIONAL[kind] | ({"move.card"} if sound.get("move", {}).get("order") in ("buy", "decline") else set())

    for place in own_places(name):
        if place and isinstance(place[-1], str):
            less = {key: value for key, value in at(sound, place[:-1]).items() if key != place[-1]}
            dotted = ".".join(key for key in place if isinstance(key, str))
            assert verdict(changed(sound, place[:-1], less), kind) is (dotted in optional), dotted


@pytest.mark.parametrize(
    ("card", "fits"),
    [
        ({"number": 1, "kind": "herbs", "crops": 1}, True),
        ({"number": 1, "kind": "herbs", "crops": 1, "price": 2}, False),
        ({"number": 1, "kind": "herbs"}, False),
        ({"number": 12, "kind": "field", "price": 3, "crops": 2}, True),
        ({"number": 12, "kind": "field", "crops": 2}, False),
        ({"number": 12, "kind": "field", "price": 3, "crops": 2, "harvest": [[1, 1]]}, False),
        ({"number": 22, "kind": "basket", "price": 6, "harvest": [[1, 1], [4, 2]]}, True),
        ({"number": 22, "kind": "basket", "price": 6}, False),
        ({"number": 22, "kind": "basket", "price": 6, "harvest": []}, False),
        ({"number": 22, "kind": "basket", "price": 6, "harvest": [[1, 1]], "crops": 1}, False),
        ({"number": 22, "kind": "basket", "price": 6, "harvest": [[1, 1, 1]]}, False),
        ({"number": 28, "kind": "intelligence", "price": 4}, True),
        ({"number": 28, "kind": "intelligence", "price": 4, "crops": 1}, False),
        ({"number": 28, "kind": "intelligence", "price": 4, "harvest": [[1, 1]]}, False),
        ({"number": 28, "kind": "intelligence"}, False),
        ({"number": 28, "kind": "wheel", "price": 4}, False),
        ({"number": 28, "kind": "plow", "price": 4, "provenance": "rulebook"}, True),
        ({"number": 28, "kind": "plow", "price": 4, "provenance": {"kind": "rulebook"}}, True),
        ({"number": 28, "kind": "plow", "price": 4, "provenance": {"kind": "guessed"}}, False),
        ({"number": 28, "kind": "plow", "price": 4, "provenance": {"number": "rulebook"}}, False),
        ({"number": 28, "kind": "plow", "price": 4, "provenance": "guessed"}, False),
    ],
)
def test_each_kind_of_card_has_its_own_keys(card: dict[str, Any], fits: bool) -> None:
    """Herbs have no price, knowledge harvests nothing, a tool has crops or a table."""
    assert verdict(shipped() | {"cards": [card]}, "components") is fits


@pytest.mark.parametrize("kind", ["sealed", "open"])
def test_open_chance_shows_its_secret(kind: str) -> None:
    """Sealed chance shows it after the end, and need not."""
    sound = originals()["3 players, last"][1]
    chance = sound["chance"] | {"kind": kind}

    assert verdict(sound | {"chance": chance}, "game")
    del chance["secret"]
    assert verdict(sound | {"chance": chance}, "game") is (kind == "sealed")


@pytest.mark.parametrize("name", ["Ann", "Zoë", "Anna Luisa", "O'Neil-2", "日本", "🦣", "x" * 24])
def test_names_of_people_fit(name: str) -> None:
    """In any script."""
    sound = originals()["3 players, last"][1]

    assert verdict(changed(sound, ("players", 0, "name"), name), "game")


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        " Ann",
        "Ann ",
        "x" * 25,
        "A:b",
        "[A]",
        "*",
        "A\tn",
        "A\x1b[2J",
        "A\u202eb",
        "A\u200b",
        "\ufeff",
        "A\xa0b",
    ],
)
def test_names_that_deceive_do_not_fit(name: str) -> None:
    """Control and format characters would change what others see in their terminal."""
    sound = originals()["3 players, last"][1]

    assert not verdict(changed(sound, ("players", 0, "name"), name), "game")


# ---------------------------------------------------------------- what is said


def complaints(data: object, kind: FileKind) -> list[str]:
    """Return the lines with which a file is refused."""
    with pytest.raises(NotUnderstood) as refusal:
        check(data, kind, "file.toml")
    assert {reason.rule for reason in refusal.value.reasons} == {"schema"}
    return [reason.message for reason in refusal.value.reasons]


EVERY_ORDER = (
    "lay, settle, settle neutral, add, stay, offer, pass, buy, decline, take, discard, drop, starve, spread, "
    "spread neutral, resign, agree end"
)
MOVE_KEYS = "format, player, game, turn, head, move, moves, orders"
HEAD = properties("move")["head"]["description"].rstrip(".")
SAID: dict[str, tuple[object, list[str]]] = {
    "nothing": ({}, ["the file should have exactly one of the keys move, moves, orders"]),
    "a list": ([], ["the file should be a table with keys, not a list"]),
    "two ways": (
        {"move": {"order": "stay"}, "orders": ["stay"]},
        ["the file should have exactly one of the keys move, moves, orders"],
    ),
    "no order": ({"move": {}}, ["move.order is missing"]),
    "unknown order": ({"move": {"order": "ofer", "card": 12}}, [f"move.order should be one of {EVERY_ORDER}"]),
    "order is no text": ({"move": {"order": 7}}, [f"move.order should be one of {EVERY_ORDER}"]),
    "key of another order": (
        {"move": {"order": "offer", "space": "A1a"}},
        ["move.card is missing", "move should only have the keys order, card; it also has space"],
    ),
    "misspelt key": (
        {"move": {"order": "offer", "card": 12, "crad": 12, "x": 1}},
        ["move should only have the keys order, card; it also has crad (did you mean card?), 1 unknown key"],
    ),
    "key too many": (
        {"move": {"order": "stay"}, "state": 1, "plyer": 2},
        [f"the file should only have the keys {MOVE_KEYS}; it also has plyer (did you mean player?), 1 unknown key"],
    ),
    "nearly a key, with more in it": (
        {"orders": ["stay"], "play\x1ber": "Ann", "playér": "Ann", "turn" + "5" * 40: 1},
        [f"the file should only have the keys {MOVE_KEYS}; it also has 3 unknown keys"],
    ),
    "no number": ({"move": {"order": "offer", "card": "12"}}, ["move.card should be a whole number, not text"]),
    "true": ({"move": {"order": "buy", "card": True}}, ["move.card should be a whole number, not true or false"]),
    "null": ({"move": {"order": "buy", "card": None}}, ["move.card should be a whole number, not null"]),
    "half": (
        {"move": {"order": "buy", "card": 0.5}},
        ["move.card should be a whole number, not a decimal number"],
    ),
    "large": ({"move": {"order": "buy", "card": 10**40}}, ["move.card should be 1 to 999"]),
    "small": ({"turn": -1, "move": {"order": "stay"}}, ["turn should be 0 to 999999"]),
    "no list": ({"orders": "stay"}, ["orders should be a list, not text"]),
    "empty list": ({"moves": []}, ["moves should have 1 to 20 entries, not 0"]),
    "one cell": ({"move": {"order": "lay", "cells": ["M13"]}}, ["move.cells should have 2 entries, not 1"]),
    "two of them": (
        {"moves": [{"order": "stay"}, {"order": "spread", "spaces": ["A1a", 7, "A1"]}]},
        ["moves[1].spaces[1] should be text, not a whole number", "moves[1].spaces[2] should look like A1a"],
    ),
    "long order": ({"orders": ["x" * 201]}, ["orders[0] should have 1 to 200 characters, not 201"]),
    "long head": ({"orders": ["x"], "head": "0" * 65}, ["head should have at most 64 characters, not 65"]),
    "no head": ({"orders": ["x"], "head": "5f70"}, [f"head should look like 5f70bf18 ({HEAD})"]),
    "format": (
        {"orders": ["x"], "format": "first-sparks-game/1"},
        ["format should be first-sparks-move/1"],
    ),
}


@pytest.mark.parametrize(("data", "lines"), SAID.values(), ids=list(SAID))
def test_what_is_said_of_a_move_file(data: object, lines: list[str]) -> None:
    """The place, and what should be there."""
    assert complaints(data, "move") == lines


def test_what_is_said_of_a_game_file() -> None:
    """Everything at once; of a phase, what its own name asks for."""
    game = copy.deepcopy(originals()["5 players, last"][1])
    del game["state"]["clans"][2]["food"]
    game["state"]["phase"] = {"name": "starving", "clan": "red", "card": 7}
    game["state"]["waiting"] = ["red", "red"]
    game["log"][1] += "\n"
    game["chance"] = {"kind": "open", "commitment": game["chance"]["commitment"]}
    game["players"][0]["colour"] = "pink"

    assert complaints(game, "game") == [
        "log[1] should look like 57 red offer 12",
        "chance.secret is missing",
        "players[0].colour should be one of green, red, blue, black, white, yellow",
        "state.waiting should not have the same entry twice",
        "state.phase.hungry is missing",
        "state.phase should only have the keys name, clan, hungry; it also has card",
        "state.clans[2].food is missing",
    ]


def test_what_is_said_of_a_component_set() -> None:
    """Of a card, what its kind asks for; and two players have no board of their own."""
    own = shipped()
    own["cards"][0]["price"] = 3
    own["cards"][8] |= {"harvest": [[1]], "crops": 1}
    own["cards"][9]["provenance"] = 3
    own["boards"]["2"] = own["boards"].pop("3")
    own["boards"]["4"]["tiles"][0] = ["D", "x", 7, 0]

    assert complaints(own, "components") == [
        "cards[0].price is not allowed (Herbs have no price)",
        "cards[8].harvest[0] should have 2 entries, not 1",
        "cards[8].crops is not allowed (Knowledge has no crops)",
        "cards[8].harvest is not allowed (Knowledge has no harvest table)",
        "cards[9].provenance should be text or a table with keys, not a whole number",
        "boards.4.tiles[0][1] should be a whole number, not text",
        "boards.4.tiles[0][2] should be -6 to 6",
        "boards should only have the keys 3, 4, 5, 6; it also has 1 unknown key",
    ]


def test_of_very_many_problems_the_first_are_told() -> None:
    """And how many more there are, as long as somebody would count them."""
    sound = originals()["3 players, last"][1]

    few, some, many = (complaints(sound | {"log": [0] * n}, "game") for n in (MOST_LINES, MOST_LINES + 7, 8000))

    assert few == [f"log[{n}] should be text, not a whole number" for n in range(MOST_LINES)]
    assert some == [*few, "and 7 more"]
    assert many == [*few, "and many more"]


HOSTILE: dict[str, Callable[[dict[str, Any]], object]] = {
    "numbers and a text": lambda own: own["waiting"].extend([*range(19000), "a"]),
    "tables": lambda own: own["clans"].__setitem__(0, own["clans"][0] | {"cards": [{"a": n} for n in range(9000)]}),
    "very many lists": lambda own: own["tiles"].extend([[n] for n in range(14000)]),
    "one long text": lambda own: own.update(step="a " * 60000),
    "very many keys": lambda own: own.update({f"key-{n}": n for n in range(9000)}),
}


@pytest.mark.parametrize("spoil", HOSTILE.values(), ids=list(HOSTILE))
def test_a_hostile_file_is_refused_at_once(spoil: Callable[[dict[str, Any]], object]) -> None:
    """It may be as large as files can be; a minute was what the first of these took."""
    game = copy.deepcopy(originals()["3 players, last"][1])
    spoil(game["state"])
    assert 10**5 < len(json.dumps(game)) < 1.3 * formats.PARSE_LIMIT

    with at_most(300_000):
        lines = complaints(game, "game")

    assert len(lines) <= MOST_LINES + 1


def test_very_many_moves_are_refused_at_once() -> None:
    """Sound ones, each of which would have to be looked at."""
    moves = {"moves": [{"order": "stay"}] * 6000}

    with at_most(2000):
        lines = complaints(moves, "move")

    assert lines == ["moves should have 1 to 20 entries, not 6000"]


def test_a_refusal_names_the_file_and_the_way_out() -> None:
    """The name is made printable, and the error for programs holds every line."""
    with pytest.raises(NotUnderstood) as refusal:
        check({"moves": [{"order": "stay"}, {}], "turn": "x"}, "move", "a\x1b[2J.toml")

    error = refusal.value
    assert error.message == "a?[2J.toml does not match the schema of a move file"
    assert error.path == "a?[2J.toml"
    assert (
        error.hint
        == 'an order line belongs in a list, for example orders = ["offer 12"]; pbem schema move prints the schema'
    )
    assert [reason["message"] for reason in error.as_json()["reasons"]] == [
        "turn should be a whole number, not text",
        "moves[1].order is missing",
    ]


MARKER = "Qz7#Geheim"


def said(data: object, kind: FileKind) -> str:
    """Return everything that a refusal holds, or nothing; no other error hangs on it that holds more."""
    refusal = refusal_of(data, kind)
    assert refusal is None or refusal.__cause__ is refusal.__context__ is None
    return f"{refusal!r} {refusal.as_json()} {refusal.args}" if refusal else ""


@pytest.mark.parametrize("name", list(originals()))
def test_no_text_of_the_file_is_repeated(name: str) -> None:
    """It might be a secret: the marker stands in every text, in one after the other, and as a key everywhere."""
    kind, sound = originals()[name]
    everywhere = sound
    for place in texts(name):
        everywhere = changed(everywhere, place, MARKER)
    tables = [place for place in own_places(name) if isinstance(at(sound, place), dict)]
    files_with_marker = [
        everywhere,
        *(changed(sound, place, MARKER) for place in texts(name)),
        *(changed(sound, place, [MARKER, {MARKER: MARKER}]) for place in own_places(name)),
        *(changed(sound, place, at(sound, place) | {MARKER: MARKER}) for place in tables),
        *(changed(sound, place, {MARKER: at(sound, place)}) for place in tables),
    ]

    refusals = [said(data, kind) for data in files_with_marker]

    assert sum(map(bool, refusals)) > len(refusals) / 2
    assert not [refusal for refusal in refusals if MARKER in refusal or MARKER.lower() in refusal]


# ---------------------------------------------------------------- where the schemas lie, and what they cost


@pytest.mark.parametrize("folder", ["pbem/schemas", "schemas"], ids=["in a wheel", "in a checkout"])
def test_the_schemas_are_found(folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the package if they were packed into it, or else beside it."""
    (tmp_path / folder).mkdir(parents=True)
    (tmp_path / folder / "move.schema.json").write_text('{"title": "Zug für Zug"}', encoding="utf-8")
    monkeypatch.setattr(schema, "__file__", str(tmp_path / "pbem" / "schema.py"))

    assert schema_text("move") == '{"title": "Zug für Zug"}'


def test_nothing_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even if a schema asked for it."""
    fetched: list[object] = []
    monkeypatch.setattr(urllib.request, "urlopen", fetched.append)
    monkeypatch.setattr(schema, "schema_text", lambda _: '{"$ref": "http://127.0.0.1:9/other.json"}')
    clear: tuple[Callable[[], None], ...] = (schema._schema.cache_clear, schema._validator.cache_clear)
    for forget in clear:
        forget()

    try:
        with pytest.raises(Exception, match="Unresolvable"):
            check({}, "move", "move.toml")
    finally:
        for forget in clear:
            forget()
    assert fetched == []


def test_jsonschema_is_imported_only_for_what_is_wrong() -> None:
    """It takes longer to import than everything else."""
    program = (
        "import sys, pbem.schema as s; from pbem.errors import NotUnderstood\n"
        "loaded = lambda: [name for name in ('jsonschema', 'difflib') if name in sys.modules]\n"
        "s.schema_text('move'); s.order_text({'order': 'stay'}); s.check({'orders': ['stay']}, 'move', 'm')\n"
        "assert loaded() == []\n"
        "try: s.check({'orders': 7}, 'move', 'm')\n"
        "except NotUnderstood: assert loaded() == ['jsonschema']\n"
        "else: raise AssertionError"
    )

    subprocess.run([sys.executable, "-c", program], check=True, cwd=Path(schema.__file__).parents[1])


def test_jsonschema_has_the_last_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the generated functions refused a file that fits, nobody would notice but by the time that it takes."""
    monkeypatch.setattr(schema.shapes, "FITS", dict.fromkeys(KINDS, lambda _: False))
    for kind, sound in originals().values():
        check(sound, kind, "file")


def test_the_shipped_set_is_read_as_it_is_written() -> None:
    """The copy that these tests change is the file itself."""
    path = Path(components.__file__).parent / "data" / "components.toml"

    assert shipped() == tomllib.loads(path.read_text(encoding="utf-8"))

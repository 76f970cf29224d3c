"""A file never blocks a game that is under way: the longest that the rules allow can be written and read again."""

import copy
import json
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from bots import SECRET, a_choice, a_new_record
from builders import the_components

import pbem
from pbem import formats, game_files, loading, schema
from pbem.errors import CannotWrite, NotUnderstood
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.chance.draws import source
from pbem.first_sparks.components import COLOURS, ComponentSet, components_from
from pbem.first_sparks.moves import AgreeEnd, Decline, Move, Pass, Spread, Stay
from pbem.first_sparks.options import IDLE_ROUNDS
from pbem.first_sparks.phases import Answering, Ended, Offering, Spreading
from pbem.first_sparks.play import played
from pbem.first_sparks.proof import encode, verify
from pbem.first_sparks.record import Record, digest
from pbem.first_sparks.rules.buying import offers
from pbem.first_sparks.rules.game_end import ENDING_SIZE, MOST_AGREEMENTS
from pbem.first_sparks.rules.spreading import MOST_NEW, reach
from pbem.first_sparks.state import GameState
from pbem.formats import LONGEST_LOG, LONGEST_TEXT, PARSE_LIMIT, Format
from pbem.scripts import batch

MOST_CARDS = schema._schema("components")["properties"]["cards"]["maxItems"]
FORMS = pytest.mark.parametrize("form", ["toml", "json"])


def a_rich_set() -> ComponentSet:
    """Return a set with as many cards as there can be: everybody can hide its food, and feed twelve."""
    source = copy.deepcopy(the_components().source)
    fire, field = {"kind": "fire", "price": 0}, {"kind": "field", "price": 1, "crops": 5}
    source["cards"][6:] = [{"number": number, **(fire if number % 2 else field)} for number in range(7, MOST_CARDS + 1)]
    return components_from(source)


def delaying(state: GameState, random: Random) -> Move:
    """Return the move of a player who makes the game as long as can be: a new size, when it is about to end."""
    match state.phase:
        case Offering(clan=colour):
            clan = state.clan(colour)
            wanted = (move for move in offers(state, clan) if move.card % 2 or len(clan.tools) < 3)
            return next(wanted, Pass())
        case Answering():
            return Decline()
        case Spreading(clan=colour):
            clan = state.clan(colour)
            grows = state.idle == IDLE_ROUNDS and clan.size < ENDING_SIZE - 1
            reached = reach(state, clan) if grows else ()
            return Spread((min(reached, key=lambda pair: (pair[1], pair[0]))[0],)) if reached else Stay()
        case _:
            return a_choice(state, random)


@cache
def a_long_game() -> tuple[Record, Record]:
    """Return the last two records of a game of six who delay it, and agree to end it as often as they may."""
    record, random = a_new_record(6, "d0", hide_food=True, components=a_rich_set()), Random(0)
    draw = source(record.game, SECRET)
    before = record
    while (asked := who_decides(record.state)) is not None:
        before = record
        for colour in record.state.order[1:]:
            if record.state.clan(colour).agreements < MOST_AGREEMENTS:
                record, _ = played(record, colour, AgreeEnd(), draw)
        record, _ = played(record, asked, delaying(record.state, random), draw)
    return before, record


@pytest.mark.slow
@FORMS
def test_a_game_that_its_players_make_long_is_played_to_its_end(form: Format, tmp_path: Path) -> None:
    before, end = a_long_game()
    path = tmp_path / f"game.{form}"
    pbem.save(before, path)
    assert len(path.read_text(encoding="utf-8")) > PARSE_LIMIT
    assert json.loads(json.dumps(game_files.data_of(before))) == formats.parse(
        game_files.text_of(before, form), form, name=""
    )

    for line in end.log[len(before.log) :]:
        _, by, order = line.split(" ", 2)
        assert by in COLOURS
        pbem.play(path, order, by)

    after = pbem.load(path)
    assert after.log == end.log
    assert verify(after) == len(end.log)
    assert isinstance(after.state.phase, Ended)
    assert after.state.idle == IDLE_ROUNDS


@pytest.mark.slow
def test_a_batch_takes_a_long_game_too() -> None:
    before, end = a_long_game()
    _, by, order = end.log[len(before.log)].split(" ", 2)
    line = json.dumps({"game": game_files.data_of(before), "move": order, "as": by}).encode()
    assert len(line) > PARSE_LIMIT

    answer = json.loads(next(batch.verdicts([[line]], playing=True)).text)

    assert answer["log"] == [end.log[len(before.log)]]
    assert pbem.load(answer["next"]).log == end.log[: len(before.log) + 1]


# How long a game can be


def most_lines(players: int, cards: int) -> tuple[int, int]:
    """Return how many moves a log can hold at most, and how many draws, agreements to end the game and resignations.

    In each game round with a market one card of it goes for good at least: the one with the crop is bought, leaves, or
    loses the crop to one that takes the place of a card which is gone. Afterwards each round is one of at most ten that
    end in a new size, from the second member to the twelfth of each clan, or in the end of the game.
    """
    answers = sum(range(players))
    with_market = players + answers + players  # offers, answers, tools that are dropped
    always = players + players + 2  # who starves, who spreads; the neutral clan
    offers = players  # who hides its food is asked even without a market
    rounds = cards + IDLE_ROUNDS * (players * (ENDING_SIZE - 2) + 1)
    decisions = cards * with_market + (rounds - cards) * offers + rounds * always
    decisions += 4 * players + 2  # the preparation: tiles, first and second members, the neutral clan
    draws = players + 2 * players + 2 * cards + 2  # Herbs, tiles; cards that come, and again after they went under
    return decisions, draws + MOST_AGREEMENTS * players + players


def test_the_longest_game_can_be_written() -> None:
    most_cards = MOST_CARDS - 6
    decisions, others = most_lines(6, most_cards)
    starving = (most_cards + IDLE_ROUNDS * (6 * (ENDING_SIZE - 2) + 1)) * 6
    longest = '    "999999 yellow starve ' + " ".join(["A1a"] * (ENDING_SIZE - 1)) + '",\n'
    usual = '    "999999 yellow spread ' + " ".join(["A1a"] * MOST_NEW) + '",\n'
    other = '    "999999 yellow agree end",\n'
    log = schema._schema("game")["properties"]["log"]

    assert decisions + others < LONGEST_LOG == log["maxItems"]
    characters = starving * len(longest) + (decisions - starving) * len(usual) + others * len(other)
    assert characters < LONGEST_TEXT - PARSE_LIMIT
    assert len(longest) - 8 <= log["items"]["maxLength"]
    assert all(
        most_lines(fewer, most_cards)[0] <= most_lines(more, most_cards)[0] for fewer, more in pairwise(range(2, 7))
    )


@FORMS
def test_what_stands_beside_the_log_fits_for_the_largest_component_set(form: Format) -> None:
    """As it is written by us, with every value as long as it may be, and with a state that is larger than any."""
    record, _ = a_long_game()
    data = encode(record, "") | {"log": [], "game": "g" * 40}
    most = copy.deepcopy(the_components().source) | {"name": "n" * 40, "provenance": "reconstructed"}
    own = dict.fromkeys(("kind", "price", "harvest"), "reconstructed")
    table = [[least, least] for least in range(88, 100)]
    tool = {"number": 999, "kind": "basket", "price": 99, "harvest": table, "provenance": own}
    most["cards"] = [tool] * 99
    tile = most["tiles"][0] | {"mountains": [f"{hexagon}:{edge}" for hexagon in "12" for edge in EDGES]}
    tile["provenance"] = dict.fromkeys(("hunting_areas", "min_players", "split", "mountains"), "reconstructed")
    most["tiles"] = [tile] * 26
    most["boards"] = {players: {"tiles": [["A", -6, -6, 5]] * 6, "start": ["A1a"] * 6} for players in "3456"}
    clan = {
        "colour": "yellow",
        "food": 999999,
        "cards": [999] * 20,
        "members": ["A1a"] * 15,
        "largest": 15,
        "agreements": 100,
    }
    data["state"] |= {"clans": [clan | {"resigned": True}] * 6, "tiles": ["A"] * 26, "neutral": ["A1a"] * 36}
    data["state"]["board"] = [{"tile": "A", "cells": ["M13", "N13"]}] * 6
    data["state"]["pile"] |= {"unseen": [999] * 99, "under": [999] * 99}
    data["players"] = [{"colour": "yellow", "name": "\U0001f600" * 24}] * 6
    data["components"] = {"name": "n" * 40, "digest": digest(the_components()), "set": most}

    assert len(formats.dump(data, form, schema="s" * 400)) <= PARSE_LIMIT


EDGES = ("ab", "bc", "ca", "e0", "e1", "e2", "e3", "e4", "e5")


# What is long and no game


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("toml", 'log = [\n"1 red stay",\n]\n' + "a = 1 # " + "x" * PARSE_LIMIT),
        ("toml", 'a = """\nlog = [\n' + '"1 red stay",\n' * 20_000 + ']\n"""\nlog = []\n'),
        ("toml", "[a]\nlog = [\n" + '"1 red stay",\n' * 20_000 + "]\n"),
        ("toml", "log = [\n" + '"1 red stay",\n' * 20_000),
        ("toml", "log = [" * (LONGEST_TEXT // 7)),
        ("toml", "log = [\n" + '"1 red stay",\n' * (LONGEST_TEXT // 14)),
        ("json", '{"a": {"log": [' + '"1 red stay",' * 20_000 + '"1 red stay"]}}'),
        ("json", '{"log": [' + '"1 red stay", ' * 20_000 + "7]}"),
        ("json", '{"log": [' + '"1 red \\"stay", ' * 20_000 + '""]}'),
        ("json", '{"log":[' * (LONGEST_TEXT // 8)),
        ("json", '{"log": [' + '"1 red stay", ' * (LONGEST_TEXT // 14 + 1) + '"1 red stay"]}'),
        ("json", '{"log": [' + '"1 red stay", ' * 20_000 + '"1 red stay"], "game": {"log": []}}'),
    ],
)
def test_a_long_text_that_is_no_game_is_refused(form: Format, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No parser sees more than it can deal with in a second."""
    seen: list[int] = []
    for parser in ("_json", "_toml"):
        parse = getattr(formats, parser)
        monkeypatch.setattr(formats, parser, lambda source, parse=parse: seen.append(len(source.text)) or parse(source))

    with pytest.raises(NotUnderstood):
        formats.parse(text, form, name="it")

    assert max(seen, default=0) <= PARSE_LIMIT


@pytest.mark.parametrize("separator", [", ", ",\n  "], ids=["one line", "many lines"])
@pytest.mark.parametrize(
    ("form", "text", "wrong"),
    [
        ("toml", "game = 1.5\nlog = [LOG]\nturn = 1\n", "1.5"),
        ("toml", 'game = "a"\nlog = [LOG]\nturn = 1.5\n', "1.5"),
        ("toml", 'game = "a"\nlog = [LOG] turn = 1\n', "turn"),
        ("toml", 'game = "a"\nlog = [LOG]\n\nturn = = 1\nend = 1\n', "= 1\nend"),
        ("json", '{"game": 1.5, "log": [LOG], "turn": 1}', "1.5"),
        ("json", '{"game": "a", "log": [LOG], "turn": 1.5}', "1.5"),
        ("json", '{"game": "a", "log": [LOG]\n, "turn": 1, "turn": 2}', "}"),
        ("json", '{"game": "a", "log": [LOG]!, "turn": 1}', "!"),
    ],
)
def test_the_place_of_a_mistake_in_a_long_text_is_that_in_the_file(
    form: Format, text: str, wrong: str, separator: str
) -> None:
    """The log counts, though no parser sees it."""
    short, whole = (text.replace("LOG", separator.join(['"1 red stay"'] * lines)) for lines in (3, 20_000))
    assert len(short) < PARSE_LIMIT < len(whole)

    for said in (short, whole):
        before = said[: said.index(wrong)].split("\n")
        line = f"line {len(before)}, " if "\n" in said else ""
        with pytest.raises(NotUnderstood, match=f"^it cannot be parsed at {line}column {len(before[-1]) + 1}: "):
            formats.parse(said, form, name="it")


@FORMS
def test_a_file_that_is_long_besides_its_log_is_not_written(form: Format) -> None:
    with pytest.raises(CannotWrite):
        formats.dump({"log": ["1 red stay"], "a": "x" * PARSE_LIMIT}, form)
    with pytest.raises(CannotWrite):
        formats.dump({"log": ["1 red stay"] * (LONGEST_TEXT // 10)}, form)


@FORMS
def test_a_log_that_is_longer_than_that_of_any_game_is_not_written(form: Format) -> None:
    """An older game may come to one, as it has no limit of agreements; then the last file that can be read stays."""
    lines = ["1 red stay"] * LONGEST_LOG
    assert formats.parse(formats.dump({"log": lines}, form), form, name="") == {"log": lines}
    with pytest.raises(CannotWrite, match=f"the log would have more than {LONGEST_LOG} lines"):
        formats.dump({"log": [*lines, "1 red stay"]}, form)


def test_a_line_of_a_long_log_that_is_none_is_named() -> None:
    """Where one line is wrong the whole log is asked, and the place is told."""
    data = game_files.data_of(a_long_game()[1])
    data["log"][3000] = "3000 red  stay"

    with pytest.raises(NotUnderstood) as refused:
        loading.game_in(data, "game")

    assert [reason.message.split(" ")[0] for reason in refused.value.reasons] == ["log[3000]"]

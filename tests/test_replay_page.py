"""The page of a game: what is on it, byte for byte, and what must not be. ``test_replay_browser.py`` looks at it."""

import json
import os
import re
import subprocess
import sys
from base64 import b64encode
from collections import Counter
from hashlib import sha256
from html import escape, unescape
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from bots import SECRET, a_new_record, a_sensible_choice
from builders import the_components

from pbem import game_files, loading
from pbem.cli.app import run
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.briefing.accounts import accounts_of
from pbem.first_sparks.briefing.board.picture import board_svg
from pbem.first_sparks.briefing.headings import STAGES
from pbem.first_sparks.briefing.result import why_won
from pbem.first_sparks.chance.draws import source
from pbem.first_sparks.components import FOODS, components_from
from pbem.first_sparks.moves import Resign
from pbem.first_sparks.phases import Ended, Laying
from pbem.first_sparks.play import carried_on, played
from pbem.first_sparks.record import Lines, Record, begin
from pbem.first_sparks.replay.page import Assets, replay_page
from pbem.first_sparks.replay.pictures import board_picture
from pbem.first_sparks.replay.steps import Fact, changes, turns
from pbem.page.glue import unglued

GAMES = sorted((Path(__file__).parent / "games").glob("*.toml"))
FOUR = Path(__file__).parent / "games" / "4-players.toml"
PLAIN = Assets("p {}", "")
MOST = 250_000  # bytes


def a_game_played(record: Record, turns: int, seed: int = 1, resigning: int | None = None) -> Record:
    """Return the game after so many turns of careful players, of whom the last one in order resigns at that turn."""
    random, draw = Random(seed), source(record.game, SECRET)
    while (decides := who_decides(record.state)) is not None and record.turn < turns:
        if record.turn == resigning and len(record.state.in_play) == len(record.players):
            record = played(record, record.state.order[-1], Resign(), draw)[0]
        else:
            record = played(record, decides, a_sensible_choice(record.state, random), draw)[0]
    return record


def data_of(page: str) -> dict[str, object]:
    found = re.search(r'<script type="application/json" id="game">(.*?)</script>', page)
    assert found
    data: dict[str, object] = json.loads(found[1])
    return data


def sentences_of(page: str) -> list[str]:
    return [unescape(text) for text in re.findall(r"<li[^>]*><a href=[^>]*><b>\d*</b> <span>(.*?)</span>", page)]


# Steps


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_a_step_is_a_turn_with_all_that_follows_it(path: Path) -> None:
    record = loading.load(path).record

    steps = turns(record)

    assert [step.number for step in steps] == list(range(record.turn + 1))
    assert steps[-1].state == record.state
    for step in steps:
        assert step.state == [state for entry, state in record.history if entry.turn <= step.number][-1]
        for clan in step.state.clans:
            assert step.facts[f"food:{clan.colour}"] == clan.food
            assert step.facts[f"members:{clan.colour}"] == clan.members
            assert step.facts[f"cards:{clan.colour}"] == tuple(card.number for card in clan.cards)
        assert step.facts["harvest"] == tuple(step.state.harvest.of(food) for food in FOODS)
        assert step.facts["current"] == step.state.market.current


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_only_what_changes_is_in_the_data(path: Path) -> None:
    """Put one on the other, the changes give the facts of every step."""
    steps = turns(loading.load(path).record)
    before: dict[str, Fact] = {}
    facts: dict[str, Fact] = {}

    for step in steps:
        facts |= changes(step.facts, before)
        before = step.facts
        assert facts == step.facts
    assert changes(steps[-1].facts, steps[-1].facts) == {}


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_the_log_goes_through_the_phases_in_their_order(path: Path) -> None:
    stages = list(dict.fromkeys(STAGES.values()))
    told = [(said.round, stages.index(said.stage)) for step in turns(loading.load(path).record) for said in step.told]

    assert told == sorted(told)
    for number in range(1, told[-1][0]):
        assert {stages[stage] for of_round, stage in told if of_round == number} >= {
            "phase 1 technology",
            "phase 2 hunting",
            "phase 3 spreading",
            "phase 4 bureaucracy",
        }


def test_income_is_what_the_last_harvest_was_worth() -> None:
    steps = turns(loading.load(FOUR).record)
    told = {step.number: " ".join(said.text for said in step.told) for step in steps}

    assert steps[0].facts["income:red"] is None
    for before, after in pairwise(steps):
        if found := re.search(r"Christian \(red\) harvests [^=]* = (\d+)", told[after.number]):
            assert after.facts["income:red"] == int(found[1])
        elif "Christian (red) harvests nothing" not in told[after.number]:
            assert after.facts["income:red"] == before.facts["income:red"]


def test_a_part_of_a_game_ends_with_the_turn_that_was_named() -> None:
    record = loading.load(FOUR).record

    assert turns(record, 20) == turns(record)[:21]
    assert "Turn <b" in replay_page(record, PLAIN, 20)
    assert 'href="#20"' in replay_page(record, PLAIN, 20)
    assert 'href="#21"' not in replay_page(record, PLAIN, 20)


# The page


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_a_whole_game_is_a_small_page(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["replay", str(path), "--html"]) == 0
    page = capsys.readouterr().out

    assert page.startswith("<!DOCTYPE html>")
    assert len(page.encode()) < MOST
    assert sentences_of(page) == [told.text for step in turns(loading.load(path).record) for told in step.told]


@pytest.mark.parametrize("players", range(2, 7))
def test_games_of_any_number_of_players_at_any_time(players: int) -> None:
    for number in (0, 3, 25, 60):
        record = a_game_played(a_new_record(players), number)
        page = replay_page(record, PLAIN)
        data = data_of(page)
        assert isinstance(data["steps"], list)
        assert len(data["steps"]) == record.turn + 1
        assert len(page.encode()) < MOST
        ids = Counter(re.findall(r' id="([^"]*)"', page))
        assert {name for name, number in ids.items() if number > 1} == set()
        assert set(re.findall(r' href="#([^"]*)"', page)) <= ids.keys() | {"data:,"}
        assert 'aria-live="polite"' in page


def test_a_game_in_which_nothing_has_happened_yet() -> None:
    """Chance has not even been asked for the Herbs, and no tile lies."""
    fresh = a_new_record(3)
    record = begin(fresh.game, fresh.players, fresh.options, fresh.components, fresh.chance)

    page = replay_page(record, PLAIN)

    assert "No tile is laid yet." in page
    assert 'id="slider" min="0" max="0"' in page
    assert sentences_of(page) == []


def test_who_has_resigned_is_marked() -> None:
    record = a_game_played(a_new_record(4), 40, resigning=20)
    (gone,) = [clan for clan in record.state.clans if clan.resigned]

    assert f'<small data-fact="note:{gone.colour}" class="note">resigned</small>' in replay_page(record, PLAIN)


def test_winners_are_marked() -> None:
    page = replay_page(loading.load(FOUR).record, PLAIN)
    assert '<small data-fact="note:blue" class="note">wins</small>' in page


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_the_end_says_why_somebody_has_won_and_what_became_of_the_food(path: Path) -> None:
    record = loading.load(path).record
    page = replay_page(record, PLAIN)
    accounts = accounts_of(record.history).clans

    assert f'<p data-fact="why">{unglued(why_won(record.state))}</p>' in page
    _, harvested, spent = re.split("<figure><figcaption>(?=Harvested|Spent)", page.partition("</script>")[0])
    for account in accounts:
        name = escape(record.state.clan(account.clan).player)
        (row,) = re.findall(rf'<tr><th scope="row">{name} \({account.clan}\)</th>(.*?)</tr>', harvested)
        assert re.findall("<td>(.*?)</td>", row) == [*map(str, account.harvest), str(account.harvested)]
        (row,) = re.findall(rf'<tr><th scope="row">{name} \({account.clan}\)</th>(.*?)</tr>', spent)
        numbers = map(str, (account.cards, account.spreading, account.eaten, account.rotten))
        assert re.findall("<td>(.*?)</td>", row)[:4] == [*numbers]


def test_only_the_last_turn_of_a_game_that_is_over_has_them() -> None:
    record = loading.load(FOUR).record
    whys = [step.facts["why"] for step in turns(record)]

    assert whys[:-1] == [""] * record.turn
    assert "13 members" in str(whys[-1])
    for page in (replay_page(record, PLAIN, record.turn - 1), replay_page(a_game_played(a_new_record(3), 45), PLAIN)):
        assert '<p data-fact="why"></p>' in page
        assert "Food of the whole game" not in page
        assert "reached 13 members" not in page


def test_a_set_of_ones_own_is_named_and_its_cards_are_shown() -> None:
    source_of_set = json.loads(json.dumps(the_components().source))
    source_of_set["name"] = "my-box"
    for card in source_of_set["cards"]:
        card["price"] = card.get("price", 0) + 30
    record = a_new_record(3, components=components_from(source_of_set))

    page = replay_page(record, PLAIN, own_set=game_files.own_set(record))

    assert f"This game uses its own component set, {game_files.own_set(record)}." in page
    assert "costs 32" in page


def test_older_games_are_shown() -> None:
    for path in sorted((Path(__file__).parent / "older_games").glob("*.toml")):
        record = loading.load(path).record
        assert len(replay_page(record, PLAIN).encode()) < MOST


def test_names_are_escaped() -> None:
    """Also in the data, in which a name could otherwise end the script that holds them."""
    name = "</script><b>\"&'<!--"
    fresh = a_new_record(3)
    players = (("green", name), *fresh.players[1:])
    record = begin("x<y", players, fresh.options, fresh.components, fresh.chance)
    record = carried_on(record, source(record.game, SECRET))[0]

    page = replay_page(record, PLAIN)

    assert name not in page
    assert page.count("<script") == page.count("</script>") == 2
    assert "&lt;/script&gt;&lt;b&gt;&quot;&amp;&#x27;&lt;!--" in page
    assert "<title>x&lt;y</title>" in page
    assert any(name in sentence for sentence in sentences_of(page))
    assert json.dumps(name)[1:-1] in json.dumps(data_of(page))


def test_the_page_needs_nothing_and_allows_itself_nothing_else() -> None:
    folder = files("pbem.first_sparks.replay")
    style, script = ((folder / name).read_text(encoding="utf-8") for name in ("replay.css", "replay.js"))
    page = replay_page(loading.load(FOUR).record, Assets(style, script))

    for kind, allowed in (("style", "style-src"), ("script", "script-src")):
        found = re.search(rf"<{kind}>(.*?)</{kind}>", page, re.DOTALL)
        assert found
        digest = b64encode(sha256(found[1].encode()).digest()).decode()
        assert f"{allowed} 'sha256-{digest}'" in page
    assert "default-src 'none'" in page
    body = page.replace("http://www.w3.org/2000/svg", "")  # the name of SVG, which nobody fetches
    for outside in ("http:", "https:", " src=", "url(", "@import", " style=", " onclick", "fetch(", "import("):
        assert outside not in body


@pytest.mark.slow
def test_the_same_bytes_on_every_machine() -> None:
    pages = set()
    for seed, where, language in (("0", "UTC", "C"), ("1", "Asia/Tokyo", "de_DE.UTF-8"), ("77", "UTC", "tr_TR.UTF-8")):
        surroundings = os.environ | {"PYTHONHASHSEED": seed, "TZ": where, "LC_ALL": language, "PYTHONUTF8": "1"}
        command = [sys.executable, "-m", "pbem", "replay", str(FOUR), "--html"]
        pages.add(subprocess.run(command, env=surroundings, capture_output=True, check=True).stdout)
    assert len(pages) == 1


# The board


def test_the_board_of_every_step_has_the_tiles_and_mountains_of_then() -> None:
    """As many hexes and mountains belong to the tiles so far as are drawn for that state alone."""
    for players in (2, 4, 6):
        record = a_game_played(a_new_record(players), 30)
        whole = board_picture(record.state.board, {}, "")
        layers = re.findall(r'<g data-tile="(\d+)">(.*)</g>', whole)
        for step in turns(record):
            if isinstance(step.state.phase, Laying):
                continue
            tiles = len(step.state.board.tiles)
            drawn = "".join(layer for tile, layer in layers if int(tile) < tiles)
            alone = board_svg(step.state)
            assert drawn.count('stroke-width="9"') == alone.count('stroke-width="9"') - 1  # and one in the legend
            assert drawn.count('stroke-width="4"/>') == alone.count('stroke-width="4"/>') == 2 * tiles


def test_members_stand_where_the_board_has_them() -> None:
    """A disc that is used at a point is drawn at that point of its hex."""
    record = loading.load(FOUR).record
    page = replay_page(record, PLAIN)
    used = re.findall(r'<use href="#(\w+)-(\d+)" x="(-?\d+)" y="(-?\d+)"/>', page)
    drawn = []
    for line in board_svg(record.state).splitlines():
        if place := re.match(r'<g transform="translate\((-?\d+) (-?\d+)\)">', line):
            for x, y, radius in re.findall(r'<circle cx="(-?\d+)" cy="(-?\d+)" r="(\d+)" [^>]*stroke="#1c1c1e"', line):
                drawn.append((radius, str(int(place[1]) + int(x)), str(int(place[2]) + int(y))))

    assert sorted((radius, x, y) for _, radius, x, y in used) == sorted(drawn)
    assert Counter(colour for colour, *_ in used) == {clan.colour: clan.size for clan in record.state.clans}


# What is hidden


@pytest.mark.parametrize("players", [2, 3, 4])
def test_hidden_food_is_in_no_form_on_the_page_of_an_unfinished_game(players: int) -> None:
    """Two games that differ in nothing but hidden food have the same page."""
    record = a_game_played(a_new_record(players, hide_food=True), 45, seed=players)
    assert not isinstance(record.state.phase, Ended)
    hidden = 0
    history = []
    for entry, state in record.history:
        rich = state
        for clan in state.clans:
            if state.hides_food(clan):
                hidden += 1
                rich = rich.with_clan(clan.with_food(clan.food + 7000))
        history.append((entry, rich))
    other = record._replace(lines=Lines(tuple(history), record.log, record.head), state=history[-1][1])

    assert hidden
    page = replay_page(record, PLAIN)
    assert replay_page(other, PLAIN) == page
    assert ">hidden</td>" in page
    assert SECRET.hex() not in page
    assert "where it is not hidden" in page


def test_all_food_is_shown_when_the_game_is_over() -> None:
    record = a_game_played(a_new_record(4, hide_food=True), 600, seed=3)
    assert isinstance(record.state.phase, Ended)
    assert any(state.hides_food(clan) for _, state in record.history for clan in state.clans)

    page = replay_page(record, PLAIN)

    assert ">hidden<" not in page
    assert None not in [step.facts[f"food:{colour}"] for step in turns(record) for colour, _ in record.players]


def test_food_was_open_before_the_clan_had_fire() -> None:
    record = a_game_played(a_new_record(4, hide_food=True), 45, seed=4)
    for step in turns(record):
        for clan in step.state.clans:
            assert (step.facts[f"food:{clan.colour}"] is None) == clan.knows("fire")


# The command


def test_the_page_is_written_whole_and_over_a_former_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "game.html"

    assert run(["replay", str(FOUR), "--html", "--to", "20", "-o", str(target)]) == 0
    former = target.read_bytes()
    assert capsys.readouterr().out == f"{target} shows the game up to turn 20\n"
    assert run(["replay", str(FOUR), "--html", "-o", str(target)]) == 0
    capsys.readouterr()
    assert run(["replay", str(FOUR), "--html"]) == 0

    assert target.read_text(encoding="utf-8") == capsys.readouterr().out
    assert target.read_bytes() != former
    assert sorted(path.name for path in tmp_path.iterdir()) == ["game.html"]


def test_nothing_is_written_over_what_is_not_ours(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for text in ("", "<!DOCTYPE html>\n<html><title>mine</title>", FOUR.read_text(encoding="utf-8")):
        target = tmp_path / "mine"
        target.write_text(text, encoding="utf-8")
        assert run(["replay", str(FOUR), "--html", "-o", str(target)]) == 73
        assert target.read_text(encoding="utf-8") == text
        assert "was not made by pbem" in capsys.readouterr().err


def test_an_answer_for_programs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "game.html"

    assert run(["replay", str(FOUR), "--html", "-o", str(target), "--json"]) == 0

    answer = json.loads(capsys.readouterr().out)
    assert (answer["code"], answer["format"], answer["path"]) == ("drawn", "html", str(target))


@pytest.mark.parametrize(
    "arguments", [["-o", "game.html"], ["--html", "--json"], ["--html", "-o", "-"], ["--html", "--to", "96"]]
)
def test_arguments_that_do_not_fit_together(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["replay", str(FOUR), *arguments]) == 2
    assert "<html" not in capsys.readouterr().out

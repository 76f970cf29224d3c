"""Bots at the table of a game in a file: ``pbem play --bots`` and ``pbem bot``."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from fitting import fits

from pbem import loading, secrets
from pbem.cli import app as cli
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.choice import main_choices
from pbem.first_sparks.proof import verify

SECRET = "7" * 64
Run = Callable[..., str]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The program, in an empty folder: what it prints, or with a status that is not 0 what it complains about."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, status: int = 0) -> str:
        assert cli.run([*arguments]) == status, capsys.readouterr()
        said = capsys.readouterr()
        return said.err if status and "--json" not in arguments else said.out

    return run


@pytest.fixture
def game(run: Run) -> Path:
    """A game of Ann and two bots, in which a bot is asked first."""
    run("new", "game.toml", "Ann:red", "bot", "bot", "--board", "recommended", "--i-chose-it", "--secret", SECRET)
    return Path("game.toml")


def asked(game: Path) -> str | None:
    return who_decides(loading.load(game).record.state)


def test_bots_decide_until_a_person_is_asked(run: Run, game: Path) -> None:
    assert asked(game) != "red"

    told = json.loads(run("play", "game.toml", "--bots", "--json"))

    assert fits(told, "verdict")
    assert told["decides"] == asked(game) == "red"
    assert all(line.split()[1] in ("green", "blue", "*") for line in told["log"])


@pytest.mark.slow
def test_one_person_plays_a_whole_game(run: Run, game: Path) -> None:
    """With a sealed source of chance, and one command for each of the person's decisions."""
    run("play", "game.toml", "--bots")
    while asked(game) is not None:
        assert asked(game) == "red"
        order = next(iter(main_choices(loading.load(game).record.state))).order
        run("play", "game.toml", "--bots", "--as", "red", "--order", order)

    record = secrets.reveal(game)
    verify(record)
    secrets.audited(game)
    assert {line.split()[1] for line in record.log} == {"red", "green", "blue", "*"}


def test_the_log_is_that_of_the_same_orders_played_one_by_one(run: Run, game: Path) -> None:
    run(
        "new",
        "by-hand.toml",
        "Ann:red",
        "bot",
        "bot",
        "--board",
        "recommended",
        "--i-chose-it",
        "--secret",
        SECRET,
        "--id",
        "game",
    )

    run("play", "game.toml", "--bots")
    while (decides := asked(Path("by-hand.toml"))) not in ("red", None):
        order = json.loads(run("bot", "by-hand.toml", "--json"))["order"]
        run("play", "by-hand.toml", "--as", str(decides), "--order", order)

    assert game.read_text(encoding="utf-8") == Path("by-hand.toml").read_text(encoding="utf-8")


def test_a_plan_answers_between_the_bots(run: Run, game: Path) -> None:
    run("play", "game.toml", "--bots")
    run("plan", "game.toml", "--as", "red", "pass")

    told = json.loads(run("play", "game.toml", "--bots", "--as", "red", "--order", "stay", "--json"))

    mine = [line.split(maxsplit=2)[2] for line in told["log"] if line.split()[1] == "red"]
    assert mine[0].startswith("stay")
    assert any(line.startswith("pass") for line in mine)
    assert {line.split()[1] for line in told["log"]} >= {"red", "green", "blue"}


def test_bots_agree_to_end_once_all_people_have(run: Run, game: Path) -> None:
    run("play", "game.toml", "--bots")

    run("play", "game.toml", "--bots", "--as", "red", "--order", "agree end")

    record = loading.load(game).record
    assert asked(game) is None
    assert {line.split()[1] for line in record.log if "agree end" in line} == {"red", "green", "blue"}


@pytest.mark.slow
def test_bots_alone_play_to_the_end(run: Run) -> None:
    run("new", "alone.toml", "bot", "bot", "--i-chose-it", "--secret", SECRET)

    run("play", "alone.toml", "--bots")

    assert asked(Path("alone.toml")) is None


def test_a_refused_order_plays_nothing(run: Run, game: Path) -> None:
    run("play", "game.toml", "--bots")
    before = game.read_bytes()

    told = run("play", "game.toml", "--bots", "--as", "red", "--order", "add Z9z", status=65)

    assert told.startswith("refused, and nothing was changed: ")
    assert game.read_bytes() == before


def test_without_bots_at_the_table_nothing_is_played(run: Run) -> None:
    run("new", "people.toml", "Ann", "Bob", "--board", "recommended", "--i-chose-it", "--secret", SECRET)

    told = run("play", "people.toml", "--bots", "--as", "green", "--order", "stay", status=2)

    assert "no player of this game is a bot" in told
    assert asked(Path("people.toml")) is not None


def test_on_a_persons_turn_an_order_is_needed(run: Run, game: Path) -> None:
    run("play", "game.toml", "--bots")

    assert "no bot has to decide now" in run("play", "game.toml", "--bots", status=2)
    assert "--batch can only be combined" in run("play", "game.toml", "--bots", "--batch", status=2)


def test_advice_is_an_order_and_a_reason(run: Run, game: Path) -> None:
    run("play", "game.toml", "--bots")

    order, why = run("bot", "game.toml", "--as", "Ann").splitlines()

    assert order in {choice.order for choice in main_choices(loading.load(game).record.state)}
    assert why.startswith("  ")
    assert why.endswith(".")
    run("play", "game.toml", "--as", "red", "--order", order)


def test_advice_is_for_the_player_whose_turn_it_is(run: Run, game: Path) -> None:
    run("play", "game.toml", "--bots")

    told = run("bot", "game.toml", "--as", "Bot 2", status=77)

    assert told == "not-your-turn: it is not Bot 2's turn; waiting for Ann (red)\n"


def test_there_is_no_advice_after_the_end(run: Run, game: Path) -> None:
    for colour in ("green", "blue"):
        run("play", "game.toml", "--as", colour, "--order", "resign")

    assert "no player has to decide now" in run("bot", "game.toml", status=77)


def test_advice_tells_nobody_about_hidden_food(run: Run) -> None:
    """What is best to do with hidden food tells how much there is, so its owner has to be named."""
    run(
        "new",
        "fire.toml",
        "Ann:red",
        "bot",
        "--board",
        "recommended",
        "--hide-food",
        "--i-chose-it",
        "--secret",
        SECRET,
    )
    while not any(clan.knows("fire") for clan in loading.load(Path("fire.toml")).record.state.clans):
        state = loading.load(Path("fire.toml")).record.state
        offered = [choice.order for choice in main_choices(state)]
        order = next((order for order in ("offer 9", "take", "decline 9", "stay") if order in offered), offered[0])
        run("play", "fire.toml", "--as", str(who_decides(state)), "--order", order)
    state = loading.load(Path("fire.toml")).record.state
    while not state.hides_food(state.clan(who_decides(state) or "")):
        order = [choice.order for choice in main_choices(state)][-1]
        run("play", "fire.toml", "--as", str(who_decides(state)), "--order", order)
        state = loading.load(Path("fire.toml")).record.state

    assert "no player given" in run("bot", "fire.toml", status=65)
    assert run("bot", "fire.toml", "--as", str(who_decides(state)))

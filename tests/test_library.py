"""The library is the command line without the command line; the examples use nothing else."""

import json
import os
import subprocess
import sys
from collections import UserDict
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any

import pytest
from forked import a_path, run_program
from friday import FRIENDS, ZEROS, a_new_game, at_the_first_offer

import pbem
from pbem import rulings
from pbem.errors import CannotCreate, Illegal, NoSuchFile, NotUnderstood, NotYourTurn, PbemError, Stale, UsageError
from pbem.first_sparks import moves
from pbem.first_sparks.adjudicator import violations
from pbem.first_sparks.moves import Move
from pbem.first_sparks.phases import Spreading
from pbem.page.data import data_of
from pbem.page.glue import GLUE, HYPHEN
from pbem.page.page import Grid
from pbem.page.text import text_of

ROOT = Path(__file__).parents[1]


def test_importing_the_package_imports_nothing_else() -> None:
    """The command line is not to pay for the library, and its modules are found behind the lazy names."""
    program = (
        "import sys, pbem, pbem.first_sparks; loaded = {name for name in sys.modules if name.startswith('pbem')};"
        "assert loaded == {'pbem', 'pbem.first_sparks'}, loaded;"
        "from pbem import formats, load; from pbem.first_sparks import adjudicate, notation;"
        "assert formats.parse and notation.usage and callable(load) and callable(adjudicate)"
    )

    subprocess.run([sys.executable, "-c", program], check=True)


def test_every_name_is_there_and_described() -> None:
    assert [name for name in pbem.__all__ if not getattr(pbem, name).__doc__] == []
    with pytest.raises(AttributeError, match="has no attribute 'plya'"):
        pbem.__getattr__("plya")


def test_no_name_is_that_of_a_module() -> None:
    """It would be the module as soon as somebody imports that."""
    assert [name for name in pbem.__all__ if find_spec(f"pbem.{name}")] == []


def test_the_situation_is_a_page_as_a_value(tmp_path: Path) -> None:
    """Nothing has to be taken out of a text: this makes the market of it, and JSON, and the text of summary."""
    game = pbem.new_game(["Ann", "Bob"], board="random", secret="0" * 64)
    page = pbem.situation(game, "Ann")
    (market,) = (section for section in page.sections if section.key == "market")
    data = data_of(page)

    assert text_of(page) == pbem.summary(game, "Ann")
    (table,) = (block for block in market.blocks if isinstance(block, Grid))
    cells = [row[0] for row in table.rows if isinstance(row, tuple)]
    assert [cell.split()[0] for cell in cells if "#" in cell] == [f"#{number}" for number in game.state.market.cards]
    assert json.loads(json.dumps(data)) == data
    assert [section["kind"] for section in data["sections"]] == ["Section"] * len(page.sections)
    assert not {GLUE, HYPHEN} & {*json.dumps(data, ensure_ascii=False)}


def test_the_game_has_four_names() -> None:
    from pbem.first_sparks import adjudicate, choices, new_game, situation

    game = a_new_game()
    state = new_game(game.components, game.players, game.options)

    assert text_of(situation(game.state, "red", game="friday", turn=0, head=game.head)).startswith("friday, turn 0")
    state = adjudicate(state, "*", next(choices(state)))
    assert [str(clan.cards[0].number) for clan in state.clans if clan.cards] == ["1"]
    with pytest.raises(AttributeError):
        pbem.first_sparks.__getattr__("nothing")


def test_a_game_is_played_in_memory_as_in_its_file(tmp_path: Path) -> None:
    path = tmp_path / "friday.toml"
    game = a_new_game()
    pbem.save(game, path)

    while pbem.decides(game) and game.turn < 12:
        order = pbem.choices(game)[0].order
        assert pbem.choices(path) == pbem.choices(game)
        game = pbem.play(game, order)
        assert pbem.play(path, order).log == game.log

    assert game.turn == 12
    pbem.save(game, tmp_path / "copy.toml")
    assert path.read_bytes() == (tmp_path / "copy.toml").read_bytes()
    assert pbem.load(path).head == pbem.load(str(path)).head == game.head
    assert [str(entry) for entry, _ in pbem.replay(path)] == list(game.log)
    assert pbem.summary(path, "Ann") == pbem.summary(game, "red")


def test_the_choices_are_all_that_is_legal() -> None:
    """Also where they are very many; the few are some of them, at the same price."""
    from pbem.first_sparks import choices

    game = at_the_first_offer()
    while not isinstance(game.state.phase, Spreading):
        game = pbem.play(game, pbem.choices(game)[-1].order)

    every, few = pbem.choices(game), pbem.choices(game, few=True)

    assert sorted(choice.order for choice in every) == sorted(map(str, choices(game.state)))
    offered, cheap = ({(frozenset(c.order.split()), c.cost) for c in listed} for listed in (every, few))
    assert cheap <= offered
    assert len(few) > 1


@pytest.mark.parametrize("players", [2, 3, 5])
def test_a_listed_choice_is_played_as_if_it_were_judged(players: int) -> None:
    random = Random(players)
    game = pbem.new_game(["Ann", "Bob", "Cy", "Di", "Ed"][:players], secret=ZEROS)
    while pbem.decides(game) and game.turn < 60:
        order = random.choice(pbem.choices(game, few=random.random() < 0.3)).order
        judged = pbem.play(game, order, pbem.decides(game) or "")
        game = pbem.play(game, order)
        assert judged == game


def test_only_a_choice_that_was_listed_for_this_very_state_is_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[str] = []
    judge = rulings.judge
    monkeypatch.setattr(rulings, "judge", lambda *said: judged.append(said[1].orders[0]) or judge(*said))
    game, other = at_the_first_offer(), at_the_first_offer()
    judged.clear()

    pbem.play(game, "pass")
    pbem.choices(other)
    pbem.play(game, "pass")  # listed for a state that is equal, but another
    assert judged == ["pass", "pass"]
    listed = [choice.order for choice in pbem.choices(game)]
    after = pbem.play(game, listed[0])
    assert judged == ["pass", "pass"]
    for otherwise in (listed[0].upper(), [listed[0]]):
        assert pbem.play(game, otherwise) == after
    assert pbem.play(game, listed[0], "green") == after
    assert len(judged) == 5
    with pytest.raises(Illegal):
        pbem.play(game, "offer 14")
    with pytest.raises(NotYourTurn):
        pbem.play(after, listed[0], "red")
    with pytest.raises(PbemError):
        pbem.play(after, listed[0])  # it is no answer to the next question
    assert len(judged) == 8


def test_the_summary_is_the_text_of_show(tmp_path: Path) -> None:
    pbem.save(at_the_first_offer(), tmp_path / "friday.json")
    for viewer in ("", "red"):
        shown = run_program("show", tmp_path / "friday.json", "--as", viewer).stdout
        assert pbem.summary(tmp_path / "friday.json", viewer) == shown


def test_check_is_play_before_chance(tmp_path: Path) -> None:
    """It writes nothing, and what is drawn next stays unknown."""
    game, path = at_the_first_offer(), tmp_path / "friday.toml"
    pbem.save(game, path)
    before = path.read_bytes()
    for order in ("offer 7", "buy", "decline"):
        game = pbem.play(game, order)

    checked, played = pbem.check(path, "offer 7"), pbem.play(game, "pass")

    assert (checked.turn, pbem.decides(checked), path.read_bytes()) == (4, "blue", before)
    assert pbem.decides(pbem.check(game, "pass")) == pbem.decides(played)
    bought = pbem.check(pbem.play(pbem.play(at_the_first_offer(), "offer 7"), "decline"), "decline")
    assert pbem.decides(bought) == "*"


@pytest.mark.parametrize(
    ("orders", "player", "kind"),
    [
        ("offer 41", "", Illegal),
        ("offer 7", "Bob", NotYourTurn),
        ("[friday/9/00000000]\noffer 7", "", Stale),
        ("dance", "", NotUnderstood),
        ([], "", NotUnderstood),
        ("offer 7", "Zoe", NotUnderstood),
    ],
)
def test_what_is_wrong_is_an_error_with_everything(
    orders: str | list[str], player: str, kind: type[pbem.PbemError]
) -> None:
    for function in (pbem.check, pbem.play):
        with pytest.raises(kind) as refused:
            function(at_the_first_offer(), orders, player)
        if kind is Illegal:
            assert [reason.rule for reason in refused.value.reasons] == ["offer-current-market", "offer-affordable"]
            assert ("offer 7", 1) in [(choice.order, choice.cost) for choice in refused.value.choices]


def test_a_game_comes_as_an_object_too(tmp_path: Path) -> None:
    pbem.save(at_the_first_offer(), tmp_path / "friday.json")
    data = json.loads((tmp_path / "friday.json").read_text(encoding="utf-8"))

    assert pbem.load(data).head == data["head"]
    with pytest.raises(NotUnderstood, match="does not match the schema"):
        pbem.load(data | {"turn": "x"})


def test_after_a_check_that_leads_to_chance_no_player_is_meant() -> None:
    game = pbem.new_game(["Ann", "Bob"], secret=ZEROS)
    while pbem.decides(after := pbem.check(game, pbem.choices(game, few=True)[-1].order)) != "*":
        game = after

    with pytest.raises(pbem.PbemError, match="chance decides now, and no player") as caught:
        pbem.play(after, "pass")

    assert "go on with the game that play returns" in caught.value.hint


def test_the_players_are_a_list_and_not_the_letters_of_a_name() -> None:
    with pytest.raises(TypeError, match="expected a list of names, not one text"):
        pbem.new_game("Ann")


def test_a_sealed_game_needs_its_secret(tmp_path: Path) -> None:
    path = tmp_path / "sealed.toml"
    assert run_program("new", path, *FRIENDS).returncode == 0
    order = pbem.choices(path)[0].order

    with pytest.raises(NoSuchFile, match="secret of this game is not part of it"):
        pbem.play(pbem.load(path), order)
    assert pbem.play(path, order).turn == 1


def test_save_overwrites_nothing_but_the_same_game(tmp_path: Path) -> None:
    path = tmp_path / "notes.toml"
    path.write_text("mine = 1\n", encoding="utf-8")

    with pytest.raises(CannotCreate):
        pbem.save(a_new_game(), path)

    assert path.read_text(encoding="utf-8") == "mine = 1\n"


@pytest.mark.parametrize(
    "arguments",
    [{"board": "foo"}, {"board": 5}, {"hide_food": "no"}, {"hide_food": 1}, {"secret": "00"}, {"name": "Friday!"}],
    ids=repr,
)
def test_what_no_game_can_be_begun_with_is_refused(arguments: dict[str, Any]) -> None:
    """Or else the file of the game could never be read again."""
    with pytest.raises(UsageError):
        pbem.new_game(FRIENDS, **arguments)


def test_a_mapping_of_any_type_is_an_object(tmp_path: Path) -> None:
    """As the annotation has it."""
    pbem.save(at_the_first_offer(), tmp_path / "friday.json")
    data = json.loads((tmp_path / "friday.json").read_text(encoding="utf-8"))

    for wrapped in (MappingProxyType(data), UserDict(data), data | {"state": MappingProxyType(data["state"])}):
        assert pbem.load(wrapped).head == data["head"]


def objects_that_are_no_json() -> Iterator[Any]:
    """Yield one that holds itself, one that is too deep, and one with a number that Python does not write."""
    holding: dict[str, Any] = {}
    holding["state"] = holding
    deep: dict[str, Any] = {}
    for _ in range(100_000):
        deep = {"state": deep}
    yield from (holding, deep, {"turn": 10**5000})


def test_an_object_that_is_no_json_is_not_understood() -> None:
    for found in objects_that_are_no_json():
        with pytest.raises(NotUnderstood):
            pbem.load(found)


def test_a_name_that_no_file_can_have_is_refused(tmp_path: Path) -> None:
    for name in ("x" * 300, "x\0", "\ud800"):
        with pytest.raises(CannotCreate):
            pbem.save(a_new_game(), tmp_path / f"{name}.toml")
        with pytest.raises(NoSuchFile):
            pbem.load(tmp_path / f"{name}.toml")


@pytest.mark.parametrize(
    "wrong",
    [
        lambda game: pbem.save(5, "x.toml"),  # type: ignore[arg-type]
        lambda game: pbem.load({"log": {1}}),
        lambda game: pbem.load(5),  # type: ignore[arg-type]
        lambda game: pbem.check(game, 5),  # type: ignore[arg-type]
        lambda game: pbem.check(game, "stay", 5),  # type: ignore[arg-type]
        lambda game: pbem.play(game, "stay", 5),  # type: ignore[arg-type]
        lambda game: pbem.summary(game, 5),  # type: ignore[arg-type]
        lambda game: pbem.note(game, "stay"),  # type: ignore[arg-type]
        lambda game: pbem.new_game(5),  # type: ignore[arg-type]
        lambda game: pbem.apply(game, None),  # type: ignore[arg-type]
        lambda game: pbem.apply(game, ()),  # type: ignore[arg-type]
        lambda game: pbem.apply(game, "stay", 5),  # type: ignore[arg-type]
        lambda game: pbem.observe(game, None),  # type: ignore[arg-type]
    ],
)
def test_a_value_of_a_wrong_type_is_a_type_error(wrong: Callable[[pbem.Game], object]) -> None:
    with pytest.raises(TypeError):
        wrong(a_new_game())


MOVES: tuple[Move, ...] = (
    *(moves.Lay("A1", "A2"), moves.Settle("A1a"), moves.SettleNeutral("A1a"), moves.Add("Z9z"), moves.Stay()),
    *(moves.Offer(7), moves.Offer(999), moves.Pass(), moves.Buy(), moves.Buy(7), moves.Decline(8), moves.Take()),
    *(moves.Discard(), moves.Drop(7), moves.Drop(999), moves.Starve(()), moves.Starve(("A1a", "Z9z"))),
    *(moves.Spread(()), moves.Spread(("A1a", "Z9z")), moves.SpreadNeutral(("A1a",)), moves.Draw("7")),
    *(moves.Resign(), moves.AgreeEnd()),
)


@pytest.mark.parametrize("players", [2, 4])
def test_there_is_a_note_on_every_choice_and_on_nothing_else(players: int) -> None:
    """A choice that was kept from an earlier turn is one that the rules forbid, wherever the game is by now."""
    game = pbem.load(ROOT / "tests" / "games" / f"{players}-players.toml")
    kinds = set()
    for _, state in game.history[::3]:
        now = game._replace(state=state)
        kinds.add(type(state.phase))
        for choice in pbem.choices(now, few=True):
            assert isinstance(pbem.note(now, choice), str)
        for move in MOVES:
            if tuple(violations(state, move)):
                with pytest.raises(Illegal) as refusal:
                    pbem.note(now, pbem.Choice(move))
                assert refusal.value.reasons

    assert len(kinds) > 5


@pytest.mark.slow
def test_the_bot_plays_whole_games() -> None:
    """Most end because a clan has 13 members, and not because nobody can do anything any more."""
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / "bot" / "bot.py", "20"], capture_output=True, text=True, check=True
    )

    assert done.stdout.count("the game is over") == 20
    assert done.stdout.count("the game is over after 10 rounds in which no") <= 4
    assert len((ROOT / "examples" / "bot" / "bot.py").read_text(encoding="utf-8").splitlines()) <= 30


@pytest.mark.slow
@pytest.mark.needs("jq")
def test_the_shell_script_plays_a_whole_game(tmp_path: Path) -> None:
    """It leaves nothing behind but the game, and says why it cannot play."""
    (tmp_path / "game").mkdir()
    (tmp_path / "tmp").mkdir()
    environment = {**os.environ, "PATH": a_path(), "TMPDIR": str(tmp_path / "tmp")}
    script = ROOT / "examples" / "shell" / "play.sh"

    def run(*arguments: str) -> tuple[int, str, str]:
        done = subprocess.run(
            ["sh", script, *arguments],
            cwd=tmp_path / "game",
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    first, again, nothing = run("game.toml", "Ann", "Bob", "Cara"), run("game.toml", "Ann", "Bob"), run()

    assert (first[0], first[2]) == (0, "")
    assert "the chain and the snapshot agree" in first[1]
    assert "the game is over" in first[1]
    assert again == (73, "", "game.toml already exists\nchoose another name\n")
    assert nothing == (2, "", "usage: sh play.sh GAME.toml NAME NAME...\n")
    assert sorted(path.name for path in (tmp_path / "game").iterdir()) == ["game.secret.toml", "game.toml"]
    assert list((tmp_path / "tmp").iterdir()) == []


def test_an_imagined_game_has_another_future() -> None:
    """A search in it cannot cheat by accident: no seed gives the draws of the game itself more often than by luck."""
    game = pbem.new_game(["Ann:red", "Bob:blue"], board="recommended", secret="1" * 64)
    while game.state.round < 1 or not any(order.startswith("offer") for order in orders_in(game)):
        game = pbem.play(game, orders_in(game)[0])
    futures = set()
    for seed in range(8):
        imagined = pbem.imagine(game, seed)
        assert (imagined.state, imagined.turn, imagined.log) == (game.state, game.turn, game.log)
        assert pbem.imagine(game, seed) == imagined
        futures.add(drawn_in(imagined))
    assert len(futures) > 1
    assert drawn_in(game) == drawn_in(game)


def test_a_future_is_imagined_from_a_text_or_a_number_alone() -> None:
    game = pbem.new_game(["Ann", "Bob"], board="recommended", secret="1" * 64)

    assert pbem.imagine(game, 1) == pbem.imagine(game, "1")
    for seed in (None, b"1", 1.5, []):
        with pytest.raises(TypeError, match="expected str, not"):
            pbem.imagine(game, seed)  # type: ignore[arg-type]


def test_an_imagined_game_is_not_saved(tmp_path: Path) -> None:
    game = pbem.new_game(["Ann", "Bob"], board="recommended", secret="1" * 64)
    with pytest.raises(pbem.PbemError, match="changed") as refused:
        pbem.save(pbem.imagine(game, "what if"), tmp_path / "game.toml")
    assert refused.value.hint == "a game can be saved if its log leads to it; a game of imagine cannot"
    assert not (tmp_path / "game.toml").exists()


def test_a_draw_that_waits_is_imagined_too() -> None:
    """After ``check``, and where a sealed or shared game waits, chance decides next."""
    game = pbem.new_game(["Ann", "Bob"], secret="1" * 64)
    waiting = pbem.check(game, orders_in(game)[0])
    assert pbem.decides(waiting) == "*"
    assert pbem.decides(pbem.imagine(waiting, 1)) in ("green", "red")


def orders_in(game: pbem.Game) -> list[str]:
    return [choice.order for choice in pbem.choices(game, few=True)]


def drawn_in(game: pbem.Game) -> tuple[str, ...]:
    """Return what is drawn after the first four answers."""
    for _ in range(4):
        if pbem.decides(game):
            game = pbem.play(game, orders_in(game)[0])
    return tuple(line for line in game.log if " draw " in line)

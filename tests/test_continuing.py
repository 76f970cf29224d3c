"""Whether a file is a continuation of another: what verify says, what is not replaced, and which set is played with."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from friday import a_new_game
from gits import ENVIRONMENT
from templates import copied, template

import pbem
from pbem import formats, game_files, loading
from pbem.cli import app as cli
from pbem.errors import CannotCreate
from pbem.first_sparks.chance.draws import source
from pbem.first_sparks.play import carried_on
from pbem.first_sparks.record import at_line, digest
from pbem.page.lettering import written

TURNS = {"red": "Ann", "blue": "Bob", "green": "Cara"}
SEATS = [f"{name}:{colour}" for colour, name in TURNS.items()]
SECRET, OTHER = bytes(32), bytes(range(32))
Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The program in a folder with the same game at turns 0 to 3, and another course of it from turn 1 on."""
    copied(template("courses", two_courses), tmp_path)
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> tuple[int, str]:
        capsys.readouterr()
        status = cli.run(list(words))
        told = capsys.readouterr()
        return status, told.out + told.err

    return run


def two_courses(folder: Path) -> None:
    folder.mkdir()
    games = [a_new_game()]
    for _ in range(3):
        games.append(pbem.play(games[-1], "stay"))
    for turn, game in enumerate(games):
        pbem.save(game, folder / f"{turn}.toml")
    pbem.save(pbem.play(games[1], "add B2a"), folder / "branch.toml")


def begun(run: Run, path: str, *options: str, secret: bytes = SECRET) -> tuple[int, str]:
    seats = [] if any(":" in option for option in options) else SEATS
    fixed = ["--board", "recommended", "--chance", "open", "--i-chose-it", "--secret", secret.hex()]
    return run("new", path, *seats, "--id", "friday", *fixed, *options)


# ---------------------------------------------------------------- verify --since


@pytest.mark.parametrize(
    ("new", "old", "said"),
    [
        ("1.toml", "0.toml", "added since 0.toml: 1 turn, 1 line"),
        ("3.toml", "0.toml", "added since 0.toml: 3 turns, 3 lines"),
        ("2.toml", "2.toml", "nothing was added since 2.toml"),
    ],
)
def test_it_is_said_what_was_added(new: str, old: str, said: str, run: Run) -> None:
    status, told = run("verify", new, "--since", old)

    assert (status, told.rstrip("\n").endswith(f"; {said}")) == (0, True), told


@pytest.mark.parametrize(
    ("new", "old", "said"),
    [
        ("0.toml", "1.toml", "it is older than 1.toml: its log ends at line 6, turn 0, not at line 7, turn 1"),
        ("branch.toml", "3.toml", 'line 8 of the log differs: it is "2 blue add B2a", but "2 blue stay" in 3.toml'),
        ("1.toml", "monday.toml", "it is not the game in monday.toml: its name is friday, not monday"),
        ("1.toml", "others.toml", "it is not the game in others.toml: the players are different"),
        ("1.toml", "hidden.toml", "it is not the game in hidden.toml: the options are different"),
        ("1.toml", "chance.toml", "it is not the game in chance.toml: the source of chance is different"),
    ],
)
def test_it_is_said_where_they_part(new: str, old: str, said: str, run: Run) -> None:
    begun(run, "monday.toml", "--id", "monday")
    begun(run, "others.toml", "Ann:red", "Bob:blue", "Zoe:green")
    begun(run, "hidden.toml", "--hide-food")
    begun(run, "chance.toml", secret=OTHER)

    status, told = run("verify", new, "--since", old)
    as_json = json.loads(run("verify", new, "--since", old, "--json")[1].splitlines()[0])

    assert (status, said in told) == (76, True), told
    assert (as_json["ok"], as_json["code"], as_json["message"]) == (False, "broken", said)


def test_a_program_is_told_so_too(run: Run) -> None:
    answer = json.loads(run("verify", "3.toml", "--since", "1.toml", "--json")[1])

    assert answer["added"] == {"lines": 2, "turns": 2}
    assert answer["lines"] == 9


def test_a_game_that_is_not_over_any_more_has_lost_its_secret(run: Run, tmp_path: Path) -> None:
    """Who publishes the secret says that the game is over; a file without it is not later than that."""
    run("new", "sealed.toml", *SEATS, "--board", "recommended", "--i-chose-it", "--secret", SECRET.hex())
    for who in ("green", "blue", "red"):
        run("play", "sealed.toml", "--as", who, "--order", "agree end")
    shutil.copy("sealed.toml", "before.toml")
    assert run("reveal", "sealed.toml")[0] == 0

    assert run("verify", "sealed.toml", "--since", "before.toml")[0] == 0
    assert "it lacks the secret, which is in sealed.toml" in run("verify", "before.toml", "--since", "sealed.toml")[1]
    with pytest.raises(CannotCreate, match="holds this game with its secret, which would be lost"):
        pbem.save(pbem.load("before.toml"), "sealed.toml")


@pytest.mark.parametrize("words", [["0.toml", "1.toml"], ["."]])
def test_many_files_have_no_one_file_before_them(words: list[str], run: Run) -> None:
    assert run("verify", *words, "--since", "0.toml")[0] == 2


# ---------------------------------------------------------------- what is not replaced

FURTHER = "holds this game at turn 3, and would go back to turn 1"
BRANCH = "holds a different history of this game, from line 8 of the log on"


@pytest.mark.parametrize(
    ("game", "order", "target", "said"),
    [
        ("0.toml", ("green", "stay"), "3.toml", FURTHER),
        ("1.toml", ("blue", "stay"), "branch.toml", BRANCH),
        ("1.toml", ("blue", "add B2a"), "3.toml", BRANCH),
        ("0.toml", ("green", "stay"), "monday.toml", "does not hold this game"),
        ("0.toml", ("green", "stay"), "chance.toml", "does not hold this game"),
    ],
)
@pytest.mark.parametrize("folder", [".", "far"])
def test_a_game_that_is_further_on_is_not_replaced(
    game: str, order: tuple[str, str], target: str, said: str, folder: str, run: Run, tmp_path: Path
) -> None:
    begun(run, "monday.toml", "--id", "monday")
    begun(run, "chance.toml", secret=OTHER)
    Path("far").mkdir()
    place = Path(folder) / target
    if folder != ".":
        shutil.copy(target, place)
    before = place.read_bytes()
    after = pbem.check(game, order[1], order[0])

    status, told = run("play", game, "--as", order[0], "--order", order[1], "-o", str(place))

    assert (status, f"{place} " in told and said in told) == (73, True), told
    with pytest.raises(CannotCreate, match=said):
        pbem.save(after, place)
    assert place.read_bytes() == before


@pytest.mark.parametrize("target", ["1.toml", "2.toml", "branch.toml", "missing.toml"])
def test_a_link_to_a_game_is_not_replaced_and_is_named_as_a_link(target: str, run: Run) -> None:
    """Whatever it leads to: the file where it leads is not what would be replaced."""
    Path("link.toml").symlink_to(target)

    status, told = run("play", "2.toml", "--as", "red", "--order", "stay", "-o", "link.toml")

    assert (status, "link.toml is a symbolic link and is not replaced" in told) == (73, True), told
    assert Path("link.toml").is_symlink()


@pytest.mark.parametrize("target", ["0.toml", "1.toml", "2.toml", "3.toml", "new.toml"])
def test_an_earlier_turn_may_be_replaced_and_the_same_one(target: str, run: Run) -> None:
    assert run("play", "2.toml", "--as", "red", "--order", "stay", "-o", target)[0] == 0

    assert pbem.load(target).turn == 3
    pbem.save(pbem.load(target), target)


def test_what_follows_in_the_same_turn_is_told_by_its_line(run: Run) -> None:
    """Draws and what is decided because nothing else is possible are no turns."""
    game = pbem.load("0.toml")
    before = at_line(game, len(game.log) - 1)
    assert before.turn == game.turn

    with pytest.raises(CannotCreate, match="holds this game at line 6 of its log, and would go back to line 5"):
        pbem.save(before, "0.toml")


# ---------------------------------------------------------------- draws


def test_verify_proves_the_draws_of_an_open_game(run: Run) -> None:
    """A log with other draws is as legal as this one, and only the secret tells them apart."""
    begun = at_line(pbem.load("0.toml"), 0)
    forged, _ = carried_on(begun, source("friday", OTHER))
    Path("forged.toml").write_text(game_files.text_of(forged, "toml"))
    Path("games").mkdir()
    shutil.copy("forged.toml", "games")

    assert "all 3 draws" in run("verify", "0.toml")[1]
    assert run("show", "forged.toml")[0] == 0
    for words in (["forged.toml"], ["games"], ["0.toml", "forged.toml"]):
        status, told = run("verify", *words)
        assert (status, "line 2 of the log is not what the secret yields" in told) == (76, True), told


# ---------------------------------------------------------------- the component set


@pytest.fixture
def own_set(run: Run) -> str:
    """A game with a set in which one card is cheaper; return the first digits of the set's digest."""
    data = dict(loading.built_in().source)
    data["cards"] = [row | {"price": 1} if row["number"] == 41 else row for row in data["cards"]]
    Path("mine.toml").write_text(formats.dump(data, "toml"))
    assert begun(run, "mine-game.toml", "--components", "mine.toml")[0] == 0
    return digest(loading.load_components(Path("mine.toml")))[:8]


def test_a_set_of_its_own_is_named_in_every_text_of_a_game(own_set: str, run: Run) -> None:
    """It calls itself as ours does, so that only the digest tells them apart."""
    told = f"This game uses its own component set, {own_set}."
    Path("mine-game.toml").rename("g.toml")

    for words in (
        ["show", "g.toml"],
        ["show", "g.toml", "--as", "red"],
        ["options", "g.toml"],
        ["replay", "g.toml"],
        ["play", "g.toml", "--as", "green", "--order", "stay", "-o", "h.toml"],
    ):
        assert told in run(*words)[1].splitlines(), words
        assert "component set" not in run(*(word.replace("g.toml", "0.toml") for word in words[:4]))[1]
    assert f"  {told}" in run("check", "g.toml", "--as", "green", "--order", "stay")[1].splitlines()
    for words in (["verify", "g.toml"], ["audit", "g.toml"], ["board", "g.toml", "--svg"]):
        assert f"; this game uses its own component set, {own_set}" in run(*words)[1]
    assert run("verify", "g.toml", "0.toml")[1].splitlines()[-1] == f"1 game uses its own component set, {own_set}"
    for words in (["show", "g.toml"], ["verify", "g.toml"]):
        said = json.loads(run(*words, "--json")[1])["components"]
        assert (said["digest"][:8], said["built_in"]) == (own_set, False)
    assert json.loads(run("show", "0.toml", "--json")[1])["components"]["built_in"] is True
    many = [json.loads(line) for line in run("verify", "g.toml", "0.toml", "--json")[1].splitlines()]
    assert [game["components"]["built_in"] for game in many[:2]] == [False, True]


def test_a_set_of_its_own_is_named_in_the_picture(own_set: str, run: Run) -> None:
    for game in ("mine-game", "0"):
        run("board", f"{game}.toml", "--svg")
    drawn = written(f"This game uses its own component set, {own_set}.", 0, 0, 20, "").partition(">")[2]
    told = [Path(f"{game}.svg").read_text().count(drawn) for game in ("mine-game", "0")]
    assert told == [1, 0]


def test_a_set_of_its_own_is_named_in_the_guide_of_a_game_in_git(
    own_set: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    for folder, own in (("theirs", ("--components", "mine.toml")), ("ours", ())):
        assert run("git", "init", "--chance", "open", folder, "Ann:red", "Bob:blue", *own)[0] == 0

    guide = Path("theirs/PLAY.md").read_text()
    assert f"This game uses its own component set, {own_set}. `pbem components --of game.toml` prints it." in guide
    assert "component set" not in Path("ours/PLAY.md").read_text()


@pytest.mark.parametrize("form", ["toml", "json"])
def test_the_set_of_a_game_can_be_printed_and_compared(form: formats.Format, own_set: str, run: Run) -> None:
    _, mine = run("components", "--of", "mine-game.toml", "--format", form)
    _, ours = run("components", "--of", "0.toml", "--format", form)

    changed = {(a, b) for a, b in zip(mine.splitlines(), ours.splitlines(), strict=True) if a != b}
    assert len(changed) == 1
    Path(f"again.{form}").write_text(mine)
    assert own_set in json.loads(run("components", "--check", f"again.{form}", "--json")[1])["digest"]
    assert run("components", "--format", form)[1] == ours
    assert own_set in run("components", "--of", "mine-game.toml")[1].splitlines()[0]
    assert json.loads(run("components", "--of", "mine-game.toml", "--json")[1])["digest"].startswith(own_set)


@pytest.mark.parametrize(
    "words",
    [
        ["--check", "mine.toml", "--of", "0.toml"],
        ["--check", "mine.toml", "--format", "toml"],
        ["--format", "toml", "--json"],
    ],
)
def test_what_does_not_go_together(words: list[str], run: Run) -> None:
    assert run("components", *words)[0] == 2

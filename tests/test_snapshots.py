"""Nobody believes a changed snapshot: no command, no line of a batch, no function of the library.

Every command that takes a game stands in a table here, and a new one that does not is a failure.
"""

import copy
import io
import json
import shutil
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from bots import SECRET
from clubs import a_club, an_order, letters, play_to_a_mild_question, the_record, tree
from fitting import commands_of
from gits import ENVIRONMENT, GAME, a_group, git, keys_of
from people import reply

import pbem
from pbem import formats, game_files, loading, rulings
from pbem.carriers.mail.settings import MailClub
from pbem.cli import app as cli
from pbem.errors import Broken, CannotCreate, PbemError
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.chance import draws as chance
from pbem.first_sparks.options import Options
from pbem.first_sparks.record import Record
from pbem.game_setup import begin_record, create

Change = Callable[[dict[str, Any]], None]


def _a_tile_elsewhere(state: dict[str, Any]) -> None:
    state["board"][0]["cells"] = ["A1", "A2"]


CHANGES: dict[str, Change] = {
    "food": lambda state: state["clans"][0].update(food=70),
    "a card in the market": lambda state: state["market"]["cards"].__setitem__(-1, 41),
    "draws": lambda state: state.update(draws=state["draws"] + 1),
    "it is over": lambda state: state.update(phase={"name": "ended", "winners": ["red"]}),
    "round": lambda state: state.update(round=9),
    "nothing can be settled": lambda state: state.update(phase={"name": "settling-neutral", "clan": "red"}),
    "a tile at the edge": _a_tile_elsewhere,
}


def changed(text: str, change: Change) -> str:
    """Return the text of a game file with another snapshot; all else in it is as it was."""
    data = formats.parse(text, "toml", name="game")
    change(data["state"])
    return formats.dump(data, "toml", schema=game_files.GAME_SCHEMA)


@cache
def a_sealed_record() -> Record:
    """Return a game of three in its first round, the secret of which is kept."""
    players = (("red", "Ann"), ("blue", "Bob"), ("green", "Cara"))
    record = begin_record(
        "friday",
        players,
        options=Options("recommended"),
        components=loading.built_in(),
        kind="sealed",
        secret=SECRET,
    )
    draw = chance.source("friday", SECRET)
    for _ in players:
        record = rulings.judge(record, loading.Submission(("stay",), who_decides(record.state) or ""), draw).record
    return record


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder in which the program runs: a game with its secret, and the same game once more, unchanged."""
    create(tmp_path / GAME, a_sealed_record(), SECRET, "toml")
    shutil.copy(tmp_path / GAME, tmp_path / "sound.toml")
    monkeypatch.chdir(tmp_path)
    assert cli.run(["diff-engines", "stored.ndjson", GAME, "--store"]) == 0
    return tmp_path


# ---------------------------------------------------------------- commands

BY = ["--as", "Bob", "--order", "pass"]
# For every command the ways in which it takes a game; none if it takes none.
COMMANDS: dict[str, list[list[str]]] = {
    "new": [],
    "join": [[GAME, "--as", "Bob"]],
    "draw": [[GAME, "--as", "Bob"]],
    "play": [[GAME, *BY], [GAME, *BY, "-o", "next.toml"], [GAME, *BY, "--json"]],
    "check": [[GAME, *BY]],
    "show": [[GAME], [GAME, "--as", "red"]],
    "options": [[GAME]],
    "replay": [[GAME], [GAME, "--json"], [GAME, "--to", "0"], [GAME, "--html"]],
    "verify": [[GAME], ["."], [GAME, "--since", "sound.toml"], ["sound.toml", "--since", GAME]],
    "stats": [[GAME], ["."], [".", "--html"], [".", "--json"]],
    "diff-engines": [["stored.ndjson", GAME], ["stored.ndjson", "."], ["new.ndjson", GAME, "--store"]],
    "reveal": [[GAME]],
    "audit": [[GAME]],
    "board": [[GAME, "--svg"], [GAME, "--png"]],
    "convert": [[GAME, "new.json"]],
    "plan": [[GAME, "--as", "red", "pass"], [GAME, "--as", "red"]],
    "bot": [[GAME]],
    "simulate": [],
    "rules": [],
    "components": [["--of", GAME], ["--of", GAME, "--format", "toml"]],
    "schema": [],
}
WAYS = [(name, *arguments) for name, ways in COMMANDS.items() for arguments in ways]


def test_every_command_has_its_place_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["pbem"])
    rows = {"": COMMANDS, "mail": MAIL, "git": IN_GIT, "club": BY_FILES}
    commands = {family: commands_of(family) if family else {*cli.COMMANDS} for family in rows}
    todo = "for a new command, add a row here: how it is given where somebody has changed what is kept"
    for family, every in rows.items():
        assert every.keys() == commands[family], todo
    assert cli.FAMILIES.keys() == {"mail", "club", "git"}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("words", WAYS, ids=" ".join)
def test_no_command_believes_it(
    words: tuple[str, ...], change: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sound = (folder / GAME).read_text()
    (folder / GAME).write_text(changed(sound, CHANGES[change]))
    before = tree(folder)
    capsys.readouterr()

    assert cli.run(list(words)) == Broken.exit_status, capsys.readouterr()

    told = "".join(capsys.readouterr())
    assert "the snapshot does not match the log" in told
    assert tree(folder) == before


@pytest.mark.parametrize("words", WAYS, ids=" ".join)
def test_every_command_takes_the_game_as_it_was(words: tuple[str, ...], folder: Path) -> None:
    """Else the test above could not fail. No secret is published before the end."""
    assert cli.run(list(words)) == (65 if words[0] in ("reveal", "join", "draw") else 0)


@pytest.mark.parametrize("change", CHANGES)
def test_no_line_of_a_batch_believes_it(change: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By the path of a file and as an object, to check and to play, and after a line with the sound game."""
    text = (folder / GAME).read_text()
    wrong = changed(text, CHANGES[change])
    (folder / GAME).write_text(wrong)
    games: list[Any] = [GAME, *(formats.parse(each, "toml", name="") for each in (text, wrong))]
    rows = [json.dumps({"game": game, "move": "pass", "as": "Bob"}) for game in games]
    (folder / "lines.ndjson").write_text("\n".join(rows))
    before = tree(folder)
    capsys.readouterr()

    for command, good in (("check", "legal"), ("play", "played")):
        assert cli.run([command, "--batch", "lines.ndjson"]) == 65
        codes = [json.loads(line)["code"] for line in capsys.readouterr().out.splitlines()]
        assert codes == ["broken", good, "broken"]

    assert tree(folder) == before


@pytest.mark.parametrize("change", CHANGES)
def test_no_function_of_the_library_believes_it(change: str, folder: Path) -> None:
    """Nor does anything that is wrong come out of it as another error than a PbemError."""
    data = pbem.load(GAME)
    text = (folder / GAME).read_text()
    (folder / GAME).write_text(changed(text, CHANGES[change]))
    before = tree(folder)
    asks: list[Callable[[], object]] = [
        lambda: pbem.load(GAME),
        lambda: pbem.load(formats.parse((folder / GAME).read_text(), "toml", name="game")),
        lambda: pbem.decides(GAME),
        lambda: pbem.choices(GAME),
        lambda: pbem.check(GAME, "pass"),
        lambda: pbem.play(GAME, "pass"),
        lambda: pbem.summary(GAME),
        lambda: pbem.replay(GAME),
    ]

    for ask in asks:
        with pytest.raises(Broken):
            ask()
    with pytest.raises(CannotCreate):
        pbem.save(data, GAME)

    assert tree(folder) == before


def test_no_state_is_saved_that_was_not_made_by_the_log(folder: Path) -> None:
    game = pbem.load(GAME)
    rich = game._replace(state=game.state.with_clan(game.state.clans[0]._replace(food=70)))

    for target in (GAME, "new.toml"):
        with pytest.raises(Broken, match="does not match the log"):
            pbem.save(rich, target)
    assert not (folder / "new.toml").exists()


def test_an_impossible_snapshot_is_no_other_error(folder: Path) -> None:
    """Whatever stands there in the form of a snapshot: nothing is made of it."""
    sound = formats.parse((folder / GAME).read_text(), "toml", name="game")
    for place, value in (
        ("board", []),
        ("clans", sound["state"]["clans"][:2]),
        ("waiting", ["yellow"]),
        ("step", "refill"),
        ("market", {"cards": [], "places": 0, "shuffle": True, "reduced": True}),
        ("pile", {"top": [], "unseen": [], "never": 9, "shuffle": False, "under": []}),
        ("phase", {"name": "starving", "clan": "yellow", "hungry": 9}),
    ):
        data = copy.deepcopy(sound)
        data["state"][place] = value
        for ask in (pbem.load, pbem.choices, pbem.summary, lambda game: pbem.check(game, "pass")):
            with pytest.raises(PbemError):
                ask(data)


# ---------------------------------------------------------------- clubs

# For every command of the family its arguments and its exit status: a mail must come again.
MAIL: dict[str, tuple[list[str], int] | None] = {
    "init": None,
    "new": None,
    "send": None,
    "take": (["club"], 75),
    "run": (["club", "--once", "--now", "2026-11-21T13:00:00Z"], 75),
    "tick": (["club", "--now", "2026-11-21T13:00:00Z"], 76),
    "status": (["club"], 0),
    "doctor": (["club"], 1),
    "backup": None,  # it keeps what is there
    "restore": None,
    "replace": (["club", "friday", "Ann", "Zoe=zoe@example.org"], 76),
    "answer": (["club", "friday"], 76),
    "absent": (["club", "friday", "Ann"], 76),
    "back": (["club", "friday", "Ann"], 76),
    "pause": (["club", "friday"], 76),
    "resume": (["club", "friday"], 76),
    "takeback": (["club", "friday"], 76),
    "resend": (["club", "friday"], 76),
    "clock": None,  # the terms do not depend on the game, which it does not read
    "retry": None,
    "rebuild": (["club", "friday"], 76),
}


@pytest.fixture(scope="module")
def played_club(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes]:
    """Return a club in which a question can be answered mildly, and a mail that does."""
    club = a_club(tmp_path_factory.mktemp("mail") / "club")
    play_to_a_mild_question(club)
    (question,) = (mail for mail in letters(club) if mail.asks and mail.marker[0].endswith(the_mark(club)))
    return club.folder, reply(question, an_order(question))


def the_mark(club: MailClub) -> str:
    record = the_record(club)
    return f"[friday/{record.turn}/{record.head[:8]}]"


@pytest.fixture
def clubs_folder(played_club: tuple[Path, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a copy of that club; the mail is on standard input, and in the inbox."""
    folder, mail = played_club
    shutil.copytree(folder, tmp_path / "club")
    (tmp_path / "club" / "inbox" / "new" / "1").write_bytes(mail)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(mail)))
    return tmp_path


@pytest.mark.parametrize("command", [name for name, how in MAIL.items() if how])
def test_no_command_of_a_club_believes_it(
    command: str, clubs_folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    how = MAIL[command]
    assert how
    game = clubs_folder / "club" / "games" / "friday" / "game.toml"
    sound, mail = game.read_text(), sys.stdin.buffer.read()
    monkeypatch.setattr(sys, "argv", ["pbem", "mail", command])
    for change in CHANGES.values():
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(mail)))
        game.write_text(changed(sound, change))
        before = tree(clubs_folder / "club" / "games"), tree(clubs_folder / "club" / "outbox")
        capsys.readouterr()

        assert cli.run(["mail", command, *how[0]]) == how[1], capsys.readouterr()

        assert "the snapshot does not match the log" in "".join(capsys.readouterr()).replace("\n", " ")
        assert (tree(clubs_folder / "club" / "games"), tree(clubs_folder / "club" / "outbox")) == before


BY_FILES: dict[str, tuple[list[str], int] | None] = {
    name: how for name, how in MAIL.items() if name not in ("send", "take", "tick", "retry")
} | {"run": (["club", "--now", "2026-11-21T13:00:00Z"], 76)}


@pytest.mark.parametrize("command", [name for name, how in BY_FILES.items() if how])
def test_no_command_of_a_club_with_files_believes_it(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nor does it keep the answers of another game waiting."""
    how = BY_FILES[command]
    assert how
    monkeypatch.chdir(tmp_path)
    assert cli.run(["club", "init", "club", "--host", "Eve"]) == 0
    for game in ("friday", "monday"):
        assert cli.run(["club", "new", "club", game, "Ann:red", "Bob:blue", "Cy", "--board", "recommended"]) == 0
    place = tmp_path / "club" / "games" / "friday" / "game.toml"
    place.write_text(changed(place.read_text(), CHANGES["food"]))
    for number, letter in enumerate(sorted((tmp_path / "club" / "players" / "Ann" / "letters").iterdir())):
        answer = tmp_path / "club" / "players" / "Ann" / "answers" / f"{number}.txt"
        answer.write_text(f"hello\n\n{letter.read_text()}")
    before = tree(tmp_path / "club" / "games" / "friday")
    capsys.readouterr()

    assert cli.run(["club", command, *how[0]]) == how[1], capsys.readouterr()

    told = "".join(capsys.readouterr()).replace("\n", " ")
    assert "the snapshot does not match the log" in told
    assert command != "run" or "monday: " in told
    assert tree(tmp_path / "club" / "games" / "friday") == before


# ---------------------------------------------------------------- repositories

IN_GIT: dict[str, tuple[list[str], int] | None] = {
    "init": None,
    "hook": None,
    "join": (["--as", "red"], 76),
    "reveal": (["--secret", "../../secret.toml"], 76),
    "status": ([], 76),
    "pushed": None,  # it draws from what a hook has judged
    "tick": None,
    "note": (["Hello", "--as", "red"], 76),
    "takeback": (["--to", "0", "--as", "red"], 76),
    "exclude": (["blue", "--as", "red"], 76),
    "replace": (["red", "Zoe", "--as", "red"], 76),
    "change-key": (["../key.pub", "--as", "red"], 76),
    "absent": (["--as", "red"], 76),
    "back": (["--as", "red"], 76),
    "pause": (["--as", "red"], 76),
    "more-time": (["2026-12-31", "--as", "red"], 76),
    "resume": (["--as", "red"], 76),
    "help": None,
    "clock": (["3 days", "--as", "red"], 76),
    "answer": (["--as", "red"], 76),
    "agree": (["--as", "red"], 76),
    "disagree": (["--as", "red"], 76),
    "object": (["--as", "red"], 76),
    "move": (["--as", "red", "--order", "stay"], 76),
    "draw": (["--secret", "../../secret.toml"], 76),
    "check": (["HEAD~1", "HEAD"], 76),
    "log": ([], 0),  # it names what is no move, and why
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("command", [name for name, how in IN_GIT.items() if how])
def test_no_command_in_a_repository_believes_it(
    command: str,
    change: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Be it committed or staged; what is neither is never looked at."""
    how = IN_GIT[command]
    assert how
    clone = a_group(tmp_path).clone
    game = clone / GAME
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(clone)
    game.write_text(changed(game.read_text(), CHANGES[change]))
    git(clone, "add", GAME)
    if command == "check":
        assert cli.run(["git", "check", "--staged"]) == how[1]
    git(clone, "commit", "--quiet", "--all", "--message", "a move")
    before = git(clone, "rev-parse", "HEAD"), game.read_bytes()
    keys_of(tmp_path, "key")
    capsys.readouterr()

    assert cli.run(["git", command, *how[0]]) == how[1], capsys.readouterr()

    told = "".join(capsys.readouterr())
    assert (
        "is not what the log leads to" in told
        or "does not match the log" in told
        or "so the commit has no move" in told
    )
    assert (git(clone, "rev-parse", "HEAD"), game.read_bytes()) == before
    assert git(clone, "status", "--porcelain") == ""

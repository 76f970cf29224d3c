"""Everything that ``pbem git`` prints with --json fits its schema."""

import shutil
from pathlib import Path

import pytest
from fitting import Run, codes_of, commands_of, runner
from gits import ENVIRONMENT, Group, a_group, git

from pbem.cli import app as cli
from pbem.first_sparks.adjudicator import choices, who_decides
from pbem.first_sparks.state import CHANCE
from pbem.loading import load

STAY = ["--as", "red", "--order", "stay"]
NEW = ["init", "--chance", "open", "new", "Ann", "Bob"]
COMMANDS = [
    ("repository", NEW),
    ("sent", ["move", *STAY]),
    ("said", ["note", "Hello", "--as", "red"]),
    ("said", ["clock", "3 days", "--as", "red"]),
    ("said", ["takeback", "--to", "0", "--as", "red"]),
    ("said", ["exclude", "green", "--as", "red"]),
    ("said", ["replace", "red", "Zoe", "--as", "red"]),
    ("said", ["absent", "--until", "2999-12-31", "--substitute", "Dora", "--as", "red"]),
    ("said", ["pause", "--as", "red"]),
    ("nothing-to-do", ["draw"]),
    ("status", ["status", "--as", "red"]),
    ("moves", ["check", "0", "HEAD"]),
    ("told", ["log"]),
    ("hook", ["hook", "pre-commit"]),
    ("installed", ["hook", "pre-commit", "--install", "."]),
]


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Group:
    """A server with a game that has just begun, and a clone of it."""
    return a_group(tmp_path_factory.mktemp("begun"))


@pytest.fixture
def run(begun: Group, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The program, in a clone of its own with a server of its own."""
    for name in ("server.git", "clone"):
        shutil.copytree(begun.server.parent / name, tmp_path / name)
    git(tmp_path / "clone", "remote", "set-url", "origin", str(tmp_path / "server.git"))
    monkeypatch.chdir(tmp_path / "clone")
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    told = runner("git", capsys)
    return lambda *arguments, status=0: told("git", *arguments, status=status)


@pytest.mark.parametrize(("code", "arguments"), COMMANDS, ids=[" ".join(words)[:40] for _, words in COMMANDS])
def test_what_a_command_answers_fits(
    code: str, arguments: list[str], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "takeback" in arguments:
        run("move", *STAY)
    if "exclude" in arguments:  # no server takes such a proposal later than it was made
        monkeypatch.delenv("GIT_AUTHOR_DATE")
    (answer,) = run(*arguments)

    assert answer["code"] == code


def test_every_command_and_every_answer_has_its_place_here() -> None:
    elsewhere = {"reveal", "pushed", "join", "tick", "change-key", "answer", "agree", "disagree"}
    elsewhere |= {"object", "back", "resume", "help", "more-time"}
    todo = "for a new command, add a row to COMMANDS, or its name above if it has a test of its own"
    assert {words[0] for _, words in COMMANDS} | elsewhere == commands_of("git"), todo
    assert {*(code for code, _ in COMMANDS), "pushed"} == {*codes_of("git")}


@pytest.mark.slow
def test_a_game_with_draws_of_the_host_answers_in_the_same_form(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a remote, and told from its commits afterwards."""
    options = ["--board", "recommended", "--i-chose-it", "--secret", "0" * 64, "--chance", "sealed"]
    (begun,) = run("init", "--chance", "open", "sealed", "Ann", "Bob", *options)
    monkeypatch.chdir("sealed")
    while (by := who_decides(state := load(Path("game.toml")).record.state)) != CHANCE:
        run("move", "--as", str(by), "--order", str(next(iter(choices(state)))))
    (drawn,) = run("draw")

    assert (drawn["code"], drawn["remote"], drawn["game"]) == ("sent", "", begun["game"])
    assert all(" * " in line for line in drawn["log"])
    (checked,), (told,) = run("check", "HEAD~1", "HEAD"), run("log")
    assert checked["moves"] == [
        {"commit": drawn["commit"], "by": "host", "log": drawn["log"], "deleted": "", "joined": False, "spoken": []}
    ]
    assert [told["commits"][place]["commit"] for place in (0, -1)] == [drawn["commit"], begun["commit"]]


def test_what_is_staged_or_cannot_be_read_fits_too(run: Run) -> None:
    assert cli.run(["play", "game.toml", *STAY]) == 0
    git(Path(), "add", "game.toml")

    (staged,) = run("check", "--staged")

    assert [(move["commit"], move["by"]) for move in staged["moves"]] == [("", "red")]
    Path("game.toml").write_text("nothing", encoding="utf-8")
    git(Path(), "commit", "--quiet", "--all", "--message", "no game")
    assert run("log")[0]["commits"][0]["lines"] is None


@pytest.mark.parametrize(
    ("arguments", "status", "code"),
    [
        (["dance"], 2, "usage"),
        (["init", "--chance", "open", "new", "Ann"], 2, "usage"),
        (["init", "--chance", "open", ".", "Ann", "Bob", "--id", "friday"], 73, "cannot-create"),
        (["init", "--chance", "open", "new", "Ann", "Bob", "--key", "Ann=no.pub"], 66, "no-such-file"),
        (["move"], 77, "not-your-turn"),
        (["move", "--as", "red", "--order", "add D2a"], 65, "illegal"),
        (["move", "--as", "red", "--order", "dance"], 65, "not-understood"),
        (["move", "--as", "blue", "--order", "stay"], 77, "not-your-turn"),
        (["move", "--as", "red", "--order", "[friday/9/00000000] stay"], 77, "stale"),
        (["check"], 2, "usage"),
        (["check", "--annotate", "HEAD", "HEAD"], 2, "usage"),
        (["check", "nothing", "HEAD"], 66, "no-such-file"),
        (["check", "--staged"], 65, "not-allowed"),
        (["check", "--staged", "--signed"], 77, "not-signed"),
        (["log", "nothing"], 66, "no-such-file"),
        (["hook", "update"], 2, "usage"),
        (["hook", "pre-receive", "--install", ".."], 66, "no-such-file"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else None,
)
def test_every_refusal_fits(arguments: list[str], status: int, code: str, run: Run) -> None:
    (answer,) = run(*arguments, status=status)

    assert answer["code"] == code


def test_a_broken_game_and_an_unreachable_server_are_told_in_the_same_form(run: Run) -> None:
    git(Path(), "remote", "set-url", "origin", "nowhere")
    assert run("move", *STAY, status=75)[0]["code"] == "try-again"
    text = Path("game.toml").read_text(encoding="utf-8")
    Path("game.toml").write_text(text.replace("turn = 0", "turn = 1", 1), encoding="utf-8")
    git(Path(), "commit", "--quiet", "--all", "--message", "a forgery")

    assert run("check", "0", "HEAD", status=76)[0]["code"] == "broken"

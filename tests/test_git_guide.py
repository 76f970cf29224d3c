"""The guide that a game repository brings along: somebody who has nothing but the clone can do what it says."""

import re
from pathlib import Path

import pytest
from forked import a_path
from gits import Group, a_group, did, git, keys_of, needs_ssh, pbem, run

from pbem.cli.app import COMMANDS

pytestmark = pytest.mark.slow

GUIDE = "PLAY.md"


def commands_in(guide: str) -> list[str]:
    """Return all commands of pbem and git that the guide has, in its order."""
    blocks = "\n".join(re.findall(r"^```sh\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL))
    spans = [" ".join(span.split()) for span in re.findall(r"(?<!`)`([^`]+)`(?!`)", guide)]
    lines = [line.partition("   #")[0] for line in blocks.splitlines()]
    return [command for command in (*lines, *spans) if command.startswith(("pbem ", "git "))]


@pytest.fixture
def path() -> str:
    """A path on which pbem is."""
    return a_path()


@needs_ssh
@pytest.mark.parametrize("how", ["open", "signed", "sealed"])
def test_a_newcomer_can_do_what_the_guide_says(tmp_path: Path, path: str, how: str) -> None:
    keys = keys_of(tmp_path, "green", "red", "blue", "host")
    options = ["--action", "somebody/pbem@v1"]
    signing = {"open": [], "signed": ["green", "red", "blue"], "sealed": list(keys)}[how]
    options += [word for who in signing for word in ("--key", f"{who}={keys[who]}.pub")]
    group: Group = a_group(tmp_path, *options, *(["--chance", "sealed"] if how == "sealed" else []))
    newcomer = group.another_clone("newcomer")
    key = str(keys["red"]) if signing else ""
    place = {"YOU": "Christian", "offer 7": "stay", "~/.ssh/id_ed25519": key, "--key FILE": f"--key {key}"}
    # What is done already, is for the host or the end, or has a test of its own below.
    others = ("git clone", "pbem audit", "pbem git draw", "pbem git reveal", "git push", "git fetch")
    others += (
        "pbem git takeback",
        "pbem git agree",
        "pbem git object",
        "pbem git absent",
        "pbem git back",
        "pbem git change-key",
    )

    commands = commands_in((newcomer / GUIDE).read_text(encoding="utf-8"))

    assert len(commands) > 10
    # What looks at the game, and what says which key signs, comes before what is committed.
    for command in sorted(
        commands, key=lambda one: ("git note" in one or "git clock" in one) + 2 * ("git move" in one)
    ):
        if command.startswith(others) or command == "pbem git move":
            continue
        words = command
        for old, new in place.items():
            words = words.replace(old, new)
        done = run("sh", "-c", words, cwd=newcomer, PATH=path)
        assert done.returncode == 0, (words, done.stderr)
    assert git(group.server, "log", "-1", "--format=%s", "main") == "1 red stay"


def test_a_move_on_a_branch_goes_in_by_fast_forward(tmp_path: Path, path: str) -> None:
    """As the guide says of a pull request; here the server takes any branch."""
    group = a_group(tmp_path, "--action", "somebody/pbem@v1")
    (group.server / "hooks" / "pre-receive").unlink()
    newcomer = group.another_clone("newcomer")
    commands = commands_in((newcomer / GUIDE).read_text(encoding="utf-8"))
    (switch,) = (command for command in commands if "switch" in command)
    (forward,) = (command for command in commands if command.startswith("git push"))
    assert run("sh", "-c", switch, cwd=newcomer, PATH=path).returncode == 0

    did(newcomer, "git", "move", "--as", "red", "--order", "stay")

    assert group.tip == group.base
    git(group.clone, "fetch", "--quiet")
    done = run("sh", "-c", forward, cwd=group.clone, PATH=path)
    assert done.returncode == 0, done.stderr
    assert group.tip == git(newcomer, "rev-parse", "HEAD") != group.base
    did(group.server, "git", "check", group.base, "main")


def test_the_guide_says_what_holds_for_this_game_and_no_more(tmp_path: Path) -> None:
    did(tmp_path, "git", "init", "--chance", "open", "open", "Ann", "Bob")
    keys_of(tmp_path, "key")
    keys = ("--key", "Ann=key.pub", "--key", "Bob=key.pub", "--key", "host=key.pub")
    sealing = ("--chance", "sealed", "--action", "somebody/pbem/actions@v1")
    did(tmp_path, "git", "init", "--chance", "open", "sealed", "Ann", "Bob", *sealing, *keys)
    plain, sealed = ((tmp_path / name / GUIDE).read_text(encoding="utf-8") for name in ("open", "sealed"))

    assert ("On GitHub" in plain, "On GitHub" in sealed) == (False, True)
    assert ("pbem git draw" in plain, "pbem git draw" in sealed) == (False, True)
    assert 'pip install "git+https://github.com/somebody/pbem@v1"' in sealed
    assert ("user.signingkey" in plain, "user.signingkey" in sealed) == (False, True)
    assert "@" not in plain
    assert all(len(line) <= 130 for line in (plain + sealed).splitlines())
    assert {command.split()[1] for command in commands_in(sealed) if command.startswith("pbem ")} <= {*COMMANDS, "git"}
    assert "PLAY.md" in (tmp_path / "open" / "README.md").read_text(encoding="utf-8")


def test_who_has_told_git_no_name_is_told_how(tmp_path: Path) -> None:
    """It is the first thing that happens to somebody on a new machine."""
    group = a_group(tmp_path)
    nobody = {f"GIT_{who}_{what}": "" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}

    done = pbem(group.clone, "git", "move", "--as", "red", "--order", "stay", **nobody, EMAIL="", HOME=str(tmp_path))

    assert done.returncode == 2
    assert "git config --global user.name" in done.stderr
    assert git(group.clone, "status", "--porcelain") == ""

"""Plans in a game that is played through git: they stay in their owner's clone, and answer when pbem git move runs."""

import shutil
from pathlib import Path

import pytest
from gits import GAME, Group, a_group, did, forged, git, pbem

from pbem import loading
from pbem.game_files import UNCOMMITTED, plans_path

PLANS = "game.plans.toml"


@pytest.fixture
def group(tmp_path: Path) -> Group:
    """A group in which Angelika, Steffi and Christian may add a member, in this order."""
    return a_group(tmp_path)


def asked(clone: Path) -> str:
    """Return who decides in the game of a clone."""
    return did(clone, "show", GAME).split("\n")[0].rpartition("(")[2].rstrip(")")


def everything(clone: Path) -> str:
    """Return all that the commits of a clone contain, and what they say."""
    return git(clone, "log", "--all", "--patch", "--format=fuller")


def test_a_plan_stays_in_the_clone(group: Group) -> None:
    did(group.clone, "plan", GAME, "--as", "red", "41 33 else pass", "stay")

    kept = group.clone / ".git" / PLANS
    assert (kept.stat().st_mode & 0o777, (group.clone / PLANS).exists()) == (0o600, False)
    assert git(group.clone, "status", "--porcelain", "--ignored").removeprefix("!! .pbem.lock") == ""
    git(group.clone, "add", "--all")
    assert git(group.clone, "clean", "-xdf").removeprefix("Removing .pbem.lock") == ""
    assert "plan 41 33 else pass" in did(group.clone, "plan", GAME, "--as", "red")
    assert did(group.another_clone("other"), "plan", GAME, "--as", "red") == "You have no plan.\n"


@pytest.mark.slow
def test_a_plan_answers_when_its_owner_moves_without_an_order(group: Group) -> None:
    """Christian is asked first, and then Steffi, who has planned in a clone of her own."""
    blues = group.another_clone("blues")
    did(blues, "plan", GAME, "--as", "blue", "stay", "41 33 else pass")
    assert "it is not Steffi's turn; waiting for Christian (red)" in pbem(blues, "git", "move", "--as", "blue").stderr
    did(group.clone, "git", "move", "--as", "red", "--order", "stay")

    said = did(blues, "git", "move")

    assert said.split("\n")[:2] == ["2 blue stay: pushed to origin", "your plan answered: stay"]
    assert group.tip == git(blues, "rev-parse", "HEAD")
    assert did(group.another_clone("third"), "git", "check", group.base, "HEAD").endswith(
        "2 moves checked, all valid\n"
    )
    assert "As you said ahead, you stayed." in " ".join(did(blues, "plan", GAME, "--as", "blue").split())
    assert "41 33" not in everything(blues)
    assert PLANS not in everything(blues)
    assert "plan" not in git(blues, "log", "-1", "--format=%B")


def test_the_next_question_is_answered_in_the_same_commit(tmp_path: Path) -> None:
    """The second of two players settles the neutral clan, and then its own first member."""
    did(
        tmp_path,
        "git",
        "init",
        "--chance",
        "open",
        "two",
        "Ann:red",
        "Bob:blue",
        "--board",
        "random",
        "--i-chose-it",
        "--secret",
        "0" * 64,
    )
    clone = tmp_path / "two"
    second = asked(clone)
    orders = did(clone, "options", GAME).split()
    spaces = [word.rstrip(",.") for word in orders if len(word.rstrip(",.")) == 3 and word[1:2] in "12"]
    did(clone, "plan", GAME, "--as", second, f"settle {' '.join(dict.fromkeys(spaces))}")
    before = git(clone, "rev-parse", "HEAD")

    said = did(clone, "git", "move", "--as", second, "--order", f"settle neutral {spaces[0]}")

    assert "your plan answered: settle " in said
    assert "and 1 more" in git(clone, "log", "-1", "--format=%s")
    assert did(clone, "git", "check", before, "HEAD").endswith("1 move checked, and it is valid\n")
    assert asked(clone) != second


def test_a_question_that_no_plan_answers_is_told(group: Group) -> None:
    first = asked(group.clone)
    head = git(group.clone, "rev-parse", "HEAD")
    for lines in ((), ("41",)):
        if lines:
            did(group.clone, "plan", GAME, "--as", first, *lines)
        done = pbem(group.clone, "git", "move")
        assert (done.returncode, done.stdout) == (pbem(group.clone, "git", "move").returncode, "")
        assert "no plan in this clone answers for " in done.stderr
        assert "Traceback" not in done.stderr
    assert git(group.clone, "rev-parse", "HEAD") == head


def test_a_plan_that_cannot_be_read_hinders_no_move(group: Group) -> None:
    (group.clone / ".git" / PLANS).write_text("[[[")
    first = asked(group.clone)

    assert "your plan" not in did(group.clone, "git", "move", "--as", first, "--order", "stay")


def test_an_answer_that_was_not_pushed_does_not_count(group: Group) -> None:
    """Somebody was faster: the answer is undone, and the plan has done nothing."""
    first = asked(group.clone)
    other = group.another_clone("other")
    did(group.clone, "plan", GAME, "--as", first, "stay", "10 else pass")
    hook = group.clone / ".git" / "hooks" / "pre-push"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\nrm '{hook}'; exit 1\n")
    hook.chmod(0o755)
    did(other, "git", "move", "--as", first, "--order", "stay")

    assert pbem(group.clone, "git", "move").returncode != 0
    told = " ".join(did(group.clone, "plan", GAME, "--as", first).split())
    assert "As you said ahead" not in told


@pytest.mark.parametrize("name", [PLANS, "other.PLANS.toml"])
def test_a_commit_with_a_plan_is_refused_in_words(group: Group, name: str) -> None:
    bad = forged(group.clone, {name: b"plan 7"}, message="my move")
    done = pbem(group.clone, "git", "check", group.base, bad)

    assert done.returncode != 0
    assert f"{name} has the plans of players and must not be committed" in done.stderr
    assert "git rm --cached" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("form", ["toml", "json"])
def test_whatever_only_its_owner_may_read_beside_a_game_is_never_committed(form: str, tmp_path: Path) -> None:
    """The secret and the plans of a game, in the folder of a game that is no clone, as they are really written."""
    game = tmp_path / "lone" / f"game.{form}"
    game.parent.mkdir()
    did(game.parent, "new", game.name, "Ann", "Bob", "--chance", "sealed", "--board", "recommended")
    did(game.parent, "plan", game.name, "--as", loading.load(game).record.players[0][0], "41")
    private = {path.name for path in game.parent.iterdir() if path.stat().st_mode & 0o777 == 0o600}
    did(tmp_path, "git", "init", "--chance", "open", "friday", "Ann", "Bob", "--game", game.name)
    clone = tmp_path / "friday"
    base = git(clone, "rev-parse", "HEAD")

    assert len(private) == len(UNCOMMITTED)
    assert git(clone, "check-ignore", "--no-index", *sorted(private)).split() == sorted(private)
    for name in (*private, *(f"game{end}".upper() for end in UNCOMMITTED)):
        bad = forged(clone, {name: b"plan 7"}, message="my move")
        told = pbem(clone, "git", "check", base, bad, "--game", game.name).stderr
        assert f"{name} " in told
        assert "must not be committed" in told
        assert pbem(tmp_path, "git", "init", "--chance", "open", "other", "Ann", "Bob", "--game", name).returncode == 2


def test_a_linked_work_tree_has_its_own(group: Group) -> None:
    git(group.clone, "worktree", "add", "--quiet", "--detach", "../linked")
    linked = group.clone.parent / "linked"
    did(linked, "plan", GAME, "--as", "red", "41")

    assert (group.clone / ".git" / "worktrees" / "linked" / PLANS).exists()
    assert git(linked, "status", "--porcelain", "--ignored").removeprefix("!! .pbem.lock") == ""
    assert did(group.clone, "plan", GAME, "--as", "red") == "You have no plan.\n"


def test_outside_of_a_clone_it_lies_beside_the_game(tmp_path: Path) -> None:
    game = tmp_path / GAME
    assert plans_path(game) == tmp_path / PLANS
    (tmp_path / ".git").mkdir()
    assert plans_path(game) == tmp_path / PLANS
    shutil.rmtree(tmp_path / ".git")
    for text in ("gitdir: nowhere", "\xff", ""):
        (tmp_path / ".git").write_text(text, encoding="latin-1")
        assert plans_path(game) == tmp_path / PLANS


def test_on_the_own_turn_a_plan_says_how_to_move_through_git(group: Group) -> None:
    did(group.clone, "plan", GAME, "--as", "red", "stay")

    said = did(group.clone, "plan", GAME, "--as", "red").splitlines()

    assert "- It is your turn, and nothing was played. Your plan would answer" in said
    assert said[-1] == "- To play that now: pbem git move --as red"
    assert not any("pbem play" in line for line in said)
    assert did(group.clone, *said[-1].split()[-4:]).startswith("1 red stay: pushed to origin")

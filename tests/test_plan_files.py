"""Plans beside a game file: who may read them, what they do after a move, and that nobody else sees any of it."""

import json
import os
import shlex
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from forked import run_program
from friday import SEATS, a_new_game, begun
from strokes import WRITING, calls_of, files_in, in_program, put_back, struck
from work import Some

import pbem
from pbem import loading, rulings  # noqa: F401 -- what is imported is not read in a child
from pbem.cli import plan as cli_plan  # noqa: F401
from pbem.cli import turn  # noqa: F401
from pbem.errors import NotUnderstood
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.moves import Decline
from pbem.first_sparks.proof import verify

PLANS = "friday.plans.toml"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a game in which Cara is asked in the placement round."""
    return begun(tmp_path / "games").parent


@pytest.fixture
def umask() -> Iterator[None]:
    """A umask that takes nothing away."""
    before = os.umask(0)
    yield
    os.umask(before)


def program(folder: Path, *words: str) -> tuple[int, str, str]:
    """Run the program in a folder, and return how it ended and what it said."""
    done = run_program(*words, cwd=folder)
    return done.returncode, done.stdout, done.stderr


def planned(folder: Path, player: str, *lines: str) -> str:
    """Return what is said about a plan, each sentence in a line of its own."""
    status, out, err = program(folder, "plan", "friday.toml", "--as", player, *lines)
    assert (status, err) == (0, ""), err
    assert all(len(line) <= 72 for line in out.splitlines())
    return out.replace("\n  ", " ").replace("\n- ", "\n").removeprefix("- ")


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


# Keeping


def test_only_its_owner_may_read_a_plan(folder: Path, umask: None) -> None:
    planned(folder, "red", "10 8 else pass")
    assert mode_of(folder / PLANS) == 0o600
    (folder / PLANS).chmod(0o644)
    planned(folder, "blue", "stay")
    assert mode_of(folder / PLANS) == 0o600


def test_a_plan_is_shown_to_its_player_alone_and_forgotten(folder: Path) -> None:
    planned(folder, "red", "10 8 else pass", "always drop least")
    planned(folder, "Bob", "Plan: 7, 9.")
    shown = planned(folder, "Ann")
    assert shown.startswith("plan 10 8 else pass\nalways drop least\nYou decline #7 basket.\n")
    assert "plan 7 9" not in shown
    assert planned(folder, "green") == "You have no plan.\n"
    assert "\0" not in shown

    assert planned(folder, "red", "--forget") == "You have no plan.\n"
    assert planned(folder, "blue").startswith("plan 7 9\n")
    assert planned(folder, "blue", "forget") == "You have no plan.\n"
    assert not (folder / PLANS).exists()


def test_no_plan_leaves_as_data(folder: Path) -> None:
    for words in (("10 8", "always decline 7"), (), ("--forget",)):
        status, out, _ = program(folder, "plan", "friday.toml", "--as", "red", *words, "--json")
        assert (status, json.loads(out)["code"]) == (0, "planned")
        assert not {"10", "8", "7"} & set(json.loads(out)["message"].split())


def test_a_new_plan_replaces_the_old_one_but_not_what_holds_always(folder: Path) -> None:
    planned(folder, "red", "10 8", "always drop least")
    assert planned(folder, "red", "7").startswith("plan 7\nalways drop least\n")
    assert planned(folder, "red", "always decline 8").startswith("plan 7\nalways decline 8\n")


def test_a_bad_plan_is_refused_whole_and_the_old_one_stays(folder: Path) -> None:
    planned(folder, "red", "10 8")
    before = files_in(folder)

    status, out, err = program(folder, "plan", "friday.toml", "--as", "red", "14", "drop 9", "buy 7 if Zoe wants it")

    assert (status, out) == (65, "")
    assert err.count("\n- in ") == 2
    assert "hint: for example (plan 14 19 else pass)" in err
    assert files_in(folder) == before


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("plan", "friday.toml", "14"), 65),
        (("plan", "friday.toml", "--as", "Zoe", "14"), 65),
        (("plan", "nothing.toml", "--as", "red", "14"), 66),
        (("plan", "friday.toml", "--as", "red", "14", "--forget"), 2),
    ],
)
def test_what_no_plan_can_be_kept_for(folder: Path, words: tuple[str, ...], status: int) -> None:
    assert program(folder, *words)[0] == status
    assert not (folder / PLANS).exists()


GOOD = 'format = "first-sparks-plans/1"\ngame = "friday"\n'


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plans = 1",
        f"{GOOD}players = 3",
        GOOD.replace("/1", "/2"),
        f'{GOOD}[[players]]\ncolour = "red"\nplan = ["plan 7"]\n',
        GOOD.replace("friday", "monday"),
        "\x00",
        "[[[[",
    ],
)
def test_a_damaged_file_of_plans_is_told_to_who_plans_and_hinders_nobody_else(folder: Path, text: str) -> None:
    (folder / PLANS).write_text(text, encoding="utf-8")

    status, out, err = program(folder, "plan", "friday.toml", "--as", "red")
    assert status in (65, 76)
    assert (out, "friday.plans.toml" in err) == ("", True)
    assert program(folder, "play", "friday.toml", "--as", "green", "--order", "stay")[0] == 0


def test_a_file_of_plans_is_no_game(folder: Path) -> None:
    planned(folder, "red", "10 8")
    status, _, err = program(folder, "show", PLANS)
    assert (status, "is a file of plans, not a game file" in err) == (65, True)
    assert program(folder, "verify", ".")[1].split("\n")[1].split() == ["3", "1", "0", "6", "0"]


# Answering


def by_hand(folder: Path, orders: list[tuple[str, str]]) -> str:
    """Play orders one by one; return what was said after the last."""
    said = ""
    for player, order in orders:
        status, said, err = program(folder, "play", "friday.toml", "--as", player, "--order", order)
        assert (status, err) == (0, "")
    return said


@pytest.mark.slow
def test_plans_answer_after_a_move_as_their_owners_would_have(folder: Path) -> None:
    """Files, log and the text for the next player are those of the same orders sent by hand."""
    other = folder.parent / "by-hand"
    shutil.copytree(folder, other)
    planned(folder, "blue", "stay", "pass")
    planned(folder, "red", "stay", "10 else ask")

    status, said, err = program(folder, "play", "friday.toml", "--as", "green", "--order", "stay")
    assert (status, err) == (0, "")
    assert said == by_hand(other, [("green", "stay"), ("blue", "stay"), ("red", "stay")])
    status, said, err = program(folder, "play", "friday.toml", "--as", "green", "--order", "offer 10")
    assert (status, err) == (0, "")
    assert said == by_hand(other, [("green", "offer 10"), ("blue", "decline"), ("red", "buy")])
    mine, theirs = files_in(folder), files_in(other)
    mine.pop(PLANS)
    assert mine == theirs

    assert planned(folder, "red").endswith(
        "As you said ahead, you stayed and bought #10 bow for 4.\nThe plan is done.\n"
    )
    assert planned(folder, "blue").endswith("As you said ahead, you stayed and declined #10 bow.\n")
    assert mode_of(folder / PLANS) == 0o600


@pytest.mark.slow
def test_nobody_else_sees_that_there_is_a_plan(folder: Path) -> None:
    """Whatever else is asked of the program says the same, with plans, without them, and with a damaged file."""
    by_hand(folder, [("green", "stay"), ("blue", "stay"), ("red", "stay")])
    plain = answers_of(folder)
    planned(folder, "blue", "7 8", "always drop least")
    planned(folder, "red", "10 8 else pass", "drop least")
    for change in (lambda: None, lambda: (folder / PLANS).write_text("rubbish", encoding="utf-8")):
        change()
        assert answers_of(folder) == plain


def answers_of(folder: Path) -> list[tuple[int, str, str]]:
    """Return everything that the program says about a game without changing it."""
    game = ("friday.toml",)
    commands = [
        ("show", *game, "--as", "blue"),
        ("show", *game, "--json"),
        ("options", *game),
        ("options", *game, "--json", "--as", "green"),
        ("check", *game, "--as", "green", "--order", "offer 10"),
        ("check", *game, "--as", "green", "--order", "offer 10", "--json"),
        ("check", *game, "--as", "green", "--order", "offer 41"),
        ("play", *game, "--as", "green", "--order", "offer 41"),
        ("play", *game, "--as", "blue", "--order", "buy", "--json"),
        ("replay", *game),
        ("replay", *game, "--json"),
        ("verify", *game),
        ("verify", "."),
        ("audit", *game),
        ("stats", "."),
    ]
    return [program(folder, *words) for words in commands]


def test_a_plan_answers_nothing_while_others_agree_to_end(folder: Path) -> None:
    planned(folder, "blue", "stay")
    planned(folder, "green", "stay")
    program(folder, "play", "friday.toml", "--as", "red", "--order", "agree end")
    game = pbem.load(folder / "friday.toml")
    assert (game.state.agreed, pbem.decides(game)) == (("red",), "green")


def test_what_was_taken_back_is_over(folder: Path) -> None:
    shutil.copy(folder / "friday.toml", folder.parent / "old.toml")
    by_hand(folder, [("green", "stay")])
    planned(folder, "red", "stay", "10")
    by_hand(folder, [("blue", "stay")])
    assert "As you said ahead, you stayed." in planned(folder, "red")
    shutil.copy(folder.parent / "old.toml", folder / "friday.toml")
    by_hand(folder, [("green", "add B2c"), ("blue", "stay")])
    assert pbem.decides(folder / "friday.toml") == "red"
    assert planned(folder, "red") == "The plan is over, because the game was taken back.\n"


def test_a_copy_of_the_game_is_played_with_the_plans_and_leaves_them(folder: Path) -> None:
    planned(folder, "blue", "stay")
    before = files_in(folder)

    assert program(folder, "play", "friday.toml", "--as", "green", "--order", "stay", "-o", "next.toml")[0] == 0

    assert pbem.load(folder / "next.toml").log[-1] == "2 blue stay"
    after = files_in(folder)
    after.pop("next.toml")
    assert after == before


def test_whose_turn_it_is_learns_what_the_plan_would_answer_and_how_to_play_it(folder: Path) -> None:
    said = planned(folder, "green", "add B2c")

    assert 'It is your turn, and nothing was played. Your plan would answer "add B2c".\n' in said
    assert pbem.load(folder / "friday.toml").turn == 0
    command = said.splitlines()[-1].removeprefix("To play that now: ")
    assert command == "pbem play friday.toml --as green --order 'add B2c'"
    assert program(folder, *shlex.split(command)[1:])[0] == 0
    assert "1 green add B2c" in pbem.load(folder / "friday.toml").log


def test_a_plan_is_not_told_in_a_batch_either(folder: Path) -> None:
    planned(folder, "blue", "stay")
    line = json.dumps({"game": "friday.toml", "move": "stay", "as": "green"})
    (folder / "moves").write_text(line + "\n", encoding="utf-8")
    status, out, _ = program(folder, "play", "--batch", "moves")
    assert (status, "plan" in out) == (0, False)
    assert pbem.load(folder / "friday.toml").log[-1] == "2 blue stay"


def test_an_answer_that_cannot_be_drawn_for_is_left_to_its_owner(folder: Path) -> None:
    """A move that needs no draw is played without the secret, whether or not somebody has planned to buy."""
    by_hand(folder, [("green", "stay"), ("blue", "stay"), ("red", "stay"), ("green", "offer 10")])
    planned(folder, "red", "10")
    (folder / "friday.secret.toml").unlink()

    status, said, err = program(folder, "play", "friday.toml", "--as", "blue", "--order", "decline")

    assert (status, err) == (0, "")
    assert "You are asked to buy or decline #10 bow." in said
    assert pbem.decides(folder / "friday.toml") == "red"


def test_a_move_without_plans_imports_nothing_of_them(folder: Path) -> None:
    loaded = (
        "import sys; from pbem.cli.app import run; run(sys.argv[1:]);"
        "print([name for name in sys.modules if 'plan' in name], file=sys.stderr)"
    )
    for words in (("check", "friday.toml"), ("play", "friday.toml")):
        command = [sys.executable, "-c", loaded, *words, "--as", "green", "--order", "stay"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
        assert done.stderr == "[]\n"


# The library


def test_the_library_plans_too(folder: Path) -> None:
    game = pbem.load(folder / "friday.toml")
    stay, market = pbem.plan(game, "stay", "blue"), pbem.plan(game, "plan 10\nplan stay", "Ann")
    assert isinstance(stay, pbem.Plan)
    assert pbem.planned(game, stay) is None
    for player in ("green", "blue", "red"):
        game = pbem.check(game, "stay", player)
    assert pbem.decides(game) == "green"
    offered = pbem.check(game, "offer 8", "green")
    assert pbem.planned(pbem.check(offered, "decline", "blue"), market) == Decline()

    fresh = a_new_game()
    plans = [pbem.plan(fresh, "stay", "blue"), pbem.plan(fresh, "stay", "red")]
    after = pbem.play(fresh, "stay", "green", plans=plans)
    assert (after.turn, verify(after)) == (3, len(after.log))
    with pytest.raises(NotUnderstood):
        pbem.plan(game, "always drop least", "red")
    with pytest.raises(NotUnderstood):
        pbem.plan(game, "bananas", "red")
    with pytest.raises(TypeError):
        pbem.play(folder / "friday.toml", "stay", "green", plans=plans)
    pbem.play(folder / "friday.toml", "stay", "green")
    assert who_decides(pbem.load(folder / "friday.toml").state) == "blue"


# Killed


@pytest.mark.needs("strace")
def test_killed_at_any_system_call_a_plan_is_the_old_one_or_the_new_one(
    folder: Path, tmp_path: Path, some: Some
) -> None:
    planned(folder, "red", "10 8")
    work, before = in_program(folder, "plan", "friday.toml", "--as", "red", "7 9"), files_in(folder)
    calls = [call for call in calls_of(work, tmp_path / "log") if call.name in {*WRITING, "flock"}]
    after, seen = files_in(folder), set()
    assert after[PLANS] != before[PLANS]
    for call in some(calls, 5):
        put_back(folder, before)
        struck(work, call, "signal=KILL")
        left = files_in(folder)
        seen.add(left[PLANS])
        assert mode_of(folder / PLANS) == 0o600
        assert {name for name in left if not name.endswith(".tmp")} == before.keys(), call
        assert all(mode_of(folder / name) & 0o077 == 0 for name in left if name.endswith(".tmp")), call
    assert seen == {before[PLANS], after[PLANS]}


@pytest.mark.slow
@pytest.mark.needs("strace")
def test_killed_at_any_system_call_a_move_and_its_answers_are_played_wholly_or_not(
    folder: Path, tmp_path: Path, some: Some
) -> None:
    planned(folder, "blue", "stay", "pass")
    planned(folder, "red", "stay", "10 else pass")
    words = ("play", "friday.toml", "--as", "green", "--order", "stay")
    work, before = in_program(folder, *words), files_in(folder)
    calls = [call for call in calls_of(work, tmp_path / "log") if call.name in {*WRITING, "flock"}]
    after, seen = files_in(folder), set()
    assert pbem.load(folder / "friday.toml").turn == 3
    for call in some(calls, 5):
        put_back(folder, before)
        struck(work, call, "signal=KILL")
        left = files_in(folder)
        seen.add(left["friday.toml"])
        assert mode_of(folder / PLANS) == 0o600
        if left["friday.toml"] == before["friday.toml"]:
            # Whether or not the answers were noted: they are told only when they are in the game.
            assert "By your" not in planned(folder, "red"), call
            assert run_in(folder, *words) == 0
        assert files_in(folder)["friday.toml"] == after["friday.toml"]
        assert "As you said ahead, you stayed." in planned(folder, "red"), call
    assert seen == {before["friday.toml"], after["friday.toml"]}


def run_in(folder: Path, *words: str) -> int:
    return program(folder, *words)[0]


@pytest.mark.parametrize("name", ["write", "fsync", "rename"])
@pytest.mark.needs("strace")
def test_when_the_disk_is_full_nothing_is_half_written(folder: Path, tmp_path: Path, name: str) -> None:
    planned(folder, "red", "10 8")
    work, before = in_program(folder, "plan", "friday.toml", "--as", "red", "7 9"), files_in(folder)
    calls = [call for call in calls_of(work, tmp_path / "log") if call.name == name]
    after = files_in(folder)
    for call in calls:
        put_back(folder, before)
        struck(work, call, "error=ENOSPC")
        assert files_in(folder) in (before, after), call


def test_plans_that_cannot_be_read_are_kept_while_bots_play_on(folder: Path) -> None:
    program(folder, "new", "monday.toml", "Ann", "bot", "bot", "--board", "recommended", "--i-chose-it", *SEATS[-2:])
    damaged = folder / "monday.plans.toml"
    damaged.write_text("format = 7\n", encoding="utf-8")

    status, out, _ = program(folder, "play", "monday.toml", "--bots")

    assert (status, pbem.load(folder / "monday.toml").turn > 0) == (0, True), out
    assert damaged.read_text(encoding="utf-8") == "format = 7\n"


# Proposing


def test_a_bot_proposes_a_plan_and_keeps_nothing(folder: Path) -> None:
    before = files_in(folder)
    shown = planned(folder, "red", "suggest")
    lines = [line for line in shown.split("\n") if line.startswith("plan ")]

    assert lines
    assert "Nothing of it is kept. To keep it:" in shown
    assert files_in(folder) == before
    shown = program(folder, "plan", "friday.toml", "--as", "red", "suggest")[1]
    command = shlex.split(shown.rpartition("To keep it:")[2].replace("\\\n", " "))
    assert command[:5] == ["pbem", "plan", "friday.toml", "--as", "red"]
    assert planned(folder, "red", *command[5:]).startswith("\n".join(lines))


def test_a_proposal_does_not_leave_as_data(folder: Path) -> None:
    status, out, _ = program(folder, "plan", "friday.toml", "--as", "red", "suggest", "--json")

    assert (status, json.loads(out)["message"]) == (0, "nothing was changed")
    assert "plan " not in out

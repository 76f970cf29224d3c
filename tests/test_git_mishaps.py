"""When a run was cut off, another git is at work, or the player's git has settings of its own: nothing is lost."""

import re
import shlex
from pathlib import Path

import pytest
from gits import (
    BLUE,
    ENVIRONMENT,
    GAME,
    RED,
    Group,
    a_group,
    before_a_push,
    did,
    forged,
    game_at,
    git,
    pbem,
    run,
    text_after,
    without_a_hook,
)

from pbem.carriers.git import history
from pbem.carriers.git.judges import Judge
from pbem.carriers.git.repository import Objects
from pbem.cli import app as cli
from pbem.errors import CannotCreate


@pytest.fixture
def group(tmp_path: Path) -> Group:
    return a_group(tmp_path)


def obeyed(clone: Path, command: str) -> None:
    """Run the command that a hint says."""
    done = run(*shlex.split(command), cwd=clone)
    assert done.returncode == 0, (command, done.stderr)


def a_waiting_move(group: Group) -> str:
    """Commit a move of red's as a run does that is cut off before the push."""
    text = text_after(game_at(group.clone), "red", "stay").encode()
    made = forged(group.clone, {GAME: text}, message="1 red stay")
    git(group.clone, "reset", "--quiet", "--hard", made)
    return made


# Locks


@pytest.mark.parametrize("lock", ["index.lock", "HEAD.lock", "refs/heads/main.lock"])
def test_a_move_waits_while_another_git_is_at_work(group: Group, lock: str) -> None:
    (group.clone / ".git" / lock).touch()

    done = pbem(group.clone, *RED)

    assert done.returncode == 75
    assert "another git process is running in this clone" in done.stderr
    assert git(group.clone, "status", "--porcelain") == ""
    obeyed(group.clone, done.stderr.partition("left a lock: ")[2])
    did(group.clone, *RED)


def test_a_lock_that_comes_in_between_leaves_the_files_as_they_were(group: Group, tmp_path: Path) -> None:
    """It is there when we commit the move, and still when it fails."""
    lock = group.clone / ".git" / "index.lock"
    before = {name: (group.clone / name).read_bytes() for name in (GAME, "README.md")}
    path = before_a_push(tmp_path, f'touch "{lock}"')
    wrapper = tmp_path / "bin" / "git"
    wrapper.write_text(wrapper.read_text(encoding="utf-8").replace('" push "', '" commit "'), encoding="utf-8")

    done = pbem(group.clone, *RED, PATH=path)

    assert lock.exists()
    assert done.returncode == 74, done.stderr
    assert {name: (group.clone / name).read_bytes() for name in before} == before
    lock.unlink()
    assert git(group.clone, "status", "--porcelain") == ""
    did(group.clone, *RED)


# Disks that are full

FULL = {
    "init": "fatal: cannot copy 'a' to 'b': No space left on device",
    "add": "error: unable to write loose object file: Disk quota exceeded",
    "commit": "fatal: sha1 file '.git/index.lock' write error. Out of diskspace",
    "config": "error: could not lock config file config: No space left on device",
}


def git_that_fails(folder: Path, command: str, complaint: str) -> str:
    """Return a path on which a command of git fails, and says why."""
    path = before_a_push(folder, f'echo "{complaint}" >&2; exit 9')
    wrapper = folder / "bin" / "git"
    wrapper.write_text(wrapper.read_text(encoding="utf-8").replace('" push "', f'" {command} "'), encoding="utf-8")
    return path


@pytest.mark.parametrize("command", ["init", "add", "commit"])
def test_on_a_full_disk_no_repository_is_begun(tmp_path: Path, command: str) -> None:
    path = git_that_fails(tmp_path, command, FULL[command])

    done = pbem(tmp_path, "git", "init", "--chance", "open", "below/friday", "Ann", "Bob", PATH=path)

    assert done.returncode == 75, done.stderr
    assert "failed because the disk is full" in done.stderr
    assert list((tmp_path / "below").iterdir()) == []
    did(tmp_path, "git", "init", "--chance", "open", "below/friday", "Ann", "Bob")


def test_on_a_full_disk_no_move_is_made(group: Group, tmp_path: Path) -> None:
    path = git_that_fails(tmp_path, "commit", FULL["commit"])

    done = pbem(group.clone, *RED, PATH=path)

    assert done.returncode == 75, done.stderr
    assert git(group.clone, "status", "--porcelain") == ""
    did(group.clone, *RED)


def test_on_a_full_disk_a_server_is_not_set_up(group: Group, tmp_path: Path) -> None:
    without_a_hook(group)
    path = git_that_fails(tmp_path, "receive.denyDeletes", FULL["config"])

    done = pbem(group.server, "git", "hook", "pre-receive", "--install", ".", PATH=path)

    assert done.returncode == 75, done.stderr
    assert "failed because the disk is full" in done.stderr
    did(group.server, "git", "hook", "pre-receive", "--install", ".")


def test_a_server_whose_disk_is_full_has_not_refused_the_move(group: Group, tmp_path: Path) -> None:
    (group.server / "hooks" / "pre-receive").write_text("#!/bin/sh\necho 'No space left on device' >&2; exit 1\n")
    (group.server / "hooks" / "pre-receive").chmod(0o755)

    done = pbem(group.clone, *RED)

    assert done.returncode == 75, done.stderr
    assert "origin cannot accept '1 red stay' because its disk is full" in done.stderr
    assert "hint: your move was undone; play again when there is room" in done.stderr
    assert git(group.clone, "log", "--format=%s").count("\n") == 0


# What was cut off


@pytest.mark.parametrize("below", [False, True])
def test_all_files_that_were_written_and_not_committed_are_named_with_the_way_back(group: Group, below: bool) -> None:
    folder = group.clone / "below it" if below else group.clone
    folder.mkdir(exist_ok=True)
    for name in (GAME, "README.md"):
        (group.clone / name).write_text("half", encoding="utf-8")
    git(group.clone, "add", "README.md")

    done = pbem(folder, *RED)

    assert done.returncode == 73
    assert "README.md and game.toml differ from the last commit, and are not overwritten" in done.stderr
    obeyed(folder, done.stderr.partition("hint: ")[2].partition(" discards the changes")[0])
    did(folder, *RED)


def test_a_file_that_was_never_committed_is_not_restored(group: Group) -> None:
    git(group.clone, "rm", "--quiet", "--cached", "README.md")
    git(group.clone, "commit", "--quiet", "--message", "no page")

    done = pbem(group.clone, *RED)

    assert done.returncode == 73
    assert "hint: move away what was never committed" in done.stderr


def test_a_move_that_waits_is_sent_before_the_next(group: Group) -> None:
    made = a_waiting_move(group)

    again = pbem(group.clone, *RED)

    assert again.returncode == 77
    sent, refusal, *_ = again.stderr.splitlines()
    assert sent == "your earlier 1 red stay was pushed"
    assert "it is not Christian's turn" in refusal
    assert group.tip == made
    done = pbem(group.clone, *BLUE)
    assert done.stdout.startswith("2 blue stay: pushed to origin\n\n")


def test_a_move_that_waited_is_told_with_the_next(group: Group) -> None:
    a_waiting_move(group)

    lines = did(group.clone, *BLUE).splitlines()

    assert lines[:2] == ["2 blue stay: pushed to origin", "your earlier 1 red stay was pushed"]
    assert git(group.server, "rev-list", "--count", "main") == "3"


def test_a_move_that_waits_goes_on_waiting_while_the_line_is_down(group: Group) -> None:
    made = a_waiting_move(group)
    git(group.clone, "config", "remote.origin.pushurl", "/no/such/server.git")

    done = pbem(group.clone, *BLUE)

    assert done.returncode == 75
    assert "'1 red stay' is committed here" in done.stderr
    assert git(group.clone, "rev-parse", "HEAD") == made


def test_a_commit_that_is_no_move_is_not_sent_and_the_way_out_is_told(group: Group) -> None:
    text = (group.clone / GAME).read_text(encoding="utf-8").replace("food = 7", "food = 70", 1)
    (group.clone / GAME).write_text(text, encoding="utf-8")
    git(group.clone, "commit", "--quiet", "--all", "--message", "cheat")
    cheat = git(group.clone, "rev-parse", "HEAD")

    done = pbem(group.clone, *RED)

    assert done.returncode == 76
    assert f"hint: commit {cheat[:10]} by Ann is not a legal move: state.clans does not match the log" in done.stderr
    assert group.tip == group.base
    obeyed(group.clone, done.stderr.partition("was not pushed, and ")[2].partition(" drops it")[0])
    did(group.clone, *RED)


# Settings of the player's


def test_settings_of_the_player_do_not_break_a_move(group: Group) -> None:
    """Tags that follow would be refused by the server, and commits are not signed here."""
    other = group.another_clone("other")
    did(other, *RED)
    for key in ("push.followTags", "merge.verifySignatures"):
        git(group.clone, "config", key, "true")
    git(group.clone, "config", "push.gpgSign", "if-asked")
    git(group.clone, "tag", "--annotate", "mine", "--message", "mine")

    did(group.clone, *BLUE)

    assert game_at(group.server, "main").record.turn == 2
    assert git(group.server, "tag") == ""


def test_the_hint_of_the_server_is_told(group: Group) -> None:
    hook = group.server / "hooks" / "pre-receive"
    hook.write_text(
        "#!/bin/sh\nprintf 'not-allowed: no\\nhint: come again on Monday\\n' >&2\nexit 1\n", encoding="utf-8"
    )

    done = pbem(group.clone, *RED)

    assert re.search("hint: your move was undone; origin says: come again on Monday$", done.stderr.strip())


# Clones that do not have everything, and long histories


def a_partial_clone(group: Group) -> Path:
    git(group.server, "config", "uploadpack.allowFilter", "true")
    git(group.server.parent, "clone", "--quiet", "--filter=blob:none", f"file://{group.server}", "partial")
    return group.server.parent / "partial"


def test_a_partial_clone_is_told_how_to_get_the_rest(group: Group) -> None:
    did(group.clone, *RED)
    partial = a_partial_clone(group)

    for command in (("log",), ("check", group.base, "HEAD")):
        done = pbem(partial, "git", *command)

        assert done.returncode == 66
        assert "is not in this clone" in done.stderr
        assert done.stdout == ""
    obeyed(partial, done.stderr.partition("fetch the rest: ")[2])
    assert len(did(partial, "git", "log").splitlines()) == 2
    did(partial, "git", "check", group.base, "HEAD")


def test_in_a_partial_clone_too_what_comes_in_is_judged(group: Group) -> None:
    without_a_hook(group)
    partial = a_partial_clone(group)
    did(group.clone, *RED)
    did(group.clone, *BLUE)

    assert pbem(partial, "git", "move", "--as", "green", "--order", "stay").stderr == ""

    git(group.clone, "pull", "--quiet")
    commit = forged(group.clone, {"x": b"x"})
    git(group.clone, "push", "--quiet", "origin", f"{commit}:main")
    done = pbem(partial, "git", "move", "--as", "red", "--order", "agree end")
    assert done.stderr.startswith(f"warning: commit {commit[:10]} by Ann is not a legal move: x was added"), done.stderr


@pytest.mark.parametrize("oldest", ["a move", "no game"])
def test_of_a_very_long_history_the_newest_commits_are_told(
    group: Group, monkeypatch: pytest.MonkeyPatch, oldest: str
) -> None:
    if oldest == "no game":
        broken = forged(group.clone, {GAME: b"broken"})
        mended = forged(
            group.clone, {GAME: text_after(game_at(group.clone), "red", "stay").encode()}, parents=(broken,)
        )
        git(group.clone, "reset", "--quiet", "--hard", mended)
        git(group.server, "fetch", "--quiet", str(group.clone), "main:main")
    else:
        did(group.clone, *RED)
        broken = git(group.clone, "rev-parse", "HEAD")
        did(group.clone, *BLUE)
    monkeypatch.setattr(history, "MOST_COMMITS", 1)

    with Objects(group.clone, ENVIRONMENT) as objects:
        told, older = history.history(objects, "HEAD", Judge(GAME, "reader"))
        rest, no_more = history.history(objects, group.base, Judge(GAME, "reader"))

    assert older == f"pbem git log {broken[:10]}"
    assert (len(told), len(rest), no_more) == (1, 1, "")
    if oldest == "a move":
        assert (told[0].lines, told[0].wrong) == (("2 blue stay",), "")


def test_after_a_commit_without_the_game_the_time_of_the_last_game_counts(group: Group) -> None:
    without_a_hook(group)
    did(group.clone, "git", "clock", "3 days", "--then", "answer", "--as", "red")
    for who in ("green", "blue"):
        did(group.clone, "git", "agree", "--as", who)
    game, text = (group.clone / GAME).read_bytes(), (group.clone / "minutes.txt").read_text(encoding="utf-8")
    date, turn, *_ = text.splitlines()[-1].split()
    minutes = f"{text}{date} {turn} green decides to answer stay for red\n".encode()
    lost = forged(group.clone, {GAME: None})
    back = forged(group.clone, {GAME: game, "minutes.txt": minutes}, parents=(lost,))

    told = did(group.clone, "git", "log", back).splitlines()

    assert "not a legal move: the time of red is not up yet" in told[0]
    assert "game.toml was removed" in told[1]


# Beginning


@pytest.mark.parametrize("left", [(), ("HEAD",), ("HEAD", "objects")])
def test_half_a_repository_is_begun_again(tmp_path: Path, left: tuple[str, ...]) -> None:
    """Git itself was cut off."""
    half = tmp_path / "friday" / ".git"
    half.mkdir(parents=True)
    for name in left:
        if name == "HEAD":
            (half / name).write_text("ref: refs/heads/main\n", encoding="utf-8")
        else:
            (half / name).mkdir()

    did(tmp_path, "git", "init", "--chance", "open", "friday", "Ann", "Bob")

    assert len(did(tmp_path / "friday", "git", "log").splitlines()) == 1


@pytest.mark.parametrize("folder", [".", "friday", "round"])
def test_a_game_begins_nowhere_but_in_a_folder(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The folder that we are in was deleted, or a link leads to itself."""
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    if folder == "round":
        (here / folder).symlink_to(folder)
    else:
        here.rmdir()

    for more in ((), ("--id", "friday")):
        assert cli.run(["git", "init", "--chance", "open", folder, "Ann", "Bob", *more]) == CannotCreate.exit_status
        assert f"the folder {folder} cannot be created" in capsys.readouterr().err
    assert cli.run(["git", "hook", "pre-commit", "--install", folder]) == 66


def test_a_new_folder_is_there_when_it_is_whole_and_not_before(tmp_path: Path) -> None:
    """It is looked at while git is asked to commit; and one that fails leaves nothing."""
    path = before_a_push(tmp_path, f'ls -d "{tmp_path}/below/friday" > "{tmp_path}/seen" 2>/dev/null; true')
    wrapper = tmp_path / "bin" / "git"
    wrapper.write_text(wrapper.read_text(encoding="utf-8").replace('" push "', '" commit "'), encoding="utf-8")

    done = pbem(tmp_path, "git", "init", "below/friday", "Ann", "Bob", "--chance", "sealed", PATH=path)

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("created and committed below/friday/game.toml")
    assert (tmp_path / "seen").read_text(encoding="utf-8") == ""
    assert [one.name for one in (tmp_path / "below").iterdir()] == ["friday"]
    assert (tmp_path / "below" / "friday").stat().st_mode == (tmp_path / "below").stat().st_mode
    wrapper.write_text('#!/bin/sh\ncase "$*" in *commit*) exit 1;; esac\n' + wrapper.read_text(encoding="utf-8"))
    assert pbem(tmp_path, "git", "init", "--chance", "open", "below/saturday", "Ann", "Bob", PATH=path).returncode == 74
    assert [one.name for one in (tmp_path / "below").iterdir()] == ["friday"]


@pytest.mark.slow
@pytest.mark.parametrize("ended", ["TERM", "HUP"])
def test_who_is_ended_while_git_commits_leaves_nothing_half_made(tmp_path: Path, ended: str) -> None:
    group = a_group(tmp_path)
    path = before_a_push(tmp_path, f"kill -{ended} $PPID; sleep 5")
    wrapper = tmp_path / "bin" / "git"
    wrapper.write_text(wrapper.read_text(encoding="utf-8").replace('" push "', '" commit "'), encoding="utf-8")
    (tmp_path / "below").mkdir()

    done = pbem(tmp_path, "git", "init", "below/friday", "Ann", "Bob", "--chance", "sealed", PATH=path)

    assert (done.returncode, list((tmp_path / "below").iterdir())) == (130, [])
    (tmp_path / "once").rmdir()
    done = pbem(group.clone, "git", "move", "--as", "red", "--order", "stay", PATH=path)
    assert done.returncode == 130
    assert (git(group.clone, "rev-parse", "HEAD"), git(group.clone, "status", "--porcelain")) == (group.base, "")
    did(group.clone, "git", "move", "--as", "red", "--order", "stay")

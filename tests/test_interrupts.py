"""Whoever ends the program knows what was done: before the change nothing was, and after it all was, and it is told."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from bots import play_file
from forked import run_program
from friday import SEATS, begun
from gits import a_group, before_a_push, did, git
from gits import pbem as pbem_in
from strokes import WRITING, Call, calls_of, files_in, in_program, put_back, struck

import pbem
from pbem import formats, game_setup, interrupts, loading, rulings  # noqa: F401 -- what is imported is not read in a child
from pbem.cli import app as cli
from pbem.first_sparks.proof import verify
from pbem.loading import Submission

ENDS = ("INT", "TERM", "HUP")
PLAYED = "pbem: interrupted, but the move was played: friday is at turn 1\n"
PROGRAM = (sys.executable, "-m", "pbem")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a game in which green is asked; and every module that it takes to play it has been read."""
    _read()
    return begun(tmp_path / "games").parent


@cache
def _read() -> None:
    with TemporaryDirectory() as folder:
        pbem.play(begun(Path(folder)), "stay")


def said(folder: Path) -> tuple[str, str]:
    """Return what the program has said."""
    out, err = ((folder.parent / name).read_text(encoding="utf-8") for name in ("out", "err"))
    return out, err


def heeded(calls: list[Call]) -> list[Call]:
    """Return the system calls that tell one moment from another, from that on at which the program heeds signals."""
    signals = [number for number, call in enumerate(calls) if call.name == "rt_sigaction"]
    return [call for call in calls[signals[len(ENDS) - 1] + 1 :] if call.name in {*WRITING, "flock", "lstat"}]


@pytest.mark.slow
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.needs("strace")
def test_a_signal_at_any_system_call_stops_the_move_or_comes_too_late(folder: Path, end: str, tmp_path: Path) -> None:
    before, work = files_in(folder), in_program(folder, "play", "friday.toml", "--order", "stay", "--as", "green")
    calls = heeded(calls_of(work, tmp_path / "log"))
    after, (answer, _) = files_in(folder), said(folder)
    assert after["friday.toml"] != before["friday.toml"]
    seen = []
    for call in calls if end == "INT" else calls[::5]:
        put_back(folder, before)

        status = struck(work, call, f"signal={end}")

        found = files_in(folder)
        if status == interrupts.INTERRUPTED:
            assert (found, said(folder)) == (before, ("", "")), call
            seen.append("not played")
        else:
            assert (status, found, said(folder)[0]) == (0, after, answer), call
            seen.append(said(folder)[1])
    assert {"not played", PLAYED} <= set(seen) <= {"not played", PLAYED, ""}


@pytest.mark.slow
@pytest.mark.needs("strace")
def test_a_game_that_was_begun_is_told_though_it_was_interrupted(folder: Path, tmp_path: Path) -> None:
    work = in_program(folder, "new", "saturday.toml", *SEATS)
    before = files_in(folder)
    calls = [call for call in calls_of(work, tmp_path / "log") if call.name in ("link", "unlink", "fsync", "write")]
    after, seen = files_in(folder), set()
    assert after.keys() - before.keys() == {"saturday.toml", "saturday.secret.toml"}
    for call in calls:
        put_back(folder, before)
        status = struck(work, call, "signal=INT")
        seen.add((status, said(folder)[1], files_in(folder).keys() == after.keys()))
    assert (0, "pbem: interrupted, but the game was begun\n", True) in seen
    assert {status == 0 for status, _, _ in seen} == {True}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "made", "told"),
    [
        (("convert", "friday.toml", "friday.json"), "friday.json", "friday.json was written"),
        (("board", "friday.toml", "--svg"), "friday.svg", "friday.svg was written"),
        (("diff-engines", "digests", "friday.toml", "--store"), "digests", "the digests of 1 game were stored"),
        (
            ("mail", "init", "club", "--address", "pbem@x.example", "--host", "me@x.example"),
            "club/club.toml",
            "club is a club now",
        ),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
@pytest.mark.needs("strace")
def test_whatever_else_is_written_is_told_though_it_was_interrupted(
    folder: Path, tmp_path: Path, words: tuple[str, ...], made: str, told: str
) -> None:
    work, before, seen = in_program(folder, *words), files_in(folder), set()
    calls = [call for call in calls_of(work, tmp_path / "log") if call.name in ("link", "rename", "unlink", "fsync")]
    for call in calls:
        put_back(folder, before)
        status = struck(work, call, "signal=INT")
        seen.add((status, said(folder)[1], (folder / made).exists()))
    done, too_early = (0, f"pbem: interrupted, but {told}\n", True), (interrupts.INTERRUPTED, "", False)
    assert done in seen
    assert seen <= {done, too_early, (0, "", True)}


@pytest.mark.slow
def test_who_reads_nothing_of_a_move_that_was_played_is_not_waited_for_long(folder: Path) -> None:
    """The pipe is full, and its reader sleeps."""
    reading_end, writing_end = os.pipe()
    os.set_blocking(writing_end, False)
    with suppress(BlockingIOError):
        while True:
            os.write(writing_end, b"x" * 4096)
    os.set_blocking(writing_end, True)
    line = [*PROGRAM, "play", "friday.toml", "--order", "stay", "--as", "green"]
    with subprocess.Popen(line, cwd=folder, stdout=writing_end, stderr=subprocess.PIPE, text=True) as process:
        while loading.load(folder / "friday.toml").record.turn == 0:
            assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        complaint = process.communicate(timeout=60)[1]
    os.close(reading_end)
    os.close(writing_end)

    assert (process.returncode, complaint) == (74, PLAYED)


def test_of_many_lines_those_that_were_answered_are_played(folder: Path) -> None:
    line = '{"game": "friday.toml", "move": "stay", "as": "green"}\n'
    with subprocess.Popen(
        [*PROGRAM, "play", "--batch"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(line)
        process.stdin.flush()
        assert '"code": "played"' in process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == interrupts.INTERRUPTED
    assert loading.load(folder / "friday.toml").record.turn == 1


def test_a_script_learns_from_the_interrupt_that_its_move_was_played(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, sync = folder / "friday.toml", os.fsync

    def sync_and_interrupt(descriptor: int) -> None:
        sync(descriptor)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(os, "fsync", sync_and_interrupt)

    with pytest.raises(KeyboardInterrupt, match="interrupted, but the move was played: friday is at turn 1"):
        pbem.play(path, "stay")
    monkeypatch.undo()

    record = loading.load(path).record
    assert (record.turn, verify(record)) == (1, len(record.log))
    with pytest.raises(KeyboardInterrupt, match=r"^$"):  # and nothing is said of it when another thing is interrupted
        signal.raise_signal(signal.SIGINT)


def test_another_thread_than_the_first_one_plays_too(folder: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        pool.submit(play_file, folder / "friday.toml", Submission(("stay",), "green")).result()

    assert loading.load(folder / "friday.toml").record.turn == 1


def test_a_signal_that_is_ignored_stays_so(folder: Path) -> None:
    """As by nohup."""
    line = [*PROGRAM, "play", "friday.toml", "-", "--as", "green"]
    ignoring = ["sh", "-c", 'trap "" HUP; exec "$@"', "sh", *line]
    with subprocess.Popen(ignoring, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.send_signal(signal.SIGHUP)
        process.communicate(b"stay\n", timeout=60)
    assert process.returncode in (0, -signal.SIGHUP)  # before the shell has heard of the trap it may be ended


def test_a_signal_that_python_swallows_ends_the_program_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is raised while something is deleted, as in an import, gets no further."""

    class Thing:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGINT)

    def deleting(_: list[str]) -> int:
        Thing()
        time.sleep(60)
        return 0

    monkeypatch.setattr(cli, "run", deleting)

    done = run_program("verify", patched=True)

    assert (done.returncode, done.stdout, done.stderr) == (interrupts.INTERRUPTED, "", "")


# Git


def test_who_is_ended_while_git_pushes_learns_that_the_move_was_committed(tmp_path: Path) -> None:
    group = a_group(tmp_path)
    path = before_a_push(tmp_path, "kill -TERM $PPID")

    done = pbem_in(group.clone, "git", "move", "--as", "red", "--order", "stay", PATH=path)

    assert (done.returncode, done.stderr) == (0, "pbem: interrupted, but '1 red stay' was played and pushed\n")
    assert git(group.server, "rev-parse", "main") == git(group.clone, "rev-parse", "HEAD") != group.base


def test_a_signal_that_ends_the_push_too_is_no_fault_of_the_network(tmp_path: Path) -> None:
    """As Ctrl-C, which a terminal sends to all of them."""
    group = a_group(tmp_path)
    path = before_a_push(tmp_path, "kill -TERM $PPID $$")

    done = pbem_in(group.clone, "git", "move", "--as", "red", "--order", "stay", PATH=path)

    told = "pbem: interrupted, but '1 red stay' is committed here; git push origin main pushes it\n"
    assert (done.returncode, done.stderr) == (74, told)
    assert git(group.clone, "rev-parse", "HEAD") != group.base


@pytest.mark.slow
def test_who_waits_for_a_push_that_takes_too_long_learns_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    group = a_group(tmp_path)
    monkeypatch.setattr(interrupts, "_PATIENCE", 1)
    path = before_a_push(tmp_path, "kill -TERM $PPID; sleep 30")

    done = pbem_in(group.clone, "git", "move", "--as", "red", "--order", "stay", PATH=path, patched=True)

    told = "pbem: interrupted, but '1 red stay' is committed here; git push origin main pushes it\n"
    assert (done.returncode, done.stderr) == (74, told)
    assert git(group.clone, "rev-parse", "HEAD") != group.base
    git(group.clone, "push", "origin", "main")


# A new game, killed


@pytest.mark.slow
@pytest.mark.needs("strace")
def test_killed_at_any_system_call_a_new_game_can_be_begun_again(folder: Path, tmp_path: Path) -> None:
    """No game is ever without its secret, and no secret without its game stands in the way."""
    work = in_program(folder, "new", "saturday.toml", *SEATS)
    before, game, secret = files_in(folder), folder / "saturday.toml", folder / "saturday.secret.toml"
    calls = calls_of(work, tmp_path / "log")
    locked = next(number for number, call in enumerate(calls) if call.name == "flock")
    seen = set()
    for call in (call for call in calls[locked:] if call.name in {*WRITING, "exit_group"}):
        put_back(folder, before)
        struck(work, call, "signal=KILL")
        left = (game.exists(), secret.exists())
        seen.add(left)
        if left == (True, True):
            play_file(game, Submission(("stay",), "green"))
        else:
            assert left != (True, False), call
            did(folder, "new", "saturday.toml", *SEATS)
        verify(loading.load(game).record)
    assert seen == {(False, False), (False, True), (True, True)}


def test_a_secret_that_may_belong_to_a_game_is_not_replaced(folder: Path) -> None:
    (folder / "friday.toml").rename(folder.parent / "friday.toml")
    secret = (folder / "friday.secret.toml").read_bytes()

    done = pbem_in(folder, "new", "friday.toml", *SEATS)

    assert (done.returncode, "delete friday.secret.toml" in done.stderr) == (73, True)
    assert files_in(folder) == {"friday.secret.toml": secret}


@pytest.mark.needs("strace")
def test_a_kill_long_ago_does_not_stand_in_the_way_either(folder: Path, tmp_path: Path) -> None:
    secret, old = folder / "saturday.secret.toml", 1_000_000_000
    struck(in_program(folder, "new", "saturday.toml", *SEATS), Call("link", 2), "signal=KILL")
    assert (secret.stat().st_nlink, (folder / "saturday.toml").exists()) == (2, False)
    os.utime(secret, (old, old))
    did(folder, "play", "friday.toml", "--order", "stay", "--as", "green")

    did(folder, "new", "saturday.toml", *SEATS)

    assert secret.stat().st_nlink == 1

"""Many moves in one run: a verdict a line, in order, whatever stands in the lines."""

import functools
import io
import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
from bots import a_choice, a_new_record, random_play
from builders import the_components
from forked import a_path, door, run_program
from friday import at_the_first_offer
from work import Clock

import pbem
from pbem import game_files, game_setup, rulings
from pbem.cli import app as cli
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.options import Options
from pbem.first_sparks.record import Record
from pbem.scripts import batch

PROGRAM = [sys.executable, "-m", "pbem"]


def answers(lines: list[Any], *, playing: bool = False, jobs: int = 1) -> list[dict[str, Any]]:
    """Return the verdicts on lines, which are given as data or, if they are to be broken, as bytes."""
    raw = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
    chunks = batch.chunks_of(io.BytesIO(b"\n".join(raw)))  # type: ignore[arg-type]
    return [json.loads(verdict.text) for verdict in batch.verdicts(chunks, playing=playing, jobs=jobs)]


def moves_of_random_games(seeds: range) -> Iterator[dict[str, Any]]:
    """Yield a line for every decision of some games: mostly legal, some not."""
    for seed in seeds:
        random = Random(seed)
        turn = -1
        for record, _, _ in random_play(a_new_record(2 + seed % 5, f"game-{seed}"), Random(seed)):
            decides = who_decides(record.state)
            if decides and record.turn > turn:
                turn = record.turn
                order = str(a_choice(record.state, random)) if random.random() < 0.8 else "offer 41"
                yield {"game": game_files.data_of(record), "move": {"player": decides, "orders": [order]}}


def a_line(order: str = "offer 7", player: str = "green") -> dict[str, Any]:
    return {"game": game_files.data_of(at_the_first_offer()), "move": order, "as": player}


BROKEN: list[tuple[bytes, str]] = [
    (b"no json", "not-understood"),
    (b"[1]", "not-understood"),
    (b"\xff\xfe", "not-understood"),
    (b'{"game": 1.5}', "not-understood"),
    (b'{"game": "a", "game": "b", "move": "stay"}', "not-understood"),
    (b'{"game": "nothing.toml", "move": "stay"}', "no-such-file"),
    (b'{"game": "a\\u0000b", "move": "stay"}', "no-such-file"),
    (b'{"game": {}, "move": "stay"}', "not-understood"),
    (b'{"game": {"log": []}, "move": "stay"}', "not-understood"),
    (b'{"game": "' + b"x" * batch.LONGEST_LINE + b'"}', "not-understood"),
    (b"[" * 100_000, "not-understood"),
]


@pytest.mark.parametrize("playing", [False, True], ids=["check", "play"])
@pytest.mark.parametrize(("line", "code"), BROKEN, ids=[repr(line[:30]) for line, _ in BROKEN])
def test_a_broken_line_gets_its_verdict_and_the_run_goes_on(line: bytes, code: str, playing: bool) -> None:
    found = answers([a_line(), line, a_line()], playing=playing)

    assert [answer["line"] for answer in found] == [1, 2, 3]
    assert [answer["ok"] for answer in found] == [True, False, True]
    assert found[1]["code"] == code


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_blank_line_asks_nothing_and_is_counted(jobs: int) -> None:
    """Most of all the last one of a file."""
    found = answers([a_line(), b"", b" \r", a_line("offer 41"), b""], jobs=jobs)

    assert [(answer["line"], answer["code"]) for answer in found] == [(1, "legal"), (4, "illegal")]


def test_only_the_line_of_the_file_is_told() -> None:
    """What stands in it is one line, with or without its end."""
    (found,) = answers([b'{"game": "a", "move": stay}\r', b""])

    assert found["message"].startswith("line 1 cannot be parsed at column 23: ")


def test_every_verdict_is_that_of_the_single_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Code, reasons, choices: the same function has judged."""
    monkeypatch.chdir(tmp_path)
    pbem.save(at_the_first_offer(), "friday.toml")
    for order, player in (
        ("offer 7", "green"),
        ("offer 41", "green"),
        ("pass", "red"),
        ("dance", "green"),
        ("pass", "Zoe"),
    ):
        alone = json.loads(run_program("check", "friday.toml", "--order", order, "--as", player, "--json").stdout)

        by_path, as_object = answers([a_line(order, player) | {"game": "friday.toml"}, a_line(order, player)])

        assert by_path == {"line": 1, **alone}
        assert as_object == {"line": 2, **alone, "path": "" if alone["ok"] else alone["path"]}


def test_play_answers_with_the_next_game() -> None:
    """So that a game can be played line by line, without a file."""
    game, orders = game_files.data_of(at_the_first_offer()), 0
    while game["state"]["phase"]["name"] != "ended" and orders < 20:
        order = pbem.choices(pbem.load(game))[0].order
        (answer,) = answers([{"game": game, "move": order, "as": pbem.decides(pbem.load(game))}], playing=True)
        assert answer["ok"], answer
        assert answer["log"] == answer["next"]["log"][len(game["log"]) :]
        assert (answer["turn"], answer["head"]) == (answer["next"]["turn"], answer["next"]["head"])
        game, orders = answer["next"], orders + 1

    assert orders == 20
    assert sum(1 for _ in pbem.replay(pbem.load(game))) == len(game["log"])


def test_play_writes_the_file_that_a_line_names(tmp_path: Path) -> None:
    """A line may go on where the line before has stopped, with any number of jobs; a refused one changes nothing."""
    lines: list[dict[str, Any]] = []
    for name in ("a.toml", "b.json"):
        pbem.save(at_the_first_offer(), tmp_path / name)
    for order, player in (("offer 7", "green"), ("offer 41", "blue"), ("decline", "blue"), ("decline", "red")):
        lines += [{"game": str(tmp_path / name), "move": order, "as": player} for name in ("a.toml", "b.json")]

    found = answers([*lines, a_line()], playing=True, jobs=2)

    assert [answer["code"] for answer in found] == ["played"] * 2 + ["illegal"] * 2 + ["played"] * 5
    assert ["next" in answer for answer in found] == [False] * 8 + [True]
    for name in ("a.toml", "b.json"):
        assert pbem.load(tmp_path / name).turn == 6
        assert sum(1 for _ in pbem.replay(tmp_path / name)) == len(pbem.load(tmp_path / name).log)


def test_a_sealed_game_in_a_line_is_not_drawn_for() -> None:
    """Its secret is not in the line, and no file is looked for."""
    record = game_setup.begin_record(
        "sealed",
        (("red", "Ann"), ("blue", "Bob")),
        options=Options("players"),
        components=the_components(),
        kind="sealed",
        secret=bytes(32),
    )
    order = pbem.choices(record)[0].order
    line = {"game": game_files.data_of(record), "move": order, "as": pbem.decides(record)}

    assert answers([line])[0]["code"] == "legal"
    assert answers([line], playing=True)[0]["code"] == "no-such-file"


@pytest.mark.parametrize("playing", [False, True], ids=["check", "play"])
def test_the_number_of_jobs_changes_no_byte(playing: bool) -> None:
    lines: list[Any] = list(moves_of_random_games(range(4)))
    lines[7:7] = [line for line, _ in BROKEN]
    assert len(lines) > 100

    assert answers(lines, playing=playing, jobs=3) == answers(lines, playing=playing)


def test_a_game_that_is_like_the_one_before_is_judged_by_itself() -> None:
    """To Python true is 1; to the schema it is not."""
    sound = a_line()
    like = json.loads(json.dumps(sound))
    like["game"]["state"]["round"] = True
    assert like == sound

    assert [answer["ok"] for answer in answers([sound, like, sound])] == [True, False, True]


def test_a_bug_of_ours_is_a_verdict_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Its place is told, nothing of the data; the exit code is that of a bug."""
    monkeypatch.setattr(batch.report, "verdict", lambda *_: 1 // 0)
    (tmp_path / "lines").write_text(json.dumps(a_line()), encoding="utf-8")

    (answer,) = answers([a_line()])

    assert (answer["ok"], answer["code"]) == (False, "bug")
    assert "ZeroDivisionError" in answer["message"]
    assert cli.run(["check", "--batch", str(tmp_path / "lines")]) == 70


@pytest.mark.parametrize(
    ("arguments", "stdin", "status", "lines"),
    [
        (["check", "--batch"], [a_line(), a_line("pass")], 0, 2),
        (["check", "--batch", "-"], [a_line(), a_line("offer 41")], 65, 2),
        (["check", "--batch", "lines.ndjson", "--jobs", "2"], None, 0, 3),
        (["play", "--batch", "lines.ndjson"], None, 0, 3),
        (["check", "--batch"], [], 0, 0),
        (["check", "--batch", "nothing.ndjson"], None, 66, 0),
        (["check", "--batch", "lines.ndjson", "--as", "red"], None, 2, 0),
        (["check", "--batch", "lines.ndjson", "lines.ndjson"], None, 2, 0),
        (["play", "--batch", "lines.ndjson", "-o", "x.toml"], None, 2, 0),
        (["check", "--batch", "lines.ndjson", "--jobs", "0"], None, 2, 0),
        (["check"], None, 2, 0),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) and value and isinstance(value[0], str) else None,
)
def test_the_exit_code_says_whether_all_were_legal(
    arguments: list[str], stdin: list[Any] | None, status: int, lines: int, tmp_path: Path
) -> None:
    """Verdicts on standard output, and standard error stays empty where nobody watches."""
    (tmp_path / "lines.ndjson").write_text("".join(json.dumps(a_line()) + "\n" for _ in range(3)), encoding="utf-8")
    given = "".join(json.dumps(line) + "\n" for line in stdin or ())

    done = run_program(*arguments, stdin=given, cwd=tmp_path)

    assert done.returncode == status, done.stderr
    assert len(done.stdout.splitlines()) == lines
    assert (done.stderr == "") is (status in (0, 65))


def test_the_lines_may_come_from_a_pipe_that_has_a_name(tmp_path: Path) -> None:
    lines = tmp_path / "moves"
    os.mkfifo(lines)
    with subprocess.Popen([door(), "check", "--batch", str(lines)], stdout=subprocess.PIPE) as process:
        lines.write_text(json.dumps(a_line("offer 7")) + "\n")
        said, _ = process.communicate(timeout=120)

    assert json.loads(said)["code"] == "legal"


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_verdict_comes_before_the_next_line_is_asked_for(jobs: str) -> None:
    """One process can serve another that waits for each answer."""
    command = [door(), "check", "--batch", "--jobs", jobs]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for order, legal in (("offer 7", True), ("offer 41", False), ("pass", True)):
            process.stdin.write(json.dumps(a_line(order)).encode() + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["ok"] is legal
        process.stdin.close()
        assert process.wait(120) == 65


def test_more_processes_than_the_system_gives_are_refused(tmp_path: Path) -> None:
    lines = tmp_path / "lines"
    lines.write_text(json.dumps(a_line("offer 7")))
    command = [*PROGRAM, "check", "--batch", str(lines), "--jobs", "32"]

    done = subprocess.run(
        command,
        preexec_fn=functools.partial(resource.setrlimit, resource.RLIMIT_NOFILE, (24, 24)),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )

    assert done.returncode == 75
    assert "32 processes cannot be started" in done.stderr


def test_a_killed_run_leaves_no_process_behind() -> None:
    """A pipe ends when the last who could write to it is gone."""
    reading, writing = os.pipe()
    command = [*PROGRAM, "check", "--batch", "--jobs", "3"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=[writing]) as process:
        os.close(writing)
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"no line\n" * 200)
        process.stdin.flush()
        assert process.stdout.readline()
        process.kill()
        process.stdin.close()
        assert os.read(reading, 1) == b""
        os.close(reading)


def test_an_interrupt_of_many_jobs_is_no_traceback() -> None:
    command = [*PROGRAM, "check", "--batch", "--jobs", "2"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(b"no line\n" * 200)
        process.stdin.flush()
        assert process.stdout.readline()
        os.killpg(process.pid, signal.SIGINT)
        assert process.stderr.read() == b""
        assert process.wait(120) == 130


def test_an_interrupt_is_seen_however_late_it_comes() -> None:
    """Another thread takes the signal here, so that it does not wake the one that waits for a result."""
    program = """
import os, signal, threading
from pbem.scripts.jobs import in_order
waiting = threading.Event()

def items():
    yield 1
    waiting.wait()
    signal.pthread_kill(threading.get_ident(), signal.SIGINT)
    threading.Event().wait()

try:
    for _ in in_order(abs, items(), 2):
        threading.Timer(0.5, waiting.set).start()
except KeyboardInterrupt:
    os._exit(130)
"""
    assert subprocess.run([sys.executable, "-c", program], check=False, timeout=120).returncode == 130


def test_a_line_that_is_too_long_is_never_held_in_memory() -> None:
    class Endless(io.RawIOBase):
        left = 300 * 2**20

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            size = min(len(buffer), self.left)
            self.left -= size
            buffer[:size] = b"x" * size
            return size

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    ((line,),) = batch.chunks_of(Endless())

    assert batch.LONGEST_LINE < len(line) <= batch.LONGEST_LINE + 2**16
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20 * 1024


@pytest.mark.parametrize("jobs", [1, 2])
def test_lines_are_taken_a_few_at_a_time(jobs: int) -> None:
    """Memory does not grow with their number."""
    taken = 0

    def endless() -> Iterator[list[bytes]]:
        nonlocal taken
        while True:
            taken += 64
            yield [b"no json"] * 64

    found = batch.verdicts(endless(), playing=False, jobs=jobs)
    for number in range(500):
        next(found)
        assert taken <= number + 64 * (4 if jobs == 1 else 7)
        assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)
    found.close()  # type: ignore[attr-defined]
    assert signal.getsignal(signal.SIGVTALRM) is signal.SIG_DFL


def test_progress_is_shown_on_a_terminal_and_nowhere_else(tmp_path: Path) -> None:
    (tmp_path / "lines.ndjson").write_text("no line\n" * 5, encoding="utf-8")
    watcher, terminal = os.openpty()
    command = [*PROGRAM, "check", "--batch", tmp_path / "lines.ndjson"]

    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=terminal, check=False)
    os.close(terminal)
    shown = b""
    with suppress(OSError):  # all was read, and nobody is at the other end
        while part := os.read(watcher, 10_000):  # of a busy machine it may come in pieces
            shown += part
    os.close(watcher)

    assert len(done.stdout.splitlines()) == 5
    assert b"100%" in shown


ALL = "many.ndjson"


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a pipeline of bash, in which ``pbem`` is the program; it ends as the first of its commands that fails."""
    called, env = ["bash", "-o", "pipefail", "-c", command], os.environ | {"PATH": a_path()}
    return subprocess.run(called, cwd=folder, env=env, capture_output=True, text=True, check=False)


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """Return a folder with more lines than a pipe holds the answers to, and with their game."""
    pbem.save(at_the_first_offer(), tmp_path / "friday.toml")
    line = json.dumps(a_line() | {"game": "friday.toml"})
    (tmp_path / ALL).write_text(f"{line}\n" * 500, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        f"pbem check --batch {ALL}",
        f"pbem check --batch {ALL} --jobs 2",
        f"pbem play --batch {ALL}",
        "pbem replay friday.toml --json",
        "pbem verify . friday.toml --json",
        "pbem show friday.toml",
    ],
)
def test_what_nobody_reads_to_its_end_does_not_claim_that_all_is_well(command: str, many: Path) -> None:
    """As if the signal had ended it, which other programs leave to it."""
    done = shell(f"{{ sleep 0.5; {command}; }} | true", many)

    assert (done.returncode, done.stderr) == (141, "")


def test_a_move_that_is_played_is_played_whoever_reads_of_it(many: Path) -> None:
    done = shell("{ sleep 0.5; pbem play friday.toml --as green --order 'offer 7'; } | true", many)

    assert (done.returncode, done.stderr) == (0, "")
    assert pbem.load(many / "friday.toml").turn == 4


@pytest.mark.parametrize(
    ("command", "status", "said"),
    [
        (f"pbem check --batch {ALL}", 75, "try-again: cannot write to standard output because the disk is full"),
        ("pbem verify .", 75, "nothing was changed; free some space"),
        ("pbem show friday.toml", 75, "nothing was changed; free some space"),
        (f"pbem play --batch {ALL}", 74, "hint: all lines up to line 1 were judged"),
        ("pbem play friday.toml --as green --order pass", 74, "hint: the command itself was carried out\n"),
    ],
)
def test_a_full_standard_output_is_told_as_it_is(command: str, status: int, said: str, many: Path) -> None:
    done = shell(f"{command} >/dev/full", many)

    assert done.returncode == status
    assert said in done.stderr
    assert pbem.load(many / "friday.toml").turn == (4 if "play" in command else 3)


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ({}, ["game is missing; it should be the path", "move is missing; it should be order lines"]),
        ({"game": "a", "move": 5}, ["move should be order lines"]),
        ({"game": [], "move": "stay", "as": 5}, ["game should be the path", "as should be text"]),
        (
            {"game": "a", "move": "stay", "who": "me"},
            ["a line should only have the keys game, move, as; it also has 1 unknown key"],
        ),
    ],
)
def test_what_is_wrong_with_a_line_is_told_key_by_key(line: dict[str, Any], wrong: list[str]) -> None:
    (answer,) = answers([line])

    assert answer["message"] == "line 1 does not match the schema of a batch line"
    assert len(answer["reasons"]) == len(wrong)
    for reason, words in zip(answer["reasons"], wrong, strict=True):
        assert reason["message"].startswith(words)


def test_a_very_long_line_of_blanks_is_a_line() -> None:
    assert [answer["code"] for answer in answers([b" " * (batch.LONGEST_LINE + 1), b" " * 10])] == ["not-understood"]


def test_a_locked_folder_is_waited_for_once(tmp_path: Path, clock: Clock) -> None:
    """Until it is found free again."""
    path = tmp_path / "friday.toml"
    pbem.save(at_the_first_offer(), path)
    line = a_line() | {"game": str(path)}

    with batch.files.locked(path):
        found = answers([line] * 5, playing=True)

    assert {answer["code"] for answer in found} == {"try-again"}
    assert sum(clock.slept) == pytest.approx(batch.files.LOCK_WAIT, abs=0.1)
    assert answers([line], playing=True)[0]["code"] == "played"
    assert not batch._busy


@pytest.mark.parametrize("playing", [False, True])
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_line_that_takes_for_ever_gets_a_verdict_and_the_next_is_judged(
    jobs: int, playing: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a set that we know of there is no such line; processes of their own inherit this one.

    What is judged may catch every error.
    """
    judge = rulings.judge

    def for_ever(record: Record, submission: Any, draw: Any) -> Any:
        with suppress(Exception):
            while submission.orders == ("offer 8",):
                pass
        return judge(record, submission, draw)

    monkeypatch.setattr(batch, "PATIENCE", 0.1)
    monkeypatch.setattr(rulings, "judge", for_ever)

    found = answers([a_line("offer 7"), a_line("offer 8"), a_line("offer 7")], playing=playing, jobs=jobs)

    assert [answer["ok"] for answer in found] == [True, False, True]
    assert found[1]["message"] == "line 2 takes more than 0.1 seconds to judge"
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGVTALRM) is signal.SIG_DFL

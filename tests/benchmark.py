"""How fast the program is, as ratios measured in one run; absolute times mean nothing on another machine.

    pip install '.[bench]' && python -m compileall -q . && python tests/benchmark.py

1. cold commands on a mid-game file of five players against the same Python doing nothing (CPU time, and user
   instructions where ``perf stat`` or ``valgrind`` can count them);
2. random play in this process against random play of python-chess, both listing what is legal at every decision,
   and ``verify`` of whole games against the same;
3. one ``check`` and one ``play`` late in a long game against one early in it.
"""

import gc
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from statistics import median

sys.path.insert(0, str(Path(__file__).parent))

from bots import SECRET, a_choice, a_new_record
from bots import random_play as random_record

from pbem import formats, loading
from pbem.first_sparks.adjudicator import choices, follow, new_game, who_decides
from pbem.first_sparks.chance.draws import source
from pbem.first_sparks.moves import AgreeEnd, Move, Stay
from pbem.first_sparks.options import Options
from pbem.first_sparks.phases import Offering, Spreading, Starving
from pbem.first_sparks.play import played
from pbem.first_sparks.proof import encode, verify
from pbem.first_sparks.record import Record, digest
from pbem.first_sparks.state import CHANCE, GameState

PYTHON = [sys.executable, "-I"]
REPEATS = 15


def cpu_of(*runs: tuple[list[str], Callable[[], object]]) -> tuple[float, ...]:
    """Return the median CPU seconds of some commands, which take turns, each after something that prepares it."""
    times: list[list[float]] = [[] for _ in runs]
    for _ in range(REPEATS):
        for taken, (command, prepare) in zip(times, runs, strict=True):
            prepare()
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            taken.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return tuple(map(median, times))


def memory_of(command: list[str], prepare: Callable[[], object]) -> int:
    """Return the greatest memory of a command in MiB, asked in a process that has no other children."""
    prepare()
    ask = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)"
    )
    return int(subprocess.run([*PYTHON, "-c", ask, *command], check=True, capture_output=True, text=True).stdout)


def instructions_of(command: list[str], prepare: Callable[[], object]) -> int | None:
    """Return the user instructions of a command, None where nothing counts them."""
    perf = ["perf", "stat", "-x,", "-e", "instructions:u"]
    valgrind = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    for counter, form in ((perf, r"^(\d+),.*instructions"), (valgrind, r"I +refs: +([\d,]+)")):
        if shutil.which(counter[0]):
            prepare()
            ran = subprocess.run([*counter, *command], capture_output=True, text=True, check=False)
            if found := re.search(form, ran.stderr, re.MULTILINE):
                return int(found[1].replace(",", ""))
    return None


def written(record: Record, path: Path) -> Path:
    path.write_text(formats.dump(encode(record, digest(loading.built_in())), "toml"), encoding="utf-8")
    return path


def a_small_choice(state: GameState, random: Random) -> Move:
    """Return a random choice of a clan that does not grow beyond six members."""
    phase = state.phase
    if isinstance(phase, Spreading) and state.clan(phase.clan).size > 5:
        return Stay()
    if isinstance(phase, Starving):
        return next(choices(state))
    return a_choice(state, random)


def is_offering(record: Record) -> bool:
    return isinstance(record.state.phase, Offering)


def a_record_at(turn: int, players: int = 5, game: str = "bench") -> Record:
    """Return a random game at the first offer after that turn; its clans stay small, so that it lasts.

    Random games end before turn 140; in longer ones others agree to end before every order, which it cancels.
    """
    for seed in range(1000):
        record, random = a_new_record(players, game), Random(seed)
        draw = source(game, SECRET)
        while who_decides(record.state) is not None and not (record.turn >= turn and is_offering(record)):
            decides = who_decides(record.state) or ""
            for other in [colour for colour in record.state.order if colour != decides][: turn // 60]:
                record, _ = played(record, other, AgreeEnd(), draw)
            record, _ = played(record, decides, a_small_choice(record.state, random), draw)
        if is_offering(record):
            return record
    raise AssertionError("no random game comes to that turn")


def cold_commands(folder: Path) -> None:
    """Print what the commands of a turn cost when they are started, and what the version and the help."""
    original = written(a_record_at(60), folder / "original.toml")
    game = folder / "game.toml"
    turn = f"{game} --order pass --as {who_decides(loading.load(original).record.state)}"
    nothing = [*PYTHON, "-c", "pass"]
    base_memory, base_instructions = memory_of(nothing, lambda: None), instructions_of(nothing, lambda: None)
    prepare = partial(shutil.copy, original, game)
    lines = f"play {turn}", f"check {turn}", f"show {game}", f"options {game}", f"verify {game}", "--version", "--help"
    for line in lines:
        command = [*PYTHON, "-m", "pbem", *line.split()]
        seconds, base = cpu_of((command, prepare), (nothing, lambda: None))
        told = f"{seconds / base:.1f} times the CPU time of python -I -c pass"
        told += f", {memory_of(command, prepare)} MiB ({base_memory})"
        instructions = instructions_of(command, prepare)
        if instructions and base_instructions:
            told += f", {instructions / base_instructions:.1f} times the instructions"
        print(f"pbem {line.split()[0]}: {told}")


def random_play(games: int) -> tuple[float, float]:
    """Return the states after a line of the log, and the rule steps, that random play reaches in a CPU second."""
    components = loading.built_in()
    lines = steps = 0
    start = time.process_time()
    for seed in range(games):
        players = 2 + seed % 5
        random, draw = Random(seed), source(f"bench-{seed}", SECRET)
        state = new_game(components, tuple(zip(COLOURS[:players], "ABCDEF", strict=False)), Options("players"))
        while (decides := who_decides(state)) is not None and state.round <= 40:
            if decides == CHANCE:
                legal = tuple(choices(state))
                move = legal[draw(len(legal), state.draws)]
            else:
                move = a_choice(state, random)
            state = follow(state, decides, move)
            lines, steps = lines + 1, steps + len(state.events)
    seconds = time.process_time() - start
    return lines / seconds, steps / seconds


def verified(games: int) -> float:
    """Return the lines of the log that ``verify`` judges anew in a CPU second, over whole random games."""
    records = []
    for seed in range(games):
        *_, (record, _, _) = random_record(a_new_record(2 + seed % 5, f"verify-{seed}"), Random(seed))
        records.append(record)
    gc.collect()  # what was there before takes none of the time
    start = time.process_time()
    lines = sum(map(verify, records))
    return lines / (time.process_time() - start)


COLOURS = ("green", "red", "blue", "black", "white", "yellow")


def chess_play(games: int) -> float | None:
    """Return the states that random play of python-chess reaches in a CPU second, None if it is not installed."""
    try:
        import chess
    except ImportError:
        return None
    states = 0
    start = time.process_time()
    for seed in range(games):
        random, board = Random(seed), chess.Board()
        while (moves := list(board.legal_moves)) and board.ply() < 300 and not board.is_insufficient_material():
            board.push(random.choice(moves))
            states += 1
    return states / (time.process_time() - start)


def early_and_late(folder: Path) -> None:
    """Print what ``check`` and ``play``, which replay the log, cost at turn 300 of a game against turn 30."""
    game = folder / "game.toml"
    for name in ("check", "play"):
        runs = []
        for turn in (300, 30):
            record = a_record_at(turn, 6)
            order = ["--order", "pass", "--as", who_decides(record.state) or ""]
            prepare = partial(shutil.copy, written(record, folder / f"{turn}.toml"), game)
            runs.append(([*PYTHON, "-m", "pbem", name, str(game), *order], prepare))
        late, early = cpu_of(*runs)
        told = f"{late / early:.2f} times that at turn 30"
        many, few = (instructions_of(*run) for run in runs)
        if many and few:
            told += f", {many / few:.2f} times the instructions"
        print(f"pbem {name} at turn 300 (most turns agree to end): {told}")


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        cold_commands(Path(name))
        early_and_late(Path(name))
    random_play(10)
    lines, events = random_play(150)
    judged = verified(60)
    yardstick = chess_play(60)
    print(f"random play: {events / lines:.1f} events a line of the log")
    print(
        "random play: new members are chosen one space after the other instead of listing all ways to spread, and of"
        " the ways to starve and to place neutral members at most 40 are listed; benchmark_engine.py lists everything"
    )
    if yardstick is None:
        print("random play: python-chess is not installed, pip install '.[bench]'")
    else:
        print(
            f"random play: {lines / yardstick:.2f} times the states a second of python-chess"
            " (states after a line of the log)"
        )
        print(f"verify: {judged:.0f} lines of the log a second, {judged / yardstick:.2f} times those states")


if __name__ == "__main__":
    main()

"""How fast many moves are judged, and how many games verified: rates and ratios of one run.

    python tests/benchmark_batch.py [LINES]

1. ``check --batch`` on moves with their game objects: verdicts a second of CPU time on one core, with the schema check
   of both;
2. ``--jobs 2`` against one, which says something only where two cores are free;
3. the peak memory of a batch of so many lines (100,000);
4. ``verify`` of whole games in memory, no two the same: lines of their logs a second;
5. ``stats`` on a folder of these games against ``verify`` on it (CPU time).
"""

import gc
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator
from itertools import count, cycle, islice
from pathlib import Path
from random import Random
from statistics import median

sys.path.insert(0, str(Path(__file__).parent))

from bots import SECRET, a_choice, a_new_record, a_sensible_choice

from pbem import game_files
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.chance.draws import source
from pbem.first_sparks.play import played
from pbem.first_sparks.proof import verify
from pbem.first_sparks.record import Record

PROGRAM = [sys.executable, "-I", "-m", "pbem"]  # -I: the installed program, not the folder that this is run in
DIFFERENT = 2000
WHOLE_GAMES = 500


def decisions(seed: int) -> Iterator[Record]:
    """Yield the records of a game of careful players: one for every decision, and the last one after the end."""
    random, record = Random(seed), a_new_record(2 + seed % 5, f"game-{seed}")
    draw = source(record.game, SECRET)
    while decides := who_decides(record.state):
        yield record
        record, _ = played(record, decides, a_sensible_choice(record.state, random), draw)
    yield record


def whole_games() -> list[Record]:
    """Return whole games of careful players, no two the same, for all numbers of players."""
    return [deque(decisions(seed), maxlen=1)[0] for seed in range(WHOLE_GAMES)]


def archived(games: list[Record], folder: Path) -> str:
    """Write whole games into a new folder, and return its path."""
    folder.mkdir()
    for record in games:
        (folder / f"{record.game}.toml").write_text(game_files.text_of(record, "toml"), encoding="utf-8")
    return str(folder)


def a_line(record: Record, random: Random) -> str:
    """Return a move with its game; one of five is refused."""
    order = str(a_choice(record.state, random)) if random.random() < 0.8 else "offer 41"
    return json.dumps(
        {"game": game_files.data_of(record), "move": {"player": who_decides(record.state), "orders": [order]}}
    )


def written(lines: list[str], number: int, path: Path) -> Path:
    with path.open("w", encoding="utf-8") as file:
        for line in islice(cycle(lines), number):
            file.write(f"{line}\n")
    return path


def cost_of(command: list[str]) -> tuple[float, float]:
    """Return the CPU seconds of a command with all its processes, and the seconds until it ends."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=False)  # it ends with 65, since some moves are refused
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.monotonic() - start


def memory_of(command: list[str]) -> int:
    """Return the greatest memory of a command in MiB, asked in a process that is small itself."""
    ask = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)"
    )
    asked = [sys.executable, "-I", "-c", ask, *command]
    return int(subprocess.run(asked, check=True, capture_output=True, text=True).stdout)


def main() -> None:
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    random = Random(1)
    games = (record for seed in count() for record in decisions(seed) if who_decides(record.state))
    records = list(islice(games, DIFFERENT))
    lines = [a_line(record, random) for record in records]
    print(f"{len(records)} different games, {sum(map(len, lines)) // len(lines)} characters a line")
    with tempfile.TemporaryDirectory() as name:
        few = str(written(lines, DIFFERENT, Path(name, "few.ndjson")))
        none = str(written(lines, 1, Path(name, "one.ndjson")))
        seconds = cost_of([*PROGRAM, "check", "--batch", few])[0] - cost_of([*PROGRAM, "check", "--batch", none])[0]
        print(f"check --batch: {DIFFERENT / seconds:.0f} verdicts a second of CPU time")
        many = [*PROGRAM, "check", "--batch", str(written(lines, number, Path(name, "many.ndjson")))]
        one, two = cost_of(many), cost_of([*many, "--jobs", "2"])
        print(f"--jobs 2: {one[1] / two[1]:.2f} times as fast as one, at {two[0] / one[0]:.2f} times its CPU time")
        print(f"a batch of {number} lines: {memory_of(many)} MiB")
        whole = whole_games()
        archive = archived(whole, Path(name, "archive"))
        gc.collect()  # what was there before takes none of the time
        before = time.process_time()
        logged = sum(map(verify, whole))
        print(f"verify: {logged / (time.process_time() - before):.0f} lines of log a second")
        stats, verify_all = ([*PROGRAM, word, archive] for word in ("stats", "verify"))
        ratio = median(cost_of(stats)[0] / cost_of(verify_all)[0] for _ in range(5))
        print(f"stats on {WHOLE_GAMES} whole games: {ratio:.2f} times the CPU time of verify")


if __name__ == "__main__":
    main()

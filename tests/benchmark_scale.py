"""How fast many games are simulated: by one worker and by two, on processes and on a cluster, and a million games.

    pip install '.[cluster]' && python tests/benchmark_scale.py [--games 120] [--bots bot,bot,bot] [--rounds 3]

Each rate is the best of some rounds, in which one worker and two take turns: other programs only ever slow a round
down. The start of the processes is left out: they play a few games before. The ratio says something only where two
cores are free; ``free`` is the same ratio for plain arithmetic in two processes, which nothing could exceed.

The CPU time of the same games with ``--jobs`` 1 and 2 says what sharing costs, on a busy machine too.

The scheduler runs here too, with its workers, as ``dask scheduler`` and ``dask worker``. Its overhead is the time for a
part that has nothing to do, sent and answered like a real one. All this is added up for a million games.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from pbem.scripts.cluster import Cluster
from pbem.scripts.jobs import Crew, in_order
from pbem.scripts.simulation import counted, plan_of, played_shards, shards_of

MILLION = 1_000_000
PARTS = 500


def arithmetic(rounds: int) -> int:
    return sum(number * number for number in range(rounds * 100_000))


def seconds_of(work: object) -> float:
    assert callable(work)
    start = time.monotonic()
    work()
    return time.monotonic() - start


@contextmanager
def processes(number: int) -> Iterator[Crew]:
    with ProcessPoolExecutor(number) as pool:
        yield Crew(pool, number)


@contextmanager
def a_cluster(number: int) -> Iterator[Crew]:
    """Yield a real scheduler with so many workers, which end with the block."""
    with tempfile.TemporaryDirectory() as name:
        found = Path(name, "scheduler.json")
        dask = [sys.executable, "-m", "dask"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        begun = [
            subprocess.Popen(
                [*dask, "scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", found, "--no-dashboard"],
                **quiet,
            )
        ]
        try:
            while not found.exists() or not found.read_text():
                time.sleep(0.1)
            address = json.loads(found.read_text())["address"]
            worker = [*dask, "worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
            begun += [subprocess.Popen([*worker, "--local-directory", name], **quiet) for _ in range(number)]
            crew = Cluster(address)
            while len(crew._client.nthreads()) < number:
                time.sleep(0.1)
            yield crew
            crew.close()
        finally:
            for process in begun:
                process.kill()
                process.wait()


def rate(crew: Crew, games: int, bots: str) -> float:
    """Return how many games a second these workers simulate."""
    plan = plan_of(bots.split(","), board="players", hide_food=False, seed="1", components=None)
    seconds = seconds_of(lambda: counted(plan, played_shards(plan, games, crew)))
    return games / seconds


def cpu_of(jobs: int, games: int, bots: str) -> float:
    """Return the CPU seconds of a simulation with all its processes, which other programs hardly change."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "pbem", "simulate", "--games", str(games), "--bots", bots, "--jobs", str(jobs)]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description="How fast many games are simulated.")
    parser.add_argument("--games", type=int, default=120)
    parser.add_argument("--bots", default="bot,bot,bot")
    parser.add_argument("--rounds", type=int, default=3)
    said = parser.parse_args()
    size = next(shards_of(said.games)).games
    print(f"{said.games} games between {said.bots}, in parts of {size}; the best of {said.rounds} rounds")

    with ProcessPoolExecutor(1) as one, ProcessPoolExecutor(2) as two:
        times = [(alone(one, 1), alone(two, 2)) for _ in range(said.rounds)]
    free = 2 * min(found for found, _ in times) / min(found for _, found in times)
    print(f"free       : two processes do {free:.2f} times the arithmetic of one")

    best = overhead = 0.0
    for title, kind in (("processes", processes), ("dask", a_cluster)):
        with kind(1) as one, kind(2) as two:
            for crew in (one, two):
                rate(crew, 4 * size, "random,random")
            rates = [(rate(one, said.games, said.bots), rate(two, said.games, said.bots)) for _ in range(said.rounds)]
            first, second = (max(column) for column in zip(*rates, strict=True))
            told = f"{first:.2f} and {second:.2f} games a second by 1 and 2 workers"
            print(f"{title:11}: {told}, {second / first:.2f} times", flush=True)
            overhead = min(seconds_of(lambda two=two: list(in_order(abs, range(PARTS), two))) for _ in range(4))
            overhead /= PARTS
            told = f"a part costs {1000 * overhead:.2f} ms besides its games, {overhead * first / size:.2%} of them"
            print(f"{title:11}: {told}", flush=True)
            best = max(best, first)
    cost = [cpu_of(jobs, said.games, said.bots) for jobs in (1, 2)]
    told = f"{cost[0]:.1f} and {cost[1]:.1f} seconds with --jobs 1 and 2"
    print(f"CPU time   : {told}: two free cores give {2 * cost[0] / cost[1]:.2f} times at most")
    hours, parts = MILLION / best / 3600, sum(1 for _ in shards_of(MILLION))
    print(f"a million  : {hours:.1f} core hours; with 1,000 cores {hours * 3.6:.0f} seconds")
    cores = MILLION / parts / (overhead * best)
    told = f"{parts * overhead / 60:.1f} minutes for {parts} parts, and can feed {cores:.0f} cores"
    print(f"             dask needs {told}")


def alone(pool: Executor, number: int) -> float:
    """Return the seconds for so many equal pieces of arithmetic at a time."""
    return seconds_of(lambda: list(pool.map(arithmetic, [10] * number)))


if __name__ == "__main__":
    main()

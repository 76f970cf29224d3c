"""Long commands on a cluster: a real scheduler of dask and workers on this machine, some of which are killed."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from multiprocessing.process import BaseProcess
from pathlib import Path
from tempfile import TemporaryDirectory

import mishaps
import pytest

from pbem.cli import app as cli
from pbem.errors import TryAgain, UsageError
from pbem.scripts.simulation import simulate

pytest.importorskip("distributed")

from clusters import SCHEDULER, WORKER, started
from distributed import Client

from pbem.scripts import cluster, errands
from pbem.scripts.cluster import Cluster

HERE = Path(__file__).parent
PROGRAM = [sys.executable, "-m", "pbem"]
THREE = ("random", "random", "random")
# The client of dask has threads of its own, whose warnings are not about us.
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.slow]


class Place:
    """A scheduler and its workers, each a process of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.marker = folder / "happened"
        self._processes: list[BaseProcess] = []
        found = folder / "scheduler.json"
        self.scheduler = self._start(SCHEDULER, "--port", "0", "--no-dashboard", "--scheduler-file", str(found))
        while not found.exists() or not found.read_text(encoding="utf-8"):
            assert self.scheduler.is_alive(), (folder / "log").read_text(encoding="utf-8")
            time.sleep(0.05)
        self.address: str = json.loads(found.read_text(encoding="utf-8"))["address"]

    def _start(self, program: str, *words: str, lacking: str = "") -> BaseProcess:
        env = {**os.environ, mishaps.MARKER: str(self.marker), "PYTHONPATH": str(HERE)}
        log = self._folder / "log"
        process = started(program, *words, "--host", "127.0.0.1", out=log, err=log, env=env, lacking=lacking)
        self._processes.append(process)
        return process

    def worker(self, threads: int = 1, *, nanny: bool = False, lacking: str = "") -> BaseProcess:
        """Start another worker; a nanny would start it again when it is killed."""
        where = ("--local-directory", str(self._folder), "--nanny" if nanny else "--no-nanny")
        words = (self.address, "--nthreads", str(threads), "--no-dashboard", *where)
        return self._start(WORKER, *words, lacking=lacking)

    def wait_for(self, workers: int) -> None:
        """Wait until so many workers have come."""
        with Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(workers, timeout=120)

    def end(self) -> None:
        """Kill all of them."""
        for process in self._processes:
            process.kill()
            process.join()


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    found = Place(tmp_path)
    yield found
    found.end()


@pytest.fixture
def patience(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Set for how many seconds a command waits for a scheduler, or for workers."""
    return lambda seconds: monkeypatch.setattr(cluster, "PATIENCE", seconds)


def said_by(*words: str, status: int = 0) -> str:
    with TemporaryDirectory() as folder:
        out, err = Path(folder, "out"), Path(folder, "err")
        env = {**os.environ, "PYTHONPATH": str(HERE), mishaps.MARKER: "/"}
        process = started("pbem.__main__", *words, out=out, err=err, env=env)
        process.join(600)
        said = out.read_text(encoding="utf-8")
        assert (process.exitcode, err.read_text(encoding="utf-8")) == (status, ""), said
        return said


def test_a_worker_is_killed_in_the_middle_and_no_byte_is_different(place: Place, tmp_path: Path) -> None:
    """What it had to do is done by the other one, which has several threads."""
    workers = place.worker(), place.worker(threads=2)
    place.wait_for(2)
    command = ["simulate", "--games", "60", "--bots", "mishaps:dies_once,random", "--json"]

    there = said_by(*command, "--cluster", place.address, "--keep", str(tmp_path / "there"))

    assert place.marker.exists()
    assert sorted(worker.is_alive() for worker in workers) == [False, True]
    assert there == said_by(*command, "--keep", str(tmp_path / "here"), "--jobs", "2") == said_by(*command)
    kept = [{path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("here", "there")]
    assert kept[0] == kept[1]


def test_every_long_command_runs_there(place: Place, tmp_path: Path) -> None:
    """The workers see none of the files: they are read here."""
    place.worker()
    place.worker()
    place.wait_for(2)
    games, digests = str(HERE / "games"), str(tmp_path / "digests")
    there = ["--cluster", place.address]

    assert said_by("diff-engines", digests, games, "--store", *there) == "the digests of 4 games were stored\n"
    commands = (
        ["verify", games],
        ["verify", games, "--json"],
        ["stats", games, "--json"],
        ["diff-engines", digests, games],
    )
    for command in commands:
        assert said_by(*command, *there) == said_by(*command)


def test_any_executor_of_dask_does_the_work(place: Place) -> None:
    place.worker()
    with Client(place.address, set_as_default=False) as client:
        client.wait_for_workers(1, timeout=120)
        assert simulate(45, THREE, workers=client.get_executor(pure=False)) == simulate(45, THREE)
    assert simulate(45, THREE, workers=place.address) == simulate(45, THREE)


def test_workers_that_come_later_work_too(place: Place, patience: Callable[[float], None]) -> None:
    patience(120)
    command = [*PROGRAM, "simulate", "--games", "10", "--bots", "random,random", "--cluster", place.address]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        place.worker()
        assert process.wait(120) == 0


def test_an_interrupt_leaves_no_work_behind(place: Place, tmp_path: Path) -> None:
    place.worker()
    folder = tmp_path / "kept"
    command = [*PROGRAM, "simulate", "--games", "5000", "--bots", "random,random", "--cluster", place.address]
    with subprocess.Popen([*command, "--keep", str(folder)], stderr=subprocess.PIPE) as process:
        while not folder.exists() or len(list(folder.iterdir())) < 5:
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=120)

    told = f"interrupted; the finished parts are in {folder}, and the same command continues from there\n"
    assert (process.returncode, err.decode()) == (130, told)
    with Client(place.address, set_as_default=False) as client:
        while any(client.processing().values()):
            time.sleep(0.05)


# What may go wrong


def test_all_workers_are_lost(place: Place, tmp_path: Path, patience: Callable[[float], None]) -> None:
    """What is finished is kept, and a later run goes on from there."""
    worker = place.worker()
    place.wait_for(1)
    crew = Cluster(place.address)
    patience(1)

    folder = tmp_path / "kept"
    try:
        simulate(20, THREE, workers=crew, keep=folder)
        worker.kill()
        with pytest.raises(TryAgain, match="has no workers") as lost:
            simulate(60, THREE, workers=crew, keep=folder)
    finally:
        crew.close()
    assert "dask worker" in lost.value.hint
    patience(120)
    place.worker()
    assert simulate(60, THREE, workers=place.address, keep=folder) == simulate(60, THREE)


def test_the_scheduler_is_lost(place: Place, patience: Callable[[float], None]) -> None:
    place.worker()
    patience(120)
    crew = Cluster(place.address)
    crew._client._timeout = 1  # how long dask tries to reach it again
    place.scheduler.kill()
    place.scheduler.join()
    patience(1)
    try:
        with pytest.raises(TryAgain, match="the connection to the scheduler"):
            simulate(90, THREE, workers=crew)
    finally:
        crew.close()


def test_work_that_kills_every_worker_is_given_up(place: Place) -> None:
    """The worker has a nanny that starts it again each time."""
    place.worker(nanny=True)
    place.wait_for(1)

    said = json.loads(
        said_by(
            "simulate",
            "--games",
            "3",
            "--bots",
            "mishaps:always_dies,random",
            "--cluster",
            place.address,
            "--json",
            status=75,
        )
    )

    assert said["message"] == "the same work was begun 4 times, and every time its worker was lost"


def test_workers_with_another_version_are_refused(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.worker()
    place.wait_for(1)
    monkeypatch.setattr(errands, "this_version", lambda: "another")

    with pytest.raises(UsageError, match="a worker has another version of pbem"):
        simulate(3, THREE, workers=place.address)


def test_workers_without_pbem_are_refused_and_go_on(place: Place) -> None:
    """A worker of dask ends if it is sent a function that it cannot import: they may belong to somebody else."""
    worker = place.worker(lacking="pbem")
    place.wait_for(1)

    with pytest.raises(UsageError, match="a worker has no pbem"):
        simulate(3, THREE, workers=place.address)

    with Client(place.address, set_as_default=False) as client:
        with pytest.raises(UsageError, match="a worker has no pbem"):
            simulate(3, THREE, workers=client.get_executor())
        assert client.submit(abs, -7).result(timeout=60) == 7
    assert worker.is_alive()


def test_an_error_there_is_the_error_here(place: Place) -> None:
    place.worker()
    place.wait_for(1)
    command = ["simulate", "--games", "20", "--bots", "mishaps:fails,random", "--json"]

    assert said_by(*command, "--cluster", place.address, status=65) == said_by(*command, status=65)


@pytest.mark.parametrize(
    "address", ["somewhere", "", "tcp://", "10.0.0.1", "tcp://a:b", "file:///x:1", "a b:1", "a:65536"]
)
def test_what_is_not_an_address_is_refused(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["simulate", "--games", "1", "--cluster", address]) == 2
    assert "is not the address of a scheduler" in capsys.readouterr().err


def test_an_address_where_nobody_listens(patience: Callable[[float], None], capsys: pytest.CaptureFixture[str]) -> None:
    patience(1)

    assert cli.run(["verify", str(HERE / "games"), "--cluster", "tcp://127.0.0.1:1"]) == 75
    assert capsys.readouterr().err.startswith("try-again: no dask scheduler answers at tcp://127.0.0.1:1\n")


def test_a_server_that_says_nothing(patience: Callable[[float], None]) -> None:
    patience(2)
    told: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(TryAgain, match="no dask scheduler answers"):
            Cluster(address, told.append)
    assert told == [f"waiting for the scheduler at {address}"]


def test_a_scheduler_without_workers(place: Place, patience: Callable[[float], None]) -> None:
    patience(3)
    told: list[str] = []
    with pytest.raises(TryAgain, match=r"the cluster at .* has no workers"):
        Cluster(place.address, told.append)
    assert told == [f"waiting for workers of the scheduler at {place.address}"]


def test_the_extra_is_named_where_it_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)

    assert cli.run(["stats", str(HERE / "games"), "--cluster", "10.0.0.1:8786"]) == 2
    assert "pip install '.[cluster]'" in capsys.readouterr().err

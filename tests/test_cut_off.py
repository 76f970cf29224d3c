"""Whatever cuts a command off, and wherever the disk is full: nothing is torn, lost or done twice."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import NamedTuple

import pytest
from forked import import_all
from gits import ENVIRONMENT, copied_group
from scenarios import SCENARIOS, End, Scenario, is_whole
from strokes import PROGRAMS, Call, calls_of, ran, struck
from templates import template
from work import Some

from pbem import __main__ as program

pytestmark = [pytest.mark.needs("strace"), pytest.mark.slow]
ENDS = {0, 2, 65, 66, 73, 74, 75, 76, 77}
FULL = re.compile("the disk is full|[Nn]o space left on device|[Dd]isk quota exceeded")
MEMORY = Path("/dev/shm")  # noqa: S108
FOLDER = tempfile.TemporaryDirectory(prefix="pc-", dir=MEMORY if os.access(MEMORY, os.W_OK) else None)
NOW = time.time()


class Case(NamedTuple):
    """A scenario: its folder as it was saved and as it is used, and all that there is before and after the command."""

    scenario: Scenario
    saved: Path
    folder: Path
    before: End
    afters: tuple[End, ...]
    calls: tuple[Call, ...]

    def again(self) -> None:
        """Put the folder back as it was saved."""
        put_back(self.saved, self.folder)

    def work(self) -> None:
        """Be the program."""
        the_program(self)

    def work_again(self) -> None:
        """Be the program once more, with other secrets."""
        the_program(self, seed=b"again")

    @property
    def is_done(self) -> bool:
        """Whether everything is as if the command had run once, at the first time or again."""
        return self.scenario.end(self.folder) in self.afters

    @property
    def complaint(self) -> str:
        """What the command has said last."""
        return "".join(self.saved.with_name(name).read_text(encoding="utf-8") for name in ("err", "out"))

    def comes_to_the_end(self) -> None:
        """Assert that the same command, and what its hints say, brings about all that it should, and nothing else."""
        for _ in range(4):
            status = ran(self.work_again)
            assert status in ENDS, self.complaint
            if self.is_done:
                break
            for words in said_to_do(self.complaint):
                subprocess.run(words, cwd=self.folder / self.scenario.at, env=ENVIRONMENT, check=True)
        found = self.scenario.end(self.folder)
        assert found in self.afters, (different(found, self.afters[0]), self.complaint)
        is_whole(self.folder)


def said_to_do(complaint: str) -> Iterator[list[str]]:
    """Yield the commands that the hint of a complaint says."""
    hint = complaint.partition("hint: ")[2]
    for command in re.findall(
        r"(?:^|left a lock: )((?:rm|git) \S.*?)(?: discards the changes| pushes it|, then|$)", hint, re.M
    ):
        yield shlex.split(command)
    if "move away what was never committed" in hint:
        yield ["git", "clean", "--quiet", "--force"]


def put_back(saved: Path, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(saved, folder, symlinks=True)


def different(one: End, other: End) -> dict[str, tuple[object, object]]:
    return {key: (one.get(key), other.get(key)) for key in one.keys() | other.keys() if one.get(key) != other.get(key)}


def the_program(case: Case, seed: bytes = b"") -> None:
    """Be the program, whose secrets are the same each time; what it says goes beside the saved folder."""
    scenario, folder, beside = case.scenario, case.folder, case.saved.with_name
    os.chdir(folder / scenario.at)
    os.environ.clear()
    os.environ.update({**ENVIRONMENT, "XDG_DATA_HOME": str(folder / scenario.home)})
    sys.stdout, sys.stderr = (beside(name).open("w", encoding="utf-8") for name in ("out", "err"))
    real, number = os.urandom, count()
    os.urandom = lambda size: real(size) if size == 8 else sha256(b"%s %d" % (seed, next(number))).digest()[:size]
    time.time = lambda: NOW
    sys.argv = ["pbem", *scenario.words]
    program.main()


@cache
def the_case(name: str) -> Case:
    """Return a scenario that can be cut off, with all calls that it consists of."""
    import_all()
    scenario = next(each for each in SCENARIOS if each.name == name)
    saved, folder = Path(FOLDER.name, name, "saved"), Path(FOLDER.name, name, "used")
    copied_group(template("scenario", scenario.begin, name), saved)
    case = Case(scenario, saved, folder, {}, (), ())
    case.again()
    before = scenario.end(folder)
    case.again()
    calls = calls_of(case.work, folder.with_name("log"))
    begins = [number for number, call in enumerate(calls) if call.name == "rt_sigaction"][2]
    is_whole(folder)
    after = scenario.end(folder)
    assert before != after
    case.again()
    assert ran(case.work_again) == 0
    return case._replace(before=before, afters=(after, scenario.end(folder)), calls=tuple(calls[begins + 1 :]))


NAMES = [scenario.name for scenario in SCENARIOS]


@pytest.mark.parametrize("name", NAMES)
def test_killed_before_any_call_that_writes_it_comes_to_the_same_end(name: str, some: Some) -> None:
    """And before any other program is started, and when that has ended."""
    case = the_case(name)
    for call in some([call for call in case.calls if call.writes or call.name in PROGRAMS], 11):
        case.again()
        assert struck(case.work, call, "signal=KILL") == -signal.SIGKILL, call
        is_whole(case.folder)
        case.comes_to_the_end()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("error", ["ENOSPC", "EDQUOT", "EIO"])
def test_where_the_disk_is_full_nothing_is_half_done_and_the_command_can_be_given_again(
    name: str, error: str, some: Some
) -> None:
    case = the_case(name)
    passes = error != "EIO"
    for call in some([call for call in case.calls if call.writes][:: 1 if error == "ENOSPC" else 5], 7):
        case.again()
        status = struck(case.work, call, f"error={error}")
        assert status in (0, 74, 75 if passes else 73), (call, status, case.complaint)
        assert status != 75 or FULL.search(case.complaint), (call, case.complaint)
        is_whole(case.folder)
        assert call.name == "unlink" or not list(case.folder.rglob(".pbem-*.tmp")), call
        assert status or case.is_done, call
        case.comes_to_the_end()


@pytest.mark.needs("mount")
@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith("index")])
def test_on_a_disk_that_fills_up_nothing_is_half_done(name: str, tmp_path: Path, some: Some) -> None:
    """A real one, on which less and less room is left: for git too, which the other test does not strike."""
    case = the_case(name)
    with a_disk(tmp_path / "disk") as disk:
        on_disk, statuses = case._replace(folder=disk / "used"), []
        for room in some(range(0, 400, 8), 7):
            on_disk.again()
            (disk / "filler").write_bytes(bytes(shutil.disk_usage(disk).free - room * 1024))
            statuses.append(ran(on_disk.work))
            is_whole(on_disk.folder)
            (disk / "filler").unlink()
            assert statuses[-1] in (0, 74, 75), (room, on_disk.complaint)
            assert statuses[-1] or on_disk.is_done, room
            on_disk.comes_to_the_end()
    assert {0} < set(statuses) <= {0, 74, 75}


@contextmanager
def a_disk(place: Path) -> Iterator[Path]:
    """Yield a disk of some megabytes."""
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", str(place)], check=True)
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)

"""The user nobody, as whom a mail server runs its programs, and a Python that this user may run."""

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def nobody_python(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An interpreter that nobody may run, with this project and what it needs; all workers share one."""
    if works_for_nobody(sys.executable):
        yield sys.executable
        return
    of_worker = tmp_path_factory.getbasetemp()
    of_all = of_worker.parent if "PYTEST_XDIST_WORKER" in os.environ else of_worker
    with (
        (of_all / "nobody-python").open("a+", encoding="utf-8") as where,
        (of_all / "nobody-uses-it").open("w") as users,
    ):
        fcntl.flock(where, fcntl.LOCK_EX)
        where.seek(0)
        folder = Path(where.read() or "nowhere")
        if not folder.exists():
            folder = installed_for_nobody()
            where.truncate(0)
            where.write(str(folder))
            where.flush()
        fcntl.flock(users, fcntl.LOCK_SH)
        fcntl.flock(where, fcntl.LOCK_UN)
        yield str(folder / "bin" / "python")
        fcntl.flock(where, fcntl.LOCK_EX)
        fcntl.flock(users, fcntl.LOCK_UN)  # to close it is not enough: a process that was forked off may have it open
        with suppress(BlockingIOError):  # the last one takes it away
            fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
        fcntl.flock(where, fcntl.LOCK_UN)


def installed_for_nobody() -> Path:
    """Return the folder of a new environment with this project, which every user can read."""
    folder = Path(tempfile.mkdtemp(prefix="pm-python-", dir="/tmp"))
    folder.chmod(0o755)
    try:
        made = subprocess.run(
            [find_python() or "", "-m", "venv", "--without-pip", folder], check=False, capture_output=True
        )
        assert made.returncode == 0, made.stderr
        python = str(folder / "bin" / "python")
        if not copied_to(folder, python):
            command = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", str(ROOT)]
            installed = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
            assert installed.returncode == 0, installed.stderr
        assert works_for_nobody(python)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return folder


def copied_to(folder: Path, python: str) -> bool:
    """Copy this project and what it needs into an environment, as they are here; False if its Python is another one.

    That takes a tenth of the time of an installation.
    """
    tag = as_nobody([python, "-c", "import sys; print(sys.implementation.cache_tag)"]).stdout.decode().strip()
    if tag != sys.implementation.cache_tag:
        return False
    (site,) = folder.glob("lib/python*/site-packages")
    shutil.copytree(ROOT / "pbem", site / "pbem")
    wanted, seen = ["pbem"], set[str]()
    while wanted:
        name = wanted.pop()
        seen.add(name)
        found = distribution(name)
        needs = [Requirement(line) for line in found.requires or ()]
        wanted += [need.name for need in needs if need.name not in seen and (not need.marker or need.marker.evaluate())]
        for file in (found.files or ()) if name != "pbem" else ():
            if ".." not in file.parts:  # as programs are, which nobody runs
                (site / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(str(file.locate()), site / file)
    return True


def find_python() -> str | None:
    """Return a Python of the system that other users may run too, if there is one."""
    for name in ("python3.13", "python3.12", "python3.11", "python3"):
        for folder in ("/usr/bin", "/usr/local/bin"):
            python = f"{folder}/{name}"
            test = "import venv, sys; sys.exit(sys.version_info < (3, 11))"
            with suppress(OSError):
                if as_nobody([python, "-c", test]).returncode == 0:
                    return python
    return None


def works_for_nobody(python: str) -> bool:
    """Return whether the user nobody can run this project with the interpreter."""
    with suppress(PermissionError):
        return as_nobody([python, "-c", "import pbem.cli.app, jsonschema, tomli_w"]).returncode == 0
    return False


def as_nobody(command: list[str], **options: object) -> "subprocess.CompletedProcess[bytes]":
    """Run a command as the user that an MTA runs its hooks as."""
    who = {"user": "nobody", "group": "nogroup", "extra_groups": []}
    return subprocess.run(command, check=False, capture_output=True, cwd="/", **who, **options)  # type: ignore[call-overload,no-any-return]

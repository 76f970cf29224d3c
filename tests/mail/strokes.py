"""Strokes of fate: a piece of work runs in a process of its own, in which one system call is the last one, or fails.

``strace`` does it (from Debian's package). The process is forked off and stopped, so
that a stroke costs hundredths of a second and every single call can be tried.
"""

import ctypes
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from pbem.__main__ import main

WRITING = {"openat", "write", "rename", "fsync", "mkdir", "unlink", "rmdir", "link", "ftruncate", "fchmod"}
BY_SQLITE = {"pwrite64", "fdatasync"}
MEMORY = {"brk", "mmap", "munmap", "mremap", "madvise"}  # how many there are depends on what was done before
PROGRAMS = {"fork", "vfork", "clone", "clone3", "wait4"}  # another program starts, or has ended
_NOT_ON_DISK = ("<pipe:", "<socket:", "</dev/null>", "O_RDONLY")
_ADOPT_ORPHANS = 36  # PR_SET_CHILD_SUBREAPER


class Call(NamedTuple):
    """A system call of a piece of work: its name, how many of that name there have been with it, and what it is given.

    Two calls with the same name and number are struck at the same moment.
    """

    name: str
    number: int
    given: str = ""

    @property
    def writes(self) -> bool:
        """Whether the call changes what is on a disk."""
        return self.name in WRITING | BY_SQLITE and not any(other in self.given for other in _NOT_ON_DISK)


def strikes() -> bool:
    """Return whether a stroke falls here: in some containers no process may trace another."""
    try:
        return struck(os.getppid, Call("getppid", 1), "signal=KILL") == -signal.SIGKILL
    except (FileNotFoundError, AssertionError):
        return False


def calls_of(work: Callable[[], object], log: Path) -> list[Call]:
    """Do the work in a process of its own, and return its system calls but those for memory.

    The same work makes the same ones again.
    """
    assert _traced(work, "-y", "-o", str(log)) == 0
    seen: Counter[str] = Counter()
    calls = []
    for name, given in re.findall(r"^(\w+)\((.*)", log.read_text(errors="replace"), re.MULTILINE):
        if name not in MEMORY:
            seen[name] += 1
            calls.append(Call(name, seen[name], given))
    return calls


def struck(work: Callable[[], object], call: Call, stroke: str) -> int:
    """Do the work in a process of its own, of which one call is struck: by ``signal=KILL``, or ``error=ENOSPC``.

    Returns how the process ended: 0, 1 if the work raised, minus the signal.
    """
    which = f"inject={call.name}:{stroke}:when={call.number}"
    return _traced(work, "-e", f"trace={call.name}", "-e", which, "-o", "/dev/null")


def ran(work: Callable[[], object]) -> int:
    """Do the work in a process of its own that nothing strikes, and return how it ended."""
    return _traced(work)


def in_program(folder: Path, *words: str) -> Callable[[], None]:
    """Return the program as a piece of work in a folder; what it says goes to files beside the folder."""

    def work() -> None:
        os.chdir(folder)
        sys.stdout, sys.stderr = ((folder.parent / name).open("w", encoding="utf-8") for name in ("out", "err"))
        sys.argv = ["pbem", *words]
        main()

    return work


def files_in(folder: Path) -> dict[str, bytes]:
    """Return the files in a folder, which has none below."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def put_back(folder: Path, files: dict[str, bytes]) -> None:
    """Make the folder hold these files alone; plans and secrets are for their owner only."""
    shutil.rmtree(folder)
    folder.mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)
        (folder / name).chmod(0o600 if ".plans." in name or ".secret." in name else 0o644)


def _traced(work: Callable[[], object], *how: str) -> int:
    """Do the work, and return how it ended when every program that it has started has ended as well."""
    child = os.fork()
    if not child:
        os.setpgid(0, 0)
        _work(work)
    ctypes.CDLL(None).prctl(_ADOPT_ORPHANS, 1)
    try:
        return _struck(child, *how)
    finally:
        with suppress(ChildProcessError):
            while os.waitpid(-child, 0):
                pass


def _struck(child: int, *how: str) -> int:
    os.waitpid(child, os.WUNTRACED)
    if not how:
        os.kill(child, signal.SIGCONT)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with subprocess.Popen(["strace", "-q", *how, "-p", str(child)], stderr=subprocess.PIPE) as tracer:
        while not _is_traced(child) and tracer.poll() is None:
            time.sleep(0.0005)
        os.kill(child, signal.SIGCONT)  # who was stopped when the tracer came does nothing that it does not see
        status = os.waitpid(child, 0)[1]
        said = tracer.communicate(timeout=120)[1]
    assert not said, said
    return os.waitstatus_to_exitcode(status)


def _work(work: Callable[[], object]) -> None:
    """Stop, do the work when woken, and end, whatever happens, without anything that a test does at its end."""
    status = 1
    try:
        os.kill(os.getpid(), signal.SIGSTOP)
        work()
        status = 0
    finally:
        os._exit(status)


def _is_traced(process: int) -> bool:
    with open(f"/proc/{process}/status", encoding="ascii") as file:  # noqa: PTH123 -- a thousand times
        return "\nTracerPid:\t0\n" not in file.read()

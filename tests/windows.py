"""The program as it is on Windows: as a script, this is ``pbem`` without everything that Python lacks there.

On Windows itself nothing has to be taken away.
"""

import errno
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from types import ModuleType

NAMES = {
    os: "O_NOFOLLOW O_DIRECTORY O_NONBLOCK O_NOCTTY fchmod fchown chown lchown getuid geteuid getgid getegid getgroups "
    "getgrouplist listxattr getxattr setxattr removexattr mkfifo fork forkpty killpg setsid sched_getaffinity uname",
    signal: "SIGHUP SIGALRM SIGVTALRM SIGPROF SIGUSR1 SIGPIPE alarm setitimer getitimer "
    "pthread_sigmask ITIMER_REAL ITIMER_VIRTUAL ITIMER_PROF",
}
BINARY = 0x8000  # O_LARGEFILE here, which changes nothing
MODULES = ("fcntl", "pwd", "grp", "resource", "termios", "tty", "pty", "syslog")


def pretend() -> None:
    """Take away from this process what Python on Windows lacks, and give it what only Windows has."""
    import multiprocessing
    import shutil
    import subprocess  # noqa: F401 -- these have read what they need of this system
    import tempfile  # noqa: F401

    if sys.platform == "win32":
        return
    open_folderless, strict_replace, sys.modules["msvcrt"] = os.open, os.replace, _locking()
    for place, names in NAMES.items():
        for name in names.split():
            if hasattr(place, name):
                delattr(place, name)
    for name in MODULES:
        sys.modules[name] = None  # type: ignore[assignment]
    os.O_BINARY, os.linesep = BINARY, "\r\n"  # type: ignore[attr-defined]
    signal.SIGBREAK = signal.SIGUSR2  # type: ignore[attr-defined]
    shutil._use_fd_functions = False  # type: ignore[attr-defined]
    multiprocessing.set_start_method("spawn")

    def open_no_folder(path: str, flags: int, mode: int = 0o777, **more: int) -> int:
        """Open a file, and no folder."""
        if os.path.isdir(path):  # noqa: PTH112
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        ours = os.path.basename(path).startswith(".pbem-")  # noqa: PTH119
        assert not ours or flags & BINARY, f"in {path} a line feed would become two bytes"
        return open_folderless(path, flags, mode, **more)

    def replace_nothing_open(old: str, new: str, **more: int) -> None:
        """Rename a file, unless this process has the one that it replaces open."""
        busy: list[PermissionError] = []
        for number in os.listdir("/dev/fd"):  # noqa: PTH208
            with suppress(OSError):
                if os.path.samestat(os.fstat(int(number)), os.stat(new)):  # noqa: PTH116
                    error = PermissionError(errno.EACCES, os.strerror(errno.EACCES), new)
                    error.winerror = 5  # type: ignore[attr-defined]
                    busy.append(error)
        for error in busy:
            raise error
        strict_replace(old, new, **more)

    os.open, os.replace = open_no_folder, replace_nothing_open  # type: ignore[assignment]


def _locking() -> ModuleType:
    """Return the module that locks bytes of files on Windows, made of what this system has."""
    import fcntl

    module, flock, how = ModuleType("msvcrt"), fcntl.flock, fcntl.LOCK_EX | fcntl.LOCK_NB

    def locking(descriptor: int, mode: int, size: int) -> None:
        assert (mode, size) == (2, 1)
        try:
            flock(descriptor, how)
        except BlockingIOError:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES)) from None

    module.locking, module.LK_NBLCK = locking, 2  # type: ignore[attr-defined]
    return module


if __name__ == "__main__":
    pretend()
    sys.path[0] = str(Path.cwd())
    sys.argv[0] = "pbem"
    from pbem.__main__ import main

    main()

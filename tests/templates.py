"""Folders with which many tests begin: each is made once, by the worker that needs it first, and all have copies."""

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None  # type: ignore[assignment]

_ROOT = "PBEM_TEST_TEMPLATES"  # the environment variable with the folder of all of them


@cache
def root() -> Path:
    """Return the folder of all templates, which is removed by the process that has made it: it starts the workers."""
    if _ROOT not in os.environ:
        os.environ[_ROOT] = tempfile.mkdtemp(prefix="pbem-templates-")
        atexit.register(_removed, os.getpid())
    return Path(os.environ[_ROOT])


def _removed(owner: int) -> None:
    if os.getpid() == owner:  # and no process that was forked off from it
        shutil.rmtree(root(), ignore_errors=True)


def template(name: str, make: Callable[[Path], object], *given: object) -> Path:
    """Return the folder of that name, which *make* has filled if it was given the same; nobody may change it.

    It is made at another path than it has then, so that nothing in it may depend on that.
    """
    place = root() / f"{name}-{sha256(repr(given).encode()).hexdigest()[:16]}"
    if not place.exists():
        with place.with_suffix(".lock").open("w") as lock:
            if fcntl:
                fcntl.flock(lock, fcntl.LOCK_EX)
            if not place.exists():
                made = place.with_suffix(f".{os.getpid()}")
                make(made)
                with suppress(OSError):  # without a lock, another worker may have been faster
                    made.rename(place)
                shutil.rmtree(made, ignore_errors=True)
    return place


def copied(place: Path, folder: Path) -> None:
    """Copy a template into a folder, which may be there already; the samples that git has put there are of no use."""
    shutil.copytree(place, folder, symlinks=True, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.sample"))

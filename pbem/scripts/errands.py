"""Work for a worker somewhere else, and its result, both as bytes."""

import pickle
from collections.abc import Callable
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, Final, NamedTuple

from pbem.errors import Bug, PbemError, UsageError
from pbem.sha import sha256

_PACKAGE: Final = Path(__file__).parents[1]
_OURS: Final = ("first_sparks", "scripts")
_computing: Final = Lock()


@cache
def this_version() -> str:
    """Return a digest of what decides about a result: the rules, the bot, and what is counted."""
    found = sorted(path for part in _OURS for end in ("py", "toml") for path in (_PACKAGE / part).rglob(f"*.{end}"))
    texts = (f"{path.relative_to(_PACKAGE).as_posix()}\n{path.read_text(encoding='utf-8')}" for path in found)
    digest: str = sha256("\0".join(texts).encode()).hexdigest()
    return digest[:16]


class _Errand(NamedTuple):
    """What a worker is sent: as soon as it is read there, the work is done.

    Only the standard library is needed to call ``pickle.loads``. A worker of dask ends at once if it has to read what
    it does not know, such as a function of a package that it lacks. The client waits forever for a result that it
    cannot read itself.
    """

    version: str
    task: bytes

    def __reduce__(self) -> tuple[Callable[[str, bytes], bytes], tuple[str, bytes]]:
        return _done, (self.version, self.task)


def errand(work: Callable[[Any], object], item: object) -> bytes:
    """Return what a worker has to give to ``pickle.loads``, so that it does the work for the item."""
    return pickle.dumps(_Errand(this_version(), pickle.dumps((work, item))))


def result_in(answer: bytes) -> object:
    """Return the result of an errand, or raise its error; UsageError if the worker has another version of pbem."""
    well, found = pickle.loads(answer)  # noqa: S301 -- from those to whom we have sent our own
    if well:
        return found
    raise found


def _done(version: str, task: bytes) -> bytes:
    """Return whether the work was done, and its result or error.

    A worker may have several threads, of which Python computes for one at a time; our caches are made for one.
    """
    try:
        if this_version() != version:
            hint = "install the same version there and here"
            raise UsageError("a worker has another version of pbem", hint=hint)
        work, item = pickle.loads(task)  # noqa: S301 -- whoever has sent it may run anything here
        with _computing:
            return pickle.dumps((True, work(item)))
    except PbemError as error:
        return pickle.dumps((False, error))
    except Exception as error:
        return pickle.dumps((False, Bug.of(error)))

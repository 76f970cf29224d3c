"""Parallel work on a cluster: the workers of a dask.distributed scheduler, which somebody has started."""

import logging
import pickle
import re
import time
import warnings
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from importlib import import_module
from threading import Thread
from typing import Any, Final, NamedTuple, TypeVar

from pbem.errors import Bug, PbemError, TryAgain, UsageError
from pbem.scripts.jobs import Crew, Lost, done_alone
from pbem.scripts.kept import this_version

PATIENCE: Final = 30.0  # seconds for which the scheduler may be silent, or without workers
_OFTEN: Final = 5.0  # seconds after which the workers are counted again
_AHEAD: Final = 3  # items for each thread, so that nobody waits for us
_ADDRESS: Final = re.compile(r"(?:(?:tcp|tls|ws|wss|ucx)://)?(?:\[[0-9a-fA-F:.]+\]|[^\s/:\[\]]+):[0-9]{1,5}")

_Item = TypeVar("_Item")


class Cluster(Crew):
    """The workers of a scheduler, however many there are at a time; see ``Crew``.

    They need the same version of pbem, of which they are asked with every item; the scheduler needs none. Items and
    results are sent as bytes, since dask would wait forever for what it cannot read, or lose the worker.
    """

    def __init__(self, address: str) -> None:
        if not _ADDRESS.fullmatch(address):
            hint = "for example: --cluster tcp://10.0.0.1:8786"
            raise UsageError(f"{address!a} is not the address of a scheduler", hint=hint)
        try:
            distributed = import_module("distributed")
        except ImportError:
            hint = "run pip install '.[cluster]' in the source folder of pbem"
            raise UsageError("--cluster needs dask.distributed", hint=hint) from None
        for name in [*logging.root.manager.loggerDict]:  # what they would say is said by our errors
            if name.partition(".")[0] in ("distributed", "tornado"):
                logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        self._address = address
        self._killed: type[Exception] = distributed.KilledWorker
        client = _client(distributed, address)
        if client is None:
            raise TryAgain(f"no dask scheduler answers at {address}", hint="start one with: dask scheduler")
        self._client = client
        self._threads, self._counted, self._seen = 0, 0.0, time.monotonic()
        try:
            while not self.room():
                time.sleep(0.1)
                self.watch()
        except BaseException:
            self.close()
            raise
        super().__init__(self._client.get_executor(pure=False), self._threads)

    def submit(self, work: Callable[[_Item], object], item: _Item) -> "Future[Any]":
        """Send an item to the workers; raises TryAgain if the connection to the scheduler is lost."""
        errand = pickle.dumps(_Errand(this_version(), pickle.dumps((work, item))))
        try:
            return self._executor.submit(pickle.loads, errand)
        except Exception as error:
            raise self._away() from error

    def result(self, future: "Future[Any]") -> object:
        """Return a result; raises TryAgain if the scheduler is lost, UsageError if the workers have another pbem."""
        try:
            well, found = pickle.loads(future.result())  # noqa: S301 -- from those to whom we have sent our own
        except self._killed:
            raise Lost from None
        except CancelledError:
            self._wait_for_scheduler()
            raise Lost from None
        except ModuleNotFoundError as error:
            hint = "install pbem for every worker of the cluster, in the same version as here"
            raise UsageError(f"a worker at {self._address} has no pbem: {error}", hint=hint) from error
        except Exception as error:  # of dask itself: what our work has raised is in the bytes
            hint = "they need the same versions of Python, dask and pbem as this machine"
            message = f"the workers at {self._address} cannot do this: {type(error).__name__}"
            raise UsageError(message, hint=hint) from error
        if well:
            return found
        raise found

    def room(self) -> int:
        """Return how many items may be taken ahead, after counting the threads of all workers now and then."""
        now = time.monotonic()
        if now - self._counted >= _OFTEN or not self._threads:
            self._counted = now
            try:
                asked = self._client.sync(self._client.scheduler.ncores, workers=None, callback_timeout=PATIENCE)
                known: dict[str, int] = asked
            except Exception:  # the scheduler is gone, perhaps for a moment only
                known = {}
            self._threads = sum(known.values())
            self._seen = now if self._threads else self._seen
        return _AHEAD * self._threads

    def watch(self) -> None:
        """Raise TryAgain if the scheduler has had no workers for a while."""
        if not self.room() and time.monotonic() - self._seen > PATIENCE:
            if self._client.status != "running":
                raise self._away()
            hint = f"start some with: dask worker {self._address} --nthreads 1"
            raise TryAgain(f"the cluster at {self._address} has no workers", hint=hint)

    def close(self, *, well: bool = False) -> None:
        """Leave the scheduler, which then forgets our work."""
        try:
            self._client.close(timeout=1)
        except Exception:  # it has gone before us
            logging.getLogger(__name__).debug("the scheduler was gone")

    def _wait_for_scheduler(self) -> None:
        """Wait while the client tries to reach the scheduler again; raises TryAgain if it gives up."""
        deadline = time.monotonic() + PATIENCE
        while self._client.status == "connecting" and time.monotonic() < deadline:
            time.sleep(0.1)
        if self._client.status != "running":
            raise self._away()

    def _away(self) -> PbemError:
        return TryAgain(f"the connection to the scheduler at {self._address} was lost")


def _client(distributed: Any, address: str) -> Any:  # noqa: ANN401 -- a library that is there or not
    """Return a client of the scheduler, or None if nothing answers as one; dask itself waits for a silent server."""
    found: list[Any] = []

    def connect() -> None:
        with suppress(Exception), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # dask compares the versions of packages that we do not use
            found.append(distributed.Client(address, timeout=PATIENCE, set_as_default=False))

    thread = Thread(target=connect, daemon=True)
    thread.start()
    deadline = time.monotonic() + PATIENCE + 1
    while thread.is_alive() and time.monotonic() < deadline:
        thread.join(1)  # not longer, since an interrupt is only seen in between
    return found[0] if found else None


class _Errand(NamedTuple):
    """What a worker is sent: as soon as it is read there, the work is done.

    Only the standard library is needed to call ``pickle.loads``. A worker of dask ends at once if it has to read what
    it does not know, such as a function of a package that it lacks.
    """

    version: str
    task: bytes

    def __reduce__(self) -> tuple[Callable[[str, bytes], bytes], tuple[str, bytes]]:
        return _on_worker, (self.version, self.task)


def _on_worker(version: str, task: bytes) -> bytes:
    """Return whether the work was done, and its result or error, both as bytes."""
    try:
        if this_version() != version:
            hint = "install the same version there and here"
            raise UsageError("a worker of the cluster has another version of pbem", hint=hint)
        work, item = pickle.loads(task)  # noqa: S301 -- whoever has sent it may run anything here
        return pickle.dumps((True, done_alone(work, item)))
    except PbemError as error:
        return pickle.dumps((False, error))
    except Exception as error:
        return pickle.dumps((False, Bug.of(error)))

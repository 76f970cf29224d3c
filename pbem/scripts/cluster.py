"""Parallel work on a cluster: the workers of a dask.distributed scheduler, which somebody has started."""

import logging
import re
import time
import warnings
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from importlib import import_module
from threading import Thread
from typing import Any, Final, TypeVar

from pbem.errors import PbemError, TryAgain, UsageError
from pbem.scripts.jobs import Crew, Lost

PATIENCE: Final = 30.0  # seconds for which the scheduler may be silent, or without workers
_SOON: Final = 2  # seconds after which the user is told what we wait for
_OFTEN: Final = 5.0  # seconds after which the workers are counted again
_AHEAD: Final = 3  # items for each thread, so that nobody waits for us
_ADDRESS: Final = re.compile(r"(?:(?:tcp|tls|ws|wss|ucx)://)?(?:\[[0-9a-fA-F:.]+\]|[^\s/:\[\]]+):[0-9]{1,5}")
_LAST_PORT: Final = 65535

_Item = TypeVar("_Item")


class Cluster(Crew):
    """The workers of a scheduler, however many there are at a time; see ``Crew``.

    They need the same version of pbem; the scheduler needs none. *tell* is told what the beginning waits for.
    """

    def __init__(self, address: str, tell: Callable[[str], None] = lambda _: None) -> None:
        if not _ADDRESS.fullmatch(address) or int(address.rpartition(":")[2]) > _LAST_PORT:
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
        client = _client(distributed, address, tell)
        if client is None:
            raise TryAgain(f"no dask scheduler answers at {address}", hint="start one with: dask scheduler")
        self._client = client
        self._threads, self._counted, self._seen = 0, 0.0, time.monotonic()
        try:
            told = False
            while not self.room():
                time.sleep(0.1)
                self.watch()
                if not told and time.monotonic() - self._seen > _SOON:
                    told = True
                    tell(f"waiting for workers of the scheduler at {address}")
        except BaseException:
            self.close()
            raise
        super().__init__(self._client.get_executor(pure=False), self._threads)

    def submit(self, work: Callable[[_Item], object], item: _Item) -> "Future[Any]":
        """Send an item to the workers; raises TryAgain if the connection to the scheduler is lost."""
        try:
            return super().submit(work, item)
        except Exception as error:
            raise self._away() from error

    def result(self, future: "Future[Any]") -> object:
        """Return a result; raises TryAgain if the scheduler is lost, UsageError if the workers have another pbem."""
        try:
            return super().result(future)
        except self._killed:
            raise Lost from None
        except CancelledError:
            self._wait_for_scheduler()
            raise Lost from None
        except PbemError:
            raise
        except Exception as error:  # of dask itself
            hint = "they need the same versions of Python, dask and pbem as this machine"
            message = f"the workers at {self._address} cannot do this: {type(error).__name__}"
            raise UsageError(message, hint=hint) from error

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


def _client(distributed: Any, address: str, tell: Callable[[str], None]) -> Any:  # noqa: ANN401 -- a library
    """Return a client of the scheduler, or None if nothing answers as one; dask itself waits for a silent server."""
    found: list[Any] = []

    def connect() -> None:
        with suppress(Exception), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # dask compares the versions of packages that we do not use
            found.append(distributed.Client(address, timeout=PATIENCE, set_as_default=False))

    thread = Thread(target=connect, daemon=True)
    thread.start()
    for second in range(int(PATIENCE) + 1):
        thread.join(1)  # not longer, since an interrupt is only seen in between
        if not thread.is_alive():
            break
        if second + 1 == _SOON:
            tell(f"waiting for the scheduler at {address}")
    return found[0] if found else None

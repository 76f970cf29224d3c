"""Parallel work on many items: in order, in several processes, with few items in memory at a time."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from pbem.errors import TryAgain

if TYPE_CHECKING:
    from concurrent.futures import Future

_MOST: Final = 61 if sys.platform == "win32" else 256  # Windows cannot wait for more processes

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def in_order(work: Callable[[_Item], _Result], items: Iterable[_Item], jobs: int) -> Iterator[tuple[_Item, _Result]]:
    """Yield every item with the result of *work*, in order; several jobs use processes of their own.

    Only a few items are taken ahead for each process, and a finished result is not held
    back while the next item is awaited. *work* is a function of a module, or a ``partial``
    of one. Raises TryAgain if a process is killed.
    """
    if jobs == 1:
        yield from ((item, work(item)) for item in items)
        return
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from queue import Empty, SimpleQueue
    from threading import Semaphore, Thread

    taken: SimpleQueue[tuple[_Item, Future[_Result]] | BaseException | None] = SimpleQueue()
    room = Semaphore(2 * jobs)
    stopped = False

    def take() -> None:
        try:
            for item in items:
                room.acquire()
                if stopped:
                    return
                taken.put((item, pool.submit(work, item)))
            taken.put(None)
        except BaseException as error:  # raised again in the thread that asks for the items
            taken.put(error)

    pool = ProcessPoolExecutor(min(jobs, _MOST), initializer=_as_a_helper)
    try:
        try:
            pool.submit(int)  # all processes are forked now, before there is a thread
        except OSError as error:
            raise TryAgain(f"{jobs} processes cannot be started: {error.strerror}", hint="use fewer --jobs") from None
        Thread(target=take, daemon=True).start()
        while (found := _waited_for(partial(taken.get, timeout=1), Empty)) is not None:
            if isinstance(found, BaseException):
                raise found
            item, future = found
            _waited_for(partial(future.exception, timeout=1), TimeoutError)
            yield item, future.result()
            room.release()
        pool.shutdown()
    except BrokenProcessPool:
        raise TryAgain("one of the processes was killed", hint="fewer --jobs use less memory") from None
    finally:  # an early stop does not wait for results that nobody needs
        stopped = True
        room.release()
        pool.shutdown(wait=False, cancel_futures=True)


def _waited_for(ask: Callable[[], _Result], not_yet: type[Exception]) -> _Result:
    """Return the awaited result, and wake up now and then until it is there.

    Python does not notice an interrupt that comes just before it waits for a lock until it has the lock.
    """
    while True:
        with suppress(not_yet):
            return ask()


def _as_a_helper() -> None:
    """Leave interrupts to the first process, and end when that ends, even if it is killed."""
    import signal
    import threading

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
    threading.Thread(target=_end_with_the_first, daemon=True).start()


def _end_with_the_first() -> None:
    import multiprocessing
    import os

    first = multiprocessing.parent_process()
    if first is not None:
        first.join()
        os._exit(TryAgain.exit_status)

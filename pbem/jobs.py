"""Work on many things: in order, in as many processes as are asked for, with few things in memory at a time."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

from pbem.errors import TryAgain

if TYPE_CHECKING:
    from concurrent.futures import Future

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_order(work: Callable[[Item], Result], items: Iterable[Item], jobs: int) -> Iterator[tuple[Item, Result]]:
    """Yield every item and what *work* makes of it, in order; more than one job is done in processes of their own.

    No more items are taken than a few for each process. *work* is a function of a
    module, or made of one by ``partial``. Raises TryAgain if a process is killed.
    """
    if jobs == 1:
        yield from ((item, work(item)) for item in items)
        return
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    waiting: deque[tuple[Item, Future[Result]]] = deque()
    try:
        with ProcessPoolExecutor(jobs, initializer=_as_a_helper) as pool:
            for item in items:
                waiting.append((item, pool.submit(work, item)))
                if len(waiting) > 2 * jobs:
                    done, future = waiting.popleft()
                    yield done, future.result()
            for done, future in waiting:
                yield done, future.result()
    except BrokenProcessPool:
        raise TryAgain("a process that did part of the work was killed", hint="fewer --jobs need less memory") from None


def _as_a_helper() -> None:
    """Leave an interrupt to the first process, and end when that ends, even if it was killed."""
    import signal
    import threading

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_the_first, daemon=True).start()


def _end_with_the_first() -> None:
    import multiprocessing
    import os

    first = multiprocessing.parent_process()
    if first is not None:
        first.join()
        os._exit(TryAgain.exit_status)

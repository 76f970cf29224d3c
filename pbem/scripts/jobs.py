"""Parallel work on many items: in order, on processes or any executor, with few items in memory at a time.

Workers may be lost on the way: what they had to do is done again by others.
"""

import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextlib import contextmanager, suppress
from functools import partial
from queue import Empty, SimpleQueue
from threading import Semaphore, Thread
from typing import Any, Final, Generic, NamedTuple, TypeVar, cast

from pbem.errors import TryAgain, UsageError

_MOST: Final = 61 if sys.platform == "win32" else 256  # Windows cannot wait for more processes
_TRIES: Final = 4  # how often an item is begun before its loss is no accident
_AHEAD: Final = 2  # items for each worker

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


class Crew:
    """Those who do the work: any executor of ``concurrent.futures``, with that number of workers.

    They may be anywhere, so that work is sent as an errand.
    """

    def __init__(self, executor: Executor, workers: int) -> None:
        self._executor = executor
        self._workers = workers

    def submit(self, work: Callable[[_Item], object], item: _Item) -> "Future[Any]":
        """Return the future result of *work* for an item; raises BrokenExecutor if the workers are lost."""
        import pickle

        from pbem.scripts.errands import errand

        return self._executor.submit(pickle.loads, errand(work, item))

    def result(self, future: "Future[Any]") -> object:
        """Return the result of a future that is done; raises Lost, what *work* has raised, or UsageError.

        A worker may have no pbem, or another version.
        """
        from pbem.scripts.errands import result_in

        try:
            answer = future.result()
        except ModuleNotFoundError as error:
            hint = "install pbem for every worker, in the same version as here"
            raise UsageError(f"a worker has no pbem: {error}", hint=hint) from error
        return result_in(answer)

    def room(self) -> int:
        """Return how many items may be taken ahead."""
        return _AHEAD * self._workers

    def renew(self) -> None:
        """Replace workers that are lost; raises TryAgain if they cannot be replaced."""
        raise TryAgain("the workers were lost", hint="start them again, and then this command")

    def watch(self) -> None:
        """Look after the workers while everybody waits; raises TryAgain if nobody works any more."""

    def close(self, *, well: bool = False) -> None:
        """Let the workers go; unless everything went well, what they have not begun is not done."""


class Lost(Exception):
    """The worker of an item was lost, but not the others."""


# One worker is this process itself; more are as many processes.
Workers = int | Executor | Crew


class _Processes(Crew):
    """Processes of this machine, which end with this one."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        super().__init__(self._started(), jobs)

    def _started(self) -> Executor:
        from concurrent.futures import ProcessPoolExecutor

        pool = ProcessPoolExecutor(min(self._jobs, _MOST), initializer=_as_a_helper)
        try:
            pool.submit(int)  # all processes are forked now, before there is a thread
        except OSError as error:
            raise TryAgain(
                f"{self._jobs} processes cannot be started: {error.strerror}", hint="use fewer --jobs"
            ) from None
        return pool

    def submit(self, work: Callable[[_Item], object], item: _Item) -> "Future[Any]":
        return self._executor.submit(work, item)

    def result(self, future: "Future[Any]") -> object:
        return future.result()

    def renew(self) -> None:
        """Start new processes; our other thread holds nothing that they would wait for if they are forked."""
        self._executor.shutdown(wait=False, cancel_futures=True)
        self._executor = self._started()

    def close(self, *, well: bool = False) -> None:
        self._executor.shutdown(wait=well, cancel_futures=not well)


class _AtWork(NamedTuple, Generic[_Item]):
    item: _Item
    future: "Future[Any]"
    tries: int


class _Failure(NamedTuple):
    error: Exception


class Memory(Generic[_Item, _Result]):
    """Results of an earlier run, and a place for those to come; this one remembers nothing."""

    def known(self, item: _Item) -> _Result | None:
        """Return the result for an item that an earlier run has left, or None."""

    def keep(self, item: _Item, result: _Result) -> None:
        """Keep a result as soon as it is there, which may be before those of earlier items."""


def in_order(
    work: Callable[[_Item], _Result],
    items: Iterable[_Item],
    workers: Workers,
    kept: Memory[_Item, _Result] | None = None,
) -> Iterator[tuple[_Item, _Result]]:
    """Yield every item with the result of *work*, in order, by so many processes or by an executor.

    Only a few items are taken ahead for each worker, and a finished result is not held
    back while the next item is awaited. *work* is a function of a module, or a ``partial``
    of one. An item whose worker is lost is given to another one. Raises TryAgain if its worker is lost every time.
    """
    kept = kept or Memory()
    if workers == 1:
        for item in items:
            result = kept.known(item)
            if result is None:
                result = work(item)
                kept.keep(item, result)
            yield item, result
        return
    with _crew_of(workers) as crew:
        yield from _Run(work, items, crew, kept).results()


@contextmanager
def _crew_of(workers: Workers) -> Generator[Crew]:
    """Yield those who work; processes end with the block, and an executor belongs to the caller."""
    if not isinstance(cast("object", workers), int | Executor | Crew):
        raise TypeError(f"expected workers, not {type(workers).__name__}")
    if isinstance(workers, Crew):
        yield workers
        return
    crew = _Processes(workers) if isinstance(workers, int) else Crew(workers, _number_of(workers))
    well = False
    try:
        yield crew
        well = True
    finally:
        crew.close(well=well)


def _number_of(executor: Executor) -> int:
    """Return how many workers an executor has: those of the standard library know it, and 16 is a guess."""
    known = getattr(executor, "_max_workers", 16)
    return known if isinstance(known, int) else 16


class _Run(Generic[_Item, _Result]):
    """One run over all items: what is at work, and what is finished but not yet its turn."""

    def __init__(
        self, work: Callable[[_Item], _Result], items: Iterable[_Item], crew: Crew, kept: Memory[_Item, _Result]
    ) -> None:
        self._work = work
        self._items = items
        self._crew = crew
        self._kept = kept
        self._at_work: dict[int, _AtWork[_Item]] = {}
        self._finished: dict[int, tuple[_Item, _Result | _Failure]] = {}
        self._events: SimpleQueue[tuple[_Item] | tuple[int, Future[Any]] | BaseException | None] = SimpleQueue()
        self._room = Semaphore(0)
        self._granted = 0
        self._stopped = False

    def results(self) -> Iterator[tuple[_Item, _Result]]:
        self._grant()
        Thread(target=self._take, daemon=True).start()
        taken = told = 0
        more = True
        try:
            while more or told < taken:
                match self._next_event():
                    case None:
                        more = False
                    case BaseException() as error:
                        raise error
                    case (item,):
                        self._begin(taken, item)
                        taken += 1
                    case number, future:
                        self._end(number, future)
                while told in self._finished:
                    item, result = self._finished.pop(told)
                    if isinstance(result, _Failure):  # the first one in order, whichever came first
                        raise result.error
                    yield item, result
                    told += 1
                    self._granted -= 1
                    self._grant()
        finally:  # an early stop does not wait for results that nobody needs
            self._stopped = True
            self._room.release()
            for one in self._at_work.values():
                one.future.cancel()

    def _grant(self) -> None:
        """Let as many items be taken as there is room for, which may have changed."""
        more = max(0, self._crew.room() - self._granted)
        self._granted += more
        if more:
            self._room.release(more)

    def _take(self) -> None:
        try:
            for item in self._items:
                self._room.acquire()
                if self._stopped:
                    return
                self._events.put((item,))
            self._events.put(None)
        except BaseException as error:  # raised again in the thread that asks for the items
            self._events.put(error)

    def _next_event(self) -> tuple[_Item] | tuple[int, "Future[Any]"] | BaseException | None:
        """Return what happens next, and wake up now and then until something does.

        Python does not notice an interrupt that comes just before it waits for a lock until it has the lock.
        """
        while True:
            with suppress(Empty):
                return self._events.get(timeout=1)
            if self._at_work:
                self._crew.watch()

    def _begin(self, number: int, item: _Item) -> None:
        found = self._kept.known(item)
        if found is None:
            self._give({number: (item, 1)})
        else:
            self._finished[number] = (item, found)

    def _end(self, number: int, future: "Future[Any]") -> None:
        """Take a result; what a lost worker had to do is given to others."""
        one = self._at_work.get(number)
        if one is None or one.future is not future:  # of workers that were lost
            return
        try:
            result = cast("_Result", self._crew.result(future))
        except (Lost, CancelledError):
            self._give({number: (one.item, one.tries + 1)})
        except BrokenExecutor:
            self._crew.renew()
            self._give({number: (one.item, one.tries + 1) for number, one in self._at_work.items()})
        except TryAgain:  # there are no workers any more
            raise
        except Exception as error:
            del self._at_work[number]
            self._finished[number] = (one.item, _Failure(error))
        else:
            del self._at_work[number]
            self._finished[number] = (one.item, result)
            self._kept.keep(one.item, result)

    def _give(self, to_do: dict[int, tuple[_Item, int]]) -> None:
        """Give items to the workers; if these are lost meanwhile, everything that was at work is begun again."""
        while to_do:
            if max(tries for _, tries in to_do.values()) > _TRIES:
                message = f"the same work was begun {_TRIES} times, and every time its worker was lost"
                raise TryAgain(message, hint="fewer workers at a time use less memory")
            try:
                for number, (item, tries) in to_do.items():
                    future = self._crew.submit(self._work, item)
                    self._at_work[number] = _AtWork(item, future, tries)
                    future.add_done_callback(partial(self._tell, number))
            except BrokenExecutor:
                self._crew.renew()
                again = {number: (one.item, one.tries + 1) for number, one in self._at_work.items()}
                to_do = again | {n: (item, tries + 1) for n, (item, tries) in to_do.items()}
            else:
                return

    def _tell(self, number: int, future: "Future[Any]") -> None:
        self._events.put((number, future))


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

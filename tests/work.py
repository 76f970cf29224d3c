"""Work, counted and portioned, and time that passes as it is told: a busy machine calls no function more."""

import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from cProfile import Profile
from types import FrameType
from typing import Protocol, TypeVar

Thing = TypeVar("Thing")
HANG = 120  # seconds of a processor, some hundred times what anything takes that is guarded


class Some(Protocol):
    """Takes a part of many things."""

    def __call__(self, things: Iterable[Thing], every: int) -> Iterator[Thing]:
        """Yield every so-many-th thing, or with ``--full`` all of them."""
        ...


class Hang(BaseException):
    """What is guarded did not end; nothing of ours catches this."""


@contextmanager
def calls() -> Iterator[list[int]]:
    """Give a list that then has how often each function was called, those of Python itself among them."""
    profile, made = Profile(), list[int]()
    with profile:
        yield made
    made += [entry.callcount for entry in profile.getstats()]


@contextmanager
def at_most(most: int) -> Iterator[None]:
    """Fail if more functions are called than so many.

    What happens within one call is not counted. There a regular expression could search for
    ever, so that a guard ends what hangs; ``benchmark_mail.py`` measures what does not.
    """
    with no_hang(), calls() as made:
        yield
    assert sum(made) <= most, f"{sum(made)} functions were called, {most} is what it may take"


@contextmanager
def no_hang(seconds: float = HANG) -> Iterator[None]:
    """End what does not end of itself; the time is that of this process alone, whatever else the machine does."""
    if not hasattr(signal, "SIGVTALRM"):  # Windows has no such clock
        yield
        return
    handler = signal.signal(signal.SIGVTALRM, _hang)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, handler)


def _hang(_signal: int, _frame: FrameType | None) -> None:
    raise Hang("it did not end")


class Clock:
    """A clock of its own for what sleeps: no time passes but that which is slept, and something may happen then."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []
        self._plans: list[tuple[float, Callable[[], object]]] = []

    def at(self, when: float, do: Callable[[], object]) -> None:
        """Do something in the sleep in which that time comes."""
        self._plans.append((when, do))

    def sleep(self, seconds: float) -> None:
        """Let the time pass."""
        self.slept.append(seconds)
        self.now += seconds
        due = [do for when, do in self._plans if when <= self.now]
        self._plans = [plan for plan in self._plans if plan[0] > self.now]
        for do in due:
            do()

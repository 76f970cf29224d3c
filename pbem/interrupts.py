"""Signals that end the program: one that comes before a change undoes it, one that comes after it comes too late.

The command line heeds them all; a program that uses the library has its own way
with them, but for Ctrl-C, which Python makes a KeyboardInterrupt.
"""

import signal
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Final

INTERRUPTED: Final = 130  # what a shell says of a program that Ctrl-C has ended
_ENDS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_PATIENCE: Final = 5  # seconds for whoever reads the answer, when we should end
_SOON: Final = 0.01  # seconds

_came: list[int] = []  # the signals that the command line has heard
_done: list[str] = []  # what was changed before, in words
_over: list[bool] = []  # all is done and told


def heed() -> None:
    """Let every signal that ends a program interrupt this one; those that are ignored, as by nohup, stay so."""
    _done.clear()
    for one in _ENDS:
        if signal.getsignal(one) is not signal.SIG_IGN:
            signal.signal(one, _end)
    sys.unraisablehook = partial(_once_more, sys.unraisablehook)


def _once_more(tell: Callable[["sys.UnraisableHookArgs"], object], lost: "sys.UnraisableHookArgs") -> None:
    """Interrupt again, as Python drops what is raised while something is deleted, and goes on."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        signal.signal(signal.SIGALRM, _end)
        signal.setitimer(signal.ITIMER_REAL, _SOON)
    else:
        tell(lost)


def over() -> None:
    """Say that nothing is left to be interrupted."""
    _over.append(True)


def _end(number: int, _: object) -> None:
    if _over:
        return
    _came.append(number)
    if _done and len(_came) == 1:  # too late; the answer goes out first, unless nobody reads it
        signal.signal(signal.SIGALRM, _end)
        signal.alarm(_PATIENCE)
        return
    raise KeyboardInterrupt


def done(change: str) -> None:
    """Say which change was made just now: a signal that comes from here on comes too late."""
    _done[:] = [change]


def go_on() -> None:
    """Begin with something new after a change that was made and told; raises KeyboardInterrupt if a signal came."""
    _done.clear()
    if _came:
        raise KeyboardInterrupt


@contextmanager
def hold(change: str = "") -> Generator[None]:
    """Let signals wait until the block has come to its end, whatever that is.

    If the block makes a *change*, named by the end of a sentence that begins with "but", a signal comes too late when
    it is made: the command line tells what it has to tell, and a library's KeyboardInterrupt says what was done.
    """
    came: list[int] = []
    kept = {one: handler for one in _ENDS if callable(handler := signal.getsignal(one))}
    try:
        for one in kept:
            signal.signal(one, lambda number, _: came.append(number))
    except ValueError:  # another thread than the first one hears no signals
        yield
        return
    if change:
        _done.clear()
    try:
        yield
        _done.extend([change] if change else [])
    finally:
        for one, handler in kept.items():
            signal.signal(one, handler)
        for number in came[:1]:
            _raised(number)


def _raised(number: int) -> None:
    """Raise what the signal does; whoever catches a KeyboardInterrupt can read what was done before."""
    try:
        signal.raise_signal(number)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(sentence()) from None


def sentence() -> str:
    """Return what a signal has come to, for people."""
    return f"interrupted, but {_done[0]}" if _done else "interrupted"


def status(ended: int) -> int:
    """Return the exit status of the program, and say on standard error what was done before a signal came.

    *ended* is what the program has come to; where that is an interrupt and something was done, but could not be told,
    it is 74.
    """
    from pbem.errors import CannotWrite

    if not (_came and _done) or ended not in (0, INTERRUPTED):  # an error has said itself what was done
        return ended
    with suppress(OSError, AttributeError):  # standard error may be closed
        sys.stderr.write(f"pbem: {sentence()}\n")
        sys.stderr.flush()
    return CannotWrite.exit_status if ended else 0

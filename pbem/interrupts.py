"""Signals that end the program: one that comes before a change prevents it, one that comes after it is too late.

The command line handles them all. A program that uses the library handles them
in its own way, except Ctrl-C, which Python turns into a KeyboardInterrupt.
"""

import signal
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Final

INTERRUPTED: Final = 130  # the status that a shell reports for a program ended by Ctrl-C
# Windows has no SIGHUP, and others have no SIGBREAK, which Ctrl-Break sends there.
_ENDS: Final[tuple[signal.Signals, ...]] = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name)
)
_PATIENCE: Final = 5  # seconds that a reader has for the answer after a signal
_SOON: Final = 0.01  # seconds

_came: list[int] = []  # the signals that the command line has received
_done: list[str] = []  # what was changed before, in words
_over: list[bool] = []  # everything is done and printed


def heed() -> None:
    """Let every signal that ends a program interrupt this one; signals that are ignored, as by nohup, stay ignored."""
    _done.clear()
    for one in _ENDS:
        if signal.getsignal(one) is not signal.SIG_IGN:
            signal.signal(one, _end)
    sys.unraisablehook = partial(_once_more, sys.unraisablehook)


def _once_more(tell: Callable[["sys.UnraisableHookArgs"], object], lost: "sys.UnraisableHookArgs") -> None:
    """Interrupt again, since Python drops an exception that is raised during a deletion."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        _again_after(_SOON)
    else:
        tell(lost)


def _again_after(seconds: float) -> None:
    """Interrupt once more after some time."""
    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, _end)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        return
    from _thread import interrupt_main
    from threading import Timer

    timer = Timer(seconds, interrupt_main)
    timer.daemon = True
    timer.start()


def over() -> None:
    """Note that nothing is left to interrupt."""
    _over.append(True)


def _end(number: int, _: object) -> None:
    if _over:
        return
    _came.append(number)
    if _done and len(_came) == 1:  # too late; the answer is printed first, unless nobody reads it
        _again_after(_PATIENCE)
        return
    raise KeyboardInterrupt


def done(change: str) -> None:
    """Note the change that was just made: from here on a signal is too late."""
    _done[:] = [change]


def go_on() -> None:
    """Go on to something new after a change was made and printed; raises KeyboardInterrupt if a signal came."""
    _done.clear()
    if _came:
        raise KeyboardInterrupt


def heard() -> None:
    """Let a signal that came after a change take effect: it has also ended the program that we have waited for."""
    if _came:
        raise KeyboardInterrupt


@contextmanager
def hold(change: str = "") -> Generator[None]:
    """Delay signals until the end of the block, even if it fails.

    If the block makes a *change*, named by a clause that can follow "but", a signal that comes meanwhile is too late:
    the command line still prints its answer, and a library's KeyboardInterrupt says what was done.
    """
    came: list[int] = []
    kept = {one: handler for one in _ENDS if callable(handler := signal.getsignal(one))}
    try:
        for one in kept:
            signal.signal(one, lambda number, _: came.append(number))
    except ValueError:  # only the first thread receives signals
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
    """Let the signal take effect; a KeyboardInterrupt says what was done before."""
    try:
        signal.raise_signal(number)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(sentence()) from None


def sentence() -> str:
    """Return the message about a signal: what was done before it, if anything."""
    return f"interrupted, but {_done[0]}" if _done else "interrupted"


def status(ended: int) -> int:
    """Return the exit status of the program, and print to standard error what was done before a signal came.

    *ended* is the status so far; if that is an interrupt and something was done, but could not be printed,
    the status is 74.
    """
    from pbem.errors import CannotWrite

    if not (_came and _done) or ended not in (0, INTERRUPTED):  # an error has already said what was done
        return ended
    with suppress(OSError, AttributeError):  # standard error may be closed
        sys.stderr.write(f"pbem: {sentence()}\n")
        sys.stderr.flush()
    return CannotWrite.exit_status if ended else 0

"""What commands print: results to standard output, errors to standard error, both in words or in JSON."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Final, TypeVar

from pbem import interrupts
from pbem.errors import CannotWrite, PbemError, TryAgain
from pbem.files import is_full

if TYPE_CHECKING:
    from pbem.report import Report

READER_GONE: Final = 141  # what a shell says of a program that SIGPIPE has ended
_NO_OUTPUT: Final = "cannot write to standard output"
_Item = TypeVar("_Item")


class ReaderGone(Exception):
    """Nobody reads the output any more, which ends the command with that status."""

    def __init__(self, exit_status: int) -> None:
        super().__init__(exit_status)
        self.exit_status = exit_status


def status_of(command: Callable[[], object], as_json: bool) -> int:
    """Carry out a command and return its exit status; every error is one clear message, never a traceback."""
    try:
        result = command()
    except PbemError as error:
        complain(error, as_json)
        return error.exit_status
    except ReaderGone as gone:
        return gone.exit_status
    except KeyboardInterrupt:
        return interrupts.INTERRUPTED
    return result if isinstance(result, int) else 0


def show_report(answer: "Report", as_json: bool, *, done: bool = True) -> None:
    """Print the answer of a command: its text, or its object with --json. See ``write_out``."""
    write_out(printable(answer, as_json), done=done)


def printable(answer: "Report", as_json: bool) -> str:
    """Return what to print: the text of the answer, or its object with --json.

    Call it before anything is written, so that a bug of ours in it does no harm.
    """
    text = _dumped(answer.data()) if as_json else answer.text()
    return text.rstrip("\n") + "\n"


def write_out(text: str, *, done: bool = True) -> None:
    """Print the result; *done* says that the command has changed something, which holds whether it is read or not.

    Raises CannotWrite if standard output is closed or full, or TryAgain if it is full and nothing was changed. If
    its reader is gone, the command ends: with 0 if it is done, or else as SIGPIPE would have ended it.
    """
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise ReaderGone(0 if done else READER_GONE) from None
    except (OSError, AttributeError) as error:
        raise unwritten(error, done=done) from None


def unwritten(error: Exception, *, done: bool) -> PbemError:
    """Return the error of a command whose result cannot be printed."""
    full = is_full(error)
    message = "cannot write to standard output because the disk is full" if full else _NO_OUTPUT
    if full and not done:
        return TryAgain(message, hint="nothing was changed; free some space and try again")
    return CannotWrite(message, hint="the command itself was carried out" if done else "nothing was changed")


def complain(error: PbemError, as_json: bool) -> None:
    """Print an error: all reasons, what would be legal, and the hint."""
    if as_json:
        with suppress(CannotWrite, TryAgain, ReaderGone):
            write_out(_dumped(error.as_json()) + "\n")
            return
    from pbem.locale import speaking
    from pbem.report import refusal

    with speaking(error.language):
        write_err(refusal(error))


def _dumped(data: object) -> str:
    import json

    return json.dumps(data)


def write_err(text: str) -> None:
    """Print a message that is not a result, to standard error."""
    with suppress(OSError, AttributeError):  # standard error may be closed too
        sys.stderr.write(text + "\n")
        sys.stderr.flush()


def watched(
    items: Iterable[_Item],
    length: int | None = None,
    size_of: Callable[[_Item], int] = lambda _: 1,
    *,
    quiet: bool = False,
) -> Iterator[_Item]:
    """Yield the items, with a progress bar on standard error if that is a terminal and standard output is not.

    *length* is the sum of *size_of* over all items, None if it is unknown. With *quiet*, nothing is printed meanwhile,
    and standard output may be a terminal too.
    """
    busy = not quiet and (sys.stdout is None or sys.stdout.isatty())
    if sys.stderr is None or not sys.stderr.isatty() or busy:
        yield from items
        return
    import typer

    if length is None:
        with typer.progressbar(items, show_pos=True, file=sys.stderr) as bar:
            yield from bar
    else:
        with typer.progressbar(length=length, file=sys.stderr) as bar:
            for item in items:
                yield item
                bar.update(size_of(item))

"""What commands print: results to standard output, what is wrong to standard error, both in words or in JSON."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Final, TypeVar

import typer

from pbem.errors import CannotWrite, PbemError, TryAgain
from pbem.files import is_full
from pbem.report import Report, refusal

READER_GONE: Final = 141  # what a shell says of a program that SIGPIPE has ended
Item = TypeVar("Item")


def show_report(answer: Report, as_json: bool, *, done: bool = True) -> None:
    """Print the answer of a command: its text, or with --json its object. See ``write_out``."""
    write_out(printable(answer, as_json), done=done)


def printable(answer: Report, as_json: bool) -> str:
    """Return what there is to print, ready before anything is written, so that a bug of ours comes too early to harm.

    It is the text of the answer, or with --json its object.
    """
    text = json.dumps(answer.data()) if as_json else answer.text()
    return text.rstrip("\n") + "\n"


def write_out(text: str, *, done: bool = True) -> None:
    """Print the result; *done* says that the command has done something, which holds whether it is read or not.

    Raises CannotWrite if standard output is closed or full, or TryAgain if it is full and nothing is done. If its
    reader has gone the command ends: well if it is done, or else as the signal would have ended it.
    """
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise typer.Exit(0 if done else READER_GONE) from None
    except (OSError, AttributeError) as error:
        full = is_full(error)
        message = f"standard output cannot be written{' because the disk is full' if full else ''}"
        if full and not done:
            raise TryAgain(message, hint="nothing was changed; make room and try again") from None
        hint = "what was asked for is done all the same" if done else "nothing was changed"
        raise CannotWrite(message, hint=hint) from None


def complain(error: PbemError, as_json: bool) -> None:
    """Print what is wrong: all reasons, what would be legal, the way out."""
    if as_json:
        with suppress(CannotWrite, TryAgain, typer.Exit):
            write_out(json.dumps(error.as_json()) + "\n")
            return
    write_err(refusal(error))


def write_err(text: str) -> None:
    """Print what is no result, on standard error."""
    with suppress(OSError, AttributeError):  # nobody listens there either
        sys.stderr.write(text + "\n")
        sys.stderr.flush()


def watched(
    items: Iterable[Item], length: int | None = None, size_of: Callable[[Item], int] = lambda _: 1
) -> Iterator[Item]:
    """Yield the items, and show on standard error how far they are if somebody watches it and nothing else.

    *length* is the sum of what *size_of* gives for all of them, or None if nobody knows.
    """
    if sys.stderr is None or not sys.stderr.isatty() or sys.stdout is None or sys.stdout.isatty():
        yield from items
    elif length is None:
        with typer.progressbar(items, show_pos=True, file=sys.stderr) as bar:
            yield from bar
    else:
        with typer.progressbar(length=length, file=sys.stderr) as bar:
            for item in items:
                yield item
                bar.update(size_of(item))

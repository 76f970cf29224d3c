"""What commands print: results to standard output, what is wrong to standard error, both in words or in JSON."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import TypeVar

import typer

from pbem.errors import CannotWrite, PbemError
from pbem.report import Report, refusal

Item = TypeVar("Item")


def show_report(answer: Report, as_json: bool) -> None:
    """Print the answer of a command: its text, or with --json its object."""
    write_out(made(answer, as_json))


def made(answer: Report, as_json: bool) -> str:
    """Return what there is to print, ready before anything is written, so that a bug of ours comes too early to harm.

    It is the text of the answer, or with --json its object.
    """
    text = json.dumps(answer.data()) if as_json else answer.text()
    return text.rstrip("\n") + "\n"


def write_out(text: str) -> None:
    """Print the result; raises CannotWrite if standard output is closed or full, but not if its reader has gone."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise typer.Exit from None  # who reads us has gone away, and needs no more
    except (OSError, AttributeError):
        raise CannotWrite(
            "standard output cannot be written",
            hint="what was asked for is done all the same; pbem show prints the text again",
        ) from None


def complain(error: PbemError, as_json: bool) -> None:
    """Print what is wrong: all reasons, what would be legal, the way out."""
    if as_json:
        with suppress(CannotWrite, typer.Exit):
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

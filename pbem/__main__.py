"""``python -m pbem`` and the installed ``pbem``: run the program, and report a bug of ours in one line."""

import gc
import io
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from pbem import interrupts

if TYPE_CHECKING:
    from pbem.errors import PbemError


def main() -> None:
    """Run the command line and exit with its status; a bug of ours is status 70, never a traceback."""
    try:
        interrupts.heed()
        status = _run()
        interrupts.over()
    except KeyboardInterrupt:
        interrupts.over()
        status = interrupts.INTERRUPTED
    status = interrupts.status(status)
    if status == interrupts.INTERRUPTED and sys.argv[1:3] == ["mail", "take"]:
        status = 75  # a mail server keeps the mail and tries again; for any other status it sends the mail back
    # All files are closed, and a regular shutdown of the interpreter would cost as much as its start.
    os._exit(status)


def _run() -> int:
    """Run the command line and return its exit status, whatever happens."""
    try:
        # A turn leaves little garbage, and looking for some as often as Python does would cost half of its own start.
        gc.set_threshold(100_000)
        from pbem.cli.start.shortcut import run

        if reconfigure := getattr(sys.stdout, "reconfigure", None):
            if os.linesep != "\n":
                _be_the_same_on_windows()
            reconfigure(errors="replace")  # a name that the terminal cannot show is no reason to fail
        return run(sys.argv[1:])
    except MemoryError:
        from pbem.errors import TryAgain

        return _failed(TryAgain("out of memory"))
    except OSError as error:
        from pbem.files import unexpected

        return _failed(unexpected(error))
    except Exception as error:
        from pbem.errors import Bug

        return _failed(Bug.of(error))


def _be_the_same_on_windows() -> None:
    """Write UTF-8 and LF line ends to files and pipes, unless an encoding was asked for, so that they can be read."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and not (stream.isatty() or os.environ.get("PYTHONIOENCODING")):
            stream.reconfigure(encoding="utf-8", errors=stream.errors, newline="\n")


def _failed(error: "PbemError") -> int:
    """Report an unexpected error with as little of the program as possible; return the exit status."""
    with suppress(OSError, AttributeError):  # standard error may be closed
        sys.stderr.write(f"pbem: {error.message}\n")
        sys.stderr.flush()
    if "--json" in sys.argv:
        import json

        with suppress(OSError, AttributeError):
            sys.stdout.write(json.dumps(error.as_json()) + "\n")
            sys.stdout.flush()
    return error.exit_status


if __name__ == "__main__":
    main()

"""``python -m pbem`` and the installed ``pbem``: run the program, and answer a bug of ours in one line."""

import gc
import io
import os
import sys
from contextlib import suppress


def main() -> None:
    """Run the command line and leave with its exit status; 70 is a bug of ours, and never a traceback."""
    try:
        # Nothing that is imported is garbage; to look for some costs half of Python's own start.
        gc.disable()
        from pbem.cli import run

        gc.enable()
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="replace")  # a name that the terminal cannot show is no reason to fail
        status = run(sys.argv[1:])
    except KeyboardInterrupt:
        status = 130
    except MemoryError:
        status = _bug("out of memory", 75)
    except Exception as error:
        from pbem.errors import Bug

        status = _bug(Bug.of(error).message, Bug.exit_status)
    # All files are closed: to take the interpreter apart would cost as much as its start.
    os._exit(status)


def _bug(message: str, status: int) -> int:
    with suppress(OSError, AttributeError):  # standard error may be closed
        sys.stderr.write(f"pbem: {message}\n")
        sys.stderr.flush()
    return status


if __name__ == "__main__":
    main()

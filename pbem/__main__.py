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
        where = error.__traceback__
        while where is not None and where.tb_next is not None:
            where = where.tb_next
        place = f"{where.tb_frame.f_code.co_name}:{where.tb_lineno}" if where is not None else "?"
        status = _bug(
            f"a bug of ours, {type(error).__name__} in {place}; pbem verify tells whether the game file is sound", 70
        )
    # All files are closed: to take the interpreter apart would cost as much as its start.
    os._exit(status)


def _bug(message: str, status: int) -> int:
    with suppress(OSError, AttributeError):  # standard error may be closed
        sys.stderr.write(f"pbem: {message}\n")
        sys.stderr.flush()
    return status


if __name__ == "__main__":
    main()

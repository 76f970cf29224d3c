"""The shortcut: command lines that need no Typer, since a generated table says what their commands take.

Loading Typer takes longer than playing a turn. A line goes this way only if it is beyond doubt: each option is written
in full, and once unless it can be repeated, and no value begins with a dash. Typer handles everything else, and reports
every mistake.
"""

import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from pbem.cli.console import status_of, write_out
from pbem.generated.command_lines import COMMANDS

_COMPLETING: Final = "_PBEM_COMPLETE"  # set by the script that completes what is typed in a shell
_HELP: Final = ("-h", "--help")
_MOST_COLUMNS: Final = 80  # no help is wider
_READ: Final[dict[str, Callable[[Sequence[str]], object]]] = {
    "flag": lambda _: True,
    "text": lambda said: said[0],
    "texts": list,
    "path": lambda said: Path(said[0]),
    "paths": lambda said: [Path(one) for one in said],
}


def run(argv: list[str]) -> int:
    """Run one command and return its exit status; every error is one clear message, never a traceback."""
    call = None if _COMPLETING in os.environ else understood(argv)
    if call is None:
        from pbem.cli import app

        return app.run(argv)
    return status_of(call, as_json="--json" in argv)


def understood(argv: list[str]) -> Callable[[], object] | None:
    """Return the call that a command line asks for, or None if Typer has to handle it."""
    if argv == ["--version"]:
        from pbem import __version__

        return partial(write_out, f"pbem {__version__}\n", done=False)
    name, words = (argv[0], argv[1:]) if argv[:1] not in ([], ["-h"], ["--help"]) else ("", argv)
    if len(words) == 1 and words[0] in _HELP:
        return _help(name)
    given = _given(name, words) if name in COMMANDS else None
    return None if given is None else lambda: _command(name)(**given)


def _command(name: str) -> Callable[..., object]:
    command: Callable[..., object] = getattr(import_module(COMMANDS[name][0]), name.replace("-", "_"))
    return command


def _given(name: str, words: list[str]) -> dict[str, Any] | None:
    """Return the values for the parameters of a command, or None if in doubt."""
    _, arguments, least, options = COMMANDS[name]
    plain: list[str] = []
    said: dict[tuple[str, str], list[str]] = {}
    waiting = iter(words)
    for word in waiting:
        if word == "-" or not word.startswith("-"):
            plain.append(word)
            continue
        if word not in options:
            return None
        parameter, kind = options[word]
        value = "" if kind == "flag" else next(waiting, "-")
        if value.startswith("-"):
            return None
        said.setdefault((parameter, kind), []).append(value)
    if len(plain) < least or any(len(values) > 1 and not kind.endswith("s") for (_, kind), values in said.items()):
        return None
    for parameter, kind in arguments:
        taken = len(plain) if kind.endswith("s") else 1
        if plain:
            said[parameter, kind] = plain[:taken]
        plain = plain[taken:]
    return None if plain else {parameter: _READ[kind](values) for (parameter, kind), values in said.items()}


def _help(name: str) -> Callable[[], object] | None:
    """Return the call that prints a page of help, or None if the terminal is too narrow for a generated one."""
    from pbem.generated.help_pages import PAGES

    return partial(write_out, PAGES[name], done=False) if name in PAGES and _is_wide() else None


def _is_wide() -> bool:
    """Return whether help can have all its columns, as without a terminal."""
    if "COLUMNS" in os.environ or sys.stdout is None:
        return False
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns >= _MOST_COLUMNS  # type: ignore[union-attr]
    except (AttributeError, ValueError, OSError):
        return True

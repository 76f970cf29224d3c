"""The program: which command is in which module, and what becomes of an error. No rule, no format."""

import os
from importlib import import_module
from typing import Annotated, Final

import typer

from pbem.cli.console import complain, write_err, write_out
from pbem.errors import PbemError, UsageError

# Each command by its module; only that of the requested command is imported.
COMMANDS: Final[dict[str, str]] = {
    "new": "pbem.cli.file",
    "join": "pbem.cli.shared",
    "play": "pbem.cli.turn",
    "check": "pbem.cli.turn",
    "show": "pbem.cli.turn",
    "options": "pbem.cli.turn",
    "draw": "pbem.cli.shared",
    "bot": "pbem.cli.bot",
    "plan": "pbem.cli.plan",
    "replay": "pbem.cli.replay",
    "verify": "pbem.cli.proof",
    "diff-engines": "pbem.cli.proof",
    "stats": "pbem.cli.stats",
    "reveal": "pbem.cli.proof",
    "audit": "pbem.cli.proof",
    "board": "pbem.cli.board",
    "convert": "pbem.cli.file",
    "rules": "pbem.cli.reference",
    "components": "pbem.cli.reference",
    "schema": "pbem.cli.reference",
}

_HELP: Final = frozenset({"--help"})

# Whole families of commands.
FAMILIES: Final[dict[str, str]] = {
    "mail": "pbem.cli.mail",
    "club": "pbem.cli.club",
    "git": "pbem.cli.git.play",
}


def _check_system(argv: list[str]) -> None:
    """Raise UsageError for a command that only a host uses, on a system that cannot keep a club's files safe."""
    if argv[:1] in (["mail"], ["club"]) and argv[1:] and not hasattr(os, "O_NOFOLLOW") and not _HELP.intersection(argv):
        hint = "players need nothing but email, on any system"
        raise UsageError(f"pbem {argv[0]} is for the host, who needs Linux or macOS", hint=hint)


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        write_out(f"pbem {version('pbem')}\n", done=False)
        raise typer.Exit


def _about(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Play Power Grid: The First Sparks by email, through git, or with scripts."""


def _primer() -> str:
    """Return the game in eight lines, as they are."""
    from pbem.first_sparks.briefing.primer import PRIMER

    return "\n".join(("\b", "How the game goes:", *(f"  {line}" for line in PRIMER)))


def build(argv: list[str]) -> typer.Typer:
    """Return the program, with only the requested command prepared, since each costs time."""
    app = typer.Typer(
        name="pbem",
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        no_args_is_help=True,
        callback=_about,
    )
    known = (*COMMANDS, *FAMILIES)
    asked = next((word for word in argv if not word.startswith("-")), "--version" if "--version" in argv else "")
    wanted = (asked,) if asked in (*known, "--version") else known
    for name, module in COMMANDS.items():
        if name in wanted:
            app.command(name, epilog=_primer() if name == "show" and "--help" in argv else None)(
                getattr(import_module(module), name.replace("-", "_"))
            )
    for name, module in FAMILIES.items():
        if name in wanted:
            app.add_typer(import_module(module).family(), name=name)
    return app


def run(argv: list[str]) -> int:
    """Run one command and return its exit status; every error is one clear message, never a traceback."""
    as_json = "--json" in argv
    try:
        _check_system(argv)
        result = build(argv)(args=argv, prog_name="pbem", standalone_mode=False)
    except PbemError as error:
        complain(error, as_json)
        return error.exit_status
    except typer.TyperException as error:
        if not argv[1:] and set(argv) <= FAMILIES.keys():  # no command is given, and the message is the help
            write_err(error.format_message())
        else:
            context = getattr(error, "ctx", None)
            command = context.command_path if context else "pbem"
            complain(UsageError(error.format_message().rstrip("."), hint=f"{command} --help"), as_json)
        return UsageError.exit_status
    return result if isinstance(result, int) else 0

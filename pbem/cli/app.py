"""The program: which command is in which module, and what becomes of an error. No rule, no format."""

import os
from collections.abc import Callable
from importlib import import_module
from inspect import unwrap
from typing import Annotated, Any, Final, get_type_hints

import typer

from pbem.cli import arguments
from pbem.cli.console import READER_GONE, ReaderGone, status_of, unwritten, write_err, write_out
from pbem.errors import UsageError
from pbem.grammar import listed

# Each command by its module; only that of the requested command is imported.
COMMANDS: Final[dict[str, str]] = {
    "new": "pbem.cli.file",
    "join": "pbem.cli.shared",
    "play": "pbem.cli.turn",
    "check": "pbem.cli.turn",
    "show": "pbem.cli.turn",
    "options": "pbem.cli.turn",
    "draw": "pbem.cli.shared",
    "bot": "pbem.cli.plan",
    "plan": "pbem.cli.plan",
    "replay": "pbem.cli.replay",
    "verify": "pbem.cli.proof",
    "diff-engines": "pbem.cli.proof",
    "stats": "pbem.cli.stats",
    "simulate": "pbem.cli.stats",
    "reveal": "pbem.cli.proof",
    "audit": "pbem.cli.proof",
    "board": "pbem.cli.board",
    "convert": "pbem.cli.file",
    "rules": "pbem.cli.reference",
    "components": "pbem.cli.reference",
    "schema": "pbem.cli.reference",
}

# Whole families of commands.
FAMILIES: Final[dict[str, str]] = {
    "mail": "pbem.cli.mail",
    "club": "pbem.cli.club",
    "git": "pbem.cli.git.play",
}
CLUBS: Final = ("mail", "club")  # those of whoever hosts a club

_HELP: Final = ("-h", "--help")
_IN_GIT: Final = {"new": "init", "play": "move"}  # what is called otherwise there
_ALONE: Final = ("--version", "--install-completion", "--show-completion")  # these need no command
_COMPLETING: Final = "_PBEM_COMPLETE"  # set by the script that completes what is typed in a shell


def _check_system(argv: list[str]) -> None:
    """Raise UsageError for a command that only a host uses, on a system that cannot keep a club's files safe."""
    if {*argv[:1]} & {*CLUBS} and argv[1:] and not hasattr(os, "O_NOFOLLOW") and not {*_HELP} & {*argv}:
        hint = "players need nothing but email, on any system"
        raise UsageError(f"pbem {argv[0]} is for the host, who needs Linux or macOS", hint=hint)


def _version(asked: bool) -> None:
    if asked:
        from pbem import __version__

        write_out(f"pbem {__version__}\n", done=False)
        raise typer.Exit


def _man(context: typer.Context, asked: bool) -> None:
    if asked:
        from pbem import __version__
        from pbem.cli.help.man import page

        if page.__doc__ is None:  # of which the page is made
            raise UsageError("the manual page needs docstrings", hint="run Python without -OO")
        write_out(page(context.command, __version__), done=False)
        raise typer.Exit


def _about(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
    man: Annotated[
        bool, typer.Option("--man", callback=_man, is_eager=True, help="Print the manual page: pbem --man | man -l -.")
    ] = False,
) -> None:
    """Play Power Grid: The First Sparks by email, through git, or with scripts."""


def _plainly() -> None:
    """Take no option of the program, since its command comes first: preparing them would cost time."""


def _help(
    command: Annotated[
        list[str] | None, typer.Argument(metavar="[COMMAND]...", help="The command, such as play or git move.")
    ] = None,
) -> int:
    """Explain a command, as --help does."""
    return run([*(command or ()), "--help"])


def _primer() -> str:
    """Return the game in eight lines, as they are."""
    from pbem.first_sparks.briefing.primer import PRIMER

    return "\n".join(("\b", "How the game goes:", *(f"  {line}" for line in PRIMER)))


def _explain(app: typer.Typer) -> None:
    """Add groups and examples to the help of every command that is prepared, and to show what the game is about."""
    from pbem.cli.help.examples import epilog
    from pbem.cli.help.groups import OfClubs, Program

    app.info.epilog, app.info.cls = epilog(""), Program
    for command in app.registered_commands:
        command.epilog = epilog(command.name or "")
        if command.name == "show":
            command.epilog = f"{command.epilog}\n\n{_primer()}"
    for group in app.registered_groups:
        group.epilog = epilog(group.name or "")
        group.cls = OfClubs if group.name in CLUBS else None
        for command in group.typer_instance.registered_commands if group.typer_instance else ():
            command.epilog = epilog(f"{group.name} {command.name}")


def _asked(argv: list[str]) -> str:
    """Return the first word that may be a command, or an option that needs none."""
    if _COMPLETING in os.environ:
        typed = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS", "")
        return next(iter(typed.split()[1:]), "")
    return next((word for word in argv if not word.startswith("-") or word in _ALONE), "")


def _for_typer(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command with the types of its arguments, which some modules only name: the shortcut has no Typer."""
    itself: Any = unwrap(command)
    types = get_type_hints(itself, vars(arguments) | itself.__globals__, include_extras=True)
    command.__annotations__ = itself.__annotations__ = types
    return command


def build(argv: list[str]) -> typer.Typer:
    """Return the program, with only the requested command prepared, since each costs time."""
    known, asked = (*COMMANDS, "help", *FAMILIES), _asked(argv)
    wanted = (asked,) if asked in (*known, *_ALONE) else known
    app = typer.Typer(
        name="pbem",
        add_completion=wanted != (asked,) or asked in _ALONE or _COMPLETING in os.environ,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        no_args_is_help=True,
        context_settings={"help_option_names": _HELP},
        callback=_plainly if argv[:1] == [asked] and asked in known else _about,
    )
    for name, module in COMMANDS.items():
        if name in wanted:
            app.command(name)(_for_typer(getattr(import_module(module), name.replace("-", "_"))))
    if "help" in wanted:
        app.command("help")(_help)
    for name, module in FAMILIES.items():
        if name in wanted:
            app.add_typer(import_module(module).family(), name=name)
    if wanted != (asked,) or {*_HELP} & {*argv} or argv in ([name] for name in FAMILIES):
        _explain(app)
    return app


def run(argv: list[str]) -> int:
    """Run one command and return its exit status; every error is one clear message, never a traceback."""
    return status_of(lambda: _carry_out(argv), as_json="--json" in argv)


def _in_families(context: Any, argv: list[str]) -> list[str]:  # noqa: ANN401 -- a click.Context
    """Return the commands elsewhere that may be meant by a word that is not a command where it stands."""
    here: Any = getattr(context, "command", None)
    word = "".join(argv[context.command_path.count(" ") :][:1]) if hasattr(here, "commands") else ""
    if not word or word in here.commands:
        return []
    if here.name == "git" and word in _IN_GIT:
        return [f"pbem git {_IN_GIT[word]}"]
    families: Any = typer.main.get_command(build([]))
    found = [f"pbem {family} {word}" for family in FAMILIES if word in families.commands[family].commands]
    return [*([f"pbem {word}"] if word in COMMANDS else []), *found]


def _carry_out(argv: list[str]) -> object:
    """Carry out a command and return what it returns; raises PbemError."""
    _check_system(argv)
    try:
        return build(argv)(args=argv, prog_name="pbem", standalone_mode=False)
    except typer.TyperException as error:
        if not argv[1:] and set(argv) <= FAMILIES.keys():  # no command is given, and the message is the help
            write_err(error.format_message())
            return UsageError.exit_status
        context = getattr(error, "ctx", None)
        command = context.command_path if context else "pbem"
        meant = _in_families(context, argv)
        hint = listed(meant, "or") if meant else f"{command} --help"
        raise UsageError(error.format_message().rstrip("."), hint=hint) from None
    except OSError as error:
        if not {*_HELP} & {*argv}:
            raise
        raise unwritten(error, done=False) from None  # Typer has printed its help, and has no words for that
    except SystemExit:  # how Typer ends when the reader of its help is gone
        raise ReaderGone(READER_GONE) from None

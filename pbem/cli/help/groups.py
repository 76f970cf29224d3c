"""The commands in the groups in which help lists them: what people need first comes first."""

from typing import Any, ClassVar, Final

from typer.core import TyperGroup

PROGRAM: Final[dict[str, tuple[str, ...]]] = {
    "Play with others": ("mail", "club", "git"),
    "A game in a file": ("new", "join", "play", "check", "show", "options", "draw", "bot", "plan"),
    "A game that was played": ("replay", "board", "reveal", "verify", "audit"),
    "Rules, cards, and help": ("rules", "components", "help"),
    "For scripts": ("convert", "schema", "stats", "simulate", "diff-engines"),
}
OF_CLUBS: Final[dict[str, tuple[str, ...]]] = {
    "Start": ("init", "new", "run", "status", "doctor"),
    "Players": ("absent", "back", "replace"),
    "A game": ("answer", "pause", "resume", "takeback", "clock", "tick"),
    "Letters": ("send", "resend", "retry", "take"),
    "Rescue": ("backup", "restore", "rebuild"),
}


class _Grouped(TyperGroup):
    """Commands whose help has a heading for each group."""

    groups: ClassVar[dict[str, tuple[str, ...]]]

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401 -- a click.Context, which Typer does not export
        """Return the names of the commands, group by group."""
        return [name for names in self.groups.values() for name in names if name in self.commands]

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 -- as Typer calls it
        """Write the groups, each with what its commands do."""
        width = max(map(len, self.commands))
        room = formatter.width - width - 6  # what Typer leaves, so that each has one line
        for heading, names in self.groups.items():
            known = [(name.ljust(width), self.commands[name]) for name in names if name in self.commands]
            if known:
                with formatter.section(heading):
                    formatter.write_dl([(name, each.get_short_help_str(room)) for name, each in known])


class Program(_Grouped):
    """All of the program."""

    groups = PROGRAM


class OfClubs(_Grouped):
    """The commands of whoever hosts a club."""

    groups = OF_CLUBS

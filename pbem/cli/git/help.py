"""The command ``pbem git help``: how the game goes, and what a player can do in a clone."""

from typing import Final

import typer
from typer.core import TyperGroup

from pbem.cli.console import write_out
from pbem.locale import tr

_COMMANDS: Final = "What you can do in your clone:"
_MORE: Final = (
    "Each command explains itself, for example with pbem git move --help. PLAY.md in your clone says how to take part, "
    "and pbem plan --help how to say ahead what you will answer."
)
NOT_FOR_PLAYERS: Final = ("init", "hook", "pushed", "tick", "help")


def guide(context: typer.Context) -> None:
    """Say how the game goes, and what you can do.

    It is the same text that a letter of a club has, with the commands of a clone.
    """
    from pbem.page.page import Items, Page, Prose, Section, paragraphs
    from pbem.page.text import text_of
    from pbem.table.letters.help import primer_sections

    assert context.parent is not None
    family = context.parent.command
    assert isinstance(family, TyperGroup)
    known = {name: each for name, each in family.commands.items() if name not in NOT_FOR_PLAYERS}
    lines = tuple(f"pbem git {name}: {tr(first_sentence(each.help))}" for name, each in known.items())
    can_do = Section("why", (Prose(tr(_COMMANDS)), Items(lines)))
    write_out(text_of(Page((*primer_sections(), can_do, *paragraphs("why", (tr(_MORE),))))))


def first_sentence(text: str | None) -> str:
    """Return the first sentence of the help of a command, which a player reads among those of the others."""
    return f"{(text or '').partition('.')[0]}."

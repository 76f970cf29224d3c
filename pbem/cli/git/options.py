"""The options that the commands of git share."""

import re
from typing import Annotated, Final

import typer

from pbem.errors import UsageError

GAME: Final = "game.toml"

GameOption = Annotated[str, typer.Option("--game", metavar="FILE", help="The game file, at the top of the repository.")]


def named(game: str) -> str:
    """Return the name of a game file; raises UsageError if it is not plain or has a folder."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,80}\.(?:toml|json)", game) or game.endswith(".secret.toml"):
        raise UsageError(
            "the game file must be at the top of its repository and end in .toml or .json",
            hint="for example: --game game.toml",
        )
    return game

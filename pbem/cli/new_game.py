"""The arguments of a new game, wherever it is played."""

from pathlib import Path
from typing import Annotated, Literal

import typer

Seats = Annotated[
    list[str],
    typer.Argument(metavar="NAME[:COLOUR]...", help="2 to 6 players, in seating order; a bot is called bot."),
]
BoardOption = Annotated[
    Literal["players", "random", "recommended"],
    typer.Option(help="Who lays the tiles: the players, or chance; or a recommended board for a first game."),
]
HideFood = Annotated[bool, typer.Option("--hide-food", help="Hide the food of clans that own Fire.")]
Components = Annotated[Path | None, typer.Option(metavar="FILE", help="A component set of your own.")]
Languages = Annotated[
    list[str] | None,
    typer.Option(
        "--language",
        metavar="[NAME=]CODE",
        help="The language of letters, en, it, fr or de: of a player, or of all; by default that of the club.",
        show_default=False,
    ),
]
SecretDigits = Annotated[
    str, typer.Option(metavar="HEX", help="64 hexadecimal digits, for tests and open games; random by default.")
]
ChoseIt = Annotated[
    bool,
    typer.Option("--i-chose-it", help="Take --secret in a sealed game too, although you can compute every card then."),
]

"""The arguments and options that several commands share."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from pbem.errors import UsageError


def no_dash(path: Path | None) -> Path | None:
    """Refuse ``-``, which elsewhere means standard output: what is to be kept goes to a file."""
    if path == Path("-"):
        raise UsageError("this command writes to a file, not to standard output", hint="give a file name instead of -")
    return path


GamePath = Annotated[Path, typer.Argument(metavar="GAME", help="The game file, TOML or JSON.", readable=False)]
Games = Annotated[
    list[Path], typer.Argument(metavar="FILE|DIR...", help="Game files, or folders that contain some.", readable=False)
]
MaybeGame = Annotated[
    Path | None, typer.Argument(metavar="GAME", help="The game file; with --batch, the file of lines.", readable=False)
]
Batch = Annotated[
    bool, typer.Option("--batch", help="Read JSON lines from a file or stdin, and print a verdict for each.")
]
Jobs = Annotated[int, typer.Option("--jobs", metavar="N", min=1, max=256, help="The number of processes.")]
MovePath = Annotated[str, typer.Argument(metavar="[MOVE]", help="A move file, a file of order lines, or - for stdin.")]
Order = Annotated[list[str] | None, typer.Option("--order", metavar="ORDER", help="An order line; may be repeated.")]
As = Annotated[str, typer.Option("--as", metavar="PLAYER", help="The player, by colour or name.")]
Out = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="FILE", callback=no_dash, help="Write here instead of replacing GAME."),
]
FormOption = Annotated[
    Literal["toml", "json"] | None,
    typer.Option("--format", help="The format to write; by default that of the file name."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Unicode = Annotated[bool, typer.Option("--unicode", help="Draw the board with box characters.")]
Seats = Annotated[list[str], typer.Argument(metavar="NAME[:COLOUR]...", help="2 to 6 players, in seating order.")]
BoardOption = Annotated[
    Literal["players", "random", "recommended"],
    typer.Option(help="Who lays the tiles: the players, or chance; or a recommended board for a first game."),
]
HideFood = Annotated[bool, typer.Option("--hide-food", help="Hide the food of clans that own Fire.")]
Components = Annotated[Path | None, typer.Option(metavar="FILE", help="A component set of your own.")]
SecretDigits = Annotated[str, typer.Option(metavar="HEX", help="32 bytes, for tests; by default random.")]
ClubPath = Annotated[Path, typer.Argument(metavar="CLUB", help="The club's folder.", readable=False)]

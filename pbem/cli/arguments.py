"""What several commands are asked for: how each argument is written, said once."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from pbem.errors import UsageError


def no_dash(path: Path | None) -> Path | None:
    """Refuse the name that elsewhere means standard output: texts go there, and what is kept goes to a file."""
    if path == Path("-"):
        raise UsageError("this is written to a file, not to standard output", hint="name a file, and not -")
    return path


GamePath = Annotated[Path, typer.Argument(metavar="GAME", help="The game file, TOML or JSON.", readable=False)]
Games = Annotated[
    list[Path], typer.Argument(metavar="FILE|DIR...", help="Games, or folders with games in them.", readable=False)
]
MaybeGame = Annotated[
    Path | None, typer.Argument(metavar="GAME", help="The game file, or with --batch the lines.", readable=False)
]
Batch = Annotated[
    bool, typer.Option("--batch", help="Judge lines of JSON, from a file or standard input; a verdict a line.")
]
Jobs = Annotated[int, typer.Option("--jobs", metavar="N", min=1, max=256, help="In how many processes.")]
MovePath = Annotated[str, typer.Argument(metavar="[MOVE]", help="A move file, a text of order lines, or - for stdin.")]
Order = Annotated[list[str] | None, typer.Option("--order", metavar="ORDER", help="An order line; may be repeated.")]
As = Annotated[str, typer.Option("--as", metavar="PLAYER", help="Who plays or reads: a colour or a name.")]
Out = Annotated[
    Path | None, typer.Option("-o", "--output", metavar="FILE", callback=no_dash, help="Write there, not in place.")
]
FormOption = Annotated[
    Literal["toml", "json"] | None, typer.Option("--format", help="What to write; else the ending tells.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Unicode = Annotated[bool, typer.Option("--unicode", help="Draw the board with box characters.")]
Seats = Annotated[list[str], typer.Argument(metavar="NAME[:COLOUR]...", help="2 to 6, in the order of seats.")]
BoardOption = Annotated[
    Literal["players", "random", "recommended"],
    typer.Option(help="The players lay the tiles, chance does, or a board of ours for a first game."),
]
HideFood = Annotated[bool, typer.Option("--hide-food", help="Who owns Fire hides its food.")]
Components = Annotated[Path | None, typer.Option(metavar="FILE", help="Your own component set.")]
SecretDigits = Annotated[str, typer.Option(metavar="HEX", help="32 bytes, for tests; else they are random.")]
ClubPath = Annotated[Path, typer.Argument(metavar="CLUB", help="The club's folder.", readable=False)]

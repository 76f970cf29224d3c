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


ClubPath = Annotated[Path, typer.Argument(metavar="CLUB", help="The club's folder.", readable=False)]
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
ClusterAt = Annotated[
    str | None,
    typer.Option("--cluster", metavar="ADDRESS", help="Compute on the workers of this dask scheduler instead."),
]
KeepIn = Annotated[
    Path | None,
    typer.Option("--keep", metavar="DIR", callback=no_dash, help="Keep finished parts here, to go on after a stop."),
]
Parquet = Annotated[
    Path | None,
    typer.Option(
        "--parquet", metavar="DIR", callback=no_dash, help="Also write a table of games and one of clans, as Parquet."
    ),
]
MovePath = Annotated[str, typer.Argument(metavar="[MOVE]", help="A move file, a file of order lines, or - for stdin.")]
Order = Annotated[list[str] | None, typer.Option("--order", metavar="ORDER", help="An order line; may be repeated.")]
After = Annotated[
    str | None, typer.Option("--after", metavar="ORDERS", help="Orders to try, separated by ; and not played.")
]
As = Annotated[str, typer.Option("--as", metavar="PLAYER", help="The player, by colour or name.")]
Out = Annotated[
    Path | None,
    typer.Option(
        "-o", "--output", metavar="FILE", callback=no_dash, help="Write here instead of replacing GAME.", readable=False
    ),
]
FormOption = Annotated[
    Literal["toml", "json"] | None,
    typer.Option("--format", help="The format to write; by default that of the file name."),
]
Bots = Annotated[bool, typer.Option("--bots", help="Then let the bots decide until a person is asked.")]
ReadIn = Annotated[str, typer.Option("--language", metavar="CODE", help="The language of the text: en, it, fr or de.")]
WrittenIn = Annotated[
    str, typer.Option("--language", metavar="CODE", help="The language of what you read and write: en, it, fr or de.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Stats = Annotated[
    bool,
    typer.Option(
        "--stats",
        help="Add the mails and waits of each game. A wait begins when somebody is asked while nobody else is awaited.",
    ),
]
Since = Annotated[
    Path | None,
    typer.Option("--since", metavar="OLD", help="Also prove that the game continues this older file.", readable=False),
]
Digests = Annotated[
    Path, typer.Argument(metavar="DIGESTS", callback=no_dash, help="The file of digests.", readable=False)
]
Store = Annotated[bool, typer.Option("--store", help="Write the digests, to compare with later.")]
Unicode = Annotated[bool, typer.Option("--unicode", help="Draw the board with box characters.")]
Plain = Annotated[bool, typer.Option("--plain", help="Print lists, without drawings and tables, for a screen reader.")]
JoinSecret = Annotated[
    str, typer.Option("--secret", metavar="HEX", help="A secret to bring back, 64 hexadecimal digits.")
]
NewSecret = Annotated[
    bool,
    typer.Option(
        "--new-secret",
        help="Go on with a new secret, once in a game: if yours is lost, or if you drew in another course of the game.",
    ),
]

"""The command that draws the board into a file."""

from pathlib import Path
from typing import Annotated, Final, Literal

import typer

from pbem import loading, report
from pbem.cli.arguments import GamePath, Json, no_dash
from pbem.cli.console import show_report
from pbem.cli.ours import write_ours
from pbem.errors import UsageError
from pbem.first_sparks.record import Record
from pbem.game_files import own_set

_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
# A chunk of text says that a PNG is ours, so that the next drawing may take its place, but not that of a photograph.
_OURS: Final = b"tEXtSoftware\0pbem"


def board(
    game: GamePath,
    svg: Annotated[bool, typer.Option("--svg", help="Draw it as SVG.")] = False,
    png: Annotated[bool, typer.Option("--png", help="Draw it as PNG; this needs pbem[png].")] = False,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", callback=no_dash, help="Write there, not beside the game."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Draw the board into a file: members, mountains, and what lies on the harvest spaces."""
    form = _form(svg, png, out)
    record = loading.load(game).record
    target = out or game.with_suffix(f".{form}")
    write_ours(target, _drawing(record, form), "drawing", _is_ours)
    message = "; ".join((f"the board at turn {record.turn} is drawn in {target}", *report.own_set_note(record)))
    show_report(report.done("drawn", message, target, format=form), as_json)


def _form(svg: bool, png: bool, out: Path | None) -> Literal["svg", "png"]:
    ending = out.suffix.lower() if out and not svg and not png else ""
    if (svg or ending == ".svg") and not png:
        return "svg"
    if (png or ending == ".png") and not svg:
        return "png"
    raise UsageError("say either --svg or --png", hint="pbem board GAME --svg -o board.svg")


def _drawing(record: Record, form: str) -> bytes:
    from pbem.first_sparks.briefing.board_svg import board_svg
    from pbem.page.png import svg_to_png

    svg = board_svg(record.state, own_set(record))
    if form == "svg":
        return svg.encode()
    png = svg_to_png(svg)
    if png is None:
        raise UsageError(
            "a PNG needs the extra [png], which is not installed", hint="pip install 'pbem[png]', or take --svg"
        )
    return _marked(png)


def _marked(png: bytes) -> bytes:
    """Return the PNG with a chunk after its first one (33 bytes with the signature) that says whose it is."""
    from zlib import crc32

    chunk = (len(_OURS) - 4).to_bytes(4) + _OURS + crc32(_OURS).to_bytes(4)
    return png[:33] + chunk + png[33:]


def _is_ours(start: bytes) -> bool:
    """Return whether a file that begins like this is a drawing of ours."""
    is_svg = start.startswith(b"<svg ") and b'aria-label="The board of First Sparks"' in start
    return is_svg or (start.startswith(_SIGNATURE) and start[37:].startswith(_OURS))

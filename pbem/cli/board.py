"""The command ``pbem board``."""

from pathlib import Path
from typing import Annotated, Final, Literal

import typer

from pbem import loading, report
from pbem.cli.arguments import GamePath, Json, ReadIn, no_dash
from pbem.cli.console import show_report
from pbem.cli.language import in_language
from pbem.cli.output import write_ours
from pbem.errors import UsageError
from pbem.first_sparks.record import Record
from pbem.game_files import own_set
from pbem.grammar import language_called
from pbem.locale import LANGUAGES, Language, phrase, speaking, tr

_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
# This text chunk marks a PNG as ours, so that the next drawing may replace it, but never a photograph.
_OURS: Final = b"tEXtSoftware\0pbem"


@in_language
def board(
    game: GamePath,
    svg: Annotated[bool, typer.Option("--svg", help="Draw an SVG file.")] = False,
    png: Annotated[bool, typer.Option("--png", help="Draw a PNG file; this needs the extra [png].")] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FILE", callback=no_dash, help="Write here; by default beside the game file."
        ),
    ] = None,
    as_json: Json = False,
    language: ReadIn = "en",
) -> None:
    """Draw the board as an SVG or PNG file.

    It shows members, mountains, and the food on the harvest spaces.
    """
    form = _form(svg, png, out)
    record = loading.load(game).record
    target = out or game.with_suffix(f".{form}")
    with speaking(language_called(language)):
        drawing = _drawing(record, form)
    write_ours(target, drawing, _is_ours)
    drew = phrase("drew the board at turn {turn} to {file}", turn=record.turn, file=target)
    told = (drew, *report.own_set_note(record))
    show_report(report.done("drawn", "; ".join(told), target, "; ".join(map(tr, told)), format=form), as_json)


def _form(svg: bool, png: bool, out: Path | None) -> Literal["svg", "png"]:
    ending = out.suffix.lower() if out and not svg and not png else ""
    if (svg or ending == ".svg") and not png:
        return "svg"
    if (png or ending == ".png") and not svg:
        return "png"
    raise UsageError("choose either --svg or --png", hint="for example: pbem board GAME --svg -o board.svg")


def _drawing(record: Record, form: str) -> bytes:
    from pbem.first_sparks.briefing.board.picture import board_svg
    from pbem.page.png import svg_to_png

    svg = board_svg(record.state, own_set(record))
    if form == "svg":
        return svg.encode()
    png = svg_to_png(svg)
    if png is None:
        raise UsageError(
            "a PNG needs the extra [png], which is not installed",
            hint="run pip install '.[png]' in the source folder of pbem, or use --svg, which needs no extra",
        )
    return _marked(png)


def _marked(png: bytes) -> bytes:
    """Return the PNG with a chunk after its first one (33 bytes with the signature) that says that pbem drew it."""
    from zlib import crc32

    chunk = (len(_OURS) - 4).to_bytes(4) + _OURS + crc32(_OURS).to_bytes(4)
    return png[:33] + chunk + png[33:]


def _is_ours(start: bytes) -> bool:
    """Return whether a file that begins like this is a drawing by pbem."""
    is_svg = start.startswith(b"<svg ") and any(label in start for label in map(_label, LANGUAGES))
    return is_svg or (start.startswith(_SIGNATURE) and start[37:].startswith(_OURS))


def _label(language: Language) -> bytes:
    from pbem.first_sparks.briefing.board.picture import label_of

    with speaking(language):
        return label_of().encode()

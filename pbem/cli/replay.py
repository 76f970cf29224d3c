"""The command ``pbem replay``: a game from its log, as text, as JSON or as a web page."""

from pathlib import Path
from typing import Annotated

import typer

from pbem import loading, report
from pbem.cli.arguments import GamePath, Json, ReadIn, no_dash
from pbem.cli.console import show_report, write_out
from pbem.cli.language import in_language
from pbem.errors import UsageError
from pbem.first_sparks.record import Record
from pbem.grammar import language_called
from pbem.locale import Language, phrase, speaking


@in_language
def replay(
    game: GamePath,
    to: Annotated[int | None, typer.Option("--to", metavar="N", min=0, help="Stop after turn N.")] = None,
    html: Annotated[bool, typer.Option("--html", help="Print a web page that steps through the game.")] = False,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", callback=no_dash, help="Write the page to this file."),
    ] = None,
    as_json: Json = False,
    language: ReadIn = "en",
) -> None:
    """Retell the game from its log.

    With --html, print a web page that steps through the game. With --json, print one object for each line of the log.
    """
    if out and not html:
        raise UsageError("-o can only be combined with --html", hint="pbem replay GAME --html -o game.html")
    if html and as_json and not out:
        raise UsageError(
            "--html with --json needs a file for the page", hint="pbem replay GAME --html -o game.html --json"
        )
    record = loading.load(game).record
    if to is not None and to > record.turn:
        raise UsageError(f"the game has no turn {to}; it is at turn {record.turn}")
    if html:
        _page(record, to, out, as_json, language_called(language))
        return
    steps = tuple(step for step in record.history if to is None or step[0].turn <= to)
    if as_json:
        for line in report.replay_lines(steps):
            write_out(f"{line}\n", done=False)
    else:
        write_out(report.story(record, steps), done=False)


def _page(record: Record, last: int | None, out: Path | None, as_json: bool, language: Language) -> None:
    """Print the page, or write it to a file."""
    from pbem.cli.output import write_ours
    from pbem.game_page import is_page, page_of

    with speaking(language):
        page = page_of(record, last, language=language)
    if out is None:
        write_out(page, done=False)
        return
    write_ours(out, page.encode(), is_page)
    turn = record.turn if last is None else last
    message = phrase("{out} shows the game up to turn {turn}", out=out, turn=turn)
    show_report(report.done("drawn", message, out, format="html"), as_json)

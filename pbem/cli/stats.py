"""The command ``pbem stats``."""

import json
from typing import Annotated

import typer

from pbem.cli.arguments import Games, Jobs, Json
from pbem.cli.console import watched, write_out
from pbem.errors import Broken, UsageError
from pbem.scripts.archive import places_in
from pbem.scripts.stats import statistics


def stats(
    games: Games,
    html: Annotated[bool, typer.Option("--html", help="Print a page with charts.")] = False,
    as_json: Json = False,
    jobs: Jobs = 1,
) -> int:
    """Summarise games: rounds, wins, harvests, cards, players."""
    if html and as_json:
        raise UsageError("--html cannot be combined with --json")
    found = statistics(watched(places_in(games), sum(1 for _ in places_in(games))), jobs)
    if as_json:
        text = json.dumps(found.data()) + "\n"
    elif html:
        from pbem.scripts.stats_html import html_of

        text = html_of(found)
    else:
        from pbem.page.text import text_of
        from pbem.scripts.stats_text import page_of

        text = text_of(page_of(found))
    write_out(text, done=False)
    return Broken.exit_status if found.failures else 0

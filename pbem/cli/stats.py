"""The commands that count games: ``pbem stats`` and ``simulate``."""

import json
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli.arguments import ClusterAt, Games, Jobs, Json, KeepIn, Parquet, ReadIn
from pbem.cli.console import watched, write_out
from pbem.cli.language import in_language
from pbem.cli.new_game import BoardOption, Components, HideFood
from pbem.errors import Broken, UsageError
from pbem.locale import spoken

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from pbem.scripts.tables import Tables


@in_language
def stats(
    games: Games,
    html: Annotated[bool, typer.Option("--html", help="Print a page with charts.")] = False,
    as_json: Json = False,
    parquet: Parquet = None,
    jobs: Jobs = 1,
    cluster: ClusterAt = None,
    keep: KeepIn = None,
    language: ReadIn = "en",
) -> int:
    """Summarise games: rounds, wins, harvests, cards, players."""
    from pbem.cli.workers import workers_of
    from pbem.scripts.archive import places_in
    from pbem.scripts.stats import statistics

    if html and as_json:
        raise UsageError("--html cannot be combined with --json")
    places = watched(places_in(games), sum(1 for _ in places_in(games)))
    with workers_of(jobs, cluster, keep) as (workers, kept), _tables(parquet) as tables:
        found = statistics(places, workers, kept, tables)
    if as_json:
        text = json.dumps(found.data()) + "\n"
    elif html:
        from pbem.scripts.stats_html import html_of

        text = html_of(found, language=spoken())
    else:
        from pbem.page.text import text_of
        from pbem.scripts.stats_text import page_of

        text = text_of(page_of(found))
    write_out(text, done=parquet is not None)
    return Broken.exit_status if found.failures else 0


def simulate(
    games: Annotated[int, typer.Option("--games", metavar="N", min=1, help="How many games are played.")] = 100,
    bots: Annotated[
        str,
        typer.Option(
            "--bots",
            metavar="KINDS",
            help="2 to 6 bots, separated by commas: bot, random, or MODULE:FUNCTION for one of your own.",
        ),
    ] = "bot,bot,bot",
    board: BoardOption = "players",
    hide_food: HideFood = False,
    components: Components = None,
    seed: Annotated[str, typer.Option("--seed", metavar="TEXT", help="Another seed gives other games.")] = "1",
    as_json: Json = False,
    parquet: Parquet = None,
    jobs: Jobs = 1,
    cluster: ClusterAt = None,
    keep: KeepIn = None,
) -> None:
    """Play games between bots, and count them.

    It shows how a component set plays: rounds, wins by seat, cards by price. The same options give the same games, on
    any number of processes.
    """
    from pbem.cli.workers import workers_of
    from pbem.scripts.simulation import counted, plan_of, played_shards

    kinds = [kind.strip() for kind in bots.split(",")]
    plan = plan_of(kinds, board=board, hide_food=hide_food, seed=seed, components=components)
    with workers_of(jobs, cluster, keep) as (workers, kept), _tables(parquet) as tables:
        shards = played_shards(plan, games, workers, kept)
        found = counted(plan, watched(shards, games, lambda one: one[0].games, quiet=True), tables)
    if as_json:
        text = json.dumps(found.data()) + "\n"
    else:
        from pbem.page.text import text_of

        text = text_of(found.page())
    write_out(text, done=parquet is not None)


def _tables(folder: Path | None) -> "AbstractContextManager[Tables | None]":
    """Return the tables that are to be written, if any."""
    if folder is None:
        return nullcontext()
    from pbem.scripts.tables import tables_in

    return tables_in(folder)

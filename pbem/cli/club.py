"""The commands of a club whose letters are files: ``pbem club``."""

from collections.abc import Callable
from typing import Annotated, Final

import typer

from pbem.cli.arguments import ClubPath, Json, Stats
from pbem.cli.console import complain, show_report
from pbem.cli.host import games, upkeep
from pbem.cli.host.clubs import family_of, say, show_status
from pbem.cli.host.games import Release
from pbem.cli.new_game import BoardOption, HideFood, Languages
from pbem.grammar import plural
from pbem.report import done


def init(
    folder: ClubPath,
    host: Annotated[str, typer.Option(metavar="NAME", help="Your name as the host, and that of your folder.")],
    as_json: Json = False,
) -> None:
    """Create a club whose letters are text files.

    The host gets a letter when something needs attention.
    """
    from pbem.carriers.folders import create

    create(folder, host)
    text = f"created a club in {folder}; letters and answers are in {folder / 'players'}"
    say("founded", folder, text, as_json, host=host)


def new(
    folder: ClubPath,
    game: Annotated[str, typer.Argument(metavar="GAME", help="The name of the game.")],
    players: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME[:COLOUR][=ADDRESS]...",
            help="2 to 6 players, in seating order; a bot is called bot. The folder of a player without an address has "
            "the player's name.",
        ),
    ],
    board: BoardOption = "players",
    hide_food: HideFood = False,
    language: Languages = None,
    as_json: Json = False,
) -> None:
    """Begin a game.

    Every player gets a folder.
    """
    from pbem.carriers.folders import in_folder, make_inboxes, own_club
    from pbem.club.opening import open_game
    from pbem.table.people import Opening

    seats = tuple(in_folder(player) for player in players)
    club = own_club(folder)
    table = open_game(club, game, seats, Opening(len(seats), board, "sealed", hide_food), None, language or ())
    make_inboxes(club)
    say("begun", table.folder, f"{game} has begun", as_json, game=game)


def run(
    folder: ClubPath,
    now: Annotated[
        str, typer.Option("--now", metavar="T", help="Also run the clock at time T, e.g. $(date -Is).")
    ] = "",
    release: Release = False,
    as_json: Json = False,
) -> None:
    """Process the waiting answers, and write new letters."""
    from datetime import UTC, datetime

    from pbem.carriers.folders import own_club
    from pbem.carriers.folders import run as run_once
    from pbem.club.upkeep.health import note_health
    from pbem.table.clock import instant

    club = own_club(folder)
    verdicts, did, troubles = run_once(club, instant(now) if now else None, release=release)
    told = [error.message for error in troubles]
    note_health(club, datetime.now(UTC), told, looked=not troubles, sent=not troubles)
    ticked = [f"{game.game}: {what}" for game in did for what in game.what]
    for error in troubles:
        complain(error, as_json=False)
    lines = (*map(str, verdicts), *ticked)
    text = plural(len(verdicts), "{n} answer processed", "{n} answers processed")
    codes = [verdict.code for verdict in verdicts]
    show_report(done("run", text, folder, "\n".join((*lines, text)), ok=not troubles, codes=codes, did=ticked), as_json)
    if troubles:
        raise typer.Exit(troubles[0].exit_status)


def status(folder: ClubPath, stats: Stats = False, as_json: Json = False) -> None:
    """Show whose turn it is in every game."""
    from pbem.carriers.folders import own_club

    show_status(own_club(folder), None, as_json, stats=stats)


COMMANDS: Final[dict[str, Callable[..., None]]] = {
    "init": init,
    "new": new,
    "run": run,
    "status": status,
    **upkeep.COMMANDS,
    **games.COMMANDS,
}


def family() -> typer.Typer:
    """Return ``pbem club`` with all its commands."""
    about = "Play with text files in folders, without email.\n\nAn ADDRESS is the name of a folder in CLUB/players."
    return family_of("club", about, COMMANDS)

"""The commands that make a file: ``pbem new`` and ``convert``."""

from pathlib import Path
from typing import Annotated

import typer

from pbem import formats, game_files, game_setup, interrupts, loading, report
from pbem.cli.arguments import As, FormOption, Json, Plain, Unicode, no_dash
from pbem.cli.console import printable, show_report, write_out
from pbem.cli.new_game import BoardOption, ChoseIt, Components, HideFood, Seats, SecretDigits
from pbem.first_sparks.options import Options
from pbem.first_sparks.record import ChanceKind


def new(
    game: Annotated[Path, typer.Argument(metavar="GAME", callback=no_dash, help="The file to create, TOML or JSON.")],
    players: Seats,
    board: BoardOption = "players",
    chance: Annotated[
        ChanceKind,
        typer.Option(
            help="Who holds the secret of the draws: its keeper, in a file of its own; whoever has the game file; "
            "or all players, each a part of it."
        ),
    ] = "sealed",
    player: As = "",
    hide_food: HideFood = False,
    components: Components = None,
    name: Annotated[str, typer.Option("--id", metavar="ID", help="The game's name; by default that of the file.")] = "",
    secret: SecretDigits = "",
    chose_it: ChoseIt = False,
    form: FormOption = None,
    as_json: Json = False,
    unicode: Unicode = False,
    plain: Plain = False,
) -> None:
    """Begin a game and print the text for the first player.

    A sealed game keeps the secret of its draws in GAME.secret.toml, beside the game file. In an open game, anybody
    who has the file can compute every card to come. A shared game begins when all players have joined it.
    """
    drawn_from = game_setup.secret_from(secret, chance, chosen=chose_it)
    record = game_setup.begin_record(
        name or game_setup.game_id(game),
        game_setup.seats(players),
        options=Options(board, hide_food),
        components=loading.load_components(components) if components else loading.built_in(),
        kind=chance,
        secret=drawn_from,
    )
    form = form or formats.format_of(game, hint=formats.NAME_OR_FORMAT)
    if chance == "shared":
        from pbem.shared.entry import enter, with_backup

        joined = enter(record, player, secret)
        seen = report.view("begun", "you have joined", game, joined.record, joined.colour, unicode=unicode, plain=plain)
        answer, record = with_backup(seen, game, joined), joined.record
    else:
        answer = report.ruling("begun", game, 0, record, unicode=unicode, plain=plain)
    result = printable(answer, as_json)
    with interrupts.hold("the game was begun"):
        game_setup.create(game, record, drawn_from, form)
    write_out(result)


def convert(
    game: Annotated[
        Path, typer.Argument(metavar="OLD", help="The file to convert: a game, move or component file.", readable=False)
    ],
    out: Annotated[Path, typer.Argument(metavar="NEW", callback=no_dash, help="The file to create.")],
    form: FormOption = None,
    as_json: Json = False,
) -> None:
    """Convert a file from TOML to JSON or back.

    Nothing is lost.
    """
    written = game_files.convert(game, out, form)
    show_report(report.done("converted", f"wrote {out} as {written.upper()}", out, format=written), as_json)

"""The commands: read arguments, call, print. No rule, no format."""

import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Annotated, Final, Literal

import typer

from pbem import files, reading, report
from pbem import play as way
from pbem.board_command import board
from pbem.errors import PbemError, UsageError
from pbem.files import Format
from pbem.first_sparks.record import Record, replayed, verify
from pbem.first_sparks.state import Options
from pbem.output import complain, show_report, write_out
from pbem.reading import Submission

GamePath = Annotated[Path, typer.Argument(metavar="GAME", help="The game file, TOML or JSON.", readable=False)]
MovePath = Annotated[str, typer.Argument(metavar="[MOVE]", help="A move file, a text of order lines, or - for stdin.")]
Order = Annotated[list[str] | None, typer.Option("--order", metavar="ORDER", help="An order line; may be repeated.")]
As = Annotated[str, typer.Option("--as", metavar="PLAYER", help="Who plays or reads: a colour or a name.")]
Out = Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write there, not in place.")]
Form = Annotated[Literal["toml", "json"] | None, typer.Option("--format", help="What to write; else the ending tells.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Unicode = Annotated[bool, typer.Option("--unicode", help="Draw the board with box characters.")]


def new(
    game: GamePath,
    players: Annotated[list[str], typer.Argument(metavar="NAME[:COLOUR]...", help="2 to 6, in the order of seats.")],
    board: Annotated[
        Literal["players", "random", "recommended"],
        typer.Option(help="The players lay the tiles, chance does, or a board of ours for a first game."),
    ] = "players",
    chance: Annotated[
        Literal["sealed", "open"], typer.Option(help="Keep the secret of the draws in its own file, or show it.")
    ] = "sealed",
    hide_food: Annotated[bool, typer.Option("--hide-food", help="Who owns Fire hides its food.")] = False,
    components: Annotated[Path | None, typer.Option(metavar="FILE", help="Your own component set.")] = None,
    name: Annotated[str, typer.Option("--id", metavar="ID", help="The game's name; else that of the file.")] = "",
    secret: Annotated[str, typer.Option(metavar="HEX", help="32 bytes, for tests; else they are random.")] = "",
    form: Form = None,
    as_json: Json = False,
    unicode: Unicode = False,
) -> None:
    """Begin a game, and print what the first to decide needs to read."""
    record = way.new(
        game,
        name or game.stem,
        way.seats(players),
        options=Options(board, hide_food),
        components=reading.load_components(components) if components else reading.built_in(),
        sealed=chance == "sealed",
        secret=way.secret_from(secret),
        form=form or files.format_of(game),
    )
    show_report(report.ruling("begun", game, 0, record, unicode=unicode), as_json)


def play(
    game: GamePath,
    move: MovePath = "",
    order: Order = None,
    player: As = "",
    out: Out = None,
    form: Form = None,
    as_json: Json = False,
    unicode: Unicode = False,
) -> None:
    """Play a move: judge it, write the game, and print what the next player needs to read."""
    before, record = way.play(game, _submission(move, order, player), out=out, form=form)
    show_report(report.ruling("played", out or game, before, record, unicode=unicode), as_json)


def check(game: GamePath, move: MovePath = "", order: Order = None, player: As = "", as_json: Json = False) -> None:
    """Say whether a move is legal. Nothing is written, and nothing is drawn."""
    record, submission = reading.load(game).record, _submission(move, order, player)
    ruling = way.judge(record, submission, None)
    show_report(report.verdict(game, record, ruling.history, way.player_of(record, submission.player)), as_json)


def show(game: GamePath, player: As = "", as_json: Json = False, unicode: Unicode = False) -> None:
    """Show the board, the clans, the market, and who must decide what."""
    record = reading.load(game).record
    show_report(report.view("shown", "", game, record, _viewer(record, player), unicode=unicode), as_json)


def options(game: GamePath, player: As = "", as_json: Json = False) -> None:
    """List every legal choice now, with its cost."""
    record = reading.load(game).record
    show_report(report.legal_choices(game, record, _viewer(record, player)), as_json)


def replay(
    game: GamePath,
    to: Annotated[int | None, typer.Option("--to", metavar="N", min=0, help="Stop after turn N.")] = None,
    as_json: Json = False,
) -> None:
    """Tell the game from its log; with --json one object a line of the log."""
    record = reading.load(game).record
    steps = (step for step in replayed(record) if to is None or step[0].turn <= to)
    if as_json:
        for line in report.replay_lines(steps):
            write_out(f"{line}\n")
    else:
        show_report(report.story(game, record, tuple(steps)), as_json)


def verify_(game: GamePath, as_json: Json = False) -> None:
    """Prove that log, chain and snapshot agree; name the first line that does not."""
    record = reading.load(game).record
    lines = verify(record)
    show_report(report.done("verified", f"{lines} lines of log, chain and snapshot agree", game, lines=lines), as_json)


def reveal(game: GamePath, as_json: Json = False) -> None:
    """Publish the secret of a finished game, so that everybody can audit it."""
    way.reveal(game)
    show_report(report.done("revealed", "the secret stands in the game file now", game), as_json)


def audit(game: GamePath, as_json: Json = False) -> None:
    """Prove every draw of a game from its secret."""
    draws = way.audited(game)
    show_report(report.done("audited", f"all {draws} draws are what the secret gives", game, draws=draws), as_json)


def convert(
    game: GamePath, out: Annotated[Path, typer.Argument(metavar="FILE")], form: Form = None, as_json: Json = False
) -> None:
    """Write a game, move or component file in the other format; nothing is lost."""
    written = way.convert(game, out, form)
    show_report(report.done("converted", f"{out} is written in {written.upper()}", out, format=written), as_json)


def rules(
    which: Annotated[
        list[str] | None, typer.Argument(metavar="[ID|NUMBER]...", help="Rules by id or R number.")
    ] = None,
    rulings: Annotated[bool, typer.Option("--rulings", help="Only the rulings of ours.")] = False,
    as_json: Json = False,
) -> None:
    """Print the index of the rules: id, number, source, and a sentence; our rulings are marked."""
    from pbem import reference

    show_report(reference.rules(tuple(which or ()), only_rulings=rulings), as_json)


def components(
    check_file: Annotated[Path | None, typer.Option("--check", metavar="FILE", help="Check your own set.")] = None,
    as_json: Json = False,
) -> None:
    """Show the cards and tiles, and how well each value is known; or check a set of your own."""
    from pbem import reference

    path = check_file or Path("components.toml")
    found = reading.load_components(check_file) if check_file else reading.built_in()
    show_report(reference.components(found, path, checked=check_file is not None), as_json)


def schema(
    kind: Annotated[Literal["game", "move", "components"], typer.Argument(help="Which file.")], as_json: Json = False
) -> None:
    """Print the JSON Schema of a file."""
    from pbem.schema import schema_text

    text = schema_text(kind)
    show_report(report.done("schema", "", Path(f"{kind}.schema.json"), text, schema=json.loads(text)), as_json)


COMMANDS: Final[dict[str, Callable[..., None]]] = {
    "new": new,
    "play": play,
    "check": check,
    "show": show,
    "options": options,
    "replay": replay,
    "verify": verify_,
    "reveal": reveal,
    "audit": audit,
    "board": board,
    "convert": convert,
    "rules": rules,
    "components": components,
    "schema": schema,
}

# Whole families of commands, in modules of their own that are read only when they are asked for.
FAMILIES: Final[dict[str, str]] = {"mail": "pbem.mail.commands"}


def _viewer(record: Record, player: str) -> str | None:
    """Return the colour of who reads, None for somebody who may know only what all may know."""
    return way.player_of(record, player) if player else None


def _submission(move: str, orders: list[str] | None, player: str) -> Submission:
    """Return what the player sends, from a file, standard input, or the command line."""
    if bool(move) == bool(orders):
        raise UsageError("give either a move file or --order", hint='pbem play GAME --order "offer 12" --as red')
    if orders:
        return reading.order_lines(orders, "the command line")._replace(player=player)
    if move == "-":
        return reading.signed(reading.read_submission(files.read_stdin(), None, "standard input"), player)
    endings: dict[str, Format] = {".toml": "toml", ".json": "json"}
    form = endings.get(Path(move).suffix.lower())
    return reading.signed(reading.read_submission(files.read_text(Path(move)), form, move), player)


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        print(f"pbem {version('pbem')}")  # noqa: T201
        raise typer.Exit


def _about(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Play Power Grid: The First Sparks by mail, through git, or with scripts."""


def build(argv: list[str]) -> typer.Typer:
    """Return the program; only the command that is asked for is prepared, since each costs time."""
    app = typer.Typer(
        name="pbem",
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        no_args_is_help=True,
        callback=_about,
    )
    asked = next((word for word in argv if not word.startswith("-")), None)
    asked = asked if asked in COMMANDS or asked in FAMILIES else None
    for name, command in COMMANDS.items():
        if asked in (None, name):
            app.command(name)(command)
    for name, module in FAMILIES.items():
        if asked in (None, name):
            app.add_typer(import_module(module).family(), name=name)
    return app


def run(argv: list[str]) -> int:
    """Run one command and return its exit status; every error is one clear message, and never a traceback."""
    as_json = "--json" in argv
    try:
        result = build(argv)(args=argv, prog_name="pbem", standalone_mode=False)
    except PbemError as error:
        complain(error, as_json)
        return error.exit_status
    except typer.TyperException as error:
        complain(UsageError(error.format_message().rstrip("."), hint="pbem --help"), as_json)
        return UsageError.exit_status
    return result if isinstance(result, int) else 0

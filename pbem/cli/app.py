"""The commands: read arguments, call, print. No rule, no format."""

import json
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer

from pbem import files, formats, game_files, interrupts, loading, report, rulings, secrets
from pbem.cli.arguments import (
    As,
    Batch,
    BoardOption,
    Components,
    FormOption,
    GamePath,
    Games,
    HideFood,
    Jobs,
    Json,
    MaybeGame,
    MovePath,
    Order,
    Out,
    Seats,
    SecretDigits,
    Unicode,
    no_dash,
)
from pbem.cli.console import complain, printable, show_report, watched, write_err, write_out
from pbem.errors import Broken, Bug, CannotWrite, NotUnderstood, PbemError, UsageError
from pbem.first_sparks.options import Options
from pbem.first_sparks.record import Record, draws_proved
from pbem.schema import Shipped, schema_text

if TYPE_CHECKING:
    from pbem.scripts.archive import GameVerdict


def new(
    game: Annotated[Path, typer.Argument(metavar="GAME", callback=no_dash, help="The new file, TOML or JSON.")],
    players: Seats,
    board: BoardOption = "players",
    chance: Annotated[
        Literal["sealed", "open"], typer.Option(help="Keep the secret of the draws in its own file, or show it.")
    ] = "sealed",
    hide_food: HideFood = False,
    components: Components = None,
    name: Annotated[str, typer.Option("--id", metavar="ID", help="The game's name; else that of the file.")] = "",
    secret: SecretDigits = "",
    form: FormOption = None,
    as_json: Json = False,
    unicode: Unicode = False,
) -> None:
    """Begin a game, and print what the first to decide needs to read."""
    from pbem import game_setup

    drawn_from = game_setup.secret_from(secret)
    record = game_setup.begin_record(
        name or game_setup.game_id(game),
        game_setup.seats(players),
        options=Options(board, hide_food),
        components=loading.load_components(components) if components else loading.built_in(),
        sealed=chance == "sealed",
        secret=drawn_from,
    )
    result = printable(report.ruling("begun", game, 0, record, unicode=unicode), as_json)
    with interrupts.hold("the game was begun"):
        game_setup.create(game, record, drawn_from, form or formats.format_of(game))
    write_out(result)


def play(
    game: MaybeGame = None,
    move: MovePath = "",
    order: Order = None,
    player: As = "",
    out: Out = None,
    form: FormOption = None,
    as_json: Json = False,
    unicode: Unicode = False,
    batch: Batch = False,
    jobs: Jobs = 1,
) -> int:
    """Play a move: judge it, write the game, and print what the next player needs to read."""
    if batch:
        return _batch(game, jobs, playing=True, besides=(move, order, player, out, form))
    path, submission = _the(game), loading.submission_of(move, order, player)
    with rulings.playing(path, submission, out=out, form=form) as (before, ruling):
        told = report.ruling("played", out or path, len(before.log), ruling.record, unicode=unicode)
        result = printable(told, as_json)
    write_out(result)
    return 0


def check(
    game: MaybeGame = None,
    move: MovePath = "",
    order: Order = None,
    player: As = "",
    as_json: Json = False,
    batch: Batch = False,
    jobs: Jobs = 1,
) -> int:
    """Say whether a move is legal. Nothing is written, and nothing is drawn."""
    if batch:
        return _batch(game, jobs, playing=False, besides=(move, order, player))
    path, submission = _the(game), loading.submission_of(move, order, player)
    with game_files.opened(path) as file:
        history = rulings.judge(file.record, submission, None).history
        result = printable(report.verdict(path, file.record, history), as_json)
    write_out(result, done=False)
    return 0


def show(game: GamePath, player: As = "", as_json: Json = False, unicode: Unicode = False) -> None:
    """Show the board, the clans, the market, and who must decide what."""
    with game_files.opened(game) as file:
        viewer = _viewer(file.record, player)
        result = printable(report.view("shown", "", game, file.record, viewer, unicode=unicode), as_json)
    write_out(result, done=False)


def options(game: GamePath, player: As = "", as_json: Json = False) -> None:
    """List every legal choice now, with its cost."""
    with game_files.opened(game) as file:
        result = printable(report.legal_choices(game, file.record, _viewer(file.record, player)), as_json)
    write_out(result, done=False)


def verify(
    games: Games,
    since: Annotated[
        Path | None, typer.Option("--since", metavar="OLD", help="Prove too that it continues this file.")
    ] = None,
    as_json: Json = False,
    jobs: Jobs = 1,
) -> int:
    """Prove that log, chain and snapshot agree, and the draws if the secret is shown. Of many games, print a table."""
    if len(games) == 1 and not files.is_folder(games[0]):
        record = loading.load(games[0]).record
        draws = draws_proved(record)
        added = game_files.added_since(since, record) if since else None
        show_report(report.proof(games[0], record, draws, since, added), as_json, done=False)
        return 0
    if since:
        raise UsageError("--since goes with one game file", hint="pbem verify NEW.toml --since OLD.toml")
    from pbem.scripts.archive import places_in, verified

    places = watched(places_in(games), sum(1 for _ in places_in(games)))
    return _tell(verified(places, jobs), as_json)


def diff_engines(
    digests: Annotated[
        Path, typer.Argument(metavar="DIGESTS", callback=no_dash, help="The file of digests.", readable=False)
    ],
    games: Games,
    store: Annotated[bool, typer.Option("--store", help="Write the file, to compare with it later.")] = False,
    as_json: Json = False,
    jobs: Jobs = 1,
) -> int:
    """Replay games; say which the rules treat in another way than when their digests were stored, from which line."""
    from pbem.scripts import engines
    from pbem.scripts.archive import places_in

    places = watched(places_in(games), sum(1 for _ in places_in(games)))
    if store:
        return _tell(engines.store(digests, places, jobs), as_json)
    return _tell(engines.changes(places, engines.stored(digests), jobs), as_json)


def reveal(game: GamePath, as_json: Json = False) -> None:
    """Publish the secret of a finished game, so that everybody can audit it."""
    secrets.reveal(game)
    show_report(report.done("revealed", "the secret stands in the game file now", game), as_json)


def audit(game: GamePath, as_json: Json = False) -> None:
    """Prove every draw of a game from its secret."""
    record = secrets.audited(game)
    draws = record.state.draws
    message = "; ".join((f"all {draws} draws are what the secret gives", *report.own_set_note(record)))
    show_report(report.done("audited", message, game, draws=draws), as_json, done=False)


def convert(
    game: GamePath,
    out: Annotated[Path, typer.Argument(metavar="FILE", callback=no_dash)],
    form: FormOption = None,
    as_json: Json = False,
) -> None:
    """Write a game, move or component file in the other format; nothing is lost."""
    written = game_files.convert(game, out, form)
    show_report(report.done("converted", f"{out} is written in {written.upper()}", out, format=written), as_json)


def rules(
    which: Annotated[
        list[str] | None, typer.Argument(metavar="[ID|NUMBER]...", help="Rules by id or R number.")
    ] = None,
    rulings: Annotated[bool, typer.Option("--rulings", help="Only the rulings of ours.")] = False,
    as_json: Json = False,
) -> None:
    """Print the index of the rules: id, number, source, and a sentence; our rulings are marked."""
    from pbem import lookup

    show_report(lookup.rules(tuple(which or ()), only_rulings=rulings), as_json, done=False)


def components(
    check_file: Annotated[Path | None, typer.Option("--check", metavar="FILE", help="Check your own set.")] = None,
    game: Annotated[Path | None, typer.Option("--of", metavar="GAME", help="Show the set of that game.")] = None,
    form: Annotated[Literal["toml", "json"] | None, typer.Option("--format", help="Print it as such a file.")] = None,
    as_json: Json = False,
) -> None:
    """Show the cards and tiles, and how well each value is known; or check a set of your own."""
    from pbem import lookup

    if (check_file and (game or form)) or (form and as_json):
        raise UsageError("say one of --check and --of, and one of --format and --json")
    if check_file:
        result = lookup.checked(loading.load_components(check_file), check_file)
    else:
        found = loading.load(game).record.components if game else loading.built_in()
        result = lookup.components(found, game or Path("components.toml"), form)
    show_report(result, as_json, done=False)


def schema(
    kind: Annotated[Shipped, typer.Argument(help="Of what.")],
    as_json: Json = False,
) -> None:
    """Print the JSON Schema of a file, of a line of a batch, or of what the commands print."""
    text = schema_text(kind)
    result = report.done("schema", "", Path(f"{kind}.schema.json"), text, schema=json.loads(text))
    show_report(result, as_json, done=False)


# A command in a module of its own is named by it.
COMMANDS: Final[dict[str, Callable[..., int | None] | str]] = {
    "new": new,
    "play": play,
    "check": check,
    "show": show,
    "options": options,
    "replay": "pbem.cli.replay",
    "verify": verify,
    "diff-engines": diff_engines,
    "reveal": reveal,
    "audit": audit,
    "board": "pbem.cli.board",
    "convert": convert,
    "rules": rules,
    "components": components,
    "schema": schema,
}

# Whole families of commands, in modules of their own that are read only when they are asked for.
FAMILIES: Final[dict[str, str]] = {
    "mail": "pbem.cli.mail",
    "club": "pbem.cli.club",
    "git": "pbem.cli.git",
}


def _viewer(record: Record, player: str) -> str | None:
    """Return the colour of who reads, None for somebody who may know only what all may know."""
    return rulings.player_of(record, player) if player else None


def _the(game: Path | None) -> Path:
    if game is None:
        raise UsageError("a game file is missing", hint='for instance: game.toml --order "offer 12" --as red')
    return game


def _batch(path: Path | None, jobs: int, *, playing: bool, besides: tuple[object, ...]) -> int:
    """Judge the lines of a file or of standard input; return 0 if all were legal, 65 if not, 70 after a bug."""
    from pbem.scripts.batch import chunks_of, verdicts

    if any(besides):
        raise UsageError("--batch goes with a file of lines and --jobs, and with nothing else")
    statuses = {0}
    with files.open_stream(path) as (stream, size):
        chunks = watched(chunks_of(stream), size, lambda chunk: sum(len(line) + 1 for line in chunk))
        for found in verdicts(chunks, playing=playing, jobs=jobs):
            try:
                write_out(f"{found.text}\n", done=False)
            except PbemError as untold:
                if not playing:
                    raise
                hint = f"line {found.number} and the lines before it are dealt with, and what was legal is played"
                raise CannotWrite(untold.message, hint=hint) from None
            statuses.add(found.exit_status)
            interrupts.go_on()
    return Bug.exit_status if Bug.exit_status in statuses else NotUnderstood.exit_status if statuses != {0} else 0


def _tell(verdicts: "Iterable[GameVerdict]", as_json: bool, *, done: bool = False) -> int:
    """Print answers about many games; return 0 if all is well with them."""
    well = True
    for text, data in verdicts:
        if as_json or text:
            write_out((json.dumps(data) if as_json else text) + "\n", done=done)
        well = well and data["ok"]
    return 0 if well else Broken.exit_status


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        write_out(f"pbem {version('pbem')}\n", done=False)
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
            app.command(name)(getattr(import_module(command), name) if isinstance(command, str) else command)
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
        if not argv[1:] and set(argv) <= FAMILIES.keys():  # nothing is asked, and the message is the help
            write_err(error.format_message())
        else:
            context = getattr(error, "ctx", None)
            hint = f"{context.command_path if context else 'pbem'} --help"
            complain(UsageError(error.format_message().rstrip("."), hint=hint), as_json)
        return UsageError.exit_status
    return result if isinstance(result, int) else 0

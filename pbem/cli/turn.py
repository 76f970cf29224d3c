"""The commands of every turn: ``pbem play``, ``check``, ``show`` and ``options``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pbem import files, game_files, interrupts, loading, report, rulings
from pbem.cli.console import printable, watched, write_out
from pbem.cli.language import in_language, ordered_in, written_in
from pbem.errors import Bug, CannotWrite, NotUnderstood, PbemError, UsageError
from pbem.first_sparks.adjudicator import who_decides

if TYPE_CHECKING:  # Typer, which these need, is not on the shortcut; see ``_for_typer`` in ``app.py``
    from pathlib import Path

    from pbem.cli.arguments import (
        After,
        As,
        Batch,
        Bots,
        FormOption,
        GamePath,
        Jobs,
        Json,
        MaybeGame,
        MovePath,
        Order,
        Out,
        Plain,
        ReadIn,
        Unicode,
        WrittenIn,
    )
    from pbem.first_sparks.record import Record


@in_language
def play(
    game: MaybeGame = None,
    move: MovePath = "",
    order: Order = None,
    player: As = "",
    out: Out = None,
    form: FormOption = None,
    as_json: Json = False,
    unicode: Unicode = False,
    plain: Plain = False,
    batch: Batch = False,
    jobs: Jobs = 1,
    bots: Bots = False,
    language: WrittenIn = "en",
) -> int:
    """Play a move and print the text for the next player.

    A legal move is written to the game file. A refused move changes nothing.
    With --bots, a move is only needed if it is a person's turn.
    """
    if batch:
        return _batch(game, jobs, playing=True, besides=(move, order, player, out, form, bots, language != "en"))
    path = _the(game)
    needed = not bots or move or order
    submission = ordered_in(language, loading.submission_of(move, order, player)) if needed else None
    accepted = rulings.playing(path, submission, out=out, form=form, bots=bots)
    with accepted as (before, ruling):
        told = report.ruling("played", out or path, len(before.log), ruling.record, unicode=unicode, plain=plain)
        result = printable(told, as_json)
    write_out(result)
    return 0


@in_language
def check(
    game: MaybeGame = None,
    move: MovePath = "",
    order: Order = None,
    player: As = "",
    as_json: Json = False,
    batch: Batch = False,
    jobs: Jobs = 1,
    language: WrittenIn = "en",
) -> int:
    """Check whether a move is legal, without playing it.

    Nothing is written, and no card or tile is drawn.
    """
    if batch:
        return _batch(game, jobs, playing=False, besides=(move, order, player, language != "en"))
    path, submission = _the(game), ordered_in(language, loading.submission_of(move, order, player))
    with game_files.opened(path) as file:
        history = rulings.judge(file.record, submission, None).history
        result = printable(report.verdict(path, file.record, history), as_json)
    write_out(result, done=False)
    return 0


@in_language
def show(
    game: GamePath,
    player: As = "",
    as_json: Json = False,
    unicode: Unicode = False,
    plain: Plain = False,
    language: ReadIn = "en",
) -> None:
    """Show the board, clans, market, and whose turn it is."""
    with game_files.opened(game) as file:
        viewer = _viewer(file.record, player)
        shown = report.view("shown", "", game, file.record, viewer, unicode=unicode, plain=plain)
        result = printable(shown, as_json)
    write_out(result, done=False)


@in_language
def options(
    game: GamePath, player: As = "", after: After = None, as_json: Json = False, language: WrittenIn = "en"
) -> None:
    """List every legal choice with its cost.

    Out of turn, --as lists what the player could do if asked now. With --after, the situation after these orders is
    shown, and nothing is played or drawn.
    """
    with game_files.opened(game) as file:
        record, viewer = file.record, _viewer(file.record, player)
        if after is not None:
            from pbem.what_if import after_orders

            answer = after_orders(game, record, written_in(language, [after])[0], player)
        elif viewer not in (None, who_decides(record.state)):
            from pbem.what_if import out_of_turn

            answer = out_of_turn(game, record, viewer)
        else:
            answer = report.legal_choices(game, record, viewer)
        result = printable(answer, as_json)
    write_out(result, done=False)


def _viewer(record: Record, player: str) -> str | None:
    """Return the colour of the player who reads; None for a reader who may only see what everybody may see."""
    return rulings.player_of(record, player) if player else None


def _the(game: Path | None) -> Path:
    if game is None:
        raise UsageError("no game file given", hint='for example: game.toml --order "offer 12" --as red')
    return game


def _batch(path: Path | None, jobs: int, *, playing: bool, besides: tuple[object, ...]) -> int:
    """Judge the lines of a file or of standard input; return 0 if all were legal, 65 if not, 70 after a bug."""
    from pbem.scripts.batch import chunks_of, verdicts

    if any(besides):
        raise UsageError("--batch can only be combined with a file of lines and --jobs")
    statuses = {0}
    with files.open_stream(path) as (stream, size):
        chunks = watched(chunks_of(stream), size, lambda chunk: sum(len(line) + 1 for line in chunk))
        for found in verdicts(chunks, playing=playing, jobs=jobs):
            try:
                write_out(f"{found.text}\n", done=False)
            except PbemError as untold:
                if not playing:
                    raise
                hint = f"all lines up to line {found.number} were judged, and their legal moves were played"
                raise CannotWrite(untold.message, hint=hint) from None
            statuses.add(found.exit_status)
            interrupts.go_on()
    return Bug.exit_status if Bug.exit_status in statuses else NotUnderstood.exit_status if statuses != {0} else 0

"""The commands ``pbem plan`` and ``pbem bot``: what you will answer, and what a bot would."""

from pathlib import Path
from typing import Annotated, Final

import typer

from pbem import game_files, interrupts, report, rulings
from pbem.cli.arguments import As, GamePath, Json, ReadIn, WrittenIn
from pbem.cli.console import printable, show_report, write_out
from pbem.cli.language import in_language, written_in
from pbem.errors import UsageError
from pbem.first_sparks.plans.lines import begins
from pbem.first_sparks.plans.read import PlanLines, read
from pbem.first_sparks.record import Record
from pbem.locale import phrase, tr
from pbem.plans import files as plan_files
from pbem.plans.intents import Intent, changed

_NONE: Final = phrase("You have no plan.")


@in_language
def plan(
    game: GamePath,
    lines: Annotated[
        list[str] | None, typer.Argument(metavar="[LINE]...", help='A line of the plan, like "14 19 else pass".')
    ] = None,
    player: As = "",
    forget: Annotated[bool, typer.Option("--forget", help="Forget the plan, and what holds always.")] = False,
    as_json: Json = False,
    language: WrittenIn = "en",
) -> None:
    """Say ahead what you will answer, or show that.

    A plan answers in your name after the moves of others. This command plays nothing: on your own turn it says what
    the plan would answer, and how to play that. The plan is kept in GAME.plans.toml beside the game, or in the .git
    folder of a clone; only you may read it. Without a line, your plan is shown. The word suggest alone shows what a bot
    would plan for you, and keeps nothing. With --json no plan is shown: none leaves as data.
    """
    if forget and lines:
        raise UsageError("give either lines or --forget")
    with game_files.opened(game, to_write=bool(lines or forget)) as file:
        record = file.record
        colour = rulings.player_of(record, player)
        kept = plan_files.intents(record, game)
        before = kept.get(colour, Intent())
        lines = written_in(language, lines or [])
        said, proposed = PlanLines(show=True), lines == ["suggest"]
        if lines and not proposed:
            every = [line for text in lines for line in text.splitlines()]
            said = read([line if begins(line) else f"plan {line}" for line in every], record.state, colour)
        if forget:
            said = PlanLines(forget=True)
        after = changed(record, before, said)
        told = (_proposal(record, colour, game) if proposed else plan_files.telling(record, game, colour, after)) or (
            tr(_NONE),
        )
        message = "the plan was changed" if after != before else "nothing was changed"
        result = printable(report.done("planned", message, game, "\n".join(told)), as_json)
        if after != before:
            with interrupts.hold("the plan was changed"):
                plan_files.keep_intents(record, game, {**kept, colour: after})
    write_out(result, done=after != before)


@in_language
def bot(game: GamePath, player: As = "", as_json: Json = False, language: ReadIn = "en") -> None:
    """Say what a bot would decide, and why.

    It knows no more than the player whose turn it is.
    """
    from pbem.plans import bots

    with game_files.opened(game) as file:
        advice = bots.advice(game, file.record, player)
    show_report(advice, as_json, done=False)


def _proposal(record: Record, colour: str, game: Path) -> tuple[str, ...]:
    """Return what a bot would plan for the player, and how to keep it."""
    from pbem.plans.bots import proposal

    return proposal(game, record, colour)

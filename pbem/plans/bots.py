"""What a bot can be asked for: advice, or a plan."""

import shlex
from pathlib import Path

from pbem import report, rulings
from pbem.errors import NotYourTurn
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.bot.decide import decide
from pbem.first_sparks.bot.reasons import reason
from pbem.first_sparks.bot.suggest import suggest
from pbem.first_sparks.clans import clan_name
from pbem.first_sparks.notation import order_text
from pbem.first_sparks.plans.explain import explain
from pbem.first_sparks.plans.read import read
from pbem.first_sparks.plans.words import plan_text
from pbem.first_sparks.record import Record
from pbem.first_sparks.secrecy import may_read
from pbem.first_sparks.state import CHANCE
from pbem.locale import phrase, tr
from pbem.page.glue import glued
from pbem.page.page import Items, Prose
from pbem.page.text import lines_of
from pbem.report import Report


def advice(path: Path, record: Record, player: str) -> Report:
    """Return what the bot would decide for the player whose turn it is, and why in one sentence.

    Raises NotYourTurn, and NotUnderstood if a player has to be named since only that one may know.
    """
    decides, state = who_decides(record.state), record.state
    viewer = rulings.player_of(record, player) if player else None
    if decides in (None, CHANCE):
        raise NotYourTurn(phrase("no player has to decide now"))
    assert decides is not None
    if viewer not in (None, decides):
        player, other = state.clan(viewer or "").player, clan_name(state.clan(decides))
        raise NotYourTurn(phrase("it is not {player}'s turn; waiting for {other}", player=player, other=other))
    if not may_read(state, viewer):
        rulings.player_of(record, player)  # which says whom to name
    move = decide(state, decides, record.game)
    why = reason(state, decides, move)
    about = {"game": record.game, "turn": record.turn, "head": record.head}
    return report.done(
        "advice", "", path, f"{order_text(str(move))}\n  {why}", **about, decides=decides, order=str(move), why=why
    )


def proposal(path: Path, record: Record, colour: str) -> tuple[str, ...]:
    """Return what the bot would plan for the player, as the lines of a text: the plan, its meaning, how to keep it."""
    state = record.state
    planned = suggest(state, colour, record.game)
    if not planned:
        return (tr("There is nothing that a plan could answer for you now."),)
    sentences = explain(read(planned, state, colour).plan, None, state)
    words = [shlex.quote(line.removeprefix("plan ")) for line in planned]
    keep = " \\\n    ".join((f"  pbem plan {shlex.quote(str(path))} --as {colour}", *words))
    if who_decides(state) == colour:
        order = glued(f'"{order_text(str(decide(state, colour, record.game)))}"')
        goes_with = tr("This goes with the order that a bot would give now, which is {order}.")
        sentences = (*sentences, goes_with.format(order=order))
    return (
        *map(plan_text, planned),
        *lines_of((Items(sentences), Prose(tr("Nothing of it is kept. To keep it:"), apart=True))),
        keep,
    )

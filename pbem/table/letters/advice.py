"""What a bot would order and plan in a player's place, which is played and kept by nobody."""

from typing import Final

from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.bot.decide import decide
from pbem.first_sparks.bot.reasons import reason
from pbem.first_sparks.bot.suggest import suggest
from pbem.first_sparks.notation import order_text
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.plans.explain import explain
from pbem.first_sparks.plans.read import read
from pbem.first_sparks.plans.waves import as_asked
from pbem.first_sparks.plans.words import plan_text
from pbem.first_sparks.state import GameState
from pbem.grammar import listed
from pbem.locale import tr
from pbem.page.glue import glued
from pbem.page.page import Items, Prose, Section, Sections
from pbem.table.letters.letter import paragraphs

_OVER: Final = "The game is over, so there is nothing to decide."
_LEFT: Final = "You have left the game, so there is nothing for you to decide."
_NOTHING: Final = "You are not asked now, and there is nothing that you could say ahead."
_ORDER: Final = "A bot would answer {order} in your place. {why}"
# In parentheses, so that no line of a letter begins as a plan does.
_PLAN: Final = "A bot would plan this, without the parentheses: {lines}. It means:"
_KEPT: Final = "Nothing of this was played or kept. To follow it, write it yourself."


def advice_sections(state: GameState, colour: str, seed: str, *, waves: bool) -> Sections:
    """Return what a bot would order and plan for the clan in this state, and why, as its player may read it.

    With *waves* the player may be asked before it is the clan's turn. *seed* is the name of the game.
    """
    if isinstance(state.phase, Ended) or state.clan(colour).resigned:
        return paragraphs((tr(_OVER if isinstance(state.phase, Ended) else _LEFT),))
    asked = as_asked(state, colour) if waves else state
    blocks: list[Prose | Items] = []
    if who_decides(asked) == colour:
        move = decide(asked, colour, seed)
        order = glued(f'"{order_text(str(move))}"')
        blocks.append(Prose(tr(_ORDER).format(order=order, why=reason(asked, colour, move))))
    if planned := suggest(asked, colour, seed):
        lines = listed(f"({plan_text(line)})" for line in planned)
        meant = explain(read(planned, asked, colour).plan, None, asked)
        blocks += [Prose(tr(_PLAN).format(lines=lines)), Items(meant)]
    if not blocks:
        return paragraphs((tr(_NOTHING),))
    return (Section("why", (*blocks, Prose(tr(_KEPT)))),)

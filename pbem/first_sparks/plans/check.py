"""What is wrong with a plan that was understood: contradictions, and what the rules certainly forbid."""

from collections.abc import Iterator
from typing import Final

from pbem.first_sparks.phases import Ended
from pbem.first_sparks.plans.plan import (
    Plan,
    holds_for_placement,
    holds_for_spreading,
    placement_runs,
    spreading_runs,
)
from pbem.first_sparks.plans.wishes import name_of
from pbem.first_sparks.rules import placement, spreading, two_players
from pbem.first_sparks.state import GameState
from pbem.grammar import phrase_listed
from pbem.locale import phrase

_BOUGHT_BOTH_WAYS: Final = "{wish} is bought with a condition and without one; leave one of them out"
_STARTS_ELSEWHERE: Final = "on this board the clan starts on {spaces}, not on {wrong}"


def contradictions(plan: Plan) -> Iterator[str]:
    """Yield what a plan says both ways, each with what would be right."""
    wanted = dict.fromkeys((*plan.ranking, *(purchase.wish for purchase in plan.buys), *plan.offers))
    both = [wish for wish in wanted if wish in plan.declines]
    for wish in both:
        yield phrase("{wish} is wanted and declined; leave one of them out", wish=name_of(wish))
    if plan.passes and wanted:
        yield phrase("it declines all cards and wants some; leave out the cards, or the line that declines all")
    elif plan.passes and plan.otherwise == "ask":
        yield phrase('it passes, and would ask you first; leave out "else ask"')
    for purchase in plan.buys:
        if purchase.wanted_by and any(other == purchase._replace(wanted_by="") for other in plan.buys):
            yield phrase(_BOUGHT_BOTH_WAYS, wish=name_of(purchase.wish))
    if plan.stay and plan.spread:
        yield phrase("it spreads and stays; leave one of them out")
    if plan.stay and plan.add:
        yield phrase("it adds a member and stays; leave one of them out")


def impossible(plan: Plan, state: GameState) -> Iterator[str]:
    """Yield what can certainly not happen in this game, each with what would be right."""
    if isinstance(state.phase, Ended):
        yield phrase("the game is over")
        return
    if state.clan(plan.colour).resigned:
        yield phrase("you have resigned")
        return
    if (plan.spread_neutral or plan.settle_neutral) and not state.two_players:
        yield phrase("only two players have a neutral clan")
    spreads = plan.spread or plan.spread_neutral
    if (spreads or (plan.stay and not (plan.add or plan.settle))) and not _spreading_comes(plan, state):
        yield phrase("spreading can only be planned after the hunt, until your turn to spread is over")
    if (plan.add or plan.settle or plan.settle_neutral) and not holds_for_placement(plan, state):
        yield phrase("the placement round can only be planned while it runs, until your turn is over")
    yield from _unknown_spaces(plan, state)
    if plan.spread and spreading_runs(state) and set(plan.spread.spaces) <= state.board.borders.keys():
        clan = state.clan(plan.colour)
        for violation in spreading.spread_violations(state, clan, plan.spread.spaces):
            yield phrase("these spaces cannot be taken: {why}", why=violation.message)


def _spreading_comes(plan: Plan, state: GameState) -> bool:
    return holds_for_spreading(plan, state) or (plan.stay and holds_for_placement(plan, state))


def _unknown_spaces(plan: Plan, state: GameState) -> Iterator[str]:
    """Yield the spaces that are not on the board, or on which the clan may never start."""
    placings = [placing.spaces for placing in (plan.spread, plan.add) if placing]
    named = [space for spaces in (*placings, plan.spread_neutral, plan.settle, plan.settle_neutral) for space in spaces]
    unknown = tuple(space for space in named if space not in state.board.borders)
    if unknown:
        yield spreading.space_violation(state, unknown).message
    if not placement_runs(state):
        return
    for colour, spaces in ((plan.colour, plan.settle), (two_players.NEUTRAL, plan.settle_neutral)):
        starts = placement.starting_spaces(state, colour) if spaces else ()
        wrong = [space for space in spaces if space not in starts and space not in unknown]
        if wrong:
            yield phrase(_STARTS_ELSEWHERE, spaces=phrase_listed(starts, "or"), wrong=phrase_listed(wrong, "or"))

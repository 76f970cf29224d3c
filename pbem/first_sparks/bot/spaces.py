"""Where a clan puts its members: which spaces bring food, cost little, and leave room."""

from collections.abc import Iterator
from math import fsum
from typing import Final

from pbem.first_sparks.bot.cards import feeding
from pbem.first_sparks.bot.hardship import hardship
from pbem.first_sparks.bot.outlook import outlook
from pbem.first_sparks.bot.tuning import Tuning
from pbem.first_sparks.components import FOODS, Food
from pbem.first_sparks.land.groups import areas_touched, around
from pbem.first_sparks.rules import hunting, spreading
from pbem.first_sparks.state import Clan, GameState

_WIDTH: Final = 4  # sets of spaces that are followed further, for each number of new members
# How good it is to begin near a food: the cheaper its tools, the better.
_NEARNESS: Final[dict[Food, float]] = {"berries": 1.2, "fish": 1.1, "bears": 1.0, "mammoths": 0.9}


def promising(state: GameState, clan: Clan, tuning: Tuning) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield nobody, and some sets of spaces for each number of new members that the clan can pay, with their costs.

    The sets grow by one space at a time; those that bring most for their cost grow on.
    """
    yield (), 0
    grown: list[tuple[str, ...]] = [()]
    for _ in range(spreading.most_affordable(clan)):
        found: dict[tuple[str, ...], tuple[float, int]] = {}
        for chosen in grown:
            for space, cost in spreading.reach(state, clan, chosen):
                spaces = tuple(sorted((*chosen, space)))
                if spaces not in found:
                    larger = clan.with_members(spaces)
                    brings = hunting.harvest_value(0, hunting.harvest_of(state.board, larger, state.harvest))
                    found[spaces] = (0.5 * cost - 0.4 * brings - 4 * standing(state, larger, tuning), cost)
        best = sorted((rank, spaces, cost) for spaces, (rank, cost) in found.items())[:_WIDTH]
        grown = [spaces for _, spaces, _ in best]
        for _, spaces, cost in best:
            yield spaces, cost


def worth_spreading(
    state: GameState, colour: str, spaces: tuple[str, ...], cost: int, pending: tuple[str, ...] | None, tuning: Tuning
) -> float:
    """Return the outlook of a clan with new members on the spaces; *pending* are those that spread later in the phase.

    In the placement round that is None, and all clans may buy next.
    """
    clan = state.clan(colour)
    larger = clan.with_members(spaces).with_food(clan.food - cost)
    after = state._replace(clans=state.clans_with(larger))
    still_buying = state.order if pending is None else ()
    worth = outlook(after, colour, still_buying, pending, tuning) + standing(state, larger, tuning)
    if pending is None:
        # Herbs feed one member; for a second one it needs another card, of which each rival may take one before.
        hungry = clan.members and spaces and feeding(after, colour) < len(state.clans)
        return worth - 2 * tuning.hardship if hungry else worth
    return worth - tuning.hardship * hardship(after, colour, state.market.cards, members=clan.size, hunted=True)


def worth_settling(state: GameState, colour: str, space: str, tuning: Tuning) -> float:
    """Return the outlook of a clan that begins on the space, with the room that it has there."""
    return worth_spreading(state, colour, (space,), 0, None, tuning) + tuning.room * room(state, space, colour)


def worth_left(state: GameState, clan: Clan, lost: tuple[str, ...], tuning: Tuning) -> float:
    """Return what the spaces of those that survive are worth; always less than a food."""
    return (
        standing(state, clan._replace(members=tuple(space for space in clan.members if space not in lost)), tuning)
        / 100
    )


def standing(state: GameState, clan: Clan, tuning: Tuning) -> float:
    """Return how good the clan's spaces are: next to many foods, and to several areas of one food."""
    areas = [areas_touched(state.board, clan.members, food) for food in FOODS]
    return fsum(tuning.touch + tuning.extra_touch * (touched - 1) for touched in areas if touched)


def room(state: GameState, space: str, colour: str) -> float:
    """Return how good a space is to begin on: the foods around it, nearer ones more, without mountains and others."""
    worth, seen, ring = 0.0, {space}, {space}
    for distance in range(3):
        foods = {state.board.foods[there[:2]] for there in ring}
        near = fsum(_NEARNESS[food] for food in FOODS if food in foods)
        worth += (near - 0.25 * sum(state.others_at(there, colour) for there in ring)) / (1 + distance)
        ring = {further for there in ring for further in state.board.borders[there]} - seen
        seen |= ring
    borders = state.board.borders[space]
    return worth + 0.2 * len(borders) - 0.3 * sum(borders.values())


def neutral_spaces(state: GameState, colour: str, new: int) -> tuple[str, ...]:
    """Return where to put the neutral clan's members: in the way of the other clan, and out of the own one's."""
    chosen: tuple[str, ...] = ()
    for _ in range(new):
        near = around(state.board, (state.neutral or ()) + chosen)
        chosen = (*chosen, max(near, key=lambda space: (_hindrance(state, space, colour), space)))
    return tuple(sorted(chosen))


def _hindrance(state: GameState, space: str, colour: str) -> int:
    """Return how many members of others stand next to a space on which they do not, less those of the own clan."""
    hindered = 0
    for clan in state.in_play:
        if space not in clan.members:
            near = sum(there in clan.members for there in state.board.borders[space])
            hindered += -near if clan.colour == colour else near
    return hindered

"""Where a clan puts its members: which spaces bring food, cost little, and leave room."""

from collections.abc import Iterator
from typing import Final

from pbem.first_sparks.board import areas_touched
from pbem.first_sparks.bot.outlook import outlook
from pbem.first_sparks.bot.tuning import Tuning
from pbem.first_sparks.components import FOODS, Food
from pbem.first_sparks.rules import hunting, spreading
from pbem.first_sparks.rules.two_players import NEUTRAL
from pbem.first_sparks.state import Clan, GameState

_WIDTH: Final = 4
# How good it is to stand next to a food, before the tools are known.
_FOOD_WORTH: Final[dict[Food, float]] = {"berries": 1.2, "fish": 1.1, "bears": 1.0, "mammoths": 0.9}


def standing(state: GameState, clan: Clan, tuning: Tuning) -> float:
    """Return what the clan's spaces are worth beside the next harvests: foods that it has no tool for yet, and areas."""
    worth = 0.0
    for food in FOODS:
        areas = areas_touched(state.board, clan.members, food)
        if areas:
            worth += tuning.touch + tuning.extra_touch * (areas - 1)
    return worth


def spreads(state: GameState, clan: Clan, tuning: Tuning) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield some good sets of spaces for each number of new members with their costs, from nobody on."""
    yield (), 0
    beam: list[tuple[float, tuple[str, ...], int]] = [(0.0, (), 0)]
    for _ in range(spreading.most_affordable(clan)):
        wider: dict[tuple[str, ...], tuple[float, int]] = {}
        for _, chosen, _ in beam:
            for space, cost in spreading.reach(state, clan, chosen):
                spaces = tuple(sorted((*chosen, space)))
                if spaces not in wider:
                    larger = clan._replace(members=(*clan.members, *spaces))
                    tokens = hunting.harvest_of(state.board, larger, state.harvest)
                    brings = hunting.harvest_value(0, tokens)
                    wider[spaces] = (0.5 * cost - 0.4 * brings - 4 * standing(state, larger, tuning), cost)
        beam = sorted((rank, spaces, cost) for spaces, (rank, cost) in wider.items())[:_WIDTH]
        for _, spaces, cost in beam:
            yield spaces, cost


def worth_spreading(
    state: GameState, colour: str, spaces: tuple[str, ...], cost: int, pending: tuple[str, ...] | None, tuning: Tuning
) -> float:
    """Return the outlook of a clan with new members on the spaces."""
    clan = state.clan(colour)
    larger = clan.with_members(spaces)._replace(food=clan.food - cost)
    after = state._replace(clans=state.clans_with(larger))
    buying = state.order if pending is None else ()
    return outlook(after, colour, buying, pending, tuning) + standing(state, larger, tuning)


def room(state: GameState, space: str, colour: str) -> float:
    """Return how good a space is to begin on: the foods around it, nearer ones more, without mountains and others."""
    worth, seen, ring = 0.0, {space}, {space}
    for distance in range(3):
        foods = {state.board.foods[there[:2]] for there in ring}
        worth += sum(_FOOD_WORTH[food] for food in sorted(foods)) / (1 + distance)
        worth -= 0.25 * sum(state.others_at(there, colour) for there in ring) / (1 + distance)
        ring = {next_one for there in ring for next_one in state.board.borders[there]} - seen
        seen |= ring
    borders = state.board.borders[space]
    return worth + 0.2 * len(borders) - 0.3 * sum(borders.values())


def neutral_spaces(state: GameState, colour: str, new: int) -> tuple[str, ...]:
    """Return where to put the neutral clan's members: in the way of the other clan, out of the own one's."""
    chosen: tuple[str, ...] = ()
    for _ in range(new):
        group = (state.neutral or ()) + chosen
        near = spreading.around(state.board, group) if group else state.board.spaces
        chosen = (*chosen, max(near, key=lambda space: (hindrance(state, space, colour), space)))
    return tuple(sorted(chosen))


def hindrance(state: GameState, space: str, colour: str) -> float:
    """Return how much a neutral member on the space costs the others more than the own clan."""
    borders = state.board.borders[space]
    worth = 0.0
    for clan in state.clans:
        if clan.colour == NEUTRAL or space in clan.members or clan.resigned:
            continue
        near = sum(there in clan.members for there in borders)
        worth += near * (-1.0 if clan.colour == colour else 1.0)
    return worth

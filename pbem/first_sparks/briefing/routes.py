"""The cheapest ways to spread: to every space in reach, and for every number of new members. Questions only.

There can be many thousands of ways; these are the ones that a player needs to see.
"""

from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import accumulate
from typing import NamedTuple

from pbem.first_sparks.land.board import Board
from pbem.first_sparks.rules.spreading import (
    MOST_NEW,
    Cost,
    base_cost,
    most_new,
    shared_cost,
    spreading_cost,
)
from pbem.first_sparks.state import Clan, GameState


class Route(NamedTuple):
    """The cheapest way to a space: the new members in the order of placing, *space* last, and their cost.

    *mountain* and *shared* are the extra food for the last step alone.
    """

    space: str
    spaces: tuple[str, ...]
    cost: Cost
    mountain: int
    shared: int


class _Way(NamedTuple):
    extra: int
    spaces: tuple[str, ...]
    mountain: int


def routes(state: GameState, clan: Clan, most: int = MOST_NEW) -> tuple[Route, ...]:
    """Return the cheapest way to every space that the clan can reach and pay for, the cheapest first."""
    return tuple(route for route in every_route(state, clan, most) if route.cost.total <= clan.food)


def every_route(state: GameState, clan: Clan, most: int = MOST_NEW) -> tuple[Route, ...]:
    """Return the cheapest way to every space that the clan can reach, with enough food, the cheapest first."""
    best: dict[str, tuple[int, int, _Way]] = {}
    ways = {member: _Way(0, (), 0) for member in clan.members}
    for new in range(1, min(most, most_new(clan)) + 1):
        ways = _one_step_on(state, clan, ways)
        for space, way in ways.items():
            rank = (base_cost(new) + way.extra, new, way)
            best[space] = min(rank, best.get(space, rank))
    found = (_route(state, clan, space, way) for space, (_, _, way) in best.items())
    return tuple(sorted(found, key=lambda route: (route.cost.total, route.space)))


def _one_step_on(state: GameState, clan: Clan, ways: dict[str, _Way]) -> dict[str, _Way]:
    """Return the cheapest ways with one more member, by the space where they end."""
    further: dict[str, _Way] = {}
    for end, way in ways.items():
        for space, mountain in state.board.neighbours[end]:
            if space not in clan.members and space not in way.spaces:
                extra = way.extra + mountain + shared_cost(state, clan, space)
                longer = _Way(extra, (*way.spaces, space), mountain)
                further[space] = min(longer, further.get(space, longer))
    return further


def _route(state: GameState, clan: Clan, space: str, way: _Way) -> Route:
    cost = spreading_cost(state, clan, way.spaces)
    assert cost is not None
    return Route(space, way.spaces, cost, way.mountain, shared_cost(state, clan, space))


def cheapest_spreads(state: GameState, clan: Clan) -> tuple[tuple[tuple[str, ...], Cost], ...]:
    """Return the cheapest set of spaces and its cost for 1 to 5 new members, as many as the clan can pay for."""
    extras = {space: shared_cost(state, clan, space) for space in state.board.spaces if space not in clan.members}
    cheapest: list[tuple[tuple[str, ...], Cost]] = []
    for new in range(1, most_new(clan) + 1):
        spaces = _cheapest_set(state.board, clan.members, extras, new, clan.food - base_cost(new))
        if not spaces:
            break
        cost = spreading_cost(state, clan, spaces)
        assert cost is not None
        cheapest.append((spaces, cost))
    return tuple(cheapest)


def _cheapest_set(
    board: Board, members: tuple[str, ...], extras: dict[str, int], new: int, limit: int
) -> tuple[str, ...]:
    """Return the *new* spaces that connect for the least extra food, none if that is more than *limit*.

    Extends the most promising set first. The missing spaces cost at least as much
    as the cheapest ones of the board, so the first complete set is the best.
    """
    missing = (0, *accumulate(sorted(extras.values())))
    if len(missing) <= new:
        return ()
    waiting: list[tuple[int, int, tuple[str, ...], int]] = [(missing[new], new, (), 0)]
    paid_for: dict[tuple[str, ...], int] = {(): 0}
    while waiting:
        least, left, chosen, paid = heappop(waiting)
        if least > limit:
            break
        if not left:
            return chosen
        for space, mountain in _steps(board, members + chosen):
            grown = tuple(sorted((*chosen, space)))
            extra = paid + extras[space] + mountain
            if extra < paid_for.get(grown, limit + 1):
                paid_for[grown] = extra
                heappush(waiting, (extra + missing[left - 1], left - 1, grown, extra))
    return ()


def _steps(board: Board, group: tuple[str, ...]) -> Iterator[tuple[str, int]]:
    """Yield the spaces next to the group, each with the number of mountains on the way to it, 0 or 1."""
    mountains: dict[str, int] = {}
    for here in group:
        for there, mountain in board.neighbours[here]:
            mountains[there] = min(mountain, mountains.get(there, 1))
    return ((space, mountain) for space, mountain in mountains.items() if space not in group)

"""Phase 3: spreading the clan."""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from operator import itemgetter
from typing import Final, NamedTuple

from pbem.errors import Violation
from pbem.first_sparks.events import MembersPlaced
from pbem.first_sparks.land.board import Board
from pbem.first_sparks.land.groups import (
    Growth,
    beside,
    bits,
    further_growths,
    mountains_crossed,
    names,
    no_growth,
    spaces_in,
)
from pbem.first_sparks.moves import Spread, Stay
from pbem.first_sparks.phases import Adding, Spreading
from pbem.first_sparks.state import Clan, GameState
from pbem.locale import Phrase, phrase, phrase_of

MOST_NEW: Final = 5
MOST_MEMBERS: Final = 15
_SPACES: Final[Callable[[tuple[tuple[str, ...], int]], tuple[str, ...]]] = itemgetter(0)

_spreading: Final = lru_cache(maxsize=64)(Spreading)


class Cost(NamedTuple):
    """The cost of new members, in food: the base, 1 for each mountain, and the shared spaces."""

    base: int
    mountains: int
    shared: int

    @property
    def total(self) -> int:
        """The food to pay."""
        return self.base + self.mountains + self.shared

    @property
    def words(self) -> Phrase:
        """The total, with its parts if there are several: ``5 (3 base + 2 for mountains)``."""
        parts = {"total": self.total, **self._asdict()}
        if self.mountains and self.shared:
            return phrase("{total} ({base} base + {mountains} for mountains + {shared} for shared spaces)", **parts)
        if self.mountains:
            return phrase("{total} ({base} base + {mountains} for mountains)", **parts)
        if self.shared:
            return phrase("{total} ({base} base + {shared} for shared spaces)", **parts)
        return phrase("{total}", **parts)

    def __str__(self) -> str:
        return str(self.words)


def most_new(clan: Clan) -> int:
    """Return how many new members the clan may place if it can pay: at most 5, up to 15 on the board."""
    return max(0, min(MOST_NEW, MOST_MEMBERS - len(clan.members))) if clan.members else 0


def base_cost(new: int) -> int:
    """Return the base cost of that many new members: 0, 1, 3, 6, 10, 15.

    Rule: base-cost (R6.3)
    """
    return new * (new + 1) // 2


def shared_cost(state: GameState, clan: Clan, space: str) -> int:
    """Return the extra cost of a space where others stand: 1 for each member there, including the new one.

    An empty space has no extra cost. Speech reduces the extra cost by 1.

    Rules: shared-space (R6.5), speech (R8.4)
    """
    others = state.others_at(space, clan.colour)
    return others + (not clan.knows("speech")) if others else 0


def spreading_cost(state: GameState, clan: Clan, spaces: tuple[str, ...]) -> Cost | None:
    """Return the cost of new members on *spaces*, None if they do not connect to the clan.

    The owner chooses the order of placing, so the cheapest way over the
    mountains counts. Our ruling; the rulebook leaves open who chooses.

    Rule: mountains (R6.4)
    """
    board = state.board
    crossed = mountains_crossed(board, bits(board, clan.members), bits(board, spaces))
    if crossed is None:
        return None
    return Cost(base_cost(len(spaces)), crossed, sum([shared_cost(state, clan, space) for space in spaces]))


def spread(state: GameState) -> GameState:
    """Ask the next clan, in reverse player order, for its new members; a clan without members is not asked.

    Each clan adds 0 to 5 members.

    Rule: spread-order (R6.1)
    """
    waiting = state.waiting
    while waiting:
        colour, waiting = waiting[-1], waiting[:-1]
        if state.clan(colour).members:
            return state.asking(_spreading(colour), waiting)
    return state._replace(waiting=())


def spread_violations(
    state: GameState, clan: Clan, spaces: tuple[str, ...], most: int = MOST_NEW
) -> Iterator[Violation]:
    """Yield every rule that new members of the clan on *spaces* break."""
    if len(spaces) > most:
        why = phrase("{n} new members are too many: at most {most} may be added", n=len(spaces), most=most)
        yield Violation("spread-limit", why)
    if clan.size + len(spaces) > MOST_MEMBERS:
        holes = {"player": clan.player, "size": clan.size + len(spaces), "most": MOST_MEMBERS}
        why = phrase("{player} would have {size} members, but at most {most} are allowed", **holes)
        yield Violation("clan-limit", why)
    unknown = tuple(space for space in spaces if space not in state.board.borders)
    if unknown:
        yield space_violation(state, unknown)
        return
    whose = phrase("{player}'s clan", player=clan.player)
    yield from group_violations(state.board, clan.members, spaces, whose)
    cost = spreading_cost(state, clan, spaces)
    if cost is not None and not is_affordable(clan, cost):
        why = phrase_of(
            len(spaces),
            "{spaces} costs {cost} and {player} has {food}",
            "{spaces} cost {cost} and {player} has {food}",
            spaces=" ".join(spaces),
            cost=cost.words,
            player=clan.player,
            food=clan.food,
        )
        yield Violation("spread-affordable", why)


def is_affordable(clan: Clan, cost: Cost) -> bool:
    """Return whether the clan can pay for its new members."""
    return cost.total <= clan.food


def space_violation(state: GameState, unknown: tuple[str, ...]) -> Violation:
    """Return the violation of an order that names spaces which are not on the board."""
    why = phrase_of(
        len(unknown),
        "{spaces} is not on the board; its hexes are {hexes}, each with the spaces a, b and c",
        "{spaces} are not on the board; its hexes are {hexes}, each with the spaces a, b and c",
        spaces=" ".join(unknown),
        hexes=" ".join(sorted(state.board.foods)),
    )
    return Violation("space-on-board", why)


def group_violations(
    board: Board, members: tuple[str, ...], spaces: tuple[str, ...], whose: str
) -> Iterator[Violation]:
    """Yield every rule that the places of new members break: two on one space, or apart from their clan."""
    taken = sorted({space for space in spaces if space in members or spaces.count(space) > 1})
    if taken:
        why = phrase_of(
            len(taken),
            "{clan} can have only one member on {spaces}",
            "{clan} can have only one member on each of {spaces}",
            clan=whose,
            spaces=" ".join(taken),
        )
        yield Violation("one-member-a-space", why)
    near = set(members)
    for _ in spaces:
        near.update(space for space in spaces if not near.isdisjoint(board.borders[space]))
    apart = tuple(space for space in spaces if space not in near)
    if apart:
        why = phrase_of(
            len(apart),
            "{spaces} is not next to a member of {clan}",
            "{spaces} are not next to a member of {clan}",
            spaces=" ".join(apart),
            clan=whose,
        )
        yield Violation("spread-adjacent", why)


def most_affordable(clan: Clan) -> int:
    """Return how many new members the clan may place and can pay for if they cost no more than the base."""
    new, most = 0, most_new(clan)
    while new < most and base_cost(new + 1) <= clan.food:
        new += 1
    return new


def spreads(state: GameState, clan: Clan) -> Iterator[tuple[str, ...]]:
    """Yield every set of spaces on which the clan may put new members, from none to the most.

    This is lazy: a rich clan of seven members can spread in ten thousand ways.
    """
    return map(_SPACES, priced_spreads(state, clan))


def priced_spreads(state: GameState, clan: Clan) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield the same sets of spaces, each with the food that it costs."""
    yield (), 0
    most = most_affordable(clan)
    if not most:
        return
    board, food = state.board, clan.food
    members, extra = bits(board, clan.members), ExtraCost(state, clan)
    ways = [no_growth(board, members)]
    for new in range(1, most + 1):
        base = base_cost(new)
        longer: list[Growth] = []
        for way in further_growths(board, members, ways):
            cost = base + way[4] + extra.of(way[0])
            # What cannot be paid leads to nothing: one more member costs more than a way round mountains saves.
            if cost <= food:
                longer.append(way)
                yield names(board, way[0]), cost
        ways = longer


class ExtraCost:
    """The extra cost of shared spaces for a clan. Each space is asked about once, and only where others stand."""

    def __init__(self, state: GameState, clan: Clan) -> None:
        self.state, self.clan = state, clan
        self.costs: dict[int, int] = {}
        self.shared = bits(state.board, state.neutral or ())
        for other in state.clans:
            if other.colour != clan.colour:
                self.shared |= bits(state.board, other.members)

    def of(self, spaces: int) -> int:
        """Return the extra cost of these spaces together."""
        total, shared = 0, spaces & self.shared
        while shared:
            space = shared & -shared
            if space not in self.costs:
                self.costs[space] = shared_cost(self.state, self.clan, self.state.board.named[space])
            total += self.costs[space]
            shared ^= space
        return total


def connected_sets(board: Board, members: tuple[str, ...], new: int) -> Iterator[tuple[str, ...]]:
    """Yield every set of *new* spaces that connects to *members* once, lazily."""
    group = bits(board, members)
    ways: Iterable[Growth] = (no_growth(board, group),)
    for _ in range(new):
        ways = further_growths(board, group, ways)
    for way in ways:
        yield names(board, way[0])


def reach(state: GameState, clan: Clan, chosen: tuple[str, ...] = ()) -> tuple[tuple[str, int], ...]:
    """Return the spaces that the clan may add to those *chosen*, each with the cost of all together."""
    new = len(chosen) + 1
    if new > most_affordable(clan):
        return ()
    board, base = state.board, base_cost(new)
    members, already, extra = bits(board, clan.members), bits(board, chosen), ExtraCost(state, clan)
    reached: list[tuple[str, int]] = []
    for space in spaces_in(beside(board, members | already)):
        crossed = mountains_crossed(board, members, already | space)
        if crossed is not None and base + crossed + extra.of(already | space) <= clan.food:
            reached.append((board.named[space], base + crossed + extra.of(already | space)))
    return tuple(reached)


@lru_cache(maxsize=64)
def _nobody_placed(colour: str) -> MembersPlaced:
    return MembersPlaced(colour, (), 0)


def place(state: GameState, phase: Adding | Spreading, move: Spread | Stay) -> GameState:
    """Return the state with the new members on the board and paid for.

    Everything is paid for with the clan's own food.

    Rule: pay-for-members (R6.6)
    """
    colour = phase.clan
    if isinstance(move, Stay):
        return state.with_events(_nobody_placed(colour))
    spaces = tuple(sorted(move.spaces))
    clan = state.clan(colour)
    cost = spreading_cost(state, clan, spaces)
    assert cost is not None
    assert is_affordable(clan, cost)
    larger = clan.with_members(spaces)._replace(food=clan.food - cost.total)
    return state.with_members(larger, MembersPlaced(colour, spaces, cost.total))

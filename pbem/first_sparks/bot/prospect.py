"""A clan in numbers, as the outlook moves it on: what it owns, what it hunts, and what its next spaces cost."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from pbem.first_sparks.clans import highest_card, tool_limit
from pbem.first_sparks.components import FOOD_VALUE, FOODS, Card
from pbem.first_sparks.land.board import Board
from pbem.first_sparks.rules import hunting
from pbem.first_sparks.rules.spreading import MOST_MEMBERS, MOST_NEW, base_cost
from pbem.first_sparks.secrecy import hides_food
from pbem.first_sparks.state import Clan, GameState

VALUES: Final = tuple(FOOD_VALUE[food] for food in FOODS)
_PLACES: Final = {food: place for place, food in enumerate(FOODS)}
BASE: Final = tuple(base_cost(new) for new in range(MOST_NEW + 1))
CROPS: Final = len(FOODS)  # the place of crops after those of the foods
_AWAY: Final = 99
_LATER: Final = 0.7  # what a harvest is worth that comes after the clan has spread by one more member
_TYPICAL_FOOD: Final = 4


def food_known(state: GameState, clan: Clan, viewer: str) -> int:
    """Return the clan's food as *viewer* knows it: what a clan of its size may have, if that is hidden."""
    return clan.size + _TYPICAL_FOOD if hides_food(state, clan, viewer) else clan.food


class _Takes(dict[int, int]):
    """The tokens of a food that *tools* take, by the number that lie there; it is computed once and kept."""

    def __init__(self, tools: tuple[Card, ...], virtual: int) -> None:
        super().__init__()
        self._tools, self._virtual = tools, virtual

    def __missing__(self, lying: int) -> int:
        tokens = self[lying] = hunting.most_tokens(list(self._tools), lying, self._virtual) if lying else 0
        return tokens


@lru_cache(maxsize=4096)
def _takes(tools: tuple[Card, ...], virtual: int) -> _Takes:
    """Return what these tools take where a clan stands next to so many further areas of their food."""
    return _Takes(tools, virtual)


class Contender:
    """A clan in the outlook. Food and income are values, *tools* and *near* are by food in the order of FOODS.

    *extras* are the extra costs of the spaces that it spreads to, cheapest first, and *near* has, by food, how many of
    them it takes to stand next to a first area of it. *ways* has, by food, with how many members on the shortest way,
    and for which extra cost, it stands there sooner. *touched* is the number of areas that it stands next to, *seen*
    what lay there when it last hunted, and *takes* what its tools take, by what lies there.
    """

    __slots__ = (
        "colour",
        "crops",
        "extras",
        "fire",
        "food",
        "grown",
        "highest",
        "income",
        "intelligence",
        "limit",
        "near",
        "plow",
        "resigned",
        "seen",
        "size",
        "takes",
        "tools",
        "touched",
        "ways",
    )

    def __init__(
        self,
        colour: str,
        size: int,
        food: float,
        resigned: bool,
        fire: bool,
        intelligence: bool,
        plow: int,
        limit: int,
        highest: int,
        touched: list[int],
        near: list[int],
        ways: list[tuple[int, int]],
        extras: list[int],
        income: float = 0.0,
        grown: int = 0,
    ) -> None:
        self.colour, self.size, self.food, self.resigned = colour, size, food, resigned
        self.fire, self.intelligence, self.plow, self.limit = fire, intelligence, plow, limit
        self.highest, self.touched, self.near, self.ways, self.extras = highest, touched, near, ways, extras
        self.income, self.grown = income, grown
        self.crops: list[int] = []
        self.tools: list[list[Card]] = [[], [], [], []]
        self.takes: list[_Takes] = [_takes((), 0)] * len(FOODS)
        self.seen = [0, 0, 0, 0]

    def copy(self) -> "Contender":
        """Return the same clan, to go another way."""
        other = Contender(
            self.colour,
            self.size,
            self.food,
            self.resigned,
            self.fire,
            self.intelligence,
            self.plow,
            self.limit,
            self.highest,
            self.touched,
            self.near,
            self.ways,
            self.extras,
            self.income,
            self.grown,
        )
        other.crops, other.tools, other.takes = self.crops[:], self.tools[:], self.takes[:]
        other.seen = self.seen  # which is never changed, but replaced by the next hunt
        return other

    def take(self, card: Card) -> None:
        """Add a tool."""
        if card.food:
            food = _PLACES[card.food]
            self._own(food, [*self.tools[food], card])
        else:
            self.crops.append(card.crops + (self.plow if card.kind == "field" else 0))

    def give_up(self, food: int, place: int) -> None:
        """Remove the tool at that place, which ``weakest`` has named."""
        if food == CROPS:
            self.crops.pop(place)
        else:
            self._own(food, self.tools[food][:place] + self.tools[food][place + 1 :])

    def _own(self, food: int, tools: list[Card]) -> None:
        self.tools[food], self.takes[food] = tools, self._taking(food, tools)

    def _taking(self, food: int, tools: list[Card]) -> "_Takes":
        """Return what these tools take of a food."""
        return _takes(tuple(tools), max(0, self.touched[food] - 1))

    def tokens(self, food: int) -> int:
        """Return the tokens of a food that the tools would take from what the clan has last seen there."""
        return self.takes[food][self.seen[food]]

    def hunt(self, lying: list[int]) -> float:
        """Take what the tools take from the tokens *lying*, and return its worth with the crops."""
        self.seen = lying[:]
        worth = 0.0
        for crops in self.crops:
            worth += crops
        for food, tools in enumerate(self.tools):
            if tools and self.near[food] <= self.grown:
                tokens = self.takes[food][lying[food]]
                lying[food] -= tokens
                worth += VALUES[food] * tokens
        return worth

    def eat(self, lying: list[int]) -> None:
        """Let food rot, hunt, and feed the members; as many as cannot be fed are lost."""
        self.income = self.hunt(lying)
        self.food = self.fresh(self.food)
        self.food += self.income - self.size
        if self.food < 0:
            self.size = max(0, self.size + int(self.food))
            self.food = 0.0

    def spread(self, new: int, cost: float, target: int) -> None:
        """Add members for that cost; the clan now stands near the food *target*, unless that is below 0."""
        self.food -= cost
        self.size += new
        if target >= 0:
            self.near = self.near[:]
            self.near[target] = 0
            new -= self.ways[target][0]
        self.grown += new

    def fresh(self, food: float) -> float:
        """Return what of that food does not rot."""
        return food if self.fire else food - food // 3

    def gain(self, card: Card, left: float) -> float:
        """Return how much more the clan would harvest with one more tool.

        Less if it has to spread first to stand near that food, and nothing if *left* food does not pay for the way.
        """
        if card.food is None:
            return card.crops + (self.plow if card.kind == "field" else 0)
        food = _PLACES[card.food]
        tokens = self._taking(food, [*self.tools[food], card])[self.seen[food]]
        more = float(VALUES[food] * (tokens - self.tokens(food)))
        if self.near[food] > self.grown:
            steps, extra = self.ways[food]
            more = more * _LATER**steps if BASE[steps] + extra <= left else 0.0
        return more

    def weakest(self) -> tuple[float, int, int]:
        """Return the tool that can best be spared: what it brings, its food or CROPS, and its place there."""
        found: list[tuple[float, int, int]] = [(crops, CROPS, place) for place, crops in enumerate(self.crops)]
        for food, tools in enumerate(self.tools):
            if tools:
                here = self.near[food] <= self.grown
                every = self.tokens(food)
                for place in range(len(tools)):
                    rest = self._taking(food, tools[:place] + tools[place + 1 :])[self.seen[food]]
                    found.append((VALUES[food] * (every - rest) if here else 0.5, food, place))
        return min(found, default=(0.0, CROPS, 0))

    def waiting(self) -> list[int]:
        """Return the foods for which the clan has tools, but stands nowhere near."""
        return [food for food, tools in enumerate(self.tools) if tools and self.near[food] > self.grown]

    def reached(self, waiting: list[int], new: int) -> float:
        """Return what the tools for the foods *waiting* would harvest with some more members."""
        worth = 0.0
        for food in waiting:
            if self.near[food] <= self.grown + new:
                worth += VALUES[food] * self.tokens(food)
        return worth

    @property
    def owned(self) -> int:
        """The number of tools."""
        return len(self.crops) + sum(map(len, self.tools))


def contenders_of(state: GameState, viewer: str) -> list[Contender]:
    """Return the clans as the outlook sees them, in player order."""
    others = _standing(state)
    return [_contender(state, clan, food_known(state, clan, viewer), others) for clan in state.clans]


def beset(state: GameState, side: Contender, rivals: Iterable[Contender]) -> None:
    """Let the ways of a clan cost what they do if each of the *rivals* comes to every space that its food can reach."""
    others = _standing(state)
    for rival in rivals:
        members = state.clan(rival.colour).members
        others += tuple([space for space in _within(state.board, members, rival.food) if space not in members])
    clan = state.clan(side.colour)
    *_, side.ways, _ = _around(state.board, clan.members, others, clan.knows("speech"))


def _standing(state: GameState) -> tuple[str, ...]:
    """Return the spaces of all members, the neutral ones too; a space as often as there are members on it."""
    return tuple([space for clan in state.clans for space in clan.members]) + (state.neutral or ())


def _contender(state: GameState, clan: Clan, food: int, others: tuple[str, ...]) -> Contender:
    knows = {card.kind for card in clan.cards}
    made = Contender(
        clan.colour,
        clan.size,
        float(food),
        clan.resigned,
        "fire" in knows,
        "intelligence" in knows,
        state.components.plow_bonus if "plow" in knows else 0,
        tool_limit(clan),
        highest_card(clan),
        *_around(state.board, clan.members, others, "speech" in knows),
    )
    for card in clan.cards:
        if card.is_tool:
            made.take(card)
    return made


@lru_cache(maxsize=512)  # a decision compares many situations in which most clans stand where they stood
def _around(
    board: Board, members: tuple[str, ...], others: tuple[str, ...], speech: bool
) -> tuple[list[int], list[int], list[tuple[int, int]], list[int]]:
    """Return ``touched``, ``near``, ``ways`` and ``extras`` of a clan with these members, where *others* stand too.

    All who ask for the same get the same lists, which nobody may change.
    """
    shared: dict[str, int] = {}
    for space in others:
        shared[space] = shared.get(space, 1 - speech) + 1
    foods = {area: _PLACES[food] for area, food in board.foods.items()}
    touched = [0] * len(FOODS)
    for area in {space[:2] for space in members}:
        touched[foods[area]] += 1
    near, extras = _cheapest_spaces(board, members, shared, foods)
    return touched, near, _ways(board, members, shared, foods), extras


def _cheapest_spaces(
    board: Board, members: tuple[str, ...], shared: dict[str, int], foods: dict[str, int]
) -> tuple[list[int], list[int]]:
    """Return ``near`` and ``extras``: the clan takes the cheapest space each time, of several one with another food."""
    near, extras = [_AWAY] * len(FOODS), list[int]()
    for space in members:
        near[foods[space[:2]]] = 0
    taken, reach, last = set(members), dict[str, int](), list(members)
    while len(extras) < MOST_MEMBERS:
        for space in last:
            for there, mountains in board.borders[space].items():
                if there not in taken:
                    cost = shared.get(there, 0) + mountains
                    reach[there] = min(cost, reach.get(there, cost))
        if not reach:
            break
        cost, _, space = min([(cost, near[foods[there[:2]]] < _AWAY, there) for there, cost in reach.items()])
        del reach[space]
        taken.add(space)
        extras.append(cost)
        food = foods[space[:2]]
        near[food] = min(near[food], len(extras))
        last = [space]
    return near, extras


def _ways(
    board: Board, members: tuple[str, ...], shared: dict[str, int], foods: dict[str, int]
) -> list[tuple[int, int]]:
    """Return for each food the cheapest way to it: its length in members, and its extra cost."""
    ways = [(0, _AWAY)] * len(FOODS)
    for space in members:
        ways[foods[space[:2]]] = (0, 0)
    best = [0 if found == (0, 0) else _AWAY for found in ways]
    for step, extras in _steps(board, members, shared):
        for space, extra in extras.items():
            food = foods[space[:2]]
            if BASE[step] + extra < best[food]:
                best[food], ways[food] = BASE[step] + extra, (step, extra)
        if max(best) <= BASE[step]:
            break
    return ways


@lru_cache(maxsize=64)
def _within(board: Board, members: tuple[str, ...], food: float) -> tuple[str, ...]:
    """Return the spaces that a clan with these members can reach for that food, if nobody stands in its way."""
    reached = {
        space: None
        for step, extras in _steps(board, members, {})
        for space, extra in extras.items()
        if BASE[step] + extra <= food
    }
    return tuple(reached)


def _steps(board: Board, members: tuple[str, ...], shared: dict[str, int]) -> Iterator[tuple[int, dict[str, int]]]:
    """Yield for each number of new members in a row the spaces on which the last can stand, with their extra costs."""
    here = dict.fromkeys(members, 0)
    for step in range(1, MOST_NEW + 1):
        further: dict[str, int] = {}
        for space, paid in here.items():
            for there, mountains in board.borders[space].items():
                extra = paid + mountains + shared.get(there, 0)
                if there not in members and extra < further.get(there, _AWAY):
                    further[there] = extra
        yield step, further
        here = further

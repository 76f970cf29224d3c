"""A clan in numbers, as the outlook moves it on: what it owns, what it hunts, and what its next spaces cost."""

from functools import lru_cache
from typing import Final

from pbem.first_sparks.board import Board
from pbem.first_sparks.clans import highest_card, tool_limit
from pbem.first_sparks.components import FOOD_VALUE, FOODS, Card
from pbem.first_sparks.rules import hunting
from pbem.first_sparks.secrecy import hides_food
from pbem.first_sparks.state import Clan, GameState

VALUES: Final = tuple(FOOD_VALUE[food] for food in FOODS)
_PLACES: Final = {food: place for place, food in enumerate(FOODS)}
_AWAY: Final = 9
_RINGS: Final = 4
_TYPICAL_FOOD: Final = 4


def food_known(state: GameState, clan: Clan, viewer: str) -> int:
    """Return the clan's food as *viewer* knows it: what a clan of its size may have, if that is hidden."""
    return clan.size + _TYPICAL_FOOD if hides_food(state, clan, viewer) else clan.food


class Contender:
    """A clan in the outlook. Food and income are values, *tools* and *near* are by food in the order of FOODS.

    *near* has, by food, with how many more members the clan can stand next to a first area of it; *touched* the number
    of areas that it stands next to, *seen* what lay there when it last hunted. *extras* are the extra costs of the
    spaces that it may spread to.
    """

    __slots__ = (
        "bonus",
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
        "tools",
        "touched",
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
        extras: list[int],
        bonus: float = 0.0,
        income: float = 0.0,
        grown: int = 0,
    ) -> None:
        self.colour, self.size, self.food, self.resigned = colour, size, food, resigned
        self.fire, self.intelligence, self.plow, self.limit = fire, intelligence, plow, limit
        self.highest, self.touched, self.near, self.extras = highest, touched, near, extras
        self.bonus, self.income, self.grown = bonus, income, grown
        self.crops: list[int] = []
        self.tools: list[list[Card]] = [[], [], [], []]
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
            self.extras,
            self.bonus,
            self.income,
            self.grown,
        )
        other.crops, other.tools = self.crops[:], [tools[:] for tools in self.tools]
        other.seen = self.seen  # which is never changed, but replaced by the next hunt
        return other

    def take(self, card: Card) -> None:
        """Add a tool."""
        if card.food:
            self.tools[_PLACES[card.food]].append(card)
        else:
            self.crops.append(card.crops + (self.plow if card.kind == "field" else 0))

    def tokens(self, food: int, tools: list[Card]) -> int:
        """Return the tokens of a food that these tools would take from what the clan has last seen there."""
        lying = self.seen[food]
        if not tools or not lying:
            return 0
        virtual = self.touched[food] - 1
        return hunting.most_tokens(tools, lying, virtual if virtual > 0 else 0)

    def hunt(self, lying: list[int]) -> float:
        """Take what the tools take from the tokens *lying*, and return its worth with the crops."""
        self.seen = lying[:]
        worth = self.bonus
        for crops in self.crops:
            worth += crops
        for food, tools in enumerate(self.tools):
            if tools and lying[food] and self.near[food] <= self.grown:
                tokens = self.tokens(food, tools)
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

    def fresh(self, food: float) -> float:
        """Return what of that food does not rot."""
        return food if self.fire else food - food // 3

    def gain(self, card: Card) -> float:
        """Return how much more the clan would harvest with one more tool; less if it stands nowhere near."""
        if card.food is None:
            return card.crops + (self.plow if card.kind == "field" else 0)
        food = _PLACES[card.food]
        away = self.near[food] - self.grown
        if away > 2:
            return 0.0
        tools = self.tools[food]
        more = VALUES[food] * (self.tokens(food, [*tools, card]) - self.tokens(food, tools))
        return more if away <= 0 else more * (0.75 if away == 1 else 0.4)

    def weakest(self) -> tuple[float, int, int]:
        """Return the tool that can best be spared: what it brings, its food (4 for crops), and its place there."""
        found: list[tuple[float, int, int]] = [(crops, 4, place) for place, crops in enumerate(self.crops)]
        for food, tools in enumerate(self.tools):
            if tools:
                here = self.near[food] <= self.grown
                every = self.tokens(food, tools)
                for place in range(len(tools)):
                    rest = self.tokens(food, tools[:place] + tools[place + 1 :])
                    found.append((VALUES[food] * (every - rest) if here else 0.5, food, place))
        return min(found, default=(0.0, 4, 0))

    def reached(self, new: int) -> float:
        """Return what the tools would harvest with some more members that they do not harvest now."""
        worth = 0.0
        for food, tools in enumerate(self.tools):
            if tools and self.grown < self.near[food] <= self.grown + new:
                worth += VALUES[food] * self.tokens(food, tools)
        return worth

    @property
    def owned(self) -> int:
        """The number of tools."""
        return len(self.crops) + sum(map(len, self.tools))


def contenders_of(state: GameState, viewer: str) -> list[Contender]:
    """Return the clans as the outlook sees them, in player order."""
    others = tuple([space for clan in state.clans for space in clan.members]) + (state.neutral or ())
    return [_contender(state, clan, food_known(state, clan, viewer), others) for clan in state.clans]


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
) -> tuple[list[int], list[int], list[int]]:
    """Return ``touched``, ``near`` and ``extras`` of a clan with these members, where *others* stand too.

    All who ask for the same get the same lists, which nobody may change.
    """
    occupied: dict[str, int] = {}
    for space in others:
        occupied[space] = occupied.get(space, 0) + 1
    touched, near = [0, 0, 0, 0], [_AWAY] * 4
    areas: set[str] = set()
    extras: list[int] = []
    ring, seen = list(members), set(members)
    for distance in range(_RINGS):
        for space in ring:
            area = space[:2]
            food = _PLACES[board.foods[area]]
            near[food] = min(near[food], distance)
            if distance == 0 and area not in areas:
                areas.add(area)
                touched[food] += 1
            if distance:
                there = occupied.get(space, 0)
                extras.append((there + (not speech) if there else 0) + (distance > 2))
        ring = sorted({there for space in ring for there in board.borders[space]} - seen)
        seen.update(ring)
    extras.sort()
    return touched, near, extras

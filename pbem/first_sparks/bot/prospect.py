"""A clan in numbers, as the outlook moves it on: what it owns, what it hunts, and what its next spaces cost."""

from typing import Final

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

    def __init__(self, state: GameState, clan: Clan, food: int, occupied: dict[str, int]) -> None:
        knows = {card.kind for card in clan.cards}
        self.colour, self.size, self.food = clan.colour, clan.size, float(food)
        self.fire, self.intelligence, self.resigned = "fire" in knows, "intelligence" in knows, clan.resigned
        self.plow = state.components.plow_bonus if "plow" in knows else 0
        self.highest = highest_card(clan)
        self.limit = tool_limit(clan)
        self.bonus, self.income, self.grown = 0.0, 0.0, 0
        self.crops: list[int] = []
        self.tools: list[list[Card]] = [[], [], [], []]
        self.seen = [0, 0, 0, 0]
        for card in clan.cards:
            if card.is_tool:
                self.take(card)
        self._look_around(state, clan, occupied, "speech" in knows)

    def copy(self) -> "Contender":
        """Return the same clan, to go another way."""
        other = Contender.__new__(Contender)
        for name in Contender.__slots__:
            setattr(other, name, getattr(self, name))
        other.crops, other.tools = self.crops[:], [tools[:] for tools in self.tools]
        return other

    def take(self, card: Card) -> None:
        """Add a tool."""
        if card.food:
            self.tools[_PLACES[card.food]].append(card)
        else:
            self.crops.append(card.crops + (self.plow if card.kind == "field" else 0))

    def _look_around(self, state: GameState, clan: Clan, occupied: dict[str, int], speech: bool) -> None:
        board, members = state.board, clan.members
        self.touched = [0, 0, 0, 0]
        self.near = [_AWAY] * 4
        areas: set[str] = set()
        self.extras: list[int] = []
        ring, seen = list(members), set(members)
        for distance in range(_RINGS):
            for space in ring:
                area = space[:2]
                food = _PLACES[board.foods[area]]
                self.near[food] = min(self.near[food], distance)
                if distance == 0 and area not in areas:
                    areas.add(area)
                    self.touched[food] += 1
                if distance:
                    others = occupied.get(space, 0)
                    self.extras.append((others + (not speech) if others else 0) + (distance > 2))
            ring = sorted({there for space in ring for there in board.borders[space]} - seen)
            seen.update(ring)
        self.extras.sort()

    def tokens(self, food: int, tools: list[Card]) -> int:
        """Return the tokens of a food that these tools would take from what the clan has last seen there."""
        lying = self.seen[food]
        return hunting.most_tokens(tools, lying, max(0, self.touched[food] - 1)) if tools and lying else 0

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
    occupied: dict[str, int] = {}
    for clan in state.clans:
        for space in clan.members:
            occupied[space] = occupied.get(space, 0) + 1
    for space in state.neutral or ():
        occupied[space] = occupied.get(space, 0) + 1
    return [Contender(state, clan, food_known(state, clan, viewer), occupied) for clan in state.clans]

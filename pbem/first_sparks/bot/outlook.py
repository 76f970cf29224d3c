"""How the game may go on for all clans, in numbers: no cards are drawn, and no spaces are named.

Each clan buys what brings it most, hunts with the tools that it has, from what the clans before it leave, and grows
as far as it can pay and feed. Every number here is public, except the food of the clan that asks.
"""

from collections.abc import Mapping
from math import fsum, gcd, inf
from typing import NamedTuple

from pbem.first_sparks.bot.prospect import BASE, VALUES, Contender, contenders_of
from pbem.first_sparks.bot.tuning import DEFAULT, Habit, Tuning
from pbem.first_sparks.components import Card
from pbem.first_sparks.rules.game_end import ENDING_SIZE
from pbem.first_sparks.rules.preparation import refill_numbers
from pbem.first_sparks.rules.spreading import MOST_MEMBERS, MOST_NEW
from pbem.first_sparks.state import GameState, Harvest


def outlook(
    state: GameState, viewer: str, buying: tuple[str, ...], spreading: tuple[str, ...] | None, tuning: Tuning = DEFAULT
) -> float:
    """Return how well the game may go for *viewer*, in members ahead of the other clans.

    *buying* are the clans that may still buy in this round; *spreading* those that still spread in it, None in a phase
    before the hunt, which all clans have before them then. For each habit that the clan may have, the mean of some
    courses, in which the board gets more or less crowded and other cards come; and of these the best.
    """
    sides, lying, stall = contenders_of(state, viewer), list(state.harvest), _stall_of(state)
    supply = lying[:]
    for side in reversed(sides):
        side.income = side.hunt(supply)
    if spreading is None:
        _buy_and_eat(sides, [side for side in sides if side.colour in buying], lying, stall, tuning)
        spreading = state.order
    start = _Start(sides, lying, stall, viewer, spreading, refill_numbers(state.board, len(sides)))
    return max(
        [
            fsum([_course(start, habit, number, tuning) for number in range(len(tuning.crowds))])
            for habit in tuning.habits
        ]
    ) / len(tuning.crowds)


class _Start(NamedTuple):
    """Where all courses begin, which change none of it: in phase 3, with the clans *spreading* still to spread."""

    sides: list[Contender]
    lying: list[int]
    stall: "Stall"
    viewer: str
    spreading: tuple[str, ...]
    refill: Harvest


def _course(start: _Start, habit: Habit, number: int, tuning: Tuning) -> float:
    """Return the outlook of the course of that number, from phase 3 on, if the clan has that habit."""
    sides = [side.copy() for side in start.sides]
    lying, stall = start.lying, start.stall.copy(number, len(tuning.crowds))
    own = next(side for side in sides if side.colour == start.viewer)
    path, crowd = 0.0, tuning.crowds[number]
    growing = [side for side in sides if side.colour in start.spreading]
    for horizon in range(len(tuning.path)):
        if horizon:
            lying = [there + new for there, new in zip(lying, start.refill, strict=True)]
            _buy_and_eat(sides, sides, lying, stall, tuning)
            growing = sides
        for side in reversed(growing):
            _grow(side, crowd, habit if side is own else tuning.habit, tuning)
        if max([side.size for side in sides]) >= ENDING_SIZE:
            return path + fsum(tuning.path[horizon:]) * _score(own, sides, over=True, tuning=tuning)
        path += tuning.path[horizon] * _score(own, sides, over=False, tuning=tuning)
        _reorder(sides)
        stall.renew()
        crowd += tuning.crowding
    return path


def _buy_and_eat(
    sides: list[Contender], buyers: list[Contender], lying: list[int], stall: "Stall", tuning: Tuning
) -> None:
    """Let clans go through phases 1 and 2; what they hunt is taken from the tokens *lying*."""
    for side in reversed(buyers):
        if not side.resigned:
            _choose(side, stall, tuning)
    for side in reversed(sides):
        side.eat(lying)


def _reorder(sides: list[Contender]) -> None:
    """Set the player order of the next round, as ``clans`` does for real ones."""
    sides.sort(key=lambda side: (side.size, side.highest), reverse=True)
    for place in reversed(range(len(sides) - 1)):
        if sides[place].intelligence:
            sides[place], sides[place + 1] = sides[place + 1], sides[place]


class Stall:
    """The market in the outlook: the cards that lie there, then some of those that nobody has seen yet."""

    def __init__(
        self, cards: Mapping[int, Card], on_show: list[int], deck: list[int], places: int, is_reduced: bool
    ) -> None:
        self._cards = cards
        self._open = on_show
        self._deck = deck
        self._places = places
        self._reduced = is_reduced

    def copy(self, number: int, copies: int) -> "Stall":
        """Return the same market, to go another way: each of the copies begins elsewhere in the pile."""
        cut = len(self._deck) * number // copies
        return Stall(self._cards, self._open[:], self._deck[cut:] + self._deck[:cut], self._places, self._reduced)

    @property
    def current(self) -> list[Card]:
        """The tools that can be bought."""
        numbers = self._open if self._reduced else self._open[: self._places // 2]
        return [card for card in [self._cards[number] for number in numbers] if card.is_tool]

    def remove(self, card: Card) -> None:
        """Sell a card, and fill its place."""
        self._open.remove(card.number)
        self._fill()

    def renew(self) -> None:
        """Begin another round: the highest card goes under the pile, and the lowest is often gone."""
        if not self._reduced and len(self._open) > 2:
            self._open = self._open[1:-1]
            self._fill()

    def _fill(self) -> None:
        while self._deck and len(self._open) < self._places:
            card = self._deck.pop()
            if card not in self._open:
                self._open.append(card)
        self._open.sort()


def _stall_of(state: GameState) -> Stall:
    market, unseen = state.market, state.pile.unseen
    step = len(unseen) * 5 // 8 + 1
    while gcd(step, len(unseen)) > 1:
        step += 1
    deck = [unseen[number * step % len(unseen)] for number in range(len(unseen))]
    return Stall(state.components.cards, list(market.cards), deck, market.places, market.reduced)


def _choose(side: Contender, stall: Stall, tuning: Tuning) -> None:
    """Let the clan buy the tool of the market that brings it most, if that soon pays and it still eats."""
    payable = [card for card in stall.current if card.price <= side.food]
    if not payable:
        return
    full = side.owned >= side.limit
    spared, food, place = side.weakest() if full else (0.0, 4, 0)
    best, bought = 0.0, None
    for card in payable:
        fed = side.fresh(side.food - card.price) + side.income - side.size
        gain = side.gain(card, fed - tuning.margin) - spared
        if gain <= 0:
            continue
        if fed + gain < tuning.keep_buying:
            continue
        worth = gain * tuning.payback - card.price
        if worth > best:
            best, bought = worth, card
    if bought is None:
        return
    side.food -= bought.price
    side.highest = max(side.highest, bought.number)
    side.income += side.gain(bought, inf) - spared
    if full:
        if food == 4:
            side.crops.pop(place)
        else:
            side.tools[food].pop(place)
    side.take(bought)
    stall.remove(bought)


def _grow(side: Contender, crowd: float, habit: Habit, tuning: Tuning) -> None:
    """Let the clan spread as far as it can pay, and feed in the next round; as far as it can pay if that is the end.

    It takes the cheapest spaces, or first the way to a food for which it has tools.
    """
    size, food = side.size, side.food
    if side.resigned or not size:
        return
    most = min(MOST_NEW, MOST_MEMBERS - size)
    costs = _costs(side, 0, 0, most, crowd)
    if size + len(costs) - 1 >= ENDING_SIZE:
        side.spread(len(costs) - 1, costs[-1], -1)
        return
    purse = habit.purse if side.income < tuning.enough else 0.0
    best, found = -tuning.shortage * max(0.0, purse - food), (0, 0.0, -1)
    waiting = side.waiting()
    for target in (-1, *waiting):
        steps, reached = 0, 0.0
        if target >= 0:
            steps, extra = side.ways[target]
            costs = _costs(side, steps, extra, most, crowd)
            reached = float(VALUES[target] * side.tokens(target, side.tools[target]))
        others = [other for other in waiting if other != target]
        for more in range(max(1, steps), len(costs)):
            left = food - costs[more]
            brings = reached + side.reached(others, more - steps) if waiting else 0.0
            if side.fresh(left) + side.income + brings < size + more + habit.spare:
                break  # it could not feed them
            worth = more + tuning.reaching * brings - tuning.shortage * max(0.0, purse - left)
            if worth > best:
                best, found = worth, (more, costs[more], target)
    side.spread(*found)


def _costs(side: Contender, steps: int, extra: int, most: int, crowd: float) -> list[float]:
    """Return what numbers of new members cost, from none to what the clan can pay; *steps* of them stand on a way."""
    extras, grown = side.extras, side.grown
    costs, paid = [0.0], extra + crowd * steps
    for new in range(1, most + 1):
        if new > steps:
            place = grown + new - steps - 1
            paid += (extras[place] if place < len(extras) else 4) + crowd
        cost = BASE[new] + paid
        if cost > side.food:
            break
        costs.append(cost)
    return costs


def _score(own: Contender, sides: list[Contender], *, over: bool, tuning: Tuning) -> float:
    """Return the lead of a clan over the others."""

    def worth(side: Contender) -> float:
        if over:
            return side.size + side.food * tuning.food_at_end
        return side.size + side.food * tuning.food_later + min(6.0, side.income - side.size) * tuning.surplus

    others = [worth(side) for side in sides if side is not own and not side.resigned]
    mine = worth(own)
    best = max(others, default=0.0)
    mean = fsum(others) / max(1, len(others))
    lead = mine - tuning.best * best - (1 - tuning.best) * mean
    if lead > tuning.clear:
        lead = tuning.clear + (lead - tuning.clear) * tuning.beyond
    if over:
        lead += tuning.victory if mine > best else -tuning.victory
    return lead

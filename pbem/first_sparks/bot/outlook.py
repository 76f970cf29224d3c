"""How the game may go on for all clans, in numbers: no cards are drawn, and no spaces are named.

Each clan buys what brings it most, hunts with the tools that it has, from what the clans before it leave, and grows
as far as it can pay and feed. Every number here is public, except the food of the clan that asks.
"""

from collections.abc import Mapping
from math import fsum, gcd
from typing import Final

from pbem.first_sparks.bot.prospect import Contender, contenders_of
from pbem.first_sparks.bot.tuning import DEFAULT, Tuning
from pbem.first_sparks.components import Card
from pbem.first_sparks.rules.game_end import ENDING_SIZE
from pbem.first_sparks.rules.preparation import refill_numbers
from pbem.first_sparks.rules.spreading import MOST_MEMBERS, MOST_NEW, base_cost
from pbem.first_sparks.state import GameState, Harvest

_BASE: Final = tuple(base_cost(new) for new in range(MOST_NEW + 1))


def outlook(
    state: GameState, viewer: str, buying: tuple[str, ...], spreading: tuple[str, ...] | None, tuning: Tuning = DEFAULT
) -> float:
    """Return how well the game may go for *viewer*, in members ahead of the other clans.

    *buying* are the clans that may still buy in this round; *spreading* those that still spread in it, None in a phase
    before the hunt, which all clans have before them then. The mean of some courses that differ in thrift.
    """
    sides, lying, stall = contenders_of(state, viewer), list(state.harvest), _stall_of(state)
    supply = lying[:]
    for side in reversed(sides):
        side.income = side.hunt(supply)
    if spreading is None:
        _buy_and_eat(sides, [side for side in sides if side.colour in buying], lying, stall, 0, state.round, tuning)
        spreading = state.order
    refill = refill_numbers(state.board, len(sides))
    courses = [
        _course(
            [side.copy() for side in sides],
            viewer,
            spreading,
            lying[:],
            refill,
            stall.copy(),
            state.round,
            thrift,
            tuning,
        )
        for thrift in tuning.thrift
    ]
    return fsum(courses) / len(courses)


def _course(
    sides: list[Contender],
    viewer: str,
    spreading: tuple[str, ...],
    lying: list[int],
    refill: Harvest,
    stall: "Stall",
    number: int,
    thrift: float,
    tuning: Tuning,
) -> float:
    """Return the outlook of one course from phase 3 on, in which all clans keep *thrift* more food to buy with."""
    own = next(side for side in sides if side.colour == viewer)
    crowd, path = 0.0, 0.0
    growing = [side for side in sides if side.colour in spreading]
    for horizon in range(tuning.rounds):
        if horizon:
            _buy_and_eat(sides, sides, lying, stall, horizon, number + horizon, tuning)
            growing = sides
        for side in reversed(growing):
            _grow(side, crowd, thrift, tuning)
        if max([side.size for side in sides]) >= ENDING_SIZE:
            return path + (1.0 + fsum(tuning.path[horizon:])) * _score(own, sides, over=True, tuning=tuning)
        if horizon < len(tuning.path):
            path += tuning.path[horizon] * _score(own, sides, over=False, tuning=tuning)
        _reorder(sides)
        lying = [there + new for there, new in zip(lying, refill, strict=True)]
        stall.renew()
        crowd += tuning.crowding
    return path + _score(own, sides, over=False, tuning=tuning)


def _buy_and_eat(
    sides: list[Contender],
    buyers: list[Contender],
    lying: list[int],
    stall: "Stall",
    horizon: int,
    number: int,
    tuning: Tuning,
) -> None:
    """Let clans go through phases 1 and 2 of the game round *number*, *horizon* rounds from now."""
    for side in reversed(buyers):
        if not side.resigned:
            if horizon < tuning.known:
                _choose(side, stall, tuning)
            else:
                _buy(side, number, tuning)
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

    def copy(self) -> "Stall":
        """Return the same market, to go another way."""
        return Stall(self._cards, self._open[:], self._deck[:], self._places, self._reduced)

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
    """Let the clan buy the tool of the market that brings it most, if that soon pays."""
    payable = [card for card in stall.current if card.price <= side.food]
    if not payable:
        return
    full = side.owned >= side.limit
    spared, food, place = side.weakest() if full else (0.0, 4, 0)
    best, bought = 0.0, None
    for card in payable:
        left = side.food - card.price
        gain = side.gain(card) - spared
        if gain <= 0:
            continue
        if side.fresh(left) + side.income + gain < side.size + tuning.keep_buying:
            continue
        worth = gain * tuning.payback - card.price
        if worth > best:
            best, bought = worth, card
    if bought is None:
        return
    side.food -= bought.price
    side.highest = max(side.highest, bought.number)
    side.income += side.gain(bought) - spared
    if full:
        if food == 4:
            side.crops.pop(place)
        else:
            side.tools[food].pop(place)
    side.take(bought)
    stall.remove(bought)


def _buy(side: Contender, number: int, tuning: Tuning) -> None:
    """Let the clan buy a card of average worth, if it can and still eats."""
    price = min(tuning.price_most, tuning.price + tuning.price_rise * number)
    left = side.food - price
    if left < 0:
        return
    if side.fresh(left) + side.income < side.size + tuning.keep_buying:
        return
    side.food = left
    side.bonus += max(0.0, tuning.gain * price - (tuning.replaced if side.owned >= side.limit else 0.0))


def _grow(side: Contender, crowd: float, thrift: float, tuning: Tuning) -> None:
    """Let the clan spread as far as it can pay, and feed in the next round; as far as it can pay if that is the end."""
    size, food = side.size, side.food
    if side.resigned or not size:
        return
    extras, grown = side.extras, side.grown
    costs, paid = [0.0], 0.0
    for new in range(1, min(MOST_NEW, MOST_MEMBERS - size) + 1):
        place = grown + new - 1
        paid += (extras[place] if place < len(extras) else 4) + crowd
        cost = _BASE[new] + paid
        if cost > food:
            break
        costs.append(cost)
    new = len(costs) - 1
    if not new:
        return
    if size + new < ENDING_SIZE:
        purse = tuning.purse + thrift if side.income < tuning.enough else 0.0
        found, reached, best = 0, 0.0, -tuning.shortage * max(0.0, purse - food)
        for more in range(1, new + 1):
            left = food - costs[more]
            reached = side.reached(more) if more < 3 else reached
            if side.fresh(left) + side.income + reached < size + more + tuning.spare:
                break
            worth = more + tuning.reaching * reached - tuning.shortage * max(0.0, purse - left)
            if worth > best:
                found, best = more, worth
        new = found
    side.food = food - costs[new]
    side.size = size + new
    side.grown = grown + new


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

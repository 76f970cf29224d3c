"""How the game may go on for all clans, in numbers: no cards are drawn, and no spaces are named.

Each clan buys what brings it most, hunts with the tools that it has, from what the clans before it leave, and grows
as far as it can pay and feed. Every number here is public, except the food of the clan that asks.
"""

from math import gcd
from typing import Final

from pbem.first_sparks.bot.prospect import Contender, contenders_of
from pbem.first_sparks.bot.tuning import DEFAULT, Tuning
from pbem.first_sparks.components import Card
from pbem.first_sparks.rules.game_end import ENDING_SIZE
from pbem.first_sparks.rules.preparation import refill_numbers
from pbem.first_sparks.rules.spreading import MOST_MEMBERS, MOST_NEW, base_cost
from pbem.first_sparks.state import GameState

_BASE: Final = tuple(base_cost(new) for new in range(MOST_NEW + 1))


def outlook(
    state: GameState, viewer: str, buying: tuple[str, ...], spreading: tuple[str, ...] | None, tuning: Tuning = DEFAULT
) -> float:
    """Return how well the game may go for *viewer*, in members ahead of the other clans.

    *buying* are the clans that may still buy in this round; *spreading* those that still spread in it, None in a phase
    before the hunt, which all clans have before them then. The mean of some courses that differ in thrift.
    """
    sides = contenders_of(state, viewer)
    courses = [_course(state, sides, viewer, buying, spreading, thrift, tuning) for thrift in tuning.thrift]
    return sum(courses) / len(courses)


def _course(
    state: GameState,
    known: list[Contender],
    viewer: str,
    buying: tuple[str, ...],
    spreading: tuple[str, ...] | None,
    thrift: float,
    tuning: Tuning,
) -> float:
    """Return the outlook of one course, in which all clans keep *thrift* more food to buy with."""
    sides = [side.copy() for side in known]
    lying = list(state.harvest)
    refill = refill_numbers(state.board, len(sides))
    own = next(side for side in sides if side.colour == viewer)
    stall = Stall(state)
    number, crowd, path = state.round, 0.0, 0.0
    supply = lying[:]
    for side in reversed(sides):
        side.income = side.hunt(supply)
    buyers = [side for side in sides if side.colour in buying]
    if spreading is not None:
        for side in reversed(sides):
            if side.colour in spreading:
                _grow(side, crowd, thrift, tuning)
    for horizon in range(tuning.rounds):
        if spreading is None or horizon:
            for side in reversed(buyers):
                if not side.resigned:
                    if horizon < tuning.known:
                        _choose(side, stall, tuning)
                    else:
                        _buy(side, number, tuning)
            for side in reversed(sides):
                side.eat(lying)
            for side in reversed(sides):
                _grow(side, crowd, thrift, tuning)
        if max([side.size for side in sides]) >= ENDING_SIZE:
            return path + (1 + sum(tuning.path[horizon:])) * _score(own, sides, over=True, tuning=tuning)
        if horizon < len(tuning.path):
            path += tuning.path[horizon] * _score(own, sides, over=False, tuning=tuning)
        _reorder(sides)
        lying = [there + new for there, new in zip(lying, refill, strict=True)]
        buyers = sides
        stall.renew()
        number += 1
        crowd += tuning.crowding
    return path + _score(own, sides, over=False, tuning=tuning)


def _reorder(sides: list[Contender]) -> None:
    """Set the player order of the next round, as ``clans`` does for real ones."""
    sides.sort(key=lambda side: (side.size, side.highest), reverse=True)
    for place in reversed(range(len(sides) - 1)):
        if sides[place].intelligence:
            sides[place], sides[place + 1] = sides[place + 1], sides[place]


class Stall:
    """The market in the outlook: the cards that lie there, then some of those that nobody has seen yet."""

    def __init__(self, state: GameState) -> None:
        market, self._cards = state.market, state.components.cards
        self._open = list(market.cards)
        self._places = market.places
        self._reduced = market.reduced
        unseen = state.pile.unseen
        step = len(unseen) * 5 // 8 + 1
        while gcd(step, len(unseen)) > 1:
            step += 1
        self._deck = [unseen[number * step % len(unseen)] for number in range(len(unseen))]

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


def _choose(side: Contender, stall: Stall, tuning: Tuning) -> None:
    """Let the clan buy the tool of the market that brings it most, if that soon pays."""
    full = side.owned >= side.limit
    spared, food, place = side.weakest() if full else (0.0, 4, 0)
    best, bought = 0.0, None
    for card in stall.current:
        left = side.food - card.price
        if left < 0:
            continue
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
    if side.resigned or not side.size:
        return
    most = min(MOST_NEW, MOST_MEMBERS - side.size)
    costs, paid = [0.0], 0.0
    for new in range(1, most + 1):
        place = side.grown + new - 1
        paid += (side.extras[place] if place < len(side.extras) else 4) + crowd
        cost = _BASE[new] + paid
        if cost > side.food:
            break
        costs.append(cost)
    new, reached = len(costs) - 1, 0.0
    purse = tuning.purse + thrift if side.income < tuning.enough else 0.0
    if side.size + new < ENDING_SIZE:
        found, best = 0, -99.0
        for more in range(new + 1):
            left = side.food - costs[more]
            reached = side.reached(more) if more < 3 else reached
            if more and side.fresh(left) + side.income + reached < side.size + more + tuning.spare:
                break
            worth = more + tuning.reaching * reached - tuning.shortage * max(0.0, purse - left)
            if worth > best:
                found, best = more, worth
        new = found
    side.food -= costs[new]
    side.size += new
    side.grown += new


def _score(own: Contender, sides: list[Contender], *, over: bool, tuning: Tuning) -> float:
    """Return the lead of a clan over the others."""

    def worth(side: Contender) -> float:
        if over:
            return side.size + side.food * tuning.food_at_end
        return side.size + side.food * tuning.food_later + min(6.0, side.income - side.size) * tuning.surplus

    others = [worth(side) for side in sides if side is not own and not side.resigned]
    mine = worth(own)
    best = max(others, default=0.0)
    mean = sum(others) / max(1, len(others))
    lead = mine - tuning.best * best - (1 - tuning.best) * mean
    if lead > tuning.clear:
        lead = tuning.clear + (lead - tuning.clear) * tuning.beyond
    if over:
        lead += tuning.victory if mine > best else -tuning.victory
    return lead

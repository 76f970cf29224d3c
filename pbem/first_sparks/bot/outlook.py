"""How the game may go on for all clans, in numbers: no cards are drawn, and no spaces are named.

Each clan buys what brings it most, hunts with the tools that it has, from what the clans before it leave, and grows
as far as it can pay and feed. Every number here is public, except the food of the clan that asks.
"""

from math import fsum, inf
from typing import NamedTuple

from pbem.first_sparks.bot.prospect import BASE, VALUES, Contender, contenders_of
from pbem.first_sparks.bot.stall import Stall, stall_of
from pbem.first_sparks.bot.tuning import DEFAULT, Habit, Tuning
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
    courses, in which spaces cost more or less and other cards come; and of these the best.
    """
    courses = range(len(tuning.rounding))
    starts = [_start(state, viewer, buying, spreading, number, tuning) for number in courses]
    return max(
        [fsum([_course(starts[number], habit, number, tuning) for number in courses]) for habit in tuning.habits]
    ) / len(courses)


def taken_before(state: GameState, viewer: str, rivals: list[str], tuning: Tuning) -> list[int]:
    """Return the numbers of the cards that the *rivals* may take from the market in this round, before *viewer* can."""
    sides, stall = contenders_of(state, viewer), stall_of(state)
    _foresee(sides, list(state.harvest))
    before = stall.current
    for side in reversed(sides):
        if side.colour in rivals and not side.resigned:
            _choose(side, stall, tuning)
    after = stall.current
    return [card.number for card in before if card not in after]


class _Start(NamedTuple):
    """Where a course begins, which changes none of it: in phase 3, with the clans *spreading* still to spread.

    In the course *last* the clan of the *viewer* buys after all others, whatever the player order: what they want
    cannot be foreseen, and a plan that needs a certain card must not be all that a clan has.
    """

    sides: list[Contender]
    lying: list[int]
    stall: Stall
    viewer: str
    is_last: bool
    spreading: tuple[str, ...]
    refill: Harvest
    spaces: int
    neutral: bool

    def density(self, sides: list[Contender], side: Contender) -> float:
        """Return how many new members of others stand on a space by now, on average."""
        new = sum([other.grown for other in sides]) - side.grown
        return (new + new if self.neutral else new) / self.spaces


def _start(
    state: GameState,
    viewer: str,
    buying: tuple[str, ...],
    spreading: tuple[str, ...] | None,
    number: int,
    tuning: Tuning,
) -> _Start:
    """Return where the course of that number begins, from whatever phase the game is in."""
    sides, lying = contenders_of(state, viewer), list(state.harvest)
    stall, is_last = stall_of(state).copy(number, len(tuning.rounding)), number == len(tuning.rounding) - 1
    _foresee(sides, lying)
    if spreading is None:
        if not state.round:
            _reorder(sides)
            stall.lay_crop()
        buyers = [side for side in sides if side.colour in buying]
        _buy_and_eat(sides, buyers, lying, stall, viewer if is_last else "", tuning)
        spreading = state.order
    refill = refill_numbers(state.board, len(sides))
    spaces, neutral = len(state.board.spaces), bool(state.neutral)
    return _Start(sides, lying, stall, viewer, is_last, spreading, refill, spaces, neutral)


def _course(start: _Start, habit: Habit, number: int, tuning: Tuning) -> float:
    """Return the outlook of the course of that number, from phase 3 on, if the clan has that habit."""
    sides = [side.copy() for side in start.sides]
    lying, stall = start.lying, start.stall.copy(0, 1)
    own = next(side for side in sides if side.colour == start.viewer)
    path, last = 0.0, start.viewer if start.is_last else ""
    growing = [side for side in sides if side.colour in start.spreading]
    for horizon in range(len(tuning.path)):
        if horizon:
            lying = [there + new for there, new in zip(lying, start.refill, strict=True)]
            stall.lay_crop()
            _foresee(sides, lying)
            _buy_and_eat(sides, sides, lying, stall, last, tuning)
            growing = sides
        _foresee(sides, [there + new for there, new in zip(lying, start.refill, strict=True)])
        for side in reversed(growing):
            costs = _Costs(start.density(sides, side), tuning.rounding[number], tuning)
            _grow(side, costs, habit if side is own else tuning.habit, tuning)
        if max([side.size for side in sides]) >= ENDING_SIZE:
            return path + fsum(tuning.path[horizon:]) * _score(own, sides, over=True, tuning=tuning)
        path += tuning.path[horizon] * _score(own, sides, over=False, tuning=tuning)
        _reorder(sides)
        stall.renew()
    return path


def _foresee(sides: list[Contender], lying: list[int]) -> None:
    """Let each clan see what it would harvest from the tokens *lying*, of which earlier hunters take theirs."""
    supply = lying[:]
    for side in reversed(sides):
        side.income = side.hunt(supply)


def _buy_and_eat(
    sides: list[Contender], buyers: list[Contender], lying: list[int], stall: Stall, last: str, tuning: Tuning
) -> None:
    """Let clans go through phases 1 and 2, *last* buying last; what they hunt is taken from the tokens *lying*."""
    asked = [side for side in reversed(buyers) if side.colour != last]
    for side in asked + [side for side in buyers if side.colour == last]:
        if not side.resigned:
            _choose(side, stall, tuning)
    stall.remove_unsold()
    for side in reversed(sides):
        side.eat(lying)


def _reorder(sides: list[Contender]) -> None:
    """Set the player order of the next round, as ``clans`` does for real ones."""
    sides.sort(key=lambda side: (side.size, side.highest), reverse=True)
    for place in reversed(range(len(sides) - 1)):
        if sides[place].intelligence:
            sides[place], sides[place + 1] = sides[place + 1], sides[place]


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


def _grow(side: Contender, prices: "_Costs", habit: Habit, tuning: Tuning) -> None:
    """Let the clan spread as far as it can pay, and feed in the next round; as far as it can pay if that is the end.

    It takes the cheapest spaces, or first the way to a food for which it has tools.
    """
    size, food = side.size, side.food
    if side.resigned or not size:
        return
    most = min(MOST_NEW, MOST_MEMBERS - size)
    costs = prices.of(side, 0, 0, most)
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
            costs = prices.of(side, steps, extra, most)
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


class _Costs:
    """What new members cost where others have grown meanwhile: *density* is the number of these on a space.

    Costs are whole numbers, so *rounding* tells whether the others stand more or less in the way.
    """

    def __init__(self, density: float, rounding: float, tuning: Tuning) -> None:
        self._way, self._space, self._rounding = density * tuning.way, density * tuning.space, rounding

    def of(self, side: Contender, steps: int, extra: int, most: int) -> list[float]:
        """Return the costs of new members, from none to what the clan can pay; *steps* of them stand on a way."""
        extras, grown = side.extras, side.grown
        costs, paid = [0.0], extra + self._way * steps
        for new in range(1, most + 1):
            if new > steps:
                place = grown + new - steps - 1
                paid += (extras[place] if place < len(extras) else 4) + self._space
            cost = float(BASE[new] + int(paid + self._rounding))
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

"""How the game may go on for all clans, in numbers: no cards are drawn, and no spaces are named.

Each clan buys what brings it most, hunts with the tools that it has, from what the clans before it leave, and grows
as far as it can pay and feed. Every number here is public, except the food of the clan that asks.
"""

from math import fsum, inf
from typing import Final, NamedTuple

from pbem.first_sparks.bot.prospect import BASE, CROPS, VALUES, Contender, contenders_of
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
    sides, stall = contenders_of(state, viewer), stall_of(state)
    _foresee(sides, list(state.harvest))
    now = _Present(state, viewer, buying, spreading, sides, stall)
    courses = [_worths(now, number, tuning) for number in range(len(tuning.rounding))]
    return max([fsum(worths) for worths in zip(*courses, strict=True)]) / len(courses)


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


class _Present(NamedTuple):
    """Where the game is: the arguments of ``outlook``, with the clans and the market as they are before any course."""

    state: GameState
    viewer: str
    buying: tuple[str, ...]
    spreading: tuple[str, ...] | None
    sides: list[Contender]
    stall: Stall


def _worths(now: _Present, number: int, tuning: Tuning) -> list[float]:
    """Return the outlook of the course of that number for each habit that the clan may have."""
    worths = [0.0] * len(tuning.habits)
    _follow(_trunk(now, number, tuning), list(range(len(worths))), worths)
    return worths


def _follow(branch: "_Branch", habits: list[int], worths: list[float]) -> None:
    """Set the outlook for each of these habits, by number, which have led to the same up to here."""
    grown = list(branch.growths(habits).items())
    for place, (growth, same) in enumerate(grown):
        further = branch if place == len(grown) - 1 else branch.copy()
        if further.goes_on(growth):
            _follow(further, same, worths)
        else:
            for habit in same:
                worths[habit] = further.worth


def _trunk(now: _Present, number: int, tuning: Tuning) -> "_Branch":
    """Return where the course of that number begins, from whatever phase the game is in."""
    state, viewer, spreading = now.state, now.viewer, now.spreading
    sides, lying = [side.copy() for side in now.sides], list(state.harvest)
    stall, last = now.stall.copy(number, len(tuning.rounding)), viewer if number == len(tuning.rounding) - 1 else ""
    if spreading is None:
        if not state.round:
            _reorder(sides)
            stall.lay_crop()
        buyers = [side for side in sides if side.colour in now.buying]
        _buy_and_eat(sides, buyers, lying, stall, last, tuning)
        spreading = state.order
    refill = refill_numbers(state.board, len(sides))
    spaces, rounding = len(state.board.spaces), tuning.rounding[number]
    premise = _Premise(viewer, last, spreading, refill, spaces, bool(state.neutral), rounding, tuning)
    branch = _Branch(premise, sides, lying, stall)
    branch.grow_before()
    return branch


class _Premise(NamedTuple):
    """What is the same in all branches: the clan of the *viewer*, the clans *spreading* in this round, and the board.

    The clan *last* buys after all others, whatever the player order: what they want cannot be foreseen, and a plan that
    needs a certain card must not be all that a clan has. That is the viewer's in the last course, and "" in others.
    """

    viewer: str
    last: str
    spreading: tuple[str, ...]
    refill: Harvest
    spaces: int
    neutral: bool
    rounding: float
    tuning: Tuning


class _Branch:
    """A course up to where the viewer's clan grows in a game round; habits that let it grow differently part there.

    Its *worth* is the weighted sum of the scores after the rounds so far.
    """

    __slots__ = ("_horizon", "_lying", "_own", "_premise", "_sides", "_stall", "worth")

    def __init__(self, premise: _Premise, sides: list[Contender], lying: list[int], stall: Stall) -> None:
        self._premise, self._sides, self._lying, self._stall = premise, sides, lying, stall
        self._own = next(side for side in sides if side.colour == premise.viewer)
        self._horizon, self.worth = 0, 0.0

    def copy(self) -> "_Branch":
        """Return the same, to go on with another growth."""
        other = _Branch(self._premise, [side.copy() for side in self._sides], self._lying, self._stall.copy(0, 1))
        other._horizon, other.worth = self._horizon, self.worth
        return other

    def growths(self, habits: list[int]) -> dict["_Growth", list[int]]:
        """Return how the clan may grow now, and the habits that let it."""
        own, tuning = self._own, self._premise.tuning
        if not self._grows(own):
            return {_NOTHING: habits}
        costs, found = self._costs(own), dict[_Growth, list[int]]()
        for habit in habits:
            found.setdefault(_growth(own, costs, tuning.habits[habit], tuning), []).append(habit)
        return found

    def goes_on(self, growth: "_Growth") -> bool:
        """Let the clan grow, and go on to where it grows in the next round; return whether that is still looked at."""
        premise, sides, stall = self._premise, self._sides, self._stall
        tuning, path = premise.tuning, premise.tuning.path
        self._own.spread(*growth)
        self._grow(sides[: sides.index(self._own)])
        if max([side.size for side in sides]) >= ENDING_SIZE:
            self.worth += fsum(path[self._horizon :]) * _score(self._own, sides, over=True, tuning=tuning)
            return False
        self.worth += path[self._horizon] * _score(self._own, sides, over=False, tuning=tuning)
        self._horizon += 1
        if self._horizon == len(path):
            return False
        _reorder(sides)
        stall.renew()
        self._lying = self._refilled()
        stall.lay_crop()
        _foresee(sides, self._lying)
        _buy_and_eat(sides, sides, self._lying, stall, premise.last, tuning)
        self.grow_before()
        return True

    def grow_before(self) -> None:
        """Let those clans grow that do so before the viewer's: the last in player order is the first."""
        _foresee(self._sides, self._refilled())
        self._grow(self._sides[self._sides.index(self._own) + 1 :])

    def _grow(self, sides: list[Contender]) -> None:
        tuning = self._premise.tuning
        for side in reversed(sides):
            if self._grows(side):
                side.spread(*_growth(side, self._costs(side), tuning.habit, tuning))

    def _grows(self, side: Contender) -> bool:
        return bool(self._horizon) or side.colour in self._premise.spreading

    def _refilled(self) -> list[int]:
        return [there + new for there, new in zip(self._lying, self._premise.refill, strict=True)]

    def _costs(self, side: Contender) -> "_Costs":
        """Return what new members cost a clan, with the new members of others that stand on a space on average."""
        premise, new = self._premise, sum([other.grown for other in self._sides]) - side.grown
        density = (new + new if premise.neutral else new) / premise.spaces
        return _Costs(density, premise.rounding, premise.tuning)


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
    spared, food, place = side.weakest() if full else (0.0, CROPS, 0)
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
        side.give_up(food, place)
    side.take(bought)
    stall.remove(bought)


# How many new members there are, what they cost, and the place of the food that they reach, or -1 if they reach none.
_Growth = tuple[int, float, int]
_NOTHING: Final[_Growth] = (0, 0.0, -1)


def _growth(side: Contender, prices: "_Costs", habit: Habit, tuning: Tuning) -> _Growth:
    """Return how a clan grows: as far as it can pay, and feed in the next round unless that is the end.

    It takes the cheapest spaces, or first the way to a food for which it has tools.
    """
    size, food = side.size, side.food
    if side.resigned or not size:
        return _NOTHING
    most = min(MOST_NEW, MOST_MEMBERS - size)
    costs = prices.of(side, 0, 0, most)
    if size + len(costs) - 1 >= ENDING_SIZE:
        return len(costs) - 1, costs[-1], -1
    purse = habit.purse if side.income < tuning.enough else 0.0
    best, found = -tuning.shortage * max(0.0, purse - food), _NOTHING
    waiting = side.waiting()
    for target in (-1, *waiting):
        steps, reached = 0, 0.0
        if target >= 0:
            steps, extra = side.ways[target]
            costs = prices.of(side, steps, extra, most)
            reached = float(VALUES[target] * side.tokens(target))
        others = [other for other in waiting if other != target]
        for more in range(max(1, steps), len(costs)):
            left = food - costs[more]
            brings = reached + side.reached(others, more - steps) if waiting else 0.0
            if side.fresh(left) + side.income + brings < size + more + habit.spare:
                break  # it could not feed them
            worth = more + tuning.reaching * brings - tuning.shortage * max(0.0, purse - left)
            if worth > best:
                best, found = worth, (more, costs[more], target)
    return found


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

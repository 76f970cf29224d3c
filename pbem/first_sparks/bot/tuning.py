"""The numbers by which the bot judges, found by letting it play against others; see ``tests/benchmark_bot.py``."""

from typing import Final, NamedTuple


class Habit(NamedTuple):
    """How a clan spreads in the outlook: the food that it keeps to buy with, and must have left in the next round."""

    purse: float
    spare: float


class Tuning(NamedTuple):
    """How the outlook sees a game go on, and how it weighs what it sees. Food and income are values.

    - *path*: the weights of this game round and the next ones, as many as are looked at: enough to save for a dear
      tool, buy it, and grow on what it brings. A clan that spreads instead may never have the food for one again.
    - *payback*: in how many rounds a card must bring its price. *keep_buying* is the food that a buyer must have left
      after eating, *margin* that which it must have left on the way to the food that its tool hunts.
    - *habit* is that of the others; the clan itself can choose one of *habits*, of which the last saves for
      nearly any tool. No purse is kept from the income *enough* on. A member is worth *shortage* food of the purse, or
      new food by *reaching*.
    - A new member that others have, on average, on each space makes a step of a clan's way to a food dearer by *way*,
      and another of its spaces, among which it can choose, by *space*: so much dearer were they in games between bots.
      *rounding* is what is added before a cost is cut to a whole number, for each course that is looked at.
    - A clan's standing is its members, its food times *food_later* (*food_at_end* at the end) and its surplus times
      *surplus*; the lead is that over the others, of whom the best one counts *best* and their mean the rest. What is
      more than *clear* counts *beyond*. *victory* is added for a win: so much
      that a clan which can win now does not put it off to lead by more.
    - *hardship* is taken away for each step by which a small clan fails to feed itself surely; see ``hardship``.
    - *room*: what the room around a space to begin on is worth; *touch* and *extra_touch*, what a first and another
      hunting area of a food are.
    - *chance*: how likely a clan gets a card although another one behind it in player order may want it.
    """

    path: tuple[float, ...] = (0.5, 1.0, 1.0, 1.0, 1.0, 1.5)
    payback: float = 3.0
    keep_buying: float = 0.0
    margin: float = 1.0
    habit: Habit = Habit(6.0, 1.0)
    habits: tuple[Habit, ...] = (Habit(3.0, 0.0), Habit(6.0, 1.0), Habit(9.0, 3.0), Habit(14.0, 4.0))
    enough: float = 14.0
    shortage: float = 0.8
    reaching: float = 0.84
    way: float = 2.0
    space: float = 1.2
    rounding: tuple[float, ...] = (0.17, 0.5, 0.83)
    food_at_end: float = 0.02
    food_later: float = 0.15
    surplus: float = 1.0
    best: float = 0.5
    clear: float = 6.0
    beyond: float = 0.3
    victory: float = 8.0
    hardship: float = 100.0
    room: float = 2.0
    touch: float = 0.15
    extra_touch: float = 0.1
    chance: float = 0.9


DEFAULT: Final = Tuning()

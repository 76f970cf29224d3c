"""The numbers by which the bot judges, found by letting it play against others; see ``tests/benchmark_bot.py``."""

from typing import Final, NamedTuple


class Tuning(NamedTuple):
    """How the outlook sees a game go on, and how it weighs what it sees. Food and income are values.

    - *rounds*: how many game rounds are looked at, *known* of them with the cards of the market.
    - *payback*: in how many rounds a card must bring its price.
    - *price*, *price_rise* a round, *price_most*: what a card costs later on; it brings *gain* times its price in every
      round, less *replaced* if a tool goes for it. *keep_buying* is the food that a buyer must have left after eating.
    - *purse*: the food that clans keep to buy with until their income is *enough*; *thrift* is added to it, one number
      for each course that is looked at. A member is worth *shortage* food of the purse, or new food by *reaching*.
      *spare* is the food that must be left in the next round.
    - *crowding*: how much dearer each space becomes in a round.
    - *path*: the weights of the first rounds, beside the last one with 1. A clan's standing is its members, its
      food times *food_later* (*food_at_end* at the end) and its surplus times *surplus*; the lead is that over the
      others, of whom the best one counts *best* and their mean the rest. What is more than *clear* counts *beyond*.
      *victory* is added for a win.
    - *touch* and *extra_touch*: what a first and another hunting area of a food are worth.
    - *chance*: how likely a clan gets a card although another one behind it in player order may want it.
    """

    rounds: int = 10
    known: int = 6
    payback: float = 3.0
    price: float = 4.0
    price_rise: float = 0.6
    price_most: float = 9.0
    gain: float = 0.65
    replaced: float = 2.0
    keep_buying: float = 0.0
    purse: float = 6.0
    enough: float = 14.0
    thrift: tuple[float, ...] = (-3.0, -1.0, 0.0, 1.0, 3.0)
    shortage: float = 0.8
    reaching: float = 0.84
    spare: float = 0.0
    crowding: float = 0.3
    path: tuple[float, ...] = (0.5, 1.0, 1.0, 0.5)
    food_at_end: float = 0.02
    food_later: float = 0.15
    surplus: float = 0.4
    best: float = 0.5
    clear: float = 6.0
    beyond: float = 0.3
    victory: float = 2.0
    touch: float = 0.15
    extra_touch: float = 0.1
    chance: float = 0.9


DEFAULT: Final = Tuning()

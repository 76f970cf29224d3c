"""The numbers by which the bot judges, found by playing thousands of games with others."""

from typing import Final, NamedTuple


class Tuning(NamedTuple):
    """Estimates of how a game goes on.

    A clan buys a card a round for *price*, which brings *gain* more food a round, less *replaced* if a tool goes for it.
    """

    rounds: int = 10
    price: float = 4.0
    price_rise: float = 0.6
    price_most: float = 9.0
    gain: float = 0.65
    replaced: float = 2.0
    keep_buying: float = 0.0
    purse: float = 6.0
    enough: float = 14.0
    payback: float = 3.0
    known: int = 6
    reaching: float = 0.84
    shortage: float = 0.8
    thrift: tuple[float, ...] = (-3.0, -1.0, 0.0, 1.0, 3.0)
    path: tuple[float, ...] = (0.5, 1.0, 1.0, 0.5)
    crowding: float = 0.3
    spare: float = 0.0
    food_at_end: float = 0.02
    food_later: float = 0.15
    surplus: float = 0.4
    best: float = 0.5
    victory: float = 1.0
    touch: float = 0.15
    extra_touch: float = 0.1
    chance: float = 0.9


DEFAULT: Final = Tuning()

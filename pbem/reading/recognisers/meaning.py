"""What a line means as an answer to the question of the game, or to ours."""

from typing import NamedTuple


class Meaning(NamedTuple):
    """What a line means.

    ``orders`` are the orders that it can be: one if that is clear, none if it is meant as one but cannot be read.
    It is *sure* if it has exactly one meaning, and *bare* if it names no order (``yes``, ``9``), so that the
    lines before it decide whether it is one. *said* is ``yes`` or ``no`` if the line begins with that, and *alone* is
    whether it says nothing else.
    """

    orders: tuple[str, ...] = ()
    sure: bool = False
    bare: bool = False
    said: str = ""
    alone: bool = False

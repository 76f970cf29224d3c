"""Which seats of a game are bots: those whose players are called ``Bot``, ``Bot 2`` and so on."""

from collections.abc import Iterable
from typing import Final

_BOTS: Final = ("Bot", "Bot 2", "Bot 3", "Bot 4", "Bot 5", "Bot 6")


def is_bot(name: str) -> bool:
    """Return whether a player of that name is a bot."""
    return name in _BOTS


def numbered(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names, where seats that are called ``bot`` have names of bots that are free: Bot, Bot 2, and so on."""
    given = tuple(names)
    taken = {name.casefold() for name in given} - {"bot"}
    bots = ["Bot", *(f"Bot {n}" for n in range(2, len(given) + 1))]
    free = [bot for bot in bots if bot.casefold() not in taken]
    return tuple([free.pop(0) if name.casefold() == "bot" else name for name in given])

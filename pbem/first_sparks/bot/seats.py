"""Which seats of a game are bots: those whose players are called ``Bot``, ``Bot 2`` and so on."""

from collections.abc import Iterable
from typing import Final

_BOTS: Final = ("Bot", "Bot 2", "Bot 3", "Bot 4", "Bot 5", "Bot 6")


def is_bot(name: str) -> bool:
    """Return whether a player of that name is a bot."""
    return name in _BOTS


def numbered(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names, with the second seat that is called ``bot`` as ``Bot 2``, the third as ``Bot 3``, and so on."""
    found: list[str] = []
    bots = 0
    for name in names:
        bots += name.casefold() == "bot"
        bot = "Bot" if bots == 1 else f"Bot {bots}"
        found.append(bot if name.casefold() == "bot" else name)
    return tuple(found)

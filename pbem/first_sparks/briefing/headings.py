"""The sections of the game's pages: a key that never changes, and a heading to translate."""

from collections.abc import Iterable
from typing import Final

from pbem.page.page import Block, Picture, Section

HEADINGS: Final[dict[str, str]] = {
    "happened": "WHAT HAS HAPPENED",
    "question": "QUESTION",
    "final": "FINAL TABLE",
    "board": "BOARD",
    "harvest": "HARVEST SPACES",
    "market": "MARKET",
    "clans": "CLANS",
    "food": "FOOD OF THE WHOLE GAME",
}
BOARD_PICTURE: Final = Picture("The board, which is also drawn in letters below", "BOARD IN LETTERS")


def section(key: str, blocks: Iterable[Block], gloss: str = "", picture: Picture | None = None) -> Section:
    """Return the section with that key, below its heading if the key has one."""
    return Section(key, tuple(blocks), HEADINGS.get(key, ""), gloss, picture)

"""How the texts for players name things: headings, clans, cards, tables, food."""

from collections.abc import Iterable, Iterator
from typing import Final

from pbem.first_sparks.clans import card_name
from pbem.first_sparks.components import Card, ComponentSet
from pbem.first_sparks.rules.two_players import NEUTRAL
from pbem.first_sparks.state import Clan, GameState
from pbem.grammar import listed, plural
from pbem.page.glue import HYPHEN, glued

# What a clan's card says of it.
ON, TOOLS, KNOWS, NEXT = FACTS = ("on", "tools", "knows", "next")
_ONE: Final[dict[str, str]] = {
    "berries": "berry",
    "bears": "bear",
    "mammoths": "mammoth",
    "crops": "crop",
    "cards": "card",
    "members": "member",
    "tokens": "token",
    "spaces": "space",
    "tiles": "tile",
}

_USES: Final[dict[str, str]] = {
    "fire": "no food rots",
    "sled": "room for 4 tools, not 3",
    "speech": "a shared space costs 1 less",
    "intelligence": "one place back in player order",
}


def counted(number: int, what: str) -> str:
    """Return a number of things: ``1 berry``, ``3 fish``, ``2 members``."""
    return plural(number, f"{{n}} {_ONE.get(what, what)}", f"{{n}} {what}")


def who(state: GameState, colour: str) -> str:
    """Return a clan as the texts name it: ``Ann (red)``, or ``the neutral clan``."""
    return "the neutral clan" if colour == NEUTRAL else glued(f"{state.clan(colour).player} ({colour})")


def clans_text(state: GameState, colours: Iterable[str], word: str = "and") -> str:
    """Return clans as one lists them: ``Ann (red) and Bob (blue)``."""
    return listed((who(state, colour) for colour in colours), word)


def own_set_lines(digits: str) -> tuple[str, ...]:
    """Return the line that names a component set by the first *digits* of its digest; none for the one that ships."""
    return (f"This game has a component set of its own, {digits}.",) if digits else ()


def card_text(card: Card) -> str:
    """Return a card as the texts name it: ``#12 field``."""
    return glued(card_name(card))


def numbered(state: GameState, number: int) -> str:
    """Return the card of that number as the texts name it."""
    return card_text(state.components.cards[number])


def table_text(table: tuple[tuple[int, int], ...]) -> str:
    """Return a tool's table, from how many to how many tokens it takes what: ``1-3:1 4-6:2 7+:3``."""
    return " ".join(f"{tokens}:{taken}" for tokens, taken in _ranges(table))


def _ranges(table: tuple[tuple[int, int], ...]) -> Iterator[tuple[str, int]]:
    ends = [least - 1 for least, _ in table[1:]]
    for (least, taken), end in zip(table, ends, strict=False):
        yield (f"{least}{HYPHEN}{end}" if end > least else f"{least}"), taken
    for least, taken in table[-1:]:
        yield f"{least}+", taken


def use_text(components: ComponentSet, card: Card) -> str:
    """Return what a card is good for: its table, its crops, or what the knowledge does."""
    if card.food:
        return f"{card.food} {table_text(card.harvest)}"
    if card.is_tool:
        return counted(card.crops, "crops")
    if card.kind == "plow":
        return f"+{counted(components.plow_bonus, 'crops')} for each field"
    return _USES[card.kind]


def tile_text(state: GameState, letter: str) -> str:
    """Return a landscape tile as the texts name it: ``tile C (bears, berries)``."""
    return glued(f"tile {letter} ({', '.join(state.components.tiles[letter].hunting_areas)})")


def harvest_text(crops: int, tokens: tuple[tuple[str, int], ...], worth: int) -> str:
    """Return a harvest with its worth in food: ``2 berries + 1 crop = 5``, or ``nothing``."""
    parts = [counted(number, food) for food, number in tokens]
    if crops:
        parts.append(counted(crops, "crops"))
    return glued(f"{' + '.join(parts)} = {worth}") if parts else "nothing"


def tokens_text(tokens: tuple[tuple[str, int], ...]) -> str:
    """Return tokens as one says them: ``2 berries and 1 fish``."""
    return listed(glued(counted(number, food)) for food, number in tokens if number)


def area_text(state: GameState, clan: Clan, space: str) -> str:
    """Return the hunting area of a space, and whether it is new to the clan: ``fish, new``."""
    known = any(member[:2] == space[:2] for member in clan.members)
    return f"{state.board.foods[space[:2]]}{'' if known else ', new'}"

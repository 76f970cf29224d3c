"""How the texts for players name things: clans, cards, tables, food. And how a line is kept within 72 columns."""

import unicodedata
from collections.abc import Iterable, Iterator
from typing import Final

from pbem.first_sparks.clans import card_name
from pbem.first_sparks.components import Card, ComponentSet
from pbem.first_sparks.drawing import WIDTH
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.rules.two_players import NEUTRAL
from pbem.first_sparks.state import Clan, GameState

# A blank at which no line is broken; it cannot be in a name.
_GLUE: Final = "\0"
_SINGULAR: Final[dict[str, str]] = {"berries": "berry", "bears": "bear", "mammoths": "mammoth", "crops": "crop"}

_USES: Final[dict[str, str]] = {
    "fire": "no food rots",
    "sled": "room for 4 tools, not 3",
    "speech": "a shared space costs 1 less",
    "intelligence": "one place back in player order",
}


def wrapped(text: str, first: str = "", rest: str = "") -> tuple[str, ...]:
    """Return *text* as lines of at most 72 columns, the first one after *first*, the others after *rest*.

    A word that is wider than a line is broken, at a blank that holds it together or else anywhere.
    """
    whole = first + text.lstrip(" ")
    if columns(whole) <= WIDTH:
        return (unglued(whole),)
    lines = [first]
    words = text.split(" ")[::-1]
    while words:
        word = words.pop()
        start = lines[-1] in (first, rest)
        longer = lines[-1] + word if start else f"{lines[-1]} {word}"
        if columns(longer) <= WIDTH:
            lines[-1] = longer
        elif not start and columns(rest + word) <= WIDTH:
            lines.append(rest + word)
        elif _GLUE in word:
            words += word.split(_GLUE)[::-1]
        else:
            lines += [] if start else [rest]
            fits = _fitting(word, WIDTH - columns(lines[-1]))
            lines[-1] += word[:fits]
            lines.append(rest)
            words.append(word[fits:])
    return tuple(map(unglued, lines))


def _fitting(word: str, room: int) -> int:
    """Return how many characters of the word fit into so many columns; one at least."""
    return max(1, next((end for end in range(1, len(word)) if columns(word[: end + 1]) > room), len(word)))


def fitted(row: str) -> tuple[str, ...]:
    """Return a row of a table as it is, or wrapped where it is too wide."""
    row = row.rstrip()
    if columns(row) <= WIDTH:
        return (unglued(row),)
    indented = len(row) - len(row.lstrip())
    return wrapped(" ".join(row.split()), " " * indented, " " * (indented + 4))


def columns(text: str) -> int:
    """Return how many columns a terminal or a mail takes for the text: two for a wide character, as of Chinese."""
    if text.isascii():
        return len(text)
    return sum(_columns(character) for character in text)


def _columns(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me"):  # an accent stands above or below the letter before it
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def padded(text: str, width: int) -> str:
    """Return the text with blanks after it up to *width* columns."""
    return text + " " * (width - columns(text))


def glued(text: str) -> str:
    """Return text that ``wrapped`` leaves in one line."""
    return text.replace(" ", _GLUE)


def unglued(text: str) -> str:
    """Return text as it is read, the blanks that hold it together being blanks again."""
    return text.replace(_GLUE, " ")


def listed(items: Iterable[str], word: str = "and") -> str:
    """Return a list as one says it: ``a, b and c``."""
    *some, last = items
    return f"{', '.join(some)} {word} {last}" if some else last


def counted(number: int, what: str) -> str:
    """Return a number of things: ``1 berry``, ``3 fish``, ``2 members``."""
    singular = _SINGULAR.get(what, what.removesuffix("s"))
    return f"{number} {singular if number == 1 else what}"


def who(state: GameState, colour: str) -> str:
    """Return a clan as the texts name it: ``Ann (red)``, or ``the neutral clan``."""
    return "the neutral clan" if colour == NEUTRAL else glued(f"{state.clan(colour).player} ({colour})")


def clans_text(state: GameState, colours: Iterable[str], word: str = "and") -> str:
    """Return clans as one lists them: ``Ann (red) and Bob (blue)``."""
    return listed((who(state, colour) for colour in colours), word)


def hides_food(state: GameState, clan: Clan, viewer: str | None) -> bool:
    """Return whether *viewer* must not learn the clan's food; when the game is over all food is counted openly.

    Rule: hidden-food (R8.1)
    """
    return state.hides_food(clan) and clan.colour != viewer and not isinstance(state.phase, Ended)


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
        yield (f"{least}-{end}" if end > least else f"{least}"), taken
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

"""How the texts for players name things: headings, clans, cards, tables, food."""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Final

from pbem.first_sparks.components import Card, ComponentSet
from pbem.first_sparks.rules.two_players import NEUTRAL
from pbem.first_sparks.state import Clan, GameState
from pbem.grammar import listed, plural
from pbem.locale import Phrase, phrase_by, tr
from pbem.page.glue import HYPHEN, glued

# What a player may write besides orders, as letters quote it.
TO_WRITE: Final = ("agree", "object", "withdraw", "wait", "if nobody wants it", "agree end")
# The labels of a clan's facts, in English.
FACTS: Final = ("on", "tools", "knows", "next")
_COUNTED: Final[dict[str, tuple[str, str]]] = {
    "berries": ("{n} berry", "{n} berries"),
    "fish": ("{n} fish", "{n} fish"),
    "bears": ("{n} bear", "{n} bears"),
    "mammoths": ("{n} mammoth", "{n} mammoths"),
    "crops": ("{n} crop", "{n} crops"),
    "cards": ("{n} card", "{n} cards"),
    "tools": ("{n} tool", "{n} tools"),
    "members": ("{n} member", "{n} members"),
    "spaces": ("{n} space", "{n} spaces"),
}

_USES: Final[dict[str, str]] = {
    "fire": "no food rots",
    "sled": "room for 4 tools, not 3",
    "speech": "a shared space costs 1 less",
    "intelligence": "one place back in player order",
}


def food_word(food: str) -> str:
    """Return a food as the texts name it."""
    return tr(food, "food")


def kind_word(kind: str) -> str:
    """Return what a card is called."""
    return tr(kind, "card")


def colour_word(colour: str) -> str:
    """Return the colour of a clan, or the word for the neutral one."""
    return tr(colour, "clan colour")


def to_write(word: str) -> Phrase:
    """Return what a player may write, in quotes: ``"agree"``."""
    return phrase_by(glued(f'"{word}"'), partial(_to_write, word))


def _to_write(word: str) -> str:
    return glued(f'"{tr(word, "to write")}"')


def facts() -> tuple[str, str, str, str]:
    """Return the labels of a clan's facts: where it is, its tools, what it knows, and its next harvest."""
    on, tools, knows, following = (tr(FACTS[place], "fact of a clan") for place in range(len(FACTS)))
    return on, tools, knows, following


def counted(number: int, what: str) -> str:
    """Return a number of things: ``1 berry``, ``3 fish``, ``2 members``."""
    return plural(number, *_COUNTED[what])


def who(state: GameState, colour: str) -> str:
    """Return a clan as the texts name it: ``Ann (red)``, or ``the neutral clan``."""
    return tr("the neutral clan") if colour == NEUTRAL else glued(seat_text(state.clan(colour).player, colour))


def seat_text(name: str, colour: str) -> str:
    """Return a player as the texts name one: ``Ann (red)``."""
    return f"{name} ({colour_word(colour)})"


def clans_text(state: GameState, colours: Iterable[str], word: str = "and") -> str:
    """Return a list of clans: ``Ann (red) and Bob (blue)``."""
    return listed((who(state, colour) for colour in colours), word)


def stance(state: GameState, clan: Clan) -> str:
    """Return whether the clan's player has left the game or agrees to end it, in words; empty for all others."""
    if clan.resigned:
        return tr("resigned", "a clan")
    return tr("agrees to end the game") if clan.colour in state.agreed else ""


def own_set_lines(digits: str) -> tuple[str, ...]:
    """Return the line that names a component set by the first *digits* of its digest; none for the built-in set."""
    return (tr("This game uses its own component set, {digits}.").format(digits=digits),) if digits else ()


def about_clans(state: GameState) -> Iterator[str]:
    """Yield what only some games have to explain: hidden food, and the neutral clan."""
    if state.options.hide_food:
        yield tr("The food of a clan that owns Fire is hidden from all others until the game is over.")
    if state.two_players:
        yield tr(
            "The neutral clan belongs to nobody. It takes up space, and neither eats nor wins. Before every phase 3 it"
            " grows to the size of the first clan in player order."
        )


def card_text(card: Card) -> str:
    """Return a card as the texts name it: ``#12 field``."""
    return glued(f"#{card.number} {kind_word(card.kind)}")


def numbered(state: GameState, number: int) -> str:
    """Return the card of that number as the texts name it."""
    return card_text(state.components.cards[number])


def table_text(table: tuple[tuple[int, int], ...]) -> str:
    """Return a tool's table, how many tokens it takes of how many: ``1-3:1 4-6:2 7+:3``."""
    return " ".join(f"{tokens}:{taken}" for tokens, taken in _ranges(table))


def _ranges(table: tuple[tuple[int, int], ...]) -> Iterator[tuple[str, int]]:
    ends = [least - 1 for least, _ in table[1:]]
    for (least, taken), end in zip(table, ends, strict=False):
        yield (f"{least}{HYPHEN}{end}" if end > least else f"{least}"), taken
    for least, taken in table[-1:]:
        yield f"{least}+", taken


def use_text(components: ComponentSet, card: Card) -> str:
    """Return what a card does: its table, its crops, or the effect of the knowledge."""
    if card.food:
        return f"{food_word(card.food)} {table_text(card.harvest)}"
    if card.is_tool:
        return counted(card.crops, "crops")
    if card.kind == "plow":
        return tr("+{crops} for each field").format(crops=counted(components.plow_bonus, "crops"))
    return tr(_USES[card.kind])


def tile_text(state: GameState, letter: str) -> str:
    """Return a landscape tile as the texts name it: ``tile C (bears, berries)``."""
    first, second = map(food_word, state.components.tiles[letter].hunting_areas)
    return glued(tr("tile {letter} ({first}, {second})").format(letter=letter, first=first, second=second))


def harvest_text(crops: int, tokens: tuple[tuple[str, int], ...], worth: int) -> str:
    """Return a harvest with its worth in food: ``2 berries + 1 crop = 5``, or ``nothing``."""
    parts = [counted(number, food) for food, number in tokens]
    if crops:
        parts.append(counted(crops, "crops"))
    return glued(f"{' + '.join(parts)} = {worth}") if parts else tr("nothing", "a harvest")


def tokens_text(tokens: tuple[tuple[str, int], ...]) -> str:
    """Return a list of tokens: ``2 berries and 1 fish``."""
    return listed(glued(counted(number, food)) for food, number in tokens if number)


def area_text(state: GameState, clan: Clan, space: str) -> str:
    """Return the hunting area of a space, and whether it is new to the clan: ``fish, new``."""
    food = state.board.foods[space[:2]]
    known = any(member[:2] == space[:2] for member in clan.members)
    return food_word(food) if known else tr("{food}, new").format(food=food_word(food))

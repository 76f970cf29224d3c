"""What an order is about, in people's own words: the cards, the spaces and the cells that a line names."""

import re
from collections.abc import Iterable, Sequence

from pbem.club.reading.vocabulary import CELL, MEMBERS, NOISE, NUMBERS, SPACE
from pbem.first_sparks.phases import Dropping, Laying, Offering
from pbem.first_sparks.state import GameState


def arguments(word: str, words: Sequence[str], state: GameState | None) -> tuple[tuple[str, ...], list[str]]:
    """Return the arguments of an order in the order language, and the words that are left over."""
    if word in ("offer", "drop"):
        numbers, kinds, unread = cards(words, state)
        pool = _pool(state)
        kind = tuple(number for number in pool if state and state.components.cards[number].kind in kinds)
        if numbers and kinds and not set(numbers) <= set(kind):
            return (), unread
        return tuple(map(str, numbers or kind)), unread
    if word == "lay":
        return _cells(words, state)
    spaces: list[str] = []
    left: list[str] = []
    for text in words:
        if re.fullmatch(SPACE, text):
            spaces.append(text[0].upper() + text[1:])
        elif not (re.fullmatch(NOISE, text) or re.fullmatch(MEMBERS, text)):
            left.append(text)
    return tuple(dict.fromkeys(spaces)), left


def _pool(state: GameState | None) -> tuple[int, ...]:
    """Return the cards that the question is about."""
    if state is not None and isinstance(state.phase, Offering):
        return state.market.current
    if state is not None and isinstance(state.phase, Dropping):
        return tuple(card.number for card in state.clan(state.phase.clan).tools)
    return ()


def cards(words: Iterable[str], state: GameState | None) -> tuple[tuple[int, ...], tuple[str, ...], list[str]]:
    """Return the numbers and the kinds of cards that are named, and the words that are left over."""
    every: set[str] = {card.kind for card in state.components.cards.values()} if state else set()
    numbers: list[int] = []
    kinds: list[str] = []
    left: list[str] = []
    for text in words:
        number = text.lstrip("#")
        if number.isdigit() and number.isascii() and len(number) <= 3:
            numbers.append(int(number))
        elif number in NUMBERS:
            numbers.append(NUMBERS[number])
        elif text in every or text.removesuffix("s") in every:
            kinds.append(text if text in every else text.removesuffix("s"))
        elif left or not re.fullmatch(NOISE, text):
            left.append(text)
    return tuple(dict.fromkeys(numbers)), tuple(dict.fromkeys(kinds)), left


def _cells(words: Sequence[str], state: GameState | None) -> tuple[tuple[str, ...], list[str]]:
    """Return the two cells of a tile, even if each is named with its hex: ``C1 on M13, C2 on N13``."""
    cells = [text for text in words if re.fullmatch(CELL, text)]
    tile = state.phase.tile.lower() if state is not None and isinstance(state.phase, Laying) else ""
    noise = {*cells, "tile", "hex", tile}
    left = [text for text in words if text not in noise and not re.fullmatch(NOISE, text)]
    if len(cells) == 4 and {cells[0], cells[2]} == {f"{tile}1", f"{tile}2"}:
        named = {cells[0]: cells[1], cells[2]: cells[3]}
        cells = [named[f"{tile}1"], named[f"{tile}2"]]
    return (tuple(cell.upper() for cell in cells) if len(cells) == 2 else ()), left

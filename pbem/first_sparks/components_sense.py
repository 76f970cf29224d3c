"""Whether a custom component set makes sense, beyond its shape."""

from collections.abc import Iterator
from typing import Final

from pbem.errors import Violation
from pbem.first_sparks.components import ComponentSet, RecommendedBoard
from pbem.first_sparks.land.board import lay_out, occupied, places
from pbem.first_sparks.rules.preparation import TOP_OF_SIX, tile_pool, tiles_in_play
from pbem.first_sparks.rules.two_players import REMOVED_CARDS
from pbem.grammar import plural

_MARKET: Final = range(7, 15)
# The market, the cards removed unseen, and as many again to draw from.
_LEAST_CARDS: Final = 28
_POOL: Final = {2: 4, 4: 5, 5: 6}


def senseless(components: ComponentSet) -> Iterator[Violation]:
    """Yield everything in the set that makes no sense: cards, tables, tiles, recommended boards.

    The spaces of a tile are always next to each other and need no check: a split
    only assigns the edges, and the three spaces of a hex meet in its middle.
    """
    yield from _cards(components)
    letters = [row["letter"] for row in components.source["tiles"]]
    twice = sorted({letter for letter in letters if letters.count(letter) > 1})
    if twice:
        why = plural(
            len(twice), "tiles: the letter {letters} is not unique", "tiles: the letters {letters} are not unique"
        )
        yield Violation("components", why.format(letters=" ".join(twice)))
    for players, least in _POOL.items():
        pool = len(tile_pool(components, players))
        if pool < least:
            yield Violation("components", f"tiles: {players} players need {least}, not {pool}")
    for number, recommended in components.boards.items():
        yield from _board(number, recommended)


def _cards(components: ComponentSet) -> Iterator[Violation]:
    numbers = [row["number"] for row in components.source["cards"]]
    twice = sorted({number for number in numbers if numbers.count(number) > 1})
    if twice:
        why = plural(len(twice), "cards: the number {cards} is not unique", "cards: the numbers {cards} are not unique")
        yield Violation("components", why.format(cards=_listed(twice)))
    herbs = sorted(card.number for card in components.cards.values() if card.kind == "herbs")
    if not herbs:
        yield Violation("components", "cards: the six Herbs, 1 to 6, are missing")
    elif herbs != [1, 2, 3, 4, 5, 6]:
        yield Violation("components", f"cards: the six Herbs must be 1 to 6, not {_listed(herbs)}")
    missing = sorted({*_MARKET, TOP_OF_SIX, *REMOVED_CARDS} - set(numbers))
    if missing:
        why = plural(
            len(missing),
            "cards: {cards} is missing, which the rulebook's set-up needs",
            "cards: {cards} are missing, which the rulebook's set-up needs",
        )
        yield Violation("components", why.format(cards=_listed(missing)))
    market = len(numbers) - len(herbs)
    if market < _LEAST_CARDS:
        yield Violation("components", f"cards: at least {_LEAST_CARDS} are needed besides the Herbs, not {market}")
    for card in components.cards.values():
        for (least, taken), (next_least, next_taken) in zip(card.harvest, card.harvest[1:], strict=False):
            if next_least <= least or next_taken <= taken:
                yield Violation("components", f"card {card.number}: the harvest table is not ascending")


def _board(number: int, recommended: RecommendedBoard) -> Iterator[Violation]:
    where = f"boards.{number}"
    tiles = recommended.tiles
    if len(tiles) != number or len({laid.tile.letter for laid in tiles}) != number:
        yield Violation("components", f"{where}: it must have {number} different tiles")
    fewest = min(players for players in range(2, 7) if tiles_in_play(players) == number)
    for tile in (laid.tile for laid in tiles if laid.tile.min_players > fewest):
        yield Violation(
            "components", f"{where}: tile {tile.letter} is only used with {tile.min_players} or more players"
        )
    if len(occupied(tiles)) < 2 * len(tiles):
        yield Violation("components", f"{where}: two tiles overlap")
        return
    for place, laid in enumerate(tiles):
        if lay_out(tiles[:place]).tiles_touched(*places(laid)) < min(place, 2):
            yield Violation("components", f"{where}: tile {laid.tile.letter} does not touch enough earlier tiles")
    board = lay_out(tiles)
    start = recommended.start
    if len(start) != number or not set(board.spaces).issuperset(start) or len({space[:2] for space in start}) != number:
        yield Violation(
            "components",
            f"{where}: it must have {number} starting spaces, each next to a different hunting area",
        )


def _listed(numbers: list[int]) -> str:
    return " ".join(map(str, numbers))

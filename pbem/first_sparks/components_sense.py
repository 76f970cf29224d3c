"""Whether somebody's own component set makes sense, beyond its shape."""

from collections.abc import Iterator
from typing import Final

from pbem.errors import Violation
from pbem.first_sparks.board import lay_out, occupied, places
from pbem.first_sparks.components import ComponentSet, RecommendedBoard
from pbem.first_sparks.rules.preparation import TOP_OF_SIX, tile_pool, tiles_in_play
from pbem.first_sparks.rules.two_players import REMOVED_CARDS

_MARKET: Final = range(7, 15)
# The market, the cards removed unseen, and as many again so that there is something to draw.
_LEAST_CARDS: Final = 28
_POOL: Final = {2: 4, 4: 5, 5: 6}


def senseless(components: ComponentSet) -> Iterator[Violation]:
    """Yield everything in the set that makes no sense: cards, tables, tiles, recommended boards.

    That the spaces of a tile are next to each other needs no check: a split says
    who owns which edge, and the three spaces of a hex always meet in its middle.
    """
    yield from _cards(components)
    letters = [row["letter"] for row in components.source["tiles"]]
    twice = sorted({letter for letter in letters if letters.count(letter) > 1})
    if twice:
        yield Violation("components", f"tiles: letter {' '.join(twice)} occurs twice")
    for players, least in _POOL.items():
        pool = len(tile_pool(components, players))
        if pool < least:
            yield Violation("components", f"tiles: {pool} can be used with {players} players, {least} are needed")
    for number, recommended in components.boards.items():
        yield from _board(number, recommended)


def _cards(components: ComponentSet) -> Iterator[Violation]:
    numbers = [row["number"] for row in components.source["cards"]]
    twice = sorted({number for number in numbers if numbers.count(number) > 1})
    if twice:
        yield Violation("components", f"cards: number {_listed(twice)} occurs twice")
    herbs = sorted(card.number for card in components.cards.values() if card.kind == "herbs")
    if herbs != [1, 2, 3, 4, 5, 6]:
        yield Violation("components", f"cards: the six Herbs are 1 to 6, here they are {_listed(herbs) or 'missing'}")
    missing = sorted({*_MARKET, TOP_OF_SIX, *REMOVED_CARDS} - set(numbers))
    if missing:
        yield Violation("components", f"cards: {_listed(missing)} is missing, and the set-up of the rulebook names it")
    market = len(numbers) - len(herbs)
    if market < _LEAST_CARDS:
        yield Violation("components", f"cards: {market} besides the Herbs are too few, {_LEAST_CARDS} are needed")
    for card in components.cards.values():
        for (least, taken), (next_least, next_taken) in zip(card.harvest, card.harvest[1:], strict=False):
            if next_least <= least or next_taken <= taken:
                yield Violation("components", f"card {card.number}: the harvest table is not ascending")


def _board(number: int, recommended: RecommendedBoard) -> Iterator[Violation]:
    where = f"boards.{number}"
    tiles = recommended.tiles
    if len(tiles) != number or len({laid.tile.letter for laid in tiles}) != number:
        yield Violation("components", f"{where}: it has not {number} different tiles")
    fewest = min(players for players in range(2, 7) if tiles_in_play(players) == number)
    for tile in (laid.tile for laid in tiles if laid.tile.min_players > fewest):
        yield Violation(
            "components", f"{where}: tile {tile.letter} is in the pool only from {tile.min_players} players on"
        )
    if len(occupied(tiles)) < 2 * len(tiles):
        yield Violation("components", f"{where}: two tiles lie on each other")
        return
    for place, laid in enumerate(tiles):
        if lay_out(tiles[:place]).tiles_touched(*places(laid)) < min(place, 2):
            yield Violation("components", f"{where}: tile {laid.tile.letter} does not touch enough of those before it")
    board = lay_out(tiles)
    start = recommended.start
    if len(start) != number or not set(board.spaces).issuperset(start) or len({space[:2] for space in start}) != number:
        yield Violation(
            "components", f"{where}: the {number} starting spaces are not next to {number} hunting areas of the board"
        )


def _listed(numbers: list[int]) -> str:
    return " ".join(map(str, numbers))

"""The board: which spaces are next to each other, and the mountains between them. Questions only.

Each space has a name (``A1a``), and a bit, ascending in the order of names, so that a set of spaces is a number:
``land.groups`` reckons so. ``land.hexes`` says where hexes are, and which spaces meet.
"""

from functools import cached_property, lru_cache

from pbem.first_sparks.components import FOODS, Food, LaidTile
from pbem.first_sparks.land.hexes import (
    DIRECTIONS,
    Hex,
    Hexagon,
    bits_near,
    borders_between,
    cell_name,
    cell_place,
    hexagons,
    hexes_around,
    mountains_shown,
    next_to,
    occupied,
    places,
    reading_order,
    rotation_of,
)

__all__ = [
    "DIRECTIONS",
    "Board",
    "Hex",
    "Hexagon",
    "cell_name",
    "cell_place",
    "hexes_around",
    "lay_out",
    "mountains_shown",
    "next_to",
    "occupied",
    "places",
    "reading_order",
    "rotation_of",
]


class Board:
    """The tiles laid so far. Everything else follows from them, and is computed on first use."""

    def __init__(self, tiles: tuple[LaidTile, ...]) -> None:
        self.tiles = tiles

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Board) and self.tiles == other.tiles

    def __hash__(self) -> int:
        return hash(self.tiles)

    def __repr__(self) -> str:
        laid = {tile.tile.letter: [*map(cell_name, places(tile))] for tile in self.tiles}
        return f"<Board: {laid}>"

    @cached_property
    def hexes(self) -> tuple[Hexagon, ...]:
        """The hexes of the tiles, in the order of laying."""
        return tuple([hexagon for laid in self.tiles for hexagon in hexagons(laid)])

    @cached_property
    def foods(self) -> dict[str, Food]:
        """The food of every hunting area, by its name."""
        return {hexagon.name: hexagon.food for hexagon in self.hexes}

    @cached_property
    def borders(self) -> dict[str, dict[str, int]]:
        """For every space, in the order of names, the spaces next to it with the mountains between (0 or 1)."""
        return borders_between(self.hexes, self.tiles)

    @cached_property
    def neighbours(self) -> dict[str, tuple[tuple[str, int], ...]]:
        """The same, but with the spaces next to it in the order of names too."""
        return {space: tuple(sorted(borders.items())) for space, borders in self.borders.items()}

    @cached_property
    def spaces(self) -> tuple[str, ...]:
        """Every space, in the order of names."""
        return tuple(self.borders)

    @cached_property
    def bit(self) -> dict[str, int]:
        """The bit of every space, in the order of names."""
        return {space: 1 << place for place, space in enumerate(self.spaces)}

    @cached_property
    def named(self) -> dict[int, str]:
        """The space of every bit."""
        return {bit: space for space, bit in self.bit.items()}

    @cached_property
    def near(self) -> dict[int, int]:
        """For the bit of every space, the spaces next to it."""
        return bits_near(self.borders, self.bit, over=True)

    @cached_property
    def level(self) -> dict[int, int]:
        """For the bit of every space, the spaces next to it without a mountain between."""
        return bits_near(self.borders, self.bit, over=False)

    @cached_property
    def area(self) -> dict[str, int]:
        """The spaces of every hunting area, by its name."""
        return {area: sum([self.bit[f"{area}{letter}"] for letter in "abc"]) for area in self.foods}

    @cached_property
    def areas_of(self) -> dict[Food, tuple[int, ...]]:
        """For every food, the spaces of each of its hunting areas."""
        return {food: tuple([self.area[name] for name, there in self.foods.items() if there == food]) for food in FOODS}

    @cached_property
    def covered(self) -> frozenset[Hex]:
        """The hexes on which tiles lie."""
        return frozenset(occupied(self.tiles))

    @cached_property
    def touching(self) -> dict[Hex, int]:
        """For every hex that shares an edge with tiles, these tiles as bits."""
        found: dict[Hex, int] = {}
        for number, laid in enumerate(self.tiles):
            for place in places(laid):
                for there in hexes_around(place):
                    found[there] = found.get(there, 0) | 1 << number
        return found

    def tiles_touched(self, first: Hex, second: Hex) -> int:
        """Return how many tiles share an edge with a tile on these two hexes."""
        touching = self.touching
        return (touching.get(first, 0) | touching.get(second, 0)).bit_count()

    @cached_property
    def areas(self) -> tuple[int, ...]:
        """The number of hunting areas of every food, in the order of ``FOODS``."""
        return tuple([len(self.areas_of[food]) for food in FOODS])


@lru_cache(maxsize=64)
def lay_out(tiles: tuple[LaidTile, ...]) -> Board:
    """Return the board with the laid *tiles*."""
    return Board(tiles)

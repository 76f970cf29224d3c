"""The board: which spaces are next to each other, and the mountains between them. Questions only.

Hexes stand on a point, in axial coordinates (q, r); direction 0 is east, and
directions count counter-clockwise. A space is named by tile, hex and letter: ``A1a``.

Each space also has a bit, ascending in the order of names, so that a set of spaces is a number: ``groups`` reckons so.
"""

from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from operator import itemgetter
from typing import Final, NamedTuple

from pbem.first_sparks.components import FOODS, Food, LaidTile

DIRECTIONS: Final = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))
# A board of six tiles reaches at most eleven hexes from its first, so no cell falls off the letters or below row 1.
_MIDDLE_COLUMN: Final = ord("M")
_MIDDLE_ROW: Final = 13
# The spaces of a hex, by split: who owns the edges 0 to 5 of the tile's own frame.
_OWNERS: Final = ("aabbcc", "caabbc")

Hex = tuple[int, int]
# Sorts hexes in the order of their cells: by rows, from the left.
reading_order: Final = itemgetter(1, 0)


class Hexagon(NamedTuple):
    """One hex on the board: its name (``A1``), its place, its food, and the space at each of its six sides."""

    name: str
    place: Hex
    food: Food
    sides: tuple[str, ...]


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
        return tuple(hexagon for laid in self.tiles for hexagon in _hexagons(laid))

    @cached_property
    def foods(self) -> dict[str, Food]:
        """The food of every hunting area, by its name."""
        return {hexagon.name: hexagon.food for hexagon in self.hexes}

    @cached_property
    def borders(self) -> dict[str, dict[str, int]]:
        """For every space, in the order of names, the spaces next to it with the mountains between (0 or 1)."""
        return _borders(self)

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
        bit = self.bit
        return {bit[space]: sum([bit[there] for there in borders]) for space, borders in self.borders.items()}

    @cached_property
    def level(self) -> dict[int, int]:
        """For the bit of every space, the spaces next to it without a mountain between."""
        bit = self.bit
        return {
            bit[space]: sum([bit[there] for there, mountain in borders.items() if not mountain])
            for space, borders in self.borders.items()
        }

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


@lru_cache(maxsize=1024)
def cell_name(place: Hex) -> str:
    """Return the name of a cell of the drawn map, a column letter and a row number; the first tile is on M13 N13."""
    q, r = place
    return f"{chr(_MIDDLE_COLUMN + q + (r - (r & 1)) // 2)}{_MIDDLE_ROW + r}"


def cell_place(name: str) -> Hex:
    """Return the axial coordinates of the cell of that name, the inverse of ``cell_name``."""
    r = int(name[1:]) - _MIDDLE_ROW
    return ord(name[0]) - _MIDDLE_COLUMN - (r - (r & 1)) // 2, r


def next_to(place: Hex, direction: int) -> Hex:
    """Return the hex that touches *place* in *direction*."""
    q, r = DIRECTIONS[direction % 6]
    return place[0] + q, place[1] + r


@lru_cache(maxsize=1024)
def hexes_around(place: Hex) -> tuple[Hex, ...]:
    """Return the six hexes that touch *place*, in the order of their cells."""
    return tuple(sorted((next_to(place, direction) for direction in range(6)), key=reading_order))


def rotation_of(first: Hex, second: Hex) -> int | None:
    """Return the direction in which *second* touches *first*, None if it does not."""
    away = (second[0] - first[0], second[1] - first[1])
    return DIRECTIONS.index(away) if away in DIRECTIONS else None


def places(laid: LaidTile) -> tuple[Hex, Hex]:
    """Return where hex 1 and hex 2 of the tile lie."""
    first = (laid.q, laid.r)
    return first, next_to(first, laid.rotation)


def occupied(tiles: Iterable[LaidTile]) -> set[Hex]:
    """Return the hexes that the tiles cover."""
    return {place for laid in tiles for place in places(laid)}


@lru_cache(maxsize=64)
def lay_out(tiles: tuple[LaidTile, ...]) -> Board:
    """Return the board with the laid *tiles*."""
    return Board(tiles)


def _borders(board: Board) -> dict[str, dict[str, int]]:
    """Return the spaces next to every space.

    Spaces are adjacent across the three inner borders of their hex and across a
    shared hex edge; there is a mountain on a border if either side shows one.
    """
    by_place = {hexagon.place: hexagon for hexagon in board.hexes}
    shown = {border for laid in board.tiles for border in mountains_shown(laid)}
    borders: dict[str, dict[str, int]] = {}
    for name, _, _, _ in sorted(board.hexes):
        a, b, c = name + "a", name + "b", name + "c"
        borders |= {a: {b: 0, c: 0}, b: {a: 0, c: 0}, c: {a: 0, b: 0}}
    for name, (q, r), _, sides in board.hexes:
        for direction, (away_q, away_r) in enumerate(DIRECTIONS[:3]):
            beyond = by_place.get((q + away_q, r + away_r))
            if beyond is not None:
                here, there = sides[direction], beyond.sides[direction + 3]
                mountain = (name, direction) in shown or (beyond.name, direction + 3) in shown
                borders[here][there] = borders[there][here] = int(mountain)
    for one, other in shown:
        if isinstance(other, str):
            borders[one][other] = borders[other][one] = 1
    return borders


def _hexagons(laid: LaidTile) -> Iterator[Hexagon]:
    """Yield the two hexes of a laid tile, with their sides turned like the tile."""
    tile = laid.tile
    for index, place in enumerate(places(laid)):
        name = f"{tile.letter}{index + 1}"
        owners = _OWNERS[tile.split[index]]
        turned = owners[6 - laid.rotation :] + owners[: 6 - laid.rotation]
        sides = tuple([name + letter for letter in turned])
        yield Hexagon(name, place, tile.hunting_areas[index], sides)


def mountains_shown(laid: LaidTile) -> Iterator[tuple[str, str] | tuple[str, int]]:
    """Yield the borders on which the tile shows a mountain: two spaces of a hex, or a hex and a direction."""
    for mountain in laid.tile.mountains:
        name = laid.tile.letter + mountain[0]
        if mountain[2] == "e":
            yield name, (int(mountain[3]) + laid.rotation) % 6
        else:
            yield name + mountain[2], name + mountain[3]

"""The hexes of laid tiles: where they are, and which of their spaces meet.

Hexes stand on a point, in axial coordinates (q, r); direction 0 is east, and
directions count counter-clockwise. A space is named by tile, hex and letter: ``A1a``.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from operator import itemgetter
from typing import Final, NamedTuple

from pbem.first_sparks.components import Food, LaidTile

DIRECTIONS: Final = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))
# A board of six tiles reaches at most eleven hexes from its first, so no cell falls off the letters or below row 1.
_MIDDLE_COLUMN: Final = ord("M")
_MIDDLE_ROW: Final = 13
# The space at each of the edges 0 to 5 of a hex, in the tile's own frame; one text for each way to split it.
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


def borders_between(hexes: tuple[Hexagon, ...], tiles: tuple[LaidTile, ...]) -> dict[str, dict[str, int]]:
    """Return the spaces next to every space.

    Spaces are adjacent across the three inner borders of their hex and across a
    shared hex edge; there is a mountain on a border if either side shows one.
    """
    by_place = {hexagon.place: hexagon for hexagon in hexes}
    shown = {border for laid in tiles for border in mountains_shown(laid)}
    borders: dict[str, dict[str, int]] = {}
    for name, _, _, _ in sorted(hexes):
        a, b, c = name + "a", name + "b", name + "c"
        borders |= {a: {b: 0, c: 0}, b: {a: 0, c: 0}, c: {a: 0, b: 0}}
    for name, (q, r), _, sides in hexes:
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


def bits_near(borders: dict[str, dict[str, int]], bit: dict[str, int], *, over: bool) -> dict[int, int]:
    """Return for the bit of every space the spaces next to it, those *over* a mountain too or not."""
    found: dict[int, int] = {}
    for space, beside in borders.items():
        near = 0
        for there, mountain in beside.items():
            if over or not mountain:
                near |= bit[there]
        found[bit[space]] = near
    return found


def hexagons(laid: LaidTile) -> tuple[Hexagon, ...]:
    """Return the two hexes of a laid tile, with their sides turned like the tile."""
    tile = laid.tile
    found: list[Hexagon] = []
    for index, place in enumerate(places(laid)):
        name = f"{tile.letter}{index + 1}"
        owners = _OWNERS[tile.split[index]]
        turned = owners[6 - laid.rotation :] + owners[: 6 - laid.rotation]
        sides = tuple([name + letter for letter in turned])
        found.append(Hexagon(name, place, tile.hunting_areas[index], sides))
    return tuple(found)


def mountains_shown(laid: LaidTile) -> Iterator[tuple[str, str] | tuple[str, int]]:
    """Yield the borders on which the tile shows a mountain: two spaces of a hex, or a hex and a direction."""
    for mountain in laid.tile.mountains:
        name = laid.tile.letter + mountain[0]
        if mountain[2] == "e":
            yield name, (int(mountain[3]) + laid.rotation) % 6
        else:
            yield name + mountain[2], name + mountain[3]

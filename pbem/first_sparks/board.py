"""The board: which spaces lie next to each other, which mountains lie between. Questions only.

Hexes stand on a point, in axial coordinates (q, r); direction 0 is east and they
count counter-clockwise. A space is named by tile, hex and letter: ``A1a``.
"""

from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from pbem.first_sparks.components import Food, LaidTile

DIRECTIONS: Final = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))
# A board of six tiles reaches at most eleven hexes from its first, so no cell falls off the letters or below row 1.
_MIDDLE_COLUMN: Final = ord("M")
_MIDDLE_ROW: Final = 13
# The spaces of a hex, by split: who owns the edges 0 to 5 of the tile's own frame.
_OWNERS: Final = ("aabbcc", "caabbc")

Hex = tuple[int, int]


class Hexagon(NamedTuple):
    """One hex on the board: its name (``A1``), its place, its food, and the space at each of its six sides."""

    name: str
    place: Hex
    food: Food
    sides: tuple[str, ...]


class Board(NamedTuple):
    """The tiles laid so far, and what follows from them.

    ``neighbours`` lists, for every space in the order of names, the spaces next
    to it with the mountains on that border (0 or 1). ``touching`` names, for
    every hex on the board or next to it, the tiles with which it shares an edge;
    ``covered`` are the hexes on which tiles lie.
    """

    tiles: tuple[LaidTile, ...]
    hexes: tuple[Hexagon, ...]
    neighbours: dict[str, tuple[tuple[str, int], ...]]
    foods: dict[str, Food]
    touching: dict[Hex, frozenset[str]]
    covered: frozenset[Hex]

    @property
    def spaces(self) -> tuple[str, ...]:
        """Every space, in the order of names."""
        return tuple(self.neighbours)

    def areas(self, food: Food) -> int:
        """Return the number of hunting areas of *food* on the board."""
        return sum(hexagon.food == food for hexagon in self.hexes)


def cell_name(place: Hex) -> str:
    """Return the name of a cell of the drawn map: a column letter and a row number, the first tile at M13 N13."""
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


def rotation_of(first: Hex, second: Hex) -> int | None:
    """Return the direction in which *second* touches *first*, None if it does not."""
    away = (second[0] - first[0], second[1] - first[1])
    return DIRECTIONS.index(away) if away in DIRECTIONS else None


def places(laid: LaidTile) -> tuple[Hex, Hex]:
    """Return where hex 1 and hex 2 of the tile lie."""
    first = (laid.q, laid.r)
    return first, next_to(first, laid.rotation)


def tiles_touched(tiles: Iterable[LaidTile], laid: LaidTile) -> int:
    """Return how many of *tiles* share a hex edge with *laid*."""
    around = {next_to(place, direction) for place in places(laid) for direction in range(6)}
    return sum(not around.isdisjoint(places(other)) for other in tiles)


def occupied(tiles: Iterable[LaidTile]) -> set[Hex]:
    """Return the hexes that the tiles cover."""
    return {place for laid in tiles for place in places(laid)}


@lru_cache(maxsize=64)
def lay_out(tiles: tuple[LaidTile, ...]) -> Board:
    """Return the board that the laid *tiles* make.

    Spaces are adjacent across the three inner borders of their hex and across a
    common hex edge; a mountain stands on a border if either side shows one.
    """
    hexes = tuple(hexagon for laid in tiles for hexagon in _hexagons(laid))
    mountains = {border for laid in tiles for border in mountains_shown(laid)}
    by_place = {hexagon.place: hexagon for hexagon in hexes}
    borders: dict[str, dict[str, int]] = {f"{hexagon.name}{letter}": {} for hexagon in hexes for letter in "abc"}
    for hexagon in hexes:
        for one, other in ("ab", "bc", "ca"):
            here, there = hexagon.name + one, hexagon.name + other
            borders[here][there] = borders[there][here] = int((here, there) in mountains or (there, here) in mountains)
        for direction, here in enumerate(hexagon.sides):
            neighbour = by_place.get(next_to(hexagon.place, direction))
            if neighbour is not None:
                there = neighbour.sides[(direction + 3) % 6]
                crossed = {(hexagon.name, direction), (neighbour.name, (direction + 3) % 6)}
                borders[here][there] = int(not mountains.isdisjoint(crossed))
    return Board(
        tiles,
        hexes,
        {space: tuple(sorted(borders[space].items())) for space in sorted(borders)},
        {hexagon.name: hexagon.food for hexagon in hexes},
        _touching(tiles),
        frozenset(occupied(tiles)),
    )


def _touching(tiles: tuple[LaidTile, ...]) -> dict[Hex, frozenset[str]]:
    found: dict[Hex, set[str]] = {}
    for laid in tiles:
        for place in places(laid):
            found.setdefault(place, set())
            for direction in range(6):
                found.setdefault(next_to(place, direction), set()).add(laid.tile.letter)
    return {place: frozenset(letters) for place, letters in found.items()}


def _hexagons(laid: LaidTile) -> Iterator[Hexagon]:
    """Yield the two hexes of a laid tile, their sides turned with it."""
    tile = laid.tile
    for index, place in enumerate(places(laid)):
        name = f"{tile.letter}{index + 1}"
        owners = _OWNERS[tile.split[index]]
        sides = tuple(name + owners[(direction - laid.rotation) % 6] for direction in range(6))
        yield Hexagon(name, place, tile.hunting_areas[index], sides)


def mountains_shown(laid: LaidTile) -> Iterator[tuple[str, str] | tuple[str, int]]:
    """Yield the borders on which the tile shows a mountain: two spaces of a hex, or a hex and a direction."""
    for mountain in laid.tile.mountains:
        name = laid.tile.letter + mountain[0]
        if mountain[2] == "e":
            yield name, (int(mountain[3]) + laid.rotation) % 6
        else:
            yield name + mountain[2], name + mountain[3]


def areas_touched(board: Board, members: Iterable[str], food: Food) -> int:
    """Return how many hunting areas of *food* the members stand next to; two at one area count once."""
    return sum(board.foods[area] == food for area in {space[:2] for space in members})


def is_one_group(board: Board, members: Collection[str]) -> bool:
    """Return whether the members stand on spaces that form one connected group; nobody is one group too."""
    if not members:
        return True
    left = set(members)
    reached = [next(iter(members))]
    left.discard(reached[0])
    while reached:
        for there, _ in board.neighbours[reached.pop()]:
            if there in left:
                left.discard(there)
                reached.append(there)
    return not left


def mountains_crossed(board: Board, members: Collection[str], new: Collection[str]) -> int | None:
    """Return the fewest mountains on the way of the *new* members to the clan; None where there is no way.

    The order of placing is free, so who can come without a mountain comes first.
    """
    if len(new) == 1:  # by far the most often asked
        (space,) = new
        return min((mountain for there, mountain in board.neighbours[space] if there in members), default=None)
    joined = set(members)
    left = set(new)
    crossed = 0
    while left:
        for mountain in (0, 1):
            nearest = {s for s in left if any(t in joined and m <= mountain for t, m in board.neighbours[s])}
            if nearest:
                break
        else:
            return None
        if mountain:
            nearest = {min(nearest)}
            crossed += 1
        joined |= nearest
        left -= nearest
    return crossed

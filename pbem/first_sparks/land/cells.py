"""Cells of the map: where a tile can lie. Questions only.

Here a set of cells is a number with a bit for each cell, row by row, so that all of them move one cell on at once.
"""

from functools import lru_cache
from typing import Final

from pbem.first_sparks.land.board import Board, Hex, cell_name, places
from pbem.first_sparks.moves import Lay

# The map is wider and higher than any board with the cells around it, so that no cell comes off it on the other side.
_WIDTH: Final = 32
_MIDDLE: Final = 16
# How far away the cells next to one are, in the order of cells.
_AROUND: Final = (-_WIDTH, 1 - _WIDTH, -1, 1, _WIDTH - 1, _WIDTH)


def ways_to_lay(board: Board, *, two: bool) -> list[Lay]:
    """Return every free pair of adjacent cells that touches a tile, or *two*, in the order of cells."""
    tiles = [_bit(first) | _bit(second) for first, second in map(places, board.tiles)]
    covered = 0
    for tile in tiles:
        covered |= tile
    touching = [_beside(tile) & ~covered for tile in tiles]
    touched = several = 0
    for near in touching:
        several |= touched & near
        touched |= near
    enough = several if two else touched
    pairs: list[int] = []
    for away in _AROUND:
        # One of the two cells touches enough, or they touch different tiles.
        firsts = enough | _moved(enough, -away)
        if two:
            for near in touching:
                firsts |= near & _moved(touched & ~near, -away)
        firsts &= ~covered & ~_moved(covered, -away)
        while firsts:
            first = firsts & -firsts
            firsts ^= first
            number = first.bit_length() - 1
            pairs.append(number << 10 | number + away)
    pairs.sort()
    return [_lay(pair) for pair in pairs]


def _bit(place: Hex) -> int:
    q, r = place
    return 1 << (r + _MIDDLE) * _WIDTH + q + _MIDDLE


def _moved(cells: int, away: int) -> int:
    return cells << away if away > 0 else cells >> -away


def _beside(cells: int) -> int:
    """Return the cells next to these, and perhaps some of these."""
    found = 0
    for away in _AROUND:
        found |= _moved(cells, away)
    return found


@lru_cache(maxsize=4096)
def _lay(pair: int) -> Lay:
    return Lay(_name(pair >> 10), _name(pair & 1023))


def _name(number: int) -> str:
    row, column = divmod(number, _WIDTH)
    return cell_name((column - _MIDDLE, row - _MIDDLE))

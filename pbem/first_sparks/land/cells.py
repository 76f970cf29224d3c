"""Cells of the map: where a tile can lie. Questions only."""

from pbem.first_sparks.board import Board, Hex, hexes_around, reading_order


def free_pairs(board: Board, *, two: bool) -> list[tuple[Hex, Hex]]:
    """Return every free pair of adjacent hexes that touches a tile, or *two*, in the order of cells."""
    touching: dict[Hex, int] = board.touching
    covered: frozenset[Hex] = board.covered
    near = touching.keys() - covered
    enough = [place for place in near if not two or _are_two(touching[place])]
    pairs: list[tuple[Hex, Hex]] = []
    for first in sorted(near.union(*map(hexes_around, enough)) - covered, key=reading_order):
        tiles = touching.get(first, 0)
        for second in hexes_around(first):
            if second not in covered:
                both = tiles | touching.get(second, 0)
                if _are_two(both) if two else both:
                    pairs.append((first, second))
    return pairs


def _are_two(tiles: int) -> bool:
    """Return whether these bits are more than one."""
    return tiles & (tiles - 1) != 0

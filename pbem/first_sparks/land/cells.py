"""Cells of the map: where a tile can lie. Questions only."""

from pbem.first_sparks.board import Board, Hex, hexes_around, reading_order


def free_pairs(board: Board, touched: int) -> list[tuple[Hex, Hex]]:
    """Return every free pair of adjacent hexes that touches at least *touched* tiles, in the order of cells."""
    touching: dict[Hex, int] = board.touching
    covered: frozenset[Hex] = board.covered
    near = touching.keys() - covered
    enough = [place for place in near if touching[place].bit_count() >= touched]
    pairs: list[tuple[Hex, Hex]] = []
    for first in sorted(near.union(*map(hexes_around, enough)) - covered, key=reading_order):
        tiles = touching.get(first, 0)
        pairs += [
            (first, second)
            for second in hexes_around(first)
            if second not in covered and (tiles | touching.get(second, 0)).bit_count() >= touched
        ]
    return pairs

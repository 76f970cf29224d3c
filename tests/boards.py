"""Boards for tests of what is drawn: random legal ones, and ones with mountains where a test wants them."""

from collections.abc import Collection, Iterator
from random import Random

from builders import the_components

from pbem.first_sparks.components import LaidTile, Tile
from pbem.first_sparks.land.board import Board, Hex, lay_out, next_to, occupied, places

COMPONENTS = the_components()


def around(cells: Collection[Hex]) -> list[Hex]:
    """Return the other cells next to *cells*."""
    return sorted({next_to(cell, direction) for cell in cells for direction in range(6)}.difference(cells))


def legal_places(tiles: tuple[LaidTile, ...], tile: Tile) -> Iterator[LaidTile]:
    """Yield every place for the next tile: it touches the first tile, later two."""
    taken, board = occupied(tiles), lay_out(tiles)
    near = around(taken)
    for q, r in sorted({*near, *around([*taken, *near])}):
        for rotation in range(6):
            laid = LaidTile(tile, q, r, rotation)
            if taken.isdisjoint(places(laid)) and board.tiles_touched(*places(laid)) >= min(2, len(tiles)):
                yield laid


def hexes_wide(board: Board) -> float:
    """Return how many hexes wide the board is."""
    columns = [2 * q + r for q, r in occupied(board.tiles)]
    return (max(columns) - min(columns)) / 2 + 1


def a_board(size: int, seed: int, *, wide: bool = False) -> Board:
    """Return a random legal board, hexes split in both ways; a wide one grows as wide as it can with every tile."""
    random = Random(seed)
    tiles: tuple[LaidTile, ...] = ()
    for letter in random.sample(sorted(COMPONENTS.tiles), size):
        tile = COMPONENTS.tiles[letter]._replace(split=(random.randrange(2), random.randrange(2)))
        choices = list(legal_places(tiles, tile)) if tiles else [LaidTile(tile, 0, 0, random.randrange(6))]
        if wide and tiles:
            widths = [hexes_wide(lay_out((*tiles, laid))) for laid in choices]
            choices = [laid for laid, width in zip(choices, widths, strict=True) if width == max(widths)]
        tiles += (random.choice(choices),)
    return lay_out(tiles)


def borders(board: Board) -> list[tuple[str, str]]:
    """Return every pair of neighbouring spaces once."""
    return [(here, there) for here in board.spaces for there, _ in board.neighbours[here] if here < there]


def with_mountains(board: Board, raised: Collection[tuple[str, str]]) -> Board:
    """Return the board with tiles that show mountains on these borders and nowhere else."""
    shown: dict[str, list[str]] = {}
    for here, there in raised:
        if here[:2] == there[:2]:
            border = "ca" if {here[2], there[2]} == {"c", "a"} else here[2] + there[2]
        else:
            border = f"e{edge_towards(board, here, there)}"
        shown.setdefault(here[0], []).append(f"{here[1]}:{border}")
    return lay_out(
        tuple(
            laid._replace(tile=laid.tile._replace(mountains=tuple(shown.get(laid.tile.letter, ()))))
            for laid in board.tiles
        )
    )


def edge_towards(board: Board, here: str, there: str) -> int:
    """Return the edge of the tile, as it counts them itself, over which one comes from *here* to *there*."""
    by_place = {hexagon.place: hexagon for hexagon in board.hexes}
    (hexagon,) = (hexagon for hexagon in board.hexes if hexagon.name == here[:2])
    (laid,) = (laid for laid in board.tiles if laid.tile.letter == here[0])
    for direction, space in enumerate(hexagon.sides):
        beyond = by_place.get(next_to(hexagon.place, direction))
        if space == here and beyond and beyond.sides[(direction + 3) % 6] == there:
            return (direction - laid.rotation) % 6
    raise AssertionError(f"{here} is not next to {there}")

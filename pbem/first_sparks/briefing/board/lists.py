"""The board as a list of spaces, and a tile as a list of turns: all that the drawings say, without a drawing."""

from collections.abc import Iterator
from typing import Final

from pbem.first_sparks.briefing.board.view import clans_by_space, compass_word, free_cells
from pbem.first_sparks.briefing.words import clans_text, food_word
from pbem.first_sparks.components import LaidTile, Tile
from pbem.first_sparks.land.board import (
    Board,
    Hex,
    cell_name,
    hexes_around,
    lay_out,
    mountains_shown,
    next_to,
    reading_order,
)
from pbem.first_sparks.state import GameState
from pbem.grammar import labelled, listed
from pbem.locale import tr
from pbem.page.glue import glued


def board_items(state: GameState) -> tuple[str, ...]:
    """Return an item for every space, with who stands there and what lies next to it, and for mountains at the edge.

    If a tile is to be laid, also where the tiles lie, and an item for each cell that it can cover.
    """
    return (*_spaces(state), *_outer_mountains(state.board), *_cells(state.board, free_cells(state)))


def _spaces(state: GameState) -> Iterator[str]:
    board, clans = state.board, clans_by_space(state)
    for space, around in board.neighbours.items():
        standing = clans_text(state, clans[space]) if space in clans else tr("nobody", "on a space")
        near = [there for there, mountain in around if not mountain]
        far = [there for there, mountain in around if mountain]
        yield labelled(f"{space} ({food_word(board.foods[space[:2]])})", f"{standing}.{_beside(near, far)}")


def _beside(near: list[str], far: list[str]) -> str:
    """Return the sentences about what lies next to a space or a cell, and beyond a mountain."""
    said = (
        tr("Next to it: {spaces}.").format(spaces=listed(near)) if near else "",
        tr("Beyond a mountain: {spaces}.").format(spaces=listed(far)) if far else "",
    )
    return "".join(f" {each}" for each in said if each)


def _outer_edges(board: Board) -> Iterator[tuple[str, int, Hex]]:
    """Yield every mountain on the edge of the board: the space, the direction, and the hex beyond it."""
    by_name = {hexagon.name: hexagon for hexagon in board.hexes}
    for laid in board.tiles:
        for name, side in mountains_shown(laid):
            if isinstance(side, int):
                beyond = next_to(by_name[name].place, side)
                if beyond not in board.covered:
                    yield by_name[name].sides[side], side, beyond


def _outer_mountains(board: Board) -> Iterator[str]:
    edges = sorted((space, side) for space, side, _ in _outer_edges(board))
    if edges:
        where = tr("{space} to the {direction}")
        places = listed(where.format(space=space, direction=compass_word(side)) for space, side in edges)
        yield tr("Mountains on the edge of the board: {places}.").format(places=places)


def _cells(board: Board, free: tuple[Hex, ...]) -> Iterator[str]:
    """Yield where the tiles lie, and what lies next to each of the cells that can be covered."""
    if not free:
        return
    by_place = {hexagon.place: hexagon for hexagon in board.hexes}
    lies = tr("{hex} on {cell}")
    on = [
        lies.format(hex=hexagon.name, cell=cell_name(place))
        for place, hexagon in sorted(by_place.items(), key=_by_cell)
    ]
    if on:
        yield tr("The tiles lie on these cells: {places}.").format(places=listed(map(glued, on)))
    raised = {(beyond, side) for _, side, beyond in _outer_edges(board)}
    for cell in sorted(free, key=reading_order):
        near: list[str] = []
        far: list[str] = []
        for side in range(6):
            there = next_to(cell, side)
            if there in by_place:
                space = by_place[there].sides[(side + 3) % 6]
                (far if (cell, (side + 3) % 6) in raised else near).append(space)
        cells = sorted(tr("cell {cell}").format(cell=cell_name(there)) for there in hexes_around(cell) if there in free)
        said = tr("Cell {cell} can be covered.").format(cell=cell_name(cell))
        yield f"{said}{_beside([*sorted(near), *cells], sorted(far))}"


def _by_cell(item: tuple[Hex, object]) -> tuple[int, int]:
    return item[0][1], item[0][0]


def turn_items(tile: Tile) -> tuple[str, ...]:
    """Return what is the same in every turn of a tile, and an item for each turn with what lies on which side."""
    return (*_within(tile), *(_turn(tile, rotation) for rotation in range(6)))


_BESIDE: Final = "{here} and {there} are next to each other."
_WITH_MOUNTAIN: Final = "{here} and {there} are next to each other, with a mountain between them."


def _within(tile: Tile) -> Iterator[str]:
    board = lay_out((LaidTile(tile, 0, 0, 0),))
    one, other = (hexagon.name for hexagon in board.hexes)
    for here in (f"{one}a", f"{one}b", f"{one}c"):
        for there, mountain in board.neighbours[here]:
            if there.startswith(other) and mountain:
                yield tr(_WITH_MOUNTAIN).format(here=here, there=there)
            elif there.startswith(other):
                yield tr(_BESIDE).format(here=here, there=there)
    raised = [
        (here, there)
        for here, around in board.neighbours.items()
        for there, mountain in around
        if mountain and here < there and here[:2] == there[:2]
    ]
    for here, there in raised:
        yield tr("There is a mountain between {here} and {there}.").format(here=here, there=there)


def _turn(tile: Tile, rotation: int) -> str:
    """Return which spaces lie on the sides of both hexes of a turned tile, and where the mountains are."""
    laid = LaidTile(tile, 0, 0, rotation)
    shown = set(mountains_shown(laid))
    said = [tr("Turn {direction}.").format(direction=compass_word(rotation))]
    bare, raised = tr("{direction} {space}"), tr("{direction} {space} with a mountain")
    for hexagon, facing in zip(lay_out((laid,)).hexes, (rotation, (rotation + 3) % 6), strict=True):
        sides = (
            (raised if (hexagon.name, side) in shown else bare).format(direction=compass_word(side), space=space)
            for side, space in enumerate(hexagon.sides)
            if side != facing
        )
        said.append(tr("Sides of {hex}: {sides}.").format(hex=hexagon.name, sides=listed(map(glued, sides))))
    return " ".join(said)

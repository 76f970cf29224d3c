"""The board of every step as one SVG: what never changes is drawn once, and a tile or member refers to its part.

The parts are those of ``briefing/board/picture.py``. What belongs to the n-th tile has ``data-tile="n"``, so that the
board of an earlier step is the same picture without the later tiles.
"""

from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import Any, Final

from pbem.first_sparks.briefing.board.picture import (
    RADIUS,
    at,
    centre,
    disc,
    extent,
    ground,
    mountain_range,
    mountains,
    sign,
    spots,
    writing,
)
from pbem.first_sparks.components import FOODS
from pbem.first_sparks.land.board import Board, Hex, lay_out

_MARGIN: Final = 6


def parts(clans: Iterable[str]) -> str:
    """Return an SVG that shows nothing and has the parts: ``#red-17``, a member with that radius, and ``#fish``."""
    discs = (
        f'<g id="{colour}-{radius}">{disc(colour, 0, 0, radius)}</g>'
        for colour in clans
        for radius in dict.fromkeys(RADIUS.values())
    )
    signs = (f'<g id="{food}">{sign(food, 0, 0)}</g>' for food in FOODS)
    inside = "\n".join((*signs, *discs))
    return f'<svg width="0" height="0" aria-hidden="true" class="parts"><defs>\n{inside}\n</defs></svg>'


def board_picture(board: Board, standing: Mapping[str, tuple[str, ...]], words: str) -> str:
    """Return the picture of a board, the clans by space *standing* there; *words* are for who cannot see it."""
    left, top, right, bottom = extent([hexagon.place for hexagon in board.hexes])
    view = left - _MARGIN, top - _MARGIN, right - left + 2 * _MARGIN, bottom - top + 2 * _MARGIN
    layers = "\n".join((*_ground(board), *_mountains(board), *_names(board)))
    members = "".join(_members(board, standing))
    return (
        f'<svg id="board" viewBox="{" ".join(map(str, view))}" role="img" aria-label="{escape(words)}">\n'
        f'{layers}\n<g id="members">{members}</g>\n</svg>'
    )


def places(board: Board) -> dict[str, Any]:
    """Return where members stand, as data: the middle of the hex of every space with the corner in its middle.

    Then by that corner and by their number where they stand around the middle, and by their number how large they are.
    """
    return {
        "spaces": {space: (*middle, corner) for space, (middle, corner) in _corners(board).items()},
        "spots": [[spots(corner, members) for members in RADIUS] for corner in range(6)],
        "radius": list(RADIUS.values()),
    }


def _corners(board: Board) -> dict[str, tuple[Hex, int]]:
    """Return for every space the middle of its hex, and the corner in the middle of the space."""
    return {
        space: (centre(hexagon.place), corner)
        for hexagon in board.hexes
        for corner, space in enumerate(hexagon.sides)
        if hexagon.sides[(corner + 1) % 6] == space
    }


def _of_tile(number: int, drawn: Iterable[str]) -> str:
    return f'<g data-tile="{number}">{"".join(drawn)}</g>'


def _ground(board: Board) -> Iterator[str]:
    for number in range(len(board.tiles)):
        yield _of_tile(
            number, (part for hexagon in board.hexes[2 * number : 2 * number + 2] for part in ground(hexagon))
        )


def _mountains(board: Board) -> Iterator[str]:
    """Yield the mountains, each with the tile that brought it; a border has its mountain from either of its hexes."""
    seen: set[frozenset[Hex]] = set()
    for number in range(len(board.tiles)):
        new: list[str] = []
        for place, line in mountains(lay_out(board.tiles[: number + 1])):
            x, y = centre(place)
            border = frozenset((x + ahead, y + down) for ahead, down in line)
            if border not in seen:
                seen.add(border)
                new.append(at(place, mountain_range(*line)))
        yield _of_tile(number, new)


def _names(board: Board) -> Iterator[str]:
    for number in range(len(board.tiles)):
        yield _of_tile(
            number,
            (
                at(hexagon.place, f'{"".join(writing(hexagon, {}))}<use href="#{hexagon.food}"/>')
                for hexagon in board.hexes[2 * number : 2 * number + 2]
            ),
        )


def _members(board: Board, standing: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    corners = _corners(board)
    for space, clans in standing.items():
        (x, y), corner = corners[space]
        number = min(len(clans), len(RADIUS))
        for colour, (ahead, down) in zip(clans[:number], spots(corner, number), strict=True):
            yield f'<use href="#{colour}-{RADIUS[number]}" x="{x + ahead}" y="{y + down}"/>'

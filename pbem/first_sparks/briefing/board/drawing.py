"""The board as a drawing for a plain-text mail: hexes, spaces, clans and mountains.

Everything is a mark: a column, a line and a character; later marks cover earlier
ones. An ink gives the characters for drawing a border, so mountains, free cells
and box characters share the same shapes.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain, pairwise
from typing import Final, NamedTuple

from pbem.first_sparks.briefing.board.view import compass_word
from pbem.first_sparks.briefing.words import food_word
from pbem.first_sparks.components import LaidTile, Tile
from pbem.first_sparks.land.board import Board, Hex, Hexagon, cell_name, lay_out, mountains_shown, next_to
from pbem.page.text import WIDTH

_HALVES: Final = (6, 5, 4)

Mark = tuple[int, int, str]
Ink = dict[int, int]


def _ink(characters: str) -> Ink:
    r"""Return the ink that draws the strokes with these characters, in this order.

    ``|`` is upright, between ``t`` and ``b``; ``'-.`` or ``\`` falls to the
    right, from the corner ``A`` over a bend ``+`` to the corner ``V``.
    """
    return str.maketrans("|tb'-.\\A+V", characters)


class _Inks(NamedTuple):
    """A set of inks: for outlines, for light lines in hexes and free cells, and for mountains. Blanks are not drawn."""

    outline: Ink
    light: Ink
    mountain: Ink


_PLAIN: Final = _Inks(_ink("|  '-.\\' _"), _ink(":  ' .\\'  "), _ink("^  ^^^^' _"))
_BOXES: Final = _Inks(_ink("│╷╵╰── ╶╮╴"), _ink("┊  · ···  "), _ink("▲  ▲▲▲▲╶ ╴"))
# Where the six turns of a tile are drawn: column and line of the northern corner of hex 1, and of the name.
_LONGEST_NAME: Final = 10
TURNS_AT: Final = ((4, 1, 8, 0), (23, 7, 27, 0), (53, 7, 49, 0), (12, 10, 8, 9), (38, 1, 38, 0), (60, 1, 60, 0))
_LEFTWARDS: Final = str.maketrans("\\╰╶╮╴", "/╯╴╭╶")
_UPWARDS: Final = str.maketrans("'.\\/", ".'/\\")
# Box characters by their arms: 1 up, 2 down, 4 left, 8 right. Two that meet form a third.
_JOINTS: Final = " ╵╷│╴╯╮┤╶╰╭├─┴┬┼"


class _Scale(NamedTuple):
    """The size of all hexes: half the width, the lines for letters in a space, the lines in the middle."""

    half: int
    letters: int
    middle: int

    @property
    def pitch(self) -> int:
        """The lines from one row of hexes to the next."""
        return 3 + 2 * self.letters + self.middle

    def corner(self, place: Hex) -> tuple[int, int]:
        """Return the column and the line of the northern corner of the hex at *place*."""
        q, r = place
        return self.half * (2 * q + r), self.pitch * r


def draw_board(
    board: Board, standing: Mapping[str, str], free: Collection[Hex] = (), *, unicode: bool = False
) -> tuple[str, ...]:
    """Return the lines of a drawing of the board, at most 72 columns wide.

    *standing* maps a space to the letters of the clans there, at most seven.
    *free* are cells for a tile: if there are any, every hex shows the name of its
    cell. Five tiles with the cells around them fit, and so do six tiles.
    """
    laid = {hexagon.place for hexagon in board.hexes}
    cells = sorted(set(free) - laid)
    scale = _scale(laid.union(cells), standing, named=bool(cells))
    sheet = dict(_empty(board, tuple(cells), scale, unicode))
    for hexagon in board.hexes:
        _draw(sheet, _writing(scale, hexagon, standing))
    return _lines(sheet)


def draw_turns(tile: Tile, *, unicode: bool = False) -> tuple[str, ...]:
    """Return the lines of a drawing of the six turns of a tile, each below the direction of hex 2 from hex 1.

    Hexes are as small as on a wide board, so that all six stand beside each other in 72 columns.
    """
    scale = _Scale(_HALVES[-1], 1, 1)
    sheet: dict[tuple[int, int], str] = {}
    inks = _BOXES if unicode else _PLAIN
    for rotation, (column, line, middle, above) in enumerate(TURNS_AT):
        board = lay_out((LaidTile(tile, 0, 0, rotation),))
        marks = chain(_borders(scale, board, inks), *(_writing(scale, hexagon, {}) for hexagon in board.hexes))
        _draw(sheet, ((column + x, line + y, character) for x, y, character in marks))
        _draw(sheet, _text(middle, above, compass_word(rotation)[:_LONGEST_NAME]))
    return _lines(sheet)


@lru_cache(maxsize=16)  # from one drawing of a game to the next, only the members change
def _empty(board: Board, cells: tuple[Hex, ...], scale: _Scale, unicode: bool) -> Mapping[tuple[int, int], str]:
    """Return the sheet with the cells and the borders, but without text."""
    inks = _BOXES if unicode else _PLAIN
    sheet: dict[tuple[int, int], str] = {}
    for cell in cells:
        _draw(sheet, _free_cell(scale, cell, inks.light))
    _draw(sheet, _borders(scale, board, inks))
    return sheet


def _scale(shown: Collection[Hex], standing: Mapping[str, str], *, named: bool) -> _Scale:
    """Return the largest scale that fits; hexes are taller if a space has more letters than fit on a line."""
    columns = [2 * q + r for q, r in shown]
    width = max(columns, default=0) - min(columns, default=0) + 2
    half = next((half for half in _HALVES if half * width < WIDTH), _HALVES[-1])
    most = max(map(len, standing.values()), default=0)
    return _Scale(half, max(1, -(-most // (half - 1))), 1 + named)


def _free_cell(scale: _Scale, cell: Hex, ink: Ink) -> Iterator[Mark]:
    """Yield the outline and the name of an empty cell."""
    for direction in range(6):
        yield from _edge(scale, cell, direction, ink)
    x, y = scale.corner(cell)
    yield from _text(x, y + (scale.pitch + 1) // 2, cell_name(cell))


def _borders(scale: _Scale, board: Board, inks: _Inks) -> Iterator[Mark]:
    """Yield the outlines of the laid hexes and the borders of their spaces."""
    mountains = {(here, there) for here, around in board.neighbours.items() for there, mountain in around if mountain}
    shown = {border for laid in board.tiles for border in mountains_shown(laid)}
    by_place = {hexagon.place: hexagon for hexagon in board.hexes}
    for place, hexagon in by_place.items():
        for direction, here in enumerate(hexagon.sides):
            neighbour = by_place.get(next_to(place, direction))
            beyond = neighbour.sides[(direction + 3) % 6] if neighbour else ""
            raised = (here, beyond) in mountains or (not neighbour and (hexagon.name, direction) in shown)
            yield from _edge(scale, place, direction, inks.mountain if raised else inks.outline)
            beside = hexagon.sides[(direction + 1) % 6]
            if beside != here:
                yield from _arm(scale, place, direction, inks.mountain if (here, beside) in mountains else inks.light)


def _edge(scale: _Scale, place: Hex, direction: int, ink: Ink) -> Iterator[Mark]:
    """Yield the edge of a hex in that direction."""
    x, y = scale.corner(place)
    half, pitch = scale.half, scale.pitch
    side = 1 if direction in {0, 1, 5} else -1
    if direction in {0, 3}:
        return _upright(x + side * half, range(y + 2, y + pitch), ink)
    if direction in {1, 2}:
        return _slope(x, y, (side, 1), (0, half // 2, half), ink)
    return _slope(x + side * half, y + pitch, (-side, 1), (0, half // 2, half), ink)


def _arm(scale: _Scale, place: Hex, direction: int, ink: Ink) -> Iterator[Mark]:
    """Yield the line from the centre of a hex to the corner between that direction and the next."""
    x, y = scale.corner(place)
    half, letters, pitch = scale.half, scale.letters, scale.pitch
    if direction == 1:
        return _upright(x, range(y + 1, y + 3 + letters), ink)
    if direction == 4:
        return _upright(x, range(y + pitch - 1 - letters, y + pitch + 1), ink)
    start = 3 if letters == 1 and half > 4 else 2
    bends = tuple(start + (half - start) * line // letters for line in range(letters + 1))
    if direction in {3, 5}:
        return _slope(x, y + pitch - letters, (direction - 4, 1), bends, ink)
    return _slope(x, y + 1 + letters, (1 - direction, -1), bends, ink)


def _upright(column: int, lines: range, ink: Ink) -> Iterator[Mark]:
    """Yield an upright border."""
    for line, stroke in enumerate("t" + "|" * len(lines) + "b", lines.start - 1):
        yield column, line, stroke.translate(ink)


def _slope(x: int, y: int, towards: tuple[int, int], bends: tuple[int, ...], ink: Ink) -> Iterator[Mark]:
    """Yield a border from *x*, *y* to a side and down or up; each line goes from one of *bends* to the next.

    A border that bends at 0 is an edge: it begins and ends in a corner.
    """
    across, down = towards
    for line, (first, end) in enumerate(pairwise(bends)):
        strokes = ("", "\\", "'.", "'-.")[end - first]
        if bends[0] == 0:
            strokes = f"A{strokes[1:]}+" if first == 0 else f"{strokes}V"
        for column, stroke in enumerate(strokes.translate(ink), first):
            character = stroke.translate(_LEFTWARDS) if across < 0 else stroke
            yield x + across * column, y + down * line, character.translate(_UPWARDS) if down < 0 else character


def _writing(scale: _Scale, hexagon: Hexagon, standing: Mapping[str, str]) -> Iterator[Mark]:
    """Yield the food, the name of the cell if there is a line for it, and each space with its clans below."""
    x, y = scale.corner(hexagon.place)
    width, letters, pitch = scale.half - 1, scale.letters, scale.pitch
    east, north_east, north_west, west, _, south_east = hexagon.sides
    left, right = x - width + width // 2, x + 1 + width // 2
    if east == north_east:
        line = y + 3 + letters
        spots = (north_west, left, y + 2), (east, right, y + 2), (south_east, x, y + pitch - letters)
    else:
        line = y + 2 + letters
        low = line + scale.middle
        spots = (north_west, x, y + 1), (west, left, low), (east, right, low)
    yield from _text(x, line, food_word(hexagon.food)[: 2 * width + 1])
    if scale.middle > 1:
        yield from _text(x, line + 1, cell_name(hexagon.place))
    for space, column, top in spots:
        yield from _text(column, top, space)
        clans = standing.get(space, "")
        for below, start in enumerate(range(0, len(clans), width), 1):
            yield from _text(column, top + below, clans[start : start + width])


def _text(middle: int, line: int, text: str) -> Iterator[Mark]:
    """Yield the characters of *text* around the column *middle*."""
    for column, character in enumerate(text, middle - len(text) // 2):
        yield column, line, character


def _draw(sheet: dict[tuple[int, int], str], marks: Iterable[Mark]) -> None:
    """Put the marks on the sheet, except the blanks."""
    for column, line, character in marks:
        if character != " ":
            sheet[line, column] = _joined(sheet.get((line, column), " "), character)


def _joined(old: str, new: str) -> str:
    """Return the result of drawing *new* over *old*: it replaces *old*, but box characters join."""
    if old in _JOINTS and new in _JOINTS:
        return _JOINTS[_JOINTS.index(old) | _JOINTS.index(new)]
    return new


def _lines(sheet: Mapping[tuple[int, int], str]) -> tuple[str, ...]:
    """Return the sheet as lines, without a margin."""
    if not sheet:
        return ()
    columns = [column for _, column in sheet]
    left, top = min(columns), min(sheet)[0]
    lines = [[" "] * (max(columns) + 1 - left) for _ in range(top, max(sheet)[0] + 1)]
    for (line, column), character in sheet.items():
        lines[line - top][column - left] = character
    return tuple("".join(line).rstrip() for line in lines)

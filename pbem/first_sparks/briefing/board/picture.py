"""The board as a picture (SVG): hexes by food, spaces, members, mountains, and the tokens on the harvest spaces.

It shows the same as the drawing in a text, and so nothing secret. Every member
has its letter and every food its sign, so nobody needs to tell colours apart.
Whole numbers and our own lettering make it portable: the same state gives the
same bytes everywhere, and no font is needed.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Final
from unicodedata import category, normalize

from pbem.first_sparks.briefing.board.view import LETTERS, clans_by_space, compass_word, free_cells
from pbem.first_sparks.briefing.words import colour_word, counted, food_word, own_set_lines
from pbem.first_sparks.components import FOOD_VALUE, FOODS, Food, LaidTile, Tile
from pbem.first_sparks.land.board import (
    Board,
    Hex,
    Hexagon,
    cell_name,
    lay_out,
    mountains_shown,
    next_to,
    places,
    reading_order,
)
from pbem.first_sparks.phases import Laying
from pbem.first_sparks.rules.preparation import refill_numbers, tiles_in_play
from pbem.first_sparks.rules.two_players import NEUTRAL
from pbem.first_sparks.state import GameState
from pbem.grammar import labelled
from pbem.locale import tr
from pbem.page.lettering import is_writable, number, width_of, writable, written

# A hex stands on a point: half its width, and the distance from its centre to that point.
_HALF, _SIDE = 104, 120
# The corners of a hex, from its centre: corner n lies between the edges n and n + 1.
_CORNERS: Final = ((_HALF, -60), (0, -_SIDE), (-_HALF, -60), (-_HALF, 60), (0, _SIDE), (_HALF, 60))
# Where the name of a space goes, by the corner in its middle.
_NAME_AT: Final = ((58, -11), (0, -83), (-58, -11), (-58, 8), (0, 79), (58, 8))
# Where 1 to 6 members stand, in the space below and in the one to the lower right: between the name, the sign of the
# food and possible mountains. The spaces above are the same upside down.
_BELOW: Final[dict[int, tuple[Hex, ...]]] = {
    1: ((0, 46),),
    2: ((-18, 46), (18, 46)),
    3: ((-28, 48), (0, 48), (28, 48)),
    4: ((-39, 51), (-13, 51), (13, 51), (39, 51)),
    5: ((-50, 53), (-25, 52), (0, 52), (25, 52), (50, 53)),
    6: ((-52, 63), (-34, 50), (-11, 50), (11, 50), (34, 50), (52, 63)),
}
_RIGHT_BELOW: Final[dict[int, tuple[Hex, ...]]] = {
    1: ((52, 41),),
    2: ((34, 41), (70, 41)),
    3: ((39, 36), (66, 36), (37, 63)),
    4: ((28, 35), (53, 35), (28, 60), (53, 60)),
    5: ((27, 35), (52, 35), (77, 35), (27, 60), (52, 60)),
    6: ((25, 34), (47, 34), (69, 34), (25, 56), (47, 56), (25, 78)),
}
RADIUS: Final = {1: 17, 2: 17, 3: 13, 4: 12, 5: 12, 6: 10}
_PEAK: Final = 4  # how much further a mountain reaches above its border than below
_LEAST_WIDTH: Final = 760
_MARGIN: Final = 24
_LEFT: Final = -_LEAST_WIDTH // 2  # the left edge of everything below the board
_CLANS_A_ROW: Final = 2

_TURN_SCALE, _TURN_HEIGHT = 0.56, 290  # three turns of a tile stand in a row

_PAPER, _LINE, _WORDS, _FAINT, _MOUNTAIN = "#fbf7ec", "#4a4035", "#3a3128", "#8b7f6d", "#7a4a21"
_GROUND: Final[dict[Food, str]] = {"berries": "#f5d3dc", "fish": "#c9e2f2", "bears": "#ecd6b0", "mammoths": "#d9dad3"}
# A clan's disc and its letter.
_COLOURS: Final[dict[str, tuple[str, str]]] = {
    "green": ("#1f8a43", "#ffffff"),
    "red": ("#d32f2f", "#ffffff"),
    "blue": ("#1f5fc4", "#ffffff"),
    "black": ("#1c1c1e", "#ffffff"),
    "white": ("#ffffff", "#1c1c1e"),
    "yellow": ("#ffd21f", "#1c1c1e"),
    NEUTRAL: ("#bfb39c", "#1c1c1e"),
}
# The sign of each food, drawn around a point within 17 to each side.
_SIGNS: Final[dict[Food, str]] = {
    "berries": (
        '<g fill="#b0224c"><circle cx="-7" cy="1" r="7"/><circle cx="7" cy="1" r="7"/><circle cy="11" r="7"/></g>'
        '<path d="M0-3C-2-13 7-17 14-13 12-6 6-3 0-3Z" fill="#3f8f3a"/>'
    ),
    "fish": (
        '<path d="M-17-9C-12-4-12 4-17 9L-8 4C0 13 12 9 17 0 12-9 0-13-8-4Z" fill="#1f6fa8"/>'
        '<circle cx="9" cy="-2" r="2" fill="#fff"/>'
    ),
    "bears": (
        '<g fill="#6b4423"><ellipse cy="7" rx="10" ry="8"/><ellipse cx="-13" cy="-2" rx="4" ry="5"/>'
        '<ellipse cx="-5" cy="-10" rx="4" ry="5"/><ellipse cx="5" cy="-10" rx="4" ry="5"/>'
        '<ellipse cx="13" cy="-2" rx="4" ry="5"/></g>'
    ),
    "mammoths": (
        '<path d="M-17 14V0C-17-10-8-14-1-9 3-16 14-14 15-5 17 2 14 8 17 12 11 15 8 10 8 4 6 6 4 6 3 5V14H-3V7H-9V14Z"'
        ' fill="#5b5f66"/><path d="M9 2C10 8 5 11 1 9" fill="none" stroke="#fff" stroke-width="2.6"'
        ' stroke-linecap="round"/><circle cx="9" cy="-6" r="1.6" fill="#fff"/>'
    ),
}


def board_svg(state: GameState, own_set: str = "") -> str:
    """Return the picture of the board with its legend: one SVG, at least 760 wide, without fonts or references.

    *own_set* names a component set other than the built-in one. If a tile is to be laid, the free cells have names
    and the tile is shown below.
    """
    hexes, free = state.board.hexes, free_cells(state)
    left, top, right, bottom = extent([hexagon.place for hexagon in hexes] + list(free))
    width = max(right - left, _LEAST_WIDTH) + 2 * _MARGIN
    middle = (left + right) // 2
    parts = [*_cells(free), *_board(state.board, clans_by_space(state))]
    y = bottom + 2 * _MARGIN
    percent = 100 * (width - 2 * _MARGIN) // _LEAST_WIDTH  # a phone shows every picture at its full width
    for height, row in _rows(state, own_set):
        parts += (f'<g transform="translate({middle} {y}) scale({number(percent / 100)})">', *row, "</g>")
        y += height * percent // 100
    corner = middle - width // 2, top - _MARGIN
    size = width, y + _MARGIN - corner[1]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{size[0]}" height="{size[1]}"'
        f' viewBox="{corner[0]} {corner[1]} {size[0]} {size[1]}" role="img" {label_of()}>\n'
        f'<rect x="{corner[0]}" y="{corner[1]}" width="{size[0]}" height="{size[1]}" fill="{_PAPER}"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def label_of() -> str:
    """Return the attribute by which a screen reader calls the picture; a file with it is one."""
    return f'aria-label="{escape(tr("The board of First Sparks"))}"'


def board_html(state: GameState) -> str:
    """Return the picture for a notebook: as wide as there is room, but no wider than it is easy to look at."""
    return board_svg(state).replace(
        "<svg ", '<svg style="display: block; width: 100%; max-width: 38em; height: auto" ', 1
    )


# The board


def extent(places: Sequence[Hex]) -> tuple[int, int, int, int]:
    """Return how far hexes at those places reach to the left, up, to the right, and down."""
    columns, rows = [2 * q + r for q, r in places] or [0], [r for _, r in places] or [0]
    height = _SIDE if places else 0
    left, right = (min(columns) - 1) * _HALF, (max(columns) + 1) * _HALF
    return left, min(rows) * 180 - height, right, max(rows) * 180 + height


def _board(board: Board, standing: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """Yield the hexes, then the mountains above all borders, then the contents of the spaces."""
    for hexagon in board.hexes:
        yield from ground(hexagon)
    for place, line in mountains(board):
        yield at(place, mountain_range(*line))
    for hexagon in board.hexes:
        yield at(hexagon.place, "".join(writing(hexagon, standing)) + sign(hexagon.food, 0, 0))


def ground(hexagon: Hexagon) -> Iterator[str]:
    """Yield a hex in the colour of its food, and the borders inside it."""
    yield at(hexagon.place, _outline(f'fill="{_GROUND[hexagon.food]}" stroke="{_LINE}" stroke-width="4"'))
    arms = "".join(f"M0 0 {x} {y}" for _, _, (x, y) in _arms(hexagon))
    yield at(hexagon.place, f'<path d="{arms}" stroke="{_LINE}" stroke-width="2" stroke-dasharray="2 7"/>')


def _arms(hexagon: Hexagon) -> Iterator[tuple[str, str, Hex]]:
    """Yield the borders inside a hex: the two spaces, and the corner where the border ends."""
    for direction, here in enumerate(hexagon.sides):
        beside = hexagon.sides[(direction + 1) % 6]
        if beside != here:
            yield here, beside, _CORNERS[direction]


def mountains(board: Board) -> Iterator[tuple[Hex, tuple[Hex, Hex]]]:
    """Yield every border with a mountain once: the hex, and the two ends."""
    crossed = {(here, there) for here, around in board.neighbours.items() for there, mountain in around if mountain}
    by_place = {hexagon.place: hexagon for hexagon in board.hexes}
    by_name = {hexagon.name: hexagon.place for hexagon in board.hexes}
    for place, hexagon in by_place.items():
        for here, beside, corner in _arms(hexagon):
            if (here, beside) in crossed:
                yield place, ((0, 0), corner)
        for direction in range(3):
            neighbour = by_place.get(next_to(place, direction))
            if neighbour and (hexagon.sides[direction], neighbour.sides[direction + 3]) in crossed:
                yield place, _edge(direction)
    for laid in board.tiles:
        for name, side in mountains_shown(laid):
            if isinstance(side, int) and next_to(by_name[name], side) not in by_place:
                yield by_name[name], _edge(side)


def _edge(direction: int) -> tuple[Hex, Hex]:
    """Return the ends of the edge of a hex in that direction."""
    return _CORNERS[direction - 1], _CORNERS[direction]


def mountain_range(start: Hex, end: Hex) -> str:
    """Return a mountain range: a thick edge with three peaks on it."""
    (x, y), (to_x, to_y) = start, end
    peaks = snow = ""
    for quarter in (1, 2, 3):
        at = x + (to_x - x) * quarter // 4, y + (to_y - y) * quarter // 4
        peaks += f'<path d="M-10 5 0-11 10 5Z" transform="translate({at[0]} {at[1]})"/>'
        snow += f'<path d="M-5-4 0-12 5-4 2-6 0-3-2-6Z" transform="translate({at[0]} {at[1]})"/>'
    line = f'<path d="M{x} {y}L{to_x} {to_y}" stroke="{_MOUNTAIN}" stroke-width="9" stroke-linecap="round"/>'
    rock = f'stroke="{_MOUNTAIN}" stroke-width="2" stroke-linejoin="round"'
    return f'{line}<g fill="{_MOUNTAIN}" {rock}>{peaks}</g><g fill="#fff" stroke="none">{snow}</g>'


def writing(hexagon: Hexagon, standing: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """Yield the name of each space, and the clans there."""
    for direction, space in enumerate(hexagon.sides):
        if hexagon.sides[(direction + 1) % 6] == space:
            yield written(space, *_NAME_AT[direction], 22, _WORDS)
            clans = standing.get(space, ())[:6]  # never seven: the neutral clan only plays with two others
            for colour, (x, y) in zip(clans, spots(direction, len(clans)), strict=True):
                yield disc(colour, x, y, RADIUS[len(clans)])


def spots(direction: int, members: int) -> list[Hex]:
    """Return where the members stand on the space around that corner, in reading order."""
    wide = direction in {1, 4}
    below = (_BELOW if wide else _RIGHT_BELOW)[members] if members else ()
    found = [(-x if direction in {2, 3} else x, -y - _PEAK if direction < 3 else y) for x, y in below]
    return found if wide else sorted(found, key=reading_order)


def disc(colour: str, x: int, y: int, radius: int) -> str:
    """Return a member of the clan: a disc with its letter."""
    fill, ink = _COLOURS[colour]
    dashes = ' stroke-dasharray="4 3"' if colour == NEUTRAL else ""
    return (
        f'<circle cx="{x}" cy="{y}" r="{radius}" fill="{fill}" stroke="#1c1c1e" stroke-width="2"{dashes}/>'
        + written(LETTERS[colour], x, y, min(radius + 1, 17), ink, bold=True)
    )


def sign(food: Food, x: int, y: int) -> str:
    """Return the sign of a food, 50 wide."""
    medal = f'<circle r="25" fill="#fffdf6" stroke="{_LINE}" stroke-width="2"/>'
    return f'<g transform="translate({x} {y})">{medal}{_SIGNS[food]}</g>'


def _cells(free: Iterable[Hex]) -> Iterator[str]:
    """Yield the empty cells on which the tile may be laid."""
    for place in free:
        outline = _outline(f'fill="none" stroke="{_FAINT}" stroke-width="2" stroke-dasharray="6 8"')
        yield at(place, outline + written(cell_name(place), 0, 0, 28, _FAINT))


def _outline(paint: str) -> str:
    return f'<path d="M{" ".join(f"{x} {y}" for x, y in _CORNERS)}Z" stroke-linejoin="round" {paint}/>'


def centre(place: Hex) -> Hex:
    """Return where the middle of that hex is drawn."""
    q, r = place
    return _HALF * (2 * q + r), 180 * r


def at(place: Hex, drawn: str) -> str:
    """Return what is drawn around the middle of that hex."""
    x, y = centre(place)
    return f'<g transform="translate({x} {y})">{drawn}</g>'


# Below the board


def _rows(state: GameState, own_set: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows below the board, each with its height: 760 wide, centred on 0."""
    if not state.board.hexes and not isinstance(state.phase, Laying):
        yield 56, [_middle(tr("No tile is laid yet."), 26)]
    if isinstance(state.phase, Laying):
        yield from _tile(state, state.phase.tile)
    yield 144, list(_harvest(state))
    clans = [(clan.colour, clan.player, clan.size) for clan in state.clans]
    if state.neutral is not None:
        clans.append((NEUTRAL, "", len(state.neutral)))
    for start in range(0, len(clans), _CLANS_A_ROW):
        yield 68, list(_clans(clans[start : start + _CLANS_A_ROW]))
    a_mountain = mountain_range((_LEFT + 8, 16), (_LEFT + 64, 16))
    yield 24, [a_mountain, _left(tr("a mountain between two spaces"), _LEFT + 84, 14, 20)]
    for line in own_set_lines(own_set):
        yield 44, [_left(line, _LEFT + 8, 34, 20)]


# In two lines, since a picture has no paragraphs.
_TO_LAY: Final = (
    "Tile {tile} is to be laid. It may be turned in six ways,\nnamed by the direction from {one} to {other}:"
)


def _tile(state: GameState, letter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the tile to lay in its six turns, three in a row."""
    tile = state.components.tiles[letter]
    to_lay = tr(_TO_LAY).format(tile=letter, one=f"{letter}1", other=f"{letter}2").splitlines()
    for place, line in enumerate(to_lay, 1):
        yield 44 if place == len(to_lay) else 40, [_middle(line, 24)]
    for row in (0, 3):
        yield _TURN_HEIGHT, [part for column in range(3) for part in _turn(tile, row + column, column - 1)]
    yield 44, [_middle(tr("A cell with a dashed outline can be covered."), 24)]


def _turn(tile: Tile, rotation: int, column: int) -> Iterator[str]:
    """Yield a turn of a tile below its name, in one of three columns around 0."""
    laid = LaidTile(tile, 0, 0, rotation)
    x, y = centre(places(laid)[1])
    middle = column * _LEAST_WIDTH // 3
    below = (_TURN_HEIGHT - 20) // 2
    yield written(writable(compass_word(rotation)), middle, 0, 20, _WORDS)
    size = f"translate({middle} {below}) scale({_TURN_SCALE}) translate({-x // 2} {-y // 2})"
    yield f'<g transform="{size}">{"".join(_board(lay_out((laid,)), {}))}</g>'


def _harvest(state: GameState) -> Iterator[str]:
    """Yield the harvest spaces side by side: the tokens there, the worth of each, and the refill."""
    players = len(state.clans)
    complete = len(state.board.tiles) == tiles_in_play(players)
    refill = refill_numbers(state.board, players)
    column = _LEAST_WIDTH // 4
    for place, food in enumerate(FOODS):
        x = _LEFT + place * column
        yield (
            f'<rect x="{x + 4}" y="0" width="{column - 8}" height="120" rx="12" fill="{_GROUND[food]}"'
            f' stroke="{_LINE}" stroke-width="2"/>'
        )
        yield sign(food, x + 38, 32)
        tokens = str(state.harvest.of(food))
        yield written(tokens, x + 70 + int(width_of(tokens, 30)) // 2, 32, 30, _WORDS, bold=True)
        refilled = f"+{refill.of(food)}" if complete else "+..."
        yield written(refilled, x + column - 14 - int(width_of(refilled, 24)) // 2, 34, 24, _WORDS)
        yield written(writable(food_word(food)), x + column // 2, 74, 20, _WORDS)
        worth = tr("worth {food}").format(food=FOOD_VALUE[food])
        yield written(writable(worth), x + column // 2, 102, 20, _WORDS)


def _clans(clans: Iterable[tuple[str, str, int]]) -> Iterator[str]:
    """Yield a row of the legend: the disc with its letter, the player's name if it can be written, colour and size."""
    column = _LEAST_WIDTH // _CLANS_A_ROW
    for place, (colour, player, size) in enumerate(clans):
        x = _LEFT + place * column + 28
        yield disc(colour, x, 16, 22)
        name = _writable(player) or writable(tr("the {colour} clan").format(colour=colour_word(colour)))
        room = column - 70
        yield _left(name, x + 36, 6, int(26 * room / max(room, width_of(name, 26))))  # a long name in smaller letters
        yield _left(labelled(colour_word(colour), counted(size, "members")), x + 36, 37, 20)


def _writable(name: str) -> str:
    """Return the name without its accents, or nothing if it has other characters that cannot be written."""
    bare = "".join(character for character in normalize("NFD", name) if category(character) != "Mn")
    return bare if is_writable(bare) else ""


def _left(text: str, x: int, y: int, height: int) -> str:
    """Return the text written to the right of that point, as far as it can be written."""
    text = writable(text)
    return written(text, x + int(width_of(text, height)) // 2, y, height, _WORDS)


def _middle(text: str, height: int) -> str:
    """Return the text written in the middle, in smaller letters if it is too long."""
    text = writable(text)
    return written(text, 0, 0, int(height * _LEAST_WIDTH / max(_LEAST_WIDTH, width_of(text, height))), _WORDS)

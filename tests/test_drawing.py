"""The drawing of the board: everything is on it, once, and where the geometry says."""

import cmath
import math
import re
from collections import Counter
from collections.abc import Collection
from itertools import combinations, pairwise, product
from random import Random

import pytest
from boards import COMPONENTS, a_board, around, borders, hexes_wide, with_mountains

from pbem.first_sparks.briefing.board import drawing as board_text
from pbem.first_sparks.briefing.board.drawing import TURNS_AT, draw_board, draw_turns
from pbem.first_sparks.briefing.board.view import COMPASS
from pbem.first_sparks.components import LaidTile
from pbem.first_sparks.land.board import Board, cell_name, lay_out, next_to, occupied

THREE_TILES = lay_out(COMPONENTS.boards[3].tiles)
FIRST_TILE = lay_out(COMPONENTS.boards[3].tiles[:1])
WRITTEN = re.compile("[A-Z][0-9]+[abc]?|berries|fish|bears|mammoths?")
CLANS = "grbkwyz"

Spot = tuple[int, int]
Point = tuple[float, float]

GOLDEN = """
          .-'-.       .-'^^       .-'-.
      _.-' C2a '-._.-'  ^  ^^^_.-'  :  '-._
      |' .     ^^^^ D1b ^ D1a | D2b : D2a |
      |  berries  ^     ^ gr  |     :     |
      | C2b : C2c ^   fish    | mammoths  |
      | grk :  g  ^. ' D1c ' .|. ' D2c ' .|
    .-'-.   :   .-'-.       .-'^^       .-'
_.-' C1a '-._.-' B2c '-._.-' B1c ^^^_.-'
|' .     . '|' .     . '^' .     . '|
|   bears   | mammoths  ^  berries  |
| C1b : C1c | B2a : B2b ^ B1a : B1b |
|     :  r  |     : kg  ^     :     |
'-.   :   ^^'-.   :   ^^'-.   :   .-'
   '-._^^^     '-._^^^     '-._.-'
"""

GOLDEN_IN_BOX_CHARACTERS = """
   ╭───▲▲      ╭─────╮
╭──╯  ▲  ▲▲▲┬──╯  ┊  ╰──╮
│ D1b ▲ D1a │ D2b ┊ D2a │
│     ▲ gr  │     ┊     │
│   fish    │ mammoths  │
│    M13    │    N13    │
│· · D1c · ·│· · D2c · ·│
╰──╮     ╭──┴▲▲      ╭──╯ ·
   ╰─────╯     ▲▲▲───╯     · ·
      ┊           ┊           ┊
      ┊           ┊           ┊
      ┊    M14    ┊    N14    ┊
      ┊           ┊           ┊
      ┊           ┊           ┊
      · ·       · · ·       · ·
         · · · ·     · · · ·
"""


def a_crowd(board: Board, seed: int, most: int) -> dict[str, str]:
    """Return up to *most* clans for every space, and one space with that many."""
    random = Random(seed)
    standing = {space: CLANS[: random.randint(0, most)] for space in board.spaces}
    return {**standing, random.choice(board.spaces): CLANS[:most]}


WIDEST = a_board(6, 17, wide=True)  # of twenty
BOARDS = [
    *(pytest.param(a_board(size, size), id=f"{size} tiles") for size in range(1, 7)),
    *(pytest.param(a_board(6, seed), id=f"6 tiles, seed {seed}") for seed in (10, 11)),
    *(pytest.param(a_board(size, 1, wide=True), id=f"{size} tiles in a row") for size in (4, 6)),
    pytest.param(WIDEST, id="the widest"),
]


def spots(drawing: tuple[str, ...], character: str) -> set[Spot]:
    """Return the lines and columns where *character* is."""
    return {(y, x) for y, line in enumerate(drawing) for x, found in enumerate(line) if found == character}


def without(drawing: tuple[str, ...], hidden: set[Spot]) -> list[str]:
    """Return the drawing with these spots left blank."""
    return [
        "".join(" " if (y, x) in hidden else found for x, found in enumerate(line)).rstrip()
        for y, line in enumerate(drawing)
    ]


def middle(points: Collection[Point]) -> Point:
    """Return the middle of some points."""
    return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)


def far(one: Point, other: Point) -> float:
    """Return how far apart two points are, in columns; a line is two columns high."""
    return math.hypot(one[0] - other[0], 2 * (one[1] - other[1]))


def named_points(drawing: tuple[str, ...]) -> dict[str, Point]:
    """Return the column and the line of the middle of every name and food; of equal ones, the last."""
    return {
        found[0]: ((found.start() + found.end() - 1) / 2, y)
        for y, line in enumerate(drawing)
        for found in WRITTEN.finditer(line)
    }


def centre_of(points: dict[str, Point], space: str) -> Point:
    """Return the middle of the hex of that space, as its names show it."""
    return middle([points[f"{space[:2]}{letter}"] for letter in "abc"])


def direction_of(start: Point, end: Point, offset: float = 0) -> int:
    """Return the direction of the board from one point to another, directions turned by *offset*."""
    across, up = end[0] - start[0], 2 * (start[1] - end[1])
    return round(cmath.phase(complex(across, up)) / (cmath.pi / 3) - offset) % 6


def test_a_board_of_three_tiles() -> None:
    """The board for 3 players, with every kind of border and 0 to 3 clans in a space."""
    drawing = draw_board(THREE_TILES, {"C1c": "r", "B2b": "kg", "C2c": "g", "C2b": "grk", "D1a": "gr"})

    assert "\n".join(drawing) == GOLDEN.strip("\n")


def test_free_cells_in_box_characters() -> None:
    """Two free cells below the first tile."""
    drawing = draw_board(FIRST_TILE, {"D1a": "gr"}, [(1, 1), (0, 1)], unicode=True)

    assert "\n".join(drawing) == GOLDEN_IN_BOX_CHARACTERS.strip("\n")


@pytest.mark.parametrize("most", [0, 3, 5, 7])
@pytest.mark.parametrize("board", BOARDS)
def test_everything_is_there_once(board: Board, most: int) -> None:
    """Every space by its name, every hunting area by its food, every clan by its letter; plain and narrow."""
    standing = a_crowd(board, most, most)

    drawing = draw_board(board, standing)

    text = "\n".join(drawing)
    names = [found for found in WRITTEN.findall(text) if found[-1] in "abc"]
    foods = [found.removesuffix("s") for found in WRITTEN.findall(text) if found.islower()]
    letters = [found for found in WRITTEN.sub(" ", text) if found.isalpha()]
    assert text.isascii()
    assert max(map(len, drawing)) <= 72
    assert all(line == line.rstrip() for line in drawing)
    assert sorted(names) == sorted(board.spaces)
    assert Counter(foods) == Counter(food.removesuffix("s") for food in board.foods.values())
    assert Counter(letters) == Counter("".join(standing.values()))


@pytest.mark.parametrize("board", BOARDS)
def test_clans_stand_below_the_name(board: Board) -> None:
    """Up to three letters are no wider than the name, so they are the line below it."""
    standing = a_crowd(board, 1, 3)

    drawing = draw_board(board, standing)

    for space, (x, y) in named_points(drawing).items():
        if space in standing:
            below = drawing[int(y) + 1].ljust(72)[int(x) - 1 : int(x) + 2]
            assert below.strip() == standing[space], space


def test_a_crowd_is_wrapped_not_cut() -> None:
    """Beside the line in a narrow hex are three characters, so seven clans take three lines below the name."""
    drawing = draw_board(WIDEST, dict.fromkeys(WIDEST.spaces, CLANS))

    points = named_points(drawing)
    for space in WIDEST.spaces:
        x, y = map(int, points[space])
        assert [line[x - 1 : x + 2].strip() for line in drawing[y + 1 : y + 4]] == ["grb", "kwy", "z"], space


@pytest.mark.parametrize("board", BOARDS)
def test_every_space_lies_at_its_sides(board: Board) -> None:
    """Seen from the middle of its hex, a space lies between the two sides that it owns."""
    points = named_points(draw_board(board, {}))

    for hexagon in board.hexes:
        centre = centre_of(points, hexagon.name)
        for direction, (here, beside) in enumerate(pairwise((*hexagon.sides, hexagon.sides[0]))):
            if here == beside:
                assert direction_of(centre, points[here], 0.5) == direction, here


@pytest.mark.parametrize("board", BOARDS)
def test_hexes_lie_as_on_the_board(board: Board) -> None:
    """Of two hexes that touch, each is seen from the other in its direction."""
    points = named_points(draw_board(board, {}))

    centres = {hexagon.place: centre_of(points, hexagon.name) for hexagon in board.hexes}
    for place, direction in product(centres, range(6)):
        if next_to(place, direction) in centres:
            assert direction_of(centres[place], centres[next_to(place, direction)]) == direction, place


@pytest.mark.parametrize("most", [0, 4, 7])
@pytest.mark.parametrize("board", BOARDS)
def test_a_mountain_takes_the_place_of_its_border_only(board: Board, most: int) -> None:
    """A mountain has two or more characters, all its own and without a gap, and changes nothing else."""
    standing = a_crowd(board, most, most)
    flat = draw_board(with_mountains(board, ()), standing)

    peaks: dict[tuple[str, str], set[Spot]] = {}
    for border in borders(board):
        raised = draw_board(with_mountains(board, [border]), standing)
        peaks[border] = spots(raised, "^")
        assert without(raised, peaks[border]) == without(flat, peaks[border]), border

    assert spots(flat, "^") == set()
    assert all(one.isdisjoint(other) for one, other in combinations(peaks.values(), 2))
    for border, found in peaks.items():
        assert len(found) >= 2, border
        for ordinates in zip(*found, strict=True):
            assert set(ordinates) == set(range(min(ordinates), max(ordinates) + 1)), border


@pytest.mark.parametrize("board", BOARDS)
def test_a_mountain_lies_between_its_spaces(board: Board) -> None:
    """One inside a hex is farther from the third space, one between hexes lies halfway between their centres."""
    for here, there in borders(board):
        drawing = draw_board(with_mountains(board, [(here, there)]), {})

        points = named_points(drawing)
        peak = middle([(x, y) for y, x in spots(drawing, "^")])
        if here[:2] == there[:2]:
            third = next(f"{here[:2]}{letter}" for letter in "abc" if letter not in here[2] + there[2])
            assert far(peak, points[third]) > max(far(peak, points[here]), far(peak, points[there])), (here, there)
        else:
            centre = centre_of(points, here)
            halfway = middle([centre, centre_of(points, there)])
            assert far(peak, halfway) < far(centre, halfway) / 2, (here, there)


@pytest.mark.parametrize("board", BOARDS)
def test_the_mountains_of_the_board_are_drawn(board: Board) -> None:
    """The peaks on the drawing are those that each tile shows by itself, and no more."""
    each = []
    for laid in board.tiles:
        for mountain in laid.tile.mountains:
            alone = tuple(
                other._replace(tile=other.tile._replace(mountains=(mountain,) if other == laid else ()))
                for other in board.tiles
            )
            each.append(spots(draw_board(lay_out(alone), {}), "^"))

    assert all(len(peaks) >= 2 for peaks in each)
    assert spots(draw_board(board, {}), "^") == set().union(*each)


@pytest.mark.parametrize("unicode", [False, True], ids=["plain", "boxes"])
@pytest.mark.parametrize("rotation", range(6))
@pytest.mark.parametrize("edge", range(6))
def test_a_mountain_on_an_outer_edge_is_drawn_there(edge: int, rotation: int, unicode: bool) -> None:
    """Where nothing lies beyond, or an empty cell; in box characters it takes the joints at its ends too."""
    tile = COMPONENTS.tiles["F"]._replace(mountains=(f"1:e{edge}",))
    flat = draw_board(lay_out((LaidTile(tile._replace(mountains=()), 0, 0, rotation),)), {}, unicode=unicode)
    drawing = draw_board(lay_out((LaidTile(tile, 0, 0, rotation),)), {}, unicode=unicode)
    among_cells = draw_board(lay_out((LaidTile(tile, 0, 0, rotation),)), {}, around([(0, 0)]), unicode=unicode)

    peaks = spots(drawing, "▲" if unicode else "^")
    points = named_points(drawing)
    assert len(peaks) >= 2
    assert len(spots(among_cells, "▲" if unicode else "^")) >= 2
    assert direction_of(centre_of(points, "F1a"), middle([(x, y) for y, x in peaks])) == (edge + rotation) % 6
    assert unicode or without(drawing, peaks) == without(flat, peaks)
    assert points == named_points(flat)


@pytest.mark.parametrize(
    ("board", "hexes", "columns"),
    [(FIRST_TILE, 2, 12), (a_board(6, 6), 5.5, 12), (a_board(6, 1, wide=True), 6.5, 10), (WIDEST, 7.5, 8)],
    ids=["first tile", "six tiles", "six tiles in a row", "the widest"],
)
def test_hexes_are_as_wide_as_the_mail_allows(board: Board, hexes: float, columns: int) -> None:
    """A hex has twelve columns where that fits, else ten or eight; no board is wider than 7.5 hexes."""
    drawing = draw_board(board, {})

    assert hexes_wide(board) == hexes
    assert max(map(len, drawing)) == hexes * columns + 1


@pytest.mark.parametrize("seed", range(5))
def test_the_cells_around_five_tiles_fit(seed: int) -> None:
    """While the last tile is laid, every empty cell around shows its name, and so does every hex."""
    board = a_board(5, seed, wide=True)
    laid = occupied(board.tiles)
    free = around(laid)

    drawing = draw_board(board, {}, [*free, board.hexes[0].place])

    names = [found for found in WRITTEN.findall("\n".join(drawing)) if found[0].isupper() and found[-1].isdigit()]
    assert sorted(names) == sorted(map(cell_name, {*laid, *free}))
    assert max(map(len, drawing)) <= 72


def test_cells_have_no_names_when_none_is_free() -> None:
    """Of a board that is complete nobody needs the cells, even if the caller calls a laid hex free."""
    complete = draw_board(THREE_TILES, {})

    assert draw_board(THREE_TILES, {}, sorted(occupied(THREE_TILES.tiles))) == complete
    assert "M13" not in "".join(complete)


def test_the_first_tile_has_only_free_cells_around_it() -> None:
    """Without a tile there is still something to show: the cells; without those, nothing."""
    drawing = draw_board(lay_out(()), {}, {(0, 0), (1, 0)})

    assert WRITTEN.findall("\n".join(drawing)) == ["M13", "N13"]
    assert draw_board(lay_out(()), {}) == ()


def test_the_order_of_free_cells_does_not_matter() -> None:
    """Sets have no order, so it must not show."""
    free = around(occupied(THREE_TILES.tiles))

    assert draw_board(THREE_TILES, {}, free) == draw_board(THREE_TILES, {}, free[::-1])


@pytest.mark.parametrize("most", [0, 4, 7])
@pytest.mark.parametrize("board", BOARDS)
def test_box_characters_change_no_place(board: Board, most: int) -> None:
    """With box characters everything written and every mountain is where it is without them."""
    standing = a_crowd(board, most, most)

    plain = draw_board(board, standing)
    boxes = draw_board(board, standing, unicode=True)

    assert len(boxes) == len(plain)
    assert named_points(boxes) == named_points(plain)
    assert spots(boxes, "▲") == spots(plain, "^")
    assert all(spots(boxes, letter) == spots(plain, letter) for letter in CLANS)
    assert not set("".join(boxes)) & set("^|-_'.:/\\")
    assert max(map(len, boxes)) <= 72


GOLDEN_TURNS = r"""
      east             northeast  southwest  northwest  southeast
   .'.     .'.            .'.        ^'.        .'^        .'.
_.' : '._.' : '._      _.'C2a'._  _^^ : '._  _.' ^ ^^_  _.'C1b'._
|C1b:C1a|C2b:C2a|      |'.   ^^^  |C1c:C1b|  |C2a^C2c|  ^'.   .'|
|   :   |   :   |      |berries^  |   :   |  |   ^   |  ^ bears |
| bears |berries|      |C2b:C2c^  | bears |  |berries|  ^C1c:C1a|
|.'C1c'.|.'C2c^^|      |   :   ^  |.'C1a'.|  |.'C2b'.|  ^   :   |
'^     .'.     ^'     .'.  :  .' .'.     .'  '.     .'. '.  :  .'.
  ^^_.'   '._^^    _.'C1a'._.'_.' : '._.'      '._.' : '._'._.'C2b'._
      west         |'.   .'|  ^C2c:C2b|          |C1a:C1c^  |'.   .'|
   ^'.     .'^     | bears |  ^   :   |          |   :   ^  |berries|
_^^C2c'._.'C1c^^_  |C1b:C1c|  ^berries|          | bears ^  |C2c^C2a|
|^^   .'|'.   .'|  |   :   |  ^^^C2a'.|          |.'C1b'.^  |   ^   |
|berries| bears |  '.  :  ^'  '.     .'          '.     .'  '^  ^  .'
|C2a:C2b|C1a:C1b|    '._^^      '._.'              '._.'      ^^_.'
|   :   |   :   |
'.  :  .'.  :  .'
  '._.'   '._.'
"""


def test_the_six_turns_of_a_tile() -> None:
    """Tile C, with mountains within it and on its edges."""
    assert "\n".join(draw_turns(COMPONENTS.tiles["C"])) == GOLDEN_TURNS.strip("\n")


@pytest.mark.parametrize("unicode", [False, True])
@pytest.mark.parametrize("letter", COMPONENTS.tiles)
def test_every_turn_is_drawn_as_on_the_board(letter: str, unicode: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each below its name, and nothing else; the turns do not touch."""
    tile = COMPONENTS.tiles[letter]
    drawn = draw_turns(tile, unicode=unicode)
    left = {(y, x): found for y, line in enumerate(drawn) for x, found in enumerate(line) if found != " "}
    monkeypatch.setattr(board_text, "_HALVES", (4,))

    for rotation, (column, line, middle, above) in enumerate(TURNS_AT):
        board = draw_board(lay_out((LaidTile(tile, 0, 0, rotation),)), {}, unicode=unicode)
        first, second = (0, 0), next_to((0, 0), rotation)
        west, north = (min(0, 4 * (2 * second[0] + second[1])) - 4, min(first[1], second[1]) * 6)
        for y, row in enumerate(board):
            for x, mark in enumerate(row):
                if mark != " ":
                    assert left.pop((line + north + y, column + west + x)) == mark
        name = COMPASS[rotation]
        for x, mark in enumerate(name, middle - len(name) // 2):
            assert left.pop((above, x)) == mark
    assert left == {}
    assert max(map(len, drawn)) <= 72


@pytest.mark.parametrize("letter", COMPONENTS.tiles)
def test_a_turn_has_the_name_of_the_direction_from_hex_1_to_hex_2(letter: str) -> None:
    """The headings are those directions as people read a map."""
    for rotation, name in enumerate(COMPASS):
        laid = lay_out((LaidTile(COMPONENTS.tiles[letter], 0, 0, rotation),))
        points = named_points(draw_board(laid, {}))
        (x, y), (to_x, to_y) = (centre_of(points, f"{letter}{number}a") for number in (1, 2))
        east_or_west = "east" if to_x > x else "west"
        north_or_south = "" if abs(to_y - y) < 1 else "north" if to_y < y else "south"
        assert name == north_or_south + east_or_west

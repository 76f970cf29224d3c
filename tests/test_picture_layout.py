"""Nothing in the picture covers anything else: names, members, signs of food and mountains all stay apart.

The shapes are read from the SVG itself, whatever places the code gives them.
"""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from random import Random
from typing import NamedTuple
from xml.etree import ElementTree

import pytest
from boards import COMPONENTS, a_board, borders, with_mountains
from bots import a_new_record, random_play
from builders import COLOURS, a_clan, a_game

from pbem.first_sparks.briefing.board import picture
from pbem.first_sparks.briefing.board.picture import board_svg
from pbem.first_sparks.components import LaidTile
from pbem.first_sparks.land.board import Board, lay_out
from pbem.first_sparks.state import GameState
from pbem.page import lettering

GAP = 1.5  # in units of the drawing, of which a phone has two for one of its own
LETTERS = set("GRBKWYN")
MOUNTAIN, MEDAL = "#7a4a21", "#fffdf6"
SVG = "{http://www.w3.org/2000/svg}"
Point = complex


class Stroke(NamedTuple):
    """A line from point to point, with round ends, so far to both sides; a disc is one that goes nowhere."""

    start: Point
    end: Point
    radius: float


class Item(NamedTuple):
    """Something in the picture: what it is, the strokes that it is made of, and its left, top, right and bottom."""

    what: str
    strokes: tuple[Stroke, ...]
    box: tuple[float, float, float, float]


def an_item(what: str, strokes: Iterable[Stroke]) -> Item:
    """Return what these strokes make."""
    made = tuple(strokes)
    ends = [(point, stroke.radius) for stroke in made for point in (stroke.start, stroke.end)]
    left, top = (min(at - radius for at, radius in side) for side in sides(ends))
    right, bottom = (max(at + radius for at, radius in side) for side in sides(ends))
    return Item(what, made, (left, top, right, bottom))


def sides(ends: Sequence[tuple[Point, float]]) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
    """Return the ends of strokes as they lie across and as they lie down, each with how far the stroke goes on."""
    return [(point.real, radius) for point, radius in ends], [(point.imag, radius) for point, radius in ends]


def apart(one: Item, other: Item) -> float:
    """Return the distance of two things, or of their boxes if these are far enough apart; 0 or less if they meet."""
    (left, top, right, bottom), (left2, top2, right2, bottom2) = one.box, other.box
    away = max(left2 - right, left - right2, top2 - bottom, top - bottom2)
    if away > GAP:
        return away
    return min(between(mine, theirs) for mine in one.strokes for theirs in other.strokes)


def between(one: Stroke, other: Stroke) -> float:
    """Return the distance of two strokes, less than 0 where they overlap."""
    middle = 0.0 if crossing(one, other) else min(
        *(from_point(point, other) for point in (one.start, one.end)),
        *(from_point(point, one) for point in (other.start, other.end)),
    )  # fmt: skip
    return middle - one.radius - other.radius


def from_point(point: Point, stroke: Stroke) -> float:
    """Return how far a point is from the middle of a stroke."""
    along = stroke.end - stroke.start
    if along == 0:
        return abs(point - stroke.start)
    part = ((point - stroke.start) * along.conjugate()).real / abs(along) ** 2
    return abs(point - stroke.start - along * min(1, max(0, part)))


def crossing(one: Stroke, other: Stroke) -> bool:
    """Return whether the middles of two strokes cross."""

    def divides(of: Stroke, stroke: Stroke) -> float:
        turns = [((of.end - of.start).conjugate() * (point - of.start)).imag for point in (stroke.start, stroke.end)]
        return turns[0] * turns[1]

    return divides(one, other) < 0 and divides(other, one) < 0


def box_of(left: float, top: float, right: float, bottom: float) -> tuple[Stroke, ...]:
    """Return the edge of a box, and a line through its middle, so that nothing can be inside it unseen."""
    corners = (left + top * 1j, right + top * 1j, right + bottom * 1j, left + bottom * 1j, left + top * 1j)
    middle = (top + bottom) / 2 * 1j
    return (*(Stroke(a, b, 0) for a, b in pairwise(corners)), Stroke(left + middle, right + middle, 0))


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write words as the boxes that they take."""

    def written(text: str, x: float, y: float, height: float, *_: object, bold: bool = False) -> str:
        line = (1.15 if bold else 0.8) * height / 12
        across, down = lettering.width_of(text, height) / 2 + line, height / 2 + line
        return f'<text x="{x - across}" y="{y - down}" width="{2 * across}" height="{2 * down}">{text}</text>'

    monkeypatch.setattr("pbem.first_sparks.briefing.board.picture.written", written)


def items(svg: str) -> Iterator[Item]:
    """Yield all names, members, signs of food and mountains of a picture; a member's letter is part of it."""
    yield from _items(ElementTree.fromstring(svg), 0, 1)  # noqa: S314


def _items(element: ElementTree.Element, moved: Point, scale: float) -> Iterator[Item]:
    for name, numbers in re.findall(r"(\w+)\(([^)]*)\)", element.get("transform", "")):
        values = [float(number) for number in numbers.split()]
        if name == "translate":
            moved += complex(*values) * scale
        else:
            assert name == "scale"
            scale *= values[0]

    def at(x: float, y: float) -> Point:
        return moved + complex(x, y) * scale

    tag, wide = element.tag.removeprefix(SVG), float(element.get("stroke-width", "0")) * scale / 2
    if tag == "text":
        x, y, width, height = (float(element.get(key, "")) for key in ("x", "y", "width", "height"))
        far, near = at(x + width, y + height), at(x, y)
        yield an_item(element.text or "", box_of(near.real, near.imag, far.real, far.imag))
    elif tag == "circle" and element.get("stroke"):
        middle = at(float(element.get("cx", "0")), float(element.get("cy", "0")))
        what = "sign" if element.get("fill") == MEDAL else "member"
        yield an_item(what, [Stroke(middle, middle, float(element.get("r", "")) * scale + wide)])
    elif tag == "path" and element.get("stroke") == MOUNTAIN:
        yield an_item("mountain", _lines(element, moved, scale, wide))
    elif tag == "g" and element.get("fill") == MOUNTAIN:
        yield an_item("mountain", (stroke for peak in element for stroke in _lines(peak, moved, scale, wide)))
        return
    for child in element:
        yield from _items(child, moved, scale)


def _lines(path: ElementTree.Element, moved: Point, scale: float, radius: float) -> Iterator[Stroke]:
    """Yield the straight lines of a path, closed or not."""
    shifted = re.search(r"translate\(([-\d.]+) ([-\d.]+)\)", path.get("transform", ""))
    moved += complex(*map(float, shifted.groups())) * scale if shifted else 0
    found = [float(number) for number in re.findall(r"-?\d*\.?\d+", path.get("d", ""))]
    points = [moved + complex(x, y) * scale for x, y in zip(found[::2], found[1::2], strict=True)]
    closed = points + points[:1] * path.get("d", "").endswith("Z")
    yield from (Stroke(start, end, radius) for start, end in pairwise(closed))


def collisions(state: GameState) -> list[str]:
    """Return every two things that touch, where they should not."""
    found = sorted(items(board_svg(state)), key=lambda item: item.box)
    said = []
    for number, one in enumerate(found):
        for other in found[number + 1 :]:
            if other.box[0] - one.box[2] > GAP:
                break
            if apart(one, other) < gap(one, other):
                said.append(f"{one.what} at {one.box} and {other.what} at {other.box}")
    return said


def gap(one: Item, other: Item) -> float:
    """Return how far apart two things should be: members share an outline, and a mountain ends where another begins."""
    what = {one.what, other.what}
    if what == {"member"}:
        return -1
    is_letter_of_a_member = "member" in what and what & LETTERS
    is_free = is_letter_of_a_member or ("mountain" in what and what <= {"mountain", "sign"})
    return -math.inf if is_free else GAP


def crowded(board: Board, most: int, seed: int | None = None) -> GameState:
    """Return a game on that board with so many clans on every space, or up to so many."""
    random = Random(seed)
    here = {space: most if seed is None else random.randint(0, most) for space in board.spaces}
    members = {
        colour: tuple(space for space, clans in here.items() if place < clans)
        for place, colour in enumerate(COLOURS[: max(2, most)])
    }
    clans = {colour: a_clan(members=spaces) for colour, spaces in members.items()}
    return a_game(max(2, most), board=board.tiles, **clans)


@cache
def all_mountains() -> tuple[Board, ...]:
    """Return a tile turned in all ways, its hexes split in both, with a mountain on every border that it has."""
    every = tuple(
        f"{hexagon}:{border}" for hexagon in "12" for border in ("ab", "bc", "ca", *(f"e{n}" for n in range(6)))
    )
    tile = COMPONENTS.tiles["C"]._replace(mountains=every)
    return tuple(
        lay_out((LaidTile(tile._replace(split=(split, split), letter=letter), 0, 0, rotation),))
        for split, letter in ((0, "W"), (1, "M"))
        for rotation in range(6)
    )


@pytest.mark.parametrize("most", range(7))
def test_nothing_touches_where_there_is_a_mountain_on_every_border(most: int, measured: None) -> None:
    """Whatever board there is, no space of it is narrower; with names as wide as they can be."""
    for board in all_mountains():
        assert not collisions(crowded(board, most))


@pytest.mark.parametrize("most", range(7))
@pytest.mark.parametrize("tiles", [3, 4, 5])
def test_nothing_touches_on_a_recommended_board(tiles: int, most: int, measured: None) -> None:
    board = lay_out(COMPONENTS.boards[tiles].tiles)
    assert not collisions(crowded(board, most))
    assert not collisions(crowded(board, most, tiles))


@pytest.mark.parametrize("seed", range(12))
def test_nothing_touches_on_a_random_board(seed: int, measured: None) -> None:
    """As laid, and with mountains on any of its borders."""
    board = a_board(1 + seed % 6, seed)
    raised = with_mountains(board, Random(seed).sample(borders(board), len(borders(board)) // 2))
    assert not collisions(crowded(board, seed % 7, seed))
    assert not collisions(crowded(raised, 6, seed))


def test_nothing_touches_where_the_neutral_clan_stands_and_while_a_tile_is_laid(measured: None) -> None:
    for players in (2, 6):
        for number, (_, _, state) in enumerate(random_play(a_new_record(players), Random(1), most_turns=40)):
            if number % 6 == 0:
                assert not collisions(state)


@pytest.mark.parametrize("name", ["W" * 24, "Zoë", "i", "Влад"])
def test_nothing_touches_below_the_board(name: str, measured: None) -> None:
    state = crowded(lay_out(COMPONENTS.boards[5].tiles), 6, 1)
    clans = tuple(clan._replace(player=name) for clan in state.clans)
    assert not collisions(state._replace(clans=clans))


def test_what_touches_is_found(monkeypatch: pytest.MonkeyPatch, measured: None) -> None:
    """A name where a mountain is, one on the sign of the food, members on the name: these tests see them."""
    board = all_mountains()[0]
    for corner in ((52, -30), (0, 20), (52, -50)):
        monkeypatch.setattr(picture, "_NAME_AT", (corner,) * 6)
        assert collisions(crowded(board, 2))

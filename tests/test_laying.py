"""Laying a tile: the question shows its turns and how to write one, the map where it may lie, the next board it."""

import re
from collections.abc import Iterator
from functools import cache
from random import Random

from bots import SECRET, a_choice, a_new_record
from test_drawing import centre_of, direction_of, named_points

from pbem.first_sparks.adjudicator import adjudicate, choices, who_decides
from pbem.first_sparks.briefing.board.drawing import draw_board, draw_turns
from pbem.first_sparks.briefing.board.picture import board_svg
from pbem.first_sparks.briefing.board.view import COMPASS, free_cells
from pbem.first_sparks.briefing.question import question
from pbem.first_sparks.chance.draws import source
from pbem.first_sparks.components import LaidTile
from pbem.first_sparks.land.board import cell_place, next_to
from pbem.first_sparks.moves import Lay
from pbem.first_sparks.phases import Laying
from pbem.first_sparks.play import played
from pbem.first_sparks.state import GameState
from pbem.page.page import Drawing
from pbem.page.text import WIDTH, lines_of


@cache
def layings() -> tuple[GameState, ...]:
    """Return the states of some games in which a tile is to be laid."""
    found = []
    for players in (2, 3, 5, 6):
        record, random = a_new_record(players, f"laying-{players}"), Random(players)
        while isinstance(record.state.phase, Laying):
            found.append(record.state)
            decides = who_decides(record.state)
            assert decides is not None
            record, _ = played(record, decides, a_choice(record.state, random), source(record.game, SECRET))
    return tuple(found)


def lays(state: GameState) -> Iterator[tuple[Lay, GameState]]:
    """Yield legal orders to lay the tile, and the state after each."""
    decides = who_decides(state)
    assert decides is not None
    for move in list(choices(state))[::3]:
        assert isinstance(move, Lay)
        yield move, adjudicate(state, decides, move)


def test_the_question_shows_the_six_turns_and_explains_the_order_with_a_legal_example() -> None:
    for state in layings():
        assert isinstance(state.phase, Laying)
        letter = state.phase.tile
        blocks = question(state, who_decides(state))
        text = " ".join(" ".join(lines_of(blocks)).split())
        example = re.search(rf"{letter}1 on (\w\d+) and {letter}2 on (\w\d+) is the turn (\w+)\.", text)
        assert example is not None

        assert [block.lines for block in blocks if isinstance(block, Drawing)] == [
            draw_turns(state.components.tiles[letter])
        ]
        assert "Write lay CELL CELL:" in text
        assert max(map(len, lines_of(blocks))) <= WIDTH
        after = next(after for move, after in lays(state) if (move.first, move.second) == example.groups()[:2])
        assert COMPASS[after.board.tiles[-1].rotation] == example[3]


def test_every_cell_that_the_tile_may_cover_is_on_the_map_and_no_other() -> None:
    for state in layings():
        legal = {cell for move in choices(state) if isinstance(move, Lay) for cell in (move.first, move.second)}
        drawn = "\n".join(draw_board(state.board, {}, free_cells(state)))
        laid = {f"{match}" for match in re.findall(r"\b[A-Z]\d\d?\b", drawn)}
        covered = {hexagon.place for hexagon in state.board.hexes}

        assert {cell for cell in laid if cell_place(cell) not in covered} == legal
        assert board_svg(state).count('stroke-dasharray="6 8"') == len(legal)


def test_the_board_after_a_lay_shows_the_tile_where_and_as_it_was_laid() -> None:
    """On the cells of the order, in the turn that leads from one to the other, with the mountains of that turn."""
    for state in layings():
        assert isinstance(state.phase, Laying)
        tile = state.components.tiles[state.phase.tile]
        for move, after in lays(state):
            drawn = draw_board(after.board, {}, unicode=True)
            points = named_points(drawn)
            first, second = (centre_of(points, f"{tile.letter}{number}a") for number in (1, 2))
            rotation = direction_of(first, second)
            assert next_to(cell_place(move.first), rotation) == cell_place(move.second)
            assert after.board.tiles[-1] == LaidTile(tile, *cell_place(move.first), rotation)
            for hexagon in state.board.hexes:
                if hexagon.place in [next_to(cell_place(move.first), side) for side in range(6)]:
                    beside = centre_of(points, f"{hexagon.name}a")
                    assert next_to(cell_place(move.first), direction_of(first, beside)) == hexagon.place

"""The text in lists: it says all that the drawing and the tables say, and nothing in it is drawn or in columns."""

import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from random import Random

import pytest
from boards import COMPONENTS, a_board
from bots import SECRET, a_choice, a_new_record
from builders import a_clan, a_game
from forked import run_program
from test_summary import all_games
from work import Some

from pbem.first_sparks.adjudicator import adjudicate, choices, who_decides
from pbem.first_sparks.briefing.board.drawing import draw_board, draw_turns
from pbem.first_sparks.briefing.board.lists import board_items, turn_items
from pbem.first_sparks.briefing.board.view import COMPASS, clans_by_space, free_cells
from pbem.first_sparks.briefing.routes import routes
from pbem.first_sparks.briefing.situation import for_letter, situation
from pbem.first_sparks.briefing.words import who
from pbem.first_sparks.chance.draws import source
from pbem.first_sparks.choice import main_choices
from pbem.first_sparks.components import LaidTile
from pbem.first_sparks.land.board import lay_out, mountains_shown, next_to
from pbem.first_sparks.moves import Lay
from pbem.first_sparks.phases import Laying, Spreading
from pbem.first_sparks.play import played
from pbem.first_sparks.record import History, Record
from pbem.first_sparks.secrecy import may_read
from pbem.first_sparks.state import GameState
from pbem.page.glue import unglued
from pbem.page.page import Choices, Column, Drawing, Grid, Items, Page, Picture, Profiles, Prose, Section
from pbem.page.plain import in_lists
from pbem.page.text import WIDTH, text_of
from pbem.reading.lines import is_order

SPACE = re.compile(
    r"(?P<space>\w\d[abc]) \((?P<food>\w+)\): (?P<who>[^.]+)\."
    r"(?: Next to it: (?P<near>[^.]+)\.)?(?: Beyond a mountain: (?P<far>[^.]+)\.)?"
)
EDGES = re.compile(r"Mountains on the edge of the board: (?P<edges>[^.]+)\.")
TILES = re.compile(r"The tiles lie on these cells: (?P<on>[^.]+)\.")
CELL = re.compile(
    r"Cell (?P<cell>\w\d+) can be covered\.(?: Next to it: (?P<near>[^.]+)\.)?(?: Beyond a mountain: (?P<far>[^.]+)\.)?"
)


def parts(text: str | None) -> list[str]:
    """Return the items of a list in a sentence."""
    return re.split(", | and ", text) if text else []


@cache
def records() -> tuple[Record, ...]:
    """Return games of 2 to 6 players, at many of their turns."""
    found = []
    for players in (2, 3, 4, 5, 6):
        record, random = a_new_record(players, f"plain-{players}", hide_food=players == 4), Random(players)
        while (decides := who_decides(record.state)) is not None and record.turn < 90:
            if record.turn < 10 or record.turn % 9 == 0:
                found.append(record)
            record, _ = played(record, decides, a_choice(record.state, random), source(record.game, SECRET))
        found.append(record)
    return tuple(found)


def plain_text(state: GameState, viewer: str | None, history: History = ()) -> str:
    return text_of(situation(state, viewer, history, game="friday", turn=5, head="0" * 64, plain=True))


def in_one_line(text: str) -> list[str]:
    """Return every paragraph or item, without the ends of its lines."""
    return re.sub(r"\n  (?=\S)", " ", text).split("\n")


# The board


def test_every_space_member_neighbour_and_mountain_is_in_the_list() -> None:
    """Read from the whole text as a program would, and compared with the state."""
    for record in records():
        state = record.state
        lines = in_one_line(plain_text(state, state.order[0], record.history[-9:]))
        found = [match for line in lines if (match := SPACE.fullmatch(line.removeprefix("- ")))]
        clans = clans_by_space(state)

        assert [match["space"] for match in found] == list(state.board.spaces)
        for match in found:
            space = match["space"]
            named = [unglued(who(state, clan)) for clan in clans.get(space, ())] or ["nobody"]
            around = dict(state.board.neighbours[space])
            assert match["food"] == state.board.foods[space[:2]]
            assert parts(match["who"]) == named
            assert set(parts(match["near"])) == {there for there, mountain in around.items() if not mountain}
            assert set(parts(match["far"])) == {there for there, mountain in around.items() if mountain}


def test_the_neutral_clan_stands_in_the_list() -> None:
    state = a_game(2, neutral=("B1a",), red=a_clan(members=("B1a",)))
    (item,) = [unglued(item) for item in board_items(state) if item.startswith("B1a ")]

    assert ": Christian (red) and the neutral clan." in item


@pytest.mark.parametrize("seed", range(20))
def test_the_mountains_on_the_edge_of_the_board_are_in_the_list(seed: int) -> None:
    board = a_board(4, seed)
    state = a_game(4, board=board.tiles)
    places = {hexagon.name: hexagon for hexagon in board.hexes}
    edges = {
        f"{places[name].sides[side]} to the {COMPASS[side]}"
        for laid in board.tiles
        for name, side in mountains_shown(laid)
        if isinstance(side, int) and next_to(places[name].place, side) not in board.covered
    }
    found = [match for item in board_items(state) if (match := EDGES.fullmatch(unglued(item)))]

    assert {edge for match in found for edge in parts(match["edges"])} == edges
    assert len(found) == bool(edges)


def test_every_cell_for_a_tile_is_in_the_list_with_what_will_lie_next_to_it() -> None:
    """As the board is after each legal order, wherever the new tile shows no mountain of its own."""
    laying = [record.state for record in records() if isinstance(record.state.phase, Laying)]
    assert len(laying) > 10
    for state in laying:
        assert isinstance(state.phase, Laying)
        decides, letter = who_decides(state), state.phase.tile
        assert decides is not None
        items = [unglued(item) for item in board_items(state)]
        cells = {match["cell"]: match for item in items if (match := CELL.fullmatch(item))}
        (on,) = [match for item in items if (match := TILES.fullmatch(item))]
        covered = re.findall(r"(\w\d) on (\w\d+)", on["on"])
        assert len(covered) == len(state.board.hexes)
        moves = [move for move in choices(state) if isinstance(move, Lay)]
        assert set(cells) == {cell for move in moves for cell in (move.first, move.second)}
        for move in moves:
            board = adjudicate(state, decides, move).board
            own = {border for border in mountains_shown(board.tiles[-1]) if isinstance(border[1], int)}
            for name, cell, other in ((f"{letter}1", move.first, move.second), (f"{letter}2", move.second, move.first)):
                near, far = (set(parts(cells[cell][key])) for key in ("near", "far"))
                assert f"cell {other}" in near
                beside = {there: mountain for x in "abc" for there, mountain in board.borders[f"{name}{x}"].items()}
                old = {there: mountain for there, mountain in beside.items() if there[0] != letter}
                assert {there for there in near if " " not in there} | far == set(old)
                if not any(hexagon == name for hexagon, _ in own):
                    assert far >= {there for there, mountain in old.items() if mountain}


def test_every_side_and_mountain_of_each_turn_is_in_the_list() -> None:
    for letter, tile in COMPONENTS.tiles.items():
        items = [unglued(item) for item in turn_items(tile)]
        flat = lay_out((LaidTile(tile, 0, 0, 0),))
        inner = {
            frozenset((here, there)): mountain
            for here, around in flat.neighbours.items()
            for there, mountain in around
            if mountain or here[:2] != there[:2]
        }
        said = {frozenset(re.findall(r"\w\d[abc]", item)): int("mountain" in item) for item in items[:-6]}
        assert said == inner
        for rotation, item in enumerate(items[-6:]):
            laid = LaidTile(tile, 0, 0, rotation)
            shown = set(mountains_shown(laid))
            sides = re.findall(r"(\w+) (\w\d[abc])( with a mountain)?", item)
            assert item.startswith(f"Turn {COMPASS[rotation]}. Sides of {letter}1: ")
            assert [(side, space, bool(mountain)) for side, space, mountain in sides] == [
                (COMPASS[side], space, (hexagon.name, side) in shown)
                for hexagon, facing in zip(lay_out((laid,)).hexes, (rotation, (rotation + 3) % 6), strict=True)
                for side, space in enumerate(hexagon.sides)
                if side != facing
            ]


# The tables


def test_every_cost_is_in_the_list() -> None:
    """Of every choice, and of every space in reach."""
    spreads = 0
    for record in records():
        state, decides = record.state, who_decides(record.state)
        if decides is None or not may_read(state, decides):
            continue
        lines = in_one_line(plain_text(state, decides))
        if isinstance(state.phase, Spreading):
            for route in routes(state, state.clan(decides)):
                row = next(line for line in lines if line.startswith(f"- space: {route.space}; "))
                assert f"; cost: {route.cost.total}; " in row
                assert ("; adds: " in row) == bool(route.mountain or route.shared)
                assert ("^1" in row) == bool(route.mountain)
                assert row.endswith(f"; spread: {' '.join(route.spaces)}")
                spreads += 1
        if any(line.startswith("- ") and "; cost: " in line for line in lines):
            told = {
                line.split("; ")[0][2:]: line.split("; ")[1] for line in lines if re.match(r"- [a-z].*; cost: ", line)
            }
            for choice in main_choices(state):
                if choice.order in told:
                    assert told[choice.order] == f"cost: {'-' if choice.cost is None else choice.cost}"
    assert spreads > 20


def test_every_cell_of_a_table_is_in_an_item_with_the_title_of_its_column(some: Some) -> None:
    """And all other words of the page are there too, but for those about the drawing."""
    for state, turn, history in some(all_games(), 6):
        viewer = state.order[0]
        drawn, listed = (
            for_letter(
                state, viewer, history, game="friday", turn=turn, to_answer="{order}", course=history, plain=plain
            )
            for plain in (False, True)
        )
        plain = in_lists(Page(listed)).sections
        assert [section.key for section in plain] == [section.key for section in drawn]
        for before, after in zip(drawn, plain, strict=True):
            rows = [unglued(item) for block in after.blocks if isinstance(block, Items) for item in block.items]
            prose = [block.text for block in after.blocks if isinstance(block, Prose)]
            assert (before.heading, before.gloss) == (after.heading, after.gloss)
            assert after.picture is None
            assert not any(isinstance(block, Grid | Profiles) for block in after.blocks)
            assert not any(isinstance(block, Drawing) for block in after.blocks)
            for block in before.blocks:
                if isinstance(block, Grid):
                    for row in block.rows:
                        cells = (
                            [unglued(" ".join(cell.split())) for cell in row if cell.strip()]
                            if not isinstance(row, str)
                            else []
                        )
                        assert isinstance(row, tuple) or row in prose
                        assert not cells or any(all(cell in item for cell in cells) for item in rows)
                elif isinstance(block, Profiles):
                    for profile in block.profiles:
                        assert profile.title in prose
                        assert all(f"{name}: {unglued(text)}" in rows for name, text in profile.facts)
                elif isinstance(block, Choices):
                    assert block._replace(listed=True) in after.blocks
                elif isinstance(block, Prose) and before.key != "board":
                    assert block.text in prose


def test_a_title_is_not_said_twice_and_a_sign_is_a_word() -> None:
    table = Grid(
        (Column("card"), Column("^", right=True, spoken="mountain"), Column("you")),
        (("#7 rod", "+1", "you can pay"), ("#8", "", "no"), "others:", ("#9",)),
    )

    listed = in_lists(Page((Section("market", (table,)),))).sections[0].blocks

    assert listed == (
        Items(("card: #7 rod; mountain: +1; you can pay", "card: #8; you: no")),
        Prose("others:"),
        Items(("card: #9",)),
    )


def test_a_drawing_without_words_is_left_out_and_so_is_the_picture_of_a_section() -> None:
    section = Section("board", (Drawing(("/\\",)), Prose("That is all.")), "BOARD", picture=Picture("a board", "X"))

    assert in_lists(Page((section,))).sections == (Section("board", (Prose("That is all."),), "BOARD"),)


# Its form


@pytest.mark.slow
def test_nothing_is_drawn_and_nothing_stands_in_columns(some: Some) -> None:
    """72 columns, ASCII, and no blanks within a line but one at a time; no line is an order, but those to copy."""
    for state, turn, history in some(all_games(hide_food=True), 5):
        for viewer in (*state.order, None):
            text = text_of(
                situation(state, viewer, history, game="friday", turn=turn, head="0" * 64, plain=True, course=history)
            )
            lines = text.split("\n")
            drawing = {line.strip() for line in draw_board(state.board, {}, free_cells(state))}
            if isinstance(state.phase, Laying):
                drawing |= {line.strip() for line in draw_turns(state.components.tiles[state.phase.tile])}
            assert text.isascii()
            assert max(map(len, lines)) <= WIDTH
            assert not drawing.intersection(line.strip() for line in lines if line.strip())
            assert not any(re.search(r"\S  +\S|[|\\]|\.-'|^ {3}", line) for line in lines)
            assert not any(is_order(line.removeprefix("- ")) for line in lines if not line.startswith("order: "))


def test_the_text_is_only_plain_where_that_is_wanted() -> None:
    record = records()[20]
    state = record.state
    drawn = text_of(situation(state, None, game="friday", turn=5, head="0" * 64))

    assert plain_text(state, None) != drawn
    assert not any(CELL.match(line) or SPACE.match(line) for line in in_one_line(drawn))


# The commands


def test_new_play_and_show_print_lists(tmp_path: Path) -> None:
    path = tmp_path / "friday.toml"
    new = run_program(
        "new",
        path,
        "Ann:red",
        "Bob:blue",
        "Cara:green",
        "--board",
        "recommended",
        "--i-chose-it",
        "--secret",
        "0" * 64,
        "--plain",
    )
    show = run_program("show", path, "--as", "green", "--plain")
    play = run_program("play", path, "--order", "stay", "--as", "green", "--plain")
    data = run_program("show", path, "--plain", "--unicode", "--json")

    for done in (new, show, play):
        assert done.returncode == 0, done.stderr
        assert re.search(r"^- \w\d[abc] \(\w+\): nobody\.", done.stdout, re.M)
        assert "- food: berries; tokens: " in done.stdout
        assert "|" not in done.stdout
    assert data.returncode == 0
    assert run_program("show", path, "--plain", "--unicode").stdout.isascii()


def test_a_text_that_is_drawn_loads_nothing_of_lists() -> None:
    """Nor what folds the news, as long as they are short."""
    loaded = (
        "import sys; import pbem.first_sparks.briefing.situation, pbem.report, pbem.cli.turn;"
        "print([name for name in sys.modules if name.endswith(('.plain', '.board.lists', '.folding'))])"
    )
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"

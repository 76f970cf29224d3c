"""Preparation: Herbs, landscape tiles, harvest spaces, market and draw pile."""

from itertools import product

import pytest
from builders import NAMES, played, refused, the_components

from pbem.first_sparks.adjudicator import carry_on, choices, new_game, who_decides
from pbem.first_sparks.components import LaidTile
from pbem.first_sparks.events import HerbsDealt, PlayerOrderSet, TileDrawn, TileLaid
from pbem.first_sparks.land.board import Hex, cell_name, cell_place, lay_out, next_to, occupied, places
from pbem.first_sparks.moves import Draw, Lay
from pbem.first_sparks.options import BoardWay, Options
from pbem.first_sparks.phases import DealingHerbs, DrawingTile, Laying, Settling, SettlingNeutral
from pbem.first_sparks.rules.preparation import refill_numbers
from pbem.first_sparks.state import GameState, Harvest

EVERY_NUMBER = pytest.mark.parametrize("players", range(2, 7), ids="{} players".format)
HERBS = ("* draw 1", "* draw 2", "* draw 3")


def a_new_game(players: int, board: BoardWay = "players") -> GameState:
    """Return a game before its first draw; green is seated first, then red, blue, black, white, yellow."""
    return new_game(the_components(), tuple(NAMES.items())[:players], Options(board=board))


def carried_on(state: GameState) -> GameState:
    """Return the state at the next choice of a player, chance giving its first candidate each time."""
    for *_, after in carry_on(state, lambda n, k: 0):
        state = after
    return state


# Clans


@EVERY_NUMBER
def test_each_clan_begins_with_7_food(players: int) -> None:
    """Rule: starting-clan (R1.1)."""
    game = a_new_game(players)

    assert [(clan.colour, clan.player) for clan in game.clans] == list(NAMES.items())[:players]
    assert {clan.food for clan in game.clans} == {7}
    assert not any(clan.cards or clan.members for clan in game.clans)


# Herbs


@EVERY_NUMBER
def test_the_lowest_herbs_are_dealt_one_for_each_player(players: int) -> None:
    """FAQ: use cards 1 to N and no others. Rule: deal-herbs (R1.2)."""
    game = a_new_game(players)

    assert game.phase == DealingHerbs("green")
    assert who_decides(game) == "*"
    assert list(choices(game)) == [Draw(str(number)) for number in range(1, players + 1)]


def test_nobody_is_dealt_herbs_that_another_has() -> None:
    """Rules: deal-herbs (R1.2), draw-possible (R10.2)."""
    game = played(a_new_game(3), "* draw 2")

    assert game.phase == DealingHerbs("red")
    assert refused(game, "* draw 2") == {"draw-possible": "2 cannot be drawn now"}


def test_the_highest_herbs_is_the_first_player() -> None:
    """FAQ: the highest numbered Herb card is player 1. Rule: deal-herbs (R1.2)."""
    game = played(a_new_game(3), "* draw 2", "* draw 3", "* draw 1")

    assert game.order == ("red", "green", "blue")
    assert [clan.cards[0].number for clan in game.clans] == [3, 2, 1]
    assert game.events == (HerbsDealt("blue", 1), PlayerOrderSet(("red", "green", "blue")))


# Harvest spaces


@EVERY_NUMBER
def test_the_starting_harvest_is_the_same_for_every_number_of_players(players: int) -> None:
    """FAQ: the initial supply is fixed. Rule: starting-harvest (R1.3)."""
    game = a_new_game(players)

    assert game.harvest == Harvest(berries=4, fish=2, bears=3, mammoths=2)


# Landscape tiles


@pytest.mark.parametrize(
    ("players", "pool"),
    [(2, "ABCD"), (3, "ABCD"), (4, "ABCDE"), (5, "ABCDEF"), (6, "ABCDEF")],
    ids=str,
)
def test_marked_tiles_are_for_more_players(players: int, pool: str) -> None:
    """FAQ: 4, 5 or 6 tiles make the deck. Rule: tile-pool (R1.4)."""
    game = a_new_game(players)

    assert game.tiles == tuple(pool)


@pytest.mark.parametrize(
    ("players", "tiles"), [(2, 3), (3, 3), (4, 4), (5, 5), (6, 6)], ids=["2 play with 3", "3", "4", "5", "6"]
)
def test_one_tile_a_player_is_laid_but_three_for_two(players: int, tiles: int) -> None:
    """Rule: tiles-in-play (R1.4)."""
    game = carried_on(a_new_game(players, "random"))

    assert isinstance(game.phase, Settling | SettlingNeutral)
    assert len(game.board.tiles) == tiles
    assert len(game.board.spaces) == 6 * tiles


def test_tiles_are_drawn_and_laid_in_player_order() -> None:
    """Rule: lay-tiles (R1.5)."""
    game = played(a_new_game(3), "* draw 2", "* draw 3", "* draw 1")

    assert game.phase == DrawingTile("red")
    assert list(choices(game)) == [Draw("A"), Draw("B"), Draw("C"), Draw("D")]
    game = played(game, "* draw C")
    assert game.phase == Laying("red", "C")
    assert who_decides(game) == "red"
    assert game.events == (TileDrawn("red", "C"),)
    game = played(game, "red lay M13 N13")
    assert game.phase == DrawingTile("green")
    assert list(choices(game)) == [Draw("A"), Draw("B"), Draw("D")]
    assert game.events == (TileLaid("red", "C", ("M13", "N13")),)
    game = played(game, "* draw A", "green lay M14 N14")
    assert game.phase == DrawingTile("blue")


def test_the_second_of_two_players_lays_the_third_tile() -> None:
    """Rule: two-players-lay (R1.5)."""
    game = played(a_new_game(2), "* draw 2", "* draw 1")

    assert game.phase == DrawingTile("green")
    game = played(game, "* draw A", "green lay M13 N13")
    assert game.phase == DrawingTile("green")
    game = played(game, "* draw B", "green lay M14 N14")
    assert game.phase == DrawingTile("red")
    game = played(game, "* draw C", "red lay O13 O12")
    assert game.phase == SettlingNeutral("red")


def test_two_hexes_of_a_tile_touch() -> None:
    """Rule: lay-joined-cells (R1.5)."""
    game = played(a_new_game(3), *HERBS, "* draw C", "blue lay M13 N13", "* draw A")

    assert refused(game, "red lay M14 O14") == {"lay-joined-cells": "M14 and O14 are not next to each other"}


def test_the_first_tile_has_one_place() -> None:
    """Rule: lay-first-tile (R1.5)."""
    game = played(a_new_game(3), *HERBS, "* draw C")

    assert list(choices(game)) == [Lay("M13", "N13")]
    assert refused(game, "blue lay N13 M13") == {"lay-first-tile": "the first tile must lie on M13 N13"}
    assert refused(game, "blue lay M13 M12") == {"lay-first-tile": "the first tile must lie on M13 N13"}
    assert refused(game, "blue lay M14 N14") == {"lay-first-tile": "the first tile must lie on M13 N13"}


@pytest.mark.parametrize(("order", "taken"), [("N13 O13", "N13"), ("O13 N13", "N13"), ("N13 M13", "N13 and M13")])
def test_no_tile_covers_another(order: str, taken: str) -> None:
    """Rule: lay-empty-cells (R1.5)."""
    game = played(a_new_game(3), *HERBS, "* draw C", "blue lay M13 N13", "* draw A")

    assert refused(game, f"red lay {order}") == {"lay-empty-cells": f"a tile already lies on {taken}"}


def test_the_second_tile_touches_the_first() -> None:
    """Rule: lay-touching (R1.5)."""
    game = played(a_new_game(3), *HERBS, "* draw C", "blue lay M13 N13", "* draw A")

    assert played(game, "red lay O13 P13").board.foods.keys() == {"A1", "A2", "C1", "C2"}
    assert refused(game, "red lay P13 Q13") == {
        "lay-touching": "the tile must touch the tile on the board",
    }


def test_each_later_tile_touches_two() -> None:
    """Two edges of the same tile are not enough. Rule: lay-touching (R1.5)."""
    game = played(a_new_game(3), *HERBS, "* draw C", "blue lay M13 N13", "* draw A", "red lay O13 P13", "* draw B")

    assert refused(game, "green lay M14 L14") == {
        "lay-touching": "the tile must touch at least 2 tiles on the board, not 1",
    }
    assert refused(game, "green lay M15 L15") == {
        "lay-touching": "the tile must touch at least 2 tiles on the board, not 0",
    }
    assert len(played(game, "green lay N14 O14").board.tiles) == 3


def test_every_way_to_lay_is_listed_once() -> None:
    """Listed is what is legal, among all cells around the board. Rule: lay-tiles (R1.5)."""
    game = played(a_new_game(3), *HERBS, "* draw C", "blue lay M13 N13", "* draw A", "red lay M14 N14", "* draw B")

    listed = [move for move in choices(game) if isinstance(move, Lay)]

    cells: list[Hex] = list(product(range(-6, 8), range(-6, 8)))
    ways = [(cell_name(cell), cell_name(next_to(cell, direction))) for cell in cells for direction in range(6)]
    legal = {(first, second) for first, second in ways if is_legal(game, Lay(first, second))}
    assert {(move.first, move.second) for move in listed} == legal
    assert len(listed) == len(legal) > 10


def is_legal(game: GameState, move: Lay) -> bool:
    """Return whether the tile may lie there, by the geometry alone: empty cells, and two tiles touched."""
    first, second = cell_place(move.first), cell_place(move.second)
    around = {next_to(cell, direction) for cell in (first, second) for direction in range(6)}
    touched = [tile for tile in game.board.tiles if not around.isdisjoint(places(tile))]
    return occupied(game.board.tiles).isdisjoint((first, second)) and len(touched) >= 2


# The way to the board


def test_the_players_lay_the_board_unless_the_table_wants_it_otherwise() -> None:
    """Rule: way-to-the-board (R1.10)."""
    game = played(a_new_game(3), *HERBS, "* draw C")

    assert Options().board == "players"
    assert who_decides(game) == "blue"


def test_chance_lays_a_random_board() -> None:
    """It lays for the clan whose turn it is, by the rules that bind a player. Rule: way-to-the-board (R1.10)."""
    game = played(a_new_game(3, "random"), *HERBS, "* draw C")

    assert game.phase == Laying("blue", "C")
    assert who_decides(game) == "*"
    game = played(game, "* lay M13 N13", "* draw A")
    assert "lay-touching" in refused(game, "* lay P13 Q13")
    assert game.draws == 6


@pytest.mark.parametrize(("players", "board"), [(2, 3), (3, 3), (4, 4), (5, 5)], ids="{0}".format)
def test_a_recommended_board_is_laid_from_the_start(players: int, board: int) -> None:
    """No tile is drawn, and two players use the board for three. Rule: way-to-the-board (R1.10)."""
    game = a_new_game(players, "recommended")

    assert game.board == lay_out(the_components().boards[board].tiles)
    assert len(game.board.tiles) == board
    assert game.tiles == ()
    game = played(game, *(f"* draw {number}" for number in range(1, players + 1)))
    assert isinstance(game.phase, Settling | SettlingNeutral)


# Refill numbers


def test_the_rulebooks_example_of_three_players() -> None:
    """Worked example 1: 2 berry, 1 fish, 1 bear, 2 mammoth areas. Rule: refill-numbers (R1.6)."""
    board = lay_out(the_components().boards[3].tiles)

    refill = refill_numbers(board, 3)

    assert board.areas == (2, 1, 1, 2)
    assert refill == Harvest(berries=5, fish=3, bears=2, mammoths=3)


def test_the_rulebooks_example_of_four_players() -> None:
    """Worked example 2: 3 berry bushes, 2 lakes, 2 woods, 1 valley. Rule: refill-numbers (R1.6)."""
    board = lay_out(the_components().boards[4].tiles)

    refill = refill_numbers(board, 4)

    assert board.areas == (3, 2, 2, 1)
    assert refill == Harvest(berries=7, fish=4, bears=3, mammoths=2)


@pytest.mark.parametrize(
    ("players", "base"),
    [(2, (2, 1, 0, 0)), (3, (3, 2, 1, 1)), (4, (4, 2, 1, 1)), (5, (5, 3, 2, 1)), (6, (6, 4, 3, 1))],
    ids=["2 players", "3 players", "4 players", "5 players", "6 players"],
)
def test_refill_is_a_base_for_the_players_and_one_for_each_area(players: int, base: tuple[int, ...]) -> None:
    """Rule: refill-numbers (R1.6)."""
    fish_and_bears = lay_out((LaidTile(the_components().tiles["A"], 0, 0, 0),))

    assert refill_numbers(lay_out(()), players) == base
    assert refill_numbers(fish_and_bears, players) == (base[0], base[1] + 1, base[2] + 1, base[3])


# Market and pile


@pytest.mark.parametrize("players", range(3, 7), ids="{} players".format)
def test_the_market_begins_with_cards_7_to_14(players: int) -> None:
    """Rule: starting-market (R1.7)."""
    market = a_new_game(players).market

    assert market.current == (7, 8, 9, 10)
    assert market.future == (11, 12, 13, 14)
    assert market.crop is None


@pytest.mark.parametrize(
    ("players", "removed", "size"), [(3, 6, 22), (4, 3, 25), (5, 0, 28), (6, 0, 28)], ids=["3", "4", "5", "6"]
)
def test_fewer_players_remove_more_cards_unseen(players: int, removed: int, size: int) -> None:
    """Any of the other cards may be among those removed, and Shuffle comes last. Rule: starting-pile (R1.8)."""
    pile = a_new_game(players).pile

    assert pile.never == removed
    assert pile.size == size
    assert (*pile.top, *pile.unseen) == tuple(range(15, 42))
    assert pile.shuffle
    assert pile.under == ()


def test_card_15_is_on_top_for_six_players() -> None:
    """Rule: starting-pile (R1.8)."""
    assert a_new_game(6).pile.top == (15,)
    assert [a_new_game(players).pile.top for players in range(2, 6)] == [()] * 4


def test_two_players_leave_eight_cards_out_and_open_six() -> None:
    """Rule: two-players-set-up (R1.9)."""
    game = a_new_game(2)

    assert game.market.current == (7, 8, 9)
    assert game.market.future == (12, 13, 14)
    assert set(range(7, 42)).difference(game.market.cards, game.pile.unseen) == {10, 11, 15, 20, 24, 26, 33, 39}
    assert game.pile.never == 2
    assert game.pile.size == 20

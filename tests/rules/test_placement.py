"""The placement round: first members, perhaps second ones, and the first player order."""

import pytest
from builders import a_clan, a_game, played, refused, two_tiles, walk_from

from pbem.first_sparks.adjudicator import choices, forced, walk_on
from pbem.first_sparks.events import MembersPlaced, PlayerOrderSet
from pbem.first_sparks.moves import Add, Settle, Stay
from pbem.first_sparks.options import Options
from pbem.first_sparks.phases import Adding, Offering, Settling, SettlingNeutral
from pbem.first_sparks.rules.placement import set_first_order

RECOMMENDED = Options(board="recommended")


# First members


def test_the_last_player_settles_first() -> None:
    """FAQ: settling begins with Herbs 1. Rule: first-member (R2.1)."""
    game = walk_from("settle")

    assert game.phase == Settling("blue")
    game = played(game, "blue settle C1a")
    assert game.phase == Settling("red")
    game = played(game, "red settle B1a")
    assert game.phase == Settling("green")


def test_the_first_member_is_free() -> None:
    """FAQ: you still have your 7 food, even in a space behind mountains. Rule: first-member (R2.1)."""
    game = played(walk_from("settle"), "blue settle D1b")

    assert game.clan("blue").members == ("D1b",)
    assert game.clan("blue").food == 7
    assert game.events == (MembersPlaced("blue", ("D1b",), 0),)


def test_next_to_a_hunting_area_only_one_clan_settles() -> None:
    """Also its other spaces are closed. Rule: settle-free-area (R2.1)."""
    game = played(walk_from("settle"), "blue settle C1a")

    assert refused(game, "red settle C1b") == {"settle-free-area": "Steffi already stands next to C1"}
    assert refused(game, "red settle C1a") == {"settle-free-area": "Steffi already stands next to C1"}
    assert Settle("C2a") in choices(game)
    assert {str(move) for move in choices(game)} == {
        f"settle {hexagon}{letter}" for hexagon in ("B1", "B2", "C2", "D1", "D2") for letter in "abc"
    }


def test_a_space_of_another_tile_across_the_edge_is_free() -> None:
    """C2b and C1a touch, but lie next to different hunting areas. Rule: first-member (R2.1)."""
    game = played(walk_from("settle"), "blue settle C1a", "red settle C2b")

    assert game.clan("red").members == ("C2b",)


def test_nobody_settles_where_no_space_is() -> None:
    """Rule: space-on-board (R0)."""
    game = walk_from("settle")

    assert refused(game, "blue settle F1a") == {
        "space-on-board": ("F1a is not on the board; its hexes are B1 B2 C1 C2 D1 D2, each with the spaces a, b and c")
    }


@pytest.mark.parametrize("players", [3, 4, 5])
def test_on_a_recommended_board_the_last_player_starts_on_the_first_starting_space(players: int) -> None:
    """Rule: recommended-starting-spaces (R1.10)."""
    game = walk_from("settle", players, options=RECOMMENDED)
    starts = game.components.boards[players].start

    for colour, start in zip(game.order[::-1], starts, strict=True):
        assert game.phase == Settling(colour)
        assert forced(game) == Settle(start)
        game = played(game, f"{colour} settle {start}")


def test_on_a_recommended_board_the_starting_spaces_are_given() -> None:
    """Both reasons are told at once. Rules: settle-starting-space (R1.10), settle-free-area (R2.1)."""
    game = played(walk_from("settle", options=RECOMMENDED), "blue settle C1c")

    assert refused(game, "red settle C1a") == {
        "settle-free-area": "Steffi already stands next to C1",
        "settle-starting-space": "on the recommended board this clan starts on B2b, not C1a",
    }


def test_two_players_choose_among_the_starting_spaces() -> None:
    """The neutral clan's is chosen first. Rule: settle-starting-space (R1.10)."""
    game = walk_from("settle_neutral", 2, neutral=None, options=RECOMMENDED)

    assert {str(move) for move in choices(game)} == {f"settle neutral {space}" for space in ("C1c", "B2b", "C2c")}
    game = played(game, "red settle neutral B2b")
    assert list(choices(game)) == [Settle("C1c"), Settle("C2c")]
    assert refused(game, "red settle D1a") == {
        "settle-starting-space": "on the recommended board this clan starts on C1c, B2b or C2c, not D1a"
    }


def test_the_second_player_settles_for_the_neutral_clan_before_all() -> None:
    """Rule: neutral-first-member (R2.2)."""
    game = walk_from("settle_neutral", 2, neutral=None)

    assert game.phase == SettlingNeutral("red")
    game = played(game, "red settle neutral B1a")
    assert game.neutral == ("B1a",)
    assert game.events == (MembersPlaced("neutral", ("B1a",), 0),)
    assert game.phase == Settling("red")
    assert refused(game, "red settle B1c") == {"settle-free-area": "the neutral clan already stands next to B1"}
    game = played(game, "red settle B2a")
    assert game.phase == Settling("green")


def test_the_neutral_clan_settles_on_the_board_too() -> None:
    """Rules: neutral-first-member (R2.2), space-on-board (R0)."""
    game = walk_from("settle_neutral", 2, neutral=None)

    assert list(refused(game, "red settle neutral A1a")) == ["space-on-board"]


def test_only_two_players_have_a_neutral_clan() -> None:
    """Rule: neutral-first-member (R2.2)."""
    game = walk_from("settle_neutral", 3)

    assert game.phase == Settling("blue")
    assert game.neutral is None


# Second members


def test_the_first_player_adds_first() -> None:
    """FAQ: in forward player order. Rule: second-member (R2.3)."""
    game = walk_from(
        "add_second", green=a_clan(members=("B1a",)), red=a_clan(members=("B2a",)), blue=a_clan(members=("C1a",))
    )

    assert game.phase == Adding("green")
    game = played(game, "green stay")
    assert game.phase == Adding("red")
    game = played(game, "red add B2b")
    assert game.phase == Adding("blue")


@pytest.mark.parametrize(
    ("order", "cost"),
    [("add B1c", 1), ("add B2b", 2), ("add B1b", 3), ("stay", 0)],
    ids=["empty space", "across a mountain", "shared with one clan", "nobody"],
)
def test_a_second_member_costs_1_and_the_usual_extras(order: str, cost: int) -> None:
    """FAQ: the publisher confirmed the base of 1.

    Rules: second-member (R2.3), mountains (R6.4), shared-space (R6.5)
    """
    game = walk_from("add_second", green=a_clan(members=("B1a",)), red=a_clan(members=("B1b",)))

    game = played(game, f"green {order}")

    assert game.clan("green").food == 7 - cost
    assert game.clan("green").size == (1 if order == "stay" else 2)


def test_a_second_member_stands_next_to_the_first() -> None:
    """Rule: spread-adjacent (R6.2)."""
    game = walk_from("add_second", green=a_clan(members=("B1a",)))

    assert refused(game, "green add C1a") == {"spread-adjacent": "C1a is not next to a member of Angelika's clan"}
    assert refused(game, "green add B1a") == {"one-member-a-space": "Angelika's clan can have only one member on B1a"}
    assert list(choices(game)) == [Stay(), Add("B1b"), Add("B1c"), Add("B2b")]


def test_a_second_member_is_paid_for() -> None:
    """Across a mountain to five others it costs 1 + 1 + 6. Rule: spread-affordable (R6.6)."""
    there = a_clan(members=("A1c",))
    game = walk_from(
        "add_second",
        6,
        board=two_tiles(("1:e5",)),
        green=a_clan(members=("B1b",)),
        red=there,
        blue=there,
        black=there,
        white=there,
        yellow=there,
    )

    assert refused(game, "green add A1c") == {
        "spread-affordable": "A1c costs 8 (1 base + 1 for mountains + 6 for shared spaces) and Angelika has 7"
    }


# The first player order


def test_angelika_with_two_members_leads() -> None:
    """Worked example 3: Herbs 3, 2, 1 for Christian, Angelika, Steffi. Rule: first-player-order (R2.4)."""
    game = a_game(
        order=("red", "green", "blue"),
        red=a_clan(cards=(3,), members=("B1a",)),
        green=a_clan(cards=(2,), members=("C1a", "C1b")),
        blue=a_clan(cards=(1,), members=("D1a",)),
    )

    game = set_first_order(game)

    assert [clan.player for clan in game.clans] == ["Angelika", "Christian", "Steffi"]
    assert game.events == (PlayerOrderSet(("green", "red", "blue")),)


def test_the_order_is_set_when_the_last_has_added() -> None:
    """Then the first game round begins. Rules: first-player-order (R2.4), game-round (R3.1)."""
    game = walk_from(
        "add_second",
        round=0,
        green=a_clan(cards=(3,), members=("B1a",)),
        red=a_clan(cards=(2,), members=("B2a",)),
        blue=a_clan(cards=(1,), members=("C1a",)),
    )

    game = played(game, "green stay", "red stay", "blue add C1b")

    assert game.order == ("blue", "green", "red")
    assert game.phase == Offering("blue")
    assert game.round == 1


def test_an_order_that_stays_is_not_told() -> None:
    """Rule: first-player-order (R2.4)."""
    game = walk_on(a_game(step="set_first_order"))

    assert game.order == ("green", "red", "blue")
    assert not any(isinstance(event, PlayerOrderSet) for event in game.events)

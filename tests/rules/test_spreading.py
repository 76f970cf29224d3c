"""Phase 3: spreading the clan."""

from itertools import combinations

import pytest
from builders import a_clan, a_game, a_tile, played, refused, the_components, two_tiles, walk_from

from pbem.first_sparks.adjudicator import choices, forced, violations
from pbem.first_sparks.components import LaidTile
from pbem.first_sparks.events import MembersPlaced
from pbem.first_sparks.land.groups import mountains_crossed
from pbem.first_sparks.moves import Spread, Stay
from pbem.first_sparks.phases import Offering, Spreading
from pbem.first_sparks.rules.spreading import Cost, base_cost, most_new, reach, shared_cost, spreading_cost, spreads

# The recommended board of three tiles: C1c B2a B2c D1c B1c B1a lie in a row without a mountain between them; mountains
# stand between B1a B2b, C2c D1b, D1a D1b, C2a C2c and B1c D2c.


# Who spreads


def test_the_last_player_spreads_first() -> None:
    """Rule: spread-order (R6.1)."""
    game = walk_from(
        "spread", green=a_clan(members=("B1a",)), red=a_clan(members=("B2a",)), blue=a_clan(members=("C1a",))
    )

    assert game.phase == Spreading("blue")
    game = played(game, "blue stay")
    assert game.phase == Spreading("red")
    game = played(game, "red spread B2b")
    assert game.phase == Spreading("green")


def test_a_clan_may_add_nobody() -> None:
    """Rule: spread-order (R6.1)."""
    game = walk_from("spread", blue=a_clan(food=2, members=("C1a",)), green=a_clan(members=("B1a",)))

    assert next(choices(game)) == Stay()
    game = played(game, "blue stay")
    assert game.clan("blue") == a_clan(food=2, members=("C1a",))._replace(colour="blue", player="Steffi")
    assert game.events == (MembersPlaced("blue", (), 0),)


def test_a_clan_without_members_is_not_asked() -> None:
    """Rules: spread-order (R6.1), last-member-lost (R5.9)."""
    game = walk_from("spread", green=a_clan(members=("B1a",)))

    assert game.phase == Spreading("green")


def test_without_food_there_is_nothing_to_decide() -> None:
    """Rules: spread-order (R6.1), spread-affordable (R6.6)."""
    game = walk_from("spread", green=a_clan(food=0, members=("B1a",)))

    assert forced(game) == Stay()
    assert list(spreads(game, game.clan("green"))) == [()]


def test_up_to_five_members_are_added() -> None:
    """Rule: spread-limit (R6.1)."""
    game = walk_from("spread", green=a_clan(food=30, members=("B1a",)))

    assert played(game, "green spread B1b B1c D1c D1a D2b").clan("green").size == 6
    assert refused(game, "green spread B1b B1c D1c D1a D2b D2c") == {
        "spread-limit": "6 new members are too many: at most 5 may be added",
    }


def test_a_clan_has_at_most_15_members() -> None:
    """FAQ. Rule: clan-limit (R6.1)."""
    twelve = tuple(hexagon + letter for hexagon in ("B1", "B2", "C1", "C2") for letter in "abc")
    game = walk_from("spread", green=a_clan(food=30, members=twelve))

    assert played(game, "green spread D1a D1b D1c").clan("green").size == 15
    assert refused(game, "green spread D1a D1b D1c D2b") == {
        "clan-limit": "Angelika would have 16 members, but at most 15 are allowed",
    }


# Where new members stand


def test_new_members_stand_next_to_their_clan() -> None:
    """Rule: spread-adjacent (R6.2)."""
    game = walk_from("spread", green=a_clan(members=("B1a",)))

    assert refused(game, "green spread C1a") == {"spread-adjacent": "C1a is not next to a member of Angelika's clan"}
    assert refused(game, "green spread B1c C1a C1b") == {
        "spread-adjacent": "C1a C1b are not next to a member of Angelika's clan"
    }


def test_a_new_member_may_stand_next_to_another_new_one() -> None:
    """In whatever order the spaces are named. Rule: spread-adjacent (R6.2)."""
    game = walk_from("spread", green=a_clan(members=("B1a",)))

    game = played(game, "green spread D1a D1c B1c")

    assert game.clan("green").members == ("B1a", "B1c", "D1a", "D1c")
    assert game.events[0] == MembersPlaced("green", ("B1c", "D1a", "D1c"), 6)


def test_new_members_need_not_stand_together() -> None:
    """Rule: spread-adjacent (R6.2)."""
    game = walk_from("spread", green=a_clan(members=("C1c", "B2a", "B2c", "D1c")))

    assert played(game, "green spread C1b B1c").clan("green").size == 6


def test_touching_at_a_corner_is_not_adjacent() -> None:
    """A1c shares an edge with B1b, and but a corner with B1a, A2b and A2c. Rule: spread-adjacent (R6.2)."""
    game = walk_from("spread", board=two_tiles(), green=a_clan(members=("A1c",)))

    assert [space for space, _ in reach(game, game.clan("green"))] == ["A1a", "A1b", "B1b"]
    assert list(refused(game, "green spread B1a")) == ["spread-adjacent"]
    assert list(refused(game, "green spread A2b")) == ["spread-adjacent"]


def test_a_clan_has_one_member_on_a_space() -> None:
    """Rule: one-member-a-space (R6.2)."""
    game = walk_from("spread", green=a_clan(members=("B1a", "B1b")))

    assert refused(game, "green spread B1b") == {
        "one-member-a-space": "Angelika's clan can have only one member on B1b",
    }
    assert refused(game, "green spread B1c B1c") == {
        "one-member-a-space": "Angelika's clan can have only one member on B1c",
    }


def test_any_number_of_clans_shares_a_space() -> None:
    """Rule: one-member-a-space (R6.2)."""
    there = a_clan(members=("B1b",))
    game = walk_from(
        "spread", 5, board=3, red=there, blue=there, black=there, white=there, green=a_clan(members=("B1a",))
    )
    game = played(game, "white stay", "black stay", "blue stay", "red stay")

    game = played(game, "green spread B1b")

    assert sum("B1b" in clan.members for clan in game.clans) == 5
    assert game.clan("green").food == 7 - 1 - 5


def test_only_spaces_of_the_board_are_named() -> None:
    """What else is wrong and can be known is told too. Rules: space-on-board (R0), spread-limit (R6.1)."""
    game = walk_from("spread", green=a_clan(members=("B1a",)))

    assert refused(game, "green spread E1a B1b F2c") == {
        "space-on-board": (
            "E1a F2c are not on the board; its hexes are B1 B2 C1 C2 D1 D2, each with the spaces a, b and c"
        ),
    }
    assert list(refused(game, "green spread E1a B1b B1c D1c D1a D2b")) == ["spread-limit", "space-on-board"]


# What they cost


@pytest.mark.parametrize(("new", "cost"), [(0, 0), (1, 1), (2, 3), (3, 6), (4, 10), (5, 15)], ids="{} new".format)
def test_the_base_cost(new: int, cost: int) -> None:
    """FAQ: 0 costs 0. Rule: base-cost (R6.3)."""
    assert base_cost(new) == cost


@pytest.mark.parametrize(
    ("mountains_of_a", "mountains_of_b", "mountains"),
    [((), (), 0), (("1:e5",), (), 1), ((), ("1:e2",), 1), (("1:e5",), ("1:e2",), 1), (("1:e4",), ("1:e1",), 0)],
    ids=["none", "on the upper tile", "on the lower tile", "on both", "on other borders"],
)
def test_a_mountain_costs_1_even_if_two_tiles_show_it(
    mountains_of_a: tuple[str, ...], mountains_of_b: tuple[str, ...], mountains: int
) -> None:
    """Rule: mountains (R6.4)."""
    game = a_game(board=two_tiles(mountains_of_a, mountains_of_b))
    down, up = a_clan(members=("A1c",)), a_clan(members=("B1b",))

    assert spreading_cost(game, down, ("B1b",)) == Cost(1, mountains, 0)
    assert spreading_cost(game, up, ("A1c",)) == Cost(1, mountains, 0)


def test_a_mountain_within_a_hex_costs_1_too() -> None:
    """Rule: mountains (R6.4)."""
    game = a_game(board=two_tiles(("1:ab",)))

    assert spreading_cost(game, a_clan(members=("A1a",)), ("A1b",)) == Cost(1, 1, 0)
    assert spreading_cost(game, a_clan(members=("A1b",)), ("A1a",)) == Cost(1, 1, 0)
    assert spreading_cost(game, a_clan(members=("A1c",)), ("A1a", "A1b")) == Cost(3, 0, 0)


def test_mountains_turn_with_their_tile() -> None:
    """B2 shows it on its edge 0, which looks north-west to A1 when turned by two. Rule: mountains (R6.4)."""
    upper = LaidTile(a_tile("A", ("berries", "fish")), 0, 0, 0)
    lower = LaidTile(a_tile("B", ("bears", "mammoths"), ("2:e0",)), 0, 2, 2)
    game = a_game(board=(upper, lower))

    crossed = {(one, other) for one, near in game.board.neighbours.items() for other, mountain in near if mountain}

    assert crossed == {("A1c", "B2a"), ("B2a", "A1c")}
    assert spreading_cost(game, a_clan(members=("A1c",)), ("B2a",)) == Cost(1, 1, 0)


@pytest.mark.parametrize(
    ("members", "new", "crossed"),
    [
        (("D1b",), ("D1a",), 1),
        (("D1b",), ("D1a", "D1c"), 0),
        (("B1a", "B2a"), ("B2b",), 0),
        (("C2a",), ("C2b", "C2c"), 0),
        (("D1b",), ("C2c", "C2a"), 2),
        (("B2b",), ("B1a", "B1b", "B1c"), 1),
    ],
    ids=[
        "the only way",
        "around by a new member",
        "from the other side",
        "around within the hex",
        "two mountains in a row",
        "one mountain, then free",
    ],
)
def test_the_cheapest_way_over_the_mountains_counts(
    members: tuple[str, ...], new: tuple[str, ...], crossed: int
) -> None:
    """The owner chooses the order of placing. Rule: mountains (R6.4)."""
    game = a_game()

    cost = spreading_cost(game, a_clan(members=members), new)

    assert cost is not None
    assert cost.mountains == crossed
    assert spreading_cost(game, a_clan(members=members), new[::-1]) == cost


def test_spaces_without_a_way_have_no_cost() -> None:
    """Rule: mountains (R6.4)."""
    board = a_game().board

    assert mountains_crossed(board, board.bit["B1a"], board.bit["C1a"]) is None
    assert spreading_cost(a_game(), a_clan(members=("B1a",)), ("B1b", "C1a")) is None


@pytest.mark.parametrize("others", range(6))
def test_a_shared_space_costs_one_for_every_member_there(others: int) -> None:
    """FAQ: N is the total number including the new one. Rules: shared-space (R6.5), speech (R8.4)."""
    crowd = a_game(6, board=3)
    for clan in crowd.clans[1 : 1 + others]:
        crowd = crowd.with_clan(clan._replace(members=("B1b",)))

    assert shared_cost(crowd, crowd.clan("green"), "B1b") == (others + 1 if others else 0)
    for card in (24, 26):
        assert shared_cost(crowd, crowd.clan("green").with_card(the_components().cards[card]), "B1b") == others


def test_own_members_do_not_make_a_space_shared() -> None:
    """Rule: shared-space (R6.5)."""
    game = a_game(green=a_clan(members=("B1a",)), red=a_clan(members=("B1b",)))

    assert shared_cost(game, game.clan("green"), "B1a") == 0
    assert shared_cost(game, game.clan("red"), "B1a") == 2


def test_the_neutral_clan_shares_a_space_as_any_other() -> None:
    """Rule: shared-space (R6.5)."""
    game = a_game(2, neutral=("B1a", "B1b"), red=a_clan(members=("B1b",)))

    assert shared_cost(game, game.clan("green"), "B1a") == 2
    assert shared_cost(game, game.clan("green"), "B1b") == 3


def test_the_rulebooks_example_of_green() -> None:
    """Worked example 9: two new members on empty spaces cost 3. Rule: base-cost (R6.3)."""
    game = walk_from("spread", green=a_clan(members=("B1a",)))

    assert played(game, "green spread B1b B1c").clan("green").food == 7 - 3


def test_the_rulebooks_example_of_black() -> None:
    """Worked example 9: a space with one other, then across a mountain: 3 + 2 + 1. Rule: shared-space (R6.5)."""
    game = walk_from("spread", green=a_clan(members=("B1b",)), red=a_clan(members=("B1a",)))
    game = played(game, "red stay")

    assert spreading_cost(game, game.clan("green"), ("B1a", "B2b")) == Cost(3, 1, 2)
    assert played(game, "green spread B1a B2b").clan("green").food == 7 - 6


def test_the_example_of_the_faq() -> None:
    """Worked example 10: one across a mountain, one to two others: 3 + 1 + 3. Rule: mountains (R6.4)."""
    there = a_clan(members=("B1b",))
    game = walk_from("spread", green=a_clan(members=("B1a",)), red=there, blue=there)
    game = played(game, "blue stay", "red stay")

    assert spreading_cost(game, game.clan("green"), ("B1b", "B2b")) == Cost(3, 1, 3)
    assert played(game, "green spread B1b B2b").clan("green").food == 0


@pytest.mark.parametrize(
    ("cost", "text"),
    [
        (Cost(3, 0, 0), "3"),
        (Cost(3, 1, 0), "4 (3 base + 1 for mountains)"),
        (Cost(3, 0, 2), "5 (3 base + 2 for shared spaces)"),
        (Cost(3, 1, 2), "6 (3 base + 1 for mountains + 2 for shared spaces)"),
    ],
    ids=["base", "mountains", "shared", "both"],
)
def test_a_cost_shows_its_parts(cost: Cost, text: str) -> None:
    """Where it has more than the base. Rule: spread-affordable (R6.6)."""
    assert str(cost) == text


def test_everything_is_paid_from_the_clans_food() -> None:
    """Rule: pay-for-members (R6.6)."""
    game = walk_from("spread", green=a_clan(food=9, members=("B1a",)))

    game = played(game, "green spread B1b B1c D1c")

    assert game.clan("green").food == 9 - 6
    assert game.events[0] == MembersPlaced("green", ("B1b", "B1c", "D1c"), 6)


def test_what_cannot_be_paid_is_not_placed() -> None:
    """The message has the parts of the cost. Rule: spread-affordable (R6.6)."""
    there = a_clan(members=("B1b",))
    game = walk_from("spread", green=a_clan(food=6, members=("B1a",)), red=there, blue=there)
    game = played(game, "blue stay", "red stay")

    assert refused(game, "green spread B1b B2b") == {
        "spread-affordable": ("B1b B2b cost 7 (3 base + 1 for mountains + 3 for shared spaces) and Angelika has 6")
    }
    assert refused(game, "green spread B1c D1c D1a D2b") == {
        "spread-affordable": "B1c D1c D1a D2b cost 10 and Angelika has 6"
    }


def test_every_reason_is_told_at_once() -> None:
    """Rules: spread-limit (R6.1), clan-limit (R6.1), one-member-a-space (R6.2), spread-affordable (R6.6)."""
    ten = (*(hexagon + letter for hexagon in ("B1", "B2", "C1") for letter in "abc"), "C2b")
    game = walk_from("spread", green=a_clan(food=20, members=ten))

    assert refused(game, "green spread B1a D1c D1a D1b D2b D2c") == {
        "spread-limit": "6 new members are too many: at most 5 may be added",
        "clan-limit": "Angelika would have 16 members, but at most 15 are allowed",
        "one-member-a-space": "Angelika's clan can have only one member on B1a",
        "spread-affordable": "B1a D1c D1a D1b D2b D2c cost 21 and Angelika has 20",
    }
    assert list(refused(game, "green spread B1a D2a")) == ["one-member-a-space", "spread-adjacent"]


# The choices


@pytest.mark.parametrize("food", [0, 1, 2, 4, 7])
def test_every_way_to_spread_is_listed_once(food: int) -> None:
    """Listed is what is legal, around others and mountains. Rule: spread-order (R6.1)."""
    game = walk_from("spread", green=a_clan(food, (3,), ("B1a", "B1b")), red=a_clan(members=("B1c", "B2b")))
    game = played(game, "red stay")

    listed = [move.spaces if isinstance(move, Spread) else () for move in choices(game)]

    every = (spaces for new in range(1, 4) for spaces in combinations(game.board.spaces, new))
    legal = [spaces for spaces in every if not any(violations(game, Spread(spaces)))]
    assert sorted(listed) == sorted([(), *legal])


def test_the_fewest_new_members_are_listed_first() -> None:
    """Up to five, and none twice. Rule: spread-limit (R6.1)."""
    game = a_game(board=two_tiles(), green=a_clan(food=40, members=("A1a",)))

    listed = list(spreads(game, game.clan("green")))

    assert [len(spaces) for spaces in listed] == sorted(len(spaces) for spaces in listed)
    assert {len(spaces) for spaces in listed} == set(range(6))
    assert len(listed) == len(set(listed))


def test_what_a_clan_may_place_if_it_can_pay() -> None:
    """Five, or what makes fifteen on the board; nothing without a member. Rules: spread-limit, clan-limit (R6.1)."""
    every = a_game().board.spaces

    assert [most_new(a_clan(members=every[:size])) for size in (0, 1, 10, 11, 14, 15)] == [0, 5, 5, 4, 1, 0]


def test_what_a_clan_can_reach_next() -> None:
    """Each space with what all together would cost. Rule: spread-adjacent (R6.2)."""
    game = a_game(green=a_clan(food=3, members=("B1a",)), red=a_clan(members=("B1b",)))
    green = game.clan("green")

    assert reach(game, green) == (("B1b", 3), ("B1c", 1), ("B2b", 2))
    assert reach(game, green, ("B1c",)) == (("D1c", 3),)
    assert reach(game, green._replace(food=0)) == ()


def test_who_is_full_reaches_nothing() -> None:
    """Five are chosen, or fifteen stand on the board. Rules: spread-limit (R6.1), clan-limit (R6.1)."""
    game = a_game(green=a_clan(food=99, members=("B1a",)))
    every = game.board.spaces

    assert reach(game, game.clan("green"), ("B1b", "B1c", "D1c", "D1a")) != ()
    assert reach(game, game.clan("green"), ("B1b", "B1c", "D1c", "D1a", "D2b")) == ()
    assert reach(game, a_clan(food=99, members=every[:14])) != ()
    assert reach(game, a_clan(food=99, members=every[:14]), (every[14],)) == ()


def test_phase_3_ends_when_all_were_asked() -> None:
    """Rules: spread-order (R6.1), game-round (R3.1)."""
    game = walk_from("spread", green=a_clan(members=("B1a",)))

    game = played(game, "green stay", "* draw 16")

    assert game.phase == Offering("green")

"""Phase 2: going hunting and feeding the clan."""

from itertools import accumulate, combinations, islice, permutations

import pytest
from builders import a_clan, a_game, played, refused, the_components, walk_from
from hypothesis import given
from hypothesis import strategies as st

from pbem.first_sparks.adjudicator import choices, forced, is_chosen, violations
from pbem.first_sparks.components import Card, Food
from pbem.first_sparks.events import Hunted, MembersStarved
from pbem.first_sparks.land.board import lay_out
from pbem.first_sparks.moves import Starve
from pbem.first_sparks.phases import Answering, Offering, Spreading, Starving
from pbem.first_sparks.rules import hunting
from pbem.first_sparks.rules.hunting import (
    crops_harvested,
    harvest_of,
    harvest_value,
    hunt_and_feed,
    most_tokens,
    starves,
    taken_by,
    tokens_harvested,
)
from pbem.first_sparks.rules.spreading import connected_sets
from pbem.first_sparks.state import Clan, GameState, Harvest

CARDS = the_components().cards
# Fish at D1, berries at B1 and C2, bears at C1, mammoths at B2 and D2.
THREE_TILES = lay_out(the_components().boards[3].tiles)
# Berries at B1, C2 and E1, and more.
FOUR_TILES = lay_out(the_components().boards[4].tiles)

# Twelve spaces, each next to the one before it alone: of the 924 ways to lose six of them all but 7 part the rest.
LINE = ("B1b", "B1a", "B2b", "B2a", "C1c", "C1a", "C2b", "C2c", "D1b", "D1a", "D2b", "D2a")


def hunted(game: GameState, colour: str) -> GameState:
    """Return the game after that clan alone has hunted and eaten."""
    return hunt_and_feed(game._replace(waiting=(colour,)))


# The order of the clans


def test_the_last_player_hunts_first() -> None:
    """So blue finds 4 berries and takes 2, red finds 2 and takes 1. Rule: hunting-order (R5.1)."""
    basket = a_clan(food=0, cards=(14,), members=("B1a",))
    game = walk_from("hunt_and_feed", red=basket, blue=basket)

    hunted = [(event.clan, event.tokens) for event in game.events if isinstance(event, Hunted)]

    assert hunted == [("blue", (("berries", 2),)), ("red", (("berries", 1),)), ("green", ())]
    assert game.harvest == Harvest(1, 2, 3, 2)


def test_each_clan_eats_before_the_next_hunts() -> None:
    """Blue must settle its hunger while the others have yet to hunt. Rule: hunting-order (R5.1)."""
    game = walk_from("hunt_and_feed", blue=a_clan(food=0, cards=(1,), members=("B1a", "B1b")))

    assert game.phase == Starving("blue", 1)
    assert game.waiting == ("green", "red")
    assert [event.clan for event in game.events if isinstance(event, Hunted)] == ["blue"]
    game = played(game, "blue starve B1a")
    assert [event.clan for event in game.events if isinstance(event, Hunted)] == ["red", "green"]


# Herbs and Fields


def test_herbs_and_fields_give_their_crops_wherever_the_clan_stands() -> None:
    """FAQ: exactly as much as indicated, however many members there are. Rule: field-and-herbs (R5.2)."""
    one = a_clan(food=0, cards=(3, 12, 29), members=("C1a",))
    many = a_clan(food=0, cards=(3, 12, 29), members=("C1a", "C1b", "C1c"))
    nobody = a_clan(food=0, cards=(3, 12, 29))

    assert [crops_harvested(a_game(), clan) for clan in (one, many, nobody)] == [1 + 2 + 5] * 3


def test_crops_are_unlimited() -> None:
    """Rule: field-and-herbs (R5.2)."""
    fields = a_clan(food=0, cards=(29, 35, 39))

    game = walk_from("hunt_and_feed", harvest=(0, 0, 0, 0), green=fields, red=fields, blue=fields)

    assert [event.crops for event in game.events if isinstance(event, Hunted)] == [18, 18, 18]


@pytest.mark.parametrize(
    ("cards", "crops"),
    [((3, 18), 1), ((12, 18), 3), ((3, 12, 19, 18), 1 + 3 + 4), ((7, 18), 0)],
    ids=["Herbs alone", "one Field", "two Fields and Herbs", "a basket"],
)
def test_the_plow_adds_a_crop_to_each_field_and_none_to_herbs(cards: tuple[int, ...], crops: int) -> None:
    """Rule: plow (R8.2)."""
    assert crops_harvested(a_game(), a_clan(cards=cards)) == crops


# Tools


@pytest.mark.parametrize(
    ("lying", "taken"), [(1, 1), (2, 1), (3, 1), (4, 2), (5, 2), (6, 2), (7, 3), (8, 3), (12, 3)], ids="{}".format
)
def test_the_basket_of_the_rulebook(lying: int, taken: int) -> None:
    """Worked example 5: up to 3 berries 1, 4 to 6 berries 2, 7 or more 3. Rule: tools (R5.3)."""
    assert tokens_harvested(THREE_TILES, a_clan(cards=(22,), members=("B1a",)), "berries", lying) == taken


def test_christian_harvests_fish_and_a_crop_but_no_berries() -> None:
    """Worked example 6: a rod next to a lake, no basket next to the bush, and Herbs. Rule: tools (R5.3)."""
    game = a_game(red=a_clan(food=0, cards=(2, 8), members=("D1c", "B1c")))

    game = hunted(game, "red")

    assert game.events == (Hunted("red", 1, (("fish", 1),), 4, 2),)
    assert game.harvest == Harvest(4, 1, 3, 2)


def test_a_tool_away_from_its_food_harvests_nothing() -> None:
    """Rule: tools (R5.3)."""
    clan = a_clan(cards=(7, 8, 10, 13), members=("C1a",))

    assert harvest_of(THREE_TILES, clan, a_game().harvest) == (("bears", 1),)


def test_without_a_member_no_tool_hunts() -> None:
    """Rule: tools (R5.3)."""
    assert harvest_of(THREE_TILES, a_clan(cards=(7, 8, 10, 13)), a_game().harvest) == ()


def test_one_member_is_enough_for_three_tools() -> None:
    """FAQ: one member next to berries, and all three baskets work. Rule: tools (R5.3)."""
    game = a_game(green=a_clan(food=0, cards=(7, 14, 20), members=("B1a",)), harvest=(3, 2, 3, 2))

    assert hunted(game, "green").harvest.berries == 0


@pytest.mark.parametrize(
    ("food", "value"),
    [("berries", 2), ("fish", 3), ("bears", 3), ("mammoths", 4)],
    ids=["berry", "fish", "bear", "mammoth"],
)
def test_what_food_is_worth(food: Food, value: int) -> None:
    """A crop is worth 1. Rule: food-values (R0)."""
    assert harvest_value(1, ()) == 1
    assert harvest_value(0, ((food, 1),)) == value
    assert harvest_value(4, ((food, 3),)) == 4 + 3 * value


def test_the_harvest_becomes_food_at_its_value() -> None:
    """2 crops, 1 berry, 1 fish and 1 bear are worth 10; 4 members eat. Rules: food-values (R0), feed-all (R5.7)."""
    clan = a_clan(food=5, cards=(7, 8, 10, 12), members=("B1c", "D1c", "B2c", "B2a", "C1c"))

    game = walk_from("hunt_and_feed", green=clan)

    assert Hunted("green", 2, (("berries", 1), ("fish", 1), ("bears", 1)), 10, 5) in game.events
    assert game.clan("green").food == 5 + 10 - 5
    assert game.harvest == Harvest(3, 1, 2, 2)


# Virtual tokens


@pytest.mark.parametrize(
    ("members", "lying", "taken"),
    [(("B2c",), 3, 1), (("B2c",), 4, 2), (("B2c", "D2c"), 3, 2), (("B2c", "D2c"), 2, 1)],
    ids=["one valley, 3", "one valley, 4", "two valleys, 3", "two valleys, 2"],
)
def test_the_mammoth_spear_of_the_rulebook(members: tuple[str, ...], lying: int, taken: int) -> None:
    """Worked example 7: it gives 2 from 4 on, next to two valleys already at 3. Rule: virtual-tokens (R5.4)."""
    assert tokens_harvested(THREE_TILES, a_clan(cards=(33,), members=members), "mammoths", lying) == taken


@pytest.mark.parametrize(
    ("members", "lying", "taken"),
    [(("E1a",), 3, 1), (("E1a", "B1a"), 3, 2), (("E1a", "B1a"), 2, 1), (("E1a", "B1a", "C2c"), 2, 2)],
    ids=["one area, 3", "two areas, 3", "two areas, 2", "three areas, 2"],
)
def test_a_basket_next_to_several_berry_bushes(members: tuple[str, ...], lying: int, taken: int) -> None:
    """Worked example 8, from the FAQ: 1-3 give 1, 4 and more give 2. Rule: virtual-tokens (R5.4)."""
    assert CARDS[14].harvest == ((1, 1), (4, 2))
    assert tokens_harvested(FOUR_TILES, a_clan(cards=(14,), members=members), "berries", lying) == taken


def test_several_members_next_to_the_same_area_add_nothing() -> None:
    """Rule: virtual-tokens (R5.4)."""
    crowd = a_clan(cards=(14,), members=("B1a", "B1b", "B1c"))

    assert tokens_harvested(THREE_TILES, crowd, "berries", 3) == 1


def test_virtual_tokens_never_raise_a_table_above_its_last_column() -> None:
    """FAQ: there is no way to earn more than the rightmost column. Rule: virtual-tokens (R5.4)."""
    clan = a_clan(cards=(14,), members=("E1a", "B1a", "C2c"))

    assert tokens_harvested(FOUR_TILES, clan, "berries", 20) == 2


def test_each_tool_counts_the_virtual_tokens() -> None:
    """Of 3, 14 reads 3 + 1 and takes 2, then 7 reads 1 + 1 and takes 1. Rule: virtual-tokens (R5.4)."""
    clan = a_clan(cards=(7, 14), members=("B1c", "C2c"))

    assert tokens_harvested(THREE_TILES, clan, "berries", 3) == 3
    assert tokens_harvested(THREE_TILES, clan, "berries", 2) == 2


@pytest.mark.parametrize("virtual", [0, 1, 2])
def test_an_empty_harvest_space_gives_nothing(virtual: int) -> None:
    """Virtual tokens do not help. Rule: no-more-than-there (R5.5)."""
    assert taken_by(CARDS[36], 0, virtual) == 0


def test_no_more_tokens_are_taken_than_lie_there() -> None:
    """Card 31 gives 2 from the first token on, and card 36 gives 3 at 3 + 2. Rule: no-more-than-there (R5.5)."""
    assert taken_by(CARDS[31], 1, 0) == 1
    assert taken_by(CARDS[36], 3, 2) == 3
    assert taken_by(CARDS[36], 2, 2) == 2
    assert taken_by(CARDS[36], 1, 2) == 1


# Several tools


@pytest.mark.parametrize(
    ("tools", "lying", "taken"),
    [((7, 14), 4, 3), ((7, 14), 6, 4), ((7, 14, 20), 5, 5), ((31, 36), 10, 7), ((7, 14, 20), 0, 0)],
    ids=["14 before 7", "7 before 14", "7 before 20 before 14", "36 before 31", "an empty space"],
)
def test_several_tools_are_used_in_the_best_order(tools: tuple[int, ...], lying: int, taken: int) -> None:
    """No fixed order is always best. Rule: best-order-of-tools (R5.6)."""
    cards = [CARDS[number] for number in tools]

    assert most_tokens(cards, lying, 0) == taken
    assert most_tokens(cards[::-1], lying, 0) == taken


# A harvest table ascends by steps of at least 1 in both columns.
TABLES = st.lists(st.tuples(st.integers(1, 4), st.integers(1, 3)), min_size=1, max_size=3).map(
    lambda steps: tuple(accumulate(steps, lambda row, step: (row[0] + step[0], row[1] + step[1])))
)


@given(st.lists(TABLES, min_size=1, max_size=5), st.integers(0, 12), st.integers(0, 2))
def test_no_order_of_the_tools_takes_more(tools: list[tuple[tuple[int, int], ...]], lying: int, virtual: int) -> None:
    """Compared with every order. Rule: best-order-of-tools (R5.6)."""
    cards = [Card(number, "basket", harvest=table, food="berries") for number, table in enumerate(tools, 22)]
    best = 0
    for order in permutations(cards):
        left = lying
        for card in order:
            left -= taken_by(card, left, virtual)
        best = max(best, lying - left)

    assert most_tokens(cards, lying, virtual) == best


@pytest.mark.parametrize(("number", "different", "most"), [(18, 1, 20), (18, 2, 100), (10, 10, 1024)])
def test_tools_are_not_tried_in_every_order(number: int, different: int, most: int) -> None:
    """Nine of one food took minutes. Rule: best-order-of-tools (R5.6)."""
    tables = [((1 + place % different, 1 + place % different),) for place in range(number)]
    cards = [Card(place, "basket", harvest=table, food="berries") for place, table in enumerate(tables, 100)]
    before = hunting._most_tokens.cache_info().misses

    most_tokens(cards, 1000, 0)

    assert hunting._most_tokens.cache_info().misses - before <= most


def test_the_tokens_of_one_tool_are_gone_before_the_next_counts() -> None:
    """Of 5, one basket takes 2 and the other finds only 3. Rule: best-order-of-tools (R5.6)."""
    clan = a_clan(cards=(7, 14), members=("B1a",))

    assert tokens_harvested(THREE_TILES, clan, "berries", 5) == 3


# Feeding


def fed(clan: Clan) -> GameState:
    """Return the game after a clan that harvests nothing has eaten, as green."""
    return hunted(a_game(green=clan), "green")


def test_each_member_on_the_board_eats_1_food() -> None:
    """Rule: feed-all (R5.7)."""
    game = fed(a_clan(food=5, members=("B1a", "B1b", "B1c")))

    assert game.clan("green").food == 2
    assert game.phase is None


def test_nobody_may_starve_while_there_is_food() -> None:
    """FAQ: there is no option to let some die and keep the food. Rule: feed-all (R5.7)."""
    exactly = fed(a_clan(food=3, members=("B1a", "B1b", "B1c")))
    short = fed(a_clan(food=2, members=("B1a", "B1b", "B1c")))

    assert (exactly.clan("green").food, exactly.phase) == (0, None)
    assert (short.clan("green").food, short.phase) == (0, Starving("green", 1))


# Starving


def hungry(food: int, *members: str, cards: tuple[int, ...] = (9,)) -> Starving:
    """Return the phase after a hunt of green with so much food, whose cards harvest nothing."""
    phase = walk_from("hunt_and_feed", green=a_clan(food, cards, members)).phase
    assert isinstance(phase, Starving)
    return phase


@pytest.mark.parametrize("food", range(5))
def test_as_many_starve_as_the_food_is_short(food: int) -> None:
    """Rule: starving (R5.8)."""
    assert hungry(food, "D1a", "D1b", "D1c", "D2b", "D2c") == Starving("green", 5 - food)


def test_the_owner_chooses_who_starves() -> None:
    """Survivors stay one group, so the one in the middle cannot. Rules: starving (R5.8), starve-one-group (R5.8)."""
    game = walk_from("hunt_and_feed", green=a_clan(2, (9,), ("C1c", "B2a", "B2c")))

    assert list(choices(game)) == [Starve(("C1c",)), Starve(("B2c",))]
    assert refused(game, "green starve B2a") == {
        "starve-one-group": "the survivors on B2c C1c would not form one group"
    }
    game = played(game, "green starve C1c")
    assert game.clan("green").members == ("B2a", "B2c")
    assert game.clan("green").food == 0
    assert game.events[0] == MembersStarved("green", ("C1c",))


def test_every_way_to_starve_is_listed_once() -> None:
    """Listed is what leaves one group of the right size. Rule: starving (R5.8)."""
    game = walk_from("hunt_and_feed", green=a_clan(3, (9,), ("B2c", "C2c", "D1a", "D1b", "D1c", "D2b")))

    listed = [move.spaces for move in choices(game) if isinstance(move, Starve)]

    every = (spaces for number in range(7) for spaces in combinations(game.clan("green").members, number))
    legal = [spaces for spaces in every if not any(violations(game, Starve(spaces)))]
    assert sorted(listed) == legal
    assert ("B2c", "C2c", "D2b") in listed
    assert ("B2c", "D1b", "D1c") not in listed


def test_a_clan_without_any_food_loses_all() -> None:
    """There is no choice. Rule: starving (R5.8)."""
    game = walk_from("hunt_and_feed", green=a_clan(0, (9,), ("B2c", "D1c")))

    assert forced(game) == Starve(("B2c", "D1c"))
    assert played(game, "green starve D1c B2c").clan("green").members == ()


def test_who_keeps_a_member_has_two_ways_to_starve(monkeypatch: pytest.MonkeyPatch) -> None:
    """So none of the many ways need be found before the clan is asked: a long game would take seconds to read.

    Rule: starving (R5.8)
    """
    for size in range(2, 7):
        groups = {frozenset(spaces) for spaces in connected_sets(THREE_TILES, ("B1a",), size - 1)}
        for members in sorted(sorted({"B1a", *spaces}) for spaces in groups):
            game = a_game(green=a_clan(members=tuple(members)))
            for hungry in range(1, size + 1):
                ways = islice(starves(game, Starving("green", hungry)), 2)
                assert len(tuple(ways)) == 1 + (hungry < size), (members, hungry)

    game = a_game(phase=Starving("green", 6), step="hunt_and_feed", green=a_clan(members=LINE))
    monkeypatch.setattr(hunting, "is_one_group", None)
    assert forced(game) is None
    assert is_chosen(game, Starve(LINE[:6]))


def test_only_own_members_starve() -> None:
    """Rule: starve-own (R5.8)."""
    game = walk_from("hunt_and_feed", green=a_clan(2, (9,), ("B1a", "B1b", "B1c")), red=a_clan(members=("B2a",)))

    assert refused(game, "green starve B2a") == {
        "starve-own": "Angelika has no member on B2a, only on B1a B1b B1c",
    }


@pytest.mark.parametrize(
    ("order", "names"),
    [("B1a", "1"), ("B1a B1b B1c", "3"), ("B1a B1a", "2, some twice"), ("B1a B1b B1a", "3, some twice")],
)
def test_neither_more_nor_fewer_starve(order: str, names: str) -> None:
    """Rule: starve-number (R5.8)."""
    game = walk_from("hunt_and_feed", green=a_clan(1, (9,), ("B1a", "B1b", "B1c")))

    assert refused(game, f"green starve {order}") == {
        "starve-number": f"2 of 3 members cannot be fed, but the order names {names}"
    }


def test_every_reason_why_they_cannot_starve_is_told() -> None:
    """Rules: starve-own (R5.8), starve-number (R5.8), starve-one-group (R5.8)."""
    game = walk_from("hunt_and_feed", green=a_clan(2, (9,), ("C1c", "B2a", "B2c")))

    assert list(refused(game, "green starve B2a D1a")) == ["starve-own", "starve-number", "starve-one-group"]


def test_a_clan_without_members_stays_in_the_game() -> None:
    """It still harvests crops, offers and answers, but is not asked to spread. Rule: last-member-lost (R5.9)."""
    game = walk_from("hunt_and_feed", blue=a_clan(0, (15,), ("B1a",)), green=a_clan(20, members=("C1a",)))

    assert forced(game) == Starve(("B1a",))
    game = played(game, "blue starve B1a")
    assert game.phase == Spreading("green")
    game = played(game, "green stay", "* draw 16")
    assert game.phase == Offering("green")
    game = played(game, "green offer 7")
    assert game.phase == Answering("red", "green", 7, (), ())
    assert game.clan("blue").food == 0
    poor = a_game(blue=a_clan(0, (1, 12)))
    assert hunted(poor, "blue").clan("blue").food == 3

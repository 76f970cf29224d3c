"""Phase 4: bureaucracy - player order, refill, market."""

import pytest
from builders import a_clan, a_game, played, the_components, walk_from

from pbem.first_sparks.adjudicator import choices
from pbem.first_sparks.cards import Pile
from pbem.first_sparks.events import (
    CardDrawn,
    CardPutUnder,
    HarvestRefilled,
    MarketReduced,
    PlayerOrderSet,
    RoundBegan,
    ShuffleDrawn,
)
from pbem.first_sparks.moves import Draw
from pbem.first_sparks.phases import DrawingCard, Offering
from pbem.first_sparks.rules.bureaucracy import put_highest_under, refill, remove_shuffle_card, reorder
from pbem.first_sparks.state import Harvest

SPACES = ("B1a", "B1b", "B1c", "D1c", "D1a", "D2b", "D2a")


# Player order


def test_steffi_with_card_18_leads_before_christian_with_15() -> None:
    """Worked example 11: sizes 6, 7, 7. Rule: player-order (R7.1)."""
    game = a_game(
        green=a_clan(cards=(3, 40), members=SPACES[:6]),
        red=a_clan(cards=(2, 15), members=SPACES),
        blue=a_clan(cards=(1, 18), members=SPACES),
    )

    game = reorder(game)

    assert [clan.player for clan in game.clans] == ["Steffi", "Christian", "Angelika"]
    assert game.events == (PlayerOrderSet(("blue", "red", "green")),)


def test_tools_and_knowledge_rank_alike() -> None:
    """FAQ: the highest numbered card of either type. Rule: player-order (R7.1)."""
    tool = a_game(green=a_clan(cards=(3, 24)), red=a_clan(cards=(2, 25)), blue=a_clan(cards=(1,)))
    knowledge = a_game(green=a_clan(cards=(3, 23)), red=a_clan(cards=(2, 24)), blue=a_clan(cards=(1,)))

    assert reorder(tool).order == ("red", "green", "blue")
    assert reorder(knowledge).order == ("red", "green", "blue")


def test_buying_alone_does_not_change_the_order() -> None:
    """FAQ: not after the buying phase. Rule: player-order (R7.1)."""
    game = played(walk_from("lay_crop"), "green pass", "red offer 10", "blue decline", "* draw 15")

    assert game.order == ("green", "red", "blue")


# Intelligence


@pytest.mark.parametrize(
    ("smart", "order"),
    [
        ("green", ("red", "green", "blue", "black")),
        ("red", ("green", "blue", "red", "black")),
        ("blue", ("green", "red", "black", "blue")),
        ("black", ("green", "red", "blue", "black")),
    ],
    ids=["first", "second", "third", "last"],
)
def test_intelligence_moves_its_owner_back_one_place(smart: str, order: tuple[str, ...]) -> None:
    """In the last place nothing moves. Rule: intelligence (R8.5)."""
    sizes = {"green": 4, "red": 3, "blue": 2, "black": 1}
    game = a_game(4, board=3)
    for clan in game.clans:
        cards = (game.components.cards[28],) if clan.colour == smart else clan.cards
        game = game.with_clan(clan._replace(cards=cards, members=SPACES[: sizes[clan.colour]]))

    assert reorder(game).order == order


def test_two_clans_with_intelligence_each_move_back_one_place() -> None:
    """Somebody's own set may have two such cards. Rule: intelligence (R8.5)."""
    other = the_components().cards[28]._replace(number=50)
    game = a_game(4, board=3, green=a_clan(members=SPACES[:4]), red=a_clan(cards=(28,), members=SPACES[:3]))
    game = game.with_clan(game.clan("green").with_card(other))

    assert reorder(game).order == ("blue", "green", "red", "black")


def test_intelligence_moves_back_again_in_every_phase_4() -> None:
    """From the place that clan size gives, not from the last one. Rule: intelligence (R8.5)."""
    game = a_game(
        order=("red", "green", "blue"),
        green=a_clan(cards=(28,), members=SPACES[:3]),
        red=a_clan(members=SPACES[:2]),
        blue=a_clan(members=SPACES[:1]),
    )

    once = reorder(game)

    assert once.order == ("red", "green", "blue")
    assert once.events == ()
    assert reorder(once).order == ("red", "green", "blue")


def test_intelligence_works_at_once_when_it_is_bought() -> None:
    """Rule: intelligence (R8.5)."""
    market = (28, 29, 30, 31, 32, 33, 34, 35)

    second = played(walk_from("lay_crop", market=market), "green offer 28", "red buy", "blue decline")
    last = played(walk_from("lay_crop", market=market), "green offer 28", "red decline", "blue buy")

    assert second.order == ("green", "blue", "red")
    assert second.events[-1] == PlayerOrderSet(("green", "blue", "red"))
    assert last.order == ("green", "red", "blue")
    assert not any(isinstance(event, PlayerOrderSet) for event in last.events)


# Refill


def test_the_refill_is_added_to_what_lies_there() -> None:
    """FAQ: do not increase the supply to the number. Rule: refill (R7.2)."""
    game = refill(a_game(harvest=(6, 0, 5, 1)))

    assert game.harvest == Harvest(6 + 5, 0 + 3, 5 + 2, 1 + 3)
    assert game.events == (HarvestRefilled((("berries", 5), ("fish", 3), ("bears", 2), ("mammoths", 3))),)


def test_who_has_resigned_still_counts_for_the_refill() -> None:
    """The numbers are fixed for the game. Rules: refill (R7.2), refill-numbers (R1.6)."""
    game = refill(a_game(harvest=(0, 0, 0, 0), green=a_clan(resigned=True)))

    assert game.harvest == Harvest(5, 3, 2, 3)


# The market before the Shuffle card


def test_the_highest_card_goes_under_the_pile_and_is_replaced_from_the_top() -> None:
    """Rule: highest-card-under (R7.4)."""
    game = walk_from("put_highest_under", pile=Pile(unseen=(16, 38), under=(40,)))

    assert game.events == (CardPutUnder(14),)
    assert game.market.cards == (7, 8, 9, 10, 11, 12, 13)
    assert game.pile.under == (14, 40)
    assert list(choices(game)) == [Draw("16"), Draw("38")]
    game = played(game, "* draw 16")
    assert game.market.cards == (7, 8, 9, 10, 11, 12, 13, 16)
    assert game.pile == Pile(unseen=(38,), under=(14, 40))
    assert game.phase == Offering("green")


def test_a_card_put_under_does_not_come_back_before_the_shuffle_card() -> None:
    """Rules: highest-card-under (R7.4), pile-as-set (R10.2)."""
    game = walk_from("put_highest_under", pile=Pile(unseen=(38, 39), never=2))

    assert list(choices(game)) == [Draw("shuffle")]


def test_if_the_shuffle_card_is_drawn_in_phase_4_the_market_is_reduced_at_once() -> None:
    """FAQ: only the French rules wait a round. Rule: highest-card-under (R7.4)."""
    game = walk_from("put_highest_under", pile=Pile(under=(40,)))

    game = played(game, "* draw shuffle")

    assert game.events == (ShuffleDrawn(), MarketReduced(7), RoundBegan(2, 8))
    assert game.market.current == (8, 9, 10, 11, 12, 13)
    assert game.market.future == ()
    assert game.pile == Pile(shuffle=False, under=(14, 40))


# The Shuffle card


def test_the_shuffle_card_takes_the_lowest_card_with_it() -> None:
    """Neither is replaced, and all six cards that are left are current. Rule: reduce-market (R7.3)."""
    market = (17, 19, 20, 22, 23, 25, 30)
    game = walk_from("put_highest_under", market=market, shuffle=True, pile=Pile(shuffle=False, under=(40,)))

    assert game.events == (MarketReduced(17), RoundBegan(2, 19))
    assert game.market.current == (19, 20, 22, 23, 25, 30)
    assert game.market.future == ()
    assert not game.market.shuffle
    assert game.pile.under == (40,)
    assert game.phase == Offering("green")


def test_two_players_are_left_with_four_cards() -> None:
    """FAQ. Rule: reduce-market (R7.3)."""
    game = walk_from(
        "put_highest_under", 2, market=(17, 19, 22, 23, 25), shuffle=True, pile=Pile(shuffle=False, under=(40,))
    )

    assert game.market.current == (19, 22, 23, 25)
    assert game.market.places == 4


def test_a_shuffle_card_that_lies_alone_goes_alone() -> None:
    """Rules: reduce-market (R7.3), empty-pile (R4.14)."""
    game = remove_shuffle_card(a_game(market=(), shuffle=True, pile=Pile(shuffle=False)))

    assert game.events == (MarketReduced(None),)
    assert game.market.current == ()
    assert game.market.places == 6


def test_without_the_shuffle_card_the_market_keeps_its_size() -> None:
    """Rule: reduce-market (R7.3)."""
    game = a_game()

    assert remove_shuffle_card(game) == game


def test_after_the_shuffle_card_no_card_goes_under_the_pile() -> None:
    """FAQ. Rule: nothing-under-after-shuffle (R7.5)."""
    game = a_game(market=(19, 20, 22, 23, 25, 30), places=6, reduced=True, pile=Pile(shuffle=False, under=(40,)))

    assert put_highest_under(game) == game


def test_in_the_phase_4_after_it_was_drawn_no_card_goes_under_either() -> None:
    """It was drawn in phase 1 and lies in the market. Rule: nothing-under-after-shuffle (R7.5)."""
    game = a_game(market=(8, 9, 10, 11, 12, 13, 14), shuffle=True, pile=Pile(shuffle=False, under=(40,)))

    assert put_highest_under(game) == game


def test_a_reduced_market_is_filled_from_what_lay_under_the_pile() -> None:
    """It goes on with a crop in every round. Rule: nothing-under-after-shuffle (R7.5)."""
    pile = Pile(unseen=(38,), never=1, shuffle=False, under=(40,))
    game = walk_from("lay_crop", market=(19, 20, 22, 23, 25, 30), places=6, reduced=True, pile=pile)

    assert game.market.crop == 19
    game = played(game, "green offer 20", "red decline", "blue decline")
    assert game.phase == DrawingCard()
    assert list(choices(game)) == [Draw("40")]
    game = played(game, "* draw 40")
    assert game.market.current == (19, 22, 23, 25, 30, 40)
    assert game.events == (CardDrawn(40),)
    assert game.pile.size == 0

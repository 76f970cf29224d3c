"""Phase 1: buying new technology, then discarding rotten food."""

import pytest
from builders import a_clan, a_game, owns, played, refused, walk_from

from pbem.first_sparks.adjudicator import choices, forced
from pbem.first_sparks.cards import Pile
from pbem.first_sparks.events import (
    Answered,
    CardBought,
    CardDrawn,
    CardOffered,
    CardUnsold,
    CropLost,
    FoodRotted,
    Passed,
    PlayerOrderSet,
    RoundBegan,
    ShuffleDrawn,
    ToolDropped,
)
from pbem.first_sparks.moves import Decline, Drop, Offer, Pass, Stay
from pbem.first_sparks.options import Options
from pbem.first_sparks.phases import Answering, DrawingCard, Dropping, Ended, Offering, Phase, Spreading
from pbem.first_sparks.rules.buying import is_asked, lay_crop, rot, rotten_food
from pbem.first_sparks.secrecy import hides_food
from pbem.first_sparks.state import GameState

# Prices that matter here: 7 basket 2, 8 rod 4, 9 fire 3, 10 bow 4, 11 rod 5, 12 field 3, 15 fire 5, 21 sled 10.


def events_of(state: GameState, *orders: str) -> tuple[object, ...]:
    """Return all that happens while *orders* are played."""
    told: list[object] = []
    for order in orders:
        state = played(state, order)
        told += state.events
    return tuple(told)


# The crop


@pytest.mark.parametrize("market", [(7, 8, 9, 10, 11, 12, 13, 14), (17, 21, 22, 29, 30, 31, 32, 40)])
def test_a_crop_is_laid_on_the_lowest_card(market: tuple[int, ...]) -> None:
    """FAQ: at the start of the phase. Rule: lay-crop (R4.1)."""
    game = lay_crop(a_game(round=3, market=market))

    assert game.market.crop == market[0]
    assert game.events == (RoundBegan(4, market[0]),)


def test_on_an_empty_market_no_crop_is_laid() -> None:
    """Everybody can only pass, and nothing is unsold. Rules: lay-crop (R4.1), empty-pile (R4.14)."""
    game = walk_from("lay_crop", market=(), pile=Pile(shuffle=False), round=11)

    assert game.market.crop is None
    assert game.events == (RoundBegan(12, None),)
    assert list(choices(game)) == [Pass()]
    assert CardUnsold not in map(type, events_of(game, "green pass", "red pass", "blue pass"))


# Who offers


def test_the_first_in_player_order_offers_until_it_has_bought_or_passed() -> None:
    """Rule: offering-player (R4.2)."""
    game = walk_from("lay_crop")

    assert game.phase == Offering("green")
    game = played(game, "green offer 8", "red decline", "blue decline", "* draw 15")
    assert game.phase == Offering("red")
    game = played(game, "red pass")
    assert game.phase == Offering("blue")
    assert game.events == (Passed("red"),)


def test_who_has_bought_neither_offers_nor_answers() -> None:
    """FAQ: you do not participate further. Rule: offering-player (R4.2)."""
    game = played(walk_from("lay_crop"), "green offer 8", "red buy", "blue decline", "* draw 15")

    game = played(game, "green offer 9")

    assert owns(game.clan("red"), 8)
    assert game.phase == Answering("blue", "green", 9, (), ())
    game = played(game, "blue decline", "* draw 16")
    assert game.phase == Offering("blue")


def test_who_passes_buys_nothing_in_this_round() -> None:
    """It is not asked about later offers. Rule: offering-player (R4.2)."""
    game = played(walk_from("lay_crop"), "green pass")

    game = played(game, "red offer 8")

    assert game.phase == Answering("blue", "red", 8, (), ())


def test_who_declines_may_still_buy_and_offer() -> None:
    """Rule: offering-player (R4.2)."""
    game = played(walk_from("lay_crop"), "green offer 8", "red decline", "blue decline", "* draw 15")

    game = played(game, "red offer 9", "blue buy", "* draw 16")

    assert owns(game.clan("blue"), 9)
    assert game.phase == Offering("red")


# What can be offered


def test_only_the_four_lowest_cards_can_be_offered() -> None:
    """Rule: offer-current-market (R4.2)."""
    game = walk_from("lay_crop", green=a_clan(food=20))

    assert list(choices(game)) == [Offer(7), Offer(8), Offer(9), Offer(10), Pass()]
    assert refused(game, "green offer 11") == {
        "offer-current-market": "#11 is in the future market; the current market is #7 #8 #9 #10"
    }


@pytest.mark.parametrize("card", [1, 40, 99], ids=["Herbs", "still in the pile", "no card"])
def test_what_does_not_lie_in_the_market_cannot_be_offered(card: int) -> None:
    """Rule: offer-current-market (R4.2)."""
    game = walk_from("lay_crop", green=a_clan(food=20))

    assert refused(game, f"green offer {card}") == {
        "offer-current-market": f"#{card} is not in the market; the current market is #7 #8 #9 #10"
    }


def test_an_empty_market_offers_nothing() -> None:
    """Rules: offer-current-market (R4.2), empty-pile (R4.14)."""
    game = walk_from("lay_crop", market=(), pile=Pile(shuffle=False), green=a_clan(food=20))

    assert refused(game, "green offer 7") == {
        "offer-current-market": "#7 is not in the market; the current market is empty"
    }


def test_a_card_that_one_cannot_pay_cannot_be_offered() -> None:
    """FAQ: who offers a card must be able to pay for it. Rule: offer-affordable (R4.3)."""
    game = walk_from("lay_crop", green=a_clan(food=3))

    assert list(choices(game)) == [Offer(7), Offer(9), Pass()]
    assert refused(game, "green offer 8") == {"offer-affordable": "#8 rod costs 4 and Angelika has 3"}


def test_the_crop_on_the_card_counts_for_its_price() -> None:
    """Rule: offer-affordable (R4.3)."""
    enough = walk_from("lay_crop", green=a_clan(food=1))
    too_little = walk_from("lay_crop", green=a_clan(food=0))

    assert list(choices(enough)) == [Offer(7), Pass()]
    assert refused(too_little, "green offer 7") == {
        "offer-affordable": "#7 basket costs 2 and Angelika has 1, including the crop on it"
    }


def test_a_knowledge_that_one_owns_cannot_be_offered() -> None:
    """FAQ: nor with the other card of it. Rule: offer-new-knowledge (R4.3)."""
    game = walk_from("lay_crop", market=(9, 10, 11, 12, 13, 14, 16, 17), green=a_clan(cards=(3, 15)))

    assert Offer(9) not in choices(game)
    assert refused(game, "green offer 9") == {
        "offer-new-knowledge": "#9 fire is a knowledge card that Angelika already owns"
    }


def test_a_tool_that_one_owns_already_can_be_offered() -> None:
    """A clan may own several tools of a kind. Rule: offer-new-knowledge (R4.3)."""
    game = walk_from("lay_crop", market=(7, 14, 16, 17, 19, 21, 22, 23), green=a_clan(cards=(3, 22)))

    assert Offer(14) in choices(game)


def test_every_reason_is_told_at_once() -> None:
    """Rules: offer-current-market (R4.2), offer-affordable (R4.3), offer-new-knowledge (R4.3)."""
    game = walk_from("lay_crop", market=(7, 8, 10, 11, 12, 13, 14, 15), green=a_clan(food=0, cards=(3, 9)))

    assert refused(game, "green offer 15") == {
        "offer-current-market": "#15 is in the future market; the current market is #7 #8 #10 #11",
        "offer-affordable": "#15 fire costs 5 and Angelika has 0",
        "offer-new-knowledge": "#15 fire is a knowledge card that Angelika already owns",
    }


def test_two_players_are_bound_by_the_same() -> None:
    """FAQ: two players make no difference. Rules: offer-affordable (R4.3), offer-new-knowledge (R4.3)."""
    game = walk_from("lay_crop", 2, market=(8, 9, 12, 13, 14, 16), green=a_clan(food=2, cards=(2, 15)))

    assert list(choices(game)) == [Pass()]
    assert list(refused(game, "green offer 8")) == ["offer-affordable"]
    assert list(refused(game, "green offer 9")) == ["offer-affordable", "offer-new-knowledge"]
    assert list(refused(game, "green offer 12")) == ["offer-affordable"]


# The answers


def test_each_is_asked_once_in_player_order_and_knows_the_earlier_answers() -> None:
    """FAQ: the later players know whether earlier ones wanted the card. Rule: answers (R4.4)."""
    game = played(walk_from("lay_crop", 4), "green offer 8")

    assert game.phase == Answering("red", "green", 8, (), ("blue", "black"))
    assert game.events == (CardOffered("green", 8, 4, ()),)
    game = played(game, "red buy")
    assert game.phase == Answering("blue", "green", 8, ("red",), ("black",))
    assert game.events == (Answered("red", 8, wants=True),)
    game = played(game, "blue decline")
    assert game.phase == Answering("black", "green", 8, ("red",), ())
    assert game.events == (Answered("blue", 8, wants=False),)


@pytest.mark.parametrize(
    ("red", "blue", "black", "buyer"),
    [
        ("buy", "buy", "buy", "black"),
        ("buy", "buy", "decline", "blue"),
        ("buy", "decline", "buy", "black"),
        ("buy", "decline", "decline", "red"),
        ("decline", "buy", "decline", "blue"),
        ("decline", "decline", "buy", "black"),
        ("decline", "decline", "decline", "green"),
    ],
)
def test_the_last_who_says_yes_buys_or_else_who_offered(red: str, blue: str, black: str, buyer: str) -> None:
    """Rule: answers (R4.4)."""
    game = played(walk_from("lay_crop", 4), "green offer 8")

    game = played(game, f"red {red}", f"blue {blue}", f"black {black}")

    assert [clan.colour for clan in game.clans if owns(clan, 8)] == [buyer]
    assert game.events[-1] == CardBought(buyer, 8, 4, crop=False)
    assert {clan.colour: clan.food for clan in game.clans} == {
        colour: 3 if colour == buyer else 7 for colour in ("green", "red", "blue", "black")
    }


def test_an_answer_may_name_the_card_as_a_guard() -> None:
    """Rule: answer-this-offer (R4.4)."""
    game = played(walk_from("lay_crop"), "green offer 8")

    assert refused(game, "red buy 9") == {"answer-this-offer": "#8 is offered now, not #9"}
    assert refused(game, "red decline 7") == {"answer-this-offer": "#8 is offered now, not #7"}
    assert owns(played(game, "red buy 8", "blue decline 8").clan("red"), 8)


def test_who_cannot_pay_is_not_asked() -> None:
    """Rule: who-is-asked (R4.5)."""
    game = walk_from("lay_crop", red=a_clan(food=3))

    game = played(game, "green offer 8")

    assert game.phase == Answering("blue", "green", 8, (), ())
    assert game.events == (CardOffered("green", 8, 4, ("red",)),)


def test_who_can_pay_with_the_crop_is_asked() -> None:
    """Rule: who-is-asked (R4.5)."""
    game = walk_from("lay_crop", red=a_clan(food=1), blue=a_clan(food=0))

    game = played(game, "green offer 7")

    assert game.phase == Answering("red", "green", 7, (), ())


def test_who_owns_the_knowledge_is_not_asked() -> None:
    """Rule: who-is-asked (R4.5)."""
    game = walk_from("lay_crop", blue=a_clan(cards=(1, 15)))

    game = played(game, "green offer 9", "red decline")

    assert owns(game.clan("green"), 9)


def test_if_nobody_can_be_asked_the_offering_player_buys_at_once() -> None:
    """Rules: answers (R4.4), who-is-asked (R4.5)."""
    game = walk_from("lay_crop", red=a_clan(food=0), blue=a_clan(food=3))

    game = played(game, "green offer 8")

    assert owns(game.clan("green"), 8)
    assert game.phase == DrawingCard()


def test_after_a_sale_to_another_the_player_offers_again_or_passes() -> None:
    """Rule: offer-again (R4.6)."""
    game = played(walk_from("lay_crop"), "green offer 8", "red decline", "blue buy", "* draw 15")

    assert game.phase == Offering("green")
    assert played(game, "green offer 7").phase == Answering("red", "green", 7, (), ())
    assert played(game, "green pass").phase == Offering("red")


# Paying


def test_the_buyer_pays_the_price_into_the_general_supply() -> None:
    """Rule: pay-card (R4.7)."""
    game = played(walk_from("lay_crop", green=a_clan(food=9)), "green offer 10", "red decline", "blue decline")

    assert game.clan("green").food == 9 - 4
    assert game.harvest == (4, 2, 3, 2)
    assert game.events[-1] == CardBought("green", 10, 4, crop=False)


def test_the_buyer_takes_the_crop_first_and_may_pay_with_it() -> None:
    """Card 7 costs 2: 1 food and the crop buy it. Rule: pay-card (R4.7)."""
    game = walk_from("lay_crop", green=a_clan(food=1))

    game = played(game, "green offer 7", "red decline", "blue decline")

    assert game.clan("green").food == 0
    assert game.market.crop is None
    assert game.events[-1] == CardBought("green", 7, 2, crop=True)


# Too many tools


def test_with_a_fourth_tool_a_clan_discards_any_also_the_new_one() -> None:
    """Rule: too-many-tools (R4.8)."""
    game = walk_from("lay_crop", green=a_clan(cards=(3, 9, 12, 16)))

    game = played(game, "green offer 8", "red decline", "blue decline")

    assert game.phase == Dropping("green")
    assert list(choices(game)) == [Drop(3), Drop(8), Drop(12), Drop(16)]
    game = played(game, "green drop 8")
    assert [card.number for card in game.clan("green").cards] == [3, 9, 12, 16]
    assert game.events == (ToolDropped("green", 8),)


def test_a_discarded_tool_leaves_the_game() -> None:
    """Rule: too-many-tools (R4.8)."""
    game = walk_from("lay_crop", green=a_clan(cards=(3, 12, 16)))

    game = played(game, "green offer 8", "red decline", "blue decline", "green drop 16", "* draw 15")

    assert [card.number for card in game.clan("green").cards] == [3, 8, 12]
    assert 16 not in (*game.market.cards, *game.pile.unseen, *game.pile.under)


def test_the_tool_is_discarded_before_the_next_card_is_drawn() -> None:
    """Rule: too-many-tools (R4.8)."""
    game = walk_from("lay_crop", green=a_clan(cards=(3, 12, 16)))

    game = played(game, "green offer 8", "red decline", "blue decline")

    assert game.market.cards == (7, 9, 10, 11, 12, 13, 14)
    assert played(game, "green drop 3").phase == DrawingCard()


def test_only_an_own_tool_is_discarded() -> None:
    """Knowledge is none, and neither is another clan's. Rule: drop-own-tool (R4.8)."""
    game = walk_from("lay_crop", green=a_clan(cards=(3, 15, 12, 16)))
    game = played(game, "green offer 8", "red decline", "blue decline")

    assert refused(game, "green drop 15") == {
        "drop-own-tool": "#15 is not one of Angelika's tools (#3 #8 #12 #16)",
    }
    assert refused(game, "green drop 2") == {"drop-own-tool": "#2 is not one of Angelika's tools (#3 #8 #12 #16)"}


def test_three_tools_and_any_number_of_knowledge_are_kept() -> None:
    """Rule: too-many-tools (R4.8)."""
    rich = a_clan(food=20, cards=(3, 12, 18, 24, 28))

    tool = played(walk_from("lay_crop", green=rich), "green offer 8", "red decline", "blue decline")
    knowledge = played(walk_from("lay_crop", green=rich), "green offer 9", "red decline", "blue decline")

    assert tool.phase == DrawingCard()
    assert knowledge.phase == DrawingCard()
    assert [card.number for card in knowledge.clan("green").cards] == [3, 9, 12, 18, 24, 28]


def test_knowledge_beside_three_tools_is_not_too_much() -> None:
    """Rule: too-many-tools (R4.8)."""
    game = walk_from("lay_crop", green=a_clan(cards=(3, 12, 16)))

    game = played(game, "green offer 9", "red decline", "blue decline")

    assert game.phase == DrawingCard()


def test_the_transport_sled_carries_a_fourth_tool_and_no_fifth() -> None:
    """Rule: transport-sled (R8.3)."""
    fourth = walk_from("lay_crop", green=a_clan(cards=(3, 12, 16, 21)))
    fifth = walk_from("lay_crop", green=a_clan(cards=(3, 12, 16, 17, 21)))

    fourth = played(fourth, "green offer 8", "red decline", "blue decline")
    fifth = played(fifth, "green offer 8", "red decline", "blue decline")

    assert fourth.phase == DrawingCard()
    assert len(fourth.clan("green").tools) == 4
    assert list(choices(fifth)) == [Drop(3), Drop(8), Drop(12), Drop(16), Drop(17)]
    assert "drop-own-tool" in refused(fifth, "green drop 21")
    assert len(played(fifth, "green drop 8").clan("green").tools) == 4


# Replacing


def test_the_bought_card_is_replaced_at_once_in_ascending_order() -> None:
    """The four lowest are current. Rule: replace-card (R4.9)."""
    game = played(walk_from("lay_crop", market=(10, 11, 16, 17, 19, 20, 22, 23)), "green offer 11")

    game = played(game, "red decline", "blue decline")

    assert game.phase == DrawingCard()
    game = played(game, "* draw 18")
    assert game.market.current == (10, 16, 17, 18)
    assert game.market.future == (19, 20, 22, 23)
    assert game.events == (CardDrawn(18),)


def test_a_lower_card_takes_the_crop_away() -> None:
    """FAQ: then nobody gets it in this round. Rule: replace-card (R4.9)."""
    game = played(walk_from("lay_crop", market=(10, 11, 16, 17, 19, 20, 22, 23)), "green offer 11")

    game = played(game, "red decline", "blue decline", "* draw 8")

    assert game.market.crop is None
    assert game.market.current == (8, 10, 16, 17)
    assert game.events == (CardDrawn(8), CropLost(10))
    assert CardUnsold not in map(type, events_of(game, "red pass", "blue pass"))


def test_a_card_above_the_crop_leaves_it_there() -> None:
    """Rule: replace-card (R4.9)."""
    game = played(walk_from("lay_crop", market=(10, 12, 16, 17, 19, 20, 22, 23)), "green offer 12")

    game = played(game, "red decline", "blue decline", "* draw 11")

    assert game.market.crop == 10
    assert game.events == (CardDrawn(11),)


def test_the_shuffle_card_drawn_in_phase_1_lies_above_all_and_the_phase_goes_on() -> None:
    """FAQ: treat it like a card with the number 1000. Rule: shuffle-card (R4.10)."""
    pile = Pile(unseen=(38, 39), never=2, under=(40, 41))
    game = played(walk_from("lay_crop", pile=pile), "green offer 8", "red decline", "blue decline")

    game = played(game, "* draw shuffle")

    assert game.events == (ShuffleDrawn(),)
    assert game.market.current == (7, 9, 10, 11)
    assert game.market.future == (12, 13, 14)
    assert game.market.shuffle
    assert not game.market.reduced
    assert game.phase == Offering("red")


def test_the_cards_under_the_shuffle_card_come_after_it_in_any_order() -> None:
    """Those removed unseen never come. Rule: shuffle-card (R4.10)."""
    pile = Pile(unseen=(38, 39), never=2, under=(40, 41))
    game = played(walk_from("lay_crop", pile=pile), "green offer 8", "red decline", "blue decline", "* draw shuffle")

    game = played(game, "red offer 9", "blue decline")

    assert [str(move) for move in choices(game)] == ["draw 40", "draw 41"]
    assert played(game, "* draw 41").market.future == (13, 14, 41)
    assert played(game, "* draw 40").pile.under == (41,)


def test_from_an_empty_pile_nothing_is_replaced() -> None:
    """The market shrinks. Rule: empty-pile (R4.14)."""
    game = walk_from("lay_crop", market=(7, 8, 9), pile=Pile(unseen=(38,), never=1, shuffle=False))

    game = played(game, "green offer 8", "red decline", "blue decline")

    assert game.phase == Offering("red")
    assert game.market.cards == (7, 9)


# The end of the phase


def test_a_card_that_still_bears_the_crop_leaves_the_game_with_it_and_is_replaced() -> None:
    """FAQ: draw a replacement card as usual. Rule: unsold-card (R4.11)."""
    game = walk_from("lay_crop", green=a_clan(members=("B1a",)))

    game = played(game, "green pass", "red pass", "blue pass")

    assert CardUnsold(7) in game.events
    assert game.phase == DrawingCard()
    assert game.market.cards == (8, 9, 10, 11, 12, 13, 14)
    assert game.market.crop is None
    game = played(game, "* draw 15")
    assert game.market.cards == (8, 9, 10, 11, 12, 13, 14, 15)
    assert 7 not in game.pile.under


def test_the_crop_that_was_bought_takes_no_card_away() -> None:
    """Rule: unsold-card (R4.11)."""
    game = played(walk_from("lay_crop"), "green offer 7", "red decline", "blue decline", "* draw 15")

    assert CardUnsold not in map(type, events_of(game, "red pass", "blue pass"))


def test_a_reduced_market_loses_its_unsold_card_too() -> None:
    """FAQ: that goes on after Shuffle. Rules: unsold-card (R4.11), nothing-under-after-shuffle (R7.5)."""
    pile = Pile(unseen=(38,), shuffle=False)
    game = walk_from("lay_crop", market=(17, 19, 20, 22, 23, 25), places=6, reduced=True, pile=pile)

    assert game.market.crop == 17
    game = played(game, "green pass", "red pass", "blue pass", "* draw 38")
    assert game.market.cards == (19, 20, 22, 23, 25, 38)


def test_the_shuffle_card_can_replace_the_unsold_card() -> None:
    """Rules: unsold-card (R4.11), shuffle-card (R4.10)."""
    game = walk_from("lay_crop", pile=Pile(under=(40,)), green=a_clan(members=("B1a",)))

    game = played(game, "green pass", "red pass", "blue pass", "* draw shuffle")

    assert game.market.cards == (8, 9, 10, 11, 12, 13, 14)
    assert game.market.shuffle


# Intelligence within the phase


def test_the_phase_goes_on_in_the_order_in_which_it_began() -> None:
    """Green buys Intelligence, falls back behind red and is out of the phase. Rule: order-of-the-phase (R4.13)."""
    game = walk_from("lay_crop", market=(28, 29, 30, 31, 32, 33, 34, 35), green=a_clan(members=("B1a",)))

    game = played(game, "green offer 28", "red decline", "blue decline")

    assert game.order == ("red", "green", "blue")
    assert game.events[-1] == PlayerOrderSet(("red", "green", "blue"))
    game = played(game, "* draw 36")
    assert game.phase == Offering("red")
    game = played(game, "red pass")
    assert game.phase == Offering("blue")
    assert played(game, "blue pass").phase == Spreading("green")


# Rot


@pytest.mark.parametrize(
    ("food", "rotten"), [(0, 0), (1, 0), (2, 0), (3, 1), (5, 1), (6, 2), (7, 2), (9, 3), (20, 6)], ids="{}".format
)
def test_a_third_of_the_food_rots_rounded_down(food: int, rotten: int) -> None:
    """FAQ: with 1 or 2 food nothing is lost. Rule: rotten-food (R4.15)."""
    assert rotten_food(a_clan(food=food)) == rotten


def test_christian_discards_the_berry() -> None:
    """Worked example 4: 1 mammoth, 1 berry and 2 crops are 8 food, so 2 rot. Rule: rotten-food (R4.15)."""
    christian = a_clan(food=4 + 2 + 2 * 1)

    assert rotten_food(christian) == 2


@pytest.mark.parametrize("card", [9, 15], ids="fire {}".format)
def test_nothing_rots_with_fire(card: int) -> None:
    """Rule: fire (R8.1)."""
    assert rotten_food(a_clan(food=20, cards=(3, card))) == 0


def test_with_fire_a_clan_hides_its_food_if_the_table_wants_it() -> None:
    """From all but its owner, until all is counted. Rule: hidden-food (R8.1)."""
    game = a_game(options=Options(hide_food=True), green=a_clan(cards=(3, 9)))
    green, red = game.clan("green"), game.clan("red")

    assert [hides_food(game, green, viewer) for viewer in (None, "red", "green")] == [True, True, False]
    assert not hides_food(game, red, None)
    assert not hides_food(game._replace(options=Options()), green, None)
    assert not hides_food(game._replace(phase=Ended(("green",))), green, None)


@pytest.mark.parametrize("food", [0, 40], ids="{} food".format)
def test_who_hides_its_food_is_asked_whatever_it_has(food: int) -> None:
    """Red cannot pay for the bow, or can; green learns only from its answer. Rule: hidden-food-asked (R8.1)."""
    red = a_clan(food=food, cards=(2, 9))
    order = ("green", "red", "blue")
    game = a_game(
        3, phase=Offering("green"), waiting=order, options=Options(hide_food=True), green=a_clan(food=9), red=red
    )

    asked = played(game, "green offer 10")

    assert asked.phase == Answering("red", "green", 10, (), ("blue",))
    assert forced(asked) is None


def test_who_hides_its_food_is_not_asked_about_knowledge_that_all_see_it_has() -> None:
    """Rule: hidden-food-asked (R8.1)."""
    red = a_clan(food=40, cards=(2, 9))
    game = a_game(
        2,
        market=(7, 8, 15, 16),
        phase=Offering("green"),
        options=Options(hide_food=True),
        green=a_clan(food=30),
        red=red,
    )

    assert not is_asked(game, game.clan("red"), 15)


@pytest.mark.parametrize("phase", [Offering("red"), Answering("red", "green", 10, (), ()), Spreading("red")])
def test_nothing_is_decided_for_who_hides_its_food(phase: Phase) -> None:
    """With no food it can only pass, decline or stay, and says so itself. Rule: hidden-food-asked (R8.1)."""
    poor = a_clan(food=0, cards=(2, 9))
    game = a_game(3, phase=phase, green=a_clan(food=9), red=poor)

    assert forced(game) in (Pass(), Decline(), Stay())
    assert forced(game._replace(options=Options(hide_food=True))) is None


def test_who_is_asked_for_its_hidden_food_only_cannot_buy() -> None:
    """The refusal has the numbers. Rule: hidden-food-asked (R8.1)."""
    game = a_game(
        3,
        phase=Answering("red", "green", 10, (), ()),
        options=Options(hide_food=True),
        red=a_clan(food=1, cards=(2, 9)),
    )

    assert refused(game, "red buy") == {"offer-affordable": "#10 bow costs 4 and Christian has 1"}


def test_food_rots_in_every_round_and_the_first_one_too() -> None:
    """FAQ: also of a clan that has resigned. Rule: rotten-food (R4.15)."""
    game = a_game(round=1, green=a_clan(food=9, cards=(3, 9)), red=a_clan(food=2), blue=a_clan(food=8, resigned=True))

    game = rot(game)

    assert [clan.food for clan in game.clans] == [9, 2, 6]
    assert game.events == (FoodRotted("blue", 2),)


def test_food_rots_after_all_have_bought() -> None:
    """What is spent cannot rot. Rules: rotten-food (R4.15), game-round (R3.1)."""
    game = walk_from("lay_crop", green=a_clan(food=7, members=("B1a",)), red=a_clan(food=0), blue=a_clan(food=0))

    game = played(game, "green offer 8", "* draw 15", "red pass", "blue pass", "* draw 16")

    assert FoodRotted("green", 1) in game.events
    assert isinstance(game.phase, Spreading)

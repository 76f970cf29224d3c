"""The market and the draw pile: what may be drawn, and what a drawn card does."""

from collections import Counter
from itertools import permutations

import pytest
from builders import a_clan, a_game, played, refused, the_components, walk_from

from pbem.first_sparks.adjudicator import adjudicate, choices, walk_on
from pbem.first_sparks.cards import Market, Pile
from pbem.first_sparks.events import CardDrawn, CropLost, ShuffleDrawn
from pbem.first_sparks.market import card_text, cards_text, draw, drawable, food_at_hand, gap, without
from pbem.first_sparks.moves import Draw
from pbem.first_sparks.phases import DrawingCard, Offering


def test_the_lower_half_of_the_market_is_current() -> None:
    """Rule: replace-card (R4.9)."""
    full = Market((7, 8, 9, 10, 11, 12, 13, 14), 8)
    two_players = Market((7, 8, 9, 12, 13, 14), 6)
    short = Market((7, 8, 9, 10, 11), 8)

    assert (full.current, full.future) == ((7, 8, 9, 10), (11, 12, 13, 14))
    assert (two_players.current, two_players.future) == ((7, 8, 9), (12, 13, 14))
    assert (short.current, short.future) == ((7, 8, 9, 10), (11,))


def test_all_of_a_reduced_market_is_current() -> None:
    """Rule: reduce-market (R7.3)."""
    market = Market((7, 8, 9, 10, 11, 12), 6, reduced=True)

    assert (market.current, market.future) == ((7, 8, 9, 10, 11, 12), ())


# What may be drawn


@pytest.mark.parametrize(
    ("pile", "next_cards"),
    [
        (Pile(top=(15,), unseen=(16, 17)), ("15",)),
        (Pile(unseen=(16, 9, 40)), ("16", "9", "40")),
        (Pile(unseen=(16, 17), never=1), ("16", "17")),
        (Pile(unseen=(100, 999)), ("100", "999")),
        (Pile(unseen=(16, 17), never=2, under=(14,)), ("shuffle",)),
        (Pile(under=(14, 13)), ("shuffle",)),
        (Pile(unseen=(16, 17), never=2, shuffle=False, under=(13, 14)), ("13", "14")),
        (Pile(unseen=(16, 17), never=2, shuffle=False), ()),
    ],
    ids=[
        "the top",
        "unseen",
        "unseen, some never",
        "numbers of somebody's own set",
        "Shuffle",
        "Shuffle above those under",
        "under",
        "empty",
    ],
)
def test_what_may_be_drawn_next(pile: Pile, next_cards: tuple[str, ...]) -> None:
    """Rule: pile-as-set (R10.2)."""
    assert tuple(draw.what for draw in drawable(pile)) == next_cards
    assert (pile.size == 0) == (next_cards == ())


def test_the_pile_has_no_order_that_anybody_could_read() -> None:
    """Two games after the same events have the same state. Rules: pile-as-set (R10.2), what-is-secret (R10.1)."""
    game = walk_from("lay_crop")
    orders = ("green offer 8", "red decline", "blue decline")

    one = played(game, *orders, "* draw 15", "red offer 9", "blue decline", "* draw 16")
    other = played(game, *orders, "* draw 16", "red offer 9", "blue decline", "* draw 15")

    assert one.pile == other.pile
    assert one.pile.unseen == tuple(range(17, 42))
    assert one.market == other.market


def test_drawing_when_needed_has_the_distribution_of_shuffling_once() -> None:
    """Of three cards one never comes; any two in any order are as likely as ever. Rule: pile-as-set (R10.2)."""
    shuffled = Counter(order[:2] for order in permutations((16, 17, 18)))

    drawn: Counter[tuple[int, ...]] = Counter()
    start = a_game(pile=Pile(unseen=(16, 17, 18), never=1))
    for first in drawable(start.pile):
        rest = draw(start, first)
        for second in drawable(rest.pile):
            drawn[int(first.what), int(second.what)] += 1
            assert drawable(draw(rest, second).pile) == (Draw("shuffle"),)

    assert drawn == shuffled


@pytest.mark.parametrize("what", ["12", "shuffle", "15", "99", "A", "016", "20"])
def test_what_cannot_come_cannot_be_drawn(what: str) -> None:
    """A card of the market, one that is out of the game, none at all. Rule: draw-possible (R10.2)."""
    game = a_game(phase=DrawingCard(), market=(7, 8, 9, 10, 11, 12, 13), pile=Pile(unseen=(16, 17)))

    assert list(choices(game)) == [Draw("16"), Draw("17")]
    assert refused(game, f"* draw {what}") == {"draw-possible": f"{what} cannot be drawn now"}


# Filling


@pytest.mark.parametrize(
    ("cards", "shuffle", "pile", "free"),
    [
        (7, False, Pile(unseen=(40,)), True),
        (8, False, Pile(unseen=(40,)), False),
        (7, True, Pile(shuffle=False, under=(40,)), False),
        (6, True, Pile(shuffle=False, under=(40,)), True),
        (7, False, Pile(), True),
        (7, False, Pile(shuffle=False), False),
        (7, False, Pile(unseen=(40,), never=1, shuffle=False), False),
    ],
    ids=[
        "a free place",
        "full",
        "full with Shuffle",
        "free beside Shuffle",
        "Shuffle is left",
        "empty pile",
        "only cards removed unseen",
    ],
)
def test_a_free_place_is_filled_while_the_pile_lasts(cards: int, shuffle: bool, pile: Pile, free: bool) -> None:
    """Rules: empty-pile (R4.14), replace-card (R4.9)."""
    game = a_game(market=tuple(range(7, 7 + cards)), shuffle=shuffle, pile=pile)

    assert gap(game) == free


def test_several_free_places_are_filled_one_by_one() -> None:
    """Rule: replace-card (R4.9)."""
    game = walk_on(a_game(market=(7, 8, 9, 10, 11, 12), waiting=("green",)))

    assert game.phase == DrawingCard()
    game = played(game, "* draw 20", "* draw 13")
    assert game.market.cards == (7, 8, 9, 10, 11, 12, 13, 20)
    assert game.phase == Offering("green")
    assert game.draws == 2


@pytest.mark.parametrize("place", ["top", "unseen", "under"])
def test_a_drawn_card_leaves_the_pile(place: str) -> None:
    """Rule: replace-card (R4.9)."""
    piles = {
        "top": Pile(top=(15,), unseen=(16,)),
        "unseen": Pile(unseen=(15, 16)),
        "under": Pile(unseen=(16,), never=1, shuffle=False, under=(15, 17)),
    }
    game = a_game(market=(7, 8, 9, 10, 11, 12, 13), pile=piles[place])

    game = draw(game, Draw("15"))

    assert 15 in game.market.cards
    assert game.pile.size == piles[place].size - 1
    assert 15 not in (*game.pile.top, *game.pile.unseen, *game.pile.under)


def test_a_lower_card_takes_the_crop_and_a_higher_one_leaves_it() -> None:
    """Rule: replace-card (R4.9)."""
    game = a_game(market=(10, 12, 13, 14), crop=10)

    assert draw(game, Draw("9")).events == (CardDrawn(9), CropLost(10))
    assert draw(game, Draw("9")).market.crop is None
    assert draw(game, Draw("11")).events == (CardDrawn(11),)
    assert draw(game, Draw("11")).market.crop == 10
    assert draw(a_game(market=(10, 12)), Draw("9")).events == (CardDrawn(9),)


def test_the_shuffle_card_leaves_the_crop_where_it_is() -> None:
    """It is above every number. Rule: shuffle-card (R4.10)."""
    game = draw(a_game(market=(10, 12, 13, 14), crop=10, pile=Pile(under=(40,))), Draw("shuffle"))

    assert game.market == Market((10, 12, 13, 14), 8, crop=10, shuffle=True)
    assert game.pile == Pile(shuffle=False, under=(40,))
    assert game.events == (ShuffleDrawn(),)


# Questions about cards


def test_a_card_without_the_crop_leaves_it_in_the_market() -> None:
    """Rule: replace-card (R4.9)."""
    market = Market((7, 8, 9), 8, crop=7)

    assert without(market, 8) == Market((7, 9), 8, crop=7)
    assert without(market, 7) == Market((8, 9), 8)


def test_the_crop_helps_to_pay_only_for_its_card() -> None:
    """Rule: pay-card (R4.7)."""
    game = a_game(crop=7, green=a_clan(food=1))
    cards = the_components().cards

    assert food_at_hand(game, 1, cards[7]) == 2
    assert food_at_hand(game, 1, cards[8]) == 1


def test_cards_as_players_write_them() -> None:
    """A message names cards by their numbers."""
    assert card_text(12) == "#12"
    assert cards_text((7, 8)) == "#7 #8"


def test_chance_alone_draws() -> None:
    """Rule: what-is-secret (R10.1)."""
    game = a_game(phase=DrawingCard(), market=(7, 8, 9, 10, 11, 12, 13), waiting=("green",))

    game = adjudicate(game, "*", Draw("20"))

    assert game.draws == 1
    assert game.phase == Offering("green")

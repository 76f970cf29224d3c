"""2 players: fewer cards, a neutral clan, and a first offer that may be put out of the game."""

from itertools import combinations

import pytest
from builders import a_clan, a_game, owns, played, refused, walk_from

from pbem.first_sparks.adjudicator import choices, forced, violations
from pbem.first_sparks.events import CardBought, Hunted, MembersPlaced, OfferDiscarded
from pbem.first_sparks.moves import Discard, SpreadNeutral, Take
from pbem.first_sparks.phases import DrawingCard, Ended, Offering, Spreading, SpreadingNeutral, TakingOrDiscarding
from pbem.first_sparks.rules.spreading import shared_cost
from pbem.first_sparks.state import GameState, Harvest

# Green is the first player and red the second; the market is 7 8 9 and 12 13 14.


def declined(*, first: str = "green offer 8", **gaps: object) -> GameState:
    """Return a game of two in which red has let the first offer of green go by."""
    return played(walk_from("lay_crop", 2, **gaps), first, "red decline")


# The first offer


def test_the_first_player_takes_or_discards_its_first_offer_that_was_declined() -> None:
    """Rule: discard-offer (R4.12)."""
    game = declined()

    assert game.phase == TakingOrDiscarding("green", 8)
    assert list(choices(game)) == [Take(), Discard()]
    assert list(refused(game, "green pass")) == ["move-of-the-phase"]


def test_taking_it_is_buying_it() -> None:
    """Rule: discard-offer (R4.12)."""
    game = played(declined(), "green take")

    assert game.events == (CardBought("green", 8, 4, crop=False),)
    assert game.clan("green").food == 3
    assert played(game, "* draw 16").phase == Offering("red")


def test_discarding_puts_it_out_of_the_game_and_draws_another() -> None:
    """Rule: discard-offer (R4.12)."""
    game = played(declined(), "green discard")

    assert game.market.cards == (7, 9, 12, 13, 14)
    assert game.phase == DrawingCard()
    game = played(game, "* draw 16")
    assert 8 not in (*game.market.cards, *game.pile.unseen, *game.pile.under)
    assert game.market.cards == (7, 9, 12, 13, 14, 16)
    assert game.clan("green").food == 7


def test_christian_discards_the_basket() -> None:
    """Worked example 12: basket 22 with 5 berries there takes 2 berries away. Rule: discard-offer (R4.12)."""
    game = walk_from("lay_crop", 2, market=(16, 17, 22, 23, 25, 27), harvest=(5, 2, 3, 2))

    game = played(game, "green offer 22", "red decline", "green discard")

    assert game.harvest == Harvest(3, 2, 3, 2)
    assert game.events == (OfferDiscarded("green", 22, (("berries", 2),)),)


@pytest.mark.parametrize(
    ("card", "harvest", "left"),
    [
        (14, (3, 2, 3, 2), (2, 2, 3, 2)),
        (14, (0, 2, 3, 2), (0, 2, 3, 2)),
        (31, (1, 2, 3, 2), (0, 2, 3, 2)),
        (16, (3, 2, 4, 2), (3, 2, 2, 2)),
        (12, (3, 2, 3, 2), (3, 2, 3, 2)),
        (9, (3, 2, 3, 2), (3, 2, 3, 2)),
    ],
    ids=["3 berries", "no berry", "1 berry for a tool that takes 2", "bears", "a field", "a knowledge"],
)
def test_what_leaves_the_harvest_space_with_a_discarded_card(
    card: int, harvest: tuple[int, ...], left: tuple[int, ...]
) -> None:
    """No virtual tokens, wherever the clan stands. Rules: discard-offer (R4.12), no-more-than-there (R5.5)."""
    stands = a_clan(food=20, members=("B1c", "C2c", "B2c", "D1c"))
    market = (7, card, 37, 38, 40, 41)
    game = walk_from("lay_crop", 2, green=stands, red=a_clan(food=20), market=market, harvest=harvest)

    game = played(game, f"green offer {card}", "red decline", "green discard")

    assert game.harvest == left


def test_the_crop_on_a_discarded_card_is_lost() -> None:
    """Rule: discard-offer (R4.12)."""
    game = played(declined(first="green offer 7"), "green discard")

    assert game.market.crop is None
    assert game.clan("green").food == 7


def test_the_next_card_that_it_offers_it_must_buy() -> None:
    """Rule: discard-offer (R4.12)."""
    game = played(declined(), "green discard", "* draw 16")

    assert game.phase == Offering("green")
    game = played(game, "green offer 9", "red decline")
    assert game.events[-1] == CardBought("green", 9, 3, crop=False)


def test_the_second_player_may_buy_the_next_card_all_the_same() -> None:
    """Then the first must buy the third that it offers. Rule: discard-offer (R4.12)."""
    game = played(declined(), "green discard", "* draw 16", "green offer 9", "red buy", "* draw 17")

    assert owns(game.clan("red"), 9)
    assert game.phase == Offering("green")
    assert owns(played(game, "green offer 7").clan("green"), 7)


def test_instead_of_offering_again_it_may_pass() -> None:
    """Rule: discard-offer (R4.12)."""
    game = played(declined(), "green discard", "* draw 16", "green pass")

    assert game.phase == Offering("red")


def test_a_second_player_who_was_not_asked_did_not_buy() -> None:
    """It has too little food. Rules: discard-offer (R4.12), who-is-asked (R4.5)."""
    game = played(walk_from("lay_crop", 2, red=a_clan(food=3)), "green offer 8")

    assert game.phase == TakingOrDiscarding("green", 8)


def test_what_the_second_player_bought_is_no_longer_the_first_offer() -> None:
    """So the first player must buy what it offers next. Rule: discard-offer (R4.12)."""
    game = played(walk_from("lay_crop", 2), "green offer 8", "red buy", "* draw 16")

    assert played(game, "green offer 9").events[-1] == CardBought("green", 9, 3, crop=False)


def test_the_second_players_offer_cannot_be_discarded() -> None:
    """Neither after the first has bought nor after it has passed. Rules: discard-offer (R4.12), answers (R4.4)."""
    bought = played(declined(), "green take", "* draw 16", "red offer 9")
    passed = played(walk_from("lay_crop", 2), "green pass", "red offer 9")

    assert bought.events[-1] == CardBought("red", 9, 3, crop=False)
    assert passed.events[-1] == CardBought("red", 9, 3, crop=False)


def test_every_round_has_a_first_offer_again() -> None:
    """Rules: discard-offer (R4.12), lay-crop (R4.1)."""
    game = walk_from("lay_crop", 2, first_offer=False, green=a_clan(members=("B1a",)), neutral=("B2a",))

    assert played(game, "green offer 8", "red decline").phase == TakingOrDiscarding("green", 8)


def test_with_more_players_nothing_is_discarded() -> None:
    """Rules: discard-offer (R4.12), answers (R4.4)."""
    game = played(walk_from("lay_crop", 3), "green offer 8", "red decline", "blue decline")

    assert owns(game.clan("green"), 8)


def test_the_first_player_is_who_began_the_phase_first() -> None:
    """Red buys Intelligence as second and stays it; then green still must buy. Rule: order-of-the-phase (R4.13)."""
    market = (28, 29, 30, 31, 32, 34)
    first = played(walk_from("lay_crop", 2, market=market), "green offer 28", "red decline", "green take", "* draw 16")

    assert first.order == ("red", "green")
    assert first.phase == Offering("red")
    assert played(first, "red offer 16").events[-1] == CardBought("red", 16, 5, crop=False)


# The neutral clan


def test_before_its_own_spreading_the_second_player_lets_the_neutral_clan_grow() -> None:
    """It becomes as large as the first player's clan. Rule: neutral-spreads (R6.7)."""
    game = walk_from(
        "spread_neutral",
        2,
        green=a_clan(members=("D1a", "D1c", "D2b")),
        red=a_clan(members=("C1a",)),
        neutral=("B1a",),
    )

    assert game.phase == SpreadingNeutral("red", 2)
    game = played(game, "red spread neutral B1c B1b")
    assert game.neutral == ("B1a", "B1b", "B1c")
    assert game.events == (MembersPlaced("neutral", ("B1b", "B1c"), 0),)
    assert game.phase == Spreading("red")
    assert [clan.food for clan in game.clans] == [7, 7]


def test_the_neutral_clan_grows_by_no_more_and_no_less() -> None:
    """Rule: neutral-number (R6.7)."""
    game = walk_from("spread_neutral", 2, green=a_clan(members=("D1a", "D1c", "D2b")), neutral=("B1a",))

    message = "the neutral clan grows from 1 to 3 members, like Angelika's clan: name 2 spaces, not {}"
    assert refused(game, "red spread neutral B1b") == {"neutral-number": message.format(1)}
    assert refused(game, "red spread neutral B1b B1c D1c") == {"neutral-number": message.format(3)}
    assert list(refused(game, "red stay")) == ["move-of-the-phase"]


def test_the_neutral_clan_spreads_by_the_rules_of_place() -> None:
    """Rules: one-member-a-space (R6.2), spread-adjacent (R6.2), space-on-board (R0), neutral-number (R6.7)."""
    game = walk_from("spread_neutral", 2, green=a_clan(members=("D1a", "D1c", "D2b")), neutral=("B1a",))

    assert refused(game, "red spread neutral B1a B1b") == {
        "one-member-a-space": "the neutral clan can have only one member on B1a",
    }
    assert refused(game, "red spread neutral C1a B1b") == {
        "spread-adjacent": "C1a is not next to a member of the neutral clan",
    }
    assert list(refused(game, "red spread neutral B1b F1a")) == ["space-on-board"]
    assert list(refused(game, "red spread neutral F1a")) == ["neutral-number", "space-on-board"]
    assert list(refused(game, "red spread neutral C1a B1b B1b")) == [
        "neutral-number",
        "one-member-a-space",
        "spread-adjacent",
    ]


def test_every_way_for_the_neutral_clan_is_listed_once() -> None:
    """Rule: neutral-spreads (R6.7)."""
    game = walk_from("spread_neutral", 2, green=a_clan(members=("D1a", "D1c", "D2b")), neutral=("B1a",))

    listed = [move.spaces for move in choices(game) if isinstance(move, SpreadNeutral)]

    legal = [two for two in combinations(game.board.spaces, 2) if not any(violations(game, SpreadNeutral(two)))]
    assert sorted(listed) == legal


def test_more_than_five_neutral_members_may_come_at_once() -> None:
    """They share spaces with others, and cross mountains, free of charge. Rule: neutral-spreads (R6.7)."""
    eight = ("B1a", "B1b", "B1c", "D1c", "D1a", "D2b", "D2a", "D2c")
    game = walk_from("spread_neutral", 2, green=a_clan(members=eight), red=a_clan(members=("C1a",)), neutral=("B1a",))

    assert game.phase == SpreadingNeutral("red", 7)
    game = played(game, "red spread neutral B1b B1c D1c D1a D2b D2c B2b")
    assert game.neutral is not None
    assert len(game.neutral) == 8
    assert [clan.food for clan in game.clans] == [7, 7]


@pytest.mark.parametrize("members", [("D1a", "D1c"), ("D1a",)], ids=["as large", "smaller"])
def test_a_neutral_clan_that_is_large_enough_stays(members: tuple[str, ...]) -> None:
    """Nobody is asked, and it does not shrink. Rule: neutral-spreads (R6.7)."""
    game = walk_from("spread_neutral", 2, green=a_clan(members=members), neutral=("B1a", "B1b"))

    assert game.phase == Spreading("green")
    assert game.neutral == ("B1a", "B1b")


def test_the_second_player_in_the_order_of_the_round_moves_the_neutral_clan() -> None:
    """Here green is second, and red's clan is the measure. Rule: neutral-spreads (R6.7)."""
    game = walk_from("spread_neutral", 2, order=("red", "green"), red=a_clan(members=("D1a", "D1c")), neutral=("B1a",))

    assert game.phase == SpreadingNeutral("green", 1)


def test_one_way_for_the_neutral_clan_is_no_choice() -> None:
    """Rule: neutral-spreads (R6.7)."""
    spaces = a_game(2).board.spaces
    game = walk_from("spread_neutral", 2, green=a_clan(members=spaces[:15]), neutral=spaces[:14])
    full = walk_from("spread_neutral", 2, green=a_clan(members=spaces), neutral=spaces[1:])

    assert forced(game) is None
    assert forced(full) == SpreadNeutral(spaces[:1])


def test_others_pay_to_share_a_space_with_the_neutral_clan() -> None:
    """Rule: shared-space (R6.5)."""
    game = a_game(2, green=a_clan(members=("B1b",)), neutral=("B1a",))

    assert shared_cost(game, game.clan("green"), "B1a") == 2


def test_the_neutral_clan_neither_eats_nor_starves_and_has_no_place_in_the_order() -> None:
    """Rule: neutral-spreads (R6.7)."""
    game = walk_from("hunt_and_feed", 2, green=a_clan(members=("D1a", "D1c")), neutral=("B1a", "B1b", "B1c"))

    assert game.neutral == ("B1a", "B1b", "B1c")
    assert [event.clan for event in game.events if isinstance(event, Hunted)] == ["red", "green"]
    assert game.order == ("green", "red")


# Resigning


@pytest.mark.parametrize(
    ("step", "orders", "by", "winner"),
    [
        ("settle_neutral", (), "red", "green"),
        ("settle", (), "green", "red"),
        ("lay_crop", (), "green", "red"),
        ("lay_crop", ("green offer 8",), "red", "green"),
        ("lay_crop", ("green offer 8",), "green", "red"),
        ("lay_crop", ("green offer 8", "red decline"), "green", "red"),
        ("spread_neutral", (), "red", "green"),
        ("spread", (), "green", "red"),
    ],
    ids=[
        "settling neutral",
        "settling",
        "offering",
        "answering",
        "offerer while the other answers",
        "taking or discarding",
        "spreading neutral",
        "spreading",
    ],
)
def test_of_two_players_the_other_wins_when_one_resigns(
    step: str, orders: tuple[str, ...], by: str, winner: str
) -> None:
    """In every phase. Rule: resign (R9.3)."""
    settled = not step.startswith("settle")
    game = walk_from(
        step,
        2,
        green=a_clan(members=("D1a", "D1c") if settled else ()),
        red=a_clan(members=("C1a",) if settled else ()),
        neutral=("B1a",) if settled else None,
    )

    game = played(game, *orders, f"{by} resign")

    assert game.phase == Ended((winner,))

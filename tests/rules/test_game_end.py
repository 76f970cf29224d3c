"""The end of the game, by a clan of 13 or by the players' will."""

from collections.abc import Callable
from random import Random

import pytest
from bots import SECRET, a_new_record, a_sensible_choice, random_play
from builders import NAMES, a_clan, a_game, owns, played, refused, the_components, walk_from

from pbem.errors import Illegal, NotYourTurn
from pbem.first_sparks.adjudicator import adjudicate, carry_on, choices, new_game, walk_on, who_decides
from pbem.first_sparks.cards import Pile
from pbem.first_sparks.chance.draws import source
from pbem.first_sparks.events import (
    AgreedToEnd,
    Answered,
    CardBought,
    GameEnded,
    HarvestRefilled,
    Hunted,
    MembersPlaced,
    MembersStarved,
    Resigned,
    ToolDropped,
)
from pbem.first_sparks.moves import AgreeEnd, Draw, Resign
from pbem.first_sparks.options import IDLE_ROUNDS, Options
from pbem.first_sparks.phases import (
    Adding,
    Answering,
    DealingHerbs,
    DrawingCard,
    DrawingTile,
    Dropping,
    Ended,
    Laying,
    Offering,
    Phase,
    Settling,
    Spreading,
    Starving,
)
from pbem.first_sparks.play import played as play_on
from pbem.first_sparks.rules import game_end
from pbem.first_sparks.rules.game_end import end, winners
from pbem.first_sparks.rules.spreading import shared_cost
from pbem.first_sparks.state import GameState

TWELVE = tuple(hexagon + letter for hexagon in ("B1", "B2", "C1", "C2") for letter in "abc")


def three_clans(step: str, idle: int = 0) -> GameState:
    """Return a game of three clans with a member each, walked from a step."""
    return walk_from(
        step,
        green=a_clan(cards=(3,), members=("B1a",)),
        red=a_clan(cards=(2,), members=("B2a",)),
        blue=a_clan(cards=(1,), members=("C1a",)),
        idle=idle,
    )


# The 13th member


def test_after_a_13th_member_phase_3_is_finished_and_phase_4_skipped() -> None:
    """Rule: thirteenth-member (R9.1)."""
    game = walk_from(
        "spread", green=a_clan(members=("D2a",)), red=a_clan(members=("B2a",)), blue=a_clan(food=20, members=TWELVE)
    )

    game = played(game, "blue spread D1c")
    assert game.phase == Spreading("red")
    game = played(game, "red stay")
    assert game.phase == Spreading("green")
    game = played(game, "green spread D2b")
    assert game.phase == Ended(("blue",))
    assert game.events == (MembersPlaced("green", ("D2b",), 1), GameEnded(("blue",)))
    assert game.harvest == (4, 2, 3, 2)


def test_more_than_13_members_may_be_placed() -> None:
    """Who places them later in the phase can still win. Rule: thirteenth-member (R9.1)."""
    game = walk_from(
        "spread",
        green=a_clan(food=50, members=TWELVE),
        red=a_clan(food=50, members=TWELVE),
        blue=a_clan(members=("D2a",)),
    )

    game = played(game, "blue stay", "red spread D1c", "green spread D1a D1b D1c")

    assert game.clan("green").size == 15
    assert game.phase == Ended(("green",))


def test_twelve_members_do_not_end_the_game() -> None:
    """Rule: thirteenth-member (R9.1)."""
    game = walk_from("spread", green=a_clan(members=TWELVE))

    game = played(game, "green stay")

    assert any(isinstance(event, HarvestRefilled) for event in game.events)
    assert game.phase == DrawingCard()


# Who wins


@pytest.mark.parametrize(
    ("green", "red", "blue", "winning"),
    [
        ((3, 0), (2, 9), (1, 30), ("green",)),
        ((2, 5), (2, 6), (1, 30), ("red",)),
        ((2, 6), (2, 6), (1, 30), ("green", "red")),
        ((2, 6), (2, 6), (2, 6), ("green", "red", "blue")),
        ((1, 0), (2, 0), (3, 0), ("blue",)),
    ],
    ids=["most members", "a tie to more food", "still tied", "all tied", "the last player"],
)
def test_most_members_win_then_most_food(
    green: tuple[int, int], red: tuple[int, int], blue: tuple[int, int], winning: tuple[str, ...]
) -> None:
    """Cards do not count. Rule: winner (R9.2)."""
    clans = [a_clan(food, members=TWELVE[:size]) for size, food in (green, red, blue)]

    assert winners(a_game(green=clans[0], red=clans[1], blue=clans[2])) == winning


def test_who_has_resigned_cannot_win() -> None:
    """Rule: winner (R9.2)."""
    game = a_game(green=a_clan(members=TWELVE, resigned=True), red=a_clan(members=("D1a",)))

    assert winners(game) == ("red",)


def test_the_neutral_clan_cannot_win() -> None:
    """Nor does its size end the game. Rule: winner (R9.2)."""
    game = a_game(2, neutral=(*TWELVE, "D1a"), green=a_clan(members=("D1b",)))

    assert winners(game) == ("green",)
    assert end(game) == game


# Ten idle rounds


def test_ten_rounds_without_progress_end_the_game() -> None:
    """Rule: idle-rounds (R9.3)."""
    ninth = walk_from("end", idle=9, green=a_clan(members=("B1a",)), pile=Pile(shuffle=False))
    tenth = walk_from("end", idle=10, green=a_clan(members=("B1a",)))

    assert ninth.phase == Offering("green")
    assert tenth.phase == Ended(("green",))


def test_a_game_in_which_nobody_can_do_anything_ends_after_ten_rounds() -> None:
    """No cards, no members, no draws. Rule: idle-rounds (R9.3)."""
    game = walk_from("lay_crop", market=(), pile=Pile(shuffle=False), round=20, red=a_clan(food=40, cards=(2, 9)))

    *_, last = [state for *_, state in carry_on(game, lambda n, k: 0)]

    assert last.phase == Ended(("red",))
    assert last.round == 30


@pytest.mark.parametrize("progress", ["buy", "place", "add in the placement round"])
def test_progress_begins_the_count_anew(progress: str) -> None:
    """A card bought, or a clan at a new size. Rule: idle-rounds (R9.3)."""
    if progress == "buy":
        game = played(three_clans("lay_crop", idle=8), "green offer 8", "red decline", "blue decline")
    elif progress == "place":
        game = played(three_clans("spread", idle=8), "blue spread C1b")
    else:
        game = played(three_clans("add_second", idle=8), "green add B1b")

    assert game.idle == 0


def test_passing_staying_and_starving_are_idle() -> None:
    """The count goes up with each round. Rule: idle-rounds (R9.3)."""
    game = played(three_clans("lay_crop", idle=8), "green pass", "red pass", "blue pass", "* draw 15")
    starving = walk_from("hunt_and_feed", idle=8, blue=a_clan(0, (9,), ("C1a",)), green=a_clan(members=("B1a",)))

    assert game.idle == 9
    assert played(game, "blue stay", "red stay", "green stay", "* draw 16").idle == 10
    assert played(starving, "blue starve C1a").idle == 8


def test_to_lose_a_member_and_place_it_again_is_no_progress() -> None:
    """Only a size that the clan never had is new. Rule: idle-rounds (R9.3)."""
    game = walk_from(
        "hunt_and_feed", idle=8, blue=a_clan(1, (9,), ("C1a", "C1b")), green=a_clan(10, (9,), ("B1a", "B1b"))
    )
    game = played(game, "blue starve C1b")
    assert (game.clan("blue").size, game.clan("blue").largest) == (1, 2)
    again = played(game._replace(clans=game.clans_with(game.clan("blue")._replace(food=9))), "blue spread C1c")
    assert again.idle == 8
    assert played(again, "green spread B1c").idle == 0


def test_no_line_of_a_game_makes_the_progress_smaller() -> None:
    """What is bought and how large clans were only grows, and has an end: so has the game. Rule: idle-rounds (R9.3)."""
    for seed in range(6):
        before, cards = [0] * 6, 35
        for _, _, state in random_play(a_new_record(2 + seed % 5, f"progress-{seed}"), Random(seed)):
            clans = sorted(state.clans, key=lambda clan: clan.colour)
            largest = [clan.largest for clan in clans]
            pile = state.pile
            left = len((*state.market.cards, *pile.top, *pile.unseen, *pile.under))
            assert all(now >= then for now, then in zip(largest, before, strict=False))
            assert max(largest) <= 15
            assert left <= cards
            before, cards = largest, left
        assert isinstance(state.phase, Ended)


def test_careful_players_cannot_play_for_ever() -> None:
    """Four of them went on for hundreds of rounds: one spread by one and lost it again. Rule: idle-rounds (R9.3)."""
    record, random = a_new_record(4, "never-68", "players"), Random(68)
    while (decides := who_decides(record.state)) is not None and record.state.round < 100:
        record, _ = play_on(record, decides, a_sensible_choice(record.state, random), source(record.game, SECRET))

    assert isinstance(record.state.phase, Ended)
    assert record.state.idle == 10
    assert any(" starve " in line for line in record.log[-60:])
    assert any(" spread " in line for line in record.log[-60:])


# Resigning


def dealt(*numbers: int) -> GameState:
    """Return a new game of three after these Herbs were dealt."""
    game = new_game(the_components(), tuple(NAMES.items())[:3], Options())
    return played(game, *(f"* draw {number}" for number in numbers))


# A situation for every phase of three players, with the clan that resigns and the phase in which the game then waits.
SITUATIONS: dict[str, tuple[Callable[[], GameState], str, Phase]] = {
    "dealing Herbs": (lambda: dealt(1), "green", DealingHerbs("red")),
    "drawing a tile": (lambda: dealt(1, 2, 3), "blue", DrawingTile("blue")),
    "laying": (lambda: played(dealt(1, 2, 3), "* draw C"), "blue", Laying("blue", "C")),
    "settling": (lambda: walk_from("settle"), "blue", Settling("red")),
    "settling, another": (lambda: walk_from("settle"), "green", Settling("blue")),
    "adding": (lambda: three_clans("add_second"), "green", Adding("red")),
    "adding, the last": (
        lambda: played(three_clans("add_second"), "green stay", "red stay"),
        "blue",
        Offering("green"),
    ),
    "offering": (lambda: three_clans("lay_crop"), "green", Offering("red")),
    "offering, another": (lambda: three_clans("lay_crop"), "red", Offering("green")),
    "answering": (
        lambda: played(three_clans("lay_crop"), "green offer 8"),
        "red",
        Answering("blue", "green", 8, (), ()),
    ),
    "drawing a card": (
        lambda: played(three_clans("lay_crop"), "green offer 8", "red decline", "blue decline"),
        "red",
        DrawingCard(),
    ),
    "starving, another": (
        lambda: walk_from("hunt_and_feed", blue=a_clan(1, (9,), ("C1a", "C1b"))),
        "red",
        Starving("blue", 1),
    ),
    "spreading": (lambda: three_clans("spread"), "blue", Spreading("red")),
    "spreading, another": (lambda: three_clans("spread"), "green", Spreading("blue")),
}


@pytest.mark.parametrize("situation", SITUATIONS)
def test_a_player_may_resign_at_any_time(situation: str) -> None:
    """What it was asked is answered for it. Rule: resign (R9.3)."""
    arise, colour, phase = SITUATIONS[situation]
    game = arise()

    after = adjudicate(game, colour, Resign())

    assert after.phase == phase
    assert after.clan(colour) == game.clan(colour)._replace(resigned=True)
    assert after.events[0] == Resigned(colour)
    assert who_decides(after) != colour


@pytest.mark.parametrize("situation", SITUATIONS)
def test_who_has_resigned_is_never_asked_again(situation: str) -> None:
    """The game goes on for 40 moves without it. Rule: resign (R9.3)."""
    arise, colour, _ = SITUATIONS[situation]

    game = adjudicate(arise(), colour, Resign())

    for _ in range(40):
        decides = who_decides(game)
        assert decides not in (colour, None)
        game = adjudicate(game, str(decides), next(choices(game)))


def test_the_members_and_cards_of_who_resigned_stay() -> None:
    """Others pay for sharing its spaces, and it keeps its place in the order. Rule: resign (R9.3)."""
    game = played(three_clans("spread"), "red resign")

    assert game.clan("red").members == ("B2a",)
    assert owns(game.clan("red"), 2)
    assert shared_cost(game, game.clan("green"), "B2a") == 2
    assert game.order == ("green", "red", "blue")


def test_who_resigned_still_hunts_and_eats() -> None:
    """Rule: resign (R9.3)."""
    game = walk_from(
        "hunt_and_feed", red=a_clan(5, (12,), ("B1a", "B1b", "B1c"), resigned=True), green=a_clan(members=("D1a",))
    )

    assert Hunted("red", 2, (), 2, 3) in game.events
    assert game.clan("red").food == 5 + 2 - 3


def test_who_resigned_is_not_asked_to_settle_add_or_spread() -> None:
    """Rule: resign (R9.3)."""
    gone = a_clan(members=("C1a",), resigned=True)

    assert walk_from("settle", blue=a_clan(resigned=True)).phase == Settling("red")
    assert walk_from("add_second", green=gone, red=a_clan(members=("B1a",))).phase == Adding("red")
    assert walk_from("spread", blue=gone, red=a_clan(members=("B1a",))).phase == Spreading("red")


def test_chance_lays_the_tile_of_who_resigned() -> None:
    """Rule: answered-for (R9.3)."""
    game = played(dealt(1, 2, 3), "* draw C", "blue resign")

    assert who_decides(game) == "*"
    assert played(game, "* lay M13 N13").phase == DrawingTile("red")


def test_who_resigned_declines() -> None:
    """Here the card goes to who offered it. Rule: answered-for (R9.3)."""
    game = played(three_clans("lay_crop"), "green offer 8", "red decline", "blue resign")

    assert game.events == (Resigned("blue"), Answered("blue", 8, wants=False), CardBought("green", 8, 4, crop=False))


def test_who_resigned_discards_its_lowest_tool() -> None:
    """Rule: answered-for (R9.3)."""
    game = walk_from("lay_crop", green=a_clan(cards=(9, 12, 14, 16)), market=(8, 10, 11, 13, 17, 19, 20, 22))
    game = played(game, "green offer 8", "red decline", "blue decline")
    assert game.phase == Dropping("green")

    game = played(game, "green resign")

    assert game.events == (Resigned("green"), ToolDropped("green", 8))
    assert game.phase == DrawingCard()


@pytest.mark.parametrize(
    ("food", "members", "lost"),
    [
        (2, ("B2c", "D1c", "B1c"), ("B2c",)),
        (1, ("B2c", "D1c", "D1a"), ("D1a", "D1c")),
        (2, ("B1a", "B1b", "B1c"), ("B1c",)),
        (2, ("C1c", "B2a", "B2c"), ("C1c",)),
        (0, ("B1a", "B1b"), ("B1a", "B1b")),
    ],
    ids=["not the last, in the middle", "the last two", "the last name", "an end", "all"],
)
def test_of_who_resigned_the_last_by_name_starve(food: int, members: tuple[str, ...], lost: tuple[str, ...]) -> None:
    """As far as they leave one group. Rule: resigned-starving (R9.3)."""
    game = walk_from("hunt_and_feed", blue=a_clan(food, (9,), members, resigned=True), green=a_clan(members=("D2a",)))

    assert MembersStarved("blue", lost) in game.events
    assert game.phase == Spreading("green")


def test_who_resigns_while_its_members_starve_loses_the_last_by_name() -> None:
    """Then the others hunt. Rule: resigned-starving (R9.3)."""
    game = walk_from("hunt_and_feed", blue=a_clan(1, (9,), ("C1a", "C1b")), green=a_clan(members=("D2a",)))
    assert game.phase == Starving("blue", 1)

    game = played(game, "blue resign")

    assert game.clan("blue").members == ("C1a",)
    assert [type(event) for event in game.events] == [Resigned, MembersStarved, Hunted, Hunted]
    assert game.phase == Spreading("green")


def test_who_resigns_before_its_turn_to_hunt_hunts_all_the_same() -> None:
    """Rule: resign (R9.3)."""
    game = walk_from("hunt_and_feed", blue=a_clan(1, (9,), ("C1a", "C1b")), green=a_clan(0, (12,), ("D2a",)))

    game = played(game, "green resign", "blue starve C1a")

    assert Hunted("green", 2, (), 2, 1) in game.events


# The offering player resigns while others answer


def test_if_the_offering_player_resigns_somebody_else_may_still_buy() -> None:
    """Rule: resign (R9.3)."""
    game = played(three_clans("lay_crop"), "green offer 8", "green resign")

    assert game.phase == Answering("red", "green", 8, (), ("blue",))
    game = played(game, "red buy", "blue decline")
    assert owns(game.clan("red"), 8)
    assert played(game, "* draw 15").phase == Offering("blue")


def test_if_the_offering_player_resigned_nobody_has_to_buy() -> None:
    """Rules: resign (R9.3), answered-for (R9.3)."""
    game = played(three_clans("lay_crop"), "green offer 8", "green resign")

    game = played(game, "red decline", "blue decline")

    assert not any(owns(clan, 8) for clan in game.clans)
    assert game.phase == Offering("red")
    assert 8 in game.market.cards


def test_a_yes_is_void_when_its_player_resigns() -> None:
    """The earlier yes counts then, or the offering player buys. Rule: resign (R9.3)."""
    four = walk_from("lay_crop", 4)

    earlier = played(four, "green offer 8", "red buy", "blue buy", "blue resign", "black decline")
    nobody = played(four, "green offer 8", "red buy", "red resign", "blue decline", "black decline")

    assert owns(earlier.clan("red"), 8)
    assert owns(nobody.clan("green"), 8)


def test_who_resigned_before_being_asked_is_passed_over() -> None:
    """Rule: resign (R9.3)."""
    game = played(walk_from("lay_crop", 4), "green offer 8", "blue resign", "red decline")

    assert game.phase == Answering("black", "green", 8, (), ())


def test_the_last_who_has_not_resigned_wins_at_once() -> None:
    """However small its clan is. Rule: resign (R9.3)."""
    game = walk_from("spread", green=a_clan(members=TWELVE), red=a_clan(members=TWELVE), blue=a_clan(members=("D1a",)))

    game = played(game, "green resign")
    assert game.phase == Spreading("blue")
    game = played(game, "red resign")
    assert game.phase == Ended(("blue",))
    assert game.events == (Resigned("red"), GameEnded(("blue",)))


@pytest.mark.parametrize("move", [Resign(), AgreeEnd()], ids=str)
@pytest.mark.parametrize("by", ["green", "yellow", "*"])
def test_only_who_is_in_the_game_resigns_or_agrees(by: str, move: Resign | AgreeEnd) -> None:
    """Rules: resign (R9.3), agree-end (R9.3)."""
    game = played(three_clans("spread"), "green resign")

    with pytest.raises(NotYourTurn, match="is no longer in the game"):
        adjudicate(game, by, move)


# Agreeing to end


def test_when_all_agree_the_game_ends_and_is_scored() -> None:
    """Also those who are not asked now. Rule: agree-end (R9.3)."""
    game = walk_from("spread", blue=a_clan(members=("C1a",)), red=a_clan(members=("B1a", "B1b")))

    game = played(game, "green agree end", "red agree end")
    assert game.phase == Spreading("blue")
    assert game.agreed == ("green", "red")
    assert game.events == (AgreedToEnd("red"),)
    game = played(game, "blue agree end")
    assert game.phase == Ended(("red",))
    assert game.events == (AgreedToEnd("blue"), GameEnded(("red",)))


def test_the_next_move_cancels_an_agreement() -> None:
    """Rule: agree-end (R9.3)."""
    game = played(three_clans("spread"), "green agree end", "red agree end", "blue stay", "blue agree end")

    assert game.agreed == ("blue",)
    assert game.phase == Spreading("red")


def test_an_answer_given_for_who_resigned_cancels_an_agreement_too() -> None:
    """It changes the situation; without it the agreement stands. Rules: agree-end (R9.3), answered-for (R9.3)."""
    game = played(three_clans("lay_crop"), "green offer 8", "green agree end")

    assert played(game, "red resign").agreed == ()
    assert played(game, "blue resign").agreed == ("green",)


def test_who_has_resigned_need_not_agree() -> None:
    """Rule: agree-end (R9.3)."""
    before = played(three_clans("spread"), "green resign", "red agree end", "blue agree end")
    after = played(three_clans("spread"), "red agree end", "blue agree end", "green resign")

    assert before.phase == Ended(("red", "blue"))
    assert after.phase == Ended(("red", "blue"))
    assert after.events == (Resigned("green"), GameEnded(("red", "blue")))


def test_the_game_can_be_ended_by_agreement_before_it_has_begun() -> None:
    """Everybody has 7 food. Rule: agree-end (R9.3)."""
    game = played(dealt(), "green agree end", "red agree end", "blue agree end")

    assert game.phase == Ended(("green", "red", "blue"))


@pytest.mark.parametrize("order", ["green resign", "green agree end", "green stay", "* draw 15"])
def test_after_the_end_nothing_is_possible(order: str) -> None:
    """Rules: resign (R9.3), agree-end (R9.3)."""
    game = a_game(phase=Ended(("green",)))

    with pytest.raises(Illegal, match="the game is over"):
        played(game, order)
    assert refused(game, order) == {}
    assert walk_on(game) == game
    assert Draw("15") not in choices(game)


def test_a_player_agrees_to_end_a_situation_once() -> None:
    """Rule: agree-once (R9.3)."""
    game = played(three_clans("lay_crop"), "green agree end")

    assert refused(game, "green agree end") == {
        "agree-once": "Angelika has already agreed to end the game, which holds until the next move"
    }


def test_a_player_agrees_to_end_a_game_a_hundred_times() -> None:
    """The others still may. Rule: agree-limit (R9.3)."""
    game = a_game(3, phase=Offering("green"), step="offers_and_answers", green=a_clan(agreements=99))
    game = played(game, "green agree end", "green pass")

    assert game.clan("green").agreements == 100
    assert refused(game, "green agree end") == {
        "agree-limit": "Angelika has agreed to end this game 100 times, which is the limit"
    }
    assert played(game, "red agree end").agreed == ("red",)


def test_an_older_game_does_not_count_agreements() -> None:
    """Its file stays what it was. Rule: agree-limit (R9.3)."""
    older = a_game(3, options=Options(idle_rounds=0), phase=Offering("green"), step="offers_and_answers")

    game = played(older, "green agree end")

    assert game.clan("green") == older.clan("green")


def test_who_resigns_has_not_agreed_any_more() -> None:
    """Rules: agree-end (R9.3), resign (R9.3)."""
    game = played(three_clans("lay_crop"), "blue agree end", "blue resign")

    assert game.agreed == ()


def test_why_a_game_is_over_is_known() -> None:
    """Rule: thirteenth-member (R9.1), agree-end (R9.3)."""
    over = a_game(phase=Ended(("red",)))
    left = over._replace(clans=(over.clans[0], *(clan._replace(resigned=True) for clan in over.clans[1:])))

    assert game_end.ending_clans(over) == ()
    assert game_end.ended_by(over) == "thirteenth-member"
    assert game_end.ended_by(over._replace(idle=IDLE_ROUNDS)) == "idle-rounds"
    assert game_end.ended_by(over._replace(agreed=over.order_in_play, idle=IDLE_ROUNDS)) == "agree-end"
    assert game_end.ended_by(left) == "resign"

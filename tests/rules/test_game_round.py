"""The game round: four phases, each finished by all, and in each only what it asks for."""

from itertools import groupby

import pytest
from builders import a_clan, a_game, played, refused, walk_from

from pbem.errors import Illegal, NotYourTurn
from pbem.first_sparks.adjudicator import ROUND, adjudicate, carry_on, choices, forced, who_decides
from pbem.first_sparks.events import (
    CardDrawn,
    CardPutUnder,
    CardUnsold,
    FoodRotted,
    HarvestRefilled,
    Hunted,
    MembersPlaced,
    Passed,
    PlayerOrderSet,
    RoundBegan,
)
from pbem.first_sparks.moves import Offer, Pass, Stay
from pbem.first_sparks.notation import expected
from pbem.first_sparks.phases import Ended, Offering, Spreading
from pbem.first_sparks.state import GameState


def a_round() -> GameState:
    """Return a game at the beginning of a round, each clan with one member."""
    return walk_from(
        "lay_crop",
        green=a_clan(cards=(3, 9), members=("B1a",)),
        red=a_clan(cards=(2, 12), members=("B2a",)),
        blue=a_clan(cards=(1,), members=("C1a",)),
    )


def test_the_phases_follow_each_other() -> None:
    """Technology and rot, hunting and feeding, spreading, bureaucracy. Rule: game-round (R3.1)."""
    game = a_round()
    told: list[object] = list(game.events)
    buying = ("green pass", "red pass", "blue pass", "* draw 16")
    spreading = ("blue stay", "red stay", "green stay", "* draw 17")

    for order in buying + spreading:
        game = played(game, order)
        told += game.events

    assert [kind for kind, _ in groupby(told, type)] == [
        RoundBegan,
        Passed,
        CardUnsold,
        CardDrawn,
        FoodRotted,
        Hunted,
        MembersPlaced,
        PlayerOrderSet,
        HarvestRefilled,
        CardPutUnder,
        CardDrawn,
        RoundBegan,
    ]


def test_the_round_is_a_list_that_can_be_read_aloud() -> None:
    """Rule: game-round (R3.1)."""
    assert [step.__name__ for step in ROUND] == [
        "lay_crop",
        "offers_and_answers",
        "close_market",
        "rot",
        "hunt_and_feed",
        "spread_neutral",
        "spread",
        "end",
        "reorder",
        "refill",
        "put_highest_under",
        "remove_shuffle_card",
    ]


@pytest.mark.parametrize(
    ("step", "order", "message"),
    [
        ("lay_crop", "green buy", "expected offer CARD or pass, not buy"),
        ("lay_crop", "green stay", "expected offer CARD or pass, not stay"),
        ("spread", "blue pass", "expected spread SPACE ... or stay, not pass"),
        ("spread", "blue add C1b", "expected spread SPACE ... or stay, not add"),
        ("settle", "blue lay M13 N13", "expected settle SPACE, not lay"),
    ],
)
def test_a_player_decides_only_what_the_phase_asks_for(step: str, order: str, message: str) -> None:
    """Rule: move-of-the-phase (R3.1)."""
    game = walk_from(step, blue=a_clan(members=("C1a",) if step == "spread" else ()))

    assert refused(game, order) == {"move-of-the-phase": message}


def test_only_who_is_asked_decides() -> None:
    """Rule: game-round (R3.1)."""
    game = a_round()

    with pytest.raises(NotYourTurn, match="it is not Christian's turn; waiting for Angelika \\(green\\)"):
        adjudicate(game, "red", Pass())


def test_while_chance_is_asked_nobody_decides() -> None:
    """Rule: game-round (R3.1)."""
    game = played(a_round(), "green offer 8", "red decline", "blue decline")

    with pytest.raises(NotYourTurn, match="it is not Christian's turn; waiting for chance"):
        adjudicate(game, "red", Pass())


def test_a_refused_order_changes_nothing() -> None:
    """The reasons stand in the refusal, with the order. Rule: move-of-the-phase (R3.1)."""
    game = a_round()
    before = game._replace()

    with pytest.raises(Illegal) as refusal:
        adjudicate(game, "green", Offer(14))

    assert refusal.value.order == "offer 14"
    assert [reason.rule for reason in refusal.value.reasons] == ["offer-current-market"]
    assert game == before


def test_a_decision_with_one_legal_answer_is_taken_for_the_clan() -> None:
    """A poor clan passes and stays without being asked. Rule: game-round (R3.1)."""
    game = walk_from(
        "lay_crop",
        green=a_clan(food=0, cards=(3, 9), members=("B1a",)),
        red=a_clan(food=0, members=()),
        blue=a_clan(food=9, members=("C1a",)),
    )

    taken = [(by, clan, str(move)) for by, clan, move, _ in carry_on(game, lambda n, k: 0)]

    assert taken == [("*", "green", "pass"), ("*", "red", "pass")]
    game = played(game, "green pass", "red pass")
    assert forced(game) is None


def test_when_the_game_is_over_nobody_decides() -> None:
    """Rule: move-of-the-phase (R3.1)."""
    game = a_game(phase=Ended(("green",)))

    assert who_decides(game) is None
    assert list(choices(game)) == []
    assert expected(game.phase) == ()
    with pytest.raises(Illegal, match="the game is over"):
        adjudicate(game, "green", Stay())


def test_the_next_round_begins_with_the_new_order() -> None:
    """Rule: game-round (R3.1)."""
    game = walk_from("spread", blue=a_clan(members=("C1a",)), round=4)

    assert game.phase == Spreading("blue")
    game = played(game, "blue spread C1b", "* draw 16")
    assert game.phase == Offering("blue")
    assert game.round == 5

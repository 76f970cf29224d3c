"""What plans mean: each form answers as its owner would have answered."""

import pytest
from builders import a_clan, a_game

from pbem.first_sparks import phases
from pbem.first_sparks.moves import Add, Buy, Decline, Discard, Drop, Move, Offer, Pass, Settle, Spread, Stay, Take
from pbem.first_sparks.plans.answer import answer
from pbem.first_sparks.plans.explain import dry_run, explain, meaning, notes, why_asked
from pbem.first_sparks.plans.plan import holds
from pbem.first_sparks.plans.read import read
from pbem.first_sparks.plans.report import ending, report
from pbem.first_sparks.state import GameState
from pbem.page.glue import unglued

ORDER = ("green", "red", "blue")
MARKET = (10, 11, 14, 19, 22, 23, 27, 28)  # bow 4, rod 5, basket 3, field 5 | basket 6, bow 7, spear 10, intelligence 4


def a_table(food: int = 9, cards: tuple[int, ...] = (2,), **gaps: object) -> GameState:
    """Return a game in which blue is asked first, about nothing that matters; red has that food and these cards."""
    phase = phases.Offering("green")
    red = a_clan(food=food, cards=cards)
    return a_game(3, phase=phase, waiting=ORDER, market=MARKET, round=2, red=red, **gaps)


def offered(state: GameState, card: int, wanted_by: tuple[str, ...] = ()) -> GameState:
    """Return the state in which green has offered the card, and red is asked."""
    return state._replace(phase=phases.Answering("red", "green", card, wanted_by, ("blue",)))


def on_turn(state: GameState) -> GameState:
    return state._replace(phase=phases.Offering("red"), waiting=("red", "blue"))


def answered(text: str, written: GameState, asked: GameState) -> tuple[Move | None, str]:
    """Return what red's lines answer, and why; they were written in the first state."""
    said = read(text.splitlines(), written, "red")
    planned = answer(said.plan, said.always, asked)
    return planned.move, planned.why.because


@pytest.mark.parametrize(
    ("text", "card", "move", "why"),
    [
        # A ranking: the best that can be bought, and nothing less.
        ("plan 14 19", 14, Buy(), "best"),
        ("plan 14 19", 19, Decline(), "better"),
        ("plan 19 14", 14, Decline(), "better"),
        ("plan 22 19", 19, Buy(), "best"),  # 22 lies in the future market
        ("plan 14 19", 10, Decline(), "unwanted"),
        ("plan 14 19 else pass", 11, Decline(), "unwanted"),
        # A class stands for its highest card.
        ("plan any tool", 19, Buy(), "best"),
        ("plan any tool", 14, Decline(), "better"),
        ("plan any tool up to 4", 14, Buy(), "best"),
        ("plan any tool up to 4", 19, Decline(), "unwanted"),
        ("plan any rod 14", 14, Decline(), "better"),
        # What is bought whatever else is there.
        ("plan 14\nplan buy 19", 19, Buy(), "bought"),
        ("plan buy any tool", 10, Buy(), "bought"),
        ("plan buy 19", 14, Decline(), "unwanted"),
        # What is declined comes first, and does not stand in the way.
        ("plan any tool\nplan decline 19", 19, Decline(), "declined"),
        ("plan any tool\nplan decline 19", 14, Buy(), "best"),
        ("plan decline 14", 14, Decline(), "declined"),
        ("plan decline 14", 19, None, "silent"),
        ("plan pass", 19, Decline(), "passes"),
        # What is only offered is asked about.
        ("plan 14\nplan offer 19", 19, None, "bait"),
        ("plan offer 19", 14, None, "silent"),
        ("plan drop least", 14, None, "silent"),
        ("always decline 14", 14, Decline(), "declined"),
        ("always decline any basket", 19, None, "silent"),
        ("plan 14\nalways decline 14", 14, Buy(), "best"),
    ],
)
def test_an_offer_is_answered(text: str, card: int, move: Move | None, why: str) -> None:
    state = a_table()

    assert answered(text, state, offered(state, card)) == (move, why)


@pytest.mark.parametrize(
    ("wanted_by", "text", "move"),
    [
        ((), "plan buy 19 if nobody wants it", Buy()),
        (("blue",), "plan buy 19 if nobody wants it", Decline()),
        ((), "plan buy 19 if somebody wants it", Decline()),
        (("blue",), "plan buy 19 if somebody wants it", Buy()),
        (("blue",), "plan buy 19 if blue wants it", Buy()),
        (("blue",), "plan buy 19 if green wants it", Decline()),
        (("blue",), "plan buy 19 if green wants it\nplan buy 19 if blue wants it", Buy()),
        ((), "plan buy 19 if green wants it", Decline()),  # green offers it, but an offer is no answer
    ],
)
def test_a_condition_is_about_the_answers_before(wanted_by: tuple[str, ...], text: str, move: Move) -> None:
    state = a_table()

    assert answered(text, state, offered(state, 19, wanted_by))[0] == move


@pytest.mark.parametrize("name", ["Benoît", "Benoit", "benoit", "BENOÎT"])
def test_a_name_in_a_condition_is_understood_without_its_accents(name: str) -> None:
    state = a_table()
    state = state.with_clan(state.clan("blue")._replace(player="Benoît"))

    assert answered(f"plan buy 19 if {name} wants it", state, offered(state, 19, ("blue",)))[0] == Buy()


def test_a_better_card_that_cannot_be_paid_does_not_stand_in_the_way() -> None:
    poor = a_table(food=4)

    assert answered("plan 19 14", poor, offered(poor, 14)) == (Buy(), "best")
    assert answered("plan any tool", poor, offered(poor, 14)) == (Buy(), "best")
    assert answered("plan 19 14", poor, offered(poor, 19)) == (Decline(), "cannot")


@pytest.mark.parametrize(
    ("text", "move", "why"),
    [
        ("plan 14", None, "new"),
        ("plan 14\nplan new ask", None, "new"),
        ("plan 14\nplan new ask\nalways decline any rod", None, "new"),  # the plan has said it in so many words
        ("plan 14\nalways decline any rod", Decline(), "declined"),
        ("plan 14\nplan new decline", Decline(), "new"),
        ("plan new decline", Decline(), "new"),
        ("plan pass", Decline(), "passes"),
        ("plan pass\nplan new ask", None, "new"),
        ("plan 14\nplan buy any rod", Buy(), "bought"),  # a class is a wish for new cards too
    ],
)
def test_a_new_card_is_asked_about_unless_the_plan_says_more(text: str, move: Move | None, why: str) -> None:
    before = a_table()
    after = before._replace(market=before.market._replace(cards=(8, *MARKET[:-1])))

    assert answered(text, before, offered(after, 8)) == (move, why)


@pytest.mark.parametrize(
    ("text", "food", "move", "why"),
    [
        ("plan 19 14", 9, Offer(19), "offered"),
        ("plan 19 14", 4, Offer(14), "offered"),
        ("plan 22 27", 9, None, "nothing"),
        ("plan 22 27 else pass", 9, Pass(), "nothing"),
        ("plan 22 else ask", 2, Pass(), "only"),
        ("plan else pass", 9, Pass(), "nothing"),
        ("plan any tool", 9, Offer(19), "offered"),
        ("plan 22\nplan buy 14", 9, Offer(14), "offered"),
        ("plan 22\nplan buy 14 if nobody wants it", 9, None, "nothing"),
        ("plan 19\nplan offer 10 11", 9, Offer(10), "offered"),
        ("plan any tool\nplan decline 19", 9, Offer(14), "offered"),
        ("plan pass", 9, Pass(), "passes"),
        ("plan drop least", 9, None, "silent"),
        ("always decline 14", 9, None, "silent"),
    ],
)
def test_the_own_turn(text: str, food: int, move: Move | None, why: str) -> None:
    state = a_table(food=food)

    assert answered(text, state, on_turn(state)) == (move, why)


@pytest.mark.parametrize(
    ("text", "move", "why"),
    [
        ("plan drop 7", Drop(7), "named"),
        ("plan drop 8", None, "missing"),
        ("plan drop least", Drop(1), "least"),
        ("always drop least", Drop(1), "least"),
        ("plan drop 7\nalways drop least", Drop(7), "named"),
        ("plan drop 8\nalways drop least", Drop(1), "least"),
        ("plan 14", None, "silent"),
    ],
)
def test_a_tool_too_many(text: str, move: Move | None, why: str) -> None:
    """Nobody of red stands anywhere: only Herbs would harvest, and of equals the lowest goes."""
    before = a_table(cards=(1, 7, 13))
    after = a_table(cards=(1, 7, 13, 14))._replace(phase=phases.Dropping("red"), waiting=("green", "blue"))

    assert answered(text, before, after)[0] == (move if why != "least" else Drop(7))
    assert answered(text, before, after)[1] == why


def test_the_first_offer_of_two_players() -> None:
    state = a_game(2, phase=phases.Offering("red"), waiting=("green", "red"), round=1)
    asked = state._replace(phase=phases.TakingOrDiscarding("green", 7), waiting=("green", "red"))
    for text, move in (("plan take", Take()), ("plan discard", Discard()), ("plan 7", None)):
        plan = read([text], state, "green").plan
        assert answer(plan, None, asked).move == move


MEMBERS = {"green": a_clan(members=("B1a",)), "blue": a_clan(members=("D1b",))}


@pytest.mark.parametrize(
    ("text", "food", "move", "why"),
    [
        ("plan spread C2b", 9, Spread(("C2b",)), "named"),
        ("plan spread C2b at most 1", 9, Spread(("C2b",)), "named"),
        ("plan spread C2b C2a at most 1", 9, None, "dear"),
        ("plan spread C2b C2a at most 1 else stay", 9, Stay(), "dear"),
        ("plan stay", 9, Stay(), "named"),
        ("plan 14", 9, None, "silent"),
        ("plan stay\nplan 14", 9, Stay(), "named"),
    ],
)
def test_spreading(text: str, food: int, move: Move | None, why: str) -> None:
    red = a_clan(food=food, members=("C2c",))
    state = a_game(3, phase=phases.Spreading("blue"), step="spread", waiting=("green", "red"), red=red, **MEMBERS)
    asked = state._replace(phase=phases.Spreading("red"), waiting=("green",))

    assert answered(text, state, asked) == (move, why)


def test_a_space_that_became_too_dear_is_asked_about() -> None:
    red = a_clan(food=1, members=("C2c",))
    state = a_game(3, phase=phases.Spreading("blue"), step="spread", waiting=("green", "red"), red=red, **MEMBERS)
    blue = state.clan("blue")
    asked = state.with_clan(blue.with_members(("C2b",)))._replace(phase=phases.Spreading("red"), waiting=("green",))

    assert answered("plan spread C2b", state, asked) == (None, "illegal")
    assert answered("plan spread C2b else stay", state, asked) == (Stay(), "illegal")


def test_the_placement_round_is_a_ranking() -> None:
    blue = a_clan(members=("D1b",))
    before = a_game(3, phase=phases.Settling("blue"), step="settle", waiting=("green", "red"), round=0)
    settling = a_game(3, phase=phases.Settling("red"), step="settle", waiting=("green",), round=0, blue=blue)
    red = a_clan(members=("C2c",))
    adding = a_game(3, phase=phases.Adding("red"), step="add_second", waiting=("blue",), round=0, red=red, blue=blue)
    text = "plan settle D1a C2c\nplan add B2c C2b at most 1"

    assert answered(text, before, settling) == (Settle("C2c"), "named")
    assert answered(text, before, adding)[0] in (Add("C2b"), Add("B2c"))
    assert answered("plan settle D1a D1b", before, settling) == (None, "illegal")
    assert answered("plan settle D1a\nplan stay", before, adding) == (Stay(), "named")


# For how long


def test_a_plan_is_over_with_what_it_was_for() -> None:
    state = a_table()
    plan = read(["plan 14"], state, "red").plan
    assert plan is not None
    assert holds(plan, offered(state, 14))
    out = state._replace(waiting=("green", "blue"))
    assert not holds(plan, out)
    assert answer(plan, None, out._replace(phase=phases.Offering("red"))).move is None
    assert not holds(plan, state._replace(round=3))
    assert not holds(plan, state.with_clan(state.clan("red")._replace(resigned=True)))
    assert not holds(plan, state._replace(phase=phases.Ended(("red",))))
    assert ending(plan, (), out) == "phase over"
    assert ending(plan, (), state._replace(phase=phases.Ended(("red",)))) == "game over"
    assert report(plan, (), (), "phase over") == (
        "Nothing was answered by your\0plan.",
        "The\0plan is over with its phase.",
    )


def test_a_plan_of_somebody_else_says_nothing() -> None:
    state = a_table()
    plan = read(["plan 14"], state, "blue").plan

    assert answer(plan, None, offered(state, 14)).move is None


# In sentences


def told(text: str, state: GameState) -> str:
    said = read(text.splitlines(), state, "red")
    return unglued("\n".join(explain(said.plan, said.always, state)))


def test_a_plan_is_explained_card_by_card() -> None:
    state = a_table(food=4, cards=(2, 9))
    found = told("plan 19 14 any knowledge\nplan buy 22 if nobody wants it\nplan decline 10\nplan drop least", state)

    assert found == (
        "You decline #10 bow.\n"
        "You decline #11 rod.\n"
        "You say yes to #14 basket, unless you can buy #19 field from the current market.\n"
        "You say yes to #19 field when you can pay for it.\n"
        "You say yes to #22 basket only when nobody has said yes before you.\n"
        "You decline #23 bow.\n"
        "You decline #27 spear.\n"
        "You say yes to #28 intelligence, unless you can buy #19 field, #14 basket or a knowledge card of a higher"
        " number from the current market.\n"
        "You are asked about every card that is new on the table and that you have not named.\n"
        "On your own turn you offer the first that you can buy of #19 field, #14 basket or any knowledge;"
        " otherwise you are asked.\n"
        "With more than 3 tools you discard the one without which your next harvest is worth most.\n"
        "As things are today, with no answer before yours, you would say yes to #14 basket.\n"
        "As things are today, with no answer before yours, you would decline #10 bow and #11 rod.\n"
        "As things are today, you cannot buy #19 field, and would decline it.\n"
        "As things are today, you would offer #14 basket on your own turn.\n"
        "#19 field costs 5, and you have 4 today.\n"
        "#22 basket costs 6, and you have 4 today.\n"
        "#22 basket is in the future market today."
    )


def test_the_food_for_new_members_is_spent_before_cards_are_bought() -> None:
    """#14 costs 3, and the members cost 1 or 3."""
    red = a_clan(food=5, members=("C2c",), cards=(2,))
    state = a_game(3, phase=phases.Spreading("blue"), step="spread", waiting=("green", "red"), red=red, market=MARKET)
    offers = "As things are today, you would offer #14 basket on your own turn."
    one, both = "plan 14\nplan spread C2b at most 9", "plan 14\nplan spread C2b C2a at most 9"

    assert offers in told("plan 14", state)
    assert offers in told(one, state)
    assert "As things are today, your new members cost 1 food, and you have 4 left for cards." in told(one, state)
    found = told(both, state)
    assert offers not in found
    assert "As things are today, you cannot buy #14 basket, and would decline it." in found
    assert "#14 basket costs 3, and you would have 2 left." in found
    dear = told("plan 14\nplan spread C2b C2a at most 1", state)
    assert offers in dear
    assert "your new members" not in dear
    early = read(["plan spread C2b C2a"], state, "red").plan
    plan = read(["plan 14"], state, "red").plan
    assert offers not in unglued("\n".join(explain(plan, None, state, early)))


def test_a_single_card_to_offer_is_no_list() -> None:
    asks, passes = told("plan offer 19", a_table()), told("plan 19 else pass", a_table())

    assert "On your own turn you offer #19 field when you can buy it; otherwise you are asked." in asks
    assert "On your own turn you offer #19 field when you can buy it; otherwise you pass." in passes


def test_a_card_that_is_ranked_and_always_bought_is_named_once_on_the_own_turn() -> None:
    found = told("plan 19 14\nplan buy 14\nplan buy 10", a_table())

    assert "offer the first that you can buy of #19 field, #14 basket or #10 bow;" in " ".join(found.split("\n"))


def test_what_is_unlikely_is_noted() -> None:
    state = a_table(food=5, cards=(2, 9))._replace(
        market=a_table().market._replace(cards=(10, 11, 14, 15, 22, 23, 27, 29))
    )
    plan = read(["plan 15 29 41 8"], state, "red").plan
    assert plan is not None

    assert tuple(map(unglued, notes(plan, state))) == (
        "You own fire: #15 fire will be declined.",
        "#29 field costs 8, and you have 5 today.",
        "#29 field is in the future market today.",
        "#41 spear is not on the table today.",
        "#8 rod is not on the table today.",
    )


def test_the_sentences_mean_what_is_answered() -> None:
    """Where a sentence says that a card is declined or asked about, so it is."""
    state = a_table(food=20)
    for text in (
        "plan 14 19",
        "plan buy any rod",
        "plan decline any tool",
        "plan pass",
        "plan offer 14",
        "plan new ask",
    ):
        plan = read([text], state, "red").plan
        assert plan is not None
        for number, sentence in zip(MARKET, meaning(plan, None, state), strict=False):
            move = answer(plan, None, offered(state, number)).move if number in state.market.current else ...
            if sentence.startswith("You decline") and move is not ...:
                assert move == Decline(), (text, sentence)
            if sentence.startswith("You are asked") and move is not ...:
                assert move is None, (text, sentence)


def test_why_the_owner_is_asked_after_all() -> None:
    state = a_table()
    for text, asked, why in (
        ("plan 22", on_turn(state), "You are asked because nothing in your plan can be offered now."),
        ("plan 14\nplan offer 19", offered(state, 19), "You are asked because your plan only says to offer #19 field"),
        ("plan drop least", offered(state, 19), ""),
    ):
        said = read(text.splitlines(), state, "red")
        assert unglued(why_asked(answer(said.plan, None, asked), asked)).startswith(why)
    new = state._replace(market=state.market._replace(cards=(8, *MARKET[:-1])))
    plan = read(["plan 14"], state, "red").plan
    assert unglued(why_asked(answer(plan, None, offered(new, 8)), new)) == "You are asked because #8 rod is new."


def test_a_plan_that_says_nothing_of_cards_has_no_dry_run() -> None:
    state = a_table()
    plan = read(["plan drop least"], state, "red").plan
    assert plan is not None

    assert dry_run(plan, None, state) == ()

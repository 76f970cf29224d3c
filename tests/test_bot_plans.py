"""What the bot would plan: valid for its player, and made of nothing that its player may not know."""

from collections import Counter
from pathlib import Path
from random import Random

import pytest
from benchmark_plans import Game, everybody, nobody
from bots import SECRET, a_choice, a_new_record
from builders import a_clan, a_game
from work import Some

from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.bot.decide import decide
from pbem.first_sparks.bot.suggest import suggest
from pbem.first_sparks.cards import Pile
from pbem.first_sparks.chance.draws import source
from pbem.first_sparks.phases import Adding, Answering, Ended, Offering, Spreading
from pbem.first_sparks.plans.answer import answer
from pbem.first_sparks.plans.explain import explain
from pbem.first_sparks.plans.plan import TECHNOLOGY, holds
from pbem.first_sparks.plans.read import read
from pbem.first_sparks.plans.write import write
from pbem.first_sparks.play import played
from pbem.first_sparks.state import GameState
from pbem.plans.bots import proposal

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("players", range(2, 7))
def test_every_suggestion_is_a_plan_that_holds(players: int, some: Some) -> None:
    """Somebody plays at random, so that unusual situations occur; what is suggested is written in normal form."""
    looked_at = {*some(range(60), 4)}
    counted: Counter[str] = Counter()
    record = a_new_record(players, f"suggest-{players}", "random", hide_food=players % 2 == 1)
    random, draw = Random(players), source(record.game, SECRET)
    while (decides := who_decides(record.state)) is not None and record.turn < 60:
        state = record.state
        for colour in dict.fromkeys((decides, random.choice(state.order))) if record.turn in looked_at else ():
            check(state, colour, random, counted)
        bot = random.random() < 0.7
        record, _ = played(record, decides, decide(state, decides) if bot else a_choice(state, random), draw)
    assert counted.keys() >= {"cards", "spaces", "nothing"}


def check(state: GameState, colour: str, random: Random, counted: Counter[str]) -> None:
    """The lines are a plan in normal form, which still holds; food that others hide makes no difference."""
    lines = suggest(state, colour, "seed")
    if not lines:
        counted["nothing"] += 1
        return
    plan = read(lines, state, colour).plan
    assert plan is not None
    assert write(plan) == lines
    assert holds(plan, state)
    assert all(sentence.endswith(".") for sentence in explain(plan, None, state))
    elsewhere = [
        clan.with_food(random.randrange(30)) if state.hides_food(clan) and clan.colour != colour else clan
        for clan in state.clans
    ]
    assert suggest(state._replace(clans=tuple(elsewhere), draws=99, events=()), colour, "seed") == lines
    counted["cards"] += plan.of_technology
    counted["spaces"] += plan.of_placement or plan.of_spreading


MARKET = (10, 11, 14, 19, 22, 23, 27, 28)


def test_what_it_wants_of_the_next_market_is_compared() -> None:
    """Baskets and fields help red, next to berries and mammoths; of the rest one may be worth its price."""
    red = a_clan(6, (2,), ("C2a", "C2b", "C2c"))
    clans = {"green": a_clan(9, (3,), ("B1a",)), "red": red, "blue": a_clan(4, (1,), ("D1b",))}
    pile = Pile(unseen=(29, 30, 33), under=(34,))
    state = a_game(3, phase=Spreading("red"), step="spread", round=2, market=MARKET, pile=pile, **clans)

    first, *rest = suggest(state, "red")

    assert first == "plan 22 14 19 else ask"
    assert rest == ["plan buy 14", "plan new decline"]


def test_who_can_pay_for_nothing_passes() -> None:
    clans = {"green": a_clan(9, (3,), ("B1a",)), "red": a_clan(0, (2,), ("C2c",)), "blue": a_clan(4, (1,), ("D1b",))}
    state = a_game(3, phase=Spreading("green"), step="spread", waiting=("red",), round=2, market=MARKET, **clans)

    assert suggest(state, "red") == ("plan pass", "plan stay")


def test_where_to_spread_is_for_what_it_costs_today() -> None:
    clans = {
        "green": a_clan(9, (3,), ("B1a",)),
        "red": a_clan(13, (2, 14), ("C2c",)),
        "blue": a_clan(4, (1,), ("D1b",)),
    }
    state = a_game(3, phase=Spreading("blue"), step="spread", waiting=("green", "red"), round=5, market=MARKET, **clans)
    plan = read(suggest(state, "red"), state, "red").plan

    assert plan is not None
    assert plan.spread is not None
    asked = state._replace(phase=Spreading("red"), waiting=("green",))
    assert str(decide(asked, "red")) == f"spread {' '.join(plan.spread.spaces)}"
    assert plan.spread.most is not None


def test_a_place_is_found_in_the_placement_round() -> None:
    record = a_new_record(4, "placing", "random")
    state = record.state
    last = state.waiting[0]
    plan = read(suggest(state, last), state, last).plan

    assert plan is not None
    assert len({space[:2] for space in plan.settle}) == len(plan.settle) == len(state.waiting) + 1
    assert plan.market == 1
    assert plan.wants
    asked = a_game(3, phase=Adding("red"), step="add_second", round=0, red=a_clan(7, (2,), ("C2c",)))
    assert not any(line.startswith(("plan add", "plan stay")) for line in suggest(asked, "red"))


@pytest.mark.parametrize(
    "state",
    [
        a_game(3, phase=Ended(("red",)), step="end"),
        a_game(3, phase=Offering("green"), waiting=("green", "blue")),
        a_game(3, phase=Offering("green"), waiting=("green", "red"), red=a_clan(resigned=True)),
        a_game(3, phase=Spreading("red"), step="spread", blue=a_clan(9, (1,), a_game(3).board.spaces[:13])),
        a_game(3, phase=Answering("red", "green", 7, (), ()), waiting=("green", "red"), red=a_clan(20, (2,), ("C2c",))),
    ],
    ids=["over", "has bought", "resigned", "the end is certain", "buys now"],
)
def test_nothing_is_suggested_where_nothing_will_be_asked(state: GameState) -> None:
    assert suggest(state, "red") == ()


def test_a_proposal_says_what_it_means_and_how_to_keep_it() -> None:
    record = a_new_record(3, "friday", "recommended")
    decides = str(who_decides(record.state))
    told = proposal(Path("friday.toml"), record, decides)

    assert told[0].startswith("plan ")
    assert "This goes with the order that a bot would give now" in " ".join(told)
    assert told[-1].startswith(f"  pbem plan friday.toml --as {decides} ")


def test_a_game_with_plans_has_fewer_mails(some: Some) -> None:
    """The game of the benchmark, whose log is compared with that of the same orders played one by one."""
    for number in some((2, 3), 2):
        asked = Game(number, 7, nobody, waves=False).to_the_end()
        plans = Game(number, 7, everybody, waves=False).to_the_end()
        waves = Game(number, 7, everybody, waves=True).to_the_end()

        assert asked.mails == asked.waits
        assert plans.each < asked.each
        assert waves.waits < asked.waits / 2


@pytest.mark.parametrize("players", [2, 4])
def test_no_card_is_named_twice_that_would_mean_nothing_more(players: int, some: Some) -> None:
    """What is bought in any case and would come last in the ranking is offered last of all anyway."""
    record = a_new_record(players, f"spare-{players}", "random")
    random, draw = Random(players), source(record.game, SECRET)
    looked_at, left_out = {*some(range(90), players // 2)}, 0
    while (decides := who_decides(record.state)) is not None and record.turn < 90:
        state = record.state
        for colour in some(state.order, 2) if record.turn in looked_at else ():
            plan = read(lines, state, colour).plan if (lines := suggest(state, colour, "seed")) else None
            if plan is None or not plan.buys:
                continue
            bought = tuple(purchase.wish for purchase in plan.buys)
            assert plan.ranking[-1] not in bought
            tail = tuple(wish for wish in bought if wish not in plan.ranking)
            left_out += bool(tail)
            twice = plan._replace(ranking=(*plan.ranking, *tail))
            if state.step == TECHNOLOGY and decides == colour and isinstance(state.phase, Offering | Answering):
                assert answer(plan, None, state).move == answer(twice, None, state).move
        record, _ = played(record, decides, a_choice(state, random), draw)
    assert left_out

"""What a letter says of the market of the next round: nothing but what is certain, and no line of it is a plan."""

from collections import Counter
from random import Random

import pytest
from bots import SECRET, a_new_record, a_sensible_choice
from builders import a_clan, a_game

from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.cards import Market, Pile
from pbem.first_sparks.chance.draws import source
from pbem.first_sparks.options import Options
from pbem.first_sparks.phases import Adding, Ended, Offering, Spreading
from pbem.first_sparks.plans.lines import begins
from pbem.first_sparks.plans.next_market import MarketAhead, market_ahead, plan_ahead
from pbem.first_sparks.plans.read import read
from pbem.first_sparks.play import played
from pbem.first_sparks.state import GameState
from pbem.page.page import Page, Section
from pbem.page.plain import in_lists
from pbem.page.text import lines_of_section
from pbem.reading.lines import is_order

MARKET = (10, 11, 14, 19, 22, 23, 27, 28)


def a_spreading(**gaps: object) -> GameState:
    """Return a game of three in which red spreads, and green after it."""
    members = {"green": a_clan(9, (3,), ("B1a",)), "red": a_clan(6, (2,), ("C2c",)), "blue": a_clan(4, (1, 9), ())}
    phase = Spreading("red")
    gaps = {"market": MARKET, "waiting": ("green",), "round": 3, **members, **gaps}
    return a_game(3, phase=phase, step="spread", **gaps)


def text(section: Section) -> str:
    return "\n".join(lines_of_section(section))


@pytest.mark.parametrize(
    ("gaps", "certain"),
    [
        # The highest goes under the pile, and what comes for it can lie anywhere.
        ({}, MarketAhead((10, 11, 14), (19,), (22, 23, 27), None, True)),
        # What comes is higher than all: so nothing moves, and the crop is certain.
        ({"pile": Pile(unseen=(38, 40))}, MarketAhead((10, 11, 14, 19), (), (22, 23, 27), 10, True)),
        ({"pile": Pile(unseen=(8, 40), under=(7,))}, MarketAhead((10, 11, 14), (19,), (22, 23, 27), None, True)),
        # Of a pile of one card it is certain.
        ({"pile": Pile(unseen=(12,))}, MarketAhead((10, 11, 12, 14), (), (19, 22, 23, 27), 10, False)),
        ({"pile": Pile((15,), (8,))}, MarketAhead((10, 11, 14, 15), (), (19, 22, 23, 27), 10, False)),
        # The Shuffle card comes now: it and the lowest go, and all that is left is the current market.
        ({"pile": Pile(unseen=(8,), never=1)}, MarketAhead((11, 14, 19, 22, 23, 27), (), (), 11, False)),
        # It came before.
        (
            {"market": MARKET[:7], "shuffle": True, "pile": Pile((), (), 0, False, (29, 30))},
            MarketAhead((11, 14, 19, 22, 23, 27), (), (), 11, False),
        ),
        (
            {"market": MARKET[:6], "reduced": True, "places": 6, "pile": Pile((), (), 0, False, (29,))},
            MarketAhead((10, 11, 14, 19, 22, 23), (), (), 10, False),
        ),
        ({"market": (), "reduced": True, "pile": Pile(shuffle=False)}, MarketAhead((), (), (), None, False)),
    ],
)
def test_what_is_certain(gaps: dict[str, object], certain: MarketAhead) -> None:
    assert market_ahead(a_spreading(**gaps)) == certain


@pytest.mark.parametrize("players", range(2, 7))
def test_it_comes_as_it_was_said(players: int) -> None:
    counted: Counter[str] = Counter()
    for seed in range(4):
        record = a_new_record(players, f"ahead-{seed}", "recommended" if players < 6 else "players")
        draw, random = source(record.game, SECRET), Random(seed)
        said: dict[int, list[MarketAhead]] = {}
        while (decides := who_decides(record.state)) is not None:
            state = record.state
            if plan_ahead(state, decides).blocks:
                said.setdefault(state.round + 1, []).append(market_ahead(state))
            record, history = played(record, decides, a_sensible_choice(state, random), draw)
            for _, after in history:
                if isinstance(after.phase, Offering) and len(after.waiting) == len(after.order_in_play):
                    for one in said.pop(after.round, ()):
                        check(one, after.market)
                        counted.update(("drawn" if one.drawn else "not drawn", "either" if one.either else "no either"))
    assert min(counted[key] for key in ("drawn", "not drawn", "either")) > 0


def check(said: MarketAhead, market: Market) -> None:
    """All that was said is so; the market has at most one card more."""
    assert set(said.current) <= set(market.current)
    assert set(said.future) <= set(market.future)
    named = {*said.current, *said.either, *said.future}
    assert named <= set(market.cards)
    assert len(market.cards) == len(named) + said.drawn
    assert said.crop in (None, market.crop)


def test_the_section() -> None:
    state = a_spreading()

    assert text(plan_ahead(state, "red")) == (
        "MARKET OF THE NEXT ROUND\n"
        "You can say now what you want in the market of round 4; it may save you\n"
        "a letter.\n"
        "These cards will lie there, and one more that is drawn later, about\n"
        "which you would be asked.\n"
        "  card        price  harvest  others who can pay\n"
        "in the current market:\n"
        "  #10 bow       4          1  green and blue\n"
        "  #11 rod       5          1  green\n"
        "  #14 basket    3          5  green and blue\n"
        "in the current or the future market:\n"
        "  #19 field     5          4  green\n"
        "in the future market:\n"
        "  #22 basket    6          7  green\n"
        "  #23 bow       7          1  green\n"
        "  #27 spear    10          1  nobody\n"
        "The harvest is yours in that round with the card; with none of them it\n"
        "is 1. This supposes that nobody adds any more members. Prices are\n"
        "compared with the food of today; you have 6.\n"
        "For example, (plan 14 10), without the parentheses, says that you want\n"
        "#14 basket, and #10 bow when that cannot be bought. It can stand beside\n"
        "your order, or come later. Write (plan), which shows what you have said,\n"
        "or (help plan), which explains all that can be said."
    )
    assert "- card: #11 rod; price: 5; harvest: 1; others who can pay: green" in text(
        in_lists(Page((plan_ahead(state, "red"),))).sections[0]
    )


def test_hidden_food_is_not_used() -> None:
    """Blue hides 0 or 30 food; only whether it may buy, by what everybody knows, is said."""
    hidden = [
        a_spreading(options=Options(hide_food=True), blue=a_clan(food, (1, 9)), market=(*MARKET[:7], 28))
        for food in (0, 30)
    ]

    poor, rich = (text(plan_ahead(state, "red")) for state in hidden)

    assert poor == rich
    assert "#27 spear    10          1  perhaps blue" in poor
    assert "you have 30" in text(plan_ahead(hidden[1], "blue"))


@pytest.mark.parametrize(
    "state",
    [
        a_spreading()._replace(step="offers_and_answers", phase=Offering("red")),
        a_spreading()._replace(phase=Ended(("red",))),
        a_spreading(red=a_clan(cards=(2,), resigned=True)),
        a_spreading(market=(), reduced=True, pile=Pile(shuffle=False)),
        a_spreading(idle=10),
        a_spreading(red=a_clan(1, (2,))),
        a_spreading(blue=a_clan(9, (1,), a_game(3).board.spaces[:13])),
        a_spreading()._replace(step="settle", round=0),
    ],
    ids=["buying", "over", "resigned", "no cards", "stuck", "no food", "13 members", "settling"],
)
def test_there_is_no_section(state: GameState) -> None:
    assert plan_ahead(state, "red").blocks == ()


def test_the_first_market_is_certain() -> None:
    state = a_game(3, phase=Adding("red"), step="add_second", round=0, waiting=("blue",), market=MARKET)

    assert market_ahead(state) == MarketAhead(MARKET[:4], (), MARKET[4:], 10, False)
    assert "in the market of round 1;" in text(plan_ahead(state, "red"))


@pytest.mark.slow
def test_no_line_of_it_is_a_plan_or_an_order_wherever_it_is_wrapped() -> None:
    states = [a_spreading(), a_spreading(red=a_clan(0, (2,))), a_spreading(pile=Pile(unseen=(12,)))]
    sections = [plan_ahead(state, colour) for state in states for colour in state.order]
    lines = set()
    for section in (*sections, *in_lists(Page(tuple(sections))).sections):
        words = " ".join(lines_of_section(section)).split()
        for begin in range(len(words)):
            lines |= {" ".join(words[begin:end]) for end in range(begin + 1, min(begin + 24, len(words)) + 1)}
    for line in sorted(lines):
        for marked in (line, f"> {line}", f"- {line}"):
            assert not begins(marked), marked
            assert not is_order(marked), marked


def test_the_example_is_a_plan_that_is_valid() -> None:
    state = a_spreading()
    line = text(plan_ahead(state, "red")).partition("(")[2].partition(")")[0]

    for written in (line, f"({line})", f"({line})."):
        assert begins(written)
        assert read([written], state, "red").plan == read(["plan 14 10"], state, "red").plan


@pytest.mark.parametrize("line", ["(plan)", "(plan 14 19)", '> "(plan 14 19)"', "plan) 14", "plan).", "plans, 14"])
def test_a_plan_in_parentheses_is_one(line: str) -> None:
    assert begins(line)


@pytest.mark.parametrize("line", ["(plan),", "plan), which", "(plan 14 19), without", "(plan 14", "(if you like)"])
def test_what_our_letters_say_of_plans_is_none(line: str) -> None:
    assert not begins(line)

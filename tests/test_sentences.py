"""Every event in words: the same table for news, subjects and reports, with every hole filled."""

import re
from random import Random
from typing import get_args

import pytest
from bots import a_new_record, random_play
from builders import a_game

from pbem.first_sparks import events
from pbem.first_sparks.adjudicator import Entry
from pbem.first_sparks.briefing.sentences import deed, done_ahead, how_often, sentence, several, wording
from pbem.first_sparks.events import Event
from pbem.first_sparks.moves import Decline, Move, Offer, Take
from pbem.first_sparks.plans.plan import Plan
from pbem.first_sparks.plans.report import report
from pbem.first_sparks.rules.two_players import NEUTRAL
from pbem.first_sparks.state import GameState
from pbem.page.glue import unglued

TWO_TOKENS = (("fish", 2),)
# What does not come up in every few games.
SELDOM: tuple[Event, ...] = (
    events.Answered("green", 7, wants=True),
    events.MarketReduced(None),
    events.MarketReduced(7),
    events.OfferDiscarded("green", 7, ()),
    events.OfferDiscarded("green", 7, TWO_TOKENS),
    events.Resigned("green"),
    events.AgreedToEnd("green"),
    events.GameEnded(("green",)),
    events.GameEnded(("green", "red")),
    events.MembersStarved("green", ("B1a", "B1b")),
    events.ToolDropped("green", 7),
    events.CropLost(7),
    events.ShuffleDrawn(),
    events.RoundBegan(3, None),
)


def seen() -> list[tuple[GameState, Event]]:
    """Return every event of a few games, each with the state after it, and those that do not come up in them."""
    games = [(state, event) for n in (2, 4) for *_, state in a_course(n) for event in state.events]
    return games + [(a_game(4), event) for event in SELDOM]


def a_course(players: int) -> list[tuple[object, object, GameState]]:
    record = a_new_record(players)
    return [(record, None, state) for _, state in record.history] + list(random_play(record, Random(players)))


def test_every_kind_of_event_has_a_sentence_with_all_holes_filled() -> None:
    said: dict[type[Event], str] = {}
    for state, event in seen():
        said[type(event)] = sentence(state, (event,))
        words = wording(state, event)
        more = [sentence(state, (event,), below=True), done_ahead(state, event)]
        more += [several(state, (event,))] if words.several else []
        more += [how_often(state, (event, event))] if words.counted[0] else []
        more += [deed(state, event, reader, state.order[0]) for reader in state.order[:2]] if words.deed else []
        assert all("{" not in text for text in (said[type(event)], *more))

    assert said.keys() == set(get_args(Event))
    assert all(re.fullmatch(r"[A-Z#].*\.", unglued(text)) for text in said.values())


@pytest.mark.parametrize("event", SELDOM, ids=str)
def test_who_did_it_is_said_to_others_and_to_oneself(event: Event) -> None:
    words = wording(a_game(4), event)

    assert words.deed.startswith("{name} ") == words.own.startswith("you ")
    assert bool(words.deed) == bool(words.ahead)


@pytest.mark.parametrize(
    ("event", "to_others", "to_oneself", "ahead"),
    [
        (events.AgreedToEnd("red"), "Christian agrees to end the game", "you agree to end the game", "agreed to end "),
        (events.Answered("red", 7, wants=True), "Christian wants #7", "you want #7", "said yes to #7 basket"),
        (
            events.MembersPlaced("red", ("B1a", "B1b"), 3),
            "Christian added 2 members",
            "you added 2 members",
            "added 2 members on B1a and B1b for 3 food",
        ),
        (
            events.MembersPlaced(NEUTRAL, ("B1a", "B1b"), 0),
            "Christian placed the neutral clan",
            "you placed the neutral clan",
            "spread the neutral clan to B1a and B1b",
        ),
        (
            events.CardBought("red", 7, 2, crop=True),
            "Christian bought #7",
            "you bought #7",
            "bought #7 basket for 2 and took the crop on it",
        ),
    ],
)
def test_one_event_in_a_subject_and_in_the_report_of_a_plan(
    event: Event, to_others: str, to_oneself: str, ahead: str
) -> None:
    state = a_game(4)

    assert deed(state, event, "red", "green") == to_others
    assert deed(state, event, "red", "red") == to_oneself
    assert unglued(done_ahead(state, event)).startswith(ahead)


def test_a_plan_that_offers_a_card_and_takes_it_has_bought_it_once() -> None:
    offered, declined = events.CardOffered("red", 7, 2, ()), events.Answered("green", 7, wants=False)
    course: tuple[tuple[str, Move, Event], ...] = (
        ("red", Offer(7), offered),
        ("green", Decline(), declined),
        ("red", Take(), events.CardBought("red", 7, 2, crop=False)),
    )
    history = tuple(
        (Entry(turn, clan, clan, move), a_game(2)._replace(events=(event,)))
        for turn, (clan, move, event) in enumerate(course, 1)
    )
    plan = Plan("red", known=(7,), written=1, market=1)

    assert [unglued(said) for said in report(plan, history, {1, 3}, None)] == [
        "As you said ahead, you bought #7 basket for 2."
    ]
    assert [unglued(said) for said in report(plan, history[:2], {1}, None)] == [
        "As you said ahead, you offered #7 basket."
    ]

"""What has happened, by round and phase: in at most a screen, without losing what matters to the reader."""

from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any

import pytest
from bots import SECRET, a_choice, a_new_record, a_sensible_choice
from builders import a_clan, a_game, walk_from
from work import Some

from pbem import report
from pbem.first_sparks.adjudicator import Entry, carry_on, who_decides
from pbem.first_sparks.briefing.folding import brief
from pbem.first_sparks.briefing.headings import HEADINGS
from pbem.first_sparks.briefing.news import MOST_LINES, parts_of, sentences
from pbem.first_sparks.briefing.situation import news_section, situation
from pbem.first_sparks.briefing.words import numbered, who
from pbem.first_sparks.cards import Pile
from pbem.first_sparks.chance.draws import source
from pbem.first_sparks.events import (
    Answered,
    CardBought,
    CardDrawn,
    CardOffered,
    CardPutUnder,
    Event,
    GameEnded,
    HarvestRefilled,
    Hunted,
    MembersPlaced,
    MembersStarved,
    Passed,
    PlayerOrderSet,
    Resigned,
    RoundBegan,
)
from pbem.first_sparks.moves import Lay, Pass
from pbem.first_sparks.play import played
from pbem.first_sparks.record import History, Lines, Record
from pbem.first_sparks.rules.two_players import NEUTRAL
from pbem.first_sparks.state import CHANCE, GameState
from pbem.page.glue import unglued
from pbem.page.page import Items, Section, Subheading
from pbem.page.text import lines_of, text_of
from pbem.rulings import since

HEADING = HEADINGS["happened"]


def happened(history: History, viewer: str | None = None, *, every: bool = False) -> Section:
    """Return the section of a letter, which may be empty."""
    return news_section(history, viewer, every=every)


def items(section: Section) -> list[str]:
    return [unglued(item) for block in section.blocks if isinstance(block, Items) for item in block.items]


def titles(section: Section) -> list[str]:
    return [unglued(block.text) for block in section.blocks if isinstance(block, Subheading)]


def a_history(*events: tuple[str, Event], **gaps: Any) -> History:
    """Return a history of entries with one event each, by whom it was decided: a colour, or ``*``."""
    state = a_game(4, **gaps)
    return tuple(
        (Entry(1, by, getattr(event, "clan", "*"), Pass()), state._replace(events=(event,))) for by, event in events
    )


@cache
def courses() -> tuple[Record, ...]:
    """Return whole games of 2 to 6 players, half of them careless, one with hidden food."""
    found = []
    for players in (2, 3, 4, 5, 6):
        record = a_new_record(players, f"game-{players}", hide_food=players == 3)
        random, draw = Random(players), source(f"game-{players}", SECRET)
        while (decides := who_decides(record.state)) is not None and record.turn < 250:
            choose = a_sensible_choice if players % 2 or random.random() < 0.7 else a_choice
            record, _ = played(record, decides, choose(record.state, random), draw)
        found.append(record)
    return tuple(found)


def stretches() -> Iterator[tuple[str | None, History, bool]]:
    """Yield what a viewer may be told at every turn of these games, and whether the viewer is then asked.

    That is what has happened since the viewer's last order, or in the last 3 or 60 lines of the log.
    """
    for record in courses():
        turns = [number for number, (entry, _) in enumerate(record.history, 1) if entry.by != CHANCE]
        for end in turns[3:]:
            cut = record._replace(lines=Lines(record.history[:end], record.log[:end], record.head))
            for viewer in (*record.state.order, None):
                own = since(cut, viewer)
                asked = who_decides(own[-1][1]) == viewer
                yield viewer, own, asked
            yield None, cut.history[-60:], False
            yield record.state.order[0], cut.history[-3:], False


# Under headings


def test_every_event_stands_below_its_round_and_phase() -> None:
    history = a_history(
        ("red", MembersPlaced("red", ("B1a",), 1)),
        ("*", PlayerOrderSet(("red", "green", "blue", "black"))),
        ("*", CardDrawn(22)),
        ("*", RoundBegan(4, 7)),
        ("green", Passed("green")),
        ("red", CardOffered("red", 7, 2, ())),
        step="reorder",
        round=3,
    )

    assert lines_of(happened(history).blocks) == (
        "Round 3, phase 3 spreading",
        "- Christian (red) adds 1 member on B1a for 1 food.",
        "Round 3, phase 4 bureaucracy",
        "- The player order is now Christian (red), Angelika (green),",
        "  Steffi (blue) and Hedwig (black).",
        "- #22 basket enters the market.",
        "Round 4, phase 1 technology",
        "- The crop is laid on #7 basket.",
        "- Angelika (green) passes.",
        "- Christian (red) offers #7 basket for 2.",
    )


def test_what_came_before_the_first_round_stands_below_its_phase_alone() -> None:
    history = a_history(("red", MembersPlaced("red", ("B1a",), 0)), ("*", RoundBegan(1, None)), round=0, step="settle")

    assert titles(happened(history)) == ["Placement round"]  # a round that begins without a crop is no news


def test_rounds_that_go_by_alike_stand_below_one_heading() -> None:
    green, red, blue = (a_clan(0, (number,)) for number in (1, 2, 3))
    pile, order = Pile(shuffle=False), ("blue", "red", "green")
    state = walk_from("lay_crop", market=(), pile=pile, reduced=True, order=order, green=green, red=red, blue=blue)
    history: History = ((Entry(1, "blue", "blue", Pass()), state),)
    history += tuple((Entry(1, by, clan, move), after) for by, clan, move, after in carry_on(state, None))
    found = titles(happened(history, every=True))
    first = found.index("In each of rounds 2 to 4, phase 1 technology")

    assert found[first : first + 4] == [
        "In each of rounds 2 to 4, phase 1 technology",
        "In each of rounds 2 to 4, phase 2 hunting",
        "In each of rounds 2 to 4, phase 4 bureaucracy",
        "In each of rounds 5 to 10, phase 1 technology",
    ]


def test_every_sentence_is_told_to_a_player_who_wants_all() -> None:
    """Only that a round begins is said by the headings; so it is in the replay as well."""
    for record in courses():
        told = items(happened(record.history, every=True))
        every = [unglued(text) for event, text in sentences(record.history) if not isinstance(event, RoundBegan)]
        assert [text for text in told if not text.startswith("The crop is laid on")] == every
        words = " ".join(report.story(record, record.history).split())
        assert all(text in words for text in told)


def test_a_heading_names_the_phase_in_which_the_state_says_that_it_happened() -> None:
    """Whichever order a history begins with: it stands where it stands in the whole course."""
    for record in courses():
        whole = [
            (part.round, part.stage, happening[0]) for part in parts_of(record.history) for happening in part.happened
        ]
        orders = [number for number, (entry, _) in enumerate(record.history) if entry.by != CHANCE]
        laid = sum(isinstance(entry.move, Lay) for entry, _ in record.history)  # a drawn tile is not told twice
        for start in orders[laid::3]:
            some = [(p.round, p.stage, h[0]) for p in parts_of(record.history[start:]) for h in p.happened]
            assert some == whole[len(whole) - len(some) :]


# In at most a screen


@pytest.mark.slow
def test_a_short_text_is_not_folded(some: Some) -> None:
    for viewer, history, _ in some(stretches(), 4):
        every, told = happened(history, viewer, every=True), happened(history, viewer)
        assert every.gloss == ""
        assert (told == every) == (len(lines_of(every.blocks)) <= MOST_LINES) == (told.gloss == "")


def test_who_is_asked_reads_at_most_a_screen_in_the_usual_case() -> None:
    """A long time without an own decision is not usual, least of all with 6 players."""
    asked = [(history, viewer) for viewer, history, is_asked in stretches() if is_asked]
    long = [
        (history, n) for history, viewer in asked if (n := len(lines_of(happened(history, viewer).blocks))) > MOST_LINES
    ]

    assert len(asked) > 200
    assert len(long) <= len(asked) // 20
    assert all(len({part.round for part in parts_of(history)}) > 2 for history, _ in long)
    assert max(lines for _, lines in long) <= MOST_LINES + 6


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_no_purchase_and_no_member_is_folded_away(part: int, some: Some) -> None:
    """Each is still found by its numbers, in a sentence that names its clan; and so is the end."""
    for number, (viewer, history, _) in enumerate(some(stretches(), 3)):
        if number % 4 != part:
            continue
        section = happened(history, viewer)
        told, state = items(section), history[-1][1]
        for event in (event for _, after in history for event in after.events):
            for needed in _needed(state, event):
                assert any(all(word in text for word in needed) for text in told), (needed, told)


def _needed(state: GameState, event: Event) -> Iterator[tuple[str, ...]]:
    """Yield the words that some sentence must have about an event."""
    match event:
        case CardBought(clan=clan, card=card, price=price):
            yield _named(state, clan), unglued(numbered(state, card)), f"for {price}"
        case MembersStarved(clan=clan, spaces=spaces):
            yield _named(state, clan), "to hunger", *spaces
        case MembersPlaced(clan=clan, spaces=spaces):
            yield _named(state, clan), *spaces
        case GameEnded():
            yield ("The game is over",)
        case Resigned(clan=clan):
            yield _named(state, clan), "resigns"
        case _:
            pass


def _named(state: GameState, clan: str) -> str:
    return "neutral clan" if clan == NEUTRAL else unglued(who(state, clan))


@pytest.mark.slow
def test_nothing_of_the_reader_s_own_clan_is_folded_away_in_the_last_round(some: Some) -> None:
    """Every sentence about it is there as it is without folding, if it did what it did alone."""
    folded = 0
    for viewer, history, _ in some(stretches(), 3):
        section = happened(history, viewer)
        if not section.gloss or viewer is None:
            continue
        folded += 1
        last, told = parts_of(history)[-1].round, items(section)
        of_last = [happening for part in parts_of(history) if part.round == last for happening in part.happened]
        for event, state, _, _ in of_last:
            stays = (
                isinstance(event, MembersPlaced) and not event.spaces
            )  # others may have stayed right before or after it
            if getattr(event, "clan", None) == viewer and not stays and not isinstance(event, Passed | Answered):
                own = [unglued(text) for _, text in sentences([(Entry(1, "red", "red", Pass()), state)])]
                about = [text for text in own if text.startswith(unglued(who(state, viewer)))]
                assert all(any(text in said for said in told) for text in about), (about, told)
    assert folded > 50


def test_forced_things_of_one_kind_and_bookkeeping_are_one_line_each() -> None:
    events: tuple[tuple[str, Event], ...] = (
        ("*", Passed("green")),
        ("red", CardOffered("red", 7, 2, ("blue",))),
        ("black", Answered("black", 7, False)),
        ("*", CardBought("red", 7, 2, crop=False)),
        ("*", CardDrawn(22)),
        ("*", Passed("blue")),
        ("black", CardOffered("black", 8, 3, ())),
        ("red", CardBought("red", 8, 3, crop=False)),
        ("*", CardDrawn(23)),
        ("red", Hunted("red", 1, (("fish", 2),), 7, 3)),
        ("red", Hunted("black", 1, (), 1, 2)),
        ("red", Hunted("green", 0, (), 0, 1)),
    )
    technology, hunting = parts_of(a_history(*events, round=4))

    assert [unglued(text) for text in brief(technology, None)] == [
        "Christian (red) buys #7 basket for 2. There was no other choice.",
        "Angelika (green) and Steffi (blue) pass. There was no other choice.",
        "Christian (red) buys #8 rod for 3.",
        "2 cards enter the market: #22 basket and #23 bow.",
    ]
    assert [unglued(text) for text in brief(hunting, "red")] == [
        "Christian (red) harvests 2 fish + 1 crop = 7 and eats 3.",
        "Food is harvested: Hedwig (black) gets 1 and Angelika (green) gets 0. Together these clans eat 3.",
    ]


def test_an_offer_that_nobody_has_taken_yet_and_what_the_reader_answered_stay() -> None:
    events: tuple[tuple[str, Event], ...] = (
        ("blue", CardOffered("blue", 7, 2, ())),
        ("red", Answered("red", 7, False)),
        ("black", Answered("black", 7, True)),
        ("*", CardBought("black", 7, 2, crop=False)),
        ("black", CardOffered("blue", 8, 3, ())),
        ("red", Answered("red", 8, False)),
    )
    (part,) = parts_of(a_history(*events, round=4))

    assert [unglued(text) for text in brief(part, "red")][:2] == [
        "Steffi (blue) offers #7 basket for 2.",
        "Christian (red) declines. Hedwig (black) wants it.",
    ]
    assert [unglued(text) for text in brief(part, "green")][1:] == [
        "Steffi (blue) offers #8 rod for 3.",
        "Christian (red) declines.",
    ]


def test_rounds_long_ago_are_one_chapter() -> None:
    """By clan, in sentences; what is left of the rest are counts."""
    record = courses()[2]
    state = record.state
    section = happened(record.history, state.order[0])
    text = text_of(situation(state, state.order[0], record.history, game="friday", turn=9, head="0" * 64))

    assert titles(section)[0] == f"Before round {state.round}"
    assert all(title.startswith(f"Round {state.round}, ") for title in titles(section)[1:])
    assert f"\n{HEADING}, in short\n" in text
    counts = next(item for item in items(section) if "enter the market" in item)
    drawn = [event for _, after in record.history for event in after.events if isinstance(event, CardDrawn)]
    refills = [event for _, after in record.history for event in after.events if isinstance(event, HarvestRefilled)]
    assert f"{len(drawn) - _in_last(record, CardDrawn)} cards enter the market." in counts
    assert f"refilled {len(refills) - _in_last(record, HarvestRefilled)} times" in counts


def _in_last(record: Record, kind: type[Event]) -> int:
    last = [part for part in parts_of(record.history) if part.round == record.state.round]
    return sum(isinstance(happening[0], kind) for part in last for happening in part.happened)


def test_bookkeeping_says_nothing_of_a_single_thing_in_another_way() -> None:
    (part,) = parts_of(a_history(("*", CardPutUnder(35)), ("*", CardDrawn(22)), round=4, step="reorder"))

    assert brief(part, None) == part.told

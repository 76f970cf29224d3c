"""What the texts say of what is to come: the end of the game, the next two harvests, the place in the player order."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from builders import a_clan, a_game
from test_summary import (
    AWKWARD,
    Decision,
    a_whole_game,
    all_games,
    check_no_order,
    options_lines,
    section,
    text_of,
    viewers,
)
from work import Some

from pbem.first_sparks.adjudicator import carry_on, choices, follow, who_decides
from pbem.first_sparks.briefing.forecast_text import how_it_will_end
from pbem.first_sparks.briefing.notes import note, options
from pbem.first_sparks.briefing.question import example_orders
from pbem.first_sparks.briefing.situation import for_letter
from pbem.first_sparks.choice import Choice, main_choices
from pbem.first_sparks.events import Event, GameEnded, HarvestRefilled, Hunted, MembersStarved
from pbem.first_sparks.forecast import Purchase, next_harvests, next_place, purchase
from pbem.first_sparks.moves import Decline, Drop, Move, Offer, Pass, Spread, Stay, Take
from pbem.first_sparks.notation import expected
from pbem.first_sparks.options import Options
from pbem.first_sparks.phases import (
    Adding,
    Answering,
    Dropping,
    Ended,
    Offering,
    Spreading,
    SpreadingNeutral,
    Starving,
    TakingOrDiscarding,
)
from pbem.first_sparks.rules.game_end import ended_by, ending_clans
from pbem.first_sparks.state import CHANCE, GameState
from pbem.page.page import Page
from pbem.page.text import columns
from pbem.page.text import text_of as text_of_page

SPACES = a_game(5).board.spaces
CERTAIN = "Most members wins, then most food."


def a_spreading(players: int = 5, *, hide_food: bool = False, **sizes: int) -> GameState:
    """Return a game in which green spreads with 40 food, on a board of five tiles, with clans of those sizes."""
    clans: dict[str, Any] = {
        c: a_clan(40 if c == "green" else 5, (7, 8, 9), SPACES[-n:] if n else ()) for c, n in sizes.items()
    }
    return a_game(
        players, phase=Spreading("green"), step="spread", board=5, options=Options(hide_food=hide_food), **clans
    )


def flat(text: str) -> str:
    return " ".join(text.split())


def letter_of(state: GameState, viewer: str) -> str:
    """Return the text of everything about the situation in a letter."""
    shown = for_letter(state, viewer, game="friday-night", turn=31, to_answer="Write {order}.")
    return text_of_page(Page(shown))


def long_games() -> Iterator[tuple[Decision, ...]]:
    """Yield whole games of many players, most of which end with a clan of 13 members."""
    for players in (4, 5, 6):
        for seed in range(30, 35):
            yield a_whole_game(players, seed)


# The end


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        ({"green": 7, "red": 7}, ""),
        (
            {"green": 7, "red": 8},
            "The game ends in the round in which a clan reaches 13 members: Christian (red) needs 5 more.",
        ),
        (
            {"green": 9, "red": 12},
            "The game ends in the round in which a clan reaches 13 members: Christian (red) needs 1 more and Angelika "
            "(green) needs 4 more.",
        ),
        (
            {"green": 7, "red": 13},
            f"Christian (red) has 13 members: the game ends after this phase. {CERTAIN}",
        ),
        (
            {"green": 14, "red": 14, "blue": 13},
            f"Angelika (green) and Christian (red) each have 14 members: the game ends after this phase. {CERTAIN}",
        ),
    ],
)
def test_every_text_says_how_near_the_end_is(sizes: dict[str, int], said: str) -> None:
    """From 8 members on, as 5 may be added at once; whoever reads, and in letters. Rule: thirteenth-member (R9.1)."""
    state = a_spreading(5, hide_food=False, **sizes)

    for viewer in viewers(state):
        texts = [text_of(state, viewer), "\n".join(options_lines(state, viewer))]
        texts += [letter_of(state, viewer)] if viewer else []
        for text in texts:
            assert ("13 members" in text or "14 members:" in flat(text)) == bool(said)
            assert flat(text).count(said) == 1 or not said


def test_a_clan_that_has_resigned_ends_the_game_only_if_it_is_large_enough_already() -> None:
    """It adds nobody any more."""
    twelve, thirteen = (a_spreading(green=3, red=size) for size in (12, 13))
    resigned = [state.with_clan(state.clan("red")._replace(resigned=True)) for state in (twelve, thirteen)]

    assert how_it_will_end(resigned[0]) == ""
    assert "the game ends after this phase" in how_it_will_end(resigned[1])


def test_nothing_is_said_of_the_end_of_a_game_that_is_over() -> None:
    assert how_it_will_end(a_spreading(red=13)._replace(phase=Ended(("red",)))) == ""


@pytest.mark.parametrize("hide_food", [False, True])
def test_no_harvest_is_forecast_once_the_end_is_certain(hide_food: bool) -> None:
    """In no table, no note, no letter, no fact of a clan: there is none any more, and no refill either."""
    for state in (
        a_spreading(hide_food=hide_food, green=6, red=13),
        a_spreading(2, hide_food=hide_food, green=13, red=6)._replace(
            phase=SpreadingNeutral("red", 2), neutral=SPACES[:4]
        ),
    ):
        for viewer in viewers(state):
            texts = [text_of(state, viewer), "\n".join(options_lines(state, viewer))]
            texts += [letter_of(state, viewer)] if viewer else []
            for text in texts:
                assert not re.search(r"would harvest|harvest \d|next harvest|\bnext  ", text)
                assert "+" not in "".join(section(text, "HARVEST SPACES")) if "HARVEST SPACES" in text else True
        assert all("harvest" not in option["note"] for option in options(state))


def test_a_choice_that_ends_the_game_says_so_with_the_numbers() -> None:
    """The row of the table and the rows of spaces in reach; without it both go on to forecast harvests."""
    state = a_spreading(green=11, red=8)

    notes = [note(state, choice) for choice in main_choices(state)]
    lines = options_lines(state, "green")

    assert notes[0].startswith("add nobody: harvest ")
    assert notes[1].startswith("cheapest for 1: harvest ")
    assert notes[2].startswith("cheapest for 2: makes 13: the game ends after this phase, you would lead by 5")
    assert "makes 13: the game ends after this phase, you would lead by 5:" in lines
    row = lines[lines.index("makes 13: the game ends after this phase, you would lead by 5:") + 1]
    assert re.search(r" +\d+ +- +- -     [A-E][12][abc] [A-E][12][abc]$", row)
    assert "spread" in example_orders(state)[0]
    assert len(example_orders(state)[0].split()) == 2, "no example ends the game"


@pytest.mark.parametrize(
    ("red", "said"),
    [
        (15, "with 8 members you would be 7 behind"),
        (13, "with 8 members you would be 5 behind"),
    ],
)
def test_in_a_game_that_ends_a_choice_says_how_one_would_stand(red: int, said: str) -> None:
    """And the example makes the clan as large as possible."""
    state = a_spreading(green=7, red=red)

    notes = [note(state, choice) for choice in main_choices(state)]

    assert notes[0] == f"add nobody: with 7 members you would be {red - 7} behind"
    assert notes[1].startswith(f"cheapest for 1: {said}")
    assert len(example_orders(state)[0].split()) == 1 + 5


def test_the_lead_is_counted_against_those_who_can_still_win() -> None:
    """Not against the neutral clan or who has resigned; an equal clan shares it."""
    state = a_spreading(green=12, red=14, blue=13)
    resigned = state.with_clan(state.clan("red")._replace(resigned=True))

    assert "with 13 members you would be 1 behind" in note(state, tuple(main_choices(state))[1])
    assert "with 13 members you would share the lead" in note(resigned, tuple(main_choices(resigned))[1])


def test_a_lead_names_the_clans_that_can_still_grow() -> None:
    """In the order in which they spread; a clan without members adds nobody."""
    state = a_spreading(green=12, red=8, blue=9, black=0)

    for waiting, said in (
        ((), "you would lead by 4"),
        (("red",), "you would lead by 4 before red spreads"),
        (("red", "blue", "black"), "you would lead by 4 before blue and red spread"),
    ):
        told = note(state._replace(waiting=waiting), tuple(main_choices(state))[1])
        assert re.search(f"the game ends after this phase, {said}(?:;|$)", told), told


def test_a_clan_that_can_starve_in_the_next_round_is_told_before_it_grows() -> None:
    """Green pays its last food for a second member, and Herbs feed only one."""
    state = a_game(phase=Spreading("green"), step="spread", green=a_clan(1, cards=(3,), members=("B1a",)))

    stay, grow, *_ = (note(state, choice) for choice in main_choices(state))

    assert "harvest 1 and 1, eat 1 and have 1 left;" in stay
    assert "harvest 1 and 1, eat 2: 1 member would starve;" in grow


@pytest.mark.parametrize(("size", "said"), [(10, "up to 5 and"), (12, "up to 3, as a clan has at most 15, and")])
def test_the_question_says_why_fewer_than_five_may_be_added(size: int, said: str) -> None:
    assert f"You may add {said} can pay for" in flat("\n".join(options_lines(a_spreading(green=size), "green")))


def test_once_the_end_is_certain_the_game_ends_in_that_phase() -> None:
    """In whole games, and if nobody does anything more: nobody hunts again. Rule: thirteenth-member (R9.1)."""
    announced = 0
    for decisions in long_games():
        last = decisions[-1].state
        certain = [decision for decision in decisions if ending_clans(decision.state)]
        for state, *_ in certain:
            events = [event for event, _ in nothing_more(state)]
            assert isinstance(events[-1], GameEnded)
            assert not any(isinstance(event, Hunted | HarvestRefilled) for event in events)
            assert ended_by(last) == "thirteenth-member"
            assert last.round == state.round
            announced += 1
        assert [*decisions[len(decisions) - 1 - len(certain) : -1]] == certain, "to the end without a break"
    assert announced > 5


def test_the_end_tells_no_hidden_food() -> None:
    """Neither who would win a tie nor the example: food counts at the end, and only then is it open."""
    for sizes in ({"green": 12, "red": 12}, {"green": 12, "red": 13}, {"green": 13, "red": 13}, {"green": 9, "red": 8}):
        state = a_spreading(5, hide_food=True, **sizes)
        texts = [text_of(state, viewer) for viewer in viewers(state)]
        for food in (0, 50):
            other = state.with_clan(state.clan("red")._replace(food=food))
            for viewer, text in zip(viewers(state), texts, strict=True):
                if viewer != "red":
                    assert text == text_of(other, viewer)
            assert options(state) == options(other)


@pytest.mark.parametrize("hide_food", [False, True])
def test_texts_of_the_end_fit_whatever_the_players_are_called(hide_food: bool) -> None:
    """72 columns for six players with the longest names, and no line is an order."""
    for sizes in ((11, 8, 9, 10, 11, 12), (9, 13, 13, 13, 13, 13), (8, 8, 8, 8, 8, 8)):
        colours = ("green", "red", "blue", "black", "white", "yellow")
        state = a_spreading(6, hide_food=hide_food, **dict(zip(colours, sizes, strict=True)))
        names = dict(zip(colours, AWKWARD, strict=True))
        for called in (names, dict.fromkeys(colours, "W" * 24)):
            named = state._replace(clans=tuple(c._replace(player=called[c.colour]) for c in state.clans))
            for viewer in viewers(named):
                text = text_of(named, viewer)
                check_no_order(text, expected(named.phase))
                assert all(columns(line) <= 72 and line == line.rstrip() for line in text.split("\n"))


# Harvests and places


def nothing_more(state: GameState) -> Iterator[tuple[Event, GameState]]:
    """Yield what happens if nobody does anything more, event by event, until somebody starves or the game is over."""
    while True:
        for *_, after in carry_on(state, lambda _number, _draws: 0):
            for event in after.events:
                if isinstance(event, MembersStarved):
                    return
                yield event, after
            state = after
        match state.phase:
            case Ended() | Starving():
                return
            case Offering():
                move: Move = Pass()
            case Answering():
                move = Decline()
            case Spreading() | Adding():
                move = Stay()
            case SpreadingNeutral():
                move = next(choices(state))
            case TakingOrDiscarding():
                move = Take()
            case _:
                return
        decides = who_decides(state)
        assert decides is not None
        state = follow(state, decides, move)
        for event in state.events:
            yield event, state


def harvests_of(state: GameState, colour: str, most: int) -> list[int]:
    """Return the first *most* harvests of the clan if nobody does anything more, as far as nobody starves."""
    found: list[int] = []
    rounds = state.round + 3
    for event, after in nothing_more(state):
        if isinstance(event, Hunted) and event.clan == colour:
            found.append(event.harvested)
        if len(found) == most or after.round > rounds:
            break
    return found


def left_of(state: GameState, colour: str, size: int) -> int | None:
    """Return the food of a clan of that size after its next harvest, less the members that starve.

    Nobody does anything more after the decision that led to the state, which may have led to the hunt too. It is None
    if the game stops before, because another clan has to choose.
    """
    for event, after in (*((event, state) for event in state.events), *nothing_more(state)):
        if isinstance(event, Hunted) and event.clan == colour:
            starving = after.phase if isinstance(after.phase, Starving) else None
            hungry = starving.hungry if starving and starving.clan == colour else 0
            clan = after.clan(colour)
            return clan.food - hungry - (size - clan.size)
    return None


def player_decides(state: GameState) -> bool:
    return who_decides(state) not in (None, CHANCE)


def test_the_next_harvest_of_every_clan_is_what_the_engine_gives_if_nobody_does_anything(some: Some) -> None:
    """At every decision from the second members on, in the middle of a hunt too."""
    checked = set()
    for state, *_ in some(all_games(), 2):
        if player_decides(state) and isinstance(state.phase, Adding | Offering | Spreading | SpreadingNeutral):
            if ending_clans(state):
                continue
            for colour, found in next_harvests(state).items():
                for worth in harvests_of(state, colour, 1):
                    assert worth == found.worth, (state.phase, colour)
                    checked.add((type(state.phase), state.round, colour, worth))
    assert len(checked) > 150
    assert {kind for kind, *_ in checked} >= {Adding, Offering, Spreading}


def asked_clan(state: GameState) -> str:
    colour = who_decides(state)
    assert colour is not None
    return colour


@pytest.mark.slow
def test_the_table_of_spreading_says_what_the_engine_gives_if_nobody_does_anything(some: Some) -> None:
    """Harvest, harvest after it, what is left or starves, and place in the player order, of every listed choice."""
    seconds = places = ends = starved = 0
    last = (decision for decisions in long_games() for decision in decisions[-4:])
    for state, *_ in (*some(all_games(), 4), *last):
        if not isinstance(state.phase, Spreading) or ending_clans(state):
            continue
        colour = asked_clan(state)
        for choice in main_choices(state):
            said = note(state, choice)
            after = follow(state, colour, choice.move)
            if "the game ends after this phase" in said:
                assert [event for event, _ in nothing_more(after) if isinstance(event, Hunted)] == []
                lead = re.search(r"lead by (\d+)|be (\d+) behind|share the lead", said)
                others = max(clan.size for clan in after.in_play if clan.colour != colour)
                assert lead is not None
                assert after.clan(colour).size - others == int(lead[1] or 0) - int(lead[2] or 0)
                ends += 1
                continue
            told = re.search(
                r"harvest (\d+) and (\d+), eat (\d+)(?: and have (\d+) left|: (\d+) members? would starve);"
                r" next round (\d)(?:st|nd|rd|th)\0of\0(\d)",
                said,
            )
            assert told is not None, said
            assert (int(told[3]), int(told[7])) == (
                after.clan(colour).size if isinstance(choice.move, Spread) else state.clan(colour).size,
                len(state.clans),
            )
            real = harvests_of(after, colour, 2)
            assert real == [int(told[1]), int(told[2])][: len(real)], said
            seconds += len(real) == 2
            left = left_of(after, colour, int(told[3]))
            assert left in (None, int(told[4] or 0) - int(told[5] or 0)), said
            starved += left is not None and left < 0
            then = next((s for _, s in nothing_more(after) if s.round > state.round), None)
            if then is not None:
                assert then.order.index(colour) + 1 == int(told[6]), said
                places += 1
    assert seconds > 100
    assert places > 150
    assert ends > 5
    assert starved > 5


def bought(state: GameState, offer: Offer, discarded: int | None) -> GameState:
    """Return the state after the offer if the offering player buys the card itself, and discards that tool."""
    colour = asked_clan(state)
    state = follow(state, colour, offer)
    while isinstance(state.phase, Answering | TakingOrDiscarding | Dropping):
        move: Move = Decline()
        if isinstance(state.phase, TakingOrDiscarding):
            move = Take()
        elif isinstance(state.phase, Dropping):
            assert discarded is not None
            move = Drop(discarded)
        state = follow(state, asked_clan(state), move)
    return state


def test_the_table_of_offering_says_what_the_engine_gives_if_nobody_does_anything(some: Some) -> None:
    """With the tool discarded that it names; the harvests change and so may the place. To pass leaves food too."""
    seconds = places = dropped = lefts = 0
    for state, *_ in some(all_games(), 2):
        if not isinstance(state.phase, Offering):
            continue
        colour = asked_clan(state)
        for choice in main_choices(state):
            said = note(state, choice)
            place = re.search(r"next round (\d)(?:st|nd|rd|th)\0of\0(\d)", said)
            assert place is not None
            kept = re.search(r"(\d+) left after eating|(\d+) members? would starve", said)
            assert kept is not None
            if isinstance(choice.move, Offer):
                tool = re.search(r"these numbers are without #(\d+)", said)
                after = bought(state, choice.move, int(tool[1]) if tool else None)
                dropped += tool is not None
                told = re.search(r"harvest (\d+) and (\d+)", said)
                if told:
                    real = harvests_of(after, colour, 2)
                    assert real == [int(told[1]), int(told[2])][: len(real)], said
                    seconds += len(real) == 2
            else:
                after = follow(state, colour, choice.move)
            left = left_of(after, colour, state.clan(colour).size)
            assert left in (None, int(kept[1] or 0) - int(kept[2] or 0)), said
            lefts += left is not None
            then = next((later for _, later in nothing_more(after) if later.round > state.round), None)
            if then is not None:
                assert then.order.index(colour) + 1 == int(place[1]), said
                places += 1
    assert seconds > 50
    assert places > 100
    assert dropped > 10
    assert lefts > 100


def test_the_answers_to_an_offer_and_the_tools_to_discard_say_what_the_engine_gives(some: Some) -> None:
    """Who buys last gets the card; who discards a tool keeps the others."""
    seconds = {Answering: 0, Dropping: 0}
    for state, *_ in some(all_games(), 2):
        if not isinstance(state.phase, Answering | Dropping):
            continue
        colour = asked_clan(state)
        for choice in main_choices(state):
            said = note(state, choice)
            told = re.search(r"harvest (\d+) and (\d+).*next round (\d)(?:st|nd|rd|th)\0of", said)
            if told and "must discard" not in said:
                after = follow(state, colour, choice.move)
                real = harvests_of(after, colour, 2)
                assert real == [int(told[1]), int(told[2])][: len(real)], said
                then = next((later for _, later in nothing_more(after) if later.round > state.round), None)
                assert then is None or then.order.index(colour) + 1 == int(told[3]), said
                seconds[type(state.phase)] += len(real) == 2
    assert seconds[Answering] > 5
    assert seconds[Dropping] > 2


def test_sources_run_dry() -> None:
    """Of 3 fish and 3 more the rods take 4, as 6 and 4 lie there; then of 2 and 3 more only 3. Herbs give 1."""
    rods = a_clan(9, cards=(3, 8, 11), members=("D1a",))
    state = a_game(phase=Spreading("green"), step="spread", harvest=(0, 3, 0, 0), green=rods)

    stay = next(main_choices(state))

    assert "harvest 13 and 10, eat 1" in note(state, stay)
    assert harvests_of(follow(state, "green", stay.move), "green", 2) == [13, 10]


def test_the_tool_that_is_taken_to_be_discarded_is_the_one_that_is_missed_least() -> None:
    """Of three tools and a new basket: Herbs 1 harvest 1, a Field 2, a rod without a lake nothing."""
    state = a_game(phase=Offering("green"), waiting=("green",), green=a_clan(9, cards=(1, 8, 12), members=("B1a",)))

    found = purchase(state, state.clan("green"), 7)

    assert isinstance(found, Purchase)
    assert found.discarded is not None
    assert found.discarded.number == 8
    assert "you must discard a tool: these numbers are without #8\0rod" in note(state, Choice(Offer(7), 2))


def test_intelligence_takes_a_place_back() -> None:
    """At once, and whenever the order is set. Rule: intelligence (R8.5)."""
    state = a_game(
        phase=Offering("green"),
        waiting=("green",),
        market=(28, 29, 30, 31, 32, 33, 34, 35),
        green=a_clan(90, cards=(3,), members=("B1a", "B1b")),
        red=a_clan(cards=(2,), members=("D1a",)),
    )

    notes = {choice.order: note(state, choice).replace("\0", " ") for choice in main_choices(state)}

    assert "next round 2nd of 3" in notes["offer 28"]
    assert "next round 1st of 3: you hunt and spread last" in notes["offer 29"]
    assert notes["pass"].endswith("; next round 1st of 3: you hunt and spread last")


@pytest.mark.parametrize(
    ("size", "said"),
    [
        (1, "next round 3rd of 3: you hunt and spread first"),
        (2, "next round 2nd of 3"),
        (3, "next round 1st of 3: you hunt and spread last"),
    ],
)
def test_the_place_says_what_being_first_or_last_means(size: int, said: str) -> None:
    """The larger clan is first, and hunts and spreads last. Rules: player-order (R7.1), hunting-order (R5.1)."""
    mine = ("B1a", "B1b", "B1c")[:size]
    others: dict[str, Any] = {
        "red": a_clan(cards=(2, 20), members=("C1a", "C1b")),
        "blue": a_clan(cards=(1, 10), members=("D1a", "D1b")),
    }
    if size == 2:
        others["blue"] = a_clan(cards=(1,), members=("D1a",))
    state = a_game(phase=Spreading("green"), step="spread", green=a_clan(9, (3,), mine), **others)

    stay = next(main_choices(state))

    assert note(state, stay).replace("\0", " ").endswith(said)
    assert next_place(state, state.clan("green")) == int(said[len("next round ")])


# Examples


def test_an_example_has_the_best_forecast_not_the_lowest_price() -> None:
    """The spear costs most, and brings most where mammoths are."""
    state = a_game(
        phase=Offering("green"),
        waiting=("green",),
        market=(7, 8, 10, 13, 14, 16, 17, 19),
        green=a_clan(20, cards=(3,), members=("B2a",)),
    )
    spreading = state._replace(phase=Spreading("green"), step="spread").with_clan(
        a_clan(9, (3, 8), ("B1a",))._replace(colour="green", player="Angelika")
    )

    assert example_orders(state) == ("offer 13",)
    assert example_orders(spreading)[0].startswith("spread ")
    assert "D1" in example_orders(spreading)[0], "the rod needs the lake"


def test_an_example_starves_nobody_if_another_does_not() -> None:
    """The spear would harvest most, but nothing would be left to eat before it does."""
    state = a_game(
        phase=Offering("green"),
        waiting=("green",),
        harvest=(0, 0, 0, 1),
        market=(7, 8, 10, 13, 14, 16, 17, 19),
        green=a_clan(5, cards=(3,), members=("B2a", "B2b", "B2c", "B1c", "B1a", "B1b")),
    )

    best = example_orders(state)[0]

    assert "would starve" not in {c.order: note(state, c) for c in main_choices(state)}[best] or all(
        "would starve" in note(state, choice) for choice in main_choices(state) if isinstance(choice.move, Offer)
    )


# What is said only where it is of use


@pytest.mark.parametrize("hide_food", [False, True])
@pytest.mark.parametrize("players", [2, 3])
def test_hidden_food_and_the_neutral_clan_are_explained_where_there_are_any(players: int, hide_food: bool) -> None:
    state = a_spreading(players, hide_food=hide_food, green=3, red=3)

    clans = flat(" ".join(section(text_of(state, "green"), "CLANS")))

    assert ("The food of a clan that owns Fire is hidden from all others" in clans) is hide_food
    assert ("The neutral clan belongs to nobody." in clans) is (players == 2)


def test_what_becomes_of_the_crop_and_of_the_cards_that_never_come_is_told() -> None:
    """Nobody has to learn it from the news: unsold-card (R4.11), starting-pile (R1.8), reduce-market (R7.3)."""
    state = next(decision.state for decision in a_whole_game(3, 1) if isinstance(decision.state.phase, Offering))

    told = flat(" ".join(section(text_of(state, "green"), "MARKET")))

    assert "If nobody buys the card this round, it leaves the game." in told
    assert "The other 6 were removed unseen. Only the order of these groups is known." in told
    assert "Once that is drawn, phase 4 makes the market smaller, and all of it current." in told


def test_resigning_and_agreeing_are_told_at_first_and_when_somebody_has_agreed() -> None:
    """Not in every text of a game."""
    state = a_game(phase=Offering("green"), waiting=("green",))
    placing = a_game(phase=Adding("green"), step="add_second", round=0, green=a_clan(members=("B1a",)))

    for viewer in viewers(state):
        assert "At any time" not in " ".join(text_of(state, viewer).split())
        assert "At any time" not in (letter_of(placing, viewer) if viewer else "")
        assert "At any time" in " ".join(text_of(placing, viewer).split())
        assert "So far: Christian (red)." in flat(text_of(state._replace(agreed=("red",)), viewer))

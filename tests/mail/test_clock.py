"""The clock of a game: what is due at a time, from data alone."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.club.clock_data import clock_data, clock_from, terms_from
from pbem.errors import NotUnderstood, PbemError, Stale
from pbem.grammar import in_words, span
from pbem.table.clock import (
    Awaited,
    Back,
    Clock,
    Decide,
    GoOn,
    HandOver,
    Question,
    Remind,
    Situation,
    Stage,
    TellHost,
    Terms,
    Warn,
    away_until,
    due_at,
    instant,
    tick,
    time_to_look,
    timestamp,
)
from pbem.table.due import time_to_answer

START = datetime(2026, 11, 21, 12, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
RED = Awaited(57, "1a2b3c4d", "red", mildest="decline")
ASKED = Situation((RED,))
ANSWERS = Terms(then="answer")
STAGES = get_args(Stage)
QUIET = timedelta(days=400)  # an outage that never is one


def ticked(hours: list[float], terms: Terms = ANSWERS, asked: Situation = ASKED) -> list[tuple[float, Any]]:
    """Return what is due at ticks so many hours after the first one, at which the question is opened."""
    clock, found = Clock(), []
    for hour in [0, *hours]:
        clock, effects = tick(terms, clock, asked, START + hour * HOUR)
        found += [(hour, effect) for effect in effects]
        asked = after(asked, effects)
    return found


def only(clock: Clock) -> Question:
    """Return the only open question."""
    (question,) = clock.questions
    return question


def after(asked: Situation, effects: Sequence[Any]) -> Situation:
    """Return the situation when it was noted who is back, and what had been said ahead was played."""
    back = {effect.colour for effect in effects if isinstance(effect, Back)}
    away = tuple(pair for pair in asked.away if pair[0] not in back)
    return asked._replace(away=away, ready=asked.ready and GoOn() not in effects)


def every(step: float, end: float) -> list[float]:
    return [step * number for number in range(1, int(end / step) + 1)]


def test_a_question_is_open_from_the_first_tick_that_sees_it() -> None:
    clock, effects = tick(ANSWERS, Clock(START - 30 * DAY), ASKED, START)

    assert effects == ()
    assert only(clock).since == START
    assert due_at(ANSWERS, clock, only(clock), ASKED) == START + 3 * DAY


def test_a_player_is_reminded_then_warned_then_answered_for() -> None:
    assert ticked(every(1, 200)) == [
        (48, Remind("red", START + 72 * HOUR)),
        (72, Warn("red", START + 84 * HOUR)),
        (84, Decide("red", "decline")),
    ]


@pytest.mark.parametrize(
    ("terms", "asked", "end"),
    [
        (Terms(), ASKED, TellHost("late", "red", START)),
        (Terms(then="answer"), Situation((RED._replace(mildest=""),)), TellHost("late", "red", START)),
        (Terms(then="substitute"), ASKED, TellHost("late", "red", START)),
        (Terms(then="substitute"), ASKED._replace(substituted=frozenset({"red"})), HandOver("red")),
    ],
    ids=["the host is told", "no mild answer", "no substitute", "a substitute"],
)
def test_what_happens_after_the_grace_is_data(terms: Terms, asked: Situation, end: object) -> None:
    assert ticked(every(6, 84), terms, asked)[-1] == (84, end)


def test_the_host_is_told_once() -> None:
    assert len([effect for _, effect in ticked(every(6, 1000), Terms()) if isinstance(effect, TellHost)]) == 1


def test_the_substitute_has_all_the_time_that_the_player_had() -> None:
    terms, now = Terms(then="substitute"), ASKED._replace(substituted=frozenset({"red"}))
    clock, found = Clock(), []
    for hour in every(6, 200):
        clock, effects = tick(terms, clock, now, START + hour * HOUR)
        found += [(hour - 6, type(effect)) for effect in effects]
        if any(isinstance(effect, HandOver) for effect in effects):
            now = now._replace(away=(("red", START + 900 * DAY),))

    assert found == [(48, Remind), (72, Warn), (84, HandOver), (132, Remind), (156, Warn), (168, TellHost)]


def test_a_late_tick_never_answers_for_who_was_not_warned() -> None:
    terms = ANSWERS._replace(outage=QUIET)

    found = ticked([300, 301, 311, 312], terms)

    assert found == [(300, Warn("red", START + 312 * HOUR)), (312, Decide("red", "decline"))]


def test_after_an_outage_nothing_is_due_and_its_time_does_not_count() -> None:
    found = ticked([30, 30 + 24 * 7, *every(1, 300)[199:]])

    assert found == [
        (198, TellHost("outage", "red", START + 30 * HOUR)),
        (216, Remind("red", START + 240 * HOUR)),
        (240, Warn("red", START + 252 * HOUR)),
        (252, Decide("red", "decline")),
    ]


def test_who_is_away_is_waited_for_from_any_moment_between_two_ticks() -> None:
    away = ASKED._replace(away=(("red", START + 100.5 * HOUR),))

    found = ticked(every(1, 200), asked=away)

    assert [(hour, type(effect)) for hour, effect in found if not isinstance(effect, Back)] == [
        (149, Remind),
        (173, Warn),
        (185, Decide),
    ]


def test_who_comes_back_has_all_the_time_whatever_the_substitute_has_used() -> None:
    away = ASKED._replace(away=(("red", START + 80 * HOUR),), substituted=frozenset({"red"}))

    found = ticked([30, 60, 72, 80, 110, 127, 128, 152], asked=away)

    assert [(hour, type(effect)) for hour, effect in found] == [
        (60, Remind),
        (72, Warn),
        (80, Back),
        (128, Remind),
        (152, Warn),
    ]


def test_who_is_away_again_and_again_is_not_waited_for_longer() -> None:
    clock, found = tick(ANSWERS, Clock(), ASKED, START)
    for day in range(1, 60):
        away = ASKED._replace(away=(("red", START + day * DAY),))
        clock, found = tick(ANSWERS, clock, away, START + day * DAY)
        if Decide("red", "decline") in found:
            break

    assert day == 34


def test_nobody_is_waited_for_longer_than_the_terms_say() -> None:
    away = ASKED._replace(away=(("red", away_until("2999-12-31")),))

    found = ticked(every(24, 24 * 40), asked=away)

    assert [(hour / 24, type(effect)) for hour, effect in found] == [(32, Remind), (33, Warn), (34, Decide)]


def test_who_is_back_when_a_substitute_takes_over_is_told_one_thing() -> None:
    terms = Terms(then="substitute", absence=DAY)
    clock, _ = tick(terms, Clock(), ASKED._replace(substituted=frozenset({"red"})), START)
    for hours in (30, 60, 84):
        clock, _ = tick(terms, clock, ASKED._replace(substituted=frozenset({"red"})), START + hours * HOUR)

    back = ASKED._replace(away=(("red", START + 90 * HOUR),), substituted=frozenset({"red"}))
    _, found = tick(terms, clock, back, START + 100 * HOUR)

    assert found == (HandOver("red"),)


def test_the_clock_of_who_is_away_runs_for_the_substitute() -> None:
    away = ASKED._replace(away=(("red", away_until("2999-12-31")),), substituted=frozenset({"red"}))

    assert ticked(every(1, 48), asked=away) == [(48, Remind("red", START + 72 * HOUR))]


def test_another_player_s_absence_changes_nothing_but_ends() -> None:
    away = ASKED._replace(away=(("blue", START + HOUR),))

    assert ticked([1], asked=away) == [(1, Back("blue"))]


def test_a_paused_game_has_no_time() -> None:
    assert ticked([*every(1, 500), 900], asked=ASKED._replace(paused=True)) == []


def test_nobody_is_answered_for_while_the_game_is_paused() -> None:
    clock = Clock()
    for hour in [0, *every(6, 84)]:
        clock, _ = tick(ANSWERS, clock, ASKED, START + hour * HOUR, "hold")

    assert tick(ANSWERS, clock, ASKED._replace(paused=True), START + 85 * HOUR, "release")[1] == ()
    assert tick(ANSWERS, clock, ASKED, START + 85 * HOUR, "release")[1] == (Decide("red", "decline"),)


def test_a_finished_game_waits_for_nobody() -> None:
    clock, effects = tick(ANSWERS, tick(ANSWERS, Clock(), ASKED, START)[0], Situation(), START + 90 * DAY)

    assert (clock, effects) == (Clock(START + 90 * DAY), ())


def test_a_new_question_has_all_the_time() -> None:
    clock = tick(ANSWERS, Clock(), ASKED, START)[0]

    clock, effects = tick(ANSWERS, clock, Situation((RED._replace(turn=58, colour="blue"),)), START + 30 * HOUR)

    assert effects == ()
    assert due_at(ANSWERS, clock, only(clock), ASKED) == START + 102 * HOUR


def test_a_player_for_whom_the_game_has_waited_long_enough_is_due_though_away() -> None:
    terms, away = Terms(absence=DAY), ASKED._replace(away=(("red", START + 90 * DAY),))
    clock, _ = tick(terms, Clock(), away, START)
    assert due_at(terms, clock, only(clock), away) is None

    clock, _ = tick(terms, clock, away, START + DAY)

    assert due_at(terms, clock, only(clock), away) == START + 4 * DAY


def test_what_is_held_is_told_once_and_answered_for_only_when_released() -> None:
    clock = Clock()
    for hour in [0, *every(6, 78)]:
        clock, _ = tick(ANSWERS, clock, ASKED, START + hour * HOUR)

    clock, told = tick(ANSWERS, clock, ASKED, START + 84 * HOUR, "hold")
    clock, again = tick(ANSWERS, clock, ASKED, START + 90 * HOUR, "hold")
    clock, still = tick(ANSWERS, clock, ASKED, START + 96 * HOUR, "play")
    clock, released = tick(ANSWERS, clock, ASKED, START + 96 * HOUR, "release")
    clock, after = tick(ANSWERS, clock, ASKED, START + 96 * HOUR, "release")

    assert (told, again, still) == ((TellHost("held", "red", START),), (), ())
    assert (released, after) == ((Decide("red", "decline"),), ())


def test_a_time_before_the_last_tick_is_refused() -> None:
    with pytest.raises(Stale, match="the last tick was at 2026-11-21T12:00:00Z"):
        tick(ANSWERS, Clock(START), ASKED, START - timedelta(seconds=1))


EARLIER = Terms(deadline=DAY, reminders=(), grace=2 * HOUR, then="answer")


@pytest.mark.parametrize(
    ("hours", "terms", "due"),
    [
        (84, Terms(then="answer"), {85: Decide("red", "decline")}),
        (84, EARLIER, {85: Decide("red", "decline")}),
        (84, EARLIER._replace(then="tell"), {}),
        (72, EARLIER, {84: Decide("red", "decline")}),  # as the warning has said
        (48, EARLIER, {49: Warn("red", START + 51 * HOUR), 51: Decide("red", "decline")}),
        (72, Terms(deadline=4 * DAY), {96: Warn("red", START + 108 * HOUR), 108: TellHost("late", "red", START)}),
        (84, Terms(grace=DAY), {96: TellHost("late", "red", START)}),
    ],
    ids=[
        "told",
        "told, shorter",
        "told, told",
        "warned, shorter",
        "reminded, shorter",
        "warned, longer",
        "told, longer",
    ],
)
def test_what_is_due_is_due_under_the_terms_as_they_are_now(hours: int, terms: Terms, due: dict[int, object]) -> None:
    clock = Clock()
    for hour in range(hours + 1):
        clock, _ = tick(Terms(), clock, ASKED, START + hour * HOUR)
    found = {}
    for hour in range(hours + 1, 300):
        clock, effects = tick(terms, clock, ASKED, START + hour * HOUR)
        found |= dict.fromkeys([hour] * bool(effects), *effects)

    assert found == due


HOURS = st.lists(st.integers(0, 40), max_size=60)
SITUATIONS = st.builds(
    Situation,
    awaited=st.lists(
        st.builds(
            Awaited,
            turn=st.just(3),
            head=st.just("1a2b3c4d"),
            colour=st.sampled_from(["red", "blue", "green"]),
            mildest=st.sampled_from(["", "stay"]),
        ),
        max_size=3,
        unique_by=lambda each: each.colour,
    ).map(tuple),
    away=st.lists(st.tuples(st.sampled_from(["red", "blue"]), st.integers(0, 900).map(lambda h: START + h * HOUR))).map(
        lambda pairs: tuple(sorted(dict(pairs).items()))
    ),
    substituted=st.sets(st.just("red")).map(frozenset),
    paused=st.booleans(),
    market=st.sampled_from([0, 3]),
    ready=st.booleans(),
    respite=st.none() | st.integers(0, 900).map(lambda h: START + h * HOUR),
)
TERMS = st.builds(
    Terms,
    deadline=st.integers(50, 100).map(lambda h: h * HOUR),
    reminders=st.lists(st.integers(1, 49).map(lambda h: h * HOUR), max_size=3).map(lambda r: tuple(sorted(r))),
    grace=st.integers(1, 30).map(lambda h: h * HOUR),
    then=st.sampled_from(["tell", "answer", "substitute"]),
    absence=st.integers(1, 900).map(lambda h: h * HOUR),
    outage=st.integers(1, 60).map(lambda h: h * HOUR),
    look=st.integers(0, 60).map(lambda h: h * HOUR),
)


@pytest.mark.slow
@given(TERMS, HOURS, SITUATIONS, st.sampled_from(["play", "hold", "release"]))
def test_a_second_tick_does_nothing_the_clock_can_be_stored_and_nobody_is_answered_for_without_a_warning(
    terms: Terms, gaps: list[int], asked: Situation, defaults: Any
) -> None:
    clock, at, promised = Clock(), START, dict[str, datetime]()
    for gap in gaps:
        at += gap * HOUR
        clock, effects = tick(terms, clock, asked, at, defaults)
        for effect in effects:
            if isinstance(effect, Warn):
                promised[effect.colour] = effect.due
            if isinstance(effect, Decide | HandOver):
                assert promised.pop(effect.colour) <= at
        asked = after(asked, effects)
        if any(isinstance(effect, HandOver) for effect in effects):
            others = tuple(pair for pair in asked.away if pair[0] != "red")
            asked = asked._replace(away=(*others, ("red", away_until("2999-12-31"))))

        assert tick(terms, clock, asked, at, defaults) == (clock, ())
        assert clock_from(clock_data(clock)) == clock


def test_a_substitute_whose_time_had_come_before_an_outage_takes_over_at_the_first_tick_after_it() -> None:
    """The player was away until then, and has returned meanwhile; a second tick at that time does nothing."""
    terms = Terms(50 * HOUR, (), HOUR, "substitute", absence=HOUR, outage=18 * HOUR)
    red = Awaited(3, "1a2b3c4d", "red", "")
    away = Situation((red,), (("red", START + 52 * HOUR),), frozenset({"red"}))
    clock = Clock()
    for hours in (0, 14, 32, 50, 51):
        clock, _ = tick(terms, clock, away, START + hours * HOUR)

    clock, effects = tick(terms, clock, away, START + 70 * HOUR)

    assert effects == (TellHost("outage", "red", START + 51 * HOUR), HandOver("red"))
    assert tick(terms, clock, away._replace(away=()), START + 70 * HOUR) == (clock, ())


@pytest.mark.slow
@given(TERMS, HOURS, SITUATIONS)
def test_time_only_runs_forward_and_never_faster_than_it_is(terms: Terms, gaps: list[int], asked: Situation) -> None:
    asked, at = asked._replace(awaited=(RED,), substituted=frozenset()), START
    clock, _ = tick(terms, Clock(), asked, at)
    for gap in gaps:
        at += gap * HOUR
        before = only(clock)
        clock, effects = tick(terms, clock, asked, at)
        asked = after(asked, effects)
        now = only(clock)
        if Back("red") in effects and at < START + terms.absence:
            assert now == before._replace(waited=0 * HOUR, reminded=0 * HOUR, stage="asked")
            continue
        assert before.reminded <= now.reminded
        assert STAGES.index(before.stage) <= STAGES.index(now.stage)
        assert before.since == now.since
        assert now.waited <= at - START


@pytest.mark.slow
@given(HOURS, st.integers(0, 300), SITUATIONS)
def test_it_does_not_matter_how_often_the_clock_ticks_before_the_first_thing_is_due(
    gaps: list[int], until: int, asked: Situation
) -> None:
    terms = Terms(deadline=900 * DAY, reminders=(), outage=QUIET)
    end = START + sum(gaps) * HOUR  # who comes back before has all the time from that tick on
    asked, at = asked._replace(awaited=(RED,), away=tuple(p for p in asked.away if p[0] == "red" and p[1] > end)), START
    first = often = tick(terms, Clock(), asked, START)[0]
    for gap in gaps:
        at += gap * HOUR
        often = tick(terms, often, asked, at)[0]

    assert tick(terms, first, asked, at)[0] == often


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2026-11-21T12:00:00Z", START),
        ("2026-11-21t13:00:00.999+01:00", START),
        ("2026-11-21 07:00-05:00", START),
        ("2026-11-20T23:59:59-12:01", START + timedelta(seconds=59)),
    ],
)
def test_a_time_may_have_any_offset(text: str, time: datetime) -> None:
    assert instant(text) == time
    assert instant(timestamp(time)) == time


@pytest.mark.parametrize(
    "text",
    [
        "",
        "now",
        "2026-11-21",
        "2026-11-21T12:00:00",
        "2026-02-30T12:00:00Z",
        "2026-11-21T12:00:60Z",
        "0001-01-01T00:00:00+14:00",
        "2026-11-21T12:00:00+99:00",
        "20261121T120000Z",
        "\u0662\u0660\u0662\u0666-11-21T12:00:00Z",
        "2026-11-21T12:00:00Z\n",
    ],
)
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(NotUnderstood, match="is not a valid time"):
        instant(text)


@pytest.mark.parametrize("text", ["yesterday", "", "31.12.2026", "2026-02-31"])
def test_a_day_that_is_none_is_refused_with_one_that_is(text: str) -> None:
    with pytest.raises(NotUnderstood) as told:
        away_until(text)
    assert told.value.hint == "give the last day, like 2026-12-31"


def test_an_absence_lasts_to_the_end_of_its_last_day() -> None:
    assert away_until("2026-11-30") == datetime(2026, 12, 1, tzinfo=UTC)
    assert away_until("2026-11-30T18:00:00+01:00") == datetime(2026, 11, 30, 17, tzinfo=UTC)


@pytest.mark.parametrize("words", ["3 days", "1 day", "36 hours", "1 hour", "90 minutes", "999 days"])
def test_durations_read_as_they_are_written(words: str) -> None:
    assert in_words(span(words, "grace")) == words


@pytest.mark.parametrize(
    "wrong", ["", "3", "days", "0 days", "-1 day", "1000 days", "3 weeks", "3.5 days", "\u0663 days", 3, None]
)
def test_what_is_no_duration_is_refused(wrong: object) -> None:
    with pytest.raises(NotUnderstood, match="is not a valid duration"):
        span(wrong, "grace")


def test_terms_are_as_usual_unless_they_are_said() -> None:
    assert terms_from({}) == Terms(3 * DAY, (2 * DAY,), 12 * HOUR, "tell", 30 * DAY, 36 * HOUR)
    said_ones = {"deadline": "7 days", "reminders": ["5 days", "3 days"], "grace": "1 day", "then": "answer"}
    assert terms_from(said_ones) == Terms(7 * DAY, (3 * DAY, 5 * DAY), DAY, "answer")
    assert terms_from({"deadline": "1 day"}).reminders == ()


@pytest.mark.parametrize(
    "data",
    [
        {"dead": "3 days"},
        {"then": "resign"},
        {"reminders": "1 day"},
        {"reminders": ["3 days"]},
        {"deadline": 3},
        {"then": []},
        {"reminders": [["1 day"]]},
    ],
)
def test_terms_that_make_no_sense_are_refused(data: dict[str, Any]) -> None:
    with pytest.raises(NotUnderstood):
        terms_from(data)


# Several questions, and the time to look


BOTH = Situation((RED, RED._replace(colour="blue", mildest="")))


def test_each_of_several_questions_has_a_time_of_its_own() -> None:
    clock, _ = tick(ANSWERS, Clock(), ASKED, START)
    clock, _ = tick(ANSWERS, clock, BOTH, START + 24 * HOUR)
    found = {}
    for hour in every(12, 120)[2:]:
        clock, effects = tick(ANSWERS, clock, BOTH, START + hour * HOUR)
        found |= {hour: effects} if effects else {}

    assert found == {
        48: (Remind("red", START + 72 * HOUR),),
        72: (Warn("red", START + 84 * HOUR), Remind("blue", START + 96 * HOUR)),
        84: (Decide("red", "decline"),),
        96: (Warn("blue", START + 108 * HOUR),),
        108: (TellHost("late", "blue", START + 24 * HOUR),),
    }


def test_a_player_who_has_answered_has_no_question_any_more() -> None:
    clock, _ = tick(ANSWERS, Clock(), BOTH, START)
    clock, due = tick(ANSWERS, clock, BOTH._replace(awaited=BOTH.awaited[1:]), START + 72 * HOUR)

    assert {effect.colour for effect in due if isinstance(effect, Warn | TellHost)} == {"blue"}
    assert [question.colour for question in clock.questions] == ["blue"]


LOOK = Terms(look=12 * HOUR, outage=20 * HOUR)
RENEWED = Situation(market=3, ready=True)


def test_what_is_said_ahead_is_played_when_the_time_to_look_is_over() -> None:
    clock = Clock(START - 9 * HOUR)
    found = {}
    for hour in (0, 6, 11, 12, 13):
        clock, found[hour] = tick(LOOK, clock, RENEWED, START + hour * HOUR)
        assert time_to_look(LOOK, clock, 3) == (None if hour >= 12 else START + 12 * HOUR)

    assert found == {0: (), 6: (), 11: (), 12: (GoOn(),), 13: (GoOn(),)}
    assert time_to_look(LOOK, clock, 4) == 12 * HOUR
    assert time_to_look(Terms(), clock, 4) is None


@pytest.mark.parametrize(
    ("now", "gap"), [(RENEWED._replace(paused=True), 10), (RENEWED, 21)], ids=["a pause", "an outage"]
)
def test_a_pause_and_an_outage_are_no_time_to_look(now: Situation, gap: int) -> None:
    clock, _ = tick(LOOK, Clock(START), RENEWED, START)
    clock, effects = tick(LOOK, clock, now, START + gap * HOUR)

    assert effects == ()
    assert clock.look is not None
    assert clock.look.waited == 0 * HOUR


def test_nothing_waits_where_there_is_no_time_to_look_or_no_new_market() -> None:
    assert tick(Terms(), Clock(), RENEWED, START)[1] == (GoOn(),)
    assert tick(LOOK, Clock(), RENEWED._replace(market=0), START)[1] == (GoOn(),)
    assert tick(Terms(), Clock(), RENEWED._replace(ready=False), START)[1] == ()
    assert tick(Terms(), Clock(), RENEWED._replace(paused=True), START)[1] == ()


JUNK = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**18), 10**18), st.text(max_size=30), st.lists(st.integers())
)
QUESTION = {
    **{"turn": 1, "head": "1a", "colour": "red", "since": timestamp(START)},
    **{"waited": 0, "reminded": 0, "stage": "asked"},
}


@pytest.mark.parametrize("junk", [False, 0, "", []], ids=repr)
@pytest.mark.parametrize("key", ["look", "due"])
def test_a_file_of_the_ticks_with_an_empty_value_is_refused(key: str, junk: object) -> None:
    with pytest.raises(NotUnderstood):
        clock_from({"last": timestamp(START), key: junk})


@given(st.sampled_from(["last", "question", "look", "round", *QUESTION]), JUNK, st.booleans())
def test_whatever_stands_in_the_file_of_the_ticks_a_tick_does_or_refuses(key: str, junk: object, many: bool) -> None:
    question, look = dict(QUESTION), {"round": 3, "since": timestamp(START), "waited": 0}
    for row in (question, look):
        row.update({key: junk} if key in row else {})
    data: dict[str, Any] = {"last": timestamp(START), "question": [question] if many else question, "look": look}
    data |= {key: junk} if key in data else {}
    try:
        clock = clock_from(data)
        now = Situation((RED._replace(turn=1, head="1a"),), market=3)
        time_to_answer(Terms(), clock, now)
        tick(LOOK, clock, now, START + DAY)
    except PbemError:
        pass


def test_no_tick_hands_all_seats_to_bots_who_would_play_alone() -> None:
    awaited = tuple(Awaited(57, "1a2b3c4d", colour) for colour in ("red", "blue", "green"))
    asked = Situation(awaited, for_bots=frozenset({"red", "blue", "green"}))

    found = ticked([72, 84], Terms(then="bot", outage=QUIET), asked)

    bots, host = [HandOver("red", to_bot=True), HandOver("blue", to_bot=True)], TellHost("late", "green", START)
    assert [effect for hour, effect in found if hour == 84] == [*bots, host]

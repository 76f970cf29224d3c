"""What the clock has people read: reminders, warnings, and who plays from now on."""

from datetime import UTC, timedelta

import pytest
from tables import NAMES, START, Sitting, a_table

from pbem.table import host
from pbem.table.clock import Clock, Decide, TellHost, Terms
from pbem.table.lines import line_now
from pbem.table.matters.kinds import SetClock
from pbem.table.minutes import Motion
from pbem.table.people import BOT
from pbem.table.times import named_day

DAY = timedelta(days=1)
DAN = "dan@sub.example"


@pytest.fixture
def table() -> Sitting:
    """Three at turn 6; everybody has a letter about it, and no clock has ticked yet."""
    return a_table()


def test_nobody_reads_of_the_first_tick(table: Sitting) -> None:
    assert table.ticks(0).told == {}


def test_who_is_asked_is_reminded_and_warned_and_then_the_host_is_told_once(table: Sitting) -> None:
    asked = table.asked
    reminded = table.ticks(0, 30, 48)
    assert set(reminded.told) == {asked}
    assert "You have until Tue 24 Nov, 12:00 UTC." in reminded.told[asked]
    warned = reminded.ticks(72)
    assert set(warned.told) == {asked}
    assert "still counts until Wed 25 Nov, 00:00 UTC. After that I will tell the host." in warned.told[asked]

    late = warned.ticks(84)
    assert late.effects == (TellHost("late", asked, START),)
    assert late.told == {}
    for hour in (90, 120, 150):
        late = late.ticks(hour)
        assert (late.effects, late.told) == ((), {})
    assert late.goes_on().code == "played"


def test_a_warning_holds_though_the_host_gives_less_time_afterwards(table: Sitting) -> None:
    asked = table.asked
    warned = table.ticks(0, 30, 48, 72, terms=Terms(then="answer"))
    assert "still counts until Wed 25 Nov, 00:00 UTC." in warned.told[asked]
    shorter = Terms(deadline=2 * DAY, reminders=(), grace=timedelta(hours=1), then="answer")

    early = warned.ticks(73, 83, terms=shorter)
    assert (early.effects, early.told) == ((), {})
    assert early.newest_text(asked) == warned.newest_text(asked)

    assert early.ticks(84, terms=shorter).effects == (Decide(asked, "pass"),)


def test_no_time_runs_while_the_game_is_paused(table: Sitting) -> None:
    paused = table.ticks(0)
    paused = paused.after(host.pause(paused.table, "tea")).ticks(30, 60, 90)
    resumed = paused.after(host.resume(paused.table))

    assert resumed.ticks(100).told == {}
    assert set(resumed.ticks(100, 130, 139).told) == {table.asked}


def test_an_agreement_to_end_gives_no_new_time(table: Sitting) -> None:
    """The question is the same, and who is asked could agree to gain time."""
    agreed = table.ticks(0).hears(table.others[0], "agree end").ticks(30)

    (question,) = agreed.table.clock.questions
    assert (question.since, question.waited) == (START, timedelta(hours=30))


@pytest.mark.parametrize(
    ("terms", "substitute", "away", "then"),
    [
        (Terms(then="tell"), "", False, "I will tell the host"),
        (Terms(then="answer"), "", False, "your clan declines, passes or stays, where that is possible"),
        (Terms(then="substitute"), "", False, "I will tell the host"),
        (Terms(then="substitute"), DAN, False, "your substitute plays for you"),
        (Terms(then="substitute"), DAN, True, "I will tell the host"),
        (Terms(then="bot"), "", False, "a bot stands in for you"),
    ],
)
def test_a_warning_says_what_will_happen(
    table: Sitting, terms: Terms, substitute: str, then: str, *, away: bool
) -> None:
    asked = table.asked
    table = table.with_player(asked, substitute=substitute, absent="2999-12-31" if away else "")

    assert f"After that {then}." in table.ticks(0, 30, 60, 72, terms=terms).told[asked]


def test_nobody_is_promised_a_bot_who_would_play_alone_with_bots(table: Sitting) -> None:
    for colour in table.others:
        table = table.with_player(colour, address=BOT)

    warning = table.ticks(0, 30, 60, 72, terms=Terms(then="bot")).told[table.asked]

    assert "After that I will tell the host." in warning


def test_a_question_is_handed_to_the_substitute_who_is_named(table: Sitting) -> None:
    asked = table.asked
    table = table.with_player(asked, substitute=DAN, substitute_name="Dan")

    handed = table.ticks(0, 30, 60, 72, 84, terms=Terms(then="substitute"))

    home = table.seat(asked).address
    assert set(handed.letters) == {home, DAN}
    assert f"{NAMES[asked]} has not answered in time. You stand in from now on" in handed.told[asked]
    assert "Dan stands in for you from now on." in " ".join(str(handed.letters[home]).split())
    back = handed.hears(asked, "back", handed.letters[home])
    assert back.code == "answered"
    assert back.seat(asked).reader == home


def test_a_question_is_handed_to_a_bot_which_plays(table: Sitting) -> None:
    asked = table.asked

    handed = table.ticks(0, 30, 60, 72, 84, terms=Terms(then="bot"))

    assert handed.table.kept.turn > table.table.kept.turn
    assert handed.seat(asked).reader == BOT
    assert "a bot stands in for you from now on" in str(handed.letters[table.seat(asked).address])


def test_who_is_away_is_waited_for_and_asked_again_with_all_the_time(table: Sitting) -> None:
    asked = table.asked
    away = table.ticks(0).hears(asked, "absent until 2026-11-30")
    assert "You are away until Mon 30 Nov, and the game waits for you." in away.told[asked]
    for day in range(1, 10):
        away = away.ticks(24 * day)
        assert away.told == {}

    back = away.ticks(240)
    assert "The time for which you were away is over, and it is your turn again." in back.told[asked]
    assert back.seat(asked).absent == ""
    assert back.ticks(264, 287).told == {}
    assert "You have until Fri 4 Dec" in back.ticks(264, 288).told[asked]


def test_an_absence_that_is_over_already_is_refused(table: Sitting) -> None:
    refused = table.ticks(0).hears(table.asked, "absent until 2026-11-20")

    assert "2026-11-20 is already over" in refused.told[table.asked]
    assert refused.seat(table.asked).absent == ""


@pytest.mark.parametrize("way", ["clock", "host", "player"])
def test_who_comes_back_has_all_the_time_and_the_substitute_is_told(table: Sitting, way: str) -> None:
    asked, home = table.asked, table.seat(table.asked).address
    away = table.away(asked, "2026-11-23", DAN, "Dan").ticks(0, 30, 48, 59)

    if way == "host":
        back = away.back(asked)
    elif way == "player":
        back = away.hears(asked, "back", away.newest[DAN])
    else:
        back = away.ticks(60)

    assert set(back.letters) == {home, DAN}
    assert f"You no longer stand in for {NAMES[asked]} ({asked})" in str(back.letters[DAN])
    after = back.ticks(60) if way != "clock" else back
    assert after.ticks(84, 106).told == {}, "the time of the substitute is not counted"


def test_who_comes_back_when_somebody_else_is_asked_gets_nothing(table: Sitting) -> None:
    away = table.away(table.others[0], "2026-11-22", DAN).ticks(0, 36)

    assert set(away.letters) == {DAN}


def test_a_letter_says_how_much_time_there_is(table: Sitting) -> None:
    terms = Terms(2 * DAY, ())
    assert "to answer." not in table.goes_on().told[table.goes_on().asked]
    after = table.ticks(0, terms=terms).goes_on()
    assert [colour for colour, text in after.told.items() if "You have 2 days to answer." in text] == [after.asked]

    some = after.ticks(1, 20)
    assert "You have until Mon 23 Nov, 13:00 UTC to answer." in some.resent().told[some.asked]
    over = some.ticks(50, 80)

    assert "to answer." not in over.resent().told[over.asked]


@pytest.mark.parametrize(
    ("text", "day"), [("21 Nov", "2026-11-21"), ("Sat 21 Nov", "2026-11-21"), ("20 Nov", "2027-11-20")]
)
def test_a_day_without_a_year_is_the_next_one_and_may_be_today(text: str, day: str) -> None:
    assert named_day(text, START, UTC) == day


def test_a_motion_that_sets_the_clock_gives_the_full_time_again(table: Sitting) -> None:
    late = table.ticks(0, 30).table
    line = line_now(late.kept, table.others[0], SetClock(timedelta(days=3)), 0, proposed=True)

    assert late.clock.questions
    assert host.carry_out(late, Motion(line)).after.clock == Clock(late.clock.last)


def test_a_reminder_says_that_the_others_wait_only_where_they_are_not_asked_as_well() -> None:
    alone, wave = a_table(6), a_table(4, waves=True)
    assert len(wave.table.questioned) > 1

    reminded = alone.ticks(0, 30, 49)
    assert "The other players are waiting for you. You have until" in reminded.newest_text(alone.asked)
    both = wave.ticks(0, 30, 49)
    assert all("The game is waiting for your answer. You have until" in text for text in both.told.values())
    assert set(both.told) == set(wave.table.asked)

"""More time for everybody: every clock goes by what holds at the table, and nobody's time is up before the end."""

from datetime import UTC, datetime, timedelta
from functools import reduce

import pytest
from tables import START, Home, Sitting, a_table

from pbem.errors import Illegal, NotUnderstood
from pbem.table import host
from pbem.table.clock import Back, Remind, Terms, Warn, due_at, tick
from pbem.table.due import held, is_settled, run_on, settled
from pbem.table.limits import is_time_up, limit
from pbem.table.lines import line_now
from pbem.table.matters.kinds import Pause, Resume, SetClock
from pbem.table.matters.matter import Matter
from pbem.table.matters.respites import Respite
from pbem.table.matters.standing import FOREVER
from pbem.table.minutes import Meeting, Minutes
from pbem.table.motions import setting_in
from pbem.table.times import zone_of

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
END = datetime(2026, 12, 25, tzinfo=UTC)  # of a respite until the 24th
UNTIL_END = int((END - START) / HOUR)


@pytest.fixture
def table() -> Sitting:
    """Three at turn 6; everybody has a letter about it."""
    return a_table()


def agreed(table: Sitting, words: str = "more time until 2026-12-24") -> Sitting:
    """Return the table after somebody has moved that, and all have agreed."""
    mover, *others = (player.colour for player in table.table.roster.players)
    table = table.hears(mover, words)
    for colour in others:
        table = table.hears(colour, "agree")
    assert table.table.open_motion is not None
    assert table.table.missing(table.table.open_motion) == ()
    return table.carried_out()


def every_day(first: float, end: float) -> list[float]:
    """Return the hours of ticks a day apart, and the last one before the end."""
    return [*range(int(first), int(end), 24), end - 0.1]


# A club


def test_nobody_is_reminded_or_warned_before_the_end_and_letters_say_the_right_time(table: Sitting) -> None:
    rests = agreed(table.ticks(0, 30))
    done = "All of you have agreed to more time, as Ann asked. Nobody's time is up before the end of Thu 24 Dec 2026."
    assert all(done in text for text in rests.told.values())
    until = "You have until Sat 26 Dec, 18:00 UTC"  # 30 hours of 3 days have run
    assert f"{until} to answer." in rests.resent().told[rests.asked]

    for hour in every_day(31, UNTIL_END):
        rests = rests.ticks(hour)
        assert (rests.told, rests.effects) == ({}, ()), hour
    assert f"{until} to answer." in rests.resent().told[rests.asked]

    reminded = rests.ticks(UNTIL_END + 17, UNTIL_END + 18)
    assert reminded.effects == (Remind(table.asked, END + 42 * HOUR),)
    assert f"{until}." in reminded.told[table.asked]
    warned = reminded.ticks(UNTIL_END + 41, UNTIL_END + 42)
    assert warned.effects == (Warn(table.asked, END + 54 * HOUR),)


def test_who_is_asked_next_reads_that_time_before_any_tick_has_seen_it(table: Sitting) -> None:
    rests = agreed(table.ticks(0)).goes_on()

    assert "You have until Mon 28 Dec, 00:00 UTC to answer." in rests.told[rests.asked]
    after = rests.ticks(*every_day(1, UNTIL_END + 20)).goes_on()
    assert "You have 3 days to answer." in after.told[after.asked]


def test_a_grace_period_that_has_begun_goes_on_after_the_end(table: Sitting) -> None:
    rests = agreed(table.ticks(0, 30, 48, 72, 80, terms=Terms(then="answer")))
    (question,) = rests.table.clock.questions
    assert question.stage == "warned"

    rests = rests.ticks(*every_day(81, UNTIL_END))
    assert rests.table.clock.questions == (question,)
    assert due_at(Terms(), rests.table.clock, question, rests.table.situation) == END + 4 * HOUR


def test_nothing_is_decided_though_the_time_had_been_up_and_was_held(table: Sitting) -> None:
    late = table.ticks(0, 30, 48, 72, 84)
    (question,) = late.table.clock.questions
    late = late._replace(
        table=late.table.but(clock=late.table.clock._replace(questions=(question._replace(stage="held"),)))
    )
    rests, terms = agreed(late), Terms(then="answer")
    assert (held(late.table.clock, late.table.situation), held(rests.table.clock, rests.table.situation)) == (1, 0)

    rests = rests.ticks(*every_day(85, UNTIL_END), terms=terms)

    assert (rests.effects, rests.told) == ((), {})
    assert due_at(terms, rests.table.clock, question, rests.table.situation) == END


def test_who_is_away_is_back_in_time_and_has_all_the_time_after_the_end(table: Sitting) -> None:
    rests = agreed(table.ticks(0).away(table.asked, "2026-11-25"))
    assert not rests.table.due  # an absence may end at any time

    back = rests.ticks(*every_day(1, 108), 108)

    assert back.effects == (Back(table.asked),)
    assert back.table.due == {table.asked: END + 3 * DAY}


def test_a_pause_in_it_is_a_pause(table: Sitting) -> None:
    rests = agreed(table.ticks(0))
    paused = rests.after(host.pause(rests.table, "tea")).ticks(*every_day(1, UNTIL_END + 90))
    assert (paused.effects, paused.table.due) == ((), {})

    resumed = paused.after(host.resume(paused.table))

    assert resumed.table.due == {table.asked: Terms().deadline}


def test_ticks_before_the_end_need_not_be_written_down_and_time_runs_from_there(table: Sitting) -> None:
    before, terms = table.ticks(0, 30), Terms()
    kept = settled(terms, before.table.clock, before.table.situation)
    rests = agreed(before)
    assert not is_settled(terms, kept, rests.table.situation), "the next tick must look at the game"

    spared = settled(terms, rests.table.clock, rests.table.situation)

    assert spared.due == END
    for hours in (40, 400, UNTIL_END - 1):
        every = rests.ticks(*every_day(31, hours), hours).table
        assert run_on(spared, START + hours * HOUR) == settled(terms, every.clock, every.situation)
        assert run_on(spared, START + hours * HOUR).questions[0].waited == 30 * HOUR
    after, _ = tick(terms, run_on(spared, END - HOUR), rests.table.situation, END + 5 * HOUR)
    assert after.questions[0].waited == 35 * HOUR


def test_a_day_is_that_of_the_house_and_in_words_and_one_that_is_over_is_refused(table: Sitting) -> None:
    house = Home()
    house.zone = zone_of("Europe/Berlin")
    table = table._replace(table=table.table.but(house=house)).ticks(0)

    moved = table.hears("green", "can we have more time until 24 Dec?")

    assert moved.table.motion is not None
    assert moved.table.motion.matter == Respite("2026-12-24", "+01:00")
    assert moved.table.motion.matter.end == END - HOUR
    assert "Ann asks for more time for everybody. Nobody's time would be up before" in moved.told["red"]
    assert "That day is more than a year away." in table.hears("green", "more time until 2027-12-24").told["green"]
    assert "2026-11-20 is already over" in table.hears("green", "more time until 2026-11-20").told["green"]
    assert "his is not a day that I know" in table.hears("green", "more time until Mon 24 Dec").told["green"]
    late = table.hears("green", "more time until 2026-11-22", came=START + 2 * DAY)
    assert "2026-11-22 is already over" in late.told["green"]
    assert (
        "2026-11-22 is already over"
        in moved.hears("red", "more time until 2026-11-22", came=START + 2 * DAY).told["red"]
    )


def test_what_all_have_agreed_to_too_late_is_not_done(table: Sitting) -> None:
    """The motion is over with the day, and so it is where no tick has seen that yet."""
    moved = table.ticks(0).hears("green", "more time until 2026-11-22").hears("red", "agree")
    motion = moved.table.open_motion
    assert motion is not None

    late = moved.ticks(48)
    assert late.table.open_motion is None
    assert "There is nothing that you are asked to agree to now." in late.hears("blue", "agree").told["blue"]
    assert "Your motion for more time until Sun 22 Nov 2026 is over" in late.resent().told["green"]
    with pytest.raises(Illegal, match="2026-11-22 is already over"):
        host.carry_out(late.table, motion)


# A repository


def at(hours: float) -> int:
    """Return a time so many hours after ``START``, in seconds since 1970."""
    return int((START + hours * HOUR).timestamp())


def minutes(table: Sitting, *said: tuple[float, Matter]) -> Minutes:
    """Return the minutes of a game with a clock in which that was decided, each thing so many hours after ``START``."""
    every: tuple[tuple[float, Matter], ...] = ((0, SetClock(3 * DAY, "answer")), *said)
    lines = (line_now(table.table.kept, "red", each, at(hours)) for hours, each in every)
    return reduce(Minutes.after, lines, Minutes())


MORE = Respite("2026-12-24")


@pytest.mark.parametrize(
    ("said", "now", "until"),
    [
        (((30, MORE),), 31, UNTIL_END + 42),
        (((30, MORE), (40, MORE)), 41, UNTIL_END + 42),
        (((30, MORE), (40, Respite("2026-11-29"))), 41, UNTIL_END + 42),
        (((30, MORE), (40, Pause()), (60, Resume())), 61, UNTIL_END + 42),
        (((30, MORE), (40, Pause()), (UNTIL_END + 10, Resume())), UNTIL_END + 11, UNTIL_END + 52),
        (((20, Pause()), (25, Resume()), (30, MORE)), 41, UNTIL_END + 47),
        (((30, MORE), (40, Pause())), 41, None),
        (((80, MORE),), 81, UNTIL_END),  # the time had been up
        (((80, MORE),), UNTIL_END, 72),
    ],
)
def test_no_time_of_a_repository_is_up_before_the_end(
    table: Sitting, said: tuple[tuple[float, Matter], ...], now: float, until: float | None
) -> None:
    asked, kept = table.asked, minutes(table, *said)
    meeting = Meeting(table.table.kept, kept, is_signed=False, asked_since=lambda: at(0))

    assert limit(asked, kept, at(0), at(now)) == (FOREVER if until is None else at(until))
    assert not is_time_up(asked, meeting, at(UNTIL_END) - 1)
    if until is not None:
        assert is_time_up(asked, meeting, at(max(until, UNTIL_END)))


def test_what_is_said_in_a_repository_has_the_time_of_its_line_and_days_by_utc(table: Sitting) -> None:
    setting = setting_in(Meeting(table.table.kept, Minutes(), is_signed=False, asked_since=lambda: 0), "red", at(24))

    assert (setting.now, setting.end_of("2026-12-24")) == (START + DAY, END)
    with pytest.raises(NotUnderstood, match="2026-11-21 is already over"):
        setting.end_of("2026-11-21")

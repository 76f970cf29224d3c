"""Times in words: a day more than six months from when it is written names its year."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from pbem.errors import NotUnderstood
from pbem.reading.recognisers.requests import request_of
from pbem.table.times import in_table, last_day, named_day, shown

BERLIN = ZoneInfo("Europe/Berlin")


def at(day: str, time: str = "12:00") -> datetime:
    return datetime.fromisoformat(f"{day}T{time}:00Z")


@pytest.mark.parametrize(
    ("now", "near", "far"),
    [
        ("2026-11-23", "2027-05-23", "2027-05-24"),
        ("2026-06-30", "2026-12-30", "2026-12-31"),
        ("2026-07-01", "2027-01-01", "2027-01-02"),
        ("2026-08-28", "2027-02-28", "2027-03-01"),
        ("2026-08-31", "2027-02-28", "2027-03-01"),  # as far as February goes
        ("2027-08-29", "2028-02-29", "2028-03-01"),
        ("2028-02-29", "2028-08-29", "2028-08-30"),
        ("2026-12-31", "2027-06-30", "2027-07-01"),
    ],
)
def test_a_day_of_more_than_six_months_before_or_after_names_its_year(now: str, near: str, far: str) -> None:
    for day, then in ((near, now), (now, near)):
        assert not last_day(day, UTC, at(then)).endswith(day[:4])
    for day, then in ((far, now), (now, far)):
        assert last_day(day, UTC, at(then)).endswith(f" {day[:4]}")
        assert shown(at(day), UTC, at(then)).endswith(f" {day[:4]}, 12:00 UTC")
        assert in_table(at(day), UTC, at(then)).endswith(f" {day[:4]} 12:00")


def test_a_year_stands_behind_the_month() -> None:
    assert last_day("2027-01-15", UTC, at("2026-07-14")) == "Fri 15 Jan 2027"
    assert last_day("2027-01-15T18:00:00+01:00", BERLIN, at("2026-07-14")) == "Fri 15 Jan 2027, 18:00 CET"
    assert last_day("2027-01-15", UTC, at("2026-07-15")) == "Fri 15 Jan"
    assert shown(at("2027-01-15"), BERLIN, at("2026-11-23")) == "Fri 15 Jan, 13:00 CET"
    assert shown(at("2030-01-15"), UTC, None) == "Tue 15 Jan, 12:00 UTC"


def test_the_end_of_an_absence_names_its_year_if_nobody_knows_what_day_it_is() -> None:
    assert last_day("2027-01-15", UTC) == "Fri 15 Jan 2027"
    assert last_day("2027-01-15T18:00:00+01:00", ZoneInfo("America/New_York")) == "Fri 15 Jan 2027, 12:00 EST"


def test_the_days_are_those_of_the_zone() -> None:
    late = at("2026-11-23", "23:30")  # in Berlin it is the next day

    assert shown(at("2027-05-24"), UTC, late) == "Mon 24 May 2027, 12:00 UTC"
    assert shown(at("2027-05-24"), BERLIN, late) == "Mon 24 May, 14:00 CEST"


@pytest.mark.parametrize(
    ("written", "day"),
    [
        ("absent until Fri 15 Jan 2027", "2027-01-15"),
        ("I am away until Fri 15 Jan 2027", "2027-01-15"),
        ("away until 15 January", "2027-01-15"),
        ("absent 23 Nov", "2026-11-23"),  # today
        ("absent until 22 Nov", "2027-11-22"),  # over this year
        ("absent until 29 Feb", "2028-02-29"),
        ("absent until Sun 22 Nov 2026", "2026-11-22"),  # which is over, and said so
        ("away until 2027-01-15", "2027-01-15"),
        ("absent until Nov 29", "2026-11-29"),
        ("absent until November 29th, 2027", "2027-11-29"),
        ("away until the 29th of November", "2026-11-29"),
        ("absent until Sun, Nov 29", "2026-11-29"),
        ("absent until Sunday", "2026-11-29"),
        ("away till tues", "2026-11-24"),
        ("absent Monday", "2026-11-30"),  # today is one
        ("absent till 2027-01-15", "2027-01-15"),
    ],
)
def test_a_day_is_understood_as_it_is_shown(written: str, day: str) -> None:
    word, _, said = request_of(written).partition(" ")

    assert (word, named_day(said, at("2026-11-23"), UTC)) == ("absent", day)


@pytest.mark.parametrize("said", ["31 feb", "fri 16 jan 2027", "30 feb 2027", "0 jan"])
def test_a_day_that_does_not_exist_is_not_understood(said: str) -> None:
    with pytest.raises(NotUnderstood, match="is not a day"):
        named_day(said, at("2026-11-23"), UTC)


def test_who_tells_of_an_absence_in_other_words_asks_for_nothing() -> None:
    assert request_of("away until dinner") == ""
    assert request_of("I am away until 15 Jan or so") == ""
    assert request_of("absent until maybe 5") == ""

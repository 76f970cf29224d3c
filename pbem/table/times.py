"""Times for people: with the weekday, in the club's own time zone, and in the language that is spoken.

A day more than six months from *now*, which is when the text is written as far as that is known, names its year.
"""

import re
from calendar import monthrange
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import cache
from typing import Final

from pbem.errors import NotUnderstood
from pbem.grammar import plural
from pbem.locale import phrase, tr

DAY: Final = r"[12]\d{3}-\d\d-\d\d"
_DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_WEEKDAY: Final = r"(?P<weekday>mon|tue|wed|thu|fri|sat|sun)(?:day|s|sday|nesday|rs?|rsday|urday)?"
_MONTH: Final = (
    r"(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)(?:uary|ruary|ch|il|e|y|ust|t|tember|ober|ember)?"
)
_NUMBER: Final = r"(?P<number>\d{1,2})(?:st|nd|rd|th)?"
_YEAR: Final = r"(?:,? (?P<year>\d{4}))?"
_IN_WORDS: Final = (
    rf"(?:{_WEEKDAY},? )?(?:the )?{_NUMBER}(?: of)? {_MONTH}{_YEAR}",
    rf"(?:{_WEEKDAY},? )?{_MONTH} {_NUMBER}{_YEAR}",
    _WEEKDAY,
)
_LIKE: Final = "give the last day, like 2026-12-31"
_UNITS: Final = (
    (timedelta(days=1), "{n} day", "{n} days"),
    (timedelta(hours=1), "{n} hour", "{n} hours"),
    (timedelta(minutes=1), "{n} minute", "{n} minutes"),
)


@cache
def zone_of(name: str) -> tzinfo:
    """Return the time zone with that IANA name; raises NotUnderstood.

    ``UTC`` needs no time zone database, which neither Windows nor a small container has.
    """
    if name == "UTC":
        return UTC
    from zoneinfo import ZoneInfo, available_timezones

    try:
        return ZoneInfo(name)
    except (LookupError, ValueError, OSError):
        pass
    if not available_timezones():
        hint = 'install the package tzdata with apt, apk or pip, or write timezone = "UTC"'
        raise NotUnderstood("this computer has no time zone database", path="timezone", hint=hint)
    hint = 'examples of time zones: "Europe/Berlin", "America/New_York", "UTC"'
    raise NotUnderstood(f"{name[:40]!a} is not a known time zone", path="timezone", hint=hint)


def shown(time: datetime, zone: tzinfo, now: datetime | None = None) -> str:
    """Return a time as ``Tue 24 Nov, 18:00 CET``."""
    local = time.astimezone(zone)
    message = tr("{day}, {time} {zone}", "a time")
    return message.format(day=_day(local, zone, now), time=_clock(local), zone=local.tzname())


def in_table(time: datetime, zone: tzinfo, now: datetime | None = None) -> str:
    """Return a time in at most 16 columns, ``Tue 24 Nov 18:00``, or 21 with a year, for a table that names the zone."""
    local = time.astimezone(zone)
    return tr("{day} {time}", "a time").format(day=_day(local, zone, now), time=_clock(local))


def last_day(absent: str, zone: tzinfo, now: datetime | None = None) -> str:
    """Return the end of an absence, which ``players.toml`` has as a day or as a time.

    It may be years away, so it names its year too where no tick has said what day it is *now*.
    """
    end, now = datetime.fromisoformat(absent.upper()), now or datetime.fromtimestamp(0, UTC)
    return _day(end, zone, now) if end.tzinfo is None else shown(end, zone, now)


def named_day(text: str, now: datetime | None, zone: tzinfo) -> str:
    """Return a day in words, ``Fri 15 Jan 2027``, ``Jan 15`` or ``Friday``, as ``2027-01-15``, and other text as it is.

    Without a year it is the next such day, today included, but of a weekday the next one after today. Raises
    NotUnderstood for a day that does not exist.
    """
    said = next((found.groupdict() for form in _IN_WORDS if (found := re.fullmatch(form, text, re.A | re.I))), None)
    if said is None:
        return existing_day(text) if re.fullmatch(DAY, text, re.A) else text
    today = now.astimezone(zone).date() if now is not None else date.max
    weekday = _DAYS.index(said["weekday"].title()) if said["weekday"] else None
    if "month" not in said and weekday is not None and now is not None:
        return (today + timedelta(days=(weekday - today.weekday() - 1) % 7 + 1)).isoformat()
    year = said.get("year")
    for each in (int(year),) if year else range(today.year, min(today.year + 9, date.max.year)):
        with suppress(ValueError):  # some years have no 29 February
            day = date(each, _MONTHS.index(said["month"].title()) + 1, int(said["number"]))
            if year or day >= today:
                if weekday not in (None, day.weekday()):
                    break
                return day.isoformat()
    unknown = phrase("this is not a day that I know")
    raise NotUnderstood(unknown, path="until", hint=phrase(_LIKE))


def existing_day(text: str) -> str:
    """Return a day like ``2026-12-31`` as it is; raises NotUnderstood if it does not exist, and for anything else."""
    with suppress(ValueError):
        if re.fullmatch(DAY, text, re.ASCII) and date.fromisoformat(text):
            return text
    raise NotUnderstood(phrase("{text} is not a day", text=ascii(text[:40])), path="until", hint=phrase(_LIKE))


def _day(time: datetime, zone: tzinfo, now: datetime | None) -> str:
    """Return a day as ``Mon 3 Aug``, or ``Tue 3 Aug 2027``."""
    weekday, month = tr(_DAYS[time.weekday()], "weekday"), tr(_MONTHS[time.month - 1], "month")
    day = tr("1", "first day of a month") if time.day == 1 else time.day
    if now is not None and _is_far(time.date(), now.astimezone(zone).date()):
        message = tr("{weekday} {day} {month} {year}", "a day")
        return message.format(weekday=weekday, day=day, month=month, year=time.year)
    return tr("{weekday} {day} {month}", "a day").format(weekday=weekday, day=day, month=month)


def _clock(time: datetime) -> str:
    """Return a time of day: ``18:00``."""
    return tr("{hour}:{minute}", "a time").format(hour=f"{time:%H}", minute=f"{time:%M}")


def _is_far(one: date, other: date) -> bool:
    """Return whether the later of two days comes after the same day of the sixth month after the earlier one."""
    first, last = sorted((one, other))
    year, month = divmod(first.year * 12 + first.month + 5, 12)
    limit = (year, month + 1, min(first.day, monthrange(year, month + 1)[1]))  # a shorter month ends sooner
    return (last.year, last.month, last.day) > limit


def left(span: timedelta) -> str:
    """Return how much time is left, rounded down in the largest unit of which there are at least two: ``6 hours``."""
    unit, one, other = next((each for each in _UNITS if span >= 2 * each[0]), _UNITS[-1])
    return plural(max(0, span // unit), one, other)

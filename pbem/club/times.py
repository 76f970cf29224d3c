"""Times for people: with the weekday, in the club's own time zone, and in English whatever the locale."""

from datetime import UTC, datetime, timedelta, tzinfo
from functools import cache
from typing import Final

from pbem.errors import NotUnderstood
from pbem.grammar import plural

_DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
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


def shown(time: datetime, zone: tzinfo) -> str:
    """Return a time as ``Tue 24 Nov, 18:00 CET``."""
    local = time.astimezone(zone)
    return f"{day(local)}, {local:%H:%M} {local.tzname()}"


def in_table(time: datetime, zone: tzinfo) -> str:
    """Return a time in at most 16 columns, ``Tue 24 Nov 18:00``, for a table that names the zone."""
    local = time.astimezone(zone)
    return f"{day(local)} {local:%H:%M}"


def day(time: datetime) -> str:
    """Return a day as ``Mon 3 Aug``."""
    return f"{_DAYS[time.weekday()]} {time.day} {_MONTHS[time.month - 1]}"


def last_day(absent: str, zone: tzinfo) -> str:
    """Return the end of an absence, which ``players.toml`` has as a day or as a time."""
    end = datetime.fromisoformat(absent.upper())
    return day(end) if end.tzinfo is None else shown(end, zone)


def left(span: timedelta) -> str:
    """Return how much time is left, rounded down in the largest unit of which there are at least two: ``6 hours``."""
    unit, one, other = next((each for each in _UNITS if span >= 2 * each[0]), _UNITS[-1])
    return plural(max(0, span // unit), one, other)

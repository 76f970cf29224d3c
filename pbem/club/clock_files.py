"""The files of a game's clock: the host's terms, if there are any, and what the ticks have seen."""

from contextlib import suppress
from datetime import datetime
from typing import Final

from pbem import files, formats
from pbem.club.clock import Clock, Terms, clock_data, clock_from, in_words, is_renewed, renewed, terms_from
from pbem.club.table import Table
from pbem.errors import PbemError

TICKS: Final = "ticks.toml"
TICKS_FORMAT: Final = "pbem-ticks/1"
_LIMIT: Final = 16 * 1024


def read_clock(table: Table) -> tuple[Terms, Clock]:
    """Return the host's terms and what the ticks have seen; raises NotUnderstood."""
    terms, seen = Terms(), Clock()
    if table.clock.exists():
        terms = terms_from(formats.parse(files.read_text(table.clock, _LIMIT), "toml", name=str(table.clock)))
    path = table.folder / TICKS
    if path.exists():
        seen = clock_from(formats.parse(files.read_text(path, _LIMIT), "toml", name=str(path)))
    return terms, seen


def clock_text(clock: Clock) -> bytes:
    """Return the text of ``ticks.toml``."""
    return formats.dump({"format": TICKS_FORMAT} | clock_data(clock), "toml").encode()


def last_tick(table: Table) -> datetime | None:
    """Return when the clock ticked last, None where none ticks or its files cannot be read."""
    with suppress(PbemError):
        return read_clock(table)[1].last
    return None


def fresh_clock(table: Table) -> tuple[tuple[str, bytes], ...]:
    """Return the part of a change after which the question is as one that no tick has seen."""
    return ((TICKS, clock_text(Clock(last_tick(table)))),)


def renewal(table: Table) -> tuple[tuple[str, bytes], ...]:
    """Return the part of a change by which the question has all its time, if that may be; as ``clock.is_renewed``."""
    with suppress(PbemError):
        terms, seen = read_clock(table)
        if seen.question and seen.last and is_renewed(terms, seen.question, seen.last):
            return ((TICKS, clock_text(seen._replace(question=renewed(seen.question)))),)
    return ()


def time_allowed(table: Table) -> str:
    """Return how long who is asked may think, ``3 days``; nothing where no clock ticks.

    Terms that cannot be read are the business of the next tick, and keep nobody from playing.
    """
    with suppress(PbemError):
        terms, seen = read_clock(table)
        return in_words(terms.deadline) if seen.last is not None else ""
    return ""

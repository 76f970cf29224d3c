"""The files of a game's clock: the host's terms, if any, and the state that ticks keep."""

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
    """Return the host's terms and the state of the clock; raises NotUnderstood."""
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
    """Return the time of the last tick, None if there was none or the files cannot be read."""
    with suppress(PbemError):
        return read_clock(table)[1].last
    return None


def fresh_clock(table: Table) -> tuple[tuple[str, bytes], ...]:
    """Return the part of a change that restarts the question, as if no tick had seen it."""
    return ((TICKS, clock_text(Clock(last_tick(table)))),)


def renewal(table: Table) -> tuple[tuple[str, bytes], ...]:
    """Return the part of a change that gives the question its full time again, if ``clock.is_renewed`` allows that."""
    with suppress(PbemError):
        terms, seen = read_clock(table)
        if seen.question and seen.last and is_renewed(terms, seen.question, seen.last):
            return ((TICKS, clock_text(seen._replace(question=renewed(seen.question)))),)
    return ()


def time_allowed(table: Table) -> str:
    """Return the time limit for a decision, ``3 days``; nothing if no clock is running.

    Terms that cannot be read are reported by the next tick, and do not prevent anybody from playing.
    """
    with suppress(PbemError):
        terms, seen = read_clock(table)
        return in_words(terms.deadline) if seen.last is not None else ""
    return ""

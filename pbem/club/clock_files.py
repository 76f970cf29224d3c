"""The files of a game's clock: the host's terms, if any, and the state that ticks keep."""

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, get_args

from pbem import files, formats
from pbem.ahead.intents import never
from pbem.club.folder import GameFolder
from pbem.club.many.told import club_ticks
from pbem.errors import NotUnderstood, PbemError
from pbem.grammar import in_words, listed, span
from pbem.table.clock import (
    Clock,
    MarketLook,
    Question,
    Quiet,
    Stage,
    Terms,
    Then,
    instant,
    is_renewed,
    renewed,
    time_to_look,
    timestamp,
)
from pbem.table.quiet import caught_up

UntilLooked = Callable[[int], datetime | timedelta | None]  # like ``clock.time_to_look``, in a game round

TICKS: Final = "ticks.toml"
TICKS_FORMAT: Final = "pbem-ticks/1"
_LIMIT: Final = 16 * 1024
_MOST_SECONDS: Final = 10**9


def read_clock(table: GameFolder) -> tuple[Terms, Clock]:
    """Return the host's terms and the clock as the last tick of the club has left it; raises NotUnderstood."""
    terms, kept = kept_clock(table)
    return terms, as_ticked(table, kept)


def as_ticked(table: GameFolder, kept: Clock) -> Clock:
    """Return a clock that is *kept* in the folder of a game as the last tick of the club has left it."""
    if kept.quiet is None:
        return kept
    return caught_up(kept, club_ticks(table.folder.parent.parent).reached(table.name))


def kept_clock(table: GameFolder) -> tuple[Terms, Clock]:
    """Return the host's terms and the clock as it is kept, perhaps without the last ticks; raises NotUnderstood."""
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


def last_tick(table: GameFolder) -> datetime | None:
    """Return the time of the last tick, None if there was none or the files cannot be read."""
    with suppress(PbemError):
        return read_clock(table)[1].last
    return None


def fresh_clock(table: GameFolder) -> tuple[tuple[str, bytes], ...]:
    """Return the part of a change that restarts the clock, as if no tick had seen the game."""
    return ((TICKS, clock_text(Clock(last_tick(table)))),)


def fresh_question(table: GameFolder, colour: str) -> tuple[tuple[str, bytes], ...]:
    """Return the part of a change that restarts the time of a player, as if no tick had seen the question."""
    with suppress(PbemError):
        return ((TICKS, clock_text(read_clock(table)[1].without(colour))),)
    return fresh_clock(table)


def renewal(table: GameFolder, colour: str) -> tuple[tuple[str, bytes], ...]:
    """Return the part of a change that gives a player the full time again, if ``clock.is_renewed`` allows that."""
    with suppress(PbemError):
        terms, seen = read_clock(table)
        if seen.last is not None:
            full = tuple(
                renewed(each) if each.colour == colour and is_renewed(terms, each, seen.last) else each
                for each in seen.questions
            )
            return ((TICKS, clock_text(seen._replace(questions=full))),)
    return ()


def until_looked(table: GameFolder) -> UntilLooked:
    """Return until when plans wait in the technology phase of a game round, like ``clock.time_to_look``.

    They never wait if the terms cannot be read, which the next tick reports.
    """
    with suppress(PbemError):
        return partial(time_to_look, *read_clock(table))
    return never


def time_allowed(table: GameFolder) -> str:
    """Return the time limit for a decision, ``3 days``; nothing if no clock is running.

    Terms that cannot be read are reported by the next tick, and do not prevent anybody from playing.
    """
    with suppress(PbemError):
        terms, seen = read_clock(table)
        return in_words(terms.deadline) if seen.last is not None else ""
    return ""


# As data


def terms_from(data: dict[str, Any]) -> Terms:
    """Return the terms in the data of a ``clock.toml``, with defaults for missing keys. Raises NotUnderstood."""
    strange = sorted(data.keys() - set(Terms._fields))
    if strange:
        hint = f"known keys: {', '.join(Terms._fields)}"
        raise NotUnderstood(f"unknown key {strange[0]!a:.40} in clock.toml", path="clock.toml", hint=hint)
    then, reminders = data.get("then", "tell"), data.get("reminders", [])
    if then not in get_args(Then):
        values = listed((f'"{value}"' for value in get_args(Then)), "or")
        raise NotUnderstood("invalid value for then in clock.toml", path="clock.toml", hint=f"it must be {values}")
    if not formats.is_list(reminders):
        hint = 'they must be a list like ["1 day", "2 days"]'
        raise NotUnderstood("invalid reminders in clock.toml", path="clock.toml", hint=hint)
    spans = {key: span(data[key], key) for key in data if key not in ("then", "reminders")}
    told: dict[str, Any] = {**spans, "then": then}
    terms = Terms(**told)
    if "reminders" in data:
        terms = terms._replace(reminders=tuple(sorted(span(each, "reminders") for each in reminders)))
    elif terms.deadline <= terms.reminders[-1]:
        terms = terms._replace(reminders=())
    if any(reminder >= terms.deadline for reminder in terms.reminders):
        raise NotUnderstood("a reminder must be shorter than the deadline", path="reminders")
    return terms


def clock_from(data: dict[str, Any]) -> Clock:
    """Return the clock in the data of a ``ticks.toml``, which had one question at most before; raises NotUnderstood."""
    try:
        last = instant(data["last"]) if "last" in data else None
        rows = data.get("question", [])
        questions = tuple(map(_question, [rows] if formats.is_table(rows) else rows))
        look, quiet = data.get("look"), data.get("quiet")
        seen = Clock(last, questions, None if look is None else _look_in(look))
        return seen if quiet is None else seen._replace(quiet=_quiet_in(quiet))
    except (KeyError, TypeError, AttributeError, OverflowError):
        hint = "delete the file to restart the clock"
        raise NotUnderstood("ticks.toml is damaged", path="ticks.toml", hint=hint) from None


def _question(row: dict[str, Any]) -> Question:
    since, stage = instant(row["since"]), row["stage"]
    if stage not in get_args(Stage):
        raise KeyError(stage)
    waited, reminded = _seconds(row["waited"]), _seconds(row["reminded"])
    return Question(row["turn"], row["head"], row["colour"], since, waited, reminded, stage)


def _look_in(row: dict[str, Any]) -> MarketLook:
    return MarketLook(row["round"], instant(row["since"]), _seconds(row["waited"]))


def _quiet_in(row: dict[str, Any]) -> Quiet:
    until, due = (instant(row[key]) if key in row else None for key in ("until", "due"))
    still = tuple((colour, instant(time)) for colour, time in row.get("still", {}).items())
    return Quiet(until, due, still, row.get("paused") is True, row.get("looks") is True)


def _seconds(value: int) -> timedelta:
    return timedelta(seconds=max(0, min(value, _MOST_SECONDS)))


def clock_data(clock: Clock) -> dict[str, Any]:
    """Return the data of a ``ticks.toml``: durations in seconds."""
    data: dict[str, Any] = {"last": timestamp(clock.last)} if clock.last is not None else {}
    if clock.questions:
        data["question"] = list(map(_row, clock.questions))
    data |= {"look": _row(clock.look)} if clock.look is not None else {}
    return data | ({"quiet": _quiet_row(clock.quiet)} if clock.quiet is not None else {})


def _quiet_row(quiet: Quiet) -> dict[str, Any]:
    still = {colour: timestamp(time) for colour, time in quiet.still}
    row = quiet._asdict() | {"still": still}
    return {key: _plain(each) for key, each in row.items() if each}


def _row(value: Question | MarketLook) -> dict[str, Any]:
    return {key: _plain(each) for key, each in value._asdict().items()}


def _plain(value: object) -> object:
    if isinstance(value, timedelta):
        return int(value.total_seconds())
    return timestamp(value) if isinstance(value, datetime) else value

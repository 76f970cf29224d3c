"""The files of a game's clock: the host's terms, if any, and the state that ticks keep."""

from datetime import datetime, timedelta
from typing import Any, Final, get_args

from pbem import files, formats
from pbem.club.folder import GameFolder
from pbem.club.many.told import club_ticks
from pbem.errors import NotUnderstood
from pbem.grammar import listed, span
from pbem.table.clock import (
    Clock,
    MarketLook,
    Question,
    Quiet,
    Stage,
    Terms,
    Then,
    instant,
    timestamp,
)
from pbem.table.quiet import caught_up

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

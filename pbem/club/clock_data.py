"""A game's clock in ``private.toml``: the host's terms, if any, and the state that ticks keep."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final, get_args

from pbem import formats
from pbem.club import private
from pbem.club.folder import GameFolder
from pbem.club.ticks import club_ticks
from pbem.errors import NotUnderstood
from pbem.grammar import in_words, listed, span
from pbem.table.clock import (
    Clock,
    MarketLook,
    Question,
    Stage,
    Terms,
    Then,
    instant,
    timestamp,
)
from pbem.table.due import run_on

_MOST_SECONDS: Final = 10**9


def read_clock(table: GameFolder) -> tuple[Terms, Clock]:
    """Return the host's terms and the clock as the last tick of the club has left it; raises NotUnderstood."""
    terms, kept = kept_clock(table)
    return terms, run_on(kept, club_ticks(table.folder.parent.parent).reached(table.name))


def kept_clock(table: GameFolder) -> tuple[Terms, Clock]:
    """Return the host's terms and the clock as it is kept, perhaps without the last ticks; raises NotUnderstood."""
    kept = private.sections(table.private)
    return terms_from(_section(kept, "clock")), clock_from(_section(kept, "ticks"))


def _section(kept: Mapping[str, Any], name: str) -> dict[str, Any]:
    found = kept.get(name, {})
    if not formats.is_table(found):
        raise NotUnderstood(f"[{name}] in private.toml is not a table", path=name)
    return found


def keep_clock(table: GameFolder, clock: Clock) -> None:
    """Write the clock as a tick has left it; the game is locked."""
    private.keep(table.private, {"ticks": clock_data(clock)})


# As data


def terms_from(data: dict[str, Any]) -> Terms:
    """Return the terms in the data of ``[clock]``, with defaults for missing keys. Raises NotUnderstood."""
    strange = sorted(data.keys() - set(Terms._fields))
    if strange:
        hint = f"known keys: {', '.join(Terms._fields)}"
        raise NotUnderstood(f"unknown key {strange[0]!a:.40} in [clock] of private.toml", path="clock", hint=hint)
    then, reminders = data.get("then", "tell"), data.get("reminders", [])
    if then not in get_args(Then):
        values = listed((f'"{value}"' for value in get_args(Then)), "or")
        hint = f"it must be {values}"
        raise NotUnderstood("invalid value for then in [clock] of private.toml", path="clock", hint=hint)
    if not formats.is_list(reminders):
        hint = 'they must be a list like ["1 day", "2 days"]'
        raise NotUnderstood("invalid reminders in [clock] of private.toml", path="clock", hint=hint)
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


def terms_data(terms: Terms) -> dict[str, Any]:
    """Return terms as ``[clock]`` has them; an empty text stands for no time at all."""
    spans = {key: in_words(value) if value else "" for key, value in terms._asdict().items() if _is_span(value)}
    return spans | {"reminders": [in_words(each) for each in terms.reminders], "then": terms.then}


def _is_span(value: object) -> bool:
    return isinstance(value, timedelta)


def clock_from(data: dict[str, Any]) -> Clock:
    """Return the clock in the data of ``[ticks]``; raises NotUnderstood."""
    try:
        last = instant(data["last"]) if "last" in data else None
        questions = tuple(map(_question, data.get("question", [])))
        look, due = data.get("look"), data.get("due")
        return Clock(last, questions, look and _look_in(look), due and instant(due))
    except (KeyError, TypeError, AttributeError, OverflowError):
        hint = "delete that section to restart the clock"
        raise NotUnderstood("[ticks] in private.toml is damaged", path="ticks", hint=hint) from None


def _question(row: dict[str, Any]) -> Question:
    since, stage = instant(row["since"]), row["stage"]
    if stage not in get_args(Stage):
        raise KeyError(stage)
    waited, reminded = _seconds(row["waited"]), _seconds(row["reminded"])
    stands = instant(row["stands"]) if "stands" in row else None
    return Question(row["turn"], row["head"], row["colour"], since, waited, reminded, stage, stands)


def _look_in(row: dict[str, Any]) -> MarketLook:
    return MarketLook(row["round"], instant(row["since"]), _seconds(row["waited"]), row.get("runs") is True)


def _seconds(value: int) -> timedelta:
    return timedelta(seconds=max(0, min(value, _MOST_SECONDS)))


def clock_data(clock: Clock) -> dict[str, Any]:
    """Return the data of ``[ticks]``: durations in seconds."""
    data: dict[str, Any] = {"last": timestamp(clock.last)} if clock.last is not None else {}
    if clock.questions:
        data["question"] = list(map(_row, clock.questions))
    data |= {"look": _row(clock.look)} if clock.look is not None else {}
    return data | ({"due": timestamp(clock.due)} if clock.due is not None else {})


def _row(value: Question | MarketLook) -> dict[str, Any]:
    return {key: _plain(each) for key, each in value._asdict().items() if each is not None}


def _plain(value: object) -> object:
    if isinstance(value, timedelta):
        return int(value.total_seconds())
    return timestamp(value) if isinstance(value, datetime) else value

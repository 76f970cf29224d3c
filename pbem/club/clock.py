"""The clock of a game: what is due at a time T, as a pure function of data and T.

A question is open from the first tick that sees it. Between two ticks its time
runs, but not while the game is paused, while the player is away, or if the last
tick was so long ago that the host's machine must have been down.
"""

import re
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any, Final, Literal, NamedTuple, assert_never, get_args

from pbem import formats
from pbem.errors import NotUnderstood, Stale
from pbem.grammar import listed, plural

Then = Literal["tell", "answer", "substitute", "bot"]
Stage = Literal["asked", "warned", "held", "told", "answered"]
Defaults = Literal["play", "hold", "release"]

LONGEST: Final = timedelta(days=999)
_UNITS: Final = {"minute": 60, "hour": 3600, "day": 86400}
_MOST_SECONDS: Final = 10**9
_NONE: Final = timedelta()


class Terms(NamedTuple):
    """The time limit of a player, and what happens after it.

    Counted from the first tick that sees the question: *reminders*, then
    *deadline*, when the player is warned, then *grace*. *then*: tell the host; let
    the clan decline, pass or stay; ask the substitute; or let a bot stand in. The
    game waits for an absent player no longer than *absence*. Ticks further apart than *outage* stop
    the clock.
    """

    deadline: timedelta = timedelta(days=3)
    reminders: tuple[timedelta, ...] = (timedelta(days=2),)
    grace: timedelta = timedelta(hours=12)
    then: Then = "tell"
    absence: timedelta = timedelta(days=30)
    outage: timedelta = timedelta(hours=36)


class Question(NamedTuple):
    """An open question to a player: since which tick, how long its time has run, and what was done about it.

    *reminded* is the time of the last reminder that was sent; *stage* is the last
    other thing that was done. ``held``: the time of too many questions was up at
    once, so the host was told. No time of the terms is kept, since they may change.
    """

    turn: int
    head: str
    colour: str
    since: datetime
    waited: timedelta = _NONE
    reminded: timedelta = _NONE
    stage: Stage = "asked"


class Clock(NamedTuple):
    """The state that ticks keep of a game: the time of the last one, and the open question."""

    last: datetime | None = None
    question: Question | None = None


class Situation(NamedTuple):
    """What a tick needs to know of a game; *colour* is that of the player who must decide, "" if the game is over.

    *mildest* is the order that changes least, "" if the phase has none; *away* says
    until when players are away, *substituted* has those with a substitute, and
    *for_bots* those for whom a bot can stand in. *same*
    are turn and head of the same question before somebody agreed to end the game,
    which does not restart its time.
    """

    turn: int
    head: str
    colour: str
    mildest: str = ""
    away: tuple[tuple[str, datetime], ...] = ()
    substituted: frozenset[str] = frozenset()
    for_bots: frozenset[str] = frozenset()
    paused: bool = False
    same: tuple[tuple[int, str], ...] = ()

    def is_asked(self, question: Question) -> bool:
        """Return whether that question is the one now open."""
        when = (question.turn, question.head)
        return question.colour == self.colour and when in ((self.turn, self.head), *self.same)


class Remind(NamedTuple):
    """Remind the player, who has until *due*."""

    colour: str
    due: datetime


class Warn(NamedTuple):
    """Tell the player that the time is up, but that an answer still counts until *due*."""

    colour: str
    due: datetime


class Decide(NamedTuple):
    """Play the mildest order for the clan."""

    colour: str
    order: str


class HandOver(NamedTuple):
    """Ask the player's substitute from now on, or let a bot stand in."""

    colour: str
    to_bot: bool = False


class Back(NamedTuple):
    """The player's absence is over; if it is their turn, they get the full time limit."""

    colour: str


class TellHost(NamedTuple):
    """Tell the host: ``late`` time is up, ``held`` too many at once, ``outage`` no ticks since then."""

    why: Literal["late", "held", "outage"]
    colour: str
    since: datetime


Effect = Remind | Warn | Decide | HandOver | Back | TellHost


def tick(
    terms: Terms, clock: Clock, now: Situation, at: datetime, defaults: Defaults = "play"
) -> tuple[Clock, tuple[Effect, ...]]:
    """Return the clock after a tick at the time *at*, and what is due; a second tick at that time does nothing.

    ``hold`` decides for nobody and tells the host instead; only ``release``
    decides for those who were held. Raises Stale for a time before the last tick.
    """
    if clock.last is not None and at < clock.last:
        raise Stale(
            f"the last tick was at {timestamp(clock.last)}, so {timestamp(at)} is too early",
            path="now",
            hint="if that last time was wrong, the command resume CLUB GAME restarts the clock",
        )
    effects: list[Effect] = [Back(colour) for colour, until in now.away if until <= at]
    asked = clock.question
    if not now.colour:
        return Clock(at), tuple(effects)
    if asked is None or not now.is_asked(asked):
        return Clock(at, Question(now.turn, now.head, now.colour, at)), tuple(effects)
    if Back(now.colour) in effects and is_renewed(terms, asked, at):
        return Clock(at, renewed(asked)), tuple(effects)
    if now.paused:
        return Clock(at, asked), tuple(effects)
    last = at if clock.last is None else clock.last
    if at - last > terms.outage:
        effects.append(TellHost("outage", now.colour, last))
    else:
        asked = asked._replace(waited=asked.waited + _run(terms, asked, now, last, at))
        asked, due = _due(terms, asked, now, at, defaults)
        if any(isinstance(effect, HandOver) for effect in due):  # the game has waited long enough for that player
            effects = [effect for effect in effects if effect != Back(now.colour)]
        effects += due
    return Clock(at, asked), tuple(effects)


def is_renewed(terms: Terms, asked: Question, at: datetime) -> bool:
    """Return whether a player who returns then gets the full time; being away often must not buy more time."""
    return at < asked.since + terms.absence


def renewed(asked: Question) -> Question:
    """Return the question with its full time again, but open since the same tick."""
    return asked._replace(waited=_NONE, reminded=_NONE, stage="asked")


def _run(terms: Terms, asked: Question, now: Situation, last: datetime, at: datetime) -> timedelta:
    """Return how long the question's time has run since the last tick."""
    until = dict(now.away).get(asked.colour)
    if until is not None and asked.colour not in now.substituted:
        last = max(last, min(until, asked.since + terms.absence))
    return max(_NONE, at - last)


def _due(
    terms: Terms, asked: Question, now: Situation, at: datetime, defaults: Defaults
) -> tuple[Question, tuple[Effect, ...]]:
    """Return the question as it is afterwards, and what is due now, at most one thing; nobody unwarned is decided for.

    What was done under other terms is not undone; but if the new ones give more time, it is done again.
    """
    if asked.waited < terms.deadline:
        passed = max((time for time in terms.reminders if time <= asked.waited), default=_NONE)
        due = passed > asked.reminded
        asked = asked._replace(reminded=max(passed, asked.reminded), stage="asked")
        return asked, (Remind(asked.colour, at + terms.deadline - asked.waited),) if due else ()
    if asked.stage == "asked":
        # The full grace period begins now, however late the tick is.
        return asked._replace(waited=terms.deadline, stage="warned"), (Warn(asked.colour, at + terms.grace),)
    if asked.waited < terms.deadline + terms.grace:
        return asked._replace(stage="warned"), ()
    return _at_the_end(asked, _last_resort(terms, asked, now, at), defaults)


def _at_the_end(
    asked: Question, due: Decide | HandOver | TellHost, defaults: Defaults
) -> tuple[Question, tuple[Effect, ...]]:
    """Return the question after the grace period, and what of *due* is done; the host is told once."""
    match due:
        case TellHost():
            return asked._replace(stage="told"), () if asked.stage == "told" else (due,)
        case _ if asked.stage == "answered":
            return asked, ()
        case _ if defaults == "hold" or (defaults == "play" and asked.stage == "held"):
            told = () if asked.stage == "held" else (TellHost("held", asked.colour, asked.since),)
            return asked._replace(stage="held"), told
        case Decide():
            return asked._replace(stage="answered"), (due,)
        case HandOver():  # the substitute gets the full time limit
            return renewed(asked), (due,)
        case _ as unreachable:
            assert_never(unreachable)


def _last_resort(terms: Terms, asked: Question, now: Situation, at: datetime) -> Decide | HandOver | TellHost:
    """Return what happens after the grace period."""
    if terms.then == "answer" and now.mildest:
        return Decide(asked.colour, now.mildest)
    if terms.then == "bot" and asked.colour in now.for_bots:
        return HandOver(asked.colour, to_bot=True)
    away = dict(now.away).get(asked.colour, at) > at
    if terms.then == "substitute" and asked.colour in now.substituted and not away:
        return HandOver(asked.colour)
    return TellHost("late", asked.colour, asked.since)


def due_at(terms: Terms, clock: Clock) -> datetime | None:
    """Return when the time is up if it keeps running, including the grace period once that has begun."""
    if clock.question is None or clock.last is None:
        return None
    warned = clock.question.stage != "asked"
    return clock.last + terms.deadline + (terms.grace if warned else _NONE) - clock.question.waited


# Words and data

_TIME_HINT: Final = "give date, time and UTC offset, like 2026-11-21T18:30:00Z or 2026-11-21T19:30:00+01:00"
_DAY_HINT: Final = "give the last day, like 2026-12-31"


def instant(text: str, hint: str = _TIME_HINT) -> datetime:
    """Return the time that RFC 3339 text names, in UTC and whole seconds; raises NotUnderstood."""
    try:
        if not re.fullmatch(r"[12]\d{3}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?([Zz]|[+-]\d\d:\d\d)", text, re.A):
            raise ValueError
        return datetime.fromisoformat(text.upper()).astimezone(UTC).replace(microsecond=0)
    except (ValueError, OverflowError):
        raise NotUnderstood(f"{text[:40]!a} is not a valid time", path="now", hint=hint) from None


def away_until(text: str, now: datetime | None = None, zone: tzinfo = UTC) -> datetime:
    """Return the end of an absence given as a day, which is included in the *zone*, or as a time.

    Raises NotUnderstood for anything else, and for an end before *now*, if that is known.
    """
    is_day = re.fullmatch(r"[12]\d{3}-\d\d-\d\d", text, re.A)
    end = instant(f"{text}T00:00:00Z" if is_day else text, _DAY_HINT)
    if is_day:
        end = (end.replace(tzinfo=zone) + timedelta(days=1)).astimezone(UTC)  # by its clocks: a day may have 23 hours
    if now is not None and end <= now:
        raise NotUnderstood(f"{text} is already over", path="until", hint=_DAY_HINT)
    return end


def timestamp(time: datetime) -> str:
    """Return a time as it is stored: ``2026-11-21T18:30:00Z``."""
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def span(text: object, key: str) -> timedelta:
    """Return a duration like ``3 days``, ``12 hours`` or ``90 minutes``; raises NotUnderstood."""
    match = re.fullmatch(r"([0-9]{1,6}) ?(minute|hour|day)s?", text if isinstance(text, str) else "")
    value = timedelta(seconds=int(match[1]) * _UNITS[match[2]]) if match else _NONE
    if not _NONE < value <= LONGEST:
        hint = 'write it like "3 days", "12 hours" or "90 minutes", and not longer than 999 days'
        raise NotUnderstood(f"{key} is not a valid duration", path=key, hint=hint)
    return value


def in_words(value: timedelta) -> str:
    """Return a duration in the largest unit that divides it, without seconds: ``3 days``, ``36 hours``."""
    seconds = int(value.total_seconds())
    if seconds >= _UNITS["day"] and not seconds % _UNITS["day"]:
        return plural(seconds // _UNITS["day"], "{n} day", "{n} days")
    if seconds >= _UNITS["hour"] and not seconds % _UNITS["hour"]:
        return plural(seconds // _UNITS["hour"], "{n} hour", "{n} hours")
    return plural(seconds // _UNITS["minute"], "{n} minute", "{n} minutes")


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
    """Return the clock in the data of a ``ticks.toml``; raises NotUnderstood."""
    try:
        last = instant(data["last"]) if "last" in data else None
        asked = data.get("question")
        if asked is None:
            return Clock(last)
        waited, reminded = (timedelta(seconds=max(0, min(asked[key], _MOST_SECONDS))) for key in ("waited", "reminded"))
        since, stage = instant(asked["since"]), asked["stage"]
        if stage not in get_args(Stage):
            raise KeyError(stage)
        return Clock(last, Question(asked["turn"], asked["head"], asked["colour"], since, waited, reminded, stage))
    except (KeyError, TypeError, OverflowError):
        hint = "delete the file to restart the clock"
        raise NotUnderstood("ticks.toml is damaged", path="ticks.toml", hint=hint) from None


def clock_data(clock: Clock) -> dict[str, Any]:
    """Return the data of a ``ticks.toml``: durations in seconds."""
    data: dict[str, Any] = {"last": timestamp(clock.last)} if clock.last is not None else {}
    if clock.question is not None:
        asked = clock.question
        seconds = {key: int(getattr(asked, key).total_seconds()) for key in ("waited", "reminded")}
        data["question"] = asked._asdict() | seconds | {"since": timestamp(asked.since)}
    return data

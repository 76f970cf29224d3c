"""The clock of a game: what is due at a time T, as a pure function of data and T.

Several players may be asked at once, each with a question of their own. It is open
from the first tick that sees it. Between two ticks its time runs, but not while the
game is paused, while the player is away, or if the last tick was so long ago that the
host's machine must have been down.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final, Literal, NamedTuple, assert_never

from pbem.errors import NotUnderstood, Stale
from pbem.locale import phrase

Then = Literal["tell", "answer", "substitute", "bot"]
Stage = Literal["asked", "warned", "held", "told", "answered"]
Defaults = Literal["play", "hold", "release"]
Until = Callable[[int], datetime | timedelta | None]  # like ``time_to_look``, in a game round

_NONE: Final = timedelta()
LAST: Final = datetime(2999, 12, 31, tzinfo=UTC)  # the latest time that a file can have; later is never


class Terms(NamedTuple):
    """The time limit of a player, and what happens after it.

    Counted from the first tick that sees the question: *reminders*, then *deadline*, when the player is warned, then
    *grace*. *then*: tell the host; let the clan decline, pass or stay; ask the substitute; or let a bot stand in. The
    game waits for an absent player no longer than *absence*. Ticks further apart than *outage* stop the clock. When the
    market was renewed, plans wait for the time *look*.
    """

    deadline: timedelta = timedelta(days=3)
    reminders: tuple[timedelta, ...] = (timedelta(days=2),)
    grace: timedelta = timedelta(hours=12)
    then: Then = "tell"
    absence: timedelta = timedelta(days=30)
    outage: timedelta = timedelta(hours=36)
    look: timedelta = _NONE


class Question(NamedTuple):
    """An open question to a player: since which tick, how long its time has run, and what was done about it.

    *reminded* is the time of the last reminder that was sent; *stage* is the last other thing that was done. ``held``:
    the time of too many questions was up at once, so the host was told. If nothing happens, time *stands* until then.
    Terms may change, but how long the time runs until somebody else decides is at least what a warning has *told*.
    """

    turn: int
    head: str
    colour: str
    since: datetime
    waited: timedelta = _NONE
    reminded: timedelta = _NONE
    stage: Stage = "asked"
    stands: datetime | None = None
    told: timedelta = _NONE

    def end(self, terms: Terms) -> timedelta:
        """Return how long its time runs until the grace period is over, which may not have begun."""
        return max(terms.deadline + terms.grace, self.told)


class MarketLook(NamedTuple):
    """The time for looking at the market of a game round: since which tick, how long it ran, and whether it runs."""

    round: int
    since: datetime
    waited: timedelta = _NONE
    runs: bool = False


class Clock(NamedTuple):
    """The state that ticks keep of a game: the time of the last one, the open questions, and the last *look*.

    Ticks before something is *due* only let time run, so they need not be written into the folder of the game.
    """

    last: datetime | None = None
    questions: tuple[Question, ...] = ()
    look: MarketLook | None = None
    due: datetime | None = None

    def question_of(self, asked: "Awaited") -> Question | None:
        """Return the open question of a player who is asked, None if no tick has seen it."""
        return next((each for each in self.questions if asked.is_asked(each)), None)

    def without(self, colour: str) -> "Clock":
        """Return the clock as if no tick had seen what that player is asked."""
        return self._replace(questions=tuple(each for each in self.questions if each.colour != colour))


class Awaited(NamedTuple):
    """A player who is asked and has not answered, with turn and head when the question was opened.

    *mildest* is the order that changes least, "" if the phase has none. *same* are turn and head of the same
    question later or, before somebody agreed to end the game, earlier: that does not restart its time.
    """

    turn: int
    head: str
    colour: str
    mildest: str = ""
    same: tuple[tuple[int, str], ...] = ()

    def is_asked(self, question: Question) -> bool:
        """Return whether that question is the one now open."""
        when = (question.turn, question.head)
        return question.colour == self.colour and when in ((self.turn, self.head), *self.same)

    def question(self, at: datetime) -> Question:
        """Return the question that a tick opens at a time."""
        return Question(self.turn, self.head, self.colour, at)


class Situation(NamedTuple):
    """What a tick needs to know of a game: the players who are *awaited*, none if it is over.

    *away* says until when players are away, *substituted* has those with a substitute, and *for_bots* those for whom a
    bot can stand in. *market* is the game round whose technology phase runs with a renewed market, or 0. The game is
    *ready* if the next answer has been said ahead, so that it can go on unless plans wait. While it goes on, nobody's
    time runs until the end of a *respite*.
    """

    awaited: tuple[Awaited, ...] = ()
    away: tuple[tuple[str, datetime], ...] = ()
    substituted: frozenset[str] = frozenset()
    for_bots: frozenset[str] = frozenset()
    paused: bool = False
    market: int = 0
    ready: bool = False
    respite: datetime | None = None

    def rests_until(self, at: datetime) -> datetime | None:
        """Return until when nobody's time runs after a time: in a pause or a respite; None without one."""
        until = LAST if self.paused else self.respite
        return until if until is not None and until > at else None

    def waits_for(self, colour: str) -> datetime | None:
        """Return until when a player is away for whom nobody stands in, None if somebody can answer."""
        return None if colour in self.substituted else dict(self.away).get(colour)


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


class GoOn(NamedTuple):
    """Play what has been said ahead: nothing has to wait any more."""


Effect = Remind | Warn | Decide | HandOver | Back | TellHost | GoOn


def tick(
    terms: Terms, clock: Clock, now: Situation, at: datetime, defaults: Defaults = "play"
) -> tuple[Clock, tuple[Effect, ...]]:
    """Return the clock after a tick at the time *at*, and what is due; a second tick at that time does nothing.

    ``hold`` decides for nobody and tells the host instead; only ``release`` decides for those who were held. Raises
    Stale for a time before the last tick.
    """
    if clock.last is not None and at < clock.last:
        raise Stale(
            f"the last tick was at {timestamp(clock.last)}, so {timestamp(at)} is too early",
            path="now",
            hint="if that last time was wrong, the command resume CLUB GAME restarts the clock",
        )
    effects: list[Effect] = [Back(colour) for colour, until in now.away if until <= at]
    questions: list[Question] = []
    for asked in now.awaited:
        question, due = _ticked(terms, clock, asked, now, at, defaults)
        questions.append(question)
        if any(isinstance(effect, HandOver) for effect in due):  # the game has waited long enough for that player
            effects = [effect for effect in effects if effect != Back(asked.colour)]
        if HandOver(asked.colour, to_bot=True) in due:  # no bots play on alone
            people = now.for_bots - {asked.colour}
            now = now._replace(for_bots=people if len(people) > 1 else frozenset())
        effects += due
    look = _look(terms, clock, now, at)
    after = clock._replace(last=at, questions=tuple(questions), look=look, due=None)
    if now.ready and not now.paused and time_to_look(terms, after, now.market) is None:
        effects.append(GoOn())
    return after, tuple(effects)


def _ticked(
    terms: Terms, clock: Clock, asked: Awaited, now: Situation, at: datetime, defaults: Defaults
) -> tuple[Question, tuple[Effect, ...]]:
    """Return the question of one player after a tick, and what is due."""
    question, until = clock.question_of(asked), dict(now.away).get(asked.colour)
    if question is None:
        return asked.question(at), ()
    if until is not None and until <= at and is_renewed(terms, question, at):
        return renewed(question), ()
    if now.rests_until(at) is not None:
        return question, ()
    last = at if clock.last is None else clock.last
    stood_still = at - last > terms.outage  # that time does not count, but what had been due before it still is
    if not stood_still:
        runs_from = stands_until(terms, question, now, last) or last
        question = question._replace(waited=question.waited + max(_NONE, at - runs_from))
    question, due = _due(terms, question, now, _last_resort(terms, asked, question, now, at), at, defaults)
    return question, (TellHost("outage", asked.colour, last), *due) if stood_still else due


def _look(terms: Terms, clock: Clock, now: Situation, at: datetime) -> MarketLook | None:
    """Return how long the players have had for the market, counted from the first tick that sees it."""
    if not terms.look or not now.market:
        return clock.look
    if clock.look is None or clock.last is None or clock.look.round != now.market:
        return MarketLook(now.market, at)
    passed = at - clock.last
    runs = not now.paused and passed <= terms.outage
    return clock.look._replace(waited=clock.look.waited + passed) if runs else clock.look


def time_to_look(terms: Terms, clock: Clock, market: int) -> datetime | timedelta | None:
    """Return until when plans wait in the technology phase of that game round, None if they do not.

    It is a time if the clock keeps running, and a duration if no tick has seen the market yet.
    """
    if not terms.look or not market:
        return None
    if clock.look is None or clock.last is None or clock.look.round != market:
        return terms.look
    return clock.last + terms.look - clock.look.waited if clock.look.waited < terms.look else None


def is_renewed(terms: Terms, asked: Question, at: datetime) -> bool:
    """Return whether a player who returns then gets the full time; being away often must not buy more time."""
    return at < asked.since + terms.absence


def renewed(asked: Question) -> Question:
    """Return the question with its full time again, but open since the same tick."""
    return asked._replace(waited=_NONE, reminded=_NONE, stage="asked", told=_NONE)


def stands_until(terms: Terms, asked: Question, now: Situation, at: datetime) -> datetime | None:
    """Return until when time stands still for a question after a time, at most ``LAST``; None if it runs then.

    It stands for everybody while the game is paused or has a respite, and for a player who is away without a
    substitute, but no longer than the terms say. All else that asks how time runs asks this.
    """
    away = now.waits_for(asked.colour)
    back = None if away is None else min(away, asked.since + terms.absence)
    until = max(filter(None, (now.rests_until(at), back)), default=at)
    return min(until, LAST) if until > at else None


def time_up(terms: Terms, asked: Question, now: Situation, at: datetime) -> datetime:
    """Return when the time of a question is up by all that is known at a time, with a grace period that has begun."""
    left = (asked.end(terms) if asked.stage != "asked" else terms.deadline) - asked.waited
    until = stands_until(terms, asked, now, at)
    return at + left if until is None else until + max(_NONE, left)


def due_at(terms: Terms, clock: Clock, asked: Question, now: Situation) -> datetime | None:
    """Return when the time of a question is up, None if nobody knows that: without a tick, a pause or an absence."""
    if clock.last is None or now.paused:
        return None
    is_away = now.waits_for(asked.colour) is not None and stands_until(terms, asked, now, clock.last) is not None
    return None if is_away else time_up(terms, asked, now, clock.last)


def _due(
    terms: Terms,
    asked: Question,
    now: Situation,
    end: Decide | HandOver | TellHost,
    at: datetime,
    defaults: Defaults,
) -> tuple[Question, tuple[Effect, ...]]:
    """Return the question as it is afterwards, and what is due now, at most one thing; nobody unwarned is decided for.

    *end* is what happens after the grace period. What was done under other terms is not undone; but if the new ones
    give more time, it is done again.
    """
    if asked.waited < terms.deadline:
        passed = max((time for time in terms.reminders if time <= asked.waited), default=_NONE)
        due = passed > asked.reminded
        asked = asked._replace(reminded=max(passed, asked.reminded), stage="asked", told=_NONE)
        return asked, (Remind(asked.colour, time_up(terms, asked, now, at)),) if due else ()
    if asked.stage == "asked":
        # The full grace period begins now, however late the tick is.
        asked = asked._replace(waited=terms.deadline, stage="warned", told=terms.deadline + terms.grace)
        return asked, (Warn(asked.colour, time_up(terms, asked, now, at)),)
    if asked.waited < asked.end(terms):
        return asked._replace(stage="warned"), ()
    return _at_the_end(asked, end, defaults)


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


def _last_resort(
    terms: Terms, asked: Awaited, question: Question, now: Situation, at: datetime
) -> Decide | HandOver | TellHost:
    """Return what happens after the grace period."""
    if terms.then == "answer" and asked.mildest:
        return Decide(asked.colour, asked.mildest)
    if terms.then == "bot" and asked.colour in now.for_bots:
        return HandOver(asked.colour, to_bot=True)
    away = dict(now.away).get(asked.colour, at) > at
    if terms.then == "substitute" and asked.colour in now.substituted and not away:
        return HandOver(asked.colour)
    return TellHost("late", asked.colour, question.since)


_TIME_HINT: Final = "give date, time and UTC offset, like 2026-11-21T18:30:00Z or 2026-11-21T19:30:00+01:00"
_DAY_HINT: Final = "give the last day, like 2026-12-31"


def instant(text: str, hint: str = _TIME_HINT, said: str = "") -> datetime:
    """Return the time of RFC 3339 text, in UTC and whole seconds; raises NotUnderstood, about *said* if it is given."""
    try:
        if not re.fullmatch(r"[12]\d{3}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?([Zz]|[+-]\d\d:\d\d)", text, re.A):
            raise ValueError
        return datetime.fromisoformat(text.upper()).astimezone(UTC).replace(microsecond=0)
    except (ValueError, OverflowError):
        wrong = phrase("{text} is not a valid time", text=ascii((said or text)[:40]))
        raise NotUnderstood(wrong, path="now", hint=hint) from None


def away_until(text: str, now: datetime | None = None, zone: tzinfo = UTC) -> datetime:
    """Return the end of an absence given as a day, which is included in the *zone*, or as a time.

    Raises NotUnderstood for anything else, and for an end before *now*, if that is known.
    """
    is_day = re.fullmatch(r"[12]\d{3}-\d\d-\d\d", text, re.A)
    end = instant(f"{text}T00:00:00Z" if is_day else text, phrase(_DAY_HINT), text)
    if is_day:
        end = (end.replace(tzinfo=zone) + timedelta(days=1)).astimezone(UTC)  # by its clocks: a day may have 23 hours
    if now is not None and end <= now:
        raise NotUnderstood(phrase("{day} is already over", day=text), path="until", hint=phrase(_DAY_HINT))
    return end


def timestamp(time: datetime) -> str:
    """Return a time as it is stored: ``2026-11-21T18:30:00Z``."""
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

"""When something is due in a game, and how time runs in it until then: ticks before that need not be written down.

Such a tick only lets time run. So many of them are the same as a single one, and it is enough that the club knows when
the last one was.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from pbem.table.clock import LAST, Clock, Question, Situation, Terms, due_at, stands_until, tick, time_to_look

_NONE: Final = timedelta()


def settled(terms: Terms, clock: Clock, now: Situation) -> Clock:
    """Return a clock that has just ticked with what follows if nothing happens in its game: how time runs, what is due.

    What is due at the time of the tick itself may be done by any later one.
    """
    at = clock.last
    assert at is not None
    due = min((time for time in _times(terms, clock, now, at) if time <= LAST), default=None)
    questions = tuple([each._replace(stands=stands_until(terms, each, now, at)) for each in clock.questions])
    look = clock.look and clock.look._replace(runs=bool(terms.look and now.market and not now.paused))
    return clock._replace(questions=questions, look=look, due=due)


def is_settled(terms: Terms, clock: Clock, now: Situation) -> bool:
    """Return whether ticks do nothing in that situation until something is due."""
    if clock.last is None:
        return False
    after, effects = tick(terms, clock, now, clock.last)
    return not effects and settled(terms, after, now) == clock


def run_on(clock: Clock, to: datetime | None) -> Clock:
    """Return a clock whose game nothing has happened in, after ticks of its club of which the last was at a time *to*.

    After something was due, ticks are written into the game: if they are not, it was not there, and nobody knows since
    when. So its clock is as it was.
    """
    since, due = clock.last, clock.due
    if since is None or to is None or to <= since or (due is not None and due < to):
        return clock
    questions = tuple([_run_on(each, since, to) for each in clock.questions])
    look = clock.look
    if look is not None and look.runs:
        look = look._replace(waited=look.waited + (to - since))
    return clock._replace(last=to, questions=questions, look=look)


def _run_on(asked: Question, since: datetime, to: datetime) -> Question:
    stands = asked.stands
    if stands is None:
        return asked._replace(waited=asked.waited + (to - since))
    if stands >= to:
        return asked if stands > to else asked._replace(stands=None)
    return asked._replace(waited=asked.waited + (to - stands), stands=None)


def runs(clock: Clock) -> bool:
    """Return whether time runs for anybody, or will, so that an outage matters."""
    return any(each.stands != LAST for each in clock.questions) or (clock.look is not None and clock.look.runs)


def time_to_answer(terms: Terms, clock: Clock, now: Situation) -> dict[str, datetime | timedelta]:
    """Return until when those who are asked have to answer, by colour, without those whose time is over or unknown.

    It is a duration if their time has not begun to run and runs from the next tick on, like ``time_to_look``.
    """
    found: dict[str, datetime | timedelta] = {}
    for asked in now.awaited if clock.last is not None else ():
        assert clock.last is not None
        question = clock.question_of(asked) or asked.question(clock.last)
        until = due_at(terms, clock, question, now)
        if until is not None and until > clock.last:
            has_begun = question.waited or stands_until(terms, question, now, clock.last)
            found[asked.colour] = until if has_begun else terms.deadline
    return found


def held(clock: Clock, now: Situation) -> int:
    """Return of how many the time is up but *held*, who would be decided for next: nobody while all time stands."""
    rests = clock.last is not None and now.rests_until(clock.last) is not None
    return 0 if rests else sum(each.stage == "held" for each in clock.questions)


def _times(terms: Terms, clock: Clock, now: Situation, at: datetime) -> Iterator[datetime]:
    """Yield the times from which on a tick may do something, *at* if the next one may in any case."""
    for _, back in now.away:
        yield back
    if now.paused:
        return
    rests = now.rests_until(at)
    if rests is not None:
        yield rests
    look = time_to_look(terms, clock, now.market)
    if isinstance(look, datetime):
        yield look
    elif look is not None or now.ready:
        yield at
    for question in clock.questions:
        left = _left(terms, question)
        if left is not None:
            yield (stands_until(terms, question, now, at) or at) + left if left or rests else at


def _left(terms: Terms, asked: Question) -> timedelta | None:
    """Return how much longer the time of a question has to run before something is due; None if nothing more is."""
    expected = {"asked"} if asked.waited < terms.deadline else {"warned"}
    if asked.waited >= asked.end(terms):
        expected = {"held", "told", "answered"}
    if asked.stage not in expected:  # the terms have changed
        return _NONE
    if asked.waited < terms.deadline:
        passed = min((terms.deadline, *(time for time in terms.reminders if time > asked.reminded)))
        return max(_NONE, passed - asked.waited)
    rest = asked.end(terms) - asked.waited
    return rest if rest > _NONE else None

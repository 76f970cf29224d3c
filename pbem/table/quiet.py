"""Games in which nothing is due: for how long, and their clocks after ticks that were not written down there.

A tick in such a game only lets time run. So many of them are the same as a single one, and it is enough that the club
knows when the last one was.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

from pbem.sha import sha256
from pbem.table.clock import Clock, Question, Quiet, Situation, Terms, time_to_look

_NONE: Final = timedelta()
_SHARES: Final = 1024
_LAST: Final = datetime(2999, 12, 31, tzinfo=UTC)  # the latest time that a file can have; later is never


def settled(terms: Terms, clock: Clock, now: Situation, game: str) -> Clock:
    """Return a clock that has just ticked, and for how long the game is quiet if nothing happens in it."""
    at = clock.last
    assert at is not None
    due = min((time for time in _times(terms, clock, now, at) if time <= _LAST), default=None)
    if due is not None and due <= at:
        return clock._replace(quiet=None)
    looks = bool(terms.look and now.market and not now.paused)
    quiet = Quiet(None, due, _still(terms, clock, now, at), now.paused, looks)
    return clock._replace(quiet=quiet._replace(until=_until(terms, clock, quiet, game)))


def _until(terms: Terms, clock: Clock, quiet: Quiet, game: str) -> datetime | None:
    """Return until when a game stays quiet from its last tick on.

    If time runs in it, that is at most *outage*: should the game not be there for a while, no more than that is taken
    for time that has run. The games of a club differ in it, so that not all of them are written at the same tick.
    """
    if clock.last is None or not runs(clock, quiet):
        return quiet.due
    share = _SHARES // 2 + int(sha256(game.encode()).hexdigest()[:8], 16) % (_SHARES // 2)
    most = min(_LAST, clock.last + timedelta(seconds=int(terms.outage.total_seconds()) * share // _SHARES))
    return most if quiet.due is None else min(most, quiet.due)


def runs(clock: Clock, quiet: Quiet) -> bool:
    """Return whether time runs for anybody, so that an outage matters."""
    return quiet.looks or (bool(clock.questions) and not quiet.paused)


def caught_up(clock: Clock, last: datetime | None) -> Clock:
    """Return a clock as ticks of the club have left it, the last of them at *last*, if any; it has no quiet any more.

    Once its quiet time is over, ticks are written into its folder: if they are not, it was not there, and nobody knows
    since when.
    """
    quiet, since = clock.quiet, clock.last
    if quiet is None or since is None or last is None:
        return clock._replace(quiet=None)
    is_reached = since < last and (quiet.until is None or last <= quiet.until)
    return _moved_on(clock, quiet, last) if is_reached else clock._replace(quiet=None)


def run_on(terms: Terms, clock: Clock, at: datetime, game: str) -> Clock | None:
    """Return a clock after a tick at which it is still quiet, as ``settled`` would; None if something may be due."""
    quiet, last = clock.quiet, clock.last
    if quiet is None or last is None or at <= last or (quiet.due is not None and quiet.due <= at):
        return None
    after, quiet = _moved_on(clock, quiet, at), _from(quiet, at)
    return after._replace(quiet=quiet._replace(until=_until(terms, after, quiet, game)))


def _from(quiet: Quiet, at: datetime) -> Quiet:
    """Return the quiet as it is from a tick on, whatever its end."""
    return quiet._replace(until=None, still=tuple(each for each in quiet.still if each[1] > at))


def _moved_on(clock: Clock, quiet: Quiet, to: datetime) -> Clock:
    """Return a clock after a tick at which nothing is due."""
    since, questions, look = clock.last, clock.questions, clock.look
    assert since is not None
    still = dict(quiet.still)
    if not quiet.paused:
        ran = ((each, max(_NONE, to - max(since, still.get(each.colour, since)))) for each in questions)
        questions = tuple([each._replace(waited=each.waited + time) for each, time in ran])
    if quiet.looks and look is not None:
        look = look._replace(waited=look.waited + (to - since))
    return Clock(to, questions, look)


def says_the_same(kept: Clock, after: Clock) -> bool:
    """Return whether a clock as it is kept need not be written again, since a tick *after* it was as it expects."""
    before, now, at = kept.quiet, after.quiet, after.last
    if before is None or now is None or at is None or (before.until is not None and before.until <= at):
        return False
    return _from(before, at) == _from(now, at) and caught_up(kept, at) == after._replace(quiet=None)


# When


def _times(terms: Terms, clock: Clock, now: Situation, at: datetime) -> Iterator[datetime]:
    """Yield the times from which on a tick may do something, *at* if the next one may in any case."""
    for _, back in now.away:
        yield back
    if now.paused:
        return
    look = time_to_look(terms, clock, now.market)
    if isinstance(look, datetime):
        yield look
    elif look is not None or now.ready:
        yield at
    still = dict(_still(terms, clock, now, at))
    for question in clock.questions:
        left = _left(terms, question)
        if left is not None:
            yield max(at, still.get(question.colour, at)) + left if left else at


def _left(terms: Terms, asked: Question) -> timedelta | None:
    """Return how much longer the time of a question has to run before something is due; None if nothing more is."""
    expected = {"asked"} if asked.waited < terms.deadline else {"warned"}
    if asked.waited >= terms.deadline + terms.grace:
        expected = {"held", "told", "answered"}
    if asked.stage not in expected:  # the terms have changed
        return _NONE
    if asked.waited < terms.deadline:
        passed = min((terms.deadline, *(time for time in terms.reminders if time > asked.reminded)))
        return max(_NONE, passed - asked.waited)
    rest = terms.deadline + terms.grace - asked.waited
    return rest if rest > _NONE else None


def _still(terms: Terms, clock: Clock, now: Situation, at: datetime) -> tuple[tuple[str, datetime], ...]:
    """Return until when time does not run for those who are asked, are away and have no substitute."""
    away = dict(now.away)
    found = (
        (each.colour, min(away[each.colour], each.since + terms.absence, _LAST))
        for each in clock.questions
        if each.colour in away and each.colour not in now.substituted
    )
    return tuple((colour, back) for colour, back in found if back > at)

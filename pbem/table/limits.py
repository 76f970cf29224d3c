"""Until when players have time, by the minutes of their game and the times of its commits.

The time of a player who is away does not run, unless a substitute plays, but nobody waits longer than a month for one
question; and none runs while the game is paused or has a respite. Whoever begins to answer for a seat, the substitute
or the player who is back, has the full time, but not after that month: being away often must not buy more time.
"""

from datetime import timedelta
from typing import Final

from pbem.first_sparks.notation import mildest
from pbem.first_sparks.record import Record
from pbem.table.clock import Terms
from pbem.table.lines import HOST
from pbem.table.matters.kinds import Answer, Exclude
from pbem.table.matters.standing import FOREVER
from pbem.table.minutes import Meeting, Minutes, Motion

_SILENT: Final = timedelta(days=7)  # how long a player must at least be silent to lose the seat
_LONGEST: Final = Terms().absence  # that a game waits for somebody who is away, as in a club


def limit(whom: str, minutes: Minutes, since: int, now: int) -> int:
    """Return when the time of a player is up who is asked *since* then, in seconds since 1970, as it is known *now*.

    The clock began when it was set. While the game is paused, it is never up.
    """
    return _up(whom, minutes, since, max(since, minutes.standing.clock_set), minutes.standing.time, now)


def waits_until(motion: Motion, minutes: Minutes) -> int | None:
    """Return until when the others must wait for the player concerned, in seconds since 1970; None if for nobody."""
    whom, since = motion.whom, motion.line.time
    if whom in ("", motion.line.by) or motion.line.by == HOST:
        return None
    return _up(whom, minutes, since, since, silence(minutes), since)


def silence(minutes: Minutes) -> timedelta:
    """Return how long a player must be silent to lose the seat: a week, or longer if the clock gives more time."""
    return max(minutes.standing.time, _SILENT)


def _up(whom: str, minutes: Minutes, since: int, start: int, time: timedelta, now: int) -> int:
    """Return when a *time* that began at *start* is over for a player for whom the others wait *since* then."""
    latest = since + int(_LONGEST.total_seconds())
    for absence in minutes.standing.absences:
        if absence.whom != whom:
            continue
        is_replaced = bool(absence.said.substitute)
        changes = (absence.begins, absence.ends) if is_replaced else (min(absence.ends, latest),)
        known = (each for each in changes if since < each <= latest and (each <= now or not is_replaced))
        start = max((start, *known)) if absence.begins < latest else start
    end = start + int(time.total_seconds())
    respites = minutes.standing.respites
    for begins, ends in sorted((*minutes.standing.pauses, *respites)):
        if begins < end and ends > start:
            end = FOREVER if ends == FOREVER else end + ends - max(begins, start)
            start = ends
    return max((end, *(ends for begins, ends in respites if begins <= now < ends)))


def is_time_up(whom: str, meeting: Meeting, now: int) -> bool:
    """Return whether a player is asked, and has not answered in the time that the clock gives."""
    minutes, is_asked = meeting.minutes, meeting.record.asked == whom
    return is_asked and bool(minutes.standing.time) and now >= limit(whom, minutes, meeting.asked_since(), now)


def by_clock(record: Record, minutes: Minutes) -> Answer | Exclude | None:
    """Return what anybody may decide when the time of the player who is asked is up; None if it only is told."""
    whom = record.asked
    if whom is None or whom not in dict(record.players):
        return None
    if minutes.standing.then == "answer" and record.opener is None and mildest(record.state.phase):
        return Answer(whom, mildest(record.state.phase))
    return Exclude(whom) if minutes.standing.then == "exclude" else None

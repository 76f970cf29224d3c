"""Whether the minutes of a club's game bear out what was decided: who had moved it, who had agreed, what was undone.

In a repository ``git check`` proves more, since it sees every line in the game as it then was. The host of a club keeps
the minutes, and the games as they were before moves were taken back: these are enough to judge each line again.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from pbem.first_sparks.bot.seats import is_bot
from pbem.first_sparks.record import HEAD_DIGITS, Record, at_line, at_turn
from pbem.grammar import listed
from pbem.table.lines import HOST, Agrees, Closes, Disagrees, TableLine
from pbem.table.matters.matter import Matter, in_play
from pbem.table.matters.takebacks import TakeBack
from pbem.table.minutes import Minutes, Motion, seated
from pbem.table.motions import is_open, missing, voters
from pbem.table.people import A_BOT

_FIRST: Final = 2  # the number of the first line of the minutes, below that of the format
_NOWHERE: Final = "the game in which it was written is not kept"
_NO_MOTION: Final = "{by} had no open motion"
_NOT_MOVED: Final = "nobody had moved that"
_NOT_ASKED: Final = "{by} was not asked to agree"
_TWICE: Final = "{by} had already agreed"
_OVER: Final = "the motion was over by then"
_NOT_AGREED: Final = "{missing} had not agreed"
_NOT_KEPT: Final = "the game is not kept as it was before the moves were taken back"
_OTHERWISE: Final = "the game did not go on from turn {turn}"
_UNSAID: Final = "moves after turn {turn} were taken back, and no line says so"


class Doubt(NamedTuple):
    """A line of the minutes that nothing bears out, by its number in the file, or 0 for one that is not there; why."""

    number: int
    why: str


def doubts(minutes: Minutes, courses: Sequence[Record]) -> Iterator[Doubt]:
    """Yield every line of a club's minutes that the lines before it and the log do not bear out.

    The *courses* are the games as they were each time before moves were taken back, in any order, and last the game as
    it is. What the host decides needs no agreement.
    """
    before, places, ended = Minutes(), _places(courses), {course.head[:HEAD_DIGITS] for course in courses[:-1]}
    undone: list[tuple[int, TableLine, TakeBack]] = []
    for number, line in enumerate(minutes.lines, _FIRST):
        record = at_line(*places[line.head]) if line.head in places else None
        why = _NOWHERE if record is None or record.turn != line.turn else _why_not(line, before, record)
        if why:
            yield Doubt(number, why)
        if isinstance(line.said, TakeBack) and not line.proposed:
            undone.append((number, line, line.said))
        before = before.after(line)
    ends = [line.head for _, line, _ in undone]
    for place, (number, line, said) in enumerate(undone):
        goes_on = _course_to(ends[place + 1], courses) if undone[place + 1 :] else courses[-1]
        if line.head not in ended:
            yield Doubt(number, _NOT_KEPT)
        elif goes_on is not None and not _goes_on(at_line(*places[line.head]), said.to, goes_on):
            yield Doubt(number, _OTHERWISE.format(turn=said.to))
    for course in courses[:-1]:
        if course.head[:HEAD_DIGITS] not in ends:
            yield Doubt(0, _UNSAID.format(turn=_parting(course, courses[-1])))


def _places(courses: Sequence[Record]) -> dict[str, tuple[Record, int]]:
    """Return after which line of which course a game has a head, by the beginning of that."""
    return {
        head[:HEAD_DIGITS]: (course, number) for course in courses for number, head in enumerate(course.lines.heads)
    }


def _why_not(line: TableLine, before: Minutes, record: Record) -> str:
    """Return why a line could not be written then, "" if it could."""
    by, said = line.by, line.said
    if isinstance(said, Agrees | Disagrees | Closes):
        motion = before.by(said.mover)
        if motion is None:
            return _NO_MOTION.format(by=said.mover)
        return _why_no_agreement(by, motion, before, record) if isinstance(said, Agrees) else ""
    if not isinstance(said, Matter) or line.proposed or not said.is_agreed:
        return ""
    if by in (HOST, said.seat):
        return ""
    motion = next((each for each in before.motions if each.matter == said), None)
    if motion is None:
        return _NOT_MOVED
    others = [colour for colour in missing(motion, _people(before, record)) if colour != by]
    if others:
        return _NOT_AGREED.format(missing=listed(others))
    return "" if is_open(motion, record) else _OVER


def _why_no_agreement(by: str, motion: Motion, before: Minutes, record: Record) -> str:
    people = _people(before, record)
    if by not in voters(motion.matter, motion.by, people):
        return _NOT_ASKED.format(by=by)
    return "" if by in missing(motion, people) else _TWICE.format(by=by)


def _people(minutes: Minutes, record: Record) -> tuple[str, ...]:
    """Return the colours of all who could agree to something: who had not left, and for whom no bot played."""
    names = dict(seated(record, minutes).players)
    away = {each.whom: each.said.substitute for each in minutes.standing.absences if each.lasts}
    return tuple(colour for colour in in_play(record) if not is_bot(names[colour]) and away.get(colour) != A_BOT)


def _course_to(head: str, courses: Sequence[Record]) -> Record | None:
    return next((course for course in courses if course.head[:HEAD_DIGITS] == head), None)


def _goes_on(course: Record, turn: int, later: Record) -> bool:
    """Return whether a later course of the game goes on from the end of an earlier turn."""
    log = at_turn(course, turn).log if turn < course.turn else course.log
    return later.log[: len(log)] == log


def _parting(course: Record, later: Record) -> int:
    """Return the last turn that two courses of the game have in common."""
    pairs = zip(course.lines.heads, later.lines.heads, strict=False)
    common = sum(one == other for one, other in pairs) - 1
    return at_line(course, common).turn

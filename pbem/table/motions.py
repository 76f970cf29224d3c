"""What is open and what holds at the table of a game, and who must agree to what.

All who still play must agree to take moves back, to a clock, to more time and to a pause, which any one of them ends.
All but the player concerned must agree to go on without somebody, and to give a seat or a key to somebody else; that
player keeps the seat by any sign of life, for which the others must wait, unless the player is asked and the time is
up. A host who keeps the secret of the draws decides such things alone, but takes nothing back. Whoever plays for
somebody who is away agrees and objects too, but does not give the seat away.
"""

from collections.abc import Collection
from contextlib import suppress
from typing import Final

from pbem.errors import Illegal, PbemError
from pbem.first_sparks.notation import order_phrase
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.record import HEAD_DIGITS, Record, same_situations
from pbem.grammar import phrase_listed, phrase_span
from pbem.locale import phrase
from pbem.table.limits import by_clock, is_time_up, silence, waits_until
from pbem.table.lines import (
    HOST,
    Agrees,
    Closes,
    Disagrees,
    Returns,
    Says,
    TableLine,
    concerned,
    date_of,
    day_and_time,
    line_now,
)
from pbem.table.matters.kinds import Answer, ChangeKey, Resume, resumed
from pbem.table.matters.matter import Matter, Setting, clan, in_play
from pbem.table.matters.standing import Away
from pbem.table.minutes import Meeting, Minutes, Motion, seated

NOT_JOINED: Final = "the game has not begun, since not everybody has joined it"
_SAID: Final = "give another day or substitute to change it, or if you are here again: {back}"
_AWAY: Final = "{player} is away: that can be decided from {time} on"
_CAN_OBJECT: Final = "{player} can still object: that can be decided {span} after the motion"
_TOO_MUCH: Final = "{player} has written so much that no other line fits: {most} bytes are the most in a game"
_WRITTEN: Final = 160_000  # bytes of the lines of one player, so that nobody can fill the minutes for the others


# Who must agree


def voters(matter: Matter, by: str, playing: Collection[str]) -> tuple[str, ...]:
    """Return who of those who are *playing* must agree to a matter that *by* moves, besides that player."""
    if by == HOST or not matter.is_agreed or matter.seat == by:
        return ()
    return tuple(colour for colour in playing if colour not in (by, matter.seat))


def is_decided_alone(matter: Matter, by: str, record: Record) -> bool:
    """Return whether *by* needs nobody's agreement to a matter, which is decided without a motion."""
    return by == HOST or (not voters(matter, by, in_play(record)) and matter.seat in ("", by))


def missing(motion: Motion, playing: Collection[str]) -> tuple[str, ...]:
    """Return who of those who are *playing* must still agree to a motion."""
    asked = voters(motion.matter, motion.line.by, playing)
    return tuple(colour for colour in asked if colour not in motion.agreed)


def open_motion(matter: Matter, minutes: Minutes, record: Record) -> Motion | None:
    """Return the motion of that matter, if it is open in the game as it is."""
    return next((each for each in minutes.motions if each.matter == matter and holds(each, minutes, record)), None)


def is_same_situation(line: TableLine, record: Record) -> bool:
    """Return whether the game has not gone on since a line was written; agreeing to its end does not count."""
    return any((line.turn, line.head) == (turn, head[:HEAD_DIGITS]) for turn, head in same_situations(record))


def holds(motion: Motion, minutes: Minutes, record: Record) -> bool:
    """Return whether a motion in a repository is still open: a seat is taken only from somebody silent since."""
    whom = motion.matter.seat
    return is_open(motion, record) and (not whom or _is_silent(whom, motion.line, minutes, record))


def is_open(motion: Motion, record: Record) -> bool:
    """Return whether a motion that nobody has ended is still open.

    What changes the course of the game can be decided only until the game goes on, and a seat be taken only from
    somebody who has not left the game.
    """
    if isinstance(record.state.phase, Ended):
        return False
    if not motion.matter.is_of_the_table and not is_same_situation(motion.line, record):
        return False
    whom = motion.matter.seat
    return not whom or whom in in_play(record)  # nobody's pbem would have written about somebody else


def _is_silent(whom: str, line: TableLine, minutes: Minutes, record: Record) -> bool:
    """Return whether a player has done nothing at all since a line.

    Every player who joins changes all heads. After that, only those who have not joined count as silent.
    """
    after = minutes.lines[minutes.lines.index(line) + 1 :]
    if any(said.by == whom for said in after):
        return False
    heads = [head[:HEAD_DIGITS] for head in record.lines.heads]
    if line.head not in heads:
        return whom in record.missing
    return not any(entry.by == whom for entry, _ in record.history[heads.index(line.head) :])


# What may be said


def check_goes_on(minutes: Minutes) -> None:
    """Raise Illegal while the game is paused: then no player gives an order."""
    if minutes.standing.is_paused:
        raise Illegal(phrase("the game is paused, so no orders are accepted"), hint=resumed())


def check(line: TableLine, meeting: Meeting) -> None:
    """Raise Illegal unless a line may be written; its signature is checked elsewhere."""
    by, said, record, minutes = line.by, line.said, meeting.record, meeting.minutes
    if not line.time or isinstance(said, Closes):
        raise Illegal(phrase("only the program of a club writes such a line"))
    if by == HOST and record.chance.kind != "sealed":
        raise Illegal(phrase("this game has no host"))
    if by != HOST and by not in dict(record.players):
        raise Illegal(phrase("no player has the colour {colour}", colour=clan(by)))
    if minutes.lines and line.time < minutes.lines[-1].time:
        raise Illegal(phrase("the commit is dated before the one that it follows"))
    size = dict(minutes.written).get(writer := minutes.writer(line), 0) + len(str(line).encode())
    if size > _WRITTEN and not isinstance(said, Returns):  # which ends what has been said
        raise Illegal(phrase(_TOO_MUCH, player=clan(writer), most=_WRITTEN))
    if isinstance(said, Says):
        return
    if isinstance(record.state.phase, Ended) and not isinstance(said, ChangeKey | Returns):
        raise Illegal(phrase("the game is over, so there is nothing left to decide"))
    is_own = isinstance(said, Returns) or (isinstance(said, ChangeKey) and said.whom == by)
    if by != HOST and by not in in_play(record) and not is_own:
        raise Illegal(phrase("{player} has left the game, and decides nothing", player=clan(by)))
    if isinstance(said, Away | Returns):
        _check_absence(line, said, meeting)
        return
    if minutes.standing.is_paused and not (isinstance(said, Resume | Disagrees) or concerned(said) == by):
        raise Illegal(phrase("this has to wait until the game is resumed"), hint=resumed())
    if isinstance(said, Agrees | Disagrees):
        _check_reply(by, said, meeting)
        return
    _check_sense(said, line, meeting)
    if line.proposed:
        if is_decided_alone(said, by, record):
            raise Illegal(phrase("nobody has to agree to that, so it is decided without a motion"))
        open_one = open_motion(said, minutes, record)
        if open_one is not None:
            hint = phrase(
                "to agree to it: {agree}; to end it: {object}", agree="pbem git agree", object="pbem git object"
            )
            raise Illegal(phrase("{player} has already made that motion", player=clan(open_one.line.by)), hint=hint)
        return
    _check_decided(line, said, meeting)


def _check_reply(by: str, said: Agrees | Disagrees, meeting: Meeting) -> None:
    record, minutes = meeting.record, meeting.minutes
    motion = minutes.by(said.mover)
    if motion is None or not holds(motion, minutes, record):
        raise Illegal(phrase("{player} has no motion that is open", player=clan(said.mover)))
    asked = voters(motion.matter, said.mover, in_play(record))
    if isinstance(said, Agrees):
        if by not in missing(motion, in_play(record)):
            if by not in (*asked, said.mover):
                raise Illegal(phrase("{player} is not asked to agree", player=clan(by)))
            hint = phrase("to end the motion after all: {object}", object="pbem git object")
            raise Illegal(phrase("{player} has already agreed", player=clan(by)), hint=hint)
    elif by not in (*asked, said.mover, motion.whom):
        raise Illegal(phrase("{player} is not asked to agree", player=clan(by)))


def _check_absence(line: TableLine, said: Away | Returns, meeting: Meeting) -> None:
    by, absence = line.by, meeting.minutes.standing.absence(line.by)
    if by == HOST:
        raise Illegal(phrase("only players are away"))
    if isinstance(said, Returns):
        if absence is None:
            hint = phrase("to say that you are away: {absent}", absent="pbem git absent --until DAY")
            raise Illegal(phrase("{player} is not away", player=clan(by)), hint=hint)
        return
    if said.ends <= line.time:
        hint = phrase("give the last day on which you are away, or if you are here again: {back}", back="pbem git back")
        raise Illegal(phrase("{day} is already over", day=said.until), hint=hint)
    if absence is not None and absence.said == said:
        raise Illegal(phrase("{player} has already said so", player=clan(by)), hint=phrase(_SAID, back="pbem git back"))
    if said.substitute:
        setting = setting_in(meeting, by, line.time)
        setting.check_key(said.key, phrase("the substitute needs a key"), "pbem git absent --substitute NAME")
        setting.check_name(said.substitute, by)


def _check_sense(matter: Matter, line: TableLine, meeting: Meeting) -> None:
    """Raise Illegal for what cannot be done in this game, whoever agrees."""
    if not matter.in_git:
        raise Illegal(phrase("that can only be decided in a club, not in a repository"))
    if meeting.record.missing and not matter.before_all_have_joined:
        raise Illegal(phrase(NOT_JOINED), hint=phrase("a player joins it with {join}", join="pbem git join"))
    if line.by == HOST and not matter.is_of_the_table:
        raise Illegal(phrase("the players decide that, when all of them agree"))
    matter.check(setting_in(meeting, line.by, line.time))


def setting_in(meeting: Meeting, by: str, time: int, whom: str = "") -> Setting:
    """Return where somebody asks or decides something at a time, about *whom*, a colour or nobody."""
    record, standing = meeting.record, meeting.minutes.standing
    return Setting(
        seated(record, meeting.minutes),
        by,
        whom,
        voting=in_play(record),
        standing=standing,
        is_timed=bool(standing.time),
        is_signed=meeting.is_signed,
        now=date_of(time),
    )


def _check_decided(line: TableLine, matter: Matter, meeting: Meeting) -> None:
    """Raise Illegal unless all who must agree have done so, or nobody has to."""
    by, whom, record, minutes = line.by, matter.seat, meeting.record, meeting.minutes
    if by in (HOST, whom):
        return
    late = by_clock(record, minutes)
    if late == matter and late is not None and is_time_up(late.whom, meeting, line.time):
        return
    if isinstance(matter, Answer):
        raise Illegal(_why_no_answer(matter, minutes, record))
    asked = voters(matter, by, in_play(record))
    if not asked and not whom:
        return
    motion = open_motion(matter, minutes, record)
    if motion is None:
        must = phrase_listed(map(clan, (*asked, by) if whom else asked))
        raise Illegal(phrase("that needs a motion first, and {players} must agree", players=must))
    others = [colour for colour in missing(motion, in_play(record)) if colour != by]
    if others:
        raise Illegal(phrase("{players} must still agree", players=phrase_listed(map(clan, others))))
    until = waits(motion, meeting, line.time)
    if until is not None and line.time < until:
        if minutes.standing.away(whom, line.time) is not None:
            raise Illegal(phrase(_AWAY, player=clan(whom), time=day_and_time(until)))
        raise Illegal(phrase(_CAN_OBJECT, player=clan(whom), span=phrase_span(silence(minutes))))


def waits(motion: Motion, meeting: Meeting, now: int) -> int | None:
    """Return until when the others must wait now for the player concerned, in seconds since 1970; None if for nobody.

    If that player is asked, and the time is up, nobody waits.
    """
    return None if is_time_up(motion.whom, meeting, now) else waits_until(motion, meeting.minutes)


def _why_no_answer(matter: Answer, minutes: Minutes, record: Record) -> str:
    if not minutes.standing.time:
        return phrase("only the host decides for another player, or the clock, and this game has no clock")
    late = by_clock(record, minutes)
    if not isinstance(late, Answer):
        return phrase("when the time of this player is up, the clock of this game does not answer")
    if late != matter:
        return phrase("when the time of a player is up, the only answer is: {order}", order=order_phrase(late.order))
    return phrase("the time of {player} is not up yet", player=clan(matter.whom))


def settles(by: str, motion: Motion, meeting: Meeting, now: int) -> bool:
    """Return whether a motion is decided when that player agrees to it now."""
    with suppress(PbemError):
        _check_decided(line_now(meeting.record, by, motion.matter, now), motion.matter, meeting)
        return True
    return False

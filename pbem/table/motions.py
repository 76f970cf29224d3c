"""What is open and what holds at the table of a game, and who must agree to what.

All who still play must agree to take moves back, to a clock and to a pause, which any one of them ends. All but the
player concerned must agree to go on without somebody, and to give a seat or a key to somebody else; that player keeps
the seat by any sign of life, for which the others must wait, unless the player is asked and the time is up. A host who
keeps the secret of the draws decides such things alone, but takes nothing back. Whoever plays for somebody who is away
agrees and objects too, but does not give the seat away.
"""

from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Final

from pbem import game_setup
from pbem.errors import Illegal, PbemError, UsageError
from pbem.first_sparks.components import COLOURS
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.play import taken_back
from pbem.first_sparks.record import HEAD_DIGITS, Record, same_situations
from pbem.grammar import phrase_listed, phrase_span
from pbem.locale import phrase, phrase_in
from pbem.plans.intents import heads_of
from pbem.table.limits import by_clock, is_time_up, silence, waits_until
from pbem.table.lines import (
    HOST,
    Agrees,
    Answer,
    Away,
    ChangeKey,
    Closes,
    Disagrees,
    Exclude,
    Matter,
    Pause,
    Replace,
    Resume,
    Returns,
    Says,
    SetClock,
    TableLine,
    TakeBack,
    concerned,
    day_and_time,
)
from pbem.table.minutes import Minutes, Motion, seated

# What is about who plays and how, at any time in the game; anything else is about the game as it is.
_OF_THE_TABLE: Final = (Exclude, SetClock, ChangeKey, Replace, Pause, Resume, Answer)
NOT_JOINED: Final = "the game has not begun, since not everybody has joined it"
_RESUMED: Final = "any player can resume it: {resume}"
_SAID: Final = "give another day or substitute to change it, or if you are here again: {back}"
_UNSIGNED: Final = "moves are not signed in this game"
_KEY: Final = "name the file with the public key: {command}"
_NO_KEY: Final = "leave out the key: {command}"
_AWAY: Final = "{player} is away: that can be decided from {time} on"
_CAN_OBJECT: Final = "{player} can still object: that can be decided {span} after the motion"
_TOO_MUCH: Final = "{player} has written so much that no other line fits: {most} bytes are the most in a game"
_WRITTEN: Final = 160_000  # bytes of the lines of one player, so that nobody can fill the minutes for the others


def _resumed() -> str:
    return phrase(_RESUMED, resume="pbem git resume")


def _clan(colour: str) -> str:
    """Return the colour of a player in words, ``host`` and ``pbem`` as they are."""
    return phrase_in(colour, "clan colour") if colour in COLOURS else colour


# Who must agree


def in_play(record: Record) -> tuple[str, ...]:
    """Return the colours of the players who have not left the game."""
    return tuple(colour for colour, _ in record.players if not record.state.clan(colour).resigned)


def voters(matter: Matter, by: str, playing: Collection[str]) -> tuple[str, ...]:
    """Return who of those who are *playing* must agree to a matter that *by* moves, besides that player."""
    if by == HOST or isinstance(matter, Answer | Resume) or concerned(matter) == by:
        return ()
    return tuple(colour for colour in playing if colour not in (by, concerned(matter)))


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
    """Return whether a motion is still open.

    What changes the course of the game can be decided only until the game goes on, and a seat be taken only from
    somebody who has been silent since.
    """
    line, matter = motion.line, motion.matter
    if isinstance(record.state.phase, Ended):
        return False
    if not isinstance(matter, _OF_THE_TABLE):
        return is_same_situation(line, record)
    whom = concerned(matter)
    if whom and whom not in dict(record.players):  # as nobody's pbem would have written
        return False
    return not whom or (not record.state.clan(whom).resigned and _is_silent(whom, line, minutes, record))


def _is_silent(whom: str, line: TableLine, minutes: Minutes, record: Record) -> bool:
    """Return whether a player has done nothing at all since a line.

    Every player who joins changes all heads. After that, only those who have not joined count as silent.
    """
    after = minutes.lines[minutes.lines.index(line) + 1 :]
    if any(said.by == whom for said in after):
        return False
    heads = [head[:HEAD_DIGITS] for head in heads_of(record)]
    if line.head not in heads:
        return whom in record.missing
    return not any(entry.by == whom for entry, _ in record.history[heads.index(line.head) :])


# What may be said


def check_goes_on(minutes: Minutes) -> None:
    """Raise Illegal while the game is paused: then no player gives an order."""
    if minutes.is_paused:
        raise Illegal(phrase("the game is paused, so no orders are accepted"), hint=_resumed())


def check(line: TableLine, minutes: Minutes, record: Record, *, keys: bool, since: Callable[[], int]) -> None:
    """Raise Illegal unless a line may be written; *keys* says whether moves are signed. For *since* see ``is_time_up``.

    The signature is checked elsewhere.
    """
    by, said = line.by, line.said
    if not line.time or isinstance(said, Closes):
        raise Illegal(phrase("only the program of a club writes such a line"))
    if by == HOST and record.chance.kind != "sealed":
        raise Illegal(phrase("this game has no host"))
    if by != HOST and by not in dict(record.players):
        raise Illegal(phrase("no player has the colour {colour}", colour=_clan(by)))
    if minutes.lines and line.time < minutes.lines[-1].time:
        raise Illegal(phrase("the commit is dated before the one that it follows"))
    size = dict(minutes.written).get(writer := minutes.writer(line), 0) + len(str(line).encode())
    if size > _WRITTEN and not isinstance(said, Returns):  # which ends what has been said
        raise Illegal(phrase(_TOO_MUCH, player=_clan(writer), most=_WRITTEN))
    if isinstance(said, Says):
        return
    if isinstance(record.state.phase, Ended) and not isinstance(said, ChangeKey | Returns):
        raise Illegal(phrase("the game is over, so there is nothing left to decide"))
    is_own = isinstance(said, Returns) or (isinstance(said, ChangeKey) and said.whom == by)
    if by != HOST and by not in in_play(record) and not is_own:
        raise Illegal(phrase("{player} has left the game, and decides nothing", player=_clan(by)))
    if isinstance(said, Away | Returns):
        _check_absence(line, said, minutes, record, keys=keys)
        return
    if minutes.is_paused and not (isinstance(said, Resume | Disagrees) or concerned(said) == by):
        raise Illegal(phrase("this has to wait until the game is resumed"), hint=_resumed())
    if isinstance(said, Agrees | Disagrees):
        _check_reply(by, said, minutes, record)
        return
    _check_sense(said, by, minutes, record, keys=keys)
    if line.proposed:
        if by == HOST or (not voters(said, by, in_play(record)) and concerned(said) in ("", by)):
            raise Illegal(phrase("nobody has to agree to that, so it is decided without a motion"))
        open_one = open_motion(said, minutes, record)
        if open_one is not None:
            hint = phrase(
                "to agree to it: {agree}; to end it: {object}", agree="pbem git agree", object="pbem git object"
            )
            raise Illegal(phrase("{player} has already made that motion", player=_clan(open_one.line.by)), hint=hint)
        return
    _check_decided(line, said, minutes, record, since)


def _check_reply(by: str, said: Agrees | Disagrees, minutes: Minutes, record: Record) -> None:
    motion = minutes.by(said.mover)
    if motion is None or not holds(motion, minutes, record):
        raise Illegal(phrase("{player} has no motion that is open", player=_clan(said.mover)))
    asked = voters(motion.matter, said.mover, in_play(record))
    if isinstance(said, Agrees):
        if by not in missing(motion, in_play(record)):
            if by not in (*asked, said.mover):
                raise Illegal(phrase("{player} is not asked to agree", player=_clan(by)))
            hint = phrase("to end the motion after all: {object}", object="pbem git object")
            raise Illegal(phrase("{player} has already agreed", player=_clan(by)), hint=hint)
    elif by not in (*asked, said.mover, concerned(motion.matter)):
        raise Illegal(phrase("{player} is not asked to agree", player=_clan(by)))


def _check_absence(line: TableLine, said: Away | Returns, minutes: Minutes, record: Record, *, keys: bool) -> None:
    by, absence = line.by, minutes.absence(line.by)
    if by == HOST:
        raise Illegal(phrase("only players are away"))
    if isinstance(said, Returns):
        if absence is None:
            hint = phrase("to say that you are away: {absent}", absent="pbem git absent --until DAY")
            raise Illegal(phrase("{player} is not away", player=_clan(by)), hint=hint)
        return
    if said.ends <= line.time:
        hint = phrase("give the last day on which you are away, or if you are here again: {back}", back="pbem git back")
        raise Illegal(phrase("{day} is already over", day=said.until), hint=hint)
    if absence is not None and absence.said == said:
        raise Illegal(
            phrase("{player} has already said so", player=_clan(by)), hint=phrase(_SAID, back="pbem git back")
        )
    if said.substitute:
        if keys != bool(said.key):
            if keys:
                command = "pbem git absent --substitute NAME KEY.pub"
                raise Illegal(phrase("the substitute needs a key"), hint=phrase(_KEY, command=command))
            raise Illegal(phrase(_UNSIGNED), hint=phrase(_NO_KEY, command="pbem git absent --substitute NAME"))
        _check_name(said.substitute, by, minutes, record)


def _check_sense(matter: Matter, by: str, minutes: Minutes, record: Record, *, keys: bool) -> None:
    """Raise Illegal for what cannot be done in this game, whoever agrees."""
    if not isinstance(matter, SetClock | ChangeKey | Replace | Resume) and record.missing:
        raise Illegal(phrase(NOT_JOINED), hint=phrase("a player joins it with {join}", join="pbem git join"))
    if by == HOST and not isinstance(matter, _OF_THE_TABLE):
        raise Illegal(phrase("the players decide that, when all of them agree"))
    if isinstance(matter, TakeBack):
        taken_back(record, matter.to)
    elif isinstance(matter, Exclude | Answer | Replace) and matter.whom not in in_play(record):
        raise Illegal(phrase("no player of the colour {colour} is in the game", colour=_clan(matter.whom)))
    if isinstance(matter, Exclude) and matter.whom == by:
        hint = phrase("to leave the game: {resign}", resign="pbem git move --order resign")
        raise Illegal(phrase("whoever leaves the game resigns"), hint=hint)
    if isinstance(matter, Pause | Resume) and minutes.is_paused == isinstance(matter, Pause):
        if minutes.is_paused:
            raise Illegal(phrase("the game is already paused"), hint=_resumed())
        hint = phrase("to pause it, when all agree: {pause}", pause="pbem git pause")
        raise Illegal(phrase("the game is not paused"), hint=hint)
    if isinstance(matter, ChangeKey):
        if not keys:
            raise Illegal(phrase("moves are not signed in this game, so nobody has a key"))
        if matter.whom not in dict(record.players) and not (matter.whom == by == HOST):
            raise Illegal(phrase("no player has the colour {colour}", colour=_clan(matter.whom)))
    if isinstance(matter, Replace):
        if keys != bool(matter.key):
            if keys:
                command = "pbem git replace PLAYER NAME KEY.pub"
                raise Illegal(phrase("the new player needs a key"), hint=phrase(_KEY, command=command))
            raise Illegal(phrase(_UNSIGNED), hint=phrase(_NO_KEY, command="pbem git replace PLAYER NAME"))
        _check_name(matter.name, matter.whom, minutes, record)


def _check_name(name: str, whom: str, minutes: Minutes, record: Record) -> None:
    """Raise Illegal unless somebody of that name can play for the colour *whom*."""
    with suppress(UsageError):
        if game_setup.clean_name(name) == name:
            taken = {other.casefold() for colour, other in seated(record, minutes).players if colour != whom}
            if name.casefold() in taken or name.casefold() in dict(record.players):
                raise Illegal(phrase("another player is called {name}", name=name))
            return
    hint = phrase("a name has 1 to 24 letters, digits, spaces and symbols, but none of : * [ ]")
    raise Illegal(phrase("that is not a name for a player"), hint=hint)


def _check_decided(line: TableLine, matter: Matter, minutes: Minutes, record: Record, since: Callable[[], int]) -> None:
    """Raise Illegal unless all who must agree have done so, or nobody has to."""
    by, whom = line.by, concerned(matter)
    if by in (HOST, whom):
        return
    late = by_clock(record, minutes)
    if late == matter and late is not None and is_time_up(late.whom, minutes, record, line.time, since):
        return
    if isinstance(matter, Answer):
        raise Illegal(_why_no_answer(matter, minutes, record))
    asked = voters(matter, by, in_play(record))
    if not asked and not whom:
        return
    motion = open_motion(matter, minutes, record)
    if motion is None:
        must = phrase_listed(map(_clan, (*asked, by) if whom else asked))
        raise Illegal(phrase("that needs a motion first, and {players} must agree", players=must))
    others = [colour for colour in missing(motion, in_play(record)) if colour != by]
    if others:
        raise Illegal(phrase("{players} must still agree", players=phrase_listed(map(_clan, others))))
    until = waits_until(motion, minutes)
    if until is not None and line.time < until and not is_time_up(whom, minutes, record, line.time, since):
        if minutes.away(whom, line.time) is not None:
            raise Illegal(phrase(_AWAY, player=_clan(whom), time=day_and_time(until)))
        raise Illegal(phrase(_CAN_OBJECT, player=_clan(whom), span=phrase_span(silence(minutes))))


def _why_no_answer(matter: Answer, minutes: Minutes, record: Record) -> str:
    if not minutes.clock.time:
        return phrase("only the host decides for another player, or the clock, and this game has no clock")
    late = by_clock(record, minutes)
    if not isinstance(late, Answer):
        return phrase("when the time of this player is up, the clock of this game does not answer")
    if late != matter:
        return phrase("when the time of a player is up, the only answer is: {order}", order=late.order)
    return phrase("the time of {player} is not up yet", player=_clan(matter.whom))


def settles(by: str, motion: Motion, minutes: Minutes, record: Record, now: int, since: Callable[[], int]) -> bool:
    """Return whether a motion is decided when that player agrees to it now."""
    line = TableLine(now, record.turn, record.head[:HEAD_DIGITS], by, motion.matter)
    with suppress(PbemError):
        _check_decided(line, motion.matter, minutes, record, since)
        return True
    return False

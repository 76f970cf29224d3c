"""The minutes of a game: all that was said and decided at its table, line by line, and what follows from them.

They are kept in ``minutes.txt``, where all who play can read them.
"""

from datetime import timedelta
from functools import reduce
from typing import Final, NamedTuple

from pbem.errors import NotUnderstood
from pbem.first_sparks.record import Record
from pbem.table.lines import (
    FOREVER,
    MINUTES,
    Agrees,
    Away,
    Closes,
    Disagrees,
    Matter,
    Pause,
    Replace,
    Resume,
    Returns,
    Says,
    SetClock,
    TableLine,
    TakeBack,
    Utterance,
    concerned,
    parse_line,
)

_FIRST: Final = "first-sparks-minutes/1 {game}"


class Motion(NamedTuple):
    """What a player has moved, in a line, and who has agreed since."""

    line: TableLine
    agreed: tuple[str, ...] = ()

    @property
    def matter(self) -> Matter:
        """What is moved."""
        assert isinstance(self.line.said, Matter)
        return self.line.said

    @property
    def by(self) -> str:
        """The colour of the player who has moved it."""
        return self.line.by

    @property
    def whom(self) -> str:
        """The colour of the player whose seat it is about, or ""."""
        return concerned(self.line.said)


class Absence(NamedTuple):
    """An absence of the player *whom*: as it was *said*, and from when until when, in seconds since 1970.

    It *lasts* until the player has said something else about it, though its end may have come before that.
    """

    whom: str
    said: Away
    begins: int
    ends: int
    lasts: bool = True

    def ended(self, time: int) -> "Absence":
        """Return the absence as it is when the player says that it is over."""
        return self._replace(ends=min(self.ends, time), lasts=False)


class Minutes(NamedTuple):
    """The minutes of a game: all lines, the clock, the names of those who have taken a seat over, the motions.

    The clock was set at a time in seconds since 1970, before which nobody's time begins. *written* has the bytes that
    the lines of each player take, and of each one's substitutes. *absences* are all that there have been, and *pauses*
    also, from when until when.
    """

    lines: tuple[TableLine, ...] = ()
    clock: SetClock = SetClock(timedelta())
    names: tuple[tuple[str, str], ...] = ()
    motions: tuple[Motion, ...] = ()
    clock_set: int = 0
    written: tuple[tuple[str, int], ...] = ()
    absences: tuple[Absence, ...] = ()
    pauses: tuple[tuple[int, int], ...] = ()

    @property
    def is_paused(self) -> bool:
        """Whether the game is paused."""
        return bool(self.pauses) and self.pauses[-1][1] == FOREVER

    def absence(self, whom: str) -> Absence | None:
        """Return the absence of a player that lasts, though its end may have come; None without one."""
        return next((each for each in self.absences if each.whom == whom and each.lasts), None)

    def away(self, whom: str, time: int) -> Away | None:
        """Return that a player is away at a time in seconds since 1970, None if not."""
        absence = self.absence(whom)
        return absence.said if absence is not None and time < absence.ends else None

    def substitute_key(self, whom: str) -> str:
        """Return the accepted key of whoever plays for an absent player, "" without one."""
        absence = self.absence(whom)
        return absence.said.key if absence is not None else ""

    def void_key(self, by: str, said: Utterance | None, time: int) -> str:
        """Return the key of a substitute, if it does not count for what *by* orders or says at a time; else "".

        The seat, its keys and its absence are the player's own matter, and when the absence is over, everything is.
        """
        is_own = isinstance(said, Away) or (said is not None and concerned(said) == by)
        return self.substitute_key(by) if is_own or self.away(by, time) is None else ""

    def writer(self, line: TableLine) -> str:
        """Return for whom the bytes of a new line are counted: a substitute must not take those of the player.

        Else a player could not say anything any more, not even to be back.
        """
        away = self.away(line.by, line.time)
        is_own = isinstance(line.said, Away | Returns) or concerned(line.said) == line.by
        return line.by if is_own or away is None or not away.substitute else f"the substitute of {line.by}"

    def by(self, mover: str) -> Motion | None:
        """Return the last motion of a player, if it is not over."""
        return next((each for each in self.motions if each.line.by == mover), None)

    def after(self, line: TableLine) -> "Minutes":
        """Return the minutes after one more line, which ``check`` has accepted."""
        writer = self.writer(line)
        written = {**dict(self.written), writer: dict(self.written).get(writer, 0) + len(str(line).encode())}
        minutes, said = self._replace(lines=(*self.lines, line), written=tuple(written.items())), line.said
        others = tuple(each for each in self.motions if each.line.by != line.by)
        match said:
            case Says():
                return minutes
            case Away():
                gone = Absence(line.by, said, line.time, said.ends)
                home = minutes._at_home(line.by, line.time)
                return home._replace(absences=(*home.absences, gone))
            case Returns():
                return minutes._at_home(line.by, line.time)
            case Agrees():
                grown = [
                    each._replace(agreed=(*each.agreed, line.by)) if each.line.by == said.mover else each
                    for each in self.motions
                ]
                return minutes._replace(motions=tuple(grown))
            case Disagrees() | Closes():
                kept = tuple(each for each in self.motions if each.line.by != said.mover)
                return minutes._replace(motions=kept)
            case _ if line.proposed:
                return minutes._replace(motions=(*others, Motion(line)))
            case _:
                kept = tuple(each for each in self.motions if not _ends(said, each.matter))
                minutes = minutes._replace(motions=kept)
        match said:
            case SetClock():
                return minutes._replace(clock=said, clock_set=line.time)
            case Replace():
                names = tuple({**dict(self.names), said.whom: said.name}.items())
                return minutes._at_home(said.whom, line.time)._replace(names=names)
            case Pause() if not minutes.is_paused:
                return minutes._replace(pauses=(*self.pauses, (line.time, FOREVER)))
            case Resume() if minutes.is_paused:
                return minutes._replace(pauses=(*self.pauses[:-1], (self.pauses[-1][0], line.time)))
            case _:
                return minutes

    def _at_home(self, whom: str, time: int) -> "Minutes":
        ended = (each.ended(time) if each.whom == whom and each.lasts else each for each in self.absences)
        return self._replace(absences=tuple(ended))


def _ends(decided: Matter, proposed: Matter) -> bool:
    """Return whether a decision ends a motion: one of its kind or about the same seat, or any when moves are undone.

    What was agreed before it might not be agreed after it.
    """
    seat = concerned(decided)
    return (
        isinstance(decided, TakeBack) or type(decided) is type(proposed) or bool(seat and seat == concerned(proposed))
    )


def read_minutes(text: str, game: str) -> Minutes:
    """Return the minutes that a text keeps; raises NotUnderstood."""
    first = f"{_FIRST.format(game=game)}\n"
    if not text.startswith(first) or not text.endswith("\n"):
        raise NotUnderstood(f"{MINUTES} does not begin as the minutes of {game}", path=MINUTES)
    return reduce(Minutes.after, read_lines(text.removeprefix(first), 2), Minutes())


def read_lines(text: str, number: int) -> tuple[TableLine, ...]:
    """Return the lines in a part of the minutes that begins at the line of that *number*; raises NotUnderstood."""
    lines: list[TableLine] = []
    for line in text.split("\n")[:-1]:
        try:
            lines.append(parse_line(line))
        except NotUnderstood as wrong:
            where = f"line {number + len(lines)} of {MINUTES}"
            raise NotUnderstood(f"{where} is not valid: {wrong.message}", path=MINUTES) from None
    return tuple(lines)


def text_of(minutes: Minutes, game: str) -> str:
    """Return the text that keeps the minutes."""
    return "".join(f"{line}\n" for line in (_FIRST.format(game=game), *minutes.lines))


def seated(record: Record, minutes: Minutes) -> Record:
    """Return the game with the names of those who play now, to show it; its head is that of the names before."""
    names = dict(minutes.names)
    return record._replace(players=tuple((colour, names.get(colour, name)) for colour, name in record.players))

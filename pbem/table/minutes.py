"""The minutes of a game: all that was said and decided at its table, line by line, and what follows from them.

They are kept in ``minutes.txt``, where all who play can read them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import reduce
from typing import Final, NamedTuple

from pbem.errors import NotUnderstood
from pbem.first_sparks.record import Record, called
from pbem.table.lines import (
    MINUTES,
    Agrees,
    Closes,
    Disagrees,
    Returns,
    Says,
    TableLine,
    Utterance,
    concerned,
    parse_line,
)
from pbem.table.matters.kinds import Replace
from pbem.table.matters.matter import Matter
from pbem.table.matters.standing import Away, Standing

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


class Minutes(NamedTuple):
    """The minutes of a game: all lines, what holds by them, the motions that nothing has ended.

    *written* has the bytes that the lines of each player take, and of each one's substitutes.
    """

    lines: tuple[TableLine, ...] = ()
    standing: Standing = Standing()
    motions: tuple[Motion, ...] = ()
    written: tuple[tuple[str, int], ...] = ()

    def substitute_key(self, whom: str) -> str:
        """Return the accepted key of whoever plays for an absent player, "" without one."""
        absence = self.standing.absence(whom)
        return absence.said.key if absence is not None else ""

    def void_key(self, by: str, said: Utterance | None, time: int) -> str:
        """Return the key of a substitute, if it does not count for what *by* orders or says at a time; else "".

        The seat, its keys and its absence are the player's own matter, and when the absence is over, everything is.
        """
        is_own = isinstance(said, Away) or (said is not None and concerned(said) == by)
        return self.substitute_key(by) if is_own or self.standing.away(by, time) is None else ""

    def writer(self, line: TableLine) -> str:
        """Return for whom the bytes of a new line are counted: a substitute must not take those of the player.

        Else a player could not say anything any more, not even to be back.
        """
        away = self.standing.away(line.by, line.time)
        is_own = isinstance(line.said, Away | Returns) or concerned(line.said) == line.by
        return line.by if is_own or away is None or not away.substitute else f"the substitute of {line.by}"

    def by(self, mover: str) -> Motion | None:
        """Return the last motion of a player, if it is not over."""
        return next((each for each in self.motions if each.line.by == mover), None)

    def seated_at(self, whom: str) -> int:
        """Return the turn in which somebody else took the seat of a player, -1 if nobody did."""
        given = (line for line in reversed(self.lines) if isinstance(line.said, Replace) and not line.proposed)
        return next((line.turn for line in given if concerned(line.said) == whom), -1)

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
                return minutes._replace(standing=self.standing.gone(line.by, said, line.time))
            case Returns():
                return minutes._replace(standing=self.standing.at_home(line.by, line.time))
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
                kept = tuple(each for each in self.motions if not said.ends(each.matter))
                return minutes._replace(motions=kept, standing=said.standing_after(self.standing, line.time))


class NamedMotion(NamedTuple):
    """A motion, with the *names* that the players had when it was made, by colour."""

    motion: Motion
    names: Mapping[str, str]


def moved_in(lines: Iterable[TableLine], began: Record) -> Iterator[NamedMotion]:
    """Yield every motion in lines of the minutes; *began* has the names with which the game began."""
    names = dict(began.players)
    for line in lines:
        if line.proposed:
            yield NamedMotion(Motion(line), names)
        elif isinstance(line.said, Replace):
            names = {**names, line.said.whom: line.said.name}


class Meeting(NamedTuple):
    """A game in a repository and its minutes, by which a new line is judged; *is_signed* says whether all moves are.

    *asked_since* returns when the game came to what it asks, in seconds since 1970, which takes time to find out.
    """

    record: Record
    minutes: Minutes
    is_signed: bool
    asked_since: Callable[[], int]


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
    return called(record, dict(minutes.standing.names))

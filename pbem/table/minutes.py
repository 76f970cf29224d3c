"""The minutes of a game: all that was said and decided at its table, line by line, and what follows from them.

They are kept in ``minutes.txt``, where all who play can read them.
"""

from datetime import timedelta
from functools import reduce
from typing import Final, NamedTuple

from pbem.errors import NotUnderstood
from pbem.first_sparks.record import Record
from pbem.table.lines import (
    MINUTES,
    Agrees,
    Closes,
    Disagrees,
    Matter,
    Replace,
    Says,
    SetClock,
    TableLine,
    TakeBack,
    concerned,
    parse_line,
)

_FIRST: Final = "first-sparks-minutes/1 {game}"


class Motion(NamedTuple):
    """What a player has proposed, in a line, and who has agreed since."""

    line: TableLine
    agreed: tuple[str, ...] = ()

    @property
    def matter(self) -> Matter:
        """What is proposed."""
        assert isinstance(self.line.said, Matter)
        return self.line.said

    @property
    def by(self) -> str:
        """The colour of the player who has proposed it."""
        return self.line.by

    @property
    def whom(self) -> str:
        """The colour of the player whose seat it is about, or ""."""
        return concerned(self.line.said)


class Minutes(NamedTuple):
    """The minutes of a game: all lines, the clock, the names of those who have taken a seat over, what is proposed.

    The clock was set at a time in seconds since 1970, before which nobody's time begins. *written* has the bytes that
    the lines of each player take.
    """

    lines: tuple[TableLine, ...] = ()
    clock: SetClock = SetClock(timedelta())
    names: tuple[tuple[str, str], ...] = ()
    motions: tuple[Motion, ...] = ()
    clock_set: int = 0
    written: tuple[tuple[str, int], ...] = ()

    def by(self, proposer: str) -> Motion | None:
        """Return what a player has proposed last, if it is open."""
        return next((each for each in self.motions if each.line.by == proposer), None)

    def after(self, line: TableLine) -> "Minutes":
        """Return the minutes after one more line, which ``check`` has accepted."""
        written = {**dict(self.written), line.by: dict(self.written).get(line.by, 0) + len(str(line).encode())}
        minutes, said = self._replace(lines=(*self.lines, line), written=tuple(written.items())), line.said
        others = tuple(each for each in self.motions if each.line.by != line.by)
        match said:
            case Says():
                return minutes
            case Agrees():
                grown = [
                    each._replace(agreed=(*each.agreed, line.by)) if each.line.by == said.proposer else each
                    for each in self.motions
                ]
                return minutes._replace(motions=tuple(grown))
            case Disagrees() | Closes():
                kept = tuple(each for each in self.motions if each.line.by != said.proposer)
                return minutes._replace(motions=kept)
            case _ if line.proposed:
                return minutes._replace(motions=(*others, Motion(line)))
            case _:
                kept = tuple(each for each in self.motions if not _ends(said, each.matter))
                minutes = minutes._replace(motions=kept)
        if isinstance(said, SetClock):
            return minutes._replace(clock=said, clock_set=line.time)
        if isinstance(said, Replace):
            return minutes._replace(names=tuple({**dict(self.names), said.whom: said.name}.items()))
        return minutes


def _ends(decided: Matter, proposed: Matter) -> bool:
    """Return whether a decision ends a proposal: one of its kind or about the same seat, or any when moves are undone.

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

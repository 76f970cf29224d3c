"""The lines of ``minutes.txt``, which keeps what is said and decided at the table of a game.

A line has its time, the turn and the head of the game, who wrote it, and the matter:

    2026-11-22T20:15:30Z 57/5fa0e1b2 red says Well played!
    2026-11-22T20:16:02Z 57/5fa0e1b2 red proposes to take the game back to turn 55
    2026-11-22T20:40:11Z 57/5fa0e1b2 blue agrees with red
    2026-11-22T20:41:00Z 55/0b77c2d9 host decides to answer pass for blue
    2026-11-22T20:50:00Z 56/8c1e4a77 green is away until 2026-12-31, and lets Dora play

In a repository the time is that of the commit; in a club it is that of the last tick, and ``-`` before the first one.
"""

import re
import textwrap
from datetime import UTC, datetime
from typing import Final, Literal, NamedTuple

from pbem.errors import NotUnderstood, UsageError
from pbem.first_sparks.record import HEAD_DIGITS, Record
from pbem.locale import phrase
from pbem.table.matters.kinds import KINDS
from pbem.table.matters.matter import KEY, Matter
from pbem.table.matters.standing import FOREVER, Away
from pbem.table.times import DAY

MINUTES: Final = "minutes.txt"
HOST: Final = "host"  # who writes a line, if it is no player: the host, or the program itself
PROGRAM: Final = "pbem"
LONGEST: Final = 300  # characters that are said in a line
MOST_SAID: Final = 20  # lines of a commit
_DATE: Final = "%Y-%m-%dT%H:%M:%SZ"
_LINE: Final = re.compile(r"(-|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ) (\d{1,9})/([0-9a-f]{8}) ([a-z]{1,12}) (\S.*)", re.ASCII)


class Says(NamedTuple):
    """Talk."""

    text: str
    word: Literal["says"] = "says"

    def __str__(self) -> str:
        return f"says {self.text}"


class Agrees(NamedTuple):
    """Agree to the motion of a player."""

    mover: str
    word: Literal["agrees"] = "agrees"

    def __str__(self) -> str:
        return f"agrees with {self.mover}"


class Disagrees(NamedTuple):
    """Object to the motion of a player, or withdraw the own one; either ends it."""

    mover: str
    word: Literal["disagrees"] = "disagrees"

    def __str__(self) -> str:
        return f"disagrees with {self.mover}"


class Returns(NamedTuple):
    """Be back."""

    word: Literal["back"] = "back"

    def __str__(self) -> str:
        return "is back"


class Closes(NamedTuple):
    """Say that the motion of a player is over, since the game has gone on or somebody has a seat who was not asked.

    Only the program says so, in a club; in a repository everybody finds out from the game.
    """

    mover: str
    word: Literal["closes"] = "closes"

    def __str__(self) -> str:
        return f"closes what {self.mover} has proposed"


# Each of these ends with its word, so that two are never equal.
Utterance = Says | Agrees | Disagrees | Away | Returns | Closes | Matter


def concerned(said: Utterance) -> str:
    """Return the colour of the player whose seat a matter is about, or ""."""
    return said.seat if isinstance(said, Matter) else ""


class TableLine(NamedTuple):
    """A line: its time in seconds since 1970, turn and head of the game then, who has said something, and what.

    The time is 0 if it is not known. *by* is a colour, ``host`` or ``pbem``. A matter is *proposed* if others must
    agree to it, and else decided at once.
    """

    time: int
    turn: int
    head: str
    by: str
    said: Utterance
    proposed: bool = False

    @property
    def words(self) -> str:
        """The player and what that player has said, without the time and the place in the game."""
        if self.said == Disagrees(self.by):
            return f"{self.by} withdraws"
        verb = ("proposes to " if self.proposed else "decides to ") if isinstance(self.said, Matter) else ""
        return f"{self.by} {verb}{self.said}"

    def __str__(self) -> str:
        time = datetime.fromtimestamp(self.time, UTC).strftime(_DATE) if self.time else "-"
        return f"{time} {self.turn}/{self.head} {self.words}"


def date_of(seconds: int) -> datetime:
    """Return a time in seconds since 1970 as a date; at the latest ``FOREVER``."""
    return datetime.fromtimestamp(min(seconds, FOREVER), UTC)


def day_and_time(seconds: int) -> str:
    """Return a time as people read it: ``2026-11-22 20:15 UTC``."""
    return date_of(seconds).strftime("%Y-%m-%d %H:%M UTC")


def line_now(record: Record, by: str, said: Utterance, time: int, *, proposed: bool = False) -> TableLine:
    """Return a new line about a game as it is."""
    return TableLine(time, record.turn, record.head[:HEAD_DIGITS], by, said, proposed)


def parse_line(text: str) -> TableLine:
    """Return what a line says; raises NotUnderstood unless it is written as we write it."""
    found = _LINE.fullmatch(text)
    try:
        if found is None:
            raise NotUnderstood("it must have a time, turn and head, a player, and what that player has said")
        time = 0 if found[1] == "-" else int(datetime.strptime(found[1], _DATE).replace(tzinfo=UTC).timestamp())
        spoken, proposed = _spoken(found[5], found[4])
        line = TableLine(time, int(found[2]), found[3], found[4], spoken, proposed)
    except ValueError as wrong:
        raise NotUnderstood(f"{text[:20]!a} is not a valid time") from wrong
    if str(line) != text:
        raise NotUnderstood("it is not written as pbem writes it")
    return line


def _spoken(text: str, by: str) -> tuple[Utterance, bool]:
    """Return what is said by a player, and whether it is a matter that is only proposed."""
    verb, _, rest = text.partition(" ")
    match verb:
        case "says" if is_talk(rest):
            return Says(rest), False
        case "is" if rest == "back":
            return Returns(), False
        case "is" if found := re.fullmatch(_AWAY, rest):
            away = Away(found[1] or "", found[2] or "", found[3] or "")
            _ = away.ends  # raises NotUnderstood for a day that does not exist
            return away, False
        case "withdraws" if not rest:
            return Disagrees(by), False
        case "agrees" if found := re.fullmatch("with ([a-z]+)", rest):
            return Agrees(found[1]), False
        case "disagrees" if found := re.fullmatch("with ([a-z]+)", rest):
            return Disagrees(found[1]), False
        case "closes" if found := re.fullmatch("what ([a-z]+) has proposed", rest):
            return Closes(found[1]), False
        case "proposes" | "decides" if rest.startswith("to "):
            return matter_in(rest.removeprefix("to ")), verb == "proposes"
        case _:
            raise NotUnderstood("nothing of that kind can be said")


def matter_in(text: str) -> Matter:
    """Return the matter that a line decides or proposes, as it is written there; raises NotUnderstood."""
    for kind in KINDS:
        if found := re.fullmatch(kind.pattern, text):
            return kind.read(found)
    raise NotUnderstood("nothing of that kind can be decided")


_AWAY: Final = rf"away(?: until ({DAY}))?(?:, and lets (\S.*?) play(?:, who signs with ({KEY}))?)?"


def is_talk(text: str) -> bool:
    """Return whether a text can be said in one line."""
    return 0 < len(text) <= LONGEST and text.isprintable() and text == text.strip()


def talk_in(text: str) -> tuple[Says, ...]:
    """Return what a message says, one line each; raises UsageError if it says nothing or too much."""
    said = lines_of_talk(text)
    if not 0 < len(said) <= MOST_SAID:
        most = phrase("a message has at most {n} lines of {characters} characters", n=MOST_SAID, characters=LONGEST)
        raise UsageError(phrase("the message is too long" if said else "the message is empty"), hint=most)
    return said


def lines_of_talk(text: str) -> tuple[Says, ...]:
    """Return what a message says, one line each."""
    plain = ["".join(char for char in line if char.isprintable()).strip() for line in text.splitlines()]
    return tuple(Says(part) for line in plain if line for part in _folded(line))


def _folded(line: str) -> list[str]:
    return textwrap.wrap(line, LONGEST, break_on_hyphens=False)

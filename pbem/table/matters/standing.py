"""What holds at a table by what was said and decided there: its clock, who has which seat or is away, and pauses."""

from datetime import timedelta
from typing import Final, Literal, NamedTuple

from pbem.table.clock import away_until

FOREVER: Final = 253402300799  # the end of the year 9999, in seconds since 1970: minutes may have strange dates

# What is done when the time of a player is up: nothing by itself, the mildest order, or the clan leaves the game.
TimeUp = Literal["tell", "answer", "exclude"]


class Away(NamedTuple):
    """Be away until the end of a day in UTC, ``2026-12-31``, or if that is "", until further notice.

    A *substitute* of that name may play meanwhile, who signs with that *key*; "" if moves are not signed.
    """

    until: str = ""
    substitute: str = ""
    key: str = ""
    word: Literal["away"] = "away"

    def __str__(self) -> str:
        until = f"is away until {self.until}" if self.until else "is away"
        plays = f"{until}, and lets {self.substitute} play" if self.substitute else until
        return f"{plays}, who signs with {self.key}" if self.key else plays

    @property
    def ends(self) -> int:
        """The time when it ends if the player is not back before, in seconds since 1970."""
        return int(away_until(self.until).timestamp()) if self.until else FOREVER


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


class Standing(NamedTuple):
    """What holds at a table: the *time* that the clock gives, zero for any time, and what is done *then*.

    The clock was set at a time in seconds since 1970, before which nobody's time begins. *names* are those of players
    who have taken a seat over, by colour. *absences* are all that there have been, and *pauses* also, from when until
    when. In *respites*, which also begin and end, nobody's time runs although the game goes on.
    """

    time: timedelta = timedelta()
    then: TimeUp = "tell"
    clock_set: int = 0
    names: tuple[tuple[str, str], ...] = ()
    absences: tuple[Absence, ...] = ()
    pauses: tuple[tuple[int, int], ...] = ()
    respites: tuple[tuple[int, int], ...] = ()

    @property
    def is_paused(self) -> bool:
        """Whether the game is paused."""
        return bool(self.pauses) and self.pauses[-1][1] == FOREVER

    @property
    def respite(self) -> int:
        """Until when nobody's time runs although the game goes on, in seconds since 1970; 0 without a respite."""
        return max((ends for _, ends in self.respites), default=0)

    def absence(self, whom: str) -> Absence | None:
        """Return the absence of a player that lasts, though its end may have come; None without one."""
        return next((each for each in self.absences if each.whom == whom and each.lasts), None)

    def away(self, whom: str, time: int) -> Away | None:
        """Return that a player is away at a time in seconds since 1970, None if not."""
        absence = self.absence(whom)
        return absence.said if absence is not None and time < absence.ends else None

    def gone(self, whom: str, said: Away, time: int) -> "Standing":
        """Return what holds when a player goes away at a time."""
        home = self.at_home(whom, time)
        return home._replace(absences=(*home.absences, Absence(whom, said, time, said.ends)))

    def at_home(self, whom: str, time: int) -> "Standing":
        """Return what holds when a player is back at a time, or somebody else has the seat."""
        ended = (each.ended(time) if each.whom == whom and each.lasts else each for each in self.absences)
        return self._replace(absences=tuple(ended))

"""More time for everybody, when all agree: nobody's time is up before the end of a day, though the game goes on."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from typing import ClassVar, Final, Self

from pbem.errors import Illegal
from pbem.locale import Phrase, phrase, phrase_by
from pbem.table.clock import instant
from pbem.table.matters.matter import Matter, MotionTexts, Setting
from pbem.table.matters.standing import Standing
from pbem.table.times import DAY, last_day

_LONGEST: Final = timedelta(days=366)
_NO_CLOCK: Final = "No clock runs in this game now, so nobody's time can be up."
_TOO_LONG: Final = "That day is more than a year away. Ask for more time until an earlier one."


@dataclass(frozen=True)
class Respite(Matter):
    """Let nobody's time run until the end of a *day*, ``2026-12-31``: in UTC, or where clocks have that *offset*."""

    day: str
    offset: str = ""
    word: ClassVar[str] = "more time"
    pattern: ClassVar[str] = rf"give everybody time until the end of ({DAY})(?: \(UTC([+-]\d\d:\d\d)\))?"
    is_of_the_table: ClassVar[bool] = True
    request: ClassVar[str] = "more time until 2026-12-31"
    texts: ClassVar[MotionTexts] = MotionTexts(
        '"more time until 2026-12-31": you ask the others that nobody\'s time is up before the end of that day',
        (
            "{mover} asks for more time until {day}",
            "{name}, {mover} asks for more time until {day}. Do you agree?",
            "{name}, {mover} asks for more time until {day}.",
        ),
        "{mover} asks for more time for everybody. Nobody's time would be up before the end of {day}, and orders would "
        "still be accepted.",
        "{mover} has asked for more time until {day}.",
        "Your motion for more time until {day} is over.",
        ("there is more time until {day}", "{name}, there is more time until {day}."),
        "All of you have agreed to more time, as {mover} asked. Nobody's time is up before the end of {day}. Orders "
        "are still accepted.",
    )

    @property
    def in_words(self) -> Phrase:
        day = f"{self.day} (UTC{self.offset})" if self.offset else self.day
        return phrase("give everybody time until the end of {day}", day=day)

    @property
    def end(self) -> datetime:
        """The end of the day; raises NotUnderstood if it does not exist."""
        return instant(f"{self.day}T00:00:00{self.offset or 'Z'}") + timedelta(days=1)

    @property
    def holes(self) -> Mapping[str, str]:
        shown = partial(last_day, self.day, UTC)
        return {"day": phrase_by(shown(), shown)}

    @classmethod
    def read(cls, found: re.Match[str]) -> Self:
        said = cls(found[1], found[2] or "")
        _ = said.end  # raises NotUnderstood for a day that does not exist
        return said

    @classmethod
    def moved(cls, setting: Setting) -> Self | str:
        """Return that nobody's time runs until the end of a day, which may have 23 hours there, or why not."""
        if not setting.is_timed:
            return phrase(_NO_CLOCK)
        ends = setting.end_of(setting.about["day"])
        if setting.now is not None and ends > setting.now + _LONGEST:
            return phrase(_TOO_LONG)
        midnight = ends.astimezone(setting.zone).replace(tzinfo=UTC)
        offset = datetime.min.replace(tzinfo=timezone(midnight - ends)).isoformat()[-6:]
        return cls(f"{midnight - timedelta(days=1):%Y-%m-%d}", "" if midnight == ends else offset)

    def check(self, setting: Setting) -> None:
        if not setting.is_timed:
            hint = phrase("to set it, when all agree: {clock}", clock='pbem git clock "3 days"')
            raise Illegal(phrase("the clock gives nobody a time that could be up"), hint=hint)
        assert setting.now is not None  # a commit has a date
        if self.end <= setting.now:
            raise Illegal(phrase("{day} is already over", day=self.day))
        if self.end > setting.now + _LONGEST:
            raise Illegal(phrase("{day} is more than a year away", day=self.day))

    def is_past(self, now: datetime | None) -> bool:
        return now is not None and self.end <= now

    def standing_after(self, standing: Standing, time: int) -> Standing:
        return standing._replace(respites=(*standing.respites, (time, int(self.end.timestamp()))))

"""Kinds of motions that only tests have, and the words that move them: about seats, which no kind of ours changes."""

import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar, Final, Self
from unittest.mock import patch

from pbem.locale import Phrase, phrase
from pbem.table.matters.kinds import KINDS
from pbem.table.matters.matter import Matter, MotionTexts, OfSeat, SeatTexts, Setting
from pbem.table.matters.standing import Away, Standing
from pbem.table.people import BOT, Roster, somebody_new
from pbem.table.times import DAY


@dataclass(frozen=True)
class Swap(Matter):
    """Let two players change seats on a day."""

    one: str
    other: str
    day: str
    word: ClassVar[str] = "swap"
    pattern: ClassVar[str] = "let ([a-z]+) and ([a-z]+) swap seats on ([a-z]+)"
    request: ClassVar[str] = "swap with NAME on DAY"
    texts: ClassVar[MotionTexts] = MotionTexts(
        '"swap with" and a name',
        ("{mover} wants to swap", "{name}, {mover} wants to swap.", "{name}, {mover} wants to swap."),
        "{mover} asks to swap seats with {whom} ({colour}) on {day}.",
        "{mover} has asked to swap seats with {whom} on {day}.",
        "Your motion to swap seats with {whom} is over.",
        ("seats are swapped", "{name}, seats are swapped."),
        "{mover} and {whom} have swapped seats.",
    )

    @property
    def in_words(self) -> Phrase:
        return phrase("let {one} and {other} swap seats on {day}", one=self.one, other=self.other, day=self.day)

    @property
    def named(self) -> str:
        return self.other

    @property
    def holes(self) -> Mapping[str, str]:
        return {"day": self.day}

    @classmethod
    def read(cls, found: re.Match[str]) -> Self:
        return cls(*found.groups())

    @classmethod
    def moved(cls, setting: Setting) -> Self | str:
        return cls(setting.by, setting.whom, setting.about["day"])

    def roster_after(self, roster: Roster) -> Roster:
        seats = {self.one: self.other, self.other: self.one}
        by_colour = {player.colour: player for player in roster.players}
        players = (by_colour[seats.get(each, each)]._replace(colour=each) for each in by_colour)
        return roster._replace(players=tuple(players))


def _about_a_seat(what: str, done: str) -> MotionTexts:
    """Return texts about a seat that say no more than *what* is asked, and what others read when it is *done*."""
    return MotionTexts(
        f'"{what}" and a name',
        (f"{{mover}}: {what}", f"{{name}}, {{mover}}: {what}", f"{{name}}, {{mover}}: {what}"),
        f"{{mover}} asks to {what} {{whom}}.",
        f"{{mover}} has asked to {what} {{whom}}.",
        f"Your motion to {what} {{whom}} is over.",
        (done, f"{{name}}, {done}."),
        f"All of you have agreed: {done}.",
        SeatTexts(
            (what, "{name}, it is about your seat."),
            f"{{mover}} asks to {what} you.",
            "Answer this letter to end that.",
            "Say anything to end that.",
            "Nobody asks for that any more.",
            f"{{name}} has written, so your motion to {what} {{name}} is over.",
            (done, f"{{name}}, {done}, and it is your seat."),
            f"It is your seat: {done}.",
        ),
    )


@dataclass(frozen=True)
class BotPlays(OfSeat):
    """Give the seat of a player to a bot, which only a club can do."""

    word: ClassVar[str] = "a bot plays"
    pattern: ClassVar[str] = "let a bot play for ([a-z]+)"
    is_of_the_table: ClassVar[bool] = True
    in_git: ClassVar[bool] = False
    request: ClassVar[str] = "let a bot play for NAME"
    texts: ClassVar[MotionTexts] = _about_a_seat("let a bot play for", "a bot plays")

    @property
    def in_words(self) -> Phrase:
        return phrase("let a bot play for {whom}", whom=self.whom)

    @classmethod
    def moved(cls, setting: Setting) -> Self | str:
        return cls(setting.whom)

    def roster_after(self, roster: Roster) -> Roster:
        before = roster.player(self.whom)
        assert before is not None
        return roster.changed(somebody_new(roster, before, BOT, BOT))


@dataclass(frozen=True)
class Rest(OfSeat):
    """Let a player be away until the end of a day."""

    day: str
    word: ClassVar[str] = "rest"
    pattern: ClassVar[str] = rf"let ([a-z]+) rest until ({DAY})"
    is_of_the_table: ClassVar[bool] = True
    request: ClassVar[str] = "let NAME rest until 2026-12-31"
    texts: ClassVar[MotionTexts] = _about_a_seat("rest", "somebody rests")

    @property
    def in_words(self) -> Phrase:
        return phrase("let {whom} rest until {day}", whom=self.whom, day=self.day)

    @classmethod
    def moved(cls, setting: Setting) -> Self | str:
        return cls(setting.whom, setting.about["day"])

    def standing_after(self, standing: Standing, time: int) -> Standing:
        return standing.gone(self.whom, Away(self.day), time)

    def roster_after(self, roster: Roster) -> Roster:
        before = roster.player(self.whom)
        assert before is not None
        return roster.changed(before._replace(absent=self.day))


MORE: Final[Mapping[type[Matter], str]] = {
    Swap: r"swap with (?P<whom>[a-z]+) on (?P<day>[a-z]+)",
    BotPlays: r"let a bot play for (?P<whom>[a-z]+)",
    Rest: rf"let (?P<whom>[a-z]+) rest until (?P<day>{DAY})",
}


@contextmanager
def moving_more() -> Generator[None]:
    """Let players move what only tests have."""
    moves = {kind.word: words for kind, words in MORE.items()}
    with (
        patch("pbem.table.lines.KINDS", (*KINDS, *MORE)),
        patch.dict("pbem.table.matters.kinds.MOVED", {kind.word: kind for kind in MORE}),
        patch.dict("pbem.reading.recognisers.motions.MOVES", moves),
    ):
        yield

"""Kinds of motions: one that has all that one can have, and one that is about time; the words that move them."""

import re
from collections.abc import Generator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import ClassVar, Self
from unittest.mock import patch

from pbem.locale import Phrase, phrase
from pbem.table.clock import instant, timestamp
from pbem.table.matters.kinds import KINDS
from pbem.table.matters.matter import Matter, MotionTexts, Setting
from pbem.table.matters.standing import Standing
from pbem.table.people import Roster


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
        "Your motion to swap seats with {whom} is over, since the game has gone on.",
        (("seats are swapped", "{name}, seats are swapped."),),
        ("{mover} and {whom} have swapped seats.",),
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


@dataclass(frozen=True)
class MoreTime(Matter):
    """Let nobody's time run until the end of a day, which is kept as a time."""

    until: str
    word: ClassVar[str] = "more time"
    pattern: ClassVar[str] = r"let no time run until (\S+)"
    is_of_the_table: ClassVar[bool] = True
    request: ClassVar[str] = "more time until DAY"
    texts: ClassVar[MotionTexts] = MotionTexts(
        '"more time until" and a day',
        ("{mover} wants more time", "{name}, {mover} wants more time.", "{name}, {mover} wants more time."),
        "{mover} asks that no time runs until {until}.",
        "{mover} has asked that no time runs until {until}.",
        "Your motion to let no time run until {until} is over, since the game has gone on.",
        (("no time runs", "{name}, no time runs."),),
        ("No time runs until {until}, as {mover} asked.",),
    )

    @property
    def in_words(self) -> Phrase:
        return phrase("let no time run until {until}", until=self.until)

    @property
    def holes(self) -> Mapping[str, str]:
        return {"until": self.until}

    @classmethod
    def read(cls, found: re.Match[str]) -> Self:
        return cls(timestamp(instant(found[1])))

    @classmethod
    def moved(cls, setting: Setting) -> Self | str:
        return cls(timestamp(setting.end_of(setting.about["day"])))

    def standing_after(self, standing: Standing, time: int) -> Standing:
        return standing._replace(respites=(*standing.respites, (time, int(instant(self.until).timestamp()))))


@contextmanager
def moving(kind: type[Matter], moves: str) -> Generator[None]:
    """Make it a kind of motion that players move with those words."""
    with (
        patch("pbem.table.lines.KINDS", (*KINDS, kind)),
        patch.dict("pbem.table.matters.kinds.MOVED", {kind.word: kind}),
        patch.dict("pbem.reading.recognisers.motions.MOVES", {kind.word: moves}),
    ):
        yield


def swapping() -> AbstractContextManager[None]:
    """Let players move to swap seats."""
    return moving(Swap, r"swap with (?P<whom>[a-z]+) on (?P<day>[a-z]+)")


def resting() -> AbstractContextManager[None]:
    """Let players move that no time runs."""
    return moving(MoreTime, r"more time until (?P<day>.+)")

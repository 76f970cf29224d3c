"""A kind of motion that has all that one can have, and the words that move it."""

import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar, Self
from unittest.mock import patch

from pbem.locale import Phrase, phrase
from pbem.table.matters.kinds import KINDS
from pbem.table.matters.matter import Matter, MotionTexts, Setting
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


@contextmanager
def swapping() -> Generator[None]:
    """Let players move to swap seats."""
    moves = r"swap with (?P<whom>[a-z]+) on (?P<day>[a-z]+)"
    with (
        patch("pbem.table.lines.KINDS", (*KINDS, Swap)),
        patch.dict("pbem.table.matters.kinds.MOVED", {Swap.word: Swap}),
        patch.dict("pbem.reading.recognisers.motions.MOVES", {Swap.word: moves}),
    ):
        yield

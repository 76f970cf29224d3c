"""The kinds of motions, each in one class: its voters, when it makes sense, what it does, and its sentences.

A new kind is a class here, or like ``respites`` in its own module, and a row of ``KINDS``; what is about a player's
seat is an ``OfSeat``. The words with which players move it by a message stand in ``reading/words/en.toml``, whose named
groups reach ``moved``. If a line is only ``near`` them, its writer is told how to write it. Its command for games in
git is in ``cli/git/table.py``; a kind that a repository cannot have is not ``in_git``, and needs none.

In a club, ``moved`` says why it cannot be done; ``check`` does in a repository, and where all agreed too late. What
it does is a change of the game (``game_after``), of what holds at the table (``standing_after``; another ``clock_set``
gives everybody the full time), or of the players of a club (``roster_after``). A repository keeps in its standing, and
a club in its roster, which player has a seat or is away; new keys, lines of the minutes, and letters about somebody
else in a seat follow from the roster. ``tests/more_kinds.py`` has a kind that does each of these.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import ClassVar, Final, Self, cast

from pbem import rulings
from pbem.errors import Illegal
from pbem.first_sparks.briefing.words import to_write
from pbem.first_sparks.notation import order_phrase
from pbem.first_sparks.play import DrawSource
from pbem.first_sparks.record import Record
from pbem.grammar import phrase_span, span
from pbem.loading import Submission
from pbem.locale import Phrase, phrase, phrase_in
from pbem.table.matters.matter import KEY, Matter, MotionTexts, OfSeat, SeatTexts, Setting, clan
from pbem.table.matters.respites import Respite
from pbem.table.matters.standing import FOREVER, Standing, TimeUp
from pbem.table.matters.takebacks import TakeBack

_NOT_BEGUN: Final = "No order has been given yet. Ask the host, {host}, to give the seat of {whom} to somebody else."
_YOURSELF: Final = "To leave the game yourself, write {resign}."
_ALONE: Final = (
    "Nobody but you would have to agree, and you cannot decide that alone. Ask the host, {host}, who can decide for "
    "{whom}, or give the seat to somebody else or to a bot; if a clock is running, it does what the host has chosen."
)
_WITHOUT: Final = (
    "{mover} asks that the game goes on without {whom} ({colour}). {whom} would leave the game permanently. The clan "
    "could not win any more, and would decide nothing; its members and cards would stay, and it would still hunt and "
    "eat."
)
_WITHOUT_YOU: Final = (
    "{mover} asks the others to go on without you. If all of them agree, you leave the game permanently: your clan "
    "cannot win any more, and decides nothing; its members and cards stay."
)
_CLOCK: Final[Mapping[TimeUp, str]] = {
    "tell": "set the clock to {time}, then tell",
    "answer": "set the clock to {time}, then answer",
    "exclude": "set the clock to {time}, then exclude",
}
_SEAT_AND_KEY: Final = "seat {name} as {whom}, who signs with {key}"


@dataclass(frozen=True)
class Exclude(OfSeat):
    """Go on without a player, whose clan leaves the game."""

    word: ClassVar[str] = "exclude"
    pattern: ClassVar[str] = "go on without ([a-z]+)"
    is_of_the_table: ClassVar[bool] = True
    request: ClassVar[str] = "go on without NAME"
    texts: ClassVar[MotionTexts] = MotionTexts(
        '"go on without" and a name: you ask the others to go on without that player',
        (
            "{mover} asks to go on without {whom}",
            "{name}, {mover} asks to go on without {whom}. Do you agree?",
            "{name}, {mover} asks to go on without {whom}.",
        ),
        _WITHOUT,
        "{mover} has asked that the game goes on without {whom}.",
        "Your motion to go on without {whom} is over.",
        ("the game goes on without {whom}", "{name}, the game goes on without {whom}."),
        "All of you have agreed to go on without {whom}, as {mover} asked. {whom} has left the game.",
        SeatTexts(
            ("{mover} asks to go on without you", "{name}, {mover} asks to go on without you."),
            _WITHOUT_YOU,
            "To keep your seat, answer this letter: any order or word from you ends that motion.",
            "To keep your seat, move, object or say something: any order or word from you ends that motion.",
            "Nobody asks to go on without you any more. You keep your seat.",
            "{name} has written, so your motion to go on without {name} is over.",
            ("you have left the game", "{name}, you have left the game."),
            "The others have agreed to go on without you, as {mover} asked. You have left the game.",
        ),
    )

    @property
    def in_words(self) -> Phrase:
        return phrase("go on without {whom}", whom=phrase_in(self.whom, "clan colour"))

    @classmethod
    def moved(cls, setting: Setting) -> Self | str:
        """Return that the game goes on without somebody, or why that cannot be."""
        record, whom = setting.record, setting.whom
        holes = {"host": setting.host, "whom": dict(record.players)[whom]}
        if whom == setting.by:
            return phrase(_YOURSELF, resign=to_write("resign"))
        if why := setting.why_nobody_waits():
            return why
        if not record.turn:
            return phrase(_NOT_BEGUN, **holes)
        return cls(whom) if {*setting.voting} - {setting.by, whom} else phrase(_ALONE, **holes)

    @classmethod
    def is_moved_by(cls, setting: Setting, motion: Matter, /) -> bool:
        return motion == cls(setting.whom)

    def check(self, setting: Setting) -> None:
        setting.check_in_play(self.whom)
        if self.whom == setting.by:
            hint = phrase("to leave the game: {resign}", resign="pbem git move --order resign")
            raise Illegal(phrase("whoever leaves the game resigns"), hint=hint)

    def game_after(self, record: Record, draw: DrawSource | None) -> Record:
        return _ordered(record, self.whom, "resign", draw)


@dataclass(frozen=True)
class SetClock(Matter):
    """Give every player that time to answer, zero for any time, and say what is done when it is up."""

    time: timedelta
    then: TimeUp = "tell"
    word: ClassVar[str] = "clock"
    pattern: ClassVar[str] = "stop the clock|set the clock to (.+), then (tell|answer|exclude)"
    is_of_the_table: ClassVar[bool] = True
    before_all_have_joined: ClassVar[bool] = True

    @property
    def in_words(self) -> Phrase:
        return phrase(_CLOCK[self.then], time=phrase_span(self.time)) if self.time else phrase("stop the clock")

    @classmethod
    def read(cls, found: re.Match[str]) -> Self:
        return cls(span(found[1], "the clock"), cast("TimeUp", found[2])) if found[1] else cls(timedelta())

    def standing_after(self, standing: Standing, time: int) -> Standing:
        return standing._replace(time=self.time, then=self.then, clock_set=time)


@dataclass(frozen=True)
class ChangeKey(OfSeat):
    """Let a player, or the host, sign with another key from now on, and with no earlier one."""

    key: str
    word: ClassVar[str] = "key"
    pattern: ClassVar[str] = f"let ([a-z]+) sign with ({KEY})"
    is_of_the_table: ClassVar[bool] = True
    before_all_have_joined: ClassVar[bool] = True

    @property
    def in_words(self) -> Phrase:
        return phrase("let {whom} sign with {key}", whom=phrase_in(self.whom, "clan colour"), key=self.key)

    @property
    def keys(self) -> tuple[tuple[str, str], ...]:
        return ((self.whom, self.key),)

    def check(self, setting: Setting) -> None:
        if not setting.is_signed:
            raise Illegal(phrase("moves are not signed in this game, so nobody has a key"))
        if self.whom not in (*dict(setting.record.players), setting.by):  # which may be the host
            raise Illegal(phrase("no player has the colour {colour}", colour=clan(self.whom)))


@dataclass(frozen=True)
class Replace(OfSeat):
    """Give the seat of a player to somebody else, who signs with that key; "" if moves are not signed."""

    key: str
    name: str
    word: ClassVar[str] = "replace"
    pattern: ClassVar[str] = rf"seat (\S.*) as ([a-z]+)(?:, who signs with ({KEY}))?"
    is_of_the_table: ClassVar[bool] = True
    before_all_have_joined: ClassVar[bool] = True

    @property
    def in_words(self) -> Phrase:
        holes = {"name": self.name, "whom": phrase_in(self.whom, "clan colour")}
        return phrase(_SEAT_AND_KEY, **holes, key=self.key) if self.key else phrase("seat {name} as {whom}", **holes)

    @classmethod
    def read(cls, found: re.Match[str]) -> Self:
        return cls(found[2], found[3] or "", found[1])

    def check(self, setting: Setting) -> None:
        setting.check_in_play(self.whom)
        setting.check_key(self.key, phrase("the new player needs a key"), "pbem git replace PLAYER NAME")
        setting.check_name(self.name, self.whom)

    @property
    def keys(self) -> tuple[tuple[str, str], ...]:
        return ((self.whom, self.key),) if self.key else ()

    def standing_after(self, standing: Standing, time: int) -> Standing:
        names = tuple({**dict(standing.names), self.whom: self.name}.items())
        return standing.at_home(self.whom, time)._replace(names=names)


@dataclass(frozen=True)
class Pause(Matter):
    """Pause the game: no orders are accepted and its clock stands still until somebody resumes it."""

    word: ClassVar[str] = "pause"
    pattern: ClassVar[str] = "pause the game"
    is_of_the_table: ClassVar[bool] = True

    @property
    def in_words(self) -> Phrase:
        return phrase("pause the game")

    def check(self, setting: Setting) -> None:
        if setting.standing.is_paused:
            raise Illegal(phrase("the game is already paused"), hint=resumed())

    def standing_after(self, standing: Standing, time: int) -> Standing:
        return standing if standing.is_paused else standing._replace(pauses=(*standing.pauses, (time, FOREVER)))


@dataclass(frozen=True)
class Resume(Matter):
    """Resume a game that is paused."""

    word: ClassVar[str] = "resume"
    pattern: ClassVar[str] = "resume the game"
    is_of_the_table: ClassVar[bool] = True
    is_agreed: ClassVar[bool] = False
    before_all_have_joined: ClassVar[bool] = True

    @property
    def in_words(self) -> Phrase:
        return phrase("resume the game")

    def check(self, setting: Setting) -> None:
        if not setting.standing.is_paused:
            hint = phrase("to pause it, when all agree: {pause}", pause="pbem git pause")
            raise Illegal(phrase("the game is not paused"), hint=hint)

    def standing_after(self, standing: Standing, time: int) -> Standing:
        if not standing.is_paused:
            return standing
        return standing._replace(pauses=(*standing.pauses[:-1], (standing.pauses[-1][0], time)))


@dataclass(frozen=True)
class Answer(Matter):
    """Decide for a player who is asked."""

    whom: str
    order: str
    word: ClassVar[str] = "answer"
    pattern: ClassVar[str] = r"answer (\S.*) for ([a-z]+)"
    is_of_the_table: ClassVar[bool] = True
    is_agreed: ClassVar[bool] = False

    @property
    def in_words(self) -> Phrase:
        whom = phrase_in(self.whom, "clan colour")
        return phrase("answer {order} for {whom}", order=order_phrase(self.order), whom=whom)

    @classmethod
    def read(cls, found: re.Match[str]) -> Self:
        return cls(found[2], found[1])

    def check(self, setting: Setting) -> None:
        setting.check_in_play(self.whom)

    def game_after(self, record: Record, draw: DrawSource | None) -> Record:
        return _ordered(record, self.whom, self.order, draw)


def resumed() -> str:
    """Return how a paused game is resumed."""
    return phrase("any player can resume it: {resume}", resume="pbem git resume")


def _ordered(record: Record, whom: str, order: str, draw: DrawSource | None) -> Record:
    return rulings.judge(record, Submission((order,), player=whom), draw).record


KINDS: Final[tuple[type[Matter], ...]] = (
    TakeBack,
    Exclude,
    Respite,
    SetClock,
    ChangeKey,
    Replace,
    Pause,
    Resume,
    Answer,
)

# Those that a player moves by a message, by their words.
MOVED: Final[Mapping[str, type[Matter]]] = {kind.word: kind for kind in KINDS if kind.request}

"""What a kind of motion is, and what it may ask of the table; the kinds themselves are in ``kinds``."""

import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple, Self

from pbem import game_setup
from pbem.errors import Illegal, UsageError
from pbem.first_sparks.components import COLOURS
from pbem.first_sparks.play import DrawSource
from pbem.first_sparks.record import Record
from pbem.locale import Phrase, phrase, phrase_in, tr
from pbem.table.clock import away_until
from pbem.table.matters.standing import Standing
from pbem.table.times import named_day

if TYPE_CHECKING:  # git has nobody's addresses
    from pbem.table.people import Roster

KEY: Final = r"(?:ssh|ecdsa|sk-ssh|sk-ecdsa)-[a-z0-9@.-]+ [A-Za-z0-9+/]{1,3000}={0,2}"
_LEFT: Final = "{whom} has already left the game."
_BOT: Final = "A bot plays that seat, so nobody waits for it."
_UNSIGNED: Final = "moves are not signed in this game"
_KEY: Final = "name the file with the public key: {command}"
_NO_KEY: Final = "leave out the key: {command}"


def clan(colour: str) -> str:
    """Return the colour of a player in words, ``host`` and ``pbem`` as they are."""
    return phrase_in(colour, "clan colour") if colour in COLOURS else colour


def in_play(record: Record) -> tuple[str, ...]:
    """Return the colours of the players who have not left the game."""
    return tuple(colour for colour, _ in record.players if not record.state.clan(colour).resigned)


class Setting(NamedTuple):
    """In which *record*, with the names of who plays now, and *by* whom something is asked or decided.

    *by* is a colour, or ``host``. *whom* is the colour that it names, or "", and *about* has what else a message says
    about it, in its own words. *voting* are the colours of all who can agree to something, *bots* those for whom bots
    play, and *host* is the host's name. What holds at the table is its *standing*; a clock may give players a time, and
    moves be signed. *now* is the latest time that is known, and days end by the clocks of the *zone*.
    """

    record: Record
    by: str
    whom: str = ""
    about: Mapping[str, str] = MappingProxyType({})
    voting: Collection[str] = ()
    bots: Collection[str] = ()
    host: str = ""
    standing: Standing = Standing()
    is_timed: bool = False
    is_signed: bool = False
    now: datetime | None = None
    zone: tzinfo = UTC

    def end_of(self, day: str) -> datetime:
        """Return the end of a day in somebody's words; raises NotUnderstood if it does not exist or is over."""
        return away_until(named_day(day, self.now, self.zone), self.now, self.zone)

    def why_nobody_waits(self) -> str:
        """Return why nobody waits for the player whom a message names, "" if that is not so."""
        if self.record.state.clan(self.whom).resigned:
            return phrase(_LEFT, whom=dict(self.record.players)[self.whom])
        return phrase(_BOT) if self.whom in self.bots else ""

    def check_in_play(self, whom: str) -> None:
        """Raise Illegal unless that colour is in the game, and has not left it."""
        if whom not in in_play(self.record):
            raise Illegal(phrase("no player of the colour {colour} is in the game", colour=clan(whom)))

    def check_key(self, key: str, needed: str, command: str) -> None:
        """Raise Illegal unless a key is given if and only if moves are signed; *needed* says who needs one."""
        if self.is_signed and not key:
            raise Illegal(needed, hint=phrase(_KEY, command=f"{command} KEY.pub"))
        if key and not self.is_signed:
            raise Illegal(phrase(_UNSIGNED), hint=phrase(_NO_KEY, command=command))

    def check_name(self, name: str, whom: str) -> None:
        """Raise Illegal unless somebody of that name can play for the colour *whom*."""
        with suppress(UsageError):
            if game_setup.clean_name(name) == name:
                taken = {other.casefold() for colour, other in self.record.players if colour != whom}
                if name.casefold() in taken or name.casefold() in dict(self.record.players):
                    raise Illegal(phrase("another player is called {name}", name=name))
                return
        hint = phrase("a name has 1 to 24 letters, digits, spaces and symbols, but none of : * [ ]")
        raise Illegal(phrase("that is not a name for a player"), hint=hint)


class SeatTexts(NamedTuple):
    """What the player reads whose seat a motion is about, with the same holes as in ``MotionTexts``.

    It *warns* below a headline, and says how the player *ends* it: by any answer to the letter, or *anywhere* by any
    word. The player reads that the seat is *safe* then, and the mover why it *stays*, with the hole ``name``.
    """

    headline: tuple[str, ...]
    warns: str
    ends: str
    anywhere: str
    safe: str
    stays: str
    done_headline: tuple[str, ...]
    done: str


class MotionTexts(NamedTuple):
    """A kind of motion in words: its line of help, the headline of the letter that asks to agree, what is asked.

    When it is *done*, everybody reads that, below a headline of its own; whose *seat* it is about reads something else.
    All are whole messages with the holes ``mover``, ``whom`` and ``colour`` (of the player whom it names), and those of
    the kind.
    """

    help: str
    headline: tuple[str, ...]
    asks: str
    has_asked: str
    too_late: str
    done_headline: tuple[str, ...] = ()
    done: str = ""
    seat: SeatTexts | None = None


class Matter(ABC):
    """What can be decided at a table, at once or when others have agreed to a motion; every kind is a value.

    What is not said of a kind is as here: all who still play must agree, and the motion is open only while the game
    does not go on. It changes nothing, and nobody moves it by a message.
    """

    word: ClassVar[str]  # of the kind, by which ``reading/words`` names what moves it
    pattern: ClassVar[str]  # how it stands in the minutes, as ``str`` writes it
    is_of_the_table: ClassVar[bool] = False  # about who plays and how, so that it is open at any time
    is_agreed: ClassVar[bool] = True  # whether anybody has to agree
    before_all_have_joined: ClassVar[bool] = False
    in_git: ClassVar[bool] = True  # whether it can also be decided in a repository, where nobody has an address
    request: ClassVar[str] = ""  # what a player writes in a message to move it, with NAME; nothing if nobody can
    texts: ClassVar[MotionTexts]  # of those with a request

    @property
    @abstractmethod
    def in_words(self) -> Phrase:
        """What is decided, as the minutes have it in English."""

    def __str__(self) -> str:
        return str(self.in_words)

    @property
    def seat(self) -> str:
        """The colour of the player whose seat it is about, or "".

        That player need not agree, but any sign of life ends the motion; in a repository, the others wait for silence.
        """
        return ""

    @property
    def named(self) -> str:
        """The colour of the player whom its words name, or "": by default the one whose seat it is about."""
        return self.seat

    @classmethod
    def read(cls, _found: re.Match[str]) -> Self:
        """Return what a line of the minutes says that the pattern has *found*; raises NotUnderstood."""
        return cls()

    @classmethod
    def moved(cls, _setting: Setting) -> Self | str:
        """Return what a player moves by a message, or why that cannot be; raises NotUnderstood, for the player."""
        return cls()

    @classmethod
    def is_moved_by(cls, setting: Setting, motion: "Matter", /) -> bool:
        """Return whether whoever asks for it while that is moved agrees to that; else it is another matter."""
        return cls.moved(setting) == motion

    def check(self, setting: Setting) -> None:  # noqa: B027 -- most kinds can always be done
        """Raise Illegal if it cannot be done in this game, whoever agrees."""

    def is_past(self, _now: datetime | None) -> bool:
        """Return whether it makes no sense any more at a time, if that is known."""
        return False

    def ends(self, other: "Matter", /) -> bool:
        """Return whether it ends a motion when it is decided, since what was agreed before might not be after it."""
        return type(self) is type(other) or bool(self.seat and self.seat == other.seat)

    # What it does

    def game_after(self, record: Record, _draw: DrawSource | None) -> Record:
        """Return the game after it was decided, the same for what changes only the table; raises Illegal."""
        return record

    def standing_after(self, standing: Standing, _time: int) -> Standing:
        """Return what holds at the table after it was decided at a time, in seconds since 1970."""
        return standing

    @property
    def keys(self) -> tuple[tuple[str, str], ...]:
        """The players, by colour, who sign with another key from now on, and with no earlier one; and that."""
        return ()

    def roster_after(self, roster: "Roster") -> "Roster":
        """Return who has which seat of a club's game after it was decided there."""
        return roster

    # In words

    @property
    def holes(self) -> Mapping[str, str]:
        """What fills the holes of its words, besides the players."""
        return {}

    def asked(self, holes: Mapping[str, str], _record: Record) -> str:
        """Return what others are asked to agree to, whose *holes* are those of ``MotionTexts``."""
        return tr(self.texts.asks).format_map(holes)


@dataclass(frozen=True)
class OfSeat(Matter):
    """What is about the seat of a player, the colour *whom*; its line names that first."""

    whom: str

    @property
    def seat(self) -> str:
        """The colour of the player whose seat it is about."""
        return self.whom

    @classmethod
    def read(cls, found: re.Match[str]) -> Self:
        """Return what a line of the minutes says that the pattern has *found*."""
        return cls(*found.groups())

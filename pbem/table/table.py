"""The table: a game, who plays it, and all that has been said, agreed and asked around it, as one value."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any, ClassVar, Final, NamedTuple, Protocol, Self

from pbem import game_files
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.plans.plan import renewed_market
from pbem.first_sparks.plans.waves import as_asked, asked_together
from pbem.first_sparks.play import DrawSource
from pbem.first_sparks.record import Record
from pbem.first_sparks.state import CHANCE, GameState
from pbem.game_page import final_page
from pbem.locale import Language
from pbem.plans.answers import bots_in, is_ready, never
from pbem.plans.intents import Intent
from pbem.table.clock import Clock, Situation, Terms, Until, away_until, time_to_look
from pbem.table.costs import Counts
from pbem.table.due import time_to_answer
from pbem.table.letters.letter import Letter
from pbem.table.lines import Utterance, line_now, lines_of_talk
from pbem.table.matters.matter import Setting
from pbem.table.minutes import Minutes, Motion
from pbem.table.motions import is_open, missing, voters
from pbem.table.people import BOT, Player, Roster, as_seated, bot_seats, in_force
from pbem.table.questions import Asking, asking, awaited
from pbem.table.talk import Saying, with_words

NO_REASON: Final = "no reason was given"  # what a pause without a reason is kept as


class House(Protocol):
    """What people at a table know of the club in which it stands: its host, its customs, and how one answers letters.

    With waves, players whose answers do not depend on each other are asked at the same time.
    """

    @property
    def host(self) -> str:
        """The host, as players know them."""
        ...

    @property
    def waves(self) -> bool:
        """Whether several are asked at the same time."""
        ...

    @property
    def zone(self) -> tzinfo:
        """The time zone of the times in letters."""
        ...

    to_answer: ClassVar[str]  # how to answer a letter, with a hole for an order
    how_to_play: ClassVar[str]  # how to play, for newcomers
    help: ClassVar[str]  # the answer to a request for help

    def id_of(self, letter: Letter) -> str:
        """Return the id by which a reply names the letter."""
        ...


class Beside(NamedTuple):
    """What is outside the table, as functions: nothing of it is looked at before it is needed.

    The *draw*s of chance; the game as it is *published* once it is over; the drawn *board* as PNG, in a
    language that is spoken; the text of an
    accepted *message*, by its row of the journal (raises PbemError); and a *new_key* for tickets.
    """

    draw: Callable[[], DrawSource | None]
    published: Callable[[Record], Record]
    board: Callable[[Record, Language], bytes]
    message: Callable[[Mapping[str, Any]], str]
    new_key: Callable[[], bytes]


@dataclass(frozen=True, eq=False)
class Table:
    """A game that has begun, as it is *kept* in its file, and what people do around it.

    *ahead* is what has been said ahead, by colour, also by those whose seat somebody else has now; *sayings* are the
    table talk that somebody has not got yet; *notes* are those that players have written to themselves. *terms* are
    those of the clock, None if they cannot be read, which the next tick reports. *rows* are those of the journal, and
    *serial* grows with each of them, so that no letter has the id of an earlier one, even if it says the same. *cost*
    is what the game has cost, for its last letter.
    """

    house: House
    beside: Beside
    roster: Roster
    kept: Record
    ahead: Mapping[str, Intent] = field(default_factory=dict[str, Intent])
    sayings: tuple[Saying, ...] = ()
    notes: Mapping[str, str] = field(default_factory=dict[str, str])
    minutes: Minutes = field(default_factory=Minutes)
    terms: Terms | None = None
    clock: Clock = field(default_factory=Clock)
    rows: Sequence[dict[str, Any]] = ()
    serial: int = 0
    cost: Counts | None = None

    def but(self, **changes: Any) -> Self:  # noqa: ANN401 -- as replace has it
        """Return the table with other values."""
        return replace(self, **changes)

    # The game

    @property
    def name(self) -> str:
        """The game's id."""
        return self.kept.game

    @cached_property
    def record(self) -> Record:
        """The game with the names of the current players."""
        return as_seated(self.kept, self.roster)

    @property
    def decides(self) -> str:
        """The colour of the player whose turn it is, or nothing."""
        return decides(self.kept)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return isinstance(self.kept.state.phase, Ended)

    @cached_property
    def names(self) -> dict[str, str]:
        """The names of the current players, by colour."""
        return dict(self.record.players)

    # What is said and decided

    def with_line(self, by: str, said: Utterance, *, proposed: bool = False) -> Self:
        """Return the table with one more line in its minutes."""
        time = int(self.now.timestamp()) if self.now is not None else 0
        return self.but(minutes=self.minutes.after(line_now(self.kept, by, said, time, proposed=proposed)))

    def with_words(self, speaker: Player, words: str) -> Self:
        """Return the table with what a player says, which the others have not read yet."""
        told = self.but(sayings=with_words(self.sayings, self.roster, speaker, words))
        for said in lines_of_talk(words):
            told = told.with_line(speaker.colour, said)
        return told

    @property
    def motion(self) -> Motion | None:
        """What a player has asked all others to agree to, which may be over: there is one motion at a time."""
        return self.minutes.motions[-1] if self.minutes.motions else None

    @cached_property
    def open_motion(self) -> Motion | None:
        """The motion that is open."""
        return self.motion if self.motion is not None and self.is_open(self.motion) else None

    def is_open(self, motion: Motion) -> bool:
        """Return whether a motion that nobody has ended is open still, as ``motions.is_open`` has it.

        It is over as well if its day has passed, or if its mover or the player concerned has left or lets a bot play.
        """
        concerned = {motion.by, motion.whom} - {""}
        return is_open(motion, self.kept) and concerned <= set(self.voting) and not motion.matter.is_past(self.now)

    @cached_property
    def voting(self) -> tuple[str, ...]:
        """The colours of all who can agree to something: people who still play, or who stand in for them."""
        clan = self.kept.state.clan
        return tuple(p.colour for p in self.roster.players if p.reader != BOT and not clan(p.colour).resigned)

    def voters(self, motion: Motion) -> tuple[Player, ...]:
        """Return those who must agree to a motion."""
        asked = voters(motion.matter, motion.by, self.voting)
        return tuple(player for player in self.roster.players if player.colour in asked)

    def missing(self, motion: Motion) -> tuple[Player, ...]:
        """Return those who must still agree to a motion."""
        asked = missing(motion, self.voting)
        return tuple(player for player in self.roster.players if player.colour in asked)

    def setting(self, by: str, whom: str = "", about: Mapping[str, str] = MappingProxyType({})) -> Setting:
        """Return where somebody asks or decides something: *about* is what a message says of it and of *whom*."""
        return Setting(
            self.record,
            by,
            whom,
            about,
            voting=self.voting,
            bots=tuple(player.colour for player in self.roster.players if player.reader == BOT),
            host=self.house.host,
            standing=self.minutes.standing,
            is_timed=self.now is not None,
            now=self.now,
            zone=self.house.zone,
        )

    # Who is asked

    @cached_property
    def in_force(self) -> dict[str, Intent]:
        """What has been said ahead by those who read the letters of their seats now."""
        return in_force(self.ahead, self.roster)

    @cached_property
    def asking(self) -> Asking:
        """The players who are asked and have not answered, and what was said ahead and still counts.

        A name that is missing here tells of a plan or an early answer, so no other player may learn of any of it: what
        others read follows from ``questioned``. ``tests/table/test_secrecy.py`` compares all that they read.
        """
        seats, paused = bot_seats(self.roster), bool(self.roster.paused)
        return asking(self.kept, self.in_force, seats, waves=self.house.waves, waits=self.waits, paused=paused)

    @property
    def asked(self) -> tuple[str, ...]:
        """The colours that are asked and have not answered, which no other player may learn: see ``asking``."""
        return self.asking.asked

    @property
    def questioned(self) -> tuple[str, ...]:
        """The colours that the game asks now, whether or not they have answered ahead, which everybody may know.

        Whoever decides comes first. Without hidden food, a player who has no choice is not asked.
        """
        return asked_together(self.kept.state) if self.house.waves else tuple(filter(None, (self.decides,)))

    def state_for(self, player: Player) -> GameState:
        """Return the game as the player is asked: as if it were already their turn, if others are asked as well."""
        state = self.record.state
        return as_asked(state, player.colour) if player.colour in self.asked else state

    # Time

    @property
    def now(self) -> datetime | None:
        """The time as of the last tick, if there has been one."""
        return self.clock.last

    @cached_property
    def waits(self) -> Until:
        """Until when plans wait in the technology phase of a game round, like ``clock.time_to_look``."""
        return never if self.terms is None else partial(time_to_look, self.terms, self.clock)

    @cached_property
    def look(self) -> datetime | timedelta | None:
        """Until when plans wait since the market was renewed, or for how long if no tick has seen it, or None."""
        return self.waits(renewed_market(self.kept.state))

    @cached_property
    def situation(self) -> Situation:
        """What a tick needs to know, and all that asks when somebody's time is up."""
        roster, zone, respite = self.roster, self.house.zone, self.minutes.standing.respite
        return Situation(
            tuple(awaited(self.kept, colour, waves=self.house.waves) for colour in self.asked),
            tuple((each.colour, away_until(each.absent, zone=zone)) for each in roster.players if each.absent),
            frozenset(each.colour for each in roster.players if roster.stands_in(each)),
            frozenset(each.colour for each in roster.players if roster.can_have_bot(each)),
            bool(roster.paused),
            renewed_market(self.kept.state),
            is_ready(self.kept, self.in_force, bots_in(bot_seats(roster))),
            datetime.fromtimestamp(respite, UTC) if respite else None,
        )

    @cached_property
    def due(self) -> dict[str, datetime | timedelta]:
        """Until when those who are asked have to answer, as ``due.time_to_answer`` says; nothing without a clock."""
        return {} if self.terms is None else time_to_answer(self.terms, self.clock, self.situation)

    # What letters have beside them, which is the same for all who read one language

    def picture(self, language: Language) -> bytes:
        """Return the drawn board as PNG for those who read that language, which is spoken; nothing without pictures."""
        if language not in self._pictures:
            self._pictures[language] = self.beside.board(self.record, language)
        return self._pictures[language]

    def attached(self, language: Language) -> tuple[tuple[str, str], ...]:
        """Return the files about a game that is over, each name with its text, for those who read that language.

        They are the game, and its page in the language that is spoken, if that is not too large.
        """
        if not self.is_over:
            return ()
        if language not in self._pages:
            self._pages[language] = final_page(self.record, language=language)
        page = self._pages[language]
        return (self._game_file, (f"{self.name}.html", page)) if page else (self._game_file,)

    @cached_property
    def _game_file(self) -> tuple[str, str]:
        return f"{self.name}.toml", game_files.text_of(self.kept, "toml")

    @cached_property
    def _pictures(self) -> dict[Language, bytes]:
        return {}

    @cached_property
    def _pages(self) -> dict[Language, str]:
        return {}


def decides(record: Record) -> str:
    """Return the colour of the player whose turn it is, or nothing."""
    colour = who_decides(record.state)
    return colour if colour is not None and colour != CHANCE else ""

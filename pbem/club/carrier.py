"""A carrier: a way for the letters of a club to travel, by mail, as files in folders, or any other way.

Whoever writes another one begins here. A carrier is a kind of ``Club`` with these six methods, and with its own words:

1. ``posted`` says which files bring a letter of a game. They are written in one change with the game, or not at all.
2. ``put`` brings a letter that belongs to no game.
3. ``id_of`` names a letter, so that the journal knows to which of them somebody replies.
4. ``text_of`` is the text of a message that was kept. If there is more to it, so is ``post_of``.
5. ``is_address`` and 6. ``is_ours`` judge addresses: where letters can go, and where no player reads them.

What comes in, it hands to ``pbem.carriers.rounds``, which knows players, games, replies and the clock. ``settings_of``
and ``create`` in ``pbem.club.settings`` read and make the club. ``tests/messenger.py`` is a whole one of 91 lines.

The commands of hosts that any club has find its module, which is a ``Carrier``, in ``CARRIERS`` of
``pbem/cli/host/clubs.py``. A carrier has its own commands to make a club, begin a game,
run it and show its status, like those in ``pbem/cli/club.py``.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from datetime import tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple, Self

from pbem.locale import Language
from pbem.table.letters.letter import Letter
from pbem.table.times import zone_of

if TYPE_CHECKING:  # what reads a message is only loaded for one
    from pbem.reading.context import Context
    from pbem.reading.message import Post


class Posted(NamedTuple):
    """A letter as its carrier has it: the file that queues it and its bytes, and the files that lie beside it."""

    path: Path
    data: bytes
    beside: tuple[tuple[Path, bytes], ...] = ()


@dataclass(frozen=True, init=False, repr=False, eq=False)  # its kinds, which are also dataclasses, have these
class Club(ABC):
    """A club as set in its ``club.toml``: the adjudicator's address and the host's, and its limits.

    *picture* draws the board in letters where possible. For more than *answers_at_once* players at a time the clock
    does not decide without the host's consent. With *waves*, players whose answers do not depend on each other are
    asked at the same time. *timezone* is the zone (``Europe/Berlin``) of the times in letters and
    ``status``, and of the end of a day. *strangers* are always answered, or only while a game has free seats, with at
    most *strangers_a_day* letters, and as many that ask for confirmation. Players read letters in the *language* until
    they or the host choose another.
    """

    # The format of its ``club.toml``, and how to make such a club.
    form: ClassVar[str]
    to_make: ClassVar[str]
    # How to answer a letter, with a hole for an order; how to play, for newcomers; the answer to "help".
    to_answer: ClassVar[str]
    how_to_play: ClassVar[str]
    help: ClassVar[str]
    # How the host's commands begin, and the one that lets the clock decide for many players at once.
    command: ClassVar[str]
    to_release: ClassVar[str]
    # Whether every message of a player adds to the secret of the draws.
    salts: ClassVar[bool] = False
    # What is wrong with text that is not an address, and what an address looks like.
    not_an_address: ClassVar[str] = "{text} is not a valid address"
    address_hint: ClassVar[str] = "for example: Ann=ann@example.org"

    folder: Path
    address: str
    host: str
    picture: bool = True
    answers_at_once: int = 5
    waves: bool = True
    timezone: str = "UTC"
    strangers: Literal["answer", "silent"] = "silent"
    strangers_a_day: int = 20
    language: Language = "en"

    @property
    def zone(self) -> tzinfo:
        """The time zone of the club."""
        return zone_of(self.timezone)

    @property
    def games(self) -> Path:
        """The folder with one folder per game."""
        return self.folder / "games"

    @property
    def journal(self) -> Path:
        """One line for each message that belongs to no game."""
        return self.folder / "journal.ndjson"

    @property
    def travels(self) -> bool:
        """Whether something is to bring messages and letters, so that the club is not only for trying out."""
        return False

    @abstractmethod
    def posted(self, letter: Letter) -> Posted:
        """Return the letter as the carrier has it: the same file and bytes for the same letter."""

    @abstractmethod
    def put(self, letter: Letter) -> None:
        """Queue a letter that belongs to no game; the same letter is queued only once."""

    @abstractmethod
    def id_of(self, letter: Letter) -> str:
        """Return the id by which a reply names the letter."""

    @abstractmethod
    def text_of(self, raw: bytes) -> str:
        """Return the text of a kept message; raises NotUnderstood."""

    def post_of(self, raw: bytes, context: "Context") -> "Post":
        """Return a kept message that was written in that *context*, as far as it is understood."""
        from pbem.reading.message import of_text

        return of_text(raw, self.text_of(raw), context)[0]

    @abstractmethod
    def is_address(self, text: str) -> bool:
        """Return whether letters can be sent there."""

    @abstractmethod
    def is_ours(self, address: str) -> bool:
        """Return whether messages to that address reach the club itself."""

    def wrong_with(self, text: str) -> str:
        """Return what keeps text from being an address, "" if nobody can tell."""
        return ""

    def changed(self, **settings: object) -> Self:
        """Return the club with other settings."""
        return replace(self, **settings)  # type: ignore[arg-type]

"""What can happen at a table, as values; ``tell`` says who hears of each, and in which words.

None of them says what has become of the game: that is in the table before and the table after.
"""

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from pbem.first_sparks.adjudicator import Entry
from pbem.page.page import Sections
from pbem.reading.message import Post
from pbem.table.clock import Remind, Terms, Warn
from pbem.table.letters.headlines import Headline
from pbem.table.letters.letter import Passage
from pbem.table.minutes import Motion
from pbem.table.people import Player
from pbem.table.table import Table

if TYPE_CHECKING:  # what reads a plan is only loaded for messages with one
    from pbem.first_sparks.plans.read import PlanLines


class DirectAnswer(NamedTuple):
    """The answer to a message, which only its writer gets: *why*, below what it *says* in its headline.

    Both are made with the letter, in the language of its reader. Talk and news of plans wait for another letter, unless
    it *reports* what the plan of the writer did. One that *asks* for a confirmation leaves something to decide.
    """

    to: Player
    why: Passage
    says: Callable[[], Headline] | None
    in_reply_to: str = ""
    error: bool = False
    shows: bool = False
    reports: bool = False
    asks: bool = False


class Moved(NamedTuple):
    """A *player* has given *orders*, or said something ahead in *lines* of a plan or in an early answer.

    The *receipt* and the *answers* to requests in the same message go to the *writer*, in whose language they are made.
    """

    player: Player
    writer: Player
    post: Post
    orders: tuple[str, ...]
    lines: "PlanLines | None"
    receipt: Passage
    answers: Callable[[Table], Sections]


class Agreed(NamedTuple):
    """All who had to have agreed to the *motion*, and it was carried out; a takeback is told apart."""

    motion: Motion


class Spoke(NamedTuple):
    """A *player* has said something to the table."""

    player: Player


class WentAway(NamedTuple):
    """The player, who was as *before*, is away from now on; the host has said so, or the player."""

    before: Player
    by_host: bool = False


class CameBack(NamedTuple):
    """The player, who was as *before*, is back; the host has said so, or the player."""

    before: Player
    by_host: bool = False


class Replaced(NamedTuple):
    """Somebody has the seat that another player had *before*, or the same player has another address."""

    before: Player


class Paused(NamedTuple):
    """The host has paused the game."""


class Resumed(NamedTuple):
    """The game goes on after a pause."""


class Resent(NamedTuple):
    """The host wants the question to be sent again, or the situation *to_all*."""

    to_all: bool


class TakenBack(NamedTuple):
    """The moves *undone* do not count any more, as all have agreed to the *motion*, or as the host wants."""

    undone: tuple[Entry, ...]
    motion: Motion | None


class MotionMade(NamedTuple):
    """A player asks all others to agree to something."""

    motion: Motion


class MotionOver(NamedTuple):
    """The *motion* is over because of what a player, the colour *by*, has done about it; *stays* if by any message."""

    motion: Motion
    by: str
    stays: bool = False


class MotionFailed(NamedTuple):
    """All have agreed to the *motion*, but it could not be carried out, so it is over."""

    motion: Motion


class Reminded(NamedTuple):
    """The clock reminds or warns a player who is still asked, at that time."""

    effect: Remind | Warn
    terms: Terms
    at: datetime


class HandedOver(NamedTuple):
    """The time of a player, who was as *before*, is up, so that somebody else or a bot stands in from now on."""

    before: Player


class AbsenceOver(NamedTuple):
    """The time for which a player, who was as *before*, wanted to be away is over."""

    before: Player


class Unproved(NamedTuple):
    """Somebody has written in a *player*'s name without a proof."""

    player: Player


class GameBegun(NamedTuple):
    """All seats are taken, and the game has begun."""


Occurrence = (
    DirectAnswer
    | Moved
    | Agreed
    | Spoke
    | WentAway
    | CameBack
    | Replaced
    | Paused
    | Resumed
    | Resent
    | TakenBack
    | MotionMade
    | MotionOver
    | MotionFailed
    | Reminded
    | HandedOver
    | AbsenceOver
    | Unproved
    | GameBegun
)

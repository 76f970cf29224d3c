"""A player's message at a table, and what follows from it: an answer to the writer, unless there were too many."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from pbem.locale import phrase
from pbem.plans.intents import Intent
from pbem.reading.message import Post
from pbem.reading.ticket import Ticket
from pbem.table.letters.headlines import Headline
from pbem.table.letters.letter import Passage, phrases, together
from pbem.table.messages.verdict import Code
from pbem.table.occurrences import DirectAnswer, Occurrence
from pbem.table.people import Player, of_reader
from pbem.table.progress import Progress, stand_still
from pbem.table.table import Table

# The most replies to one player in one turn: two robots that answer each other must come to an end.
MOST_REPLIES: Final = 20
MOST_NOTED: Final = 2 * MOST_REPLIES  # messages; after that only orders that can be played are looked at
MOST_WORDY: Final = 6  # to messages with words, or with orders for another turn; a person writes a third one too
MOST_EMPTY: Final = 2
LAST: Final = (
    "This is my last reply to a message like this in this turn. I will still play any order from you that is legal."
)
NO_MORE: Final = "no more replies in this turn"


class PlayersMessage(NamedTuple):
    """A message of a *player*, written with a ticket for the situation that it *said*, at a table.

    With a ticket that is not *valid*, such as one from before a takeback, everything is late. *already* are occurrences
    that follow from any message of the player; the table is as it is after them, *before* as it was. *unheard* says
    that its words are not passed on beside a request, if that is so.
    """

    before: Table
    table: Table
    player: Player
    said: Ticket
    post: Post
    valid: bool = True
    already: tuple[Occurrence, ...] = ()
    unheard: str = ""

    @property
    def colour(self) -> str:
        """The colour of the player."""
        return self.player.colour

    @property
    def today(self) -> datetime | None:
        """The latest time that is known: that of the last tick or of the message."""
        return max(filter(None, (self.table.now, self.post.came)), default=None)

    @property
    def intent(self) -> Intent:
        """What the reader of the seat's letters has said ahead."""
        return of_reader(self.table.ahead, self.player)


class Heard(NamedTuple):
    """What follows from a message: a code, words for the host, and the *step* that it makes, None for nothing at all.

    *row* is what the journal notes besides; a message that *counts* is kept, so that the game can be rebuilt. Of one
    that is not *noted* the journal says nothing but what follows from any message.
    """

    code: Code
    words: str
    step: Progress | None = None
    row: Mapping[str, Any] = MappingProxyType({})
    counts: bool = False
    is_noted: bool = True


def answer(
    message: PlayersMessage,
    code: Code,
    why: Passage,
    says: Callable[[], Headline] | None = None,
    *,
    words: str,
    error: bool = False,
    row: Mapping[str, Any] = MappingProxyType({}),
    step: Progress | None = None,
    counts: bool = False,
    reports: bool = False,
    to: Player | None = None,
) -> Heard:
    """Return an answer to the player about the game as it is, unless a robot may have written.

    *words* are for the host. *step* is what has followed from the message, if that is more than the answer.
    """
    step = step or stand_still(message.before, message.table)
    post, left = message.post, replies_left(message, code)
    if post.person and left:
        why = together(why, phrases(phrase(LAST))) if left == 1 else why
        shows, to = "show" in post.requests, (to or message.player).writer
        asks = code == "proposed"
        own = DirectAnswer(to, why, says, post.message_id, error=error, shows=shows, reports=reports, asks=asks)
        step = step._replace(occurrences=(own, *step.occurrences))
    return heard(message, code, words, step, row, counts=counts)


def heard(
    message: PlayersMessage,
    code: Code,
    words: str,
    step: Progress,
    row: Mapping[str, Any] = MappingProxyType({}),
    *,
    counts: bool = False,
) -> Heard:
    """Return what follows from a message; nothing, if there were too many in this turn."""
    step = step._replace(occurrences=(*step.occurrences, *message.already))
    if code != "played" and not message.post.instead and len(_mine(message)) >= MOST_NOTED:
        silent = stand_still(message.before, message.table, *message.already) if message.already else None
        return Heard("silent", "too many messages in this turn", silent, is_noted=False)  # the journal must not grow
    return Heard(code, words, step, row, counts)


def unanswered(message: PlayersMessage, code: Code) -> Heard:
    """Return what follows from a message that gets no reply any more, so that nothing is done."""
    return heard(message, code, NO_MORE, stand_still(message.before, message.table))


def replies_left(message: PlayersMessage, code: str) -> int:
    """Return how many more replies the player may get in this turn."""
    mine, post = _mine(message), message.post
    left = MOST_REPLIES - len(mine)
    if code in ("empty", "heard", "late"):
        most = MOST_WORDY if post.words or post.orders or post.plan or post.early else MOST_EMPTY
        left = min(left, most - sum(row.get("code") == code for row in mine))
    return max(0, left)


def _mine(message: PlayersMessage) -> Sequence[dict[str, Any]]:
    """Return the rows of the journal about the player in this turn."""
    turn = message.table.kept.turn
    return [row for row in message.table.rows if row.get("colour") == message.colour and row.get("turn") == turn]

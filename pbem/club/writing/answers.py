"""The answer to a player's message: a letter, unless that player has had too many, and a row of the journal."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from pbem.ahead.intents import Intent
from pbem.club.reading.received import Code, Post, Verdict, id_digest
from pbem.club.settings import Club
from pbem.club.table import Player, Roster, Table
from pbem.club.transaction import Change, write
from pbem.club.writing.headlines import Headline
from pbem.club.writing.letter import Letter
from pbem.club.writing.letters import Desk, desk_of, letter, paragraphs, with_due
from pbem.first_sparks.record import Record
from pbem.loading import GameFile
from pbem.page.page import Sections

# The most replies to one player in one turn: two robots that answer each other must come to an end.
MOST_REPLIES: Final = 20
MOST_NOTED: Final = 2 * MOST_REPLIES  # messages; after that only orders that can be played are looked at
MOST_WORDY: Final = 6  # to messages with words, or with orders for another turn; a person writes a third one too
MOST_EMPTY: Final = 2
LAST: Final = (
    "This is my last reply to a message like this in this turn. I will still play any order from you that is legal."
)


class Seat(NamedTuple):
    """A player at a table, and the game before the message; *record* has the names of the current players.

    *ahead* is what all have said ahead, also those whose seat somebody else has now.
    """

    club: Club
    table: Table
    roster: Roster
    player: Player
    game: GameFile
    record: Record
    rows: tuple[dict[str, Any], ...]
    ahead: Mapping[str, Intent] = MappingProxyType({})

    @property
    def desk(self) -> Desk:
        """The desk for letters about the game as it is now."""
        return with_due(desk_of(self.club, self.table, self.roster, self.game.record, self.ahead))


def reply(
    seat: Seat,
    post: Post,
    code: Code,
    why: Sections,
    says: Headline | None = None,
    *,
    error: bool = False,
    parts: tuple[tuple[str, bytes], ...] = (),
    more: tuple[Letter, ...] = (),
    row: dict[str, Any] | None = None,
    message: str,
    desk: Desk | None = None,
    after: Record | None = None,
) -> Verdict:
    """Send the player the game as it is, unless a robot may have written.

    *more* letters go out too, and *row* goes into the journal. *message* is for the host. *desk* is that of the
    seat, if the message has changed nothing else, and *after* is the game if it has gone on.
    """
    letters, row = list(more), dict(row or {})
    left = replies_left(seat, post, code)
    if post.person and left:
        why = (*why, *paragraphs((LAST,))) if left == 1 else why
        shows = "show" in post.wishes
        at = desk or seat.desk
        own = letter(at, seat.player.writer, why, says=says, in_reply_to=post.message_id, error=error, with_game=shows)
        letters.append(own)
        row["letter"] = id_digest(seat.club.id_of(own))
    return write_answer(seat, post, code, message, after or seat.record, letters, parts, row)


def replies_left(seat: Seat, post: Post, code: str) -> int:
    """Return how many more replies the player may get in this turn."""
    mine = _mine(seat)
    left = MOST_REPLIES - len(mine)
    if code in ("empty", "heard", "late"):
        most = MOST_WORDY if post.words or post.orders or post.plan or post.early else MOST_EMPTY
        left = min(left, most - sum(row.get("code") == code for row in mine))
    return max(0, left)


def _mine(seat: Seat) -> list[dict[str, Any]]:
    """Return the rows of the journal about the player in this turn."""
    return [row for row in seat.rows if row.get("colour") == seat.player.colour and row.get("turn") == seat.record.turn]


def write_answer(
    seat: Seat,
    post: Post,
    code: Code,
    message: str,
    after: Record,
    letters: Sequence[Letter],
    parts: tuple[tuple[str, bytes], ...],
    more: dict[str, Any] | None = None,
) -> Verdict:
    """Write what a message brings about, and *more* about it into its row of the journal."""
    if code != "played" and not post.instead and len(_mine(seat)) >= MOST_NOTED:  # the journal must not grow forever
        return Verdict("silent", "too many messages in this turn", seat.table.name, seat.record.turn)
    row: dict[str, Any] = {
        "digest": post.digest,
        "id": id_digest(post.message_id),
        "game": after.game,
        "turn": after.turn,
        "colour": seat.player.colour,
        "code": code,
        "head": after.head,
        **({"instead": True} if post.instead else {}),
        **(more or {}),
    }
    write(seat.club, seat.table, Change(row, seat.record.head, after.head, parts, tuple(letters)))
    return Verdict(code, message, after.game, after.turn, len(letters))

"""A message of a player as far as it is understood: its orders or what they may be, its wishes, words; its verdict."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Final, Literal, NamedTuple

from pbem import reading
from pbem.club.reading.quoting import markers_in
from pbem.club.reading.reply import NOBODY, Asked, Reply, read_reply
from pbem.club.ticket import Ticket
from pbem.errors import NotUnderstood, PbemError
from pbem.first_sparks.adjudicator import Entry, who_decides
from pbem.first_sparks.notation import parse_order
from pbem.first_sparks.record import Record
from pbem.first_sparks.sha import sha256
from pbem.reading import Submission

# What becomes of a mail, as the journal and ``pbem mail take`` say it.
Code = Literal[
    "played",
    "already",
    "late",
    "paused",
    "proposed",
    "refused",
    "answered",
    "heard",
    "empty",
    "waiting",
    "asked",
    "joined",
    "begun",
    "reminded",
    "stranger",
    "robot",
    "spam",
    "bounced",
    "duplicate",
    "former",
    "unreadable",
    "silent",
]

PROPOSED: Final = "proposed"  # the code in the journal of a mail whose order the player was asked about
FOR_GOOD: Final = "resign"  # the order that is not played before the player has said it twice
AT_ANY_TIME: Final = frozenset((FOR_GOOD, "agree end"))


class Post(NamedTuple):
    """A mail as far as it is understood.

    *wrong* is what could not be read in it; *person* is false where a robot may
    have sent it, so that nothing but good orders counts. *instead* is why the clock
    or the host has sent it for the player, and empty where it is a mail.

    *proposed* are orders that are played if the player says that they are meant; the mail *confirms* the one of that
    digest, or *takes_back* what was proposed. *head* is that of the letter which it answers, and *names* are the ids
    of letters that it names; *reread* reads it again when it is known what the player is asked. *came* is when it
    reached us, None where nobody said it.
    """

    raw: bytes
    digest: str
    message_id: str
    orders: Submission | None = None
    wishes: tuple[str, ...] = ()
    words: str = ""
    wrong: PbemError | None = None
    person: bool = True
    instead: str = ""
    proposed: tuple[str, ...] = ()
    takes_back: bool = False
    confirms: str = ""
    head: str = ""
    names: tuple[str, ...] = ()
    reread: "Callable[[Asked], Post] | None" = None
    came: datetime | None = None


class Verdict(NamedTuple):
    """What became of a mail: a code, in which game and turn, and how many letters it brought about."""

    code: Code
    message: str
    game: str = ""
    turn: int | None = None
    letters: int = 0

    def __str__(self) -> str:
        return f"{self.game}: {self.code}, {self.message}" if self.game else f"{self.code}, {self.message}"


class Proposal(NamedTuple):
    """Orders about which a player was asked last, the digest of the mail that held them, and the id of our letter."""

    orders: tuple[str, ...]
    digest: str
    letter: str


# Reading


def with_reply(post: Post, reply: Reply, orders: Submission | None, asked: Asked) -> Post:
    """Return the message with what the reply in it says, and its *orders* in that text or in a file."""
    post = post._replace(
        wishes=reply.requests, words=reply.talk, proposed=reply.proposed, takes_back=reply.said == "no"
    )
    confirmed = bool(asked.proposed) and reply.orders == asked.proposed and reply.said == "yes"
    if orders is not None and FOR_GOOD in map(str.lower, orders.orders) and not confirmed:
        post = post._replace(proposed=orders.orders)
    return post._replace(orders=None if post.proposed else orders)


def of_text(raw: bytes, text: str, asked: Asked = NOBODY) -> tuple[Post, tuple[str, ...]]:
    """Return a message that is a text and nothing else, and the markers in it."""
    digest: str = sha256(raw).hexdigest()
    post = Post(raw, digest, "", reread=lambda asked: of_text(raw, text, asked)[0])
    try:
        reply = read_reply(text, asked)
        lines = reply.orders or reply.proposed
        orders = reading.order_lines(lines, "your answer") if lines else None
    except NotUnderstood as wrong:
        return post._replace(wrong=wrong), markers_in(text)
    return with_reply(post, reply, orders, asked), reply.markers


# In the light of the question


def in_context(post: Post, record: Record, rows: Sequence[dict[str, Any]], colour: str, turn: int | None) -> Post:
    """Return the mail read as one that answers what the player was asked in that turn of the game, or in none."""
    if post.reread is None:
        return post
    asked = NOBODY if turn is None else asked_in(record, colour, turn)
    last = None if turn is None else proposal_in(rows, record, colour, turn)
    if last is not None and turn is not None:
        ids = set(map(id_digest, post.names))
        answers_it = last.letter in ids
        if not answers_it and ids & _asked_before(rows, colour, turn):
            last = None  # it says yes to what the player has put something else for since
        else:
            asked = asked._replace(proposed=last.orders, answers_it=answers_it)
    read = post.reread(asked)
    confirms = last.digest if last and read.orders and read.orders.orders == last.orders else ""
    return read._replace(head=post.head, confirms=confirms, takes_back=read.takes_back and last is not None)


def asked_in(record: Record, colour: str, turn: int) -> Asked:
    """Return what a player was asked in a turn, and what the player had given until then."""
    given = frozenset(str(entry.move) for entry in orders_of(record, colour) if entry.turn <= turn)
    state = record.state
    if turn != record.turn:
        before = [state for entry, state in record.history if entry.turn <= turn]
        state = before[-1] if before else state
    return Asked(state if who_decides(state) == colour else None, dict(record.players).get(colour, ""), given)


def proposal_in(rows: Sequence[dict[str, Any]], record: Record, colour: str, turn: int) -> Proposal | None:
    """Return what the player was asked about last in a turn, if nothing else was answered since in the same game."""
    for row in reversed(rows):
        if row.get("colour") == colour and row.get("turn") == turn and row.get("code") not in ("reminded", "played"):
            if row.get("code") != PROPOSED or (turn == record.turn and row.get("head") != record.head):
                return None
            return Proposal(tuple(map(str, row.get("orders", ()))), str(row["digest"]), str(row.get("letter", "")))
    return None


def _asked_before(rows: Sequence[dict[str, Any]], colour: str, turn: int) -> set[str]:
    """Return the ids of the letters that have asked the player in that turn whether something was meant."""
    return {
        str(row.get("letter", ""))
        for row in rows
        if (row.get("colour"), row.get("turn"), row.get("code")) == (colour, turn, PROPOSED)
    }


def id_digest(message_id: str) -> str:
    """Return what the journal keeps of a Message-ID, in which a ticket of ours could stand."""
    return sha256(message_id.encode()).hexdigest()[:24] if message_id else ""


def kept_name(turn: int, colour: str, digest: str) -> str:
    """Return the name of the file that keeps an accepted mail of a player."""
    return f"{turn:04}-{colour}-{digest[:12]}.eml"


# What the log says of a player, and of a message that answers an old letter


def orders_of(record: Record, colour: str) -> tuple[Entry, ...]:
    """Return the orders that the player has given, in the order of the log."""
    return tuple(entry for entry, _ in record.history if entry.by == colour)


def is_heard(record: Record, said: Ticket) -> bool:
    """Return whether words with that ticket go to the table: it is not older than the player's last own answer."""
    last = next((entry.turn for entry in reversed(orders_of(record, said.colour))), 0)
    return said.turn >= last - 1


def stands(record: Record, colour: str, turn: int, orders: Sequence[str]) -> bool:
    """Return whether these orders of the player stand in the log, as the ones that followed that turn."""
    logged = {entry.turn: entry.move for entry in orders_of(record, colour)}
    for number, order in enumerate(orders, turn + 1):
        try:
            played = logged[number]
            move = parse_order(order, (played.word,))
        except (KeyError, NotUnderstood):
            return False
        # A card number after buy or decline is a guard, and is not logged.
        if str(played) not in (str(move), move.word):
            return False
    return bool(orders)

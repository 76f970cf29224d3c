# ruff: noqa: RUF001 -- the colons of other languages are meant
"""A mail of a player as far as it is understood: its orders or what they may be, its wishes, its words; its verdict."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, Literal, NamedTuple

from pbem import formats, reading
from pbem.errors import NotUnderstood, PbemError
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.record import Record
from pbem.first_sparks.sha import sha256
from pbem.mail.lines import is_order
from pbem.mail.message import Incoming
from pbem.mail.past import orders_of
from pbem.mail.quoting import markers_in
from pbem.mail.reply import NOBODY, Asked, Reply, read_reply
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
_PREFIXES: Final = re.compile(r"(?:\w{1,4}(?:\[\d{1,3}\])?\s?[:：]\s*){0,9}")
_GAME: Final = re.compile(r"\[[^\[\]]{1,40}\]\s*")
_LONGEST_SUBJECT: Final = 200
FOR_GOOD: Final = "resign"  # the order that is not played before the player has said it twice
AT_ANY_TIME: Final = frozenset((FOR_GOOD, "agree end"))


class Post(NamedTuple):
    """A mail as far as it is understood.

    *wrong* is what could not be read in it; *person* is false where a robot may
    have sent it, so that nothing but good orders counts. *instead* is why the clock
    or the host has sent it for the player, and empty where it is a mail.

    *proposed* are orders that are played if the player says that they are meant; the mail *confirms* the one of that
    digest, or *takes_back* what was proposed. *head* is that of the letter which it answers; *mail* is what is
    read again when it is known what the player is asked. *came* is when it reached us, None where nobody
    said it.
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
    mail: Incoming | None = None
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


def understood(raw: bytes, mail: Incoming, asked: Asked = NOBODY) -> tuple[Post, tuple[str, ...]]:
    """Return the mail of who is asked so, as far as it is understood, and the markers in it."""
    post = Post(raw, mail.digest, _own_id(mail), person=not mail.automatic, mail=mail)
    if mail.unreadable:
        return post._replace(wrong=NotUnderstood(mail.unreadable), mail=None), ()
    try:
        reply = read_reply(mail.text, asked)
    except NotUnderstood as wrong:
        return post._replace(wrong=wrong), markers_in(mail.text)
    if not (reply.orders or reply.proposed or reply.requests or mail.attachments):
        reply = _with_subject(reply, mail.subject, asked)
    post = post._replace(
        wishes=reply.requests, words=reply.talk, proposed=reply.proposed, takes_back=reply.said == "no"
    )
    try:
        orders = _orders(reply.orders or reply.proposed, mail)
    except NotUnderstood as wrong:
        return post._replace(wrong=wrong, proposed=()), reply.markers
    confirmed = bool(asked.proposed) and reply.orders == asked.proposed and reply.said == "yes"
    if orders is not None and FOR_GOOD in map(str.lower, orders.orders) and not confirmed:
        post = post._replace(proposed=orders.orders)
    return post._replace(orders=None if post.proposed else orders), reply.markers


def _with_subject(reply: Reply, subject: str, asked: Asked) -> Reply:
    """Return the reply with the order that stands in the subject, if nothing else does.

    What our own letters have there is none: it must be all that stands behind the name of the game, and one that
    comes back in a later reply is only proposed.
    """
    words = _PREFIXES.sub("", subject, count=1)
    told = _GAME.sub("", words, count=1)
    if not told or len(told) > _LONGEST_SUBJECT:
        return reply
    try:
        said = read_reply(told, asked)
    except NotUnderstood:
        return reply
    orders = said.orders or said.proposed
    if not orders or said.requests or (told != words and not is_order(told)):
        return reply
    sure = said.orders and not asked.given & {order.lower() for order in orders}
    return reply._replace(orders=orders if sure else (), proposed=() if sure else orders, said=said.said)


def _own_id(mail: Incoming) -> str:
    """Return the Message-ID if it can be written into a header of ours."""
    return mail.message_id if re.fullmatch(r"<[!-;=?-~]{1,250}>", mail.message_id) else ""


def _orders(lines: tuple[str, ...], mail: Incoming) -> Submission | None:
    """Return the orders of a mail, in its text or in one attached move file; raises NotUnderstood."""
    match mail.attachments:
        case ():
            return reading.order_lines(lines, "your mail") if lines else None
        case (attached,) if not lines:
            endings: dict[str, formats.Format] = {"toml": "toml", "json": "json"}
            form = endings.get(attached.name.rpartition(".")[2].lower())
            return reading.read_submission(attached.text, form, "the attached file")
        case _:
            raise NotUnderstood("there are orders in the mail and in a file that is attached, or in two files")


# In the light of the question


def in_context(post: Post, record: Record, rows: Sequence[dict[str, Any]], colour: str, turn: int | None) -> Post:
    """Return the mail read as one that answers what the player was asked in that turn of the game, or in none."""
    if post.mail is None:
        return post
    asked = NOBODY if turn is None else asked_in(record, colour, turn)
    last = None if turn is None else proposal_in(rows, record, colour, turn)
    if last is not None and turn is not None:
        ids = {id_digest(name) for name in post.mail.references}
        answers_it = last.letter in ids
        if not answers_it and ids & _asked_before(rows, colour, turn):
            last = None  # it says yes to what the player has put something else for since
        else:
            asked = asked._replace(proposed=last.orders, answers_it=answers_it)
    read, _ = understood(post.raw, post.mail, asked)
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

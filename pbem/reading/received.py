"""A player's message as far as it is understood: orders or guesses, requests and words; and the verdict on it."""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final, Literal, NamedTuple

from pbem import loading
from pbem.errors import NotUnderstood, PbemError
from pbem.first_sparks.record import Record
from pbem.loading import Submission
from pbem.reading.asked import NOBODY, Asked, asked_in, in_the_light, proposal_in, proposing
from pbem.reading.quoting import markers_in
from pbem.reading.reply import Reply, read_reply
from pbem.sha import sha256

# What became of a message, in the journal and in the output of ``pbem mail take``.
Code = Literal[
    "played",
    "planned",
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

FOR_GOOD: Final = "resign"  # the order that the player must confirm
AT_ANY_TIME: Final = frozenset((FOR_GOOD, "agree end"))


class Post(NamedTuple):
    """A message as far as it is understood.

    *wrong* is what could not be read in it; *person* is false if a robot may have sent it, so that only good orders
    count. *instead* is why the clock or the host has sent it for the player, and empty for a real message; *everybody*
    is what all others are told then.

    *plan* has the lines of a plan, and *early* an answer that only counts when the others have answered.
    *proposed* are orders to play once the player confirms them. The message *confirms* or replaces those of the message
    with that digest, or *takes_back* what was proposed. *head* is that of the letter that it answers, and *names* are
    the ids of letters that it names. *reread* reads the *text* again when the question to the player is known. *came*
    is when it reached us, None if that is not known.
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
    everybody: str = ""
    proposed: tuple[str, ...] = ()
    takes_back: bool = False
    confirms: str = ""
    head: str = ""
    names: tuple[str, ...] = ()
    text: str = ""
    reread: "Callable[[Asked], Post] | None" = None
    came: datetime | None = None
    plan: tuple[str, ...] = ()
    early: str = ""

    @property
    def salt(self) -> str:
        """What the message adds to the secret of a salted game, in hexadecimal; nothing if no player has sent it.

        It is the SHA-256 of the Message-ID, which players find in their own copy: mail is changed on its way.
        """
        digest: str = sha256((self.message_id or self.digest).encode(errors="surrogateescape")).hexdigest()
        return "" if self.instead else digest


class Verdict(NamedTuple):
    """What became of a message: a code, the game and turn, and how many letters were sent."""

    code: Code
    message: str
    game: str = ""
    turn: int | None = None
    letters: int = 0

    def __str__(self) -> str:
        return f"{self.game}: {self.code}, {self.message}" if self.game else f"{self.code}, {self.message}"


# Reading


def with_reply(post: Post, reply: Reply, orders: Submission | None, asked: Asked) -> Post:
    """Return the message with what its reply says, and its *orders* from that text or from a file."""
    post = post._replace(
        wishes=reply.requests,
        words=reply.talk,
        proposed=reply.proposed,
        takes_back=reply.said == "no",
        plan=reply.plan,
        early=reply.early,
    )
    confirmed = bool(asked.proposed) and reply.orders == asked.proposed and reply.said == "yes"
    if orders is not None and FOR_GOOD in map(str.lower, orders.orders) and not confirmed:
        post = post._replace(proposed=orders.orders)
    return post._replace(orders=None if post.proposed else orders)


def of_text(raw: bytes, text: str, asked: Asked = NOBODY) -> tuple[Post, tuple[str, ...]]:
    """Return a message that is only a text, and the markers in it."""
    digest: str = sha256(raw).hexdigest()
    post = Post(raw, digest, "", text=text, reread=partial(_again, raw, text))
    try:
        reply = read_reply(text, asked)
        lines = reply.orders or reply.proposed
        orders = loading.order_lines(lines, "your answer") if lines else None
    except NotUnderstood as wrong:
        return post._replace(wrong=wrong), markers_in(text)
    return with_reply(post, reply, orders, asked), reply.markers


def _again(raw: bytes, text: str, asked: Asked) -> Post:
    return of_text(raw, text, asked)[0]


# In the light of the question


def in_context(
    post: Post,
    record: Record,
    rows: Sequence[dict[str, Any]],
    colour: str,
    turn: int | None,
    letter: Callable[[], str],
    *,
    waves: bool = False,
) -> Post:
    """Return the message read as an answer to what the player was asked in that turn, or in no turn.

    *letter* makes the words of the letter with the question. With *waves* several can be asked at the same time.
    """
    if post.reread is None:
        return post
    if turn is None:
        return post.reread(Asked(letter=letter))._replace(head=post.head, takes_back=False)
    asked = asked_in(record, colour, turn, waves=waves)._replace(letter=letter)
    last = proposal_in(rows, record, colour, turn)
    ids = set(map(id_digest, post.names))
    if last is not None and last.letter not in ids and ids & proposing(rows, colour, turn):
        last = None  # it says yes to something that the player has replaced since
    if last is not None:
        asked = in_the_light(asked, last, ids)
    read = post.reread(asked)
    confirms = last.digest if last and asked.proposed and (read.orders or read.proposed) else ""
    return read._replace(head=post.head, confirms=confirms, takes_back=read.takes_back and bool(asked.proposed))


def id_digest(message_id: str) -> str:
    """Return what the journal keeps of a Message-ID, which may contain a ticket."""
    return sha256(message_id.encode()).hexdigest()[:24] if message_id else ""


def kept_name(turn: int, colour: str, digest: str) -> str:
    """Return the name of the file that keeps an accepted message of a player."""
    return f"{turn:04}-{colour}-{digest[:12]}.eml"

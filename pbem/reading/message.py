"""A player's message as far as it is understood: orders or guesses, plans, requests and words."""

from collections.abc import Callable, Collection
from datetime import datetime
from functools import partial
from typing import Final, NamedTuple

from pbem import loading
from pbem.errors import NotUnderstood, PbemError
from pbem.loading import Submission
from pbem.locale import phrase
from pbem.reading.context import NOBODY, Context
from pbem.reading.decide import Reply, read_reply
from pbem.reading.quotes import markers_in
from pbem.sha import sha256

FOR_GOOD: Final = "resign"  # the order that the player must confirm
AT_ANY_TIME: Final = frozenset((FOR_GOOD, "agree end"))


class Post(NamedTuple):
    """A message as far as it is understood.

    *wrong* is what could not be read in it; *person* is false if a robot may have sent it, so that only good orders
    count. *instead* is why the clock or the host has sent it for the player, and empty for a real message.

    *plan* has the lines of a plan, and *early* an answer that only counts when the others have answered.
    *proposed* are orders to play once the player confirms them. The message *confirms* or replaces those of the message
    with that digest, or *takes_back* what was proposed. *head* is that of the letter that it answers, and *names* are
    the ids of letters that it names; *seen* are those that its writer had, if that is known. *reread* reads the
    *text* again when the question to the player is known. *came* is when it reached us, None if that is not known.
    """

    raw: bytes
    digest: str
    message_id: str
    orders: Submission | None = None
    requests: tuple[str, ...] = ()
    words: str = ""
    wrong: PbemError | None = None
    person: bool = True
    instead: str = ""
    proposed: tuple[str, ...] = ()
    takes_back: bool = False
    confirms: str = ""
    head: str = ""
    names: tuple[str, ...] = ()
    seen: Collection[str] = ()
    text: str = ""
    reread: "Callable[[Context], Post] | None" = None
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


def with_reply(post: Post, reply: Reply, orders: Submission | None, context: Context) -> Post:
    """Return the message with what its reply says, and its *orders* from that text or from a file."""
    post = post._replace(
        requests=reply.requests,
        words=reply.talk,
        proposed=reply.proposed,
        takes_back=reply.said == "no",
        plan=reply.plan,
        early=reply.early,
    )
    confirmed = bool(context.proposed) and reply.orders == context.proposed and reply.said == "yes"
    if orders is not None and FOR_GOOD in map(str.lower, orders.orders) and not confirmed:
        post = post._replace(proposed=orders.orders)
    return post._replace(orders=None if post.proposed else orders)


def of_text(raw: bytes, text: str, context: Context = NOBODY) -> tuple[Post, tuple[str, ...]]:
    """Return a message that is only a text, and the markers in it."""
    digest: str = sha256(raw).hexdigest()
    post = Post(raw, digest, "", text=text, reread=partial(_again, raw, text))
    try:
        reply = read_reply(text, context)
        lines = reply.orders or reply.proposed
        orders = loading.order_lines(lines, phrase("your answer")) if lines else None
    except NotUnderstood as wrong:
        return post._replace(wrong=wrong), markers_in(text)
    return with_reply(post, reply, orders, context), reply.markers


def _again(raw: bytes, text: str, context: Context) -> Post:
    return of_text(raw, text, context)[0]

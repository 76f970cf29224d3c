"""A player's mail as far as it is understood: its text, its subject, or an attached file."""

# ruff: noqa: RUF001 -- the colons of other languages are meant

import re
from functools import partial
from typing import Final

from pbem import formats, loading
from pbem.carriers.mail.incoming.message import Incoming
from pbem.errors import NotUnderstood
from pbem.loading import Submission
from pbem.locale import phrase
from pbem.reading.context import NOBODY, Context
from pbem.reading.decide import Reply, read_reply
from pbem.reading.lines import is_order
from pbem.reading.message import Post, with_reply
from pbem.reading.quotes import markers_in

_PREFIXES: Final = r"(?:\w{1,4}(?:\[\d{1,3}\])?\s?[:：]\s*){0,9}"
_GAME: Final = r"\[[^\[\]]{1,40}\]\s*"
_LONGEST_SUBJECT: Final = 200


def understood(raw: bytes, mail: Incoming, context: Context = NOBODY) -> tuple[Post, tuple[str, ...]]:
    """Return the mail of a player who writes in that *context*, as far as it is understood, and the markers in it."""
    again = partial(_again, raw, mail)
    post = Post(raw, mail.digest, _own_id(mail), names=mail.references, text=mail.text, reread=again)
    post = post._replace(person=not mail.automatic)
    if mail.unreadable:
        return post._replace(wrong=NotUnderstood(mail.unreadable), reread=None), ()
    try:
        reply = read_reply(mail.text, context)
    except NotUnderstood as wrong:
        return post._replace(wrong=wrong), markers_in(mail.text)
    said = (reply.orders, reply.proposed, reply.requests, reply.plan, reply.early, mail.attachments)
    if not any(said):
        reply = _with_subject(reply, mail.subject, context)
    try:
        orders = _orders(reply.orders or reply.proposed, mail)
    except NotUnderstood as wrong:
        post = with_reply(post, reply._replace(orders=(), proposed=()), None, context)
        return post._replace(wrong=wrong), reply.markers
    return with_reply(post, reply, orders, context), reply.markers


def _again(raw: bytes, mail: Incoming, context: Context) -> Post:
    return understood(raw, mail, context)[0]


def _with_subject(reply: Reply, subject: str, context: Context) -> Reply:
    """Return the reply with the order in the subject, or with what that says ahead, if there is nothing else.

    The subjects of our own letters are not orders: an order must be all that follows the name of the game, and one
    that a later reply repeats is only proposed. A later reply with words of its own does not repeat a plan. Of requests
    only "stop" counts, in a mail without a text: some programs send no more to the address of List-Unsubscribe.
    """
    words = re.sub(_PREFIXES, "", subject, count=1)
    told = re.sub(_GAME, "", words, count=1)
    if not told or len(told) > _LONGEST_SUBJECT:
        return reply
    try:
        said = read_reply(told, context)
    except NotUnderstood:
        return reply
    if said.plan or said.early:
        is_later = words != subject and bool(reply.talk)
        return reply if is_later else reply._replace(plan=said.plan, early=said.early)
    if said.requests == ("stop",) and told == subject and not reply.talk:
        return reply._replace(requests=said.requests)
    orders = said.orders or said.proposed
    if not orders or said.requests or (told != words and not is_order(told)):
        return reply
    sure = said.orders and not context.given & {order.lower() for order in orders}
    return reply._replace(orders=orders if sure else (), proposed=() if sure else orders, said=said.said)


def _own_id(mail: Incoming) -> str:
    """Return the Message-ID if it can be written into one of our headers."""
    return mail.message_id if re.fullmatch(r"<[!-;=?-~]{1,250}>", mail.message_id) else ""


def _orders(lines: tuple[str, ...], mail: Incoming) -> Submission | None:
    """Return the orders of a mail, in its text or in one attached move file; raises NotUnderstood."""
    match mail.attachments:
        case ():
            return loading.order_lines(lines, phrase("your mail")) if lines else None
        case (attached,) if not lines:
            endings: dict[str, formats.Format] = {"toml": "toml", "json": "json"}
            form = endings.get(attached.name.rpartition(".")[2].lower())
            return loading.read_submission(attached.text, form, "the attached file")
        case _:
            raise NotUnderstood(phrase("there are orders both in the message and in an attached file, or in two files"))

"""What follows from a player's message: its orders, what it says ahead, its requests, and its words to the others.

The sender has already been authenticated; the answer goes to the player's own address and to no other.
"""

from collections.abc import Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pbem import loading, rulings
from pbem.errors import Illegal, NotUnderstood, NotYourTurn, PbemError, Stale
from pbem.first_sparks.notation import order_phrase
from pbem.first_sparks.record import Record, called, same_situations
from pbem.grammar import phrase_listed, sentences
from pbem.loading import Submission
from pbem.locale import phrase, phrase_of
from pbem.plans.intents import Intent, answered_turns
from pbem.reading.message import AT_ANY_TIME, FOR_GOOD, Post
from pbem.reading.ticket import Ticket
from pbem.rulings import orders_of
from pbem.table.letters.headlines import Occasion, headed
from pbem.table.letters.letter import Passage, phrases, refusal, together
from pbem.table.letters.plans import early_receipt, still_ahead
from pbem.table.letters.receipts import receipt_of
from pbem.table.lines import PROGRAM, Closes
from pbem.table.messages import votes
from pbem.table.messages.answers import NO_MORE, Heard, PlayersMessage, answer, heard, replies_left
from pbem.table.messages.context import PROPOSED, TAKEN_BACK, in_context, is_heard, may_be_old, was_played
from pbem.table.messages.plans import about_what_is_ahead, ahead_after, answered_early, planned, without_wait
from pbem.table.messages.requests import granted, grants, is_lasting, nearly, without_addresses, without_nobody
from pbem.table.minutes import moved_in
from pbem.table.occurrences import CameBack, Moved, Occurrence, Spoke, WentAway
from pbem.table.people import Player
from pbem.table.progress import go_on, stand_still
from pbem.table.questions import ASKS
from pbem.table.table import Table

if TYPE_CHECKING:  # what reads a plan is only loaded for messages with one
    from pbem.first_sparks.plans.read import PlanLines

NOT_HEARD: Final = (
    "The rest of your message was not passed on, because you answered an old letter. To be heard, answer this one."
)
NOT_KEPT: Final = "I have not kept the plan in this message: send it again, without the order."
NOT_KEPT_EITHER: Final = "I have not kept your plan either: send it again with your answer."
NOT_DONE_EITHER: Final = "I have not done what else you asked for either: send it again with your answer."
PLAN: Final = "plan"  # the keys of a row of the journal whose message says something ahead: the turn that it answers
EARLY: Final = "early"
LANGUAGE: Final = "language"  # of the writer, if it is not English
UNSALTED: Final = "unsalted"  # the order of the host, who keeps the secret, adds no salt to it
STANDS_IN: Final = "stands in"  # the key of a row whose message a substitute may have written
NOTHING_CHANGED: Final = "Nothing was changed, and nothing you wrote was passed on."
_ALREADY: Final = "You had already played this in turn {turn}: {orders}. There is nothing more to do."
_LATE: Final = "You answered a letter of turn {turn}, but the game is at turn {now} now."
_OUTDATED: Final = "You answered a letter from before the game was taken back or your seat changed hands."


class Meant(NamedTuple):
    """A message with what it says ahead: the *lines* of a plan, an *early* answer, and why there is nobody to wait for.

    *orders* are also those that it only proposes, and *words* what the others may read of it.
    """

    message: PlayersMessage
    lines: "PlanLines | None"
    early: Intent | None
    waits: str
    orders: Submission | None
    words: str

    @property
    def is_late(self) -> bool:
        """Whether the message answers a letter about another situation, or one that no longer counts."""
        return not self.message.valid or not _is_current(self.message.table, self.message.said)


def _is_current(table: Table, said: Ticket) -> bool:
    """Return whether a ticket is for the situation as it is."""
    return said.turn in dict(same_situations(table.kept))


def hear(table: Table, player: Player, said: Ticket, post: Post, *, valid: bool = True) -> Heard:
    """Return what follows from a message of the player, written with that ticket.

    Orders need a ticket for the current situation, words one no older than the player's last own order. A request is
    granted with any ticket, since the player is told of it and can undo it. Orders that are allowed at any time are
    proposed for confirmation in reply to an older letter, since a player whose turn it is not may have no newer one.
    With a ticket that is not *valid*, such as one from before a takeback, everything is late.
    """
    message = _in_context(table, player, said, post, valid=valid)
    post = message.post
    if post.wrong is not None:
        return _refused(message, post.wrong)
    if not post.person:
        post = post._replace(plan=(), early="")
    post, waits = without_wait(message.table, player.colour, post)
    message = message._replace(post=post)
    if post.plan and not valid:
        return _late(message, post.orders)
    try:
        lines, early = planned(message), answered_early(message)
    except (Illegal, NotUnderstood) as wrong:
        return _refused(message, wrong)
    if post.early and early is None:  # its question is over
        return _late(message, None)
    if post.orders and post.text and may_be_old(message.table, message.colour, post.orders, post.text):
        post = post._replace(orders=None, proposed=post.orders.orders)
    orders = post.orders or (Submission(post.proposed) if post.proposed else None)
    own_plans = answered_turns(message.table.ahead, player.colour)
    words = post.words if is_heard(message.table.record, said, own_plans) else ""
    unheard = phrase(NOT_HEARD) if post.words and not words else ""
    meant = Meant(message._replace(post=post, unheard=unheard), lines, early, waits, orders, words)
    return _follows(meant)


def _in_context(table: Table, player: Player, said: Ticket, post: Post, *, valid: bool) -> PlayersMessage:
    """Return the message as it is meant; it ends a motion to go on without its writer."""
    letter = cache(partial(_words_of_letter, table, player, min(said.turn, table.record.turn)))  # a reply is read twice
    turn = said.turn if valid else None
    post = in_context(post, table.record, table.rows, player, turn, letter, waves=table.house.waves)
    post = votes.understood(table, player, post, letter, valid=valid, may_order=_is_current(table, said))
    post = post._replace(words=without_addresses(post.words, player.language))
    over = votes.ended_by(table, player, post)
    after = table.with_line(PROGRAM, Closes(over.motion.by)) if over else table
    return PlayersMessage(table, after, player, said, post, valid, (over,) if over else ())


def _words_of_letter(table: Table, player: Player, turn: int) -> str:
    from pbem.table.messages.own_words import words_of_letter

    note = table.notes.get(player.colour, "")
    return words_of_letter(table.house, table.record, player, turn, note, moved_in(table.minutes.lines, table.kept))


def _follows(meant: Meant) -> Heard:
    """Return what follows from a message: the first of these that applies."""
    message, orders, post, is_early = meant.message, meant.orders, meant.message.post, meant.early is not None
    if is_early and not post.proposed:  # it comes before the player's turn, and is kept until then
        return _kept_ahead(meant)
    if orders is not None and not is_early and meant.is_late:
        return _old(message, orders)
    if post.orders is not None:
        return _play(meant)
    if not post.person:
        return Heard("robot", "sent by a robot, without orders")
    if orders is not None:
        return _proposed(message, orders, is_legal=is_early)
    if meant.lines is not None:
        return _kept_ahead(meant)
    if post.takes_back:
        why = phrases(phrase("Nothing was played. Here is the game as it is now."))
        return answer(message, "answered", why, row={TAKEN_BACK: True}, words="told that nothing was played")
    if not message.valid or (post.words and not meant.words and not post.requests):
        return _late(message, None)  # the words answer an old letter, and are not passed on
    told = message._replace(post=post._replace(words=meant.words))
    if votes.speaks_of_motions(post):
        return votes.voted(told)
    if post.requests:
        return granted(told, message.unheard or meant.waits)
    if meant.waits:
        step = stand_still(message.before, message.table.with_words(message.player, meant.words))
        why, words = phrases(meant.waits), "told that there is nobody to wait for"
        return answer(message, "answered", why, words=words, step=step)
    return without_nobody(message) or (_words(message) if post.words else _nothing(message))


def _old(message: PlayersMessage, orders: Submission) -> Heard:
    """Call orders for another situation late, but propose those that are allowed at any time."""
    stale = not message.valid or was_played(message.table.record, message.colour, message.said.turn, orders.orders)
    if not stale and message.post.person and AT_ANY_TIME.issuperset(map(str.lower, orders.orders)):
        return _proposed(message, orders, is_legal=False)
    return _late(message, orders)


def _words(message: PlayersMessage) -> Heard:
    """Keep words for the others' next letters; if the player is asked, there was no order."""
    table, player = message.table.with_words(message.player, message.post.words), message.player
    step, near = stand_still(message.before, table), nearly(message.post.words, player.language)
    if player.colour in table.asked:
        none = phrase("I found no order in your message. The other players will read what you wrote.")
        why = together(phrases(none), phrases(*near, *votes.or_meant(table, player)))
        told = "told that it has no order, and passed on to the table"
        return answer(message, "empty", why, headed(Occasion.EMPTY, player), words=told, step=step)
    if hints := (*near, *votes.nearly_meant(table, player, message.post)):
        told = "passed on to the table, and asked whether it is a request"
        return answer(message, "heard", phrases(*hints), headed(Occasion.UNSURE, player), words=told, step=step)
    if replies_left(message, "answered"):
        step = step._replace(occurrences=(Spoke(player),))
    return heard(message, "heard", "passed on to the table", step)


def _nothing(message: PlayersMessage) -> Heard:
    """Give a hint about a message without anything."""
    why = phrases(phrase("I found no order in your message. Write it above the first line of the letter."))
    says = headed(Occasion.EMPTY, message.player)
    return answer(message, "empty", why, says, words="told that it has no order")


# Orders


def _play(meant: Meant) -> Heard:
    message, table, player, post = meant.message, meant.message.table, meant.message.player, meant.message.post
    assert post.orders is not None
    orders = post.orders._replace(head=post.orders.head or post.head)
    if table.roster.paused:  # the letter says why
        return _paused(message)
    # Who keeps the secret could write the own mail again and again until a draw suits.
    is_keeper = player.reader == table.house.host
    try:
        submission = loading.signed(orders, player.colour)
        ruling = rulings.judge(table.record, submission, table.beside.draw(), "" if is_keeper else post.salt)
    except (Illegal, NotYourTurn, NotUnderstood, Stale) as refused:
        return _refused(message, refused)
    after = called(ruling.record, dict(table.kept.players))  # with the names of the file
    why = phrases()
    if FOR_GOOD in map(str.lower, orders.orders) and not post.instead:
        why = phrases(phrase("You have left the game {game}. Thank you for playing.", game=table.name))
    wants_receipt = post.person and not post.instead
    given = (entry for entry, _ in ruling.history if entry.is_order and entry.by == player.colour)
    played = tuple(str(entry.move) for entry in given)  # "settle C1c" may be about the neutral clan
    receipt = partial(receipt_of, table.record, player, played) if wants_receipt else phrases()
    row = {UNSALTED: True} if is_keeper else {}
    return _changed(meant, after, together(receipt, why), played, row)


def _kept_ahead(meant: Meant) -> Heard:
    """Keep what the player says ahead, and play what follows from it."""
    message, early, lines, post = meant.message, meant.early, meant.lines, meant.message.post
    if message.table.roster.paused:
        return _paused(message)
    if early is None and not replies_left(message, "planned"):
        return heard(message, "silent", NO_MORE, stand_still(message.before, message.table))
    orders = post.orders.orders if post.orders else (post.early.removeprefix("plan "),) if post.early else ()
    is_first = not orders_of(message.table.record, message.colour)
    is_wanted = is_first or lines is not None or message.player.news == "every" or bool(message.intent.early)
    is_told = early is not None and not post.instead and is_wanted
    receipt = partial(early_receipt, early, orders) if early is not None and is_told else phrases()
    receipt = together(receipt, phrases(meant.waits))
    row = {EARLY: message.said.turn} if early else {}
    return _changed(meant, message.table.kept, receipt, (), row)


def _changed(meant: Meant, record: Record, receipt: Passage, orders: Sequence[str], row: dict[str, Any]) -> Heard:
    """Return what follows once the *orders* of a message have led to that game, and what it says ahead is kept.

    What plans, early answers and bots answer comes on top of that.
    """
    message, player, post = meant.message, meant.message.player, meant.message.post
    after, changed, answers, _ = grants(message, message.table.with_words(player, post.words))
    ahead = ahead_after(message, meant.lines, meant.early)
    writer = changed.at_home if is_lasting(post.requests) else changed.writer
    moved = Moved(player, writer, post, tuple(orders), meant.lines, receipt, answers)
    more = list[Occurrence]()
    if changed.absent != player.absent:
        more.append(WentAway(player) if changed.absent else CameBack(player))
    after = after.but(kept=record, ahead=ahead)
    step = go_on(message.before, after, moved, *more)
    if not step.is_moved:  # nobody else hears of it: not even that somebody has said something ahead
        step = step._replace(asks=tuple(colour for colour in step.asks if colour == player.colour))
    row |= {
        **({"confirms": post.confirms} if post.confirms else {}),
        **step.row,
        **({PLAN: message.said.turn} if meant.lines else {}),
        **({STANDS_IN: True} if not player.is_home else {}),
        ASKS: list(step.asks),
    }
    words = f"turn {step.after.kept.turn}" if step.is_moved else about_what_is_ahead(meant.lines, meant.early)
    return heard(message, "played" if step.is_moved else "planned", words, step, row, counts=True)


def _paused(message: PlayersMessage) -> Heard:
    says, why = headed(Occasion.WHILE_PAUSED, message.player), phrases(phrase(NOTHING_CHANGED))
    return answer(message, "paused", why, says, error=True, words="the game is paused")


def _proposed(message: PlayersMessage, orders: Submission, *, is_legal: bool) -> Heard:
    """Ask the player whether these orders are meant, if they are legal; change nothing else."""
    table, player, post = message.table, message.player, message.post
    if table.roster.paused:
        return _paused(message)
    try:
        if not is_legal:
            rulings.judge(table.record, loading.signed(orders, player.colour), None)
    except (Illegal, NotYourTurn, NotUnderstood, Stale) as refused:
        return _refused(message, refused)
    if not replies_left(message, PROPOSED):
        return answer(message, "refused", phrases(), words=NO_MORE)
    meant = phrase_listed((phrase('"{order}"', order=order_phrase(order)) for order in orders.orders), "and then")
    asks = phrase_of(
        len(orders.orders),
        'Did you mean {orders}? Reply "yes" to play it.',
        'Did you mean {orders}? Reply "yes" to play them.',
        orders=meant,
    )
    if FOR_GOOD in map(str.lower, orders.orders):
        asks = phrase('Do you want to resign? Reply "yes" to leave the game permanently.')
    either = [phrase(NOT_KEPT_EITHER)] * bool(post.plan) + [phrase(NOT_DONE_EITHER)] * bool(post.requests)
    nothing = sentences(phrase(NOTHING_CHANGED if post.words else "Nothing was changed."), *either)
    why = together(phrases(asks, nothing, *votes.or_meant(table, player)), partial(still_ahead, table, player))
    says, words = headed(Occasion.PROPOSED, player, order=meant), f"asked whether {meant} was meant"
    row: dict[str, Any] = {"orders": orders.orders} | ({"confirms": post.confirms} if post.confirms else {})
    return answer(message, "proposed", why, says, words=words, row=row, counts=True)


def _refused(message: PlayersMessage, error: PbemError) -> Heard:
    table, player, post = message.table, message.player, message.post
    or_meant = votes.or_meant(table, player) if error is post.wrong else ()
    why = together(refusal(error), phrases(phrase(NOTHING_CHANGED), *or_meant), partial(still_ahead, table, player))
    is_plan = bool(post.plan) and not (post.wrong or post.orders or post.proposed or post.early)
    kind = Occasion.PLAN_UNCLEAR if is_plan else Occasion.UNCLEAR
    if error.order or not isinstance(error, NotUnderstood):
        kind = Occasion.REFUSED if error.order else Occasion.NOT_NOW
    says = headed(kind, message.player, order=order_phrase(error.order))
    words = f"{error.order}: {error.message}" if error.order else error.message
    return answer(message, "refused", why, says, error=True, words=words)


def _late(message: PlayersMessage, orders: Submission | None) -> Heard:
    """Answer a reply to an old letter: its orders were already played, or are not played at all."""
    record, player, turn = message.table.record, message.player, message.said.turn
    if orders is not None and was_played(record, player.colour, turn, orders.orders):
        played = phrase_listed(map(order_phrase, orders.orders))
        done = phrase(_ALREADY, turn=turn + 1, orders=played)
        done = sentences(done, phrase(NOT_KEPT)) if message.post.plan else done
        says = headed(Occasion.ALREADY, player, order=played)
        return answer(message, "already", phrases(done), says, words=f"{played} in turn {turn + 1}")
    late = phrase(_LATE, turn=turn, now=record.turn) if message.valid else phrase(_OUTDATED)
    text = sentences(late, phrase(NOTHING_CHANGED), phrase("Here is the game as it is now."))
    says = headed(Occasion.LATE if message.valid else Occasion.OUTDATED, player, turn=str(turn))
    words = f"it answers turn {turn}" if message.valid else "it answers a letter that no longer counts"
    return answer(message, "late", phrases(text), says, error=True, words=words)

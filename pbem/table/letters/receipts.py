"""Receipts for orders that were played: for each player's first in a game, and for all of them on request."""

from collections.abc import Collection, Sequence
from typing import Final

from pbem.first_sparks.briefing.words import to_write, who
from pbem.first_sparks.events import AgreedToEnd
from pbem.first_sparks.notation import order_text
from pbem.first_sparks.plans.plan import renewed_market
from pbem.first_sparks.record import Record
from pbem.grammar import listed, plural
from pbem.locale import tr
from pbem.page.page import Sections
from pbem.reading.message import FOR_GOOD
from pbem.rulings import orders_of
from pbem.table.costs import THEN
from pbem.table.letters.headlines import Headline, Occasion, headline
from pbem.table.letters.letter import paragraphs
from pbem.table.letters.plans import confirmation, dropped
from pbem.table.letters.situation import has_waiting_plan, is_stopped, waits
from pbem.table.occurrences import Moved
from pbem.table.people import Player
from pbem.table.progress import Progress
from pbem.table.table import Table

# What has been ordered for a player.
HOST_PLAYED: Final = "The host has played for you: {order}."
HOST_ANSWERED: Final = "The host has answered for you: {order}. It is played when it is your turn."
CLOCK_PLAYED: Final = "Your time was up, so I have played for you: {order}."
CLOCK_ANSWERED: Final = (
    "Your time was up, so I have answered for you: {order}. It is played when it is your turn, and you can still send "
    "another answer until then."
)
_AGREES: Final = "{clan} agrees to end the game as it stands. If you agree as well, write {agree_end}."
LAST_RECEIPT: Final = 'You will get no more receipts unless you write "news every".'


def hears(table: Table, player: Player, asks: Collection[str]) -> bool:
    """Return whether the player gets a letter after an accepted order: always if it *asks* them, else as they like.

    All others do if the game is about to wait for an absent player, and if somebody agrees to end it, all who have not.
    For players who want news of every move, this letter is also the receipt for their own moves.
    """
    if player.colour in asks:
        return True
    if not table.decides:
        return player.news != "none"
    if (is_stopped(table) and player.colour != table.decides) or _may_agree(table, player):
        return waits(table, player)
    return player.news == "every" and not table.record.state.clan(player.colour).resigned


def sees_new_market(table: Table, player: Player, before: Record) -> bool:
    """Return whether the player may look at a market that was renewed since *before*, and change the plan for it."""
    is_new = renewed_market(before.state) != renewed_market(table.kept.state)
    return is_new and has_waiting_plan(table, player.colour)


def _may_agree(table: Table, player: Player) -> bool:
    """Return whether somebody has just agreed to end the game and the player, who has not, must hear of it."""
    state = table.record.state
    return player.colour not in state.agreed and any(isinstance(event, AgreedToEnd) for event in state.events)


def new_agreement(step: Progress, player: Player) -> Sections:
    """Return who has just agreed to end the game, if the player can still agree and is asked, as the headline says."""
    table, state = step.after, step.after.record.state
    if not step.is_moved or player.colour not in table.asked or not _may_agree(table, player):
        return ()
    by = next(event.clan for event in state.events if isinstance(event, AgreedToEnd))
    return paragraphs((tr(_AGREES).format(clan=who(state, by), agree_end=tr(to_write("agree end"))),))


def receipt_of(before: Record, player: Player, orders: Sequence[str]) -> Sections:
    """Return the receipt for orders that were played in the game as it was *before*, or nothing if none is wanted."""
    played = were_played(orders)
    if player.news == "every":
        return paragraphs((played,))
    if player.news == "none" or orders_of(before, player.colour):
        return ()
    return paragraphs((played if FOR_GOOD in orders else f"{played} {tr(LAST_RECEIPT)}",))


def were_played(orders: Sequence[str]) -> str:
    """Return the sentence that orders were played."""
    played = plural(len(orders), "Your order was played: {orders}.", "Your orders were played: {orders}.")
    return played.format(orders=listed(map(order_text, orders)))


def of_own_order(table: Table, player: Player, orders: Sequence[str], answered_for: bool) -> Headline | None:
    """Return the headline of a letter about the reader's own order, None where the situation matters more.

    That is so if it is the reader's turn again, or if the game is over.
    """
    if not table.decides or player.colour in table.asked:
        return None
    return headline(
        Occasion.ANSWERED_FOR if answered_for else Occasion.PLAYED, player, order=listed(map(order_text, orders))
    )


def own_message(step: Progress, moved: Moved) -> Sections:
    """Return what the writer of a message reads about it: the receipt, what the plan means, and answers to requests."""
    receipt = moved.receipt()
    at_once = played_at_once(step, moved)
    if at_once and receipt:  # then an early answer was not early any more
        receipt = receipt_of(step.before.record, moved.player, at_once[:1])
    plan = confirmation(step, moved.player, moved.lines) if moved.lines is not None else ()
    return (*receipt, *dropped(step, moved.player), *plan, *moved.answers(step.after))


def played_at_once(step: Progress, moved: Moved) -> tuple[str, ...]:
    """Return the orders that what the message says ahead has played at once."""
    answers = () if moved.orders else step.row.get(THEN, ())
    return tuple(order for colour, order, _ in answers if colour == moved.player.colour)


def of_own_message(step: Progress, moved: Moved, *, is_news: bool) -> Headline | None:
    """Return the headline of the letter to whom the message came from, None where the situation matters more."""
    table, post, reader = step.after, moved.post, moved.writer
    if moved.orders:
        return of_own_order(table, reader, moved.orders, bool(post.instead))
    if post.instead:
        return headline(
            Occasion.ANSWERED_AHEAD_FOR,
            reader,
            order=listed(map(order_text, post.orders.orders if post.orders else ())),
        )
    if not is_news:
        return None
    if dropped(step, moved.player):
        return None  # it is the reader's turn again
    if at_once := played_at_once(step, moved):
        return of_own_order(table, reader, at_once, answered_for=False)
    if moved.lines is None:
        return headline(Occasion.ANSWERED_EARLY if post.orders or post.early else Occasion.PLANNED, reader)
    return headline(Occasion.PLANNED if moved.lines.plan or moved.lines.always else Occasion.ABOUT_A_PLAN, reader)


def of_a_stop(table: Table, reader: Player) -> Headline | None:
    """Return the headline that tells others that the game waits for an absent player, None if it does not."""
    asked = table.roster.player(table.decides)
    if asked is None or asked.colour == reader.colour or not is_stopped(table):
        return None
    return headline(Occasion.AWAY, reader, table.record.state, absent=asked.name)

"""Receipts for orders that were played: for each player's first in a game, and for all of them on request."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Final

from pbem.club.reading.past import orders_of
from pbem.club.reading.received import Post
from pbem.club.table import Player
from pbem.club.writing.headlines import Headline, headline
from pbem.club.writing.letters import Desk, has_waiting_plan, is_stopped, paragraphs, waits
from pbem.first_sparks.events import AgreedToEnd
from pbem.first_sparks.plans.plan import renewed_market
from pbem.first_sparks.record import Record
from pbem.grammar import listed, plural
from pbem.page.page import Sections

if TYPE_CHECKING:
    from pbem.first_sparks.plans.read import PlanLines

LAST_RECEIPT: Final = 'You will get no more receipts unless you write "news every".'


def hears(desk: Desk, player: Player, asks: Collection[str]) -> bool:
    """Return whether the player gets a letter after an accepted order: always if it *asks* them, else as they like.

    All others do if the game is about to wait for an absent player, and if somebody agrees to end it, all who have not.
    For players who want news of every move, this letter is also the receipt for their own moves.
    """
    if player.colour in asks:
        return True
    if not desk.decides:
        return player.news != "none"
    if (is_stopped(desk) and player.colour != desk.decides) or _may_agree(desk, player):
        return waits(desk, player)
    return player.news == "every" and not desk.record.state.clan(player.colour).resigned


def sees_new_market(desk: Desk, player: Player, before: Record) -> bool:
    """Return whether the player may look at a market that was renewed since *before*, and change the plan for it."""
    is_new = renewed_market(before.state) != renewed_market(desk.kept.state)
    return is_new and has_waiting_plan(desk, player.colour)


def _may_agree(desk: Desk, player: Player) -> bool:
    """Return whether somebody has just agreed to end the game and the player, who has not, must hear of it."""
    state = desk.record.state
    return player.colour not in state.agreed and any(isinstance(event, AgreedToEnd) for event in state.events)


def receipt_of(before: Record, player: Player, orders: Sequence[str]) -> Sections:
    """Return the receipt for orders that were played in the game as it was *before*, or nothing if none is wanted."""
    played = were_played(orders)
    if player.news == "every":
        return paragraphs((played,))
    if player.news == "none" or orders_of(before, player.colour):
        return ()
    return paragraphs((f"{played} {LAST_RECEIPT}",))


def were_played(orders: Sequence[str]) -> str:
    """Return the sentence that orders were played."""
    played = plural(len(orders), "Your order was played: {orders}.", "Your orders were played: {orders}.")
    return played.format(orders=listed(orders))


def of_own_order(desk: Desk, player: Player, orders: Sequence[str], answered_for: bool) -> Headline | None:
    """Return the headline of a letter about the reader's own order, None where the situation matters more.

    That is so if it is the reader's turn again, or if the game is over.
    """
    if not desk.decides or player.colour in desk.asked:
        return None
    return headline("answered for" if answered_for else "played", player, order=listed(orders))


def of_own_message(
    desk: Desk,
    reader: Player,
    post: Post,
    orders: Sequence[str],
    lines: "PlanLines | None",
    at_once: Sequence[str],
    *,
    is_news: bool,
) -> Headline | None:
    """Return the headline of the letter to whom the message came from, None where the situation matters more.

    What the message says ahead, in *lines* of a plan or in an early answer, has played the orders *at_once*.
    """
    if orders:
        return of_own_order(desk, reader, orders, bool(post.instead))
    if post.instead:
        return headline("answered ahead for", reader, order=listed(post.orders.orders if post.orders else ()))
    if not is_news:
        return None
    if at_once:
        return of_own_order(desk, reader, at_once, answered_for=False)
    if lines is None:
        return headline("answered early" if post.orders or post.early else "planned", reader)
    return headline("planned" if lines.plan or lines.always else "about a plan", reader)


def of_a_stop(desk: Desk, reader: Player) -> Headline | None:
    """Return the headline that tells others that the game waits for an absent player, None if it does not."""
    asked = desk.roster.player(desk.decides)
    if asked is None or asked.colour == reader.colour or not is_stopped(desk):
        return None
    return headline("away", reader, desk.record.state, absent=asked.name)

"""What players read of their own orders that were played: the first of each in a game, and later who likes to."""

from collections.abc import Sequence
from typing import Final

from pbem.club.reading.past import orders_of
from pbem.club.table import Player
from pbem.club.writing.headlines import Headline, headline
from pbem.club.writing.letters import Desk, is_stopped, paragraphs, waits
from pbem.first_sparks.events import AgreedToEnd
from pbem.first_sparks.record import Record
from pbem.page.page import Sections

LAST_RECEIPT: Final = 'From now on no receipt comes unless you write "news every".'


def hears(desk: Desk, player: Player) -> bool:
    """Return whether the player gets a letter after an accepted order: who is asked does, others as they like.

    All do if the game is to wait for somebody who is away, and all who have not agreed if somebody agrees to end it.
    Who likes to hear of every move gets a receipt for the own ones by it.
    """
    if player.colour == desk.decides:
        return True
    if not desk.decides:
        return player.news != "none"
    if is_stopped(desk) or _may_agree(desk, player):
        return waits(desk, player)
    return player.news == "every" and not desk.record.state.clan(player.colour).resigned


def _may_agree(desk: Desk, player: Player) -> bool:
    """Return whether somebody has just agreed to end the game, and the player has not: no agreement comes unasked."""
    state = desk.record.state
    return player.colour not in state.agreed and any(isinstance(event, AgreedToEnd) for event in state.events)


def receipt_of(before: Record, player: Player, orders: Sequence[str]) -> Sections:
    """Return the receipt for orders that were played in the game as it was *before*, or nothing for who wants none."""
    played = f"Your order was played: {', '.join(orders)}."
    if player.news == "every":
        return paragraphs((played,))
    if player.news == "none" or orders_of(before, player.colour):
        return ()
    return paragraphs((f"{played} {LAST_RECEIPT}",))


def of_own_order(desk: Desk, player: Player, orders: Sequence[str], answered_for: bool) -> Headline | None:
    """Return the headline of a letter about the reader's own order; None where the situation says more.

    Whoever is asked once more reads that, and so do all when the game is over.
    """
    if desk.decides in ("", player.colour):
        return None
    return headline("answered for" if answered_for else "played", player, order=", ".join(orders))


def of_a_stop(desk: Desk, reader: Player) -> Headline | None:
    """Return the headline for others of a letter about a game that waits for somebody who is away, else None."""
    asked = desk.roster.player(desk.decides)
    if asked is None or asked.colour == reader.colour or not is_stopped(desk):
        return None
    return headline("away", reader, desk.record.state, absent=asked.name)

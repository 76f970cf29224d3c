"""What a player has done in a game so far, by its log, and what has happened since."""

from collections.abc import Callable, Container, Sequence
from typing import Any

from pbem.errors import NotUnderstood
from pbem.first_sparks.adjudicator import Entry
from pbem.first_sparks.notation import parse_order
from pbem.first_sparks.record import History, Record, at_line
from pbem.reading.ticket import Ticket
from pbem.rulings import since


def orders_of(record: Record, colour: str) -> tuple[Entry, ...]:
    """Return the orders that the player has given, in the order of the log."""
    return tuple(entry for entry, _ in record.history if entry.by == colour and entry.is_order)


def is_heard(record: Record, said: Ticket, planned: Container[int] = ()) -> bool:
    """Return whether words with that ticket are passed on: it is not older than the player's last own order.

    What a plan has answered in the turns *planned*, of which the player has not heard yet, does not count.
    """
    own = (entry.turn for entry in reversed(orders_of(record, said.colour)))
    last = next((turn for turn in own if turn not in planned), 0)
    return said.turn >= last - 1


def was_played(record: Record, colour: str, turn: int, orders: Sequence[str]) -> bool:
    """Return whether the log has these orders of the player, directly after that turn."""
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


def news_for(
    record: Record, colour: str, rows: Callable[[], Sequence[dict[str, Any]]], planned: Container[int] = ()
) -> History:
    """Return what has happened from the player's last message with orders on.

    The *rows* of the journal tell where that message begins, and are only read if the player gave several orders.
    Turns *planned* by the player, which were played without a message, belong to what has happened.
    """
    first = next((line for line, (entry, _) in enumerate(record.history) if entry.turn in planned), None)
    if first is not None:
        return (*news_for(at_line(record, first), colour, rows), *record.history[first:])
    history = since(record, colour)
    own = [number for number, (entry, _) in enumerate(history) if entry.by == colour and entry.is_order]
    if len(own) < 2:
        return history
    ends: list[int] = []  # the turns in which earlier messages of the player ended
    for row in rows():
        if row.get("code") == "taken back":
            ends = [turn for turn in ends if turn <= row.get("turn", 0)]
        elif row.get("code") == "played" and row.get("colour") == colour:
            ends.append(row.get("turn", 0))
    last = history[own[-1]][0].turn
    end = max((turn for turn in ends if turn < last), default=0)
    return history[next(number for number in own if history[number][0].turn > end) :]

"""What the log of a game says of a mail that answers an old letter."""

from collections.abc import Sequence

from pbem.errors import NotUnderstood
from pbem.first_sparks.notation import parse_order
from pbem.first_sparks.record import Record, parse_entry
from pbem.mail.ticket import Ticket


def is_heard(record: Record, said: Ticket) -> bool:
    """Return whether words with that ticket go to the table: it is not older than the player's last own answer."""
    own = (parse_entry(line) for line in reversed(record.log) if f" {said.colour} " in line and " * " not in line)
    last = next((entry.turn for entry in own if entry.by == said.colour), 0)
    return said.turn >= last - 1


def has_ordered(record: Record, colour: str) -> bool:
    """Return whether an order of that player has been played."""
    return any(f" {colour} " in line and parse_entry(line).by == colour for line in record.log)


def stands(record: Record, colour: str, turn: int, orders: Sequence[str]) -> bool:
    """Return whether these orders of the player stand in the log, as the ones that followed that turn."""
    lines = {line.split(" ", 1)[0]: line for line in record.log if f" {colour} " in line and " * " not in line}
    for number, order in enumerate(orders, turn + 1):
        try:
            logged = parse_entry(lines[str(number)])
            move = parse_order(order, (logged.move.word,))
        except (KeyError, NotUnderstood):
            return False
        # A card number after buy or decline is a guard, and is not logged.
        if logged.by != colour or str(logged.move) not in (str(move), move.word):
            return False
    return bool(orders)

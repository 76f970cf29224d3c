"""Commits of a shared game: a player joins, or opens draws before and after an order."""

import re
from typing import Any, Final, NamedTuple

from pbem import formats, loading, rulings
from pbem.errors import Broken, NotAllowed, NotUnderstood
from pbem.first_sparks.adjudicator import Entry
from pbem.first_sparks.chance.contributions import Opens, Renews
from pbem.first_sparks.play import joined, opened, renewed_chain
from pbem.first_sparks.record import Record
from pbem.loading import Submission

_VALUE: Final = "( (?:opens|renews|skips|salts) [0-9a-f]{8})[0-9a-f]{56}$"


class Said(NamedTuple):
    """The values that a commit has opened, in place of the secrets that yield them."""

    values: tuple[str, ...]

    def opens(self, record: Record, colour: str) -> str:
        """Return the next value of a player's chain; raises Broken if the commit lacks it."""
        shown, chain = dict(record.given.shown)[colour], record.chain(colour)
        for value in self.values:
            if chain.link(bytes.fromhex(value)).hex() == shown:
                return value
        raise Broken(f"the commit lacks the next value of {colour}", path="log")


def who_joins(record: Record, data: dict[str, Any]) -> tuple[str, str]:
    """Return the colour and the first value of the player who joins by a commit; raises NotAllowed, NotUnderstood."""
    chance = data.get("chance")
    rows = chance.get("joined") if formats.is_table(chance) else None
    if not formats.is_list(rows) or not all(formats.is_table(row) for row in rows):
        raise NotUnderstood("the list of players who have joined is missing", path="chance.joined")
    told = [(str(row.get("colour")), str(row.get("value"))) for row in rows]
    known = list(record.chance.joined)
    if told[:-1] != known or len(told) != len(known) + 1:
        raise NotAllowed("until everybody has joined, each commit adds one player to the game", path="chance.joined")
    if told[-1][0] not in dict(record.players):
        raise NotUnderstood(f"no player has the colour {told[-1][0][:80]!a}", path="chance.joined")
    return told[-1]


def after_joining(record: Record, colour: str, value: str, added: tuple[Entry, ...]) -> Record:
    """Return the game that a player has joined; the last one opens the first draws."""
    record = joined(record, colour, value)
    return record if record.missing else opened(record, colour, _said(added))[0]


def after_commit(record: Record, by: str, added: tuple[Entry, ...], name: str) -> Record:
    """Return the game after a player's orders, and what the player has opened before and after them."""
    said, first = _said(added), added[0].move
    if isinstance(first, Renews):
        record, _ = renewed_chain(record, by, first.value, said)
    orders = [str(entry.move) for entry in added if entry.is_order]
    if orders and isinstance(first, Renews):
        raise NotAllowed("a new chain and an order must be two commits")
    if orders:
        submission = Submission(loading.order_lines(orders, name).orders, player=by)
        return rulings.judge(record, submission, said).record
    return record if isinstance(first, Renews) else opened(record, by, said)[0]


def is_value(line: str) -> bool:
    """Return whether a line of a log is a contribution to chance, which nobody reads."""
    return bool(re.search(_VALUE, line))


def in_short(line: str) -> str:
    """Return a line of a log with the first digits of a value alone."""
    return re.sub(_VALUE, r"\1", line)


def _said(added: tuple[Entry, ...]) -> Said:
    return Said(tuple(entry.move.value for entry in added if isinstance(entry.move, Opens)))

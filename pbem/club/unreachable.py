"""Players whose letters bounce, according to the journal of a game."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from pbem.table.messages.verdict import id_digest
from pbem.table.people import Player, Roster

BOUNCED: Final = "bounced"


def unreachable(roster: Roster, rows: Sequence[dict[str, Any]]) -> tuple[Player, ...]:
    """Return the players whose letters bounced or were rejected, unless that has been resolved since.

    It is resolved by a message from the player, a letter that our server accepts after rejecting one, or the host's
    ``replace``, even with the same address.
    """
    return tuple(player for player in roster.players if _came_back(player, reversed(rows)))


def _came_back(player: Player, latest: Iterable[dict[str, Any]]) -> bool:
    """Return whether the player's last row in the journal, newest first, is about a bounce."""
    for row in latest:
        if row.get("colour") != player.colour:
            continue
        if row.get("code") == "replaced":
            return False
        if "digest" in row and "instead" not in row:
            return row.get("code") == BOUNCED and row.get("id") == id_digest(player.reader)
    return False

"""Who gets no letters any more, as the journal of a game says it."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from pbem.club.reading.received import id_digest
from pbem.club.table import Player, Roster

BOUNCED: Final = "bounced"


def unreachable(roster: Roster, rows: Sequence[dict[str, Any]]) -> tuple[Player, ...]:
    """Return the players to whose address a letter came back or was refused, if nothing has mended it since then.

    That is a mail of the player, a letter that our server has accepted after it had refused one, or the host's
    ``replace``, which may be by the same address.
    """
    return tuple(player for player in roster.players if _came_back(player, reversed(rows)))


def _came_back(player: Player, latest: Iterable[dict[str, Any]]) -> bool:
    """Return whether the player's last line in a journal, the latest first, is about a letter that came back."""
    for row in latest:
        if row.get("colour") != player.colour:
            continue
        if row.get("code") == "replaced":
            return False
        if "digest" in row and "instead" not in row:
            return row.get("code") == BOUNCED and row.get("id") == id_digest(player.reader)
    return False

"""Journals: one line per message, in the folder of its game, or in that of the club if it belongs to no game."""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from pbem import files, formats
from pbem.table.messages.verdict import id_digest
from pbem.table.people import Player, Roster

JOURNAL_LIMIT: Final = 64 * 1024 * 1024
BOUNCED: Final = "bounced"
REPLACED: Final = "replaced"
SAME: Final = "same"  # the key of a row of the journal: the seat changed its address, and not its player
SEATS: Final = "seats"  # the key of a row about a motion that has changed seats: of each colour, name and whether same


def note(journal: Path, row: dict[str, Any]) -> None:
    """Add a line to a journal unless it is already the last one; an incomplete last line is overwritten.

    The folder of the journal is locked.
    """
    line = json.dumps(row, ensure_ascii=True).encode() + b"\n"
    descriptor = os.open(journal, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "r+b", buffering=0) as file:
        size = file.seek(0, os.SEEK_END)
        tail, whole, length = b"", 0, 64 * 1024
        while whole <= len(line) and len(tail) < size:  # the end, with a whole line before the last one
            file.seek(max(0, size - length))
            tail, length = file.read(), 2 * length
            whole = tail.rfind(b"\n") + 1
        if tail[:whole].endswith(line) and tail[:whole][-len(line) - 1 : -len(line)] in (b"", b"\n"):
            return
        file.seek(size - len(tail) + whole)
        file.truncate()
        files.write_all(descriptor, line)
        os.fsync(descriptor)


def journal_rows(journal: Path) -> tuple[dict[str, Any], ...]:
    """Return the complete lines of a journal, oldest first."""
    if not journal.exists():
        return ()
    rows: list[dict[str, Any]] = []
    for line in files.read_bytes(journal, JOURNAL_LIMIT).splitlines():
        with suppress(ValueError):
            row = json.loads(line)
            if formats.is_table(row):
                rows.append(row)
    return tuple(rows)


class NewSeat(NamedTuple):
    """A seat that has another player, or the same one with another address or key."""

    colour: str
    name: str
    is_same: bool


def new_seats(row: Mapping[str, Any]) -> tuple[NewSeat, ...]:
    """Return the seats that somebody has from a row of the journal on; what is damaged is left out."""
    given: Any = row.get(SEATS)
    if row.get("code") == REPLACED:
        given = [[row.get("colour"), row.get("name"), SAME in row]]
    return tuple(map(NewSeat._make, filter(_is_seat, given))) if formats.is_list(given) else ()


def _is_seat(given: object) -> bool:
    return formats.is_list(given) and list(map(type, given)) == [str, str, bool]


# Players whose letters bounce


def unreachable(roster: Roster, rows: Sequence[dict[str, Any]]) -> tuple[Player, ...]:
    """Return the players whose letters bounced or were rejected, unless that has been resolved since.

    It is resolved by a message from the player, a letter that our server accepts after rejecting one, or the host's
    ``replace``, even with the same address.
    """
    return tuple(player for player in roster.players if _came_back(player, reversed(rows)))


def _came_back(player: Player, latest: Iterable[dict[str, Any]]) -> bool:
    """Return whether the player's last row in the journal, newest first, is about a bounce."""
    for row in latest:
        if any(seat.colour == player.colour for seat in new_seats(row)):
            return False
        if row.get("colour") != player.colour:
            continue
        if "digest" in row and "instead" not in row:
            return row.get("code") == BOUNCED and row.get("id") == id_digest(player.reader)
    return False

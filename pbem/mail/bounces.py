"""Letters that come back: the host is told once an address, and ``pbem mail status`` says it while it lasts."""

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, Final

from pbem.errors import NoSuchFile
from pbem.mail import club as clubs
from pbem.mail import memory
from pbem.mail.answering import Verdict, id_digest
from pbem.mail.club import Club, Player, Roster, Table
from pbem.mail.ledger import Change, held, journal_rows, write
from pbem.mail.letters import notice, paragraphs
from pbem.mail.message import LARGEST, Incoming
from pbem.mail.ticket import tickets_in

BOUNCED: Final = "bounced"
_FAILED: Final = re.compile(rb"^Action:[ \t]*failed[ \t\r]*$", re.IGNORECASE | re.MULTILINE)  # RFC 3464


def bounced(club: Club, raw: bytes, mail: Incoming) -> Verdict | None:
    """Deal with a server's report that a letter of ours cannot be delivered, None for any other mail.

    The letter in it has a ticket, so that nobody makes us write who has no letter of ours.
    """
    if not mail.surely_automatic or not _FAILED.search(raw[:LARGEST]):
        return None
    for said in tickets_in((), (raw[:LARGEST].decode("latin-1"),), ()):
        with suppress(NoSuchFile):
            table = clubs.table_of(club, said.game)
            with held(club, table):
                roster = clubs.read_roster(table)
                writer = clubs.writer_of(roster, said)
                if writer is not None and not writer.gone:
                    return _told(club, table, roster, writer.player, mail.digest)
    return None


def _told(club: Club, table: Table, roster: Roster, player: Player, digest: str) -> Verdict:
    """Note that no letter reaches the player, and tell the host, once an address; the game is locked."""
    rows = journal_rows(table.journal)
    if player in unreachable(roster, rows):
        return Verdict("silent", "another letter came back to an address that the host was told of", table.name)
    address = id_digest(player.reader)
    known = any(row.get("code") == BOUNCED and row.get("id") == address for row in rows)
    why = (
        f"A letter of the game {table.name} to {player.name} ({player.colour}) came back: {player.reader} gets none. "
        f"pbem mail replace CLUB {table.name} {player.colour} NAME=ADDRESS gives the seat another address.",
    )
    letters = () if known else (notice(club, club.host, "A letter came back", paragraphs(why)),)
    head = memory.load(table).record.head if table.game.exists() else ""
    row = {"digest": digest, "id": address, "colour": player.colour, "code": BOUNCED}
    write(club, table, Change(row, head, head, letters=letters))
    told = "once more a letter came back" if known else "the host is told that a letter came back"
    return Verdict("bounced", told, table.name, letters=len(letters))


def unreachable(roster: Roster, rows: Sequence[dict[str, Any]]) -> tuple[Player, ...]:
    """Return the players to whose address a letter came back, and from whom no mail has come since then."""
    return tuple(player for player in roster.players if _came_back(player, reversed(rows)))


def _came_back(player: Player, latest: Iterable[dict[str, Any]]) -> bool:
    """Return whether the player's last line in a journal, the latest first, is about a letter that came back."""
    for row in latest:
        if row.get("colour") == player.colour and "digest" in row and "instead" not in row:
            return row.get("code") == BOUNCED and row.get("id") == id_digest(player.reader)
    return False

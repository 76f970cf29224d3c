"""Letters that come back or are refused: the host is told, and ``pbem mail status`` says it while it lasts."""

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, Final

from pbem import files
from pbem.errors import NoSuchFile, PbemError
from pbem.mail import club as clubs
from pbem.mail import memory
from pbem.mail.club import Club, Player, Roster, Table
from pbem.mail.headlines import REFUSED_LETTER, notice_of
from pbem.mail.ledger import JOURNAL_LIMIT, Change, held, journal_rows, write
from pbem.mail.letters import notice, paragraphs
from pbem.mail.message import LARGEST, Incoming
from pbem.mail.post import Verdict, id_digest
from pbem.mail.ticket import Ticket, tickets_in

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
            with held(table):
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
    subject = notice_of(table.name, "came back", absent=player.name)
    letters = () if known else (notice(club, club.host, subject, paragraphs(why)),)
    head = memory.load(table).record.head if table.game.exists() else ""
    row = {"digest": digest, "id": address, "colour": player.colour, "code": BOUNCED}
    write(club, table, Change(row, head, head, letters=letters))
    told = "once more a letter came back" if known else "the host is told that a letter came back"
    return Verdict("bounced", told, table.name, letters=len(letters))


def undeliverable(club: Club, failed: bytes, name: str, why: str, *, address: bool = False) -> tuple[str, bytes] | None:
    """Return what the host is told of a letter that was refused for good; nothing if it was the host's own.

    Of a player to whose *address* nothing can be sent that is noted, as of one whose letters come back.
    """
    from email.parser import BytesHeaderParser
    from email.utils import parseaddr

    head = BytesHeaderParser().parsebytes(failed)
    recipient = parseaddr(str(head["To"]))[1]
    if recipient == club.host:
        return None
    told = [f"A letter to {recipient} was refused for good, and lies in outbox/.failed/new/{name} now.", why]
    for said in tickets_in((), (str(head["Message-ID"]),), ()):
        told.append(
            f"If the address is wrong: pbem mail replace CLUB {said.game} {said.colour} NAME=ADDRESS gives the seat "
            "another one. If only the server was wrong, or you have corrected the address in players.toml: pbem mail "
            f"resend CLUB {said.game} sends today's question once more. The letter itself keeps its address; pbem mail "
            f"retry CLUB {name} sends it again."
        )
        if address:
            with suppress(PbemError, OSError):
                _note(club, said, recipient, name)
    return notice(club, club.host, REFUSED_LETTER, paragraphs(told))


def _note(club: Club, said: Ticket, recipient: str, name: str) -> None:
    """Note in the game's journal that the player to whom the ticket went cannot be written to."""
    table = clubs.table_of(club, said.game)
    with held(table):
        writer = clubs.writer_of(clubs.read_roster(table), said)
        if writer is None or writer.player.reader != recipient:
            return
        row = {"digest": name, "id": id_digest(recipient), "colour": said.colour, "code": BOUNCED}
        head = memory.load(table).record.head if table.game.exists() else ""
        write(club, table, Change(row, head, head))


def accepted(club: Club, name: str, letter: bytes) -> None:
    """Note that the server has accepted a letter to a player to whom it refused the last one."""
    from email.parser import BytesHeaderParser
    from email.utils import parseaddr

    table = Table(club.games / name.rsplit("-", 2)[0])
    if not table.journal.exists() or BOUNCED.encode() not in files.read_bytes(table.journal, JOURNAL_LIMIT):
        return
    recipient = parseaddr(str(BytesHeaderParser().parsebytes(letter)["To"]))[1]
    with held(table):
        for player in unreachable(clubs.read_roster(table), rows := journal_rows(table.journal)):
            last = next(row for row in reversed(rows) if row.get("code") == BOUNCED and row["colour"] == player.colour)
            # A report that came by mail is no judgement of our server, which may accept every letter.
            if player.reader == recipient and last["digest"].startswith(f"{table.name}-"):
                head = memory.load(table).record.head if table.game.exists() else ""
                row = {"digest": name, "id": id_digest(recipient), "colour": player.colour, "code": "accepted"}
                write(club, table, Change(row, head, head))


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

"""Letters that bounce or are rejected: the host is notified, and ``pbem mail status`` shows it while it lasts."""

import re
from contextlib import suppress
from typing import Final

from pbem import files
from pbem.carriers.mail.incoming.message import LARGEST, Incoming
from pbem.carriers.mail.settings import MailClub
from pbem.carriers.mail.tickets import head_of, tickets_in
from pbem.club import folder as clubs
from pbem.club.folder import GameFolder
from pbem.club.journal import BOUNCED, JOURNAL_LIMIT, journal_rows, unreachable
from pbem.club.transaction import Change, locked, write
from pbem.errors import NoSuchFile, PbemError
from pbem.page.glue import glued
from pbem.reading.ticket import Ticket
from pbem.table.letters.headlines import REFUSED_LETTER, notice_of
from pbem.table.letters.letter import Letter, paragraphs
from pbem.table.letters.notices import notice
from pbem.table.messages.verdict import Verdict, id_digest
from pbem.table.people import Player, Roster, writer_of

# In a report by RFC 3464, and in the text that Exim and qmail write, with those who give it their own name.
_FAILED: Final = rb"(?im)^Action:[ \t]*failed[ \t\r]*$|^(?:.{0,200}[.:] )?This is a permanent error[.;]"


def bounced(club: MailClub, raw: bytes, mail: Incoming) -> Verdict | None:
    """Process a server's report that our letter cannot be delivered; None for any other mail.

    The letter in it must have a ticket, so that nobody without one of our letters can make us write.
    """
    if not mail.surely_automatic or not re.search(_FAILED, raw[:LARGEST]):
        return None
    for said in tickets_in((), (raw[:LARGEST].decode("latin-1"),), ()):
        with suppress(NoSuchFile):
            folder = clubs.folder_of(club, said.game)
            with locked(folder):
                roster = clubs.read_roster(folder)
                writer = writer_of(roster, said)
                if writer is not None and not writer.gone:
                    return _tell_host(club, folder, roster, writer.player, mail.digest)
    return None


def _tell_host(club: MailClub, folder: GameFolder, roster: Roster, player: Player, digest: str) -> Verdict:
    """Record that letters to the player bounce, and notify the host once per address; the game is locked."""
    rows = journal_rows(folder.journal)
    if player in unreachable(roster, rows):
        return Verdict("silent", "another letter bounced, and the host knows about the address", folder.name)
    address = id_digest(player.reader)
    known = any(row.get("code") == BOUNCED and row.get("id") == address for row in rows)
    replace = glued(f"pbem mail replace CLUB {folder.name} {player.colour} NAME=ADDRESS")
    why = (
        f"A letter to {player.name} ({player.colour}) in the game {folder.name} bounced: nothing reaches "
        f"{player.reader}. {replace} gives the seat another address.",
    )
    subject = notice_of(folder.name, "came back", absent=player.name)
    letters = () if known else (notice(club.host, subject, paragraphs(why)),)
    row = {"digest": digest, "id": address, "colour": player.colour, "code": BOUNCED}
    write(club, folder, Change(row, letters=letters))
    told = "another letter bounced" if known else "a letter bounced, and the host is notified"
    return Verdict("bounced", told, folder.name, letters=len(letters))


def undeliverable(
    club: MailClub, failed: bytes, name: str, why: str, *, address: bool = False, serial: int = 0
) -> Letter | None:
    """Return the notice to the host about a permanently rejected letter; None if it was the host's own.

    *serial* counts how often the letter was put back into the outbox. If nothing can be sent to the *address*, that is
    recorded as for a player whose letters bounce.
    """
    head, recipient = head_of(failed)
    if recipient == club.host:
        return None
    told = [f"A letter to {recipient} was rejected permanently. It is now in outbox/.failed/new/{name}.", why]
    for said in tickets_in((), (str(head["Message-ID"]),), ()):
        replace = glued(f"pbem mail replace CLUB {said.game} {said.colour} NAME=ADDRESS")
        resend, retry = glued(f"pbem mail resend CLUB {said.game}"), glued(f"pbem mail retry CLUB {name}")
        told.append(
            f"If the address is wrong, {replace} gives the seat another one. If the server was at fault, {resend} "
            f"sends the current question again. The letter itself keeps its address; {retry} sends it once more."
        )
        if address:
            with suppress(PbemError, OSError):
                _note(club, said, recipient, name)
    return notice(club.host, REFUSED_LETTER, paragraphs(told), serial=serial)


def _note(club: MailClub, said: Ticket, recipient: str, name: str) -> None:
    """Record in the game's journal that letters do not reach the player to whom the ticket went."""
    folder = clubs.folder_of(club, said.game)
    with locked(folder):
        writer = writer_of(clubs.read_roster(folder), said)
        if writer is None or writer.player.reader != recipient:
            return
        row = {"digest": name, "id": id_digest(recipient), "colour": said.colour, "code": BOUNCED}
        write(club, folder, Change(row))


def accepted(club: MailClub, name: str, letter: bytes) -> None:
    """Record that the server has accepted a letter to a player after it had rejected the last one."""
    folder = GameFolder(club.games / name.rsplit("-", 2)[0])
    if not folder.journal.exists() or BOUNCED.encode() not in files.read_bytes(folder.journal, JOURNAL_LIMIT):
        return
    _, recipient = head_of(letter)
    with locked(folder):
        for player in unreachable(clubs.read_roster(folder), rows := journal_rows(folder.journal)):
            last = next(row for row in reversed(rows) if row.get("code") == BOUNCED and row["colour"] == player.colour)
            # A report that came by mail is not from our server, which may accept every letter.
            if player.reader == recipient and last["digest"].startswith(f"{folder.name}-"):
                row = {"digest": name, "id": id_digest(recipient), "colour": player.colour, "code": "accepted"}
                write(club, folder, Change(row))

"""One mail in: what it is, who has sent it, and who processes it.

A ticket proves who writes, and From proves nothing. Robots are never answered.
"""

import re
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from typing import Final, get_args

from pbem import files
from pbem.carriers.mail.bounces import bounced
from pbem.carriers.mail.doctor.mark import handed_over
from pbem.carriers.mail.incoming.content import understood
from pbem.carriers.mail.incoming.message import Incoming, read_message
from pbem.carriers.mail.settings import MailClub
from pbem.carriers.mail.strangers import answers, seats, tally
from pbem.carriers.mail.tickets import tickets_in
from pbem.club import folder as clubs
from pbem.club.folder import GameFolder
from pbem.club.host import finished
from pbem.club.index import folder_named
from pbem.club.journal import note
from pbem.club.players import respond
from pbem.club.transaction import LONGEST_WAIT, locked
from pbem.errors import NoSuchFile, NotUnderstood
from pbem.locale import phrase
from pbem.reading.message import Post
from pbem.reading.ticket import Ticket
from pbem.sha import sha256
from pbem.table.messages.verdict import Verdict
from pbem.table.people import writer_of


def take(club: MailClub, raw: bytes, came: datetime | None = None, junk: bool = False, size: int = 0) -> Verdict:
    """Process one mail: afterwards it needs no further attention, whatever it was.

    *came* is when it reached us, which says on what day a letter to a stranger counts; *junk* mail has such a flag in
    its mailbox. A genuine ticket proves a player, so that no spam filter keeps an order from being played. *size* is
    that of a mail of which only the beginning is here.

    Raises PbemError for trouble that is not the mail's: then nothing has
    happened, and the mail must be processed again.
    """
    try:
        mail = read_message(raw, size)
    except NotUnderstood as wrong:
        digest: str = sha256(raw).hexdigest()
        return _noted(club, digest, Verdict("unreadable", wrong.message))
    if bounce := bounced(club, raw, mail):
        return bounce
    if club.is_ours(mail.sender) and handed_over(club.folder, raw):
        return Verdict("robot", "a letter of the doctor")
    if mail.surely_automatic or club.is_ours(mail.sender):
        return _noted(club, mail.digest, Verdict("robot", mail.automatic or "our own mail"))
    post, markers = understood(raw, mail)
    post = post._replace(came=came)
    tickets = tickets_in(mail.recipients, mail.references, markers)
    if len(tickets) > 1:
        post = post._replace(wrong=NotUnderstood(phrase(CLASH)), orders=None, proposed=(), reread=None)
    for said in tickets:
        verdict = _with_ticket(club, said, mail, post, markers)
        if verdict is not None:
            return verdict
    if mail.automatic:
        return _noted(club, mail.digest, Verdict("robot", mail.automatic))
    return _noted(club, mail.digest, _from_a_stranger(club, mail, post, junk))


def _from_a_stranger(club: MailClub, mail: Incoming, post: Post, junk: bool) -> Verdict:
    """Process a person's mail without a genuine ticket; mail that is most likely forged is never answered."""
    if not club.is_address(mail.sender):
        return Verdict("silent", "the message has no sender that can be answered")
    if not any(map(club.is_ours, mail.named)):
        return Verdict("silent", "neither To nor Cc names the club")
    if why := ("marked as spam in the mailbox" if junk else "") or mail.unwanted or _forged(club, mail):
        tally.count_spam(club, post.came)
        return Verdict("spam", why)
    return answers.respond(club, mail.sender, mail.subject, post)


def _forged(club: MailClub, mail: Incoming) -> str:
    """Return why the sender is not believed: the club's own server, or any that has checked the mail, says so."""
    said = [server for server in mail.disproved if club.authserv.lower() in ("", server)]
    if not said:
        return ""
    server = said[0] or "a server"
    return f"the sender is probably forged, according to the Authentication-Results of {server}"


def games_named(club: MailClub, raw: bytes) -> set[str]:
    """Return the games in which a mail may count: by a genuine ticket, or by one that cannot be judged.

    A forged ticket names no game but one whose own players cannot be read, so that no stranger stops other clocks.
    """
    with suppress(Exception):  # all that is known is that it could not be processed
        mail = read_message(raw)
        _, markers = understood(raw, mail)
        return {said.game for said in tickets_in(mail.recipients, mail.references, markers) if _counts(club, said)}
    return set()


def _counts(club: MailClub, said: Ticket) -> bool:
    """Return whether the ticket is a player's, or may be one."""
    try:
        folder = clubs.folder_of(club, said.game)
    except NoSuchFile:
        return False
    try:
        writer = writer_of(clubs.read_roster(folder), said)
    except Exception:  # the players cannot be read
        return True
    return writer is not None and not writer.gone


LARGEST_JOURNAL: Final = 1024 * 1024  # bytes of the club's own journal, for mail that belongs to no game
CLASH: Final = "the message replies to two of our letters at once, and it is not clear which one is meant"


def _with_ticket(club: MailClub, said: Ticket, mail: Incoming, post: Post, markers: tuple[str, ...]) -> Verdict | None:
    """Process a mail with the ticket; None if the ticket is not genuine."""
    try:
        folder = folder_named(club, said.game, mail.sender)
    except NoSuchFile:
        return None
    if said.colour == seats.JOIN:
        return _joined(club, folder, said, mail, post) if seats.confirms(club, said, mail.sender) else None
    with locked(folder):
        roster = clubs.read_roster(folder)
        writer = writer_of(roster, said)
        if writer is None:
            return None
        if writer.gone:
            return answers.dismiss(club, folder, writer.gone, post)
        post = post._replace(head=_head_of(said, markers))
        verdict = respond(club, folder, roster, writer.player, said, post, valid=writer.valid)
        finished(club, folder)
        return verdict


def _joined(club: MailClub, folder: GameFolder, said: Ticket, mail: Incoming, post: Post) -> Verdict:
    """Seat a person who confirms, or write again to one who does not; the game's journal records who joined."""
    verdict = answers.confirmed(club, folder, said, mail.sender, post)
    return verdict if verdict.code in get_args(seats.Joined) else _noted(club, mail.digest, verdict)


def _head_of(said: Ticket, markers: Iterable[str]) -> str:
    """Return the head in the marker of that game and turn: after a takeback another move may have that turn."""
    found = re.search(rf"{re.escape(said.game)}/{said.turn}/([0-9a-f]{{8}})", " ".join(markers).lower())
    return found[1] if found else ""


def _noted(club: MailClub, digest: str, verdict: Verdict) -> Verdict:
    """Write a line into the club's journal, for a mail that belongs to no game. The oldest of very many are dropped."""
    with files.locked(club.journal, wait=LONGEST_WAIT):  # or one of two processes would overwrite the other's line
        if club.journal.exists() and club.journal.stat().st_size > LARGEST_JOURNAL:
            club.journal.replace(club.journal.with_name("journal.old.ndjson"))
        note(club.journal, {"digest": digest, "game": verdict.game, "code": verdict.code})
    return verdict

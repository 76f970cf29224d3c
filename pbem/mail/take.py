"""One mail in: what it is, who has sent it, and who deals with it.

A ticket proves who writes, and From proves nothing. Who has none learns nothing
of a game: a player of ours is sent today's question, to the address that we
know; a stranger is told once what this is; and robots are never answered.
"""

import re
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from pbem import files, formats, reading
from pbem.errors import NoSuchFile, NotUnderstood, PbemError
from pbem.first_sparks.sha import sha256
from pbem.mail import club as clubs
from pbem.mail import joining, memory
from pbem.mail.answering import Post, Verdict, answer, id_digest, remind
from pbem.mail.club import Club, Player, Table
from pbem.mail.ledger import Change, held, journal_rows, note, write
from pbem.mail.letters import STRANGER, notice, paragraphs
from pbem.mail.message import LARGEST, Incoming, read_message
from pbem.mail.outbox import put
from pbem.mail.quoting import markers_in
from pbem.mail.reply import read_reply
from pbem.mail.ticket import Ticket, is_genuine, tickets_in
from pbem.reading import Submission

# How often we write to an address that has no ticket, and to how many such addresses.
MOST_INVITATIONS: Final = 3
MOST_STRANGERS: Final = 2000


def take(club: Club, raw: bytes) -> Verdict:
    """Deal with one mail: afterwards it needs no other attention, whatever it was.

    Raises PbemError for trouble that is not the mail's: then nothing has
    happened, and it must be taken again.
    """
    try:
        mail = read_message(raw)
    except NotUnderstood as wrong:
        digest: str = sha256(raw).hexdigest()
        return _noted(club, digest, Verdict("unreadable", wrong.message))
    if bounce := _bounced(club, raw, mail):
        return bounce
    if mail.surely_automatic or mail.sender == club.address.lower():
        return _noted(club, mail.digest, Verdict("robot", mail.automatic or "our own mail"))
    post, markers = understood(raw, mail)
    tickets = tickets_in(mail.recipients, mail.references, markers)
    if len(tickets) > 1:
        post = post._replace(wrong=NotUnderstood(CLASH), orders=None)
    for said in tickets:
        verdict = _with_ticket(club, said, mail, post, markers)
        if verdict is not None:
            return verdict
    if mail.automatic:
        return _noted(club, mail.digest, Verdict("robot", mail.automatic))
    return _noted(club, mail.digest, _without_ticket(club, mail, post))


CLASH: Final = "the mail answers two mails of ours at once, and it is not clear which one is meant"


def understood(raw: bytes, mail: Incoming) -> tuple[Post, tuple[str, ...]]:
    """Return the mail as far as it is understood, and the markers in it."""
    post = Post(raw, mail.digest, _own_id(mail), person=not mail.automatic)
    if mail.unreadable:
        return post._replace(wrong=NotUnderstood(mail.unreadable)), ()
    try:
        reply = read_reply(mail.text)
    except NotUnderstood as wrong:
        return post._replace(wrong=wrong), markers_in(mail.text)
    post = post._replace(wishes=reply.requests, words=reply.talk)
    try:
        orders = _orders(reply.orders, mail)
    except NotUnderstood as wrong:
        return post._replace(wrong=wrong), reply.markers
    return post._replace(orders=orders), reply.markers


def _own_id(mail: Incoming) -> str:
    """Return the Message-ID if it can be written into a header of ours."""
    return mail.message_id if re.fullmatch(r"<[!-;=?-~]{1,250}>", mail.message_id) else ""


def _orders(lines: tuple[str, ...], mail: Incoming) -> Submission | None:
    """Return the orders of a mail, in its text or in one attached move file; raises NotUnderstood."""
    attached = mail.attachments
    if not attached:
        return reading.order_lines(lines, "your mail") if lines else None
    if lines or len(attached) > 1:
        raise NotUnderstood("there are orders in the mail and in a file that is attached, or in two files")
    endings: dict[str, formats.Format] = {"toml": "toml", "json": "json"}
    form = endings.get(attached[0].name.rpartition(".")[2].lower())
    return reading.read_submission(attached[0].text, form, "the attached file")


def _with_ticket(club: Club, said: Ticket, mail: Incoming, post: Post, markers: tuple[str, ...]) -> Verdict | None:
    """Deal with the mail of who has the ticket; None if it is not genuine."""
    try:
        table = clubs.table_of(club, said.game)
    except NoSuchFile:
        return None
    if said.colour == joining.JOIN:
        return _joined(club, table, mail, post) if joining.confirms(club, said, mail.sender) else None
    with held(club, table):
        roster = clubs.read_roster(table)
        player = roster.player(said.colour)
        if player is None or not is_genuine(said, player.key):
            return None
        if post.orders is not None and not post.orders.head:
            post = post._replace(orders=post.orders._replace(head=_head_of(said, markers)))
        return answer(club, table, roster, player, said, post)


def _head_of(said: Ticket, markers: Iterable[str]) -> str:
    """Return the head in the marker of that game and turn: after a move is taken back another one has the turn."""
    found = re.search(rf"{re.escape(said.game)}/{said.turn}/([0-9a-f]{{8}})", " ".join(markers).lower())
    return found[1] if found else ""


_FAILED: Final = re.compile(rb"^Action:[ \t]*failed[ \t\r]*$", re.IGNORECASE | re.MULTILINE)  # RFC 3464


def _bounced(club: Club, raw: bytes, mail: Incoming) -> Verdict | None:
    """Deal with a server's report that a letter of ours cannot be delivered, None for any other mail.

    The letter in it has a ticket, so that nobody makes us write who has no letter of ours.
    """
    if not mail.surely_automatic or not _FAILED.search(raw[:LARGEST]):
        return None
    for said in tickets_in((), (raw[:LARGEST].decode("latin-1"),), ()):
        with suppress(NoSuchFile):
            table = clubs.table_of(club, said.game)
            with held(club, table):
                player = clubs.read_roster(table).player(said.colour)
                if player is not None and is_genuine(said, player.key):
                    return _told_of(club, table, player, mail.digest)
    return None


def _told_of(club: Club, table: Table, player: Player, digest: str) -> Verdict:
    """Tell the host, once an address, that no letter reaches the player; the game is locked."""
    address = id_digest(player.reader)
    if any(row.get("code") == "bounced" and row.get("id") == address for row in journal_rows(table.journal)):
        return Verdict("silent", "another letter came back to an address that the host was told of", table.name)
    why = (
        f"A letter of the game {table.name} to {player.name} ({player.colour}) came back: {player.reader} gets none. "
        f"pbem mail replace CLUB {table.name} {player.colour} NAME=ADDRESS gives the seat another address.",
    )
    head = memory.load(table).record.head if table.game.exists() else ""
    row = {"digest": digest, "id": address, "colour": player.colour, "code": "bounced"}
    write(
        club, table, Change(row, head, head, letters=(notice(club, club.host, "A letter came back", paragraphs(why)),))
    )
    return Verdict("bounced", "the host is told that a letter came back", table.name, letters=1)


# Without a ticket


def _without_ticket(club: Club, mail: Incoming, post: Post) -> Verdict:
    if not clubs.is_address(mail.sender):
        return Verdict("silent", "nobody can be answered")
    wish = next((wish.split() for wish in post.wishes if wish.lower().startswith("join ")), None)
    if wish is not None:
        return _wished(club, mail, wish[1:])
    for table in _tables_of(club, mail):
        return remind(club, table, mail.sender)
    if not _may_write(club, f"help {mail.sender}", 1):
        return Verdict("silent", "a stranger who has been told what this is")
    name, letter = notice(club, mail.sender, "The First Sparks by mail", paragraphs(STRANGER), answers=_own_id(mail))
    return _wrote(club, f"help {mail.sender}", name, letter, Verdict("stranger", "told what this is", letters=1))


def _tables_of(club: Club, mail: Incoming) -> Iterable[Table]:
    """Return the game of a player with the address: that which the subject names, or else the first one."""
    address = mail.sender.encode()
    found = []
    for table in clubs.tables(club):
        with suppress(PbemError):
            # Most games are not even parsed.
            if address in files.read_bytes(table.players).lower() and table.game.exists():
                players = clubs.read_roster(table).players
                found += [table] * any(player.address.lower() == mail.sender for player in players)
    named = [table for table in found if re.search(rf"\b{re.escape(table.name)}\b", mail.subject.lower())]
    return (named or found)[:1]


def _wished(club: Club, mail: Incoming, words: list[str]) -> Verdict:
    """Ask whoever wants to join to confirm, at the address that the mail names as its own."""
    what = f"join {mail.sender}"
    if not _may_write(club, what, MOST_INVITATIONS):
        return Verdict("silent", "too many wishes to join from one address")
    game = (words or ["saturday"])[0].lower()
    try:
        if len(words) < 2:
            raise NotUnderstood(
                "to join, write the name of the game and the one that you want to have there",
                hint=f'For instance: "join {game} Zoe".',
            )
        try:
            table = clubs.table_of(club, game)
        except NoSuchFile as none:
            raise NotUnderstood(none.message, hint="Ask the host for the name of yours.") from None
        name, colour = joining.wished(table, words[1:])
    except NotUnderstood as wrong:
        name, letter = notice(club, mail.sender, "To join a game", joining.refusal(wrong), answers=_own_id(mail))
        return _wrote(club, what, name, letter, Verdict("refused", wrong.message, letters=1))
    name, letter = joining.invitation(club, table.name, name, colour, mail.sender, _own_id(mail))
    return _wrote(club, what, name, letter, Verdict("asked", "asked to confirm", table.name, letters=1))


def _joined(club: Club, table: Table, mail: Incoming, post: Post) -> Verdict:
    """Seat whoever confirms, as the mail says once more."""
    wish = next((wish.split() for wish in post.wishes if wish.lower().startswith("join ")), None)
    if wish is None or len(wish) < 3 or wish[1].lower() != table.name:
        return _noted(club, mail.digest, _wished(club, mail, wish[1:] if wish else [table.name]))
    try:
        with held(club, table):
            code = joining.join(club, table, wish[2:], mail.sender, mail.digest)
    except NotUnderstood:
        return _noted(club, mail.digest, _wished(club, mail, wish[1:]))
    return Verdict(code, "a wish to join was confirmed", table.name, 0)


def _may_write(club: Club, what: str, most: int) -> bool:
    """Return whether we may write to somebody without a ticket once more."""
    folder = club.folder / "strangers"
    if sum(1 for _ in folder.iterdir()) >= MOST_STRANGERS:
        return False
    return not (folder / _stranger(what, most - 1)).exists()


def _wrote(club: Club, what: str, name: str, letter: bytes, verdict: Verdict) -> Verdict:
    """Put the letter into the outbox, and then remember that it was written."""
    put(club, name, letter)
    folder = club.folder / "strangers"
    number = next(number for number in range(MOST_INVITATIONS + 1) if not (folder / _stranger(what, number)).exists())
    (folder / _stranger(what, number)).touch(mode=0o600)
    return verdict


def _stranger(what: str, number: int) -> str:
    return f"{sha256(what.encode()).hexdigest()[:24]}.{number}"


def _noted(club: Club, digest: str, verdict: Verdict) -> Verdict:
    """Write a line into the club's journal: the mail belongs to no game."""
    note(club.journal, {"digest": digest, "game": verdict.game, "code": verdict.code})
    return verdict

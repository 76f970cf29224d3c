"""A player's message in a club, or an order that somebody else gives for a player: one change to its game, or none."""

from collections.abc import Sequence
from typing import Any, Final

from pbem.club.carrier import Club
from pbem.club.folder import GameFolder
from pbem.club.journal import journal_rows
from pbem.club.store import commit, load
from pbem.club.transaction import Change, write
from pbem.errors import Illegal
from pbem.loading import Submission
from pbem.locale import speaking
from pbem.reading.message import Post
from pbem.reading.ticket import Ticket, ticket
from pbem.sha import sha256
from pbem.table.letters.seats import not_begun
from pbem.table.messages.answers import Heard
from pbem.table.messages.hear import LANGUAGE, hear
from pbem.table.messages.verdict import Verdict, id_digest, kept_name
from pbem.table.messages.votes import ASKED
from pbem.table.people import Player, Roster
from pbem.table.table import Table
from pbem.table.tell import Telling, tell

KNOWN: Final = "this message was processed before"


def respond(
    club: Club, folder: GameFolder, roster: Roster, player: Player, said: Ticket, post: Post, *, valid: bool = True
) -> Verdict:
    """Act on a message of the player, written with that ticket, as ``hear`` says; the game is locked."""
    rows = journal_rows(folder.journal)
    if is_known(rows, post):
        return Verdict("duplicate", KNOWN, folder.name)
    if not folder.game.exists() and roster.opening is not None:
        return _waits(club, folder, roster, player, rows, post)
    table = load(club, folder, roster, rows)
    heard = hear(table, player, said, post, valid=valid)
    if heard.step is None:
        turn = table.kept.turn if heard.code == "silent" else None
        return Verdict(heard.code, heard.words, folder.name, turn)
    telling = tell(heard.step)
    after = telling.after
    kept = folder.inside(folder.mails / kept_name(after.kept.turn, player.colour, post.digest))
    row = _row(player, post, heard, telling)
    commit(club, folder, table, after, row, telling.letters, ((kept, post.raw),) if heard.counts else ())
    return Verdict(heard.code, heard.words, folder.name, after.kept.turn, len(telling.letters))


def _row(player: Player, post: Post, heard: Heard, telling: Telling) -> dict[str, Any]:
    """Return what the journal notes of a message."""
    record, house = telling.after.kept, telling.after.house
    here = {"game": record.game, "turn": record.turn, "head": record.head}
    if not heard.is_noted:
        return {"code": "motion over", **here}
    return {
        "digest": post.digest,
        "id": id_digest(post.message_id),
        **here,
        "colour": player.colour,
        "code": heard.code,
        **({"instead": True} if post.instead else {}),
        **({LANGUAGE: player.language} if player.language != "en" else {}),
        **heard.row,
        **({"letter": id_digest(house.id_of(telling.answer))} if telling.answer else {}),
        **({ASKED: [id_digest(house.id_of(each)) for each in telling.asks]} if telling.asks else {}),
    }


def is_known(rows: Sequence[dict[str, Any]], post: Post) -> bool:
    """Return whether the message is in the journal, or one of its id has counted; a rejected one may be corrected."""
    name = id_digest(post.message_id)
    return any(
        row.get("digest") == post.digest
        or (name and row.get("id") == name and row.get("code") in ("played", "planned"))
        for row in rows
    )


def _waits(
    club: Club, folder: GameFolder, roster: Roster, player: Player, rows: Sequence[dict[str, Any]], post: Post
) -> Verdict:
    """Tell a player once that the game has not begun."""
    told = any(row.get("code") == "waiting" and row.get("colour") == player.colour for row in rows)
    if told or not post.person or roster.opening is None:
        return Verdict("silent", "the game is waiting for players", folder.name)
    missing = roster.opening.seats - len(roster.players)
    with speaking(player.language):
        own = not_begun(folder.name, player, missing)
    row = {"digest": post.digest, "id": id_digest(post.message_id), "colour": player.colour, "code": "waiting"}
    write(club, folder, Change(row, letters=(own,)))
    return Verdict("waiting", "told that the game has not begun", folder.name, None, 1)


# Orders of the clock, or of the host


def stand_in(club: Club, folder: GameFolder, table: Table, colour: str, order: str, by: str, why: str) -> Player:
    """Play an order for a player who is asked, or answer early, and tell the player *why*; return that player.

    It is kept like a message from *by*, so that a rebuild finds it. Raises Illegal.
    """
    player, record = table.roster.player(colour), table.kept
    assert player is not None
    raw = f"From: {club.address}\nSubject: [{record.game}] {by}\n\n{order}\n".encode()
    orders = Submission((order,), game=record.game, turn=record.turn, head=record.head)
    own = ticket(player.key, record.game, player.colour, record.turn)
    post = Post(raw, sha256(raw).hexdigest(), "", orders, person=False, instead=why)
    verdict = respond(club, folder, table.roster, player, own, post)
    if verdict.code not in ("played", "planned"):
        raise Illegal(f"the order was not accepted: {verdict.message}", order=order)
    return player

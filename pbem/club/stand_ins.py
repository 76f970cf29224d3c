"""Orders that somebody else gives for a player: the clock, the host, or all others who have agreed to it."""

from pbem.club.folder import GameFolder
from pbem.club.players import respond
from pbem.club.settings import Club
from pbem.errors import Illegal
from pbem.loading import Submission
from pbem.reading.message import Post
from pbem.reading.ticket import ticket
from pbem.sha import sha256
from pbem.table.people import Player
from pbem.table.table import Table


def stand_in(
    club: Club,
    folder: GameFolder,
    table: Table,
    colour: str,
    order: str,
    by: str,
    why: str,
    *,
    everybody: str = "",
) -> Player:
    """Play an order for a player who is asked, or answer early, and tell the player *why*; return that player.

    With *everybody*, all others are told that. It is kept like a message from *by*, so that a rebuild finds it. Raises
    Illegal.
    """
    player, record = table.roster.player(colour), table.kept
    assert player is not None
    raw = f"From: {club.address}\nSubject: [{record.game}] {by}\n\n{order}\n".encode()
    orders = Submission((order,), game=record.game, turn=record.turn, head=record.head)
    own = ticket(player.key, record.game, player.colour, record.turn)
    post = Post(raw, sha256(raw).hexdigest(), "", orders, person=False, instead=why, everybody=everybody)
    verdict = respond(club, folder, table.roster, player, own, post)
    if verdict.code not in ("played", "planned"):
        raise Illegal(f"the order was not accepted: {verdict.message}", order=order)
    return player

"""What follows from a matter that was decided at the table: the game, and the keys of the players, after it."""

from pbem import secrets
from pbem.carriers.git.signing import and_key, with_key, without_key
from pbem.errors import Illegal
from pbem.first_sparks.record import SHARED, Record
from pbem.loading import GameFile
from pbem.locale import phrase
from pbem.table.lines import Returns, TableLine
from pbem.table.matters.kinds import Answer
from pbem.table.matters.matter import Matter
from pbem.table.matters.standing import Away
from pbem.table.minutes import Minutes


def game_after(game: GameFile, line: TableLine) -> Record:
    """Return the game after a line, with draws that anybody can make; raises Illegal like ``judge``."""
    if line.proposed or not isinstance(line.said, Matter):
        return game.record
    draw = secrets.draws_of(game.record, game.path) if game.record.chance.secret else None
    after = line.said.game_after(game.record, draw)
    if isinstance(line.said, Answer) and after.chance.kind == SHARED and after.opener == line.said.whom:
        raise Illegal(phrase("a draw follows that answer, which only {player} can open", player=line.said.whom))
    return after


def signers_after(signers: bytes | None, line: TableLine, minutes: Minutes) -> bytes | None:
    """Return the text of the accepted keys after a line that follows these minutes, None if moves are not signed."""
    if signers is None or line.proposed:
        return signers
    substitute_key = minutes.after(line).substitute_key
    if isinstance(line.said, Away | Returns):
        return and_key(without_key(signers, line.by, minutes.substitute_key(line.by)), line.by, substitute_key(line.by))
    for whom, key in line.said.keys if isinstance(line.said, Matter) else ():
        signers = and_key(with_key(signers, whom, key), whom, substitute_key(whom))
    return signers

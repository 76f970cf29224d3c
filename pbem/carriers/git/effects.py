"""What follows from a matter that was decided at the table: the game, and the keys of the players, after it."""

from pbem import secrets
from pbem.carriers.git.signing import and_key, with_key, without_key
from pbem.errors import Illegal
from pbem.first_sparks.record import SHARED, Record
from pbem.loading import GameFile
from pbem.locale import phrase
from pbem.table.lines import Returns, TableLine
from pbem.table.matters.kinds import Answer, ChangeKey, Replace
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
    match line.said:
        case ChangeKey(whom, key):
            return and_key(with_key(signers, whom, key), whom, minutes.substitute_key(whom))
        case Replace(whom, key) if key:
            return with_key(signers, whom, key)
        case Away() | Returns() as said:
            kept = without_key(signers, line.by, minutes.substitute_key(line.by))
            return and_key(kept, line.by, said.key if isinstance(said, Away) else "")
        case _:
            return signers

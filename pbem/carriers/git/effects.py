"""What follows from a matter that was decided at the table: the game, and the keys of the players, after it."""

from pbem import rulings, secrets
from pbem.carriers.git.signing import and_key, with_key, without_key
from pbem.errors import Illegal
from pbem.first_sparks.play import taken_back
from pbem.first_sparks.record import SHARED, Record
from pbem.loading import GameFile, Submission
from pbem.table.lines import Answer, Away, ChangeKey, Exclude, Replace, Returns, TableLine, TakeBack
from pbem.table.minutes import Minutes


def game_after(game: GameFile, line: TableLine) -> Record:
    """Return the game after a line, with draws that anybody can make; raises Illegal like ``judge``."""
    record = game.record
    match line.said:
        case TakeBack(to) if not line.proposed:
            return taken_back(record, to)
        case Exclude(whom) if not line.proposed:
            return _ordered(game, whom, "resign")
        case Answer(whom, order) if not line.proposed:
            after = _ordered(game, whom, order)
            if after.chance.kind == SHARED and after.opener == whom:
                raise Illegal(f"a draw follows that answer, which only {whom} can open")
            return after
        case _:
            return record


def _ordered(game: GameFile, whom: str, order: str) -> Record:
    draw = secrets.draws_of(game.record, game.path) if game.record.chance.secret else None
    return rulings.judge(game.record, Submission((order,), player=whom), draw).record


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

"""What players read about moves that no longer count, or would not if all agree."""

from collections.abc import Sequence
from typing import Final

from pbem.first_sparks.adjudicator import Entry
from pbem.first_sparks.briefing.words import colour_word
from pbem.first_sparks.moves import Draw
from pbem.first_sparks.notation import order_text
from pbem.first_sparks.record import Record
from pbem.grammar import one_after_another
from pbem.locale import tr

MOST_TOLD: Final = 12  # moves
ASKS: Final = (
    "{mover} asks to take the game back to turn {turn}, to before {mover}'s last own order. These moves would no "
    "longer count: {moves}."
)
_MORE: Final = "{moves}; and {more} more"
_SAME_DRAWS: Final = "The draws among them would be the same again in the same situation."
_BY_HOST: Final = "The host has taken the game back to turn {turn}. These moves no longer count: {moves}."
_FROM_A_BACKUP: Final = (
    "The host has put the game back to turn {turn}, from a backup. Moves made since then no longer count."
)
_TOGETHER: Final = (
    "You have agreed to take the game back to turn {turn}, as {mover} asked. These moves no longer count: {moves}."
)
_ALONE: Final = "You have taken the game back to turn {turn}. These moves no longer count: {moves}."


def asked_back(record: Record, turn: int, mover: str) -> str:
    """Return what others are asked to agree to: which moves would no longer count, and whether draws come again."""
    undone = tuple(entry for entry, _ in record.history if entry.turn > turn)
    said = _story(undone, turn, tr(ASKS), mover)
    is_same = not record.chance.salted and any(isinstance(entry.move, Draw) for entry in undone)
    return " ".join((said, tr(_SAME_DRAWS))) if is_same else said


def by_host(undone: Sequence[Entry], turn: int) -> str:
    """Return what everybody reads when the host has taken moves back, to the end of a turn. A backup knows none."""
    if not undone:
        return tr(_FROM_A_BACKUP).format(turn=turn)
    return _story(undone, turn, tr(_BY_HOST))


def by_motion(undone: Sequence[Entry], turn: int, mover: str, *, alone: bool) -> str:
    """Return what everybody reads when moves were taken back as a player asked; *alone* if nobody had to agree."""
    return _story(undone, turn, tr(_ALONE if alone else _TOGETHER), mover)


def _story(undone: Sequence[Entry], turn: int, told: str, mover: str = "") -> str:
    """Return a message about moves that no longer count: the first of them, and how many more there are."""
    own = [_move_text(entry) for entry in undone if entry.is_order]
    moves = one_after_another(own[:MOST_TOLD])
    if more := len(own[MOST_TOLD:]):
        moves = tr(_MORE).format(moves=moves, more=more)
    return told.format(turn=turn, moves=moves, mover=mover)


def _move_text(entry: Entry) -> str:
    """Return a move as the log has it, ``57 red pass``."""
    return tr("{turn} {colour} {order}", "a move").format(
        turn=entry.turn, colour=colour_word(entry.by), order=order_text(str(entry.move))
    )

"""Taking moves back, when all agree or the host wants it: what players read about moves that no longer count."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Self

from pbem.first_sparks.adjudicator import Entry
from pbem.first_sparks.briefing.words import colour_word
from pbem.first_sparks.moves import Draw
from pbem.first_sparks.notation import order_text
from pbem.first_sparks.play import DrawSource, taken_back
from pbem.first_sparks.record import Record
from pbem.grammar import one_after_another
from pbem.locale import Phrase, phrase, tr
from pbem.rulings import orders_of
from pbem.table.matters.matter import Matter, MotionTexts, Setting

MOST_TOLD: Final = 12  # moves
_NO_ORDER: Final = "You have not given an order yet, so there is nothing that you can take back."
_ASKS: Final = (
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
    "All of you have agreed to take the game back to turn {turn}, as {mover} asked. These moves no longer count: "
    "{moves}."
)
_ALONE: Final = "You have taken the game back to turn {turn}. These moves no longer count: {moves}."


@dataclass(frozen=True)
class TakeBack(Matter):
    """Take the game back to the end of an earlier turn."""

    to: int
    word: ClassVar[str] = "take back"
    pattern: ClassVar[str] = "take the game back to turn ([0-9]{1,9})"
    request: ClassVar[str] = "take back"
    texts: ClassVar[MotionTexts] = MotionTexts(
        '"take back": you ask the others to take the game back to before your last order',
        (
            "{mover} asks to take something back",
            "{name}, {mover} asks to take something back. Do you agree?",
            "{name}, {mover} asks to take something back.",
        ),
        _ASKS,
        "{mover} has asked to take the game back to turn {turn}.",
        "Your motion to take the game back is over, since the game has gone on.",
    )

    @property
    def in_words(self) -> Phrase:
        return phrase("take the game back to turn {turn}", turn=self.to)

    @classmethod
    def read(cls, found: re.Match[str]) -> Self:
        return cls(int(found[1]))

    @classmethod
    def moved(cls, setting: Setting) -> Self | str:
        """Return that the game is taken back to before the player's last own order, or why that cannot be."""
        orders = orders_of(setting.record, setting.by)
        return cls(orders[-1].turn - 1) if orders else phrase(_NO_ORDER)

    @classmethod
    def is_moved_by(cls, _setting: Setting, motion: Matter, /) -> bool:
        return isinstance(motion, cls)  # to whichever turn

    def check(self, setting: Setting) -> None:
        taken_back(setting.record, self.to)

    def ends(self, _other: Matter, /) -> bool:
        return True

    def game_after(self, record: Record, _draw: DrawSource | None) -> Record:
        return taken_back(record, self.to)

    @property
    def holes(self) -> Mapping[str, str]:
        return {"turn": str(self.to)}

    def asked(self, holes: Mapping[str, str], record: Record) -> str:
        return asked_back(record, self.to, holes["mover"])


def asked_back(record: Record, turn: int, mover: str) -> str:
    """Return what others are asked to agree to: which moves would no longer count, and whether draws come again."""
    undone = tuple(entry for entry, _ in record.history if entry.turn > turn)
    said = _story(undone, turn, tr(_ASKS), mover)
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

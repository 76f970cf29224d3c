"""Numbers for everything that a player or chance can decide, each with a meaning that never changes.

A number is one step of an answer. Most answers are one step, such as ``offer 12``. Spaces are named one after the
other, in any order: to spread to A1a and A1b is the step A1a, the step A1b, and then ``done``; to stay is ``done`` at
once. Who starves, and the members of the neutral clan, need no ``done``, since their number is known. A tile is laid
by naming the cell of its hex 1, then that of its hex 2. To resign and to agree to the end have no numbers.
"""

from collections import Counter
from collections.abc import Iterable
from string import ascii_uppercase
from typing import Final, cast

from pbem.first_sparks import moves, phases
from pbem.first_sparks.adjudicator import choices
from pbem.first_sparks.components import ComponentSet
from pbem.first_sparks.moves import Move
from pbem.first_sparks.options import BoardWay
from pbem.first_sparks.rules.spreading import reach
from pbem.first_sparks.state import GameState

DONE: Final = "done"
_WORDS: Final = (DONE, "pass", "buy", "decline", "take", "discard")
_ROWS: Final = range(1, 26)
_tables: Final[list[tuple[ComponentSet, "Actions"]]] = []  # the last one made: nearly all games use the same set


class Actions:
    """What the numbers mean, for one component set; the same set always has the same numbers.

    ``words`` has the word of each number: first ``done``, ``pass``, ``buy``, ``decline``, ``take`` and ``discard``;
    then every space (``A1a``); ``offer N``, ``drop N`` and ``draw N`` for every card; ``draw shuffle``; ``draw A`` for
    every tile; and from number ``cells`` on every cell of the map (``M13``). ``number`` has the number of each word.
    """

    def __init__(self, components: ComponentSet) -> None:
        cards, tiles = sorted(components.cards), sorted(components.tiles)
        self.spaces: Final = tuple(f"{tile}{part}{letter}" for tile in tiles for part in "12" for letter in "abc")
        words = [*_WORDS, *self.spaces]
        words += [f"{word} {card}" for word in ("offer", "drop", "draw") for card in cards]
        words += ["draw shuffle", *(f"draw {tile}" for tile in tiles)]
        self.cells: Final = len(words)
        self.words: Final = (*words, *(f"{column}{row}" for row in _ROWS for column in ascii_uppercase))
        self.number: Final = {word: number for number, word in enumerate(self.words)}

    def of_players(self, board: BoardWay) -> int:
        """Return how many numbers, from 0 on, include all that players use: cells only if they lay the tiles."""
        return len(self.words) if board == "players" else self.cells


def actions_of(components: ComponentSet) -> Actions:
    """Return the numbers for a component set."""
    if not _tables or _tables[0][0] is not components:
        _tables[:] = [(components, Actions(components))]
    return _tables[0][1]


def steps(state: GameState, named: tuple[str, ...]) -> Counter[str]:
    """Return the words that can come next, after those *named*, and how many legal answers begin so.

    While a clan spreads they are not counted: there may be thousands.
    """
    phase = state.phase
    if isinstance(phase, phases.Spreading):
        return Counter((DONE, *(space for space, _ in reach(state, state.clan(phase.clan), named))))
    if isinstance(phase, phases.Laying):
        laid = cast("Iterable[moves.Lay]", choices(state))
        return Counter(move.second if named else move.first for move in laid if named in ((), (move.first,)))
    if isinstance(phase, phases.Starving | phases.SpreadingNeutral):
        answers = cast("Iterable[moves.Starve | moves.SpreadNeutral]", choices(state))
        fitting = (move.spaces for move in answers if set(named).issubset(move.spaces))
        return Counter(space for spaces in fitting for space in spaces if space not in named)
    return Counter(map(_word, choices(state)))


def _word(move: Move) -> str:
    """Return the word of an answer that is one step."""
    if isinstance(move, moves.Settle | moves.SettleNeutral | moves.Add):
        return move.space
    if isinstance(move, moves.Buy | moves.Decline):
        return move.word
    return DONE if isinstance(move, moves.Stay) else str(move)


def named_with(state: GameState, named: tuple[str, ...], word: str) -> tuple[str, ...]:
    """Return what is named after one more step; spaces are sorted, so that their order makes no difference."""
    return (*named, word) if isinstance(state.phase, phases.Laying) else tuple(sorted((*named, word)))


def answer(state: GameState, named: tuple[str, ...], word: str) -> Move | None:
    """Return the move that a legal step completes; None if the answer goes on."""
    phase = state.phase
    if isinstance(phase, phases.Spreading):
        return None if word != DONE else moves.Spread(named) if named else moves.Stay()
    if isinstance(phase, phases.Laying):
        return moves.Lay(named[0], word) if named else None
    if isinstance(phase, phases.Starving):
        return moves.Starve(named_with(state, named, word)) if len(named) + 1 == phase.hungry else None
    if isinstance(phase, phases.SpreadingNeutral):
        return moves.SpreadNeutral(named_with(state, named, word)) if len(named) + 1 == phase.new else None
    return next(move for move in choices(state) if _word(move) == word)

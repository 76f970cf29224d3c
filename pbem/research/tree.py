"""The game as a tree: what chance may draw, the state after any move, and what a game that is over is worth.

A state is an immutable value, so that undoing a move means keeping the state before it.
"""

from typing import cast

from pbem.first_sparks.adjudicator import adjudicate, choices, who_decides
from pbem.first_sparks.choice import Choice
from pbem.first_sparks.moves import Move
from pbem.first_sparks.notation import expected, parse_order
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.state import CHANCE, GameState
from pbem.scripts.library import FilePath, Game, of_type, state_of


def outcomes(game: Game | GameState | FilePath) -> tuple[tuple[Move, float], ...]:
    """Return what chance may draw now, each with its probability; nothing where a player decides, or after the end.

    All draws are equally likely (R10.2). On a random board chance also lays the tiles.
    """
    state = state_of(game)
    if who_decides(state) != CHANCE:
        return ()
    drawn = tuple(choices(state))
    return tuple((move, 1 / len(drawn)) for move in drawn)


def apply(game: Game | GameState | FilePath, move: Move | Choice | str, player: str | None = None) -> GameState:
    """Return the state after a move, a choice, an order or a draw, at the next decision: of a player or of chance.

    Nothing else happens: no draw is made and no forced decision taken, which ``play`` does. *player* is the colour of
    the clan; by default it is the one that decides, or chance. Raises Illegal with every reason, NotYourTurn, and
    NotUnderstood.
    """
    state = state_of(game)
    if isinstance(move, str):
        move = parse_order(move, expected(state.phase))
    elif isinstance(move, Choice):
        move = move.move
    if not isinstance(cast("object", move), Move):
        raise TypeError(f"expected a move, a choice or an order, not {type(move).__name__}")
    return adjudicate(state, of_type(str, player or "") or who_decides(state) or "", move)


def winners(game: Game | GameState | FilePath) -> tuple[str, ...]:
    """Return the colours that have won, in player order; nobody until the game is over. Several share the victory."""
    phase = state_of(game).phase
    return phase.winners if isinstance(phase, Ended) else ()


def returns(game: Game | GameState | FilePath) -> dict[str, float]:
    """Return what the game is worth to each clan, in player order: together 0, and all 0 until the game is over.

    The only winner gets 1, and the others share -1. Winners who share the victory share what is left of it, so that a
    game which all win is worth 0.
    """
    state = state_of(game)
    won, players = winners(state), len(state.clans)
    each = (players / len(won) - 1) / (players - 1) if won else 0.0
    lost = -1 / (players - 1) if won else 0.0
    return {colour: each if colour in won else lost for colour in state.order}

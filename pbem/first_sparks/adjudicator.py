"""The way into the rules: who decides, what is legal, and what follows from a move.

``decisions`` has the questions and answers; here is the way from one decision to the next.

A game goes through PREPARATION once and then repeats ROUND. Each step does its work, or sets the phase in which
somebody must decide; chance is a player.
"""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final, NamedTuple

from pbem.errors import Illegal, NotYourTurn
from pbem.first_sparks import market, moves, phases
from pbem.first_sparks.chance.contributions import Contribution
from pbem.first_sparks.clans import clan_name
from pbem.first_sparks.components import ComponentSet
from pbem.first_sparks.decisions import RULES, answered_for, choices, must_be_free, violations, who_decides
from pbem.first_sparks.moves import Move
from pbem.first_sparks.options import Options
from pbem.first_sparks.rules import (
    bureaucracy,
    buying,
    game_end,
    hunting,
    placement,
    preparation,
    spreading,
    two_players,
)
from pbem.first_sparks.state import CHANCE, GameState
from pbem.locale import phrase

__all__ = [
    "PREPARATION",
    "ROUND",
    "STEPS",
    "Entry",
    "adjudicate",
    "carry_on",
    "choices",
    "follow",
    "forced",
    "is_chosen",
    "new_game",
    "violations",
    "walk_on",
    "who_decides",
]

Step = Callable[[GameState], GameState]
Draws = Callable[[int, int], int]

# The name of a step stands in game files.
PREPARATION: Final[tuple[Step, ...]] = (
    preparation.deal_herbs,
    preparation.lay_landscape,
    two_players.settle_neutral,
    placement.settle,
    placement.add_second,
    placement.set_first_order,
)

# The phases of a game round; all finish one before the next begins. Rule: game-round (R3.1)
ROUND: Final[tuple[Step, ...]] = (
    buying.lay_crop,
    buying.offers_and_answers,
    buying.close_market,
    buying.rot,
    hunting.hunt_and_feed,
    two_players.spread_neutral,
    spreading.spread,
    game_end.end,
    bureaucracy.reorder,
    bureaucracy.refill,
    bureaucracy.put_highest_under,
    bureaucracy.remove_shuffle_card,
)

OVER: Final = phrase("the game is over")
_GAME: Final = PREPARATION + ROUND
_STEPS: Final = {step.__name__: step for step in _GAME}
STEPS: Final = tuple(_STEPS)
_NEXT: Final = dict(zip(STEPS, (*STEPS[1:], ROUND[0].__name__), strict=True))
_HUNTING: Final = hunting.hunt_and_feed.__name__
# The steps in which no clan waits for its turn: they can work on a state that is still at an earlier step.
_NOBODY_WAITS: Final = frozenset(
    step.__name__
    for step in (
        preparation.deal_herbs,
        preparation.lay_landscape,
        two_players.settle_neutral,
        placement.set_first_order,
        buying.lay_crop,
        buying.close_market,
        buying.rot,
        two_players.spread_neutral,
        bureaucracy.reorder,
        bureaucracy.refill,
        bureaucracy.put_highest_under,
        bureaucracy.remove_shuffle_card,
    )
)
_DRAWING: Final = phases.DrawingCard()


class Entry(NamedTuple):
    """One line of the log: the turn, who decided (``*`` for the adjudicator), for which clan, and the move.

    The adjudicator takes a forced decision for a clan, and a draw for none. Contributions to chance decide nothing.
    """

    turn: int
    by: str
    clan: str
    move: Move | Contribution

    @property
    def is_order(self) -> bool:
        """Whether a player has decided something: no draw, no forced decision, no contribution to chance."""
        return self.by != CHANCE and not isinstance(self.move, Contribution)

    def __str__(self) -> str:
        whose = f"{self.by} {self.clan}" if self.by == CHANCE and self.clan != CHANCE else self.by
        return f"{self.turn} {whose} {self.move}"


def new_game(components: ComponentSet, players: tuple[tuple[str, str], ...], options: Options) -> GameState:
    """Return the state before the first Herbs are dealt.

    *players* are 2 to 6 pairs of colour and name, in seating order.
    """
    number = len(players)
    first_market = preparation.starting_market(components, number)
    state = GameState(
        components,
        options,
        preparation.seated(players),
        preparation.starting_board(components, options, number),
        preparation.tile_pool(components, number) if options.board != "recommended" else (),
        preparation.starting_harvest(),
        first_market,
        preparation.starting_pile(components, first_market, number),
        step=STEPS[0],
    )
    return walk_on(state)


def forced(state: GameState) -> Move | None:
    """Return the only legal move of the clan that decides, None if it has a choice or must seem to have one."""
    if must_be_free(state):
        return None
    few = tuple(islice(choices(state), 2))
    return few[0] if len(few) == 1 else None


def is_chosen(state: GameState, move: Move) -> bool:
    """Return whether a legal move is not forced: there is one of another kind, or there are several."""
    return must_be_free(state) or any(n or choice.word != move.word for n, choice in enumerate(choices(state)))


def adjudicate(state: GameState, by: str, move: Move) -> GameState:
    """Return the state after *move* of the clan *by*, at the next decision; its events tell what happened.

    Raises NotYourTurn if another clan must decide, Illegal with every broken rule.
    """
    if isinstance(state.phase, phases.Ended):
        raise Illegal(OVER, order=str(move))
    if isinstance(move, (moves.Resign, moves.AgreeEnd)):
        return walk_on(_leave(state, by, move))
    decides = who_decides(state)
    if by != decides:
        assert decides is not None
        if any(clan.resigned for clan in state.clans if clan.colour == by):
            raise _left(state, by, move)
        decider = phrase("chance") if decides == CHANCE else clan_name(state.clan(decides))
        why = phrase("it is not {player}'s turn; waiting for {other}", player=_name(state, by), other=decider)
        raise NotYourTurn(why, order=str(move))
    reasons = tuple(violations(state, move))
    if reasons:
        raise Illegal(phrase("the rules forbid this order"), order=str(move), reasons=reasons)
    return follow(state, by, move)


def follow(state: GameState, decides: str, move: Move) -> GameState:
    """Return the state after a move that is known to be legal, at the next decision."""
    draws = state.draws + (decides == CHANCE)
    rule = RULES[type(state.phase), type(move)]
    return walk_on(rule(state.decided(draws), state.phase, move))


def walk_on(state: GameState) -> GameState:
    """Return the state at the next decision: fill the market, do the step, go to the next one."""
    step, filled = state.step, None
    while state.phase is None:
        if state.market is not filled and market.gap(state):
            state = state.asking(_DRAWING, state.waiting)
            break
        filled = state.market
        if step != state.step and step not in _NOBODY_WAITS:
            state = _entered(state, step)
        state = _STEPS[step](state)
        if state.phase is None:
            step = _NEXT[step]
    return state if step == state.step else _entered(state, step)


def _entered(state: GameState, step: str) -> GameState:
    """Return the state at the beginning of a step, before any clan was asked or served."""
    # A clan that has resigned is not asked anything, but its members still hunt and eat.
    return state.at(step, state.order if step == _HUNTING else state.order_in_play)


def _left(state: GameState, by: str, move: Move) -> NotYourTurn:
    return NotYourTurn(phrase("{player} is no longer in the game", player=_name(state, by)), order=str(move))


def _leave(state: GameState, by: str, move: moves.Resign | moves.AgreeEnd) -> GameState:
    """Return the state after a clan resigned or agreed to end the game; a pending question is answered for it."""
    if by not in state.order_in_play:
        raise _left(state, by, move)
    if isinstance(move, moves.AgreeEnd):
        reasons = tuple(game_end.agree_violations(state, by))
        if reasons:
            raise Illegal(phrase("the rules forbid this order"), order=str(move), reasons=reasons)
        return game_end.agree_end(state, by)
    asked = buying.not_asking(state.phase, by) if isinstance(state.phase, phases.Answering) else state.phase
    state = game_end.resign(state._replace(phase=asked, events=()), by)
    if isinstance(state.phase, phases.Ended):
        return state
    if state.step != _HUNTING:
        state = state._replace(waiting=buying.out_of_phase(state, by))
    if who_decides(state) != by:
        return state
    return answered_for(state._replace(phase=None, agreed=()), asked)


def _name(state: GameState, colour: str) -> str:
    """Return the name of the player with that colour, or the colour if nobody has it."""
    return next((clan.player for clan in state.clans if clan.colour == colour), colour)


def carry_on(state: GameState, draw: Draws | None) -> Iterator[tuple[str, str, Move, GameState]]:
    """Yield every draw and every forced decision up to the next choice: by, clan, move and the state after it.

    *draw* returns the index of the candidate for a number of candidates and the number of the draw in this game;
    without it chance has to wait. The adjudicator takes decisions with only one legal answer.
    """
    while (decides := who_decides(state)) is not None:
        if decides == CHANCE:
            if draw is None:
                return
            candidates = tuple(choices(state))
            move: Move | None = candidates[draw(len(candidates), state.draws)]
        else:
            move = forced(state)
        if move is None:
            return
        state = follow(state, decides, move)
        yield CHANCE, decides, move, state

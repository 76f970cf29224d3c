"""The only door into the rules: who decides, what is legal, and what follows from a move.

A game walks through PREPARATION once and then through ROUND again and again. Each entry does its work, or sets the
phase in which somebody must decide; chance decides as a player does.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import chain, islice
from typing import Any, Final, NamedTuple, assert_never

from pbem.errors import Illegal, NotYourTurn, Violation
from pbem.first_sparks import market
from pbem.first_sparks.components import ComponentSet
from pbem.first_sparks.moves import (
    Add,
    AgreeEnd,
    Buy,
    Decline,
    Discard,
    Draw,
    Drop,
    Lay,
    Move,
    Offer,
    Pass,
    Resign,
    Settle,
    SettleNeutral,
    Spread,
    SpreadNeutral,
    Starve,
    Stay,
    Take,
)
from pbem.first_sparks.notation import expected, usage
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
from pbem.first_sparks.state import (
    CHANCE,
    Adding,
    Answering,
    DealingHerbs,
    DrawingCard,
    DrawingTile,
    Dropping,
    Ended,
    GameState,
    Laying,
    Offering,
    Phase,
    Settling,
    SettlingNeutral,
    Spreading,
    SpreadingNeutral,
    Starving,
    TakingOrDiscarding,
)

Step = Callable[[GameState], GameState]
Draws = Callable[[int, int], int]

PREPARATION: Final[tuple[Step, ...]] = (
    preparation.deal_herbs,
    preparation.lay_landscape,
    two_players.settle_neutral,
    placement.settle,
    placement.add_second,
    placement.set_first_order,
)

# The phases of a game round, each finished by all before the next. Rule: game-round (R3.1)
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

_GAME: Final = PREPARATION + ROUND
_STEPS: Final = {step.__name__: step for step in _GAME}
STEPS: Final = tuple(_STEPS)
_NEXT: Final = dict(zip(STEPS, (*STEPS[1:], ROUND[0].__name__), strict=True))
_HUNTING: Final = hunting.hunt_and_feed.__name__
# The steps that see or set who is waiting; the state need not be brought to the others before they do their work.
_WAITING: Final = frozenset(
    step.__name__
    for step in (
        placement.settle,
        placement.add_second,
        buying.offers_and_answers,
        hunting.hunt_and_feed,
        spreading.spread,
        game_end.end,
    )
)


# What a decision brings about, by what is asked and what is answered.
RULES: Final[dict[tuple[type, type], Callable[[GameState, Any, Any], GameState]]] = {
    (DealingHerbs, Draw): preparation.deal,
    (DrawingTile, Draw): preparation.draw_tile,
    (Laying, Lay): preparation.lay,
    (SettlingNeutral, SettleNeutral): two_players.put_neutral,
    (Settling, Settle): placement.put_first_member,
    (Adding, Add): placement.add,
    (Adding, Stay): placement.add,
    (Offering, Offer): buying.offer,
    (Offering, Pass): buying.pass_by,
    (Answering, Buy): buying.answer,
    (Answering, Decline): buying.answer,
    (TakingOrDiscarding, Take): lambda state, phase, _: buying.buy(state, phase.clan, phase.card),
    (TakingOrDiscarding, Discard): lambda state, phase, _: two_players.discard_offer(state, phase),
    (Dropping, Drop): buying.drop,
    (DrawingCard, Draw): lambda state, _, drawn: market.draw(state, drawn),
    (Starving, Starve): hunting.starve,
    (SpreadingNeutral, SpreadNeutral): two_players.place_neutral,
    (Spreading, Spread): spreading.place,
    (Spreading, Stay): spreading.place,
}

# What is made anew for every decision would be made a million times in a day of random play.
_DRAWING: Final = DrawingCard()
_STAY: Final = Stay()
_PASS: Final = (Pass(),)
_TAKE_OR_DISCARD: Final = (Take(), Discard())
_settle: Final = lru_cache(maxsize=64)(Settle)
_settle_neutral: Final = lru_cache(maxsize=64)(SettleNeutral)


class Entry(NamedTuple):
    """One line of the log: the turn, who decided (``*`` for the adjudicator), for which clan, and what.

    A forced decision is the adjudicator's own, for a clan; a draw is for none.
    """

    turn: int
    by: str
    clan: str
    move: Move

    def __str__(self) -> str:
        whose = f"{self.by} {self.clan}" if self.by == CHANCE and self.clan != CHANCE else self.by
        return f"{self.turn} {whose} {self.move}"


def new_game(components: ComponentSet, players: tuple[tuple[str, str], ...], options: Options) -> GameState:
    """Return the state in which the first Herbs are to be dealt.

    *players* are 2 to 6 pairs of colour and name, in the order in which they sit.
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


def who_decides(state: GameState) -> str | None:
    """Return the colour of the clan that must decide, ``*`` for chance, None when the game is over."""
    phase = state.phase
    if isinstance(phase, (DealingHerbs, DrawingTile, DrawingCard)):
        return CHANCE
    if phase is None or isinstance(phase, Ended):
        return None
    # A clan that has resigned lays no tile, and on a random board nobody does.
    if isinstance(phase, Laying) and (state.options.board == "random" or state.clan(phase.clan).resigned):
        return CHANCE
    return phase.clan


def violations(state: GameState, move: Move) -> Iterator[Violation]:
    """Yield every rule that *move* breaks, made by the clan that decides; none means that it is legal."""
    match state.phase, move:
        case Laying(), Lay():
            yield from preparation.lay_violations(state, move)
        case SettlingNeutral(), SettleNeutral(space=space):
            yield from placement.settle_violations(state, two_players.NEUTRAL, space)
        case Settling(clan=colour), Settle(space=space):
            yield from placement.settle_violations(state, colour, space)
        case Adding(clan=colour), Add():
            yield from placement.add_violations(state, state.clan(colour), move)
        case Offering(clan=colour), Offer():
            yield from buying.offer_violations(state, state.clan(colour), move)
        case Answering() as phase, Buy() | Decline():
            yield from buying.answer_violations(state, phase, move)
        case Dropping(clan=colour), Drop():
            yield from buying.drop_violations(state.clan(colour), move)
        case Starving() as phase, Starve():
            yield from hunting.starve_violations(state, phase, move)
        case SpreadingNeutral() as phase, SpreadNeutral():
            yield from two_players.spread_neutral_violations(state, phase, move)
        case Spreading(clan=colour), Spread():
            yield from spreading.spread_violations(state, state.clan(colour), move.spaces)
        case (Adding() | Spreading(), Stay()) | (Offering(), Pass()) | (TakingOrDiscarding(), Take() | Discard()):
            pass
        case DealingHerbs() | DrawingTile() | DrawingCard(), Draw():
            if move not in choices(state):
                yield Violation("draw-possible", f"{move.what} cannot be drawn now")
        case phase, _:
            yield Violation("move-of-the-phase", f"{move.word} is not asked for now, but {usage(expected(phase))}")


def choices(state: GameState) -> Iterator[Move]:
    """Return every legal move of the one who decides, lazily; nothing when the game is over.

    ``resign`` and ``agree end``, which are possible at any time, are not among them.
    """
    match state.phase:  # what is asked most often stands first
        case Spreading() as phase:
            ways = spreading.spreads(state, state.clan(phase.clan))
            return (Spread(spaces) if spaces else _STAY for spaces in ways)
        case Offering() as phase:
            return chain(buying.offers(state, state.clan(phase.clan)), _PASS)
        case DrawingCard():
            return iter(market.drawable(state.pile))
        case Answering() as phase:
            return buying.answers(state, phase)
        case DealingHerbs():
            return iter(preparation.herbs_to_deal(state))
        case DrawingTile():
            return iter(preparation.tiles_to_draw(state))
        case Laying():
            return preparation.lays(state)
        case SettlingNeutral():
            return map(_settle_neutral, placement.settles(state, two_players.NEUTRAL))
        case Settling(clan=colour):
            return map(_settle, placement.settles(state, colour))
        case Adding(clan=colour):
            return chain((_STAY,), placement.adds(state, state.clan(colour)))
        case TakingOrDiscarding():
            return iter(_TAKE_OR_DISCARD)
        case Dropping(clan=colour):
            return buying.drops(state.clan(colour))
        case Starving() as phase:
            return hunting.starves(state, phase)
        case SpreadingNeutral() as phase:
            return two_players.neutral_spreads(state, phase)
        case Ended() | None:
            return iter(())
        case unreachable:
            assert_never(unreachable)


def forced(state: GameState) -> Move | None:
    """Return the one legal move of the clan that decides, None if it has a choice, or must seem to have one."""
    if _must_be_free(state):
        return None
    few = tuple(islice(choices(state), 2))
    return few[0] if len(few) == 1 else None


def is_chosen(state: GameState, move: Move) -> bool:
    """Return whether a legal move is not the forced one: there is one of another kind, or there are two."""
    return _must_be_free(state) or any(n or choice.word != move.word for n, choice in enumerate(choices(state)))


def _must_be_free(state: GameState) -> bool:
    phase = state.phase
    if isinstance(phase, Starving):  # a group has two members that it can do without, and keeps either
        return phase.hungry < state.clan(phase.clan).size
    return isinstance(phase, (Offering, Answering, Spreading)) and state.hides_food(state.clan(phase.clan))


def adjudicate(state: GameState, by: str, move: Move) -> GameState:
    """Return the state after *move* of the clan *by*, at the next decision; its events tell what happened.

    Raises NotYourTurn if the clan is not asked now, Illegal with every broken
    rule and what would have been legal.
    """
    if isinstance(state.phase, Ended):
        raise Illegal("the game is over", order=str(move))
    if isinstance(move, (Resign, AgreeEnd)):
        return walk_on(_leave(state, by, move))
    decides = who_decides(state)
    if by != decides:
        assert decides is not None
        waited = "chance is asked" if decides == CHANCE else f"{state.clan(decides).player} ({decides}) is asked"
        names = {clan.colour: clan.player for clan in state.clans}
        raise NotYourTurn(f"it is not {names.get(by, by)}'s turn, {waited}", order=str(move))
    reasons = tuple(violations(state, move))
    if reasons:
        raise Illegal("the rules forbid this order", order=str(move), reasons=reasons)
    return follow(state, decides, move)


def follow(state: GameState, decides: str, move: Move) -> GameState:
    """Return the state after a move that is known to be legal, at the next decision."""
    draws = state.draws + (decides == CHANCE)
    rule = RULES[type(state.phase), type(move)]
    return walk_on(rule(state.decided(draws), state.phase, move))


def walk_on(state: GameState) -> GameState:
    """Return the state at the next decision: fill the market, work on the step, go to the next one."""
    step, filled = state.step, None
    while state.phase is None:
        if state.market is not filled and market.gap(state):
            state = state.asking(_DRAWING, state.waiting)
            break
        filled = state.market
        if step in _WAITING and step != state.step:
            state = _entered(state, step)
        state = _STEPS[step](state)
        if state.phase is None:
            step = _NEXT[step]
    return state if step == state.step else _entered(state, step)


def _entered(state: GameState, step: str) -> GameState:
    """Return the state at a new step, which has all its clans still to ask or to serve."""
    # Who has resigned is asked nothing, but its members still hunt and eat.
    return state.at(step, state.order if step == _HUNTING else state.order_in_play)


def _leave(state: GameState, by: str, move: Resign | AgreeEnd) -> GameState:
    """Return the state after a clan left the game or agreed to its end; what it was asked is answered for it."""
    if by not in state.order_in_play:
        raise NotYourTurn(f"{by} is not in the game any more", order=str(move))
    state = state._replace(events=())
    if isinstance(move, AgreeEnd):
        reasons = tuple(game_end.agree_violations(state, by))
        if reasons:
            raise Illegal("the rules forbid this order", order=str(move), reasons=reasons)
        return game_end.agree_end(state, by)
    asked = buying.not_asking(state.phase, by) if isinstance(state.phase, Answering) else state.phase
    state = game_end.resign(state._replace(phase=asked), by)
    if isinstance(state.phase, Ended):
        return state
    if state.step != _HUNTING:
        state = state._replace(waiting=buying.out_of_phase(state, by))
    if who_decides(state) != by:
        return state
    return _answered_for(state._replace(phase=None, agreed=()), asked)


def _answered_for(state: GameState, asked: Phase | None) -> GameState:
    """Return the state after the adjudicator's answer for a clan that has resigned.

    It declines, drops its lowest tool and starves, and does no more. Our ruling.

    Rule: answered-for (R9.3)
    """
    match asked:
        case Answering():
            return buying.answer(state, asked, Decline())
        case Dropping(clan=colour):
            return buying.drop(state, asked, next(buying.drops(state.clan(colour))))
        case Starving():
            return hunting.starve_for(state._replace(phase=asked))
        case _:
            return state


def carry_on(state: GameState, draw: Draws | None) -> Iterator[tuple[str, str, Move, GameState]]:
    """Yield every draw and every forced decision up to the next choice: by, clan, move and the state after it.

    *draw* gives, for a number of candidates and the number of the draw in this game, the index of the candidate;
    without it chance is waited for. A decision with one legal answer is taken by the adjudicator.
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

"""Every decision: who takes it, what the rules forbid, what is legal, and what a move does.

Each function here covers all phases: a new phase fails the type check in every one of them, and a test for ``RULES``.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, Final, TypeVar, assert_never

from pbem.errors import Violation
from pbem.first_sparks import market, moves, phases
from pbem.first_sparks.moves import Move
from pbem.first_sparks.notation import expected, usage
from pbem.first_sparks.phases import DrawingCard, Offering, Phase, Spreading  # asked most often
from pbem.first_sparks.rules import buying, hunting, placement, preparation, spreading, two_players
from pbem.first_sparks.state import CHANCE, GameState
from pbem.locale import phrase, phrase_in

_Asked = TypeVar("_Asked", bound=Phase)
_Answer = TypeVar("_Answer", bound=Move)


def _rule(
    asked: type[_Asked], answer: type[_Answer], rule: "Callable[[GameState, _Asked, _Answer], GameState]"
) -> "tuple[tuple[type, type], Callable[[GameState, Any, Any], GameState]]":
    """Return the rule for a phase and a move; the type check makes sure that it takes these."""
    return (asked, answer), rule


# What each decision does. A match would show that none is missing, but takes longer; here a test does.
RULES: Final = dict(
    (
        _rule(phases.DealingHerbs, moves.Draw, preparation.deal),
        _rule(phases.DrawingTile, moves.Draw, preparation.draw_tile),
        _rule(phases.Laying, moves.Lay, preparation.lay),
        _rule(phases.SettlingNeutral, moves.SettleNeutral, two_players.put_neutral),
        _rule(phases.Settling, moves.Settle, placement.put_first_member),
        _rule(phases.Adding, moves.Add, placement.add),
        _rule(phases.Adding, moves.Stay, placement.add),
        _rule(phases.Offering, moves.Offer, buying.offer),
        _rule(phases.Offering, moves.Pass, buying.pass_by),
        _rule(phases.Answering, moves.Buy, buying.answer),
        _rule(phases.Answering, moves.Decline, buying.answer),
        _rule(phases.TakingOrDiscarding, moves.Take, lambda state, phase, _: buying.buy(state, phase.clan, phase.card)),
        _rule(
            phases.TakingOrDiscarding, moves.Discard, lambda state, phase, _: two_players.discard_offer(state, phase)
        ),
        _rule(phases.Dropping, moves.Drop, buying.drop),
        _rule(phases.DrawingCard, moves.Draw, lambda state, _, drawn: market.draw(state, drawn)),
        _rule(phases.Starving, moves.Starve, hunting.starve),
        _rule(phases.SpreadingNeutral, moves.SpreadNeutral, two_players.place_neutral),
        _rule(phases.Spreading, moves.Spread, spreading.place),
        _rule(phases.Spreading, moves.Stay, spreading.place),
    )
)

# If these were made for every decision, a day of random play would make them a million times.
_STAYS: Final = (moves.Stay(),)
_PASS: Final = moves.Pass()
_TAKE_OR_DISCARD: Final = (moves.Take(), moves.Discard())
_settle: Final = lru_cache(maxsize=64)(moves.Settle)
_settle_neutral: Final = lru_cache(maxsize=64)(moves.SettleNeutral)


def who_decides(state: GameState) -> str | None:
    """Return the colour of the clan that must decide, ``*`` for chance, None when the game is over."""
    match state.phase:
        case Spreading() | Offering() as phase:
            return phase.clan
        case DrawingCard() | phases.DealingHerbs() | phases.DrawingTile():
            return CHANCE
        case phases.Answering() | phases.Starving() as phase:
            return phase.clan
        # A clan that has resigned lays no tile, and on a random board nobody does.
        case phases.Laying(clan=colour):
            return CHANCE if state.options.board == "random" or state.clan(colour).resigned else colour
        case phases.SettlingNeutral() | phases.Settling() | phases.Adding() as phase:
            return phase.clan
        case phases.TakingOrDiscarding() | phases.Dropping() | phases.SpreadingNeutral() as phase:
            return phase.clan
        case phases.Ended() | None:
            return None
        case _ as unreachable:
            assert_never(unreachable)


def must_be_free(state: GameState) -> bool:
    """Return whether a decision surely has a choice, or must not look forced since that would reveal hidden food."""
    match state.phase:
        case phases.Offering() | phases.Answering() | phases.Spreading() as phase:
            return state.hides_food(state.clan(phase.clan))
        case phases.DealingHerbs() | phases.DrawingTile() | phases.DrawingCard() | phases.Laying():
            return False
        case phases.SettlingNeutral() | phases.Settling() | phases.Adding() | phases.TakingOrDiscarding():
            return False
        case phases.Starving(clan=colour, hungry=hungry):
            # Every group has two members of which it can lose either one.
            return hungry < state.clan(colour).size
        case phases.Dropping() | phases.SpreadingNeutral() | phases.Ended() | None:
            return False
        case _ as unreachable:
            assert_never(unreachable)


def violations(state: GameState, move: Move) -> Iterator[Violation]:
    """Return every rule that *move* of the clan that decides breaks; none means that it is legal."""
    match state.phase:
        case phases.DealingHerbs() | phases.DrawingTile() | phases.DrawingCard():
            if isinstance(move, moves.Draw):
                return _draw_violations(state, move)
        case phases.Laying():
            if isinstance(move, moves.Lay):
                return preparation.lay_violations(state, move)
        case phases.SettlingNeutral():
            if isinstance(move, moves.SettleNeutral):
                return placement.settle_violations(state, two_players.NEUTRAL, move.space)
        case phases.Settling(clan=colour):
            if isinstance(move, moves.Settle):
                return placement.settle_violations(state, colour, move.space)
        case phases.Adding(clan=colour):
            if isinstance(move, moves.Add):
                return placement.add_violations(state, state.clan(colour), move)
            if isinstance(move, moves.Stay):
                return iter(())
        case phases.Offering(clan=colour):
            if isinstance(move, moves.Offer):
                return buying.offer_violations(state, state.clan(colour), move)
            if isinstance(move, moves.Pass):
                return iter(())
        case phases.Answering() as phase:
            if isinstance(move, (moves.Buy, moves.Decline)):
                return buying.answer_violations(state, phase, move)
        case phases.TakingOrDiscarding():
            if isinstance(move, (moves.Take, moves.Discard)):
                return iter(())
        case phases.Dropping(clan=colour):
            if isinstance(move, moves.Drop):
                return buying.drop_violations(state.clan(colour), move)
        case phases.Starving() as phase:
            if isinstance(move, moves.Starve):
                return hunting.starve_violations(state, phase, move)
        case phases.SpreadingNeutral() as phase:
            if isinstance(move, moves.SpreadNeutral):
                return two_players.spread_neutral_violations(state, phase, move)
        case phases.Spreading(clan=colour):
            if isinstance(move, moves.Spread):
                return spreading.spread_violations(state, state.clan(colour), move.spaces)
            if isinstance(move, moves.Stay):
                return iter(())
        case phases.Ended() | None:
            pass
        case _ as unreachable:
            assert_never(unreachable)
    words = expected(state.phase)
    why = phrase("{order} is not possible now", order=phrase_in(move.word, "order"))
    if words:
        why = phrase("expected {orders}, not {order}", orders=usage(words), order=phrase_in(move.word, "order"))
    return iter((Violation("move-of-the-phase", why),))


def _draw_violations(state: GameState, move: moves.Draw) -> Iterator[Violation]:
    if move not in choices(state):
        yield Violation("draw-possible", phrase("{what} cannot be drawn now", what=move.what))


def choices(state: GameState) -> Iterator[Move]:
    """Return every legal move of whoever decides, lazily; none when the game is over.

    ``resign`` and ``agree end`` are possible at any time and not included.
    """
    match state.phase:  # the most frequent first
        case Spreading() as phase:
            clan = state.clan(phase.clan)
            if not spreading.most_affordable(clan):
                return iter(_STAYS)
            return map(moves.spread_to, spreading.spreads(state, clan))
        case Offering() as phase:
            return iter((*buying.offers(state, state.clan(phase.clan)), _PASS))
        case DrawingCard():
            return iter(market.drawable(state.pile))
        case phases.Answering() as phase:
            return iter(buying.answers(state, phase))
        case phases.DealingHerbs():
            return iter(preparation.herbs_to_deal(state))
        case phases.DrawingTile():
            return iter(preparation.tiles_to_draw(state))
        case phases.Laying():
            return iter(preparation.lays(state))
        case phases.SettlingNeutral():
            return map(_settle_neutral, placement.settles(state, two_players.NEUTRAL))
        case phases.Settling(clan=colour):
            return map(_settle, placement.settles(state, colour))
        case phases.Adding(clan=colour):
            return iter((*_STAYS, *placement.adds(state, state.clan(colour))))
        case phases.TakingOrDiscarding():
            return iter(_TAKE_OR_DISCARD)
        case phases.Dropping(clan=colour):
            return buying.drops(state.clan(colour))
        case phases.Starving() as phase:
            return hunting.starves(state, phase)
        case phases.SpreadingNeutral() as phase:
            return two_players.neutral_spreads(state, phase)
        case phases.Ended() | None:
            return iter(())
        case _ as unreachable:
            assert_never(unreachable)


def answered_for(state: GameState, asked: Phase | None) -> GameState:
    """Return the state after the adjudicator's answer for a clan that has resigned.

    It declines, discards its lowest tool and starves, and does nothing else. Our ruling.

    Rule: answered-for (R9.3)
    """
    match asked:
        case phases.Answering():
            return buying.answer(state, asked, moves.Decline())
        case phases.Dropping(clan=colour):
            return buying.drop(state, asked, next(buying.drops(state.clan(colour))))
        case phases.Starving():
            return hunting.starve_for(state._replace(phase=asked))
        case phases.Settling() | phases.Adding() | phases.Offering() | phases.TakingOrDiscarding() | phases.Spreading():
            return state
        case phases.Laying() | phases.SettlingNeutral() | phases.SpreadingNeutral():
            return state
        case phases.DealingHerbs() | phases.DrawingTile() | phases.DrawingCard() | phases.Ended() | None:
            return state
        case _ as unreachable:
            assert_never(unreachable)

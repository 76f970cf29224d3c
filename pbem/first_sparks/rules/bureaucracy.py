"""Phase 4: bureaucracy - player order, refill and market, in this order."""

from functools import lru_cache
from operator import add
from typing import Final

from pbem.first_sparks.clans import in_order, moved_back, order_by_size
from pbem.first_sparks.components import FOODS
from pbem.first_sparks.events import CardPutUnder, HarvestRefilled, MarketReduced
from pbem.first_sparks.market import without
from pbem.first_sparks.rules.preparation import refill_numbers
from pbem.first_sparks.state import GameState, Harvest
from pbem.quick import new

_put_under: Final = lru_cache(maxsize=256)(CardPutUnder)


def reorder(state: GameState) -> GameState:
    """Set the player order by clan size, then move the clan with Intelligence back."""
    return in_order(state, moved_back(order_by_size(state.clans)))


def refill(state: GameState) -> GameState:
    """Add the refill numbers to the harvest spaces, on top of what lies there.

    Rule: refill (R7.2)
    """
    added = refill_numbers(state.board, len(state.clans))
    refilled = _refilled(added)
    return state._replace(harvest=new(Harvest, map(add, state.harvest, added)), events=(*state.events, refilled))


@lru_cache(maxsize=64)
def _refilled(added: Harvest) -> HarvestRefilled:
    return HarvestRefilled(tuple(zip(FOODS, added, strict=True)))


def put_highest_under(state: GameState) -> GameState:
    """Put the highest card of the market under the pile, to be replaced from the top.

    This happens only until the Shuffle card appears. If that is the replacement,
    the market is reduced at once; only the French rules wait a round.

    Rules: highest-card-under (R7.4), nothing-under-after-shuffle (R7.5)
    """
    if not state.pile.shuffle or not state.market.cards:
        return state
    highest = state.market.cards[-1]
    pile = state.pile._replace(under=tuple(sorted((*state.pile.under, highest))))
    events = (*state.events, _put_under(highest))
    return state._replace(market=without(state.market, highest), pile=pile, events=events)


def remove_shuffle_card(state: GameState) -> GameState:
    """Remove the Shuffle card and the lowest card from the game without replacement.

    From now on the market has six cards, four for 2 players, all of them current.

    Rule: reduce-market (R7.3)
    """
    if not state.market.shuffle:
        return state
    lowest = state.market.cards[0] if state.market.cards else None
    market = state.market if lowest is None else without(state.market, lowest)
    market = market._replace(places=market.places - 2, shuffle=False, reduced=True)
    return state._replace(market=market).with_events(MarketReduced(lowest))

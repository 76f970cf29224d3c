"""Phase 4: bureaucracy - player order, refill, market. In this order."""

from pbem.first_sparks.clans import moved_back, order_by_size, told_order
from pbem.first_sparks.components import FOODS
from pbem.first_sparks.events import CardPutUnder, HarvestRefilled, MarketReduced
from pbem.first_sparks.market import without
from pbem.first_sparks.rules.preparation import refill_numbers
from pbem.first_sparks.state import GameState, Harvest


def reorder(state: GameState) -> GameState:
    """Set the player order by clan size, then move the clan with Intelligence back."""
    return told_order(state, moved_back(order_by_size(state)))


def refill(state: GameState) -> GameState:
    """Add the refill numbers to what lies on the harvest spaces; they are not filled up to them.

    Rule: refill (R7.2)
    """
    added = refill_numbers(state.board, len(state.clans))
    harvest = Harvest(*(lying + new for lying, new in zip(state.harvest, added, strict=True)))
    return state._replace(harvest=harvest).told(HarvestRefilled(tuple((food, added.of(food)) for food in FOODS)))


def put_highest_under(state: GameState) -> GameState:
    """Put the highest card of the market under the pile, to be replaced from the top.

    Only while the Shuffle card has not appeared. If it is the replacement, the
    market is reduced at once; only the French rules wait a round.

    Rules: highest-card-under (R7.4), nothing-under-after-shuffle (R7.5)
    """
    if not state.pile.shuffle or not state.market.cards:
        return state
    highest = max(state.market.cards)
    pile = state.pile._replace(under=tuple(sorted((*state.pile.under, highest))))
    return state._replace(market=without(state.market, highest), pile=pile).told(CardPutUnder(highest))


def remove_shuffle_card(state: GameState) -> GameState:
    """Take the Shuffle card and the lowest card out of the game, not replaced.

    The market is six cards from now on, four for 2 players, all of them current.

    Rule: reduce-market (R7.3)
    """
    if not state.market.shuffle:
        return state
    lowest = min(state.market.cards, default=None)
    market = state.market if lowest is None else without(state.market, lowest)
    market = market._replace(places=market.places - 2, shuffle=False, reduced=True)
    return state._replace(market=market).told(MarketReduced(lowest))

"""The technology market and the draw pile: where the cards lie, and what a drawn card does."""

from functools import lru_cache
from typing import Final

from pbem.errors import Violation
from pbem.first_sparks.cards import Market, Pile
from pbem.first_sparks.components import Card
from pbem.first_sparks.events import CardDrawn, CropLost, Event, ShuffleDrawn
from pbem.first_sparks.moves import SHUFFLE, Draw
from pbem.first_sparks.state import GameState
from pbem.locale import phrase

# Every card of any set has at most three digits; making these for every draw would take most of its time.
_DRAWS: Final = tuple(Draw(str(card)) for card in range(1000))
_DRAW_SHUFFLE: Final = (Draw(SHUFFLE),)
_drawn: Final = lru_cache(maxsize=256)(CardDrawn)


def card_text(card: int) -> str:
    """Return a card as players write it: ``#12``."""
    return f"#{card}"


def cards_text(cards: tuple[int, ...]) -> str:
    """Return cards as players write them: ``#7 #8``."""
    return " ".join(map(card_text, cards))


def gap(state: GameState) -> bool:
    """Return whether a place in the market is free and the pile can fill it.

    An empty pile replaces nothing, and the market shrinks. Our ruling; the
    sources are silent.

    Rule: empty-pile (R4.14)
    """
    market = state.market
    return len(market.cards) + market.shuffle < market.places and state.pile.size > 0


def drawable(pile: Pile) -> tuple[Draw, ...]:
    """Return what may be drawn next, all equally likely, in ascending order.

    The pile has no stored order. A card drawn at random when it is needed has
    the same probability as one from a pile that was shuffled once.

    Rule: pile-as-set (R10.2)
    """
    if pile.top:
        return (_DRAWS[pile.top[0]],)
    if len(pile.unseen) > pile.never:
        return tuple([_DRAWS[card] for card in pile.unseen])
    if pile.shuffle:
        return _DRAW_SHUFFLE
    return tuple([_DRAWS[card] for card in pile.under])


def draw(state: GameState, drawn: Draw) -> GameState:
    """Return the state with the drawn card in the market."""
    if drawn.what == SHUFFLE:
        return draw_shuffle(state)
    return draw_card(state, int(drawn.what))


def draw_card(state: GameState, card: int) -> GameState:
    """Return the state with the card in its place in the market, which is kept in ascending order.

    A card lower than the one with the crop removes the crop from the game.

    Rule: replace-card (R4.9)
    """
    pile, market = state.pile, state.market
    events: tuple[Event, ...] = (_drawn(card),)
    crop = market.crop
    if crop is not None and card < crop:
        events += (CropLost(crop),)
        crop = None
    return state._replace(
        pile=Pile(_less(pile.top, card), _less(pile.unseen, card), pile.never, pile.shuffle, _less(pile.under, card)),
        market=market._replace(cards=tuple(sorted((*market.cards, card))), crop=crop),
        events=state.events + events,
    )


def draw_shuffle(state: GameState) -> GameState:
    """Return the state with the Shuffle card above all cards of the market.

    The cards under the pile are shuffled, which here only means that they can be
    drawn from now on. The phase goes on.

    Rule: shuffle-card (R4.10)
    """
    return state._replace(
        pile=state.pile._replace(shuffle=False), market=state.market._replace(shuffle=True)
    ).with_events(ShuffleDrawn())


def without(market: Market, card: int) -> Market:
    """Return the market without the card, and without the crop if it lay there."""
    return market._replace(cards=_less(market.cards, card), crop=None if market.crop == card else market.crop)


def food_at_hand(state: GameState, food: int, card: Card) -> int:
    """Return what a clan with *food* can pay for the card, including the crop that lies on it."""
    return food + (state.market.crop == card.number)


def current_market_violation(state: GameState, card: int) -> Violation | None:
    """Return why the card cannot be offered, None if it lies in the current market."""
    current = state.market.current
    if card in current:
        return None
    holes = {"card": card_text(card), "cards": cards_text(current)}
    why = phrase("{card} is not in the market; the current market is {cards}", **holes)
    if card in state.market.future:
        why = phrase("{card} is in the future market; the current market is {cards}", **holes)
    elif not current:
        why = phrase("{card} is not in the market; the current market is empty", **holes)
    return Violation("offer-current-market", why)


def _less(cards: tuple[int, ...], card: int) -> tuple[int, ...]:
    if card not in cards:
        return cards
    place = cards.index(card)
    return cards[:place] + cards[place + 1 :]

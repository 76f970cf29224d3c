"""Phase 1: buying new technology, then discarding rotten food."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from pbem.errors import Violation
from pbem.first_sparks.clans import card_name, in_order, moved_back, tool_limit
from pbem.first_sparks.components import Card
from pbem.first_sparks.events import (
    Answered,
    CardBought,
    CardOffered,
    CardUnsold,
    FoodRotted,
    Passed,
    RoundBegan,
    ToolDropped,
)
from pbem.first_sparks.market import card_text, current_market_violation, food_at_hand, without
from pbem.first_sparks.moves import Buy, Decline, Drop, Offer, Pass
from pbem.first_sparks.phases import Answering, Dropping, Offering, TakingOrDiscarding
from pbem.first_sparks.state import Clan, GameState
from pbem.locale import phrase

# If these were made for every question, that would take most of its time; a card of any set has at most three digits.
_OFFERS: Final = tuple(Offer(card) for card in range(1000))
_BUY_OR_DECLINE: Final = (Buy(), Decline())
_DECLINE: Final = (Decline(),)
_offering: Final = lru_cache(maxsize=64)(Offering)
_began: Final = lru_cache(maxsize=1024)(RoundBegan)
_unsold: Final = lru_cache(maxsize=256)(CardUnsold)
_passed: Final = lru_cache(maxsize=64)(Passed)


def lay_crop(state: GameState) -> GameState:
    """Begin a game round: lay a crop of value 1 on the lowest card of the current market.

    Rule: lay-crop (R4.1)
    """
    number, crop = state.round + 1, state.market.cards[0] if state.market.cards else None
    return state._replace(
        round=number,
        idle=state.idle + 1,
        market=state.market._replace(crop=crop),
        first_offer=True,
        events=(*state.events, _began(number, crop)),
    )


def offers_and_answers(state: GameState) -> GameState:
    """Ask the offering player: the first in player order who has neither bought nor passed in this phase.

    The player order at the start of the phase counts, even if Intelligence is
    bought meanwhile. Our ruling; its buyer is out of the phase anyway.

    Rules: offering-player (R4.2), order-of-the-phase (R4.13)
    """
    if not state.waiting:
        return state
    return state.asking(_offering(state.waiting[0]), state.waiting)


def offer_violations(state: GameState, clan: Clan, move: Offer) -> Iterator[Violation]:
    """Yield every rule that the offer breaks.

    A clan may only offer a card that it could buy itself: it must be able to pay
    for it, with the help of the crop on it, and not own that knowledge yet.
    """
    wrong_place = current_market_violation(state, move.card)
    if wrong_place is not None:
        yield wrong_place
    card = state.components.cards.get(move.card)
    if card is None:
        return
    at_hand = food_at_hand(state, clan.food, card)
    if card.price > at_hand:
        holes = {"card": card_name(card), "price": card.price, "player": clan.player, "food": at_hand}
        why = phrase("{card} costs {price} and {player} has {food}", **holes)
        if at_hand > clan.food:
            why = phrase("{card} costs {price} and {player} has {food}, including the crop on it", **holes)
        yield Violation("offer-affordable", why)
    if knows_already(clan, card):
        why = phrase("{card} is a knowledge card that {player} already owns", card=card_name(card), player=clan.player)
        yield Violation("offer-new-knowledge", why)


def offers(state: GameState, clan: Clan) -> list[Offer]:
    """Return the cards that the clan may offer: the current market without what is forbidden."""
    return [_OFFERS[number] for number in state.market.current if can_buy(state, clan, number)]


def offer(state: GameState, phase: Offering, move: Offer) -> GameState:
    """Return the state after the offer: the others still in the phase are asked, unless they could only decline.

    Not to ask these is our ruling.

    Rule: who-is-asked (R4.5)
    """
    card = state.components.cards[move.card]
    others = [state.clan(colour) for colour in state.waiting if colour != phase.clan]
    asked = tuple(clan.colour for clan in others if is_asked(state, clan, move.card))
    unasked = tuple(clan.colour for clan in others if clan.colour not in asked)
    state = state.with_events(CardOffered(phase.clan, card.number, card.price, unasked))
    return ask_next(state, phase.clan, card.number, (), asked)


def can_buy(state: GameState, clan: Clan, number: int) -> bool:
    """Return whether the clan could buy the card: it can pay for it and does not already own that knowledge."""
    card = state.components.cards[number]
    return card.price <= food_at_hand(state, clan.food, card) and not knows_already(clan, card)


def knows_already(clan: Clan, card: Card) -> bool:
    """Return whether the card is a knowledge card that the clan owns; it may own several tools of a kind."""
    return not card.is_tool and clan.knows(card.kind)


def is_asked(state: GameState, clan: Clan, number: int) -> bool:
    """Return whether the clan is asked about an offered card: whether it could buy it as far as the others know.

    A clan that hides its food is asked even if it cannot pay, and nobody answers
    or passes for it: either would reveal how little it has. Our ruling.

    Rule: hidden-food-asked (R8.1)
    """
    if state.hides_food(clan):
        return not knows_already(clan, state.components.cards[number])
    return can_buy(state, clan, number)


def ask_next(
    state: GameState, offerer: str, card: int, wanted_by: tuple[str, ...], unasked: tuple[str, ...]
) -> GameState:
    """Ask the next of the others whether it wants the card; when all have answered, somebody buys it.

    Each is asked once, in player order, and knows the earlier answers. The last
    to say yes buys; if nobody did, the offering player must.

    Rule: answers (R4.4)
    """
    if unasked:
        return state._replace(phase=Answering(unasked[0], offerer, card, wanted_by, unasked[1:]))
    if wanted_by:
        return buy(state, wanted_by[-1], card)
    if state.clan(offerer).resigned:
        return state
    if state.two_players and state.first_offer:
        return state._replace(phase=TakingOrDiscarding(offerer, card))
    return buy(state, offerer, card)


def not_asking(phase: Answering, resigned: str) -> Answering:
    """Return the phase without a clan that has resigned: it is no longer asked, and its yes is forgotten."""
    return phase._replace(
        wanted_by=tuple(colour for colour in phase.wanted_by if colour != resigned),
        unasked=tuple(colour for colour in phase.unasked if colour != resigned),
    )


def answer_violations(state: GameState, phase: Answering, move: Buy | Decline) -> Iterator[Violation]:
    """Yield every rule that the answer breaks: it names another card as a guard, or the clan cannot buy the card."""
    if move.card not in (None, phase.card):
        offered, named = card_text(phase.card), card_text(move.card or 0)
        why = phrase("{card} is offered now, not {other}", card=offered, other=named)
        yield Violation("answer-this-offer", why)
    if isinstance(move, Buy):
        yield from offer_violations(state, state.clan(phase.clan), Offer(phase.card))


def answers(state: GameState, phase: Answering) -> tuple[Buy | Decline, ...]:
    """Return the answers that the clan may give."""
    return _BUY_OR_DECLINE if can_buy(state, state.clan(phase.clan), phase.card) else _DECLINE


def answer(state: GameState, phase: Answering, move: Buy | Decline) -> GameState:
    """Return the state after the clan's answer.

    If another clan buys, the offering player chooses again: offer or pass.

    Rule: offer-again (R4.6)
    """
    wants = isinstance(move, Buy)
    wanted_by = (*phase.wanted_by, phase.clan) if wants else phase.wanted_by
    state = state.with_events(Answered(phase.clan, phase.card, wants))
    return ask_next(state, phase.offerer, phase.card, wanted_by, phase.unasked)


def buy(state: GameState, buyer: str, number: int) -> GameState:
    """Return the state in which the clan owns the card.

    It takes the crop that lies there first and may pay with it; the price goes
    into the general supply. Before anything else is decided the market is filled
    again: see ``market.draw`` (R4.9).

    Rule: pay-card (R4.7)
    """
    clan, card = state.clan(buyer), state.components.cards[number]
    crop = state.market.crop == number
    owner = clan._replace(food=food_at_hand(state, clan.food, card) - card.price).with_card(card)
    state = state._replace(
        clans=state.clans_with(owner),
        market=without(state.market, number),
        waiting=out_of_phase(state, buyer),
        first_offer=False,
        idle=0,
        events=(*state.events, CardBought(buyer, number, card.price, crop)),
    )
    if card.kind == "intelligence":
        state = in_order(state, moved_back(state.clans))
    if len(owner.tools) > tool_limit(owner):
        state = state._replace(phase=Dropping(buyer))
    return state


def pass_by(state: GameState, phase: Offering, move: Pass) -> GameState:
    """Return the state after the clan passed: it buys nothing this round."""
    waiting, events = out_of_phase(state, phase.clan), (*state.events, _passed(phase.clan))
    return state._replace(waiting=waiting, first_offer=False, events=events)


def out_of_phase(state: GameState, colour: str) -> tuple[str, ...]:
    """Return the clans still in this phase, without the one that is neither asked nor offers any more."""
    return tuple([other for other in state.waiting if other != colour])


def drop_violations(clan: Clan, move: Drop) -> Iterator[Violation]:
    """Yield every rule that discarding that tool breaks."""
    if all(tool.number != move.card for tool in clan.tools):
        tools = " ".join(card_text(tool.number) for tool in clan.tools)
        holes = {"card": card_text(move.card), "player": clan.player, "tools": tools}
        yield Violation("drop-own-tool", phrase("{card} is not one of {player}'s tools ({tools})", **holes))


def drops(clan: Clan) -> Iterator[Drop]:
    """Yield the tools that the clan may discard: any, including the new one."""
    for tool in clan.tools:
        yield Drop(tool.number)


def drop(state: GameState, phase: Dropping, move: Drop) -> GameState:
    """Return the state without that tool, which leaves the game.

    This comes before the replacement for the bought card is drawn: our ruling,
    so that nobody knows the next card when choosing.

    Rule: too-many-tools (R4.8)
    """
    clan = state.clan(phase.clan)
    kept = tuple(card for card in clan.cards if card.number != move.card)
    return state.with_clan(clan._replace(cards=kept), ToolDropped(phase.clan, move.card))


def close_market(state: GameState) -> GameState:
    """Remove the card that still has the crop on it from the game, and the crop with it.

    Rule: unsold-card (R4.11)
    """
    card = state.market.crop
    if card is None:
        return state
    return state._replace(market=without(state.market, card), events=(*state.events, _unsold(card)))


def rot(state: GameState) -> GameState:
    """Let every clan's food rot."""
    for clan in state.clans:
        rotten = rotten_food(clan)
        if rotten:
            state = state.with_clan(clan.with_food(clan.food - rotten), FoodRotted(clan.colour, rotten))
    return state


def rotten_food(clan: Clan) -> int:
    """Return the food that the clan loses to rot at the end of phase 1.

    A third of its food, rounded down; nothing if the clan has Fire. A clan with
    1 or 2 food loses nothing, and food rots in the first round too.

    Rules: rotten-food (R4.15), fire (R8.1)
    """
    return 0 if clan.knows("fire") else clan.food // 3

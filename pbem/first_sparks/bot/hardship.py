"""Whether a small clan surely feeds itself, whatever its rivals do on the board.

The outlook reckons with what is likely. A clan with one or two members has no second try: if it pays its food for a
tool, and a rival takes the space on its way to what the tool hunts, it may never have the food for that way. And if it
keeps its food, its rivals may buy all that would feed it, while a part of the food rots.
"""

from collections.abc import Iterable
from typing import Final

from pbem.first_sparks.bot.prospect import BASE, VALUES, Contender, beset, contenders_of
from pbem.first_sparks.components import Card
from pbem.first_sparks.rules.preparation import refill_numbers
from pbem.first_sparks.state import GameState

_SMALL: Final = 2  # members; a larger clan can lose one, and go on


def hardship(
    state: GameState, viewer: str, numbers: Iterable[int], *, members: int, hunted: bool, rivals: int = 0
) -> float:
    """Return how far a clan is from surely feeding itself, if it had few *members* before a move; else 0.

    0: it harvests more than it eats, or can pay the way to where it does with its rivals on that way, or keeps its
    members and the food for a card that brings that; 1: it only keeps its members; 2: it loses some.
    *numbers* are the cards that it may buy in the next round, of which so many *rivals* may each take one before. If
    these may take all that would bring that, the hardship is how likely they do, as if they chose at random.
    If the clans have *hunted* in this round, its rivals all spread before it does; else those after it in player order.
    """
    if not 0 < members <= _SMALL:
        return 0
    place = state.order.index(viewer)
    sides, lying = contenders_of(state, viewer), list(state.harvest)
    own, size = sides[place], sides[place].size
    if not hunted:
        for side in reversed(sides):
            side.eat(lying)
        if own.size < size:
            return 2
    beset(state, own, [side for side in sides[0 if hunted else place + 1 :] if side is not own and not side.resigned])
    cards = [state.components.cards[number] for number in numbers]
    refill = refill_numbers(state.board, len(sides))
    lying = [there + new for there, new in zip(lying, refill, strict=True)]
    return _hardship(own, lying, cards, rivals)


def _hardship(side: Contender, lying: list[int], cards: list[Card], rivals: int) -> float:
    """Return the hardship of a clan in phase 3, before a round with those tokens *lying*."""
    income, size = side.hunt(lying[:]), side.size
    if income > size:
        return 0
    for food in side.waiting():
        steps, extra = side.ways[food]
        left, brings = side.food - BASE[steps] - extra, VALUES[food] * side.tokens(food)
        if left >= 0 and side.fresh(left) + income + brings >= size + steps:
            return 0
    if income < size:
        return 2
    chance = 1.0
    for taken in range(sum([_feeds(side, lying, card) for card in cards])):
        chance *= max(0.0, min(1.0, (rivals - taken) / (len(cards) - taken)))
    return chance


def _feeds(side: Contender, lying: list[int], card: Card) -> bool:
    """Return whether the clan keeps its members, and is in no hardship, once it has paid for the card."""
    if not card.is_tool or card.price > side.food:
        return False
    owner = side.copy()
    owner.food -= card.price
    owner.take(card)
    owner.eat(lying[:])
    return owner.size == side.size and not _hardship(owner, lying, [], 0)

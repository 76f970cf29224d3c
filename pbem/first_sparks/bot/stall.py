"""The market in the outlook, which moves as the rules say, with cards that may come."""

from collections.abc import Mapping
from math import gcd

from pbem.first_sparks.components import Card
from pbem.first_sparks.state import GameState


class Stall:
    """The market in the outlook: the cards that lie there, then some of those that nobody has seen yet."""

    def __init__(
        self,
        cards: Mapping[int, Card],
        on_show: list[int],
        deck: list[int],
        under: list[int],
        never: int,
        places: int,
        crop: int,
        shuffle: bool,
        is_shown: bool,
        is_reduced: bool,
    ) -> None:
        self._cards = cards
        self._open = on_show
        self._deck = deck
        self._under = under
        self._never = never
        self._places = places
        self._crop = crop
        self._shuffle = shuffle
        self._shown = is_shown
        self._reduced = is_reduced

    def copy(self, number: int, copies: int) -> "Stall":
        """Return the same market, to go another way: each of the copies begins elsewhere in the pile."""
        cut, below = len(self._deck) * number // copies, len(self._under) * number // copies
        return Stall(
            self._cards,
            self._open[:],
            (self._deck[cut:] + self._deck[:cut])[self._never :],
            self._under[below:] + self._under[:below],
            0,
            self._places,
            self._crop,
            self._shuffle,
            self._shown,
            self._reduced,
        )

    @property
    def current(self) -> list[Card]:
        """The tools that can be bought."""
        numbers = self._open if self._reduced else self._open[: self._places // 2]
        return [card for card in [self._cards[number] for number in numbers] if card.is_tool]

    def lay_crop(self) -> None:
        """Begin phase 1: the crop is laid on the lowest card."""
        self._crop = self._open[0] if self._open else 0

    def remove(self, card: Card) -> None:
        """Sell a card, and fill its place."""
        self._open.remove(card.number)
        if card.number == self._crop:
            self._crop = 0
        self._fill()

    def remove_unsold(self) -> None:
        """End phase 1: the card that still has the crop on it leaves the game."""
        if self._crop in self._open:
            self._open.remove(self._crop)
            self._fill()
        self._crop = 0

    def renew(self) -> None:
        """End a game round: the highest card goes under the pile, until the Shuffle card reduces the market."""
        if self._shuffle and self._open:
            self._under.append(self._open.pop())
            self._fill()
        if self._shown:
            self._shown, self._reduced = False, True
            self._places -= 2
            self._open = self._open[1:]

    def _fill(self) -> None:
        while len(self._open) + int(self._shown) < self._places:
            if self._deck:
                card = self._deck.pop()
            elif self._shuffle:
                self._shuffle, self._shown = False, True
                continue
            elif self._under:
                card = self._under.pop()
            else:
                break
            if card < self._crop:
                self._crop = 0
            self._open.append(card)
        self._open.sort()


def stall_of(state: GameState) -> Stall:
    """Return the market of the game, with the cards that nobody has seen in some order that is always the same."""
    market, pile = state.market, state.pile
    unseen = pile.unseen
    step = len(unseen) * 5 // 8 + 1
    while gcd(step, len(unseen)) > 1:
        step += 1
    deck = [unseen[number * step % len(unseen)] for number in range(len(unseen))]
    return Stall(
        state.components.cards,
        list(market.cards),
        deck,
        list(pile.under),
        min(pile.never, len(deck)),
        market.places,
        market.crop or 0,
        pile.shuffle,
        market.shuffle,
        market.reduced,
    )

"""The technology cards that nobody owns: those in the market, and what everybody knows of the draw pile."""

from typing import ClassVar, Final

from pbem.quick import Fields, Same

_OF_MARKET: Final = ("cards", "places", "crop", "shuffle", "reduced")
_OF_PILE: Final = ("top", "unseen", "never", "shuffle", "under")


class Market(Fields):
    """The open technology cards, in ascending order of number.

    ``crop`` is the card with the crop, ``shuffle`` whether the Shuffle card lies
    above all others, ``places`` how many cards fit, including that one.
    """

    __slots__ = _OF_MARKET
    _fields: ClassVar = _OF_MARKET

    def __init__(
        self,
        cards: tuple[int, ...],
        places: int,
        crop: int | None = None,
        shuffle: bool = False,
        reduced: bool = False,
    ) -> None:
        self.cards = cards
        self.places = places
        self.crop = crop
        self.shuffle = shuffle
        self.reduced = reduced

    def _replace(
        self,
        *,
        cards: tuple[int, ...] | Same = ...,
        places: int | Same = ...,
        crop: int | Same | None = ...,
        shuffle: bool | Same = ...,
        reduced: bool | Same = ...,
    ) -> "Market":
        """Return the market with other values for these fields."""
        return Market(
            self.cards if cards is ... else cards,
            self.places if places is ... else places,
            self.crop if crop is ... else crop,
            self.shuffle if shuffle is ... else shuffle,
            self.reduced if reduced is ... else reduced,
        )

    @property
    def current(self) -> tuple[int, ...]:
        """The cards that can be offered: the lower half, or all in a reduced market."""
        return self.cards if self.reduced else self.cards[: self.places // 2]

    @property
    def future(self) -> tuple[int, ...]:
        """The cards that cannot be offered yet."""
        return self.cards[len(self.current) :]


class Pile(Fields):
    """What is publicly known of the draw pile (R10.2); its order is not stored anywhere.

    ``top`` is certain to come next, then ``unseen`` in any order, ``never`` of
    which stay out of the game, then the Shuffle card if ``shuffle`` is true, then
    ``under`` in any order.
    """

    __slots__ = _OF_PILE
    _fields: ClassVar = _OF_PILE

    def __init__(
        self,
        top: tuple[int, ...] = (),
        unseen: tuple[int, ...] = (),
        never: int = 0,
        shuffle: bool = True,
        under: tuple[int, ...] = (),
    ) -> None:
        self.top = top
        self.unseen = unseen
        self.never = never
        self.shuffle = shuffle
        self.under = under

    def _replace(
        self,
        *,
        top: tuple[int, ...] | Same = ...,
        unseen: tuple[int, ...] | Same = ...,
        never: int | Same = ...,
        shuffle: bool | Same = ...,
        under: tuple[int, ...] | Same = ...,
    ) -> "Pile":
        """Return the pile with other values for these fields."""
        return Pile(
            self.top if top is ... else top,
            self.unseen if unseen is ... else unseen,
            self.never if never is ... else never,
            self.shuffle if shuffle is ... else shuffle,
            self.under if under is ... else under,
        )

    @property
    def size(self) -> int:
        """The number of cards in the pile, including the Shuffle card."""
        return len(self.top) + len(self.unseen) - self.never + self.shuffle + len(self.under)

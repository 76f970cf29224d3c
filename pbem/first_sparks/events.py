"""Everything that can happen, as facts for the players' texts. An event never holds a secret.

Colours name clans; food is a value; ``tokens`` pairs a food with a number of tokens.
"""

from typing import NamedTuple


class HerbsDealt(NamedTuple):
    """The clan was dealt a Herbs card."""

    clan: str
    card: int


class PlayerOrderSet(NamedTuple):
    """The player order is this from now on."""

    order: tuple[str, ...]


class TileDrawn(NamedTuple):
    """The clan drew a landscape tile."""

    clan: str
    tile: str


class TileLaid(NamedTuple):
    """The clan laid its tile; its hexes lie on these cells."""

    clan: str
    tile: str
    cells: tuple[str, str]


class MembersPlaced(NamedTuple):
    """New members stand on these spaces; none if the clan stays. *clan* is ``neutral`` for the neutral clan."""

    clan: str
    spaces: tuple[str, ...]
    cost: int


class RoundBegan(NamedTuple):
    """A game round began, and the crop was laid on this card (None in an empty market)."""

    round: int
    crop: int | None


class CardOffered(NamedTuple):
    """The clan offers the card; *unasked* are clans that cannot answer, for want of food or owning that knowledge."""

    clan: str
    card: int
    price: int
    unasked: tuple[str, ...]


class Answered(NamedTuple):
    """The clan has said whether it wants the card."""

    clan: str
    card: int
    wants: bool


class Passed(NamedTuple):
    """The clan offers nothing and buys nothing in this round."""

    clan: str


class CardBought(NamedTuple):
    """The clan owns the card now; *crop* tells whether it took the crop that lay there."""

    clan: str
    card: int
    price: int
    crop: bool


class ToolDropped(NamedTuple):
    """The clan put a tool out of the game."""

    clan: str
    card: int


class OfferDiscarded(NamedTuple):
    """The first of two players put its offered card out of the game, and tokens with it."""

    clan: str
    card: int
    tokens: tuple[tuple[str, int], ...]


class CardDrawn(NamedTuple):
    """A card came into the market."""

    card: int


class ShuffleDrawn(NamedTuple):
    """The Shuffle card appeared and the rest of the pile was shuffled."""


class CropLost(NamedTuple):
    """The crop left the market because a lower card came than the one it lay on."""

    card: int


class CardUnsold(NamedTuple):
    """The card that still bore the crop at the end of phase 1 left the game with it."""

    card: int


class CardPutUnder(NamedTuple):
    """The highest card of the market went under the pile."""

    card: int


class MarketReduced(NamedTuple):
    """The Shuffle card left the market, and the lowest card with it."""

    card: int | None


class FoodRotted(NamedTuple):
    """The clan lost food to rot."""

    clan: str
    food: int


class Hunted(NamedTuple):
    """The clan harvested and fed its members; *eaten* is the food given for them."""

    clan: str
    crops: int
    tokens: tuple[tuple[str, int], ...]
    harvested: int
    eaten: int


class MembersStarved(NamedTuple):
    """Members left the board because they could not be fed."""

    clan: str
    spaces: tuple[str, ...]


class HarvestRefilled(NamedTuple):
    """Tokens were added to the harvest spaces."""

    tokens: tuple[tuple[str, int], ...]


class Resigned(NamedTuple):
    """The player left the game."""

    clan: str


class AgreedToEnd(NamedTuple):
    """The player agrees to end the game as it stands."""

    clan: str


class GameEnded(NamedTuple):
    """The game is over; several winners share the victory."""

    winners: tuple[str, ...]


Event = (
    HerbsDealt
    | PlayerOrderSet
    | TileDrawn
    | TileLaid
    | MembersPlaced
    | RoundBegan
    | CardOffered
    | Answered
    | Passed
    | CardBought
    | ToolDropped
    | OfferDiscarded
    | CardDrawn
    | ShuffleDrawn
    | CropLost
    | CardUnsold
    | CardPutUnder
    | MarketReduced
    | FoodRotted
    | Hunted
    | MembersStarved
    | HarvestRefilled
    | Resigned
    | AgreedToEnd
    | GameEnded
)

"""Everything that can happen, as facts for the players' texts. An event never contains a secret.

Clans are named by colour; food is a value; ``tokens`` are pairs of a food and a number of tokens.
"""

from typing import NamedTuple


class HerbsDealt(NamedTuple):
    """The clan was dealt a Herbs card."""

    clan: str
    card: int


class PlayerOrderSet(NamedTuple):
    """The player order from now on."""

    order: tuple[str, ...]


class TileDrawn(NamedTuple):
    """The clan drew a landscape tile."""

    clan: str
    tile: str


class TileLaid(NamedTuple):
    """The clan laid its tile; the hexes lie on these cells."""

    clan: str
    tile: str
    cells: tuple[str, str]


class MembersPlaced(NamedTuple):
    """The clan placed members on these spaces, none if it stayed. *clan* is ``neutral`` for the neutral clan."""

    clan: str
    spaces: tuple[str, ...]
    cost: int


class RoundBegan(NamedTuple):
    """A game round began, and the crop was laid on this card (None if the market is empty)."""

    round: int
    crop: int | None


class CardOffered(NamedTuple):
    """The clan offered the card; *unasked* are clans that cannot buy it, for lack of food or since they know it."""

    clan: str
    card: int
    price: int
    unasked: tuple[str, ...]


class Answered(NamedTuple):
    """The clan said whether it wants the card."""

    clan: str
    card: int
    wants: bool


class Passed(NamedTuple):
    """The clan offers nothing and buys nothing this round."""

    clan: str


class CardBought(NamedTuple):
    """The clan bought the card; *crop* tells whether it took a crop with it."""

    clan: str
    card: int
    price: int
    crop: bool


class ToolDropped(NamedTuple):
    """The clan discarded a tool, which left the game."""

    clan: str
    card: int


class OfferDiscarded(NamedTuple):
    """The first of two players discarded its offered card, and tokens with it."""

    clan: str
    card: int
    tokens: tuple[tuple[str, int], ...]


class CardDrawn(NamedTuple):
    """A card entered the market."""

    card: int


class ShuffleDrawn(NamedTuple):
    """The Shuffle card was drawn, and the rest of the pile was shuffled."""


class CropLost(NamedTuple):
    """The crop on this card was lost because a lower card was drawn."""

    card: int


class CardUnsold(NamedTuple):
    """The card still had the crop at the end of phase 1, and left the game with it."""

    card: int


class CardPutUnder(NamedTuple):
    """The highest card of the market went under the pile."""

    card: int


class MarketReduced(NamedTuple):
    """The Shuffle card left the game, and the lowest card with it."""

    card: int | None


class FoodRotted(NamedTuple):
    """The clan lost food to rot."""

    clan: str
    food: int


class Hunted(NamedTuple):
    """The clan harvested and fed its members; *eaten* is the food that they ate."""

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
    """The player agreed to end the game as it stands."""

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

"""What a whole game comes to: the food that each clan harvested, spent and lost, and what became of each offer."""

from collections.abc import Sequence
from typing import Final, NamedTuple, assert_never

from pbem.first_sparks.adjudicator import Entry
from pbem.first_sparks.components import FOOD_VALUE, FOODS
from pbem.first_sparks.events import (
    AgreedToEnd,
    Answered,
    CardBought,
    CardDrawn,
    CardOffered,
    CardPutUnder,
    CardUnsold,
    CropLost,
    FoodRotted,
    GameEnded,
    HarvestRefilled,
    HerbsDealt,
    Hunted,
    MarketReduced,
    MembersPlaced,
    MembersStarved,
    OfferDiscarded,
    Passed,
    PlayerOrderSet,
    Resigned,
    RoundBegan,
    ShuffleDrawn,
    TileDrawn,
    TileLaid,
    ToolDropped,
)
from pbem.first_sparks.rules.preparation import STARTING_FOOD
from pbem.first_sparks.state import GameState

# What a harvest consists of.
KINDS: Final = ("crops", *FOODS)


class Account(NamedTuple):
    """The food of a clan over a whole game, in food values, so that the parts add up to ``food``.

    *harvest* is the food from each of ``KINDS``. *cards* is what was paid for technology, less the crops that lay on
    it, *spreading* what new members cost, *eaten* what the members ate and *rotten* what was lost to rot. *starved*
    counts members. *best* is the largest single harvest, the first of several, in game round *best_round* (0: none).
    """

    clan: str
    harvest: tuple[int, ...] = (0,) * len(KINDS)
    cards: int = 0
    spreading: int = 0
    eaten: int = 0
    rotten: int = 0
    starved: int = 0
    best: int = 0
    best_round: int = 0

    @property
    def harvested(self) -> int:
        """The food from all harvests."""
        return sum(self.harvest)

    @property
    def food(self) -> int:
        """The food that is left."""
        return STARTING_FOOD + self.harvested - self.cards - self.spreading - self.eaten - self.rotten


class Sale(NamedTuple):
    """An offered card: in which game round, for how much food, and who bought it, or nobody.

    The *price* is what a buyer pays from its own food: a crop that lies on the card makes it one less.
    """

    round: int
    card: int
    price: int
    buyer: str = ""


class Accounts(NamedTuple):
    """What a game has come to: the first player order (R2.4), every clan's account in that order, and all offers.

    The order is empty before the first game round; the accounts are then in the player order of the preparation.
    """

    order: tuple[str, ...]
    clans: tuple[Account, ...]
    sales: tuple[Sale, ...]


def accounts_of(history: Sequence[tuple[Entry, GameState]]) -> Accounts:
    """Return what a game has come to, of its whole *history* from the first line of its log on, at least one line."""
    last = history[-1][1]
    order = next((state.order for _, state in history if state.round), ())
    accounts = {colour: Account(colour) for colour in order or last.order}
    sales: list[Sale] = []
    number = 0
    crop: int | None = None  # the card that bore the crop before the entry: an offer is the first thing in its own
    for _, state in history:
        for event in state.events:
            match event:
                case RoundBegan():
                    number = event.round
                case CardOffered():
                    sales.append(Sale(number, event.card, event.price - (crop == event.card)))
                case CardBought(clan=clan):
                    sales[-1] = sales[-1]._replace(buyer=clan)
                    accounts[clan] = _plus(accounts[clan], cards=sales[-1].price)
                case MembersPlaced(clan=clan, cost=cost):
                    if cost:  # the neutral clan pays nothing
                        accounts[clan] = _plus(accounts[clan], spreading=cost)
                case FoodRotted(clan=clan):
                    accounts[clan] = _plus(accounts[clan], rotten=event.food)
                case Hunted(clan=clan):
                    accounts[clan] = _after_hunt(accounts[clan], event, number)
                case MembersStarved(clan=clan):
                    accounts[clan] = _plus(accounts[clan], starved=len(event.spaces))
                case HerbsDealt() | TileDrawn() | TileLaid() | PlayerOrderSet() | Answered() | Passed():
                    pass
                case ToolDropped() | OfferDiscarded() | CardDrawn() | ShuffleDrawn() | CropLost() | CardUnsold():
                    pass
                case CardPutUnder() | MarketReduced() | HarvestRefilled() | Resigned() | AgreedToEnd() | GameEnded():
                    pass
                case _ as unreachable:
                    assert_never(unreachable)
        crop = state.market.crop
    return Accounts(order, tuple(accounts.values()), tuple(sales))


def _plus(account: Account, **more: int) -> Account:
    return account._replace(**{part: getattr(account, part) + number for part, number in more.items()})


def _after_hunt(account: Account, hunted: Hunted, number: int) -> Account:
    tokens = dict(hunted.tokens)
    parts = (hunted.crops, *(FOOD_VALUE[food] * tokens.get(food, 0) for food in FOODS))
    harvest = tuple(before + part for before, part in zip(account.harvest, parts, strict=True))
    account = _plus(account, eaten=hunted.eaten)._replace(harvest=harvest)
    if hunted.harvested > account.best:
        return account._replace(best=hunted.harvested, best_round=number)
    return account

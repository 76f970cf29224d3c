"""The pending decision: a type for each kind, with the data that it needs and nothing else.

``clan`` decides; without one, or if it only receives a card or tile, chance decides.
"""

from typing import Literal, NamedTuple


class DealingHerbs(NamedTuple):
    """Chance deals a Herbs card to the clan."""

    clan: str
    name: Literal["dealing-herbs"] = "dealing-herbs"


class DrawingTile(NamedTuple):
    """Chance draws the landscape tile that the clan lays next."""

    clan: str
    name: Literal["drawing-tile"] = "drawing-tile"


class Laying(NamedTuple):
    """The clan lays the tile that it has drawn."""

    clan: str
    tile: str
    name: Literal["laying"] = "laying"


class SettlingNeutral(NamedTuple):
    """The clan puts the neutral clan's first member on the board."""

    clan: str
    name: Literal["settling-neutral"] = "settling-neutral"


class Settling(NamedTuple):
    """The clan puts its first member on the board."""

    clan: str
    name: Literal["settling"] = "settling"


class Adding(NamedTuple):
    """The clan may put a second member on the board."""

    clan: str
    name: Literal["adding"] = "adding"


class Offering(NamedTuple):
    """The clan offers a card or passes."""

    clan: str
    name: Literal["offering"] = "offering"


class Answering(NamedTuple):
    """The clan says whether it wants the card; *wanted_by* are the clans that want it, *unasked* those asked later."""

    clan: str
    offerer: str
    card: int
    wanted_by: tuple[str, ...]
    unasked: tuple[str, ...]
    name: Literal["answering"] = "answering"


class TakingOrDiscarding(NamedTuple):
    """The first of two players takes or discards its first offered card."""

    clan: str
    card: int
    name: Literal["taking-or-discarding"] = "taking-or-discarding"


class Dropping(NamedTuple):
    """The clan has one tool too many and discards one."""

    clan: str
    name: Literal["dropping"] = "dropping"


class DrawingCard(NamedTuple):
    """Chance fills a gap in the market."""

    name: Literal["drawing-card"] = "drawing-card"


class Starving(NamedTuple):
    """The clan chooses which members it cannot feed."""

    clan: str
    hungry: int
    name: Literal["starving"] = "starving"


class SpreadingNeutral(NamedTuple):
    """The clan places that many members of the neutral clan."""

    clan: str
    new: int
    name: Literal["spreading-neutral"] = "spreading-neutral"


class Spreading(NamedTuple):
    """The clan places 0 to 5 new members."""

    clan: str
    name: Literal["spreading"] = "spreading"


class Ended(NamedTuple):
    """The game is over."""

    winners: tuple[str, ...]
    name: Literal["ended"] = "ended"


Phase = (
    DealingHerbs
    | DrawingTile
    | Laying
    | SettlingNeutral
    | Settling
    | Adding
    | Offering
    | Answering
    | TakingOrDiscarding
    | Dropping
    | DrawingCard
    | Starving
    | SpreadingNeutral
    | Spreading
    | Ended
)

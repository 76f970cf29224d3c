"""The headings of the game's pages: of sections, each with a key that never changes, and of the rulebook's phases."""

from collections.abc import Iterable
from typing import Final, assert_never

from pbem.first_sparks import events
from pbem.locale import tr
from pbem.page.page import Block, Picture, Section

HEADINGS: Final[dict[str, str]] = {
    "happened": "WHAT HAS HAPPENED",
    "question": "QUESTION",
    "choices": "CHOICES",
    "plan": "MARKET OF THE NEXT ROUND",
    "final": "FINAL TABLE",
    "board": "BOARD",
    "harvest": "HARVEST SPACES",
    "market": "MARKET",
    "clans": "CLANS",
    "food": "FOOD OF THE WHOLE GAME",
}
BOARD_PICTURE: Final = Picture("The board, which is also drawn in letters below", "BOARD IN LETTERS")
PREPARATION: Final = "preparation"
PLACEMENT: Final = "placement round"
TECHNOLOGY: Final = "phase 1 technology"
HUNTING: Final = "phase 2 hunting"
SPREADING: Final = "phase 3 spreading"
BUREAUCRACY: Final = "phase 4 bureaucracy"
# The phase to which each step of the adjudicator belongs.
STAGES: Final = {
    "deal_herbs": PREPARATION,
    "lay_landscape": PREPARATION,
    "settle_neutral": PLACEMENT,
    "settle": PLACEMENT,
    "add_second": PLACEMENT,
    "set_first_order": PLACEMENT,
    "lay_crop": TECHNOLOGY,
    "offers_and_answers": TECHNOLOGY,
    "close_market": TECHNOLOGY,
    "rot": TECHNOLOGY,
    "hunt_and_feed": HUNTING,
    "spread_neutral": SPREADING,
    "spread": SPREADING,
    "end": SPREADING,
    "reorder": BUREAUCRACY,
    "refill": BUREAUCRACY,
    "put_highest_under": BUREAUCRACY,
    "remove_shuffle_card": BUREAUCRACY,
}


def section(key: str, blocks: Iterable[Block], gloss: str = "", picture: Picture | None = None) -> Section:
    """Return the section with that key, below its heading if the key has one."""
    return Section(key, tuple(blocks), tr(HEADINGS.get(key, "")), gloss, picture)


def stage_text(stage: str) -> str:
    """Return one of the phases of ``STAGES`` in words."""
    return tr(stage if stage in STAGES.values() else "")


def stage_of(event: events.Event, number: int, before: str) -> str:
    """Return the phase to which an event belongs, after one of the phase *before* in round *number* (0: none yet)."""
    match event:
        case events.HerbsDealt() | events.TileDrawn() | events.TileLaid():
            return PREPARATION
        case events.MembersPlaced():
            return SPREADING if number else PLACEMENT
        case (
            events.RoundBegan()
            | events.CardOffered()
            | events.Answered()
            | events.Passed()
            | events.CardBought()
            | events.ToolDropped()
            | events.OfferDiscarded()
            | events.CropLost()
            | events.CardUnsold()
            | events.FoodRotted()
        ):
            return TECHNOLOGY
        case events.Hunted() | events.MembersStarved():
            return HUNTING
        case events.HarvestRefilled() | events.CardPutUnder():
            return BUREAUCRACY
        case events.PlayerOrderSet() | events.MarketReduced() | events.CardDrawn() | events.ShuffleDrawn():
            return BUREAUCRACY if before == SPREADING else before
        case events.Resigned() | events.AgreedToEnd() | events.GameEnded():
            return before
        case _ as unreachable:
            assert_never(unreachable)

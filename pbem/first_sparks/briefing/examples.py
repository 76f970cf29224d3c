"""The order that a text gives as an example: of the listed choices, the one with the best forecast."""

from collections.abc import Sequence

from pbem.first_sparks.briefing.forecast_text import would_end
from pbem.first_sparks.choice import Choice
from pbem.first_sparks.forecast import food_after_eating, prospect, purchase, without_tool
from pbem.first_sparks.moves import Drop, Offer, Spread
from pbem.first_sparks.rules.game_end import ending_clans
from pbem.first_sparks.state import Clan, GameState


def best_offer(state: GameState, clan: Clan, few: Sequence[Choice]) -> Choice:
    """Return the offer after which the clan can eat and harvests most, the cheapest of several; or to pass."""

    def rank(choice: Choice) -> tuple[bool, int, int, int]:
        assert isinstance(choice.move, Offer)
        bought = purchase(state, clan, choice.move.card)
        soon, later = bought.prospect
        return food_after_eating(bought.clan, soon) >= 0, soon, later, -(choice.cost or 0)

    offers = [choice for choice in few if isinstance(choice.move, Offer)]
    return max(offers, key=rank) if offers else few[0]


def best_spread(state: GameState, clan: Clan, few: Sequence[Choice]) -> Choice:
    """Return the choice after which the clan can eat and harvests most, the cheapest of several.

    No example ends the game. If its end is certain, the example is the largest clan for the least food.
    """

    def grown(choice: Choice) -> Clan:
        spaces = choice.move.spaces if isinstance(choice.move, Spread) else ()
        return clan.with_members(spaces)._replace(food=clan.food - (choice.cost or 0))

    def rank(choice: Choice) -> tuple[bool, int, int, bool, int]:
        larger = grown(choice)
        soon, later = prospect(state, larger)
        return food_after_eating(larger, soon) >= 0, soon, later, isinstance(choice.move, Spread), -(choice.cost or 0)

    if ending_clans(state):
        return max(few, key=lambda choice: (grown(choice).size, -(choice.cost or 0)))
    return max((choice for choice in few if not would_end(state, grown(choice))), key=rank)


def best_drop(state: GameState, clan: Clan, few: Sequence[Choice]) -> Choice:
    """Return the choice to discard the tool without which the clan harvests most, the lowest of several."""

    def rank(choice: Choice) -> tuple[int, int]:
        assert isinstance(choice.move, Drop)
        return prospect(state, without_tool(clan, choice.move.card))

    return max(few, key=rank)

"""What cards are worth to a clan, and with that its decisions in phase 1."""

from pbem.first_sparks.bot.outlook import outlook
from pbem.first_sparks.bot.side import food_known
from pbem.first_sparks.bot.tuning import Tuning
from pbem.first_sparks.clans import tool_limit
from pbem.first_sparks.forecast import without_tool
from pbem.first_sparks.market import food_at_hand, without
from pbem.first_sparks.phases import Answering
from pbem.first_sparks.rules.buying import knows_already
from pbem.first_sparks.state import Clan, GameState


def with_card(state: GameState, clan: Clan, number: int) -> Clan:
    """Return the clan after it has bought the card; it may have a tool too many, and less than no food."""
    card = state.components.cards[number]
    return clan._replace(food=food_at_hand(state, clan.food, card) - card.price).with_card(card)


def kept(clan: Clan) -> tuple[Clan, ...]:
    """Return the clan with every selection of tools that it may keep."""
    if len(clan.tools) <= tool_limit(clan):
        return (clan,)
    return tuple(without_tool(clan, tool.number) for tool in clan.tools)


def waiting_for(state: GameState, colour: str) -> tuple[str, ...]:
    """Return the others who may still buy in this phase."""
    return tuple(other for other in state.waiting if other != colour)


def worth_having(
    state: GameState, colour: str, number: int | None, taken: tuple[str, int] | None, tuning: Tuning
) -> float:
    """Return the outlook of the clan once it has bought the card, or nothing.

    *taken* is the card that another clan has bought meanwhile, by colour and number.
    """
    buying = waiting_for(state, colour)
    if taken is not None:
        buyer, card = state.clan(taken[0]), state.components.cards[taken[1]]
        left = max(0, food_known(state, buyer, colour) - card.price)
        richer = kept(buyer.with_card(card)._replace(food=left))[0]
        state = state._replace(clans=state.clans_with(richer), market=without(state.market, card.number))
        buying = tuple(other for other in buying if other != taken[0])
    clan = state.clan(colour)
    if number is None:
        return outlook(state, colour, buying, None, tuning)
    return max(
        outlook(state._replace(clans=state.clans_with(after)), colour, buying, None, tuning)
        for after in kept(with_card(state, clan, number))
    )


def payable(state: GameState, clan: Clan) -> tuple[int, ...]:
    """Return the cards of the current market that the clan can pay and use."""
    cards = state.components.cards
    return tuple(
        number
        for number in state.market.current
        if cards[number].price <= food_at_hand(state, clan.food, cards[number])
        and not knows_already(clan, cards[number])
    )


def decline_worth(state: GameState, phase: Answering, tuning: Tuning) -> float:
    """Return the outlook of a clan that lets the offered card go, and may get another one later in the phase."""
    buyer = phase.wanted_by[-1] if phase.wanted_by else phase.offerer
    taken = (buyer, phase.card)
    clan = state.clan(phase.clan)
    nothing = worth_having(state, phase.clan, None, taken, tuning)
    others = [number for number in payable(state, clan) if number != phase.card]
    best = max((worth_having(state, phase.clan, number, taken, tuning) for number in others), default=nothing)
    order = state.order
    after = sum(
        order.index(other) > order.index(phase.clan) for other in waiting_for(state, phase.clan) if other != buyer
    )
    likely = tuning.chance ** after
    return nothing + likely * max(0.0, best - nothing)

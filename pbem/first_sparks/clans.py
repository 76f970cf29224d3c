"""Questions about clans that several chapters ask: tool limit, sizes, player order."""

from pbem.first_sparks.components import Card
from pbem.first_sparks.events import PlayerOrderSet
from pbem.first_sparks.state import Clan, GameState


def tool_limit(clan: Clan) -> int:
    """Return how many tools the clan may own: three, with the Transport sled four.

    Rule: transport-sled (R8.3)
    """
    return 4 if clan.knows("sled") else 3


def highest_card(clan: Clan) -> int:
    """Return the highest number among the clan's cards, tool or knowledge; 0 without any."""
    return max((card.number for card in clan.cards), default=0)


def card_name(card: Card) -> str:
    """Return a card as the texts name it: ``#12 field``."""
    return f"#{card.number} {card.kind}"


def order_by_size(state: GameState) -> GameState:
    """Return the state with the clans in player order: the larger first, a tie to the highest card.

    Rule: player-order (R7.1)
    """
    return state._replace(clans=tuple(sorted(state.clans, key=lambda clan: (-clan.size, -highest_card(clan)))))


def moved_back(state: GameState) -> GameState:
    """Return the state with the clan that has Intelligence moved back one place in the player order.

    At once when the card is bought, and after the order was set in every phase
    4. In the last place nothing moves.

    Rule: intelligence (R8.5)
    """
    clans = list(state.clans)
    for place in reversed(range(len(clans) - 1)):
        if clans[place].knows("intelligence"):
            clans[place : place + 2] = [clans[place + 1], clans[place]]
    return state._replace(clans=tuple(clans))


def told_order(before: GameState, state: GameState) -> GameState:
    """Return the state with the new player order told, if it has changed."""
    return state if before.order == state.order else state.told(PlayerOrderSet(state.order))

"""Questions about clans that several chapters ask: tool limit, sizes, player order."""

from collections.abc import Iterable
from operator import is_

from pbem.first_sparks.components import Card
from pbem.first_sparks.events import PlayerOrderSet
from pbem.first_sparks.state import Clan, GameState
from pbem.grammar import phrase_listed
from pbem.locale import Phrase, phrase, phrase_in


def tool_limit(clan: Clan) -> int:
    """Return how many tools the clan may own: three, or four with the Transport sled.

    Rule: transport-sled (R8.3)
    """
    return 4 if clan.knows("sled") else 3


def highest_card(clan: Clan) -> int:
    """Return the highest number among the clan's cards, tools and knowledge; 0 without any."""
    return clan.cards[-1].number if clan.cards else 0


def card_name(card: Card) -> Phrase:
    """Return a card as the texts name it: ``#12 field``."""
    return phrase("#{number} {card}", number=card.number, card=phrase_in(card.kind, "card"))


def clan_name(clan: Clan) -> Phrase:
    """Return a clan as the texts name it: ``Ann (red)``."""
    return seat_name(clan.player, clan.colour)


def seat_name(name: str, colour: str) -> Phrase:
    """Return a seat as the texts name it: ``Ann (red)``."""
    return phrase("{player} ({colour})", player=name, colour=phrase_in(colour, "clan colour"))


def seats_listed(seats: Iterable[tuple[str, str]]) -> Phrase:
    """Return seats, as pairs of colour and name, in words: ``Ann (red) and Bob (blue)``."""
    return phrase_listed(seat_name(name, colour) for colour, name in seats)


def order_by_size(clans: tuple[Clan, ...]) -> tuple[Clan, ...]:
    """Return the clans in player order: the larger first, then the one with the highest card.

    Rule: player-order (R7.1)
    """
    return tuple(sorted(clans, key=lambda clan: (len(clan.members), highest_card(clan)), reverse=True))


def moved_back(clans: tuple[Clan, ...]) -> tuple[Clan, ...]:
    """Return the clans with the one that has Intelligence moved back one place in the player order.

    This happens at once when the card is bought, and after the order is set in
    every phase 4. A clan in the last place stays there.

    Rule: intelligence (R8.5)
    """
    for place in reversed(range(len(clans) - 1)):
        if clans[place].knows("intelligence"):
            clans = (*clans[:place], clans[place + 1], clans[place], *clans[place + 2 :])
    return clans


def in_order(state: GameState, clans: tuple[Clan, ...]) -> GameState:
    """Return the state with its clans in this player order, with an event if it is new."""
    if all(map(is_, clans, state.clans)):
        return state
    state = state._replace(clans=clans)
    return state.with_events(PlayerOrderSet(state.order))

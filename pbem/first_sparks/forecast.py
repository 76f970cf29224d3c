"""What each clan would harvest next if nothing changed until then. Questions only."""

from collections.abc import Iterator
from typing import NamedTuple

from pbem.first_sparks.clans import tool_limit
from pbem.first_sparks.components import Card, Food
from pbem.first_sparks.rules import bureaucracy, buying, hunting, spreading, two_players
from pbem.first_sparks.state import Clan, GameState

_HUNTING = hunting.hunt_and_feed.__name__
_AFTER_HUNTING = (two_players.spread_neutral.__name__, spreading.spread.__name__)


class Outlook(NamedTuple):
    """A harvest to come: the crops, the tokens by food, and what all are worth."""

    crops: int
    tokens: tuple[tuple[Food, int], ...]
    worth: int


def next_harvests(state: GameState) -> dict[str, Outlook]:
    """Return what each clan would harvest next, by colour, in hunting order: later ones find what is left.

    Who has hunted in this game round does so again after the refill and in the
    player order of the next one.
    """
    return dict(_hunts(state))


def _hunts(state: GameState) -> Iterator[tuple[str, Outlook]]:
    """Yield the clans with what they harvest, one after the other."""
    now = state.waiting[::-1] if state.step == _HUNTING else ()
    for colour in now:
        found, state = _hunted(state, colour)
        yield colour, found
    if state.step in (_HUNTING, *_AFTER_HUNTING):
        state = bureaucracy.refill(bureaucracy.reorder(state))
    for colour in state.order[::-1]:
        if colour not in now:
            found, state = _hunted(state, colour)
            yield colour, found


def _hunted(state: GameState, colour: str) -> tuple[Outlook, GameState]:
    """Return what the clan harvests, and the state after it."""
    clan, harvest = state.clan(colour), state.harvest
    crops, tokens = hunting.crops_harvested(state, clan), hunting.harvest_of(state.board, clan, harvest)
    for food, number in tokens:
        harvest = harvest.less(food, number)
    return Outlook(crops, tokens, hunting.harvest_value(crops, tokens)), state._replace(harvest=harvest)


def food_after_eating(clan: Clan, worth: int) -> int:
    """Return the food that a clan in phase 1 has after a harvest of that worth; below 0 so many members starve."""
    return clan.food - buying.rotten_food(clan) + worth - clan.size


def worth_with(state: GameState, clan: Clan, card: Card) -> int:
    """Return what the next harvest is worth to the clan once it has the card, with the best tools that it may keep."""
    bought = buying.buy(state, clan.colour, card.number)
    return max(worth_of(bought, kept) for kept in _keeping(bought.clan(clan.colour)))


def worth_of(state: GameState, clan: Clan) -> int:
    """Return what the next harvest would be worth to the clan as it is given here."""
    return next(found.worth for colour, found in _hunts(state.with_clan(clan)) if colour == clan.colour)


def without_tool(clan: Clan, number: int) -> Clan:
    """Return the clan without that tool."""
    return clan._replace(cards=tuple(card for card in clan.cards if card.number != number))


def _keeping(clan: Clan) -> tuple[Clan, ...]:
    if len(clan.tools) <= tool_limit(clan):
        return (clan,)
    return tuple(without_tool(clan, tool.number) for tool in clan.tools)

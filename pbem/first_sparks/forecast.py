"""What each clan would harvest next if nothing changed until then. Questions only."""

from collections.abc import Iterator
from typing import NamedTuple

from pbem.first_sparks.adjudicator import STEPS
from pbem.first_sparks.clans import tool_limit
from pbem.first_sparks.components import Card, Food
from pbem.first_sparks.rules import bureaucracy, buying, hunting
from pbem.first_sparks.state import Clan, GameState

_HUNTING = hunting.hunt_and_feed.__name__
# From the hunt on, the next harvest is that of the next round.
_NEXT_ROUND = STEPS[STEPS.index(_HUNTING) : STEPS.index(bureaucracy.reorder.__name__)]


class Outlook(NamedTuple):
    """A future harvest: the crops, the tokens by food, and their total worth."""

    crops: int
    tokens: tuple[tuple[Food, int], ...]
    worth: int


def next_harvests(state: GameState) -> dict[str, Outlook]:
    """Return what each clan would harvest next, by colour, in hunting order: later ones find what is left.

    A clan that has already hunted in this game round hunts next after the refill,
    in the player order of the next round.
    """
    return dict(_hunts(state))


def _hunts(state: GameState) -> Iterator[tuple[str, Outlook]]:
    """Yield each clan with its harvest, in order."""
    now = state.waiting[::-1] if state.step == _HUNTING else ()
    for colour in now:
        found, state = _hunted(state, colour)
        yield colour, found
    if state.step in _NEXT_ROUND:
        state = bureaucracy.refill(bureaucracy.reorder(state))
    for colour in state.order[::-1]:
        if colour not in now:
            found, state = _hunted(state, colour)
            yield colour, found


def _hunted(state: GameState, colour: str) -> tuple[Outlook, GameState]:
    """Return the clan's harvest, and the state after it."""
    clan, harvest = state.clan(colour), state.harvest
    crops, tokens = hunting.crops_harvested(state, clan), hunting.harvest_of(state.board, clan, harvest)
    for food, number in tokens:
        harvest = harvest.less(food, number)
    return Outlook(crops, tokens, hunting.harvest_value(crops, tokens)), state._replace(harvest=harvest)


def food_after_eating(clan: Clan, worth: int) -> int:
    """Return the food that a clan in phase 1 has after such a harvest; below 0, that many members starve."""
    return clan.food - buying.rotten_food(clan) + worth - clan.size


def worth_with(state: GameState, clan: Clan, card: Card) -> int:
    """Return the worth of the clan's next harvest with the card, and with the best tools that it may keep."""
    bought = buying.buy(state, clan.colour, card.number)
    return max(worth_of(bought, kept) for kept in _keeping(bought.clan(clan.colour)))


def worth_of(state: GameState, clan: Clan) -> int:
    """Return the worth of the next harvest for the clan in this form."""
    return next(found.worth for colour, found in _hunts(state.with_clan(clan)) if colour == clan.colour)


def without_tool(clan: Clan, number: int) -> Clan:
    """Return the clan without that tool."""
    return clan._replace(cards=tuple(card for card in clan.cards if card.number != number))


def _keeping(clan: Clan) -> tuple[Clan, ...]:
    if len(clan.tools) <= tool_limit(clan):
        return (clan,)
    return tuple(without_tool(clan, tool.number) for tool in clan.tools)

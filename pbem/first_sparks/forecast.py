"""What each clan would harvest next, and what it would be, if nothing changed until then. Questions only.

Nothing here depends on a clan's food, which may be hidden, but for ``food_after_eating``.
"""

from collections.abc import Iterator
from itertools import islice, repeat
from typing import Final, NamedTuple

from pbem.first_sparks.adjudicator import PREPARATION, STEPS
from pbem.first_sparks.cards import Market
from pbem.first_sparks.clans import tool_limit
from pbem.first_sparks.components import Card, Food
from pbem.first_sparks.land.groups import areas_touched
from pbem.first_sparks.market import draw, drawable, gap
from pbem.first_sparks.rules import bureaucracy, buying, hunting
from pbem.first_sparks.state import Clan, GameState

_HUNTING: Final = hunting.hunt_and_feed.__name__
# From the hunt on, the next harvest is that of the next round.
_NEXT_ROUND: Final = frozenset(STEPS[STEPS.index(_HUNTING) : STEPS.index(bureaucracy.reorder.__name__)])
_PREPARATION: Final = frozenset(step.__name__ for step in PREPARATION)


class Outlook(NamedTuple):
    """A future harvest: the crops, the tokens by food, and their total worth."""

    crops: int
    tokens: tuple[tuple[Food, int], ...]
    worth: int


class Prospect(NamedTuple):
    """The worth of a clan's next harvest, and of the one in the game round after that."""

    soon: int
    later: int


def next_harvests(state: GameState) -> dict[str, Outlook]:
    """Return what each clan would harvest next, by colour, in hunting order: later ones find what is left.

    A clan that has already hunted in this game round hunts next after the refill,
    in the player order of the next round.
    """
    harvests: dict[str, Outlook] = {}
    hunts = _hunts(state)
    while len(harvests) < len(state.clans):
        colour, found = next(hunts)
        harvests.setdefault(colour, found)
    return harvests


def _hunts(state: GameState, unasked: frozenset[str] = frozenset()) -> Iterator[tuple[str, Outlook]]:
    """Yield each clan with its harvest, in the order in which they hunt, in this game round and all later ones.

    The harvests of the clans *unasked* make no difference to the others, and are left out.
    """
    now = state.order[::-1]
    if state.step == _HUNTING:
        now = state.waiting[::-1]
    elif state.step in _NEXT_ROUND:
        now = ()
    elif state.step in _PREPARATION:
        now = bureaucracy.reorder(state).order[::-1]
    while True:
        for colour in now:
            if colour not in unasked:
                found, state = _hunted(state, colour)
                yield colour, found
        state = bureaucracy.refill(bureaucracy.reorder(state))
        now = state.order[::-1]


def _hunted(state: GameState, colour: str) -> tuple[Outlook, GameState]:
    """Return the clan's harvest, and the state after it."""
    clan, harvest = state.clan(colour), state.harvest
    crops, tokens = hunting.crops_harvested(state, clan), hunting.harvest_of(state.board, clan, harvest)
    for food, number in tokens:
        harvest = harvest.less(food, number)
    left = state._replace(harvest=harvest) if tokens else state
    return Outlook(crops, tokens, hunting.harvest_value(crops, tokens)), left


def food_after_eating(clan: Clan, worth: int) -> int:
    """Return the food that a clan has after its next harvest, if it buys nothing; below 0, that many members starve.

    Food rots before, so the clan is in phase 1, or its next harvest is that of the next round.
    """
    return clan.food - buying.rotten_food(clan) + worth - clan.size


def worth_with(state: GameState, clan: Clan, card: Card) -> int:
    """Return the worth of the clan's next harvest with the card, and with the best tools that it may keep."""
    bought = buying.buy(state, clan.colour, card.number)
    return max(worth_of(bought, kept) for kept, _ in _keeping(bought.clan(clan.colour)))


def worth_of(state: GameState, clan: Clan) -> int:
    """Return the worth of the next harvest for the clan in this form."""
    return next(_worths(state, clan))


def prospect(state: GameState, clan: Clan) -> Prospect:
    """Return the worth of the next two harvests for the clan in this form; sources run dry."""
    return Prospect(*islice(_worths(state, clan), 2))


def _worths(state: GameState, clan: Clan) -> Iterator[int]:
    """Yield the worth of every harvest to come for the clan in this form."""
    state, foods = state.with_clan(clan), _hunted_by(state, clan)
    if not foods:
        yield from repeat(hunting.crops_harvested(state, clan))
    unasked = frozenset(
        other.colour for other in state.clans if other.colour != clan.colour and not foods & _hunted_by(state, other)
    )
    for colour, found in _hunts(state, unasked):
        if colour == clan.colour:
            yield found.worth


def _hunted_by(state: GameState, clan: Clan) -> set[Food]:
    """Return the foods that the clan has a tool for, and a member next to an area of."""
    return {
        card.food
        for card in clan.cards
        if card.food is not None and areas_touched(state.board, clan.members, card.food)
    }


class Purchase(NamedTuple):
    """What buying a card leads to: the game and the clan then, its prospect, and the tool that it has to discard.

    That is the tool without which the clan harvests most, the lowest of several; None if it may keep all.
    """

    state: GameState
    clan: Clan
    prospect: Prospect
    discarded: Card | None


def purchase(state: GameState, clan: Clan, number: int) -> Purchase:
    """Return what it leads to if the clan buys the card of that number now."""
    bought = buying.buy(state, clan.colour, number)
    ways = (
        Purchase(bought.with_clan(kept), kept, prospect(bought, kept), discarded)
        for kept, discarded in _keeping(bought.clan(clan.colour))
    )
    return max(ways, key=lambda way: way.prospect)


def next_markets(state: GameState) -> Iterator[Market]:
    """Yield every market with which the next round may begin, by the card that is drawn before.

    The state is one of a placement round, or of a phase 3 in which every place of the market is filled.
    """
    if not state.round:
        yield buying.lay_crop(state).market
        return
    under = bureaucracy.put_highest_under(state)
    for way in [draw(under, drawn) for drawn in drawable(under.pile)] if gap(under) else [under]:
        yield buying.lay_crop(bureaucracy.remove_shuffle_card(way)).market


def next_place(state: GameState, clan: Clan) -> int:
    """Return the place of the clan, in this form, in the player order of the next game round; 1 is the first."""
    return 1 + bureaucracy.reorder(state.with_clan(clan)).order.index(clan.colour)


def without_tool(clan: Clan, number: int) -> Clan:
    """Return the clan without that tool."""
    return clan._replace(cards=tuple(card for card in clan.cards if card.number != number))


def _keeping(clan: Clan) -> tuple[tuple[Clan, Card | None], ...]:
    """Return the clan with the tools that it may keep, and the one that it then discards, for each way to do so."""
    if len(clan.tools) <= tool_limit(clan):
        return ((clan, None),)
    return tuple((without_tool(clan, tool.number), tool) for tool in clan.tools)

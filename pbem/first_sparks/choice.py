"""The legal choices of the clan that decides: moves, their orders, and their cost in food.

The words about them are in ``briefing.notes``.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple, assert_never

from pbem.first_sparks import phases
from pbem.first_sparks.adjudicator import choices
from pbem.first_sparks.forecast import worth_of
from pbem.first_sparks.market import food_at_hand
from pbem.first_sparks.moves import Add, Buy, Decline, Discard, Move, Pass, Spread, Starve, Stay, Take, spread_to
from pbem.first_sparks.rules import buying, hunting, spreading
from pbem.first_sparks.state import Clan, GameState
from pbem.quick import new

MOST_LISTED: Final = 12


class Choice(NamedTuple):
    """A legal move and its cost in the clan's own food; None if nothing is paid.

    *cheapest* is set for the ways to spread that a player looks for first: this one is the cheapest for that number
    of new members, or to that space.
    """

    move: Move
    cost: int | None = None
    cheapest: int | str | None = None

    @property
    def order(self) -> str:
        """The move as players write it."""
        return str(self.move)


_STAY: Final = Choice(Stay(), 0)
_PASS: Final = Choice(Pass())
_DISCARD: Final = Choice(Discard())


def _choice(move: Move, cost: int | None = None) -> Choice:
    return new(Choice, (move, cost, None))


def every_choice(state: GameState) -> Iterator[Choice]:
    """Yield every legal choice of the clan that decides; none if chance decides or the game is over.

    There are at most 924 ways to starve (6 of 12 members), 2955 to place
    neutral members, and some 20 000 to spread (measured).
    """
    match state.phase:
        case phases.Spreading(clan=colour):
            for spaces, cost in spreading.priced_spreads(state, state.clan(colour)):
                yield _choice(spread_to(spaces), cost)
        case phases.Adding(clan=colour):
            yield _STAY
            for space, cost in spreading.reach(state, state.clan(colour)):
                yield _choice(Add(space), cost)
        case phases.Offering(clan=colour):
            for offer in buying.offers(state, state.clan(colour)):
                yield _choice(offer, net_price(state, offer.card))
            yield _PASS
        case phases.Answering(card=number) as phase:
            for answer in buying.answers(state, phase):
                yes = isinstance(answer, Buy)
                yield _choice(Buy(number), net_price(state, number)) if yes else _choice(Decline(number))
        case phases.TakingOrDiscarding(card=number):
            yield _choice(Take(), net_price(state, number))
            yield _DISCARD
        case phases.Laying() | phases.SettlingNeutral() | phases.Settling():
            yield from map(_choice, choices(state))
        case phases.Dropping() | phases.Starving() | phases.SpreadingNeutral():
            yield from map(_choice, choices(state))
        case phases.DealingHerbs() | phases.DrawingTile() | phases.DrawingCard() | phases.Ended() | None:
            return
        case _ as unreachable:
            assert_never(unreachable)


def main_choices(state: GameState) -> Iterator[Choice]:
    """Yield the legal choices of the clan that decides; if there are very many, those that a player looks for first.

    For spreading these are: to stay, the cheapest way for every number of new
    members, and the cheapest to every space in reach; for starving, the ways that
    leave the best harvest.
    """
    phase = state.phase
    if isinstance(phase, phases.Spreading):
        yield from _main_spreads(state, state.clan(phase.clan))
    elif isinstance(phase, phases.Adding):
        from pbem.first_sparks.briefing.routes import routes

        for route in routes(state, state.clan(phase.clan), most=1):
            yield Choice(Add(route.space), route.cost.total)
        yield _STAY
    elif isinstance(phase, phases.Starving):
        yield from (Choice(move) for _, _, move in losses(state, phase)[:MOST_LISTED])
    else:
        yield from islice(every_choice(state), MOST_LISTED if isinstance(phase, phases.SpreadingNeutral) else None)


def net_price(state: GameState, number: int) -> int:
    """Return what the card costs of a clan's own food: the price, less the crop that lies on it."""
    card = state.components.cards[number]
    return card.price - food_at_hand(state, 0, card)


def losses(state: GameState, phase: phases.Starving) -> tuple[tuple[int, int, Starve], ...]:
    """Return every way to starve, best first: the worth of the next harvest, the members left, and the order."""
    clan = state.clan(phase.clan)
    found: list[tuple[int, int, Starve]] = []
    for move in hunting.starves(state, phase):
        left = clan._replace(members=tuple(space for space in clan.members if space not in move.spaces))
        found.append((worth_of(state, left), left.size, move))
    return tuple(sorted(found, key=lambda loss: (-loss[0], loss[2].spaces)))


def _main_spreads(state: GameState, clan: Clan) -> Iterator[Choice]:
    from pbem.first_sparks.briefing.routes import cheapest_spreads, routes

    yield _STAY
    told: set[tuple[str, ...]] = set()
    for spaces, cost in cheapest_spreads(state, clan):
        told.add(spaces)
        yield Choice(Spread(spaces), cost.total, len(spaces))
    for route in routes(state, clan):
        if tuple(sorted(route.spaces)) not in told:
            yield Choice(Spread(route.spaces), route.cost.total, route.space)

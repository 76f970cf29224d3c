"""The legal answers to the question now asked, each with its cost and what else there is to know.

Nobody but the clan that is asked reads them where they would tell its hidden food.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final, NamedTuple, assert_never

from pbem.first_sparks import phases
from pbem.first_sparks.adjudicator import choices, who_decides
from pbem.first_sparks.clans import tool_limit
from pbem.first_sparks.components import Card
from pbem.first_sparks.events import OfferDiscarded
from pbem.first_sparks.market import food_at_hand
from pbem.first_sparks.moves import Spread, Starve
from pbem.first_sparks.outlook import food_after_eating, without_tool, worth_of, worth_with
from pbem.first_sparks.routes import cheapest_spreads, routes
from pbem.first_sparks.rules import buying, hunting, spreading, two_players
from pbem.first_sparks.rules.spreading import Cost
from pbem.first_sparks.state import CHANCE, Clan, GameState
from pbem.first_sparks.texts import area_text, clans_text, counted, hides_food, tokens_text, unglued, use_text, who

MOST_TOLD: Final = 12


class Answer(NamedTuple):
    """A legal answer: the order to send, the food that it takes from the clan's own, and what else to know."""

    order: str
    cost: int | None = None
    note: str = ""


def options(state: GameState) -> list[dict[str, Any]]:
    """Return every legal answer as data: ``order``, ``cost`` in food (None where it has none) and ``note``.

    There are at most 924 ways to starve (6 of 12 members), 2955 to place
    neutral members, and some 20 000 to spread (measured). ``may_read`` tells who may see them.
    """
    return [{**answer._asdict(), "note": unglued(answer.note)} for answer in every_answer(state)]


def may_read(state: GameState, viewer: str | None) -> bool:
    """Return whether *viewer* reads the answers: the clan that is asked does, and everybody if it hides no food."""
    decides = who_decides(state)
    if decides in (None, CHANCE):
        return False
    return viewer == decides or (viewer is None and not hides_food(state, state.clan(decides), None))


def answers(state: GameState) -> Iterator[Answer]:
    """Yield the legal answers of the clan that decides, of very many those that a player looks for first.

    Of the ways to spread these are: to stay, the cheapest for every number of
    new members, and the cheapest to every space in reach; of the ways to starve
    those that leave the best harvest.
    """
    phase = state.phase
    if isinstance(phase, phases.Spreading):
        yield from _spreads(state, state.clan(phase.clan))
    else:
        few = isinstance(phase, phases.Starving | phases.SpreadingNeutral)
        yield from islice(every_answer(state), MOST_TOLD if few else None)


def every_answer(state: GameState) -> Iterator[Answer]:
    """Yield every legal answer of the clan that decides; nothing if chance does or the game is over."""
    match state.phase:
        case phases.Laying() | phases.SettlingNeutral() | phases.Settling() | phases.SpreadingNeutral():
            yield from (Answer(str(move)) for move in choices(state))
        case phases.Starving() as phase:
            yield from (Answer(str(move), None, _fed(left, worth)) for worth, left, move in losses(state, phase))
        case phases.Adding(clan=colour):
            yield from _additions(state, state.clan(colour))
        case phases.Offering(clan=colour):
            yield from _offers(state, state.clan(colour))
        case phases.Answering() as phase:
            yield from _yes_or_no(state, phase)
        case phases.TakingOrDiscarding() as phase:
            yield from _take_or_discard(state, phase)
        case phases.Dropping(clan=colour):
            yield from _drops(state, state.clan(colour))
        case phases.Spreading(clan=colour):
            yield from _every_spread(state, state.clan(colour))
        case phases.DealingHerbs() | phases.DrawingTile() | phases.DrawingCard() | phases.Ended() | None:
            pass
        case _ as unreachable:
            assert_never(unreachable)


def _additions(state: GameState, clan: Clan) -> Iterator[Answer]:
    for route in routes(state, clan, most=1):
        notes = (area_text(state, clan, route.space), *_extra(route.cost))
        yield Answer(f"add {route.space}", route.cost.total, "; ".join(notes))
    yield Answer("stay", 0, "add nobody")


def _extra(cost: Cost) -> Iterator[str]:
    """Yield what of the cost is more than the base: ``1 of it for a mountain``, ``2 of it for sharing``."""
    if cost.mountains:
        yield f"{cost.mountains} of it for {'a mountain' if cost.mountains == 1 else 'mountains'}"
    if cost.shared:
        yield f"{cost.shared} of it for sharing"


def _offers(state: GameState, clan: Clan) -> Iterator[Answer]:
    for move in buying.offers(state, clan):
        card = state.components.cards[move.card]
        note = f"{_gain(state, clan, card)}; {_rivals(state, clan, card)}"
        yield Answer(str(move), net_price(state, card), note)
    yield Answer("pass", None, "you buy nothing in this round, whatever is offered later")


def net_price(state: GameState, card: Card) -> int:
    """Return what the card takes from a clan's own food: the price, less the crop that lies on it."""
    return card.price - food_at_hand(state, 0, card)


def _gain(state: GameState, clan: Clan, card: Card) -> str:
    """Return what the card is, and what it would change for the clan."""
    notes = [f"{card.kind}: {use_text(state.components, card)}"]
    if state.market.crop == card.number:
        notes.append(f"price {card.price}, the crop on it pays 1")
    before, after = worth_of(state, clan), worth_with(state, clan, card)
    if after != before:
        notes.append(f"you would harvest {after}, not {before}")
    elif card.is_tool:
        notes.append(f"you would still harvest {before}")
    buyer = buying.buy(state, clan.colour, card.number).clan(clan.colour)
    left = food_after_eating(buyer, after)
    notes.append(f"{left} left after eating" if left >= 0 else f"{counted(-left, 'members')} would starve")
    if len(buyer.tools) > tool_limit(buyer):
        notes.append("you must discard a tool")
    return "; ".join(notes)


def _rivals(state: GameState, clan: Clan, card: Card) -> str:
    """Return who else could buy the card; of a clan that hides its food, only what everybody knows."""
    sure: list[str] = []
    perhaps: list[str] = []
    for other in (state.clan(colour) for colour in state.waiting if colour != clan.colour):
        if buying.is_asked(state, other, card.number):
            (perhaps if state.hides_food(other) else sure).append(other.colour)
    able = [*sure, *(f"perhaps {colour}" for colour in perhaps)]
    return f"can buy it too: {', '.join(able)}" if able else "nobody else can buy it"


def _yes_or_no(state: GameState, phase: phases.Answering) -> Iterator[Answer]:
    clan, card = state.clan(phase.clan), state.components.cards[phase.card]
    if buying.can_buy(state, clan, card.number):
        yield Answer(f"buy {card.number}", net_price(state, card), _gain(state, clan, card))
    yield Answer(f"decline {card.number}", None, _if_declined(state, phase))


def _if_declined(state: GameState, phase: phases.Answering) -> str:
    """Return what follows if the clan declines."""
    if phase.unasked:
        return f"{clans_text(state, phase.unasked)} will be asked"
    if phase.wanted_by:
        return f"{who(state, phase.wanted_by[-1])} buys it"
    if state.two_players and state.first_offer:
        return f"{who(state, phase.offerer)} takes it or puts it out of the game"
    return f"{who(state, phase.offerer)} must buy it"


def _take_or_discard(state: GameState, phase: phases.TakingOrDiscarding) -> Iterator[Answer]:
    card = state.components.cards[phase.card]
    yield Answer("take", net_price(state, card), _gain(state, state.clan(phase.clan), card))
    told = two_players.discard_offer(state, phase).events[-1]
    tokens = told.tokens if isinstance(told, OfferDiscarded) else ()
    gone = f", and {tokens_text(tokens)} with it" if tokens else ""
    yield Answer("discard", None, f"it leaves the game{gone}; then you offer again or pass")


def _drops(state: GameState, clan: Clan) -> Iterator[Answer]:
    now = worth_of(state, clan)
    for move in buying.drops(clan):
        card = state.components.cards[move.card]
        left = worth_of(state, without_tool(clan, move.card))
        yield Answer(
            str(move),
            None,
            f"{card.kind}: {use_text(state.components, card)}; then you would harvest {left}, not {now}",
        )


def losses(state: GameState, phase: phases.Starving) -> tuple[tuple[int, int, Starve], ...]:
    """Return every way to starve, best first: what the next harvest is worth then, the members left, and the order."""
    clan = state.clan(phase.clan)
    found: list[tuple[int, int, Starve]] = []
    for move in hunting.starves(state, phase):
        left = clan._replace(members=tuple(space for space in clan.members if space not in move.spaces))
        found.append((worth_of(state, left), left.size, move))
    return tuple(sorted(found, key=lambda loss: (-loss[0], loss[2].spaces)))


def _fed(members: int, worth: int) -> str:
    """Return what a clan of so many members would harvest and eat next."""
    return f"harvest {worth}, eat {members}"


def _spreads(state: GameState, clan: Clan) -> Iterator[Answer]:
    yield Answer("stay", 0, f"add nobody: {_fed(clan.size, worth_of(state, clan))}")
    told: set[tuple[str, ...]] = set()
    for spaces, cost in cheapest_spreads(state, clan):
        told.add(spaces)
        larger = clan.with_members(spaces)
        cheapest = ", ".join((f"cheapest for {len(spaces)}", *_extra(cost)))
        note = f"{cheapest}: {_fed(larger.size, worth_of(state, larger))}"
        yield Answer(str(Spread(spaces)), cost.total, note)
    for route in routes(state, clan):
        if tuple(sorted(route.spaces)) not in told:
            larger = clan.with_members(route.spaces)
            note = f"cheapest to {route.space} ({area_text(state, clan, route.space)}): "
            note += _fed(larger.size, worth_of(state, larger))
            yield Answer(str(Spread(route.spaces)), route.cost.total, note)


def _every_spread(state: GameState, clan: Clan) -> Iterator[Answer]:
    """Yield what ``_spreads`` does with its notes, then all other ways to spread, the fewest new members first."""
    told: set[frozenset[str]] = set()
    for answer in _spreads(state, clan):
        told.add(frozenset(answer.order.split()))
        yield answer
    for spaces in spreading.spreads(state, clan):
        cost = spreading.spreading_cost(state, clan, spaces)
        if cost and spaces and frozenset(("spread", *spaces)) not in told:
            yield Answer(str(Spread(spaces)), cost.total)

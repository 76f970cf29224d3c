"""What a plan answers to an open question, as a pure function: the move, or None to ask the player, and why.

An answer depends on the plan, the rules that hold always, the question, what everybody knows, and the clan's own
food. ``known_to`` takes everything else out of the state before it is asked.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, assert_never

from pbem.first_sparks import phases
from pbem.first_sparks.adjudicator import choices, violations, who_decides
from pbem.first_sparks.cards import Pile
from pbem.first_sparks.forecast import without_tool, worth_of
from pbem.first_sparks.moves import (
    Add,
    Buy,
    Decline,
    Discard,
    Drop,
    Move,
    Offer,
    Pass,
    Settle,
    SettleNeutral,
    Spread,
    SpreadNeutral,
    Stay,
    Take,
)
from pbem.first_sparks.plans.plan import (
    LEAST,
    NOBODY,
    SOMEBODY,
    Acceptance,
    Always,
    Placing,
    Plan,
    Planned,
    Why,
    Wish,
    holds_for_placement,
    holds_for_spreading,
    holds_for_technology,
)
from pbem.first_sparks.play import DrawSource, played
from pbem.first_sparks.record import History, Record
from pbem.first_sparks.rules import buying, spreading
from pbem.first_sparks.state import CHANCE, Clan, GameState

Plans = Mapping[str, tuple[Plan | None, Always | None]]  # by colour
_SILENT: Final = Planned(None, Why("silent"))


def known_to(state: GameState, colour: str) -> GameState:
    """Return the state without what the clan cannot know: the draw pile, and the food that others hide."""
    clans = tuple(
        clan.with_food(0) if clan.colour != colour and state.hides_food(clan) else clan for clan in state.clans
    )
    return state._replace(clans=clans, pile=Pile(), draws=0, events=())


def answer(plan: Plan | None, always: Always | None, state: GameState) -> Planned:
    """Return what the clan that decides has planned to answer; the move is None if its player must be asked.

    A *plan* of another clan, or one that is over, says nothing. A move is always legal. The question must not be one
    of chance, nor the game over.
    """
    colour = who_decides(state)
    assert colour is not None
    assert colour != CHANCE
    seen = known_to(state, colour)
    planned = _by_plan(plan, seen) if plan is not None and plan.colour == colour else _SILENT
    if planned.move is None and always is not None and not _asks(plan, planned):
        planned = _by_rule(always, seen, colour) or planned
    if planned.move is not None and any(violations(seen, planned.move)):
        return Planned(None, planned.why._replace(because="illegal"))
    return planned


def played_on(record: Record, plans: Plans, draw: DrawSource | None) -> tuple[Record, History, tuple[int, ...]]:
    """Return the record after the answers that *plans* give, until a player must be asked; what happened; the turns.

    Each is played as if its owner had sent it. After an agreement to end the game nothing is played, since any move
    would cancel the agreement.
    """
    history: History = ()
    turns: tuple[int, ...] = ()
    while (colour := who_decides(record.state)) in plans and colour is not None and not record.state.agreed:
        move = answer(*plans[colour], record.state).move
        if move is None:
            break
        record, steps = played(record, colour, move, draw)
        history += steps
        turns += (steps[0][0].turn,)
    return record, history, turns


def stands_for(wish: Wish, plan: Plan, state: GameState) -> int:
    """Return the card of the current market that a wish stands for: of a class the highest; 0 if none can be bought."""
    clan, cards = state.clan(plan.colour), state.components.cards
    for number in reversed(state.market.current):
        if wish.fits(cards[number]) and buying.can_buy(state, clan, number) and not declines(plan, state, number):
            return number
    return 0


def declines(plan: Plan | Always, state: GameState, number: int) -> bool:
    """Return whether the card is one of those to decline before all else."""
    return any(wish.fits(state.components.cards[number]) for wish in plan.declines)


def _asks(plan: Plan | None, planned: Planned) -> bool:
    """Return whether the player has said in so many words that a new card is asked about."""
    return plan is not None and plan.new == "ask" and planned.why.because == "new"


def _by_rule(always: Always, state: GameState, colour: str) -> Planned | None:
    phase = state.phase
    if isinstance(phase, phases.Answering) and declines(always, state, phase.card):
        return Planned(Decline(), Why("declined", phase.card, always=True))
    if isinstance(phase, phases.Dropping) and always.least:
        number = least(state, state.clan(colour))
        return Planned(Drop(number), Why("least", number, always=True))
    return None


def _by_plan(plan: Plan, state: GameState) -> Planned:
    match state.phase:
        case phases.Answering() | phases.Offering() | phases.TakingOrDiscarding() | phases.Dropping() as phase:
            return _in_technology(plan, state, phase) if holds_for_technology(plan, state) else _SILENT
        case phases.Spreading() | phases.SpreadingNeutral() as phase:
            return _spread(plan, state, phase) if holds_for_spreading(plan, state) else _SILENT
        case phases.Settling() | phases.SettlingNeutral() | phases.Adding() as phase:
            return _place(plan, state, phase) if holds_for_placement(plan, state) else _SILENT
        case phases.Laying() | phases.Starving():
            return _SILENT
        case phases.DealingHerbs() | phases.DrawingTile() | phases.DrawingCard() | phases.Ended() | None:
            return _SILENT
        case _ as unreachable:
            assert_never(unreachable)


def _in_technology(
    plan: Plan,
    state: GameState,
    phase: phases.Answering | phases.Offering | phases.TakingOrDiscarding | phases.Dropping,
) -> Planned:
    match phase:
        case phases.Answering():
            return _if_offered(plan, state, phase)
        case phases.Offering():
            return _own_turn(plan, state)
        case phases.TakingOrDiscarding(card=number):
            if not plan.take:
                return _SILENT
            return Planned(Take() if plan.take == "take" else Discard(), Why("named", number))
        case phases.Dropping():
            return _drop(plan, state) if plan.drop else _SILENT
        case _ as unreachable:
            assert_never(unreachable)


def _if_offered(plan: Plan, state: GameState, phase: phases.Answering) -> Planned:
    """Return the answer to an offer: what is said of this card, then the ranking, then what is said of the others."""
    number = phase.card
    card = state.components.cards[number]
    if not plan.speaks_of_cards:
        return _SILENT
    if not buying.can_buy(state, state.clan(plan.colour), number):
        return Planned(Decline(), Why("cannot", number))
    if declines(plan, state, number):
        return Planned(Decline(), Why("declined", number))
    purchases = [purchase for purchase in plan.buys if purchase.wish.fits(card)]
    if purchases:
        if any(_is_met(purchase, phase) for purchase in purchases):
            return Planned(Buy(), Why("bought", number))
        return Planned(Decline(), Why("condition", number))
    if any(wish.fits(card) for wish in plan.ranking):
        best = next(found for wish in plan.ranking if (found := stands_for(wish, plan, state)))
        if best == number:
            return Planned(Buy(), Why("best", number))
        return Planned(Decline(), Why("better", number, best))
    if any(wish.fits(card) for wish in plan.offers):
        return Planned(None, Why("bait", number))
    return _unnamed(plan, number)


def _unnamed(plan: Plan, number: int) -> Planned:
    """Return the answer about a card that is in no wish."""
    if number in plan.known:
        if plan.passes:
            return Planned(Decline(), Why("passes", number))
        return Planned(Decline(), Why("unwanted", number)) if plan.wants else Planned(None, Why("silent", number))
    if plan.new == "decline" or (plan.passes and not plan.new):
        return Planned(Decline(), Why("passes" if plan.passes else "new", number))
    return Planned(None, Why("new", number))


def _is_met(purchase: Acceptance, phase: phases.Answering) -> bool:
    """Return whether the others have answered as the condition says; only who has said yes before counts."""
    match purchase.wanted_by:
        case "":
            return True
        case wanted if wanted == NOBODY:
            return not phase.wanted_by
        case wanted if wanted == SOMEBODY:
            return bool(phase.wanted_by)
        case colour:
            return colour in phase.wanted_by


def _own_turn(plan: Plan, state: GameState) -> Planned:
    """Return the offer: the first of the list that can be bought, or what the plan says when nothing can be."""
    if not plan.speaks_of_cards:
        return _SILENT
    if plan.passes:
        return Planned(Pass(), Why("passes"))
    for wish in own_turn_list(plan):
        number = stands_for(wish, plan, state)
        if number:
            return Planned(Offer(number), Why("offered", number))
    if not any(isinstance(move, Offer) for move in choices(state)):
        return Planned(Pass(), Why("only"))
    return Planned(Pass() if plan.otherwise == "pass" else None, Why("nothing"))


def own_turn_list(plan: Plan) -> Iterator[Wish]:
    """Yield what is offered, the best first: the ranking, or what comes instead of it; then what is always bought."""
    first = plan.offers or plan.ranking
    yield from first
    yield from (bought.wish for bought in plan.buys if not bought.wanted_by and bought.wish not in first)


def _drop(plan: Plan, state: GameState) -> Planned:
    clan = state.clan(plan.colour)
    if plan.drop == LEAST:
        number = least(state, clan)
        return Planned(Drop(number), Why("least", number))
    number = int(plan.drop)
    is_there = any(tool.number == number for tool in clan.tools)
    return Planned(Drop(number) if is_there else None, Why("named" if is_there else "missing", number))


def least(state: GameState, clan: Clan) -> int:
    """Return the tool without which the next harvest is worth most, of equals the lowest number."""
    return max(clan.tools, key=lambda tool: (worth_of(state, without_tool(clan, tool.number)), -tool.number)).number


def _spread(plan: Plan, state: GameState, phase: phases.Spreading | phases.SpreadingNeutral) -> Planned:
    match phase:
        case phases.Spreading():
            if plan.spread is None:
                return Planned(Stay(), Why("named")) if plan.stay else _SILENT
            why = _not_now(state, plan.colour, plan.spread.spaces, plan.spread.most)
            if why is None:
                return Planned(Spread(plan.spread.spaces), Why("named"))
            return Planned(Stay() if plan.spread.stay else None, why)
        case phases.SpreadingNeutral():
            return _first_legal(state, [SpreadNeutral(plan.spread_neutral)]) if plan.spread_neutral else _SILENT
        case _ as unreachable:
            assert_never(unreachable)


def _place(plan: Plan, state: GameState, phase: phases.Settling | phases.SettlingNeutral | phases.Adding) -> Planned:
    match phase:
        case phases.Settling():
            return _first_legal(state, map(Settle, plan.settle)) if plan.settle else _SILENT
        case phases.SettlingNeutral():
            return _first_legal(state, map(SettleNeutral, plan.settle_neutral)) if plan.settle_neutral else _SILENT
        case phases.Adding():
            return _add(plan, plan.add, state) if plan.add else Planned(Stay(), Why("named")) if plan.stay else _SILENT
        case _ as unreachable:
            assert_never(unreachable)


def _add(plan: Plan, placing: Placing, state: GameState) -> Planned:
    why = Why("illegal")
    for space in placing.spaces:
        reason = _not_now(state, plan.colour, (space,), placing.most)
        if reason is None:
            return Planned(Add(space), Why("named"))
        why = reason if reason.because == "dear" else why
    return Planned(Stay() if placing.stay else None, why)


def _not_now(state: GameState, colour: str, spaces: tuple[str, ...], most: int | None) -> Why | None:
    """Return why the clan does not place these members now, None if it can and wants to pay that much."""
    clan = state.clan(colour)
    if any(spreading.spread_violations(state, clan, spaces)):
        return Why("illegal")
    cost = spreading.spreading_cost(state, clan, spaces)
    assert cost is not None
    return Why("dear", cost=cost.total) if most is not None and cost.total > most else None


def _first_legal(state: GameState, ranking: Iterable[Move]) -> Planned:
    move = next((move for move in ranking if not any(violations(state, move))), None)
    return Planned(move, Why("illegal" if move is None else "named"))

"""What the bot would plan for a player: the lines of a plan, as a person would write them.

The plan goes with the bot's answer to the open question, if that is asked of the same clan: its spreading, then what
it wants in the market of the next round. The others are taken to spread as the bot would.
"""

from itertools import takewhile
from typing import Final, Literal

from pbem.first_sparks import moves, phases
from pbem.first_sparks.bot import cards, spaces
from pbem.first_sparks.bot.decide import decide
from pbem.first_sparks.bot.prospect import food_known
from pbem.first_sparks.bot.tuning import DEFAULT, Tuning
from pbem.first_sparks.clans import tool_limit
from pbem.first_sparks.decisions import who_decides
from pbem.first_sparks.forecast import next_markets
from pbem.first_sparks.plans.answer import known_to
from pbem.first_sparks.plans.plan import (
    LEAST,
    TECHNOLOGY,
    Acceptance,
    Placing,
    Plan,
    Wish,
    on_the_table,
    placement_runs,
    spreading_runs,
)
from pbem.first_sparks.plans.write import write
from pbem.first_sparks.rules import bureaucracy, buying, game_end, placement, spreading
from pbem.first_sparks.state import Clan, GameState

_ADDING: Final = placement.add_second.__name__
_MOST_WISHES: Final = 9  # cards in a ranking: more than anybody would compare
# Worths, of which 4 are a member: below the first a card is doubtful; what changes by the second is asked about.
_DOUBT: Final = 0.5
_CHANGE: Final = 4.0
_MOST_DEARER: Final = 2  # food that new members may cost more than today


def suggest(state: GameState, colour: str, seed: str = "", tuning: Tuning = DEFAULT) -> tuple[str, ...]:
    """Return the lines of the plan that the bot would write now for the clan, in normal form; none if none is of use.

    It depends on nothing but what is public, the clan's own food, and *seed*, as ``decide`` does. The plan of a
    clan that is asked now is for what comes after the bot's answer.
    """
    over = isinstance(state.phase, phases.Ended) or game_end.ending_clans(state)
    if over or state.clan(colour).resigned:
        return ()
    known = _known(state, colour)
    plan = Plan(colour, on_the_table(state), state.round, state.round)
    if placement_runs(known):
        known, plan = _placed(known, plan, seed, tuning)
        return write(_of_cards(_next_round(known), plan, tuning))
    if spreading_runs(known):
        known, plan = _spread(known, plan, seed, tuning)
        if game_end.ending_clans(known):
            return write(plan)
        return write(_of_cards(_next_round(_others_spread(known, seed, tuning)), plan, tuning))
    if state.step == TECHNOLOGY and colour in state.waiting and not _is_out(known, colour, seed, tuning):
        return write(_of_cards(known, plan, tuning))
    return ()


def _known(state: GameState, colour: str) -> GameState:
    """Return what the clan knows, with the food that others may have if they hide it; the pile as a set is public."""
    seen = known_to(state, colour)
    for clan in state.clans:
        seen = seen._replace(clans=seen.clans_with(clan.with_food(food_known(state, clan, colour))))
    return seen._replace(pile=state.pile)


def _is_out(state: GameState, colour: str, seed: str, tuning: Tuning) -> bool:
    """Return whether the clan has nothing left to answer in this technology phase, once the bot has answered for it."""
    phase = state.phase
    if isinstance(phase, phases.Offering) and phase.clan == colour:
        return isinstance(decide(state, colour, seed, tuning), moves.Pass)
    if isinstance(phase, phases.Answering) and phase.clan == colour and not phase.unasked:
        return isinstance(decide(state, colour, seed, tuning), moves.Buy)
    return False


# Spaces


def _placed(state: GameState, plan: Plan, seed: str, tuning: Tuning) -> tuple[GameState, Plan]:
    """Return the state with the clan's members of the placement round, and the plan with those not asked about yet."""
    colour = plan.colour
    if isinstance(state.phase, phases.SettlingNeutral):
        if state.phase.clan == colour:
            answer = decide(state, colour, seed, tuning)
            assert isinstance(answer, moves.SettleNeutral)
            state = state._replace(neutral=(answer.space,))
        state = state._replace(phase=None)
    if not state.clan(colour).size:
        ranking = _ranking_of_spaces(state, colour, tuning)
        if who_decides(state) != colour:
            plan = plan._replace(settle=ranking)
        state = _with_members(state, colour, ranking[:1], 0)
        # Those who settle later are in nobody's way yet.
    adds = state.step != _ADDING or colour in (*state.waiting, getattr(state.phase, "clan", ""))
    if not adds:
        return state, plan
    asked = state._replace(phase=phases.Adding(colour), step=_ADDING)
    stays = spaces.worth_spreading(asked, colour, (), 0, None, tuning)
    reach = spreading.reach(asked, asked.clan(colour))
    worths = {space: spaces.worth_spreading(asked, colour, (space,), cost, None, tuning) for space, cost in reach}
    ranked = sorted((space for space, worth in worths.items() if worth > stays), key=lambda space: -worths[space])
    costs = dict(reach)
    if who_decides(state) != colour:
        most = max((costs[space] for space in ranked[:3]), default=0)
        add = Placing(tuple(ranked[:3]), most + 1, stay=True)
        plan = plan._replace(add=add) if ranked else plan._replace(stay=True)
    return _with_members(state, colour, tuple(ranked[:1]), costs[ranked[0]] if ranked else 0), plan


def _ranking_of_spaces(state: GameState, colour: str, tuning: Tuning) -> tuple[str, ...]:
    """Return where to begin: the best space of each hunting area, for as many as others may take before."""
    before = (*state.waiting, getattr(state.phase, "clan", colour))
    free = sorted(
        placement.settles(state, colour), key=lambda space: -spaces.worth_settling(state, colour, space, tuning)
    )
    best: dict[str, str] = {}
    for space in free:
        best.setdefault(space[:2], space)
    return tuple(best.values())[: len(before)]


def _spread(state: GameState, plan: Plan, seed: str, tuning: Tuning) -> tuple[GameState, Plan]:
    """Return the state after the clan has spread, and the plan with that if it is not asked yet.

    Those before it are taken to spread as the bot would; if it then had no food left to grow, the spaces and costs of
    today count, and it is asked again when they have changed.
    """
    colour, phase = plan.colour, state.phase
    asked = str(getattr(phase, "clan", ""))
    waiting = (*state.waiting, asked)
    if isinstance(phase, phases.SpreadingNeutral):
        new = spaces.neutral_spaces(state, asked, phase.new)
        state = state._replace(neutral=tuple(sorted((*(state.neutral or ()), *new))))
        waiting = state.order_in_play
    today = then = state._replace(phase=None, waiting=waiting)
    if colour not in waiting:
        return today, plan
    while then.waiting[-1] != colour:
        then = _spread_by_bot(then, then.waiting[-1], seed, tuning)[0]
    after, chosen, cost = _spread_by_bot(then, colour, seed, tuning)
    if asked == colour and isinstance(phase, phases.Spreading):
        return after, plan
    if chosen:
        return after, plan._replace(spread=Placing(chosen, _most_for(then, colour, chosen, cost, tuning)))
    _, chosen, cost = _spread_by_bot(today, colour, seed, tuning)
    return after, plan._replace(spread=Placing(chosen, cost)) if chosen else plan._replace(stay=True)


def _most_for(state: GameState, colour: str, chosen: tuple[str, ...], cost: int, tuning: Tuning) -> int:
    """Return up to which cost, a little more than that, the spaces are as good a choice as to be asked again."""
    waiting = tuple(other for other in state.waiting if other != colour)
    now, *dearer = (
        spaces.worth_spreading(state, colour, chosen, cost + more, waiting, tuning)
        for more in range(min(_MOST_DEARER, state.clan(colour).food - cost) + 1)
    )
    least = max(now - _CHANGE, spaces.worth_spreading(state, colour, (), 0, waiting, tuning))
    return cost + sum(1 for _ in takewhile(lambda worth: worth > least, dearer))


def _spread_by_bot(state: GameState, colour: str, seed: str, tuning: Tuning) -> tuple[GameState, tuple[str, ...], int]:
    """Return the state after the clan has spread as if it were asked now, its new spaces, and their cost."""
    waiting = state.waiting[: state.waiting.index(colour)]
    step = spreading.spread.__name__
    asked = state._replace(phase=phases.Spreading(colour), step=step, waiting=waiting)
    answer = decide(asked, colour, seed, tuning)
    chosen = answer.spaces if isinstance(answer, moves.Spread) else ()
    cost = spreading.spreading_cost(asked, asked.clan(colour), chosen)
    paid = cost.total if cost and chosen else 0
    left = tuple(other for other in state.waiting if other != colour)
    return _with_members(state._replace(waiting=left), colour, chosen, paid), chosen, paid


def _others_spread(state: GameState, seed: str, tuning: Tuning) -> GameState:
    """Return the state after all who wait have spread as the bot would."""
    for other in reversed(state.waiting):
        state = _spread_by_bot(state, other, seed, tuning)[0]
    return state


def _with_members(state: GameState, colour: str, new: tuple[str, ...], cost: int) -> GameState:
    clan = state.clan(colour)
    return state._replace(clans=state.clans_with(clan.with_members(new).with_food(clan.food - cost)))


# Cards


def _next_round(state: GameState) -> GameState:
    """Return the game as it may be when the next technology phase begins, with the cards certain to lie there."""
    markets = tuple(next_markets(state))
    first, *others = (set(market.cards) for market in markets)
    certain = first.intersection(*others)
    crops = {market.crop for market in markets}
    market = markets[0]._replace(cards=tuple(sorted(certain)), crop=crops.pop() if len(crops) == 1 else None)
    after = bureaucracy.reorder(state)
    if state.round:
        after = bureaucracy.refill(after)
    return after._replace(
        round=state.round + 1, step=TECHNOLOGY, market=market, waiting=after.order_in_play, phase=None, first_offer=True
    )


def _of_cards(state: GameState, plan: Plan, tuning: Tuning) -> Plan:
    """Return the plan with what the clan wants in this technology phase."""
    colour = plan.colour
    clan, pile = state.clan(colour), state.pile
    perhaps = dict.fromkeys((*state.market.cards, *(pile.top or pile.unseen or pile.under)))
    able = [number for number in perhaps if buying.can_buy(state, clan, number)]
    nothing = cards.worth_having(state, colour, None, None, tuning)
    worths = {number: cards.worth_having(state, colour, number, None, tuning) for number in able}
    wanted = sorted((n for n in able if worths[n] > nothing), key=lambda number: (-worths[number], number))
    plan = plan._replace(market=state.round)
    if not wanted:
        return plan._replace(passes=True)
    wanted = wanted[:_MOST_WISHES]
    buys = tuple(Acceptance(Wish(number)) for number in wanted[1:] if _is_bought(state, colour, number, tuning))
    doubtful = any(nothing - _DOUBT < worths[number] <= nothing for number in able)
    end: Literal["ask", "pass"] = "ask" if doubtful else "pass"
    ranking = _without_tail(tuple(map(Wish, wanted)), buys)
    plan = plan._replace(ranking=ranking, otherwise=end, buys=buys, new="decline")
    if len(clan.tools) >= tool_limit(clan):
        plan = plan._replace(drop=_drop(state, clan, wanted, tuning))
    if state.two_players and state.order[0] == colour and state.first_offer:
        plan = plan._replace(take=_take(state, colour, wanted[0], tuning))
    return plan


def _without_tail(ranking: tuple[Wish, ...], buys: tuple[Acceptance, ...]) -> tuple[Wish, ...]:
    """Return the ranking without the last cards in it that are bought in any case: these are offered after it anyway.

    Any other card of the ranking says which cards are declined while that one can be bought.
    """
    bought = {purchase.wish for purchase in buys}
    while ranking and ranking[-1] in bought:
        ranking = ranking[:-1]
    return ranking


def _is_bought(state: GameState, colour: str, number: int, tuning: Tuning) -> bool:
    """Return whether the bot would say yes to the card with all that it wants more still in the market."""
    others = [other for other in state.waiting if other != colour]
    if not others:
        return False
    lying = state.market.cards if number in state.market.cards else tuple(sorted((*state.market.cards, number)))
    later = state.order[state.order.index(colour) + 1 :]
    phase = phases.Answering(colour, others[0], number, (), tuple(other for other in others if other in later))
    asked = state._replace(market=state.market._replace(cards=lying), phase=phase)
    return isinstance(decide(asked, colour, "", tuning), moves.Buy)


def _drop(state: GameState, clan: Clan, wanted: list[int], tuning: Tuning) -> int | Literal["least"]:
    """Return which of its tools the clan discards for the best of the tools that it wants, ``least`` for none.

    ``least`` may be the tool that was just bought, with which a clan often harvests only after it has spread.
    """
    for number in wanted:
        card = state.components.cards[number]
        if card.is_tool:
            larger = clan.with_card(card).with_food(clan.food - card.price)
            after = state._replace(clans=state.clans_with(larger))
            kept = {tool.number: cards.worth_dropping(after, clan.colour, tool.number, tuning) for tool in larger.tools}
            found = max(kept, key=lambda dropped: (kept[dropped], -dropped))
            if found != number:
                return found
    return LEAST


def _take(state: GameState, colour: str, number: int, tuning: Tuning) -> Literal["take", "discard"]:
    """Return whether the bot would take the card that it offers first when the other of two players declines it."""
    if number not in state.market.cards:
        return "take"
    asked = state._replace(phase=phases.TakingOrDiscarding(colour, number))
    return "take" if isinstance(decide(asked, colour, "", tuning), moves.Take) else "discard"

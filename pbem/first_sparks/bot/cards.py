"""What cards are worth to a clan, and with that its decisions in phase 1."""

from math import fsum

from pbem.first_sparks.adjudicator import STEPS
from pbem.first_sparks.bot.hardship import hardship
from pbem.first_sparks.bot.outlook import outlook, taken_before
from pbem.first_sparks.bot.prospect import food_known
from pbem.first_sparks.bot.tuning import Tuning
from pbem.first_sparks.clans import tool_limit
from pbem.first_sparks.forecast import without_tool
from pbem.first_sparks.market import food_at_hand, without
from pbem.first_sparks.phases import Answering, Spreading, TakingOrDiscarding
from pbem.first_sparks.rules import buying, hunting, spreading, two_players
from pbem.first_sparks.state import Clan, GameState

_HUNTING = STEPS.index(hunting.hunt_and_feed.__name__)
_SPREADING = STEPS.index(spreading.spread.__name__)


def ranking(state: GameState, colour: str, tuning: Tuning) -> tuple[tuple[int, float], ...]:
    """Return the cards of the market that the clan could use with their worth; see ``decide.worths``."""
    clan, usable = state.clan(colour), state.components.cards
    nothing = _now(state, colour, tuning)
    found = [
        (number, max(_now(_owning(state, kept), colour, tuning) for kept in _kept(_bought(state, clan, number))))
        for number in state.market.cards
        if not buying.knows_already(clan, usable[number])
    ]
    weight = fsum(tuning.path)
    rows = [(number, round((worth - nothing) / weight, 2)) for number, worth in found]
    return tuple(sorted(rows, key=lambda row: (-row[1], row[0])))


def worth_having(
    state: GameState, colour: str, number: int | None, taken: tuple[str, int] | None, tuning: Tuning
) -> float:
    """Return the outlook of the clan once it has bought the card, or nothing.

    *taken* is the card that another clan has bought meanwhile, by colour and number.
    """
    still_buying = tuple(other for other in state.waiting if other != colour)
    if taken is not None:
        buyer, card = state.clan(taken[0]), state.components.cards[taken[1]]
        left = max(0, food_known(state, buyer, colour) - card.price)
        state = _owning(state, _kept(buyer.with_card(card).with_food(left))[0])
        state = state._replace(market=without(state.market, card.number))
        still_buying = tuple(other for other in still_buying if other != taken[0])
    members = state.clan(colour).size
    if number is None:
        numbers, rivals = state.market.cards, len(still_buying)
        lacking = hardship(state, colour, numbers, members=members, hunted=False, rivals=rivals)
        return outlook(state, colour, still_buying, None, tuning) - tuning.hardship * lacking
    owning = [_owning(state, kept) for kept in _kept(_bought(state, state.clan(colour), number))]
    return max(
        outlook(after, colour, still_buying, None, tuning)
        - tuning.hardship * hardship(after, colour, (), members=members, hunted=False)
        for after in owning
    )


def worth_declining(state: GameState, phase: Answering, tuning: Tuning) -> float:
    """Return the outlook of a clan that lets the offered card go, and may get another one later in the phase.

    Of two clans that want a card the later one in player order gets it.
    """
    colour = phase.clan
    taken = (phase.wanted_by[-1] if phase.wanted_by else phase.offerer, phase.card)
    nothing = worth_having(state, colour, None, taken, tuning)
    later = state.order[state.order.index(colour) + 1 :]
    rivals = [other for other in state.waiting if other in later and other != taken[0]]
    gone = [phase.card, *taken_before(state._replace(market=without(state.market, phase.card)), colour, rivals, tuning)]
    others = [number for number in payable(state, state.clan(colour)) if number not in gone]
    best = max((worth_having(state, colour, number, taken, tuning) for number in others), default=nothing)
    return nothing + tuning.chance ** len(rivals) * max(0.0, best - nothing)


def worth_discarding(state: GameState, phase: TakingOrDiscarding, tuning: Tuning) -> float:
    """Return the outlook of the first of two players after it has discarded its offer: it may offer another card."""
    after = two_players.discard_offer(state, phase)
    others = (None, *payable(after, after.clan(phase.clan)))
    return max(worth_having(after, phase.clan, number, None, tuning) for number in others)


def worth_dropping(state: GameState, colour: str, number: int, tuning: Tuning) -> float:
    """Return the outlook of the clan without one of its tools."""
    after = _owning(state, without_tool(state.clan(colour), number))
    return outlook(after, colour, state.waiting, None, tuning)


def feeding(state: GameState, colour: str) -> int:
    """Return how many cards of the current market would surely feed a small clan that bought them now."""
    clan = state.clan(colour)
    owning = [_owning(state, _bought(state, clan, number)) for number in payable(state, clan)]
    return sum(not hardship(after, colour, (), members=clan.size, hunted=False) for after in owning)


def payable(state: GameState, clan: Clan) -> tuple[int, ...]:
    """Return the cards of the current market that the clan can pay and use."""
    return tuple(number for number in state.market.current if buying.can_buy(state, clan, number))


def _now(state: GameState, colour: str, tuning: Tuning) -> float:
    """Return the outlook in any phase: before the hunt with all that may still buy, after it with those that spread."""
    step = STEPS.index(state.step)
    if step < _HUNTING:
        still_buying = tuple(other for other in state.waiting if other != colour)
        return outlook(state, colour, still_buying, None, tuning)
    asked = (state.phase.clan,) if isinstance(state.phase, Spreading) else ()
    return outlook(state, colour, (), (*state.waiting, *asked) if step <= _SPREADING else (), tuning)


def ahead(state: GameState, colour: str, tuning: Tuning) -> float:
    """Return the outlook in any phase if all clans go on, this one among them: before the hunt it may still buy."""
    if STEPS.index(state.step) < _HUNTING:
        return outlook(state, colour, state.waiting if state.round else state.order, None, tuning)
    return _now(state, colour, tuning)


def _owning(state: GameState, clan: Clan) -> GameState:
    """Return the state with that clan changed."""
    return state._replace(clans=state.clans_with(clan))


def _bought(state: GameState, clan: Clan, number: int) -> Clan:
    """Return the clan after it has bought the card; it may have a tool too many, and less than no food."""
    card = state.components.cards[number]
    return clan.with_food(food_at_hand(state, clan.food, card) - card.price).with_card(card)


def _kept(clan: Clan) -> tuple[Clan, ...]:
    """Return the clan with every selection of tools that it may keep."""
    if len(clan.tools) <= tool_limit(clan):
        return (clan,)
    return tuple(without_tool(clan, tool.number) for tool in clan.tools)

"""Notes on a legal choice, in addition to its cost; they are only made on request.

Only the clan that is asked reads notes that would reveal its hidden food.
"""

from collections.abc import Iterator
from typing import Any, assert_never

from pbem.first_sparks import phases
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.briefing.ahead import ending, place, would_end
from pbem.first_sparks.briefing.words import area_text, card_text, clans_text, counted, tokens_text, use_text, who
from pbem.first_sparks.choice import Choice, every_choice, losses, main_choices
from pbem.first_sparks.components import Card
from pbem.first_sparks.events import OfferDiscarded
from pbem.first_sparks.forecast import Prospect, food_after_eating, prospect, purchase, without_tool
from pbem.first_sparks.moves import (
    Add,
    AgreeEnd,
    Buy,
    Decline,
    Discard,
    Draw,
    Drop,
    Lay,
    Offer,
    Pass,
    Resign,
    Settle,
    SettleNeutral,
    Spread,
    SpreadNeutral,
    Starve,
    Stay,
    Take,
)
from pbem.first_sparks.rules import buying, spreading, two_players
from pbem.first_sparks.rules.spreading import Cost
from pbem.first_sparks.state import Clan, GameState
from pbem.grammar import listed, plural
from pbem.page.glue import unglued


def options(state: GameState) -> list[dict[str, Any]]:
    """Return every legal choice as data: ``order``, ``cost`` in food (None if nothing is paid) and ``note``.

    The choices that a player looks for first come first; if there are very many, only these have a note.
    ``secrecy.may_read`` tells who may see them.
    """
    return [
        {"order": choice.order, "cost": choice.cost, "note": unglued(note(state, choice))} for choice in _sorted(state)
    ]


def _sorted(state: GameState) -> Iterator[Choice]:
    phase = state.phase
    if isinstance(phase, phases.Spreading):
        main = tuple(main_choices(state))
        told = {_what(choice) for choice in main}
        yield from main
        yield from (choice for choice in every_choice(state) if _what(choice) not in told)
    elif isinstance(phase, phases.Starving):
        yield from (Choice(move) for _, _, move in losses(state, phase))
    else:
        yield from main_choices(state) if isinstance(phase, phases.Adding) else every_choice(state)


def _what(choice: Choice) -> frozenset[str]:
    """Return the spaces of a way to spread, which are equal in any order."""
    return frozenset(choice.move.spaces if isinstance(choice.move, Spread) else ())


def note(state: GameState, choice: Choice) -> str:
    """Return the note on a choice of the clan that decides, empty if there is nothing to say."""
    match choice.move:
        case Offer(card=number):
            clan = _asked(state)
            return f"{_gain(state, clan, number)}; {_rivals(state, clan, number)}"
        case Pass():
            clan = _asked(state)
            passed = "you buy nothing this round, whatever is offered later"
            return f"{passed}; {_left(clan, prospect(state, clan).soon)}; {place(state, clan)}"
        case Buy() | Take():
            assert isinstance(state.phase, phases.Answering | phases.TakingOrDiscarding)
            return _gain(state, _asked(state), state.phase.card)
        case Decline():
            assert isinstance(state.phase, phases.Answering)
            clan = _asked(state)
            after = _left(clan, prospect(state, clan).soon, buys_nothing=True)
            return f"{_if_declined(state, state.phase)}; {after}"
        case Discard():
            assert isinstance(state.phase, phases.TakingOrDiscarding)
            return _if_discarded(state, state.phase)
        case Drop(card=number):
            return _if_dropped(state, _asked(state), state.components.cards[number])
        case Add(space=space):
            clan = _asked(state)
            return "; ".join((area_text(state, clan, space), *_extras(_cost(state, clan, (space,)))))
        case Stay() if isinstance(state.phase, phases.Spreading):
            return f"add nobody: {_if_grown(state, _asked(state))}"
        case Stay():
            return "add nobody"
        case Spread(spaces=spaces):
            return _if_spread(state, _asked(state), spaces, choice.cheapest)
        case Starve(spaces=spaces):
            clan = _asked(state)
            left = clan._replace(members=tuple(space for space in clan.members if space not in spaces))
            return _fed(state, left)
        case Lay() | Settle() | SettleNeutral() | SpreadNeutral() | Draw() | Resign() | AgreeEnd():
            return ""
        case _ as unreachable:
            assert_never(unreachable)


def _asked(state: GameState) -> Clan:
    """Return the clan that decides."""
    colour = who_decides(state)
    assert colour is not None
    return state.clan(colour)


def _cost(state: GameState, clan: Clan, spaces: tuple[str, ...]) -> Cost:
    cost = spreading.spreading_cost(state, clan, spaces)
    assert cost is not None
    return cost


def _extras(cost: Cost) -> Iterator[str]:
    """Yield the note on the parts of the cost beyond the base, if there are any."""
    if cost.mountains and cost.shared:
        both = plural(
            cost.mountains,
            "the cost includes {n} for a mountain and {shared} for shared spaces",
            "the cost includes {n} for mountains and {shared} for shared spaces",
        )
        yield both.format(shared=cost.shared)
    elif cost.mountains:
        yield plural(cost.mountains, "the cost includes {n} for a mountain", "the cost includes {n} for mountains")
    elif cost.shared:
        yield f"the cost includes {cost.shared} for shared spaces"


def _fed(state: GameState, clan: Clan) -> str:
    """Return what the clan, in this form, would harvest next and then, eat, and have left after eating."""
    harvests = prospect(state, clan)
    left = food_after_eating(clan, harvests.soon)
    if left < 0:
        return f"harvest {prospect_text(harvests)}, eat {clan.size}: {counted(-left, 'members')} would starve"
    return f"harvest {prospect_text(harvests)}, eat {clan.size} and have {left} left"


def _left(clan: Clan, worth: int, *, buys_nothing: bool = False) -> str:
    """Return what such a harvest leaves to the clan, rot included, or how many members would starve.

    *buys_nothing* says that this is so if the clan can still buy a card, and does not.
    """
    left = food_after_eating(clan, worth)
    if left < 0:
        starve = "{members} would starve unless you buy another card" if buys_nothing else "{members} would starve"
        return starve.format(members=counted(-left, "members"))
    return f"{left} left after eating unless you buy another card" if buys_nothing else f"{left} left after eating"


def prospect_text(harvests: Prospect) -> str:
    """Return the worth of the next harvest and of the one after it: ``7 and 5``."""
    return f"{harvests.soon} and {harvests.later}"


def _if_grown(state: GameState, clan: Clan) -> str:
    """Return what follows for the clan in phase 3, in this form: harvests and player order, or the end of the game."""
    if would_end(state, clan):
        return ending(state, clan)
    return f"{_fed(state, clan)}; {place(state, clan)}"


def _if_spread(state: GameState, clan: Clan, spaces: tuple[str, ...], cheapest: int | str | None) -> str:
    """Return what a way to spread is the cheapest for, and what follows; empty for all others."""
    if cheapest is None:
        return ""
    cost = _cost(state, clan, spaces)
    grown = _if_grown(state, clan.with_members(spaces)._replace(food=clan.food - cost.total))
    if isinstance(cheapest, int):
        return "; ".join((f"cheapest for {cheapest}: {grown}", *_extras(cost)))
    return f"cheapest to {cheapest} ({area_text(state, clan, cheapest)}): {grown}"


def _gain(state: GameState, clan: Clan, number: int) -> str:
    """Return what the card does, and what it would change for the clan."""
    card = state.components.cards[number]
    notes = [f"{card.kind}: {use_text(state.components, card)}"]
    if state.market.crop == card.number:
        notes.append(f"price {card.price}, the crop on it pays 1")
    before, bought = prospect(state, clan), purchase(state, clan, number)
    if bought.prospect != before or card.is_tool:
        notes.append(_harvests(before, bought.prospect))
    notes.append(_left(bought.clan, bought.prospect.soon))
    if bought.discarded is not None:
        notes.append(f"you must discard a tool: these numbers are without {card_text(bought.discarded)}")
    notes.append(place(bought.state, bought.clan))
    return "; ".join(notes)


def _harvests(before: Prospect, after: Prospect) -> str:
    if after == before:
        return f"you would still harvest {prospect_text(before)}"
    return f"you would harvest {prospect_text(after)}, not {prospect_text(before)}"


def _rivals(state: GameState, clan: Clan, number: int) -> str:
    """Return who else could buy the card, judging a clan that hides its food only by what everybody knows."""
    sure: list[str] = []
    perhaps: list[str] = []
    for other in (state.clan(colour) for colour in state.waiting if colour != clan.colour):
        if buying.is_asked(state, other, number):
            (perhaps if state.hides_food(other) else sure).append(other.colour)
    able = [*sure, *(f"perhaps {colour}" for colour in perhaps)]
    return f"other possible buyers: {listed(able)}" if able else "no other possible buyers"


def _if_declined(state: GameState, phase: phases.Answering) -> str:
    """Return what follows if the clan declines, also while clans before it still answer."""
    if phase.unasked:
        return f"{clans_text(state, phase.unasked)} can still say yes"
    if state.two_players and state.first_offer:
        return f"{who(state, phase.offerer)} takes or discards it"
    sure = not {*state.waiting} - {phase.clan, phase.offerer, *phase.wanted_by}
    if phase.wanted_by:
        buyer = who(state, phase.wanted_by[-1])
        return f"{buyer} buys it" if sure else f"{buyer} buys it unless somebody else wants it"
    buyer = who(state, phase.offerer)
    return f"{buyer} must buy it" if sure else f"{buyer} must buy it unless somebody else wants it"


def _if_discarded(state: GameState, phase: phases.TakingOrDiscarding) -> str:
    told = two_players.discard_offer(state, phase).events[-1]
    tokens = told.tokens if isinstance(told, OfferDiscarded) else ()
    if tokens:
        return f"it leaves the game, and {tokens_text(tokens)} with it; then you offer again or pass"
    return "it leaves the game; then you offer again or pass"


def _if_dropped(state: GameState, clan: Clan, card: Card) -> str:
    kept = without_tool(clan, card.number)
    after = prospect(state, kept)
    harvests = _harvests(prospect(state, clan), after)
    left = _left(kept, after.soon)
    return f"{card.kind}: {use_text(state.components, card)}; {harvests}; {left}; {place(state, kept)}"

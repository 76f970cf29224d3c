"""Notes on a legal choice, in addition to its cost; they are only made on request.

Only the clan that is asked reads notes that would reveal its hidden food.
"""

from collections.abc import Iterator
from typing import Any, assert_never

from pbem.first_sparks import phases
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.briefing.forecast_text import ending, place, would_end
from pbem.first_sparks.briefing.words import (
    area_text,
    card_text,
    clans_text,
    colour_word,
    kind_word,
    tokens_text,
    use_text,
    who,
)
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
from pbem.grammar import labelled, listed, one_after_another, plural
from pbem.locale import tr
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
            return one_after_another((_gain(state, clan, number), _rivals(state, clan, number)))
        case Pass():
            clan = _asked(state)
            passed = tr("you buy nothing this round, whatever is offered later")
            return one_after_another((passed, _left(clan, prospect(state, clan).soon), place(state, clan)))
        case Buy() | Take():
            assert isinstance(state.phase, phases.Answering | phases.TakingOrDiscarding)
            return _gain(state, _asked(state), state.phase.card)
        case Decline():
            assert isinstance(state.phase, phases.Answering)
            clan = _asked(state)
            after = _left(clan, prospect(state, clan).soon, buys_nothing=True)
            return one_after_another((_if_declined(state, state.phase), after))
        case Discard():
            assert isinstance(state.phase, phases.TakingOrDiscarding)
            return _if_discarded(state, state.phase)
        case Drop(card=number):
            return _if_dropped(state, _asked(state), state.components.cards[number])
        case Add(space=space):
            clan = _asked(state)
            return one_after_another((area_text(state, clan, space), *_extras(_cost(state, clan, (space,)))))
        case Stay() if isinstance(state.phase, phases.Spreading):
            return tr("add nobody: {what_follows}").format(what_follows=_if_grown(state, _asked(state)))
        case Stay():
            return tr("add nobody")
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
        yield tr("the cost includes {shared} for shared spaces").format(shared=cost.shared)


def _fed(state: GameState, clan: Clan) -> str:
    """Return what the clan, in this form, would harvest next and then, eat, and have left after eating."""
    harvests = prospect(state, clan)
    left = food_after_eating(clan, harvests.soon)
    if left < 0:
        message = plural(
            -left,
            "harvest {harvests}, eat {eaten}: {n} member would starve",
            "harvest {harvests}, eat {eaten}: {n} members would starve",
        )
    else:
        message = tr("harvest {harvests}, eat {eaten} and have {left} left")
    return message.format(harvests=prospect_text(harvests), eaten=clan.size, left=left)


def _left(clan: Clan, worth: int, *, buys_nothing: bool = False) -> str:
    """Return what such a harvest leaves to the clan, rot included, or how many members would starve.

    *buys_nothing* says that this is so if the clan can still buy a card, and does not.
    """
    left = food_after_eating(clan, worth)
    if left < 0 and buys_nothing:
        return plural(
            -left,
            "{n} member would starve unless you buy another card",
            "{n} members would starve unless you buy another card",
        )
    if left < 0:
        return plural(-left, "{n} member would starve", "{n} members would starve")
    if buys_nothing:
        return tr("{left} left after eating unless you buy another card").format(left=left)
    return tr("{left} left after eating").format(left=left)


def prospect_text(harvests: Prospect) -> str:
    """Return the worth of the next harvest and of the one after it: ``7 and 5``."""
    return listed(map(str, harvests))


def _if_grown(state: GameState, clan: Clan) -> str:
    """Return what follows for the clan in phase 3, in this form: harvests and player order, or the end of the game."""
    if would_end(state, clan):
        return ending(state, clan)
    return one_after_another((_fed(state, clan), place(state, clan)))


def _if_spread(state: GameState, clan: Clan, spaces: tuple[str, ...], cheapest: int | str | None) -> str:
    """Return what a way to spread is the cheapest for, and what follows; empty for all others."""
    if cheapest is None:
        return ""
    cost = _cost(state, clan, spaces)
    grown = _if_grown(state, clan.with_members(spaces)._replace(food=clan.food - cost.total))
    if isinstance(cheapest, int):
        best = tr("cheapest for {cost}: {what_follows}").format(cost=cheapest, what_follows=grown)
        return one_after_another((best, *_extras(cost)))
    there = tr("cheapest to {space} ({area}): {what_follows}")
    return there.format(space=cheapest, area=area_text(state, clan, cheapest), what_follows=grown)


def _gain(state: GameState, clan: Clan, number: int) -> str:
    """Return what the card does, and what it would change for the clan."""
    card = state.components.cards[number]
    notes = [_use(state, card)]
    if state.market.crop == card.number:
        notes.append(tr("price {price}, the crop on it pays 1").format(price=card.price))
    before, bought = prospect(state, clan), purchase(state, clan, number)
    if bought.prospect != before or card.is_tool:
        notes.append(_harvests(before, bought.prospect))
    notes.append(_left(bought.clan, bought.prospect.soon))
    if bought.discarded is not None:
        without = tr("you must discard a tool: these numbers are without {card}")
        notes.append(without.format(card=card_text(bought.discarded)))
    notes.append(place(bought.state, bought.clan))
    return one_after_another(notes)


def _harvests(before: Prospect, after: Prospect) -> str:
    if after == before:
        return tr("you would still harvest {harvests}").format(harvests=prospect_text(before))
    message = tr("you would harvest {harvests}, not {before}")
    return message.format(harvests=prospect_text(after), before=prospect_text(before))


def _rivals(state: GameState, clan: Clan, number: int) -> str:
    """Return who else could buy the card, judging a clan that hides its food only by what everybody knows."""
    sure: list[str] = []
    perhaps: list[str] = []
    for other in (state.clan(colour) for colour in state.waiting if colour != clan.colour):
        if buying.is_asked(state, other, number):
            (perhaps if state.hides_food(other) else sure).append(colour_word(other.colour))
    able = [*sure, *(tr("perhaps {colour}").format(colour=colour) for colour in perhaps)]
    if not able:
        return tr("no other possible buyers")
    return tr("other possible buyers: {clans}").format(clans=listed(able))


def _if_declined(state: GameState, phase: phases.Answering) -> str:
    """Return what follows if the clan declines, also while clans before it still answer."""
    if phase.unasked:
        still = plural(len(phase.unasked), "{clans} can still say yes", "{clans} can still say yes")
        return still.format(clans=clans_text(state, phase.unasked))
    if state.two_players and state.first_offer:
        return tr("{clan} takes or discards it").format(clan=who(state, phase.offerer))
    sure = not {*state.waiting} - {phase.clan, phase.offerer, *phase.wanted_by}
    if phase.wanted_by:
        then = tr("{clan} buys it") if sure else tr("{clan} buys it unless somebody else wants it")
        return then.format(clan=who(state, phase.wanted_by[-1]))
    then = tr("{clan} must buy it") if sure else tr("{clan} must buy it unless somebody else wants it")
    return then.format(clan=who(state, phase.offerer))


def _if_discarded(state: GameState, phase: phases.TakingOrDiscarding) -> str:
    told = two_players.discard_offer(state, phase).events[-1]
    tokens = told.tokens if isinstance(told, OfferDiscarded) else ()
    if tokens:
        both = tr("it leaves the game, and {tokens} with it; then you offer again or pass")
        return both.format(tokens=tokens_text(tokens))
    return tr("it leaves the game; then you offer again or pass")


def _if_dropped(state: GameState, clan: Clan, card: Card) -> str:
    kept = without_tool(clan, card.number)
    after = prospect(state, kept)
    harvests = _harvests(prospect(state, clan), after)
    left = _left(kept, after.soon)
    return one_after_another((_use(state, card), harvests, left, place(state, kept)))


def _use(state: GameState, card: Card) -> str:
    """Return what the card is and does."""
    return labelled(kind_word(card.kind), use_text(state.components, card))

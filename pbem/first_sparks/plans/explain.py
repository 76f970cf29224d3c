"""A plan in whole sentences for its owner: what it means, what it would do today, and what is unlikely.

No sentence has a word at which a line that a mail client wraps would begin like a plan.
"""

from collections.abc import Iterator
from typing import Final

from pbem.first_sparks import phases
from pbem.first_sparks.briefing.words import counted, kind_word, numbered, who
from pbem.first_sparks.clans import tool_limit
from pbem.first_sparks.market import food_at_hand
from pbem.first_sparks.moves import Add, Buy, Decline, Offer, Pass, Spread
from pbem.first_sparks.plans.answer import answer, declines, known_to, own_turn_list
from pbem.first_sparks.plans.plan import (
    LEAST,
    NOBODY,
    SOMEBODY,
    TECHNOLOGY,
    Acceptance,
    Always,
    Placing,
    Plan,
    Planned,
    Wish,
    holds_for_placement,
    holds_for_spreading,
    holds_for_technology,
)
from pbem.first_sparks.plans.words import CLASS_NAMES
from pbem.first_sparks.rules import buying, placement, spreading
from pbem.first_sparks.state import GameState
from pbem.grammar import listed, plural
from pbem.locale import tr
from pbem.page.glue import glued, unbroken


def explain(plan: Plan | None, always: Always | None, state: GameState, early: Plan | None = None) -> tuple[str, ...]:
    """Return what the plan, and the rules that hold always, mean in this game, in sentences for their owner.

    First what is decided about each card on the table, a new one, the own turn, a tool too many; then what would
    be answered with today's state, by the same function that will answer; last, what is unlikely. New members that the
    plan, or an *early* answer, places before the market comes are paid for in that.
    """
    rules = tuple(_rules(always, state)) if always else ()
    if plan is None:
        return rules
    seen = known_to(state, plan.colour)
    return (*meaning(plan, always, seen), *rules, *dry_run(plan, always, seen, early), *notes(plan, seen, early))


def meaning(plan: Plan, always: Always | None, state: GameState) -> tuple[str, ...]:
    """Return what the plan says: a sentence for each card on the table, and one for every other decision to come."""
    told: tuple[str, ...] = ()
    if holds_for_technology(plan, state):
        drops = always is not None and always.least
        told = (*_of_cards(plan, state), *_of_tools(plan, state, asks=not drops))
    return (*told, *_of_spaces(plan, state))


def dry_run(plan: Plan, always: Always | None, state: GameState, early: Plan | None = None) -> tuple[str, ...]:
    """Return what would be answered if each card of the current market were offered now, and on the own turn.

    What new members cost, of the plan or an *early* answer, is paid before.
    """
    if not (plan.speaks_of_cards and holds_for_technology(plan, state)):
        return ()
    cost = _cost_of_members(early or plan, state)
    paid = _paying(state, plan.colour, cost)
    left = paid.clan(plan.colour).food
    first = tr("As things are today, your new members cost {cost} food, and you have {left} left for cards.")
    return (*((first.format(cost=cost, left=left),) if cost else ()), *_dry_run(plan, always, paid))


def notes(plan: Plan, state: GameState, early: Plan | None = None) -> tuple[str, ...]:
    """Return what is unlikely to happen as the plan says, once new members as in ``dry_run`` are paid for."""
    cost = _cost_of_members(early or plan, state)
    return (*_notes_on_cards(plan, _paying(state, plan.colour, cost), cost), *_notes_on_spaces(plan, state))


def _cost_of_members(plan: Plan, state: GameState) -> int:
    """Return what the new members of the plan would cost if it answered now, 0 if it would place none."""
    if plan.spread and holds_for_spreading(plan, state):
        asked = state.at(spreading.spread.__name__, ()).asking(phases.Spreading(plan.colour), ())
    elif plan.add and holds_for_placement(plan, state):
        asked = state.at(placement.add_second.__name__, ()).asking(phases.Adding(plan.colour), ())
    else:
        return 0
    move = answer(plan, None, asked).move
    chosen = move.spaces if isinstance(move, Spread) else (move.space,) if isinstance(move, Add) else ()
    cost = spreading.spreading_cost(asked, asked.clan(plan.colour), chosen)
    return cost.total if cost else 0


def _paying(state: GameState, colour: str, cost: int) -> GameState:
    clan = state.clan(colour)
    return state._replace(clans=state.clans_with(clan.with_food(clan.food - cost)))


def why_asked(planned: Planned, state: GameState) -> str:
    """Return why the player is asked though there is a plan, in one sentence; empty if the plan says nothing of it."""
    why = planned.why
    message = tr(_WHY_ASKED.get(why.because, ""))
    return unbroken(message).format(card=numbered(state, why.card) if why.card else "", cost=why.cost)


_WHY_ASKED: Final = {
    "new": "You are asked because {card} is new.",
    "bait": "You are asked because your\N{NO-BREAK SPACE}plan only says to offer {card} yourself.",
    "nothing": "You are asked because nothing in your\N{NO-BREAK SPACE}plan can be offered now.",
    "missing": "You are asked because you do not have {card}.",
    "illegal": "You are asked because the rules do not allow now what your\N{NO-BREAK SPACE}plan says.",
    "dear": "You are asked because it costs {cost} now, which is more than your\N{NO-BREAK SPACE}plan allows.",
}


def _of_cards(plan: Plan, state: GameState) -> Iterator[str]:
    if not plan.speaks_of_cards:
        return
    for number in state.market.cards:
        yield _about(plan, state, number)
    if plan.new == "decline" or (plan.passes and not plan.new):
        yield tr("You decline every card that is new on the table and that you have not named.")
    else:
        yield tr("You are asked about every card that is new on the table and that you have not named.")
    if plan.passes:
        yield tr("On your own turn you pass.")
        return
    listing = tuple(own_turn_list(plan))
    passes = plan.otherwise == "pass"
    if len(listing) == 1 and listing[0].card:
        last = tr(_OFFERS_OR_PASSES if passes else _OFFERS_OR_ASKS)
    elif not listing:
        last = tr("On your own turn you pass.") if passes else tr("On your own turn you are asked.")
    else:
        last = tr(_OFFERS_ONE_OR_PASSES if passes else _OFFERS_ONE_OR_ASKS)
    yield last.format(list=listed((_wish(wish, state) for wish in listing), "or") if listing else "")


_OFFERS_OR_PASSES: Final = "On your own turn you offer {list} when you can buy it; otherwise you pass."
_OFFERS_OR_ASKS: Final = "On your own turn you offer {list} when you can buy it; otherwise you are asked."
_OFFERS_ONE_OR_PASSES: Final = "On your own turn you offer the first that you can buy of {list}; otherwise you pass."
_OFFERS_ONE_OR_ASKS: Final = "On your own turn you offer the first that you can buy of {list}; otherwise you are asked."


def _about(plan: Plan, state: GameState, number: int) -> str:
    """Return what is decided about a card, in the order in which ``answer`` decides."""
    card, name = state.components.cards[number], numbered(state, number)
    if declines(plan, state, number):
        return tr(_DECLINES).format(card=name)
    purchases = [purchase for purchase in plan.buys if purchase.wish.fits(card)]
    if purchases:
        conditions = [_condition(purchase, state) for purchase in purchases]
        if not all(conditions):
            return tr("You say yes to {card}, whatever else is there.").format(card=name)
        only = tr("You say yes to {card} only when {conditions}.")
        return only.format(card=name, conditions=listed(conditions, "or"))
    fitting = [place for place, wish in enumerate(plan.ranking) if wish.fits(card)]
    if fitting:
        better = [_wish(wish, state) for wish in plan.ranking[: fitting[0]]]
        if kind := plan.ranking[fitting[0]].kind:
            better.append(_higher(kind))
        if not better:
            return tr("You say yes to {card} when you can pay for it.").format(card=name)
        unless = tr("You say yes to {card}, unless you can buy {cards} from the current market.")
        return unless.format(card=name, cards=listed(better, "or"))
    if any(wish.fits(card) for wish in plan.offers):
        return tr("You are asked about {card} when somebody else offers it.").format(card=name)
    if number not in plan.known:
        declined = plan.new == "decline" or (plan.passes and not plan.new)
        new = tr("You decline {card}, which is new.") if declined else tr("You are asked about {card}, which is new.")
        return new.format(card=name)
    return tr(_DECLINES if plan.wants or plan.passes else _IS_ASKED_ABOUT).format(card=name)


_DECLINES: Final = "You decline {card}."
_IS_ASKED_ABOUT: Final = "You are asked about {card}."


def _higher(kind: str) -> str:
    """Return in words that a card of that kind or class is better if its number is higher."""
    if kind == "knowledge":
        return tr("a knowledge card of a higher number")
    return tr("a {kind} of a higher number").format(kind=tr(CLASS_NAMES["tool"]) if kind == "tool" else kind_word(kind))


def _condition(purchase: Acceptance, state: GameState) -> str:
    """Return the condition of a purchase as the words after "only when", "" without one."""
    match purchase.wanted_by:
        case "":
            return ""
        case wanted if wanted == NOBODY:
            return tr("nobody has said yes before you")
        case wanted if wanted == SOMEBODY:
            return tr("somebody has said yes before you")
        case colour:
            return tr("{clan} has said yes before you").format(clan=who(state, colour))


def _of_tools(plan: Plan, state: GameState, *, asks: bool) -> Iterator[str]:
    limit = counted(tool_limit(state.clan(plan.colour)), "tools")
    if plan.drop == LEAST:
        least = tr("With more than {tools} you discard the one without which your next harvest is worth most.")
        yield least.format(tools=limit)
    elif plan.drop:
        named = tr("With more than {tools} you discard {card}.")
        yield named.format(tools=limit, card=numbered(state, int(plan.drop)))
    elif asks and plan.speaks_of_cards and not plan.passes:
        yield tr("With more than {tools} you are asked which one to discard.").format(tools=limit)
    if plan.take == "take":
        yield tr("You take the card that you offered first when the other player declines it.")
    elif plan.take:
        yield tr("You discard the card that you offered first when the other player declines it.")


def _of_spaces(plan: Plan, state: GameState) -> Iterator[str]:
    if not (holds_for_spreading(plan, state) or holds_for_placement(plan, state)):
        return
    if plan.spread:
        yield _placed(tr(_SPREADS[_form(plan.spread)]), plan.spread, "and")
    if plan.spread_neutral:
        neutral = tr("The neutral clan spreads to {spaces}; when it cannot, you are asked.")
        yield neutral.format(spaces=listed(plan.spread_neutral))
    if plan.settle:
        settles = tr("You settle on the first of these that is free: {spaces}.")
        yield settles.format(spaces=listed(plan.settle, "or"))
    if plan.settle_neutral:
        neutral = tr("The neutral clan settles on the first of these that is free: {spaces}.")
        yield neutral.format(spaces=listed(plan.settle_neutral, "or"))
    if plan.add:
        yield _placed(tr(_ADDS[_form(plan.add)]), plan.add, "or")
    if plan.stay:
        yield tr("When it is your turn to spread, you stay.") if plan.written else tr("You add nobody, and stay.")


# By whether there is a highest cost, and whether the clan stays otherwise.
_SPREADS: Final = {
    (False, False): "When it is your turn, you spread to {spaces}; when you cannot, you are asked.",
    (False, True): "When it is your turn, you spread to {spaces}; when you cannot, you stay.",
    (True, False): "When it is your turn, you spread to {spaces} for at most {most} food; otherwise you are asked.",
    (True, True): "When it is your turn, you spread to {spaces} for at most {most} food; otherwise you stay.",
}
_ADDS: Final = {
    (False, False): "You add a member on the first of these that you can take: {spaces}; otherwise you are asked.",
    (False, True): "You add a member on the first of these that you can take: {spaces}; otherwise you stay.",
    (True, False): "You add a member on the first that costs at most {most} food: {spaces}; otherwise you are asked.",
    (True, True): "You add a member on the first that costs at most {most} food: {spaces}; otherwise you stay.",
}


def _form(placing: Placing) -> tuple[bool, bool]:
    return placing.most is not None, placing.stay


def _placed(message: str, placing: Placing, word: str) -> str:
    return message.format(spaces=listed(placing.spaces, word), most=placing.most)


def _rules(always: Always, state: GameState) -> Iterator[str]:
    if always.declines:
        cards = listed(_wish(wish, state) for wish in always.declines)
        yield tr("Until you change it, you decline {cards}.").format(cards=cards)
    if always.least:
        yield tr("Until you change it, you discard the tool without which your next harvest is worth most.")


def _dry_run(plan: Plan, always: Always | None, state: GameState) -> Iterator[str]:
    others = [clan.colour for clan in state.in_play if clan.colour != plan.colour]
    if not others:
        return
    said: dict[str, list[str]] = {"yes": [], "no": [], "cannot": [], "ask": []}
    runs = state._replace(step=TECHNOLOGY, round=plan.market, waiting=state.order_in_play)
    for number in state.market.current:
        asked = runs._replace(phase=phases.Answering(plan.colour, others[0], number, (), ()))
        planned = answer(plan, always, asked)
        if isinstance(planned.move, Buy):
            answered = "yes"
        elif not isinstance(planned.move, Decline):
            answered = "ask"
        elif planned.why.because == "cannot" and _is_wished(plan, state, number):
            answered = "cannot"
        else:
            answered = "no"
        said[answered].append(numbered(state, number))
    yes, no, cannot, ask = (listed(cards) if cards else "" for cards in said.values())
    if yes:
        yield tr("As things are today, with no answer before yours, you would say yes to {cards}.").format(cards=yes)
    if no:
        yield tr("As things are today, with no answer before yours, you would decline {cards}.").format(cards=no)
    if cannot:
        numbers = len(said["cannot"])
        yield plural(
            numbers,
            "As things are today, you cannot buy {cards}, and would decline it.",
            "As things are today, you cannot buy {cards}, and would decline them.",
        ).format(cards=cannot)
    if ask:
        yield tr("As things are today, you would be asked about {cards}.").format(cards=ask)
    planned = answer(plan, always, runs._replace(phase=phases.Offering(plan.colour)))
    if isinstance(planned.move, Offer):
        offers = tr("As things are today, you would offer {card} on your own turn.")
        yield offers.format(card=numbered(state, planned.move.card))
    elif isinstance(planned.move, Pass):
        yield tr("As things are today, you would pass on your own turn.")
    else:
        yield tr("As things are today, you would be asked on your own turn.")


def _is_wished(plan: Plan, state: GameState, number: int) -> bool:
    card = state.components.cards[number]
    named = (*plan.ranking, *(purchase.wish for purchase in plan.buys), *plan.offers)
    return any(wish.fits(card) for wish in named)


def _notes_on_cards(plan: Plan, state: GameState, cost: int) -> Iterator[str]:
    """Yield why a card that is wished for may not be bought, as things are today, with that *cost* paid for members."""
    clan, cards = state.clan(plan.colour), state.components.cards
    wishes = dict.fromkeys((*plan.ranking, *(purchase.wish for purchase in plan.buys), *plan.offers))
    for wish in wishes:
        if wish.card:
            yield from _note_on_card(plan, state, wish.card, cost)
        elif not any(wish.fits(cards[number]) for number in state.market.cards):
            yield tr("No card on the table today is {card}.").format(card=_wish(wish, state))
        elif wish.kind == "knowledge" or not any(card.is_tool for card in cards.values() if card.kind == wish.kind):
            owned = [card for card in clan.cards if not card.is_tool and card.kind == wish.kind]
            if owned:
                own = tr("You own {card}: another {card} will be declined.")
                yield own.format(card=kind_word(owned[0].kind))
    for wish in plan.declines:
        if wish.card and wish.card not in state.market.cards:
            yield from _where(state, wish.card)
    if plan.drop and plan.drop != LEAST and all(tool.number != plan.drop for tool in clan.tools):
        yield tr("You do not have {card} today.").format(card=numbered(state, int(plan.drop)))


def _note_on_card(plan: Plan, state: GameState, number: int, cost: int) -> Iterator[str]:
    clan, card, name = state.clan(plan.colour), state.components.cards[number], numbered(state, number)
    if number not in state.market.cards:
        yield from _where(state, number)
        return
    if buying.knows_already(clan, card):
        own = tr("You own {kind}: {card} will be declined.")
        yield own.format(kind=kind_word(card.kind), card=name)
        return
    food = food_at_hand(state, clan.food, card)
    if card.price > food:
        told = tr(_NOTHING_LEFT if cost else _TOO_DEAR)
        yield told.format(name=name, price=card.price, food=food)
    if number in state.market.future:
        yield tr("{card} is in the future market today.").format(card=name)


_TOO_DEAR: Final = "{name} costs {price}, and you have {food} today."
_NOTHING_LEFT: Final = "{name} costs {price}, and you would have {food} left."


def _where(state: GameState, number: int) -> Iterator[str]:
    owner = next((clan for clan in state.clans if any(card.number == number for card in clan.cards)), None)
    if owner is not None:
        yield tr("{card} belongs to {clan}.").format(card=numbered(state, number), clan=who(state, owner.colour))
    else:
        yield tr("{card} is not on the table today.").format(card=numbered(state, number))


def _notes_on_spaces(plan: Plan, state: GameState) -> Iterator[str]:
    clan = state.clan(plan.colour)
    if plan.spread and holds_for_spreading(plan, state):
        cost = spreading.spreading_cost(state, clan, plan.spread.spaces)
        if cost is not None and plan.spread.most is not None and cost.total > plan.spread.most:
            dearer = tr("The spaces cost {cost} today, which is more than {most}.")
            yield dearer.format(cost=tr(cost.words), most=plan.spread.most)
        elif cost is not None:
            yield tr("The spaces cost {cost} today; others may make them dearer.").format(cost=tr(cost.words))
    settled = {member[:2] for clan in state.clans for member in clan.members}
    taken = [space for space in plan.settle if space[:2] in settled]
    if taken:
        beside = tr("Somebody stands next to the hunting area of {spaces} today.")
        yield beside.format(spaces=listed(taken))


def _wish(wish: Wish, state: GameState) -> str:
    if wish.card:
        return numbered(state, wish.card)
    kind = tr(CLASS_NAMES[wish.kind]) if wish.kind in CLASS_NAMES else kind_word(wish.kind)
    wanted = tr("any {kind}") if wish.most is None else tr("any {kind} up to {price}")
    return glued(wanted.format(kind=kind, price=wish.most))

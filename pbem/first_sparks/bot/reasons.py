"""Why the bot decides as it does, in one sentence to the player of the clan."""

from typing import assert_never

from pbem.first_sparks import moves
from pbem.first_sparks.bot import cards
from pbem.first_sparks.clans import card_name
from pbem.first_sparks.components import FOODS
from pbem.first_sparks.forecast import worth_of, worth_with
from pbem.first_sparks.market import food_at_hand
from pbem.first_sparks.moves import Move
from pbem.first_sparks.rules import spreading
from pbem.first_sparks.state import Clan, GameState
from pbem.grammar import listed, plural
from pbem.locale import tr


def reason(state: GameState, colour: str, move: Move) -> str:
    """Return why the bot would make that move for the clan; *move* is its decision in this state.

    The sentence has no order in it, and nothing that the player of the clan may not know.
    """
    clan = state.clan(colour)
    match move:
        case moves.Lay():
            return tr("Before anybody is on the board, every place for the tile is as good as another.")
        case moves.SettleNeutral(space=space):
            return tr("{space} is the free space with which you lose least.").format(space=space)
        case moves.Settle(space=space):
            near = tr("There is {foods} next to {space} or a step away.")
            return near.format(foods=_foods_near(state, space), space=space)
        case moves.Add(space=space):
            return _spreading_reason(state, clan, (space,))
        case moves.Spread(spaces=spaces):
            return _spreading_reason(state, clan, spaces)
        case moves.Stay():
            return tr("The food is worth more to you in the next round than new members are now.")
        case moves.Offer(card=number) | moves.Buy(card=int(number)):
            return _card_reason(state, clan, number)
        case moves.Take():
            return _card_reason(state, clan, getattr(state.phase, "card", 0))
        case moves.Pass():
            if not cards.payable(state, clan):
                return tr("You can pay for no card of the current market that you could use.")
            return tr("No card that you can pay for is worth its price to you now.")
        case moves.Decline() | moves.Discard():
            number = getattr(state.phase, "card", 0)
            name = tr(card_name(state.components.cards[number]))
            if number not in cards.payable(state, clan):
                return tr("You cannot pay for {card}.").format(card=name)
            return tr("Your food is worth more to you than {card}, or another card is.").format(card=name)
        case moves.Drop(card=number):
            spared = tr("You can spare {card} more easily than any other of your tools.")
            return spared.format(card=tr(card_name(state.components.cards[number])))
        case moves.Starve(spaces=spaces):
            left = clan._replace(members=tuple(space for space in clan.members if space not in spaces))
            without = tr("Without these members, your next harvest is worth {food}; no other loss leaves more.")
            return without.format(food=worth_of(state, left))
        case moves.SpreadNeutral():
            return tr("There the neutral clan is more in the way of the other clan than of yours.")
        case moves.Resign() | moves.AgreeEnd() | moves.Draw() | moves.Buy():
            raise ValueError(f"the bot never decides {move}")
        case _ as unreachable:
            assert_never(unreachable)


def _foods_near(state: GameState, space: str) -> str:
    near = {space, *state.board.borders[space]}
    foods = {state.board.foods[there[:2]] for there in near}
    return listed(tr(food, "food") for food in FOODS if food in foods)


def _card_reason(state: GameState, clan: Clan, number: int) -> str:
    card = state.components.cards[number]
    harvested, left = worth_of(state, clan), food_at_hand(state, clan.food, card) - card.price
    better = worth_with(state, clan, card) if card.is_tool else harvested
    told = tr("{card} brings your next harvest from {now} to {then}, and leaves you {left} food.")
    if better <= harvested:
        told = tr("{card} is worth more to you in the rounds to come than its price, and leaves you {left} food.")
    return told.format(card=tr(card_name(card)), now=harvested, then=better, left=left)


def _spreading_reason(state: GameState, clan: Clan, spaces: tuple[str, ...]) -> str:
    cost = spreading.spreading_cost(state, clan, spaces)
    larger = clan.with_members(spaces)
    now, then = worth_of(state, clan), worth_of(state, larger)
    if then > now:
        message = plural(
            larger.size,
            "With {n} member your next harvest is worth {then} instead of {now}, and {left} food is left.",
            "With {n} members your next harvest is worth {then} instead of {now}, and {left} food is left.",
        )
    else:
        message = plural(
            larger.size,
            "You grow to {n} member, and {left} food is left for the next round.",
            "You grow to {n} members, and {left} food is left for the next round.",
        )
    return message.format(now=now, then=then, left=clan.food - (cost.total if cost else 0))

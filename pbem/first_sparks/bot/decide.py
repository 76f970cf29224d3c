"""The bot: what a clan should decide, from what its player may know, in every phase."""

from collections.abc import Iterable
from typing import assert_never

from pbem.first_sparks import moves, phases
from pbem.first_sparks.bot import cards, spaces
from pbem.first_sparks.bot.outlook import outlook
from pbem.first_sparks.bot.tuning import DEFAULT, Tuning
from pbem.first_sparks.choice import losses
from pbem.first_sparks.decisions import choices
from pbem.first_sparks.forecast import without_tool
from pbem.first_sparks.moves import Move
from pbem.first_sparks.rules import hunting, preparation, spreading
from pbem.first_sparks.rules import placement as placing
from pbem.first_sparks.rules.two_players import NEUTRAL
from pbem.first_sparks.state import GameState
from pbem.sha import sha256


def decide(state: GameState, colour: str, seed: str = "", tuning: Tuning = DEFAULT) -> Move:
    """Return the bot's decision for a clan that is asked; *seed* chooses among moves that it thinks equally good.

    Raises ValueError if the clan is not asked.
    """
    ranked = judged(state, colour, tuning)
    best = max(worth for _, worth in ranked)
    equal = [move for move, worth in ranked if worth >= best - 1e-9]
    if len(equal) == 1 or not seed:
        return equal[0]
    return min(equal, key=lambda move: sha256(f"{seed}\n{state.round}\n{move}".encode()).digest())


def judged(state: GameState, colour: str, tuning: Tuning) -> list[tuple[Move, float]]:
    """Return the moves that are looked at, each with the outlook after it; at least one."""
    phase = state.phase
    match phase:
        case phases.Laying():
            return [(move, _shape(state, move)) for move in preparation.lays(state)]
        case phases.SettlingNeutral():
            return [
                (moves.SettleNeutral(space), -spaces.room(state, space, colour))
                for space in placing.settles(state, NEUTRAL)
            ]
        case phases.Settling():
            return [(moves.Settle(space), spaces.room(state, space, colour)) for space in placing.settles(state, colour)]
        case phases.Adding():
            clan = state.clan(colour)
            ways: Iterable[tuple[tuple[str, ...], int]] = (
                ((), 0),
                *(((space,), cost) for space, cost in spreading.reach(state, clan)),
            )
            return [
                (
                    moves.Add(chosen[0]) if chosen else moves.Stay(),
                    spaces.worth_spreading(state, colour, chosen, cost, None, tuning),
                )
                for chosen, cost in ways
            ]
        case phases.Offering():
            nothing = [(moves.Pass(), cards.worth_having(state, colour, None, None, tuning))]
            return [
                *(
                    (moves.Offer(number), cards.worth_having(state, colour, number, None, tuning))
                    for number in cards.payable(state, state.clan(colour))
                ),
                *nothing,
            ]
        case phases.Answering(card=number):
            if number not in cards.payable(state, state.clan(colour)):
                return [(moves.Decline(number), 0.0)]
            return [
                (moves.Buy(number), cards.worth_having(state, colour, number, None, tuning)),
                (moves.Decline(number), cards.decline_worth(state, phase, tuning)),
            ]
        case phases.TakingOrDiscarding(card=number):
            take = cards.worth_having(state, colour, number, None, tuning)
            after = _discarded(state, phase)
            others = [
                cards.worth_having(after, colour, other, None, tuning)
                for other in cards.payable(after, after.clan(colour))
            ]
            discard = max([*others, cards.worth_having(after, colour, None, None, tuning)])
            return [(moves.Take(), take), (moves.Discard(), discard)]
        case phases.Dropping():
            clan, buying = state.clan(colour), cards.waiting_for(state, colour)
            return [
                (
                    moves.Drop(tool.number),
                    outlook(
                        state._replace(clans=state.clans_with(without_tool(clan, tool.number))),
                        colour, buying, None, tuning,
                    ),
                )
                for tool in clan.tools
            ]
        case phases.Starving():
            return [
                (move, 10.0 * harvest + spaces.standing(state, state.clan(colour)._replace(
                    members=tuple(m for m in state.clan(colour).members if m not in move.spaces)), tuning))
                for harvest, _, move in losses(state, phase)
            ]
        case phases.SpreadingNeutral(new=new):
            return [(moves.SpreadNeutral(spaces.neutral_spaces(state, colour, new)), 0.0)]
        case phases.Spreading():
            clan = state.clan(colour)
            return [
                (
                    moves.Spread(chosen) if chosen else moves.Stay(),
                    spaces.worth_spreading(state, colour, chosen, cost, state.waiting, tuning),
                )
                for chosen, cost in spaces.spreads(state, clan, tuning)
            ]
        case phases.DealingHerbs() | phases.DrawingTile() | phases.DrawingCard() | phases.Ended() | None:
            raise ValueError(f"{colour} is not asked")
        case _ as unreachable:
            assert_never(unreachable)


def _discarded(state: GameState, phase: phases.TakingOrDiscarding) -> GameState:
    from pbem.first_sparks.rules.two_players import discard_offer

    return discard_offer(state, phase)


def _shape(state: GameState, move: moves.Lay) -> float:
    return 0.0


__all__ = ["choices", "decide", "hunting"]

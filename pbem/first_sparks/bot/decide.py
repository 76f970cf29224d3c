"""The bot: what a clan should decide in every phase, from what its player may know; and what cards are worth to it."""

from collections.abc import Iterator
from math import fsum
from typing import assert_never

from pbem.first_sparks import moves, phases
from pbem.first_sparks.bot import cards, spaces
from pbem.first_sparks.bot.tuning import DEFAULT, Tuning
from pbem.first_sparks.choice import losses
from pbem.first_sparks.decisions import who_decides
from pbem.first_sparks.moves import Move
from pbem.first_sparks.rules import placement, preparation, spreading, two_players
from pbem.first_sparks.state import GameState
from pbem.sha import sha256

_EQUAL = 1e-9


def decide(state: GameState, colour: str, seed: str = "", tuning: Tuning = DEFAULT) -> Move:
    """Return the bot's decision for the clan whose turn it is; it is always legal.

    It depends on nothing but what is public, the clan's own food, and *seed*, which chooses among moves that are
    equally good. Raises ValueError if it is not the clan's turn.
    """
    if who_decides(state) != colour:
        raise ValueError(f"it is not the turn of {colour}")
    judged = tuple(_judged(state, colour, tuning))
    best = max(worth for _, worth in judged) - _EQUAL
    equal = [move for move, worth in judged if worth >= best]
    if not seed:
        return equal[0]
    return min(equal, key=lambda move: sha256(f"{seed}\n{state.round}\n{move}".encode()).digest())


def worths(state: GameState, colour: str, tuning: Tuning = DEFAULT) -> tuple[tuple[int, float], ...]:
    """Return the cards of the market that the clan could use, by number, with what each is worth to it; the best first.

    The worth is the lead in members over the other clans, as the outlook sees it, that the clan would gain by owning
    the card and having paid for it; below 0 for a card that is not worth its price. Cards that it cannot pay yet and
    those of the future market are among them.
    """
    return cards.ranking(state, colour, tuning)


def lead(state: GameState, colour: str, tuning: Tuning = DEFAULT) -> float:
    """Return by how many members the clan may come to lead the others, in any phase; below 0 if it falls behind.

    It is 0 until all clans have settled. A search can judge with it the states at which it stops looking ahead.
    """
    if not state.round and not all(clan.members for clan in state.clans):
        return 0.0
    spots = {clan.colour: spaces.standing(state, clan, tuning) for clan in state.clans}
    own = spots.pop(colour)
    better = own - fsum(spots.values()) / len(spots)
    return (cards.ahead(state, colour, tuning) + better) / fsum(tuning.path)


def _judged(state: GameState, colour: str, tuning: Tuning) -> Iterator[tuple[Move, float]]:
    """Yield the moves that are worth a look, each with a number that is higher for a better one."""
    clan = state.clan(colour)
    match state.phase:
        case phases.Laying():
            for lay in preparation.lays(state):  # no place is better than another before anybody stands there
                yield lay, 0.0
        case phases.SettlingNeutral():
            for space in placement.settles(state, two_players.NEUTRAL):
                yield moves.SettleNeutral(space), -spaces.room(state, space, colour)
        case phases.Settling():
            for space in placement.settles(state, colour):
                yield moves.Settle(space), spaces.worth_settling(state, colour, space, tuning)
        case phases.Adding():
            yield moves.Stay(), spaces.worth_spreading(state, colour, (), 0, None, tuning)
            for space, cost in spreading.reach(state, clan):
                yield moves.Add(space), spaces.worth_spreading(state, colour, (space,), cost, None, tuning)
        case phases.Offering():
            for number in cards.payable(state, clan):
                yield moves.Offer(number), cards.worth_having(state, colour, number, None, tuning)
            yield moves.Pass(), cards.worth_having(state, colour, None, None, tuning)
        case phases.Answering(card=number) as phase:
            if number in cards.payable(state, clan):
                yield moves.Buy(number), cards.worth_having(state, colour, number, None, tuning)
            yield moves.Decline(number), cards.worth_declining(state, phase, tuning)
        case phases.TakingOrDiscarding(card=number) as phase:
            yield moves.Take(), cards.worth_having(state, colour, number, None, tuning)
            yield moves.Discard(), cards.worth_discarding(state, phase, tuning)
        case phases.Dropping():
            for tool in clan.tools:
                yield moves.Drop(tool.number), cards.worth_dropping(state, colour, tool.number, tuning)
        case phases.Starving() as phase:
            for harvest, _, starve in losses(state, phase):
                yield starve, harvest + spaces.worth_left(state, clan, starve.spaces, tuning)
        case phases.SpreadingNeutral(new=new):
            yield moves.SpreadNeutral(spaces.neutral_spaces(state, colour, new)), 0.0
        case phases.Spreading():
            for chosen, cost in spaces.promising(state, clan, tuning):
                worth = spaces.worth_spreading(state, colour, chosen, cost, state.waiting, tuning)
                yield moves.Spread(chosen) if chosen else moves.Stay(), worth
        case phases.DealingHerbs() | phases.DrawingTile() | phases.DrawingCard() | phases.Ended() | None:
            raise ValueError("no clan is asked")
        case _ as unreachable:
            assert_never(unreachable)

"""The pending question as if it were put to another clan, for a player who wants to know what will be possible."""

from typing import assert_never

from pbem.first_sparks import phases
from pbem.first_sparks.briefing.tasks import task
from pbem.first_sparks.briefing.words import numbered, who
from pbem.first_sparks.clans import tool_limit
from pbem.first_sparks.phases import Phase
from pbem.first_sparks.rules import buying
from pbem.first_sparks.state import Clan, GameState


def supposed(state: GameState, colour: str) -> GameState | str:
    """Return the state in which that clan is asked the pending question, or why nobody can ask it that.

    The answer uses everything that the clan's player knows, and nothing more.
    """
    clan = state.clan(colour)
    if clan.resigned and not isinstance(state.phase, phases.Ended):
        return f"{who(state, colour)} has resigned."
    phase = _phase_for(state, clan)
    return phase if isinstance(phase, str) else state.asking(phase, state.waiting)


def _phase_for(state: GameState, clan: Clan) -> Phase | str:
    """Return the pending question for the clan, or why it cannot be asked."""
    name, phase = who(state, clan.colour), state.phase
    match phase:
        case phases.Offering():
            if clan.colour not in state.waiting:
                return f"{name} has already bought a card or passed in this phase."
            return phases.Offering(clan.colour)
        case phases.Answering():
            return _answering(state, phase, clan)
        case phases.Spreading():
            if not clan.members:
                return f"{name} has no member on the board, next to which a new one could stand."
            return phases.Spreading(clan.colour)
        case phases.Settling():
            return f"{name} has already settled." if clan.members else phases.Settling(clan.colour)
        case phases.Adding():
            return phases.Adding(clan.colour) if clan.size == 1 else f"{name} has already added a second member."
        case phases.Laying(tile=tile):
            if state.options.board == "random":
                return "Chance lays every tile."
            return phases.Laying(clan.colour, tile)
        case phases.Dropping():
            if len(clan.tools) <= tool_limit(clan):
                return f"{name} does not have too many tools."
            return phases.Dropping(clan.colour)
        case phases.Starving():
            return f"{name} does not have to choose who starves now."
        case phases.TakingOrDiscarding(card=number):
            return f"Only the player who has offered {numbered(state, number)} is asked to {task(state)}."
        case phases.SettlingNeutral() | phases.SpreadingNeutral() as neutral:
            return f"Only {who(state, neutral.clan)} decides for the neutral clan."
        case phases.DealingHerbs() | phases.DrawingTile() | phases.DrawingCard():
            return f"Chance must {task(state)} first."
        case phases.Ended() | None:
            return "The game is over."
        case _ as unreachable:
            assert_never(unreachable)


def _answering(state: GameState, phase: phases.Answering, clan: Clan) -> Phase | str:
    name, card = who(state, clan.colour), numbered(state, phase.card)
    if clan.colour in phase.unasked:
        later = phase.unasked[phase.unasked.index(clan.colour) + 1 :]
        return phase._replace(clan=clan.colour, unasked=later)
    if clan.colour == phase.offerer:
        return f"{name} offers {card}, and the others answer."
    if clan.colour in phase.wanted_by:
        return f"{name} has already said yes to {card}."
    if clan.colour not in state.waiting:
        return f"{name} has already bought a card or passed in this phase."
    if buying.is_asked(state, clan, phase.card):
        return f"{name} has already declined {card}."
    return f"{name} cannot buy {card}."

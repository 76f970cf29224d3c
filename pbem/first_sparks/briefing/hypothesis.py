"""The pending question as if it were put to another clan, for a player who wants to know what will be possible."""

from typing import assert_never

from pbem.first_sparks import phases
from pbem.first_sparks.briefing.duties import duty_of, told
from pbem.first_sparks.briefing.words import numbered, who
from pbem.first_sparks.clans import tool_limit
from pbem.first_sparks.phases import Phase
from pbem.first_sparks.rules import buying
from pbem.first_sparks.state import Clan, GameState
from pbem.locale import tr


def supposed(state: GameState, colour: str) -> GameState | str:
    """Return the state in which that clan is asked the pending question, or why nobody can ask it that.

    The answer uses everything that the clan's player knows, and nothing more.
    """
    clan = state.clan(colour)
    if clan.resigned and not isinstance(state.phase, phases.Ended):
        return tr("{name} has resigned.").format(name=who(state, colour))
    phase = _phase_for(state, clan)
    return phase if isinstance(phase, str) else state.asking(phase, state.waiting)


def _phase_for(state: GameState, clan: Clan) -> Phase | str:
    """Return the pending question for the clan, or why it cannot be asked."""
    name, phase = who(state, clan.colour), state.phase
    match phase:
        case phases.Offering():
            if clan.colour not in state.waiting:
                return tr("{name} has already bought a card or passed in this phase.").format(name=name)
            return phases.Offering(clan.colour)
        case phases.Answering():
            return _answering(state, phase, clan)
        case phases.Spreading():
            if not clan.members:
                return tr("{name} has no member on the board, next to which a new one could stand.").format(name=name)
            return phases.Spreading(clan.colour)
        case phases.Settling():
            return tr("{name} has already settled.").format(name=name) if clan.members else phases.Settling(clan.colour)
        case phases.Adding():
            return (
                phases.Adding(clan.colour)
                if clan.size == 1
                else tr("{name} has already added a second member.").format(name=name)
            )
        case phases.Laying(tile=tile):
            if state.options.board == "random":
                return tr("Chance lays every tile.")
            return phases.Laying(clan.colour, tile)
        case phases.Dropping():
            if len(clan.tools) <= tool_limit(clan):
                return tr("{name} does not have too many tools.").format(name=name)
            return phases.Dropping(clan.colour)
        case phases.Starving():
            return tr("{name} does not have to choose who starves now.").format(name=name)
        case phases.TakingOrDiscarding(card=number):
            only = tr("Only the player who has offered {card} is asked to take or discard {card}.")
            return only.format(card=numbered(state, number))
        case phases.SettlingNeutral() | phases.SpreadingNeutral() as neutral:
            return tr("Only {name} decides for the neutral clan.").format(name=who(state, neutral.clan))
        case phases.DealingHerbs() | phases.DrawingTile() | phases.DrawingCard():
            return told(duty_of(state).first, state)
        case phases.Ended() | None:
            return tr("The game is over.")
        case _ as unreachable:
            assert_never(unreachable)


def _answering(state: GameState, phase: phases.Answering, clan: Clan) -> Phase | str:
    name, card = who(state, clan.colour), numbered(state, phase.card)
    if clan.colour in phase.unasked:
        later = phase.unasked[phase.unasked.index(clan.colour) + 1 :]
        return phase._replace(clan=clan.colour, unasked=later)
    if clan.colour == phase.offerer:
        return tr("{name} offers {card}, and the others answer.").format(name=name, card=card)
    if clan.colour in phase.wanted_by:
        return tr("{name} has already said yes to {card}.").format(name=name, card=card)
    if clan.colour not in state.waiting:
        return tr("{name} has already bought a card or passed in this phase.").format(name=name)
    if buying.is_asked(state, clan, phase.card):
        return tr("{name} has already declined {card}.").format(name=name, card=card)
    return tr("{name} cannot buy {card}.").format(name=name, card=card)

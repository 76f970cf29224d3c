"""That it is somebody's turn, and to do what: the longest first lines of letters, whole for each phase."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from pbem.first_sparks import phases
from pbem.first_sparks.briefing.duties import duty_of, holes_of
from pbem.first_sparks.choice import net_price
from pbem.first_sparks.state import GameState
from pbem.locale import tr


class TurnLines(NamedTuple):
    """The first line of a letter to whoever is asked in a phase, ``{name}``.

    - *asked*: by itself.
    - *asked_for*: to whoever stands in for ``{absent}``.
    - *welcome*: at the beginning of the game.
    - *reminder*: with the time that is ``{left}``.
    """

    asked: str = ""
    asked_for: str = ""
    welcome: str = ""
    reminder: str = ""


_TURNS: Final[Mapping[type, TurnLines]] = {
    phases.Laying: TurnLines(
        asked="{name}, it is your turn to lay {tile}.",
        asked_for="{name}, it is your turn to lay {tile} for {absent}.",
        welcome="{name}, welcome. It is your turn to lay {tile}.",
        reminder="{name}, you have {left} left to lay {tile}.",
    ),
    phases.SettlingNeutral: TurnLines(
        asked="{name}, it is your turn to place the first member of the neutral clan.",
        asked_for="{name}, it is your turn to place the first member of the neutral clan for {absent}.",
        welcome="{name}, welcome. It is your turn to place the first member of the neutral clan.",
        reminder="{name}, you have {left} left to place the first member of the neutral clan.",
    ),
    phases.Settling: TurnLines(
        asked="{name}, it is your turn to place a first member.",
        asked_for="{name}, it is your turn to place a first member for {absent}.",
        welcome="{name}, welcome. It is your turn to place a first member.",
        reminder="{name}, you have {left} left to place a first member.",
    ),
    phases.Adding: TurnLines(
        asked="{name}, it is your turn to add a second member or stay.",
        asked_for="{name}, it is your turn to add a second member or stay for {absent}.",
        welcome="{name}, welcome. It is your turn to add a second member or stay.",
        reminder="{name}, you have {left} left to add a second member or stay.",
    ),
    phases.Offering: TurnLines(
        asked="{name}, it is your turn to offer a card or pass.",
        asked_for="{name}, it is your turn to offer a card or pass for {absent}.",
        welcome="{name}, welcome. It is your turn to offer a card or pass.",
        reminder="{name}, you have {left} left to offer a card or pass.",
    ),
    phases.Answering: TurnLines(
        asked="{name}, it is your turn to buy {card} for {cost} food, or decline.",
        asked_for="{name}, it is your turn to buy {card} for {cost} food, or decline for {absent}.",
        welcome="{name}, welcome. It is your turn to buy {card} for {cost} food, or decline.",
        reminder="{name}, you have {left} left to buy {card} for {cost} food, or decline.",
    ),
    phases.TakingOrDiscarding: TurnLines(
        asked="{name}, it is your turn to take {card} for {cost} food, or discard it.",
        asked_for="{name}, it is your turn to take {card} for {cost} food, or discard it for {absent}.",
        welcome="{name}, welcome. It is your turn to take {card} for {cost} food, or discard it.",
        reminder="{name}, you have {left} left to take {card} for {cost} food, or discard it.",
    ),
    phases.Dropping: TurnLines(
        asked="{name}, it is your turn to discard a tool.",
        asked_for="{name}, it is your turn to discard a tool for {absent}.",
        welcome="{name}, welcome. It is your turn to discard a tool.",
        reminder="{name}, you have {left} left to discard a tool.",
    ),
    phases.Starving: TurnLines(
        asked="{name}, it is your turn to choose {members} to starve.",
        asked_for="{name}, it is your turn to choose {members} to starve for {absent}.",
        welcome="{name}, welcome. It is your turn to choose {members} to starve.",
        reminder="{name}, you have {left} left to choose {members} to starve.",
    ),
    phases.SpreadingNeutral: TurnLines(
        asked="{name}, it is your turn to place {members} of the neutral clan.",
        asked_for="{name}, it is your turn to place {members} of the neutral clan for {absent}.",
        welcome="{name}, welcome. It is your turn to place {members} of the neutral clan.",
        reminder="{name}, you have {left} left to place {members} of the neutral clan.",
    ),
    phases.Spreading: TurnLines(
        asked="{name}, it is your turn to spread or stay.",
        asked_for="{name}, it is your turn to spread or stay for {absent}.",
        welcome="{name}, welcome. It is your turn to spread or stay.",
        reminder="{name}, you have {left} left to spread or stay.",
    ),
}


def turn_of(state: GameState) -> TurnLines:
    """Return the first lines of letters to whoever is asked, with holes; all empty when no player is."""
    return _TURNS.get(type(state.phase), TurnLines())


def turn_holes(state: GameState) -> dict[str, str]:
    """Return what fills the holes of first lines about what is asked, and ``{task}``: what it is, for a subject."""
    holes = holes_of(state)
    short = holes
    if isinstance(state.phase, phases.Answering | phases.TakingOrDiscarding):
        holes |= {"cost": str(net_price(state, state.phase.card))}
        short = holes | {"card": f"#{state.phase.card}"}
    return holes | {"task": tr(duty_of(state).bare).format_map(short)}

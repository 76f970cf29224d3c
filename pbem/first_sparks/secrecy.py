"""Who may know what, in a game with hidden food."""

from collections.abc import Sequence
from itertools import takewhile

from pbem.first_sparks.adjudicator import Entry, who_decides
from pbem.first_sparks.events import GameEnded, Hunted
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.state import CHANCE, Clan, GameState


def hides_food(state: GameState, clan: Clan, viewer: str | None) -> bool:
    """Return whether *viewer* must not learn the clan's food; when the game is over, all food is open.

    Rule: hidden-food (R8.1)
    """
    return state.hides_food(clan) and clan.colour != viewer and not isinstance(state.phase, Ended)


def may_read(state: GameState, viewer: str | None) -> bool:
    """Return whether *viewer* may read the choices: the clan that decides may, and everybody unless it hides food."""
    decides = who_decides(state)
    if decides in (None, CHANCE):
        return False
    return viewer == decides or (viewer is None and not hides_food(state, state.clan(decides), None))


def without_foresight(history: Sequence[tuple[Entry, GameState]]) -> Sequence[tuple[Entry, GameState]]:
    """Return the part of a mere preview that may be shown.

    If food is hidden, it stops before a hunt or the end of the game: who would
    starve or win reveals hidden food, and the viewer can still decide otherwise.
    """
    told: list[tuple[Entry, GameState]] = []
    for entry, state in history:
        events = state.events
        if state.options.hide_food:
            events = tuple(takewhile(lambda event: not isinstance(event, (Hunted, GameEnded)), events))
        told.append((entry, state._replace(events=events)))
        if len(events) < len(state.events):
            break
    return told

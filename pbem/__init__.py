"""The adjudicator for Power Grid: The First Sparks by email, through a git repository, or with scripts.

A script needs only these names; the rules beneath them are in ``pbem.first_sparks``.
"""

from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from pbem.errors import PbemError
    from pbem.first_sparks.choice import Choice
    from pbem.first_sparks.plans.plan import Plan
    from pbem.first_sparks.state import GameState
    from pbem.research.node import Node, root
    from pbem.research.observation import Observation, observe
    from pbem.research.tree import apply, outcomes, returns, winners
    from pbem.scripts.library import (
        Game,
        check,
        choices,
        decides,
        imagine,
        load,
        new_game,
        note,
        plan,
        planned,
        play,
        replay,
        save,
        situation,
        summary,
    )

__all__ = [
    "Choice",
    "Game",
    "GameState",
    "Node",
    "Observation",
    "PbemError",
    "Plan",
    "apply",
    "check",
    "choices",
    "decides",
    "imagine",
    "load",
    "new_game",
    "note",
    "observe",
    "outcomes",
    "plan",
    "planned",
    "play",
    "replay",
    "returns",
    "root",
    "save",
    "situation",
    "summary",
    "winners",
]

if not TYPE_CHECKING:
    _RESEARCH = {
        **dict.fromkeys(("apply", "outcomes", "returns", "winners"), "pbem.research.tree"),
        **dict.fromkeys(("Node", "root"), "pbem.research.node"),
        **dict.fromkeys(("Observation", "observe"), "pbem.research.observation"),
    }

    def __getattr__(name: str) -> object:
        """Return a name of the library, which is only imported when the name is used."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        found: object = getattr(import_module(_RESEARCH.get(name, "pbem.scripts.library")), name)
        globals()[name] = found  # where Python finds it from now on
        return found

    def __dir__() -> list[str]:
        """Return the names of the library, imported or not."""
        return __all__

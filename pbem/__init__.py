"""The adjudicator for Power Grid: The First Sparks by email, through a git repository, or with scripts.

A script needs only these names; the rules beneath them are in ``pbem.first_sparks``.
"""

from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from pbem.errors import PbemError
    from pbem.first_sparks.choice import Choice
    from pbem.first_sparks.plans.plan import Plan
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
    "PbemError",
    "Plan",
    "check",
    "choices",
    "decides",
    "imagine",
    "load",
    "new_game",
    "note",
    "plan",
    "planned",
    "play",
    "replay",
    "save",
    "situation",
    "summary",
]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Return a name of the library, which is only imported when the name is used."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from pbem.scripts import library

        return getattr(library, name)

    def __dir__() -> list[str]:
        """Return the names of the library, imported or not."""
        return __all__

"""The game *Power Grid: The First Sparks*: pure, without input or output except for its own data.

Its whole interface is four functions on ``GameState``: ``new_game``,
``adjudicate``, ``choices`` and ``situation``.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pbem.first_sparks.adjudicator import adjudicate, choices, new_game
    from pbem.first_sparks.briefing.situation import situation

__all__ = ["adjudicate", "choices", "new_game", "situation"]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Return one of the four functions, and import its module only now."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from pbem.first_sparks import adjudicator
        from pbem.first_sparks.briefing import situation

        return getattr(situation if name == "situation" else adjudicator, name)

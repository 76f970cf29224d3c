"""What a reply answers: the question of the game, or our question whether the player meant something."""

from collections.abc import Callable
from typing import Final, NamedTuple

from pbem.first_sparks.notation import expected
from pbem.first_sparks.state import GameState
from pbem.locale import Language


class Context(NamedTuple):
    """The writer of a reply, and what it answers.

    *state* is the situation in which it is the writer's turn, None if it is somebody else's; *name* is the writer's;
    *given* are the orders that the writer gave in earlier turns. *proposed* are the last orders that the writer was
    asked to confirm, and *replies_to_it* is whether the reply answers that letter. *letter* makes the words of the
    letter, one blank apart, by which the reply's quotes of it are recognised. With *waves* an answer may wait for
    those of others.
    """

    state: GameState | None = None
    name: str = ""
    given: frozenset[str] = frozenset()
    proposed: tuple[str, ...] = ()
    replies_to_it: bool = False
    letter: Callable[[], str] = str
    waves: bool = False
    language: Language = "en"

    @property
    def takes_yes(self) -> bool:
        """Whether a yes can answer the question of the game."""
        return self.state is not None and not {"buy", "take"}.isdisjoint(expected(self.state.phase))


NOBODY: Final = Context()

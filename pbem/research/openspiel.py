"""The game for OpenSpiel, as ``python_first_sparks``; importing this module registers it.

It needs the extra [openspiel]. Players are numbered by seats, and have the first colours in order. Actions are the
numbers of ``actions``, for chance too; observations are those of ``observation``. Parameters of the game are
``players``, ``board`` (``random``, ``recommended`` or ``players``), and ``hide_food``.
"""

# pyright: basic
# A module that is compiled from C++ has no types.

import json
from typing import Any, Final, cast

try:
    import pyspiel  # type: ignore[import-not-found, unused-ignore]
except ImportError as missing:
    raise ImportError(
        "OpenSpiel is not installed: run pip install '.[openspiel]' in the source folder of pbem"
    ) from missing

from pbem.first_sparks.codec import encode_state
from pbem.first_sparks.components import COLOURS
from pbem.first_sparks.options import BoardWay
from pbem.first_sparks.state import CHANCE
from pbem.research.node import longest, root
from pbem.research.observation import layout, numbers, observe

SHORT_NAME: Final = "python_first_sparks"
_PARAMETERS: Final[dict[str, Any]] = {"players": 2, "board": "random", "hide_food": False}


def _type(hide_food: bool) -> pyspiel.GameType:
    information = pyspiel.GameType.Information
    return pyspiel.GameType(
        short_name=SHORT_NAME,
        long_name="Power Grid: The First Sparks",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=information.IMPERFECT_INFORMATION if hide_food else information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=6,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=_PARAMETERS,
    )


class SparksGame(pyspiel.Game):  # type: ignore[misc, unused-ignore]
    """The game with its parameters; raises UsageError for parameters that do not go together."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        said = _PARAMETERS | (params or {})
        players, self.board, hide_food = int(said["players"]), cast("BoardWay", said["board"]), bool(said["hide_food"])
        self.start: Final = root(players, self.board, hide_food)
        table = self.start.table
        info = pyspiel.GameInfo(
            num_distinct_actions=table.of_players(self.board),
            max_chance_outcomes=len(table.words),
            num_players=players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=longest(self.start.state.components, players),
        )
        super().__init__(_type(hide_food), info, said)

    def new_initial_state(self, text: str | None = None) -> "SparksState":
        """Return the state before anything is drawn."""
        del text
        return SparksState(self)

    def make_py_observer(
        self, kind: pyspiel.IIGObservationType | None = None, params: dict[str, Any] | None = None
    ) -> "SparksObserver":
        """Return what sees a state as a player does."""
        if params:
            raise ValueError(f"an observer takes no parameters, not {params}")
        return SparksObserver(self, perfect_recall=kind is not None and kind.perfect_recall)


class SparksState(pyspiel.State):  # type: ignore[misc, unused-ignore]
    """A node of the tree, with the methods that OpenSpiel asks of a state."""

    def __init__(self, game: SparksGame) -> None:
        super().__init__(game)
        self.node = game.start

    def current_player(self) -> int:
        """Return the seat that decides, or the number that stands for chance or the end."""
        decides = self.node.decides
        if decides is None:
            return int(pyspiel.PlayerId.TERMINAL)
        return int(pyspiel.PlayerId.CHANCE) if decides == CHANCE else COLOURS.index(decides)

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.node.decides is None

    def _legal_actions(self, player: int) -> list[int]:
        del player
        return [*self.node.actions]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return what chance may draw, with probabilities."""
        return [*self.node.outcomes]

    def _apply_action(self, action: int) -> None:
        self.node = self.node.after(action)

    def _action_to_string(self, player: int, action: int) -> str:
        del player
        return self.node.words(action)

    def returns(self) -> list[float]:
        """Return what the game is worth to each seat."""
        worth = self.node.returns
        return [worth[colour] for colour in COLOURS[: len(worth)]]

    def __str__(self) -> str:
        """Return a text that no other state has, since programs use it as a key."""
        return f"{self.node!r}\n{json.dumps(encode_state(self.node.state))}"


class SparksObserver:
    """What a player sees: ``tensor``, the same by blocks in ``dict``, and a text.

    With perfect recall it is the text of everything that has happened: all moves and draws are open, so that whoever
    has counted also knows what food is hidden.
    """

    def __init__(self, game: SparksGame, *, perfect_recall: bool) -> None:
        import numpy as np

        self._components = game.start.state.components
        self._perfect_recall = perfect_recall
        self.tensor, self.dict = None, dict[str, Any]()
        if not perfect_recall:
            blocks = layout(len(game.start.state.clans), self._components)
            self.tensor = np.zeros(sum(length for _, length in blocks), np.float32)
            begin = 0
            for name, length in blocks:
                self.dict[name] = self.tensor[begin : begin + length]
                begin += length

    def set_from(self, state: SparksState, player: int) -> None:
        """Write into ``tensor`` what the seat sees."""
        if self.tensor is not None:
            self.tensor[:] = numbers(observe(state.node, COLOURS[player]), self._components)

    def string_from(self, state: SparksState, player: int) -> str:
        """Return what the seat sees as a text."""
        if self._perfect_recall:
            return f"{COLOURS[player]}: {state.history_str()}"
        return str(observe(state.node, COLOURS[player]))


pyspiel.register_game(_type(hide_food=False), SparksGame)

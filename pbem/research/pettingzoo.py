"""The game for PettingZoo (AEC): ``player_0`` is the clan of the first colour, ``player_1`` of the second, and so on.

It needs the extra [pettingzoo]. Actions are the numbers of ``actions``; an observation has what ``observation`` writes
down as numbers, and a mask of the actions that are legal. Chance draws by the seed of ``reset``, in between.
"""

# pyright: basic
# PettingZoo says nothing about its types to those who use it.

from typing import Any, Final

try:
    import numpy as np
    from gymnasium.spaces import Box, Dict, Discrete, Space
    from gymnasium.utils.seeding import np_random
    from pettingzoo import AECEnv  # type: ignore[import-untyped, unused-ignore]
    from pettingzoo.utils.wrappers import OrderEnforcingWrapper  # type: ignore[import-untyped, unused-ignore]
except ImportError as missing:
    raise ImportError(
        "PettingZoo is not installed: run pip install '.[pettingzoo]' in the source folder of pbem"
    ) from missing

from pbem.first_sparks.components import COLOURS
from pbem.first_sparks.options import BoardWay
from pbem.first_sparks.state import CHANCE
from pbem.research.node import Node, root
from pbem.research.observation import layout, numbers, observe

_MOST: Final = 999  # the highest card, and far above all food, coordinates and rounds
_RENDERED: Final = ("ansi", "html")
AgentView = dict[str, np.ndarray[Any, Any]]


def env(
    players: int = 2,
    board: BoardWay = "random",
    *,
    hide_food: bool = False,
    rounds: int = 100,
    render_mode: str | None = None,
) -> AECEnv[str, AgentView, Any]:
    """Return the environment with PettingZoo's check of the order of calls.

    A game that is longer than so many *rounds* is truncated: no reward is given. Careful players need about ten. Raises
    UsageError for players and a board that do not go together.
    """
    return OrderEnforcingWrapper(SparksEnv(players, board, hide_food=hide_food, rounds=rounds, render_mode=render_mode))


class SparksEnv(AECEnv[str, AgentView, Any]):  # type: ignore[misc, unused-ignore]
    """The environment without wrappers; see ``env``. ``node`` is where the game stands."""

    metadata = {"name": "first_sparks_v0", "render_modes": [*_RENDERED], "is_parallelizable": False}  # noqa: RUF012

    def __init__(
        self, players: int, board: BoardWay, *, hide_food: bool, rounds: int, render_mode: str | None = None
    ) -> None:
        super().__init__()
        if render_mode not in (None, *_RENDERED):
            raise ValueError(f"the render mode must be ansi or html, not {render_mode!r}")
        if rounds < 1:
            raise ValueError(f"a game needs at least one round, not {rounds}")
        self._start, self._rounds, self.render_mode = root(players, board, hide_food), rounds, render_mode
        self._random = np_random(None)[0]
        self.node: Node = self._start
        self._actions = actions = self.node.table.of_players(board)
        length = sum(length for _, length in layout(players))
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self.colours: Final = dict(zip(self.possible_agents, COLOURS, strict=False))
        self._acting = {agent: Discrete(actions) for agent in self.possible_agents}
        self._seeing = {
            agent: Dict(
                {
                    "observation": Box(-_MOST, _MOST, (length,), np.int16),
                    "action_mask": Box(0, 1, (actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }

    def observation_space(self, agent: str) -> Space[Any]:
        """Return the space of an agent's observations."""
        return self._seeing[agent]

    def action_space(self, agent: str) -> Space[Any]:
        """Return the space of an agent's actions."""
        return self._acting[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new game; the same seed gives the same draws for the same actions."""
        del options
        if seed is not None:
            self._random = np_random(seed)[0]
        self.agents = [*self.possible_agents]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._go_on(self._start)

    def observe(self, agent: str) -> AgentView:
        """Return what the agent may know; only the agent that decides has legal actions."""
        mask = np.zeros(self._actions, np.int8)
        if self.node.decides == self.colours[agent]:
            mask[[*self.node.actions]] = 1
        seen = numbers(observe(self.node, self.colours[agent]), self.node.state.components)
        return {"observation": np.array(seen, np.int16), "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Take an action for the agent that is selected; raises Illegal with what would be legal."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        after = self.node.after(int(action) if action is not None else -1)
        self._cumulative_rewards[agent] = 0.0
        self._go_on(after)
        self._accumulate_rewards()

    def _go_on(self, node: Node) -> None:
        """Draw until a player decides; the end of the game is the end for all agents."""
        while node.decides == CHANCE:
            drawn, odds = zip(*node.outcomes, strict=True)
            node = node.after(drawn[self._random.choice(len(drawn), p=odds)])
        self.node = node
        over, cut = node.decides is None, node.state.round > self._rounds
        if over or cut:
            self.rewards = {agent: node.returns[colour] for agent, colour in self.colours.items()}
            self.terminations = dict.fromkeys(self.agents, over)
            self.truncations = dict.fromkeys(self.agents, not over)
        decides = COLOURS[0] if node.decides is None else node.decides
        self.agent_selection = self.possible_agents[COLOURS.index(decides)]

    def render(self) -> str | None:
        """Return what everybody sees: as text, or as a picture of the board."""
        if self.render_mode == "html":
            return self.node._repr_html_()
        return self.node.text if self.render_mode == "ansi" else None

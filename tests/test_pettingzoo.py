"""The game in PettingZoo: its own tests, and that it is the same game."""

from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from pbem.errors import Illegal, UsageError
from pbem.research.observation import numbers, observe
from pbem.research.pettingzoo import SparksEnv, env

# What its tests say about every game with a mask of legal actions, its own classic games too.
pytestmark = pytest.mark.filterwarnings(
    "ignore:Observation space for each agent probably should be",
    "ignore:Observation is not a NumPy array",
)
KINDS: list[dict[str, Any]] = [
    {"players": 2},
    {"players": 3, "board": "recommended", "hide_food": True},
    {"players": 4, "board": "players"},
    {"players": 6, "rounds": 3},
]


def played(world: Any, seed: int) -> dict[str, tuple[float, bool, bool]]:
    """Return what each agent got in a random game, and whether it was over or cut off."""
    world.reset(seed=seed)
    ends = {}
    for number, agent in enumerate(world.agent_iter()):
        seen, reward, over, cut, _ = world.last()
        if over or cut:
            ends[agent] = (reward, over, cut)
        space = world.action_space(agent)
        space.seed(1000 * seed + number)
        world.step(None if over or cut else space.sample(seen["action_mask"]))
    return ends


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_it_passes_the_tests_of_petting_zoo(kind: dict[str, Any]) -> None:
    api_test(env(**kind), num_cycles=400)
    seed_test(lambda: env(**kind), num_cycles=100)


def test_the_end_gives_everybody_what_the_game_is_worth() -> None:
    world = env(3)
    ends = played(world, 1)
    inner = world.unwrapped
    assert isinstance(inner, SparksEnv)

    assert {inner.colours[agent]: reward for agent, (reward, _, _) in ends.items()} == inner.node.returns
    assert {(over, cut) for _, over, cut in ends.values()} == {(True, False)}
    assert sorted(inner.node.returns.values()) == [-0.5, -0.5, 1.0]


def test_a_long_game_is_cut_off_without_a_reward() -> None:
    ends = played(env(2, rounds=2), 1)

    assert set(ends.values()) == {(0.0, False, True)}


def test_an_agent_sees_what_the_player_may_know() -> None:
    world = SparksEnv(3, "random", hide_food=True, rounds=10)
    world.reset(seed=4)
    for agent, colour in world.colours.items():
        seen = world.observe(agent)

        assert [*seen["observation"]] == numbers(observe(world.node, colour), world.node.state.components)
        legal = [*world.node.actions] if agent == world.agent_selection else []
        assert [*np.flatnonzero(seen["action_mask"])] == legal


def test_an_action_that_is_not_legal_changes_nothing() -> None:
    world = env()
    world.reset(seed=1)
    before = world.unwrapped.node  # type: ignore[attr-defined]

    with pytest.raises(Illegal, match="action 1 is not legal now"):
        world.step(1)
    assert world.unwrapped.node is before  # type: ignore[attr-defined]


def test_the_board_can_be_shown() -> None:
    shown = {}
    for mode in ("ansi", "html", None):
        world = env(render_mode=mode)
        world.reset(seed=1)
        shown[mode] = world.render()

    assert str(shown["ansi"]).startswith("BOARD\n")
    assert "current market" in str(shown["ansi"])
    assert str(shown["html"]).startswith("<svg")
    assert shown[None] is None
    with pytest.raises(ValueError, match="ansi or html"):
        env(render_mode="human")


def test_a_game_without_rounds_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one round"):
        env(rounds=0)


def test_players_and_a_board_that_do_not_go_together_are_refused() -> None:
    with pytest.raises(UsageError, match="no recommended board for 6 players"):
        env(6, "recommended")

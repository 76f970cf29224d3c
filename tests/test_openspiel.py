"""The game in OpenSpiel: its own tests of games, and that it is the same game."""

import pickle
from random import Random
from typing import Any

import pyspiel
import pytest
from open_spiel.python.algorithms import mcts
from open_spiel.python.observation import make_observation

import pbem
from pbem.errors import UsageError
from pbem.first_sparks.components import COLOURS
from pbem.research.observation import layout, numbers
from pbem.research.openspiel import SHORT_NAME

PARAMETERS = [
    {},
    {"players": 3, "board": "recommended"},
    {"players": 3, "board": "players"},
    {"players": 5, "hide_food": True},
    {"players": 6},
]


def played(game: Any, seed: int, most: int = 2000) -> Any:
    random, state = Random(seed), game.new_initial_state()
    while not state.is_terminal() and state.move_number() < most:
        found = (
            [*zip(*state.chance_outcomes(), strict=True)] if state.is_chance_node() else [state.legal_actions(), None]
        )
        state.apply_action(random.choices(found[0], found[1])[0])
    return state


@pytest.mark.parametrize("parameters", PARAMETERS, ids=str)
def test_it_passes_the_tests_of_open_spiel(parameters: dict[str, Any]) -> None:
    """Legal actions, masks, chance, clones, returns, information states, and states that are written and read again."""
    game = pyspiel.load_game(SHORT_NAME, parameters)

    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)


@pytest.mark.parametrize("parameters", PARAMETERS, ids=str)
def test_a_game_there_is_a_game_here(parameters: dict[str, Any]) -> None:
    """Step by step, from the history that OpenSpiel keeps."""
    game = pyspiel.load_game(SHORT_NAME, parameters)
    state = played(game, 7)
    node = pbem.root(game.num_players(), parameters.get("board", "random"), parameters.get("hide_food", False))
    for player, action in ((item.player, item.action) for item in state.full_history()):
        assert node.decides == ("*" if player < 0 else COLOURS[player])
        node = node.after(action)

    assert node.decides is None
    assert state.node == node
    assert state.returns() == [node.returns[colour] for colour in COLOURS[: game.num_players()]]
    assert state.current_player() == pyspiel.PlayerId.TERMINAL


def test_the_text_of_a_state_is_a_key() -> None:
    """Equal states have the same text, and different ones another, also while an answer is only named in part."""
    game, found = pyspiel.load_game(SHORT_NAME, {"players": 3, "board": "recommended", "hide_food": True}), {}
    for seed in (1, 1, 2):
        random, state = Random(seed), game.new_initial_state()
        for _ in range(100):
            assert found.setdefault(str(state), state.node) == state.node
            state.apply_action(random.choice([*state.node.actions]))

    assert len({*found.values()}) == len(found) > 150


def test_chance_has_the_probabilities_of_the_tree() -> None:
    state = pyspiel.load_game(SHORT_NAME).new_initial_state()

    assert state.is_chance_node()
    assert state.chance_outcomes() == [*pbem.root(2).outcomes]
    assert state.action_to_string(pyspiel.PlayerId.CHANCE, state.chance_outcomes()[0][0]) == "draw 1"


def test_states_are_written_and_read_again() -> None:
    game = pyspiel.load_game(SHORT_NAME, {"players": 4})
    state = played(game, 3, 60)
    _, read = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))

    assert read.node == state.node
    assert pickle.loads(pickle.dumps(state)).node == state.node  # noqa: S301 -- our own
    assert state.clone().node is state.node


def test_an_observation_is_what_the_player_may_know() -> None:
    game = pyspiel.load_game(SHORT_NAME, {"players": 3, "hide_food": True})
    seen, state = make_observation(game), played(game, 5, 150)
    for seat in range(3):
        seen.set_from(state, seat)
        known = pbem.observe(state.node, COLOURS[seat])

        assert [*seen.tensor] == numbers(known, state.node.state.components) == state.observation_tensor(seat)
        assert seen.string_from(state, seat) == state.observation_string(seat) == str(known)
        assert {name: len(block) for name, block in seen.dict.items()} == dict(layout(3))


def test_an_information_state_tells_two_histories_apart() -> None:
    game = pyspiel.load_game(SHORT_NAME)
    one, other, same = (played(game, seed, 80) for seed in (1, 2, 1))

    assert one.information_state_string(0) == same.information_state_string(0)
    assert one.information_state_string(0) != other.information_state_string(0)


def test_only_hidden_food_makes_information_imperfect() -> None:
    information = pyspiel.GameType.Information

    assert pyspiel.load_game(SHORT_NAME).get_type().information == information.PERFECT_INFORMATION
    hidden = pyspiel.load_game(SHORT_NAME, {"hide_food": True})
    assert hidden.get_type().information == information.IMPERFECT_INFORMATION


def test_an_algorithm_of_open_spiel_plays_it() -> None:
    game = pyspiel.load_game(SHORT_NAME, {"board": "recommended"})
    import numpy as np

    random = np.random.RandomState(1)
    bot = mcts.MCTSBot(game, 2.0, 4, mcts.RandomRolloutEvaluator(1, random), random_state=random)
    state = played(game, 1, 12)
    while state.is_chance_node():
        state.apply_action(state.chance_outcomes()[0][0])

    assert bot.step(state) in state.legal_actions()


def test_parameters_that_do_not_go_together_are_refused() -> None:
    with pytest.raises(UsageError, match="no recommended board for 6 players"):
        pyspiel.load_game(SHORT_NAME, {"players": 6, "board": "recommended"})

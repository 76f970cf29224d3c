"""The tree search of ``examples/research``; ``benchmark_mcts.py`` measures how strong it is."""

import importlib.util
from pathlib import Path

import pytest

import pbem

SEARCH = Path(__file__).parents[1] / "examples" / "research" / "mcts.py"
SPEC = importlib.util.spec_from_file_location("mcts", SEARCH)
assert SPEC is not None
assert SPEC.loader is not None
mcts = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(mcts)


def a_game(players: int, name: str = "search") -> pbem.Game:
    return pbem.new_game(["Ann", "Bob", "Cara"][:players], name=name, board="recommended", secret="0" * 64)


def test_it_has_at_most_100_lines() -> None:
    assert len(SEARCH.read_text(encoding="utf-8").splitlines()) <= 100


@pytest.mark.slow
@pytest.mark.parametrize(("players", "iterations"), [(2, 40), (3, 15)])
def test_it_decides_the_same_whatever_will_be_drawn(players: int, iterations: int) -> None:
    """It cannot know: the same situation with another secret is the same question."""
    game = a_game(players)
    for _ in range(6):
        choice = mcts.search(game, iterations=iterations)

        assert mcts.search(game, iterations=iterations) == choice
        assert mcts.search(pbem.imagine(game, "another future"), iterations=iterations) == choice
        assert choice in pbem.choices(game, few=True)
        game = pbem.play(game, choice.order)


@pytest.mark.slow
def test_it_takes_the_win() -> None:
    """With enough food for the thirteenth member, and more members than anybody else can have, it ends the game."""
    from pbem.first_sparks.bot.decide import decide

    names = (f"search{number}" for number in range(20))
    game = a_game(2)
    while not any(pbem.winners(pbem.apply(game, choice)) for choice in pbem.choices(game, few=True)):
        colour = pbem.decides(game)
        game = pbem.play(game, str(decide(game.state, colour))) if colour else a_game(2, next(names))
    colour = pbem.decides(game)
    wins = [choice for choice in pbem.choices(game, few=True) if colour in pbem.winners(pbem.apply(game, choice))]

    assert mcts.search(game, iterations=200) in wins


def test_a_longer_search_looks_further() -> None:
    """The budget of CPU seconds is one too."""
    game = a_game(2)

    assert mcts.search(game, seconds=0.05) in pbem.choices(game)
    assert mcts.search(game.state, iterations=1) == mcts.search(game, iterations=1)


def test_it_is_asked_only_where_a_player_decides() -> None:
    for state in (pbem.root(2).state, pbem.apply(a_game(2), "resign")):
        with pytest.raises(ValueError, match="no player decides"):
            mcts.search(state, iterations=1)


def test_it_answers_however_little_time_there_is() -> None:
    game = a_game(2)

    assert mcts.search(game, seconds=0).order in {choice.order for choice in pbem.choices(game, few=True)}

"""How often the search of ``examples/research/mcts.py`` beats the bot, in games of two players.

    python tests/benchmark_mcts.py [--games 100] [--seconds 1] [--jobs 2] [--first 400000]

Each two games have the same draws, with the seats swapped. The search has so many CPU seconds for each decision, so
that other programs on the machine do not weaken it, and one process uses one core. It gets a state, in which no secret
is. A shared victory counts half; the interval is Wilson's.
"""

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from random import Random
from time import process_time

sys.path.insert(0, str(Path(__file__).parents[1] / "examples" / "research"))
sys.path.insert(0, str(Path(__file__).parent))

from benchmark_bot import interval
from mcts import search
from tournament import one_game, the_bot

from pbem.first_sparks.moves import Move
from pbem.first_sparks.state import GameState


def played(seconds: float, first: int, number: int) -> tuple[float, int, float]:
    """Return what the search has won in a game, for how many decisions it was asked, and the CPU time of the game."""
    asked, start = [], process_time()

    def searching(state: GameState, colour: str, random: Random) -> Move:
        asked.append(colour)
        return search(state, seconds).move

    game = one_game(2, number % 2, searching, the_bot, first + number // 2)
    return game.won, len(asked), process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description="How often the search beats the bot.")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--first", type=int, default=400_000)
    said = parser.parse_args()
    won = [0.0, 0.0]
    with ProcessPoolExecutor(said.jobs) as pool:
        games = pool.map(partial(played, said.seconds, said.first), range(said.games))
        for number, (share, decisions, time) in enumerate(games):
            won[number % 2] += share
            total = sum(won)
            low, high = interval(total / (number + 1), number + 1)
            print(
                f"games: {number + 1} at {said.seconds:g} s a decision: won {total:g}, {total / (number + 1):.1%} "
                f"({low:.1%} to {high:.1%}), {won[0]:g} in the first seat and {won[1]:g} in the second; "
                f"the last one took {decisions} decisions and {time:.0f} s of CPU time",
                flush=True,
            )


if __name__ == "__main__":
    main()

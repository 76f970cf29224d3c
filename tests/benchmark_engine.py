"""How fast games are played in this process, as ratios measured in one run; absolute numbers mean nothing elsewhere.

    pip install '.[bench]' && python tests/benchmark_engine.py

A state is the situation after a line of the log: a choice, a draw, or an answer that was forced. Everything legal is
listed at each one, and a random move of the list is played; nothing is sampled, and no list is cut off.

1. the engine: ``choices`` and ``follow`` on bare states;
2. the library: ``pbem.choices``, and ``pbem.play`` with the text of one of them, which also plays what is drawn and
   forced; the log is made when it is asked for, and here nobody asks while the time is taken. A choice of a short list
   that was made for this very state is not read and judged again; the next line is the same with all choices judged;
3. ``verify`` of whole games in memory;
4. games of careful players, whose clans grow: how long their lists of spreads are, and how many are listed a second;
5. random play of python-chess, and of OpenSpiel's gin_rummy and backgammon from Python where it is installed.

The best of several rounds counts, in which all take turns, since other programs disturb them. With ``PBEM_COMPILE=1 pip
install .`` the rules are compiled; the first line says what was measured.
"""

import gc
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parent))

from bots import a_new_record, a_sensible_choice
from bots import random_play as random_record
from builders import COLOURS, the_components

import pbem
from pbem.first_sparks import adjudicator
from pbem.first_sparks.adjudicator import choices, follow, new_game, who_decides
from pbem.first_sparks.options import Options
from pbem.first_sparks.phases import Spreading
from pbem.first_sparks.proof import verify

ROUNDS = 9
MOST_ROUNDS = 40  # of a random game; its clans may wander for long
NAMES = "ABCDEF"


def players(seed: int) -> tuple[tuple[str, str], ...]:
    return tuple(zip(COLOURS[: 2 + seed % 5], NAMES, strict=False))


class Count:
    """What was done, and in how many CPU seconds."""

    def __init__(self) -> None:
        self.states = self.decisions = self.listed = 0
        self.seconds = 0.0

    @property
    def speed(self) -> float:
        """The states in a CPU second."""
        return self.states / self.seconds


def engine(games: int = 40) -> Count:
    count, components = Count(), the_components()
    start = time.process_time()
    for seed in range(games):
        random = Random(seed)
        state = new_game(components, players(seed), Options("players"))
        while (decides := who_decides(state)) is not None and state.round <= MOST_ROUNDS:
            legal = list(choices(state))
            count.states, count.listed = count.states + 1, count.listed + len(legal)
            state = follow(state, decides, random.choice(legal))
    count.seconds = time.process_time() - start
    count.decisions = count.states
    return count


def library(games: int = 20, *, judged: bool = False) -> Count:
    """Return what is played from the library; an order that names its player is always *judged*."""
    count = Count()
    for seed in range(games):
        random = Random(seed)
        start = time.process_time()
        game = pbem.new_game([f"{name}:{colour}" for colour, name in players(seed)], secret=f"{seed:064x}")
        while pbem.decides(game) is not None and game.state.round <= MOST_ROUNDS:
            legal = pbem.choices(game)
            count.decisions, count.listed = count.decisions + 1, count.listed + len(legal)
            game = pbem.play(game, random.choice(legal).order, pbem.decides(game) if judged else "")
        count.seconds += time.process_time() - start
        count.states += len(game.log)  # which is made here
    return count


def verified(games: int = 15) -> Count:
    count = Count()
    records = []
    for seed in range(games):
        *_, (record, _, _) = random_record(a_new_record(2 + seed % 5, f"verify-{time.time_ns()}"), Random(seed))
        records.append(record)
    gc.collect()  # what was there before takes none of the time
    start = time.process_time()
    count.states = sum(map(verify, records))
    count.seconds = time.process_time() - start
    return count


def careful(games: int = 6) -> Count:
    """Return the lists of spreads of careful players; only these are counted and timed."""
    count = Count()
    for seed in range(games):
        random = Random(seed)
        state = new_game(the_components(), players(seed), Options("random"))
        while (decides := who_decides(state)) is not None and state.round <= MOST_ROUNDS:
            if isinstance(state.phase, Spreading):
                start = time.process_time()
                count.listed += len(list(choices(state)))
                count.seconds += time.process_time() - start
                count.decisions += 1
            legal = decides == "*" and list(choices(state))
            state = follow(state, decides, random.choice(legal) if legal else a_sensible_choice(state, random))
    return count


def chess_play(games: int = 6) -> Count:
    import chess

    count = Count()
    start = time.process_time()
    for seed in range(games):
        random, board = Random(seed), chess.Board()
        while (legal := list(board.legal_moves)) and board.ply() < 300 and not board.is_insufficient_material():
            board.push(random.choice(legal))
            count.states, count.listed = count.states + 1, count.listed + len(legal)
    count.seconds = time.process_time() - start
    count.decisions = count.states
    return count


def open_spiel_play(name: str, games: int = 8) -> Count:
    import pyspiel

    game, count, random = pyspiel.load_game(name), Count(), Random(1)
    start = time.process_time()
    for _ in range(games):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, odds = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(random.choices(outcomes, odds)[0])
            else:
                legal = state.legal_actions()
                count.decisions, count.listed = count.decisions + 1, count.listed + len(legal)
                state.apply_action(random.choice(legal))
            count.states += 1
    count.seconds = time.process_time() - start
    return count


def measured() -> dict[str, list[Count]]:
    """Return the rounds of everything that is installed."""
    plays: dict[str, Callable[[], Count]] = {
        "python-chess": chess_play,
        "engine": engine,
        "library": library,
        "library, all choices judged": lambda: library(judged=True),
        "verify": verified,
        "OpenSpiel gin_rummy": lambda: open_spiel_play("gin_rummy"),
        "OpenSpiel backgammon": lambda: open_spiel_play("backgammon"),
    }
    found: dict[str, list[Count]] = {}
    for _ in range(ROUNDS):
        for name, play in plays.items():
            try:
                found.setdefault(name, []).append(play())
            except ImportError:
                found.pop(name, None)
    return found


def main() -> None:
    compiled = not str(adjudicator.__file__).endswith(".py")
    print(f"the rules are {'compiled' if compiled else 'pure Python'}, and {sys.implementation.name} {sys.version[:6]}")
    best = {name: max(counts, key=lambda count: count.speed) for name, counts in measured().items() if counts}
    yardstick = best.get("python-chess")
    if yardstick is None:
        print("python-chess is not installed: pip install '.[bench]'")
    for name, count in best.items():
        ratio = f", {count.speed / yardstick.speed:.2f} times python-chess" if yardstick else ""
        told = f"; {count.listed / count.decisions:.1f} moves in a list" if count.decisions else ""
        if count.decisions not in (0, count.states):
            told += f"; {count.decisions / count.seconds:.0f} decisions with a list a second"
        print(f"{name}: {count.speed:.0f} states a second{ratio}{told}")
    spreads = careful()
    print(
        f"spreads of careful players: {spreads.listed / spreads.decisions:.0f} ways in a list,"
        f" {spreads.listed / spreads.seconds:.0f} listed a second"
    )


if __name__ == "__main__":
    main()

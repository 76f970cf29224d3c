"""Bots to which something happens, for tests of simulations; ``mishaps:dies_once`` on the command line."""

import os
import signal
from pathlib import Path

from pbem.first_sparks.choice import Choice, main_choices
from pbem.first_sparks.moves import Move, Settle
from pbem.first_sparks.state import GameState

MARKER = "PBEM_MISHAP"  # the environment variable with the path of a file, which is there when it has happened


def first(state: GameState, colour: str, seed: str) -> Move:
    """Take the first choice."""
    return next(main_choices(state)).move


def chooses(state: GameState, colour: str, seed: str) -> Choice:
    """Take the first choice as it was listed."""
    return next(main_choices(state))


def dies_once(state: GameState, colour: str, seed: str) -> Move:
    """Take the first choice, but kill the process in game 33, the first time that somebody plays it."""
    marker = Path(os.environ[MARKER])
    if seed.startswith("simulation-33/") and not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return first(state, colour, seed)


def always_dies(state: GameState, colour: str, seed: str) -> Move:
    """Kill the process."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("the process goes on")


def fails(state: GameState, colour: str, seed: str) -> Move:
    """Fail as a careless program does."""
    return {}[colour]


def cheats(state: GameState, colour: str, seed: str) -> Move:
    """Settle where nobody may."""
    return Settle("Z9z")


def leaves(state: GameState, colour: str, seed: str) -> Move:
    """End the program, as a script does that was not made to be imported."""
    raise SystemExit(3)


def talks(state: GameState, colour: str, seed: str) -> str:
    """Return an order instead of a move."""
    return next(main_choices(state)).order

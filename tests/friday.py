"""The game with which tests of the command line begin: three on a recommended board, and a secret that is known."""

from pathlib import Path

from forked import run_program
from templates import copied, template

import pbem

ZEROS = "0" * 64
FRIENDS = ("Ann:red", "Bob:blue", "Cara:green")
SEATS = (*FRIENDS, "--board", "recommended", "--i-chose-it", "--secret", ZEROS)


def begun(folder: Path) -> Path:
    """Put the game and its secret into a folder; Cara (green), Bob (blue), Ann (red) may add a second member."""
    copied(template("friday", _begin), folder)
    return folder / "friday.toml"


def _begin(folder: Path) -> None:
    folder.mkdir()
    done = run_program("new", "friday.toml", *SEATS, cwd=folder)
    assert done.returncode == 0, done.stderr


def a_new_game() -> pbem.Game:
    """Return the same game in memory, in which nothing was asked yet."""
    return pbem.new_game(FRIENDS, name="friday", board="recommended", secret=ZEROS)


def at_the_first_offer() -> pbem.Game:
    """Return the game in which Cara (green) is asked for an offer, each time as a value of its own."""
    game = a_new_game()
    for _ in FRIENDS:
        game = pbem.play(game, "stay")
    return game

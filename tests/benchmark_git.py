"""How fast games through git are, as ratios measured in one run; absolute times mean nothing on another machine.

    pip install '.[dev,bench]' && python -m compileall -q . && python tests/benchmark_git.py

1. a ``pbem git move`` late in a signed game against a signed ``git commit`` of the same files and its push, both to a
   server without a hook (CPU time of the command and of all that it starts), and the same with our hook;
2. ``pbem git log`` and ``pbem git check`` of a whole signed game against the same Python doing nothing;
3. that check against the same without the library of the extra ``[git]``, where ``ssh-keygen`` checks each move.
"""

import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from statistics import median
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

from bots import SECRET, a_sensible_choice
from gits import ENVIRONMENT, GAME, PLAYERS, committed, game_at, git, keys_of

from pbem import game_files
from pbem.carriers.git.template import PAGE, page, readme
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.chance.draws import source
from pbem.first_sparks.play import played

PYTHON = [sys.executable, "-I"]
PBEM = [*PYTHON, "-m", "pbem", "git"]
WITHOUT = "import sys; sys.modules['cryptography'] = None; from pbem.__main__ import main; main()"
REPEATS = 7
SEED, LATE = 18, 70  # this game has 75 commits


def used(command: list[str], cwd: Path) -> float:
    """Return the CPU seconds of a command and of all processes that it has waited for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=cwd, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0, done.stderr
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def median_of(prepare: Callable[[], object], *steps: tuple[list[str], Path]) -> float:
    """Return the median of the CPU seconds of some commands, one after the other."""
    times = []
    for _ in range(REPEATS):
        prepare()
        times.append(sum(used(command, cwd) for command, cwd in steps))
    return median(times)


class Game(NamedTuple):
    """A whole signed game on a server: its folder, its private keys, and every order with who gave it."""

    folder: Path
    keys: dict[str, Path]
    orders: list[tuple[str, str]]

    def at(self, number: int, behind: int = 0) -> None:
        """Let the server be where that many moves are made, and a new clone some moves behind it."""
        whole = git(self.folder / "whole", "rev-list", "--first-parent", "--reverse", "main").split()
        tip = whole[number - behind]
        shutil.rmtree(self.folder / "cache", ignore_errors=True)
        for name in ("server.git", "clone"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
        git(self.folder, "init", "--quiet", "--bare", "--initial-branch=main", "server.git")
        git(self.folder / "whole", "push", "--quiet", "../server.git", f"{tip}:refs/heads/main")
        git(self.folder, "clone", "--quiet", "server.git", "clone")
        git(self.folder / "clone", "config", "gpg.format", "ssh")
        git(self.folder / "whole", "push", "--quiet", "../server.git", f"{whole[number]}:refs/heads/main")


def a_signed_game(folder: Path) -> Game:
    """Play a whole signed game, each move signed by its player."""
    keys = keys_of(folder, "green", "red", "blue")
    given = [word for who, key in keys.items() for word in ("--key", f"{who}={key}.pub")]
    used(
        [*PBEM, "init", "--chance", "open", "whole", *PLAYERS, "--id", "friday", "--secret", SECRET.hex(), *given],
        folder,
    )
    clone, random, draw, orders = folder / "whole", Random(SEED), source("friday", SECRET), []
    game = game_at(clone)
    record, tip = game.record, git(clone, "rev-parse", "HEAD")
    while (by := who_decides(record.state)) is not None:
        move = a_sensible_choice(record.state, random)
        orders.append((by, str(move)))
        record, _ = played(record, by, move, draw)
        whole = page(record)
        text = game_files.text_of(record, "toml", game.schema)
        files = {GAME: text, "README.md": readme(record, GAME, linked=bool(whole)), **({PAGE: whole} if whole else {})}
        for name, content in files.items():
            (clone / name).write_text(content, encoding="utf-8")
        git(clone, "add", "--force", *files)
        message = f"{record.turn} {by} {move}"
        tip = committed(clone, git(clone, "write-tree"), parents=(tip,), message=message, key=keys[by])
    assert len(orders) >= LATE, f"the game is over after {len(orders)} moves"
    git(clone, "reset", "--quiet", "--hard", tip)
    return Game(folder, keys, orders)


def moving(game: Game, number: int, *, hook: bool = False, behind: int = 0) -> float:
    """Return how many times the cost of a signed commit and its push the move of that number has.

    The moves that the clone is *behind* come in with it.
    """
    server, clone, (by, order) = game.folder / "server.git", game.folder / "clone", game.orders[number]

    def back() -> None:
        game.at(number, behind)
        git(clone, "config", "user.signingkey", str(game.keys[by]))
        if hook:
            used([*PBEM, "hook", "pre-receive", "--install", server], game.folder)

    move = [*PBEM, "move", "--as", by, "--order", order]
    ours = median_of(back, (move, clone))
    texts = {name: (clone / name).read_bytes() for name in (GAME, "README.md")}

    def changed() -> None:
        back()
        if behind:
            git(clone, "pull", "--quiet", "--ff-only")
        for name, text in texts.items():
            (clone / name).write_bytes(text)

    commit = ["git", "commit", "--quiet", "--all", "--gpg-sign", "--message", "move"]
    theirs = median_of(changed, (commit, clone), (["git", "push", "--quiet"], clone))
    if "-v" in sys.argv:
        print(f"{ours:.3f} s against {theirs:.3f} s")
    return ours / theirs


def reading(game: Game) -> None:
    """Print what the whole game costs to read and to check."""
    clone = game.folder / "clone"
    nothing = median_of(lambda: None, ([*PYTHON, "-c", "pass"], game.folder))
    for name, words in (("log", ["log"]), ("check", ["check", "0", "HEAD"])):
        first = median_of(lambda: game.at(len(game.orders)), ([*PBEM, *words], clone))
        what = f"pbem git {name} of {len(game.orders) + 1} signed commits"
        print(f"{what}: {first / nothing:.0f} times Python ({first:.2f} s)")
    alone = [*PYTHON, "-c", WITHOUT, "git", "check", "0", "HEAD"]
    slow = median_of(lambda: game.at(len(game.orders)), (alone, clone))
    print(f"pbem git check without the extra [git]: {slow / first:.1f} times the time with it")


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        game = a_signed_game(Path(name))
        what = f"pbem git move after {LATE} signed moves"
        print(f"{what}: {moving(game, LATE):.1f} times git commit and git push")
        print(f"{what}, of which 2 come in: {moving(game, LATE, behind=2):.1f} times git commit and git push")
        print(f"{what}, with our hook: {moving(game, LATE, hook=True):.1f} times git commit and git push")
        reading(game)


if __name__ == "__main__":
    main()

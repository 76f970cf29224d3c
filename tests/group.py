"""Three players of a shared game through git, each with a clone, a key and a home of the own."""

import json
import pickle
import shutil
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random

from gits import copied_group, did, git, pbem, through_the_door
from templates import template

from pbem import loading
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.choice import main_choices
from pbem.first_sparks.record import Record

MOST_ALIKE = 60  # things that a group does before a test has it play on by itself
SEATS = {"red": "Ann", "blue": "Bob", "green": "Cara"}
CHANCE = "chance"  # the file of a template with what comes next


class Group:
    """Three players, each with a clone and a home of the own, and a bare repository with the hook."""

    def __init__(self, folder: Path, *, signed: bool = False, hook: bool = True, joined: bool = True) -> None:
        """Begin the game; nobody but Ann has joined it, unless all have."""
        self.folder, self.signed, self.hook = folder, signed, hook
        self.is_new = joined  # nobody has done anything since all have joined
        copied_group(_begun(signed=signed, hook=hook, joined=joined), folder)

    def home(self, colour: str) -> dict[str, str]:
        """Return the environment in which a player's secret is kept."""
        return {"XDG_DATA_HOME": str(self.folder / f"home of {colour}")}

    def run(self, colour: str, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
        """Run a command of git in a player's clone; the key says who plays if moves are signed.

        Who agrees or answers for somebody has read what came before.
        """
        if words[0] in ("agree", "answer"):
            git(self.folder / colour, "pull", "--quiet", "--ff-only")
        self.is_new = False
        signing = words[0] not in ("status", "check", "log")
        key = ("--key", f"../{colour}.key") if self.signed and signing and "--key" not in words else ()
        who = ("--as", colour) if not self.signed and words[0] not in ("check", "log") else ()
        return pbem(self.folder / colour, "git", *words, *who, *key, **self.home(colour), **env)

    def did(self, colour: str, *words: str, **env: str) -> str:
        """Run a command of git that succeeds, and return what it says."""
        done = self.run(colour, *words, **env)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def said(self, colour: str, *words: str, **env: str) -> str:
        """Run a command of git, and return what it says, whatever its exit status is."""
        return self.run(colour, *words, **env).stdout

    def record(self, colour: str) -> Record:
        """Return the game in a player's clone, up to date."""
        git(self.folder / colour, "pull", "--quiet", "--ff-only")
        return loading.load(self.folder / colour / "game.toml").record

    def go_on(self, seed: Random, record: Record | None = None) -> None:
        """Let whoever is awaited in the game as it is, *record*, draw, or decide, or both."""
        record = record or self.record("red")
        who = record.opener or who_decides(record.state)
        assert who
        if record.opener:
            told = json.loads(self.did(who, "draw", "--json"))
            if told["commit"]:
                return
            assert told["decides"] == who
            orders = [choice["order"] for choice in told["options"]]
        else:
            orders = [choice.order for choice in main_choices(record.state)]
        self.did(who, "move", "--order", seed.choice(orders))

    def until(self, wanted: Callable[[Record], bool], seed: int = 1) -> Record:
        """Play until a situation is reached; those who have just begun do as others before them, up to there."""
        if self.is_new:
            self._follow(wanted)
        random = Random(seed)
        while not wanted(record := self.record("red")):
            self.go_on(random, record)
        return record

    def _follow(self, wanted: Callable[[Record], bool]) -> None:
        """Come to the first situation of that kind in the game that all groups play alike."""
        for number in range(MOST_ALIKE):
            place, record, _ = _played(number, signed=self.signed, hook=self.hook)
            if wanted(record):
                for each in place.iterdir():
                    if each.is_dir():
                        shutil.rmtree(self.folder / each.name, ignore_errors=True)
                copied_group(place, self.folder)
                (self.folder / CHANCE).unlink(missing_ok=True)
                return


@cache
def _played(number: int, *, signed: bool, hook: bool) -> tuple[Path, Record, Random]:
    """Return a folder with a group that has done so many things, of which all tests have copies; its game; the chance.

    The orders are those that ``until`` gives.
    """
    if not number:
        place = _begun(signed=signed, hook=hook, joined=True)
        return place, loading.load(place / "red" / "game.toml").record, Random(1)

    def go_on(folder: Path) -> None:
        before, _, random = _played(number - 1, signed=signed, hook=hook)
        copied_group(before, folder)
        group = Group.__new__(Group)
        group.folder, group.signed, group.hook = folder, signed, hook
        chance = Random()
        chance.setstate(random.getstate())
        group.go_on(chance)
        group.record("red")
        (folder / CHANCE).write_bytes(pickle.dumps(chance))

    place = template("played", go_on, number, signed, hook)
    chance: Random = pickle.loads((place / CHANCE).read_bytes())  # noqa: S301 -- it is ours
    return place, loading.load(place / "red" / "game.toml").record, chance


def _begun(*, signed: bool, hook: bool, joined: bool) -> Path:
    """Return a folder with such a group, of which all tests have copies."""

    def begin(folder: Path) -> None:
        if joined:
            group = Group(folder, signed=signed, hook=hook, joined=False)
            group.did("blue", "join")
            group.did("green", "join")
            group.record("red")
        else:
            _begin(folder, signed=signed, hook=hook)

    return template("shared", begin, signed, hook, joined)


def _begin(folder: Path, *, signed: bool, hook: bool) -> None:
    """Begin the game, which Ann alone has joined."""
    folder.mkdir()
    keys: list[str] = []
    if signed:
        for colour in SEATS:
            key = folder / f"{colour}.key"
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
            keys += ["--key", f"{colour}={key}.pub"]
    git(folder, "init", "--quiet", "--bare", "--initial-branch=main", "server.git")
    if hook:
        did(folder / "server.git", "git", "hook", "pre-receive", "--install", ".")
        through_the_door(folder / "server.git" / "hooks" / "pre-receive")
        through_the_door(folder / "server.git" / "hooks" / "post-receive")
    seats = [f"{name}:{colour}" for colour, name in SEATS.items()]
    begin = ("git", "init", "red", *seats, "--as", "Ann", "--id", "friday", "--board", "recommended", *keys)
    did(folder, *begin, XDG_DATA_HOME=str(folder / "home of red"))
    git(folder / "red", "remote", "add", "origin", "../server.git")
    git(folder / "red", "push", "--quiet", "--set-upstream", "origin", "main")
    for colour in ("blue", "green"):
        git(folder, "clone", "--quiet", "server.git", colour)
        git(folder / colour, "remote", "set-url", "origin", "../server.git")

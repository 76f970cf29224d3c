"""How much a game through git has done for it: programs that are started, and states that are judged."""

import os
import shutil
import time
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest
from bots import SECRET, a_sensible_choice
from gits import GAME, Group, a_group, did, forged, game_at, git, keys_of, needs_ssh, page_of, pbem, text_after

from pbem.first_sparks.adjudicator import who_decides

pytestmark = needs_ssh
MOVES = 20
IN_PROCESS = find_spec("cryptography") is not None
COUNTED = ("git", "ssh-keygen")
# A motion about a seat is dated by the clock, as any server would have it.
NOW = {"GIT_AUTHOR_DATE": f"@{int(time.time())} +0000"}


class Counted(NamedTuple):
    """A path on which some programs note that they were started, and where they note it."""

    notes: Path
    path: str

    def runs(self, name: str) -> int:
        """Return how often the program was started since it was asked last."""
        text = self.notes.read_text(encoding="utf-8").split("\n")
        self.notes.write_text("\n".join(line for line in text if line != name), encoding="utf-8")
        return text.count(name)


@pytest.fixture
def counted(tmp_path: Path) -> Counted:
    folder = tmp_path / "counted"
    folder.mkdir()
    found = Counted(tmp_path / "notes", f"{folder}:{os.environ['PATH']}")
    found.notes.touch()
    for name in COUNTED:
        program = folder / name
        program.write_text(f'#!/bin/sh\necho {name} >> "{found.notes}"\nexec "{shutil.which(name)}" "$@"\n', "utf-8")
        program.chmod(0o755)
    return found


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Group:
    """A signed game with some moves, all on the server and in the clone."""
    folder = tmp_path_factory.mktemp("signed")
    keys = keys_of(folder, "green", "red", "blue")
    group = a_group(folder, *[word for who in keys for word in ("--key", f"{who}={keys[who]}.pub")])
    random, tip = Random(1), group.base
    (group.server / "hooks" / "pre-receive").unlink()
    for _ in range(MOVES):
        game = game_at(group.clone, tip)
        by = who_decides(game.record.state)
        assert by is not None
        text = text_after(game, by, str(a_sensible_choice(game.record.state, random)))
        files = {GAME: text.encode(), "README.md": page_of(text)}
        tip = forged(group.clone, files, parents=(tip,), message=by, key=keys[by])
    git(group.clone, "reset", "--quiet", "--hard", tip)
    git(group.clone, "push", "--quiet", "origin", "main")
    return group._replace(base=tip)


@pytest.mark.slow
@pytest.mark.parametrize("words", [["log"], ["check", "0", "HEAD"]])
def test_a_whole_game_is_read_with_few_runs_of_git_and_each_signature_is_asked_once(
    signed: Group, counted: Counted, words: list[str]
) -> None:
    did(signed.clone, "git", *words, PATH=counted.path)

    assert counted.runs("ssh-keygen") == (0 if IN_PROCESS else MOVES)
    assert counted.runs("git") <= 6  # one of them asks for the settings, which have the reader's language


@pytest.mark.slow
def test_a_move_runs_git_few_times_and_checks_the_signatures_that_come_in(
    signed: Group, counted: Counted, tmp_path: Path
) -> None:
    folder = tmp_path / "group"
    shutil.copytree(signed.server.parent, folder)
    clone = folder / "clone"
    git(clone, "reset", "--quiet", "--hard", "HEAD~2")
    game = game_at(clone, signed.base)
    by = who_decides(game.record.state)
    assert by is not None
    order = str(a_sensible_choice(game.record.state, Random(1)))

    did(
        clone,
        *("git", "move", "--as", by, "--order", order, "--key", folder / by),
        PATH=counted.path,
    )

    assert counted.runs("git") <= 15
    assert counted.runs("ssh-keygen") == (1 if IN_PROCESS else 4)  # one is made; two come in, and each is looked at


def test_a_server_always_asks_ssh_keygen(signed: Group, counted: Counted) -> None:
    git(signed.clone, "update-ref", "refs/heads/main", f"{signed.base}~1")
    try:
        told = f"{git(signed.clone, 'rev-parse', 'main')} {signed.base} refs/heads/main\n"
        done = pbem(signed.clone, "git", "check", "--pushed", stdin=told, PATH=counted.path)
    finally:
        git(signed.clone, "update-ref", "refs/heads/main", signed.base)

    assert done.returncode == 0, done.stderr
    assert counted.runs("ssh-keygen") == 1


def test_a_signature_that_is_valid_is_not_valid_for_another_commit(signed: Group) -> None:
    raw = git(signed.clone, "cat-file", "commit", signed.base)
    other = raw.replace("\n\n", "\n\nnot ", 1) + "\n"
    changed = git(signed.clone, "hash-object", "-w", "-t", "commit", "--stdin", stdin=other.encode())

    done = pbem(signed.clone, "git", "check", f"{signed.base}~1", changed)

    assert done.returncode == 77
    assert "does not match this commit" in done.stderr
    assert SECRET.hex() not in done.stderr


@pytest.mark.slow
def test_many_motions_about_seats_cost_no_run_of_git_each(counted: Counted, tmp_path: Path) -> None:
    group = a_group(tmp_path / "group")
    for name in ("exclude", "object") * 3:
        did(group.clone, "git", name, *(["green"] if name == "exclude" else []), "--as", "red", **NOW)
    counted.runs("git")

    did(group.clone, "git", "log", PATH=counted.path)

    assert counted.runs("git") <= 6

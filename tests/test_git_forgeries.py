"""Commits and folders that git reads otherwise than they look, and whatever else could mislead the check."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from gits import (
    GAME,
    Group,
    a_group,
    a_tree,
    committed,
    edited,
    entries_of,
    forged,
    game_at,
    git,
    keys_of,
    needs_ssh,
    pbem,
    push,
    run,
    text_after,
    without_a_hook,
)

from pbem.carriers.git.repository import TREE_LIMIT, Objects
from pbem.errors import NotAllowed


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> tuple[Group, str]:
    """A game that has just begun, to which nothing is added, and a commit that is a legal move."""
    group = a_group(tmp_path_factory.mktemp("begun"))
    return group, forged(group.clone, {GAME: text_after(game_at(group.clone), "red", "stay").encode()})


def remade(clone: Path, commit: str, change: Callable[[list[str]], list[str]]) -> str:
    """Return the commit with the lines of its head changed, whether git would write it or not."""
    head, _, message = git(clone, "cat-file", "commit", commit).partition("\n\n")
    text = "\n".join(change(head.split("\n"))) + f"\n\n{message}\n"
    return git(clone, "hash-object", "-w", "-t", "commit", "--literally", "--stdin", stdin=text.encode())


def check(group: Group, commit: str, **env: str) -> tuple[int, str]:
    done = pbem(group.clone, "git", "check", group.base, commit, **env)
    return done.returncode, done.stderr


def test_the_move_is_legal_if_nothing_is_done_to_it(begun: tuple[Group, str]) -> None:
    group, move = begun

    assert check(group, remade(group.clone, move, list)) == (0, "")
    assert check(group, committed(group.clone, a_tree(group.clone, *entries_of(group.clone, move)))) == (0, "")


HEADS: dict[str, Callable[[list[str]], list[str]]] = {
    # To git this begins another history, and what was there before is gone.
    "a parent that git does not take for one": lambda head: [head[0], *head[2:], head[1]],
    "a second author": lambda head: [*head, head[2]],
    "a second folder": lambda head: [*head, head[0]],
    "no committer": lambda head: head[:3],
    "the author first": lambda head: [head[2], head[0], head[1], head[3]],
    "a sign that ends texts": lambda head: [*head, "x \0"],
}


@pytest.mark.parametrize("name", HEADS)
def test_a_commit_is_read_as_git_reads_it(begun: tuple[Group, str], name: str) -> None:
    group, move = begun
    evil = remade(group.clone, move, HEADS[name])

    status, said = check(group, evil)

    assert status == 65
    assert f"commit {evil[:10]} is not in git's format" in said
    assert push(group, evil).returncode != 0
    assert group.tip == group.base


FOLDERS: dict[str, tuple[Callable[[list[bytes]], list[bytes]], str]] = {
    "in another order": (lambda entries: entries[::-1], "is not sorted as git sorts it"),
    "a mode with a zero before it": (
        lambda entries: [b"0" + one if b"README" in one else one for one in entries],
        "is not in git's format",
    ),
    "a mode that others may write": (
        lambda entries: [one.replace(b"100644", b"100664") if b" game.toml\0" in one else one for one in entries],
        "the mode of game.toml was changed",
    ),
    "a folder in the place of the page": (
        lambda entries: [one.replace(b"100644", b"40000") if b"README" in one else one for one in entries],
        "the mode of README.md was changed",
    ),
}


@pytest.mark.parametrize("name", FOLDERS)
def test_a_folder_is_read_as_git_reads_it(begun: tuple[Group, str], name: str) -> None:
    group, move = begun
    change, words = FOLDERS[name]

    status, said = check(group, committed(group.clone, a_tree(group.clone, *change(entries_of(group.clone, move)))))

    assert status == 65
    assert words in said


def test_an_octopus_is_a_merge(begun: tuple[Group, str]) -> None:
    group, move = begun
    others = [forged(group.clone, {}, message=str(number)) for number in range(3)]

    assert "is a merge" in check(group, forged(group.clone, {}, parents=(move, *others)))[1]


def test_a_push_with_another_ref_beside_the_move_is_refused_as_a_whole(begun: tuple[Group, str]) -> None:
    group, move = begun

    done = run("git", "push", "origin", f"{move}:main", f"{group.base}:refs/tags/v1", cwd=group.clone)

    assert done.returncode != 0
    assert "refs/tags/v1 is not accepted here" in done.stderr
    assert git(group.server, "for-each-ref", "--format=%(objectname) %(refname)") == f"{group.base} refs/heads/main"


@needs_ssh
def test_every_commit_of_a_push_has_to_be_signed(tmp_path: Path) -> None:
    keys = keys_of(tmp_path, "green", "red", "blue")
    group = a_group(tmp_path, *[word for who in keys for word in ("--key", f"{who}={keys[who]}.pub")])

    def moved(by: str, on: str, *, signed: bool) -> str:
        text = text_after(game_at(group.clone, on), by, "stay").encode()
        return forged(group.clone, {GAME: text}, parents=(on,), key=keys[by] if signed else None)

    unsigned = moved("red", group.base, signed=False)
    last = moved("blue", moved("red", group.base, signed=True), signed=False)
    right = moved("blue", moved("red", group.base, signed=True), signed=True)

    assert (
        f"commit {unsigned[:10]}: the commit is not signed, but must be signed by red"
        in check(group, moved("blue", unsigned, signed=True))[1]
    )
    assert f"commit {last[:10]}: the commit is not signed, but must be signed by blue" in check(group, last)[1]
    assert check(group, right) == (0, "")


@needs_ssh
def test_a_signature_covers_all_that_git_says_it_covers(tmp_path: Path) -> None:
    """A line that only begins like a signature is a part of what was signed."""
    keys = keys_of(tmp_path, "green", "red", "blue")
    group = a_group(tmp_path, *[word for who in keys for word in ("--key", f"{who}={keys[who]}.pub")])
    text = text_after(game_at(group.clone), "red", "stay").encode()
    right = forged(group.clone, {GAME: text}, key=keys["red"])

    status, said = check(group, remade(group.clone, right, lambda head: [*head, "gpgsig-of-mallory x"]))

    assert status == 77
    assert "the signature by red does not match this commit" in said
    assert check(group, remade(group.clone, right, list)) == (0, "")


def test_what_the_environment_and_the_repository_say_of_history_does_not_count(tmp_path: Path) -> None:
    group = a_group(tmp_path)
    game = game_at(group.clone)
    text = text_after(game, "red", "stay")
    bad = forged(group.clone, {GAME: edited(game, text, turn=5)})
    good = forged(group.clone, {GAME: text.encode()}, parents=(bad,))
    grafts = tmp_path / "grafts"
    grafts.write_text(f"{good} {group.base}\n", encoding="utf-8")
    shutil.copy(grafts, group.clone / ".git" / "info" / "grafts")
    git(group.clone, "config", "core.worktree", str(tmp_path))
    git(group.clone, "update-ref", f"refs/evil/{bad}", good)
    git(group.clone, "replace", bad, forged(group.clone, {GAME: text.encode()}))
    env = {
        "GIT_GRAFT_FILE": str(grafts),
        "GIT_REPLACE_REF_BASE": "refs/evil/",
        "GIT_WORK_TREE": str(tmp_path),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.fsmonitor",
        "GIT_CONFIG_VALUE_0": f"touch {tmp_path}/ran",
    }
    assert git(group.clone, "log", "-1", "--format=%P", good) == group.base

    for status, said in (check(group, good), check(group, good, **env)):
        assert status == 76
        assert f"commit {bad[:10]}: turn does not match the log" in said
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("name", ["Game.toml", "readme.MD"])
def test_a_game_does_not_begin_with_names_that_are_one_file_on_many_machines(
    begun: tuple[Group, str], name: str
) -> None:
    group = begun[0]
    whole = {one: git(group.clone, "show", f"HEAD:{one}").encode() + b"\n" for one in (GAME, "README.md")}
    commit = forged(group.clone, {**whole, name: b"x"}, parents=())

    done = pbem(group.clone, "git", "check", "0", commit)

    assert done.returncode == 65
    assert "would be the same file on a machine that ignores case" in done.stderr


def test_a_link_in_the_place_of_the_game_is_not_followed(tmp_path: Path) -> None:
    """A server without our hook has taken it, and it leads to another game of the player's."""
    group = without_a_hook(a_group(tmp_path))
    other = group.another_clone("other")
    elsewhere = tmp_path / "saturday.toml"
    shutil.copy(other / GAME, elsewhere)
    before = elsewhere.read_bytes()
    assert push(group, forged(group.clone, {GAME: ("120000", b"../saturday.toml")})).returncode == 0

    done = pbem(other, "git", "move", "--as", "red", "--order", "stay")

    assert done.returncode == 66
    assert "is not a legal move: game.toml is a symbolic link" in done.stderr
    assert "symbolic links are not followed" in done.stderr
    assert elsewhere.read_bytes() == before


def test_what_is_read_is_an_object_of_the_kind_that_is_expected(begun: tuple[Group, str]) -> None:
    group, move = begun
    with Objects(group.clone) as objects:
        tree = objects.commit(move).tree
        for expected in ("blob", "commit"):
            with pytest.raises(NotAllowed, match=f"README.md is not a {expected}"):
                objects.read(tree, expected, TREE_LIMIT, "README.md")

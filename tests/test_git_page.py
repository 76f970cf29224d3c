"""The page of a game that is over, in its repository: written with the last move, proved to the byte, and deleted."""

import json
import re
from pathlib import Path

import pytest
from fitting import fits
from gits import (
    GAME,
    Group,
    a_group,
    a_group_after,
    did,
    forged,
    game_at,
    git,
    keys_of,
    needs_ssh,
    page_of,
    pbem,
    push,
    run,
    text_after,
)

from pbem import game_page, loading
from pbem.carriers.git import template
from pbem.first_sparks.phases import Ended

PAGE, README = "replay.html", "README.md"


def page_at(clone: Path, commit: str = "HEAD") -> bytes:
    return game_page.page_of(game_at(clone, commit).record).encode()


def the_end(clone: Path, by: str = "blue") -> tuple[str, bytes, bytes]:
    """Return the texts after a last move: the game, the README with a link to the page, the page."""
    text = text_after(game_at(clone), by, "resign")
    record = loading.file_in(text, Path(GAME)).record
    assert isinstance(record.state.phase, Ended)
    return text, template.readme(record, GAME, linked=True).encode(), game_page.page_of(record).encode()


@pytest.fixture(scope="module")
def nearly_over(tmp_path_factory: pytest.TempPathFactory) -> Group:
    """A game that is over when one more of its two players resigns; nothing is added to it."""
    return resigned(tmp_path_factory.mktemp("nearly"), "red")


def resigned(folder: Path, *players: str) -> Group:
    """Return a group in which these have resigned."""
    return a_group_after(folder, *(("move", "--as", by, "--order", "resign") for by in players))


def refused(group: Group, commit: str, words: str) -> None:
    """Assert that the server refuses the commit, and a check of it too."""
    done = push(group, commit)
    assert done.returncode != 0
    assert words in " ".join(re.sub(r"(?m)^remote: ?", "", done.stderr).split()), done.stderr
    assert group.tip == group.base
    found_wrong(group, commit, words)


def found_wrong(group: Group, commit: str, words: str) -> None:
    """Assert that a check finds what is wrong with the commit."""
    assert words in " ".join(pbem(group.clone, "git", "check", group.base, commit).stderr.split())


# Written


@pytest.mark.slow
def test_the_last_move_adds_the_page_and_the_server_takes_it(tmp_path: Path) -> None:
    group = a_group(tmp_path)
    did(group.clone, "git", "move", "--as", "red", "--order", "resign")
    assert not (group.clone / PAGE).exists()

    did(group.clone, "git", "move", "--as", "blue", "--order", "resign")

    assert group.tip == git(group.clone, "rev-parse", "HEAD")
    assert git(group.clone, "show", "--format=", "--name-only", "HEAD").split() == [README, GAME, PAGE]
    assert git(group.clone, "status", "--porcelain") == ""
    assert (group.clone / PAGE).read_bytes() == page_at(group.clone)
    assert "[replay.html](replay.html) shows all of it" in (group.clone / README).read_text(encoding="utf-8")
    assert did(group.clone, "git", "check", group.base, "HEAD").endswith("2 moves checked, all valid\n")
    assert "not a legal move" not in did(group.clone, "git", "log")


def test_pbem_writes_the_same_page_by_hand(tmp_path: Path) -> None:
    group = resigned(tmp_path, "red", "blue")

    did(group.clone, "replay", GAME, "--html", "-o", tmp_path / "mine.html")

    assert (tmp_path / "mine.html").read_bytes() == (group.clone / PAGE).read_bytes()


def test_a_page_that_the_player_made_earlier_is_replaced(tmp_path: Path) -> None:
    group = a_group(tmp_path)
    did(group.clone, "replay", GAME, "--html", "-o", PAGE)
    did(group.clone, "git", "move", "--as", "red", "--order", "resign")
    assert git(group.clone, "status", "--porcelain") == f"?? {PAGE}"

    did(group.clone, "git", "move", "--as", "blue", "--order", "resign")

    assert git(group.clone, "show", f"HEAD:{PAGE}") + "\n" == page_at(group.clone).decode()


def test_pages_may_be_ignored_everywhere_else(tmp_path: Path) -> None:
    group = resigned(tmp_path, "red")
    (group.clone / ".git" / "info" / "exclude").write_text("*.html\n", encoding="utf-8")
    did(group.clone, "git", "move", "--as", "blue", "--order", "resign")

    assert PAGE in git(group.clone, "ls-files").split()


@pytest.mark.parametrize("where", ["untracked", "a link", "a folder", "committed"])
def test_what_the_group_has_there_stays(where: str, tmp_path: Path) -> None:
    """The move is made all the same, and the README does not lead to what is not the page."""
    group = a_group(tmp_path)
    git(group.clone, "remote", "remove", "origin")
    place = group.clone / PAGE
    match where:
        case "a link":
            place.symlink_to("notes.txt")
        case "a folder":
            place.mkdir()
        case "committed":
            git(group.clone, "reset", "--quiet", "--hard", forged(group.clone, {PAGE: b"ours\n"}))
        case _:
            place.write_bytes(b"ours\n")

    for by in ("red", "blue"):
        did(group.clone, "git", "move", "--as", by, "--order", "resign")

    text = (group.clone / GAME).read_text(encoding="utf-8")
    assert git(group.clone, "show", "--format=", "--name-only", "HEAD").split() == [README, GAME]
    assert (group.clone / README).read_bytes() == page_of(text)
    assert place.is_symlink() or place.is_dir() or place.read_bytes() == b"ours\n"
    assert did(group.clone, "git", "check", "HEAD~2", "HEAD").endswith("2 moves checked, all valid\n")


def test_a_readme_of_the_group_does_not_keep_the_page_away(tmp_path: Path) -> None:
    group = a_group(tmp_path)
    git(group.clone, "remote", "remove", "origin")
    git(group.clone, "reset", "--quiet", "--hard", forged(group.clone, {README: b"# Ours\n"}))

    for by in ("red", "blue"):
        did(group.clone, "git", "move", "--as", by, "--order", "resign")

    assert git(group.clone, "show", "--format=", "--name-only", "HEAD").split() == [GAME, PAGE]
    assert did(group.clone, "git", "check", "HEAD~2", "HEAD").endswith("2 moves checked, all valid\n")


def test_a_move_that_cannot_be_committed_leaves_no_page(tmp_path: Path) -> None:
    group = resigned(tmp_path, "red")
    before = {path.name: path.read_bytes() for path in group.clone.iterdir() if path.is_file()}
    git(group.clone, "config", "commit.gpgsign", "true")
    git(group.clone, "config", "gpg.program", "false")

    done = pbem(group.clone, "git", "move", "--as", "blue", "--order", "resign")

    assert done.returncode != 0
    assert {path.name: path.read_bytes() for path in group.clone.iterdir() if path.is_file()} == before
    assert git(group.clone, "status", "--porcelain") == ""


def test_a_last_move_that_the_server_refuses_leaves_no_page(tmp_path: Path) -> None:
    group = resigned(tmp_path, "red")
    hook = group.server / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")

    done = pbem(group.clone, "git", "move", "--as", "blue", "--order", "resign")

    assert done.returncode == 65
    assert not (group.clone / PAGE).exists()
    assert git(group.clone, "status", "--porcelain") == ""


# Checked


def test_the_last_move_of_an_older_pbem_is_valid_without_the_page(tmp_path: Path) -> None:
    """Its README has no link then."""
    group = resigned(tmp_path, "red")
    text, linked, _ = the_end(group.clone)

    assert push(group, forged(group.clone, {GAME: text.encode(), README: linked})).returncode != 0
    done = push(group, forged(group.clone, {GAME: text.encode(), README: page_of(text)}))

    assert done.returncode == 0, done.stderr


def test_the_page_may_come_without_a_new_readme(tmp_path: Path) -> None:
    group = resigned(tmp_path, "red")
    text, _, page = the_end(group.clone)

    assert push(group, forged(group.clone, {GAME: text.encode(), PAGE: page})).returncode == 0


@pytest.mark.parametrize("name", ["a script", "a byte less", "nothing", "that of another turn", "another file of ours"])
def test_another_page_is_refused(nearly_over: Group, name: str) -> None:
    text, readme, page = the_end(nearly_over.clone)
    evil = {
        "a script": page.replace(b"</body>", b"<script>alert(1)</script></body>"),
        "a byte less": page[:-1],
        "nothing": b"",
        "that of another turn": page_at(nearly_over.clone),
        "another file of ours": text.encode(),
    }[name]

    for beside in ({}, {README: readme}, {README: page_of(text)}):
        commit = forged(nearly_over.clone, {GAME: text.encode(), PAGE: evil, **beside})
        (found_wrong if beside else refused)(nearly_over, commit, f"{PAGE} is not as pbem writes it")


def test_a_readme_without_a_link_to_the_page_beside_it_is_refused(nearly_over: Group) -> None:
    text, _, page = the_end(nearly_over.clone)

    evil = forged(nearly_over.clone, {GAME: text.encode(), PAGE: page, README: page_of(text)})

    refused(nearly_over, evil, "README.md is not as pbem writes it")


@pytest.mark.slow
def test_nothing_else_comes_with_the_page(nearly_over: Group) -> None:
    text, readme, page = the_end(nearly_over.clone)
    whole = {GAME: text.encode(), README: readme, PAGE: page}

    for more, words in (
        ({"evil.html": page}, "evil.html was added, but a move may only change"),
        ({PAGE: ("100755", page)}, "replay.html is an executable"),
        ({PAGE: ("120000", b"game.toml")}, "replay.html is a symbolic link"),
    ):
        refused(nearly_over, forged(nearly_over.clone, whole | more), words)


def test_no_page_is_added_while_the_game_goes_on(tmp_path: Path) -> None:
    group = a_group(tmp_path)
    text = text_after(game_at(group.clone), "red", "stay")
    page = game_page.page_of(loading.file_in(text, Path(GAME)).record).encode()

    refused(group, forged(group.clone, {GAME: text.encode(), PAGE: page}), "the game is not over")
    refused(group, forged(group.clone, {PAGE: page}), "the commit has no move")


# Deleted


@pytest.fixture
def over(tmp_path: Path) -> Group:
    """A game that is over, with its page."""
    return resigned(tmp_path, "red", "blue")


def test_the_group_may_delete_the_page(over: Group) -> None:
    git(over.clone, "rm", "--quiet", PAGE)
    assert did(over.clone, "git", "check", "--staged") == f"host: {PAGE} deleted\n1 move checked, and it is valid\n"
    git(over.clone, "commit", "--quiet", "--message", "tidy")
    git(over.clone, "push", "--quiet")

    tip = over.tip
    assert tip == git(over.clone, "rev-parse", "HEAD")
    assert did(over.clone, "git", "log").startswith(f"{tip[:10]} 2001-02-03 Ann: {PAGE} deleted\n")
    for command, key in ((("log",), "commits"), (("check", over.base, tip), "moves")):
        answer = json.loads(did(over.clone, "git", *command, "--json"))
        assert fits(answer, "git")
        assert answer[key][0]["deleted"] == PAGE
    assert did(over.clone, "git", "check", "0", "HEAD").endswith("4 moves checked, all valid\n")


def test_the_link_may_go_with_the_page(over: Group) -> None:
    unlinked = page_of((over.clone / GAME).read_text(encoding="utf-8"))

    refused(over, forged(over.clone, {PAGE: None, README: b"# Ours\n"}), "README.md is not as pbem writes it")
    assert push(over, forged(over.clone, {PAGE: None, README: unlinked})).returncode == 0


@pytest.mark.slow
def test_a_page_does_not_change_nor_come_back(over: Group) -> None:
    page = page_at(over.clone)
    refused(over, forged(over.clone, {PAGE: page + b"\n"}), "replay.html was changed, but a move may only change")
    refused(over, forged(over.clone, {PAGE: None, GAME: b"x"}), "game.toml")
    gone = forged(over.clone, {PAGE: None})
    assert push(over, gone).returncode == 0
    git(over.clone, "reset", "--quiet", "--hard", gone)

    refused(over._replace(base=over.tip), forged(over.clone, {PAGE: page}), "the commit has no move")
    did(over.clone, "git", "note", "That was fun.", "--as", "red")
    assert PAGE not in git(over.clone, "ls-files").split()
    assert PAGE not in (over.clone / README).read_text(encoding="utf-8")


@pytest.mark.slow
@needs_ssh
def test_only_who_can_sign_deletes_the_page(tmp_path: Path) -> None:
    keys = keys_of(tmp_path, "green", "red", "blue", "host", "eve")
    given = [word for who in ("green", "red", "blue", "host") for word in ("--key", f"{who}={keys[who]}.pub")]
    group = a_group(tmp_path, *given)
    for by in ("red", "blue"):
        did(group.clone, "git", "move", "--as", by, "--order", "resign", "--key", keys[by])
    group = group._replace(base=group.tip)

    for key in (None, keys["eve"]):
        refused(group, forged(group.clone, {PAGE: None}, key=key), "must be signed by the host or a player of the game")
    assert push(group, forged(group.clone, {PAGE: None}, key=keys["green"])).returncode == 0
    assert f"green: {PAGE} deleted" in did(group.clone, "git", "check", group.base, group.tip)


def test_the_page_does_not_depend_on_the_secret(tmp_path: Path) -> None:
    """So it stays as it is when the host publishes that."""
    did(
        tmp_path,
        "git",
        "init",
        "--chance",
        "open",
        "clone",
        "Ann:red",
        "Bob:blue",
        "--board",
        "random",
        "--chance",
        "sealed",
    )
    clone = tmp_path / "clone"
    did(clone, "git", "move", "--as", "red", "--order", "resign")
    before = (clone / PAGE).read_bytes()
    did(clone, "reveal", GAME)
    git(clone, "commit", "--quiet", "--all", "--message", "the secret")

    assert before == page_at(clone)
    assert run("git", "cat-file", "-e", f"HEAD:{PAGE}", cwd=clone).returncode == 0
    assert did(clone, "git", "check", "0", "HEAD").endswith("all valid\n")

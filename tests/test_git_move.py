"""Playing through git: begin, move, tell, and what happens when the world is not as it should be."""

import json
import re
from pathlib import Path
from random import Random

import pytest
from bots import SECRET, a_new_record, random_play
from fitting import fits
from forked import a_path
from gits import (
    GAME,
    PLAYERS,
    Group,
    a_group,
    before_a_push,
    did,
    forged,
    game_at,
    git,
    keys_of,
    page_of,
    pbem,
    run,
    text_after,
)

from pbem import game_files
from pbem.carriers.git.init import start
from pbem.errors import UsageError
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.record import Record
from pbem.first_sparks.secrecy import hides_food
from pbem.report import text_for


def status(clone: Path) -> str:
    return git(clone, "status", "--porcelain")


def refused(clone: Path, *arguments: str, code: int) -> str:
    """Run the program, make sure that it refuses with that code and changes nothing, and return what it says."""
    before, head = (clone / GAME).read_bytes(), run("git", "rev-parse", "HEAD", cwd=clone).stdout
    changed = run("git", "status", "--porcelain", cwd=clone).stdout
    done = pbem(clone, *arguments)
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert (clone / GAME).read_bytes() == before
    assert run("git", "rev-parse", "HEAD", cwd=clone).stdout == head
    assert run("git", "status", "--porcelain", cwd=clone).stdout == changed
    return done.stderr


# To begin


def test_a_folder_becomes_a_game_repository(tmp_path: Path) -> None:
    done = did(
        tmp_path,
        "git",
        "init",
        "--chance",
        "open",
        "friday",
        "Ann",
        "Bob:blue",
        "--action",
        "somebody/pbem@v1",
        "--json",
    )

    folder, answer = tmp_path / "friday", json.loads(done)
    assert answer["files"] == [
        GAME,
        ".gitattributes",
        ".github/workflows/moves.yml",
        ".gitignore",
        "PLAY.md",
        "README.md",
    ]
    assert sorted(answer["files"]) == sorted(git(folder, "ls-files").split("\n"))
    assert status(folder) == ""
    assert answer["commit"] == git(folder, "rev-parse", "main")
    assert "uses: somebody/pbem/examples/github-action@v1" in (folder / answer["files"][2]).read_text(encoding="utf-8")
    assert "BOARD" in (folder / "README.md").read_text(encoding="utf-8")
    assert git(folder, "check-attr", "merge", "eol", "--", GAME).split("\n") == [
        f"{GAME}: merge: unset",
        f"{GAME}: eol: lf",
    ]
    assert "created and committed ../other/game.toml" in did(
        tmp_path / "friday", "git", "init", "--chance", "open", "../other", "Ann", "Bob"
    )
    assert did(folder, "git", "check", "0", "HEAD").endswith("1 move checked, and it is valid\n")


def test_the_secret_of_a_sealed_game_is_not_committed(tmp_path: Path) -> None:
    did(tmp_path, "git", "init", "friday", "Ann", "Bob", "--chance", "sealed")

    assert (tmp_path / "friday" / "game.secret.toml").stat().st_mode & 0o777 == 0o600
    assert "game.secret.toml" not in git(tmp_path / "friday", "ls-files")
    assert status(tmp_path / "friday") == ""


def test_an_empty_clone_can_be_the_folder(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--bare", "--initial-branch=main", "server.git")
    git(tmp_path, "clone", "--quiet", "server.git", "clone")

    did(
        tmp_path / "clone",
        "git",
        "init",
        "--chance",
        "open",
        ".",
        "Ann",
        "Bob",
        "--id",
        "friday",
        "--game",
        "friday.json",
    )

    git(tmp_path / "clone", "push", "--quiet", "origin", "HEAD")
    assert did(tmp_path / "clone", "verify", "friday.json")


def test_a_game_does_not_begin_after_other_commits(tmp_path: Path) -> None:
    """No server with our hook would take them."""
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "commit", "--quiet", "--allow-empty", "--message", "mine")
    before = git(tmp_path, "rev-parse", "HEAD")

    done = pbem(tmp_path, "git", "init", "--chance", "open", ".", "Ann", "Bob", "--id", "friday")

    assert (done.returncode, "the repository already has commits" in done.stderr) == (73, True)
    assert "begin the game in a new folder" in done.stderr
    assert (git(tmp_path, "rev-parse", "HEAD"), [file.name for file in tmp_path.iterdir()]) == (before, [".git"])


@pytest.mark.parametrize("name", [GAME, "README.md", ".gitignore", ".gitattributes", "game.secret.toml"])
def test_nothing_is_overwritten_by_a_new_game(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("mine", encoding="utf-8")

    done = pbem(tmp_path, "git", "init", ".", "Ann", "Bob", "--id", "friday", "--chance", "sealed")

    assert done.returncode == 73
    assert (tmp_path / name).read_text(encoding="utf-8") == "mine"
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_a_game_that_cannot_begin_leaves_the_repository_that_was_there(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    (tmp_path / "README.md").write_text("mine", encoding="utf-8")

    assert pbem(tmp_path, "git", "init", ".", "Ann", "Bob", "--id", "friday", "--chance", "sealed").returncode == 73
    assert git(tmp_path, "status", "--porcelain") == "?? README.md"


@pytest.mark.parametrize(
    ("chance", "keys", "action", "hint"),
    [
        ("open", ["green"], "", "--key red=their-key.pub"),
        ("sealed", ["green", "red"], "", "--key host=their-key.pub"),
        (
            "sealed",
            [],
            "owner/repository@main",
            "--key green=their-key.pub --key red=their-key.pub --key host=their-key.pub",
        ),
    ],
)
def test_all_have_keys_or_nobody_and_all_in_a_sealed_game_that_github_judges(
    tmp_path: Path, chance: str, keys: list[str], action: str, hint: str
) -> None:
    record = a_new_record(2)
    record = record._replace(chance=record.chance._replace(kind=chance))

    with pytest.raises(UsageError) as refusal:
        start(tmp_path / "new", GAME, record, SECRET, keys=dict.fromkeys(keys, ("key.pub", "")), action=action)

    assert refusal.value.hint == hint
    assert list(tmp_path.iterdir()) == []


def test_a_game_can_begin_beside_other_files(tmp_path: Path) -> None:
    """They stay as they are, and are not committed."""
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")

    did(tmp_path, "git", "init", "--chance", "open", ".", "Ann", "Bob", "--id", "friday")

    assert status(tmp_path) == "?? notes.txt"
    assert (tmp_path / "notes.txt").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        pytest.param(("Ann",), 2, id="one player"),
        pytest.param(("Ann", "Bob", "--action", "evil"), 2, id="no place of an action"),
        pytest.param(("Ann", "Bob", "--action", "a/b@v1\n      - run: evil"), 2, id="an action with more in it"),
        pytest.param(("Ann", "Bob", "--game", "../game.toml"), 2, id="a game elsewhere"),
        pytest.param(("Ann", "Bob", "--game", "game.secret.toml"), 2, id="a game named like a secret"),
        pytest.param(("Ann", "Bob", "--key", "Ann=ann.pub"), 2, id="a key is missing"),
        pytest.param(("Ann", "Bob", "--key", "Zoe=ann.pub"), 2, id="a key of nobody"),
        pytest.param(("Ann", "Bob", "--key", "Ann=no.pub"), 66, id="no key"),
        pytest.param(("Ann", "Bob", "--key", "Ann=evil.pub", "--key", "Bob=ann.pub"), 65, id="two keys in one"),
        pytest.param(("Ann", "Bob", "--key", "Ann=cut.pub", "--key", "Bob=ann.pub"), 65, id="a key that was cut off"),
    ],
)
def test_a_game_that_cannot_be_begun_leaves_no_file(tmp_path: Path, arguments: tuple[str, ...], code: int) -> None:
    key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFr4mVPgb3Vn0CrNpDEXAMPLEEXAMPLEEXAMPLEEXAMP ann\n"
    (tmp_path / "cut.pub").write_text(key[:60], encoding="utf-8")
    (tmp_path / "ann.pub").write_text(key, encoding="utf-8")
    (tmp_path / "evil.pub").write_text(f"{key}blue {key}", encoding="utf-8")

    done = pbem(tmp_path, "git", "init", "--chance", "open", "friday", *arguments)

    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    assert not list((tmp_path / "friday").glob("[!.]*"))


def test_git_has_to_know_who_commits(tmp_path: Path) -> None:
    nobody = {f"GIT_{who}_{what}": "" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}

    done = pbem(
        tmp_path, "git", "init", "--chance", "open", "friday", "Ann", "Bob", **nobody, EMAIL="", HOME=str(tmp_path)
    )

    assert done.returncode == 2
    assert "git does not know your name yet" in done.stderr


# To move


def test_a_move_is_a_commit_that_tells_it(tmp_path: Path) -> None:
    group = a_group(tmp_path)

    done = did(group.clone, "git", "move", "--as", "Christian", "--order", "stay")

    assert done.startswith("1 red stay: pushed to origin\n\nfriday, turn 1")
    subject, body = git(group.clone, "log", "-1", "--format=%B").split("\n", 1)
    assert subject == "1 red stay"
    assert "- Christian (red) stays." in body
    head = game_at(group.clone).record.head
    assert git(group.clone, "log", "-1", "--format=%(trailers:only)").strip().split("\n") == [
        "Pbem-Game: friday",
        "Pbem-Turn: 1",
        f"Pbem-Head: {head}",
    ]
    assert group.tip == git(group.clone, "rev-parse", "HEAD")
    assert status(group.clone) == ""
    assert "turn 1" in (group.clone / "README.md").read_text(encoding="utf-8")


def test_what_others_did_is_fetched_first(tmp_path: Path) -> None:
    group = a_group(tmp_path)
    other = group.another_clone("other")
    did(other, "git", "move", "--as", "red", "--order", "stay")

    answer = json.loads(did(group.clone, "git", "move", "--as", "blue", "--order", "stay", "--json"))

    assert answer["message"] == "2 blue stay: pushed to origin"
    assert answer["log"] == ["2 blue stay"]
    assert answer["pulled"] == ["1 red stay"]
    assert answer["commit"] == group.tip
    assert answer["turn"] == 2


@pytest.mark.slow
def test_what_came_in_is_told(tmp_path: Path) -> None:
    """By what the commits hold, and not by what they say."""
    group = a_group(tmp_path)
    other = group.another_clone("other")
    for by in ("red", "blue"):
        commit = forged(other, {GAME: text_after(game_at(other), by, "stay").encode()}, message="hello")
        git(other, "reset", "--quiet", "--hard", commit)
    git(other, "push", "--quiet")

    late = pbem(group.clone, "git", "move", "--as", "blue", "--order", "stay")

    assert late.returncode == 77
    news, refusal, *_ = late.stderr.splitlines()
    assert news == "2 blue stay and 1 more came in just now"
    assert refusal.startswith("refused, and nothing was changed: it is not Steffi's turn; ")
    assert git(group.clone, "status", "--porcelain") == ""
    did(other, "git", "move", "--as", "green", "--order", "stay")
    did(other, "git", "note", "Good luck!", "--as", "green")
    by = game_at(other).record.players[0][0]
    done = did(group.clone, "git", "move", "--as", by, "--order", "resign").splitlines()
    assert done[1] == "green says Good luck! and 1 more came in just now"
    again = pbem(group.clone, "git", "move", "--as", by, "--order", "resign")
    assert "came in" not in again.stderr


def test_what_came_in_before_a_refusal_is_a_line_of_its_own(tmp_path: Path) -> None:
    group = a_group(tmp_path)
    other = group.another_clone("other")

    did(other, "git", "note", "Hello", "--as", "red")
    told = pbem(group.clone, "git", "agree", "--as", "green").stderr
    did(other, "git", "note", "Hello again", "--as", "red")
    data = json.loads(pbem(group.clone, "git", "agree", "--as", "green", "--json").stdout)

    assert told.splitlines()[:2] == ["red says Hello came in just now", "illegal: no motion is open"]
    assert fits(data, "git")
    assert data["message"] == "no motion is open"
    assert data["notes"] == ["red says Hello again came in just now"]


def test_a_clone_of_a_game_that_had_not_begun_gets_it_with_its_first_move(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--bare", "--initial-branch=main", "server.git")
    git(tmp_path, "clone", "--quiet", "server.git", "early")
    did(tmp_path, "git", "init", "--chance", "open", "clone", *PLAYERS, "--board", "recommended")
    git(tmp_path / "clone", "push", "--quiet", "../server.git", "main")

    did(tmp_path / "early", "git", "move", "--as", "red", "--order", "resign")

    assert git(tmp_path / "early", "show", "--format=", "--name-only", "HEAD").split("\n") == ["README.md", GAME]
    assert game_at(tmp_path / "server.git", "main").record.turn == 1


def test_the_move_may_come_from_a_file_or_standard_input(tmp_path: Path) -> None:
    group = a_group(tmp_path)
    (tmp_path / "move.toml").write_text('player = "red"\norders = ["stay"]\n', encoding="utf-8")

    did(group.clone, "git", "move", tmp_path / "move.toml")

    assert pbem(group.clone, "git", "move", "-", "--as", "blue", stdin="stay\n").returncode == 0
    assert game_at(group.server, "main").record.turn == 2


def test_a_prepared_move_is_sent_although_another_has_agreed_to_end(tmp_path: Path) -> None:
    """It came in with the pull, and what is asked is the same."""
    group = a_group(tmp_path)
    ours, theirs = group.another_clone("ours"), group.another_clone("theirs")
    shown = did(ours, "show", GAME)
    marker = re.search(r"\[friday/0/[0-9a-f]{8}\]", shown)
    assert marker is not None
    asked = who_decides(game_at(group.server, "main").record.state)
    other = next(colour for colour in ("green", "red", "blue") if colour != asked)
    did(theirs, "git", "move", "--as", other, "--order", "agree end")

    did(ours, "git", "move", "--as", asked, "--order", f"{marker[0]} stay")

    assert f"2 {asked} stay" in game_at(group.server, "main").record.log


def test_without_a_remote_a_move_is_committed_and_no_more(tmp_path: Path) -> None:
    group = a_group(tmp_path)
    git(group.clone, "remote", "remove", "origin")

    done = did(group.clone, "git", "move", "--as", "red", "--order", "stay")

    assert done.startswith("1 red stay: committed, but not pushed, since the repository has no remote")
    assert group.tip == group.base


def test_what_else_lies_in_the_clone_stays_as_it_is(tmp_path: Path) -> None:
    group = a_group(tmp_path)
    (group.clone / "notes.txt").write_text("mine", encoding="utf-8")
    (group.clone / "staged.txt").write_text("mine", encoding="utf-8")
    git(group.clone, "add", "staged.txt")

    did(group.clone, "git", "move", "--as", "red", "--order", "stay")

    assert status(group.clone) == "A  staged.txt\n?? notes.txt"
    assert git(group.clone, "show", "--format=", "--name-only", "HEAD").split("\n") == ["README.md", GAME]


def test_a_readme_of_the_group_is_left_alone(tmp_path: Path) -> None:
    did(tmp_path, "git", "init", "--chance", "open", "clone", "Ann:red", "Bob:blue", "--board", "random")
    clone = tmp_path / "clone"
    (clone / "README.md").write_text("# Ours\n", encoding="utf-8")
    git(clone, "commit", "--quiet", "--all", "--message", "ours")
    by = game_at(clone).record.players

    for colour, _ in by:
        pbem(clone, "git", "move", "--as", colour, "--order", "resign")

    assert len(git(clone, "rev-list", "HEAD").split("\n")) > 2
    assert (clone / "README.md").read_text(encoding="utf-8") == "# Ours\n"
    assert did(clone, "git", "check", "HEAD~1", "HEAD")


@pytest.mark.parametrize("page", [b"caf\xe9\n", None])
def test_a_readme_that_cannot_be_read_is_the_groups_own(tmp_path: Path, page: bytes | None) -> None:
    """It is in another encoding, or a link."""
    group = a_group(tmp_path)
    git(group.clone, "remote", "remove", "origin")
    content = ("120000", b"notes.txt") if page is None else page
    git(group.clone, "reset", "--quiet", "--hard", forged(group.clone, {"README.md": content}))

    did(group.clone, "git", "move", "--as", "red", "--order", "stay")

    assert git(group.clone, "show", "--format=", "--name-only", "HEAD") == GAME
    assert status(group.clone) == ""


def test_nobody_plays_on_in_a_forged_game(tmp_path: Path) -> None:
    """A server without our hook has taken it."""
    group = a_group(tmp_path)
    (group.server / "hooks" / "pre-receive").unlink()
    other = group.another_clone("other")
    text = (other / GAME).read_text(encoding="utf-8").replace("food = 7", "food = 17", 1)
    (other / GAME).write_text(text, encoding="utf-8")
    git(other, "commit", "--quiet", "--all", "--message", "cheat")
    git(other, "push", "--quiet")

    done = pbem(group.clone, "git", "move", "--as", "red", "--order", "stay")

    assert done.returncode == 76
    assert "the snapshot does not match the log" in done.stderr
    assert group.tip == git(group.clone, "rev-parse", "HEAD")
    assert status(group.clone) == ""


def test_a_page_that_stayed_behind_is_written_again(tmp_path: Path) -> None:
    group = a_group(tmp_path)
    did(group.clone, "play", GAME, "--as", "red", "--order", "stay")
    git(group.clone, "commit", "--quiet", "--message", "by hand", GAME)

    did(group.clone, "git", "move", "--as", "blue", "--order", "stay")

    text = (group.clone / GAME).read_text(encoding="utf-8")
    assert (group.clone / "README.md").read_bytes() == page_of(text)
    assert group.tip == git(group.clone, "rev-parse", "HEAD")


def test_a_move_from_a_folder_below_finds_the_game(tmp_path: Path) -> None:
    group = a_group(tmp_path)
    (group.clone / "below").mkdir()

    did(group.clone / "below", "git", "move", "--as", "red", "--order", "stay")

    assert group.tip == git(group.clone, "rev-parse", "HEAD")


def test_a_hook_of_the_clone_is_not_run(tmp_path: Path) -> None:
    group = a_group(tmp_path)
    hook = group.clone / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\ntouch ran\nexit 1\n", encoding="utf-8")
    hook.chmod(0o755)

    did(group.clone, "git", "move", "--as", "red", "--order", "stay")

    assert not (group.clone / "ran").exists()


def hides_its_food(record: Record) -> bool:
    """Return whether a player decides whose food the others do not know."""
    decides = who_decides(record.state)
    return decides not in (None, "*") and hides_food(record.state, record.state.clan(decides), None)


def test_the_text_shows_nobody_the_food_of_another(tmp_path: Path) -> None:
    """The next player owns Fire: neither the commit nor who has moved tells its food."""
    before, by, order = a_new_record(3, "friday", "recommended", hide_food=True), "*", ""
    for after, entry, _ in random_play(before, Random(1)):
        by, order = (entry.by, str(entry.move)) if entry.by != "*" else (by, order)
        if hides_its_food(after) and by != who_decides(after.state) and after.turn == before.turn + 1:
            break
        before = after
    assert hides_its_food(after)
    did(tmp_path, "git", "init", "--chance", "open", "clone", "Ann", "Bob")
    clone = tmp_path / "clone"
    text = game_files.text_of(before, "toml")
    (clone / GAME).write_text(text, encoding="utf-8")
    (clone / "README.md").write_bytes(page_of(text))
    git(clone, "commit", "--quiet", "--all", "--amend", "--no-edit")

    done = did(clone, "git", "move", "--as", by, "--order", order)

    name = dict(after.players)[who_decides(after.state)]
    told = [done, git(clone, "log", "-1", "--format=%B"), (clone / "README.md").read_text(encoding="utf-8")]
    lines = [line for text in told for line in text.splitlines() if re.match(rf" *[1-6]\. [A-Z] {name} ", line)]
    assert len(lines) == 3
    assert [line for line in lines if re.search(r"\d food", line)] == []
    assert not any("CHOICES" in text for text in told)  # what can be paid would tell it too
    private = text_for(after, who_decides(after.state), unicode=False)
    assert re.search(rf"[1-6]\. [A-Z] {name} .*\d food", private)


# When somebody was faster, and when the world is not as it should be


def test_who_is_too_late_is_told_in_one_line_and_loses_nothing(tmp_path: Path) -> None:
    group = a_group(tmp_path)
    other = group.another_clone("other")
    (group.clone / "notes.txt").write_text("mine", encoding="utf-8")
    # The other pushes after we have fetched and before we push.
    path = before_a_push(tmp_path, f'cd "{other}" && git push --quiet origin HEAD:refs/heads/main')
    first = forged(other, {GAME: text_after(game_at(other), "red", "stay").encode()}, message="1 red stay")
    git(other, "reset", "--quiet", "--hard", first)

    done = pbem(group.clone, "git", "move", "--as", "red", "--order", "stay", PATH=path)

    assert (tmp_path / "once").exists()
    assert done.returncode == 77, (done.stdout, done.stderr)
    assert done.stderr.splitlines()[0] == "stale: somebody moved first, and '1 red stay' was not pushed"
    assert git(group.clone, "rev-parse", "HEAD") == group.tip == first
    assert status(group.clone) == "?? notes.txt"
    did(group.clone, "git", "move", "--as", "blue", "--order", "stay")


def test_an_illegal_move_changes_nothing(tmp_path: Path) -> None:
    group = a_group(tmp_path)

    said = refused(group.clone, "git", "move", "--as", "red", "--order", "add M1a", code=65)

    assert said.startswith("refused, ")
    assert group.tip == group.base


def test_a_move_that_the_server_refuses_is_taken_back(tmp_path: Path) -> None:
    group = a_group(tmp_path)
    hook = group.server / "hooks" / "pre-receive"
    hook.write_text('#!/bin/sh\necho "refused: not on a Sunday" >&2\nexit 1\n', encoding="utf-8")

    said = refused(group.clone, "git", "move", "--as", "red", "--order", "stay", code=65)

    assert "origin refuses '1 red stay': not on a Sunday" in said


def test_a_move_waits_while_the_line_is_down(tmp_path: Path) -> None:
    group = a_group(tmp_path)
    away = tmp_path / "away.git"
    group.server.rename(away)

    said = refused(group.clone, "git", "move", "--as", "red", "--order", "stay", code=75)

    assert "origin cannot be reached" in said
    away.rename(group.server)
    did(group.clone, "git", "move", "--as", "red", "--order", "stay")


def test_a_commit_that_could_not_be_sent_stays(tmp_path: Path) -> None:
    """The line breaks between fetching and pushing: here the address for pushing leads nowhere, and then both do."""
    group = a_group(tmp_path)
    path = before_a_push(tmp_path, f'mv "{group.server}" "{tmp_path}/away.git"')

    done = pbem(group.clone, "git", "move", "--as", "red", "--order", "stay", PATH=path)

    assert done.returncode == 75
    assert "'1 red stay' is committed here, but origin cannot be reached" in done.stderr
    assert "git push origin main pushes it" in done.stderr
    waits = "What is committed here has not been pushed yet: git push origin main"
    assert did(group.clone, "git", "status").splitlines()[1:] == [waits]
    (tmp_path / "away.git").rename(group.server)
    did(group.clone, "git", "move", "--as", "blue", "--order", "stay")
    assert len(did(group.clone, "git", "status").splitlines()) == 1
    assert game_at(group.server, "main").record.turn == 2


@pytest.mark.parametrize("address", ["http://127.0.0.1:9/x.git", "/no/such/server.git"])
def test_a_commit_stays_when_only_the_way_there_is_broken(tmp_path: Path, address: str) -> None:
    """We can fetch and cannot push, which is no refusal."""
    group = a_group(tmp_path)
    git(group.clone, "config", "remote.origin.pushurl", address)

    done = pbem(group.clone, "git", "move", "--as", "red", "--order", "stay")

    assert done.returncode == 75
    assert "'1 red stay' is committed here, but origin cannot be reached" in done.stderr
    assert status(group.clone) == ""
    git(group.clone, "config", "--unset", "remote.origin.pushurl")
    git(group.clone, "push", "origin", "main")
    assert game_at(group.server, "main").record.turn == 1


def test_a_move_that_arrived_is_not_taken_back(tmp_path: Path) -> None:
    """The line breaks after the server took the move and before it says so."""
    group = a_group(tmp_path)
    path = before_a_push(tmp_path, "git push --quiet origin HEAD:refs/heads/main && exit 1")

    done = did(group.clone, "git", "move", "--as", "red", "--order", "stay", PATH=path)

    assert done.startswith("1 red stay: pushed to origin")
    assert group.tip == git(group.clone, "rev-parse", "HEAD")


@pytest.mark.slow
def test_an_older_commit_that_the_server_refuses_is_named(tmp_path: Path) -> None:
    group = a_group(tmp_path)
    did(group.clone, "git", "move", "--as", "red", "--order", "stay")
    (group.clone / "notes.txt").write_text("mine", encoding="utf-8")
    git(group.clone, "add", "notes.txt")
    git(group.clone, "commit", "--quiet", "--message", "my move")

    said = refused(group.clone, "git", "move", "--as", "blue", "--order", "stay", code=65)

    assert "origin refuses '2 blue stay': " in said
    assert "your move was undone; 'my move', committed before it, was not pushed either" in said
    command = re.search(r": (git reset .*) drops it", said)
    assert command
    git(group.clone, *command[1].split()[1:])
    did(group.clone, "git", "move", "--as", "blue", "--order", "stay")


def test_a_waiting_commit_that_came_too_late_is_told(tmp_path: Path) -> None:
    group = a_group(tmp_path)
    other = group.another_clone("other")
    mine = forged(group.clone, {GAME: text_after(game_at(group.clone), "red", "stay").encode()}, message="1 red stay")
    git(group.clone, "reset", "--quiet", "--hard", mine)
    did(other, "git", "move", "--as", "blue", "--order", "resign")

    said = refused(group.clone, "git", "move", "--as", "blue", "--order", "stay", code=77)

    assert "somebody moved first, and your '1 red stay' is committed here but was not pushed" in said
    assert "git reset --keep origin/main" in said


def test_a_game_changed_by_hand_is_not_overwritten(tmp_path: Path) -> None:
    group = a_group(tmp_path)
    did(group.clone, "play", GAME, "--as", "red", "--order", "stay")

    said = refused(group.clone, "git", "move", "--as", "blue", "--order", "stay", code=73)

    assert "game.toml differs from the last commit" in said
    assert "git restore --staged --worktree game.toml" in said


def test_no_branch_is_checked_out(tmp_path: Path) -> None:
    group = a_group(tmp_path)
    git(group.clone, "checkout", "--quiet", "--detach")

    assert "no branch is checked out" in refused(group.clone, "git", "move", "--as", "red", "--order", "stay", code=2)


def test_a_game_is_not_merged(tmp_path: Path) -> None:
    """Two moves from the same situation conflict, and the file stays whole."""
    group = a_group(tmp_path)
    game = game_at(group.clone)
    mine = forged(group.clone, {GAME: text_after(game, "red", "stay").encode()})
    theirs = forged(group.clone, {GAME: text_after(game, "red", "resign").encode()})
    git(group.clone, "reset", "--quiet", "--hard", mine)

    assert run("git", "merge", theirs, cwd=group.clone).returncode != 0

    assert (group.clone / GAME).read_text(encoding="utf-8") == text_after(game, "red", "stay")
    assert "cannot be committed" in pbem(group.clone, "git", "check", "--staged").stderr


@pytest.mark.parametrize("command", [("move", "--order", "stay"), ("draw",), ("check", "a", "b"), ("log",)])
def test_there_has_to_be_a_repository(tmp_path: Path, command: tuple[str, ...]) -> None:
    done = pbem(tmp_path, "git", *command)

    assert done.returncode == 66
    assert "this folder is not in a git repository" in done.stderr


@pytest.mark.parametrize(
    "command", [("move", "--order", "stay"), ("check", "a", "b"), ("log",), ("init", ".", "A", "B", "--chance", "open")]
)
def test_there_has_to_be_a_git(tmp_path: Path, command: tuple[str, ...]) -> None:
    done = pbem(tmp_path, "git", *command, PATH=str(tmp_path))

    assert done.returncode == 66
    assert "the program git is not installed" in done.stderr


def test_there_is_no_move_in_a_bare_repository(tmp_path: Path) -> None:
    group = a_group(tmp_path)

    done = pbem(group.server, "git", "move", "--as", "red", "--order", "stay")

    assert done.returncode == 2
    assert "has no work tree" in done.stderr


def test_a_repository_of_another_game_is_told(tmp_path: Path) -> None:
    group = a_group(tmp_path)

    assert "friday.toml" in refused(
        group.clone, "git", "move", "--as", "red", "--order", "stay", "--game", "friday.toml", code=66
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ("check",),
        ("check", "HEAD"),
        ("check", "HEAD", "HEAD", "--staged"),
        ("check", "--staged", "--pushed"),
        ("move", "x", "--order", "stay"),
        ("hook", "update"),
        ("nothing",),
    ],
)
def test_a_command_line_that_does_not_fit_together(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    assert pbem(tmp_path, "git", *arguments).returncode == 2


@pytest.mark.parametrize("name", ["nothing", "--all", "HEAD:game.toml", "a\nb", ""])
def test_a_commit_that_is_not_there(tmp_path: Path, name: str) -> None:
    group = a_group(tmp_path)

    done = pbem(group.clone, "git", "check", "--", "HEAD", name)

    assert done.returncode == (2 if not name else 66)
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_shallow_clone_is_told(tmp_path: Path) -> None:
    group = a_group(tmp_path)
    for by in ("red", "blue"):
        did(group.clone, "git", "move", "--as", by, "--order", "stay")
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{group.server}", "shallow")
    shallow = tmp_path / "shallow"

    done = pbem(shallow, "git", "check", group.base, "HEAD")

    assert done.returncode == 66
    assert "git fetch --unshallow" in done.stderr
    older = "for older commits: git fetch --unshallow"
    assert did(shallow, "git", "log").splitlines() == [older]  # not what all have done before
    did(shallow, "git", "move", "--as", "green", "--order", "stay")
    assert game_at(group.server, "main").record.turn == 3
    first, last = did(shallow, "git", "log").splitlines()
    assert "3 green stay" in first
    assert last == older


def test_the_hint_for_a_move_without_an_order_fits_the_command(tmp_path: Path) -> None:
    said = refused(a_group(tmp_path).clone, "git", "move", code=77)

    assert "no plan in this clone answers for Christian (red) now" in said
    assert "--order" in said
    assert "pbem play" not in said


# To tell


def test_the_game_is_told_from_its_commits(tmp_path: Path) -> None:
    group = a_group(tmp_path)
    did(group.clone, "git", "move", "--as", "red", "--order", "stay")
    lying = text_after(game_at(group.clone), "blue", "stay").encode()
    git(group.clone, "reset", "--quiet", "--hard", forged(group.clone, {GAME: lying}, message="2 blue resign"))
    evil = {"GIT_AUTHOR_NAME": "Evil\x1b[31m\x9b"}
    git(group.clone, "commit", "--quiet", "--allow-empty", "--message", "hello", **evil)
    (group.clone / GAME).write_text("broken", encoding="utf-8")
    git(group.clone, "commit", "--quiet", "--all", "--message", "broken")

    lines = did(group.clone, "git", "log").splitlines()

    assert [line.split(" ", 1)[1] for line in lines[:4]] == [
        "2001-02-03 Ann: not a legal move: game.toml cannot be parsed at the end: "
        "expected '=' after a key in a key/value pair",
        "2001-02-03 Evil?[31m?: not a legal move: game.toml is unchanged, so the commit has no move",
        "2001-02-03 Ann: 2 blue stay",
        "2001-02-03 Ann: 1 red stay",
    ]
    assert "0 * draw 1; 0 * draw 3" in lines[4]
    commits = json.loads(did(group.clone, "git", "log", "--json", "HEAD~2"))["commits"]
    assert commits[0]["lines"] == ["2 blue stay"]
    assert commits[1]["commit"] == git(group.clone, "rev-parse", "HEAD~3")


@pytest.mark.slow
def test_bisect_finds_the_commit_that_broke_the_game(tmp_path: Path) -> None:
    group = a_group(tmp_path)
    for by in ("red", "blue", "green"):
        did(group.clone, "git", "move", "--as", by, "--order", "stay")
    text = (group.clone / GAME).read_text(encoding="utf-8").replace("food = 7", "food = 70")
    (group.clone / GAME).write_text(text, encoding="utf-8")
    git(group.clone, "commit", "--quiet", "--all", "--message", "cheat")
    cheat = git(group.clone, "rev-parse", "HEAD")
    (group.clone / GAME).write_text(f"{text}# and so it went on\n", encoding="utf-8")
    git(group.clone, "commit", "--quiet", "--all", "--message", "later")

    git(group.clone, "bisect", "start", "HEAD", group.base)
    done = run("git", "bisect", "run", "pbem", "verify", GAME, cwd=group.clone, PATH=a_path())

    assert f"{cheat} is the first bad commit" in done.stdout, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.needs("ssh-keygen")
def test_signed_moves_go_through_with_the_players_own_key(tmp_path: Path) -> None:
    keys = keys_of(tmp_path, "green", "red", "blue")
    group: Group = a_group(tmp_path, *[word for who in keys for word in ("--key", f"{who}={keys[who]}.pub")])
    assert (
        (group.clone / "allowed_signers").read_text(encoding="utf-8").startswith('green namespaces="git" ssh-ed25519 ')
    )

    wrong = pbem(group.clone, "git", "move", "--as", "red", "--order", "stay", "--key", keys["blue"])

    assert wrong.returncode == 77
    assert "the commit is signed by blue, but must be signed by red" in wrong.stderr
    wanted = run("ssh-keygen", "-l", "-f", keys["red"], cwd=tmp_path).stdout.split()[1]
    assert f"red can sign with ssh-ed25519 {wanted}; " in wrong.stderr
    assert status(group.clone) == ""
    assert group.tip == git(group.clone, "rev-parse", "HEAD") == group.base
    did(group.clone, "git", "move", "--as", "red", "--order", "stay", "--key", keys["red"])
    git(group.clone, "config", "user.signingkey", str(keys["blue"]))
    did(group.clone, "git", "move", "--as", "blue", "--order", "stay")
    assert game_at(group.server, "main").record.turn == 2


def test_a_game_file_that_was_only_taken_from_the_index_is_restored_by_the_hint(tmp_path: Path) -> None:
    clone = a_group(tmp_path).clone
    git(clone, "rm", "--quiet", "--cached", "game.toml")

    done = pbem(clone, "git", "move", "--as", "red", "--order", "stay")

    assert "game.toml differs from the last commit" in done.stderr
    hint = next(line for line in done.stderr.splitlines() if line.startswith("hint: "))
    git(clone, *hint.removeprefix("hint: git ").partition(" discards")[0].split())
    did(clone, "git", "move", "--as", "red", "--order", "stay")

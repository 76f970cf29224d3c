"""What somebody who plays for an absent player could try against that player and the others."""

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest
from gits import Group, a_group, did, forged, game_at, git, keys_of, needs_ssh, pbem, push, text_after, without_a_hook
from test_git_absence import DAY, OTHER, THIRD, may_say, minutes, on

from pbem.carriers.git.signing import and_key, without_key
from pbem.table import motions
from pbem.table.lines import LONGEST

NOW: Final = int(time.time())


def at(day: int) -> dict[str, str]:
    """Return the environment of a commit so many days before or after now."""
    date = f"@{NOW + day * DAY} +0000"
    return {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}


def day_of(day: int) -> str:
    """Return the date of so many days before or after now."""
    return datetime.fromtimestamp(NOW + day * DAY, UTC).strftime("%Y-%m-%d")


def with_dora(folder: Path) -> tuple[Group, dict[str, Path]]:
    """Return a group whose red player was away until three days ago and let Dora play, and all keys."""
    keys = keys_of(folder, "green", "red", "blue", "dora")
    given = [word for who in ("green", "red", "blue") for word in ("--key", f"{who}={keys[who]}.pub")]
    group = a_group(folder / "group", *given)
    gone = ("--until", day_of(-3), "--substitute", "Dora", f"{keys['dora']}.pub")
    did(group.clone, "git", "absent", *gone, "--key", keys["red"], **at(-9))
    return group, keys


def dated(clone: Path, commit: str, key: Path, day: int) -> str:
    """Return the same commit as somebody signs it so many days before or after now."""
    signing = ("-c", "gpg.format=ssh", "-c", f"user.signingkey={key}")
    return git(clone, *signing, "commit-tree", "-S", "-p", f"{commit}^", "-m", "x", f"{commit}^{{tree}}", **at(day))


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "the substitute has no name"),
        (" ", "the substitute has no name"),
        ("christian", "nobody can be their own substitute"),
        ("Host", "a substitute cannot be called Host"),
        ("a bot", "a substitute cannot be called a bot"),
        ("Bot 2", "a substitute cannot be called Bot 2"),
        ("Dora, who signs", "the name of a substitute cannot have a comma"),
    ],
)
def test_the_others_can_tell_who_a_substitute_is(name: str, why: str, tmp_path: Path) -> None:
    clone = a_group(tmp_path).clone

    done = pbem(clone, "git", "absent", "--substitute", name, "--as", "red")

    assert why in done.stderr
    assert "hint: " in done.stderr
    assert not (clone / "minutes.txt").exists()


@pytest.mark.parametrize("name", ["christian", "a bot", "Dora, who signs"])
def test_minutes_that_have_an_odd_name_stay_valid(name: str) -> None:
    assert may_say(on(1, f"red is away, and lets {name} play")) == ""


def test_who_lets_somebody_play_reads_how_that_is_done_without_signatures(tmp_path: Path) -> None:
    clone = a_group(tmp_path).clone

    told = did(clone, "git", "absent", "--substitute", "Dora", "--as", "red")

    assert told.splitlines()[1:] == [
        "Dora plays in a clone of this repository, for example with pbem git move --as red"
    ]


@needs_ssh
def test_who_lets_somebody_play_reads_what_else_is_needed_in_a_shared_game(tmp_path: Path) -> None:
    keys, home = keys_of(tmp_path, "red", "blue", "dora"), {"XDG_DATA_HOME": str(tmp_path)}
    given = [word for who in ("red", "blue") for word in ("--key", f"{who}={keys[who]}.pub")]
    did(tmp_path, "git", "init", "game", "Ann:red", "Bob:blue", "--as", "Ann", "--board", "recommended", *given, **home)

    gone = ("git", "absent", "--substitute", "Dora", "../dora.pub", "--key", keys["red"])
    told = did(tmp_path / "game", *gone, **home)

    assert told.splitlines()[-2:] == [
        "Dora plays in a clone of this repository, and signs with that key",
        "Dora also needs the line with your secret that pbem git join has printed",
    ]


@needs_ssh
def test_a_substitute_signs_no_move_that_is_dated_before_the_end(tmp_path: Path) -> None:
    group, keys = with_dora(tmp_path)
    move = ("git", "move", "--as", "red", "--order", "stay", "--key", keys["dora"])

    over = pbem(group.clone, *move, **at(0)).stderr
    assert "signed by the substitute of red" in over
    assert "hint: the absence of red is over, and so is the time of the substitute" in over
    late = pbem(group.clone, *move, **at(-4))

    assert late.returncode == 65
    assert "the commit is too old for a player who has a substitute" in late.stderr
    did(group.clone, *move[:-1], keys["red"], **at(0))


@needs_ssh
def test_without_a_hook_a_commit_of_a_substitute_is_not_dated_before_the_others(tmp_path: Path) -> None:
    group, keys = with_dora(tmp_path)
    without_a_hook(group)
    did(group.clone, "git", "note", "I wait.", "--as", "blue", "--key", keys["blue"], **at(-1))

    moved = {"game.toml": text_after(game_at(group.clone), "red", "stay").encode()}
    late = dated(group.clone, forged(group.clone, moved), keys["dora"], -4)

    checked = pbem(group.clone, "git", "check", group.base, late)
    assert checked.returncode == 65
    assert "the commit is dated before the commits that it follows" in checked.stderr


def test_a_substitute_does_not_take_the_words_of_the_player(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the player could never say anything again, and not even be back."""
    monkeypatch.setattr(motions, "_WRITTEN", 4 * LONGEST)
    away = on(1, f"{THIRD} is away, and lets Dora play")
    talk = [on(2, f"{THIRD} says {'x' * LONGEST}")] * 3
    said = (away, *talk)

    assert may_say(talk[0], *said).startswith(f"the substitute of {THIRD} has written so much")
    assert may_say(on(3, f"{THIRD} decides to seat Zoe as {THIRD}"), *said) == ""
    assert may_say(on(3, f"{THIRD} is back"), *said) == ""
    assert may_say(talk[0].replace("-02T", "-04T"), *said, on(3, f"{THIRD} is back")) == ""


def test_a_player_who_has_written_too_much_can_be_back(monkeypatch: pytest.MonkeyPatch) -> None:
    away = on(1, f"{THIRD} is away, and lets Dora play")
    monkeypatch.setattr(motions, "_WRITTEN", 0)

    assert may_say(on(2, f"{THIRD} is back"), away) == ""
    assert "has written so much" in may_say(on(2, f"{THIRD} is away"), away)


def test_minutes_that_nobody_checked_can_be_read() -> None:
    """A server without the hook may have them, and the players must be able to see what is wrong."""
    assert not minutes(on(1, f"{OTHER} decides to resume the game")).standing.is_paused
    pause = on(1, f"{OTHER} decides to pause the game")
    assert not minutes(pause, pause, on(2, f"{OTHER} decides to resume the game")).standing.is_paused


def test_the_key_of_a_substitute_is_a_line_of_its_own() -> None:
    """The line of somebody who has written the file by hand may have no end."""
    own = b"blue ssh-ed25519 BBBB"
    both = and_key(own, "red", "ssh-ed25519 DDDD")

    assert both == own + b'\nred namespaces="git" ssh-ed25519 DDDD\n'
    assert without_key(both, "red", "ssh-ed25519 DDDD") == own + b"\n"


@pytest.mark.slow
@needs_ssh
def test_when_the_absence_is_over_the_key_of_a_substitute_deletes_no_page(tmp_path: Path) -> None:
    group, keys = with_dora(tmp_path)
    for who in ("green", "blue"):
        did(group.clone, "git", "move", "--as", who, "--order", "resign", "--key", keys[who], **at(0))
    assert "replay.html" in git(group.clone, "ls-tree", "--name-only", "HEAD")
    gone = {"replay.html": None}

    refused = push(group, dated(group.clone, forged(group.clone, gone), keys["dora"], 0))

    assert "must be signed by the host or a player of the game" in refused.stderr
    did(group.clone, "git", "back", "--as", "red", "--key", keys["red"], **at(0))
    assert "Dora" not in git(group.clone, "show", "HEAD:README.md")
    assert len(git(group.clone, "show", "HEAD:allowed_signers").splitlines()) == 3


@needs_ssh
@pytest.mark.parametrize(
    "words",
    [("absent", "--substitute", "Dora", "green"), ("absent", "--substitute", "Dora", "red"), ("change-key", "green")],
    ids=" ".join,
)
def test_nobody_gets_a_key_that_already_signs_for_somebody(words: tuple[str, ...], tmp_path: Path) -> None:
    """Else no signature would say who has made a move."""
    keys = keys_of(tmp_path, "green", "red", "blue")
    given = [word for who in ("green", "red", "blue") for word in ("--key", f"{who}={keys[who]}.pub")]
    group = a_group(tmp_path / "group", *given)

    done = pbem(group.clone, "git", *words[:-1], f"{keys[words[-1]]}.pub", "--key", keys["red"])

    assert done.returncode == 65
    assert f"that key already signs for {words[-1]}" in done.stderr
    assert "a key of their own" in done.stderr


@needs_ssh
def test_a_key_that_already_signs_for_somebody_is_refused_by_the_server_too(tmp_path: Path) -> None:
    """Else the clone of that player would act for the wrong seat."""
    keys = keys_of(tmp_path, "green", "red", "blue")
    given = [word for who in ("green", "red", "blue") for word in ("--key", f"{who}={keys[who]}.pub")]
    group = a_group(tmp_path / "group", *given)
    old = " ".join((tmp_path / "red.pub").read_text().split()[:2])
    stolen = " ".join((tmp_path / "green.pub").read_text().split()[:2])
    new = keys_of(tmp_path, "other")["other"]
    did(group.clone, "git", "change-key", f"{new}.pub", "--key", keys["red"])
    fresh = " ".join((tmp_path / "other.pub").read_text().split()[:2])
    made = git(group.clone, "show", "HEAD:minutes.txt"), git(group.clone, "show", "HEAD:allowed_signers")
    assert old not in made[1]
    git(group.server, "update-ref", "refs/heads/main", group.base)
    git(group.clone, "reset", "--quiet", "--hard", group.base)
    minutes_file, signers = (f"{text}\n".replace(fresh, stolen).encode() for text in made)
    changes = {"minutes.txt": minutes_file, "allowed_signers": signers}

    done = push(group, forged(group.clone, changes, key=keys["red"]))

    assert "that key already signs for green" in done.stderr


@pytest.mark.slow
@needs_ssh
def test_an_absence_is_prolonged_with_the_same_substitute(tmp_path: Path) -> None:
    group, keys = with_dora(tmp_path)
    signs = ("--key", keys["red"])
    gone = ("git", "absent", "--substitute", "Dora", f"{keys['dora']}.pub", *signs)

    did(group.clone, *gone, "--until", day_of(5), **at(0))
    did(group.clone, *gone, "--until", day_of(9), **at(0))
    again = pbem(group.clone, *gone, "--until", day_of(9), **at(0))

    assert "already" in again.stderr
    assert "key" not in again.stderr
    assert len(git(group.clone, "show", "HEAD:allowed_signers").splitlines()) == 4


def test_a_date_beyond_all_clocks_locks_nobody_out(tmp_path: Path) -> None:
    group = a_group(tmp_path)
    far = {"GIT_AUTHOR_DATE": "@253402300799 +0000"}

    refused = pbem(group.clone, "git", "move", "--as", "red", "--order", "stay", **far)
    tree = git(group.clone, "rev-parse", "HEAD^{tree}")
    without_a_hook(group)
    strange = git(group.clone, "commit-tree", tree, "-p", "HEAD", "-m", "x", **far)
    git(group.clone, "push", "--quiet", "origin", f"{strange}:main")
    git(group.clone, "pull", "--quiet")
    proposed = pbem(group.clone, "git", "exclude", "green", "--as", "red", **at(0))

    assert "the commit is dated in the future" in refused.stderr
    assert "is dated before the commits" not in proposed.stderr

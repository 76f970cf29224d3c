"""Who plays in a clone, whose turn it is there, and what is said if something is wrong with either."""

import stat
from pathlib import Path

import pytest
from gits import (
    BLUE,
    GAME,
    Group,
    a_group,
    did,
    forged,
    game_at,
    git,
    keys_of,
    needs_ssh,
    pbem,
    push,
    without_a_hook,
)

PLAYERS = ("green", "red", "blue")


@pytest.fixture
def group(tmp_path: Path) -> Group:
    return a_group(tmp_path)


@pytest.fixture
def keyed(tmp_path: Path) -> tuple[Group, dict[str, Path]]:
    """A signed game, and the keys of its players."""
    keys = keys_of(tmp_path, *PLAYERS)
    return a_group(tmp_path, *[word for who in keys for word in ("--key", f"{who}={keys[who]}.pub")]), keys


def status(clone: Path, *options: str) -> tuple[int, str]:
    done = pbem(clone, "git", "status", *options)
    assert done.stderr == ""
    return done.returncode, done.stdout


def test_the_status_is_one_line_and_its_exit_status_says_whether_it_is_my_turn(group: Group) -> None:
    waiting = "friday, turn 0: waiting for Christian (red)\n"

    assert status(group.clone, "--as", "Christian") == (0, "friday, turn 0: it is your turn\n")
    assert status(group.clone, "--as", "blue") == (1, waiting)
    assert status(group.clone) == (0, waiting)
    assert pbem(group.clone, "git", "status", "--as", "nobody").returncode == 65
    assert pbem(group.server, "git", "status", "--as", "red").returncode == 0


@pytest.mark.slow
def test_the_setting_says_who_plays(group: Group) -> None:
    git(group.clone, "config", "pbem.player", "christian")
    assert status(group.clone)[1] == "friday, turn 0: it is your turn\n"

    did(group.clone, "git", "move", "--order", "stay")

    assert game_at(group.server, "main").record.log[-1] == "1 red stay"
    late = pbem(group.clone, "git", "move")
    assert late.returncode == 77
    assert "it is not Christian's turn" in late.stderr
    did(group.clone, *BLUE)  # what is said with the command counts
    git(group.clone, "config", "pbem.player", "Chris")
    wrong = pbem(group.clone, "git", "move", "--order", "stay")
    assert wrong.returncode == 65
    assert "git's setting pbem.player is 'Chris', and no player has that name or colour" in wrong.stderr


def test_without_a_setting_a_hint_names_it(group: Group) -> None:
    done = pbem(group.clone, "git", "move", "--order", "stay")

    assert done.returncode == 65
    assert "no player given" in done.stderr
    assert "git config pbem.player PLAYER" in done.stderr


@needs_ssh
@pytest.mark.parametrize("how", ["private", "public", "text", "home", "given"])
def test_the_key_says_who_plays(keyed: tuple[Group, dict[str, Path]], how: str, tmp_path: Path) -> None:
    group, keys = keyed
    said = {
        "private": str(keys["red"]),
        "public": f"{keys['red']}.pub",
        "text": f"key::{keys['red'].with_suffix('.pub').read_text(encoding='utf-8').strip()}",
        "home": f"~/{keys['red'].name}",
    }
    given = ("--key", str(keys["red"])) if how == "given" else ()
    if how != "given":
        git(group.clone, "config", "user.signingkey", said[how])
        done = pbem(group.clone, "git", "status", HOME=str(tmp_path))
        assert (done.returncode, done.stdout) == (0, "friday, turn 0: it is your turn\n")
    if how != "text":  # for which git asks an agent
        did(group.clone, "git", "move", "--order", "stay", *given, HOME=str(tmp_path))

        assert game_at(group.server, "main").record.log[-1] == "1 red stay"


@pytest.mark.slow
@needs_ssh
def test_one_key_for_two_players_is_that_of_the_one_who_is_asked(tmp_path: Path) -> None:
    keys = keys_of(tmp_path, "one", "two")
    of = {"green": keys["one"], "red": keys["two"], "blue": keys["two"]}
    group = a_group(tmp_path, *[word for who, key in of.items() for word in ("--key", f"{who}={key}.pub")])
    git(group.clone, "config", "user.signingkey", str(keys["two"]))

    did(group.clone, "git", "move", "--order", "stay")
    did(group.clone, "git", "move", "--order", "stay")

    assert game_at(group.server, "main").record.log[-2:] == ("1 red stay", "2 blue stay")
    assert status(group.clone) == (0, "friday, turn 2: waiting for Angelika (green)\n")


@needs_ssh
def test_the_default_key_of_git_counts(keyed: tuple[Group, dict[str, Path]], tmp_path: Path) -> None:
    group, keys = keyed
    command = tmp_path / "key"
    command.write_text(f"#!/bin/sh\ncat '{keys['red']}.pub'\n", encoding="utf-8")
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    git(group.clone, "config", "gpg.ssh.defaultKeyCommand", str(command))

    assert status(group.clone) == (0, "friday, turn 0: it is your turn\n")
    done = pbem(group.clone, "git", "move", "--order", "stay", SSH_AUTH_SOCK="")

    assert "no key was given" not in done.stderr  # git asks an agent for it


@needs_ssh
@pytest.mark.parametrize("how", ["given", "given alone", "set"])
def test_a_key_that_is_not_there_is_no_such_file(keyed: tuple[Group, dict[str, Path]], how: str) -> None:
    group = keyed[0]
    who = ("--as", "red") if how != "given alone" else ()
    given = () if how == "set" else ("--key", "/nonexistent")
    if how == "set":
        git(group.clone, "config", "user.signingkey", "/nonexistent")

    done = pbem(group.clone, "git", "move", *who, "--order", "stay", *given)

    assert done.returncode == 66
    assert "/nonexistent" in done.stderr
    assert "does not exist" in done.stderr
    assert git(group.clone, "status", "--porcelain") == ""


@needs_ssh
def test_a_player_called_host_plays(tmp_path: Path) -> None:
    keys = keys_of(tmp_path, "player", "other", "keeper")
    seats = ("Host:red", "Bob:blue", "--board", "recommended", "--i-chose-it", "--secret", "0" * 64)
    two = ("--key", f"Bob={keys['other']}.pub")

    did(tmp_path, "git", "init", "open", "--chance", "open", *seats, *two, "--key", f"Host={keys['player']}.pub")
    sealed = ("--chance", "sealed", "--key", f"red={keys['player']}.pub", "--key", f"host={keys['keeper']}.pub")
    did(tmp_path, "git", "init", "sealed", *seats, *two, *sealed)

    for name, wanted in (("open", ["blue", "red"]), ("sealed", ["blue", "red", "host"])):
        text = (tmp_path / name / "allowed_signers").read_text(encoding="utf-8")
        assert sorted(line.split()[0] for line in text.splitlines()) == sorted(wanted)
        git(tmp_path / name, "config", "user.signingkey", str(keys["player"]))
        did(tmp_path / name, "git", "move", "--order", "settle neutral C1c")
        assert status(tmp_path / name)[0] in (0, 1)
    player = (tmp_path / "player.pub").read_text(encoding="utf-8").split()[1]
    assert f'red namespaces="git" ssh-ed25519 {player}' in text


# What is said wrong


@pytest.mark.parametrize("name", ["GIT_COMMITTER_DATE", "GIT_AUTHOR_DATE"])
def test_a_date_that_git_does_not_understand_is_no_missing_name(group: Group, name: str) -> None:
    done = pbem(group.clone, *BLUE, **{name: "garbage"})

    assert done.returncode == 2
    assert f"git does not understand the date 'garbage' in {name}" in done.stderr


@pytest.mark.parametrize("address", ["git@host.invalid:x.git", "git://127.0.0.1:1/x.git", "http://127.0.0.1:1/x"])
def test_a_server_that_does_not_answer_is_not_for_want_of_a_line(group: Group, address: str) -> None:
    git(group.clone, "remote", "set-url", "origin", address)

    done = pbem(
        group.clone, *BLUE, GIT_SSH_COMMAND="echo 'ssh: connect to host h port 1: Connection refused' >&2; exit"
    )

    assert done.returncode == 75
    assert "efused" in done.stderr or "Couldn't connect" in done.stderr
    assert "no server answers at that address" in done.stderr


def test_a_branch_of_another_name_plays_on_the_branch_that_it_tracks(group: Group) -> None:
    other = group.another_clone("other")
    git(group.clone, "switch", "--quiet", "--create", "mine", "--track", "origin/main")
    did(other, "git", "move", "--as", "red", "--order", "stay")

    done = did(group.clone, *BLUE)

    assert done.startswith("2 blue stay: pushed to origin\n")
    assert "1 red stay" in done
    assert game_at(group.server, "main").record.turn == 2
    assert git(group.server, "for-each-ref", "--format=%(refname)") == "refs/heads/main"


def test_a_branch_that_tracks_none_is_pushed_by_its_own_name(group: Group) -> None:
    without_a_hook(group)
    git(group.clone, "switch", "--quiet", "--no-track", "--create", "mine", "origin/main")

    did(group.clone, "git", "move", "--as", "red", "--order", "stay")

    assert game_at(group.server, "mine").record.turn == 1
    assert group.tip == group.base


def test_keys_that_are_added_to_an_unsigned_game_are_refused_in_words(group: Group) -> None:
    done = push(group, forged(group.clone, {"allowed_signers": b"red ssh-ed25519 AAAA\n"}))

    assert done.returncode != 0
    assert "allowed_signers was added, but this game was begun without keys" in done.stderr


def test_the_page_and_the_commits_speak_to_everybody(group: Group) -> None:
    did(group.clone, "git", "move", "--as", "red", "--order", "stay")
    page = (group.clone / "README.md").read_text(encoding="utf-8")
    message = git(group.clone, "log", "-1", "--format=%B")

    for text in (page, message):
        words = text.casefold().replace(",", " ").replace(".", " ").split()
        assert not {"you", "your", "mail", "reply", "answer"} & set(words)
        assert "CHOICES, of Steffi (blue), with the cost in food" in text
    assert GAME in page


def test_many_steps_of_one_commit_are_told_in_short() -> None:
    from pbem.carriers.git.commits import told

    lines = [
        "70 red pass",
        *(f"70 * {who} decline" for who in ("blue", "green") * 40),
        "70 * draw 23",
        "70 * blue pass",
    ]

    assert told(lines, "") == "70 red pass; 70 * draw 23; 81 more, up to 70 * blue pass"
    assert told(lines[:3], "") == "70 red pass; 70 * blue decline; 70 * green decline"

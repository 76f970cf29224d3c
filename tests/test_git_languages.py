"""What a git server answers is in the language of the player who has pushed, as far as it knows that player."""

import json
import re
from pathlib import Path

import pytest
from gits import (
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
    text_after,
    that_goes_on,
)

from pbem.locale import speaking, tr


@pytest.fixture
def group(tmp_path: Path) -> Group:
    """A server that knows that red reads Italian and blue French."""
    return of_two_languages(a_group(tmp_path))


def of_two_languages(group: Group) -> Group:
    git(group.server, "config", "pbem.red.language", "it")
    git(group.server, "config", "pbem.blue.language", "fr")
    return group


def said_to(group: Group, commit: str, ref: str = "refs/heads/main") -> str:
    """Push a commit that is refused, and return what the server says."""
    done = push(group, commit, ref=ref)

    assert done.returncode != 0
    return "\n".join(line for line in done.stderr.splitlines() if line.startswith("remote:"))


def a_move(group: Group, by: str, order: str = "stay", parent: str = "HEAD", key: Path | None = None) -> str:
    text = text_after(game_at(group.clone, parent), by, order)
    return forged(group.clone, {GAME: text.encode()}, parents=(parent,), key=key)


def too_much(group: Group, by: str, key: Path | None = None) -> str:
    """Return a commit with a move of that player, and a file that no move has."""
    text = text_after(game_at(group.clone), by, "resign")
    return forged(group.clone, {GAME: text.encode(), "cake.txt": b"cake\n"}, key=key)


@pytest.mark.parametrize(
    ("by", "words"),
    [
        ("red", "cake.txt è stato aggiunto, ma una mossa può cambiare solo game.toml, minutes.txt e README.md"),
        ("blue", "cake.txt a été ajouté, mais un coup ne peut changer que game.toml, minutes.txt et README.md"),
        ("green", "cake.txt was added, but a move may only change game.toml, minutes.txt and README.md"),
    ],
)
def test_who_pushes_is_answered_in_the_own_language(group: Group, by: str, words: str) -> None:
    commit = too_much(group, by)

    said = said_to(group, commit)

    assert words in said
    assert commit[:10] in said


def test_a_rule_is_told_in_the_own_language(group: Group) -> None:
    """Blue is not asked yet, and says so in a commit of its own making."""
    game = (group.clone / GAME).read_text(encoding="utf-8")
    added = re.sub(r'(log = \[\n(?: +".+\n)*)', r'\1    "1 blue stay",\n', game)
    assert added != game

    with speaking("fr"):
        why = tr("it is not {player}'s turn; waiting for {other}").partition("{")[0]
    assert why in said_to(group, forged(group.clone, {GAME: added.encode()}))


def test_who_was_too_slow_hears_what_to_do(group: Group) -> None:
    early = a_move(group, "red", "resign")
    assert push(group, a_move(group, "green", "resign")).returncode == 0

    said = said_to(group, early)

    assert "e riscriverebbe la storia della partita" in said
    assert "suggerimento: git pull --ff-only, poi rigioca" in said


def test_words_at_the_table_tell_the_language_too(group: Group) -> None:
    did(group.clone, "git", "note", "--as", "blue", "Salut")
    said = git(group.clone, "rev-parse", "HEAD")
    git(group.clone, "reset", "--quiet", "--hard", group.base)
    assert group.tip == said  # accepted

    assert "n'est pas accepté ici" in said_to(group, said, ref="refs/heads/other")


def test_a_player_reads_the_answer_of_the_server_in_one_language(group: Group) -> None:
    """The server is stricter than the clone here: it knows another time."""
    italian = group.another_clone("italian")
    git(italian, "config", "pbem.language", "it")
    hook = group.server / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\necho 'not-allowed: la data' >&2\necho >&2\necho 'suggerimento: riprova' >&2\nexit 1\n")

    done = pbem(italian, "git", "move", "--as", "red", "--order", "stay")

    assert "rifiuta" in done.stderr
    assert "la data" in done.stderr
    assert "origin dice: riprova" in done.stderr


def test_after_a_push_it_says_whose_turn_it_is_in_the_own_language(group: Group) -> None:
    done = push(that_goes_on(group), a_move(group, "red"))

    assert done.returncode == 0
    with speaking("it"):
        assert tr("{game}, turn {turn}").format(game="friday", turn=1) in done.stderr


def test_json_and_an_unknown_language_stay_english(group: Group) -> None:
    git(group.server, "config", "pbem.red.language", "klingon")

    said = said_to(group, too_much(group, "red"))

    assert "cake.txt was added" in said
    assert "klingon" not in said, "only whoever keeps the server can correct that"


@pytest.mark.slow
@needs_ssh
def test_a_stranger_learns_no_language(tmp_path: Path) -> None:
    keys = keys_of(tmp_path, "green", "red", "blue", "host", "stranger")
    given = [word for name in ("green", "red", "blue", "host") for word in ("--key", f"{name}={keys[name]}.pub")]
    group = of_two_languages(a_group(tmp_path / "group", *given))

    assert "cake.txt was added" in said_to(group, too_much(group, "red", keys["stranger"]))
    assert "cake.txt was added" in said_to(group, too_much(group, "red"))
    assert "cake.txt è stato aggiunto" in said_to(group, too_much(group, "red", keys["red"]))


def test_a_player_who_commits_by_hand_is_answered_in_the_own_language(group: Group) -> None:
    italian = group.another_clone("italian")
    git(italian, "config", "pbem.language", "it")
    (italian / "cake.txt").write_text("cake\n", encoding="utf-8")
    git(italian, "add", "cake.txt")

    done = pbem(italian, "git", "check", "--staged")

    assert "cake.txt è stato aggiunto" in done.stderr
    assert "was added" in json.loads(pbem(italian, "git", "check", "--staged", "--json").stdout)["message"]


def test_a_game_is_valid_in_every_language(group: Group) -> None:
    """Its README, which is English for everybody, is compared with what we would write."""
    git(group.clone, "config", "pbem.language", "de")
    did(group.clone, "git", "move", "--as", "red", "--order", "bleibe")

    done = pbem(group.clone, "git", "check", "0" * 40, "HEAD")

    assert done.returncode == 0, done.stderr
    assert "2 Züge geprüft, alle gültig" in done.stdout


def test_what_is_wrong_with_a_commit_is_told_in_the_own_language(group: Group) -> None:
    git(group.clone, "config", "pbem.language", "de")
    git(group.clone, "commit", "--quiet", "--allow-empty", "--message", "x")

    newest = did(group.clone, "git", "log").splitlines()[0]

    assert "kein gültiger Zug: game.toml ist unverändert" in newest

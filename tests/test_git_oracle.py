"""A server that holds the secret says nothing of a game that is not the one it has; by hand all can be proved."""

import shutil
import subprocess
from pathlib import Path

import pytest
from bots import SECRET
from gits import (
    ENVIRONMENT,
    Group,
    a_sealed_game,
    a_sealed_group,
    did,
    forged,
    game_at,
    git,
    keys_of,
    pbem,
    text_after,
)

from pbem import way
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.chance import source
from pbem.first_sparks.record import carried_on
from pbem.first_sparks.state import CHANCE

GAME = "game.toml"


def packet(line: bytes) -> bytes:
    return b"%04x" % (len(line) + 4) + line


def claimed(group: Group, old: str, new: str) -> str:
    """Push a commit with a client that claims that the branch is at *old*, and return what the server says."""
    told = packet(f"{old} {new} refs/heads/main\0report-status side-band-64k\n".encode()) + b"0000"
    objects = subprocess.run(
        ["git", "pack-objects", "--revs", "--stdout", "-q"],
        cwd=group.clone,
        env=ENVIRONMENT,
        input=f"{new}\n^{group.base}\n".encode(),
        capture_output=True,
        check=True,
    ).stdout
    done = subprocess.run(
        ["git", "receive-pack", str(group.server)],
        cwd=group.server,
        env=ENVIRONMENT,
        input=told + objects,
        capture_output=True,
        check=False,
        timeout=60,
    )
    return (done.stdout + done.stderr).decode(errors="replace")


@pytest.mark.parametrize("how", ["no game before", "a game of one's own", "a game with keys of one's own"])
def test_nobody_can_ask_about_a_game_that_the_server_does_not_have(tmp_path: Path, how: str) -> None:
    """The commit before the guess is one that nobody has pushed; right and wrong guesses are refused alike."""
    record, by, order = a_sealed_game()
    keys = keys_of(tmp_path, "eve")
    group = a_sealed_group(tmp_path, record)
    shutil.copy(group.clone / "game.secret.toml", group.server)
    mine = {GAME: text_after(game_at(group.clone), by, order, drawn=False).encode()}
    if "keys" in how:
        public = Path(f"{keys['eve']}.pub").read_text(encoding="utf-8")
        mine["allowed_signers"] = f"host,red,blue,green {public}".encode()
    moved = forged(group.clone, mine)
    after, draw = game_at(group.clone, moved).record, source(record.game, SECRET)
    right = carried_on(after, draw)[0]
    wrong = carried_on(after, lambda n, k: (draw(n, k) + 1) % n)[0]
    assert right.log != wrong.log

    said = set()
    for guess in (right, wrong):
        text = {GAME: way.text_of(guess, "toml").encode()}
        if how == "no game before":
            old, new = "0" * 40, forged(group.clone, text, parents=())
        else:
            old, new = moved, forged(group.clone, text, parents=(moved,), key=keys["eve"] if "keys" in how else None)
        said.add(claimed(group, old, new).replace(new, "GUESS"))

    (words,) = said
    assert "somebody moved first" in words
    assert group.tip == group.base


def test_what_the_server_has_is_what_the_client_may_claim(tmp_path: Path) -> None:
    record, by, order = a_sealed_game()
    group = a_sealed_group(tmp_path, record)
    moved = forged(group.clone, {GAME: text_after(game_at(group.clone), by, order, drawn=False).encode()})

    claimed(group, group.base, moved)

    assert group.tip == moved


def test_by_hand_a_whole_game_is_proved_with_the_secret_before_the_end_and_without_it_afterwards(
    tmp_path: Path,
) -> None:
    record, by, order = a_sealed_game()
    group = a_sealed_group(tmp_path, record)
    secret = group.clone / "game.secret.toml"
    shutil.copy(secret, group.server)
    did(group.clone, "git", "move", "--as", by, "--order", order)
    did(group.clone, "git", "draw")

    for old in (group.base, "0"):
        assert "all as they should be" in did(group.server, "git", "check", old, "main")

    (group.server / secret.name).unlink()
    assert "nobody here can say" in pbem(group.server, "git", "check", group.base, "main").stderr
    while (asked := who_decides(game_at(group.clone).record.state)) is not None:
        assert asked != CHANCE
        for player, _ in record.players:
            agreed = pbem(group.clone, "play", GAME, "--as", player, "--order", "agree end")
            assert agreed.returncode == 0, agreed.stderr
            git(group.clone, "commit", "--quiet", "--message", "end", GAME)
    did(group.clone, "reveal", GAME)
    git(group.clone, "commit", "--quiet", "--message", "the secret", GAME)
    git(tmp_path, "--git-dir=server.git", "fetch", "--quiet", "clone", "main:main")
    for old in (group.base, "0"):
        assert "all as they should be" in did(group.server, "git", "check", old, "main")


@pytest.mark.parametrize("how", ["as it is", "in capitals", "with a blank"])
def test_a_secret_is_published_as_a_game_file_has_it(tmp_path: Path, how: str) -> None:
    """What a game file cannot hold would end the game for good."""
    record, *_ = a_sealed_game()
    group = a_sealed_group(tmp_path, record)
    for player, _ in record.players:
        did(group.clone, "git", "move", "--as", player, "--order", "agree end")
    base, digits = group.tip, SECRET.hex()
    did(group.clone, "reveal", GAME)
    text = (group.clone / GAME).read_text(encoding="utf-8")
    written = {"in capitals": digits.upper(), "with a blank": f"{digits[:2]} {digits[2:]}"}.get(how, digits)

    done = pbem(group.clone, "git", "check", base, forged(group.clone, {GAME: text.replace(digits, written).encode()}))

    assert (done.returncode, "chance is not what" in done.stderr) == ((0, False) if how == "as it is" else (76, True))

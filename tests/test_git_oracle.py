"""A server that holds the secret says nothing of a game that is not the one it has; by hand all can be proved."""

import shutil
import subprocess
from pathlib import Path

import pytest
from bots import SECRET
from gits import (
    ENVIRONMENT,
    GAME,
    Group,
    a_group,
    a_sealed_game,
    a_sealed_group,
    did,
    forged,
    game_at,
    git,
    keys_of,
    needs_ssh,
    pbem,
    push,
    run,
    text_after,
)

from pbem import formats, game_files, rulings
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.chance.draws import source
from pbem.first_sparks.play import carried_on
from pbem.first_sparks.record import Record
from pbem.first_sparks.state import CHANCE
from pbem.loading import Submission

pytestmark = pytest.mark.slow


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
        timeout=120,
    )
    return (done.stdout + done.stderr).decode(errors="replace")


@needs_ssh
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
        text = {GAME: game_files.text_of(guess, "toml").encode()}
        if how == "no game before":
            old, new = "0" * 40, forged(group.clone, text, parents=())
        else:
            old, new = moved, forged(group.clone, text, parents=(moved,), key=keys["eve"] if "keys" in how else None)
        said.add(claimed(group, old, new).replace(new, "GUESS"))

    (words,) = said
    assert "somebody moved first" in words
    assert group.tip == group.base


def guesses_after(record: Record, *orders: tuple[str, str]) -> tuple[bytes, bytes]:
    """Return the text of the game after the orders with the draws that follow, right and wrong."""
    for by, order in orders:
        record = rulings.judge(record, Submission((order,), player=by), None).record
    draw = source(record.game, SECRET)
    right = carried_on(record, draw)[0]
    wrong = carried_on(record, lambda n, k: (draw(n, k) + 1) % n)[0]
    assert right.log != wrong.log
    return game_files.text_of(right, "toml").encode(), game_files.text_of(wrong, "toml").encode()


@pytest.mark.parametrize(
    "how", ["rubbish after it", "another branch beside it", "a wrong page", "another key", "a line too few"]
)
def test_a_draw_that_is_due_cannot_be_guessed_without_making_it(tmp_path: Path, how: str) -> None:
    record, by, order = a_sealed_game()
    group = a_sealed_group(tmp_path, record)
    shutil.copy(group.clone / "game.secret.toml", group.server)
    did(group.clone, "git", "move", "--as", by, "--order", order)
    before, said = group.tip, set()
    right, wrong = guesses_after(game_at(group.clone).record)

    for text in (right, wrong):
        changes = {GAME: text}
        if how == "a wrong page":
            changes["README.md"] = b"x"
        elif how == "another key":
            changes[GAME] = text + b"more = 1\n"
        elif how == "a line too few":
            data = formats.parse(text.decode(), "toml", name=GAME)
            changes[GAME] = formats.dump(data | {"log": data["log"][:-1]}, "toml").encode()
        guess = forged(group.clone, changes)
        last = forged(group.clone, {GAME: b"x"}, parents=(guess,)) if how == "rubbish after it" else guess
        refs = [f"{last}:refs/heads/main"] + [f"{last}:refs/heads/other"] * (how == "another branch beside it")
        done = run("git", "push", "origin", *refs, cwd=group.clone)
        assert done.returncode != 0
        lines = [line for line in done.stderr.splitlines() if line.startswith("remote:")]
        said.add("\n".join(lines).replace(guess[:10], ""))

    assert len(said) == 1, said
    assert group.tip == before
    for text, words in ((wrong, "the draws are not what the secret yields"), (right, "")):
        assert words in push(group, forged(group.clone, {GAME: text})).stderr
        assert (group.tip == before) == bool(words)


def test_one_branch_is_pushed_once(tmp_path: Path) -> None:
    """Git would refuse both after it has asked us."""
    group = a_group(tmp_path)
    commit = forged(group.clone, {GAME: text_after(game_at(group.clone), "red", "stay").encode()})
    line = f"{group.base} {commit} refs/heads/main\n"

    done = pbem(group.server, "git", "check", "--pushed", stdin=line * 2)

    assert (done.returncode, "the push updates refs/heads/main more than once" in done.stderr) == (65, True)


def an_empty_server(group: Group) -> Path:
    """Return a server that has the secret and no game yet."""
    git(group.server.parent, "init", "--quiet", "--bare", "--initial-branch=main", "empty.git")
    empty = group.server.parent / "empty.git"
    did(group.clone, "git", "hook", "pre-receive", "--install", empty)
    shutil.copy(group.clone / "game.secret.toml", empty)
    return empty


@pytest.mark.parametrize("rubbish", [False, True])
def test_an_empty_server_cannot_be_asked_what_moves_would_bring(tmp_path: Path, rubbish: bool) -> None:
    record, by, order = a_sealed_game()
    group = a_sealed_group(tmp_path, record)
    empty, said = an_empty_server(group), set()

    for text in guesses_after(game_at(group.clone).record, (by, order)):
        guess = forged(group.clone, {GAME: text}, parents=())
        last = forged(group.clone, {GAME: b"x"}, parents=(guess,)) if rubbish else guess
        done = run("git", "push", empty, f"{last}:refs/heads/main", cwd=group.clone)
        assert "the beginning of the game must be pushed alone" in done.stderr
        lines = [line for line in done.stderr.splitlines() if line.startswith("remote:")]
        said.add("\n".join(lines).replace(guess[:10], ""))

    assert len(said) == 1
    assert git(empty, "for-each-ref") == ""
    git(empty, "fetch", "--quiet", str(group.clone), "main:main")
    assert git(empty, "rev-parse", "main") == group.base


def test_a_game_begins_on_a_server_that_has_the_secret(tmp_path: Path) -> None:
    group = a_group(tmp_path, "--chance", "sealed")
    empty = an_empty_server(group)
    rubbish = forged(group.clone, {GAME: b"x"})
    done = run("git", "push", empty, f"{rubbish}:refs/heads/main", cwd=group.clone)
    assert "the beginning of the game must be pushed alone" in done.stderr

    git(group.clone, "push", "--quiet", str(empty), "main")

    assert git(empty, "rev-parse", "main") == group.base


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
        assert "moves checked, all valid" in did(group.server, "git", "check", old, "main")

    (group.server / secret.name).unlink()
    assert "the draws cannot be checked here" in pbem(group.server, "git", "check", group.base, "main").stderr
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
        assert "moves checked, all valid" in did(group.server, "git", "check", old, "main")


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

    assert (done.returncode, "chance does not" in done.stderr) == ((0, False) if how == "as it is" else (76, True))

"""What a server does after a push: it draws, publishes the secret, and says whose turn it is."""

import shutil
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import cast

import pytest
from bots import SECRET, a_new_record, a_sensible_choice
from gits import (
    GAME,
    Group,
    a_group,
    a_sealed_game,
    a_sealed_group,
    act,
    as_sealed,
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
    that_goes_on,
    without_a_hook,
)

from pbem.carriers.git.clone import Clone
from pbem.carriers.git.repository import Objects
from pbem.carriers.git.server import Bare, note_accepted, open_server
from pbem.carriers.git.status import Seen
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.chance.draws import source
from pbem.first_sparks.play import played
from pbem.first_sparks.record import Record
from pbem.first_sparks.state import CHANCE
from pbem.table.matters.standing import Standing
from pbem.table.minutes import Minutes

DAY = 24 * 60 * 60
DRAW = Path(__file__).parents[1] / "examples" / "github-action" / "draw" / "action.yml"


def with_the_secret(group: Group) -> Group:
    """Return the group with a server that draws."""
    shutil.copy(group.clone / "game.secret.toml", group.server)
    return that_goes_on(group)


@pytest.fixture
def sealed(tmp_path: Path) -> tuple[Group, str, str]:
    """A server that draws, who is asked, and the order after which a draw is due."""
    record, by, order = a_sealed_game()
    return with_the_secret(a_sealed_group(tmp_path, record)), by, order


def told(done: str) -> list[str]:
    """Return what the server has told."""
    lines = (line.strip() for line in done.splitlines())
    return [line.removeprefix("remote:").strip() for line in lines if line.startswith("remote:")]


def an_order(group: Group, by: str, order: str) -> str:
    """Return a commit with an order that is not pushed yet."""
    git(group.clone, "remote", "remove", "origin")
    did(group.clone, "git", "move", "--as", by, "--order", order)
    git(group.clone, "remote", "add", "origin", "../server.git")
    return git(group.clone, "rev-parse", "HEAD")


@pytest.mark.slow
def test_a_draw_that_is_due_follows_the_push(sealed: tuple[Group, str, str]) -> None:
    group, by, order = sealed
    move = an_order(group, by, order)

    done = push(group, move)

    assert done.returncode == 0, done.stderr
    assert git(group.server, "rev-parse", "main~1") == move
    after = game_at(group.server, "main").record
    assert " * draw " in f" {after.log[-1]} " or any(" * draw " in line for line in after.log[-5:])
    decides = who_decides(after.state)
    assert decides not in (None, CHANCE)
    assert told(done.stderr)[-1].endswith(f"waiting for {after.state.clan(decides or '').player} ({decides})")
    assert SECRET.hex() not in done.stderr
    did(group.server, "git", "check", group.base, "main")
    git(group.clone, "fetch", "--quiet", "origin")
    did(group.clone, "git", "check", group.base, "origin/main", "--secret", "game.secret.toml")


def test_what_no_hook_has_judged_is_not_drawn_after(sealed: tuple[Group, str, str]) -> None:
    """Somebody could have pushed what they liked, and would see which card comes then."""
    group, by, order = sealed
    without_a_hook(group)
    move = an_order(group, by, order)
    evil = forged(group.clone, {"x": b"x"}, parents=(group.base,))

    for commit in (move, evil):
        done = push(group, commit)
        assert done.returncode == 0
        assert group.tip == commit
    assert "nothing was drawn, since no hook of pbem has judged the latest commit" in push(group, move).stderr
    assert group.tip == move


def test_a_draw_follows_though_the_note_of_what_was_accepted_is_damaged(sealed: tuple[Group, str, str]) -> None:
    group, by, order = sealed
    (group.server / "pbem-accepted").write_bytes(b"\xff" * 20_000)
    move = an_order(group, by, order)

    assert push(group, move).returncode == 0

    assert git(group.server, "rev-parse", "main~1") == move


def test_a_push_cannot_write_what_was_accepted(sealed: tuple[Group, str, str]) -> None:
    group, by, order = sealed
    without_a_hook(group)
    move = an_order(group, by, order)
    commit = forged(group.clone, {"pbem-accepted": f"{move}\n".encode()}, parents=(group.base,))
    assert push(group, commit, ref="refs/heads/pbem-accepted").returncode == 0

    push(group, move)

    assert group.tip == move


@pytest.mark.slow
def test_a_secret_that_comes_to_the_server_later_draws_after_what_was_judged_before(tmp_path: Path) -> None:
    record, by, order = a_sealed_game()
    group = that_goes_on(a_sealed_group(tmp_path, record))
    did(group.clone, "git", "move", "--as", by, "--order", order)
    shutil.copy(group.clone / "game.secret.toml", group.server)

    did(group.server, "git", "tick")

    assert who_decides(game_at(group.server, "main").record.state) != CHANCE


def test_a_tick_before_the_first_push_does_nothing(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--bare", "server.git")

    done = pbem(tmp_path / "server.git", "git", "tick")

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_secret_in_a_commit_is_not_lost_with_it(tmp_path: Path) -> None:
    record, _, _ = a_sealed_game()
    group = a_sealed_group(tmp_path, record)
    that_goes_on(group)
    secret = group.clone / "game.secret.toml"
    kept = secret.read_bytes()
    git(group.clone, "add", "--force", secret.name)
    git(group.clone, "commit", "--quiet", "-m", "oops")

    told = pbem(group.clone, "git", "note", "hi", "--as", "host").stderr

    assert "if nobody has, take it out again" in told
    assert "git reset origin/main drops it" in told
    git(group.clone, "reset", "--quiet", "origin/main")
    assert secret.read_bytes() == kept
    did(group.clone, "git", "note", "hi", "--as", "host")


def test_a_forged_push_is_refused_and_nothing_is_drawn(sealed: tuple[Group, str, str]) -> None:
    group = sealed[0]
    noted = (group.server / "pbem-accepted").read_text()

    done = push(group, forged(group.clone, {"x": b"x"}))

    assert done.returncode != 0
    assert group.tip == group.base
    assert (group.server / "pbem-accepted").read_text() == noted


def test_a_wrong_secret_draws_nothing_and_the_push_stands(sealed: tuple[Group, str, str]) -> None:
    group, by, order = sealed
    move = an_order(group, by, order)
    path = group.server / "game.secret.toml"
    path.write_text(path.read_text(encoding="utf-8").replace(SECRET.hex(), SECRET.hex()[::-1]), encoding="utf-8")

    done = push(group, move)

    assert group.tip == move
    timed = pbem(group.server, "git", "tick")
    assert timed.returncode not in (0, 70), timed.stderr
    assert "the secret does not match the commitment of the game" in done.stderr
    assert SECRET.hex()[::-1] not in done.stderr


def test_whose_turn_it_is_goes_to_the_pusher_a_command_and_a_letter(tmp_path: Path) -> None:
    group = that_goes_on(a_group(tmp_path))
    club, note = tmp_path / "club", tmp_path / "note"
    did(tmp_path, "mail", "init", str(club), "--address", "pbem@example.org", "--host", "host@example.org")
    git(
        group.server,
        "config",
        "pbem.notify",
        f'cat > "{note}"; echo "$PBEM_PLAYER|$PBEM_COLOUR|$PBEM_LINE" >> "{note}"',
    )
    git(group.server, "config", "pbem.club", str(club))
    git(group.server, "config", "pbem.blue.address", "steffi@example.net")
    before = set((club / "outbox" / "new").iterdir())

    done = pbem(group.clone, "git", "move", "--as", "red", "--order", "stay")

    assert done.returncode == 0, done.stderr
    text = note.read_text(encoding="utf-8")
    assert text.endswith("Steffi|blue|friday, turn 1: waiting for Steffi (blue)\n")
    assert "CLANS" in text
    (letter,) = set((club / "outbox" / "new").iterdir()) - before
    mail = letter.read_text(encoding="utf-8")
    assert "steffi@example.net" in mail
    assert "friday, turn 1: it is your turn" in mail
    assert "Play in your clone of the game, with pbem git move." in mail
    assert "[friday/1/" not in mail
    assert "steffi@example.net" not in git(group.server, "show", "main")


@pytest.mark.slow
def test_whoever_gave_the_seat_away_gets_no_more_letters_to_it(tmp_path: Path) -> None:
    group, club = that_goes_on(a_group(tmp_path)), tmp_path / "club"
    did(tmp_path, "mail", "init", str(club), "--address", "pbem@example.org", "--host", "host@example.org")
    git(group.server, "config", "pbem.club", str(club))
    git(group.server, "config", "pbem.blue.address", "steffi@example.net")
    did(group.clone, "git", "replace", "blue", "Zoe", "--as", "blue")

    did(group.clone, "git", "move", "--as", "red", "--order", "stay")
    git(group.clone, "remote", "remove", "origin")
    did(group.clone, "git", "note", "Well played!", "--as", "green")
    git(group.clone, "remote", "add", "origin", str(group.server))
    done = push(group, "HEAD")

    assert "no letters go to Zoe (blue), who has that seat now" in done.stderr
    assert not any("steffi@example.net" in text for text in texts(club))

    git(group.server, "config", "pbem.blue.address", "Zoe <zoe@example.net>")
    done = pbem(group.clone, "git", "note", "Welcome, Zoe!", "--as", "red")
    assert "no letters go to" not in done.stderr
    assert any("zoe@example.net" in text for text in texts(club))


def texts(club: Path) -> list[str]:
    """Return the letters that wait to be sent."""
    return [path.read_text("utf-8") for path in (club / "outbox" / "new").iterdir()]


def test_a_command_that_fails_and_a_club_that_is_not_there_do_no_harm(tmp_path: Path) -> None:
    group = that_goes_on(a_group(tmp_path))
    git(group.server, "config", "pbem.notify", "exit 3 # with a secret word")
    git(group.server, "config", "pbem.club", str(tmp_path / "nowhere"))
    git(group.server, "config", "pbem.blue.address", "steffi@example.net")
    told = push(group, forged(group.clone, {GAME: text_after(game_at(group.clone), "red", "stay").encode()}))
    assert told.returncode == 0
    assert "pbem.notify failed: exit status 3" in told.stderr
    assert "secret word" not in told.stderr

    done = push(group, forged(group.clone, {GAME: b"x"}))
    assert done.returncode != 0
    assert game_at(group.server, "main").record.turn == 1


@cache
def nearly_over() -> tuple[Record, str, str]:
    """Return a sealed game before its last order, who gives it, and the order."""
    from random import Random

    record, draw, random = a_new_record(3, "friday"), source("friday", SECRET), Random(7)
    while True:
        by = who_decides(record.state)
        assert by is not None
        move = a_sensible_choice(record.state, random)
        after, _ = played(record, by, move, draw)
        if who_decides(after.state) is None:
            break
        record = after
    return as_sealed(record), by, str(move)


@pytest.mark.slow
@needs_ssh
@pytest.mark.parametrize("how", ["server", "reveal", "draw", "job"])
def test_the_secret_of_a_signed_game_is_published_after_the_end(tmp_path: Path, how: str) -> None:
    record, by, order = nearly_over()
    keys = keys_of(tmp_path, "green", "red", "blue", "host")
    given = [word for who, key in keys.items() for word in ("--key", f"{who}={key}.pub")]
    group = a_sealed_group(tmp_path, record, *given)
    if how == "server":
        git(group.server, "config", "user.signingkey", str(keys["host"]))
        with_the_secret(group)

    did(group.clone, "git", "move", "--as", by, "--order", order, "--key", keys[by])
    if how == "draw":
        did(group.clone, "git", "draw", "--reveal", "--key", keys["host"])
        assert did(group.clone, "git", "draw", "--reveal", "--key", keys["host"]) == ""
    elif how == "job":
        without_a_hook(group)
        text = (group.clone / "game.secret.toml").read_text(encoding="utf-8")
        said = {"GAME": GAME, "SECRET": text, "KEY": keys["host"].read_text(encoding="utf-8"), "SINCE": "", "TOKEN": ""}
        done = act(DRAW, tmp_path, **said, BRANCH="main", URL=f"file://{group.server}")
        assert (done.returncode, done.stdout) == (0, "Drawn: the secret\n")
    elif how == "reveal":
        wrong = pbem(group.clone, "git", "reveal", "--key", keys["red"])
        assert wrong.returncode == 77
        did(group.clone, "git", "reveal", "--key", keys["host"])
        assert did(group.clone, "git", "reveal", "--key", keys["host"]) == ""

    assert game_at(group.server, "main").record.chance.secret == SECRET.hex()
    other = group.another_clone("other")
    assert "the secret yields all" in did(other, "audit", GAME)
    did(other, "git", "check", group.base, "HEAD")
    assert "replay.html" in (other / "README.md").read_text(encoding="utf-8")


def test_before_the_end_no_secret_is_published(sealed: tuple[Group, str, str]) -> None:
    group = sealed[0]

    done = pbem(group.clone, "git", "reveal")

    assert done.returncode == 65
    assert "the secret can only be published once the game is over" in done.stderr
    assert did(group.clone, "git", "draw", "--reveal") == ""
    assert group.tip == group.base


def test_without_a_draw_that_is_due_a_draw_says_nothing(sealed: tuple[Group, str, str]) -> None:
    group = sealed[0]
    player = group.another_clone("player")

    assert did(group.clone, "git", "draw") == ""
    assert did(player, "git", "draw") == ""


def test_both_hooks_are_installed_and_a_hook_of_the_group_stays(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--bare", "--initial-branch=main", "one.git")
    git(tmp_path, "init", "--quiet", "--bare", "--initial-branch=master", "two.git")
    own = tmp_path / "two.git" / "hooks" / "post-receive"
    own.write_text("#!/bin/sh\n", encoding="utf-8")

    first = pbem(tmp_path, "git", "hook", "pre-receive", "--install", "one.git")
    second = pbem(tmp_path, "git", "hook", "pre-receive", "--install", "two.git")

    assert first.stdout == "installed one.git/hooks/pre-receive and one.git/hooks/post-receive\n"
    assert first.stderr == ""
    assert second.stdout == "installed two.git/hooks/pre-receive\n"
    assert "it should also run: pbem git pushed --game game.toml" in second.stderr
    assert "moves are accepted only on master" in second.stderr
    assert own.read_text(encoding="utf-8") == "#!/bin/sh\n"
    hint = second.stderr.splitlines()[-1].partition("for a game on main: ")[2]
    assert run("sh", "-c", hint, cwd=tmp_path).returncode == 0
    assert pbem(tmp_path, "git", "hook", "pre-receive", "--install", "two.git").stderr.count("master") == 0


def test_of_the_commits_that_were_accepted_the_last_ones_are_known(tmp_path: Path) -> None:
    commits = [f"{number:040x}" for number in range(25)]

    for each in commits:
        note_accepted(tmp_path, each)

    assert (tmp_path / "pbem-accepted").read_text(encoding="utf-8").split() == commits[-20:]


def test_what_was_not_told_first_is_told_from_there_on(tmp_path: Path) -> None:
    group = a_group(tmp_path)
    first, later = group.base, git(group.server, "rev-parse", "main^{tree}")
    with Objects(group.server) as objects:
        server = open_server(objects)

        server.note_untold(first)
        server.note_untold(later)
        assert server.untold() == first

        server.note_told(None)
        assert server.untold() == ""


def test_what_a_tick_has_told_is_new_only_at_another_stage_or_limit(tmp_path: Path) -> None:
    server = Bare(Objects(git_dir=tmp_path), cast("Clone", None), "main")
    minutes = Minutes(standing=Standing(time=timedelta(days=4)))
    early = Seen(a_new_record(3), minutes, until=4 * DAY, time=2 * DAY - 1)
    soon, sooner = early._replace(time=2 * DAY), early._replace(time=2 * DAY, until=3 * DAY)

    assert not server.is_new(early)
    for seen in (early._replace(is_home=True), soon, sooner, sooner._replace(time=3 * DAY)):
        assert server.is_new(seen)
        server.note_told(seen)
        assert not server.is_new(seen)


def test_a_server_of_which_head_names_no_branch_accepts_nothing_and_says_why(tmp_path: Path) -> None:
    group = a_group(tmp_path)
    git(group.server, "update-ref", "--no-deref", "HEAD", group.base)

    done = push(group, forged(group.clone, {GAME: text_after(game_at(group.clone), "red", "stay").encode()}))

    assert done.returncode != 0
    assert "HEAD on the server names no branch" in done.stderr
    assert "git symbolic-ref HEAD refs/heads/main" in done.stderr

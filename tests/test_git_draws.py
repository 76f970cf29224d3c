"""The CI job that holds the secret of a sealed game: it draws after moves, and after nothing else."""

import shutil
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from bots import SECRET
from gits import (
    GAME,
    Group,
    a_sealed_game,
    a_sealed_group,
    act,
    before_a_push,
    did,
    forged,
    game_at,
    git,
    keys_of,
    push,
    text_after,
    without_a_hook,
)

from pbem import game_files
from pbem.first_sparks.chance.draws import source
from pbem.first_sparks.play import carried_on
from pbem.first_sparks.proof import followed
from pbem.first_sparks.record import Record

DRAW = Path(__file__).parents[1] / "examples" / "github-action" / "draw" / "action.yml"
BOT = "github-actions[bot] <41898282+github-actions[bot]@users.noreply.github.com>"


@pytest.fixture
def sealed(tmp_path: Path) -> tuple[Group, Record, str, str]:
    """A server that takes everything, the game on it, who is asked, and the order after which a draw is due.

    The game begins in the middle, and so what is before it in the log is proved as well.
    """
    record, by, order = a_sealed_game()
    return without_a_hook(a_sealed_group(tmp_path, record)), record, by, order


def drew(group: Group, **env: str) -> CompletedProcess[str]:
    """Run the action, and make sure that it leaves no secret behind and tells none."""
    said = {"GAME": GAME, "KEY": "", "SINCE": "", "TOKEN": "t0ken", "BRANCH": "main", "URL": f"file://{group.server}"}
    said |= {"SECRET": (group.clone / "game.secret.toml").read_text(encoding="utf-8")} | env
    earlier = set(group.server.parent.glob("runner-*"))
    done = act(DRAW, group.server.parent, **said)
    (temporary,) = set(group.server.parent.glob("runner-*")) - earlier
    for secret in (SECRET.hex(), "t0ken", "dDBrZW4", *said["KEY"].splitlines()[1:-1]):
        assert secret not in done.stdout + done.stderr
        assert [path for path in temporary.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()] == []
    assert {path.name for path in temporary.iterdir()} <= {"game", "pbem", "step.sh"}
    return done


def assert_drawn(group: Group, before: str) -> None:
    """Assert that there is one commit more, with a draw that the secret proves."""
    assert git(group.server, "rev-list", "--count", f"{before}..main") == "1"
    assert " * draw " in game_at(group.server, "main").record.log[len(game_at(group.server, before).record.log)]
    shutil.copy(group.clone / "game.secret.toml", group.server)
    did(group.server, "git", "check", before, "main")


@pytest.mark.slow
def test_a_push_that_leaves_a_draw_waiting_is_drawn(sealed: tuple[Group, Record, str, str]) -> None:
    group, _, by, order = sealed
    did(group.clone, "git", "move", "--as", by, "--order", order)
    before = group.tip

    done = drew(group)

    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("Drawn: ")
    assert_drawn(group, before)
    assert git(group.server, "log", "-1", "--format=%an <%ae>", "main") == BOT
    again = drew(group)
    assert (again.returncode, again.stdout) == (0, "There is nothing to draw.\n")


def test_nothing_to_draw_is_fine(sealed: tuple[Group, Record, str, str]) -> None:
    group = sealed[0]

    done = drew(group)

    assert (done.returncode, done.stdout) == (0, "There is nothing to draw.\n")
    assert group.tip == group.base


def refused(group: Group, words: str, **env: str) -> int:
    """Run the action, make sure that it draws nothing, and return its status."""
    before = group.tip
    done = drew(group, **env)
    assert done.returncode != 0
    assert words in done.stdout
    assert group.tip == before
    return done.returncode


def test_nothing_is_drawn_after_a_forged_push(sealed: tuple[Group, Record, str, str]) -> None:
    """It is not forgotten when moves follow it, though the job may have missed the push itself."""
    group, _, by, order = sealed
    text = text_after(game_at(group.clone), by, order, drawn=False).encode()
    more = forged(group.clone, {GAME: text, "x": b"x"})
    assert push(group, more).returncode == 0
    assert refused(group, f"commit {more[:10]} by Ann is not a legal move: x was added") == 65

    back = forged(group.clone, {}, parents=(group.base,))
    moved = forged(group.clone, {GAME: text}, parents=(back,))
    assert push(group, moved).returncode == 0

    assert (
        refused(
            group, f"commit {back[:10]} by Ann is not a legal move: game.toml is unchanged, so the commit has no move"
        )
        == 65
    )


def test_a_draw_that_somebody_has_made_up_is_told(sealed: tuple[Group, Record, str, str]) -> None:
    """Everything else about the game that it leads to is sound, and no draw is due in it."""
    group, _, by, order = sealed
    did(group.clone, "git", "move", "--as", by, "--order", order)
    before = game_at(group.clone)
    line = carried_on(before.record, source("friday", SECRET))[0].log[len(before.record.log)]
    seen = {entry.split()[-1] for entry in (*before.record.log, line)}
    card = next(card for card in map(str, range(20, 41)) if card not in seen)
    other = followed(before.record, (f"{line.rpartition(' ')[0]} {card}",))[0]
    text = game_files.text_of(other, "toml", before.schema)
    did(group.clone, "verify", *written(group.clone / "other.toml", text))
    assert push(group, forged(group.clone, {GAME: text.encode()})).returncode == 0

    assert refused(group, "is not what the secret yields") == 76


def written(path: Path, text: str) -> tuple[Path]:
    path.write_text(text, encoding="utf-8")
    return (path,)


def test_what_the_host_vouches_for_is_not_judged(sealed: tuple[Group, Record, str, str]) -> None:
    group, _, by, order = sealed
    workflow = forged(group.clone, {".github/workflows/moves.yml": b"on: push\n"})
    git(group.clone, "reset", "--quiet", "--hard", workflow)
    did(group.clone, "git", "move", "--as", by, "--order", order)
    before = group.tip
    refused(group, f"commit {workflow[:10]} by Ann is not a legal move: .github was added")

    done = drew(group, SINCE=workflow)

    assert done.returncode == 0, done.stdout + done.stderr
    assert_drawn(group, before)


@pytest.mark.slow
@pytest.mark.needs("ssh-keygen")
def test_where_moves_are_signed_the_job_signs_as_the_host(tmp_path: Path) -> None:
    record, by, order = a_sealed_game()
    keys = keys_of(tmp_path, "green", "red", "blue", "host")
    given = [word for who, key in keys.items() for word in ("--key", f"{who}={key}.pub")]
    group = without_a_hook(a_sealed_group(tmp_path, record, *given))
    unsigned = text_after(game_at(group.clone), by, order, drawn=False).encode()
    assert push(group, forged(group.clone, {GAME: unsigned})).returncode == 0
    host = keys["host"].read_text(encoding="utf-8")
    assert refused(group, f"the commit is not signed, but must be signed by {by}", KEY=host) == 65
    assert push(group, group.base).returncode == 0
    git(group.clone, "fetch", "--quiet")
    did(group.clone, "git", "move", "--as", by, "--order", order, "--key", keys[by])
    before = group.tip
    assert refused(group, f"the commit is signed by {by}", KEY=keys[by].read_text(encoding="utf-8")) == 77

    done = drew(group, KEY=host)

    assert done.returncode == 0, done.stdout + done.stderr
    assert_drawn(group, before)


@pytest.mark.parametrize(("secret", "status"), [("", 1), ("nothing", 65), (SECRET.hex()[::-1], 76)])
def test_without_the_right_secret_nothing_is_drawn(
    sealed: tuple[Group, Record, str, str], secret: str, status: int
) -> None:
    group, _, by, order = sealed
    did(group.clone, "git", "move", "--as", by, "--order", order)
    right = (group.clone / "game.secret.toml").read_text(encoding="utf-8")
    given = right.replace(SECRET.hex(), secret) if len(secret) == 64 else secret

    assert refused(group, "::error::" if not secret else "Nothing was drawn: ", SECRET=given) == status


def test_a_push_in_between_is_told_and_the_draw_comes_after_it(
    sealed: tuple[Group, Record, str, str], tmp_path: Path
) -> None:
    """A player may agree to end the game at any time, and so while chance is asked."""
    group, _, by, order = sealed
    did(group.clone, "git", "move", "--as", by, "--order", order)
    other = group.another_clone("other")
    commit = forged(other, {GAME: text_after(game_at(other), by, "agree end", drawn=False).encode()})
    path = before_a_push(tmp_path, f'cd "{other}" && git push --quiet origin {commit}:refs/heads/main')

    done = drew(group, PATH=path)

    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("Somebody else has pushed in the meantime (try 1).\nDrawn: ")
    assert_drawn(group, commit)


def test_a_forgery_in_between_is_not_drawn_after(sealed: tuple[Group, Record, str, str], tmp_path: Path) -> None:
    group, _, by, order = sealed
    did(group.clone, "git", "move", "--as", by, "--order", order)
    other = group.another_clone("other")
    commit = forged(other, {"x": b"x"})
    path = before_a_push(tmp_path, f'cd "{other}" && git push --quiet origin {commit}:refs/heads/main')

    done = drew(group, PATH=path)

    assert done.returncode == 65
    assert f"commit {commit[:10]} by Ann is not a legal move: x was added" in done.stdout
    assert group.tip == commit

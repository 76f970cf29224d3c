"""Shared games through git: nobody is trusted, no machine runs in between, and every commit proves its draws."""

import json
import re
import subprocess
from functools import partial
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest
from fitting import fits
from gits import ENVIRONMENT, did, git, needs_ssh, pbem
from group import SEATS, Group
from test_git_absence import minutes, on
from test_shared_courses import courses, drawing_orders, two_orders_draw

from pbem import formats, game_setup, loading
from pbem.carriers.git.player import entry
from pbem.cli import app as cli
from pbem.errors import Illegal
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.choice import main_choices
from pbem.first_sparks.record import Chance, Lines, Record, first_head
from pbem.game_files import text_of


@pytest.fixture
def group(tmp_path: Path) -> Group:
    return Group(tmp_path)


def waits_for_opener(record: Record) -> bool:
    return record.opener is not None and bool(record.given.value) and record.turn > 0


@pytest.mark.slow
@needs_ssh
def test_three_who_trust_nobody_play_a_signed_game(tmp_path: Path) -> None:
    """The key says who plays, so that nobody has to name the own clan."""
    group = Group(tmp_path, signed=True)

    group.until(lambda record: record.state.round == 2)

    for colour in SEATS:
        group.record(colour)
        first = git(tmp_path / colour, "rev-list", "--max-parents=0", "HEAD").strip()
        told = json.loads(group.did(colour, "check", first, "HEAD", "--signed", "--json"))
        assert {move["by"] for move in told["moves"]} == set(SEATS)
        assert [move["joined"] for move in told["moves"]][:3] == [True, True, False]
        assert all(not line.split()[1].startswith("host") for move in told["moves"] for line in move["log"])
    assert "blue joins" in group.did("red", "log")


@pytest.mark.slow
def test_an_opening_is_only_seen_until_its_player_has_decided(group: Group) -> None:
    record = group.until(waits_for_opener)
    who = record.opener
    assert who
    group.record(who)
    before = git(group.folder / who, "rev-parse", "origin/main")

    assert fits(json.loads(group.did(who, "draw", "--json")), "git")
    told = group.did(who, "draw")
    again = group.did(who, "move")

    assert "you have drawn; it is committed with your order: pbem git move --order ORDER" in told
    assert told.splitlines()[1:] == again.splitlines()[1:]
    assert "YOUR ANSWER" in told
    assert git(group.folder / who, "rev-parse", "HEAD", "origin/main").split() == [before.strip()] * 2
    assert git(group.folder / who, "status", "--porcelain") == ""


@pytest.mark.slow
def test_a_game_that_waits_for_somebody_else_prints_nothing_to_a_job(group: Group) -> None:
    record = group.until(waits_for_opener)
    for colour in SEATS:
        group.record(colour)
        done = group.run(colour, "status")
        assert (done.returncode == 0) == (colour == record.opener)
        if colour != record.opener:
            assert group.run(colour, "draw").stdout == ""


@pytest.mark.slow
def test_a_commit_without_the_values_that_belong_to_it_is_rejected(group: Group) -> None:
    """An order without its mover's value, or with a strange one; an opening by somebody else."""
    record = group.until(waits_for_opener)
    mover, opener = record.given.mover, record.opener
    assert opener
    group.record(mover)
    clone = group.folder / mover
    game = clone / "game.toml"
    text = game.read_text(encoding="utf-8")
    strange = text.replace(record.given.value, "ab" * 32)
    for forged in (strange, text.replace(f'    "{record.log[-1]}",\n', "")):
        git(clone, "reset", "--quiet", "--hard", "HEAD~1")
        game.write_text(forged, encoding="utf-8")
        git(clone, "commit", "--quiet", "--all", "--message", "forged")
        head = git(clone, "rev-parse", "HEAD").strip()
        done = pbem(clone, "git", "check", git(clone, "rev-parse", "HEAD~1").strip(), head)
        assert done.returncode != 0
        git(clone, "reset", "--quiet", "--hard", "origin/main")


def test_nobody_joins_for_somebody_else_or_changes_what_others_have_published(tmp_path: Path) -> None:
    group = Group(tmp_path, joined=False)
    group.did("blue", "join")
    green = tmp_path / "green"
    git(green, "pull", "--quiet", "--ff-only")
    game = green / "game.toml"
    text = game.read_text(encoding="utf-8")
    published = dict(loading.load(game).record.chance.joined)["red"]
    game.write_text(text.replace(published, "cd" * 32), encoding="utf-8")
    git(green, "commit", "--quiet", "--all", "--message", "forged")

    done = subprocess.run(["git", "push"], cwd=green, env=ENVIRONMENT, capture_output=True, text=True, check=False)

    assert done.returncode != 0
    assert "pre-receive hook declined" in done.stderr
    assert "each commit adds one player to the game" in " ".join(done.stderr.split())


def test_nobody_joins_or_renews_with_a_first_value_of_somebody_else(tmp_path: Path) -> None:
    """Whoever copied one could open nothing, and the game would wait for it."""
    early, group = Group(tmp_path / "early", joined=False), Group(tmp_path / "group")
    record = loading.load(early.folder / "green" / "game.toml").record
    ((_, value),) = record.chance.joined
    copied = record._replace(chance=record.chance._replace(joined=(("red", value), ("green", value))))
    copied = copied._replace(lines=Lines((), (), (first_head(copied),)))
    record = group.until(lambda record: record.turn > 3 and not record.opener)
    line = f'    "{record.turn} green renews {dict(record.chance.joined)["red"]}",\n'
    renewed = text_of(record, "toml").replace('",\n]', f'",\n{line}]', 1)
    group.record("green")
    for clone, text in (
        (early.folder / "green", text_of(copied, "toml")),
        (group.folder / "green", renewed),
    ):
        (clone / "game.toml").write_text(text, encoding="utf-8")
        git(clone, "commit", "--quiet", "--all", "--message", "forged")

        done = subprocess.run(["git", "push"], cwd=clone, env=ENVIRONMENT, capture_output=True, text=True, check=False)

        assert "pre-receive hook declined" in done.stderr
        assert re.search("published.*(same first value|before)", done.stderr), done.stderr


def test_two_who_join_at_once(tmp_path: Path) -> None:
    group = Group(tmp_path, joined=False)
    group.did("blue", "join")

    group.did("green", "join")

    assert [colour for colour, _ in group.record("red").chance.joined] == ["red", "blue", "green"]


@pytest.mark.slow
def test_a_lost_secret(group: Group) -> None:
    record = group.until(waits_for_opener)
    who = record.opener
    assert who
    home = Path(group.home(who)["XDG_DATA_HOME"]) / "pbem"
    for kept in home.iterdir():
        kept.unlink()
    assert "was not found" in group.run(who, "draw").stderr

    told = group.did(who, "draw", "--new-secret")

    assert "renews" in told
    (kept,) = home.iterdir()
    digits = told.split()[-1]
    assert digits in kept.read_text(), "the line at the end brings the new secret back"
    assert f"pbem git join --as {who} --secret {digits}" in told
    assert group.record("red").opener not in (who, None)
    group.until(lambda after: after.turn >= record.turn + 5)


def test_no_secret_is_renewed_while_the_game_is_paused(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said here, not by the server."""
    tip = SimpleNamespace(minutes=minutes(on(1, "red decides to pause the game")))
    monkeypatch.setattr(entry, "send", lambda _, judged, *__: judged(tip))

    with pytest.raises(Illegal, match="the game is paused, so no orders are accepted"):
        entry.renew("game.toml", "red", "", print)


def test_a_secret_comes_back_with_the_printed_line(tmp_path: Path) -> None:
    group = Group(tmp_path, joined=False)
    answer = json.loads(group.did("blue", "join", "--json"))
    line = answer["backup"]
    assert fits(answer, "git")
    home = Path(group.home("blue")["XDG_DATA_HOME"]) / "pbem"
    for kept in home.iterdir():
        kept.unlink()

    done = pbem(tmp_path / "blue", *line.split()[1:], **group.home("blue"))

    assert "your secret for friday is kept again" in done.stdout
    assert len(list(home.iterdir())) == 1


def decided_by_two(group: Group) -> tuple[Record, str, str]:
    """Play until somebody has two orders after which a draw follows, and return the game, who it is, and one."""
    record = group.until(lambda record: two_orders_draw(record) and record.turn > 3)
    return record, who_decides(record.state) or "", next(drawing_orders(record))


def commit_locally(group: Group, who: str, order: str) -> None:
    """Move while the server cannot be reached, and drop the commit."""
    clone = group.folder / who
    group.record(who)
    git(clone, "remote", "set-url", "--push", "origin", "../nowhere.git")
    assert group.run(who, "move", "--order", order).returncode != 0
    git(clone, "remote", "set-url", "--push", "origin", "../server.git")


@pytest.mark.slow
@pytest.mark.parametrize("first", ["note", "resign"])
def test_a_move_that_is_rejected_since_another_commit_came_first_is_made_again(group: Group, first: str) -> None:
    """With any order: who has rejected it cannot know the draw."""
    record, who, order = decided_by_two(group)
    *_, another = drawing_orders(record)
    other = next(colour for colour in SEATS if colour != who)
    commit_locally(group, who, order)
    if first == "note":
        group.did(other, "note", "I am back.")
    else:
        group.did(other, "move", "--order", "resign")

    told = group.run(who, "move", "--order", order)
    assert "somebody moved first" in told.stderr
    git(group.folder / who, "reset", "--quiet", "--keep", "origin/main")
    group.did(who, "move", "--order", another if first == "note" else order)


@pytest.mark.parametrize("second", ["mover", "opener"])
def test_a_clone_with_another_course_opens_nothing(group: Group, second: str) -> None:
    """Two repositories can tell two courses."""
    secrets: dict[str, str] = {}
    for colour in SEATS:
        (kept,) = (Path(group.home(colour)["XDG_DATA_HOME"]) / "pbem").iterdir()
        secrets[colour] = formats.parse(kept.read_text(encoding="utf-8"), "toml", name=kept.name)["secret"]
    who, *both = courses(group.record("red"), "mover", second, secrets)
    clones: list[Path] = []
    for number, record in enumerate(both):
        clone = group.folder / f"course-{number}"
        git(group.folder, "clone", "--quiet", "--bare", "server.git", f"{number}.git")
        git(group.folder, "clone", "--quiet", f"{number}.git", clone.name)
        (clone / "game.toml").write_text(text_of(record, "toml"), encoding="utf-8")
        git(clone, "commit", "--quiet", "--all", "--message", "A course")
        git(clone, "push", "--quiet")
        clones.append(clone)
    did(clones[0], "git", "move", "--order", next(drawing_orders(both[0])), "--as", who, **group.home(who))
    before = git(clones[1], "rev-parse", "HEAD")

    order = "pass" if second == "opener" else next(drawing_orders(both[1]))
    for words in (("draw",), ("move", "--order", order)) if second == "opener" else (("move", "--order", order),):
        done = pbem(clones[1], "git", *words, "--as", who, **group.home(who))
        assert done.returncode == 65
        assert "for another course of the game" in done.stderr

    assert git(clones[1], "rev-parse", "HEAD") == before


def test_a_game_that_an_older_version_has_begun_keeps_its_format(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(game_setup, "Chance", partial(Chance, older=True))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home of red"))
    for key, value in ENVIRONMENT.items():
        monkeypatch.setenv(key, value)
    assert cli.run(["git", "init", "sunday", "Ann:red", "Bob:blue", "--as", "Ann", "--board", "recommended"]) == 0
    monkeypatch.undo()
    clone, random = tmp_path / "sunday", Random(1)

    def does(who: str, *words: str) -> None:
        did(clone, "git", *words, "--as", who, XDG_DATA_HOME=str(tmp_path / f"home of {who}"))

    does("blue", "join")
    while (record := loading.load(clone / "game.toml").record).turn < 2:
        who = record.opener or who_decides(record.state) or ""
        home = {"XDG_DATA_HOME": str(tmp_path / f"home of {who}")}
        told = json.loads(did(clone, "git", "draw", "--as", who, "--json", **home)) if record.opener else {}
        if told.get("commit"):
            continue
        orders = [choice["order"] for choice in told.get("options", ())] or [
            choice.order for choice in main_choices(record.state)
        ]
        does(who, "move", "--order", random.choice(orders))

    assert loading.load(clone / "game.toml").record.chance.older
    first = git(clone, "rev-list", "--max-parents=0", "HEAD").strip()
    assert pbem(clone, "git", "check", first, "HEAD").returncode == 0


@pytest.mark.parametrize(
    ("published", "colour"),
    [("zz", "green"), ("", "green"), ("ab" * 32, "yellow"), ("ab" * 32, "host"), ("ab" * 32, "bl\x00\x1b[2J\nue")],
)
def test_a_join_that_is_none_is_refused(tmp_path: Path, published: str, colour: str) -> None:
    """Before it can spoil the game for all, and without a bug of ours."""
    group = Group(tmp_path, joined=False)
    clone = tmp_path / "green"
    game = clone / "game.toml"
    record = loading.load(game).record
    chance = record.chance._replace(joined=(*record.chance.joined, (colour, published)))
    forged = record._replace(chance=chance)
    game.write_text(text_of(forged._replace(lines=Lines((), (), first_head(forged))), "toml"), encoding="utf-8")
    git(clone, "commit", "--quiet", "--all", "--message", "forged")

    told = group.run("green", "check", "HEAD~1", "HEAD")

    assert told.returncode not in (0, 70), told.stderr
    assert "\x1b" not in told.stderr
    done = subprocess.run(["git", "push"], cwd=clone, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert "pre-receive hook declined" in done.stderr


def test_a_first_commit_in_which_several_have_joined_is_refused(tmp_path: Path) -> None:
    """Who begins a game could have joined for all."""
    group = Group(tmp_path)
    record = group.record("red")
    clone = tmp_path / "red"
    git(clone, "checkout", "--quiet", "--orphan", "other")
    git(clone, "commit", "--quiet", "--all", "--message", "Begin")

    told = group.run("red", "check", "0", "HEAD")

    assert not record.missing
    assert "a shared game begins with one player" in told.stderr


def test_a_new_shared_repository_answers_with_the_line_that_brings_the_secret_back(tmp_path: Path) -> None:
    home = {"XDG_DATA_HOME": str(tmp_path / "home")}

    answer = json.loads(did(tmp_path, "git", "init", "friday", "Ann", "Bob", "--as", "Ann", "--json", **home))

    assert fits(answer, "git")
    assert answer["backup"].startswith("pbem git join --as green --secret ")


@pytest.mark.slow
def test_a_server_writes_to_those_for_whom_a_shared_game_waits(tmp_path: Path) -> None:
    """First to those who have not joined, then to the one who has to draw."""
    group = Group(tmp_path, joined=False)
    server = group.folder / "server.git"
    did(tmp_path, "mail", "init", str(tmp_path / "club"), "--address", "pbem@example.org", "--host", "h@example.org")
    git(server, "config", "pbem.club", str(tmp_path / "club"))
    for colour in SEATS:
        git(server, "config", f"pbem.{colour}.address", f"{colour}@x.example")
    outbox = tmp_path / "club" / "outbox" / "new"

    def written() -> set[str]:
        found = {re.search(r"(?m)^To: .*?(\w+)@x", one.read_text(encoding="utf-8")) for one in outbox.iterdir()}
        for one in outbox.iterdir():
            one.unlink()
        return {to[1] for to in found if to}

    group.did("blue", "join")
    assert written() == {"green"}
    group.did("green", "join")
    assert written() == {group.record("red").opener}

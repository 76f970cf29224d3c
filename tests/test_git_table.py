"""What is said and decided at the table of a game through git: signed commits that every clone proves for ever."""

import json
import re
import time
from pathlib import Path
from random import Random

import pytest
from fitting import fits
from gits import a_group, did, git, keys_of, needs_ssh, pbem, without_a_hook
from group import SEATS, Group
from templates import copied, template

from pbem import loading
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.choice import main_choices
from pbem.first_sparks.record import Record

DAY = 24 * 60 * 60
NOON = 1_000_000_000  # some second of the year 2001


@pytest.fixture
def group(tmp_path: Path) -> Group:
    return Group(tmp_path)


@pytest.fixture
def signed(tmp_path: Path) -> Group:
    return Group(tmp_path, signed=True)


def at(seconds: int) -> dict[str, str]:
    """Return the environment of a commit at a time."""
    return {"GIT_AUTHOR_DATE": f"@{NOON + seconds} +0000", "GIT_COMMITTER_DATE": f"@{NOON + seconds} +0000"}


def minutes(group: Group, colour: str = "red") -> list[str]:
    """Return the lines of the minutes in a clone that is up to date, without time and place."""
    group.record(colour)
    lines = (group.folder / colour / "minutes.txt").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "first-sparks-minutes/1 friday"
    return [line.split(" ", 2)[2] for line in lines[1:]]


def proved(group: Group, colour: str = "red", *, signed: bool = False) -> list[dict[str, object]]:
    """Return the moves of the whole game, as another clone proves them."""
    group.record(colour)
    first = git(group.folder / colour, "rev-list", "--max-parents=0", "HEAD").strip()
    told = json.loads(group.did(colour, "check", first, "HEAD", *(["--signed"] if signed else []), "--json"))
    assert fits(told, "git")
    assert "all" in did(group.folder / colour, "verify", "game.toml")
    moves: list[dict[str, object]] = told["moves"]
    return moves


def decides(record: Record) -> str:
    who = who_decides(record.state)
    assert who
    return who


# Talk


@pytest.mark.slow
def test_talk_with_a_move_and_without(group: Group) -> None:
    who = decides(group.until(lambda record: not record.opener))
    other = next(colour for colour in SEATS if colour != who)

    told = json.loads(group.did(other, "note", "Good luck!\n\n  And have fun.\x1b[2J\n", "--json"))
    assert fits(told, "git")
    assert told["spoken"] == [f"{other} says Good luck!", f"{other} says And have fun.[2J"]
    group.did(who, "move", "--order", "stay", "-m", 'I "stay" \\ here: ü')

    assert minutes(group) == [*told["spoken"], f'{who} says I "stay" \\ here: ü']
    assert [move["spoken"] for move in proved(group)][-2:] == [told["spoken"], [minutes(group)[-1]]]
    assert f"{who} stay; {who} says I" in group.did(other, "log")
    body = git(group.folder / who, "log", "-1", "--format=%B")
    assert f'{who} says I "stay"' in body
    assert fits(json.loads(group.did(other, "log", "--json")), "git")


def test_nothing_is_said_if_the_order_is_refused(tmp_path: Path) -> None:
    group = a_group(tmp_path)

    assert pbem(group.clone, "git", "move", "--order", "offer 1", "-m", "Hello", "--as", "red").returncode == 65
    assert pbem(group.clone, "git", "note", " \n", "--as", "red").returncode == 2
    assert pbem(group.clone, "git", "note", "x" * 7000, "--as", "red").returncode == 2
    assert git(group.clone, "rev-parse", "HEAD") == group.base
    assert git(group.clone, "status", "--porcelain") == ""


def test_a_draw_that_is_only_seen_says_nothing(group: Group) -> None:
    record = group.until(lambda record: bool(record.opener and record.given.value and record.turn))
    who = record.opener
    assert who
    group.record(who)

    done = group.run(who, "move", "-m", "What a card!")

    assert done.returncode == 2
    assert "say it with your order" in done.stderr


# Moves taken back


def a_draw_after(group: Group) -> tuple[str, Record]:
    """Play until somebody has decided something that a draw followed; return who, and the game before it."""
    group.until(lambda record: record.turn >= 6 and not record.opener)
    seed = Random(5)
    while True:
        before = group.record("red")
        draws, who = before.state.draws, who_decides(before.state)
        while not before.opener and group.record("red").turn == before.turn:
            group.go_on(seed)
        while group.record("red").opener:
            group.go_on(seed)
            if group.record("red").turn > before.turn + 1:
                break
        if group.record("red").state.draws > draws and who and who != "*":
            return who, before
        if group.record("red").opener is None:
            continue


@pytest.mark.slow
def test_a_takeback_needs_everybody_and_nobody_knows_the_next_draw(group: Group) -> None:
    who, before = a_draw_after(group)
    after = group.record("red")

    told = group.did(who, "takeback", "--to", str(before.turn), "-m", "Sorry.")
    assert re.search(r"it is done when \w+ and \w+ have agreed", told)
    first, second = (colour for colour in SEATS if colour != who)
    group.did(first, "agree")
    assert group.record("red").log == after.log
    refused = group.run(first, "agree")
    assert refused.returncode == 65
    assert f"{first} has already agreed" in refused.stderr

    group.did(second, "agree")

    now = group.record("red")
    assert now.turn == before.turn
    assert now.state._replace(events=()) == before.state._replace(events=())
    assert now.log[: len(before.log)] == before.log
    assert {line.split()[2] for line in now.log[len(before.log) :]} == {"skips"}
    assert dict(now.given.shown) == dict(after.given.shown)
    assert minutes(group)[-1] == f"{second} decides to take the game back to turn {before.turn}"
    seed = Random(7)
    while group.record("red").state.draws <= now.state.draws:
        group.go_on(seed)
    proved(group, "green")


@pytest.mark.slow
def test_a_takeback_is_over_when_the_game_goes_on_or_somebody_objects(group: Group) -> None:
    group.until(lambda record: record.turn == 2)
    record = group.record("red")
    who, other = record.history[-1][0].by, decides(record)
    who = next(entry.by for entry, _ in reversed(record.history) if entry.is_order)
    third = next(colour for colour in SEATS if colour not in (who, other))
    group.did(who, "takeback")
    assert "already agreed" in group.run(who, "agree").stderr
    group.did(third, "disagree", "-m", "No!")
    assert "no motion is open" in group.run(other, "agree").stderr

    group.did(who, "takeback")
    group.did(who, "disagree")
    assert "no motion is open" in group.run(other, "agree").stderr

    group.did(who, "takeback")
    group.did(other, "move", "--order", "stay")
    done = group.run(third, "agree")
    assert done.returncode == 65
    assert "no motion is open" in done.stderr
    proved(group)


def test_who_makes_a_second_motion_reads_that_it_replaces_the_first(tmp_path: Path) -> None:
    clone = a_group(tmp_path).clone
    git(clone, "remote", "remove", "origin")
    did(clone, "git", "pause", "--as", "red")

    told = did(clone, "git", "clock", "3 days", "--as", "red")

    done = "committed, but not pushed, since the repository has no remote"
    assert told.splitlines() == [
        f"red proposes to set the clock to 3 days, then tell: {done}",
        "this replaces your earlier motion to pause the game",
        "it is done when green and blue have agreed: pbem git agree",
    ]
    said = git(clone, "log", "-1", "--format=%b")
    assert said.startswith("This replaces an earlier motion of red: to pause the game.\n")
    did(clone, "git", "object", "--as", "blue")
    assert "this replaces" not in did(clone, "git", "pause", "--as", "red")


# Keys and seats


@pytest.mark.slow
@needs_ssh
def test_a_key_changes_and_the_proof_of_the_whole_game_holds(signed: Group) -> None:
    group = signed
    new = keys_of(group.folder, "new")["new"]
    who = decides(group.until(lambda record: not record.opener))

    group.did(who, "change-key", f"{new}.pub")

    assert "no player of this game signs with your key" in group.run(who, "move", "--order", "stay").stderr
    group.did(who, "move", "--order", "stay", "--key", str(new))
    assert all(move["by"] in SEATS for move in proved(group, signed=True))
    keys = (group.folder / "red" / "allowed_signers").read_text(encoding="utf-8")
    assert keys.count(f"{who} ") == 1


@pytest.mark.slow
@needs_ssh
def test_the_others_give_a_new_key_to_somebody_who_has_lost_it(tmp_path: Path) -> None:
    """They wait a week, in which a sign of life from the old key would end it."""
    group = Group(tmp_path, signed=True, hook=False)
    new = keys_of(group.folder, "new")["new"]
    group.until(lambda record: not record.opener)
    told = group.did("red", "change-key", f"{new}.pub", "--player", "blue", **at(0))
    assert "on, if green has agreed and blue is silent until then" in told
    assert "2001-09-16" in told

    group.did("green", "agree", **at(DAY))
    refused = group.run("red", "agree", **at(6 * DAY))
    assert refused.returncode == 65
    group.did("red", "agree", **at(7 * DAY))

    assert minutes(group)[-1].startswith("red decides to let blue sign with ssh-ed25519 ")
    assert group.run("blue", "note", "Hello").returncode != 0
    group.did("blue", "note", "Here I am again", "--key", str(new), **at(8 * DAY))
    proved(group, signed=True)


@pytest.mark.slow
@needs_ssh
def test_a_substitute_plays_under_the_own_name(signed: Group) -> None:
    group = signed
    zoe = keys_of(group.folder, "zoe")["zoe"]
    who = decides(group.until(lambda record: not record.opener))

    group.did(who, "replace", who, "Zoe", f"{zoe}.pub", "-m", "Zoe plays for me from now on.")

    other = next(colour for colour in SEATS if colour != who)
    group.record(other)
    assert f"waiting for Zoe ({who})" in group.said(other, "status")
    assert "no player of this game signs with your key" in group.run(who, "move", "--order", "stay").stderr
    group.did(who, "move", "--order", "stay", "--as", "Zoe", "--key", str(zoe))
    assert "another player is called" in group.run(other, "replace", other, "zoe", f"{zoe}.pub").stderr
    proved(group, signed=True)


def test_a_seat_changes_hands_without_signatures(tmp_path: Path) -> None:
    clone = a_group(tmp_path).clone
    did(clone, "git", "replace", "red", "Zoe", "--as", "red")
    assert "another player is called zoe" in pbem(clone, "git", "replace", "blue", "zoe", "--as", "blue").stderr

    assert "waiting for Zoe (red)" in pbem(clone, "git", "status", "--as", "blue").stdout
    assert "waiting for Zoe (red)" in pbem(clone, "git", "move", "--as", "blue").stderr


# The clock


@pytest.mark.slow
def test_all_agree_to_a_clock_and_it_answers(tmp_path: Path) -> None:
    group = Group(tmp_path, hook=False)
    who = decides(group.until(lambda record: not record.opener))
    one, other = (colour for colour in SEATS if colour != who)
    group.did(who, "clock", "3 days", "--then", "answer", **at(0))
    group.did(one, "agree", **at(0))
    assert "has no clock" in group.run(one, "answer", **at(9 * DAY)).stderr
    group.did(other, "agree", **at(0))
    group.did(who, "move", "--order", "stay", **at(0))
    late = decides(group.record("red"))
    early = next(colour for colour in SEATS if colour != late)

    refused = group.run(early, "answer", **at(3 * DAY - 1))
    assert refused.returncode == 65
    assert f"the time of {late} is not up yet" in refused.stderr
    assert "the only answer is: stay" in group.run(early, "answer", "offer 3", **at(4 * DAY)).stderr
    group.did(early, "answer", **at(3 * DAY))

    assert minutes(group)[-1] == f"{early} decides to answer stay for {late}"
    assert group.record("red").log[-1].endswith(f" {late} stay")
    proved(group)


@pytest.mark.slow
def test_the_clock_excludes(tmp_path: Path) -> None:
    group = Group(tmp_path, hook=False)
    who = decides(group.until(lambda record: not record.opener))
    one, other = (colour for colour in SEATS if colour != who)
    group.did(one, "clock", "2 hours", "--then", "exclude", **at(0))
    group.did(other, "agree", **at(0))
    group.did(who, "agree", **at(0))
    group.did(one, "note", "Are you there?", **at(3600))  # does not prolong the time

    group.did(other, "exclude", who, **at(7199 + DAY))

    record = group.record("red")
    assert record.state.clan(who).resigned
    proved(group)


def around_now(seconds: int) -> dict[str, str]:
    """Return the environment of a commit so many seconds from now."""
    return at(int(time.time()) - NOON + seconds)


@pytest.mark.slow
def test_a_server_does_not_believe_that_a_time_is_up_before_it_is(group: Group) -> None:
    who = decides(group.until(lambda record: not record.opener))
    one, other = (colour for colour in SEATS if colour != who)
    told = group.did(one, "clock", "90 minutes", "--then", "exclude", **around_now(-3500))
    for each in (other, who):
        told = group.did(each, "agree", **around_now(-3500))
    assert "a player could take an hour of that time from the next one" in " ".join(told.split())

    early = group.run(one, "exclude", who, **around_now(3500))
    group.did(one, "replace", who, "Zoe", **around_now(3400))
    seats_zoe = group.run(other, "agree", **around_now(3500))

    for refused in (early, seats_zoe):
        assert refused.returncode == 65
        assert "the commit is dated in the future" in refused.stderr
    assert not group.record("red").state.clan(who).resigned


@pytest.mark.slow
def test_whoever_moves_to_go_on_reads_that_nobody_has_to_wait_when_the_time_is_up(tmp_path: Path) -> None:
    group = Group(tmp_path, hook=False)
    who = decides(group.until(lambda record: not record.opener))
    one, other = (colour for colour in SEATS if colour != who)
    group.did(one, "clock", "1 day", **at(0))
    for each in (other, who):
        group.did(each, "agree", **at(0))

    told = group.did(one, "exclude", who, **at(2 * DAY))

    assert f"it is done when {other} has agreed: pbem git agree" in told
    group.did(other, "agree", **at(2 * DAY))
    assert group.record("red").state.clan(who).resigned


@pytest.mark.slow
def test_everybody_reads_the_name_of_who_plays_now(tmp_path: Path) -> None:
    group = Group(tmp_path, hook=False)
    who = decides(group.until(lambda record: not record.opener))

    group.did(who, "replace", who, "Zoe")

    readme = (group.folder / who / "README.md").read_text(encoding="utf-8")
    assert f"Zoe ({who})" in readme.replace("\xa0", " ")
    assert f"Zoe ({who})" in git(group.folder / who, "log", "-1", "--format=%B").replace("\xa0", " ")
    proved(group)


@pytest.mark.slow
@pytest.mark.parametrize("replaced", [False, True], ids=["", "in a game with a new player"])
def test_whose_seat_a_motion_is_about_reads_how_to_end_it(tmp_path: Path, *, replaced: bool) -> None:
    group = Group(tmp_path, hook=False)
    silent = decides(group.until(lambda record: not record.opener))
    one, other = (colour for colour in SEATS if colour != silent)
    if replaced:
        group.did(other, "replace", other, "Zoe")
    group.did(one, "exclude", silent)
    about = f"{one} proposes to go on without {silent}"
    for colour in (silent, other):
        group.record(colour)

    assert f"; {about}, and any move or word from you ends that" in group.said(silent, "status")
    assert f"; {about}, and you are asked to agree" in group.said(other, "status")
    group.did(silent, "note", "I am here.")
    assert about not in group.said(silent, "status")


def test_nobody_else_answers_when_a_draw_is_due(group: Group) -> None:
    record = group.until(lambda record: bool(record.opener and record.given.value and record.turn))
    other = next(colour for colour in SEATS if colour != record.opener)

    for words in (("answer",), ("answer", "pass")):
        done = group.run(other, *words)
        assert done.returncode == 65
        assert "has to draw first, and nobody else can do that" in done.stderr
    told = group.run(other, "move", "--order", "stay").stderr
    assert f"{record.opener} draws with pbem draw, or in a repository with pbem git draw" in told


def test_a_shallow_clone_says_whose_turn_it_is(tmp_path: Path) -> None:
    group = without_a_hook(a_group(tmp_path))
    for colour, *words in (("red", "clock", "3 days"), ("blue", "agree"), ("green", "agree")):
        did(group.clone, "git", *words, "--as", colour)
    git(tmp_path, "clone", "--quiet", "--depth", "1", f"file://{group.server}", "shallow")

    assert did(tmp_path / "shallow", "git", "status") == "friday, turn 0: waiting for Christian (red)\n"


# The host


@pytest.mark.slow
@needs_ssh
def test_the_host_of_a_sealed_game_answers_and_gives_keys(tmp_path: Path) -> None:
    keys = keys_of(tmp_path, "host", "red", "blue")
    given = [word for name, key in keys.items() for word in ("--key", f"{name}={key}.pub")]
    did(tmp_path, "git", "init", "game", "Ann:red", "Bob:blue", "--chance", "sealed", "--board", "recommended", *given)
    clone = tmp_path / "game"
    did(clone, "git", "draw", "--key", str(keys["host"]))
    record = loading.load(clone / "game.toml").record
    who = decides(record)
    other = next(colour for colour in ("red", "blue") if colour != who)
    order = next(iter(main_choices(record.state))).order

    refused = pbem(clone, "git", "answer", order, "--as", other, "--key", str(keys[other]))
    assert refused.returncode == 65
    assert "only the host decides for another player" in refused.stderr
    forged = pbem(clone, "git", "answer", order, "--as", "host", "--key", str(keys[other]))
    assert forged.returncode == 77
    unanswered = pbem(clone, "git", "answer", "--key", str(keys["host"]))
    assert "declining, passing and staying are no answers to this question" in unanswered.stderr
    did(clone, "git", "answer", order, "--key", str(keys["host"]), "-m", "Ann is away.")
    new = keys_of(tmp_path, "new")["new"]
    did(clone, "git", "change-key", f"{new}.pub", "--player", who, "--key", str(keys["host"]))

    first = git(clone, "rev-list", "--max-parents=0", "HEAD").strip()
    told = json.loads(did(clone, "git", "check", first, "HEAD", "--signed", "--json"))
    assert [move["by"] for move in told["moves"]][-2:] == ["host", "host"]
    assert told["moves"][-2]["spoken"] == [f"host decides to answer {order} for {who}", "host says Ann is away."]
    assert (
        "the players decide that, when all of them agree"
        in pbem(clone, "git", "takeback", "--to", "0", "--as", "host", "--key", str(keys["host"])).stderr
    )


# The server


def late_group(tmp_path: Path, then: str, days: int = 4) -> tuple[Path, str]:
    """Return the server of a sealed game with its secret, in which a player has been asked for days, and has three."""
    copied(template("late", a_sealed_server), tmp_path)
    clone, server = tmp_path / "game", tmp_path / "server.git"
    ago = int(time.time()) - days * DAY - NOON
    did(clone, "git", "clock", "3 days", "--then", then, "--as", "host", **at(ago))
    (server / "pbem-accepted").write_text(git(server, "rev-parse", "main") + "\n", encoding="utf-8")
    return server, decides(loading.load(clone / "game.toml").record)


def a_sealed_server(folder: Path) -> None:
    """Begin such a game on a server, and play four days ago up to a question that staying answers."""
    folder.mkdir()
    did(folder, "git", "init", "game", "Ann:red", "Bob:blue", "--chance", "sealed", "--board", "recommended")
    clone, server, ago = folder / "game", folder / "server.git", int(time.time()) - 4 * DAY - NOON
    did(clone, "git", "draw")
    record = loading.load(clone / "game.toml").record
    while "stay" not in [choice.order for choice in main_choices(record.state)]:
        order = next(iter(main_choices(record.state))).order
        did(clone, "git", "move", "--order", order, "--as", decides(record), **at(ago))
        record = loading.load(clone / "game.toml").record
    git(folder, "clone", "--quiet", "--bare", "game", "server.git")
    (server / "game.secret.toml").write_bytes((clone / "game.secret.toml").read_bytes())
    git(clone, "remote", "add", "origin", "../server.git")
    git(clone, "fetch", "--quiet")
    git(clone, "branch", "--quiet", "--set-upstream-to=origin/main")


@pytest.mark.slow
@pytest.mark.parametrize("then", ["answer", "exclude"])
def test_a_server_goes_by_the_clock(tmp_path: Path, then: str) -> None:
    server, late = late_group(tmp_path, then)
    git(server, "config", "pbem.notify", f'echo "$PBEM_LINE" >> {tmp_path}/told.txt')
    other, ahead = "blue" if late == "red" else "red", int(time.time()) - NOON + 300
    did(tmp_path / "game", "git", "note", "My clock is ahead of the server's.", "--as", other, **at(ahead))
    (server / "pbem-accepted").write_text(git(server, "rev-parse", "main") + "\n", encoding="utf-8")

    told = json.loads(did(server, "git", "tick", "--json"))

    assert fits(told, "git")
    words = f"host decides to answer stay for {late}" if then == "answer" else f"host decides to go on without {late}"
    assert told["made"][0] == words
    assert len((tmp_path / "told.txt").read_text(encoding="utf-8").splitlines()) == 1
    assert did(server, "git", "tick") == ""
    clone = tmp_path / "game"
    git(clone, "pull", "--quiet", "--ff-only")
    first = git(clone, "rev-list", "--max-parents=0", "HEAD").strip()
    assert words in did(clone, "git", "check", first, "HEAD")


def test_a_server_tells_once_that_the_time_is_up(tmp_path: Path) -> None:
    server, late = late_group(tmp_path, "tell")
    git(server, "config", "pbem.notify", f'echo "$PBEM_LINE" >> {tmp_path}/told.txt')

    assert f"the time of {'Ann' if late == 'red' else 'Bob'} ({late}) is up" in did(server, "git", "tick")
    assert did(server, "git", "tick") == ""
    assert len((tmp_path / "told.txt").read_text(encoding="utf-8").splitlines()) == 1
    clone = tmp_path / "game"
    assert "it is your turn, and your time is up" in did(clone, "git", "status", "--as", late)


def letters_of(tmp_path: Path, server: Path, *command: str) -> dict[str, str]:
    """Return the letters that a command on the server writes, by the address."""
    if not (tmp_path / "club").exists():
        did(
            tmp_path, "mail", "init", str(tmp_path / "club"), "--address", "pbem@example.org", "--host", "h@example.org"
        )
    git(server, "config", "pbem.club", str(tmp_path / "club"))
    for colour in ("red", "blue"):
        git(server, "config", f"pbem.{colour}.address", f"{colour}@example.org")
    outbox = tmp_path / "club" / "outbox" / "new"
    before = set(outbox.iterdir())
    did(server, *command)
    texts = [path.read_text(encoding="utf-8") for path in set(outbox.iterdir()) - before]
    return {colour: text for text in texts for colour in ("red", "blue") if re.search(rf"(?m)^To: .*{colour}@", text)}


def test_a_server_reminds_the_player_alone_once_half_of_the_time_is_over(tmp_path: Path) -> None:
    server, asked = late_group(tmp_path, "answer", days=2)

    (reminded,) = letters_of(tmp_path, server, "git", "tick").items()

    assert reminded[0] == asked
    assert "it is your turn, until" in " ".join(reminded[1].split())
    assert letters_of(tmp_path, server, "git", "tick") == {}


def test_a_late_player_reads_what_the_host_has_decided(tmp_path: Path) -> None:
    server, late = late_group(tmp_path, "answer")

    letters = letters_of(tmp_path, server, "git", "tick")

    assert f"host decides to answer stay for {late}" in letters[late]


def test_a_server_writes_to_the_others_what_was_said(tmp_path: Path) -> None:
    group = Group(tmp_path)
    did(tmp_path, "mail", "init", str(tmp_path / "club"), "--address", "pbem@example.org", "--host", "h@example.org")
    git(tmp_path / "server.git", "config", "pbem.club", str(tmp_path / "club"))
    for colour in SEATS:
        git(tmp_path / "server.git", "config", f"pbem.{colour}.address", f"{colour}@example.org")

    outbox = tmp_path / "club" / "outbox" / "new"
    before = set(outbox.iterdir())

    group.did("green", "note", "Good luck to all of you!")

    letters = [path.read_text(encoding="utf-8") for path in set(outbox.iterdir()) - before]
    assert len(letters) == 2
    assert all("green says Good luck to all of you!" in letter for letter in letters)

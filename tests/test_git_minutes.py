"""Minutes that no pbem would write: every commit with them is refused, and says why."""

from pathlib import Path
from typing import Any

import pytest
from gits import GAME, Group, a_group, forged, game_at, git, keys_of, needs_ssh, pbem, push, text_after
from pushed import FIRST, SECOND, Pushed

from pbem import game_files
from pbem.carriers.git.clone import Clone
from pbem.carriers.git.judges import Judge
from pbem.carriers.git.verdict import compare
from pbem.errors import Illegal, NotUnderstood, PbemError, UsageError
from pbem.first_sparks.play import taken_back
from pbem.first_sparks.record import HEAD_DIGITS
from pbem.table.lines import LONGEST, parse_line, talk_in
from pbem.table.minutes import Minutes, read_minutes

MINUTES = "minutes.txt"
DATE = "2001-02-03T04:05:06Z"  # of all commits of these tests
SECONDS = 981_173_106  # the same, since 1970


class Table:
    """A game in which red has said something, and green proposes to take a move back."""

    def __init__(self, group: Group) -> None:
        """Let red move, and both say something."""
        self.group = group
        for words in (("note", "Hello", "--as", "red"), ("move", "--order", "stay", "--as", "red")):
            assert pbem(group.clone, "git", *words).returncode == 0
        assert pbem(group.clone, "git", "takeback", "--to", "0", "--as", "green").returncode == 0
        self.files = {path.name: path.read_bytes() for path in group.clone.iterdir() if path.is_file()}
        self.text = (group.clone / MINUTES).read_text(encoding="utf-8")
        record = game_at(group.clone).record
        self.place = f"{record.turn}/{record.head[:HEAD_DIGITS]}"

    def line(self, words: str, *, date: str = DATE, place: str = "") -> str:
        """Return a line of the minutes."""
        return f"{date} {place or self.place} {words}\n"

    def check(self, minutes: str, **files: bytes) -> tuple[int, str]:
        """Return what the check says of a commit with these minutes, and with other files."""
        changes = {MINUTES: minutes.encode(), **{name.replace("_toml", ".toml"): data for name, data in files.items()}}
        objects: Any = Pushed(self.files, self.files | changes, SECONDS)
        try:
            compare(objects, FIRST, SECOND, Judge(GAME, "checker"))
        except PbemError as wrong:
            return wrong.exit_status, wrong.message
        return 0, ""


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    return Table(a_group(tmp_path_factory.mktemp("table")))


@pytest.mark.slow
def test_a_line_that_pbem_could_have_written_is_accepted(table: Table) -> None:
    for words in (
        "red says Fine.",
        "blue agrees with green",
        "blue disagrees with green",
        "green withdraws",
    ):
        assert table.check(table.text + table.line(words)) == (0, "")
    assert table.check(table.text + table.line("red says One") + table.line("red says Two")) == (0, "")
    assert table.check(table.text + table.line("green withdraws")) == (0, "")
    assert table.check(table.text + table.line("blue decides to seat Zoe as blue")) == (0, "")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("green decides to take the game back to turn 0", "red and blue must still agree"),
        ("green proposes to take the game back to turn 0", "green has already made that motion"),
        ("red proposes to take the game back to turn 0", "green has already made that motion"),
        ("red proposes to take the game back to turn 1", "turn 1 is not an earlier turn"),
        ("red proposes to take the game back to turn 7", "turn 7 is not an earlier turn"),
        ("red decides to take the game back to turn 0", "blue must still agree"),
        ("green agrees with green", "green has already agreed"),
        ("blue agrees with red", "red has no motion that is open"),
        ("yellow says Hello", "no player has the colour yellow"),
        ("host says Hello", "this game has no host"),
        (
            "red decides to set the clock to 3 days, then exclude",
            "that needs a motion first, and green and blue must agree",
        ),
        ("red proposes to seat Zoe as red", "nobody has to agree to that"),
        ("red decides to seat Steffi as red", "another player is called Steffi"),
        ("red decides to seat blue as red", "another player is called blue"),
        ("red decides to seat a:b as red", "that is not a name for a player"),
        ("red decides to seat Zoe as red, who signs with ssh-ed25519 AAAA", "moves are not signed in this game"),
        ("red decides to let red sign with ssh-ed25519 AAAA", "moves are not signed in this game"),
        ("red decides to seat Zoe as blue", "that needs a motion first"),
        ("red decides to go on without blue", "that needs a motion first"),
        ("red proposes to go on without red", "whoever leaves the game resigns"),
        ("red decides to answer stay for green", "this game has no clock"),
        ("red proposes to go on without white", "no player of the colour white is in the game"),
    ],
)
def test_what_may_not_be_said_is_refused(table: Table, words: str, why: str) -> None:
    status, told = table.check(table.text + table.line(words))

    assert status == 65
    assert why in told


@pytest.mark.parametrize(
    "line",
    [
        f"{DATE} 1/00000000 red shouts Hello",
        f"{DATE} 1/00000000 red says ",
        f"{DATE} 1/00000000 red says  two blanks",
        f"{DATE} 1/00000000 red says a\tb",
        f"{DATE} 1/00000000 red says a\u202eb",
        f"{DATE} 1/00000000 red says {'x' * (LONGEST + 1)}",
        f"{DATE} 01/00000000 red says Hello",
        "2001-02-03 04:05:06 1/00000000 red says Hello",
        "2001-02-31T04:05:06Z 1/00000000 red says Hello",
        f"{DATE} 1/0000000 red says Hello",
        f"{DATE} 1/00000000 red proposes to win",
        f"{DATE} 1/00000000 red proposes to set the clock to 0 days, then tell",
        f"{DATE} 1/00000000 red proposes to set the clock to 1 days, then tell",
        f"{DATE} 1/00000000 red proposes to set the clock to 24 hours, then tell",
        f"{DATE} 1/00000000 red proposes to set the clock to 3 days, then wait",
        f"{DATE} 1/00000000 red decides key red",
        f"{DATE} 1/00000000 red agrees with",
        f"{DATE} 1/00000000 red disagrees with red",
        f"{DATE} 1/00000000 red proposes to take the game back to turn 007",
        "hello",
    ],
)
def test_a_line_that_is_not_written_as_ours_is_not_understood(table: Table, line: str) -> None:
    with pytest.raises(NotUnderstood):
        parse_line(line)
    assert table.check(f"{table.text}{line}\n")[0] == 65


def test_what_was_said_stays_as_it_was(table: Table) -> None:
    new = table.line("red says Fine.")
    header, first, *rest = table.text.splitlines(keepends=True)

    for minutes in (
        header + first.replace("Hello", "Goodbye") + "".join(rest) + new,
        header + "".join(rest) + new,
        header + new + first + "".join(rest),
        header + first,
    ):
        status, told = table.check(minutes)
        assert status == 76
        assert "an earlier line of minutes.txt was changed" in told
    assert "does not begin as the minutes of friday" in table.check(table.text.replace("friday", "sunday") + new)[1]
    for odd in (new.rstrip(), new.replace("\n", "\r\n"), f"{new.rstrip()}\x0b\n", f"{new}\n", f"\ufeff{new}"):
        assert table.check(table.text + odd)[0] == 65
    assert table.check("\ufeff" + table.text + new)[0] == 76
    assert table.check("")[0] == 65
    gone = forged(table.group.clone, {MINUTES: None})
    assert "minutes.txt was removed" in pbem(table.group.clone, "git", "check", "HEAD", gone).stderr


def test_what_is_said_has_the_time_and_the_place_of_its_commit(table: Table) -> None:
    late = table.line("red says Hello", date="2001-02-03T04:05:07Z")
    elsewhere = table.line("red says Hello", place="1/00000000")
    early = table.line("red says Hello", date="2001-02-03T04:05:05Z")

    assert "does not have the time of its commit" in table.check(table.text + late)[1]
    assert "does not have the time of its commit" in table.check(table.text + early)[1]
    assert "was written at another turn of the game" in table.check(table.text + elsewhere)[1]


def test_a_commit_has_the_words_of_one_player_and_decides_one_thing(table: Table) -> None:
    both = table.line("red says Fine.") + table.line("blue says Fine.")
    two = table.line("blue agrees with green") + table.line("blue proposes to set the clock to 3 days, then tell")
    after = table.line("blue says Fine.") + table.line("blue agrees with green")

    assert "the words of one player" in table.check(table.text + both)[1]
    assert "decides one thing" in table.check(table.text + two)[1]
    assert "decides one thing" in table.check(table.text + after)[1]
    assert "at most 20 lines" in table.check(table.text + table.line("red says x") * 21)[1]


def test_words_do_not_change_the_game(table: Table) -> None:
    game = game_at(table.group.clone)
    back = game_files.text_of(taken_back(game.record, 0), "toml", game.schema).encode()
    moved = text_after(game, "blue", "stay").encode()

    assert "the log" in table.check(table.text + table.line("red says Hello"), game_toml=back)[1]
    assert "is not what follows" in table.check(table.text + table.line("red agrees with green"), game_toml=back)[1]
    assert "must be of one player" in table.check(table.text + table.line("red says Hello"), game_toml=moved)[1]
    assert "is not what follows" in table.check(table.text + table.line("red agrees with green"), game_toml=moved)[1]
    assert table.check(table.text + table.line("blue says Hello"), game_toml=moved)[0] == 0


def test_a_game_begins_without_minutes(tmp_path: Path) -> None:
    group = a_group(tmp_path)
    files = {name: git(group.clone, "show", f"HEAD:{name}") for name in (GAME, "README.md")}
    first = forged(
        group.clone,
        {**{name: f"{text}\n".encode() for name, text in files.items()}, MINUTES: b"first-sparks-minutes/1 friday\n"},
        parents=(),
    )

    assert "is there before anybody has said anything" in pbem(group.clone, "git", "check", "0", first).stderr


@pytest.mark.slow
@needs_ssh
def test_only_who_signs_speaks_and_no_key_changes_unsaid(tmp_path: Path) -> None:
    keys = keys_of(tmp_path, "green", "red", "blue", "new")
    given = [word for who in ("green", "red", "blue") for word in ("--key", f"{who}={keys[who]}.pub")]
    group = a_group(tmp_path / "group", *given)
    record = game_at(group.clone).record
    line = f"{DATE} {record.turn}/{record.head[:HEAD_DIGITS]} "
    public = " ".join((tmp_path / "new.pub").read_text(encoding="utf-8").split()[:2])
    begin = "first-sparks-minutes/1 friday\n"
    signers = git(group.clone, "show", "HEAD:allowed_signers") + "\n"

    def refused(words: str, key: Path | None, **files: str) -> str:
        changes = {MINUTES: f"{begin}{line}{words}\n".encode(), **{name: text.encode() for name, text in files.items()}}
        done = push(group, forged(group.clone, changes, key=key))
        assert done.returncode == 1
        return done.stderr

    changed = "".join(row for row in signers.splitlines(keepends=True) if not row.startswith("red ")) + (
        f'red namespaces="git" {public}\n'
    )
    assert "is signed by blue, but must be signed by red" in refused("red says Hello", keys["blue"])
    assert "is not signed" in refused("red says Hello", None)
    assert "was changed, but a move may only change" in refused("red says Hi", keys["red"], allowed_signers=changed)
    change = f"red decides to let red sign with {public}"
    assert "is not what follows from what was decided" in refused(change, keys["red"])
    stolen = changed.replace('blue namespaces="git" ', f'blue namespaces="git" {public} ')
    assert "is not what follows from what was decided" in refused(change, keys["red"], allowed_signers=stolen)
    assert "must be signed by red" in refused(change, keys["new"], allowed_signers=changed)
    theirs = f"blue decides to let red sign with {public}"
    assert "that needs a motion first" in refused(theirs, keys["blue"], allowed_signers=changed)
    right = {MINUTES: f"{begin}{line}{change}\n".encode(), "allowed_signers": changed.encode()}
    assert push(group, forged(group.clone, right, key=keys["red"])).returncode == 0


def test_a_date_that_cannot_be_right_is_refused_by_a_server(tmp_path: Path) -> None:
    group = a_group(tmp_path)

    done = pbem(group.clone, "git", "note", "Hello", "--as", "red", GIT_AUTHOR_DATE="@4000000000 +0000")

    assert done.returncode == 65
    assert "the commit is dated in the future" in done.stderr
    assert git(group.clone, "status", "--porcelain") == ""


def test_talk_is_folded_and_limited() -> None:
    assert [said.text for said in talk_in("a\n\n b \n")] == ["a", "b"]
    assert [len(said.text) for said in talk_in("word " * 100)] == [299, 199]
    for text in ("", "\n", "x\n" * 21):
        with pytest.raises(UsageError):
            talk_in(text)


def test_minutes_without_a_line_are_those_of_a_game_in_which_nothing_was_said() -> None:
    assert read_minutes("first-sparks-minutes/1 friday\n", "friday") == Minutes()


def test_errors_are_illegal(table: Table) -> None:
    with pytest.raises(Illegal):
        taken_back(game_at(table.group.clone).record, 99)


def test_what_is_said_is_never_older_than_the_line_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock of whoever said that may have been ahead of ours."""
    for name in ("NAME", "EMAIL"):
        monkeypatch.setenv(f"GIT_AUTHOR_{name}", "ann@example.org")
    ahead = 4_102_444_800

    seconds, date = Clone(tmp_path).date(ahead)

    assert (seconds, date.split()[0]) == (ahead, f"@{ahead}")
    assert Clone(tmp_path).date()[0] < ahead

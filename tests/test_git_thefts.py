"""What two players of three could try against the third, by what is said and decided at the table."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import reduce
from pathlib import Path
from typing import cast
from unittest.mock import patch

import pytest
from bots import SECRET, a_new_record
from gits import RED, a_group, did, git, pbem
from test_git_table import DAY, NOON, at, decides

from pbem import rulings
from pbem.carriers.git.clone import Clone
from pbem.carriers.git.player import table as commands
from pbem.carriers.git.player.send import Judgement, Tip
from pbem.carriers.git.player.table import Speaker
from pbem.carriers.git.point import Point
from pbem.carriers.git.repository import Objects
from pbem.errors import Illegal, NotUnderstood
from pbem.first_sparks.chance.draws import source
from pbem.first_sparks.choice import main_choices
from pbem.first_sparks.play import taken_back
from pbem.first_sparks.record import HEAD_DIGITS, Record
from pbem.loading import GameFile, Submission
from pbem.table.lines import LONGEST, Says, TableLine, line_now, parse_line
from pbem.table.matters.kinds import Exclude, Replace, SetClock
from pbem.table.matters.respites import Respite
from pbem.table.matters.takebacks import TakeBack
from pbem.table.minutes import Meeting, Minutes
from pbem.table.motions import check, open_motion

TODAY = int(time.time())


def today(seconds: int) -> dict[str, str]:
    """Return the environment of a commit at a time before or after now."""
    return at(TODAY - NOON + seconds)


def test_a_server_takes_no_proposal_that_is_dated_back(tmp_path: Path) -> None:
    """Otherwise two could propose, agree, and exclude the third at once, who would not have seen it."""
    clone = a_group(tmp_path).clone
    motion = ("git", "exclude", "red", "--as", "blue")

    done = pbem(clone, *motion, **today(-8 * DAY))

    assert done.returncode == 65
    assert "the motion is too old to be sent now" in done.stderr
    did(clone, *motion, **today(0))


def test_no_proposal_about_a_seat_is_older_than_the_game(tmp_path: Path) -> None:
    clone, wrong = a_group(tmp_path).clone, "the motion is dated before the commits that it follows"
    git(clone, "remote", "remove", "origin")
    did(clone, "git", "exclude", "red", "--as", "green", **at(-2 * DAY))
    did(clone, *RED, **at(0))
    assert wrong not in did(clone, "git", "log")

    did(clone, "git", "exclude", "blue", "--as", "green", **at(-2 * DAY))

    assert wrong in did(clone, "git", "log")


@pytest.mark.slow
def test_nobody_agrees_with_what_was_not_seen(tmp_path: Path) -> None:
    """A proposal can be replaced by another one a moment before somebody agrees."""
    group = a_group(tmp_path)
    did(group.clone, "git", "clock", "9 days", "--as", "red", **today(0))
    other = group.another_clone("other")
    assert "9 days" in did(other, "git", "status", "--as", "blue")
    did(group.clone, "git", "clock", "2 hours", "--then", "exclude", "--as", "red", **today(0))

    done = pbem(other, "git", "agree", "--as", "blue", **today(0))
    assert done.returncode == 77
    assert "2 hours, then exclude" in done.stderr
    assert "run pbem git agree again" in done.stderr
    did(other, "git", "agree", "--as", "blue", **today(0))


# Without git


class Table:
    """The minutes of a game of three without a server, and what is said there."""

    def __init__(self) -> None:
        """Begin a game in which somebody has decided something four times, the last time at noon."""
        self.record, self.minutes = a_new_record(3), Minutes()
        while self.record.turn < 4:
            self.move()

    @property
    def asked(self) -> str:
        """The player who decides."""
        return decides(self.record)

    @property
    def meeting(self) -> Meeting:
        """The game with its minutes."""
        return Meeting(self.record, self.minutes, True, lambda: NOON)

    def move(self) -> None:
        """Let whoever is asked decide something."""
        order = next(iter(main_choices(self.record.state))).order
        self.record = rulings.judge(self.record, Submission((order,), player=self.asked), source("test", SECRET)).record

    def say(self, words: str, day: float = 0) -> None:
        """Write a line, if it may be written, and do what it decides."""
        place = f"{self.record.turn}/{self.record.head[:HEAD_DIGITS]}"
        when = datetime.fromtimestamp(NOON + int(day * DAY), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        line = parse_line(f"{when} {place} {words}")
        check(line, self.meeting)
        self.minutes = self.minutes.after(line)
        if isinstance(line.said, TakeBack) and not line.proposed:
            self.record = taken_back(self.record, line.said.to)

    def does(self, by: str, command: Callable[..., object], *given: object, at: int = 0, text: str = "") -> list[str]:
        """Let a player give a command of git so many seconds after noon, and return what it adds to the minutes."""
        point = Point(Objects(Path()), "", {}, GameFile(Path("game.toml"), self.record, "toml", ""), None, self.minutes)
        tip = Tip(cast("Clone", None), point, "", NOON + at, "")  # the clone is only asked whose it is
        with (
            patch.object(commands, "send", lambda _, judged, *__: judged(tip)),
            patch.object(Point, "since", lambda _: NOON),
        ):
            judged = cast("Judgement", command(Speaker("game.toml", by, "", text, print), *given))
        self.record, self.minutes = judged.ruling.record, reduce(Minutes.after, judged.said, self.minutes)
        return [line.words for line in judged.said]

    def excludes(self, by: str, whom: str, at: int) -> list[str]:
        """Let a player move to go on without another, and return what is added to the minutes."""
        return self.does(by, commands.about, whom, lambda setting: Exclude(setting.whom), at=at)

    def agree(self, clock: SetClock, at: int = 0) -> None:
        """Let all three agree to a clock."""
        first, second, third = (colour for colour, _ in self.record.players)
        self.does(first, commands.say, clock, at=at)
        self.does(second, commands.agree, "", at=at)
        assert self.does(third, commands.agree, "", at=at) == [f"{third} decides to {clock.in_words}"]


@pytest.fixture
def table() -> Table:
    return Table()


def others(colour: str, record: Record) -> list[str]:
    """Return the colours of the others."""
    return [each for each, _ in record.players if each != colour]


HOURS = SetClock(timedelta(hours=2), "exclude")


def test_a_short_clock_takes_no_seat_from_somebody_who_is_not_asked(table: Table) -> None:
    one, other = others(table.asked, table.record)
    table.agree(HOURS)

    table.excludes(table.asked, one, at=60)
    table.does(other, commands.agree, "", at=60)
    with pytest.raises(Illegal, match="can still object"):
        table.does(other, commands.agree, "", at=DAY)


def test_the_clock_begins_when_it_is_set(table: Table) -> None:
    """And not when the player was asked, an hour before."""
    asked, (one, other) = table.asked, others(table.asked, table.record)
    table.agree(HOURS, at=3600)

    assert table.excludes(one, asked, at=7200) == [f"{one} proposes to go on without {asked}"]
    assert table.excludes(other, asked, at=3600 + 7200) == [f"{other} decides to go on without {asked}"]
    assert table.record.state.clan(asked).resigned


def test_nobody_is_late_before_the_end_of_the_day_until_which_all_have_more_time(table: Table) -> None:
    asked, (one, other) = table.asked, others(table.asked, table.record)
    more = Respite("2001-09-30")
    with pytest.raises(Illegal, match="the clock gives nobody a time"):
        table.does(one, commands.say, more)
    table.agree(SetClock(timedelta(days=1), "exclude"))
    for day, why in (("2001-09-08", "is already over"), ("2002-10-01", "is more than a year away")):
        with pytest.raises(Illegal, match=f"{day} {why}"):
            table.does(one, commands.say, Respite(day), at=1)
    table.does(one, commands.say, more, at=1)
    table.does(other, commands.agree, "", at=2)
    assert table.does(asked, commands.say, more, at=3) == [f"{asked} decides to {more.in_words}"]

    assert table.excludes(other, asked, at=22 * DAY) == [f"{other} proposes to go on without {asked}"]
    assert table.excludes(one, asked, at=23 * DAY) == [f"{one} decides to go on without {asked}"]
    assert table.record.state.clan(asked).resigned


def test_two_go_on_without_the_third_after_a_week(table: Table) -> None:
    silent, (one, other) = table.asked, others(table.asked, table.record)
    with pytest.raises(Illegal, match="whoever leaves the game resigns"):
        table.excludes(one, one, at=0)
    table.excludes(one, silent, at=0)
    assert table.does(other, commands.agree, "", at=60) == [f"{other} agrees with {one}"]
    with pytest.raises(Illegal, match=f"{silent} can still object: that can be decided"):
        table.does(other, commands.agree, "", at=7 * DAY - 1)

    assert table.does(other, commands.agree, "", at=7 * DAY) == [f"{other} decides to go on without {silent}"]

    assert table.record.state.clan(silent).resigned
    with pytest.raises(Illegal, match="has left the game"):
        table.does(silent, commands.take_back, 0, at=8 * DAY)


def test_to_make_a_motion_that_is_open_is_to_agree(table: Table) -> None:
    silent, (one, other) = table.asked, others(table.asked, table.record)
    table.excludes(one, silent, at=0)

    assert table.excludes(other, silent, at=60) == [f"{other} agrees with {one}"]


@pytest.mark.parametrize("sign", ["note", "disagree"])
def test_a_sign_of_life_keeps_the_seat(table: Table, sign: str) -> None:
    silent, (one, other) = table.asked, others(table.asked, table.record)
    table.does(one, commands.about, silent, lambda setting: Replace(setting.whom, "", "Zoe"), at=0)
    table.does(other, commands.agree, "", at=DAY)

    if sign == "note":
        table.does(silent, commands.note, text="I am here", at=2 * DAY)
    else:
        table.does(silent, commands.disagree, "", at=2 * DAY)

    for colour in (one, other):
        with pytest.raises(Illegal, match="no motion is open"):
            table.does(colour, commands.agree, "", at=30 * DAY)


def test_a_consent_is_not_used_again_when_the_game_comes_back_to_the_same_place(table: Table) -> None:
    one, other = others(table.asked, table.record)
    who = table.asked
    table.say(f"{one} proposes to take the game back to turn 2")
    table.say(f"{other} agrees with {one}")
    table.move()
    table.say(f"{other} proposes to take the game back to turn 4")
    table.say(f"{one} agrees with {other}")
    table.say(f"{who} decides to take the game back to turn 4")

    for words in (f"{who} decides to take the game back to turn 2", f"{who} agrees with {one}"):
        with pytest.raises(Illegal):
            table.say(words)


def test_a_decision_ends_what_was_proposed_of_its_kind_or_about_the_same_seat(table: Table) -> None:
    who = table.asked
    one, other = others(who, table.record)
    table.say(f"{one} proposes to set the clock to 2 hours, then exclude")
    table.say(f"{other} agrees with {one}")
    table.say(f"{other} proposes to set the clock to 3 days, then tell")
    table.say(f"{one} agrees with {other}")
    table.say(f"{who} decides to set the clock to 3 days, then tell")
    with pytest.raises(Illegal, match="has no motion that is open"):
        table.say(f"{who} agrees with {one}")

    table.say(f"{one} proposes to go on without {who}", 1)
    table.say(f"{other} agrees with {one}", 1)
    table.say(f"{other} proposes to seat Zoe as {who}, who signs with ssh-ed25519 AAAA", 1)
    table.say(f"{one} agrees with {other}", 1)
    table.say(f"{one} decides to seat Zoe as {who}, who signs with ssh-ed25519 AAAA", 8)
    with pytest.raises(Illegal, match="that needs a motion first"):
        table.say(f"{one} decides to go on without {who}", 8)


def test_a_proposal_that_is_over_does_not_hide_the_same_one_by_somebody_else(table: Table) -> None:
    who = table.asked
    one, other = others(who, table.record)
    table.say(f"{one} proposes to go on without {who}")
    table.say(f"{who} says I am here", 1)
    table.say(f"{other} proposes to go on without {who}", 2)
    table.say(f"{one} agrees with {other}", 3)
    with pytest.raises(Illegal, match="can still object"):
        table.say(f"{one} decides to go on without {who}", 8.9)
    table.say(f"{one} decides to go on without {who}", 9)


def test_whoever_has_left_the_game_gives_no_key_to_others(table: Table) -> None:
    who = others(table.asked, table.record)[0]
    resigned = rulings.judge(table.record, Submission(("resign",), player=who), source("test", SECRET)).record
    table.record = resigned
    with pytest.raises(Illegal, match="has left the game"):
        table.say(f"{who} proposes to let {table.asked} sign with ssh-ed25519 AAAA")
    table.say(f"{who} decides to let {who} sign with ssh-ed25519 AAAA")


def test_joining_is_a_sign_of_life() -> None:
    table = Table()
    one, other = others(table.asked, table.record)
    line = TableLine(NOON, 0, "00000000", one, Replace(other, "", "Zoe"), proposed=True)
    minutes = Minutes().after(line)
    assert open_motion(line.said, minutes, table.record) is None


def test_nobody_fills_the_minutes_for_the_others(table: Table) -> None:
    who, other = others(table.asked, table.record)
    said = line_now(table.record, who, Says("x" * LONGEST), NOON)
    table.minutes = table.minutes._replace(written=((who, 159_700),))
    with pytest.raises(Illegal, match="has written so much"):
        check(said, table.meeting)
    check(said._replace(by=other), table.meeting)
    assert dict(Minutes().after(said).written) == {who: len(str(said))}
    with pytest.raises(NotUnderstood):
        parse_line(f"2001-02-03T04:05:06Z 1/00000000 red decides to let red sign with ssh-ed25519 {'A' * 3001}")

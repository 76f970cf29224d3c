"""What the minutes of a club's game prove: who had moved something, who had agreed, which moves were taken back."""

import shutil
from functools import reduce
from pathlib import Path
from random import Random
from typing import Final

import pytest
from bots import a_new_record, random_play

from pbem.club.agreements import agreements_proved
from pbem.errors import Broken
from pbem.first_sparks.record import HEAD_DIGITS, Record, at_turn
from pbem.game_files import text_of as game_text
from pbem.table.agreements import doubts
from pbem.table.lines import parse_line
from pbem.table.minutes import Minutes, text_of


def played(turns: int, seed: int, begun: Record | None = None) -> Record:
    """Return a game of green, red and blue after so many more turns."""
    record = begun or a_new_record(3, "friday")
    wanted = record.turn + turns
    return next(after for after, _, _ in random_play(record, Random(seed)) if after.turn == wanted)


EARLIER: Final = played(6, 1)
UNDONE: Final = played(4, 2, EARLIER)  # the course until turn 10, where all went back to turn 6
NOW: Final = played(5, 3, EARLIER)  # and what was played instead
COURSES: Final = (UNDONE, NOW)


def line(words: str, record: Record = UNDONE) -> str:
    """Return a line that is written in a game."""
    return f"2027-01-01T12:00:00Z {record.turn}/{record.head[:HEAD_DIGITS]} {words}"


MOTION: Final = line("red proposes to take the game back to turn 6")
BLUE, GREEN = line("blue agrees with red"), line("green agrees with red")
BACK: Final = line("red decides to take the game back to turn 6")


def found(*lines: str, courses: tuple[Record, ...] = COURSES) -> list[tuple[int, str]]:
    """Return which lines are doubted, and why."""
    return [
        (doubt.number, doubt.why) for doubt in doubts(reduce(Minutes.after, map(parse_line, lines), Minutes()), courses)
    ]


def test_a_takeback_to_which_all_have_agreed_is_borne_out() -> None:
    assert found(MOTION, BLUE, line("blue says Sure."), GREEN, BACK, line("red says Thanks!", NOW)) == []
    assert found(line("host decides to take the game back to turn 6")) == []


def test_what_is_about_the_table_can_be_agreed_while_the_game_goes_on() -> None:
    more_time = "give everybody time until the end of 2027-02-01"
    moved = line(f"red proposes to {more_time}", at_turn(UNDONE, 9))

    assert found(moved, BLUE, GREEN, line(f"red decides to {more_time}"), courses=(UNDONE,)) == []


@pytest.mark.parametrize(
    ("lines", "doubt"),
    [
        ((MOTION, BLUE, BACK), (4, "green had not agreed")),
        ((MOTION, BACK), (3, "green and blue had not agreed")),
        ((BACK,), (2, "nobody had moved that")),
        ((MOTION, BLUE, BLUE, GREEN, BACK), (4, "blue had already agreed")),
        ((BLUE, MOTION, BLUE, GREEN, BACK), (2, "red had no open motion")),
        ((MOTION, line("red agrees with red"), BLUE, GREEN, BACK), (3, "red was not asked to agree")),
        ((MOTION, BLUE, line("green disagrees with red"), BACK), (5, "nobody had moved that")),
        (
            (line("red proposes to take the game back to turn 6", at_turn(UNDONE, 9)), BLUE, GREEN, BACK),
            (5, "the motion was over by then"),
        ),
    ],
)
def test_a_takeback_without_all_agreements_is_doubted(lines: tuple[str, ...], doubt: tuple[int, str]) -> None:
    assert found(*lines)[0] == doubt


def test_every_line_belongs_to_a_game_that_is_kept() -> None:
    nowhere = "2027-01-01T12:00:00Z 10/00000000 red says Hello"

    assert found(MOTION, BLUE, GREEN, BACK, nowhere) == [(6, "the game in which it was written is not kept")]
    assert found(nowhere.replace("10/00000000", f"9/{NOW.head[:8]}"), courses=(NOW,))[0][0] == 2
    lost = found(MOTION, BLUE, GREEN, BACK, courses=(NOW,))
    assert lost[-1] == (5, "the game is not kept as it was before the moves were taken back")


def test_moves_that_were_taken_back_are_in_the_minutes() -> None:
    assert found(line("red says Hello", NOW)) == [(0, "moves after turn 6 were taken back, and no line says so")]
    assert found(courses=(NOW,)) == []


def test_the_game_goes_on_from_where_it_was_taken_back_to() -> None:
    nine = (text.replace("back to turn 6", "back to turn 9") for text in (MOTION, BLUE, GREEN, BACK))

    assert found(*nine) == [(5, "the game did not go on from turn 9")]


def test_two_takebacks_one_after_the_other_are_borne_out() -> None:
    last = played(3, 4, at_turn(NOW, 8))
    again = line("host decides to take the game back to turn 8", NOW)

    assert found(MOTION, BLUE, GREEN, BACK, again, courses=(UNDONE, NOW, last)) == []
    assert found(MOTION, BLUE, BACK, courses=(UNDONE, NOW, last))[0] == (4, "green had not agreed")


def test_nobody_asks_a_bot_or_who_has_left() -> None:
    bot = line("green is away, and lets a bot play")
    left = line("green is away, and lets Dora play")

    assert found(bot, MOTION, BLUE, BACK) == []
    assert found(left, MOTION, BLUE, BACK) == [(5, "green had not agreed")]
    assert found(bot, line("green is back"), MOTION, BLUE, BACK) == [(6, "green had not agreed")]
    assert found(line("host decides to seat Bot as green"), MOTION, BLUE, BACK) == []


def test_all_but_one_agree_to_go_on_without_that_one() -> None:
    motion, done = line("red proposes to go on without blue"), line("red decides to go on without blue")
    taken = line("host decides to take the game back to turn 6")

    assert found(motion, GREEN, done, taken) == []
    assert found(motion, done, taken) == [(3, "green had not agreed")]
    assert found(motion, line("blue agrees with red"), done, taken)[0] == (3, "blue was not asked to agree")


# In the folder of a club


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """A game in the folder of a club, with the course that was taken back."""
    (tmp_path / "friday" / "mails" / "taken-back").mkdir(parents=True)
    (tmp_path / "friday" / "mails" / "journal.ndjson").touch()
    (tmp_path / "friday" / "mails" / "taken-back" / "0010.toml").write_text(game_text(UNDONE, "toml"), encoding="utf-8")
    path = tmp_path / "friday" / "game.toml"
    path.write_text(game_text(NOW, "toml"), encoding="utf-8")
    return path


def write(game: Path, *lines: str) -> None:
    """Write the minutes beside a game."""
    minutes = reduce(Minutes.after, map(parse_line, lines), Minutes())
    (game.parent / "minutes.txt").write_text(text_of(minutes, "friday"), encoding="utf-8")


def test_a_folder_proves_its_minutes(game: Path) -> None:
    write(game, MOTION, BLUE, GREEN, BACK)
    assert agreements_proved(game, NOW) == 4

    write(game, MOTION, GREEN, BACK, line("red says Hello", UNDONE))
    with pytest.raises(Broken, match=r"line 4 of minutes.txt is not borne out: blue had not agreed"):
        agreements_proved(game, NOW)

    write(game)
    with pytest.raises(Broken, match=r"minutes.txt: moves after turn 6 were taken back, and no line says so"):
        agreements_proved(game, NOW)


def test_minutes_elsewhere_are_not_those_of_a_club(game: Path) -> None:
    write(game, MOTION, BACK)
    other = game.with_name("other.toml")
    shutil.copy(game, other)
    assert agreements_proved(other, NOW) is None

    (game.parent / "mails" / "journal.ndjson").unlink()
    assert agreements_proved(game, NOW) is None

"""A club of many games: nothing is read that is not due, whatever happens to the index, and nothing is overlooked."""

import json
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from clubs import (
    ADDRESS,
    ANN,
    BOB,
    HOST,
    START,
    a_club,
    a_table,
    an_order,
    copy_of,
    keep_roster,
    letters,
    play,
    play_to_a_mild_question,
    terms,
    the_asked,
    the_record,
    ticked,
    tree,
)
from nobody import as_nobody
from people import a_mail, nothing_quoted, reply

from pbem import files
from pbem.carriers.mail.settings import MailClub, read_club
from pbem.carriers.mail.take import take
from pbem.club import deadlines, host, private, status
from pbem.club import index as indexes
from pbem.club.clock_data import CLUB_TICKS, club_ticks, read_clock
from pbem.club.folder import GameFolder, names_of, read_roster
from pbem.club.index import INDEX, index_of
from pbem.club.opening import open_game
from pbem.club.transaction import Change, write
from pbem.errors import NotUnderstood, Stale, TryAgain
from pbem.table.people import Opening

_OPENED: list[str] = []
_WATCHED: list[str] = []


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if _WATCHED and event == "open" and isinstance(arguments[0], str) and arguments[0].startswith(_WATCHED[0]):
        _OPENED.append(arguments[0][len(_WATCHED[0]) + 1 :])


sys.addaudithook(_hook)


@contextmanager
def games_opened(club: MailClub) -> Iterator[set[str]]:
    """Yield what will be the names of the games of which a file was opened."""
    found: set[str] = set()
    _OPENED.clear()
    _WATCHED[:] = [str(club.games)]
    try:
        yield found
    finally:
        _WATCHED.clear()
        found |= {path.split("/")[0] for path in _OPENED if path}  # all share a lock on the folder itself


def copies(club: MailClub, number: int) -> None:
    """Put copies of the game into the club, each with its own players."""
    table = a_table(club)
    players = table.private.read_text()
    for each in range(number):
        copy_of(table, f"copy-{each}").private.write_text(players.replace("@", f"-{each}@"))


def index(club: MailClub) -> Path:
    return club.folder / INDEX


def rows(club: MailClub, hours: float | None = None) -> list[dict[str, Any]]:
    return list(status.rows_of(club, None if hours is None else START + timedelta(hours=hours)))


@pytest.fixture
def club(tmp_path: Path) -> MailClub:
    """A club with one game, whose letters are out."""
    made = a_club(tmp_path / "club")
    letters(made)
    return made


# Work


@pytest.mark.slow
def test_a_tick_opens_only_the_games_in_which_something_is_due(club: MailClub) -> None:
    copies(club, 300)
    due = [f"copy-{number}" for number in range(10)]
    for game in due:
        terms(club, 'reminders = ["1 hour", "2 hours"]\n', game)
    ticked(club, 0)

    with games_opened(club) as quiet:
        assert ticked(club, 0.5) == []
    with games_opened(club) as busy:
        done = ticked(club, 1)
    with games_opened(club) as again:
        assert ticked(club, 1) == []

    assert quiet == set()
    assert [each.game for each in done] == due
    assert busy == set(due)
    assert again == set()


def test_the_status_of_games_in_which_nothing_has_happened_opens_none(club: MailClub) -> None:
    copies(club, 20)
    ticked(club, 0)
    expected = rows(club)
    terms(club, 'deadline = "1 day"\n', "copy-3")

    with games_opened(club) as opened:
        found = rows(club)
    with games_opened(club) as again:
        rows(club)

    assert opened == {"copy-3"}
    assert again == set()
    assert [row for row in found if row["game"] != "copy-3"] == [row for row in expected if row["game"] != "copy-3"]
    assert {row["due"] for row in found} == {"2026-11-24T12:00:00Z", "2026-11-22T12:00:00Z"}


def test_a_mail_opens_only_its_game_and_a_stranger_s_none(club: MailClub) -> None:
    copies(club, 20)
    host.resend(club, a_table(club))
    (question,) = letters(club)
    ticked(club, 0)
    strange = a_mail("zoe@z.example", ADDRESS, "hello")
    known = a_mail(BOB.replace("@", "-7@"), ADDRESS, "hello")

    with games_opened(club) as of_a_player:
        assert take(club, reply(question, an_order(question))).code == "played"
    with games_opened(club) as of_a_stranger:
        assert take(club, strange).code == "stranger"
    with games_opened(club) as without_a_ticket:
        assert take(club, known).code == "reminded"

    assert of_a_player == {"friday"}
    assert of_a_stranger <= {"friday"}, "which was changed since the tick"
    assert without_a_ticket <= {"friday", "copy-7"}


def test_time_that_only_runs_is_not_written_and_nothing_is_read_for_it(club: MailClub) -> None:
    copies(club, 5)
    for game in names_of(club):
        terms(club, 'deadline = "9 days"\nreminders = []\n', game)
    ticked(club, 0)

    with games_opened(club) as opened:
        for hour in range(1, 100):
            assert ticked(club, hour) == []

    assert opened == set()
    for game in names_of(club):
        (question,) = read_clock(a_table(club, game))[1].questions
        assert question.waited == timedelta(hours=99)


def test_a_takeback_of_many_ticks_is_due_when_it_would_have_been(club: MailClub) -> None:
    """Somebody answers between two ticks: the next one sees the new question, and its time begins then."""
    host.resend(club, a_table(club))
    (question,) = letters(club)
    for hour in range(30):
        ticked(club, hour)
    assert take(club, reply(question, an_order(question))).code == "played"
    ticked(club, 31)
    letters(club)
    for hour in (32, 60, 78):
        assert ticked(club, hour) == []
    ((_, what, _),) = ticked(club, 79)

    assert what == (f"{the_asked(club).name} was reminded",)


# The index is not the truth


def scenario(folder: Path, before: Callable[[MailClub], None]) -> list[Any]:
    """Return all that can be seen of a club to which all kinds of things happen, *before* which something is done."""
    club, seen_of_it, random = a_club(folder, "friday", "monday", "sunday", waves=True), list[Any](), Random(7)
    open_game(club, "open", (f"Ann={ANN}",), Opening(3), None)

    def look(hours: float, **more: bool) -> None:
        before(club)
        done = [(each.game, each.what, str(each.error or "")) for each in ticked(club, hours, **more)]
        before(club)
        seen_of_it.append((hours, done, rows(club), rows(club, hours + 40)))
        seen_of_it.append({mail.to + mail.subject: mail.raw for mail in letters(club)})
        seen_of_it.append(tree(club.folder))

    terms(club, 'then = "answer"\n', "monday")
    terms(club, 'then = "bot"\nlook = "5 hours"\noutage = "20 hours"\n', "sunday")
    for _ in range(6):
        for mail in letters(club):
            if mail.asks:
                take(club, reply(mail, an_order(mail, random), beneath=nothing_quoted))
    for hour in (0, 1, 1, 20, 30):
        look(hour)
    host.away(club, a_table(club), the_asked(club).colour, "2026-11-23")
    look(47)
    host.pause(club, a_table(club, "monday"), "a holiday")
    look(49)
    look(60)
    take(club, a_mail(BOB, ADDRESS, "hello"))
    host.resume(club, a_table(club, "monday"))
    look(71)
    look(84)
    host.resend(club, a_table(club, "sunday"))
    (question, *_) = (mail for mail in letters(club) if mail.asks)
    take(club, reply(question, an_order(question)))
    take(club, a_mail("zoe@z.example", ADDRESS, "join open as Zoe"))
    for hour in (85, 90, 109, 120, 133):
        look(hour)
    table = a_table(club)
    table.private.write_text(table.private.read_text().replace(ANN, "anna@new.example"))
    for hour in (134, 170, 182, 260):
        look(hour)
    host.take_back(club, table)
    look(261)
    look(400, release=True)
    look(401)
    return seen_of_it


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """What is seen of the scenario by a club that has no index."""
    a_club(tmp_path_factory.mktemp("first") / "club", "friday", "monday", "sunday", waves=True)  # its keys are kept
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(indexes, "_opened", lambda _: None)
        patch.setattr("os.urandom", Random(1).randbytes)
        return scenario(tmp_path_factory.mktemp("club") / "club", lambda _: None)


def lost(club: MailClub) -> None:
    index(club).unlink(missing_ok=True)


def torn(club: MailClub) -> None:
    if index(club).exists():
        index(club).write_bytes(index(club).read_bytes()[:5000])


@pytest.mark.slow
@pytest.mark.parametrize("before", [lambda _: None, lost, torn], ids=["kept", "lost", "torn"])
def test_a_club_with_an_index_is_the_same_to_the_byte(
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    expected: list[Any],
    before: Callable[[MailClub], None],
) -> None:
    monkeypatch.setattr("os.urandom", Random(1).randbytes)

    found = scenario(tmp_path_factory.mktemp("club") / "club", before)

    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert one == other


def flipped(data: bytes, random: Random) -> bytes:
    return bytes(byte ^ 1 << random.randrange(8) if random.random() < 0.002 else byte for byte in data)


SPOILT: dict[str, Callable[[bytes, Random], bytes]] = {
    "empty": lambda _, __: b"",
    "short": lambda data, random: data[: random.randrange(len(data))],
    "noise": lambda data, random: random.randbytes(len(data)),
    "flipped": flipped,
    "a page of noise": lambda data, random: _with_noise(data, 4096 * random.randrange(len(data) // 4096), random),
    "text": lambda _, __: b"nothing to see here\n" * 300,
    "another base": lambda _, __: _another_base(),
}


def _with_noise(data: bytes, place: int, random: Random) -> bytes:
    return data[:place] + random.randbytes(4096) + data[place + 4096 :]


def _another_base() -> bytes:
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE games (game)")
    return base.serialize()


@pytest.mark.parametrize("how", SPOILT)
@pytest.mark.parametrize("seed", range(2))
def test_an_index_with_other_bytes_is_made_again_and_nothing_is_overlooked(club: MailClub, how: str, seed: int) -> None:
    copies(club, 12)
    for game in names_of(club):
        terms(club, f'reminders = ["{1 + sum(map(ord, game)) % 5} hours"]\n', game)
    ticked(club, 0)
    good, random = index(club).read_bytes(), Random(seed)
    due = {game for hour in (1, 2, 3, 4, 5) for game, what, _ in ticked(club, hour) if what}

    for hour in (6, 7):
        index(club).write_bytes(SPOILT[how](good, random))
        assert ticked(club, hour) == []
        index(club).write_bytes(SPOILT[how](good, random))
        assert {row["error"] for row in rows(club)} == {""}
    ticked(club, 8)
    with games_opened(club) as opened:
        ticked(club, 9)

    assert due == {*names_of(club)}
    assert opened == set(), "the index is whole again"


@pytest.mark.parametrize("seed", range(8))
def test_a_damaged_index_puts_nothing_off(club: MailClub, seed: int) -> None:
    copies(club, 8)
    ticked(club, 0)
    ticked(club, 24)
    index(club).write_bytes(flipped(index(club).read_bytes(), Random(seed)))

    assert {game for game, what, _ in ticked(club, 48) if "reminded" in what[0]} == {*names_of(club)}


def test_a_folder_in_place_of_the_index_is_removed_if_it_is_empty(club: MailClub) -> None:
    index(club).mkdir()
    ticked(club, 0)
    assert index(club).is_file()

    index(club).unlink()
    (index(club) / "kept").mkdir(parents=True)
    ticked(club, 1)

    assert rows(club)[0]["since"] == "2026-11-21T12:00:00Z"
    assert (index(club) / "kept").is_dir()


def test_a_link_in_place_of_the_index_is_not_followed(club: MailClub, tmp_path: Path) -> None:
    (tmp_path / "other").write_text("mine")
    index(club).symlink_to(tmp_path / "other")

    ticked(club, 0)

    assert (tmp_path / "other").read_text() == "mine"
    assert index(club).is_file()
    assert not index(club).is_symlink()


def test_only_the_owner_can_read_the_index(club: MailClub) -> None:
    ticked(club, 0)
    assert stat.S_IMODE(index(club).stat().st_mode) == 0o600

    index(club).chmod(0o644)
    ticked(club, 1)
    assert stat.S_IMODE(index(club).stat().st_mode) == 0o600


def test_other_settings_or_another_version_make_a_new_index(club: MailClub, monkeypatch: pytest.MonkeyPatch) -> None:
    ticked(club, 0)
    settings = club.folder / "club.toml"
    settings.write_text(settings.read_text().replace('timezone = "UTC"', 'timezone = "Europe/Berlin"'))
    with games_opened(club) as other_settings:
        ticked(read_club(club.folder), 1)
    monkeypatch.setattr(indexes, "__version__", "0.0.1")
    with games_opened(club) as other_version:
        ticked(read_club(club.folder), 2)

    assert other_settings == other_version == {"friday"}


@pytest.mark.parametrize("busy", [False, True], ids=["read-only", "locked"])
def test_a_tick_goes_on_without_the_index(club: MailClub, monkeypatch: pytest.MonkeyPatch, *, busy: bool) -> None:
    ticked(club, 0)
    monkeypatch.setattr(indexes, "_WAIT", 0.0)
    other = sqlite3.connect(index(club), isolation_level=None)
    if busy:
        other.execute("BEGIN EXCLUSIVE")
    else:
        monkeypatch.setattr(indexes, "_opened", lambda _: None)

    quiet, done = ticked(club, 24), ticked(club, 48)

    other.close()
    assert quiet == []
    assert [each.what[0].split()[1:] for each in done] == [["was", "reminded"]]
    assert ticked(club, 48) == []


@pytest.mark.slow
def test_a_full_disk_stops_no_tick(club: MailClub, monkeypatch: pytest.MonkeyPatch) -> None:
    ticked(club, 0)
    copies(club, 30)
    made = indexes._opened

    def small(club: MailClub) -> Any:
        base = made(club)
        base.execute("PRAGMA max_page_count = 3")
        return base

    monkeypatch.setattr(indexes, "_opened", small)
    assert ticked(club, 1) == []
    assert {row["error"] for row in rows(club)} == {""}
    monkeypatch.undo()

    assert ticked(club, 30) == []
    assert len({game for game, _, _ in ticked(club, 49)}) == 31


def test_a_python_without_sqlite_is_only_slower(club: MailClub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlite3", None)
    ticked(club, 0)

    assert not index(club).exists()
    assert rows(club)[0]["since"] == "2026-11-21T12:00:00Z"
    assert ticked(club, 24) == []
    assert [each.game for each in ticked(club, 48)] == ["friday"]


@pytest.mark.slow
def test_two_processes_tick_at_the_same_time(club: MailClub) -> None:
    copies(club, 30)
    command = [sys.executable, "-m", "pbem", "mail", "tick", str(club.folder), "--now"]
    times = ["2026-11-21T12:00:00Z"] * 3
    at_once = [subprocess.Popen([*command, time], stdout=subprocess.PIPE, stderr=subprocess.PIPE) for time in times]
    ends = [process.communicate() for process in at_once]

    assert [(process.returncode, said[1]) for process, said in zip(at_once, ends, strict=True)] == [(0, b"")] * 3
    assert {row["since"] for row in rows(club)} == {"2026-11-21T12:00:00Z"}
    with games_opened(club) as opened:
        ticked(club, 1)
    assert len(opened) < 31


def test_whoever_does_not_own_the_club_makes_no_index(open_folder: Path, nobody_python: str) -> None:
    """Root looks at the status of the club of nobody: the club could not use a file that belongs to root."""
    club = a_club(open_folder / "club")
    subprocess.run(["chown", "-R", "nobody", club.folder], check=True)

    assert rows(club)[0]["turn"] == 0
    assert not index(club).exists()

    command = [nobody_python, "-m", "pbem", "mail", "tick", str(club.folder), "--now", "2026-11-21T12:00:00Z"]
    assert as_nobody(command).returncode == 0
    before = index(club).stat()
    assert before.st_uid == club.folder.stat().st_uid
    with games_opened(club) as opened:
        assert rows(club)[0]["since"] == "2026-11-21T12:00:00Z"
    assert opened == set()
    assert index(club).stat().st_uid == before.st_uid


# Whatever happens to a game


def test_a_change_by_hand_counts_at_the_next_tick(club: MailClub) -> None:
    copies(club, 3)
    ticked(club, 0)
    for hour in (12, 24):
        ticked(club, hour)
    table = a_table(club, "copy-1")
    terms(club, 'deadline = "1 day"\ngrace = "2 hours"\n', "copy-1")
    assert [(each.game, each.what[0].split()[1:3]) for each in ticked(club, 24.5)] == [("copy-1", ["was", "warned"])]

    data = table.private.read_bytes()
    with table.private.open("r+b") as file:  # in place, with the same size and the same times
        file.write(data.replace(b"2 hours", b"9 hours"))
    os.utime(table.private, ns=(0, 0))
    assert ticked(club, 27) == []
    assert len(ticked(club, 24.5 + 9)) == 1


def test_a_change_by_hand_while_a_tick_is_written_counts_at_the_next_one(
    club: MailClub, monkeypatch: pytest.MonkeyPatch
) -> None:
    terms(club, 'deadline = "9 days"\nreminders = []\n')
    replace, written = files.replace, 0

    def replaced_and_changed(path: Path, text: str, **more: Any) -> None:
        nonlocal written
        replace(path, text, **more)
        if path == a_table(club).private:
            written += 1
            if written == 1:
                path.write_text(path.read_text().replace("9 days", "1 hour"))

    monkeypatch.setattr(files, "replace", replaced_and_changed)
    hour = 0
    while not written:
        assert ticked(club, hour) == []
        hour += 1
    monkeypatch.undo()

    assert [each.what[0].split()[1:3] for each in ticked(club, hour + 1)] == [["was", "warned"]]


@pytest.mark.parametrize("number", [2, 0])
def test_a_seat_that_is_missing_stops_its_own_game_only(club: MailClub, number: int) -> None:
    """A colour that the game does not have was typed by hand, or the players are those of another game."""
    terms(club, 'reminders = ["1 hour"]\n')
    copies(club, 1)
    ticked(club, 0)
    table = a_table(club)
    good = table.private.read_text()
    colour = the_record(club).players[number][0]
    table.private.write_text(good.replace(f'colour = "{colour}"', 'colour = "white"'))
    message = f"private.toml has no player for {colour}"

    done = {each.game: str(each.error or each.what) for each in ticked(club, 2)}
    shown = {row["game"]: row["error"] for row in rows(club)}
    with pytest.raises(NotUnderstood, match=message):
        host.resend(club, table)
    table.private.write_text(good)
    mended = {each.game: str(each.error or each.what) for each in ticked(club, 3)}

    assert message in done["friday"]
    assert "reminded" in done["copy-0"]
    assert message in shown["friday"]
    assert shown["copy-0"] == ""
    assert "reminded" in mended["friday"]
    assert {row["error"] for row in rows(club)} == {""}


@pytest.mark.parametrize("year", [1905, 1969, 2300, 2440])
def test_a_file_may_have_any_date(club: MailClub, year: int) -> None:
    terms(club, 'reminders = ["1 hour"]\n')
    table, date = a_table(club), datetime(year, 1, 1, tzinfo=UTC)
    seconds = (date - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()
    for path in (table.game, table.private, table.folder):
        os.utime(path, (seconds, seconds))
    ticked(club, 0)
    with games_opened(club) as opened:
        ticked(club, 0.5)
    text = table.private.read_text()
    table.private.write_text(text.replace("1 hour", "9 hours"))
    os.utime(table.private, (seconds, seconds))

    assert opened == set()
    assert ticked(club, 2) == []
    assert [row["error"] for row in rows(club)] == [""]


def test_the_status_of_a_game_that_was_changed_by_hand_knows_the_last_tick(club: MailClub) -> None:
    for hour in range(18):
        ticked(club, hour)
    terms(club, 'deadline = "9 days"\nreminders = []\n')

    first, again = rows(club, 40), rows(club, 40)
    lost(club)

    assert first == again == rows(club, 40)
    assert first[0]["notes"] == []


def test_a_pause_by_hand_begins_and_ends_when_it_is_seen(club: MailClub) -> None:
    ticked(club, 0)
    for hour in range(1, 11):
        ticked(club, hour)
    table = a_table(club)
    roster = read_roster(table)
    keep_roster(table, roster._replace(paused="x"))
    for hour in range(11, 31):
        ticked(club, hour)
    keep_roster(table, roster)
    for hour in range(31, 41):
        ticked(club, hour)

    (question,) = read_clock(table)[1].questions
    assert question.waited == timedelta(hours=20)


def test_a_game_that_was_away_from_the_club_is_found_again_and_time_has_not_run_for_long(
    club: MailClub, tmp_path: Path
) -> None:
    copies(club, 2)
    for game in names_of(club):
        terms(club, 'deadline = "20 days"\nreminders = ["11 days"]\n', game)
    terms(club, 'deadline = "20 days"\nreminders = ["2 days"]\n', "copy-1")
    ticked(club, 0)
    shutil.move(a_table(club, "copy-1").folder, tmp_path / "away")
    for hour in range(12, 241, 12):
        assert ticked(club, hour) == []
    assert [row["game"] for row in rows(club)] == ["copy-0", "friday"]

    shutil.move(tmp_path / "away", a_table(club, "copy-1").folder)
    ((game, what, _),) = ticked(club, 252)

    assert game == "copy-1"
    assert "the clock did not tick for more than 36 hours" in what[0]
    (question,) = read_clock(a_table(club, "copy-1"))[1].questions
    assert question.waited <= timedelta(hours=36)
    assert [row["game"] for row in rows(club)] == ["copy-0", "copy-1", "friday"]


@pytest.mark.parametrize("back", [30, 47, 50, 70])
def test_a_game_that_comes_back_loses_no_time_after_something_was_due(
    club: MailClub, tmp_path: Path, back: int
) -> None:
    terms(club, 'deadline = "2 days"\nreminders = []\n')
    for hour in range(4):
        ticked(club, hour)
    shutil.move(a_table(club).folder, tmp_path / "away")
    for hour in range(4, back):
        ticked(club, hour)
    shutil.move(tmp_path / "away", a_table(club).folder)
    done = ticked(club, back)

    (question,) = read_clock(a_table(club))[1].questions
    assert question.waited == timedelta(hours=back if back < 48 else 0)
    assert [each.what[0][:22] for each in done] == ([] if back < 48 else ["the clock did not tick"])


def test_a_new_game_is_seen_by_the_next_tick(club: MailClub) -> None:
    ticked(club, 0)
    copies(club, 1)
    private.keep(a_table(club, "copy-0").private, {"ticks": {}})
    open_game(club, "open", (f"Ann={ANN}",), Opening(3), None)
    ticked(club, 1)

    assert [row["since"] for row in rows(club)] == ["2026-11-21T13:00:00Z", "2026-11-21T12:00:00Z", None]
    with games_opened(club) as opened:
        ticked(club, 2)
    assert opened == set()


def test_a_change_that_was_broken_off_is_finished_by_the_next_tick(
    club: MailClub, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticked(club, 0)
    table = a_table(club)

    def dies(*_: object) -> None:
        raise KeyboardInterrupt

    clock = {"clock": {"deadline": "2 hours", "reminders": []}}
    kept = private.text_with(private.sections(table.private), clock)
    change = Change({"code": "x"}, parts=((table.private.name, kept),))
    with monkeypatch.context() as patch:
        patch.setattr("pbem.club.transaction._finish", dies)
        with pytest.raises(KeyboardInterrupt):
            write(club, table, change)
    assert table.pending.is_dir()

    assert ticked(club, 1) == []

    assert not table.pending.exists()
    assert len(ticked(club, 2)) == 1


@pytest.mark.parametrize("call", ["private.keep", "index.GameIndex.read", "index._entry", "deadlines.settled"])
def test_a_tick_that_dies_loses_nothing_that_is_due(club: MailClub, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    copies(club, 4)
    ticked(club, 0)
    ticked(club, 20)

    def dies(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    for hour in (30, 48):
        with monkeypatch.context() as patch:
            patch.setattr(f"pbem.club.{call}", dies)
            with suppress(KeyboardInterrupt):
                ticked(club, hour)
    ticked(club, 48.5)

    told = [mail.to for mail in letters(club)]
    assert len(told) == len(set(told)) == 5
    for game in names_of(club):
        (question,) = read_clock(a_table(club, game))[1].questions
        assert (question.waited, question.reminded) == (timedelta(hours=48.5), timedelta(hours=48))


def test_a_game_that_the_clock_cannot_reach_has_its_time_stand_after_an_outage(
    club: MailClub, monkeypatch: pytest.MonkeyPatch
) -> None:
    copies(club, 1)
    ticked(club, 0)
    terms(club, "deadline = 3\n", "copy-0")
    for hour in range(6, 61, 6):
        ((game, _, error),) = [each for each in ticked(club, hour) if each.error]
        assert game == "copy-0"
        assert error is not None
    assert club_ticks(club.folder).missed == {"copy-0": START}
    terms(club, 'deadline = "9 days"\nreminders = []\n', "copy-0")

    ((_, what, _),) = ticked(club, 61)

    assert "the clock did not tick for more than 36 hours" in what[0]
    assert club_ticks(club.folder).missed == {}


def test_a_lost_record_of_the_ticks_costs_no_time(club: MailClub) -> None:
    ticked(club, 0)
    ticked(club, 12)
    (club.folder / CLUB_TICKS).write_text("torn")
    ticked(club, 13)
    (club.folder / CLUB_TICKS).unlink()
    ticked(club, 14)

    (question,) = read_clock(a_table(club))[1].questions
    assert question.waited == timedelta(hours=14)


def test_a_wrong_time_is_refused_in_every_game_until_the_host_puts_it_right(club: MailClub) -> None:
    copies(club, 2)
    ticked(club, 0)
    ticked(club, 20)
    assert {type(each.error) for each in ticked(club, 1)} == {Stale}
    assert len(ticked(club, 1)) == 3

    host.resume(club, a_table(club))
    assert {each.game for each in ticked(club, 2)} == {"copy-0", "copy-1"}
    assert {each.game for each in ticked(club, 3)} == {"copy-0", "copy-1"}
    (question,) = read_clock(a_table(club))[1].questions
    assert question.waited == timedelta(hours=21)
    assert ticked(club, 21) == []
    assert {type(each.error) for each in ticked(club, 20.5)} == {Stale}


def test_a_game_that_is_locked_is_told_of_and_ticks_later(club: MailClub, monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(*_: object) -> None:
        raise TryAgain("another pbem process is working")

    with monkeypatch.context() as patch:
        patch.setattr(deadlines, "locked", busy)
        assert isinstance(ticked(club, 0)[0].error, TryAgain)

    assert ticked(club, 1) == []
    assert rows(club)[0]["since"] == "2026-11-21T13:00:00Z"


def test_majority_counts_games_that_are_not_read(tmp_path: Path) -> None:
    """Three of three who are asked are too many to be decided for at once; three of nine are not."""
    club = a_club(tmp_path / "club")
    play_to_a_mild_question(club)
    copies(club, 8)
    for game in ("copy-0", "copy-1", "copy-2"):
        terms(club, 'then = "answer"\ndeadline = "1 day"\n', game)
    for hour in (0, 24):
        ticked(club, hour)
    letters(club)

    with games_opened(club) as opened:
        done = ticked(club, 36)

    assert len(opened) < 9
    read = {path.split("/")[0] for path in _OPENED if path.endswith("/game.toml")}
    assert read == {"copy-0", "copy-1", "copy-2"}
    assert [each.what[0].startswith("played for") for each in done] == [True] * 3
    assert HOST not in {mail.to for mail in letters(club)}


def test_those_who_are_held_count_though_their_games_are_not_read(tmp_path: Path) -> None:
    club = a_club(tmp_path / "club")
    play_to_a_mild_question(club)
    copies(club, 12)
    for number in range(8):
        deadline = "24 hours" if number < 6 else "30 hours"
        terms(club, f'then = "answer"\ndeadline = "{deadline}"\nreminders = []\n', f"copy-{number}")
    for hour in (0, 24, 30):
        ticked(club, hour)

    assert len(ticked(club, 36)) == 6, "more than answers_at_once, so nothing is decided"
    ticked(club, 40)
    with games_opened(club) as opened:
        done = ticked(club, 42)

    assert opened == {"copy-6", "copy-7"}
    assert [each.game for each in done] == ["copy-6", "copy-7"]
    assert all("I have decided nothing" in each.what[0] for each in done)


def test_commands_that_need_no_index_do_not_load_sqlite() -> None:
    code = (
        "import sys, pbem.cli.app, pbem.cli.turn, pbem.cli.mail, pbem.club.status;"
        "import pbem.carriers.mail.take, pbem.carriers.mail.service;"
        "sys.exit('sqlite3' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_nothing_is_in_the_index_that_the_status_and_the_addresses_do_not_tell(tmp_path: Path) -> None:
    club = a_club(tmp_path / "club")
    play(club, 12)
    ticked(club, 0)
    rows(club)

    with index_of(club) as kept:
        ((_, entry),) = kept.entries()

    assert entry is not None
    assert json.loads(entry.row) | {"place": None, "outage": None} == rows(club)[0] | {"place": None, "outage": None}
    assert set(entry.readers.split()) == {ANN, BOB, "cy@z.example"}
    table = GameFolder(club.games / "friday")
    secret = next(table.folder.glob("*.secret*")).read_text()
    keys = [player["key"] for player in tomllib.loads(table.private.read_text())["players"]]
    text = index(club).read_bytes()
    assert not any(word.encode() in text for word in (*keys, *[w for w in secret.split('"') if len(w) > 40]))

"""All that is kept of a game is made again from the messages and what each change has left."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from clubs import (
    ADDRESS,
    ANN,
    BOB,
    CY,
    a_club,
    a_copy,
    a_table,
    an_order,
    letters,
    play,
    the_asked,
    the_record,
    ticked,
    tree,
)
from people import Mail, a_mail, reply

from pbem import files
from pbem.carriers.mail.settings import MailClub
from pbem.carriers.mail.take import take
from pbem.carriers.rebuild import restore
from pbem.cli.app import run
from pbem.club import host, private
from pbem.club.changes import kept_of, restored
from pbem.club.clock_data import read_clock
from pbem.club.folder import GameFolder, read_roster
from pbem.club.opening import open_game
from pbem.errors import Broken, CannotCreate, NoSuchFile
from pbem.table.people import Opening

ADDRESSES = {"green": ANN, "red": BOB, "blue": CY}
FILES = ("game.toml", "minutes.txt", "private.toml")


def newest(club: MailClub) -> dict[str, Mail]:
    """Send everybody the game as it is, and return these letters by colour."""
    letters(club)
    host.resend(club, a_table(club), to_all=True)
    found = letters(club)
    return {colour: mail for mail in found for colour, address in ADDRESSES.items() if mail.to == address}


def by_colour(club: MailClub) -> dict[str, Mail]:
    return {colour: mail for mail in letters(club) for colour, address in ADDRESSES.items() if mail.to == address}


def says(club: MailClub, colour: str, words: str) -> str:
    """Let a player answer the newest letter, and return the code of the verdict."""
    return take(club, reply(newest(club)[colour], words)).code


def eventful(folder: Path) -> None:
    """A club with a game in which people have done all kinds of things, and the host and the clock, too."""
    club = a_club(folder)
    table = a_table(club)
    play(club, 6)
    ticked(club, 0)
    assert says(club, "green", "Good luck everybody, what a night!") == "heard"
    assert says(club, "red", "note buy fire, then spread to the west") == "answered"
    assert says(club, "blue", "plan drop least\n\nHello all!") == "planned"
    host.set_clock(table, {"then": "answer", "deadline": "2 days", "reminders": ["1 day"]})
    ticked(club, 1)
    last = the_asked(club).colour
    assert says(club, last, an_order(newest(club)[last])) == "played"
    assert says(club, last, "Oops.\n\nplease take back my move") == "answered"
    for other in ADDRESSES.keys() - {last}:
        assert says(club, other, "agree") == "answered"
    host.away(club, table, "Cy", "2026-12-24", "Dan=dan@sub.example")
    ticked(club, 26)
    assert says(club, "green", "take back") == "answered"
    assert says(club, "red", "news every") == "answered"
    play_on(club, 8)
    host.replace(club, table, "Bob", "Zoe", BOB)
    host.pause(club, table, "a holiday")
    host.resume(club, table)
    host.back(club, table, "Cy")
    ticked(club, 30)
    assert says(club, "green", "note the west is free\n\nI shall be slow this week.") == "answered"
    assert says(club, "blue", "plan drop least\n\nHello again!") == "planned"
    letters(club)


@pytest.fixture
def club(tmp_path: Path) -> MailClub:
    return a_copy(eventful, tmp_path / "club")


def play_on(club: MailClub, turns: int) -> None:
    """Let whoever decides answer; substitutes answer letters, too."""
    end = the_record(club).turn + turns
    while the_record(club).turn < end:
        host.resend(club, a_table(club))
        question = next(mail for mail in letters(club) if mail.asks)
        assert take(club, reply(question, an_order(question))).code in ("played", "planned")


def sections(table: GameFolder) -> dict[str, Any]:
    """Return what is private but the state of the clock."""
    return {name: value for name, value in private.sections(table.private).items() if name != "ticks"}


def changed(path: Path) -> tuple[int, int]:
    """Return what is another after any change of a file, but not after it was read."""
    return path.stat().st_ino, path.stat().st_ctime_ns


@pytest.mark.slow
def test_all_that_was_lost_is_made_again_to_the_byte(club: MailClub, capsys: pytest.CaptureFixture[str]) -> None:
    table = a_table(club)
    before, kept, other = (
        {name: (table.folder / name).read_bytes() for name in FILES},
        sections(table),
        tree(club.folder),
    )
    assert kept.keys() >= {"players", "former", "clock", "notes", "sayings", "plans"}
    for name in FILES:
        (table.folder / name).unlink()

    status = run(["mail", "rebuild", str(club.folder), "friday"])

    assert status == 0
    assert "written again: private.toml, minutes.txt and game.toml" in capsys.readouterr().out
    assert (table.folder / "game.toml").read_bytes() == before["game.toml"]
    assert (table.folder / "minutes.txt").read_bytes() == before["minutes.txt"]
    assert sections(table) == kept, "but the state of the clock"
    assert {path.stat().st_mode & 0o777 for path in (table.private, table.minutes)} == {0o600}
    assert tree(club.folder).keys() == other.keys()
    ticked(club, 31)
    assert {each.waited for each in read_clock(table)[1].questions} == {timedelta()}, "with its full time again"


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_one_lost_file_is_made_again_and_the_others_are_left_alone(club: MailClub, name: str) -> None:
    table = a_table(club)
    path, kept = table.folder / name, sections(table)
    lost, others = path.read_bytes(), {other: changed(table.folder / other) for other in FILES if other != name}
    path.unlink()

    assert run(["mail", "rebuild", str(club.folder), "friday"]) == 0

    assert sections(table) == kept
    assert name == "private.toml" or path.read_bytes() == lost
    assert {other: changed(table.folder / other) for other in others} == others


@pytest.mark.slow
def test_a_game_whose_private_file_is_lost_waits_for_its_rebuild(club: MailClub) -> None:
    table, question = a_table(club), newest(club)["green"]
    table.private.unlink()

    with pytest.raises(NoSuchFile, match="is lost") as lost:
        take(club, reply(question, "hello"))
    assert "rebuild CLUB GAME" in lost.value.hint

    assert run(["mail", "rebuild", str(club.folder), "friday"]) == 0
    assert take(club, reply(question, "hello")).code == "heard"


@pytest.mark.slow
def test_the_host_is_told_what_is_not_as_it_was_left(club: MailClub, capsys: pytest.CaptureFixture[str]) -> None:
    table = a_table(club)
    table.private.write_text(table.private.read_text().replace(ANN, "anna@new.example"))

    assert run(["mail", "rebuild", str(club.folder), "friday", "--json"]) == 0

    shown = json.loads(capsys.readouterr().out)
    assert (shown["restored"], shown["differs"]) == ([], ["players"])


def test_seats_are_made_again_before_a_game_begins(tmp_path: Path) -> None:
    club = a_club(tmp_path / "club")
    open_game(club, "open", (f"Ann={ANN}",), Opening(3), None)
    letters(club)
    take(club, a_mail("zoe@z.example", ADDRESS, "join open Zoe"))
    (asks,) = letters(club)
    assert take(club, reply(asks, "yes")).code == "joined"
    table = a_table(club, "open")

    sections_left = kept_of(table).sections

    assert sections_left == sections(table)
    assert [player.name for player in read_roster(table).players] == ["Ann", "Zoe"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        '{"minutes": 3}',
        '{"minutes": null}',
        '{"minutes": [0, 0, [1]]}',
        '{"minutes": [0, 0, ["nobody wrote that"]]}',
        '{"minutes": [9999, 0, ["2026-11-21T12:00:00Z 6/00000000 red says Hello\\n"]]}',
        '{"private": [1]}',
        '{"private": {"plans": [null]}}',
        '{"private": {"players": "Ann"}}',
        '{"private": {"players": []}}',
        '{"private": {"sayings": [0, 0, "Hello"]}}',
        '{"private": ',
        "[]",
        "\0",
    ],
)
def test_nothing_is_written_from_damaged_lines(club: MailClub, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    table = a_table(club)
    with table.changes.open("a") as changes:
        changes.write(f"{line}\n")
    for path in (table.private, table.minutes):
        path.unlink()

    assert run(["mail", "rebuild", str(club.folder), "friday"]) == Broken.exit_status

    assert "changes.ndjson is damaged, or a line of it is missing" in capsys.readouterr().err
    assert not table.private.exists()
    assert not table.minutes.exists()


@pytest.mark.slow
def test_a_missing_line_is_told(club: MailClub) -> None:
    table = a_table(club)
    lines = table.changes.read_bytes().splitlines(keepends=True)
    said = next(number for number, line in enumerate(lines) if b'"minutes"' in line)

    for left in ([], lines[:said] + lines[said + 1 :]):
        table.changes.write_bytes(b"".join(left))
        with pytest.raises(Broken, match=r"or a line of it is missing"):
            kept_of(table)


@pytest.mark.slow
def test_a_line_that_was_cut_off_was_no_change(club: MailClub) -> None:
    table = a_table(club)
    kept = kept_of(table)
    with table.changes.open("a") as changes:
        changes.write('{"private": {"paused": "a holi')

    assert kept_of(table) == kept


@pytest.mark.slow
def test_a_game_has_its_minutes_again_before_anybody_can_use_it(
    club: MailClub, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = a_table(club)
    for path in (table.private, table.minutes):
        path.unlink()

    def fails(path: Path, text: str, mode: int = 0o666) -> None:
        assert path == table.minutes
        raise CannotCreate("the disk is full", path=str(path))

    monkeypatch.setattr(files, "create", fails)

    with pytest.raises(CannotCreate):
        restored(table, kept_of(table))
    assert not table.private.exists()


@pytest.mark.slow
def test_a_game_is_not_made_again_from_a_journal_that_misses_the_last_messages(club: MailClub) -> None:
    table = a_table(club)
    rows = table.journal.read_bytes().splitlines(keepends=True)
    last = max(number for number, row in enumerate(rows) if json.loads(row).get("code") == "played")
    table.journal.write_bytes(b"".join(rows[:last]))
    table.game.unlink()

    with pytest.raises(Broken, match="the journal is damaged: it does not name 00"):
        restore(club, table)

    assert not table.game.exists()

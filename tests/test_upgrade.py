"""Clubs that the first version has made, in ``older_clubs``: upgraded, and played on in."""

import shutil
from pathlib import Path
from typing import Final

import pytest
from clubs import a_table, an_order, kept, the_asked, the_record
from fitting import runner
from people import delivered, nothing_quoted, reply
from scenarios import files_of

from pbem import loading
from pbem.carriers.mail.settings import read_club
from pbem.carriers.mail.take import take
from pbem.cli.app import run
from pbem.club.folder import read_roster
from pbem.club.journal import journal_rows

OLDER: Final = Path(__file__).parent / "older_clubs"


@pytest.fixture
def club(tmp_path: Path) -> Path:
    """A club by mail: a game in its first round, in which Cara is away, and one that waits for players."""
    made = Path(shutil.copytree(OLDER / "mail", tmp_path / "club"))
    for empty in ("outbox/cur", "outbox/tmp", "inbox/new", "inbox/cur", "inbox/tmp", "strangers"):  # git keeps none
        (made / empty).mkdir(parents=True, exist_ok=True)
    return made


def test_a_club_is_upgraded_with_all_that_it_knows(club: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = loading.load(club / "games" / "friday" / "game.toml").record
    before = files_of(club)

    (told,) = runner("mail", capsys)("mail", "upgrade", str(club))

    assert (told["games"], told["dropped"]) == (["friday", "saturday"], ["friday"])
    found = read_club(club)
    friday, saturday = a_table(found), a_table(found, "saturday")
    assert the_record(found) == record
    assert friday.minutes.read_text().endswith("14/94051cb3 green is away, and lets a substitute play\n")
    assert {player.name: player.reader for player in read_roster(friday).players} == {
        "Ann": "ann@example.org",
        "Bob": "bob@example.net",
        "Cara": "dora@example.org",
    }
    assert "tea at four" in kept(friday, "notes")
    assert "always drop least" in kept(friday, "plans")
    assert "Hello everybody!" in kept(friday, "sayings")
    assert "2026-11-26T10:00:00Z" in kept(friday, "ticks")
    assert [player.name for player in read_roster(saturday).players] == ["Dan"]
    assert len(list(friday.taken_back.iterdir())) == 1
    assert len(list(journal_rows(friday.journal))) == before["games/friday/journal.ndjson"].count(b"\n")
    assert (club / "club.toml").read_text().startswith("# our club, since 2026\n")
    older = ("players", "plans", "notes", "talk", "ticks", "wish", "begun")
    assert not {*files_of(club)} & {f"games/friday/{name}.toml" for name in older}


def test_the_game_goes_on_with_an_answer_to_an_older_letter(club: Path) -> None:
    letters = {mail.to: mail for mail in delivered(club)}
    assert run(["mail", "upgrade", str(club)]) == 0
    found = read_club(club)
    asked = the_asked(found)

    assert (
        take(found, reply(letters[asked.reader], an_order(letters[asked.reader]), beneath=nothing_quoted)).code
        == "played"
    )
    assert run(["mail", "rebuild", str(club), "friday"]) == 0
    assert run(["mail", "upgrade", str(club)]) == 0


def test_a_club_without_mail_is_upgraded_too(tmp_path: Path) -> None:
    club = Path(shutil.copytree(OLDER / "folders", tmp_path / "club"))

    assert run(["club", "upgrade", str(club)]) == 0
    (club / "players" / "Ann" / "answers").mkdir(exist_ok=True)
    (club / "players" / "Ann" / "answers" / "1.txt").write_text("help")
    assert run(["club", "run", str(club)]) == 0
    assert any("Write" in path.read_text() for path in (club / "players" / "Ann" / "letters").iterdir())


@pytest.mark.parametrize(
    ("wrong", "status"),
    [("change", 75), ("notes", 65), ("format", 65), ("nothing", 66), ("talk", 65), ("nobody", 65), ("last", 65)],
    ids=str,
)
def test_a_club_that_cannot_be_upgraded_stays_as_it_is(club: Path, wrong: str, status: int) -> None:
    friday = club / "games" / "friday"
    match wrong:
        case "change":
            (friday / "pending").mkdir()
            (friday / "pending" / "plan.json").write_text("{}")
        case "talk":
            (friday / "talk.toml").write_text('sayings = "x"\n')
        case "nobody":
            (friday / "players.toml").write_text("x = 1\n")
        case "last":  # no game is changed before all can be
            shutil.copytree(friday, club / "games" / "zed")
            (club / "games" / "zed" / "game.toml").write_text("nonsense")
        case "notes":
            (friday / "notes.toml").write_text('notes = ["tea"]\n')
        case "format":
            (club / "club.toml").write_text('format = "pbem-club/3"\n')
        case _:
            (club / "club.toml").unlink()
    before = files_of(club)

    assert run(["mail", "upgrade", str(club)]) == status

    assert files_of(club) == before


def test_a_backup_of_an_older_club_can_be_restored_and_upgraded(
    club: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["mail", "backup", str(club), str(tmp_path / "club.tar.gz")]) == 0
    assert run(["mail", "restore", str(tmp_path / "club.tar.gz"), str(tmp_path / "copy")]) == 0

    assert f"pbem mail upgrade {tmp_path / 'copy'}" in capsys.readouterr().out
    assert run(["mail", "upgrade", str(tmp_path / "copy")]) == 0

"""How a club is, as its last run has left it, and what a program says to the service manager that runs it."""

import json
import socket
from datetime import timedelta
from pathlib import Path

import pytest
from clubs import ADDRESS, START, a_club, letters
from forked import run_program
from people import a_mail, drop

from pbem.carriers import folders
from pbem.carriers.mail.outgoing import maildir
from pbem.carriers.mail.settings import MailClub, WayIn, WayOut
from pbem.cli import mail as mail_commands
from pbem.club.deadlines import tick_all
from pbem.club.settings import club_text
from pbem.club.upkeep.health import health_line, health_of, health_row, note_health
from pbem.club.upkeep.service import tell_manager
from pbem.errors import TryAgain


@pytest.fixture
def club(tmp_path: Path) -> MailClub:
    return a_club(tmp_path / "club")


def at(hour: int) -> str:
    return f"2026-11-21T{hour}:00:00Z"


def set_way_out(club: MailClub, out: WayOut) -> None:
    (club.folder / "club.toml").write_text(club_text(club.changed(outgoing=out)))


def note(club: MailClub, hour: int, *troubles: str, looked: bool = True, sent: bool = True) -> None:
    note_health(club, START.replace(hour=hour), list(troubles), looked=looked, sent=sent)


def test_a_club_is_well_since_the_first_run_without_trouble(club: MailClub) -> None:
    assert health_row(club)["well"] is None

    note(club, 12)
    note(club, 13)
    row = health_row(club)
    assert (row["well"], row["since"], row["looked"], row["sent"]) == (True, at(12), at(13), at(13))

    note(club, 14, "the server is away", looked=False)
    note(club, 15, "the server is away", looked=False, sent=False)
    row = health_row(club)
    assert (row["well"], row["since"], row["looked"], row["sent"]) == (False, at(14), at(13), at(14))
    assert health_line(club) == (
        "\nsomething has been wrong since Sat 21 Nov, 14:00 UTC: the server is away\n"
        "pbem mail doctor CLUB says what to do"
    )

    note(club, 16)
    assert (health_row(club)["well"], health_row(club)["since"]) == (True, at(16))
    assert health_line(club) == ""


def test_a_clock_that_stands_still_is_trouble_where_somebody_asks(club: MailClub) -> None:
    doctor = "\npbem mail doctor CLUB says what to do"
    assert health_line(club, START) == ""  # nothing is to send its letters
    sending = club.changed(outgoing=WayOut("smtp", "127.0.0.1", 1, "none"))
    assert health_line(sending, START) == f"\nthe clock has never ticked: nobody is reminded{doctor}"
    assert health_row(sending, START)["well"] is False

    list(tick_all(club, START))
    late = START + timedelta(hours=3)
    told = "the clock has not ticked since Sat 21 Nov, 12:00 UTC: nobody is reminded"
    assert health_line(club, START + timedelta(hours=1)) == health_line(club) == ""
    assert health_line(club, late) == f"\n{told}{doctor}"
    assert health_row(club, late)["troubles"] == [told]
    told_at = ("mail", "status", club.folder, "--now", late.isoformat())
    assert told in run_program(*told_at).stdout
    assert json.loads(run_program(*told_at, "--json").stdout)["health"]["troubles"] == [told]

    note(club, 12, "the server is away")
    said = health_line(club, late).splitlines()
    assert [line[:20] for line in said] == [
        "",
        "something has been w",
        "the clock has not ti",
        "nothing has looked f",
        "pbem mail doctor CLU",
    ]


def test_letters_that_are_rejected_are_trouble_until_the_host_has_dealt_with_them(club: MailClub) -> None:
    maildir.make(club.outbox / ".failed")
    letter = next((club.outbox / "new").iterdir())
    letter.rename(club.outbox / ".failed" / "new" / letter.name)

    assert run_program("mail", "run", club.folder, "--once").returncode == 0
    row = health_row(club)
    assert (row["well"], row["troubles"]) == (False, ["1 letter was rejected permanently"])
    assert row["sent"] is None  # nothing was

    assert (
        "is in the outbox again; the next pbem mail run or pbem mail send sends it"
        in run_program("mail", "retry", club.folder).stdout
    )
    run_program("mail", "run", club.folder, "--once")
    assert health_row(club)["well"] is True


@pytest.mark.parametrize(("password", "status"), [(None, 66), ("", 65)])
def test_a_run_that_ends_with_an_error_is_trouble(club: MailClub, password: str | None, status: int) -> None:
    note(club, 12)
    path = club.folder / "secret"
    if password is not None:
        path.write_text(password)
    there = WayIn("imap", "INBOX", "127.0.0.1", 1, "none", "pbem", "", str(path))
    (club.folder / "club.toml").write_text(club_text(club.changed(incoming=there)))

    assert run_program("mail", "run", club.folder, "--once").returncode == status

    row = health_row(club)
    assert row["well"] is False
    assert "secret" in row["troubles"][0]


def test_a_club_that_nothing_runs_any_more_is_not_well(club: MailClub) -> None:
    note(club, 12)

    assert health_row(club, START.replace(hour=13))["well"] is True
    row = health_row(club, START.replace(hour=15))
    assert (row["well"], row["since"]) == (False, at(12))
    assert row["troubles"] == ["nothing has looked for messages since Sat 21 Nov, 12:00 UTC"]

    path = club.folder / "health.toml"
    path.write_text(path.read_text().replace("2026", "2020"))
    told = run_program("mail", "status", club.folder, "--json").stdout
    assert json.loads(told)["health"]["well"] is False


def test_a_damaged_file_says_nothing_and_is_written_again(club: MailClub) -> None:
    (club.folder / "health.toml").write_text("what is this")
    assert health_row(club)["well"] is None

    note(club, 12)
    assert health_of(club).since == at(12)


def test_a_run_tells_what_went_well(club: MailClub) -> None:
    set_way_out(club, WayOut("smtp", "127.0.0.1", 1, "none"))
    done = run_program("mail", "run", club.folder, "--once")
    assert done.returncode == 75
    assert "pbem mail doctor CLUB says what is wrong" in done.stderr

    row = json.loads(run_program("mail", "status", club.folder, "--json").stdout)["health"]
    assert row["well"] is False
    assert row["looked"] is not None
    assert row["sent"] is row["ticked"] is None
    assert "cannot connect to the mail server 127.0.0.1:1" in row["troubles"][0]
    assert "something has been wrong since" in run_program("mail", "status", club.folder).stdout


def test_a_club_of_files_has_it_too(tmp_path: Path) -> None:
    folders.create(tmp_path / "club", "Eve")
    run_program("club", "run", tmp_path / "club", "--now", at(12))

    row = json.loads(run_program("club", "status", tmp_path / "club", "--json").stdout)["health"]

    assert row["well"] is True
    assert row["ticked"] == at(12)
    assert row["looked"] == row["sent"] == row["since"] is not None


@pytest.mark.needs("linux")
@pytest.mark.parametrize("abstract", [False, True])
def test_the_service_manager_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, abstract: bool) -> None:
    name = f"@{tmp_path.name}-pbem" if abstract else str(tmp_path / "s")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as door:
        door.bind(name.replace("@", "\0"))
        door.settimeout(60)
        monkeypatch.setenv("NOTIFY_SOCKET", name)
        tell_manager("READY=1", "WATCHDOG=1")
        assert door.recv(100) == b"READY=1\nWATCHDOG=1"


@pytest.mark.parametrize("name", ["", "nowhere", "/nowhere/at/all"])
def test_nothing_happens_where_no_service_manager_listens(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", name)
    tell_manager("READY=1")


def test_a_log_has_a_line_for_each_mail_and_no_address(club: MailClub) -> None:
    """What a server has said may have one; --addresses shows it."""
    for number in range(2):
        drop(club.folder, a_mail(f"eve{number}@evil.example", ADDRESS, "hello"), str(number))
    assert letters(club)

    done = run_program("mail", "run", club.folder, "--once")

    assert [line.partition(",")[0] for line in done.stdout.splitlines()[:2]] == ["stranger", "stranger"]
    assert "@" not in done.stdout + done.stderr


@pytest.mark.parametrize("journal", ["", "8:123"])
def test_a_trouble_is_one_line_of_a_log(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], journal: str
) -> None:
    monkeypatch.setenv("JOURNAL_STREAM", journal)
    said = "1 letter is still queued: 450 4.2.1 <ann@x.example>: not now,\nbob@y.example neither"
    trouble = TryAgain(said, hint="wait")

    mail_commands._log(trouble, addresses=False)
    mail_commands._log(trouble, addresses=True)

    bare, full = capsys.readouterr().err.splitlines()
    level = "<4>" if journal else ""
    assert bare == (
        f"{level}try-again: 1 letter is still queued: 450 4.2.1 <(an address)>: not now, (an address) neither (wait)"
    )
    assert full == f"{level}try-again: {' '.join(said.split())} (wait)"

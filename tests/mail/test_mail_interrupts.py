"""A signal never loses a mail, and what was done before it is told."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from clubs import a_club, a_table, an_order, letters, the_record
from people import drop, reply
from strokes import WRITING, Call, calls_of, struck

from pbem import __main__ as program
from pbem import interrupts
from pbem.carriers.mail import take  # noqa: F401 -- read before a child is forked
from pbem.carriers.mail.settings import MailClub


@pytest.fixture
def club(tmp_path: Path) -> MailClub:
    """A club in which a game has just begun."""
    return a_club(tmp_path / "club")


def command(club: MailClub, *words: str, mail: bytes = b"") -> Callable[[], None]:
    """Return the program as a piece of work; what it says goes to files beside the club."""
    (club.folder.parent / "in").write_bytes(mail)

    def work() -> None:
        sys.stdin, sys.stdout, sys.stderr = (
            (club.folder.parent / name).open(mode, encoding="utf-8")
            for name, mode in (("in", "r"), ("out", "w"), ("err", "w"))
        )
        sys.argv = ["pbem", "mail", *words]
        program.main()

    return work


def ends(club: MailClub, work: Callable[[], None], folder: Path, every: int = 2) -> list[tuple[Call, int, int, str]]:
    """Interrupt the work at system calls that write, and at few that open what it reads.

    Returns each with status, turn, and what was said of it.
    """
    saved = shutil.copytree(club.folder, folder / "saved")
    calls = calls_of(work, folder / "log")
    heeds = [number for number, call in enumerate(calls) if call.name == "rt_sigaction"][2]
    found = []
    heeded = [call for call in calls[heeds + 1 :] if call.name in {*WRITING, "flock"}]
    writing, other = (
        [call for call in heeded if (call.writes or call.name == "flock") == is_so] for is_so in (True, False)
    )
    for call in (*other[:: 10 * every], *writing[::every]):
        shutil.rmtree(club.folder)
        shutil.copytree(saved, club.folder)
        status = struck(work, call, "signal=TERM")
        complaint = (folder / "err").read_text(encoding="utf-8")
        found.append((call, status, the_record(club).turn, complaint))
    return found


@pytest.mark.slow
@pytest.mark.needs("strace")
def test_a_mail_that_was_not_dealt_with_comes_again_and_one_that_was_does_not(club: MailClub, tmp_path: Path) -> None:
    """A server would send it back for any other status, and bring it again for 75."""
    asked = next(mail for mail in letters(club) if mail.asks)
    work = command(club, "take", str(club.folder), mail=reply(asked, an_order(asked)))

    found = ends(club, work, tmp_path)

    assert {(status, turn) for _, status, turn, _ in found} == {(75, 0), (0, 1)}
    told = "pbem: interrupted, but the game friday was changed: played\n"
    assert told in {complaint for *_, complaint in found}


@pytest.mark.slow
@pytest.mark.needs("strace")
def test_who_answers_for_a_player_learns_that_it_was_done(club: MailClub, tmp_path: Path) -> None:
    asked = next(mail for mail in letters(club) if mail.asks)
    work = command(club, "answer", str(club.folder), "friday", an_order(asked))

    found = ends(club, work, tmp_path)

    told = "pbem: interrupted, but the game friday was changed: played\n"
    assert {(status, turn) for _, status, turn, _ in found} == {(interrupts.INTERRUPTED, 0), (0, 1)}
    assert {complaint for _, _, turn, complaint in found if turn == 1} <= {told, ""}
    assert told in {complaint for *_, complaint in found}


@pytest.mark.slow
@pytest.mark.needs("strace")
def test_who_stops_a_run_reads_what_was_dealt_with_and_the_rest_waits(club: MailClub, tmp_path: Path) -> None:
    asked = next(mail for mail in letters(club) if mail.asks)
    drop(club.folder, reply(asked, an_order(asked)), "1")
    drop(club.folder, reply(asked, "what is this"), "2")
    work = command(club, "run", str(club.folder), "--once")

    found = ends(club, work, tmp_path, every=5)

    assert {status for _, status, _, _ in found} <= {75, interrupts.INTERRUPTED, 0}
    stopped = [complaint for _, status, turn, complaint in found if status == 75 and turn == 1]
    assert any("interrupted" in complaint and "processed, 0 letters sent" in complaint for complaint in stopped)


def test_who_watches_ends_at_the_first_signal(club: MailClub) -> None:
    """Also when the last mail has changed a game."""
    asked = next(mail for mail in letters(club) if mail.asks)
    drop(club.folder, reply(asked, an_order(asked)), "1")
    line = [sys.executable, "-m", "pbem", "mail", "run", str(club.folder), "--watch"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert "watching" in process.stdout.readline()
        assert "played" in process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        complaint = process.communicate(timeout=60)[1]

    assert process.returncode == interrupts.INTERRUPTED
    assert "Traceback" not in complaint
    assert a_table(club).game.exists()
    assert os.listdir(club.folder / "inbox" / "new") == []  # noqa: PTH208

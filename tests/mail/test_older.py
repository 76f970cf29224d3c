"""Mail that is older than the club is never touched, unless the host says so; a real server is asked too."""

import json
import os
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from clubs import ADDRESS, HOST, START, a_club, a_table, an_order, has_ticked, letters, the_record, tree
from forked import run_program
from imap_tools import MailBoxUnencrypted
from people import a_mail, drop, on_the_wire, reply
from servers import DOMAIN, PASSWORD, Devel, Dovecot
from servers import HOST as LOOPBACK

from pbem.carriers.mail.incoming import mailbox as inbox
from pbem.carriers.mail.service import run_once, watched
from pbem.carriers.mail.settings import MailClub, WayIn, read_club
from pbem.carriers.mail.setup import create
from pbem.carriers.mail.strangers import tally
from pbem.club.settings import club_text
from pbem.club.status import rows_of
from pbem.table.clock import timestamp

USER = "pbem"
OLD = a_mail("eve@e.example", ADDRESS, "hello")
DAY = timedelta(days=1)


def pbem(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return run_program("mail", *arguments)


def made_at(club: MailClub, at: datetime) -> MailClub:
    """Return the club as if it was made at that time."""
    (club.folder / "club.toml").write_text(club_text(club.changed(since=timestamp(at))))
    return read_club(club.folder)


@pytest.fixture
def club(tmp_path: Path) -> MailClub:
    """A club that was made at ``START`` and answers strangers, with a game that has begun."""
    return made_at(a_club(tmp_path / "club"), START)


def lay(club: MailClub, name: str, at: datetime, raw: bytes = OLD) -> Path:
    """Put a mail into the Maildir, delivered at that time."""
    drop(club.folder, raw, name)
    path = club.folder / "inbox" / "new" / name
    os.utime(path, (at.timestamp(), at.timestamp()))
    return path


def kept(folder: Path) -> dict[str, tuple[bytes, float]]:
    """Return every mail below a folder, with its name, its bytes and its time."""
    paths = (path for path in folder.rglob("*") if path.is_file() and "dovecot" not in path.name)
    return {str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime) for path in paths}


def test_init_notes_when_the_club_is_made(tmp_path: Path) -> None:
    before = datetime.now(UTC).replace(microsecond=0)
    assert pbem("init", tmp_path / "club", "--address", ADDRESS, "--host", HOST).returncode == 0

    since = read_club(tmp_path / "club").since

    assert timestamp(before) <= since <= timestamp(datetime.now(UTC))
    assert create(tmp_path / "another", ADDRESS, HOST).since == ""


# A Maildir


@pytest.mark.parametrize(("days", "codes"), [(-1, {}), (1, {"stranger": 1})])
def test_old_mail_that_a_program_has_moved_is_left(club: MailClub, days: int, codes: dict[str, int]) -> None:
    path = lay(club, "1", START + days * DAY)
    path.rename(club.folder / "inbox" / "cur" / "1:2,")

    assert run_once(club).codes == codes


def test_old_mail_in_a_maildir_is_left_and_new_mail_is_taken(club: MailClub) -> None:
    question = next(mail for mail in letters(club) if mail.asks)
    for number in range(3):
        lay(club, f"{number}", START - number * DAY - timedelta(seconds=1))
    lay(club, "of-the-second", START)
    before = kept(club.folder / "inbox")
    games = tree(club.games)
    lay(club, "order", START + DAY, reply(question, an_order(question)))

    first, second = run_once(club), run_once(club)

    assert (first.codes, first.older) == ({"played": 1, "stranger": 1}, 3)
    assert (second.codes, second.older) == ({}, 0)
    del before["new/of-the-second"]
    after = kept(club.folder / "inbox")
    assert before == {name: after[name] for name in before}
    assert tree(club.games) != games
    assert len(club.journal.read_text().splitlines()) == 1


@pytest.mark.parametrize(
    ("name", "written"),
    [
        (f"{int((START - DAY).timestamp())}.M1P2.mx", START + DAY),  # a copy, as of a backup
        (f"{int((START + DAY).timestamp())}.M1P2.mx", START - DAY),  # fetched now, with the time that it had
    ],
)
def test_a_copy_of_old_mail_is_old(club: MailClub, name: str, written: datetime) -> None:
    path = lay(club, name, written)

    done = run_once(club)

    assert (done.codes, done.older) == ({}, 1)
    assert path.exists()


def test_take_old_takes_it_once(club: MailClub) -> None:
    letters(club)
    for number in range(3):
        lay(club, f"{number}", START - number * DAY, a_mail(f"{number}@e.example", ADDRESS, "hello"))

    first = pbem("run", club.folder, "--once")
    again = pbem("run", club.folder, "--once")
    status = pbem("status", club.folder)
    took = pbem("run", club.folder, "--once", "--take-old", "--now", "2026-11-22T12:00:00Z")
    after = pbem("run", club.folder, "--once", "--json")

    told = (
        "2 messages are older than the club and were left alone; pbem mail run CLUB --once --take-old processes them\n"
    )
    assert first.stdout.startswith(told)
    assert "stranger" in first.stdout  # that of the very second
    assert told not in again.stdout
    assert told in status.stdout
    assert took.stdout.count("stranger, told what this is\n") == 2
    assert json.loads(after.stdout)["older"] == 0
    assert list((club.folder / "inbox" / "new").iterdir()) == []
    assert "older" not in pbem("status", club.folder).stdout


def test_all_old_mail_together_gets_the_letters_of_one_day(club: MailClub) -> None:
    letters(club)
    club = made_at(club.changed(strangers_a_day=2), START)
    for number in range(5):
        lay(club, f"{number}", START - (number + 1) * DAY, a_mail(f"{number}@e.example", ADDRESS, "hello"))

    took = pbem("run", club.folder, "--once", "--take-old")

    assert took.stdout.count("stranger, told what this is\n") == 2
    assert took.stdout.count("silent, the limit of letters to strangers for this day is reached\n") == 3


def test_take_old_goes_with_once(club: MailClub) -> None:
    done = pbem("run", club.folder, "--watch", "--take-old")

    assert done.returncode == 2
    assert "use --take-old only with --once" in done.stderr


def test_the_host_is_told_again_only_of_more(club: MailClub) -> None:
    told = []
    for names in (["a", "b"], [], ["c"]):
        for name in names:
            lay(club, name, START - DAY)
        told.append(run_once(club).older)
    (club.folder / "inbox" / "new" / "a").unlink()

    assert [*told, run_once(club).older] == [2, 0, 3, 0]
    assert tally.older_mails(club).mails == 2


def test_old_mail_does_not_stop_the_clock_or_wake_who_watches(club: MailClub) -> None:
    path = lay(club, "a", START - DAY)
    path.chmod(0)
    done = run_once(club, START)

    assert (done.troubles, done.older) == ((), 1)
    assert has_ticked(a_table(club))
    with inbox.opened(club) as box:
        assert list(box.mails()) == []
        assert isinstance(box, inbox.Maildir)
        assert box.seen == {"new/a"}


def test_trouble_with_the_number_of_old_mail_keeps_no_new_mail_waiting(club: MailClub) -> None:
    lay(club, "old", START - DAY)
    lay(club, "new", START)
    (club.folder / "older.toml").write_text("nothing")

    done = run_once(club)

    assert done.codes == {"stranger": 1}
    assert [trouble.code for trouble in done.troubles] == ["not-understood"]


def test_letters_go_out_although_the_mailbox_is_gone(club: MailClub) -> None:
    (club.folder / "inbox").rename(club.folder / "gone")

    done = run_once(club, START)

    assert [trouble.code for trouble in done.troubles] == ["no-such-file"]
    assert done.sent.left == 3


def test_a_club_from_before_there_was_a_time_takes_all_mail(club: MailClub) -> None:
    (club.folder / "club.toml").write_text(club_text(club.changed(since="")))
    lay(club, "a", START - 1000 * DAY)

    assert run_once(read_club(club.folder)).codes == {"stranger": 1}


# IMAP


def append(dovecot: Dovecot, at: datetime, raw: bytes = OLD, flags: str | None = None) -> None:
    with MailBoxUnencrypted(LOOPBACK, dovecot.imap).login(USER, PASSWORD) as box:
        box.append(on_the_wire(raw), "INBOX", dt=at, flag_set=[flags] if flags else None)


def fetching(club: MailClub, port: int, user: str = USER) -> MailClub:
    (club.folder / "password").write_text(f"{PASSWORD}\n")
    there = WayIn("imap", "INBOX", LOOPBACK, port, "none", user, password_file=str(club.folder / "password"))
    (club.folder / "club.toml").write_text(club_text(club.changed(incoming=there)))
    return read_club(club.folder)


@pytest.mark.slow
def test_old_mail_on_a_server_keeps_its_flags_byte_by_byte(club: MailClub, dovecot: Dovecot) -> None:
    club = fetching(club, dovecot.imap)
    question = next(mail for mail in letters(club) if mail.asks)
    for number in range(40):
        append(dovecot, START - number * DAY - timedelta(seconds=1), flags=r"\Flagged" if number % 2 else None)
    append(dovecot, START - timedelta(seconds=1), reply(question, "offer 1"))
    before = kept(dovecot.homes)
    append(dovecot, START + DAY, reply(question, an_order(question)))
    append(dovecot, START, OLD)

    first, second = run_once(club), run_once(club)

    assert (first.codes, first.older) == ({"played": 1, "stranger": 1}, 41)
    assert (second.codes, second.older) == ({}, 0)
    after = kept(dovecot.homes)
    assert before == {name: after[name] for name in before}
    assert len(after) == len(before) + 2
    assert the_record(club).turn == 1
    assert next(rows_of(club))["turn"] == 1


def test_mail_that_is_delivered_to_a_new_club_is_new(tmp_path: Path, dovecot: Dovecot) -> None:
    club = made_at(fetching(a_club(tmp_path / "new"), dovecot.imap), datetime.now(UTC))
    dovecot.deliver(f"{USER}@{DOMAIN}", on_the_wire(OLD), "eve@e.example")

    assert run_once(club).codes == {"stranger": 1}


def test_take_old_takes_it_from_a_server_too(club: MailClub, dovecot: Dovecot) -> None:
    club = fetching(club, dovecot.imap)
    for number in range(2):
        append(dovecot, START - number * DAY, a_mail(f"{number}@e.example", ADDRESS, "hello"))
    append(dovecot, START - 3 * DAY, a_mail("root@e.example", ADDRESS, "cron"))

    first = pbem("run", club.folder, "--once", "--json")
    took = pbem("run", club.folder, "--once", "--take-old", "--json")
    after = pbem("run", club.folder, "--once", "--json")

    answers = [json.loads(done.stdout) for done in (first, took, after)]
    assert [answer["older"] for answer in answers] == [2, 0, 0]
    assert [answer["codes"] for answer in answers] == [{"stranger": 1}, {"stranger": 1, "spam": 1}, {}]


def test_who_watches_is_told_of_old_mail_once(club: MailClub, dovecot: Dovecot) -> None:
    club = fetching(club, dovecot.imap)
    append(dovecot, START - DAY)
    rounds = watched(club, 0.05)

    assert [next(rounds).older for _ in range(3)] == [1, 0, 0]
    rounds.close()


def test_a_flag_of_junk_is_respected(club: MailClub, dovecot: Dovecot) -> None:
    club = fetching(club, dovecot.imap)
    question = next(mail for mail in letters(club) if mail.asks)
    append(dovecot, START + DAY, flags="$Junk")
    append(dovecot, START + DAY, reply(question, an_order(question)), "$Junk")
    append(dovecot, START + DAY, a_mail("fay@e.example", ADDRESS, "hello"), "$NotJunk")

    assert run_once(club).codes == {"spam": 1, "played": 1, "stranger": 1}


def test_another_server_tells_the_time_of_its_mail_too(club: MailClub, devel: Devel) -> None:
    club = fetching(club, devel.imap, ADDRESS)
    with MailBoxUnencrypted(LOOPBACK, devel.imap).login(ADDRESS, PASSWORD) as box:
        box.append(OLD, "INBOX", dt=START - DAY)
        box.append(OLD, "INBOX", dt=START + DAY)

    done = run_once(club)

    assert (done.codes, done.older) == ({"stranger": 1}, 1)

"""A club that belongs to another user, or a disk that cannot be written, is a clear error and no bug of ours."""

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from clubs import ADDRESS, START, a_club, a_table, an_order, has_ticked, letters, the_record
from nobody import as_nobody
from people import a_mail, drop, reply
from servers import Sink

from pbem import files
from pbem.carriers.mail.incoming import mailbox as inbox
from pbem.carriers.mail.outgoing import outbox
from pbem.carriers.mail.service import clocked, run_once
from pbem.carriers.mail.settings import WayOut
from pbem.errors import Bug, CannotCreate, CannotWrite, PbemError, TryAgain

HELLO = a_mail("eve@evil.example", ADDRESS, "hello")


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (errno.EACCES, CannotCreate),
        (errno.EPERM, CannotCreate),
        (errno.EROFS, CannotCreate),
        (errno.ENOSPC, TryAgain),
        (errno.EIO, CannotWrite),
        (errno.ENOENT, Bug),
    ],
)
def test_what_nobody_was_prepared_for_is_what_it_is(number: int, kind: type[PbemError]) -> None:
    assert type(files.unexpected(OSError(number, "No", "club/inbox"))) is kind


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "status"),
    [
        ("take CLUB", 75),
        ("run CLUB --once", 73),
        ("send CLUB", 73),
        ("tick CLUB --now 2026-11-21T12:00:00Z", 73),
        ("status CLUB", 73),
        ("resend CLUB friday", 73),
        ("new CLUB monday Ann=ann@x.example Bob=bob@x.example", 73),
        ("init CLUB --address pbem@example.org --host you@example.org", 73),
    ],
)
def test_the_club_of_another_user_is_told(open_folder: Path, nobody_python: str, words: str, status: int) -> None:
    club = a_club(open_folder / "club")
    command = [nobody_python, "-m", "pbem", "mail", *words.replace("CLUB", str(club.folder)).split(), "--json"]

    done = as_nobody(command, input=HELLO)

    assert done.returncode == status, done
    assert "cannot be used: permission denied" in json.loads(done.stdout)["message"]
    assert b"own the folder" in done.stderr + done.stdout


@pytest.mark.slow
def test_the_doctor_says_what_mends_a_club_that_root_has_made(open_folder: Path, nobody_python: str) -> None:
    def told() -> str:
        done = as_nobody([nobody_python, "-m", "pbem", "mail", "doctor", str(club.folder)])
        assert done.returncode == 1, done
        return done.stdout.decode()

    club = a_club(open_folder / "club")
    private = club.games / "friday" / "private.toml"
    found = told()
    assert f"failed   owner: {club.folder} belongs to root, and you are nobody\n" in found
    assert f"         -> as root: chown -R nobody {club.folder}\n" in found

    subprocess.run(["chown", "-R", "nobody", club.folder], check=True)
    os.chown(private, 0, -1)
    found = told()
    assert f"game cannot be read: {private} cannot be used: permission denied\n" in found
    assert "rebuild" not in found

    os.chown(private, 65534, -1)
    private.chmod(0)
    assert f"         -> chmod u+rwX {private}\n" in told()


WRITING = (
    "take CLUB",
    "take CLUB --send",
    "run CLUB --once",
    "run CLUB --watch",
    "send CLUB",
    "tick CLUB --now 2026-11-21T12:00:00Z",
    "answer CLUB friday",
    "absent CLUB friday Ann",
    "back CLUB friday Ann",
    "replace CLUB friday Ann Eve=eve@x.example",
    "pause CLUB friday",
    "resume CLUB friday",
    "clock CLUB friday --then bot",
    "takeback CLUB friday",
    "resend CLUB friday",
    "rebuild CLUB friday",
    "retry CLUB",
    "new CLUB monday Ann=ann@x.example Bob=bob@x.example",
)


def about(path: Path) -> tuple[int, ...]:
    """Return what somebody has changed of a file, and not when it was read."""
    found = path.lstat()
    return (*found[:7], found.st_mtime_ns)


@pytest.mark.parametrize("words", [*WRITING, "init CLUB --address pbem@example.org --host you@example.org"])
@pytest.mark.needs("root")
def test_root_changes_nothing_in_the_club_of_another_user(open_folder: Path, words: str) -> None:
    """What root writes the club's own user could not use."""
    club = a_club(open_folder / "club")
    if words.startswith("init"):
        (club.folder / "club.toml").unlink()
    subprocess.run(["chown", "-R", "nobody", club.folder], check=True)
    before = {path: about(path) for path in sorted(open_folder.rglob("*"))}
    line = [sys.executable, "-m", "pbem", "mail", *words.replace("CLUB", str(club.folder)).split()]

    done = subprocess.run(line, input=HELLO, capture_output=True, check=False, timeout=60)

    assert done.returncode == (75 if words.startswith("take ") else 73), done
    assert f"{club.folder} belongs to nobody, and you are root".encode() in done.stderr
    assert b"sudo -u nobody pbem ..." in done.stderr
    assert {path: about(path) for path in sorted(open_folder.rglob("*"))} == before
    assert not done.stdout


@pytest.mark.parametrize(("command", "exit_status"), [("status", 0), ("doctor", 1)])
@pytest.mark.needs("root")
def test_root_may_look_at_the_club_of_another_user(open_folder: Path, command: str, exit_status: int) -> None:
    club = a_club(open_folder / "club")
    subprocess.run(["chown", "-R", "nobody", club.folder], check=True)
    before = {path: about(path) for path in sorted(open_folder.rglob("*"))}
    line = [sys.executable, "-m", "pbem", "mail", command, str(club.folder)]

    done = subprocess.run(line, capture_output=True, text=True, check=False)

    assert done.returncode == exit_status, done
    assert ("friday" if command == "status" else "owner: ") in done.stdout
    assert {path: about(path) for path in sorted(open_folder.rglob("*"))} == before


def test_every_command_that_changes_a_club_is_tried() -> None:
    from pbem.cli import mail as commands
    from pbem.cli.host import mail as host_commands

    tried = {words.partition(" ")[0] for words in WRITING} | {"init", "status", "doctor", "backup", "restore"}
    assert tried == commands.COMMANDS.keys() | host_commands.COMMANDS.keys()


@pytest.mark.slow
def test_a_folder_of_another_user_in_the_club_stops_no_other_game(open_folder: Path, nobody_python: str) -> None:
    """The host has begun a game as root in the club of nobody."""
    club = a_club(open_folder / "club", "friday", "monday")
    subprocess.run(["chown", "-R", "nobody", club.folder], check=True)
    subprocess.run(["chown", "-R", "root", a_table(club, "friday").folder], check=True)
    command = [nobody_python, "-m", "pbem", "mail", "run", str(club.folder), "--once", "--now", "2026-11-21T12:00:00Z"]

    done = as_nobody(command)

    assert done.returncode == 75
    assert b"permission denied" in done.stderr
    assert b"bug" not in done.stderr
    assert has_ticked(a_table(club, "monday"))

    status = as_nobody([nobody_python, "-m", "pbem", "mail", "status", str(club.folder)])
    assert status.returncode == 0, status
    told = " ".join(status.stdout.decode().split())
    assert f"{club.games}/friday/private.toml cannot be used: permission denied monday 0 Ann" in told

    os.chown(open_folder, 65534, -1)
    backup = as_nobody(
        [nobody_python, "-m", "pbem", "mail", "backup", str(club.folder), str(club.folder.parent / "c.tar.gz")]
    )
    assert backup.returncode == 73, backup
    assert f"{club.games}/friday cannot be used: permission denied".encode() in backup.stderr


def test_a_mail_on_a_disk_that_is_read_only_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    club = a_club(tmp_path / "club")
    asked = next(mail for mail in letters(club) if mail.asks)
    drop(club.folder, reply(asked, an_order(asked)), "1")

    def read_only(*_: object, **_more: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system", "journal.ndjson")

    with monkeypatch.context() as patch:
        patch.setattr("pbem.carriers.mail.service.take", read_only)
        done = run_once(club)
        patch.setattr("pbem.carriers.mail.outgoing.outbox.waiting", read_only)
        patch.setattr("pbem.carriers.mail.service.tick_all", read_only)
        assert [type(trouble) for trouble in clocked(club, START)[1]] == [CannotCreate]
        assert [type(trouble) for trouble in run_once(club).troubles] == [CannotCreate] * 2

    assert (done.later, [trouble.message for trouble in done.troubles]) == (
        1,
        ["journal.ndjson cannot be used: read-only file system"],
    )
    assert run_once(club).codes == {"played": 1}
    assert the_record(club).turn == 1


def test_a_letter_that_cannot_be_read_keeps_no_other_one_back(tmp_path: Path, sink: Sink) -> None:
    club = a_club(tmp_path / "club")
    club = club.changed(outgoing=WayOut("smtp", "127.0.0.1", sink.port, "none"))
    first = outbox.waiting(club)[0]
    first.unlink()
    first.symlink_to("/etc/passwd")

    sent = outbox.send(club)

    assert (sent.sent, sent.left) == (2, 1)
    assert first.name in sent.trouble


def test_a_maildir_of_another_user_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    club = a_club(tmp_path / "club")

    def denied(path: Path) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    with inbox.opened(club) as box:
        monkeypatch.setattr(Path, "iterdir", denied)
        with pytest.raises(CannotCreate, match="permission denied"):
            list(box.mails())

"""A club in one file, and a club from such a file: complete or nothing, also in the middle of a game."""

import hashlib
import io
import json
import os
import random
import shutil
import tarfile
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from clubs import a_club, a_copy, a_table, an_order, letters, play, the_asked, the_record
from forked import run_program
from people import nothing_quoted, reply
from scenarios import files_of

from pbem.carriers import folders
from pbem.carriers.mail.settings import MailClub
from pbem.carriers.mail.setup import own_club
from pbem.carriers.mail.take import take
from pbem.cli import app as cli
from pbem.club.folder import read_roster
from pbem.club.transaction import locked
from pbem.club.upkeep import backup
from pbem.errors import Broken, CannotCreate, NoSuchFile, NotUnderstood, PbemError, TryAgain, UsageError


@pytest.fixture
def club(tmp_path: Path) -> MailClub:
    """A club with two games, of which one has begun to be played."""
    return a_copy(two_games, tmp_path / "club")


def two_games(folder: Path) -> None:
    play(a_club(folder, "friday", "monday"), 3)


def copied(club: MailClub, name: str = "club.tar.gz") -> Path:
    target = club.folder.with_name(name)
    backup.write(club.folder, target)
    return target


def test_a_club_is_the_same_again_and_goes_on(club: MailClub, tmp_path: Path) -> None:
    made = copied(club)
    kept = backup.restore(made, tmp_path / "copy", own_club)

    again = own_club(tmp_path / "copy")
    assert files_of(again.folder) == files_of(club.folder)
    assert kept.files == len(files_of(club.folder))
    assert {path.stat().st_mtime_ns // 10**9 for path in again.folder.rglob("*.toml")} == {
        path.stat().st_mtime_ns // 10**9 for path in club.folder.rglob("*.toml")
    }
    assert not [path for path in (again.folder, *again.folder.rglob("*")) if path.stat().st_mode & 0o022]
    assert (again.folder / "outbox" / "tmp").is_dir()
    play(again, 5)
    play(club, 5)
    assert the_record(again) == the_record(club)


def test_the_same_club_gives_the_same_bytes_that_only_the_owner_may_read(club: MailClub) -> None:
    one, other = copied(club, "1.tar.gz"), copied(club, "2.tar.gz")

    assert one.read_bytes() == other.read_bytes()
    assert one.stat().st_mode & 0o777 == 0o600
    with tarfile.open(one) as archive:
        names = archive.getnames()
    assert names[0] == "pbem-backup.json"
    assert names[1:] == sorted(names[1:])
    assert not [name for name in names if "/.pbem" in name]


def test_what_happens_between_two_looks_is_in_the_backup(club: MailClub, monkeypatch: pytest.MonkeyPatch) -> None:
    """A move is played after the club was copied for the first time: the game, its journal and its letters follow."""
    refresh, times = backup._Copy.refresh, iter((1, 2))

    def moved(copy: backup._Copy) -> None:
        refresh(copy)
        if next(times) == 1:
            play(club, 4)
            next((club.outbox / "new").glob("friday-*")).unlink()  # sent meanwhile

    monkeypatch.setattr(backup._Copy, "refresh", moved)
    again = club.folder.with_name("copy")
    backup.restore(copied(club), again, own_club)

    assert files_of(again) == files_of(club.folder)
    assert the_record(own_club(again)).turn == 4


def test_no_game_changes_while_it_is_copied(club: MailClub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backup, "_WAIT", 0.05)
    with locked(a_table(club)), pytest.raises(TryAgain):
        copied(club)

    assert not club.folder.with_name("club.tar.gz").exists()
    with locked(a_table(club, "friday")), locked(a_table(club, "monday")):
        pass  # those who change games do not wait for each other


@pytest.mark.slow
def test_a_backup_in_the_middle_of_a_game_is_a_moment_of_it(club: MailClub) -> None:
    """People play as fast as they can: each backup can be restored, and each of its games goes on."""
    busy = threading.Thread(target=lambda: play(club, 14))
    busy.start()
    made = [copied(club, f"{number}.tar.gz") for number in range(12)]
    busy.join()

    turns = []
    for path in made:
        again = path.with_suffix(".club")
        backup.restore(path, again, own_club)
        turns.append(the_record(own_club(again)).turn)
        done = run_program("mail", "rebuild", again, "friday")
        assert "lead to the current game" in done.stdout, done
        told = {path.name[:11] for path in (again / "outbox" / "new").glob("friday-*")}
        assert told <= {f"friday-{turns[-1]:04}"}  # letters come into the outbox with the move, or not at all
    assert turns == sorted(turns)


def test_nothing_is_overwritten(club: MailClub, tmp_path: Path) -> None:
    made = copied(club)
    data = made.read_bytes()
    with pytest.raises(CannotCreate, match="already exists"):
        copied(club)
    with pytest.raises(CannotCreate, match="already exists"):
        backup.restore(made, club.folder, own_club)
    with pytest.raises(UsageError, match="inside its club"):
        backup.write(club.folder, club.folder / "games" / "x.tar.gz")
    with pytest.raises(NoSuchFile, match="is not a club"):
        backup.write(tmp_path, tmp_path / "x.tar.gz")
    with pytest.raises(CannotCreate):
        backup.write(club.folder, tmp_path / "nowhere" / "x.tar.gz")

    assert made.read_bytes() == data
    (tmp_path / "empty").mkdir()
    backup.restore(made, tmp_path / "empty", own_club)
    assert files_of(tmp_path / "empty") == files_of(club.folder)


def test_a_link_is_left_out_and_named(club: MailClub) -> None:
    (club.folder / "link").symlink_to("/etc/passwd")
    (club.folder / "games" / "there").symlink_to("/etc")
    os.mkfifo(club.folder / "pipe")

    done = run_program("mail", "backup", club.folder, club.folder.with_name("x.tar.gz"))

    assert "left out: link, pipe and games/there" in done.stdout
    with tarfile.open(club.folder.with_name("x.tar.gz")) as archive:
        assert all(member.isreg() or member.isdir() for member in archive)


# What is not a backup, or a damaged one


Members = list[tuple[tarfile.TarInfo, bytes]]


def altered(made: Path, alter: Callable[[Members], object]) -> Path:
    """Return the backup with other members."""
    with tarfile.open(made) as archive:
        members = [
            (each, (archive.extractfile(each) or io.BytesIO()).read() if each.isreg() else b"") for each in archive
        ]
    members.sort(key=lambda each: each[0].name == "club/club.toml")  # a file comes last
    alter(members)
    path = made.with_name("altered.tar.gz")
    with tarfile.open(path, "w:gz") as out:
        for each, data in members:
            each.size = len(data)
            out.addfile(each, io.BytesIO(data))
    return path


def a_member(
    name: str, data: bytes = b"evil", kind: bytes = tarfile.REGTYPE, link: str = ""
) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info, data if kind == tarfile.REGTYPE else b""


def listed_too(members: Members, *more: tuple[tarfile.TarInfo, bytes]) -> None:
    """Add members that the contents list as they should be."""
    info, data = members[0]
    about = json.loads(data)
    for each, content in more:
        about["files"][each.name.removeprefix("club/")] = hashlib.sha256(content).hexdigest()
    members[0] = (info, json.dumps(about).encode())
    members += more


EVIL = {
    "upwards": lambda members: listed_too(members, a_member("club/../../evil")),
    "absolute": lambda members: listed_too(members, a_member("/tmp/evil")),  # noqa: S108
    "beside": lambda members: listed_too(members, a_member("evil")),
    "link": lambda members: listed_too(members, a_member("club/evil", kind=tarfile.SYMTYPE, link="/etc/passwd")),
    "hard link": lambda members: listed_too(
        members, a_member("club/evil", kind=tarfile.LNKTYPE, link="club/club.toml")
    ),
    "device": lambda members: listed_too(members, a_member("club/evil", kind=tarfile.CHRTYPE)),
    "unlisted": lambda members: members.append(a_member("club/evil")),
    "missing": lambda members: members.pop(),
    "twice": lambda members: members.append(members[-1]),
    "changed": lambda members: members.__setitem__(-1, (members[-1][0], members[-1][1] + b"x")),
}


@pytest.mark.parametrize("name", EVIL)
def test_a_backup_that_was_tampered_with_makes_nothing(club: MailClub, tmp_path: Path, name: str) -> None:
    path = altered(copied(club), EVIL[name])
    before = sorted(tmp_path.rglob("*"))

    with pytest.raises((Broken, CannotCreate)):
        backup.restore(path, tmp_path / "copy", own_club)

    assert sorted(tmp_path.rglob("*")) == before


def test_another_version_and_what_is_not_a_backup(club: MailClub, tmp_path: Path) -> None:
    made = copied(club)
    later = altered(
        made, lambda members: members.__setitem__(0, (members[0][0], members[0][1].replace(b"backup/1", b"backup/2")))
    )
    with pytest.raises(
        NotUnderstood, match="has the format pbem-backup/2, and this version of pbem needs pbem-backup/1"
    ):
        backup.restore(later, tmp_path / "copy", own_club)
    with pytest.raises(NotUnderstood, match="is not a backup"):
        backup.restore(altered(made, lambda members: members.pop(0)), tmp_path / "copy", own_club)

    settings = club.folder / "club.toml"
    settings.write_text(settings.read_text().replace("pbem-club/2", "pbem-club/1"))
    with pytest.raises(NotUnderstood, match=f"^{tmp_path}/copy/club.toml has the format pbem-club/1"):
        backup.restore(copied(club, "old.tar.gz"), tmp_path / "copy", own_club)
    assert not (tmp_path / "copy").exists()


@pytest.mark.parametrize("seed", range(20))
def test_a_damaged_backup_makes_nothing(club: MailClub, tmp_path: Path, seed: int) -> None:
    made, chance = copied(club), random.Random(seed)
    data = bytearray(made.read_bytes())
    if seed % 2:
        del data[chance.randrange(len(data)) :]
    else:
        data[chance.randrange(10, len(data))] ^= 1 << chance.randrange(8)
    made.write_bytes(data)

    with pytest.raises(PbemError):
        backup.restore(made, tmp_path / "copy", own_club)

    assert not [path for path in tmp_path.iterdir() if path.name not in ("club", made.name)]


def test_a_club_of_files_is_copied_with_its_letters_and_answers(tmp_path: Path) -> None:
    club = tmp_path / "club"
    folders.create(club, "Eve")
    run_program("club", "new", club, "friday", "Ann", "Bob", "--board", "recommended")
    (club / "players" / "Ann" / "answers" / "1.txt").write_text("help")

    kept = run_program("club", "backup", club, tmp_path / "x.tar.gz")
    made = run_program("club", "restore", "--nothing-lost", tmp_path / "x.tar.gz", tmp_path / "copy")

    assert (kept.returncode, made.returncode) == (0, 0), (kept, made)
    assert files_of(tmp_path / "copy") == files_of(club)
    shutil.rmtree(club)
    assert "1 answer processed" in run_program("club", "run", tmp_path / "copy").stdout


# After it


def test_a_reply_to_a_letter_of_a_lost_turn_is_not_played_when_that_turn_comes_again(
    club: MailClub, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The board may be another one then; whoever is asked gets a new letter, which says why."""
    made = copied(club)
    asked = the_asked(club)
    before = next(mail for mail in letters(club) if mail.to == asked.reader and mail.subject.startswith("[friday]"))

    assert cli.run(["mail", "restore", str(made), str(tmp_path / "copy")]) == 0
    again = own_club(tmp_path / "copy")

    assert f"pbem mail doctor {again.folder}" in capsys.readouterr().out
    assert the_record(again) == the_record(club)
    late = take(again, reply(before, an_order(before), beneath=nothing_quoted))
    assert late.code != "played"
    mails = [m for m in letters(again) if m.subject.startswith("[friday]") and "from a backup" in m.text]
    assert {mail.to for mail in mails} == {player.address for player in read_roster(a_table(again)).players}
    mail = next(mail for mail in mails if mail.to == asked.reader)
    assert take(again, reply(mail, an_order(mail), beneath=nothing_quoted)).code == "played"


def test_a_backup_to_which_nothing_was_added_leaves_the_letters_valid(club: MailClub, tmp_path: Path) -> None:
    asked = the_asked(club)
    mail = next(mail for mail in letters(club) if mail.to == asked.reader and mail.subject.startswith("[friday]"))

    assert cli.run(["mail", "restore", "--nothing-lost", str(copied(club)), str(tmp_path / "copy")]) == 0

    again = own_club(tmp_path / "copy")
    assert letters(again) == []
    assert take(again, reply(mail, an_order(mail), beneath=nothing_quoted)).code == "played"


def test_a_game_that_is_damaged_in_a_backup_keeps_no_other_one_back(
    club: MailClub, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a_table(club, "monday").game.write_text("nonsense")

    assert cli.run(["mail", "restore", str(copied(club)), str(tmp_path / "copy")]) == 0

    assert "warning: monday cannot be read" in capsys.readouterr().out
    assert the_record(own_club(tmp_path / "copy")) == the_record(club)

"""What the doctor of a club finds, whatever carries its letters: each step with what is wrong and what to do."""

import errno
import json
import os
import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest
from clubs import ADDRESS, START, a_club
from fitting import fits
from forked import run_program
from scenarios import files_of

from pbem import files
from pbem.carriers import folders
from pbem.carriers.mail import setup
from pbem.carriers.mail.service import run_once
from pbem.carriers.mail.settings import MailClub
from pbem.club.deadlines import tick_all
from pbem.club.folder import GameFolder
from pbem.club.host import resume
from pbem.club.opening import open_game
from pbem.club.settings import secret_key
from pbem.club.status import rows_of
from pbem.club.upkeep import doctor
from pbem.club.upkeep.doctor import Check, Diagnosis, diagnoses
from pbem.errors import TryAgain
from pbem.table.people import Opening


def fails(message: str, hint: str = "") -> Callable[[], str]:
    def look() -> str:
        raise TryAgain(message, hint=hint)

    return look


def test_a_step_goes_on_after_one_that_failed_but_not_if_it_needs_that() -> None:
    checks = (
        Check("one", lambda: "it is there"),
        Check("two", fails("it is gone", "look for it")),
        Check("three", lambda: "not to be said", ("one", "two")),
        Check("four", lambda: "not to be said either", ("three",)),
        Check("five", lambda: "it is there", ("one",)),
    )

    assert list(diagnoses(checks)) == [
        Diagnosis("one", "ok", "it is there"),
        Diagnosis("two", "failed", "it is gone", "look for it"),
        Diagnosis("three", "skipped", 'not tried: it needs "two"'),
        Diagnosis("four", "skipped", 'not tried: it needs "three"'),
        Diagnosis("five", "ok", "it is there"),
    ]


def test_what_has_no_end_is_given_up() -> None:
    never = Event()
    checks = (Check("slow", lambda: str(never.wait()), patience=0.01), Check("quick", lambda: "done"))

    slow, quick = diagnoses(checks)

    never.set()
    assert (slow.state, slow.what) == ("failed", "this did not finish within 0.01 seconds")
    assert quick.state == "ok"


@pytest.fixture
def club(tmp_path: Path) -> MailClub:
    return a_sound_club(tmp_path)


def a_sound_club(tmp_path: Path) -> MailClub:
    """A club with two games, in which the clock has ticked."""
    club = a_club(tmp_path / "club", "friday", "monday")
    list(tick_all(club, START))
    for letter in (club.outbox / "new").iterdir():
        letter.unlink()
    return club


def found(club: MailClub, minutes: int = 1) -> dict[str, Diagnosis]:
    checks = setup.checks(club.folder, START + timedelta(minutes=minutes))
    return {diagnosis.step: diagnosis for diagnosis in diagnoses(checks)}


def wrong(club: MailClub, minutes: int = 1) -> dict[str, tuple[str, str]]:
    every = found(club, minutes).values()
    return {each.step: (each.what, each.do) for each in every if each.state == "failed"}


def test_a_sound_club_is_well_and_nothing_is_changed(club: MailClub) -> None:
    before = files_of(club.folder)

    assert wrong(club) == {}
    assert files_of(club.folder) == before


def test_settings_that_cannot_be_read(club: MailClub) -> None:
    path = club.folder / "club.toml"
    path.write_text(path.read_text().replace("pbem-club/2", "pbem-club/1"))

    every = found(club)

    assert every["settings"].what == f"{path} has the format pbem-club/1, and this version of pbem needs pbem-club/2"
    assert every["games"] == Diagnosis("games", "skipped", 'not tried: it needs "settings"')
    assert (every["folder"].state, every["modes"].state) == ("ok", "ok")


def test_there_is_no_folder(club: MailClub) -> None:
    shutil.rmtree(club.folder)

    every = found(club)

    assert every["folder"].state == every["settings"].state == "failed"
    assert {every[step].state for step in ("owner", "modes", "space", "games")} == {"skipped"}


def test_what_others_may_read(club: MailClub) -> None:
    secret = club.folder / "club.secret.toml"
    secret.chmod(0o640)
    assert wrong(club) == {"modes": (f"other users may read or write {secret}", f"chmod go= {secret}")}

    club.folder.chmod(0o777)
    assert wrong(club) == {"modes": (f"other users may write in {club.folder}", f"chmod go-w {club.folder}")}


@pytest.mark.needs("root")
def test_what_belongs_to_somebody_else(club: MailClub) -> None:
    os.chown(club.folder / "games" / "friday", 65534, -1)
    what, do = wrong(club)["owner"]
    assert what == f"1 file belongs to another user, such as {club.folder / 'games' / 'friday'} to nobody"
    assert do == f"as root: chown -R root {club.folder}"

    os.chown(club.folder, 65534, -1)
    what, do = wrong(club)["owner"]
    assert what == f"{club.folder} belongs to nobody, and you are root"
    assert do == "run every command as that user: sudo -u nobody pbem ..."


def test_a_disk_that_is_nearly_full(club: MailClub, monkeypatch: pytest.MonkeyPatch) -> None:
    def disk(free: int, files: int, flags: int = 0) -> None:
        about = SimpleNamespace(f_bavail=free, f_frsize=4096, f_files=10**6, f_favail=files, f_flag=flags)
        monkeypatch.setattr(doctor.os, "statvfs", lambda _: about)

    disk(3000, 10**5)
    assert wrong(club)["space"][0] == "the disk is nearly full: 11 MiB are free, but at least 100 should be"
    disk(10**6, 3)
    assert wrong(club)["space"][0] == "the disk has room for only 3 more files, but at least 1000 should fit"
    disk(10**6, 10**5, os.ST_RDONLY)
    assert wrong(club)["space"][0] == "the disk can only be read, so that no message can be kept"


def test_a_clock_that_has_not_ticked_lately(club: MailClub) -> None:
    assert wrong(club, 24 * 60)["clock ticks"][0] == (
        "the last tick was at Sat 21 Nov, 12:00 UTC; nobody has been reminded since"
    )

    (club.folder / "ticks.toml").unlink()
    assert wrong(club)["clock ticks"][0] == "the clock has never ticked: nobody is reminded"


def test_a_tick_at_a_time_to_come_is_mended_as_it_is_said(club: MailClub) -> None:
    """Each game refuses earlier ticks until it is resumed; then the next tick puts the club right."""
    in_time = START - timedelta(hours=1)
    assert wrong(club, -60)["clock ticks"] == (
        "the last tick in friday and monday was at a time in the future, so the clock stands still",
        "once the clock of this machine is right: pbem mail resume CLUB GAME, for each of these games",
    )

    resume(club, GameFolder(club.games / "friday"))
    assert [each.game for each in tick_all(club, in_time) if each.error] == ["monday"]
    assert "the last tick in monday was" in wrong(club, -60)["clock ticks"][0]

    resume(club, GameFolder(club.games / "monday"))
    assert wrong(club, -60) == {}
    assert not list(tick_all(club, in_time))
    assert wrong(club, -60) == {}


def test_a_tick_at_a_time_to_come_in_a_club_whose_games_have_not_begun(tmp_path: Path) -> None:
    club = setup.create(tmp_path / "club", ADDRESS, "host@x.example")
    open_game(club, "friday", (), Opening(3, "players", "sealed", hide_food=False), None, ())
    list(tick_all(club, START))
    assert wrong(club, -60)["clock ticks"] == (
        "the last tick was at Sat 21 Nov, 12:00 UTC, which is still to come",
        "once the clock of this machine is right, the next tick puts the club right",
    )

    list(tick_all(club, START - timedelta(hours=1)))

    assert wrong(club, -60) == {}


def test_a_key_that_is_damaged_is_mended_as_it_is_said(club: MailClub) -> None:
    path = club.folder / "club.secret.toml"
    path.write_text("what is this")
    what, do = wrong(club).pop("key")
    assert what.startswith(str(path))
    assert "delete it" in do

    path.unlink()

    assert wrong(club) == {}
    assert secret_key(club) == secret_key(club)
    assert path.stat().st_mode & 0o077 == 0


def test_a_clock_that_stands_in_one_game_is_named(club: MailClub) -> None:
    list(tick_all(club, START + timedelta(days=1), but={"friday"}))

    what, do = wrong(club, 24 * 60)["clock ticks"]

    assert what == "the clock of friday has not ticked since Sat 21 Nov, 12:00 UTC"
    assert do == "run it by hand, once and with --now $(date -Is): pbem mail run says why the clock stands still"


def test_what_may_not_be_read_is_named_in_a_run_too(club: MailClub, monkeypatch: pytest.MonkeyPatch) -> None:
    private, opened = str(club.games / "friday" / "private.toml"), files._open_warily

    def denied(path: str, flags: int) -> int:
        if path == private:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return opened(path, flags)

    monkeypatch.setattr(files, "_open_warily", denied)
    os.utime(private)  # or nobody looks at it again

    (trouble,) = run_once(club, START + timedelta(minutes=1)).troubles
    assert trouble.message == f"friday: {private} cannot be used: permission denied"
    assert trouble.hint == "the user who runs pbem must own the folder and everything in it"
    assert trouble.code == "cannot-create"
    assert trouble.exit_status == 73


@pytest.mark.parametrize("name", ["friday", "friday/mails"])
def test_a_game_that_may_not_be_read_keeps_no_other_one_from_the_status(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    club = a_club(tmp_path / "club", "friday", "monday")
    shut, stat = f"{club.games}/{name}/", os.stat

    def denied(path: str | Path, *more: Any, **others: Any) -> os.stat_result:
        if str(path).startswith(shut):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return stat(path, *more, **others)

    monkeypatch.setattr(os, "stat", denied)

    friday, monday = rows_of(club)
    assert friday["error"].endswith(" cannot be used: permission denied")
    assert (monday["name"], monday["error"]) == ("Ann", "")
    assert wrong(club)["games"][0] == f"1 game cannot be read: {friday['error']}"


def test_a_club_of_files_has_the_same_steps(tmp_path: Path) -> None:
    folders.create(tmp_path / "club", "Eve")

    every = {each.step: each for each in diagnoses(folders.checks(tmp_path / "club", START))}

    assert {each.state for each in every.values()} == {"ok"}
    assert "needs no clock" in every["clock ticks"].what


def test_a_club_of_files_is_well_once_it_has_players_and_each_has_an_own_folder(tmp_path: Path) -> None:
    club = folders.create(tmp_path / "club", "Eve")
    umask = os.umask(0o022)
    try:
        open_game(club, "friday", ("Ann=Ann", "Bob=Bob"), Opening(2, "recommended"), None)
        folders.run(club, START)
    finally:
        os.umask(umask)
    answers = club.folder_of("Ann") / "answers"

    def failed() -> list[tuple[str, str, str]]:
        every = diagnoses(folders.checks(club.folder, START))
        return [(each.step, each.what, each.do) for each in every if each.state != "ok"]

    assert failed() == []
    answers.chmod(0o733)
    assert failed() == [("players", f"other users may read or write {answers}", f"chmod o= {answers}")]


@pytest.mark.needs("root")
def test_what_a_player_has_written_may_belong_to_the_player(tmp_path: Path) -> None:
    club = folders.create(tmp_path / "club", "Eve")
    answers = club.folder_of("Ann") / "answers"
    answers.mkdir(parents=True, mode=0o700)
    (answers / "1.txt").write_text("help")
    os.chown(answers / "1.txt", 65534, -1)
    os.chown(answers, 65534, -1)

    assert {each.state for each in diagnoses(folders.checks(club.folder, START))} == {"ok"}


@pytest.mark.parametrize("family", ["mail", "club"])
def test_the_command(family: str, tmp_path: Path) -> None:
    club = tmp_path / "club"
    folders.create(club, "Eve")

    well = run_program(family, "doctor", club)
    (club / "club.toml").chmod(0o644)
    told, data = run_program(family, "doctor", club), run_program(family, "doctor", club, "--json")

    assert (well.returncode, told.returncode, data.returncode) == (0, 1, 1)
    assert well.stdout.endswith("\nall is well\n")
    assert f"failed   modes: other users may read or write {club / 'club.toml'}\n         -> chmod" in told.stdout
    answer = json.loads(data.stdout)
    assert fits(answer, family), answer
    assert (answer["ok"], answer["message"]) == (False, "1 step has failed")


def test_the_command_for_a_folder_in_which_nobody_finds_a_club(tmp_path: Path) -> None:
    done = run_program("club", "doctor", tmp_path / "nothing")

    assert done.returncode == 1
    assert "nothing is not a folder" in done.stdout

"""What the doctor of a club finds, whatever carries its letters: each step with what is wrong and what to do."""

import errno
import json
import os
import re
import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest
from clubs import ADDRESS, START, a_club, letters
from fitting import fits
from forked import run_program
from people import reply
from scenarios import files_of

from pbem import files
from pbem.carriers import folders
from pbem.carriers.mail import setup
from pbem.carriers.mail.service import run_once
from pbem.carriers.mail.settings import MailClub
from pbem.carriers.mail.take import take
from pbem.club import index, private
from pbem.club.carrier import Club
from pbem.club.deadlines import tick_all
from pbem.club.folder import GameFolder
from pbem.club.host import resume
from pbem.club.opening import open_game
from pbem.club.status import rows_of
from pbem.club.upkeep import doctor
from pbem.club.upkeep.doctor import Check, Diagnosis, diagnoses
from pbem.errors import Broken, TryAgain
from pbem.table.people import Opening
from pbem.table.table import Table


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


def test_a_game_that_is_damaged(club: MailClub) -> None:
    (club.games / "friday" / "game.toml").unlink()

    what, do = wrong(club)["games"]

    assert what == f"1 game cannot be read: {club.games / 'friday' / 'game.toml'} is lost"
    assert do == "the command rebuild CLUB GAME makes it again"


def test_a_secret_of_draws_with_which_a_game_cannot_be_played(club: MailClub) -> None:
    path, other = (club.games / game / "game.secret.toml" for game in ("friday", "monday"))
    kept, do = path.read_bytes(), "take that file from a backup of the club; without it no draw can be made"
    what = "1 game has no secret of its draws: friday: "

    path.unlink()
    lost = f"the secret of this game was not found: {path} cannot be opened: no such file or directory"
    assert wrong(club)["secrets"] == (what + lost, do)
    path.write_bytes(b"")
    assert wrong(club)["secrets"] == (f"{what}{path} is not a pbem secret file", do)
    path.write_bytes(b"\xff\xfe")
    assert wrong(club)["secrets"][0].startswith(f"{what}{path}")
    path.write_bytes(other.read_bytes())
    assert wrong(club)["secrets"] == (f"{what}{path} has the secret of another game", do)
    path.write_text(re.sub("[0-9a-f]{64}", "12" * 32, kept.decode()))
    assert wrong(club)["secrets"] == (f"{what}the secret does not match the commitment of the game", do)
    other.unlink()
    assert wrong(club)["secrets"][0].startswith("2 games have no secret of their draws: friday: the secret does")

    path.write_bytes(kept)
    other.write_bytes(kept)
    assert (
        wrong(club)["secrets"][0]
        == f"1 game has no secret of its draws: monday: {other} has the secret of another game"
    )


def test_a_game_in_the_folder_of_another_one(club: MailClub) -> None:
    friday, monday = (club.games / game / "game.toml" for game in ("friday", "monday"))
    friday.write_bytes(monday.read_bytes())

    what, do = wrong(club)["games"]
    refused = run_program("mail", "resend", club.folder, "friday", "--all")

    assert what == f"1 game cannot be read: the folder {friday.parent} has the game monday"
    assert "rebuild CLUB GAME" in do
    assert (refused.returncode, what.partition(": ")[2] in refused.stderr) == (76, True)
    friday.unlink()
    assert run_program("mail", "rebuild", club.folder, "friday").returncode == 0
    assert wrong(club) == {}


def test_a_game_whose_folder_has_another_name_keeps_replies_for_later(club: MailClub) -> None:
    assert run_program("mail", "resend", club.folder, "friday").returncode == 0
    (sent,) = letters(club)
    (club.games / "friday").rename(club.games / "sunday")
    what = f"the folder {club.games / 'sunday'} has the game friday"

    with pytest.raises(Broken, match=what):
        take(club, reply(sent, "Hello!"))

    assert wrong(club)["games"][0] == f"1 game cannot be read: {what}"
    (club.games / "sunday").rename(club.games / "friday")
    assert take(club, reply(sent, "Hello!")).code == "empty"
    assert "games" not in wrong(club)


def test_players_of_whom_a_game_does_not_know(club: MailClub) -> None:
    mine, other = (club.games / game / "private.toml" for game in ("friday", "monday"))
    mine.write_text(re.sub('colour = "[a-z]+"', 'colour = "white"', other.read_text(), count=1))

    assert "private.toml has no player for " in wrong(club)["games"][0]


@pytest.mark.parametrize("left", ["", "[]", "{}", '{"before": "", "after": "", "moves": [1], "journal": {}}', "\0"])
def test_a_damaged_plan_of_a_change_stops_its_own_game_only(club: MailClub, left: str) -> None:
    """And is mended as it is said."""
    plan = club.games / "friday" / "pending" / "plan.json"
    plan.parent.mkdir()
    plan.write_text(left)
    what = f"{plan} is damaged, so the change in it cannot be finished"

    looked, ticked = run_once(club), run_once(club, START + timedelta(days=5))

    assert [each.message for each in looked.troubles] == [what]
    assert [(each.message, each.code) for each in ticked.troubles] == [(f"friday: {what}", "broken")]
    assert any(each.startswith("monday: ") for each in ticked.did)
    assert [row["error"] for row in rows_of(club)] == [what, ""]
    do = f"move {plan.parent} away: the change in it is lost; the command rebuild CLUB GAME says if the game is whole"
    assert wrong(club)["games"] == (f"1 game cannot be read: {what}", do)
    shutil.rmtree(plan.parent)
    assert "games" not in wrong(club)
    assert run_program("mail", "rebuild", club.folder, "friday").returncode == 0


def test_a_bug_in_one_game_stops_no_other(club: MailClub, monkeypatch: pytest.MonkeyPatch) -> None:
    read, nothing = index.load, dict[str, Table]()

    def broken(home: Club, folder: GameFolder, *more: Any) -> Table:
        return read(home, folder, *more) if folder.name == "monday" else nothing[folder.name]

    monkeypatch.setattr(index, "load", broken)
    (club.folder / index.INDEX).unlink()

    done = run_once(club, START + timedelta(days=5))

    assert [each.message.partition(",")[0] for each in done.troubles] == ["friday: a bug of ours"]
    assert any(each.startswith("monday: ") for each in done.did)


@pytest.mark.parametrize(
    ("section", "typed", "told"),
    [
        ("ticks", {"last": "sometime"}, "'sometime' is not a valid time (last in [ticks] of {path})"),
        ("ticks", {"question": 1}, "the clock is damaged ([ticks] of {path})"),
        ("ticks", 1, "this should be a table with keys ([ticks] of {path})"),
        ("clock", {"deadline": "sometime"}, "'sometime' is not a valid duration (deadline in [clock] of {path})"),
        ("clock", {"then": "wait"}, "invalid value for then (then in [clock] of {path})"),
        ("clock", {"wait": 1}, "unknown key 'wait' ([clock] of {path})"),
    ],
)
def test_what_was_typed_by_hand_is_named_with_its_file_and_key(
    club: MailClub, section: str, typed: object, told: str
) -> None:
    path = club.games / "friday" / "private.toml"
    private.keep(path, {section: typed})

    assert wrong(club)["games"][0] == f"1 game cannot be read: {told.format(path=path)}"
    assert next(rows_of(club))["error"] == told.format(path=path)


def test_an_absence_that_was_typed_by_hand_is_named_with_its_file(club: MailClub) -> None:
    path = club.games / "friday" / "private.toml"
    path.write_text(path.read_text().replace('name = "Ann"', 'name = "Ann"\nabsent = "sometime"'))

    what = f"'sometime' is not a valid time (absent of Ann in {path})"
    assert wrong(club)["games"] == (f"1 game cannot be read: {what}", "give the last day, like 2026-12-31")


@pytest.mark.parametrize("is_file", [False, True])
def test_a_folder_among_the_games_that_has_no_game_in_it(club: MailClub, is_file: bool) -> None:
    place = club.games / "notes"
    place.write_text("Buy milk") if is_file else place.mkdir()

    assert wrong(club)["games"] == (
        f"1 game cannot be read: {place} has no game in it",
        f"move {place} away, or put the game's files there from a backup",
    )


@pytest.mark.parametrize("name", ["game.toml", "private.toml"])
def test_a_damaged_file_of_a_game_is_mended_as_it_is_said(club: MailClub, name: str) -> None:
    path = club.games / "friday" / name
    path.write_text("what is this")
    assert wrong(club)["games"][1] == "move that file away, and pbem mail rebuild CLUB GAME makes it again"

    path.unlink()
    assert run_program("mail", "rebuild", club.folder, "friday").returncode == 0

    assert wrong(club) == {}


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


@pytest.mark.parametrize("left", [None, "what is this"])
def test_a_key_that_is_lost_is_mended_as_it_is_said(club: MailClub, left: str | None) -> None:
    path = club.folder / "club.secret.toml"
    path.unlink()
    if left:
        path.write_text(left)
        path.chmod(0o600)
    what, do = wrong(club).pop("key")
    assert what.startswith(str(path))
    assert "pbem mail upgrade CLUB" in do
    path.unlink(missing_ok=True)

    done = run_program("mail", "upgrade", club.folder)

    assert (done.returncode, wrong(club)) == (0, {})
    assert "has a new key, since its own was lost" in done.stdout
    assert "nothing was changed" in run_program("mail", "upgrade", club.folder).stdout


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

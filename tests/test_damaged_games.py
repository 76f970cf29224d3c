"""Games of a club that are damaged: doctor and the status name what is wrong, and all other games go on."""

import re
import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from clubs import START, letters
from forked import run_program
from people import reply
from test_doctor import a_sound_club, wrong

from pbem.carriers.mail.service import run_once
from pbem.carriers.mail.settings import MailClub
from pbem.carriers.mail.take import take
from pbem.club import index, private
from pbem.club.carrier import Club
from pbem.club.folder import GameFolder
from pbem.club.status import rows_of
from pbem.errors import Broken
from pbem.table.table import Table


@pytest.fixture
def club(tmp_path: Path) -> MailClub:
    return a_sound_club(tmp_path)


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

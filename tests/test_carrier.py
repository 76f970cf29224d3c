"""Another carrier than those that come with pbem takes less than 100 lines, and has all that people do at a table."""

import json
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import messenger
import pytest
from messenger import Messenger

from pbem import loading
from pbem.club import host
from pbem.club.folder import GameFolder, read_roster
from pbem.club.opening import open_game
from pbem.club.players import Verdict
from pbem.club.status import rows_of
from pbem.club.store import read_minutes
from pbem.first_sparks.adjudicator import choices, who_decides
from pbem.first_sparks.record import Record
from pbem.table.people import Opening

NUMBERS = {"Ann": "+4930111111", "Bob": "+4930222222", "Cy": "+4930333333"}
START = datetime(2026, 11, 21, 12, tzinfo=UTC)
_serial = count()


@pytest.fixture
def club(tmp_path: Path) -> Messenger:
    made = messenger.make(tmp_path / "club", "+4930000000", "+4930999999").changed(waves=False)
    open_game(made, "friday", tuple(f"{name}={number}" for name, number in NUMBERS.items()), Opening(3), None)
    return made


def folder_of(club: Messenger) -> GameFolder:
    return GameFolder(club.games / "friday")


def the_record(club: Messenger) -> Record:
    return loading.load(folder_of(club).game).record


def the_asked(club: Messenger) -> str:
    player = read_roster(folder_of(club)).player(who_decides(the_record(club).state) or "")
    assert player is not None
    return player.name


def writes(club: Messenger, name: str, text: str) -> Verdict:
    """Let somebody write a message, and return what became of it."""
    with (club.folder / "spool" / "in.ndjson").open("a") as spool:
        spool.write(json.dumps({"from": NUMBERS[name], "id": str(next(_serial)), "text": text}) + "\n")
    taken = messenger.run(club)
    assert taken.troubles == ()
    return taken.verdicts[0]


def sent(club: Messenger) -> dict[str, str]:
    """Return the texts of what has been sent since, by name, and remove them as a gateway does."""
    found: dict[str, str] = {}
    for path in sorted((club.folder / "spool" / "out").iterdir(), key=lambda path: path.stat().st_mtime_ns):
        row = json.loads(path.read_text())
        name = next((name for name, number in NUMBERS.items() if number == row["to"]), "host")
        found[name] = found.get(name, "") + " ".join(row["text"].split())
        path.unlink()
    return found


def test_a_carrier_takes_less_than_a_hundred_lines() -> None:
    assert len(Path(messenger.__file__).read_text().splitlines()) < 100


def test_moves_talk_and_a_motion_are_the_same_by_any_carrier(club: Messenger) -> None:
    for turn in range(3):
        assert the_record(club).turn == turn
        name = the_asked(club)
        assert "QUESTION" in sent(club)[name]
        order = str(next(iter(choices(the_record(club).state))))
        assert writes(club, name, f"{order}\n\nHello from {name}").code == "played"
    assert f"says: Hello from {name}" in sent(club)[the_asked(club)]

    assert writes(club, name, "take back").code == "answered"
    others = NUMBERS.keys() - {name}
    assert all("agree" in sent_to for sent_to in map(sent(club).__getitem__, others))
    for other in others:
        assert writes(club, other, "agree").code == "answered"

    assert the_record(club).turn == 2
    assert read_minutes(folder_of(club)).motions == ()
    assert folder_of(club).minutes.read_text().count(" agrees") == 2
    assert the_asked(club) == name


def test_the_clock_and_the_host_reach_players_by_any_carrier(club: Messenger) -> None:
    name = the_asked(club)
    sent(club)
    host.set_clock(folder_of(club), {"reminders": ["1 day"]})

    did = [messenger.run(club, START + timedelta(hours=hours)).did for hours in (0, 24)]

    assert [each.what for each in did[1]] == [(f"{name} was reminded",)]
    assert set(sent(club)) == {name}
    host.pause(club, folder_of(club), "a holiday")
    assert set(sent(club)) == set(NUMBERS)
    assert next(rows_of(club))["notes"][0] == "paused: a holiday"


def test_an_unknown_number_plays_nothing(club: Messenger) -> None:
    (club.folder / "spool" / "in.ndjson").write_text('{"from": "+1555000000", "id": "x", "text": "pass"}\n')

    (verdict,) = messenger.run(club).verdicts

    assert (verdict.code, the_record(club).turn) == ("silent", 0)
    assert (club.folder / "spool" / "in.ndjson").read_text() == ""

"""What a game has cost its players is counted from its journal: mails, waits, and answers of plans and bots."""

import json
import os
from pathlib import Path

import pytest
from clubs import a_club, a_table, the_record
from forked import run_program
from planners import MailGame

from pbem.club.folder import read_roster
from pbem.club.journal import journal_rows
from pbem.table.costs import Counts, counted, of_a_game, of_the_end

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("players", "waves", "plans"), [(2, False, False), (2, False, True), (3, True, True)])
def test_mails_and_waits_are_those_that_its_players_saw(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, players: int, *, waves: bool, plans: bool
) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)
    game = MailGame(tmp_path / "club", players, waves=waves)
    record = game.to_the_end(plans=plans)

    counts = counted(read_roster(game.table), record, journal_rows(game.table.journal))

    assert (counts.mails, counts.players, counts.rounds) == (game.mails, players, record.state.round)
    assert abs(counts.waits - game.waits) <= 1
    assert bool(counts.plans) is plans
    assert (counts.waits == counts.mails) is not waves
    assert sum(of_the_end(counts) in " ".join(mail.text.split()) for mail in game.letters) == players


def test_a_wave_is_one_wait(tmp_path: Path) -> None:
    """Three settle at the same time, then add at the same time."""
    club = a_club(tmp_path / "club", waves=True)
    table = a_table(club)
    record, roster = the_record(club), read_roster(table)

    rows = journal_rows(table.journal)
    assert counted(roster, record, rows) == Counts(0, 1, 3, 1, 0, 0)
    again = {"turn": 0, "code": "planned", "colour": "red", "asks": ["red"]}  # while the others are still waited for
    assert counted(roster, record, (*rows, again)).waits == 1


def test_moves_of_the_host_are_no_mails_and_older_journals_have_one_wait_a_question(tmp_path: Path) -> None:
    club = a_club(tmp_path / "club")
    table = a_table(club)
    roster, record = read_roster(table), the_record(club)
    head = {"turn": 0, "code": "begun", "head": record.head}
    said = {"turn": 0, "code": "played", "colour": "red"}

    assert counted(roster, record, (head, said, said | {"instead": True})).mails == 1
    assert counted(roster, record, (head, said, said)).waits == 3


def test_in_words() -> None:
    counts = Counts(43, 20, 3, 10, 31, 12)

    assert of_the_end(counts) == (
        "You played 10 rounds with 43 mails, 1.4 a player and round; 31 answers came from plans and "
        "12 answers came from bots."
    )
    assert of_the_end(Counts(40, 40, 4, 10, 0, 0)) == "You played 10 rounds with 40 mails, 1.0 a player and round."
    assert of_a_game("friday", Counts(1, 1, 3, 1, 1, 0)) == (
        "friday: 1 round, 1 mail (0.3 a player and round), 1 wait; 1 answer came from plans"
    )


def test_the_status_shows_it_on_request(tmp_path: Path) -> None:
    club = a_club(tmp_path / "club")
    with_it = run_program("mail", "status", club.folder, "--stats")
    assert "friday: 1 round, 0 mails (0.0 a player and round), 1 wait\n" in with_it.stdout
    assert "wait\n" not in run_program("mail", "status", club.folder).stdout

    (row,) = json.loads(run_program("mail", "status", club.folder, "--stats", "--json").stdout)["games"]
    assert row["stats"] == {"mails": 0, "waits": 1, "players": 3, "rounds": 1, "plans": 0, "bots": 0, "each": 0.0}

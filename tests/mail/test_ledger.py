"""What a mail brings about happens wholly or not at all, wherever it is cut off; and what has happened is finished."""

import errno
import itertools
import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bots import play_file
from clubs import a_club, a_table, an_order, letters, the_record, tree
from forked import run_program
from people import Mail, reply
from work import Some

from pbem import files, loading
from pbem.carriers.mail.settings import MailClub, read_club
from pbem.carriers.mail.take import take
from pbem.club import store as memory
from pbem.club import transaction as ledger
from pbem.club.journal import journal_rows, note
from pbem.club.transaction import locked
from pbem.errors import TryAgain

STEPS = ("open", "fsync", "write", "replace", "rename", "unlink", "rmdir", "mkdir")


class Cut(BaseException):
    """The power has failed: nothing in the program can answer that."""


def cut_at(number: int, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let the power fail before step *number* of those that change the disk; returns the count of steps so far."""
    count = [0]

    def counted(does: Callable[..., Any]) -> Callable[..., Any]:
        def step(*arguments: Any, **options: Any) -> Any:
            count[0] += 1
            if count[0] > number:
                raise Cut
            return does(*arguments, **options)

        return step

    for name in STEPS:
        monkeypatch.setattr(os, name, counted(getattr(os, name)))
    return count


def question(club: MailClub) -> Mail:
    return next(mail for mail in letters(club) if mail.asks)


@pytest.mark.slow
def test_wherever_a_take_is_cut_off_the_game_is_old_or_new_and_all_mail_goes_out(tmp_path: Path, some: Some) -> None:
    """Every step that changes the disk, one after the other; the mail comes again, as an MTA brings it."""
    seen = set()
    for number in some(itertools.count(), 3):
        club = a_club(tmp_path / f"club-{number}")
        asked = question(club)
        raw = reply(asked, f"{an_order(asked)}\n\nhello")
        with pytest.MonkeyPatch.context() as patch:
            count = cut_at(number, patch)
            try:
                verdict = take(club, raw)
            except Cut:
                verdict = None
        turn = the_record(club).turn
        seen.add((verdict is None, turn))

        again = take(club, raw)

        assert again.code in ("played", "duplicate"), number
        assert the_record(club).turn == 1
        assert len(letters(club)) == 2, number  # a receipt and a question
        assert not a_table(club).pending.exists()
        assert [row["code"] for row in journal_rows(a_table(club).journal)] == ["begun", "played"]
        assert len(list(a_table(club).mails.glob("*.eml"))) == 1
        if verdict is not None:
            break
        assert count[0] > number

    assert number > 20
    assert seen == {(True, 0), (True, 1), (False, 1)}


def test_only_a_game_file_that_we_did_not_write_is_compared_with_the_schema(tmp_path: Path) -> None:
    """The journal knows ours; to load what compares takes half the time of a ``take``."""
    club = a_club(tmp_path / "club")
    table, asked = a_table(club), question(club)
    take(club, reply(asked, an_order(asked)))

    def refuse(*_: object) -> None:
        raise AssertionError("compared")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pbem.schema.check", refuse)
        patch.setattr(memory, "_Last", type("_Last", (), {"digest": "", "game": None, "head": "", "history": ()}))
        asked = question(club)
        assert take(club, reply(asked, an_order(asked))).code == "played"

        table.game.write_text(f"{table.game.read_text()}# by hand\n")
        asked = question(club)
        with pytest.raises(AssertionError, match="compared"):
            take(club, reply(asked, an_order(asked)))


def test_a_change_that_was_not_made_leaves_no_trace(tmp_path: Path) -> None:
    club = a_club(tmp_path / "club")
    table = a_table(club)
    before = tree(table.folder)
    table.pending.mkdir()
    (table.pending / "0").write_text("half a game")

    with locked(table):
        assert tree(table.folder) == before
        assert not table.pending.exists()


def test_a_game_that_was_played_on_by_hand_is_not_overwritten(tmp_path: Path) -> None:
    """The plan of a change lies there when the power fails; the host uses ``pbem play``; then the mail comes again."""
    club = a_club(tmp_path / "club")
    asked = question(club)
    order = an_order(asked)
    table = a_table(club)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ledger, "_finish", lambda *_: None)
        take(club, reply(asked, order))
    assert (table.pending / ledger.PLAN).exists()
    player = next(p for p in ledger.files.read_text(table.private).split('colour = "')[1:] if asked.to in p).split('"')[
        0
    ]
    play_file(table.game, loading.Submission(("stay",), player))
    by_hand = table.game.read_bytes()

    assert take(club, reply(asked, order)).code in ("late", "already")
    assert table.game.read_bytes() == by_hand


@pytest.mark.slow
def test_two_that_answer_at_once_are_dealt_with_one_after_the_other(tmp_path: Path) -> None:
    club = a_club(tmp_path / "club")
    asked = question(club)
    order = an_order(asked)
    command = [sys.executable, "-m", "pbem", "mail", "take", str(club.folder)]
    running = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(4)]
    for number, process in enumerate(running):
        assert process.stdin is not None
        process.stdin.write(reply(asked, order, number=number))
        process.stdin.close()
    for process in running:
        assert process.wait(120) == 0
        assert process.stdout is not None
        process.stdout.close()

    codes = sorted(row["code"] for row in journal_rows(a_table(club).journal))
    assert codes == ["already", "already", "already", "begun", "played"]


def test_half_a_line_of_the_journal_is_overwritten_and_no_line_stands_twice(tmp_path: Path) -> None:
    journal = tmp_path / "journal.ndjson"
    note(journal, {"a": 1})
    with journal.open("a") as file:
        file.write('{"b": ')

    for _ in range(2):
        note(journal, {"b": 2})

    assert journal.read_text() == '{"a": 1}\n{"b": 2}\n'


@pytest.mark.parametrize("before", [{"a": 1}, {"a": "a" * 100_000}])
def test_a_torn_line_of_any_length_is_overwritten(before: dict[str, object], tmp_path: Path) -> None:
    journal, long = tmp_path / "journal.ndjson", {"b": "b" * 200_000}
    note(journal, before)
    with journal.open("a") as file:
        file.write(json.dumps(long)[:-1])

    for _ in range(2):
        note(journal, long)
        assert journal_rows(journal) == (before, long)


def test_a_disk_that_takes_a_part_of_a_line_is_full(tmp_path: Path) -> None:
    """Else the change would count as made, without its line."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20, limits[1]))
    try:
        with pytest.raises(OSError, match="too large"):
            note(tmp_path / "journal.ndjson", {"code": "played", "turn": 7})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    note(tmp_path / "journal.ndjson", {"code": "played", "turn": 7})
    assert journal_rows(tmp_path / "journal.ndjson") == ({"code": "played", "turn": 7},)


def test_the_game_of_a_club_is_a_game_like_any_other(tmp_path: Path) -> None:
    club = read_club(a_club(tmp_path / "club").folder)
    asked = question(club)
    take(club, reply(asked, an_order(asked)))

    for command in ("verify", "show"):
        assert run_program(command, a_table(club).game).returncode == 0


def test_a_full_disk_changes_nothing_and_the_mail_is_for_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    club = a_club(tmp_path / "club")
    asked = question(club)
    before = tree(club.folder)

    def full(_descriptor: int, _data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(TryAgain):
            take(club, reply(asked, an_order(asked)))
    with locked(a_table(club)):
        assert tree(club.folder) == before

    assert take(club, reply(asked, an_order(asked))).code == "played"


def test_a_locked_game_is_for_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    club = a_club(tmp_path / "club")
    asked = question(club)
    monkeypatch.setattr(ledger, "LONGEST_WAIT", 0.1)

    with files.locked(a_table(club).game), pytest.raises(TryAgain):
        take(club, reply(asked, an_order(asked)))
    assert take(club, reply(asked, an_order(asked))).code == "played"

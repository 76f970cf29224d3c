"""Many processes at once, as mail servers start them: one order is played, the others are told, and nothing is lost."""

import multiprocessing
import subprocess
from collections import Counter
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest
from clubs import ADDRESS, a_club, a_table, an_order, letters, the_asked, the_record
from forked import door
from people import Mail, a_mail, drop, read, reply

from pbem import files
from pbem.carriers.mail import take as taking
from pbem.carriers.mail.outgoing import maildir, outbox
from pbem.carriers.mail.service import run_once
from pbem.carriers.mail.settings import MailClub
from pbem.carriers.mail.take import take
from pbem.club.journal import journal_rows
from pbem.errors import TryAgain
from pbem.first_sparks.proof import verify

GAMES = ("friday", "monday", "sunday")


@pytest.fixture
def club(tmp_path: Path) -> MailClub:
    """A club with three games that have just begun, and two answers to each question that differ."""
    return a_club(tmp_path / "club", *GAMES)


def questions(club: MailClub) -> dict[str, Mail]:
    return {mail.subject[1:].partition("]")[0]: mail for mail in letters(club) if mail.asks}


def at_once(club: MailClub, *lines: tuple[str, bytes]) -> list[tuple[int, str, str]]:
    """Run commands at once, each with its mail; returns how each one ended and what it said."""
    processes = []
    for words, raw in lines:
        command = [door(), "mail", *words.format(club.folder).split()]
        pipe = subprocess.PIPE
        process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe)
        processes.append((process, raw))
    for process, raw in processes:  # all wait for their mail to begin with
        assert process.stdin is not None
        process.stdin.write(raw)
        process.stdin.close()
        process.stdin = None
    ends = []
    for process, _ in processes:
        out, err = process.communicate(timeout=120)
        ends.append((process.returncode, out.decode(), err.decode()))
    return ends


def taken_at_once(club: MailClub, *raws: bytes) -> list[int | None]:
    """Take mails in as many processes, which all begin at the same moment; returns how each one ended."""
    context = multiprocessing.get_context("fork")
    start = context.Barrier(len(raws))
    taking = [context.Process(target=_taken, args=(start, club, raw)) for raw in raws]
    for process in taking:
        process.start()
    for process in taking:
        process.join(60)
    return [process.exitcode for process in taking]


def _taken(start: Barrier, club: MailClub, raw: bytes) -> None:
    start.wait(30)
    take(club, raw)


def codes(club: MailClub, game: str) -> list[str]:
    return sorted(row["code"] for row in journal_rows(a_table(club, game).journal) if row["code"] != "begun")


def test_of_two_orders_for_one_game_one_is_played_and_the_other_told(club: MailClub) -> None:
    asked = questions(club)["friday"]
    one, other = (tap.body.split("\n", 1)[0] for tap in asked.taps[:2])

    ends = at_once(club, ("take {}", reply(asked, one)), ("take {}", reply(asked, other)))

    assert [status for status, _, _ in ends] == [0, 0], ends
    assert codes(club, "friday") == ["late", "played"]
    assert the_record(club).turn == 1
    told = [read(path.read_bytes()) for path in outbox.waiting(club)]
    assert sum("You answered a letter of turn 0" in " ".join(mail.text.split()) for mail in told) == 1
    assert sum(mail.to == asked.to for mail in told) >= 1
    assert sum(mail.to == the_asked(club).address and mail.asks for mail in told) >= 1


def test_the_same_mail_delivered_by_many_is_played_once(club: MailClub) -> None:
    asked = questions(club)["friday"]
    raw = reply(asked, an_order(asked))

    ends = at_once(club, *[("take {}", raw)] * 6)

    assert [status for status, _, _ in ends] == [0] * 6, ends
    assert codes(club, "friday") == ["played"]
    assert len(outbox.waiting(club)) == 2  # a receipt and a question


def test_different_games_do_not_disturb_each_other(club: MailClub) -> None:
    found = questions(club)

    ends = at_once(club, *(("take {}", reply(mail, an_order(mail))) for mail in found.values()))

    assert [status for status, _, _ in ends] == [0, 0, 0], ends
    assert {game: the_record(club, game).turn for game in GAMES} == dict.fromkeys(GAMES, 1)


@pytest.mark.slow
def test_take_run_tick_and_send_at_once_lose_nothing(club: MailClub) -> None:
    """Whoever finds the game locked waits; what has to be left for later is left whole."""
    found = questions(club)
    for turn in range(3):
        for game, mail in found.items():
            drop(club.folder, reply(mail, an_order(mail)), f"{game}-{turn}")
        lines = [("take {}", reply(mail, an_order(mail))) for mail in found.values()]
        lines += [("run {} --once", b""), ("run {} --once", b""), ("tick {} --now 2026-11-21T12:00:00Z", b"")]
        lines += [("send {}", b""), ("status {}", b"")]

        ends = at_once(club, *lines)

        assert {status for status, _, _ in ends} <= {0, 75}, ends
        assert not [err for _, _, err in ends if "Traceback" in err]
        run_once(club)
        for game in GAMES:
            record = the_record(club, game)
            assert record.turn == turn + 1
            assert verify(record) == len(record.log)
            assert codes(club, game).count("played") == turn + 1
            assert not a_table(club, game).pending.exists()
        found = questions(club)
        assert set(found) == set(GAMES)
    assert not list((club.folder / "inbox" / "new").iterdir())


@pytest.mark.slow
def test_robots_strangers_and_orders_at_once_all_stand_in_the_journal(club: MailClub) -> None:
    for turn in range(6):
        asked = questions(club)
        mails = [reply(mail, an_order(mail)) for mail in asked.values()]
        mails += [a_mail(f"eve{turn}@evil.example", ADDRESS, "hello")]
        away = ("Auto-Submitted: auto-replied",)
        mails += [reply(mail, "away", headers=away, number=n) for mail in asked.values() for n in range(3)]

        assert taken_at_once(club, *mails) == [0] * 13

        rows = Counter(row["code"] for row in journal_rows(club.journal))
        assert rows == {"robot": 9 * (turn + 1), "stranger": turn + 1}
        assert {game: codes(club, game) for game in GAMES} == dict.fromkeys(GAMES, ["played"] * (turn + 1))


def test_the_same_letter_put_into_the_outbox_by_two_lies_there_once(
    club: MailClub, monkeypatch: pytest.MonkeyPatch
) -> None:
    letters(club)
    alone = files.replace

    def beside_another(path: Path, data: bytes, *, mode: int) -> None:
        alone(path, data, mode=mode)
        monkeypatch.setattr(files, "replace", alone)
        maildir.put(club.outbox, club.outbox / "new" / path.name, data)

    monkeypatch.setattr(files, "replace", beside_another)
    maildir.put(club.outbox, club.outbox / "new" / "a-letter", b"To: a@b.example\n\nhello\n")

    assert [path.name for path in outbox.waiting(club)] == ["a-letter"]


def test_a_line_of_the_clubs_journal_waits_for_who_writes_there(
    club: MailClub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(taking, "LONGEST_WAIT", 0.05)
    robot = a_mail("eve@evil.example", ADDRESS, "away", headers=["Auto-Submitted: auto-replied"])

    with files.locked(club.journal), pytest.raises(TryAgain):
        take(club, robot)

    assert take(club, robot).code == "robot"

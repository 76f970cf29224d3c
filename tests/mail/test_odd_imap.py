"""Whoever watches a mailbox survives what servers do: nothing is lost, little is asked, and no loop is busy."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path

import pytest
from clubs import ADDRESS, a_club, an_order, letters, the_asked, the_record
from imap_tools.idle import IdleManager
from odd_imap import OddImap, an_odd_imap
from people import a_mail, on_the_wire, read, reply
from servers import HOST

from pbem.carriers.mail.incoming import imap
from pbem.carriers.mail.incoming import mailbox as inbox
from pbem.carriers.mail.incoming.message import LARGEST, LARGEST_WHOLE
from pbem.carriers.mail.service import LONGEST_PAUSE, MailRun, run_once, watched
from pbem.carriers.mail.settings import MailClub, WayIn, read_club
from pbem.club.settings import club_text
from pbem.errors import TryAgain

pytestmark = pytest.mark.slow

SINCE = datetime(2026, 11, 20, 9, tzinfo=UTC)
POLL = 60.0


@pytest.fixture
def odd() -> Iterator[OddImap]:
    """The server."""
    with an_odd_imap() as server:
        yield server


@pytest.fixture
def club(tmp_path: Path, odd: OddImap, monkeypatch: pytest.MonkeyPatch) -> MailClub:
    """A club whose mailbox is there, with a game that has just begun."""
    monkeypatch.setenv("PBEM_TEST_PASSWORD", "a very secret word")
    club = a_club(tmp_path / "club")
    there = WayIn("imap", "INBOX", HOST, odd.port, "none", "pbem", "PBEM_TEST_PASSWORD")
    club = club.changed(incoming=there, since=SINCE.isoformat().replace("+00:00", "Z"))
    (club.folder / "club.toml").write_text(club_text(club))
    return read_club(club.folder)


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses between attempts, and the times for which mail is waited for: all of them pass at once."""
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    monkeypatch.setattr(IdleManager, "poll", lambda _, seconds: [])
    return pauses


def an_answer(club: MailClub) -> bytes:
    asked = next(mail for mail in letters(club) if mail.asks)
    return on_the_wire(reply(asked, an_order(asked)))


def rounds_of(club: MailClub, number: int) -> list[MailRun]:
    """Return so many rounds of a watching club."""
    rounds = watched(club, POLL)
    found = list(islice(rounds, number))
    rounds.close()
    return found


# The connection


def test_a_server_that_closes_after_half_an_hour_is_called_again_at_once(
    club: MailClub, odd: OddImap, slept: list[float]
) -> None:
    rounds = watched(club, POLL)
    assert [next(rounds).troubles for _ in range(10)] == [()] * 10

    odd.hangs_up = ["IDLE"]
    odd.put(an_answer(club))
    found = [next(rounds) for _ in range(2)]
    rounds.close()

    assert [each.troubles for each in found] == [(), ()]
    assert sum((each.verdicts for each in found), ())[0].code == "played"
    assert (odd.logins, slept) == (2, [])


def test_a_server_that_ends_every_connection_at_once_is_called_less_and_less_often(
    club: MailClub, odd: OddImap, slept: list[float]
) -> None:
    odd.hangs_up = ["IDLE"] * 100

    found = rounds_of(club, 14)

    assert len(slept) == odd.logins - 1 <= 7
    assert slept == sorted(slept)
    assert slept[:4] == [60, 120, 240, 300]
    assert max(slept) == LONGEST_PAUSE
    assert any(each.troubles for each in found)


def test_a_network_that_is_gone_for_hours_costs_few_attempts_and_then_all_is_well(
    club: MailClub, odd: OddImap, slept: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    rounds = watched(club, POLL)
    assert next(rounds).troubles == ()
    attempts: list[str] = []

    def no_network(incoming: WayIn) -> None:
        attempts.append(incoming.host)
        raise OSError(101, "Network is unreachable")

    odd.hangs_up = ["NOOP"]
    with monkeypatch.context() as patch:
        patch.setattr(imap, "connected", no_network)
        while sum(slept) < 6 * 3600:
            assert [type(trouble) for trouble in next(rounds).troubles] == [TryAgain]
    odd.put(an_answer(club))
    found = next(rounds)
    again = [next(rounds).troubles for _ in range(3)]
    rounds.close()

    assert len(attempts) <= 6 * 3600 / LONGEST_PAUSE + 10
    assert found.codes == {"played": 1}
    assert again == [()] * 3


@pytest.mark.parametrize("command", ["NOOP", "IDLE", "SEARCH", "FETCH"])
def test_a_connection_that_is_dead_without_a_word_is_given_up(
    club: MailClub, odd: OddImap, slept: list[float], monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """As after a night in which the machine was asleep: nobody says that the connection has ended."""
    monkeypatch.setattr(imap, "TIMEOUT", 1.0)
    rounds = watched(club, POLL)
    next(each for each in rounds if not each.troubles)

    odd.mute = [command]
    odd.put(an_answer(club))
    found = next(each for each in rounds if each.codes)
    for each in rounds:
        if not odd.mute and not each.troubles:
            break
    rounds.close()

    assert found.codes == {"played": 1}
    assert odd.logins > 1


def test_the_pauses_begin_anew_after_a_time_in_which_all_was_well(
    club: MailClub, odd: OddImap, slept: list[float]
) -> None:
    odd.hangs_up = ["SELECT"] * 3
    rounds = watched(club, POLL)
    for _ in range(6):
        next(rounds)
    odd.hangs_up = ["IDLE", "SELECT"]
    for _ in range(6):
        next(rounds)
    rounds.close()

    assert slept == [60, 120, 240, 60]


# What a server reports


@pytest.mark.parametrize("quirk", ["chatters", "still here"])
def test_a_server_that_talks_although_nothing_has_come_ends_no_wait(
    club: MailClub, odd: OddImap, monkeypatch: pytest.MonkeyPatch, quirk: str
) -> None:
    for number in range(3):
        odd.put(a_mail("eve@e.example", ADDRESS, f"hello {number}"))
    odd.chatters = quirk == "chatters"
    odd.idle_says = ["* OK Still here"] if quirk == "still here" else []
    heard: list[list[bytes]] = []
    poll = IdleManager.poll

    def listening(idle: IdleManager, seconds: float) -> list[bytes]:
        heard.append(poll(idle, seconds))
        return heard[-1]

    monkeypatch.setattr(IdleManager, "poll", listening)
    with inbox.opened(club) as box:
        assert len(list(box.mails())) == 3
        box.wait(0.3)
        assert (heard[-1], odd.count("IDLE")) == ([], 1)  # nothing but the end of the time has ended it

        odd.put(a_mail("eve@e.example", ADDRESS, "another"))
        box.wait(1500)


def test_a_mail_that_comes_when_another_one_goes_ends_the_wait(club: MailClub, odd: OddImap) -> None:
    for _ in range(2):
        odd.put(a_mail("eve@e.example", ADDRESS, "hello"))
    odd.idle_says = ["* 1 EXPUNGE\r\n* 2 EXISTS"]
    with inbox.opened(club) as box:
        list(box.mails())
        box.wait(1500)


# The folder


def test_a_folder_that_was_made_anew_is_read_and_nothing_is_played_twice(
    club: MailClub, odd: OddImap, slept: list[float]
) -> None:
    """All mails have other numbers (UIDVALIDITY) and no flags."""
    odd.put(an_answer(club))
    rounds = watched(club, POLL)
    assert next(rounds).codes == {"played": 1}

    odd.hangs_up = ["IDLE"]
    odd.make_anew()
    again = next(each for each in rounds if each.codes)
    rounds.close()

    assert again.codes == {"duplicate": 1}
    assert the_record(club).turn == 1
    assert odd.answered == set(odd.mails)
    assert len(slept) <= 1


def test_a_folder_that_is_deleted_while_it_is_watched_is_told_and_found_when_it_is_back(
    club: MailClub, odd: OddImap, slept: list[float]
) -> None:
    """The server keeps the connection, and says no to everything."""
    rounds = watched(club, POLL)
    next(rounds)
    odd.exists = False
    lost = [next(rounds) for _ in range(8)]
    asked = len(odd.asked)
    odd.exists = True
    odd.put(an_answer(club))
    found = next(each for each in rounds if each.verdicts)
    rounds.close()

    assert all(each.troubles for each in lost)
    told = {trouble.message for each in lost for trouble in each.troubles}
    assert any("cannot read the folder INBOX" in message for message in told)
    assert any("cannot open the folder INBOX" in message for message in told)
    assert len(slept) >= 6
    assert asked < 100
    assert found.codes == {"played": 1}


def test_a_search_that_is_refused_once_costs_one_round(club: MailClub, odd: OddImap, slept: list[float]) -> None:
    odd.put(an_answer(club))
    rounds = watched(club, POLL)
    odd.refuses = ["SEARCH"]

    first, second = next(rounds), next(rounds)
    rounds.close()

    assert (bool(first.troubles), second.codes) == (True, {"played": 1})
    assert (odd.logins, slept) == (1, [])


# Much mail, and large mail


def test_a_mailbox_with_many_thousands_of_old_mails_is_not_read(
    club: MailClub, odd: OddImap, slept: list[float]
) -> None:
    """Of mails from the day on which the club was made, the times are asked for once."""
    for number in range(50_000):
        odd.put(b"old", SINCE - timedelta(days=30 + number % 3000))
    for _ in range(700):
        odd.put(b"of that day", SINCE - timedelta(hours=3))
    odd.put(an_answer(club))
    rounds = watched(club, POLL)

    first = next(rounds)
    assert (first.codes, first.older) == ({"played": 1}, 50_700)
    assert odd.count("UID FETCH") <= 2 * 2 + 1
    assert sum(line.count(",") + 1 for line in odd.asked if line.startswith("UID FETCH")) < 1500
    before, sent = len(odd.asked), odd.sent
    for _ in range(10):
        assert next(rounds).troubles == ()
    rounds.close()

    assert odd.count("UID FETCH") <= 2 * 2 + 1
    assert len(odd.asked) - before <= 10 * 5
    assert odd.sent - sent < 10 * 8000  # the numbers of those 700


def test_a_mail_of_forty_megabytes_is_not_fetched_whole_and_its_sender_is_told(club: MailClub, odd: OddImap) -> None:
    odd.put(an_answer(club), padding=40_000_000)

    done = run_once(club)

    assert odd.sent < LARGEST + 10_000
    assert done.codes == {"refused": 1}
    assert the_record(club).turn == 0
    (told,) = [read(path.read_bytes()) for path in (club.outbox / "new").iterdir()]
    assert told.to == the_asked(club).address
    assert f"has {LARGEST_WHOLE} bytes or more" in " ".join(told.text.split())
    assert run_once(club).codes == {}


def test_a_mail_with_large_photos_is_played(club: MailClub, odd: OddImap) -> None:
    """25 megabytes of attachments have some 34 when they are encoded."""
    asked = next(mail for mail in letters(club) if mail.asks)
    words = f"--b\nContent-Type: text/plain\n\n{an_order(asked)}\n"
    photo = b"\r\n--b\r\nContent-Type: image/jpeg\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    raw = reply(asked, words).replace(b"text/plain; charset=utf-8", b"multipart/mixed; boundary=b", 1)
    odd.put(on_the_wire(raw) + photo, padding=34_000_000)

    assert run_once(club).codes == {"played": 1}

"""Mail without a ticket: who is answered, who never is, and how many letters strangers get in a day."""

import os
import re
from datetime import timedelta
from pathlib import Path

import pytest
from clubs import ADDRESS, ANN, HOST, START, a_club, a_table, an_order, letters, the_record, tree
from people import Mail, a_mail, reply
from work import Some

from pbem.carriers.mail.settings import MailClub, read_club
from pbem.carriers.mail.strangers import tally
from pbem.carriers.mail.strangers.tally import Day
from pbem.carriers.mail.take import LARGEST_JOURNAL, take
from pbem.club.folder import read_roster
from pbem.club.opening import open_game
from pbem.club.settings import club_text
from pbem.errors import NotUnderstood
from pbem.sha import sha256
from pbem.table.people import Opening

EVE = "eve@e.example"
TODAY = START.date().isoformat()
MARKED = [
    "X-Spam-Flag: YES",
    "X-Spam-Status: Yes, score=15.2 required=5.0",
    "X-Spam: Yes",
    "X-Rspamd-Action: add header",
    "X-Spamd-Result: default: True [15.10 / 15.00]; X(1.0)[]",
    "X-Bogosity: Spam, tests=bogofilter",
    "Subject: [SPAM] cheap pills",
    "Subject: ***SPAM*** cheap pills",
    "Authentication-Results: mx.example.org; dkim=none; dmarc=fail (p=none) header.from=e.example",
    "Authentication-Results: mx.example.org 1; spf=softfail smtp.mailfrom=e.example",
    "Authentication-Results: spf=fail (sender IP is 1.2.3.4) smtp.mailfrom=e.example; dkim=none; compauth=fail",
    'Authentication-Results: mx.example.org; spf=fail smtp.mailfrom="x; dkim=pass"@e.example (dmarc=pass)',
    "List-Unsubscribe: <mailto:x@e.example>",
    "Feedback-ID: 1:2:3:mailer",
]
ROBOTS = [
    "List-Id: <news.e.example>",
    "Precedence: bulk",
    "Precedence: junk",
    "Auto-Submitted: auto-generated",
    "X-Cron-Env: <SHELL=/bin/sh>",
]
SOUND = [
    "X-Spam-Flag: NO",
    "X-Spam-Status: No, score=-1.1",
    "X-Rspamd-Action: no action",
    "X-Spamd-Result: default: False [0.10 / 15.00]",
    "Subject: spam the cave",
    "Authentication-Results: mx.example.org; spf=pass; dkim=pass header.d=e.example; dmarc=pass",
    # Forwarding breaks SPF, and a signature outlasts it.
    "Authentication-Results: mx.example.org; spf=fail smtp.mailfrom=e.example; dkim=pass header.d=e.example",
    "Authentication-Results: mx.example.org; spf=fail\nAuthentication-Results: mx.example.org; dkim=pass",
    "Authentication-Results: mx.example.org; none",
    "X-Auto-Response-Suppress: All",
]


@pytest.fixture
def club(tmp_path: Path) -> MailClub:
    """A club that answers strangers, with a game that has begun and nothing in its outbox."""
    club = a_club(tmp_path / "club")
    letters(club)
    return club


@pytest.fixture
def silent(club: MailClub) -> MailClub:
    """The same as ``pbem mail init`` makes it."""
    return changed(club, strangers="silent")


def changed(club: MailClub, **settings: object) -> MailClub:
    club = club.changed(**settings)  # type: ignore[arg-type]
    (club.folder / "club.toml").write_text(club_text(club))
    return read_club(club.folder)


def with_free_seats(club: MailClub, seats: int = 4) -> MailClub:
    open_game(club, "monday", (), Opening(seats, "recommended"), None)
    return club


def hello(*headers: str, to: str = ADDRESS, sender: str = EVE, words: str = "hello") -> bytes:
    """Return a mail with these headers, which may have a subject of its own."""
    raw = a_mail(sender, to, words, headers=headers)
    return raw.replace(b"Subject: hello\n", b"") if any(line.startswith("Subject:") for line in headers) else raw


# Who is answered at all


def test_a_new_club_answers_no_stranger_while_no_game_has_free_seats(silent: MailClub) -> None:
    for mail in (hello(), hello(words="join friday Eve"), hello(words="join nothing Eve")):
        verdict = take(silent, mail, START)
        assert (verdict.code, verdict.message) == ("silent", "a stranger, and no game has free seats")
    assert letters(silent) == []
    assert tally.days_of(silent) == ()


def test_it_answers_while_a_game_has_free_seats(silent: MailClub) -> None:
    with_free_seats(silent, 2)

    assert take(silent, hello(), START).code == "stranger"
    assert take(silent, hello(words="join friday Eve"), START).code == "refused"
    for name in ("Dan", "Eve"):
        letters(silent)
        assert take(silent, hello(words=f"join monday {name}", sender=f"{name}@d.example"), START).code == "asked"
        (asked,) = letters(silent)
        assert take(silent, reply(asked, "yes"), START).code in ("joined", "begun")

    assert take(silent, hello(sender="fay@f.example"), START).code == "silent"


def test_who_has_a_letter_of_ours_is_answered_when_the_last_seat_is_taken(silent: MailClub) -> None:
    """The ticket proves the address: no stranger makes us write."""
    with_free_seats(silent, 2)
    asked = []
    for name in ("Dan", "Eve", "Fay"):
        take(silent, hello(words=f"join monday {name}", sender=f"{name.lower()}@d.example"), START)
        asked += letters(silent)
    for mail in asked[:2]:
        take(silent, reply(mail, "yes"), START)
    letters(silent)

    assert take(silent, reply(asked[2], "yes"), START).code == "refused"
    (told,) = letters(silent)
    assert "has already begun" in told.text


@pytest.mark.parametrize("settings", [{"strangers": "silent"}, {"strangers_a_day": 0}])
def test_a_player_who_forgets_the_ticket_is_sent_the_question_all_the_same(
    club: MailClub, settings: dict[str, object]
) -> None:
    assert take(changed(club, **settings), hello(sender=ANN), START).code == "reminded"


@pytest.mark.parametrize("sender", [EVE, ANN])
@pytest.mark.parametrize("words", ["hello", "join monday Eve"])
@pytest.mark.parametrize("header", MARKED)
def test_spam_and_forged_mail_is_never_answered(club: MailClub, sender: str, words: str, header: str) -> None:
    """Not in the name of a player either, whose mailbox would fill."""
    with_free_seats(club)
    before = tree(club.games)

    assert take(club, hello(header, sender=sender, words=words), START).code == "spam"
    assert letters(club) == []
    assert tree(club.games) == before
    assert tally.days_of(club) == (Day(TODAY, spam=1),)


@pytest.mark.parametrize("sender", [EVE, ANN])
@pytest.mark.parametrize("header", ROBOTS)
def test_robots_and_lists_are_never_answered(club: MailClub, sender: str, header: str) -> None:
    assert take(club, hello(header, sender=sender), START).code == "robot"
    assert letters(club) == []


@pytest.mark.parametrize("sender", ["root", "daemon", "cron", "noreply", "mailer-daemon", "owner-news", "news-request"])
def test_machines_are_never_answered(club: MailClub, sender: str) -> None:
    assert take(club, hello(sender=f"{sender}@e.example"), START).code in ("robot", "spam")
    assert letters(club) == []


@pytest.mark.parametrize("header", SOUND)
def test_mail_that_is_found_good_is_answered(club: MailClub, header: str) -> None:
    assert take(club, hello(header), START).code == "stranger"


@pytest.mark.parametrize("header", MARKED)
def test_a_ticket_proves_a_player_however_nervous_a_spam_filter_is(tmp_path: Path, header: str) -> None:
    club = a_club(tmp_path / "new")
    question = next(mail for mail in letters(club) if mail.asks)

    assert take(club, reply(question, an_order(question), headers=[header]), START, True).code == "played"
    assert the_record(club).turn == 1


@pytest.mark.parametrize("header", MARKED)
def test_a_yes_with_the_ticket_counts_however_nervous_a_spam_filter_is(club: MailClub, header: str) -> None:
    with_free_seats(club)
    take(club, hello(words="join monday Eve"), START)
    (asked,) = letters(club)

    assert take(club, reply(asked, "yes", headers=[header]), START).code == "joined"


def test_a_flag_of_the_mailbox_is_a_mark_of_spam_too(club: MailClub) -> None:
    assert take(club, hello(), START, True).code == "spam"
    assert letters(club) == []


def test_only_the_results_of_the_server_in_the_settings_count(club: MailClub) -> None:
    club = changed(club, authserv="mx.example.org")
    other = "Authentication-Results: mx.elsewhere.example; dmarc=fail"
    own = "Authentication-Results: MX.example.org; dmarc=fail"

    assert take(club, hello(other), START).code == "stranger"
    assert take(club, hello(other, own, words="another"), START).code == "spam"


@pytest.mark.parametrize("odd", ["(", '"', ";", "a=b;", "()", "((", "spf=", "dkim=pass (", "\\"])
@pytest.mark.parametrize("number", [1, 2, 999])
def test_nothing_that_a_sender_puts_before_it_hides_a_check_that_failed(club: MailClub, odd: str, number: int) -> None:
    assert take(club, hello(f"Authentication-Results: mx; {odd * number}; dmarc=fail"), START).code == "spam"


# To whom it was sent


@pytest.mark.parametrize(
    "headers",
    [
        ["To: friends@e.example"],
        [],  # undisclosed recipients
        ["To: friends@e.example", f"Bcc: {ADDRESS}"],
        ["To: friends@e.example", f"Delivered-To: {ADDRESS}", f"X-Original-To: {ADDRESS}"],
        ["To: ann@example.org", "Delivered-To: shared@example.org", "X-Original-To: ann@example.org"],
        ["To: pbem@example.com", "Cc: pbem-more@example.org"],
    ],
    ids=str,
)
def test_mail_that_does_not_name_the_club_is_never_answered(club: MailClub, headers: list[str]) -> None:
    raw = hello(*headers).replace(f"To: {ADDRESS}\n".encode(), b"", 1)

    assert take(club, raw, START).code == "silent"
    assert letters(club) == []


@pytest.mark.parametrize(
    "headers",
    [
        [f"To: {ADDRESS}"],
        ["To: friends@e.example", f"Cc: The MailClub <{ADDRESS.upper()}>"],
        ["To: pbem+something@example.org"],
        # An alias: the server rewrites it, and says so.
        ["To: games@example.org", f"Delivered-To: {ADDRESS}", "X-Original-To: games@example.org"],
        ["Cc: games@example.org", f"X-Delivered-To: {ADDRESS}", "Envelope-To: games@example.org"],
    ],
    ids=str,
)
def test_mail_that_names_the_club_or_its_alias_is_answered(club: MailClub, headers: list[str]) -> None:
    raw = hello(*headers, to="nobody").replace(b"To: nobody\n", b"", 1)

    assert take(club, raw, START).code == "stranger"


def test_an_order_that_came_by_blind_copy_is_played(tmp_path: Path) -> None:
    club = a_club(tmp_path / "new")
    question = next(mail for mail in letters(club) if mail.asks)
    raw = re.sub(rb"(?m)^To: .*$", b"To: friends@e.example", reply(question, an_order(question)))

    assert take(club, raw, START).code == "played"


# So many a day


def flood(club: MailClub, number: int, words: str = "buy now", day: int = 0) -> list[str]:
    """Return what becomes of mails from so many forged senders."""
    mails = (hello(sender=f"v{n}.{day}@v{n}.example", words=words) for n in range(number))
    return [take(club, mail, START + timedelta(days=day)).code for mail in mails]


def newcomer(club: MailClub, day: int) -> list[Mail]:
    """Return the letters to somebody who wants to join and asks, then says yes."""
    letters(club)
    at = START + timedelta(days=day)
    assert take(club, hello(sender="zoe@z.example", words="join monday Zoe"), at).code == "asked"
    (asked,) = letters(club)
    assert take(club, reply(asked, "yes"), at).code == "joined"
    return letters(club)


@pytest.mark.slow
def test_ten_thousand_forged_senders_get_twenty_letters_and_shut_nobody_out(
    silent: MailClub, monkeypatch: pytest.MonkeyPatch, some: Some
) -> None:
    """A tenth of them without ``--full``."""
    senders = len(list(some(range(10_000), 10)))
    monkeypatch.setattr(os, "fsync", lambda _: None)  # the disk is not what is tried here
    with_free_seats(silent)

    codes = flood(silent, senders)

    assert [codes.count(code) for code in ("stranger", "silent")] == [20, senders - 20]
    mails = letters(silent)
    (told,) = [mail for mail in mails if mail.to == HOST]
    assert len(mails) == 21
    text = " ".join(told.text.split())
    assert f"Letters to strangers have reached the limit for {TODAY} (UTC): strangers_a_day = 20 in club.toml." in text
    assert newcomer(silent, 0)
    assert take(silent, hello(), START + timedelta(days=1)).code == "stranger"
    files = [path for path in silent.folder.rglob("*") if path.is_file() and "games" not in path.parts]
    assert len(files) < 60
    assert sum(path.stat().st_size for path in files) < 3 * LARGEST_JOURNAL


def test_forged_wishes_to_join_shut_a_newcomer_out_for_a_day_and_the_host_is_told(silent: MailClub) -> None:
    with_free_seats(silent)

    codes = flood(silent, 50, "join monday Eve")

    assert [codes.count(code) for code in ("asked", "silent")] == [20, 30]
    (told,) = [mail for mail in letters(silent) if mail.to == HOST]
    assert "raise the limit and ask the player to write again" in " ".join(told.text.split())
    assert take(silent, hello(sender="zoe@z.example", words="join monday Zoe"), START).code == "silent"
    assert take(silent, hello(), START).code == "stranger"  # another budget
    assert newcomer(silent, 1)


def test_who_has_a_letter_confirms_when_the_day_has_no_more_letters(silent: MailClub) -> None:
    with_free_seats(silent)
    take(silent, hello(sender="zoe@z.example", words="join monday Zoe"), START)
    (asked,) = letters(silent)
    flood(silent, 30, "join monday Eve")
    letters(silent)

    assert take(silent, reply(asked, "hm?"), START).code == "asked"
    (again,) = letters(silent)
    assert take(silent, reply(again, "yes"), START).code == "joined"
    assert [player.name for player in read_roster(a_table(silent, "monday")).players] == ["Zoe"]


def test_the_host_is_told_of_each_limit_once_a_day_with_the_number_of_spam(club: MailClub) -> None:
    with_free_seats(changed(club, strangers_a_day=2))
    club = read_club(club.folder)
    for number in range(3):
        take(club, hello("X-Spam-Flag: YES", words=str(number)), START)

    told = []
    for day in (0, 0, 1):
        flood(club, 5, day=day)
        flood(club, 5, "join monday Eve", day=day)
        told.append([" ".join(mail.text.split()) for mail in letters(club) if mail.to == HOST])

    assert [len(each) for each in told] == [2, 0, 2]
    assert all("3 more messages were marked as spam or as forged" in text for text in told[0])
    assert not any("marked as spam" in text for text in told[2])


def test_a_host_who_wants_no_letters_to_strangers_is_told_of_no_limit(club: MailClub) -> None:
    club = changed(club, strangers_a_day=0)

    assert flood(club, 3) == ["silent"] * 3
    assert letters(club) == []
    assert tally.days_of(club) == (Day(TODAY, unanswered=3),)


def test_numbers_of_a_week_are_kept(club: MailClub) -> None:
    for day in range(10):
        take(club, hello(sender=f"{day}@e.example"), START + timedelta(days=day))

    days = tally.days_of(club)

    assert [day.day for day in days] == [f"2026-11-{number}" for number in range(24, 31)]
    assert {day.letters for day in days} == {1}


def test_status_tells_the_numbers(club: MailClub) -> None:
    flood(changed(club, strangers_a_day=2), 5)
    club = read_club(club.folder)
    take(club, hello("X-Spam-Flag: YES"), START)
    take(club, hello(), START + timedelta(days=1))

    blank, title, *lines = tally.lines_of(tally.days_of(club), tally.older_mails(club))

    assert blank == ""
    assert title.split() == ["mail", "from", "strangers", "answered", "invited", "over", "the", "limit", "spam"]
    assert [line.split() for line in lines] == [[TODAY, "2", "0", "3", "1"], ["2026-11-22", "1", "0", "0", "0"]]
    assert max(map(len, (title, *lines))) <= 72


def test_the_journal_of_the_club_stays_short(club: MailClub) -> None:
    club.journal.write_bytes(b'{"digest": "x"}\n' * (LARGEST_JOURNAL // 16 + 1))
    take(club, hello(), START)
    old = club.folder / "journal.old.ndjson"

    assert old.stat().st_size > LARGEST_JOURNAL
    assert sha256(hello()).hexdigest() in club.journal.read_text()
    assert len(club.journal.read_text().splitlines()) == 1


@pytest.mark.parametrize(
    ("setting", "key", "hint"),
    [
        ('strangers = "maybe"', "strangers", '"answer" or "silent"'),
        ("strangers = true", "strangers", '"answer" or "silent"'),
        ("strangers_a_day = -1", "strangers_a_day", "0 to 1000"),
        ("strangers_a_day = 1001", "strangers_a_day", "0 to 1000"),
        ('strangers_a_day = "20"', "strangers_a_day", "a whole number"),
        ('authserv = "mail.example.org; dmarc=fail"', "authserv", "mail.example.org"),
        ('since = "yesterday"', "since", "2026-11-21T18:30:00Z"),
    ],
)
def test_a_setting_that_cannot_be_is_told_with_what_it_may_be(
    club: MailClub, setting: str, key: str, hint: str
) -> None:
    path = club.folder / "club.toml"
    kept = [line for line in path.read_text().split("\n") if not line.startswith(f"{key} =")]
    path.write_text("\n".join([kept[0], setting, *kept[1:]]))

    with pytest.raises(NotUnderstood) as told:
        read_club(club.folder)

    assert key in told.value.message
    assert hint in told.value.hint

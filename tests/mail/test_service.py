"""One look into the mailbox: trouble with a letter or a game stops no other clock, and the host sees it."""

import os
from datetime import timedelta
from pathlib import Path

import pytest
from clubs import ADDRESS, HOST, START, a_club, a_table, an_order, has_ticked, letters, terms, the_asked, the_record
from forked import run_program
from people import a_mail, drop, read, reply
from servers import Sink, a_port

from pbem.carriers.mail.incoming import mailbox as inbox
from pbem.carriers.mail.outgoing import delays as overdue
from pbem.carriers.mail.outgoing import outbox
from pbem.carriers.mail.service import clocked, run_once, watched
from pbem.carriers.mail.settings import MailClub, WayIn, WayOut
from pbem.carriers.mail.take import games_named, take
from pbem.carriers.mail.tickets import address_of
from pbem.club import host
from pbem.club.folder import read_roster
from pbem.club.settings import club_text
from pbem.club.status import letter_lines, rows_of
from pbem.errors import NotUnderstood, TryAgain
from pbem.reading.ticket import ticket
from pbem.table.clock import instant
from pbem.table.letters.letter import paragraphs
from pbem.table.letters.notices import notice


@pytest.fixture
def club(tmp_path: Path) -> MailClub:
    """A club with two games of which nobody has answered a mail, and an SMTP server that is not there."""
    club = a_club(tmp_path / "club", "friday", "monday")
    club = club.changed(outgoing=WayOut("smtp", "127.0.0.1", a_port(), "none"))
    (club.folder / "club.toml").write_text(club_text(club))
    return club


def served(club: MailClub, sink: Sink) -> MailClub:
    club = club.changed(outgoing=club.outgoing._replace(port=sink.port))
    (club.folder / "club.toml").write_text(club_text(club))
    return club


def test_the_clock_ticks_although_no_letter_goes_out(club: MailClub) -> None:
    done = run_once(club, START)

    assert [type(trouble) for trouble in done.troubles] == [TryAgain]
    assert done.sent.left == 6
    assert has_ticked(a_table(club, "friday"))


def test_the_clock_ticks_only_if_it_is_said_what_time_it_is(club: MailClub) -> None:
    run_once(club)

    assert not has_ticked(a_table(club, "friday"))


def test_the_clock_stands_still_while_the_mailbox_cannot_be_read(
    club: MailClub, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(_: object) -> None:
        raise TryAgain("the connection is lost")

    monkeypatch.setattr(inbox.Maildir, "mails", lost)

    assert run_once(club, START).troubles
    assert not has_ticked(a_table(club, "friday"))


def test_the_clock_stands_still_in_a_game_of_which_a_mail_cannot_be_taken(
    club: MailClub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The mail may be the answer for which the clock would answer."""
    asked = next(mail for mail in letters(club) if mail.asks and "[friday]" in mail.subject)
    drop(club.folder, reply(asked, an_order(asked)), "1")

    def busy(*_: object) -> None:
        raise TryAgain("the game is locked")

    with monkeypatch.context() as patch:
        patch.setattr("pbem.carriers.mail.service.take", busy)
        done = run_once(club, START)

    assert (done.later, has_ticked(a_table(club, "friday")), has_ticked(a_table(club, "monday"))) == (1, False, True)
    assert run_once(club, START).codes == {"played": 1}
    assert has_ticked(a_table(club, "friday"))


def test_a_game_that_cannot_be_read_stops_no_other_clock(club: MailClub) -> None:
    asked = next(mail for mail in letters(club) if mail.asks and "[friday]" in mail.subject)
    drop(club.folder, reply(asked, an_order(asked)), "1")
    a_table(club).private.write_text("nothing")

    done = run_once(club, START)

    assert (done.later, has_ticked(a_table(club, "monday"))) == (1, True)
    assert str(a_table(club).private) in done.troubles[0].message


def test_a_game_that_cannot_be_read_is_told_without_a_clock_too(club: MailClub) -> None:
    club = club.changed(outgoing=WayOut())
    assert run_once(club).troubles == ()

    a_table(club, "friday").game.write_text("what is this")

    (trouble,) = run_once(club).troubles
    assert "friday" in trouble.message


@pytest.mark.parametrize("forged", [True, False])
def test_a_forged_ticket_stops_no_clock_but_that_of_a_game_that_cannot_be_read(club: MailClub, forged: bool) -> None:
    """A real one beside it does: the mail may be the answer for which the clock would answer."""
    seat = the_asked(club, "monday")
    unsound = address_of(ticket(b"guess", "friday", seat.colour, 0), ADDRESS)
    other = address_of(ticket(b"guess" if forged else seat.key, "monday", seat.colour, 0), ADDRESS)
    drop(club.folder, a_mail("eve@evil.example", f"{unsound}, {other}", "offer 7"), "1")
    a_table(club).private.write_text("nothing")

    done = run_once(club, START)

    assert (done.later, has_ticked(a_table(club, "monday"))) == (1, forged)
    friday = a_mail("eve@evil.example", unsound, "offer 7")
    assert games_named(club, friday) == {"friday"}


def test_who_has_lost_the_seat_stops_no_clock(club: MailClub) -> None:
    mine = next(mail for mail in letters(club) if mail.asks and "[friday]" in mail.subject)
    assert games_named(club, reply(mine, "offer 7")) == {"friday"}

    host.replace(club, a_table(club), the_asked(club).colour, "Zoe", "zoe@z.example")

    assert games_named(club, reply(mine, "offer 7")) == set()


def test_what_is_wrong_with_one_file_of_the_club_keeps_no_other_work_back(club: MailClub) -> None:
    assert take(club, a_mail("eve@e.example", ADDRESS, "hello")).code == "stranger"
    (path,) = (club.folder / "strangers").iterdir()
    os.utime(path, (START.timestamp(), START.timestamp()))
    (club.folder / "waiting.toml").write_text("nothing")

    _, troubles = clocked(club, START + timedelta(days=31))

    assert len(troubles) == 1
    assert "waiting.toml" in troubles[0].message
    assert not path.exists()


def test_the_line_for_cron_takes_ticks_and_tells(club: MailClub) -> None:
    terms(club, 'deadline = "1 hour"\nreminders = []\n')
    clocked(club, START)
    letters(club)

    done = run_program("mail", "run", club.folder, "--once", "--now", "2026-11-21T13:30:00Z")

    assert done.returncode == 75
    assert done.stdout == f"friday: {the_asked(club).name} was warned and has until Sun 22 Nov, 01:30 UTC\n"
    assert "not everything was done: 0 messages processed, 0 letters sent, 1 in the outbox" in done.stderr


def test_nobody_is_warned_or_decided_for_whose_letters_cannot_be_sent(club: MailClub) -> None:
    terms(club, 'deadline = "1 day"\nreminders = []\ngrace = "12 hours"\nthen = "answer"\n')

    stands = [clocked(club, START + timedelta(hours=12 * each))[0] for each in range(9)]
    letters(club)
    at_once, _ = clocked(club, START + timedelta(hours=109))
    warned, _ = clocked(club, START + timedelta(hours=140))

    assert [what for done in stands for game in done for what in game.what] == []
    told = [what for game in at_once for what in game.what]
    assert told, "that time does not count"
    assert all(what.startswith("the clock did not tick for more than 36 hours") for what in told)
    assert all("was warned" in what for game in warned for what in game.what)
    assert warned


# Letters that wait


def test_the_host_is_told_once_of_letters_that_have_waited_for_a_day(club: MailClub) -> None:
    waiting = {path.name for path in outbox.waiting(club)}
    for time in ("2026-11-21T12:00:00Z", "2026-11-22T11:59:00Z"):
        overdue.look(club, instant(time))
        assert {path.name for path in outbox.waiting(club)} == waiting

    for time in ("2026-11-22T12:00:00Z", "2026-11-22T12:00:00Z", "2026-11-24T12:00:00Z"):
        overdue.look(club, instant(time))

    (new,) = {path.name for path in outbox.waiting(club)} - waiting
    told = read((club.outbox / "new" / new).read_bytes())
    assert told.to == HOST
    assert all(name in " ".join(told.text.split()) for name in waiting)


def test_of_very_many_letters_that_wait_the_host_is_told_once_how_many_there_are(club: MailClub) -> None:
    for number in range(2000):
        (club.outbox / "new" / f"saturday-0001-{number:024}").write_text("To: ann@x.example\n\nWhere are you?\n")
    before = {path.name for path in outbox.waiting(club)}

    for time in ("2026-11-21T12:00:00Z", "2026-11-22T12:00:00Z", "2026-11-22T13:00:00Z", "2026-11-24T12:00:00Z"):
        overdue.look(club, instant(time))

    (new,) = {path.name for path in outbox.waiting(club)} - before
    told = " ".join(read((club.outbox / "new" / new).read_bytes()).text.split())
    assert told.count("saturday-0001-") == overdue.MOST_TOLD - 6
    assert f"And {overdue.MOST_NOTED - overdue.MOST_TOLD} more; pbem mail status CLUB lists them all." in told


def test_letters_that_have_gone_out_are_forgotten(club: MailClub) -> None:
    overdue.look(club, instant("2026-11-21T12:00:00Z"))
    letters(club)

    overdue.look(club, instant("2026-11-23T12:00:00Z"))

    assert outbox.waiting(club) == ()


def test_nothing_waits_where_letters_are_left_as_files(club: MailClub) -> None:
    club = club.changed(outgoing=WayOut())

    overdue.look(club, instant("2026-11-21T12:00:00Z"))
    overdue.look(club, instant("2026-11-23T12:00:00Z"))

    assert len(outbox.waiting(club)) == 6
    assert list(overdue.rows_of(club)) == []


def test_status_says_which_letters_wait_and_since_when(club: MailClub) -> None:
    overdue.look(club, instant("2026-11-21T12:00:00Z"))

    rows = list(overdue.rows_of(club))

    assert {(row["refused"], row["since"]) for row in rows} == {(False, "2026-11-21T12:00:00Z")}
    lines = list(letter_lines(rows))
    assert f"  {rows[0]['to']}, since Sat 21 Nov, 12:00 UTC: {rows[0]['name']}" in lines


# Letters that are refused for good


def test_a_server_that_refuses_everything_is_told_on_standard_error_and_by_status(club: MailClub, sink: Sink) -> None:
    served(club, sink)
    sink.answers = ["554 relay denied"] * 12

    done = run_program("mail", "run", club.folder, "--once")

    assert done.stdout == "0 messages processed, 0 letters sent, 12 rejected permanently, 0 in the outbox\n"
    assert "letters to the host are rejected too" in done.stderr
    assert "554 relay denied" in done.stderr
    rows = list(overdue.rows_of(club))
    assert [row["refused"] for row in rows] == [True] * 12
    assert {row["to"] for row in rows} > {HOST}
    assert f"  {rows[0]['to']}: {rows[0]['name']}" in list(letter_lines(rows))


@pytest.mark.parametrize("at_rcpt", [True, False])
def test_who_is_refused_by_address_is_as_unreachable_as_whose_letters_come_back(
    club: MailClub, sink: Sink, at_rcpt: bool
) -> None:
    seat = the_asked(club)
    if at_rcpt:
        sink.unknown = {seat.address}
    else:
        sink.answers = ["554 I do not like it"] * 6
    outbox.send(served(club, sink))

    found = next(row["unreachable"] for row in rows_of(club) if row["game"] == "friday")

    assert found == ([{"colour": seat.colour, "name": seat.name, "address": seat.address}] if at_rcpt else [])


def test_what_the_letter_about_a_refused_one_says_works(club: MailClub, sink: Sink) -> None:
    seat = the_asked(club)
    sink.unknown = {seat.address}
    outbox.send(served(club, sink))
    notices = [" ".join(read(mail.raw).text.split()) for mail in sink.mails if mail.recipients == (HOST,)]
    (told,) = [text for text in notices if "friday-" in text]
    assert f"pbem mail replace CLUB friday {seat.colour} NAME=ADDRESS" in told
    assert "pbem mail resend CLUB friday" in told
    players = a_table(club).private

    players.write_text(players.read_text().replace(seat.address, "right@x.example"))
    host.resend(club, a_table(club))

    assert outbox.send(served(club, sink)).sent == 1
    assert sink.mails[-1].recipients == ("right@x.example",)
    assert next(row["unreachable"] for row in rows_of(club) if row["game"] == "friday") == []
    assert read_roster(a_table(club)).player(seat.colour) == seat._replace(address="right@x.example")
    assert the_record(club).turn == 0


def test_a_notice_that_reaches_the_host_leaves_nothing_untold(club: MailClub, sink: Sink) -> None:
    letters(club)
    club.put(notice(HOST, "trouble", paragraphs(("There is trouble.",))))

    assert outbox.send(served(club, sink)).untold == ""
    assert sink.mails[0].recipients == (HOST,)


def test_a_watching_club_whose_password_file_is_gone_waits_for_it(club: MailClub, tmp_path: Path) -> None:
    """As for a server that is away; but with settings that only a person can mend it does not begin."""
    secret = tmp_path / "secret"
    there = WayIn("imap", "INBOX", "127.0.0.1", 1, "none", "pbem", "", str(secret))
    club = club.changed(incoming=there, outgoing=WayOut())
    rounds = watched(club, 0.01)
    (gone,), (still,) = next(rounds).troubles, next(rounds).troubles
    secret.write_text("word\n")
    (away,) = next(rounds).troubles
    rounds.close()

    assert gone.message == still.message == f"{secret} cannot be opened: no such file or directory"
    assert away.message.startswith("cannot connect to the mail server")

    secret.write_text("")
    with pytest.raises(NotUnderstood):
        next(watched(club, 0.01))

"""Mail is fetched from real IMAP servers, and stays there until it was dealt with."""

import shutil
import smtplib
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from clubs import ADDRESS, a_club, a_table, an_order, has_ticked, letters, the_asked, the_record
from forked import run_program
from imap_tools import MailBoxUnencrypted, MailMessage
from imap_tools.idle import IdleManager
from people import Mail, a_mail, on_the_wire, read, reply
from servers import DOMAIN, HOST, PASSWORD, Devel, Dovecot, Sink, a_dovecot, a_port, wait_until

from pbem.carriers.mail.incoming import mailbox as inbox
from pbem.carriers.mail.incoming.imap import Imap
from pbem.carriers.mail.service import run_once, watched
from pbem.carriers.mail.settings import MailClub, WayIn, WayOut, read_club
from pbem.club.host import resend
from pbem.club.settings import club_text
from pbem.errors import NotUnderstood, TryAgain, UsageError

pytestmark = pytest.mark.slow

USER = "pbem"


def fetching(club: MailClub, port: int, user: str = USER) -> MailClub:
    """Return the club with its mailbox at that port, in its file too."""
    (club.folder / "password").write_text(f"{PASSWORD}\n")
    there = WayIn("imap", "INBOX", HOST, port, "none", user, password_file=str(club.folder / "password"))
    club = club.changed(incoming=there)
    (club.folder / "club.toml").write_text(club_text(club))
    assert read_club(club.folder) == club
    return club


@pytest.fixture
def club(tmp_path: Path, dovecot: Dovecot) -> MailClub:
    """A club that fetches its mail from Dovecot, in which a game has just begun."""
    return fetching(a_club(tmp_path / "club"), dovecot.imap)


def question(club: MailClub) -> Mail:
    return next(mail for mail in letters(club) if mail.asks)


def deliver(dovecot: Dovecot, raw: bytes) -> None:
    dovecot.deliver(f"{USER}@{DOMAIN}", on_the_wire(raw), "ann@home.test")


@contextmanager
def mailbox(port: int) -> Iterator[MailBoxUnencrypted]:
    with MailBoxUnencrypted(HOST, port).login(USER, PASSWORD) as box:
        yield box


def seen_by_the_host(port: int) -> list[MailMessage]:
    """Return what lies in the mailbox; their flags are those from before."""
    with mailbox(port) as box:
        return list(box.fetch(mark_seen=False))


def pbem(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return run_program("mail", *arguments)


def test_a_mail_is_played_and_flagged_and_not_taken_again(club: MailClub, dovecot: Dovecot) -> None:
    asked = question(club)
    deliver(dovecot, reply(asked, an_order(asked)))

    assert run_once(club).codes == {"played": 1}
    (mail,) = seen_by_the_host(dovecot.imap)
    assert set(mail.flags) >= {"\\Answered", "\\Seen"}
    assert run_once(club).codes == {}
    assert the_record(club).turn == 1


def test_a_mail_that_cannot_be_taken_now_is_not_flagged_and_is_taken_later(club: MailClub, dovecot: Dovecot) -> None:
    asked = question(club)
    deliver(dovecot, reply(asked, an_order(asked)))
    sound = a_table(club).game.read_text()
    a_table(club).game.write_text("what is this")

    done = run_once(club)

    assert (done.codes, done.later) == ({}, 1)
    assert "\\Answered" not in seen_by_the_host(dovecot.imap)[0].flags
    a_table(club).game.write_text(sound)
    assert run_once(club).codes == {"played": 1}


def test_a_mail_that_the_host_has_read_is_taken_all_the_same(club: MailClub, dovecot: Dovecot) -> None:
    asked = question(club)
    deliver(dovecot, reply(asked, an_order(asked)))
    with mailbox(dovecot.imap) as box:
        assert len(list(box.fetch(mark_seen=True))) == 1

    assert run_once(club).codes == {"played": 1}


def test_what_the_host_has_marked_as_deleted_is_not_expunged(club: MailClub, dovecot: Dovecot) -> None:
    deliver(dovecot, b"From: a@b.example\nSubject: gone\n\nhello\n")
    with mailbox(dovecot.imap) as box:
        box.client.uid("STORE", "1", "+FLAGS", r"(\Deleted)")
    asked = question(club)
    deliver(dovecot, reply(asked, an_order(asked)))

    assert run_once(club).codes == {"played": 1}
    assert len(seen_by_the_host(dovecot.imap)) == 2


def test_a_mailbox_made_anew_confuses_nothing(club: MailClub, dovecot: Dovecot) -> None:
    """The numbers of mails begin again at 1 (UIDVALIDITY), while a mail is being taken and between two runs."""
    asked = question(club)
    deliver(dovecot, b"From: a@b.example\nAuto-Submitted: auto-replied\n\nI am away\n")

    with inbox.opened(club) as box:
        mail, *_ = box.mails()
        shutil.rmtree(dovecot.homes / USER / "Maildir")
        deliver(dovecot, reply(asked, an_order(asked)))
        with pytest.raises(TryAgain):
            mail.done()

    assert "\\Answered" not in seen_by_the_host(dovecot.imap)[0].flags
    assert run_once(club).codes == {"played": 1}


def test_who_watches_is_woken_by_a_mail(club: MailClub, dovecot: Dovecot) -> None:
    asked = question(club)
    never = "from pbem.cli import mail; mail.POLL = 1500; from pbem.__main__ import main; main()"
    command = [sys.executable, "-c", never, "mail", "run", str(club.folder), "--watch"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        wait_until(lambda: has_ticked(a_table(club)), what="a first look")
        time.sleep(2)  # of a mail in the second of its last look Dovecot may say nothing for minutes
        deliver(dovecot, reply(asked, an_order(asked)))
        wait_until(lambda: the_record(club).turn == 1, what="a move, although there is no next look")
        assert process.stdout is not None
        assert process.stdout.readline() == f"watching {club.folder}; stop with Ctrl-C\n"
        assert process.stdout.readline() == "friday: played, turn 1\n"
        assert process.stdout.readline().startswith("1 message processed")
        assert "\\Answered" in seen_by_the_host(dovecot.imap)[0].flags
    finally:
        process.terminate()
        err = process.communicate(timeout=120)[1]
    assert err == ""


def test_mail_that_comes_between_the_look_and_the_wait_ends_the_wait(
    club: MailClub, dovecot: Dovecot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server tells of it when the wait begins, in one breath with other lines, and not again."""
    with inbox.opened(club) as box:
        assert isinstance(box, Imap)
        assert list(box.mails()) == []
        deliver(dovecot, reply(question(club), "buy"))
        waited: list[float] = []
        monkeypatch.setattr(IdleManager, "poll", lambda _, seconds: waited.append(seconds))

        box.wait(60)

        assert waited == []
        assert len(list(box.mails())) == 1


@pytest.mark.needs("dovecot", "root")
def test_who_watches_comes_back_when_the_server_does(tmp_path: Path, open_folder: Path) -> None:
    with a_dovecot(open_folder) as server:
        club = fetching(a_club(tmp_path / "club"), server.imap)
        asked = question(club)
        rounds = watched(club, 0.2)
        assert next(rounds).troubles == ()
    lost = next(round_ for round_ in rounds if round_.troubles)
    away = next(rounds)
    with a_dovecot(open_folder, server):
        deliver(server, reply(asked, an_order(asked)))
        found = next(round_ for round_ in rounds if not round_.troubles)
    rounds.close()

    assert [type(trouble) for trouble in (*lost.troubles, *away.troubles)] == [TryAgain, TryAgain]
    assert str(server.imap) in away.troubles[0].message
    assert found.codes == {"played": 1}


def test_a_folder_that_is_deleted_while_it_is_watched_is_found_when_it_is_back(
    club: MailClub, dovecot: Dovecot
) -> None:
    club = club.changed(incoming=club.incoming._replace(folder="games"))
    asked = question(club)
    rounds = watched(club, 0.2)
    with mailbox(dovecot.imap) as box:
        box.folder.create("games")
        assert next(rounds).troubles == ()
        box.folder.delete("games")
        lost = next(round_ for round_ in rounds if round_.troubles)
        assert any("games" in trouble.message for trouble in next(rounds).troubles)
        box.folder.create("games")
        box.append(on_the_wire(reply(asked, an_order(asked))), "games")
    found = next(round_ for round_ in rounds if not round_.troubles and round_.verdicts)
    rounds.close()

    assert [type(trouble) for trouble in lost.troubles] == [TryAgain]
    assert found.codes == {"played": 1}


def test_the_clock_stands_still_while_there_is_no_way_to_the_mailbox(tmp_path: Path) -> None:
    """Who has answered in time must not be answered for because nobody could read it."""
    club = fetching(a_club(tmp_path / "club"), a_port())
    rounds = watched(club, 0.1)

    assert next(rounds).troubles
    assert not has_ticked(a_table(club))
    rounds.close()


@pytest.mark.parametrize("change", ["away", "password", "folder"])
def test_trouble_with_the_server_passes_and_tells_no_secret(club: MailClub, change: str) -> None:
    there = club.incoming
    if change == "password":
        (club.folder / "password").write_text("a very secret wörd\n")
    changed = {"away": there._replace(port=a_port()), "folder": there._replace(folder="Nowhere")}.get(change, there)
    (club.folder / "club.toml").write_text(club_text(club.changed(incoming=changed)))

    done = pbem("run", club.folder, "--once")

    assert done.returncode == 75
    assert f"{HOST}:{changed.port}" in done.stderr
    assert "Traceback" not in done.stderr
    assert "secret" not in done.stdout + done.stderr
    assert PASSWORD not in done.stdout + done.stderr


def test_letters_go_out_although_no_mail_can_be_fetched(tmp_path: Path, sink: Sink) -> None:
    club = fetching(a_club(tmp_path / "club"), a_port()).changed(outgoing=WayOut("smtp", HOST, sink.port, "none"))

    assert run_once(club).sent.sent == 3


def test_settings_that_lack_something_are_named(club: MailClub) -> None:
    with (
        pytest.raises(NotUnderstood, match="password"),
        inbox.opened(club.changed(incoming=club.incoming._replace(password_file=""))),
    ):
        pass
    with (
        pytest.raises(NotUnderstood, match="host"),
        inbox.opened(club.changed(incoming=club.incoming._replace(host=""))),
    ):
        pass


def test_without_the_library_the_way_out_is_told(club: MailClub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "imap_tools", None)

    with pytest.raises(UsageError) as trouble:
        run_once(club)

    assert trouble.value.hint == f"install it, or use a Maildir: {sys.executable} -m pip install imap-tools"


def test_a_server_with_a_certificate_that_nobody_vouches_for_is_not_trusted(tmp_path: Path, sink: Sink) -> None:
    club = fetching(a_club(tmp_path / "club"), sink.port)
    for security in ("tls", "starttls"):
        done = run_once(club.changed(incoming=club.incoming._replace(security=security)))
        assert [type(trouble) for trouble in done.troubles] == [TryAgain]


def test_the_way_is_free_for_mails_that_carry_the_ticket_in_no_address(tmp_path: Path, devel: Devel) -> None:
    """Another server, without IDLE and without plus-addresses."""
    club = fetching(a_club(tmp_path / "club"), devel.imap, ADDRESS)
    club = club.changed(plus=False, outgoing=WayOut("smtp", HOST, devel.smtp, "none"))
    (club.folder / "club.toml").write_text(club_text(club))
    letters(club)
    resend(club, a_table(club))
    assert run_once(club).sent.sent == 1
    asked = the_asked(club)
    with MailBoxUnencrypted(HOST, devel.imap).login(asked.address, PASSWORD) as box:
        (question,) = (read(mail.obj.as_bytes()) for mail in box.fetch())
    assert question.reply_to == ADDRESS
    with smtplib.SMTP(HOST, devel.smtp) as door:
        door.sendmail(asked.address, [ADDRESS], on_the_wire(reply(question, an_order(question))))

    rounds = watched(club, 0.2)
    assert next(rounds).codes == {"played": 1}
    assert next(rounds).codes == {}
    rounds.close()
    assert the_record(club).turn == 1


def test_a_mail_is_seen_at_the_next_look_where_a_server_tells_nothing_by_itself(tmp_path: Path, devel: Devel) -> None:
    """Without IDLE a server may keep to the mails that were there at the last command but one."""
    club = fetching(a_club(tmp_path / "club"), devel.imap, ADDRESS)
    rounds = watched(club, 0.2)
    assert next(rounds).codes == {}
    with smtplib.SMTP(HOST, devel.smtp) as door:
        door.sendmail("eve@e.example", [ADDRESS], on_the_wire(a_mail("eve@e.example", ADDRESS, "hello")))

    assert next(rounds).codes == {"stranger": 1}
    rounds.close()

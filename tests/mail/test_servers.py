"""The servers of the tests are real: each takes a mail, and gives it back."""

import imaplib
import smtplib
from pathlib import Path

import pytest
from imap_tools import MailBoxUnencrypted
from nobody import as_nobody
from servers import (
    DOMAIN,
    HOST,
    PASSWORD,
    Devel,
    Dovecot,
    Sink,
    an_opensmtpd,
    reply_with_s_nail,
    wait_until,
)

MAIL = (
    b"From: Ann <ann@home.test>\r\nTo: pbem+friday@club.test\r\nSubject: an order\r\n"
    b"Message-ID: <1@home.test>\r\n\r\nbuy\r\n"
)


def send(port: int, to: str, raw: bytes = MAIL, sender: str = "ann@home.test") -> None:
    with smtplib.SMTP(HOST, port, timeout=120) as door:
        door.sendmail(sender, [to], raw)


def test_the_sink_keeps_what_is_sent_and_answers_as_it_is_told(sink: Sink) -> None:
    sink.answers.append("451 not now")
    with pytest.raises(smtplib.SMTPDataError, match="not now"):
        send(sink.port, "bob@home.test")
    send(sink.port, "bob@home.test")

    assert [(mail.sender, mail.recipients, mail.raw) for mail in sink.mails] == [
        ("ann@home.test", ("bob@home.test",), MAIL)
    ]


def test_what_mail_devel_takes_by_smtp_lies_in_its_imap_mailbox(devel: Devel) -> None:
    send(devel.smtp, "pbem+friday@club.test")

    with imaplib.IMAP4(HOST, devel.imap) as door:
        door.login("pbem+friday@club.test", PASSWORD)
        door.select("INBOX")
        found = door.fetch("1", "(RFC822)")[1]

    assert isinstance(found[0], tuple)
    assert b"\n\nbuy\n" in found[0][1]


@pytest.mark.slow
def test_dovecot_delivers_past_the_plus_and_wakes_who_waits(dovecot: Dovecot) -> None:
    with MailBoxUnencrypted(HOST, dovecot.imap).login("pbem", PASSWORD) as box:
        box.idle.start()
        dovecot.deliver("pbem+friday@club.test", MAIL)
        woken = box.idle.poll(timeout=120)
        box.idle.stop()
        mails = list(box.fetch())

    assert any(b"EXISTS" in line for line in woken)
    assert [mail.subject for mail in mails] == ["an order"]
    assert len(list((dovecot.homes / "pbem" / "Maildir" / "cur").iterdir())) == 1


@pytest.mark.needs("opensmtpd", "root")
def test_opensmtpd_pipes_a_mail_into_a_hook_as_nobody_and_relays_the_rest(open_folder: Path, sink: Sink) -> None:
    kept = open_folder / "kept"
    kept.mkdir()
    kept.chmod(0o777)
    with an_opensmtpd(open_folder, f"id -un > {kept}/who; cat > {kept}/mail", sink.port) as server:
        send(server.port, f"pbem+friday.57.red@{DOMAIN}")
        send(server.port, "bob@home.test")
        wait_until(lambda: (kept / "mail").exists() and sink.mails, what="delivery")

    assert (kept / "who").read_text() == "nobody\n"
    assert b"\nbuy\n" in (kept / "mail").read_bytes()
    assert sink.mails[0].recipients == ("bob@home.test",)


@pytest.mark.needs("opensmtpd", "root")
def test_opensmtpd_keeps_a_mail_for_exit_75_and_bounces_it_for_others(open_folder: Path, sink: Sink) -> None:
    hook = open_folder / "hook"
    hook.write_text(f"#!/bin/sh\ncat > /dev/null\nexit $(cat {open_folder}/status)\n")
    hook.chmod(0o755)
    (open_folder / "status").write_text("75")
    with an_opensmtpd(open_folder, str(hook), sink.port) as server:
        send(server.port, f"pbem@{DOMAIN}")
        wait_until(lambda: "result=TempFail" in server.log.read_text(), what="a delay")
        assert "|inflight|" in (queue := server.control("show", "queue")) or "|pending|" in queue
        (open_folder / "status").write_text("1")
        server.control("schedule", "all")
        wait_until(lambda: sink.mails, what="a bounce")

    assert (sink.mails[0].sender, sink.mails[0].recipients) == ("", ("ann@home.test",))


@pytest.mark.needs("opensmtpd", "root")
def test_sendmail_of_opensmtpd_takes_a_mail(open_folder: Path, sink: Sink) -> None:
    with an_opensmtpd(open_folder, "cat > /dev/null", sink.port) as server:
        status = server.sendmail(MAIL.replace(b"pbem+friday@club.test", b"bob@home.test"), "-t")
        wait_until(lambda: sink.mails, what="delivery")

    assert status == 0
    assert sink.mails[0].recipients == ("bob@home.test",)


def test_nobody_can_run_the_adjudicator(nobody_python: str) -> None:
    done = as_nobody([nobody_python, "-m", "pbem", "--version"])

    assert (done.returncode, done.stdout.split()[0]) == (0, b"pbem")


@pytest.mark.needs("s-nail")
def test_s_nail_sends_a_reply_that_names_what_it_answers(open_folder: Path, sink: Sink) -> None:
    box = open_folder / "box"
    for part in ("new", "cur", "tmp"):
        (box / part).mkdir(parents=True)
    (box / "new" / "1.mail").write_bytes(MAIL.replace(b"\r\n", b"\n"))

    reply_with_s_nail(box, "decline", sink.port)

    assert b"In-Reply-To: <1@home.test>" in sink.mails[0].raw
    assert b"\ndecline\r\n" in sink.mails[0].raw
    assert b"\n> buy\r\n" in sink.mails[0].raw

"""Through a real mail server: it runs us as the user nobody, keeps mail when we ask for that, and relays ours."""

import shlex
import smtplib
import subprocess
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from clubs import a_table, an_order, the_asked, the_record
from needs import path_of
from nobody import as_nobody
from people import Mail, on_the_wire, read, reply
from servers import DOMAIN, HOST, OpenSmtpd, Sink, an_opensmtpd, reply_with_s_nail, wait_until

from pbem import loading
from pbem.carriers.mail.outgoing import maildir, outbox
from pbem.carriers.mail.settings import MailClub, WayOut, read_club
from pbem.carriers.mail.setup import create
from pbem.carriers.mail.take import take
from pbem.club.host import resend
from pbem.club.journal import journal_rows
from pbem.club.opening import open_game
from pbem.club.settings import club_text
from pbem.first_sparks.proof import verify
from pbem.table.letters.letter import paragraphs
from pbem.table.letters.notices import notice
from pbem.table.people import Opening

pytestmark = pytest.mark.slow

PLAYERS = ("Ann:green=ann@home.test", "Bob:red=bob@home.test", "Cy:blue=cy@home.test")


class Post(NamedTuple):
    """A club whose mail comes and goes through OpenSMTPD; what it sends arrives in the sink."""

    club: MailClub
    server: OpenSmtpd
    sink: Sink
    python: str

    def pbem(self, *words: str) -> int:
        """Run a command as the user that the server runs it as."""
        return as_nobody([self.python, "-m", "pbem", "mail", *words, str(self.club.folder)]).returncode

    def question(self) -> Mail:
        """Return the mail in which the player who must decide is asked, as it arrives at last."""
        record = the_record(self.club)
        now = f"[friday/{record.turn}/{record.head[:8]}]"
        found: list[Mail] = []

        def has_come() -> bool:
            found[:] = [mail for mail in self.letters() if mail.asks and mail.marker[0].endswith(now)]
            return bool(found)

        self.wait_until(has_come, "a question")
        return found[-1]

    def letters(self) -> list[Mail]:
        """Return all mails that have arrived."""
        return [read_once(mail.raw) for mail in self.sink.mails]

    def send(self, raw: bytes, sender: str = "ann@home.test", to: str = "") -> None:
        """Send a mail to the club, to its address in the header To if no other one is said."""
        with smtplib.SMTP(HOST, self.server.port, timeout=120) as door:
            door.sendmail(sender, [to or read_to(raw)], on_the_wire(raw))

    def codes(self) -> list[str]:
        """Return what became of all mails so far."""
        rows = (*journal_rows(self.club.journal), *journal_rows(a_table(self.club).journal))
        return [row["code"] for row in rows]

    def wait_for(self, code: str, number: int = 1) -> None:
        """Wait until so many mails came to that."""
        self.wait_until(lambda: self.codes().count(code) >= number, f"{code} {number} times")

    def wait_until(self, is_true: Callable[[], object], what: str) -> None:
        """Wait for something that the server has to bring about."""
        wait_until(is_true, what=what, log=self.server.log)


read_once = cache(read)  # who waits for a mail looks at all of them again and again


def read_to(raw: bytes) -> str:
    return next(line[4:].decode() for line in raw.splitlines() if line.startswith(b"To: "))


@pytest.fixture
def post(open_folder: Path, sink: Sink, nobody_python: str) -> Iterator[Post]:
    """A club behind a mail server, in which a game has just begun and its letters have gone out."""
    folder = open_folder / "club"
    hook = f"{nobody_python} -m pbem mail take {folder} --send"
    with an_opensmtpd(open_folder, hook, sink.port) as server:
        create(folder, f"pbem@{DOMAIN}", "host@home.test")
        club = read_club(folder).changed(picture=False, waves=False, outgoing=WayOut("smtp", HOST, server.port, "none"))
        (folder / "club.toml").write_text(club_text(club))
        open_game(club, "friday", PLAYERS, Opening(3, "recommended"), None)
        subprocess.run(["chown", "-R", "nobody", folder], check=True)
        post = Post(club, server, sink, nobody_python)
        assert post.pbem("send") == 0
        post.wait_until(lambda: len(sink.mails) == 3, "delivery of the first letters")
        yield post


def test_a_game_goes_on_through_a_mail_server(post: Post) -> None:
    for turn in range(6):
        asked = post.question()
        post.send(reply(asked, an_order(asked)), asked.to)
        post.wait_for("played", turn + 1)

    record = the_record(post.club)
    assert (record.turn, verify(record)) == (6, len(record.log))
    assert post.question().to == the_asked(post.club).address
    assert {mail.sender for mail in post.sink.mails} == {post.club.address}
    assert outbox.waiting(post.club) == ()


def test_a_refusal_has_the_null_sender_and_the_right_order_is_played_after_it(post: Post) -> None:
    asked = post.question()
    post.send(reply(asked, "offer 41"), asked.to)
    post.wait_for("refused")
    post.wait_until(lambda: "Nothing was changed" in post.letters()[-1].text, "a refusal")

    assert post.sink.mails[-1].sender == ""
    again = post.letters()[-1]
    assert again.to == asked.to
    post.send(reply(again, an_order(again)), asked.to)
    post.wait_for("played")


def test_a_vacation_answer_and_a_bounce_are_taken_in_silence(post: Post) -> None:
    asked = post.question()
    number = len(post.sink.mails)
    post.send(reply(asked, "I am away", headers=("Auto-Submitted: auto-replied",)), asked.to)
    post.send(reply(asked, "Undelivered Mail Returned to Sender"), "")
    post.wait_for("robot", 2)

    assert the_record(post.club).turn == 0
    assert len(post.sink.mails) == number
    assert outbox.waiting(post.club) == ()


def test_a_letter_that_comes_back_from_another_server_is_told_to_the_host_and_nobody_else(post: Post) -> None:
    """The server accepts the letter, and only later hears that there is no such user."""
    asked = post.question()
    post.sink.answers.append("550 5.1.1 no such user")
    number = len(post.sink.mails)

    post.send(reply(asked, an_order(asked)), asked.to)
    post.wait_for("bounced")
    post.wait_until(lambda: len(post.sink.mails) > number + 1, "a letter to the host")

    assert the_record(post.club).turn == 1
    told = [mail.to for mail in post.letters()[number:]]  # of the receipt and the question one has come back
    assert sorted(told) in [sorted((post.club.host, to)) for to in (asked.to, the_asked(post.club).address)]
    assert outbox.waiting(post.club) == ()


def test_a_mail_that_cannot_be_taken_now_stays_with_the_server_and_is_played_later(post: Post) -> None:
    asked = post.question()
    game = a_table(post.club).game
    sound = game.read_text()
    game.write_text("what is this")

    post.send(reply(asked, an_order(asked)), asked.to)
    post.wait_until(lambda: "result=TempFail" in post.server.log.read_text(), "a delay")
    assert "played" not in post.codes()
    game.write_text(sound)
    post.server.control("schedule", "all")
    post.wait_for("played")

    assert the_record(post.club).turn == 1
    assert not [mail for mail in post.sink.mails if not mail.sender]  # nobody was sent a bounce


def test_garbage_is_dealt_with_and_does_not_come_back(post: Post) -> None:
    number = len(post.sink.mails)
    post.send(b"\x00\xff\xfe garbage\nX: \x80\n\n\x1b[2J" * 50, "ann@home.test", post.club.address)
    post.wait_until(lambda: set(post.codes()) - {"begun"}, "a line in the journal")

    assert "TempFail" not in post.server.log.read_text()
    assert len(post.sink.mails) <= number + 1


def test_letters_go_out_by_sendmail_too(post: Post) -> None:
    post.sink.mails.clear()
    program = post.club.folder.parent / "sendmail"
    program.write_text(f'#!/bin/sh\nexec {shlex.join([*post.server.inside, path_of("sendmail") or ""])} "$@"\n')
    program.chmod(0o755)
    club = post.club.changed(outgoing=WayOut("sendmail", program=str(program)))
    club.put(notice(club.host, "trouble", paragraphs(("There is trouble.",))))
    resend(club, a_table(club))

    sent = outbox.send(club)

    assert (sent.sent, sent.failed, sent.left) == (2, 0, 0)
    post.wait_until(lambda: len(post.sink.mails) == 2, "delivery")
    assert {(mail.sender, mail.recipients[0]) for mail in post.sink.mails} == {
        ("", club.host),
        (club.address, the_asked(club).address),
    }


# A mail program


@pytest.mark.needs("s-nail")
def test_what_a_real_mail_program_replies_is_understood(open_folder: Path, sink: Sink, tmp_path: Path) -> None:
    create(tmp_path / "club", f"pbem@{DOMAIN}", "host@home.test")
    club = read_club(tmp_path / "club").changed(waves=False)
    (club.folder / "club.toml").write_text(club_text(club))
    open_game(club, "friday", PLAYERS, Opening(3, "recommended"), None)
    for turn in range(5):
        asked = next(path for path in outbox.waiting(club) if read(path.read_bytes()).to == the_asked(club).address)
        box = open_folder / f"box-{turn}"
        maildir.make(box)
        question = read(asked.read_bytes())
        (box / "new" / "1.mail").write_bytes(asked.read_bytes())
        for path in outbox.waiting(club):
            path.unlink()
        words = f"{an_order(question)}\n\nA word to the table, from turn {turn}."

        reply_with_s_nail(box, words, sink.port, question.to)

        assert b"> == write your orders ABOVE this line ==" in sink.mails[-1].raw
        verdict = take(club, sink.mails[-1].raw)
        assert (verdict.code, verdict.turn) == ("played", turn + 1)
    assert loading.load(a_table(club).game).record.turn == 5
    assert any("A word to the table, from turn 3." in read(path.read_bytes()).text for path in outbox.waiting(club))

"""Letters that come back: the host is told once, and status says it until the player writes."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from clubs import HOST, a_bounce, a_club, a_table, an_order, letters, the_asked, the_record
from people import Mail, a_mail, read, reply
from servers import HOST as SERVER
from servers import Sink

from pbem.carriers.mail import bounces
from pbem.carriers.mail.outgoing import maildir, outbox
from pbem.carriers.mail.settings import MailClub, WayOut
from pbem.carriers.mail.take import take
from pbem.club import host
from pbem.club.opening import open_game
from pbem.club.status import rows_of, table_lines
from pbem.errors import NoSuchFile
from pbem.table.people import Opening


@pytest.fixture
def club(tmp_path: Path) -> MailClub:
    """A club with a game of three in the placement round; nobody has answered a mail yet."""
    return a_club(tmp_path / "club")


def question(club: MailClub) -> Mail:
    """Return the mail in which a player is asked now, all others having been delivered too."""
    return next(mail for mail in letters(club) if mail.asks)


def test_a_letter_that_comes_back_is_told_to_the_host_once(club: MailClub) -> None:
    asked = question(club)
    before = the_record(club)

    verdicts = [take(club, a_bounce(asked, message=f"b{number}")).code for number in range(2)]

    (told,) = letters(club)
    assert verdicts == ["bounced", "silent"]
    assert told.to == HOST
    assert asked.to in told.text
    assert the_record(club) == before


def returned(club: MailClub) -> list[str]:
    """Return what status says of letters that come back."""
    lines = " ".join("\n".join(table_lines(list(rows_of(club)))).split())
    return re.findall(r"letters to (\w+ \(\w+\)) bounce:", lines)


def test_status_says_that_letters_come_back_until_the_player_writes(club: MailClub) -> None:
    asked = question(club)
    seat = the_asked(club)
    take(club, a_bounce(asked))

    assert returned(club) == [f"{seat.name} ({seat.colour})"]
    take(club, a_mail(asked.to, "pbem@example.org", "am I there?"))  # which proves nothing
    assert returned(club) == [f"{seat.name} ({seat.colour})"]
    take(club, reply(asked, "news every"))
    assert returned(club) == []
    letters(club)
    assert take(club, a_bounce(asked, message="again")).code == "bounced"
    assert returned(club) == [f"{seat.name} ({seat.colour})"]
    assert letters(club) == []  # the host was told of the address


def test_status_says_nothing_of_letters_to_an_address_from_before(club: MailClub) -> None:
    asked = question(club)
    seat = the_asked(club)
    take(club, a_bounce(asked))

    host.replace(club, a_table(club), seat.colour, seat.name, "better@x.example")

    assert returned(club) == []
    take(club, a_bounce(asked, message="late"))
    assert returned(club) == []


def test_status_forgets_it_when_the_host_has_mended_the_same_address(club: MailClub) -> None:
    asked = question(club)
    seat = the_asked(club)
    take(club, a_bounce(asked))
    assert len(returned(club)) == 1

    host.replace(club, a_table(club), seat.colour, seat.name, seat.address)

    assert returned(club) == []


def refusing(club: MailClub, sink: Sink) -> tuple[MailClub, Mail]:
    """Return the club with a server that knows no such player as the one who is asked, and the question."""
    club = club.changed(outgoing=WayOut("smtp", SERVER, sink.port, "none"))
    sink.unknown.add(the_asked(club).address)
    (waiting,) = [path for path in outbox.waiting(club) if read(path.read_bytes()).to == the_asked(club).address]
    asked = read(waiting.read_bytes())
    assert outbox.send(club).failed == 1
    assert len(returned(club)) == 1
    return club, asked


def test_a_refused_letter_is_sent_again_when_the_cause_is_mended_and_status_forgets_it(
    club: MailClub, sink: Sink
) -> None:
    club, asked = refusing(club, sink)
    (refused,) = outbox.refused(club)
    line = [sys.executable, "-m", "pbem", "mail", "retry", str(club.folder), refused.name]
    sink.unknown.clear()
    sink.mails.clear()

    done = subprocess.run(line, capture_output=True, text=True, check=True)

    assert done.stdout == "1 letter is in the outbox again; the next pbem mail run or pbem mail send sends it\n"
    assert (outbox.refused(club), [path.name for path in outbox.waiting(club)]) == ((), [refused.name])
    assert len(returned(club)) == 1
    assert outbox.send(club).sent == 1
    assert [read(mail.raw).message_id for mail in sink.mails] == [asked.message_id]
    assert returned(club) == []
    assert take(club, reply(asked, an_order(asked))).code == "played"


def test_a_letter_that_is_refused_again_is_aside_again_and_told_again(club: MailClub, sink: Sink) -> None:
    """Each time with a Message-ID of its own, as some servers drop a mail that they have seen."""
    club, asked = refusing(club, sink)

    for _ in range(2):
        assert outbox.retry(club) == 1
        assert outbox.send(club).failed == 1

    assert len(outbox.refused(club)) == len(returned(club)) == 1
    told = [read(mail.raw) for mail in sink.mails if mail.recipients == (HOST,)]
    assert all(asked.to in mail.text for mail in told)
    assert len({mail.message_id for mail in told}) == len(told) == 3


def test_who_is_killed_between_the_notice_and_the_letter_has_told_it_once(
    club: MailClub, sink: Sink, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same refusal gives the same letter, also after a retry."""
    club, _ = refusing(club, sink)
    outbox.retry(club)
    sink.mails.clear()

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(maildir, "make", killed)
        with pytest.raises(KeyboardInterrupt):
            outbox.send(club)
    assert outbox.send(club).failed == 1

    assert [mail.recipients for mail in sink.mails] == [(HOST,)]


def test_a_later_letter_that_is_accepted_mends_it_and_one_to_another_player_does_not(
    club: MailClub, sink: Sink
) -> None:
    club, asked = refusing(club, sink)
    sink.unknown.clear()
    host.pause(club, a_table(club), "")
    for path in outbox.waiting(club):
        if read(path.read_bytes()).to == asked.to:
            path.rename(club.folder / "later")
    kept = (club.folder / "later").read_bytes()
    outbox.send(club)
    assert len(returned(club)) == 1

    maildir.put(club.outbox, club.outbox / "new" / "friday-0000-later", kept)
    outbox.send(club)

    assert returned(club) == []


def test_a_letter_is_not_sent_twice_by_whoever_is_killed_while_it_is_noted(
    club: MailClub, sink: Sink, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To note it means to wait for the game, which another process may have locked for long."""
    club, asked = refusing(club, sink)
    sink.unknown.clear()
    outbox.retry(club)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(bounces, "accepted", killed)
    with pytest.raises(KeyboardInterrupt):
        outbox.send(club)

    assert asked.to not in {read(path.read_bytes()).to for path in outbox.waiting(club)}


def test_a_letter_that_was_not_refused_is_not_tried_again(club: MailClub, sink: Sink) -> None:
    club, _ = refusing(club, sink)
    (refused,) = outbox.refused(club)

    folder = str(club.folder)
    done = subprocess.run(
        [sys.executable, "-m", "pbem", "mail", "retry", folder, "what", "--json"], capture_output=True, check=False
    )
    assert (done.returncode, json.loads(done.stdout)["code"]) == (66, "no-such-file")
    with pytest.raises(NoSuchFile, match="no rejected letter is named 'what'"):
        outbox.retry(club, (refused.name, "what"))

    assert outbox.refused(club) == (refused,)


def test_what_our_own_server_accepts_says_nothing_of_a_letter_that_came_back(club: MailClub, sink: Sink) -> None:
    asked = question(club)
    take(club, a_bounce(asked))
    club = club.changed(outgoing=WayOut("smtp", SERVER, sink.port, "none"))
    host.resend(club, a_table(club))

    assert outbox.send(club).sent == 2

    assert len(returned(club)) == 1


def test_an_answer_of_the_clock_is_no_mail_of_the_player(club: MailClub) -> None:
    asked = question(club)
    take(club, a_bounce(asked))

    host.decide(club, a_table(club), an_order(asked))

    assert len(returned(club)) == 1


def test_status_says_it_of_a_game_that_has_not_begun_or_is_broken(club: MailClub) -> None:
    asked = question(club)
    take(club, a_bounce(asked))
    a_table(club).game.write_text("nothing")
    letters(club)
    open_game(club, "monday", (), Opening(2), None)
    take(club, a_mail("dan@d.example", "pbem@example.org", "join monday Dan"))
    (asks,) = letters(club)
    take(club, reply(asks, "yes"))
    (welcome,) = letters(club)
    take(club, a_bounce(welcome, message="b2"))

    broken, waiting = rows_of(club)

    assert [row["address"] for row in (*broken["unreachable"], *waiting["unreachable"])] == [asked.to, "dan@d.example"]


def test_a_report_of_a_delay_or_of_a_letter_that_is_not_ours_is_told_to_nobody(club: MailClub) -> None:
    asked = question(club)
    token = asked.marker[1].rpartition(": ")[2].removesuffix(" ==").encode()

    assert take(club, a_bounce(asked, "delayed")).code == "robot"
    assert take(club, a_bounce(asked).replace(token, b"0" * 16)).code == "robot"
    assert letters(club) == []


_QMAIL = """Hi. This is the qmail-send program at mx.example.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out.

<{to}>:
192.0.2.7 does not like recipient.
Remote host said: 550 5.1.1 User unknown

--- Below this line is a copy of the message.

"""
_EXIM = """This message was created automatically by mail delivery software.

A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:

  {to}
    host mx.example [192.0.2.7]
    SMTP error from remote mail server after RCPT TO:<{to}>:
    550 5.1.1 User unknown

------ This is a copy of the message, including all the headers. ------

"""
_LATE = """This message was created automatically by mail delivery software.
A message that you sent has not yet been delivered to one or more of its
recipients after more than 24 hours on the queue on mx.example.

No action is required on your part. Delivery attempts will continue for some time.

"""


@pytest.mark.parametrize(("text", "code"), [(_QMAIL, "bounced"), (_EXIM, "bounced"), (_LATE, "robot")])
def test_a_report_in_words_alone_counts_if_it_says_that_the_error_is_permanent(
    club: MailClub, text: str, code: str
) -> None:
    asked = question(club)
    head = (
        "Return-Path: <>\nFrom: MAILER-DAEMON@mx.example\nTo: pbem@example.org\nSubject: failure notice\n"
        "Message-ID: <b@mx.example>\n\n"
    )

    assert take(club, (head + text.format(to=asked.to)).encode() + asked.raw).code == code
    assert [each.to for each in letters(club)] == ([HOST] if code == "bounced" else [])

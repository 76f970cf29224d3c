"""A letter leaves the outbox only when somebody has accepted it; what is refused for good keeps no other one back."""

import stat
import subprocess
import sys
from pathlib import Path

import pytest
from aiosmtpd.smtp import SMTP, Envelope, Session
from clubs import ADDRESS, HOST, a_club, letters
from forked import run_program
from people import a_mail, on_the_wire, read
from servers import Sink, a_port, wait_until

from pbem.carriers.mail.outgoing import outbox
from pbem.carriers.mail.passwords import password
from pbem.carriers.mail.settings import MailClub, WayOut, read_club
from pbem.club.settings import club_text
from pbem.errors import NoSuchFile, TryAgain
from pbem.table.letters.letter import paragraphs
from pbem.table.letters.notices import notice


@pytest.fixture
def club(tmp_path: Path) -> MailClub:
    """A club of which three letters wait."""
    return a_club(tmp_path / "club")


def with_server(club: MailClub, port: int) -> MailClub:
    """Return the club with an SMTP server, in its file too."""
    club = club.changed(outgoing=WayOut("smtp", "127.0.0.1", port, "none"))
    (club.folder / "club.toml").write_text(club_text(club))
    assert read_club(club.folder) == club
    return club


def with_sendmail(club: MailClub, folder: Path, lines: str) -> MailClub:
    """Return the club with a program that takes its mail as sendmail does."""
    program = folder / "sendmail"
    program.write_text(f"#!/bin/sh\n{lines}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return club.changed(outgoing=WayOut("sendmail", program=str(program)))


def test_letters_are_left_as_files_where_there_is_no_server(club: MailClub) -> None:
    assert outbox.send(club) == outbox.Sent(left=3)
    assert len(letters(club)) == 3


def test_what_a_server_accepts_is_gone_and_has_arrived_whole(club: MailClub, sink: Sink) -> None:
    wait = {path.name: path.read_bytes() for path in outbox.waiting(club)}

    sent = outbox.send(with_server(club, sink.port))

    assert sent == outbox.Sent(sent=3)
    assert outbox.waiting(club) == ()
    assert [mail.sender for mail in sink.mails] == [ADDRESS] * 3
    for mail, raw in zip(sink.mails, wait.values(), strict=True):
        date, _, rest = mail.raw.partition(b"\r\n")
        assert date.startswith(b"Date: ")
        assert rest.rstrip() == on_the_wire(raw).rstrip()
        assert mail.recipients == (read(raw).to,)


def test_an_answer_to_an_error_has_the_null_sender(club: MailClub, sink: Sink) -> None:
    letters(club)
    club.put(notice(HOST, "trouble", paragraphs(("There is trouble.",))))

    outbox.send(with_server(club, sink.port))

    assert [mail.sender for mail in sink.mails] == [""]
    assert b"return-path" not in sink.mails[0].raw.lower()  # whoever delivers it adds it


def test_a_letter_that_is_refused_for_good_is_put_aside_and_the_host_is_told(club: MailClub, sink: Sink) -> None:
    sink.answers = ["550 5.1.1 no such user"]
    first = outbox.waiting(club)[0].name

    sent = outbox.send(with_server(club, sink.port))

    assert (sent.sent, sent.failed, sent.left) == (3, 1, 0)
    assert (club.outbox / ".failed" / "new" / first).exists()
    told = read(sink.mails[-1].raw)
    assert told.to == HOST
    assert "no such user" in told.text
    assert first in told.text


def test_a_letter_is_put_aside_only_after_the_host_is_told(
    club: MailClub, sink: Sink, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever is killed before that finds it in the outbox again."""
    sink.answers = ["550 5.1.1 no such user"] * 2
    first = outbox.waiting(club)[0].name

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    club = with_server(club, sink.port)
    with monkeypatch.context() as patch:
        patch.setattr(MailClub, "put", killed)
        with pytest.raises(KeyboardInterrupt):
            outbox.send(club)

    assert outbox.waiting(club)[0].name == first
    assert outbox.send(club).failed == 1
    assert first in read(sink.mails[-1].raw).text


def test_a_letter_to_the_host_that_is_refused_is_not_told_to_the_host(club: MailClub, sink: Sink) -> None:
    letters(club)
    club.put(notice(HOST, "trouble", paragraphs(("There is trouble.",))))
    sink.answers = ["550 no"]

    assert outbox.send(with_server(club, sink.port)).failed == 1
    assert letters(club) == []


@pytest.mark.parametrize(("answer", "sent"), [("451 later", 2), ("421 we close", 2)])
def test_a_letter_that_is_refused_for_now_stays(club: MailClub, sink: Sink, answer: str, sent: int) -> None:
    sink.answers = [answer]

    done = outbox.send(with_server(club, sink.port))

    assert (done.sent, done.failed, done.left) == (sent, 0, 3 - sent)
    assert answer[:3] in done.trouble
    assert outbox.send(with_server(club, sink.port)).left == 0


def test_a_letter_at_which_the_server_hangs_up_does_not_keep_the_others_back(
    club: MailClub, sink: Sink, monkeypatch: pytest.MonkeyPatch
) -> None:
    club, accept = with_server(club, sink.port), Sink.handle_DATA
    never = read(outbox.waiting(club)[0].read_bytes()).to

    async def hang_up(self: Sink, server: SMTP, session: Session, envelope: Envelope) -> str:
        return "421 good bye" if never in envelope.rcpt_tos else await accept(self, server, session, envelope)

    monkeypatch.setattr(Sink, "handle_DATA", hang_up)

    assert outbox.send(club) == outbox.Sent(sent=2, left=1, trouble="421 good bye")
    assert [read(path.read_bytes()).to for path in outbox.waiting(club)] == [never]


def test_a_server_that_always_hangs_up_is_not_called_for_every_letter(
    club: MailClub, sink: Sink, monkeypatch: pytest.MonkeyPatch
) -> None:
    club, tried = with_server(a_club(club.folder.with_name("other"), "friday", "monday"), sink.port), list[str]()

    async def hang_up(_self: Sink, _server: SMTP, _session: Session, envelope: Envelope) -> str:
        tried.extend(envelope.rcpt_tos)
        return "421 good bye"

    monkeypatch.setattr(Sink, "handle_DATA", hang_up)

    assert outbox.send(club) == outbox.Sent(left=6, trouble="421 good bye")
    assert len(tried) == 4


def test_no_server_is_trouble_that_passes(club: MailClub) -> None:
    with pytest.raises(TryAgain):
        outbox.send(with_server(club, a_port()))
    assert len(outbox.waiting(club)) == 3


def test_only_one_sends_at_a_time(club: MailClub, sink: Sink) -> None:
    from pbem import files

    with files.locked(club.outbox / "new"), pytest.raises(TryAgain):
        outbox.send(with_server(club, sink.port))


def test_a_letter_that_comes_while_others_are_sent_goes_out_too(club: MailClub, tmp_path: Path) -> None:
    """Whoever has put it there has found another process at work, and may never come back."""
    (tmp_path / "late").write_bytes(outbox.waiting(club)[0].read_bytes())
    club = with_sendmail(club, tmp_path, f"cat > /dev/null; mv {tmp_path}/late {club.outbox}/new/late || true")

    assert outbox.send(club) == outbox.Sent(sent=4)
    assert outbox.waiting(club) == ()


@pytest.mark.slow
def test_take_waits_for_who_is_sending_and_then_sends_its_own_letter(club: MailClub, sink: Sink) -> None:
    from pbem import files

    with_server(club, sink.port)
    letters(club)
    command = [sys.executable, "-m", "pbem", "mail", "take", str(club.folder), "--send"]
    stranger = a_mail("eve@evil.example", ADDRESS, "hello")
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as taking:
        with files.locked(club.outbox / "new"):
            assert taking.stdin is not None
            taking.stdin.write(stranger)
            taking.stdin.close()
            wait_until(lambda: outbox.waiting(club), what="a letter")
            with pytest.raises(subprocess.TimeoutExpired):
                taking.wait(1)
        assert taking.wait(120) == 0

    assert [read(mail.raw).to for mail in sink.mails] == ["eve@evil.example"]
    assert outbox.waiting(club) == ()


def test_sendmail_gets_the_letter_with_plain_line_ends(club: MailClub, tmp_path: Path) -> None:
    club = with_sendmail(club, tmp_path, f'echo "$@" >> {tmp_path}/said; cat >> {tmp_path}/mail; exit 0')

    assert outbox.send(club).sent == 3
    assert (tmp_path / "said").read_text().splitlines() == [f"-t -i -f {ADDRESS}"] * 3
    assert b"\r" not in (tmp_path / "mail").read_bytes()


@pytest.mark.parametrize(("status", "failed", "left"), [(75, 0, 3), (1, 0, 3), (67, 6, 0)])
def test_the_exit_status_of_sendmail_counts(
    club: MailClub, tmp_path: Path, status: int, failed: int, left: int
) -> None:
    club = with_sendmail(club, tmp_path, f"cat > /dev/null; exit {status}")

    sent = outbox.send(club)

    assert (sent.failed, sent.left) == (failed, left)


@pytest.mark.parametrize(("said", "told"), [("", ""), ("no such user\n", ": no such user")])
def test_what_sendmail_says_of_a_letter_is_told_if_it_says_anything(
    club: MailClub, tmp_path: Path, said: str, told: str
) -> None:
    club = with_sendmail(club, tmp_path, f"cat > /dev/null; printf '{said}' >&2; exit 67")

    with pytest.raises(outbox.Refused) as refused:
        outbox._sendmail(str(club.outgoing.program), b"", "")

    assert str(refused.value) == f"{club.outgoing.program} exited with 67{told}"


def test_no_sendmail_is_trouble_that_passes(club: MailClub, tmp_path: Path) -> None:
    sent = outbox.send(club.changed(outgoing=WayOut("sendmail", program=str(tmp_path / "nothing"))))

    assert sent.left == 3
    assert sent.trouble


def test_the_command_leaves_with_75_while_letters_wait(club: MailClub) -> None:
    with_server(club, a_port())

    done = run_program("mail", "send", club.folder)

    assert done.returncode == 75
    assert "Traceback" not in done.stderr


def test_the_password_is_where_the_settings_say_and_nowhere_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "password").write_text("from a file\n")
    monkeypatch.setenv("PBEM_TEST_PASSWORD", "from the environment")

    assert password(WayOut(password_file=str(tmp_path / "password"))) == "from a file"
    assert password(WayOut(password_env="PBEM_TEST_PASSWORD")) == "from the environment"  # noqa: S106
    with pytest.raises(NoSuchFile):
        password(WayOut(password_env="PBEM_NO_SUCH_VARIABLE"))  # noqa: S106


def test_a_refused_login_tells_no_password(club: MailClub, sink: Sink, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBEM_TEST_PASSWORD", "a very secret word")
    box = WayOut("smtp", "127.0.0.1", sink.port, "none", "pbem", "PBEM_TEST_PASSWORD")

    with pytest.raises(TryAgain) as trouble:
        outbox.send(club.changed(outgoing=box))

    assert "secret" not in repr(trouble.value.as_json())

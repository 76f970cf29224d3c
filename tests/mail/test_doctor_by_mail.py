"""What the doctor finds of a club by mail, with real servers: each thing that is broken is named, and no secret is."""

import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session
from clubs import a_club
from people import drop
from scenarios import files_of
from servers import DOMAIN, HOST, PASSWORD, Dovecot, a_port

from pbem.carriers.mail import setup
from pbem.carriers.mail.doctor import servers as server_steps
from pbem.carriers.mail.doctor.mark import place_of
from pbem.carriers.mail.outgoing import maildir
from pbem.carriers.mail.passwords import LoginRefused
from pbem.carriers.mail.service import run_once
from pbem.carriers.mail.settings import MailClub, WayIn, WayOut, read_club
from pbem.club.deadlines import tick_all
from pbem.club.settings import club_text
from pbem.club.upkeep.doctor import Diagnosis, diagnoses

pytestmark = pytest.mark.slow

MINE = f"pbem@{DOMAIN}"
Deliver = Callable[[str, bytes], None]


class Relay:
    """An SMTP server that checks a password, and delivers what it takes."""

    def __init__(self, deliver: Deliver) -> None:
        self.deliver = deliver
        self.alter: Callable[[bytes], bytes] = lambda raw: raw
        self.port = 0
        self.answer = "250 delivered"

    async def handle_DATA(self, _server: SMTP, _session: Session, envelope: Envelope) -> str:  # noqa: N802
        """Deliver a mail, perhaps altered."""
        if not self.answer.startswith("250"):
            return self.answer
        raw = self.alter(envelope.original_content or b"")
        for recipient in envelope.rcpt_tos:
            self.deliver(recipient, raw)
        return self.answer

    def authenticated(
        self, _server: SMTP, _session: Session, _envelope: Envelope, _kind: str, data: object
    ) -> AuthResult:
        """Accept the password; to any other one the server answers with 535."""
        right = isinstance(data, LoginPassword) and data.password == PASSWORD.encode()
        return AuthResult(success=right, handled=right)


@contextmanager
def a_relay(deliver: Deliver, *, only_with_tls: bool = False) -> Iterator[Relay]:
    relay = Relay(deliver)
    controller = Controller(
        relay, hostname=HOST, port=a_port(), ready_timeout=120, authenticator=relay.authenticated,
        auth_require_tls=only_with_tls,
    )  # fmt: skip
    controller.start()
    relay.port = controller.port
    try:
        yield relay
    finally:
        controller.stop()


def a_mail_club(folder: Path, into: WayIn, out: WayOut) -> MailClub:
    """A club with a game, in which the clock has just ticked, without letters in the outbox."""
    club = a_club(folder)
    for letter in (club.outbox / "new").iterdir():
        letter.unlink()
    (folder / "club.toml").write_text(club_text(club.changed(address=MINE, incoming=into, outgoing=out)))
    club = read_club(folder)
    list(tick_all(club, datetime.now(UTC)))
    return club


@pytest.fixture
def secret(tmp_path: Path) -> str:
    path = tmp_path / "password"
    path.write_text(PASSWORD + "\n")
    path.chmod(0o600)
    return str(path)


@pytest.fixture
def provider(dovecot: Dovecot, tmp_path: Path, secret: str) -> Iterator[tuple[MailClub, Relay]]:
    """A club whose provider has IMAP and SMTP, and delivers plus-addresses."""

    def way(port: int) -> dict[str, object]:
        return {"host": HOST, "port": port, "security": "none", "user": "pbem", "password_file": secret}

    with a_relay(dovecot.deliver) as relay:
        into = WayIn("imap", "INBOX", **way(dovecot.imap))  # type: ignore[arg-type]
        out = WayOut("smtp", **way(relay.port))  # type: ignore[arg-type]
        yield a_mail_club(tmp_path / "club", into, out), relay


@pytest.fixture
def local(tmp_path: Path, secret: str) -> Iterator[tuple[MailClub, Relay]]:
    """A club into whose Maildir the server delivers."""
    folder = tmp_path / "club"
    numbers = iter(range(1000))

    def deliver(_: str, raw: bytes) -> None:
        name = f"doctor-{next(numbers)}"
        maildir.put(folder / "inbox", folder / "inbox" / "new" / name, raw)

    with a_relay(deliver) as relay:
        out = WayOut("smtp", HOST, relay.port, "none", "pbem", "", secret)
        yield a_mail_club(folder, WayIn(), out), relay


def found(club: MailClub, wait: float = 30) -> dict[str, Diagnosis]:
    now = datetime.now(UTC)
    every = {each.step: each for each in diagnoses(setup.checks(club.folder, now, wait))}
    assert PASSWORD not in str(every)
    assert "@x.example" not in str(every)
    return every


def wrong(club: MailClub, wait: float = 30) -> dict[str, tuple[str, str]]:
    return {each.step: (each.what, each.do) for each in found(club, wait).values() if each.state == "failed"}


def set_to(club: MailClub, into: dict[str, object] | None = None, out: dict[str, object] | None = None) -> MailClub:
    club = club.changed(incoming=club.incoming._replace(**into or {}), outgoing=club.outgoing._replace(**out or {}))  # type: ignore[arg-type]
    (club.folder / "club.toml").write_text(club_text(club))
    return club


def test_all_is_well_with_a_provider(provider: tuple[MailClub, Relay], dovecot: Dovecot) -> None:
    club, _ = provider
    before = files_of(club.folder)

    every = found(club)

    assert {each.state for each in every.values()} == {"ok"}, every
    servers = [f"mail {way}, {step}" for way in ("in", "out") for step in ("server", "TLS", "password", "login")]
    servers.insert(4, "mail in, since")
    assert list(every)[9:] == [*servers, "letter sent", "letter found", "headers", "subaddress", "clock", "letters"]
    assert every["subaddress"].what == f"mail to pbem+doctor@{DOMAIN} arrives"
    assert every["clock"].what == "the clock of this machine is that of the server"
    assert files_of(club.folder) == before
    assert not [path for part in ("new", "cur") for path in (dovecot.homes / "pbem" / "Maildir" / part).iterdir()]


def test_all_is_well_with_a_maildir(local: tuple[MailClub, Relay]) -> None:
    club, _ = local
    before = files_of(club.folder)

    every = found(club)

    assert {each.state for each in every.values()} == {"ok"}, every
    assert every["clock"].what == "no server has dated the letter, so that there is nothing to compare"
    assert files_of(club.folder) == before


def test_a_club_that_takes_the_letter_first_hands_it_over(local: tuple[MailClub, Relay]) -> None:
    """It is neither answered nor noted, and the doctor sees it all the same."""
    club, relay = local
    before = files_of(club.folder)
    codes: list[str] = []
    waits = relay.deliver

    def takes(recipient: str, raw: bytes) -> None:
        waits(recipient, raw)
        taken = threading.Thread(target=lambda: codes.extend(run_once(club.changed(outgoing=WayOut())).codes))
        taken.start()
        taken.join()

    relay.deliver = takes
    every = found(club)

    assert {each.state for each in every.values()} == {"ok"}, every
    assert codes == ["robot", "robot"]
    after = {name: data for name, data in files_of(club.folder).items() if "/.dealt/" not in f"/{name}"}
    assert after == before


def test_a_letter_that_comes_too_late_is_not_taken_for_a_strangers(local: tuple[MailClub, Relay]) -> None:
    club, relay = local
    late: list[bytes] = []
    relay.deliver = lambda _, raw: late.append(raw)

    assert set(wrong(club, 0.1)) == {"letter found"}

    for number, raw in enumerate(late):
        drop(club.folder, raw, str(number))
    assert run_once(club).codes == {"robot": 2}
    assert not list((club.outbox / "new").iterdir())


def test_a_password_that_the_servers_refuse(provider: tuple[MailClub, Relay], secret: str) -> None:
    club, _ = provider
    Path(secret).write_text("another\n")

    every = wrong(club)

    told = f"{HOST} refused the password of user pbem"
    assert every == dict.fromkeys(("mail in, login", "mail out, login"), (told, server_steps._WRONG))


def test_a_server_that_takes_no_password_without_tls(tmp_path: Path, secret: str) -> None:
    with a_relay(lambda _, raw: None, only_with_tls=True) as relay:
        club = a_mail_club(tmp_path / "club", WayIn(), WayOut("smtp", HOST, relay.port, "none", "pbem", "", secret))

        every = wrong(club)

    told = f"{HOST}:{relay.port} takes no password on this connection"
    assert every == {"mail out, login": (told, "check security under [outgoing] in club.toml")}


@pytest.mark.parametrize(
    ("host", "advice"),
    [("smtp.gmail.com", "app password"), ("smtp.office365.com", "a token that a command prints")],
    ids=["gmail", "outlook"],
)
def test_what_a_known_provider_wants_is_said(host: str, advice: str) -> None:
    with pytest.raises(server_steps.TryAgain) as refused, server_steps._refusal(WayOut("smtp", host, user="pbem")):
        raise LoginRefused("login to somewhere failed: 535")

    assert refused.value.message == f"{host} refused the password of user pbem"
    assert advice in refused.value.hint


def test_settings_of_a_server_that_are_wrong(provider: tuple[MailClub, Relay], secret: str) -> None:
    club, _ = provider
    free, said = a_port(), wrong
    assert said(set_to(club, out={"port": free}))["mail out, TLS"] == (
        f"nothing answers at {HOST}:{free}",
        "check host and port under [outgoing] in club.toml, and the network of this machine; the usual port under "
        '[outgoing] is 465 with security = "tls", or 587 with "starttls"',
    )
    assert said(set_to(club, into={"security": "tls"}))["mail in, TLS"][0] == (
        f"{HOST}:{club.incoming.port} does not speak TLS in that way"
    )
    for way in ({"into": {"security": "starttls"}}, {"out": {"security": "starttls"}}):
        (what,) = (what for what, _ in said(set_to(club, **way)).values())
        assert re.fullmatch(rf"{HOST}:\d+ does not offer STARTTLS", what)
    assert said(set_to(club, into={"folder": "nowhere"}))["mail in, login"][0].startswith(
        "cannot open the folder nowhere"
    )
    assert said(set_to(club, out={"host": "mail.invalid"}))["mail out, server"][0] == (
        "the name mail.invalid cannot be resolved"
    )
    Path(secret).chmod(0o644)
    assert set(said(set_to(club))) == {"mail in, password", "mail out, password"}
    Path(secret).unlink()
    every = found(set_to(club))
    assert every["mail in, password"].state == "failed"
    assert every["mail in, password"].do.startswith(f"write the password into the first line of {secret}")
    assert every["mail in, login"].state == every["letter sent"].state == every["headers"].state == "skipped"


@pytest.mark.parametrize("password", [f"{PASSWORD} ", f"{PASSWORD[:2]} {PASSWORD[2:]}"])
def test_blanks_in_a_password_that_is_refused(provider: tuple[MailClub, Relay], secret: str, password: str) -> None:
    club, _ = provider
    Path(secret).write_text(f"{password}\n")

    every = wrong(club)

    assert list(every) == ["mail in, login", "mail out, login"]
    for _, do in every.values():
        assert do == f"the password has a blank in it or at its end, which may not belong to it; {server_steps._WRONG}"


def test_starttls_at_the_port_for_tls(provider: tuple[MailClub, Relay]) -> None:
    """Neither the doctor nor a run waits for an answer, which never comes."""
    club = set_to(provider[0], into={"port": 993, "security": "starttls"})
    told = (
        f"{HOST}:993 does not offer STARTTLS",
        'port 993 is usually that for security = "tls" under [incoming] in club.toml',
    )

    assert wrong(club)["mail in, TLS"] == told
    (trouble,) = run_once(club).troubles
    assert (trouble.message, trouble.hint) == told


def test_mail_that_comes_from_a_server_and_letters_that_go_nowhere(provider: tuple[MailClub, Relay]) -> None:
    what, do = wrong(set_to(provider[0], out={"kind": "files"}))["mail out, login"]

    assert what == f'mail comes from {HOST}, but kind = "files" under [outgoing] sends no letter'
    assert do.startswith('set kind = "smtp" or "sendmail" under [outgoing]')


@pytest.mark.parametrize(
    ("said", "do"),
    [
        ("550 5.7.1 This message was blocked as spam", "the server takes this for spam: wait, or ask the provider; "),
        ("554 5.7.1 Client host on a block list", "the server takes this for spam: wait, or ask the provider; "),
        (
            "550 5.4.5 Daily user sending limit exceeded",
            "the provider takes only so many letters of an account: wait; ",
        ),
        ("451 4.7.1 Greylisted", "the server may take it later: wait a few minutes"),
        ("550 5.7.60 Client does not have permissions to send as this sender", "address in club.toml must be one "),
    ],
)
def test_why_a_letter_to_itself_is_not_taken(local: tuple[MailClub, Relay], said: str, do: str) -> None:
    club, relay = local
    relay.answer = said

    what, advice = wrong(club)["letter sent"]

    assert what == f"the server does not take a letter from {MINE} to itself: {said}"
    assert advice.startswith(do)


def test_a_server_that_never_answers(local: tuple[MailClub, Relay], monkeypatch: pytest.MonkeyPatch) -> None:
    club, _ = local
    monkeypatch.setattr(server_steps, "TIMEOUT", 0.2)
    with socket.create_server((HOST, 0)) as silent:
        port = silent.getsockname()[1]
        what, _ = wrong(set_to(club, out={"port": port}))["mail out, TLS"]

    assert what == f"{HOST}:{port} gives no answer in 0.2 seconds"


def test_a_password_file_in_the_folder_where_the_club_was(provider: tuple[MailClub, Relay], tmp_path: Path) -> None:
    club, old = provider[0], tmp_path / "old" / "password"
    own = club.folder / "password"
    set_to(club, into={"password_file": str(old)}, out={"password_file": str(own)})
    own.write_text(PASSWORD)
    own.chmod(0o600)

    assert wrong(club) == {
        "mail in, password": (
            f"password_file under [incoming] points to {old}, but {own} exists too",
            f'the folder of the club may have moved: set password_file = "{own}", or delete that file',
        )
    }


@pytest.mark.parametrize("security", ["tls", "starttls"])
def test_a_server_that_ends_the_connection_at_once(
    provider: tuple[MailClub, Relay], security: Literal["tls", "starttls"]
) -> None:
    club, _ = provider
    with socket.create_server((HOST, 0)) as busy:

        def answer() -> None:
            for _ in range(2):
                busy.accept()[0].close()

        threading.Thread(target=answer, daemon=True).start()
        there = {"port": busy.getsockname()[1], "security": security}
        told = wrong(set_to(club, into=there, out=there))

    for step in ("mail in, TLS", "mail out, TLS"):
        what, do = told[step]
        assert what == f"{HOST}:{there['port']} ends the connection at once"
        assert do.startswith("the server may be busy, or may be blocking this machine")


def test_a_password_command_that_fails_is_run_once(provider: tuple[MailClub, Relay], tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    command = {"password_file": "", "password_command": f"sh -c 'echo x >> {runs}; exit 1'"}

    every = found(set_to(provider[0], into=command, out=command))

    assert every["mail in, password"].state == "failed"
    assert every["mail out, password"].what == 'not tried: it needs "mail in, password"'
    assert runs.read_text() == "x\n"


def test_headers_that_came_back_changed(provider: tuple[MailClub, Relay]) -> None:
    club, relay = provider
    relay.alter = lambda raw: re.sub(rb"(?m)^Message-ID: .*", b"Message-ID: <other@server>", raw)
    assert wrong(club)["headers"][0] == "the server has changed Message-ID of the letter"

    relay.alter = lambda raw: raw.replace(b"A letter", b"[EXTERNAL] A letter").replace(b"\r\n(", b"\r\n[")
    assert wrong(club)["headers"][0] == "the server has changed the text of the letter"


def test_subaddresses_that_do_not_arrive(provider: tuple[MailClub, Relay]) -> None:
    club, relay = provider
    deliver = relay.deliver
    relay.deliver = lambda recipient, raw: None if "+" in recipient else deliver(recipient, raw)

    every = wrong(club, 3)
    assert set(every) == {"subaddress"}
    assert every["subaddress"][1].endswith("then each game needs: pbem mail resend CLUB GAME --all")

    (club.folder / "club.toml").write_text(club_text(club.changed(plus=False)))
    assert {each.state for each in found(club).values()} == {"ok"}


def test_a_clock_that_is_wrong(provider: tuple[MailClub, Relay], monkeypatch: pytest.MonkeyPatch) -> None:
    from pbem.carriers.mail.doctor import own_letter

    def moved(hours: int) -> type[datetime]:
        class Moved(datetime):
            @classmethod
            def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
                return datetime.now(UTC) + timedelta(hours=hours)

        return Moved

    club, _ = provider
    for hours, what in ((1, "fast"), (-1, "slow")):
        monkeypatch.setattr(own_letter, "datetime", moved(hours))
        assert f"the clock of this machine is {what}" in wrong(club)["clock"][0]


def test_letters_that_do_not_go_out(local: tuple[MailClub, Relay]) -> None:
    club, _ = local
    maildir.make(club.outbox / ".failed")
    letter = club.outbox / ".failed" / "new" / "friday-0001"
    letter.write_text("To: ann@x.example\n\nhello\n")
    assert wrong(club)["letters"][0] == "1 letter was rejected permanently"

    letter.rename(club.outbox / "new" / letter.name)
    assert "letters" not in wrong(club)

    from pbem.carriers.mail.outgoing import delays

    delays.look(club, datetime.now(UTC) - timedelta(hours=2))
    assert wrong(club)["letters"][0] == "1 letter has been queued for more than an hour"

    every = found(set_to(club, out={"kind": "files"}))
    assert every["letters"].what == "1 letter is in the outbox, and nothing sends them"
    assert "letter sent" not in every


def test_no_mark_is_left_when_the_letter_cannot_be_sent(local: tuple[MailClub, Relay]) -> None:
    club, relay = local

    def broken(_: bytes) -> bytes:
        raise RuntimeError

    relay.alter = broken
    what, _ = wrong(club)["letter sent"]

    assert what.startswith(f"the server does not take a letter from {MINE} to itself: 500")
    assert not list(club.folder.glob(place_of(club.folder, "*").name))


def test_a_time_since_when_mail_counts_that_is_to_come_is_named(local: tuple[MailClub, Relay]) -> None:
    club = local[0].changed(since="2999-01-01T00:00:00Z")
    (club.folder / "club.toml").write_text(club_text(club))

    assert "until then no mail is touched" in wrong(club, 1)["mail in, since"][0]

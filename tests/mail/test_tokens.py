"""A club logs in by tokens: IMAP at a real Dovecot, SMTP at a server that lets them expire."""

import shlex
import smtplib
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from clubs import a_club, an_order, letters, the_asked, the_record
from forked import run_program
from needs import path_of
from people import on_the_wire, read, reply
from servers import DOMAIN, HOST, Dovecot, a_dovecot
from tokens import USER, Shop, TokenSink, a_token_sink, for_dovecot, introspection

from pbem.carriers.mail.incoming import mailbox as inbox
from pbem.carriers.mail.outgoing import outbox
from pbem.carriers.mail.service import run_once, watched
from pbem.carriers.mail.settings import Auth, MailClub, WayIn, WayOut, read_club
from pbem.carriers.mail.trouble import in_words
from pbem.club.settings import club_text
from pbem.errors import TryAgain

WAYS: tuple[Auth, ...] = ("xoauth2", "oauthbearer")


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    """Where tokens come from."""
    return Shop(tmp_path)


@pytest.fixture
def sink(shop: Shop) -> Iterator[TokenSink]:
    """An SMTP server that wants a token."""
    with a_token_sink(shop) as server:
        yield server


@pytest.fixture
def box(shop: Shop, open_folder: Path) -> Iterator[Dovecot]:
    """A Dovecot that wants a token."""
    with introspection(shop) as port, a_dovecot(open_folder, login=for_dovecot(open_folder, port)) as server:
        yield server


def kept(club: MailClub) -> MailClub:
    (club.folder / "club.toml").write_text(club_text(club))
    assert read_club(club.folder) == club
    return club


def sending(club: MailClub, shop: Shop, sink: TokenSink, auth: Auth = "xoauth2") -> MailClub:
    there = WayOut("smtp", HOST, sink.port, "none", USER, password_command=shop.command, auth=auth)
    return kept(club.changed(outgoing=there))


def fetching(club: MailClub, shop: Shop, box: Dovecot, auth: Auth = "xoauth2") -> MailClub:
    there = WayIn("imap", "INBOX", HOST, box.imap, "none", USER, password_command=shop.command, auth=auth)
    return kept(club.changed(incoming=there))


# SMTP


@pytest.mark.parametrize("auth", WAYS)
def test_letters_go_out_with_a_token(tmp_path: Path, shop: Shop, sink: TokenSink, auth: Auth) -> None:
    club = sending(a_club(tmp_path / "club"), shop, sink, auth)

    assert outbox.send(club) == outbox.Sent(sent=3)
    assert (sink.logins, shop.asked) == ([shop.token], 1)


@pytest.mark.parametrize("auth", WAYS)
def test_a_token_that_is_refused_is_not_shown_again_and_told_to_nobody(
    tmp_path: Path, shop: Shop, sink: TokenSink, auth: Auth
) -> None:
    club = sending(a_club(tmp_path / "club"), shop, sink, auth)
    shop.expire()

    done = run_program("mail", "send", club.folder)

    assert done.returncode == 75
    assert f"login to {HOST}:{sink.port} failed: 535" in done.stderr
    assert "secret" not in done.stdout + done.stderr
    assert (sink.logins, shop.asked) == ([shop.token], 2)
    assert len(outbox.waiting(club)) == 3


@pytest.mark.parametrize("hangs_up", [False, True])
def test_a_token_that_expires_in_the_middle_of_a_session_is_renewed_and_every_letter_goes_out_once(
    tmp_path: Path, shop: Shop, sink: TokenSink, hangs_up: bool
) -> None:
    club = sending(a_club(tmp_path / "club", "friday", "monday"), shop, sink)
    sink.lasts, sink.hangs_up = 2, hangs_up

    assert outbox.send(club) == outbox.Sent(sent=6)
    assert len(sink.logins) == len(set(sink.logins)) == 3
    assert len({mail.raw for mail in sink.mails}) == 6


def test_a_server_that_wants_a_login_again_and_again_is_asked_once_a_run(
    tmp_path: Path, shop: Shop, sink: TokenSink, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(*_: object) -> str:
        return "530 5.7.0 Authentication Required"

    monkeypatch.setattr(TokenSink, "handle_MAIL", never)
    club = sending(a_club(tmp_path / "club"), shop, sink)

    sent = outbox.send(club)

    assert (sent.sent, sent.failed, sent.left, len(sink.logins)) == (0, 0, 3, 1)
    assert sent.trouble == "530: the server asks for a login"


def test_a_token_that_cannot_be_renewed_leaves_the_rest_for_later_and_the_count_is_told(
    tmp_path: Path, shop: Shop, sink: TokenSink, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Shop, "renew", Shop.expire)
    club = sending(a_club(tmp_path / "club"), shop, sink)
    sink.lasts = 2

    sent = outbox.send(club)

    assert (sent.sent, sent.failed, sent.left) == (2, 0, 1)
    assert "login" in sent.trouble
    assert "secret" not in sent.trouble


# IMAP


@pytest.mark.needs("dovecot", "root")
@pytest.mark.parametrize("auth", WAYS)
def test_mail_is_fetched_with_a_token(tmp_path: Path, shop: Shop, box: Dovecot, auth: Auth) -> None:
    club = fetching(a_club(tmp_path / "club"), shop, box, auth)
    asked = next(mail for mail in letters(club) if mail.asks)
    box.deliver(f"{USER}@{DOMAIN}", on_the_wire(reply(asked, an_order(asked))), "ann@home.test")

    assert run_once(club).codes == {"played": 1}
    assert shop.asked == 1


@pytest.mark.slow
@pytest.mark.needs("dovecot", "root")
@pytest.mark.parametrize("auth", WAYS)
def test_an_expired_token_is_trouble_that_passes_and_is_told_to_nobody(
    tmp_path: Path, shop: Shop, box: Dovecot, auth: Auth
) -> None:
    club = fetching(a_club(tmp_path / "club"), shop, box, auth)
    shop.expire()

    done = run_program("mail", "run", club.folder, "--once")

    assert done.returncode == 75
    assert f"login to {HOST}:{box.imap} as {USER} failed" in done.stderr
    assert "secret" not in done.stdout + done.stderr
    shop.renew()
    assert run_once(club).troubles == ()


@pytest.mark.slow
@pytest.mark.needs("dovecot", "root")
def test_a_command_that_has_a_new_token_at_the_second_try_is_enough(tmp_path: Path, shop: Shop, box: Dovecot) -> None:
    """A helper that knows by the clock alone may print a token that expires on its way to the server."""
    club = fetching(a_club(tmp_path / "club"), shop, box)
    new = tmp_path / "new"
    new.write_text(shop.token)
    shop.file.write_text("ya29.a-secret-of-yesterday")
    again = club.incoming.password_command + f" && cp {new} {shop.file}"
    line = f"sh -c {shlex.quote(again)}"

    with inbox.opened(club.changed(incoming=club.incoming._replace(password_command=line))):
        assert shop.asked == 2


@pytest.mark.slow
@pytest.mark.needs("dovecot", "root")
def test_a_watching_club_whose_session_ends_with_its_token_logs_in_with_the_next(
    tmp_path: Path, shop: Shop, box: Dovecot, open_folder: Path
) -> None:
    club = fetching(a_club(tmp_path / "club"), shop, box)
    asked = next(mail for mail in letters(club) if mail.asks)
    rounds = watched(club, 0.2)
    assert next(rounds).troubles == ()

    shop.renew()
    kick = [path_of("doveadm") or "", "-c", str(open_folder / "dovecot.conf"), "kick", USER]
    subprocess.run(kick, check=True, capture_output=True)
    box.deliver(f"{USER}@{DOMAIN}", on_the_wire(reply(asked, an_order(asked))), "ann@home.test")
    found = next(round_ for round_ in rounds if round_.verdicts)
    rounds.close()

    assert found.codes == {"played": 1}
    assert shop.asked == 2
    assert the_record(club).turn == 1


def test_a_command_that_fails_is_trouble_that_passes(tmp_path: Path) -> None:
    there = WayIn("imap", "INBOX", HOST, 1, "none", USER, password_command="false", auth="xoauth2")  # noqa: S106

    (trouble,) = run_once(a_club(tmp_path / "club").changed(incoming=there)).troubles

    assert isinstance(trouble, TryAgain)
    assert trouble.message == "the password_command in club.toml exited with 1"


# From the first command to the first move


@pytest.mark.slow
@pytest.mark.needs("dovecot", "root")
def test_a_host_gets_a_club_going_at_a_provider_that_wants_tokens_and_they_stand_nowhere(
    tmp_path: Path, shop: Shop, sink: TokenSink, box: Dovecot
) -> None:
    said: list[str] = []

    def pbem(*words: str) -> None:
        done = run_program("mail", words[0], tmp_path / "club", *words[1:])
        assert done.returncode == 0, done.stderr
        said.extend((done.stdout, done.stderr))

    servers = ["--imap", f"{HOST}:{box.imap}", "--smtp", f"{HOST}:{sink.port}", "--user", USER]
    login = ["--auth", "xoauth2", "--password-command", shop.command]
    pbem("init", "--address", f"{USER}@{DOMAIN}", "--host", "you@home.test", *servers, *login)
    pbem("new", "friday", "Ann:red=ann@home.test", "Bob:blue=bob@home.test", "--board", "recommended")
    sink.lasts = 1
    tokens = {shop.token}
    pbem("run", "--once", "--now", "2026-11-21T12:00:00Z", "--json")
    tokens |= set(sink.logins)
    decides = the_asked(read_club(tmp_path / "club"))
    asked = next(mail for mail in (read(mail.raw) for mail in sink.mails) if mail.to == decides.address)
    box.deliver(asked.reply_to, on_the_wire(reply(asked, an_order(asked))), asked.to)
    pbem("run", "--once", "--take-old", "--json")
    pbem("status", "--json")

    assert the_record(read_club(tmp_path / "club")).turn == 1
    assert len(tokens) > 1
    kept_files = [path.read_bytes() for path in (tmp_path / "club").rglob("*") if path.is_file()]
    assert not any(token.encode() in content for token in tokens for content in kept_files)
    assert not any(token in words for token in tokens for words in said)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ssl.SSLEOFError(8, "[SSL: UNEXPECTED_EOF_WHILE_READING] EOF occurred"), "it has ended the connection"),
        (ConnectionResetError(104, "Connection reset by peer"), "it has ended the connection"),
        (smtplib.SMTPConnectError(-1, "SSH-2.0"), "its answer was not understood"),
        (smtplib.SMTPConnectError(421, "busy"), "421"),
    ],
)
def test_trouble_with_a_server_is_told_in_words(error: Exception, words: str) -> None:
    assert in_words(error) == words

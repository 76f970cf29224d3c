"""A new club with its mailbox: what init writes for a provider or for any servers, and what it tells the host."""

import json
import re
import stat
from pathlib import Path

import pytest
from forked import run_program
from servers import HOST, PASSWORD, Devel

from pbem.carriers.mail import providers
from pbem.carriers.mail.passwords import password
from pbem.carriers.mail.providers import Door, Provider, with_mailbox
from pbem.carriers.mail.service import run_once
from pbem.carriers.mail.settings import MailClub, read_club
from pbem.errors import NotUnderstood, UsageError

KNOWN = providers.providers()
CLUB = MailClub(Path("club"), "pbem@example.org", "you@example.org")


def init(folder: Path, *more: str, address: str = "pbem@example.org") -> str:
    """Make a club and return what the host is told."""
    done = run_program("mail", "init", folder, "--address", address, "--host", "you@example.net", *more)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def refused(folder: Path, *more: str) -> str:
    done = run_program("mail", "init", folder, "--address", "pbem@example.org", "--host", "you@example.net", *more)
    assert done.returncode == 2
    assert not folder.exists()
    return done.stderr


# The data


@pytest.mark.parametrize("name", KNOWN)
def test_each_provider_says_where_its_data_is_from_and_what_is_from_memory(name: str) -> None:
    row = KNOWN[name]

    assert re.fullmatch("[a-z0-9]+", name)
    assert re.fullmatch(r"20[0-9]{2}-(?:0[1-9]|1[0-2])|undated", row.known)
    assert set(row.memory) <= set(Provider._fields)
    assert row.source.startswith("https://") or {"imap", "smtp", "where"} <= set(row.memory)
    assert all(CLUB.is_address(f"pbem@{domain}") for domain in row.domains)
    assert row.where


@pytest.mark.parametrize("name", KNOWN)
def test_no_password_travels_unencrypted_over_a_network(name: str) -> None:
    door = providers.door_to(CLUB.address, Door(command="pass show mail"), provider=KNOWN[name])
    assert door is not None
    club = with_mailbox(CLUB, door)

    for box in (club.incoming, club.outgoing):
        assert (box.security == "none") == (box.host == "127.0.0.1")


def test_no_two_providers_claim_one_domain() -> None:
    domains = [domain for row in KNOWN.values() for domain in row.domains]

    assert len(KNOWN) >= 12
    assert len(domains) == len(set(domains))


# What is written


def test_a_provider_with_app_passwords_gets_a_file_for_it_that_nobody_else_reads(tmp_path: Path) -> None:
    folder = tmp_path / "club"

    told = init(folder, "--provider", "gmail", address="pbem@gmail.com")

    club = read_club(folder)
    assert (club.incoming.kind, club.incoming.host, club.incoming.port) == ("imap", "imap.gmail.com", 993)
    assert (club.outgoing.kind, club.outgoing.host, club.outgoing.port) == ("smtp", "smtp.gmail.com", 465)
    assert {club.incoming.user, club.outgoing.user} == {"pbem@gmail.com"}
    assert {club.incoming.auth, club.incoming.security, club.outgoing.security} == {"password", "tls"}
    secret = Path(club.incoming.password_file)
    assert secret == folder / "password"
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    assert "wants an app password" in told
    assert KNOWN["gmail"].source not in told
    assert "https://myaccount.google.com/apppasswords" in told
    assert "pbem+anything@gmail.com, should arrive" in told
    assert str(secret) in told
    assert not (folder / "INBOX").exists()
    assert not (folder / "inbox").exists()
    with pytest.raises(NotUnderstood, match="has no password"):
        password(club.incoming)


def test_a_provider_with_tokens_wants_a_command(tmp_path: Path) -> None:
    assert "--password-command" in refused(tmp_path / "club", "--provider", "outlook")

    command = "oama access pbem@outlook.com"
    told = init(tmp_path / "club", "--provider", "outlook", "--password-command", command)

    club = read_club(tmp_path / "club")
    for box in (club.incoming, club.outgoing):
        assert (box.auth, box.password_command, box.password_file) == ("xoauth2", command, "")
    assert (club.outgoing.port, club.outgoing.security) == (587, "starttls")
    assert "takes no password, but a token" in told
    assert not (tmp_path / "club" / "password").exists()


def test_a_provider_that_wants_only_the_name_gets_it_and_no_subaddresses(tmp_path: Path) -> None:
    told = init(tmp_path / "club", "--provider", "webde", address="pbem@web.de")

    club = read_club(tmp_path / "club")
    assert (club.incoming.user, club.plus) == ("pbem", False)
    assert "plus = false" in told


def test_a_club_that_is_tried_out_gets_its_provider_later(tmp_path: Path) -> None:
    """What the host has set stays, the letters that wait go out, and a second provider is refused."""
    folder = tmp_path / "club"
    init(folder)
    own = (folder / "club.toml").read_text()
    (folder / "club.toml").write_text(own.replace('timezone = "UTC"', 'timezone = "Europe/Rome"'))
    run_program("mail", "new", folder, "friday", "Ann=ann@example.org", "bot", "bot")
    before = read_club(folder)

    told = init(folder, "--provider", "posteo")

    club = read_club(folder)
    assert told.startswith("changed the club in ")
    assert "the letters that are in the outbox will be sent" in told
    assert (club.timezone, club.incoming.host, club.outgoing.kind) == ("Europe/Rome", "posteo.de", "smtp")
    assert (club.folder / "password").exists()
    assert club.since >= before.since
    done = run_program("mail", "init", folder, "--address", club.address, "--host", club.host, "--provider", "gmx")
    assert (done.returncode, "is already a club\n\nhint: its settings are in" in done.stderr) == (73, True)
    assert read_club(folder) == club


@pytest.mark.parametrize(
    ("more", "hint"),
    [
        ([], "to give it a mailbox, add --provider NAME, or --imap HOST and --smtp HOST"),
        (["--provider", "gmx"], "use its own --address pbem@example.org and --host you@example.net"),
    ],
)
def test_a_second_init_says_how_a_club_gets_its_mailbox(more: list[str], hint: str, tmp_path: Path) -> None:
    folder = tmp_path / "club"
    init(folder)
    before = read_club(folder)

    done = run_program("mail", "init", folder, "--address", "other@example.org", "--host", "you@example.net", *more)

    assert done.returncode == 73
    assert hint in done.stderr
    assert read_club(folder) == before


def test_any_other_servers_are_named_by_host_and_port(tmp_path: Path) -> None:
    more = ["--imap", "mail.example.org", "--smtp", "mail.example.org:587", "--user", "me", "--password-file", "secret"]

    told = init(tmp_path / "club", *more)

    assert "me logs in to mail.example.org:993 and mail.example.org:587; if" in told
    assert "if doctor says that it does not, set plus = false" in told
    club = read_club(tmp_path / "club")
    assert (club.incoming.port, club.incoming.security, club.incoming.user) == (993, "tls", "me")
    assert (club.outgoing.port, club.outgoing.security, club.outgoing.user) == (587, "starttls", "me")
    assert club.plus
    assert Path(club.incoming.password_file).is_absolute()
    assert Path(club.incoming.password_file).name == "secret"


def test_mail_may_come_by_a_maildir_and_go_out_by_a_server(tmp_path: Path) -> None:
    init(tmp_path / "club", "--smtp", "mail.example.org")

    club = read_club(tmp_path / "club")
    assert (club.incoming.kind, club.outgoing.kind, club.outgoing.port) == ("maildir", "smtp", 465)
    assert (tmp_path / "club" / "inbox" / "new").is_dir()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("mail.example.org", ("mail.example.org", 993, "tls")),
        ("mail.example.org:143", ("mail.example.org", 143, "starttls")),
        ("localhost:1143", ("localhost", 1143, "none")),
        ("localhost", ("localhost", 993, "tls")),
        ("[::1]:1143", ("::1", 1143, "none")),
        ("[2001:db8::1]", ("2001:db8::1", 993, "tls")),
    ],
)
def test_what_protects_a_connection_follows_from_its_port(text: str, found: tuple[str, int, str]) -> None:
    box = with_mailbox(CLUB, Door(imap=text)).incoming

    assert (box.host, box.port, box.security) == found


@pytest.mark.parametrize(
    "text", ["mail.example.org:", "mail.example.org:0", "mail:70000", "https://mail", "a b", "::1"]
)
def test_what_is_no_server_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not a server"):
        with_mailbox(CLUB, Door(imap=text))


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--provider", "nowhere"], "known are gmail"),
        (["--provider", "gmail", "--imap", "mail.example.org"], "choose either --provider"),
        (["--imap", "a.example", "--password-file", "x", "--password-command", "y"], "--password-file or"),
        (["--imap", "a.example", "--auth", "xoauth2"], "wants a token"),
        (["--password-command", "pass show mail"], "no server is named"),
        (["--imap", "a:b:c"], "is not a server"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_anything_is_made(tmp_path: Path, more: list[str], told: str) -> None:
    assert told in refused(tmp_path / "club", *more)


def test_a_program_reads_what_is_to_be_done(tmp_path: Path) -> None:
    told = json.loads(init(tmp_path / "club", "--provider", "fastmail", "--json"))

    assert told["provider"] == "fastmail"
    assert any("app password" in line for line in told["next"])


def test_nobody_is_asked_and_an_address_that_tells_its_provider_gives_a_hint(tmp_path: Path) -> None:
    plain = init(tmp_path / "plain")
    known = init(tmp_path / "known", address="pbem@gmx.de")

    assert plain.count("\n") == 1
    assert "--provider gmx" in known
    assert read_club(tmp_path / "known").incoming.kind == "maildir"


def test_a_club_that_init_has_made_fetches_and_sends(tmp_path: Path, devel: Devel) -> None:
    servers = ["--imap", f"{HOST}:{devel.imap}", "--smtp", f"{HOST}:{devel.smtp}"]
    init(tmp_path / "club", *servers)
    (tmp_path / "club" / "password").write_text(f"{PASSWORD}\n")

    done = run_once(read_club(tmp_path / "club"))

    assert (done.troubles, done.codes) == ((), {})


def test_the_guide_names_every_provider() -> None:
    guide = Path(__file__).parents[2] / "examples" / "by-mail" / "README.md"
    known = re.search(r"^It knows ([^.]*)\.", guide.read_text(encoding="utf-8"), re.M)

    assert known is not None
    assert re.split(r",\s+|\s+and\s+", known[1]) == list(KNOWN)

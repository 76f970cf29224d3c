"""What the doctor finds of logins by token, and of certificates, with servers that want them."""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from aiosmtpd.controller import Controller
from clubs import a_club
from servers import HOST, Dovecot, Sink, a_port
from test_tokens import box, fetching, sending, shop, sink
from tokens import Shop, TokenSink

from pbem.carriers.mail import setup
from pbem.carriers.mail.settings import WayIn, WayOut
from pbem.carriers.mail.trouble import check_ways
from pbem.club.settings import club_text
from pbem.club.upkeep.doctor import Diagnosis, diagnoses
from pbem.errors import TryAgain

__all__ = ["box", "shop", "sink"]  # fixtures


def found(folder: Path, shop: Shop | None = None) -> dict[str, Diagnosis]:
    every = {each.step: each for each in diagnoses(setup.checks(folder, datetime.now(UTC), 0.1))}
    assert not shop or "very-secret" not in str(every)
    return every


def test_a_command_that_prints_what_a_shell_would_have_read_is_named(
    tmp_path: Path, shop: Shop, sink: TokenSink
) -> None:
    club = sending(a_club(tmp_path / "club"), shop, sink)
    out = club.outgoing._replace(password_command="echo $TOKEN")  # noqa: S106
    (club.folder / "club.toml").write_text(club_text(club.changed(outgoing=out)))

    told = found(club.folder, shop)["mail out, login"]

    assert told.what == f"{HOST} refused the token of user pbem"
    assert told.do.startswith(
        "check what password_command prints: no shell reads password_command, so it cannot use $:"
    )


@pytest.mark.slow
@pytest.mark.needs("dovecot", "root")
def test_a_token_is_taken_or_refused(tmp_path: Path, shop: Shop, sink: TokenSink, box: Dovecot) -> None:
    club = fetching(sending(a_club(tmp_path / "club"), shop, sink), shop, box)
    every = found(club.folder, shop)
    assert every["mail in, login"].what == f"{HOST} accepts the login of pbem, and has the folder INBOX"
    assert every["mail out, login"].what == f"{HOST} accepts the login of pbem"

    shop.expire()
    every = found(club.folder, shop)
    for step in ("mail in, login", "mail out, login"):
        assert every[step].what == f"{HOST} refused the token of user pbem"
        assert every[step].do.startswith("run the password_command by hand")
        assert "user must be the account" in every[step].do
    assert every["letter sent"].state == "skipped"


def test_a_password_command_that_fails(tmp_path: Path, shop: Shop, sink: TokenSink) -> None:
    club = sending(a_club(tmp_path / "club"), shop, sink)
    broken = club.outgoing._replace(password_command="false")  # noqa: S106 -- a program
    (club.folder / "club.toml").write_text(club_text(club.changed(outgoing=broken)))

    every = found(club.folder, shop)

    assert every["mail out, password"].state == "failed"
    assert "password_command" in every["mail out, password"].what
    assert every["mail out, login"].what == 'not tried: it needs "mail out, password"'


@pytest.mark.slow
@pytest.mark.needs("dovecot", "root")
def test_a_password_where_only_a_token_is_taken(tmp_path: Path, shop: Shop, sink: TokenSink, box: Dovecot) -> None:
    club = fetching(sending(a_club(tmp_path / "club"), shop, sink), shop, box)
    out = club.outgoing._replace(auth="password")
    (club.folder / "club.toml").write_text(club_text(club.changed(outgoing=out)))

    finding = found(club.folder, shop)["mail out, login"]

    assert finding.what == f"{HOST}:{sink.port} takes no password, but only a token"
    assert finding.do.startswith('set auth = "xoauth2" under [outgoing]')


@pytest.mark.parametrize(
    ("box", "offered", "told"),
    [
        (WayIn(host="h", auth="password"), ("XOAUTH2", "OAUTHBEARER"), 'set auth = "xoauth2" under [incoming]'),
        (WayIn(host="h", auth="xoauth2"), ("PLAIN",), 'set auth = "password" under [incoming]'),
        (WayOut(host="h", auth="xoauth2"), ("OAUTHBEARER", "PLAIN"), 'set auth = "oauthbearer" under [outgoing]'),
        (WayOut(host="h", auth="password"), ("GSSAPI",), "the usual port under [outgoing]"),
        (WayOut(host="h", auth="password"), ("GSSAPI", "LOGIN"), ""),
        (WayOut(host="h", auth="xoauth2"), ("PLAIN", "XOAUTH2"), ""),
    ],
)
def test_a_way_of_login_that_a_server_does_not_offer(box: WayIn | WayOut, offered: tuple[str, ...], told: str) -> None:
    box = box._replace(security="tls", port=993 if isinstance(box, WayIn) else 465)
    with nullcontext() if not told else pytest.raises(TryAgain) as trouble:
        check_ways(box, frozenset(offered))

    assert trouble is None or trouble.value.hint.startswith(told)


# Certificates


def a_certificate(folder: Path, name: str, until: datetime) -> ssl.SSLContext:
    """Return what a server with a certificate of its own needs, which is in ``folder/certificate``."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    who = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    made = (
        x509.CertificateBuilder()
        .subject_name(who)
        .issuer_name(who)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(until - timedelta(days=30))
        .not_valid_after(until)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    (folder / "certificate").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (folder / "key").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "certificate", folder / "key")
    return context


@contextmanager
def a_server(context: ssl.SSLContext) -> Iterator[int]:
    controller = Controller(Sink(), hostname=HOST, port=a_port(), ready_timeout=120, tls_context=context)
    controller.start()
    try:
        yield controller.port
    finally:
        controller.stop()


@pytest.mark.slow
@pytest.mark.needs("cryptography")
@pytest.mark.parametrize(
    ("name", "days", "is_known", "why", "do"),
    [
        ("localhost", 9, True, "", ""),
        ("localhost", 9, False, "self-signed certificate", "install the certificates of the authorities"),
        ("mail.example.org", 9, True, "Hostname mismatch", "host in club.toml must be the name in the certificate"),
        ("localhost", -9, True, "certificate has expired", "set the clock of this machine"),
    ],
    ids=["valid", "unknown", "another name", "expired"],
)
def test_a_certificate(
    name: str, days: int, is_known: bool, why: str, do: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = a_certificate(tmp_path, name, datetime.now(UTC) + timedelta(days=days))
    if is_known:
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "certificate"))
    club = a_club(tmp_path / "club")
    with a_server(context) as port:
        there = WayOut("smtp", "localhost", port, "starttls")
        (club.folder / "club.toml").write_text(club_text(club.changed(outgoing=there)))
        finding = found(club.folder)["mail out, TLS"]

    if why:
        assert finding.state == "failed"
        assert finding.what.startswith(f"the certificate of localhost:{port} is not valid: {why}")
        assert finding.do.startswith(do)
    else:
        assert finding.what == f"localhost:{port} answers, and its certificate is valid"

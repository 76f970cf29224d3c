"""Real mail servers on loopback ports, each as a fixture; ``needs.py`` says what they need.

``sink`` takes mail and keeps it (aiosmtpd). ``devel`` has SMTP and IMAP in
memory (mail-devel). ``opensmtpd`` hands mail for ``DOMAIN`` to a command that it
runs as nobody, and relays all other mail to ``sink``. ``dovecot`` has mailboxes
with LMTP and IMAP (IDLE).
"""

import fcntl
import os
import shlex
import shutil
import signal
import smtplib
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import NamedTuple

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session
from needs import path_of

HOST = "127.0.0.1"
DOMAIN = "club.test"
PASSWORD = "a-password-for-tests"  # noqa: S105


def a_port() -> int:
    """Return a port of the loopback interface that is free now."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


def wait_until(
    is_true: Callable[[], object], seconds: float = 120, what: str = "what was waited for", log: Path | None = None
) -> None:
    """Return when the condition holds; fails the test if it does not in time, and shows what the server has logged."""
    end = time.monotonic() + seconds
    while not is_true():
        if time.monotonic() >= end:
            logged = f":\n{log.read_text(errors='replace')}" if log else ""
            pytest.fail(f"{what} has not happened in {seconds} seconds{logged}")
        time.sleep(0.02)


def listens(port: int) -> bool:
    """Return whether somebody answers at the port."""
    with suppress(OSError), socket.create_connection((HOST, port), timeout=5) as caller:
        caller.settimeout(120)
        return bool(caller.recv(1))
    return False


# In memory


class Mail(NamedTuple):
    """A mail as it arrived: the envelope (the sender is "" for the null sender), and the bytes."""

    sender: str
    recipients: tuple[str, ...]
    raw: bytes


class Sink:
    """An SMTP server that keeps what it gets; the next replies in ``answers`` are given instead, one a mail.

    Recipients that are *unknown* are refused.
    """

    def __init__(self) -> None:
        self.mails: list[Mail] = []
        self.answers: list[str] = []
        self.unknown: set[str] = set()
        self.port = 0

    async def handle_RCPT(  # noqa: N802
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, _options: list[str]
    ) -> str:
        """Accept a recipient that is known."""
        if address in self.unknown:
            return "550 5.1.1 no such user"
        envelope.rcpt_tos.append(address)
        return "250 known"

    async def handle_DATA(self, _server: SMTP, _session: Session, envelope: Envelope) -> str:  # noqa: N802
        """Keep a mail, or answer as a test has asked."""
        if self.answers:
            return self.answers.pop(0)
        sender = (envelope.mail_from or "").strip("<>")
        self.mails.append(Mail(sender, tuple(envelope.rcpt_tos), envelope.original_content or b""))
        return "250 kept"


@pytest.fixture
def sink() -> Iterator[Sink]:
    """A server that accepts all mail and keeps it."""
    kept = Sink()
    controller = Controller(kept, hostname=HOST, port=a_port(), ready_timeout=120)
    controller.start()
    kept.port = controller.port
    try:
        yield kept
    finally:
        controller.stop()


class Devel(NamedTuple):
    """The ports of mail-devel; every address has a mailbox, and the password is ``PASSWORD``."""

    smtp: int
    imap: int


@pytest.fixture
def devel(tmp_path: Path) -> Iterator[Devel]:
    """SMTP and IMAP in memory."""
    ports = Devel(a_port(), a_port())
    command = [sys.executable, "-m", "mail_devel", "--host", HOST, "--no-http", "--multi-user", "--password", PASSWORD]
    command += ["--smtp-port", str(ports.smtp), "--imap-port", str(ports.imap)]
    with running(command, tmp_path / "mail-devel.log", lambda: listens(ports.smtp) and listens(ports.imap)):
        yield ports


# Debian's packages


@contextmanager
def running(command: list[str], log: Path, is_up: Callable[[], object]) -> Iterator[int]:
    """Run a server in a session of its own until the block is left; yields its process id."""
    with log.open("wb") as out:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True)
    try:
        end = time.monotonic() + 120
        while not is_up():
            gone = process.poll() is not None
            assert not gone and time.monotonic() < end, log.read_text(errors="replace")  # noqa: PT018
            time.sleep(0.02)
        yield process.pid
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(5)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(5)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user can enter, with a short name, as the paths of sockets need."""
    folder = Path(tempfile.mkdtemp(prefix="pm-", dir="/tmp"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class OpenSmtpd(NamedTuple):
    """A running OpenSMTPD: its port, and the command that runs another one in sight of its queue."""

    port: int
    inside: tuple[str, ...]
    log: Path

    def control(self, *words: str) -> str:
        """Return what ``smtpctl`` says: ``show queue``, ``schedule all``."""
        done = subprocess.run(
            [*self.inside, path_of("smtpctl") or "", *words], check=False, capture_output=True, text=True
        )
        return done.stdout + done.stderr

    def sendmail(self, raw: bytes, *arguments: str) -> int:
        """Hand a mail to OpenSMTPD's ``sendmail`` and return its exit status."""
        return subprocess.run([*self.inside, path_of("sendmail") or "", *arguments], check=False, input=raw).returncode


# The places of queue and control socket are compiled in. Each server gets its own in a namespace of mounts, or where
# containers forbid that it uses those of the system, and no two of them run at once.
APART = "mount --make-rprivate / && mount --bind {spool} /var/spool && mount --bind {run} /var/run && exec {server}"


@contextmanager
def an_opensmtpd(folder: Path, hook: str, relay: int, aliases: Path | None = None) -> Iterator[OpenSmtpd]:
    """Run OpenSMTPD: mail to ``DOMAIN`` is piped into the command *hook* as nobody, all other to the port *relay*.

    With a file of *aliases* these say what becomes of mail to ``DOMAIN``.
    """
    spool, run = folder / "spool", folder / "run"
    for made in (spool, run):
        made.mkdir(mode=0o755)
    port = a_port()
    conf = folder / "smtpd.conf"
    deliver = "mbox alias <aliases>" if aliases else f"mda {quoted(hook)} virtual <everybody>"
    conf.write_text(
        "\n".join(
            (
                f"listen on {HOST} port {port} hostname mx.{DOMAIN}",
                f"table aliases file:{aliases}" if aliases else 'table everybody { "@" = nobody }',
                f'action "adjudicator" {deliver}',
                f'action "away" relay host "smtp://{HOST}:{relay}"',
                f'match from any for domain "{DOMAIN}" action "adjudicator"',
                'match from any for any action "away"',
                "",
            )
        ),
        encoding="ascii",
    )
    conf.chmod(0o644)
    server = path_of("smtpd") or ""
    command = [server, "-d", "-f", str(conf)]
    apart = subprocess.run(["unshare", "--mount", "true"], check=False, capture_output=True).returncode == 0
    if apart:
        command = ["unshare", "--mount", "sh", "-c", APART.format(spool=spool, run=run, server=shlex.join(command))]
    alone = nullcontext() if apart else only_one(server)
    with alone, running(command, folder / "smtpd.log", lambda: listens(port)) as process:
        # Who enters a namespace of mounts also leaves a chroot, unless the root is named.
        inside = ("nsenter", "--mount", "--root", "--target", str(process)) if apart else ()
        yield OpenSmtpd(port, inside, folder / "smtpd.log")


@contextmanager
def only_one(server: str) -> Iterator[None]:
    """Wait until no other test runs the server, in whatever process, and keep the others waiting."""
    with Path(server).open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def quoted(text: str) -> str:
    """Return a command as ``smtpd.conf`` wants it."""
    assert '"' not in text
    return f'"{text}"'


class Dovecot(NamedTuple):
    """A running Dovecot: the ports of IMAP and LMTP, and the folder in which user u has ``u/Maildir``."""

    imap: int
    lmtp: int
    homes: Path

    def deliver(self, recipient: str, raw: bytes, sender: str = "") -> None:
        """Put a mail into the mailbox of *recipient*, as an MTA does it."""
        with smtplib.LMTP(HOST, self.lmtp) as door:
            door.sendmail(sender, [recipient], raw)


DOVECOT = """
protocols = imap lmtp
listen = {host}
base_dir = {folder}/run
state_dir = {folder}/state
log_path = {folder}/dovecot.log
instance_name = pbem-{folder.name}
ssl = no
disable_plaintext_auth = no
first_valid_uid = 1
mail_location = maildir:~/Maildir
recipient_delimiter = +
postmaster_address = postmaster@{domain}
imap_idle_notify_interval = 2 mins
service imap-login {{
  inet_listener imap {{
    port = {imap}
  }}
  inet_listener imaps {{
    port = 0
  }}
}}
service lmtp {{
  inet_listener lmtp {{
    address = {host}
    port = {lmtp}
  }}
}}
userdb {{
  driver = static
  args = uid=nobody gid=nogroup home={folder}/homes/%n allow_all_users=yes
}}
"""

LOGIN = f"""
passdb {{
  driver = static
  args = password={PASSWORD}
}}
"""

SIEVE = """
protocol lmtp {{
  mail_plugins = sieve
}}
plugin {{
  sieve = file:{folder}/script;active={script}
}}
"""


@contextmanager
def a_dovecot(
    folder: Path, ports: Dovecot | None = None, sieve: Path | None = None, login: str = LOGIN
) -> Iterator[Dovecot]:
    """Run Dovecot, again perhaps on the same ports; every user has a mailbox and the password ``PASSWORD``.

    With a script for *sieve* that sorts all mail that is delivered, or with other settings for the *login*.
    """
    homes = folder / "homes"
    homes.mkdir(mode=0o777, exist_ok=True)
    homes.chmod(0o777)
    box = ports or Dovecot(a_port(), a_port(), homes)
    conf = folder / "dovecot.conf"
    conf.write_text(
        DOVECOT.format(host=HOST, folder=folder, domain=DOMAIN, imap=box.imap, lmtp=box.lmtp)
        + login
        + (SIEVE.format(folder=folder, script=sieve) if sieve else ""),
        encoding="ascii",
    )
    command = [path_of("dovecot") or "", "-F", "-c", str(conf)]
    with running(command, folder / "dovecot.out", lambda: listens(box.imap) and listens(box.lmtp)):
        yield box


@pytest.fixture
def dovecot(open_folder: Path) -> Iterator[Dovecot]:
    """Mailboxes with LMTP and IMAP."""
    with a_dovecot(open_folder) as box:
        yield box


# Somebody's mail program


def reply_with_s_nail(box: Path, words: str, port: int, sender: str = "bob@home.test") -> None:
    """Answer the first mail of a Maildir with s-nail, above a quotation of it, and send that to an SMTP port."""
    settings = {
        "v15-compat": "yes",
        "mta": f"smtp://{HOST}:{port}",
        "smtp-auth": "none",
        "from": sender,
        "hostname": "home.test",
        "indentprefix": "> ",
    }
    command = ["s-nail", "-:/", "-#", *(part for pair in settings.items() for part in ("-S", "=".join(pair)))]
    typed = f"reply 1\n{words}\n~m 1\n~.\n"
    done = subprocess.run(
        [*command, "-f", str(box)], check=False, input=typed.encode(), capture_output=True, timeout=120
    )
    assert done.returncode == 0, done.stderr

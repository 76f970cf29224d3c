"""The recipes of ``examples/by-mail`` are tried: each file as it is there, but for the paths and the domain."""

import re
import smtplib
import subprocess
import sys
from pathlib import Path

import pytest
from clubs import a_table, an_order, letters, the_asked, the_record
from needs import path_of
from nobody import ROOT, as_nobody
from people import Mail, on_the_wire, reply
from servers import DOMAIN, HOST, PASSWORD, Sink, a_dovecot, an_opensmtpd, wait_until

from pbem import formats
from pbem.carriers.mail.outgoing.outbox import waiting
from pbem.carriers.mail.settings import MailClub, WayIn, WayOut, read_club
from pbem.carriers.mail.setup import create
from pbem.club.opening import open_game
from pbem.club.settings import club_text
from pbem.table.people import Opening

RECIPES = ROOT / "examples" / "by-mail"
PLAYERS = ("Ann:green=ann@home.test", "Bob:red=bob@home.test", "Cy:blue=cy@home.test")


@pytest.fixture
def club(open_folder: Path) -> MailClub:
    """A club of nobody's, in which a game has just begun."""
    folder = open_folder / "club"
    create(folder, f"pbem@{DOMAIN}", "host@home.test")
    club = read_club(folder).changed(picture=False, waves=False)
    (folder / "club.toml").write_text(club_text(club))
    open_game(club, "friday", PLAYERS, Opening(3, "recommended"), None)
    given_to_nobody(club)
    return club


def given_to_nobody(club: MailClub) -> None:
    subprocess.run(["chown", "-R", "nobody", club.folder], check=True)


@pytest.fixture
def program(nobody_python: str, open_folder: Path) -> str:
    """The installed program, which the user nobody may run."""
    path = open_folder / "pbem"
    path.write_text(f'#!/bin/sh\nexec "{nobody_python}" -m pbem "$@"\n')
    path.chmod(0o755)
    return str(path)


def recipe(name: str, club: MailClub, program: str) -> str:
    """Return a file of the recipes for this club and this program."""
    text = (RECIPES / name).read_text(encoding="utf-8")
    for before, after in (
        ("/opt/pbem/bin/pbem", program),
        ("/var/lib/pbem/club", str(club.folder)),
        ("%h/pbem/bin/pbem", program),
        ("%h/club", str(club.folder)),
        ("example.org", DOMAIN),
        ("example\\.org", re.escape(DOMAIN)),
    ):
        text = text.replace(before, after)
    assert "example" not in text
    return text


def question(club: MailClub) -> Mail:
    return next(mail for mail in letters(club) if mail.asks)


@pytest.mark.slow
@pytest.mark.needs("opensmtpd")
def test_the_line_for_aliases(club: MailClub, program: str, open_folder: Path, sink: Sink) -> None:
    """The mail server starts the command with its own environment, in its own folder, as a user of its own."""
    aliases = open_folder / "aliases"
    aliases.write_text(recipe("aliases", club, program))
    aliases.chmod(0o644)
    asked = question(club)
    subprocess.run(["chown", "-R", "opensmtpd", club.folder], check=True)
    with an_opensmtpd(open_folder, "", sink.port, aliases) as server, smtplib.SMTP(HOST, server.port) as door:
        door.sendmail(asked.to, [asked.reply_to], on_the_wire(reply(asked, an_order(asked))))
        wait_until(lambda: the_record(club).turn == 1, what="a move", log=server.log)

    assert {path.stat().st_uid for path in (a_table(club).game, *waiting(club))} == {a_table(club).folder.stat().st_uid}


@pytest.mark.slow
@pytest.mark.needs("procmail")
def test_the_recipe_for_procmail(club: MailClub, program: str, open_folder: Path) -> None:
    rules, box = open_folder / "procmailrc", open_folder / "box"
    box.mkdir()
    box.chmod(0o777)
    rules.write_text(f"ORGMAIL={box}/mbox\nDEFAULT={box}/mbox\n{recipe('procmailrc', club, program)}")
    rules.chmod(0o644)
    command = [path_of("procmail") or "", "-m", str(rules)]
    asked = question(club)
    raw = b"From ann@home.test Sat Nov 21 12:00:00 2026\n" + reply(asked, an_order(asked)).replace(b"\r\n", b"\n")
    game = a_table(club).game
    sound = game.read_bytes()

    game.write_text("what is this")
    later = as_nobody(command, input=raw)
    game.write_bytes(sound)
    played = as_nobody(command, input=raw)
    other = as_nobody(command, input=raw.replace(b"pbem+", b"ann+"))

    assert (later.returncode, played.returncode, other.returncode) == (75, 0, 0), (later, played)
    assert the_record(club).turn == 1
    assert (box / "mbox").read_bytes().count(b"\nSubject:") == 1  # the mail to somebody else is not touched


@pytest.mark.slow
@pytest.mark.needs("dovecot", "sievec")
def test_the_recipe_for_sieve_and_that_for_a_provider(
    club: MailClub, program: str, open_folder: Path, sink: Sink
) -> None:
    script = open_folder / "pbem.sieve"
    script.write_text(recipe("pbem.sieve", club, program))
    script.chmod(0o644)
    asked = question(club)
    raw = on_the_wire(reply(asked, an_order(asked)))
    with a_dovecot(open_folder, sieve=script) as box:
        settings = formats.parse((RECIPES / "provider.toml").read_text(), "toml", name="provider.toml")
        incoming, outgoing = WayIn(**settings["incoming"]), WayOut(**settings["outgoing"])
        assert (incoming.security, outgoing.security) == ("tls", "starttls")
        password = club.folder / "password"
        password.write_text(PASSWORD + "\n")
        there = {"host": HOST, "security": "none", "password_file": str(password)}
        club = club.changed(
            incoming=incoming._replace(**there, port=box.imap, user="pbem", folder="pbem"),
            outgoing=outgoing._replace(**there, port=sink.port, user=""),
        )
        (club.folder / "club.toml").write_text(club_text(club))
        box.deliver(f"pbem@{DOMAIN}", raw.replace(b"To: pbem+", b"To: x"), "ann@home.test")
        box.deliver(asked.reply_to, raw, "ann@home.test")
        box.deliver(f"pbemmel@{DOMAIN}", raw, "ann@home.test")

        subprocess.run(["chown", "-R", "root", club.folder], check=True)
        line = [sys.executable, "-m", "pbem", "mail", "run", str(club.folder), "--once"]
        done = subprocess.run(line, capture_output=True, check=False)  # with the extra that IMAP needs

        assert done.returncode == 0, (done, (open_folder / "dovecot.log").read_text())
        homes = box.homes
        assert not list((homes / "pbemmel" / "Maildir").glob(".pbem/*/*"))
    assert the_record(club).turn == 1
    assert the_asked(club).address in {recipient for mail in sink.mails for recipient in mail.recipients}


@pytest.mark.slow
@pytest.mark.needs("systemd-analyze")
def test_the_unit_for_systemd(club: MailClub, program: str, open_folder: Path) -> None:
    unit = open_folder / "pbem.service"
    unit.write_text(recipe("pbem.service", club, program))
    found = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False, timeout=60)
    ours = [line for line in (found.stdout + found.stderr).splitlines() if "pbem" in line]

    assert (found.returncode, ours) == (0, [])
    start = re.search(r"^ExecStart=(.*)$", unit.read_text(), re.MULTILINE)
    stop = re.search(r"^SuccessExitStatus=(.*)$", unit.read_text(), re.MULTILINE)
    assert start is not None
    assert stop is not None
    asked = question(club)
    (club.folder / "inbox" / "new" / "1").write_bytes(reply(asked, an_order(asked)))
    given_to_nobody(club)
    with subprocess.Popen(start[1].split(), user="nobody", group="nogroup", cwd="/", stdout=subprocess.PIPE) as service:
        wait_until(lambda: the_record(club).turn == 1, what="a move")
        wait_until(lambda: not list((club.folder / "inbox" / "new").iterdir()), what="the end of it")
        service.terminate()
        assert service.wait(30) == int(stop[1])


def test_the_guide_names_every_recipe_and_the_readme_the_guide() -> None:
    guide = (RECIPES / "README.md").read_text(encoding="utf-8")

    for path in RECIPES.iterdir():
        assert path.name == "README.md" or f"]({path.name})" in guide
    assert "examples/by-mail/README.md" in (ROOT / "README.md").read_text(encoding="utf-8")

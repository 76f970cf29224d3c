"""Everything that ``pbem mail`` prints with --json fits its schema."""

import io
import json
import shutil
import sys
from pathlib import Path
from typing import get_args

import pytest
from clubs import ADDRESS, ANN, HOST, a_bounce, a_club, an_order, letters
from fitting import SCHEMAS, Run, codes_of, commands_of, fits, runner
from people import a_mail, drop, reply

from pbem.carriers.mail.incoming.message import LARGEST_HEAD
from pbem.carriers.mail.outgoing.outbox import waiting
from pbem.carriers.mail.settings import MailClub, read_club
from pbem.carriers.mail.take import take
from pbem.cli import app as cli
from pbem.club import host
from pbem.club.folder import folder_of, read_roster
from pbem.club.opening import open_game
from pbem.club.settings import club_text
from pbem.club.upkeep import backup
from pbem.table.messages.verdict import Code
from pbem.table.people import Opening

NOW = ["--now", "2026-11-21T12:00:00Z"]
FRIDAY = ["club", "friday"]
HELLO = a_mail("eve@evil.example", ADDRESS, "hello")
COMMANDS = [
    ("founded", ["init", "another", "--address", "pbem@example.org", "--host", HOST]),
    ("begun", ["new", "club", "monday", f"Ann={ANN}", "Bob=bob@y.example"]),
    ("open", ["new", "club", "monday", f"Ann={ANN}", "--seats", "3"]),
    ("taken", ["take", "club"]),
    ("taken", ["take", "club", "--send"]),
    ("run", ["run", "club", "--once"]),
    ("run", ["run", "club", "--once", "--now", "2026-11-21T12:00:00Z"]),
    ("sent", ["send", "club"]),
    ("ticked", ["tick", "club", *NOW]),
    ("examined", ["doctor", "club"]),
    ("status", ["status", "club"]),
    ("status", ["status", "club", *NOW]),
    ("replaced", ["replace", *FRIDAY, "Ann", "Dora=dora@x.example"]),
    ("answered", ["answer", *FRIDAY]),
    ("absent", ["absent", *FRIDAY, "green"]),
    ("absent", ["absent", *FRIDAY, "green", "--until", "2026-12-31", "--substitute", "sub@x.example"]),
    ("back", ["back", *FRIDAY, "Bob"]),
    ("paused", ["pause", *FRIDAY]),
    ("resumed", ["resume", *FRIDAY]),
    ("taken-back", ["takeback", *FRIDAY]),
    ("resent", ["resend", *FRIDAY, "--all"]),
    ("clock", ["clock", *FRIDAY, "--deadline", "2 days", "--reminder", "1 day", "--then", "bot"]),
    ("retried", ["retry", "club"]),
    ("backed-up", ["backup", "club", "club.tar.gz"]),
    ("restored", ["restore", "kept.tar.gz", "copy"]),
    ("rebuilt", ["rebuild", *FRIDAY]),
    ("rebuilt", ["rebuild", *FRIDAY, "-o", "rebuilt.toml"]),
]


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A club with a game after its first move."""
    club = a_club(tmp_path_factory.mktemp("begun") / "club")
    question = next(mail for mail in letters(club) if mail.asks)
    drop(club.folder, reply(question, an_order(question)), "1")
    assert cli.run(["mail", "run", str(club.folder), "--once"]) == 0
    return club.folder


@pytest.fixture
def club(begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MailClub:
    """A club of our own in the folder where the program runs; a stranger's mail comes from standard input."""
    shutil.copytree(begun, tmp_path / "club")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["pbem"])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(HELLO)))
    backup.write(Path("club"), Path("kept.tar.gz"))
    return read_club(Path("club"))


@pytest.fixture
def run(club: MailClub, capsys: pytest.CaptureFixture[str]) -> Run:
    """The program in that folder."""
    assert club.folder.is_dir()
    told = runner("mail", capsys)
    return lambda *arguments, status=0: told("mail", *arguments, status=status)


@pytest.mark.parametrize(("code", "arguments"), COMMANDS, ids=[" ".join(words)[:40] for _, words in COMMANDS])
def test_what_a_command_answers_fits(code: str, arguments: list[str], run: Run) -> None:
    (answer,) = run(*arguments, status=int(code == "examined"))  # no clock has ticked lately

    assert answer["code"] == code


def test_every_command_and_every_answer_has_its_place_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["pbem"])
    assert {words[0] for _, words in COMMANDS} == commands_of("mail")
    assert {code for code, _ in COMMANDS} == set(codes_of("mail"))
    assert len(set(codes_of("mail"))) == len(list(codes_of("mail")))


def test_every_verdict_on_a_mail_fits(club: MailClub, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def taken(raw: bytes) -> str:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
        return str(run("take", "club")[0]["verdict"])

    host.resend(club, folder_of(club, "friday"), to_all=True)
    mails = letters(club)
    question, other = (next(mail for mail in mails if mail.asks is asks) for asks in (True, False))
    orders = [tap.body.split("\n")[0] for tap in question.taps]
    verdicts = [
        taken(b"X: " + b"x" * LARGEST_HEAD),
        taken(HELLO),
        taken(a_mail("eve@evil.example", ADDRESS, "hello again")),
        taken(a_mail("eve@evil.example", ADDRESS, "away", headers=["Auto-Submitted: auto-replied"])),
        taken(a_mail("eve@evil.example", ADDRESS, "buy", headers=["X-Spam-Flag: YES"])),
        taken(a_bounce(question)),
        taken(a_mail(ANN, ADDRESS, "hello")),
        taken(reply(question, "offer 41")),
        taken(reply(question, "")),
        taken(reply(question, "resign")),
        taken(reply(question, "news every")),
        taken(reply(other, "plan pass")),
        taken(reply(other, "Hello all")),
        taken(reply(question, orders[0])),
        taken(reply(question, orders[0])),
        taken(reply(question, orders[0], number=1)),
        taken(reply(question, orders[1])),
    ]
    letters(club)
    host.resend(club, folder_of(club, "friday"))
    (question,) = letters(club)
    host.pause(club, folder_of(club, "friday"), "")
    verdicts.append(taken(reply(question, an_order(question))))
    open_game(club, "monday", (), Opening(2), None)
    for name in ("Dan", "Eve"):
        letters(club)
        verdicts.append(taken(a_mail(f"{name}@d.example", ADDRESS, f"join monday {name}")))
        verdicts.append(taken(reply(letters(club)[0], f"join monday {name}")))
        verdicts.append(taken(reply(letters(club)[0], "offer 7")))
    host.replace(club, folder_of(club, "friday"), "Ann", "Dora", "dora@x.example")
    verdicts += [taken(reply(mail, "hello")) for mail in mails if mail.to == ANN]

    assert set(verdicts) == set(get_args(Code)) == set(SCHEMAS["mail"]["$defs"]["verdict"]["enum"])


def test_status_tells_whose_letters_come_back(club: MailClub, run: Run) -> None:
    asked = next(mail for mail in letters(club) if mail.asks)
    take(club, a_bounce(asked))
    seat = next(player for player in read_roster(folder_of(club, "friday")).players if player.address == asked.to)

    (status,) = run("status", "club")

    assert status["games"][0]["unreachable"] == [{"colour": seat.colour, "name": seat.name, "address": asked.to}]


def test_status_tells_which_letters_wait_and_which_were_refused(club: MailClub, run: Run) -> None:
    outgoing = club.outgoing._replace(kind="sendmail", program="/nonexistent")
    (club.folder / "club.toml").write_text(club_text(club.changed(outgoing=outgoing)))
    host.resend(club, folder_of(club, "friday"), to_all=True)
    (first, second, *more) = waiting(club)
    (club.outbox / ".failed" / "new").mkdir(parents=True)
    first.rename(club.outbox / ".failed" / "new" / first.name)
    run("tick", "club", *NOW)

    (status,) = run("status", "club")

    assert [(row["name"], row["refused"], row["since"]) for row in status["letters"]] == [
        (first.name, True, None),
        *((path.name, False, "2026-11-21T12:00:00Z") for path in (second, *more)),
    ]


def test_letters_that_stay_are_told_of_a_mail_that_is_taken(club: MailClub, run: Run) -> None:
    sendmail = Path("sendmail")
    sendmail.write_text("#!/bin/sh\nexit 75\n")
    sendmail.chmod(0o755)
    outgoing = club.outgoing._replace(kind="sendmail", program=str(sendmail.absolute()))
    (club.folder / "club.toml").write_text(club_text(club.changed(outgoing=outgoing)))

    (taken,) = run("take", "club", "--send")

    assert (taken["sent"], taken["left"]) == (0, len(waiting(club)))
    assert taken["trouble"]
    assert run("send", "club", status=75)[0]["code"] == "try-again"
    assert run("run", "club", "--once", status=75)[0]["code"] == "try-again"


def test_a_game_in_which_something_is_wrong_is_told_beside_the_others(club: MailClub, run: Run) -> None:
    open_game(club, "monday", (f"Ann={ANN}",), Opening(3), None)
    open_game(club, "sunday", (f"Ann={ANN}", "Bob=bob@y.example"), Opening(2), None)
    folder_of(club, "friday").game.write_text("nothing")

    (ticked,) = run("tick", "club", *NOW, status=65)
    (status,) = run("status", "club")

    assert [(row["game"], row["error"] == "") for row in ticked["games"]] == [("friday", False)]
    assert [(row["turn"], row["error"] == "") for row in status["games"]] == [(None, False), (None, True), (0, True)]


def test_who_watches_reads_a_line_for_all_that_is_done_and_all_that_is_wrong(
    club: MailClub, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Stopped(BaseException):
        pass

    def stop(*_: object) -> None:
        raise Stopped

    monkeypatch.setattr("pbem.carriers.mail.incoming.mailbox.Maildir.wait", stop)
    drop(club.folder, HELLO, "2")
    folder_of(club, "friday").game.write_text("nothing")

    with pytest.raises(Stopped):
        cli.run(["mail", "run", "club", "--watch", "--json"])

    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert all(fits(answer, "mail") for answer in answers)
    assert [(answer["ok"], answer["code"]) for answer in answers] == [(False, "not-understood"), (True, "run")]


@pytest.mark.parametrize(
    ("arguments", "status", "code"),
    [
        (["dance"], 2, "usage"),
        (["init", "another"], 2, "usage"),
        (["init", "another", "--address", ADDRESS], 2, "usage"),
        (["init", "another", "--address", "nobody", "--host", HOST], 2, "usage"),
        (["init", "club", "--address", ADDRESS, "--host", HOST], 73, "cannot-create"),
        (["new", "club", "monday", "Ann"], 2, "usage"),
        (["new", "club", "friday", "--seats", "2"], 73, "cannot-create"),
        (["new", "nowhere", "monday", "--seats", "2"], 66, "no-such-file"),
        (["take", "nowhere"], 75, "try-again"),
        (["run", "club"], 2, "usage"),
        (["run", "club", "--watch", "--now", "2026-11-21T12:00:00Z"], 2, "usage"),
        (["run", "nowhere", "--once"], 66, "no-such-file"),
        (["send", "nowhere"], 66, "no-such-file"),
        (["tick", "club"], 2, "usage"),
        (["tick", "club", "--now", "soon"], 65, "not-understood"),
        (["status", "nowhere"], 66, "no-such-file"),
        (["replace", *FRIDAY, "Ann", "Dora"], 2, "usage"),
        (["replace", *FRIDAY, "Eve", "Dora=dora@x.example"], 65, "not-understood"),
        (["absent", *FRIDAY, "green", "--until", "soon"], 65, "not-understood"),
        (["back", *FRIDAY, "Eve"], 65, "not-understood"),
        (["pause", "club", "monday"], 66, "no-such-file"),
        (["resume", "club", "../x"], 66, "no-such-file"),
        (["takeback", *FRIDAY, "--to", "99"], 65, "illegal"),
        (["resend", "club", "monday"], 66, "no-such-file"),
        (["rebuild", *FRIDAY, "-o", "club/club.toml"], 73, "cannot-create"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else None,
)
def test_every_refusal_fits(arguments: list[str], status: int, code: str, run: Run) -> None:
    (answer,) = run(*arguments, status=status)

    assert answer["code"] == code


def test_a_game_that_its_mails_do_not_lead_to_is_told_in_the_same_form(club: MailClub, run: Run) -> None:
    next(folder_of(club, "friday").mails.glob("*.eml")).write_bytes(HELLO)

    assert run("rebuild", *FRIDAY, status=76)[0]["code"] == "broken"

"""Whatever a mail is cut off by, and wherever: the game is the old or the new one, and every letter goes out."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest
from clubs import a_club, a_table, an_order, keep_roster, letters, the_asked, tree
from forked import run_program
from nobody import as_nobody
from people import nothing_quoted, on_the_wire, reply
from planners import MailGame
from servers import HOST, Sink
from strokes import WRITING, Call, calls_of, struck
from work import Some

from pbem import loading
from pbem.carriers.mail.outgoing import maildir, outbox
from pbem.carriers.mail.settings import MailClub, WayOut, read_club
from pbem.carriers.mail.take import take
from pbem.club import private
from pbem.club.folder import read_roster
from pbem.club.journal import journal_rows
from pbem.club.store import talk_rows
from pbem.club.transaction import locked
from pbem.errors import PbemError
from pbem.first_sparks.proof import verify
from pbem.table.costs import THEN
from pbem.table.talk import Saying

pytestmark = pytest.mark.slow


class Case(NamedTuple):
    """A club as it was saved, a mail for it, and every file as it is after the mail was taken with nothing amiss."""

    saved: Path
    club: MailClub
    mail: bytes
    old: bytes
    after: dict[str, bytes]

    def again(self) -> None:
        """Put the club back as it was saved."""
        shutil.rmtree(self.club.folder)
        shutil.copytree(self.saved, self.club.folder)

    def work(self) -> None:
        """Take the mail; trouble that we know ends the process well, as it ends the command with 75."""
        try:
            take(self.club, self.mail)
        except PbemError:
            os._exit(75)

    def is_never_between(self) -> None:
        """Assert that what others can see is whole: the old game or the new one, and whole letters."""
        assert a_table(self.club).game.read_bytes() in (self.old, self.after["games/friday/game.toml"])
        for name, data in tree(self.club.outbox / "new").items():
            assert self.after[f"outbox/new/{name}"] == data

    def comes_to_the_end(self) -> None:
        """Assert that the same mail once more brings about all that it should have, and nothing else."""
        assert take(self.club, self.mail).code in ("played", "duplicate")
        assert without_litter(self.club) == self.after


def without_litter(club: MailClub) -> dict[str, bytes]:
    """Return every file of the club but those unfinished ones that nobody reads."""
    return {name: data for name, data in tree(club.folder).items() if not Path(name).name.startswith(".pbem-")}


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    """A mail of which everybody wants to hear, with an order, a wish and table talk: it changes all files of a game."""
    folder = tmp_path_factory.mktemp("case")
    club = a_club(folder / "club", turn=12)
    table = a_table(club)
    roster = read_roster(table)
    keep_roster(table, roster._replace(players=tuple(p._replace(news="every") for p in roster.players)))
    said = (Saying("Cy (blue)", "Good hunting!", tuple(p.colour for p in roster.players)),)
    private.keep(table.private, {"sayings": talk_rows(said)})
    asked = next(mail for mail in letters(club) if mail.asks and mail.to == the_asked(club).address)
    words = f"{an_order(asked)}\nnews none\n\nWhat a lovely valley, said the mammoth."
    raw = reply(asked, words, beneath=nothing_quoted)
    old = table.game.read_bytes()
    saved = Path(shutil.copytree(club.folder, folder / "saved"))
    assert take(club, raw).letters == 3
    after = tree(club.folder)
    new = loading.load(table.game).record
    assert verify(new) == len(new.log)
    before = tree(saved)
    changed = {name.removeprefix("games/friday/") for name, data in after.items() if before.get(name) != data}
    assert {"game.toml", "private.toml", "mails/journal.ndjson"} <= changed
    return Case(saved, club, raw, old, after)


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Case:
    """A mail to which the plans of others give at least six answers, and with which a plan is replaced."""
    folder = tmp_path_factory.mktemp("chain")
    game = MailGame(folder / "plans", 4, waves=False, board="recommended")
    saved = folder / "saved"
    while True:
        shutil.rmtree(saved, ignore_errors=True)
        shutil.copytree(game.club.folder, saved)
        old = game.table.game.read_bytes()
        ((colour, question),) = game.inbox.items()
        words = game.words(colour, question, plans=True)
        game.send(colour, words)
        if len(journal_rows(game.table.journal)[-1].get(THEN, ())) >= 6 and "plan" in words:
            break
    raw = reply(question.mail, words, beneath=nothing_quoted)
    shutil.rmtree(game.club.folder)
    shutil.copytree(saved, game.club.folder)
    assert take(game.club, raw).code == "played"
    after = tree(game.club.folder)
    assert tree(saved)["games/friday/private.toml"] != after["games/friday/private.toml"]
    return Case(saved, game.club, raw, old, after)


@pytest.fixture(scope="module")
def calls(case: Case, tmp_path_factory: pytest.TempPathFactory) -> list[Call]:
    """All system calls that it takes to take the mail."""
    case.again()
    found = calls_of(case.work, tmp_path_factory.mktemp("strace") / "log")
    assert len(found) > 100
    assert {"mkdir", "write", "fsync", "rename", "unlink", "rmdir", "exit_group"} <= {call.name for call in found}
    return found


def moments(calls: list[Call], some: Some) -> list[Call]:
    """Return the calls at which it is killed: mostly those that write, since nothing else is in danger between them."""
    writing, other = (tuple(call for call in calls if call.writes is writes) for writes in (True, False))
    chosen = {*some(writing, 2), *some(other, 24)}
    return [call for call in calls if call in chosen]


def test_killed_at_any_system_call_it_is_taken_wholly_or_not_at_all(case: Case, calls: list[Call], some: Some) -> None:
    seen = []
    for call in moments(calls, some):
        case.again()
        assert struck(case.work, call, "signal=KILL") == -signal.SIGKILL, call
        case.is_never_between()
        seen.append(a_table(case.club).game.read_bytes() == case.old)
        case.comes_to_the_end()
    assert seen == sorted(seen, reverse=True)
    assert set(seen) == {True, False}


@pytest.mark.parametrize("stroke", ["signal=KILL", "error=ENOSPC"])
@pytest.mark.needs("strace")
def test_six_planned_answers_are_played_wholly_or_not_at_all(
    chain: Case, stroke: str, tmp_path: Path, some: Some
) -> None:
    chain.again()
    calls = calls_of(chain.work, tmp_path / "log")
    writing = (call for call in calls if call.name in WRITING)
    table, seen = a_table(chain.club), set()
    for call in moments(calls, some) if stroke == "signal=KILL" else some(writing, 6):
        chain.again()
        assert struck(chain.work, call, stroke) in (-signal.SIGKILL, 0, 75), call
        chain.is_never_between()
        with locked(table):  # what is half made is finished, or given up
            made = {name: path.read_bytes() for name, path in (("game", table.game), ("private", table.private))}
        whole = tree(chain.saved) if made["game"] == chain.old else chain.after
        assert made == {name: whole[f"games/friday/{name}.toml"] for name in made}, call
        seen.add(made["game"] == chain.old)
        chain.comes_to_the_end()
    assert seen == {True, False}


def test_killed_while_it_mends_what_was_killed_it_still_comes_to_the_end(
    case: Case, calls: list[Call], some: Some
) -> None:
    random = Random(1)
    writing = [call for call in calls if call.name in WRITING]
    for _ in some(range(50), 4):
        case.again()
        for _ in range(3):
            assert struck(case.work, random.choice(writing), "signal=KILL") in (0, -signal.SIGKILL)
            case.is_never_between()
        case.comes_to_the_end()


@pytest.mark.parametrize("error", ["ENOSPC", "EROFS"])
def test_when_a_system_call_fails_it_is_trouble_that_passes(
    case: Case, calls: list[Call], error: str, some: Some
) -> None:
    for call in some((call for call in calls if call.name in WRITING), 4):
        case.again()
        assert struck(case.work, call, f"error={error}") in (0, 75), call
        case.is_never_between()
        case.comes_to_the_end()


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.needs("strace")
def test_killed_while_it_sends_every_letter_goes_out_at_least_once(case: Case, sink: Sink, tmp_path: Path) -> None:
    case.again()
    assert take(case.club, case.mail).letters == 3
    club = case.club.changed(outgoing=WayOut("smtp", HOST, sink.port, "none"))
    letters = {path.name: path.read_bytes() for path in outbox.waiting(club)}
    ends = {on_the_wire(raw).rstrip() for raw in letters.values()}
    assert outbox.send(club).sent == 3  # what it imports is read now
    struck_at = set()
    for name, raw in letters.items():
        maildir.put(club.outbox, club.outbox / "new" / name, raw)
    for call in calls_of(lambda: outbox.send(club), tmp_path / "log"):
        if call.name not in ("openat", "flock", "connect", "sendto", "recvfrom", "unlink"):
            continue
        for name, raw in letters.items():
            maildir.put(club.outbox, club.outbox / "new" / name, raw)
        sink.mails.clear()
        struck_at.add((call.name, struck(lambda: outbox.send(club), call, "signal=KILL")))

        assert outbox.send(club).left == 0
        assert {mail.raw.partition(b"\r\n")[2].rstrip() for mail in sink.mails} == ends
    assert {(name, -signal.SIGKILL) for name in ("connect", "sendto", "recvfrom", "unlink")} <= struck_at


# The command


def command(case: Case, *before: str) -> "subprocess.CompletedProcess[bytes]":
    """Take the mail with the command, run by another one."""
    line = [*before, sys.executable, "-m", "pbem", "mail", "take", str(case.club.folder)]
    return subprocess.run(line, input=case.mail, capture_output=True, check=False, timeout=120)


def taken(case: Case) -> "subprocess.CompletedProcess[str]":
    """Take the mail with the command."""
    return run_program("mail", "take", case.club.folder, stdin=case.mail)


@pytest.mark.parametrize(
    "call", [Call("fsync", 1), Call("rename", 1), Call("rename", 2), Call("rename", 4), Call("unlink", 1)], ids=str
)
@pytest.mark.needs("strace")
def test_a_command_that_was_killed_is_made_good_by_the_next_one(case: Case, call: Call) -> None:
    case.again()
    strace = ("strace", "-f", "-q", "-o", "/dev/null", "-e", f"trace={call.name}")

    killed = command(case, *strace, "-e", f"inject={call.name}:signal=KILL:when={call.number}")

    assert killed.returncode == -signal.SIGKILL
    case.is_never_between()
    assert taken(case).returncode == 0
    assert without_litter(case.club) == case.after
    assert run_program("verify", a_table(case.club).game).returncode == 0


def test_a_file_that_may_not_grow_is_trouble_that_passes(case: Case) -> None:
    case.again()
    before = tree(case.club.folder)

    done = command(case, "sh", "-c", 'ulimit -f 1 && exec "$@"', "sh")

    assert done.returncode == 75
    assert b"Traceback" not in done.stderr
    assert {name: data for name, data in tree(case.club.folder).items() if "/pending/" not in name} == before
    case.comes_to_the_end()


@pytest.mark.needs("mount")
def test_on_a_disk_that_fills_up_nothing_is_lost(case: Case, tmp_path: Path, some: Some) -> None:
    """A disk of 400 KiB on which less and less room is left."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", disk], check=False, capture_output=True, text=True
    )
    assert mounted.returncode == 0, mounted.stderr
    try:
        statuses = []
        club = read_club(Path(shutil.copytree(case.saved, disk / "club")))
        full = case._replace(club=club)
        for room in some(range(0, 80, 4), 2):
            full.again()
            free = shutil.disk_usage(disk).free
            (disk / "filler").write_bytes(bytes(free - room * 1024))
            statuses.append(taken(full).returncode)
            full.is_never_between()
            (disk / "filler").unlink()
            full.comes_to_the_end()
    finally:
        subprocess.run(["umount", disk], check=True)
    assert statuses == sorted(statuses, reverse=True)
    assert set(statuses) == {75, 0}


def test_in_a_folder_that_may_not_be_written_nothing_is_lost(case: Case, open_folder: Path, nobody_python: str) -> None:
    club = read_club(Path(shutil.copytree(case.saved, open_folder / "club")))
    subprocess.run(["chown", "-R", "nobody", club.folder], check=True)
    full = case._replace(club=club)
    line = [nobody_python, "-m", "pbem", "mail", "take", str(club.folder)]
    for closed in (a_table(club).folder, club.outbox / "new"):
        closed.chmod(0o500)
        done = as_nobody(line, input=case.mail)
        assert (done.returncode, b"Traceback" in done.stderr) == (75, False)
        full.is_never_between()
        closed.chmod(0o700)

    assert as_nobody(line, input=case.mail).returncode == 0
    assert without_litter(club) == case.after

"""How fast mail is dealt with, on one core.

    pip install '.[dev,bench]' && python -m compileall -q . && python tests/benchmark_mail.py

1. one cold ``pbem mail take`` of a reply in a five-player game against one ``pbem play`` of the same order (CPU time);
2. ``run --once`` over 1,000 waiting mails of 100 games: mails a CPU second, and the memory for 10 games and for 100;
3. the slowest of the mails that were made to be slow, and how long it takes to read.

The first two with text and HTML alone, and with the board as a picture, if that can be drawn here.
"""

import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random
from statistics import median

from pbem.club import private

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent / "mail"))

from benchmark import a_record_at, a_small_choice
from bots import SECRET
from people import drop, on_a_phone, read, reply
from test_message import BOMBS, verdict

from pbem import game_files
from pbem.carriers.mail.settings import MailClub, read_club
from pbem.carriers.mail.setup import create
from pbem.club.folder import GameFolder, roster_sections
from pbem.club.settings import club_text
from pbem.club.store import load
from pbem.club.transaction import Change, write
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.chance.draws import source
from pbem.first_sparks.play import played
from pbem.first_sparks.record import Record
from pbem.table.letters.situation import letter
from pbem.table.people import Player, Roster

PYTHON = [sys.executable, "-I"]
REPEATS = 15
GAMES, MAILS_EACH = 100, 10


def a_club(folder: Path, *, picture: bool) -> MailClub:
    create(folder, "pbem@example.org", "host@example.org")
    club = read_club(folder).changed(picture=picture)
    (folder / "club.toml").write_text(club_text(club), encoding="utf-8")
    return club


def a_table(club: MailClub, record: Record) -> tuple[GameFolder, Roster]:
    """Put a game into the club as it stands and as a mail leaves it; every player has a key of zeros."""
    table = GameFolder(club.games / record.game)
    table.folder.mkdir()
    players = tuple(Player(colour, name, f"{colour}@example.net", bytes(32)) for colour, name in record.players)
    roster = Roster(players)
    parts = (
        (table.game.name, game_files.text_of(record, "toml").encode()),
        (table.private.name, private.text_with({}, roster_sections(roster))),
    )
    write(club, table, Change({"code": "begun", "head": record.head}, heads=("", record.head), parts=parts))
    return table, roster


def an_answer(club: MailClub, table: GameFolder, roster: Roster, record: Record, order: str) -> bytes:
    """Return what who is asked answers on a phone, the whole mail quoted beneath it."""
    desk = load(club.changed(picture=False), table).but(kept=record)
    player = roster.player(desk.decides)
    assert player is not None
    return reply(read(club.posted(letter(desk, player)).data), order, beneath=on_a_phone)


def cpu_of(command: list[str], club: Path, saved: Path, mail: Path | None) -> float:
    """Return the median CPU seconds of a command on a club as it was saved."""
    times = []
    for _ in range(REPEATS):
        shutil.rmtree(club)
        shutil.copytree(saved, club)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        data = mail.read_bytes() if mail else b""
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, input=data)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return median(times)


def cold(folder: Path, *, picture: bool) -> None:
    """Print what a cold ``take`` costs against a cold ``play``."""
    record = a_record_at(60)
    club = a_club(folder / "club", picture=picture)
    table, roster = a_table(club, record)
    mail = folder / "reply.eml"
    mail.write_bytes(an_answer(club, table, roster, record, "pass"))
    saved = shutil.copytree(club.folder, folder / "saved")
    decides = who_decides(record.state) or ""
    play = [*PYTHON, "-m", "pbem", "play", str(table.game), "--order", "pass", "--as", decides]
    take = [*PYTHON, "-m", "pbem", "mail", "take", str(club.folder)]
    ratio = cpu_of(take, club.folder, saved, mail) / cpu_of(play, club.folder, saved, None)
    print(f"pbem mail take, {'with' if picture else 'without'} a picture: {ratio:.2f} times the CPU time of pbem play")


def waiting(folder: Path, games: int, *, picture: bool) -> MailClub:
    """Return a club with that many games, and the mails of the next orders of each in its inbox."""
    club = a_club(folder, picture=picture)
    for number in range(games):
        record = a_record_at(60, game=f"bench-{number}")
        table, roster = a_table(club, record)
        random, draw = Random(number), source(record.game, SECRET)
        for mail in range(MAILS_EACH):
            decides = who_decides(record.state)
            if decides is None:
                break
            move = a_small_choice(record.state, random)
            drop(folder, an_answer(club, table, roster, record, str(move)), f"{mail:02}-{number:03}")
            record, _ = played(record, decides, move, draw)
    return club


def many(folder: Path, games: int, *, picture: bool) -> tuple[float, int]:
    """Return mails a CPU second of ``run --once``, and its greatest memory in MiB."""
    club = waiting(folder, games, picture=picture)
    mails = len(list((folder / "inbox" / "new").iterdir()))
    ask = (
        "import json, resource, subprocess, sys\n"
        "done = subprocess.run(sys.argv[1:], check=True, capture_output=True)\n"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "print(used.ru_utime + used.ru_stime, used.ru_maxrss // 1024, json.loads(done.stdout)['codes']['played'])"
    )
    command = [*PYTHON, "-c", ask, *PYTHON, "-m", "pbem", "mail", "run", str(club.folder), "--once", "--json"]
    seconds, memory, dealt = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    assert int(dealt) == mails, f"of {mails} mails only {dealt} were played"
    return mails / float(seconds), int(memory)


def slowest() -> tuple[float, str]:
    """Return how many CPU seconds the slowest of the hostile mails takes, and which it is."""
    found = []
    for name, made in BOMBS.items():
        raw = made()
        before = time.process_time()
        verdict(raw)
        found.append((time.process_time() - before, name))
    return max(found)


def main() -> None:
    from pbem.page.png import svg_to_png

    drawn = svg_to_png('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"></svg>') is not None
    for picture in [False, True] if drawn else [False]:
        with tempfile.TemporaryDirectory() as name:
            cold(Path(name), picture=picture)
            _, few = many(Path(name) / "few", 10, picture=picture)
            speed, memory = many(Path(name) / "many", GAMES, picture=picture)
        how = "with" if picture else "without"
        print(f"run --once, {how} a picture: {speed:.0f} mails a CPU second, {memory} MiB ({few} with a tenth of them)")
    seconds, name = slowest()
    print(f"the slowest of {len(BOMBS)} hostile mails ({name}): {seconds:.2f} CPU seconds")


if __name__ == "__main__":
    main()

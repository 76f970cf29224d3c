"""What a club of many games costs: a tick, a run, the status and a mail, with few games and with many.

    pip install '.[dev,bench]' && python -m compileall -q .
    python tests/benchmark_club.py [--games 10,100,1000,10000]

In every club ten games are reminded at each tick that is measured, and nothing is due in the others. All numbers are
CPU time of whole processes, as multiples of those of the club of 100 games; of a mail, as multiples of ``--version``.
The games in which nothing is due are copies of one, with other names and players.
"""

import argparse
import subprocess
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from statistics import median

from pbem.club import private

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent / "mail"))

from benchmark import a_record_at, a_small_choice
from benchmark_mail import a_club, a_table, an_answer
from bots import SECRET
from clubs import copy_of

from pbem.carriers.mail.settings import MailClub
from pbem.club.folder import GameFolder
from pbem.club.index import INDEX
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.chance.draws import source
from pbem.first_sparks.play import played

PBEM = [sys.executable, "-I", "-m", "pbem"]
START = datetime(2026, 11, 21, 12, tzinfo=UTC)
STEP = timedelta(minutes=10)
DUE, TURN, REPEATS = 10, 60, 5
TICKS = 40  # the most that are measured
BASE = 100  # games, of the club that the others are compared with


def a_club_of(folder: Path, games: int, turn: int = TURN) -> MailClub:
    """Return a club in which something is due in ten games at each ``STEP``, at most ``TICKS`` times."""
    club = a_club(folder, picture=False)
    reminders = [f"{number * 10} minutes" for number in range(1, TICKS)]
    for number in range(min(games, DUE)):
        table, _ = a_table(club, a_record_at(turn, game=f"due-{number}"))
        private.keep(table.private, {"clock": {"reminders": reminders}})
    if games > DUE:
        model, _ = a_table(club, a_record_at(turn, game="model"))
        players = model.private.read_text()
        for number in range(games - DUE - 1):
            copy_of(model, f"game-{number}").private.write_text(
                players.replace("@example.net", f"-{number}@example.net")
            )
    return club


def the_mails(club: MailClub, turn: int = TURN) -> list[bytes]:
    """Return the mails with the next orders of one game."""
    record, found = a_record_at(turn, game="due-0"), list[bytes]()
    table, random, draw = GameFolder(club.games / record.game), Random(1), source("due-0", SECRET)
    from pbem.club.folder import read_roster

    for _ in range(REPEATS):
        move = a_small_choice(record.state, random)
        found.append(an_answer(club, table, read_roster(table), record, str(move)))
        record, _ = played(record, who_decides(record.state) or "", move, draw)
    return found


def cost_of(words: list[str], data: bytes = b"") -> tuple[float, int]:
    """Return the CPU seconds and the greatest memory in MiB of a command, run by a process that has no other child."""
    ask = (
        "import resource, subprocess, sys\n"
        "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, stdin=sys.stdin)\n"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "print(used.ru_utime + used.ru_stime, used.ru_maxrss // 1024)"
    )
    command = [sys.executable, "-I", "-c", ask, *PBEM, *words]
    seconds, memory = subprocess.run(command, check=True, capture_output=True, input=data).stdout.split()
    return float(seconds), int(memory)


def measured(folder: Path, games: int) -> dict[str, tuple[float, int]]:
    """Return what each command costs in a club of so many games: CPU seconds and memory."""
    club = a_club_of(folder, games)
    mails = the_mails(club)
    at, name = START, str(club.folder)
    every: dict[str, list[tuple[float, int]]] = {}

    def note(what: str, words: list[str], data: bytes = b"") -> None:
        every.setdefault(what, []).append(cost_of(words, data))

    def now() -> list[str]:
        return ["--now", at.isoformat()]

    note("the first tick", ["mail", "tick", name, *now()])
    for mail in mails:
        at += STEP / 2
        note("a tick, nothing due", ["mail", "tick", name, *now()])
        at += STEP / 2
        note("a tick, ten games due", ["mail", "tick", name, *now()])
        at += STEP
        note("run --once, ten games due", ["mail", "run", name, "--once", *now()])
        note("status", ["mail", "status", name])
        note("one mail taken", ["mail", "take", name], mail)
        at += STEP
        subprocess.run([*PBEM, "mail", "tick", name, *now()], check=True, stdout=subprocess.DEVNULL)
    (club.folder / INDEX).unlink(missing_ok=True)
    at += STEP / 2
    note("the index made again", ["mail", "tick", name, *now()])
    return {what: (median(cost for cost, _ in found), max(size for _, size in found)) for what, found in every.items()}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--games", default="10,100,1000,10000")
    sizes = sorted({BASE, *map(int, parser.parse_args().games.split(","))})
    found = {}
    for games in sizes:
        with tempfile.TemporaryDirectory() as name:
            found[games] = measured(Path(name) / "club", games)
    bare = median(cost_of(["--version"])[0] for _ in range(REPEATS))
    print(f"{'':26}" + "".join(f"{games:>16,} games" for games in sizes))
    for what in found[BASE]:
        cells = []
        for games in sizes:
            cost, size = found[games][what]
            ratio = cost / (bare if what == "one mail taken" else found[BASE][what][0])
            cells.append(f"{ratio:8.2f} ({cost:6.2f} s, {size:3} MiB)")
        print(f"{what:26}" + "".join(cells))


if __name__ == "__main__":
    main()

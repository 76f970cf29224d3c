"""How many mails and waits a game by mail costs: asked one by one, with plans, and with plans and waves.

    python tests/benchmark_plans_mail.py [--games 3] [--players 2 3 4 5 6] [--first 200000] [--jobs 1] [--phases]

Bots write the mails that people would, from the letters that they get: their orders, what counts when the others have
answered, and plans from ``bot.suggest``. Everything between is the product: mails are taken, plans are kept, and
letters go out. The games are those of ``benchmark_plans.py``, which counts the same in the rules alone, but for the
conditions of early answers: a letter shows no more than what has happened.

- a mail is a message that somebody sends; orders that follow each other with no draw between them are one message;
- a wait is a step at which the table waits for at least one person; all who have been asked answer in it.

In every game log and head must be those of the same orders played one by one, and of ``pbem mail rebuild``.
"""

import argparse
import os
import sys
import tempfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent / "mail"))

from benchmark_plans import MOST_MAILS, MOST_WAITS, check_by_hand
from planners import MailGame

from pbem.carriers.rebuild import compare, rebuilt
from pbem.club.folder import read_roster
from pbem.club.journal import journal_rows
from pbem.first_sparks.bot.tuning import DEFAULT
from pbem.table.costs import counted

WAYS = {"asked": (False, False), "plans": (False, True), "plans and waves": (True, True)}  # waves, plans


class Count(NamedTuple):
    """What a game cost: mails and waits, as its journal says; its players and rounds, and the answers of plans.

    *waited* says in which phase the table waited.
    """

    mails: int
    waits: int
    players: int
    rounds: int
    by_plan: int
    letters: int
    waited: Counter[str]

    @property
    def each(self) -> float:
        """Mails a player and round."""
        return self.mails / self.players / self.rounds


def played(seed: int, players: int, *, waves: bool, plans: bool) -> Count:
    """Play a game by mail, and return what it cost."""
    with tempfile.TemporaryDirectory() as folder:
        game = MailGame(Path(folder) / "club", players, game=f"plans-{seed}", waves=waves, tuning=DEFAULT)
        record = game.to_the_end(plans=plans)
        check_by_hand(game.begun, record)
        compare(game.table, rebuilt(game.club, game.table)[0].record)
        counts = counted(read_roster(game.table), record, journal_rows(game.table.journal))
        assert counts.mails == game.mails
        return Count(game.mails, game.waits, players, record.state.round, counts.plans, len(game.letters), game.waited)


def costs(seed: int, players: int) -> tuple[Count, ...]:
    """Return what a game costs in each of the ways."""
    os.fsync = lambda _: None  # no power fails here, and the disk is slow
    return tuple(played(seed, players, waves=waves, plans=plans) for waves, plans in WAYS.values())


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=3)
    parser.add_argument("--players", type=int, nargs="+", default=[2, 3, 4, 5, 6])
    parser.add_argument("--first", type=int, default=200_000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--phases", action="store_true", help="print where the tables with plans waited")
    said = parser.parse_args()
    print("| players | asked: mails | waits | plans: mails | waits | plans and waves: mails | waits | of those asked |")
    print("|---|---|---|---|---|---|---|---|")
    reached = True
    with ProcessPoolExecutor(said.jobs) as pool:
        for players in said.players:
            games = list(pool.map(partial(costs, players=players), range(said.first, said.first + said.games)))
            ways = tuple(zip(*games, strict=True))
            cells = [
                f"{median(one.mails for one in way):g} ({median(one.each for one in way):.2f}) | "
                f"{median(one.waits for one in way):g}"
                for way in ways
            ]
            share = median(one.waits for one in ways[2]) / median(one.waits for one in ways[0])
            print(f"| {players} | {' | '.join(cells)} | {share:.2f} |", flush=True)
            for way in ways[1:] if said.phases else ():
                waited = sum((one.waited for one in way), Counter[str]())
                rounds = sum(one.rounds for one in way)
                each = ", ".join(f"{name} {number / rounds:.2f}" for name, number in waited.items())
                print(f"  waits a round: {each}", flush=True)
            reached &= median(one.each for one in ways[1]) <= MOST_MAILS[players] and share <= MOST_WAITS
    print("reached" if reached else f"not reached: {MOST_MAILS} mails with plans, {MOST_WAITS:.2f} of the waits")


if __name__ == "__main__":
    main()

"""How many mails and waits a game costs its table: asked, with plans, and with plans and waves.

    python tests/benchmark_plans.py [--games 30] [--players 2 3 4 5 6] [--first 200000] [--jobs 1] [--strength]

All players are bots, which write what ``bot.suggest`` proposes, as people would: with their answer when they get a
mail, knowing what they know then. A mail has the decisions of one player that were sent together (in a row with no
draw between them), and the plan beside them; a wait is a step at which the table waits for at least one person.

- *asked*: each decision when its turn comes;
- *plans*: who is asked answers, and plans for the phase that runs or the next technology phase;
- *plans and waves*: an offer asks all at once who will be asked and have no plan that answers: they say "buy",
  "decline", one of them under a condition, or "wait", which costs another mail. All who will spread are written to
  after the hunt; who would pay more when the turn comes is asked again. All settle at once, by a ranking, then all add.

In every game log, head and state must be those of the same orders played one by one. The games are of seeds that no
tuning of the bot has seen. --strength lets half of the bots plan and asks the others.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from math import sqrt
from pathlib import Path
from statistics import mean, median, stdev
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

from bots import SECRET, a_new_record

from pbem.first_sparks import phases
from pbem.first_sparks.adjudicator import forced, who_decides
from pbem.first_sparks.bot.decide import decide
from pbem.first_sparks.bot.suggest import suggest
from pbem.first_sparks.chance.draws import source
from pbem.first_sparks.codec import encode_state
from pbem.first_sparks.moves import Buy, Move
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.plans.answer import answer, played_on
from pbem.first_sparks.plans.plan import Always, Plan
from pbem.first_sparks.plans.read import read
from pbem.first_sparks.plans.waves import as_asked, asked_together
from pbem.first_sparks.play import played
from pbem.first_sparks.record import Record
from pbem.first_sparks.state import CHANCE, GameState

WAYS = ("asked", "plans", "waves")
# What the design asks for: mails a player and round by number of players, and the share of the waits.
MOST_MAILS = {2: 1.25, 3: 1.25, 4: 1.25, 5: 1.35, 6: 1.35}
MOST_WAITS = 1 / 3
_Z = 1.96


class Count(NamedTuple):
    """What a game cost: mails and waits, its players and rounds, and how many mails asked in which phase."""

    mails: int
    waits: int
    players: int
    rounds: int
    asked: Counter[str]
    waited: Counter[str]

    @property
    def each(self) -> float:
        """Mails a player and round."""
        return self.mails / self.players / self.rounds


class Game:
    """A game in which bots write mails.

    *planners* says who plans, by the place at the table; with *waves* all are asked at once who can be.
    """

    def __init__(self, players: int, seed: int, planners: Callable[[int], bool], *, waves: bool) -> None:
        self.record = self.begun = a_new_record(players, f"plans-{seed}", "random")
        self.draw = source(self.record.game, SECRET)
        self.planners = [c for place, (c, _) in enumerate(self.record.players) if planners(place)]
        self.waves = waves
        self.plans: dict[str, tuple[Plan | None, Always | None]] = {}
        self.early: dict[str, tuple[Plan | None, Always | None]] = {}  # about the offer that is open
        self.asked: Counter[str] = Counter()
        self.waited: Counter[str] = Counter()
        self.mails = self.waits = 0
        self._last = ""  # who has decided last by a mail, with nothing drawn since

    @property
    def state(self) -> GameState:
        """The game now."""
        return self.record.state

    def to_the_end(self) -> Count:
        """Play the game, and return what it cost."""
        while (colour := self.next()) is not None:
            others = self.asked_too(colour) if self.waves else []
            if others or colour != self._last:
                self.waits += 1
                self.waited[self.state.phase.name] += 1  # type: ignore[union-attr]
            for other in others:
                self.mail(other)
            self.mail(colour)
            self.play(colour, self.decided(self.state, colour))
        check_by_hand(self.begun, self.record)
        return Count(self.mails, self.waits, len(self.record.players), self.state.round, self.asked, self.waited)

    def next(self) -> str | None:
        """Return who has to be asked after all answers that are there, None if the game is over."""
        while (colour := who_decides(self.state)) is not None:
            offer = self.state.phase if isinstance(self.state.phase, phases.Answering) else None
            if offer is None:
                self.early = {}
            answers = {colour: self.early[colour]} if colour in self.early else self.plans
            before = self.record
            self.record, _, turns = played_on(before, {colour: answers[colour]} if colour in answers else {}, self.draw)
            if not turns:
                break
            self._last = ""
            self.early.pop(colour, None)
        return colour

    def play(self, colour: str, move: Move) -> None:
        """Play the order of who was asked."""
        self.record, history = played(self.record, colour, move, self.draw)
        self._last = "" if any(entry.clan == CHANCE for entry, _ in history) else colour

    def mail(self, colour: str) -> None:
        """Count a mail to and from the player, who may plan ahead in it."""
        state = self.state
        assert state.phase is not None
        if colour != self._last:
            self.mails += 1
            self.asked[state.phase.name] += 1
        if isinstance(state.phase, phases.Answering) and colour != who_decides(state):
            lines = early_answer(state, state.phase, colour, self.decided)
            if not lines:  # "wait": the plan can wait as well
                return
            self.early[colour] = (read(lines, state, colour).plan, None)
        if colour in self.planners:
            lines = suggest(state, colour, self.record.game)
            self.plans[colour] = (read(lines, state, colour).plan if lines else None, None)

    def decided(self, state: GameState, colour: str) -> Move:
        """Return what the player answers."""
        return decide(state, colour, self.record.game)

    def asked_too(self, colour: str) -> list[str]:
        """Return who is asked at the same time: all whose turn will come in this step, unless a plan answers now."""
        return [
            clan
            for clan, asked in questions_to_come(self.state)
            if clan not in (colour, *self.early) and forced(asked) is None and not self.is_answered(clan, asked)
        ]

    def is_answered(self, colour: str, asked: GameState) -> bool:
        """Return whether the player's plan would answer this question now."""
        return colour in self.plans and answer(*self.plans[colour], asked).move is not None


def questions_to_come(state: GameState) -> Iterator[tuple[str, GameState]]:
    """Yield the clans that will be asked the same and have a choice, with the game as if each were asked now."""
    for colour in asked_together(state):
        if colour != who_decides(state):
            yield colour, as_asked(state, colour)


def early_answer(
    state: GameState, phase: phases.Answering, colour: str, decided: Callable[[GameState, str], Move]
) -> tuple[str, ...]:
    """Return what a player says early about an offer, as lines of a plan; none to wait for the others' answers."""
    place = phase.unasked.index(colour)
    before = (phase.clan, *phase.unasked[:place])
    found: dict[bool, set[bool]] = {False: set(), True: set()}  # by whether somebody wants it
    for wanted_by in (phase.wanted_by, *((*phase.wanted_by, other) for other in before)):
        asked = phase._replace(clan=colour, wanted_by=wanted_by, unasked=phase.unasked[place + 1 :])
        buys = isinstance(decided(state._replace(phase=asked), colour), Buy)
        found[bool(wanted_by)].add(buys)
    every = found[False] | found[True]
    if len(every) == 1:
        return (f"plan {'buy' if every.pop() else 'decline'} {phase.card}",)
    if len(found[False]) == len(found[True]) == 1:
        who = "nobody" if found[False].pop() else "somebody"
        return (f"plan buy {phase.card} if {who} wants it",)
    return ()


def check_by_hand(begun: Record, ended: Record) -> None:
    """The same orders, each sent when its question was asked, give the same log, head and state."""
    draw, record = source(begun.game, SECRET), begun
    for entry, _ in ended.history[len(begun.log) :]:
        if entry.by != CHANCE:
            record, _ = played(record, entry.by, entry.move, draw)
    assert (record.log, record.head, record.turn) == (ended.log, ended.head, ended.turn)
    assert encode_state(record.state) == encode_state(ended.state)


def everybody(_: int) -> bool:
    """Every player plans."""
    return True


def nobody(_: int) -> bool:
    """No player plans."""
    return False


def costs(seed: int, players: int) -> tuple[Count, Count, Count]:
    """Return what a game costs in each of the ways."""
    return (
        Game(players, seed, nobody, waves=False).to_the_end(),
        Game(players, seed, everybody, waves=False).to_the_end(),
        Game(players, seed, everybody, waves=True).to_the_end(),
    )


def lead(seed: int, players: int) -> tuple[float, float]:
    """Return by how many members the planners lead in a game, and their share of the victory, beyond a fair one."""
    game = Game(players, seed, lambda place: (place + seed) % 2 == 0, waves=False)
    game.to_the_end()
    clans = {True: [], False: []}  # type: dict[bool, list[int]]
    for clan in game.state.clans:
        clans[clan.colour in game.planners].append(clan.size)
    winners = game.state.phase.winners if isinstance(game.state.phase, Ended) else ()
    share = sum(colour in game.planners for colour in winners) / len(winners)
    return mean(clans[True]) - mean(clans[False]), share - len(clans[True]) / players


def interval(found: list[float]) -> str:
    """Return the mean with its 95 % interval."""
    half = _Z * stdev(found) / sqrt(len(found)) if found[1:] else 0.0
    return f"{mean(found):+.2f} ({mean(found) - half:+.2f} to {mean(found) + half:+.2f})"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=30)
    parser.add_argument("--players", type=int, nargs="+", default=[2, 3, 4, 5, 6])
    parser.add_argument("--first", type=int, default=200_000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--strength", action="store_true")
    parser.add_argument("--phases", action="store_true", help="print what the mails with plans asked")
    said = parser.parse_args()
    seeds = range(said.first, said.first + said.games)
    with ProcessPoolExecutor(said.jobs) as pool:
        if said.strength:
            print("| players | members of planners beyond those of others | wins beyond a fair share |\n|---|---|---|")
            for players in said.players:
                pairs = list(pool.map(partial(lead, players=players), seeds))
                members, wins = ([pair[place] for pair in pairs] for place in (0, 1))
                print(f"| {players} | {interval(members)} | {interval(wins)} |", flush=True)
            return
        print("| players | asked: mails = waits | with plans | plans and waves: mails | waits | of those asked |")
        print("|---|---|---|---|---|---|")
        reached = True
        for players in said.players:
            games = list(pool.map(partial(costs, players=players), seeds))
            asked, plans, waves = zip(*games, strict=True)
            cells = [
                f"{median(one.mails for one in way):g} ({median(one.each for one in way):.2f})"
                for way in (asked, plans, waves)
            ]
            waits = median(one.waits for one in waves)
            share = waits / median(one.waits for one in asked)
            print(f"| {players} | {' | '.join(cells)} | {waits:g} | {share:.2f} |", flush=True)
            reached &= median(one.each for one in plans) <= MOST_MAILS[players] and share <= MOST_WAITS
            if said.phases:
                for way in (plans, waves):
                    mails, waits_at = (sum((one[n] for one in way), Counter[str]()) for n in (4, 5))
                    rounds = sum(one.rounds for one in way)
                    each = ", ".join(f"{name} {number / players / rounds:.2f}" for name, number in mails.items())
                    print(f"  mails a player and round: {each}")
                    each = ", ".join(f"{name} {number / rounds:.2f}" for name, number in waits_at.items())
                    print(f"  waits a round: {each}")
        print("reached" if reached else f"not reached: {MOST_MAILS} mails with plans, {MOST_WAITS:.2f} of the waits")


if __name__ == "__main__":
    main()

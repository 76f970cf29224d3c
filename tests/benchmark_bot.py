"""How strong the bot is, and how much work a decision takes; no times, which mean nothing on another machine.

    python tests/benchmark_bot.py [--games 200] [--players 2 3 4 5 6] [--first 100000] [--against random example]

One bot plays among others of one kind, at each place of the table in turn. The share of games that it wins is
printed with its 95 % interval (Wilson's), a shared victory counting in part. With n players, n equal ones win 1/n of
the games each, so a plain share says less the more there are. The fair measure for more than two is by pairs: the
share of the others that did worse than the bot, by the rule of the winner; between equal players it is 1/2 at any
table. Both are printed, and how many times 1/n the plain share is. The interval of the pairs takes the pairs of a game
as one observation, since they share a game.

The games begin at seed --first, which no tuning has seen: the numbers of the bot were found on seeds below 100000.

How well the bot feeds its clans is counted in games among bots alone, on boards of every kind: how many clans end with
a single member, and how many games end because nothing happens any more.

The work of a decision is counted in calls of functions, as a multiple of those that listing the legal choices of the
same question takes (``main_choices``, the list that a player gets).
"""

import argparse
import sys
from collections.abc import Callable
from cProfile import Profile
from math import sqrt
from pathlib import Path
from random import Random
from statistics import median, stdev

sys.path.insert(0, str(Path(__file__).parent))

from builders import the_components
from tournament import Player, at_random, played_game, the_bot, the_example, tournament

from pbem.first_sparks.adjudicator import forced, who_decides
from pbem.first_sparks.choice import main_choices
from pbem.first_sparks.components import COLOURS
from pbem.first_sparks.options import BoardWay, Options
from pbem.first_sparks.rules.game_end import is_stuck
from pbem.first_sparks.state import CHANCE

KINDS: dict[str, Player] = {"random": at_random, "example": the_example}
ASKED = {"random": 0.9, "example": 0.6}
_Z = 1.96


def interval(share: float, games: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share of games."""
    square = _Z * _Z / games
    middle = (share + square / 2) / (1 + square)
    half = _Z * sqrt(share * (1 - share) / games + square / (4 * games)) / (1 + square)
    return middle - half, middle + half


def strength(kind: str, players: int, games: int, first: int) -> str:
    """Return a line with the bot's results among players of that kind."""
    found = list(tournament(players, games, the_bot, KINDS[kind], first))
    won = sum(game.won for game in found) / games
    low, high = interval(won, games)
    pairs = [game.beaten for game in found]
    beaten = sum(pairs) / games
    half = _Z * stdev(pairs) / sqrt(games) if games > 1 else 0.5
    rounds = sum(game.state.round for game in found) / games
    return (
        f"{kind:8} {players} players, {games} games: won {won:.1%} ({low:.1%} to {high:.1%}), "
        f"{won * players:.2f} times 1/{players}; beat {beaten:.1%} of the others "
        f"({max(0.0, beaten - half):.1%} to {min(1.0, beaten + half):.1%}); asked {ASKED[kind]:.0%}; "
        f"{rounds:.1f} rounds"
    )


def ruin(players: int, games: int, first: int) -> str:
    """Return a line with the clans of bots that end with a single member, and the games that end by idle rounds."""
    boards: list[BoardWay] = ["players", "random", "recommended"]
    ways = boards if players in the_components().boards else boards[:2]
    ruined = idle = 0
    for number in range(games):
        table = dict.fromkeys(COLOURS[:players], the_bot)
        *_, (end, _) = played_game(table, first + number, Options(board=ways[number % len(ways)]))
        ruined += sum(clan.size <= 1 for clan in end.clans)
        idle += is_stuck(end)
    return (
        f"fed      {players} players, {games} games: {ruined} of {games * players} clans end with one member; "
        f"{idle} games end idle"
    )


def calls_of(work: Callable[[], object]) -> int:
    """Return how many functions are called, those of Python itself among them."""
    profile = Profile()
    with profile:
        work()
    return sum(entry.callcount for entry in profile.getstats())


def work(players: int, games: int, first: int) -> str:
    """Return a line with the calls of a decision in games between bots, against listing its choices."""
    calls, ratios = [], []
    for number in range(games):
        table = dict.fromkeys(COLOURS[:players], the_bot)
        for state, _ in played_game(table, first + number):
            by = who_decides(state)
            if by not in (None, CHANCE) and forced(state) is None:
                calls.append(calls_of(lambda state=state, by=by: the_bot(state, by, Random(0))))
                ratios.append(calls[-1] / calls_of(lambda state=state: list(main_choices(state))))
    calls.sort()
    ratios.sort()
    late = len(calls) * 95 // 100
    return (
        f"work     {players} players, {len(calls)} decisions: median {median(calls):.0f} calls, "
        f"{median(ratios):.0f} times those of listing the choices; "
        f"95th percentile {calls[late]} calls, {ratios[late]:.0f} times"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="How strong the bot is.")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--players", type=int, nargs="+", default=[2, 3, 4, 5, 6])
    parser.add_argument("--first", type=int, default=100_000)
    parser.add_argument("--against", choices=KINDS, nargs="*", default=[*KINDS])
    said = parser.parse_args()
    for kind in said.against:
        for players in said.players:
            print(strength(kind, players, said.games, said.first), flush=True)
    for players in said.players:
        print(ruin(players, said.games, said.first), flush=True)
    for players in said.players:
        print(work(players, 1, said.first), flush=True)


if __name__ == "__main__":
    main()

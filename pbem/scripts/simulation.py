"""Games between bots, without a table or a file: how a component set plays, and how bots compare.

Game i follows from the plan and i alone: the tiles and cards of ``simulation-i`` are those of an open game of that name
with the secret ``secret_of(seed, i)``. So it does not matter who plays it, or when.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from traceback import extract_tb
from types import ModuleType
from typing import Any, Final, NamedTuple, cast, get_args

from pbem import game_files, loading
from pbem.errors import Illegal, NotUnderstood, UsageError
from pbem.first_sparks.adjudicator import Entry, carry_on, follow, new_game, violations, who_decides
from pbem.first_sparks.bot.decide import decide
from pbem.first_sparks.chance.draws import source
from pbem.first_sparks.choice import Choice, main_choices
from pbem.first_sparks.components import COLOURS, ComponentSet
from pbem.first_sparks.moves import Move
from pbem.first_sparks.options import BoardWay, Options
from pbem.first_sparks.record import History, digest
from pbem.first_sparks.rules.preparation import tiles_in_play
from pbem.first_sparks.state import GameState
from pbem.grammar import listed, plural
from pbem.page.page import Block, Page, Prose, Section
from pbem.scripts.jobs import Workers, in_order
from pbem.scripts.library import of_type, seed_text
from pbem.scripts.shards import Keep, KeptShards
from pbem.scripts.stats import Totals
from pbem.scripts.stats_game import GameFacts, over
from pbem.scripts.stats_rows import Statistics
from pbem.scripts.tables import Tables, tables_in
from pbem.sha import sha256

_FEWEST: Final = 10  # games of a shard
_MOST: Final = 100
_SECRET: Final = b"first-sparks-simulation/1"

_TOLD: Final[dict[BoardWay, str]] = {
    "players": "{games} between {bots} on boards that they laid, from the seed {seed}.",
    "random": "{games} between {bots} on random boards, from the seed {seed}.",
    "recommended": "{games} between {bots} on the recommended board, from the seed {seed}.",
}

# Decides for a clan, by its colour, in a state; the text is another one for every decision.
Decider = Callable[[GameState, str, str], Move]


class Simulation(NamedTuple):
    """What is played: *bots* by kind, in the seating order of game 0; everybody sits one seat further in each game.

    A kind is ``bot``, ``random`` or ``MODULE:FUNCTION``, a ``Decider``. *own_set* is the data of a component set.
    *modules* has a digest of the file of each bot of one's own, so that nobody plays with an older file; if it
    is empty, no file is compared.
    """

    bots: tuple[str, ...]
    board: BoardWay = "players"
    hide_food: bool = False
    seed: str = "1"
    own_set: dict[str, Any] | None = None
    modules: tuple[str, ...] = ()


class Simulated(NamedTuple):
    """What came out of so many games."""

    plan: Simulation
    games: int
    found: Statistics

    @property
    def message(self) -> str:
        """The result in a line."""
        return plural(self.games, "{n} simulated game", "{n} simulated games")

    def data(self) -> dict[str, Any]:
        """Return the object that ``--json`` prints."""
        components = _components(self.plan)
        return {
            "ok": True,
            "code": "simulated",
            "message": self.message,
            "path": "",
            "rule": "",
            "bots": list(self.plan.bots),
            "seed": self.plan.seed,
            "board": self.plan.board,
            "hide_food": self.plan.hide_food,
            "components": {
                "name": components.name,
                "digest": digest(components),
                "built_in": not game_files.digits_of_set(components),
            },
            **self.found.counts(),
        }

    def page(self) -> Page:
        """Return the page to print: what was played, and then the tables of ``pbem stats``."""
        from pbem.scripts.stats_text import page_of

        own = game_files.digits_of_set(_components(self.plan))
        told = _TOLD[self.plan.board].format(games=self.message, bots=listed(self.plan.bots), seed=self.plan.seed)
        blocks: list[Block] = [Prose(told), *([Prose(f"They use the component set {own}.")] if own else [])]
        blocks += [Prose("The food of clans with Fire is hidden.")] if self.plan.hide_food else []
        first = Section("simulation", tuple(blocks), "SIMULATION")
        return Page((first, *page_of(self.found, bots=True).sections))


class Shard(NamedTuple):
    """Some games in a row: the number of the first, and how many."""

    first: int
    games: int


def simulate(
    games: int,
    bots: Sequence[str] = ("bot", "bot", "bot"),
    *,
    board: BoardWay = "players",
    hide_food: bool = False,
    seed: str | int = "1",
    components: str | os.PathLike[str] | None = None,
    workers: Workers | str = 1,
    keep: str | os.PathLike[str] | None = None,
    parquet: str | os.PathLike[str] | None = None,
) -> Simulated:
    """Return what comes out of so many games between *bots*, 2 to 6 kinds; see ``Simulation``.

    *components* is the file of another set. *workers* is a number of processes, an executor of ``concurrent.futures``,
    or the address of a dask scheduler. Finished shards are kept in the folder *keep*, from which the same call goes on,
    and tables are written into the folder *parquet*. Raises UsageError, TryAgain, and the errors of the files.
    """
    games = of_type(int, games)
    if isinstance(workers, int) and workers < 1:
        raise UsageError(f"at least one worker is needed, not {workers}")
    plan = plan_of(
        bots,
        board=board,
        hide_food=hide_food,
        seed=seed_text(seed),
        components=Path(components) if components else None,
    )
    if parquet is None:
        return _simulated(plan, games, workers, keep, None)
    with tables_in(Path(parquet)) as tables:
        return _simulated(plan, games, workers, keep, tables)


def _simulated(
    plan: Simulation, games: int, workers: Workers | str, keep: str | os.PathLike[str] | None, tables: Tables | None
) -> Simulated:
    folder = Keep(Path(keep)) if keep else None
    if not isinstance(workers, str):
        return counted(plan, played_shards(plan, games, workers, folder), tables)
    from pbem.scripts.cluster import Cluster

    cluster = Cluster(workers)
    try:
        return counted(plan, played_shards(plan, games, cluster, folder), tables)
    finally:
        cluster.close()


def plan_of(bots: Sequence[str], *, board: BoardWay, hide_food: bool, seed: str, components: Path | None) -> Simulation:
    """Return the plan of a simulation; raises UsageError, and the errors of the file of components."""
    if isinstance(bots, str):
        raise TypeError("expected a list of bots, not one text")
    own_set = loading.load_components(components).source if components else None
    plan = Simulation(tuple(bots), board, hide_food, seed, own_set)
    if not 2 <= len(bots) <= len(COLOURS):
        raise UsageError(f"a game needs 2 to 6 bots, not {len(bots)}", hint="for example: --bots bot,bot,random")
    if not seed:
        raise UsageError("the seed must not be empty", hint="for example: --seed 1")
    if board not in get_args(BoardWay):
        raise UsageError(f"the board must be one of {', '.join(get_args(BoardWay))}")
    if board == "recommended" and tiles_in_play(len(bots)) not in _components(plan).boards:
        message = f"the component set has no recommended board for {len(bots)} players"
        raise UsageError(message, hint="use --board random or --board players")
    modules = tuple(_bot(kind).module for kind in plan.bots)
    return plan._replace(modules=modules) if any(modules) else plan


def played_shards(
    plan: Simulation, games: int, workers: Workers, keep: Keep | None = None
) -> Iterator[tuple[Shard, Sequence[GameFacts | None]]]:
    """Yield the shards of so many games in order, each with its games; raises UsageError for less than one game."""
    if games < 1:
        raise UsageError(f"at least one game must be played, not {games}")
    about = {"command": "simulate", **plan._asdict()}
    about |= {"bots": list(plan.bots), "modules": list(plan.modules), "components": digest(_components(plan))}
    del about["own_set"]
    kept = KeptShards(keep, about, _name_of, _games_of, GameFacts.written, GameFacts.read) if keep else None
    return in_order(partial(_facts_of_shard, plan), shards_of(games), workers, kept)


def shards_of(games: int) -> Iterator[Shard]:
    """Yield the shards of so many games, which begin at the same games however many there are.

    The first ones are small, so that all workers have something to do. Later ones are a hundredth of what is before.
    """
    first = 0
    while first < games:
        size = min(_MOST, max(_FEWEST, first // 100))
        yield Shard(first, min(size, games - first))
        first += size


def counted(
    plan: Simulation, shards: Iterable[tuple[Shard, Sequence[GameFacts | None]]], tables: Tables | None = None
) -> Simulated:
    """Return what comes out of the shards of a simulation; *tables* get a row for each game."""
    totals = Totals()
    for _, found in shards:
        for game in filter(None, found):
            totals.add(game)
            if tables:
                tables.add(game)
    return Simulated(plan, totals.games, totals.statistics())


def _name_of(shard: Shard) -> str:
    return f"{shard.first:09}-{shard.games}"


def _games_of(shard: Shard) -> int:
    return shard.games


def _facts_of_shard(plan: Simulation, shard: Shard) -> Sequence[GameFacts | None]:
    for kind, module in zip(plan.bots, plan.modules, strict=False):
        _check_here(kind, module)
    return [facts_of(plan, number) for number in range(shard.first, shard.first + shard.games)]


def secret_of(seed: str, number: int) -> bytes:
    """Return the secret of a game: the SHA-256 of "first-sparks-simulation/1" 00 seed-in-UTF-8 00 number-in-digits."""
    secret: bytes = sha256(b"\0".join((_SECRET, seed.encode(), str(number).encode()))).digest()
    return secret


def facts_of(plan: Simulation, number: int) -> GameFacts:
    """Return what is counted of a game of the simulation."""
    turned = number % len(plan.bots)
    kinds = plan.bots[-turned:] + plan.bots[:-turned] if turned else plan.bots
    history = played(plan, kinds, number)
    name, colours = f"simulation-{number}", tuple[str, ...](COLOURS[: len(kinds)])
    found = GameFacts(Path(), name, name, kinds, colours, len(history), rounds=history[-1][1].round)
    return over(found, history, game_files.digits_of_set(_components(plan)))


def played(plan: Simulation, kinds: Sequence[str], number: int) -> History:
    """Return a whole game of the simulation: each entry of its log with the state after it."""
    name = f"simulation-{number}"
    seats = tuple(zip(COLOURS, kinds, strict=False))
    state = new_game(_components(plan), seats, Options(plan.board, plan.hide_food))
    draw = source(name, secret_of(plan.seed, number))
    by_colour: dict[str, str] = dict(seats)
    history: list[tuple[Entry, GameState]] = []
    turn = 0
    while True:
        for by, clan, move, after in carry_on(state, draw):
            history.append((Entry(turn, by, clan, move), after))
            state = after
        colour = who_decides(state)
        if colour is None:
            return tuple(history)
        turn += 1
        move = _decision(by_colour[colour], state, colour, name, len(history))
        state = follow(state, colour, move)
        history.append((Entry(turn, colour, colour, move), state))


def _decision(kind: str, state: GameState, colour: str, name: str, lines: int) -> Move:
    """Return what a bot decides; raises NotUnderstood if it fails or gives no move, Illegal if rules forbid it."""
    decider = _bot(kind).decider
    if kind == "bot":  # as it decides in a game of that name
        return decider(state, colour, name)
    try:
        move = cast("Callable[..., object]", decider)(state, colour, f"{name}/{lines}")
        move = move.move if isinstance(move, Choice) else move
        reasons = tuple(violations(state, move)) if isinstance(move, Move) else ()
    except (Exception, SystemExit) as error:
        message = f"the bot {kind} failed in {name}: {type(error).__name__}: {error}"
        raise NotUnderstood(message, hint=_where(kind, error)) from error
    if not isinstance(move, Move):
        hint = "a bot returns a choice, or a move"
        raise NotUnderstood(f"the bot {kind} returned no move in {name}, but {move!a:.60}", hint=hint)
    if reasons:
        raise Illegal(f"the rules forbid what the bot {kind} decided in {name}", order=str(move), reasons=reasons)
    return move


def _where(kind: str, error: BaseException) -> str:
    """Return a hint to the line in the file of a bot where it failed, "" if it has none."""
    path = getattr(sys.modules.get(kind.partition(":")[0]), "__file__", None)
    lines = [frame.lineno for frame in extract_tb(error.__traceback__) if frame.filename == path]
    return f"it failed in line {lines[-1]} of {Path(path).name}" if path and lines else ""


def _at_random(state: GameState, colour: str, seed: str) -> Move:
    """Return any of the choices that a player looks for first."""
    found = [choice.move for choice in main_choices(state)]
    digits: str = sha256(f"{seed}/{colour}".encode()).hexdigest()
    return found[int(digits, 16) % len(found)]


class _Bot(NamedTuple):
    """What decides, and the digest of the file of its module, empty if it is part of pbem or has no file."""

    decider: Decider
    module: str = ""


@cache
def _bot(kind: str) -> _Bot:
    """Return a bot; raises UsageError for an unknown kind."""
    if kind in _KINDS:
        return _Bot(_KINDS[kind])
    module, _, name = kind.partition(":")
    hint = "a bot is bot, random, or MODULE:FUNCTION with a function of the state, the colour and a seed"
    try:
        there = import_module(module) if module and name else None
        found = getattr(there, name) if there else None
        digits = _digits_of(there) if there else ""
    except (Exception, SystemExit) as error:
        raise UsageError(f"the bot {kind!a} cannot be imported: {error}", hint=hint) from None
    if not callable(found):
        raise UsageError(f"unknown bot {kind!a}", hint=hint)
    return _Bot(cast("Decider", found), digits)


def _digits_of(module: ModuleType) -> str:
    """Return a digest of the file of a module, which may be in a zip file; "" if it has none, as in a notebook."""
    path = getattr(module, "__file__", None)
    read = getattr(getattr(module, "__loader__", None), "get_data", None)
    return sha256(read(path)).hexdigest()[:16] if path and read else ""


def _check_here(kind: str, module: str) -> None:
    """Raise UsageError if a worker cannot import a bot, or has imported it from another file than the command."""
    try:
        found = _bot(kind).module
    except UsageError as error:
        raise UsageError(f"on a worker, {error.message}", hint="give its file to every worker") from None
    if found != module:
        hint = "give the same file to every worker, and start the workers again"
        raise UsageError(f"a worker has another version of the bot {kind!a}", hint=hint)


_KINDS: Final[dict[str, Decider]] = {"bot": decide, "random": _at_random}
_sets: Final[list[tuple[dict[str, Any], ComponentSet]]] = []  # the last set: all games of a simulation use the same one


def _components(plan: Simulation) -> ComponentSet:
    """Return the component set of a simulation, which is made again only if it is another one."""
    if plan.own_set is None:
        return loading.built_in()
    if not _sets or _sets[0][0] != plan.own_set:
        _sets[:] = [(plan.own_set, loading.own_components(plan.own_set))]
    return _sets[0][1]

"""Games between players that are functions, for tests and benchmarks of the bot."""

import ast
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from bots import SECRET, a_choice
from builders import COLOURS, NAMES, the_components

from pbem.first_sparks.adjudicator import choices, follow, forced, new_game, who_decides
from pbem.first_sparks.bot.decide import decide
from pbem.first_sparks.chance.draws import source
from pbem.first_sparks.choice import Choice, main_choices
from pbem.first_sparks.moves import Move
from pbem.first_sparks.options import Options
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.state import CHANCE, GameState

# Decides for the clan whose turn it is; the randomness is the player's own.
Player = Callable[[GameState, str, Random], Move]
EXAMPLE = Path(__file__).parents[1] / "examples" / "bot" / "bot.py"


class Game(NamedTuple):
    """A finished game: the clan of the player who is compared with the others, and the last state."""

    colour: str
    state: GameState

    @property
    def won(self) -> float:
        """The share of the victory that the compared player has: 1, a part of a shared one, or 0."""
        phase = self.state.phase
        winners = phase.winners if isinstance(phase, Ended) else ()
        return (self.colour in winners) / max(1, len(winners))

    @property
    def beaten(self) -> float:
        """The share of the others who did worse, by members and then food; equals count half."""
        own = self.state.clan(self.colour)
        others = [clan for clan in self.state.clans if clan.colour != self.colour]
        rank = (own.size, own.food)
        return sum(
            1.0 if rank > (clan.size, clan.food) else 0.5 if rank == (clan.size, clan.food) else 0.0 for clan in others
        ) / len(others)


def the_bot(state: GameState, colour: str, random: Random) -> Move:
    """Return the bot's decision."""
    return decide(state, colour)


def at_random(state: GameState, colour: str, random: Random) -> Move:
    """Return a random legal move."""
    return a_choice(state, random)


@cache
def _worth_in_example() -> Callable[[Choice, Any], int]:
    """Return the function of the example bot that says what a choice is worth, without the games that it plays."""
    tree = ast.parse(EXAMPLE.read_text(encoding="utf-8"))
    tree.body = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom | ast.FunctionDef)]
    names: dict[str, Any] = {}
    exec(compile(tree, EXAMPLE, "exec"), names)  # noqa: S102 -- it is a program of this project
    names["decides"] = lambda game: who_decides(game.state)
    worth: Callable[[Choice, Any], int] = names["worth"]
    return worth


class _Shown(NamedTuple):
    """A game as the example bot looks at it."""

    state: GameState


def the_example(state: GameState, colour: str, random: Random) -> Move:
    """Return the move of ``examples/bot/bot.py``."""
    worth, game = _worth_in_example(), _Shown(state)
    return max(main_choices(state), key=lambda choice: worth(choice, game)).move


def played_game(
    table: dict[str, Player], seed: int, options: Options | None = None
) -> Iterator[tuple[GameState, Move]]:
    """Yield every state of a game with the move that was made in it, and finally the last state with no move's effect.

    *table* has the players by colour, in seating order.
    """
    seats = tuple((colour, NAMES[colour]) for colour in table)
    draw, random = source(f"tournament-{seed}", SECRET), Random(seed)
    state = new_game(the_components(), seats, options or Options())
    while (by := who_decides(state)) is not None:
        if by == CHANCE:
            legal = tuple(choices(state))
            move: Move = legal[draw(len(legal), state.draws)]
        else:
            move = forced(state) or table[by](state, by, random)
        yield state, move
        state = follow(state, by, move)
    yield state, None


def one_game(players: int, place: int, one: Player, others: Player, seed: int, options: Options | None = None) -> Game:
    """Return a game of *one* at that place of the table among *others*."""
    colours = COLOURS[:players]
    table = {colour: one if number == place else others for number, colour in enumerate(colours)}
    *_, (state, _) = played_game(table, seed, options)
    return Game(colours[place], state)


def tournament(players: int, games: int, one: Player, others: Player, first_seed: int = 0) -> Iterator[Game]:
    """Yield games of *one* among *others*, at each place of the table in turn."""
    for number in range(games):
        yield one_game(players, number % players, one, others, first_seed + number)

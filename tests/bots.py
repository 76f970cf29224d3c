"""Players for tests and benchmarks: they choose at random among what is legal, and draw from an open secret."""

from collections.abc import Iterator
from itertools import islice
from random import Random

from builders import COLOURS, NAMES, the_components

from pbem.first_sparks.adjudicator import Entry, choices, who_decides
from pbem.first_sparks.chance import commitment, source
from pbem.first_sparks.moves import Move, Spread, Stay
from pbem.first_sparks.record import Chance, Record, begin, carried_on, played
from pbem.first_sparks.rules.spreading import reach
from pbem.first_sparks.state import GameState, Options, Spreading, SpreadingNeutral, Starving

SECRET = bytes(range(32))


def a_choice(state: GameState, random: Random) -> Move:
    """Return a legal move; a spreading clan goes on with one reachable space after the other until it stops."""
    match state.phase:
        case Spreading(clan=colour):
            clan, chosen = state.clan(colour), ()
            while random.random() < 0.7 and (reached := reach(state, clan, chosen)):
                chosen = (*chosen, random.choice(reached)[0])
            return Spread(tuple(sorted(chosen))) if chosen else Stay()
        case Starving() | SpreadingNeutral():
            return random.choice(tuple(islice(choices(state), 40)))
        case _:
            return random.choice(tuple(choices(state)))


def a_new_record(players: int, game: str = "test", board: str = "players", *, hide_food: bool = False) -> Record:
    """Return the record of a game that has just begun, chance having been asked."""
    seats = tuple((colour, NAMES[colour]) for colour in COLOURS[:players])
    held = Chance("open", commitment(SECRET), SECRET.hex())
    record = begin(game, seats, Options(board, hide_food), the_components(), held)  # type: ignore[arg-type]
    return carried_on(record, source(game, SECRET))[0]


def random_play(record: Record, random: Random, most_turns: int = 600) -> Iterator[tuple[Record, Entry, GameState]]:
    """Yield every line of a random game to its end: the record after the order it belongs to, the entry, the state."""
    draw = source(record.game, SECRET)
    while (decides := who_decides(record.state)) is not None and record.turn < most_turns:
        record, history = played(record, decides, a_choice(record.state, random), draw)
        for entry, state in history:
            yield record, entry, state

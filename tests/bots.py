"""Players for tests and benchmarks: they choose at random among what is legal, and draw from an open secret."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random

from builders import COLOURS, NAMES, the_components

from pbem import rulings
from pbem.first_sparks.adjudicator import Entry, choices, who_decides
from pbem.first_sparks.chance.draws import commitment, source
from pbem.first_sparks.components import ComponentSet
from pbem.first_sparks.forecast import without_tool, worth_of, worth_with
from pbem.first_sparks.moves import Add, Buy, Decline, Discard, Move, Offer, Pass, Spread, Stay, Take
from pbem.first_sparks.options import Options
from pbem.first_sparks.phases import (
    Adding,
    Answering,
    Dropping,
    Offering,
    Spreading,
    SpreadingNeutral,
    Starving,
    TakingOrDiscarding,
)
from pbem.first_sparks.play import carried_on, played
from pbem.first_sparks.record import Chance, Record, begin
from pbem.first_sparks.rules.spreading import reach
from pbem.first_sparks.state import Clan, GameState
from pbem.loading import Submission

SECRET = bytes(range(32))


def a_choice(state: GameState, random: Random) -> Move:
    """Return a legal move; a spreading clan goes on with one reachable space after the other until it stops."""
    phase = state.phase
    if isinstance(phase, Spreading):
        clan, chosen = state.clan(phase.clan), ()
        while random.random() < 0.7 and (reached := reach(state, clan, chosen)):
            chosen = (*chosen, random.choice(reached)[0])
        return Spread(tuple(sorted(chosen))) if chosen else Stay()
    if isinstance(phase, (Starving, SpreadingNeutral)):
        return random.choice(tuple(islice(choices(state), 40)))
    return random.choice(tuple(choices(state)))


def a_new_record(
    players: int,
    game: str = "test",
    board: str = "players",
    *,
    hide_food: bool = False,
    components: ComponentSet | None = None,
) -> Record:
    """Return the record of a game that has just begun, chance having been asked."""
    seats = tuple((colour, NAMES[colour]) for colour in COLOURS[:players])
    held = Chance("open", commitment(SECRET), SECRET.hex())
    record = begin(game, seats, Options(board, hide_food), components or the_components(), held)  # type: ignore[arg-type]
    return carried_on(record, source(game, SECRET))[0]


def random_play(record: Record, random: Random, most_turns: int = 600) -> Iterator[tuple[Record, Entry, GameState]]:
    """Yield every line of a random game to its end: the record after the order it belongs to, the entry, the state."""
    draw = source(record.game, SECRET)
    while (decides := who_decides(record.state)) is not None and record.turn < most_turns:
        record, history = played(record, decides, a_choice(record.state, random), draw)
        for entry, state in history:
            yield record, entry, state


def a_sensible_choice(state: GameState, random: Random) -> Move:
    """Return a move as a careful player would make it: cards by what they bring, spreading that leaves food to buy."""
    phase = state.phase
    match phase:
        case Offering(clan=colour):
            listed = [move for move in choices(state) if isinstance(move, Offer)]
            best = max(listed, key=lambda move: profit(state, colour, move.card), default=None)
            return best if best is not None and profit(state, colour, best.card) > 0 else Pass()
        case Answering(clan=colour, card=card):
            return Buy() if profit(state, colour, card) > 2 and Buy() in choices(state) else Decline()
        case TakingOrDiscarding(clan=colour, card=card):
            return Take() if profit(state, colour, card) > 0 else Discard()
        case Dropping(clan=colour):
            clan = state.clan(colour)
            return min(
                choices(state), key=lambda move: worth_of(state, clan) - worth_of(state, without_tool(clan, move.card))
            )
        case Adding(clan=colour):
            return next((move for move in choices(state) if isinstance(move, Add) and random.random() < 0.3), Stay())
        case Spreading(clan=colour):
            return a_sensible_spread(state, state.clan(colour))
        case _:
            return a_choice(state, random)


def profit(state: GameState, colour: str, card: int) -> int:
    """Return what the card would bring in the rounds to come, less its price."""
    clan, bought = state.clan(colour), state.components.cards[card]
    rounds = max(2, 7 - state.round)
    lasting = {"fire": 5, "speech": 4, "intelligence": 3, "sled": 2, "plow": 3}.get(bought.kind, 0)
    return (worth_with(state, clan, bought) - worth_of(state, clan)) * rounds + lasting - bought.price


def a_sensible_spread(state: GameState, clan: Clan) -> Move:
    """Return the members that the clan can pay and feed and still buy a card; all it can when it may end the game."""
    chosen: tuple[str, ...] = ()
    while reached := reach(state, clan, chosen):
        space, cost = min(reached, key=lambda pair: (pair[1], pair[0]))
        size = clan.size + len(chosen) + 1
        ending = clan.size >= 9
        income = worth_of(state, clan._replace(members=(*clan.members, *chosen, space)))
        if not ending and (clan.food - cost < 5 or size > income + 1):
            break
        chosen = (*chosen, space)
    return Spread(tuple(sorted(chosen))) if chosen else Stay()


def play_file(path: Path, submission: Submission, out: Path | None = None) -> Record:
    """Play a submission in a game's file, and return the game after it."""
    with rulings.playing(path, submission, out=out) as (_, ruling):
        return ruling.record

"""What one player may know of a state, as a value and as numbers."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final, NamedTuple, get_args

from pbem.first_sparks.cards import Market, Pile
from pbem.first_sparks.components import COLOURS, Card, ComponentSet
from pbem.first_sparks.land.board import Board, cell_place
from pbem.first_sparks.phases import Phase
from pbem.first_sparks.secrecy import hides_food
from pbem.first_sparks.state import GameState, Harvest
from pbem.research.actions import actions_of
from pbem.research.node import Node, root
from pbem.rulings import one_of
from pbem.scripts.library import FilePath, Game, of_type

_PHASES: Final = get_args(Phase)
_HIDDEN: Final = -1


class SeenClan(NamedTuple):
    """A clan as a player sees it; ``food`` is None if it is hidden."""

    colour: str
    food: int | None
    cards: tuple[Card, ...]
    members: tuple[str, ...]
    resigned: bool
    agrees: bool

    def __str__(self) -> str:
        food = "hidden" if self.food is None else self.food
        cards = " ".join(str(card.number) for card in self.cards)
        left = "; resigned" if self.resigned else "; agrees to end" if self.agrees else ""
        return f"{self.colour}: food {food}; cards {cards}; members {' '.join(self.members)}{left}"


class Observation(NamedTuple):
    """What the clan ``viewer`` may know; it depends on nothing else.

    ``clans`` are in player order; ``decides`` is a colour, ``*`` for chance, or None after the end; ``named`` are the
    spaces that the viewer has named so far of its answer. Everything else is as in a state.
    """

    viewer: str
    decides: str | None
    phase: Phase | None
    round: int
    step: str
    clans: tuple[SeenClan, ...]
    board: Board
    harvest: Harvest
    market: Market
    pile: Pile
    neutral: tuple[str, ...] | None
    waiting: tuple[str, ...]
    first_offer: bool
    idle: int
    named: tuple[str, ...] = ()

    def __str__(self) -> str:
        fields = [f"{name}: {value}" for name, value in self._asdict().items() if name != "clans"]
        return "\n".join((*fields, *map(str, self.clans)))


def observe(game: Node | Game | GameState | FilePath, player: str) -> Observation:
    """Return what a player, a colour or a name, may know of a game, state or node.

    Only food can be hidden, where the table has agreed on it (R8.1); whoever has counted everything since the beginning
    knows it all the same, as at a table.
    """
    node = game if isinstance(game, Node) else Node(game)
    state = node.state
    seats = tuple((clan.colour, clan.player) for clan in state.clans)
    viewer, decides = one_of(seats, of_type(str, player)), node.decides
    clans = tuple(
        SeenClan(
            clan.colour,
            None if hides_food(state, clan, viewer) else clan.food,
            clan.cards,
            clan.members,
            clan.resigned,
            clan.colour in state.agreed,
        )
        for clan in state.clans
    )
    return Observation(
        viewer,
        decides,
        state.phase,
        state.round,
        state.step,
        clans,
        state.board,
        state.harvest,
        state.market,
        state.pile,
        state.neutral,
        state.waiting,
        state.first_offer,
        state.idle,
        node.named if decides == viewer else (),
    )


def numbers(seen: Observation, components: ComponentSet) -> list[int]:
    """Return an observation as whole numbers, always as many for the same set and number of players; see ``layout``."""
    return [number for _, block in _blocks(seen, components) for number in block]


def layout(players: int, components: ComponentSet | None = None) -> tuple[tuple[str, int], ...]:
    """Return what ``numbers`` consists of, in order: the name of each block, and how many numbers it has.

    Cards, tiles and spaces are 1 where they are and 0 where they are not, in ascending order. Clans come in player
    order, each with its own blocks; where a block has a number for each clan, these are in player order too. The phase
    is 1 in its place. Hidden food is -1. Cells are axial coordinates, 0 and 0 for M13.
    """
    node = root(players, "random", components=components)
    return tuple((name, len(block)) for name, block in _blocks(observe(node, COLOURS[0]), node.state.components))


def _blocks(seen: Observation, components: ComponentSet) -> Iterator[tuple[str, list[int]]]:
    cards, tiles, spaces = sorted(components.cards), sorted(components.tiles), actions_of(components).spaces
    order = [clan.colour for clan in seen.clans]
    market, pile, asked = seen.market, seen.pile, _asked(seen.phase)
    yield "phase", [type(seen.phase) is kind for kind in _PHASES]
    yield "round", [seen.round]
    yield "rounds without progress", [seen.idle]
    for place, clan in enumerate(seen.clans, 1):
        yield f"clan {place} is the viewer", [clan.colour == seen.viewer]
        yield f"clan {place} decides, or receives what is drawn", [clan.colour == asked.get("clan")]
        yield f"clan {place} comes later in this phase", [clan.colour in seen.waiting]
        yield f"clan {place} has resigned", [clan.resigned]
        yield f"clan {place} agrees to end", [clan.agrees]
        yield f"clan {place}: food", [_HIDDEN if clan.food is None else clan.food]
        yield f"clan {place}: cards", _marked(cards, [card.number for card in clan.cards])
        yield f"clan {place}: members", _marked(spaces, clan.members)
    yield "neutral clan: members", _marked(spaces, seen.neutral or ())
    yield "harvest spaces", [*seen.harvest]
    yield "current market", _marked(cards, market.current)
    yield "future market", _marked(cards, market.future)
    yield "card with the crop", _marked(cards, (market.crop,))
    yield "market: places, Shuffle card, reduced", [market.places, market.shuffle, market.reduced]
    yield "pile: certain to come next", _marked(cards, pile.top)
    yield "pile: may come next", _marked(cards, pile.unseen)
    yield "pile: under the Shuffle card", _marked(cards, pile.under)
    yield "pile: cards that never come, Shuffle card", [pile.never, pile.shuffle]
    laid = {tile.tile.letter: [1, tile.q, tile.r, tile.rotation] for tile in seen.board.tiles}
    for letter in tiles:
        yield f"tile {letter}: laid, cell of hex 1, direction of hex 2", laid.get(letter, [0, 0, 0, 0])
    yield "tile to lay", _marked(tiles, (asked.get("tile"),))
    yield "card in question", _marked(cards, (asked.get("card"),))
    yield "clan that offers it", _marked(order, (asked.get("offerer"),))
    yield "clans that want it", _marked(order, asked.get("wanted_by", ()))
    yield "clans that are asked later", _marked(order, asked.get("unasked", ()))
    yield "first offer of the round", [seen.first_offer]
    yield "members to starve, or new ones of the neutral clan", [asked.get("hungry", asked.get("new", 0))]
    cell = cell_place(seen.named[0]) if seen.named and asked.get("tile") else ()
    yield "named: a cell, its coordinates", [1, *cell] if cell else [0, 0, 0]
    yield "named: spaces", _marked(spaces, seen.named)


def _asked(phase: Phase | None) -> dict[str, Any]:
    """Return the fields of the question by name; those of another one are missing."""
    return phase._asdict() if phase else {}


def _marked(all_of_them: Sequence[object], there: Collection[object]) -> list[int]:
    """Return 1 for each that is there, and 0 for each that is not."""
    return [int(one in there) for one in all_of_them]

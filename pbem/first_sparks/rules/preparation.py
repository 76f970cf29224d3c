"""Preparation: Herbs, landscape tiles, harvest spaces, market and draw pile."""

from collections.abc import Iterator
from functools import lru_cache
from operator import add
from typing import Final

from pbem.errors import Violation
from pbem.first_sparks.cards import Market, Pile
from pbem.first_sparks.clans import highest_card
from pbem.first_sparks.components import ComponentSet, LaidTile
from pbem.first_sparks.events import HerbsDealt, PlayerOrderSet, TileDrawn, TileLaid
from pbem.first_sparks.land.board import (
    Board,
    Hex,
    cell_name,
    cell_place,
    lay_out,
    rotation_of,
)
from pbem.first_sparks.land.cells import ways_to_lay
from pbem.first_sparks.moves import Draw, Lay
from pbem.first_sparks.options import Options
from pbem.first_sparks.phases import DealingHerbs, DrawingTile, Laying
from pbem.first_sparks.rules import two_players
from pbem.first_sparks.state import Clan, GameState, Harvest
from pbem.grammar import phrase_listed
from pbem.locale import phrase, phrase_of
from pbem.quick import new

STARTING_FOOD: Final = 7
TOP_OF_SIX: Final = 15
_draw: Final = lru_cache(maxsize=64)(Draw)
_FIRST_TILE: Final[tuple[Hex, Hex]] = ((0, 0), (1, 0))
_REMOVED_UNSEEN: Final = {2: two_players.REMOVED_UNSEEN, 3: 6, 4: 3, 5: 0, 6: 0}
_BASE_REFILL: Final = {
    2: Harvest(2, 1, 0, 0),
    3: Harvest(3, 2, 1, 1),
    4: Harvest(4, 2, 1, 1),
    5: Harvest(5, 3, 2, 1),
    6: Harvest(6, 4, 3, 1),
}


def seated(players: tuple[tuple[str, str], ...]) -> tuple[Clan, ...]:
    """Return the clans of *players* (colour, name), 2 to 6 of them, in the order in which they sit.

    Each begins with 7 food.

    Rule: starting-clan (R1.1)
    """
    return tuple(Clan(colour, player, food=STARTING_FOOD) for colour, player in players)


def starting_harvest() -> Harvest:
    """Return the tokens that lie on the harvest spaces at first, for every number of players.

    Rule: starting-harvest (R1.3)
    """
    return Harvest(berries=4, fish=2, bears=3, mammoths=2)


def tile_pool(components: ComponentSet, players: int) -> tuple[str, ...]:
    """Return the letters of the tiles from which the board is drawn.

    Rule: tile-pool (R1.4)
    """
    return tuple(sorted(tile.letter for tile in components.tiles.values() if tile.min_players <= players))


def tiles_in_play(players: int) -> int:
    """Return the number of tiles on the board: one per player, but three for 2 players.

    Rule: tiles-in-play (R1.4)
    """
    return max(players, 3)


def refill_numbers(board: Board, players: int) -> Harvest:
    """Return the tokens that are added to the harvest spaces in every phase 4.

    The base for the number of players and one for each hunting area of that food on the board.

    Rule: refill-numbers (R1.6)
    """
    return new(Harvest, map(add, _BASE_REFILL[players], board.areas))


def starting_market(components: ComponentSet, players: int) -> Market:
    """Return the market of the eight lowest cards: 7 to 10 are current, 11 to 14 future.

    Rule: starting-market (R1.7)
    """
    market_places = two_players.MARKET_PLACES if players == 2 else 8
    return Market(cards=_market_cards(components, players)[:market_places], places=market_places)


def starting_pile(components: ComponentSet, market: Market, players: int) -> Pile:
    """Return the pile: all other cards, some of which are removed unseen, above the Shuffle card.

    With 6 players card 15 lies on top.

    Rule: starting-pile (R1.8)
    """
    top = (TOP_OF_SIX,) if players == 6 else ()
    unseen = tuple(n for n in _market_cards(components, players) if n not in market.cards and n not in top)
    return Pile(top=top, unseen=unseen, never=_REMOVED_UNSEEN[players])


def starting_board(components: ComponentSet, options: Options, players: int) -> Board:
    """Return the board at the start: recommended by this project, or still without a tile.

    The rulebook's suggested boards are pictures that no source prints, so a host
    may choose one of our boards, or have chance lay the tiles.

    Rule: way-to-the-board (R1.10)
    """
    if options.board == "recommended":
        return lay_out(components.boards[tiles_in_play(players)].tiles)
    return lay_out(())


def _market_cards(components: ComponentSet, players: int) -> tuple[int, ...]:
    out = two_players.REMOVED_CARDS if players == 2 else ()
    return tuple(sorted(n for n, card in components.cards.items() if card.kind != "herbs" and n not in out))


# Herbs


def deal_herbs(state: GameState) -> GameState:
    """Ask chance for the next clan's Herbs; when all have theirs, the highest number is the first player.

    Rule: deal-herbs (R1.2)
    """
    for clan in state.clans:
        if not clan.cards:
            return state._replace(phase=DealingHerbs(clan.colour))
    state = state._replace(clans=tuple(sorted(state.clans, key=highest_card, reverse=True)))
    return state.with_events(PlayerOrderSet(state.order))


def herbs_to_deal(state: GameState) -> tuple[Draw, ...]:
    """Return the Herbs not yet dealt, of the numbers 1 to the number of players."""
    dealt = {card.number for clan in state.clans for card in clan.cards}
    return tuple([_draw(str(number)) for number in range(1, len(state.clans) + 1) if number not in dealt])


def deal(state: GameState, phase: DealingHerbs, drawn: Draw) -> GameState:
    """Return the state with those Herbs in the clan's hands."""
    card = state.components.cards[int(drawn.what)]
    return state.with_clan(state.clan(phase.clan).with_card(card), HerbsDealt(phase.clan, card.number))


# Landscape tiles


def lay_landscape(state: GameState) -> GameState:
    """Ask for the next tile until the board is complete; in player order, each clan draws one and lays it.

    Rule: lay-tiles (R1.5)
    """
    laid = len(state.board.tiles)
    if laid == tiles_in_play(len(state.clans)):
        return state
    player = two_players.tile_layer(laid) if state.two_players else laid
    return state._replace(phase=DrawingTile(state.clans[player].colour))


def tiles_to_draw(state: GameState) -> tuple[Draw, ...]:
    """Return the tiles that are still face down."""
    return tuple(map(_draw, state.tiles))


def draw_tile(state: GameState, phase: DrawingTile, drawn: Draw) -> GameState:
    """Return the state in which the clan has that tile to lay."""
    return state._replace(
        tiles=tuple(letter for letter in state.tiles if letter != drawn.what),
        phase=Laying(phase.clan, drawn.what),
    ).with_events(TileDrawn(phase.clan, drawn.what))


def lay_violations(state: GameState, move: Lay) -> Iterator[Violation]:
    """Yield every rule that laying the drawn tile there breaks."""
    first, second = cell_place(move.first), cell_place(move.second)
    if rotation_of(first, second) is None:
        why = phrase("{first} and {second} are not next to each other", first=move.first, second=move.second)
        yield Violation("lay-joined-cells", why)
    else:
        yield from _place_violations(state.board, first, second)


def _place_violations(board: Board, first: Hex, second: Hex) -> Iterator[Violation]:
    """Yield every rule that a tile on two joined hexes breaks.

    The first tile has only one place, since any other is the same board turned.
    The second shares a hex edge with it, each later one with two different tiles.
    """
    if not board.tiles:
        if (first, second) != _FIRST_TILE:
            where = " ".join(map(cell_name, _FIRST_TILE))
            yield Violation("lay-first-tile", phrase("the first tile must lie on {cells}", cells=where))
        return
    if first in board.covered or second in board.covered:
        taken = [cell_name(place) for place in (first, second) if place in board.covered]
        yield Violation("lay-empty-cells", phrase("a tile already lies on {cells}", cells=phrase_listed(taken)))
    touched, needed = board.tiles_touched(first, second), _tiles_to_touch(board)
    if touched < needed:
        why = phrase_of(
            needed,
            "the tile must touch the tile on the board",
            "the tile must touch at least {n} tiles on the board, not {touched}",
            touched=touched,
        )
        yield Violation("lay-touching", why)


def _tiles_to_touch(board: Board) -> int:
    return min(len(board.tiles), 2)


def lays(state: GameState) -> tuple[Lay, ...]:
    """Return the legal ways to lay a tile, in the order of cells."""
    return _lays(state.board)


@lru_cache(maxsize=16)
def _lays(board: Board) -> tuple[Lay, ...]:
    if not board.tiles:
        return (Lay(cell_name(_FIRST_TILE[0]), cell_name(_FIRST_TILE[1])),)
    return tuple(ways_to_lay(board, two=_tiles_to_touch(board) == 2))


def lay(state: GameState, phase: Laying, move: Lay) -> GameState:
    """Return the state with the tile on the board."""
    first, second = cell_place(move.first), cell_place(move.second)
    rotation = rotation_of(first, second)
    assert rotation is not None
    laid = LaidTile(state.components.tiles[phase.tile], *first, rotation)
    told = TileLaid(phase.clan, phase.tile, (move.first, move.second))
    return state._replace(board=Board((*state.board.tiles, laid)), events=(*state.events, told))

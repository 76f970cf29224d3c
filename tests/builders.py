"""One builder of situations for all tests: a plain game in which only what a test names is different."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pbem.first_sparks
from pbem.errors import Illegal
from pbem.first_sparks.adjudicator import adjudicate, walk_on
from pbem.first_sparks.cards import Market, Pile
from pbem.first_sparks.components import ComponentSet, Food, LaidTile, Tile, components_from
from pbem.first_sparks.land.board import lay_out
from pbem.first_sparks.notation import parse_logged
from pbem.first_sparks.options import Options
from pbem.first_sparks.phases import Phase
from pbem.first_sparks.state import Clan, GameState, Harvest

NAMES = {
    "green": "Angelika",
    "red": "Christian",
    "blue": "Steffi",
    "black": "Hedwig",
    "white": "Henning",
    "yellow": "Maura",
}
COLOURS = tuple(NAMES)


@cache
def the_components() -> ComponentSet:
    """Return the component set that ships with the program."""
    data = Path(pbem.first_sparks.__file__).parent / "data" / "components.toml"
    return components_from(tomllib.loads(data.read_text(encoding="utf-8")))


def owns(clan: Clan, number: int) -> bool:
    """Return whether the clan has the card of that number."""
    return any(card.number == number for card in clan.cards)


def a_clan(
    food: int = 7,
    cards: tuple[int, ...] = (),
    members: tuple[str, ...] = (),
    resigned: bool = False,
    largest: int = 0,
    agreements: int = 0,
) -> Clan:
    """Return a clan without colour and name yet; ``a_game`` gives it both. Cards by number, members by space.

    *largest* is its greatest size so far, if that is not the size that it has.
    """
    owned = tuple(the_components().cards[number] for number in sorted(cards))
    return Clan("", "", food, owned, tuple(sorted(members)), resigned, max(largest, len(members)), agreements)


def a_game(
    players: int = 3,
    *,
    phase: Phase | None = None,
    step: str = "offers_and_answers",
    **gaps: Any,
) -> GameState:
    """Return a game of 2 to 6 clans, green first in player order, then red, blue, black, white, yellow.

    *gaps*: ``green=a_clan(...)`` and so on; ``board=n`` for the recommended
    board of n tiles (3, 4 or 5) or a tuple of LaidTile; ``harvest=(berries,
    fish, bears, mammoths)``; ``market=(7, 8, ...)``; ``order=("red", ...)`` for
    another player order; any other field of GameState by its name (``crop``,
    ``shuffle`` and ``reduced`` go into the market). A clan that is not named has
    its Herbs, 7 food and nobody on the board.
    """
    components = the_components()
    named = {
        colour: gaps.pop(colour, a_clan(cards=(players - place,)))._replace(colour=colour, player=NAMES[colour])
        for place, colour in enumerate(COLOURS[:players])
    }
    clans = tuple(named[colour] for colour in gaps.pop("order", COLOURS[:players]))
    board = gaps.pop("board", min(max(players, 3), 5))
    tiles = components.boards[board].tiles if isinstance(board, int) else board
    places = gaps.pop("places", 6 if players == 2 else 8)
    cards = gaps.pop("market", (7, 8, 9, 12, 13, 14) if players == 2 else (7, 8, 9, 10, 11, 12, 13, 14))
    market = Market(cards, places, gaps.pop("crop", None), gaps.pop("shuffle", False), gaps.pop("reduced", False))
    held = {card.number for clan in clans for card in clan.cards}
    unseen = tuple(n for n in range(7, 42) if n not in held and n not in cards)
    return GameState(
        components=components,
        options=gaps.pop("options", Options()),
        clans=clans,
        board=lay_out(tiles),
        tiles=gaps.pop("tiles", ()),
        harvest=Harvest(*gaps.pop("harvest", (4, 2, 3, 2))),
        market=market,
        pile=gaps.pop("pile", Pile(unseen=unseen)),
        neutral=gaps.pop("neutral", () if players == 2 else None),
        round=gaps.pop("round", 1),
        step=step,
        waiting=gaps.pop("waiting", ()),
        phase=phase,
        **gaps,
    )


def walk_from(step: str, players: int = 3, **gaps: Any) -> GameState:
    """Return a game walked from the beginning of *step* to the next decision; *gaps* as in ``a_game``."""
    game = a_game(players, step=step, **gaps)
    asked = game.order if step == "hunt_and_feed" else game.order_in_play
    return walk_on(game._replace(waiting=asked))


def played(state: GameState, *orders: str) -> GameState:
    """Return the state after *orders*, written as in the log: ``green offer 7``, ``* draw 23``."""
    for line in orders:
        colour, order = line.split(" ", 1)
        state = adjudicate(state, colour, parse_logged(order))
    return state


def refused(state: GameState, line: str) -> dict[str, str]:
    """Return why an order, written as in the log, is refused: each broken rule with its message."""
    try:
        played(state, line)
    except Illegal as refusal:
        return {reason.rule: reason.message for reason in refusal.reasons}
    raise AssertionError(f"{line} is legal")


def a_tile(letter: str, hunting_areas: tuple[Food, Food], mountains: tuple[str, ...] = ()) -> Tile:
    """Return a landscape tile split as those that ship: a owns edges 0 and 1, b 2 and 3, c 4 and 5."""
    return Tile(letter, hunting_areas, 2, (0, 0), mountains)


def two_tiles(mountains_of_a: tuple[str, ...] = (), mountains_of_b: tuple[str, ...] = ()) -> tuple[LaidTile, LaidTile]:
    """Return a board of two tiles, A1 A2 over B1 B2, with the mountains that each of them shows."""
    return (
        LaidTile(a_tile("A", ("berries", "fish"), mountains_of_a), 0, 0, 0),
        LaidTile(a_tile("B", ("bears", "mammoths"), mountains_of_b), 0, 1, 0),
    )

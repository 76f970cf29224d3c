"""One builder of situations for all tests: a plain game in which only what a test names is different."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pbem.first_sparks
from pbem.first_sparks.board import lay_out
from pbem.first_sparks.components import ComponentSet, components_from
from pbem.first_sparks.state import Clan, GameState, Harvest, Market, Options, Phase, Pile

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
    """The component set that ships with the program."""
    data = Path(pbem.first_sparks.__file__).parent / "data" / "components.toml"
    return components_from(tomllib.loads(data.read_text(encoding="utf-8")))


def a_clan(food: int = 7, cards: tuple[int, ...] = (), members: tuple[str, ...] = (), resigned: bool = False) -> Clan:
    """A clan without colour and name yet; ``a_game`` gives it both. Cards by number, members by space."""
    owned = tuple(the_components().cards[number] for number in sorted(cards))
    return Clan("", "", food, owned, tuple(sorted(members)), resigned)


def a_game(players: int = 3, *, phase: Phase | None = None, step: str = "offers_and_answers", **gaps: Any) -> GameState:
    """A game of 2 to 6 clans, green first in player order, then red, blue, black, white, yellow.

    *gaps*: ``green=a_clan(...)`` and so on; ``board=n`` for the recommended
    board of n tiles (3, 4 or 5) or a tuple of LaidTile; ``harvest=(berries,
    fish, bears, mammoths)``; ``market=(7, 8, ...)``; any other field of GameState
    by its name (``crop``, ``shuffle`` and ``reduced`` go into the market). A
    clan that is not named has its Herbs, 7 food and nobody on the board.
    """
    components = the_components()
    clans = tuple(
        gaps.pop(colour, a_clan(cards=(players - place,)))._replace(colour=colour, player=NAMES[colour])
        for place, colour in enumerate(COLOURS[:players])
    )
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

"""The component set: technology cards, landscape tiles, recommended boards, as frozen types.

Numbers rank cards, prices and crops are food values, a harvest table counts
tokens. The values, and how well each is known, are data: ``data/components.toml``.
"""

from typing import Any, Final, Literal, NamedTuple

Food = Literal["berries", "fish", "bears", "mammoths"]
Tool = Literal["herbs", "field", "basket", "rod", "bow", "spear"]
Knowledge = Literal["fire", "plow", "sled", "speech", "intelligence"]
Kind = Tool | Knowledge
SpaceLetter = Literal["a", "b", "c"]

FOODS: Final[tuple[Food, ...]] = ("berries", "fish", "bears", "mammoths")
FOOD_VALUE: Final[dict[Food, int]] = {"berries": 2, "fish": 3, "bears": 3, "mammoths": 4}
FOOD_OF_TOOL: Final[dict[str, Food]] = {"basket": "berries", "rod": "fish", "bow": "bears", "spear": "mammoths"}
TOOLS: Final[tuple[str, ...]] = ("herbs", "field", *FOOD_OF_TOOL)
COLOURS: Final = ("green", "red", "blue", "black", "white", "yellow")


class Card(NamedTuple):
    """A technology card: a tool harvests, knowledge is a lasting advantage.

    *is_tool* tells whether it counts against the limit of tools. *food* is the
    food of the hunting areas that it needs; None for crops and knowledge.
    """

    number: int
    kind: Kind
    price: int = 0
    crops: int = 0
    harvest: tuple[tuple[int, int], ...] = ()
    is_tool: bool = False
    food: Food | None = None

    def tokens(self, lying: int) -> int:
        """Return the tokens that the table gives for *lying* tokens, including virtual ones."""
        taken = 0
        for least, tokens in self.harvest:
            if lying < least:
                break
            taken = tokens
        return taken


class Tile(NamedTuple):
    """A landscape tile: two joined hexes, each one hunting area with three spaces around it."""

    letter: str
    hunting_areas: tuple[Food, Food]
    min_players: int
    split: tuple[int, int]
    mountains: tuple[str, ...]


class LaidTile(NamedTuple):
    """A tile on the board: hex 1 at axial (q, r), hex 2 next to it in direction *rotation*."""

    tile: Tile
    q: int
    r: int
    rotation: int


class RecommendedBoard(NamedTuple):
    """A board for a first game; the last player starts on its first starting space."""

    tiles: tuple[LaidTile, ...]
    start: tuple[str, ...]


class ComponentSet(NamedTuple):
    """Cards by number, tiles by letter, recommended boards by number of players; *source* is the set as data."""

    name: str
    plow_bonus: int
    cards: dict[int, Card]
    tiles: dict[str, Tile]
    boards: dict[int, RecommendedBoard]
    source: dict[str, Any]


def components_from(data: dict[str, Any]) -> ComponentSet:
    """Return the component set that *data* describes; the schema has checked its shape."""
    cards = {
        row["number"]: Card(
            row["number"],
            row["kind"],
            row.get("price", 0),
            row.get("crops", 0),
            tuple((least, tokens) for least, tokens in row.get("harvest", ())),
            row["kind"] in TOOLS,
            FOOD_OF_TOOL.get(row["kind"]),
        )
        for row in data["cards"]
    }
    tiles = {
        row["letter"]: Tile(
            row["letter"],
            tuple(row["hunting_areas"]),
            row["min_players"],
            tuple(row["split"]),
            tuple(row["mountains"]),
        )
        for row in data["tiles"]
    }
    boards = {
        int(players): RecommendedBoard(
            tuple(LaidTile(tiles[letter], q, r, rotation) for letter, q, r, rotation in board["tiles"]),
            tuple(board["start"]),
        )
        for players, board in data.get("boards", {}).items()
    }
    return ComponentSet(data["name"], data["plow_bonus"], cards, tiles, boards, data)

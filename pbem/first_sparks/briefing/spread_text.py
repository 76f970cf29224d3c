"""The question of phase 3 in words: what new members cost, and every space in reach with what follows."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from pbem.first_sparks.briefing.ahead import ending, place_in_short, would_end
from pbem.first_sparks.briefing.words import area_text
from pbem.first_sparks.forecast import prospect
from pbem.first_sparks.rules.spreading import MOST_NEW, base_cost
from pbem.first_sparks.state import Clan, GameState
from pbem.grammar import listed
from pbem.page.page import Block, Column, Grid, Prose

if TYPE_CHECKING:
    from pbem.first_sparks.land.routes import Route

_WAYS: Final = (Column("to", spoken="space"), Column("area"), Column("+", spoken="adds"), Column("cost", right=True))
_AHEAD: Final = (
    Column("next", right=True, spoken="next harvest"),
    Column("then", right=True, spoken="harvest after that"),
    Column("place"),
)
_SPREAD: Final = Column("spread")
MOST_BEYOND: Final = 8  # spaces that a clan can reach and not pay for


def prices(clan: Clan) -> str:
    """Return what new members of the clan cost, in three sentences."""
    numbers = range(1, MOST_NEW + 1)
    base = (
        f"New members cost {listed(map(str, map(base_cost, numbers)), 'or')} food for"
        f" {listed(map(str, numbers), 'or')} of them. Each mountain on the cheapest way to them costs 1 more."
    )
    if clan.knows("speech"):
        return f"{base} A shared space costs 1 more for each member of another clan there, as you know speech."
    return f"{base} A shared space costs 1 more for each member there, including yours."


def table_of_routes(state: GameState, clan: Clan, every_way: "tuple[Route, ...]") -> Iterator[Block]:
    """Yield every space in reach with the cheapest way there, and what follows.

    Ways after which the game is certain to end come last, by the size of the clan: no harvest follows. Below them
    come the cheapest of the spaces for which the clan lacks food.
    """
    found = tuple(route for route in every_way if route.cost.total <= clan.food)
    beyond = every_way[len(found) :]
    every = (
        "Every space in reach, with the cheapest way there, and what the space adds to the base cost: ^1 for a"
        " mountain, +2 for sharing it."
    )
    going_on = {route: larger for route in found if not would_end(state, larger := clan.with_members(route.spaces))}
    last = sorted((route for route in found if route not in going_on), key=lambda route: len(route.spaces))
    if not going_on:
        yield Prose(every, apart=True)
        rows: list[tuple[str, ...] | str] = []
    else:
        now = prospect(state, clan)
        yield Prose(
            f"{every} The columns next and then are your next two harvests, which are now worth {now.soon} and"
            f" {now.later}; place is yours in the next player order.",
            apart=True,
        )
        rows = [_row(state, clan, route, _ahead(state, larger)) for route, larger in going_on.items()]
    none = ("-",) * len(_AHEAD) if going_on else ()
    said = ""
    for route in last:
        heading = f"{ending(state, clan.with_members(route.spaces), brief=True)}:"
        rows += (_row(state, clan, route, none),) if heading == said else (heading, _row(state, clan, route, none))
        said = heading
    if beyond:
        rows += (_line_above(clan, len(beyond)), *(_row(state, clan, route, none) for route in beyond[:MOST_BEYOND]))
    yield Grid((*_WAYS, *(_AHEAD if going_on else ()), _SPREAD), tuple(rows), gap=1)


def _line_above(clan: Clan, number: int) -> str:
    """Return the line above the spaces that the clan could only reach with more food."""
    if number <= MOST_BEYOND:
        return f"in reach, but for more than your {clan.food} food:"
    return f"in reach, but for more than your {clan.food} food, the {MOST_BEYOND} cheapest of {number}:"


def _row(state: GameState, clan: Clan, route: "Route", ahead: tuple[str, ...]) -> tuple[str, ...]:
    extra = " ".join(("^1",) * route.mountain + (f"+{route.shared}",) * bool(route.shared))
    cost, spread = str(route.cost.total), " ".join(route.spaces)
    return route.space, area_text(state, clan, route.space), extra, cost, *ahead, spread


def _ahead(state: GameState, larger: Clan) -> tuple[str, ...]:
    """Return the next two harvests of the clan after spreading, and its place in the next player order."""
    soon, later = prospect(state, larger)
    return str(soon), str(later), place_in_short(state, larger)

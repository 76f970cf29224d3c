"""The question of phase 3 in words: what new members cost, and every space in reach with what follows."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from pbem.first_sparks.briefing.forecast_text import ending, place_in_short, would_end
from pbem.first_sparks.briefing.words import area_text
from pbem.first_sparks.forecast import prospect
from pbem.first_sparks.notation import order_text
from pbem.first_sparks.rules.spreading import MOST_NEW, base_cost
from pbem.first_sparks.state import Clan, GameState
from pbem.grammar import listed
from pbem.locale import tr
from pbem.page.page import Block, Column, Grid, Prose

if TYPE_CHECKING:
    from pbem.first_sparks.briefing.routes import Route

MOST_BEYOND: Final = 8  # spaces that a clan can reach and not pay for


def prices(clan: Clan) -> str:
    """Return what new members of the clan cost, in three sentences."""
    numbers = range(1, MOST_NEW + 1)
    cost, members = (listed(map(str, some), "or") for some in (map(base_cost, numbers), numbers))
    base = tr(_BASE).format(cost=cost, members=members)
    if clan.knows("speech"):
        shared = tr("A shared space costs 1 more for each member of another clan there, as you know speech.")
    else:
        shared = tr("A shared space costs 1 more for each member there, including yours.")
    return f"{base} {shared}"


_BASE: Final = (
    "New members cost {cost} food for {members} of them. Each mountain on the cheapest way to them costs 1 more."
)
_EVERY: Final = (
    "Every space in reach, with the cheapest way there, and what the space adds to the base cost: ^1 for a mountain, +2"
    " for sharing it."
)
_THEN: Final = (
    "The columns {next} and {then} are your next two harvests, which are now worth {soon} and {later}; {place} is yours"
    " in the next player order."
)
_ABOVE: Final = "in reach, but for more than your {food} food:"
_ABOVE_SOME: Final = "in reach, but for more than your {food} food, the {cheapest} cheapest of {number}:"


def _ways() -> tuple[Column, ...]:
    """Return the columns of the ways to spread."""
    return (
        Column(tr("to", "a way"), spoken=tr("space", "column")),
        Column(tr("area", "column")),
        Column("+", spoken=tr("adds", "column")),
        Column(tr("cost", "column"), right=True),
    )


def _what_follows() -> tuple[Column, ...]:
    """Return the columns of what follows from a way to spread."""
    return (
        Column(tr("next", "column"), right=True, spoken=tr("next harvest", "column")),
        Column(tr("then", "column"), right=True, spoken=tr("harvest after that", "column")),
        Column(tr("place", "column")),
    )


def table_of_routes(state: GameState, clan: Clan, every_way: "tuple[Route, ...]") -> Iterator[Block]:
    """Yield every space in reach with the cheapest way there, and what follows.

    Ways after which the game is certain to end come last, by the size of the clan: no harvest follows. Below them
    come the cheapest of the spaces for which the clan lacks food.
    """
    found = tuple(route for route in every_way if route.cost.total <= clan.food)
    beyond = every_way[len(found) :]
    going_on = {route: larger for route in found if not would_end(state, larger := clan.with_members(route.spaces))}
    last = sorted((route for route in found if route not in going_on), key=lambda route: len(route.spaces))
    if not going_on:
        yield Prose(tr(_EVERY), apart=True)
        rows: list[tuple[str, ...] | str] = []
    else:
        now = prospect(state, clan)
        following, then, place = (column.title for column in _what_follows())
        ahead = tr(_THEN).format(next=following, then=then, place=place, soon=now.soon, later=now.later)
        yield Prose(f"{tr(_EVERY)} {ahead}", apart=True)
        rows = [_row(state, clan, route, _ahead(state, larger)) for route, larger in going_on.items()]
    columns = _what_follows() if going_on else ()
    none = ("-",) * len(columns)
    said = ""
    for route in last:
        heading = f"{ending(state, clan.with_members(route.spaces), brief=True)}:"
        rows += (_row(state, clan, route, none),) if heading == said else (heading, _row(state, clan, route, none))
        said = heading
    if beyond:
        rows += (_line_above(clan, len(beyond)), *(_row(state, clan, route, none) for route in beyond[:MOST_BEYOND]))
    # The last column is headed by the order that what stands in it follows.
    yield Grid((*_ways(), *columns, Column(order_text("spread"))), tuple(rows), gap=1)


def _line_above(clan: Clan, number: int) -> str:
    """Return the line above the spaces that the clan could only reach with more food."""
    if number <= MOST_BEYOND:
        return tr(_ABOVE).format(food=clan.food)
    return tr(_ABOVE_SOME).format(food=clan.food, cheapest=MOST_BEYOND, number=number)


def _row(state: GameState, clan: Clan, route: "Route", ahead: tuple[str, ...]) -> tuple[str, ...]:
    extra = " ".join(("^1",) * route.mountain + (f"+{route.shared}",) * bool(route.shared))
    cost, spread = str(route.cost.total), " ".join(route.spaces)
    return route.space, area_text(state, clan, route.space), extra, cost, *ahead, spread


def _ahead(state: GameState, larger: Clan) -> tuple[str, ...]:
    """Return the next two harvests of the clan after spreading, and its place in the next player order."""
    soon, later = prospect(state, larger)
    return str(soon), str(later), place_in_short(state, larger)

"""The statistics of an archive as a page of tables: sections with keys, and widths that follow from the contents."""

from collections.abc import Iterable, Iterator, Sequence
from math import sqrt
from typing import Final

from pbem.first_sparks.briefing.accounts import KINDS
from pbem.first_sparks.briefing.words import food_word, kind_word
from pbem.first_sparks.components import FOODS
from pbem.formats import shown
from pbem.grammar import decimal, plural
from pbem.locale import tr
from pbem.page.page import Block, Column, Grid, Items, Page, Prose, Section
from pbem.scripts.stats_rows import CardRow, DealRow, Group, Range, Side, Statistics, Wins

# The titles of columns and the keys of charts.
COLUMNS: Final = (
    *("players", "games", "finished", "open", "fewest", "median", "most", "seat", "wins", "share", "from", "to"),
    *("all", "clans", "members", "food", "cards", "who", "crops", "price", "round", "offered", "bought", "by winners"),
    *("card", "messages", "days", "game", "name"),
)
_HEADINGS: Final = {
    "games": "Games",
    "open": "Open games",
    "seats": "Wins by seat",
    "places": "Wins by place in the first player order",
    "sizes": "Wins by members at the end",
    "leads": "Lead of the largest clan",
    "ends": "Clans at the end",
    "harvest": "Harvest of a clan in a game",
    "prices": "Technology cards by price paid",
    "rounds": "Technology cards by game round",
    "cards": "Technology cards",
    "players": "Players",
    "bots": "Bots",
    "mails": "Messages of finished games",
    "failures": "Files that cannot be read",
}

Row = tuple[str, ...]
_NONE: Final = "-"
_Z: Final = 1.96
_DEALS: Final = ("offered", "bought", "by winners")


def page_of(found: Statistics, *, bots: bool = False) -> Page:
    """Return the statistics as a page, without empty sections; of *bots* the clans are counted instead of the games."""
    groups = (*found.groups, found.total) if found.groups[1:] else found.groups
    over = [group for group in groups if group.finished]
    sections = (
        _section("games", _games(found, groups), tr("with the game rounds of those that are over")),
        _section("open", _open(groups), tr("with their game rounds so far")),
        _section("seats", _seats(over), tr("with the 95% interval of the share")),
        _section("places", _places(over)),
        _section("sizes", _sizes(found.total)),
        _section("leads", _leads(found.total), tr("in members")),
        _section("ends", _ends(over), tr("on average")),
        _section("harvest", _harvest(over), tr("in food, on average")),
        _section("prices", _deals("price", found.prices)),
        _section("rounds", _deals("round", found.rounds)),
        _section("cards", _cards(found.cards), tr("with the median game round of purchase")),
        _section(
            "bots" if bots else "players",
            _players(found, "clans" if bots else "games"),
            tr("with their average members at the end"),
        ),
        _section("mails", _mails(found), tr("with days from first to last order")),
        _section("failures", _failures(found)),
    )
    return Page(tuple(section for section in sections if section.blocks))


def heading_of(key: str) -> str:
    """Return the heading of the section with that key."""
    return tr(_HEADINGS[key])


def _section(key: str, blocks: Iterable[Block], gloss: str = "") -> Section:
    return Section(key, tuple(blocks), heading_of(key).upper(), gloss)


def average(total: int, number: int) -> str:
    """Return a mean with one digit after the point, or a dash where there is nothing to divide by."""
    return decimal(total / number) if number else _NONE


def named(group: Group) -> str:
    """Return the number of players of a group, or ``all``."""
    return str(group.players or column("all"))


def column(title: str) -> str:
    """Return the title of a column, which may be a kind of food; a number stays one."""
    if title in FOODS:
        return food_word(title)
    return tr(title, "column") if title in COLUMNS else title


def side_text(won: bool) -> str:
    """Return the word for the clans that have won, or for the others."""
    return tr("winners", "clans") if won else tr("others", "clans")


def _grid(titles: Sequence[str], rows: Iterable[Row], left: Sequence[str] = ()) -> Iterator[Grid]:
    """Yield a table, if it has rows; numbers are aligned right, the columns *left* are not."""
    found = tuple(rows)
    if found:
        made = tuple(Column(column(title), right=title not in left) for title in titles)
        yield Grid(made, found, hangs=titles[-1] in left)


def _range(numbers: Range | None) -> Row:
    return (str(numbers.fewest), decimal(numbers.median), str(numbers.most)) if numbers else (_NONE,) * 3


def _games(found: Statistics, groups: Sequence[Group]) -> Iterator[Block]:
    titles = ("players", "games", "finished", "open", "fewest", "median", "most")
    counts = ((named(g), str(g.games), str(g.finished), str(g.open), *_range(g.rounds)) for g in groups)
    yield from _grid(titles, counts)
    if found.copies:
        yield Prose(
            plural(
                found.copies,
                "{n} file contains a game that is already counted.",
                "{n} files contain games that are already counted.",
            )
        )
    if found.others:
        yield Prose(plural(found.others, "{n} other file is not a game.", "{n} other files are not games."))


def _open(groups: Sequence[Group]) -> Iterator[Block]:
    rows = ((named(group), str(group.open), *_range(group.open_rounds)) for group in groups if group.open)
    yield from _grid(("players", "open", "fewest", "median", "most"), rows)


def _places(groups: Sequence[Group]) -> Iterator[Block]:
    shown_groups = [group for group in groups if group.players and group.places]
    most = max((len(group.places) for group in shown_groups), default=0)
    rows = (
        (named(group), *(str(place.wins) for place in group.places), *([""] * (most - len(group.places))))
        for group in shown_groups
    )
    yield from _grid(("players", *map(str, range(1, most + 1))), rows)
    if any(group.winners.clans > group.finished for group in shown_groups):
        yield Prose(tr("A shared victory counts for each winner."))


def _seats(groups: Sequence[Group]) -> Iterator[Block]:
    rows = (
        (named(group), str(seat.number), str(seat.clans), str(seat.wins), *map(_percent, _shares(seat)))
        for group in groups
        for seat in (group.seats if group.players else ())
    )
    yield from _grid(("players", "seat", "games", "wins", "share", "from", "to"), rows)


def _shares(row: Wins) -> tuple[float, float, float]:
    """Return the share of wins, and Wilson's 95% interval of it."""
    square, share = _Z * _Z / row.clans, row.wins / row.clans
    middle = (share + square / 2) / (1 + square)
    half = _Z * sqrt(share * (1 - share) / row.clans + square / (4 * row.clans)) / (1 + square)
    return share, middle - half, middle + half


def _percent(share: float) -> str:
    return f"{decimal(100 * share)} %"


def _leads(total: Group) -> Iterator[Block]:
    yield from _grid(("members", "games"), ((str(members), str(games)) for members, games in total.leads))


def _sizes(total: Group) -> Iterator[Block]:
    rows = ((str(size.number), str(size.clans), str(size.wins)) for size in total.sizes)
    yield from _grid(("members", "clans", "wins"), rows)


def _ends(groups: Sequence[Group]) -> Iterator[Block]:
    rows = (
        row
        for group in groups
        for row in (_side(group, group.winners, won=True), _side(group, group.others, won=False))
    )
    yield from _grid(("players", "clans", "members", "food", "cards", "who"), rows, left=("who",))


def _side(group: Group, side: Side, *, won: bool) -> Row:
    means = (average(total, side.clans) for total in (side.members, side.food, side.cards))
    return (named(group), str(side.clans), *means, side_text(won))


def _harvest(groups: Sequence[Group]) -> Iterator[Block]:
    rows = ((named(group), *harvest_means(group)) for group in groups)
    yield from _grid(("players", *KINDS, "all"), rows)


def harvest_means(group: Group) -> Row:
    """Return the food that a clan harvested in a game on average, by kind, and of all kinds together."""
    clans = group.winners.clans + group.others.clans
    return (*(average(food, clans) for food in group.harvest.values()), average(sum(group.harvest.values()), clans))


def _deals(title: str, rows: Sequence[DealRow]) -> Iterator[Block]:
    yield from _grid((title, *_DEALS), (tuple(map(str, row)) for row in rows))


def _cards(rows: Sequence[CardRow]) -> Iterator[Block]:
    for own_set in sorted({row.own_set for row in rows}):
        if own_set:
            yield Prose(tr("Cards of the component set {own_set}:").format(own_set=own_set), apart=True)
        cells = (
            (str(row.price), *map(str, row[4:7]), _NONE if row.round is None else decimal(row.round), card_name(row))
            for row in rows
            if row.own_set == own_set
        )
        yield from _grid(("price", *_DEALS, "round", "card"), cells, left=("card",))


def card_name(row: CardRow) -> str:
    """Return a card as all texts name it: ``#12 field``."""
    return f"#{row.number} {kind_word(row.kind)}"


def _players(found: Statistics, counted: str) -> Iterator[Block]:
    rows = (
        (str(row.games), str(row.finished), str(row.wins), average(row.members, row.finished), row.name)
        for row in found.players
    )
    yield from _grid((counted, "finished", "wins", "members", "name"), rows, left=("name",))


def _mails(found: Statistics) -> Iterator[Block]:
    rows = ((str(row.mails), _NONE if row.days is None else str(row.days), row.game) for row in found.mails)
    yield from _grid(("messages", "days", "game"), rows, left=("game",))


def _failures(found: Statistics) -> Iterator[Block]:
    if found.failures:
        yield Items(tuple(shown(text) for text, _ in found.failures))

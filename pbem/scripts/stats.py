"""An archive of games, counted: the sums over all games, by number of players, by player and by card.

The games are added up one after the other, so that memory does not grow with their number.
"""

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from pbem.errors import PbemError
from pbem.first_sparks.briefing.accounts import KINDS
from pbem.scripts.archive import Looking, Place, each_game, wrong
from pbem.scripts.jobs import Workers
from pbem.scripts.shards import Keep
from pbem.scripts.stats_game import ClanFacts, Deal, GameFacts, facts, in_club
from pbem.scripts.stats_rows import CardRow, DealRow, Group, MailRow, PlayerRow, Range, Side, Statistics, Wins
from pbem.scripts.tables import Tables
from pbem.scripts.temporary import temporary

_COUNTING: Final = Looking("stats", facts, GameFacts.failed, GameFacts.written, GameFacts.read)
# A club's own file comes before others, and then the longest log; the number is that of the first file of the game.
_TABLE: Final = (
    "game (known_as TEXT PRIMARY KEY, number INTEGER, own INTEGER, lines INTEGER, counted INTEGER, facts TEXT)"
)
_FOUND: Final = """
INSERT INTO game VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO UPDATE SET
counted = counted + ?5, facts = iif((?3, ?4) > (own, lines), ?6, facts),
lines = iif((?3, ?4) > (own, lines), ?4, lines), own = max(own, ?3)
"""


class Totals:
    """The sums so far; ``add`` a game after the other, in order, and finally ask for the ``statistics``."""

    def __init__(self) -> None:
        self._total = _GroupTotals()
        self._groups: defaultdict[int, _GroupTotals] = defaultdict(_GroupTotals)
        self._players: dict[str, Counter[str]] = {}
        self._cards: defaultdict[tuple[str, int, str, int], _CardTotals] = defaultdict(_CardTotals)
        self._prices: defaultdict[int, Counter[str]] = defaultdict(Counter)
        self._rounds: defaultdict[int, Counter[str]] = defaultdict(Counter)
        self._mails: list[MailRow] = []

    @property
    def games(self) -> int:
        """The number of games that were added."""
        return self._total.games

    def add(self, game: GameFacts) -> None:
        """Count a game."""
        for group in (self._total, self._groups[len(game.names)]):
            group.add(game)
        for name in game.names:
            self._players.setdefault(name, Counter())["games"] += 1
        for clan in game.clans:
            self._players[game.names[clan.seat - 1]].update(finished=1, wins=clan.won, members=clan.members)
        for deal in game.deals:
            self._cards[deal.own_set, deal.sale.card, deal.kind, deal.full_price].add(deal)
            counts = {"offered": 1, "bought": int(bool(deal.sale.buyer)), "won": int(deal.won)}
            self._prices[deal.sale.price].update(counts)
            self._rounds[deal.sale.round].update(counts)
        if game.mails is not None:
            self._mails.append(MailRow(game.game, game.mails, game.days))

    def statistics(
        self, copies: int = 0, others: int = 0, failures: tuple[tuple[str, dict[str, Any]], ...] = ()
    ) -> Statistics:
        """Return the statistics of all games that were added; see there for the rest."""
        players = (
            PlayerRow(name, count["games"], count["finished"], count["wins"], count["members"])
            for name, count in self._players.items()
        )
        return Statistics(
            self._total.group(0),
            tuple(group.group(number) for number, group in sorted(self._groups.items())),
            tuple(sorted(players, key=lambda row: (-row.wins, -row.games, row.name))),
            tuple(CardRow(*card, *count.row()) for card, count in sorted(self._cards.items())),
            _deal_rows(self._prices),
            _deal_rows(self._rounds),
            tuple(self._mails),
            copies,
            others,
            failures,
        )


class _GroupTotals:
    """The sums over the games with so many players, or over all."""

    def __init__(self) -> None:
        self.games = 0
        self._rounds: Counter[int] = Counter()
        self._open_rounds: Counter[int] = Counter()
        self._leads: Counter[int] = Counter()
        self._seats: Counter[tuple[int, bool]] = Counter()
        self._places: Counter[tuple[int, bool]] = Counter()
        self._sizes: Counter[tuple[int, bool]] = Counter()
        self._sides = {True: [0] * 4, False: [0] * 4}
        self._harvest = [0] * len(KINDS)

    def add(self, game: GameFacts) -> None:
        self.games += 1
        if not game.finished:
            self._open_rounds[game.rounds] += 1
            return
        self._rounds[game.rounds] += 1
        self._leads[game.lead] += 1
        for clan in game.clans:
            self._add_clan(clan)

    def _add_clan(self, clan: ClanFacts) -> None:
        self._seats[clan.seat, clan.won] += 1
        if clan.place:
            self._places[clan.place, clan.won] += 1
        self._sizes[clan.members, clan.won] += 1
        side = self._sides[clan.won]
        for number, more in enumerate((1, clan.members, clan.food, clan.cards)):
            side[number] += more
        for number, more in enumerate(clan.harvest):
            self._harvest[number] += more

    def group(self, players: int) -> Group:
        return Group(
            players,
            self.games,
            self._rounds.total(),
            self._open_rounds.total(),
            _range(self._rounds),
            _range(self._open_rounds),
            tuple(sorted(self._rounds.items())),
            tuple(sorted(self._leads.items())),
            _wins(self._seats),
            _wins(self._places),
            _wins(self._sizes),
            Side(*self._sides[True]),
            Side(*self._sides[False]),
            dict(zip(KINDS, self._harvest, strict=True)),
        )


class _CardTotals:
    """The sums over all offers of a card."""

    def __init__(self) -> None:
        self._offered = 0
        self._won = 0
        self._bought: Counter[int] = Counter()

    def add(self, deal: Deal) -> None:
        self._offered += 1
        self._won += deal.won
        if deal.sale.buyer:
            self._bought[deal.sale.round] += 1

    def row(self) -> tuple[int, int, int, float | None]:
        return self._offered, self._bought.total(), self._won, median(self._bought) if self._bought else None


def median(counts: Mapping[int, int]) -> float:
    """Return the median of at least one number, each with how often it occurs; of an even number of them the middle."""
    total = sum(counts.values())
    low, high = (_at(counts, index) for index in ((total - 1) // 2, total // 2))
    middle = (low + high) / 2
    return int(middle) if middle % 1 == 0 else middle


def _at(counts: Mapping[int, int], index: int) -> int:
    """Return the number at an index, from 0, of all numbers in ascending order."""
    for number, times in sorted(counts.items()):
        if index < times:
            return number
        index -= times
    raise IndexError(index)


def _range(counts: Mapping[int, int]) -> Range | None:
    return Range(min(counts), median(counts), max(counts)) if counts else None


def _wins(counts: Mapping[tuple[int, bool], int]) -> tuple[Wins, ...]:
    numbers = sorted({number for number, _ in counts})
    won = {number: counts.get((number, True), 0) for number in numbers}
    return tuple(Wins(number, won[number] + counts.get((number, False), 0), won[number]) for number in numbers)


def _deal_rows(counts: Mapping[int, Mapping[str, int]]) -> tuple[DealRow, ...]:
    return tuple(DealRow(number, row["offered"], row["bought"], row["won"]) for number, row in sorted(counts.items()))


# An archive


def statistics(
    places: Iterable[Place], workers: Workers, keep: Keep | None = None, tables: Tables | None = None
) -> Statistics:
    """Return the statistics of all games in the places, each proved; *tables* are filled with the same games.

    Several files with the same game count once: the file of a club before others, then the longest log.
    Raises NoSuchFile without any game, and the error of the file if that is the only one.
    """
    failures: list[tuple[str, dict[str, Any]]] = []
    only: PbemError | None = None
    others = 0
    totals = Totals()
    with temporary(_TABLE) as games:
        looked_at = each_game(_COUNTING, places, workers, keep)
        for number, found in enumerate(looked_at):
            game = found and _in_club(found)
            if game is None:
                others += 1
            elif game.error:
                only = game.error
                text, data = wrong(game.path, game.error)
                failures.append((text, data))
            else:
                row = json.dumps([game.written(), game.journal, game.mails, game.days])
                games.execute(_FOUND, (game.known_as, number, game.journal, game.lines, not game.kept, row))
        for game in _counted(games):
            totals.add(game)
            if tables:
                tables.add(game)
        (copies,) = games.execute("SELECT total(counted - 1) FROM game WHERE counted").fetchone()
    if only and len(failures) == 1 and not totals.games:
        raise only
    return totals.statistics(int(copies), others, tuple(failures))


def _in_club(found: GameFacts) -> GameFacts:
    try:
        return found if found.error else in_club(found)
    except PbemError as error:
        return GameFacts.failed(found.path, error)


def _counted(games: sqlite3.Connection) -> Iterator[GameFacts]:
    """Yield each game once, in the order in which they were found."""
    for (row,) in games.execute("SELECT facts FROM game ORDER BY number"):
        written, journal, mails, days = json.loads(row)
        yield GameFacts.read(written)._replace(journal=bool(journal), mails=mails, days=days)

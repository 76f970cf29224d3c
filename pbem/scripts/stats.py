"""An archive of games, counted: the sums over all games, by number of players, by player and by card."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from pbem.first_sparks.briefing.accounts import KINDS
from pbem.grammar import plural
from pbem.scripts.archive import Place, each_game, wrong
from pbem.scripts.stats_game import ClanFacts, Deal, GameFacts, facts


class Range(NamedTuple):
    """The fewest, the median and the most of some numbers."""

    fewest: int
    median: float
    most: int


class Wins(NamedTuple):
    """How often a place or a size (*number*) was a clan's, and how often that clan won."""

    number: int
    clans: int
    wins: int


class Side(NamedTuple):
    """Sums over clans at the end of their games."""

    clans: int
    members: int
    food: int
    cards: int


class Group(NamedTuple):
    """All games with so many *players*; 0 for the games of all numbers of players.

    *lengths* has how many finished games took how many game rounds. A victory that is shared counts for each winner.
    *harvest* is food by kind, over all clans of finished games.
    """

    players: int
    games: int
    finished: int
    open: int
    rounds: Range | None
    open_rounds: Range | None
    lengths: tuple[tuple[int, int], ...]
    places: tuple[Wins, ...]
    sizes: tuple[Wins, ...]
    winners: Side
    others: Side
    harvest: dict[str, int]


class PlayerRow(NamedTuple):
    """A name, in how many games, how many of them are over and won, and the members at the end of those, summed up."""

    name: str
    games: int
    finished: int
    wins: int
    members: int


class CardRow(NamedTuple):
    """A card: how often offered, bought, and bought by a winner; and the median game round in which it was bought."""

    own_set: str
    number: int
    kind: str
    price: int
    offered: int
    bought: int
    won: int
    round: float | None


class DealRow(NamedTuple):
    """The same for all cards at a price, or in a game round."""

    number: int
    offered: int
    bought: int
    won: int


class MailRow(NamedTuple):
    """A finished game of a club: its messages, and the whole days from the first order to the last, if mails say so."""

    game: str
    mails: int
    days: int | None


class Statistics(NamedTuple):
    """An archive: all games (*total*), by number of players, by player, by card, by price, by round, by mail.

    *copies* are files with a game that is counted already, but not what a club keeps beside its game. *others* are
    files of another kind, *failures* the answers about files that cannot be read.
    """

    total: Group
    groups: tuple[Group, ...]
    players: tuple[PlayerRow, ...]
    cards: tuple[CardRow, ...]
    prices: tuple[DealRow, ...]
    rounds: tuple[DealRow, ...]
    mails: tuple[MailRow, ...]
    copies: int
    others: int
    failures: tuple[tuple[str, dict[str, Any]], ...]

    @property
    def message(self) -> str:
        """The result in a line."""
        failed = plural(len(self.failures), "{n} file cannot be read", "{n} files cannot be read")
        return ", ".join((plural(self.total.games, "{n} game", "{n} games"), *([failed] if self.failures else [])))

    def data(self) -> dict[str, Any]:
        """Return the object that ``--json`` prints."""
        about = {"ok": not self.failures, "code": "stats", "message": self.message, "path": "", "rule": ""}
        lists = {key: [row._asdict() for row in getattr(self, key)] for key in ("players", "prices", "rounds", "mails")}
        return {
            **about,
            "games": self.total.games,
            "finished": self.total.finished,
            "open": self.total.open,
            "failed": len(self.failures),
            "copies": self.copies,
            "others": self.others,
            "total": _group_data(self.total),
            "groups": [_group_data(group) for group in self.groups],
            **lists,
            "cards": [row._asdict() for row in self.cards],
            "failures": [data for _, data in self.failures],
        }


def _group_data(group: Group) -> dict[str, Any]:
    data = group._asdict()
    for key in ("rounds", "open_rounds"):
        data[key] = data[key] and data[key]._asdict()
    for key in ("places", "sizes"):
        data[key] = [row._asdict() for row in data[key]]
    data["lengths"] = [{"rounds": rounds, "games": games} for rounds, games in group.lengths]
    return data | {"winners": group.winners._asdict(), "others": group.others._asdict()}


# Adding up


def statistics(places: Iterable[Place], jobs: int) -> Statistics:
    """Return the statistics of all games in the places, each proved, in so many processes.

    Several files with the same game count once: the file of a club before others, then the longest log.
    Raises NoSuchFile without any game, and the error of the file if that is the only one.
    """
    best: dict[str, GameFacts] = {}
    failures: list[GameFacts] = []
    others = 0
    copies: Counter[str] = Counter()
    for found in each_game(facts, GameFacts.failed, places, jobs):
        if found is None:
            others += 1
        elif found.error:
            failures.append(found)
        else:
            known = best.setdefault(found.known_as, found)
            copies[found.known_as] += not found.kept
            if (found.journal, found.lines) > (known.journal, known.lines):
                best[found.known_as] = found
    if not best and len(failures) == 1 and failures[0].error:
        raise failures[0].error
    games = tuple(best.values())
    deals = [deal for game in games for deal in game.deals]
    return Statistics(
        _group(0, games),
        tuple(_group(n, [game for game in games if len(game.names) == n]) for n in _numbers(games)),
        _players(games),
        _cards(deals),
        _by(deals, lambda deal: deal.sale.price),
        _by(deals, lambda deal: deal.sale.round),
        tuple(MailRow(game.game, game.mails, game.days) for game in games if game.mails is not None),
        sum(number - 1 for number in copies.values() if number),
        others,
        tuple(wrong(game.path, game.error) for game in failures if game.error),
    )


def _numbers(games: Sequence[GameFacts]) -> list[int]:
    return sorted({len(game.names) for game in games})


def _group(players: int, games: Sequence[GameFacts]) -> Group:
    finished = [game for game in games if game.finished]
    still_open = [game.rounds for game in games if not game.finished]
    clans = [clan for game in finished for clan in game.clans]
    return Group(
        players,
        len(games),
        len(finished),
        len(still_open),
        _range([game.rounds for game in finished]),
        _range(still_open),
        tuple(sorted(Counter(game.rounds for game in finished).items())),
        _wins((clan.place, clan.won) for clan in clans if clan.place),
        _wins((clan.members, clan.won) for clan in clans),
        _side([clan for clan in clans if clan.won]),
        _side([clan for clan in clans if not clan.won]),
        {kind: sum(clan.harvest[number] for clan in clans) for number, kind in enumerate(KINDS)},
    )


def _range(numbers: Sequence[int]) -> Range | None:
    return Range(min(numbers), median(numbers), max(numbers)) if numbers else None


def median(numbers: Sequence[int]) -> float:
    """Return the median of at least one number; of an even number of them the middle between two."""
    ordered = sorted(numbers)
    middle = (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
    return int(middle) if middle % 1 == 0 else middle


def _wins(found: Iterable[tuple[int, bool]]) -> tuple[Wins, ...]:
    count: dict[int, Counter[bool]] = defaultdict(Counter)
    for number, won in found:
        count[number][won] += 1
    return tuple(Wins(number, row.total(), row[True]) for number, row in sorted(count.items()))


def _side(clans: Sequence[ClanFacts]) -> Side:
    return Side(len(clans), *(sum(getattr(clan, part) for clan in clans) for part in ("members", "food", "cards")))


def _players(games: Sequence[GameFacts]) -> tuple[PlayerRow, ...]:
    """Return who plays, whoever has won most first."""
    played = Counter(name for game in games for name in game.names)
    ends: dict[str, list[ClanFacts]] = defaultdict(list)
    for game in games:
        for clan in game.clans:
            ends[clan.name].append(clan)
    rows = [
        PlayerRow(name, number, len(ends[name]), sum(c.won for c in ends[name]), sum(c.members for c in ends[name]))
        for name, number in played.items()
    ]
    return tuple(sorted(rows, key=lambda row: (-row.wins, -row.games, row.name)))


def _cards(deals: Sequence[Deal]) -> tuple[CardRow, ...]:
    """Return the cards that were offered, those of the set that ships first."""
    found: dict[tuple[str, int, str, int], list[Deal]] = defaultdict(list)
    for deal in deals:
        found[deal.own_set, deal.sale.card, deal.kind, deal.full_price].append(deal)
    rows: list[CardRow] = []
    for card, of_card in sorted(found.items()):
        bought = [deal.sale.round for deal in of_card if deal.sale.buyer]
        won = sum(deal.won for deal in of_card)
        rows.append(CardRow(*card, len(of_card), len(bought), won, median(bought) if bought else None))
    return tuple(rows)


def _by(deals: Sequence[Deal], number_of: Callable[[Deal], int]) -> tuple[DealRow, ...]:
    found: dict[int, list[Deal]] = defaultdict(list)
    for deal in deals:
        found[number_of(deal)].append(deal)
    return tuple(
        DealRow(number, len(row), sum(bool(deal.sale.buyer) for deal in row), sum(deal.won for deal in row))
        for number, row in sorted(found.items())
    )

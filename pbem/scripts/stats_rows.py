"""What is counted of many games, as values, and as the object that ``--json`` prints."""

from typing import Any, NamedTuple

from pbem.grammar import plural


class Range(NamedTuple):
    """The fewest, the median and the most of some numbers."""

    fewest: int
    median: float
    most: int


class Wins(NamedTuple):
    """How often a seat, a place or a size (*number*) was a clan's, and how often that clan won."""

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

    *lengths* has how many finished games took how many game rounds, *leads* in how many of them the winner led by how
    many members. A victory that is shared counts for each winner. *harvest* is food by kind, over all clans of finished
    games.
    """

    players: int
    games: int
    finished: int
    open: int
    rounds: Range | None
    open_rounds: Range | None
    lengths: tuple[tuple[int, int], ...]
    leads: tuple[tuple[int, int], ...]
    seats: tuple[Wins, ...]
    places: tuple[Wins, ...]
    sizes: tuple[Wins, ...]
    winners: Side
    others: Side
    harvest: dict[str, int]


class PlayerRow(NamedTuple):
    """A name, in how many games, how many of them are over and won, and the members at the end of those, summed up.

    A bot may have several clans in a game, each of which counts.
    """

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
        return {
            **about,
            "finished": self.total.finished,
            "open": self.total.open,
            "failed": len(self.failures),
            "copies": self.copies,
            "others": self.others,
            "mails": [row._asdict() for row in self.mails],
            "failures": [data for _, data in self.failures],
            **self.counts(),
        }

    def counts(self) -> dict[str, Any]:
        """Return the part of that object that simulations have too."""
        lists = {key: [row._asdict() for row in getattr(self, key)] for key in ("players", "prices", "rounds", "cards")}
        groups = [_group_data(group) for group in self.groups]
        return {"games": self.total.games, "total": _group_data(self.total), "groups": groups, **lists}


def _group_data(group: Group) -> dict[str, Any]:
    data = group._asdict()
    for key in ("rounds", "open_rounds"):
        data[key] = data[key] and data[key]._asdict()
    for key in ("seats", "places", "sizes"):
        data[key] = [row._asdict() for row in data[key]]
    data["lengths"] = [{"rounds": rounds, "games": games} for rounds, games in group.lengths]
    data["leads"] = [{"members": members, "games": games} for members, games in group.leads]
    return data | {"winners": group.winners._asdict(), "others": group.others._asdict()}

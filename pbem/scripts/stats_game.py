"""What is counted of one game. Of a game that is not over that is only what is public: its round, and who plays."""

from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from pbem import files, formats, game_files
from pbem.errors import PbemError
from pbem.first_sparks.briefing.accounts import Sale, accounts_of
from pbem.first_sparks.components import COLOURS, Kind
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.proof import Claim, proved
from pbem.first_sparks.record import History, first_head

_JOURNAL: Final = "mails/journal.ndjson"
_TAKEN_BACK: Final = "taken-back"  # a folder beside the journal: games as they were before their host took them back
_MAIL_LIMIT: Final = 32 * 1024 * 1024
_DIGEST: Final = frozenset("0123456789abcdef")


class ClanFacts(NamedTuple):
    """A clan of a game that is over; its *seat*, and its *place* in the first player order, 0 if there was none.

    *harvest* is the food of each of ``KINDS``.
    """

    seat: int
    place: int
    won: bool
    members: int
    food: int
    cards: int
    harvest: tuple[int, ...]


class Deal(NamedTuple):
    """An offered card of a game that is over: its set ("" is the one that ships), and whether the winner bought it."""

    own_set: str
    kind: Kind
    full_price: int
    sale: Sale
    won: bool


class GameFacts(NamedTuple):
    """What is counted of one game; all from *clans* on only if it is over, and *error* if it cannot be read.

    *known_as* is the same for every file of one game. *names* and *colours* are in seating order. *journal* marks the
    file with which a club plays, *kept* one that the club keeps beside it. *mails* and *days* are None where no club
    says how many.
    """

    path: Path
    known_as: str = ""
    game: str = ""
    names: tuple[str, ...] = ()
    colours: tuple[str, ...] = ()
    lines: int = 0
    finished: bool = False
    rounds: int = 0
    clans: tuple[ClanFacts, ...] = ()
    deals: tuple[Deal, ...] = ()
    journal: bool = False
    kept: bool = False
    mails: int | None = None
    days: int | None = None
    error: PbemError | None = None

    @classmethod
    def failed(cls, path: Path, error: PbemError) -> "GameFacts":
        """Return that a file cannot be read as a game."""
        return cls(path, error=error)

    @property
    def lead(self) -> int:
        """By how many members the largest clan leads at the end; 0 if food has decided, or nothing."""
        first, second, *_ = sorted((clan.members for clan in self.clans), reverse=True)
        return first - second

    def written(self) -> list[Any] | None:
        """Return the facts as JSON, without those of a club; None if there is an error."""
        return None if self.error else [str(self.path), *self[1:10]]

    @classmethod
    def read(cls, row: list[Any]) -> "GameFacts":
        """Return the facts in that JSON."""
        path, known_as, game, names, colours, lines, finished, rounds, clans, deals = row
        seated = tuple(ClanFacts(*clan)._replace(harvest=tuple(clan[-1])) for clan in clans)
        dealt = tuple(Deal(own_set, kind, price, Sale(*sale), won) for own_set, kind, price, sale, won in deals)
        return cls(Path(path), known_as, game, tuple(names), tuple(colours), lines, finished, rounds, seated, dealt)


def facts(path: Path, said: Claim) -> GameFacts:
    """Return what is counted of the game that a file says, proved, without what a club knows; raises Broken."""
    record = proved(said)
    found = GameFacts(
        path,
        first_head(record),
        record.game,
        tuple(name for _, name in record.players),
        tuple(colour for colour, _ in record.players),
        len(record.log),
        rounds=record.state.round,
    )
    return over(found, record.history, game_files.own_set(record)) if record.history else found


def over(found: GameFacts, history: History, own_set: str) -> GameFacts:
    """Return the facts of a game with those that are known when it is over, if it is.

    *history* begins at the first line of the log, *own_set* has the digits of its component set.
    """
    last = history[-1][1]
    if not isinstance(last.phase, Ended):
        return found
    winners, accounts = last.phase.winners, accounts_of(history)
    clans: list[ClanFacts] = []
    for number, account in enumerate(accounts.clans, 1):
        clan = last.clan(account.clan)
        seat, place = found.colours.index(clan.colour) + 1, number if accounts.order else 0
        end = (clan.size, clan.food, len(clan.cards))
        clans.append(ClanFacts(seat, place, clan.colour in winners, *end, account.harvest))
    cards = last.components.cards
    deals = tuple(
        Deal(own_set, cards[sale.card].kind, cards[sale.card].price, sale, sale.buyer in winners)
        for sale in accounts.sales
    )
    return found._replace(finished=True, clans=tuple(clans), deals=deals)


def in_club(found: GameFacts) -> GameFacts:
    """Return the facts with what the folder of a club says: who plays now, and how many messages there were."""
    path = found.path
    journal = path.parent / _JOURNAL
    if path.name != "game.toml" or not files.exists(journal):
        return found._replace(kept=True) if _is_kept(path) else found
    mails, days = _mails(path.parent, journal) if found.finished else (None, None)
    return found._replace(journal=True, names=_names(found, journal), mails=mails, days=days)


def _is_kept(path: Path) -> bool:
    """Return whether a club keeps the file beside its game: the beginning of that, or what was taken back."""
    mails = path.parent.parent if path.parent.name == _TAKEN_BACK else path.parent
    return (mails != path.parent or path.name == "begun.toml") and files.exists(mails.parent / _JOURNAL)


def _names(found: GameFacts, journal: Path) -> tuple[str, ...]:
    """Return the names of those who play: a seat may have changed hands since the game began."""
    from pbem.club.journal import journal_rows, new_seats

    names = dict(zip(found.colours, found.names, strict=True))
    for row in journal_rows(journal):
        for seat in new_seats(row):
            if seat.colour in names:
                names[seat.colour] = formats.shown(seat.name)[:24] or names[seat.colour]
    return tuple(names.values())


def _mails(folder: Path, journal: Path) -> tuple[int, int | None]:
    """Return how many messages a journal has, and the days between the first and the last that was played."""
    from pbem.club.journal import journal_rows

    rows = [row for row in journal_rows(journal) if _is_digest(row.get("digest")) and not row.get("instead")]
    played = [row for row in rows if row.get("code") == "played"]
    first = next(filter(None, (_sent(folder, row) for row in played)), None)
    last = next(filter(None, (_sent(folder, row) for row in reversed(played))), None)
    return len(rows), (last - first).days if first and last and last >= first else None


def _is_digest(value: object) -> bool:
    return isinstance(value, str) and len(value) == 64 and _DIGEST.issuperset(value)


def _sent(folder: Path, row: dict[str, Any]) -> datetime | None:
    """Return when the mail of a journal row reached us or was sent, as it says itself; None if it is not kept."""
    from email.parser import BytesHeaderParser
    from email.utils import parsedate_to_datetime

    from pbem.table.messages.verdict import kept_name

    turn, colour = row.get("turn"), row.get("colour")
    if not isinstance(turn, int) or colour not in COLOURS:
        return None
    with suppress(PbemError, ValueError, TypeError, IndexError):
        raw = files.read_bytes(folder / "mails" / kept_name(turn, colour, row["digest"]), _MAIL_LIMIT)
        head = BytesHeaderParser().parsebytes(raw)
        # The first header was added last, by the server of the club; a player's own clock may be wrong.
        said = str(head["Received"]).rpartition(";")[2] if head["Received"] else str(head["Date"])
        time = parsedate_to_datetime(said.strip())
        return time if time.tzinfo else time.replace(tzinfo=UTC)
    return None

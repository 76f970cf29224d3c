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
from pbem.first_sparks.record import Record, first_head

_JOURNAL: Final = "journal.ndjson"
_TAKEN_BACK: Final = "taken-back"  # a folder beside the journal: games as they were before their host took them back
_MAIL_LIMIT: Final = 32 * 1024 * 1024
_DIGEST: Final = frozenset("0123456789abcdef")


class ClanFacts(NamedTuple):
    """A clan of a game that is over; its *place* in the first player order, 0 if there was none.

    *harvest* is the food of each of ``KINDS``.
    """

    place: int
    name: str
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

    *known_as* is the same for every file of one game. *journal* marks the file with which a club plays, *kept* one that
    the club keeps beside it. *mails* and *days* are None where no club says how many.
    """

    path: Path
    known_as: str = ""
    game: str = ""
    names: tuple[str, ...] = ()
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


def facts(path: Path, said: Claim) -> GameFacts:
    """Return what is counted of the game that a file says, proved; raises Broken."""
    record = proved(said)
    journal = path.with_name(_JOURNAL)
    in_club = path.name == "game.toml" and files.exists(journal)
    found = GameFacts(
        path,
        first_head(record),
        record.game,
        _names(record, journal if in_club else None),
        len(record.log),
        rounds=record.state.round,
        journal=in_club,
        kept=_is_kept(path),
    )
    if not isinstance(record.state.phase, Ended):
        return found
    winners = record.state.phase.winners
    accounts = accounts_of(record.history)
    seated = dict(zip((colour for colour, _ in record.players), found.names, strict=True))
    clans: list[ClanFacts] = []
    for number, account in enumerate(accounts.clans, 1):
        clan = record.state.clan(account.clan)
        place = number if accounts.order else 0
        end = (clan.size, clan.food, len(clan.cards))
        clans.append(ClanFacts(place, seated[clan.colour], clan.colour in winners, *end, account.harvest))
    own_set, cards = game_files.own_set(record), record.components.cards
    deals = tuple(
        Deal(own_set, cards[sale.card].kind, cards[sale.card].price, sale, sale.buyer in winners)
        for sale in accounts.sales
    )
    mails, days = _mails(path.parent, journal) if in_club else (None, None)
    return found._replace(finished=True, clans=tuple(clans), deals=deals, mails=mails, days=days)


def _is_kept(path: Path) -> bool:
    """Return whether a club keeps the file beside its game: the beginning of that, or what was taken back."""
    if path.parent.name == _TAKEN_BACK:
        return files.exists(path.parent.with_name(_JOURNAL))
    return path.name == "begun.toml" and files.exists(path.with_name(_JOURNAL))


def _names(record: Record, journal: Path | None) -> tuple[str, ...]:
    """Return the names of those who play; in a club a seat may have changed hands since the game began."""
    names = dict(record.players)
    if journal is not None:
        from pbem.club.journal import journal_rows

        for row in journal_rows(journal):
            colour, name = row.get("colour"), row.get("name")
            if row.get("code") == "replaced" and isinstance(colour, str) and isinstance(name, str) and colour in names:
                names[colour] = formats.shown(name)[:24] or names[colour]
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

    from pbem.club.reading.received import kept_name

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

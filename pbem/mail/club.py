"""The club: a folder with the adjudicator's address, its mailboxes, and a folder for every game.

What is written here is read again by hand: hosts edit ``club.toml``, and addresses in ``players.toml``.
"""

import re
from collections.abc import Iterator
from datetime import datetime, tzinfo
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from pbem import files, formats
from pbem.errors import NoSuchFile, NotUnderstood, UsageError
from pbem.first_sparks.state import BoardWay
from pbem.mail.clock import instant
from pbem.mail.shapes import made, read, row_of, tables_in, text_in, with_key
from pbem.mail.ticket import LONGEST_GAME, Ticket, is_genuine
from pbem.mail.times import zone_of

News = Literal["every", "turn", "none"]
Language = Literal["en"]

CLUB_FORMAT: Final = "pbem-club/1"
PLAYERS_FORMAT: Final = "pbem-players/1"
KEY_BYTES: Final = 32
MOST_STRANGERS: Final = 1000  # letters to strangers a day
UNTIL_BACK: Final = "2999-12-31"  # the end of an absence that has none
HOST_HINT: Final = "give the address at which you read what needs a person"
GAME_NAME: Final = rf"[a-z0-9][a-z0-9-]{{0,{LONGEST_GAME - 1}}}"
MOST_FORMER: Final = 60  # keys of ten takebacks with six players
# What SMTP calls a mailbox, without quotes, comments and letters beyond ASCII: nothing here can end a header.
ADDRESS: Final = r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?=.{1,190}\Z)[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*"


class Incoming(NamedTuple):
    """Where mail comes from: the Maildir of the club, or IMAP. The password is named by a variable or a file."""

    kind: Literal["maildir", "imap"] = "maildir"
    folder: str = "inbox"
    host: str = ""
    port: int = 993
    security: Literal["none", "starttls", "tls"] = "tls"
    user: str = ""
    password_env: str = ""
    password_file: str = ""


class Outgoing(NamedTuple):
    """How mail goes out: it is left in the outbox, or handed to an SMTP server or to sendmail."""

    kind: Literal["files", "smtp", "sendmail"] = "files"
    host: str = "localhost"
    port: int = 25
    security: Literal["none", "starttls", "tls"] = "starttls"
    user: str = ""
    password_env: str = ""
    password_file: str = ""
    program: str = "/usr/sbin/sendmail"


class Club(NamedTuple):
    """A club as its ``club.toml`` has it: the adjudicator's address and the host's, its ways in and out, its limits.

    *plus* says whether mail to ``pbem+anything@example.org`` reaches us, *picture* whether the board is drawn in
    mails, where it can be; for more than *answers_at_once* players the clock does not answer without the host's word.
    *strangers* are answered, or are not while no game has free seats, with at most *strangers_a_day* letters, and as
    many that ask to confirm. *authserv* is the server whose Authentication-Results count alone; "" for any. Mail that
    came before *since* is older than the club; "" where that is not known.
    *timezone* is the zone (``Europe/Berlin``) in which letters and ``status`` say times, and in which a day ends.
    """

    folder: Path
    address: str
    host: str
    plus: bool = True
    picture: bool = True
    answers_at_once: int = 5
    timezone: str = "UTC"
    strangers: Literal["answer", "silent"] = "silent"
    strangers_a_day: int = 20
    authserv: str = ""
    since: str = ""
    incoming: Incoming = Incoming()
    outgoing: Outgoing = Outgoing()

    @property
    def outbox(self) -> Path:
        """The Maildir that holds what is still to be sent."""
        return self.folder / "outbox"

    @property
    def zone(self) -> tzinfo:
        """The time zone of the club."""
        return zone_of(self.timezone)

    @property
    def games(self) -> Path:
        """The folder with one folder a game."""
        return self.folder / "games"

    @property
    def journal(self) -> Path:
        """One line a mail that belongs to no game."""
        return self.folder / "journal.ndjson"


class Player(NamedTuple):
    """Who plays a colour: where the mail goes, the key of the tickets (32 bytes), what news are wanted.

    ``absent`` is the last day (``2026-12-31``) or the end of a declared absence,
    or nothing; ``substitute`` the address of who stands in, and
    ``substitute_name`` what the others are told of that person.
    """

    colour: str
    name: str
    address: str
    key: bytes
    language: Language = "en"
    news: News = "turn"
    absent: str = ""
    substitute: str = ""
    substitute_name: str = ""

    @property
    def reader(self) -> str:
        """The address of who answers now: the player's, or the substitute's while the player is away."""
        return self.substitute if self.absent and self.substitute else self.address


class Opening(NamedTuple):
    """What a game that waits for players will be: the number of seats, and the options of ``pbem new``."""

    seats: int
    board: BoardWay = "players"
    chance: Literal["sealed", "open"] = "sealed"
    hide_food: bool = False


class Former(NamedTuple):
    """A key of a colour from before a takeback: it proves who writes, and no order is worth anything with it.

    *address* is that of who was replaced since then, and empty while the seat is the same player's.
    """

    colour: str
    key: bytes
    address: str = ""


class Roster(NamedTuple):
    """Who plays a game; while it waits for players also what it will be; and why it is paused, if it is.

    *former* keys are worth nothing but an answer.
    """

    players: tuple[Player, ...]
    opening: Opening | None = None
    paused: str = ""
    former: tuple[Former, ...] = ()

    def player(self, colour: str) -> Player | None:
        """Return the player of that colour, None if nobody plays it."""
        return next((player for player in self.players if player.colour == colour), None)

    def changed(self, player: Player) -> "Roster":
        """Return the roster with that player in the place of the one with the same colour."""
        return self._replace(players=tuple([player if p.colour == player.colour else p for p in self.players]))

    def retired(self, *players: Player) -> "Roster":
        """Return the roster with the keys of these players among the former ones."""
        former = (*self.former, *(Former(player.colour, player.key) for player in players))
        return self._replace(former=former[-MOST_FORMER:])


class Writer(NamedTuple):
    """Whom a ticket proves: the *player*, or if *gone* is an address who had the seat before.

    The ticket is *valid* if orders are accepted with it.
    """

    player: Player
    valid: bool
    gone: str = ""


class Table(NamedTuple):
    """The folder of one game in a club."""

    folder: Path

    @property
    def name(self) -> str:
        """The game's id."""
        return self.folder.name

    @property
    def game(self) -> Path:
        """The game file; its secret lies beside it. It is not there before all seats are taken."""
        return self.folder / "game.toml"

    @property
    def players(self) -> Path:
        """Addresses and keys, for the host's eyes only."""
        return self.folder / "players.toml"

    @property
    def talk(self) -> Path:
        """Table talk that is not yet told to everybody."""
        return self.folder / "talk.toml"

    @property
    def clock(self) -> Path:
        """What time has to do with the game."""
        return self.folder / "clock.toml"

    @property
    def journal(self) -> Path:
        """One line a mail dealt with."""
        return self.folder / "journal.ndjson"

    @property
    def pending(self) -> Path:
        """The folder of a change that is being made."""
        return self.folder / "pending"

    @property
    def mails(self) -> Path:
        """The accepted mails as they came, for the host who rebuilds a game."""
        return self.folder / "mails"


# Reading


def read_club(folder: Path) -> Club:
    """Return the club in the folder; raises NoSuchFile, NotUnderstood, CannotCreate where it is somebody else's."""
    path = folder / "club.toml"
    try:
        data = read(path, CLUB_FORMAT)
    except NoSuchFile as none:
        if isinstance(none.__cause__, PermissionError):
            raise files.unexpected(none.__cause__) from none
        hint = "pbem mail init CLUB --address ... --host ... makes one"
        raise NoSuchFile(f"{folder} is no club", path=str(path), hint=hint) from None
    incoming = made(Incoming, data.get("incoming", {}), path, "[incoming] of ")
    outgoing = made(Outgoing, data.get("outgoing", {}), path, "[outgoing] of ")
    club = made(Club, data | {"incoming": incoming, "outgoing": outgoing}, path, folder=folder)
    for key in ("address", "host"):
        if not is_address(getattr(club, key)):
            raise NotUnderstood(f"{path} has no sound {key}", path=key)
    zone_of(club.timezone)
    if is_ours(club, club.host):
        raise NotUnderstood(f"the host of {path} has the club's own address", path="host", hint=HOST_HINT)
    if not 0 <= club.strangers_a_day <= MOST_STRANGERS:
        hint = f"it may be 0 to {MOST_STRANGERS}"
        raise NotUnderstood(f"strangers_a_day in {path} is {club.strangers_a_day}", path="strangers_a_day", hint=hint)
    if not re.fullmatch(r"[A-Za-z0-9._-]{0,255}", club.authserv):
        hint = 'the name that your server gives itself in Authentication-Results, such as "mail.example.org"'
        raise NotUnderstood(f"authserv in {path} is not the name of a server", path="authserv", hint=hint)
    founded(club)
    return club


def founded(club: Club) -> datetime | None:
    """Return when the club was made, None where that is not known; raises NotUnderstood."""
    try:
        return instant(club.since) if club.since else None
    except NotUnderstood:
        hint = 'a time looks like "2026-11-21T18:30:00Z"; mail that came before it is not touched'
        raise NotUnderstood(f"since in {club.folder / 'club.toml'} is not a time", path="since", hint=hint) from None


def is_address(text: str) -> bool:
    """Return whether the text is a plain mail address and nothing else."""
    return re.fullmatch(ADDRESS, text) is not None


def players_address(club: Club, address: str) -> str:
    """Return the address if a player can have it; raises UsageError for none, and for one whose mail comes to us."""
    if not is_address(address):
        raise UsageError(f"{address[:60]!a} is no mail address", hint="for instance: Ann=ann@example.org")
    if is_ours(club, address):
        raise UsageError(
            f"{address} is the club's own address, at which no player reads mail",
            hint="give the address at which the player reads mail",
        )
    return address


def is_ours(club: Club, address: str) -> bool:
    """Return whether mail to the address comes to the club, as that to its plus-addresses does."""
    ours, said = club.address.lower(), address.lower()
    local, _, host = ours.partition("@")
    return said == ours or (club.plus and said.startswith(f"{local}+") and said.endswith(f"@{host}"))


def tables(club: Club) -> Iterator[Table]:
    """Yield the games of the club, one after the other, in the order of their names."""
    try:
        names = sorted(path.name for path in club.games.iterdir())
    except OSError as error:
        raise NoSuchFile(f"{club.games} cannot be listed", path=str(club.games)) from error
    for name in names:
        if re.fullmatch(GAME_NAME, name):
            yield Table(club.games / name)


def table_of(club: Club, game: str) -> Table:
    """Return the folder of a game; raises NoSuchFile if the club has none of that name."""
    table = Table(club.games / game)
    if not re.fullmatch(GAME_NAME, game) or not table.players.exists():
        raise NoSuchFile(f"the club has no game {game[:40]!a}", path=str(club.games), hint="pbem mail new begins one")
    return table


def read_roster(table: Table) -> Roster:
    """Return who plays; raises NoSuchFile, NotUnderstood."""
    return _roster_in(table.players, text_in(table.players))


@lru_cache(maxsize=1)  # ten mails of one game parse it once
def _roster_in(path: Path, text: str) -> Roster:
    data = tables_in(text, path, PLAYERS_FORMAT)
    opening = made(Opening, data["opening"], path) if "opening" in data else None
    rows, former, paused = data.get("players", []), data.get("former", []), data.get("paused", "")
    if not formats.is_list(rows) or not formats.is_list(former) or not isinstance(paused, str):
        raise NotUnderstood(f"{path} has no list of players", path="players")
    players = tuple(_player(row, path) for row in rows)
    return Roster(players, opening, paused, tuple(with_key(Former, row, path) for row in former))


def writer_of(roster: Roster, said: Ticket) -> Writer | None:
    """Return whom the ticket proves, by today's key or a former one; None if it is not genuine."""
    player = roster.player(said.colour)
    if player is None:
        return None
    if is_genuine(said, player.key):
        return Writer(player, valid=True)
    for former in roster.former:
        if former.colour == said.colour and is_genuine(said, former.key):
            same = former.address.lower() in ("", player.address.lower())
            return Writer(player, valid=False, gone="" if same else former.address)
    return None


def _player(row: object, path: Path) -> Player:
    player = with_key(Player, row, path)
    if not is_address(player.address) or (player.substitute and not is_address(player.substitute)):
        raise NotUnderstood(f"invalid address in {path}", path="players.address")
    return player


# Writing


def club_text(club: Club) -> str:
    """Return the text of ``club.toml``."""
    data = {"format": CLUB_FORMAT} | row_of(club)
    del data["folder"]
    return formats.dump(data | {"incoming": row_of(club.incoming), "outgoing": row_of(club.outgoing)}, "toml")


def roster_text(roster: Roster) -> str:
    """Return the text of ``players.toml``."""
    data: dict[str, Any] = {"format": PLAYERS_FORMAT}
    if roster.paused:
        data["paused"] = roster.paused
    if roster.opening is not None:
        data["opening"] = roster.opening._asdict()
    for part, rows in (("players", roster.players), ("former", roster.former)):
        if rows:
            data[part] = [row_of(row) | {"key": row.key.hex()} for row in rows]
    return formats.dump(data, "toml")

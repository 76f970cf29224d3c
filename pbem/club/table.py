"""A table of a club: the folder of one game, and its players.

Hosts edit ``players.toml`` by hand, for example to change addresses.
"""

import os
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from pbem import formats
from pbem.club.settings import Club
from pbem.club.ticket import LONGEST_GAME, Ticket, is_genuine
from pbem.club.toml_rows import build, row_of, tables_in, text_in, with_key
from pbem.errors import NoSuchFile, NotUnderstood
from pbem.first_sparks.options import BoardWay
from pbem.first_sparks.record import Lines, Record
from pbem.first_sparks.state import GameState
from pbem.grammar import listed

News = Literal["every", "turn", "none"]
Language = Literal["en"]
TextForm = Literal["", "plain"]

PLAYERS_FORMAT: Final = "pbem-players/1"
BOT: Final = "bot"  # in place of an address: a bot decides, and nobody gets letters
A_BOT: Final = "a bot"
UNTIL_BACK: Final = "2999-12-31"  # the end of an absence until further notice
GAME_NAME: Final = rf"[a-z0-9][a-z0-9-]{{0,{LONGEST_GAME - 1}}}"
MOST_FORMER: Final = 60  # keys of ten takebacks with six players
# Where letters may go: what SMTP calls a mailbox, without quotes, comments and letters beyond ASCII, or a name alone.
_ADDRESS: Final = r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}(?:@[A-Za-z0-9.-]{1,190})?"


class Player(NamedTuple):
    """The player of a colour: the address, the key of the tickets (32 bytes), and which news are wanted.

    ``absent`` is the last day (``2026-12-31``) or the end of a declared absence,
    or nothing; ``substitute`` is the address of the person who stands in, or
    ``bot``, and ``substitute_name`` is how the others know that person. In place
    of the substitute the clock may have put a bot as ``stand_in``, until the player
    returns. A ``plain`` text has lists in place of drawings and tables, for a
    screen reader.
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
    text: TextForm = ""
    stand_in: Literal["", "bot"] = ""

    @property
    def reads_lists(self) -> bool:
        """Whether the player's letters have lists in place of drawings and tables."""
        return self.text == "plain"

    @property
    def reader(self) -> str:
        """The address that gets the letters now: the player's, or that of the deputy while the player is away."""
        return self.deputy if self.absent and self.deputy else self.address

    @property
    def deputy(self) -> str:
        """The address of whoever plays while the player is away, ``bot`` for a bot, "" if the game waits."""
        return self.stand_in or self.substitute

    @property
    def deputy_name(self) -> str:
        """The name of the deputy, as others read it: ``a bot``, or the name or address of the substitute."""
        return A_BOT if self.deputy == BOT else self.substitute_name or self.substitute

    @property
    def at_home(self) -> "Player":
        """The player as one who is not away."""
        return self._replace(absent="", stand_in="")

    @property
    def writer(self) -> "Player":
        """The player as one who gets the answer to a message: the player's deputy may have written it, but no bot."""
        return self.at_home if self.reader == BOT else self


class Opening(NamedTuple):
    """A game that is waiting for players: the number of seats, and the options of ``pbem new``."""

    seats: int
    board: BoardWay = "players"
    chance: Literal["sealed", "open"] = "sealed"
    hide_food: bool = False


class Former(NamedTuple):
    """A key that a colour had before: it proves who has written, but no order is accepted with it.

    *address* is that of a player who has been replaced since, and empty while the seat has the same player.
    """

    colour: str
    key: bytes
    address: str = ""


class Roster(NamedTuple):
    """The players of a game, its options while it is waiting for players, and why it is paused, if it is.

    No order is accepted with a *former* key, but its owner gets a reply.
    """

    players: tuple[Player, ...]
    opening: Opening | None = None
    paused: str = ""
    former: tuple[Former, ...] = ()

    def player(self, colour: str) -> Player | None:
        """Return the player of that colour, None if nobody plays it."""
        return next((player for player in self.players if player.colour == colour), None)

    def stands_in(self, player: Player) -> bool:
        """Return whether somebody plays while that player is away; a bot does only while a person plays as well.

        Where nobody waits for the player, the game waits, so that no bots play it to its end among themselves.
        """
        others = (other.reader for other in self.players if other.colour != player.colour)
        return bool(player.deputy) and (player.deputy != BOT or any(reader != BOT for reader in others))

    def changed(self, player: Player) -> "Roster":
        """Return the roster with that player replacing the one of the same colour."""
        return self._replace(players=tuple([player if p.colour == player.colour else p for p in self.players]))

    def retired(self, *players: Player) -> "Roster":
        """Return the roster with the keys of these players among the former ones."""
        former = (*self.former, *(Former(player.colour, player.key) for player in players))
        return self._replace(former=former[-MOST_FORMER:])

    def can_have_bot(self, player: Player) -> bool:
        """Return whether a bot can stand in for the player; not if it already does, or if nobody else waits."""
        return player.reader != BOT and self.stands_in(player._replace(stand_in="bot"))


class Writer(NamedTuple):
    """The person whom a ticket proves: the *player*, or if *gone* is an address, the seat's previous player.

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
        """The game file, with its secret beside it. It does not exist before all seats are taken."""
        return self.folder / "game.toml"

    @property
    def players(self) -> Path:
        """Addresses and keys, for the host's eyes only."""
        return self.folder / "players.toml"

    @property
    def talk(self) -> Path:
        """Table talk that has not yet been told to everybody."""
        return self.folder / "talk.toml"

    @property
    def notes(self) -> Path:
        """The notes that players have written to themselves."""
        return self.folder / "notes.toml"

    @property
    def plans(self) -> Path:
        """What players have said ahead, for nobody's eyes but those of their owners."""
        return self.folder / "plans.toml"

    @property
    def clock(self) -> Path:
        """The host's settings for the clock of the game."""
        return self.folder / "clock.toml"

    @property
    def journal(self) -> Path:
        """One line for each processed message."""
        return self.folder / "journal.ndjson"

    @property
    def pending(self) -> Path:
        """The folder of a change that is being made."""
        return self.folder / "pending"

    @property
    def mails(self) -> Path:
        """The accepted messages as they arrived, so that the host can rebuild the game."""
        return self.folder / "mails"


# Reading


def names_of(club: Club) -> list[str]:
    """Return the names of all games of the club, in order; raises NoSuchFile."""
    try:
        with os.scandir(club.games) as entries:
            return sorted(entry.name for entry in entries if re.fullmatch(GAME_NAME, entry.name))
    except OSError as error:
        raise NoSuchFile(f"cannot list {club.games}", path=str(club.games)) from error


def table_of(club: Club, game: str) -> Table:
    """Return the folder of a game; raises NoSuchFile if the club has none of that name."""
    table = Table(club.games / game)
    if not re.fullmatch(GAME_NAME, game) or not table.players.exists():
        raise NoSuchFile(
            f"the club has no game {game[:40]!a}", path=str(club.games), hint="create one with the command new"
        )
    return table


def read_roster(table: Table) -> Roster:
    """Return the roster of a game; raises NoSuchFile, NotUnderstood."""
    return _roster_in(table.players, text_in(table.players))


@lru_cache(maxsize=1)  # ten mails of one game parse it once
def _roster_in(path: Path, text: str) -> Roster:
    data = tables_in(text, path, PLAYERS_FORMAT)
    opening = build(Opening, data["opening"], path) if "opening" in data else None
    rows, former, paused = data.get("players", []), data.get("former", []), data.get("paused", "")
    if not formats.is_list(rows) or not formats.is_list(former) or not isinstance(paused, str):
        raise NotUnderstood(f"invalid players, former or paused in {path}", path="players")
    players = tuple(_player(row, path) for row in rows)
    return Roster(players, opening, paused, tuple(with_key(Former, row, path) for row in former))


def check_seats(table: Table, roster: Roster, record: Record) -> None:
    """Raise NotUnderstood unless each colour of the game has a player: hosts edit their file, or restore an old one."""
    colours = [colour for colour, _ in record.players]
    missing = [colour for colour in colours if roster.player(colour) is None]
    if missing:
        hint = f"the game has the colours {listed(colours)}"
        raise NotUnderstood(f"{table.players} has no player for {listed(missing)}", path="players.colour", hint=hint)


def writer_of(roster: Roster, said: Ticket) -> Writer | None:
    """Return whom the ticket proves, by the current key or a former one; None if it is not genuine."""
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
    addresses = (player.address, player.substitute) if player.substitute else (player.address,)
    if not all(re.fullmatch(_ADDRESS, address) for address in addresses):
        raise NotUnderstood(f"invalid address in {path}", path="players.address")
    return player


# Writing


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


# Every text and every order uses the current player's name for a seat that changed hands. The header of the game file
# keeps the name with which the game began, since the hash chain of the log depends on it, and no rule looks at a name.


def as_seated(record: Record, roster: Roster) -> Record:
    """Return the game with the names of the current players; nothing else differs, not even its head."""
    return called(record, {player.colour: player.name for player in roster.players})


def called(record: Record, names: Mapping[str, str]) -> Record:
    """Return the game with these names for the colours."""
    players = tuple((colour, names.get(colour, name)) for colour, name in record.players)
    if players == record.players:
        return record
    history = tuple((entry, _state(state, names)) for entry, state in record.history)
    lines = Lines(history, record.log, record.lines.heads)
    return record._replace(players=players, state=_state(record.state, names), lines=lines)


def _state(state: GameState, names: Mapping[str, str]) -> GameState:
    clans = tuple(clan._replace(player=names.get(clan.colour, clan.player)) for clan in state.clans)
    return state if clans == state.clans else state._replace(clans=clans)

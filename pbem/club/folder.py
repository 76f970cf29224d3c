"""The folder of one game in a club, and the file of its players.

Hosts edit ``players.toml`` by hand, for example to change addresses.
"""

import os
import re
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from pbem import formats
from pbem.club.settings import Club
from pbem.club.toml_rows import build, row_of, tables_in, text_in, with_key
from pbem.errors import NoSuchFile, NotUnderstood
from pbem.first_sparks.record import Record
from pbem.grammar import listed
from pbem.table.people import Former, Opening, Player, Roster
from pbem.table.ticket import LONGEST_GAME

PLAYERS_FORMAT: Final = "pbem-players/1"
GAME_NAME: Final = rf"[a-z0-9][a-z0-9-]{{0,{LONGEST_GAME - 1}}}"
# Where letters may go: what SMTP calls a mailbox, without quotes, comments and letters beyond ASCII, or a name alone.
_ADDRESS: Final = r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}(?:@[A-Za-z0-9.-]{1,190})?"


class GameFolder(NamedTuple):
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


def table_of(club: Club, game: str) -> GameFolder:
    """Return the folder of a game; raises NoSuchFile if the club has none of that name."""
    table = GameFolder(club.games / game)
    if not re.fullmatch(GAME_NAME, game) or not table.players.exists():
        raise NoSuchFile(
            f"the club has no game {game[:40]!a}", path=str(club.games), hint="create one with the command new"
        )
    return table


def read_roster(table: GameFolder) -> Roster:
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


def check_seats(table: GameFolder, roster: Roster, record: Record) -> None:
    """Raise NotUnderstood unless each colour of the game has a player: hosts edit their file, or restore an old one."""
    colours = [colour for colour, _ in record.players]
    missing = [colour for colour in colours if roster.player(colour) is None]
    if missing:
        hint = f"the game has the colours {listed(colours)}"
        raise NotUnderstood(f"{table.players} has no player for {listed(missing)}", path="players.colour", hint=hint)


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

"""The folder of one game in a club: the game and its secret, the minutes, what is private, and what has come in."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from pbem import files, formats
from pbem.club import private
from pbem.club.carrier import Club
from pbem.club.toml_rows import build, row_of, with_key
from pbem.errors import Broken, NoSuchFile, NotUnderstood
from pbem.first_sparks.record import Record
from pbem.formats import shown
from pbem.grammar import listed
from pbem.reading.ticket import LONGEST_GAME
from pbem.table.clock import away_until
from pbem.table.lines import MINUTES
from pbem.table.people import Former, Opening, Player, Roster

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
    def minutes(self) -> Path:
        """What is said and decided at the table, as all who play may read it."""
        return self.folder / MINUTES

    @property
    def private(self) -> Path:
        """What only the host may read: players with their addresses and keys, the clock, plans, notes, and talk."""
        return self.folder / "private.toml"

    @property
    def journal(self) -> Path:
        """One line for each processed message."""
        return self.mails / "journal.ndjson"

    @property
    def changes(self) -> Path:
        """One line for each change of the minutes and of what is private."""
        return self.mails / "changes.ndjson"

    @property
    def begun(self) -> Path:
        """The game as it was at the first question, for the host who rebuilds it."""
        return self.mails / "begun.toml"

    @property
    def taken_back(self) -> Path:
        """The folder of games as they were before moves were taken back."""
        return self.mails / "taken-back"

    @property
    def pending(self) -> Path:
        """The folder of a change that is being made."""
        return self.folder / "pending"

    @property
    def mails(self) -> Path:
        """What has come in: the accepted messages as they arrived, with which the game can be rebuilt."""
        return self.folder / "mails"

    def inside(self, path: Path) -> str:
        """Return the name of a file of the game as a part of a change."""
        return path.relative_to(self.folder).as_posix()


# Reading


def names_of(club: Club) -> list[str]:
    """Return the names of all games of the club, in order; raises NoSuchFile, CannotCreate if we may not read them."""
    try:
        with os.scandir(club.games) as entries:
            return sorted(entry.name for entry in entries if re.fullmatch(GAME_NAME, entry.name))
    except PermissionError as error:
        raise files.unexpected(error) from error
    except OSError as error:
        raise NoSuchFile(f"cannot list {club.games}: {str(error.strerror).lower()}", path=str(club.games)) from error


def folder_of(club: Club, game: str) -> GameFolder:
    """Return the folder of a game; raises NoSuchFile if the club has none of that name."""
    folder = GameFolder(club.games / game)
    if not re.fullmatch(GAME_NAME, game) or not (folder.private.exists() or folder.changes.exists()):
        raise NoSuchFile(
            f"the club has no game {game[:40]!a}", path=str(club.games), hint="create one with the command new"
        )
    return folder


def lost(path: Path) -> NoSuchFile:
    """Return the error for a file of a game that has begun and is not there any more."""
    return NoSuchFile(f"{path} is lost", path=str(path), hint="the command rebuild CLUB GAME makes it again")


def read_roster(folder: GameFolder) -> Roster:
    """Return the roster of a game; raises NoSuchFile, NotUnderstood, CannotCreate if we may not read it."""
    path = folder.private
    try:
        return roster_in(private.sections(path), path)
    except NoSuchFile as error:
        if not isinstance(error.__cause__, FileNotFoundError | NotADirectoryError):
            raise
        if folder.changes.exists():
            raise lost(path) from None
        place = shown(folder.folder)
        hint = f"move {place} away, or put the game's files there from a backup"
        raise NoSuchFile(f"{place} has no game in it", path=place, hint=hint) from None


def roster_in(kept: Mapping[str, Any], path: Path) -> Roster:
    """Return the roster in the sections of a ``private.toml``; raises NotUnderstood."""
    opening = build(Opening, kept["opening"], path) if "opening" in kept else None
    rows, former, paused = kept.get("players", []), kept.get("former", []), kept.get("paused", "")
    if not formats.is_list(rows) or not formats.is_list(former) or not isinstance(paused, str):
        raise NotUnderstood(f"invalid players, former or paused in {path}", path="players")
    players = tuple(_player(row, path) for row in rows)
    return Roster(players, opening, paused, tuple(with_key(Former, row, path) for row in former))


def check_seats(folder: GameFolder, roster: Roster, record: Record) -> None:
    """Raise NotUnderstood unless each colour of the game has a player: hosts edit their file, or restore an old one.

    Nor may it have another one, as after a host has copied a file of another game.
    """
    colours = [colour for colour, _ in record.players]
    missing = [colour for colour in colours if roster.player(colour) is None]
    strange = [player.colour for player in roster.players if player.colour not in colours]
    if missing or strange:
        hint = f"the game has the colours {listed(colours)}"
        what = f"no player for {listed(missing)}" if missing else f"a player for {listed(strange)}, which nobody plays"
        raise NotUnderstood(f"{folder.private} has {what}", path="players.colour", hint=hint)


def check_name(folder: GameFolder, record: Record) -> None:
    """Raise Broken unless the folder has the name of its game, by which letters and replies name it."""
    if record.game != folder.name:
        message = f"the folder {shown(folder.folder)} has the game {record.game}"
        hint = f"if the folder was renamed, name it {record.game} again; if the file was copied, "
        hint += "take the folder's own game.toml from a backup, or move it away and run rebuild CLUB GAME"
        raise Broken(message, path=shown(folder.folder), hint=hint)


def _player(row: object, path: Path) -> Player:
    player = with_key(Player, row, path)
    addresses = (player.address, player.substitute) if player.substitute else (player.address,)
    if not all(re.fullmatch(_ADDRESS, address) for address in addresses):
        raise NotUnderstood(f"invalid address in {path}", path="players.address")
    if player.absent:
        try:
            away_until(player.absent)
        except NotUnderstood as wrong:
            message = f"{wrong.message} (absent of {player.name} in {path})"
            raise NotUnderstood(message, path="players.absent", hint=wrong.hint) from None
    return player


# Writing


def roster_sections(roster: Roster) -> dict[str, object]:
    """Return the sections of ``private.toml`` that keep a roster."""
    return {
        "paused": roster.paused,
        "opening": row_of(roster.opening) if roster.opening is not None else None,
        "players": [row_of(row) | {"key": row.key.hex()} for row in roster.players],
        "former": [row_of(row) | {"key": row.key.hex()} for row in roster.former],
    }

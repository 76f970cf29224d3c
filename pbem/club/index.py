"""The index of a club: a small SQLite table with the next look of each game, and what the status says of it.

It is a cache, and never the truth. A row counts only while all files of its game look as they did when they were read,
so whoever changes a game need not know of the index. What is missing in it or damaged is read again, and without it
everything is the same, only slower: nothing that goes wrong with it is an error.
"""

import json
import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from struct import Struct
from typing import TYPE_CHECKING, Final, NamedTuple
from zlib import crc32

from pbem import __version__, files
from pbem.club.carrier import Club
from pbem.club.clock_data import read_clock
from pbem.club.folder import GameFolder, check_name, folder_of, names_of, read_roster
from pbem.club.rows import row_of_game
from pbem.club.store import load
from pbem.club.transaction import plan_of
from pbem.errors import NoSuchFile, PbemError
from pbem.loading import claim_in
from pbem.sha import sha256
from pbem.table.due import held, is_settled, runs
from pbem.table.people import Roster
from pbem.table.table import Table

if TYPE_CHECKING:
    from sqlite3 import Connection

INDEX: Final = ".pbem-index.sqlite3"  # in the folder of the club
_WAIT: Final = 5.0  # seconds for another process that is writing
_NEVER: Final = 2**40  # seconds
_OPEN: Final = "+"  # stands among the addresses of a game with free seats
_FILES: Final = ("/.", "/private.toml", "/game.toml", "/mails/journal.ndjson")
# How many of these say who plays, and what is due; the rest says who cannot be reached.
_PLAYERS: Final = 2
DUE: Final = 3
_pack: Final = Struct("<QQQQ").pack
_SIZE: Final = 32
_MISSING: Final = bytes(_SIZE)
_BITS: Final = 2**64 - 1  # a file can be dated later than 2262 or before 1970, in nanoseconds


class GameEntry(NamedTuple):
    """A game as it was while its files had that *stamp*: before *due*, in seconds, ticks only let its time run.

    If time runs, *outage* is the longest gap between ticks, else 0. So many players are *asked*, and of so many the
    time is up but *held*, if time runs at all. *readers* are all its addresses, between blanks, and *row* is
    its row of the status as JSON, "" if that changes with each tick.
    """

    game: str
    stamp: bytes
    due: int
    outage: int
    asked: int
    held: int
    readers: str
    row: str

    def looks_the_same(self, club: Club, files: int = len(_FILES)) -> bool:
        """Return whether the first *files* of the game look as they did; a missing one does while its folder does."""
        folder, stamp, start = f"{os.fspath(club.games)}/{self.game}", self.stamp, 0
        for name in _FILES[:files]:
            part = stamp[start : start + _SIZE]
            if part != _MISSING and _look(folder + name) != part:
                return False
            start += _SIZE
        return True


_COLUMNS: Final = (*GameEntry._fields, "sum")


class GameIndex:
    """The index while it is open: what is known of each game, by name."""

    def __init__(self, club: Club) -> None:
        self.club = club
        self._known: dict[str, GameEntry] = {}
        self._changed: set[str] = set()
        self._base = _opened(club)
        if self._base is not None and not self._is_sound(self._base):
            self._known = {}
            self._close()
            self._base = _opened(club) if _remove(club) else None

    def _is_sound(self, base: "Connection") -> bool:
        """Read all rows; return False if any is damaged, which SQLite does not always notice."""
        try:
            for *values, total in base.execute("SELECT * FROM games"):
                entry = GameEntry._make(values)
                if total != _sum(entry):
                    return False
                self._known[entry.game] = entry
        except Exception as error:
            return not _is_damaged(error)
        return True

    def entries(self, files: int = len(_FILES)) -> Iterator[tuple[str, GameEntry | None]]:
        """Yield every game of the club, in order, with what is known of it while the first *files* look as they did.

        Raises NoSuchFile if the games cannot be listed.
        """
        names = names_of(self.club)
        for gone in self._known.keys() - set(names):
            del self._known[gone]
            self._changed.add(gone)
        for name in names:
            entry = self._known.get(name)
            yield name, entry if entry is not None and entry.looks_the_same(self.club, files) else None

    def read(self, folder: GameFolder) -> tuple[GameEntry, Table | None]:
        """Read a game, and return what is known of it from now on, and its table if it has begun.

        Raises PbemError for whatever is wrong with it, so that the other games go on.
        """
        try:
            return self._read(folder)
        except PbemError:
            raise
        except Exception as error:
            raise files.unexpected(error) from error

    def _read(self, folder: GameFolder) -> tuple[GameEntry, Table | None]:
        stamp = b"".join(_look(os.fspath(folder.folder) + name) for name in _FILES)
        roster = read_roster(folder)
        plan_of(folder)  # if that is damaged, no change to the game can be made
        table = load(self.club, folder, roster) if folder.game.exists() or roster.opening is None else None
        if table is not None and table.terms is None:
            read_clock(folder)  # which says what is wrong
        entry = self._known[folder.name] = _entry(self.club, folder, roster, table, stamp)
        self._changed.add(folder.name)
        return entry, table

    def games_with(self, word: str) -> list[GameFolder]:
        """Return the games with that word among their *readers*, and those of which that is not known."""
        found: list[GameFolder] = []
        for name in names_of(self.club):
            entry = self._known.get(name)
            if entry is None or f" {word} " in entry.readers or not entry.looks_the_same(self.club, _PLAYERS):
                found.append(GameFolder(self.club.games / name))
        return found

    def close(self) -> None:
        """Write what was read; a file that turns out to be damaged is made again by the next process."""
        if self._base is not None and self._changed:
            try:
                self._write(self._base)
            except Exception as error:
                if _is_damaged(error):
                    _remove(self.club)
        self._close()

    def _write(self, base: "Connection") -> None:
        every = sorted(self._changed)
        rows = [(*self._known[game], _sum(self._known[game])) for game in every if game in self._known]
        marks = ", ".join("?" * len(_COLUMNS))
        with base:
            base.execute("BEGIN IMMEDIATE")
            base.executemany("DELETE FROM games WHERE game = ?", [(game,) for game in every])
            base.executemany(f"INSERT INTO games VALUES ({marks})", rows)  # noqa: S608 -- question marks

    def _close(self) -> None:
        base, self._base = self._base, None
        if base is not None:
            with suppress(Exception):
                base.close()


@contextmanager
def index_of(club: Club) -> Generator[GameIndex]:
    """Yield the index of a club, and write what was read meanwhile."""
    index = GameIndex(club)
    try:
        yield index
    finally:
        index.close()


def games_with(club: Club, address: str) -> list[GameFolder]:
    """Return the games in which somebody with that address may play; of the others it is certain."""
    with index_of(club) as index:
        return index.games_with(address.lower())


def folder_named(club: Club, game: str, address: str) -> GameFolder:
    """Return the folder of a game that a message from that address names; raises NoSuchFile if the club has none.

    Raises Broken if it is in a folder with another name, so that the message waits until the host has mended that.
    """
    try:
        return folder_of(club, game)
    except NoSuchFile:
        for folder in games_with(club, address):
            with suppress(PbemError):
                begun = claim_in(files.read_text(folder.game), folder.game, sound=True).begun
                if begun.game == game:
                    break
        else:
            raise
    check_name(folder, begun)
    return folder


def games_with_seats(club: Club) -> list[GameFolder]:
    """Return the games that may have free seats; of the others it is certain."""
    with index_of(club) as index:
        return index.games_with(_OPEN)


def _entry(club: Club, folder: GameFolder, roster: Roster, table: Table | None, stamp: bytes) -> GameEntry:
    """Return what is known of a game that was read after its files had that stamp."""
    row = json.dumps(row_of_game(club, folder, roster, table))
    every = {name.lower() for player in roster.players for name in (player.address, player.substitute) if name}
    if table is None or table.terms is None:
        return GameEntry(folder.name, stamp, _NEVER, 0, 0, 0, f" {' '.join(sorted((_OPEN, *every)))} ", row)
    terms, clock, now = table.terms, table.clock, table.situation
    due = _NEVER if clock.due is None else int(clock.due.timestamp())
    changes = now.paused and now.market and terms.look  # that row tells a time that moves on
    return GameEntry(
        folder.name,
        stamp,
        due if is_settled(terms, clock, now) else 0,
        int(terms.outage.total_seconds()) if runs(clock) else 0,
        len(now.awaited),
        held(clock, now),
        f" {' '.join(sorted(every))} ",
        "" if changes else row,
    )


def _look(path: str) -> bytes:
    """Return how a file looks: whoever changes it changes this."""
    try:
        about = os.stat(path, follow_symlinks=False)  # noqa: PTH116 -- many thousands at a tick
    except OSError:
        return _MISSING
    return _pack(about.st_mtime_ns & _BITS, about.st_ctime_ns & _BITS, about.st_ino & _BITS, about.st_size)


# The file


def _opened(club: Club) -> "Connection | None":
    """Return the open file; one that is missing, damaged, or made from something else is made again.

    None if there cannot be one, and in a club of another user, who could not use a file that is ours.
    """
    path, is_ours = club.folder / INDEX, _is_ours(club)
    for _ in range(2):
        try:
            import sqlite3

            if is_ours:
                if path.is_symlink() or path.is_dir():
                    _remove(club)
                os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600))
                path.chmod(0o600)  # it may have been copied
            mode = "rw" if is_ours else "ro"
            uri = f"{path.absolute().as_uri()}?mode={mode}"
            base = sqlite3.connect(uri, _WAIT, isolation_level=None, uri=True)
            if _is_made(base, _made_from(club), makes=is_ours):
                return base
            base.close()
        except Exception as error:
            if not is_ours or not _is_damaged(error) or not _remove(club):
                return None
    return None


def _is_made(base: "Connection", made: int, *, makes: bool) -> bool:
    """Return whether the file was made from those settings by this version; otherwise make it so if that is wanted."""
    if base.execute("PRAGMA user_version").fetchone() == (made,):
        return True
    if makes:
        with base:
            base.execute("BEGIN IMMEDIATE")
            base.execute("DROP TABLE IF EXISTS games")
            base.execute(f"CREATE TABLE games ({', '.join(_COLUMNS)}, PRIMARY KEY (game)) WITHOUT ROWID")
            base.execute(f"PRAGMA user_version = {made}")
    return makes


def _made_from(club: Club) -> int:
    """Return a number that depends on what all rows depend on: the settings of the club, and our version."""
    settings = repr((__version__, _COLUMNS, club.changed(folder=Path())))
    return int(sha256(settings.encode()).hexdigest()[:7], 16)


def _is_ours(club: Club) -> bool:
    with suppress(OSError, AttributeError):
        return club.folder.stat().st_uid == os.geteuid()
    return False


def _is_damaged(error: Exception) -> bool:
    """Return whether an error means that the file is damaged, as opposed to locked, read-only, or too large."""
    if isinstance(error, ImportError | OSError):
        return False
    import sqlite3

    is_operational = isinstance(error, sqlite3.OperationalError)
    return getattr(error, "sqlite_errorname", "SQLITE_ERROR") == "SQLITE_ERROR" or not is_operational


def _remove(club: Club) -> bool:
    """Remove the file and its journal, or an empty folder in its place; return whether it is gone."""
    with suppress(OSError):
        for path in (club.folder / f"{INDEX}-journal", club.folder / INDEX):
            if path.is_dir() and not path.is_symlink():
                path.rmdir()
            else:
                path.unlink(missing_ok=True)
        return True
    return False


def _sum(entry: GameEntry) -> int:
    """Return a checksum of a row; raises TypeError or ValueError for values that nobody kept."""
    game, stamp, due, outage, asked, held, readers, row = entry
    return crc32(stamp, crc32(f"{game}{due:d} {outage:d} {asked:d} {held:d}{readers}{row}".encode()))

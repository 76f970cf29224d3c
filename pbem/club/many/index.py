"""The index of a club: an SQLite file with what its games wait for. It is a cache, and never the truth.

An entry counts only while all files of its game look as they did when they were read. So whoever changes a game need
not know of the index, and what is missing in it or torn is read again. Without the index everything is the same, only
slower: nothing here raises an error.
"""

import os
import stat
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from zlib import crc32

from pbem import __version__
from pbem.club.many.entries import GameEntry
from pbem.club.settings import Club
from pbem.sha import sha256

if TYPE_CHECKING:
    from sqlite3 import Connection

INDEX: Final = ".pbem-index.sqlite3"  # in the folder of the club
_LAYOUT: Final = 1
_WAIT: Final = 5.0  # seconds for another process that is writing
_BATCH: Final = 200  # entries that are written together
_COLUMNS: Final = ("game", "stamp", "last", "until", "due", "outage", "asked", "held", "open", "readers", "row")
_SHORT: Final = (*_COLUMNS[:-1], "sum")
_TABLES: Final = f"""
CREATE TABLE about (made TEXT NOT NULL);
CREATE TABLE games ({", ".join(_COLUMNS)}, sum, row_sum, PRIMARY KEY (game)) WITHOUT ROWID;
PRAGMA user_version = {_LAYOUT};
"""
# Codes of SQLite for trouble that is not in the file: no permission, locked, no memory, read-only, interrupted, trouble
# with the disk, full, cannot be opened, a protocol of locks.
_OTHER_TROUBLE: Final = {3, 5, 6, 7, 8, 9, 10, 13, 14, 15, 23}


class GameIndex:
    """The index while it is open; without a *base* it has nothing and keeps nothing."""

    def __init__(self, path: Path, made: str, *, writes: bool) -> None:
        self.path = path
        self.made = made
        self.writes = writes
        self._base = _opened(path, made, writes=writes)
        self._is_doubted = False
        self._new: dict[str, GameEntry | None] = {}
        self._moved: dict[str, GameEntry] = {}

    def entries(self, *, rows: bool = False) -> Iterator[GameEntry]:
        """Yield what is kept and intact, by name; with the *rows* of the status only if that is wanted."""
        columns = (*_SHORT, "row", "row_sum") if rows else _SHORT
        for values in self._rows(f"SELECT {', '.join(columns)} FROM games ORDER BY game"):  # noqa: S608 -- names
            entry = GameEntry._make((*values[: len(_SHORT) - 1], values[len(_SHORT)] if rows else ""))
            try:
                is_intact = values[len(_SHORT) - 1] == _sum(entry) and (not rows or values[-1] == _row_sum(entry))
            except (TypeError, ValueError, AttributeError):  # damaged, and not noticed by SQLite
                continue
            if is_intact:
                yield entry

    def _rows(self, query: str) -> Iterator[tuple[Any, ...]]:
        """Yield what the file answers; nothing more after an error."""
        if self._base is None:
            return
        import sqlite3

        try:
            yield from self._base.execute(query)
        except (sqlite3.Error, OverflowError, ValueError) as error:
            self._give_up(error)

    def keep(self, entry: GameEntry) -> None:
        """Keep an entry in place of the one that the game has."""
        self._change(entry.game, entry)

    def forget(self, game: str) -> None:
        """Forget the entry of a game."""
        self._change(game, None)

    def _change(self, game: str, entry: GameEntry | None) -> None:
        if self._base is not None and self.writes:
            self._new[game] = entry
            if len(self._new) >= _BATCH:
                self.write()

    def move_on(self, entry: GameEntry) -> None:
        """Keep another stamp and other times in the entry that the game has, with its row."""
        if self._base is not None and self.writes:
            self._moved[entry.game] = entry

    def doubt(self) -> None:
        """Note that a game has no entry: the file is checked before anything is written to it."""
        self._is_doubted = True

    def write(self) -> None:
        """Write what is to be kept."""
        new, moved = self._new, self._moved
        self._new, self._moved = {}, {}
        if not (new or moved):
            return
        if self._is_doubted and list(self._rows("PRAGMA quick_check(1)")) != [("ok",)]:
            self._renew()
        self._is_doubted = False
        for _ in range(2):  # a damaged file is made again
            if self._base is None or self._has_written(self._base, new, moved):
                return

    def _has_written(self, base: "Connection", new: dict[str, GameEntry | None], moved: dict[str, GameEntry]) -> bool:
        import sqlite3

        marks = ", ".join("?" * (len(_COLUMNS) + 2))
        times = [(each.stamp, each.last, each.until, _sum(each), each.game) for each in moved.values()]
        kept = [(*each, _sum(each), _row_sum(each)) for each in new.values() if each is not None]
        try:
            base.execute("BEGIN IMMEDIATE")
            base.executemany("UPDATE games SET stamp = ?, last = ?, until = ?, sum = ? WHERE game = ?", times)
            base.executemany("DELETE FROM games WHERE game = ?", [(game,) for game in new])
            base.executemany(f"INSERT INTO games VALUES ({marks})", kept)  # noqa: S608 -- question marks
            base.execute("COMMIT")
        except (sqlite3.Error, OverflowError, ValueError) as error:
            self._give_up(error)
            return False
        return True

    def _give_up(self, error: Exception) -> None:
        """Go on with a new file if this one is damaged, else without one."""
        self.close()
        if is_torn(error):
            self._renew()

    def _renew(self) -> None:
        self.close()
        if self.writes and _remove(self.path):
            self._base = _opened(self.path, self.made, writes=True)

    def close(self) -> None:
        """Close the file without writing anything."""
        base, self._base = self._base, None
        if base is not None:
            _close(base)


@contextmanager
def index_of(club: Club, *, writes: bool = True) -> Generator[GameIndex]:
    """Yield the index of a club; a missing or torn one is made again, if the club's folder is ours."""
    index = GameIndex(club.folder / INDEX, _made_from(club), writes=writes and _is_ours(club.folder))
    try:
        yield index
        index.write()
    finally:
        index.close()


def _close(base: "Connection") -> None:
    import sqlite3

    with suppress(sqlite3.Error):
        base.close()


def _opened(path: Path, made: str, *, writes: bool) -> "Connection | None":
    """Return the open file, None if there cannot be one."""
    try:
        import sqlite3
    except ImportError:  # a Python without it
        return None
    for _ in range(2):  # a torn or outdated one is made again
        base: Connection | None = None
        try:
            if not _is_there(path, writes=writes):
                return None
            mode = "rw" if writes else "ro"
            base = sqlite3.connect(f"{path.absolute().as_uri()}?mode={mode}", _WAIT, isolation_level=None, uri=True)
            if _is_made(base, made, writes=writes):
                return base
            is_wrong = True
        except (sqlite3.Error, OSError, ValueError) as error:
            is_wrong = is_torn(error)
        if base is not None:
            _close(base)
        if not writes or not is_wrong or not _remove(path):
            return None
    return None


def _is_made(base: "Connection", made: str, *, writes: bool) -> bool:
    """Return whether the file was made from those settings by this version; make it if it is empty."""
    if writes and base.execute("PRAGMA schema_version").fetchone() == (0,):
        base.execute("BEGIN IMMEDIATE")
        if base.execute("PRAGMA schema_version").fetchone() == (0,):  # also for another process meanwhile
            for statement in _TABLES.strip().split(";\n"):
                base.execute(statement)
            base.execute("INSERT INTO about VALUES (?)", (made,))
        base.execute("COMMIT")
    layout = base.execute("PRAGMA user_version").fetchone()
    return layout == (_LAYOUT,) and base.execute("SELECT made FROM about").fetchall() == [(made,)]


def _made_from(club: Club) -> str:
    """Return what all entries depend on: the settings of the club, and our version."""
    try:
        settings = (club.folder / "club.toml").read_bytes()
    except OSError:
        settings = b""
    digest: str = sha256(repr((_LAYOUT, __version__, club.changed(folder=Path()))).encode() + settings).hexdigest()
    return digest


def is_torn(error: Exception) -> bool:
    """Return whether an error means that the file is damaged."""
    import sqlite3

    if isinstance(error, OSError | sqlite3.ProgrammingError):
        return False
    code = getattr(error, "sqlite_errorcode", None)
    return code is None or code & 255 not in _OTHER_TROUBLE


def _is_ours(folder: Path) -> bool:
    """Return whether we own the folder: a file of somebody else would shut its owner out."""
    with suppress(OSError, AttributeError):
        return folder.stat().st_uid == os.geteuid()
    return False


def _is_there(path: Path, *, writes: bool) -> bool:
    """Return whether the file is there, for nobody's eyes but the owner's; make an empty one if it may be written."""
    with suppress(FileNotFoundError):
        about = path.lstat()
        mine = stat.S_ISREG(about.st_mode) and (not writes or about.st_uid == os.geteuid())
        if mine and writes and about.st_mode & 0o077:  # copied without its mode
            path.chmod(0o600)
        if mine or not writes:
            return mine
        if not _remove(path):
            return False
    if writes:
        with suppress(FileExistsError):  # just made by another process
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    return writes


def _remove(path: Path) -> bool:
    """Remove the file and its journal, or an empty folder in its place; return whether it is gone."""
    with suppress(OSError):
        for each in (path.with_name(f"{path.name}-journal"), path):
            if each.is_dir() and not each.is_symlink():
                each.rmdir()
            else:
                each.unlink(missing_ok=True)
        return True
    return False


def _sum(entry: GameEntry) -> int:
    """Return a checksum of an entry without its row; raises TypeError or ValueError for values that nobody kept."""
    game, stamp, last, until, due, outage, asked, held, free, readers, _ = entry
    numbers = f"{last:d} {until:d} {due:d} {outage:d} {asked:d} {held:d} {free:d}"
    return crc32(stamp, crc32(f"{game}{readers}{numbers}".encode()))


def _row_sum(entry: GameEntry) -> int:
    return crc32(entry.row.encode(), crc32(entry.game.encode()))

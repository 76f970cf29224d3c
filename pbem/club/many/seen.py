"""A tick at which nothing is due in a game: its folder is written only if that cannot be known without it."""

import os
from contextlib import suppress
from datetime import datetime

from pbem import files
from pbem.club.clock_data import as_ticked, keep_clock, kept_clock
from pbem.club.folder import GameFolder
from pbem.club.many.entries import (
    NEVER,
    GameEntry,
    entry_of,
    is_as_it_was,
    seconds,
    stamp_of,
    with_clock,
)
from pbem.club.many.index import GameIndex
from pbem.club.many.timed import Timed, timed
from pbem.club.settings import Club
from pbem.club.transaction import locked
from pbem.errors import PbemError
from pbem.table.clock import Clock
from pbem.table.quiet import run_on, says_the_same, settled


def read_game(club: Club, index: GameIndex, table: GameFolder) -> Timed | None:
    """Return a game as a tick finds it, None if it waits for players, which the index then knows.

    A change that was broken off is finished first. Raises PbemError.
    """
    if files.is_folder(table.pending):
        with locked(table):
            pass
    stamp = stamp_of(os.fspath(table.folder))
    game = timed(club, table)
    if game is None:
        _keep(club, index, table, None, stamp)
        return None
    return game._replace(stamp=stamp)


def _keep(club: Club, index: GameIndex, table: GameFolder, game: Timed | None, stamp: bytes) -> None:
    with suppress(PbemError, OSError):  # a journal that cannot be read stops no clock
        index.keep(entry_of(club, table, game, stamp))


def keep_changed(club: Club, index: GameIndex, table: GameFolder) -> None:
    """Keep in the index what a game waits for after a change; it is locked."""
    stamp = stamp_of(os.fspath(table.folder))
    with suppress(PbemError, OSError):  # the next tick reports it
        _keep(club, index, table, timed(club, table), stamp)


def see(club: Club, index: GameIndex, game: Timed, after: Clock) -> None:
    """Let the time of a game run to a tick at which nothing is due, and keep in the index what it waits for."""
    table = game.table
    after, folder = settled(game.terms, after, game.now, table.name), os.fspath(table.folder)
    if not says_the_same(game.kept, after):
        with locked(table):
            if kept_clock(table)[1] != game.kept or as_ticked(table, game.kept) != game.clock:
                return  # another tick came first
            is_known = is_as_it_was(folder, game.stamp)
            stamp = _stamp_after(table, keep_clock(table, after)) if is_known else b""
        game = with_clock(game, after)._replace(stamp=stamp)
    if game.stamp:
        _keep(club, index, table, game, game.stamp)


def _stamp_after(table: GameFolder, written: bytes) -> bytes:
    """Return how the files of a game look after a tick; nothing, so that the next one looks, if one was changed since.

    *written* is what the tick has written.
    """
    stamp = stamp_of(os.fspath(table.folder))
    return stamp if files.read_bytes(table.private) == written else b""


def let_run(club: Club, index: GameIndex, entry: GameEntry, at: datetime) -> bool:
    """Let the time of a game run without reading more than its clock; False if that has to be done as ``see`` does.

    It leads to the same bytes. Raises PbemError.
    """
    table = GameFolder(club.games / entry.game)
    folder = os.fspath(table.folder)
    with locked(table):
        terms, kept = kept_clock(table)
        after = run_on(terms, kept, at, table.name)
        if after is None or after.quiet is None or not is_as_it_was(folder, entry.stamp):
            return False
        stamp = _stamp_after(table, keep_clock(table, after))
        end = NEVER if after.quiet.until is None else seconds(after.quiet.until)
        index.move_on(entry._replace(stamp=stamp, last=seconds(at), until=end))
    return True

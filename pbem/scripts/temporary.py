"""A database for what would not fit into memory: a file that has no name, and is gone with its connection."""

import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager

from pbem.errors import TryAgain


@contextmanager
def temporary(table: str) -> Generator[sqlite3.Connection]:
    """Yield a database with a table, of which only what is used now is in memory; raises TryAgain if it is full."""
    try:
        with closing(sqlite3.connect("")) as found:
            found.execute(f"CREATE TABLE {table}")
            yield found
    except sqlite3.OperationalError as error:
        hint = "free some space in the folder for temporary files, or choose another one with SQLITE_TMPDIR"
        raise TryAgain(f"the temporary file cannot be written: {error}", hint=hint) from None

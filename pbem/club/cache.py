"""The game that was read or written last, so that ten mails of one game read it once.

What is remembered is a function of the bytes of the file, and is known by their
digest: to forget it changes nothing but the time that it takes.
"""

from collections.abc import Sequence
from typing import Any

from pbem import files, loading
from pbem.club.table import Table
from pbem.loading import GameFile
from pbem.sha import sha256


class _Last:
    """The last game: the digest of its file, and what is in it."""

    digest = ""
    game: GameFile | None = None


def digest_of(text: str) -> str:
    """Return by what a game file is known in the journal."""
    digest: str = sha256(text.encode()).hexdigest()
    return digest


def load(table: Table, rows: Sequence[dict[str, Any]] = ()) -> GameFile:
    """Return the game of the table; one that stands in the journal as we wrote it need not be compared with the schema.

    Raises NoSuchFile, NotUnderstood, Broken.
    """
    text = files.read_text(table.game)
    digest = digest_of(text)
    if _Last.digest != digest or _Last.game is None or _Last.game.path != table.game:
        ours = next((row["file"] for row in reversed(rows) if "file" in row), "") == digest
        _Last.game, _Last.digest = loading.file_in(text, table.game, sound=ours), digest
    return _Last.game


def remember(game: GameFile, text: str) -> None:
    """Remember a game that was written."""
    _Last.digest, _Last.game = digest_of(text), game

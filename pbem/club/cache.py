"""The last game that was read or written, so that ten messages of one game read it once.

The cached value depends only on the bytes of the file, and is looked up by their
digest: without the cache everything is the same, only slower.
"""

from collections.abc import Sequence
from typing import Any

from pbem import files, formats, game_files, loading
from pbem.club.folder import GameFolder
from pbem.first_sparks.record import Record
from pbem.loading import GameFile
from pbem.sha import sha256


class _Last:
    """The last game: the digest of its file, and what is in it."""

    digest = ""
    game: GameFile | None = None


def digest_of(text: str) -> str:
    """Return the digest by which the journal identifies a game file."""
    digest: str = sha256(text.encode()).hexdigest()
    return digest


def load(table: GameFolder, rows: Sequence[dict[str, Any]] = ()) -> GameFile:
    """Return the game of the table; a file that the journal lists as our own is not validated against the schema.

    Raises NoSuchFile, NotUnderstood, Broken.
    """
    text = files.read_text(table.game)
    digest = digest_of(text)
    if _Last.digest != digest or _Last.game is None or _Last.game.path != table.game:
        ours = next((row["file"] for row in reversed(rows) if "file" in row), "") == digest
        _Last.game, _Last.digest = loading.file_in(text, table.game, sound=ours), digest
    return _Last.game


def game_text(game: GameFile, record: Record) -> str:
    """Return the new text of the game file."""
    return game_files.text_of(record, formats.format_of(game.path, game.form), game.schema or game_files.GAME_SCHEMA)


def remember(game: GameFile, text: str) -> None:
    """Remember a game that was just written."""
    _Last.digest, _Last.game = digest_of(text), game

"""Games as Parquet tables: one row a game in ``games.parquet``, one row a clan in ``clans.parquet``.

``examples/bot/README.md`` lists the columns.
"""

import os
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import IO, Any, Final

from pbem import files, formats, interrupts
from pbem.errors import CannotCreate, TryAgain, UsageError
from pbem.first_sparks.briefing.accounts import KINDS
from pbem.scripts.stats_game import GameFacts

FORMAT: Final = "pbem-tables/1"
_AT_ONCE: Final = 10_000  # games of which the rows are in memory
_MARK: Final = b"pbem"  # the key of the metadata by which we know our own tables
NAMES: Final = ("games.parquet", "clans.parquet")
# The columns with their types. What is known only at the end is null while a game is open.
GAMES: Final = {
    "id": "int64",
    "game": "string",
    "file": "string",
    "players": "int8",
    "finished": "bool",
    "rounds": "int32",
    "lines": "int32",
    "winners": "int8",
    "lead": "int8",
    "offers": "int32",
    "sales": "int32",
    "messages": "int32",
    "days": "int32",
}
CLANS: Final = {
    "id": "int64",
    "seat": "int8",
    "colour": "string",
    "player": "string",
    "place": "int8",
    "won": "bool",
    "members": "int8",
    "food": "int32",
    "cards": "int8",
    **dict.fromkeys((f"harvest_{kind}" for kind in KINDS), "int32"),
}


class Tables:
    """Two tables that grow with each game, and are in memory only for some thousand games."""

    def __init__(self, games: "_Growing", clans: "_Growing") -> None:
        self._games = games
        self._clans = clans
        self._number = 0

    def add(self, game: GameFacts) -> None:
        """Add the rows of a game, which get the next number from 0."""
        over = game.finished
        won = sum(clan.won for clan in game.clans) if over else None
        offers, sales = (len(game.deals), sum(bool(deal.sale.buyer) for deal in game.deals)) if over else (None, None)
        end = (won, game.lead if over else None, offers, sales, game.mails, game.days)
        file = str(game.path) if game.path.name else ""
        self._games.add((self._number, game.game, file, len(game.names), over, game.rounds, game.lines, *end))
        clans = {clan.seat: clan for clan in game.clans}
        for seat, (name, colour) in enumerate(zip(game.names, game.colours, strict=True), 1):
            who = (self._number, seat, colour, name)
            if over:
                clan = clans[seat]
                after = (clan.place or None, clan.won, clan.members, clan.food, clan.cards, *clan.harvest)
                self._clans.add((*who, *after))
            else:
                self._clans.add((*who, *(None for _ in range(len(CLANS) - len(who)))))
        self._number += 1
        if self._number % _AT_ONCE == 0:
            self._games.flush()
            self._clans.flush()


class _Growing:
    """A table in an open file; ``flush`` writes the rows so far as a group."""

    def __init__(self, arrow: Any, parquet: Any, file: IO[bytes], columns: dict[str, str]) -> None:  # noqa: ANN401
        types = [(name, arrow.type_for_alias(kind)) for name, kind in columns.items()]
        self._schema = arrow.schema(types, metadata={_MARK: FORMAT.encode()})
        self._table_of = arrow.Table.from_pydict
        self._writer = parquet.ParquetWriter(file, self._schema)
        self._rows: list[Sequence[object]] = []

    def add(self, row: Sequence[object]) -> None:
        self._rows.append(row)

    def flush(self) -> None:
        """Write the rows so far, at least one, as a group."""
        columns = dict(zip(self._schema.names, zip(*self._rows, strict=True), strict=True))
        self._writer.write_table(self._table_of(columns, schema=self._schema))
        self._rows.clear()

    def close(self) -> None:
        if self._rows:
            self.flush()
        self._writer.close()

    def abandon(self) -> None:
        """Let the writer go, which would write to the file even as garbage."""
        with suppress(Exception):
            self._writer.close()
        self._writer.is_open = False


@contextmanager
def tables_in(folder: Path) -> Generator[Tables]:
    """Yield tables to be filled; after the block they are in the folder, or after an error the older ones still are.

    The folder is made if it is missing, and not left behind empty. Raises UsageError without pyarrow, CannotCreate if
    other files have these names, TryAgain if the disk is full.
    """
    try:
        arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        hint = "run pip install '.[parquet]' in the source folder of pbem"
        raise UsageError("--parquet needs pyarrow", hint=hint) from None
    name = formats.shown(folder)
    try:
        with ExitStack() as opened:
            if not folder.exists():
                folder.mkdir(exist_ok=True)  # somebody else may just have made it
                opened.callback(_remove_if_empty, folder)
            for file_name in NAMES:
                if (folder / file_name).exists() and not _is_ours(parquet, folder / file_name):
                    message = f"{formats.shown(folder / file_name)} already exists and was not made by pbem"
                    raise CannotCreate(message, path=str(folder / file_name), hint="choose another folder")
            paths = [folder / f".pbem-{os.urandom(8).hex()}.tmp" for _ in NAMES]
            for path in paths:
                opened.callback(path.unlink, missing_ok=True)
            written = [opened.enter_context(path.open("xb")) for path in paths]
            games, clans = (
                _Growing(arrow, parquet, file, columns) for file, columns in zip(written, (GAMES, CLANS), strict=True)
            )
            for table in (games, clans):
                opened.callback(table.abandon)
            yield Tables(games, clans)
            for table, file in zip((games, clans), written, strict=True):
                table.close()
                file.flush()
                os.fsync(file.fileno())
                file.close()
            with interrupts.hold(f"the tables in {name} were written"):
                for path, file_name in zip(paths, NAMES, strict=True):
                    path.replace(folder / file_name)
    except OSError as error:
        if files.is_full(error):
            hint = "nothing was changed; free some space and try again"
            raise TryAgain(f"{name} cannot be written because the disk is full", path=name, hint=hint) from error
        why = (error.strerror or str(error)).lower()
        raise CannotCreate(f"{name} cannot be written: {why}", path=name) from error


def _remove_if_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()


def _is_ours(parquet: Any, path: Path) -> bool:  # noqa: ANN401 -- a module that is there or not
    try:
        return _MARK in (parquet.read_schema(path).metadata or {})
    except Exception:  # no Parquet at all
        return False

"""Finished shards of a long run, each in a file of its own, so that a run that was stopped goes on from there."""

import json
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Generic, NamedTuple, TypeVar

from pbem import files, formats
from pbem.errors import CannotCreate, NoSuchFile, PbemError, UsageError
from pbem.scripts.errands import this_version
from pbem.scripts.jobs import Memory

FORMAT: Final = "pbem-shards/1"
_ABOUT: Final = "about.json"
_LIMIT: Final = 256 * 1024 * 1024

_Item = TypeVar("_Item")
_Found = TypeVar("_Found")


class Keep(NamedTuple):
    """The folder in which a run keeps its finished shards, and who is told how many an earlier run has left."""

    folder: Path
    tell: Callable[[int], object] = lambda _: None


class KeptShards(Memory[_Item, Sequence[_Found | None]], Generic[_Item, _Found]):
    """A folder with a file for each finished shard, named by the shard, and ``about.json`` about the run.

    *key* names a shard by everything that its results depend on, *size* says how many they are. *written* makes JSON of
    a result, or None for a result that is better found out again, such as an error, and *read* the result of that.
    """

    def __init__(
        self,
        keep: Keep,
        about: dict[str, Any],
        key: Callable[[_Item], str],
        size: Callable[[_Item], int],
        written: Callable[[_Found], Any | None],
        read: Callable[[Any], _Found],
    ) -> None:
        self._folder = keep.folder
        self._key = key
        self._size = size
        self._written = written
        self._read = read
        number = _opened(keep.folder, {"format": FORMAT, "version": this_version()} | about)
        if number:
            keep.tell(number)

    def known(self, item: _Item) -> Sequence[_Found | None] | None:
        """Return what an earlier run has found, None if it has not come so far or the file is damaged."""
        path = self._folder / f"{self._key(item)}.json"
        with suppress(NoSuchFile, ValueError, TypeError, KeyError, IndexError):
            rows = json.loads(files.read_bytes(path, _LIMIT))
            found = [None if row is None else self._read(row) for row in rows]
            return found if len(found) == self._size(item) else None
        return None

    def keep(self, item: _Item, result: Sequence[_Found | None]) -> None:
        """Write the results of a shard, wholly or not at all; raises TryAgain if the disk is full."""
        rows = [None if found is None else self._written(found) for found in result]
        if any(row is None and found is not None for row, found in zip(rows, result, strict=True)):
            return
        text = json.dumps(rows, separators=(",", ":")) + "\n"
        files.replace(self._folder / f"{self._key(item)}.json", text)


def _opened(folder: Path, about: dict[str, Any]) -> int:
    """Return how many shards are in the folder, which is made if it is missing; raises UsageError for another run."""
    name, path = formats.shown(folder), folder / _ABOUT
    try:
        folder.mkdir(exist_ok=True)
        inside = [entry.name for entry in os.scandir(folder) if not entry.name.startswith(".")]
    except OSError as error:
        if files.is_full(error):
            raise files.unexpected(error) from error
        why = (error.strerror or "not a folder").lower()
        raise CannotCreate(f"{name} cannot be used as a folder: {why}", path=name) from error
    with files.locked(path):  # which also deletes what a killed run has left unfinished
        if not inside:
            files.replace(path, json.dumps(about) + "\n")
            return 0
    try:
        before = formats.parse(files.read_text(path), "json", name=name)
    except PbemError:
        before = {}
    if before.get("format") != FORMAT:
        raise CannotCreate(f"{name} has other files in it", path=name, hint="choose a new folder for --keep")
    for key, said in about.items():
        if before.get(key) != said:
            hint = "go on with the same options, bots and version of pbem, or choose a new folder"
            other = "of another command" if key == "command" else f"of another run, with another value of {key}"
            raise UsageError(f"{name} keeps the parts {other}", path=name, hint=hint)
    return sum(end.endswith(".json") for end in inside) - 1

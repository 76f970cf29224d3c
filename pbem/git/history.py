"""The game told from its commits: what each added to the log, by what it holds and not by what it says."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple

from pbem import files, formats, reading
from pbem.errors import NoSuchFile, PbemError
from pbem.git.repository import Objects, shown


class Told(NamedTuple):
    """A commit: its id, its author's name, its day, and the lines of the log that it added; None is unreadable."""

    commit: str
    author: str
    day: str
    lines: tuple[str, ...] | None

    def __str__(self) -> str:
        said = "the game cannot be read" if self.lines is None else "; ".join(self.lines) or "no move"
        return f"{self.commit[:10]} {self.day} {self.author}: {said}"


def history(objects: Objects, name: str, game: str) -> Iterator[Told]:
    """Yield the commits up to the one called *name*, newest first, as far as they are here.

    Raises NoSuchFile if it does not hold the game.
    """
    oid = objects.commit_id(name)
    commit = objects.commit(oid)
    if game not in objects.entries(commit.tree):
        raise NoSuchFile(
            f"{name} has no {game}", path=game, hint="--game names the game file if it is called otherwise"
        )
    log = _log(objects, commit.tree, game)
    while True:
        parent, before = None, None
        if commit.parents:
            try:
                parent = objects.commit(commit.parents[0])
                before = _log(objects, parent.tree, game)
            except NoSuchFile:
                parent = None  # the clone is shallow
        day = datetime.fromtimestamp(min(commit.time, 1 << 36), UTC).date().isoformat()
        yield Told(commit.oid, commit.author, day, _added(before, log))
        if parent is None:
            return
        commit, log = parent, before


def _log(objects: Objects, tree: str, game: str) -> tuple[str, ...] | None:
    """Return the log in a commit, or None where it cannot be read."""
    try:
        entry = objects.entries(tree)[game]
        text = formats.decode(objects.read(entry.oid, "blob", files.READ_LIMIT, game), name=game)
        data: dict[str, Any] = formats.parse(text, reading.format_in(text), name=game)
        return tuple(map(str, data["log"]))
    except (PbemError, KeyError, TypeError):
        return None


def _added(before: tuple[str, ...] | None, log: tuple[str, ...] | None) -> tuple[str, ...] | None:
    if log is None or before is None:
        return log and tuple(map(shown, log))
    return tuple(map(shown, log[len(before) :]))

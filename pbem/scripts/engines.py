"""What a change to the rules affects: an archive is replayed, and compared with the digests of an earlier version.

A file of digests has a JSON object on each line: first its format and the number of
games, then for every game its id, its head, and eight hexadecimal digits for the
situation after each line of its log, up to one that the rules do not allow.
"""

import json
import re
import sqlite3
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any, Final, NamedTuple

from pbem import files, formats, interrupts
from pbem.errors import Broken, CannotCreate, NotUnderstood, PbemError
from pbem.first_sparks.codec import encode_state
from pbem.first_sparks.proof import Claim, check_end, check_head, replayed
from pbem.grammar import plural
from pbem.scripts.archive import GameVerdict, Looking, Place, each_game, wrong
from pbem.scripts.jobs import Workers
from pbem.scripts.shards import Keep
from pbem.scripts.temporary import temporary
from pbem.sha import sha256

FORMAT: Final = "first-sparks-digests/1"
_DIGITS: Final = 8
_LONGEST_ROW: Final = _DIGITS * formats.LONGEST_LOG + 1000  # bytes
_DIGESTS: Final = re.compile(f"(?:[0-9a-f]{{{_DIGITS}}})*")
_NO_LONGER: Final = "line {line} of the log, {entry}, is no longer allowed ({why})"
_NEWLY: Final = "line {line} of the log, {entry}, was not allowed, but is now"
_ANOTHER: Final = "line {line} of the log, {entry}, leads to another situation"


class Course(NamedTuple):
    """How the rules replay a game: a digest for every line, and the error in the line after the last one."""

    path: Path
    game: str = ""
    head: str = ""
    log: tuple[str, ...] = ()
    digests: tuple[str, ...] = ()
    error: PbemError | None = None

    @property
    def unsound(self) -> PbemError | None:
        """The error in the file, if it is not a line of the log that the rules no longer allow."""
        return self.error if len(self.digests) == len(self.log) else None

    @classmethod
    def unread(cls, path: Path, error: PbemError) -> "Course":
        """Return the course of a game that could not be read; it has no head."""
        return cls(path, error=error)


class StoredDigests:
    """The digests of an earlier version, by the head of the game; few of them are in memory."""

    def __init__(self, found: sqlite3.Connection) -> None:
        self._found = found

    def of(self, head: str) -> str | None:
        """Return the digests of a game, or None; a game that was asked for is not missing."""
        self._found.execute("UPDATE game SET met = 1 WHERE head = ?", (head,))
        row = self._found.execute("SELECT digests FROM game WHERE head = ?", (head,)).fetchone()
        return str(row[0]) if row else None

    def missing(self) -> int:
        """Return how many games nobody has asked for."""
        (number,) = self._found.execute("SELECT count(*) FROM game WHERE NOT met").fetchone()
        return int(number)


def changes(
    places: Iterable[Place], stored_before: StoredDigests, workers: Workers, keep: Keep | None = None
) -> Iterator[GameVerdict]:
    """Yield the first line that differs from those before in every game that changed, and finally the totals."""
    count: dict[str, int] = dict.fromkeys(("games", "changed", "failed", "new"), 0)
    courses = each_game(_REPLAYING, places, workers, keep)
    for course in filter(None, courses):
        count["games"] += 1
        before = stored_before.of(course.head)
        change = None if before is None else _change(course, before)
        if change is not None:
            count["changed"] += 1
            yield _changed(course, *change)
        elif course.unsound:
            count["failed"] += 1
            yield wrong(course.path, course.unsound)
        elif len(before or "") > _DIGITS * len(course.log):
            count["failed"] += 1
            yield wrong(course.path, NotUnderstood("the game has more digests than its log has lines"))
        elif before is None:
            count["new"] += 1
    count["missing"] = stored_before.missing()
    message = plural(
        count["games"],
        "{n} game: {changed} changed, {failed} failed, {new} without stored digests, {missing} missing",
        "{n} games: {changed} changed, {failed} failed, {new} without stored digests, {missing} missing",
    ).format_map(count)
    about = {
        "ok": not count["changed"] + count["failed"],
        "code": "compared",
        "message": message,
        "path": "",
        "rule": "",
    }
    yield GameVerdict(message, about | count)


def _course(path: Path, said: Claim) -> Course:
    digests: list[str] = []
    error: PbemError | None = None
    check_head(said)
    turn, state = 0, said.begun.state
    try:
        for entry, after in replayed(said):
            turn, state = entry.turn, after
            text = json.dumps(encode_state(state), sort_keys=True, separators=(",", ":"))
            digests.append(sha256(text.encode()).hexdigest()[:_DIGITS])
        check_end(said, turn, state)
    except Broken as broken:
        error = broken
    return Course(path, said.begun.game, said.head, said.log, tuple(digests), error)


def _written(course: Course) -> list[Any] | None:
    """Return a course as JSON, without an error, which is better found out again."""
    return None if course.error else [str(course.path), course.game, course.head, course.log, "".join(course.digests)]


def _read(row: list[Any]) -> Course:
    path, game, head, log, digests = row
    return Course(Path(path), game, head, tuple(log), _parts(digests))


_REPLAYING: Final = Looking("diff-engines", _course, Course.unread, _written, _read)


def _parts(digests: str) -> tuple[str, ...]:
    return tuple(digests[start : start + _DIGITS] for start in range(0, len(digests), _DIGITS))


def _change(course: Course, before: str) -> tuple[int, str] | None:
    """Return the first line that differs, counted from 1, and how; None if all are the same."""
    old = _parts(before)
    for number, (now, then) in enumerate(zip_longest(course.digests, old[: len(course.log)]), 1):
        if now is None:
            why = course.error.message if course.error else "?"
            return number, _NO_LONGER.format(line=number, entry=course.log[number - 1], why=why)
        if then is None:
            return number, _NEWLY.format(line=number, entry=course.log[number - 1])
        if now != then:
            return number, _ANOTHER.format(line=number, entry=course.log[number - 1])
    return None


def _changed(course: Course, number: int, message: str) -> GameVerdict:
    about = {"ok": False, "code": "changed", "message": message, "path": f"log[{number - 1}]", "rule": ""}
    return GameVerdict(f"{course.path}: {message}", {**about, "game": course.game, "file": str(course.path)})


def store(path: Path, places: Iterable[Place], workers: Workers, keep: Keep | None = None) -> Iterator[GameVerdict]:
    """Write the digests of all games; yield the errors, with which nothing is written, and finally the total."""
    games = failed = 0
    with temporary("row (number INTEGER PRIMARY KEY, text TEXT)") as rows:
        courses = each_game(_REPLAYING, places, workers, keep)
        for course in filter(None, courses):
            if course.unsound:
                failed += 1
                yield wrong(course.path, course.unsound)
            else:
                row = json.dumps({"game": course.game, "head": course.head, "digests": "".join(course.digests)})
                rows.execute("INSERT INTO row (text) VALUES (?)", (row,))
                games += 1
        if files.exists(path) and not _is_store(path):
            raise CannotCreate(
                f"{path} already exists and is not a file of digests", path=str(path), hint="choose another name"
            )
        games = 0 if failed else games
        message = plural(games, "the digests of {n} game were stored", "the digests of {n} games were stored")
        if failed:
            message = plural(
                failed, "nothing was stored, because {n} game failed", "nothing was stored, because {n} games failed"
            )
        else:
            first = json.dumps({"format": FORMAT, "games": games})
            told = (row for (row,) in rows.execute("SELECT text FROM row ORDER BY number"))
            with interrupts.hold(message):
                files.replace(path, (f"{row}\n".encode() for row in chain([first], told)))
    about = {"ok": not failed, "code": "stored", "message": message, "path": str(path), "rule": ""}
    yield GameVerdict(message, {**about, "games": games, "failed": failed})


def _is_store(path: Path) -> bool:
    with files.open_file(path) as file:
        return FORMAT.encode() in file.read(200)


@contextmanager
def stored(path: Path) -> Generator[StoredDigests]:
    """Yield the digests in a file; raises NotUnderstood for any other file."""
    if not _is_store(path):
        hint = "pbem diff-engines --store writes such a file"
        raise NotUnderstood(f"{path} is not a file of digests", path=str(path), hint=hint)
    with temporary("game (head TEXT PRIMARY KEY, digests TEXT, met INTEGER)") as found:
        found.executemany("INSERT OR REPLACE INTO game VALUES (?, ?, 0)", _rows_in(path))
        yield StoredDigests(found)


def _rows_in(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the head and the digests of every game in a file; raises NotUnderstood if something is wrong with it."""
    with files.open_file(path, buffering=-1) as file:
        games: Any = None
        number = 0
        for number, line in enumerate(iter(lambda: file.readline(_LONGEST_ROW), b"")):
            name = f"{path}, line {number + 1}"
            row = formats.parse(formats.decode(line, name=name), "json", name=name, limit=_LONGEST_ROW)
            if number == 0:
                games = row.get("games")
                continue
            head, digests = row.get("head"), row.get("digests")
            if not isinstance(head, str) or not isinstance(digests, str) or not _DIGESTS.fullmatch(digests):
                raise NotUnderstood(f"{name} does not contain digests of a game", path=str(path))
            yield head, digests
    if number != games:
        raise NotUnderstood(
            f"{path} is incomplete: it does not have as many games as its first line says", path=str(path)
        )

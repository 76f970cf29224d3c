"""What a change to the rules affects: an archive is replayed, and compared with the digests of an earlier version.

A file of digests has a JSON object on each line: first its format and the number of
games, then for every game its id, its head, and eight hexadecimal digits for the
situation after each line of its log, up to one that the rules do not allow.
"""

import json
import re
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final, NamedTuple

from pbem import files, formats, interrupts
from pbem.errors import Broken, CannotCreate, NotUnderstood, PbemError
from pbem.first_sparks.codec import encode_state
from pbem.first_sparks.proof import Claim, check_end, check_head, replayed
from pbem.grammar import plural
from pbem.scripts.archive import GameVerdict, Looking, Place, each_game, wrong
from pbem.scripts.jobs import Workers
from pbem.scripts.kept import Keep
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


def changes(
    places: Iterable[Place], before: dict[str, str], workers: Workers, keep: Keep | None = None
) -> Iterator[GameVerdict]:
    """Yield the first line that differs from *before* in every game that changed, and finally the totals.

    *before* are the digests by the head of the game.
    """
    count: dict[str, int] = dict.fromkeys(("games", "changed", "failed", "new"), 0)
    missing = set(before)
    courses = each_game(_REPLAYING, places, workers, keep)
    for course in filter(None, courses):
        count["games"] += 1
        missing.discard(course.head)
        change = _change(course, before[course.head]) if course.head in before else None
        if change is not None:
            count["changed"] += 1
            yield _changed(course, *change)
        elif course.unsound:
            count["failed"] += 1
            yield wrong(course.path, course.unsound)
        elif len(before.get(course.head, "")) > _DIGITS * len(course.log):
            count["failed"] += 1
            yield wrong(course.path, NotUnderstood("the game has more digests than its log has lines"))
        elif course.head not in before:
            count["new"] += 1
    count["missing"] = len(missing)
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
    rows: list[str] = []
    failed = 0
    courses = each_game(_REPLAYING, places, workers, keep)
    for course in filter(None, courses):
        if course.unsound:
            failed += 1
            yield wrong(course.path, course.unsound)
        else:
            rows.append(json.dumps({"game": course.game, "head": course.head, "digests": "".join(course.digests)}))
    if files.exists(path) and not _is_store(path):
        raise CannotCreate(
            f"{path} already exists and is not a file of digests", path=str(path), hint="choose another name"
        )
    games = 0 if failed else len(rows)
    message = plural(games, "the digests of {n} game were stored", "the digests of {n} games were stored")
    if failed:
        message = plural(
            failed, "nothing was stored, because {n} game failed", "nothing was stored, because {n} games failed"
        )
    else:
        with interrupts.hold(message):
            files.replace(path, "\n".join((json.dumps({"format": FORMAT, "games": games}), *rows)) + "\n")
    about = {"ok": not failed, "code": "stored", "message": message, "path": str(path), "rule": ""}
    yield GameVerdict(message, {**about, "games": games, "failed": failed})


def _is_store(path: Path) -> bool:
    with files.open_file(path) as file:
        return FORMAT.encode() in file.read(200)


def stored(path: Path) -> dict[str, str]:
    """Return the digests in a file, by the head of the game; raises NotUnderstood for any other file."""
    found: dict[str, str] = {}
    if not _is_store(path):
        hint = "pbem diff-engines --store writes such a file"
        raise NotUnderstood(f"{path} is not a file of digests", path=str(path), hint=hint)
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
            found[head] = digests
    if number != games:
        raise NotUnderstood(
            f"{path} is incomplete: it does not have as many games as its first line says", path=str(path)
        )
    return found

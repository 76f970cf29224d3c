"""One change to a game's folder: wholly or not at all, wherever the power fails.

What a mail brings about - the game, players, talk, the letters, the line of the
journal - is first written into the folder ``pending``; then ``plan.json`` appears
there, and that is the moment at which it has happened. All that is left to do is
to move files to where they belong, and whoever next locks the game does what is
left of it; a folder without a plan is swept away.
"""

import json
import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from pbem import files, formats, interrupts, reading
from pbem.errors import CannotWrite, NoSuchFile, PbemError, TryAgain
from pbem.first_sparks.sha import sha256
from pbem.mail.club import Club, Table
from pbem.ownership import hand_on, replaceable

PLAN: Final = "plan.json"
LONGEST_WAIT = 20.0  # seconds for a game that somebody else has locked
JOURNAL_LIMIT: Final = 64 * 1024 * 1024


class Change(NamedTuple):
    """What one mail brings about.

    *before* and *after* are heads of the game, the same where it has not moved.
    *parts* are names in the game's folder with what stands there afterwards,
    written as only the host may read it; *letters* pairs of a name and a mail.
    """

    journal: dict[str, Any]
    before: str = ""
    after: str = ""
    parts: tuple[tuple[str, bytes], ...] = ()
    letters: tuple[tuple[str, bytes], ...] = ()


@contextmanager
def held(club: Club, table: Table) -> Generator[None]:
    """Lock a game, and finish first what somebody has begun there; raises TryAgain if it stays locked."""
    with files.locked(table.game, wait=LONGEST_WAIT):
        try:
            recover(club, table)
        except OSError as error:
            raise _trouble(error, table.pending) from error
        yield


def write(club: Club, table: Table, change: Change) -> None:
    """Make the change; the game is locked, and a signal waits until it is made.

    Raises TryAgain, CannotWrite, or CannotCreate where a file is no longer ours alone, before anything has happened.
    """
    with interrupts.held(f"the game {table.name} was changed: {change.journal.get('code', 'done')}"):
        _write(club, table, change)


def _write(club: Club, table: Table, change: Change) -> None:
    pending = table.pending
    moves: list[tuple[str, str]] = []
    journal = change.journal
    if journal:
        replaceable(table.journal)
    try:
        pending.mkdir(mode=0o700, exist_ok=True)
        for number, (name, data) in enumerate(change.parts):
            target = table.folder / name
            _put(pending / str(number), data, target, private=name != table.game.name)
            moves.append((str(number), os.path.relpath(target, table.folder)))
            if journal and name == table.game.name:  # by that ``memory`` knows the file as one that we wrote
                journal = journal | {"file": sha256(data).hexdigest()}
        for name, letter in change.letters:
            _put(pending / name, letter)
            moves.append((name, os.path.relpath(club.outbox / "new" / name, table.folder)))
        plan = {"before": change.before, "after": change.after, "moves": moves, "journal": journal}
        files.replace(pending / PLAN, json.dumps(plan))
    except OSError as error:
        raise _trouble(error, pending) from error
    _finish(table, plan)


def recover(club: Club, table: Table) -> None:
    """Finish the change that is pending, or sweep away what never came to be one; the game is locked."""
    if not table.pending.is_dir():
        return
    path = table.pending / PLAN
    plan = json.loads(files.read_bytes(path)) if path.exists() else None
    if plan is not None and (head := _head(table)) is not None and head not in (plan["before"], plan["after"]):
        plan = None  # somebody has played on with the game file itself: what was to follow is out of date
    if plan is not None:
        _finish(table, plan)
    else:
        _sweep(table.pending)


def _head(table: Table) -> str | None:
    """Return the head of the game as it stands in its file, None if there is none yet."""
    try:
        text = files.read_text(table.game)
    except NoSuchFile:
        return None
    head = formats.parse(text, reading.format_in(text), name=str(table.game)).get("head")
    return head if isinstance(head, str) else ""


def _finish(table: Table, plan: dict[str, Any]) -> None:
    """Do what a plan says, or what is left of it: every step may have been taken already."""
    folders = {table.folder}
    try:
        for name, target in plan["moves"]:
            place = table.folder / target
            if not place.parent.is_dir():
                place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with suppress(FileNotFoundError):
                (table.pending / name).replace(place)
                folders.add(place.parent)
        if plan["journal"]:
            note(table.journal, plan["journal"])
        for folder in folders:
            _flush(folder)
        _sweep(table.pending)
    except OSError as error:
        raise _trouble(error, table.folder) from error


def _sweep(pending: Path) -> None:
    """Remove the folder of a change, its plan first."""
    with suppress(FileNotFoundError):
        (pending / PLAN).unlink()
    for path in pending.iterdir():
        path.unlink()
    pending.rmdir()


def note(journal: Path, row: dict[str, Any]) -> None:
    """Add a line to a journal unless it is the last one already; half a line of a full disk is overwritten.

    The folder of the journal is locked.
    """
    line = json.dumps(row, ensure_ascii=True).encode() + b"\n"
    descriptor = os.open(journal, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "r+b", buffering=0) as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 64 * 1024))
        tail = file.read()
        whole = tail.rfind(b"\n") + 1
        if tail[:whole].endswith(line) and tail[:whole][-len(line) - 1 : -len(line)] in (b"", b"\n"):
            return
        file.seek(size - len(tail) + whole)
        file.truncate()
        file.write(line)
        os.fsync(descriptor)


def journal_rows(journal: Path) -> tuple[dict[str, Any], ...]:
    """Return the lines of a journal that are whole, the first one first."""
    if not journal.exists():
        return ()
    rows: list[dict[str, Any]] = []
    for line in files.read_bytes(journal, JOURNAL_LIMIT).splitlines():
        with suppress(ValueError):
            row = json.loads(line)
            if formats.is_table(row):
                rows.append(row)
    return tuple(rows)


def letter_name(game: str, turn: int, letter: bytes) -> str:
    """Return the name of a letter in the outbox: the same letter has the same, so that it lies there once."""
    digest: str = sha256(letter).hexdigest()
    return f"{game}-{turn:04}-{digest[:24]}"


def _put(path: Path, data: bytes, target: Path | None = None, *, private: bool = True) -> None:
    """Write a file that nobody reads before the plan stands beside it; it is whose the *target* was."""
    mode, old = 0o600 if private else 0o644, replaceable(target) if target is not None else None
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, mode)
    try:
        if target is not None and old is not None:
            hand_on(descriptor, target, old, mode if private else None)
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _flush(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _trouble(error: OSError, path: Path) -> PbemError:
    """Return what the caller is told: a full disk passes, other trouble needs the host."""
    import errno

    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EINTR, errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE):
        return TryAgain(
            f"{path} cannot be written now: {error.strerror}", path=str(path), hint="make room, and try again"
        )
    return CannotWrite(f"{path} cannot be written: {error.strerror}", path=str(path))

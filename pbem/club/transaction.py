"""One change to a game's folder: wholly or not at all, wherever the power fails.

What a message brings about - the game, players, talk, the letters, the line of the
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

from pbem import files, formats, interrupts, loading
from pbem.club.journal import note
from pbem.club.settings import Club
from pbem.club.table import Table
from pbem.club.writing.letter import Letter
from pbem.errors import CannotWrite, NoSuchFile, PbemError, TryAgain
from pbem.ownership import hand_on, replaceable
from pbem.sha import sha256

PLAN: Final = "plan.json"
LONGEST_WAIT = 20.0  # seconds for a game that somebody else has locked


class Change(NamedTuple):
    """What one message brings about.

    *before* and *after* are heads of the game, the same where it has not moved.
    *parts* are names in the game's folder with what stands there afterwards,
    written as only the host may read it.
    """

    journal: dict[str, Any]
    before: str = ""
    after: str = ""
    parts: tuple[tuple[str, bytes], ...] = ()
    letters: tuple[Letter, ...] = ()


@contextmanager
def locked(table: Table) -> Generator[None]:
    """Lock a game, and finish first what somebody has begun there; raises TryAgain if it stays locked."""
    with files.locked(table.game, wait=LONGEST_WAIT):
        try:
            recover(table)
        except OSError as error:
            raise _trouble(error, table.pending) from error
        yield


def write(club: Club, table: Table, change: Change) -> None:
    """Make the change; the game is locked, and a signal waits until it is made.

    Raises TryAgain, CannotWrite, or CannotCreate where a file is no longer ours alone, before anything has happened.
    """
    with interrupts.hold(f"the game {table.name} was changed: {change.journal.get('code', 'done')}"):
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
        for number, letter in enumerate(change.letters, len(moves)):
            posted = club.posted(letter)
            _put(pending / str(number), posted.data)
            moves.append((str(number), os.path.relpath(posted.path, table.folder)))
        plan = {"before": change.before, "after": change.after, "moves": moves, "journal": journal}
        files.replace(pending / PLAN, json.dumps(plan))
    except OSError as error:
        raise _trouble(error, pending) from error
    _finish(table, plan)


def recover(table: Table) -> None:
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
    head = formats.parse(text, loading.format_in(text), name=str(table.game)).get("head")
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

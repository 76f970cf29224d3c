"""One change to a game's folder: made completely or not at all, even if the power fails.

Everything that a message changes - the game, players, talk, the letters, the line of the
journal - is first written into the folder ``pending``. The change is made at the moment
when ``plan.json`` appears there. After that, files only have to be moved to their places;
the next process that locks the game finishes this. A folder without a plan is removed.
"""

import json
import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from pbem import files, formats, interrupts, loading
from pbem.club.carrier import Club
from pbem.club.changes import change_of
from pbem.club.folder import GameFolder
from pbem.club.journal import note
from pbem.errors import Broken, CannotWrite, NoSuchFile, PbemError, TryAgain
from pbem.formats import shown
from pbem.ownership import hand_on, replaceable
from pbem.sha import sha256
from pbem.table.letters.letter import Letter
from pbem.table.people import BOT

PLAN: Final = "plan.json"
LONGEST_WAIT = 20.0  # seconds for a game that somebody else has locked


class Change(NamedTuple):
    """Everything that one message changes.

    *heads* are those of the game before and after it, None if no move is made. *parts* are names in the game's folder
    with their new contents, which only the host may read.
    """

    journal: dict[str, Any]
    heads: tuple[str, str] | None = None
    parts: tuple[tuple[str, bytes], ...] = ()
    letters: tuple[Letter, ...] = ()


@contextmanager
def locked(folder: GameFolder) -> Generator[None]:
    """Lock a game and first finish a pending change; raises TryAgain if it stays locked.

    All who have locked a game share the lock on the folder of games, which a backup wants for itself.
    """
    together = files.locked(folder.folder, wait=LONGEST_WAIT, shared=True)
    with together, files.locked(folder.game, wait=LONGEST_WAIT):
        try:
            recover(folder)
        except OSError as error:
            raise _trouble(error, folder.pending) from error
        yield


def write(club: Club, folder: GameFolder, change: Change) -> None:
    """Make the change; the game is locked, and signals wait until it is made.

    Raises TryAgain, CannotWrite, or CannotCreate if a file is no longer ours alone; then nothing was changed.
    """
    with interrupts.hold(f"the game {folder.name} was changed: {change.journal.get('code', 'done')}"):
        _write(club, folder, change)


def _write(club: Club, folder: GameFolder, change: Change) -> None:
    pending = folder.pending
    moves: list[tuple[str, str]] = []
    journal = change.journal
    if journal:
        replaceable(folder.journal)
    try:
        pending.mkdir(mode=0o700, exist_ok=True)
        for number, (name, data) in enumerate(change.parts):
            target = folder.folder / name
            _put(pending / str(number), data, target, private=name != folder.game.name)
            moves.append((str(number), os.path.relpath(target, folder.folder)))
            if journal and name == folder.game.name:  # so that ``cache`` knows that we wrote the file
                journal = journal | {"file": sha256(data).hexdigest()}
        for posted in (club.posted(letter) for letter in change.letters if letter.to != BOT):
            for path, data in (*posted.beside, (posted.path, posted.data)):
                number = len(moves)
                _put(pending / str(number), data)
                moves.append((str(number), os.path.relpath(path, folder.folder)))
        before, after = change.heads or (_head(folder) or "",) * 2
        plan = {"before": before, "after": after, "moves": moves, "journal": journal}
        plan["changes"] = change_of(folder, change.parts)
        files.replace(pending / PLAN, json.dumps(plan))
    except OSError as error:
        raise _trouble(error, pending) from error
    _finish(folder, plan)


def is_made(folder: GameFolder) -> bool:
    """Return whether a change to a new game is made, even if a part of it is left for whoever locks the game next."""
    return folder.private.exists() or (folder.pending / PLAN).exists()


def recover(folder: GameFolder) -> None:
    """Finish the pending change, or remove its folder if it has no plan yet; the game is locked.

    Raises Broken for a plan that is damaged.
    """
    if not folder.pending.is_dir():
        return
    plan = plan_of(folder)
    if plan is not None and (head := _head(folder)) is not None and head not in (plan["before"], plan["after"]):
        plan = None  # somebody has since played with the game file itself, so the change is out of date
    if plan is not None:
        _finish(folder, plan)
    else:
        _sweep(folder.pending)


def plan_of(folder: GameFolder) -> dict[str, Any] | None:
    """Return the plan of the pending change, None without one; raises Broken if it is damaged."""
    path, pending = folder.pending / PLAN, shown(folder.pending)
    try:
        data = files.read_bytes(path)
    except NoSuchFile as missing:
        if isinstance(missing.__cause__, FileNotFoundError | NotADirectoryError):
            return None
        raise
    with suppress(ValueError, KeyError, TypeError):
        plan: dict[str, Any] = json.loads(data)
        texts = (plan["before"], plan["after"], *(text for name, place in plan["moves"] for text in (name, place)))
        if all(isinstance(text, str) for text in texts) and formats.is_table(plan["journal"]):
            return plan
    hint = f"move {pending} away: the change in it is lost; the command rebuild CLUB GAME says if the game is whole"
    raise Broken(f"{shown(path)} is damaged, so the change in it cannot be finished", path=shown(path), hint=hint)


def _head(folder: GameFolder) -> str | None:
    """Return the head of the game in its file, None before the file exists."""
    try:
        text = files.read_text(folder.game)
    except NoSuchFile:
        return None
    head = formats.parse(text, loading.format_in(text), name=str(folder.game)).get("head")
    return head if isinstance(head, str) else ""


def _finish(folder: GameFolder, plan: dict[str, Any]) -> None:
    """Carry out a plan, or the rest of it: any step may already have been taken."""
    changed = {folder.folder}
    try:
        for name, target in plan["moves"]:
            place = folder.folder / target
            if not place.parent.is_dir():
                place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with suppress(FileNotFoundError):
                (folder.pending / name).replace(place)
                changed.add(place.parent)
        for path, row in ((folder.journal, plan["journal"]), (folder.changes, plan.get("changes"))):
            if row:
                folder.mails.mkdir(mode=0o700, exist_ok=True)
                note(path, row)
        for each in changed:
            _flush(each)
        _sweep(folder.pending)
    except OSError as error:
        raise _trouble(error, folder.folder) from error


def _sweep(pending: Path) -> None:
    """Remove the folder of a change, beginning with its plan."""
    with suppress(FileNotFoundError):
        (pending / PLAN).unlink()
    for path in pending.iterdir():
        path.unlink()
    pending.rmdir()


def _put(path: Path, data: bytes, target: Path | None = None, *, private: bool = True) -> None:
    """Write a file that nobody reads before the plan exists; it gets the owner of the *target*."""
    mode, old = 0o600 if private else 0o644, replaceable(target) if target is not None else None
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, mode)
    with os.fdopen(descriptor, "wb", buffering=0):
        if target is not None and old is not None:
            hand_on(descriptor, target, old, mode if private else None)
        files.write_all(descriptor, data)
        os.fsync(descriptor)


def _flush(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _trouble(error: OSError, path: Path) -> PbemError:
    """Return the error to raise: a full disk is temporary, other trouble needs the host."""
    import errno

    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EINTR, errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE):
        return TryAgain(
            f"cannot write {path} now: {error.strerror}",
            path=str(path),
            hint="try again; if the disk is full, first free some space",
        )
    return CannotWrite(f"cannot write {path}: {error.strerror}", path=str(path))

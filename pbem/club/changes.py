"""What each change has left in ``minutes.txt`` and ``private.toml``, so that a host can make both again.

``mails/changes.ndjson`` has a line for each change, with what is different after it. Only a rebuild reads it. The state
of the clock is not in it: ticks write that without a change, and without it open questions get their full time again.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pbem import files, formats
from pbem.club import private
from pbem.club.folder import GameFolder, roster_in
from pbem.club.journal import JOURNAL_LIMIT, note
from pbem.club.toml_rows import tables_in
from pbem.errors import Broken, NoSuchFile, NotUnderstood
from pbem.table.minutes import read_minutes

_LIMIT: Final = 64 * 1024 * 1024  # bytes of minutes
_TICKS: Final = "ticks"
_SAYINGS: Final = "sayings"  # the section that can be long, and of which little changes


class LastState(NamedTuple):
    """What is kept of a game besides its moves: its minutes, and the sections of ``private.toml``."""

    minutes: str
    sections: dict[str, Any]


def change_of(folder: GameFolder, parts: Sequence[tuple[str, bytes]]) -> dict[str, Any]:
    """Return the line for a change that writes these parts; nothing if it leaves both files as they are."""
    row: dict[str, Any] = {}
    for name, data in parts:
        if name == folder.minutes.name:
            before = files.read_text(folder.minutes, _LIMIT) if folder.minutes.exists() else ""
            row["minutes"] = _difference(before.splitlines(keepends=True), data.decode().splitlines(keepends=True))
        elif name == folder.private.name:
            kept = private.sections(folder.private) if folder.private.exists() else dict[str, Any]()
            row["private"] = _changed(kept, tables_in(data.decode(), folder.private, private.FORMAT))
    return {key: value for key, value in row.items() if value}


def keep(folder: GameFolder, changed: Mapping[str, object]) -> None:
    """Write sections of ``private.toml`` of a running game, and the line for it; the game is locked."""
    note(folder.changes, {"private": dict(changed)})
    private.keep(folder.private, changed)


def _changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    names = (name for name in sorted(before.keys() | after.keys()) if name != _TICKS)
    changed = {name: after.get(name) for name in names if after.get(name) != before.get(name)}
    if _SAYINGS in changed:
        changed[_SAYINGS] = _difference(before.get(_SAYINGS, []), after.get(_SAYINGS, []))
    return changed


def _difference(before: Sequence[Any], after: Sequence[Any]) -> list[Any]:
    """Return how many items stay at the begin and at the end, and what is between them afterwards."""
    most = min(len(before), len(after))
    first = next((n for n in range(most) if before[n] != after[n]), most)
    last = next((n for n in range(most - first) if before[-1 - n] != after[-1 - n]), most - first)
    return [first, last, list(after[first : len(after) - last])]


def _after(before: list[Any], difference: Sequence[Any], kind: type) -> list[Any]:
    """Return the items after a difference; raises ValueError or TypeError if it is not one of *before*."""
    first, last, between = difference
    if not (0 <= first <= len(before) - last <= len(before)) or not all(isinstance(item, kind) for item in between):
        raise ValueError("a line before this one is missing")
    return [*before[:first], *between, *before[len(before) - last :]]


def _rows(folder: GameFolder) -> Iterator[dict[str, Any]]:
    """Yield all lines; the last one may have been cut off. Raises ValueError for one that is damaged."""
    for line in files.read_bytes(folder.changes, JOURNAL_LIMIT).split(b"\n")[:-1]:
        row = json.loads(line)
        if not formats.is_table(row):
            raise ValueError("not a table")
        yield row


def has_minutes(folder: GameFolder) -> bool:
    """Return whether a change has left minutes, so that they are lost if they are not there."""
    return folder.changes.exists() and b'"minutes": [' in files.read_bytes(folder.changes, JOURNAL_LIMIT)


def kept_of(folder: GameFolder) -> LastState:
    """Return what the changes of a game have left; raises NoSuchFile, Broken if lines are damaged or missing."""
    if not folder.changes.exists():
        raise NoSuchFile(f"{folder.changes} is missing", path=str(folder.changes))
    minutes, sections = list[str](), dict[str, Any]()
    try:
        for row in _rows(folder):
            minutes = _after(minutes, row["minutes"], str) if "minutes" in row else minutes
            changed = dict(row.get("private", {}))
            if _SAYINGS in changed:
                changed[_SAYINGS] = _after(sections.get(_SAYINGS) or [], changed[_SAYINGS], dict)
            sections |= changed
        kept = LastState("".join(minutes), {name: value for name, value in sections.items() if value})
        roster = roster_in(tables_in(_private_text(kept), folder.private, private.FORMAT), folder.private)
        if kept.minutes:
            read_minutes(kept.minutes, folder.name)
        if not roster.players and roster.opening is None:
            raise ValueError("there is nobody to play")
    except (TypeError, ValueError, NotUnderstood):
        why = f"{folder.changes.name} is damaged, or a line of it is missing"
        raise Broken(why, path=str(folder.changes), hint="put it back from a backup of the club") from None
    return kept


def _private_text(kept: LastState) -> str:
    return private.text_with({}, kept.sections).decode()


def restored(folder: GameFolder, kept: LastState) -> list[str]:
    """Write what is missing of both files, and return the names of what was written; the game is locked."""
    written = {folder.private: _private_text(kept), folder.minutes: kept.minutes}
    names = [path.name for path, text in written.items() if text and not path.exists()]
    for path, text in reversed(written.items()):  # nobody uses a game before private.toml is there
        if path.name in names:
            files.create(path, text, mode=0o600)
    return names


def differences(folder: GameFolder, kept: LastState) -> list[str]:
    """Return which sections of ``private.toml``, or ``minutes``, are not what the changes have left."""
    now = private.sections(folder.private)
    found = [name for name in sorted(now.keys() | kept.sections.keys()) if name != _TICKS]
    other = [name for name in found if now.get(name) != kept.sections.get(name)]
    minutes = files.read_text(folder.minutes, _LIMIT) if folder.minutes.exists() else ""
    return [*other, *(["minutes"] if minutes != kept.minutes else [])]

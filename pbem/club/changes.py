"""What each change has left in ``minutes.txt`` and ``private.toml``, so that a host can make both again.

``mails/changes.ndjson`` has a line for each change, with what is different after it. Only a rebuild reads it. The state
of the clock is not in it: ticks write that without a change, and without it open questions get their full time again.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from pbem import files
from pbem.club import private
from pbem.club.folder import GameFolder
from pbem.club.journal import journal_rows, note
from pbem.club.toml_rows import tables_in
from pbem.errors import Broken, NoSuchFile

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


def _after(before: list[Any], difference: Sequence[Any]) -> list[Any]:
    first, last, between = difference
    return [*before[:first], *between, *before[len(before) - last :]]


def kept_of(folder: GameFolder) -> LastState:
    """Return what the changes of a game have left; raises NoSuchFile, Broken if the lines are damaged."""
    if not folder.changes.exists():
        raise NoSuchFile(f"{folder.changes} is missing", path=str(folder.changes))
    minutes, sections = list[str](), dict[str, Any]()
    try:
        for row in journal_rows(folder.changes):
            minutes = _after(minutes, row["minutes"]) if "minutes" in row else minutes
            changed = dict(row.get("private", {}))
            if _SAYINGS in changed:
                changed[_SAYINGS] = _after(sections.get(_SAYINGS) or [], changed[_SAYINGS])
            sections |= changed
    except (TypeError, ValueError):
        raise Broken(f"{folder.changes.name} is damaged", path=str(folder.changes)) from None
    return LastState("".join(minutes), {name: value for name, value in sections.items() if value})


def restored(folder: GameFolder, kept: LastState) -> list[str]:
    """Write what is missing of both files, and return the names of what was written; the game is locked."""
    written = {folder.private: private.text_with({}, kept.sections).decode(), folder.minutes: kept.minutes}
    names = [path.name for path, text in written.items() if text and not path.exists()]
    for path, text in written.items():
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

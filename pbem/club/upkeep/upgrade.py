"""A club that the first version of pbem has made, as this version keeps it.

It kept in seven files what ``private.toml`` has now, the journal beside the game, and no minutes. Of each game all that
is new is written before anything old goes, and the format in ``club.toml`` changes last: after an interruption the same
command goes on.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from shutil import rmtree
from typing import Any, Final, NamedTuple

from pbem import files, formats, loading
from pbem.club import private
from pbem.club.changes import change_of
from pbem.club.folder import GameFolder, roster_in
from pbem.club.journal import note
from pbem.club.settings import check_own, write_key
from pbem.club.toml_rows import format_in, tables_in, text_in
from pbem.errors import NoSuchFile, NotUnderstood, TryAgain
from pbem.formats import shown
from pbem.table.lines import HOST, line_now
from pbem.table.matters.kinds import Pause
from pbem.table.minutes import Minutes, text_of
from pbem.table.progress import absence_of

_UPGRADES: Final = {"pbem-club/1": "pbem-club/2", "pbem-folders/1": "pbem-folders/2"}
_WAIT: Final = 60.0  # seconds for a moment at which no game is being changed
_LIMIT: Final = 8 * 1024 * 1024  # bytes of a file
_ROSTER: Final = "players.toml"
_COMPONENTS: Final = "components.toml"
_MOTION: Final = "wish.toml"
_REST: Final = ("clock.toml", "ticks.toml", "plans.toml", "notes.toml", "talk.toml", _MOTION, _COMPONENTS)


class Upgraded(NamedTuple):
    """The formats of a club before and after, the names of its games, and of those of which a motion was dropped.

    *new_key* says whether its key was lost, and is another one now.
    """

    before: str
    after: str
    games: tuple[str, ...]
    dropped: tuple[str, ...]
    new_key: bool = False


def upgrade(folder: Path) -> Upgraded:
    """Make a club of the first version one of this version, with no other program at work in it; once is enough.

    A club of this version only gets a new key, if its own is lost.

    Raises NoSuchFile, CannotCreate if it belongs to another user, NotUnderstood if it is not of the first version or a
    file of it cannot be read, TryAgain if a change of a game was interrupted.
    """
    path = folder / "club.toml"
    if not path.exists():
        raise NoSuchFile(f"{shown(folder)} is not a club", path=shown(path), hint="give the folder with its club.toml")
    check_own(folder)
    text = text_in(path)
    before = format_in(folder)
    if before in _UPGRADES.values():
        if (folder / "club.secret.toml").exists():
            return Upgraded(before, before, (), ())
        write_key(folder)
        return Upgraded(before, before, (), (), new_key=True)
    if before not in _UPGRADES:
        hint = f"only {' and '.join(_UPGRADES)} can be upgraded; nothing was changed"
        raise NotUnderstood(f"{shown(path)} has the format {before[:40]!a}", path="format", hint=hint)
    after, dropped = _UPGRADES[before], list[str]()
    changed = re.sub(rf"(?m)^(\s*[\"']?format[\"']?\s*=\s*.){before}", rf"\g<1>{after}", text, count=1)
    with files.locked(folder / "games" / "all", wait=_WAIT):
        places = map(GameFolder, sorted((folder / "games").iterdir()))
        games = [game for game in places if game.private.exists() or (game.folder / _ROSTER).exists()]
        parts = [_parts_of(game) for game in games]  # all of them, before anything is changed
        for game, new in zip(games, parts, strict=True):
            motion = game.folder / _MOTION
            dropped += [game.name] if motion.exists() and "wish" in _tables(motion) else []
            with files.locked(game.game, wait=_WAIT):
                _write(game, new)
        for index in folder.glob(".pbem-index*"):
            index.unlink()
        files.replace(path, changed, mode=0o600)
    return Upgraded(before, after, tuple(game.name for game in games), tuple(dropped))


def is_older(folder: Path) -> bool:
    """Return whether a folder has a club of the first version; raises NoSuchFile, NotUnderstood."""
    return format_in(folder) in _UPGRADES


def _parts_of(game: GameFolder) -> dict[str, bytes]:
    """Return the files that a game needs besides those it has, none if it has them; raises NotUnderstood, TryAgain."""
    if (game.pending / "plan.json").exists():
        hint = "run the command status once with the version that has made the club; it finishes that change"
        raise TryAgain(f"a change of {game.name} was interrupted", hint=hint)
    if game.private.exists():
        return {}
    kept = private.text_with({}, _sections(game.folder))
    parts = {game.private.name: kept}
    roster = roster_in(tables_in(kept.decode(), game.private, private.FORMAT), game.private)
    if not roster.players and roster.opening is None:
        raise NotUnderstood(f"{game.folder / _ROSTER} has nobody to play", path=_ROSTER)
    if game.game.exists():
        record, minutes = loading.load(game.game).record, Minutes()
        for player in roster.players:
            if away := absence_of(player):
                minutes = minutes.after(line_now(record, player.colour, away, 0))
        if roster.paused:
            minutes = minutes.after(line_now(record, HOST, Pause(), 0))
        if minutes.lines:
            parts = {game.minutes.name: text_of(minutes, game.name).encode(), **parts}
    return parts


def _write(game: GameFolder, parts: dict[str, bytes]) -> None:
    """Write how the new files can be made again, and then those; then the old ones go."""
    game.mails.mkdir(mode=0o700, exist_ok=True)
    if parts:
        for path in (game.changes, game.minutes):  # of a run that was interrupted
            path.unlink(missing_ok=True)
        note(game.changes, change_of(game, tuple(parts.items())))
    for name, data in parts.items():
        files.replace(game.folder / name, data, mode=0o600)
    for name, place in (("journal.ndjson", game.journal), ("begun.toml", game.begun), ("taken-back", game.taken_back)):
        if (old := game.folder / name).exists():
            old.replace(place)
    for old in (*game.folder.glob("board-*.png"), *(game.folder / name for name in (*_REST, _ROSTER))):
        old.unlink(missing_ok=True)
    rmtree(game.pending, ignore_errors=True)


def _sections(folder: Path) -> Mapping[str, object]:
    """Return the sections of ``private.toml`` for a game in that folder; raises NotUnderstood."""
    found = _tables(folder / _ROSTER)
    if formats.is_table(opening := found.get("opening")) and (folder / _COMPONENTS).exists():
        found["opening"] = opening | {"components": files.read_text(folder / _COMPONENTS, _LIMIT)}
    ticks = _tables(folder / "ticks.toml")
    if formats.is_table(question := ticks.get("question")):  # it was only one at first
        ticks["question"] = [question]
    try:
        notes = {row["colour"]: row["text"] for row in _tables(folder / "notes.toml").get("notes", ())}
    except (KeyError, TypeError):
        raise NotUnderstood(f"{folder / 'notes.toml'} has no notes", path="notes") from None
    plans, sayings = (_rows(folder / name, key) for name, key in (("plans.toml", "players"), ("talk.toml", "sayings")))
    return found | {
        "clock": _tables(folder / "clock.toml"),
        "ticks": ticks,
        "plans": plans,
        "notes": notes,
        "sayings": sayings,
    }


def _rows(path: Path, key: str) -> list[dict[str, Any]]:
    """Return the tables of a file under a key; raises NotUnderstood if they are something else."""
    found = _tables(path).get(key, [])
    if not formats.is_list(found) or not all(map(formats.is_table, found)):
        raise NotUnderstood(f"{path} has no tables {key}", path=key)
    return found


def _tables(path: Path) -> dict[str, Any]:
    """Return what a file has but for its format, nothing if it is not there; raises NotUnderstood."""
    data = formats.parse(files.read_text(path, _LIMIT), "toml", name=str(path)) if path.exists() else {}
    return {key: value for key, value in data.items() if key != "format"}

"""The secret of a player in a shared game: kept on the player's machine, and opened value by value.

It lies in the user's data folder, not beside the game: everybody may have the game's folder, and a repository is
pushed. Each value is noted there before it is opened, with the course of the game for which it is. If it were opened
in a second course too, somebody could know a draw of that before it is decided what it follows.
"""

import os
import re
import sys
from pathlib import Path
from typing import Any, Final, NamedTuple

from pbem import files, formats
from pbem.errors import Broken, Illegal, NoSuchFile, NotAllowed, NotUnderstood
from pbem.first_sparks.adjudicator import Entry
from pbem.first_sparks.chance.contributions import Opens, Renews
from pbem.first_sparks.moves import AgreeEnd, Resign
from pbem.first_sparks.record import Record
from pbem.first_sparks.state import CHANCE
from pbem.locale import phrase

CHAIN_FORMAT: Final = "first-sparks-chain/2"
_DIGITS: Final = re.compile("[0-9a-f]{64}")
_NOTE: Final = re.compile("([0-9a-f]{64}) ([0-9a-f]{64})")  # a value, and the head of the course that it is for
_NAMED: Final = 8  # digits of the first value in the name of a file


class _Kept(NamedTuple):
    """What a file holds: the secret, and the values that were opened, each with the head of the course it is for."""

    secret: bytes
    opened: dict[str, str]


class OwnChains:
    """The chains whose secrets are on this machine."""

    def opens(self, record: Record, colour: str) -> str:
        """Return the next value of a player's chain, and note for which course of the game it is opened.

        Raises NoSuchFile if its secret is not here, and NotAllowed if the value was opened for another course.
        """
        path = path_of(record, colour)
        _read(record, colour, path)  # without it there may be no folder to lock
        with files.locked(path):
            kept = _read(record, colour, path)
            later = _later(record, colour, kept)
            if not later:
                hint = "begin a new one: draw with --new-secret"
                raise Illegal("all values of your chain have been opened", hint=hint)
            if _is_spent(record, colour, kept, later):
                raise NotAllowed(
                    "you have opened this value for another course of the game, and may not open it again",
                    hint="go on with the file in which you opened it; "
                    "if the others go on with this one, draw with --new-secret, once in a game",
                )
            if later[0] not in kept.opened:
                opened = {**kept.opened, later[0]: _course(record, colour)}
                _write(path, record.game, colour, kept._replace(opened=opened))
        return later[0]


def begun(record: Record, colour: str, secret: bytes) -> str:
    """Keep a new secret for a player of a game, and return the first value of its chain."""
    value = record.chain(colour).first_value(secret).hex()
    path = _place(record.game, colour, value)
    if not files.exists(path):  # else the same secret has served before, and what was opened stays noted
        _write(path, record.game, colour, _Kept(secret, {}))
    return value


def restored(record: Record, colour: str, secret: bytes) -> None:
    """Keep the secret again that a player has noted; raises Broken if it is not the one of this player."""
    path = path_of(record, colour)
    if record.chain(colour).first_value(secret).hex() != _start(record, colour):
        raise Broken(phrase("this is not the secret with which this player has joined the game"))
    if not files.exists(path):
        _write(path, record.game, colour, _Kept(secret, {}))


def secret_of(record: Record, colour: str) -> bytes:
    """Return the secret of a player who has it on this machine; raises NoSuchFile, NotUnderstood."""
    return _read(record, colour, path_of(record, colour)).secret


def is_here(record: Record, colour: str) -> bool:
    """Return whether the secret of a player is on this machine."""
    return colour in dict(record.chance.joined) and files.exists(path_of(record, colour))


def is_spent(record: Record, colour: str) -> bool:
    """Return whether a player is asked now who could open no value, or only one that was opened for another course."""
    kept = _read(record, colour, path_of(record, colour))
    return record.asked == colour and _is_spent(record, colour, kept, _later(record, colour, kept))


def folder() -> Path:
    """Return pbem's folder for the data of this user; ``platformdirs`` would be one more package, for these lines."""
    said = os.environ.get("XDG_DATA_HOME", "")
    if Path(said).is_absolute():
        return Path(said) / "pbem"
    try:
        home = Path.home()
    except RuntimeError as error:
        raise NoSuchFile(
            "your secret cannot be kept, because you have no home folder", hint="set XDG_DATA_HOME"
        ) from error
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "pbem"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "pbem"
    return home / ".local" / "share" / "pbem"


def _place(game: str, colour: str, value: str) -> Path:
    return folder() / f"{game}-{colour}-{value[:_NAMED]}.toml"


def path_of(record: Record, colour: str) -> Path:
    """Return where the secret of a player is kept, whether or not it is here."""
    return _place(record.game, colour, _start(record, colour))


def _start(record: Record, colour: str) -> str:
    """Return the first value of the chain that a player uses now."""
    said_by_it = (entry.move for entry, _ in reversed(record.history) if entry.by == colour)
    return next((said.value for said in said_by_it if isinstance(said, Renews)), dict(record.chance.joined)[colour])


def _read(record: Record, colour: str, path: Path) -> _Kept:
    try:
        data = formats.parse(files.read_text(path), "toml", name=str(path))
    except NoSuchFile as missing:
        player = dict(record.players)[colour]
        raise NoSuchFile(
            f"the secret of {player} ({colour}) was not found: {missing.message}",
            path=missing.path,
            hint="bring it back with the line that you got when you joined, or if it is lost, draw with --new-secret",
        ) from None
    form, secret, rows = data.get("format"), str(data.get("secret")), data.get("opened", [])
    notes = [_NOTE.fullmatch(str(row)) for row in rows] if formats.is_list(rows) else [None]
    is_ours = (form, data.get("game"), data.get("colour")) == (CHAIN_FORMAT, record.game, colour)
    if not is_ours or not _DIGITS.fullmatch(secret) or None in notes:
        raise NotUnderstood("this is not the file with the secret of this player", path=str(path))
    return _Kept(bytes.fromhex(secret), {note[1]: note[2] for note in notes if note})


def _write(path: Path, game: str, colour: str, kept: _Kept) -> None:
    data: dict[str, Any] = {"format": CHAIN_FORMAT, "game": game, "colour": colour, "secret": kept.secret.hex()}
    data |= {"opened": [f"{value} {head}" for value, head in kept.opened.items()]} if kept.opened else {}
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    files.replace(path, formats.dump(data, "toml"), mode=0o600)


def _later(record: Record, colour: str, kept: _Kept) -> list[str]:
    """Return the values of a player's chain that the game has not seen yet, in the order in which they open."""
    shown = bytes.fromhex(dict(record.given.shown)[colour])
    return [value.hex() for value in record.chain(colour).values(kept.secret, shown)]


def _is_spent(record: Record, colour: str, kept: _Kept, later: list[str]) -> bool:
    """Return whether no value is left, or the next one must not be opened here, since that or a later one was before.

    It may be opened again in the same course, for example if the file could not be written. But a mover whose game has
    gone on knows the draw, and could order something else now.
    """
    opened = [value for value in later if value in kept.opened]
    if not opened:
        return not later
    is_known = not record.given.value and len(opened) > 1
    return is_known or kept.opened.get(later[0]) != _course(record, colour)


def _course(record: Record, colour: str) -> str:
    """Return the head up to which a course of the game must be the same for a player to open the next value again.

    An opener's value is for that of the mover, and so for one order. A mover's is for what comes before the own
    orders: until somebody opens, nobody knows what they draw, and others may take their place. So may a resignation or
    an agreement of another player: through git, it can come first.
    """
    entries = [entry for entry, _ in record.history]
    line = len(entries)
    if record.given.value:
        while entries[line - 1].move != Opens(record.given.value):
            line -= 1
    else:
        while line and _may_be_replaced(entries[line - 1], colour):
            line -= 1
    return record.lines.heads[line]


def _may_be_replaced(entry: Entry, colour: str) -> bool:
    """Return whether a line is an order of that player or follows from it, or could have been given at any time."""
    is_forced = entry.by == CHANCE and entry.clan != CHANCE
    return is_forced or entry.by == colour or isinstance(entry.move, Resign | AgreeEnd)

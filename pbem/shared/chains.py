"""The secret of a player in a shared game: kept on the player's machine, and opened value by value.

It lies in the user's data folder, not beside the game: everybody may have the game's folder, and a repository is
pushed.
"""

import os
import re
import sys
from pathlib import Path
from typing import Any, Final, NamedTuple

from pbem import files, formats
from pbem.errors import Broken, Illegal, NoSuchFile, NotAllowed, NotUnderstood
from pbem.first_sparks.chance.contributions import Opens, Renews
from pbem.first_sparks.record import Record, at_line

CHAIN_FORMAT: Final = "first-sparks-chain/1"
_DIGITS: Final = re.compile("[0-9a-f]{64}")
_NAMED: Final = 8  # digits of the first value in the name of a file


class _Kept(NamedTuple):
    """What a file holds: the secret, and the value that was opened last for somebody else's decision, at this head."""

    secret: bytes
    opened: str = ""
    head: str = ""


class OwnChains:
    """The chains whose secrets are on this machine."""

    def opens(self, record: Record, colour: str) -> str:
        """Return the next value of a player's chain; raises NoSuchFile if its secret is not here.

        As an opener, a player knows the draw at once, and the mover with the help of the value. So the same value
        is not opened for another decision: that raises NotAllowed.
        """
        path = _path(record, colour)
        secret = _read(record, colour, path).secret
        later = record.chain(colour).values(secret, bytes.fromhex(dict(record.given.shown)[colour]))
        if not later:
            raise Illegal("all values of your chain have been opened", hint="begin a new one: draw with --new-secret")
        if record.given.value:
            with files.locked(path):
                _open_once(record, colour, path, _read(record, colour, path), [value.hex() for value in later])
        return later[0].hex()


def begun(record: Record, colour: str, secret: bytes) -> str:
    """Keep a new secret for a player of a game, and return the first value of its chain."""
    value = record.chain(colour).first_value(secret).hex()
    _write(_place(record.game, colour, value), record.game, colour, _Kept(secret))
    return value


def restored(record: Record, colour: str, secret: bytes) -> None:
    """Keep the secret again that a player has noted; raises Broken if it is not the one of this player."""
    path = _path(record, colour)
    if record.chain(colour).first_value(secret).hex() != _start(record, colour):
        raise Broken("this is not the secret with which this player has joined the game")
    if not files.exists(path):
        _write(path, record.game, colour, _Kept(secret))


def is_here(record: Record, colour: str) -> bool:
    """Return whether the secret of a player is on this machine."""
    return colour in dict(record.chance.joined) and files.exists(_path(record, colour))


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


def _path(record: Record, colour: str) -> Path:
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
    secret, opened, head = (data.get(key, "") for key in ("secret", "opened", "head"))
    told = (data.get("format"), data.get("game"), data.get("colour"))
    digits = all(isinstance(text, str) and (not text or _DIGITS.fullmatch(text)) for text in (secret, opened, head))
    if told != (CHAIN_FORMAT, record.game, colour) or not digits or not secret:
        raise NotUnderstood("this is not the file with the secret of this player", path=str(path))
    return _Kept(bytes.fromhex(secret), opened, head)


def _write(path: Path, game: str, colour: str, kept: _Kept) -> None:
    data: dict[str, Any] = {"format": CHAIN_FORMAT, "game": game, "colour": colour, "secret": kept.secret.hex()}
    data |= {"opened": kept.opened, "head": kept.head} if kept.opened else {}
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    files.replace(path, formats.dump(data, "toml"), mode=0o600)


def _open_once(record: Record, colour: str, path: Path, kept: _Kept, later: list[str]) -> None:
    """Note for which decision a value is opened; raises NotAllowed if it was opened for another."""
    moves = [entry.move for entry, _ in record.history]
    head = at_line(record, len(moves) - moves[::-1].index(Opens(record.given.value))).head
    if (kept.opened, kept.head) == (later[0], head):
        return
    if kept.opened in later:
        raise NotAllowed(
            "you have opened this value for another course of the game, and may not open it again",
            hint="somebody has changed the game after you drew; compare the file with those of the others",
        )
    _write(path, record.game, colour, kept._replace(opened=later[0], head=head))

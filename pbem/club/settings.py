"""The settings of a club: its ``club.toml``, which hosts edit, and its own key."""

import os
import re
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, Final, TypeVar

from pbem import files, formats, interrupts
from pbem.club.carrier import Club
from pbem.club.toml_rows import build, read, row_of
from pbem.errors import CannotCreate, NoSuchFile, NotUnderstood, UsageError
from pbem.formats import shown
from pbem.ownership import user_name
from pbem.table.times import zone_of

KEY_BYTES: Final = 32
MOST_STRANGERS: Final = 1000  # letters to strangers a day
SECRET_FORMAT: Final = "pbem-club/1"  # noqa: S105 -- the name of a format


ClubKind = TypeVar("ClubKind", bound=Club)


def settings_of(kind: type[ClubKind], folder: Path) -> ClubKind:
    """Return the club in the folder; its fields that are named tuples are the tables in its ``club.toml``.

    Raises NoSuchFile, NotUnderstood, CannotCreate if it belongs to another user.
    """
    path = folder / "club.toml"
    try:
        data = read(path, kind.form)
    except NoSuchFile:
        raise NoSuchFile(f"{folder} is not a club", path=str(path), hint=kind.to_make) from None
    tables: dict[str, Any] = {field.name: field.type for field in fields(kind) if hasattr(field.type, "_fields")}
    rows = {name: build(row, data.get(name, {}), path, f"[{name}] of ") for name, row in tables.items()}
    club = build(kind, data | rows, path, folder=folder)
    zone_of(club.timezone)
    for key in ("address", "host"):
        if not club.is_address(getattr(club, key)):
            raise NotUnderstood(
                f"{key} in {path} is not a valid address", path=key, hint=club.wrong_with(getattr(club, key))
            )
    if not 0 <= club.strangers_a_day <= MOST_STRANGERS:
        hint = f"it must be 0 to {MOST_STRANGERS}, not {club.strangers_a_day}"
        raise NotUnderstood(f"invalid value for strangers_a_day in {path}", path="strangers_a_day", hint=hint)
    return club


def club_text(club: Club) -> str:
    """Return the text of ``club.toml``."""
    said = {field.name: getattr(club, field.name) for field in fields(club) if field.name != "folder"}
    rows = {key: row_of(value) if hasattr(value, "_asdict") else value for key, value in said.items() if value != ""}
    return formats.dump({"format": club.form} | rows, "toml")


def players_address(club: Club, address: str) -> str:
    """Return the address if a player can have it; raises UsageError if it is invalid or the club's own."""
    if not club.is_address(address):
        raise UsageError(
            club.not_an_address.format(text=ascii(address[:60])),
            hint="; ".join(filter(None, (club.wrong_with(address), club.address_hint))),
        )
    if club.is_ours(address):
        raise UsageError(
            f"{address} is the club's own address, where no player reads letters",
            hint="give the address where the player reads letters",
        )
    return address


def secret_key(club: Club) -> bytes:
    """Return the club's own key, used for the tickets of people who do not play yet; one is made if it is not there.

    Raises NotUnderstood, CannotCreate.
    """
    path = club.folder / "club.secret.toml"
    if not path.exists():  # without it nobody could join; codes of one that was lost are not accepted any more
        text = formats.dump({"format": SECRET_FORMAT, "key": os.urandom(KEY_BYTES).hex()}, "toml")
        files.create(path, text, mode=0o600)
    key = read(path, SECRET_FORMAT).get("key")
    if not isinstance(key, str) or not re.fullmatch("[0-9a-f]{64}", key):
        raise NotUnderstood(f"invalid or missing key in {path}", path="key")
    return bytes.fromhex(key)


# A new club


def create(club: Club, more: Callable[[], None] = lambda: None) -> None:
    """Make the folders and files of a new club, including *more*; its settings are written last.

    The folder may be new or empty, or one without settings. Raises CannotCreate.
    """
    folder = club.folder
    if (folder / "club.toml").exists():
        raise CannotCreate(f"{folder} is already a club", path=str(folder), hint="its settings are in club.toml")
    if folder.exists():
        check_own(folder)
    with interrupts.hold(f"{shown(folder)} is a club now"):
        try:
            for part in (folder, club.games, folder / "strangers"):
                part.mkdir(mode=0o700, parents=True, exist_ok=True)
            more()
        except OSError as error:
            raise CannotCreate(f"cannot make a club in {folder}: {error.strerror}", path=str(folder)) from error
        secret_key(club)
        files.create(folder / "club.toml", club_text(club), mode=0o600)


def check_own(folder: Path) -> None:
    """Raise CannotCreate for a folder that belongs to another user."""
    owner, we = folder.stat().st_uid, os.geteuid()
    if owner != we:
        theirs, ours, name = user_name(owner), user_name(we), shown(folder)
        raise CannotCreate(
            f"{name} belongs to {theirs}, and you are {ours}",
            path=name,
            hint=f"nothing was changed; use sudo -u {theirs} pbem ..., or give it to {ours}: chown -R {ours} {name}",
        )

"""Make a club: its folder, its settings and its own key; and check who owns one."""

import os
from collections.abc import Callable
from pathlib import Path

from pbem import files, formats, interrupts
from pbem.club.settings import KEY_BYTES, SECRET_FORMAT, Club
from pbem.errors import CannotCreate
from pbem.formats import shown
from pbem.ownership import user_name


def create(club: Club, text: str, more: Callable[[], None]) -> None:
    """Make the folders and files of a new club, including *more*; the *text* of its settings is written last.

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
        key = formats.dump({"format": SECRET_FORMAT, "key": os.urandom(KEY_BYTES).hex()}, "toml")
        files.replace(folder / "club.secret.toml", key, mode=0o600)
        files.create(folder / "club.toml", text, mode=0o600)


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

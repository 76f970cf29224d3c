"""A new club: its folder, its settings, its mailboxes, and its own key; and a club that may be changed."""

import os
from datetime import datetime
from pathlib import Path

from pbem import files, formats, interrupts
from pbem.errors import CannotCreate, UsageError
from pbem.formats import shown
from pbem.mail.clock import said
from pbem.mail.club import CLUB_FORMAT, HOST_HINT, KEY_BYTES, Club, club_text, is_address, is_ours, read_club
from pbem.mail.outbox import make_maildir
from pbem.mail.ticket import LONGEST_LOCAL
from pbem.ownership import user_name


def found(folder: Path, address: str, host: str, at: datetime | None = None) -> Club:
    """Make a club in a new or empty folder, or finish one of which the settings are missing; raises CannotCreate.

    Mail that came before the time *at* will be left alone, if one is given.
    """
    for each in (address, host):
        if not is_address(each):
            raise UsageError(f"{each[:60]!a} is no mail address", hint="for instance: --address pbem@example.org")
    if len(address.partition("@")[0]) > LONGEST_LOCAL:
        raise UsageError(
            f"the address has more than {LONGEST_LOCAL} characters before the @",
            hint="what proves who answers is put there too, and 64 characters are the most",
        )
    if (folder / "club.toml").exists():
        raise CannotCreate(f"{folder} is a club already", path=str(folder), hint="its settings are in club.toml")
    club = Club(folder, address, host, since=said(at) if at else "")
    if is_ours(club, host):
        raise UsageError(f"{host} is the club's own address, at which no host reads mail", hint=HOST_HINT)
    if folder.exists():
        check_own(folder)
    with interrupts.held(f"{shown(folder)} is a club now"):
        _write(club)
    return club


def _write(club: Club) -> None:
    """Make the folders and files of a new club; its settings come last, and make it one."""
    folder = club.folder
    try:
        for part in (folder, club.games, folder / "strangers"):
            part.mkdir(mode=0o700, parents=True, exist_ok=True)
        make_maildir(folder / club.incoming.folder)
        make_maildir(club.outbox)
    except OSError as error:
        raise CannotCreate(f"{folder} cannot be made a club: {error.strerror}", path=str(folder)) from error
    key = formats.dump({"format": CLUB_FORMAT, "key": os.urandom(KEY_BYTES).hex()}, "toml")
    files.replace(folder / "club.secret.toml", key, mode=0o600)
    files.create(folder / "club.toml", club_text(club), mode=0o600)


def own_club(folder: Path) -> Club:
    """Return the club in the folder, to be changed: as ``read_club``, and CannotCreate for another user's.

    Else what root writes there could not be used by the club's own user, and no mail would be taken any more.
    """
    club = read_club(folder)
    check_own(folder)
    return club


def check_own(folder: Path) -> None:
    """Raise CannotCreate for a folder of another user."""
    owner, we = folder.stat().st_uid, os.geteuid()
    if owner != we:
        theirs, ours, name = user_name(owner), user_name(we), shown(folder)
        raise CannotCreate(
            f"{name} belongs to {theirs}, and you are {ours}",
            path=name,
            hint=f"nothing was changed; sudo -u {theirs} pbem mail ..., or give it to {ours}: chown -R {ours} {name}",
        )

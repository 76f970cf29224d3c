"""A new club: its folder, its settings, its mailboxes, and its own key."""

import os
from datetime import datetime
from pathlib import Path

from pbem import files, formats
from pbem.errors import CannotCreate, UsageError
from pbem.mail.clock import said
from pbem.mail.club import CLUB_FORMAT, HOST_HINT, KEY_BYTES, Club, club_text, is_address, is_ours
from pbem.mail.outbox import make_maildir
from pbem.mail.ticket import LONGEST_LOCAL


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
    return club

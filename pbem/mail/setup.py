"""A new club that plays by mail, and one that may be changed."""

from datetime import datetime
from pathlib import Path

from pbem.club import setup
from pbem.club.clock import timestamp
from pbem.errors import UsageError
from pbem.mail.carriers import LONGEST_LOCAL
from pbem.mail.outgoing import maildir
from pbem.mail.settings import HOST_HINT, MailClub, club_text, is_address, read_club


def create(folder: Path, address: str, host: str, at: datetime | None = None) -> MailClub:
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
    club = MailClub(folder, address, host, since=timestamp(at) if at else "")
    if club.is_ours(host):
        raise UsageError(f"{host} is the club's own address, at which no host reads mail", hint=HOST_HINT)

    def mailboxes() -> None:
        maildir.make(folder / club.incoming.folder)
        maildir.make(club.outbox)

    setup.create(club, club_text(club), mailboxes)
    return club


def own_club(folder: Path) -> MailClub:
    """Return the club in the folder, to be changed: as ``read_club``, and CannotCreate for another user's.

    Else what root writes there could not be used by the club's own user, and no mail would be taken any more.
    """
    club = read_club(folder)
    setup.check_own(folder)
    return club

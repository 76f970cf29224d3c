"""Create a club that plays by mail, or open one to change it."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pbem import files
from pbem.carriers.mail.outgoing import maildir
from pbem.carriers.mail.settings import HOST_HINT, MailClub, read_club
from pbem.carriers.mail.tickets import LONGEST_LOCAL
from pbem.club import settings
from pbem.errors import CannotCreate, UsageError
from pbem.table.clock import timestamp

if TYPE_CHECKING:
    from pbem.carriers.mail.providers import Door
    from pbem.club.upkeep.doctor import Check

SECRET_FILE: Final = "password"  # noqa: S105 -- the file in the club's folder, if no other place is named


def create(
    folder: Path, address: str, host: str, at: datetime | None = None, door: "Door | None" = None, *, plus: bool = True
) -> MailClub:
    """Make a club in a folder that has no settings yet, or is new.

    Raises CannotCreate, UsageError, and NotUnderstood for a club whose settings cannot be read.

    Mail that came before the time *at*, if one is given, is never touched. Without a *door* it comes into a Maildir and
    goes out as files. A door without a password gets an empty file for it, which nobody else may read. *plus* says
    whether mail to ``pbem+anything@example.org`` reaches the club. A club of these addresses that has no door yet gets
    this one, and its ``club.toml`` loses its comments.
    """
    club = MailClub(folder, address, host, plus=plus, since=timestamp(at) if at else "")
    for each in (address, host):
        if not club.is_address(each):
            message = f"{each[:60]!a} is not a valid mail address"
            raise UsageError(message, hint=f"{club.wrong_with(each)}; for example: --address pbem@example.org")
    if len(address.partition("@")[0]) > LONGEST_LOCAL:
        raise UsageError(
            f"the address has more than {LONGEST_LOCAL} characters before the @",
            hint="choose a shorter one: a reply token is added there, and 64 characters are the limit",
        )
    before = _at_home(club, has_door=door is not None)
    club = before or club
    own = folder.absolute() / SECRET_FILE
    if door:
        from pbem.carriers.mail.providers import with_mailbox

        club = with_mailbox(club, door if door.secret or door.command else door._replace(secret=str(own)))
    if club.is_ours(host):
        raise UsageError(f"{host} is the club's own address, not the host's", hint=HOST_HINT)

    def mailboxes() -> None:
        if club.incoming.kind == "maildir":
            maildir.make(folder / club.incoming.folder)
        maildir.make(club.outbox)
        if str(own) in (club.incoming.password_file, club.outgoing.password_file) and not own.exists():
            files.replace(own, "", mode=0o600)

    if before:
        mailboxes()
        files.replace(folder / "club.toml", settings.club_text(club), mode=0o600)
    else:
        settings.create(club, mailboxes)
    return club


def _at_home(new: MailClub, *, has_door: bool) -> MailClub | None:
    """Return the club that is in the folder of the *new* one already, to get a door; None if no club is there.

    Raises CannotCreate if it has other addresses, has a door, or if the new one has none.
    """
    if not (new.folder / "club.toml").exists():
        return None
    club = own_club(new.folder)
    hint = "its settings are in club.toml"
    if not club.travels:
        hint = "to give it a mailbox, add --provider NAME, or --imap HOST and --smtp HOST"
        if has_door and (club.address, club.host) == (new.address, new.host):
            return club.changed(plus=new.plus, since=new.since)
        if has_door:
            hint = f"to give it this mailbox, use its own --address {club.address} and --host {club.host}"
    raise CannotCreate(f"{new.folder} is already a club", path=str(new.folder), hint=hint)


def own_club(folder: Path) -> MailClub:
    """Return the club in the folder, to be changed: as ``read_club``, and CannotCreate for another user's.

    Otherwise the club's own user could not use what root writes there, and no mail would be processed any more.
    """
    club = read_club(folder)
    settings.check_own(folder)
    return club


def checks(folder: Path, now: datetime, wait: float = 0) -> "Iterator[Check]":
    """Yield what the doctor looks at in a club by mail; a letter to itself may take *wait* seconds."""
    from pbem.carriers.mail.doctor.steps import steps
    from pbem.club.upkeep.doctor import all_checks

    return all_checks(folder, lambda: read_club(folder), lambda: steps(read_club(folder), now, wait), now)

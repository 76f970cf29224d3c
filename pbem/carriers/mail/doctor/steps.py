"""The steps of a club by mail: mail in, mail out, a letter to itself, and the letters that do not go out."""

import os
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Final

from pbem.carriers.mail.doctor import servers
from pbem.carriers.mail.doctor.own_letter import OwnLetters
from pbem.carriers.mail.incoming import mailbox
from pbem.carriers.mail.outgoing import delays, outbox
from pbem.carriers.mail.settings import MailClub
from pbem.club.upkeep.doctor import PATIENCE, Check
from pbem.errors import NoSuchFile, TryAgain
from pbem.grammar import plural
from pbem.table.clock import instant

_SENDS: Final = (
    'set kind = "smtp" or "sendmail" under [outgoing] in club.toml, with the server that is to send the letters'
)
_LONG: Final = timedelta(hours=1)  # that a letter may be queued


def steps(club: MailClub, now: datetime, wait: float) -> Iterator[Check]:
    """Yield the steps; a letter to itself may take *wait* seconds."""
    into, out = club.incoming, club.outgoing
    if into.kind == "imap":
        yield from servers.steps(club.folder, "mail in", into, partial(servers.read, club))
    else:
        yield Check("mail in, login", partial(_maildir, club), ("settings",))
    yield Check("mail in, since", partial(_since, club, now), ("settings",))
    if out.kind == "smtp":
        # A command that never ends is waited for once.
        is_asked = into.kind == "imap" and into.user and out.password_command == into.password_command != ""
        needs = ("mail in, password",) if is_asked else ()
        yield from servers.steps(club.folder, "mail out", out, partial(servers.write, club), needs)
    else:
        yield Check("mail out, login", partial(_no_server, club), ("settings",))
    if out.kind != "files":
        yield from _own_letters(OwnLetters(club, wait))
    yield Check("letters", partial(_stuck, club, now), ("settings",))


def _own_letters(own: OwnLetters) -> Iterator[Check]:
    patience = own.wait + PATIENCE
    yield Check("letter sent", own.send, ("owner", "mail in, login", "mail out, login"))
    yield Check("letter found", own.find, ("letter sent",), patience)
    yield Check("headers", own.unchanged, ("letter found",))
    if own.club.plus:
        yield Check("subaddress", own.beyond_plus, ("letter found",))
    yield Check("clock", own.clock, ("letter found",))


def _maildir(club: MailClub) -> str:
    with mailbox.opened(club) as box:
        box.older()
    return f"the Maildir {club.incoming.folder} can be read"


def _since(club: MailClub, now: datetime) -> str:
    """Return that the club takes the mail that comes now."""
    if club.founded is None or club.founded <= now:
        return "mail that comes now is newer than the club"
    message = f"since in club.toml is {club.since}, which is still to come: until then no mail is touched"
    raise TryAgain(message, hint="set since to the time when the club was made, above the tables of club.toml")


def _no_server(club: MailClub) -> str:
    if club.outgoing.kind == "files":
        if club.incoming.kind == "imap":
            message = f'mail comes from {club.incoming.host}, but kind = "files" under [outgoing] sends no letter'
            raise TryAgain(message, hint=_SENDS)
        return 'letters stay in the outbox, as kind = "files" says'
    program = Path(club.outgoing.program)
    if not os.access(program, os.X_OK):
        hint = "install a mail server that has it, or set program under [outgoing] in club.toml"
        raise NoSuchFile(f"{program} is not a program that you may run", hint=hint)
    return f"{program} can be run"


def _stuck(club: MailClub, now: datetime) -> str:
    """Return that no letter is rejected or has been queued for long."""
    rejected, queued = outbox.refused(club), list(delays.rows_of(club))
    if rejected:
        many = plural(len(rejected), "{n} letter was rejected", "{n} letters were rejected")
        hint = "pbem mail status CLUB lists them; once the cause is gone: pbem mail retry CLUB"
        raise TryAgain(f"{many} permanently", hint=hint)
    late = [row for row in queued if row["since"] and now - instant(row["since"]) > _LONG]
    waiting = outbox.waiting(club)
    if club.outgoing.kind == "files" and waiting:
        many = plural(len(waiting), "{n} letter is", "{n} letters are")
        raise TryAgain(f"{many} in the outbox, and nothing sends them", hint=_SENDS)
    if late:
        many = plural(len(late), "{n} letter has", "{n} letters have")
        hint = "pbem mail send CLUB tries again, and says what the server answers"
        raise TryAgain(f"{many} been queued for more than an hour", hint=hint)
    return plural(len(waiting), "{n} letter is queued, and none is late", "{n} letters are queued, and none is late")

"""Letters that do not go out: since when, as the ticks have seen it; the host is notified once of each."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from pbem import files, formats
from pbem.carriers.mail.outgoing import outbox
from pbem.carriers.mail.settings import MailClub
from pbem.carriers.mail.tickets import head_of
from pbem.club.toml_rows import read, write
from pbem.club.transaction import LONGEST_WAIT
from pbem.errors import NotUnderstood, PbemError
from pbem.page.glue import glued
from pbem.table.clock import instant, timestamp
from pbem.table.letters.headlines import WAITING_LETTERS
from pbem.table.letters.letter import paragraphs
from pbem.table.letters.notices import notice

LONG: Final = timedelta(days=1)
MOST_TOLD: Final = 20
MOST_NOTED: Final = 500  # letters; the file about them must be short enough to be read again
_FORMAT: Final = "pbem-waiting/1"


def look(club: MailClub, at: datetime) -> None:
    """Record which letters are queued at a time, and notify the host of those first seen a day ago or more.

    A second look at that time does nothing. The host is not notified of letters to the host, and of very many letters
    only the first by name are recorded.
    """
    if club.outgoing.kind == "files":
        return
    path = _place(club)
    with files.locked(path, wait=LONGEST_WAIT):
        before, told = _seen(path)
        letters = {letter.name: letter for letter in outbox.waiting(club)[:MOST_NOTED]}
        seen = {name: before.get(name, timestamp(at)) for name in letters}
        late = [name for name, since in seen.items() if name not in told and at - instant(since) >= LONG]
        lines = [f"{to}: {name}" for name in late if (to := recipient_of(letters[name])) != club.host]
        if lines:
            more = len(lines) - MOST_TOLD
            rest = [f"And {more} more; pbem mail status CLUB lists them all."] if more > 0 else []
            why = paragraphs((*_TOLD, *lines[:MOST_TOLD], *rest))
            # Before it is recorded: the same notice is only once in the outbox.
            club.put(notice(club.host, WAITING_LETTERS, why))
        rows = {"since": seen, "told": [name for name in seen if name in told or name in late]}
        if (seen, rows["told"]) != (before, told):
            write(path, _FORMAT, rows)


def games_of_letters(club: MailClub, at: datetime) -> set[str]:
    """Return the games of which a letter has been queued since an earlier tick: its reader may not know of anything."""
    since: dict[str, str] = {}
    with suppress(NotUnderstood):  # which ``look`` tells
        since, _ = _seen(_place(club))
    late = (each.name for each in outbox.waiting(club) if instant(since.get(each.name, timestamp(at))) < at)
    return {name.rsplit("-", 2)[0] for name in late}


_TOLD: Final = (
    "These letters have been queued for a day or more, because the mail server does not accept them. pbem keeps "
    f"trying; {glued('pbem mail send CLUB')} shows the reason. You can delete letters from outbox/new.",
)


def rows_of(club: MailClub) -> Iterator[dict[str, Any]]:
    """Yield the letters that do not go out: those that were rejected permanently, and those that are queued.

    A row has ``name`` and ``to``, ``refused`` (true, false), and ``since``, when a tick first saw it queued, or None.
    """
    for path in outbox.refused(club):
        yield {"name": path.name, "to": recipient_of(path), "refused": True, "since": None}
    if club.outgoing.kind != "files":
        since, _ = _seen(_place(club))
        for path in outbox.waiting(club):
            yield {"name": path.name, "to": recipient_of(path), "refused": False, "since": since.get(path.name)}


def recipient_of(path: Path) -> str:
    """Return the recipient of a letter, "" if it is gone or has none."""
    with suppress(PbemError):
        return head_of(files.read_bytes(path, outbox.LETTER_LIMIT))[1]
    return ""


def _place(club: MailClub) -> Path:
    return club.folder / "waiting.toml"


def _seen(path: Path) -> tuple[dict[str, str], list[str]]:
    """Return since when each letter has been queued, as the ticks have seen it, and which the host knows about."""
    if not path.exists():
        return {}, []
    data = read(path, _FORMAT)
    since, told = data.get("since"), data.get("told")
    if not formats.is_table(since) or not formats.is_list(told):
        raise NotUnderstood(f"{path} is damaged", path=str(path), hint="you can delete it")
    return since, told

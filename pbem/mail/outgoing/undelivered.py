"""Letters that do not go out: for how long, as the ticks have seen it; the host is told once of each."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from email.parser import BytesHeaderParser
from email.utils import parseaddr
from pathlib import Path
from typing import Any, Final

from pbem import files, formats
from pbem.club.clock import instant, timestamp
from pbem.club.toml_rows import read
from pbem.club.transaction import LONGEST_WAIT
from pbem.club.writing.headlines import WAITING_LETTERS
from pbem.club.writing.letters import notice, paragraphs
from pbem.errors import NotUnderstood, PbemError
from pbem.mail.outgoing import outbox
from pbem.mail.settings import MailClub

LONG: Final = timedelta(days=1)
MOST_TOLD: Final = 20
MOST_NOTED: Final = 500  # letters; what is noted of them must be short enough to be read again
_FORMAT: Final = "pbem-waiting/1"


def look(club: MailClub, at: datetime) -> None:
    """Note which letters wait at a time, and tell the host of those that have waited long since they were first seen.

    A second look at that time does nothing. Letters to the host are not told to the host, and of very many only the
    first by name are noted.
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
            rest = [f"And {more} more; pbem mail status CLUB shows them."] if more > 0 else []
            why = paragraphs((*_TOLD, *lines[:MOST_TOLD], *rest))
            # Before it is noted: what is told twice lies in the outbox once.
            club.put(notice(club.host, WAITING_LETTERS, why))
        rows = {"since": seen, "told": [name for name in seen if name in told or name in late]}
        if (seen, rows["told"]) != (before, told):
            files.replace(path, formats.dump({"format": _FORMAT} | rows, "toml"), mode=0o600)


_TOLD: Final = (
    "These letters have waited for a day or more, because the mail server does not take them. They are tried again "
    "until it does; pbem mail send CLUB says why. A letter in outbox/new may be deleted.",
)


def rows_of(club: MailClub) -> Iterator[dict[str, Any]]:
    """Yield the letters that do not go out: those that were refused for good, and those that wait.

    ``name`` and ``to``, ``refused`` (true, false), and ``since``, when a tick has first seen that it waits, or None.
    """
    for path in outbox.refused(club):
        yield {"name": path.name, "to": recipient_of(path), "refused": True, "since": None}
    if club.outgoing.kind != "files":
        since, _ = _seen(_place(club))
        for path in outbox.waiting(club):
            yield {"name": path.name, "to": recipient_of(path), "refused": False, "since": since.get(path.name)}


def recipient_of(path: Path) -> str:
    """Return to whom a letter goes, nothing if it is gone or has no recipient."""
    try:
        letter = files.read_bytes(path, outbox.LETTER_LIMIT)
    except PbemError:
        return ""
    return parseaddr(str(BytesHeaderParser().parsebytes(letter)["To"]))[1]


def _place(club: MailClub) -> Path:
    return club.folder / "waiting.toml"


def _seen(path: Path) -> tuple[dict[str, str], list[str]]:
    """Return since when each letter waits, as the ticks have seen it, and of which the host was told."""
    if not path.exists():
        return {}, []
    data = read(path, _FORMAT)
    since, told = data.get("since"), data.get("told")
    if not formats.is_table(since) or not formats.is_list(told):
        raise NotUnderstood(f"{path} does not say since when letters wait", path=str(path), hint="it may be deleted")
    return since, told

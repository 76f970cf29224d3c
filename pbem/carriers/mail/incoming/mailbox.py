"""Incoming mail: an iterator of mails, each with a function to call when it was processed.

A mail whose function was not called comes again the next time. A mail that is
older than the club is not even read.
"""

import errno
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Final, Protocol

from pbem import files
from pbem.carriers.mail.incoming.message import LARGEST_WHOLE, Arrival
from pbem.carriers.mail.settings import MailClub
from pbem.errors import CannotWrite, NoSuchFile, NotUnderstood, TryAgain

DEALT: Final = ".dealt"
_IN_HAND: Final = r"^cur/.*:2,[A-Za-z]*[ST]"  # flags of a mail that somebody has read, or thrown away
KEPT: Final = 500  # processed mails


class Inbox(Protocol):
    """An open mailbox; *name* tells it from others."""

    name: str

    def mails(self) -> Iterator[Arrival]:
        """Yield the mails to process: those that wait and are not older than the club."""
        ...

    def older(self) -> int:
        """Return how many mails wait that are older than the club."""
        ...

    def wait(self, seconds: float) -> None:
        """Return when mail may have come, or after that many seconds."""
        ...


def opened(club: MailClub) -> AbstractContextManager[Inbox]:
    """Return the club's mailbox, as a context; raises PbemError, or TryAgain if it cannot be reached now."""
    if club.incoming.kind == "maildir":
        return nullcontext(Maildir(club.folder / club.incoming.folder, club.founded))
    from pbem.carriers.mail.incoming import imap

    return imap.opened(club.incoming, LARGEST_WHOLE, club.founded)


class Maildir:
    """A Maildir: mails are in ``new``, and move to its folder ``.dealt`` when they were processed.

    The last KEPT of them stay there for the host; what was played also stays in the folder of the game. A mail program
    or an IMAP server that opens the mailbox moves new mail to ``cur``: an order counts there too, unless somebody
    has read it (S) or put it into the bin (T). Such a mail is in a person's hands, and is not touched.

    Mails that came before *since* stay where they are.
    """

    def __init__(self, folder: Path, since: datetime | None = None) -> None:
        self.folder = folder
        self.name = str(folder)
        self.since = since
        self.seen: set[str] = set()

    def older(self) -> int:
        """Return how many mails wait that are older than the club."""
        return sum(map(self._is_old, self._names()))

    def mails(self) -> Iterator[Arrival]:
        """Yield the mails that wait, game by game, and within a game in the order in which they came.

        Raises TryAgain at the end if we may not read some of them: an order may be among them.
        """
        self.seen, denied = set(self._names()), None
        waiting = [name for name in self.seen if not self._is_old(name)]
        for name in sorted(waiting, key=lambda name: (self._game(name), name.partition("/")[2])):
            path = self.folder / name
            try:
                raw = files.read_bytes(path, LARGEST_WHOLE)
            except NoSuchFile as missing:
                cause = missing.__cause__
                if isinstance(cause, OSError) and cause.errno not in (errno.ENOENT, errno.ELOOP):
                    denied = missing
                continue  # or somebody else has processed it, or it is not a file
            except NotUnderstood:  # too large: the answer is to what can be read of it
                with path.open("rb") as file:
                    raw = file.read(LARGEST_WHOLE)
            yield Arrival(raw, partial(self._done, path))
        if denied is not None:
            raise TryAgain(denied.message, path=denied.path, hint="the club's user must be able to read its mail")

    def wait(self, seconds: float) -> None:
        """Return as soon as there is unseen mail, or after that many seconds."""
        import time

        until = time.monotonic() + seconds
        while (rest := until - time.monotonic()) > 0 and self.seen.issuperset(self._names()):
            time.sleep(min(1.0, rest))

    def _game(self, name: str) -> str:
        """Return the game that a mail seems to be about, so that a run of mails of one game reads it only once."""
        try:
            with (self.folder / name).open("rb") as file:
                found = re.search(rb"\+([a-z0-9-]{1,40})\.\d{1,6}\.", file.read(8192))
        except OSError:
            return ""
        return found[1].decode() if found else ""

    def _is_old(self, name: str) -> bool:
        """Return whether a mail is older than the club, by its name or its file: a copy may keep only one time."""
        if self.since is None:
            return False
        told = re.match(r"(?:new|cur)/([0-9]{9,10})\.", name)
        times = [int(told[1])] if told else []
        with suppress(OSError):  # somebody else has taken it away
            times.append(int((self.folder / name).lstat().st_mtime))
        return min(times, default=self.since.timestamp()) < self.since.timestamp()

    def _names(self) -> list[str]:
        """Return the names of the mails that wait: ``new/1`` or ``cur/2:2,F``."""
        parts = ("new", "cur") if (self.folder / "cur").is_dir() else ("new",)
        try:
            found = [f"{part}/{path.name}" for part in parts for path in (self.folder / part).iterdir()]
        except PermissionError as error:
            raise files.unexpected(error) from error
        except OSError:
            hint = 'set folder under [incoming] in club.toml to a Maildir, or kind = "imap" with its host and user'
            raise NoSuchFile(f"{self.folder} is not a Maildir", path=str(self.folder), hint=hint) from None
        return sorted(name for name in found if "/." not in name and not re.search(_IN_HAND, name))

    def _done(self, path: Path) -> None:
        """Put a processed mail aside, marked as seen, and delete the oldest there; it may be gone already."""
        dealt = self.folder / DEALT / "cur"
        try:
            if not dealt.is_dir():
                for part in ("new", "tmp", "cur"):
                    (dealt.parent / part).mkdir(mode=0o700, parents=True, exist_ok=True)
                (dealt.parent / "maildirfolder").touch(mode=0o600)  # so that mail programs show the folder
            path.rename(dealt / f"{path.name.partition(':2,')[0]}:2,S")
        except FileNotFoundError:
            return
        except OSError as error:
            raise CannotWrite(f"{path} cannot be moved to {dealt}: {error.strerror}", path=str(path)) from error
        _forget_old(dealt)


def _forget_old(folder: Path) -> None:
    """Delete the oldest mails of a folder that has more than KEPT; one that remains does no harm."""
    with suppress(OSError):
        paths = list(folder.iterdir())
        if len(paths) > KEPT:
            for path in sorted(paths, key=lambda path: path.stat().st_mtime_ns)[:-KEPT]:
                path.unlink()

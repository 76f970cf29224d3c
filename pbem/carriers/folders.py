"""Letters as files: every player has a folder with ``letters`` to read, and ``answers`` to put answers into.

Only its player can write into a folder, so that an answer needs no ticket; one with the two marker lines of a letter
answers that letter, and any other one answers the current question.
"""

import os
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from errno import ELOOP
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from pbem import files
from pbem.carriers.rounds import Came, Taken, kept_text, take_all
from pbem.club import settings
from pbem.club.carrier import Club, Posted
from pbem.club.settings import settings_of
from pbem.club.status import unreadable
from pbem.errors import CannotWrite, NoSuchFile, NotUnderstood, TryAgain, UsageError
from pbem.formats import shown
from pbem.locale import phrase, speaking
from pbem.sha import sha256
from pbem.table.letters.harmless import written
from pbem.table.letters.letter import Letter
from pbem.table.people import BOT

if TYPE_CHECKING:
    from pbem.club.upkeep.doctor import Check

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
_LARGEST: Final = 256 * 1024
_TAKEN: Final = "taken"  # where answers are put that were processed
_TOO_LONG: Final = "your answer is too long: a file can have at most {size} KiB"
_NO_FILE: Final = "your answer is a link or a device, and I only read text files"
_HOW_TO_PLAY: Final = (
    'How to play: when it is your turn, you get a letter in your folder "letters" with everything you need to decide. '
    'Put a text file with your order into the folder "answers". Anything else you write there is passed on to the '
    "other players. Your first order gets a receipt; after that you only get a reply if an order could not be played, "
    'unless you write "news every". Write "help" to see what else you can ask for.'
)
_HELP: Final = (
    'You play with text files that you put into your folder "answers". Write one order per line; several are played '
    "one after another, all or none. You only get a reply if an order could not be played. Anything else you write is "
    "passed on to the other players with their next letter."
)


@dataclass(frozen=True)
class FolderClub(Club):
    """A club whose addresses are the names of folders."""

    form: ClassVar[str] = "pbem-folders/2"
    to_make: ClassVar[str] = "create one with pbem club init CLUB --host NAME"
    to_answer: ClassVar[str] = 'To answer, put a text file with {order} or another order into your folder "answers".'
    how_to_play: ClassVar[str] = _HOW_TO_PLAY
    help: ClassVar[str] = _HELP
    command: ClassVar[str] = "pbem club"
    to_release: ClassVar[str] = 'pbem club run CLUB --now "$(date -Is)" --release'
    not_an_address: ClassVar[str] = "{text} is not a valid folder name"
    address_hint: ClassVar[str] = "use letters, digits, - and _; for example: Ann=ann"

    def folder_of(self, name: str) -> Path:
        """Return the folder of a player."""
        return self.folder / "players" / name

    def posted(self, letter: Letter) -> Posted:
        """Return the letter as a text in its reader's folder, with what is attached to it beside it."""
        with speaking(letter.language):
            data = f"{letter.subject}\n\n{written(letter.page)}".encode()
        name = f"{letter.ticket.game}-{letter.ticket.turn:04}" if letter.ticket else "notice"
        serial = sha256(data + f"\0{letter.serial}\0{letter.in_reply_to}".encode()).hexdigest()[:8]
        letters = self.folder_of(letter.to) / "letters"
        beside = tuple((letters / file, text.encode()) for file, text in letter.attached)
        return Posted(letters / f"{name}-{serial}.txt", data, beside)

    def put(self, letter: Letter) -> None:
        """Write a letter that belongs to no game."""
        path, data, _ = self.posted(letter)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        files.replace(path, data, mode=0o600)

    def id_of(self, letter: Letter) -> str:
        """Return the name of its file."""
        return self.posted(letter).path.name

    def text_of(self, raw: bytes) -> str:
        """Return the text of a stored answer."""
        return kept_text(raw)

    def is_address(self, text: str) -> bool:
        """Return whether a player's folder can have that name."""
        return _NAME.fullmatch(text) is not None

    def is_ours(self, address: str) -> bool:
        """Return whether it is the adjudicator's own name."""
        return address.casefold() == self.address.casefold()


def create(folder: Path, host: str) -> FolderClub:
    """Make a club in a folder that has no settings yet, or is new; raises CannotCreate, UsageError."""
    club = FolderClub(folder, "pbem", host, picture=False)
    if not club.is_address(host) or club.is_ours(host):
        hint = "use letters, digits, - and _, but not the name pbem; for example: --host Eve"
        raise UsageError(f"{host[:40]!a} is not a valid folder name", hint=hint)
    settings.create(club)
    return club


def own_club(folder: Path) -> FolderClub:
    """Return the club in the folder, to be changed; raises NoSuchFile, NotUnderstood, CannotCreate."""
    club = settings_of(FolderClub, folder)
    settings.check_own(folder)
    return club


def checks(folder: Path, now: datetime, _wait: float = 0) -> "Iterator[Check]":
    """Yield what the doctor looks at in a club of files."""
    from pbem.club.upkeep.doctor import Check, all_checks

    def club() -> FolderClub:
        return settings_of(FolderClub, folder)

    return all_checks(folder, club, lambda: (Check("players", lambda: _apart(club()), ("settings",)),), now)


def _apart(club: FolderClub) -> str:
    """Return that nobody else can use the folders of a player; raises CannotCreate."""
    from pbem.club.upkeep.doctor import closed

    parts = [Path(player, part) for player in _players(club) for part in ("letters", "answers")]
    closed(*parts, to="o")
    return "only the players and the host can read the letters and write answers"


def in_folder(player: str) -> str:
    """Return a player as a new game has them, with an address: by default the folder that has the player's name.

    A bot needs none.
    """
    name = player.partition(":")[0].strip()
    return player if "=" in player or name.casefold() == BOT else f"{player}={name}"


def make_inboxes(club: FolderClub) -> None:
    """Make a folder for answers beside each folder of letters."""
    for player in _players(club):
        if not os.path.lexists(f"{player}/answers") and os.path.exists(f"{player}/letters"):  # noqa: PTH110 -- of thousands
            Path(player, "answers").mkdir(mode=0o700, exist_ok=True)


def _players(club: FolderClub) -> list[str]:
    """Return the folders of the players, by name; there may be very many."""
    with suppress(OSError), os.scandir(club.folder / "players") as entries:
        return sorted(entry.path for entry in entries)
    return []


def _answers(club: FolderClub) -> Iterator[Came]:
    """Yield all answers, player by player."""
    for player in _players(club):
        with suppress(OSError), os.scandir(f"{player}/answers") as entries:
            found = dict(each for entry in entries if _is_answer(entry) for each in _written(entry))
            letters = _letters(player) if found else {}
            for path, at in sorted(found.items(), key=lambda each: (each[0].name != _TAKEN, each[0])):
                seen = frozenset(name for name, written_at in letters.items() if written_at <= at)
                name, read, done = player.rpartition(os.sep)[2], partial(_read, path), partial(_put_aside, path)
                # A player may write the same again, in a new file with the same name.
                yield Came(name, f"{path.name} {at}", read, done, _time(at), seen)


def _is_answer(entry: os.DirEntry[str]) -> bool:
    """Return whether somebody has put it there: no folder, no hidden file, and no copy that an editor keeps."""
    return not entry.is_dir() and not entry.name.startswith((".", "~$")) and not entry.name.endswith(("~", "#"))


def _written(entry: os.DirEntry[str]) -> Iterator[tuple[Path, int]]:
    """Yield a file with the time when it was written, in nanoseconds, unless it is gone meanwhile."""
    with suppress(FileNotFoundError):
        yield Path(entry.path), entry.stat(follow_symlinks=False).st_mtime_ns


def _letters(player: str) -> dict[str, int]:
    """Return when each letter of a player was written, in nanoseconds, by its name."""
    with suppress(OSError), os.scandir(f"{player}/letters") as entries:
        return {entry.name: entry.stat().st_mtime_ns for entry in entries}
    return {}


def _time(at: int) -> datetime | None:
    """Return when a file was written, from nanoseconds; None for a time that no calendar has."""
    with suppress(OverflowError, ValueError, OSError):
        return datetime.fromtimestamp(at / 10**9, UTC)
    return None


def _read(path: Path) -> str | None:
    """Return a text as an editor has saved it: in UTF-8, in UTF-16 with its mark, or in the code page of Windows.

    None if the file is gone meanwhile. Raises NotUnderstood if the player has to write another one.
    """
    try:
        data = files.read_bytes(path, _LARGEST)
    except NotUnderstood:
        raise NotUnderstood(phrase(_TOO_LONG, size=str(_LARGEST // 1024))) from None
    except NoSuchFile as missing:
        cause = missing.__cause__
        if isinstance(cause, FileNotFoundError):
            return None
        if cause is None or getattr(cause, "errno", None) == ELOOP:
            raise NotUnderstood(phrase(_NO_FILE)) from None
        hint = "the club's user must be able to read the answers of players"
        raise TryAgain(missing.message, path=missing.path, hint=hint) from missing
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _put_aside(path: Path) -> None:
    """Move an answer that was processed into the folder for them, of which it may have the name itself."""
    done = path.parent / _TAKEN
    try:
        source = path.rename(path.with_name(".pbem-taken.tmp")) if path == done else path
        done.mkdir(mode=0o700, exist_ok=True)
        source.replace(done / path.name)
    except FileNotFoundError:  # another run has moved it
        return
    except OSError as error:
        raise CannotWrite(f"{shown(path)} cannot be moved to {shown(done)}: {error.strerror}") from error


def run(club: FolderClub, now: datetime | None = None, *, release: bool = False) -> Taken:
    """Process all answers, then run the clock if *now* is given; *release* as in ``tick_all``.

    What is wrong with a game is among the troubles, even if nobody has written about it.
    """
    taken = take_all(club, list(_answers(club)), now, release=release)
    make_inboxes(club)
    if now is not None:  # the clock has looked at every game
        return taken
    known = {error.path for error in taken.troubles}
    return taken._replace(troubles=(*taken.troubles, *(each for each in unreadable(club) if each.path not in known)))

"""What a club is, however its letters travel: a folder with settings, and a folder for every game.

Hosts edit ``club.toml``. Each way for letters to travel - by mail, or as files in folders - is its own kind of club.
"""

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from datetime import tzinfo
from pathlib import Path
from typing import Any, ClassVar, Final, Literal, NamedTuple, Self, TypeVar

from pbem import files, formats, interrupts
from pbem.club.toml_rows import build, read, row_of
from pbem.errors import CannotCreate, NoSuchFile, NotUnderstood, UsageError
from pbem.formats import shown
from pbem.ownership import user_name
from pbem.table.letters.letter import Letter
from pbem.table.times import zone_of

KEY_BYTES: Final = 32
MOST_STRANGERS: Final = 1000  # letters to strangers a day
SECRET_FORMAT: Final = "pbem-club/1"  # noqa: S105 -- the name of a format


class Posted(NamedTuple):
    """A letter as its carrier has it: the file that queues it and its bytes, and the files that lie beside it."""

    path: Path
    data: bytes
    beside: tuple[tuple[Path, bytes], ...] = ()


@dataclass(frozen=True, init=False, repr=False, eq=False)  # its kinds, which are also dataclasses, have these
class Club(ABC):
    """A club as set in its ``club.toml``: the adjudicator's address and the host's, and its limits.

    *picture* draws the board in letters where possible. For more than *answers_at_once* players at a time the clock
    does not decide without the host's consent. With *waves*, players whose answers do not depend on each other are
    asked at the same time. *timezone* is the zone (``Europe/Berlin``) of the times in letters and
    ``status``, and of the end of a day. *strangers* are always answered, or only while a game has free seats, with at
    most *strangers_a_day* letters, and as many that ask for confirmation.
    """

    # How to answer a letter, with a hole for an order; how to play, for newcomers; the answer to "help".
    to_answer: ClassVar[str]
    how_to_play: ClassVar[str]
    help: ClassVar[str]
    # How the host's commands begin, and how the host lets the clock decide for many players at once.
    command: ClassVar[str]
    to_release: ClassVar[str]
    # What is wrong with text that is not an address, and what an address looks like.
    # Whether every message of a player adds to the secret of the draws.
    salts: ClassVar[bool] = False
    not_an_address: ClassVar[str] = "{text} is not a valid address"
    address_hint: ClassVar[str] = "for example: Ann=ann@example.org"

    folder: Path
    address: str
    host: str
    picture: bool = True
    answers_at_once: int = 5
    waves: bool = True
    timezone: str = "UTC"
    strangers: Literal["answer", "silent"] = "silent"
    strangers_a_day: int = 20

    @property
    def zone(self) -> tzinfo:
        """The time zone of the club."""
        return zone_of(self.timezone)

    @property
    def games(self) -> Path:
        """The folder with one folder per game."""
        return self.folder / "games"

    @property
    def journal(self) -> Path:
        """One line for each message that belongs to no game."""
        return self.folder / "journal.ndjson"

    @abstractmethod
    def posted(self, letter: Letter) -> Posted:
        """Return the letter as the carrier has it: the same file and bytes for the same letter."""

    @abstractmethod
    def put(self, letter: Letter) -> None:
        """Queue a letter that belongs to no game; the same letter is queued only once."""

    @abstractmethod
    def id_of(self, letter: Letter) -> str:
        """Return the id by which a reply names the letter."""

    @abstractmethod
    def text_of(self, raw: bytes) -> str:
        """Return the text of a kept message; raises NotUnderstood."""

    @abstractmethod
    def is_address(self, text: str) -> bool:
        """Return whether letters can be sent there."""

    @abstractmethod
    def is_ours(self, address: str) -> bool:
        """Return whether messages to that address reach the club itself."""

    def changed(self, **settings: object) -> Self:
        """Return the club with other settings."""
        return replace(self, **settings)  # type: ignore[arg-type]


ClubKind = TypeVar("ClubKind", bound=Club)


def settings_of(kind: type[ClubKind], folder: Path, form: str, hint: str, **tables: type[Any]) -> ClubKind:
    """Return the club in the folder; *tables* are the types of the tables in its ``club.toml``.

    Raises NoSuchFile with the *hint*, NotUnderstood, CannotCreate if it belongs to another user.
    """
    path = folder / "club.toml"
    try:
        data = read(path, form)
    except NoSuchFile as none:
        if isinstance(none.__cause__, PermissionError):
            raise files.unexpected(none.__cause__) from none
        raise NoSuchFile(f"{folder} is not a club", path=str(path), hint=hint) from None
    rows = {name: build(row, data.get(name, {}), path, f"[{name}] of ") for name, row in tables.items()}
    club = build(kind, data | rows, path, folder=folder)
    zone_of(club.timezone)
    for key in ("address", "host"):
        if not club.is_address(getattr(club, key)):
            raise NotUnderstood(f"{key} in {path} is not a valid address", path=key)
    if not 0 <= club.strangers_a_day <= MOST_STRANGERS:
        hint = f"it must be 0 to {MOST_STRANGERS}, not {club.strangers_a_day}"
        raise NotUnderstood(f"invalid value for strangers_a_day in {path}", path="strangers_a_day", hint=hint)
    return club


def club_text(club: Club, form: str) -> str:
    """Return the text of ``club.toml``."""
    said = {field.name: getattr(club, field.name) for field in fields(club) if field.name != "folder"}
    rows = {key: row_of(value) if hasattr(value, "_asdict") else value for key, value in said.items() if value != ""}
    return formats.dump({"format": form} | rows, "toml")


def players_address(club: Club, address: str) -> str:
    """Return the address if a player can have it; raises UsageError if it is invalid or the club's own."""
    if not club.is_address(address):
        raise UsageError(club.not_an_address.format(text=ascii(address[:60])), hint=club.address_hint)
    if club.is_ours(address):
        raise UsageError(
            f"{address} is the club's own address, where no player reads letters",
            hint="give the address where the player reads letters",
        )
    return address


def secret_key(club: Club) -> bytes:
    """Return the club's own key, used for the tickets of people who do not play yet."""
    path = club.folder / "club.secret.toml"
    key = read(path, SECRET_FORMAT).get("key")
    if not isinstance(key, str) or not re.fullmatch("[0-9a-f]{64}", key):
        raise NotUnderstood(f"invalid or missing key in {path}", path="key")
    return bytes.fromhex(key)


# A new club


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

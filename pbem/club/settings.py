"""What a club is, whatever carries its letters: a folder with settings, and a folder for every game.

``club.toml`` is edited by hosts. What carries the letters - mail, or files in folders - is a kind of club of its own.
"""

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, replace
from datetime import tzinfo
from pathlib import Path
from typing import Any, ClassVar, Final, Literal, NamedTuple, Self, TypeVar

from pbem import files, formats
from pbem.club.times import zone_of
from pbem.club.toml_rows import build, read, row_of
from pbem.club.writing.letter import Letter
from pbem.errors import NoSuchFile, NotUnderstood, UsageError

KEY_BYTES: Final = 32
MOST_STRANGERS: Final = 1000  # letters to strangers a day
SECRET_FORMAT: Final = "pbem-club/1"  # noqa: S105 -- the name of a format


class Posted(NamedTuple):
    """A letter as its carrier has it: the file in which it waits, and its bytes."""

    path: Path
    data: bytes


@dataclass(frozen=True)
class Club(ABC):
    """A club as its ``club.toml`` has it: the adjudicator's address and the host's, and its limits.

    *picture* says whether the board is drawn in letters, where it can be; for more than *answers_at_once* players the
    clock does not answer without the host's word. *timezone* is the zone (``Europe/Berlin``) in which letters and
    ``status`` say times, and in which a day ends. *strangers* are answered, or are not while no game has free seats,
    with at most *strangers_a_day* letters, and as many that ask to confirm.
    """

    # What a letter says of how it is answered, with a hole for an order; what a newcomer reads of it, and who asks.
    to_answer: ClassVar[str]
    how_to_play: ClassVar[str]
    help: ClassVar[str]

    folder: Path
    address: str
    host: str
    picture: bool = True
    answers_at_once: int = 5
    timezone: str = "UTC"
    strangers: Literal["answer", "silent"] = "silent"
    strangers_a_day: int = 20

    @property
    def zone(self) -> tzinfo:
        """The time zone of the club."""
        return zone_of(self.timezone)

    @property
    def games(self) -> Path:
        """The folder with one folder a game."""
        return self.folder / "games"

    @property
    def journal(self) -> Path:
        """One line a message that belongs to no game."""
        return self.folder / "journal.ndjson"

    @abstractmethod
    def posted(self, letter: Letter) -> Posted:
        """Return the letter as the carrier has it: the same letter, the same file and bytes."""

    @abstractmethod
    def put(self, letter: Letter) -> None:
        """Hand over a letter that belongs to no game; the same letter waits once."""

    @abstractmethod
    def id_of(self, letter: Letter) -> str:
        """Return by what an answer names the letter."""

    @abstractmethod
    def text_of(self, raw: bytes) -> str:
        """Return what a message says that was kept; raises NotUnderstood."""

    @abstractmethod
    def is_address(self, text: str) -> bool:
        """Return whether letters can go there."""

    @abstractmethod
    def is_ours(self, address: str) -> bool:
        """Return whether what goes there comes to the club."""

    def changed(self, **settings: object) -> Self:
        """Return the club with other settings."""
        return replace(self, **settings)  # type: ignore[arg-type]


ClubKind = TypeVar("ClubKind", bound=Club)


def settings_of(kind: type[ClubKind], folder: Path, form: str, hint: str, **tables: type[Any]) -> ClubKind:
    """Return the club in the folder; *tables* are the types of the tables in its ``club.toml``.

    Raises NoSuchFile with the *hint*, NotUnderstood, CannotCreate where it is somebody else's.
    """
    path = folder / "club.toml"
    try:
        data = read(path, form)
    except NoSuchFile as none:
        if isinstance(none.__cause__, PermissionError):
            raise files.unexpected(none.__cause__) from none
        raise NoSuchFile(f"{folder} is no club", path=str(path), hint=hint) from None
    rows = {name: build(row, data.get(name, {}), path, f"[{name}] of ") for name, row in tables.items()}
    club = build(kind, data | rows, path, folder=folder)
    zone_of(club.timezone)
    for key in ("address", "host"):
        if not club.is_address(getattr(club, key)):
            raise NotUnderstood(f"{path} has no sound {key}", path=key)
    if not 0 <= club.strangers_a_day <= MOST_STRANGERS:
        hint = f"it may be 0 to {MOST_STRANGERS}"
        raise NotUnderstood(f"strangers_a_day in {path} is {club.strangers_a_day}", path="strangers_a_day", hint=hint)
    return club


def club_text(club: Club, form: str) -> str:
    """Return the text of ``club.toml``."""
    said = {field.name: getattr(club, field.name) for field in fields(club) if field.name != "folder"}
    rows = {key: row_of(value) if hasattr(value, "_asdict") else value for key, value in said.items() if value != ""}
    return formats.dump({"format": form} | rows, "toml")


def players_address(club: Club, address: str) -> str:
    """Return the address if a player can have it; raises UsageError for none, and for one whose mail comes to us."""
    if not club.is_address(address):
        raise UsageError(f"{address[:60]!a} is no mail address", hint="for instance: Ann=ann@example.org")
    if club.is_ours(address):
        raise UsageError(
            f"{address} is the club's own address, at which no player reads mail",
            hint="give the address at which the player reads mail",
        )
    return address


def secret_key(club: Club) -> bytes:
    """Return the club's own key, of which the tickets of those are made who do not play yet."""
    path = club.folder / "club.secret.toml"
    key = read(path, SECRET_FORMAT).get("key")
    if not isinstance(key, str) or not re.fullmatch("[0-9a-f]{64}", key):
        raise NotUnderstood(f"{path} has no key", path="key")
    return bytes.fromhex(key)

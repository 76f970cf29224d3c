"""The club: a folder with the adjudicator's address, its mailboxes, and a folder for every game.

The types of it, and their files. What is written into a game's folder is written by ``ledger``.
"""

from pathlib import Path
from typing import Final, Literal, NamedTuple

News = Literal["every", "turn", "none"]

CLUB_FORMAT: Final = "pbem-club/1"
PLAYERS_FORMAT: Final = "pbem-players/1"


class Incoming(NamedTuple):
    """Where mail comes from: the club's Maildir, or an IMAP mailbox. *password* names a variable or a file, never it."""

    kind: Literal["maildir", "imap"] = "maildir"
    folder: str = "inbox"
    host: str = ""
    port: int = 993
    user: str = ""
    password_env: str = ""
    password_file: str = ""


class Outgoing(NamedTuple):
    """How mail goes out: it is left in the outbox, or handed to an SMTP server or to sendmail."""

    kind: Literal["files", "smtp", "sendmail"] = "files"
    host: str = "localhost"
    port: int = 25
    security: Literal["none", "starttls", "tls"] = "starttls"
    user: str = ""
    password_env: str = ""
    password_file: str = ""
    program: str = "/usr/sbin/sendmail"


class Club(NamedTuple):
    """A club as its ``club.toml`` has it: the adjudicator's address, the host's, whether plus-addresses reach us."""

    folder: Path
    address: str
    host: str
    plus: bool = True
    incoming: Incoming = Incoming()
    outgoing: Outgoing = Outgoing()

    @property
    def outbox(self) -> Path:
        """The Maildir that holds what is still to be sent."""
        return self.folder / "outbox"

    @property
    def games(self) -> Path:
        """The folder with one folder a game."""
        return self.folder / "games"


class Player(NamedTuple):
    """Who plays a colour: where the mail goes, the key of the tickets (32 bytes), what news are wanted.

    ``absent`` is the last day (``2026-12-31``) of a declared absence, or nothing.
    """

    colour: str
    name: str
    address: str
    key: bytes
    language: str = "en"
    news: News = "turn"
    absent: str = ""


class Table(NamedTuple):
    """The folder of one game in a club."""

    folder: Path

    @property
    def name(self) -> str:
        """The game's id."""
        return self.folder.name

    @property
    def game(self) -> Path:
        """The game file; its secret lies beside it. It is not there before all seats are taken."""
        return self.folder / "game.toml"

    @property
    def players(self) -> Path:
        """Addresses and keys, for the host's eyes only."""
        return self.folder / "players.toml"

    @property
    def talk(self) -> Path:
        """Table talk that is not yet told to everybody."""
        return self.folder / "talk.toml"

    @property
    def clock(self) -> Path:
        """What time has to do with the game."""
        return self.folder / "clock.toml"

    @property
    def journal(self) -> Path:
        """One line a mail dealt with."""
        return self.folder / "journal.ndjson"

    @property
    def pending(self) -> Path:
        """The folder of a change that is being made."""
        return self.folder / "pending"

    @property
    def mails(self) -> Path:
        """The accepted mails as they came, for the host who rebuilds a game."""
        return self.folder / "mails"


class Saying(NamedTuple):
    """Something said at the table, and to which colours it has still to be told."""

    name: str
    text: str
    untold: tuple[str, ...]

"""What became of a message, and the names under which that is kept."""

from typing import Literal, NamedTuple

from pbem.sha import sha256

# In the journal and in the output of ``pbem mail take``.
Code = Literal[
    "played",
    "planned",
    "already",
    "late",
    "paused",
    "proposed",
    "refused",
    "answered",
    "heard",
    "empty",
    "waiting",
    "asked",
    "joined",
    "begun",
    "reminded",
    "stranger",
    "robot",
    "spam",
    "bounced",
    "duplicate",
    "former",
    "unreadable",
    "silent",
]


class Verdict(NamedTuple):
    """What became of a message: a code, the game and turn, and how many letters were sent."""

    code: Code
    message: str
    game: str = ""
    turn: int | None = None
    letters: int = 0

    def __str__(self) -> str:
        return f"{self.game}: {self.code}, {self.message}" if self.game else f"{self.code}, {self.message}"


def id_digest(message_id: str) -> str:
    """Return what the journal keeps of a Message-ID, which may contain a ticket."""
    return sha256(message_id.encode()).hexdigest()[:24] if message_id else ""


def kept_name(turn: int, colour: str, digest: str) -> str:
    """Return the name of the file that keeps an accepted message of a player."""
    return f"{turn:04}-{colour}-{digest[:12]}.eml"

"""Who judges commits: whether the game must be signed, what draws are believed, and when the secret may be asked.

No answer may depend on a draw that nobody has to make yet: who did not sign is
told nothing else, and what only the secret proves is alone in a push.
"""

from pathlib import Path
from typing import NamedTuple

from pbem import secrets
from pbem.errors import NotAllowed
from pbem.first_sparks import chance
from pbem.first_sparks.record import Record


class Reader(NamedTuple):
    """A player who looks through the history of a clone: nobody else hears the answer."""

    game: str
    secret: Path | None = None

    @property
    def signed(self) -> bool:
        """Whether a game is refused whose moves nobody can sign."""
        return False

    def believes(self, *, signed: bool) -> bool:
        """Return whether draws are believed that nothing here proves."""
        return True

    def may_ask(self, *, alone: bool, signed: bool) -> bool:
        """Return whether the secret may be asked about a commit."""
        return True


class Checker(NamedTuple):
    """Who checks commits on a machine of their own, or in CI: those who hear the answer could ask themselves."""

    game: str
    signed: bool = False
    secret: Path | None = None

    def believes(self, *, signed: bool) -> bool:
        """Return whether draws are believed that nothing here proves: if the host has signed them."""
        return signed

    def may_ask(self, *, alone: bool, signed: bool) -> bool:
        """Return whether the secret may be asked about a commit."""
        return True


class Server(NamedTuple):
    """A server that takes a push: strangers hear the answer."""

    game: str
    signed: bool = False
    secret: Path | None = None

    def believes(self, *, signed: bool) -> bool:
        """Return whether draws are believed that nothing here proves: if the host has signed them."""
        return signed

    def may_ask(self, *, alone: bool, signed: bool) -> bool:
        """Return whether the secret may be asked about a commit: not about what strangers try out before it is due."""
        return alone or signed


# Each names the game file, and where the secret lies, if it is at hand.
Judge = Reader | Checker | Server


class Proof(NamedTuple):
    """What proves the draws in a row of commits: the secret if the last of them shows it, or if the judge may ask it.

    *alone* is a commit that comes alone.
    """

    judge: Judge
    alone: bool = True
    published: bytes = b""

    def secret_of(self, record: Record, *, alone: bool = True, signed: bool = False) -> bytes | None:
        """Return the secret of the game, None if it is neither published nor at hand; raises Broken for another's.

        Raises NotAllowed if strangers would hear more than that their commit is taken.
        """
        if self.published and chance.commitment(self.published) == record.chance.commitment:
            return self.published
        if record.chance.secret:
            return secrets.read_secret(record, Path(self.judge.game))
        if self.judge.secret is None:
            return None
        if not self.judge.may_ask(alone=self.alone and alone, signed=signed):
            raise NotAllowed(
                "draws come alone in a push", hint="push what is before them, then them, then what follows"
            )
        return secrets.read_secret(record, self.judge.secret)

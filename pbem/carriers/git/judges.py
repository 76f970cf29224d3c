"""Who judges commits: whether moves must be signed, which draws are believed, and when the secret may be asked.

No answer may depend on a draw that is not due yet: without a valid signature the
answer says nothing else, and what only the secret proves must be alone in a push.
"""

from pathlib import Path
from typing import Literal, NamedTuple

from pbem import secrets
from pbem.errors import NotAllowed
from pbem.first_sparks.chance import draws as chance
from pbem.first_sparks.record import SHARED, Record


class Judge(NamedTuple):
    """Whoever judges commits, with the game file, the secret file if it is at hand, and the time if it is known.

    A *reader* is a player who reads the history of a clone: nobody else gets the answer. A *checker* works on
    somebody's own machine, or in CI: those who get the answer could ask the secret themselves. A *server* receives a
    push: strangers get the answer, and may be trying out draws.

    With *signed*, a game without signed moves is rejected; *now* is in seconds since 1970.
    """

    game: str
    role: Literal["reader", "checker", "server"]
    signed: bool = False
    secret: Path | None = None
    now: int | None = None

    @property
    def is_strict(self) -> bool:
        """Whether a move must be sent soon if a time depends on that, and ``ssh-keygen`` checks every signature."""
        return self.role == "server"

    def believes(self, *, signed: bool) -> bool:
        """Return whether draws without proof are believed: if the host has signed them, or by who only reads."""
        return signed or self.role == "reader"

    def may_ask(self, *, alone: bool, signed: bool) -> bool:
        """Return whether the secret may be asked about a commit: not if a stranger may be trying out draws."""
        return alone or signed or self.role != "server"


class Proof(NamedTuple):
    """What proves the draws in a row of commits: the secret, if the last of them publishes it or the judge may ask it.

    *alone* says that it is a row of one commit.
    """

    judge: Judge
    alone: bool = True
    published: bytes = b""

    def secret_of(self, record: Record, *, alone: bool = True, signed: bool = False) -> bytes | None:
        """Return the secret of the game, None if it is neither published nor at hand; raises Broken for a wrong one.

        Raises NotAllowed if strangers would learn more than that their commit is accepted.
        """
        if record.chance.kind == SHARED:  # whose draws are proved as its log is read
            return None
        if self.published and chance.commitment(self.published) == record.chance.commitment:
            return self.published
        if record.chance.secret:
            return secrets.read_secret(record, Path(self.judge.game))
        if self.judge.secret is None:
            return None
        if not self.judge.may_ask(alone=self.alone and alone, signed=signed):
            raise NotAllowed(
                "draws must be pushed alone", hint="push the commits before the draws, then the draws, then the rest"
            )
        return secrets.read_secret(record, self.judge.secret)

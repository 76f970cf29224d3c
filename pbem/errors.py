"""What can go wrong: one class for each kind, with a stable code and an exit status.

A ``Violation`` is one broken rule of the game. A ``PbemError`` is something
that a person can mend; any other exception is our bug.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from typing import Protocol

    from pbem.locale import Language

    class Legal(Protocol):
        """An order that would have been legal, and the food that it costs; None if it has no price."""

        @property
        def order(self) -> str: ...  # noqa: D102 -- said above

        @property
        def cost(self) -> int | None: ...  # noqa: D102


class Violation(NamedTuple):
    """One rule that an order breaks: its id in the rulebook index, and why, with this game's numbers."""

    rule: str
    message: str


class PbemError(Exception):
    """Something that the caller can mend.

    ``message`` is a whole sentence without a full stop. ``path`` names the file
    or the key, ``hint`` the way out, ``reasons`` every broken rule, ``choices``
    what would have been legal. Notes (``add_note``) say what has come in before,
    a line each. All of it is in English, and a terminal shows it in the
    ``language`` of whoever reads it.
    """

    code = "error"
    exit_status = 65
    language: "Language" = "en"

    def __init__(
        self,
        message: str,
        *,
        path: str = "",
        hint: str = "",
        order: str = "",
        reasons: tuple[Violation, ...] = (),
        choices: "tuple[Legal, ...]" = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.hint = hint
        self.order = order
        self.reasons = reasons
        self.choices = choices

    def __str__(self) -> str:
        return self.message  # also where a caller that knew more has replaced it

    @property
    def notes(self) -> tuple[str, ...]:
        """What has come in before it went wrong, a line each."""
        return tuple(getattr(self, "__notes__", ()))

    def as_json(self) -> dict[str, Any]:
        """Return the object that ``--json`` prints: ok, code, message, path, rule, the lists, and notes if any."""
        return {
            "ok": False,
            "code": self.code,
            "message": self.message,
            "path": self.path,
            "rule": self.reasons[0].rule if self.reasons else "",
            "order": self.order,
            "reasons": [reason._asdict() for reason in self.reasons],
            "choices": [{"order": choice.order, "cost": choice.cost} for choice in self.choices],
            "hint": self.hint,
            **({"notes": list(self.notes)} if self.notes else {}),
        }


class UsageError(PbemError):
    """An invalid combination of arguments."""

    code = "usage"
    exit_status = 2


class NotUnderstood(PbemError):
    """A file or an order that is not what it should be."""

    code = "not-understood"


class Illegal(PbemError):
    """An order that the rules forbid."""

    code = "illegal"


class NoSuchFile(PbemError):
    """A file that does not exist, or is not a regular file."""

    code = "no-such-file"
    exit_status = 66


class CannotCreate(PbemError):
    """A file that cannot be created at the given place."""

    code = "cannot-create"
    exit_status = 73


class CannotWrite(PbemError):
    """Reading or writing that failed half-way; the old file is untouched."""

    code = "input-output"
    exit_status = 74


class TryAgain(PbemError):
    """A temporary failure: another process has locked the game, or the disk is full."""

    code = "try-again"
    exit_status = 75


class Broken(PbemError):
    """A log, snapshot or commitment to the secret that does not agree with the rest."""

    code = "broken"
    exit_status = 76


class NotYourTurn(PbemError):
    """An order of a player whose turn it is not."""

    code = "not-your-turn"
    exit_status = 77


class NotAllowed(PbemError):
    """A commit that does more than a move may do, or less."""

    code = "not-allowed"


class NotSigned(PbemError):
    """A commit that is not signed by the player whose turn it is."""

    code = "not-signed"
    exit_status = 77


class NoAccess(PbemError):
    """A server that rejects our login, or does not let us do this."""

    code = "no-access"
    exit_status = 77


class Stale(PbemError):
    """An order that was written for another position of the game."""

    code = "stale"
    exit_status = 77


class Bug(PbemError):
    """Something that only we can mend."""

    code = "bug"
    exit_status = 70

    @classmethod
    def of(cls, error: Exception) -> "Bug":
        """Return an unexpected error as a bug: its type and place, without any of the data."""
        where = error.__traceback__
        while where is not None and where.tb_next is not None:
            where = where.tb_next
        place = f"{where.tb_frame.f_code.co_name}:{where.tb_lineno}" if where is not None else "?"
        return cls(
            f"a bug of ours, {type(error).__name__} in {place}; pbem verify shows whether the game file is intact"
        )

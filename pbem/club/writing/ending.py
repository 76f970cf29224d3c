"""The end of a game: its secret is published, so that every player can prove the draws."""

from contextlib import suppress

from pbem import secrets
from pbem.club.table import Table
from pbem.errors import PbemError
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.record import Record
from pbem.page.page import Prose, Section, Sections, Verbatim, paragraphs


def published(record: Record, table: Table) -> Record:
    """Return a game that is over with the secret of its draws, and any other game as it is.

    A secret that the host has lost keeps nobody from the last move: without it the game stays sealed.
    """
    with suppress(PbemError):
        return secrets.published(record, table.game)
    return record


def proof(record: Record, attached: str) -> Sections:
    """Return the paragraphs that say how to prove the draws of a game that is over; *attached* is the file's name."""
    if not isinstance(record.state.phase, Ended):
        return ()
    if not record.chance.secret:
        untold = "The secret of the draws is not published yet: the host can do that with pbem reveal."
        return paragraphs("proof", (untold,))
    save = f"save the attached {attached}" if attached else 'write "show" to get the game file, save it'
    return (
        _to_copy("The secret of the draws:", record.chance.secret),
        _to_copy(f"To prove every draw, {save} and run:", f"pbem audit {record.game}.toml"),
    )


def _to_copy(words: str, line: str) -> Section:
    return Section("proof", (Prose(words), Verbatim((f"  {line}",))))

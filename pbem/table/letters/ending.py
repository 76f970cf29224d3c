"""The end of a game: its secret is published, so that every player can verify the draws, and all of it can be seen."""

from typing import Final

from pbem.first_sparks.briefing.words import to_write
from pbem.first_sparks.chance.contributions import Salts
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.record import Record
from pbem.locale import tr
from pbem.page.page import Prose, Section, Sections, Verbatim, paragraphs

SALT_DIGITS: Final = 16  # of 64: enough to recognise a salt
_SALT: Final = (
    "Your last mail with an order added {digits} to the secret of the draws: the SHA-256 of its Message-ID begins so."
)
_UNTOLD: Final = "The secret of the draws has not been published yet. The host can publish it with {command}."
_PAGE: Final = (
    "{page}, which comes with this letter, shows every turn of the game when you open it in a browser. You can also "
    "send it to friends."
)
_TOO_LARGE: Final = (
    "A page with every turn of the game would be too large for a letter. To make it, save {file} and run:"
)


def proof(record: Record, attached: str) -> Sections:
    """Return how to verify the draws of a finished game; *attached* is the name of the attached file, if any."""
    if not isinstance(record.state.phase, Ended):
        return ()
    if not record.chance.secret:
        untold = tr(_UNTOLD).format(command="pbem reveal")
        return paragraphs("proof", (untold,))
    if attached:
        how = tr("To verify every draw, save the attached {file} and run:").format(file=attached)
    else:
        how = tr("To verify every draw, write {show} to get the game file, save it and run:").format(
            show=tr(to_write("show"))
        )
    return (
        _to_copy(tr("The secret of the draws:"), record.chance.secret),
        _to_copy(how, f"pbem audit {record.game}.toml"),
    )


def whole_game(attached: str, page: str) -> Sections:
    """Return where to see the whole game: in the *page* that comes with the letter, or if that is too large, how.

    *attached* is the name of the attached game file, if any; without one there is nothing to say.
    """
    if page:
        return paragraphs("replay", (tr(_PAGE).format(page=page),))
    if not attached:
        return ()
    how = tr(_TOO_LARGE).format(file=attached)
    return (_to_copy(how, f"pbem replay {attached} --html -o {attached.removesuffix('.toml')}.html", "replay"),)


def _to_copy(words: str, line: str, key: str = "proof") -> Section:
    return Section(key, (Prose(words), Verbatim((f"  {line}",))))


def salt_of(record: Record, colour: str, seated_at: int = -1) -> tuple[str, ...]:
    """Return the sentence by which a player can check that the host has used the salt of the own last mail.

    Up to the turn *seated_at*, in which the player got the seat, somebody else has written.
    """
    own = (
        entry.move.value
        for entry, _ in reversed(record.history)
        if entry.by == colour and isinstance(entry.move, Salts) and entry.turn > seated_at
    )
    salt = next(own, "")
    return (tr(_SALT).format(digits=salt[:SALT_DIGITS]),) if salt else ()

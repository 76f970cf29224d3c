"""Notes to oneself: what a player wants to read again in the next own letters, and nobody else ever does."""

from collections.abc import Mapping
from typing import Final

from pbem.grammar import one_line
from pbem.locale import phrase
from pbem.reading.lines import masked
from pbem.table.people import Player

LONGEST_NOTE: Final = 1000  # characters
TOO_LONG: Final = "I did not keep your note: it has {n} characters, and at most {most} are kept."
NOT_KEPT: Final = (
    "I did not keep the note. While somebody stands in for {player}, I cannot tell which of the two has written, and "
    "nobody may read the other's notes."
)
KEPT: Final = (
    "I have kept your note. You will find it in each letter to you, and nobody else sees it. A new note replaces it. "
    'Write "note" alone to clear it.'
)
CLEARED: Final = "I have cleared your note. It said: {text}"
NO_NOTE: Final = 'You have no note. To keep one, write "note" and your text on a line of its own.'


def noted(notes: Mapping[str, str], player: Player, text: str, *, is_own: bool) -> tuple[dict[str, str], str]:
    """Return the notes after a request with that text, and the answer to it.

    Without a text, the note is shown and cleared. If it is not sure that the player has written, nothing is kept.
    """
    text = one_line(masked(text))
    rest = {colour: kept for colour, kept in notes.items() if colour != player.colour}
    if not is_own:
        return dict(notes), phrase(NOT_KEPT, player=player.name)
    if not text:
        old = notes.get(player.colour, "")
        return rest, phrase(CLEARED, text=old) if old else phrase(NO_NOTE)
    if len(text) > LONGEST_NOTE:
        return dict(notes), phrase(TOO_LONG, n=len(text), most=LONGEST_NOTE)
    return rest | {player.colour: text}, phrase(KEPT)


def reads_own(player: Player) -> bool:
    """Return whether the player, and no substitute, reads the letters to the seat."""
    return player.is_home

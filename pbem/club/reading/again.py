"""Whether a mail ends with an older one of the player's own that a program has put there without any mark.

An old mail that is only an order cannot be told from a new one, as people write a word or two above their orders. One
that began with words can: nobody writes the same lines once more beneath new ones.
"""

from collections.abc import Sequence
from typing import Any, Final

from pbem import files
from pbem.club.reading.lines import is_order
from pbem.club.reading.quoting import written
from pbem.club.reading.received import kept_name
from pbem.club.settings import Club
from pbem.club.table import Table
from pbem.errors import PbemError

_LARGEST: Final = 64 * 1024 * 1024  # bytes of a message
_MOST: Final = 40  # mails that are looked at, the newest ones
_FEWEST_LINES: Final = 3  # of a mail that has a word of its own above such a one
_FEWEST_WORDS: Final = 3  # of the first line of an old mail; fewer are a greeting, which may well be written again


def ends_with_an_older(text: str, club: Club, table: Table, rows: Sequence[dict[str, Any]], colour: str) -> bool:
    """Return whether the words of a mail end with all those of an accepted one, which began with more than an order."""
    own = _own_lines(text)
    if len(own) < _FEWEST_LINES:
        return False
    played = [row for row in rows if row.get("code") == "played" and row.get("colour") == colour]
    for row in played[-_MOST:]:
        try:
            raw = files.read_bytes(table.mails / kept_name(row["turn"], colour, row["digest"]), _LARGEST)
            old = _own_lines(club.text_of(raw))
        except PbemError:  # it is lost, or was an order of the host
            continue
        if len(own) > len(old) > 1 and own[-len(old) :] == old and _begins_with_words(old[0]):
            return True
    return False


def _own_lines(text: str) -> list[str]:
    return [" ".join(line.split()) for line in written(text).lines if line]


def _begins_with_words(line: str) -> bool:
    return len(line.split()) >= _FEWEST_WORDS and not is_order(line)

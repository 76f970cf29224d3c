"""Whether a message ends with an older one by the same player, which a program has repeated there unmarked.

An old message of only an order cannot be recognised, since people write a word or two above their orders. One that
began with words can: nobody writes the same lines again below new ones.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from pbem.club.reading.lines import is_order
from pbem.club.reading.quoting import written
from pbem.errors import PbemError

_MOST: Final = 40  # messages that are compared, the newest ones
_FEWEST_LINES: Final = 3  # of a message that has its own words above an old one
_FEWEST_WORDS: Final = 3  # in the first line of an old message; fewer may be a greeting, which people write every time


def ends_with_an_older(
    text: str, kept: Callable[[Mapping[str, Any]], str], rows: Sequence[dict[str, Any]], colour: str
) -> bool:
    """Return whether a message ends with all the words of an accepted one that began with more than an order.

    *kept* returns the text of an accepted message by its row of the journal, or raises PbemError.
    """
    own = _own_lines(text)
    if len(own) < _FEWEST_LINES:
        return False
    played = [row for row in rows if row.get("code") == "played" and row.get("colour") == colour]
    for row in played[-_MOST:]:
        try:
            old = _own_lines(kept(row))
        except PbemError:  # the message is lost, or the host gave the order
            continue
        if len(own) > len(old) > 1 and own[-len(old) :] == old and _begins_with_words(old[0]):
            return True
    return False


def _own_lines(text: str) -> list[str]:
    page = written(text)
    return [" ".join(line.split()) for line in page.lines[: page.signed] if line]


def _begins_with_words(line: str) -> bool:
    return len(line.split()) >= _FEWEST_WORDS and not is_order(line)

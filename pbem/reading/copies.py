"""Pieces of our letter that a reply repeats without quote marks, recognised by their words."""

import re
from collections.abc import Callable, Collection, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final

from pbem.reading.lines import cleaned, is_order
from pbem.reading.recognisers.requests import request_of

_SURELY_OURS: Final = 6  # words of a line that our letter has too, and that nobody writes by chance
_BESIDE: Final = 3  # words of the line before or after that must match too, for a shorter line
_MOST_COPIED: Final = 5  # lines of one choice in our letter
_LINK: Final = r"\]?\(mailto:\S*|<mailto:[^\s>]*>?"
_BULLET: Final = r"\s*(?:[-+•◦·]|#{1,3})\s+"


def pieces_of(
    letter: Callable[[], str],
    lines: Sequence[str],
    quoted: Sequence[bool],
    attributions: Collection[int],
    meant: Callable[[str], str],
) -> set[int]:
    """Return the lines that are pieces of our letter: long ones, and short ones that continue a line beside them.

    *letter* makes its words, one blank apart, which takes a while: only if some line may be a piece. The *lines* are
    without quote marks; those that had some are *quoted*, and never count as pieces, nor do *attributions*. Empty lines
    may come between pieces, but then a line that is an order is the writer's. *meant* returns a line in English.
    """
    text, words = cache(lambda: f" {' '.join(_bare(letter()))} "), [_words(line) for line in lines]

    def has(some: Sequence[str]) -> bool:
        return f" {' '.join(some)} " in text()

    own = [bool(words[i]) and not marked and i not in attributions for i, marked in enumerate(quoted)]
    found = {i for i, piece in enumerate(words) if own[i] and len(piece) >= _SURELY_OURS and has(piece)}
    pairs = tuple(pairwise(i for i, piece in enumerate(words) if piece))
    for above, i in pairs:
        known = above in found or (above == i - 1 and not own[above])
        if own[i] and known and (above == i - 1 or not is_order(lines[i])):
            found |= {i} if has([*words[above][-_BESIDE:], *words[i]]) else set()
    for i, beneath in reversed(pairs):
        if own[i] and beneath in found and (beneath == i + 1 or not is_order(lines[i])):
            found |= {i} if has([*words[i], *words[beneath][:_BESIDE]]) else set()
    return set() if _is_copied(lines, quoted, found, meant) else found


def _is_copied(
    lines: Sequence[str], quoted: Sequence[bool], found: Collection[int], meant: Callable[[str], str]
) -> bool:
    """Return whether the only piece is one choice from our letter, or a request, which the writer must have written."""
    if not 0 < len(found) <= _MOST_COPIED:
        return False
    first, last = min(found), max(found)
    if any(line and i not in found for i, line in enumerate(lines[first:last], first)):
        return False
    words = meant(lines[first]).split()
    is_choice = any(is_order(" ".join(words[:end])) for end in range(1, len(words)))
    is_request = first == last and bool(request_of(cleaned(meant(lines[first]))))
    return (is_choice or is_request) and not (first and quoted[first - 1])


@lru_cache(maxsize=1024)  # a reply is read twice
def _words(line: str) -> tuple[str, ...]:
    """Return the words of a line without the bullets, stars and links that programs add when they make text of HTML."""
    bare = re.sub(_LINK, "", line)
    bullet = re.match(_BULLET, bare)
    bare = bare[bullet.end() :] if bullet else bare
    return _bare(bare)


def _bare(text: str) -> tuple[str, ...]:
    return tuple(word for piece in text.split() if (word := piece.strip("*[")))

"""What keeps a letter of ours harmless, and what makes it easy to answer.

A reply carries our own words with it. So no line of a letter is an order, however
a mail program quotes it, and what players say to each other is neither an order
nor a marker.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from pbem.first_sparks.answers import answers, may_read
from pbem.first_sparks.notation import ORDER_WORDS
from pbem.first_sparks.phases import Laying
from pbem.first_sparks.state import GameState
from pbem.first_sparks.texts import wrapped
from pbem.mail import lines
from pbem.mail.html import Tap, mailto

MOST_TAPS: Final = 40  # the spaces of the largest board, and then some
PICTURE_WIDTH: Final = 600  # pixels, more than one and a half for one on a phone; time and bytes grow with them
_FIRST_WORDS: Final = {word.split()[0] for word in ORDER_WORDS}
_BEGINNINGS: Final = frozenset(word[:end] for word in _FIRST_WORDS for end in range(1, len(word) + 1)) | {"order"}
# What may be taken away around an order: bullets, quote marks, the number of a list, a full stop.
_AROUND: Final = re.compile(r"^[\W_]*(?:\d+[.)]\s+)?[\W_]*|[\W_]+$")


def harmless(text: str) -> str:
    """Return a text of which no line is an order, whoever quotes it in whatever way."""
    return "\n".join(f"e.g. {line.strip()}" if is_order(line) else line for line in text.split("\n"))


@lru_cache(maxsize=4096)  # most lines of a letter stand in the one before it too
def is_order(line: str) -> bool:
    """Return whether a reply that holds nothing but the line, bullets and quote marks aside, would order something."""
    bare = _AROUND.sub("", line)
    begins = re.match("[a-z]*", bare.lower())
    likely = not bare.isascii() or (begins is not None and begins[0] in _BEGINNINGS)
    return likely and lines.is_order(bare)


def said(name: str, text: str) -> Iterator[str]:
    """Yield what somebody has said as lines, none of which a reply can take for an order or a marker."""
    begins = f"{name} says: "
    first = begins
    for line in text.translate(str.maketrans("[]", "()")).splitlines():
        shown = " ".join("".join(c if c.isprintable() else " " for c in line).split())
        if shown:
            lines = wrapped(re.sub("={2,}", "-", shown), first, "| ")
            yield from (begins + line.lstrip("| ") if is_order(line) else line for line in lines)
            first = "| "


def taps(state: GameState, colour: str, reply_to: str, subject: str, marker: Sequence[str]) -> tuple[Tap, ...]:
    """Return the answers to tap: every legal one that the player may choose, as a mail that proves who sends it.

    None where there are too many to choose from, as in laying a tile.
    """
    if not may_read(state, colour) or isinstance(state.phase, Laying):
        return ()
    return tuple(
        # Not the bare order is shown, which could come back as a line of a reply.
        reply_tap(
            answer.order,
            f"{answer.order} for {answer.cost} food" if answer.cost else f"{answer.order} now",
            reply_to,
            subject,
            marker,
        )
        for _, answer in zip(range(MOST_TAPS), answers(state), strict=False)
    )


def reply_tap(order: str, label: str, reply_to: str, subject: str, marker: Sequence[str]) -> Tap:
    """Return what begins a mail with that order, and the marker of the letter that it answers beneath it."""
    return Tap(order, label, mailto(reply_to, subject, (order, "", *marker)))

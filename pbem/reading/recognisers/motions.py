"""The lines with which players move something that the others must agree to, and with which they agree or object."""

import re
from typing import Final, NamedTuple

from pbem.reading.vocabulary import any_of, each_of, table

# How a message may begin above its answer to a motion.
OPENINGS: Final = each_of("common.openings")
_WITHDRAWS: Final = any_of("motions.withdraw")
_MOVES: Final = {word: any_of(f"motions.moves.{word}") for word in table("motions.moves")}
_OBJECTS: Final = any_of("motions.disagree")
_AGREES: Final = any_of("motions.agree")
_ALONE: Final = any_of("motions.alone")
_NAMED: Final = rf"\b{any_of('motions.named')}\b"
_LIKELY: Final = rf"(?i){any_of('motions.likely')}"
_LONGEST: Final = 120  # characters


class Spoken(NamedTuple):
    """What a line says about a motion: ``agree``, ``disagree``, ``withdraw``, or the word of what it moves.

    *whom* names the player whom that is about.
    """

    what: str
    whom: str = ""


def spoken_in(line: str) -> Spoken | None:
    """Return what a cleaned line says about a motion, None for any other line."""
    if len(line) > _LONGEST or not re.search(_LIKELY, line):
        return None
    text = line.lower()
    if re.fullmatch(_WITHDRAWS, text):
        return Spoken("withdraw")
    for word, moves in _MOVES.items():
        if found := re.fullmatch(moves, text):
            return Spoken(word, found.groupdict().get("whom", "").strip(" ,"))
    if re.fullmatch(_OBJECTS, text):
        return Spoken("disagree")
    return Spoken("agree") if re.fullmatch(_AGREES, text) else None


def is_request(line: str) -> bool:
    """Return whether a cleaned line is a request at any time: ``agree to take back``, but not ``I agree``.

    Other words are only read as an answer while somebody waits for one, and are talk otherwise.
    """
    said = spoken_in(line)
    if said is None or said.what not in ("agree", "disagree"):
        return said is not None
    return re.fullmatch(_ALONE, line.lower().strip(" ?!.")) is not None or re.search(_NAMED, line.lower()) is not None

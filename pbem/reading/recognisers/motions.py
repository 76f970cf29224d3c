"""The lines with which players move something that the others must agree to, and with which they agree or object."""

import re
from typing import Final, Literal, NamedTuple

from pbem.reading.vocabulary import any_of, each_of

# How a message may begin above its answer to a motion.
OPENINGS: Final = each_of("common.openings")
_WITHDRAWS: Final = any_of("motions.withdraw")
_TAKES_BACK: Final = any_of("motions.take_back")
_GOES_ON: Final = any_of("motions.go_on")
_OBJECTS: Final = any_of("motions.disagree")
_AGREES: Final = any_of("motions.agree")
_ALONE: Final = any_of("motions.alone")
_NAMED: Final = rf"\b{any_of('motions.named')}\b"
_LIKELY: Final = rf"(?i){any_of('motions.likely')}"
_LONGEST: Final = 120  # characters

Speech = Literal["take back", "go on", "agree", "disagree", "withdraw"]


class Spoken(NamedTuple):
    """What a line says about a motion, and without *whom* the game is to go on."""

    what: Speech
    whom: str = ""


def spoken_in(line: str) -> Spoken | None:
    """Return what a cleaned line says about a motion, None for any other line."""
    if len(line) > _LONGEST or not re.search(_LIKELY, line):
        return None
    text = line.lower()
    if re.fullmatch(_WITHDRAWS, text):
        return Spoken("withdraw")
    if re.fullmatch(_TAKES_BACK, text):
        return Spoken("take back")
    if found := re.fullmatch(_GOES_ON, text):
        return Spoken("go on", found["whom"].strip(" ,"))
    if re.fullmatch(_OBJECTS, text):
        return Spoken("disagree")
    return Spoken("agree") if re.fullmatch(_AGREES, text) else None


def is_request(line: str) -> bool:
    """Return whether a cleaned line is a request at any time: ``agree to take back``, but not ``I agree``.

    Other words are only read as an answer while somebody waits for one, and are talk otherwise.
    """
    said = spoken_in(line)
    if said is None or said.what in ("take back", "go on", "withdraw"):
        return said is not None
    return re.fullmatch(_ALONE, line.lower().strip(" ?!.")) is not None or re.search(_NAMED, line.lower()) is not None

"""The lines with which players move something that the others must agree to, and with which they agree or object."""

import re
from typing import Final, Literal, NamedTuple

_ASKS: Final = (
    r"(?:please |pls )?(?:(?:can|could|may|shall|should) (?:i|we) (?:please )?"
    r"|(?:i|we) (?:want|wish|need|ask|would like|'d like) to |(?:i|we)'d like to |let'?s |let us |let me )?(?:please )?"
)
_THANKS: Final = r"(?:,? (?:please|pls|thanks|thank you))?\s?[?!.]*"
_MOVE: Final = (
    r"(?:my|the|our) (?:very )?(?:last |latest )?(?:own )?(?:move|order|turn|decision|answer|offer|purchase|pass)"
)
_WISHES: Final = (
    rf"{_ASKS}(?:take[ -]?back|undo(?= (?:my|the|our)))(?: {_MOVE})?{_THANKS}",
    rf"{_ASKS}take {_MOVE} back{_THANKS}",
)
_WITHOUT: Final = (
    rf"{_ASKS}(?:go on|carry on|play on|continue|keep playing) without (?P<whom>\S.{{0,60}}?)"
    rf"(?: (?:from now on|now|any ?more))?{_THANKS}"
)
_TO_WHAT: Final = (
    r"(?: (?:to|with) (?:that|it|this|the takeback|take[ -]?back.{0,40}|go(?:ing)? on(?: without .{1,60})?))?"
)
_AGREES: Final = rf"(?:yes,? )?(?:i |we )?agreed?{_TO_WHAT}{_THANKS}"
_OBJECTS: Final = rf"(?:no,? )?(?:i |we )?(?:disagree|object|do not agree|don'?t agree){_TO_WHAT}{_THANKS}"
_WITHDRAWS: Final = r"(?:i )?(?:withdraw|take back) (?:my|the) (?:motion|wish|request|proposal)[.!]?|withdraw[.!]?"
_NAMED: Final = r"\b(?:take ?-?back|go(?:ing)? on)\b"
_LIKELY: Final = r"(?i)back|undo|without|agree|object|withdraw"
_LONGEST: Final = 120  # characters

Speech = Literal["take back", "go on", "agree", "disagree", "withdraw"]


class Spoken(NamedTuple):
    """What a line says about a wish, and without *whom* the game is to go on."""

    what: Speech
    whom: str = ""


def spoken_in(line: str) -> Spoken | None:
    """Return what a cleaned line says about a wish, None for any other line."""
    if len(line) > _LONGEST or not re.search(_LIKELY, line):
        return None
    text = line.lower()
    if re.fullmatch(_WITHDRAWS, text):
        return Spoken("withdraw")
    if any(re.fullmatch(wish, text) for wish in _WISHES):
        return Spoken("take back")
    if found := re.fullmatch(_WITHOUT, text):
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
    return line.lower().strip(" ?!.") == "agree" or re.search(_NAMED, line.lower()) is not None

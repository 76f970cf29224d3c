"""What makes an order doubtful: lines around it that take it back, continue it, or lead up to it.

A line that is only an order is trusted more than a phrase: the player is asked to confirm it only if the words
around it clearly say not to play it.
"""

import re
from collections.abc import Collection, Sequence
from typing import Final

_OPEN: Final = r"(?i)\b(?:if|unless|but|wait|actually|maybe|perhaps|or|not|don.?t|sorry|instead)\b|\?"
_TAKEN_BACK: Final = (
    r"(?i)\b(?:(?:just|only) (?:kidding|joking)|scratch that|i meant (?!to\b|it\b|that\b)|correction|changed my mind"
    r"|on second thoughts?|take (?:it|that) back|hold on|undecided|not (?:sure )?(?:yet|final)|no,? wait|hmm+,? wait"
    r"|ignore (?:this|that|it|the (?:line|order)|my)|wait for (?:me|my)|i.?m not sure\W*$"
    r"|(?:cancel|undo) (?:this|that|it|my (?:order|move))"
    r"|(?:not|don.?t) (?:to be )?(?:play|count|take|send)(?:ed)? (?:this|that|it|the order|anything|yet)"
    r"|(?:i.?ll|i will|to) (?:answer|decide|reply)\b.{0,20}\b(?:later|tomorrow|tonight|soon|\w{3,6}day))\b"
)
_NOTHING_BUT_MARKS: Final = r"\W*$"
_CORRECTED: Final = (
    r"(?i)\W*(?:(?:no|sorry|oops|rather|better|make (?:that|it)|i mean|actually)\b[\s,:.]*)+"
    r"(?:(?:the )?(?:#?\d{1,2}|[a-z][12][abc])|yes|no)\W*$"
)
_CONDITION: Final = (
    r"(?i)(?:but )?only (?:if|when)\b|unless\b|.{0,60}\b(?:otherwise|else),? (?:pass|stay|decline|offer|buy|spread|\d)"
    r"|(?:and|also|plus|then)\b.{0,20}\b[a-z][12][abc]\b"
)
# Directly below an order, in lower case, as the rest of its sentence.
_GOES_ON: Final = (
    r"(?:or|unless|if|but only|otherwise|else|when|as (?:long|soon) as|provided|is|was|would|should|could|might)\b"
)
# Above an order, as the beginning of its sentence.
_LEADS_TO: Final = (
    r"(?i)\b(?:do not|don.?t|not|never|won.?t|should|would|could|might|(?:can|could|i|you) (?:write|wrote|said|say))"
    r"(?: (?:play|do|send|take|count))?\s*$"
    r"|\b(?:not|don.?t|would|should|if|when|said|asked|told|wrote|yesterday|last|draft|suppose|example|copy|says)\b"
    r".{0,80}(?<!order)(?<!answer)(?<!move)(?<!go):\s*$"
)
_LONGEST: Final = 400  # characters of a line that can be any of these


def is_open(line: str) -> bool:
    """Return whether the line has a condition, a doubt or a question, so that no phrase beside it is a sure order."""
    return bool(re.search(_OPEN, line))


def are_taken_back(lines: Sequence[str], orders: Collection[int]) -> bool:
    """Return whether the lines around the orders say not to play them, or not yet."""
    others = [line for i, line in enumerate(lines) if 0 < len(line) <= _LONGEST and i not in orders]
    if any(map(_takes_back, others)):
        return True
    above = next((line for line in reversed(lines[: min(orders)]) if line), "")
    after = lines[max(orders) + 1 : max(orders) + 2]
    return bool(re.search(_LEADS_TO, above[-_LONGEST:])) or any(re.match(_GOES_ON, line) for line in after)


def _takes_back(line: str) -> bool:
    if "?" in line and re.match(_NOTHING_BUT_MARKS, line):
        return True
    return bool(re.search(_TAKEN_BACK, line) or re.match(_CORRECTED, line) or re.match(_CONDITION, line))

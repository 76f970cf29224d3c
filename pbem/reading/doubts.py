"""What makes an order doubtful: lines around it that take it back, continue it, or lead up to it.

A line that is only an order is trusted more than a phrase: the player is asked to confirm it only if the words
around it clearly say not to play it.
"""

import re
from collections.abc import Collection, Sequence
from typing import Final

from pbem.reading.vocabulary import any_of, each_of

_OPEN: Final = rf"(?i)\b{any_of('doubts.open')}\b|\?"
_TAKEN_BACK: Final = rf"(?i)\b{any_of('doubts.taken_back')}\b"
_NOTHING_BUT_MARKS: Final = r"\W*$"
_CORRECTED: Final = rf"(?i)\W*(?:{any_of('doubts.corrections')}\b\W*){{1,8}}{any_of('doubts.corrected')}\W*$"
_OF_CORRECTIONS: Final = rf"(?i)\b{any_of('doubts.corrections')}(?!\w)"
_BESIDE_CORRECTIONS: Final = rf"(?i)\b{any_of('doubts.beside_corrections')}(?!\w)"
_NAMED: Final = rf"(?i)(?<!\w)(?:{any_of('doubts.named')})(?!\w)"
_NOT: Final = rf"(?i)\b{any_of('doubts.instead')}\b"
# A line of nothing but these; of those that are free, too dear is a reason.
_REVOKES: Final = any_of("doubts.revoked")
_REVOKES_WHAT_COSTS: Final = f"(?:{_REVOKES}|{any_of('doubts.unaffordable')})"
_AFTER_REVOKED: Final = any_of("doubts.after_revoked")
_REVOKED, _REVOKED_WHAT_COSTS = (
    rf"(?i)\W*(?:(?:{any_of('doubts.before_revoked')}|{_AFTER_REVOKED}|{revokes})\b\W+){{0,6}}?"
    rf"{revokes}(?:\W+{_AFTER_REVOKED}\b){{0,3}}\W*"
    for revokes in (_REVOKES, _REVOKES_WHAT_COSTS)
)
_CONDITION: Final = rf"(?i){any_of('doubts.conditions')}"
_GOES_ON: Final = rf"{any_of('doubts.goes_on')}\b"
_DENIED: Final = rf"(?i)\W*(?:{any_of('doubts.before_denied')}\b\W*)?{any_of('doubts.denied')}"
_DENIED_LAST: Final = rf"(?i)\W*p\.? ?s\.?\W*{any_of('doubts.denied')}"
_FRAGMENT: Final = rf"(?i)\W*{any_of('doubts.fragments')}\b[^,;:]*$"
_NO_HEAD: Final = "".join(rf"(?<!{head})" for head in each_of("doubts.heads"))
_LEADS_TO: Final = (
    rf"(?i)\b{any_of('doubts.leads_to')}\s*$|\b{any_of('doubts.leads_to_colon')}\b.{{0,80}}{_NO_HEAD}:\s*$"
)
_FEW_WORDS: Final = 5  # of a line that takes back what is above an empty one
_FEW_MORE: Final = 8  # of a condition without anything after it
_LONGEST_REVOKED: Final = 60  # characters of a line that only takes back another
_MOST_REVOKED: Final = 20  # lines at the beginning, and at the end
_LONGEST: Final = 400  # characters of a line that can be any of these


def is_open(line: str) -> bool:
    """Return whether the line has a condition, a doubt or a question, so that no phrase beside it is a sure order."""
    return bool(re.search(_OPEN, line))


def are_taken_back(lines: Sequence[str], orders: Collection[int], *, are_free: bool) -> bool:
    """Return whether the lines around the orders, which may be *free*, say not to play them, or not yet."""
    others = [line for i, line in enumerate(lines) if 0 < len(line) <= _LONGEST and i not in orders]
    ordered = " ".join(lines[i][:_LONGEST] for i in orders)
    corrects = any(re.match(_CORRECTED, lines[i][:_LONGEST]) for i in sorted(orders)[1:])  # "no, I pass"
    if corrects or any(_takes_back(line, ordered) for line in others):
        return True
    above = next((line for line in reversed(lines[: min(orders)]) if line), "")
    beneath = lines[max(orders) + 1 :]
    after, further = beneath[:1], [line for line in beneath[:2] if 0 < len(line.split()) <= _FEW_WORDS]
    goes_on = any(re.match(_GOES_ON, line) or re.match(_DENIED, line[:_LONGEST]) for line in after)
    goes_on = goes_on or any(re.match(_FRAGMENT, line) for line in beneath[:2] if len(line.split()) <= _FEW_MORE)
    denied = any(re.match(_DENIED, line) for line in further)
    denied = denied or any(re.match(_DENIED_LAST, line) for line in beneath if len(line.split()) <= _FEW_WORDS)
    revoke = _REVOKED if are_free else _REVOKED_WHAT_COSTS
    revoked = any(re.fullmatch(revoke, line) for line in _first_and_last(beneath))
    return goes_on or denied or revoked or bool(re.search(_LEADS_TO, above[-_LONGEST:]))


def _first_and_last(beneath: Sequence[str]) -> list[str]:
    """Return the short lines that may take an order back: those right beneath it, and at the end of a long text."""
    short = [line for line in beneath if 0 < len(line) <= _LONGEST_REVOKED]
    return short if len(short) <= 2 * _MOST_REVOKED else [*short[:_MOST_REVOKED], *short[-_MOST_REVOKED:]]


def _takes_back(line: str, ordered: str) -> bool:
    if "?" in line and re.match(_NOTHING_BUT_MARKS, line):
        return True
    return bool(re.search(_TAKEN_BACK, line) or _corrects(line, ordered) or re.match(_CONDITION, line))


def _corrects(line: str, ordered: str) -> bool:
    """Return whether a line says little more than what is meant instead of the order, or what is not meant.

    So do ``no, 8``, ``not 9 but 8`` and ``bow, not rod``. The names of cards alone are talk: ``oh, a spear``.
    """
    if re.match(_CORRECTED, line):
        return True
    named, known = (set(re.findall(_NAMED, text.lower())) for text in (line, ordered))
    denies = re.search(_NOT, line) is not None
    is_clear = denies or len(named) > 1 or any(any(c.isdigit() for c in name) for name in named)
    if not named or not is_clear or line.endswith("?") or (not denies and named <= known):
        return False
    rest, corrections = re.subn(_OF_CORRECTIONS, " ", re.sub(_NAMED, " ", line))
    return corrections > 0 and not re.search(r"\w", re.sub(_BESIDE_CORRECTIONS, " ", rest))

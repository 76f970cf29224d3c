"""The words of a plan in the language of its player."""

import re
from functools import partial
from typing import Final

from pbem.first_sparks.notation import FORMS
from pbem.first_sparks.plans.plan import CLASSES, NOBODY, SOMEBODY
from pbem.locale import Phrase, phrase, phrase_by, phrase_in, tr

CLASS_NAMES: Final = {"tool": "tool", "knowledge": "knowledge"}  # of those that are not kinds of cards
_BY_NAME: Final = "if {who} wants it"
# What stands in a plan beside orders, numbers and spaces.
WORDS: Final = (
    *(f"any {kind}" for kind in CLASSES),
    *("plan", "always", "else pass", "else ask", "else stay", "if nobody wants it", "if somebody wants it", _BY_NAME),
    *("up to", "at most", "new decline", "new ask", "drop least"),
)
_PIECE: Final = re.compile(
    r"else \w+|if (?P<who>\w+) wants it|any \w+|up to|at most|new \w+|drop least|(?:spread|settle) neutral"
    r"|[a-z]{3,}"
)


def kind_name(kind: str) -> Phrase:
    """Return the name of a class as it is read."""
    return phrase(CLASS_NAMES[kind]) if kind in CLASS_NAMES else phrase_in(kind, "card")


def plan_phrase(line: str) -> Phrase:
    """Return a line in normal form, or a part of one, as something that can be said in another language."""
    return phrase_by(line, partial(plan_text, line))


def plan_text(line: str) -> str:
    """Return a line in normal form as players write it in the language that is spoken."""
    return _PIECE.sub(_piece, line)


def _piece(found: re.Match[str]) -> str:
    if found["who"] not in (None, NOBODY, SOMEBODY):
        return tr(_BY_NAME, "in a plan").format(who=tr(found["who"], "clan colour"))
    return tr(found[0], "order" if found[0] in FORMS else "in a plan")

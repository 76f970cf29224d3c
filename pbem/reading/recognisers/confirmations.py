"""What a line answers to our question "Did you mean that?": yes, no, or something else instead.

To resign, a player must say yes; other proposals can also be accepted in other words. What somebody puts in place of
an order of the same message, ``no, 8``, is read like an answer to such a question.
"""

import re
from itertools import islice
from typing import Final, Literal

from pbem.first_sparks.notation import MILD
from pbem.reading.context import Context
from pbem.reading.doubts import is_open
from pbem.reading.recognisers import phrases
from pbem.reading.recognisers.orders import Meaning, is_legal
from pbem.reading.vocabulary import any_of

_LONGEST: Final = 120  # characters
_MOST_TURNS: Final = 4  # in a line
_MOST_WORDS: Final = 2  # of an order for one thing
_APART: Final = r"(?:[\s,.!;:]+|$)"
_THANKS: Final = rf"(?:{any_of('confirmations.thanks')}{_APART})"
_AGREES: Final = rf"(?:(?:{any_of('confirmations.agrees')}|{any_of('confirmations.thanks')}){_APART})"
_DENIES: Final = rf"(?:{any_of('confirmations.denies')}{_APART})"
_IS_YES: Final = rf"(?i){_THANKS}*{_AGREES}{{1,6}}"
_IS_NO: Final = rf"(?i){_THANKS}?{_DENIES}{{1,3}}{_THANKS}{{0,2}}"
_IS_THANKS: Final = rf"(?i){_THANKS}*"
_SAYS_YES: Final = rf"(?i){any_of('confirmations.yes')}(?=\W|$)[\s,.!;:]*"
_SPOKEN_OUT: Final = rf"(?i){any_of('confirmations.spoken_out')}(?!\w)"
_MARKS: Final = r"[\s,.:;!\u2013\u2014-]*"
_TURNS: Final = rf"(?i)(?:{any_of('confirmations.turns')}(?=\W){_MARKS})+"
_TURNED: Final = (
    rf"(?i)[\s,.;\u2013\u2014-]*\b{any_of('confirmations.turned')}(?:\W+{any_of('confirmations.polite')})*\W*$"
)
_NO_TURN: Final = rf"(?i){any_of('confirmations.no_turn')}"
# The same beside an order, where less is a correction at the end, and more at the beginning.
_CORRECTIONS: Final = (
    rf"(?!{any_of('confirmations.no_turn')})(?:{any_of('confirmations.turns')}|{any_of('confirmations.corrections')})"
)
_CORRECTS: Final = rf"(?i)(?:{_CORRECTIONS}(?=\W){_MARKS})+"
_CORRECTS_AT_END: Final = (
    rf"(?i){_MARKS}\b{any_of('confirmations.after_it')}(?:\W+{any_of('confirmations.polite')})*\W*$"
)
_NO_CORRECTION: Final = rf"(?i){any_of('confirmations.no_correction')}\b"
_INSIDE: Final = (
    rf"(?i)(?<=\w)[\s,.;:!?()\u2013\u2014-]+(?!{any_of('confirmations.no_correction')}\b)(?={_CORRECTIONS}(?=\W))"
)
_DENIED: Final = rf"(?i)(?<=\w)[\s,.;:!?()\u2013\u2014-]+{any_of('doubts.denied_inside')}"
_AND: Final = rf"(?i){any_of('confirmations.and_wishes')}\b"
_PERHAPS: Final = rf"(?i){any_of('confirmations.perhaps')}\W+"


def to_proposal(line: str, context: Context) -> Meaning | None:
    """Return what a cleaned line answers to the proposal, None if it must be read as at any other time.

    A yes in other words counts only in reply to that letter. Otherwise, and for ``resign``, it is proposed again.
    """
    if not context.proposed or not line or len(line) > _LONGEST:
        return None
    if re.fullmatch(_IS_NO, line):
        # The no may also answer the question of the game.
        told = context.replies_to_it or phrases.meaning(line, context.state) is None
        return Meaning(bare=True, said="no", alone=True) if told else None
    if re.fullmatch(_IS_YES, line) and not re.fullmatch(_IS_THANKS, line):
        return _agreed(context, says_yes=bool(re.match(_SAYS_YES, line)))
    if yes := re.match(_SAYS_YES, line):
        rest = line[yes.end() :]
        found = phrases.meaning(rest, context.state)
        is_the_same = found.orders == context.proposed if found else _is_only_kind(rest)
        return _agreed(context, says_yes=True) if is_the_same else None
    perhaps = re.match(_PERHAPS, line)
    line = line[perhaps.end() :] if perhaps else line
    meant = _between(line, _TURNS, _TURNED)
    if not meant or (context.takes_yes and re.match(_NO_TURN, line)):
        return None
    found = _instead(phrases.meaning(meant, context.state), context)
    return found._replace(sure=False) if found and perhaps and not found.said else found


def _is_only_kind(words: str) -> bool:
    """Return whether words after a yes add nothing to it: ``and good luck to all``."""
    return re.match(_AND, words) is not None and not is_open(words) and not any(c.isdigit() for c in words)


def _between(line: str, begins: str, ends: str) -> str:
    """Return what a line has between words that correct something, or nothing without such words."""
    begun, ended = re.match(begins, line), re.search(ends, line)
    first = begun.end() if begun else 0
    return line[first : ended.start() if ended and ended.start() > first else None] if begun or ended else ""


def in_place_of(order: str, line: str, context: Context) -> str:
    """Return the order that a cleaned line surely puts in place of an *order* beside it, ``no, 8``; nothing if none.

    Where several things are ordered, it is not clear which of them is corrected. Without an order it may be less sure.
    """
    state = context.state
    if state is None or len(line) > _LONGEST or len(order.split()) > _MOST_WORDS or re.match(_NO_CORRECTION, line):
        return ""
    found = phrases.meaning(_between(line, _CORRECTS, _CORRECTS_AT_END), state)
    if found is None or len(found.orders) != 1:
        return ""
    is_clear = (found.sure and (not found.said or context.takes_yes)) or (found.bare and not found.said)
    if not is_clear and (order or found.said):
        return ""
    (instead,) = found.orders
    return instead if instead != order and is_legal(state, instead) else ""


def corrected(line: str, meant: Meaning | None, context: Context) -> Meaning | None:
    """Return the guess for a cleaned line that corrects its own answer, or what is *meant* by any other line.

    So do ``offer 9, no, 8`` and ``9, not 8``; and so does ``make it 8``, if nothing else can be meant by it. An order
    that a no follows cannot be read, if nothing is meant in its place: ``offer 9. No, better not``.
    """
    if meant and (meant.sure or meant.said):
        return meant
    if not (meant and meant.orders) and (instead := in_place_of("", line, context)):
        return Meaning((instead,))
    for turn in islice(re.finditer(_INSIDE, line[:_LONGEST]), _MOST_TURNS):
        before = phrases.meaning(line[: turn.start()], context.state)
        for order in before.orders if before else ():
            if instead := in_place_of(order, line[turn.end() :], context):
                return Meaning((instead,))
    denied = re.search(_DENIED, line[:_LONGEST]) if meant and meant.orders else None
    before = phrases.meaning(line[: denied.start()], context.state) if denied else None
    is_taken_back = before is not None and any(order.split()[0] not in MILD for order in before.orders)
    return Meaning() if is_taken_back else meant


def plain_answer(line: str) -> Literal["yes", "no", ""]:
    """Return whether a cleaned line says nothing but yes, or nothing but no."""
    if not line or len(line) > _LONGEST:
        return ""
    if re.fullmatch(_IS_NO, line):
        return "no"
    return "yes" if re.fullmatch(_IS_YES, line) and not re.fullmatch(_IS_THANKS, line) else ""


def is_spoken_out(line: str) -> bool:
    """Return whether a cleaned line says yes, agreed or no in so many words, and not just "please" or "great"."""
    return re.match(_SPOKEN_OUT, line) is not None


def _agreed(context: Context, *, says_yes: bool) -> Meaning | None:
    """Return the meaning of a line that agrees, with a yes or without."""
    if (context.replies_to_it and (says_yes or "resign" not in context.proposed)) or (
        says_yes and not context.takes_yes
    ):
        return Meaning(bare=True, said="yes", alone=True)
    if says_yes or context.takes_yes or len(context.proposed) > 1:
        return None
    return Meaning(context.proposed, bare=True)


def _instead(found: Meaning | None, context: Context) -> Meaning | None:
    """Return what replaces the proposal: as sure as an order, if it names one, its card or its space."""
    if found is None or not found.orders:
        return found
    if found.orders == context.proposed:
        return Meaning(bare=True, said="yes", alone=True) if context.replies_to_it else found
    names = found.sure if not found.bare else not found.said
    return found._replace(sure=names and len(found.orders) == 1, bare=False, said="")

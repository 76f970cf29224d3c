"""What a line answers to our question "Did you mean that?": yes, no, or something else instead.

A line is only read this way while such a question is open. To resign, a player must say yes; other proposals can
also be accepted in other words.
"""

import re
from typing import Final, Literal

from pbem.reading import phrases
from pbem.reading.asked import Asked
from pbem.reading.orders import Meaning

_LONGEST: Final = 120  # characters
_THANKS: Final = r"pls|thanks|thank you|thx|sorry|oh|then|now|well"
_YES: Final = r"yes+|yep|yeah|yup|yea?|jep|ja|aye|si|oui|y"
_IT_IS: Final = r"(?:that.?s|that is|it is|it.?s|this is)"
_WHAT_I_MEANT: Final = r"what i (?:meant|mean|want|wanted)"
_AGREES: Final = (
    rf"{_YES}|ok(?:ay)?|kk?|sure|fine|exactly|right|correct|true|confirm(?:ed)?|indeed|absolutely|definitely|certainly"
    r"|affirmative|perfect|great|bingo|uh ?huh|you got it|sounds good|thumbs up|of course|go ahead|please(?: do)?|do"
    rf"|do (?:it|so|that|this)|play (?:it|that)|that one|{_IT_IS} (?:right|correct|it|{_WHAT_I_MEANT})"
    r"|(?:you are|you.?re) (?:right|correct)|i (?:do|did|am|confirm|meant (?:that|it))|i.?m sure|it is"
)
_DENIES: Final = (
    r"no+|nope|nah|nay|n|nein|wrong|incorrect|false|negative|never ?mind|cancel(?: (?:it|that))?|forget (?:it|that)"
    r"|(?:certainly |absolutely |of course |definitely |please )?not(?: (?:at all|that|that one|it|yet|so|now))?|no way"
    rf"|thumbs down|{_IT_IS} (?:wrong|not (?:it|right|correct|{_WHAT_I_MEANT}))"
    r"|(?:please )?(?:don.?t|do not)|i (?:did not|didn.?t|do not|don.?t)(?: mean (?:that|it))?"
)
_APART: Final = r"(?:[\s,.!;:]+|$)"
_IS_YES: Final = rf"(?i)(?:(?:{_THANKS}){_APART})*(?:(?:{_AGREES}|{_THANKS}){_APART}){{1,6}}"
_IS_NO: Final = rf"(?i)(?:(?:{_THANKS}){_APART})?(?:(?:{_DENIES}){_APART}){{1,3}}(?:(?:{_THANKS}){_APART}){{0,2}}"
_IS_THANKS: Final = rf"(?i)(?:(?:{_THANKS}){_APART})*"
_SAYS_YES: Final = rf"(?i)(?:{_YES})(?=\W|$)[\s,.!;:]*"
# Words that replace it with something else: "no, I meant 8", "8, not 9".
_TURNS: Final = (
    r"(?i)(?:(?:no|nope|nah|sorry|oops|wrong|not that(?: one)?|not .{1,20}?(?:,| but)|actually|rather|correction"
    r"|better|but|i (?:mean|meant)(?: to)?|i.?d rather|make (?:it|that)|change (?:it |that )?to"
    r"|it should (?:be|have been)|it.?s)(?=\W)[\s,.:;!\u2013\u2014-]*)+"
)
_PERHAPS: Final = r"(?i)(?:i (?:think|guess|suppose|believe)|maybe|perhaps)\W+"
_TURNED: Final = (
    r"(?i)[\s,.;\u2013\u2014-]*\b(?:i (?:mean|meant)|instead|rather|not (?:the )?#?\w+|would be better|is better"
    rf"|is {_WHAT_I_MEANT})(?:\W+(?:please|sorry|thanks))*\W*$"
)


def to_proposal(line: str, asked: Asked) -> Meaning | None:
    """Return what a cleaned line answers to the proposal, None if it must be read as at any other time.

    A yes in other words counts only in reply to that letter. Otherwise, and for ``resign``, it is proposed again.
    """
    if not asked.proposed or not line or len(line) > _LONGEST:
        return None
    if re.fullmatch(_IS_NO, line):
        # The no may also answer the question of the game.
        told = asked.replies_to_it or phrases.meaning(line, asked.state) is None
        return Meaning(bare=True, said="no", alone=True) if told else None
    if re.fullmatch(_IS_YES, line) and not re.fullmatch(_IS_THANKS, line):
        return _agreed(asked, says_yes=bool(re.match(_SAYS_YES, line)))
    if yes := re.match(_SAYS_YES, line):
        found = phrases.meaning(line[yes.end() :], asked.state)
        return _agreed(asked, says_yes=True) if found and found.orders == asked.proposed else None
    perhaps = re.match(_PERHAPS, line)
    line = line[perhaps.end() :] if perhaps else line
    begun, ended = re.match(_TURNS, line), re.search(_TURNED, line)
    meant = line[begun.end() if begun else 0 : ended.start() if ended else None]
    if not meant or not (begun or ended):
        return None
    found = _instead(phrases.meaning(meant, asked.state), asked)
    return found._replace(sure=False) if found and perhaps and not found.said else found


def plain_answer(line: str) -> Literal["yes", "no", ""]:
    """Return whether a cleaned line says nothing but yes, or nothing but no."""
    if not line or len(line) > _LONGEST:
        return ""
    if re.fullmatch(_IS_NO, line):
        return "no"
    return "yes" if re.fullmatch(_IS_YES, line) and not re.fullmatch(_IS_THANKS, line) else ""


def _agreed(asked: Asked, *, says_yes: bool) -> Meaning | None:
    """Return the meaning of a line that agrees, with a yes or without."""
    if (asked.replies_to_it and (says_yes or "resign" not in asked.proposed)) or (says_yes and not asked.takes_yes):
        return Meaning(bare=True, said="yes", alone=True)
    if says_yes or asked.takes_yes or len(asked.proposed) > 1:
        return None
    return Meaning(asked.proposed, bare=True)


def _instead(found: Meaning | None, asked: Asked) -> Meaning | None:
    """Return what replaces the proposal: as sure as an order, if it names one, its card or its space."""
    if found is None or not found.orders:
        return found
    if found.orders == asked.proposed:
        return Meaning(bare=True, said="yes", alone=True) if asked.replies_to_it else found
    names = found.sure if not found.bare else not found.said
    return found._replace(sure=names and len(found.orders) == 1, bare=False, said="")

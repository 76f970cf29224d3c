"""Lines that say two things each get two.

So do an order and a plan or a note, a yes and words that change nothing, and a request and words for the others.
"""

import re
from collections.abc import Iterator
from typing import Final

from pbem.first_sparks.plans.lines import head_of
from pbem.reading.context import Context
from pbem.reading.doubts import is_open
from pbem.reading.languages import in_english
from pbem.reading.lines import cleaned, is_order
from pbem.reading.recognisers import phrases
from pbem.reading.recognisers.confirmations import is_spoken_out, plain_answer, to_proposal
from pbem.reading.recognisers.motions import MOVES, spoken_in
from pbem.reading.recognisers.requests import asks_only, is_note, request_of
from pbem.reading.vocabulary import any_of

_MOST: Final = 40  # lines
_LONGEST: Final = 200  # characters of a line
_BETWEEN: Final = r"\s*[(.,;:!\u2013\u2014]+\s*|\s+-+\s+"
_MOST_PLACES: Final = 4  # in a line
_SENTENCES: Final = r"(?:(?<![\s.]\d)(?<![\s.]\d\d)\.|[,;:!?])+\s+|\s+-+\s+"  # but not "6. December" or "6.12."
_LEAST_ASKED: Final = 3  # words of a request to see something, since "Options, options!" is talk
_UNSETTLES: Final = rf"(?i)\b{any_of('requests.unsettles')}(?!\w)|[\d?@]"
_KIND: Final = rf"(?i){any_of('confirmations.kind')}"
_AND: Final = r"(?i)and\W+"


def apart(text: str, context: Context) -> str:
    """Return a text with two lines for each that says two things."""
    lines = text.split("\n")
    return "\n".join((*(each for line in lines[:_MOST] for each in _parts(line, context)), *lines[_MOST:]))


def _parts(line: str, context: Context) -> tuple[str, ...]:
    if 0 < len(line) <= _LONGEST and line[0] not in ">|":
        for first, then in _divided(line) if _may_have_two(line, context) else ():
            said, more = (in_english(each, context.language).text for each in (first, then))
            if (_is_order(said, context) and _is_kept(more)) or _is_yes(said, more, context):
                return first, then.rstrip(" )") if "(" in line[len(first) :] else _without_and(then, more)
        return next(_requested(line, context), (line,))
    return (line,)


def _requested(line: str, context: Context) -> Iterator[tuple[str, str]]:
    """Yield a request and the words behind it, which change nothing about it; none torn off a line of our letter."""
    for at in list(re.finditer(_SENTENCES, line))[:_MOST_PLACES]:
        first, then = line[: at.start()], line[at.end() :]
        said, more = (in_english(each, context.language).text for each in (first, then))
        is_asked = bool(first and then) and '"' not in line and not re.search(_UNSETTLES, more) and _asks(cleaned(said))
        is_list = is_asked and any(is_order(part) or request_of(cleaned(part)) for part in re.split(_SENTENCES, more))
        if is_asked and not is_list and " ".join(line.split()) not in context.letter():
            yield first, then


def _asks(words: str) -> bool:
    """Return whether words ask for an absence, for what all must agree to, or in some words for something to read."""
    request = request_of(words)
    said = spoken_in(request) if request else None
    is_read = asks_only(request) and len(words.split()) >= _LEAST_ASKED
    return is_read or request.startswith("absent ") or (said is not None and said.what in MOVES)


def _may_have_two(line: str, context: Context) -> bool:
    said = in_english(line, context.language).text
    return re.search(r"(?i)\b(plan|note)\b", said) is not None or (
        bool(context.proposed) and not to_proposal(said, context)
    )


def _divided(line: str) -> Iterator[tuple[str, str]]:
    """Yield both parts of a line for each place where it may be divided; one torn out of brackets has none."""
    for at in list(re.finditer(_BETWEEN, line))[:_MOST_PLACES]:
        first, then = line[: at.start()], line[at.end() :]
        if first and then and first.count("(") == first.count(")"):
            yield first, then


def _without_and(own: str, english: str) -> str:
    """Return the second part without the "and" before it, which is one word in every language."""
    return own.split(maxsplit=1)[1] if re.match(_AND, english) and " " in own else own


def _is_kept(words: str) -> bool:
    """Return whether words are a plan or a note."""
    return head_of(words) == "plan" or is_note(request_of(cleaned(words)))


def _is_order(words: str, context: Context) -> bool:
    meant = phrases.meaning(cleaned(words), context.state)
    return is_order(words) or (meant is not None and meant.sure and not meant.bare)


def _is_yes(words: str, more: str, context: Context) -> bool:
    """Return whether somebody says yes to our question in so many words, and then only thanks, wishes or asks."""
    is_clear = bool(context.proposed) and (context.replies_to_it or not context.takes_yes)
    if not is_clear or plain_answer(cleaned(words)) != "yes" or not is_spoken_out(cleaned(words)):
        return False
    more = cleaned(re.sub(_AND, "", more, count=1))
    is_kind = re.match(_KIND, more) is not None and not (is_open(more) or any(c.isdigit() for c in more))
    return is_kind or asks_only(request_of(more))

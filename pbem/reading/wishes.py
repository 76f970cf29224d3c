"""Requests: lines of a reply that ask for something, in the few ways in which people write them."""

import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Final

from pbem.first_sparks.notation import ORDER_WORDS
from pbem.reading.lines import is_order
from pbem.reading.motions import is_request

NOTE: Final = "note"
TRY: Final = "try"
SUGGEST: Final = "suggest"
LONGEST_TRY: Final = 400
_DATE: Final = r"\d{4}-\d\d-\d\d"
_DAY: Final = (  # as our own texts name it: "Fri 15 Jan 2027"
    r"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6},? )?\d{1,2} "
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}(?: \d{4})?"
)
_REQUEST: Final = (
    rf"(?i)help(?: plans?| with plans?)?|show|options|join [a-z0-9-]{{1,40}} \S.{{0,60}}|back|stop|news(?: \w{{1,20}})?"
    rf"|plain(?: off)?|absent(?: until \S{{1,40}}| {_DATE})?"
    rf"|absent {_DAY}|(?:absent|away) until (?:{_DATE}|{_DAY})"
)
_ADVICE: Final = r"(?i)(?:plan[\s:]+)?suggest(?: (?:a |an |some )?(?:plan|move|order|something))?[?!]?"
# What people write around a request: "I am absent until 2026-12-31", "help me, please".
_POLITE: Final = (
    r"(?i)^(?:(?:hi|hello|please|pls|i am|i'm|(?:i will|i'll) be(?= absent)),? )+"
    r"|(?:,? (?:please|pls|thanks|thank you|me))+$"
)
# "rules", "rules R4.5", "rules rot", "rules about the player order"; several words with a word of talk are not a
# request.
_RULES: Final = r"rules(?: (?:about|for|on|of))?(?: the)?((?: [a-z0-9.'-]{1,40}){0,3})\??"
_TALK: Final = (
    r"\b(?:are|is|was|were|be|do|does|did|dont|don't|say|says|said|have|has|had|i|you|we|they|he|she|it|my|your|our|his"
    r"|her|their|to|not|but|if|so|too|again|this|that|suck|and|or|ok|anyway|haha|lol)\b"
)
_WHO: Final = r"(?:i|we|you|one|(?:a|the|my) (?:clan|player)|somebody|someone|anybody|anyone|players|clans)"
_THE_GAME: Final = r"(?: (?:the|this|a) game)?"
# Questions about the rules; the groups are what they are about.
_QUESTIONS: Final = (
    rf"how (?:do|does|can|could) {_WHO} "
    rf"(win|lose|spread|grow|hunt|harvest|eat|feed|starve|buy|offer|pay|settle|draw|resign|rot){_THE_GAME}",
    r"how (?:does|do) (?:the |an? )?(?!(?:it|this|that|everything|they|you)\b)([a-z-]{3,20}(?: order| cards?)?) works?",
    r"how is (?:the|this) game (won)|who (wins) (?:the|this) game|what (?:is|are) the (aim|goal)s?(?: of the game)?",
    r"when (?:does|will) (?:the|this) game (end)|when is (?:the|this) game over(?P<over>)",
    r"what does (?:the )?(fire|plow|sled|transport sled|speech|intelligence|shuffle|crop|herbs?)(?: card)? do",
)
# After "note", they speak to the table: "note that I am away", "note to all".
_TOLD: Final = (
    r"that|how|also|well|from|too|again"
    r"|(?:to|for) (?!(?:my)?self\b|me\b|later\b|next\b|turn\b|round\b)(?:all|every|the|you|players?|others|\w+[,:])"
)
_FIRST_WORDS: Final = tuple(dict.fromkeys(word.split()[0] for word in ORDER_WORDS))
_LONGEST_TRIED: Final = 7  # words that are no order, but begin like one


def request_of(text: str) -> str:
    """Return the request in a cleaned line, or nothing if it is not a request.

    It is in lower case, except for a wish that all must agree to, the name after ``join``, the order after ``try``, and
    the words of a note.
    """
    word = text[:5].lower()
    if word == "join ":
        return text if re.fullmatch(_REQUEST, text) else ""
    if word.startswith(NOTE):
        return _note(text)
    if is_request(text):
        return text
    bare = re.sub(_POLITE, "", text)
    if bare[:3].lower() == TRY:
        return _trial(bare)
    if re.fullmatch(_ADVICE, bare):
        return SUGGEST
    bare = bare.lower().replace("unsubscribe", "stop")
    if bare.startswith("rules"):
        return _rules(bare)
    if re.fullmatch(_REQUEST, bare) and not bare.startswith("join "):
        return re.sub("^away ", "absent ", bare).replace(" until ", " ")
    return _question(bare)


def _rules(text: str) -> str:
    found = re.fullmatch(_RULES, text)
    if not found or (len(found[1].split()) > 1 and re.search(_TALK, found[1])):
        return ""
    return f"rules{found[1]}".rstrip(" .")


def _question(text: str) -> str:
    """Return the request for the rules that a question is about, or nothing."""
    if text[:3] not in ("how", "who", "wha", "whe"):
        return ""
    for pattern in _QUESTIONS:
        if found := re.fullmatch(rf"(?:{pattern})(?: here| now)?\s?\??", text):
            return f"rules {next(filter(None, found.groups()), 'end')}"
    return ""


# Notes


def _note(text: str) -> str:
    found = re.fullmatch(r"(?is)note(?: +(\S.*))?", text)
    if not found or (found[1] and re.match(rf"(?i)(?:{_TOLD})(?![a-z'])", found[1])):
        return ""
    return f"{NOTE} {found[1]}" if found[1] else NOTE


def is_note(wish: str) -> bool:
    """Return whether a request is a note, which may go on in the next lines."""
    return wish.startswith(f"{NOTE} ")


def named(wish: str) -> str:
    """Return a request as subjects and the host's output show it: without a note's words and what is tried."""
    word = wish.split(maxsplit=1)[0]
    return word if word in (NOTE, TRY) else wish


# Trials


def _trial(text: str) -> str:
    found = re.fullmatch(r"(?i)try(?:\s?[:,])?(?:\s+(.+))?", text)
    if not found or len(text) > LONGEST_TRY:
        return ""
    orders = [piece.strip(" '\"?.") for piece in (found[1] or "").split(";")]
    orders = [order for order in orders if order]
    if not orders:
        return TRY
    return f"{TRY} {'; '.join(orders)}" if _is_tried(orders[0]) else ""


def _is_tried(text: str) -> bool:
    """Return whether the text after ``try`` is an order, or meant as one: ``sprad B1a``, ``offer it``, ``9``."""
    words = text.lower().replace(",", " ").split()
    if is_order(text):
        return True
    if not words or len(words) > _LONGEST_TRIED:
        return False
    numbers = any(map(_is_named, words[1:]))
    return words[0] in _FIRST_WORDS or all(map(_is_named, words)) or (numbers and _is_like_an_order(words))


def _is_named(word: str) -> bool:
    """Return whether the word is a card, a space or a cell."""
    return re.fullmatch(r"#?\d{1,2}|[a-z]\d{1,2}[abc]?", word) is not None


def _is_like_an_order(words: Sequence[str]) -> bool:
    return bool(get_close_matches(words[0][:12], _FIRST_WORDS, 1, 0.7))

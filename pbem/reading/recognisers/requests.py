"""Requests: lines that ask for something, in the few ways in which people write them.

``pbem/table/messages/requests.py`` grants them.
"""

import re
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Final

from pbem.locale import phrase_in
from pbem.reading.lines import FIRST_WORDS, cleaned, is_order
from pbem.reading.recognisers.motions import NAMED, is_request
from pbem.reading.vocabulary import any_of, each_of, table

NOTE: Final = "note"
TRY: Final = "try"
SUGGEST: Final = "suggest"
LONGEST_TRY: Final = 400
_LONGEST_NEAR: Final = 8  # words
_LONGEST_ABSENCE: Final = 15  # words
_AWAY: Final = tuple(rf"(?i)\b{any_of(f'requests.{name}')}\b" for name in ("gone", "some_time"))
_AWAY_OF_OTHERS: Final = rf"(?i)\b{any_of('requests.of_others')}\b"
_SUBSTITUTES: Final = rf"(?i)\b{any_of('requests.substitutes')}\b"
_LONGEST_TALK: Final = 400  # characters
_AROUND: Final = rf"(?i)^{any_of('requests.before')}+|{any_of('requests.after')}+$"
_JOIN: Final = rf"(?i){any_of('requests.join')}"
_NOTE: Final = (
    rf"(?is)(?:{any_of('requests.before')})*{any_of('requests.note')}(?: ?[:;,-]? ?|(?: ?[:;,] ?| - | +)([^\s:;].*))"
)
_NO_NOTE: Final = rf"(?i){any_of('requests.no_note')}"
_TOLD: Final = rf"(?i){any_of('requests.told')}(?![a-z'])"
_TRY: Final = rf"(?i){any_of('requests.try')}(?:\s?[:,])?(?:\s+(.+))?"
_SUGGEST: Final = rf"(?i){any_of('requests.suggest')}"
_RULES: Final = rf"{any_of('requests.rules')}\??"
_TALK: Final = rf"\b{any_of('requests.talk')}\b"
_HELP_WITH_A_MOTION: Final = rf"help(?: (?:with|about|on))? {NAMED}"
_LANGUAGE: Final = any_of("requests.language")
_IN_LANGUAGE: Final = any_of("requests.in_language")
_PLAIN: Final = any_of("requests.plain")
_SHOWN: Final = any_of("requests.shown")
_QUESTIONS: Final = tuple(
    rf"{question}(?: {any_of('requests.after_questions')})?\s?\??" for question in each_of("requests.questions")
)
_END: Final = "end"  # what a question is about that names nothing else
_NEAR: Final = rf"(?:{any_of('requests.before_near')} )*{any_of('requests.near')}"
_LONGEST_TRIED: Final = 7  # words that are no order, but begin like one


def request_of(text: str) -> str:
    """Return the request in a cleaned line, or nothing if it is not a request.

    It is in lower case, except for a motion, the name after ``join``, the order after ``try``, and
    the words of a note.
    """
    if whole := next((found for kind in _WHOLE if (found := kind(text))), ""):
        return whole
    bare = re.sub(_AROUND, "", text) if len(text) <= LONGEST_TRY else ""  # a note alone is longer
    return next((found for kind in _POLITE if (found := kind(bare))), "")


def is_near(line: str) -> bool:
    """Return whether a cleaned line of talk, or a sentence of it, looks like a request."""
    parts = (line, *(cleaned(part) for part in re.split(r"[.,?!;]\s", line[:_LONGEST_TALK]) if part != line))
    return any(map(_is_near, parts))


def _is_near(words: str) -> bool:
    number, asked = len(words.split()), request_of(words)
    near = re.fullmatch(_NEAR, words.lower().replace(",", "").strip(" ?!")) if number <= _LONGEST_NEAR else None
    is_away = number <= _LONGEST_ABSENCE and all(re.search(part, words) for part in _AWAY)
    is_away = is_away and not re.search(_AWAY_OF_OTHERS, words)
    return near is not None or is_away or (number > 1 and bool(asked) and not is_note(asked))


def is_about_substitute(line: str) -> bool:
    """Return whether a line of talk is about somebody who plays for the writer."""
    return re.search(_SUBSTITUTES, line[:_LONGEST_TALK]) is not None


def is_note(request: str) -> bool:
    """Return whether a request is a note, which may go on in the next lines."""
    return request.startswith(f"{NOTE} ")


def leads_to_note(text: str) -> bool:
    """Return whether a cleaned line is only the head of a note, which may be in the next lines."""
    return _note(text) == NOTE


def asks_only(request: str) -> bool:
    """Return whether a request only asks to read something, and so goes with any answer."""
    return request.partition(" ")[0] in ("rules", "help", "show", "options")


def named(request: str) -> str:
    """Return a request as subjects and the host's output show it: without a note's words and what is tried."""
    short = {NOTE: phrase_in("note", "to write"), TRY: phrase_in("try", "to write")}
    return short.get(request.split(maxsplit=1)[0], request)


# The kinds of requests


def _join(text: str) -> str:
    found = re.fullmatch(_JOIN, text)
    if found is None:
        return ""
    game, _, name = (found["seat"] or found["polite"]).partition(" ")
    return f"join {game.rstrip(',')} {name}"


def _note(text: str) -> str:
    found = re.fullmatch(_NOTE, text)
    if not found or (found[1] and re.match(_TOLD, found[1])):
        return ""
    return f"{NOTE} {found[1]}" if found[1] else NOTE


def _no_note(text: str) -> str:
    return NOTE if re.fullmatch(_NO_NOTE, text) else ""


def _motion(text: str) -> str:
    return text if is_request(text) else ""


def _trial(text: str) -> str:
    found = re.fullmatch(_TRY, text)
    if not found or len(text) > LONGEST_TRY:
        return ""
    orders = [piece.strip(" '\"?.") for piece in (found[1] or "").split(";")]
    orders = [order for order in orders if order]
    if not orders:
        return TRY
    return f"{TRY} {'; '.join(orders)}" if _is_tried(orders[0]) else ""


def _suggestion(text: str) -> str:
    return SUGGEST if re.fullmatch(_SUGGEST, text) else ""


def _rules(text: str) -> str:
    found = re.fullmatch(_RULES, text.lower())
    if not found or (len(found["words"].split()) > 1 and re.search(_TALK, found["words"])):
        return ""
    return f"rules{found['words']}".rstrip(" .")


def _plain(text: str) -> str:
    request = text.lower()
    if not re.fullmatch(_PLAIN, request) and not re.fullmatch(_HELP_WITH_A_MOTION, request):
        return ""
    for written, meant in table("requests.instead").items():
        request = re.sub(written, meant, request)
    return request


def _shown(text: str) -> str:
    return "show" if re.fullmatch(_SHOWN, text.lower()) else ""


def _language(text: str) -> str:
    """Return the request for letters in another language: ``language it``, or as it names one that is not known."""
    said = text.lower()
    alone, inside = re.fullmatch(_LANGUAGE, said), re.fullmatch(_IN_LANGUAGE, said)
    found = alone or inside
    if found is None:
        return ""
    code = next((code for code, names in table("requests.languages").items() if found["name"] in names), "")
    named = code or (alone["name"] if alone else "")
    if named:
        return f"language {named}"
    return "language" if alone else ""


def _question(text: str) -> str:
    """Return the request for the rules that a question is about; how the game ends, if it names nothing else."""
    for question in _QUESTIONS:
        if found := re.fullmatch(question, text.lower()):
            return f"rules {found.groupdict().get('about', _END)}"
    return ""


_WHOLE: Final[tuple[Callable[[str], str], ...]] = (_join, _note, _no_note, _motion)
_POLITE: Final[tuple[Callable[[str], str], ...]] = (_trial, _suggestion, _rules, _plain, _shown, _language, _question)


def _is_tried(text: str) -> bool:
    """Return whether the text after ``try`` is an order, or meant as one: ``sprad B1a``, ``offer it``, ``9``."""
    words = text.lower().replace(",", " ").split()
    if is_order(text):
        return True
    if not words or len(words) > _LONGEST_TRIED:
        return False
    numbers = any(map(_is_named, words[1:]))
    return words[0] in FIRST_WORDS or all(map(_is_named, words)) or (numbers and _is_like_an_order(words))


def _is_named(word: str) -> bool:
    """Return whether the word is a card, a space or a cell."""
    return re.fullmatch(r"#?\d{1,2}|[a-z]\d{1,2}[abc]?", word) is not None


def _is_like_an_order(words: Sequence[str]) -> bool:
    return bool(get_close_matches(words[0][:12], FIRST_WORDS, 1, 0.7))

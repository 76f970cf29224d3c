"""What a line in another language says, word for word in English: ``Offro la 9, grazie`` -> ``offer the 9, thanks``.

All that follows is read in English. A word that is not in ``words/it.toml`` stays as it is, and makes a line as
doubtful as an English word does that nobody knows; but an order that is mistyped becomes a mistyped English one. So a
language is nothing but words, and the rules of understanding are the same for all.
"""

# ruff: noqa: RUF001 -- the apostrophes that phones write are meant

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from importlib import import_module
from typing import Final, NamedTuple, get_args

from pbem.first_sparks.components import FOODS, Knowledge, Tool
from pbem.first_sparks.notation import FORMS, ORDER_WORDS
from pbem.grammar import unaccented
from pbem.locale import Language, speaking, tr
from pbem.reading.recognisers.orders import SPACE, SURE, is_slip
from pbem.reading.vocabulary import each_of

_WORD: Final = r"[^\W\d_]{3,}(?=\d{1,3}\b)|\w+['’]?|[^\w\s]"  # "l'ascia" is two, and "offro9"
_LIGATURES: Final = str.maketrans({"œ": "oe", "æ": "ae", "’": "'"})
_UMLAUTS: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
_PLACED: Final = r"\d+|[a-z]\d{1,2}[abc]?|\W"  # what means the same in every language: numbers, spaces, marks
_NAMES: Final = {"order": tuple(FORMS), "card": (*get_args(Tool), *get_args(Knowledge)), "food": FOODS}
_LONGEST: Final = 1_000  # characters of a line
_MOST_BETWEEN: Final = 9  # words between the two parts of a phrase
_MARKS_BETWEEN: Final = frozenset(".!?;:")
_SHORTEST_SLIP: Final = 4  # letters
# Requests, the rest of which is not for us to translate.
_VERBATIM: Final = ("join", "language", "langue", "lingua", "note")


class Translation(NamedTuple):
    """A line in English, and whether all of it was known."""

    text: str
    whole: bool


# The words that follow a phrase further on in the line, and the English of both.
Known = tuple[tuple[str, ...], str, str]
# The English of the second parts of phrases that have begun, and how many words they have, by the place of the first.
_Ends = dict[int, tuple[str, int]]


@lru_cache(maxsize=1024)  # a line is read in every language, and most lines of a mail twice
def in_english(line: str, language: Language) -> Translation:
    """Return what a line in that language says; the longest phrase that is known at a place counts.

    A very long line stays as it is.
    """
    if language == "en" or len(line) > _LONGEST:
        return Translation(line, whole=language == "en")
    phrases, longest = _phrases(language)
    words = list(re.finditer(_WORD, line))
    folded = tuple(_folded(word[0]) for word in words)
    text, at, end, whole = "", 0, 0, True
    ends: _Ends = {}
    while at < len(words):
        if day := _weekday(folded, at, language):
            english, number = day, 1
        elif _ends_spaces(folded, at):
            english, number = words[at][0], 1
        else:
            english, number = ends.pop(at) if at in ends else _begun(phrases, range(longest, 0, -1), folded, at, ends)
        meant = english if number else _slip(folded[at], language) or words[at][0]
        last = at + max(1, number) - 1
        if not at and meant in _VERBATIM:
            return Translation(f"{meant}{line[words[last].end() :]}", whole=True)
        whole = whole and bool(number or re.fullmatch(_PLACED, folded[at]))
        text += line[end : words[at].start()] + meant + (" " if number and folded[last].endswith("'") else "")
        at, end = last + 1, words[last].end()
    return Translation(text, whole)


def _weekday(folded: tuple[str, ...], at: int, language: Language) -> str:
    """Return the English of a weekday before a day, ``Do 24. Dez``; elsewhere the same word may say something else."""
    days, months = _dates(language)
    word = folded[at]
    day = next((day for name, day in days.items() if name.startswith(word)), "") if len(word) > 1 else ""
    then = [word for word in folded[at + 1 : at + 5] if word not in (".", ",")] if day else []
    return day if then[1:] and then[0][0].isdigit() and then[1].startswith(months) else ""


def _ends_spaces(folded: tuple[str, ...], at: int) -> bool:
    """Return whether the last letter belongs to the space before it, ``C1b, a``, and is not a word."""
    return folded[at:] == ("a",) and any(re.fullmatch(SPACE, word) for word in folded[max(0, at - 2) : at])


@cache
def _dates(language: Language) -> tuple[Mapping[str, str], tuple[str, ...]]:
    """Return the English of the weekdays as letters in that language have them, and its months."""
    with speaking(language):
        days = {_folded(tr(day.title(), "weekday")): day for day in each_of("common.weekdays")}
        return days, tuple(_folded(tr(month.title(), "month")) for month in each_of("common.months"))


def _begun(
    phrases: Mapping[str, Sequence[Known]],
    numbers: Iterable[int],
    folded: tuple[str, ...],
    at: int,
    ends: _Ends,
) -> tuple[str, int]:
    """Return the English of the phrase that begins there, and how many words it has; add its second part to *ends*."""
    until = min(ends, default=len(folded))
    for number in numbers:
        known = phrases.get(" ".join(folded[at : at + number]), ()) if at + number <= until else ()
        for then, english, english_then in known:
            place = _place(then, folded, at + number, until)
            if place:
                ends[place] = english_then, len(then)
            if place or not then:
                return english, number
    return "", 0


def _place(words: tuple[str, ...], folded: tuple[str, ...], begin: int, until: int) -> int:
    """Return where these words stand in the rest of the sentence that begins there; 0 if nowhere."""
    for place in range(begin, min(begin + _MOST_BETWEEN, until - len(words)) + 1) if words else ():
        if folded[place - 1] in _MARKS_BETWEEN and not folded[place - 2].isdigit():  # "30. November"
            break
        if folded[place : place + len(words)] == words:
            return place
    return 0


@cache
def _phrases(language: Language) -> tuple[Mapping[str, Sequence[Known]], int]:
    """Return the phrases of a language by their folded words, and how many words the longest one has.

    What letters call the orders, the cards and the foods need not stand among the words.
    """
    generated = import_module(f"pbem.generated.words_{language}")
    with speaking(language):
        names = [(english, tr(english, context)) for context, words in _NAMES.items() for english in words]
    return {**by_words(names), **generated.PHRASES}, generated.LONGEST


def by_words(meant: Iterable[tuple[str, str]]) -> dict[str, tuple[Known, ...]]:
    """Return phrases by the folded words with which they begin, from pairs of the English and the phrase.

    A phrase in two parts, like ``lege ... ab``, counts before one that begins like it.
    """
    found: dict[str, list[Known]] = {}
    for english, said in meant:
        for written in sorted({said, said.translate(_UMLAUTS)}):
            begins, _, ends = written.partition("...")
            begun, ended = english.partition("...")[::2]
            known = _words(ends), begun.strip() if ends else english, ended.strip()
            found.setdefault(" ".join(_words(begins)), []).append(known)
    return {words: tuple(sorted(each, key=_is_whole)) for words, each in found.items()}


def _is_whole(phrase: Known) -> bool:
    return not phrase[0]


def _words(text: str) -> tuple[str, ...]:
    return tuple(_folded(word) for word in re.findall(_WORD, text))


@cache
def _orders(language: Language) -> Mapping[str, str]:
    """Return the words of a language that are an order or begin a plan by themselves, and their English."""
    phrases, _ = _phrases(language)
    alone = ((words, english) for words, each in phrases.items() for _, english, _ in each if " " not in words)
    return {words: english for words, english in alone if english in (*ORDER_WORDS, "plan")}


@lru_cache(maxsize=1024)
def _slip(word: str, language: Language) -> str:
    """Return an English order or "plan" that is mistyped, for a word that is one mistyped in that language.

    Only letters that are too many, missing or swapped count, since many words differ by a letter; in "plan", which
    many names are like, only those that are swapped.
    """
    if (
        len(word) < _SHORTEST_SLIP
        or not word.isalpha()
        or any(word == order or is_slip(word, order) for order in (*SURE, "plan"))
    ):
        return ""
    meant = {
        order
        for known, order in _orders(language).items()
        if is_slip(word, known) and (sorted(word) == sorted(known) or (len(word) != len(known) and order != "plan"))
    }
    return f"{(order := meant.pop())}{order[-1]}" if len(meant) == 1 else ""


@lru_cache(maxsize=4096)
def _folded(word: str) -> str:
    """Return a word without accents, in lower case: people leave them out."""
    return unaccented(word.casefold().translate(_LIGATURES))

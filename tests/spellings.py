r"""The phrases that an entry of ``reading/words/de.toml`` and its like stands for: ``(ich )?nehme? sie`` is four.

The notation is a small part of that of ``en.toml``: ``(a|b)`` is one of these, ``(a )?`` and ``e?`` may be missing, and
``\?`` is a question mark. A dot is a dot, and brackets may stand in brackets. Whatever else a regular expression has
is refused, and so is what would be another phrase than its writer thinks. ``{n}`` is any number of a day, in the
phrase and in what it means.
"""

import re
from pathlib import Path

from pbem import formats, reading

NUMBER = "{n}"
SIGNS = tuple("()|?\\[]{}*+^$")  # the last eight mean something in regular expressions, and nothing here


class WrongNotation(ValueError):
    """An entry that stands for no phrases, or hardly for those that are meant."""


def written(language: str) -> list[tuple[str, str]]:
    """Return each phrase that people write in that language, after the English that it means."""
    path = Path(reading.__file__).parent / "words" / f"{language}.toml"
    sections = formats.parse(path.read_text(encoding="utf-8"), "toml", name=path.name).values()
    entries = [(english, entry) for section in sections for english, every in section.items() for entry in every]
    entries = [each for english, entry in entries for each in _of_each_day(english, entry)]
    try:
        return [(english, phrase) for english, entry in entries for phrase in spellings(entry)]
    except WrongNotation as wrong:
        raise WrongNotation(f"{path.name}: {wrong}") from None


def _of_each_day(english: str, entry: str) -> list[tuple[str, str]]:
    if NUMBER not in english:
        return [(english, entry)]
    return [(english.replace(NUMBER, str(day)), entry.replace(NUMBER, str(day))) for day in range(1, 32)]


def spellings(entry: str) -> list[str]:
    """Return the phrases that an entry stands for, the longer before the shorter, as ``en.toml`` tries them."""
    try:
        phrases = _phrases(entry)
    except WrongNotation as wrong:
        raise WrongNotation(f'cannot read "{entry}": {wrong}') from None
    return phrases


def _phrases(entry: str) -> list[str]:
    if re.search(r"[^)\\]\?\)*\??$", entry):  # "kommt ihr?", "(kommt ihr?)?"
        raise WrongNotation(r'at the end a question mark is "\?", and a letter that may be missing "(e)?"')
    rest = re.findall(r"\\?.", entry)[::-1]
    phrases = _sequence(rest)
    if rest:
        raise WrongNotation('")" without "("' if rest[-1] == ")" else '"|" outside of brackets')
    if any(phrase != " ".join(phrase.split()) for phrase in phrases):
        raise WrongNotation('a space too many in what it stands for; one stands in the brackets: "(ja )?klar( doch)?"')
    if not all(phrases) or len(set(phrases)) < len(phrases):
        raise WrongNotation("it stands for nothing at all, or for the same phrase twice")
    return phrases


def _sequence(rest: list[str]) -> list[str]:
    """Return what the marks can be up to the end of an alternative, and take them off the end of *rest*."""
    phrases = [""]
    while rest and rest[-1] not in ("|", ")"):
        mark = rest.pop()
        choices = _group(rest) if mark == "(" else [_letter(mark)]
        if rest[-1:] == ["?"]:
            rest.pop()
            choices.append("")
        elif mark == "(" and len(choices) == 1:
            raise WrongNotation(r'brackets with one choice, which is no choice; a real bracket is "\("')
        phrases = [phrase + choice for phrase in phrases for choice in choices]
    return phrases


def _group(rest: list[str]) -> list[str]:
    """Return the choices of a pair of brackets of which the first is read."""
    choices, mark = [], "|"
    while mark == "|":
        choices += _sequence(rest)
        if not rest:
            raise WrongNotation('"(" without ")"')
        mark = rest.pop()
    if "" in choices:
        raise WrongNotation('a choice of nothing; what may be missing is "(so)?"')
    return choices


def _letter(mark: str) -> str:
    """Return what a mark stands for that is no bracket."""
    if mark in SIGNS:
        raise WrongNotation(f'"{mark}" means nothing there; the sign itself is "\\{mark}"')
    if len(mark) > 1 and mark[-1] not in SIGNS:
        raise WrongNotation(f'"{mark}" means nothing; only {" ".join(SIGNS)} may have a backslash')
    return mark[-1]

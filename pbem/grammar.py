"""Grammar, in one place: one or several of a thing, a list, a duration."""

import re
from collections.abc import Iterable
from functools import partial, reduce
from typing import TYPE_CHECKING, Final

from pbem.errors import NotUnderstood, UsageError
from pbem.locale import LANGUAGES, Language, Phrase, language_named, phrase, phrase_by, phrase_of, tr, tr_number

if TYPE_CHECKING:
    from datetime import timedelta

_ORDINALS: Final = ("1st", "2nd", "3rd", "4th", "5th", "6th")
_SECONDS: Final = {"day": 86400, "hour": 3600, "minute": 60}
_SPANS: Final = {
    "day": ("{n} day", "{n} days"),
    "hour": ("{n} hour", "{n} hours"),
    "minute": ("{n} minute", "{n} minutes"),
}


def plural(number: int, one: str, other: str) -> str:
    """Return the message for the number, which stands at ``{n}``: ``plural(2, "{n} letter", "{n} letters")``."""
    return tr_number(number, one, other).replace("{n}", str(number))


def listed(items: Iterable[str], word: str = "and") -> str:
    """Return a list in words, of at least one item: ``a, b and c``; *word* is English."""
    *some, last = items
    return f"{', '.join(some)} {tr(word)} {last}" if some else last


def unaccented(text: str) -> str:
    """Return a text in lower case and without accents: ``cereale`` of ``Céréale``."""
    from unicodedata import combining, normalize

    return "".join(c for c in normalize("NFKD", text.casefold()) if not combining(c))


def labelled(label: str, text: str) -> str:
    """Return a text behind its label: ``basket: 1 berry``."""
    return tr("{label}: {text}").format(label=label, text=text)


def ordinal(number: int) -> str:
    """Return a place in an order of at most six: ``2nd``."""
    return tr(_ORDINALS[number - 1])


def decimal(number: float) -> str:
    """Return a number with one decimal: ``1.5``."""
    units, tenths = f"{number:.1f}".split(".")
    return tr("{units}.{tenths}", "number").format(units=units, tenths=tenths)


def capital(text: str) -> str:
    """Return the text with a capital letter at its beginning."""
    return text[:1].upper() + text[1:]


def one_line(text: str) -> str:
    """Return the words of a text one blank apart, and a blank for whatever cannot be printed."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def phrase_listed(items: Iterable[str], word: str = "and") -> Phrase:
    """Return a list in words that can be translated; its items can be phrases."""
    kept = tuple(items)
    return phrase_by(listed(kept, word), partial(_listed_again, kept, word))


def _listed_again(items: tuple[str, ...], word: str) -> str:
    return listed((item.again() if isinstance(item, Phrase) else item for item in items), word)


def sentences(*texts: str) -> Phrase:
    """Return whole sentences as one paragraph that can be translated; they can be phrases."""
    return phrase_by(" ".join(texts), lambda: " ".join(map(tr, texts)))


def clauses(*texts: str) -> Phrase:
    """Return the parts of a hint as one that can be translated; they can be phrases."""
    return phrase_by("; ".join(texts), lambda: one_after_another(map(tr, texts)))


def one_after_another(texts: Iterable[str]) -> str:
    """Return texts as the parts of one sentence: ``1 mammoth; new``; French has a space before the mark too."""
    first, *rest = [*texts] or [""]
    return reduce(lambda before, text: tr("{before}; {text}").format(before=before, text=text), rest, first)


def language_called(code: str) -> Language:
    """Return the language with that code; raises UsageError."""
    language = language_named(code)
    if language is None:
        known = listed((f"{known} ({name})" for known, name in LANGUAGES.items()), "or")
        raise UsageError(f"{code[:40]!a} is not a language of pbem", hint=f"choose {known}")
    return language


def span(text: object, key: str) -> "timedelta":
    """Return a duration like ``3 days``, ``12 hours`` or ``90 minutes``; raises NotUnderstood."""
    from datetime import timedelta

    found = re.fullmatch(r"([0-9]{1,6}) ?(minute|hour|day)s?", text if isinstance(text, str) else "")
    value = timedelta(seconds=int(found[1]) * _SECONDS[found[2]]) if found else timedelta()
    if not timedelta() < value <= timedelta(days=999):
        hint = phrase('write it like "3 days", "12 hours" or "90 minutes", and not longer than 999 days')
        raise NotUnderstood(phrase("{text} is not a valid duration", text=f"{text!a:.40}"), path=key, hint=hint)
    return value


def in_words(value: "timedelta") -> str:
    """Return a duration in the largest unit that divides it, without seconds: ``3 days``, ``36 hours``."""
    number, unit = _largest(value)
    return plural(number, *_SPANS[unit])


def phrase_span(value: "timedelta") -> Phrase:
    """Return the same so that it can be translated."""
    number, unit = _largest(value)
    return phrase_of(number, *_SPANS[unit])


def written_span(value: "timedelta") -> str:
    """Return a duration as files have it, in English whoever reads them; ``span`` reads it."""
    number, unit = _largest(value)
    return _SPANS[unit][number != 1].format(n=number)


def _largest(value: "timedelta") -> tuple[int, str]:
    """Return a duration as a number of the largest unit that divides it; of minutes if none does."""
    seconds = int(value.total_seconds())
    unit = next((unit for unit, size in _SECONDS.items() if seconds >= size and not seconds % size), "minute")
    return seconds // _SECONDS[unit], unit

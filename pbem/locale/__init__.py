"""The language of a text: ``tr`` translates a message for whoever reads it.

English is in the code and needs no catalogue. Whoever makes a letter or a page says which other language is spoken:
``with speaking("it"):``. It is not an argument of every function, since every one that makes a sentence would only
pass it on.

A message is whole, with named holes; ``tests/catalogues.py`` finds all that are given to these functions. Translators
find their way in ``README.md``. The tests speak a language of their own, in which everything shows that does not pass
through ``tr``.
"""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, partial
from pathlib import Path
from typing import Final, Literal, Protocol

Language = Literal["en", "it", "fr", "de"]
LANGUAGES: Final[Mapping[Language, str]] = {"en": "English", "it": "italiano", "fr": "français", "de": "Deutsch"}


def language_named(code: str) -> Language | None:
    """Return the language with that code, None for any other text."""
    return next((language for language in LANGUAGES if language == code.strip().casefold()), None)


class Catalogue(Protocol):
    """The messages of a language, as ``gettext.GNUTranslations`` has them."""

    def gettext(self, message: str, /) -> str:
        """Return the message in that language."""
        ...

    def ngettext(self, msgid1: str, msgid2: str, n: int, /) -> str:
        """Return the message for a number of things, from those for one and for several."""
        ...

    def pgettext(self, context: str, message: str, /) -> str:
        """Return the message in that language, in a context in which it means something else than alone."""
        ...


_language: Final[ContextVar[Language]] = ContextVar("language", default="en")
_spoken: Final[ContextVar[Catalogue | None]] = ContextVar("spoken", default=None)


class Phrase(str):
    """A text in English, as an error or a log has it, which ``tr`` can make *again* for somebody who reads another."""

    again: Callable[[], str]


def phrase_by(english: str, again: Callable[[], str]) -> Phrase:
    """Return an English text that is made *again* in the language that is spoken then."""
    made = Phrase(english)
    made.again = again
    return made


def phrase(message: str, /, **holes: object) -> Phrase:
    """Return a message with its holes filled; a hole can be a phrase."""
    return phrase_by(message.format_map(holes), partial(_filled, message, holes))


def phrase_of(number: int, one: str, other: str, /, **holes: object) -> Phrase:
    """Return the message for that number of things, ``{n}``, with its holes filled."""
    holes["n"] = number
    english = (one if number == 1 else other).format_map(holes)
    return phrase_by(english, partial(_counted, number, one, other, holes))


def phrase_in(message: str, context: str) -> Phrase:
    """Return a word that means two things in English, in the context that says which."""
    return phrase_by(message, partial(tr, message, context))


def phrase_written(english: str, own: str) -> Phrase:
    """Return what somebody has written, in English; readers of another language see the *own* words."""
    return phrase_by(english, partial(str, own))


def own_words(written: str) -> str:
    """Return what somebody has *written* in the own words, if it is in English beside them."""
    return written.again() if isinstance(written, Phrase) else written


def _filled(message: str, holes: dict[str, object]) -> str:
    return tr(message).format_map(_translated(holes))


def _counted(number: int, one: str, other: str, holes: dict[str, object]) -> str:
    return tr_number(number, one, other).format_map(_translated(holes))


def _translated(holes: dict[str, object]) -> dict[str, object]:
    return {name: hole.again() if isinstance(hole, Phrase) else hole for name, hole in holes.items()}


def tr(message: str, context: str = "") -> str:
    """Return a message in the language that is spoken; *context* says what is meant where one word means two things."""
    catalogue = _spoken.get()
    if catalogue is None or not message:
        return message
    if isinstance(message, Phrase):
        return message.again()
    return catalogue.pgettext(context, message) if context else catalogue.gettext(message)


def tr_number(number: int, one: str, other: str) -> str:
    """Return the message for a number of things in the language that is spoken, from those for one and for several."""
    catalogue = _spoken.get()
    if catalogue is None:
        return one if number == 1 else other
    return catalogue.ngettext(one, other, number)


@cache
def catalogue_of(language: Language) -> Catalogue | None:
    """Return the messages of a language, None for English.

    An installation has those of all ``LANGUAGES``; a checkout that nobody has installed reads English.
    """
    if language == "en":
        return None
    from gettext import translation

    return translation("pbem", Path(__file__).parent, [language], fallback=True)


@contextmanager
def speaking(language: Language | Catalogue) -> Generator[None]:
    """Speak a language meanwhile, or that of a catalogue, which has no name."""
    named: Language = language if isinstance(language, str) else "en"
    before = _language.set(named), _spoken.set(catalogue_of(language) if isinstance(language, str) else language)
    try:
        yield
    finally:
        _language.reset(before[0])
        _spoken.reset(before[1])


def spoken() -> Language:
    """Return the language that is spoken."""
    return _language.get()

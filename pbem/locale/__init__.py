"""The language of a text: ``tr`` translates a message for whoever reads it; the translations are files of gettext.

English is in the code and needs no catalogue. Those of the other languages lie here, and each is read when it is first
spoken. Whoever makes a letter or a page says which language that is: ``with speaking("it"):``. It is no argument of
every function, since every one that makes a sentence would only pass it on.

A message is whole, with named holes; ``tests/catalogues.py`` finds all that are given to these functions.
"""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Final, Literal, Protocol

Language = Literal["en", "it", "fr", "de"]
ENGLISH: Final = "en"


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


_spoken: Final[ContextVar[Catalogue | None]] = ContextVar("spoken", default=None)


def tr(message: str, context: str = "") -> str:
    """Return a message in the language that is spoken; *context* says what is meant where one word means two things."""
    catalogue = _spoken.get()
    if catalogue is None or not message:
        return message
    return catalogue.pgettext(context, message) if context else catalogue.gettext(message)


def tr_number(number: int, one: str, other: str) -> str:
    """Return the message for a number of things in the language that is spoken, from those for one and for several."""
    catalogue = _spoken.get()
    if catalogue is None:
        return one if number == 1 else other
    return catalogue.ngettext(one, other, number)


@contextmanager
def speaking(language: Language | Catalogue) -> Generator[None]:
    """Speak a language meanwhile."""
    before = _spoken.set(catalogue_of(language) if isinstance(language, str) else language)
    try:
        yield
    finally:
        _spoken.reset(before)


@cache
def catalogue_of(language: Language) -> Catalogue | None:
    """Return the catalogue of a language, None for English."""
    if language == ENGLISH:
        return None
    from gettext import GNUTranslations
    from importlib.resources import files

    with files("pbem").joinpath("locale", language, "LC_MESSAGES", "pbem.mo").open("rb") as file:
        return GNUTranslations(file)

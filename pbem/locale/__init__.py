"""The language of a text: ``tr`` translates a message for whoever reads it.

English is in the code and needs no catalogue. Whoever makes a letter or a page says which other language is spoken:
``with speaking(catalogue):``. It is not an argument of every function, since every one that makes a sentence would only
pass it on.

A message is whole, with named holes; ``tests/catalogues.py`` finds all that are given to these functions. English is
the only language so far. The tests speak one of their own, in which everything shows that does not pass through ``tr``.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Final, Literal, Protocol

Language = Literal["en"]


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


class Phrase(str):
    """A text in English, as an error or a log has it, which ``tr`` can make *again* for somebody who reads another."""

    again: Callable[[], str]


def phrase(message: str, /, **holes: object) -> Phrase:
    """Return a message with its holes filled; a hole can be a phrase."""
    made = Phrase(message.format_map(holes))
    made.again = partial(_filled, message, holes)
    return made


def phrase_of(number: int, one: str, other: str, /, **holes: object) -> Phrase:
    """Return the message for that number of things, ``{n}``, with its holes filled."""
    holes["n"] = number
    made = Phrase((one if number == 1 else other).format_map(holes))
    made.again = partial(_counted, number, one, other, holes)
    return made


def phrase_in(message: str, context: str) -> Phrase:
    """Return a word that means two things in English, in the context that says which."""
    made = Phrase(message)
    made.again = partial(tr, message, context)
    return made


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


@contextmanager
def speaking(catalogue: Catalogue) -> Generator[None]:
    """Speak the language of a catalogue meanwhile."""
    before = _spoken.set(catalogue)
    try:
        yield
    finally:
        _spoken.reset(before)

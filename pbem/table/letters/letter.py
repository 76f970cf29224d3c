"""A letter as a value: who gets it, what it says, and what a reply to it proves; a carrier turns it into bytes."""

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from pbem import report
from pbem.errors import PbemError
from pbem.locale import Language, tr
from pbem.page.page import Page, Section, Sections
from pbem.page.page import paragraphs as page_paragraphs
from pbem.reading.ticket import Ticket

# What a letter says, which is made with it, in the language of its reader.
Passage = Callable[[], Sections]

TAP: Final = "Tap an answer and send the message that opens:"


class Button(NamedTuple):
    """An answer to tap: the order, and the label of the button."""

    order: str
    label: str


class Letter(NamedTuple):
    """A letter *to* an address, whose reader has that *name*; only letters to the host and strangers have no *ticket*.

    *buttons* are answers to tap, *picture* is the drawn board as PNG, and *attached* pairs the ASCII name of a file
    with its text. *in_reply_to* is the id of the message that it answers. It is an *error* if it rejects that message:
    no machine answers such a letter. With another *serial* it is another letter, even if it says the same.
    """

    to: str
    name: str
    subject: str
    page: Page
    ticket: Ticket | None = None
    buttons: tuple[Button, ...] = ()
    picture: bytes = b""
    attached: tuple[tuple[str, str], ...] = ()
    in_reply_to: str = ""
    error: bool = False
    serial: int = 0
    language: Language = "en"


def paragraphs(texts: Iterable[str]) -> Sections:
    """Return the texts that say why a letter is sent, as paragraphs."""
    return page_paragraphs("why", texts)


def phrases(*texts: str) -> Passage:
    """Return phrases as paragraphs that are made with the letter; empty ones are left out."""
    return lambda: paragraphs(map(tr, filter(None, texts)))


def refusal(error: PbemError) -> Passage:
    """Return what is wrong with a message, or with a request in it."""
    return lambda: (Section("why", report.refusal_blocks(error)),)


def together(*told: Passage) -> Passage:
    """Return all that is told, one after the other."""
    return lambda: tuple(section for each in told for section in each())

"""A letter as a value: to whom it goes, what it says, and what an answer to it proves; a carrier makes bytes of it."""

from typing import Final, NamedTuple

from pbem.club.ticket import Ticket
from pbem.page.page import Page

TAP: Final = "Tap an answer, and send the mail that opens:"


class Button(NamedTuple):
    """An answer to tap: the order, and what is written on it."""

    order: str
    label: str


class Letter(NamedTuple):
    """A letter *to* an address, where its reader has that *name*; only the host and strangers have no *ticket*.

    *buttons* are answers to tap, *picture* is the drawn board as PNG, and *attached* pairs the name of a file in ASCII
    with its text. It *answers* the message of that id, and is an *error* where it refuses that: no machine
    answers such a letter. With another *serial* it is another letter, even if it says the same.
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
    language: str = "en"

"""How our mails are known again: by their tickets, which each carries in three ways, one of which any reply repeats.

They are the plus-address in Reply-To, our Message-ID, which References repeats, and the marker in the text.
"""

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from pbem.reading.ticket import TICKET, Ticket, digits_of, tickets_in_markers
from pbem.sha import sha256

if TYPE_CHECKING:
    from email.message import Message

LONGEST_LOCAL: Final = 16  # characters of our address before the @, of which there may be 64 with the ticket


def head_of(letter: bytes) -> tuple["Message", str]:
    """Return the headers of one of our mails, and the address to which it goes, "" for none."""
    from email.parser import BytesHeaderParser
    from email.utils import parseaddr

    head = BytesHeaderParser().parsebytes(letter)
    return head, parseaddr(str(head["To"]))[1]


def address_of(said: Ticket, address: str) -> str:
    """Return the plus-address to which a reply goes: ``pbem+friday.57.red.TOKEN@example.org``."""
    local, _, host = address.partition("@")
    return f"{local}+{said}@{host}"


def message_id_of(said: Ticket | str, content: str, address: str) -> str:
    """Return the Message-ID of a mail with that ticket, or of that kind, and that content: it is always the same."""
    return f"<{said}.{digits_of(sha256(content.encode()).digest())}@{address.partition('@')[2]}>"


def tickets_in(recipients: Iterable[str], references: Iterable[str], markers: Iterable[str]) -> tuple[Ticket, ...]:
    """Return the tickets that a mail carries in its addresses, references and markers, each once.

    References name the whole thread, and the mail that is answered comes last: of them only the last ticket counts,
    and of several markers the first one.
    """
    found = (*_dotted(recipients, r"\+{}@"), *list(_dotted(references, r"<{}\."))[-1:], *tickets_in_markers(markers))
    return tuple(dict.fromkeys(found))


def _dotted(texts: Iterable[str], form: str) -> Iterator[Ticket]:
    pattern = re.compile(form.format(TICKET))
    for text in texts:
        for match in pattern.finditer(text.lower()):
            yield Ticket(match[1], int(match[2]), match[3], match[4])

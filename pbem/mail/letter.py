"""A letter of ours as the bytes of a mail: the same letter, the same bytes.

The headers are written here: what the package ``email`` does with a long id
(it encodes it) differs from version to version. It writes the parts. There is no
Date, since a clock must not be in the content; who hands the letter over adds it.
"""

import re
from collections.abc import Iterable, Iterator
from email import policy
from email.header import Header
from email.message import EmailMessage
from typing import Final, NamedTuple

from pbem.errors import UsageError
from pbem.first_sparks.sha import sha256
from pbem.mail.html import PICTURE_ID

# By this header we know our own mail when it comes back.
OURS: Final = ("X-Pbem", "first-sparks")
_WIDTH: Final = 76
_WIRE: Final = policy.SMTP.clone(max_line_length=_WIDTH)
_PLAIN: Final = re.compile(r"[A-Za-z0-9 !#$%&'*+/^_`{|}~-]+")


class Letter(NamedTuple):
    """What a mail is made of.

    ``text`` is complete in itself; ``html`` and ``png`` may be empty, and a
    picture is shown by the HTML as ``cid:`` PICTURE_ID. ``references`` names the
    mails before it, the one that it follows last. ``answers_error`` asks for the
    null envelope sender, by the header Return-Path; ``replies`` says that it
    answers a mail that came in.
    """

    to: str
    name: str
    subject: str
    text: str
    html: str
    png: bytes
    message_id: str
    references: tuple[str, ...]
    reply_to: str
    sender: str
    list_id: str
    unsubscribe: str
    answers_error: bool
    replies: bool = False
    sender_name: str = "First Sparks"
    language: str = "en"


def compose(letter: Letter) -> bytes:
    """Return the mail, with CRLF line ends; raises UsageError for an address or an id that cannot stand in a header."""
    body = _parts(letter)
    seed = sha256(repr(letter).encode()).hexdigest()
    for number, part in enumerate(part for part in body.walk() if part.is_multipart()):
        part.set_boundary(f"=_{seed[:32]}_{number}")
    head = "\r\n".join(line for name, value in _headers(letter) for line in _header(name, value))
    return head.encode("ascii") + b"\r\n" + body.as_bytes(policy=_WIRE)


def _headers(letter: Letter) -> Iterator[tuple[str, str]]:
    """Yield the headers, each with its value already folded."""
    replies = letter.replies or letter.answers_error
    if letter.answers_error:
        yield "Return-Path", "<>"
    yield "From", _mailbox(letter.sender_name, letter.sender)
    yield "To", _mailbox(letter.name, letter.to)
    yield "Subject", _folded(letter.subject, len("Subject: "))
    yield "Message-ID", _ids([letter.message_id])
    if letter.references:
        yield "In-Reply-To", _ids(letter.references[-1:])
        yield "References", _ids(letter.references)
    yield "Reply-To", _address(letter.reply_to)
    yield "Content-Language", letter.language
    yield "Auto-Submitted", "auto-replied" if replies else "auto-generated"
    if letter.list_id:
        yield "List-Id", _bracketed(letter.list_id)
    if letter.unsubscribe:
        yield "List-Unsubscribe", _bracketed(letter.unsubscribe)
    yield OURS


def _header(name: str, value: str) -> list[str]:
    return f"{name}: {value}".split("\r\n")


def _parts(letter: Letter) -> EmailMessage:
    body = EmailMessage(policy=_WIRE)
    body.set_content(letter.text, cte=_encoding(letter.text))
    if letter.html:
        body.add_alternative(letter.html, subtype="html", cte="quoted-printable")
    if letter.html and letter.png:
        *_, page = body.iter_parts()
        assert isinstance(page, EmailMessage)
        page.add_related(letter.png, "image", "png", cid=f"<{PICTURE_ID}>", disposition="inline", filename="board.png")
    return body


def _encoding(text: str) -> str:
    """Return how a text travels: as it is where no server needs to touch it."""
    bare = text.isascii() and all(len(line) <= 78 and not line.startswith(("From ", ".")) for line in text.split("\n"))
    return "7bit" if bare else "quoted-printable"


# Headers


def _mailbox(name: str, address: str) -> str:
    """Return a name, encoded if need be, and its address; nothing in the name can end the header."""
    name = _one_line(name)
    if not name:
        return _address(address)
    shown = (
        name if _PLAIN.fullmatch(name) else _quoted(name) if name.isascii() and "=?" not in name else _encoded(name, 8)
    )
    return (
        f"{shown}\r\n <{_address(address)}>"
        if len(shown) + len(address) > _WIDTH - 12
        else f"{shown} <{_address(address)}>"
    )


def _quoted(name: str) -> str:
    return '"' + re.sub(r'(["\\])', r"\\\1", name) + '"'


def _folded(text: str, used: int) -> str:
    """Return a text for a header: encoded words (RFC 2047) where it is not ASCII, and lines of at most 76 columns."""
    text = _one_line(text)
    if text.isascii() and "=?" not in text:
        lines, room = [""], _WIDTH - used
        for word in text.split(" "):
            if lines[-1] and len(lines[-1]) + 1 + len(word) > room:
                lines.append("")
                room = _WIDTH - 1
            lines[-1] = f"{lines[-1]} {word}" if lines[-1] else word
        return "\r\n ".join(lines)
    return _encoded(text, used)


def _encoded(text: str, used: int) -> str:
    return Header(text, "utf-8", maxlinelen=_WIDTH - used).encode(linesep="\r\n", maxlinelen=_WIDTH - used)


def _one_line(text: str) -> str:
    return " ".join("".join(character if character.isprintable() else " " for character in text).split())


def _address(text: str) -> str:
    """Return an address that can stand in a header as it is."""
    if not re.fullmatch(r"[!#-'*+\-./0-9=?A-Z^-~]{1,200}@[A-Za-z0-9.-]{1,200}", text):
        raise UsageError(f"{text[:60]!a} is no address to which mail can be sent", path="address")
    return text


def _ids(texts: Iterable[str]) -> str:
    """Return ids as a header has them, one a line; the line ends make the header long, never a line."""
    return "\r\n ".join(map(_bracketed, texts))


def _bracketed(text: str) -> str:
    if not re.fullmatch(r"<[!-;=?-~]{1,900}>", text):
        raise UsageError(f"{text[:60]!a} cannot stand in a header", path="message-id")
    return text

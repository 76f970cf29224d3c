"""An outgoing mail as bytes: the same mail, the same bytes.

All of it is written here: how the package ``email`` encodes a long id differs
from version to version, and the package takes ten times as long. The Date is
added when the letter is sent, since the content must not depend on a clock.
"""

import re
from binascii import b2a_base64, b2a_qp
from collections.abc import Iterable, Iterator
from email.header import Header
from functools import lru_cache
from typing import Final, NamedTuple

from pbem.errors import UsageError
from pbem.grammar import one_line
from pbem.sha import sha256

PICTURE_ID: Final = "board@pbem"
# This header identifies our own mail when it returns to us.
OURS: Final = ("X-Pbem", "first-sparks")
_WIDTH: Final = 76
_PLAIN: Final = r"[A-Za-z0-9 !#$%&'*+/^_`{|}~-]+"


class Mail(NamedTuple):
    """What a mail is made of.

    ``text`` is complete in itself; ``html`` and ``png`` may be empty, and the
    HTML shows a picture as ``cid:`` PICTURE_ID. ``attached`` pairs the ASCII
    name of a file with its text. ``references`` names the mails before it, the
    one that it follows last. ``refuses`` asks for the null envelope sender, by
    the header Return-Path; ``replies`` says that it answers an incoming mail.
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
    refuses: bool
    replies: bool = False
    sender_name: str = "First Sparks"
    language: str = "en"
    attached: tuple[tuple[str, str], ...] = ()


def compose(mail: Mail) -> bytes:
    """Return the mail, with CRLF line ends; raises UsageError for an address or an id that a header cannot hold."""
    head = "\r\n".join(f"{name}: {value}" for name, value in _headers(mail))
    return f"{head}\r\nMIME-Version: 1.0\r\n".encode("ascii") + _parts(mail)


def _headers(mail: Mail) -> Iterator[tuple[str, str]]:
    """Yield the headers, each with its value already folded."""
    replies = mail.replies or mail.refuses
    if mail.refuses:
        yield "Return-Path", "<>"
    yield "From", _mailbox(mail.sender_name, mail.sender)
    yield "To", _mailbox(mail.name, mail.to)
    yield "Subject", _folded(mail.subject, len("Subject: "))
    yield "Message-ID", _ids([mail.message_id])
    if mail.references:
        yield "In-Reply-To", _ids(mail.references[-1:])
        yield "References", _ids(mail.references)
    yield "Reply-To", _address(mail.reply_to)
    yield "Content-Language", mail.language
    yield "Auto-Submitted", "auto-replied" if replies else "auto-generated"
    if mail.list_id:
        yield "List-Id", _bracketed(mail.list_id)
    if mail.unsubscribe:
        yield "List-Unsubscribe", _bracketed(mail.unsubscribe)
    yield OURS


# The parts, each with its headers


def _parts(mail: Mail) -> bytes:
    whole = _text("plain", _encoding(mail.text), mail.text)
    # "=_" never occurs in an encoded part.
    seed = sha256(repr(mail._replace(png=b"")).encode() + mail.png).hexdigest()[:32]
    if mail.html:
        page = _text("html", "quoted-printable", mail.html)
        if mail.png:
            page = _multipart('related; type="text/html"', f"=_{seed}_1", page, _picture(mail.png))
        whole = _multipart("alternative", f"=_{seed}_0", whole, page)
    if mail.attached:
        whole = _multipart("mixed", f"=_{seed}_2", whole, *(_file(name, text) for name, text in mail.attached))
    return whole


def _multipart(kind: str, boundary: str, *parts: bytes) -> bytes:
    bar = f"--{boundary}".encode()
    inside = b"".join(b"%b\r\n%b\r\n" % (bar, part) for part in parts)
    return f'Content-Type: multipart/{kind};\r\n boundary="{boundary}"\r\n\r\n'.encode() + inside + bar + b"--\r\n"


def _text(kind: str, encoding: str, text: str) -> bytes:
    head = f'Content-Type: text/{kind}; charset="utf-8"\r\nContent-Transfer-Encoding: {encoding}\r\n\r\n'
    plain = b"".join(line + b"\n" for line in text.encode().splitlines())
    written = b2a_qp(plain) if encoding == "quoted-printable" else plain
    return head.encode() + written.replace(b"\n", b"\r\n")


def _picture(png: bytes) -> bytes:
    return _base64(png, "image/png", 'inline; filename="board.png"', f"Content-ID: <{PICTURE_ID}>")


@lru_cache(maxsize=2)  # the same files go to all players
def _file(name: str, text: str) -> bytes:
    # A text in base64 arrives unchanged, to the byte, so that its digest and ``audit`` can prove it.
    kind = 'text/html; charset="utf-8"' if name.endswith(".html") else "application/octet-stream"
    return _base64(text.encode(), kind, f'attachment; filename="{name}"')


def _base64(content: bytes, kind: str, disposition: str, *more: str) -> bytes:
    """Return a part in base64."""
    head = (f"Content-Type: {kind}", "Content-Transfer-Encoding: base64", f"Content-Disposition: {disposition}", *more)
    digits = b2a_base64(content, newline=False)
    lines = (digits[start : start + _WIDTH] for start in range(0, len(digits), _WIDTH))
    return "\r\n".join((*head, "\r\n")).encode() + b"\r\n".join(lines)


def _encoding(text: str) -> str:
    """Return the transfer encoding of a text: 7bit if no server needs to touch it."""
    bare = text.isascii() and all(len(line) <= 78 and not line.startswith(("From ", ".")) for line in text.split("\n"))
    return "7bit" if bare else "quoted-printable"


# Headers


def _mailbox(name: str, address: str) -> str:
    """Return a name, encoded if necessary, and its address; nothing in the name can end the header."""
    name = one_line(name)
    if not name:
        return _address(address)
    shown = (
        name
        if re.fullmatch(_PLAIN, name)
        else _quoted(name)
        if name.isascii() and "=?" not in name
        else _encoded(name, 8)
    )
    return (
        f"{shown}\r\n <{_address(address)}>"
        if len(shown) + len(address) > _WIDTH - 12
        else f"{shown} <{_address(address)}>"
    )


def _quoted(name: str) -> str:
    return '"' + re.sub(r'(["\\])', r"\\\1", name) + '"'


def _folded(text: str, used: int) -> str:
    """Return a text for a header: encoded words (RFC 2047) if it is not ASCII, and lines of at most 76 columns."""
    text = one_line(text)
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


def _address(text: str) -> str:
    """Return an address that can be put into a header as it is."""
    if not re.fullmatch(r"[!#-'*+\-./0-9=?A-Z^-~]{1,200}@[A-Za-z0-9.-]{1,200}", text):
        raise UsageError(f"{text[:60]!a} is not a valid mail address", path="address")
    return text


def _ids(texts: Iterable[str]) -> str:
    """Return ids for a header, one on each line, so that no line gets too long."""
    return "\r\n ".join(map(_bracketed, texts))


def _bracketed(text: str) -> str:
    if not re.fullmatch(r"<[!-;=?-~]{1,900}>", text):
        raise UsageError(f"{text[:60]!a} cannot be put into a header", path="message-id")
    return text

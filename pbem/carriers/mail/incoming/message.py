"""One mail as it came: bytes in, what the program needs to know about it out.

The package ``email`` parses it under ``compat32``, its default; its newer policies raise on
slightly broken mails, and take seconds for a crafted header. Every mail is
measured before it is parsed, so that no input whatsoever takes a second.
"""

import re
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager, suppress
from email.errors import MessageError
from email.message import Message
from email.parser import BytesParser
from typing import Final, NamedTuple, cast

from pbem.carriers.mail.incoming.body import decoded, text_of_enriched, text_of_html, unflowed
from pbem.carriers.mail.incoming.signs import Headers, disproved, robot, unwanted
from pbem.errors import NotUnderstood
from pbem.locale import Phrase, phrase
from pbem.sha import sha256

LARGEST_WHOLE: Final = 36 * 1024 * 1024  # bytes of a mail: 25 MB of attachments, which most providers allow, encoded
LARGEST: Final = 512 * 1024  # bytes of what remains without photos and the like
HEAVY: Final = 32 * 1024  # bytes: a larger part is left out of such a mail, if it is not read
HEAVY_PAGE: Final = 256 * 1024  # bytes: a larger page is left out too, since the text beside it is read
MOST_LINES: Final = 32_000
LARGEST_HEAD: Final = 128 * 1024  # bytes of all header lines together
MOST_HEAD_LINES: Final = 2_000
LONGEST_HEADER: Final = 16 * 1024  # characters of one header; the rest is not read
LONGEST_TYPE: Final = 2_000  # bytes of a Content-Type and its like, which the parser reads in quadratic time
MOST_PARAMETERS: Final = 2_000  # semicolons in all of these
LARGEST_MOVE: Final = 16 * 1024  # characters of an attached move file
MOST_PARTS: Final = 200
DEEPEST: Final = 20  # parts in parts, and mails in mails

_TYPE_LINES: Final = rb"(?im)^content-[a-z-]{1,30}:[^\n]*+(?:(?=\n[ \t])\n[^\n]*+)*+"
_TYPE: Final = rb"(?im)^content-type:\s*\"?([a-z]+/[a-z0-9.+-]*)"
_ATTACHED: Final = rb"(?im)^content-disposition:\s*attachment"
_MOST_BARS: Final = 2_000  # lines that begin as the boundary of a part does
_MOVE_FILE: Final = r"(?i)(?:my[ _-]?)?(?:move|orders?|answer)(?:[ _-]?\(?\d{1,6}\)?)?\.(?:toml|json|txt)"
# A type, with whatever follows it; some have it the wrong way round.
_KIND: Final = r"(?i)\s*\"?(?:(plain|html)/text|([a-z]+/[a-z0-9.+-]+))"
_SEEN: Final = frozenset(("text/plain", "text/html", "text/enriched", "text/markdown", "text/x-markdown"))
_RICH: Final = frozenset(("text/rtf", "application/rtf", "application/x-rtf", "text/richtext"))
_HTML: Final = r"(?i)\s*<(?:!doctype html|html)\b"
# What the text part says to readers who cannot see the page beside it.
_STUB: Final = r"(?i)html|mime|browser|mail[ -]?(?:client|program|reader)"
_LONGEST_STUB: Final = 400
_NAMED: Final = ("to", "cc")
_ORIGINAL: Final = ("x-original-to", "envelope-to", "x-envelope-to")  # what the envelope said before an alias
_RECIPIENTS: Final = ("delivered-to", *_ORIGINAL, "x-delivered-to", *_NAMED)
_MOST_RECIPIENTS: Final = 100


class Arrival(NamedTuple):
    """A mail as a mailbox has it: what to call when it is processed, and whether it is flagged as junk.

    *size* is the number of its bytes if it is too large to be fetched whole.
    """

    raw: bytes
    done: Callable[[], None]
    junk: bool = False
    size: int = 0


class Attachment(NamedTuple):
    """An attached move file, decoded: ``move.toml``, ``move.json``, ``order.txt`` and the like."""

    name: str
    text: str


class Incoming(NamedTuple):
    """What the program needs to know about a mail.

    Addresses are bare and in lower case. ``sender`` is that of From, empty if there
    is not exactly one; ``envelope`` that of Return-Path: empty for the null sender,
    None if it is missing. ``recipients`` are all that the mail may have been meant
    for, ``named`` those of To and Cc, with what an alias there stands for. ``text``
    is what people see.

    ``automatic`` is why a mail is a robot's, and empty for a person's. If it is
    ``surely_automatic``, or our own, it must not be answered whatever it contains.
    Otherwise people's mails have such a sign too (a list, a Precedence): the mail
    is played if its ticket is valid and its orders can be read, or else ignored.

    ``unwanted`` is why a mail without a ticket gets no answer: spam, or sent to many.
    ``disproved`` are the servers that report a forged sender, each by the name that
    it gives itself.

    ``unreadable`` is why the text is missing, as a sentence for the sender; the
    headers are read all the same, so that the mail can be answered.
    """

    sender: str
    envelope: str | None
    recipients: tuple[str, ...]
    subject: str
    message_id: str
    references: tuple[str, ...]
    text: str
    attachments: tuple[Attachment, ...]
    automatic: str
    digest: str
    surely_automatic: bool = False
    unreadable: str = ""
    named: tuple[str, ...] = ()
    unwanted: str = ""
    disproved: tuple[str, ...] = ()


def read_message(raw: bytes, size: int = 0) -> Incoming:
    """Return what is in a mail; raises NotUnderstood if not even its headers can be read.

    *size* is the number of bytes of a mail of which only the beginning is here.
    """
    digest = sha256(raw).hexdigest()
    light = raw if len(raw) <= LARGEST else _lightened(raw)
    whole = light[: LARGEST + 1].replace(b"\r\n", b"\n").replace(b"\r", b"\n").lstrip(b"\n")
    top = whole.partition(b"\n\n")[0]
    if len(top) > LARGEST_HEAD or top.count(b"\n") > MOST_HEAD_LINES or _wide(top):
        raise NotUnderstood(phrase(_MANY_HEADERS, size=LARGEST_HEAD // 1024))
    with _guard():
        parsed = BytesParser().parsebytes(top + b"\n\n")
        headers = _headers(parsed)
    sender = _only(_addresses(headers.get("from", ())))
    envelope = _envelope(headers, parsed.get_unixfrom())
    subject = _readable(" ".join(headers.get("subject", ())[:1]))
    automatic, surely = robot(headers, parsed.get_content_type(), sender, envelope, subject)
    known = Incoming(
        sender,
        envelope,
        _all_of(headers, _RECIPIENTS),
        subject,
        next(iter(_ids(headers.get("message-id", ()))), ""),
        _ids((*headers.get("references", ()), *headers.get("in-reply-to", ()))),
        text="",
        attachments=(),
        automatic=automatic,
        digest=digest,
        surely_automatic=surely,
        named=_named(headers),
        unwanted=unwanted(headers, sender, subject),
        disproved=disproved(headers),
    )
    try:
        _measure(max(size, len(raw)), light, whole)
        with _guard():
            text, attachments = _content(BytesParser().parsebytes(whole))
        if light is not raw and not text.strip() and not attachments:
            raise NotUnderstood(
                phrase("the message contains only large parts, which are not read: send it as plain text")
            )
    except NotUnderstood as trouble:
        return known._replace(unreadable=trouble.message)
    return known._replace(text=text, attachments=attachments)


@contextmanager
def _guard() -> Generator[None]:
    """Turn whatever error the package ``email`` raises on a crafted mail into NotUnderstood."""
    try:
        yield
    except NotUnderstood:
        raise
    except Exception as broken:
        raise NotUnderstood(phrase("the message is broken: its parts cannot be read")) from broken


def _lightened(raw: bytes) -> bytes:
    """Return a large mail without the contents of large parts that are not read, or need not be."""
    parts = raw.split(b"\n--", _MOST_BARS)
    return b"\n--".join(map(_lighter, parts)) if len(parts) <= _MOST_BARS else raw


def _lighter(part: bytes) -> bytes:
    """Return a part, or only its headers."""
    head = re.match(rb"[\s\S]*?\n\r?\n", part[:LARGEST_HEAD]) if len(part) > HEAVY else None
    if head is None:
        return part
    said = re.search(_TYPE, head[0])
    kind = said[1].lower() if said else b"text/plain"
    if kind == b"text/html":
        heavy = len(part) > HEAVY_PAGE
    else:
        heavy = kind != b"text/plain" and not kind.startswith((b"multipart/", b"message/"))
    return head[0] if heavy or re.search(_ATTACHED, head[0]) else part


def _measure(size: int, light: bytes, whole: bytes) -> None:
    """Raise NotUnderstood for a mail that would take long to parse."""
    if size >= LARGEST_WHOLE:
        raise NotUnderstood(phrase("the message has {n} bytes or more: leave out the pictures", n=LARGEST_WHOLE))
    if len(light) > LARGEST:
        raise NotUnderstood(phrase(_LARGE, n=len(light), most=LARGEST))
    types = [match[0].lower() for match in re.finditer(_TYPE_LINES, whole)]
    if whole.count(b"\n") > MOST_LINES:
        raise NotUnderstood(phrase("the message has more than {n} lines", n=MOST_LINES))
    if len(types) > 3 * MOST_PARTS or sum(b"multipart/" in line or b"message/" in line for line in types) > DEEPEST:
        raise NotUnderstood(phrase(_MANY_PARTS, n=MOST_PARTS, deepest=DEEPEST))
    if any(len(line) > LONGEST_TYPE for line in types) or sum(line.count(b";") for line in types) > MOST_PARAMETERS:
        raise NotUnderstood(phrase("a part of the message has headers of more than {n} characters", n=LONGEST_TYPE))


def _wide(top: bytes) -> bool:
    return any(len(match[0]) > LONGEST_TYPE for match in re.finditer(_TYPE_LINES, top))


# Headers


def _headers(message: Message) -> Headers:
    """Return the values of each header, by its name in lower case: unfolded, and as UTF-8 if they are not ASCII."""
    found: dict[str, list[str]] = {}
    for name, value in message.raw_items():
        text = str(value)[:LONGEST_HEADER].encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        found.setdefault(name.lower(), []).append(" ".join(text.split()))
    return {name: tuple(values) for name, values in found.items()}


def _readable(value: str) -> str:
    """Return a header with its encoded words decoded, as far as possible."""
    value = value[:2_000]
    if "=?" in value:
        from email.header import decode_header

        with suppress(MessageError, ValueError, NotUnderstood):
            value = "".join(
                part if isinstance(part, str) else decoded(part, charset or "ascii")
                for part, charset in decode_header(value)
            )
    return "".join(c if c.isprintable() else " " for c in value).strip()


def _addresses(values: Iterable[str]) -> tuple[str, ...]:
    """Return every bare address in the headers, without quoted names and comments.

    ``email.utils`` reads ``a@x <b@x>`` in one version as two addresses, and in
    another as no address; here all count, so that a caller who wants one sees that there are two.
    """
    bare = (re.sub(r'"(?>(?:[^"\\]++|\\.)*)(?:"|\Z)|\([^()]*\)', " ", value) for value in values)
    words = (word.lower() for value in bare for word in re.split(r"[\s<>,;:()\[\]\"]+", value))
    return tuple(dict.fromkeys(w for w in words if len(w) <= 254 and re.fullmatch(r"[^@]+@[^@]+", w)))


def _all_of(headers: Headers, names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(a for name in names for a in _addresses(headers.get(name, ()))))[:_MOST_RECIPIENTS]


def _named(headers: Headers) -> tuple[str, ...]:
    """Return whom To and Cc name and, if one is an alias, as the envelope shows, where the mail was delivered."""
    named = _all_of(headers, _NAMED)
    aliased = set(named) & set(_all_of(headers, _ORIGINAL))
    return _all_of(headers, _RECIPIENTS) if aliased else named


def _only(addresses: tuple[str, ...]) -> str:
    return addresses[0] if len(addresses) == 1 else ""


def _envelope(headers: Headers, mbox_line: str | None) -> str | None:
    """Return the envelope sender, from Return-Path or from the line that begins a mail in an mbox."""
    for value in headers.get("return-path", ())[:1]:
        return _only(_addresses([value]))
    if mbox_line:
        words = mbox_line.split()[1:2]
        return _only(_addresses(words))  # a bounce has MAILER-DAEMON there, without a host
    return None


def _ids(values: Iterable[str]) -> tuple[str, ...]:
    """Return the message ids in the headers; some clients fold an id in its middle, or encode it."""
    found = (re.findall(r"<[^<>]{1,998}>", _unencoded(value)) for value in values)
    return tuple(dict.fromkeys("".join(one.split()) for ids in found for one in ids))[-_MOST_RECIPIENTS:]


def _unencoded(value: str) -> str:
    return _readable(value) if "=?" in value else value


# The body

_LARGE: Final = (
    "the message has {n} bytes without large pictures, and at most {most} are read: delete the older messages below "
    "your text, or send it as plain text"
)
_MANY_HEADERS: Final = "the message has too many headers, or they are too long (at most {size} KiB)"
_ONLY_A_PART: Final = "the message contains only {name}, which is not read: send it as plain text"
_MANY_PARTS: Final = "the message has more than {n} parts, or more than {deepest} with parts in them"
_ENCRYPTED: Final = "the message is encrypted and cannot be read"


def _content(message: Message) -> tuple[str, tuple[Attachment, ...]]:
    """Return what people see, and the move files; raises NotUnderstood if there is neither."""
    attachments: list[Attachment] = []
    troubles: list[Phrase] = []
    text = _seen(message, attachments, troubles)
    if text.lstrip().startswith("-----BEGIN PGP MESSAGE-----"):
        troubles.append(phrase(_ENCRYPTED))
        text = ""
    if not text.strip() and not attachments and troubles:
        raise NotUnderstood(troubles[0])
    return text, tuple(attachments)


def _seen(part: Message, attachments: list[Attachment], troubles: list[Phrase]) -> str:
    """Return the text of a part that people see, and add what is attached in it to the lists."""
    kind = _kind(part)
    if kind.startswith("message/"):
        return ""  # an attached mail was not written now
    if kind.startswith("multipart/"):
        return _seen_of_many(part, attachments, troubles)
    name = _readable(part.get_filename() or "").replace("\\", "/").rpartition("/")[2]
    if re.fullmatch(_MOVE_FILE, name):
        moves = _text_of(part)
        if len(moves) > LARGEST_MOVE:
            raise NotUnderstood(phrase("the attached {name} has more than {n} characters", name=name, n=LARGEST_MOVE))
        attachments.append(Attachment(name, moves))
    elif kind in {"application/ms-tnef", "application/pkcs7-mime", "application/x-pkcs7-mime"}:
        troubles.append(phrase(_ONLY_A_PART, name=name or kind))
    elif part.get_content_disposition() == "attachment":
        return ""
    elif kind in _RICH:
        troubles.append(phrase("the message is written in RTF (rich text), which is not read: send it as plain text"))
    elif kind in _SEEN:
        text = _text_of(part)
        if kind == "text/enriched":
            return text_of_enriched(text)
        return text_of_html(text) if kind == "text/html" or re.match(_HTML, text) else text
    return ""


def _kind(part: Message) -> str:
    """Return the type of a part, without a comment after it; that of a text if it is not valid."""
    if (said := re.match(_KIND, str(part.get("content-type", "")))) is None:
        return part.get_content_type()
    return f"text/{said[1]}".lower() if said[1] else said[2].lower()


def _seen_of_many(part: Message, attachments: list[Attachment], troubles: list[Phrase]) -> str:
    parts = part.get_payload()
    if not isinstance(parts, list):
        text = _text_of(part)
        if not re.search(r"^(?:--|content-type:)", text, re.IGNORECASE | re.MULTILINE):
            return text  # it has no parts
        troubles.append(phrase("the parts of the message cannot be told apart"))
        return ""
    kind = _kind(part)
    if kind == "multipart/encrypted":
        troubles.append(phrase(_ENCRYPTED))
    children = [child for child in cast("list[Message | str]", parts) if isinstance(child, Message)]
    alternative = kind == "multipart/alternative"
    if alternative:
        children.sort(key=lambda child: _kind(child) != "text/plain")
    texts: list[str] = []
    for child in children:
        if alternative and texts and _kind(child) == "text/html" and not _is_stub(texts[0]):
            continue  # the same text again
        text = _seen(child, attachments, troubles)
        if alternative and texts and text.strip() and _is_stub(texts[0]):
            texts.clear()
        texts += [text] * bool(text.strip())
    return "\n\n".join(texts[:1] if alternative else texts)


def _is_stub(text: str) -> bool:
    return len(text) <= _LONGEST_STUB and bool(re.search(_STUB, text))


def _text_of(part: Message) -> str:
    """Return the text of a leaf, decoded, with its soft line breaks joined."""
    text = decoded(_bytes_of(part), str(part.get_content_charset() or ""))
    if str(part.get_param("format", "")).lower() == "flowed" and _kind(part) == "text/plain":
        return unflowed(text, delsp=str(part.get_param("delsp", "")).lower() == "yes")
    return text


def _bytes_of(part: Message) -> bytes:
    """Return the content of a leaf, without its transfer encoding."""
    how = str(part.get("content-transfer-encoding", ""))
    if (named := re.match(r"\s*([a-z0-9-]+)[\s(;]", how, re.IGNORECASE)) is not None:  # a comment follows it
        part.replace_header("content-transfer-encoding", named[1])
    content = part.get_payload(decode=True)
    if not isinstance(content, bytes):
        return b""
    raw = str(part.get_payload())
    if "base64" in how.lower() and not _is_utf_8(content) and re.search(r"\w \w|\n\n.", raw.strip()):
        return raw.encode("utf-8", "surrogateescape")  # only the header says that it is encoded
    return content


def _is_utf_8(content: bytes) -> bool:
    with suppress(UnicodeError):
        return bool(content.decode()) or not content
    return False

"""People who play by mail: they read what the outbox holds, and answer as their mail programs do.

A person knows nothing but the mails: orders come from the text (``write "offer 7"``) or from the links of the HTML.
"""

import email
import re
from binascii import a2b_qp
from collections.abc import Callable, Iterator, Sequence
from email.header import decode_header, make_header
from email.message import Message
from email.utils import parseaddr
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import NamedTuple
from urllib.parse import parse_qs, unquote

CLUB = "pbem@example.org"


class Mail(NamedTuple):
    """A mail of the club's as its reader sees it."""

    raw: bytes
    to: str
    subject: str
    reply_to: str
    message_id: str
    references: str
    text: str
    html: str

    @property
    def marker(self) -> tuple[str, str]:
        """The two lines beneath the first one."""
        _, first, second, *_ = self.text.split("\n")
        return first, second

    @property
    def examples(self) -> tuple[str, ...]:
        """The orders that the text shows, if it asks for some."""
        said = self.text.partition("To answer,")[2].partition("and send.")[0]
        return tuple(" ".join(order.split()) for order in re.findall(r'"([^"]+)"', said))

    @property
    def asks(self) -> bool:
        """Whether the reader is asked to decide."""
        return "\nQUESTION\n" in self.text

    @property
    def taps(self) -> tuple["Tap", ...]:
        """The answers that can be tapped."""
        return tuple(_tap(link.replace("&amp;", "&")) for link in re.findall(r'href="(mailto:[^"]+)"', self.html))


class Tap(NamedTuple):
    """A mail that a link begins."""

    to: str
    subject: str
    body: str


def _tap(link: str) -> Tap:
    address, _, query = link.removeprefix("mailto:").partition("?")
    said = parse_qs(query)
    return Tap(unquote(address), said["subject"][0], said["body"][0].replace("\r\n", "\n"))


# Where a part of a letter of ours is a text. Test_letter reads it as mail programs do, which takes four times as long.
_TEXT = rb'Content-Type: text/(plain|html); charset="utf-8"\nContent-Transfer-Encoding: (\S+)$'


def read(raw: bytes) -> Mail:
    """Return a mail as a mail program shows it."""
    first, *others = raw.replace(b"\r\n", b"\n").split(b"\n--=_")
    message = email.message_from_bytes(first.partition(b"\n\n")[0])
    texts: dict[bytes, str] = {}
    for part in (first, *others):
        head, _, content = part.partition(b"\n\n")
        if text := re.search(_TEXT, head):
            texts.setdefault(text[1], (a2b_qp(content) if text[2] == b"quoted-printable" else content).decode())
    return Mail(
        raw,
        parseaddr(_header(message, "To"))[1],
        _header(message, "Subject"),
        _header(message, "Reply-To") or _header(message, "From"),
        _header(message, "Message-ID"),
        _header(message, "References"),
        texts[b"plain"],
        texts.get(b"html", ""),
    )


def _header(message: Message, name: str) -> str:
    """Return a header, unfolded and decoded; the whole of the package ``email`` takes three times as long."""
    value = " ".join(str(message.get(name, "")).split())
    return str(make_header(decode_header(value))) if "=?" in value else value


def delivered(club: Path) -> list[Mail]:
    """Empty the outbox, as a mail server would, and return what was in it."""
    mails = []
    for path in sorted((club / "outbox" / "new").iterdir()):
        mails.append(read(path.read_bytes()))
        path.unlink()
    return mails


def on_a_phone(mail: Mail) -> str:
    """Return what a phone puts beneath a reply."""
    quoted = "\n".join(f"> {line}".rstrip() for line in mail.text.rstrip("\n").split("\n"))
    return f"\n\nOn Sat, Nov 21, 2026 at 10:00 First Sparks <{CLUB}> wrote:\n\n{quoted}\n"


def the_top(mail: Mail) -> str:
    """Return what is beneath a reply of somebody who has deleted all but the beginning of the letter.

    What tests write answers this way: to read the whole letter again takes as long as all else that follows a mail.
    """
    return "\n>\n".join(on_a_phone(mail).split("\n>\n")[:2]).rstrip() + "\n"


def nothing_quoted(_: Mail) -> str:
    """Return what a careful person leaves beneath a reply."""
    return "\n"


def reply(
    mail: Mail,
    words: str,
    *,
    sender: str = "",
    beneath: Callable[[Mail], str] = the_top,
    headers: Sequence[str] = (),
    number: int = 0,
) -> bytes:
    """Return an answer to a mail as it arrives; *number* tells apart answers that are the same otherwise."""
    seed = sha256(f"{mail.message_id} {words} {number}".encode()).hexdigest()[:20]
    head = (
        f"From: {sender or mail.to}",
        f"To: {mail.reply_to}",
        f"Subject: Re: {mail.subject}",
        f"Message-ID: <{seed}@phone.example>",
        f"In-Reply-To: {mail.message_id}",
        f"References: {mail.references} {mail.message_id}",
        "Date: Sat, 21 Nov 2026 10:00:00 +0000",
        "MIME-Version: 1.0",
        "Content-Type: text/plain; charset=utf-8",
        *headers,
    )
    return ("\n".join((*head, "", words)) + beneath(mail)).encode()


def tapped(mail: Mail, tap: Tap) -> bytes:
    """Return the mail that a link begins, sent as it is: a new one that answers none."""
    seed = sha256(f"{mail.message_id} {tap.body}".encode()).hexdigest()[:20]
    head = f"From: {mail.to}\nTo: {tap.to}\nSubject: {tap.subject}\nMessage-ID: <{seed}@tap.example>\n"
    return f"{head}MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n\n{tap.body}\n".encode()


def a_mail(sender: str, to: str, words: str, *, subject: str = "hello", headers: Sequence[str] = ()) -> bytes:
    """Return a new mail that answers none."""
    seed = sha256(f"{sender} {words} {subject}".encode()).hexdigest()[:20]
    head = (f"From: {sender}", f"To: {to}", f"Subject: {subject}", f"Message-ID: <{seed}@new.example>", *headers)
    return ("\n".join((*head, "", words)) + "\n").encode()


def on_the_wire(raw: bytes) -> bytes:
    """Return a mail with the line ends that servers want."""
    return re.sub(rb"\r?\n", b"\r\n", raw)


def drop(club: Path, raw: bytes, name: str) -> None:
    """Put a mail into the club's incoming Maildir."""
    (club / "inbox" / "tmp" / name).write_bytes(raw)
    (club / "inbox" / "tmp" / name).rename(club / "inbox" / "new" / name)


class Person:
    """Somebody who answers every question at once: with a random tap, or with the order that the text shows."""

    def __init__(self, address: str, seed: int) -> None:
        self.address = address
        self.random = Random(seed)
        self.got: list[Mail] = []

    def gets(self, mail: Mail) -> bytes | None:
        """Read a mail, and return the answer to it if it asks for one."""
        self.got.append(mail)
        if not mail.asks:
            return None
        if mail.taps and self.random.random() < 0.7:
            tap = self.random.choice(mail.taps)
            if self.random.random() < 0.3:
                return tapped(mail, tap)
            return reply(mail, tap.body.split("\n", 1)[0])
        return reply(mail, self.random.choice(mail.examples))


def exchange(club: Path, people: dict[str, Person]) -> Iterator[bytes]:
    """Deliver what the outbox holds, and yield what people answer."""
    for mail in delivered(club):
        person = people.get(mail.to)
        answer = person.gets(mail) if person is not None else None
        if answer is not None:
            yield answer

"""Mail programs as people have them: each quotes, encodes and signs in its own manner."""

from collections.abc import Callable
from email.message import EmailMessage
from email.policy import SMTP
from hashlib import sha256
from html import escape

from people import CLUB, Mail

WROTE = f"On Sat, Nov 21, 2026 at 10:00 First Sparks <{CLUB}> wrote:"


def phone(mail: Mail, words: str, number: int) -> bytes:
    """Return a reply above a quotation, with a signature."""
    return _sent(mail, f"{words}\n\nSent from my phone\n\n{WROTE}\n\n{_quoted(mail.text)}\n", number, "8bit")


def bottom(mail: Mail, words: str, number: int) -> bytes:
    """Return a reply beneath all that it answers."""
    return _sent(mail, f"{WROTE}\n{_quoted(mail.text)}\n\n{words}\n\n-- \nbuy\n", number, "quoted-printable")


def inline(mail: Mail, words: str, number: int) -> bytes:
    """Return a reply amid what it answers."""
    lines = mail.text.split("\n")
    at = lines.index("QUESTION") + 1
    above, beneath = "\n".join(lines[:at]), "\n".join(lines[at:])
    return _sent(mail, f"{WROTE}\n{_quoted(above)}\n\n{words}\n\n{_quoted(beneath)}\n", number, "base64")


def outlook(mail: Mail, words: str, number: int) -> bytes:
    """Return a reply as a page alone, what it answers standing beneath a line without any marks."""
    head = f"<b>From:</b> First Sparks &lt;{CLUB}&gt;<br><b>Sent:</b> Saturday<br><b>Subject:</b> {mail.subject}"
    page = f'{_page(words)}<hr><div id="divRplyFwdMsg">{head}</div>{mail.html}'
    return _sent(mail, page, number, "quoted-printable", "html")


def webmail(mail: Mail, words: str, number: int) -> bytes:
    """Return a reply as a page alone, what it answers indented."""
    quoted = f'<div class="gmail_quote">{escape(WROTE)}<br><blockquote type="cite">{mail.html}</blockquote></div>'
    return _sent(mail, f"{_page(words)}<br>{quoted}", number, "base64", "html")


def careful(mail: Mail, words: str, number: int) -> bytes:
    """Return a reply with nothing of what it answers."""
    return _sent(mail, f"{words}\n", number, "7bit" if words.isascii() else "8bit")


PROGRAMS: tuple[Callable[[Mail, str, int], bytes], ...] = (phone, bottom, inline, outlook, webmail, careful)


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.rstrip("\n").split("\n"))


def _page(words: str) -> str:
    return "".join(f"<div>{escape(line) or '<br>'}</div>" for line in words.split("\n"))


def _sent(mail: Mail, body: str, number: int, encoding: str, kind: str = "plain") -> bytes:
    """Return the mail; *number* tells apart those that are the same otherwise."""
    made = EmailMessage(policy=SMTP)
    seed = sha256(f"{mail.message_id} {number}".encode()).hexdigest()[:20]
    made["From"], made["To"], made["Subject"] = mail.to, mail.reply_to, f"Re: {mail.subject}"
    made["Message-ID"], made["In-Reply-To"] = f"<{seed}@home.example>", mail.message_id
    made["References"] = f"{mail.references} {mail.message_id}"
    made.set_content(body, subtype=kind, cte=encoding)
    return made.as_bytes()

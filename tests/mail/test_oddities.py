"""Mails that are written oddly: each is read as a person would want who has seen it in a mail program."""

import base64
import quopri
from typing import Final

import pytest

from pbem.carriers.mail.incoming.content import understood
from pbem.carriers.mail.incoming.message import read_message
from pbem.errors import NotUnderstood

ORDER: Final = "offer 12"
TEXT: Final = "Content-Type: text/plain; charset=utf-8"
HTML: Final = "Content-Type: text/html; charset=utf-8"
OLD: Final = "> == write your orders ABOVE this line == [friday/57/1a2b3c4d]\n> offer 9\n"
HIDDEN: Final = "<p>Hello all</p>"


def whole(body: str | bytes, *headers: str, subject: str = "Re: [friday] The First Sparks") -> bytes:
    """Return a mail from Ann with that body beneath those headers."""
    head = "\n".join(("From: Ann <ann@example.org>", "To: pbem@example.org", f"Subject: {subject}", *headers))
    data = body if isinstance(body, bytes) else body.encode()
    return head.encode("utf-8", "surrogateescape") + b"\n\n" + data


def many(*parts: str, kind: str = "mixed", end: str = "--b--\n", boundary: str = "b", more: str = "") -> bytes:
    """Return a mail of parts, each of them headers, an empty line, and a body."""
    body = more + "".join(f"--{boundary}\n{part}\n" for part in parts) + end
    return whole(body, "MIME-Version: 1.0", f'Content-Type: multipart/{kind}; boundary="{boundary}"')


def inner(*parts: str, kind: str = "alternative", boundary: str = "c") -> str:
    """Return a part that is made of parts."""
    body = "".join(f"--{boundary}\n{part}\n" for part in parts)
    return f'Content-Type: multipart/{kind}; boundary="{boundary}"\n\n{body}--{boundary}--\n'


def encoded(text: str, how: str, junk: str = "") -> str:
    """Return a text as base64, broken in lines of 40 and with junk between them, or as quoted-printable."""
    if how == "quoted-printable":
        return quopri.encodestring(text.encode()).decode()
    digits = base64.b64encode(text.encode()).decode()
    return f"{junk}\n".join(digits[at : at + 40] for at in range(0, len(digits), 40)) + "\n"


PLAIN: Final = f"{TEXT}\n\n{ORDER}\n\n{OLD}"
PAGE: Final = f"{HTML}\n\n<p>{ORDER}</p><blockquote>offer 9</blockquote>"
PHOTO: Final = "Content-Type: image/png\nContent-Transfer-Encoding: base64\n\niVBORw0KGgo=\n"
STUB: Final = "This message is in HTML format. Please use a mail client that can display it."


def page(html: str) -> bytes:
    """Return a mail that is a page."""
    return whole(f"<html><body>{html}</body></html>", "MIME-Version: 1.0", HTML)


def attached(name: str, disposition: str = "attachment", body: str = "") -> bytes:
    """Return a mail with the order in a file of that name."""
    file = f'{TEXT}; name="{name}"\nContent-Disposition: {disposition}; filename="{name}"\n\n{ORDER}\n'
    return many(f"{TEXT}\n\n{body}\n{OLD}", file)


# What each is, and how a person reads it: the order, "" for no order, or a word of why it cannot be read.
ODDITIES: dict[str, tuple[bytes, str]] = {
    # Structure
    "no MIME headers at all": (whole(f"{ORDER}\n\n{OLD}"), ORDER),
    "text and page": (many(PLAIN, PAGE, kind="alternative"), ORDER),
    "page before text": (many(PAGE, PLAIN, kind="alternative"), ORDER),
    "page alone in an alternative": (many(PAGE, kind="alternative"), ORDER),
    "alternative in mixed": (many(inner(PLAIN, PAGE), PHOTO), ORDER),
    "alternative in related in mixed": (many(inner(inner(PLAIN, PAGE), PHOTO, kind="related", boundary="d")), ORDER),
    "related with the page first": (many(PAGE, PHOTO, kind="related"), ORDER),
    "a photo first": (many(PHOTO, PLAIN), ORDER),
    "two texts around a photo": (many(PLAIN, PHOTO, f"{TEXT}\n\nBye\n"), ORDER),
    "an empty text beside a page": (many(f"{TEXT}\n\n\n", PAGE, kind="alternative"), ORDER),
    "a blank text beside a page": (many(f"{TEXT}\n\n \u00a0\n", PAGE, kind="alternative"), ORDER),
    "a stub beside a page": (many(f"{TEXT}\n\n{STUB}\n", PAGE, kind="alternative"), ORDER),
    "a German stub beside a page": (
        many(f"{TEXT}\n\nIhr E-Mail-Programm kann kein HTML anzeigen.\n", PAGE, kind="alternative"),
        ORDER,
    ),
    "a calendar beside a text": (
        many(PLAIN, "Content-Type: text/calendar\n\nBEGIN:VCALENDAR\noffer 9\nEND:VCALENDAR\n", kind="alternative"),
        ORDER,
    ),
    "enriched text beside a text": (
        many(PLAIN, "Content-Type: text/enriched\n\n<bold>offer 9</bold>\n", kind="alternative"),
        ORDER,
    ),
    "enriched text alone": (
        whole(
            "<bold>offer</bold> <italic>12</italic>\n\n<excerpt>offer 9\n\n</excerpt>", "Content-Type: text/enriched"
        ),
        ORDER,
    ),
    "enriched text in which lines are filled": (
        whole("<color><param>red</param>Hi</color>\n\nof<bold>fer</bold>\n12\n\nBye", "Content-Type: text/enriched"),
        ORDER,
    ),
    "enriched text with a literal bracket": (
        whole("<nofill>I <<3 you\noffer 12\n</nofill>", "Content-Type: text/enriched"),
        ORDER,
    ),
    "what enriched text cites": (whole("Hello\n\n<excerpt>offer 9\n\n</excerpt>", "Content-Type: text/enriched"), ""),
    "enriched text beside a page": (
        many("Content-Type: text/enriched\n\n<bold>offer 12</bold>\n", PAGE, kind="alternative"),
        ORDER,
    ),
    "RTF alone": (
        whole(r"{\rtf1\ansi offer 12\par}", "Content-Type: text/rtf"),
        "in RTF (rich text), which is not read",
    ),
    "RTF as an application": (
        whole(r"{\rtf1\ansi offer 12\par}", "Content-Type: application/rtf"),
        "in RTF (rich text), which is not read",
    ),
    "RTF beside a text": (many(PLAIN, "Content-Type: text/rtf\n\n{\\rtf1 offer 9}\n", kind="alternative"), ORDER),
    "RTF attached to a mail without text": (
        many('Content-Type: text/rtf; name="a.rtf"\nContent-Disposition: attachment\n\n{\\rtf1 offer 9}\n'),
        "",
    ),
    "Markdown": (whole(f"**Hello**\n\n* {ORDER}\n", "Content-Type: text/markdown; charset=utf-8"), ORDER),
    "AMP beside text and page": (
        many(PLAIN, "Content-Type: text/x-amp-html\n\n<p>offer 9</p>\n", PAGE, kind="alternative"),
        ORDER,
    ),
    "a signed mail": (
        many(PLAIN, "Content-Type: application/pgp-signature\n\n-----BEGIN PGP SIGNATURE-----\n", kind="signed"),
        ORDER,
    ),
    "an S/MIME signature": (
        many(PLAIN, "Content-Type: application/pkcs7-signature; name=smime.p7s\n\nMIIB\n", kind="signed"),
        ORDER,
    ),
    "opaque S/MIME": (whole("MIIB\n", 'Content-Type: application/pkcs7-mime; name="smime.p7m"'), "which is not read"),
    "winmail.dat alone": (
        whole("eJ8+\n", 'Content-Type: application/ms-tnef; name="winmail.dat"'),
        "which is not read",
    ),
    "winmail.dat beside a text": (
        many(PLAIN, 'Content-Type: application/ms-tnef; name="winmail.dat"\n\neJ8+\n'),
        ORDER,
    ),
    "an encrypted mail": (
        many("Content-Type: application/pgp-encrypted\n\nVersion: 1\n", kind="encrypted"),
        "encrypted",
    ),
    "an old mail attached": (many(PLAIN, "Content-Type: message/rfc822\n\nSubject: x\n\noffer 9\n"), ORDER),
    "only an old mail attached": (many("Content-Type: message/rfc822\n\nSubject: x\n\noffer 9\n"), ""),
    "a digest": (many("\nSubject: x\n\noffer 9\n", kind="digest"), ""),
    "a vCard": (many(PLAIN, "Content-Type: text/vcard\n\nBEGIN:VCARD\noffer 9\nEND:VCARD\n"), ORDER),
    "a list footer": (many(PLAIN, f"{TEXT}\n\n_______________________________________________\nlist@x\n"), ORDER),
    # Boundaries
    "no end of the last part": (many(PLAIN, end=""), ORDER),
    "no end inside": (many(f'Content-Type: multipart/alternative; boundary="c"\n\n--c\n{PLAIN}', PHOTO), ORDER),
    "a preamble": (many(PLAIN, more="This is a multi-part message in MIME format.\noffer 9\n"), ORDER),
    "an epilogue": (many(PLAIN, end="--b--\noffer 9\n"), ORDER),
    "a boundary with spaces after it": (many(PLAIN).replace(b"--b\n", b"--b  \n"), ORDER),
    "a boundary that begins another": (many(PLAIN, boundary="bb", more="--bbb\n", end="--bb--\n"), ORDER),
    "a multipart without any part": (whole(f"{ORDER}\n", 'Content-Type: multipart/mixed; boundary="b"'), ORDER),
    "a multipart without a boundary": (whole(f"{ORDER}\n", "Content-Type: multipart/mixed"), ORDER),
    "a boundary without quotes": (many(PLAIN).replace(b'boundary="b"', b"boundary=b"), ORDER),
    # Types
    "a comment in the type": (whole(f"{ORDER}\n", "Content-Type: text/plain (as text)"), ORDER),
    "a comment before the charset": (whole(f"{ORDER}\n", "Content-Type: text/plain (text); charset=utf-8"), ORDER),
    "a comment in the type of a part": (many(f"Content-Type: text/plain (as text)\n\n{ORDER}\n"), ORDER),
    "a type in capitals": (whole(f"{ORDER}\n", "CONTENT-TYPE: TEXT/PLAIN"), ORDER),
    "a type of one word": (whole(f"{ORDER}\n", "Content-Type: text"), ORDER),
    "a type the wrong way round": (whole(f"{ORDER}\n", "Content-Type: plain/text"), ORDER),
    "an empty type": (whole(f"{ORDER}\n", "Content-Type:"), ORDER),
    "a type with two semicolons": (whole(f"{ORDER}\n", "Content-Type: text/plain;; charset=utf-8;"), ORDER),
    "a folded type": (whole(f"{ORDER}\n", "Content-Type: text/plain;\n\tcharset=utf-8"), ORDER),
    "two types": (whole(f"{ORDER}\n", TEXT, "Content-Type: text/html"), ORDER),
    "a text that says octet-stream": (whole(f"{ORDER}\n", "Content-Type: application/octet-stream"), ""),
    "a page that says text": (whole(f"<html><body><p>{ORDER}</p></body></html>", TEXT), ORDER),
    # Charsets
    "a charset that is none": (whole(f"{ORDER}\nf\u00fcr dich", "Content-Type: text/plain; charset=x-unknown"), ORDER),
    "UTF-8 that says ASCII": (whole(f"{ORDER}\nf\u00fcr", "Content-Type: text/plain; charset=us-ascii"), ORDER),
    "Latin that says UTF-8": (whole(f"{ORDER}\nf\u00fcr".encode("latin-1"), TEXT), ORDER),
    "UTF-16": (whole(ORDER.encode("utf-16"), "Content-Type: text/plain; charset=utf-16"), ORDER),
    "a byte order mark": (whole(f"\ufeff{ORDER}\n", TEXT), ORDER),
    "a charset in RFC 2231": (whole(f"{ORDER}\n", "Content-Type: text/plain; charset*=us-ascii'en'utf-8"), ORDER),
    "a charset twice": (whole(f"{ORDER}\n", "Content-Type: text/plain; charset=utf-8; charset=utf-16"), ORDER),
    "UTF-7": (whole("+AG8-ffer 12\n", "Content-Type: text/plain; charset=utf-7"), "UTF-7"),
    # Encodings
    "base64": (whole(encoded(f"{ORDER}\n\n{OLD}", "base64"), TEXT, "Content-Transfer-Encoding: base64"), ORDER),
    "base64 with junk": (
        whole(encoded(f"{ORDER}\n\n{OLD}", "base64", " !-"), TEXT, "Content-Transfer-Encoding: base64"),
        ORDER,
    ),
    "base64 without its padding": (
        whole(encoded(f"{ORDER}\n", "base64").rstrip("=\n"), TEXT, "Content-Transfer-Encoding: base64"),
        ORDER,
    ),
    "a text that says base64": (whole(f"{ORDER}\n\nHello!\n", TEXT, "Content-Transfer-Encoding: base64"), ORDER),
    "quoted-printable": (
        whole(encoded(f"{ORDER}\n\nf\u00fcr", "quoted-printable"), TEXT, "Content-Transfer-Encoding: quoted-printable"),
        ORDER,
    ),
    "quoted-printable with a soft line end": (
        whole("offer =\n12\n", TEXT, "Content-Transfer-Encoding: quoted-printable"),
        ORDER,
    ),
    "quoted-printable that is broken": (
        whole(f"{ORDER}\n100=% sure\n=", TEXT, "Content-Transfer-Encoding: quoted-printable"),
        ORDER,
    ),
    "an encoding that is none": (whole(f"{ORDER}\n", TEXT, "Content-Transfer-Encoding: 9bit"), ORDER),
    "an encoding with a comment": (
        whole(encoded(f"{ORDER}\n", "base64"), TEXT, "Content-Transfer-Encoding: base64 (mime)"),
        ORDER,
    ),
    # Lines and headers
    "CR and LF mixed": (whole(f"Hi,\r\n\r\n{ORDER}\r\n\n{OLD}".encode()).replace(b"\n\n", b"\r\n\n", 1), ORDER),
    "CR alone": (whole(f"{ORDER}\n\n{OLD}").replace(b"\n", b"\r"), ORDER),
    "the line of an mbox": (b"From ann@example.org Tue Nov  3 10:00:00 2026\n" + whole(f"{ORDER}\n"), ORDER),
    "a quoted From": (whole(f">From now on I mean it\n\n{ORDER}\n"), ORDER),
    "a NUL in the text": (whole(f"{ORDER}\0\n"), ORDER),
    "8-bit headers": (whole(f"{ORDER}\n", "X-Name: J\udcfcrgen", TEXT), ORDER),
    "a header without a colon": (whole(f"{ORDER}\n", TEXT, "this is no header"), ORDER),
    "a long folded header": (whole(f"{ORDER}\n", "X-Long: " + "a\n " * 300 + "b", TEXT), ORDER),
    "flowed lines": (
        whole(f"{ORDER} \n\nI think that this is the best that I can do at the \nmoment.\n", f"{TEXT}; format=flowed"),
        ORDER,
    ),
    # Files
    "order.txt": (attached("order.txt"), ORDER),
    "Orders.TXT": (attached("Orders.TXT"), ORDER),
    "my order (2).txt": (attached("my order (2).txt"), ORDER),
    "order.txt inline": (attached("order.txt", "inline"), ORDER),
    "order.txt beside words": (attached("order.txt", body="Here is my order, it is attached."), ORDER),
    "a name in RFC 2231": (
        attached("order.txt").replace(b'filename="order.txt"', b"filename*0*=utf-8''ord; filename*1*=er%2Etxt"),
        ORDER,
    ),
    "a name in an encoded word": (
        attached("order.txt").replace(b'"order.txt"', b'"=?utf-8?q?order=2Etxt?="'),
        ORDER,
    ),
    "notes.txt": (attached("notes.txt"), ""),
    # Pages
    "an indented line of Outlook": (
        page(f"<blockquote style='margin-top:5.0pt;margin-bottom:5.0pt'><p class=MsoNormal>{ORDER}</p></blockquote>"),
        ORDER,
    ),
    "a quote of Outlook": (
        page(f"<p>{ORDER}</p><blockquote style='border:none;border-left:solid #CCCCCC 1.0pt'>offer 9</blockquote>"),
        ORDER,
    ),
    "a quote of Apple": (
        page(f'<div>{ORDER}</div><blockquote type="cite" style="margin:0">offer 9</blockquote>'),
        ORDER,
    ),
    "an order in a table": (page(f"<table><tr><td>{ORDER}</td></tr></table>"), ORDER),
    "spans in a word": (page("<p><span>of</span><span>fer </span><b>12</b></p>"), ORDER),
    "entities": (page("<p>&#111;ffer&nbsp;12</p>"), ORDER),
    "tags that are not closed": (page(f"<p>Hi<p>{ORDER}<p>Bye"), ORDER),
    "display:none": (page(f'{HIDDEN}<p style="display:none">{ORDER}</p>'), ""),
    "display : NONE !important": (page(f'{HIDDEN}<div style="color:red; DISPLAY : None !important">{ORDER}</div>'), ""),
    "struck out in CSS": (
        page(f'{HIDDEN}<span style="color: red; text-decoration: underline line-through;">{ORDER}</span>'),
        "",
    ),
    "display:none without quotes": (page(f"{HIDDEN}<div style=display:none>{ORDER}</div>"), ""),
    "display:none as entities": (page(f'{HIDDEN}<div style="dis&#112;lay:none">{ORDER}</div>'), ""),
    "display:none in CSS with a comment": (page(f'{HIDDEN}<div style="display:/**/none">{ORDER}</div>'), ""),
    "display:none by a class": (
        page(
            f"<style>p {{color:red}} @media all {{ div.note, .x > .y {{ display: none }} }}</style>"
            f'{HIDDEN}<div class="big note">{ORDER}</div><p class=y>{ORDER}</p>'
        ),
        "",
    ),
    "display:none by an id": (page(f"<style>#gone{{display:none}}</style>{HIDDEN}<div id='gone'>{ORDER}</div>"), ""),
    "a class that is seen": (
        page(f'<style>.a {{display:none}} .a .b {{color:red}}</style><p class="b">{ORDER}</p>'),
        ORDER,
    ),
    "hidden around others": (page(f'{HIDDEN}<div style="display:none"><div>a</div><p>{ORDER}</p></div>'), ""),
    "an order behind what is hidden": (
        page(f'<div style="display:none"><div>offer 9</div></div><p>{ORDER}</p>'),
        ORDER,
    ),
    "a hidden paragraph that is not closed": (page(f'<p style="display:none">offer 9<p>{ORDER}</p>'), ORDER),
    "visibility:hidden": (page(f'{HIDDEN}<p style="visibility:hidden">{ORDER}</p>'), ""),
    "font-size:0": (page(f'{HIDDEN}<span style="font-size:0px;">{ORDER}</span>'), ""),
    "font-size:0.9em": (page(f'<span style="font-size:0.9em">{ORDER}</span>'), ORDER),
    "mso-hide:all": (page(f"{HIDDEN}<p style='mso-hide:all'>{ORDER}</p>"), ""),
    "the attribute hidden": (page(f"{HIDDEN}<p hidden>{ORDER}</p>"), ""),
    "the attribute hidden with a value": (page(f'{HIDDEN}<p class="x" hidden="hidden">{ORDER}</p>'), ""),
    "aria-hidden": (page(f'<p aria-hidden="true" title="hidden">{ORDER}</p>'), ORDER),
    "struck out": (page(f"{HIDDEN}<p><s>{ORDER}</s></p>"), "cannot be read as an order"),
    "in a comment": (page(f"{HIDDEN}<!-- <p>{ORDER}</p> -->"), ""),
    "in a style": (page(f"{HIDDEN}<style>\n{ORDER}\n</style>"), ""),
    "in a text field": (page(f"{HIDDEN}<form><textarea rows=2>{ORDER}</textarea></form>"), ""),
    "in a text field that is not closed": (page(f"{HIDDEN}<textarea>\n{ORDER}\n"), ""),
    "in an input": (
        page(f'{HIDDEN}<form><input name=x value="{ORDER}"><input type=hidden value="{ORDER}"></form>'),
        "",
    ),
    "in a choice": (page(f"{HIDDEN}<select><option>offer 9</option><option selected>{ORDER}</option></select>"), ""),
    "in a list of data": (page(f"{HIDDEN}<datalist><option>{ORDER}</datalist>"), ""),
    "in a button": (page(f"{HIDDEN}<form><button>{ORDER}</button></form>"), ""),
    "in a hidden form": (page(f"{HIDDEN}<form hidden><p>{ORDER}</p></form>"), ""),
    "in a frame": (page(f"{HIDDEN}<iframe><p>{ORDER}</p></iframe><object><p>{ORDER}</p></object>"), ""),
    "behind a text field": (page(f"<textarea>offer 9</textarea><p>{ORDER}</p>"), ORDER),
    "in a template": (page(f"{HIDDEN}<template><p>{ORDER}</p></template>"), ""),
    # The subject
    "the order in the subject": (whole("\n", subject=ORDER), ORDER),
    "the order in the subject of a reply": (whole(OLD, subject=f"Re: {ORDER}"), ORDER),
    "the order behind the game": (whole(OLD, subject=f"AW: [friday] {ORDER}"), ORDER),
    "the order in an encoded subject": (whole("\n", subject="=?utf-8?q?offer_12?="), ORDER),
    "the order in the subject above words": (whole(f"Hello all\n\n{OLD}", subject=ORDER), ORDER),
    "the order in the text counts": (whole(f"{ORDER}\n", subject="offer 9"), ORDER),
    "our own subject": (whole("Hello\n"), ""),
    "our refusal": (whole("Hello\n", subject="Re: [friday] refused: offer 12"), ""),
    "our question": (whole("Hello\n", subject="Re: [friday] your turn: buy or decline #12"), ""),
    "our news": (whole("Hello\n", subject="Re: [friday] Ann bought #12"), ""),
    "our reminder": (whole("Hello\n", subject="Re: [friday] reminder: 6 hours left"), ""),
    "the subject of another talk": (whole("Hello\n", subject="Re: why I would offer 12"), ""),
}


def outcome(raw: bytes) -> str:
    """Return the order that is read, or what is said about the mail."""
    try:
        post, _ = understood(raw, read_message(raw))
    except NotUnderstood as wrong:
        return wrong.message
    if post.wrong is not None:
        return "\n".join((post.wrong.message, *(reason.message for reason in post.wrong.reasons)))
    return "\n".join(post.orders.orders) if post.orders else ""


def test_there_are_many() -> None:
    assert len(ODDITIES) >= 100


@pytest.mark.parametrize("name", ODDITIES)
def test_an_odd_mail_is_read_as_a_person_reads_it(name: str) -> None:
    raw, wanted = ODDITIES[name]

    found = outcome(raw)

    assert wanted in found if wanted and wanted != ORDER else found == wanted

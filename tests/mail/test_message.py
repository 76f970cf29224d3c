"""A mail as it came: any bytes whatsoever end in a verdict, with little work."""

import base64
import random
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from work import at_most

from pbem.carriers.mail.incoming.body import decoded, text_of_html, unflowed
from pbem.carriers.mail.incoming.message import (
    DEEPEST,
    LARGEST,
    LARGEST_HEAD,
    LARGEST_MOVE,
    LARGEST_WHOLE,
    LONGEST_TYPE,
    MOST_LINES,
    MOST_PARTS,
    Attachment,
    Incoming,
    read_message,
)
from pbem.errors import NotUnderstood
from pbem.reading import lines
from pbem.reading.decide import Reply, read_reply

REPLIES = [path.read_bytes() for path in sorted((Path(__file__).parent / "replies").glob("*.eml"))]
CALLS = 8_000_000  # the worst below takes three million, which is a third of a second


def a_mail(body: bytes | str = "offer 12\n", **headers: str) -> bytes:
    named = {"From": "Ann <ann@example.org>", "Content-Type": "text/plain; charset=utf-8"}
    named |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = "".join(f"{name}: {value}\n" for name, value in named.items())
    return head.encode("utf-8", "surrogateescape") + b"\n" + (body.encode() if isinstance(body, str) else body)


def verdict(raw: bytes) -> Reply | NotUnderstood:
    try:
        mail = read_message(raw)
        return read_reply(mail.text)
    except NotUnderstood as refused:
        return refused


# Headers


@pytest.mark.parametrize(
    ("value", "sender"),
    [
        ("ann@example.org", "ann@example.org"),
        ("Ann Lee <Ann@Example.ORG>", "ann@example.org"),
        ('"bob@example.org" <ann@example.org>', "ann@example.org"),
        ("ann@example.org (bob@example.org)", "ann@example.org"),
        ("ann@example.org <ann@example.org>", "ann@example.org"),
        ("=?utf-8?q?bob=40example=2Eorg?= <ann@example.org>", "ann@example.org"),
        ("alice@example.org <bob@example.org>", ""),
        ("ann@example.org, bob@example.org", ""),
        ('"ann@example.org', ""),
        ("undisclosed-recipients:;", ""),
        ("ann@b@example.org", ""),
        ("", ""),
    ],
)
def test_the_sender_is_the_one_address_of_from(value: str, sender: str) -> None:
    assert read_message(a_mail(From=value)).sender == sender


def test_two_headers_from_are_no_sender() -> None:
    assert read_message(b"From: bob@example.org\n" + a_mail()).sender == ""


@pytest.mark.parametrize(
    ("before", "envelope"),
    [
        (b"", None),
        (b"Return-Path: <ann@example.org>\n", "ann@example.org"),
        (b"Return-Path: <>\n", ""),
        (b"Return-Path: <bob@example.org>\nReturn-Path: <>\n", "bob@example.org"),
        (b"From ann@example.org Tue Nov  3 10:00:00 2026\n", "ann@example.org"),
        (b"From MAILER-DAEMON Tue Nov  3 10:00:00 2026\n", ""),
    ],
)
def test_the_envelope_is_what_the_server_wrote_first(before: bytes, envelope: str | None) -> None:
    assert read_message(before + a_mail()).envelope == envelope


def test_recipients_are_the_addresses_of_every_header_that_a_server_may_use() -> None:
    mail = read_message(a_mail(To="Club <club+a.1@example.org>, x@y", Cc="z@y", Delivered_To="club@example.org"))
    assert mail.recipients == ("club@example.org", "club+a.1@example.org", "x@y", "z@y")


def test_references_are_read_folded_encoded_and_once() -> None:
    mail = read_message(
        a_mail(Message_ID="<new@x>", References="<a@x>\n <b@\n x>", In_Reply_To="=?utf-8?q?=3Cc=40x=3E?= <a@x>"),
    )
    assert mail.message_id == "<new@x>"
    assert mail.references == ("<a@x>", "<b@x>", "<c@x>")


@pytest.mark.parametrize(
    ("value", "subject"),
    [
        ("=?utf-8?q?Gr=C3=BC=C3=9Fe?=", "Grüße"),
        ("=?utf-8?b?R3LDvMOfZQ==?=\n =?utf-8?q?_an_Ben?=", "Grüße an Ben"),
        ("=?x-none?q?a?=", "a"),
        ("=?utf-8?b?a?=", "=?utf-8?b?a?="),
        ("=?utf-7?q?+AG8-?=", "=?utf-7?q?+AG8-?="),
        ("a\x07b", "a b"),
        ("Grüße", "Grüße"),
    ],
)
def test_a_subject_is_decoded_as_far_as_it_can_be(value: str, subject: str) -> None:
    assert read_message(a_mail(Subject=value)).subject == subject


def test_the_digest_is_that_of_all_bytes() -> None:
    raw = a_mail().replace(b"\n", b"\r\n")
    assert read_message(raw).digest == sha256(raw).hexdigest()


# Robots


@pytest.mark.parametrize(
    "headers",
    [
        {"Return_Path": "<>"},
        {"Auto_Submitted": "auto-replied"},
        {"Auto_Submitted": "auto-generated; owner-email=x"},
        {"Precedence": "auto_reply"},
        {"X_Autoreply": "yes"},
        {"X_Autorespond": "Away"},
        {"From": "MAILER-DAEMON@example.org"},
        {"From": "Postmaster <postmaster@example.org>"},
        {"Content_Type": 'multipart/report; report-type=delivery-status; boundary="b"'},
        {"X_Pbem": "first-sparks"},
    ],
    ids=str,
)
def test_a_robot_is_surely_one(headers: dict[str, str]) -> None:
    mail = read_message(a_mail(**headers))
    assert mail.automatic
    assert mail.surely_automatic


@pytest.mark.parametrize(
    "headers",
    [
        {"Precedence": "bulk"},
        {"Precedence": "list"},
        {"List_Id": "<club.example.org>"},
        {"From": "no-reply@example.org"},
        {"Subject": "Automatic reply: friday"},
        {"Subject": "=?utf-8?q?Abwesenheitsnotiz=3A_friday?="},
    ],
    ids=str,
)
def test_a_person_may_bear_the_signs_of_a_robot(headers: dict[str, str]) -> None:
    mail = read_message(a_mail(**headers))
    assert mail.automatic
    assert not mail.surely_automatic
    assert mail.text == "offer 12"


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Auto_Submitted": "no"},
        {"X_Auto_Response_Suppress": "All"},
        {"List_Unsubscribe": "<mailto:x@y>"},
        {"Precedence": "normal"},
        {"Return_Path": "<ann@example.org>"},
        {"X_Autoreply": "no"},
        {"Subject": "Re: friday: autobahn"},
        {"Importance": "high", "X_Priority": "1"},
    ],
    ids=str,
)
def test_odd_headers_do_not_make_a_person_a_robot(headers: dict[str, str]) -> None:
    assert read_message(a_mail(**headers)).automatic == ""


# The body


@pytest.mark.parametrize(
    ("content", "charset", "text"),
    [
        ("Grüße".encode(), "utf-8", "Grüße"),
        ("Grüße".encode("cp1252"), "iso-8859-1", "Grüße"),
        ("Grüße".encode(), "iso-8859-1", "Grüße"),
        ("Grüße".encode("cp1252"), "us-ascii", "Grüße"),
        ("Grüße".encode("cp1252"), "utf-8", "Grüße"),
        ("Grüße".encode("cp1252"), "", "Grüße"),
        ("“hm”".encode("cp1252"), "iso-8859-1", "“hm”"),
        ("привет".encode("koi8-r"), "koi8-r", "привет"),
        ("привет".encode("cp1251"), "windows-1251", "привет"),
        ("谢谢".encode("gb18030"), "gb2312", "谢谢"),
        ("①".encode("cp932"), "shift_jis", "①"),
        ("東京".encode("iso-2022-jp"), "iso-2022-jp", "東京"),
        ("שלום".encode("cp1255"), "iso-8859-8-i", "שלום"),
        ("abc".encode("utf-16"), "utf-16", "abc"),
        (b"abc", "utf-16", "abc"),
        (b"\xef\xbb\xbfabc", "utf-8", "abc"),
        (b"abc", "zlib", "abc"),
        (b"abc", "unicode_escape", "abc"),
        (b"abc", "../../x", "abc"),
        (b"abc", "undefined", "abc"),
        (b"a\r\nb\rc\x0bd", "utf-8", "a\nb\nc\nd"),
    ],
)
def test_a_charset_is_believed_as_far_as_the_bytes_allow(content: bytes, charset: str, text: str) -> None:
    assert decoded(content, charset) == text


def test_utf_7_is_refused() -> None:
    assert "UTF-7" in read_message(a_mail("+AG8-ffer 12", Content_Type="text/plain; charset=utf-7")).unreadable


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        (f"{'a' * 60} \nb", f"{'a' * 60} b"),
        ("offer 12 \nbuy", "offer 12 \nbuy"),
        (f"{'a' * 60} \n> b", f"{'a' * 60} \n> b"),
        (f"> {'a' * 60} \n> b\n>> c", f"> {'a' * 60} b\n>> c"),
        (" >no quote\n From x", ">no quote\nFrom x"),
        (f"{'a' * 60} \n-- \nAnn", f"{'a' * 60} \n-- \nAnn"),
    ],
)
def test_soft_line_ends_are_joined(text: str, joined: str) -> None:
    assert unflowed(text, delsp=False) == joined


def test_a_soft_line_end_may_stand_without_a_space() -> None:
    assert unflowed(f"{'a' * 60} \nb", delsp=True) == f"{'a' * 60}b"


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("offer&nbsp;12<br>buy", "offer\u00a012\nbuy"),
        ("<div>a</div><div><br></div><div>b</div>", "a\n\nb"),
        ("<p>a</p>\n<p>b\n c</p>", "a\n\nb c"),
        ("<blockquote>a<blockquote>b</blockquote>c</blockquote>d", "> a\n> > b\n> c\nd"),
        ("<pre>a  b\nc</pre>", "a  b\nc"),
        ("<style>p{}</style><script>offer 9</script><title>buy</title>a", "a"),
        ("a<!-- offer 9 -->b<!-- buy", "ab"),
        ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a b\nc"),
        ('<a href="x>y" title=\'">\'>a</a>', "a"),
        ("1 < 2 &lt; 3 & 4", "1 < 2 < 3 & 4"),
        ("<s>offer 12</s>", "~offer 12~"),
        ("</blockquote></blockquote>a", "a"),
        ("a<b", "a"),
        ("<BLOCKQUOTE TYPE=CITE>a</BLOCKQUOTE>b", "> a\nb"),
        ("<div id='divRplyFwdMsg'>Frå: a</div>b", "-----Original Message-----\nFrå: a\nb"),
    ],
)
def test_a_page_is_read_as_people_see_it(html: str, text: str) -> None:
    assert text_of_html(html) == text


def test_a_move_file_is_handed_on_decoded_and_others_are_not() -> None:
    parts = [
        "Content-Type: text/plain\n\nhere\n",
        f"Content-Type: application/toml; name=move.toml\nContent-Transfer-Encoding: base64\n\n"
        f"{base64.b64encode('# Grüße'.encode()).decode()}\n",
        "Content-Type: text/plain\nContent-Disposition: attachment; filename=other.txt\n\noffer 9\n",
        'Content-Type: text/plain\nContent-Disposition: attachment; filename="C:\\\\tmp\\\\MOVE-57.txt"\n\noffer 12\n',
        "Content-Type: message/rfc822\n\nSubject: x\n\noffer 9\n",
    ]
    body = "".join(f"--b\n{part}" for part in parts) + "--b--\n"

    mail = read_message(a_mail(body, Content_Type="multipart/mixed; boundary=b"))

    assert mail.text == "here"
    assert mail.attachments == (Attachment("move.toml", "# Grüße"), Attachment("MOVE-57.txt", "offer 12"))


# What is too large to be read


PHOTO = base64.encodebytes(random.Random(1).randbytes(4_000_000)).decode().replace("\n", "\r\n")


def a_mail_of(*parts: str, kind: str = "mixed") -> bytes:
    body = "".join(f"--b\r\n{part}\r\n" for part in parts) + "--b--\r\n"
    return a_mail(body, Content_Type=f"multipart/{kind}; boundary=b").replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


@pytest.mark.parametrize(
    "head",
    [
        "Content-Type: image/jpeg; name=IMG_1.jpg\r\nContent-Disposition: attachment",
        "Content-Disposition: inline\r\nContent-Transfer-Encoding: base64\r\nContent-Type:\r\n image/heic",
        "content-type: APPLICATION/octet-stream; name=IMG_1.jpg",
        "Content-Type: video/mp4",
        "Content-Type: text/plain; name=notes.txt\r\nContent-Disposition: attachment; filename=notes.txt",
    ],
)
def test_a_photo_keeps_no_order_from_being_read(head: str) -> None:
    photo = f"{head}\r\n\r\n{PHOTO}"
    parts = ["Content-Type: text/plain\r\n\r\noffer 12", photo, "Content-Type: text/plain\r\n\r\n-- \r\nAnn"]

    for arranged in (parts, parts[::-1], [photo, *parts, photo]):
        with at_most(10_000):  # none for each line of the photo
            mail = read_message(a_mail_of(*arranged))
        assert mail.unreadable == ""
        assert set(mail.text.split("\n")) == {"offer 12", "", "-- ", "Ann"}


def test_a_file_with_orders_is_read_behind_a_photo() -> None:
    move = 'Content-Type: application/toml; name=move.toml\r\n\r\norders = ["offer 12"]'
    mail = read_message(a_mail_of(f"Content-Type: image/png\r\n\r\n{PHOTO}", move))
    assert mail.attachments == (Attachment("move.toml", 'orders = ["offer 12"]'),)


def test_a_page_that_is_too_large_keeps_the_text_beside_it_from_nothing() -> None:
    text = "Content-Type: text/plain\r\n\r\noffer 12"
    page = f"Content-Type: text/html\r\n\r\n{'<p>' * LARGEST}"
    assert read_message(a_mail_of(text, page, kind="alternative")).text == "offer 12"
    assert "large" in read_message(a_mail_of(page, kind="alternative")).unreadable


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: a_mail_of(f"Content-Type: image/png\r\n\r\n{PHOTO}"), "only large parts"),
        (lambda: a_mail_of(f"Content-Type: text/plain\r\n\r\n{PHOTO}"), "bytes"),
        (lambda: a_mail_of(f"X: y\r\n\r\n{PHOTO}"), "bytes"),
        (lambda: a_mail_of(*["Content-Type: image/png\r\n\r\n--x"] * 3_000, PHOTO), "bytes"),
        (lambda: a_mail(b"x" * (LARGEST_WHOLE + 9), Content_Type="image/png"), "bytes"),
        (lambda: a_mail_of(f"Content-Type: text/plain; name=move.txt\r\n\r\n{'#' * LARGEST_MOVE}#"), "characters"),
    ],
    ids=["photo", "text", "no-type", "bars", "all", "move"],
)
def test_what_is_not_left_out_must_not_be_larger_than_what_is_read(make: Callable[[], bytes], why: str) -> None:
    mail = read_message(make())
    assert why in mail.unreadable
    assert mail.sender == "ann@example.org"


# Whatever comes


def nested(depth: int) -> bytes:
    opened = "".join(f"--{n}\nContent-Type: multipart/mixed; boundary={n + 1}\n\n" for n in range(depth))
    return a_mail(f"{opened}--{depth}\n\noffer 12\n", Content_Type="multipart/mixed; boundary=0")


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (a_mail(b"x" * LARGEST), "bytes"),
        (a_mail(b"\n" * (MOST_LINES + 1)), "lines"),
        (nested(DEEPEST + 1), "with parts in them"),
        (nested(5_000), "with parts in them"),
        (
            a_mail(
                "--b\nContent-Type: text/plain\n\nx\n" * (3 * MOST_PARTS), Content_Type="multipart/mixed; boundary=b"
            ),
            "parts",
        ),
        (
            a_mail(
                f"--b\nContent-Type: text/plain; {'a;' * LONGEST_TYPE}\n\nx\n",
                Content_Type="multipart/mixed; boundary=b",
            ),
            "headers of more than",
        ),
        (
            a_mail(
                f"--b\nContent-Type: text/plain{';' * (LONGEST_TYPE - 90)}\n\nx\n" * 2,
                Content_Type="multipart/mixed; boundary=b",
            ),
            "headers of more than",
        ),
        (a_mail("--b\n\nx", Content_Type="multipart/mixed"), "told apart"),
        (a_mail("&#" + "9" * 5_000, Content_Type="text/html"), "broken"),
    ],
    ids=["large", "lines", "deep", "very-deep", "parts", "long-type", "parameters", "no-boundary", "number"],
)
def test_what_cannot_be_read_can_be_answered(raw: bytes, why: str) -> None:
    mail = read_message(raw)
    assert why in mail.unreadable
    assert mail.sender == "ann@example.org"
    assert mail.text == ""


@pytest.mark.parametrize(
    "raw",
    [b"X: " + b"y" * LARGEST_HEAD + b"\n\nbuy", b"X: y\n" * 3_000, b"Content-Type: " + b'a;"' * 5_000],
    ids=["long", "many", "type"],
)
def test_too_many_headers_are_not_read_at_all(raw: bytes) -> None:
    with pytest.raises(NotUnderstood):
        read_message(raw)


N = LARGEST - 200
TEXT_LINES = lines.MOST_LINES - 9
PAGE = {"Content_Type": "text/html"}
# Each is made when it is tried: all of them together fill the memory of every worker, and so slow each fork down.
BOMBS: dict[str, Callable[[], bytes]] = {
    "tags": lambda: a_mail(b"<b>" * (N // 3), **PAGE),
    "open quotes": lambda: a_mail(b"<a =\" ='" * (N // 8), **PAGE),
    "paragraphs of a letter": lambda: a_mail(b"<p>x" * (N // 4), **PAGE),
    "less-than": lambda: a_mail(b"<" * N, **PAGE),
    "text fields": lambda: a_mail(b"<textarea>x" * (N // 11), **PAGE),
    "enriched": lambda: a_mail(b"<bold>x" * (N // 7), Content_Type="text/enriched"),
    "enriched excerpts": lambda: a_mail(b"<excerpt>x" * (N // 10), Content_Type="text/enriched"),
    "enriched parameters": lambda: a_mail(b"<param>" * (N // 7), Content_Type="text/enriched"),
    "comments": lambda: a_mail(b"<!--" * (N // 4), **PAGE),
    "quotes in quotes": lambda: a_mail(b"<blockquote>x" * (N // 13), **PAGE),
    "paragraphs": lambda: a_mail(b"<p>" * (N // 3), **PAGE),
    "ampersands": lambda: a_mail(b"&" * N, **PAGE),
    "short lines": lambda: a_mail(b"a\n" * (MOST_LINES - 9)),
    "orders": lambda: a_mail(b"buy\n" * TEXT_LINES),
    "near orders": lambda: a_mail(b"x y z q r s buz 12\n" * TEXT_LINES),
    "attributions": lambda: a_mail(b"wrote: 2026\n" * TEXT_LINES),
    "labels": lambda: a_mail(b"Fr: a\n" * TEXT_LINES),
    "dashes": lambda: a_mail((b"--- a" + b"-" * 190 + b" " + b"-" * 190 + b"a\n") * 600),
    "markers": lambda: a_mail(b"== write your orders ABOVE this line == [\n" * 3_000),
    "one long line": lambda: a_mail(b"write " * 20_000),
    "equals": lambda: a_mail("=" * 130_000),
    "blanks": lambda: a_mail("write" + " " * 130_000 + "x"),
    "many orders nearly": lambda: a_mail("".join(f"s {n} A1a B2b C1c\n" for n in range(TEXT_LINES))),
    "orders at the end": lambda: a_mail("".join(f"a b c d e f buy {n}\n" for n in range(TEXT_LINES))),
    "short ligatures": lambda: a_mail("".join("\ufdfa" * 10 + f"{n}\n" for n in range(TEXT_LINES))),
    "ligatures": lambda: a_mail("".join("\ufdfa" * 230 + f"{n}\n" for n in range(500))),
    "override": lambda: a_mail("\u202e" * 40_000),
    "many parts": lambda: a_mail(b"--a\n\nb\n" * 9_000, Content_Type="multipart/mixed; boundary=a"),
    "no boundary": lambda: a_mail(b"--\n\n" * 15_000, Content_Type='multipart/digest; boundary=""'),
    "deep and long": lambda: nested(DEEPEST - 1) + b"--x\n" * 30_000,
    "flowed": lambda: a_mail((b"x" * 60 + b" \n") * 16_000, Content_Type="text/plain; format=flowed"),
    "base64": lambda: a_mail(b"QUFB" * (N // 4), Content_Transfer_Encoding="base64"),
    "quoted-printable": lambda: a_mail(b"=41" * (N // 3), Content_Transfer_Encoding="quoted-printable"),
    "uuencode": lambda: a_mail(b"begin 644 a\n" + b"M" * N, Content_Transfer_Encoding="x-uuencode"),
    "subject": lambda: a_mail(Subject="=?a?q?" * 2_000),
    "from": lambda: a_mail(From='\\"' * 8_000),
    "to": lambda: a_mail(To="a@b," * 30_000),
    "huge": lambda: a_mail(b"\n" * (LARGEST_WHOLE - 200)),
    "huge parts": lambda: a_mail(b"\n--a" * (LARGEST_WHOLE // 4 - 200), Content_Type="multipart/mixed; boundary=a"),
    "status": lambda: a_mail(
        b"--a\nContent-Type: message/delivery-status\n\n" + b"a: b\n\n" * 15_000,
        Content_Type="multipart/report; boundary=a",
    ),
    **{
        charset: lambda charset=charset: a_mail(b"a-\xe9~{+" * 150_000, Content_Type=f"text/plain; charset={charset}")
        for charset in ("punycode", "idna", "utf-16", "iso-2022-kr", "hz", "unicode_escape", "bz2")
    },
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BOMBS)
def test_no_mail_takes_much_work(name: str) -> None:
    raw = BOMBS[name]()
    with at_most(CALLS):
        verdict(raw)


PIECES = [
    b"\n",
    b"\n\n",
    b"\r",
    b"\0",
    b"--b1\n",
    b"> ",
    b"=?utf-8?b?",
    b"Content-Type: multipart/mixed; boundary=b1\n",
    b"Content-Type: message/rfc822\n",
    b"Content-Type: text/html; charset*=utf-8'en'%FF\n",
    b"Content-Type: text/plain; charset*0=a; charset*9999=b\n",
    b"Content-Transfer-Encoding: base64\n",
    b"Content-Disposition: attachment; filename*=x'y'%zz\n",
    b"<blockquote ",
    b"\xff\xfe",
    b"=",
    b"&#x110000;",
]


def mutated(raw: bytes, rng: random.Random) -> bytes:
    for _ in range(rng.randint(1, 8)):
        at, to = sorted(rng.randint(0, len(raw)) for _ in "12")
        piece = rng.choice([rng.choice(PIECES), raw[at:to], bytes([rng.randrange(256)]), b""])
        cut = rng.choice([at, min(to, at + rng.randint(0, 40))])
        raw = raw[:at] + piece + raw[cut:]
    return raw


@pytest.mark.slow
@given(st.sampled_from(REPLIES), st.integers(0, 2**32))
def test_a_mutated_mail_ends_in_a_verdict(raw: bytes, seed: int) -> None:
    broken = mutated(raw, random.Random(seed))

    with at_most(CALLS):
        found = verdict(broken)

    assert isinstance(found, Reply | NotUnderstood)


@pytest.mark.slow
@given(st.lists(st.one_of(st.binary(max_size=60), st.sampled_from(PIECES)), max_size=30).map(b"".join))
@example(b"")
@example(b"\n\n")
@example(b"From: \xff@\xff\nSubject: =?utf-8?q?=ff?=\n\n\xff")
def test_any_bytes_end_in_a_verdict(raw: bytes) -> None:
    assert isinstance(verdict(raw), Reply | NotUnderstood)


@given(st.text(max_size=300))
def test_any_text_ends_in_a_verdict(text: str) -> None:
    try:
        said = read_reply(text)
    except NotUnderstood:
        return
    assert all(order.split() for order in said.orders)
    assert not any(ord(c) < 32 and c != "\n" for c in said.talk)


def test_nothing_but_what_is_said_is_known() -> None:
    """The least mail there is; and the same bytes are the same mail."""
    least = Incoming("", None, (), "", "", (), "", (), "", sha256(b"").hexdigest())
    assert read_message(b"") == least == read_message(b"")

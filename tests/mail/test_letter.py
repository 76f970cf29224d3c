"""A letter of ours: whole for every reader, the same bytes each time, answered by a tap, never itself an order."""

import email
import re
from contextlib import suppress
from email import policy
from email.message import EmailMessage
from functools import cache
from html import escape, unescape
from html.parser import HTMLParser
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages import Situation, games, page_of
from test_languages_of_letters import counted
from work import Some

from pbem.carriers.mail.incoming.body import text_of_html
from pbem.carriers.mail.incoming.message import read_message
from pbem.carriers.mail.outgoing.mime import PICTURE_ID, Mail, compose
from pbem.carriers.mail.outgoing.post import mail_of, mailto
from pbem.carriers.mail.tickets import address_of, message_id_of, tickets_in
from pbem.errors import NotUnderstood, UsageError
from pbem.first_sparks.adjudicator import choices, violations, who_decides
from pbem.first_sparks.briefing import headings
from pbem.first_sparks.briefing import situation as situation_page
from pbem.first_sparks.briefing.notes import note
from pbem.first_sparks.choice import main_choices
from pbem.first_sparks.notation import ORDER_WORDS, expected, parse_order
from pbem.first_sparks.phases import Adding, Answering, Dropping, Offering, Settling, Spreading, TakingOrDiscarding
from pbem.page.glue import unglued
from pbem.page.html import NBSP
from pbem.page.page import Items, Picture, Prose, Section
from pbem.page.page import Page as PageOf
from pbem.page.text import lines_of_section
from pbem.reading.decide import read_reply
from pbem.reading.ticket import marker_of, ticket
from pbem.table.letters import harmless
from pbem.table.letters.letter import Letter
from pbem.table.talk import Saying

CLUB = "club@example.org"
PNG = b"\x89PNG\r\n\x1a\nnot really"


def a_letter(**changes: object) -> Mail:
    own = ticket(bytes(32), "friday", "red", 57)
    letter = Mail(
        to="ann@example.net",
        name="Ann",
        subject="[friday] The First Sparks",
        text="\n".join(marker_of(own, "1a2b3c4d")) + "\n\nIt is your turn.\n",
        html="<p>It is your turn.</p>",
        png=PNG,
        message_id=message_id_of(own, "content", CLUB),
        references=("<friday.thread@example.org>",),
        reply_to=address_of(own, CLUB),
        sender=CLUB,
        list_id="<friday.example.org>",
        unsubscribe="<mailto:club@example.org?body=news%20none>",
        refuses=False,
    )
    return letter._replace(**changes)  # type: ignore[arg-type]


def seats() -> list[tuple[Situation, str]]:
    """Return everybody in every situation."""
    return [(each, colour) for each in games() for colour in each.record.state.order]


_LETTERS: dict[tuple[str, int, str], Mail] = {}


def letter_to(situation: Situation, colour: str) -> Mail:
    """Return the letter about one of the situations, which is made once."""
    key = situation.record.game, situation.record.turn, colour
    return _LETTERS.get(key) or _LETTERS.setdefault(key, written(situation, colour))


def links_of(letter: Mail) -> list[str]:
    """Return the links of a page."""
    return [unescape(link) for link in re.findall('href="([^"]*)"', letter.html)]


def written(situation: Situation, colour: str, talk: tuple[tuple[str, str], ...] = (), *, picture: bool = True) -> Mail:
    """Return the letter about a situation to the player of that colour."""
    record = situation.record
    own = ticket(colour.encode() * 8, record.game, colour, record.turn)
    subject, page = page_of(situation, colour, talk)
    png = PNG if picture else b""
    letter = Letter("ann@example.net", "Ann", subject, page, own, harmless.buttons(record.state, colour), png)
    return mail_of(letter, CLUB, plus=True)


def parsed(raw: bytes) -> EmailMessage:
    message = email.message_from_bytes(raw, policy=policy.default)
    assert isinstance(message, EmailMessage)
    assert not message.defects
    return message


def unix(text: str) -> str:
    return text.replace("\r\n", "\n")


def orders_in(line: str) -> list[str]:
    """Return the orders that the line is, in whatever situation, with quote marks, bullets and blanks taken away."""
    return list(_orders(re.sub(r"^[\s>|*•·-]+|[\s.]+$", "", line)))


@cache
def _orders(bare: str) -> tuple[str, ...]:
    found = []
    for word in ORDER_WORDS if len(bare) > 1 else ():
        with suppress(NotUnderstood):
            found.append(str(parse_order(bare, (word,))))
    return tuple(found)


# The bytes


def test_a_letter_is_the_same_bytes_every_time() -> None:
    assert compose(a_letter()) == compose(a_letter())


def test_another_letter_has_other_bytes_and_another_boundary() -> None:
    boundaries = {parsed(compose(a_letter(text=f"{n}\n"))).get_boundary() for n in range(3)}
    assert len(boundaries) == 3


def test_every_part_comes_out_as_it_went_in() -> None:
    letter = a_letter(text="== marker ==\n\nZoë and Žofie\n", html="<p>" + "Zoë " * 400 + "</p>")
    message = parsed(compose(letter))
    plain, related = message.iter_parts()
    page, picture = related.iter_parts()

    assert message.get_content_type() == "multipart/alternative"
    assert unix(plain.get_content()) == letter.text
    assert related.get_content_type() == "multipart/related"
    assert unix(page.get_content()).rstrip("\n") == letter.html
    assert picture.get_content() == PNG
    assert picture["Content-ID"] == f"<{PICTURE_ID}>"
    assert picture.get_content_disposition() == "inline"


def test_without_a_picture_or_a_page_there_is_none() -> None:
    assert [p.get_content_type() for p in parsed(compose(a_letter(png=b""))).walk()] == [
        "multipart/alternative",
        "text/plain",
        "text/html",
    ]
    assert parsed(compose(a_letter(png=b"", html=""))).get_content_type() == "text/plain"


def test_the_headers_are_those_of_a_thread_a_list_and_a_robot() -> None:
    message = parsed(compose(a_letter(references=("<friday.thread@example.org>", "<before@example.org>"))))

    assert message["From"] == "First Sparks <club@example.org>"
    assert message["To"] == "Ann <ann@example.net>"
    assert message["Reply-To"].startswith("club+friday.57.red.")
    assert message["In-Reply-To"] == "<before@example.org>"
    assert message["References"].split() == ["<friday.thread@example.org>", "<before@example.org>"]
    assert message["Auto-Submitted"] == "auto-generated"
    assert message["List-Id"] == "<friday.example.org>"
    assert message["List-Unsubscribe"] == "<mailto:club@example.org?body=news%20none>"
    assert message["X-Pbem"] == "first-sparks"
    assert message["Date"] is None
    assert message["Return-Path"] is None


def test_what_refuses_a_mail_asks_for_the_null_sender() -> None:
    message = parsed(compose(a_letter(refuses=True)))
    assert (message["Return-Path"], message["Auto-Submitted"]) == ("<>", "auto-replied")


@pytest.mark.parametrize(
    "text",
    ["short\n", "Zoë\n", "x" * 3000 + "\n", "From me\n.\n..\n", "", "no line end", "\ttabs \n", "==\n=3D\n", "a\n\n\n"],
)
def test_lines_end_as_mail_has_them_and_none_is_too_long(text: str) -> None:
    raw = compose(a_letter(text=text, html="<p>" + "y" * 5000))

    assert raw.isascii()
    assert b"\n" not in raw.replace(b"\r\n", b"")
    assert b"\r" not in raw.replace(b"\r\n", b"")
    assert max(map(len, raw.split(b"\r\n"))) <= 98
    plain = next(parsed(raw).iter_parts())
    assert unix(plain.get_content()).rstrip("\n") == text.rstrip("\n")


@given(st.text(max_size=60), st.text(max_size=200))
def test_no_name_and_no_subject_adds_a_header(name: str, subject: str) -> None:
    raw = compose(a_letter(name=name, subject=subject, sender_name=name, html="", png=b""))
    head = raw.partition(b"\r\n\r\n")[0]
    names = re.findall(rb"^([A-Za-z-]+):", head, re.M)

    assert head.isascii()
    assert len(names) == len(set(names))
    assert set(names) <= {
        b"From", b"To", b"Subject", b"Message-ID", b"In-Reply-To", b"References", b"Reply-To", b"Auto-Submitted",
            b"Content-Language",
        b"List-Id", b"List-Unsubscribe", b"X-Pbem", b"MIME-Version", b"Content-Type", b"Content-Transfer-Encoding",
    }  # fmt: skip
    assert all(len(line) <= 98 for line in head.split(b"\r\n"))


@pytest.mark.parametrize(
    "name", ["Ann", "Zoë", 'A "B" \\ C', "a@b <c@d>", "=?utf-8?q?x?=", "Ünïcödé Ünïcödé Ünïcödé", "李小龙", "a, b; c"]
)
def test_a_name_is_read_as_it_was_written(name: str) -> None:
    (to,) = parsed(compose(a_letter(name=name)))["To"].addresses
    assert (to.display_name, to.addr_spec) == (name, "ann@example.net")


@pytest.mark.parametrize(
    "subject", ["[friday] The First Sparks", "Zoë " * 40, "word " * 60, "x\r\nBcc: you@example.org"]
)
def test_a_subject_is_folded_and_comes_back(subject: str) -> None:
    assert parsed(compose(a_letter(subject=subject)))["Subject"] == " ".join(subject.split())


@pytest.mark.parametrize("key", ["to", "sender", "reply_to"])
@pytest.mark.parametrize("address", ["", "a b@c", "a@b\r\nBcc: c@d", "a@b,c@d", "<a@b>", "ä@b", "a@b c", "@", "a"])
def test_what_is_no_address_is_refused(key: str, address: str) -> None:
    with pytest.raises(UsageError):
        compose(a_letter(**{key: address}))


@pytest.mark.parametrize("value", ["", "x", "<a b>", "<a\r\nBcc: b>", "<ä>", "<a>\n<b>"])
@pytest.mark.parametrize("key", ["message_id", "references"])
def test_what_is_no_id_is_refused(key: str, value: str) -> None:
    with pytest.raises(UsageError):
        compose(a_letter(**{key: (value,) if key == "references" else value}))


# The words


@pytest.mark.slow
def test_no_line_of_a_letter_is_more_than_talk(some: Some) -> None:
    """Over whole games, in the text and in what mail programs make of the page; nothing says that it is quoted."""
    seated = list(some(seats(), 21))
    labels = {label for each, colour in seated for _, label in harmless.buttons(each.record.state, colour)}
    texts = {
        text for seat in seated for letter in [letter_to(*seat)] for text in (letter.text, text_of_html(letter.html))
    }
    for line in {line.strip() for text in texts for line in text.split("\n")}:
        assert not orders_in(line), line
        # A copied answer to tap is an answer, unless it is recognised by the words of the letter that is quoted.
        assert " ".join(line.split()) in labels or not counted(line, "en"), line


@pytest.mark.slow
def test_a_text_has_72_columns_and_begins_with_a_plain_line_and_the_marker(some: Some) -> None:
    for situation, colour in some(seats(), 3):
        lines = letter_to(situation, colour).text.split("\n")
        assert max(map(len, lines)) <= 72
        assert lines[0].startswith(f"{situation.record.state.clan(colour).player}, ")
        assert lines[0].endswith(f" ({situation.record.game}/{situation.record.turn})")
        assert lines[1].startswith("== write your orders ABOVE this line == [game-")


SAYINGS = (
    *("pass", "buy 12", "offer 7.", "> stay", "- take", "[friday/57/1a2b3c4d]", "hello", "x" * 90, "-- ", "resign"),
    *("== write your orders ABOVE this line == [a/1/12345678]", "== for red only: 9eq44b19xtbzweck ==", "From: a@b"),
    *("On Monday Bob wrote:", "a word " * 30 + "pass", "\u202epass", "\uff50\uff41\uff53\uff53", "\tdiscard\r"),
)


@pytest.mark.slow
@given(
    st.lists(st.sampled_from(SAYINGS), max_size=8),
    st.sampled_from(["Ann", "Pass", "Buy", "!", "12", "Stay", "S", "| 1"]),
)
def test_table_talk_is_neither_an_order_nor_a_marker(lines: list[str], name: str) -> None:
    situation = games()[40]
    colour = who_decides(situation.record.state)
    assert colour is not None
    letter = written(situation, colour, ((name, "\n".join(lines)),))
    own = marker_of(
        ticket(colour.encode() * 8, situation.record.game, colour, situation.record.turn), situation.record.head
    )

    for line in letter.text.split("\n"):
        assert not orders_in(line), line
    answer = read_reply("pass\n\n" + letter.text)
    assert answer.orders == ("pass",)
    assert answer.markers == read_reply("pass\n\n" + "\n".join(own)).markers
    quoted = read_reply("pass\n\n" + "\n".join(f"> {line}" for line in letter.text.split("\n")))
    assert (quoted.orders, quoted.markers) == (answer.orders, answer.markers)


def test_what_is_said_is_attributed_and_kept() -> None:
    (talk,) = harmless.talk_sections([Saying("Ann", "Hello all\npass\n\nSee you", ())])
    assert lines_of_section(talk) == ("TABLE TALK", "Ann says: Hello all", "Ann says: pass", "| See you")


def test_hidden_food_is_in_no_letter_of_the_others() -> None:
    """Two games that differ only in food that is hidden give the same letters."""
    checked = 0
    for situation in games():
        record = situation.record
        for clan in record.state.clans:
            hides = record.state.options.hide_food and clan.knows("fire") and who_decides(record.state) is not None
            if hides and who_decides(record.state) != clan.colour:
                other = record._replace(state=record.state.with_clan(clan._replace(food=clan.food + 30)))
                asked = who_decides(record.state)
                for colour in set(record.state.order) - {clan.colour, asked}:
                    checked += 1
                    quiet = situation._replace(history=())
                    assert written(quiet, colour) == written(quiet._replace(record=other), colour)
    assert checked


# The page


class Page(HTMLParser):
    """What is in a page: tags, links, pictures."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.links: list[str] = []
        self.sources: list[str] = []
        self.attributes: set[str] = set()
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: D102
        self.tags.add(tag)
        values = dict(attrs)
        self.attributes |= values.keys()
        self.links += [values["href"] or ""] if "href" in values else []
        self.sources += [values["src"] or ""] if "src" in values else []
        if tag not in {"meta", "img", "br"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:  # noqa: D102
        assert self.open.pop() == tag


def test_a_page_runs_nothing_and_fetches_nothing() -> None:
    for situation in games()[::7]:
        colour = situation.record.state.order[0]
        page = Page(written(situation, colour, (("Eve", "<script>alert(1)</script><img src=http://x>"),)).html)

        assert page.tags <= {
            "html",
            "head",
            "meta",
            "title",
            "body",
            "div",
            "h2",
            "h3",
            "p",
            "ul",
            "li",
            "pre",
            "a",
            "b",
            "img",
            "br",
            "span",
            "table",
            "tr",
            "td",
            "th",
        }
        assert set(page.sources) <= {f"cid:{PICTURE_ID}"}
        assert all(link.startswith("mailto:club%2B") for link in page.links)
        assert not any(name.startswith("on") or name == "class" for name in page.attributes)
        assert not page.open


@pytest.mark.slow
def test_a_page_says_all_that_the_text_says() -> None:
    """Word for word, but in another order; the taps come on top."""
    for situation in games()[::5]:
        for colour in situation.record.state.order:
            letter = written(situation, colour, (("Ann", "See you <there> & then"),))
            shown = text_of_html(letter.html).split()
            for word in letter.text.split():
                assert word in shown or word in ("-", "|", "CLANS,", "order", "cost", "0")


@pytest.mark.slow
def test_every_table_of_the_text_is_a_table_of_the_page() -> None:
    """Row for row and cell for cell, in the order of the text."""
    for situation in games()[::5]:
        for colour in situation.record.state.order:
            letter = letter_to(situation, colour)
            rows = [
                re.findall("<t[dh][^>]*>(.*?)</t[dh]>", row) for row in re.findall("<tr[^>]*>(.*)</tr>", letter.html)
            ]
            assert rows
            told = " ".join(letter.text.split())
            for row in rows:
                line = " ".join(" ".join(re.sub("<[^>]+>", "", cell) for cell in row).split())
                assert unescape(line) in told
            for heading in ("food tokens refill worth hunting areas", "card price use"):
                assert (heading in told) == (heading in " ".join(" ".join(row) for row in rows))


def test_no_line_ends_within_what_a_card_takes() -> None:
    """Not even at the hyphen of 4-6:2."""
    for situation in games()[::5]:
        page = letter_to(situation, situation.record.state.order[0]).html
        ranges = re.findall(r"\d+-\d+:\d+", page)
        assert ranges
        assert page.count('<span style="white-space:nowrap">') == len(ranges)


def test_a_phone_shows_the_question_first_and_the_drawing_in_letters_last_where_there_is_a_picture() -> None:
    situation = next(s for s in games() if s.history and isinstance(s.record.state.phase, Offering))
    decides = who_decides(situation.record.state) or ""
    pages = [written(situation, decides, (("Ann", "Hello"),), picture=picture).html for picture in (True, False)]

    with_picture, without = (re.findall("<h2[^>]*>(.*?)</h2>|(<img)", page) for page in pages)

    common = ["QUESTION", "TABLE TALK", "WHAT HAS HAPPENED", "BOARD"]
    supply = ["HARVEST SPACES", "MARKET", "CLANS"]
    assert ["".join(found) for found in with_picture] == [*common, "<img", *supply, "BOARD IN LETTERS"]
    assert ["".join(found) for found in without] == [*common, *supply]


@pytest.mark.slow
def test_with_other_headings_a_page_is_made_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """Picture, tables and buttons stand where they were, whatever a translator calls the sections."""
    asked = [s for s in games() if isinstance(s.record.state.phase, (Offering, Spreading, Settling))]
    before = [written(s, who_decides(s.record.state) or "", (("Ann", "Hello"),)) for s in asked]

    german = {key: f"Abschnitt von {key}" for key in headings.HEADINGS}
    monkeypatch.setattr(headings, "HEADINGS", german)
    monkeypatch.setattr(situation_page, "BOARD_PICTURE", Picture("Das Brett", "Brett in Buchstaben"))

    heading = re.compile("(<h2[^>]*>).*?(</h2>)|(alt=).*?( style)")
    for situation, letter in zip(asked, before, strict=True):
        renamed = written(situation, who_decides(situation.record.state) or "", (("Ann", "Hello"),))
        assert "Abschnitt von question" in renamed.html
        assert "Abschnitt von question" in renamed.text
        assert "BOARD" not in renamed.text
        assert heading.sub(r"\1\2\3\4", renamed.html) == heading.sub(r"\1\2\3\4", letter.html)


def test_the_board_stands_in_the_page_as_it_is_drawn() -> None:
    for picture in (False, True):
        letter = written(games()[30], "green", picture=picture)
        drawing = letter.text.split("\nBOARD\n")[1].split("\n\n")[0]
        assert f'white-space:pre">{escape(drawing)}</pre>' in letter.html


def test_every_clan_is_a_paragraph_of_its_own() -> None:
    """Its lines, which are longer than a phone is wide, are put together again."""
    for situation in games()[::5]:
        state = situation.record.state
        page = letter_to(situation, state.order[0]).html
        paragraphs = [line for line in page.split("\n") if re.match(r"<p [^>]*><b>(\d\.|-) ", line)]
        assert len(paragraphs) == len(state.clans) + (state.neutral is not None)
        for clan, paragraph in zip(state.clans, paragraphs, strict=False):
            assert f"({clan.colour})" in paragraph
            assert f"<b>on</b> {' '.join(clan.members)}" in paragraph or not clan.members


def test_prose_is_not_broken_into_lines() -> None:
    """Table talk that goes on, and a refusal with its reasons; a new line of the speaker's stays one."""
    words = "Hello all, I hope that you like the fish here. Who takes the boat?"
    talk = harmless.talk_sections([Saying("Cara (blue)", f"{words}\nBye", ())])
    refused = Prose("refused: no"), Items(("a reason that is rather long and does not fit", "another"))
    own = ticket(bytes(32), "friday", "red", 57)
    page = mail_of(
        Letter("ann@example.net", "", "", PageOf((Section("why", refused), *talk)), own), CLUB, plus=True
    ).html

    assert f">Cara (blue) says: {words}</p>" in page
    assert ">| Bye</p>" in page
    assert "<li>a reason that is rather long and does not fit</li>\n<li>another</li>\n</ul>" in page


def bare(page: str) -> str:
    """Return a page without what keeps parts of a line together."""
    return re.sub("</?span[^>]*>", "", page)


# The taps


def tapped(url: str) -> tuple[str, str, str]:
    """Return recipient, subject and body of the mail that a link begins."""
    parts = urlsplit(url)
    assert parts.scheme == "mailto"
    assert "+" not in url
    query = parse_qs(parts.query, strict_parsing=True)
    return unquote(parts.path), query["subject"][0], query["body"][0]


@pytest.mark.slow
@pytest.mark.parametrize("phase", [Offering, Answering, Dropping, Spreading])
def test_a_tap_is_a_mail_that_orders_just_that(phase: type) -> None:
    asked = [s for s in games() if isinstance(s.record.state.phase, phase)]
    assert asked
    for situation in asked:
        state = situation.record.state
        colour = who_decides(state)
        assert colour is not None
        own = ticket(colour.encode() * 8, situation.record.game, colour, situation.record.turn)
        moves = set()
        for url in links_of(letter_to(situation, colour)):
            recipient, subject, body = tapped(url)
            answer = read_reply(body)

            assert subject == f"Re: [{situation.record.game}] The First Sparks"
            assert recipient == address_of(own, CLUB)
            assert tickets_in([recipient], [], []) == tickets_in([], [], answer.markers) == (own,)
            assert answer.talk == ""
            moves |= {parse_order(order, expected(state.phase)) for order in answer.orders}
        assert moves
        assert not any(violation for move in moves for violation in violations(state, move))
        if phase is not Spreading:
            assert {str(move).split()[0] for move in moves} == {str(move).split()[0] for move in choices(state)}


@pytest.mark.parametrize("phase", [Adding, Offering, Answering, TakingOrDiscarding, Dropping, Spreading])
def test_an_answer_of_the_table_is_a_button_with_its_note(phase: type) -> None:
    """Nothing of the table is left, and what cannot be offered is still said."""
    asked = [s for s in games() if isinstance(s.record.state.phase, phase)]
    assert asked
    for situation in asked:
        state = situation.record.state
        page = bare(letter_to(situation, who_decides(state) or "").html)
        for answer in tuple(main_choices(state))[:2]:
            label = re.escape(answer.order.replace(" ", NBSP))
            known = re.escape(escape(unglued(note(state, answer))))
            assert len(re.findall(rf">{label}{NBSP}[^<]*</a><br>{known}</p>", page)) == 1
        assert not re.search("^  order +cost$", page, re.M)
        assert "<b>offer" not in page


def test_every_space_to_settle_can_be_tapped() -> None:
    for situation in games():
        state = situation.record.state
        if isinstance(state.phase, Settling):
            assert len(links_of(letter_to(situation, who_decides(state) or ""))) == len(tuple(choices(state)))


def test_nobody_else_gets_taps(some: Some) -> None:
    for situation, colour in some(seats(), 3):
        if colour != who_decides(situation.record.state):
            assert harmless.buttons(situation.record.state, colour) == ()
            assert "href" not in letter_to(situation, colour).html


def test_a_mail_address_is_encoded_whole() -> None:
    url = mailto("club+a.1.red.x@example.org", "Re: [a] b & c?", ("buy 12", "", "== x == [a/1/2]"))
    assert re.fullmatch(r"mailto:[A-Za-z0-9.%@_~-]+\?subject=[A-Za-z0-9.%_~-]+&body=[A-Za-z0-9.%_~-]+", url)
    assert tapped(url) == ("club+a.1.red.x@example.org", "Re: [a] b & c?", "buy 12\r\n\r\n== x == [a/1/2]")


# And back


@pytest.mark.slow
def test_a_reply_to_our_mail_is_understood() -> None:
    """Above the mail, quoted or not: just the order, and whose it is."""
    for situation in games()[::6]:
        colour = who_decides(situation.record.state)
        if colour is None:
            continue
        order = str(next(iter(choices(situation.record.state))))
        letter = letter_to(situation, colour)
        incoming = read_message(compose(letter))
        for quote in ("> ", "", "| "):
            answer = read_reply(f"{order}\n\n" + "\n".join(quote + line for line in incoming.text.split("\n")))

            assert answer.orders == (order,), quote
            assert answer.talk == ""
            (own,) = tickets_in([letter.reply_to], [letter.message_id], answer.markers)
            assert (own.game, own.turn, own.colour) == (situation.record.game, situation.record.turn, colour)


def test_our_own_mail_is_known_as_a_robots() -> None:
    incoming = read_message(compose(a_letter()))
    assert incoming.automatic
    assert incoming.surely_automatic

# ruff: noqa: RUF001 -- the colon of other languages is meant
"""Replies to letters as we really send them, quoted as mail programs quote: nothing of a letter is ever played."""

import re
import textwrap
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from pathlib import Path

import pytest
from clubs import a_club, a_table, an_order, letters, the_record
from pages import games, html_of, page_of
from people import Mail, reply

from pbem.carriers.mail.incoming.body import text_of_html
from pbem.carriers.mail.take import take
from pbem.club.folder import read_roster
from pbem.club.store import read_minutes
from pbem.errors import NotUnderstood
from pbem.first_sparks.choice import main_choices
from pbem.page.page import Page, Section, Verbatim
from pbem.reading.context import Context
from pbem.reading.decide import Reply, read_reply
from pbem.reading.ticket import Ticket, marker_of
from pbem.table.letters.harmless import harmless, written
from pbem.table.messages.context import context_of
from pbem.table.messages.own_words import words_of_letter
from pbem.table.minutes import moved_in

MAILS = Path(__file__).parents[2] / "examples" / "three-players" / "mails"
MARKER = "\n".join(marker_of(Ticket("friday", 57, "red", "k7m2p4q8r9s3t5v6"), "1a2b3c4d"))
# What the player sent before, where a whole thread is quoted.
BEFORE = ("-----Original Message-----", "offer 9", "buy", "", "pass", "help")
WROTE = "On Tue, 3 Nov 2026 at 10:00, First Sparks <club@example.org> wrote:"
HEADERS = "From: First Sparks <club@example.org>\nSent: Tuesday\nTo: Ann\nSubject: friday"


@cache
def in_lists() -> tuple[Page, ...]:
    """Return pages for readers who want no tables."""
    return tuple(page_of(each, each.record.state.order[0], plain=True)[1] for each in games()[::5])


@cache
def pages() -> tuple[Page, ...]:
    """Return pages of letters, with tables and without."""
    tables = (page_of(each, colour)[1] for each in games()[::9] for colour in each.record.state.order)
    return (*tables, *in_lists())


@cache
def texts() -> tuple[str, ...]:
    """Return the texts of letters: those of a whole game, and lists."""
    sent = (path.read_text(encoding="utf-8") for path in sorted(MAILS.glob("*-to-*.txt")))
    return (*map(harmless, sent), *map(written, in_lists()))


def quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.split("\n"))


def torn(text: str, width: int) -> str:
    """Return the text as clients quote it that break lines after they have put ``> `` before them."""
    lines = []
    for line in quoted(text).split("\n"):
        rest = line
        while len(rest) > width and (end := rest.rfind(" ", 2, width + 1)) > 2:
            lines.append(rest[:end])
            rest = rest[end + 1 :]
        lines.append(rest)
    return "\n".join(lines)


def seen(html: str) -> str:
    return text_of_html(f"<html><body>{html}</body></html>")


def paged(page: Page) -> str:
    return html_of(page)


MANNERS: dict[str, Callable[[str, Page], str]] = {
    "quoted beneath": lambda own, page: f"{own}\n\n{WROTE}\n\n{quoted(written(page))}",
    "quoted above": lambda own, page: f"{WROTE}\n{quoted(written(page))}\n\n{own}",
    "Outlook": lambda own, page: f"{own}\n\n________________________________\n{HEADERS}\n\n{written(page)}",
    "no marks but an attribution": lambda own, page: f"{own}\n\n{WROTE}\n\n{written(page)}",
    "blockquote": lambda own, page: seen(f"<div>{own}</div>{WROTE}<blockquote>{paged(page)}</blockquote>"),
    "blockquote above": lambda own, page: seen(f"{WROTE}<blockquote>{paged(page)}</blockquote><p>{own}</p>"),
    "Outlook's page": lambda own, page: seen(f"{own}<hr><div id=divRplyFwdMsg>Frå: x</div>{paged(page)}"),
}


@pytest.mark.parametrize("marker", [True, False], ids=["marker", "no marker"])
@pytest.mark.parametrize("manner", MANNERS)
def test_only_the_own_order_is_played(manner: str, marker: bool) -> None:
    assert len(pages()) > 40
    for page in pages():
        thread = Page((*page.sections, Section("before", (Verbatim(BEFORE),))))
        if marker:
            thread = thread._replace(headline=page.headline, marker=page.marker)
        reply = read_reply(MANNERS[manner]("offer 12", thread))
        assert (reply.orders, reply.requests, reply.talk) == (("offer 12",), (), "")


@pytest.mark.parametrize("width", range(60, 80, 2))
def test_what_a_client_tears_off_a_quoted_line_is_never_played(width: int) -> None:
    refused = 0
    for letter in texts():
        thread = "\n".join((letter, "", *BEFORE, ""))
        try:
            reply = read_reply("\n".join(("offer 12", "", WROTE, torn(f"{MARKER}\n\n{thread}", width))))
        except NotUnderstood:
            refused += 1
            continue
        assert reply.orders == ("offer 12",)
        assert "k7m2p4q8r9s3t5v6" not in reply.talk
    assert refused <= len(texts()) // 10


@pytest.mark.parametrize("above", ["", "Hello all"])
def test_a_letter_alone_is_no_order_even_where_nothing_is_marked(above: str) -> None:
    for letter in texts():
        assert read_reply(f"{above}\n{MARKER}\n\n{letter}").orders == ()


def a_game_of_letters(folder: Path) -> list[tuple[str, Context]]:
    """Return letters of a game with what their reader is asked: questions, news, refusals, help, a proposal.

    Each is there twice, as its text and as what a program makes of its page.
    """
    club = a_club(folder / "club")
    found: list[tuple[str, Context]] = []

    def got() -> list[Mail]:
        mails, record, said = letters(club), the_record(club), read_minutes(a_table(club)).lines
        players = {player.address: player for player in read_roster(a_table(club)).players}
        for mail in mails:
            player = players[mail.to]
            asked = context_of(record, player.colour, record.turn)
            words = cache(
                partial(words_of_letter, club, record, player, record.turn, moved=tuple(moved_in(said, record)))
            )
            asked = asked._replace(letter=words)
            found.extend((text, asked) for text in (mail.text, text_of_html(mail.html)))
        return mails

    asked = next(mail for mail in got() if mail.asks)
    for turn in range(8):
        if turn == 4:
            for number, words in enumerate(("offer 99 please", "help", "9", "nonsense 7")):
                take(club, reply(asked, words, number=number + 1))
                got()
        if turn == 6:  # wishes that all others must agree to, and what is said of them
            wisher = asked
            for number, words in enumerate(("take back", "withdraw", "go on without Cy", "withdraw")):
                take(club, reply(wisher, words, number=number + 11))
                got()
        take(club, reply(asked, an_order(asked)))
        asked = next(mail for mail in got() if mail.asks)
    return found


@pytest.fixture(scope="module")
def sent(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, Context]]:
    return a_game_of_letters(tmp_path_factory.mktemp("letters"))


def test_a_refusal_repeats_the_order_as_it_was_written(sent: list[tuple[str, Context]]) -> None:
    repeated = [line.strip() for text, _ in sent for line in text.split("\n") if "your order:" in line]

    assert repeated == ["your order: offer 99"] * 2  # in the text, and on the page


def without_marker(text: str) -> str:
    first, _, _, *rest = text.split("\n")
    return "\n".join((first, *rest))


@pytest.mark.parametrize("width", [46, 56, 60, 64, 66, 68, 70, 72, 74, 76])
@pytest.mark.parametrize(
    "manner",
    [
        lambda text, width: f"{WROTE}\n{torn(text, width)}",
        torn,
        lambda text, width: torn(without_marker(text), width),
        lambda text, width: torn(torn(text, width + 6), width),
        lambda text, width: "\n".join(textwrap.fill(line, width) for line in text.split("\n")),
    ],
    ids=["torn", "torn without an attribution", "torn without the marker", "torn twice", "without marks"],
)
def test_nothing_of_a_letter_is_told_however_it_is_wrapped(
    manner: Callable[[str, int], str], width: int, sent: list[tuple[str, Context]]
) -> None:
    assert len(sent) >= 12
    for text, asked in sent:
        reply = read_reply(f"Well played!\n\n{manner(text, width)}", asked)

        assert (reply.talk, reply.orders, reply.proposed, reply.requests) == ("Well played!", (), (), ())


def without_top(text: str) -> str:
    return text.split("\n", 3)[3]


def as_markdown(text: str) -> str:
    """Return the text as programs write it that mark what is a list, bold, or a link."""
    lines = (f"* {line}" if line.endswith(".") else line for line in text.split("\n"))
    return "\n".join(f"**{line}**" if line.isupper() else line for line in lines)


def with_links(text: str) -> str:
    return re.sub(r"(?m)^([a-z ]+.* (?:now|food))$", r"\1 <mailto:pbem%2Bfriday@example.org?subject=Re%3A>", text)


def apart(text: str) -> str:
    return re.sub(r"\n+", "\n\n", text)


@pytest.mark.parametrize("width", [46, 60, 72, 999])
@pytest.mark.parametrize("made", [str, as_markdown, with_links, apart])
def test_nothing_of_a_letter_is_played_where_all_marks_were_deleted(
    made: Callable[[str], str], width: int, sent: list[tuple[str, Context]]
) -> None:
    for text, asked in sent:
        if any(says in text for says in ("your order:", "Did you mean", "I found no order")):
            continue  # what answers a mail of the player's own is not known by its words
        left = "\n".join(textwrap.fill(line, width) for line in made(without_top(text)).split("\n"))
        try:
            reply = read_reply(f"Well played!\n\n{left}", asked)
        except NotUnderstood as refused:
            pytest.fail(f"{refused.reasons} in {left}")

        assert (reply.orders, reply.proposed, reply.requests) == ((), (), ()), left


# What letters of earlier versions said beside the situation.
OLD_WORDS = """
From now on no receipt comes unless you write "news every".

This is friday, a game of The First Sparks. You play {colour}, with {others}. Your host is {host}.

How to win: the game ends in the round in which a clan has 13 members. The clan with the most members wins, and of two \
equal ones the clan with more food. So spread over the board. New members cost food, and in every round each member \
eats 1 food. Tools hunt that food in the areas where your clan stands, and knowledge bends the rules in your favour. \
You buy both as cards, also for food. A third of the food that you keep rots, until you know fire.

How to play: you get a letter when it is your turn, and it has all that you need to decide. Press reply, write your \
order at the very top, and send. Whatever else you write is told to the other players. Your first order gets a \
receipt; later you hear only of orders that were not played, unless you write "news every". Write "help" to see what \
else you can ask for.

You play by answering my letters. Press reply, write your order at the very top, and send. Leave the rest of the \
letter as it is, or delete all of it. Write one order a line; several are played in turn, all or none. You get an \
answer if an order could not be played. All else that you write is told to the others in their next letter.

You can also write: "show" for the situation, "options" for all that is legal now, "rules R4.5" for a rule, "news \
every", "news turn" or "news none" to hear of every move, yours too, only when you are asked, or nothing, "absent \
until 2026-12-31" and "back" when you are away, "resign" to leave the game.

At any time you may write "resign", or "agree end": the game ends when everyone has agreed.

You can combine these spaces in other ways, if each is next to your clan or to another space that you name. Together \
they cost the base cost of their number, what each has under shared, and 1 for each mountain on the cheapest way to \
all of them.
"""


@pytest.mark.parametrize("width", [46, 60, 72, 999])
def test_the_words_of_earlier_versions_are_known_where_all_marks_were_deleted(width: int, tmp_path: Path) -> None:
    club = a_club(tmp_path / "club")
    record, player = the_record(club), read_roster(a_table(club)).players[0]
    others = " and ".join(f"{name} ({colour})" for colour, name in record.players if colour != player.colour)
    old = OLD_WORDS.format(colour=player.colour, others=others, host=club.host)
    left = "\n".join(textwrap.fill(line, width) for line in old.split("\n"))

    reply = read_reply(
        f"Well played!\n\n{left}", Context(letter=partial(words_of_letter, club, record, player, record.turn))
    )

    assert reply == Reply((), (), "Well played!", ())


def test_what_a_player_writes_among_the_lines_of_a_letter_is_told(sent: list[tuple[str, Context]]) -> None:
    """A word that a letter has too is no piece of it where it does not go on with the line above."""
    questions = [(text, asked) for text, asked in sent if "\nQUESTION\n" in text]
    assert len(questions) >= 8
    for text, asked in questions:
        above, beneath = quoted(text).split("> QUESTION\n")
        page = f"{above}> QUESTION\nberries are nice\n{beneath}\n\nyou lucky clan\n\n> more"

        assert read_reply(page, asked).talk.split("\n\n") == ["berries are nice", "you lucky clan"]


@pytest.mark.parametrize("beneath", ["", quoted])
def test_an_answer_that_is_copied_from_the_letter_is_played(
    beneath: Callable[[str], str] | str, sent: list[tuple[str, Context]]
) -> None:
    """However long it is, and with the letter that is answered in the play."""
    copied = 0
    for text, asked in sent:
        orders = {choice.order for choice in main_choices(asked.state)} if asked.state else set()
        question = text.partition("QUESTION\n")[2].partition("To answer,")[0]
        for line in map(str.strip, question.split("\n")):
            if order := next((o for o in orders if line.startswith(f"{o} ")), None):
                left = f"\n\n{WROTE}\n{beneath(text)}" if callable(beneath) else ""
                assert read_reply(line + left, asked).orders == (order,), line
                copied += 1
    assert copied > 40


# The subject and first line of letters, which mail programs show in an inbox, and put beneath a reply without the rest.
SAID = [
    # as earlier versions wrote them
    "your turn: offer a card or pass|Ann, you are asked to offer a card or pass.",
    "your turn: add a second member or stay|Ann Lee, you are asked to add a second member or stay.",
    "welcome, your turn: spread or stay|Ann, welcome. You are asked to spread or stay.",
    "already played: pass|Ann, your order was played already: pass.",
    "answered for you: decline 9|Ann, your clan was answered for: decline 9.",
    "did you mean: offer 9?|Ann, did you mean this order: offer 9?",
    # as they are now
    "your turn: offer a card or pass|Ann, it is your turn: offer a card or pass.",
    "your turn: add a second member or stay|Ann Lee, it is your turn: add a second member or stay.",
    "welcome, your turn: spread or stay|Ann, welcome. It is your turn: spread or stay.",
    "refused: offer 9|Ann, your order was refused: offer 9.",
    "already played: pass|Ann, you had already played: pass.",
    "played for you: decline 9|Ann, this was played for you: decline 9.",
    'did you mean "offer 9"?|Ann, did you mean "offer 9"?',
]


@pytest.mark.parametrize("said", SAID)
@pytest.mark.parametrize("mark", ["", "> "])
@pytest.mark.parametrize("own", ["", "Not yet.\n\n", "Hi all,\n\nwait for me,\n\n"])
def test_a_first_line_of_ours_is_no_order_however_it_is_wrapped(said: str, mark: str, own: str) -> None:
    line = f"{said.partition('|')[2]} (friday/57)"
    for width in range(16, 80):
        wrapped = textwrap.fill(mark + line, width)
        try:
            reply = read_reply(f"{own}{wrapped}\n")
        except NotUnderstood:
            continue
        assert reply.orders == (), wrapped
        assert reply.talk == own.strip() or "Ann" not in wrapped.split("\n")[0], wrapped


@pytest.mark.parametrize("said", SAID)
@pytest.mark.parametrize("label", ["Re: ", "AW: ", "Subject: Re: ", "Betreff: Aw: ", "*Objet :* RE: ", "件名：Re: "])
def test_a_subject_of_ours_is_no_order_however_it_is_wrapped(said: str, label: str) -> None:
    for width in range(24, 80):
        wrapped = textwrap.fill(f"{label}[friday] {said.partition('|')[0]}", width)
        with suppress(NotUnderstood):
            assert read_reply(f"Not yet.\n\n{wrapped}\n").orders == (), wrapped


@pytest.mark.parametrize("above", ["", "Hi Bob,\n"])
@pytest.mark.parametrize("line", ["Ann, you are asked to offer a card or", "Ann, it is your turn: offer a card or"])
def test_an_order_directly_above_a_wrapped_first_line_is_played(above: str, line: str) -> None:
    reply = read_reply(f"{above}offer 12\n{line}\npass. (friday/57)\n")

    assert reply.orders == ("offer 12",)

"""What an inbox shows: every letter says in its subject and its first line what it is, and neither is ever an order."""

import re
from functools import cache
from itertools import chain
from pathlib import Path

import pytest
from builders import a_game
from clubs import ADDRESS, ANN, HOST, a_club, a_table, an_order, letters, play, terms, the_asked, the_record, ticked
from pages import games
from people import Mail, a_mail, reply
from test_replies_to_ours import MANNERS, pages, quoted, texts, torn

from pbem.carriers.mail.incoming.message import read_message
from pbem.carriers.mail.settings import MailClub
from pbem.carriers.mail.take import take
from pbem.club import host
from pbem.club.folder import read_roster
from pbem.club.opening import open_game
from pbem.errors import NotUnderstood
from pbem.first_sparks.adjudicator import Entry
from pbem.first_sparks.events import Answered, CardBought
from pbem.first_sparks.moves import Decline
from pbem.first_sparks.phases import Adding, Answering, Offering
from pbem.page.text import columns
from pbem.reading.decide import read_reply
from pbem.reading.ticket import marker_of, ticket
from pbem.table.letters import headlines
from pbem.table.people import Opening, Player

OWN = ticket(bytes(32), "friday", "red", 57)
MARKER = "\n".join(marker_of(OWN, "1a2b3c4d"))
HOLES = {
    **{"order": "offer 9", "request": "news every", "turn": "56", "speaker": "Bob", "left": "6 hours", "new": "Dora"},
    **{"absent": "Bob", "what": "Ann bought #9", "due": "Tue 24 Nov, 18:00 CET", "clan": "blue", "mover": "Cy"},
}


def every_headline(player: Player, game: str = "") -> list[headlines.Headline]:
    """Return the headline of every kind in many situations, for a player who is asked there or is not."""
    found = {}
    for situation in games()[::3]:
        record = situation.record
        for kind in headlines.Occasion:
            over = record.state.phase.name == "ended" if record.state.phase else False
            if (kind in (headlines.Occasion.OVER, headlines.Occasion.SHARED)) is over:
                says = headlines.headline(kind, player, record.state, **HOLES)
                found[says] = None
        found[headlines.by_situation(player, record.state, record.turn, situation.history)] = None
    return list(found)


@cache
def anns() -> list[headlines.Headline]:
    return every_headline(Player("red", "Ann", ANN, bytes(32)))


@cache
def first_lines() -> list[str]:
    found = (says._replace(lines=says.lines[n:]) for says in anns() for n in range(len(says.lines)))
    return sorted({headlines.first_line(OWN, says) for says in found})


@pytest.fixture
def club(tmp_path: Path) -> MailClub:
    """A club with a game that has just begun."""
    return a_club(tmp_path / "club")


def subjects(club: MailClub) -> dict[str, str]:
    """Empty the outbox, and return the subject that each got."""
    return {mail.to: mail.subject for mail in letters(club)}


# The words


def test_there_is_something_to_say_of_every_kind() -> None:
    assert len(anns()) > len(headlines.Occasion)
    for says in anns():
        assert says.subject
        assert "{" not in "".join((says.subject, *says.lines))


@pytest.mark.parametrize("name", ["A" * 24, "李" * 24, "Zoë {name} \\r\\n"])
def test_a_subject_and_a_first_line_fit_and_are_one_line(name: str) -> None:
    own = ticket(bytes(32), "sixteen-letters-", "yellow", 999)
    player = Player("yellow", name, ANN, bytes(32))
    for says in every_headline(player):
        subject, line = headlines.subject_of(own.game, says.subject), headlines.first_line(own, says)
        assert columns(subject) <= headlines.LONGEST_SUBJECT
        assert columns(line) <= 72
        assert line.endswith(" (sixteen-letters-/999)")
        assert (subject + line).isprintable()


@pytest.mark.parametrize(
    ("name", "game"), [("Ann", "friday"), ("Christian", "summer-holidays-26"), ("李" * 12, "g" * 20)]
)
def test_a_question_that_is_too_long_for_the_first_line_makes_it_a_shorter_sentence(name: str, game: str) -> None:
    """An inbox shows that line beside the subject, and half a sentence says nothing more."""
    own = ticket(bytes(32), game, "red", 57)
    cut = {
        headlines.first_line(own, says)
        for says in every_headline(Player("red", name, ANN, bytes(32)))
        if says.lines[1:] and not headlines.first_line(own, says).endswith((f". ({game}/57)", f"? ({game}/57)"))
    }
    assert cut == set()


def test_the_welcome_says_the_question_if_there_is_room() -> None:
    player, state = Player("green", "Ann", ANN, bytes(32)), a_game(phase=Adding("green"))
    own = [ticket(bytes(32), game, "green", 0) for game in ("friday", "first-sparks")]
    says = headlines.headline(headlines.Occasion.WELCOME, player, state)

    assert [headlines.first_line(each, says) for each in own] == [
        "Ann, welcome. It is your turn: add a second member or stay. (friday/0)",
        "Ann, welcome. It is your turn. (first-sparks/0)",
    ]


def test_what_is_told_of_an_order_cannot_end_the_line() -> None:
    player = Player("red", "Ann", ANN, bytes(32))
    says = headlines.headline(headlines.Occasion.REFUSED, player, order="offer 9\r\nBcc: eve@evil.example\0")
    assert says.subject == "refused: offer 9 Bcc: eve@evil.example"


@pytest.mark.slow
@pytest.mark.parametrize("player", ["Ann", "resign", "buy", "pass 9"])
def test_neither_is_ever_an_order_or_a_request(player: str) -> None:
    every = every_headline(Player("red", player, ANN, bytes(32)))
    told = {
        line
        for says in every
        for line in (*says.lines, headlines.first_line(OWN, says), headlines.subject_of("friday", says.subject))
    }
    for line in sorted(told):
        for shown in (line, f"> {line}", f"Re: {line}", f"Subject: {line}"):
            try:
                answer = read_reply(f"{shown}\n{MARKER}")
            except NotUnderstood:
                continue
            assert (answer.orders, answer.requests) == ((), ()), shown


def test_no_reply_to_a_letter_with_such_a_subject_looks_like_a_robots() -> None:
    for says in anns():
        raw = a_mail(ANN, ADDRESS, "hello", subject=f"Re: {headlines.subject_of('friday', says.subject)}")
        assert not read_message(raw).automatic


# And back: the first line stands above the marker, and whatever a mail program makes of it, it is not of the writer


@pytest.mark.slow
@pytest.mark.parametrize("manner", MANNERS)
def test_the_first_line_is_neither_played_nor_told_to_the_table(manner: str) -> None:
    assert len(first_lines()) > len(headlines.Occasion)
    for line in first_lines():
        page = pages()[20]._replace(headline=line, marker=tuple(MARKER.split("\n")))
        reply = read_reply(MANNERS[manner]("offer 12", page))
        assert (reply.orders, reply.requests, reply.talk) == (("offer 12",), (), ""), line


@pytest.mark.parametrize(
    "text",
    [
        "offer 12\n\n{line}\n{marker}",  # no marks and no attribution
        "offer 12\n{line}\n{marker}",
        "{line}\noffer 12\n{marker}",  # above the marker, as it says
        "{line}\n\noffer 12\n\n{marker}",
        "> {line}\noffer 12\n> {marker}",
        "offer 12\n\n*{line}*\n{marker}",  # what was bold
        "offer 12\n\n> {line}",  # the rest was deleted
        "offer 12\n\n{line}",
        "| {line}\n| {marker}\n\noffer 12",
    ],
)
def test_an_order_beside_the_first_line_is_read(text: str) -> None:
    mark = next((mark for mark in ("> ", "| ") if f"{mark}{{marker}}" in text), "")
    for line in first_lines():
        written = text.format(line=line, marker=MARKER.replace("\n", f"\n{mark}"))
        reply = read_reply(f"{written}\n\n{quoted(texts()[20])}")
        assert (reply.orders, reply.requests, reply.talk) == (("offer 12",), (), ""), line


@pytest.mark.parametrize("width", range(60, 80, 4))
def test_what_a_client_tears_off_the_first_line_is_never_played(width: int) -> None:
    for line in first_lines():
        try:
            reply = read_reply(f"offer 12\n\n{torn(f'{line}{chr(10)}{MARKER}', width)}\n")
        except NotUnderstood:
            continue
        assert reply.orders == ("offer 12",)


def test_words_that_only_look_alike_are_heard() -> None:
    for words in ("Ann, it is your turn to buy it.", "I would be glad (friday 57)", "see (friday/57) above"):
        assert read_reply(words).talk == words


# The letters of a game


def test_every_letter_of_a_game_says_what_it_is(club: MailClub) -> None:
    asked = the_asked(club)
    first = letters(club)
    question = next(mail for mail in first if mail.asks)
    others = [mail for mail in first if not mail.asks]
    assert question.subject == "[friday] welcome, your turn: add a second member or stay"
    assert {mail.subject.partition(":")[0] for mail in others} == {"[friday] welcome"}

    take(club, reply(others[0], "news every"))
    assert subjects(club) == {others[0].to: "[friday] your request: news every"}
    take(club, reply(question, "offer 9"))
    assert subjects(club) == {asked.address: "[friday] refused: offer 9"}
    take(club, reply(question, "hello"))
    assert subjects(club) == {asked.address: "[friday] no order in your message"}
    terms(club, 'reminders = ["66 hours"]\n')
    for hours in (0, 33, 66):
        ticked(club, hours)
    assert subjects(club) == {asked.address: "[friday] reminder: 6 hours left"}
    ticked(club, 72)
    assert subjects(club) == {asked.address: "[friday] time is up: answer by Wed 25 Nov, 00:00 UTC"}
    ticked(club, 84)
    assert subjects(club) == {HOST: f"[friday] {asked.name} has not answered"}
    host.pause(club, a_table(club), "")
    assert set(subjects(club).values()) == {"[friday] the game is paused"}
    take(club, reply(question, an_order(question)))
    assert subjects(club) == {asked.address: "[friday] not played: the game is paused"}
    host.resume(club, a_table(club))
    assert subjects(club)[asked.address] == "[friday] resumed, your turn: add a second member or stay"
    take(club, reply(question, an_order(question), number=1))
    told = subjects(club)
    assert told[asked.address] == f"[friday] played: {an_order(question)}"
    assert told[the_asked(club).address] == "[friday] your turn: add a second member or stay"
    take(club, reply(question, an_order(question), number=2))
    take(club, reply(question, "stay", number=3))
    assert sorted(mail.subject for mail in letters(club)) == [
        f"[friday] already played: {an_order(question)}",
        "[friday] too late: your message answers turn 0",
    ]
    host.take_back(club, a_table(club))
    assert set(subjects(club).values()) == {
        "[friday] taken back to turn 0",
        "[friday] taken back, your turn: add a second member or stay",
    }
    host.replace(club, a_table(club), asked.colour, "Dora", "dora@new.example")
    told = subjects(club)
    assert told["dora@new.example"] == "[friday] welcome, your turn: add a second member or stay"
    assert told[asked.address] == "[friday] you no longer play in this game"
    assert told[others[0].to] == f"[friday] Dora plays {asked.colour} now"


def test_an_offer_and_what_came_of_it_stand_in_the_subjects(club: MailClub) -> None:
    """Who wants every news reads there what each move was."""
    everybody = {mail.to: mail for mail in letters(club)}
    for mail in everybody.values():
        take(club, reply(mail, "news every"))
    letters(club)
    seen: list[Mail] = []
    while not any(re.search(r" bought #\d+$", mail.subject) for mail in seen):
        mails = letters(club)
        if not mails:
            host.resend(club, a_table(club))
            mails = letters(club)
        seen += mails
        asked = next(mail for mail in mails if mail.asks)
        taps = [tap.body.partition("\n")[0] for tap in asked.taps]
        assert take(club, reply(asked, next((tap for tap in taps if tap[:3] in ("off", "buy")), taps[-1]))).code
    said = {mail.subject.removeprefix("[friday] ") for mail in seen}
    lines = [mail.text.partition("\n")[0] for mail in seen]

    assert any(re.fullmatch(r"your turn: buy or decline #\d+ \(\d+ food\)", subject) for subject in said)
    assert any(re.fullmatch(r"(Ann|Bob|Cy) offered #\d+", subject) for subject in said)
    assert any(re.fullmatch(r"(Ann|Bob|Cy) bought #\d+", subject) for subject in said)
    assert any(re.match(r"\w+, it is your turn: buy or decline #\d+ \(\d+ food\)\. \(friday/\d+\)", x) for x in lines)
    assert any(re.match(r"\w+, \w+ offered #\d+\. Waiting for \w+\. \(friday/\d+\)", line) for line in lines)


def test_a_reader_who_gets_the_card_that_another_declines_is_addressed() -> None:
    """Bob declines what Ann wants: Ann reads that she bought it, and everybody else that Ann did."""
    state = a_game(phase=Offering("blue")).with_events(Answered("blue", 9, False), CardBought("red", 9, 3, False))
    history = ((Entry(5, "blue", "blue", Decline()), state),)

    ann, cara = (
        headlines.by_situation(Player(colour, name, ANN, bytes(32)), state, 6, history)
        for colour, name in (("red", "Ann"), ("green", "Cara"))
    )

    assert ann.subject == "you bought #9"
    assert ann.lines[0] == f"Ann, you bought #9. Waiting for {state.clan('blue').player}."
    assert cara.subject == f"{state.clan('red').player} bought #9"


def test_the_price_of_an_offer_is_what_the_reader_would_pay() -> None:
    """The crop on the card pays 1 of it."""
    state = a_game(phase=Answering("red", "blue", 7, (), ()))
    crop = state._replace(market=state.market._replace(crop=7))

    said = [
        headlines.headline(headlines.Occasion.ASKED, Player("red", "Ann", ANN, bytes(32)), each).lines[0]
        for each in (state, crop)
    ]

    assert said == [f"Ann, it is your turn: buy or decline #7 ({price} food)." for price in (2, 1)]


def test_the_end_stands_in_the_subject(club: MailClub) -> None:
    for _ in range(2):
        host.decide(club, a_table(club), "resign")
    winner = next(p for p in read_roster(a_table(club)).players if p.colour in the_record(club).state.order_in_play)
    last = {mail.to: mail for mail in letters(club)}  # the later one of each

    assert {mail.subject for mail in last.values()} == {f"[friday] the game is over: {winner.name} wins"}
    for to, mail in last.items():
        name = next(p.name for p in read_roster(a_table(club)).players if p.address == to)
        assert mail.text.startswith(f"{name}, the game is over: {winner.name} wins. (friday/2)\n== write")


def test_who_stands_in_is_asked_by_name(club: MailClub) -> None:
    asked = the_asked(club)
    letters(club)
    host.away(club, a_table(club), asked.colour, "", "Dan=dan@sub.example")
    mail, *others = sorted(letters(club), key=lambda mail: mail.to != "dan@sub.example")
    assert mail.subject == f"[friday] your turn for {asked.name}: add a second member or stay"
    assert {mail.subject for mail in others} == {f"[friday] {asked.name} is away", "[friday] you are away"}
    assert mail.text.startswith(f"Dan, it is your turn for {asked.name}: add a second member or stay. (friday/0)\n==")
    host.back(club, a_table(club), asked.colour)
    assert subjects(club)["dan@sub.example"] == f"[friday] you no longer stand in for {asked.name}"


def test_a_game_that_waits_says_so(club: MailClub) -> None:
    letters(club)
    open_game(club, "saturday", (f"Ann={ANN}",), Opening(3), None)
    assert subjects(club) == {ANN: "[saturday] welcome: you play green"}
    take(club, a_mail("zoe@z.example", ADDRESS, "join saturday Zoe"))
    (mail,) = letters(club)
    assert mail.subject == "[saturday] do you want to play?"
    assert mail.text.startswith("Zoe, do you want to play in this game? (saturday/0)\n== write")
    assert take(club, reply(mail, "yes")).code == "joined"
    assert subjects(club) == {"zoe@z.example": "[saturday] welcome: you play red"}


def test_all_letters_of_a_game_are_one_thread(club: MailClub) -> None:
    play(club, 4)
    for mail in letters(club):
        assert mail.references.startswith("<friday.thread@example.org>")
        assert {tap.subject for tap in mail.taps} <= {"Re: [friday] The First Sparks"}


def test_the_question_stands_first_in_the_text_as_in_the_page(club: MailClub) -> None:
    play(club, 7)
    mail = next(mail for mail in letters(club) if mail.asks)
    headings = [line for line in mail.text.split("\n") if re.fullmatch(r"[A-Z ]{5,}(, .*)?", line)]
    assert headings[0] == "QUESTION"
    assert headings[1:] == ["WHAT HAS HAPPENED", "BOARD", "HARVEST SPACES", "MARKET", headings[-1]]
    assert mail.text.index("To answer, press reply") < mail.text.index("WHAT HAS HAPPENED")
    text = re.sub("<[^>]+>", "\n", mail.html.partition("<body")[2].partition(">")[2]).split("\n")
    assert next(filter(None, text)) == mail.text.partition("\n")[0]
    assert "display:none" not in mail.html
    assert list(chain(*(re.findall(f">({heading})</h2>", mail.html) for heading in headings[:2]))) == headings[:2]


def test_a_subject_that_is_too_long_is_cut_behind_a_word() -> None:
    said = "il tuo turno: aggiungi il secondo membro del clan neutrale, o resta"

    assert headlines.subject_of("friday", said) == "[friday] il tuo turno: aggiungi il secondo membro del..."
    assert headlines.subject_of("friday", "x" * 99) == f"[friday] {'x' * 48}..."

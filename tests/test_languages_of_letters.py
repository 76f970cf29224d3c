"""Letters in a language that no program speaks: whole sessions at a table, with all that a player can read there.

A table hears and goes on in English, whatever its players read; only the letters are told in their language.

The same letters are told in English too, and slowly in all languages, so that each line of each is read as a reply: a
program that deletes all marks may leave it there alone. It is talk, whatever the words of a new sentence are.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any, Final

import pytest
import tables
from tables import NAMES, START, Sitting, a_table
from test_languages import IDS, MARKER, ORDERS, every_turn, in_pseudo, is_nested, recorded, without_drawings
from test_languages import english_in as english_on_a_page

from pbem.carriers.git.letters import letters
from pbem.carriers.git.server import PushNews
from pbem.carriers.git.status import Seen
from pbem.carriers.mail.outgoing.post import mail_of
from pbem.carriers.mail.settings import MailClub
from pbem.carriers.mail.strangers.seats import Unmet
from pbem.club.clock_data import terms_data
from pbem.errors import NotUnderstood
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.phases import Answering
from pbem.first_sparks.record import HEAD_DIGITS, Chance, at_turn
from pbem.grammar import phrase_listed
from pbem.loading import Submission
from pbem.locale import LANGUAGES, Language, phrase, phrase_in, speaking, tr
from pbem.page.glue import unglued
from pbem.page.page import Page
from pbem.page.text import WIDTH, columns, text_of
from pbem.reading.context import Context
from pbem.reading.decide import read_reply
from pbem.reading.languages import in_english
from pbem.reading.message import Post
from pbem.reading.recognisers.plans import begins_plan
from pbem.reading.ticket import Ticket, ticket
from pbem.table import host
from pbem.table.clock import Terms
from pbem.table.costs import Counts, of_the_end
from pbem.table.letters import seats
from pbem.table.letters.absence import look_text, own_absence
from pbem.table.letters.ending import proof, whole_game
from pbem.table.letters.harmless import harmless, is_order, written
from pbem.table.letters.headlines import Occasion, headline
from pbem.table.letters.letter import Letter
from pbem.table.letters.receipts import CLOCK_ANSWERED, CLOCK_PLAYED, HOST_ANSWERED, HOST_PLAYED
from pbem.table.lines import parse_line
from pbem.table.matters.standing import Away
from pbem.table.messages.answers import Heard
from pbem.table.messages.hear import hear
from pbem.table.minutes import Minutes
from pbem.table.occurrences import GameBegun, Resent, Unproved
from pbem.table.people import BOT, Player
from pbem.table.progress import Progress, go_on, stand_still
from pbem.table.table import Table
from pbem.table.tell import Telling, tell
from pbem.table.times import in_table, shown

DAN: Final = "dan@sub.example"
# What stands in every letter for programs that read the answer: the line above which one writes, and the ticket.
MARKS: Final = re.compile(r"== write your orders ABOVE this line ==|== for [a-z]+ only: [a-z0-9]+ ==|\b[0-9a-f]{8,}\b")
RULE: Final = re.compile(r"\[[a-z]+(?:- ?[a-z]+)+\]")  # the id of a rule, of which a line may be broken
# In quotes and in parentheses is what a player may write; so is what the host or a player has written.
WRITTEN: Final = re.compile(r'"[^"⟦⟧]*"|\([^()⟦⟧]*\)|\S+@\S+|\bpbem (?:git )?[a-z]+')
PEOPLE: Final = {*NAMES.values(), "Dan", "Zoe", "tea", "UTC", "friday", "toml", "html", "CARD", "CELL", "SPACE"}
CUT: Final = re.compile(r"\.\.\. \([a-z]+/[0-9]+\)$")


def english_in(text: str, said: set[str]) -> list[str]:
    """Return the words of a letter that are plain English and should not be; *said* is what people have written."""
    line = re.sub(r"\w+~*\.\.\.", "", " ".join(re.sub(MARKS, "", text).split()))
    for pattern in (MARKER, RULE, WRITTEN):
        line = re.sub(pattern, "", line)
    found, allowed = re.findall(r"[A-Za-z][A-Za-z0-9]+", line), ORDERS | PEOPLE | said
    return [word for word in found if not {word, word.title()} & allowed and not IDS.fullmatch(word)]


class Desk:
    """Where letters are told in the pseudo language and read, one in five also as a page.

    *told* counts them, *said* is what people have written, and *wrong* is what should not be in a letter. What is told
    in *languages* is read as replies.
    """

    def __init__(self, languages: Sequence[Language] = ("en",)) -> None:
        self.languages = languages
        self.told = 0
        self.wrong: list[str] = []
        self.said: set[str] = set()

    def hears(self, *words: str) -> None:
        """Note what somebody has written."""
        self.said.update(re.findall(r"[A-Za-z][A-Za-z0-9]+", " ".join(words)))

    def tells(self, step: Progress) -> Telling:
        """Tell a step, and read all letters about it."""
        with in_pseudo():
            telling = tell(step)
        for letter in telling.letters:
            self.reads(letter)
        for language in self.languages:
            self.replies(step, language)
        return telling

    def replies(self, step: Progress, language: Language) -> None:
        """Reply to a step with each line of the letters about it in a language."""
        players = tuple(player._replace(language=language) for player in step.after.roster.players)
        after = step.after.but(roster=step.after.roster._replace(players=players))
        with speaking(language):
            marked = tr("e.g. {order}").format(order="")
            lines = (line for letter in tell(step._replace(after=after)).letters for line in text_lines(letter.page))
            self.wrong += [line for line in lines if line.startswith(marked) or counted(line, language)]

    def reads(self, letter: Letter) -> None:
        """Read a letter, as text and as a page."""
        with in_pseudo():
            text = written(letter.page)
            page = "" if self.told % 5 else mail_of(letter, "club@example.org", plus=True).html
        labels = (button.label for button in letter.buttons)
        shown = unescape(re.sub(r"<style.*?</style>|<[^>]*?alt=\"([^\"]*)\"[^>]*>|<[^>]*>", r" \1 ", page))
        for part in ("\n".join((letter.subject, *labels)), text, shown):
            self.wrong += english_in(part, self.said)
        self.wrong += [line for line in text.splitlines() if columns(line) > WIDTH]
        self.wrong += [] if is_nested(letter.subject) or letter.subject.endswith("...") else [letter.subject]
        bare = without_drawings(letter.page)
        self.told += 1
        nested = text_of(bare._replace(headline="") if CUT.search(bare.headline) else bare)
        self.wrong += [] if is_nested(nested) else [nested]


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Desk:
    """Letters of tables in the pseudo language; a table stands in a club that plays by mail."""
    return a_desk(monkeypatch)


def a_desk(monkeypatch: pytest.MonkeyPatch, languages: Sequence[Language] = ("en",)) -> Desk:
    desk = Desk(languages)

    def heard(table: Table, player: Player, said: Ticket, post: Post, **how: Any) -> Heard:
        desk.hears(post.raw.decode())
        return hear(table, player, said, post, **how)

    monkeypatch.setattr(tables, "tell", desk.tells)
    monkeypatch.setattr(tables, "hear", heard)
    for name in ("to_answer", "how_to_play", "help"):
        monkeypatch.setattr(tables.Home, name, getattr(MailClub, name))
    return desk


def text_lines(page: Page) -> Iterator[str]:
    """Yield the lines of a letter but those for programs."""
    yield from (line.strip() for line in written(page).split("\n") if not line.startswith("=="))


def counted(line: str, language: Language) -> bool:
    """Return whether a reply of only this line is more than talk; lines that differ in their numbers are read once.

    Nothing is known of the letter, so that the line counts as if its reader had written it, or had changed a number.
    """
    shape = re.sub("[0-9]+", "0", line), language
    if shape not in _READ:
        _READ[shape] = is_read(line, language)
    return _READ[shape]


_READ: Final[dict[tuple[str, Language], bool]] = {}


def is_read(line: str, language: Language) -> bool:
    try:
        reply = read_reply(line, Context(language=language))
    except NotUnderstood:
        return begins_plan(in_english(line, language).text)
    return bool(reply.orders or reply.plan or reply.requests)


# Sessions


def begins(table: Sitting) -> Sitting:
    """Welcome everybody."""
    return table.after(go_on(table.table, table.table, GameBegun()))


def asks_for_help(table: Sitting) -> None:
    """Ask for everything that can be asked for."""
    for words in ("help", "help plan", "help absent", "show", "options", "suggest", "rules 99", "rules zzz"):
        table.hears(table.asked, words)
        table.hears(table.others[0], words)
    for words in ("news every", "news turn", "news none", "plain", "plain off", "note tea at four", "note", "back"):
        table.hears(table.asked, words)
    table.hears(table.asked, f"note {'very ' * 300} long")
    table.hears(table.asked, "note tea").hears(table.asked, "note")
    table.hears(table.asked, f"try {table.order}")
    table.hears(table.asked, "try offer 99")
    table.hears(table.asked, "\n".join(("show", "options", "news turn", "suggest", "help", "plain")))
    table.hears(table.asked, "join friday Zoe")


def plays(table: Sitting) -> None:
    """Play orders, well and badly."""
    for news in ("every", "turn", "none"):
        found = table
        for colour in NAMES:
            found = found.with_player(colour, news=news) if table.table.roster.player(colour) else found
        for _ in range(9):
            found = found.goes_on()
    table.hears(table.asked, "offer 99")
    table.hears(table.others[0], table.order)
    table.hears(table.asked, "")
    table.hears(table.asked, "Well played!")
    table.hears(table.asked, "resign")
    table.hears(table.others[0], "absent forever and a day")
    asks = table.hears(table.asked, f"should I {table.order}?")
    asks.hears(table.asked, "no")
    for _ in range(7):
        asks = asks.hears(table.asked, "hello")
    old = table.newest[table.seat(table.asked).reader]
    gone_on = table.hears(table.asked, f"{table.order}\n\nWell played!")
    gone_on.hears(table.asked, table.order, old)
    gone_on.hears(table.asked, "offer 98", old)
    gone_on.hears(table.asked, "show\n\nHello!", old)
    taken_back = table.after(host.undo(table.table, 3))
    taken_back.hears(table.asked, table.order, old)
    gone_on.hears(gone_on.asked, f"{gone_on.order}\nplan pass")
    talked = table.hears(table.others[0], f"Hello!\n> all\nwe could say: {table.order}")
    talked.goes_on()
    table.after(stand_still(table.table, table.table, Unproved(table.seat(table.asked))))


def plans(table: Sitting) -> None:
    """Say ahead what is to be done, and let it happen."""
    other = table.others[0]
    planned = table.hears(other, "plan pass\nalways drop least")
    planned.hears(other, "plan")
    planned.hears(other, "forget")
    table.hears(other, "plan")
    table.hears(other, "forget")
    away = planned.hears(other, "absent until 2026-12-31")
    away.hears(other, "back")
    planned.away(other, substitute=DAN, name="Dan").back(other)
    planned.after(host.undo(planned.table, planned.table.kept.turn - 2))
    looking = planned.ticks(0, terms=Terms())
    for _ in range(9):
        planned, looking = planned.goes_on(), looking.goes_on()
    table.hears(table.asked, "wait")


def waves(table: Sitting) -> None:
    """Answer before the own turn, wait, and be asked again."""
    for turn, players in ((0, 2), (1, 2), (2, 4), (6, 4), (8, 2), (14, 4)):
        each = a_table(turn, players, waves=True)
        last = each.table.asked[-1]
        each.hears(each.asked, "wait")
        waits = each.hears(last, "wait")
        early = each.hears(last, "decline" if isinstance(each.table.kept.state.phase, Answering) else "stay")
        early.hears(last, "offer 99")
        early.after(host.undo(early.table, early.table.kept.turn - 1))
        for _ in range(3):
            waits, early = (there.goes_on() if there.asked != last else there for there in (waits, early))


def moves_motions(table: Sitting) -> None:
    """Ask the others to agree, in all ways in which that can end."""
    asked, first, second = table.asked, *table.others
    for words in ("take back", f"go on without {NAMES[asked]}"):
        asks = table.hears(first, words)
        asks.hears(first, "agree")
        asks.hears(second, words if words == "take back" else "take back")
        asks.hears(second, "disagree")
        asks.hears(second, f"go on without {NAMES[asked if words == 'take back' else first]}")
        asks.hears(asked, "no, thanks")
        asks.hears(asked, "I am here")
        asks.hears(first, "withdraw")
        asks.goes_on().goes_on().goes_on()
        agreed = asks.hears(second, "agree")
        if words == "take back":
            agreed.hears(second, "agree")
            agreed = agreed.hears(asked, "agree", asks.newest[asks.seat(asked).reader])
        motion = agreed.table.open_motion
        assert motion is not None
        agreed.after(host.carry_out(agreed.table, motion))
        agreed.after(host.cannot_carry_out(agreed.table, motion))
    table.hears(first, "withdraw")
    table.hears(first, "agree")
    for name in (NAMES[first], "Nobody"):
        table.hears(first, f"go on without {name}")
    table.hears(first, f"go on without {NAMES[asked]}\nresign")
    table.with_player(asked, address=BOT).hears(first, f"go on without {NAMES[asked]}")
    left = table.hears(asked, "resign")
    left = left.hears(asked, "yes") if left.code == "proposed" else left
    left.hears(asked, f"go on without {NAMES[first]}")
    left.hears(asked, "plan pass")
    left.hears(asked, "suggest")
    left.hears(first, f"go on without {NAMES[asked]}")
    a_table(6, 2).hears(a_table(6, 2).others[0], f"go on without {NAMES[a_table(6, 2).asked]}")
    often = table
    for _ in range(5):
        often = often.hears(first, "take back").hears(first, "withdraw")
    a_table(0).hears(a_table(0).asked, "take back")
    a_table(0).hears(a_table(0).asked, f"go on without {NAMES[a_table(0).others[0]]}")


def is_away(table: Sitting) -> None:
    """Go away and come back, with a substitute, a bot or nobody, by a message, by the host and by the clock."""
    asked, other = table.asked, table.others[0]
    for colour in (asked, other):
        for seat in (table, table.with_player(colour, substitute=DAN, substitute_name="Dan")):
            for words in ("absent", "absent until 2026-12-31", "absent until 2020-01-01", "absent 31 Feb"):
                came, letter = datetime(2026, 11, 21, tzinfo=UTC), seat.newest[seat.seat(colour).address]
                seat.hears(colour, words, came=came).hears(colour, "back", letter)
                seat.ticks(0).hears(colour, words)
        for substitute, name in ((DAN, "Dan"), (DAN, ""), (BOT, "")):
            for until in ("2026-12-31", "2999-12-31"):
                away = table.away(colour, until, substitute, name)
                away.resent()
                away.back(colour)
                away.goes_on() if away.asked else None
    table.with_player(asked, substitute=table.seat(other).address).hears(asked, "absent")
    table.away(other).goes_on().goes_on().goes_on()
    home = table.ticks(0).hears(asked, "absent until 2026-11-30")
    home.ticks(24, 240)
    noted = table.away(asked, substitute=DAN, name="Dan")
    noted.hears(asked, "note tea")


def runs_out_of_time(table: Sitting) -> None:
    """Be reminded, be warned, and lose the turn to somebody else."""
    seated = table.with_player(table.asked, substitute=DAN, substitute_name="Dan")
    for then in ("tell", "answer", "substitute", "bot"):
        for found in (table, seated):
            late = found.ticks(0, 30, 60, terms=Terms(then=then)).resent()
            late.ticks(61, 72).resent().ticks(84)
    for substitute in (DAN, BOT):
        handed = table.with_player(table.asked, substitute=substitute, substitute_name="Dan")
        then: Final = "substitute" if substitute == DAN else "bot"
        handed.ticks(0, 30, 60, 72, 84, terms=Terms(then=then)).resent()


def is_hosted(table: Sitting) -> None:
    """Let the host do what hosts do."""
    asked, other = table.asked, table.others[0]
    for why in ("", "tea"):
        paused = table.after(host.pause(table.table, why))
        paused.resent()
        paused.hears(asked, table.order)
        paused.hears(other, "take back")
        paused.after(host.resume(paused.table))
        begins(paused)
    for turn in (0, 4, 5):
        table.after(host.undo(table.table, turn))
    long = a_table(26)
    long.after(host.undo(long.table, 2))
    long.hears(long.asked, "go on")
    seat = table.seat(asked)
    for changed in (seat._replace(address="new@x.example"), seat._replace(name="Zoe", address="zoe@x.example")):
        table.after(host.replace(table.table, seat, changed))
    for message in (HOST_PLAYED, HOST_ANSWERED, CLOCK_PLAYED, CLOCK_ANSWERED):
        record, order = table.table.kept, table.order
        orders = Submission((order,), game=record.game, turn=record.turn, head=record.head)
        post = Post(b"", "", "", orders, person=False, instead=phrase(message, order=order))
        heard = hear(table.table, seat, ticket(seat.key, record.game, asked, record.turn), post)
        assert heard.step is not None
        tables.tell(heard.step)


def ends(table: Sitting) -> None:
    """Come to the end of the game."""
    over = table
    for colour in NAMES:
        over = over.hears(colour, "agree end") if over.table.roster.player(colour) else over
    assert over.table.is_over
    over = over.resent()
    for words in ("take back", "plan pass", "wait", "suggest", "show", "agree", "Well played!", "absent"):
        over.hears(table.asked, words)
    begins(a_table(36))
    begins(a_table(40, 2))
    left = table.hears(table.asked, "resign")
    left.resent().hears(table.asked, "suggest")
    left.hears(table.asked, "plan pass")


def comes_to_every_phase(table: Sitting) -> None:
    """Be asked in each phase, by oneself and as a substitute, and be reminded."""
    for players, turns in ((2, (0, 1, 2, 4, 5, 6, 8, 9, 20)), (3, (14,))):
        for turn in turns:
            there = begins(a_table(turn, players))
            there.away(there.asked, substitute=DAN, name="Dan")
            there.ticks(0, 60)


SESSIONS: Final = (
    asks_for_help,
    plays,
    plans,
    waves,
    moves_motions,
    is_away,
    runs_out_of_time,
    is_hosted,
    ends,
    comes_to_every_phase,
)


@pytest.mark.slow
@pytest.mark.parametrize("session", SESSIONS, ids=lambda session: session.__name__)
def test_no_letter_of_a_table_has_english_a_cut_message_a_long_line_or_one_that_is_more_than_talk(
    desk: Desk, session: Callable[[Sitting], None]
) -> None:
    session(begins(a_table()))

    assert desk.told
    assert desk.wrong == []


@pytest.mark.slow
@pytest.mark.parametrize("session", SESSIONS, ids=lambda session: session.__name__)
def test_no_line_of_a_letter_of_a_table_is_more_than_talk_in_any_language(
    monkeypatch: pytest.MonkeyPatch, session: Callable[[Sitting], None]
) -> None:
    desk = a_desk(monkeypatch, tuple(LANGUAGES))

    session(begins(a_table()))

    assert desk.told
    assert desk.wrong == []


def test_no_text_in_one_language_is_kept_for_readers_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables.Home, "to_answer", MailClub.to_answer)
    table = a_table(6, 4, waves=True)
    last = table.table.asked[-1]
    answered = table.hears(last, "decline").hears(last, "plan any rod up to 8\nabsent until 2026-12-31").table
    step = stand_still(table.table, answered, Resent(to_all=True))
    before = tell(step).letters

    with in_pseudo():
        other = tell(step).letters

    assert tell(step).letters == before
    assert {letter.page for letter in other}.isdisjoint(letter.page for letter in before)


# Letters of no table


def letters_about_seats() -> Iterator[Letter]:
    """Yield all letters to people who have no seat, or whose game has not begun."""
    zoe, own = Player("red", "Zoe", "zoe@x.example", b""), ticket(b"", "friday", "join", 1)
    yield seats.to_stranger("zoe@x.example", "saturday", "")
    for is_last in (True, False):
        yield seats.invitation(own, zoe, "red", "5fa0e1b2", "", is_last=is_last)
        yield seats.invitation(own, zoe, "", "", "", is_last=is_last)
        taken = phrase("{colour} is already taken", colour=phrase_in("red", "clan colour"))
        free = phrase("These colours are free: {colours}.", colours=phrase_listed(["Zoe"]))
        yield seats.cannot_join("zoe@x.example", Unmet(taken, hint=free), "", is_last=is_last)
    for missing in (1, 2):
        yield seats.seated("friday", zoe, missing, "club@example.org", "5fa0e1b2")
        yield seats.not_begun("friday", zoe, missing)
    yield seats.dismissed("friday", "zoe@x.example", "")


def letters_of_a_server() -> Iterator[Letter]:
    """Yield letters about pushes to a repository, and of a server's clock; what the minutes say is in English."""
    record, noon = a_table().table.kept, parse_line("2027-01-01T12:00:00Z 0/00000000 red is back").time
    asked, (other, third) = str(record.asked), a_table().others
    addresses = {colour: f"{colour}@example.org" for colour, _ in record.players}
    place = f"2027-01-01T12:00:00Z {record.turn}/{record.head[:HEAD_DIGITS]}"
    for words in (
        "says Hello!",
        "proposes to take the game back to turn 5",
        f"proposes to go on without {third}",
        "proposes to pause the game",
        "is away until 2027-01-15",
        "is away",
        "is away, and lets Dan play",
        "is away until 2027-01-15, and lets Dan play",
        "decides to pause the game",
    ):
        for by in (other, asked):
            lines = (parse_line(f"{place} {by} {words}"),)
            seen = Seen(record, Minutes().after(*lines), None, noon)
            yield from letters(seen, PushNews(moved=False, said=lines), addresses)
            yield from letters(seen, PushNews(moved=True), addresses)
    for then in ("tell", "answer", "exclude"):
        clock = Minutes().after(parse_line(f"{place} {asked} decides to set the clock to 2 days, then {then}"))
        for now in (noon, noon + 2 * 86400):
            yield from letters(Seen(record, clock, noon + 86400, now), PushNews(moved=False), addresses)
    yield from letters(Seen(record, Minutes(), None, noon, is_home=True), PushNews(moved=False), addresses)


@pytest.mark.slow
@pytest.mark.parametrize("made", [letters_about_seats, letters_of_a_server], ids=lambda made: made.__name__)
def test_no_other_letter_has_english_or_a_cut_message_or_a_long_line(
    desk: Desk, made: Callable[[], Iterator[Letter]]
) -> None:
    desk.hears("Hello red blue green says proposes to take the game back to turn go on without pause decides is away")
    desk.hears("until and lets play")

    with in_pseudo():
        found = tuple(made())
    for letter in found:
        desk.reads(letter)

    assert desk.wrong == []


@every_turn
def test_no_headline_of_whoever_is_asked_has_english_or_a_cut_message(game: str, turn: int) -> None:
    record = at_turn(recorded(game), turn)
    state, colour = record.state, str(who_decides(record.state))
    if colour not in state.order:
        return
    player = Player(colour, "Zoe", "zoe@x.example", b"")

    with in_pseudo():
        kinds = (Occasion.ASKED, Occasion.WELCOME, Occasion.REMINDER, Occasion.RESUMED)
        asked = [headline(kind, player, state, left="6") for kind in kinds]
        asked += [
            headline(Occasion.ASKED, player._replace(absent="2999-12-31", substitute=DAN, substitute_name="Dan"), state)
        ]

    for says in asked:
        text = re.sub("Zoe|Dan", "", "\n".join((says.subject, *says.lines)))
        assert english_on_a_page(text, record) == []
        assert all(map(is_nested, says.lines))


def words_that_are_rare() -> Iterator[str]:
    """Yield what letters say only in long games, or only in some clubs."""
    now, an_end = START, a_table(36).table.kept
    for look in (START + timedelta(days=200), timedelta(hours=36)):
        for is_own in (True, False):
            yield unglued(look_text(look, UTC, now, is_own=is_own))
    for until in ("", "2027-05-01"):
        for substitute in ("", "Dan"):
            yield own_absence(UTC, Away(until, substitute), now)
    for plans, bots in ((0, 0), (1, 0), (0, 2), (3, 4)):
        yield of_the_end(Counts(40, 30, 4, 9, plans, bots))
    for month in range(1, 13):
        yield shown(START.replace(month=month), UTC, now)
        yield in_table(START.replace(month=month, year=2028), UTC, now)
    yield text_of(Page(whole_game("friday.toml", "")))
    yield text_of(Page(proof(an_end._replace(chance=Chance("sealed")), "")))


def test_nothing_that_letters_say_rarely_is_english(desk: Desk) -> None:
    with in_pseudo():
        said = tuple(words_that_are_rare())

    assert [word for text in said for word in english_in(text, desk.said)] == []
    assert all(map(is_nested, said))


def test_a_file_and_the_minutes_have_english_spans_in_every_language() -> None:
    clock = parse_line("2027-01-01T12:00:00Z 0/00000000 red decides to set the clock to 2 days, then answer")

    with in_pseudo():
        said, kept = str(clock), terms_data(Terms())

    assert "2 days" in said
    assert english_in(str(kept), set()) == english_in(str(terms_data(Terms())), set())


def test_a_line_that_is_made_harmless_is_as_wide_as_others() -> None:
    """It begins with a request, and neither the line above it nor the one below has room for a word of it."""
    lines = (
        "Zeile: zeige, optionen, probiere BEFEHL, vorschlag, regeln R4.15, hilfe,",
        "notiz TEXT, news immer, news am Zug, news nie, nur Listen, sprache en,",
        "abwesend bis 2026-12-31, zurück, zurücknehmen, weiter ohne NAME, zeigen,",
    )
    with speaking("de"):
        told = harmless("\n".join(lines)).splitlines()

        assert " ".join(told) == " ".join((lines[0], f"etwa {lines[1]}", lines[2]))
        assert [line for line in told if columns(line) > WIDTH or is_order(line)] == []

"""What is said of what players write, and of the rules, in a language that no program speaks."""

import re
from pathlib import Path
from random import Random

import pytest
from plans import a_plan
from test_languages import english_in, in_pseudo, is_nested, recorded
from test_plan_words import MALFORMED, PLACES

from pbem import loading
from pbem.carriers.mail.incoming.message import read_message
from pbem.errors import NotUnderstood
from pbem.first_sparks.bot.suggest import suggest
from pbem.first_sparks.components import COLOURS
from pbem.first_sparks.phases import Answering, Settling
from pbem.first_sparks.plans.plan import CLASSES
from pbem.first_sparks.plans.read import read
from pbem.first_sparks.plans.words import plan_text
from pbem.first_sparks.plans.write import write, write_always
from pbem.first_sparks.record import at_turn
from pbem.first_sparks.state import GameState
from pbem.locale import LANGUAGES, Language, speaking, tr
from pbem.page.page import Page, Section
from pbem.page.text import WIDTH, columns, lines_of, text_of
from pbem.plans.bots import proposal
from pbem.plans.files import telling
from pbem.plans.intents import Intent, changed
from pbem.reading.context import NOBODY, Context
from pbem.reading.decide import read_reply
from pbem.reading.languages import in_english
from pbem.reading.lines import MOST_LINES
from pbem.reading.recognisers.phrases import rows
from pbem.report import refusal_blocks
from pbem.rule_search import index, overview, rule_blocks, rules_named
from pbem.what_if import orders_in

GAME = recorded("4-players")
# What a plan is written with, where it is told how.
WRITTEN = {*CLASSES, *COLOURS, *["any", "if", "nobody", "wants", "it"]}
QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")


def told(error: NotUnderstood) -> str:
    """Return a refusal in the pseudo language, without what is quoted in it; the error itself is in English."""
    with in_pseudo():
        text = "\n".join(lines_of(refusal_blocks(error)))
    assert is_nested(text)
    return QUOTED.sub("", " ".join(text.split()))


# Plans


@pytest.mark.parametrize(("place", "text"), [malformed[:2] for malformed in MALFORMED])
def test_nothing_that_is_said_of_a_wrong_plan_is_english(place: str, text: str) -> None:
    state = PLACES[place]()

    with pytest.raises(NotUnderstood) as wrong:
        read(text.splitlines(), state, "red")

    assert {*english_in(told(wrong.value), GAME)} <= WRITTEN | {clan.player for clan in state.clans}


@pytest.mark.parametrize(
    "lines",
    [["plan 14"] * 61, ["plan " + "14 " * 200], [f"plan drop {number}" for number in range(50, 80)]],
    ids=["too many lines", "a line too long", "too much wrong"],
)
def test_nothing_that_is_said_of_an_endless_plan_is_english(lines: list[str]) -> None:
    with pytest.raises(NotUnderstood) as wrong:
        read(lines, PLACES["market"](), "red")

    assert english_in(told(wrong.value), GAME) == []


@pytest.mark.slow
@pytest.mark.parametrize("turn", [0, 4, 8, 36, 65])
def test_nothing_that_is_said_of_a_plan_that_is_kept_or_proposed_is_english(turn: int) -> None:
    record, place = at_turn(GAME, turn), Path("games") / "game.toml"
    asked = record.asked
    assert asked is not None
    planned = suggest(record.state, asked, record.game) or ("plan new ask",)
    kept = changed(record, Intent(), read(planned, record.state, asked))

    with in_pseudo():
        said = (*telling(record, place, asked, kept), *proposal(place, record, asked))

    sentences = "\n".join(line for line in said if not line.startswith(("plan ", "  pbem ", "    ")))
    assert english_in(QUOTED.sub("", sentences), record) == []
    assert is_nested("\n".join(said))


# Replies


def a_question(phase: type[Answering | Settling]) -> GameState:
    """Return the first situation of a recorded game in which somebody is asked that."""
    situations = (at_turn(GAME, turn).state for turn in range(GAME.turn))
    return next(state for state in situations if isinstance(state.phase, phase))


ANSWER, SETTLE = Context(a_question(Answering)), Context(a_question(Settling))
REPLIES: list[tuple[Context, str, str]] = [
    (NOBODY, "a\n" * (MOST_LINES + 1), "the message has more than"),
    (NOBODY, "buy\n" * 21, "the message has 21 orders"),
    (NOBODY, "ofer 12", "'ofer 12' cannot be read as an order"),
    (NOBODY, "offer 9\nwhat do you think\nbuy", "is between your orders"),
    (NOBODY, "Hello\n\n-- \noffer 9", "is below your signature line"),
    (NOBODY, "Hello\n\n-- \nplan 14 19", "is below your signature line"),
    (NOBODY, "I keep it strictly confidential that the bears are next, yes\noffer 9\nAnn", "confidentiality notice"),
    (NOBODY, "On Mon, 3 Nov 2026 at 10:00, X <a@b> wrote:\n\noffer 9", "is below the beginning of the letter"),
    (NOBODY, "offer 9\nOn Monday Ann wrote\nbuy", "'buy' is below something that looks like the beginning"),
    (NOBODY, "From: Ann <a@b.c>\nplan 14", "'plan 14' is below something that looks like the beginning"),
    (NOBODY, "> " + "long " * 12 + "\noffer 9\n> here", "may be part of the quoted line"),
    (ANSWER, "buy if nobody wants it", "can only be said as a plan"),
    (ANSWER, "offer or pass", "looks like an order, but cannot be read as one"),
    (SETTLE, "A1a B1a", "can mean settle A1a or settle B1a"),
    (SETTLE, "yes", "does not answer the question"),
]


@pytest.mark.parametrize(("context", "text", "said"), REPLIES, ids=[said for *_, said in REPLIES])
def test_nothing_that_is_said_of_a_reply_is_english(context: Context, text: str, said: str) -> None:
    with pytest.raises(NotUnderstood) as wrong:
        read_reply(text, context)

    assert said in "\n".join((wrong.value.message, *(reason.message for reason in wrong.value.reasons)))
    assert {*english_in(told(wrong.value), GAME)} <= WRITTEN


UNREADABLE = {
    "is written in RTF": b"Content-Type: text/rtf\n\n{\\rtf1 offer 9}",
    "is encrypted": b"Content-Type: text/plain\n\n-----BEGIN PGP MESSAGE-----\n",
    "has more than 32000 lines": b"Content-Type: text/plain\n\nHello" + b"\n" * 40_000 + b"Ann",
    "bytes without large pictures": b"Content-Type: text/plain\n\n" + b"a" * 600_000,
    "has too many headers": b"X: y\n" * 100_000 + b"\n",
    "UTF-7": b"Content-Type: text/plain; charset=utf-7\n\noffer 9",
}


@pytest.mark.parametrize("said", UNREADABLE)
def test_nothing_that_is_said_of_a_message_that_cannot_be_read_is_english(said: str) -> None:
    try:
        why = NotUnderstood(read_message(UNREADABLE[said]).unreadable)
    except NotUnderstood as wrong:
        why = wrong

    assert said in why.message
    assert english_in(told(why), GAME) == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("context", [ANSWER, SETTLE], ids=["answer", "settle"])
def test_a_choice_that_was_copied_from_a_letter_counts_in_its_language(context: Context, language: Language) -> None:
    """Below the heading of the table it is one of all choices, so that the player is asked."""
    assert context.state is not None

    with speaking(language):
        order, row = next(rows(context.state))
        head = f"{tr('order', 'column')} {tr('cost', 'column')}"
    alone = read_reply(row, context._replace(language=language))
    below = read_reply(f"{head}\n{row}", context._replace(language=language))

    assert (alone.orders, alone.proposed) == ((order,), ())
    assert (below.orders, below.proposed) == ((), (order,))


@pytest.mark.parametrize("orders", ["", ";", "buy;" * 21])
def test_nothing_that_is_said_of_orders_to_try_is_english(orders: str) -> None:
    with pytest.raises(NotUnderstood) as wrong:
        orders_in(orders)

    assert english_in(told(wrong.value), GAME) == []


@pytest.mark.parametrize("lines", [[], ["buy"] * 21])
def test_nothing_that_is_said_of_too_many_orders_is_english(lines: list[str]) -> None:
    with pytest.raises(NotUnderstood) as wrong:
        loading.order_lines(lines, "B2a")

    assert english_in(told(wrong.value), GAME) == []


# Rules


def test_no_rule_is_english_or_longer_than_a_line() -> None:
    rules = rules_named(())

    with in_pseudo():
        text = text_of(Page((*overview(), Section("why", tuple(rule_blocks(rules))))))

    names = {part for rule in rules for part in rule["id"].split("-")}
    assert {*english_in(text, GAME)} <= names
    assert is_nested(text)
    assert all(columns(line) <= WIDTH for line in text.splitlines())
    assert len(re.findall(r"^R[0-9.]+ ", text, re.MULTILINE)) == len(rules) + len(index().most_asked)


@pytest.mark.parametrize("asked", ["R99", "xyzzyqq", "rottn"])
def test_nothing_that_is_said_of_a_rule_that_is_not_there_is_english(asked: str) -> None:
    with pytest.raises(NotUnderstood) as wrong:
        rules_named((asked,))

    names = {*index().rules[-1]["id"].split("-"), *re.findall(r"[a-z]+", wrong.value.hint.partition(": ")[2])}
    assert {*english_in(told(wrong.value), GAME)} <= names


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_plan_in_a_language_is_read_back(language: Language) -> None:
    """Plans of any kind, in every phase, with each of their lines as a letter shows it."""
    random, wrong = Random(7), []
    for game in ("2-players", "4-players"):
        for turn in (0, 3, 5, 8, 27, 36) * 8:
            state = at_turn(recorded(game), turn).state
            colour = random.choice(state.order)
            said = a_plan(state, colour, random)
            lines = (*(write(said.plan) if said.plan else ()), *(write_always(said.always) if said.always else ()))
            with speaking(language):
                own = tuple(map(plan_text, lines))
            meant = [in_english(line, language).text for line in own]
            try:
                same = read(meant, state, colour) == said if lines else True
            except NotUnderstood:
                same = False
            wrong += [] if same else [(lines, own, meant)]

    assert wrong == []


@pytest.mark.parametrize(
    ("language", "word", "rule"),
    [("it", "spareggio", "winner"), ("fr", "pourrir", "rotten-food"), ("de", "Gleichstand", "winner")],
)
def test_a_rule_is_found_by_words_of_its_text(language: Language, word: str, rule: str) -> None:
    found = [each["id"] for each in rules_named((word,), word, language)]
    assert rule in found

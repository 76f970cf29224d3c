"""What people write is played if it has one meaning, asked about if it nearly has, and talk is never an order."""

import tomllib
from contextlib import suppress
from pathlib import Path

import pytest
from builders import a_clan, a_game
from hypothesis import given
from hypothesis import strategies as st
from work import calls

from pbem.carriers.mail.incoming.content import understood
from pbem.carriers.mail.incoming.message import read_message
from pbem.errors import NotUnderstood
from pbem.first_sparks.notation import ORDER_WORDS, expected
from pbem.first_sparks.phases import (
    Adding,
    Answering,
    Dropping,
    Laying,
    Offering,
    Settling,
    SettlingNeutral,
    Spreading,
    SpreadingNeutral,
    Starving,
    TakingOrDiscarding,
)
from pbem.first_sparks.state import GameState
from pbem.page.glue import unglued
from pbem.reading import lines
from pbem.reading.context import Context
from pbem.reading.decide import read_reply
from pbem.reading.message import Post, of_text
from pbem.reading.quotes import LONGEST_TEXT
from pbem.reading.recognisers import phrases
from pbem.table.letters.harmless import buttons

RICH = a_clan(30, members=("B2b",))
QUESTIONS: dict[str, GameState | None] = {
    "offering": a_game(phase=Offering("green"), waiting=("green", "red"), green=RICH),
    "answering": a_game(phase=Answering("green", "red", 9, (), ()), green=RICH),
    "adding": a_game(phase=Adding("green"), green=RICH),
    "settling": a_game(phase=Settling("green")),
    "settling-neutral": a_game(2, phase=SettlingNeutral("green")),
    "laying": a_game(2, phase=Laying("green", "C"), board=3),
    "taking": a_game(2, phase=TakingOrDiscarding("green", 9), green=RICH, first_offer=True),
    "dropping": a_game(phase=Dropping("green"), green=a_clan(9, cards=(7, 8, 10, 11))),
    "starving": a_game(phase=Starving("green", 1), green=a_clan(1, members=("B2b", "B2c"))),
    "spreading": a_game(phase=Spreading("green"), green=RICH),
    "spreading-neutral": a_game(2, phase=SpreadingNeutral("green", 1), neutral=("B2b",)),
    "nobody": None,
}
CORPUS = tomllib.loads((Path(__file__).parent / "phrases.toml").read_text(encoding="utf-8"))
LETTER = "> == write your orders ABOVE this line == [friday/57/1a2b3c4d]\n> offer 10\n> stay\n> buy\n"
ONE_IN = 8
EVERY = [(question, phrase, wanted) for question, table in CORPUS.items() for phrase, wanted in table.items()]


def outcome(text: str, asked: Context) -> str:
    """Return what becomes of a message with that text."""
    return outcome_of(of_text(b"", f"{text}\n\n{LETTER}", asked)[0])


def mailed(text: str, asked: Context) -> Post:
    """Return a mail with that text as it is understood."""
    raw = f"From: ann@example.org\nContent-Type: text/plain; charset=utf-8\n\n{text}\n\n{LETTER}".encode()
    return understood(raw, read_message(raw), asked)[0]


def outcome_of(post: Post) -> str:
    """Return what becomes of a message."""
    if post.wrong is not None:
        return "refused"
    if post.orders is not None:
        return f"played {', '.join(post.orders.orders)}"
    if post.proposed:
        return f"asked {', '.join(post.proposed)}"
    return f"wants {', '.join(post.requests)}" if post.requests else "talk"


def test_the_corpus_covers_every_question_and_every_order() -> None:
    assert CORPUS.keys() == QUESTIONS.keys()
    assert len(EVERY) >= 200
    orders = {wanted.partition(" ")[2] for *_, wanted in EVERY}
    assert all(any(order.startswith(word) for order in orders) for word in ORDER_WORDS)
    assert {wanted.partition(" ")[0] for *_, wanted in EVERY} == {"played", "asked", "talk", "refused", "wants"}


@pytest.mark.parametrize("first", range(ONE_IN))
def test_every_phrase_is_understood(first: int) -> None:
    found = {
        (question, phrase, wanted): outcome(phrase, Context(QUESTIONS[question], "Ann"))
        for question, phrase, wanted in EVERY[first::ONE_IN]
    }

    assert [(*said, what) for said, what in found.items() if what.lower() != said[2].lower()] == []


@pytest.mark.parametrize("question", [question for question in QUESTIONS if question != "nobody"])
def test_what_is_copied_from_our_own_letter_is_played(question: str) -> None:
    state = QUESTIONS[question]
    assert state is not None
    copied = [(f"  {order:<20}  {row.removeprefix(order)}", order) for order, row in phrases.rows(state)]
    tapped = [(button.label, button.order) for button in buttons(state, "green")]

    assert tapped or question in ("laying", "dropping")
    for line, order in (*copied[:20], *tapped):
        assert outcome(line, Context(state)) == f"played {order}", line


def test_a_yes_beneath_the_whole_letter_answers_it() -> None:
    asked = Context(QUESTIONS["answering"], "Ann")
    letter = "> == write your orders ABOVE this line == [friday/57/1a2b3c4d]\n> Bob says: are you coming?\n> offer 9\n"

    assert read_reply(f"{letter}\nyes\n", asked).orders == ("buy",)
    assert read_reply(f"{letter}\nyes\n> more\n", asked).proposed == ("buy",)


@pytest.mark.parametrize("beside", ["", "yes\n", "no\n", "word " * 200])
def test_what_sounds_like_a_plan_is_told_to_nobody(beside: str) -> None:
    """Nor beside an answer to our question, or at the end of a long line."""
    asked = Context(QUESTIONS["offering"], "Ann", proposed=("offer 9",), replies_to_it=True)

    with pytest.raises(NotUnderstood, match="may not be for all players"):
        read_reply(f"{beside}Next round I want the bow up to 8, otherwise I pass", asked)


def test_what_is_said_after_a_yes_is_passed_on_or_answered() -> None:
    asked = Context(QUESTIONS["offering"], "Ann", proposed=("offer 9",), replies_to_it=True)

    thanked, wondered = (read_reply(f"yes, {words}", asked) for words in ("nice game so far", "and what does fire do?"))

    assert (thanked.orders, thanked.talk) == (("offer 9",), "nice game so far")
    assert (wondered.orders, wondered.requests) == (("offer 9",), ("rules fire",))


def test_who_writes_to_the_host_alone_reads_where_to() -> None:
    with pytest.raises(NotUnderstood) as wrong:
        read_reply("host: is Bob cheating?", Context(QUESTIONS["offering"], "Ann"))

    assert "write to the host directly" in unglued(wrong.value.reasons[0].message)


@pytest.mark.parametrize(
    ("text", "word"),
    [("spread C1a Clb", "Clb"), ("spread B1a B3c", "B3c"), ("I spread to Cia, C1b", "Cia"), ("spread C1a, b", "B")],
)
def test_who_mistypes_a_space_reads_which_word_is_none(text: str, word: str) -> None:
    with pytest.raises(NotUnderstood) as wrong:
        read_reply(text, Context(QUESTIONS["spreading"], "Ann"))

    assert f'"{word}" is not a space' in unglued(wrong.value.reasons[0].message)


@pytest.mark.parametrize(
    "text", ["add B2b (plan 7 9)", "add B2b. plan 7 9", "add B2b - plan 7 9", "I add B2b, plan 7 9"]
)
def test_a_plan_behind_an_order_is_kept(text: str) -> None:
    reply = read_reply(text, Context(QUESTIONS["adding"], "Ann"))

    assert (reply.orders, reply.plan) == (("add B2b",), ("plan 7 9",))


def test_a_note_behind_an_order_is_kept() -> None:
    reply = read_reply("add B2b (note: keep 3 food)", Context(QUESTIONS["adding"], "Ann"))

    assert (reply.orders, reply.requests) == (("add B2b",), ("note keep 3 food",))


@pytest.mark.parametrize(
    "words",
    [
        "yes",
        "Yes!",
        "yes please",
        "yes, resign",
        "yes I resign",
        "Hi\n\nyes\n\nAnn",
        "yes please, sorry for the typo",
        "yes, and what does fire do?",
        "yes, nice game so far",
    ],
)
@pytest.mark.parametrize("question", ["nobody", "offering", "answering"])
def test_a_yes_to_our_question_means_what_was_proposed(question: str, words: str) -> None:
    asked = Context(QUESTIONS[question], "Ann", proposed=("resign",), replies_to_it=True)

    assert read_reply(words, asked)[::5] == (("resign",), "yes")


@pytest.mark.parametrize(
    "words",
    [
        "yes?",
        "yes but not now",
        "yes if Bob does",
        "no",
        "ok",
        "yes\nwait, no",
        "> resign\nyes\n> more",
        "maybe",
        "yes, but 9",
        "yes, tomorrow",
        "yes, hold on",
        "yes, if Bob does",
        "yes but add a note: keep 3 food",
    ],
)
@pytest.mark.parametrize("question", ["nobody", "offering", "answering"])
def test_what_is_no_clear_yes_plays_nothing(question: str, words: str) -> None:
    asked = Context(QUESTIONS[question], "Ann", proposed=("resign",), replies_to_it=True)

    with suppress(NotUnderstood):
        assert read_reply(words, asked).orders == ()


# Nothing that is talk becomes an order


# Who is not asked says nothing with these, and who is asked says no.
NO = ("no", "none", "no thanks", "skip", "not interested", "nothing for me")
TALK = [phrase for _, phrase, wanted in EVERY if wanted == "talk" and phrase not in ("yes", "9", "mine!", *NO)]
TABLE_TALK = (Path(__file__).parent / "talk.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_friends_write_to_each_other_is_no_order(question: str) -> None:
    assert len(TABLE_TALK) >= 200
    found = {line: outcome(line, Context(QUESTIONS[question], "Ann")).partition(" ")[0] for line in TABLE_TALK}

    assert {line for line, become in found.items() if become in ("played", "wants")} == set()


@given(st.lists(st.sampled_from(TALK), min_size=2, max_size=5), st.sampled_from(sorted(QUESTIONS)))
def test_talk_upon_talk_is_no_order(said: list[str], question: str) -> None:
    assert not outcome("\n".join(said), Context(QUESTIONS[question], "Ann")).startswith("played")


@given(
    st.sampled_from([(question, phrase) for question, phrase, wanted in EVERY if wanted.startswith("played")]),
    st.sampled_from(["if I were you", "unless Bob does", "would be mad", "was wrong of you", "or not", "but why?"]),
)
def test_a_condition_behind_an_order_plays_nothing(said: tuple[str, str], condition: str) -> None:
    question, phrase = said
    first = phrase.split("\n")[0].split("#")[0].rstrip(" .,!")

    assert not outcome(f"{first} {condition}", Context(QUESTIONS[question])).startswith("played")


@given(st.sampled_from([(q, p) for q, p, wanted in EVERY if wanted.startswith("played")]), st.sampled_from(">|"))
def test_what_is_quoted_is_never_played(said: tuple[str, str], mark: str) -> None:
    question, phrase = said
    quoted = "\n".join(f"{mark} {line}" for line in phrase.split("\n"))

    assert outcome(quoted, Context(QUESTIONS[question])) == "talk"


@pytest.mark.parametrize("name", ["Will Pass", "Bob Stay", "Pass", "Nora Buy"])
def test_the_writers_own_name_is_a_signature(name: str) -> None:
    for question in ("offering", "answering", "spreading"):
        found = outcome(f"What a round!\n\n{name}", Context(QUESTIONS[question], name))
        assert found == "talk" or name == "Pass"


def test_the_writers_own_name_may_stand_behind_an_order() -> None:
    question = QUESTIONS["offering"]

    assert outcome("Offer 9 cheers ANN LEE", Context(question, "Ann Lee")) == "played offer 9"
    assert outcome("Offer 9 for Ann Lee", Context(question, "Bob")) == "asked offer 9"
    assert outcome("I will pass", Context(question, "Will Pass")) == "played pass"
    named = "I'd like to offer the rod"
    assert outcome(named, Context(question, "Rod")) == outcome(named, Context(question, "Bob"))
    assert outcome("I pass to Ann", Context(question, "Ann")) != "played pass"


SPOKEN = "i you yes no not offer buy pass stay decline 9 7 fire it to the B1a , ? . if # for food please ok will"


@given(st.lists(st.sampled_from(SPOKEN.split()), max_size=9).map(" ".join), st.sampled_from(sorted(QUESTIONS)))
def test_what_is_understood_is_an_order_that_can_be_read(text: str, question: str) -> None:
    state = QUESTIONS[question]

    found = phrases.meaning(text, state)

    for order in found.orders if found else ():
        assert lines.is_order(order), order
    if found and found.sure and state is not None and found.bare:
        assert found.orders[0].startswith(expected(state.phase))


@given(st.text(max_size=400), st.sampled_from(sorted(QUESTIONS)))
def test_any_text_ends_in_a_verdict(text: str, question: str) -> None:
    mailed(text, Context(QUESTIONS[question], "Ann", frozenset(("offer 9",)), ("offer 9",)))


# It takes as many steps as the mail is long


STEPS = {
    "phrases": "I offer 9, thanks\n",
    "guesses": "ofer 9\n",
    "courtesies": "ok " * 80 + "\n",
    "names": "Bob Stay\n",
    "the own name": "Ann\n",
    "addresses": "Ann <ann@x.example>\n",
    "dates": "2016-03-03 17:21 GMT+01:00 Some One\n",
    "labels": "From: ann@x.example\n\nnothing\n",
    "dashes": "----- what -----\n",
    "orders": "spread A1a\nA1b\n",
    "yes": "yes\n",
    "rows": "offer 7 1 basket: and no more\n",
}


def steps(text: str, asked: Context) -> int:
    """Return how many functions are called to read the text."""
    with calls() as made, suppress(NotUnderstood):
        read_reply(text, asked)
    return sum(made)


@pytest.mark.parametrize("name", STEPS)
def test_a_text_of_twice_the_length_takes_twice_the_steps(name: str) -> None:
    asked = Context(QUESTIONS["offering"], "Ann", frozenset(("offer 9",)), ("offer 9",))
    lines_of = min(LONGEST_TEXT // len(STEPS[name]), lines.MOST_LINES) // (2 * STEPS[name].count("\n")) - 10

    once, twice = (steps(STEPS[name] * number, asked) for number in (lines_of // 2, lines_of))

    assert twice < 2.5 * once + 2_000


@pytest.mark.parametrize("question", ["answering", "offering"])
def test_a_line_that_cannot_be_read_is_named_once(question: str) -> None:
    post = mailed("buy me a beer", Context(QUESTIONS[question], "Ann"))

    assert post.wrong is not None
    assert str(vars(post.wrong)).count("buy me a beer") == 1

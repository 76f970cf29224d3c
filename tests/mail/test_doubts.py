"""An order that the lines around it take back is not played but asked about; other talk around it changes nothing."""

import pytest
from builders import a_clan, a_game

from pbem.errors import NotUnderstood
from pbem.first_sparks.phases import Answering, Offering
from pbem.reading.context import Context
from pbem.reading.decide import Reply, read_reply

RICH = a_clan(30, members=("B2b",))
OFFERING = Context(a_game(phase=Offering("green"), waiting=("green", "red"), green=RICH), "Ann")
ANSWERING = Context(a_game(phase=Answering("green", "red", 9, (), ()), green=RICH), "Ann")

BENEATH = [
    "No wait, pass",
    "or maybe 8?",
    "(just kidding)",
    "Only if Cara is ok with it.",
    "Unless somebody objects.",
    "provided I still have 5 food after that, otherwise pass",
    "unless Bob objects",
    "is what I would do, Bob.",
    "is wrong",
    "Scratch that. offer 10",
    "Not sure yet, will tell you tomorrow.",
    "Please ignore the line above.",
    "Please don't play this yet.",
    "Sorry, I meant offer 8",
    "Sorry, I meant 8",
    "Sorry, I meant the rod",
    "no, 8",
    "Correction: rod",
    "Actually, I'm not sure",
    "?",
    "???",
    "I changed my mind",
    "Hmm, wait.",
    "Wait for my next mail!",
    "Bob: offer 8",
    "I'll decide tomorrow.",
]
ABOVE = [
    "I will not",
    "Don't",
    "Bob, you should",
    "Please do NOT play",
    "draft, do not send:",
    "Bob, when it is your turn:",
    "I said yesterday:",
    "The mail says I can write",
]
TALK = [
    "Sorry for the delay, I was away.",
    "If you are in Berlin next week, let's meet.",
    "Not a great card but ok",
    "I would have liked the bow, but no food.",
    "Nobody wants 7 I guess?",
    "When do we play the next game?",
    "Bob, you should have bought that.",
    "I'm not sure this is wise :)",
    "Maybe next time I get the bow",
    "Wait for it, Bob!",
    "Actually I like this card",
    "Otherwise, how are you all?",
    "I meant to write earlier",
    "No, I did not forget you",
    "Bob is 9 today!",
    "That is my final answer",
    "undo is not possible, is it?",
    "Sorry I could not answer yesterday.",
]


def said(text: str, asked: Context) -> Reply | None:
    """Return what is read, None where the mail is refused."""
    try:
        return read_reply(text, asked)
    except NotUnderstood:
        return None


@pytest.mark.parametrize("line", BENEATH)
@pytest.mark.parametrize("order", ["offer 9", "I offer 9"])
def test_an_order_that_a_line_beneath_takes_back_is_asked_about(order: str, line: str) -> None:
    for reply in (said(f"{order}\n{line}", OFFERING), said(f"Hi all\n{order}\n{line}\nAnn", OFFERING)):
        assert reply is None or (reply.orders == () and reply.proposed == ("offer 9",))


@pytest.mark.parametrize("line", ABOVE)
@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_an_order_that_ends_a_sentence_is_asked_about(line: str, gap: str) -> None:
    reply = said(f"{line}{gap}offer 9", OFFERING)

    assert reply is None or (reply.orders == () and reply.proposed == ("offer 9",))


@pytest.mark.parametrize(
    "text", ["no\n\nI mean yes", "Yes.\n\nI'll answer tomorrow.", "decline\n\nActually no.", "yes\n?"]
)
def test_an_answer_that_is_taken_back_is_asked_about(text: str) -> None:
    reply = said(text, ANSWERING)

    assert reply is None or reply.orders == ()


@pytest.mark.parametrize("line", TALK)
def test_other_talk_around_an_order_changes_nothing(line: str) -> None:
    for text in (f"offer 9\n\n{line}", f"{line}\n\noffer 9"):
        reply = said(text, OFFERING)
        assert reply is not None
        assert (reply.orders, reply.talk) == (("offer 9",), line)

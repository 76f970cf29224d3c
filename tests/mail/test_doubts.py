"""An order that the lines around it take back is not played but asked about; other talk around it changes nothing."""

from collections.abc import Mapping

import pytest
from builders import a_clan, a_game

from pbem.errors import NotUnderstood
from pbem.first_sparks.phases import Answering, Offering, SpreadingNeutral
from pbem.locale import Language, speaking, tr
from pbem.page.glue import unglued
from pbem.reading.context import Context
from pbem.reading.decide import Reply, read_reply
from pbem.reading.doubts import are_taken_back

RICH = a_clan(30, members=("B2b",))
OFFERING = Context(a_game(phase=Offering("green"), waiting=("green", "red"), green=RICH), "Ann")
ANSWERING = Context(a_game(phase=Answering("green", "red", 9, (), ()), green=RICH), "Ann")

BENEATH = [
    "No wait, pass -> pass",
    "or maybe 8?",
    "(just kidding)",
    "Only if Cara is ok with it.",
    "Unless somebody objects.",
    "provided I still have 5 food after that, otherwise pass",
    "unless Bob objects",
    "is what I would do, Bob.",
    "is wrong",
    "Scratch that. offer 10 -> offer 10",
    "Not sure yet, will tell you tomorrow.",
    "Please ignore the line above.",
    "Please don't play this yet.",
    "Sorry, I meant offer 8 -> offer 8",
    "Sorry, I meant 8 -> offer 8",
    "Sorry, I meant the rod -> offer 8",
    "no, 8 -> offer 8",
    "Correction: rod -> offer 8",
    "Actually, I'm not sure",
    "?",
    "???",
    "I changed my mind",
    "Hmm, wait.",
    "Wait for my next mail!",
    "Bob: offer 8",
    "I'll decide tomorrow.",
    "Hmm, actually 8 -> offer 8",
    "ignore the above",
    "disregard this",
    "Argh, I misread. Please disregard.",
    "never mind, I need to think",
    "oh wait, I can't afford that",
    "withdraw that",
    "not sure though",
    "I'll think about it overnight",
    "will confirm tonight",
    "forget that, I'm thinking",
    "I just noticed: rather not",
    "let me get back to you",
    "to be confirmed",
    "on reflection, 8 -> offer 8",
    "On reflection, no",
    "pending Bob's answer",
    "sorry, scrap that",
    "I'm having second thoughts",
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
    "We had a long day, and I really did not want to",
    "It was a hard choice, because Bob told me to",
    "I hope the two of you will",
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
    "sorry, the 9 was yours I guess",
    "P.S. Happy birthday",
    "If Bob is slow again, remind him.",
    "I wanted to ask: are you in Berlin?",
    "No way to know what you plan.",
    "Until tomorrow!",
    "Once again thanks to Ann for hosting.",
    "If I remember correctly.",
    "If you ask me",
    "PS: No pun intended.",
    "Ah, no wonder Bob is ahead.",
    "Next time",
    "Please ignore the typo in my last mail.",
    "Hang on in there, Bob!",
    "Oh, a spear!",
    "Then the sled",
    "See you later:",
    "Sorry I could not answer yesterday.",
    "Not 8 again!",
    "bow would be better",
    "error 404",
    "never mind the rain",
    "actually a great game",
    "hmm, nice game",
    "I need to think about dinner",
    "I can't afford a holiday this year",
    "not sure why Bob is so slow",
    "please disregard my last joke",
    "I misread your letter yesterday, sorry",
    "I confirm",
    "I need to sleep",
    "more tomorrow",
    "Happy to confirm the date of the party later",
]


def said(text: str, asked: Context) -> Reply | None:
    """Return what is read, None where the mail is refused."""
    try:
        return read_reply(text, asked)
    except NotUnderstood:
        return None


def is_asked_about(reply: Reply | None, instead: str) -> bool:
    """Return whether nothing is played, and what is proposed is right; most messages here have ``offer 9``."""
    return reply is None or (reply.orders == () and reply.proposed == (instead or "offer 9",))


@pytest.mark.parametrize("line", BENEATH)
@pytest.mark.parametrize("order", ["offer 9", "I offer 9"])
def test_an_order_that_a_line_beneath_takes_back_is_asked_about(order: str, line: str) -> None:
    said_then, _, instead = line.partition(" -> ")
    for text in (f"{order}\n{said_then}", f"Hi all\n{order}\n{said_then}\nAnn"):
        assert is_asked_about(said(text, OFFERING), instead)


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


@pytest.mark.parametrize("order", ["decline", "no thanks", "I decline"])
def test_that_it_is_too_dear_is_a_reason_to_decline(order: str) -> None:
    assert read_reply(f"{order}\n\nI can't afford that", ANSWERING).orders == ("decline",)


@pytest.mark.parametrize("line", TALK)
def test_other_talk_around_an_order_changes_nothing(line: str) -> None:
    for text in (f"offer 9\n\n{line}", f"{line}\n\noffer 9"):
        reply = said(text, OFFERING)
        assert reply is not None
        assert (reply.orders, reply.talk) == (("offer 9",), line)


# What is taken back, corrected, put off, or only an example; a bar is the end of a line, and after an arrow is what
# the writer is asked about if that is another order. Those that begin with ``A`` answer whether to buy.
IN_EVERY_LANGUAGE: Mapping[Language, tuple[str, ...]] = {
    "en": (
        "offer 9 - no, 8 -> offer 8",
        "I offer 9. Sorry, the 8. -> offer 8",
        "9, not 8",
        "not 9 but 8 -> offer 8",
        "I'd offer 9 instead",
        "make it 9",
        "pass. No, 9",
        "offer 9|not 9",
        "offer 9|Not the fire!",
        "offer 9|8 instead of 9",
        "offer 9|hang on, let me think",
        "offer 9|ask me first",
        "offer 9|until Bob answers",
        "If you agree,|offer 9",
        "Later:|offer 9",
        "pass - no 8 for me -> pass",
        "offer 9|sorry, no bow",
        "offer 9|no, 99",
        "A decline|sorry, yes -> buy",
        "offer 9|not 9, 8 -> offer 8",
        "offer 9|not 9 but 8 -> offer 8",
        "offer 9|wait, 8 -> offer 8",
        "offer 9|wrong, 8! -> offer 8",
        "offer 9|argh, 8 I mean -> offer 8",
        "offer 9|Edit: 8 -> offer 8",
        "offer 9|Typo: 8 -> offer 8",
        "offer 9|Update: 8 -> offer 8",
        "offer 9|change to 8 -> offer 8",
        "offer 9|replace 9 by 8 -> offer 8",
        "offer 9|rod, not bow -> offer 8",
        "offer 9||Best,|Ann||PS: make that 8 -> offer 8",
        "I offer 9, please.|PS: rather 8 -> offer 8",
        "A buy|Cara||PS: no, I'd rather not -> buy",
        "A Yes|Edit: no -> decline",
        "A Yes.|Ah no, too expensive. -> buy",
        "A decline|wait, yes -> buy",
        "A decline|hmm, actually yes -> buy",
        "offer 9|strike that",
        "offer 9|sorry, wrong game",
        "offer 9|I take it all back",
        "offer 9|hang on",
        "offer 9|void",
        "offer 9|cancelled",
        "offer 9|withdrawn",
        "Testing, please ignore|offer 9",
        "On no account|offer 9",
        "I decided against|offer 9",
        "Next round:|offer 9",
        "Tomorrow:|offer 9",
        "offer 9|next round",
        "offer 9|once Bob is back",
        "offer 9|please wait with this until Bob is back",
        "offer 9|Please confirm before playing",
        "If Bob is fine with it,|offer 9",
        "offer 9|If Bob is ok with it",
        "How do I write it? Like this:|offer 9",
        "for example|offer 9",
        "offer 9||or should I rather pass?",
        "I considered|offer 9|but that is stupid.",
        "I wanted to|offer 9|but it's too dear",
    ),
    "de": (
        "biete 9|nicht 9, 8 -> offer 8",
        "biete 9|nicht 9 sondern 8 -> offer 8",
        "biete 9|warte, 8 -> offer 8",
        "biete 9|falsch, 8! -> offer 8",
        "biete 9|muss 8 heißen -> offer 8",
        "biete 9|die Angel, nicht das Feuer",
        "biete 9|LG Anna||PS: doch lieber 8 -> offer 8",
        "A kaufe|ach nein, zu teuer -> buy",
        "A kaufe|PS: doch nicht -> buy",
        "A verzichte|ach nein, ich nehme sie -> buy",
        "biete 9|storniert",
        "biete 9|ungültig",
        "Auf keinen Fall|biete 9",
        "Wenn Bernd einverstanden ist,|biete 9",
        "zum Beispiel|biete 9",
        "Ich wollte eigentlich|biete 9|aber das ist zu teuer",
        "biete 9||ist mir gerade eingefallen: doch nicht",
        "biete 9|mir fällt gerade ein: lieber nicht",
        "biete 9|Ich bestätige das heute Abend noch",
        "biete 9|Ich gebe morgen Bescheid",
        "biete 9|ich schlafe nochmal drüber",
        "biete 9|ich überleg's mir über Nacht",
        "biete 9|oh warte, das kann ich mir nicht leisten",
        "biete 9|hab mich verlesen, bitte nicht beachten",
        "biete 9|ich ziehe das zurück",
        "biete 9|unter Vorbehalt",
        "biete 9|vergesst das oben",
        "biete 9|hmm, eigentlich 8 -> offer 8",
        "A verzichte|hmm, eigentlich doch ja -> buy",
    ),
    "fr": (
        "propose 9|pas 9, 8 -> offer 8",
        "propose 9|pas 9 mais 8 -> offer 8",
        "propose 9|attends, 8 -> offer 8",
        "propose 9|Faute de frappe, c'est 8 -> offer 8",
        "propose 9|il faut lire 8 -> offer 8",
        "A achète|ah non, trop cher -> buy",
        "propose 9|ne pas jouer",
        "J'ai renoncé à|propose 9",
        "propose 9|à condition que Claire soit d'accord",
        "par exemple|propose 9",
        "Faut-il écrire :|propose 9",
        "propose 9|annule, plutôt 8 -> offer 8",
        "propose 9|laisse tomber, je réfléchis",
        "propose 9|je confirmerai ce soir",
        "propose 9|ne tenez pas compte de ça",
        "propose 9|j'ai mal lu, oublie",
        "propose 9|attends, je ne peux pas me le permettre",
        "propose 9|je retire",
        "propose 9|à confirmer",
        "propose 9|pas sûr quand même",
        "propose 9|j'y réfléchis cette nuit",
        "propose 9|hmm, en fait 8 -> offer 8",
        "A refuse|hmm, en fait oui -> buy",
    ),
    "it": (
        "offri 9|non 9, 8 -> offer 8",
        "offri 9|non 9 ma 8 -> offer 8",
        "offri 9|aspetta, 8 -> offer 8",
        "offri 9|voglio dire 8 -> offer 8",
        "offri 9|cambia in 8 -> offer 8",
        "A compra|PS: anzi no -> decline",
        "offri 9|non giocare",
        "Non voglio|offri 9",
        "offri 9|a patto che Carla sia d'accordo",
        "per esempio|offri 9",
        "offri 9|annulla, meglio 8 -> offer 8",
        "offri 9|confermo stasera",
        "offri 9|confermerò domani",
        "offri 9|aspetta, non me lo posso permettere",
        "offri 9|non sono sicuro però",
        "offri 9|ritiro",
        "offri 9|dimentica quello che ho scritto",
        "offri 9|mi è appena venuto in mente: meglio di no",
        "offri 9|hmm, anzi 8 -> offer 8",
        "A rinuncio|hmm, anzi sì -> buy",
        "la giornata era lunga e non volevo davvero|offri 9",
    ),
}


@pytest.mark.parametrize("language", IN_EVERY_LANGUAGE)
def test_no_order_is_played_beside_a_line_that_corrects_it(language: Language) -> None:
    wrong = []
    for row in IN_EVERY_LANGUAGE[language]:
        text, _, instead = row.removeprefix("A ").replace("|", "\n").partition(" -> ")
        asked = (ANSWERING if row.startswith("A ") else OFFERING)._replace(language=language)
        reply = said(text, asked)
        if not is_asked_about(reply, instead):
            wrong.append((row, reply))

    assert wrong == []


@pytest.mark.parametrize("words", ["I meant 9", "Sorry, offer 9", "make it 9", "9, not 8", "no, I mean 9", "9 instead"])
def test_who_says_the_proposed_order_again_confirms_it(words: str) -> None:
    reply = read_reply(words, OFFERING._replace(proposed=("offer 9",), replies_to_it=True))

    assert (reply.orders, reply.said) == (("offer 9",), "yes")


def test_a_proposal_names_the_neutral_clan_where_the_question_is_about_that() -> None:
    neutral = {"neutral": ("B1a",), "green": a_clan(30, members=("B1b",)), "red": a_clan(30, members=("B1c",))}
    asked = Context(a_game(2, phase=SpreadingNeutral("green", 1), step="spread_neutral", **neutral), "Ann")

    assert read_reply("neutral B1a\nspread B2a", asked).proposed == ("spread neutral B2a",)
    assert read_reply("B2a", asked).proposed == ("spread neutral B2a",)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("I'll buy it if nobody wants it", "write (plan buy 9 if nobody wants it), without the parentheses"),
        ("I'll buy it if the weather wants it", "cannot be read as an order"),
    ],
)
def test_a_condition_is_only_shown_as_a_plan_that_can_be_read(text: str, why: str) -> None:
    with pytest.raises(NotUnderstood) as wrong:
        read_reply(text, ANSWERING)

    assert unglued(wrong.value.reasons[0].message).endswith(why)


def test_a_refused_plan_is_shown_in_the_words_of_its_writer() -> None:
    with pytest.raises(NotUnderstood) as wrong:
        read_reply("Ich kaufe sie, wenn sie keiner will", ANSWERING._replace(language="de"))

    with speaking("de"):
        why = unglued(tr(wrong.value.reasons[0].message))
    assert why.endswith("schreib (plan kaufe 9 wenn niemand sie will), ohne die Klammern")


def test_a_line_is_refused_for_one_reason() -> None:
    with pytest.raises(NotUnderstood) as wrong:
        read_reply("offer 8 or 9", OFFERING)

    assert [reason.message for reason in wrong.value.reasons] == ["'offer 8 or 9' can mean offer 8 or offer 9"]


def test_a_line_of_the_same_words_again_and_again_is_read_at_once() -> None:
    """Each more of them doubled the time, which never ended."""
    assert not are_taken_back(["offer 8", "i'd rather " * 30 + "x"], {0, 1}, are_free=False)


@pytest.mark.parametrize("place", [0, -1])
def test_what_takes_back_is_seen_right_beneath_and_at_the_end_of_a_long_text(place: int) -> None:
    beneath = [f"line {number}" for number in range(500)]
    assert not are_taken_back(["offer 8", *beneath], {0}, are_free=False)

    beneath[place] = "not so fast"

    assert are_taken_back(["offer 8", *beneath], {0}, are_free=False)

"""What people write in other languages than English: played if it has one meaning, and talk is never an order.

``phrases.LANG.toml`` has what they write by the question they are asked, as ``phrases.toml`` has it in English, and by
two more: ``proposal`` is our question whether ``offer 9`` was meant, and ``motions`` is what others ask to agree to. In
``plans`` there are lines of plans, and what they are in English.
``talk.LANG.txt`` has what they write to each other with words of the game in it.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Final, cast

import pytest
from builders import a_game
from spellings import written
from test_phrases import ONE_IN, QUESTIONS, RICH, TABLE_TALK, outcome

from pbem.errors import NotUnderstood
from pbem.first_sparks.notation import ORDER_WORDS, order_text
from pbem.first_sparks.phases import Spreading
from pbem.first_sparks.plans.read import PlanLines, read
from pbem.first_sparks.state import GameState
from pbem.locale import LANGUAGES, Language, speaking
from pbem.reading import languages
from pbem.reading.context import Context
from pbem.reading.decide import read_reply
from pbem.reading.languages import in_english
from pbem.reading.lines import cleaned
from pbem.reading.recognisers import phrases
from pbem.reading.recognisers.confirmations import plain_answer
from pbem.reading.recognisers.motions import spoken_in
from pbem.table.letters.harmless import buttons

HERE: Final = Path(__file__).parent
OTHERS: Final = tuple(language for language in LANGUAGES if language != "en")
CORPORA: Final[Mapping[Language, Mapping[str, Mapping[str, str]]]] = {
    cast("Language", path.name.split(".")[1]): tomllib.loads(path.read_text(encoding="utf-8"))
    for path in sorted(HERE.glob("phrases.*.toml"))
}
TALK: Final[Mapping[Language, list[str]]] = {
    cast("Language", path.name.split(".")[1]): path.read_text(encoding="utf-8").splitlines()
    for path in sorted(HERE.glob("talk.*.txt"))
}
PROPOSED: Final = ("offer 9",)  # what is asked in "proposal"
EVERY: Final = [
    (language, question, phrase, wanted)
    for language, corpus in CORPORA.items()
    for question, table in corpus.items()
    if question != "plans"
    for phrase, wanted in table.items()
]
PLANS: Final = [
    (language, line, english)
    for language, corpus in CORPORA.items()
    for line, english in corpus.get("plans", {}).items()
]
HUNTED: Final = a_game(phase=Spreading("red"), step="spread", waiting=("green",), green=RICH)


def context(question: str, language: Language) -> Context:
    """Return what Ann is asked, who writes in that language."""
    if question == "proposal":
        return Context(QUESTIONS["offering"], "Ann", proposed=PROPOSED, replies_to_it=True, language=language)
    return Context(QUESTIONS[question], "Ann", language=language)


def to_motion(line: str, language: Language) -> str:
    """Return what a line says of a motion: it moves one, agrees or objects; "" if it says something else."""
    text = cleaned(in_english(line, language).text)
    said = spoken_in(text)
    if said is None:
        return {"yes": "agree", "no": "disagree", "": "talk"}[plain_answer(text)]
    return " ".join(filter(None, (said.what, said.whom)))


@pytest.mark.parametrize("language", CORPORA)
def test_the_corpus_covers_every_question_and_every_order(language: Language) -> None:
    corpus = CORPORA[language]

    assert corpus.keys() - {"plans"} == {*QUESTIONS, "proposal", "motions"}
    assert sum(map(len, corpus.values())) >= 400
    orders = {wanted.partition(" ")[2] for table in corpus.values() for wanted in table.values()}
    assert all(any(order.startswith(word) for order in orders) for word in ORDER_WORDS)


def meant(language: Language, question: str, phrase: str) -> str:
    """Return what becomes of a phrase."""
    if question == "motions":
        return to_motion(phrase, language)
    return outcome(phrase, context(question, language)).lower()


@pytest.mark.parametrize("first", range(ONE_IN))
def test_every_phrase_is_understood(first: int) -> None:
    found = {said: meant(*said[:3]) for said in EVERY[first::ONE_IN]}

    assert [(*said, what) for said, what in found.items() if what != said[3].lower()] == []


def planned(line: str, language: Language, state: GameState) -> PlanLines | None:
    """Return what a line of a plan means in that state, None if nothing."""
    try:
        return read(read_reply(line, Context(state, "Ann", language=language)).plan, state, "green")
    except NotUnderstood:
        return None


@pytest.mark.parametrize("first", range(ONE_IN))
def test_every_plan_means_what_it_means_in_english(first: int) -> None:
    states = [*(state for state in QUESTIONS.values() if state is not None), HUNTED]
    for language, line, english in PLANS[first::ONE_IN]:
        wanted = [planned(english, "en", state) for state in states]

        assert any(wanted), english
        assert [planned(line, language, state) for state in states] == wanted, line


@pytest.mark.parametrize("question", [*QUESTIONS, "proposal"])
@pytest.mark.parametrize("language", TALK)
def test_what_friends_write_to_each_other_is_no_order(language: Language, question: str) -> None:
    assert len(TALK[language]) >= 40
    found = {line: outcome(line, context(question, language)).partition(" ")[0] for line in TALK[language]}

    assert {line for line, become in found.items() if become in ("played", "wants")} == set()


@pytest.mark.slow
@pytest.mark.parametrize("language", TALK)
def test_talk_in_another_language_than_the_own_is_no_order(language: Language) -> None:
    said = [(line, "en") for line in TALK[language]] + [(line, language) for line in TABLE_TALK]
    found = {
        (line, own, question): outcome(line, context(question, own)).partition(" ")[0]
        for line, own in cast("list[tuple[str, Language]]", said)
        for question in ("nobody", "offering", "answering", "spreading")
    }

    assert {where for where, become in found.items() if become in ("played", "wants")} == set()


@pytest.mark.parametrize("question", [question for question in QUESTIONS if question != "nobody"])
@pytest.mark.parametrize("language", CORPORA)
def test_what_is_copied_from_our_own_letter_is_played(language: Language, question: str) -> None:
    asked = context(question, language)
    assert asked.state is not None
    with speaking(language):
        copied = [(f"  {row}", order) for order, row in phrases.rows(asked.state)]
        tapped = [(button.label, in_english(button.order, language).text) for button in buttons(asked.state, "green")]

    for line, order in (*copied[:20], *tapped):
        assert outcome(line, asked).lower() == f"played {order}".lower(), line


# The words


@pytest.mark.parametrize("language", OTHERS)
def test_no_phrase_stands_in_a_file_twice(language: Language) -> None:
    counted: Counter[tuple[str, ...]] = Counter()
    for _, phrase in written(language):
        spelled = {phrase, phrase.translate(languages._UMLAUTS)}
        counted.update({tuple(map(languages._folded, re.findall(languages._WORD, each))) for each in spelled})

    assert sorted(" ".join(words) for words, number in counted.items() if number > 1) == []


@pytest.mark.parametrize("order", ORDER_WORDS)
@pytest.mark.parametrize("language", CORPORA)
def test_the_word_of_an_order_in_our_letters_is_read(language: Language, order: str) -> None:
    with speaking(language):
        said = order_text(order)

    for spelling in (said, said.upper(), said.capitalize()):
        assert in_english(spelling, language) == (order, True)

"""Requests in words that nobody has foreseen: they are granted, or their writer reads how to write them."""

import pytest
from tables import NAMES, Sitting, a_table

from pbem.locale import Language, speaking, tr
from pbem.reading.context import Context
from pbem.reading.decide import read_reply
from pbem.table.messages.requests import _SUBSTITUTE

HINT = "If it was meant for me, write one of these on a line of its own:"


def _whose_turn_it_is_not(language: Language) -> tuple[Sitting, str]:
    """Return a table with a clock, and a player with that language whose turn it is not."""
    table = a_table(players=4).ticks(0)
    other = next(colour for colour in table.others if colour != "black")
    return table.with_player(other, language=language), other


def _is_hinted(table: Sitting, colour: str) -> bool:
    return table.log == "passed on to the table, and asked whether it is a request" and colour in table.told


# With words for the others behind it


@pytest.mark.parametrize(
    ("language", "words", "rest"),
    [
        ("de", "Können wir bitte mehr Zeit bis 6. Dezember haben? Bin auf Dienstreise.", "Bin auf Dienstreise."),
        ("de", "Ich bräuchte mehr Zeit bis 6.12., bin auf Dienstreise", "bin auf Dienstreise"),
        ("fr", "On peut avoir plus de temps jusqu'au 6 décembre ? Je suis en voyage.", "Je suis en voyage."),
        ("it", "Possiamo avere più tempo fino al 6 dicembre? Sono in viaggio.", "Sono in viaggio."),
        ("en", "Can we have more time until 6 December? I'm travelling.", "I'm travelling."),
        ("de", "Wollen wir ohne Di weitermachen? Er antwortet nicht", "Er antwortet nicht"),
        ("en", "Shall we go on without Di? He never answers.", "He never answers."),
        ("fr", "On continue sans Di ? Il ne répond plus.", "Il ne répond plus."),
        ("en", "Can I take back my move? I misread the board.", "I misread the board."),
    ],
)
def test_what_all_must_agree_to_is_asked_and_the_rest_of_its_line_is_told(
    language: Language, words: str, rest: str
) -> None:
    table, other = _whose_turn_it_is_not(language)

    asked = table.hears(other, words)

    assert asked.table.open_motion is not None
    assert rest in asked.told["black"]


def test_an_absence_is_noted_and_the_rest_of_its_line_is_told() -> None:
    table, other = _whose_turn_it_is_not("de")

    away = table.hears(other, "Bin bis 6.12. im Urlaub. Viel Spaß!")

    assert away.seat(other).absent == "2026-12-06"
    assert away.talk == ["Viel Spaß!"]


@pytest.mark.parametrize(
    "words",
    [
        "Can we have more time until Friday? Or Saturday?",
        "Can we have more time until Friday? Saturday would be better.",
        "I am away until Friday, perhaps longer.",
    ],
)
def test_a_request_that_the_rest_of_its_line_changes_is_asked_about(words: str) -> None:
    table, other = _whose_turn_it_is_not("en")

    said = table.hears(other, words)

    assert said.table.open_motion is None
    assert said.seat(other).absent == ""
    assert _is_hinted(said, other)
    assert HINT in said.told[other]


@pytest.mark.parametrize(
    "words",
    ["I don't think that we should go on without Di. He is nice.", "If you need more time until Friday, say so."],
)
def test_talk_about_what_one_can_ask_for_is_no_request(words: str) -> None:
    table, other = _whose_turn_it_is_not("en")

    assert other not in table.hears(other, words).told


def test_a_request_in_a_line_of_our_letter_is_not_the_reader_s() -> None:
    """A mail program may have lost the mark of the quote."""
    letter = Context(letter=lambda: "Ann: I'd like more time until Friday! See you all next week")

    assert read_reply("hello there\n\nmore time until Friday! See you all", letter).requests == ()
    assert read_reply("hello there\n\nmore time until Friday! See you", letter._replace(letter=str)).requests


# Questions to the program


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "How long do I have?"),
        ("de", "Wie lange habe ich noch?"),
        ("de", "Bis wann muss ich antworten?"),
        ("fr", "Combien de temps me reste-t-il ?"),
        ("it", "Quanto tempo ho ancora?"),
        ("en", "What did I say ahead?"),
        ("en", "what is my plan?"),
        ("de", "Was war nochmal mein Plan?"),
        ("fr", "Quel est mon plan ?"),
        ("it", "Qual è il mio piano?"),
        ("en", "whose turn is it?"),
        ("de", "Wer ist dran?"),
        ("fr", "C'est à qui ?"),
        ("it", "A chi tocca?"),
    ],
)
def test_how_long_whose_turn_and_what_plan_are_answered_with_the_game(language: Language, words: str) -> None:
    table, other = _whose_turn_it_is_not(language)
    planned = table.hears(other, "plan new decline")

    asked = planned.hears(other, words)

    assert asked.talk == []
    read = asked.with_player(other, language="en").hears(other, words)
    assert 'You wrote: "plan new decline".' in read.told[other]
    assert f"Waiting for {NAMES[table.asked]}" in read.told[other]


def test_whose_turn_it_is_reads_how_much_time_is_left() -> None:
    table, _ = _whose_turn_it_is_not("en")

    assert "You have 3 days to answer." in table.hears(table.asked, "How long do I have?").told[table.asked]


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "I need more time"),
        ("de", "Ich brauche mehr Zeit."),
        ("fr", "J'ai besoin de plus de temps"),
        ("it", "Mi serve più tempo!"),
        ("en", "pause"),
        ("de", "Pause?"),
        ("en", "Can we pause the game?"),
        ("it", "pausa"),
    ],
)
def test_whoever_needs_time_and_names_no_day_reads_how_to_ask(language: Language, words: str) -> None:
    table, other = _whose_turn_it_is_not(language)

    assert _is_hinted(table.hears(other, words), other)


@pytest.mark.parametrize(
    ("language", "words", "log"),
    [
        ("fr", "Comment gagne-t-on ?", "rules win"),
        ("fr", "Quand finit la partie ?", "rules end"),
        ("fr", "Pouvez-vous m'écrire en anglais ?", "language en"),
        ("it", "Potete scrivermi in inglese?", "language en"),
        ("de", "Könnt ihr mir bitte auf Englisch schreiben?", "language en"),
        ("en", "Can you write to me in German, please?", "language de"),
        ("fr", "je veux quitter la partie", 'asked whether "resign" was meant'),
    ],
)
def test_a_request_in_the_words_of_a_question_is_granted(language: Language, words: str, log: str) -> None:
    table, other = _whose_turn_it_is_not(language)

    assert table.hears(other, words).log == log


@pytest.mark.parametrize(
    ("language", "words"), [("it", "sì, sono sicuro"), ("fr", "oui, j'en suis sûre"), ("de", "Ja, ganz sicher")]
)
def test_whoever_is_sure_to_resign_leaves_the_game(language: Language, words: str) -> None:
    table, other = _whose_turn_it_is_not(language)

    assert table.hears(other, "resign").hears(other, words).table.kept.state.clan(other).resigned


# Absences


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("de", "Bin vom 5.12. bis 12.12. abwesend"),
        ("de", "Ich bin ab morgen bis 10.12. im Urlaub"),
        ("de", "Nächste Woche bin ich weg."),
        ("de", "Vor Montag bin ich nicht da"),
        ("fr", "Je suis en congé jusqu'au 10/12"),
        ("fr", "En vacances jusqu'au 10 décembre inclus, désolée !"),
        ("fr", "Je m'absente une semaine"),
        ("fr", "je ne serai pas là avant lundi"),
        ("it", "Non ci sono prima di lunedì"),
        ("it", "Sono via dal 5 al 12 dicembre"),
        ("en", "I'm on holiday from 1 to 10 December"),
        ("en", "I won't be here until Monday, have fun"),
        ("en", "I'll be back on Monday"),
    ],
)
def test_whoever_will_be_away_reads_how_to_say_so(language: Language, words: str) -> None:
    table, other = _whose_turn_it_is_not(language)

    assert _is_hinted(table.hears(other, words), other)


@pytest.mark.parametrize("words", ["Mi assento fino a lunedì prossimo", "Vado in ferie fino a domenica prossima"])
def test_an_absence_with_a_last_day_is_noted(words: str) -> None:
    table, other = _whose_turn_it_is_not("it")

    assert table.hears(other, words).seat(other).absent


@pytest.mark.parametrize("words", ["Bob is away until Monday", "Are you back from holiday?", "I was away all day"])
def test_talk_about_absences_is_no_request(words: str) -> None:
    table, other = _whose_turn_it_is_not("en")

    assert other not in table.hears(other, words).told


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("de", "Ich bin bis 5.12. nicht da, für mich spielt Karl (karl@gmx.de)"),
        ("de", "Karl vertritt mich bis Sonntag, karl@gmx.de"),
        ("fr", "Karl me remplace jusqu'à dimanche : karl@gmx.de"),
        ("it", "Karl (karl@gmx.de) gioca per me fino a domenica"),
        ("en", "My substitute is Karl, karl@gmx.de"),
    ],
)
def test_who_names_a_substitute_reads_that_the_host_does_and_the_others_read_no_address(
    language: Language, words: str
) -> None:
    table, other = _whose_turn_it_is_not(language)

    said = table.hears(other, words)

    assert "Karl" in said.talk[-1]
    assert "karl@gmx.de" not in said.talk[-1]
    with speaking(language):
        assert tr(_SUBSTITUTE) in said.told[other]


def test_an_address_in_other_talk_is_told() -> None:
    table, other = _whose_turn_it_is_not("en")

    assert table.hears(other, "You all have my address, bob@x.example").talk == [
        "You all have my address, bob@x.example"
    ]

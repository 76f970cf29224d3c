"""Answers before the own turn comes: they are taken back, changed, and forgotten."""

import pytest
from tables import Sitting, a_table

from pbem.locale import Language, speaking, tr


@pytest.fixture
def table() -> Sitting:
    """Two are asked about a card; the second one has declined it."""
    wave = a_table(4, waves=True)
    assert wave.table.asked == ("blue", "green")
    answered = wave.hears("green", "decline")
    assert answered.code == "planned"
    assert answered.table.asked == ("blue",)
    return answered


@pytest.mark.parametrize("words", ["forget", "take back", "I take that back"])
def test_an_early_answer_is_forgotten_and_asked_for_again(table: Sitting, words: str) -> None:
    after = table.hears("green", words)

    assert after.code == "planned"
    assert set(after.told) == {"green"}
    assert after.table.asked == ("blue", "green")
    assert "[friday] your turn: buy or decline #" in after.told["green"]
    assert 'Your answer "decline 7" does not count any more, so you are asked again.' in after.told["green"]
    assert ("You have no plan any more." in after.told["green"]) is (words == "forget")
    assert after.table.open_motion is None
    assert after.hears("blue", "decline").asked == "green"


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("it", "Annulla"),
        ("en", "undo"),
        ("en", "take that back"),
        ("de", "Nimm das zurück"),
        ("de", "Ich nehm's zurück"),
        ("fr", "je me suis trompée, annule mon coup"),
    ],
)
def test_it_is_so_in_words_that_do_not_say_what_is_undone(table: Sitting, language: Language, words: str) -> None:
    after = table.with_player("green", language=language).hears("green", words)

    assert after.table.asked == ("blue", "green")
    assert after.table.open_motion is None


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "undo that"),
        ("en", "take that back"),
        ("de", "Rückgängig"),
        ("de", "Ich nehm's zurück"),
        ("fr", "annuler"),
        ("fr", "je me suis trompée, annule mon coup"),
        ("it", "Ho sbagliato, annulla"),
    ],
)
def test_whoever_undoes_the_own_move_in_such_words_reads_how_to_ask_the_others(language: Language, words: str) -> None:
    table = a_table(4)
    mover = table.asked
    moved = table.with_player(mover, language=language).goes_on()

    undone = moved.hears(mover, words)

    assert undone.table.open_motion is None
    with speaking(language):
        assert tr("take back", "to write") in undone.told[mover]


def test_who_does_not_wait_for_the_others_any_more_is_asked_again(table: Sitting) -> None:
    waits = table.hears("green", "wait")
    assert waits.table.asked == ("blue",)

    after = waits.hears("green", "forget")

    assert 'Your answer "wait" does not count any more, so you are asked again.' in after.told["green"]
    assert after.table.asked == ("blue", "green")


def test_an_answer_beside_forget_counts(table: Sitting) -> None:
    after = table.hears("green", "forget\nbuy if nobody wants it")

    assert after.table.asked == ("blue",)
    assert "does not count any more" not in after.told["green"]


def test_the_early_answer_counts_until_another_one_is_confirmed(table: Sitting) -> None:
    asked = table.hears("green", "rather buy")

    assert asked.code == "proposed"
    assert "Did you mean" in asked.told["green"]
    says = 'Your earlier answer "decline 7" still counts. To take it back, write "take back" on a line of its own.'
    assert says in asked.told["green"]
    assert ". You have nothing to decide now." not in asked.told["green"]

    after = asked.hears("green", "yes")
    assert after.code == "planned"
    assert 'I have kept your answer: "buy' in after.told["green"]

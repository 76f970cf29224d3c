"""Rules are found by id, by number, and by the words that players use; where nothing is found, similar words are."""

import pytest

from pbem.cli import app as cli
from pbem.errors import NotUnderstood
from pbem.locale import Language, speaking, tr
from pbem.page.text import WIDTH, columns, lines_of_section
from pbem.rule_search import index, overview, rules_named

BOOK = index()
IDS = [rule["id"] for rule in BOOK.rules]


def found(*which: str) -> list[str]:
    return [rule["id"] for rule in rules_named(which)]


@pytest.mark.parametrize(
    ("asked", "rule"),
    [
        ("spreading", "spread-order"),
        ("spread", "base-cost"),
        ("rot", "rotten-food"),
        ("rotting", "rotten-food"),
        ("rotten", "fire"),
        ("win", "winner"),
        ("how does one win?", "thirteenth-member"),
        ("how do I win", "winner"),
        ("auction", "answers"),
        ("player order", "player-order"),
        ("spreading cost", "base-cost"),
        ("hunger", "starving"),
        ("mountains", "mountains"),
        ("market", "starting-market"),
        ("tie", "winner"),
        ("tools", "tools"),
        ("sled", "transport-sled"),
        ("SPEECH", "speech"),
    ],
)
def test_a_word_finds_its_rules(asked: str, rule: str) -> None:
    assert rule in found(*asked.split())
    assert found(asked) == found(*asked.split())
    assert len(found(asked)) <= 12


def test_ids_and_numbers_mean_what_they_say() -> None:
    assert found() == IDS
    assert found("R4.5") == ["who-is-asked"]
    assert found("r4") == [rule["id"] for rule in BOOK.rules if rule["number"].startswith("R4.")]
    assert found("fire") == ["fire"]
    assert found("R4.5", "winner") == ["who-is-asked", "winner"]
    assert all(found(name) == [name] for name in IDS)


def test_words_beside_a_number_add_their_rules() -> None:
    assert found("R4.5", "rot") == ["who-is-asked", "rotten-food", "fire"]


@pytest.mark.parametrize(("asked", "near"), [("spraeding", "spreading"), ("rottn", "rotten"), ("mountian", "mountain")])
def test_a_word_that_no_rule_has_brings_similar_ones(asked: str, near: str) -> None:
    with pytest.raises(NotUnderstood, match="no rule has the word") as none:
        found(asked)

    assert none.value.hint.startswith(f"similar words that rules have: {near}")
    assert found(near)


@pytest.mark.parametrize("asked", ["R99", "99", "xyzzyqq", "how", ""])
def test_without_similar_words_the_chapters_are_named(asked: str) -> None:
    with pytest.raises(NotUnderstood, match="no rule has the") as none:
        found(asked)

    assert '"rules R0" to "rules R10" show a chapter each' in none.value.hint


def test_the_index_names_only_rules_that_it_has() -> None:
    assert {rule["number"].partition(".")[0] for rule in BOOK.rules} == BOOK.chapters.keys()
    assert {name for ids in BOOK.words.values() for name in ids} <= {*IDS}
    assert {*BOOK.most_asked} <= {*IDS}
    assert len(set(BOOK.most_asked)) == 10
    for word, ids in BOOK.words.items():
        assert {*ids} <= {*found(word)} or word in IDS, word


def test_the_overview_has_every_chapter_and_fits_on_two_screens() -> None:
    lines = [line for section in overview() for line in lines_of_section(section)]

    assert all(f"- {number}: {title}" in lines for number, title in BOOK.chapters.items())
    assert len(lines) <= 60
    assert max(map(columns, lines)) <= WIDTH


def test_on_the_command_line_a_word_finds_rules_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["rules", "rot"]) == 0
    assert "R4.15 rotten-food" in capsys.readouterr().out
    assert cli.run(["rules", "how", "does", "one", "win"]) == 0
    assert "R9.2 winner" in capsys.readouterr().out
    assert cli.run(["rules", "rottn"]) == 65
    assert "similar words that rules have: rotten" in capsys.readouterr().err
    assert cli.run(["rules", "--rulings", "win"]) == 0
    assert "thirteenth-member" not in capsys.readouterr().out


def test_show_help_tells_the_game_in_eight_lines(capsys: pytest.CaptureFixture[str]) -> None:
    cli.run(["show", "--help"])

    told = capsys.readouterr().out.partition("How the game goes:\n")[2].rstrip("\n").split("\n")
    assert len(told) == 8
    assert [line.strip().split(":")[0] for line in told][:2] == ["Aim", "1 Technology"]


@pytest.mark.parametrize(("language", "word", "near"), [("de", "verfaulen", "verfault"), ("fr", "pourir", "pourrit")])
def test_similar_words_are_those_of_the_reader(language: Language, word: str, near: str) -> None:
    with pytest.raises(NotUnderstood) as none:
        rules_named((f"{word}x",), f"{word[:4]}z{word[4:]}", language)

    with speaking(language):
        assert near in tr(none.value.hint)
        assert "rotten" not in tr(none.value.hint)

"""Games in which everybody reads and writes another language: they are the same games as in English."""

from itertools import islice
from pathlib import Path
from random import Random
from typing import Final

import pytest
from test_folders import did, letters, put, the_asked, the_record

from pbem.first_sparks.adjudicator import choices
from pbem.first_sparks.notation import order_text
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.plans.waves import as_asked
from pbem.locale import LANGUAGES, Language, speaking, tr
from pbem.page.text import WIDTH, columns
from pbem.table.requests.kinds import SPOKEN

READERS: Final[dict[str, Language]] = {"Ann": "it", "Bob": "fr", "Cy": "de", "Dora": "en"}


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.fsync", lambda _: None)


def a_club(folder: Path, *languages: str) -> Path:
    club = folder / "club"
    did("init", club, "--host", "Eve")
    said = [word for each in languages for word in ("--language", each)]
    did("new", club, "friday", *READERS, "--board", "recommended", *said)
    return club


@pytest.mark.slow
def test_a_game_in_four_languages_is_the_same_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everybody answers in the own language with an order that the letter shows, and beside them all do in English."""
    random, clubs = Random(4), []
    for name, languages in (("own", [f"{name}={language}" for name, language in READERS.items()]), ("english", [])):
        monkeypatch.setattr("os.urandom", Random(5).randbytes)
        clubs.append(a_club(tmp_path / name, *languages))
    while not isinstance(the_record(clubs[0]).state.phase, Ended):
        record, asked = the_record(clubs[0]), the_asked(clubs[0])
        question, language = letters(clubs[0], asked)[-1], READERS[asked]
        order = str(random.choice(list(islice(choices(record.state), 40))))
        with speaking(language):
            own, ask = order_text(order), tr("QUESTION")
        assert f"\n{ask}\n" in question
        assert [line for line in question.splitlines() if columns(line) > WIDTH] == []
        put(clubs[0], asked, random.choice([own, own.upper(), f"{own}\n\n{question}"]))
        put(clubs[1], asked, order)
        for club in clubs:
            did("run", club)
        assert the_record(clubs[0]).turn > record.turn, (language, own)
        assert the_record(clubs[0]).head == the_record(clubs[1]).head

    assert the_record(clubs[0]).log == the_record(clubs[1]).log


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_player_chooses_a_language_in_a_message(tmp_path: Path, language: Language) -> None:
    club = a_club(tmp_path)
    word = {"en": "language english", "it": "lingua italiano", "fr": "Langue français", "de": "Sprache Deutsch"}[
        language
    ]
    put(club, "Ann", word)
    did("run", club)

    with speaking(language):
        assert tr(SPOKEN).split(". ")[0] in " ".join(letters(club, "Ann")[-1].split())
    assert f": {word}" in letters(club, "Ann")[-1].replace("\xa0", " ").splitlines()[0] or language == "en"


def test_the_host_names_the_languages_of_a_new_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    club = a_club(tmp_path, "de", "Ann=en")

    assert ["\nQUESTION\n" in letters(club, name)[-1] for name in READERS] == [True, False, False, False]
    for wrong in ("xx", "Ann=xx", "Zed=it"):
        did("new", club, "monday", *READERS, "--language", wrong, status=2)
    assert "'xx' is not a language of pbem" in capsys.readouterr().err


def test_a_club_has_a_language(tmp_path: Path) -> None:
    club = tmp_path / "club"
    did("init", club, "--host", "Eve")
    settings = club / "club.toml"
    settings.write_text(settings.read_text().replace('language = "en"', 'language = "fr"'))
    did("new", club, "friday", *READERS, "--language", "Ann=de")

    for name, language in {"Ann": "de", "Bob": "fr", "Cy": "fr", "Dora": "fr"}.items():
        with speaking(language):
            assert f"\n{tr('MARKET')}\n" in letters(club, name)[-1]


@pytest.mark.parametrize(
    ("language", "words", "shown"),
    [
        ("it", "aiuto piano, per favore", "aiuto piano, per favore"),
        ("fr", "aide plan", "aide plan"),
        ("de", "Hilfe Plan", "Hilfe Plan"),
        ("de", "Notiz Tee um vier", "Notiz"),
        ("it", "piano pippo", "piano pippo"),
    ],
)
def test_a_letter_quotes_its_reader(tmp_path: Path, language: Language, words: str, shown: str) -> None:
    club = a_club(tmp_path, f"Bob={language}")
    put(club, "Bob", words)
    did("run", club)

    assert shown.lower() in " ".join(letters(club, "Bob")[-1].split()).lower()


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "{}, otherwise {}"),
        ("en", "add {}, else {}"),
        ("it", "{}, altrimenti {}"),
        ("fr", "{}, sinon {}"),
        ("de", "ergänze {}, sonst {}"),
    ],
)
def test_who_is_not_the_first_may_name_what_else_will_do(tmp_path: Path, language: Language, words: str) -> None:
    club = a_club(tmp_path, language)
    while "settle" in (orders := [str(each) for each in choices(the_record(club).state)])[0]:
        put(club, the_asked(club), orders[0])
        did("run", club)
    later = next(name for name in READERS if name != the_asked(club))
    state = the_record(club).state
    (colour,) = [clan.colour for clan in state.clans if clan.player == later]
    legal = map(str, choices(as_asked(state, colour)))
    spaces = [order.split()[1] for order in legal if " " in order][:2]
    put(club, later, words.format(*spaces))
    did("run", club)

    assert f"add {' '.join(spaces)}" in club.joinpath("games", "friday", "private.toml").read_text()

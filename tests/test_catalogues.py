"""The catalogues: every message of pbem is translated, and each translation has what its message has."""

import re
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Final, cast

import catalogues
import pytest
from babel.messages.catalog import Catalog, Message

from pbem.locale import LANGUAGES, Language, catalogue_of
from pbem.reading.languages import in_english
from pbem.table.letters.help import FORMS
from pbem.table.requests.kinds import KNOWN

FILES: Final = {path.parents[1].name: path for path in catalogues.files()}
in_every_language = pytest.mark.parametrize("language", FILES)


@cache
def read(language: str) -> Catalog:
    return catalogues.catalogue(FILES[language])


def pairs(message: Message) -> list[tuple[str, str]]:
    """Return each form of a translated message beside that of the English one."""
    if isinstance(message.id, str):
        return [(message.id, str(message.string))]
    one, other = message.id
    return [(one if form == 0 else other, str(said)) for form, said in enumerate(message.string or ("",))]


def holes(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def test_there_is_a_catalogue_of_every_language_but_english() -> None:
    assert {*FILES, "en"} == {*LANGUAGES}
    assert catalogue_of("en") is None


def test_a_checkout_whose_catalogues_nobody_has_compiled_reads_english(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pbem.locale.__file__", str(tmp_path / "__init__.py"))
    found = catalogue_of.__wrapped__("de")

    assert found is not None
    assert found.gettext("Waiting for {name}.") == "Waiting for {name}."


@in_every_language
def test_a_catalogue_is_current(language: str) -> None:
    is_current = FILES[language].read_bytes() == catalogues.text_of(read(language))
    assert is_current, "run tests/catalogues.py"  # the difference of two such files would be pages long


@in_every_language
def test_every_message_is_translated(language: str) -> None:
    missing = [message.id for message in read(language) if message.id and not all(said for _, said in pairs(message))]

    assert missing == []


@in_every_language
def test_a_translation_has_the_holes_and_the_blanks_of_its_message(language: str) -> None:
    wrong = []
    for message in read(language):
        number = isinstance(message.id, tuple)
        for english, said in pairs(message) if message.id else ():
            ends = [(text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]) for text in (english, said)]
            # One day needs no number.
            same = holes(english) == holes(said) or (number and holes(english) ^ holes(said) <= {"n"})
            if said and (not same or ends[0] != ends[1]):
                wrong.append((english, said))

    assert wrong == []


@in_every_language
def test_what_is_to_be_written_is_read_back(language: str) -> None:
    """What stands in straight quotes is what a player writes: as it is in English, or what is read as that."""
    wrong = []
    for message in read(language):
        for english, said in pairs(message) if message.id else ():
            asked, answered = (re.findall(r'"([^"]+)"', text) for text in (english, said))
            # The German word for "language" alone is that of a card; a request has the name of one after it.
            named = [f"{each} en" if one == "language" else each for one, each in zip(asked, answered, strict=False)]
            read_back = [in_english(each, cast("Language", language)).text.removesuffix(" en") for each in named]
            same = [
                one == two or one.casefold().removesuffix(" en") == back.casefold()
                for one, two, back in zip(asked, answered, read_back, strict=False)
            ]
            if said and (len(asked) != len(answered) or not all(same)):
                wrong.append((english, said, read_back))

    assert wrong == []


@in_every_language
def test_a_plan_in_help_is_read_back(language: str) -> None:
    for english in FORMS:
        message = read(language).get(english, "a plan")
        assert message is not None
        said = str(message.string)
        assert " ".join(in_english(said, cast("Language", language)).text.split()) == english


@in_every_language
def test_a_request_that_a_hint_names_is_read_back(language: str) -> None:
    """What is named in capitals, and the example of a rule or a language, is another word in each language."""
    for request in KNOWN:
        message = read(language).get(request, "to write")
        assert message is not None
        found = in_english(str(message.string), cast("Language", language)).text
        same = re.match(r"rules |language |try |note |go on without |.*", request)
        assert same
        assert found.startswith(same[0])

"""How an entry of the words of another language stands for several phrases; no mistake in it becomes a phrase."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest
import spellings
from spellings import WrongNotation

MEANT: Final[Mapping[str, list[str]]] = {
    "bleibt ... stehen.": ["bleibt ... stehen."],
    "(das|die) da": ["das da", "die da"],
    "(ich )?bin weg": ["ich bin weg", "bin weg"],
    "bin weg( bis| ab)?": ["bin weg bis", "bin weg ab", "bin weg"],
    "nehme? ich": ["nehme ich", "nehm ich"],
    "ja,? noch ?mal": ["ja, noch mal", "ja, nochmal", "ja noch mal", "ja nochmal"],
    "gern(e)?": ["gerne", "gern"],
    "((sehr )?gern|bitte) da": ["sehr gern da", "gern da", "bitte da"],
    r"was nun(\?)?": ["was nun?", "was nun"],
    r"\(\[a\|b\]\)": ["([a|b])"],
}
WRONG: Final[Mapping[str, str]] = {
    "was nun?": 'a question mark is "\\?"',
    "(ach )?was(, nun?)?": 'a question mark is "\\?"',
    "(ja|doch": '"(" without ")"',
    "ja)": '")" without "("',
    "ja|doch": "outside of brackets",
    "(ja) doch": "brackets with one choice",
    "(ja|) doch": "a choice of nothing",
    "()? doch": "a choice of nothing",
    "?ja": '"?" means nothing there',
    "jaa?? doch": '"?" means nothing there',
    "(ja)? doch": "a space too many",
    "doch(ja )? klar": "a space too many",
    "(ja)?": "nothing at all",
    "(ja|jaa?) doch": "the same phrase twice",
    "ja* doch": '"*" means nothing there; the sign itself is "\\*"',
    "ja+": 'the sign itself is "\\+"',
    "j[ao] doch": '"[" means nothing there',
    r"\w+ doch": '"\\w" means nothing',
    "doch\\": 'the sign itself is "\\\\"',
}


@pytest.mark.parametrize("entry", MEANT)
def test_an_entry_stands_for_phrases(entry: str) -> None:
    assert spellings.spellings(entry) == MEANT[entry]


@pytest.mark.parametrize("entry", WRONG)
def test_what_cannot_be_read_is_refused(entry: str) -> None:
    with pytest.raises(WrongNotation) as refused:
        spellings.spellings(entry)

    assert str(refused.value).startswith(f'cannot read "{entry}": ')
    assert WRONG[entry] in str(refused.value)


def test_the_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spellings.reading, "__file__", str(tmp_path / "__init__.py"))
    (tmp_path / "words").mkdir()
    (tmp_path / "words" / "nl.toml").write_text('[orders]\npass = ["pas", "ik (pas"]\n', encoding="utf-8")

    with pytest.raises(WrongNotation, match=r'^nl\.toml: cannot read "ik \(pas"'):
        spellings.written("nl")

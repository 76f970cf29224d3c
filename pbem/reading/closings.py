"""How people end a message: with regards, their name and an address, which are nobody's business and no order.

Only what is nothing else counts, from there to the last line, below something that is. ``words/en.toml`` has farewells,
and ``words/mail.toml`` what stands in an address.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Literal

from pbem.grammar import unaccented
from pbem.locale import LANGUAGES
from pbem.reading.languages import in_english
from pbem.reading.lines import cleaned, is_order
from pbem.reading.recognisers.plans import begins_plan
from pbem.reading.recognisers.requests import request_of
from pbem.reading.vocabulary import any_mark, any_of

# Any capitalised words may be those of an office, "Acme Corp", beside an address.
Closing = Literal["farewell", "name", "role", "address", "office"]
_FAREWELLS: Final = rf"(?i)(?:(?:and )?{any_of('answers.farewell')}(?:[\s,.!]+|$)){{1,4}}"
_TITLE: Final = rf"(?i){any_mark('titles')}"
_PHONE: Final = rf"(?i)((?:{any_mark('phones')}[\s.:]{{0,3}}){{0,3}})([+(]{{0,2}}\d[\d\s()/.\u2013-]{{4,24}})"
_REACHED: Final = rf"(?i)(?:{any_mark('phones')}[\s.:]{{0,3}})?(?:<?[^\s@<>]{{1,64}}@[^\s@<>]{{1,255}}>?|(?:https?://|www\.)[\w.-]{{3,80}}/?)"
_ROLE: Final = rf"(?=[A-Z])(?i:{any_mark('roles')})(?: [^\W\d]{{1,20}}){{0,4}}"
_TOWN: Final = r"(?:[A-Z]{1,3}[- ])?\d{4,5} [^\W\d].*"
_STREET: Final = rf"(?i)(?=.*\d).*\b{any_mark('streets')}(?!\w).*"
_BETWEEN: Final = r"\s*[,|;\u2022\xb7]\s+|\s+[|\u2013-]\s+"
_MOST_LINES: Final = 12
_LONGEST: Final = 80  # characters of a line
_MOST_NAMES: Final = 4
_FEWEST_DIGITS, _MANY_DIGITS = 6, 9  # of a telephone number, with the word for it or a 0 before it, and without
_SHORT: Final = 3  # letters of a word such as "rue de la Paix" has, and of a name that is shortened


def without_closing(lines: Sequence[str], name: str) -> tuple[str, ...]:
    """Return the lines of somebody with that name, empty from where they are nothing but regards and an address on."""
    written = [i for i, line in enumerate(lines) if line]
    kinds = {i: _kinds(lines[i], name) for i in written[1:][-_MOST_LINES:]}
    for begin in kinds:
        if _closes([found for i, found in kinds.items() if i >= begin]):
            return tuple("" if i >= begin else line for i, line in enumerate(lines))
    return tuple(lines)


def _closes(kinds: Sequence[frozenset[Closing]]) -> bool:
    """Return whether lines of these kinds end a message."""
    found = frozenset[Closing]().union(*kinds)
    if not all(kinds) or ("office" in found and "address" not in found):
        return False
    if "farewell" in kinds[0]:  # alone it is a word to the others
        return bool(found & {"name", "address"})
    return "name" in kinds[0] and bool(found - {"name"})


@lru_cache(maxsize=1024)
def _kinds(line: str, name: str) -> frozenset[Closing]:
    """Return what a line is, if it is nothing else; one of an address may also be a name."""
    words = line.split() if len(line) <= _LONGEST else []
    if not words or is_order(line):
        return frozenset()
    for at in range(len(words), max(-1, len(words) - _MOST_NAMES - 2), -1):
        if at < len(words) and not _is_name(words[at:], name, alone=not at):
            continue
        signed: frozenset[Closing] = frozenset(["name"] if at < len(words) else [])
        if not at:
            return signed
        if _is_farewell(" ".join(words[:at])):
            return signed | frozenset[Closing](["farewell"])
    if all(map(_is_address, re.split(_BETWEEN, line))):
        return frozenset(["address"])
    if re.fullmatch(_ROLE, line):
        return frozenset(["role"])
    return frozenset(["office"] if _is_capitalised(words) and _is_no_order(line) else [])


def _is_farewell(words: str) -> bool:
    """Return whether the words are a farewell in any language, and nothing else."""
    said = (" ".join(in_english(words, language).text.split()).strip(" ,.!\u2013-") for language in LANGUAGES)
    return any(re.fullmatch(_FAREWELLS, each) for each in said)


def _is_name(words: Sequence[str], name: str, *, alone: bool) -> bool:
    """Return whether the words are a name, or its first letter: "Dr. Ann Lee", "A. Lee", and *alone* also "Nic"."""
    own = unaccented(name.split(maxsplit=1)[0].casefold()) if name else ""
    names = [bare for word in words if not re.fullmatch(_TITLE, word) and (bare := word.strip(",.!()"))]
    if not names or not own or len(names) > _MOST_NAMES or not _is_capitalised(names):
        return False
    first = unaccented(names[0].casefold())
    return first == own or (own.startswith(first) and (len(first) == 1 or (alone and len(first) >= _SHORT)))


def _is_address(text: str) -> bool:
    """Return whether a text is a telephone number or an address of any kind."""
    if phone := re.fullmatch(_PHONE, text):
        word, number = str(phone[1]), str(phone[2])
        is_marked = bool(word) or number.lstrip("(").startswith(("+", "0"))
        return sum(map(str.isdigit, number)) >= (_FEWEST_DIGITS if is_marked else _MANY_DIGITS)
    if re.fullmatch(_REACHED, text):
        return True
    is_place = re.fullmatch(_TOWN, text) is not None or re.fullmatch(_STREET, text) is not None
    return is_place and _is_capitalised(text.split())


def _is_capitalised(words: Sequence[str]) -> bool:
    """Return whether there is nothing but names, numbers and short words."""
    return all(
        word[0].isupper() or word[0].isdigit() or (len(word) <= _SHORT and word[-1] not in "?!:") for word in words
    )


def _is_no_order(line: str) -> bool:
    """Return whether a line without numbers is neither an order nor a request nor a plan, nor a postscript."""
    english = [cleaned(in_english(line, language).text) for language in LANGUAGES]
    is_more = re.match(r"(?i)p\W?s\b", line) or any(c in "?!:" or c.isdigit() for c in line)
    return not is_more and not any(is_order(said) or request_of(said) or begins_plan(said) for said in english)

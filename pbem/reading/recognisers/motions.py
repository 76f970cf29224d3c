"""The lines with which players move something that the others must agree to, and with which they agree or object."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from pbem.reading.doubts import is_open
from pbem.reading.vocabulary import any_of, each_of, table

# How a message may begin above its answer to a motion.
OPENINGS: Final = each_of("common.openings")
_WITHDRAWS: Final = any_of("motions.withdraw")
MOVES: Final = {word: any_of(f"motions.moves.{word}.moves") for word in table("motions.moves")}
NAMED: Final = f"(?:{'|'.join(any_of(f'motions.moves.{word}.named') for word in MOVES)})"
_TO_WHAT: Final = rf"(?: (?:to|with) (?:{any_of('motions.it')}|{NAMED}))?{any_of('motions.thanks')}"
_OBJECTS: Final = any_of("motions.disagree") + _TO_WHAT
_AGREES: Final = any_of("motions.agree") + _TO_WHAT
_ANSWER_BACK: Final = any_of("motions.answer_back")
_WISHES: Final = rf"(?i)[\s,.;:!]+(?:and )?{any_of('motions.wishes')}\b"
_ALONE: Final = any_of("motions.alone")
_LONGEST: Final = 120  # characters


class Spoken(NamedTuple):
    """What a line says about a motion: ``agree``, ``disagree``, ``withdraw``, or the word of what it moves.

    *about* has what it says about that, by the names of the groups in ``words/en.toml``: ``whom`` names a player.
    """

    what: str
    about: Mapping[str, str] = MappingProxyType({})

    @property
    def whom(self) -> str:
        """The player whom it names, "" if it names nobody."""
        return self.about.get("whom", "")


def spoken_in(line: str) -> Spoken | None:
    """Return what a cleaned line says about a motion, None for any other line."""
    if len(line) > _LONGEST:
        return None
    text = line.lower()
    if re.fullmatch(_WITHDRAWS, text):
        return Spoken("withdraw")
    for word, moves in MOVES.items():
        if found := re.fullmatch(moves, text):
            return Spoken(word, {name: said.strip(" ,") for name, said in found.groupdict("").items()})
    text = without_wishes(text)
    if re.fullmatch(_OBJECTS, text):
        return Spoken("disagree")
    return Spoken("agree") if re.fullmatch(_AGREES, text) else None


def takes_answer_back(line: str) -> bool:
    """Return whether a cleaned line takes back what its writer has just said: ``oops, undo that``."""
    return len(line) <= _LONGEST and re.fullmatch(_ANSWER_BACK, line.lower()) is not None


def without_wishes(line: str) -> str:
    """Return a cleaned line without kind words at its end: ``ok, have a nice holiday`` is ``ok``."""
    found = re.search(_WISHES, line[:_LONGEST])
    is_kind = found is not None and not (is_open(line[found.start() :]) or any(c.isdigit() for c in line))
    return line[: found.start()] if found and is_kind else line


def is_request(line: str) -> bool:
    """Return whether a cleaned line is a request at any time: ``agree to take back``, but not ``I agree``.

    Other words are only read as an answer while somebody waits for one, and are talk otherwise.
    """
    said = spoken_in(line)
    if said is None or said.what not in ("agree", "disagree"):
        return said is not None
    return (
        re.fullmatch(_ALONE, line.lower().strip(" ?!.")) is not None
        or re.search(rf"\b{NAMED}\b", line.lower()) is not None
    )

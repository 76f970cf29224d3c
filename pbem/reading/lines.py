"""A line of a reply: cleaning it, and whether it is an order or has a token."""

# ruff: noqa: RUF001 -- the quotes, dashes and digits that phones write are meant

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from pbem.errors import NotUnderstood
from pbem.first_sparks.notation import LONGEST_ORDER, ORDER_WORDS, parse_order
from pbem.reading.vocabulary import any_of

MOST_LINES: Final = 4_000
_LONGEST_LINE: Final = LONGEST_ORDER + 40  # with a bullet and the like
FIRST_WORDS: Final = tuple(dict.fromkeys(word.split()[0] for word in ORDER_WORDS))
_BULLET: Final = r"^(?:[-*•◦▪‣·–—]\s*|\+(?!\d)\s*|\(?\d{1,2}[.)]\s*(?=[^\W\d]))+(?=\S)"
_LABEL: Final = rf"(?i)^{any_of('common.labels')} ?: ?"  # as pbem play prints it
_AROUND: Final = " .。、!,;*_`'\"()"
# A token anywhere in a text: anybody who reads it could write in the player's name. An encoded blank (%20, %2520,
# =20) of a link or a mail may come before it, and a program may have broken it in two.
_DIGIT: Final = "[0-9a-hjkmnp-tv-z]"
_TOKEN: Final = (
    r"(?i)(?:(?<![0-9a-z])|(?<=[%=][0-9a-f]{2})|(?<=%25[0-9a-f]{2}))"
    rf"{_DIGIT}(?:(?:=?[ \t]*\n[>|\t ]*\n?| )?{_DIGIT}){{15}}(?![0-9a-z])"
)
_POSTSCRIPT: Final = r"(?i)^p\.\s?s\.(?!\w)"
# Yes or no without a word, followed by nothing but thanks.
_THUMBS_UP: Final = r"(?i)(?:\+ ?1|[👍👌✅✔☑🆗💯][🏻-🏿\ufe0f]*\s*)+(?:\W|please|thanks|thank you)*"
_THUMBS_DOWN: Final = r"(?i)(?:[👎❌✖🚫🙅][🏻-🏿\ufe0f]*\s*)+(?:\W|thanks|thank you)*"
_QUOTE_MARKS: Final = {ord(mark): "'" for mark in "‘’‚‛“”„‟«»‹›「」『』"}


def cleaned(line: str) -> str:
    """Return the line in the form of an order: ASCII digits and quotes, no bullet, no emoji, nothing around it.

    A line that is too long for an order is returned unchanged.
    """
    return _cleaned(line) if len(line) <= _LONGEST_LINE else line


@lru_cache(maxsize=MOST_LINES)  # each line is looked up several times, and some are slow
def _cleaned(line: str) -> str:
    plain = line if line.isascii() else unicodedata.normalize("NFKC", line.translate(_QUOTE_MARKS))
    if len(plain) > _LONGEST_LINE:  # a letter can stand for eighteen
        return line
    text = " ".join((plain if plain.isascii() else "".join(_plain(plain))).split())
    text = re.sub(_POSTSCRIPT, "PS", text, count=1)  # which is no "pass"
    return re.sub(_LABEL, "", re.sub(_BULLET, "", text, count=1).strip(_AROUND))


def _plain(line: str) -> Iterator[str]:
    for c in line:
        if c.isascii():
            yield c
        elif unicodedata.category(c) == "Nd":
            yield str(unicodedata.digit(c))
        elif unicodedata.category(c) not in {"So", "Sk", "Me", "Cf"} and not "\ufe00" <= c <= "\ufe0f":
            yield c


def spoken(line: str) -> str:
    """Return the line as ``cleaned`` does, but put a line that is only a thumb into words."""
    if len(line) <= _LONGEST_LINE and line[:1] in "+👍👌✅✔☑🆗💯👎❌✖🚫🙅":
        if re.fullmatch(_THUMBS_UP, line):
            return "thumbs up"
        if re.fullmatch(_THUMBS_DOWN, line):
            return "thumbs down"
    return cleaned(line)


def is_order(line: str) -> bool:
    """Return whether the line is an order in any situation of the game."""
    text = cleaned(line)
    return len(text) <= LONGEST_ORDER and _is_order(text)


@lru_cache(maxsize=MOST_LINES)
def _is_order(text: str) -> bool:
    words = text.lower().replace(",", " ").split()
    if not words or (len(words) == 1 and words[0] not in ORDER_WORDS):
        return False
    among = [word for word in ORDER_WORDS if word.startswith(words[0]) or words[0] == word.split()[0]]
    return any(_parses(text, word) for word in among)


def _parses(text: str, word: str) -> bool:
    try:
        parse_order(text, (word,))
    except NotUnderstood:
        return False
    return True


def rejoined(lines: Sequence[str]) -> list[str]:
    """Return the lines with wrapped orders rejoined; the line that was joined to another becomes empty."""
    whole = list(lines)
    last = 0
    for at, line in enumerate(whole[1:], 1):
        begun = whole[last]
        if begun and line and not is_order(line) and is_order(begun) and is_order(f"{begun} {line}"):
            whole[last], whole[at] = f"{begun} {line}", ""
        else:
            last = at
    return whole


def masked(text: str) -> str:
    """Return the text without any token; a run of words as long as a token is not one if they have no digits."""
    return re.sub(_TOKEN, lambda found: "..." if _is_token(found[0]) else found[0], text)


def _is_token(text: str) -> bool:
    pieces = [any(c.isdigit() for c in piece) for piece in re.split(r"[^0-9a-z]+", text.lower())]
    return len(pieces) == 1 or all(pieces) or ("\n" in text and any(pieces))


def shown(line: str) -> str:
    """Return the line as a refusal quotes it: shortened, and without any token."""
    line = masked(line)
    return f"'{line if len(line) <= 60 else line[:57] + '...'}'"

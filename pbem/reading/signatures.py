"""The lines that phones and mail programs add below what is written: ``Sent from my phone``, ``Virus-free``.

They end the writer's text, unless what they stand above is marked as quoted. ``words/mail.toml`` has the words.
"""

# ruff: noqa: RUF001 -- the apostrophes of many programs are meant

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from pbem.generated.words import MAIL
from pbem.reading.marks import LONGEST, is_quoted
from pbem.reading.vocabulary import OTHERS, any_mark

_LINK: Final = r"\s?[<\[(]?\bhttps?://\S*"
_LINK_BENEATH: Final = rf"{_LINK}|www\.\S+$"
_SENT_FIRST: Final = [
    rf"(?i){any_mark('sent', language)}(?:(?<=['’:])|\b)\s?(?:{any_mark('own', language)}(?:\s|(?<=['’])))?"
    for language in MAIL
    if language != OTHERS
]
_SENT_OTHERWISE: Final = rf"(?i){any_mark('sent', OTHERS)}"
_SENT: Final = rf"(?i){any_mark('sent_at_end')}\W*"
_SENT_LAST: Final = rf"(?i){any_mark('sent_by')}\b\s?(.*?)\s?{any_mark('sent_at_end')}"
_ADVERTISED: Final = (
    rf"(?i){any_mark('get')}\b.{{0,20}}\b{any_mark('programs')} \w{{2,4}} \w+"
    rf"|{any_mark('programs')} \w{{2,4}} \w+ {any_mark('got')}"
    r"|yahoo mail\s?:.{0,60}|\w+ from mobile"
)
_SCANNED: Final = rf"(?i){any_mark('scanned')}"
_DEVICE: Final = rf"(?i){any_mark('devices')}"
_FEELING: Final = rf"(?i)\b{any_mark('feelings')}"
_MOST_WORDS: Final = 9  # that name the phone
_LONGEST: Final = 160


def lines_of_phones(lines: Sequence[str]) -> set[int]:
    """Return the lines that phones and programs add; such a line, or the link at its end, may be wrapped."""
    found: set[int] = set()
    for i, line in enumerate(lines):
        if not line or len(line) > LONGEST or is_quoted(line):
            continue
        beneath = lines[i + 1] if i + 1 < len(lines) else ""
        if _is_of_phone(line):
            found |= {i, i + 1} if re.match(_LINK_BENEATH, beneath) else {i}
        elif re.fullmatch(_SENT, beneath) and _is_of_phone(f"{line} {beneath}"):
            found |= {i, i + 1}
    return found


@lru_cache(maxsize=1024)
def _is_of_phone(line: str) -> bool:
    linked = bool(re.search(_LINK, line))
    text = " ".join(re.sub(_LINK, " ", line).strip(" *_()<>[].~").split())
    if len(text) > _LONGEST or re.search(_FEELING, text):
        return False
    if re.fullmatch(_ADVERTISED, text) or re.fullmatch(_SCANNED, text):
        return True
    if said_last := re.fullmatch(_SENT_LAST, text):
        return not said_last[1] or any(map(_may_be_device, said_last[1].split()))
    for sent in _SENT_FIRST:
        if found := re.match(sent, text):
            what = re.split(r"[,!?;]|\. ", text[found.end() :], maxsplit=1)[0].split()[:_MOST_WORDS]
            digits = any(c.isdigit() for word in what for c in word)
            return linked or digits or any(map(_may_be_device, what[:1]))
    return bool(re.match(_SENT_OTHERWISE, text))


def _may_be_device(word: str) -> bool:
    """Return whether the word may be the name of a phone or a program, or is a word for one."""
    return word[0].isupper() or any(c.isdigit() for c in word) or bool(re.match(_DEVICE, word))

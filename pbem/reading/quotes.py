"""What the writer of a reply has written, as opposed to what comes from the letter that it answers.

No library that strips quotes is safe for orders: they guess for readers, who
do not mind an extra line. Here a line counts only if nothing suggests that it is
old; if that is uncertain, the line is doubtful, to be refused rather than played.
"""

# ruff: noqa: RUF001 -- the letters of many languages are meant

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from pbem.first_sparks.components import COLOURS
from pbem.reading.copies import pieces_of
from pbem.reading.lines import cleaned, is_order
from pbem.reading.marks import (
    LONGEST,
    attributions,
    begins_old,
    doubtful_marks,
    is_between_arrows,
    is_forward,
    is_quoted,
    quoted_heads,
    rejoined_marks,
    top_of_old,
    unquoted,
)
from pbem.reading.recognisers.requests import request_of
from pbem.reading.signatures import lines_of_phones
from pbem.reading.ticket import FIRST_LINE, MARKERS
from pbem.reading.vocabulary import any_mark

LONGEST_TEXT: Final = 128 * 1024  # characters of a reply, including everything that it quotes
_PHRASES: Final = tuple(re.sub(r"[\s=]", "", marker).lower() for marker in MARKERS.values())
_OWNER: Final = f"(?:{'|'.join(COLOURS)}|join)"
# How the marker begins, or its second line if the first was deleted.
_SPACED_PHRASE: Final = (
    "(?i)" + "|".join(map(r"\s*".join, _PHRASES)) + rf"|==\s*(?:for\s+[a-z]{{3,6}}\s+only|{_OWNER})\s*:"
)
_LIKE_A_MARKER: Final = f"(?i)==|{'|'.join(marker.split()[1] for marker in MARKERS.values())}"

_SIGNATURE: Final = r"\s*(?:--|—|–|_{20,}|-{5}BEGIN PGP SIGNATURE-{5})\s*"
# Our first lines begin with their reader's name.
_NAMED: Final = r"[\s*_]*[^\s,]{1,40}(?: [^\s,]{1,40}){0,4},(?: |$)"
_MOST_WRAPPED: Final = 8  # lines
_PGP: Final = r"-{5}BEGIN PGP SIGNED MESSAGE-{5}$|Hash: SHA\d+$"
_CONFIDENTIAL: Final = rf"(?i){any_mark('confidential')}"
_LONGEST_NAMED: Final = 200  # columns of the first line of a letter
_SURELY_TORN: Final = 3  # pieces of our letter below quoted lines
_FEWEST_LINES: Final = 3  # of a message that has its own words above an old one
_FEWEST_WORDS: Final = 3  # in the first line of an old message; fewer may be a greeting, which people write every time
_NARROWEST: Final = 60  # the fewest columns at which a client wraps the lines that it quotes


class Written(NamedTuple):
    """The lines of a reply, and which of them are doubtful.

    ``lines`` are the writer's own; "" separates paragraphs. ``signature`` are the
    lines below the signature line, ``beneath_phone`` those below a phone's, and ``beneath``
    those below the place where the answered letter begins without quote marks. ``torn`` are lines that a client may
    have broken off a quoted line, ``notice`` the lines of a confidentiality notice.
    From the line ``doubtful`` on, the text may belong to an older message, since a
    line above it names a message's date or writer. ``quoted`` are the lines with quote marks.
    From the line ``signed`` on, below the line of a phone, ``Ann wrote:``, or quoted headers without a quote, an order
    is doubtful, and nothing is talk.
    """

    lines: tuple[str, ...]
    signature: tuple[str, ...]
    beneath_phone: tuple[str, ...]
    beneath: tuple[str, ...]
    torn: tuple[str, ...]
    notice: tuple[str, ...]
    doubtful: int
    quoted: tuple[int, ...]
    signed: int


def written(text: str, letter: Callable[[], str] = str, meant: Callable[[str], str] = str) -> Written:
    """Return what the writer of a reply has written, and what may or may not be the writer's.

    *letter* makes the words of the letter that is answered, one blank apart: unmarked pieces of it are not the
    writer's. *meant* returns what a line says in English.

    Neither are an unquoted marker line and everything below it, quoted lines, or anything
    after a header block like Outlook's (``From: Sent: To: Subject:``, in any language),
    after ``-----Original Message-----``, or after an attribution (``On ... wrote:``)
    that no quoted line follows. The signature ends the writer's text.
    """
    lines = rejoined_marks(_lines(text))
    cut, kept = _original(lines)
    beneath = tuple(line for line in lines[cut + 1 :] if not is_quoted(line))
    lines = [*lines[:cut], *([kept] if kept else [])]
    end = next((i for i, line in enumerate(lines) if re.fullmatch(_SIGNATURE, line)), len(lines))
    signature = tuple(line for line in lines[end:] if not is_quoted(line))
    lines = lines[:end]
    introductions = attributions(lines).values()
    attributed = {i for found in introductions for i in range(found.start, found.end + 1)}
    ours = pieces_of(letter, tuple(map(unquoted, lines)), tuple(map(is_quoted, lines)), attributed, meant)
    torn = _torn(lines, ours) - ours
    notice = _notice(lines)
    marks = {i for i in doubtful_marks(lines) - attributed if not _begins_with_a_request(meant(lines[i]))}
    phones = lines_of_phones(lines)
    programs = {i for i, line in enumerate(lines) if re.match(_PGP, line)}
    quoted = tuple(i for i, line in enumerate(lines) if is_quoted(line))
    gone = ours | torn | notice | attributed | phones | programs | marks | _first_lines(lines)
    own = tuple("" if is_quoted(line) or i in gone else line.strip() for i, line in enumerate(lines))
    torn_lines, notice_lines = (
        tuple(lines[i].strip() for i in sorted(found) if not is_quoted(lines[i])) for found in (torn, notice)
    )
    between = attributed | phones | marks
    names = {found.end for found in introductions if not found.is_sure}
    names |= quoted_heads(lines)
    first, phone, signed = (_first_unquoted(lines, found, between) for found in (marks, phones, phones | names))
    beneath_phone = own[signed:] if phone == signed else ()
    return Written(own, signature, beneath_phone, beneath, torn_lines, notice_lines, first, quoted, signed)


def markers_in(text: str) -> tuple[str, ...]:
    """Return the contents of the markers in a text, quoted or not, and rejoined if they were wrapped.

    First comes the situation, ``friday/57/1a2b3c4d``, then its owner, ``for red only: k7m2p4q8r9s3t5v6``.
    """
    bare = "".join("".join(map(unquoted, _lines(text[:LONGEST_TEXT]))).split()).lower()
    found = re.finditer(
        rf"(?:{'|'.join(map(re.escape, _PHRASES))})"
        r"=*\[([a-z0-9-]{1,40}/[0-9]{1,6}/[0-9a-f]{8})\](?:=*(?:for)?([a-z]{3,6})(?:only)?:([0-9a-z]{16})=)?",
        bare,
    )
    said = ((match[1], f"for {match[2]} only: {match[3]}") if match[2] else (match[1],) for match in found)
    return tuple(dict.fromkeys(part for parts in said for part in parts))


def repeats(text: str, older: Iterable[str]) -> bool:
    """Return whether a message ends with all the words of an older one that began with more than an order."""
    own = _own_lines(text)
    if len(own) < _FEWEST_LINES:
        return False
    for old in map(_own_lines, older):
        begins_with_words = bool(old) and len(old[0].split()) >= _FEWEST_WORDS and not is_order(old[0])
        if begins_with_words and len(own) > len(old) > 1 and own[-len(old) :] == old:
            return True
    return False


def _own_lines(text: str) -> list[str]:
    page = written(text)
    return [" ".join(line.split()) for line in page.lines[: page.signed] if line]


def _lines(text: str) -> list[str]:
    """Return the lines with plain spaces and no invisible characters except joiners, which some scripts need."""
    return ["".join(_visible(line)).rstrip() if not line.isascii() else _ascii(line) for line in text.splitlines()]


def _ascii(line: str) -> str:
    return line.rstrip() if line.isprintable() else "".join(_visible(line)).rstrip()


def _visible(line: str) -> Iterator[str]:
    for c in line:
        kind = unicodedata.category(c)
        if kind == "Zs" or c == "\t":
            yield " "
        elif kind[0] != "C" or c in "\u200c\u200d":
            yield c


# Where the answered letter begins


def _original(lines: Sequence[str]) -> tuple[int, str]:
    """Return where the answered letter begins unquoted, and the writer's own text before it in that line."""
    introductions = attributions(lines)
    for i, line in enumerate(lines):
        if is_between_arrows(line) and not _is_followed_by_a_quote(lines, i):
            return i, ""
        if not line or is_quoted(line):
            continue
        if re.search(_LIKE_A_MARKER, line):
            text = " ".join([line, *map(unquoted, lines[i + 1 : i + 4])])
            marker = re.search(_SPACED_PHRASE, text)
            before = text[: marker.start()].rstrip().rstrip("=") if marker else text
            if len(before) < len(line):
                return i, before.rstrip()
        if len(line) > LONGEST:
            continue
        if begins_old(lines, i):
            return top_of_old(lines, i), ""
        attribution = introductions.get(i)
        begins = attribution.is_sure if attribution else is_forward(line)
        if begins and not _is_followed_by_a_quote(lines, i):
            return top_of_old(lines, attribution.start if attribution else i), ""
    return len(lines), ""


def _is_followed_by_a_quote(lines: Sequence[str], i: int) -> bool:
    """Return whether the next line is quoted, or this is the last one."""
    after = next((lines[j] for j in range(i + 1, len(lines)) if lines[j]), None)
    return after is None or is_quoted(after)


def _first_unquoted(lines: Sequence[str], found: Collection[int], between: Collection[int]) -> int:
    """Return the first of these lines with unquoted text below it, apart from what may stand *between*."""
    first, follows = len(lines), True
    for i in reversed(range(len(lines))):
        if i in found and not follows:
            first = i
        if unquoted(lines[i]).strip() and i not in between:
            follows = is_quoted(lines[i])
    return first


def _begins_with_a_request(line: str) -> bool:
    """Return whether a line in English is the writer's, since more follows an order or a request in it."""
    first, *more = re.split(r"[.,;!] ", line, maxsplit=1)
    return bool(more) and (is_order(first) or bool(request_of(cleaned(first))))


# What else is not the writer's


def _first_lines(lines: Sequence[str]) -> set[int]:
    """Return the first lines of our letters, above the marker, and the subject above one where letters are files."""
    gone = set[int]()
    for end, line in enumerate(lines):
        found = FIRST_LINE.search(line) if len(line) <= LONGEST else None
        if found is not None:
            start = _named(lines, end)
            above = next((i for i in range(start - 1, max(-1, start - 3), -1) if lines[i]), start)
            is_subject = unquoted(lines[above]).lstrip().startswith(f"[{found[1]}] ")
            gone |= {*range(start, end + 1), *([above] if is_subject else [])}
    return gone


def _named(lines: Sequence[str], end: int) -> int:
    """Return where the first line of a letter that ends there begins, with its reader's name; it may be wrapped."""
    width = 0
    for i in range(end, max(-1, end - _MOST_WRAPPED), -1):
        line = unquoted(lines[i])
        width += len(line) + 1
        if not line or width > _LONGEST_NAMED:
            break
        if re.match(_NAMED, line):
            return i
    return end


def _notice(lines: Sequence[str]) -> set[int]:
    """Return the lines of confidentiality notices, each to the end of its paragraph."""
    gone: set[int] = set()
    for i, line in enumerate(lines):
        if line and (i - 1 in gone or (len(line) >= _NARROWEST and re.search(_CONFIDENTIAL, line))):
            gone.add(i)
    return gone


def _torn(lines: Sequence[str], ours: Collection[int]) -> set[int]:
    """Return the lines between quoted ones that a client may have broken off the quoted line before.

    That is so if the line before was too long for it, and for all of them if it has broken off pieces of *ours*.
    """
    quoted = [bool(line) and (is_quoted(line) or i in ours) for i, line in enumerate(lines)]
    width = max((len(line) for line, is_old in zip(lines, quoted, strict=True) if is_old), default=0)
    surely = sum(quoted[i - 1] for i in ours if i) >= _SURELY_TORN
    if width < _NARROWEST and not surely:
        return set()
    return {
        i
        for i in range(1, len(lines) - 1)
        if lines[i]
        and (quoted[i - 1] and quoted[i + 1] and not quoted[i])
        and (surely or len(lines[i - 1]) + 1 + len(lines[i].split()[0]) > width)
        and not FIRST_LINE.search(lines[i - 1])  # that line is complete: an order may well be written below it
    }

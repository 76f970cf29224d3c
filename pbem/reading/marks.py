"""The marks that mail programs and phones leave between a reply and an older mail.

The words of each language are in ``words/mail.toml``. What may be a sentence of the writer is at most a doubtful mark.
"""

# ruff: noqa: RUF001 -- the dashes and brackets of many programs are meant

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from pbem.reading.vocabulary import any_mark

# How a quoted line begins: a > for each time it was quoted, after initials in some clients, or a bar in others.
_QUOTE: Final = r"\s{0,3}(?:[A-Za-z]{0,4}>|[|＞]|[»›](?!.{0,60}[«‹]))"
_QUOTES: Final = f"(?:{_QUOTE})+\\s?"
# The name of a header; with a digit before the colon it is a time, as in ``On Tue, 3 Nov 2026 at 10:00``.
_LABEL: Final = r"\s*[*_]{0,2}[^\W\d][^:：@<>]{0,24}[*_]{0,2}(?<!\d)\s?[:：](?!//)"
_FROM: Final = rf"(?i)\s*[*_]{{0,2}}{any_mark('from')}[*_]{{0,2}}\s?[:：]"
_NAMES: Final = f"(?:{any_mark('from')}|{any_mark('headers')})"
_HEADER: Final = rf"(?i)\s*[*_]{{0,2}}{_NAMES}[*_]{{0,2}}\s?[:：]"
_HEADERS_WITHIN: Final = rf"(?i)(?<!\w){_NAMES}\s?[:：]\s"
_NO_VALUE: Final = r"[:：][*_]*$"
_RULES: Final = r"[-_=*‐‑‒–—―─−]"
_RULE: Final = rf"\s*{_RULES}{{3,}}\s*"
# How GroupWise begins the older mail, which it does not mark: ``>>> Ann Lee <ann@home.example> 02.11.26 10:00 >>>``.
_BETWEEN_ARROWS: Final = r">>> [^>].*[^>\s]>? >>>\s*"
_LONG_RULE: Final = rf"\s*{_RULES}{{20,}}\s*"
_HEADING: Final = rf"(?i)\s*[\[*_]*(?:{_RULES}{{2,}}\s*)?{any_mark('originals')}(?:\s*{_RULES}{{2,}})?[\]*_]*\s*[:：]?"
_DASHED: Final = rf"\s*{_RULES}{{3,}}\s*([^\W_].*?)\s*{_RULES}{{3,}}\s*"
_BRACKETED: Final = r"\s*\[([^\[\]]{1,40})\]\s*"
_OLD: Final = f"(?i){any_mark('old')}"
_FORWARD: Final = rf"(?i)[*_\s]*{any_mark('forwards')}\s?[:：][*_]*"
_FORWARDED: Final = rf"(?i)\W*(?:\w+ ){{0,3}}{any_mark('forwarded')}\s?[:：]$"
_WROTE: Final = rf"(?i)\b{any_mark('wrote')}\b|{any_mark('unspaced')}"
_WROTE_END: Final = rf"(?i)(?:\b{any_mark('wrote')}|{any_mark('unspaced')})\s?[.…]{{0,3}}$"
_TIME: Final = r"(?<!\d)\d{1,2}\s?[:.h時点]\s?\d\d(?!\d)"
_DAY: Final = r"\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]|(?<!\d)(?:19|20)\d\d(?!\d)"
# A day whose month has a name: that alone is no header, but an old order may stand below it.
_MONTH: Final = any_mark("months")
_NAMED_DAY: Final = rf"(?i)\b\d{{1,2}}(?:st|nd|rd|th|\.)? {_MONTH}|\b{_MONTH}[^\W\d_]{{0,6}}\.? \d{{1,2}}(?!\d)"
_ADDRESS: Final = r"[<‹＜(\[]?\s?(?:mailto:\s?)?[^\s<>‹›()\[\]:@]{1,64}@[^\s<>‹›()\[\]@]{1,255}\s?[>›＞)\]]?"
_ON: Final = rf"\W*(?!AM\b)(?i:{any_mark('on')})(?:\s|$)"
_OPENING: Final = rf"(?i)\W*{any_mark('on')}?\s*(?:\w{{2,12}}[.,]{{1,2}}\s*){{0,2}}\d"
_IN_BRACKETS: Final = r"[<(\[]\S+@\S+[>)\]]"
_LETTERS: Final = r"[^\W\d_]+"
# Our own subject as a program or a person repeats it above a quote.
_SUBJECT: Final = r"\s*(?:[*_]{0,2}[^\W\d]{1,20}(?: [^\W\d]{1,12})?\s?[:：][*_]{0,2}\s*){1,4}\[[a-z0-9-]{1,40}\]"
_QUOTE_TAG: Final = r"(?i)\s*\[quote\b"
_ATTRIBUTION_END: Final = r"(?:[:：]|-{3,})[*_]{0,2}$"
# What a program has broken: a bracket that a later line closes, and the end of an attribution that looks quoted.
_UNCLOSED: Final = (
    r"<(?:\s*mailto:[^<>]*|https?://[^\s<>]*|[^\s<>]*@[^\s<>]*|)$|[\[(]\s*(?:mailto:|https?://)[^\s\[\]()]*$"
)
_ADDRESSED: Final = r"[<\[(][^<>]*(?:@|://)"
_TORN_END: Final = rf"(?i)>?\s*(?:{any_mark('wrote')}?\s?[:：])"
_CLOSING: Final = {"<": ">", "[": "]", "(": ")"}
_COLONS: Final = (":", "：")

_LONGEST_DASHED: Final = 120
_LONGEST_MARK: Final = 200
LONGEST: Final = 400  # columns of a line that can be a header or an attribution
_MOST_HEADERS: Final = 4  # headers that are looked for
_MOST_QUOTED: Final = 12  # headers of an older mail that are quoted
_MOST_WORDS: Final = 6  # besides the date or the address, of a line that introduces a quote
_FEW_LETTERS: Final = 3  # of a word in a name that has no capital letter: von, van, via
_FEW_WORDS: Final = 3
_MOST_NAMES: Final = 5  # of a writer
_MOST_BROKEN: Final = 4  # lines of an attribution


@lru_cache(maxsize=1024)  # a reply is read twice, and asks this of a line a dozen times
def is_quoted(line: str) -> bool:
    """Return whether a client has marked the line as quoted."""
    return bool(re.match(_QUOTE, line))


@lru_cache(maxsize=1024)
def unquoted(line: str) -> str:
    """Return the line without its quote marks."""
    return re.sub(_QUOTES, "", line, count=1) if is_quoted(line) else line


def is_dated_or_addressed(line: str) -> bool:
    """Return whether the line has an address or a day."""
    return len(line) <= LONGEST and bool("@" in line or re.search(_DAY, line))


def names_a_day(line: str) -> bool:
    """Return whether the line has a day whose month is a word: ``Ann Lee, 3 Nov:``."""
    return len(line) <= LONGEST and bool(re.search(_NAMED_DAY, line))


def _is_dated(line: str) -> bool:
    """Return whether the line has a day or a time."""
    return bool(re.search(_DAY, line) or re.search(_TIME, line))


def next_line(lines: Sequence[str], i: int) -> int | None:
    """Return the next line after i that is not empty, with at most two empty ones between."""
    return next((j for j in range(i + 1, min(i + 4, len(lines))) if lines[j]), None)


# Broken lines


def rejoined_marks(lines: Sequence[str]) -> list[str]:
    """Return the lines with addresses and attributions that a program has broken in one line; the others are empty.

    Broken are ``Ann <``, ``mailto:Ann <ann@home.example>``, ``> wrote:``, and links. Only brackets that are closed
    within three lines count, and only if there is an address in them.
    """
    whole = list(lines)
    for i, line in enumerate(lines):
        if not whole[i] or len(line) > LONGEST:
            continue
        if not (line.endswith(_COLONS) or any(c in line for c in _CLOSING)):
            continue
        if re.search(_UNCLOSED, line) and not is_quoted(line):
            _close(whole, i)
        elif i > 0 and re.fullmatch(_TORN_END, line) and _continues(whole, i):
            above = max(j for j in range(i) if whole[j])
            whole[above], whole[i] = f"{whole[above]} {line}", ""
    return whole


def _continues(lines: Sequence[str], i: int) -> bool:
    """Return whether the line before i has the date, the address or the verb of an attribution."""
    above = next((lines[j] for j in (i - 1, i - 2, i - 3, i - 4) if j >= 0 and lines[j]), "")
    if not above or is_quoted(above) or len(above) > LONGEST:
        return False
    return is_dated_or_addressed(above) or _is_dated(above) or bool(re.search(_WROTE, above))


def _close(lines: list[str], i: int) -> None:
    """Put what closes the bracket at the end of line i into that line, and a name or date above a lone bracket."""
    opening = next(c for c in reversed(lines[i]) if c in _CLOSING)
    text, last = lines[i], i
    while text.count(opening) > text.count(_CLOSING[opening]):
        beneath = next_line(lines, last)
        if beneath is None or beneath > i + 2 * _MOST_BROKEN or len(text) > LONGEST:
            return
        text, last = f"{text} {lines[beneath]}", beneath
    if not re.search(_ADDRESSED, text):
        return
    lines[i : last + 1] = [text, *[""] * (last - i)]
    above = next((j for j in (i - 1, i - 2) if j >= 0 and lines[j]), None)
    if above is None or is_quoted(lines[above]) or not text.startswith(opening):
        return
    if _is_dated(lines[above]) or re.search(_WROTE, lines[above]) or (above == i - 1 and _is_name(lines[above])):
        lines[above], lines[i] = f"{lines[above]} {text}", ""


def _is_name(line: str) -> bool:
    """Return whether the line can be a name: a few words with capital letters."""
    names = line.strip("\"' ").split()
    capital = [name[0].isupper() or len(name) <= _FEW_LETTERS for name in names]
    return 0 < len(names) <= _MOST_NAMES and all(capital) and names[0][0].isupper() and line[-1] not in ".!?:"


# Headers


def begins_old(lines: Sequence[str], i: int) -> bool:
    """Return whether the lines of an older mail begin here: its headers, or a line that says so."""
    return _begins_header_block(lines, i) or begins_original(lines, i)


def begins_original(lines: Sequence[str], i: int) -> bool:
    """Return whether the line is ``-----Original Message-----``, or dashes and words before a header block."""
    line = lines[i][:_LONGEST_DASHED]
    if _is_heading(line) and re.search(rf"{_RULES}{{2}}|\[", line):
        return True
    dashed = re.fullmatch(_DASHED, line)
    if dashed is None or dashed[1].upper().startswith(("BEGIN PGP", "END PGP")):
        return False
    after = next_line(lines, i)
    says_so = not line.lstrip().startswith("*") and re.search(_OLD, dashed[1])
    return bool(says_so) or (after is not None and bool(re.match(_FROM, lines[after])))


def is_between_arrows(line: str) -> bool:
    """Return whether the line names the writer of an older mail as GroupWise does, which only looks quoted."""
    return line.startswith(">>> ") and len(line) <= LONGEST and bool(re.fullmatch(_BETWEEN_ARROWS, line))


def quoted_heads(lines: Sequence[str]) -> set[int]:
    """Return the quoted lines that introduce an older mail: ``> Ann wrote:``, or the last of ``> From:``, ``> To:``."""
    bare = [unquoted(line) if is_quoted(line) else "" for line in lines]
    found = {i for i, line in enumerate(bare) if line and _ends_in_a_verb(line.rstrip(" :"))}
    for i, line in enumerate(bare):
        if line and re.match(_FROM, line) and _begins_header_block(bare, i):
            last = i
            for _ in range(_MOST_QUOTED):
                beneath = next_line(bare, last)
                if beneath is None or not re.match(_HEADER, bare[beneath]):
                    break
                last = beneath
            found.add(last)
    return found


def top_of_old(lines: Sequence[str], i: int) -> int:
    """Return where the mark that ends in line i begins: a rule, or a line that says what follows, may stand above."""
    top = i
    while (above := next((j for j in range(top - 1, max(-1, top - 4), -1) if lines[j]), None)) is not None:
        if not (re.fullmatch(_RULE, lines[above]) or _is_heading(lines[above])):
            break
        top = above
    return top


def _is_heading(line: str) -> bool:
    return len(line) <= _LONGEST_DASHED and bool(re.fullmatch(_HEADING, line))


def _begins_header_block(lines: Sequence[str], i: int) -> bool:
    """Return whether headers begin here: two of which one has an address or a date, or From and another one.

    What somebody has written above known ones may have a colon too: ``my order: offer 9``.
    """
    if not re.match(_LABEL, lines[i]):
        return False
    if _is_paragraph_of_headers(lines[i]):
        return True
    block = [i]
    while len(block) < _MOST_HEADERS and (j := next_line(lines, block[-1])) is not None and re.match(_LABEL, lines[j]):
        block.append(j)
    known = [j for j in block if re.match(_HEADER, lines[j])]
    if not known:
        return _are_surely_headers([lines[j] for j in block])
    if i not in known and _begins_header_block(lines, known[0]):
        return False  # what stands above the first header is the writer's
    if len(block) >= 2 and (re.match(_FROM, lines[i]) or any(is_dated_or_addressed(lines[j]) for j in block)):
        return True
    return _has_headers_with_values_below(lines, i)


def _are_surely_headers(block: Sequence[str]) -> bool:
    """Return whether lines in an unknown language are headers: an address and a date, or three with a whole day."""
    has_address, has_date = any("@" in line for line in block), any(map(_is_dated, block))
    has_day = any(re.search(_DAY, line) or re.search(_NAMED_DAY, line) for line in block)
    return (has_address and has_date and len(block) >= 2) or (has_day and len(block) >= 3)


def _is_paragraph_of_headers(line: str) -> bool:
    """Return whether a program has put several headers into one line."""
    found = len(re.findall(_HEADERS_WITHIN, line)) if is_dated_or_addressed(line) else 0
    return found >= 3 and bool(re.match(_HEADER, line) or re.match(rf"(?i)\s*{any_mark('originals')}", line))


def _has_headers_with_values_below(lines: Sequence[str], i: int) -> bool:
    """Return whether known headers begin here, the values of some in lines of their own."""
    if not re.match(_HEADER, lines[i]):
        return False
    found, at, values = 1, i, 0
    said = lines[i]
    while found < _MOST_HEADERS and (j := next_line(lines, at)) is not None and len(lines[j]) <= _LONGEST_MARK:
        if re.match(_HEADER, lines[j]):
            found, values = found + 1, 0
        elif values or not (re.search(_NO_VALUE, lines[at]) or is_dated_or_addressed(lines[j])):
            break
        else:
            values = 1
        said, at = f"{said} {lines[j]}", j
    return found >= 2 and ("@" in said or _is_dated(said))


# Attributions


class Attribution(NamedTuple):
    """The first and last line of ``On ... wrote:``, which introduces a quote, and whether it has a date or an address.

    Without them it can also be a sentence.
    """

    start: int
    end: int
    is_sure: bool


def attributions(lines: Sequence[str]) -> dict[int, Attribution]:
    """Return the attributions by the line in which they end."""
    found: dict[int, Attribution] = {}
    i = len(lines) - 1
    while i >= 0:
        may_end = 0 < len(lines[i]) <= LONGEST and not is_quoted(lines[i])
        start = _start(lines, i) if may_end else None
        if start is not None:
            text = " ".join(lines[start : i + 1])
            is_sure = "@" in text or _is_dated(text) or names_a_day(text)
            if is_sure or _names_writer(text):
                found[i] = Attribution(start, i, is_sure)
                i = start
        i -= 1
    return found


def _start(lines: Sequence[str], i: int) -> int | None:
    """Return where the attribution that ends in line i begins; it may be wrapped."""
    ends = bool(re.search(_ATTRIBUTION_END, lines[i][-6:]))
    if not (ends or _ends_in_a_verb(lines[i])):
        return None
    first = i  # of the paragraph, as far up as an attribution can be long
    while first > max(0, i - _MOST_BROKEN + 1) and lines[first - 1] and not is_quoted(lines[first - 1]):
        first -= 1
    whole = " ".join(line for line in lines[first : i + 1] if len(line) <= LONGEST)
    if not (ends or "@" in whole or _is_dated(whole)):  # no sentence has a date or an address and ends with "wrote"
        return None
    start = i
    while not _attributes(" ".join(lines[start : i + 1])):
        if start == first:
            return None
        start -= 1
    opening = (j for j in range(start, first - 1, -1) if re.match(_ON, lines[j]) and _may_open(lines, j, i))
    start = next(opening, start)
    while start > first and _goes_before(lines[start - 1], lines[start]):
        start -= 1
    return start


@lru_cache(maxsize=1024)
def _ends_in_a_verb(line: str) -> bool:
    return bool(re.search(_WROTE_END, line[-_LONGEST_MARK:]))


def _names_writer(text: str) -> bool:
    """Return whether a text has nothing but a name, and perhaps a day, besides its verb."""
    verb = re.search(_WROTE, text)
    if verb is None or re.match(_ON, text):
        return verb is not None
    before, after = (part.strip(" -*_:：.…") for part in (text[: verb.start()], text[verb.end() :]))
    return all(not part or _is_name(part) for part in (before, after)) or (not after and " " not in before)


def leads_in(line: str) -> bool:
    """Return whether the line is a sentence above a quote: ``In my last mail I wrote:``."""
    return len(line) <= LONGEST and line.endswith((":", "：")) and bool(re.search(_WROTE, line))


def _may_open(lines: Sequence[str], j: int, end: int) -> bool:
    """Return whether the words from line j on have a date, or little more than a day, before the writer."""
    text = " ".join(lines[j : end + 1])
    return j == end or _is_dated(text) or names_a_day(text) or "@" in text or len(lines[j].split()) <= _FEW_WORDS


def _goes_before(above: str, line: str) -> bool:
    """Return whether a line belongs to the attribution below it: an address, a date, or the name before an address."""
    if re.match(_ON, line):
        return bool(re.search(_IN_BRACKETS, above))
    if "@" in above or (_is_dated(above) and (re.match(_OPENING, above) or len(above.split()) <= _FEW_WORDS)):
        return True
    return _is_name(above) and bool(re.match(rf"(?i)\s*(?:[<(\[]|{any_mark('wrote')}\b)", line))


def _attributes(text: str) -> bool:
    return bool(re.search(_WROTE, text)) or ("@" in text and _is_dated(text))


# What may be a mark


def doubtful_marks(lines: Sequence[str]) -> set[int]:
    """Return the lines that probably introduce an unmarked quote: they name a message's date or writer."""
    return {i for i, line in enumerate(lines) if 0 < len(line) <= _LONGEST_MARK and _is_mark(line)}


@lru_cache(maxsize=1024)
def _is_mark(line: str) -> bool:
    """Return whether the line is little more than an address or a date with a time, or sets off what follows."""
    if (
        re.match(_QUOTE_TAG, line)
        or re.match(_FORWARDED, line)
        or re.fullmatch(_FORWARD, line)
        or re.match(_SUBJECT, line)
        or re.fullmatch(_LONG_RULE, line)
        or begins_original([line], 0)
    ):
        return True
    bracketed = re.fullmatch(_BRACKETED, line)
    if (bracketed and re.search(_OLD, bracketed[1])) or (re.match(_ON, line) and re.search(_WROTE_END, line)):
        return True
    bare, addresses = re.subn(_ADDRESS, " ", line)
    dated = bool(re.search(_DAY, line) and re.search(_TIME, line))
    if (addresses or dated) and (re.search(_WROTE, line) or (addresses and re.match(_HEADER, line))):
        return True
    words = [word for word in re.findall(_LETTERS, bare) if not re.match(rf"(?i){_MONTH}", word)]
    speaks = not line.endswith(_COLONS) and any(word.islower() and len(word) > _FEW_LETTERS for word in words)
    if len(words) > _MOST_WORDS or speaks:
        return False
    heads = not words or re.search(rf"<|mailto|{_DAY}|[:：]$", line) or re.match(_LABEL, line)
    return bool(addresses and heads) or (dated and bool(re.match(_OPENING, line)))


def is_forward(line: str) -> bool:
    """Return whether the line is ``Begin forwarded message:``."""
    return len(line) <= _LONGEST_MARK and bool(re.fullmatch(_FORWARD, line))

"""The HTML part of a letter: its text once more, with answers to tap and the board as a picture.

The text is the letter; this is only how it looks. Styles are inline, and nothing
is fetched from anywhere. A phone shows the question and the answers first, and nothing
has to be pushed aside: a drawing in letters gets as small as it must, the row of a table
goes on below. Drawings in letters stand last where there is a picture.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import pairwise
from typing import Final, NamedTuple
from urllib.parse import quote

from pbem.first_sparks.drawing import WIDTH

PICTURE_ID: Final = "board@pbem"
# The sections of the text, in the order in which a phone shows them.
_HEADINGS: Final = (
    *("QUESTION", "FINAL TABLE", "TABLE TALK", "WHAT HAS HAPPENED"),
    *("BOARD", "HARVEST SPACES", "MARKET", "CLANS", "BOARD IN LETTERS"),
)

NBSP: Final = "\N{NO-BREAK SPACE}"
_BODY: Final = (
    "margin:0 auto;padding:12px;max-width:720px;background:#fbf7ec;color:#3a3128;font:16px/1.45 sans-serif;"
    "overflow-wrap:break-word;-webkit-text-size-adjust:100%"
)
_FIRST: Final = "margin:0 0 8px;font-size:17px;font-weight:bold"
_MARKER: Final = "color:#6d6255;font:11px/1.4 monospace"
_HEAD: Final = "margin:20px 0 6px;font-size:15px;letter-spacing:.06em;color:#7a4a21"
_PROSE: Final = "margin:6px 0"
_LIST: Final = "margin:6px 0;padding-left:20px"
_CLAN: Final = "margin:6px 0 10px;font-size:14px"
# What does not fit into a line of a row goes on where the row began, and a little to the right.
_TABLE: Final = "margin:6px 0;padding-left:26px;text-indent:-26px;font:11px/1.35 monospace;white-space:pre-wrap"
_DRAWING: Final = "margin:6px 0;font:{size:.4g}px/1.35 monospace;{narrower}white-space:pre"
_BUTTON: Final = (
    "display:inline-block;margin:4px 6px 4px 0;padding:10px 14px;border-radius:8px;background:#7a4a21;color:#ffffff;"
    "font-weight:bold;text-decoration:none"
)
_ANSWER: Final = "margin:8px 0 12px;font-size:14px"
# No character of a fixed width is wider, in parts of its height; and how wide a page is inside, on a narrow phone.
_CHARACTER, _INSIDE, _NARROW = 0.605, 332, 360
_WIDEST_CELL: Final = 44  # columns that fit into one line there
_PICTURE: Final = "display:block;width:100%;max-width:600px;height:auto;border-radius:8px"
_TAP: Final = "Tap an answer, and send the mail that opens:"


class Tap(NamedTuple):
    """An answer to tap: its order, what is written on the button, and the mail that it begins."""

    order: str
    label: str
    url: str


def mailto(address: str, subject: str, body: Sequence[str]) -> str:
    """Return the address of a mail that is ready to send, its body being those lines.

    Everything is encoded: a bare ``+`` is a blank to some mail programs.
    """
    filled = {"subject": subject, "body": "\r\n".join(body)}
    query = "&".join(f"{name}={quote(value, safe='')}" for name, value in filled.items())
    return f"mailto:{quote(address, safe='@')}?{query}"


def page(text: str, title: str, taps: Iterable[Tap] = (), *, picture: bool = False, language: str = "en") -> str:
    """Return the text of a letter as a page; its first block, if lines there begin with ``==``, has the marker."""
    top, sections = _sections(text, picture=picture)
    parts = [f'<div style="{_MARKER if line.startswith("==") else _FIRST}">{escape(line)}</div>' for line in top]
    for heading, blocks in sorted(sections, key=lambda section: _HEADINGS.index(section[0]) if section[0] else -1):
        if heading:
            parts.append(f'<h2 style="{_HEAD}">{escape(heading)}</h2>')
        if heading == "BOARD" and picture:
            alt = "The board; it is drawn in letters below"
            parts.append(f'<img src="cid:{PICTURE_ID}" alt="{alt}" style="{_PICTURE}">')
        shown = map(_clans if heading == "CLANS" else _block, blocks) if heading != "QUESTION" else _asked(blocks, taps)
        parts += filter(None, shown)
    body = "\n".join(parts)
    return (
        f'<!DOCTYPE html>\n<html lang="{language}"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width">'
        f'<meta name="color-scheme" content="light"><title>{escape(title)}</title></head>\n'
        f'<body style="{_BODY}">\n{body}\n</body></html>\n'
    )


Section = tuple[str, list[str]]  # a heading, and the blocks below it


def _sections(text: str, *, picture: bool) -> tuple[list[str], list[Section]]:
    """Return the lines at the top, and the text by its headings; what comes before the first has none.

    Where there is a picture of the board, the one in letters has a heading of its own.
    """
    top: list[str] = []
    sections: list[Section] = [("", [])]
    for block in text.strip("\n").split("\n\n"):
        first, _, rest = block.partition("\n")
        heading = next((heading for heading in _HEADINGS if re.match(rf"{heading}(?:,|\Z)", first)), "")
        if re.search("^==", block, re.M) and not top:
            top = block.split("\n")
        elif heading:
            below = [f"{first.removeprefix(heading).lstrip(', ')}\n{rest}".strip("\n")]
            drawn = heading == "BOARD" and picture
            sections += [(heading, []), ("BOARD IN LETTERS", below)] if drawn else [(heading, below)]
        else:
            sections[-1][1].append(block)
    return top, sections


# The question


def _asked(blocks: Sequence[str], taps: Iterable[Tap]) -> Iterator[str]:
    """Yield the question: a table of answers becomes their buttons, each with what there is to know beneath it.

    Answers that stand in no such table have their buttons at the end.
    """
    left = {tap.order: tap for tap in taps}
    for block in blocks:
        head = re.search(r"^  order +cost\n(?:  (?!not:).*\n?)+", block, re.M) if left else None
        if not head:
            yield _block(block)
            continue
        yield _block(block[: head.start()].strip("\n"))
        yield f'<p style="{_PROSE}">{_TAP}</p>'
        for order, note in _rows(head[0]):
            said = _button(left.pop(order)) if order in left else f"<b>{escape(order)}</b>"
            yield f'<p style="{_ANSWER}">{said}<br>{_unbroken(note)}</p>'
        yield _block(block[head.end() :])
    if left:
        yield f'<p style="{_PROSE}">{_TAP}</p>\n<p>{chr(10).join(map(_button, left.values()))}</p>'


def _rows(table: str) -> Iterator[tuple[str, str]]:
    """Yield the order and the note of every row of a table of answers; a row without an order goes on with a note."""
    head, *lines = table.rstrip("\n").split("\n")
    order, notes = "", [""]
    for line in (*lines, " ?"):
        if line[:3].strip():
            yield from [(order, " ".join(notes))] if order else []
            order, notes = line[: len(head) - len("cost")].strip(), []
        notes.append(line[len(head) :].strip())


def _button(tap: Tap) -> str:
    return f'<a href="{escape(tap.url)}" style="{_BUTTON}">{escape(tap.label.replace(" ", NBSP))}</a>'


# Blocks of lines


def _clans(block: str) -> str:
    """Return the clans as paragraphs, since their lines are longer than a phone is wide."""
    intro, *clans = re.split(r"^(?=\d\. |-  )", block, flags=re.M)
    parts = [_block(intro.strip("\n"))]
    for clan in clans:
        name, *facts = (" ".join(fact.split()) for fact in re.split(r"\n   (?=(?:on|tools|knows|next) )", clan))
        said = "".join(f"<br><b>{fact.partition(' ')[0]}</b> {_unbroken(fact.partition(' ')[2])}" for fact in facts)
        parts.append(f'<p style="{_CLAN}"><b>{escape(name)}</b>{said}</p>')
    return "\n".join(parts)


def _block(block: str) -> str:
    """Return a block of lines as what it is: a list, and prose and tables before and after it."""
    lines = block.split("\n") if block else []
    start = next((number for number, line in enumerate(lines) if line.startswith("- ")), len(lines))
    end = next((n for n in range(start, len(lines)) if not lines[n].startswith(("- ", "  "))), len(lines))
    return "\n".join(part for part in (*_tabled(lines[:start]), _list(lines[start:end]), *_tabled(lines[end:])) if part)


def _list(lines: Sequence[str]) -> str:
    items = re.split(r"\n- ", "\n".join(lines)[2:])
    inside = "\n".join(f"<li>{_unbroken(' '.join(item.split()))}</li>" for item in items)
    return f'<ul style="{_LIST}">\n{inside}\n</ul>' if lines else ""


def _tabled(lines: Sequence[str]) -> tuple[str, str, str]:
    """Return lines as prose before, in and after a table."""
    tabular = [number for number, line in enumerate(lines) if re.match(r" |.*  ", line)]
    start, end = (tabular[0], tabular[-1] + 1) if tabular else (len(lines), len(lines))
    table = lines[start:end]
    drawn = any(re.search(r"[-'.^|_\\/\u2500-\u257f\u25b2]{2}", line) for line in table)
    shown = (_drawing(table) if drawn else _table(table)) if table else ""
    return _prose(lines[:start]), shown, _prose(lines[end:])


def _table(rows: Sequence[str]) -> str:
    """Return the rows of a table; a phone breaks one between two columns, not within one."""
    inside = (f"<div>{_unbroken(re.sub('[^ ]+(?: [^ ]+)*', _cell, row))}</div>" for row in rows)
    return f'<div style="{_TABLE}">{"".join(inside)}</div>'


def _cell(found: re.Match[str]) -> str:
    return found[0].replace(" ", NBSP) if len(found[0]) <= _WIDEST_CELL else found[0]


def _unbroken(text: str) -> str:
    """Return a text in which no line ends within what a tool takes from where: ``4-6:2``."""
    return re.sub(r"\d+-\d+:\d+", r'<span style="white-space:nowrap">\g<0></span>', escape(text))


def _drawing(lines: Sequence[str]) -> str:
    """Return a drawing in letters, on a phone so small that it can be seen whole."""
    widest = max(map(len, lines)) * _CHARACTER
    size = min(11, _INSIDE / widest)
    narrower = "" if size == 11 else f"font-size:min(11px,{100 * _INSIDE / _NARROW / widest:.3g}vw);"
    style = _DRAWING.format(size=size, narrower=narrower)
    return f'<pre style="{style}">{escape(chr(10).join(lines))}</pre>'


def _prose(lines: Sequence[str]) -> str:
    """Return lines as a paragraph: one that was broken because it was full goes on, others end."""
    if not lines:
        return ""
    text = _unbroken(lines[0])
    for before, line in pairwise(lines):
        more = line.removeprefix("| ")  # so table talk goes on
        full = len(before) + len(line) - len(more) + 1 + len(more.split(" ", 1)[0]) > WIDTH
        text += f" {_unbroken(more)}" if full else f"<br>{_unbroken(line)}"
    return f'<p style="{_PROSE}">{text}</p>'

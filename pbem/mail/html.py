"""The HTML part of a letter: its text once more, with answers to tap and the board as a picture.

The text is the letter; this is only how it looks. Styles are inline, and nothing
is fetched from anywhere. On a phone the question and the answers come before
the tables, and what is wide can be pushed aside.
"""

import re
from collections.abc import Iterable, Sequence
from html import escape
from itertools import pairwise
from typing import Final, NamedTuple
from urllib.parse import quote

from pbem.first_sparks.drawing import WIDTH

PICTURE_ID: Final = "board@pbem"
# What is read first on a phone, under these headings; the rest follows as it stands in the text.
_FIRST: Final = ("TABLE TALK", "WHAT HAS HAPPENED", "FINAL TABLE", "QUESTION")
_HEADINGS: Final = (*_FIRST, "BOARD", "HARVEST SPACES", "MARKET", "CLANS")

NBSP: Final = "\N{NO-BREAK SPACE}"
_BODY: Final = "margin:0 auto;padding:12px;max-width:720px;background:#fbf7ec;color:#3a3128;font:16px/1.45 sans-serif"
_MARKER: Final = "color:#6d6255;font:11px/1.4 monospace"
_HEAD: Final = "margin:20px 0 6px;font-size:15px;letter-spacing:.06em;color:#7a4a21"
_PROSE: Final = "margin:6px 0"
_LIST: Final = "margin:6px 0;padding-left:20px"
_TABLE: Final = "margin:6px 0;overflow-x:auto;font:12px/1.35 monospace;white-space:pre"
_BUTTON: Final = (
    "display:inline-block;margin:4px 6px 4px 0;padding:10px 14px;border-radius:8px;background:#7a4a21;color:#ffffff;"
    "font-weight:bold;text-decoration:none"
)
_PICTURE: Final = "display:block;width:100%;max-width:600px;height:auto;border-radius:8px"


class Tap(NamedTuple):
    """An answer to tap: what is written on it, and the mail that it begins."""

    label: str
    url: str


def mailto(address: str, subject: str, body: Sequence[str]) -> str:
    """Return the address of a mail that is ready to send, its body being those lines.

    Everything is encoded: a bare ``+`` is a blank to some mail programs.
    """
    filled = {"subject": subject, "body": "\r\n".join(body)}
    query = "&".join(f"{name}={quote(value, safe='')}" for name, value in filled.items())
    return f"mailto:{quote(address, safe='@')}?{query}"


def page(text: str, title: str, taps: Iterable[Tap] = (), *, picture: bool = False) -> str:
    """Return the text of a letter as a page; its first lines, if they begin with ``==``, are the marker."""
    marker, sections = _sections(text)
    buttons = "\n".join(
        f'<a href="{escape(tap.url)}" style="{_BUTTON}">{escape(tap.label.replace(" ", NBSP))}</a>' for tap in taps
    )
    ordered = sorted(sections, key=lambda section: bool(section[0]) and section[0] not in _FIRST)
    parts = [f'<div style="{_MARKER}">{escape(line)}</div>' for line in marker]
    for heading, blocks in ordered:
        if heading:
            parts.append(f'<h2 style="{_HEAD}">{escape(heading)}</h2>')
        if heading == "BOARD" and picture:
            parts.append(f'<img src="cid:{PICTURE_ID}" alt="The board, as drawn below" style="{_PICTURE}">')
        parts += [_block(block) for block in blocks if block]
        if heading == "QUESTION" and buttons:
            parts.append(f"<p>Tap an answer and send the mail that opens:</p>\n<p>{buttons}</p>")
    body = "\n".join(parts)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width"><title>{escape(title)}</title></head>\n'
        f'<body style="{_BODY}">\n{body}\n</body></html>\n'
    )


Section = tuple[str, list[str]]  # a heading, and the blocks below it


def _sections(text: str) -> tuple[list[str], list[Section]]:
    """Return the lines of the marker, and the text by its headings; what comes before the first has none."""
    marker: list[str] = []
    sections: list[Section] = [("", [])]
    for block in text.strip("\n").split("\n\n"):
        first, _, rest = block.partition("\n")
        heading = next((heading for heading in _HEADINGS if re.match(rf"{heading}(?:,|\Z)", first)), "")
        if block.startswith("==") and not marker:
            marker = block.split("\n")
        elif heading:
            sections.append((heading, [f"{first.removeprefix(heading).lstrip(', ')}\n{rest}".strip("\n")]))
        else:
            sections[-1][1].append(block)
    return marker, sections


def _block(block: str) -> str:
    """Return a block of lines as what it is: a list, prose before, in and after tables."""
    lines = block.split("\n")
    if lines[0].startswith("- "):
        items = re.split(r"\n- ", block[2:])
        inside = "\n".join(f"<li>{escape(' '.join(item.split()))}</li>" for item in items)
        return f'<ul style="{_LIST}">\n{inside}\n</ul>'
    tabular = [number for number, line in enumerate(lines) if re.match(r" |\d\. |.*  ", line)]
    start, end = (tabular[0], tabular[-1] + 1) if tabular else (len(lines), len(lines))
    table = f'<pre style="{_TABLE}">{escape(chr(10).join(lines[start:end]))}</pre>' if tabular else ""
    return "\n".join(part for part in (_prose(lines[:start]), table, _prose(lines[end:])) if part)


def _prose(lines: Sequence[str]) -> str:
    """Return lines as a paragraph: one that was broken because it was full goes on, others end."""
    if not lines:
        return ""
    text = escape(lines[0])
    for before, line in pairwise(lines):
        full = len(before) + 1 + len(line.split(" ", 1)[0]) > WIDTH
        text += f"{' ' if full else '<br>'}{escape(line)}"
    return f'<p style="{_PROSE}">{text}</p>'

"""A page as HTML, with answers to tap and pictures.

Styles are inline, and nothing is fetched from anywhere. A phone never has to scroll sideways: tables and prose adapt
to its width, and a drawing in characters shrinks until it fits. A drawing that is replaced by a picture is shown at
the end.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from html import escape
from itertools import groupby, pairwise
from typing import Final, NamedTuple, assert_never

from pbem.grammar import labelled, one_after_another
from pbem.page.glue import GLUE, HYPHEN, unglued
from pbem.page.page import (
    Block,
    Choices,
    Column,
    Drawing,
    Grid,
    Items,
    Page,
    Profile,
    Profiles,
    Prose,
    Section,
    Subheading,
    Verbatim,
)

NBSP: Final = "\N{NO-BREAK SPACE}"
_BODY: Final = (
    "margin:0 auto;padding:12px;max-width:720px;background:#fbf7ec;color:#3a3128;font:16px/1.45 sans-serif;"
    "overflow-wrap:break-word;-webkit-text-size-adjust:100%"
)
_FIRST: Final = "margin:0 0 8px;font-size:17px;font-weight:bold"
_MARKER: Final = "color:#6d6255;font:11px/1.4 monospace"
_HEAD: Final = "margin:20px 0 6px;font-size:15px;letter-spacing:.06em;color:#7a4a21"
_SUBHEAD: Final = "margin:12px 0 4px;font-size:14px"
_PROSE: Final = "margin:6px 0"
_LIST: Final = "margin:6px 0;padding-left:20px"
_PROFILE: Final = "margin:6px 0 10px;font-size:14px"
_TABLE: Final = "margin:6px 0;font-size:12px;line-height:1.3"
_LONG_WORD: Final = 16
# Headings and buttons are so short in English that a phone shows them whole. In another language those of tables are
# smaller, and a phone may break their long words.
_MEASURED: Final = "en"
_SMALLER: Final = "font-size:10px"
_LONG_TITLE: Final = 8  # characters of a word in the heading of a column, which a phone does not break
_BREAKS: Final = "overflow-wrap:anywhere;hyphens:auto"
_BESIDE_NUMBERS: Final = "padding-left:6px"  # words behind a column of numbers, which end at its right
_ACROSS: Final = "padding-top:6px;font-style:italic"
_LINES: Final = "margin:6px 0;font:11px/1.35 monospace;white-space:pre-wrap;overflow-wrap:anywhere"
_DRAWING: Final = "margin:6px 0;font:{size:.4g}px/1.35 monospace;{narrower}white-space:pre"
_BUTTON: Final = (
    "display:inline-block;margin:4px 6px 4px 0;padding:10px 14px;border-radius:8px;background:#7a4a21;color:#ffffff;"
    "font-weight:bold;text-decoration:none"
)
_LONG_LABEL: Final = 28  # characters of a button, more than which have no room beside each other on a phone
_UNBROKEN: Final = '<span style="white-space:nowrap">{}</span>'
_ANSWER: Final = "margin:8px 0 12px;font-size:14px"
# The greatest width of a monospaced character, as a part of its height; the inner width of a page, on a narrow phone.
_CHARACTER, _INSIDE, _NARROW = 0.605, 332, 360
_PICTURE: Final = "display:block;width:100%;max-width:600px;height:auto;border-radius:8px"


class Tap(NamedTuple):
    """An answer to tap: its order, and the label and address of its button."""

    order: str
    label: str
    url: str


class Taps(NamedTuple):
    """The answers to tap, the key of the section that they belong to, and the words above them."""

    section: str
    words: str
    taps: tuple[Tap, ...]


def html_of(
    page: Page,
    title: str,
    taps: Taps | None = None,
    *,
    pictures: Mapping[str, str] | None = None,
    language: str = "en",
    shown: Callable[[str], str] = str,
) -> str:
    """Return the page as HTML.

    *pictures* are the addresses of pictures, by the key of the section that each replaces. *shown* may change
    each text before it is shown: prose with its label, items, cells, titles and notes.
    """
    drawn = pictures or {}
    parts = [f'<div style="{_FIRST}">{escape(page.headline)}</div>'] if page.headline else []
    parts += (f'<div style="{_MARKER}">{escape(line)}</div>' for line in page.marker)
    write = _Html(shown, is_measured=language == _MEASURED)
    last: list[str] = []
    for section in page.sections:
        if section.picture and section.key in drawn:
            parts += (_heading(section.heading), _image(drawn[section.key], section.picture.words))
            last += (_heading(section.picture.heading), *write.blocks(section.blocks))
        else:
            parts += write.section(section, taps if taps and taps.section == section.key else None)
    body = "\n".join((*parts, *last))
    return (
        f'<!DOCTYPE html>\n<html lang="{language}"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width">'
        f'<meta name="color-scheme" content="light"><title>{escape(title)}</title></head>\n'
        f'<body style="{_BODY}">\n{body}\n</body></html>\n'
    )


def _heading(text: str) -> str:
    return f'<h2 style="{_HEAD}">{escape(text)}</h2>'


def _image(address: str, words: str) -> str:
    return f'<img src="{escape(address)}" alt="{escape(words)}" style="{_PICTURE}">'


class _Html:
    """Writes blocks, each text as *shown* returns it; what is not *measured* for a phone may break there."""

    def __init__(self, shown: Callable[[str], str], *, is_measured: bool) -> None:
        self._shown, self._measured = shown, is_measured

    def section(self, section: Section, taps: Taps | None) -> Iterator[str]:
        """Yield the section; the buttons of answers that none of its blocks lists are at its end."""
        if section.heading:
            yield _heading(section.heading)
        if section.gloss:
            yield self._prose(section.gloss)
        if taps is None:
            yield from self.blocks(section.blocks)
            return
        left = {tap.order: tap for tap in taps.taps}
        for block in section.blocks:
            if isinstance(block, Choices) and left:
                yield self._prose(taps.words)
                yield from self._choices(block, left)
            else:
                yield from self.blocks((block,))
        if left:
            yield f"{self._prose(taps.words)}\n<p>{chr(10).join(map(self._button, left.values()))}</p>"

    def blocks(self, blocks: Iterable[Block]) -> Iterator[str]:
        """Yield blocks; consecutive paragraphs without a label become one with several lines."""
        for prose, group in groupby(blocks, key=lambda block: isinstance(block, Prose) and not block.label):
            if prose:
                lines = (self._text(block.text) for block in group if isinstance(block, Prose))
                yield f'<p style="{_PROSE}">{"<br>".join(lines)}</p>'
            else:
                yield from filter(None, map(self._block, group))

    def _block(self, block: Block) -> str:
        match block:
            case Prose(text, label):
                return self._prose(text, label)
            case Subheading(text):
                return f'<h3 style="{_SUBHEAD}">{self._text(text)}</h3>'
            case Items(items):
                inside = "\n".join(f"<li>{self._text(item)}</li>" for item in items)
                return f'<ul style="{_LIST}">\n{inside}\n</ul>'
            case Grid():
                return self._table(block)
            case Profiles(profiles):
                return "\n".join(map(self._profile, profiles))
            case Choices():
                return "\n".join(self._choices(block, {}))
            case Drawing(lines, _):
                return _drawing(lines)
            case Verbatim(lines):
                return f'<div style="{_LINES}">{"<br>".join(map(escape, lines))}</div>'
            case _ as unreachable:
                assert_never(unreachable)

    def _text(self, text: str) -> str:
        """Return a text in which no line ends within a word that has a glued hyphen: ``4-6:2``."""
        if HYPHEN not in text:
            return escape(self._shown(unglued(text)))
        words = escape(text.replace(GLUE, " ")).split(" ")
        return " ".join(_UNBROKEN.format(unglued(word)) if HYPHEN in word else word for word in words)

    def _button(self, tap: Tap) -> str:
        fits = self._measured and len(tap.label) <= _LONG_LABEL  # a phone breaks a longer one
        label = tap.label.replace(" ", NBSP) if fits else tap.label
        return f'<a href="{escape(tap.url)}" style="{_BUTTON}">{escape(label)}</a>'

    def _prose(self, text: str, label: str = "") -> str:
        return f'<p style="{_PROSE}">{self._text(label.lstrip() + text)}</p>'

    def _table(self, table: Grid) -> str:
        columns = table.columns
        rows: list[str] = []
        beside = tuple(not own.right and left.right for left, own in pairwise(columns))
        cells = (columns, (False, *beside))
        if any(column.title for column in columns):
            rows.append("".join(map(self._cell, ("th",) * len(columns), (each.title for each in columns), *cells)))
        for row in table.rows:
            if isinstance(row, str):
                rows.append(f'<td colspan="{len(columns)}" style="{_ACROSS}">{self._text(row)}</td>')
            else:
                rows.append("".join(map(self._cell, ("td",) * len(row), row, *cells)))
        inside = "\n".join(f'<tr valign="top">{row}</tr>' for row in rows)
        return f'<table cellpadding="2" cellspacing="0" style="{_TABLE}">\n{inside}\n</table>'

    def _cell(self, kind: str, text: str, column: Column, is_beside_numbers: bool) -> str:
        side = ' align="right"' if column.right else ' align="left"' if kind == "th" else ""
        longest = max(map(len, text.split(" ")))  # a phone may break this word, but no shorter one
        styles = [_BESIDE_NUMBERS] if is_beside_numbers else []
        if kind == "th" and not self._measured:
            styles += [_SMALLER, _BREAKS] if longest > _LONG_TITLE else [_SMALLER]
        elif longest > _LONG_WORD:
            styles.append("overflow-wrap:anywhere")
        style = f' style="{";".join(styles)}"' if styles else ""
        return f"<{kind}{side}{style}>{self._text(text)}</{kind}>"

    def _profile(self, profile: Profile) -> str:
        facts = "".join(f"<br><b>{escape(name)}</b> {self._text(text)}" for name, text in profile.facts)
        title = f"{escape(profile.place)}{self._text(profile.title)}"
        return f'<p style="{_PROFILE}"><b>{title}</b>{facts}</p>'

    def _choices(self, choices: Choices, taps: dict[str, Tap]) -> Iterator[str]:
        """Yield the choices, each with its button, which is taken from *taps*, and its note beneath.

        The cost is on the button; if the choices are *listed*, it precedes the note as well.
        """
        for order, cost, note in choices.rows:
            tap = taps.pop(order, None)
            said = self._button(tap) if tap else f"<b>{self._text(order)}</b>"
            beneath = one_after_another(filter(None, (labelled(choices.cost, cost), note))) if choices.listed else note
            yield f'<p style="{_ANSWER}">{said}<br>{self._text(beneath)}</p>'


def _drawing(lines: tuple[str, ...]) -> str:
    """Return a drawing in characters, which shrinks on a phone until all of it can be seen."""
    widest = max(map(len, lines)) * _CHARACTER
    size = min(11, _INSIDE / widest)
    narrower = "" if size == 11 else f"font-size:min(11px,{100 * _INSIDE / _NARROW / widest:.3g}vw);"
    style = _DRAWING.format(size=size, narrower=narrower)
    return f'<pre style="{style}">{escape(chr(10).join(lines))}</pre>'

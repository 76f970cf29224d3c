"""A page as plain text of 72 columns, for terminals and mails."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain
from typing import Final, assert_never

from pbem.grammar import labelled
from pbem.page.glue import GLUE, glued, unglued
from pbem.page.page import (
    Block,
    Choices,
    Column,
    Drawing,
    Grid,
    Items,
    Page,
    Profiles,
    Prose,
    Section,
    Subheading,
    Verbatim,
)

WIDTH: Final = 72
_MARGIN: Final = "  "  # before the rows of a table
_BEFORE_A_MARK: Final = re.compile(r" (?=[;:!?](?: |$))")  # as French has it; no line begins with the mark
_NOT_LATIN: Final = re.compile(r"[^\x00-\u02ff]")  # all others take one column each


def text_of(page: Page) -> str:
    """Return the page as plain text, with an empty line between its sections."""
    top = (page.headline, *page.marker) if page.headline else page.marker
    blocks = (top, *map(lines_of_section, page.sections))
    return "\n\n".join("\n".join(lines) for lines in blocks if lines) + "\n"


def lines_of_section(section: Section) -> tuple[str, ...]:
    """Return the lines of a section, its heading first."""
    heading = f"{section.heading}, {section.gloss}" if section.gloss else section.heading
    return (*(wrapped(heading) if heading else ()), *lines_of(section.blocks))


def lines_of(blocks: Iterable[Block]) -> tuple[str, ...]:
    """Return the lines of blocks, with an empty one around a drawing, but not at the beginning or end."""
    lines: list[str] = []
    apart = False
    for block in blocks:
        gap = isinstance(block, Drawing) or (isinstance(block, Prose) and block.apart)
        if lines and (gap or apart):
            lines.append("")
        lines += _lines(block)
        apart = isinstance(block, Drawing)
    return tuple(lines)


def _lines(block: Block) -> Iterable[str]:
    match block:
        case Prose(text, label, indent):
            return wrapped(text, label, indent)
        case Subheading(text):
            return wrapped(text)
        case Items(items, bullet, indent):
            return chain.from_iterable(wrapped(item, bullet, indent) for item in items)
        case Grid():
            return _table(block)
        case Profiles():
            return _profiles(block)
        case Choices():
            return _choices(block)
        case Drawing(lines, _) | Verbatim(lines):
            return lines
        case _ as unreachable:
            assert_never(unreachable)


def _table(table: Grid) -> Iterator[str]:
    titles = tuple(column.title for column in table.columns)
    widths = _widths(table, titles)
    if any(titles):
        yield from _fitted(_row(titles, table, widths))
    for row in table.rows:
        if isinstance(row, str):
            yield from wrapped(row)
        elif table.hangs:
            before = _row((*row[:-1], ""), table, widths, full=True)
            yield from wrapped(row[-1], before, " " * len(before))
        else:
            yield from _fitted(_row(row, table, widths))


def _widths(table: Grid, titles: tuple[str, ...]) -> tuple[int, ...]:
    """Return the widths of the columns: of their titles, and of the rows that fit into a line with them."""
    room = WIDTH - len(_MARGIN) - table.gap * (len(titles) - 1)
    widths = tuple(map(columns, titles))
    if sum(widths) > room:  # the titles are wrapped, too
        widths = (0,) * len(titles)
    rows = (row[:-1] if table.hangs else row for row in table.rows if not isinstance(row, str))
    for cells in sorted((tuple(map(columns, row)) for row in rows), key=sum):
        wider = tuple(map(max, widths, (*cells, *(0,) * (len(titles) - len(cells)))))
        if sum(wider) <= room:
            widths = wider
    return widths


def _row(cells: tuple[str, ...], table: Grid, widths: tuple[int, ...], *, full: bool = False) -> str:
    """Return the cells in their columns; the last column is not filled up."""
    shown = [_cell(*cell) for cell in zip(cells, table.columns, widths, strict=False)]
    row = _MARGIN + (" " * table.gap).join(shown)
    return row[: len(row) - len(shown[-1])] if full else row.rstrip()


def _cell(cell: str, column: Column, width: int) -> str:
    return padded_left(cell, width) if column.right else padded(cell, width)


def _fitted(row: str) -> tuple[str, ...]:
    """Return a row as it is, or wrapped if it is too wide."""
    if columns(row) <= WIDTH:
        return (unglued(row),)
    indent = " " * (len(row) - len(row.lstrip()))
    return wrapped(" ".join(row.split()), indent, indent + " " * 4)


def _profiles(listed: Profiles) -> Iterator[str]:
    width = max(map(columns, listed.names), default=0)
    for profile in listed.profiles:
        indent = " " * columns(profile.place)
        yield from wrapped(profile.title, profile.place, indent)
        for name, text in profile.facts:
            label = f"{indent}{padded(name, width)}  "
            yield from wrapped(text, label, " " * columns(label))


def _choices(choices: Choices) -> Iterator[str]:
    if choices.listed:
        for order, cost, note in choices.rows:
            row = glued(f"{order}; {labelled(choices.cost, cost)}")  # an order never stands on a line of its own
            yield from wrapped(f"{row}; {note}" if note else row, "- ", "  ")
        return
    orders = max(map(columns, (choices.order, *(order for order, _, _ in choices.rows))))
    costs = max(map(columns, (choices.cost, *(cost for _, cost, _ in choices.rows))))
    yield f"{_MARGIN}{padded(choices.order, orders)}  {padded_left(choices.cost, costs)}"
    for order, cost, note in choices.rows:
        label = f"{_MARGIN}{padded(order, orders)}  {padded_left(cost, costs)}  "
        yield from wrapped(note, label, " " * columns(label))


def wrapped(text: str, first: str = "", rest: str = "") -> tuple[str, ...]:
    """Return *text* as lines of at most 72 columns, the first one after *first*, the others after *rest*.

    A word that is wider than a line is broken at a glued blank, or else anywhere.
    """
    whole = first + text.lstrip(" ")
    if columns(whole) <= WIDTH:
        return (unglued(whole),)
    lines = [first]
    words = re.sub(_BEFORE_A_MARK, GLUE, text).split(" ")[::-1]
    while words:
        word = words.pop()
        start = lines[-1] in (first, rest)
        longer = lines[-1] + word if start else f"{lines[-1]} {word}"
        if columns(longer) <= WIDTH:
            lines[-1] = longer
        elif not start and columns(rest + word) <= WIDTH:
            lines.append(rest + word)
        elif GLUE in word:
            words += word.split(GLUE)[::-1]
        else:
            lines += [] if start else [rest]
            fits = _fitting(word, WIDTH - columns(lines[-1]))
            lines[-1] += word[:fits]
            lines.append(rest)
            words.append(word[fits:])
    return tuple(map(unglued, lines))


def _fitting(word: str, room: int) -> int:
    """Return how many characters of the word fit into *room* columns, at least one."""
    return max(1, next((end for end in range(1, len(word)) if columns(word[: end + 1]) > room), len(word)))


def columns(text: str) -> int:
    """Return the width of the text in columns of a terminal or a mail; a wide character, as in Chinese, takes two."""
    if text.isascii():  # which costs nothing to see
        return len(text)
    return len(text) + sum(_columns(character) - 1 for character in _NOT_LATIN.findall(text))


@lru_cache(maxsize=1024)  # an alphabet; every line is measured once for each of its words
def _columns(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me"):  # an accent above or below the letter before it
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def padded(text: str, width: int) -> str:
    """Return the text with blanks after it up to *width* columns."""
    return text + " " * (width - columns(text))


def padded_left(text: str, width: int) -> str:
    """Return the text with blanks before it up to *width* columns."""
    return " " * (width - columns(text)) + text

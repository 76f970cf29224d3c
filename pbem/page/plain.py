"""A page as lists, for a screen reader and for people who think in lists: no drawing, no table, nothing in columns.

The result is a page too. So it becomes text or HTML, with answers to tap, as every other page does.
"""

from collections.abc import Iterator
from typing import assert_never

from pbem.grammar import labelled, one_after_another
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


def in_lists(page: Page) -> Page:
    """Return the page with lists in place of drawings and tables, and without pictures."""
    return page._replace(sections=tuple(map(_section, page.sections)))


def _section(section: Section) -> Section:
    blocks = tuple(plain for block in section.blocks for plain in _listed(block))
    return section._replace(blocks=blocks, picture=None)


def _listed(block: Block) -> Iterator[Block]:
    match block:
        case Drawing(_, instead):
            if instead:
                yield Items(instead)
        case Grid():
            yield from _rows(block)
        case Profiles(profiles):
            for profile in profiles:
                yield Prose(profile.title, f"{profile.place.strip()} ")
                if profile.facts:
                    yield Items(tuple(labelled(name, text) for name, text in profile.facts))
        case Choices():
            yield block._replace(listed=True)
        case Prose(text, label, _, apart):
            yield Prose(text, label.lstrip(), apart=apart)
        case Items(items):
            yield Items(items)
        case Subheading() | Verbatim():
            yield block
        case _ as unreachable:
            assert_never(unreachable)


def _rows(table: Grid) -> Iterator[Block]:
    """Yield the rows of a table as items of lists, of which each cell is preceded by the title of its column."""
    rows: list[str] = []
    for row in table.rows:
        if not isinstance(row, str):
            rows.append(
                one_after_another(_cell(*cell) for cell in zip(row, table.columns, strict=False) if cell[0].strip())
            )
            continue
        if rows:
            yield Items(tuple(rows))
            rows = []
        yield Prose(row)
    if rows:
        yield Items(tuple(rows))


def _cell(text: str, column: Column) -> str:
    """Return a cell after the title of its column, unless it begins with that itself: ``you can pay`` below ``you``."""
    title, said = column.spoken or column.title, " ".join(text.split())
    return labelled(title, said) if title and not said.startswith(f"{title} ") else said

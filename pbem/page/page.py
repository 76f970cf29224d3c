"""A page: sections, each with a key that never changes and a heading that a translator may change.

Texts are whole sentences, in which ``glue`` keeps together what no line may break.
"""

from collections.abc import Iterable
from typing import NamedTuple


class Prose(NamedTuple):
    """A paragraph; in plain text its first line stands after *label*, the others after *indent*."""

    text: str
    label: str = ""
    indent: str = ""


class Items(NamedTuple):
    """A list; in plain text every item stands after *bullet*, and its other lines after *indent*."""

    items: tuple[str, ...]
    bullet: str = "- "
    indent: str = "  "


class Column(NamedTuple):
    """A column of a table, as wide as its contents: its title, and whether it is set to the right, as numbers are."""

    title: str = ""
    right: bool = False


class Grid(NamedTuple):
    """A table; a row that is a text and not a tuple of cells goes over all columns.

    In plain text columns are *gap* blanks apart. A row that is too wide goes on below it, and where the last
    column *hangs* in that column.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...] | str, ...]
    gap: int = 2
    hangs: bool = False


class Profile(NamedTuple):
    """Somebody or something: the place in a list, a title, and facts, each a name and what there is to know."""

    place: str
    title: str
    facts: tuple[tuple[str, str], ...] = ()


class Profiles(NamedTuple):
    """A list of profiles; *names* are all the names that a fact can have."""

    profiles: tuple[Profile, ...]
    names: tuple[str, ...]


class ChoiceRow(NamedTuple):
    """Something that can be answered: what to write, what it costs, what there is to know."""

    order: str
    cost: str
    note: str


class Choices(NamedTuple):
    """Choices to choose from, below the titles of the first two columns."""

    order: str
    cost: str
    rows: tuple[ChoiceRow, ...]


class Drawing(NamedTuple):
    """A drawing in characters of one width; in plain text an empty line sets it apart."""

    lines: tuple[str, ...]


class Verbatim(NamedTuple):
    """Lines to copy, which stay as they are."""

    lines: tuple[str, ...]


class Gap(NamedTuple):
    """What comes now is set apart: an empty line in plain text."""


Block = Prose | Items | Grid | Profiles | Choices | Drawing | Verbatim | Gap


class Picture(NamedTuple):
    """What a section with a picture is called: its words for who cannot see it, and the section without it.

    Where there is a picture, it takes the place of the section, which stands below *heading* at the end.
    """

    words: str
    heading: str


class Section(NamedTuple):
    """A part of a page by its key; *gloss* is said after the heading, where there is one."""

    key: str
    blocks: tuple[Block, ...]
    heading: str = ""
    gloss: str = ""
    picture: Picture | None = None


Sections = tuple[Section, ...]


class Page(NamedTuple):
    """Sections; a page that is sent has a *headline* above them, and the *marker* by which an answer is known."""

    sections: Sections
    headline: str = ""
    marker: tuple[str, ...] = ()


def paragraphs(key: str, texts: Iterable[str]) -> Sections:
    """Return texts as paragraphs that are set apart from each other."""
    return tuple(Section(key, (Prose(text),)) for text in texts)

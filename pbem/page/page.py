"""A page: sections, each with a key that never changes and a heading that a translator may change.

Texts are whole sentences, in which ``glue`` marks where no line may be broken.
"""

from collections.abc import Iterable
from typing import NamedTuple


class Prose(NamedTuple):
    """A paragraph; in plain text its first line follows *label*, the others *indent*; one *apart* follows a gap."""

    text: str
    label: str = ""
    indent: str = ""
    apart: bool = False


class Subheading(NamedTuple):
    """The heading of the blocks after it, within a section."""

    text: str


class Items(NamedTuple):
    """A list; in plain text the first line of every item follows *bullet*, the others *indent*."""

    items: tuple[str, ...]
    bullet: str = "- "
    indent: str = "  "


class Column(NamedTuple):
    """A column of a table, as wide as its contents: its title, and whether it is set to the right, as numbers are.

    A title that is a sign is *spoken* as a word where the table becomes a list.
    """

    title: str = ""
    right: bool = False
    spoken: str = ""


class Grid(NamedTuple):
    """A table; a row that is a string and not a tuple of cells spans all columns.

    In plain text, columns are *gap* blanks apart. A row that is too wide continues on the next line, within the last
    column if that *hangs*.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...] | str, ...]
    gap: int = 2
    hangs: bool = False


class Profile(NamedTuple):
    """Somebody or something: its place in a list, a title, and facts, each with a name and a text."""

    place: str
    title: str
    facts: tuple[tuple[str, str], ...] = ()


class Profiles(NamedTuple):
    """A list of profiles; *names* are all the names that a fact can have."""

    profiles: tuple[Profile, ...]
    names: tuple[str, ...]


class Choices(NamedTuple):
    """A list of choices, with the titles of its first two columns; a row is the order, its cost, and a note.

    In plain text they are columns, or items if they are *listed*.
    """

    order: str
    cost: str
    rows: tuple[tuple[str, str, str], ...]
    listed: bool = False


class Drawing(NamedTuple):
    """A drawing in monospaced characters, with an empty line around it in plain text.

    *instead* are items that say the same where nothing is drawn; they may be left out elsewhere.
    """

    lines: tuple[str, ...]
    instead: tuple[str, ...] = ()


class Verbatim(NamedTuple):
    """Lines to copy, shown exactly as they are."""

    lines: tuple[str, ...]


Block = Prose | Subheading | Items | Grid | Profiles | Choices | Drawing | Verbatim


class Picture(NamedTuple):
    """How a section can be shown as a picture: the alternative text, and the heading of the section itself.

    The picture then takes the place of the section, which moves to the end, below *heading*.
    """

    words: str
    heading: str


class Section(NamedTuple):
    """A part of a page with its key; a *gloss* follows the heading."""

    key: str
    blocks: tuple[Block, ...]
    heading: str = ""
    gloss: str = ""
    picture: Picture | None = None


Sections = tuple[Section, ...]


class Page(NamedTuple):
    """Sections; a page that is sent has a *headline* above them, and the *marker* that identifies an answer."""

    sections: Sections
    headline: str = ""
    marker: tuple[str, ...] = ()


def paragraphs(key: str, texts: Iterable[str]) -> Sections:
    """Return texts as paragraphs with a gap between them."""
    return tuple(Section(key, (Prose(text),)) for text in texts)

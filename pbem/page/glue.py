"""Characters of a page's texts at which no line is broken: a blank and a hyphen, shown as what they are."""

from typing import Final

# Neither can be in a name or in what anybody writes.
GLUE: Final = "\0"
HYPHEN: Final = "\1"
_READ: Final = {ord(GLUE): " ", ord(HYPHEN): "-"}


def glued(text: str) -> str:
    """Return a text that is kept in one line, as long as it fits into one."""
    return text.replace(" ", GLUE)


def unglued(text: str) -> str:
    """Return a text as it is read."""
    return text.translate(_READ)

"""A blank and a hyphen for the texts of a page at which no line is broken."""

from typing import Final

# Neither can occur in a name or in anything that people write.
GLUE: Final = "\0"
HYPHEN: Final = "\1"


def glued(text: str) -> str:
    """Return the text with its words glued into one line, unless it is too wide for one."""
    return text.replace(" ", GLUE)


def unbroken(text: str) -> str:
    """Return the text with the words around each no-break space in it glued."""
    return text.replace("\N{NO-BREAK SPACE}", GLUE)


def unglued(text: str) -> str:
    """Return the text as people read it."""
    return text.replace(GLUE, " ").replace(HYPHEN, "-")

"""English grammar, in one place: one or several of a thing, and a list. Another language has a module like this."""

from collections.abc import Iterable


def plural(number: int, one: str, other: str) -> str:
    """Return the message for the number, which stands at ``{n}``: ``plural(2, "{n} letter", "{n} letters")``."""
    return (one if number == 1 else other).replace("{n}", str(number))


def listed(items: Iterable[str], word: str = "and") -> str:
    """Return a list in words, of at least one item: ``a, b and c``."""
    *some, last = items
    return f"{', '.join(some)} {word} {last}" if some else last

"""A language that no program speaks: every letter has an accent, everything is longer, and each message has brackets.

What is still plain English on a page in it is no message. A bracket that is not closed shows that a message was cut.
"""

import re
from typing import Final

OPEN, CLOSE = "⟦", "⟧"
_ACCENTED: Final = str.maketrans(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "áƀćďéƒǵĥíĵķĺḿńóṕɋŕśţúṽẃẍýžÁɃĆĎÉƑǴĤÍĴĶĹḾŃÓṔɊŔŚŢÚṼẂẌÝŽ",
)
_HOLE: Final = re.compile(r"(\{[^{}]*\})")
_LONGER: Final = 0.4


def pseudo(message: str) -> str:
    """Return a message in the pseudo language; what a player must write, in quotes, stays as it is."""
    parts = _HOLE.split(message)
    said = "".join(part if part.startswith("{") else part.translate(_ACCENTED) for part in parts)
    letters = sum(len(part) for part in parts if not part.startswith("{"))
    start, end = len(message) - len(message.lstrip()), len(message.rstrip())
    bare = said[start : len(said) - (len(message) - end)]
    return f"{message[:start]}{OPEN}{bare}{'~' * round(letters * _LONGER)}{CLOSE}{message[end:]}"


class Pseudo:
    """The catalogue of the pseudo language."""

    def gettext(self, message: str, /) -> str:
        """Return the message in the pseudo language."""
        return pseudo(message)

    def ngettext(self, msgid1: str, msgid2: str, n: int, /) -> str:
        """Return the message for that number in the pseudo language."""
        return pseudo(msgid1 if n == 1 else msgid2)

    def pgettext(self, context: str, message: str, /) -> str:
        """Return the message in the pseudo language."""
        assert context
        return pseudo(message)

"""The words of ``words/en.toml`` and ``words/mail.toml`` as regular expressions.

The files are read by ``tests/generate.py``: to parse them at every start would take longer than to read a reply.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from pbem.generated.words import EN, MAIL

OTHERS: Final = "others"  # the languages of programs whose phrases are not all known
_GROUP: Final = r"(?<!\\)\((?!\?)"
_REFERENCE: Final = r"\{(?:([a-z_]+)\.)?([a-z_]+)\}"


def any_of(name: str) -> str:
    """Return the expression for any word of a list, which is named with its section: ``answers.yes``."""
    return f"(?:{'|'.join(each_of(name))})"


def each_of(name: str) -> tuple[str, ...]:
    """Return an expression for each word of a list."""
    section = name.partition(".")[0]
    return tuple(
        re.sub(_REFERENCE, lambda other: any_of(f"{other[1] or section}.{other[2]}"), re.sub(_GROUP, "(?:", word))
        for word in table(name)
    )


def table(name: str) -> Mapping[str, Any]:
    """Return what stands for each word of a table: ``orders.sure``."""
    found: Mapping[str, Any] = EN
    for key in name.split("."):
        found = found[key]
    return found


def any_mark(kind: str, *languages: str) -> str:
    """Return the expression for the words of that kind that mail programs write, in these languages or in all."""
    found = (word for language in languages or MAIL for word in MAIL[language].get(kind, ()))
    return f"(?:{'|'.join(re.sub(_GROUP, '(?:', word) for word in found)})"

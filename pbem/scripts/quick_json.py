"""JSON as programs write it, read by orjson if that is installed; ``formats.parse`` reads everything else.

The result is the same: a text is only taken if it is, but for spaces after commas and colons, what orjson writes of the
data that it has read. So it has no key twice, which orjson would not notice, and no unusual form of a value.
"""

import re
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any, Final, NamedTuple

from pbem import formats

# A decimal number, or one of 19 digits: formats.parse has the words for what is wrong with it.
_ODD: Final = re.compile(rb"[:,\[]-?(?:[0-9]+[.eE]|[0-9]{19})")

_NESTING: Final = (dict, list)


class _Orjson(NamedTuple):
    loads: Callable[[bytes], Any]
    dumps: Callable[[Any], bytes]


@cache
def _orjson() -> _Orjson | None:
    try:
        import orjson
    except ImportError:
        return None
    return _Orjson(orjson.loads, orjson.dumps)


def data_in(line: bytes, name: str) -> dict[str, Any]:
    """Return the object in a line of JSON; raises NotUnderstood as ``formats.parse`` does."""
    text = line.rstrip()
    data = _plain(text)
    return formats.parse(formats.decode(text, name=name), "json", name=name) if data is None else data


def _plain(text: bytes) -> dict[str, Any] | None:
    """Return the object in a text that has nothing unusual, None for any other text."""
    known = _orjson()
    if known is None or len(text) > formats.PARSE_LIMIT:
        return None
    tight = text.replace(b", ", b",").replace(b": ", b":")
    with suppress(ValueError, TypeError, RecursionError):
        data: object = known.loads(text)
        if formats.is_table(data) and "$schema" not in data and not _ODD.search(tight):
            return data if known.dumps(data) == tight and not _is_deep(data, formats.MAX_DEPTH) else None
    return None


def _is_deep(data: dict[str, Any], most: int) -> bool:
    """Return whether objects and arrays are nested deeper than that."""
    level: list[Any] = [data]
    for _ in range(most):
        inside: list[Any] = []
        for one in level:
            inside += one.values() if type(one) is dict else one
        level = [one for one in inside if isinstance(one, _NESTING)]
        if not level:
            return False
    return True

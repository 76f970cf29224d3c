"""JSON as programs write it, read by orjson if that is installed; ``formats.parse`` reads everything else.

The result is the same: a text is only taken if orjson writes as many quotation marks of the data as it has read. So no
key is there twice, which orjson would not notice. A number of an unusual form is left to ``formats.parse`` too.
"""

import re
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any, Final, NamedTuple

from pbem import formats

# A decimal number, or one of 19 digits: formats.parse has the words for what is wrong with it. It takes long to look
# for one. A decimal number has a point, unless it is one digit and an exponent: orjson writes none like that.
_ODD: Final = re.compile(rb"[:,\[]-?(?:[0-9]+[.eE]|[0-9]{19})")
_FORMS: Final = bytes.maketrans(b"0123456789,[-", b"0000000000:::")
_EXPONENT: Final = b":0e"
_LONG: Final = b":" + 19 * b"0"
_NO_SIGNS: Final = bytes(byte for byte in range(256) if byte not in b'[]{}"\\')


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
    with suppress(ValueError, TypeError, RecursionError):
        data: object = known.loads(text)
        if formats.is_table(data) and "$schema" not in data:
            written = known.dumps(data)
            # Without a backslash no string holds a quotation mark. What is lost of a key twice has at least two.
            whole = b"\\" not in written and written.count(b'"') == text.count(b'"')
            return data if whole and not _is_odd(written) and not _may_be_deep(written, formats.MAX_DEPTH) else None
    return None


def _is_odd(written: bytes) -> bool:
    """Return whether there is a decimal number, or one of 19 digits, in a text that orjson has written."""
    forms = written.translate(_FORMS)
    suspect = b"." in written or _EXPONENT in forms or _LONG in forms
    return suspect and bool(_ODD.search(written))


def _may_be_deep(written: bytes, most: int) -> bool:
    """Return False if objects and arrays are certainly not nested deeper than that."""
    # A bracket in a string keeps a quotation mark before it. Each time, one or two levels disappear.
    left = written.translate(None, _NO_SIGNS).replace(b'""', b"")
    for _ in range(most // 2):
        left = left.replace(b"[]", b"").replace(b"{}", b"")
        if not left:
            return False
    return True

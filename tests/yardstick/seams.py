"""Where the program meets time, chance and a sudden end: all three come from its environment, so that they repeat.

``YARDSTICK_NOW`` is the time in seconds since 1970, ``YARDSTICK_SEED`` what random bytes come from, and
``YARDSTICK_CUT`` the number of the change to a file before which the program is killed, 0 for never.
"""

import builtins
import datetime
import os
import time
from hashlib import sha256
from itertools import count
from typing import Any

_NUMBERS = count()
_CHANGES = count(1)
_LITTER = 8  # bytes, for the names of files that nobody sees
_urandom = os.urandom
_datetime = datetime.datetime


def install() -> None:
    """Put the seams in, before the program is read."""
    os.urandom = _random_bytes
    time.time = _now
    datetime.datetime = _Datetime  # type: ignore[misc]
    os.fsync = _no_wait  # no power fails here
    for name in ("replace", "rename", "link"):
        setattr(os, name, _cut(getattr(os, name)))


def _now() -> float:
    return float(os.environ.get("YARDSTICK_NOW", "0"))


def _random_bytes(size: int) -> bytes:
    seed = os.environ.get("YARDSTICK_SEED")
    if seed is None or size == _LITTER:
        return _urandom(size)
    made = b""
    while len(made) < size:
        made += sha256(f"{seed} {next(_NUMBERS)}".encode()).digest()
    return made[:size]


def _no_wait(_: int) -> None:
    pass


def _cut(change: Any) -> Any:
    def cut(*said: Any, **more: Any) -> Any:
        if next(_CHANGES) == int(os.environ.get("YARDSTICK_CUT", "0")):
            os._exit(137)
        return change(*said, **more)

    return cut


class _Timed(type):
    def __instancecheck__(cls, value: object) -> builtins.bool:
        return isinstance(value, _datetime)


class _Datetime(_datetime, metaclass=_Timed):
    @classmethod
    def now(cls, tz: Any = None) -> Any:
        return _datetime.fromtimestamp(_now(), tz)

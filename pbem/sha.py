"""SHA-256 without OpenSSL.

``hashlib`` loads OpenSSL for it, which costs 3.5 MiB and a tenth of the time of a
short command. The interpreter has the same function built in, but its name
differs between versions.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

__all__ = ["sha256"]


def _built_in() -> Callable[[bytes], Any]:
    for name in ("_sha2", "_sha256", "hashlib"):
        try:
            found: Callable[[bytes], Any] = import_module(name).sha256
        except (ImportError, AttributeError):
            continue
        return found
    raise ImportError("this Python has no SHA-256")


sha256 = _built_in()

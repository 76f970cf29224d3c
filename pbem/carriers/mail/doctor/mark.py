"""The mark by which a running club hands an own letter to the doctor: an empty file, for as long as it is awaited.

Its name is that of a file that is being written: so no backup has it, and it is deleted some time if the doctor was
stopped.
"""

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Final

SUBJECT: Final = "[doctor]"
_TOKEN: Final = rb"(?im)^Subject:\s*\[doctor\]\s+([0-9a-f]{32})\s*$"
_LARGEST: Final = 256 * 1024  # bytes


def place_of(folder: Path, token: str) -> Path:
    """Return the file of the mark."""
    return folder / f".pbem-{token}.tmp"


def handed_over(folder: Path, raw: bytes) -> bool:
    """Write a mail into the mark that awaits it; return whether one did."""
    found = re.search(_TOKEN, raw[:_LARGEST].replace(b"\r\n", b"\n"))
    if found is None:
        return False
    with suppress(OSError):
        descriptor = os.open(place_of(folder, found[1].decode().lower()), os.O_WRONLY | os.O_NOFOLLOW)
        with os.fdopen(descriptor, "wb") as file:
            file.write(raw[:_LARGEST])
        return True
    return False

"""Which signatures were found valid before, since ``ssh-keygen`` takes one at a time.

An entry is a digest of all that was judged, so that it holds for these bytes alone, in any repository. They are kept
in the user's own cache and not in the repository, which strangers may have written. A server does not use them.
"""

import hashlib
import os
import stat
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

_TAG: Final = b"pbem-judged/1"
_DIGITS: Final = 64
_MOST_BYTES: Final = 1 << 20
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)


def signature(signers: bytes, who: str, signature: bytes, signed: bytes) -> str:
    """Return the entry of a question to ``ssh-keygen``, or "" if the answer depends on the day."""
    return "" if b"valid-" in signers.lower() else _digest(b"signature", signers, who.encode(), signature, signed)


def _digest(*parts: bytes) -> str:
    return hashlib.sha256(b"".join(len(part).to_bytes(8, "big") + part for part in (_TAG, *parts))).hexdigest()


def is_known(entry: str) -> bool:
    """Return whether that was found valid before."""
    return entry in _known(_place())


def remember(entry: str) -> None:
    """Remember what was found valid, if that is possible here."""
    place = _place()
    if not entry or place is None or entry in _known(place):
        return
    _known(place).add(entry)
    with suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = os.open(place, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _NO_LINK, 0o600)
        try:
            os.write(file, f"{entry}\n".encode())
        finally:
            os.close(file)


def _place() -> Path | None:
    """Return the path of the file, None if this user has no folder for such things."""
    try:
        cached = Path(os.environ.get("XDG_CACHE_HOME", ""))
        return (cached if cached.is_absolute() else Path.home() / ".cache") / "pbem" / "judged"
    except RuntimeError:
        return None


@cache
def _known(place: Path | None) -> set[str]:
    """Return what the file has, if nobody else could have written it; a file that is too long is begun again."""
    if place is None:
        return set()
    try:
        with place.open("rb") as file:
            about = os.fstat(file.fileno())
            own = about.st_uid == os.geteuid() if hasattr(os, "geteuid") else True
            if not (stat.S_ISREG(about.st_mode) and own) or about.st_mode & 0o022:
                return set()
            if about.st_size > _MOST_BYTES:
                place.unlink()
                return set()
            lines = file.read(_MOST_BYTES).decode("ascii", "replace").splitlines()
    except OSError:
        return set()
    return {line for line in lines if len(line) == _DIGITS}

"""A file that a command makes anew each time, and never in the place of what is not ours."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from pbem import files, interrupts
from pbem.errors import CannotCreate, PbemError
from pbem.formats import shown

_LIMIT: Final = 16 * 1024 * 1024


def write_ours(target: Path, data: bytes, what: str, is_ours: Callable[[bytes], bool]) -> None:
    """Write a new file, or write over an older one of ours, of which *is_ours* knows the start; *what* says its kind.

    Raises CannotCreate.
    """
    with files.locked(target), interrupts.hold(f"{shown(target)} was written"):
        if files.exists(target) and not _may_go(target, is_ours):
            message = f"{target} exists already and is no {what} of ours"
            raise CannotCreate(message, path=str(target), hint="choose another name with -o")
        files.replace(target, data)


def _may_go(target: Path, is_ours: Callable[[bytes], bool]) -> bool:
    try:
        return is_ours(files.read_bytes(target, _LIMIT)[:300])
    except PbemError:
        return False

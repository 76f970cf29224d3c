"""A file that a command may replace with a newer one, but never anything else of that name."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from pbem import files, interrupts
from pbem.errors import CannotCreate, PbemError
from pbem.formats import shown

_LIMIT: Final = 16 * 1024 * 1024


def write_ours(target: Path, data: bytes, is_ours: Callable[[bytes], bool]) -> None:
    """Write a new file, or replace an older one by pbem, of which *is_ours* knows the start; raises CannotCreate."""
    with files.locked(target), interrupts.hold(f"{shown(target)} was written"):
        if files.exists(target) and not _may_be_replaced(target, is_ours):
            message = f"{target} already exists and was not made by pbem"
            raise CannotCreate(message, path=str(target), hint="choose another name with -o")
        files.replace(target, data)


def _may_be_replaced(target: Path, is_ours: Callable[[bytes], bool]) -> bool:
    try:
        return is_ours(files.read_bytes(target, _LIMIT)[:300])
    except PbemError:
        return False

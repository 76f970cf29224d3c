"""Our own Maildir."""

from contextlib import suppress
from pathlib import Path

from pbem import files


def make(folder: Path) -> None:
    """Make a Maildir that only its owner can read."""
    for part in (folder, folder / "tmp", folder / "new", folder / "cur"):
        part.mkdir(mode=0o700, parents=True, exist_ok=True)


def put(folder: Path, path: Path, data: bytes) -> None:
    """Put a mail there, at that path in ``new``; the same mail is there only once."""
    temporary = folder / "tmp" / path.name
    files.replace(temporary, data, mode=0o600)
    with suppress(FileNotFoundError):  # another process has put the same mail there at the same moment
        temporary.replace(path)

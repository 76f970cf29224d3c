"""``private.toml``: what a club keeps of a game for the host alone, as sections that are read and written one by one.

A section that cannot be understood is an error for whoever needs it, and for nobody else.
"""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from pbem import files, formats
from pbem.club.toml_rows import tables_in, text_in

FORMAT: Final = "pbem-private/1"
_LIMIT: Final = 8 * 1024 * 1024  # bytes
# Whether a game is paused, its options while seats are free, who plays and with which keys, the clock as the host wants
# it and as ticks keep it, what players have said ahead, what they have noted for themselves, and what is still to tell.
_SECTIONS: Final = ("paused", "opening", "players", "former", "clock", "ticks", "plans", "notes", "sayings")


def sections(path: Path) -> Mapping[str, Any]:
    """Return the sections of the file; raises NoSuchFile, NotUnderstood, CannotCreate if we may not read it."""
    return _sections_in(path, text_in(path, _LIMIT))


@lru_cache(maxsize=1)  # each part of a table asks for its own
def _sections_in(path: Path, text: str) -> Mapping[str, Any]:
    return tables_in(text, path, FORMAT)


def text_with(kept: Mapping[str, Any], changed: Mapping[str, object]) -> bytes:
    """Return the text of the file with sections changed; one without anything in it is left out."""
    every = {**kept, **changed}
    named = [*_SECTIONS, *sorted(every.keys() - set(_SECTIONS))]  # a host may have written something else
    return formats.dump({"format": FORMAT} | {key: every[key] for key in named if every.get(key)}, "toml").encode()


def keep(path: Path, changed: Mapping[str, object]) -> bytes:
    """Write sections of the file, which is there, and return what was written; the game is locked."""
    written = text_with(sections(path), changed)
    files.replace(path, written, mode=0o600)
    return written

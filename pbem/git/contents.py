"""What a commit may hold beside its move: plain files that nobody changes, and never a secret."""

from typing import Final

from pbem import files
from pbem.errors import NoSuchFile, NotAllowed
from pbem.git.repository import FILE_MODE, Held, Objects, shown
from pbem.git.template import README

MOST_FILES: Final = 200  # in the first commit of a game

_ODD: Final = {"100755": "a program", "120000": "a symbolic link", "160000": "a submodule"}
_KINDS: Final = {**_ODD, "040000": "a folder"}


def read_file(objects: Objects, entries: dict[str, Held], name: str) -> bytes:
    """Return what is in a plain file of a commit; raises NoSuchFile, NotAllowed for what is none."""
    entry = entries.get(name)
    if entry is None:
        raise NoSuchFile(
            f"{shown(name)} is not in the commit", path=shown(name), hint="say which file it is with --game"
        )
    if entry.mode != FILE_MODE:
        raise NotAllowed(f"{shown(name)} is {_KINDS.get(entry.mode, 'not a file')}", path=shown(name))
    return objects.read(entry.oid, "blob", files.READ_LIMIT, shown(name))


def check_plain(objects: Objects, tree: str) -> None:
    """Raise NotAllowed if anything in the folder or below is more than a plain file, or a secret."""
    waiting, seen = [("", tree)], 0
    while waiting:
        folder, oid = waiting.pop()
        entries = objects.entries(oid)
        alike = {name.casefold(): name for name in entries}
        for name, entry in entries.items():
            path, seen = f"{folder}{name}", seen + 1
            if (other := alike[name.casefold()]) != name:
                why = f"{shown(path)} and {shown(other)} are one file on many machines"
                raise NotAllowed(why, path=shown(path))
            if seen > MOST_FILES:
                raise NotAllowed(f"a game begins with at most {MOST_FILES} files")
            _check_no_secret(path)
            if entry.mode == "040000":
                waiting.append((f"{path}/", entry.oid))
            elif entry.mode != FILE_MODE:
                raise NotAllowed(f"{shown(path)} is {_KINDS.get(entry.mode, 'not a file')}", path=shown(path))


def _check_no_secret(path: str) -> None:
    if path.casefold().endswith(".secret.toml"):
        hint = "whoever has seen the commit knows all draws to come; begin another game"
        raise NotAllowed(f"{shown(path)} is the secret of the draws and is not for others", path=shown(path), hint=hint)


def check_change(name: str, before: Held | None, after: Held | None, game: str) -> None:
    """Raise NotAllowed unless a move may change what has that name in this way."""
    path = shown(name)
    if after:
        _check_no_secret(name)
        if after.mode in _ODD and (before is None or after.mode != before.mode):
            raise NotAllowed(f"{path} is {_ODD[after.mode]} now", path=path)
    if name not in {game, README} or before is None or after is None:
        how = "added" if before is None else "removed" if after is None else "changed"
        raise NotAllowed(f"{path} is {how}, and a move changes {game} and {README} alone", path=path)
    if after.mode != before.mode:
        raise NotAllowed(f"the mode of {path} is changed", path=path)

"""What a commit may contain besides its move: plain files that no move changes, and never a secret or a plan."""

from typing import Final

from pbem import files
from pbem.carriers.git.repository import FILE_MODE, Held, Objects
from pbem.carriers.git.signing import ALLOWED_SIGNERS
from pbem.carriers.git.template import PAGE, README
from pbem.errors import NoSuchFile, NotAllowed
from pbem.formats import shown
from pbem.game_files import PLANS, SECRET, uncommitted
from pbem.locale import phrase
from pbem.table.lines import MINUTES

MOST_FILES: Final = 200  # in the first commit of a game

CHANGED: Final = "{path} was changed, but a move may only change {game}, minutes.txt and {readme}"
_ADDED: Final = "{path} was added, but a move may only change {game}, minutes.txt and {readme}"
_REMOVED: Final = "{path} was removed, but a move may only change {game}, minutes.txt and {readme}"
# What is said of a file that must not be committed, and how to go on.
_UNCOMMITTED: Final = {
    PLANS: (
        "{path} has the plans of players and must not be committed",
        "anybody who has seen the commit knows the plans; take it out again: {command}",
    ),
    SECRET: (
        "{path} is the secret of the draws and must not be committed",
        "anybody who has seen the commit knows all draws to come; if nobody has, take it out again: {command}",
    ),
}
_ODD: Final = {
    "100755": "{path} is an executable",
    "120000": "{path} is a symbolic link",
    "160000": "{path} is a submodule",
}
_KINDS: Final = {**_ODD, "040000": "{path} is a folder"}


def read_file(objects: Objects, entries: dict[str, Held], name: str) -> bytes:
    """Return the content of a plain file in a commit; raises NoSuchFile, or NotAllowed if it is not a plain file."""
    entry = entries.get(name)
    if entry is None:
        hint = phrase("use --game FILE if the game file has another name")
        raise NoSuchFile(phrase("{path} is not in the commit", path=shown(name)), path=shown(name), hint=hint)
    if entry.mode != FILE_MODE:
        raise _not_plain(shown(name), entry)
    return objects.read(entry.oid, "blob", files.READ_LIMIT, shown(name))


def check_plain(objects: Objects, tree: str) -> None:
    """Raise NotAllowed if anything in the folder or below is not a plain file, or is a secret or a plan."""
    waiting, seen = [("", tree)], 0
    while waiting:
        folder, oid = waiting.pop()
        entries = objects.entries(oid)
        alike = {name.casefold(): name for name in entries}
        for name, entry in entries.items():
            path, seen = f"{folder}{name}", seen + 1
            if (other := alike[name.casefold()]) != name:
                why = f"{shown(path)} and {shown(other)} would be the same file on a machine that ignores case"
                raise NotAllowed(why, path=shown(path))
            if seen > MOST_FILES:
                raise NotAllowed(f"the first commit of a game may have at most {MOST_FILES} files")
            _check_no_secret(path)
            if entry.mode == "040000":
                waiting.append((f"{path}/", entry.oid))
            elif entry.mode != FILE_MODE:
                raise _not_plain(shown(path), entry)


def _not_plain(path: str, entry: Held) -> NotAllowed:
    return NotAllowed(_KINDS.get(entry.mode, "{path} is not a file").format(path=path), path=path)


def _check_no_secret(path: str) -> None:
    if end := uncommitted(path):
        hint = phrase(_UNCOMMITTED[end][1], command=f"git rm --cached {shown(path)}")
        raise NotAllowed(phrase(_UNCOMMITTED[end][0], path=shown(path)), path=shown(path), hint=hint)


def check_change(name: str, before: Held | None, after: Held | None, game: str, *, over: bool) -> None:
    """Raise NotAllowed unless a move may change the file of that name in this way.

    The page of the game may be added, with contents that the caller checks, and deleted if the game was *over* before.
    The caller also checks the minutes and the keys.
    """
    path = shown(name)
    if after:
        _check_no_secret(name)
        if after.mode in _ODD and (before is None or after.mode != before.mode):
            raise NotAllowed(_ODD[after.mode].format(path=path), path=path)
    if name == PAGE and (before is None or (after is None and over)):
        return
    if name == MINUTES and before is None:
        return
    if before is None and name == ALLOWED_SIGNERS:
        hint = "only whoever keeps the server can add keys to it: git fetch CLONE main:main there"
        raise NotAllowed(f"{path} was added, but this game was begun without keys", path=path, hint=hint)
    if before is None:
        raise NotAllowed(phrase(_ADDED, path=path, game=game, readme=README), path=path)
    if after is None:
        raise NotAllowed(phrase(_REMOVED, path=path, game=game, readme=README), path=path)
    if name not in {game, README, MINUTES, ALLOWED_SIGNERS}:
        raise NotAllowed(phrase(CHANGED, path=path, game=game, readme=README), path=path)
    if after.mode != before.mode:
        raise NotAllowed(f"the mode of {path} was changed", path=path)

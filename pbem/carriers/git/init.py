"""Start a new game repository: its files, and the first commit. Nothing in the folder is overwritten."""

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import NamedTuple

from pbem import files, formats, game_setup, interrupts, secrets
from pbem.carriers.git import template
from pbem.carriers.git.clone import (
    Clone,
    check_known,
    commit,
    open_clone,
)
from pbem.carriers.git.signing import ALLOWED_SIGNERS, allowed_signers
from pbem.errors import CannotCreate, UsageError
from pbem.first_sparks.record import Record
from pbem.formats import shown
from pbem.grammar import listed
from pbem.table.lines import HOST


class Begun(NamedTuple):
    """A new game repository: its game file, the other files that were written, its first commit."""

    path: Path
    written: tuple[str, ...]
    commit: str


def start(
    folder: Path, name: str, record: Record, secret: bytes, *, keys: Mapping[str, tuple[str, str]], action: str
) -> Begun:
    """Make the folder the repository of a new game, with a first commit; nothing in it is overwritten.

    *keys* maps each colour, and ``host``, to the name and text of a public key file, or is empty.
    """
    _check_keys(record, keys, action)
    texts = {template.README: template.readme(record, name)}
    if keys:
        texts[ALLOWED_SIGNERS] = allowed_signers(keys)
    if os.path.lexists(folder):
        begun = _started(folder, name, record, secret, texts, action)
        interrupts.done("the game was created and committed")
        return begun
    # A new folder appears only when it is complete.
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=".pbem-", suffix=".tmp", dir=folder.parent) as beside:
            whole = Path(beside, "whole")
            whole.mkdir()
            begun = _started(whole, name, record, secret, texts, action)
            with interrupts.hold("the game was created and committed"):
                whole.rename(folder)
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and files.is_full(error):
            raise files.unexpected(error) from error
        raise CannotCreate(f"the folder {shown(str(folder))} cannot be created", path=shown(str(folder))) from error
    return begun._replace(path=folder / name)


def _started(folder: Path, name: str, record: Record, secret: bytes, texts: Mapping[str, str], action: str) -> Begun:
    """Start the game in an existing folder."""
    check_known(Clone(folder))
    if all((folder / part).exists() for part in ("HEAD", "objects", "refs")):
        hint = "begin the game in a new folder, and push it to this repository"
        raise CannotCreate("a bare repository has no place for the files of a game", path=shown(str(folder)), hint=hint)
    git_dir = folder / ".git"
    half = git_dir.is_dir() and not all((git_dir / part).exists() for part in ("HEAD", "objects", "refs"))
    fresh = half or not git_dir.exists()  # an interrupted run has left half of one
    if fresh:
        Clone(folder).did("git init", "init", "--quiet", "--initial-branch=main")
    clone = open_clone(folder)
    if clone.tips()[0]:
        why = "the repository already has commits, and the first one must begin the game"
        raise CannotCreate(why, path=shown(str(folder)), hint="begin the game in a new folder")
    signed = ALLOWED_SIGNERS in texts
    try:
        settings = template.setting(record, name, clone.branch, action, signed=signed)
        return _first(clone, name, record, secret, {**texts, **settings})
    except BaseException:
        if fresh:
            _remove(clone.folder / ".git")
        raise


def _remove(git_dir: Path) -> None:
    """Delete git's own folder, also where Windows keeps what git has made read-only."""
    for path in git_dir.rglob("*"):
        if path.is_file() and not os.access(path, os.W_OK):
            path.chmod(stat.S_IRUSR | stat.S_IWUSR)
    rmtree(git_dir)


def _first(clone: Clone, name: str, record: Record, secret: bytes, texts: Mapping[str, str]) -> Begun:
    """Write and commit the files of a new game, or none of them."""
    path = clone.folder / name
    ours = (*texts, name, secrets.secret_path(path).name)
    taken = next((one for one in ours if (clone.folder / one).exists()), None)
    if taken:
        hint = "choose another folder; if an interrupted run left the file here, you can delete it"
        raise CannotCreate(f"{taken} already exists", path=taken, hint=hint)
    written: list[Path] = [path, secrets.secret_path(path)]
    try:
        game_setup.create(path, record, secret, formats.format_of(path))
        for one, text in texts.items():
            (clone.folder / one).parent.mkdir(parents=True, exist_ok=True)
            files.create(clone.folder / one, text)
            written.append(clone.folder / one)
        who = ", ".join(f"{player} ({colour})" for colour, player in record.players)
        new = [name, *texts]
        commit(clone, new, f"Begin {record.game}: {who}\n", new=new, key="", signed=False)
    except BaseException:
        with interrupts.hold():
            clone.git("rm", "--cached", "--quiet", "--ignore-unmatch", "--", *ours)
            for file in written:
                file.unlink(missing_ok=True)
        raise
    return Begun(path, tuple(sorted(texts)), clone.tips()[0])


def _check_keys(record: Record, keys: Mapping[str, object], action: str) -> None:
    """Raise UsageError if only some have a key, or if nobody has one in a sealed game on GitHub."""
    wanted = [colour for colour, _ in record.players] + [HOST] * (record.chance.kind == "sealed")
    missing = [who for who in wanted if who not in keys]
    hint = " ".join(f"--key {who}=their-key.pub" for who in missing)
    if action and not keys and HOST in wanted:
        raise UsageError("a sealed game on GitHub needs keys: only the host's signature proves its draws", hint=hint)
    if keys and missing:
        raise UsageError(f"moves are signed with --key, and keys are missing: {listed(missing)}", hint=hint)

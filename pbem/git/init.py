"""A new game repository: its files, and the first commit. Nothing in the folder is overwritten."""

import os
from collections.abc import Mapping
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import NamedTuple

from pbem import files, formats, game_setup, interrupts, secrets
from pbem.errors import CannotCreate, UsageError
from pbem.first_sparks.record import Record
from pbem.git import template
from pbem.git.clone import (
    Clone,
    check_known,
    commit,
    open_clone,
)
from pbem.git.repository import shown
from pbem.git.signing import ALLOWED_SIGNERS, HOST, allowed_signers


class Begun(NamedTuple):
    """A new game repository: the game file in it, what else was written, the first commit."""

    path: Path
    written: tuple[str, ...]
    commit: str


def start(
    folder: Path, name: str, record: Record, secret: bytes, *, keys: Mapping[str, tuple[str, str]], action: str
) -> Begun:
    """Make the folder a repository of a new game with its first commit; nothing in it is overwritten.

    *keys* has for each colour, and ``host``, the name of a public key file and its text, or is empty.
    """
    _check_keys(record, keys, action)
    texts = {template.README: template.readme(record, name)}
    if keys:
        texts[ALLOWED_SIGNERS] = allowed_signers(keys)
    if os.path.lexists(folder):
        begun = _started(folder, name, record, secret, texts, action)
        interrupts.done("the game was begun and committed")
        return begun
    # Nothing is seen of a new folder before it is whole.
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=".pbem-", suffix=".tmp", dir=folder.parent) as beside:
            whole = Path(beside, "whole")
            whole.mkdir()
            begun = _started(whole, name, record, secret, texts, action)
            with interrupts.hold("the game was begun and committed"):
                whole.rename(folder)
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and files.is_full(error):
            raise files.unexpected(error) from error
        raise CannotCreate(f"{shown(str(folder))} cannot be made a folder", path=shown(str(folder))) from error
    return begun._replace(path=folder / name)


def _started(folder: Path, name: str, record: Record, secret: bytes, texts: Mapping[str, str], action: str) -> Begun:
    """Begin in a folder that is there."""
    check_known(folder)
    git_dir = folder / ".git"
    half = git_dir.is_dir() and not all((git_dir / part).exists() for part in ("HEAD", "objects", "refs"))
    fresh = half or not git_dir.exists()  # half of one is what a run that was cut off has left
    if fresh:
        Clone(folder, "", "").did("git init", "init", "--quiet", "--initial-branch=main")
    clone = open_clone(folder)
    if clone.commit_of("HEAD"):
        why = "the repository has commits already, and a game is played in one that begins with it"
        raise CannotCreate(why, path=shown(str(folder)), hint="begin in a new folder")
    signed = ALLOWED_SIGNERS in texts
    try:
        settings = template.setting(record, name, clone.branch, action, signed=signed)
        return _first(clone, name, record, secret, {**texts, **settings})
    except BaseException:
        if fresh:
            rmtree(clone.folder / ".git")
        raise


def _first(clone: Clone, name: str, record: Record, secret: bytes, texts: Mapping[str, str]) -> Begun:
    """Write and commit the files of a new game, or none of them."""
    path = clone.folder / name
    ours = (*texts, name, secrets.secret_path(path).name)
    taken = next((one for one in ours if (clone.folder / one).exists()), None)
    if taken:
        hint = "begin in a new folder; what a run that was cut off has left here can be deleted"
        raise CannotCreate(f"{taken} exists already", path=taken, hint=hint)
    written: list[Path] = [path, secrets.secret_path(path)]
    try:
        game_setup.create(path, record, secret, formats.format_of(path))
        for one, text in texts.items():
            (clone.folder / one).parent.mkdir(parents=True, exist_ok=True)
            files.create(clone.folder / one, text)
            written.append(clone.folder / one)
        who = ", ".join(f"{player} ({colour})" for colour, player in record.players)
        first = commit(clone, [name, *texts], f"Begin {record.game}: {who}\n", key="", signed=False)
    except BaseException:
        with interrupts.hold():
            clone.git("rm", "--cached", "--quiet", "--ignore-unmatch", "--", *ours)
            for file in written:
                file.unlink(missing_ok=True)
        raise
    return Begun(path, tuple(sorted(texts)), first)


def _check_keys(record: Record, keys: Mapping[str, object], action: str) -> None:
    """Raise UsageError unless everybody has a key, or nobody and no draw has to be proved where no secret may lie."""
    wanted = [colour for colour, _ in record.players] + [HOST] * (record.chance.kind == "sealed")
    missing = [who for who in wanted if who not in keys]
    hint = " ".join(f"--key {who}=their-key.pub" for who in missing)
    if action and not keys and HOST in wanted:
        raise UsageError("on GitHub the draws of a sealed game are proved by the host's signature alone", hint=hint)
    if keys and missing:
        raise UsageError(f"{', '.join(missing)} could not sign: a key is missing", hint=hint)

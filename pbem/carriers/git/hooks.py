"""The hooks in which git calls us: before and after a server accepts a push, and before a player commits."""

import os
import re
import shlex
import site
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal

from pbem import files, formats, interrupts
from pbem.carriers.git.commits import JudgedMove
from pbem.carriers.git.contents import read_file
from pbem.carriers.git.judges import Judge
from pbem.carriers.git.point import point_at
from pbem.carriers.git.repository import Objects, git, not_a_repository, owned_environment
from pbem.carriers.git.signing import check_signature
from pbem.carriers.git.template import filled
from pbem.carriers.git.verdict import THEN_AGAIN, compare
from pbem.errors import CannotCreate, NotAllowed, NotUnderstood, PbemError, Stale
from pbem.formats import shown
from pbem.locale import phrase
from pbem.table.lines import MINUTES

Hook = Literal["pre-receive", "post-receive", "pre-commit"]

# The settings of a game server, by which git refuses things before our hook runs.
SERVER: Final = {
    "receive.denyNonFastForwards": "true",
    "receive.denyDeletes": "true",
    "receive.fsckObjects": "true",
    "receive.maxInputSize": "16m",
    "core.bigFileThreshold": "1m",  # a larger file is not loaded into memory, unless it is sent as a delta
}
_BY: Final = re.compile(r'^ +"\d+ ([a-z]+) |^\S+ \d+/[0-9a-f]{8} ([a-z]+) ')  # in the log of a game, in the minutes
_MOVED_FIRST: Final = "somebody moved first: the push does not build on the latest commit"
PUSHED_LIMIT: Final = 1 << 16  # bytes of standard input


def script(hook: Hook, game: str) -> str:
    """Return the hook, which runs the pbem that wrote it, and no module from its folder or from PYTHONPATH.

    The user's own site-packages count only if pbem is installed there.
    """
    own = site.ENABLE_USER_SITE and Path(__file__).is_relative_to(site.getusersitepackages())
    how = "-P -E" if own else "-I"
    return filled(hook, pbem=f"{shlex.quote(sys.executable)} {how} -m pbem", game=shlex.quote(game))


def install(hook: Hook, game: str, folder: Path) -> Path:
    """Install the hook in the repository, and return its path; another hook is not overwritten."""
    env = owned_environment()
    found = git("rev-parse", "--git-common-dir", folder=folder, env=env)
    if found.status:
        raise not_a_repository(found)
    place = folder / os.fsdecode(found.out.rstrip(b"\n"))  # where git also looks for the hooks of a linked work tree
    paths = git("config", "--type=path", "--get-all", "core.hooksPath", folder=folder, env=env).out.decode().split("\n")
    own = ["", *paths[:-2]][-1]  # the last is the one that we give to every git
    if own != git("config", "--local", "--type=path", "core.hooksPath", folder=folder, env=env).line:
        hint = f"git -C {shown(str(folder))} config core.hooksPath {shown(str(place.absolute() / 'hooks'))}"
        raise CannotCreate(f"{shown(own)} contains the hooks of all your repositories", path=shown(own), hint=hint)
    top = git("rev-parse", "--show-toplevel", folder=folder, env=env).out  # empty without a work tree
    above = Path(os.fsdecode(top.rstrip(b"\n"))) if top else place
    path = (above / own if own else place / "hooks") / hook
    text = script(hook, game)
    if path.exists() and files.read_text(path) != text:
        raise CannotCreate(f"{path} already exists and is another hook", path=str(path), hint="move it away first")
    with interrupts.hold(f"{shown(str(path))} was installed"):
        if not path.exists():
            path.parent.mkdir(exist_ok=True, parents=True)
            files.create(path, text, mode=0o755)
        if hook == "pre-receive":
            for key, value in SERVER.items():
                done = git("config", key, value, folder=folder, env=env)
                if done.status:
                    raise done.failed(f"git config {key}", folder)
    return path


def wrong_branch(folder: Path, game: str) -> Iterator[str]:
    """Yield a warning if moves will be accepted only on a branch on which the game is not, and will hardly be."""
    env = owned_environment()
    head = git("symbolic-ref", "--quiet", "--short", "HEAD", folder=folder, env=env).line
    if not head or not git("cat-file", "-e", f"refs/heads/{head}:{game}", folder=folder, env=env).status:
        return
    refs = git("for-each-ref", "--format=%(refname:short)", "refs/heads", folder=folder, env=env).out.decode().split()
    there = [name for name in refs if not git("cat-file", "-e", f"{name}:{game}", folder=folder, env=env).status]
    right = (there or ["main"])[0]
    if head != right:
        place = shlex.quote(shown(str(folder)))
        mend = f"git -C {place} symbolic-ref HEAD refs/heads/{right}"
        yield f"moves are accepted only on {head}, since HEAD names it; for a game on {right}: {mend}"


def pushed(objects: Objects, text: str, server: Judge) -> tuple[JudgedMove, ...]:
    """Return the moves of a push, given git's input for the hook: one line for each ref, with old, new and ref.

    Moves are accepted only on the branch that HEAD of the repository names; it is
    never deleted, and no other ref is accepted. The old commit is the pusher's
    claim, which git checks only after us: by claiming a game of their own,
    anybody could find out what the secret would give.

    No move is judged before all lines are checked: a valid move is refused too if
    another line of the push is.

    Raises Stale if the branch is not at the old commit.
    """
    branch = objects.git("symbolic-ref", "--quiet", "HEAD").line
    if not branch:
        why = phrase("nothing is accepted, since HEAD on the server names no branch")
        mend = "git symbolic-ref HEAD refs/heads/main"
        raise NotAllowed(why, hint=phrase("whoever keeps the server names one: {command}", command=mend))
    tip = objects.git("rev-parse", "--verify", "--quiet", branch).line
    updates: list[tuple[str, str]] = []
    for line in text.splitlines():
        told = re.fullmatch(r"([0-9a-f]{40}|[0-9a-f]{64}) ([0-9a-f]{40}|[0-9a-f]{64}) (\S+)", line)
        if told is None:
            raise NotUnderstood("standard input is not the input of a pre-receive hook", path="standard input")
        old, new, ref = ("" if not word.strip("0") else word for word in told.groups())
        name = shown(ref)
        if ref != branch:
            hint = f"git push origin HEAD:{branch.removeprefix('refs/heads/')}"
            why = phrase("{ref} is not accepted here, only {branch} is", ref=name, branch=branch)
            raise NotAllowed(why, path=name, hint=hint)
        if not new:
            raise NotAllowed(phrase("{ref} contains the game and cannot be deleted", ref=name), path=name)
        if old != tip:
            hint = phrase(THEN_AGAIN, command="git pull --ff-only")
            raise Stale(phrase(_MOVED_FIRST), path=name, hint=hint)
        updates.append((old, new))
    if len(updates) > 1:
        raise NotAllowed(f"the push updates {branch} more than once", path=branch)
    return compare(objects, *updates[0], server) if updates else ()


def pusher(objects: Objects, pushed: str, game: str) -> str:
    """Return the colour of the player who made the last commit of a push, "" if that is not known.

    *pushed* is git's input for the hook. Nothing is judged: what is pushed may be no move, and may build on an old
    game. If moves are signed, the signature of that player must be valid, so that a stranger learns nothing from the
    language of an answer.
    """
    new = (pushed.split() or ["", ""])[1:2]
    with suppress(PbemError):
        tip = objects.git("rev-parse", "--verify", "--quiet", "HEAD").line
        if not tip or not new:
            return ""
        point = point_at(objects, tip, game)
        commit = objects.commit(new[0])
        while len(commit.parents) > 1:
            commit = objects.commit(commit.parents[0])
        before = {*_lines(objects, objects.commit(commit.parents[0]).tree, game)} if commit.parents else set[str]()
        added = [line for line in _lines(objects, commit.tree, game) if line not in before]
        found = (found[1] or found[2] for found in map(_BY.match, added) if found)
        by = next((by for by in found if by in dict(point.record.players)), "")
        if by and point.signers is not None:
            check_signature(commit, point.signers, by)
        return by
    return ""


def _lines(objects: Objects, tree: str, game: str) -> list[str]:
    """Return the lines of the game and of the minutes in a commit."""
    entries = objects.entries(tree)
    names = [name for name in (game, MINUTES) if name in entries]
    texts = (formats.decode(read_file(objects, entries, name), name=name) for name in names)
    return [line for text in texts for line in text.splitlines()]

"""The two places where git asks us on a machine of its own: before a server takes a push, before a player commits."""

import os
import re
import shlex
import site
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal

from pbem import files, interrupts
from pbem.errors import CannotCreate, NotAllowed, NotUnderstood, Stale
from pbem.git.judges import Server
from pbem.git.repository import Objects, git, not_a_repository, owned_environment, shown
from pbem.git.template import filled
from pbem.git.verdict import JudgedMove, compare

Hook = Literal["pre-receive", "pre-commit"]

# What a server of a game should refuse by itself, before we are asked.
SERVER: Final = {
    "receive.denyNonFastForwards": "true",
    "receive.denyDeletes": "true",
    "receive.fsckObjects": "true",
    "receive.maxInputSize": "16m",
    "core.bigFileThreshold": "1m",  # a larger file is not held in memory, unless it comes as a delta
}
PUSHED_LIMIT: Final = 1 << 16  # bytes of standard input


def script(hook: Hook, game: str) -> str:
    """Return the hook, which runs the pbem that wrote it, and nothing that lies in its folder or that PYTHONPATH names.

    Only where pbem is installed for one user is that user's own place for modules needed.
    """
    own = site.ENABLE_USER_SITE and Path(__file__).is_relative_to(site.getusersitepackages())
    how = "-P -E" if own else "-I"
    return filled(hook, pbem=f"{shlex.quote(sys.executable)} {how} -m pbem", game=shlex.quote(game))


def install(hook: Hook, game: str, folder: Path) -> Path:
    """Put the hook in its place in the repository, and return where; another hook is not overwritten."""
    env = owned_environment()
    found = git("rev-parse", "--git-common-dir", folder=folder, env=env)
    if found.status:
        raise not_a_repository(found)
    place = folder / os.fsdecode(found.out.rstrip(b"\n"))  # where git looks for the hooks of a linked work tree too
    paths = git("config", "--type=path", "--get-all", "core.hooksPath", folder=folder, env=env).out.decode().split("\n")
    own = ["", *paths[:-2]][-1]  # the last is the one that we give to every git
    if own != git("config", "--local", "--type=path", "core.hooksPath", folder=folder, env=env).line:
        hint = f"git -C {shown(str(folder))} config core.hooksPath {shown(str(place.absolute() / 'hooks'))}"
        raise CannotCreate(f"{shown(own)} has the hooks of all your repositories", path=shown(own), hint=hint)
    top = git("rev-parse", "--show-toplevel", folder=folder, env=env).out  # nothing where there is no work tree
    above = Path(os.fsdecode(top.rstrip(b"\n"))) if top else place
    path = (above / own if own else place / "hooks") / hook
    text = script(hook, game)
    if path.exists() and files.read_text(path) != text:
        raise CannotCreate(f"{path} is there already and is another hook", path=str(path), hint="move it away first")
    with interrupts.hold(f"{shown(str(path))} is in its place"):
        if not path.exists():
            path.parent.mkdir(exist_ok=True, parents=True)
            files.create(path, text, mode=0o755)
        if hook == "pre-receive":
            for key, value in SERVER.items():
                done = git("config", key, value, folder=folder, env=env)
                if done.status:
                    raise done.failed(f"setting {key}", folder)
    return path


def pushed(objects: Objects, text: str, server: Server) -> Iterator[JudgedMove]:
    """Yield the moves of a push, given what git tells a hook on standard input: old, new and ref, a line each.

    Only the branch that the repository names as its own takes moves; it is
    never deleted, and nothing else is taken. What git tells as the old commit
    is what the pusher claims, which git compares only after us: with a game of
    their own for it, anybody could ask the secret what it would bring.

    Nothing is asked of the game before all lines are looked at: what is refused
    for another line does not get in, however right it is.

    Raises Stale if the branch is not at the old commit.
    """
    branch = objects.git("symbolic-ref", "HEAD").line
    tip = objects.git("rev-parse", "--verify", "--quiet", branch).line
    told_of: list[tuple[str, str]] = []
    for line in text.splitlines():
        told = re.fullmatch(r"([0-9a-f]{40}|[0-9a-f]{64}) ([0-9a-f]{40}|[0-9a-f]{64}) (\S+)", line)
        if told is None:
            raise NotUnderstood("standard input is not what git tells a pre-receive hook", path="standard input")
        old, new, ref = ("" if not word.strip("0") else word for word in told.groups())
        name = shown(ref)
        if ref != branch:
            hint = f"git push origin HEAD:{branch.removeprefix('refs/heads/')}"
            raise NotAllowed(f"{name} is not taken here, only {branch} is", path=name, hint=hint)
        if not new:
            raise NotAllowed(f"{name} is the game and is not deleted", path=name)
        if old != tip:
            hint = "git pull --ff-only, then play again"
            raise Stale("somebody moved first: this does not build on what is here", path=name, hint=hint)
        told_of.append((old, new))
    if len(told_of) > 1:
        raise NotAllowed(f"{branch} is pushed twice at once", path=branch)
    for old, new in told_of:
        yield from compare(objects, old, new, server)

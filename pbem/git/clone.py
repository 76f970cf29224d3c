"""A player's clone: fetch, commit and push, with the player's own git and settings."""

import os
import re
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from pbem.errors import CannotCreate, NoAccess, NotAllowed, Stale, TryAgain, UsageError
from pbem.git.repository import Objects, Ran, git, not_a_repository, owned_environment, shown, without_password
from pbem.grammar import listed, plural

Look = Callable[[str, str], None]  # what is done with incoming commits: those after the one up to the other
# Everything that is new: in a partial clone too, incoming commits are judged.
_FETCH: Final = ("fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-filter")
_CHECK_ACCESS: Final = "check your password, token or SSH key, and whether you may use that repository"


class Clone(NamedTuple):
    """A work tree: its folder, the checked-out branch, and the remote to play with, if any."""

    folder: Path
    branch: str
    remote: str

    def git(self, *arguments: str, stdin: bytes = b"") -> Ran:
        """Run git in the clone."""
        return git(*arguments, folder=self.folder, env=owned_environment(), stdin=stdin)

    def did(self, command: str, *arguments: str, stdin: bytes = b"") -> str:
        """Run git, and return the line that it prints; raises TryAgain or CannotWrite if the *command* fails."""
        done = self.git(*arguments, stdin=stdin)
        if done.status:
            raise done.failed(command, self.folder)
        return done.line

    def objects(self) -> Objects:
        """Return the objects of the clone, to be read warily."""
        return Objects(self.folder, owned_environment())

    @property
    def where(self) -> str:
        """The name of the remote, for people."""
        return without_password(shown(self.remote))

    @property
    def upstream(self) -> str:
        """The ref that remembers what the remote had when it was last asked."""
        return f"refs/remotes/{self.remote}/{self.branch}"

    def commit_of(self, ref: str) -> str:
        """Return the id of the commit at a ref, or nothing."""
        return self.git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}").line

    def contains(self, whole: str, part: str) -> bool:
        """Return whether the history of the commit *whole* contains the commit *part*."""
        return self.git("merge-base", "--is-ancestor", part, whole).status == 0


def open_clone(folder: Path) -> Clone:
    """Return the clone that contains the folder; raises UsageError if no branch is checked out."""
    env = owned_environment()
    top = git("rev-parse", "--show-toplevel", folder=folder, env=env)
    if top.status:
        if git("rev-parse", "--is-bare-repository", folder=folder, env=env).out == b"true\n":
            raise UsageError("this repository has no work tree", hint="clone it with git clone, and play in the clone")
        raise not_a_repository(top)
    place = Path(top.out.decode(errors="surrogateescape").rstrip("\n"))
    branch = git("symbolic-ref", "--quiet", "--short", "HEAD", folder=place, env=env)
    if branch.status:
        raise UsageError("no branch is checked out here", hint="git switch main")
    name = branch.line
    remote = git("config", f"branch.{name}.remote", folder=place, env=env).line
    remotes = git("remote", folder=place, env=env).out.decode(errors="replace").split()
    return Clone(place, name, remote or next((one for one in remotes if one == "origin"), ""))


def check_known(folder: Path) -> None:
    """Raise UsageError if git cannot say who commits."""
    if git("var", "GIT_COMMITTER_IDENT", folder=folder, env=owned_environment()).status:
        hint = "git config --global user.name 'Ann'; git config --global user.email ann@example.org"
        raise UsageError("git does not know your name yet", hint=hint)


def check_unlocked(clone: Clone) -> None:
    """Raise TryAgain if another git is changing the clone, or was interrupted when it did."""
    asked = [
        word for name in ("index", "HEAD", f"refs/heads/{clone.branch}") for word in ("--git-path", f"{name}.lock")
    ]
    for line in clone.git("rev-parse", *asked).out.splitlines():
        path = clone.folder / os.fsdecode(line)
        if path.exists():
            lock = shlex.quote(shown(str(path)))
            hint = f"nothing was changed; if no git is running here, an interrupted one left a lock: rm {lock}"
            raise TryAgain("another git process is running in this clone", path=shown(str(path)), hint=hint)


def check_committed(clone: Clone, names: Sequence[str]) -> None:
    """Raise CannotCreate if one of the files is not as it was committed; other files do not matter."""
    told = clone.git("status", "--porcelain", "--no-renames", "-z", "--ignored", "--", *names).out
    lines = [shown(line.decode(errors="replace")) for line in told.split(b"\0") if line]
    if lines:
        paths = [line[3:] for line in lines]
        here = "" if clone.folder.samefile(Path()) else f"-C {shlex.quote(shown(str(clone.folder)))} "
        restore = f"git {here}restore --staged --worktree {' '.join(paths)}"
        never = any(line.startswith(("?", "!", "A")) for line in lines)  # committed, so that nothing can be restored
        one = "{files} differs from the last commit, and is not overwritten"
        many = "{files} differ from the last commit, and are not overwritten"
        if never:
            hint = "move away what was never committed"
        else:
            hint = f"{restore} discards the changes; pbem git move makes and commits a move"
        message = plural(len(paths), one, many).format(files=listed(paths))
        raise CannotCreate(message, path=paths[0], hint=hint)


def pull(clone: Clone, look: Look) -> None:
    """Fast-forward the branch to the remote's; before that *look* may object.

    Raises TryAgain if the remote cannot be reached, NoAccess if it denies access,
    Stale if somebody moved while our own move was waiting to be sent, NotAllowed
    if the remote no longer has a commit that it had.
    """
    if not clone.remote:
        return
    fetched = clone.git(*_FETCH, clone.remote)
    if fetched.status and fetched.denial:
        hint = f"nothing was changed; {_CHECK_ACCESS}"
        raise NoAccess(f"{clone.where} denies access: {fetched.denial}", path=clone.where, hint=hint)
    if fetched.status:
        hint = "nothing was changed; try again when you are online"
        raise TryAgain(f"{clone.where} cannot be reached: {fetched.complaint}", path=clone.where, hint=hint)
    ours, theirs = clone.commit_of("HEAD"), clone.commit_of(clone.upstream)
    if not theirs or ours == theirs:
        return
    _check_kept(clone, theirs)
    if clone.contains("HEAD", theirs):
        return
    if ours and not clone.contains(theirs, "HEAD"):
        waiting = clone.git("log", "-1", "--format=%s").line
        raise Stale(
            f"somebody moved first, and your {waiting!r} is committed here but was not pushed",
            hint=f"{drop(clone)} drops it; look at the game, then play again",
        )
    look(ours, theirs)
    clone.did("git merge", "merge", "--ff-only", "--no-verify-signatures", "--quiet", theirs)


def _check_kept(clone: Clone, theirs: str) -> None:
    """Raise NotAllowed if the remote no longer has one of our commits that git remembers it had."""
    had = clone.git("merge-base", "--fork-point", clone.upstream, "HEAD").line
    if had and not clone.contains(theirs, had):
        lost = clone.git("log", "-1", "--format=%h by %an: %s", had).line
        raise NotAllowed(
            f"the history on {clone.where} was rewritten and no longer contains {lost}",
            path=clone.where,
            hint=f"nothing was changed; ask the others, and if they are right, {drop(clone)} accepts their game",
        )


def commit(clone: Clone, names: Sequence[str], message: str, *, key: str, signed: bool) -> str:
    """Commit only these files, and return the id; raises like ``Clone.did``, with the files still changed."""
    signing = ["-c", "gpg.format=ssh"] if signed else []
    if signed and key:
        signing += ["-c", f"user.signingkey={key}"]
    how = ["--gpg-sign"] if signed else []
    clone.did("git add", "add", "--force", "--", *names)  # a player may ignore pages everywhere
    clone.did(
        "git commit",
        *signing,
        *("commit", "--quiet", "--cleanup=verbatim", "--file=-", *how, "--only", "--", *names),
        stdin=message.encode(),
    )
    return clone.commit_of("HEAD")


def drop(clone: Clone) -> str:
    """Return the command that replaces our game with the remote's."""
    return f"git reset --keep {clone.where}/{clone.branch}"


def push(clone: Clone, before: str, look: Look) -> None:
    """Send the branch to the remote, or undo what was committed after *before* and say why.

    Raises Stale if somebody moved first, NotAllowed if the remote refuses the move, NoAccess if we may not push,
    TryAgain if the disk there is full, or if the remote cannot be reached; then the commit stays, to be sent later.
    For *look* see ``pull``.
    """
    how = ("--quiet", "--porcelain", "--no-follow-tags", "--no-signed", "--no-recurse-submodules")
    sent = clone.git("push", *how, clone.remote, f"HEAD:refs/heads/{clone.branch}")
    if sent.status == 0:
        return
    subject, remote = clone.git("log", "-1", "--format=%s").line, clone.where
    asked = clone.git(*_FETCH, clone.remote)
    theirs = clone.commit_of(clone.upstream)
    if theirs and clone.contains(theirs, "HEAD"):
        return  # the connection was lost after the push had arrived
    answered = re.search(rb"^!\t.*\[(remote )?rejected\]", sent.out, re.MULTILINE)  # about the branch, not the line
    denial = "" if answered else sent.denial
    if not denial and (asked.status or not answered):
        why = asked if asked.status else sent
        raise TryAgain(
            f"{subject!r} is committed here, but {remote} cannot be reached: {why.complaint}",
            path=remote,
            hint=f"git push {remote} {clone.branch} pushes it when you are online",
        )
    first = theirs and not denial and not clone.contains("HEAD", theirs)
    clone.did("git reset", "reset", "--keep", "--quiet", before)
    if first:
        pull(clone, look)
        raise Stale(
            f"somebody moved first, and {subject!r} was not pushed",
            hint="the game is up to date now; look at it, then play again",
        )
    hints = ["your move was undone"]
    if theirs and theirs != before:
        older = clone.git("log", "-1", "--format=%s").line
        hints.append(f"{older!r}, committed before it, was not pushed either: {drop(clone)} drops it")
    if denial:
        message = f"{remote} does not let you push {subject!r}: {denial}"
        raise NoAccess(message, path=remote, hint="; ".join((*hints, _CHECK_ACCESS)))
    if sent.full:
        message = f"{remote} cannot accept {subject!r} because its disk is full"
        raise TryAgain(message, path=remote, hint="; ".join((*hints, "play again when there is room")))
    if sent.advice:
        hints.append(f"{remote} says: {sent.advice}")
    raise NotAllowed(f"{remote} refuses {subject!r}: {sent.complaint}", path=remote, hint="; ".join(hints))

"""A player's clone: fetch, commit and push, with the player's own git and settings."""

import os
import re
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from pbem.errors import CannotCreate, NoAccess, NotAllowed, Stale, TryAgain, UsageError
from pbem.git.repository import Objects, Ran, git, not_a_repository, owned_environment, shown, without_password

Look = Callable[[str, str], None]  # what is done with the commits that come in: those after the one up to the other
# With all that is new: of a partial clone too what comes in is judged.
_FETCH: Final = ("fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-filter")
_WAY_IN: Final = "its password, token or SSH key may be wrong, or you may not push there"


class Clone(NamedTuple):
    """A work tree: its folder, the branch that is checked out, the remote that it is played with, if any."""

    folder: Path
    branch: str
    remote: str

    def git(self, *arguments: str, stdin: bytes = b"") -> Ran:
        """Run git in the clone."""
        return git(*arguments, folder=self.folder, env=owned_environment(), stdin=stdin)

    def did(self, what: str, *arguments: str, stdin: bytes = b"") -> str:
        """Run git, and return the line that it prints; raises TryAgain or CannotWrite if *what* does not go well."""
        done = self.git(*arguments, stdin=stdin)
        if done.status:
            raise done.failed(what, self.folder)
        return done.line

    def objects(self) -> Objects:
        """Return the objects of the clone, to be read warily."""
        return Objects(self.folder, owned_environment())

    @property
    def where(self) -> str:
        """What the remote is called, for people."""
        return without_password(shown(self.remote))

    @property
    def upstream(self) -> str:
        """The ref that holds what the remote had when it was last asked."""
        return f"refs/remotes/{self.remote}/{self.branch}"

    def commit_of(self, ref: str) -> str:
        """Return the id of the commit at a ref, or nothing."""
        return self.git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}").line

    def contains(self, whole: str, part: str) -> bool:
        """Return whether the history of the commit *whole* holds the commit *part*."""
        return self.git("merge-base", "--is-ancestor", part, whole).status == 0


def open_clone(folder: Path) -> Clone:
    """Return the clone that the folder lies in; raises UsageError where no branch is checked out."""
    env = owned_environment()
    top = git("rev-parse", "--show-toplevel", folder=folder, env=env)
    if top.status:
        if git("rev-parse", "--is-bare-repository", folder=folder, env=env).out == b"true\n":
            raise UsageError("this repository has no work tree", hint="git clone it, and play in the clone")
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
    """Raise TryAgain if another git changes the clone now, or was cut off when it did."""
    asked = [
        word for name in ("index", "HEAD", f"refs/heads/{clone.branch}") for word in ("--git-path", f"{name}.lock")
    ]
    for line in clone.git("rev-parse", *asked).out.splitlines():
        path = clone.folder / os.fsdecode(line)
        if path.exists():
            hint = f"nothing was changed; if no git runs here, one was cut off: rm {shlex.quote(shown(str(path)))}"
            raise TryAgain("another git is at work in this clone", path=shown(str(path)), hint=hint)


def check_committed(clone: Clone, names: Sequence[str]) -> None:
    """Raise CannotCreate if one of the files is not as it was committed; others do not matter."""
    told = clone.git("status", "--porcelain", "--no-renames", "-z", "--ignored", "--", *names).out
    lines = [shown(line.decode(errors="replace")) for line in told.split(b"\0") if line]
    if lines:
        paths = [line[3:] for line in lines]
        here = "" if clone.folder.samefile(Path()) else f"-C {shlex.quote(shown(str(clone.folder)))} "
        back = f"git {here}restore --staged --worktree {' '.join(paths)} takes the changes back"
        never = any(line.startswith(("?", "!", "A")) for line in lines)  # committed, so that nothing can be restored
        raise CannotCreate(
            f"{' and '.join(paths)} {'is not as it was' if len(paths) == 1 else 'are not as they were'} committed, "
            f"and {'is' if len(paths) == 1 else 'are'} not overwritten",
            path=paths[0],
            hint="move it away first" if never else f"{back}; pbem git move makes and commits a move",
        )


def pull(clone: Clone, look: Look) -> None:
    """Bring the branch up to the remote's, if it only goes on from ours; before that *look* may object.

    Raises TryAgain if the remote cannot be reached, NoAccess if it does not let
    us in, Stale if somebody moved while a move of ours was waiting to be sent,
    NotAllowed if the remote has dropped what it had already.
    """
    if not clone.remote:
        return
    fetched = clone.git(*_FETCH, clone.remote)
    if fetched.status and fetched.denial:
        hint = f"nothing was changed; {_WAY_IN}"
        raise NoAccess(f"{clone.where} does not let you in: {fetched.denial}", path=clone.where, hint=hint)
    if fetched.status:
        hint = "nothing was changed; try again when the line is back"
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
            f"somebody moved first, and {waiting!r} is here but was not sent",
            hint=f"{drop(clone)} drops it; look at the game, then play again",
        )
    look(ours, theirs)
    clone.did("updating the branch", "merge", "--ff-only", "--no-verify-signatures", "--quiet", theirs)


def _check_kept(clone: Clone, theirs: str) -> None:
    """Raise NotAllowed if the remote no longer has a commit of ours that it had once, as git remembers."""
    had = clone.git("merge-base", "--fork-point", clone.upstream, "HEAD").line
    if had and not clone.contains(theirs, had):
        lost = clone.git("log", "-1", "--format=%h by %an: %s", had).line
        raise NotAllowed(
            f"{clone.where} has rewritten the game, and dropped {lost}",
            path=clone.where,
            hint=f"nothing was changed; ask the others, and if it is right, {drop(clone)} takes their game",
        )


def commit(clone: Clone, names: Sequence[str], message: str, *, key: str, signed: bool) -> str:
    """Commit these files and nothing else, and return the id; raises as ``Clone.did``, with the files still changed."""
    signing = ["-c", "gpg.format=ssh"] if signed else []
    if signed and key:
        signing += ["-c", f"user.signingkey={key}"]
    how = ["--gpg-sign"] if signed else []
    clone.did("staging the move", "add", "--", *names)
    clone.did(
        "the commit",
        *signing,
        *("commit", "--quiet", "--cleanup=verbatim", "--file=-", *how, "--only", "--", *names),
        stdin=message.encode(),
    )
    return clone.commit_of("HEAD")


def drop(clone: Clone) -> str:
    """Return the command that takes the remote's game in the place of ours."""
    return f"git reset --keep {clone.where}/{clone.branch}"


def push(clone: Clone, before: str, look: Look) -> None:
    """Send the branch to the remote, or take what was committed after *before* back and say why.

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
        return  # the line broke when it had arrived
    answered = re.search(rb"^!\t.*\[(remote )?rejected\]", sent.out, re.MULTILINE)  # about the branch, and not the line
    denial = "" if answered else sent.denial
    if not denial and (asked.status or not answered):
        why = asked if asked.status else sent
        raise TryAgain(
            f"{subject!r} is committed here, but {remote} cannot be reached: {why.complaint}",
            path=remote,
            hint=f"git push {remote} {clone.branch} sends it when the line is back",
        )
    first = theirs and not denial and not clone.contains("HEAD", theirs)
    clone.did("taking the move back", "reset", "--keep", "--quiet", before)
    if first:
        pull(clone, look)
        raise Stale(
            f"somebody moved first, and {subject!r} was not sent",
            hint="the game is up to date now; look at it, then play again",
        )
    hint = "the move was taken back"
    if theirs and theirs != before:
        older = clone.git("log", "-1", "--format=%s").line
        hint += f", but {older!r} was there before it and was not sent either; {drop(clone)} drops it"
    if denial:
        message = f"{remote} does not let you push {subject!r}: {denial}"
        raise NoAccess(message, path=remote, hint=f"{hint}; {_WAY_IN}")
    if sent.full:
        message = f"{remote} cannot take {subject!r} because its disk is full"
        raise TryAgain(message, path=remote, hint=f"{hint}; play again when there is room")
    advice = f"; {remote} says: {sent.advice}" if sent.advice else ""
    raise NotAllowed(f"{remote} refuses {subject!r}: {sent.complaint}", path=remote, hint=hint + advice)

"""A player's clone: fetch, commit and push, with the player's own git and settings."""

import os
import re
import shlex
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from pbem import interrupts
from pbem.carriers.git.repository import Objects, Ran, git, not_a_repository, owned_environment, without_password
from pbem.errors import CannotCreate, NoAccess, NotAllowed, Stale, TryAgain, UsageError
from pbem.formats import shown
from pbem.game_files import uncommitted
from pbem.grammar import clauses, phrase_listed
from pbem.locale import LANGUAGES, phrase, phrase_of, speaking, tr

Look = Callable[[str, str], None]  # what is done with incoming commits: those after the one up to the other
# Everything that is new: in a partial clone too, incoming commits are judged.
_FETCH: Final = ("fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-filter")
_UNTIDY: Final = ("-c", "maintenance.auto=false", "-c", "gc.auto=0")  # the next fetch tidies up
_AS_OTHER: Final = frozenset(
    f"GIT_{who}_{what}" for who in ("COMMITTER", "AUTHOR") for what in ("NAME", "EMAIL", "DATE")
)
_WAITS: Final = "{move} is committed here, but {remote} cannot be reached: {why}"
_NEITHER: Final = "{move}, committed before it, was not pushed either: {command} drops it"
_NO_SERVER: Final = "nothing was changed; no server answers at that address: {command}"
_CHECK_ACCESS: Final = "check your password, token or SSH key, and whether you may use that repository"
_KEPT: Final[ContextVar[tuple[Path | None, dict[str, str]]]] = ContextVar("kept", default=(None, {}))


class Clone(NamedTuple):
    """A work tree, or a bare repository: its folder, the checked-out branch, and the remote to play with, if any.

    ``git_dir`` is git's own folder for it, ``common_dir`` the one that it may share with other work trees;
    ``settings`` are git's, as they hold here. ``there`` is the branch that the remote has of the game.
    Git is also given the variables in *env*.
    """

    folder: Path
    branch: str = ""
    remote: str = ""
    there: str = ""
    git_dir: Path = Path()
    common_dir: Path = Path()
    settings: Mapping[str, str] = MappingProxyType({})
    env: Mapping[str, str] = MappingProxyType({})

    def git(self, *arguments: str, stdin: bytes = b"", date: str = "") -> Ran:
        """Run git in the clone; a *date* is that of the commit that it makes."""
        dated = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date} if date else {}
        return git(*arguments, folder=self.folder, env={**owned_environment(), **self.env, **dated}, stdin=stdin)

    def did(self, command: str, *arguments: str, stdin: bytes = b"", date: str = "") -> str:
        """Run git, and return the line that it prints; raises TryAgain or CannotWrite if the *command* fails."""
        done = self.git(*arguments, stdin=stdin, date=date)
        if done.status:
            raise done.failed(command, self.folder)
        return done.line

    def objects(self) -> Objects:
        """Return the objects of the clone, to be read warily."""
        return Objects(self.folder, owned_environment(), self.git_dir)

    @property
    def where(self) -> str:
        """The name of the remote, for people."""
        return without_password(shown(self.remote))

    @property
    def upstream(self) -> str:
        """The ref that remembers what the remote had when it was last asked."""
        return f"refs/remotes/{self.remote}/{self.there}"

    def tips(self) -> tuple[str, str]:
        """Return the ids of our latest commit, and of the remote's as far as it is known here, or "" for either."""
        ours = f"refs/heads/{self.branch}"
        told = self.git("for-each-ref", "--format=%(refname) %(objectname)", ours, self.upstream).out.decode()
        known = dict(line.rsplit(" ", 1) for line in told.splitlines())
        return known.get(ours, ""), known.get(self.upstream, "")

    def date(self, earliest: int = 0) -> tuple[int, str]:
        """Return the date that git would give a commit now, in seconds since 1970, and as git takes it.

        It is not before the *earliest*, which another machine may have said a moment ago.
        """
        _, seconds, zone = self.did("git var", "var", "GIT_AUTHOR_IDENT").rsplit(" ", 2)
        time = max(int(seconds), earliest)
        return time, f"@{time} {zone}"

    def contains(self, whole: str, part: str) -> bool:
        """Return whether the history of the commit *whole* contains the commit *part*."""
        return self.git("merge-base", "--is-ancestor", part, whole).status == 0


def open_clone(folder: Path) -> Clone:
    """Return the clone that contains the folder; raises UsageError if no branch is checked out."""
    env = owned_environment()
    found = git("rev-parse", "--show-toplevel", "--absolute-git-dir", "--git-common-dir", folder=folder, env=env)
    if found.status:
        if git("rev-parse", "--is-bare-repository", folder=folder, env=env).out == b"true\n":
            raise UsageError("this repository has no work tree", hint="clone it with git clone, and play in the clone")
        raise not_a_repository(found)
    lines = os.fsdecode(found.out.rstrip(b"\n")).split("\n")
    if len(lines) != 3:
        raise UsageError("the name of this folder has a line break", hint="clone the game into another folder")
    place, git_dir, common = map(Path, lines)
    branch = git("symbolic-ref", "--quiet", "--short", "HEAD", folder=place, env=env)
    if branch.status:
        raise UsageError(phrase("no branch is checked out here"), hint="git switch main")
    name, settings = branch.line, settings_of(place)
    remote = settings.get(f"branch.{name}.remote", "")
    remote = remote or ("origin" if any(key.startswith("remote.origin.") for key in settings) else "")
    there = settings.get(f"branch.{name}.merge", "").removeprefix("refs/heads/")
    if settings.get("push.default") == "current":
        there = ""
    return Clone(place, name, remote, there or name, git_dir, folder / common, settings)


@contextmanager
def settings_kept() -> Generator[None]:
    """Ask git once for its settings in the folder that we are in, and use them for all that is done meanwhile."""
    here = Path().resolve()
    before = _KEPT.set((here, settings_of(here)))
    try:
        yield
    finally:
        _KEPT.reset(before)


def settings_of(folder: Path) -> dict[str, str]:
    """Return git's settings for its owner in a folder, by their keys in lower case."""
    place, kept = _KEPT.get()
    if place == folder.resolve():
        return kept
    told = git("config", "--list", "-z", folder=folder, env=owned_environment()).out.decode(errors="surrogateescape")
    rows = (row.partition("\n") for row in told.split("\0") if row)
    return {key: value for key, _, value in rows}


def check_known(clone: Clone) -> None:
    """Raise UsageError if git cannot say who commits, or when."""
    if all(clone.settings.get(key) for key in ("user.name", "user.email")) and not _AS_OTHER & os.environ.keys():
        return
    for name in ("GIT_COMMITTER", "GIT_AUTHOR"):
        asked = clone.git("var", f"{name}_IDENT")
        if not asked.status:
            continue
        if "invalid date" in asked.err:
            said = shown(os.environ.get(f"{name}_DATE", ""))
            hint = f"unset {name}_DATE, or set it to a date like 2026-11-22T20:15:00"
            raise UsageError(f"git does not understand the date {said!r} in {name}_DATE", hint=hint)
        hint = "git config --global user.name 'Ann'; git config --global user.email ann@example.org"
        raise UsageError("git does not know your name yet", hint=hint)


def check_unlocked(clone: Clone) -> None:
    """Raise TryAgain if another git is changing the clone, or was interrupted when it did."""
    branch = clone.common_dir / "refs" / "heads" / f"{clone.branch}.lock"
    for path in (clone.git_dir / "index.lock", clone.git_dir / "HEAD.lock", branch):
        if path.exists():
            lock = shlex.quote(shown(str(path)))
            hint = phrase(
                "nothing was changed; if no git is running here, an interrupted one left a lock: rm {lock}", lock=lock
            )
            raise TryAgain(phrase("another git process is running in this clone"), path=shown(str(path)), hint=hint)


def check_committed(clone: Clone, names: Sequence[str]) -> None:
    """Raise CannotCreate if one of the files is not as it was committed; other files do not matter."""
    told = clone.git("status", "--porcelain", "--no-renames", "-z", "--ignored", "--", *names).out
    lines = [shown(line.decode(errors="replace")) for line in told.split(b"\0") if line]
    if lines:
        paths = list(dict.fromkeys(line[3:] for line in lines))
        kept = {line[3:] for line in lines if line[0] not in "?!A"}
        here = "" if clone.folder.samefile(Path()) else f"-C {shlex.quote(shown(str(clone.folder)))} "
        restore = f"git {here}restore --staged --worktree {' '.join(paths)}"
        added = " ".join(line[3:] for line in lines if line.startswith("A"))  # by a run that was cut off
        if kept.issuperset(paths):
            hint = phrase("{restore} discards the changes; pbem git move makes and commits a move", restore=restore)
        elif added:
            first = f"git {here}rm --cached --force {added}"
            hint = phrase("{command}, then move away what was never committed", command=first)
        else:
            hint = phrase("move away what was never committed")
        message = phrase_of(
            len(paths),
            "{files} differs from the last commit, and is not overwritten",
            "{files} differ from the last commit, and are not overwritten",
            files=phrase_listed(paths),
        )
        raise CannotCreate(message, path=paths[0], hint=hint)


def pull(clone: Clone, look: Look) -> tuple[str, str]:
    """Fast-forward the branch to the remote's, and return both tips; before that *look* may object.

    Raises TryAgain if the remote cannot be reached, NoAccess if it denies access,
    Stale if somebody moved while our own move was waiting to be sent, NotAllowed
    if the remote no longer has a commit that it had.
    """
    if not clone.remote:
        return clone.tips()[0], ""
    fetched = clone.git(*_FETCH, clone.remote)
    if fetched.status and fetched.denial:
        hint = clauses(phrase("nothing was changed"), phrase(_CHECK_ACCESS))
        message = phrase("{remote} denies access: {why}", remote=clone.where, why=fetched.denial)
        raise NoAccess(message, path=clone.where, hint=hint)
    if fetched.status:
        hint = phrase("nothing was changed; try again when you are online")
        if re.search(r"refused|failed to connect", fetched.complaint, re.IGNORECASE):
            hint = phrase(_NO_SERVER, command=f"git remote get-url {clone.where}")
        message = phrase("{remote} cannot be reached: {why}", remote=clone.where, why=fetched.complaint)
        raise TryAgain(message, path=clone.where, hint=hint)
    ours, theirs = clone.tips()
    if not theirs or ours == theirs:
        return ours, theirs
    told = clone.git("rev-list", "--left-right", "--count", f"{ours}...{theirs}").out.split() if ours else []
    ahead, behind = map(int, told) if len(told) == 2 else (0, 1)
    if ahead:
        _check_kept(clone, theirs)
    if not behind:
        return ours, theirs
    if ahead:
        waiting = clone.git("log", "-1", "--format=%s").line
        raise Stale(
            phrase("somebody moved first, and your {move} is committed here but was not pushed", move=repr(waiting)),
            hint=phrase("{command} drops it; look at the game, then play again", command=drop(clone)),
        )
    look(ours, theirs)
    clone.did("git merge", *_UNTIDY, "merge", "--ff-only", "--no-verify-signatures", "--quiet", theirs)
    return theirs, theirs


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


def commit(
    clone: Clone, names: Sequence[str], message: str, *, new: Sequence[str], key: str, signed: bool, date: str = ""
) -> None:
    """Commit only these files, of which some are *new*; raises like ``Clone.did``, with the files still changed."""
    signing = ["-c", "gpg.format=ssh"] if signed else []
    if signed and key:
        signing += ["-c", f"user.signingkey={key}"]
    how = ["--gpg-sign"] if signed else []
    if new:
        clone.did("git add", "add", "--force", "--", *new)  # a player may ignore pages everywhere
    clone.did(
        "git commit",
        *_UNTIDY,
        *signing,
        *("commit", "--quiet", "--cleanup=verbatim", "--file=-", *how, "--only", "--", *names),
        stdin=message.encode(),
        date=date,
    )


def drop(clone: Clone) -> str:
    """Return the command that replaces our game with the remote's, but keeps the file of a secret or of plans."""
    added = clone.git("diff", "--name-only", "--diff-filter=A", "-z", clone.upstream, "HEAD").out
    how = "" if any(map(uncommitted, added.decode(errors="replace").split("\0"))) else "--keep "
    return f"git reset {how}{clone.where}/{clone.there}"


def sending(clone: Clone) -> str:
    """Return the command that sends what waits here."""
    what = clone.branch if clone.branch == clone.there else f"{clone.branch}:{clone.there}"
    return f"git push {clone.where} {what}"


def push(clone: Clone, before: str, look: Look) -> None:
    """Send the branch to the remote, or undo what was committed after *before* and say why.

    Raises Stale if somebody moved first, NotAllowed if the remote refuses the move, NoAccess if we may not push,
    TryAgain if the disk there is full, or if the remote cannot be reached; then the commit stays, to be sent later.
    For *look* see ``pull``.
    """
    how = ("--quiet", "--porcelain", "--no-follow-tags", "--no-signed", "--no-recurse-submodules")
    sent = clone.git("push", *how, clone.remote, f"HEAD:refs/heads/{clone.there}")
    if sent.status == 0:
        return
    subject, remote = clone.git("log", "-1", "--format=%s").line, clone.where
    asked = clone.git(*_FETCH, clone.remote)
    theirs = clone.tips()[1]
    if theirs and clone.contains(theirs, "HEAD"):
        return  # the connection was lost after the push had arrived
    answered = re.search(rb"^!\t.*\[(remote )?rejected\]", sent.out, re.MULTILINE)  # about the branch, not the line
    denial = "" if answered else sent.denial
    if not denial and (asked.status or not answered):
        interrupts.heard()
        why = asked if asked.status else sent
        raise TryAgain(
            phrase(_WAITS, move=repr(subject), remote=remote, why=why.complaint),
            path=remote,
            hint=phrase("{command} pushes it when you are online", command=sending(clone)),
        )
    first = theirs and not denial and not clone.contains("HEAD", theirs)
    clone.did("git reset", "reset", "--keep", "--quiet", before)
    if first:
        pull(clone, look)
        raise Stale(
            phrase("somebody moved first, and {move} was not pushed", move=repr(subject)),
            hint=phrase("the game is up to date now; look at it, then play again"),
        )
    hints = [phrase("your move was undone")]
    if theirs and theirs != before:
        older = clone.git("log", "-1", "--format=%s").line
        hints.append(phrase(_NEITHER, move=repr(older), command=drop(clone)))
    move = repr(subject)
    if denial:
        message = phrase("{remote} does not let you push {move}: {why}", remote=remote, move=move, why=denial)
        raise NoAccess(message, path=remote, hint=clauses(*hints, phrase(_CHECK_ACCESS)))
    if sent.full:
        message = phrase("{remote} cannot accept {move} because its disk is full", remote=remote, move=move)
        raise TryAgain(message, path=remote, hint=clauses(*hints, phrase("play again when there is room")))
    advice = sent.advice(_heads_of_hints())
    elsewhere = re.search(r"git push \S+ HEAD:(\S+)$", advice)  # where the game is; it has none of this commit now
    if elsewhere:
        command = f"git branch --set-upstream-to {clone.where}/{elsewhere[1]}"
        hints.append(phrase("to play from this branch, first run {command}", command=command))
    elif advice:
        hints.append(phrase("{remote} says: {what}", remote=remote, what=advice))
    message = phrase("{remote} refuses {move}: {why}", remote=remote, move=move, why=sent.complaint)
    raise NotAllowed(message, path=remote, hint=clauses(*hints))


def _heads_of_hints() -> tuple[str, ...]:
    """Return how a hint begins in each language: a server answers a player in their own."""
    heads: list[str] = []
    for language in LANGUAGES:
        with speaking(language):
            heads.append(tr("hint: {hint}").partition("{")[0])
    return tuple(heads)

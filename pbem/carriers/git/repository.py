"""The only module that runs git: for the owner of a clone, or warily, to read what strangers have committed.

When wary, nothing in a commit becomes a file or causes anything to be run or
fetched: objects are read by their full id, and measured first. Git decides with its
own settings whose repository it is; after that the system's settings are ignored.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple

from pbem.errors import Broken, CannotWrite, NoSuchFile, NotAllowed, PbemError, TryAgain
from pbem.formats import shown
from pbem.locale import phrase

TREE_LIMIT: Final = 1 << 20  # bytes
COMMIT_LIMIT: Final = 1 << 16
FILE_MODE: Final = "100644"

_ID: Final = "[0-9a-f]{40}|[0-9a-f]{64}"

_SETTINGS: Final = (
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "core.fsmonitor=false"),
    "--no-pager",
    "--literal-pathspecs",
)
# What GitHub, GitLab, Gitea, ssh and git itself say when they deny access; the server's answer has no code for it.
_DENIAL: Final = re.compile(
    r"\bdenied\b|write access|authentication failed|could not read (?:username|password)|invalid username"
    r"|not allowed to push|returned error: 40[13]|repository (?:'.*' )?not found",
    re.IGNORECASE,
)
# Of a lock that it could not write git says no more.
_FULL: Final = re.compile(r"No space left on device|Disk quota exceeded|Out of diskspace|couldn't write '.*\.lock'")
# The variables that a hook needs: a push is in quarantine, and a commit may have an index of its own.
_OF_HOOKS: Final = frozenset(
    {"GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_QUARANTINE_PATH", "GIT_INDEX_FILE"}
)
# The variables that name another repository, that of our caller, and not the clone in this folder.
_ELSEWHERE: Final = _OF_HOOKS | {"GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_PREFIX"}
_WARY: Final = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}


class NotHere(NoSuchFile):
    """An object of the history that is not in this clone."""


class Ran(NamedTuple):
    """The result of a run of git."""

    status: int
    out: bytes
    err: str

    @property
    def line(self) -> str:
        """The one line that git printed."""
        return shown(self.out.decode(errors="replace").strip())

    def failed(self, what: str, folder: Path) -> PbemError:
        """Return the error for a failed command *what* in the folder: TryAgain if the disk is full."""
        # For a setting that cannot be written git gives no reason.
        if self.full or shutil.disk_usage(folder).free == 0:
            hint = "free some space and try again"
            return TryAgain(f"{what} failed because the disk is full", path=shown(str(folder)), hint=hint)
        return CannotWrite(f"{what} failed: {self.complaint}", path=shown(str(folder)))

    @property
    def full(self) -> bool:
        """Whether git reported a full disk, here or on the server."""
        return _FULL.search(self.err) is not None

    @property
    def complaint(self) -> str:
        """What was wrong, in one line: the message of the server, or else of git, without its prefix."""
        lines = [line.strip() for line in self.err.splitlines()]
        wrong = [line.removeprefix("remote:").strip() for line in lines if line.startswith("remote:")]
        wrong = wrong or [re.sub(r"\[\d+: .*\]: errno=", ": ", f"fatal: {line}") for line in lines if "errno=" in line]
        wrong = wrong or [line for line in lines if line.startswith("ssh: ")]
        wrong = wrong or [line for line in lines if line.startswith(("fatal:", "error:"))] or lines
        return _plain(next(filter(None, wrong), "git gave no reason"))

    def advice(self, heads: tuple[str, ...]) -> str:
        """Return the hint that the server gave, which begins in one of these ways, or ""."""
        lines = (line.removeprefix("remote:").strip() for line in self.err.splitlines() if line.startswith("remote:"))
        return _plain(next((line for line in lines if line.startswith(heads)), ""))

    @property
    def denial(self) -> str:
        """The message of the server, or of git for it, that denies us access; or ""."""
        lines = (line.strip().removeprefix("remote:").strip() for line in self.err.splitlines())
        return _plain(next(filter(_DENIAL.search, lines), ""))


class Held(NamedTuple):
    """An entry in a folder of a commit: mode in octal digits, id."""

    mode: str
    oid: str


class Commit(NamedTuple):
    """A commit as it was made; ``signed`` is what a signature covers: everything but the signature."""

    oid: str
    tree: str
    parents: tuple[str, ...]
    author: str
    time: int
    signature: bytes
    signed: bytes


def _plain(said: str) -> str:
    """Return a line from git without its prefix, such as ``fatal:``."""
    return without_password(shown(said.partition(": ")[2] or said)).rstrip(".")


def without_password(text: str) -> str:
    """Return the text without the credentials in its addresses."""
    return re.sub(r"(?<=://)[^\s/@]+(?:@[^\s/@]+)*@", "", text)


def owned_environment() -> dict[str, str]:
    """Return the environment in which git acts for the owner of a clone: with their settings, only for that clone."""
    return {**{key: value for key, value in os.environ.items() if key not in _ELSEWHERE}, "LC_ALL": "C"}


def wary_environment(git_dir: str, env: Mapping[str, str]) -> dict[str, str]:
    """Return the environment in which git only reads the objects of the repository."""
    plain = {key: value for key, value in env.items() if not key.startswith("GIT_") or key in _OF_HOOKS}
    return {**plain, **_WARY, "GIT_DIR": git_dir}


def git(*arguments: str, folder: Path | None = None, env: Mapping[str, str], stdin: bytes = b"") -> Ran:
    """Run git; the caller decides what its status means. Raises NoSuchFile if git is not installed."""
    try:
        done = subprocess.run(  # noqa: S603 -- a list, and no shell
            _command(*arguments), cwd=folder, env=env, input=stdin, capture_output=True, check=False
        )
    except OSError as error:
        why = _no_git(folder, error)
        if why is None:
            raise
        raise why from error
    return Ran(done.returncode, done.stdout, done.stderr.decode(errors="replace"))


def _command(*arguments: str) -> list[str]:
    return ["git", *_SETTINGS, *arguments]


def _no_git(folder: Path | None, error: OSError) -> NoSuchFile | None:
    """Return why git cannot be run in the folder, or None if nobody can mend it."""
    # Windows does not name the folder that a program could not start in.
    if folder is not None and (error.filename in (folder, str(folder)) or not folder.is_dir()):
        name = shown(str(folder))
        denied = isinstance(error, PermissionError)
        message = f"{name} cannot be entered: permission denied" if denied else f"{name} is not a folder"
        return NoSuchFile(message, path=name)
    if isinstance(error, FileNotFoundError | NotADirectoryError | PermissionError):
        return NoSuchFile("the program git is not installed", path="git", hint="get it from https://git-scm.com")
    return None


def not_a_repository(done: Ran) -> NoSuchFile:
    """Return the error for a folder without a repository that we may use."""
    if "dubious ownership" in done.err:
        why, hint = "the repository here belongs to somebody else", "git config --global --add safe.directory FOLDER"
    else:
        why, hint = "this folder is not in a git repository", "create one with pbem git init, or get one with git clone"
    return NoSuchFile(why, path=".", hint=hint)


class Objects:
    """The objects of the repository that we are in, read warily; use it as a context manager.

    Two git processes answer all questions: how large an object is, and what is in it. They start at the first one.
    """

    def __init__(
        self, folder: Path | None = None, env: Mapping[str, str] = os.environ, git_dir: Path | None = None
    ) -> None:
        if git_dir is None:
            found = git("rev-parse", "--absolute-git-dir", folder=folder, env=env)
            if found.status:
                raise not_a_repository(found)
            git_dir = Path(os.fsdecode(found.out.rstrip(b"\n")))
        self.git_dir = git_dir
        self._env = wary_environment(str(self.git_dir), env)
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> "Objects":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for process in self._processes.values():
            process.kill()
            process.communicate()
        self._processes.clear()

    def git(self, *arguments: str) -> Ran:
        """Run git warily."""
        return git(*arguments, env=self._env)

    def _batch(self, how: str) -> subprocess.Popen[bytes]:
        if how not in self._processes:
            self._processes[how] = subprocess.Popen(  # noqa: S603 -- a list, and no shell
                _command("cat-file", how),
                env=self._env,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        return self._processes[how]

    def commit_id(self, name: str) -> str:
        """Return the full id of the commit with that name; raises NoSuchFile if it is unknown."""
        if re.fullmatch(_ID, name):
            return name
        found = self.git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        if found.status and name == "HEAD":
            hint = "pbem git init begins a game in a new repository; git clone fetches one"
            raise NoSuchFile("this repository has no commit yet", path=name, hint=hint)
        if found.status:
            what = repr(shown(name))
            raise NoSuchFile(phrase("the commit {name} does not exist here", name=what), path=shown(name))
        return found.line

    def head(self) -> str:
        """Return the id of the commit that is checked out."""
        return self._ask(self._batch("--batch-check"), "HEAD").split()[0].decode()

    def read(self, oid: str, kind: str, limit: int, name: str) -> bytes:
        """Return the content of an object of that kind, of at most *limit* bytes; *name* is for the message."""
        try:
            found = self._ask(self._batch("--batch-check"), oid).split()
        except Broken as error:
            if self.git("config", "--get-regexp", r"^remote\..*\.promisor$").status:
                raise
            hint = "the clone is partial; fetch the rest: git fetch --refetch --no-filter"
            raise NotHere(f"{name} is not in this clone", path=name, hint=hint) from error
        if found[1:2] == [b"missing"] or len(found) != 3:
            hint = "if the clone is shallow, fetch the rest: git fetch --unshallow"
            raise NotHere(f"{name} is not in this repository", path=name, hint=hint)
        if found[1] != kind.encode():
            raise NotAllowed(f"{name} is not a {kind}", path=name)
        if int(found[2]) > limit:
            raise NotAllowed(f"{name} is larger than {limit} bytes", path=name)
        contents = self._batch("--batch")
        self._ask(contents, oid)
        assert contents.stdout is not None
        data = contents.stdout.read(int(found[2]))
        contents.stdout.read(1)
        return data

    def _ask(self, process: subprocess.Popen[bytes], oid: str) -> bytes:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(oid.encode() + b"\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        except BrokenPipeError:
            answer = b""
        if not answer:
            raise Broken(f"git cannot read the object {oid}", path=oid, hint="git fsck shows more")
        return answer

    def entries(self, tree: str) -> dict[str, Held]:
        """Return the entries of a folder by name; bytes that are not UTF-8 become surrogates.

        Read from the object itself, since git's own listings enter every folder or quote names. It must have the
        form that git writes, or git could read it differently than we do.
        """
        name, width = f"the folder {tree[:10]}", len(tree) // 2
        data, place, last, found = self.read(tree, "tree", TREE_LIMIT, name), 0, b"", dict[str, Held]()
        form = re.compile(rb"([1-7][0-7]{4,5}) ([^\0]+)\0(.{%d})" % width, re.DOTALL)
        while place < len(data):
            told = form.match(data, place)
            if told is None:
                raise NotAllowed(f"{name} is not in git's format", path=name)
            key, place = told[2].decode(errors="surrogateescape"), told.end()
            if key in found:
                raise NotAllowed(f"{name} lists {shown(key)} twice", path=shown(key))
            found[key] = Held(told[1].decode().zfill(6), told[3].hex())
            before, last = last, told[2] + b"/" * (told[1] == b"40000")
            if last < before:
                raise NotAllowed(f"{name} is not sorted as git sorts it", path=name)
        return found

    def commit(self, oid: str) -> Commit:
        """Return the commit with that full id.

        Read from the object itself, since a signature covers exactly its bytes. Git takes only the lines before the
        author for parents, and no other line may name one.
        """
        data = self.read(oid, "commit", COMMIT_LIMIT, f"commit {oid[:10]}")
        head, _, message = data.partition(b"\n\n")
        fields: dict[str, list[bytes]] = {}
        kept: list[bytes] = []
        order: list[bytes] = []
        for line in re.split(rb"\n(?! )", head):
            key, _, value = line.partition(b" ")
            fields.setdefault(key.decode("ascii", "replace"), []).append(value)
            order.append(key)
            if key not in {b"gpgsig", b"gpgsig-sha256"}:
                kept.append(line)
        trees, parents = fields.get("tree", []), fields.get("parent", [])
        first = [b"tree", *[b"parent"] * len(parents), b"author", b"committer"]
        once = all(order.count(key) == 1 for key in (b"tree", b"author", b"committer"))
        named = all(re.fullmatch(_ID.encode(), value) for value in trees + parents)
        if order[: len(first)] != first or not (once and named) or b"\0" in data:
            raise NotAllowed(f"commit {oid[:10]} is not in git's format")
        ours, others = ("gpgsig", "gpgsig-sha256") if len(oid) == 40 else ("gpgsig-sha256", "gpgsig")
        signatures = fields.get(ours, [])
        if others in fields or len(signatures) > 1:
            raise NotAllowed(f"commit {oid[:10]} has more than one signature")
        author = re.fullmatch(rb"(.*) <[^>]*> (\d{1,19}) [+-]\d{4}", fields["author"][0])
        if author is None:  # git would read another date than we do, or none
            raise NotAllowed(f"commit {oid[:10]} is not in git's format")
        return Commit(
            oid,
            trees[0].decode(),
            tuple(parent.decode() for parent in parents),
            shown(author[1].decode(errors="replace")),
            int(author[2]),
            b"".join(signatures).replace(b"\n ", b"\n").strip(),
            b"\n".join(kept) + b"\n\n" + message,
        )

"""Groups that play through git: a server that refuses, clones of it, and commits that no pbem would make."""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from functools import cache, partial
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest
import yaml
from bots import SECRET, a_new_record, a_sensible_choice
from forked import door, run_program
from templates import copied, template

from pbem import formats, game_files, loading, rulings, secrets
from pbem.carriers.git.template import readme
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.chance.draws import source
from pbem.first_sparks.play import played
from pbem.first_sparks.record import Lines, Record, first_head, next_head

GAME = "game.toml"
RED = ("git", "move", "--as", "red", "--order", "stay")
BLUE = ("git", "move", "--as", "blue", "--order", "stay")
needs_ssh = pytest.mark.needs("ssh-keygen")

PLAYERS = ("Angelika:green", "Christian:red", "Steffi:blue")
ENVIRONMENT = {
    **{key: value for key, value in os.environ.items() if not key.startswith("GIT_")},
    "GIT_CONFIG_GLOBAL": str(Path(__file__).with_name("gitconfig")),
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Ann",
    "GIT_AUTHOR_EMAIL": "ann@example.org",
    "GIT_AUTHOR_DATE": "2001-02-03T04:05:06Z",
    "GIT_COMMITTER_NAME": "Ann",
    "GIT_COMMITTER_EMAIL": "ann@example.org",
    "GIT_COMMITTER_DATE": "2001-02-03T04:05:06Z",
}
Content = bytes | tuple[str, bytes] | None


def run(*command: str | Path, cwd: Path, stdin: bytes = b"", **env: str) -> subprocess.CompletedProcess[str]:
    """Run a program, without any setting of whoever runs the tests."""
    done = subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        env=ENVIRONMENT | env,
        input=stdin,
        capture_output=True,
        check=False,
        timeout=120,
    )
    out, err = (text.decode(errors="replace") for text in (done.stdout, done.stderr))
    return subprocess.CompletedProcess(done.args, done.returncode, out, err)


def git(cwd: Path, *arguments: str, stdin: bytes = b"", **env: str) -> str:
    """Run git, which has to succeed, and return what it prints."""
    done = run("git", *arguments, cwd=cwd, stdin=stdin, **env)
    assert done.returncode == 0, (arguments, done.stderr)
    return done.stdout.rstrip("\n")


def pbem(
    cwd: Path, *arguments: str | Path, stdin: str = "", patched: bool = False, **env: str
) -> subprocess.CompletedProcess[str]:
    """Run the program as a process of its own."""
    return run_program(*arguments, cwd=cwd, stdin=stdin, env=ENVIRONMENT | env, patched=patched)


def did(cwd: Path, *arguments: str | Path, **env: str) -> str:
    """Run the program, which has to succeed, and return what it prints."""
    done = pbem(cwd, *arguments, **env)
    assert done.returncode == 0, (arguments, done.stderr)
    return done.stdout


class Group(NamedTuple):
    """A server, and the clone of the one who began the game; ``base`` is the commit that was accepted."""

    server: Path
    clone: Path
    base: str

    @property
    def tip(self) -> str:
        """The commit that the server has now."""
        return git(self.server, "rev-parse", "main")

    def another_clone(self, name: str) -> Path:
        """Return one more clone."""
        git(self.server.parent, "clone", "--quiet", str(self.server), name)
        return self.server.parent / name


def a_group(folder: Path, *options: str | Path) -> Group:
    """Return a group that has just begun; the board is one of ours, and chance is open where nothing else is said."""

    def begin(folder: Path) -> None:
        folder.mkdir()
        seats = (*PLAYERS, "--board", "recommended", "--i-chose-it", "--secret", SECRET.hex())
        did(folder, "git", "init", "--chance", "open", "clone", "--id", "friday", *seats, *options)
        served(folder)

    copied_group(template("group", begin, *map(_content, options)), folder)
    return _group(folder)


def a_group_after(folder: Path, *commands: tuple[str, ...]) -> Group:
    """Return such a group in which these commands of git have been given; its base is the last commit of them."""

    def begin(folder: Path) -> None:
        group = a_group(folder)
        for command in commands:
            did(group.clone, "git", *command)

    copied_group(template("after", begin, *commands), folder)
    return _group(folder)


def _content(option: str | Path) -> str:
    """Return an option of a player's key with the key in place of the file, which is somewhere else for each test."""
    name, _, path = str(option).rpartition("=")
    return f"{name}={Path(path).read_text(encoding='utf-8')}" if name and Path(path).is_file() else str(option)


def copied_group(place: Path, folder: Path) -> None:
    """Copy a template with a server, whose hooks go through the door of this process."""
    copied(place, folder)
    for hook in folder.glob("*.git/hooks/*-receive"):
        text = hook.read_text(encoding="utf-8")
        hook.write_text(re.sub(r"exec \S*pbem-door-\S+/pbem ", f"exec {door()} ", text), encoding="utf-8")


def _group(folder: Path) -> Group:
    base = (folder / "clone" / ".git" / "refs" / "heads" / "main").read_text(encoding="utf-8").strip()
    return Group(folder / "server.git", folder / "clone", base)


def served(folder: Path) -> Group:
    """Return a server that refuses, with the game in ``clone``; its hook goes through the door.

    What it would do after a push is the matter of other tests.
    """
    git(folder, "init", "--quiet", "--bare", "--initial-branch=main", "server.git")
    did(folder, "git", "hook", "pre-receive", "--install", "server.git")
    through_the_door(folder / "server.git" / "hooks" / "pre-receive")
    (folder / "server.git" / "hooks" / "post-receive").unlink()
    git(folder / "clone", "remote", "add", "origin", "../server.git")
    git(folder / "clone", "push", "--quiet", "--set-upstream", "origin", "main")
    return _group(folder)


def through_the_door(hook: Path) -> None:
    """Let a hook run the program that has read all modules."""
    text, replaced = re.subn(r"exec \S+ -I -m pbem ", f"exec {door()} ", hook.read_text(encoding="utf-8"))
    assert replaced == 1
    hook.write_text(text, encoding="utf-8")


def that_goes_on(group: Group) -> Group:
    """Return the group with a server that draws after a push, and says whose turn it is."""
    did(group.clone, "git", "hook", "post-receive", "--install", group.server)
    through_the_door(group.server / "hooks" / "post-receive")
    return group


def with_the_real_hook(group: Group) -> Group:
    """Return the group with the hook as it is installed, for what a door cannot show."""
    (group.server / "hooks" / "pre-receive").unlink()
    did(group.clone, "git", "hook", "pre-receive", "--install", group.server)
    return group


def without_a_hook(group: Group) -> Group:
    """Return the group with a server that takes everything, as GitHub does."""
    (group.server / "hooks" / "pre-receive").unlink()
    for key in ("receive.denyNonFastForwards", "receive.fsckObjects"):
        git(group.server, "config", "--unset", key)
    return group


def game_at(clone: Path, commit: str = "HEAD") -> loading.GameFile:
    """Return the game as it is in a commit."""
    return loading.file_in(git(clone, "show", f"{commit}:game.toml") + "\n", Path("game.toml"))


def text_after(game: loading.GameFile, by: str, *orders: str, drawn: bool = True) -> str:
    """Return the game file after the orders, as pbem writes it."""
    draw = secrets.draws_of(game.record, Path("nowhere.toml")) if drawn else None
    ruling = rulings.judge(game.record, loading.Submission(orders, player=by), draw)
    return game_files.text_of(ruling.record, "toml", game.schema)


def page_of(text: str) -> bytes:
    """Return the README for the text of a game."""
    return readme(loading.file_in(text, Path("game.toml")).record, "game.toml").encode()


def edited(game: loading.GameFile, text: str, lines: list[str] | None = None, **keys: Any) -> bytes:
    """Return the text of a game with other lines in the log, which the head fits, and other keys."""
    data = formats.parse(text, "toml", name="game.toml")
    if lines is not None:
        head = chained(game.record, tuple(lines)).head
        data |= {"log": lines, "head": head, "turn": sum(" * " not in line for line in lines)}
    return formats.dump(data | keys, "toml", schema=game.schema).encode()


def forged(
    clone: Path,
    changes: Mapping[str, Content],
    *,
    parents: tuple[str, ...] = ("HEAD",),
    message: str = "a move",
    key: Path | None = None,
) -> str:
    """Return a commit with other files than its parent: bytes, mode and bytes (of 160000 an id), None for no file."""
    env = {"GIT_INDEX_FILE": str(clone / ".git" / "forged")}
    git(clone, "read-tree", parents[0] if parents else "--empty", **env)
    lines, ids = [], {}
    for name, content in changes.items():
        mode, data = ("0", None) if content is None else ("100644", content) if isinstance(content, bytes) else content
        if data is not None and data not in ids:
            ids[data] = git(clone, "hash-object", "-w", "--stdin", stdin=data)
        oid = "0" * 40 if data is None else data.decode() if mode == "160000" else ids[data]
        lines.append(f"{mode} {oid}\t{name}\0")
    whole = "".join(lines).encode(errors="surrogateescape")
    git(clone, "update-index", "-z", "--index-info", stdin=whole, **env)
    return committed(clone, git(clone, "write-tree", **env), parents=parents, message=message, key=key)


def committed(
    clone: Path, tree: str, *, parents: tuple[str, ...] = ("HEAD",), message: str = "a move", key: Path | None = None
) -> str:
    """Return a commit of a tree."""
    above = [word for parent in parents for word in ("-p", git(clone, "rev-parse", parent))]
    signing = ("-c", "gpg.format=ssh", "-c", f"user.signingkey={key}") if key else ()
    sign = ("-S",) if key else ()
    return git(clone, *signing, "commit-tree", *sign, *above, "-m", message, tree)


def entries_of(clone: Path, commit: str = "HEAD") -> list[bytes]:
    """Return what the folder of a commit holds, each as git stores it."""
    command = ["git", "cat-file", "tree", f"{commit}^{{tree}}"]
    raw = subprocess.run(command, cwd=clone, capture_output=True, check=True).stdout
    return re.findall(rb"\d+ [^\0]+\0.{20}", raw, re.DOTALL)


def a_tree(clone: Path, *entries: bytes) -> str:
    """Return a folder that holds these, whether git would write it or not."""
    return git(clone, "hash-object", "-w", "-t", "tree", "--literally", "--stdin", stdin=b"".join(entries))


def push(group: Group, commit: str, *options: str, ref: str = "refs/heads/main") -> subprocess.CompletedProcess[str]:
    """Push a commit, by force, so that nobody but the server can refuse it."""
    return run("git", "push", "--force", *options, "origin", f"{commit}:{ref}", cwd=group.clone)


def keys_of(folder: Path, *names: str) -> dict[str, Path]:
    """Return a private SSH key for each, with the public one beside it."""
    for name in names:
        copied(template("key", partial(_with_a_key, name=name), name), folder)
    return {name: folder / name for name in names}


def _with_a_key(folder: Path, name: str) -> None:
    folder.mkdir()
    run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", name, cwd=folder)


def before_a_draw(record: Record) -> tuple[Record, str, str]:
    """Return a game in which a draw follows the next order, who is asked, and the order."""
    draw, random = source(record.game, SECRET), Random(7)
    while True:
        by = who_decides(record.state)
        assert by is not None
        move = a_sensible_choice(record.state, random)
        after, history = played(record, by, move, draw)
        if record.turn > 20 and any(" * draw " in f" {entry} " for entry, _ in history):
            return record, by, str(move)
        record = after


@cache
def a_sealed_game() -> tuple[Record, str, str]:
    """Return a sealed game before an order that a draw follows, who is asked, and the order."""
    record, by, order = before_a_draw(a_new_record(3, "friday"))
    return as_sealed(record), by, order


def as_sealed(record: Record) -> Record:
    """Return an open game as a sealed one, as if it had begun as such."""
    return chained(record._replace(chance=record.chance._replace(kind="sealed", secret="")), record.log)


def chained(record: Record, log: tuple[str, ...]) -> Record:
    """Return a game with another log, and with the heads that its header and this log yield, as a forger would."""
    heads = tuple(accumulate(log, next_head, initial=first_head(record)))
    return record._replace(lines=Lines(record.history, log, heads))


def a_sealed_group(folder: Path, record: Record, *given: str) -> Group:
    """Return a server with the sealed game; its secret lies beside the host's clone alone."""

    def begin(folder: Path) -> None:
        folder.mkdir()
        seats = ("Angelika", "Christian", "Steffi")
        sealed = ("--chance", "sealed", "--i-chose-it", "--secret", SECRET.hex())
        did(folder, "git", "init", "--chance", "open", "clone", *seats, "--id", "friday", *sealed, *given)
        clone = folder / "clone"
        (clone / "game.toml").write_text(text, encoding="utf-8")
        (clone / "README.md").write_bytes(page_of(text))
        git(clone, "commit", "--quiet", "--all", "--amend", "--no-edit")
        served(folder)

    text = game_files.text_of(record, "toml")
    copied_group(template("sealed", begin, text, *map(_content, given)), folder)
    return _group(folder)


def before_a_push(folder: Path, command: str) -> str:
    """Return a path on which git runs a command once before it pushes."""
    wrapper, real, once = folder / "bin" / "git", shutil.which("git"), folder / "once"
    wrapper.parent.mkdir()
    wrapper.write_text(
        f"""#!/bin/sh
case "$*" in *" push "*) if mkdir "{once}" 2>/dev/null; then ({command}) || exit 9; fi;; esac
exec "{real}" "$@"
""",
        encoding="utf-8",
    )
    wrapper.chmod(0o755)
    return f"{wrapper.parent}:{os.environ['PATH']}"


def act(action: Path, folder: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """Run the scripts of an action as GitHub does, with the pbem of the tests in place of an installed one."""
    temporary = Path(tempfile.mkdtemp(prefix="runner-", dir=folder))
    program = temporary / "pbem" / "bin" / "pbem"
    program.parent.mkdir(parents=True)
    program.symlink_to(door())
    for step in yaml.safe_load(action.read_text(encoding="utf-8"))["runs"]["steps"][1:]:
        fixed = {key: value for key, value in step["env"].items() if "${{" not in value}
        assert step["env"].keys() - fixed.keys() <= env.keys()
        script = temporary / "step.sh"
        script.write_text(step["run"], encoding="utf-8")
        said = {**fixed, **env, "RUNNER_TEMP": str(temporary)}
        done = run("bash", "--noprofile", "--norc", "-eo", "pipefail", script, cwd=temporary, **said)
        if done.returncode:
            break
    return done

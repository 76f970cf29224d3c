"""The program as a process of its own, which costs a tenth where it is forked off with all that it imports."""

import atexit
import gc
import marshal
import os
import select
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from tempfile import TemporaryFile
from typing import Any
from unittest.mock import patch

import typer

import pbem
from pbem.__main__ import main

HANG = 600  # seconds after which nobody waits any more
# On Windows, or where this is set, every program is one of its own that lacks what Windows lacks: see ``windows.py``.
_IS_LACKING = os.environ.get("PBEM_AS_WINDOWS") or not hasattr(os, "fork")
WINDOWS = [sys.executable, str(Path(__file__).with_name("windows.py"))] if _IS_LACKING else []

# What scripts, hooks and mail servers start: it hands its words, place and open files to a process that has read all
# modules, and ends as the program does that is forked off there.
DOOR = """#!{python} -IS
import _socket, os, sys
from marshal import dumps
words = sys.argv[3:] if sys.argv[1:3] == ["-m", "pbem"] else sys.argv[1:]
door = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
door.connect({address!r})
files = b"".join(number.to_bytes(4, sys.byteorder) for number in range(3))
said = dumps([words, os.getcwd(), dict(os.environ)])
sent = door.sendmsg([len(said).to_bytes(4) + said], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, files)])
door.sendall(said[sent - 4:])
os._exit((door.recv(1) or b"c")[0])
"""


def run_program(
    *arguments: str | Path,
    stdin: str | bytes = b"",
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    patched: bool = False,
) -> subprocess.CompletedProcess[str]:
    """Run ``pbem`` with the arguments, in that folder and environment, and return its status and what it said.

    How Python itself starts is not tested by it: its settings in *env* come too late. What the test has replaced in the
    program is only replaced there if that is *patched*, which takes longer the more the tests have imported.
    """
    words = list(map(str, arguments))
    if WINDOWS:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        done = subprocess.run([*WINDOWS, *words], cwd=cwd, env=env, input=data, capture_output=True, check=False)
        said, wrong = (text.decode(errors="replace") for text in (done.stdout, done.stderr))
        return subprocess.CompletedProcess(["pbem", *words], done.returncode, said, wrong)
    with TemporaryFile() as given, TemporaryFile() as out, TemporaryFile() as err:
        given.write(stdin.encode() if isinstance(stdin, str) else stdin)
        given.seek(0)
        run = _ran_here if patched else _ran
        status = run(words, (given.fileno(), out.fileno(), err.fileno()), cwd, env)
        out.seek(0)
        err.seek(0)
        said, wrong = (file.read().decode(errors="replace") for file in (out, err))
    return subprocess.CompletedProcess(["pbem", *words], status, said, wrong)


def _ran(words: list[str], files: tuple[int, int, int], cwd: Path | None, env: Mapping[str, str] | None) -> int:
    """Return how the program has ended that is forked off from the process behind the door, which stays small."""
    with socket.socket(socket.AF_UNIX) as behind:
        behind.connect(served())
        said = marshal.dumps([words, str(cwd or Path.cwd()), dict(os.environ if env is None else env)])
        sent = socket.send_fds(behind, [len(said).to_bytes(4) + said], files)
        behind.sendall(said[sent - 4 :])
        status, by_signal = behind.recv(2, socket.MSG_WAITALL)
    return -by_signal or status


def _ran_here(words: list[str], files: tuple[int, int, int], cwd: Path | None, env: Mapping[str, str] | None) -> int:
    """Return how the program has ended that is forked off from this process."""
    import_all()
    child = _fork()
    if not child:
        gc.freeze()  # what the tests have made is not looked at again
        _be_the_program(words, files, cwd, env)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _be_the_program(
    words: list[str], files: tuple[int, int, int], cwd: Path | None, env: Mapping[str, str] | None
) -> None:
    """Go on as the program, and never come back."""
    try:
        signal.alarm(HANG)
        for number, file in enumerate(files):
            os.dup2(file, number)
        sys.stdin, sys.stdout = open(0, encoding="utf-8"), open(1, "w", encoding="utf-8")  # noqa: SIM115
        sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace")  # noqa: SIM115
        sys.argv = ["pbem", *words]
        if cwd is not None:
            os.chdir(cwd)
        if env is not None:
            os.environ.clear()
            os.environ.update(env)
        main()
    finally:
        os._exit(99)


# The program for others


def a_path() -> str:
    """Return a search path on which ``pbem`` is found: the door."""
    return f"{door().parent}:{os.environ['PATH']}"


@cache
def door() -> Path:
    """Return the path of a program that does what ``pbem`` does in a tenth of the time.

    A signal ends only the door, and not the program behind it.
    """
    path = Path(tempfile.mkdtemp(prefix="pbem-door-"), "pbem")
    atexit.register(shutil.rmtree, path.parent, ignore_errors=True)
    if WINDOWS:
        program = '[ "$1 $2" != "-m pbem" ] || shift 2'
        path.write_text(f'#!/bin/sh\n{program}\nexec {shlex.join(WINDOWS)} "$@"\n', encoding="utf-8")
    else:
        path.write_text(DOOR.format(python=sys.executable, address=served()), encoding="utf-8")
    path.chmod(0o755)
    return path


@cache
def served() -> str:
    """Return the address of a process that runs the program, and ends with this one.

    It has the program as it is at the first call, patched or not, and forks fast if that comes before much is imported.
    """
    folder = Path(tempfile.mkdtemp(prefix="pbem-behind-"))
    address = str(folder / "socket")
    import_all()
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(address)
    listening.listen(64)
    server = _fork()
    if not server:
        _serve(listening, os.getppid())
    listening.close()
    atexit.register(_ended, server, folder, os.getpid())
    return address


def _fork() -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # a thread of pytest-xdist is no danger
        return os.fork()


def _serve(listening: socket.socket, parent: int) -> None:
    """Fork off a program for each caller, and tell how it has ended, as long as the tests run; never come back."""
    try:
        once = prepare()
        for family in import_module("pbem.cli.app").FAMILIES:
            once(family)
        with suppress(Exception):  # whoever runs into it finds what is wrong
            _play()
        gc.freeze()
        ended, wakes = socket.socketpair()
        for end in (ended, wakes):
            end.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wakes.fileno(), warn_on_full_buffer=False)
        callers: dict[int, socket.socket] = {}
        while os.getppid() == parent:
            ready = select.select([listening, ended], [], [], 5)[0]
            if listening in ready:
                caller = listening.accept()[0]
                if child := _begun(caller, [listening, ended, wakes, *callers.values()]):
                    callers[child] = caller
            if ended in ready:
                ended.recv(1 << 12)
                _answer(callers)
    finally:
        os._exit(0)


def _play() -> None:
    """Do what most programs do, so that what that keeps in memory, such as patterns and the cards, is there already.

    Nothing of it depends on an environment or a folder.
    """
    from pbem import game_files, loading
    from pbem.carriers.git.template import readme
    from pbem.first_sparks.proof import verify

    game = pbem.new_game(("Ann:red", "Bob:blue", "Cy:green"), board="recommended", secret="0" * 64)
    for _ in game.players:
        game = pbem.play(game, "stay")
    record = loading.file_in(game_files.text_of(game, "toml"), Path("game.toml")).record
    verify(record)
    pbem.choices(record)
    pbem.summary(record, "red")
    readme(record, "game.toml")


def _begun(caller: socket.socket, others: list[socket.socket]) -> int:
    """Return the process that runs the program for a caller; 0 if the caller has ended before it has said which."""
    said, files, *_ = socket.recv_fds(caller, 1 << 16, 3)
    while len(said) < 4 + int.from_bytes(said[:4]):
        more = caller.recv(1 << 16)
        if not more:
            return 0
        said += more
    words, folder, env = marshal.loads(said[4:])  # noqa: S302 -- it comes from the door
    child = os.fork()
    if not child:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for each in (caller, *others):
            each.close()
        _be_the_program(words, (files[0], files[1], files[2]), Path(folder), env)
    for file in files:
        os.close(file)
    return child


def _answer(callers: dict[int, socket.socket]) -> None:
    """Tell those whose program has ended how it has."""
    while callers:
        child, status = os.waitpid(-1, os.WNOHANG)
        if not child:
            return
        code = os.waitstatus_to_exitcode(status)
        with callers.pop(child) as caller, suppress(OSError):  # who does not wait any more
            caller.sendall(bytes([code if code >= 0 else 128 - code, max(0, -code)]))


def prepare() -> Callable[[str], object]:
    """Let Typer prepare each family of commands once in this process, and return what prepares one by its name."""
    from pbem.cli import app

    build = app.build

    @cache
    def once(name: str) -> Any:
        with patch.object(sys, "argv", ["pbem"]):  # all its commands, not only the one that somebody has typed
            return typer.main.get_command(build([name, "something"]))

    def prepared(argv: list[str]) -> Any:
        is_plain = len(argv) > 1 and argv[0] in app.FAMILIES and not {*app._HELP} & {*argv}
        return once(argv[0]) if is_plain and app._COMPLETING not in os.environ else build(argv)

    app.build = prepared
    return once


def _ended(server: int, folder: Path, owner: int) -> None:
    if os.getpid() == owner:  # and no process that was forked off from it
        os.kill(server, signal.SIGKILL)
        os.waitpid(server, 0)
        shutil.rmtree(folder, ignore_errors=True)


@cache
def import_all() -> None:
    """Read every module of the program, so that no process has to, and what it takes from others.

    Those for research are no part of it, and what they take from others makes a process slower to fork by half.
    """
    for module in walk_packages(pbem.__path__, "pbem."):
        if not module.name.startswith("pbem.research."):
            import_module(module.name)
    import jsonschema  # noqa: F401
    import tomli_w  # noqa: F401

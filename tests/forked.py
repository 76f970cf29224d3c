"""The program as a process of its own, which costs a tenth where it is forked off with all that it imports."""

import gc
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from tempfile import TemporaryFile

import pbem
from pbem.__main__ import main

HANG = 600  # seconds after which nobody waits any more


def run_program(
    *arguments: str | Path, stdin: str | bytes = b"", cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run ``pbem`` with the arguments, in that folder and environment, and return its status and what it said.

    How Python itself starts is not tested by it: its settings in *env* come too late.
    """
    words = list(map(str, arguments))
    _import_all()
    with TemporaryFile() as given, TemporaryFile() as out, TemporaryFile() as err:
        given.write(stdin.encode() if isinstance(stdin, str) else stdin)
        given.seek(0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # a thread of pytest-xdist is no danger
            child = os.fork()
        if not child:
            _be_the_program(words, (given.fileno(), out.fileno(), err.fileno()), cwd, env)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        out.seek(0)
        err.seek(0)
        said, wrong = (file.read().decode(errors="replace") for file in (out, err))
    return subprocess.CompletedProcess(["pbem", *words], status, said, wrong)


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
        gc.freeze()  # what the tests have made is not looked at again
        main()
    finally:
        os._exit(99)


@cache
def _import_all() -> None:
    """Read every module of the program, so that no process has to, and what it takes from others."""
    for module in walk_packages(pbem.__path__, "pbem."):
        import_module(module.name)
    import jsonschema  # noqa: F401
    import tomli_w  # noqa: F401

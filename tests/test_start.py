"""The straight way of a command line: it does what Typer's does, and what is generated for it is current."""

import inspect
import io
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import generate
import pytest
from forked import door
from hypothesis import given
from hypothesis import strategies as st

from pbem.cli import app
from pbem.cli.start import shortcut
from pbem.generated.command_lines import COMMANDS
from pbem.generated.help_pages import PAGES

EXAMPLES = Path(__file__).parents[1] / "examples" / "first-move"
MOVE = "--order 'offer 9' --as green"


@pytest.mark.parametrize("module", generate.MODULES)
def test_what_is_generated_is_current(module: str, request: pytest.FixtureRequest) -> None:
    """If not, ``python tests/generate.py`` makes it so."""
    path, text = generate.path_of(module), generate.MODULES[module]()
    if request.config.getoption("--update"):
        path.write_text(text, encoding="utf-8")

    assert path.read_text(encoding="utf-8") == text


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of an example, the current one."""
    shutil.copytree(EXAMPLES, tmp_path / "games")
    monkeypatch.chdir(tmp_path / "games")
    monkeypatch.delenv("COLUMNS", raising=False)
    return tmp_path / "games"


Way = Callable[[list[str]], int]
Done = tuple[int, str, str, dict[str, bytes]]


def done(run: Way, argv: list[str], folder: Path, capfd: pytest.CaptureFixture[str]) -> Done:
    """Return the status of a command line, what it prints, and what is in the folder then, which is put back."""
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    try:
        status = run(argv)
    finally:
        sys.stdout.flush()
        after = {path.name: path.read_bytes() for path in folder.iterdir()}
        for name in after:
            (folder / name).unlink()
        for name, content in before.items():
            (folder / name).write_bytes(content)
    return (status, *capfd.readouterr(), after)


SHORT = [
    "play game.toml move.toml",
    "play game.toml --order 'offer 9' --as green",
    "play --as green --order 'offer 9' game.toml -o next.toml",
    "play game.toml move.toml --output next.json --json",
    "play game.toml --order 'offer 9' --as green --plain --unicode",
    "play game.toml --as green --order 'offer 9' --order 'offer 10'",
    "play game.toml --order 'offer 41' --as green",
    "play game.toml --order 'offer 41' --as green --json",
    "play game.toml --bots",
    "play game.toml move.toml --as ''",
    "play game.toml move.toml -o game.toml",
    "play '' ''",
    "play game.toml - --as green",
    "play",
    "play --batch lines.ndjson",
    "play game.toml",
    "check game.toml move.toml",
    "check game.toml move.toml --json",
    "check missing.toml move.toml",
    "check game.toml missing.toml",
    "check move.toml game.toml",
    "check .",
    "check",
    "show game.toml",
    "show game.toml --as red --json",
    "show game.toml --as nobody",
    "show game.toml --as green --plain",
    "options game.toml",
    "options game.toml --as red",
    "options game.toml --after 'offer 9' --as green",
    "options game.toml --json",
    "play game.toml --order 'offri 9' --as green --language it",
    "show game.toml --language fr",
    "show game.toml --language es",
    "options game.toml --after 'biete 9' --language de --as green",
    "verify game.toml",
    "verify game.toml --json",
    "verify game.toml move.toml",
    "verify .",
    "verify game.toml --since game.toml",
    "verify . --since game.toml",
    "reveal game.toml",
    "audit game.toml",
    "audit game.toml --json",
    "--version",
    "--help",
    "-h",
    *(f"{name} {word}" for name in COMMANDS for word in ("--help", "-h")),
]
BY_TYPER = [
    "",
    "--",
    "--verison",
    "--version --help",
    "--version play",
    "-h play",
    "--json play game.toml move.toml",
    "help",
    "help play",
    "dance",
    "play -- game.toml move.toml",
    "play game.toml move.toml --",
    "play game.toml move.toml more",
    "play game.toml move.toml -onext.toml",
    "play game.toml move.toml -o",
    "play game.toml move.toml -o -",
    "play game.toml move.toml -o next.toml -o other.toml",
    "play game.toml move.toml --format json",
    "play game.toml move.toml --format yaml",
    "play game.toml move.toml --jobs 2",
    "play game.toml move.toml --jobs 0",
    "play game.toml --order='offer 9' --as=green",
    "play game.toml --order",
    "play game.toml --order --as green",
    "play game.toml --as green --as red --order pass",
    "play game.toml --ord 'offer 9' --as green",
    "play game.toml move.toml --json=1",
    "play game.toml move.toml --json --json",
    "play game.toml move.toml --no-json",
    "play game.toml move.toml -j",
    "play game.toml move.toml --help",
    "play --help game.toml",
    "show",
    "show game.toml move.toml",
    "options",
    "verify",
    "verify --since game.toml",
    "verify game.toml --jobs 2",
    "diff-engines - game.toml",
    "board game.toml --svg",
    "new",
    "git",
    "git --help",
]


def words(line: str) -> list[str]:
    """Return the words of a command line, with what stands in quotes as one word."""
    return [part for number, piece in enumerate(line.split("'")) for part in ([piece] if number % 2 else piece.split())]


@pytest.mark.parametrize("line", SHORT + BY_TYPER)
def test_a_command_line_does_the_same_both_ways(
    line: str, folder: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It prints the same, ends with the same status and leaves the same files, whichever way it goes."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO((folder / "move.toml").read_bytes())))
    by_typer = done(app.run, words(line), folder, capfd)
    sys.stdin.seek(0)

    assert done(shortcut.run, words(line), folder, capfd) == by_typer
    assert (shortcut.understood(words(line)) is not None) is (line in SHORT)


WORDS = ["game.toml", "move.toml", "", "-", "--", "offer 9", "red", "-1", "2", "toml", "-h", "--help", "--version"]
WORDS += ["-onext.toml", "-oo", "--as=red", "--json=1", "--ord", "--jobs", "--format", "--no-json", "-x", "play", "@x"]
WORDS += sorted({option for *_, options in COMMANDS.values() for option in options})


@given(st.sampled_from(sorted(COMMANDS)), st.lists(st.sampled_from(WORDS), max_size=7))
def test_whatever_takes_the_shortcut_means_the_same_to_typer(name: str, typed: list[str]) -> None:
    """The command is called with the same arguments."""
    call, said = shortcut.understood([name, *typed]), []
    if call is None or typed in (["--help"], ["-h"]):
        return
    module, function = import_module(COMMANDS[name][0]), name.replace("-", "_")
    original = getattr(module, function)
    app.build([name])  # which has Typer's types put in place
    signature = inspect.signature(original)

    def record(*args: Any, **kwargs: Any) -> None:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        said.append(bound.arguments)

    record.__signature__, record.__annotations__ = signature, original.__annotations__  # type: ignore[attr-defined]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, function, record)
        call()
        assert app.run([name, *typed]) == 0

    straightly, by_typer = said
    assert straightly == by_typer
    assert [*map(type, straightly.values())] == [*map(type, by_typer.values())]


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("columns", [40, 79, 80, 200])
def test_help_is_as_wide_as_the_terminal(
    name: str, columns: int, folder: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A generated page is for those that have room for it; Typer prints all others."""
    argv = [*name.split(), "--help"]
    monkeypatch.setattr(os, "get_terminal_size", lambda _=1: os.terminal_size((columns, 24)))

    assert done(shortcut.run, argv, folder, capfd) == done(app.run, argv, folder, capfd)
    assert (shortcut.understood(argv) is None) is (columns < 80)
    monkeypatch.setenv("COLUMNS", str(columns))
    assert done(shortcut.run, argv, folder, capfd) == done(app.run, argv, folder, capfd)
    assert shortcut.understood(argv) is None


def test_a_shell_that_completes_is_answered_by_typer() -> None:
    asked = {"_PBEM_COMPLETE": "complete_bash", "COMP_WORDS": "pbem play --or", "COMP_CWORD": "2"}
    done = subprocess.run(
        [sys.executable, "-m", "pbem", "show", "game.toml"], env=asked, capture_output=True, text=True, check=False
    )

    assert done.stdout.split() == ["--order"]


@pytest.mark.parametrize("gone", ["--help", "--version", "show game.toml", "play --help", "git --help"])
def test_a_reader_that_is_gone_ends_the_program_silently(gone: str, folder: Path) -> None:
    """With the status that a shell reports for SIGPIPE."""
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([door(), *gone.split()], stdout=write, stderr=subprocess.PIPE, cwd=folder, check=False)
    os.close(write)

    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.needs("linux")
@pytest.mark.parametrize("line", ["--version", "--help", "play --help", "show game.toml", "git --help"])
@pytest.mark.parametrize("columns", [None, "40"])
def test_a_full_disk_is_told_of_in_the_same_words(line: str, columns: str | None, folder: Path) -> None:
    """Also where Typer prints the help."""
    env = os.environ | ({"COLUMNS": columns} if columns else {})
    with open("/dev/full", "wb") as full:  # noqa: PTH123 -- a device
        done = subprocess.run(
            [door(), *words(line)],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
            env=env,
            check=False,
        )

    assert done.returncode == 75
    assert done.stderr.startswith("try-again: cannot write to standard output because the disk is full\n")


HEAVY = ("typer", "jsonschema", "referencing", "tomllib", "inspect", "dataclasses", "importlib.metadata", "tempfile")
LINES = [
    "play game.toml move.toml",
    f"check game.toml {MOVE}",
    "show game.toml",
    "show game.toml --language it",
    "options game.toml",
    "verify game.toml",
    "--version",
    "--help",
    "play --help",
]


@pytest.mark.parametrize("line", LINES)
def test_a_turn_loads_nothing_that_it_does_not_need(line: str, folder: Path) -> None:
    """Each of these would cost more than what the command does."""
    program = (
        "import sys; before = {*sys.modules}; from pbem.cli.start.shortcut import run; run(sys.argv[1:]);"
        f"print([name for name in {HEAVY} if name in {{*sys.modules}} - before], file=sys.stderr)"
    )
    # A library that tests have read may have told its children about COLUMNS, which it has not told Python.
    env = {**os.environ}
    command = [sys.executable, "-c", program, *words(line)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=True, env=env)

    assert done.stderr == "[]\n"

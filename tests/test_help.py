"""The habits of the command line: help in every form, with examples; completion in shells; a manual page."""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import typer
from forked import run_program

import pbem as library
from pbem.cli import app as cli
from pbem.cli import club, mail
from pbem.cli.help.examples import EXAMPLES, examples_of
from pbem.cli.help.groups import OF_CLUBS, PROGRAM
from pbem.cli.help.man import page
from pbem.cli.host import mail as mail_host

WHOLE: Any = typer.main.get_command(cli.build([]))


def commands(group: Any = WHOLE, before: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every command by its words, the families among them."""
    yield before, group
    for name, command in getattr(group, "commands", {}).items():
        yield from commands(command, f"{before} {name}".strip())


NAMES = dict(commands())
CLUBS = {"mail": {**mail.COMMANDS, **mail_host.COMMANDS}, "club": club.COMMANDS}
COMMON = ("", "play", "help", "git", "git move", "mail take")


def pbem(*words: str, **env: str) -> str:
    """Run the program, which has to succeed, and return what it prints."""
    done = run_program(*words, env=env or None)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_every_command_has_examples() -> None:
    """No name is in the list that is not a command, and each line begins with the words of its command."""
    assert EXAMPLES.keys() <= NAMES.keys()
    for name, lines in EXAMPLES.items():
        group = hasattr(NAMES[name], "commands")
        assert lines
        assert group or all(shlex.split(line)[: len(name.split())] == name.split() for line in lines), name


@pytest.mark.parametrize(("name", "groups"), [("", PROGRAM), ("mail", OF_CLUBS), ("club", OF_CLUBS)])
def test_help_lists_every_command_once_in_its_group(name: str, groups: dict[str, tuple[str, ...]]) -> None:
    every = CLUBS[name] if name else {**cli.COMMANDS, **cli.FAMILIES, "help": ""}

    printed = pbem(*name.split(), "--help")
    listed = re.findall(r"^  ([a-z][a-z-]*)  ", printed, re.MULTILINE)

    assert sorted(listed) == sorted(every)
    assert listed == [one for names in groups.values() for one in names if one in every]
    assert [heading for heading in groups if f"\n{heading}:\n" in printed] == [*groups]


@pytest.mark.parametrize("line", sorted({line for name in NAMES for line in examples_of(name)}))
def test_an_example_can_be_typed(line: str) -> None:
    """Its words are a command, and its options exist with such values. Nothing is read or written."""
    words, command, context = (
        shlex.split(line.partition(" < ")[0].replace("$(date -Is)", "2026-11-22T21:00:00Z")),
        WHOLE,
        None,
    )
    while hasattr(command, "commands"):
        name = words.pop(0)
        context = command.context_class(command, info_name=name, parent=context, **command.context_settings)
        command = command.commands[name]

    command.make_context(words, words, parent=context)


@pytest.mark.parametrize("name", COMMON)
def test_help_is_the_same_however_it_is_asked_for(name: str) -> None:
    long = pbem(*name.split(), "--help")

    assert pbem(*name.split(), "-h") == long
    assert pbem("help", *name.split()) == long
    assert "Examples:\n    pbem " in long
    assert "-h, --help" in long


def test_help_about_nothing_is_an_error() -> None:
    done = run_program("help", "frob")

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "usage: No such command 'frob'\n\nhint: pbem --help\n"


def test_what_helps_is_only_loaded_when_somebody_asks() -> None:
    """Nor is the script for a shell made, or an option of the program prepared that cannot be used."""
    program = "import sys; from pbem.cli.app import build; app = build(['check', 'x']);"
    program += "print(app._add_completion, *[name for name in sys.modules if 'cli.help' in name])"

    assert subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout == b"False\n"


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("pbem pl", {"play", "plan"}),
        ("pbem play --or", {"--order"}),
        ("pbem git ", {"init", "move", "draw", "check", "log", "hook"}),
        ("pbem git move --k", {"--key"}),
        ("pbem schema ga", {"game"}),
        ("pbem new g --chance s", {"sealed"}),
    ],
)
def test_a_shell_completes_what_is_typed(typed: str, found: set[str]) -> None:
    """By the commands, options and choices that there are."""
    words = typed.split(" ")
    asked = {"_PBEM_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(len(words) - 1)}
    done = subprocess.run([sys.executable, "-m", "pbem"], env=asked, capture_output=True, text=True, check=False)

    assert found <= set(done.stdout.split())
    assert all(one.startswith(words[-1]) for one in done.stdout.split())


@pytest.mark.parametrize("shell", [pytest.param(one, marks=pytest.mark.needs(one)) for one in ("bash", "zsh", "fish")])
def test_completion_is_installed_in_a_shell(shell: str, tmp_path: Path) -> None:
    """Typer writes it where the shell looks for it, and nowhere else."""
    command = [shell, "-c", f"{shlex.quote(sys.executable)} -m pbem --install-completion; true"]

    done = subprocess.run(
        command, env={"HOME": str(tmp_path), "SHELL": f"/bin/{shell}"}, capture_output=True, check=True
    )

    assert f"{shell} completion installed".encode() in done.stdout
    assert any("pbem" in path.name for path in tmp_path.rglob("*"))


def test_the_manual_page_has_every_command_and_option() -> None:
    told = page(WHOLE, "1.2.3")
    plain = told.replace("\\-", "-")

    assert told.startswith('.TH PBEM 1 "" "pbem 1.2.3"')
    for name, command in NAMES.items():
        assert name == "" or f".SS pbem {name}\n" in plain
        for parameter in command.params:
            assert all(option in plain for option in parameter.opts if option.startswith("-"))
    assert all(f"pbem {line}\n" in plain for lines in EXAMPLES.values() for line in lines)
    assert pbem("--man") == page(WHOLE, version("pbem"))


def test_without_docstrings_there_is_no_manual_page() -> None:
    done = subprocess.run([sys.executable, "-OO", "-m", "pbem", "--man"], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "usage: the manual page needs docstrings\n\nhint: run Python without -OO\n"


@pytest.mark.needs("groff")
def test_the_manual_page_can_be_typeset() -> None:
    """Without a single warning."""
    done = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww"], input=page(WHOLE, "1.2.3").encode(), capture_output=True, check=True
    )

    assert done.stderr == b""
    assert b"pbem play game.toml --as green" in done.stdout


def test_the_version_is_known_to_scripts() -> None:
    assert library.__version__ == version("pbem")
    assert pbem("--version") == f"pbem {library.__version__}\n"

"""The README's blocks are run, in one folder from top to bottom; ``pytest --update`` rewrites the consoles' output."""

import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

from forked import a_path
from gits import ENVIRONMENT

README = Path(__file__).parents[1] / "README.md"
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SCRIPT = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run_block(block: str, folder: Path, environment: dict[str, str]) -> str:
    """Return the block with the output of its commands as it is now; none leaves the folder of whoever types."""
    shown = []
    for command in (line for line in block.splitlines() if line.startswith("$ ")):
        done = subprocess.run(
            ["sh", "-c", f"{command[2:]}\npwd -P >../folder"],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert Path(f"{folder}/../folder").read_text(encoding="utf-8") == f"{folder.resolve()}\n", command
        shown.append(f"{command}\n{done.stdout}")
    return "".join(shown)


def test_the_console_blocks_say_what_the_program_says(tmp_path: Path, update: bool) -> None:
    folder = tmp_path / "games"
    folder.mkdir()
    environment = {**ENVIRONMENT, "PATH": a_path(), "NO_COLOR": "1"}

    text = README.read_text(encoding="utf-8")
    now = BLOCK.sub(lambda found: f"```console\n{run_block(found[1], folder, environment)}```", text)
    if update:
        README.write_text(now, encoding="utf-8")

    assert now == text or update
    assert len(BLOCK.findall(text)) >= 4


def test_the_python_blocks_run(tmp_path: Path) -> None:
    scripts = SCRIPT.findall(README.read_text(encoding="utf-8"))

    assert scripts
    for script in scripts:
        command = [sys.executable, "-W", "error", "-c", script]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout


def test_the_move_file_is_one() -> None:
    """A player can copy it."""
    from pbem.reading import Submission, read_submission

    blocks = re.findall(r"```toml\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    moves = [block for block in blocks if "orders" in block]

    assert [read_submission(dedent(move), "toml", "README.md") for move in moves] == [
        Submission(("offer 9",), player="Cara", turn=3)
    ]


def test_the_readme_names_every_command() -> None:
    from pbem.cli import COMMANDS

    text = README.read_text(encoding="utf-8")

    assert [name for name in COMMANDS if f"pbem {name}" not in text] == []

"""What is missing here skips a test before it begins, and the last line of a run says what would bring it back."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

NEEDY = "tests/test_help.py::test_the_manual_page_can_be_typeset"
PLAIN = "tests/test_help.py::test_without_docstrings_there_is_no_manual_page"


def run(folder: Path, *words: str, **env: str) -> tuple[int, list[str]]:
    """Run tests where no program is on the path; returns the exit status and what was printed."""
    command = [sys.executable, "-m", "pytest", "-o", f"cache_dir={folder}", "-rs", *words]
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST", "PBEM"))}
    env = kept | {"PATH": str(folder)} | env
    root = Path(__file__).parents[1]
    done = subprocess.run(command, cwd=root, env=env, capture_output=True, text=True, check=False, timeout=600)
    return done.returncode, done.stdout.splitlines()


def test_a_run_ends_with_what_was_skipped_and_only_that_is_run_again(tmp_path: Path) -> None:
    status, said = run(tmp_path, "-n0", NEEDY, PLAIN)
    assert (status, said[-1]) == (0, "1 test was skipped; to run it too, install with apt: groff (1)")
    assert said[-2].startswith("1 passed, 1 skipped in ")

    slow = f"tests/test_needs.py::{test_a_run_ends_with_what_was_skipped_and_only_that_is_run_again.__name__}"
    listed = run(tmp_path, "-n0", "--slow", "--skipped", "--collect-only", "tests/test_help.py", "tests/test_needs.py")
    assert (listed[0], listed[1][: listed[1].index("")]) == (0, [NEEDY, slow])

    status, said = run(tmp_path, "-n1", "--skipped", "tests/test_help.py", PBEM_NEEDS="all")
    assert status == 1
    assert "groff must be here, says PBEM_NEEDS" in said
    assert said[-1].startswith("1 error in ")

    status, said = run(tmp_path, "-n1", "--skipped", "tests/test_help.py")
    assert status == 0
    assert "skipped" not in said[-1]

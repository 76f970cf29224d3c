"""The notebook of ``examples/research``: every cell runs, and it shows boards and charts."""

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from work import Some

pytestmark = pytest.mark.slow

RESEARCH = Path(__file__).parents[1] / "examples" / "research"
NOTEBOOK = RESEARCH / "first-sparks.ipynb"


def outputs(book: nbformat.NotebookNode) -> list[Any]:
    return [output for cell in book.cells for output in cell.get("outputs", ())]


def test_every_cell_of_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, some: Some) -> None:
    """With --full it simulates as many games, and searches as long, as its readers do."""
    for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setenv("PYTHONPATH", str(RESEARCH.parents[1]))
    book = nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]
    for call, number in (("simulate(", 30), ("iterations=", 300)):
        (cell,) = (cell for cell in book.cells if f"{call}{number}" in cell.source)
        cell.source = cell.source.replace(f"{call}{number}", f"{call}{len(list(some(range(number), 8)))}")

    NotebookClient(book, timeout=300, resources={"metadata": {"path": str(RESEARCH)}}).execute()

    shown = [kind for output in outputs(book) for kind in output.get("data", ())]
    assert [output.text for output in outputs(book) if output.get("name") == "stderr"] == []
    assert shown.count("text/html") >= 3  # boards
    assert shown.count("image/png") >= 3  # charts


def test_the_notebook_is_kept_without_what_it_shows() -> None:
    """The charts differ in some bytes from one version of matplotlib to the next."""
    book = nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]
    nbformat.validate(book)

    assert outputs(book) == []
    assert [cell.execution_count for cell in book.cells if cell.cell_type == "code" and cell.execution_count] == []
    assert NOTEBOOK.read_text(encoding="utf-8") == nbformat.writes(book, indent=1) + "\n"  # type: ignore[no-untyped-call]

"""Imports point down, and the core does no input or output."""

import ast
from pathlib import Path

import pytest

import pbem

ROOT = Path(pbem.__file__).parent
GAME = "pbem.first_sparks."
# From the ground up; a module imports only from layers below its own, or from its own where that is said.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("pbem.errors", GAME + "sha", GAME + "lettering"),
    ("pbem.jobs", "pbem.interrupts"),
    (GAME + "components", GAME + "events", GAME + "moves", GAME + "phases"),
    (GAME + "board",),
    (GAME + "state",),
    (GAME + "chance", GAME + "market", GAME + "clans"),
    (GAME + "rules.*",),
    (GAME + "notation", GAME + "components_sense"),
    (GAME + "decisions",),
    (GAME + "adjudicator",),
    (GAME + "codec", GAME + "drawing", GAME + "vocabulary"),
    (GAME + "record",),
    (GAME + "texts", GAME + "outlook", GAME + "routes"),
    (GAME + "answers", GAME + "news"),
    (GAME + "question", GAME + "phrases"),
    (GAME + "summary",),
    (GAME + "picture",),
    ("pbem.formats",),
    ("pbem.ownership",),
    ("pbem.files", "pbem.png"),
    ("pbem.schema",),
    ("pbem.reading",),
    ("pbem.way",),
    ("pbem.begin", "pbem.report"),
    ("pbem.arguments",),
    ("pbem.reference", "pbem.output", "pbem.library", "pbem.batch", "pbem.archive"),
    ("pbem.engines",),
    ("pbem.git.repository",),
    ("pbem.git.signing", "pbem.git.template", "pbem.git.clone", "pbem.git.judges"),
    ("pbem.git.contents",),
    ("pbem.git.verdict",),
    ("pbem.git.history",),
    ("pbem.git.moving", "pbem.git.hooks"),
    ("pbem.git.commands",),
    (
        "pbem.mail.ticket",
        "pbem.mail.body",
        "pbem.mail.clock",
        "pbem.mail.doubts",
        "pbem.mail.html",
        "pbem.mail.shapes",
        "pbem.mail.signs",
        "pbem.mail.times",
    ),
    (
        "pbem.mail.club",
        "pbem.mail.past",
        "pbem.mail.message",
        "pbem.mail.quoting",
        "pbem.mail.letter",
        "pbem.mail.lines",
    ),
    ("pbem.mail.keys", "pbem.mail.talk"),
    (
        "pbem.mail.ledger",
        "pbem.mail.reply",
        "pbem.mail.memory",
        "pbem.mail.names",
        "pbem.mail.imap",
        "pbem.mail.clock_files",
    ),
    ("pbem.mail.wording", "pbem.mail.inbox", "pbem.mail.headlines", "pbem.mail.ending"),
    ("pbem.mail.letters", "pbem.mail.post"),
    ("pbem.mail.wishes", "pbem.mail.receipts"),
    ("pbem.mail.answering", "pbem.mail.joining"),
    ("pbem.mail.bounces",),
    ("pbem.mail.outbox",),
    ("pbem.mail.overdue", "pbem.mail.tally"),
    ("pbem.mail.strangers",),
    ("pbem.mail.setup", "pbem.mail.take", "pbem.mail.ticks"),
    ("pbem.mail.host", "pbem.mail.running", "pbem.mail.status"),
    ("pbem.mail.commands", "pbem.mail.rebuild"),
    ("pbem.mail.host_commands",),
    ("pbem.board_command",),
    ("pbem.cli",),
    ("pbem.__main__",),
)
# A chapter refers to another only where the rulebook does.
CHAPTERS = {
    "preparation": {"two_players"},
    "placement": {"spreading"},
    "two_players": {"hunting", "spreading"},
    "bureaucracy": {"preparation"},
}
OUTSIDE = {"os", "pathlib", "random", "time", "datetime", "locale", "typer", "jsonschema", "tomli_w", "tomllib", "io"}


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__")


MODULES = {name_of(path): path for path in sorted(ROOT.rglob("*.py"))}


def imports_of(name: str) -> set[str]:
    """Return the modules that the module names, ``from package import module`` resolved."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(MODULES[name].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            inside = {f"{node.module}.{alias.name}" for alias in node.names} & MODULES.keys()
            found |= inside or {node.module}
    return found


def layer_of(name: str) -> int:
    for number, layer in enumerate(LAYERS):
        if name in layer or (name.startswith(GAME + "rules.") and GAME + "rules.*" in layer):
            return number
    raise AssertionError(f"{name} has no layer yet: say in LAYERS where it belongs")


@pytest.mark.parametrize("name", [name for name, path in MODULES.items() if path.name != "__init__.py"])
def test_imports_point_down(name: str) -> None:
    for other in imports_of(name) & MODULES.keys() - {name}:
        if MODULES[other].name == "__init__.py":
            continue
        if GAME + "rules." in name and GAME + "rules." in other:
            allowed = CHAPTERS.get(name.rpartition(".")[2], set())
            assert other.rpartition(".")[2] in allowed, f"{name} imports {other}"
        else:
            assert layer_of(other) < layer_of(name), f"{name} imports {other}"


@pytest.mark.parametrize("name", [name for name in MODULES if name.startswith(GAME)])
def test_the_game_does_no_input_or_output(name: str) -> None:
    assert {other.partition(".")[0] for other in imports_of(name)} & OUTSIDE == set()

"""Imports point down, and the core does no input or output."""

import ast
from collections import Counter
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import pbem

ROOT = Path(pbem.__file__).parent
GAME = "pbem.first_sparks."
# From the ground up: no part imports from one below it in this list, nor any from the command line.
PARTS = [
    "locale",
    "page",
    "first_sparks",
    "generated",
    "shared",
    "plans",
    "reading",
    "table",
    "club",
    "scripts",
    "research",
    "carriers",
]
# A chapter refers to another only where the rulebook does.
CHAPTERS = {
    "preparation": {"two_players"},
    "placement": {"spreading"},
    "two_players": {"hunting", "spreading"},
    "bureaucracy": {"preparation"},
}
# The only ones that point up: in a notebook a state draws itself.
DRAWN = {(GAME + "state", GAME + "briefing.board.picture")}
OUTSIDE = {"os", "pathlib", "random", "time", "datetime", "locale", "typer", "jsonschema", "tomli_w", "tomllib", "io"}


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__")


MODULES = {name_of(path): path for path in sorted(ROOT.rglob("*.py"))}


@cache
def imports_of(name: str) -> frozenset[str]:
    """Return the modules that the module names, ``from package import module`` resolved."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(MODULES[name].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            inside = {f"{node.module}.{alias.name}" for alias in node.names} & MODULES.keys()
            found |= inside or {node.module}
    return frozenset(found)


@pytest.mark.slow
def test_no_module_imports_itself_by_a_detour() -> None:
    needed = {name: {*imports_of(name)} & MODULES.keys() for name in MODULES}
    for name, other in DRAWN:
        needed[name].discard(other)
    tuple(TopologicalSorter(needed).static_order())  # raises CycleError, which names them


def part_of(name: str) -> str:
    """Return the part that a module belongs to; one that belongs to none is its own."""
    part = name.split(".")[1] if "." in name else name
    return part if part in PARTS else name


@pytest.mark.parametrize("part", PARTS)
def test_parts_import_only_what_is_below_them(part: str) -> None:
    above = {*PARTS[PARTS.index(part) + 1 :], "cli"}
    found = {(name, other) for name in MODULES if part_of(name) == part for other in imports_of(name)}
    assert not {(name, other) for name, other in found if part_of(other) in above or other.startswith("pbem.cli")}


def test_no_folder_has_more_than_twenty_modules() -> None:
    """One that has grown so large has more than one thing in it."""
    folders = Counter(path.parent for path in MODULES.values() if path.name != "__init__.py")
    assert {str(folder): number for folder, number in folders.items() if number > 20} == {}


@pytest.mark.slow
def test_no_type_has_the_name_of_another() -> None:
    """Who reads a name knows what it is, whichever module is open."""
    found: dict[str, list[str]] = {}
    for name, path in MODULES.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name.strip("_"), []).append(name)
            elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript | ast.BinOp):
                named = [target.id for target in node.targets if isinstance(target, ast.Name)]
                for alias in named if path.parent != ROOT.parent else ():
                    if alias[:1].isupper() and not alias.isupper():
                        found.setdefault(alias, []).append(name)
    assert {name: modules for name, modules in found.items() if modules[1:]} == {}


@pytest.mark.parametrize("name", [name for name in MODULES if name.startswith("pbem.club.")])
def test_a_club_knows_no_mail(name: str) -> None:
    imported = imports_of(name)
    assert not {other for other in imported if other.startswith("pbem.carriers.mail")}
    assert not imported & {"email", "smtplib", "imaplib", "imap_tools"}


@pytest.mark.parametrize("name", [name for name in MODULES if name.startswith(GAME)])
def test_the_game_does_no_input_or_output(name: str) -> None:
    assert {other.partition(".")[0] for other in imports_of(name)} & OUTSIDE == set()


@pytest.mark.parametrize("name", [name for name in MODULES if name.startswith("pbem.table.")])
def test_a_table_knows_no_file_and_no_carrier(name: str) -> None:
    imported = imports_of(name)
    ours = ("pbem.files", "pbem.secrets", "pbem.carriers", "pbem.club", "pbem.cli")
    assert not [other for other in imported if other.startswith(ours)]
    assert imported & {"os", "pathlib", "random", "time", "locale", "io", "email"} == set()


def test_no_public_type_name_stands_for_two_things() -> None:
    found: dict[str, set[str]] = {}
    for name, path in MODULES.items():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
            called = node.name if isinstance(node, ast.ClassDef) else target.id if isinstance(target, ast.Name) else ""
            if called[:1].isupper() and not called.isupper():
                found.setdefault(called, set()).add(name)

    assert {called: names for called, names in found.items() if len(names) > 1} == {}


def test_no_two_folders_beside_each_other_import_each_other() -> None:
    pairs: set[tuple[Path, Path]] = set()
    for name, path in MODULES.items():
        for other in imports_of(name) & MODULES.keys():
            one, two = path.parent, MODULES[other].parent
            common = next(above for above in (one, *one.parents) if two.is_relative_to(above))
            if common not in (one, two):
                pairs.add((common / one.relative_to(common).parts[0], common / two.relative_to(common).parts[0]))
    assert not {pair for pair in pairs if pair[::-1] in pairs}

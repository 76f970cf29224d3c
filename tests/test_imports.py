"""Imports point down, and the core does no input or output."""

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import NamedTuple

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


class Module(NamedTuple):
    """The modules that a module imports, ``from package import module`` resolved, and its public types."""

    imports: frozenset[str]
    types: frozenset[str]


@cache
def module(name: str) -> Module:
    """Return what is found in a module; of its tree nothing is kept, through which garbage collection would go."""
    tree = ast.parse(MODULES[name].read_text(encoding="utf-8"))
    found: set[str] = set()
    for node in statements(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            inside = {f"{node.module}.{alias.name}" for alias in node.names} & MODULES.keys()
            found |= inside or {node.module}
    called = {called for node in tree.body if (called := named(node))[:1].isupper() and not called.isupper()}
    return Module(frozenset(found), frozenset(called))


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield all statements below a node: imports are among them, and no expression has one."""
    for block in ("body", "orelse", "finalbody", "handlers", "cases"):
        for inner in getattr(node, block, ()):
            yield inner
            yield from statements(inner)


def named(node: ast.stmt) -> str:
    """Return the name that a statement gives to a class or a value, or ""."""
    target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
    return node.name if isinstance(node, ast.ClassDef) else target.id if isinstance(target, ast.Name) else ""


def imports_of(name: str) -> frozenset[str]:
    """Return the modules that a module imports."""
    return module(name).imports


def below(package: str) -> list[str]:
    """Return the names of the modules in a package."""
    return [name for name in MODULES if name.startswith(f"{package}.")]


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


def test_parts_import_only_what_is_below_them() -> None:
    above = {part: {*PARTS[number + 1 :], "cli"} for number, part in enumerate(PARTS)}
    found = {(name, other) for name in MODULES if part_of(name) in above for other in imports_of(name)}
    wrong = {(name, other) for name, other in found if part_of(other) in above[part_of(name)]}
    assert wrong | {(name, other) for name, other in found if other.startswith("pbem.cli")} == set()


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


def test_a_club_knows_no_mail() -> None:
    mail = {"email", "smtplib", "imaplib", "imap_tools"}
    found = {(name, other) for name in below("pbem.club") for other in imports_of(name)}
    assert {(name, other) for name, other in found if other.startswith("pbem.carriers.mail") or other in mail} == set()


def test_the_game_does_no_input_or_output() -> None:
    found = {(name, other) for name in below("pbem.first_sparks") for other in imports_of(name)}
    assert {(name, other) for name, other in found if other.partition(".")[0] in OUTSIDE} == set()


def test_a_table_knows_no_file_and_no_carrier() -> None:
    ours = ("pbem.files", "pbem.secrets", "pbem.carriers", "pbem.club", "pbem.cli")
    others = {"os", "pathlib", "random", "time", "locale", "io", "email"}
    found = {(name, other) for name in below("pbem.table") for other in imports_of(name)}
    assert {(name, other) for name, other in found if other.startswith(ours) or other in others} == set()


def test_no_public_type_name_stands_for_two_things() -> None:
    found: dict[str, set[str]] = {}
    for name in MODULES:
        for called in module(name).types:
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

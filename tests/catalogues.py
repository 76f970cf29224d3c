"""The messages that pbem translates, found in its code, and the catalogues that translate them.

    python tests/catalogues.py

brings ``pbem/locale`` up to date after a change to a message or a translation: the template ``pbem.pot``, each
``pbem.po``, and what is read at run time, ``pbem.mo``. A test says whether they are current.

A message is what is given to ``tr``, ``plural`` or ``listed``: as it stands, or as a constant of any module, with all
that is in it. It is also every text in a table of messages, which is made of one of ``TABLES``.
"""

import ast
import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT: Final = Path(__file__).parent.parent
PACKAGE: Final = ROOT / "pbem"
LOCALE: Final = PACKAGE / "locale"
TEMPLATE: Final = LOCALE / "pbem.pot"
TABLES: Final = frozenset(("Wording",))
ENGLISH_ONLY: Final = tuple(f"pbem/{part}/" for part in ("cli", "club", "generated", "research", "scripts"))


class Message(NamedTuple):
    """A message with its plural or its context, and the module in which it stands."""

    text: str
    plural: str = ""
    context: str = ""
    module: str = ""


class _Finder(ast.NodeVisitor):
    """Finds messages in a module, and the names of constants that have some: those of a number, and all others."""

    def __init__(self, module: str) -> None:
        self.module = module
        self.found: list[Message] = []
        self.named: dict[str, bool] = {}

    def visit_Call(self, call: ast.Call) -> None:
        name = getattr(call.func, "id", getattr(call.func, "attr", ""))
        if name in ("tr", "phrase", "phrase_in"):
            context = [arg.value for arg in call.args[1:2] if isinstance(arg, ast.Constant)]
            self._take(call.args[0], context=str(context[0]) if context else "")
        elif name in ("plural", "tr_number", "phrase_of"):
            texts = call.args[1:3]
            if all(isinstance(each, ast.Constant) for each in texts) and len(texts) == 2:
                self.found.append(Message(*(each.value for each in texts), module=self.module))  # type: ignore[attr-defined]
            else:
                for each in texts:
                    self._take(each.value if isinstance(each, ast.Starred) else each, of_number=True)
        elif name in ("listed", "phrase_listed"):
            self.found += [found for each in call.args[1:] for found in texts_in(each, self.module)]
        elif name in TABLES:
            for each in (*call.args, *(keyword.value for keyword in call.keywords)):
                self.found += texts_in(each, self.module, of_number=True)
        self.generic_visit(call)

    def _take(self, node: ast.expr, *, context: str = "", of_number: bool = False) -> None:
        self.found += texts_in(node, self.module, context, of_number=of_number)
        for each in ast.walk(node):
            name = getattr(each, "id", getattr(each, "attr", ""))
            if name.isupper():
                self.named[name] = self.named.get(name, False) or of_number


def texts_in(node: ast.expr, module: str, context: str = "", *, of_number: bool = False) -> list[Message]:
    """Return all messages in an expression; with *of_number*, each pair is one of a number of things."""
    if isinstance(node, ast.Constant):
        return [Message(node.value, "", context, module)] if isinstance(node.value, str) and node.value else []
    if isinstance(node, ast.Tuple):
        texts = [each.value for each in node.elts if isinstance(each, ast.Constant) and isinstance(each.value, str)]
        if of_number and len(texts) == len(node.elts) == 2 and all(texts):
            return [Message(*texts, context, module)]
        return [found for each in node.elts for found in texts_in(each, module, context, of_number=of_number)]
    parts: list[ast.expr] = []
    match node:
        case ast.IfExp():
            parts = [node.body, node.orelse]
        case ast.Dict():
            parts = node.values
        case ast.BoolOp() | ast.Set() | ast.List():
            parts = getattr(node, "values", getattr(node, "elts", []))
        case ast.Subscript():
            parts = [node.value]
        case _:
            pass
    return [found for each in parts for found in texts_in(each, module, context, of_number=of_number)]


def messages() -> Iterator[Message]:
    """Yield all messages of pbem in the order of its modules, some more than once."""
    paths = {path.relative_to(ROOT).as_posix(): path for path in PACKAGE.rglob("*.py")}
    trees = {
        name: ast.parse(paths[name].read_text("utf-8")) for name in sorted(paths) if not name.startswith(ENGLISH_ONLY)
    }
    finders = {module: _Finder(module) for module in trees}
    for module, finder in finders.items():
        finder.visit(trees[module])
    named: dict[str, bool] = {}
    for finder in finders.values():
        named |= {name: of_number or named.get(name, False) for name, of_number in finder.named.items()}
    for module, finder in finders.items():
        yield from finder.found
        for node in trees[module].body:
            target = (
                node.target
                if isinstance(node, ast.AnnAssign)
                else node.targets[0]
                if isinstance(node, ast.Assign)
                else None
            )
            name, value = getattr(target, "id", ""), getattr(node, "value", None)
            if name in named and value is not None:
                yield from texts_in(value, module, of_number=named[name])


def template() -> Catalog:
    """Return the catalogue with all messages and no translation."""
    made = Catalog(project="pbem", fuzzy=False)
    for message in messages():
        text = (message.text, message.plural) if message.plural else message.text
        made.add(text, locations=[(message.module, 0)], context=message.context or None)
    return made


def template_text() -> bytes:
    """Return the template as a file, without the time at which it was made."""
    out = io.BytesIO()
    write_po(out, template(), omit_header=True, include_lineno=False, sort_by_file=True)
    return out.getvalue()


def updated(path: Path) -> tuple[bytes, bytes]:
    """Return the text of a translator's file with all messages of now, and its catalogue for the run time."""
    with path.open("rb") as file:
        known = read_po(file, locale=path.parents[1].name)
    known.update(template(), no_fuzzy_matching=True, update_creation_date=False)
    text, compiled = io.BytesIO(), io.BytesIO()
    write_po(text, known, include_lineno=False, sort_by_file=True, ignore_obsolete=True)
    write_mo(compiled, known)
    return text.getvalue(), compiled.getvalue()


def main() -> None:
    """Write all files again."""
    LOCALE.mkdir(exist_ok=True)
    TEMPLATE.write_bytes(template_text())
    for path in sorted(LOCALE.glob("*/LC_MESSAGES/pbem.po")):
        text, compiled = updated(path)
        path.write_bytes(text)
        path.with_suffix(".mo").write_bytes(compiled)


if __name__ == "__main__":
    sys.exit(main())

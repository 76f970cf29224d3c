"""The messages that pbem can translate, found in its code.

A message is what is given to ``tr``, ``plural`` or ``listed``: as it stands, or as a constant of any module, with all
that is in it and in the constants that it names. It is also every text in a table of messages, which is made of one
of ``TABLES``, and every one of the ``WORDS`` that are given to ``tr`` in a context.
"""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple, get_args

from pbem.first_sparks.components import COLOURS, FOODS, Knowledge, Tool
from pbem.first_sparks.rules.two_players import NEUTRAL

ROOT: Final = Path(__file__).parent.parent
PACKAGE: Final = ROOT / "pbem"
TABLES: Final = frozenset(("Wording", "Duty", "Picture"))
WORDS: Final = {
    "food": FOODS,
    "card": (*get_args(Tool), *get_args(Knowledge)),
    "clan colour": (*COLOURS, NEUTRAL),
}
ENGLISH_ONLY: Final = tuple(f"pbem/{part}/" for part in ("cli", "club", "generated", "research", "scripts"))


class Message(NamedTuple):
    """A message with its plural or its context, and the module in which it stands."""

    text: str
    plural: str = ""
    context: str = ""
    module: str = ""


# A constant that has messages, and their context.
_Named = tuple[str, str]


class _Finder(ast.NodeVisitor):
    """Finds messages in a module, and the constants that have some: whether they are those of a number."""

    def __init__(self, module: str) -> None:
        self.module = module
        self.found: list[Message] = []
        self.named: dict[_Named, bool] = {}

    def visit_Call(self, call: ast.Call) -> None:
        name = getattr(call.func, "id", getattr(call.func, "attr", ""))
        if name in ("tr", "phrase", "phrase_in"):
            context = [arg.value for arg in call.args[1:2] if isinstance(arg, ast.Constant)]
            self._take(call.args[0], context=str(context[0]) if context else "")
        elif name in ("plural", "tr_number", "phrase_of"):
            texts = call.args[1:3]
            said = [str(each.value) for each in texts if isinstance(each, ast.Constant)]
            if len(said) == len(texts) == 2:
                self.found.append(Message(*said, module=self.module))
            else:
                for each in texts:
                    self._take(each.value if isinstance(each, ast.Starred) else each, of_number=True)
        elif name in ("listed", "phrase_listed"):
            words = [found for each in call.args[1:] for found in texts_in(each, self.module)]
            self.found += words or [Message("and", module=self.module)]
        elif name in TABLES:
            for each in (*call.args, *(keyword.value for keyword in call.keywords)):
                self.found += texts_in(each, self.module, of_number=True)
        self.generic_visit(call)

    def _take(self, node: ast.expr, *, context: str = "", of_number: bool = False) -> None:
        self.found += texts_in(node, self.module, context, of_number=of_number)
        for name in _constants(node):
            self.named[name, context] = self.named.get((name, context), False) or of_number


def _constants(node: ast.expr) -> Iterator[str]:
    """Yield the names of the constants in an expression."""
    for each in ast.walk(node):
        name = getattr(each, "id", getattr(each, "attr", ""))
        if name.isupper():
            yield name


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
    named: dict[_Named, bool] = {}
    for finder in finders.values():
        named |= {each: of_number or named.get(each, False) for each, of_number in finder.named.items()}
    constants = {name: _constants_of(tree) for name, tree in trees.items()}
    waiting = list(named)
    while waiting:  # a constant may be made of others
        name, context = waiting.pop()
        inner = {each for values in constants.values() for value in values.get(name, ()) for each in _constants(value)}
        new = {(each, context): named[name, context] for each in inner if (each, context) not in named}
        named |= new
        waiting += new
    for module, finder in finders.items():
        yield from finder.found
        for (name, context), of_number in named.items():
            for value in constants[module].get(name, ()):
                yield from texts_in(value, module, context, of_number=of_number)
    for context, words in WORDS.items():
        yield from (Message(word, "", context) for word in words)


def _constants_of(tree: ast.Module) -> dict[str, tuple[ast.expr, ...]]:
    """Return the values that a module gives to its names, by name."""
    found: dict[str, tuple[ast.expr, ...]] = {}
    for node in tree.body:
        targets = [node.target] if isinstance(node, ast.AnnAssign) else getattr(node, "targets", [])
        value = getattr(node, "value", None)
        for target in targets:
            if (name := getattr(target, "id", "")) and value is not None:
                found[name] = (*found.get(name, ()), value)
    return found

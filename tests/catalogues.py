"""The messages that pbem can translate, found in its code, and the catalogues with their translations.

    python tests/catalogues.py

brings each ``pbem.po`` below ``pbem/locale`` up to date after a change to a message or a translation, and compiles it.
A test says whether they are current.

A message is what is given to ``tr``, ``plural`` or ``listed``: as it stands, or as a constant of any module, with all
that is in it and in the constants that it names. It is also every text in a table of messages, which is made of one of
``TABLES`` or ``HEADED`` or is a class of ``LISTED``, the help of one of ``HELPED``, the words of a ``HOUSE``, every one
of the ``WORDS`` that are given to ``tr`` in a context, what ``pbem git help`` says of commands, and what the rulebook
index says.
"""

import ast
import gc
import io
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple, cast, get_args

import typer
from babel.messages.catalog import Catalog
from babel.messages.frontend import CommandLineInterface
from babel.messages.pofile import read_po, write_po
from templates import template as template_of

from pbem.cli.git import play
from pbem.cli.git.help import NOT_FOR_PLAYERS, first_sentence
from pbem.first_sparks.briefing.words import TO_WRITE
from pbem.first_sparks.components import COLOURS, FOODS, Knowledge, Tool
from pbem.first_sparks.notation import ANY_TIME, FORMS, PLACES
from pbem.first_sparks.plans.words import WORDS as WORDS_OF_PLANS
from pbem.first_sparks.rules.two_players import NEUTRAL
from pbem.rule_search import RULEBOOK, index
from pbem.scripts.stats_text import COLUMNS
from pbem.table.letters.help import FORMS as PLAN_FORMS
from pbem.table.requests.kinds import KNOWN

ROOT: Final = Path(__file__).parent.parent
PACKAGE: Final = ROOT / "pbem"
LOCALE: Final = PACKAGE / "locale"
TABLES: Final = frozenset(("Wording", "Duty", "Picture"))
HEADED: Final = frozenset(("MotionTexts", "SeatTexts"))  # each pair in it is a subject and a first line
LISTED: Final = frozenset(("Occasion",))  # so is each of its values
HELPED: Final = frozenset(("Request",))  # what it gives as its help are messages
HOUSE: Final = ("to_answer", "how_to_play", "help")  # the words of a way to play, which its class has
WORDS: Final = {
    "food": FOODS,
    "card": (*get_args(Tool), *get_args(Knowledge)),
    "clan colour": (*COLOURS, NEUTRAL),
    "order": (*FORMS, *ANY_TIME),
    "what follows an order": PLACES,
    "column": COLUMNS,
    "to write": (*TO_WRITE, *KNOWN),
    "a plan": tuple(PLAN_FORMS),
    "in a plan": WORDS_OF_PLANS,
}
# What hosts and programs read is English; only the phrases there are for players.
ENGLISH_ONLY: Final = tuple(
    f"pbem/{part}/"
    for part in ("carriers/mail/doctor", "carriers/mail/strangers", "cli", "club", "research", "scripts")
)
FOR_PLAYERS: Final = (
    *(f"pbem/scripts/stats_{form}.py" for form in ("html", "text")),
    *(f"pbem/cli/git/{part}.py" for part in ("help", "options", "table")),
)


def _is_for_hosts(module: str) -> bool:
    return module.startswith(ENGLISH_ONLY) and module not in FOR_PLAYERS


class Message(NamedTuple):
    """A message with its plural or its context, and the module in which it stands."""

    text: str
    plural: str = ""
    context: str = ""
    module: str = ""


class _Named(NamedTuple):
    """A constant of a module that has messages, and their context."""

    module: str
    name: str
    context: str


class _Source:
    """A module: its constants by name, and from where it imports others."""

    def __init__(self, module: str, tree: ast.Module) -> None:
        self.module, self.tree = module, tree
        self.constants: dict[str, list[ast.expr]] = {}
        self.imported: dict[str, tuple[str, str]] = {}
        for node in tree.body:
            targets = [node.target] if isinstance(node, ast.AnnAssign) else getattr(node, "targets", [])
            value = getattr(node, "value", None)
            for target in targets:
                if (name := getattr(target, "id", "")) and value is not None:
                    self.constants.setdefault(name, []).append(value)
        for each in ast.walk(tree):
            if isinstance(each, ast.ImportFrom) and each.module:
                for alias in each.names:
                    self.imported[alias.asname or alias.name] = (each.module.replace(".", "/"), alias.name)

    def named_in(self, node: ast.expr, context: str) -> Iterator[_Named]:
        """Yield the constants in an expression but as keys: this module's, imported ones, those of imported modules."""
        keys = {key for table in ast.walk(node) if isinstance(table, ast.Dict) for key in table.keys if key}
        for each in ast.walk(node):
            if each in keys:
                continue
            if isinstance(each, ast.Attribute) and each.attr.isupper():
                folder, name = self.imported.get(getattr(each.value, "id", ""), ("", ""))
                yield _Named(f"{folder}/{name}.py", each.attr, context)
            elif isinstance(each, ast.Name) and each.id.isupper():
                folder, name = self.imported.get(each.id, ("", each.id))
                yield _Named(f"{folder}.py" if folder else self.module, name, context)


class _Finder(ast.NodeVisitor):
    """Finds messages in a module, and the constants that have some: whether they are those of a number."""

    def __init__(self, source: _Source) -> None:
        self.source, self.module = source, source.module
        self.only_phrases = _is_for_hosts(source.module)
        self.found: list[Message] = []
        self.named: dict[_Named, bool] = {}

    def visit_Call(self, call: ast.Call) -> None:
        name = getattr(call.func, "id", getattr(call.func, "attr", ""))
        if self.only_phrases and not name.startswith("phrase"):
            pass
        elif name in ("tr", "phrase", "phrase_in", "headline_of"):
            context = [arg.value for arg in call.args[1:2] if isinstance(arg, ast.Constant)]
            self._take(call.args[0], context=str(context[0]) if context else "")
        elif name == "map" and getattr(call.args[0], "id", "") == "tr":
            self._take(call.args[1])
        elif name in ("plural", "tr_number", "phrase_of"):
            texts = call.args[1:3]
            said = [str(each.value) for each in texts if isinstance(each, ast.Constant)]
            if len(said) == len(texts) == 2:
                self.found.append(Message(said[0], said[1], module=self.module))
            else:
                for each in texts:
                    self._take(each.value if isinstance(each, ast.Starred) else each, of_number=True)
        elif name in ("listed", "phrase_listed"):
            words = [found for each in call.args[1:] for found in texts_in(each, self.module)]
            self.found += words or [Message("and", module=self.module)]
        elif name in TABLES:
            for each in (*call.args, *(keyword.value for keyword in call.keywords)):
                self.found += texts_in(each, self.module, of_number=True)
        elif name in HEADED:
            for each in (*call.args, *(keyword.value for keyword in call.keywords)):
                self._take(each)
        elif name in HELPED:
            for each in call.keywords:
                self.found += texts_in(each.value, self.module) if each.arg == "help" else ()
        self.generic_visit(call)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for each in node.body if node.name in LISTED else ():
            if isinstance(each, ast.Assign):
                self._take(each.value)
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        is_house = getattr(node.target, "id", "") in HOUSE and not self.only_phrases
        if is_house and node.value is not None:
            self._take(node.value)
        self.generic_visit(node)

    def _take(self, node: ast.expr, *, context: str = "", of_number: bool = False) -> None:
        self.found += texts_in(node, self.module, context, of_number=of_number)
        for named in self.source.named_in(node, context):
            self.named[named] = self.named.get(named, False) or of_number


def texts_in(node: ast.expr, module: str, context: str = "", *, of_number: bool = False) -> list[Message]:
    """Return all messages in an expression; with *of_number*, each pair is one of a number of things."""
    if isinstance(node, ast.Constant):
        return [Message(node.value, "", context, module)] if isinstance(node.value, str) and node.value else []
    if isinstance(node, ast.Tuple):
        texts = [each.value for each in node.elts if isinstance(each, ast.Constant) and isinstance(each.value, str)]
        if of_number and len(texts) == len(node.elts) == 2 and all(texts):
            return [Message(texts[0], texts[1], context, module)]
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
    """Yield all messages of pbem in the order of its modules, some more than once; they are found once a run."""
    kept = template_of("messages", _keep_messages) / "messages.json"
    yield from (Message(*each) for each in json.loads(kept.read_text("utf-8")))


def _keep_messages(folder: Path) -> None:
    folder.mkdir()
    gc.disable()  # it would go through the trees of all modules again and again
    try:
        found = list(found_messages())
    finally:
        gc.enable()
    (folder / "messages.json").write_text(json.dumps(found), "utf-8")


def found_messages() -> Iterator[Message]:
    """Yield what ``messages`` does, from the code; what is generated has no message of its own."""
    paths = {path.relative_to(ROOT).as_posix(): path for path in PACKAGE.rglob("*.py")}
    paths = {name: path for name, path in paths.items() if not name.startswith("pbem/generated/")}
    sources = {name: _Source(name, ast.parse(paths[name].read_text("utf-8"))) for name in sorted(paths)}
    finders = [_Finder(source) for source in sources.values()]
    named: dict[_Named, bool] = {}
    for finder in finders:
        finder.visit(finder.source.tree)
        named |= {each: of_number or named.get(each, False) for each, of_number in finder.named.items()}
        yield from finder.found
    waiting = list(named)
    for each in waiting:  # a constant may be made of others
        if (source := sources.get(each.module)) is None:
            continue  # of a class, or of a library
        for value in source.constants.get(each.name, ()):
            yield from texts_in(value, each.module, each.context, of_number=named[each])
            new = {other: named[each] for other in source.named_in(value, each.context) if other not in named}
            named |= new
            waiting += new
    for context, words in WORDS.items():
        yield from (Message(word, "", context) for word in words)
    yield from (Message(text, module="pbem/cli/git/help.py") for text in sentences_of_help())
    yield from (Message(text, module=RULEBOOK.relative_to(ROOT).as_posix()) for text in sentences_of_rules())


def sentences_of_help() -> Iterator[str]:
    """Yield what ``pbem git help`` says of each command, the first sentence of its own help."""
    commands: Any = typer.main.get_command(play.family())
    yield from (first_sentence(each.help) for name, each in commands.commands.items() if name not in NOT_FOR_PLAYERS)


def sentences_of_rules() -> Iterator[str]:
    """Yield what the rulebook index says: the titles of its chapters, and of each rule text, source and ruling."""
    book = index()
    yield from book.chapters.values()
    for rule in book.rules:
        yield from (rule[key] for key in ("text", "source", "ruling") if key in rule)


@cache
def template() -> Catalog:
    """Return the catalogue with all messages and no translation."""
    made = Catalog(project="pbem", fuzzy=False)
    for message in messages():
        text = (message.text, message.plural) if message.plural else message.text
        made.add(text, locations=[(message.module, 0)] if message.module else [], context=message.context or None)
    return made


def files() -> list[Path]:
    """Return the translators' files, one for each language."""
    return sorted(LOCALE.glob("*/LC_MESSAGES/pbem.po"))


def catalogue(path: Path) -> Catalog:
    """Return the catalogue of a translator's file with the messages of now, those without a translation too."""
    with path.open("rb") as file:
        known = read_po(file, locale=path.parents[1].name)
    known.update(template(), no_fuzzy_matching=True, update_creation_date=False)
    return known


def text_of(known: Catalog) -> bytes:
    """Return the text of a translator's file, whichever Babel writes it; what is no message any more is left out."""
    text = io.BytesIO()
    write_po(text, known, width=120, include_lineno=False, sort_by_file=True, ignore_obsolete=True)
    return re.sub(rb'"Generated-By: .*"\n', b"", text.getvalue(), count=1)


def compile_all() -> None:
    """Write beside each translator's file what gettext reads, as the installation of pbem does."""
    cast(Any, CommandLineInterface()).run(["pybabel", "-q", "compile", "-D", "pbem", "-d", str(LOCALE)])


if __name__ == "__main__":
    for path in files():
        path.write_bytes(text_of(catalogue(path)))
    compile_all()

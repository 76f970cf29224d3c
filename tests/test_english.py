"""What people read is whole, plain English sentences: not glued from pieces, not in the idiom of another language."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from forked import run_program

import pbem

ROOT = Path(pbem.__file__).parent
WORD = re.compile("[A-Za-z]{2,}")
# These glue what is no sentence: drawings, patterns, links, and the words that players are likely to write.
NO_SENTENCES = {
    "first_sparks/briefing/board/picture.py",
    "page/html.py",
    "reading/quotes.py",
    "reading/recognisers/orders.py",
    "carriers/git/template.py",
    "grammar.py",
}
# No idiom of English, though every word is: with what is said instead.
STRANGE = {
    r"\bis none\b|\bare none\b|\b(?:that|which) is no\b|\bis no (?!longer|more\b|way\b|one\b|reason\b)": "is not a ...",
    r"(?:^|[.:;] )Who (?:is|has|comes|goes|plays|writes|wants|reads|answers|sends|knows|owns)\b(?![^.]*\?)": (
        "a player who"
    ),
    r"\bit is (?:not )?said\b": "name it",
    r"\bdealt with\b|\bdeals? with\b": "process, handle",
    r"\banew\b": "again, new",
    r"\bleaves with\b": "exits with",
    r"\bfor good\b(?! reason)": "permanently",
    r"\bcomes? back\b(?=.*\b(?:mail|letter|address))": "bounce",
    r"\bof ours\b(?<!bug of ours)(?<!ruling of ours)(?<!rulings of ours)": "our ..., pbem's",
    r"\bwhat (?:it|that) is worth\b|\bworth nothing\b": "no longer valid",
    r"\bas (?:far|long|well) as is\b": "as ... as possible",
    r"\bwaits in the outbox\b": "is queued",
}
MODULES = {str(path.relative_to(ROOT)): path for path in sorted(ROOT.rglob("*.py"))}
FAMILIES = ((), ("mail",), ("club",), ("git",))


def has_words(node: ast.AST) -> bool:
    return any(
        isinstance(n, ast.Constant) and isinstance(n.value, str) and WORD.search(n.value) for n in ast.walk(node)
    )


def is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant | ast.JoinedStr) and has_words(node)


def glued(tree: ast.AST) -> Iterator[str]:
    """Yield the texts of which a part is chosen by English grammar, or which are added up from parts."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            for hole in node.values:
                chosen = isinstance(hole, ast.FormattedValue) and isinstance(hole.value, ast.IfExp | ast.BoolOp)
                if chosen and has_words(hole.value):
                    yield f"line {node.lineno}: {ast.unparse(hole)}"
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and (is_text(node.left) or is_text(node.right)):
            yield f"line {node.lineno}: {ast.unparse(node)}"
        if isinstance(node, ast.Call) and ast.unparse(node).endswith(".removesuffix('s')"):
            yield f"line {node.lineno}: {ast.unparse(node)}"


def texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield every literal text, with its line; holes of a message are ``...``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = (str(n.value) if isinstance(n, ast.Constant) else "..." for n in node.values)
            yield node.lineno, " ".join("".join(parts).split())
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, " ".join(node.value.split())


@pytest.mark.parametrize("name", sorted(MODULES.keys() - NO_SENTENCES))
def test_no_sentence_is_glued(name: str) -> None:
    """A message is one text with named holes, so that it can be translated; plurals come from ``pbem.grammar``."""
    assert list(glued(ast.parse(MODULES[name].read_text(encoding="utf-8")))) == []


# What people write in other languages, word for word in English, is no text of ours.
@pytest.mark.parametrize("name", sorted(name for name in MODULES if not name.startswith("generated/words_")))
def test_every_text_is_idiomatic(name: str) -> None:
    found = [
        f"line {line}: {text[:100]!r}; say: {better}"
        for line, text in texts(ast.parse(MODULES[name].read_text(encoding="utf-8")))
        for strange, better in STRANGE.items()
        if re.search(strange, text)
    ]

    assert found == []


@pytest.mark.parametrize("family", FAMILIES, ids=" ".join)
def test_no_summary_of_a_command_is_cut(family: tuple[str, ...]) -> None:
    shown = run_program(*family, "--help", env={"COLUMNS": "80"}).stdout

    assert "-h, --help" in shown
    assert "..." not in shown.partition("-h, --help")[2]  # which the commands follow

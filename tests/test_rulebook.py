"""The index of the rules: complete, true to the code, and tested rule by rule."""

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pbem.first_sparks
from pbem.first_sparks.rules import two_players

GAME = Path(pbem.first_sparks.__path__[0])
TESTS = Path(__file__).parent
INDEX = tomllib.loads((GAME / "rulebook.toml").read_text(encoding="utf-8"))["rules"]
NUMBERS = {rule["id"]: rule["number"] for rule in INDEX}

CHAPTERS = {1: 10, 2: 4, 3: 1, 4: 15, 5: 9, 6: 7, 7: 5, 8: 5, 9: 3, 10: 2}
EVERY_NUMBER = ["R0", *(f"R{chapter}.{n + 1}" for chapter, rules in CHAPTERS.items() for n in range(rules))]

# Where the sources are silent or disagree, at least one rule of the number says that it is ours, and why.
OURS = ("R1.5", "R4.5", "R4.8", "R4.12", "R4.13", "R4.14", "R5.5", "R5.9", "R6.4", "R6.7", "R8.2", "R9.2", "R9.3")

CITATION = re.compile(r"Rules?: ((?:[a-z0-9-]+ \(R[0-9.]+\)(?:, )?)+)")
CITED = re.compile(r"([a-z0-9-]+) \((R[0-9.]+)\)")

# These refuse a component set or a plan, not an order: no rule of the game is broken.
NO_RULES = {"components_sense.py", "read.py"}


def citations(text: str) -> Iterator[tuple[str, str]]:
    """Yield every id and R number in the ``Rule:`` lines of a text."""
    for line in CITATION.findall(text):
        yield from CITED.findall(line)


def violation_ids(path: Path) -> Iterator[str]:
    """Yield the id of every ``Violation(...)`` in a module."""
    text = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text)) if "Violation(" in text else ():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Violation":
            name = node.args[0]
            assert isinstance(name, ast.Constant), f"{path.name}:{node.lineno} hides its id"
            yield str(name.value)


MODULES = sorted(GAME.rglob("*.py"))
CITED_IN_CODE = [cited for path in MODULES for cited in citations(path.read_text(encoding="utf-8"))]
VIOLATIONS = [rule for path in MODULES if path.name not in NO_RULES for rule in violation_ids(path)]
PLACES = Counter([rule for rule, _ in CITED_IN_CODE] + VIOLATIONS)

TEST_TEXTS = [path.read_text(encoding="utf-8") for path in TESTS.rglob("test_*.py") if path != Path(__file__)]
CITED_IN_TESTS = [cited for text in TEST_TEXTS for cited in citations(text)]


# The index itself


def test_no_id_occurs_twice() -> None:
    """An id names one rule."""
    assert len(NUMBERS) == len(INDEX)


def test_the_index_follows_the_numbers() -> None:
    """It is read from the top to the bottom."""
    places = [EVERY_NUMBER.index(rule["number"]) for rule in INDEX]

    assert places == sorted(places)


def test_every_number_has_a_rule() -> None:
    """R0, R1.1 to R10.2."""
    assert set(EVERY_NUMBER) - set(NUMBERS.values()) == set()


def test_every_rule_says_what_it_says_and_where_it_is_from() -> None:
    """One sentence, one heading, and for a ruling the reason."""
    for rule in INDEX:
        assert {"id", "number", "source", "text"} <= rule.keys() <= {"id", "number", "source", "text", "ruling"}, rule
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule["id"]), rule
        for key in {"text", "ruling"} & rule.keys():
            assert re.fullmatch(r"[A-Z][^\n]{10,130}[a-z0-9]\.", rule[key]), rule
        assert re.fullmatch(r"our ruling|((EN|FAQ|FR)[ ,][^;]+)(; (FAQ|FR)[ ,][^;]+)*", rule["source"]), rule


def test_rulings_are_marked() -> None:
    """Whose source is our own ruling has its reason, and so has each number that is disputed."""
    ours = {rule["number"] for rule in INDEX if "ruling" in rule}

    assert [rule["id"] for rule in INDEX if rule["source"] == "our ruling" and "ruling" not in rule] == []
    assert sorted(set(OURS) - ours) == []


def test_a_ruling_of_the_code_is_a_ruling_of_the_index() -> None:
    """A docstring that says so has a rule with a reason."""
    marked = {rule["id"] for rule in INDEX if "ruling" in rule}
    silent = []
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            doc = ast.get_docstring(node) if isinstance(node, ast.FunctionDef) else None
            cited = {rule for rule, _ in citations(doc or "")}
            if doc and cited and re.search(r"\bour\s+rulings?\b", doc, re.IGNORECASE) and not cited & marked:
                silent.append(node)

    assert silent == []


# The index and the code


def test_every_rule_stands_at_one_place_in_the_code() -> None:
    """In a ``Rule:`` line, or as the id of a violation."""
    assert {rule: PLACES[rule] for rule in NUMBERS if PLACES[rule] != 1} == {}


def test_every_rule_of_the_code_is_in_the_index() -> None:
    """With the same number."""
    assert [cited for cited in CITED_IN_CODE if NUMBERS.get(cited[0]) != cited[1]] == []
    assert sorted(set(VIOLATIONS) - NUMBERS.keys()) == []


def test_no_rule_line_is_overlooked() -> None:
    """Each one can be read by the pattern that finds them."""
    lines = [line for path in MODULES for line in path.read_text(encoding="utf-8").splitlines()]

    told = [line for line in lines if re.search(r"\bRules?: ", line)]

    assert [line for line in told if not CITATION.search(line)] == []
    assert sum(line.count(" (R") for line in told) == len(CITED_IN_CODE)


# The index and the tests


def test_every_rule_is_tested() -> None:
    """A test cites it in a ``Rule:`` line, and a violation also by its id in a refusal."""
    refused = {rule for rule in VIOLATIONS if any(f'"{rule}"' in text for text in TEST_TEXTS)}

    assert NUMBERS.keys() - {cited for cited, _ in CITED_IN_TESTS} == set()
    assert set(VIOLATIONS) - refused == set()


def test_tests_cite_rules_by_their_numbers() -> None:
    """No test names a rule that there is not."""
    assert [cited for cited in CITED_IN_TESTS if NUMBERS.get(cited[0]) != cited[1]] == []


def test_the_chapters_are_those_of_the_rulebook() -> None:
    """One module each, and for each a file of tests."""
    chapters = {path.stem for path in (GAME / "rules").glob("[a-z]*.py")}

    assert two_players.__name__.rpartition(".")[2] in chapters
    assert {f"test_{chapter}" for chapter in chapters} <= {path.stem for path in (TESTS / "rules").glob("test_*.py")}

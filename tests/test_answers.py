"""Everything that is printed with --json fits its schema, as two implementations read it."""

import ast
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any

import jsonschema
import jsonschema_rs
import pytest
from builders import the_components
from fitting import PYTHON, SCHEMAS, codes_of, fits
from friday import SEATS, ZEROS
from templates import copied, template
from test_schema import parts

from pbem import errors, formats
from pbem.cli import app as cli
from pbem.first_sparks.record import digest
from pbem.schema import schema_text

OUTPUTS = ("batch", "verdict", "answer", *cli.FAMILIES)
ORDER = ["--order", "stay", "--as", "green"]


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., list[dict[str, Any]]]:
    """The program, in a folder with a game, a component set and lines for a batch: what it prints with --json."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, status: int = 0) -> list[dict[str, Any]]:
        capsys.readouterr()
        assert cli.run([*arguments, "--json"]) == status, capsys.readouterr()
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    copied(template("answers", _begin), tmp_path)
    return run


def _begin(folder: Path) -> None:
    folder.mkdir()
    with chdir(folder):
        assert cli.run(["new", "game.toml", *SEATS]) == 0
        assert cli.run(["new", "open.json", "--id", "game", "--chance", "open", *SEATS]) == 0
        Path("photo.svg").write_text("<svg/>", encoding="utf-8")
        Path("box.toml").write_text(formats.dump(the_components().source, "toml"), encoding="utf-8")
        game = json.loads(Path("open.json").read_text(encoding="utf-8"))
        lines = [{"game": said, "move": "stay", "as": "green"} for said in (game, "game.toml", {}, "nothing.toml")]
        Path("lines.ndjson").write_text("\n".join(map(json.dumps, lines)) + "\nno line\n", encoding="utf-8")


@pytest.mark.parametrize("kind", OUTPUTS)
def test_a_schema_is_sound_and_described(kind: str) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMAS[kind])
    jsonschema_rs.meta.validate(SCHEMAS[kind])
    formats.parse(schema_text(kind), "json", name=kind)  # no key stands there twice
    for place, part in parts(SCHEMAS[kind]):
        for name, key in (*part.get("properties", {}).items(), *part.get("$defs", {}).items()):
            assert "$ref" in key or (key["title"] and key["description"].endswith(".")), (place, name)
        if part.get("type") == "object" and "properties" in part:
            assert part["additionalProperties"] is False, place


def references(part: Any) -> Iterator[str]:
    inside = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    for inner in inside:
        yield from references(inner)
    if isinstance(part, dict) and "$ref" in part:
        yield part["$ref"]


@pytest.mark.parametrize("kind", OUTPUTS)
def test_references_lead_to_our_own_schemas(kind: str) -> None:
    """To the files beside it; every reference finds something."""
    resolver = PYTHON.resolver(base_uri=f"{kind}.schema.json")

    found = list(references(SCHEMAS[kind]))

    assert found
    for reference in found:
        assert re.match(r"#/\$defs/|[a-z]+\.schema\.json(#/|$)", reference)
        assert not reference.startswith(f"{kind}.")
        assert resolver.lookup(reference).contents


def test_the_codes_are_those_of_the_errors() -> None:
    kinds = {kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.PbemError)}

    codes = SCHEMAS["verdict"]["$defs"]["refusal"]["properties"]["code"]["enum"]

    assert sorted(codes) == sorted(kind.code for kind in kinds - {errors.PbemError})
    for kind in kinds - {errors.PbemError}:
        assert fits(kind("something is wrong").as_json(), "verdict")


COMMANDS = [
    ("new", ["new", "fresh.toml", "Ann", "Bob"], "answer"),
    ("play", ["play", "game.toml", *ORDER], "verdict"),
    ("check", ["check", "game.toml", *ORDER], "verdict"),
    ("show", ["show", "game.toml", "--as", "red"], "answer"),
    ("options", ["options", "game.toml"], "answer"),
    ("options", ["options", "game.toml", "--as", "red"], "answer"),
    ("options", ["options", "game.toml", "--after", "stay"], "answer"),
    ("bot", ["bot", "game.toml", "--as", "green"], "answer"),
    ("replay", ["replay", "game.toml"], "answer"),
    ("verify", ["verify", "game.toml"], "answer"),
    ("verify", ["verify", "game.toml", "open.json"], "answer"),
    ("plan", ["plan", "game.toml", "10 8 else pass", "--as", "red"], "answer"),
    ("stats", ["stats", "."], "answer"),
    ("simulate", ["simulate", "--games", "1", "--bots", "random,random"], "answer"),
    ("audit", ["audit", "game.toml"], "answer"),
    ("board", ["board", "game.toml", "--svg"], "answer"),
    ("convert", ["convert", "game.toml", "game.json"], "answer"),
    ("rules", ["rules"], "answer"),
    ("components", ["components"], "answer"),
    ("components", ["components", "--check", "box.toml"], "answer"),
    ("diff-engines", ["diff-engines", "digests.ndjson", ".", "--store"], "answer"),
    *(("schema", ["schema", kind], "answer") for kind in SCHEMAS),
]


@pytest.mark.parametrize(
    ("command", "arguments", "kind"), COMMANDS, ids=[" ".join(words)[:40] for _, words, _ in COMMANDS]
)
def test_what_a_command_answers_fits(
    command: str, arguments: list[str], kind: str, run: Callable[..., list[dict[str, Any]]]
) -> None:
    answers = run(*arguments)

    assert answers
    for answer in answers:
        assert fits(answer, kind), answer
        assert not fits(answer | {"another": 1}, kind)


def test_every_command_has_an_answer_here() -> None:
    """Or in the tests of its family, which has a schema of its own name."""
    assert cli.FAMILIES.keys() == {"club", "git", "mail"} <= SCHEMAS.keys()
    assert {command for command, _, _ in COMMANDS} == cli.COMMANDS.keys() - {
        "reveal",
        "join",
        "draw",
    }  # which have tests of their own


def codes_said() -> Iterator[str]:
    """Yield the codes with which the source makes an answer, whichever option brings it about."""
    answering = ("done", "view", "say", "Report")
    for path in Path(cli.__file__).parents[1].rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if any(f"{name}(" in text for name in answering) else ():
            if isinstance(node, ast.Call) and node.args and isinstance(node.func, ast.Name | ast.Attribute):
                name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
                if name in answering and not ast.unparse(node.func).startswith("interrupts."):
                    yield from (inner.value for inner in ast.walk(node.args[0]) if isinstance(inner, ast.Constant))


def test_every_code_stands_in_a_schema() -> None:
    known = {code for kind in OUTPUTS if "$defs" in SCHEMAS[kind] for code in codes_of(kind)}
    said = {*codes_said()}

    assert len(said) > 30
    assert said - known == set()


def test_the_answers_after_the_end_fit(run: Callable[..., list[dict[str, Any]]]) -> None:
    for colour in ("green", "blue"):
        (played,) = run("play", "game.toml", "--order", "resign", "--as", colour)
        assert fits(played, "verdict")
    assert played["decides"] is None

    for arguments in (["reveal", "game.toml"], ["audit", "game.toml"], ["show", "game.toml"], ["replay", "game.toml"]):
        assert all(fits(answer, "answer") for answer in run(*arguments))


@pytest.mark.parametrize("board", ["players", "random"])
@pytest.mark.parametrize("hide", [[], ["--hide-food"]], ids=["open food", "hidden food"])
def test_whole_games_answer_in_the_same_form(
    board: str, hide: list[str], run: Callable[..., list[dict[str, Any]]]
) -> None:
    (answer,) = run("new", "whole.toml", "Ann", "Bob", "--board", board, "--i-chose-it", "--secret", ZEROS, *hide)
    assert fits(answer, "answer")
    while answer["decides"] and answer["turn"] < 30:
        order, player = answer["options"][-1]["order"], answer["decides"]
        (checked,) = run("check", "whole.toml", "--order", order, "--as", player)
        (answer,) = run("play", "whole.toml", "--order", order, "--as", player)
        assert fits(checked, "verdict")
        assert fits(answer, "verdict"), answer


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["play", "game.toml"], 2),
        (["play", "nothing.toml", *ORDER], 66),
        (["play", "game.toml", "--order", "add D2a", "--as", "green"], 65),
        (["play", "game.toml", "--order", "stay", "--as", "red"], 77),
        (["check", "game.toml", "--order", "[game/9/00000000] stay", "--as", "green"], 77),
        (["show", "box.toml"], 65),
        (["new", "game.toml", "Ann", "Bob"], 73),
        (["verify", "game.toml", "box.toml"], 76),
        (["board", "game.toml"], 2),
        (["board", "game.toml", "-o", "photo.svg"], 73),
        (["dance"], 2),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else None,
)
def test_every_refusal_fits(arguments: list[str], status: int, run: Callable[..., list[dict[str, Any]]]) -> None:
    answers = run(*arguments, status=status)

    assert answers
    for answer in answers:
        assert fits(answer, "answer"), answer
        assert answer["code"] in ("verified", "archive") or fits(answer, "verdict"), answer


@pytest.mark.parametrize(
    ("error", "status", "code"), [("KeyError", 70, "bug"), ("MemoryError", 75, "try-again")], ids=["a bug", "no memory"]
)
def test_what_nobody_expected_fits_too(error: str, status: int, code: str) -> None:
    fails = f"def run(_): raise {error}('a secret')"
    program = f"import pbem.cli.app\n{fails}\npbem.cli.app.run = run\nfrom pbem.__main__ import main\nmain()"

    done = subprocess.run([sys.executable, "-c", program, "--json"], capture_output=True, text=True, check=False)

    assert fits(answer := json.loads(done.stdout), "verdict")
    assert (done.returncode, answer["code"]) == (status, code)
    assert "a secret" not in done.stdout + done.stderr


@pytest.mark.parametrize("command", ["check", "play"])
def test_the_verdicts_of_a_batch_fit(command: str, run: Callable[..., list[dict[str, Any]]]) -> None:
    answers = run(command, "--batch", "lines.ndjson", status=65)

    assert [answer["line"] for answer in answers] == [1, 2, 3, 4, 5]
    assert [answer["ok"] for answer in answers] == [True, True, False, False, False]
    assert all(fits(answer, "verdict") for answer in answers)


def test_what_a_comparison_of_engines_answers_fits(run: Callable[..., list[dict[str, Any]]]) -> None:
    run("diff-engines", "digests.ndjson", ".", "--store")
    text = Path("digests.ndjson").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    rows[1]["digests"] = "0" * len(rows[1]["digests"])
    Path("digests.ndjson").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")

    answers = run("diff-engines", "digests.ndjson", ".", status=76)

    assert [answer["code"] for answer in answers] == ["changed", "compared"]
    assert all(fits(answer, "answer") for answer in answers)


def test_the_program_takes_the_lines_that_the_schema_takes(run: Callable[..., list[dict[str, Any]]]) -> None:
    """For a batch the form of a line is judged by hand, and by the schemas of its parts."""
    game = json.loads(Path("open.json").read_text(encoding="utf-8"))
    sound = {"game": game, "move": {"player": "green", "move": {"order": "stay"}}}
    lines = [
        sound,
        sound | {"as": "green"},
        {"game": game, "move": "stay", "as": "Cara"},
        {"game": "open.json", "move": "stay", "as": "green"},
        sound | {"as": 3},
        sound | {"besides": 1},
        sound | {"game": ""},
        sound | {"game": []},
        sound | {"game": game | {"turn": True}},
        sound | {"game": game | {"turn": "0"}},
        sound | {"move": {"order": "stay"}},
        sound | {"move": None},
        {"game": game},
        {"move": "stay"},
        {},
    ]
    Path("lines.ndjson").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")

    answers = run("check", "--batch", "lines.ndjson", status=65)

    assert [answer["ok"] for answer in answers] == [fits(line, "batch") for line in lines]
    assert [answer["ok"] for answer in answers] == [True] * 4 + [False] * 11
    assert digest(the_components()) == game["components"]["digest"]

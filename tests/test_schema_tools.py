"""The schemas in other people's tools: they load them, and judge every file as we do.

Those from npm are run where they are on the path.
"""

import copy
import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, get_args

import jsonschema
import pytest
import re2
from fitting import SCHEMAS, judges
from forked import run_program
from needs import path_of
from referencing import Registry, Resource
from templates import copied, template
from test_schema import STRANGERS, at, changed, originals, parts, places, refusal_of, variants

from pbem import formats, schema
from pbem.errors import PbemError
from pbem.schema import FileKind, Shipped, bundled

pytestmark = pytest.mark.slow

ROOT = Path(schema.__file__).parents[1]
KINDS: tuple[Shipped, ...] = (*get_args(FileKind), "batch", "verdict", "answer", "git", "mail", "club")
FILES: dict[str, FileKind] = {
    **dict.fromkeys(["examples/three-players/game.toml", "examples/first-move/game.toml"], "game"),
    **{str(path.relative_to(ROOT)): "game" for path in sorted(ROOT.glob("tests/*games/*.toml"))},
    "examples/first-move/move.toml": "move",
    "pbem/first_sparks/data/components.toml": "components",
}
CORPUS: dict[str, FileKind] = {"game": "game", "move": "move", "set": "components"}  # folders of the fuzzer


def run(*words: str | Path, cwd: Path = ROOT, stdin: str = "") -> tuple[int, str]:
    """Run a program, and return its status and all that it says."""
    done = subprocess.run(
        [str(word) for word in words], cwd=cwd, input=stdin, capture_output=True, encoding="utf-8", check=False
    )
    return done.returncode, done.stdout + done.stderr


def node(program: str, said: object) -> Any:
    """Run a program in node.js that finds the packages beside ajv; it reads JSON, and so does who called it."""
    packages = next(folder for folder in Path(path_of("ajv") or "").resolve().parents if folder.name == "node_modules")
    done = subprocess.run(
        ["node", "-e", f"const said = JSON.parse(require('fs').readFileSync(0)); {program}"],
        env=os.environ | {"NODE_PATH": str(packages)},
        input=json.dumps(said),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def corpus() -> Iterator[tuple[FileKind, Any]]:
    """Yield whatever can be read: all files that are checked in, and many broken variants of sound ones."""
    for name, kind in FILES.items():
        yield kind, formats.parse((ROOT / name).read_text(encoding="utf-8"), "toml", name=name)
    for folder, kind in CORPUS.items():
        for path in sorted((ROOT / "tests/fuzz/corpus" / folder).iterdir()):
            for form in ("toml", "json"):
                try:
                    data = formats.parse(path.read_bytes().decode(), form, name=path.name)
                    json.dumps(data).encode()
                except (PbemError, UnicodeError):
                    continue
                yield kind, data
    for name, (kind, sound) in originals().items():
        yield kind, sound
        every = [(place, variant) for place in places(sound) for variant in variants(at(sound, place))]
        for place, variant in Random(name).sample(every, min(len(every), 60)):
            yield kind, changed(sound, place, variant)


def patterns() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield every pattern of every schema, with its place and the part of the schema that it is for."""
    for kind, whole in SCHEMAS.items():
        for place, part in parts(whole):
            for pattern in (part.get("pattern"), part.get("not", {}).get("pattern")):
                if pattern is not None and not place.endswith("/not"):
                    yield f"{kind}{place}", pattern, part


def test_every_pattern_means_the_same_to_re2() -> None:
    """And so to Go and Rust: none looks ahead, and no bracket opens a class inside another one."""
    for place, pattern, part in patterns():
        compiled = re2.compile(pattern)
        for example in (*part["examples"], *filter(None, (text for text in STRANGERS if isinstance(text, str)))):
            for near in (example, f" {example}", f"{example} ", f"{example}[", f"{example}\u202e", example[:-1]):
                assert bool(compiled.search(near)) is bool(re.search(pattern, near)), (place, near)


@pytest.mark.parametrize("kind", KINDS)
def test_a_bundle_refers_to_nothing_outside(kind: Shipped) -> None:
    """Each of its references finds something in the same document, and nothing is there twice."""
    bundle = bundled(kind)
    resolver = Registry().resolver_with_root(Resource.from_contents(bundle))
    waiting: list[Any] = [bundle]
    while waiting:
        part = waiting.pop()
        waiting += part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
        if isinstance(part, dict) and isinstance(reference := part.get("$ref"), str):
            assert reference.startswith("#/$defs/")
            assert resolver.lookup(reference).contents
    assert json.dumps(bundle).count('"$schema": "https:') == 1
    assert (bundle == SCHEMAS[kind]) is (kind in get_args(FileKind))


def test_a_bundle_judges_as_the_schemas_that_it_is_made_of(tmp_path: Path) -> None:
    """A line of a batch refers to two others."""
    bundle = jsonschema.Draft202012Validator(bundled("batch"), registry=Registry())
    game, verdicts = copy.deepcopy(originals()["3 players, last"][1]), set()

    for place in [(), ("players", 0, "name"), ("state", "phase"), ("log", 0)]:
        line = {"game": changed(game, place, at(game, place)), "move": {"orders": ["stay"]}}
        for broken in (line, changed(line, ("game", *place), 7), changed(line, ("move", "orders"), [])):
            verdicts.add(fits := bundle.is_valid(broken))
            assert judges("batch")[0].is_valid(broken) is fits

    assert verdicts == {True, False}
    assert run_program("schema", "batch", "--bundle").stdout == json.dumps(bundled("batch"), indent=2) + "\n"


STRICT = """
const Ajv = require("ajv/dist/2020").default;
const strict = {strict: true, logger: {log: fail, warn: fail, error: fail}};
function fail(...words) { throw new Error(words.join(" ")); }
const names = Object.keys(said.schemas);
const alone = names.map((name) => {
  const ajv = new Ajv(strict);
  for (const other of names) if (other !== name) ajv.addSchema(said.schemas[other], other);
  return ajv.compile(said.schemas[name]);
});
const bundles = names.map((name) => new Ajv(strict).compile(said.bundles[name]));
const judge = Object.fromEntries(names.map((name, index) => [name, [alone[index], bundles[index]]]));
console.log(JSON.stringify(said.cases.map(([name, data]) => judge[name].map((fits) => fits(data)))));
"""


@pytest.mark.needs("npm")
def test_ajv_compiles_all_of_them_in_strict_mode_and_judges_as_we_do() -> None:
    """Each beside the others, and each as a bundle; a schema that is only warned of fails."""
    cases = list(corpus())

    told = node(
        STRICT,
        {
            "schemas": {f"{kind}.schema.json": SCHEMAS[kind] for kind in KINDS},
            "bundles": {f"{kind}.schema.json": bundled(kind) for kind in KINDS},
            "cases": [(f"{kind}.schema.json", data) for kind, data in cases],
        },
    )

    assert len(told) > 1500
    assert {True, False} == {fits for fits, _ in told}
    for (kind, data), verdicts in zip(cases, told, strict=True):
        assert verdicts == [refusal_of(data, kind) is None] * 2, (kind, data)


@pytest.mark.needs("npm")
def test_ajv_on_the_command_line_takes_a_schema_or_a_bundle(tmp_path: Path) -> None:
    """``ajv compile`` takes one file; what refers to others is bundled first."""
    for kind in KINDS:
        (tmp_path / f"{kind}.json").write_text(json.dumps(bundled(kind)), encoding="utf-8")
        status, told = run("ajv", "compile", "--spec=draft2020", "--strict=true", "-s", tmp_path / f"{kind}.json")
        assert (status, "is valid" in told) == (0, True), told


@pytest.fixture
def beside(tmp_path: Path) -> Path:
    """A folder with what ``pbem new`` writes, a move, an answer, and the schemas beside them."""
    copied(template("schemas", write_beside), tmp_path)
    return tmp_path


def write_beside(folder: Path) -> None:
    """Write them with the program."""
    folder.mkdir()

    def pbem(*words: str) -> str:
        done = run_program(*words, cwd=folder)
        assert done.returncode == 0, done.stderr
        return done.stdout

    for kind in KINDS:
        (folder / f"{kind}.schema.json").write_text(pbem("schema", kind), encoding="utf-8")
    pbem("new", "game.toml", "Ann", "Bob", "Zoë")
    pbem("convert", "game.toml", "game.json")
    (folder / "answer.json").write_text(pbem("show", "game.toml", "--json"), encoding="utf-8")
    move = '#:schema ./move.schema.json\nplayer = "Cara"\norders = ["offer 9"]\nturn = 3\n'
    (folder / "move.toml").write_text(move, encoding="utf-8")
    (folder / "wrong.toml").write_text(move.replace('"offer 9"', "9"), encoding="utf-8")
    (folder / "wrong_game.toml").write_text(
        (folder / "game.toml").read_text(encoding="utf-8").replace('"Ann"', '"A[nn"'), encoding="utf-8"
    )


@pytest.mark.needs("npm")
def test_taplo_takes_games_and_moves_by_the_schema_that_they_name(beside: Path) -> None:
    """So does an editor that builds on it; of a wrong file it shows the line."""
    files = [name for name in FILES if not name.endswith("components.toml")]

    status, told = run("taplo", "lint", *files)
    assert status == 0, told
    status, told = run("taplo", "lint", "game.toml", "move.toml", cwd=beside)
    assert status == 0, told
    status, told = run("taplo", "lint", "wrong.toml", cwd=beside)
    assert status != 0
    assert '9 is not of type "string"' in told
    status, told = run("taplo", "lint", "wrong_game.toml", cwd=beside)
    assert status != 0
    assert "A[nn" in told


@pytest.mark.parametrize("variant", ["default", "nonunicode", "python"])
def test_check_jsonschema_finds_the_schemas_beside_the_one_that_it_was_given(
    variant: str, beside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From any folder, with the patterns of JavaScript and of Python."""
    from check_jsonschema import main as check_jsonschema
    from click.testing import CliRunner

    def check(*words: str | Path) -> tuple[int, str]:
        said = ["--regex-variant", variant, "--schemafile", *map(str, words)]
        done = CliRunner().invoke(check_jsonschema, said)
        return done.exit_code, done.output

    monkeypatch.chdir(ROOT)
    assert check(beside / "game.schema.json", beside / "game.toml", beside / "game.json")[0] == 0
    assert check(beside / "move.schema.json", beside / "move.toml")[0] == 0
    monkeypatch.chdir("/")
    assert check(beside / "answer.schema.json", beside / "answer.json")[0] == 0
    for kind, file, place in (("move", "wrong.toml", "$.orders[0]"), ("game", "wrong_game.toml", "$.players[")):
        status, told = check(beside / f"{kind}.schema.json", beside / file)
        assert (status, place in told) == (1, True), told


EDITOR = """
const {getLanguageService, TextDocument} = require("vscode-json-languageservice");
const {readFileSync} = require("fs");
const {pathToFileURL, fileURLToPath} = require("url");
const service = getLanguageService({
  schemaRequestService: async (address) => readFileSync(fileURLToPath(address), "utf8"),
  workspaceContext: {resolveRelativePath: (path, base) => new URL(path, base).toString()},
});
const schemas = [{fileMatch: ["*"], uri: pathToFileURL(said.schema).toString()}];
service.configure({validate: true, schemas});
const document = TextDocument.create(pathToFileURL(said.file).toString(), "json", 1, readFileSync(said.file, "utf8"));
service.doValidation(document, service.parseJSONDocument(document)).then(
  (found) => console.log(JSON.stringify(found.map((one) => one.message))),
);
"""


@pytest.mark.needs("npm")
def test_an_editor_finds_the_schemas_beside_the_one_that_it_was_given(beside: Path) -> None:
    """The language service of VS Code, without the editor."""
    answer = beside / "answer.json"

    for kind in ("game", "answer"):
        assert node(EDITOR, {"schema": f"{beside}/{kind}.schema.json", "file": f"{beside}/{kind}.json"}) == []
    answer.write_text(answer.read_text(encoding="utf-8").replace('"turn"', '"turm"'), encoding="utf-8")
    assert node(EDITOR, {"schema": f"{beside}/answer.schema.json", "file": str(answer)}) == [
        'Missing property "turn".',
        "Property turm is not allowed.",
    ]

"""Whether an object fits one of the shipped schemas, as two implementations read it."""

import json
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, get_args

import jsonschema
import jsonschema_rs
import pytest
import typer
from referencing import Registry, Resource

from pbem import schema
from pbem.cli import app as cli

SCHEMAS: dict[str, dict[str, Any]] = {kind: json.loads(schema.schema_text(kind)) for kind in get_args(schema.Shipped)}
PYTHON: Registry[Any] = Registry().with_resources(
    [(f"{kind}.schema.json", Resource.from_contents(each)) for kind, each in SCHEMAS.items()]
)
# A schema has no name of its own: it is where it was found, and to jsonschema-rs the root of all is this.
RUST = jsonschema_rs.Registry([(f"json-schema:///{kind}.schema.json", each) for kind, each in SCHEMAS.items()])
Run = Callable[..., list[dict[str, Any]]]


@cache
def judges(kind: str) -> tuple[Any, Any]:
    """Return both implementations' judges of a schema."""
    found = SCHEMAS[kind]
    return (
        jsonschema.Draft202012Validator(found, registry=PYTHON),
        jsonschema_rs.Draft202012Validator(found, registry=RUST),
    )


def fits(data: Any, kind: str) -> bool:
    """Return whether an object fits the schema, and see that both implementations say the same."""
    python, rust = judges(kind)
    told: bool = python.is_valid(data)
    assert rust.is_valid(data) is told
    return told


def runner(kind: str, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return the program as a function: what it prints with --json, all of which fits the schema and its status."""

    def run(*arguments: str, status: int = 0) -> list[dict[str, Any]]:
        capsys.readouterr()  # what was printed before is nothing to us
        assert cli.run([*arguments, "--json"]) == status, capsys.readouterr()
        answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert answers
        for answer in answers:
            assert fits(answer, kind), answer
            assert not fits(answer | {"another": 1}, kind)
        assert all(answer["ok"] for answer in answers) is (status == 0)
        return answers

    return run


def commands_of(family: str) -> set[str]:
    """Return the names of the commands of a family."""
    groups = {group.name: group.typer_instance for group in cli.build([]).registered_groups}
    found: typer.Typer | None = groups[family]
    assert found is not None
    return {str(command.name) for command in found.registered_commands}


def codes_of(kind: str) -> Iterator[str]:
    """Yield the code of every answer that a schema describes, refusals aside."""
    for part in SCHEMAS[kind]["$defs"].values():
        code = part.get("properties", {}).get("code", {})
        yield from code.get("enum", [code["const"]] if "const" in code else [])

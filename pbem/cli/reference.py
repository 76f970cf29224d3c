"""The commands to look something up: ``pbem rules``, ``components`` and ``schema``."""

import json
from pathlib import Path
from typing import Annotated, Literal

import typer

from pbem import loading, lookup, report
from pbem.cli.arguments import Json, WrittenIn
from pbem.cli.console import show_report
from pbem.cli.language import in_language, written_in
from pbem.errors import UsageError
from pbem.schema import Shipped, bundled, schema_text


@in_language
def rules(
    which: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ID|NUMBER|WORD]...", help="Rules by id, R number or words; by default all."),
    ] = None,
    rulings: Annotated[bool, typer.Option("--rulings", help="Only rules with a ruling of our own.")] = False,
    as_json: Json = False,
    language: WrittenIn = "en",
) -> None:
    """Look up rules: id, number, source, and a sentence.

    A word like spreading finds the rules about it. Where the sources disagree or are silent, our ruling is printed too.
    """
    asked = tuple(said if "-" in said else written_in(language, [said])[0] for said in which or ())
    show_report(lookup.rules(asked, " ".join(which or ()), only_rulings=rulings), as_json, done=False)


def components(
    check_file: Annotated[
        Path | None, typer.Option("--check", metavar="FILE", help="Check a component set of your own.")
    ] = None,
    game: Annotated[
        Path | None, typer.Option("--of", metavar="GAME", help="Show the component set of that game.")
    ] = None,
    form: Annotated[
        Literal["toml", "json"] | None, typer.Option("--format", help="Print a file of this format.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show all cards and tiles, or check your own set.

    Each value is marked with how well it is known.
    """
    if (check_file and (game or form)) or (form and as_json):
        raise UsageError("--check cannot be combined with --of or --format, nor --format with --json")
    if check_file:
        result = lookup.checked(loading.load_components(check_file), check_file)
    else:
        found = loading.load(game).record.components if game else loading.built_in()
        result = lookup.components(found, game or Path("components.toml"), form)
    show_report(result, as_json, done=False)


def schema(
    kind: Annotated[Shipped, typer.Argument(help="What the schema describes.")],
    bundle: Annotated[
        bool, typer.Option("--bundle", help="Put all schemas that it refers to into it, so that it can be used alone.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Print the JSON Schema of a file or of an answer.

    An answer is what a command prints with --json.
    """
    text = json.dumps(bundled(kind), indent=2) if bundle else schema_text(kind)
    result = report.done("schema", "", Path(f"{kind}.schema.json"), text, schema=json.loads(text))
    show_report(result, as_json, done=False)

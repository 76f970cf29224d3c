"""From JSON Schemas to a Python module that says yes or no, for data without floats: 1.0 is a whole number to a schema.

A schema with a title becomes a function, and so does what the entries of a list must be; everything else is a condition
in one of these. What is wrong with a file is for ``jsonschema`` to say, which knows the schema itself.
"""

import re
from collections.abc import Iterator
from typing import Any

HEAD = '''import re
from collections.abc import Callable
from typing import Any, Final

SEARCHES: Final[dict[str, Callable[[str], object]]] = {}  # by pattern, each compiled when it is first used


def has(pattern: str, text: str) -> bool:
    """Return whether a pattern is found in a text."""
    search = SEARCHES.get(pattern) or SEARCHES.setdefault(pattern, re.compile(pattern).search)
    return search(text) is not None
'''
TYPES = {
    "string": "isinstance({}, str)",
    "integer": "type({}) is int",
    "boolean": "isinstance({}, bool)",
    "array": "isinstance({}, list)",
    "object": "isinstance({}, dict)",
}
OF_TYPE = {
    "string": {"minLength", "maxLength", "pattern"},
    "integer": {"minimum", "maximum"},
    "array": {"minItems", "maxItems", "uniqueItems", "items", "prefixItems"},
    "object": {"properties", "required", "additionalProperties"},
}
KNOWN = {*("$schema", "$ref", "$defs", "title", "description", "examples", "type", "const", "enum", "not")}
KNOWN |= {*("allOf", "anyOf", "oneOf", "if", "then"), *(key for keys in OF_TYPE.values() for key in keys)}


class Shapes:
    """The functions for some schemas, the same one for schemas that say the same."""

    def __init__(self) -> None:
        self.functions: dict[str, str] = {}  # by body
        self.kinds: dict[str, str] = {}
        self.defs: dict[str, Any] = {}  # of the schema at work

    def add(self, kind: str, schema: dict[str, Any]) -> None:
        """Add the function for a whole schema, which judges that kind of file."""
        self.defs = schema.get("$defs", {})
        self.kinds[kind] = self.function(schema, kind)

    def text(self) -> str:
        """Return the module without its docstring."""
        functions = (f"def {name}(x: Any) -> bool:\n{body}\n" for body, name in self.functions.items())
        rows = "".join(f"    {kind!r}: {name},\n" for kind, name in self.kinds.items())
        return "\n\n".join((HEAD, *functions, f"FITS: Final[dict[str, Callable[[Any], bool]]] = {{\n{rows}}}\n"))

    def body(self, schema: dict[str, Any]) -> str:
        """Return the body of the function for a schema."""
        said = "\n        and ".join(self.conditions(schema, "x", ""))
        return f"    return (\n        {said}\n    )"

    def function(self, schema: dict[str, Any], name: str) -> str:
        """Return the name of the function for a schema."""
        body = self.body(schema)
        if body not in self.functions:
            stem = f"is_{re.sub(r'[^a-z0-9]+', '_', schema.get('title', name).lower())}"
            taken = {name for name in self.functions.values() if re.fullmatch(rf"{stem}(_\d+)?", name)}
            self.functions[body] = f"{stem}_{len(taken) + 1}" if taken else stem
        return self.functions[body]

    def condition(self, schema: Any, x: str, known: str) -> str:
        """Return one condition, "True" for a schema that says nothing; *known* is the type that *x* has by now."""
        return " and ".join(self.conditions({} if schema is True else schema, x, known)) or "True"

    def conditions(self, schema: dict[str, Any], x: str, known: str) -> Iterator[str]:
        """Yield all conditions, in an order in which each can rely on those before."""
        assert schema.keys() <= KNOWN, schema.keys() - KNOWN
        if "$ref" in schema:
            name = schema["$ref"].removeprefix("#/$defs/")
            yield f"{self.function(self.defs[name], name)}({x})"
        kind = schema.get("type", known)
        if kind != known:
            yield TYPES[kind].format(x)
        stray = {key for other, keys in OF_TYPE.items() if other != kind for key in keys} & schema.keys()
        assert not stray, (stray, schema)
        if "const" in schema:
            yield self.same(x, schema["const"])
        if "enum" in schema:
            assert all(isinstance(one, str) for one in schema["enum"])
            yield f"{x} in {(*schema['enum'],)}"
        yield from self.limits(schema, x)
        if kind == "array":
            yield from self.entries(schema, x)
        if kind == "object":
            yield from self.keys(schema, x)
        yield from self.combinations(schema, x, kind)

    def same(self, x: str, value: Any) -> str:
        """Return whether *x* is a constant; to Python 1 and true would be the same."""
        assert value is True or isinstance(value, str) or value not in (0, 1)
        return f"{x} is True" if value is True else f"{x} == {value!r}"

    def limits(self, schema: dict[str, Any], x: str) -> Iterator[str]:
        """Yield the conditions on a number, a length, or a text."""
        for what, of in (("imum", x), ("Length", f"len({x})"), ("Items", f"len({x})")):
            low, high = schema.get(f"min{what}"), schema.get(f"max{what}")
            if low is not None or high is not None:
                yield " <= ".join(str(part) for part in (low, of, high) if part is not None)
        if "pattern" in schema:
            line_feed = schema["pattern"] == r"\n"  # which needs no pattern
            yield f"{chr(10)!r} in {x}" if line_feed else f"has({schema['pattern']!r}, {x})"

    def entries(self, schema: dict[str, Any], x: str) -> Iterator[str]:
        """Yield the conditions on the entries of a list."""
        items = schema.get("items", {})
        if items.keys() <= {"enum", "title", "description"} and "enum" in items:
            yield f"all(map({(*items['enum'],)}.__contains__, {x}))"
        elif items.get("type") == "integer":
            yield f"{{*map(type, {x})}} <= {{int}}"
            yield f"all(map(range({items['minimum']}, {items['maximum'] + 1}).__contains__, {x}))"
        elif items:
            name = f"{schema.get('title', 'list')} entry"
            yield f"all(map({self.function(items, name)}, {x}))"
        for number, entry in enumerate(schema.get("prefixItems", ())):
            assert schema["minItems"] > number
            yield self.condition(entry, f"{x}[{number}]", "")
        if schema.get("uniqueItems"):
            yield f"len({{*{x}}}) == len({x})"

    def keys(self, schema: dict[str, Any], x: str) -> Iterator[str]:
        """Yield the conditions on the keys of a table and their values."""
        required, properties = schema.get("required", []), schema.get("properties", {})
        closed = "additionalProperties" in schema
        assert not closed or schema["additionalProperties"] is False
        exactly = closed and properties.keys() == {*required}
        if exactly:
            yield f"{x}.keys() == {{{', '.join(map(repr, properties))}}}"
        elif len(required) == 1:
            yield f"{required[0]!r} in {x}"
        elif required:
            yield f"{x}.keys() >= {{{', '.join(map(repr, required))}}}"
        if closed and not exactly:
            yield f"{x}.keys() <= {{{', '.join(map(repr, properties))}}}"
        for key, inner in properties.items():
            value = f"{x}[{key!r}]"
            told = "True" if inner is True else self.value(inner, value)
            if told != "True":
                yield told if key in required else f"({key!r} not in {x} or {told})"

    def value(self, schema: dict[str, Any], x: str) -> str:
        """Return the condition for the value of a key: a call, if it is a table, or else what must hold."""
        told = self.function(schema, "") + f"({x})" if schema.get("type") == "object" else self.condition(schema, x, "")
        return f"({told})" if " and " in told else told

    def combinations(self, schema: dict[str, Any], x: str, kind: str) -> Iterator[str]:
        """Yield the conditions that are made of others."""
        if "not" in schema:
            yield "False" if not schema["not"] else f"not ({self.condition(schema['not'], x, kind)})"
        for part in schema.get("allOf", ()):
            yield self.condition(part, x, kind)
        if "anyOf" in schema:
            yield f"({' or '.join(f'({self.condition(part, x, kind)})' for part in schema['anyOf'])})"
        if "oneOf" in schema:
            yield f"[{', '.join(self.condition(part, x, kind) for part in schema['oneOf'])}].count(True) == 1"
        if "if" in schema:
            yield f"(not ({self.condition(schema['if'], x, kind)}) or ({self.condition(schema['then'], x, kind)}))"

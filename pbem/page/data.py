"""A page as plain data, for JSON and for readers of any other kind."""

from typing import Any, cast

from pbem.page.glue import unglued
from pbem.page.page import Page, Section


def data_of(part: Page | Section) -> dict[str, Any]:
    """Return a page or section as dicts, lists and texts; ``kind`` is the name of the type that a part had."""
    data: dict[str, Any] = _data(part)
    return data


def _data(part: object) -> Any:  # noqa: ANN401 -- JSON values
    if isinstance(part, str):
        return unglued(part)
    if fields := getattr(part, "_asdict", None):
        return {"kind": type(part).__name__} | {name: _data(value) for name, value in fields().items()}
    if isinstance(part, tuple):
        return [_data(value) for value in cast("tuple[object, ...]", part)]
    return part

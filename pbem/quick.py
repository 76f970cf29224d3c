"""Named tuples that are quick to copy with changes."""

from typing import Any, Final, TypeVar

new: Final = tuple.__new__  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] -- of any tuple
_Kind = TypeVar("_Kind", bound=type[tuple[Any, ...]])


def quick(kind: _Kind) -> _Kind:
    """Give a NamedTuple a ``_replace`` that takes half the time, since rules do little else."""
    places = {name: place for place, name in enumerate(kind._fields)}  # type: ignore[attr-defined]

    def _replace(self: tuple[Any, ...], /, **changes: object) -> tuple[Any, ...]:
        values = [*self]
        for name, value in changes.items():
            values[places[name]] = value
        return new(kind, values)

    kind._replace = _replace  # type: ignore[attr-defined]
    return kind

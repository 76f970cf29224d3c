"""Values that are quick to make, and to copy with changes, since rules do little else."""

from collections.abc import Iterable
from types import EllipsisType
from typing import Any, ClassVar, Final, Protocol, TypeVar, cast

# A field that is not changed, in ``_replace``.
Same = EllipsisType

_Made = TypeVar("_Made")
_Kind = TypeVar("_Kind", bound=type[tuple[Any, ...]])


class _Maker(Protocol):
    def __call__(self, kind: type[_Made], values: Iterable[object], /) -> _Made: ...


# Makes a NamedTuple of all its values, in a third of the time.
new: Final = cast(_Maker, tuple.__new__)  # pyright: ignore[reportUnknownMemberType] -- of any tuple


def quick(kind: _Kind) -> _Kind:
    """Give a NamedTuple a ``_replace`` that takes half the time."""
    places = {name: place for place, name in enumerate(kind._fields)}  # type: ignore[attr-defined]

    def _replace(self: tuple[Any, ...], /, **changes: object) -> tuple[Any, ...]:
        values = [*self]
        for name, value in changes.items():
            values[places[name]] = value
        return new(kind, values)

    kind._replace = _replace  # type: ignore[attr-defined]
    return kind


class Fields:
    """What a NamedTuple has, but not a tuple: a class with these fields, none of which changes once it is made.

    Compiled, that takes a fifth of the time to make and to copy. Its ``_replace`` has to name the fields.
    """

    __slots__ = ()
    _fields: ClassVar[tuple[str, ...]] = ()

    def _values(self) -> tuple[object, ...]:
        return tuple([getattr(self, name) for name in self._fields])

    def _asdict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._fields}

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Fields) and type(self) is type(other) and self._values() == other._values()
        )

    def __hash__(self) -> int:
        return hash(self._values())

    def __repr__(self) -> str:
        values = ", ".join([f"{name}={getattr(self, name)!r}" for name in self._fields])
        return f"{type(self).__name__}({values})"

    def __reduce__(self) -> tuple[type["Fields"], tuple[object, ...]]:
        return type(self), self._values()

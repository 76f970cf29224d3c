"""What the commands of hosts have in common: the club in a folder, whatever carries its letters, and the answer."""

from contextlib import nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, cast

from pbem import formats
from pbem.cli.console import show_report
from pbem.errors import PbemError
from pbem.report import done

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from pbem.club.carrier import Club
    from pbem.club.upkeep.doctor import Check

# The module that opens a club, by the name of the format of its settings; one that is unknown is refused there.
CARRIERS: Final = {"pbem-club": "pbem.carriers.mail.setup", "pbem-folders": "pbem.carriers.folders"}


def own_club(folder: Path) -> "Club":
    """Return the club in the folder, to be changed; the format of its settings says what carries its letters."""
    return carrier_of(folder, strict=True).own_club(folder)


class Carrier(Protocol):
    """The module that opens a club."""

    def own_club(self, folder: Path, /) -> "Club":
        """Return the club in the folder, to be changed."""
        ...

    def checks(self, folder: Path, now: "datetime", wait: float, /) -> "Iterator[Check]":
        """Yield what doctor looks at."""
        ...


def carrier_of(folder: Path, *, strict: bool = False) -> Carrier:
    """Return the module that opens the club; unless it is *strict*, the one for mail if nobody can tell."""
    from importlib import import_module

    from pbem.club import toml_rows

    path, form = folder / "club.toml", None
    with nullcontext() if strict else suppress(PbemError, OSError):
        if path.exists():
            form = formats.parse(toml_rows.text_in(path), "toml", name=str(path)).get("format")
    module = import_module(CARRIERS.get(str(form).partition("/")[0], CARRIERS["pbem-club"]))
    return cast("Carrier", module)


def doubts(*addresses: str) -> list[str]:
    """Return a warning for each mail address in which there may be a typing error."""
    from pbem.carriers.mail.providers import doubt_of

    return [f"warning: {doubt}" for address in addresses if "@" in address and (doubt := doubt_of(address))]


def say(code: str, path: Path, text: str, as_json: bool, **more: object) -> None:
    """Print what was done."""
    show_report(done(code, text.partition("\n")[0], path, text, **more), as_json)

"""What the commands of hosts have in common: the club in a folder, whatever carries its letters, and the answer."""

import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext, suppress
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

import typer

from pbem import files
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
    """Return the module that opens the club; unless it is *strict*, also of one whose settings cannot be read.

    Without settings that say it, the other files of the club do, or else the command.
    """
    from importlib import import_module

    from pbem.club import toml_rows

    form = ""
    with nullcontext() if strict else suppress(PbemError, OSError):
        if (folder / "club.toml").exists():
            form = toml_rows.format_in(folder)
    has_outbox, has_players = (files.is_folder(folder / name) for name in ("outbox", "players"))
    likely = CARRIERS["pbem-folders" if has_players or (sys.argv[1:2] == ["club"] and not has_outbox) else "pbem-club"]
    return cast("Carrier", import_module(CARRIERS.get(form.partition("/")[0], likely)))


def doubts(*addresses: str) -> list[str]:
    """Return a warning for each mail address in which there may be a typing error."""
    from pbem.carriers.mail.providers import doubt_of

    return [f"warning: {doubt}" for address in addresses if "@" in address and (doubt := doubt_of(address))]


def show_status(
    club: "Club",
    at: "datetime | None",
    as_json: bool,
    *,
    stats: bool,
    lines: Iterable[str] = (),
    about: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Print the status of all games of a club; *lines* and what they are *about* is what its carrier adds."""
    from datetime import UTC, datetime

    from pbem.club.status import rows_of, table_lines, with_counts
    from pbem.club.upkeep.health import health_line, health_row

    found, now = rows_of(club, at), at or datetime.now(UTC)
    rows = list(found) if stats or as_json else []  # of many games, no more is held than is printed
    counts = with_counts(club, rows) if stats else ()
    ill = filter(None, (health_line(club, now),))
    text = "\n".join((*table_lines(rows or found, club.timezone, at), *counts, *lines, *ill))
    answer = done("status", "", club.folder, text, games=rows, health=health_row(club, now), **about)
    show_report(answer, as_json, done=False)


def family_of(name: str, about: str, commands: Mapping[str, Callable[..., None]]) -> typer.Typer:
    """Return the commands of one kind of club, by their names, as a group with that name."""
    app = typer.Typer(name=name, help=about, rich_markup_mode=None, no_args_is_help=True, add_completion=False)
    for each, command in commands.items():
        app.command(each)(command)
    return app


def say(code: str, path: Path, text: str, as_json: bool, **more: object) -> None:
    """Print what was done."""
    show_report(done(code, text.partition("\n")[0], path, text, **more), as_json)

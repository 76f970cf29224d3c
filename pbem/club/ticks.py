"""When the clock of a club has ticked: one file for all games in which that changes nothing else.

It is no cache: that time has run in a game since it was last written is known from here alone.
"""

from collections.abc import Collection, Mapping
from contextlib import suppress
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from pbem import files, formats
from pbem.errors import PbemError
from pbem.table.clock import instant, timestamp

CLUB_TICKS: Final = "ticks.toml"  # in the folder of the club
_FORMAT: Final = "pbem-club-ticks/1"
_LIMIT: Final = 256 * 1024
_LONGEST_WAIT: Final = 20.0  # seconds
_MOST_MISSED: Final = 2000  # games; so that the file can be read again


class ClubTicks(NamedTuple):
    """The time of the last tick, and up to when ticks have reached the games that it has *missed*, by name."""

    last: datetime | None = None
    missed: Mapping[str, datetime] = MappingProxyType({})

    def reached(self, game: str) -> datetime | None:
        """Return the last tick that has reached a game, None if there was none."""
        return self.missed.get(game, self.last)


def club_ticks(folder: Path) -> ClubTicks:
    """Return the ticks of the club in the folder; none if the file is lost or damaged, after which time may stand."""
    with suppress(PbemError):
        path = folder / CLUB_TICKS
        return _ticks_in(files.read_text(path, _LIMIT)) if path.exists() else ClubTicks()
    return ClubTicks()


@lru_cache(maxsize=1)  # each game that is looked at asks for it
def _ticks_in(text: str) -> ClubTicks:
    data = formats.parse(text, "toml", name=CLUB_TICKS)
    missed = data.get("missed", {})
    try:
        return ClubTicks(instant(data["last"]), {name: instant(missed[name]) for name in missed})
    except (KeyError, TypeError):
        return ClubTicks()


def note_tick(folder: Path, at: datetime, failed: Collection[str], *, went_back: bool) -> None:
    """Record a tick that was done in all games but those in which it has *failed*; raises PbemError.

    A time before the last tick counts only if ticks *went back* in a game, since the host has put a wrong time right.
    """
    path = folder / CLUB_TICKS
    with files.locked(path, wait=_LONGEST_WAIT):
        before = club_ticks(folder)
        if before.last is not None and at < before.last and not went_back:
            return
        missed = {name: before.reached(name) or at for name in sorted(failed)[:_MOST_MISSED]}
        after = ClubTicks(at, missed)
        if after != before:
            data: dict[str, Any] = {"format": _FORMAT, "last": timestamp(at)}
            if missed:
                data["missed"] = {name: timestamp(time) for name, time in missed.items()}
            files.replace(path, formats.dump(data, "toml"), mode=0o600)

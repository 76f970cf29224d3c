"""What the index of a club has of a game: when something is due, who is asked, and how its files looked then."""

import json
import os
from datetime import UTC, datetime
from struct import Struct
from typing import Any, Final, NamedTuple

from pbem.club.folder import GameFolder, read_roster
from pbem.club.many.rows import row_of_game
from pbem.club.many.timed import Timed
from pbem.club.many.told import ClubTicks
from pbem.club.settings import Club
from pbem.table.clock import Clock, tick
from pbem.table.people import Roster
from pbem.table.quiet import runs, says_the_same, settled

NEVER: Final = 2**40  # seconds
_FILES: Final = ("/.", "/private.toml", "/game.toml", "/mails/journal.ndjson")
_pack: Final = Struct("<QQQQ").pack
_BITS: Final = 2**64 - 1  # a file can be dated later than 2262 or before 1970, in nanoseconds
_SIZE: Final = 32
_MISSING: Final = bytes(_SIZE)
# How many of these have to be as they were, for what follows from them: who plays, and what is due; for the row, all.
PLAYS: Final = 2
DUE: Final = 3


class GameEntry(NamedTuple):
    """A game as it was while its files had that *stamp*, with times in seconds.

    Ticks change nothing from *last* to *until*, which is 0 if each has to look. Something may be *due* then. If time
    runs in the game, *outage* is the longest gap between ticks, else 0. *asked* is the number of players who are asked,
    and of so many the time is up but *held*, in a game that is not paused. The game is *open* for players if that is 1.
    *readers* are all its addresses, and *row* is its row of the status as JSON, "" if that has to be made each time.
    """

    game: str
    stamp: bytes
    last: int
    until: int
    due: int
    outage: int
    asked: int
    held: int
    open: int
    readers: str
    row: str

    def covered(self, ticks: ClubTicks) -> int:
        """Return the last tick that has reached the game."""
        last = ticks.reached(self.game)
        return seconds(last) if last is not None and self.last < seconds(last) <= self.until else self.last

    def is_quiet(self, ticks: ClubTicks, at: int) -> bool:
        """Return whether nothing is due at a tick *at* that time, if the files of the game are as they were."""
        covered = self.covered(ticks)
        return covered <= at < self.due and bool(self.until) and (not self.outage or at - covered <= self.outage)

    def shown(self) -> dict[str, Any]:
        """Return the row of the status."""
        row: dict[str, Any] = json.loads(self.row)
        return row


def entry_of(club: Club, table: GameFolder, game: Timed | None, stamp: bytes) -> GameEntry:
    """Return the entry of a game that was read after its files had that stamp; raises PbemError."""
    roster = read_roster(table)
    row = row_of_game(club, table, roster, game)
    if game is None:
        return GameEntry(table.name, stamp, 0, NEVER, NEVER, 0, 0, 0, 1, _readers(roster), json.dumps(row))
    quiet = game.kept.quiet if _is_at_rest(game) else None
    last = game.kept.last if quiet is not None else game.clock.last
    changes = game.now.paused and game.now.market and game.terms.look  # that row tells a time that moves on
    return GameEntry(
        table.name,
        stamp,
        seconds(last) if last else 0,
        0 if quiet is None else seconds(quiet.until) if quiet.until else NEVER,
        seconds(quiet.due) if quiet is not None and quiet.due else NEVER,
        int(game.terms.outage.total_seconds()) if quiet is not None and runs(game.kept, quiet) else 0,
        len(game.now.awaited),
        0 if game.now.paused else sum(each.stage == "held" for each in game.clock.questions),
        0,
        _readers(roster),
        "" if changes else json.dumps(row),
    )


def _is_at_rest(game: Timed) -> bool:
    """Return whether a tick at the time of the last one would do nothing, and was expected to."""
    last = game.clock.last
    if last is None or game.kept.quiet is None:
        return False
    after, effects = tick(game.terms, game.clock, game.now, last)
    return not effects and says_the_same(game.kept, settled(game.terms, after, game.now, game.table.name))


def with_clock(game: Timed, after: Clock) -> Timed:
    """Return a game after a tick that has written its clock."""
    return game._replace(kept=after, clock=after._replace(quiet=None))


def _readers(roster: Roster) -> str:
    """Return all addresses of a game, between blanks."""
    every = {name.lower() for player in roster.players for name in (player.address, player.substitute) if name}
    return f" {' '.join(sorted(every))} "


def seconds(time: datetime) -> int:
    """Return a time in seconds."""
    return int(time.timestamp())


def time_of(number: int) -> datetime:
    """Return the time of that many seconds."""
    return datetime.fromtimestamp(number, UTC)


# How files look


def stamp_of(folder: str) -> bytes:
    """Return how the files of a game look: whoever changes one of them changes this."""
    return b"".join(_look(folder + name) for name in _FILES)


def is_as_it_was(folder: str, stamp: bytes, files: int = len(_FILES)) -> bool:
    """Return whether the first *files* of a game look as they did; one that was missing is, while its folder does."""
    start = 0
    for name in _FILES[:files]:
        part = stamp[start : start + _SIZE]
        if part != _MISSING and _look(folder + name) != part:
            return False
        start += _SIZE
    return True


def _look(path: str) -> bytes:
    try:
        about = os.stat(path, follow_symlinks=False)  # noqa: PTH116 -- many thousands at a tick
    except OSError:
        return _MISSING
    return _pack(about.st_mtime_ns & _BITS, about.st_ctime_ns & _BITS, about.st_ino & _BITS, about.st_size)

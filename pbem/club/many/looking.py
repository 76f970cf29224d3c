"""Which games of a club have to be looked at: by a tick, by the status, or since somebody may play in them."""

import os
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import NamedTuple

from pbem.club.folder import GameFolder, names_of
from pbem.club.many.entries import DUE, PLAYS, GameEntry, is_as_it_was, seconds
from pbem.club.many.index import GameIndex, index_of
from pbem.club.many.told import ClubTicks
from pbem.club.settings import Club


class Sifted(NamedTuple):
    """The games of a club at a tick: those to *look* at, and those in which only the clock has to be *written*.

    In all games but the first, nothing is due; in those that are neither, so many players are *asked*,
    and of so many the time is up but *held*.
    """

    look: list[str]
    written: list[GameEntry]
    asked: int
    held: int


def paired(
    names: Iterable[str], entries: Iterable[GameEntry], gone: Callable[[str], None]
) -> Iterator[tuple[str, GameEntry | None]]:
    """Yield every game with its entry, if it has one; both are sorted. What is *gone* is called with other entries."""
    rest = iter(entries)
    entry = next(rest, None)
    for name in names:
        while entry is not None and entry.game < name:
            gone(entry.game)
            entry = next(rest, None)
        if entry is not None and entry.game == name:
            yield name, entry
            entry = next(rest, None)
        else:
            yield name, None
    for left in (entry, *rest) if entry is not None else ():
        gone(left.game)


def sifted(club: Club, index: GameIndex, ticks: ClubTicks, at: int, *, release: bool, but: Collection[str]) -> Sifted:
    """Return which games a tick at that time has to look at; those that were changed are among them."""
    look: list[str] = []
    written: list[GameEntry] = []
    asked, held, folder = 0, 0, os.fspath(club.games)
    is_back = ticks.last is not None and at < seconds(ticks.last)  # an error in each game
    for name, entry in paired(names_of(club), index.entries(), index.forget):
        if entry is None:
            index.doubt()
        if name in but:
            continue
        is_known = entry is not None and not is_back and name not in ticks.missed and not (release and entry.held)
        if entry is None or not is_known or not _rests(entry, f"{folder}/{name}", ticks, at):
            look.append(name)
            continue
        if at >= entry.until:
            written.append(entry)
        else:
            asked, held = asked + entry.asked, held + entry.held
    return Sifted(look, written, asked, held)


def _rests(entry: GameEntry, folder: str, ticks: ClubTicks, at: int) -> bool:
    return entry.is_quiet(ticks, at) and is_as_it_was(folder, entry.stamp, DUE)


def tables_with(club: Club, address: str = "", *, is_open: bool = False) -> list[GameFolder]:
    """Return the games in which somebody with that address may play, or those that may be *open* for players.

    Of the others it is certain; of these, look into the files.
    """
    wanted, folder = f" {address.lower()} ", os.fspath(club.games)
    found: list[GameFolder] = []
    with index_of(club, writes=False) as index:
        for name, entry in paired(names_of(club), index.entries(), lambda _: None):
            said = entry is not None and (entry.open if is_open else wanted in entry.readers)
            if entry is None or said or not is_as_it_was(f"{folder}/{name}", entry.stamp, PLAYS):
                found.append(GameFolder(club.games / name))
    return found

"""Whose turn it is, in one line: for a player in a clone, and for everybody after a push."""

from pathlib import Path
from typing import NamedTuple

from pbem import formats, loading
from pbem.first_sparks.record import Record, waits_for
from pbem.first_sparks.state import CHANCE
from pbem.git import remembered
from pbem.git.clone import Clone, settings_of
from pbem.git.contents import read_file
from pbem.git.own import player_in
from pbem.git.repository import Objects, owned_environment


class Status(NamedTuple):
    """Who decides in the latest commit: a colour, ``*`` for chance, None after the end; and whether it is *player*.

    Without a player, ``mine`` says whether anybody is asked.
    """

    game: str
    turn: int
    decides: str | None
    player: str
    mine: bool
    line: str


def status(name: str, player: str) -> Status:
    """Return whose turn it is in the latest commit of the repository that we are in."""
    with Objects(env=owned_environment()) as objects:
        held = objects.entries(objects.commit(objects.commit_id("HEAD")).tree)
        text = formats.decode(read_file(objects, held, name), name=name)
        record = loading.file_in(text, Path(name), sound=remembered.is_known(remembered.form(text))).record
        clone = Clone(Path(), settings=settings_of(Path()))
        who = player_in(clone, objects, held, record, player)
    decides = record.asked
    mine = who in (record.missing or (decides,)) if who else bool(record.missing) or decides not in (CHANCE, None)
    return Status(record.game, record.turn, decides, who, mine, line(record, who))


def line(record: Record, player: str = "") -> str:
    """Return one line that says whose turn it is, to the player of that colour if one is named."""
    decides = record.asked
    place = f"{record.game}, turn {record.turn}"
    if record.missing:
        return f"{place}: you are asked to join" if player in record.missing else f"{place}: {waits_for(record)}"
    if decides is None:
        return f"{place}: the game is over"
    if decides == CHANCE:
        return f"{place}: waiting for the host to draw"
    if decides == player:
        return f"{place}: it is your turn"
    asked = record.state.clan(decides).player
    return f"{place}: waiting for {asked} ({decides})"

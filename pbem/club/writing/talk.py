"""Table talk: what players write besides their orders, kept until each other player has had it in a letter."""

from typing import Final, NamedTuple

from pbem import formats
from pbem.club.table import Player, Roster, Table
from pbem.club.toml_rows import build, read

LONGEST_SAYING: Final = 2000  # characters
_FORMAT: Final = "pbem-talk/1"
_MOST_SAYINGS: Final = 60


class Saying(NamedTuple):
    """Something said at the table: by whom, and which colours have not been told yet."""

    name: str
    text: str
    untold: tuple[str, ...]


def read_talk(table: Table) -> tuple[Saying, ...]:
    """Return what was said and has not yet been told to everybody."""
    if not table.talk.exists():
        return ()
    rows = read(table.talk, _FORMAT).get("sayings", [])
    return tuple(build(Saying, row | {"untold": tuple(row.get("untold", ()))}, table.talk) for row in rows)


def talk_text(sayings: tuple[Saying, ...]) -> str:
    """Return the text of ``talk.toml``, limited to the most recent sayings."""
    rows = [{**saying._asdict(), "untold": list(saying.untold)} for saying in sayings[-_MOST_SAYINGS:]]
    return formats.dump({"format": _FORMAT, "sayings": rows}, "toml")


def with_words(table: Table, roster: Roster, speaker: Player, words: str) -> tuple[Saying, ...]:
    """Return everything still to be told, including what a player says now."""
    sayings = read_talk(table)
    words = words.strip()[:LONGEST_SAYING]
    if not words:
        return sayings
    others = tuple(player.colour for player in roster.players if player.colour != speaker.colour)
    return (*sayings, Saying(f"{speaker.name} ({speaker.colour})", words, others))


def deliver(sayings: tuple[Saying, ...], player: Player) -> tuple[tuple[Saying, ...], tuple[Saying, ...]]:
    """Return what the player has not been told yet, and what is left to tell after that."""
    own = tuple(saying for saying in sayings if player.colour in saying.untold)
    rest = (
        saying._replace(untold=tuple(colour for colour in saying.untold if colour != player.colour))
        for saying in sayings
    )
    return own, tuple(saying for saying in rest if saying.untold)


def kept(table: Table, sayings: tuple[Saying, ...]) -> tuple[tuple[str, bytes], ...]:
    """Return the part of a change that saves the talk, if there is any."""
    if not sayings and not table.talk.exists():
        return ()
    return ((table.talk.name, talk_text(sayings).encode()),)

"""Table talk: what players write besides their orders, kept until each other player has had it in a letter."""

from typing import Final, NamedTuple

from pbem.table.people import Player, Roster

LONGEST_SAYING: Final = 2000  # characters
MOST_SAYINGS: Final = 60


class Saying(NamedTuple):
    """Something said at the table: by whom, and which colours have not been told yet."""

    name: str
    text: str
    untold: tuple[str, ...]


def with_words(sayings: tuple[Saying, ...], roster: Roster, speaker: Player, words: str) -> tuple[Saying, ...]:
    """Return everything still to be told, including what a player says now."""
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

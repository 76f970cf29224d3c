"""What the players of a game have said ahead, in ``plans.toml`` of its folder, for the keeper's eyes only.

A plan belongs to whoever wrote it: a substitute neither reads the player's nor answers by it, nor the other way round.
"""

from collections.abc import Mapping
from contextlib import suppress

from pbem import files
from pbem.ahead.intents import BotMoves, Intent, as_read_by, intents_in, text_of
from pbem.club.table import BOT, Player, Roster, Table
from pbem.errors import Broken, NotUnderstood
from pbem.first_sparks.moves import Move
from pbem.first_sparks.record import Record


def read_intents(table: Table, record: Record) -> dict[str, Intent]:
    """Return what has been said ahead, by colour; a file with anything else says nothing, and everybody is asked.

    Raises NoSuchFile if it is there but cannot be opened: whoever goes on without it would lose all plans.
    """
    with suppress(NotUnderstood, Broken):
        if table.plans.exists():
            return intents_in(files.read_text(table.plans), record, table.plans)
    return {}


def in_force(kept: Mapping[str, Intent], roster: Roster) -> dict[str, Intent]:
    """Return what has been said ahead by those who read the letters of their seats now."""
    return {player.colour: of_reader(kept, player) for player in roster.players if player.colour in kept}


def of_reader(kept: Mapping[str, Intent], player: Player) -> Intent:
    """Return what the reader of the player's letters has said ahead, and the early answer of the seat."""
    return as_read_by(kept.get(player.colour, Intent(writer=player.reader)), player.reader, player.address)


def kept_intents(
    table: Table, record: Record, before: Mapping[str, Intent], after: Mapping[str, Intent]
) -> tuple[tuple[str, bytes], ...]:
    """Return the part of a change that keeps what has been said ahead, if that has changed."""
    text = text_of(record, after)
    return ((table.plans.name, text.encode()),) if text != text_of(record, before) else ()


def bot_seats(roster: Roster) -> tuple[str, ...]:
    """Return the colours for which a bot decides now: in its own seat, or standing in for a player."""
    return tuple(
        player.colour
        for player in roster.players
        if player.reader == BOT and (player.address == BOT or roster.stands_in(player))
    )


def bots_of(roster: Roster) -> BotMoves:
    """Return what the bots decide in a game; its name is their seed."""
    seats = bot_seats(roster)

    def decided(record: Record, colour: str) -> Move | None:
        if colour not in seats:
            return None
        from pbem.first_sparks.bot.decide import decide

        return decide(record.state, colour, record.game)

    return decided

"""Who sits where: a seat that changed hands has the name of who plays now, in every text and for every order.

The header of the game file keeps the name with which the game began, since the
hash chain of the log stands on it, and no rule looks at a name.
"""

from collections.abc import Mapping

from pbem.first_sparks.record import Record
from pbem.first_sparks.state import GameState
from pbem.mail.club import Roster


def as_seated(record: Record, roster: Roster) -> Record:
    """Return the game with the names of those who play now; nothing else differs, not even its head."""
    return called(record, {player.colour: player.name for player in roster.players})


def called(record: Record, names: Mapping[str, str]) -> Record:
    """Return the game with these names for the colours."""
    players = tuple((colour, names.get(colour, name)) for colour, name in record.players)
    if players == record.players:
        return record
    history = tuple((entry, _state(state, names)) for entry, state in record.history)
    return record._replace(players=players, state=_state(record.state, names), history=history)


def _state(state: GameState, names: Mapping[str, str]) -> GameState:
    clans = tuple(clan._replace(player=names.get(clan.colour, clan.player)) for clan in state.clans)
    return state if clans == state.clans else state._replace(clans=clans)

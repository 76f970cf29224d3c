"""What follows at a table from a tick of its clock."""

from collections.abc import Sequence
from datetime import datetime
from typing import assert_never

from pbem.table.clock import Back, Clock, Decide, Effect, GoOn, HandOver, Remind, TellHost, Terms, Warn
from pbem.table.occurrences import AbsenceOver, HandedOver, Occurrence, Reminded
from pbem.table.people import UNTIL_BACK, Player
from pbem.table.progress import Progress, go_on
from pbem.table.table import Table


def ticked(table: Table, terms: Terms, clock: Clock, effects: Sequence[Effect], at: datetime) -> Progress:
    """Return the step that the effects of a tick make; the orders of the clock have already been played."""
    roster, occurred = table.roster, list[Occurrence]()
    for effect in effects:
        match effect:
            case Back():
                before = _player(table, effect.colour)
                roster = roster.changed(before.at_home)
                occurred.append(AbsenceOver(before))
            case HandOver(to_bot=to_bot):
                before = _player(table, effect.colour)
                roster = roster.changed(before._replace(absent=UNTIL_BACK, stand_in="bot" if to_bot else ""))
                occurred.append(HandedOver(before))
            case Remind() | Warn():
                occurred.append(Reminded(effect, terms, at))
            case Decide() | TellHost() | GoOn():
                pass
            case _ as unreachable:
                assert_never(unreachable)
    return go_on(table, table.but(roster=roster, clock=clock), *occurred)


def _player(table: Table, colour: str) -> Player:
    player = table.roster.player(colour)
    assert player is not None
    return player

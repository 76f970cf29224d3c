"""Doing what all players have agreed to, as the host's commands would do it."""

from contextlib import suppress
from typing import Final

from pbem import loading
from pbem.club.agreed.wish import JointWish, read_wish, voters
from pbem.club.ahead.onward import carry_on
from pbem.club.deadlines import stand_in
from pbem.club.host import opened, undo
from pbem.club.journal import journal_rows
from pbem.club.settings import Club
from pbem.club.table import Table, as_seated, read_roster
from pbem.errors import Illegal, PbemError

_BACK: Final = (
    "You have all agreed to take the game back to turn {turn}, as {wisher} asked. These moves no longer count: "
    "{moves}.",
    "You have all agreed to take the game back to turn {turn}, as {wisher} asked. These moves no longer count: "
    "{moves}; and {more} more.",
)
_ALONE: Final = (
    "You have taken the game back to turn {turn}. These moves no longer count: {moves}.",
    "You have taken the game back to turn {turn}. These moves no longer count: {moves}; and {more} more.",
)
_LEAVES: Final = "The others have agreed to go on without you, as {wisher} asked. You have left the game."
_GOES_ON: Final = "You have all agreed to go on without {whom}, as {wisher} asked. {whom} has left the game."


def carry_out(club: Club, table: Table) -> bool:
    """Do what all have agreed to, and return whether there was something; the game is locked.

    It is called after every message, so that it also finishes what an interrupted process has left.
    """
    wish: JointWish | None = None
    with suppress(PbemError):
        wish = read_wish(table)
    if wish is None or not table.game.exists():
        return False
    roster, record = read_roster(table), loading.load(table.game).record
    if roster.paused or not wish.holds(record) or wish.missing(record, roster):
        return False
    wisher = dict(as_seated(record, roster).players)[wish.by]
    with suppress(Illegal):
        if wish.kind == "take back":
            told, told_more = _BACK if voters(record, roster, wish.by) else _ALONE
            undo(opened(club, table), wish.to, (told, told_more, wisher))
        else:
            whom = roster.player(wish.whom)
            assert whom is not None
            by = f"all players, after {len(journal_rows(table.journal))} lines of the journal"
            why = _LEAVES.format(wisher=wisher)
            everybody = _GOES_ON.format(whom=whom.name, wisher=wisher)
            stand_in(club, table, roster, record, whom.colour, "resign", by, why, everybody=everybody)
    carry_on(club, table)
    return True

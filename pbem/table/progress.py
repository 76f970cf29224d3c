"""How a game goes on after a change at the table: answers for which nobody has to be asked, and who is asked then."""

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from pbem.first_sparks.bot.seats import is_bot
from pbem.plans.answers import Onward, agreeing, bots_in, played_on
from pbem.plans.intents import WAIT
from pbem.table.costs import THEN, Counts, counted
from pbem.table.lines import HOST, Returns
from pbem.table.matters.kinds import Pause, Replace, Resume
from pbem.table.matters.standing import Away
from pbem.table.minutes import Motion
from pbem.table.occurrences import Agreed, MotionFailed, MotionOver, Moved, Occurrence, TakenBack
from pbem.table.people import A_BOT, BOT, UNTIL_BACK, Player, bot_seats, changed_readers
from pbem.table.questions import ASKS, READS, asking, to_write
from pbem.table.table import Table, decides

A_SUBSTITUTE: Final = "a substitute"  # whom the others know by no name


class Progress(NamedTuple):
    """A table *before* and *after* what has occurred there.

    *asks* are those to whom the question must be sent now; *why* says why some are asked although they have answered or
    planned. *row* is what the journal notes about it.
    """

    before: Table
    after: Table
    occurrences: tuple[Occurrence, ...] = ()
    asks: tuple[str, ...] = ()
    why: Mapping[str, str] = MappingProxyType({})
    row: Mapping[str, Any] = MappingProxyType({})

    def lapsed(self, by: str) -> Motion | None:
        """Return the motion of a player that is over, though nothing that has occurred says so."""
        motion = self.after.minutes.by(by) or self.before.minutes.by(by)
        if motion is None or self.after.open_motion == motion:
            return None
        ends = (each for each in self.occurrences if isinstance(each, Agreed | TakenBack | MotionFailed | MotionOver))
        said = {each.motion.line for each in ends if each.motion is not None}
        return None if motion.line in said else motion

    @property
    def is_moved(self) -> bool:
        """Whether anything was played."""
        return self.after.kept.head != self.before.kept.head


def stand_still(before: Table, after: Table, *occurrences: Occurrence) -> Progress:
    """Return a step after which the game does not go on by itself."""
    return Progress(before, with_changes_of_seats(after), occurrences)


def with_changes_of_seats(table: Table) -> Table:
    """Return a table whose minutes say who has which seat and who is away, and whether the game is paused."""
    names = dict(table.kept.players) | dict(table.minutes.standing.names)
    for player in table.roster.players:
        if player.name != names[player.colour]:
            table = table.with_line(HOST, Replace(player.colour, "", player.name))
        away, known = absence_of(player), table.minutes.standing.absence(player.colour)
        if away != (known.said if known is not None else None):
            table = table.with_line(player.colour, away or Returns())
    if bool(table.roster.paused) != table.minutes.standing.is_paused:
        table = table.with_line(HOST, Pause() if table.roster.paused else Resume())
    return table


def absence_of(player: Player) -> Away | None:
    """Return that a player is away, or has a seat for which a bot plays, as the minutes say it; without an address."""
    if player.address == BOT:
        return None if is_bot(player.name) else Away(substitute=A_BOT)
    until = "" if player.absent == UNTIL_BACK else player.absent[:10]
    unnamed = A_BOT if player.deputy == BOT else A_SUBSTITUTE if player.deputy else ""
    substitute = player.substitute_name if player.deputy != BOT else ""
    return Away(until, substitute or unnamed) if player.absent else None


def go_on(before: Table, after: Table, *occurrences: Occurrence, reads: Collection[str] = ()) -> Progress:
    """Return a step with all answers for which nobody has to be asked: of plans, early answers and bots.

    Those whose letters somebody else *reads* from now on, or for whom the roster has changed so, get the question even
    if it has been sent before. Before a plan that waits, the game does; while it is paused it does not go on.
    """
    after = with_changes_of_seats(after)
    roster, record, mine, bots = after.roster, after.kept, after.in_force, bots_in(bot_seats(after.roster))
    reads = {*reads, *changed_readers(before.roster, roster)}
    first = onward = Onward(record, (), mine)
    if not roster.paused:
        own_seats, draw = {player.colour for player in roster.players if player.address == BOT}, after.beside.draw()
        first = agreeing(record, own_seats, draw, bots)
        onward = played_on(first.record, mine, draw, bots, after.waits, keeps_secret=True)
    waves, paused = after.house.waves, bool(roster.paused)
    found = asking(onward.record, onward.kept, bot_seats(roster), waves=waves, waits=after.waits, paused=paused)
    waited = {colour for colour, intent in onward.kept.items() if intent.early == (WAIT,)}
    asks = to_write(onward.record, found, {*waited, *reads}, after.rows)
    answers = (*first.answers, *onward.answers)
    row = {
        **({THEN: [list(answer) for answer in answers]} if answers else {}),
        **({ASKS: list(asks)} if asks else {}),
        **({READS: sorted(reads)} if reads else {}),
    }
    after = after.but(kept=after.beside.published(onward.record), ahead={**after.ahead, **found.kept})
    step = Progress(before, after, occurrences, asks, {**found.why, **found.again}, row)
    return step._replace(after=after.but(cost=_cost(step))) if step.is_moved and not decides(after.kept) else step


def _cost(step: Progress) -> Counts:
    """Return what the game has cost, as its last letter says."""
    table = step.after
    moved = next((each for each in step.occurrences if isinstance(each, Moved)), None)
    own = {"code": "played", "colour": moved.player.colour, "instead": bool(moved.post.instead)} if moved else {}
    return counted(table.roster, table.kept, (*table.rows, {"turn": table.kept.turn, **own, **step.row}))

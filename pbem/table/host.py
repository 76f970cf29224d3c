"""What the host can do at a table: seats and absences, pauses, letters sent again, and taking moves back."""

from collections.abc import Mapping
from typing import Final

from pbem.errors import Illegal
from pbem.first_sparks.record import at_turn
from pbem.first_sparks.state import CHANCE
from pbem.plans.intents import Intent, always_only, readdressed
from pbem.table.clock import Clock
from pbem.table.lines import HOST, PROGRAM, Closes
from pbem.table.matters.takebacks import TakeBack
from pbem.table.minutes import Motion
from pbem.table.occurrences import (
    Agreed,
    CameBack,
    MotionFailed,
    Paused,
    Replaced,
    Resent,
    Resumed,
    TakenBack,
    WentAway,
)
from pbem.table.people import BOT, Player, Roster, bot_seats, check_one_seat, check_substitute
from pbem.table.progress import Progress, go_on, stand_still
from pbem.table.table import NO_REASON, Table

NEVER_BEGUN: Final = "no move has been played yet, so there is nothing to take back"


def replace(table: Table, before: Player, seat: Player) -> Progress:
    """Give a seat to somebody else, or to the same player with another address; the question gets its full time again.

    The note and the plan of the previous player go, but stay with the same player. A motion is over. Raises Illegal for
    somebody who stands in for another player, and once the game is over.
    """
    check_not_over(table, "nobody can take a seat in it")
    check_one_seat(table.roster, seat.colour, seat.name, seat.address)
    noted = table if table.motion is None else table.with_line(PROGRAM, Closes(table.motion.by))
    after = _with_seats(noted, table.roster.changed(seat))
    return go_on(table, after, Replaced(before), reads=(seat.colour,))


def check_not_over(table: Table, so: str) -> None:
    """Raise Illegal with what follows if the game is over."""
    if not table.decides:
        raise Illegal(f"the game is over, so {so}")


def _with_seats(table: Table, roster: Roster) -> Table:
    """Return the table with the seats of that roster; the question to one that has changed gets its full time again.

    A seat that somebody else has, or the same player with another address or key, has a new key, so that no letter from
    before counts there, even if the player has the seat again; the note and the plan of a player who has lost it go.
    """
    for before in table.roster.players:
        seat = roster.player(before.colour)
        if seat is None or seat == before:
            continue
        if (seat.name, seat.address, seat.key) == (before.name, before.address, before.key):
            table = table.but(roster=table.roster.changed(seat), clock=table.clock.without(seat.colour))
            continue
        notes, ahead = dict(table.notes), dict(table.ahead)
        mine = ahead.pop(seat.colour, None)
        if before.name != seat.name:
            notes.pop(seat.colour, None)
        elif mine is not None:
            ahead[seat.colour] = readdressed(mine, before.address, seat.address)
        seat = seat._replace(key=table.beside.new_key())
        left = _left(table.roster.changed(seat), before, seat)
        table = table.but(roster=left, notes=notes, ahead=ahead, clock=table.clock.without(seat.colour))
    return table


def _left(roster: Roster, before: Player, seat: Player) -> Roster:
    """Return the roster with the keys of the previous player retired; that may be the same person."""
    roster = roster.retired(before)
    if before.address.lower() == seat.address.lower():
        return roster
    former = (
        key._replace(address=key.address or before.address) if key.colour == seat.colour else key
        for key in roster.former
    )
    return roster._replace(former=tuple(former))


def away(table: Table, before: Player, player: Player) -> Progress:
    """Let a player be away; a substitute who is asked has the full time.

    Raises Illegal for a substitute who has another seat in the game, and for a player for whom nobody waits.
    """
    check_not_over(table, "nobody waits for a player")
    if before.address == BOT:
        raise Illegal(f"a bot plays {before.colour}, and a bot is never away")
    if table.kept.state.clan(before.colour).resigned:
        raise Illegal(f"{before.name} ({before.colour}) has left the game, so nobody waits for that player")
    check_substitute(table.roster, player)
    step = go_on(table, table.but(roster=table.roster.changed(player)), WentAway(before, by_host=True))
    return _with_fresh_question(step, player) if player.colour in step.after.asked else step


def back(table: Table, before: Player) -> Progress:
    """Let a player be back, with the full time for a question; nobody hears of it if that player was not away."""
    player = before.at_home
    if player == before:
        return stand_still(table, table)
    step = go_on(table, table.but(roster=table.roster.changed(player)), CameBack(before, by_host=True))
    return _with_fresh_question(step, player) if player.colour in step.after.asked else step


def _with_fresh_question(step: Progress, player: Player) -> Progress:
    """Return the step with the full time for a player, as if no tick had seen the question."""
    return step._replace(after=step.after.but(clock=step.after.clock.without(player.colour)))


def pause(table: Table, why: str) -> Progress:
    """Pause the game; raises Illegal once it is over."""
    check_not_over(table, "it cannot be paused")
    return stand_still(table, table.but(roster=table.roster._replace(paused=why or NO_REASON)), Paused())


def resume(table: Table) -> Progress:
    """Resume the game; nobody hears of it if it was not paused."""
    occurred = (Resumed(),) if table.roster.paused else ()
    return go_on(table, table.but(roster=table.roster._replace(paused="")), *occurred)


def resend(table: Table, *, to_all: bool) -> Progress:
    """Send the question again to all who are asked, or the situation to all."""
    return stand_still(table, table, Resent(to_all))


# Taking back


def turn_before_the_last(table: Table) -> int:
    """Return the turn before the last move that was no bot's, since a bot would make the same move again."""
    nobody, record = (CHANCE, *bot_seats(table.roster)), table.kept
    turns = (entry.turn for entry, _ in reversed(record.history) if entry.by not in nobody)
    return next(turns, record.turn) - 1


def check_takeback(table: Table, wanted: int) -> None:
    """Raise Illegal for a turn that does not exist, or if the secret of the draws is public."""
    record = table.kept
    if not record.turn:
        raise Illegal(NEVER_BEGUN)
    if not 0 <= wanted < record.turn:
        raise Illegal(f"the game is at turn {record.turn} and cannot go back to turn {wanted}")
    if record.chance.kind == "sealed" and record.chance.secret:
        raise Illegal("the secret of the draws has been revealed, so the game cannot be taken back")


def carry_out(table: Table, motion: Motion) -> Progress:
    """Do what all have agreed to; raises Illegal. A takeback is an ``undo``; setting the clock gives the full time."""
    matter = motion.matter
    if motion.whom not in ("", motion.by) and not {*motion.agreed} & {*table.voting}:
        raise Illegal("nobody but the mover has agreed to it")  # or all who did have left, or let a bot play
    matter.check(table.setting(motion.by))
    if isinstance(matter, TakeBack):
        return undo(table, matter.to, motion)
    noted = table.with_line(motion.by, matter)
    if noted.minutes.standing.clock_set != table.minutes.standing.clock_set:
        noted = noted.but(clock=Clock(table.clock.last))
    seated = _with_seats(noted, matter.roster_after(table.roster))
    kept = matter.game_after(table.kept, table.beside.draw())
    return go_on(table, seated.but(kept=kept), Agreed(motion))


def cannot_carry_out(table: Table, motion: Motion) -> Progress:
    """Return that a motion is over, since what all have agreed to cannot be done."""
    return stand_still(table, table.with_line(PROGRAM, Closes(motion.by)), MotionFailed(motion))


def undo(table: Table, wanted: int, motion: Motion | None = None) -> Progress:
    """Take a game back to the end of that turn, as all have agreed to the *motion*, or as the host wants.

    Every player gets a new key, so that letters of the turns taken back no longer count when those turns come again; a
    former key still tells whose a reply is. Plans are over, what holds always stays, and the clock starts again.
    """
    earlier = at_turn(table.kept, wanted)
    undone = tuple(entry for entry, _ in table.kept.history[len(earlier.log) :])
    renewed = tuple(player._replace(key=table.beside.new_key()) for player in table.roster.players)
    roster = table.roster.retired(*table.roster.players)._replace(players=renewed)
    ahead: Mapping[str, Intent] = {colour: always_only(intent) for colour, intent in table.ahead.items()}
    noted = table.with_line(HOST if motion is None else motion.by, TakeBack(wanted))
    after = noted.but(kept=earlier, roster=roster, ahead=ahead, clock=Clock(table.clock.last))
    return stand_still(table, after, TakenBack(undone, motion))

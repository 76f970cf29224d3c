"""The course of a game after a change: all answers that nobody has to be asked for, and who is asked then."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pbem.ahead.intents import WAIT, Intent, Onward, Waits, agreeing, never, outcome, played_on, without_plan
from pbem.club.ahead.asking import ASKS, READS, asking, to_write
from pbem.club.ahead.kept import bot_seats, bots_of, in_force
from pbem.club.settings import Club
from pbem.club.table import BOT, Roster
from pbem.first_sparks.record import DrawSource, Record

THEN: Final = "then"  # the key of a row of the journal: the answers for which nobody was asked, as ``Onward`` has them


class Changed(NamedTuple):
    """A game after a change, with what has been said *ahead* in it.

    *asks* are those to whom the question must be sent now, *asked* all who have not answered it; *why* says why some
    are asked although they have answered or planned. *row* is what the journal notes about it.
    """

    record: Record
    ahead: dict[str, Intent]
    asked: tuple[str, ...]
    asks: tuple[str, ...]
    why: Mapping[str, str]
    row: dict[str, Any]


def carried_on(
    club: Club,
    roster: Roster,
    record: Record,
    ahead: Mapping[str, Intent],
    draw: DrawSource | None,
    rows: Sequence[dict[str, Any]],
    waits: Waits = never,
    reads: Collection[str] = (),
) -> Changed:
    """Return the course of a game in which *ahead* has been said ahead; *record* has the names of the game file.

    The *rows* of the journal say who has already been sent the question; those whose letters somebody else *reads* from
    now on have not. Before a plan that *waits*, the game does; while it is paused it does not go on.
    """
    mine, paused, bots = in_force(ahead, roster), bool(roster.paused), bots_of(roster)
    first = onward = Onward(record, (), mine)
    if not paused:
        own_seats = {player.colour for player in roster.players if player.address == BOT}
        first = agreeing(record, own_seats, draw, bots)
        onward = played_on(first.record, mine, draw, bots, waits, keeps_secret=True)
    found = asking(onward.record, onward.kept, bot_seats(roster), waves=club.waves, waits=waits, paused=paused)
    waited = {colour for colour, intent in onward.kept.items() if intent.early == (WAIT,)}
    asks = to_write(onward.record, found, {*waited, *reads}, rows)
    answers = (*first.answers, *onward.answers)
    row = {
        **({THEN: [list(answer) for answer in answers]} if answers else {}),
        **({ASKS: list(asks)} if asks else {}),
        **({READS: sorted(reads)} if reads else {}),
    }
    return Changed(onward.record, {**ahead, **found.kept}, found.asked, asks, {**found.why, **found.again}, row)


def reported(record: Record, colour: str, ahead: Mapping[str, Intent]) -> tuple[dict[str, Intent], tuple[str, ...]]:
    """Return what has been said ahead when a player has read what the own plan did, and the sentences about it."""
    intent = ahead.get(colour, Intent())
    if intent.played:
        intent = intent._replace(played=())
    kept = {**ahead, colour: intent} if colour in ahead else dict(ahead)
    if intent.written is None:
        return kept, ()
    found = outcome(record, colour, intent)
    if not found.did:
        return kept, ()
    left = without_plan(intent) if found.ended else intent._replace(answers=(), told=True)
    return {**ahead, colour: left}, found.did

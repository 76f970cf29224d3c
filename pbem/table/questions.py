"""What the clock of a game counts for each player who is asked, and until when the player has to answer."""

from collections.abc import Collection
from datetime import datetime

from pbem.first_sparks import notation
from pbem.first_sparks.plans.together import as_asked, opened, question_to
from pbem.first_sparks.record import HEAD_DIGITS, Record, same_situations
from pbem.plans.intents import heads_of
from pbem.table.clock import Awaited, Clock, Terms, due_at


def awaited(record: Record, colour: str, *, waves: bool) -> Awaited:
    """Return a player who is asked; a question that can be put to several stays the same while others answer."""
    since, *same = same_situations(record)
    if waves and question_to(record.state, colour) is not None:
        line, turns = opened(record, colour), (0, *(entry.turn for entry, _ in record.history))
        since, *same = zip(turns[line:], heads_of(record)[line:], strict=True)
    (turn, head), *others = ((turn, head[:HEAD_DIGITS]) for turn, head in (since, *same))
    return Awaited(turn, head, colour, mildest(record, colour), tuple(others))


def mildest(record: Record, colour: str) -> str:
    """Return the order that changes least - decline, pass or stay - for a player who is asked, "" if it cannot be."""
    return notation.mildest(as_asked(record.state, colour).phase)


def due(
    terms: Terms, clock: Clock, record: Record, asked: Collection[str], *, waves: bool
) -> dict[str, datetime | None]:
    """Return until when those of the *asked* have to answer whose time runs, by colour; None if it is over."""
    found: dict[str, datetime | None] = {}
    for colour in asked:
        question = clock.question_of(awaited(record, colour, waves=waves))
        until = None if question is None or not question.waited else due_at(terms, clock, question)
        if until is not None and clock.last is not None:
            found[colour] = until if until > clock.last else None
    return found

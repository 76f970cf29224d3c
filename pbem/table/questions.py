"""The players who are asked, and until when: the one who decides, and with waves those who can answer as well.

A player who has said ahead what the answer is, by a plan or by an early answer, is not asked.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from pbem.first_sparks import notation
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.plans.plan import Planned
from pbem.first_sparks.plans.waves import as_asked, asked_together, is_unchanged, opened, question_to
from pbem.first_sparks.plans.words import plan_text
from pbem.first_sparks.record import HEAD_DIGITS, Record, at_line, same_situations
from pbem.first_sparks.rules.spreading import is_affordable, spreading_cost
from pbem.first_sparks.state import CHANCE
from pbem.locale import phrase, phrase_by
from pbem.page.glue import glued
from pbem.plans.answers import never
from pbem.plans.intents import (
    WAIT,
    Intent,
    Waits,
    early_order,
    early_plan,
    is_early,
    is_something,
    said_ahead,
    without_early,
)
from pbem.table.clock import Awaited

# The keys of a row of the journal: the colours that were sent the open question, and those whose letters somebody else
# reads from then on, or which need new ones.
ASKS: Final = "asks"
READS: Final = "reads"


class Asking(NamedTuple):
    """The players who are *asked* and have not answered, and what has been said ahead that still counts.

    *again* has those whose early answer cannot be played as things are, with a sentence that says why. *why* has a
    sentence for those who have a plan that leaves this question to them.
    """

    kept: dict[str, Intent]
    asked: tuple[str, ...]
    again: Mapping[str, str]
    why: Mapping[str, str] = MappingProxyType({})


def asking(
    record: Record,
    kept: Mapping[str, Intent],
    bots: Collection[str],
    *,
    waves: bool,
    waits: Waits = never,
    paused: bool = False,
) -> Asking:
    """Return who is asked in a game in which *kept* has been said ahead; *bots* are never asked.

    The player who decides is among them, since all answers that need nobody have been given, unless the game *waits*
    before such an answer, or is *paused*.
    """
    decides = who_decides(record.state)
    if decides in (None, CHANCE):
        return Asking({colour: without_early(intent) for colour, intent in kept.items()}, (), {})
    after = dict(kept)
    again: dict[str, str] = {}
    why: dict[str, str] = {}
    found: list[str] = []
    for colour in asked_together(record.state) if waves else (decides,):
        assert colour is not None
        intent = kept.get(colour, Intent())
        if colour in bots or (colour == decides and _is_kept_back(record, colour, intent, waits, paused=paused)):
            continue
        if is_early(record, colour, intent):
            if colour != decides and (intent.early == (WAIT,) or _early(record, colour, intent).move is not None):
                continue
            if intent.early != (WAIT,):
                again[colour] = _again(record, colour, intent)
        elif is_something(intent):
            planned = _planned(record, colour, intent)
            if colour != decides and planned.move is not None:
                continue
            why[colour] = _why(planned, record, colour)
        found.append(colour)
    for colour, intent in kept.items():
        if intent.early and (colour in found or not is_early(record, colour, intent)):
            after[colour] = without_early(intent)
    return Asking(after, tuple(found), again, {colour: text for colour, text in why.items() if text})


def _is_kept_back(record: Record, colour: str, intent: Intent, waits: Waits, *, paused: bool) -> bool:
    """Return whether the player who decides has said ahead what the answer is, and the game waits before it."""
    ahead = said_ahead(record, colour, intent)
    planned = ahead.answer(record)
    if planned.move is None or record.state.agreed:
        return False
    return paused or ahead.waits(planned, record, waits)


def _early(record: Record, colour: str, intent: Intent) -> Planned:
    from pbem.first_sparks.plans.answer import answer

    return answer(early_plan(record, colour, intent), None, as_asked(record.state, colour))


def _planned(record: Record, colour: str, intent: Intent) -> Planned:
    from pbem.first_sparks.plans.answer import answer

    ahead = said_ahead(record, colour, intent)
    return answer(ahead.plan, ahead.always, as_asked(record.state, colour))


def _why(planned: Planned, record: Record, colour: str) -> str:
    """Return why the player is asked, in one sentence; nothing where there is no more to say than that."""
    from pbem.first_sparks.plans.explain import why_asked

    again = partial(why_asked, planned, as_asked(record.state, colour))
    return phrase_by(again() if planned.move is None else "", again)


AGAIN: Final = 'Your answer "{order}" cannot be played as things are now.'
_DEAR: Final = 'Your answer "{order}" would cost {cost} food now, which is more than when you gave it.'
_TOO_DEAR: Final = 'Your answer "{order}" would cost {cost} food now, and you have {food}.'


def _again(record: Record, colour: str, intent: Intent) -> str:
    """Return why a player is asked again, whose early answer cannot be played as things are."""
    given, why = early_order(intent), _early(record, colour, intent).why
    order = phrase_by(glued(given), lambda: glued(plan_text(given)))
    if why.because == "dear":
        return phrase(_DEAR, order=order, cost=why.cost)
    plan = early_plan(record, colour, intent)
    placing = plan and (plan.spread or plan.add)
    if not placing:
        return phrase(AGAIN, order=order)
    clan = record.state.clan(colour)
    cost = spreading_cost(record.state, clan, placing.spaces)
    if cost is None or is_affordable(clan, cost):
        return phrase(AGAIN, order=order)
    return phrase(_TOO_DEAR, order=order, cost=cost.total, food=clan.food)


def to_write(record: Record, found: Asking, waited: Collection[str], rows: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    """Return those of the asked to whom the question must be sent now.

    Not those who have it from an earlier letter, as the *rows* of the journal say, unless it has changed since, or
    they *waited* for the others.
    """
    return tuple(
        colour
        for colour in found.asked
        if colour in found.again or colour in waited or not _has_it(record, colour, rows)
    )


def _has_it(record: Record, colour: str, rows: Sequence[dict[str, Any]]) -> bool:
    first, lines = opened(record, colour), {head: line for line, head in enumerate(record.lines.heads)}
    for row in reversed(rows):
        line = lines.get(str(row.get("head", "")), -1)
        if colour in row.get(ASKS, ()) and line >= 0:
            return line >= first and is_unchanged(at_line(record, line).state, record.state, colour)
        if colour in row.get(READS, ()):
            return False
    return False


def awaited(record: Record, colour: str, *, waves: bool) -> Awaited:
    """Return a player who is asked; a question that can be put to several stays the same while others answer."""
    since, *same = same_situations(record)
    if waves and question_to(record.state, colour) is not None:
        line, turns = opened(record, colour), (0, *(entry.turn for entry, _ in record.history))
        since, *same = zip(turns[line:], record.lines.heads[line:], strict=True)
    (turn, head), *others = ((turn, head[:HEAD_DIGITS]) for turn, head in (since, *same))
    return Awaited(turn, head, colour, mildest(record, colour), tuple(others))


def mildest(record: Record, colour: str) -> str:
    """Return the order that changes least - decline, pass or stay - for a player who is asked, "" if it cannot be."""
    return notation.mildest(as_asked(record.state, colour).phase)

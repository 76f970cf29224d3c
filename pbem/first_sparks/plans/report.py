"""What a plan did, for its owner alone: the answers that it gave, and why it is over or was not used."""

from collections.abc import Collection, Iterator
from typing import Final, Literal

from pbem.first_sparks.briefing.sentences import done_ahead
from pbem.first_sparks.events import Answered, CardBought, CardOffered, Event
from pbem.first_sparks.moves import Pass
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.plans.plan import Plan, holds
from pbem.first_sparks.record import History
from pbem.first_sparks.state import GameState
from pbem.grammar import listed
from pbem.locale import tr
from pbem.page.glue import unbroken

PlanEnd = Literal[
    "done",  # its owner has bought
    "passed",
    "phase over",
    "resigned",
    "game over",
    "replaced",  # by a newer plan
    "forgotten",
    "taken back",  # the game was, to before the plan or past an answer of it
    "new player",  # another player plays for its owner
]
_ENDED: Final[dict[PlanEnd, str]] = {
    "done": "The\N{NO-BREAK SPACE}plan is done.",
    "passed": "The\N{NO-BREAK SPACE}plan is over, since you have passed.",
    "phase over": "The\N{NO-BREAK SPACE}plan is over with its phase.",
    "resigned": "The\N{NO-BREAK SPACE}plan is over, since you have resigned.",
    "game over": "The\N{NO-BREAK SPACE}plan is over with the game.",
    "replaced": "The\N{NO-BREAK SPACE}plan was replaced by a newer one.",
    "forgotten": "The\N{NO-BREAK SPACE}plan was forgotten, as you asked.",
    "taken back": "The\N{NO-BREAK SPACE}plan is over, because the game was taken back.",
    "new player": "The\N{NO-BREAK SPACE}plan is over, because another player has taken the seat.",
}


def ending(plan: Plan, since: History, state: GameState) -> PlanEnd | None:
    """Return why the plan is over, None while it holds; *since* is what has happened from when it was written."""
    if holds(plan, state):
        return None
    if state.clan(plan.colour).resigned:
        return "resigned"
    if isinstance(state.phase, Ended):
        return "game over"
    for entry, after in since:
        if any(isinstance(event, CardBought) and event.clan == plan.colour for event in after.events):
            return "done"
        if entry.clan == plan.colour and isinstance(entry.move, Pass):
            return "passed"
    return "phase over"


def report(
    plan: Plan, since: History, turns: Collection[int], ended: PlanEnd | None, *, told: bool = False
) -> tuple[str, ...]:
    """Return what plan and early answers did, in sentences; none while the plan holds and has answered nothing.

    *since* is what has happened from when it was written, *turns* are those that it played. The owner may have been
    *told* of earlier answers.
    """
    did = list(_deeds(plan, since, turns))
    sentences = [tr("As you said ahead, you {deeds}.").format(deeds=listed(did))] if did else []
    if not (did or told) and ended is not None:
        sentences.append(unbroken(tr("Nothing was answered by your\N{NO-BREAK SPACE}plan.")))
    if ended is not None:
        sentences.append(over(ended))
    return tuple(sentences)


def over(ended: PlanEnd) -> str:
    """Return why a plan is over, in one sentence."""
    return unbroken(tr(_ENDED[ended]))


def _deeds(plan: Plan, since: History, turns: Collection[int]) -> Iterator[str]:
    """Yield what the owner did by the plan, as the words after "you"."""
    told: Event | None = None
    for place, (entry, after) in enumerate(since):
        if entry.by == plan.colour and entry.is_order and entry.turn in turns:
            outcome = _outcome(after.events[0], since[place:], plan.colour)
            if outcome is not told:  # of two players, one may offer a card, and take it when nobody wants it
                yield done_ahead(after, outcome)
            told = outcome


def _outcome(event: Event, course: History, colour: str) -> Event:
    """Return the purchase of the clan to which its offer or its yes has led, or else the event itself.

    *course* begins with the entry of the event; a later offer ends it.
    """
    if not isinstance(event, CardOffered | Answered):
        return event
    for later in (later for _, state in course for later in state.events):
        if isinstance(later, CardBought) and later.card == event.card:
            return later if later.clan == colour else event
        if isinstance(later, CardOffered) and later is not event:
            return event
    return event
